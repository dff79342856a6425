// SPDX-License-Identifier: Apache-2.0
// Setting up the friction of a network: memory, W in blocks, and what it does.
#include "impact/network/friction.h"

#include "impact/network/network.h"
#include "impact/network/tuning.h"

static void carve_hold(CaromHold *hold, CaromArena *arena, size_t contacts, size_t room) {
    *hold = (CaromHold){
        .unknown = carom_arena_take(arena, 3 * contacts, sizeof(int)),
        .first = carom_arena_take(arena, contacts, sizeof(int)),
        .block = carom_arena_take(arena, contacts + 1, sizeof(int)),
        .matrix = carom_arena_take_raw(arena, room, sizeof(double)),
        .room = room,
        .pivot = carom_arena_take(arena, 3 * contacts, sizeof(int)),
        .residual = carom_arena_take(arena, 3 * contacts, sizeof(double)),
    };
}

static void carve_collocation(CaromCollocation *k, CaromArena *arena, int bodies, int most,
                              int fill) {
    size_t contacts = (size_t)most;
    size_t stages = CAROM_STAGES * contacts;
    *k = (CaromCollocation){
        .list = carom_arena_take(arena, contacts, sizeof(int)),
        .slot = carom_arena_take(arena, contacts, sizeof(int)),
        .most = most,
        .step = carom_arena_take(arena, contacts, sizeof *k->step),
        .motion = carom_arena_take(arena, (size_t)bodies, sizeof *k->motion),
        .slides = carom_arena_take(arena, contacts, sizeof(bool)),
        .shared_mobility = carom_arena_take(arena, contacts, sizeof(double)),
        .force = carom_arena_take(arena, stages, sizeof *k->force),
        .acceleration = carom_arena_take(arena, stages, sizeof *k->acceleration),
        .old_acceleration = carom_arena_take(arena, stages, sizeof *k->old_acceleration),
        .stretching = carom_arena_take(arena, stages, sizeof *k->stretching),
        .old_stretching = carom_arena_take(arena, stages, sizeof *k->old_stretching),
        .approach = carom_arena_take(arena, stages, sizeof(double)),
        .old_approach = carom_arena_take(arena, stages, sizeof(double)),
        .slip = carom_arena_take(arena, stages, sizeof *k->slip),
        .velocity = carom_arena_take(arena, contacts, sizeof *k->velocity),
        .base = carom_arena_take(arena, contacts, sizeof *k->base),
        .moved = carom_arena_take(arena, contacts, sizeof *k->moved),
        .normal_slope = carom_arena_take(arena, contacts, sizeof(double)),
        .normal_offset = carom_arena_take(arena, contacts, sizeof(double)),
        .pull = carom_arena_take(arena, contacts, sizeof *k->pull),
        .anchor = carom_arena_take(arena, contacts, sizeof *k->anchor),
        .on_force = carom_arena_take(arena, contacts, sizeof *k->on_force),
        .on_velocity = carom_arena_take(arena, contacts, sizeof *k->on_velocity),
    };
    size_t side = 3 * (contacts < CAROM_DENSE_CONTACTS ? contacts : CAROM_DENSE_CONTACTS);
    for (int i = 0; i < CAROM_STAGES; i++) {
        CaromNewtonFactors *factors = &k->newton[i];
        factors->matrix = carom_arena_take_raw(arena, side * side, sizeof(double));
        factors->pivot = carom_arena_take_raw(arena, side, sizeof(int));
        carom_block_lu_carve(&factors->lu, arena, bodies, fill);
        factors->inverse = carom_arena_take_raw(arena, contacts, sizeof(CaromMat3));
        factors->stiffness = carom_arena_take_raw(arena, contacts, sizeof(CaromMat3));
    }
}

void carom_friction_carve(CaromFriction *f, CaromArena *arena, int bodies, int contacts,
                          int couplings, int joined) {
    size_t count = (size_t)contacts;
    size_t side = 3 * (size_t)joined;
    int room = CAROM_CONTACTS_PER_JOINED * joined;
    // A problem with friction has at most this many contacts, and their share of the couplings.
    int most = contacts < room ? contacts : room;
    couplings = (int)((double)couplings * most / (contacts > 0 ? contacts : 1));
    *f = (CaromFriction){
        .grip = carom_arena_take_raw(arena, count, sizeof *f->grip),
        .series = carom_arena_take_raw(arena, count, sizeof *f->series),
        .pairs = carom_arena_take_raw(arena, (size_t)most, sizeof *f->pairs),
        .pushes = carom_arena_take_raw(arena, (size_t)couplings, sizeof *f->pushes),
        .push_of = carom_arena_take(arena, count, sizeof(int)),
        .awake_end = carom_arena_take(arena, count, sizeof(int)),
        .force = carom_arena_take(arena, count, sizeof *f->force),
        .term = carom_arena_take(arena, count, sizeof *f->term),
        .kick = carom_arena_take(arena, count, sizeof *f->kick),
        .terms = carom_arena_take_raw(arena, count, sizeof *f->terms),
        .answer = carom_arena_take_raw(arena, count, sizeof *f->answer),
        .answer_velocity = carom_arena_take_raw(arena, count, sizeof *f->answer_velocity),
    };
    carom_graph_carve(&f->graph, arena, bodies, most, couplings);
    int fill = most + carom_cone_default_fill(bodies, joined); // a chain has one for each
    f->cone = carom_cone_carve(arena, bodies, most, fill);
    f->place = carom_arena_take_raw(arena, (size_t)most, sizeof *f->place);
    carve_hold(&f->hold, arena, count, side * side);
    f->hold.joined = joined;
    carve_collocation(&f->collocation, arena, bodies, most, fill);
}

// ---- W -----------------------------------------------------------------------------------------

/// What entries of a row sum up to.
static CaromVec3 sum_entries(const CaromFriction *f, int from, int end, const CaromVec3 *force) {
    CaromLanes sum[3] = {{0}};
    CaromVec3 rest = {0};
    for (int e = from; e < end; e++) {
        const CaromVec3 x = force[f->graph.column[e]];
        const CaromMat3 *m = &f->graph.block[e];
        for (int i = 0; i < 3; i++) {
            sum[i] += (CaromLanes){m->m[i][0], m->m[i][1]} * (CaromLanes){x.x, x.y};
        }
        rest = v3_axpy(x.z, v3(m->m[0][2], m->m[1][2], m->m[2][2]), rest);
    }
    return v3_add(v3(sum[0][0], sum[1][0], sum[2][0]),
                  v3_add(v3(sum[0][1], sum[1][1], sum[2][1]), rest));
}

CaromVec3 carom_friction_row(const CaromFriction *f, int c, const CaromVec3 *force) {
    return sum_entries(f, f->graph.row_start[c], f->graph.row_start[c + 1], force);
}

CaromVec3 carom_friction_acceleration(const CaromFriction *f, int c) {
    return sum_entries(f, f->graph.row_start[c], f->awake_end[c], f->term);
}

void carom_friction_sort_rows(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        int end = f->graph.row_start[c];
        for (int e = end; e < f->graph.row_start[c + 1]; e++) {
            int d = f->graph.column[e];
            if (n->phase[d] == CAROM_PHASE_ASLEEP) {
                continue;
            }
            CaromMat3 block = f->graph.block[e];
            f->graph.column[e] = f->graph.column[end];
            f->graph.block[e] = f->graph.block[end];
            f->graph.column[end] = d;
            f->graph.block[end++] = block;
        }
        f->awake_end[c] = end;
    }
    f->pair_count = 0;
}

// ---- Start -------------------------------------------------------------------------------------

/// Velocity along the surface before the impact.
static CaromVec2 first_velocity(const CaromImpactProblem *problem, const CaromMat3 *frames, int c) {
    const CaromContact *contact = &problem->contacts[c];
    CaromVec3 world = {0};
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &problem->bodies[contact->body[side]];
        CaromVec3 arm = v3_sub(contact->point, body->position);
        CaromVec3 velocity = six_point_velocity(six_from_twist(body), arm);
        world = v3_axpy(side == 0 ? 1 : -1, velocity, world);
    }
    CaromVec3 local = m3_mul(&frames[c], world);
    return v2(local.x, local.y);
}

/// What counts as rest and as slow, relative to the energy of the impact.
static void set_scales(const CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    const CaromMat3 *w = &n->friction.graph.contacts[c].self;
    double along = sqrt(2 * n->energy * fmax(w->m[0][0], w->m[1][1]));
    double scale = fmax(along, sqrt(2 * n->energy * w->m[2][2]));
    double rest = fmin(CAROM_LESS * n->tolerance * along, CAROM_DISTINCT * scale);
    grip->speed_scale = scale;
    grip->rest = fmax(rest, CAROM_LEAST_CHANGE * norm2(grip->first.x, grip->first.y));
    grip->near_first = CAROM_NEAR_SHARE * sqrt(n->tolerance) * along;
}

void carom_friction_set_scales(CaromNetwork *n) {
    for (int c = 0; c < n->count; c++) {
        set_scales(n, c);
    }
}

static void start_grip(CaromNetwork *n, const CaromContact *contact, int c, CaromVec2 velocity) {
    const CaromMaterial *m = &contact->material;
    bool compliant = m->tangential == CAROM_TANGENTIAL_COMPLIANT;
    double stiffness = isinf(m->stiffness) ? 1 : m->stiffness;
    n->friction.grip[c] = (CaromGrip){
        .friction = m->friction,
        .stiffness = compliant ? stiffness / m->stiffness_ratio : 0,
        .first = v3(velocity.x, velocity.y, n->velocity[c]),
        .velocity = velocity,
    };
    set_scales(n, c);
}

/// Velocities before the impact that are rounding are none: a ball that rolls on a table touches it
/// exactly, and is not on its way into it.
static void clear_rounding(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    double still = CAROM_EXACT * grip->speed_scale;
    if (fabs(n->velocity[c]) <= still) {
        n->velocity[c] = grip->first.z = 0;
    }
    if (v2_norm(grip->velocity) <= still) {
        grip->velocity = v2(0, 0);
        grip->first.x = grip->first.y = 0;
    }
}

/// All mass on the softest spring, and as often as a push has to be passed on. A contact of bodies
/// that only turn has no mass but that which it feels.
static double slowest_turn(const CaromNetwork *n, const CaromImpactProblem *problem) {
    double mass = 0;
    double softest = INFINITY;
    for (int b = 0; b < problem->body_count; b++) {
        const double(*a)[6] = problem->bodies[b].inverse_inertia;
        for (int i = 0; i < 3; i++) {
            mass += a[i][i] > 0 ? 1 / a[i][i] : 0;
        }
    }
    for (int c = 0; c < n->count; c++) {
        mass += 1 / n->mobility[c];
        softest = fmin(softest, n->stiffness[c]);
    }
    return n->count * sqrt(mass / softest);
}

/// A bound on the angular frequency of the springs, were all contacts awake.
static double first_frequency(const CaromNetwork *n) {
    const CaromGraph *g = &n->friction.graph;
    double most = 0;
    for (int c = 0; c < n->count; c++) {
        double sum = 0;
        for (int e = g->row_start[c]; e < g->row_start[c + 1]; e++) {
            sum += fabs(g->block[e].m[2][2]) * n->stiffness[g->column[e]];
        }
        most = fmax(most, sum);
    }
    return sqrt(most);
}

/// Whether W is nearly singular at a contact: a body is light in some direction. The ratio of its
/// least eigenvalue to the largest is about det/(tr I_2), I_2 the sum of its principal minors.
static bool is_light(const CaromMat3 *w) {
    double minors = 0, trace = 0, det = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        trace += w->m[i][i];
        minors += w->m[j][j] * w->m[k][k] - w->m[j][k] * w->m[k][j];
        det += w->m[0][i] * (w->m[1][j] * w->m[2][k] - w->m[1][k] * w->m[2][j]);
    }
    return det < CAROM_MUCH_LESS * CAROM_MUCH_LESS * trace * minors;
}

/// The graph, W, and the order in which bodies are eliminated. False when they do not fit.
static bool build_graph(CaromNetwork *n, const CaromImpactProblem *problem) {
    CaromFriction *f = &n->friction;
    CaromGraph *g = &f->graph;
    if (problem->contact_count > f->collocation.most) {
        n->outcome = CAROM_OUTCOME_TOO_MANY;
        return false;
    }
    if (!carom_graph_init(g, problem->body_count, problem->bodies, problem->contact_count,
                          problem->contacts) ||
        !carom_graph_couple(g)) {
        return false;
    }
    if (!carom_cone_prepare(f->cone, g)) {
        n->outcome = CAROM_OUTCOME_TOO_MANY;
        return false;
    }
    const CaromElimination *e = carom_cone_elimination(f->cone);
    for (int i = 0; i < g->contact_count; i++) {
        CaromContactPlace *place = &f->place[e->contact[i]];
        place->slot = e->slot[i];
        for (int side = 0; side < 2; side++) {
            int b = g->contacts[e->contact[i]].movable[side];
            place->body[side] = b >= 0 ? e->position[b] : -1;
        }
    }
    for (int i = 0; i < CAROM_STAGES; i++) {
        f->collocation.newton[i].lu.elimination = e;
    }
    return true;
}

bool carom_friction_init(CaromNetwork *n, const CaromImpactProblem *problem,
                         const CaromMat3 *frames) {
    CaromFriction *f = &n->friction;
    f->active = false;
    f->pace = 0;
    f->cut = f->swings = false;
    for (int c = 0; c < n->count; c++) {
        f->active = f->active || problem->contacts[c].material.friction > 0;
    }
    if (!f->active) {
        return true;
    }
    if (!build_graph(n, problem)) {
        return false;
    }
    f->light = false;
    for (int c = 0; c < n->count; c++) {
        CaromVec2 velocity = first_velocity(problem, frames, c);
        start_grip(n, &problem->contacts[c], c, velocity);
        clear_rounding(n, c);
        f->light = f->light || is_light(&f->graph.contacts[c].self);
        f->series[c] = (CaromGripSeries){0};
        f->force[c] = f->term[c] = f->kick[c] = (CaromVec3){0};
    }
    f->first_frequency = first_frequency(n);
    f->choices = 0;
    f->collocation.fails = false;
    f->excess = 0;
    f->collocations = f->short_steps = 0;
    f->long_step = f->shortest = 0;
    f->answered = INFINITY;
    f->next_try = CAROM_MANY_SHORT_STEPS;
    f->step_tolerance = n->tolerance;
    f->collocated = f->cut = f->roomy = false;
    f->pace = 0;
    f->idle = 0;
    f->busy = 0;
    f->slowest = slowest_turn(n, problem);
    f->idle_loss = 0;
    return true;
}

// ---- What others do to it ----------------------------------------------------------------------

void carom_friction_kick(CaromNetwork *n, const double *normal_impulse) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        for (int e = f->graph.row_start[c]; e < f->graph.row_start[c + 1]; e++) {
            double push = normal_impulse[f->graph.column[e]];
            CaromVec2 change = {f->graph.block[e].m[0][2], f->graph.block[e].m[1][2]};
            f->grip[c].velocity = v2_axpy(push, change, f->grip[c].velocity);
        }
    }
}

void carom_friction_follow_impulses(CaromNetwork *n, bool ended) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        f->kick[c] = v3(f->grip[c].impulse.x, f->grip[c].impulse.y, n->impulse[c]);
    }
    for (int c = 0; c < n->count; c++) {
        CaromVec3 v = v3_add(f->grip[c].first, carom_friction_row(f, c, f->kick));
        f->grip[c].velocity = v2(v.x, v.y);
        bool known = n->rigid[c] || n->velocity[c] == 0; // to be zero
        bool differs = ended && fabs(v.z) > CAROM_EXACT * f->grip[c].speed_scale;
        n->velocity[c] = known && !differs ? n->velocity[c] : v.z;
    }
}

double carom_friction_normal_force(const CaromNetwork *n, int c) {
    return n->rigid[c] ? n->friction.force[c].z
                       : carom_network_spring_force(n, c, n->compression[c]);
}

double carom_friction_strain_energy(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return 0.5 * grip->stiffness * v2_dot(grip->stretch, grip->stretch);
}

void carom_friction_sleep(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    double energy = carom_friction_strain_energy(n, c);
    n->loss[c] += energy;
    grip->work -= energy;
    grip->stretch = v2(0, 0);
    grip->law = CAROM_LAW_NONE;
    n->friction.force[c] = n->friction.term[c] = (CaromVec3){0};
}

bool carom_friction_has_changed(CaromNetwork *n, int c, CaromEventKind *kind) {
    CaromGrip *grip = &n->friction.grip[c];
    CaromVec2 heading = grip->stiffness > 0 ? grip->stretch : grip->velocity;
    bool reverses = grip->slides && grip->shown_slides && v2_dot(grip->heading, heading) < 0;
    bool changed =
        grip->friction > 0 && grip->known && (reverses || grip->slides != grip->shown_slides);
    grip->known = true;
    *kind = reverses       ? CAROM_EVENT_SLIP_REVERSES
            : grip->slides ? CAROM_EVENT_STICK_TO_SLIP
                           : CAROM_EVENT_SLIP_TO_STICK;
    grip->shown_slides = grip->slides;
    grip->heading = grip->slides ? heading : v2(0, 0);
    return changed;
}

/// Impulses of the stretch, and by how much they break Coulomb's bound.
static void take_impulses(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    carom_friction_share_impulses(n);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        CaromVec2 rubbed = {f->kick[c].x, f->kick[c].y};
        n->impulse[c] += f->kick[c].z;
        grip->impulse = v2_axpy(1, rubbed, grip->impulse);
        double excess = v2_norm(rubbed) - grip->friction * f->kick[c].z;
        f->excess += grip->friction > 0 ? sqrt(n->mobility[c]) * fmax(excess, 0) : 0;
    }
}

/// Work against friction from `from` to t of a step h. By a Gauss rule: exact for the collocation,
/// and of the twelfth order for the series, whose last terms are the sixteenth.
static double work_along(const CaromNetwork *n, int c, double h, double from, double t) {
    enum { NODES = 6 };
    static const double node[NODES / 2] = {0.23861918608319690863, 0.66120938646626451366,
                                           0.93246951420315202781};
    static const double weight[NODES / 2] = {0.46791393457269104739, 0.36076157304813860757,
                                             0.17132449237917034504};
    const CaromLanes *u = n->friction.grip[c].terms[CAROM_GRIP_VELOCITY];
    const CaromLanes *force = n->friction.series[c].force;
    double half = 0.5 * (t - from), work = 0;
    for (int i = 0; i < NODES; i++) {
        double at = from + half * (1 + (i % 2 == 0 ? -1 : 1) * node[i / 2]);
        double rate = 1 + n->friction.pace * at;
        work -=
            weight[i / 2] * rate * v2_dot(carom_step_vector(u, at), carom_step_vector(force, at));
    }
    return h * half * work;
}

/// A spring that slides is as long as friction can hold, whatever the errors of its direction.
static void keep_length(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    double length = v2_norm(grip->stretch);
    double rho = grip->friction * carom_friction_normal_force(n, c) / grip->stiffness;
    if (rho > 0 && length > 0) {
        grip->stretch = v2_scale(rho / length, grip->stretch);
    }
}

/// u_n and delta of a contact. Terms are summed up from the small ones.
static void advance_normal(CaromNetwork *n, int c, const double value[CAROM_NETWORK_ORDER + 1]) {
    size_t count = (size_t)n->count, at = CAROM_NETWORK_ORDER * count + (size_t)c;
    CaromLanes sum = {0};
    for (int j = CAROM_NETWORK_ORDER; j >= 0; j--) {
        sum += value[j] * (CaromLanes){n->velocity_terms[at], n->compression_terms[at]};
        at -= count;
    }
    n->velocity[c] = sum[0];
    n->parting[c] = n->parting[c] || sum[0] > n->threshold[c];
    n->compression[c] = n->phase[c] != CAROM_PHASE_ASLEEP ? sum[1] : n->compression[c];
}

/// Work of friction from `from` to t of a step h, in which its impulse is `rubbed` h, but for what
/// a spring holds whose particle rests.
static double friction_work(const CaromNetwork *n, int c, double h, double from, double t,
                            CaromLanes rubbed) {
    const CaromGrip *grip = &n->friction.grip[c];
    bool series = !n->friction.collocated;
    if (series && grip->law == CAROM_LAW_STICK) {
        return -h * (rubbed[0] * grip->velocity.x + rubbed[1] * grip->velocity.y);
    }
    bool hangs = series && grip->law == CAROM_LAW_STRETCH; // all work is in the spring
    return hangs ? -carom_friction_strain_energy(n, c) : work_along(n, c, h, from, t);
}

void carom_friction_advance(CaromNetwork *n, double h, double from, double t,
                            const double value[CAROM_NETWORK_ORDER + 1],
                            const double integral[CAROM_NETWORK_ORDER + 1]) {
    CaromFriction *f = &n->friction;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        CaromGrip *grip = &f->grip[c];
        const CaromGripSeries *s = &f->series[c];
        bool awake = n->phase[c] != CAROM_PHASE_ASLEEP;
        advance_normal(n, c, value);
        CaromLanes rubbed = {0}, pressed = {0}; // F_n and its impulse
        for (int j = CAROM_NETWORK_ORDER; awake && j >= 0; j--) {
            rubbed += integral[j] * s->force[j];
            pressed += (CaromLanes){value[j], integral[j]} * s->normal[j];
        }
        rubbed = grip->friction > 0 ? rubbed : (CaromLanes){0};
        if (awake && grip->friction > 0) {
            grip->work += friction_work(n, c, h, from, t, rubbed);
        }
        if (grip->friction > 0) {
            grip->velocity = carom_step_vector(grip->terms[CAROM_GRIP_VELOCITY], t);
        }
        if (!awake) {
            continue;
        }
        if (grip->friction > 0 && grip->stiffness > 0) {
            bool hangs = !f->collocated && grip->law == CAROM_LAW_STRETCH;
            grip->stretch = carom_step_vector(grip->terms[CAROM_GRIP_STRETCH], t);
            grip->work += hangs ? carom_friction_strain_energy(n, c) : 0;
        }
        f->kick[c] = v3(h * rubbed[0], h * rubbed[1], h * pressed[1]);
        CaromVec2 force = carom_step_vector(s->force, t);
        f->force[c] = v3(force.x, force.y, pressed[0]);
        if (!f->collocated && grip->law > CAROM_LAW_SLIP) {
            keep_length(n, c);
        }
    }
    take_impulses(n);
}
