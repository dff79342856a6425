// SPDX-License-Identifier: Apache-2.0
// Meshes that are made layer by layer: boxes and solids of revolution.
#include "soft/generate.h"

#include "base/host.h"
#include "base/vec.h"

#include <string.h>

static const double third_turn = 1.0471975511965977462; // pi / 3

// ---- What generators share -------------------------------------------------------------------

CaromStatus carom_grid_create(CaromGrid *grid, const CaromHost *host, double node_count,
                              double tetrahedron_count) {
    *grid = (CaromGrid){.host = host};
    if (!(node_count <= CAROM_SOFT_MAX_NODES) ||
        !(tetrahedron_count <= CAROM_SOFT_MAX_TETRAHEDRA)) {
        carom_log(host, "%.3g nodes and %.3g tetrahedra, the limits are %d and %d", node_count,
                  tetrahedron_count, CAROM_SOFT_MAX_NODES, CAROM_SOFT_MAX_TETRAHEDRA);
        return CAROM_OVER_LIMIT;
    }
    grid->nodes = carom_allocate(host, sizeof *grid->nodes * (size_t)node_count);
    grid->tetrahedra = carom_allocate(host, sizeof *grid->tetrahedra * (size_t)tetrahedron_count);
    if (!grid->nodes || !grid->tetrahedra) {
        return carom_grid_finish(grid, CAROM_NO_MEMORY, NULL);
    }
    return CAROM_OK;
}

void carom_grid_add(CaromGrid *grid, int a, int b, int c, int d) {
    int *corner = grid->tetrahedra[grid->tetrahedron_count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    corner[3] = d;
    // The splittings below do not care how they turn; the mesh does.
    if (carom_six_volumes(grid->nodes, corner) < 0) {
        corner[0] = b;
        corner[1] = a;
    }
}

CaromStatus carom_grid_finish(CaromGrid *grid, CaromStatus status, CaromSoftMesh **mesh) {
    if (status == CAROM_OK) {
        status = carom_soft_mesh_create(grid->node_count, grid->nodes, grid->tetrahedron_count,
                                        (const int(*)[4])grid->tetrahedra, grid->host, mesh);
    }
    carom_release(grid->host, grid->tetrahedra);
    carom_release(grid->host, grid->nodes);
    return status;
}

CaromStatus carom_check_sizes(const CaromHost *host, int count, const char *const *names,
                              const double *sizes) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < count; i++) {
        if (!(sizes[i] > 0) || !isfinite(sizes[i])) {
            carom_log(host, "%s: must be > 0, got %g", names[i], sizes[i]);
            status = CAROM_BAD_DATA;
        }
    }
    return status;
}

CaromStatus carom_check_resolution(const CaromHost *host, int resolution) {
    if (resolution < 1) {
        carom_log(host, "resolution: must be >= 1, got %d", resolution);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

// ---- Boxes -----------------------------------------------------------------------------------

/// A cell along the diagonal from corner 0 to corner 7: six tetrahedra, one for each order in which
/// the three directions can be walked. Neighbours split their common face alike.
static void split_cell(CaromGrid *grid, int first, const int stride[3]) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < 6; i++) {
        int b = first + stride[orders[i][0]], c = b + stride[orders[i][1]];
        carom_grid_add(grid, first, b, c, c + stride[orders[i][2]]);
    }
}

static void fill_box(CaromGrid *grid, CaromVec3 edges, const int cells[3]) {
    for (int k = 0; k <= cells[2]; k++) {
        for (int j = 0; j <= cells[1]; j++) {
            for (int i = 0; i <= cells[0]; i++) {
                grid->nodes[grid->node_count++] =
                    v3(edges.x * ((double)i / cells[0] - 0.5),
                       edges.y * ((double)j / cells[1] - 0.5), edges.z * k / cells[2]);
            }
        }
    }
    const int stride[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
    for (int k = 0; k < cells[2]; k++) {
        for (int j = 0; j < cells[1]; j++) {
            for (int i = 0; i < cells[0]; i++) {
                split_cell(grid, i * stride[0] + j * stride[1] + k * stride[2], stride);
            }
        }
    }
}

CaromStatus carom_soft_mesh_box(CaromVec3 edges, int resolution, const CaromHost *host,
                                CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, mesh);
    static const char *const names[3] = {"box", "box", "box"};
    const double length[3] = {edges.x, edges.y, edges.z};
    CaromStatus status = carom_check_sizes(host, 3, names, length);
    if (status == CAROM_OK) {
        status = carom_check_resolution(host, resolution);
    }
    if (status != CAROM_OK) {
        return status;
    }
    double shortest = fmin(edges.x, fmin(edges.y, edges.z)), tetrahedra = 6, nodes = 1, count[3];
    for (int i = 0; i < 3; i++) {
        count[i] = fmax(1, round(resolution * length[i] / shortest));
        tetrahedra *= count[i];
        nodes *= count[i] + 1;
    }
    CaromGrid grid;
    status = carom_grid_create(&grid, host, nodes, tetrahedra);
    if (status != CAROM_OK) {
        return status;
    }
    fill_box(&grid, edges, (const int[3]){(int)count[0], (int)count[1], (int)count[2]});
    return carom_grid_finish(&grid, CAROM_OK, mesh);
}

// ---- Solids of revolution --------------------------------------------------------------------

/// Node `i` of ring k, which has 6 k of them; ring 0 is the centre.
static int ring_node(int k, int i) {
    return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k);
}

/// The prism over a triangle of the disk, between two layers: three tetrahedra. Walking its nodes
/// in the order of their numbers makes neighbours agree on the diagonals.
static void split_prism(CaromGrid *grid, int below, int above, int a, int b, int c) {
    int node[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            if (node[i] < node[j]) {
                int swap = node[i];
                node[i] = node[j];
                node[j] = swap;
            }
        }
    }
    carom_grid_add(grid, below + node[0], below + node[1], below + node[2], above + node[2]);
    carom_grid_add(grid, below + node[0], below + node[1], above + node[1], above + node[2]);
    carom_grid_add(grid, below + node[0], above + node[0], above + node[1], above + node[2]);
}

/// A disk of rings, six sectors each; the layer of prisms on it.
static void fill_layer(CaromGrid *grid, int rings, int below, int above) {
    for (int k = 1; k <= rings; k++) {
        for (int i = 0; i < 6 * k; i++) {
            int sector = i / k, inner = sector * (k - 1) + i % k;
            split_prism(grid, below, above, ring_node(k - 1, inner), ring_node(k, i),
                        ring_node(k, i + 1));
            if (i % k < k - 1) {
                split_prism(grid, below, above, ring_node(k - 1, inner), ring_node(k, i + 1),
                            ring_node(k - 1, inner + 1));
            }
        }
    }
}

static void fill_turned(CaromGrid *grid, const CaromSoftSurface *solid, int rings, int layers) {
    int per_layer = ring_node(rings + 1, 0);
    for (int layer = 0; layer <= layers; layer++) {
        double s = (double)layer / layers, radius = carom_soft_surface_radius(solid, s);
        for (int k = 0; k <= rings; k++) {
            for (int i = 0; i < (k == 0 ? 1 : 6 * k); i++) {
                double angle = k == 0 ? 0 : third_turn * i / k, r = radius * k / rings;
                grid->nodes[grid->node_count++] =
                    v3(r * cos(angle), r * sin(angle), solid->height * s);
            }
        }
    }
    for (int layer = 0; layer < layers; layer++) {
        fill_layer(grid, rings, layer * per_layer, (layer + 1) * per_layer);
    }
}

/// Layers about as high as the rings are wide.
static CaromStatus turn(const CaromSoftSurface *solid, int rings, const CaromHost *host,
                        CaromSoftMesh **mesh) {
    CaromStatus status = carom_check_resolution(host, rings);
    if (status != CAROM_OK) {
        return status;
    }
    double mean = (solid->bottom + 4 * solid->middle + solid->top) / 6, n = rings;
    double layers = fmax(1, round(solid->height / mean * n));
    CaromGrid grid;
    status =
        carom_grid_create(&grid, host, (3 * n * (n + 1) + 1) * (layers + 1), 18 * n * n * layers);
    if (status != CAROM_OK) {
        return status;
    }
    fill_turned(&grid, solid, rings, (int)layers);
    status = carom_grid_finish(&grid, CAROM_OK, mesh);
    if (status == CAROM_OK) {
        carom_soft_set_solid(*mesh, solid);
    }
    return status;
}

CaromStatus carom_soft_mesh_frustum(double height, double bottom_diameter, double top_diameter,
                                    int resolution, const CaromHost *host, CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, mesh);
    static const char *const names[3] = {"height", "bottom_diameter", "top_diameter"};
    const double sizes[3] = {height, bottom_diameter, top_diameter};
    CaromSoftSurface solid = {.kind = CAROM_SOLID_TURNED,
                              .height = height,
                              .bottom = bottom_diameter / 2,
                              .middle = (bottom_diameter + top_diameter) / 4,
                              .top = top_diameter / 2};
    CaromStatus status = carom_check_sizes(host, 3, names, sizes);
    return status == CAROM_OK ? turn(&solid, resolution, host, mesh) : status;
}

CaromStatus carom_soft_mesh_barrel(double height, double end_diameter, double middle_diameter,
                                   int resolution, const CaromHost *host, CaromSoftMesh **mesh) {
    CAROM_REQUIRE(host, mesh);
    static const char *const names[3] = {"height", "end_diameter", "middle_diameter"};
    const double sizes[3] = {height, end_diameter, middle_diameter};
    CaromSoftSurface solid = {.kind = CAROM_SOLID_TURNED,
                              .height = height,
                              .bottom = end_diameter / 2,
                              .middle = middle_diameter / 2,
                              .top = end_diameter / 2};
    CaromStatus status = carom_check_sizes(host, 3, names, sizes);
    return status == CAROM_OK ? turn(&solid, resolution, host, mesh) : status;
}
