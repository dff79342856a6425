// SPDX-License-Identifier: Apache-2.0
// Convex shapes: mass and inertia, motion in closed form, gaps, first moments of contact,
// manifolds.
#pragma once
#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Mass ------------------------------------------------------------------------------------

/// A solid of density 1. Multiply volume and inertia by the density.
typedef struct CaromSolid {
    double volume;     ///< [m^3]
    CaromVec3 centre;  ///< of mass [m]
    CaromMat3 inertia; ///< about the centre, in the axes of its points [m^5]
} CaromSolid;

/// Principal moments and axes of an inertia matrix.
typedef struct CaromPrincipal {
    double moments[3]; ///< ascending
    CaromQuat axes;    ///< from the principal axes to the axes of the matrix
} CaromPrincipal;

CAROM_API CaromPrincipal carom_principal(const CaromMat3 *inertia);

// ---- Closed meshes ---------------------------------------------------------------------------

/// Larger meshes are refused with CAROM_OVER_LIMIT.
#define CAROM_SHAPE_MOST_VERTICES  250000
#define CAROM_SHAPE_MOST_TRIANGLES 500000

/// Triangles that close one or more volumes, corners counterclockwise seen from outside.
typedef struct CaromMesh CaromMesh;

/// The text or bytes of an STL (ASCII or binary) or OBJ file, told apart by their contents. STL
/// corners that are equal are one vertex. Faces of OBJ with more than three corners are fans.
CAROM_API CaromStatus carom_mesh_parse(const char *data, size_t length, const CaromHost *host,
                                       CaromMesh **surface);
CAROM_API CaromStatus carom_mesh_load(const char *path, const CaromHost *host, CaromMesh **surface);
CAROM_API void carom_mesh_destroy(CaromMesh *surface); // NULL is fine

CAROM_API int carom_mesh_vertex_count(const CaromMesh *surface);
CAROM_API int carom_mesh_triangle_count(const CaromMesh *surface);
CAROM_API const CaromVec3 *carom_mesh_vertices(const CaromMesh *surface);
CAROM_API const int (*carom_mesh_triangles(const CaromMesh *surface))[3];

/// Volume, centre and inertia of what the mesh closes. CAROM_BAD_DATA, with the first fault in the
/// log, if an edge has not one triangle on each side (not closed) or the volume is not positive
/// (inside out, or flat).
CAROM_API CaromStatus carom_mesh_solid(const CaromMesh *surface, CaromSolid *solid);

// ---- Shapes ----------------------------------------------------------------------------------

#define CAROM_SHAPE_KIND_LIST(X)                                                                   \
    X(CAROM_SHAPE_BALL, "ball")                                                                    \
    X(CAROM_SHAPE_BOX, "box")                                                                      \
    X(CAROM_SHAPE_CYLINDER, "cylinder")                                                            \
    X(CAROM_SHAPE_CAPSULE, "capsule")                                                              \
    X(CAROM_SHAPE_HULL, "hull")

typedef enum CaromShapeKind {
#define CAROM_SHAPE_KIND_ENTRY(code, text) code,
    CAROM_SHAPE_KIND_LIST(CAROM_SHAPE_KIND_ENTRY)
#undef CAROM_SHAPE_KIND_ENTRY
} CaromShapeKind;

CAROM_API const char *carom_shape_kind_text(CaromShapeKind value);

/// A convex shape. It never changes, so any number of bodies and threads may share it. Its frame
/// has the mass centre at the origin; axes are those of its definition.
typedef struct CaromShape CaromShape;

CAROM_API CaromStatus carom_shape_ball(double radius, const CaromHost *host, CaromShape **shape);
CAROM_API CaromStatus carom_shape_box(CaromVec3 edges, const CaromHost *host, CaromShape **shape);
/// Along z. `height` is all of it.
CAROM_API CaromStatus carom_shape_cylinder(double radius, double height, const CaromHost *host,
                                           CaromShape **shape);
/// A cylinder along z with half balls on its ends. `height` is all of it, > 2 radius.
CAROM_API CaromStatus carom_shape_capsule(double radius, double height, const CaromHost *host,
                                          CaromShape **shape);
/// The convex hull of points. CAROM_BAD_DATA if they are not finite or lie in one plane (to 1e-9
/// of their size).
CAROM_API CaromStatus carom_shape_hull(int count, const CaromVec3 *points, const CaromHost *host,
                                       CaromShape **shape);
CAROM_API void carom_shape_destroy(CaromShape *shape); // NULL is fine

CAROM_API CaromShapeKind carom_shape_kind(const CaromShape *shape);
/// With `centre` in the coordinates of the definition (0 unless it is a hull).
CAROM_API CaromSolid carom_shape_solid(const CaromShape *shape);
/// The largest distance of a point from the mass centre.
CAROM_API double carom_shape_radius(const CaromShape *shape);
/// The smallest extent over all directions that are normal to faces (diameter of a ball).
CAROM_API double carom_shape_width(const CaromShape *shape);
/// Of boxes and hulls; others have none.
CAROM_API int carom_shape_corner_count(const CaromShape *shape);
CAROM_API const CaromVec3 *carom_shape_corners(const CaromShape *shape);
/// The triangles of a hull or box (corners counterclockwise seen from outside); others have none.
CAROM_API int carom_shape_triangle_count(const CaromShape *shape);
CAROM_API const int (*carom_shape_triangles(const CaromShape *shape))[3];
/// The point of the shape, in its frame, that is farthest along `direction`.
CAROM_API CaromVec3 carom_shape_support(const CaromShape *shape, CaromVec3 direction);

// ---- Where it is, and how it moves -----------------------------------------------------------

typedef struct CaromPose {
    CaromVec3 position; ///< of the mass centre
    CaromQuat rotation; ///< body to world
} CaromPose;

/// Everything about a moving body at one moment.
typedef struct CaromMoment {
    CaromPose pose;
    CaromVec3 velocity;
    CaromVec3 angular_velocity; ///< world frame
} CaromMoment;

/// A motion from time 0 on: the centre on a parabola, and rotation without torque or at a constant
/// angular velocity. In closed form: theory.md, section 12. Fill it with one of the functions below
/// and read it with carom_trajectory_at.
typedef struct CaromTrajectory {
    CaromMoment start;
    CaromVec3 acceleration;
    double most_spin;         ///< |angular velocity| never exceeds this
    double most_spin_change;  ///< nor its rate of change this
    double private_parts[40]; ///< of the rotation
} CaromTrajectory;

/// Free flight of a body with principal moments `inertia` (any unit: only ratios matter).
CAROM_API CaromTrajectory carom_trajectory_free(const CaromMoment *start,
                                                const CaromPrincipal *inertia,
                                                CaromVec3 acceleration);
/// Constant acceleration and constant angular velocity (balls, windows, fixed bodies).
CAROM_API CaromTrajectory carom_trajectory_steady(const CaromMoment *start, CaromVec3 acceleration);
CAROM_API CaromMoment carom_trajectory_at(const CaromTrajectory *path, double time);

// ---- Two shapes ------------------------------------------------------------------------------

/// How far two shapes are apart.
typedef struct CaromShapeGap {
    double gap;         ///< [m]; negative: they overlap at least so deep along `normal`
    CaromVec3 normal;   ///< unit, from the second to the first
    CaromVec3 point[2]; ///< nearest points in the world, of each shape
} CaromShapeGap;

/// Accurate to rounding for shapes that are apart or touch, and where they overlap by less than
/// 1e-5 of their widths. A deeper overlap is seen as such, its depth along some direction.
CAROM_API CaromShapeGap carom_shape_gap(const CaromShape *first, const CaromPose *first_pose,
                                        const CaromShape *second, const CaromPose *second_pose);
/// From a shape to the half space behind a plane through `point`; `normal` is unit.
CAROM_API CaromShapeGap carom_plane_gap(const CaromShape *shape, const CaromPose *pose,
                                        CaromVec3 point, CaromVec3 normal);

/// The first time in [from, until] when the gap is down to `gap`, never late, and early by no more
/// than a gap of 1e-10 of the shapes' size needs to close; infinity if there is none. Shapes that
/// are nearer than that at the start and part are not found until they come back.
CAROM_API double carom_shape_meet(const CaromShape *first, const CaromTrajectory *first_path,
                                  const CaromShape *second, const CaromTrajectory *second_path,
                                  double gap, double from, double until);
CAROM_API double carom_plane_meet(const CaromShape *shape, const CaromTrajectory *path,
                                  CaromVec3 point, CaromVec3 normal, double gap, double from,
                                  double until);

enum { CAROM_MANIFOLD_MOST = 8 };

/// Where two shapes touch: points of one plane, at most CAROM_MANIFOLD_MOST.
typedef struct CaromManifold {
    CaromVec3 normal; ///< unit, into the first
    int count;        ///< 0: they are farther apart than the tolerance
    struct {
        CaromVec3 point; ///< in the world; in the plane midway between the nearest points
        double gap;      ///< between the surfaces there, along the normal
    } points[CAROM_MANIFOLD_MOST];
} CaromManifold;

/// All features within `tolerance` [m] of touching, clipped against each other. The nearest point
/// is always among them; of more than eight the outermost are kept.
CAROM_API CaromManifold carom_shape_manifold(const CaromShape *first, const CaromPose *first_pose,
                                             const CaromShape *second, const CaromPose *second_pose,
                                             double tolerance);
CAROM_API CaromManifold carom_plane_manifold(const CaromShape *shape, const CaromPose *pose,
                                             CaromVec3 point, CaromVec3 normal, double tolerance);

#ifdef __cplusplus
}
#endif
