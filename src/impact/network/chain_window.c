// SPDX-License-Identifier: Apache-2.0
// A part of a long chain: the contacts that feel an event get new series.
#include "base/elementary.h"
#include "base/fall.h"
#include "impact/network/chain_clock.h"
#include "impact/network/tuning.h"

#include <float.h>

// Term j + 2 of a contact needs term j of its neighbours (theory.md (3.5)). So what happens at a
// contact changes the terms up to ORDER + 1 of REACH contacts on either side, and no others. Those
// that feel it before their series end are expanded anew. Their new terms need the values, at that
// time, of REACH contacts more: these are the rim. A contact that sleeps has no force. Nothing is
// felt beyond it.

enum {
    ORDER = CAROM_NETWORK_ORDER,
    TERMS = CAROM_CHAIN_TERMS,
    REACH = CAROM_CHAIN_REACH,
    WIDTH = 8 * REACH + 8, ///< of a window, at most, and zeros beside it
};

/// Contacts that move, from left to right, and their W without the held ones. They are worked on in
/// pairs. Where a pair has no second contact, and beside the first and the last one, there are
/// zeros.
typedef struct Window {
    int count;
    int from, to; ///< those that are expanded, of `count`
    int contact[WIDTH];
    double before[WIDTH], own[WIDTH];
    double stiff[WIDTH];                                         ///< k, or 0: asleep
    double from_left[WIDTH], from_own[WIDTH], from_right[WIDTH]; ///< -h^2 W k
    double x[TERMS][WIDTH];
} Window;

/// `hops` contacts further, or up to one whose series does not end soon.
static int walk_old(const CaromChain *k, int c, bool right, int hops) {
    double soon = k->time + CAROM_RENEWED_EARLY * k->length[c];
    for (int i = 0; i < hops; i++) {
        int d = right ? next_of(k, c) : last_of(k, c);
        if (!is_contact(k, d) || !(k->until[d] <= soon)) {
            break;
        }
        c = d;
    }
    return c;
}

/// What a step may leave out of velocities, in units of what counts as rest.
static double left_out(const CaromNetwork *n) {
    return fmin(CAROM_STEP_SHARE, CAROM_EXACT / n->tolerance);
}

/// W between a contact and the last one that moves, with the held ones in between.
static double coupling(const CaromChain *k, int c) {
    return c == 0 ? 0 : k->before[c] * (k->n->rigid[c - 1] ? k->left[c - 1] : 1);
}

/// Most that the force of a spring can be within h, if only its present velocity matters.
static double force_within(CaromChain *k, int c, double h) {
    if (sleeps(k, c)) {
        return 0;
    }
    carom_chain_see(k, c);
    return k->n->stiffness[c] * (fabs(k->n->compression[c]) + h * fabs(k->n->velocity[c]));
}

/// A series that is not right for as long as it was expanded for.
static void end_early(CaromChain *k, int c, double until) {
    k->until[c] = until;
    if (k->alarm[c] > until) {
        set_alarm(k, c, until, CAROM_ALARM_EXPIRY);
        carom_chain_note_alarms(k, c, c);
    }
}

static double power_of(double x, int power) {
    double product = 1;
    for (; power > 0; power /= 2, x *= x) {
        product *= power % 2 == 1 ? x : 1;
    }
    return product;
}

/// The force of a contact changes by up to `change` at once, or within h. The velocity of the next
/// one then changes by up to |W| change t, that of the next but one by |W| k |W| change t^3/3!, and
/// so on. Returns the last contact that feels it before its series ends. Further away than REACH
/// they are not expanded anew; their series end earlier.
static int walk_felt(CaromChain *k, int c, bool right, double change, double h) {
    const CaromNetwork *n = k->n;
    double enough = left_out(n), speed = change / h;
    int to = c;
    for (int hops = 1; hops <= 2 * REACH && speed > 0; hops++) {
        int d = right ? next_of(k, c) : last_of(k, c);
        if (!is_contact(k, d)) {
            break;
        }
        double share = (k->until[d] - k->time) / h;
        speed *=
            -coupling(k, right ? d : c) * h * h / (hops > 1 ? (2 * hops - 1) * (2 * hops - 2) : 1);
        double within = speed / (enough * n->threshold[d]); // h
        int power = 2 * hops - 1 + (within < 1 ? 3 : 0);    // the change itself grows by then
        bool may = share > 0 && (within > 1 || share > 1);
        if (may && within * power_of(share, power) > 1) {
            if (hops <= REACH) {
                to = d;
            } else {
                end_early(k, d, k->time + h * pow(within, -1.0 / power));
            }
        }
        speed *= sleeps(k, d) ? 0 : n->stiffness[d];
        c = d;
    }
    return to;
}

/// By how much the force of a contact at which something happens may change until its series ends.
static double change_of(CaromChain *k, int c) {
    int l = last_of(k, c), r = next_of(k, c);
    double h = k->length[c];
    double push = k->own[c] * force_within(k, c, h) - coupling(k, c) * force_within(k, l, h) -
                  (is_contact(k, r) ? coupling(k, r) * force_within(k, r, h) : 0);
    double most = fabs(k->n->compression[c]) + h * fabs(k->n->velocity[c]) + 0.5 * h * h * push;
    return k->n->stiffness[c] * most;
}

/// The contacts that feel what happens from `first` to `last`, or whose series end like those, and
/// the rim.
static void open_window(CaromChain *k, Window *w, int first, int last, bool calm) {
    CaromNetwork *n = k->n;
    int from = first, to = last;
    if (!calm) {
        double change = change_of(k, first);
        from = walk_felt(k, first, false, change, k->length[first]);
        change = last != first ? change_of(k, last) : change;
        to = walk_felt(k, last, true, change, k->length[last]);
    }
    from = walk_old(k, from, false, REACH);
    to = walk_old(k, to, true, REACH);
    int rim_from = carom_chain_walk(k, from, false, REACH),
        rim_to = carom_chain_walk(k, to, true, REACH);
    w->count = w->from = w->to = 0;
    int d = rim_from;
    do {
        int i = w->count++, gap = last_of(k, d);
        w->from = d == from ? i : w->from;
        w->to = d == to ? i : w->to;
        w->contact[i] = d;
        w->own[i] = k->own[d] + (gap < d - 1 ? k->before[d] * k->right[d - 1] : 0); // held between
        w->before[i] = coupling(k, d);
        if (d + 1 < n->count && n->rigid[d + 1]) {
            w->own[i] += k->before[d + 1] * k->left[d + 1];
        }
        w->stiff[i] = sleeps(k, d) ? 0 : n->stiffness[d];
        d = next_of(k, d);
    } while (d <= rim_to);
    w->before[0] = 0;
    for (int i = w->count; i < w->count + 3; i++) {
        w->before[i] = w->own[i] = w->stiff[i] = 0;
    }
}

/// Where the contacts are that are expanded, and those beside them.
static void see_window(CaromChain *k, const Window *w) {
    int last = w->to + 1 < w->count ? w->to + 1 : w->to;
    for (int i = w->from > 0 ? w->from - 1 : 0; i <= last; i += 2) {
        carom_chain_see_pair(k, w->contact[i], w->contact[i < last ? i + 1 : i]);
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

/// Derivatives j + 2 and j + 3 from j and j + 1, j even, of the contacts that those up to ORDER + 1
/// of the expanded ones need, and of one more on either side.
static void differentiate(Window *w, int j) {
    int hops = (ORDER + 1 - j) / 2, first = w->from - hops, last = w->to + hops;
    first = first > 0 ? first - first % 2 : 0;
    last = last < w->count ? last : w->count - 1;
    int i = first;
    CaromLanes edge[2], here[2];
    CAROM_UNROLL(2)
    for (int m = 0; m < 2; m++) {
        const double *x = w->x[j + m];
        edge[m] = (CaromLanes){0, first > 0 ? x[first - 1] : 0};
        here[m] = lanes_load(x + first);
    }
    for (; i <= last; i += 2) {
        CaromLanes left = lanes_load(w->from_left + i), own = lanes_load(w->from_own + i);
        CaromLanes right = lanes_load(w->from_right + i);
        CAROM_UNROLL(2)
        for (int m = 0; m < 2; m++) {
            CaromLanes next = lanes_load(w->x[j + m] + i + 2);
            CaromLanes before = {edge[m][1], here[m][0]}, after = {here[m][1], next[0]};
            lanes_store(w->x[j + 2 + m] + i, left * before + own * here[m] + right * after);
            edge[m] = here[m];
            here[m] = next;
        }
    }
    for (int m = 2; m < 4; m++) {
        w->x[j + m][i] = w->x[j + m][i + 1] = 0;
    }
}

/// The first terms of contacts of the rim.
static void start_rim(const CaromChain *k, Window *w, int from, int to, double h) {
    for (int i = from; i <= to; i += 2) {
        int d = i < to ? i + 1 : i;
        CaromChainPair now = carom_chain_pair(k, w->contact[i], w->contact[d], false);
        CaromLanes velocity = now.slope / now.length;
        w->x[0][i] = sleeps(k, w->contact[i]) ? 0 : now.compression[0];
        w->x[0][d] = sleeps(k, w->contact[d]) ? 0 : now.compression[1];
        w->x[1][i] = h * velocity[0];
        w->x[1][d] = h * velocity[1];
    }
}

/// theory.md (3.5): x = h^j times derivative j of the compressions. Returns h, the length of the
/// step.
static double expand(const CaromChain *k, Window *w) {
    const CaromNetwork *n = k->n;
    double most = 0;
    for (int i = 0; i < w->count; i++) {
        bool near = i + 1 >= w->from && i <= w->to + 1;
        w->from_left[i] = w->before[i] * (i > 0 ? w->stiff[i - 1] : 0);
        w->from_own[i] = w->own[i] * w->stiff[i];
        w->from_right[i] = w->before[i + 1] * w->stiff[i + 1];
        double sum = w->from_own[i] - w->from_left[i] - w->from_right[i];
        most = near && sum > most ? sum : most;
    }
    double h = most > 0 ? CAROM_PHASE_OF_SPRINGS / sqrt(most) : 1;
    start_rim(k, w, 0, w->from - 1, h);
    for (int i = w->from; i <= w->to; i++) {
        w->x[0][i] = n->compression[w->contact[i]];
        w->x[1][i] = -h * n->velocity[w->contact[i]];
    }
    start_rim(k, w, w->to + 1, w->count - 1, h);
    for (int i = 0; i < w->count; i++) {
        w->from_left[i] *= -h * h;
        w->from_own[i] *= -h * h;
        w->from_right[i] *= -h * h;
    }
    for (int i = w->count; i < w->count + 3; i++) {
        w->from_left[i] = w->from_own[i] = w->from_right[i] = w->x[0][i] = w->x[1][i] = 0;
    }
    for (int j = 0; j < ORDER; j += 2) {
        differentiate(w, j);
    }
    return h;
}

/// 1 / (ORDER - 1)!
static const double last_share = 1 / 1307674368000.;

/// By how much the step may be longer, or has to be shorter, so that its last terms are within the
/// tolerance.
static double stretch_of(const CaromChain *k, const Window *w, double h) {
    const CaromNetwork *n = k->n;
    double enough = left_out(n), most[2] = {DBL_MIN, DBL_MIN};
    for (int i = w->from; i <= w->to; i++) {
        double unit = 1 / (h * n->threshold[w->contact[i]]);
        for (int m = 0; m < 2; m++) {
            double share = m == 0 ? last_share / ORDER : last_share;
            most[m] = fmax(most[m], share * fabs(w->x[ORDER + 1 - m][i]) * unit);
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

/// The first contact from c to `end` that may become a spring, or end + 1: one whose force, with no
/// more than `most` on either side of its run, may come to yield_of.
static int next_to_yield(const CaromChain *k, int c, int end, const double most[2]) {
    const double *left = k->left, *right = k->right;
    const double *yield = k->n->yield, *stiffness = k->n->stiffness;
    for (; c <= end; c++) {
        double force = left[c] * most[0] + right[c] * most[1];
        if (force * force >= 2 * yield[c] * stiffness[c] && !k->n->plastic[c]) {
            break;
        }
    }
    return c;
}

/// When the first contact of the run p between the window's i and i + 1 becomes a spring again.
static void set_run_alarm(CaromChain *k, const Window *w, int p, int i, double h,
                          const double weight[TERMS]) {
    CaromNetwork *n = k->n;
    double most[2] = {0, 0}, f[2][TERMS]; // forces beside the run
    for (int j = 0; j < TERMS; j++) {
        f[0][j] = i >= 0 ? w->stiff[i] * weight[j] * w->x[j][i] : 0;
        f[1][j] = i + 1 < w->count ? w->stiff[i + 1] * weight[j] * w->x[j][i + 1] : 0;
        most[0] += fmax(f[0][j], 0);
        most[1] += fmax(f[1][j], 0);
    }
    double first = INFINITY;
    bool may = fmax(most[0], most[1]) >= k->least_yield[p];
    int c = may ? p - 1 : k->other[p];
    while ((c = next_to_yield(k, c + 1, k->other[p], most)) <= k->other[p]) {
        double rest[TERMS];
        for (int j = 0; j < TERMS; j++) {
            rest[j] = -(k->left[c] * f[0][j] + k->right[c] * f[1][j]);
        }
        rest[0] += yield_of(n, c);
        double t = carom_first_fall(ORDER, rest, fmin(first, 1));
        if (t < first) {
            first = t;
            k->yielding[p] = c;
        }
    }
    set_alarm(k, p, k->time + h * first, CAROM_ALARM_EVENT);
}

/// The runs beside the contacts of the window that are expanded.
static void set_run_alarms(CaromChain *k, const Window *w, double h, const double weight[TERMS]) {
    CaromNetwork *n = k->n;
    for (int i = w->from; i <= w->to; i++) {
        int c = w->contact[i];
        if (i == w->from && c > 0 && n->rigid[c - 1]) {
            set_run_alarm(k, w, k->other[c - 1], i - 1, h, weight);
            carom_chain_note_alarms(k, k->other[c - 1], c);
        }
        if (c + 1 < n->count && n->rigid[c + 1]) {
            set_run_alarm(k, w, c + 1, i, h, weight);
        }
    }
}

/// When something may happen at a contact of the window.
static void set_own_alarm(CaromChain *k, int c, double h, bool moves) {
    CaromNetwork *n = k->n;
    for (size_t j = 0; j < 3; j++) {
        n->compression_terms[j * (size_t)n->count + (size_t)c] = k->terms[(size_t)c * TERMS + j];
    }
    n->step = h;
    double t = carom_network_earliest_event(n, c);
    if (t <= 1) {
        set_alarm(k, c, k->time + h * t, CAROM_ALARM_BOUND);
    } else {
        k->until[c] = moves ? k->time + h : INFINITY;
        set_alarm(k, c, k->until[c], CAROM_ALARM_EXPIRY);
    }
}

/// The series of two contacts that are expanded, or of one if they are the same: (stretch h)^j / j!
/// times derivative j. Their alarms need sums of these terms, as for all contacts of a network
/// (along.c).
static void store_pair(CaromChain *k, const Window *w, int i, const double weight[TERMS],
                       double h) {
    typedef long long Mask __attribute__((vector_size(sizeof(CaromLanes))));
    CaromNetwork *n = k->n;
    const int contact[2] = {w->contact[i], w->contact[i < w->to ? i + 1 : i]};
    double *terms = k->terms + (size_t)contact[0] * TERMS;
    double *other = k->terms + (size_t)contact[1] * TERMS;
    CaromLanes down = {0, 0}, slope_down = {0, 0}, slope_up = {0, 0};
    CAROM_UNROLL(6)
    for (int j = 0; j < TERMS; j++) {
        CaromLanes x = weight[j] * lanes_load(w->x[j] + i);
        CaromLanes low = (CaromLanes)((Mask)x & (x < 0));
        other[j] = x[1];
        terms[j] = x[0];
        down = j < 3 ? low : down + low;
        slope_down = j < 3 ? slope_down : slope_down + j * low;
        slope_up = j < 3 ? slope_up : slope_up + j * (x - low);
    }
    for (int m = 0; m < 2 && i + m <= w->to; m++) {
        int c = contact[m];
        n->residual[c] = down[m];
        n->image[c] = slope_down[m];
        n->ode_force[c] = slope_up[m];
        set_own_alarm(k, c, h, w->x[2][i + m] != 0 || slope_down[m] != 0 || slope_up[m] != 0);
    }
}

/// Expand anew the contacts that feel what happens from `first` to `last`.
void carom_chain_renew(CaromChain *k, int first, int last, int calm) {
    CaromNetwork *n = k->n;
    Window w;
    open_window(k, &w, first, last, calm > 0);
    see_window(k, &w);
    follow_impulses(k, &w);
    double length = expand(k, &w);
    double stretch = stretch_of(k, &w, length), weight[TERMS] = {1};
    length *= stretch;
    for (int j = 1; j < TERMS; j++) {
        weight[j] = stretch * carom_inverse[j] * weight[j - 1];
    }
    for (int i = w.from; i <= w.to; i++) {
        int d = w.contact[i];
        k->base[d] = k->time;
        k->length[d] = length;
        k->until[d] = k->time + length;
        k->start[d] = n->impulse[d];
        k->calm[d] = calm;
    }
    for (int i = w.from; i <= w.to; i += 2) {
        store_pair(k, &w, i, weight, length);
    }
    set_run_alarms(k, &w, length, weight);
    carom_chain_note_alarms(k, w.contact[w.from],
                            w.contact[w.to] + 1 < n->count ? w.contact[w.to] + 1 : w.contact[w.to]);
    n->steps++;
}
