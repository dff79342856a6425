// SPDX-License-Identifier: Apache-2.0
// Complex numbers, with the C11 macro that some compilers lack.
#pragma once
#include <complex.h>

#ifndef CMPLX
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif
