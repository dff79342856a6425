// SPDX-License-Identifier: Apache-2.0
// Task deform: patch tests, closed forms, balance, superposition, supports of every kind.
#include "soft_fixture.h"

/// A linear displacement A p + b.
static CaromVec3 linear(const CaromMat3 *a, CaromVec3 p) {
    return v3_add(m3_mul(a, p), v3(0.1, -0.2, 0.05));
}

// Patch test: the surface is moved linearly, the inside must follow, whatever the mesh.
TEST(patch_of_displacements) {
    CaromSoftMesh *mesh = shaken_box(v3(1, 1, 1), 4, 0.25, 21);
    const CaromMat3 a = {{{0.01, 0.02, -0.03}, {0.00, -0.01, 0.04}, {0.05, 0.01, 0.02}}};
    bool *outside = find_surface_nodes(mesh);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(1e5, 0.35, 1000)};
    CaromSoftSupport *supports = hold_nodes(mesh, outside, &problem.support_count);
    for (int i = 0; i < problem.support_count; i++) {
        supports[i].displacement = linear(&a, mesh->nodes[supports[i].node]);
    }
    problem.supports = supports;
    CaromSoft *soft = NULL;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CaromSoftLoads none = {0};
    CaromSoftDeformation d;
    CHECK(carom_soft_deform(soft, &none, &d) == CAROM_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 off = v3_sub(d.displacements[i], linear(&a, mesh->nodes[i]));
        CHECK_NEAR(v3_norm(off), 0, 1e-14); // rounding: displacements of order 0.2
    }
    CHECK_INT(d.inverted, 0);
    carom_soft_destroy(soft);
    free(supports);
    free(outside);
    carom_soft_mesh_destroy(mesh);
}

// Patch test of forces: pressed from all sides and free to slide along three planes, it shrinks by
// p (1 - 2 nu) / E in every direction.
TEST(patch_of_pressure) {
    const double young = 2e4, nu = 0.3, pressure = 150;
    CaromSoftMesh *mesh = shaken_box(v3(1, 2, 1), 3, 0.25, 22);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(young, nu, 1000)};
    CaromSoftSupport *supports = calloc((size_t)mesh->node_count, sizeof *supports);
    bool *on = calloc((size_t)mesh->node_count, 1);
    // Nodes on an edge of the planes would need two supports; fixing them where they belong is the
    // same.
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 p = mesh->nodes[i];
        bool x = p.x < -0.5 + 1e-9, y = p.y < -1 + 1e-9, z = p.z < 1e-9;
        CaromSoftSupport *s = &supports[problem.support_count];
        double shrink = -pressure * (1 - 2 * nu) / young;
        CaromVec3 moved = v3(shrink * (p.x + 0.5), shrink * (p.y + 1), shrink * p.z);
        if (x + y + z > 1) {
            *s = (CaromSoftSupport){.node = i, .displacement = moved};
        } else if (x || y || z) {
            *s = (CaromSoftSupport){.node = i, .slides = true, .normal = {x, y, z}};
        }
        problem.support_count += x || y || z;
    }
    problem.supports = supports;
    CaromVec3 *forces = calloc((size_t)mesh->node_count, sizeof *forces);
    for (int i = 0; i < mesh->node_count; i++) {
        on[i] = true;
    }
    CHECK_NEAR(carom_soft_add_pressure(mesh, on, pressure, forces), 10, 1e-13); // 2 + 8: rounding
    CaromSoftLoads loads = {.forces = forces};
    CaromSoft *soft = NULL;
    CaromSoftDeformation d;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_OK);
    double shrink = -pressure * (1 - 2 * nu) / young;
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 p = mesh->nodes[i];
        CaromVec3 exact = v3(shrink * (p.x + 0.5), shrink * (p.y + 1), shrink * p.z);
        CHECK_NEAR(v3_norm(v3_sub(d.displacements[i], exact)), 0, 1e-15); // rounding: 0.003 * 2
    }
    // Half of the pressure times the loss of volume.
    CHECK_NEAR(d.strain_energy / (pressure * 2 * 3 * -shrink / 2), 1, 1e-12); // rounding
    double *stress = calloc((size_t)mesh->tetrahedron_count, sizeof *stress);
    carom_soft_von_mises(soft, NULL, d.displacements, stress);
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        CHECK_NEAR(stress[t] / pressure, 0, 1e-9); // no shear: rounding over strains of 0.003
    }
    free(stress);
    carom_soft_destroy(soft);
    free(forces);
    free(on);
    free(supports);
    carom_soft_mesh_destroy(mesh);
}

/// Deflection of the tip of a bar of 100 x 10 x 10 mm under a force at its end.
static double deflect_bar(int resolution) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_box(v3(0.1, 0.01, 0.01), resolution, NULL, &mesh) == CAROM_OK);
    bool *end = calloc((size_t)mesh->node_count, 1);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(1e6, 0.3, 0)};
    carom_soft_select_face(mesh, v3(-1, 0, 0), 0, end);
    CaromSoftSupport *supports = hold_nodes(mesh, end, &problem.support_count);
    problem.supports = supports;
    CaromVec3 *forces = calloc((size_t)mesh->node_count, sizeof *forces);
    carom_soft_select_face(mesh, v3(1, 0, 0), 0, end);
    // Shear over the end: N / m^2 on an area of 1e-4 m^2.
    CHECK_NEAR(carom_soft_add_traction(mesh, end, v3(0, 0, -40), forces), 1e-4, 1e-18);
    CaromSoftLoads loads = {.forces = forces};
    CaromSoft *soft = NULL;
    CaromSoftDeformation d;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_OK);
    double sum = 0, count = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        sum += end[i] ? -d.displacements[i].z : 0;
        count += end[i];
    }
    CHECK_NEAR(d.force_error, 0, 1e-9); // residual of a slender bar, about 1e-11
    carom_soft_destroy(soft);
    free(forces);
    free(supports);
    free(end);
    carom_soft_mesh_destroy(mesh);
    return sum / count;
}

// A cantilever: F L^3 / (3 E I) by bending and F L / (kappa G A) by shear [Timoshenko1921], kappa =
// 10 (1 + nu) / (12 + 11 nu). Linear tetrahedra are too stiff; the error falls with the square of
// the edge.
TEST(cantilever) {
    const double force = 0.004, length = 0.1, young = 1e6, nu = 0.3, side = 0.01;
    double bending = force * pow(length, 3) / (3 * young * pow(side, 4) / 12);
    double kappa = 10 * (1 + nu) / (12 + 11 * nu);
    double shear = force * length / (kappa * young / (2 * (1 + nu)) * side * side);
    double exact = bending + shear;
    double coarse = deflect_bar(3), fine = deflect_bar(6);
    CHECK(coarse < fine && fine < exact);
    double order = log((exact - coarse) / (exact - fine)) / log(2);
    CHECK(order > 1.4 && order < 2.1); // 1.49 with 3 and 6 edges across, on its way to 2
    CHECK_NEAR((fine + (fine - coarse) / 3) / exact, 1, 0.05); // what extrapolation leaves of it
}

/// Largest error of a column under its own weight against the closed form, over its sag.
static double sag_error(int resolution) {
    const double young = 1e4, density = 1000, height = 2, g = 9.8;
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_box(v3(1, 1, height), resolution, NULL, &mesh) == CAROM_OK);
    CaromSoftMaterial material = material_of(young, 0, density);
    CaromSoft *soft = standing(mesh, &material);
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation d;
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_OK);
    double sag = density * g * height * height / (2 * young), error = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        double z = mesh->nodes[i].z;
        double exact = -density * g / young * (height * z - z * z / 2);
        error = fmax(error, fabs(d.displacements[i].z - exact));
    }
    CHECK_NEAR(d.force_error, 0, 1e-13);  // rounding: some hundred nodes
    CHECK_NEAR(d.moment_error, 0, 1e-13); // the same
    // The weight is carried: density * volume * g.
    CaromVec3 sum = {0};
    for (int i = 0; i < mesh->node_count; i++) {
        sum = v3_add(sum, d.reactions[i]);
    }
    CHECK_NEAR(sum.z / (density * height * g), 1, 1e-12); // rounding
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
    return error / sag;
}

// A column with nu = 0: u_z = -(rho g / E) (H z - z^2 / 2), at second order.
TEST(column_under_its_weight) {
    double coarse = sag_error(4), fine = sag_error(8);
    double order = log(coarse / fine) / log(2);
    CHECK(fine < 0.017);
    CHECK(order > 1.6 && order < 2.1); // 1.64 here, 1.77 from 8 to 10, on its way to 2
}

// Displacements are linear in the loads, inverse to the modulus, and solves do not disturb each
// other.
TEST(superposition) {
    Random random = {23};
    CaromSoftMesh *mesh = thesis_gelatin(3);
    CaromSoftMaterial material = material_of(3000, 0.4, 960);
    CaromSoft *soft = standing(mesh, &material);
    int count = mesh->node_count;
    CaromVec3 *forces = malloc(sizeof *forces * (size_t)count);
    CaromVec3 *sum = calloc((size_t)count, sizeof *sum);
    for (int i = 0; i < count; i++) {
        forces[i] = random_vector(&random, 0.01);
    }
    const CaromSoftLoads loads[3] = {
        {.gravity = {0, 0, -9.8}}, {.forces = forces}, {.gravity = {0, 0, -9.8}, .forces = forces}};
    double size = 0;
    for (int k = 0; k < 3; k++) {
        CaromSoftDeformation d;
        CHECK(carom_soft_deform(soft, &loads[k], &d) == CAROM_OK);
        for (int i = 0; i < count; i++) {
            sum[i] = v3_axpy(k < 2 ? 1 : -1, d.displacements[i], sum[i]);
        }
        size = d.displacement_norm;
    }
    double off = 0;
    for (int i = 0; i < count; i++) {
        off += v3_dot(sum[i], sum[i]);
    }
    CHECK_NEAR(sqrt(off) / size, 0, 1e-13); // rounding

    material.stiffness_factor = 0.5;
    CaromSoft *half = standing(mesh, &material);
    CaromSoftDeformation d, twice;
    CHECK(carom_soft_deform(soft, &loads[0], &d) == CAROM_OK);
    CHECK(carom_soft_deform(half, &loads[0], &twice) == CAROM_OK);
    CHECK_NEAR(twice.displacement_norm / d.displacement_norm, 2, 1e-13); // rounding
    carom_soft_destroy(half);
    carom_soft_destroy(soft);
    free(sum);
    free(forces);
    carom_soft_mesh_destroy(mesh);
}

// Turning the world turns the answer: nothing depends on the axes, sliding supports neither.
TEST(turned_world) {
    Random random = {24};
    CaromSoftMesh *mesh = shaken_box(v3(1, 1, 1), 3, 0.2, 25), *turned = NULL;
    CaromQuat rotation = random_rotation(&random);
    CaromMat3 r = carom_mat3_from_quat(rotation);
    CaromVec3 *nodes = malloc(sizeof *nodes * (size_t)mesh->node_count);
    for (int i = 0; i < mesh->node_count; i++) {
        nodes[i] = m3_mul(&r, mesh->nodes[i]);
    }
    CHECK(carom_soft_mesh_create(mesh->node_count, nodes, mesh->tetrahedron_count, mesh->tetrahedra,
                                 NULL, &turned) == CAROM_OK);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(1e4, 0.3, 1000)};
    bool *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    for (int i = 3; i < problem.support_count; i++) { // the first three stay fixed
        supports[i].slides = true;
        supports[i].normal = v3(0, 0, 1);
    }
    supports[2].slides = true;
    supports[2].normal = v3(0.6, 0.8, 0);
    problem.supports = supports;
    CaromSoftLoads loads = {.gravity = {1, 2, -9}};
    CaromSoft *soft[2] = {NULL, NULL};
    CaromSoftDeformation d[2];
    CHECK(carom_soft_create(&problem, NULL, &soft[0]) == CAROM_OK);
    CHECK(carom_soft_deform(soft[0], &loads, &d[0]) == CAROM_OK);
    for (int i = 0; i < problem.support_count; i++) {
        supports[i].normal = m3_mul(&r, supports[i].normal);
    }
    problem.mesh = turned;
    loads.gravity = m3_mul(&r, loads.gravity);
    CHECK(carom_soft_create(&problem, NULL, &soft[1]) == CAROM_OK);
    CHECK(carom_soft_deform(soft[1], &loads, &d[1]) == CAROM_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 off = v3_sub(m3_mul(&r, d[0].displacements[i]), d[1].displacements[i]);
        CHECK_NEAR(v3_norm(off), 0, 1e-11 * d[0].displacement_norm); // rounding times conditioning
    }
    for (int k = 0; k < 2; k++) {
        carom_soft_destroy(soft[k]);
    }
    free(supports);
    free(bottom);
    free(nodes);
    carom_soft_mesh_destroy(turned);
    carom_soft_mesh_destroy(mesh);
}

// Every node held: no unknowns, and all the weight in the supports.
TEST(no_unknowns) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    CaromSoftSupport supports[4] = {{.node = 0}, {.node = 1}, {.node = 2}, {.node = 3}};
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(1, 0.3, 1000)};
    problem.support_count = 4;
    problem.supports = supports;
    CaromSoft *soft = NULL;
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation d;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CHECK(carom_soft_deform(soft, &loads, &d) == CAROM_OK);
    CHECK_INT(carom_soft_size(soft).unknowns, 0);
    CHECK_NEAR(d.displacement_norm, 0, 0); // exact
    CHECK_NEAR(d.force_error, 0, 0);       // exact
    CaromSoftRecovery r;
    CHECK(carom_soft_recover(soft, &loads, NULL, &r) == CAROM_OK);
    CHECK_NEAR(r.displacement_norm, 0, 0); // exact
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}
