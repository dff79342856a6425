// SPDX-License-Identifier: Apache-2.0
// Setting up a network of contacts: memory, coupling through the bodies, thresholds.
#include "impact/network/network.h"
#include "impact/network/band.h"

#include "base/elementary.h"
#include "base/ode.h"
#include "impact/network/tuning.h"

#include <string.h>

void carom_network_carve(CaromNetwork *n, CaromArena *arena, int bodies, int contacts,
                         int couplings, int joined) {
    size_t count = (size_t)contacts;
    size_t entries = (size_t)couplings;
    size_t terms = count * (CAROM_NETWORK_ORDER + 2);
    *n = (CaromNetwork){0};
    n->coupling.start = carom_arena_take(arena, count + 1, sizeof(int));
    n->coupling.column = carom_arena_take(arena, entries, sizeof(int));
    n->coupling.value = carom_arena_take(arena, entries, sizeof(double));
    n->coupling.capacity = couplings;
    double **arrays[] = {&n->restitution, &n->exponent,  &n->threshold,      &n->velocity,
                         &n->compression, &n->stiffness, &n->first_velocity, &n->softest,
                         &n->retained,    &n->impulse,   &n->loss,           &n->event_time,
                         &n->residual,    &n->direction, &n->yield,          &n->ode_force,
                         &n->image,       &n->push,      &n->mobility,       &n->held_at,
                         &n->swings_until};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = carom_arena_take(arena, count + 1, sizeof(double)); // in pairs
    }
    n->band = carom_arena_take(arena, count * (CAROM_BAND + 1), sizeof(double));
    n->in_band = carom_arena_take(arena, count, sizeof(int));
    n->guess = carom_arena_take(arena, count, sizeof(int));
    double **term_arrays[] = {&n->velocity_terms, &n->compression_terms, &n->force_terms};
    for (size_t i = 0; i < sizeof term_arrays / sizeof term_arrays[0]; i++) {
        // Pairs of contacts read one before the first and three after the last.
        double *memory = carom_arena_take(arena, terms + 4, sizeof(double));
        *term_arrays[i] = memory != NULL ? memory + 1 : NULL;
    }
    int **lists[] = {&n->compressions, &n->awake, &n->held, &n->moving, &n->place};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = carom_arena_take(arena, count, sizeof(int));
    }
    const int parts = 3;
    n->ode_memory = carom_arena_take(arena, carom_ode_doubles(parts * contacts), sizeof(double));
    n->ode_scale = carom_arena_take(arena, (size_t)parts * count, sizeof(double));
    n->ode_start = carom_arena_take(arena, (size_t)parts * count, sizeof(double));
    n->unloading = carom_arena_take(arena, count, sizeof *n->unloading);
    n->phase = carom_arena_take(arena, count, sizeof *n->phase);
    n->event_kind = carom_arena_take(arena, count, sizeof *n->event_kind);
    n->rigid = carom_arena_take(arena, count, sizeof(bool));
    n->just_held = carom_arena_take(arena, count, sizeof(bool));
    n->endless = carom_arena_take(arena, count, sizeof(bool));
    n->softer = carom_arena_take(arena, count, sizeof(bool));
    n->pinned = carom_arena_take(arena, count, sizeof(bool));
    n->parting = carom_arena_take(arena, count, sizeof(bool));
    n->listed = carom_arena_take(arena, count, sizeof(bool));
    n->first_state = carom_arena_take(arena, count, sizeof(int));
    n->hard = carom_arena_take(arena, count, sizeof(bool));
    n->plastic = carom_arena_take(arena, count, sizeof(bool));
    n->wrench = carom_arena_take(arena, count, sizeof *n->wrench);
    n->response = carom_arena_take(arena, count, sizeof *n->response);
    n->body_start = carom_arena_take(arena, (size_t)bodies + 1, sizeof(int));
    n->body_contact = carom_arena_take(arena, 2 * count, sizeof(int));
    carom_friction_carve(&n->friction, arena, bodies, contacts, couplings, joined);
}

double carom_network_strain_energy(const CaromNetwork *n, int c) {
    double exponent = n->exponent[c];
    double delta = fmax(n->compression[c], 0); // below by rounding, where a compression of 0 ends
    return n->stiffness[c] * pow(delta, exponent + 1) / (exponent + 1);
}

double carom_network_compression_of_energy(const CaromNetwork *n, int c, double energy) {
    double power = n->exponent[c] + 1;
    return n->by_slope ? sqrt(2 * energy / n->stiffness[c])
                       : pow(power * energy / n->stiffness[c], 1 / power);
}

double carom_network_spring_force(const CaromNetwork *n, int c, double compression) {
    double delta = compression > 0 ? compression : 0;
    double exponent = n->exponent[c];
    double power = exponent == 1     ? delta
                   : exponent == 1.5 ? delta * sqrt(delta)
                                     : pow(delta, exponent);
    return n->stiffness[c] * power;
}

// ---- Coupling --------------------------------------------------------------------------------

/// List the contacts of every body: counts, then places, then the contacts in their places.
static void list_by_body(CaromNetwork *n, const CaromImpactProblem *problem) {
    for (int b = 0; b <= problem->body_count; b++) {
        n->body_start[b] = 0;
    }
    for (int c = 0; c < n->count; c++) {
        for (int side = 0; side < 2; side++) {
            n->body_start[problem->contacts[c].body[side] + 1]++;
        }
    }
    for (int b = 0; b < problem->body_count; b++) {
        n->body_start[b + 1] += n->body_start[b];
    }
    for (int c = n->count - 1; c >= 0; c--) {
        for (int side = 0; side < 2; side++) {
            // Filled from the back; what is left is the start of the next body.
            int b = problem->contacts[c].body[side];
            n->body_contact[--n->body_start[b + 1]] = c;
        }
    }
    for (int b = 0; b < problem->body_count; b++) {
        n->body_start[b] = n->body_start[b + 1];
    }
    n->body_start[problem->body_count] = 2 * n->count;
}

static double six_dot(CaromSix a, CaromSix b) {
    return v3_dot(a.linear, b.linear) + v3_dot(a.angular, b.angular);
}

/// Add W_cd through one body to row c, in its place by column. False when the row does not fit.
static bool add_entry(CaromCoupling *w, int c, int d, double value) {
    int at = w->start[c + 1];
    while (at > w->start[c] && w->column[at - 1] >= d) {
        at--;
    }
    if (at < w->start[c + 1] && w->column[at] == d) {
        w->value[at] += value;
        return true;
    }
    if (w->start[c + 1] == w->capacity) {
        return false;
    }
    for (int i = w->start[c + 1]; i > at; i--) {
        w->column[i] = w->column[i - 1];
        w->value[i] = w->value[i - 1];
    }
    w->column[at] = d;
    w->value[at] = value;
    w->start[c + 1]++;
    return true;
}

/// theory.md (3.1): W_cd = sum over common bodies of wrench_c . A wrench_d.
static bool couple(CaromNetwork *n, const CaromImpactProblem *problem) {
    for (int c = 0; c < n->count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromVec3 normal = v3_scale(1 / v3_norm(contact->normal), contact->normal);
        for (int side = 0; side < 2; side++) {
            const CaromBody *body = &problem->bodies[contact->body[side]];
            CaromVec3 impulse = v3_scale(side == 0 ? 1 : -1, normal);
            n->wrench[c][side] = six_wrench(v3_sub(contact->point, body->position), impulse);
            n->response[c][side] =
                carom_body_response_of(body, carom_body_kind(body), n->wrench[c][side]);
        }
    }
    list_by_body(n, problem);
    n->coupling.start[0] = 0;
    for (int c = 0; c < n->count; c++) {
        n->coupling.start[c + 1] = n->coupling.start[c];
        for (int side = 0; side < 2; side++) {
            int b = problem->contacts[c].body[side];
            for (int i = n->body_start[b]; i < n->body_start[b + 1]; i++) {
                int d = n->body_contact[i];
                int other = problem->contacts[d].body[0] == b ? 0 : 1;
                double value = six_dot(n->wrench[c][side], n->response[d][other]);
                if (value != 0 && !add_entry(&n->coupling, c, d, value)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// ---- Start -----------------------------------------------------------------------------------

/// W_cc, by row.
static double diagonal(const CaromCoupling *w, int c) {
    for (int e = w->start[c]; e < w->start[c + 1]; e++) {
        if (w->column[e] == c) {
            return w->value[e];
        }
    }
    return 0;
}

/// What counts as rest, relative to the energy E with which contacts approach each for itself:
/// a speed sqrt(2 E W_cc) is scaled by the tolerance, an energy by its square.
static void set_scales(CaromNetwork *n, double tolerance) {
    n->tolerance = tolerance;
    n->energy = 0;
    for (int c = 0; c < n->count; c++) {
        if (n->velocity[c] < 0) {
            n->energy += 0.5 * n->velocity[c] * n->velocity[c] / n->mobility[c];
        }
    }
    carom_network_set_thresholds(n);
}

void carom_network_set_thresholds(CaromNetwork *n) {
    n->negligible = n->tolerance * n->tolerance * n->energy;
    for (int c = 0; c < n->count; c++) {
        double rest = n->tolerance * sqrt(2 * n->energy * n->mobility[c]);
        n->threshold[c] = fmax(rest, CAROM_STILLNESS);
    }
}

bool carom_network_init(CaromNetwork *n, const CaromImpactProblem *problem, const CaromMat3 *frames,
                        double tolerance) {
    n->count = problem->contact_count;
    n->outcome = CAROM_OUTCOME_CONVERGED; // not that of the problem before, whatever fails below
    if (!couple(n, problem)) {
        return false;
    }
    for (int c = 0; c < n->count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        n->restitution[c] = contact->material.restitution;
        n->exponent[c] = contact->material.exponent;
        n->unloading[c] = contact->material.unloading;
        n->hard[c] = isinf(contact->material.stiffness);
        n->plastic[c] = false;
        n->stiffness[c] = n->hard[c] ? 1 : contact->material.stiffness;
        n->softest[c] = n->stiffness[c];
        n->phase[c] = CAROM_PHASE_ASLEEP;
        n->rigid[c] = false;
        n->just_held[c] = false;
        n->endless[c] = n->softer[c] = n->pinned[c] = false;
        n->held_at[c] = 0;
        n->swings_until[c] = -1;
        n->mobility[c] = diagonal(&n->coupling, c);
        n->velocity[c] = 0;
        for (int side = 0; side < 2; side++) {
            CaromSix twist = six_from_twist(&problem->bodies[contact->body[side]]);
            n->velocity[c] += six_dot(n->wrench[c][side], twist);
        }
        n->first_velocity[c] = n->velocity[c];
        n->compression[c] = 0;
        n->retained[c] = 0;
        n->impulse[c] = 0;
        n->loss[c] = 0;
        n->compressions[c] = 0;
        n->yield[c] = 0;
        n->direction[c] = 0;
        n->in_band[c] = -1;
    }
    memset(n->force_terms, 0,
           ((CAROM_NETWORK_ORDER + 2) * (size_t)n->count + 2) * sizeof *n->force_terms);
    n->time = 0;
    n->steps = 0;
    n->together = 0;
    n->events = 0;
    n->quiet = 0;
    n->by_slope = false;
    set_scales(n, tolerance);
    for (int c = 0; c < n->count; c++) {
        n->parting[c] = n->velocity[c] > n->threshold[c];
    }
    return carom_friction_init(n, problem, frames);
}

// ---- The first state -------------------------------------------------------------------------

// The force of an approaching contact starts as f s. Where forces start as f s^o, the velocity of a
// neighbour at rest starts as sum(W f) s^(o+1)/(o+1), and if that is an approach its force as
//   -k sum(W f) s^(o+2) / ((o+1)(o+2)),
// so the first state spreads over the contact graph order by order.
void carom_network_find_first_state(CaromNetwork *n, int most) {
    double *force = n->residual; // leading coefficients of the present order
    double *next = n->image;     // and of the next
    bool *apart = n->listed;     // known not to be pressed
    int found = 0;
    for (int c = 0; c < n->count; c++) {
        n->first_state[c] = n->velocity[c] < -n->threshold[c] ? 1 : 0;
        apart[c] = n->velocity[c] > n->threshold[c];
        force[c] = n->first_state[c] > 0 ? -n->stiffness[c] * n->velocity[c] : 0;
        found += n->first_state[c];
    }
    for (int order = 1; found > 0 && order + 2 <= most; order += 2) {
        found = 0;
        for (int c = 0; c < n->count; c++) {
            next[c] = 0;
            if (n->first_state[c] > 0 || apart[c]) {
                continue;
            }
            double push = 0;
            double size = 0;
            for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
                double part = n->coupling.value[e] * force[n->coupling.column[e]];
                push += part;
                size += fabs(part);
            }
            if (fabs(push) > CAROM_CANCELS * size) {
                apart[c] = push > 0;
                next[c] = push < 0 ? -n->stiffness[c] * push / ((order + 1) * (order + 2)) : 0;
                found += push < 0;
            }
        }
        for (int c = 0; c < n->count; c++) {
            n->first_state[c] = next[c] > 0 ? order + 2 : n->first_state[c];
            force[c] = next[c];
        }
    }
}

CaromContactPhase carom_network_phase(const CaromNetwork *n, int c) {
    bool not_yet = n->phase[c] == CAROM_PHASE_ASLEEP && n->first_state[c] > 0 && n->impulse[c] == 0;
    return not_yet ? CAROM_PHASE_COMPRESSION : n->phase[c];
}
