// SPDX-License-Identifier: Apache-2.0
// The terms of a step of a network with friction: linear springs, contacts at rest, slip that
// turns, and springs that have no length yet.
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { ORDER = CAROM_NETWORK_ORDER, VELOCITY = CAROM_GRIP_VELOCITY, STRETCH = CAROM_GRIP_STRETCH };

// Powers of t, 0 <= t <= 1, over a step of length h. Term j of a product is a Cauchy sum. The
// direction d of slip is a unit vector whose term j has one unknown, its part across d_0:
//   d_j = D_j d_0 + beta_j d_0',   D_j = -sum_{0<k<j} d_k.d_{j-k}/2,   d_0' = d_0 turned
// What determines beta_j is, theory.md section 4.4,
//   slip of a rigid contact       u x d = 0
//   slip of a turning spring      rho d x d' = h d x u
//   the same where it is short    u x d = -G/h,  G = rho d x d' of the last pass
// Two contacts of one kind go side by side, in the lanes of a pair.

/// Kinds of pairs are those of laws, and these.
enum {
    KIND_START = CAROM_LAW_FOLLOW + 1, ///< slip that starts with its contact
    KIND_NEW_SPRING,                   ///< turns, but has no length yet
    KIND_HARD_SPRING,                  ///< turns, its contact is rigid
    KIND_MIXED,                        ///< one that turns, and one whose particle rests
    KIND_ASLEEP,                       ///< the last
};

/// Vectors of both contacts.
typedef struct Vectors {
    CaromLanes x, y;
} Vectors;

static CaromLanes cross(Vectors a, Vectors b) {
    return a.x * b.y - a.y * b.x;
}

static Vectors velocity_of(const CaromPair *p, int j) {
    return (Vectors){p->ux[j], p->uy[j]};
}

static Vectors direction_of(const CaromPair *p, int j) {
    return (Vectors){p->dx[j], p->dy[j]};
}

/// Term j of the direction by its parts along d_0 and across.
static void set_direction(CaromPair *p, int j, CaromLanes along, CaromLanes across) {
    p->dx[j] = along * p->dx[0] - across * p->dy[0];
    p->dy[j] = along * p->dy[0] + across * p->dx[0];
}

/// Sum of F_n d from terms `from` to `to` of F_n, of term j.
static Vectors sum_push(const CaromPair *p, int from, int to, int j) {
    Vectors sum = {0};
    for (int i = from; i <= to; i++) {
        sum.x += p->fn[i] * p->dx[j - i];
        sum.y += p->fn[i] * p->dy[j - i];
    }
    return sum;
}

// ---- Directions --------------------------------------------------------------------------------

/// Slip along the motion: u x d = -G/h, where G is given. Returns term j of F_n d: its sum, that of
/// the cross product and that of d_j go side by side.
static inline Vectors turn_with_motion(CaromPair *p, CaromLanes lag, int j) {
    const CaromLanes *ux = p->ux + p->first, *uy = p->uy + p->first;
    CaromLanes along = {0}, across = p->dx[0] * uy[j] - lag, against = p->dy[0] * ux[j];
    Vectors push = {p->fn[j] * p->dx[0], p->fn[j] * p->dy[0]};
    int k = j - 1;
    for (int i = 1; i < k; i++) { // two at a time, from either end
        CaromLanes dx = p->dx[i], dy = p->dy[i], ex = p->dx[k], ey = p->dy[k];
        along -= dx * ex + dy * ey;
        across += dx * uy[k] + ex * uy[i];
        against += dy * ux[k] + ey * ux[i];
        push.x += p->fn[k] * dx + p->fn[i] * ex;
        push.y += p->fn[k] * dy + p->fn[i] * ey;
        k--;
    }
    if (j > 0 && 2 * k == j) {
        CaromLanes dx = p->dx[k], dy = p->dy[k];
        along -= 0.5 * (dx * dx + dy * dy);
        across += dx * uy[k];
        against += dy * ux[k];
        push.x += p->fn[k] * dx;
        push.y += p->fn[k] * dy;
    }
    set_direction(p, j, along, (across - against + along * p->aside) * p->ahead);
    return (Vectors){push.x + p->fn[0] * p->dx[j], push.y + p->fn[0] * p->dy[j]};
}

/// What that needs to know of term 0, with its direction.
static void head_with_motion(CaromPair *p) {
    CaromLanes ux = p->ux[p->first], uy = p->uy[p->first];
    p->aside = uy * p->dx[0] - ux * p->dy[0];
    p->ahead = 1 / (ux * p->dx[0] + uy * p->dy[0]);
}

/// Slip of a contact that starts from rest with its force: others move it, as u = t^m v, before
/// friction can. Its direction is that of v, and known when friction asks for it. Returns term j of
/// F_n d; marks a contact that presses before it moves.
static Vectors start_with_motion(CaromPair *p, CaromGrip *grip, int j) {
    if (p->first == 0) {
        double speed = norm2(p->ux[j][0], p->uy[j][0]);
        bool moves = j > 0 && speed > CAROM_EXACT * grip->speed_scale;
        if (moves) {
            p->first = j;
            p->dx[0] = p->ux[j] / speed;
            p->dy[0] = p->uy[j] / speed;
            head_with_motion(p);
        }
        grip->presses_first = grip->presses_first || p->fn[j][0] != 0;
        return (Vectors){0};
    }
    int newest = j - p->first;
    (void)turn_with_motion(p, (CaromLanes){0}, newest);
    return sum_push(p, j - newest, j, j);
}

/// The spring turns: rho omega = h d x u, d' = omega d turned. Returns term j of F_n d.
static Vectors turn_spring(CaromPair *p, double h, double pace, int j) {
    int k = j - 1;
    p->turn[k] = (CaromLanes){0}; // not known yet
    Vectors carried = {0};
    CaromLanes pull = cross(direction_of(p, 0), velocity_of(p, k)), rest = {0};
    Vectors push = {p->fn[j] * p->dx[0], p->fn[j] * p->dy[0]};
    for (int i = 1; i <= k; i++) {
        CaromLanes dx = p->dx[i], dy = p->dy[i], turn = p->turn[k - i], fn = p->fn[j - i];
        pull += dx * p->uy[k - i] - dy * p->ux[k - i];
        rest += p->fn[i] * turn;
        carried.x += turn * dy;
        carried.y += turn * dx;
        push.x += fn * dx;
        push.y += fn * dy;
    }
    CaromLanes paced = h * (k > 0 ? pull + pace * p->pull : pull);
    CaromLanes turn = (paced * p->grip / p->friction - rest) / p->fn[0];
    p->pull = pull;
    p->turn[k] = turn;
    double share = 1.0 / j;
    p->dx[j] = -share * (carried.x + turn * p->dy[0]);
    p->dy[j] = share * (carried.y + turn * p->dx[0]);
    return (Vectors){push.x + p->fn[0] * p->dx[j], push.y + p->fn[0] * p->dy[j]};
}

/// The same where its length starts from zero: omega_{j-1} stands on both sides.
static Vectors turn_new_spring(CaromPair *p, double h, int j) {
    Vectors carried = {0};
    CaromLanes pull = {0}, rest = {0};
    for (int i = 0; i < j; i++) {
        pull += cross(direction_of(p, i), velocity_of(p, j - i));
    }
    for (int i = 0; i < j - 1; i++) {
        carried.x -= p->turn[i] * p->dy[j - 1 - i] / j;
        carried.y += p->turn[i] * p->dx[j - 1 - i] / j;
        rest += p->turn[i] * p->fn[j - i];
    }
    CaromLanes length = p->friction / p->grip;
    CaromLanes ahead = p->ux[0] * p->dx[0] + p->uy[0] * p->dy[0]; // the speed, as d is along it
    pull += cross(carried, velocity_of(p, 0));
    CaromLanes turn = (h * pull - length * rest) / (length * p->fn[1] + h / j * ahead);
    p->turn[j - 1] = turn;
    p->dx[j] = carried.x - turn / j * p->dy[0];
    p->dy[j] = carried.y + turn / j * p->dx[0];
    return sum_push(p, 0, j, j);
}

void carom_friction_find_lag(const CaromNetwork *n, int c, CaromGripSeries *s) {
    const CaromGrip *grip = &n->friction.grip[c];
    double factor = grip->friction / grip->stiffness;
    CaromLanes side[ORDER], slope[ORDER];
    double turn[ORDER];
    for (int j = 0; j < ORDER; j++) {
        side[j] = (CaromLanes){-s->direction[j][1], s->direction[j][0]};
        slope[j] = (j + 1) * s->direction[j + 1];
    }
    for (int j = 0; j < ORDER; j++) {
        turn[j] = carom_sum_dots(side, slope, 0, j, j);
    }
    for (int j = 0; j < ORDER; j++) {
        s->lag[j] = factor * carom_sum_products(s->normal, turn, 0, j, j);
    }
    s->lag[ORDER] = 0;
}

// ---- Forces ------------------------------------------------------------------------------------

/// What a pair that follows lags by.
static CaromLanes lag_of(const CaromFriction *f, const CaromPair *p, double h, int j) {
    const CaromGripSeries *one = &f->series[p->contact[0]], *other = &f->series[p->contact[1]];
    return (CaromLanes){one->lag[j], other->lag[j]} / h;
}

/// Term j of F_n d of contacts that slide.
static Vectors find_push(CaromFriction *f, CaromPair *p, double h, int j) {
    switch (p->kind) {
    case KIND_START:
        return start_with_motion(p, &f->grip[p->contact[0]], j);
    case CAROM_LAW_TURN:
        return turn_spring(p, h, f->pace, j);
    case KIND_HARD_SPRING:
        return p->fn[0][0] > 0 ? turn_spring(p, h, f->pace, j) : turn_new_spring(p, h, j);
    default:
        return turn_new_spring(p, h, j);
    }
}

/// Forces of springs whose particles rest, or of one that does beside one that slides.
static void set_stretched_forces(const CaromFriction *f, CaromPair *p, double h, int j) {
    CaromLanes zx = p->dx[j], zy = p->dy[j];
    p->fx[j] = -p->grip * zx;
    p->fy[j] = -p->grip * zy;
    if (p->kind == KIND_MIXED) {
        Vectors push = j > 0 ? turn_spring(p, h, f->pace, j)
                             : (Vectors){p->fn[0] * p->dx[0], p->fn[0] * p->dy[0]};
        p->fx[j][0] = -p->friction[0] * push.x[0];
        p->fy[j][0] = -p->friction[0] * push.y[0];
        p->dx[j][1] = zx[1];
        p->dy[j][1] = zy[1];
    }
}

/// Term j of the forces of a pair, but for what has to be solved for.
static void set_forces(CaromFriction *f, CaromPair *p, double h, int j) {
    p->fn[j] = p->stiffness * p->delta[j];
    if (p->stretches) {
        set_stretched_forces(f, p, h, j);
        return;
    }
    Vectors push = {p->fn[0] * p->dx[0], p->fn[0] * p->dy[0]};
    if (p->kind < CAROM_LAW_STRETCH) {
        push = (Vectors){0};
    } else if (j > 0 && (p->kind == CAROM_LAW_SLIP || p->kind == CAROM_LAW_FOLLOW)) {
        CaromLanes none = {0};
        push = turn_with_motion(p, p->kind == CAROM_LAW_SLIP ? none : lag_of(f, p, h, j), j);
    } else if (j > 0 || p->kind == KIND_START) {
        push = find_push(f, p, h, j);
    }
    p->fx[j] = -p->friction * push.x;
    p->fy[j] = -p->friction * push.y;
}

/// Term j of what all forces do to a pair.
typedef struct Accelerations {
    CaromLanes x, y, n;
} Accelerations;

static inline Accelerations accelerate(const CaromPair *p, int j) {
    Accelerations a = {0};
    for (const CaromPush *w = p->push; w < p->push_end; w++) {
        const double *force = w->force + 2 * j;
        double fx = force[0], fy = force[2 * (ORDER + 1)], fn = force[4 * (ORDER + 1)];
        a.x += w->w[0][0] * fx + w->w[0][1] * fy + w->w[0][2] * fn;
        a.y += w->w[1][0] * fx + w->w[1][1] * fy + w->w[1][2] * fn;
        a.n += w->w[2][0] * fx + w->w[2][1] * fy + w->w[2][2] * fn;
    }
    return a;
}

/// Solve for the unknown ones of term j. False when no forces keep contacts at rest.
static bool hold(CaromNetwork *n, int j) {
    CaromFriction *f = &n->friction;
    CaromPair *end = f->pairs + f->pair_count;
    for (const CaromPair *p = f->pairs; p < end && p->kind != KIND_ASLEEP; p++) {
        for (int lane = 0; lane < 2; lane++) {
            f->term[p->contact[lane]] = v3(p->fx[j][lane], p->fy[j][lane], p->fn[j][lane]);
        }
    }
    if (j == 0) {
        carom_hold_start(n);
    }
    if (!carom_hold_solve(n)) {
        return false;
    }
    for (CaromPair *p = f->pairs; p < end && p->kind != KIND_ASLEEP; p++) {
        CaromVec3 a = f->term[p->contact[0]], b = f->term[p->contact[1]];
        p->fx[j] = (CaromLanes){a.x, b.x};
        p->fy[j] = (CaromLanes){a.y, b.y};
        p->fn[j] = (CaromLanes){a.z, b.z};
    }
    return true;
}

// ---- Pairs -------------------------------------------------------------------------------------

static int kind_of(const CaromNetwork *n, int c) {
    CaromLaw law = n->friction.grip[c].law;
    return n->phase[c] == CAROM_PHASE_ASLEEP ? KIND_ASLEEP
           : n->friction.series[c].starts    ? KIND_START
           : law != CAROM_LAW_TURN           ? (int)law
           : n->rigid[c]                     ? KIND_HARD_SPRING
           : n->compression[c] > 0           ? CAROM_LAW_TURN
                                             : KIND_NEW_SPRING;
}

/// What awake contacts do to a pair, from W; `end` is where it may be stored. Returns its new end.
static int find_pushes(CaromFriction *f, CaromPair *p, int end) {
    int first = end;
    for (int lane = 0; lane < 2; lane++) {
        int c = p->contact[lane];
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            int d = f->graph.column[e], at = f->push_of[d];
            if (at < first || at >= end || f->pushes[at].force != f->series[d].lane) {
                at = f->push_of[d] = end++;
                f->pushes[at] = (CaromPush){.force = f->series[d].lane};
            }
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 3; k++) {
                    f->pushes[at].w[i][k][lane] = f->graph.block[e].m[i][k];
                }
            }
        }
    }
    p->push = f->pushes + first;
    p->push_end = f->pushes + end;
    return end;
}

/// A spring that turns without a partner and one whose particle rests make a pair.
static void mix_singles(CaromFriction *f) {
    CaromPair *single[2] = {NULL, NULL};
    for (CaromPair *p = f->pairs; p < f->pairs + f->pair_count; p++) {
        bool alone = p->contact[0] == p->contact[1];
        single[0] = alone && p->kind == CAROM_LAW_TURN ? p : single[0];
        single[1] = alone && p->kind == CAROM_LAW_STRETCH ? p : single[1];
    }
    if (single[0] != NULL && single[1] != NULL) {
        single[0]->kind = KIND_MIXED;
        single[0]->contact[1] = single[1]->contact[0];
        f->pair_count--;
        for (CaromPair *p = single[1]; p < f->pairs + f->pair_count; p++) {
            p->kind = p[1].kind;
            p->contact[0] = p[1].contact[0];
            p->contact[1] = p[1].contact[1];
        }
    }
}

/// Put contacts of one kind into pairs. Those that start, and rigid ones with a spring, are alone.
static void find_pairs(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    f->pair_count = 0;
    for (int kind = 0; kind <= KIND_ASLEEP; kind++) {
        bool open = false, single = kind == KIND_START || kind == KIND_HARD_SPRING;
        for (int i = 0; i < n->moving_count; i++) {
            int c = n->moving[i];
            if (f->series[c].kind == kind && open) {
                f->pairs[f->pair_count - 1].contact[1] = c;
                open = false;
            } else if (f->series[c].kind == kind) {
                CaromPair *p = &f->pairs[f->pair_count++];
                p->contact[0] = p->contact[1] = c;
                p->kind = kind;
                open = !single;
            }
        }
    }
    mix_singles(f);
    for (int i = 0; i < f->pair_count; i++) {
        const CaromPair *p = &f->pairs[i];
        f->series[p->contact[1]].lane = (const double *)(const void *)p->fx + 1;
        f->series[p->contact[0]].lane = (const double *)(const void *)p->fx;
    }
    int end = 0;
    for (int i = 0; i < f->pair_count; i++) {
        end = find_pushes(f, &f->pairs[i], end);
    }
}

// ---- The laws of a step ------------------------------------------------------------------------

// A spring that follows lags by asin(G_0/(h |u|)).
CaromVec2 carom_friction_first_direction(const CaromNetwork *n, int c, double h) {
    const CaromGrip *grip = &n->friction.grip[c];
    const CaromGripSeries *s = &n->friction.series[c];
    double speed = v2_norm(grip->velocity);
    double length = v2_norm(grip->stretch);
    if (grip->law == CAROM_LAW_TURN && length > 0) {
        return v2_scale(1 / length, grip->stretch);
    }
    CaromVec2 d = speed > 0 ? v2_scale(1 / speed, grip->velocity) : v2(0, 0);
    if (grip->law == CAROM_LAW_FOLLOW) {
        double lag = fmax(fmin(s->lag[0] / (h * speed), 0.5), -0.5);
        d = v2_axpy(-lag, v2_turn(d), v2_scale(sqrt(1 - lag * lag), d));
    }
    return d;
}

/// Term 0 of a contact, in its lane.
static void begin_lane(CaromNetwork *n, CaromPair *p, int lane, double h) {
    int c = p->contact[lane];
    const CaromGrip *grip = &n->friction.grip[c];
    CaromVec2 d = p->kind == KIND_ASLEEP           ? v2(0, 0)
                  : grip->law == CAROM_LAW_STRETCH ? grip->stretch
                                                   : carom_friction_first_direction(n, c, h);
    p->stiffness[lane] = n->rigid[c] ? 0 : n->stiffness[c];
    p->free[lane] = n->rigid[c] ? 0 : 1;
    p->friction[lane] = grip->friction;
    p->grip[lane] = grip->stiffness;
    p->ux[0][lane] = grip->velocity.x;
    p->uy[0][lane] = grip->velocity.y;
    p->un[0][lane] = n->velocity[c];
    p->delta[0][lane] = n->compression[c];
    p->dx[0][lane] = d.x;
    p->dy[0][lane] = d.y;
}

/// Term 0 of everything.
static void begin(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    bool same = f->pair_count > 0;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i], kind = kind_of(n, c);
        same = same && f->series[c].kind == kind;
        f->series[c].kind = kind;
    }
    if (!same) {
        find_pairs(n);
    }
    for (int i = 0; i < f->pair_count; i++) {
        CaromPair *p = &f->pairs[i];
        p->first = 0;
        p->stretches = p->kind == CAROM_LAW_STRETCH || p->kind == KIND_MIXED;
        p->last[0] = p->last[1] = p->last[2] = (CaromLanes){0};
        begin_lane(n, p, 0, h);
        begin_lane(n, p, 1, h);
        head_with_motion(p);
        for (int j = 1; p->kind == KIND_START && j <= ORDER; j++) {
            p->dx[j] = p->dy[j] = (CaromLanes){0};
        }
    }
}

/// Terms j + 1 from the forces of order j, by a clock that may go faster or slower as the step goes
/// on: for x' = v,
///   (j+1) x_{j+1} = h (v_j + pace v_{j-1})
static void advance_pair(const CaromFriction *f, CaromPair *p, double h, int j) {
    Accelerations a = accelerate(p, j);
    double factor = h * carom_inverse[j + 1];
    CaromLanes free = factor * p->free;
    CaromLanes ux = p->ux[j], uy = p->uy[j], un = p->un[j];
    if (f->pace != 0) {
        Accelerations now = a;
        double pace = j > 0 ? f->pace : 0;
        int last = j > 0 ? j - 1 : 0;
        ux += pace * p->ux[last];
        uy += pace * p->uy[last];
        un += pace * p->un[last];
        a.x += pace * p->last[0];
        a.y += pace * p->last[1];
        a.n += pace * p->last[2];
        p->last[0] = now.x;
        p->last[1] = now.y;
        p->last[2] = now.n;
    }
    if (p->stretches) {
        p->dx[j + 1] = factor * ux;
        p->dy[j + 1] = factor * uy;
    }
    double along = p->kind == CAROM_LAW_STICK ? 0 : factor;
    p->delta[j + 1] = -free * un;
    p->ux[j + 1] = along * a.x;
    p->uy[j + 1] = along * a.y;
    p->un[j + 1] = free * a.n;
}

bool carom_friction_terms(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    begin(n, h);
    CaromPair *end = f->pairs + f->pair_count;
    for (int j = 0; j <= ORDER; j++) {
        for (CaromPair *p = f->pairs; p < end && p->kind != KIND_ASLEEP; p++) {
            set_forces(f, p, h, j);
        }
        if (f->hold.count > 0 && !hold(n, j)) {
            return false;
        }
        for (CaromPair *p = f->pairs; p < end && j < ORDER; p++) {
            advance_pair(f, p, h, j);
        }
    }
    return true;
}

// ---- What others read --------------------------------------------------------------------------

static void store_motion(CaromNetwork *n, const CaromPair *p, const double power[ORDER + 1]) {
    size_t count = (size_t)n->count, a = (size_t)p->contact[0], b = (size_t)p->contact[1];
    CaromLanes *u_a = n->friction.grip[a].terms[VELOCITY];
    CaromLanes *u_b = n->friction.grip[b].terms[VELOCITY];
    double *u = n->velocity_terms, *delta = n->compression_terms;
    for (int j = 0; j <= ORDER; j++) {
        CaromLanes ux = power[j] * p->ux[j], uy = power[j] * p->uy[j];
        CaromLanes un = power[j] * p->un[j], x = power[j] * p->delta[j];
        u_a[j] = (CaromLanes){ux[0], uy[0]};
        u_b[j] = (CaromLanes){ux[1], uy[1]};
        u[a] = un[0];
        u[b] = un[1];
        delta[a] = x[0];
        delta[b] = x[1];
        u += count;
        delta += count;
    }
}

static void store_forces(CaromNetwork *n, const CaromPair *p, const double power[ORDER + 1]) {
    size_t count = (size_t)n->count, a = (size_t)p->contact[0], b = (size_t)p->contact[1];
    CaromGripSeries *s_a = &n->friction.series[a], *s_b = &n->friction.series[b];
    double *force = n->force_terms;
    for (int j = 0; j <= ORDER; j++) {
        CaromLanes fx = power[j] * p->fx[j], fy = power[j] * p->fy[j], fn = power[j] * p->fn[j];
        s_a->force[j] = (CaromLanes){fx[0], fy[0]};
        s_b->force[j] = (CaromLanes){fx[1], fy[1]};
        force[a] = s_a->normal[j] = fn[0];
        force[b] = s_b->normal[j] = fn[1];
        force += count;
    }
    s_a->first = s_b->first = p->first;
}

/// Springs, and the directions of those that slide.
static void store_springs(CaromNetwork *n, const CaromPair *p, int lane,
                          const double power[ORDER + 1]) {
    int c = p->contact[lane];
    const CaromGripSeries *s = &n->friction.series[c];
    CaromLanes *stretch = n->friction.grip[c].terms[STRETCH];
    double softness = -1 / n->friction.grip[c].stiffness;
    for (int j = 0; j <= ORDER; j++) {
        stretch[j] = softness * s->force[j];
    }
    bool slides = n->friction.grip[c].law != CAROM_LAW_STRETCH;
    for (int j = 0; slides && j <= ORDER; j++) {
        CaromLanes *d = &n->friction.series[c].direction[j];
        *d = power[j] * (CaromLanes){p->dx[j][lane], p->dy[j][lane]};
    }
}

void carom_friction_store_terms(CaromNetwork *n, double factor) {
    CaromFriction *f = &n->friction;
    double power[ORDER + 1] = {1};
    for (int j = 1; j <= ORDER; j++) {
        power[j] = power[j - 1] * factor;
    }
    for (int i = 0; i < f->pair_count; i++) {
        const CaromPair *p = &f->pairs[i];
        store_motion(n, p, power);
        if (p->kind != KIND_ASLEEP) {
            store_forces(n, p, power);
        }
        int lanes = p->kind == KIND_ASLEEP || p->grip[0] == 0 ? 0
                    : p->contact[0] == p->contact[1]          ? 1
                                                              : 2;
        for (int lane = 0; lane < lanes; lane++) {
            store_springs(n, p, lane, power);
        }
    }
}
