// SPDX-License-Identifier: Apache-2.0
// How meshes are built: every reader and generator hands its nodes and tetrahedra to one check.
#pragma once
#include "carom/soft.h"

/// Nodes and tetrahedra as they were read, not yet trusted.
typedef struct CaromMeshSource {
    int node_count;
    const CaromVec3 *nodes;
    int tetrahedron_count;
    const int (*tetrahedra)[4];
    // Where they were read, for messages; NULL without a file.
    const int *node_lines;
    const int *tetrahedron_lines;
    const char *node_label, *tetrahedron_label; ///< of their files, before "line 3: ..."
} CaromMeshSource;

/// A sound mesh, or CAROM_BAD_DATA with messages that name the line or the number.
CaromStatus carom_mesh_build(const CaromMeshSource *source, const CaromHost *host,
                             CaromSoftMesh **mesh);

/// Six times the volume of a tetrahedron, signed.
double carom_six_volumes(const CaromVec3 *nodes, const int tetrahedron[4]);

// ---- Solids ----------------------------------------------------------------------------------

/// The round surface that the nodes of a generated mesh lie on, so that new ones can do so, too.
typedef struct CaromSoftSurface {
    enum { CAROM_SOLID_ELLIPSOID, CAROM_SOLID_TURNED } kind;
    CaromVec3 centre, axes;             ///< of an ellipsoid
    double height, bottom, middle, top; ///< of a solid of revolution: radii of a parabola
} CaromSoftSurface;

/// Make the solid that of a new mesh; NULL: it has none.
void carom_soft_set_solid(CaromSoftMesh *mesh, const CaromSoftSurface *solid);
/// Whether a place lies on the round surface, but for rounding. NULL has none.
bool carom_soft_surface_has(const CaromSoftSurface *solid, CaromVec3 place);
/// The place on the round surface outward or inward of a place near it.
CaromVec3 carom_soft_surface_project(const CaromSoftSurface *solid, CaromVec3 place);
/// Radius of a solid of revolution at the share `s` of its height.
double carom_soft_surface_radius(const CaromSoftSurface *solid, double s);
