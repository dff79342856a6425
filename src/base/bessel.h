// SPDX-License-Identifier: Apache-2.0
// Modified Bessel functions of the first kind, orders 0 and 1, for x >= 0: a few units in the last
// place for every x.
#pragma once

double carom_bessel_i0(double x);
double carom_bessel_i1(double x);
/// exp(-x) I0(x) and exp(-x) I1(x), which never overflow.
double carom_bessel_i0e(double x);
double carom_bessel_i1e(double x);
