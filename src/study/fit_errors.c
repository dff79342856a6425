// SPDX-License-Identifier: Apache-2.0
// A fit's errors: covariance of the unknowns, what the data do not see, intervals and labels.
#include "study/fit_errors.h"
#include "base/dense.h"
#include "base/elementary.h"
#include "study/student.h"

/// A combination of unknowns to which the residuals answer less than this, relative to unknowns on
/// their own, is not seen in the data. Rounding of derivatives by differences leaves 1e-8, squared.
static const double blind_share = 1e-13;
/// Half-width of the interval of 95 %, relative to the range of the unknown or to its size: from
/// here on an estimate is weak, and not identifiable.
static const double weak_share = 0.1, useless_share = 1;
// ---- Errors --------------------------------------------------------------------------------

/// Everything that errors are made from.
typedef struct Errors {
    int m, n, free_count;
    const bool *at_bound;
    double *residuals, *jacobian;
    int *free;       ///< unknowns that are not at a bound
    double *size;    ///< norm of their columns
    double *matrix;  ///< J^T J, scaled
    double *values;  ///< its eigenvalues
    double *vectors; ///< and vectors
    bool *blind;     ///< unknowns that a direction which the data do not see has a part in
    double variance; ///< of a residual
    double *inverse; ///< of J^T J
} Errors;

/// Scale the columns of the unknowns that the residuals answer to at all.
static void choose_free(const CaromFitRun *run, const double *x, Errors *errors) {
    for (int i = 0; i < errors->n; i++) {
        const double *slopes = errors->jacobian + i * errors->m;
        double sum = 0;
        for (int e = 0; e < errors->m; e++) {
            sum += slopes[e] * slopes[e];
        }
        if (carom_fit_is_blind(run, i, x[i], slopes)) {
            errors->blind[i] = true;
        } else if (!errors->at_bound[i]) {
            errors->size[errors->free_count] = sqrt(sum);
            errors->free[errors->free_count++] = i;
        }
    }
}

static void invert(Errors *errors) {
    int m = errors->m, n = errors->free_count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double *a = errors->jacobian + errors->free[i] * m;
            const double *b = errors->jacobian + errors->free[j] * m;
            double sum = 0;
            for (int e = 0; e < m; e++) {
                sum += a[e] * b[e];
            }
            errors->matrix[i * n + j] = sum / (errors->size[i] * errors->size[j]);
        }
    }
    carom_symmetric_eigen(n, errors->matrix, errors->values, errors->vectors);
    for (int k = 0; k < n; k++) {
        bool seen = errors->values[k] > blind_share;
        for (int i = 0; i < n; i++) {
            double part = errors->vectors[i * n + k];
            if (!seen && fabs(part) > 0.01) {
                errors->blind[errors->free[i]] = true;
            }
            for (int j = 0; j < n && seen; j++) {
                double other = errors->vectors[j * n + k];
                errors->inverse[i * n + j] +=
                    part * other / (errors->values[k] * errors->size[i] * errors->size[j]);
            }
        }
    }
}

/// Squares over the degrees of freedom; with Huber's loss the same of clipped residuals, over how
/// many are not clipped [Huber1981].
static double residual_variance(const Errors *errors, double threshold) {
    double sum = 0;
    int whole = 0, freedom = errors->m - errors->free_count;
    for (int e = 0; e < errors->m; e++) {
        double clipped = fmin(fabs(errors->residuals[e]), threshold);
        sum += clipped * clipped;
        whole += fabs(errors->residuals[e]) <= threshold;
    }
    double share = (double)whole / errors->m;
    return freedom > 0 ? sum / freedom / (share * share) : NAN;
}

static CaromFitLabel label_of(const CaromFitUnknown *unknown, const CaromFitEstimate *estimate) {
    double half = (estimate->high - estimate->low) / 2;
    double share = half / carom_fit_size(unknown, estimate->value);
    return share >= useless_share ? CAROM_FIT_NOT_IDENTIFIABLE
           : share >= weak_share  ? CAROM_FIT_WEAK
                                  : CAROM_FIT_IDENTIFIED;
}

static void write_errors(const CaromFitRun *run, const Errors *errors, const double *x,
                         double *covariance, double *correlation, CaromFitEstimate *estimates) {
    int n = errors->n, nf = errors->free_count;
    double t = carom_student_95(errors->m - nf);
    for (int i = 0; i < n * n; i++) {
        covariance[i] = correlation[i] = NAN;
    }
    for (int i = 0; i < nf * nf; i++) {
        int a = errors->free[i / nf], b = errors->free[i % nf];
        if (!errors->blind[a] && !errors->blind[b]) {
            double both = errors->inverse[i] + errors->inverse[i % nf * nf + i / nf];
            covariance[a * n + b] = errors->variance * both / 2;
        }
    }
    for (int i = 0; i < n; i++) {
        CaromFitEstimate *estimate = &estimates[i];
        double error = sqrt(covariance[i * n + i]);
        *estimate = (CaromFitEstimate){x[i], error, x[i] - t * error, x[i] + t * error, 0};
        estimate->label = errors->blind[i]      ? CAROM_FIT_NOT_IDENTIFIABLE
                          : errors->at_bound[i] ? CAROM_FIT_AT_BOUND
                          : isnan(error)        ? CAROM_FIT_WEAK
                                                : label_of(&run->variant->unknowns[i], estimate);
    }
    for (int i = 0; i < n * n; i++) {
        double product = covariance[i / n * n + i / n] * covariance[i % n * n + i % n];
        correlation[i] = i / n == i % n && product == 0 ? 1 : covariance[i] / sqrt(product);
    }
}

bool carom_fit_errors(CaromFitRun *run, const CaromFitBest *best, CaromPool *pool,
                      CaromFitModel *model) {
    CaromPool *scratch = run->pool;
    const double *x = best->x;
    size_t m = (size_t)run->entry_count, n = (size_t)run->variant->unknown_count;
    Errors errors = {
        .m = (int)m,
        .n = (int)n,
        .at_bound = best->at_bound,
        .residuals = carom_pool_take(scratch, m, sizeof(double)),
        .jacobian = carom_pool_take(scratch, m * n, sizeof(double)),
        .free = carom_pool_take(scratch, n, sizeof(int)),
        .size = carom_pool_take(scratch, n, sizeof(double)),
        .matrix = carom_pool_take(scratch, n * n, sizeof(double)),
        .values = carom_pool_take(scratch, n, sizeof(double)),
        .vectors = carom_pool_take(scratch, n * n, sizeof(double)),
        .blind = carom_pool_take(scratch, n, sizeof(bool)),
        .inverse = carom_pool_take(scratch, n * n, sizeof(double)),
    };
    double *covariance = carom_pool_take(pool, n * n, sizeof(double));
    double *correlation = carom_pool_take(pool, n * n, sizeof(double));
    CaromFitEstimate *estimates = carom_pool_take(pool, n, sizeof *estimates);
    if (scratch->failed || pool->failed || !carom_fit_residuals(run, x, errors.residuals) ||
        !carom_fit_jacobian(run, x, errors.residuals, true, errors.jacobian)) {
        return false;
    }
    choose_free(run, x, &errors);
    invert(&errors);
    errors.variance = residual_variance(&errors, run->threshold);
    write_errors(run, &errors, x, covariance, correlation, estimates);
    double sum = 0;
    for (size_t e = 0; e < m; e++) {
        sum += errors.residuals[e] * errors.residuals[e];
    }
    double count = (double)m, size = count * log(fmax(sum / count, 1e-300));
    model->residual_rms = sqrt(sum / count);
    model->aic = size + 2 * (double)(n + 1);
    model->bic = size + log(count) * (double)(n + 1);
    model->derivatives = !run->differences ? "exact" : run->derivatives ? "mixed" : "differences";
    model->covariance = covariance;
    model->correlation = correlation;
    model->estimates = estimates;
    return true;
}
