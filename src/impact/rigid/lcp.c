// SPDX-License-Identifier: Apache-2.0
// Lemke's method for linear complementarity problems [CottlePangStone1992, section 4.4].
//
// An artificial unknown z0 makes w = M z + q + z0 feasible. Pivots exchange a variable for the
// complement of the one that left last, until z0 itself leaves. Ties are broken lexicographically,
// so that no basis comes twice. With M positive semidefinite it fails only if nothing solves.
#include "impact/rigid/lcp.h"

#include "base/dense.h"
#include "base/elementary.h"
#include "impact/rigid/tuning.h"

void carom_lcp_carve(CaromLcp *lcp, CaromArena *arena, int capacity) {
    size_t n = (size_t)capacity;
    *lcp = (CaromLcp){
        .capacity = capacity,
        .tableau = carom_arena_take_raw(arena, n * (2 * n + 2), sizeof(double)),
        .basis = carom_arena_take_raw(arena, n, sizeof(int)),
        .tied = carom_arena_take_raw(arena, n, sizeof(int)),
        .block = carom_arena_take_raw(arena, n * n, sizeof(double)),
        .trial = carom_arena_take_raw(arena, n, sizeof(double)),
    };
}

double carom_lcp_residual(int n, const double *m, const double *q, const double *z) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) {
            w += m[i * n + j] * z[j];
        }
        worst = fmax(worst, fmax(fmax(-z[i], -w), fabs(z[i] * w)));
    }
    return worst;
}

// ---- The tableau -------------------------------------------------------------------------------

/// I w - M z - z0 = q, with q in units of its largest entry.
static void fill_tableau(CaromLcp *lcp, int n, const double *m, const double *q, double unit) {
    int width = 2 * n + 2;
    for (int i = 0; i < n; i++) {
        double *row = lcp->tableau + i * width;
        for (int j = 0; j < n; j++) {
            row[j] = i == j;
            row[n + j] = -m[i * n + j];
        }
        row[2 * n] = -1;
        row[2 * n + 1] = q[i] / unit;
        lcp->basis[i] = i;
    }
}

static void pivot(CaromLcp *lcp, int n, int row, int column) {
    int width = 2 * n + 2;
    double *from = lcp->tableau + row * width;
    double inverse = 1 / from[column];
    for (int j = 0; j < width; j++) {
        from[j] *= inverse;
    }
    from[column] = 1;
    for (int i = 0; i < n; i++) {
        double *to = lcp->tableau + i * width;
        double factor = to[column];
        if (i == row || factor == 0) {
            continue;
        }
        for (int j = 0; j < width; j++) {
            to[j] -= factor * from[j];
        }
        to[column] = 0;
    }
    lcp->basis[row] = column;
}

/// Keep the rows whose entry in column `key`, over that in `column`, is the least.
static int keep_least(CaromLcp *lcp, int n, int count, int key, int column) {
    int width = 2 * n + 2;
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        const double *row = lcp->tableau + lcp->tied[k] * width;
        least = fmin(least, row[key] / row[column]);
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const double *row = lcp->tableau + lcp->tied[k] * width;
        if (row[key] / row[column] <= least + CAROM_LEMKE_EQUAL * fmax(1, fabs(least))) {
            lcp->tied[kept++] = lcp->tied[k];
        }
    }
    return kept;
}

/// The row that limits the entering column; z0 if it may; -1 if none does.
static int leaving_row(CaromLcp *lcp, int n, int column) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (lcp->tableau[i * (2 * n + 2) + column] > CAROM_LEMKE_POSITIVE) {
            lcp->tied[count++] = i;
        }
    }
    if (count == 0) {
        return -1;
    }
    count = keep_least(lcp, n, count, 2 * n + 1, column);
    for (int k = 0; k < count; k++) {
        if (lcp->basis[lcp->tied[k]] == 2 * n) {
            return lcp->tied[k];
        }
    }
    for (int key = 0; key < n && count > 1; key++) {
        count = keep_least(lcp, n, count, key, column);
    }
    return lcp->tied[0];
}

/// The row in which z0 enters: the most negative q, the last of equals.
static int first_row(const CaromLcp *lcp, int n) {
    int first = 0;
    for (int i = 1; i < n; i++) {
        const double *column = lcp->tableau + 2 * n + 1;
        first = column[i * (2 * n + 2)] <= column[first * (2 * n + 2)] ? i : first;
    }
    return first;
}

/// Pivot until z0 has left. False on a ray, or when rounding keeps it from ending.
static bool run(CaromLcp *lcp, int n) {
    int row = first_row(lcp, n);
    int entering = 2 * n;
    for (int pivots = 0; pivots < CAROM_LEMKE_PIVOTS + CAROM_LEMKE_PIVOTS_EACH * n; pivots++) {
        int leaving = lcp->basis[row];
        pivot(lcp, n, row, entering);
        if (leaving == 2 * n) {
            return true;
        }
        entering = leaving < n ? leaving + n : leaving - n;
        row = leaving_row(lcp, n, entering);
        if (row < 0) {
            return false;
        }
    }
    return false;
}

// ---- The solution ------------------------------------------------------------------------------

/// Solve M_BB z_B = -q_B anew for the unknowns B in the basis; false when M_BB is too close to
/// singular for that.
static bool polish(CaromLcp *lcp, int n, const double *m, const double *q) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        lcp->trial[i] = 0;
    }
    for (int row = 0; row < n; row++) {
        if (lcp->basis[row] >= n) {
            lcp->tied[count++] = lcp->basis[row] - n;
        }
    }
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            lcp->block[a * count + b] = m[lcp->tied[a] * n + lcp->tied[b]];
        }
    }
    if (!carom_cholesky(count, lcp->block)) {
        return false;
    }
    double *rhs = lcp->tableau; // no longer needed
    for (int a = 0; a < count; a++) {
        rhs[a] = -q[lcp->tied[a]];
    }
    carom_cholesky_solve(count, lcp->block, rhs);
    for (int a = 0; a < count; a++) {
        lcp->trial[lcp->tied[a]] = fmax(rhs[a], 0);
    }
    return true;
}

/// Gauss and Seidel's way from z on, each unknown in turn as if it were alone: slow, but where M is
/// all but singular it does what pivots could not. M is symmetric and positive semidefinite.
static void refine(CaromLcp *lcp, int n, const double *m, const double *q, double enough,
                   double *z) {
    double best = carom_lcp_residual(n, m, q, z);
    double *trial = lcp->trial;
    for (int i = 0; i < n; i++) {
        trial[i] = z[i];
    }
    for (int sweep = 0; sweep < CAROM_LEMKE_SWEEPS && best > enough; sweep++) {
        for (int i = 0; i < n; i++) {
            double w = q[i];
            for (int j = 0; j < n; j++) {
                w += m[i * n + j] * trial[j];
            }
            trial[i] = fmax(trial[i] - w / m[i * n + i], 0);
        }
        double residual = carom_lcp_residual(n, m, q, trial);
        for (int i = 0; i < n && residual < best; i++) {
            z[i] = trial[i];
        }
        best = fmin(best, residual);
    }
}

bool carom_lcp_solve(CaromLcp *lcp, int n, const double *m, const double *q, double *z) {
    CAROM_ASSERT(n <= lcp->capacity);
    double unit = 0;
    double least = 0;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        unit = fmax(unit, fabs(q[i]));
        least = fmin(least, q[i]);
    }
    if (!(least < 0)) {
        return true;
    }
    fill_tableau(lcp, n, m, q, unit);
    if (!run(lcp, n)) {
        return false;
    }
    for (int row = 0; row < n; row++) {
        if (lcp->basis[row] >= n) {
            z[lcp->basis[row] - n] = fmax(lcp->tableau[row * (2 * n + 2) + 2 * n + 1] * unit, 0);
        }
    }
    if (polish(lcp, n, m, q) &&
        carom_lcp_residual(n, m, q, lcp->trial) < carom_lcp_residual(n, m, q, z)) {
        for (int i = 0; i < n; i++) {
            z[i] = lcp->trial[i];
        }
    }
    refine(lcp, n, m, q, CAROM_LEMKE_RESIDUAL * unit * fmax(unit, 1), z);
    return true;
}
