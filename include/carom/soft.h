// SPDX-License-Identifier: Apache-2.0
// Soft objects: tetrahedral meshes, linear elasticity, the shape under gravity and without it.
//
// A library of its own, carom::soft, because it stands on CHOLMOD: docs/dependencies.md.
#pragma once
#include "carom/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Larger meshes are refused with CAROM_OVER_LIMIT.
#define CAROM_SOFT_MAX_NODES      1000000
#define CAROM_SOFT_MAX_TETRAHEDRA 5000000

// ---- Meshes ----------------------------------------------------------------------------------

/// Tetrahedra that share nodes. A mesh that exists is sound: every volume is positive, tetrahedra
/// lie on opposite sides of the faces they share, every node belongs to one.
typedef struct CaromSoftMesh {
    int node_count;
    const CaromVec3 *nodes; ///< [m]
    int tetrahedron_count;
    const int (*tetrahedra)[4]; ///< the fourth node lies where a right-handed turn 0, 1, 2 points
    int surface_count;
    const int (*surface)[3]; ///< faces of one tetrahedron only; their normals point outward
    const struct CaromSoftSurface
        *solid; ///< round surface of a generated one; private, may be NULL
} CaromSoftMesh;

/// A copy of the given nodes and tetrahedra. Tetrahedra that are all inverted are turned; anything
/// else that is unsound is CAROM_BAD_DATA, explained to the host's log. `host` may be NULL.
CAROM_API CaromStatus carom_soft_mesh_create(int node_count, const CaromVec3 *nodes,
                                             int tetrahedron_count, const int (*tetrahedra)[4],
                                             const CaromHost *host, CaromSoftMesh **mesh);
CAROM_API void carom_soft_mesh_destroy(CaromSoftMesh *mesh); // NULL is fine

/// Gmsh 2.2 or 4.1, text or binary. A fault is explained with its place: `line 12: ...` or `byte
/// ..`.
CAROM_API CaromStatus carom_soft_mesh_parse_gmsh(const char *text, size_t length,
                                                 const CaromHost *host, CaromSoftMesh **mesh);
/// The two files of TetGen; messages start with `.node: ` or `.ele: `.
CAROM_API CaromStatus carom_soft_mesh_parse_tetgen(const char *node_text, size_t node_length,
                                                   const char *ele_text, size_t ele_length,
                                                   const CaromHost *host, CaromSoftMesh **mesh);
/// A file by its ending: `.msh` is Gmsh, `.node` or `.ele` TetGen, which needs the other one too.
CAROM_API CaromStatus carom_soft_mesh_load(const char *path, const CaromHost *host,
                                           CaromSoftMesh **mesh);

// Solids that stand on z = 0, their axis along z. `resolution` counts the layers of tetrahedra from
// the centre of a ball or the axis of a solid of revolution to the surface, along the edges of a
// tetrahedron, or along the shortest edge of a box.

/// It rests on a triangle, as a scanned ball on a table does.
CAROM_API CaromStatus carom_soft_mesh_ball(double radius, int resolution, const CaromHost *host,
                                           CaromSoftMesh **mesh);
CAROM_API CaromStatus carom_soft_mesh_ellipsoid(CaromVec3 semi_axes, int resolution,
                                                const CaromHost *host, CaromSoftMesh **mesh);
CAROM_API CaromStatus carom_soft_mesh_box(CaromVec3 edges, int resolution, const CaromHost *host,
                                          CaromSoftMesh **mesh);
CAROM_API CaromStatus carom_soft_mesh_frustum(double height, double bottom_diameter,
                                              double top_diameter, int resolution,
                                              const CaromHost *host, CaromSoftMesh **mesh);
/// A parabola turned about z: `end_diameter` at both ends, `middle_diameter` between them.
CAROM_API CaromStatus carom_soft_mesh_barrel(double height, double end_diameter,
                                             double middle_diameter, int resolution,
                                             const CaromHost *host, CaromSoftMesh **mesh);
/// Where its corners are.
CAROM_API CaromStatus carom_soft_mesh_tetrahedron(const CaromVec3 corners[4], int resolution,
                                                  const CaromHost *host, CaromSoftMesh **mesh);

/// A place where tetrahedra must be small.
typedef struct CaromSoftSpot {
    CaromVec3 centre; ///< [m]
    double radius;    ///< around it edges are no longer than `edge`; they grow outside [m]
    double edge;      ///< [m], > 0
} CaromSoftSpot;

/// The same solid with smaller tetrahedra around some places: longest edges are cut in two. On
/// balls, ellipsoids, frustums and barrels that a function above made, new nodes of the round
/// surface lie on it.
CAROM_API CaromStatus carom_soft_mesh_refine(const CaromSoftMesh *mesh, int spot_count,
                                             const CaromSoftSpot *spots, const CaromHost *host,
                                             CaromSoftMesh **finer);

/// Mark the nodes within a box and return their number; bounds may be infinite.
CAROM_API int carom_soft_select_box(const CaromSoftMesh *mesh, CaromVec3 low, CaromVec3 high,
                                    bool *selected);
/// Mark the nodes that lie farthest along `direction` (unit), or short of that by no more than
/// `slack` [m]; 0 takes a millionth of the extent. (0, 0, -1) gives the face it stands on.
CAROM_API int carom_soft_select_face(const CaromSoftMesh *mesh, CaromVec3 direction, double slack,
                                     bool *selected);

/// What a ruler says about a shape of a mesh.
typedef struct CaromSoftMeasure {
    double volume;         ///< [m^3]
    double least_volume;   ///< of a tetrahedron; negative where one is inside out [m^3]
    CaromVec3 low, high;   ///< the box around it [m]
    CaromVec3 mass_centre; ///< of the volume, as if uniform [m]
} CaromSoftMeasure;

/// `nodes` replaces the nodes of the mesh, or NULL.
CAROM_API CaromSoftMeasure carom_soft_measure(const CaromSoftMesh *mesh, const CaromVec3 *nodes);

/// A named value for each node (point data) or tetrahedron (cell data) of a VTK file: one of three.
typedef struct CaromSoftField {
    const char *name;               ///< no blanks
    const CaromVec3 *node_vectors;  ///< one for each node, or NULL
    const CaromVec3 *origins;       ///< what the vectors are counted from, or NULL: from zero
    const double *node_scalars;     ///< one for each node, or NULL
    const double *tetrahedron_data; ///< one for each tetrahedron, or NULL
} CaromSoftField;

/// A legacy VTK file that ParaView opens; `nodes` replaces the nodes of the mesh, or NULL. Errors
/// are left to ferror.
CAROM_API void carom_soft_write_vtk(FILE *file, const char *title, const CaromSoftMesh *mesh,
                                    const CaromVec3 *nodes, int field_count,
                                    const CaromSoftField *fields);

// ---- The elastic object ----------------------------------------------------------------------

typedef struct CaromSoftMaterial {
    double young;            ///< Young's modulus [Pa], > 0
    double poisson;          ///< Poisson's ratio, in (-1, 0.5)
    double density;          ///< of the shape that is given [kg/m^3], >= 0
    double stiffness_factor; ///< multiplies the stiffness, default 1; 0.5 is the thesis' model
} CaromSoftMaterial;

CAROM_API CaromSoftMaterial carom_soft_material_default(void);

/// How a node is held.
typedef struct CaromSoftSupport {
    int node;
    bool slides;            ///< held along `normal` only, free to move across it
    CaromVec3 normal;       ///< unit, of a sliding node
    CaromVec3 displacement; ///< where it is moved to; of a sliding node its part along the normal
} CaromSoftSupport;

typedef struct CaromSoftProblem {
    const CaromSoftMesh *mesh; ///< borrowed for the life of the solver
    CaromSoftMaterial material;
    const double *masses; ///< of the tetrahedra [kg], or NULL: density times volume; copied
    int support_count;
    const CaromSoftSupport *supports; ///< at most one for a node; copied
} CaromSoftProblem;

/// What acts on the object.
typedef struct CaromSoftLoads {
    CaromVec3 gravity;       ///< [m/s^2]
    const CaromVec3 *forces; ///< one for each node [N], or NULL
} CaromSoftLoads;

/// Standard gravity downward, no forces.
CAROM_API CaromSoftLoads carom_soft_loads_default(void);
/// Add `total` to the forces of the selected nodes, in equal parts.
CAROM_API void carom_soft_add_force(const CaromSoftMesh *mesh, const bool *selected,
                                    CaromVec3 total, CaromVec3 *forces);
/// Add a force per area [Pa] on the faces whose nodes are all selected. Returns their area [m^2].
CAROM_API double carom_soft_add_traction(const CaromSoftMesh *mesh, const bool *selected,
                                         CaromVec3 traction, CaromVec3 *forces);
/// Add a pressure [Pa] against the surface of the same faces. Returns their area [m^2].
CAROM_API double carom_soft_add_pressure(const CaromSoftMesh *mesh, const bool *selected,
                                         double pressure, CaromVec3 *forces);

/// The solver of one object. Its stiffness matrix is ordered, assembled and factored once, when it
/// is created; every deformation after that costs two triangular solves.
typedef struct CaromSoft CaromSoft;

/// What can be said about a problem without solving anything: CAROM_BAD_DATA, explained to the
/// host's log, when a modulus is out of range or a piece of the object is not held.
CAROM_API CaromStatus carom_soft_check(const CaromSoftProblem *problem, const CaromHost *host);
/// Check, order, assemble and factor.
CAROM_API CaromStatus carom_soft_create(const CaromSoftProblem *problem, const CaromHost *host,
                                        CaromSoft **soft);
CAROM_API void carom_soft_destroy(CaromSoft *soft); // NULL is fine

/// Size and cost of a solver.
typedef struct CaromSoftSize {
    int unknowns;            ///< free components of the displacement
    double matrix_nonzeros;  ///< of the upper triangle of the stiffness matrix
    double factor_nonzeros;  ///< of its Cholesky factor
    double condition;        ///< a lower bound, from the diagonal of the factor
    double bytes;            ///< of the solver with its factor and what a recovery took
    double order_seconds;    ///< fill-reducing ordering and symbolic factorization
    double assemble_seconds; ///< of the stiffness matrix, the last time
    double factor_seconds;   ///< of the numbers, the last time
} CaromSoftSize;

CAROM_API CaromSoftSize carom_soft_size(const CaromSoft *soft);

// ---- Task: deform ----------------------------------------------------------------------------

/// Arrays point into the solver and live until its next call.
typedef struct CaromSoftDeformation {
    int node_count;
    const CaromVec3 *displacements; ///< [m]
    const CaromVec3 *reactions;     ///< of the supports on the nodes [N]; 0 where a node is free
    double displacement_norm;       ///< root of the sum of squares over all nodes [m]
    double strain_energy;           ///< [J]
    double residual;                ///< |K u - f| over |f|, unsupported directions only
    double force_error;             ///< sum of all forces over the sum of their magnitudes
    double moment_error;            ///< the same of their moments
    int inverted;                   ///< tetrahedra turned inside out: too much for linear theory
} CaromSoftDeformation;

/// The shape under the loads (NULL: the default ones): theory.md (9.7).
CAROM_API CaromStatus carom_soft_deform(CaromSoft *soft, const CaromSoftLoads *loads,
                                        CaromSoftDeformation *result);
/// Von Mises stress of each tetrahedron [Pa] when a shape (NULL: the given one) is displaced.
CAROM_API void carom_soft_von_mises(const CaromSoft *soft, const CaromVec3 *nodes,
                                    const CaromVec3 *displacements, double *stress);

// ---- Task: recover ---------------------------------------------------------------------------

#define CAROM_SOFT_METHOD_LIST(X)                                                                  \
    X(CAROM_SOFT_AUTO, "auto")               /* newton */                                          \
    X(CAROM_SOFT_FIXED_POINT, "fixed-point") /* Algorithm 9 of the thesis */                       \
    X(CAROM_SOFT_ANDERSON, "anderson")       /* the fixed point, accelerated */                    \
    X(CAROM_SOFT_NEWTON, "newton")           /* with Krylov solves, one factorization in all */

typedef enum CaromSoftMethod {
#define CAROM_SOFT_METHOD_ENTRY(code, text) code,
    CAROM_SOFT_METHOD_LIST(CAROM_SOFT_METHOD_ENTRY)
#undef CAROM_SOFT_METHOD_ENTRY
} CaromSoftMethod;

CAROM_API const char *carom_soft_method_text(CaromSoftMethod value);

#define CAROM_SOFT_OUTCOME_LIST(X)                                                                 \
    X(CAROM_SOFT_CONVERGED, "converged")                                                           \
    X(CAROM_SOFT_MAX_ITERATIONS, "max-iterations") /* stopped at the limit of iterations */        \
    X(CAROM_SOFT_DIVERGED, "diverged")             /* the shape turned inside out or blew up */    \
    X(CAROM_SOFT_STALLED, "stalled")               /* no step makes the residual smaller */        \
    X(CAROM_SOFT_INACCURATE, "inaccurate")         /* a deformation that is no shape */

typedef enum CaromSoftOutcome {
#define CAROM_SOFT_OUTCOME_ENTRY(code, text) code,
    CAROM_SOFT_OUTCOME_LIST(CAROM_SOFT_OUTCOME_ENTRY)
#undef CAROM_SOFT_OUTCOME_ENTRY
} CaromSoftOutcome;

CAROM_API const char *carom_soft_outcome_text(CaromSoftOutcome value);

typedef struct CaromSoftOptions {
    size_t size;            ///< of the struct in the header that the caller knows; 0: of this one
    CaromSoftMethod method; ///< default auto
    double damping;         ///< r of the thesis, in (0, 1], default 1; not used by newton
    double tolerance;       ///< ends on a step below this part of the displacement; default 1e-10
    double step_tolerance;  ///< ... or below this length over all nodes [m]; default 0
    int max_iterations;     ///< default 200
} CaromSoftOptions;

CAROM_API CaromSoftOptions carom_soft_options_default(void);

/// One iteration of a recovery.
typedef struct CaromSoftIteration {
    double displacement_norm; ///< after it [m]
    double step;              ///< norm of the change [m]
    double residual;          ///< before it: |K(D) D - f| over |f|
    double contraction;       ///< thesis (6.61), where it was computed, else NAN
    int krylov;               ///< linear solves within it
} CaromSoftIteration;

/// The contraction of the fixed point near its solution: theory.md (9.14). NAN where it was not
/// computed.
typedef struct CaromSoftContraction {
    double lowest, highest; ///< ends of the spectrum of the undamped iteration, real parts
    double imaginary;       ///< the largest imaginary part there
    double rate;            ///< with the damping that was used: below 1 it converges
    double best_damping;    ///< in (0, 1]; NAN if none helps
    double best_rate;       ///< with that
} CaromSoftContraction;

/// Arrays point into the solver and live until its next call.
typedef struct CaromSoftRecovery {
    CaromSoftOutcome outcome;
    CaromSoftMethod method; ///< the one that was used
    int node_count;
    const CaromVec3 *nodes;         ///< of the shape without loads [m]
    const CaromVec3 *displacements; ///< from there to the given shape [m]
    const CaromVec3 *reactions;     ///< of the supports on the given shape [N]
    double displacement_norm;       ///< root of the sum of squares over all nodes [m]
    double residual;                ///< |K(D) D - f| over |f|
    double forward_error; ///< the loads on the recovered shape: largest distance from the given [m]
    int iterations;
    int factorizations; ///< of the stiffness matrix, beyond the one of the given shape
    int krylov;         ///< linear solves
    const CaromSoftIteration *history; ///< one for each iteration
    CaromSoftContraction contraction;
} CaromSoftRecovery;

/// The shape that the loads turn into the given one: theory.md (9.9). The supports hold it where it
/// is. The first call takes memory for all; each takes that of its history. `options` may be NULL.
CAROM_API CaromStatus carom_soft_recover(CaromSoft *soft, const CaromSoftLoads *loads,
                                         const CaromSoftOptions *options,
                                         CaromSoftRecovery *result);

// ---- Task: flip ------------------------------------------------------------------------------

/// A shape that was turned over, and laid on what was its upper side.
typedef struct CaromSoftFlipped {
    const CaromVec3 *nodes;           ///< turned by pi about x, standing on z = 0 [m]
    CaromSoftDeformation deformation; ///< before it was turned: gravity points up
} CaromSoftFlipped;

typedef struct CaromSoftFlip {
    CaromSoftRecovery recovery;
    CaromSoftFlipped recovered; ///< predicted from the gravity-free shape
    CaromSoftFlipped observed;  ///< predicted as if the given shape were free of gravity
} CaromSoftFlip;

/// Recover the gravity-free shape of `soft`, turn it over so that the nodes of `lies` stick to the
/// table, and predict its shape; beside it the prediction without recovery. Only gravity acts.
CAROM_API CaromStatus carom_soft_flip_create(CaromSoft *soft, CaromVec3 gravity, const bool *lies,
                                             const CaromSoftOptions *options, CaromSoftFlip **flip);
CAROM_API void carom_soft_flip_destroy(CaromSoftFlip *flip); // NULL is fine

#ifdef __cplusplus
}
#endif
