// SPDX-License-Identifier: Apache-2.0
// Sliding by numerical integration, also the refuge of the closed form.
#pragma once
#include "base/ode.h"
#include "impact/two_body/two_body.h"

enum { CAROM_SLIDE_SIZE = 6, CAROM_SLIDE_MEMORY = 32 * CAROM_SLIDE_SIZE };

typedef struct CaromIntegrator {
    bool ready;
    double speed; ///< at the start of sliding
    CaromOde ode;
    double scale[CAROM_SLIDE_SIZE];
    double memory[CAROM_SLIDE_MEMORY];
} CaromIntegrator;

/// A CaromSlideFn; `context` is a CaromIntegrator, not ready at first.
CaromPathStop carom_slide_integrate(void *context, CaromPath *path);
