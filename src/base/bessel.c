// SPDX-License-Identifier: Apache-2.0
// Modified Bessel functions: the power series for small arguments, Chebyshev series beyond.
//
//   I0(x) = sum (x^2/4)^m / (m! m!),   I1(x) = (x/2) sum (x^2/4)^m / (m! (m+1)!)     x < 8
//   I(x)  = exp(x)/sqrt(x) sum c_j T_j(16/x - 1)                                     x >= 8
//
// All terms of the power series are positive, so nothing cancels. The coefficients c_j are those of
// scripts/bessel_coefficients.py.
#include "base/bessel.h"

#include "base/elementary.h"

enum { CHEBYSHEV_TERMS = 25, POWER_TERMS = 24 };
static const double border = 8;

// clang-format off
static const double chebyshev_i0[CHEBYSHEV_TERMS] = {
    0.4022452055070544158, 0.0033691164782556940899, 0.000068897583469168239843,
    2.891370520834756483e-6, 2.0489185894690637418e-7, 2.2666689904981780646e-8,
    3.3962320257083863452e-9, 4.9406023882249695891e-10, 1.1889147107846438342e-11,
    -3.1499165279632413645e-11, -1.3215811840447713119e-11, -1.7941785315068061178e-12,
    7.1801244513836662337e-13, 3.8527783827421427011e-13, 1.5400862175214098269e-14,
    -4.1505693472872220866e-14, -9.5548466988283076487e-15, 3.8116806693526224207e-15,
    1.7725601330565263836e-15, -3.4254856196772191346e-16, -2.8276239805165834849e-16,
    3.4612228676974610931e-17, 4.465621420296759999e-17, -4.8305044859441820713e-18,
    -7.2331804878747539546e-18,
};
static const double chebyshev_i1[CHEBYSHEV_TERMS] = {
    0.38928811750914006024, -0.0097610974913614684078, -0.00011058893876262371629,
    -3.8825648088776903935e-6, -2.5122362378702089253e-7, -2.6314688468895195068e-8,
    -3.835380385964237022e-9, -5.5897434621965838069e-10, -1.8974958123505412345e-11,
    3.2526035830154882386e-11, 1.4125807436613781332e-11, 2.0356285441470895072e-12,
    -7.1985517762459085121e-13, -4.0835511110921973182e-13, -2.101541842772664313e-14,
    4.2724400167119513543e-14, 1.0420276984128802764e-14, -3.8144030724370078048e-15,
    -1.8803547755107824485e-15, 3.3082023109209282827e-16, 2.9626289976459501391e-16,
    -3.2095259219934239588e-17, -4.6503053684893583256e-17, 4.4143483230717079499e-18,
    7.5172963108421048054e-18,
};
/// 1/(m! m!) and 1/(m! (m+1)!)
static const double power_i0[POWER_TERMS] = {
    1.0, 1.0, 0.25, 0.027777777777777776, 0.001736111111111111, 6.944444444444444e-05,
    1.9290123456790124e-06, 3.936759889140842e-08, 6.151187326782565e-10, 7.594058428126624e-12,
    7.594058428126623e-14, 6.276081345559193e-16, 4.358389823304995e-18, 2.5789288895295828e-20,
    1.3157800456783586e-22, 5.8479113141260385e-25, 2.2843403570804838e-27,
    7.904291893012054e-30, 2.4395962632753253e-32, 6.757884385804225e-35,
    1.6894710964510564e-37, 3.8310002187098785e-40, 7.915289708078262e-43,
    1.4962740468957016e-45,
};
static const double power_i1[POWER_TERMS] = {
    1.0, 0.5, 0.08333333333333333, 0.006944444444444444, 0.00034722222222222224,
    1.1574074074074073e-05, 2.755731922398589e-07, 4.920949861426052e-09, 6.834652585313961e-11,
    7.594058428126623e-13, 6.903689480115112e-15, 5.230067787965994e-17, 3.352607556388458e-19,
    1.842092063949702e-21, 8.771866971189057e-24, 3.654944571328774e-26, 1.3437296218120491e-28,
    4.391273273895586e-31, 1.2839980333028028e-33, 3.3789421929021126e-36,
    8.045100459290744e-39, 1.7413637357772174e-41, 3.4414303078601135e-44,
    6.234475195398757e-47,
};
// clang-format on

/// sum_j c_j T_j(x) by Clenshaw's recurrence.
static double chebyshev(const double *c, double x) {
    double b1 = 0, b2 = 0;
    for (int j = CHEBYSHEV_TERMS - 1; j > 0; j--) {
        double b0 = 2 * x * b1 - b2 + c[j];
        b2 = b1;
        b1 = b0;
    }
    return x * b1 - b2 + c[0];
}

/// sum_m c_m q^m, q <= 16, by Horner's rule. The first term left out is below rounding.
static double power_series(const double *c, double q) {
    int terms = q <= 1 ? 12 : q <= 4 ? 17 : POWER_TERMS;
    double sum = 0;
    for (int m = terms - 1; m >= 0; m--) {
        sum = sum * q + c[m];
    }
    return sum;
}

double carom_bessel_i0(double x) {
    return x < border ? power_series(power_i0, 0.25 * x * x) : exp(x) * carom_bessel_i0e(x);
}

double carom_bessel_i1(double x) {
    return x < border ? 0.5 * x * power_series(power_i1, 0.25 * x * x)
                      : exp(x) * carom_bessel_i1e(x);
}

double carom_bessel_i0e(double x) {
    return x < border ? exp(-x) * carom_bessel_i0(x)
                      : chebyshev(chebyshev_i0, 2 * border / x - 1) / sqrt(x);
}

double carom_bessel_i1e(double x) {
    return x < border ? exp(-x) * carom_bessel_i1(x)
                      : chebyshev(chebyshev_i1, 2 * border / x - 1) / sqrt(x);
}
