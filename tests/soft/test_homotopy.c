// SPDX-License-Identifier: Apache-2.0
// Homotopy continuation: all real roots of small quadratic systems, and sliding systems of pickups
// beside Newton's solution.
#include "pickup_fixture.h"
#include "soft/homotopy.h"

/// Real roots as they are found.
typedef struct Roots {
    int count, unknowns;
    double x[1 << CAROM_QUADRATIC_MOST][CAROM_QUADRATIC_MOST];
} Roots;

static void keep_root(void *user, const double *x) {
    Roots *roots = user;
    memcpy(roots->x[roots->count++], x, sizeof *x * (size_t)roots->unknowns);
}

static bool has_root(const Roots *roots, const double *x, double tolerance) {
    for (int r = 0; r < roots->count; r++) {
        double off = 0;
        for (int k = 0; k < roots->unknowns; k++) {
            off = fmax(off, fabs(roots->x[r][k] - x[k]));
        }
        if (off <= tolerance) {
            return true;
        }
    }
    return false;
}

// x^2 + y^2 = 5 and x y = 2: (1, 2), (2, 1) and their opposites.
TEST(circle_and_hyperbola) {
    CaromQuadratics system = {.count = 2};
    Roots roots = {.unknowns = 2};
    system.m[0][0][0] = -5;
    system.m[0][1][1] = system.m[0][2][2] = 1;
    system.m[1][0][0] = -2;
    system.m[1][1][2] = system.m[1][2][1] = 0.5;
    int finite = carom_homotopy(&system, keep_root, &roots);
    CHECK_INT(finite, 4);
    CHECK_INT(roots.count, 4);
    const double expected[4][2] = {{1, 2}, {2, 1}, {-1, -2}, {-2, -1}};
    for (int i = 0; i < 4; i++) {
        CHECK(has_root(&roots, expected[i], 1e-9)); // where Newton stops
    }
}

// x^2 + y^2 = 1 and x = 2 have no real root; x y = 1 and x = 0 none at all.
TEST(no_real_roots) {
    CaromQuadratics system = {.count = 2};
    Roots roots = {.unknowns = 2};
    system.m[0][0][0] = -1;
    system.m[0][1][1] = system.m[0][2][2] = 1;
    system.m[1][0][0] = -2;
    system.m[1][0][1] = system.m[1][1][0] = 0.5;
    int finite = carom_homotopy(&system, keep_root, &roots);
    CHECK_INT(finite, 2); // a complex pair, two at infinity
    CHECK_INT(roots.count, 0);
}

// Random systems that have a given root: it is among those found, and all found are roots.
TEST(random_systems) {
    Random random = {11};
    for (int trial = 0; trial < 40; trial++) {
        int n = 2 + trial % 4;
        CaromQuadratics system = {.count = n};
        static Roots roots;
        roots = (Roots){.unknowns = n};
        double y[CAROM_QUADRATIC_MOST + 1] = {1};
        for (int i = 1; i <= n; i++) {
            y[i] = random_uniform(&random, -1, 1);
        }
        for (int k = 0; k < n; k++) {
            double value = 0;
            for (int i = 0; i <= n; i++) {
                for (int j = 0; j <= i; j++) {
                    double m = random_uniform(&random, -1, 1);
                    system.m[k][i][j] = system.m[k][j][i] = m;
                    value += (i == j ? 1 : 2) * m * y[i] * y[j];
                }
            }
            system.m[k][0][0] -= value;
        }
        int finite = carom_homotopy(&system, keep_root, &roots);
        CHECK_INT(finite, 1 << n);
        CHECK(has_root(&roots, y + 1, 1e-6)); // conditioning up to 1e3
        CHECK(roots.count % 2 == 0);          // complex ones come in pairs
    }
}

// Every sliding system that is small enough has one admissible root, Newton's.
TEST(sliding_systems) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_ball(0.036, 5, NULL, &mesh) == CAROM_OK);
    CaromPickupProblem problem = {.mesh = mesh,
                                  .material = material_of(1.4e5, 0.4, 1000),
                                  .gravity = 9.8,
                                  .finger_friction = 0.34,
                                  .table_friction = 0.34};
    carom_pickup_place_fingers(mesh, 0.02, 0.036, v3(0, 1, 0), problem.fingers);
    CaromPickup *pickup = make_pickup(&problem);
    double depth = solve_pickup(pickup, NULL).squeeze_depth;
    CaromPickupOptions options = carom_pickup_options_default();
    options.method = CAROM_PICKUP_HOMOTOPY;
    CaromPickupResult r = solve_pickup(pickup, &options);
    CHECK(r.homotopy_systems > 4);
    CHECK_INT(r.homotopy_missed, 0);
    CHECK(r.homotopy_paths >= 2 * r.homotopy_systems);
    CHECK_NEAR(r.homotopy_difference, 0, 1e-7); // 1e-10 of Newton times the conditioning of slips
    CHECK_NEAR(r.squeeze_depth, depth, 0);      // it only looks
    free_pickup(pickup, mesh);
}
