// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky factorization: ordered by CHOLMOD, factored here (supernodal.c), or all by
// CHOLMOD.
#include "soft/factor.h"

#include "base/host.h"
#include "soft/supernodal.h"

#include <cholmod.h>
#include <string.h>

struct CaromFactor {
    cholmod_common common;
    cholmod_sparse matrix; ///< a view of the caller's arrays
#ifdef CAROM_SOFT_SUPERNODAL
    cholmod_factor *lower;
    cholmod_dense *x, *y, *e; ///< of a solve
#else
    CaromSupernodal *supernodal;
#endif
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
    // Nested dissection would suit large solids slightly better, but METIS draws from the rand()
    // that all threads share: the same object would give other digits beside another.
    factor->common.nmethods = 1;
    factor->common.method[0].ordering = CHOLMOD_AMD;
#ifdef CAROM_SOFT_SUPERNODAL
    factor->common.supernodal = CHOLMOD_SUPERNODAL;
#else
    factor->common.supernodal = CHOLMOD_SIMPLICIAL;
#endif
}

/// With its settings and its matrix; NULL without memory.
static CaromFactor *new_factor(const CaromHost *host, const CaromColumns *matrix) {
    CaromFactor *made = carom_allocate(host, sizeof *made);
    if (made) {
        memset(made, 0, sizeof *made);
        start(made);
        made->matrix = view_matrix(matrix);
    }
    return made;
}

#ifndef CAROM_SOFT_SUPERNODAL

CaromStatus carom_factor_create(const CaromHost *host, const CaromColumns *matrix,
                                CaromFactor **factor) {
    CaromFactor *made = new_factor(host, matrix);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    cholmod_factor *lower = cholmod_analyze(&made->matrix, &made->common);
    CaromStatus status = status_of(made);
    status = status == CAROM_OK && !lower ? CAROM_NO_MEMORY : status;
    if (status == CAROM_OK) {
        status =
            carom_supernodal_create(host, matrix, lower->Perm, lower->ColCount, &made->supernodal);
    }
    cholmod_free_factor(&lower, &made->common);
    if (status != CAROM_OK) {
        carom_factor_destroy(host, made);
        return status;
    }
    *factor = made;
    return CAROM_OK;
}

void carom_factor_destroy(const CaromHost *host, CaromFactor *factor) {
    if (factor) {
        carom_supernodal_destroy(factor->supernodal);
        cholmod_finish(&factor->common);
        carom_release(host, factor);
    }
}

CaromStatus carom_factor_numbers(CaromFactor *factor) {
    return carom_supernodal_factorise(factor->supernodal) ? CAROM_OK : CAROM_BAD_DATA;
}

void carom_factor_solve(CaromFactor *factor, double *b, double *x) {
    carom_supernodal_solve(factor->supernodal, b, x);
}

CaromFactorSize carom_factor_size(CaromFactor *factor) {
    return carom_supernodal_size(factor->supernodal);
}

#else // all by CHOLMOD, with parts that are under the GPL

CaromStatus carom_factor_create(const CaromHost *host, const CaromColumns *matrix,
                                CaromFactor **factor) {
    CaromFactor *made = new_factor(host, matrix);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
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

CaromStatus carom_factor_numbers(CaromFactor *factor) {
    bool factored = cholmod_factorize(&factor->matrix, factor->lower, &factor->common);
    CaromStatus status = status_of(factor);
    return status == CAROM_OK && !factored ? CAROM_NO_MEMORY : status;
}

/// CHOLMOD allocates a little each time.
void carom_factor_solve(CaromFactor *factor, double *b, double *x) {
    size_t n = factor->matrix.nrow;
    cholmod_dense right = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = b, .xtype = CHOLMOD_REAL};
    if (cholmod_solve2(CHOLMOD_A, factor->lower, &right, NULL, &factor->x, NULL, &factor->y,
                       &factor->e, &factor->common)) {
        memcpy(x, factor->x->x, sizeof *x * n);
    }
}

CaromFactorSize carom_factor_size(CaromFactor *factor) {
    double reciprocal = cholmod_rcond(factor->lower, &factor->common);
    return (CaromFactorSize){
        .nonzeros = factor->common.lnz,
        .bytes = (double)(factor->common.memory_inuse + sizeof *factor),
        .condition = 1 / reciprocal,
    };
}

#endif
