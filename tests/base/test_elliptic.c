// SPDX-License-Identifier: Apache-2.0
// Jacobi's functions against values of 40 digits (mpmath), and their identities.
#include "base/elliptic.h"
#include "test.h"

TEST(values) {
    static const struct {
        double u, m, expected[3];
    } cases[] = {
        {0.3, 0.1, {0.29509812430436883, 0.95546695234950083, 0.99563633406139027}},
        {1.7, 0.5, {0.99404770074086053, 0.10894571424250056, 0.71129078746030747}},
        {5, 0.9, {0.1549888205594176, -0.98791622392873003, 0.98913124455323955}},
        {2.5, 0.999999, {0.98661452818385371, 0.16306984018067761, 0.1630728247893529}},
        {-3, 0.99, {-0.99717031290000183, 0.07517557496230039, 0.12487935538031628}},
        {2, 1, {0.96402758007581688, 0.26580222883407969, 0.26580222883407969}},
        {1.5, 1.7, {0.76690973903314824, 0.64175497830255159, -0.012002862133025325}},
        {40, 0.3, {-0.8806536979405644, 0.47376055587565451, 0.8759764376346448}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CaromJacobi j = carom_jacobi(cases[i].u, cases[i].m);
        double tolerance = 1e-14 * (1 + fabs(cases[i].u)); // rounding of u and m, a few of each
        CHECK_NEAR(j.sn, cases[i].expected[0], tolerance);
        CHECK_NEAR(j.cn, cases[i].expected[1], tolerance);
        CHECK_NEAR(j.dn, cases[i].expected[2], tolerance);
    }
}

TEST(quarter_period) {
    CHECK_NEAR(carom_elliptic_k(0), 1.5707963267948966, 1e-15);
    CHECK_NEAR(carom_elliptic_k(0.5), 1.8540746773013719, 1e-15);
    CHECK_NEAR(carom_elliptic_k(0.99), 3.6956373629898742, 4e-15);
    for (double m = 0; m < 0.99; m += 0.07) {
        double k = carom_elliptic_k(m);
        CHECK_NEAR(carom_jacobi(k, m).sn, 1, 1e-15);
        CHECK_NEAR(carom_jacobi(2 * k + 0.3, m).sn, -carom_jacobi(0.3, m).sn, 1e-14);
    }
}
