// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky factorization, by CHOLMOD.
#include "soft/factor.h"

#include "base/host.h"

#include <cholmod.h>
#include <string.h>

struct CaromFactor {
    cholmod_common common;
    cholmod_sparse matrix; ///< a view of the caller's arrays
    cholmod_factor *lower;
    cholmod_dense *x, *y, *e; ///< kept from solve to solve, so that none allocates
};

static cholmod_sparse view_matrix(const CaromColumns *matrix) {
    size_t n = (size_t)matrix->size;
    return (cholmod_sparse){
        .nrow = n,
        .ncol = n,
        .nzmax = (size_t)matrix->starts[n],
        .p = matrix->starts,
        .i = matrix->rows,
        .x = matrix->values,
        .stype = 1, // the upper triangle
        .itype = CHOLMOD_INT,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
        .sorted = 1,
        .packed = 1,
    };
}

static CaromStatus status_of(const CaromFactor *factor) {
    switch (factor->common.status) {
    case CHOLMOD_OK:
    case CHOLMOD_DSMALL:
        return CAROM_OK;
    case CHOLMOD_NOT_POSDEF:
        return CAROM_BAD_DATA;
    case CHOLMOD_TOO_LARGE:
        return CAROM_OVER_LIMIT;
    default:
        return CAROM_NO_MEMORY;
    }
}

/// Silent, and without the parts that are under the GPL unless the build asks for them.
static void start(CaromFactor *factor) {
    cholmod_start(&factor->common);
    factor->common.print = 0;
    factor->common.try_catch = 1;
    factor->common.final_ll = 1;
#ifdef CAROM_SOFT_SUPERNODAL
    factor->common.supernodal = CHOLMOD_AUTO;
#else
    factor->common.supernodal = CHOLMOD_SIMPLICIAL;
#endif
}

CaromStatus carom_factor_create(const CaromHost *host, const CaromColumns *matrix,
                                CaromFactor **factor) {
    CaromFactor *made = carom_allocate(host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    memset(made, 0, sizeof *made);
    start(made);
    made->matrix = view_matrix(matrix);
    made->lower = cholmod_analyze(&made->matrix, &made->common);
    if (!made->lower) {
        CaromStatus status = status_of(made);
        carom_factor_destroy(host, made);
        return status == CAROM_OK ? CAROM_NO_MEMORY : status;
    }
    *factor = made;
    return CAROM_OK;
}

void carom_factor_destroy(const CaromHost *host, CaromFactor *factor) {
    if (factor) {
        cholmod_free_dense(&factor->x, &factor->common);
        cholmod_free_dense(&factor->y, &factor->common);
        cholmod_free_dense(&factor->e, &factor->common);
        cholmod_free_factor(&factor->lower, &factor->common);
        cholmod_finish(&factor->common);
        carom_release(host, factor);
    }
}

static int solve(CaromFactor *factor, double *b) {
    size_t n = factor->matrix.nrow;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = b, .xtype = CHOLMOD_REAL};
    return cholmod_solve2(CHOLMOD_A, factor->lower, &right, NULL, &factor->x, NULL, &factor->y,
                          &factor->e, &factor->common);
}

CaromStatus carom_factor_numbers(CaromFactor *factor) {
    if (!cholmod_factorize(&factor->matrix, factor->lower, &factor->common) ||
        status_of(factor) != CAROM_OK) {
        return status_of(factor) == CAROM_OK ? CAROM_NO_MEMORY : status_of(factor);
    }
    // The first solve takes the memory of all that follow.
    if (!factor->x) {
        double *zero = cholmod_calloc(factor->matrix.nrow, sizeof *zero, &factor->common);
        bool solved = zero && solve(factor, zero);
        cholmod_free(factor->matrix.nrow, sizeof *zero, zero, &factor->common);
        return solved ? CAROM_OK : CAROM_NO_MEMORY;
    }
    return CAROM_OK;
}

void carom_factor_solve(CaromFactor *factor, double *b, double *x) {
    int solved = solve(factor, b);
    CAROM_ASSERT(solved); // it had its memory
    (void)solved;
    memcpy(x, factor->x->x, sizeof *x * factor->matrix.nrow);
}

CaromFactorSize carom_factor_size(CaromFactor *factor) {
    double reciprocal = cholmod_rcond(factor->lower, &factor->common);
    return (CaromFactorSize){
        .nonzeros = factor->common.lnz,
        .bytes = (double)(factor->common.memory_inuse + sizeof *factor),
        .condition = 1 / reciprocal,
    };
}
