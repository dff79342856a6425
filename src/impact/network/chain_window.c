// SPDX-License-Identifier: Apache-2.0
// A part of a long chain: the contacts that feel an event get new series.
#include "base/elementary.h"
#include "base/fall.h"
#include "impact/network/chain_clock.h"
#include "impact/network/tuning.h"

#include <float.h>

// Term j + 2 of a contact needs term j of its neighbours (theory.md (3.5)). So what happens at a
// contact changes the terms up to ORDER + 1 of REACH contacts on either side, and no others. Their
// new terms need the values, at that time, of REACH contacts more: these are the rim. A contact
// that sleeps has no force. Nothing is felt beyond it.

enum {
    ORDER = CAROM_NETWORK_ORDER,
    TERMS = CAROM_CHAIN_TERMS,
    REACH = CAROM_CHAIN_REACH,
    WIDTH = 6 * REACH + 4, ///< of a window, at most, and zeros beside it
};

/// Contacts that move, from left to right, and their W without the held ones. They are worked on in
/// pairs. Where a pair has no second contact, and beside the first and the last one, there are
/// zeros.
typedef struct Window {
    int count;
    int from, to;    ///< those that are expanded, of `count`
    int first, last; ///< those where something happened
    int contact[WIDTH];
    double before[WIDTH], own[WIDTH];
    double stiff[WIDTH]; ///< k, or 0: asleep
    double x[TERMS][WIDTH], force[TERMS][WIDTH];
} Window;

/// The contacts that feel what happens from `first` to `last`, and the rim. Where they are now.
static void open_window(CaromChain *k, Window *w, int first, int last) {
    CaromNetwork *n = k->n;
    int from = carom_chain_walk(k, first, false, REACH),
        to = carom_chain_walk(k, last, true, REACH);
    int rim_from = carom_chain_walk(k, from, false, REACH),
        rim_to = carom_chain_walk(k, to, true, REACH);
    w->count = w->from = w->to = w->first = w->last = 0;
    int d = rim_from;
    do {
        int i = w->count++, gap = last_of(k, d);
        w->from = d == from ? i : w->from;
        w->to = d == to ? i : w->to;
        w->first = d == first ? i : w->first;
        w->last = d == last ? i : w->last;
        w->contact[i] = d;
        w->own[i] = k->own[d];
        w->before[i] = k->before[d];
        if (gap < d - 1) { // held ones in between
            w->own[i] += k->before[d] * k->right[d - 1];
            w->before[i] = k->before[d] * k->left[d - 1];
        }
        if (d + 1 < n->count && n->rigid[d + 1]) {
            w->own[i] += k->before[d + 1] * k->left[d + 1];
        }
        w->stiff[i] = sleeps(k, d) ? 0 : n->stiffness[d];
        d = next_of(k, d);
    } while (d <= rim_to);
    for (int i = 0; i + 1 < w->count; i += 2) {
        carom_chain_see_pair(k, w->contact[i], w->contact[i + 1]);
    }
    carom_chain_see(k, w->contact[w->count - 1]);
    w->before[0] = 0;
    for (int i = w->count; i < w->count + 3; i++) {
        w->before[i] = w->own[i] = w->stiff[i] = w->x[0][i] = w->x[1][i] = 0;
    }
}

/// Velocities anew from the impulses so far, so that their errors do not add up.
static void follow_impulses(CaromChain *k, const Window *w) {
    CaromNetwork *n = k->n;
    for (int i = w->from; i <= w->to; i++) {
        int c = w->contact[i];
        double sum = k->own[c] * n->impulse[c];
        if (c > 0) {
            bool held = n->rigid[c - 1];
            carom_chain_see(k, last_of(k, c));
            sum += k->before[c] *
                   (held ? carom_chain_held_impulse(k, k->other[c - 1], c - 1) : n->impulse[c - 1]);
        }
        if (c + 1 < n->count) {
            bool held = n->rigid[c + 1];
            carom_chain_see(k, next_of(k, c));
            sum += k->before[c + 1] *
                   (held ? carom_chain_held_impulse(k, c + 1, c + 1) : n->impulse[c + 1]);
        }
        n->velocity[c] = n->velocity[c] == 0 ? 0 : n->first_velocity[c] + sum;
        n->parting[c] = n->parting[c] || n->velocity[c] > n->threshold[c];
    }
}

/// Term j + 2 from term j.
static void expand_term(Window *w, double factor, int j) {
    const double *from = w->force[j];
    double *x = w->x[j + 2], *force = w->force[j + 2];
    CaromLanes last = {0, 0}, here = lanes_load(from);
    for (int i = 0; i < w->count; i += 2) {
        CaromLanes next = lanes_load(from + i + 2);
        CaromLanes before = {last[1], here[0]}, after = {here[1], next[0]};
        CaromLanes term =
            factor * (lanes_load(w->before + i) * before + lanes_load(w->own + i) * here +
                      lanes_load(w->before + i + 1) * after);
        lanes_store(x + i, term);
        lanes_store(force + i, lanes_load(w->stiff + i) * term);
        last = here;
        here = next;
    }
    int end = w->count + w->count % 2;
    force[end] = force[end + 1] = 0;
}

/// theory.md (3.5). Returns the length of the step.
static double expand(const CaromChain *k, Window *w) {
    const CaromNetwork *n = k->n;
    double most = 0;
    for (int i = 0; i < w->count; i++) {
        bool near = i + 1 >= w->from && i <= w->to + 1;
        double sum = w->own[i] * w->stiff[i] - w->before[i] * (i > 0 ? w->stiff[i - 1] : 0) -
                     w->before[i + 1] * (i + 1 < w->count ? w->stiff[i + 1] : 0);
        most = near && sum > most ? sum : most;
    }
    double h = most > 0 ? CAROM_PHASE_OF_SPRINGS / sqrt(most) : 1;
    for (int i = 0; i < w->count + 3; i++) {
        bool is = i < w->count;
        w->x[0][i] = is ? n->compression[w->contact[i]] : 0;
        w->x[1][i] = is ? -h * n->velocity[w->contact[i]] : 0;
        w->force[0][i] = w->stiff[i] * w->x[0][i];
        w->force[1][i] = w->stiff[i] * w->x[1][i];
    }
    for (int j = 0; j < ORDER; j++) {
        expand_term(w, -(h * h) * carom_inverse[j + 1] * carom_inverse[j + 2], j);
    }
    return h;
}

/// By how much the step may be longer, or has to be shorter, so that its last terms are within the
/// tolerance.
static double stretch_of(const CaromChain *k, const Window *w, double h) {
    const CaromNetwork *n = k->n;
    double enough = fmin(CAROM_STEP_SHARE, CAROM_EXACT / n->tolerance);
    double most[2] = {DBL_MIN, DBL_MIN};
    for (int i = w->from; i <= w->to; i++) {
        double unit = 1 / (h * n->threshold[w->contact[i]]);
        for (int m = 0; m < 2; m++) {
            most[m] = fmax(most[m], (ORDER + 1 - m) * fabs(w->x[ORDER + 1 - m][i]) * unit);
        }
    }
    double room = fmin(enough / most[0], enough / most[1]);
    if (room >= 1 && room < CAROM_LEAST_ROOM) {
        return 1;
    }
    double stretch = CAROM_MOST_STRETCH;
    for (int m = 0; m < 2; m++) {
        stretch = fmin(stretch, pow(enough / most[m], 1.0 / (ORDER - m)));
    }
    return stretch;
}

/// When the first contact of the run p between the window's i and i + 1 becomes a spring again.
static void set_run_alarm(CaromChain *k, const Window *w, int p, int i, double h) {
    CaromNetwork *n = k->n;
    double most[2] = {0, 0}, f[2][TERMS]; // forces beside the run
    for (int j = 0; j < TERMS; j++) {
        f[0][j] = i >= 0 ? w->stiff[i] * w->x[j][i] : 0;
        f[1][j] = i + 1 < w->count ? w->stiff[i + 1] * w->x[j][i + 1] : 0;
        most[0] += fmax(f[0][j], 0);
        most[1] += fmax(f[1][j], 0);
    }
    double first = INFINITY;
    bool may = fmax(most[0], most[1]) >= k->least_yield[p];
    for (int c = p; may && c <= k->other[p]; c++) {
        double yield = yield_of(n, c);
        if (k->left[c] * most[0] + k->right[c] * most[1] < yield) {
            continue;
        }
        double rest[TERMS];
        for (int j = 0; j < TERMS; j++) {
            rest[j] = -(k->left[c] * f[0][j] + k->right[c] * f[1][j]);
        }
        rest[0] += yield;
        double t = carom_first_fall(ORDER, rest, fmin(first, 1));
        if (t < first) {
            first = t;
            k->yielding[p] = c;
        }
    }
    set_alarm(k, p, k->time + h * first, CAROM_ALARM_EVENT);
}

/// The runs beside the contacts of the window that are expanded.
static void set_run_alarms(CaromChain *k, const Window *w, double h) {
    CaromNetwork *n = k->n;
    for (int i = w->from; i <= w->to; i++) {
        int c = w->contact[i];
        if (i == w->from && c > 0 && n->rigid[c - 1]) {
            set_run_alarm(k, w, k->other[c - 1], i - 1, h);
            carom_chain_note_alarms(k, k->other[c - 1], c);
        }
        if (c + 1 < n->count && n->rigid[c + 1]) {
            set_run_alarm(k, w, c + 1, i, h);
        }
    }
}

/// When something may happen at a contact of the window.
static void set_own_alarm(CaromChain *k, int c, double h, bool moves) {
    k->n->step = h;
    double t = carom_network_earliest_event(k->n, c);
    if (t <= 1) {
        set_alarm(k, c, k->time + h * t, CAROM_ALARM_BOUND);
    } else {
        k->until[c] = moves ? k->time + h : INFINITY;
        set_alarm(k, c, k->until[c], CAROM_ALARM_EXPIRY);
    }
}

/// The same for those that are expanded, from sums of their terms.
static void set_own_alarms(CaromChain *k, const Window *w, double h) {
    typedef long long Mask __attribute__((vector_size(sizeof(CaromLanes))));
    CaromNetwork *n = k->n;
    for (int i = w->from; i <= w->to; i += 2) {
        CaromLanes x = lanes_load(w->x[2] + i), down = (CaromLanes)((Mask)x & (x < 0));
        CaromLanes slope_down = {0, 0}, slope_up = {0, 0};
        for (int j = 3; j < TERMS; j++) {
            x = lanes_load(w->x[j] + i);
            CaromLanes low = (CaromLanes)((Mask)x & (x < 0));
            down += low;
            slope_down += j * low;
            slope_up += j * (x - low);
        }
        for (int m = 0; m < 2 && i + m <= w->to; m++) {
            int c = w->contact[i + m];
            n->residual[c] = down[m];
            n->image[c] = slope_down[m];
            n->ode_force[c] = slope_up[m];
            set_own_alarm(k, c, h, w->x[2][i + m] != 0 || slope_down[m] != 0 || slope_up[m] != 0);
        }
    }
}

/// A contact of the rim at so many hops from an event: shorten its series if the event is felt
/// before its end. `felt` is the share of the change that it feels within h.
static void shorten(CaromChain *k, int c, int hops, double felt, double h) {
    double left = k->until[c] - k->time, square = (left / h) * (left / h);
    for (int i = 0; i < hops; i++) {
        felt *= square;
    }
    if (felt > CAROM_EXACT) {
        left *= isinf(felt) ? 0 : pow(CAROM_EXACT / felt, 0.5 / hops);
        k->until[c] = k->time + left;
        if (k->alarm[c] > k->until[c]) {
            set_alarm(k, c, k->until[c], CAROM_ALARM_EXPIRY);
            carom_chain_note_alarms(k, c, c);
        }
    }
}

/// The force of a contact moves the next one by |W| k t^2/2, that one the next but one by
/// |W| k t^4/4!, and so on.
static void shorten_rim(CaromChain *k, const Window *w, double h) {
    const double *stiffness = k->n->stiffness;
    double felt = 1;
    for (int i = w->last + 1, hops = 1; i < w->count; i++, hops++) {
        double stiff = hops == 1 ? stiffness[w->contact[i - 1]] : w->stiff[i - 1];
        felt *= -w->before[i] * stiff * h * h * (0.5 / hops / (2 * hops - 1));
        if (i > w->to) {
            shorten(k, w->contact[i], hops, felt, h);
        }
    }
    felt = 1;
    for (int i = w->first - 1, hops = 1; i >= 0; i--, hops++) {
        double stiff = hops == 1 ? stiffness[w->contact[i + 1]] : w->stiff[i + 1];
        felt *= -w->before[i + 1] * stiff * h * h * (0.5 / hops / (2 * hops - 1));
        if (i < w->from) {
            shorten(k, w->contact[i], hops, felt, h);
        }
    }
}

/// Expand anew the contacts that feel what happens from `first` to `last`.
void carom_chain_renew(CaromChain *k, int first, int last, int calm) {
    CaromNetwork *n = k->n;
    Window w;
    open_window(k, &w, first, last);
    follow_impulses(k, &w);
    double length = expand(k, &w);
    double stretch = stretch_of(k, &w, length), power = 1;
    length *= stretch;
    for (int j = 0; j < TERMS; j++) {
        double *terms = n->compression_terms + (size_t)j * (size_t)n->count;
        for (int i = w.from > 0 ? w.from - 1 : 0; i <= w.to + 1; i++) {
            w.x[j][i] *= power;
        }
        for (int i = w.from; i <= w.to; i++) {
            terms[w.contact[i]] = w.x[j][i];
        }
        power *= stretch;
    }
    for (int i = w.from; i <= w.to; i++) {
        int d = w.contact[i];
        k->base[d] = k->time;
        k->length[d] = length;
        k->until[d] = k->time + length;
        k->start[d] = n->impulse[d];
        k->calm[d] = calm;
    }
    set_own_alarms(k, &w, length);
    set_run_alarms(k, &w, length);
    if (calm == 0) {
        shorten_rim(k, &w, length);
    }
    carom_chain_note_alarms(k, w.contact[w.from],
                            w.contact[w.to] + 1 < n->count ? w.contact[w.to] + 1 : w.contact[w.to]);
    n->steps++;
}
