// SPDX-License-Identifier: Apache-2.0
// The same rods by other means, for tests: grids that know the equation, the free top and the
// ground (v >= 0 at the foot, it pushes and never pulls) and nothing of images, modes or events.
// Units as in src/rod/reduced.h: length 1, wave speed 1.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { GRID_MOST_BOUNCES = 16 };

typedef struct GridBounce {
    double leaving, momentum, height, energy, landing;
} GridBounce;

typedef struct GridRun {
    int count;
    GridBounce bounces[GRID_MOST_BOUNCES];
} GridRun;

// ---- Viscous damping: waves up and down, one cell per step ------------------------------------

typedef struct WaveGrid {
    int n;
    double *up, *down; ///< v_t - v_x, which moves up, and v_t + v_x, which moves down
} WaveGrid;

/// Damping and gravity over half a step: v_t' = -2 rho v_t - gamma, v_x stays.
static inline void grid_push(WaveGrid *g, double rho, double gamma) {
    double h = 0.5 / g->n, fade = exp(-2 * rho * h);
    double fall = rho > 0 ? gamma * (1 - fade) / (2 * rho) : gamma * h;
    for (int i = 0; i < g->n; i++) {
        double p = 0.5 * (g->up[i] + g->down[i]), q = 0.5 * (g->down[i] - g->up[i]);
        p = p * fade - fall;
        g->up[i] = p - q;
        g->down[i] = p + q;
    }
}

static inline void grid_weigh(const WaveGrid *g, double gamma, GridBounce *b) {
    double n = g->n, square = 0;
    b->momentum = b->height = 0;
    for (int i = 0; i < g->n; i++) {
        b->momentum += 0.5 * (g->up[i] + g->down[i]) / n;
        b->height += (1 - (i + 0.5) / n) * 0.5 * (g->down[i] - g->up[i]) / n;
        square += 0.25 * (g->up[i] * g->up[i] + g->down[i] * g->down[i]) / n;
    }
    b->energy = square + gamma * b->height;
}

/// Follow a rod until `wanted` bounces have ended, or to the time `last`.
static inline GridRun grid_viscous(int n, double rho, double m, double gamma, int wanted,
                                   double last) {
    WaveGrid g = {n, malloc((size_t)n * sizeof(double)), malloc((size_t)n * sizeof(double))};
    GridRun run = {0};
    bool contact = true;
    double foot = 0;
    for (int i = 0; i < n; i++) {
        g.up[i] = g.down[i] = -m;
    }
    for (int step = 0; step < last * n; step++) {
        grid_push(&g, rho, gamma);
        double arrives = g.down[0], top = g.up[n - 1]; // in contact `arrives` is the strain
        if (contact && arrives > 0) {
            contact = false;
            foot = 0;
            run.bounces[run.count].leaving = (double)step / n;
            grid_weigh(&g, gamma, &run.bounces[run.count++]);
        }
        for (int i = n - 1; i > 0; i--) {
            g.up[i] = g.up[i - 1];
        }
        for (int i = 0; i < n - 1; i++) {
            g.down[i] = g.down[i + 1];
        }
        g.down[n - 1] = top; // v_x = 0 at the top
        g.up[0] = contact ? -arrives : arrives;
        foot += contact ? 0 : arrives / n;
        if (!contact && foot < 0) {
            contact = true;
            run.bounces[run.count - 1].landing = (step + 1.0) / n;
            if (run.count == wanted) {
                break;
            }
        }
        grid_push(&g, rho, gamma);
    }
    free(g.up);
    free(g.down);
    return run;
}

// ---- Structural damping: implicit differences --------------------------------------------------

/// Solve (1 + 2 s) y_i - s (y_(i-1) + y_(i+1)) = b_i, y_0 = 0 below, y_(n+1) = y_n above; in place.
static inline void grid_tridiagonal(int n, double s, double *b, double *work) {
    for (int i = 0; i < n; i++) {
        double diagonal = 1 + (i < n - 1 ? 2 : 1) * s;
        double pivot = diagonal - (i > 0 ? s * work[i - 1] : 0);
        work[i] = s / pivot;
        b[i] = (b[i] + (i > 0 ? s * b[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--) {
        b[i] += work[i] * b[i + 1];
    }
}

/// The first bounce of a rod with structural damping rho: v_t = u, u_t = v_xx + 2 rho u_xx - gamma
/// by trapezoidal steps (the first few by Euler's, as the start is rough), nodes at the middles of
/// n cells and one at the foot, which is let go when the stress there is tension.
static inline GridBounce grid_structural(int n, double rho, double m, double gamma) {
    double h = 1 / (n + 0.5), dt = 0.5 * h;
    size_t bytes = (size_t)n * sizeof(double);
    double *v = calloc((size_t)n, sizeof *v), *u = malloc(bytes), *b = malloc(bytes);
    double *work = malloc(bytes);
    GridBounce bounce = {.leaving = INFINITY};
    double last = 0;
    for (int i = 0; i < n; i++) {
        u[i] = -m;
    }
    for (int step = 0; step < 40 * n; step++) {
        double theta = step < 8 ? 1 : 0.5;
        // v+ = v + dt (theta u+ + (1-theta) u),  u+ - dt theta D(v+ + 2 rho u+) = known
        for (int i = 0; i < n; i++) {
            double low = i > 0 ? v[i - 1] : 0, high = i < n - 1 ? v[i + 1] : v[i];
            double ulow = i > 0 ? u[i - 1] : 0, uhigh = i < n - 1 ? u[i + 1] : u[i];
            double bend = (low - 2 * v[i] + high) / (h * h);
            double ubend = (ulow - 2 * u[i] + uhigh) / (h * h);
            double known = bend + dt * theta * (1 - theta) * ubend + 2 * rho * (1 - theta) * ubend;
            b[i] = u[i] + dt * (known - gamma);
        }
        grid_tridiagonal(n, (theta * theta * dt * dt + 2 * rho * theta * dt) / (h * h), b, work);
        for (int i = 0; i < n; i++) {
            v[i] += dt * (theta * b[i] + (1 - theta) * u[i]);
            u[i] = b[i];
        }
        // Stress at the foot by a parabola through it and two nodes.
        double strain = (4 * v[0] - v[1]) / (2 * h), rate = (4 * u[0] - u[1]) / (2 * h);
        double stress = strain + 2 * rho * rate;
        if (step > 8 && stress > 0) {
            bounce.leaving = dt * (step + 1 - stress / (stress - last));
            for (int i = 0; i < n; i++) {
                bounce.momentum += u[i] * h;
                bounce.height += v[i] * h;
            }
            break;
        }
        last = stress;
    }
    free(v);
    free(u);
    free(b);
    free(work);
    return bounce;
}
