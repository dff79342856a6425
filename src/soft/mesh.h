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
