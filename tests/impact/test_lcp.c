// SPDX-License-Identifier: Apache-2.0
// Complementarity problems: solutions are judged by the conditions alone.
#include "impact/rigid/lcp.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 40 };

typedef struct Problem {
    int n;
    double m[MOST * MOST], q[MOST], z[MOST];
} Problem;

static CaromLcp make_lcp(int capacity) {
    CaromArena arena = {0};
    CaromLcp lcp;
    carom_lcp_carve(&lcp, &arena, capacity);
    arena = (CaromArena){.base = malloc(arena.used)};
    carom_lcp_carve(&lcp, &arena, capacity);
    return lcp;
}

static void free_lcp(const CaromLcp *lcp) {
    free(lcp->tableau); // the first piece of the block
}

/// M = B B^T of a rank, with a diagonal of one.
static void random_matrix(Random *r, Problem *p, int n, int rank) {
    double b[MOST * MOST];
    p->n = n;
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int k = 0; k < rank; k++) {
            b[i * rank + k] = random_uniform(r, -1, 1);
            square += b[i * rank + k] * b[i * rank + k];
        }
        for (int k = 0; k < rank; k++) {
            b[i * rank + k] /= sqrt(square);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) {
                sum += b[i * rank + k] * b[j * rank + k];
            }
            p->m[i * n + j] = i == j ? 1 : sum;
        }
    }
}

// z >= 0, w >= 0 and z w = 0 to 1e-10 for matrices of full rank, and of low rank with a right side
// in their range, which is what velocities of contacts are.
TEST(random_problems) {
    Random r = {71};
    CaromLcp lcp = make_lcp(MOST);
    double worst = 0;
    int solved = 0;
    int pressed = 0;
    for (int i = 0; i < 2000; i++) {
        Problem p;
        int n = 1 + (int)random_uniform(&r, 0, 20);
        int rank = i % 2 == 0 ? n : 1 + (int)random_uniform(&r, 0, n);
        random_matrix(&r, &p, n, rank);
        double x[MOST];
        for (int c = 0; c < n; c++) {
            x[c] = random_uniform(&r, -1, 1);
        }
        for (int c = 0; c < n; c++) {
            p.q[c] = 0;
            for (int d = 0; d < n; d++) {
                p.q[c] += p.m[c * n + d] * x[d];
            }
        }
        solved += carom_lcp_solve(&lcp, n, p.m, p.q, p.z);
        worst = fmax(worst, carom_lcp_residual(n, p.m, p.q, p.z));
        for (int c = 0; c < n; c++) {
            pressed += p.z[c] > 0;
        }
    }
    CHECK_INT(solved, 2000);
    CHECK(pressed > 5000);       // the problems are not all trivial
    CHECK_NEAR(worst, 0, 1e-10); // entries up to about 10, 20 x 20
    free_lcp(&lcp);
}

TEST(large_problem) {
    Random r = {72};
    CaromLcp lcp = make_lcp(MOST);
    Problem p;
    random_matrix(&r, &p, MOST, MOST);
    for (int c = 0; c < MOST; c++) {
        p.q[c] = random_uniform(&r, -1, 0);
    }
    CHECK(carom_lcp_solve(&lcp, MOST, p.m, p.q, p.z));
    CHECK_NEAR(carom_lcp_residual(MOST, p.m, p.q, p.z), 0, 1e-10);
    free_lcp(&lcp);
}

// Every entry the same: all ratios tie.
TEST(ties) {
    CaromLcp lcp = make_lcp(8);
    double m[64];
    double q[8];
    double z[8];
    for (int i = 0; i < 64; i++) {
        m[i] = 1;
    }
    for (int i = 0; i < 8; i++) {
        q[i] = -1;
    }
    CHECK(carom_lcp_solve(&lcp, 8, m, q, z));
    CHECK_NEAR(carom_lcp_residual(8, m, q, z), 0, 1e-14); // one unknown is 1: rounding
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += z[i];
    }
    CHECK_NEAR(sum, 1, 1e-14);
    free_lcp(&lcp);
}

// By hand: contacts of a chain of three balls, the first approaches.
TEST(chain_of_three) {
    CaromLcp lcp = make_lcp(2);
    const double m[] = {1, -0.5, -0.5, 1};
    const double q[] = {-3, 0};
    double z[2];
    CHECK(carom_lcp_solve(&lcp, 2, m, q, z));
    CHECK_NEAR(z[0], 4, 1e-14);
    CHECK_NEAR(z[1], 2, 1e-14);
    free_lcp(&lcp);
}

TEST(nothing_to_do) {
    CaromLcp lcp = make_lcp(2);
    const double m[] = {1, -0.5, -0.5, 1};
    const double q[] = {0, 3};
    double z[2] = {7, 7};
    CHECK(carom_lcp_solve(&lcp, 2, m, q, z));
    CHECK(z[0] == 0 && z[1] == 0);
    free_lcp(&lcp);
}

// A ball between two walls that close in: w1 = z1 - z2 - 1 and w2 = z2 - z1 - 1 are never both >=
// 0.
TEST(no_solution) {
    CaromLcp lcp = make_lcp(2);
    const double m[] = {1, -1, -1, 1};
    const double q[] = {-1, -1};
    double z[2];
    CHECK(!carom_lcp_solve(&lcp, 2, m, q, z));
    CHECK(z[0] == 0 && z[1] == 0);
    free_lcp(&lcp);
}

// The residual is not blind.
TEST(residual_sees_each_condition) {
    const double m[] = {1, 0, 0, 1};
    const double q[] = {-1, 2};
    const double good[] = {1, 0};
    const double negative[] = {1, -0.25};
    const double unmet[] = {0.5, 0};
    const double both[] = {1, 0.5};
    CHECK_NEAR(carom_lcp_residual(2, m, q, good), 0, 0);
    CHECK_NEAR(carom_lcp_residual(2, m, q, negative), 0.4375, 0); // |z w|
    CHECK_NEAR(carom_lcp_residual(2, m, q, unmet), 0.5, 0);
    CHECK_NEAR(carom_lcp_residual(2, m, q, both), 1.25, 0);
}
