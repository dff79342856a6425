// SPDX-License-Identifier: Apache-2.0
// Setting up the friction of a network: memory, W in blocks, and what it does.
#include "impact/friction.h"

#include "impact/network.h"

void carom_friction_carve(CaromFriction *f, CaromArena *arena, int contacts, int couplings) {
    size_t count = (size_t)contacts;
    size_t most = 3 * count;
    size_t side = most < CAROM_MOST_UNKNOWNS ? most : CAROM_MOST_UNKNOWNS;
    *f = (CaromFriction){
        .grip = carom_arena_take(arena, count, sizeof *f->grip),
        .series = carom_arena_take(arena, count, sizeof *f->series),
        .start = carom_arena_take(arena, count + 1, sizeof(int)),
        .column = carom_arena_take(arena, (size_t)couplings, sizeof(int)),
        .block = carom_arena_take(arena, (size_t)couplings, sizeof *f->block),
        .awake_end = carom_arena_take(arena, count, sizeof(int)),
        .capacity = couplings,
        .self = carom_arena_take(arena, count, sizeof *f->self),
        .force = carom_arena_take(arena, count, sizeof *f->force),
        .kick = carom_arena_take(arena, count, sizeof *f->kick),
        .place = carom_arena_take(arena, count, sizeof(int)),
        .unknown = carom_arena_take(arena, most, sizeof *f->unknown),
        .unknown_at = carom_arena_take(arena, count, sizeof(int)),
        .joints = carom_arena_take(arena, count, sizeof *f->joints),
        .component = carom_arena_take(arena, count, sizeof(int)),
        .order = carom_arena_take(arena, count, sizeof(int)),
        .room = side * side,
        .matrix = carom_arena_take(arena, side * side, sizeof(double)),
        .residual = carom_arena_take(arena, most, sizeof(double)),
        .values = carom_arena_take(arena, most, sizeof(double)),
        .vectors = carom_arena_take(arena, side * side, sizeof(double)),
        .scale = carom_arena_take(arena, 2 * most, sizeof(double)),
        .pivot = carom_arena_take(arena, 2 * most, sizeof(int)),
    };
}

// ---- W -----------------------------------------------------------------------------------------

/// No impulse moves it: a semidefinite matrix with a zero diagonal is zero.
static bool is_fixed(const CaromBody *body) {
    double trace = 0;
    for (int i = 0; i < 6; i++) {
        trace += body->inverse_inertia[i][i];
    }
    return trace == 0;
}

/// The block of row c for contact d, a new one if it has none; NULL when it does not fit.
static CaromMat3 *block_of(CaromFriction *f, int c, int d) {
    int end = f->start[c + 1];
    for (int e = f->start[c]; e < end; e++) {
        if (f->column[e] == d) {
            return &f->block[e];
        }
    }
    if (end == f->capacity) {
        return NULL;
    }
    f->column[end] = d;
    f->block[end] = (CaromMat3){0};
    f->start[c + 1]++;
    return &f->block[end];
}

/// theory.md (4.1): what an impulse at d does to the velocity at c through one body.
static CaromMat3 through_body(const CaromImpactProblem *problem, const CaromMat3 *frames, int b,
                              int c, int d) {
    const CaromContact *to = &problem->contacts[c];
    const CaromContact *from = &problem->contacts[d];
    const CaromBody *body = &problem->bodies[b];
    CaromMat3 world = carom_body_mobility(body, v3_sub(to->point, body->position),
                                          v3_sub(from->point, body->position));
    CaromMat3 from_frame = m3_transpose(&frames[d]);
    CaromMat3 half = m3_mul3(&frames[c], &world);
    CaromMat3 local = m3_mul3(&half, &from_frame);
    double sign = (to->body[0] == b) == (from->body[0] == b) ? 1 : -1;
    for (int i = 0; i < 9; i++) {
        local.m[i / 3][i % 3] *= sign;
    }
    return local;
}

static bool couple(CaromNetwork *n, const CaromImpactProblem *problem, const CaromMat3 *frames) {
    CaromFriction *f = &n->friction;
    f->start[0] = 0;
    for (int c = 0; c < n->count; c++) {
        f->start[c + 1] = f->start[c];
        for (int side = 0; side < 2; side++) {
            int b = problem->contacts[c].body[side];
            if (is_fixed(&problem->bodies[b])) {
                continue;
            }
            for (int i = n->body_start[b]; i < n->body_start[b + 1]; i++) {
                int d = n->body_contact[i];
                CaromMat3 *block = block_of(f, c, d);
                if (block == NULL) {
                    return false;
                }
                CaromMat3 part = through_body(problem, frames, b, c, d);
                *block = m3_add(block, &part);
            }
        }
        f->self[c] = *block_of(f, c, c);
    }
    return true;
}

/// What entries of a row sum up to.
static CaromVec3 sum_entries(const CaromFriction *f, int from, int end, const CaromVec3 *force) {
    CaromLanes sum[3] = {{0}};
    CaromVec3 rest = {0};
    for (int e = from; e < end; e++) {
        const CaromVec3 x = force[f->column[e]];
        const CaromMat3 *m = &f->block[e];
        for (int i = 0; i < 3; i++) {
            sum[i] += (CaromLanes){m->m[i][0], m->m[i][1]} * (CaromLanes){x.x, x.y};
        }
        rest = v3_axpy(x.z, v3(m->m[0][2], m->m[1][2], m->m[2][2]), rest);
    }
    return v3_add(v3(sum[0][0], sum[1][0], sum[2][0]),
                  v3_add(v3(sum[0][1], sum[1][1], sum[2][1]), rest));
}

CaromVec3 carom_friction_row(const CaromFriction *f, int c, const CaromVec3 *force) {
    return sum_entries(f, f->start[c], f->start[c + 1], force);
}

CaromVec3 carom_friction_acceleration(const CaromFriction *f, int c) {
    return sum_entries(f, f->start[c], f->awake_end[c], f->force);
}

void carom_friction_sort_rows(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        int end = f->start[c];
        for (int e = end; e < f->start[c + 1]; e++) {
            int d = f->column[e];
            if (n->phase[d] == CAROM_PHASE_ASLEEP) {
                continue;
            }
            CaromMat3 block = f->block[e];
            f->column[e] = f->column[end];
            f->block[e] = f->block[end];
            f->column[end] = d;
            f->block[end++] = block;
        }
        f->awake_end[c] = end;
    }
}

/// The contacts of each component, one after the other in `order`: who shares a movable body with
/// one of them is one of them.
static void find_components(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    int listed = 0;
    for (int c = 0; c < n->count; c++) {
        f->component[c] = -1;
    }
    for (int c = 0; c < n->count; c++) {
        int next = listed;
        if (f->component[c] < 0) {
            f->component[c] = c;
            f->order[listed++] = c;
        }
        for (; next < listed; next++) {
            int d = f->order[next];
            for (int e = f->start[d]; e < f->start[d + 1]; e++) {
                if (f->component[f->column[e]] < 0) {
                    f->component[f->column[e]] = c;
                    f->order[listed++] = f->column[e];
                }
            }
        }
    }
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

static CaromGrip start_grip(const CaromNetwork *n, const CaromContact *contact, int c,
                            CaromVec2 velocity) {
    const CaromMaterial *m = &contact->material;
    const CaromMat3 *w = &n->friction.self[c];
    double mobility = fmax(fmax(w->m[0][0], w->m[1][1]), w->m[2][2]);
    bool compliant = m->tangential == CAROM_TANGENTIAL_COMPLIANT;
    double stiffness = isinf(m->stiffness) ? 1 : m->stiffness;
    double along = sqrt(2 * n->energy * fmax(w->m[0][0], w->m[1][1]));
    double scale = sqrt(2 * n->energy * mobility);
    double rest = fmax(fmin(0.1 * n->tolerance * along, 1e-6 * scale), 1e-14 * v2_norm(velocity));
    return (CaromGrip){
        .friction = m->friction,
        .stiffness = compliant ? stiffness / m->stiffness_ratio : 0,
        .speed_scale = scale,
        .rest = rest,
        .creep = fmax(sqrt(n->tolerance) * along, 100 * rest),
        .velocity = velocity,
    };
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

bool carom_friction_init(CaromNetwork *n, const CaromImpactProblem *problem,
                         const CaromMat3 *frames) {
    CaromFriction *f = &n->friction;
    f->active = false;
    f->pace = 0;
    f->cut = false;
    for (int c = 0; c < n->count; c++) {
        f->active = f->active || problem->contacts[c].material.friction > 0;
    }
    if (!f->active) {
        return true;
    }
    if (!couple(n, problem, frames)) {
        return false;
    }
    for (int c = 0; c < n->count; c++) {
        CaromVec2 velocity = first_velocity(problem, frames, c);
        f->grip[c] = start_grip(n, &problem->contacts[c], c, velocity);
        f->series[c] = (CaromGripSeries){0};
        f->force[c] = f->kick[c] = (CaromVec3){0};
    }
    // What is left out of slip directions there is of the third power of the window.
    f->window = 0.2 * cbrt(n->tolerance);
    f->choices = 0;
    f->excess = 0;
    f->exact = false;
    f->idle = 0;
    f->busy = 0;
    f->slowest = slowest_turn(n, problem);
    f->idle_loss = 0;
    f->unknown_count = 0;
    f->overflow = false;
    f->joint_count = 0;
    f->constant = f->factored = false;
    find_components(n);
    return true;
}

// ---- What others do to it ----------------------------------------------------------------------

void carom_friction_kick(CaromNetwork *n, const double *normal_impulse) {
    CaromFriction *f = &n->friction;
    for (int c = 0; c < n->count; c++) {
        for (int e = f->start[c]; e < f->start[c + 1]; e++) {
            double push = normal_impulse[f->column[e]];
            CaromVec2 change = {f->block[e].m[0][2], f->block[e].m[1][2]};
            f->grip[c].velocity = v2_axpy(push, change, f->grip[c].velocity);
        }
    }
}

double carom_friction_slip_length(const CaromNetwork *n, int c, double compression) {
    const CaromGrip *grip = &n->friction.grip[c];
    return grip->friction * n->stiffness[c] * compression / grip->stiffness;
}

double carom_friction_period(const CaromNetwork *n, int c) {
    return 1 / sqrt(n->mobility[c] * n->stiffness[c]);
}

double carom_friction_strain_energy(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return 0.5 * grip->stiffness * v2_dot(grip->stretch, grip->stretch);
}

void carom_friction_relax(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    double energy = carom_friction_strain_energy(n, c);
    n->loss[c] += energy;
    grip->work -= energy;
    grip->stretch = v2(0, 0);
}

void carom_friction_sleep(CaromNetwork *n, int c) {
    carom_friction_relax(n, c); // next to nothing, or what mono-stiffness does not give back
    CaromGrip *grip = &n->friction.grip[c];
    bool in_vain = n->time - grip->wake_time < carom_friction_moment(n);
    grip->wakes = in_vain ? grip->wakes : 0;
    grip->mode = CAROM_GRIP_OPEN;
    n->friction.force[c] = (CaromVec3){0};
}
