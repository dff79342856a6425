// SPDX-License-Identifier: Apache-2.0
// What the generators of meshes share.
#pragma once
#include "soft/mesh.h"

/// Nodes and tetrahedra while they are made.
typedef struct CaromGrid {
    const CaromHost *host;
    int node_count, tetrahedron_count;
    CaromVec3 *nodes;
    int (*tetrahedra)[4];
} CaromGrid;

/// Memory for as many; CAROM_OVER_LIMIT or CAROM_NO_MEMORY with nothing to free.
CaromStatus carom_grid_create(CaromGrid *grid, const CaromHost *host, double node_count,
                              double tetrahedron_count);
void carom_grid_add(CaromGrid *grid, int a, int b, int c, int d);
/// Build the mesh if `status` is CAROM_OK, and free the grid.
CaromStatus carom_grid_finish(CaromGrid *grid, CaromStatus status, CaromSoftMesh **mesh);

/// Complain about each size that is not positive and finite; `CAROM_BAD_DATA` then.
CaromStatus carom_check_sizes(const CaromHost *host, int count, const char *const *names,
                              const double *sizes);
CaromStatus carom_check_resolution(const CaromHost *host, int resolution);
