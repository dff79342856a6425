// SPDX-License-Identifier: Apache-2.0
// Values of distributions, and the normal quantile.
#include "study/distribution.h"

#include "base/elementary.h"

// ---- The normal distribution -------------------------------------------------------------------

static double ratio(const double numerator[8], const double denominator[8], double r) {
    double n = numerator[7], d = denominator[7];
    for (int i = 6; i >= 0; i--) {
        n = n * r + numerator[i];
        d = d * r + denominator[i];
    }
    return n / d;
}

// Rational approximations and their coefficients: routine PPND16 of [Wichura1988].
static const double middle[2][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
static const double near_tail[2][8] = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
static const double far_tail[2][8] = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

double carom_normal_quantile(double u) {
    double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        return q * ratio(middle[0], middle[1], 0.180625 - q * q);
    }
    double r = sqrt(-log(q < 0 ? u : 1 - u));
    double z = r <= 5 ? ratio(near_tail[0], near_tail[1], r - 1.6)
                      : ratio(far_tail[0], far_tail[1], r - 5);
    return q < 0 ? -z : z;
}

// By bisection of the quantile, so that both agree and no other function is needed. The smaller of
// the two shares is looked for by its logarithm: shares near zero keep their digits.
double carom_normal_share(double z) {
    if (z == 0) {
        return 0.5;
    }
    double low = -745, high = log(0.5), below = -fabs(z); // exp(-745) is the least number above 0
    for (int i = 0; i < 100; i++) {
        double half = 0.5 * (low + high);
        double u = exp(half);
        bool above = u > 0 && carom_normal_quantile(u) > below;
        low = above ? low : half;
        high = above ? half : high;
    }
    double share = exp(0.5 * (low + high));
    return z < 0 ? share : 1 - share;
}

// ---- All of them -----------------------------------------------------------------------------

double carom_grid_value(const CaromDistribution *grid, int i) {
    double share = grid->count > 1 ? i / (grid->count - 1.0) : 0;
    return (1 - share) * grid->a + share * grid->b;
}

/// The entry of `count` that lies at a share of all.
static int entry(int count, double u) {
    int i = (int)(u * count);
    return i < count ? i : count - 1;
}

double carom_distribution_value(const CaromDistribution *d, double u) {
    switch (d->kind) {
    case CAROM_UNIFORM:
        return d->a + (d->b - d->a) * u;
    case CAROM_NORMAL:
        return d->a + d->b * carom_normal_quantile(u);
    case CAROM_TRUNCATED_NORMAL: {
        // From the nearer tail, where shares keep their digits.
        bool upper = d->low > 0.5;
        double low = upper ? 1 - d->high : d->low, high = upper ? 1 - d->low : d->high;
        double share = low + (high - low) * (upper ? 1 - u : u);
        double z = carom_normal_quantile(share);
        return d->a + d->b * (upper ? -z : z);
    }
    case CAROM_LOG_UNIFORM:
        return d->a * exp(log(d->b / d->a) * u);
    case CAROM_LOG_NORMAL:
        return d->a * exp(d->b * carom_normal_quantile(u));
    case CAROM_INTEGER:
        return fmin(floor(d->a + (d->b - d->a + 1) * u), d->b);
    case CAROM_CHOICE:
        return entry(d->count, u);
    case CAROM_GRID:
    default:
        return carom_grid_value(d, entry(d->count, u));
    }
}
