// SPDX-License-Identifier: Apache-2.0
// The condensed object against the full one: balanced forces, rigid motions, energies.
#include "base/dense.h"
#include "soft/condense.h"
#include "soft/field.h"
#include "soft_fixture.h"

static CaromCondensed condensed_box(const CaromSoftMesh *mesh) {
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(2e4, 0.3, 500)};
    CaromCondensed object;
    CaromHost silent = {0};
    CHECK(carom_condense(&object, &problem, v3(0, 0, -9.8), 20, &silent) == CAROM_OK);
    return object;
}

/// Random forces on touched nodes that balance: the last ones are solved for.
static void random_forces(CaromCondensed *object, Random *random, CaromVec3 *forces, int count) {
    for (int i = 0; i < count; i++) {
        CHECK(carom_condensed_touch(object, (i * 17) % object->surface_count));
    }
    // Least squares over all forces: f = -B (B^T B)^-1 (sum), added once.
    double normal[36] = {0}, right[6] = {0};
    CaromVec3 motion[6];
    for (int i = 0; i < count; i++) {
        forces[i] = random_vector(random, 1);
        carom_condensed_motions(object, object->surface[object->touched[i]], motion);
        for (int a = 0; a < 36; a++) {
            normal[a] += v3_dot(motion[a / 6], motion[a % 6]);
        }
        for (int a = 0; a < 6; a++) {
            right[a] -= v3_dot(motion[a], forces[i]);
        }
    }
    for (int a = 0; a < 6; a++) {
        right[a] -= object->weight_on[a];
    }
    CHECK(carom_cholesky(6, normal));
    carom_cholesky_solve(6, normal, right);
    for (int i = 0; i < count; i++) {
        carom_condensed_motions(object, object->surface[object->touched[i]], motion);
        for (int a = 0; a < 6; a++) {
            forces[i] = v3_axpy(right[a], motion[a], forces[i]);
        }
    }
}

// Under forces that balance, the pins bear nothing: K u is the load at every node, also at theirs.
TEST(pins_bear_nothing) {
    CaromSoftMesh *mesh = shaken_box(v3(0.05, 0.04, 0.03), 3, 0.2, 3);
    CaromCondensed object = condensed_box(mesh);
    Random random = {5};
    CaromVec3 forces[20], *u = malloc(sizeof *u * (size_t)mesh->node_count),
                          *f = malloc(sizeof *f * (size_t)mesh->node_count);
    CaromVec3 *moved = malloc(sizeof *moved * (size_t)object.surface_count);
    random_forces(&object, &random, forces, 12);
    CaromRigid rigid = {{1e-3, -2e-3, 3e-3, 2e-3, 1e-3, -1e-3}};
    carom_condensed_expand(&object, 1, forces, &rigid, u);
    carom_elastic_forces(&object.soft->elastic, object.soft->elements, u, f);
    for (int t = 0; t < object.touched_count; t++) {
        int node = object.surface[object.touched[t]];
        f[node] = v3_sub(f[node], forces[t]);
    }
    double worst = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 left = v3_axpy(-object.soft->node_masses[i], object.gravity, f[i]);
        worst = fmax(worst, v3_norm(left));
    }
    CHECK_NEAR(worst, 0, 1e-10); // rounding: forces of O(1) times the condition, 1e4
    // The surface moves alike, column by column.
    carom_condensed_move(&object, 1, forces, &rigid, moved);
    for (int i = 0; i < object.surface_count; i++) {
        CHECK_NEAR(v3_norm(v3_sub(moved[i], u[object.surface[i]])), 0, 1e-12); // rounding
    }
    // What gravity does, from the few numbers and from all nodes.
    double work = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        work += object.soft->node_masses[i] * v3_dot(object.gravity, u[i]);
    }
    CHECK_NEAR(carom_condensed_gravity_work(&object, 1, forces, &rigid), work, 1e-14); // rounding
    free(u);
    free(f);
    free(moved);
    carom_condensed_destroy(&object);
    carom_soft_mesh_destroy(mesh);
}

// Rigid motions bring no forces, and the limit of touched nodes holds.
TEST(rigid_motions_and_limit) {
    CaromSoftMesh *mesh = shaken_box(v3(0.05, 0.04, 0.03), 3, 0.2, 3);
    CaromCondensed object = condensed_box(mesh);
    CaromVec3 *u = malloc(sizeof *u * (size_t)mesh->node_count),
              *f = malloc(sizeof *f * (size_t)mesh->node_count);
    for (int k = 0; k < CAROM_RIGID; k++) {
        CaromRigid rigid = {{0}};
        rigid.part[k] = 0.01;
        carom_condensed_expand(&object, 0, NULL, &rigid, u);
        carom_elastic_forces(&object.soft->elastic, object.soft->elements, u, f);
        CHECK_NEAR(field_norm(mesh->node_count, f), 0, 1e-12); // rounding of E h 0.01 = 2
    }
    for (int i = 0; i < 20; i++) {
        CHECK(carom_condensed_touch(&object, i));
    }
    CHECK(carom_condensed_touch(&object, 7)); // known already
    CHECK(!carom_condensed_touch(&object, 20));
    CHECK_INT(object.touched_count, 20);
    free(u);
    free(f);
    carom_condensed_destroy(&object);
    carom_soft_mesh_destroy(mesh);
}
