// SPDX-License-Identifier: Apache-2.0
// Colours by theme. Hues after Okabe and Ito; the ramp runs dark violet, teal, yellow, so that it
// also grows in lightness.
#include "base/elementary.h"
#include "plot/figure.h"

static CaromRgba rgb(unsigned hex) {
    return (CaromRgba){(hex >> 16 & 0xFF) / 255.0, (hex >> 8 & 0xFF) / 255.0, (hex & 0xFF) / 255.0,
                       1};
}

static CaromRgba ramp(double share) {
    static const unsigned stops[] = {0x3B1C6B, 0x3A528B, 0x21808C, 0x3FA86F, 0xC2B32B};
    const int pieces = sizeof stops / sizeof *stops - 1;
    int piece = (int)fmin(floor(share * pieces), pieces - 1);
    CaromRgba a = rgb(stops[piece]), b = rgb(stops[piece + 1]);
    double t = share * pieces - piece;
    return (CaromRgba){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b), 1};
}

CaromRgba carom_ink_rgba(CaromInk ink, CaromPlotTheme theme) {
    static const unsigned light[] = {
        [CAROM_INK_TEXT] = 0x1F2933,   [CAROM_INK_SOFT] = 0x5B6774,   [CAROM_INK_FAINT] = 0xDDE2E8,
        [CAROM_INK_PAPER] = 0xFFFFFF,  [CAROM_INK_BLUE] = 0x0067A8,   [CAROM_INK_ORANGE] = 0xC75300,
        [CAROM_INK_GREEN] = 0x00845F,  [CAROM_INK_PURPLE] = 0xB14B86, [CAROM_INK_SKY] = 0x3A9BDC,
        [CAROM_INK_YELLOW] = 0xA77B00,
    };
    static const unsigned dark[] = {
        [CAROM_INK_TEXT] = 0xE8ECF1,   [CAROM_INK_SOFT] = 0xA3AEBB,   [CAROM_INK_FAINT] = 0x333C47,
        [CAROM_INK_PAPER] = 0x14191F,  [CAROM_INK_BLUE] = 0x4DA6E8,   [CAROM_INK_ORANGE] = 0xF28C3A,
        [CAROM_INK_GREEN] = 0x2FC79A,  [CAROM_INK_PURPLE] = 0xE08CBD, [CAROM_INK_SKY] = 0x8CCBF7,
        [CAROM_INK_YELLOW] = 0xE3C73F,
    };
    static const unsigned balls[] = {0xF7F3E6, 0xEBB81C, 0x1F55B5, 0xCC2A20, 0x6A3395, 0xE2711D,
                                     0x14813F, 0x842236, 0x1B1B1B, 0x80501F, 0xF19DB7};
    if (ink >= CAROM_INK_BALL_WHITE && ink <= CAROM_INK_BALL_PINK) {
        return rgb(balls[ink - CAROM_INK_BALL_WHITE]);
    }
    if (ink == CAROM_INK_NONE) {
        return (CaromRgba){0};
    }
    if (ink >= CAROM_INK_RAMP) {
        double share = fmin((ink - CAROM_INK_RAMP) / 255.0, 1);
        // The dark end is lost on dark paper: use the brighter part, bright first.
        return theme == CAROM_PLOT_DARK ? ramp(1 - 0.72 * share) : ramp(share);
    }
    return rgb(theme == CAROM_PLOT_DARK ? dark[ink] : light[ink]);
}

CaromInk carom_ink_of(int i, int n) {
    static const CaromInk hues[] = {CAROM_INK_BLUE,   CAROM_INK_ORANGE, CAROM_INK_GREEN,
                                    CAROM_INK_PURPLE, CAROM_INK_SKY,    CAROM_INK_YELLOW};
    const int count = sizeof hues / sizeof *hues;
    if (n <= count) {
        return hues[i];
    }
    return (CaromInk)(CAROM_INK_RAMP + (int)lround(255.0 * i / (n - 1)));
}
