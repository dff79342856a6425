// SPDX-License-Identifier: Apache-2.0
// Task recover: closed forms, published figures, one method against another, the forward check.
#include "soft/mesh.h"
#include "soft_fixture.h"

static CaromSoftRecovery recover(CaromSoft *soft, CaromSoftMethod method, double damping,
                                 double step_tolerance) {
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftOptions options = carom_soft_options_default();
    options.method = method;
    options.damping = damping;
    options.step_tolerance = step_tolerance;
    CaromSoftRecovery r = {.outcome = CAROM_SOFT_STALLED};
    CHECK(carom_soft_recover(soft, &loads, &options, &r) == CAROM_OK);
    return r;
}

/// The tetrahedron of the thesis with its mass; `factor` times its stiffness.
static CaromSoft *tetrahedron_soft(const CaromSoftMesh *mesh, double mass, double factor) {
    double volume = carom_soft_measure(mesh, NULL).volume;
    CaromSoftMaterial material = material_of(5000, 0.3, mass / volume);
    material.stiffness_factor = factor;
    return standing(mesh, &material);
}

/// c of a tetrahedron of the thesis of some mass, with the right stiffness: w = -c (z - w).
static double weight_of(double mass) {
    const double x2 = sqrt(3.0) / 20, y3 = 3.0 / 40, nu = 0.3;
    return 6 * (1 + nu) * (1 - 2 * nu) * mass * 9.8 / (4 * 5000 * x2 * y3 * (1 - nu));
}

// ---- One tetrahedron [Wang2017, section 6.3.2] -----------------------------------------------

// w = -c (z - w) with c = 6 (1 + nu) (1 - 2 nu) G / (4 E x2 y3 (1 - nu)), exactly; with half the
// stiffness it is the fixed point of the printed (6.28).
TEST(tetrahedron) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    const double z = 2 * sqrt(2.0) / 40;
    for (int half = 0; half < 2; half++) {
        CaromSoft *soft = tetrahedron_soft(mesh, 0.0765, half ? 0.5 : 1);
        double c = (half ? 2 : 1) * weight_of(0.0765);
        for (int method = 1; method <= 3; method++) {
            CaromSoftRecovery r = recover(soft, (CaromSoftMethod)method, 1, 0);
            CHECK(r.outcome == CAROM_SOFT_CONVERGED);
            CHECK_NEAR(r.displacements[0].z / (-c * z / (1 - c)), 1, 1e-11); // tolerance 1e-10
            CHECK_NEAR(r.displacements[0].x, 0, 1e-17);                      // rounding
            // Independent prototypes, printed to 12 decimals.
            CHECK_NEAR(r.displacements[0].z, half ? -0.003835086310 : -0.001866915841, 6e-13);
        }
        carom_soft_destroy(soft);
    }
    carom_soft_mesh_destroy(mesh);
}

// Friction at the base: 0.311047 (the thesis prints 0.320494, of half the stiffness and too few
// iterations); the table carries the weight.
TEST(tetrahedron_reactions) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    CaromSoft *soft = tetrahedron_soft(mesh, 0.0765, 1);
    CaromSoftRecovery r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
    for (int i = 1; i < 4; i++) {
        CaromVec3 f = r.reactions[i];
        CHECK_NEAR(norm2(f.x, f.y) / f.z, 0.311047, 5e-7); // half a unit of the last digit
        CHECK_NEAR(f.z / (0.0765 * 9.8 / 3), 1, 1e-12);    // symmetry, rounding
    }
    CHECK_NEAR(v3_norm(r.reactions[0]), 0, 0); // exact: free
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// The fixed point contracts by 1 - r + r c; the spectrum says so, and so do the steps. The thesis'
// estimate (6.61) is made of differences: 1 - r + r c z_before / z_after, z the height.
TEST(tetrahedron_contraction) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    for (int i = 0; i < 4; i++) {
        double mass = 0.0765 * (1 + 9 * i), damping = i % 2 ? 0.6 : 1, height = mesh->nodes[0].z;
        double c = weight_of(mass), rate = 1 - damping + damping * c;
        CaromSoft *soft = tetrahedron_soft(mesh, mass, 1);
        CaromSoftRecovery r = recover(soft, CAROM_SOFT_FIXED_POINT, damping, 0);
        CHECK(r.outcome == CAROM_SOFT_CONVERGED);
        CHECK_NEAR(r.contraction.highest, c, 1e-9);   // at a shape known to 1e-10
        CHECK_NEAR(r.contraction.lowest, 0, 1e-12);   // sideways nothing depends on the shape
        CHECK_NEAR(r.contraction.rate, rate, 1e-9);   // the same
        CHECK_NEAR(r.contraction.best_damping, 1, 0); // exact: the spectrum is positive
        for (int k = 1; k < 5; k++) {
            double before = height + r.history[k - 1].displacement_norm;
            double after = height + r.history[k].displacement_norm;
            CHECK_NEAR(r.history[k].step / r.history[k - 1].step, rate, 1e-8); // rounding, of 1e-8
            CHECK_NEAR(r.history[k].contraction, 1 - damping + damping * c * before / after,
                       1e-8); // the same
        }
        carom_soft_destroy(soft);
    }
    carom_soft_mesh_destroy(mesh);
}

// With c >= 1 there is no shape without gravity, and every method says that it found none.
TEST(tetrahedron_too_heavy) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    CaromSoft *heavy = tetrahedron_soft(mesh, 1.2 / weight_of(1), 1);
    for (int method = 1; method <= 3; method++) {
        CaromSoftRecovery r = recover(heavy, (CaromSoftMethod)method, 1, 0);
        CHECK(r.outcome != CAROM_SOFT_CONVERGED);
    }
    carom_soft_destroy(heavy);
    carom_soft_mesh_destroy(mesh);
}

// Displacements beyond the range of doubles are not taken for an answer.
TEST(tetrahedron_out_of_range) {
    CaromSoftMesh *mesh = thesis_tetrahedron(1);
    CaromSoftMaterial material = material_of(1e-300, 0.3, 1000);
    CaromSoft *soft = standing(mesh, &material);
    for (int method = 1; method <= 3; method++) {
        CaromSoftRecovery r = recover(soft, (CaromSoftMethod)method, 1, 0);
        CHECK(r.outcome != CAROM_SOFT_CONVERGED);
    }
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// ---- The gelatin pudding [Wang2017, section 6.3.4] -------------------------------------------

/// Mean height of the nodes of the upper face over those of the lower.
static double face_height(const CaromSoftMesh *mesh, const CaromVec3 *nodes) {
    double sum[2] = {0}, count[2] = {0};
    bool *face = malloc((size_t)mesh->node_count);
    for (int side = 0; side < 2; side++) {
        carom_soft_select_face(mesh, v3(0, 0, side ? 1 : -1), 0, face);
        for (int i = 0; i < mesh->node_count; i++) {
            sum[side] += face[i] ? nodes[i].z : 0;
            count[side] += face[i];
        }
    }
    free(face);
    return sum[1] / count[1] - sum[0] / count[0];
}

// Iterations to a step of 1e-6 m and the recovered height, of independent prototypes on another
// mesh: heights depend on the mesh in the third digit.
TEST(gelatin) {
    static const struct {
        double factor;
        int plain, damped, anderson;
        double height;
    } figures[2] = {{1, 5, 16, 4, 0.03212}, {0.5, 7, 19, 5, 0.03342}};
    CaromSoftMesh *mesh = thesis_gelatin(5);
    for (int i = 0; i < 2; i++) {
        CaromSoftMaterial material = material_of(3000, 0.4, 960);
        material.stiffness_factor = figures[i].factor;
        CaromSoft *soft = standing(mesh, &material);
        CHECK_INT(recover(soft, CAROM_SOFT_FIXED_POINT, 1, 1e-6).iterations, figures[i].plain);
        CHECK_INT(recover(soft, CAROM_SOFT_FIXED_POINT, 0.5, 1e-6).iterations, figures[i].damped);
        CHECK_INT(recover(soft, CAROM_SOFT_ANDERSON, 1, 1e-6).iterations, figures[i].anderson);
        CaromSoftRecovery r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
        CHECK_INT(r.iterations, 5);
        CHECK_NEAR(r.residual, 0, 1e-13);      // rounding
        CHECK_NEAR(r.forward_error, 0, 1e-16); // rounding, of displacements of 1e-3 m
        CHECK_NEAR(face_height(mesh, r.nodes), figures[i].height, 1e-4); // the third digit
        carom_soft_destroy(soft);
    }
    carom_soft_mesh_destroy(mesh);
}

// All methods end in the same shape, and loads on it give back what was given.
TEST(methods_agree) {
    CaromSoftMesh *mesh = thesis_gelatin(3), *rest = NULL;
    CaromSoftMaterial material = material_of(1000, 0.4, 960); // soft: a quarter of its height
    CaromSoft *soft = standing(mesh, &material);
    CaromVec3 *first = malloc(sizeof *first * (size_t)mesh->node_count);
    CaromSoftRecovery r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
    memcpy(first, r.nodes, sizeof *first * (size_t)mesh->node_count);
    for (int method = 1; method <= 2; method++) {
        r = recover(soft, (CaromSoftMethod)method, 1, 0);
        CHECK(r.outcome == CAROM_SOFT_CONVERGED);
        double most = 0;
        for (int i = 0; i < mesh->node_count; i++) {
            most = fmax(most, v3_norm(v3_sub(first[i], r.nodes[i])));
        }
        CHECK_NEAR(most / r.displacement_norm, 0, 1e-9);            // tolerance over 1 - rate
        CHECK_NEAR(r.forward_error / r.displacement_norm, 0, 1e-9); // the same
    }

    // Forward by other means: a new object of the recovered shape, its masses kept.
    double *masses = malloc(sizeof *masses * (size_t)mesh->tetrahedron_count);
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        masses[t] = 960 * carom_six_volumes(mesh->nodes, mesh->tetrahedra[t]) / 6;
    }
    CHECK(carom_soft_mesh_create(mesh->node_count, first, mesh->tetrahedron_count, mesh->tetrahedra,
                                 NULL, &rest) == CAROM_OK);
    bool *bottom = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    CaromSoftProblem problem = {.mesh = rest, .material = material, .masses = masses};
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    problem.supports = supports;
    CaromSoft *again = NULL;
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation d;
    CHECK(carom_soft_create(&problem, NULL, &again) == CAROM_OK);
    CHECK(carom_soft_deform(again, &loads, &d) == CAROM_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        CaromVec3 back = v3_add(first[i], d.displacements[i]);
        CHECK_NEAR(v3_norm(v3_sub(back, mesh->nodes[i])), 0, 1e-15); // rounding, of 0.01 m
    }
    carom_soft_destroy(again);
    free(supports);
    free(bottom);
    free(masses);
    free(first);
    carom_soft_mesh_destroy(rest);
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// Lengths, moduli and densities in other units: the same iterations, the same shape.
TEST(other_units) {
    double norm[2];
    int krylov[2];
    for (int k = 0; k < 2; k++) {
        double s = k ? 1000 : 1; // millimetres
        CaromSoftMesh *mesh = NULL;
        CHECK(carom_soft_mesh_frustum(0.031 * s, 0.062 * s, 0.05 * s, 3, NULL, &mesh) == CAROM_OK);
        CaromSoftMaterial material = material_of(3000, 0.4, 960 / s);
        CaromSoft *soft = standing(mesh, &material);
        CaromSoftRecovery r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
        norm[k] = r.displacement_norm / s;
        krylov[k] = r.krylov;
        carom_soft_destroy(soft);
        carom_soft_mesh_destroy(mesh);
    }
    CHECK_NEAR(norm[1] / norm[0], 1, 1e-12); // rounding: nearly the same operations
    CHECK_INT(krylov[1], krylov[0]);
}

// Gravity from the side: the spectrum is complex, with a pair farthest from zero.
TEST(leaning) {
    CaromSoftMesh *mesh = thesis_gelatin(2);
    CaromSoftMaterial material = material_of(1000, 0.4, 960);
    CaromSoft *soft = standing(mesh, &material);
    CaromSoftLoads loads = {.gravity = {6, 2, -5}};
    CaromSoftOptions options = carom_soft_options_default();
    options.method = CAROM_SOFT_FIXED_POINT;
    options.tolerance = 1e-13;
    CaromSoftRecovery r;
    CHECK(carom_soft_recover(soft, &loads, &options, &r) == CAROM_OK);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    // Eigenvalues of the dense matrix, from differences, by LAPACK.
    CHECK_NEAR(r.contraction.rate, 0.15385254596, 1e-9);    // differences
    CHECK_NEAR(r.contraction.highest, 0.10246031848, 1e-9); // the same
    CHECK_NEAR(r.contraction.imaginary, 0.1212, 0.005);     // 40 dimensions of 114
    CHECK(r.contraction.imaginary > r.contraction.highest);
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// ---- The ball on three nodes [Wang2017, Figs 6.8 and 6.9] ------------------------------------

// The fixed point fails with damping 1, converges with 0.5; Anderson and Newton converge where it
// fails. The spectrum foretells it.
TEST(ball) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_ball(0.05, 5, NULL, &mesh) == CAROM_OK);
    CaromSoftMaterial material = material_of(2.5e5, 0.3, 700);
    material.stiffness_factor = 0.4;
    CaromSoft *soft = standing(mesh, &material);
    CaromSoftRecovery r = recover(soft, CAROM_SOFT_FIXED_POINT, 1, 1e-6);
    CHECK(r.outcome == CAROM_SOFT_DIVERGED || r.outcome == CAROM_SOFT_STALLED);
    CHECK(r.history[r.iterations - 1].contraction > 1);
    r = recover(soft, CAROM_SOFT_FIXED_POINT, 0.5, 1e-6);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    CHECK(r.contraction.lowest < -1);
    CHECK(r.contraction.highest > 0 && r.contraction.highest < 0.2);
    CHECK(r.contraction.best_damping > 0.4 && r.contraction.best_damping < 0.6);
    // The last steps fall as foretold; other modes have not quite died out.
    double fall = r.history[r.iterations - 1].step / r.history[r.iterations - 2].step;
    CHECK_NEAR(fall / r.contraction.rate, 1, 0.05);
    double norm = r.displacement_norm;
    r = recover(soft, CAROM_SOFT_ANDERSON, 1, 1e-6);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    CHECK_NEAR(r.displacement_norm / norm, 1, 1e-4); // steps of 1e-6 of 0.03 m
    r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    CHECK_NEAR(r.displacement_norm / norm, 1, 1e-4); // the same
    CHECK_NEAR(r.residual, 0, 1e-12);                // rounding times a condition of some hundreds
    CHECK_INT(r.factorizations, 0);                  // the factor of the given shape serves
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// A shape twice as high without gravity: far beyond the fixed point, Newton still finds it, with a
// second factorization on the way.
TEST(very_soft) {
    CaromSoftMesh *mesh = thesis_gelatin(5);
    CaromSoftMaterial material = material_of(360, 0.4, 960);
    CaromSoft *soft = standing(mesh, &material);
    CHECK(recover(soft, CAROM_SOFT_FIXED_POINT, 1, 0).outcome == CAROM_SOFT_DIVERGED);
    CaromSoftRecovery r = recover(soft, CAROM_SOFT_NEWTON, 1, 0);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    CHECK(face_height(mesh, r.nodes) > 0.06);
    CHECK_NEAR(r.forward_error, 0, 1e-14); // rounding, of displacements of 0.03 m
    CHECK(r.factorizations > 0);
    // After all that the solver still deforms the given shape.
    CaromSoftLoads loads = carom_soft_loads_default();
    CaromSoftDeformation before, after;
    CaromSoft *fresh = standing(mesh, &material);
    CHECK(carom_soft_deform(fresh, &loads, &before) == CAROM_OK);
    CHECK(carom_soft_deform(soft, &loads, &after) == CAROM_OK);
    CHECK_NEAR(after.displacement_norm, before.displacement_norm, 0); // exact: the same operations
    carom_soft_destroy(fresh);
    carom_soft_destroy(soft);
    carom_soft_mesh_destroy(mesh);
}

// With sliding supports and a force besides gravity.
TEST(sliding_and_loaded) {
    CaromSoftMesh *mesh = shaken_box(v3(1, 1, 1), 3, 0.2, 31);
    bool *bottom = malloc((size_t)mesh->node_count), *top = malloc((size_t)mesh->node_count);
    carom_soft_select_face(mesh, v3(0, 0, -1), 0, bottom);
    carom_soft_select_face(mesh, v3(0, 0, 1), 0, top);
    CaromSoftProblem problem = {.mesh = mesh, .material = material_of(3e4, 0.3, 1000)};
    CaromSoftSupport *supports = hold_nodes(mesh, bottom, &problem.support_count);
    for (int i = 2; i < problem.support_count; i++) {
        supports[i].slides = true;
        supports[i].normal = v3(0, 0, 1);
    }
    problem.supports = supports;
    CaromVec3 *forces = calloc((size_t)mesh->node_count, sizeof *forces);
    carom_soft_add_force(mesh, top, v3(200, 0, -1000), forces);
    CaromSoftLoads loads = {.gravity = {0, 0, -9.8}, .forces = forces};
    CaromSoft *soft = NULL;
    CaromSoftRecovery r;
    CHECK(carom_soft_create(&problem, NULL, &soft) == CAROM_OK);
    CHECK(carom_soft_recover(soft, &loads, NULL, &r) == CAROM_OK);
    CHECK(r.outcome == CAROM_SOFT_CONVERGED);
    CHECK_NEAR(r.forward_error, 0, 1e-14); // rounding, of displacements of 0.3 m
    CaromVec3 sum = {0};
    for (int i = 0; i < mesh->node_count; i++) {
        sum = v3_add(sum, r.reactions[i]);
    }
    CHECK_NEAR(sum.x, -200, 1e-8);        // residual of 1e-13 of the load
    CHECK_NEAR(sum.z, 1000 + 9800, 1e-8); // the same
    for (int i = 2; i < problem.support_count; i++) {
        CHECK_NEAR(r.reactions[supports[i].node].x, 0, 0);     // exact: a slider carries nothing
        CHECK_NEAR(r.displacements[supports[i].node].z, 0, 0); // exact: nor leaves its plane
    }
    carom_soft_destroy(soft);
    free(forces);
    free(supports);
    free(bottom);
    free(top);
    carom_soft_mesh_destroy(mesh);
}
