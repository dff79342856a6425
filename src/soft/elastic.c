// SPDX-License-Identifier: Apache-2.0
// An elastic object: unknowns, forces, stiffness matrix.
#include "soft/elastic.h"

#include "base/host.h"
#include "soft/field.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int free_count(const CaromElastic *elastic, int node) {
    return elastic->first[node + 1] - elastic->first[node];
}

// ---- Unknowns --------------------------------------------------------------------------------

/// Two directions across a unit normal, and the normal.
static void slide_axes(CaromVec3 normal, CaromVec3 axes[3]) {
    CaromVec3 aside = fabs(normal.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    CaromVec3 across = v3_cross(normal, aside);
    axes[0] = v3_scale(1 / v3_norm(across), across);
    axes[1] = v3_cross(normal, axes[0]);
    axes[2] = normal;
}

static void hold(CaromElastic *elastic, int support_count, const CaromSoftSupport *supports) {
    int count = elastic->mesh->node_count, sliders = 0;
    for (int i = 0; i < count; i++) {
        elastic->slider[i] = -1;
        elastic->first[i + 1] = 3;
    }
    for (int s = 0; s < support_count; s++) {
        int node = supports[s].node;
        elastic->first[node + 1] = supports[s].slides ? 2 : 0;
        if (supports[s].slides) {
            slide_axes(supports[s].normal, elastic->axes[sliders]);
            elastic->slider[node] = sliders++;
        }
    }
    elastic->first[0] = 0;
    for (int i = 0; i < count; i++) {
        elastic->first[i + 1] += elastic->first[i];
    }
}

void carom_elastic_keep_held(const CaromElastic *elastic, CaromVec3 *field) {
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        if (free_count(elastic, i) == 3) {
            field[i] = v3(0, 0, 0);
        } else if (elastic->slider[i] >= 0) {
            CaromVec3 normal = elastic->axes[elastic->slider[i]][2];
            field[i] = v3_scale(v3_dot(normal, field[i]), normal);
        }
    }
}

void carom_elastic_keep_free(const CaromElastic *elastic, CaromVec3 *field) {
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        if (elastic->slider[i] >= 0) {
            CaromVec3 normal = elastic->axes[elastic->slider[i]][2];
            field[i] = v3_axpy(-v3_dot(normal, field[i]), normal, field[i]);
        } else if (free_count(elastic, i) == 0) {
            field[i] = v3(0, 0, 0);
        }
    }
}

/// The unknowns of a field.
static void gather(const CaromElastic *elastic, const CaromVec3 *field, double *x) {
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        double *at = x + elastic->first[i];
        if (elastic->slider[i] >= 0) {
            const CaromVec3 *axes = elastic->axes[elastic->slider[i]];
            at[0] = v3_dot(axes[0], field[i]);
            at[1] = v3_dot(axes[1], field[i]);
        } else if (free_count(elastic, i) == 3) {
            at[0] = field[i].x;
            at[1] = field[i].y;
            at[2] = field[i].z;
        }
    }
}

static void spread(const CaromElastic *elastic, const double *x, CaromVec3 *field) {
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        const double *at = x + elastic->first[i];
        if (elastic->slider[i] >= 0) {
            const CaromVec3 *axes = elastic->axes[elastic->slider[i]];
            field[i] = v3_axpy(at[1], axes[1], v3_scale(at[0], axes[0]));
        } else if (free_count(elastic, i) == 3) {
            field[i] = v3(at[0], at[1], at[2]);
        } else {
            field[i] = v3(0, 0, 0);
        }
    }
}

// ---- The pattern -----------------------------------------------------------------------------

/// The lower-numbered neighbours of each node, ascending, with the row at which their blocks start
/// in the columns of the node.
typedef struct Neighbours {
    int *starts; ///< node_count + 1
    int *nodes;
    int *places;
} Neighbours;

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/// Every pair of a tetrahedron once, under its higher node; then each list sorted and made unique.
static void find_neighbours(const CaromElastic *elastic, Neighbours *lists) {
    const CaromSoftMesh *mesh = elastic->mesh;
    int count = mesh->node_count;
    memset(lists->starts, 0, sizeof *lists->starts * ((size_t)count + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < mesh->tetrahedron_count; t++) {
            for (int i = 0; i < 16; i++) {
                int low = mesh->tetrahedra[t][i / 4], high = mesh->tetrahedra[t][i % 4];
                if (low < high && pass == 0) {
                    lists->starts[high + 1]++;
                } else if (low < high) {
                    lists->nodes[--lists->starts[high + 1]] = low;
                }
            }
        }
        for (int i = 0; i < count && pass == 0; i++) {
            lists->starts[i + 1] += lists->starts[i];
        }
    }
    // Filling left each start one place late.
    int pairs = 6 * mesh->tetrahedron_count, kept = 0;
    for (int i = 0; i < count; i++) {
        int from = lists->starts[i + 1], to = i + 1 < count ? lists->starts[i + 2] : pairs;
        qsort(lists->nodes + from, (size_t)(to - from), sizeof *lists->nodes, compare_ints);
        lists->starts[i] = kept;
        for (int j = from, row = 0; j < to; j++) {
            if (j == from || lists->nodes[j] != lists->nodes[kept - 1]) {
                lists->places[kept] = row;
                row += free_count(elastic, lists->nodes[j]);
                lists->nodes[kept++] = lists->nodes[j];
            }
        }
    }
    lists->starts[count] = kept;
}

/// Rows of the off-diagonal blocks in a column of node i.
static int rows_above(const CaromElastic *elastic, const Neighbours *lists, int i) {
    int last = lists->starts[i + 1] - 1;
    return last < lists->starts[i] ? 0
                                   : lists->places[last] + free_count(elastic, lists->nodes[last]);
}

static void start_columns(CaromElastic *elastic, const Neighbours *lists) {
    int column = 0, *starts = elastic->matrix.starts;
    starts[0] = 0;
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        for (int c = 0; c < free_count(elastic, i); c++, column++) {
            starts[column + 1] = starts[column] + rows_above(elastic, lists, i) + c + 1;
        }
    }
}

static void fill_rows(CaromElastic *elastic, const Neighbours *lists) {
    int *row = elastic->matrix.rows;
    for (int i = 0; i < elastic->mesh->node_count; i++) {
        for (int c = 0; c < free_count(elastic, i); c++) {
            for (int j = lists->starts[i]; j < lists->starts[i + 1]; j++) {
                int other = lists->nodes[j];
                for (int r = elastic->first[other]; r < elastic->first[other + 1]; r++) {
                    *row++ = r;
                }
            }
            for (int r = 0; r <= c; r++) {
                *row++ = elastic->first[i] + r;
            }
        }
    }
}

static const int pair_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static void find_places(CaromElastic *elastic, const Neighbours *lists) {
    for (int t = 0; t < elastic->mesh->tetrahedron_count; t++) {
        const int *corner = elastic->mesh->tetrahedra[t];
        for (int p = 0; p < 6; p++) {
            int a = corner[pair_of[p][0]], b = corner[pair_of[p][1]];
            int low = a < b ? a : b, high = a < b ? b : a;
            const int *list = lists->nodes + lists->starts[high];
            size_t length = (size_t)(lists->starts[high + 1] - lists->starts[high]);
            const int *found = bsearch(&low, list, length, sizeof low, compare_ints);
            elastic->places[t][p] = lists->places[found - lists->nodes];
        }
    }
}

// ---- Assembly --------------------------------------------------------------------------------

/// The directions in which a node is free.
static int free_axes(const CaromElastic *elastic, int node, CaromVec3 axes[3]) {
    if (elastic->slider[node] >= 0) {
        memcpy(axes, elastic->axes[elastic->slider[node]], 2 * sizeof *axes);
        return 2;
    }
    axes[0] = v3(1, 0, 0);
    axes[1] = v3(0, 1, 0);
    axes[2] = v3(0, 0, 1);
    return free_count(elastic, node);
}

/// A block in the directions in which its nodes are free.
static CaromMat3 turn_block(const CaromElastic *elastic, int row_node, int column_node,
                            const CaromMat3 *block) {
    CaromVec3 rows[3], columns[3];
    int row_count = free_axes(elastic, row_node, rows);
    int column_count = free_axes(elastic, column_node, columns);
    CaromMat3 turned = {{{0}}};
    for (int c = 0; c < column_count; c++) {
        CaromVec3 image = m3_mul(block, columns[c]);
        for (int r = 0; r < row_count; r++) {
            turned.m[r][c] = v3_dot(rows[r], image);
        }
    }
    return turned;
}

/// Add the block of two nodes, the lower one in the rows, which starts at `place` in its columns.
static void add_block(CaromElastic *elastic, int row_node, int column_node, int place,
                      CaromMat3 block) {
    int row_count = free_count(elastic, row_node), column_count = free_count(elastic, column_node);
    if (elastic->slider[row_node] >= 0 || elastic->slider[column_node] >= 0) {
        block = turn_block(elastic, row_node, column_node, &block);
    }
    for (int c = 0; c < column_count; c++) {
        int column = elastic->first[column_node] + c;
        double *value = elastic->matrix.values + elastic->matrix.starts[column] + place;
        for (int r = 0; r < row_count; r++) {
            value[r] += block.m[r][c];
        }
    }
}

/// Add the upper triangle of a node's own block, the end of its columns.
static void add_diagonal(CaromElastic *elastic, int node, CaromMat3 block) {
    if (elastic->slider[node] >= 0) {
        block = turn_block(elastic, node, node, &block);
    }
    for (int c = 0; c < free_count(elastic, node); c++) {
        int end = elastic->matrix.starts[elastic->first[node] + c + 1];
        for (int r = 0; r <= c; r++) {
            elastic->matrix.values[end - 1 - c + r] += block.m[r][c];
        }
    }
}

/// Theory.md (9.5), summed over the tetrahedra.
static void assemble(CaromElastic *elastic, const CaromElement *elements) {
    const CaromSoftMesh *mesh = elastic->mesh;
    int nonzeros = elastic->matrix.starts[elastic->matrix.size];
    memset(elastic->matrix.values, 0, sizeof(double) * (size_t)nonzeros);
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int *corner = mesh->tetrahedra[t];
        for (int a = 0; a < 4; a++) {
            add_diagonal(elastic, corner[a],
                         carom_element_block(&elements[t], elastic->lame, a, a));
        }
        for (int p = 0; p < 6; p++) {
            int a = pair_of[p][0], b = pair_of[p][1];
            int row = corner[a] < corner[b] ? a : b, column = a + b - row;
            add_block(elastic, corner[row], corner[column], elastic->places[t][p],
                      carom_element_block(&elements[t], elastic->lame, row, column));
        }
    }
}

/// CHOLMOD counts the entries of a factor in an int.
static CaromStatus tell_limit(const CaromElastic *elastic, CaromStatus status) {
    if (status == CAROM_OVER_LIMIT) {
        carom_log(&elastic->host,
                  "mesh: %d nodes and %d tetrahedra are too many to factor: the factor of their "
                  "stiffness, %d unknowns, would have more than %d entries",
                  elastic->mesh->node_count, elastic->mesh->tetrahedron_count, elastic->matrix.size,
                  INT_MAX);
    }
    return status;
}

CaromStatus carom_elastic_factor(CaromElastic *elastic, const CaromElement *elements) {
    if (!elastic->factor) {
        return CAROM_OK; // every node is held
    }
    double start = seconds();
    assemble(elastic, elements);
    double assembled = seconds();
    CaromStatus status = carom_factor_numbers(elastic->factor);
    elastic->assemble_seconds = assembled - start;
    elastic->factor_seconds = seconds() - assembled;
    return tell_limit(elastic, status);
}

void carom_elastic_solve(CaromElastic *elastic, const CaromVec3 *f, CaromVec3 *u) {
    if (elastic->factor) {
        gather(elastic, f, elastic->b);
        carom_factor_solve(elastic->factor, elastic->b, elastic->x);
    }
    spread(elastic, elastic->x, u);
}

// ---- Forces ----------------------------------------------------------------------------------

double carom_elastic_shape(const CaromElastic *elastic, const CaromVec3 *nodes,
                           CaromElement *elements) {
    double least = HUGE_VAL;
    for (int t = 0; t < elastic->mesh->tetrahedron_count; t++) {
        elements[t] = carom_element(nodes, elastic->mesh->tetrahedra[t]);
        least = fmin(least, elements[t].volume);
    }
    return least;
}

void carom_elastic_forces(const CaromElastic *elastic, const CaromElement *elements,
                          const CaromVec3 *u, CaromVec3 *f) {
    field_zero(elastic->mesh->node_count, f);
    for (int t = 0; t < elastic->mesh->tetrahedron_count; t++) {
        const int *corner = elastic->mesh->tetrahedra[t];
        CaromMat3 h = carom_element_gradient(&elements[t], u, corner);
        CaromMat3 stress = carom_stress(elastic->lame, &h);
        carom_element_push(&elements[t], &stress, corner, f);
    }
}

void carom_elastic_turn(const CaromElastic *elastic, const CaromElement *elements,
                        const CaromVec3 *u, const CaromVec3 *x, CaromVec3 *f) {
    field_zero(elastic->mesh->node_count, f);
    for (int t = 0; t < elastic->mesh->tetrahedron_count; t++) {
        const int *corner = elastic->mesh->tetrahedra[t];
        CaromMat3 h = carom_element_gradient(&elements[t], u, corner);
        CaromMat3 l = carom_element_gradient(&elements[t], x, corner);
        CaromMat3 s = carom_element_turn(elastic->lame, &h, &l);
        carom_element_push(&elements[t], &s, corner, f);
    }
}

// ---- Memory ----------------------------------------------------------------------------------

static int count_sliders(int support_count, const CaromSoftSupport *supports) {
    int count = 0;
    for (int i = 0; i < support_count; i++) {
        count += supports[i].slides;
    }
    return count;
}

/// Take an array; false without memory.
static bool take(const CaromHost *host, void *pointer, double count, size_t size) {
    void *memory = carom_allocate(host, (size_t)fmax(count, 1) * size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}

static CaromStatus make_pattern(CaromElastic *elastic, Neighbours *lists) {
    const CaromHost *host = &elastic->host;
    double nodes = elastic->mesh->node_count, tetrahedra = elastic->mesh->tetrahedron_count;
    CaromColumns *matrix = &elastic->matrix;
    matrix->size = elastic->first[elastic->mesh->node_count];
    if (!take(host, &lists->starts, nodes + 1, sizeof(int)) ||
        !take(host, &lists->nodes, 6 * tetrahedra, sizeof(int)) ||
        !take(host, &lists->places, 6 * tetrahedra, sizeof(int)) ||
        !take(host, &matrix->starts, matrix->size + 1.0, sizeof(int)) ||
        !take(host, &elastic->places, tetrahedra, sizeof *elastic->places) ||
        !take(host, &elastic->b, matrix->size, sizeof(double)) ||
        !take(host, &elastic->x, matrix->size, sizeof(double))) {
        return CAROM_NO_MEMORY;
    }
    find_neighbours(elastic, lists);
    start_columns(elastic, lists);
    double nonzeros = matrix->starts[matrix->size];
    if (!take(host, &matrix->rows, nonzeros, sizeof(int)) ||
        !take(host, &matrix->values, nonzeros, sizeof(double))) {
        return CAROM_NO_MEMORY;
    }
    memset(matrix->values, 0, sizeof(double) * (size_t)nonzeros);
    fill_rows(elastic, lists);
    find_places(elastic, lists);
    return CAROM_OK;
}

CaromStatus carom_elastic_create(CaromElastic *elastic, const CaromHost *host,
                                 const CaromSoftMesh *mesh, CaromLame lame, int support_count,
                                 const CaromSoftSupport *supports) {
    *elastic = (CaromElastic){.host = *host, .mesh = mesh, .lame = lame};
    double start = seconds(), nodes = mesh->node_count;
    Neighbours lists = {0};
    CaromStatus status = CAROM_NO_MEMORY;
    if (take(host, &elastic->first, nodes + 1, sizeof(int)) &&
        take(host, &elastic->slider, nodes, sizeof(int)) &&
        take(host, &elastic->axes, count_sliders(support_count, supports), sizeof *elastic->axes)) {
        hold(elastic, support_count, supports);
        status = make_pattern(elastic, &lists);
    }
    carom_release(host, lists.starts);
    carom_release(host, lists.nodes);
    carom_release(host, lists.places);
    if (status == CAROM_OK && elastic->matrix.size > 0) {
        status = carom_factor_create(host, &elastic->matrix, &elastic->factor);
        status = tell_limit(elastic, status);
    }
    if (status != CAROM_OK) {
        carom_elastic_destroy(elastic);
    }
    elastic->order_seconds = seconds() - start;
    return status;
}

void carom_elastic_destroy(CaromElastic *elastic) {
    const CaromHost host = elastic->host;
    carom_factor_destroy(&host, elastic->factor);
    carom_release(&host, elastic->first);
    carom_release(&host, elastic->slider);
    carom_release(&host, elastic->axes);
    carom_release(&host, elastic->matrix.starts);
    carom_release(&host, elastic->matrix.rows);
    carom_release(&host, elastic->matrix.values);
    carom_release(&host, elastic->places);
    carom_release(&host, elastic->b);
    carom_release(&host, elastic->x);
    *elastic = (CaromElastic){.host = host};
}

double carom_elastic_bytes(const CaromElastic *elastic) {
    double nodes = elastic->mesh->node_count, tetrahedra = elastic->mesh->tetrahedron_count;
    double size = elastic->matrix.size, nonzeros = elastic->matrix.starts[elastic->matrix.size];
    double factor = elastic->factor ? carom_factor_size(elastic->factor).bytes : 0;
    return factor + sizeof(int) * (2 * nodes + size + nonzeros + 6 * tetrahedra) +
           sizeof(double) * (nonzeros + 2 * size);
}
