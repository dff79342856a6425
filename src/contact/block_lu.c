// SPDX-License-Identifier: Apache-2.0
// Right-looking LU of 6 x 6 blocks, with pivoting inside the diagonal blocks.
#include "contact/block_lu.h"
#include "base/registers.h"

#include <string.h>

void carom_block_lu_carve(CaromBlockLu *lu, CaromArena *arena, int bodies, int fill) {
    lu->diagonal = carom_arena_take_raw(arena, (size_t)bodies, sizeof(CaromBlock6));
    lu->upper = carom_arena_take_raw(arena, (size_t)fill, sizeof(CaromBlock6));
    lu->lower = carom_arena_take_raw(arena, (size_t)fill, sizeof(CaromBlock6));
    lu->pivot = carom_arena_take_raw(arena, (size_t)bodies, 6);
}

void carom_block_lu_unit(CaromBlockLu *lu, int island) {
    const CaromElimination *e = lu->elimination;
    int first = e->island_body[island];
    int end = e->island_body[island + 1];
    size_t blocks = (size_t)(e->start[end] - e->start[first]) * sizeof(CaromBlock6);
    memset(lu->upper + e->start[first], 0, blocks);
    memset(lu->lower + e->start[first], 0, blocks);
    for (int k = first; k < end; k++) {
        memset(&lu->diagonal[k], 0, sizeof lu->diagonal[k]);
        for (int i = 0; i < 6; i++) {
            lu->diagonal[k].m[7 * i] = 1;
        }
    }
}

// ---- A contact -----------------------------------------------------------------------------

/// block += B_i^T K B_j
static void add_product(const CaromMat36 *b_i, const CaromMat36 *kb, CaromBlock6 *block) {
    for (int i = 0; i < 6; i++) {
        double b0 = b_i->m[0][i], b1 = b_i->m[1][i], b2 = b_i->m[2][i];
        double *row = block->m + 6 * i;
        for (int j = 0; j < 6; j++) {
            // Bodies that are there have kb. NOLINTNEXTLINE(clang-analyzer-core.*)
            row[j] += b0 * kb->m[0][j] + b1 * kb->m[1][j] + b2 * kb->m[2][j];
        }
    }
}

void carom_block_lu_add(CaromBlockLu *lu, const int body[2], int slot, const CaromMat36 root[2],
                        const CaromMat3 *k) {
    CaromMat36 kb[2];
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 6; j++) {
                kb[side].m[i][j] = k->m[i][0] * root[side].m[0][j] +
                                   k->m[i][1] * root[side].m[1][j] +
                                   k->m[i][2] * root[side].m[2][j];
            }
        }
        add_product(&root[side], &kb[side], &lu->diagonal[body[side]]);
    }
    if (slot >= 0) {
        int low = body[0] < body[1] ? 0 : 1;
        add_product(&root[low], &kb[1 - low], &lu->upper[slot]);
        add_product(&root[1 - low], &kb[low], &lu->lower[slot]);
    }
}

// ---- One block -----------------------------------------------------------------------------

static void swap_rows(double *a, int p, int q) {
    for (int j = 0; j < 6; j++) {
        double kept = a[6 * p + j];
        a[6 * p + j] = a[6 * q + j];
        a[6 * q + j] = kept;
    }
}

/// P A = L U in place; the diagonal of U is stored inverted.
static bool factorise_block(double *restrict a, signed char *restrict pivot) {
    for (int k = 0; k < 6; k++) {
        int p = k;
        for (int i = k + 1; i < 6; i++) {
            p = fabs(a[6 * i + k]) > fabs(a[6 * p + k]) ? i : p;
        }
        pivot[k] = (signed char)p;
        if (!(fabs(a[6 * p + k]) > 0)) {
            return false;
        }
        if (p != k) {
            swap_rows(a, k, p);
        }
        double inverse = 1 / a[7 * k];
        a[7 * k] = inverse;
        for (int i = k + 1; i < 6; i++) {
            double factor = a[6 * i + k] * inverse;
            a[6 * i + k] = factor;
            for (int j = k + 1; j < 6; j++) {
                a[6 * i + j] -= factor * a[6 * k + j];
            }
        }
    }
    return true;
}

/// x <- A^-1 x
static void solve_block(const double *restrict a, const signed char *restrict pivot,
                        double *restrict x) {
    for (int k = 0; k < 6; k++) {
        int p = (unsigned char)pivot[k];
        double kept = x[k];
        x[k] = x[p];
        x[p] = kept;
    }
    for (int k = 0; k < 6; k++) {
        for (int i = k + 1; i < 6; i++) {
            x[i] -= a[6 * i + k] * x[k];
        }
    }
    for (int k = 5; k >= 0; k--) {
        x[k] *= a[7 * k];
        for (int i = 0; i < k; i++) {
            x[i] -= a[6 * i + k] * x[k];
        }
    }
}

/// X <- A^-1 X for a whole block
CAROM_FOR_WIDE_REGISTERS static void
solve_block_6(const double *restrict a, const signed char *restrict pivot, double *restrict x) {
    for (int k = 0; k < 6; k++) {
        if (pivot[k] != k) {
            swap_rows(x, k, pivot[k]);
        }
    }
    for (int k = 0; k < 6; k++) {
        for (int i = k + 1; i < 6; i++) {
            double factor = a[6 * i + k];
            for (int j = 0; j < 6; j++) {
                x[6 * i + j] -= factor * x[6 * k + j];
            }
        }
    }
    for (int k = 5; k >= 0; k--) {
        for (int j = 0; j < 6; j++) {
            x[6 * k + j] *= a[7 * k];
        }
        for (int i = 0; i < k; i++) {
            double factor = a[6 * i + k];
            for (int j = 0; j < 6; j++) {
                x[6 * i + j] -= factor * x[6 * k + j];
            }
        }
    }
}

/// c -= a b
static inline void subtract_product(const double *restrict a, const double *restrict b,
                                    double *restrict c) {
    for (int i = 0; i < 6; i++) {
        double sum[6];
        for (int j = 0; j < 6; j++) {
            sum[j] = c[6 * i + j];
        }
        for (int k = 0; k < 6; k++) {
            double factor = a[6 * i + k];
            for (int j = 0; j < 6; j++) {
                sum[j] -= factor * b[6 * k + j];
            }
        }
        for (int j = 0; j < 6; j++) {
            c[6 * i + j] = sum[j];
        }
    }
}

/// y -= a x
static void subtract_times(const double *restrict a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < 6; i++) {
        const double *row = a + 6 * i;
        y[i] -= row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3] + row[4] * x[4] +
                row[5] * x[5];
    }
}

// ---- All blocks ----------------------------------------------------------------------------

/// What column k leaves in the columns of its rows. The rows of a column are among those of the
/// first of them, so that one walk finds every target.
CAROM_FOR_WIDE_REGISTERS static void update_columns(CaromBlockLu *lu, int k) {
    const CaromElimination *e = lu->elimination;
    int end = e->start[k + 1];
    for (int p = e->start[k]; p < end; p++) {
        int i = e->rows[p];
        int at = e->start[i];
        subtract_product(lu->lower[p].m, lu->upper[p].m, lu->diagonal[i].m);
        for (int q = p + 1; q < end; q++) {
            while (e->rows[at] < e->rows[q]) {
                at++;
            }
            subtract_product(lu->lower[p].m, lu->upper[q].m, lu->upper[at].m);
            subtract_product(lu->lower[q].m, lu->upper[p].m, lu->lower[at].m);
        }
    }
}

bool carom_block_lu_factorise(CaromBlockLu *lu, int island) {
    const CaromElimination *e = lu->elimination;
    for (int k = e->island_body[island]; k < e->island_body[island + 1]; k++) {
        if (!factorise_block(lu->diagonal[k].m, lu->pivot + 6 * k)) {
            return false;
        }
        for (int p = e->start[k]; p < e->start[k + 1]; p++) {
            solve_block_6(lu->diagonal[k].m, lu->pivot + 6 * k, lu->upper[p].m);
        }
        update_columns(lu, k);
    }
    return true;
}

void carom_block_lu_solve(const CaromBlockLu *lu, int island, CaromMotion6 *x) {
    const CaromElimination *e = lu->elimination;
    int first = e->island_body[island];
    int end = e->island_body[island + 1];
    for (int k = first; k < end; k++) {
        solve_block(lu->diagonal[k].m, lu->pivot + 6 * k, x[k].y);
        for (int p = e->start[k]; p < e->start[k + 1]; p++) {
            subtract_times(lu->lower[p].m, x[k].y, x[e->rows[p]].y);
        }
    }
    for (int k = end - 1; k >= first; k--) {
        for (int p = e->start[k]; p < e->start[k + 1]; p++) {
            subtract_times(lu->upper[p].m, x[e->rows[p]].y, x[k].y);
        }
    }
}
