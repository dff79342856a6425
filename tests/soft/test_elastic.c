// SPDX-License-Identifier: Apache-2.0
// Linear elasticity: strain energy, rigid motions, patch tests, the matrix against dense algebra,
// and the change of forces with the shape against differences.
#include "base/dense.h"
#include "soft/elastic.h"
#include "soft/field.h"
#include "soft_fixture.h"

static const CaromHost silent = {0};

static CaromLame lame_of(double young, double poisson) {
    return (CaromLame){young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                       young / (2 * (1 + poisson))};
}

/// An elastic object with its elements, held at the nodes with z = 0.
typedef struct Object {
    CaromSoftMesh *mesh;
    CaromElastic elastic;
    CaromElement *elements;
    int supports;
} Object;

static Object make_object(CaromSoftMesh *mesh, CaromLame lame) {
    Object object = {.mesh = mesh};
    bool *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &object.supports);
    CHECK(carom_elastic_create(&object.elastic, &silent, mesh, lame, object.supports, supports) ==
          CAROM_OK);
    object.elements = malloc(sizeof *object.elements * (size_t)mesh->tetrahedron_count);
    CHECK(carom_elastic_shape(&object.elastic, mesh->nodes, object.elements) > 0);
    free(supports);
    free(bottom);
    return object;
}

static void free_object(Object *object) {
    carom_elastic_destroy(&object->elastic);
    free(object->elements);
    carom_soft_mesh_destroy(object->mesh);
}

static CaromVec3 *random_field(const CaromSoftMesh *mesh, Random *random) {
    CaromVec3 *field = calloc((size_t)mesh->node_count, sizeof *field);
    for (int i = 0; i < mesh->node_count; i++) {
        field[i] = random_vector(random, 1);
    }
    return field;
}

static CaromVec3 *empty_field(const CaromSoftMesh *mesh) {
    return calloc((size_t)mesh->node_count, sizeof(CaromVec3));
}

// ---- Forces ----------------------------------------------------------------------------------

// Half of u . K u is the strain energy density of [Wang2017, (A.8)], written out in strains, times
// the volume.
TEST(strain_energy) {
    Random random = {11};
    const double young = 3000, poisson = 0.37;
    Object object = make_object(shaken_box(v3(1, 1, 1), 2, 0.2, 3), lame_of(young, poisson));
    CaromVec3 *u = random_field(object.mesh, &random), *f = empty_field(object.mesh);
    carom_elastic_forces(&object.elastic, object.elements, u, f);
    double energy = 0;
    for (int t = 0; t < object.mesh->tetrahedron_count; t++) {
        CaromMat3 h = carom_element_gradient(&object.elements[t], u, object.mesh->tetrahedra[t]);
        double ex = h.m[0][0], ey = h.m[1][1], ez = h.m[2][2];
        double xy = h.m[0][1] + h.m[1][0], yz = h.m[1][2] + h.m[2][1], zx = h.m[2][0] + h.m[0][2];
        double squares = ex * ex + ey * ey + ez * ez, products = ex * ey + ey * ez + ez * ex;
        energy += object.elements[t].volume * young / (4 * (1 + poisson)) *
                  (2 * (1 - poisson) / (1 - 2 * poisson) * squares +
                   4 * poisson / (1 - 2 * poisson) * products + xy * xy + yz * yz + zx * zx);
    }
    double half = field_dot(object.mesh->node_count, u, f) / 2;
    CHECK_NEAR(half / energy, 1, 1e-13); // rounding: 48 tetrahedra
    free(u);
    free(f);
    free_object(&object);
}

// Rigid motions, and only these, cost no force [Wang2017, theorem 18, with (z, 0, -x) put right].
TEST(rigid_motions) {
    Object object = make_object(shaken_box(v3(1, 2, 1), 2, 0.2, 4), lame_of(1, 0.3));
    int count = object.mesh->node_count;
    CaromVec3 *u = empty_field(object.mesh), *f = empty_field(object.mesh);
    for (int motion = 0; motion < 7; motion++) {
        for (int i = 0; i < count; i++) {
            CaromVec3 p = object.mesh->nodes[i];
            const CaromVec3 motions[7] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                                          {0, -p.z, p.y}, {p.z, 0, -p.x}, {-p.y, p.x, 0},
                                          {p.z, 0, p.x}};
            u[i] = motions[motion];
        }
        carom_elastic_forces(&object.elastic, object.elements, u, f);
        double size = field_norm(count, f) / field_norm(count, u);
        if (motion < 6) {
            CHECK_NEAR(size, 0, 1e-14); // rounding: forces of order 1
        } else {
            CHECK(size > 0.1); // the thesis prints (z, 0, x), which is a shear
        }
    }
    free(u);
    free(f);
    free_object(&object);
}

// K33 of the thesis' tetrahedron: E V (1 - nu) / ((1 + nu) (1 - 2 nu) z^2), twice what (6.20)
// prints.
TEST(single_tetrahedron) {
    const double young = 5000, nu = 0.3;
    Object object = make_object(thesis_tetrahedron(1), lame_of(young, nu));
    CaromVec3 u[4] = {{0, 0, 1}}, f[4];
    carom_elastic_forces(&object.elastic, object.elements, u, f);
    double z = object.mesh->nodes[0].z, volume = object.elements[0].volume;
    CHECK_INT(object.supports, 3);
    CHECK_NEAR(f[0].z / (young * volume * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * z * z)), 1,
               1e-14); // rounding
    CHECK_NEAR(f[0].x, 0, 1e-13 * f[0].z);
    u[0] = v3(1, 0, 0);
    carom_elastic_forces(&object.elastic, object.elements, u, f);
    CHECK_NEAR(f[0].x / (young * volume / (2 * (1 + nu) * z * z)), 1, 1e-14); // rounding
    free_object(&object);
}

// d(K u) / dX x against central differences of K u.
TEST(change_with_shape) {
    Random random = {12};
    Object object = make_object(shaken_box(v3(1, 1, 1), 2, 0.2, 5), lame_of(2, 0.3));
    int count = object.mesh->node_count;
    CaromVec3 *u = random_field(object.mesh, &random), *x = random_field(object.mesh, &random);
    CaromVec3 *change = empty_field(object.mesh), *nodes = empty_field(object.mesh);
    CaromVec3 *side[2] = {empty_field(object.mesh), empty_field(object.mesh)};
    carom_elastic_turn(&object.elastic, object.elements, u, x, change);
    const double step = 1e-5;
    for (int k = 0; k < 2; k++) {
        field_copy(count, object.mesh->nodes, nodes);
        field_add(count, k == 0 ? -step : step, x, nodes);
        (void)carom_elastic_shape(&object.elastic, nodes, object.elements);
        carom_elastic_forces(&object.elastic, object.elements, u, side[k]);
    }
    field_subtract(count, side[1], side[0], side[1]);
    field_scale(count, 1 / (2 * step), side[1]);
    field_subtract(count, side[1], change, side[1]);
    // Differences: step^2 times third derivatives, some (edge 0.3)^-3, plus rounding over the step.
    CHECK_NEAR(field_norm(count, side[1]) / field_norm(count, change), 0, 3e-8);
    for (int k = 0; k < 2; k++) {
        free(side[k]);
    }
    free(nodes);
    free(change);
    free(u);
    free(x);
    free_object(&object);
}

// ---- The matrix ------------------------------------------------------------------------------

/// The whole matrix of the unknowns, dense, from the forces of unit displacements.
static double *dense_matrix(const Object *object, int *size) {
    int count = object->mesh->node_count;
    *size = object->elastic.matrix.size;
    double *k = calloc((size_t)*size * (size_t)*size, sizeof *k);
    CaromVec3 *u = empty_field(object->mesh), *f = empty_field(object->mesh);
    for (int i = 0; i < count; i++) {
        for (int c = object->elastic.first[i]; c < object->elastic.first[i + 1]; c++) {
            int axis = c - object->elastic.first[i];
            field_zero(count, u);
            u[i] = v3(axis == 0, axis == 1, axis == 2);
            carom_elastic_forces(&object->elastic, object->elements, u, f);
            for (int j = 0; j < count; j++) {
                const double fj[3] = {f[j].x, f[j].y, f[j].z};
                for (int r = object->elastic.first[j]; r < object->elastic.first[j + 1]; r++) {
                    k[r * *size + c] = fj[r - object->elastic.first[j]];
                }
            }
        }
    }
    free(u);
    free(f);
    return k;
}

// The assembled upper triangle is that of the dense matrix, which is symmetric and positive
// definite; the sparse factor solves as the dense one does.
TEST(matrix_and_factor) {
    Random random = {13};
    Object object = make_object(shaken_box(v3(1, 1, 1.5), 2, 0.2, 6), lame_of(7, 0.25));
    CHECK(carom_elastic_factor(&object.elastic, object.elements) == CAROM_OK);
    int size, count = object.mesh->node_count;
    double *k = dense_matrix(&object, &size);
    const CaromColumns *m = &object.elastic.matrix;
    double off = 0, sum_sparse = 0, sum_dense = 0;
    for (int c = 0; c < size; c++) {
        for (int p = m->starts[c]; p < m->starts[c + 1]; p++) {
            CHECK(p == m->starts[c] || m->rows[p] > m->rows[p - 1]);
            off = fmax(off, fabs(m->values[p] - k[m->rows[p] * size + c]));
            sum_sparse += fabs(m->values[p]);
        }
        for (int r = 0; r <= c; r++) {
            sum_dense += fabs(k[r * size + c]);
            off = fmax(off, fabs(k[r * size + c] - k[c * size + r]));
        }
    }
    CHECK_NEAR(off, 0, 1e-14 * 7 * 8);            // rounding: some twenty tetrahedra per node
    CHECK_NEAR(sum_sparse / sum_dense, 1, 1e-13); // nothing is left out of the pattern
    CHECK(carom_cholesky(size, k));

    CaromVec3 *f = random_field(object.mesh, &random), *u = empty_field(object.mesh);
    carom_elastic_keep_free(&object.elastic, f);
    carom_elastic_solve(&object.elastic, f, u);
    double *b = calloc((size_t)size, sizeof *b), largest = 0, error = 0;
    for (int i = 0; i < count; i++) {
        const double fi[3] = {f[i].x, f[i].y, f[i].z};
        for (int r = object.elastic.first[i]; r < object.elastic.first[i + 1]; r++) {
            b[r] = fi[r - object.elastic.first[i]];
        }
    }
    carom_cholesky_solve(size, k, b);
    for (int i = 0; i < count; i++) {
        const double ui[3] = {u[i].x, u[i].y, u[i].z};
        for (int r = object.elastic.first[i]; r < object.elastic.first[i + 1]; r++) {
            error = fmax(error, fabs(b[r] - ui[r - object.elastic.first[i]]));
            largest = fmax(largest, fabs(b[r]));
        }
    }
    CHECK_NEAR(error / largest, 0, 1e-12); // rounding times a condition of some hundreds
    free(b);
    free(f);
    free(u);
    free(k);
    free_object(&object);
}

// Held and free parts of a field add up to it and are orthogonal.
TEST(held_and_free) {
    Random random = {14};
    CaromSoftMesh *mesh = shaken_box(v3(1, 1, 1), 2, 0.2, 8);
    CaromSoftSupport supports[3] = {
        {.node = 0}, {.node = 5, .slides = true}, {.node = 9, .slides = true}};
    supports[1].normal = random_unit(&random);
    supports[2].normal = v3(1, 0, 0);
    CaromElastic elastic;
    CHECK(carom_elastic_create(&elastic, &silent, mesh, lame_of(1, 0.3), 3, supports) == CAROM_OK);
    CHECK_INT(elastic.matrix.size, 3 * mesh->node_count - 5);
    CaromVec3 *whole = random_field(mesh, &random);
    CaromVec3 *a = empty_field(mesh), *b = empty_field(mesh);
    field_copy(mesh->node_count, whole, a);
    field_copy(mesh->node_count, whole, b);
    carom_elastic_keep_free(&elastic, a);
    carom_elastic_keep_held(&elastic, b);
    CHECK_NEAR(field_dot(mesh->node_count, a, b), 0, 1e-15); // rounding
    CHECK_NEAR(v3_dot(a[5], supports[1].normal), 0, 1e-15);  // rounding
    CHECK_NEAR(v3_norm(b[9]), fabs(whole[9].x), 0);          // exact
    field_add(mesh->node_count, 1, b, a);
    field_subtract(mesh->node_count, a, whole, a);
    CHECK_NEAR(field_norm(mesh->node_count, a), 0, 1e-15); // rounding
    free(whole);
    free(a);
    free(b);
    carom_elastic_destroy(&elastic);
    carom_soft_mesh_destroy(mesh);
}
