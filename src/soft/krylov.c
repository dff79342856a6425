// SPDX-License-Identifier: Apache-2.0
// GMRES for fields: modified Gram-Schmidt, Givens rotations, restarts from the true residual.
#include "soft/krylov.h"

#include "soft/field.h"

enum { LENGTH = CAROM_KRYLOV_LENGTH };

/// The triangle that the rotations make of the Hessenberg matrix, and the right-hand side with it.
typedef struct Least {
    double r[LENGTH + 1][LENGTH]; ///< column j holds j + 1 entries
    double cosine[LENGTH], sine[LENGTH];
    double right[LENGTH + 1];
} Least;

/// The next vector of the basis: A v_j, made orthogonal to those before. Its column of the
/// Hessenberg matrix goes to `least`.
static void extend(CaromKrylov *krylov, CaromApplyFn *apply, void *user, int j, Least *least) {
    CaromVec3 *next = krylov->basis[j + 1];
    apply(user, krylov->basis[j], next);
    for (int i = 0; i <= j; i++) {
        double along = field_dot(krylov->count, krylov->basis[i], next);
        field_add(krylov->count, -along, krylov->basis[i], next);
        least->r[i][j] = along;
    }
    double length = field_norm(krylov->count, next);
    if (length > 0) {
        field_scale(krylov->count, 1 / length, next);
    }
    least->r[j + 1][j] = length;
}

/// Rotate the last column into the triangle. Returns the size of the residual.
static double rotate(Least *least, int j) {
    for (int i = 0; i < j; i++) {
        double upper = least->r[i][j], lower = least->r[i + 1][j];
        least->r[i][j] = least->cosine[i] * upper + least->sine[i] * lower;
        least->r[i + 1][j] = -least->sine[i] * upper + least->cosine[i] * lower;
    }
    double upper = least->r[j][j], lower = least->r[j + 1][j], length = hypot(upper, lower);
    least->cosine[j] = length > 0 ? upper / length : 1;
    least->sine[j] = length > 0 ? lower / length : 0;
    least->r[j][j] = length;
    least->right[j + 1] = -least->sine[j] * least->right[j];
    least->right[j] *= least->cosine[j];
    return fabs(least->right[j + 1]);
}

/// x += the combination of the basis that makes the residual least.
static void combine(const CaromKrylov *krylov, const Least *least, int steps, CaromVec3 *x) {
    double y[LENGTH];
    for (int i = steps - 1; i >= 0; i--) {
        double sum = least->right[i];
        for (int j = i + 1; j < steps; j++) {
            sum -= least->r[i][j] * y[j];
        }
        y[i] = least->r[i][i] > 0 ? sum / least->r[i][i] : 0;
        field_add(krylov->count, y[i], krylov->basis[i], x);
    }
}

/// One stretch between restarts, from the residual in basis[0] of size `start` down to `goal`.
/// Returns the steps.
static int stretch(CaromKrylov *krylov, CaromApplyFn *apply, void *user, double start, double goal,
                   int max_steps, CaromVec3 *x) {
    Least least = {.right = {start}};
    field_scale(krylov->count, 1 / start, krylov->basis[0]);
    int steps = 0;
    double size = start;
    while (steps < LENGTH && steps < max_steps && size > goal) {
        extend(krylov, apply, user, steps, &least);
        size = rotate(&least, steps++);
    }
    combine(krylov, &least, steps, x);
    return steps;
}

CaromKrylovResult carom_krylov_solve(CaromKrylov *krylov, CaromApplyFn *apply, void *user,
                                     const CaromVec3 *b, double tolerance, int max_steps,
                                     CaromVec3 *x) {
    int count = krylov->count;
    double whole = field_norm(count, b), size = whole, last = 2 * HUGE_VAL;
    CaromKrylovResult result = {0};
    field_zero(count, x);
    field_copy(count, b, krylov->basis[0]);
    while (size > tolerance * whole && size <= last / 2 && result.steps < max_steps) {
        last = size;
        result.steps +=
            stretch(krylov, apply, user, size, tolerance * whole, max_steps - result.steps, x);
        apply(user, x, krylov->work);
        field_subtract(count, b, krylov->work, krylov->basis[0]);
        size = field_norm(count, krylov->basis[0]);
        result.steps++;
    }
    result.residual = whole > 0 ? size / whole : 0;
    return result;
}

int carom_krylov_project(CaromKrylov *krylov, CaromApplyFn *apply, void *user,
                         double h[LENGTH * LENGTH]) {
    Least least = {.right = {0}};
    double start = field_norm(krylov->count, krylov->basis[0]);
    int size = 0;
    if (start > 0) {
        field_scale(krylov->count, 1 / start, krylov->basis[0]);
    }
    // The space is exhausted when the next vector vanishes but for rounding.
    for (bool more = start > 0; more && size < LENGTH; size++) {
        extend(krylov, apply, user, size, &least);
        double largest = 0;
        for (int i = 0; i <= size; i++) {
            largest = fmax(largest, fabs(least.r[i][size]));
        }
        more = least.r[size + 1][size] > 1e-14 * largest;
    }
    for (int i = 0; i < size * size; i++) {
        h[i] = least.r[i / size][i % size];
    }
    return size;
}
