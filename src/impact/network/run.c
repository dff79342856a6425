// SPDX-License-Identifier: Apache-2.0
// The run of a network from event to event: what happens there, who has a force afterwards.
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <limits.h>

enum { ORDER = CAROM_NETWORK_ORDER, MAX_STEPS = 10 * 1000 * 1000 };

// ---- Events ----------------------------------------------------------------------------------

void carom_network_sleep(CaromNetwork *n, int c) {
    if (n->tangent != NULL) {
        carom_tangent_sleep(n, c);
    }
    n->rigid[c] = false;
    n->friction.swings = n->friction.swings || n->retained[c] > 0; // a force ends at once
    n->loss[c] += n->retained[c];
    n->retained[c] = 0;
    n->compression[c] = 0;
    n->parting[c] = n->velocity[c] > n->threshold[c];
    n->phase[c] = CAROM_PHASE_ASLEEP;
    if (n->friction.active) {
        carom_friction_sleep(n, c);
    }
    for (int j = 0; j <= ORDER; j++) {
        n->force_terms[(size_t)j * (size_t)n->count + (size_t)c] = 0;
    }
}

/// Strain energy with which a contact vibrates on after its compression has ended. Mono-stiffness
/// does not harden: a contact that is still pressed starts anew with all of it.
static double vibrates_on(const CaromNetwork *n, int c) {
    double kept = carom_network_is_mono(n, c) ? 1 : n->restitution[c] * n->restitution[c];
    return kept * carom_network_strain_energy(n, c);
}

/// theory.md (3.3). Bi-stiffness: delta <- e^2 delta, k <- k/e^(2p), the force stays, E <- e^2 E.
/// Mono-stiffness: nothing changes but how much will be given back, e^2 of it; with e = 0 nothing,
/// so that the contact opens at once.
static void compression_ends(CaromNetwork *n, int c, bool settled) {
    double kept = n->restitution[c] * n->restitution[c];
    double energy = carom_network_strain_energy(n, c);
    bool rounding = energy <= CAROM_EXACT * CAROM_EXACT * n->energy; // of a square
    if (rounding && !n->rigid[c] && n->compressions[c] == 0) {
        carom_network_sleep(n, c); // it was taken for pressed at the start, and is not
        return;
    }
    n->velocity[c] = 0;
    n->parting[c] = false;
    n->phase[c] = CAROM_PHASE_RESTITUTION;
    n->compressions[c]++;
    n->plastic[c] = n->plastic[c] || (kept == 0 && !carom_network_is_mono(n, c));
    n->yield[c] = energy > (1 / CAROM_DISTINCT) * n->yield[c] ? 0 : n->yield[c];
    if (n->held_count > 0 && energy <= CAROM_NEVER_PRESSED * n->negligible && !n->plastic[c]) {
        carom_network_sleep(n, c); // others kept it from being compressed at all
    } else if (n->plastic[c] || (settled && vibrates_on(n, c) <= carom_network_hold_limit(n, c))) {
        carom_network_become_rigid(n, c);
        n->friction.grip[c].ended = true;
    } else if (carom_network_is_mono(n, c)) {
        if (n->tangent != NULL) {
            carom_tangent_retain(n, c);
        }
        n->retained[c] = energy - kept * (energy - n->retained[c]);
        if (kept == 0) {
            carom_network_sleep(n, c);
        }
    } else {
        if (n->tangent != NULL) {
            carom_tangent_harden(n, c);
        }
        n->loss[c] += (1 - kept) * energy;
        n->compression[c] *= kept;
        n->stiffness[c] /= pow(kept, n->exponent[c]);
    }
}

/// Whether a contact at the same place is rigid for good: it takes all of the push.
static bool is_spared(const CaromNetwork *n, int c) {
    bool spared = false;
    for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
        spared = spared || (n->plastic[n->coupling.column[e]] && carom_network_is_twin(n, c, e));
    }
    return spared && !n->friction.active;
}

/// A contact starts anew. One that was compressed before and comes from rest would only harden
/// further by an impact below tolerance; it starts rigid. Mono-stiffness does not harden.
static void wake(CaromNetwork *n, int c) {
    if (n->plastic[c]) {
        carom_network_become_rigid(n, c);
    } else if (is_spared(n, c)) {
        n->parting[c] = false; // it goes on sleeping, at rest as the other
        n->velocity[c] = 0;
    } else if (n->compressions[c] > 0 && (!n->parting[c] || n->endless[c]) &&
               !carom_network_is_mono(n, c)) {
        carom_network_become_rigid_together(n, c);
    } else {
        n->phase[c] = CAROM_PHASE_COMPRESSION;
    }
}

/// Contacts open or close, or only go to and fro once more.
static void note_progress(CaromNetwork *n, bool made) {
    n->friction.idle = made ? 0 : n->friction.idle + 1;
    n->friction.busy = made ? n->time : n->friction.busy;
}

/// A held contact is a spring again, as long as its force makes it, with no more strain energy than
/// `most`.
static void become_spring(CaromNetwork *n, int c, double force, double most) {
    n->rigid[c] = false;
    double pressed = pow(fmax(force, 0) / n->stiffness[c], 1 / n->exponent[c]);
    double longest = carom_network_compression_of_energy(n, c, most);
    n->compression[c] = fmin(pressed, longest);
    if (n->tangent != NULL && pressed <= longest) {
        carom_tangent_yield(n, c);
    }
    n->loss[c] -= carom_network_strain_energy(n, c);
}

/// The rigid law has no answer: held contacts with friction are springs again, with what they had
/// when they were held. A spring that its own friction presses together runs away from a balance of
/// forces, however hard it is, and rounding may decide which way: a choice. False if there are
/// none.
static bool yield(CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        int c = n->held[i];
        if (carom_network_may_yield(n, c)) {
            become_spring(n, c, n->friction.force[c].z, n->yield[c] / CAROM_YIELD_GROWTH);
            any = true;
        }
    }
    n->friction.choices += any;
    carom_network_list(n);
    return any;
}

static bool is_phase_only(CaromEventKind kind) {
    return kind == CAROM_EVENT_COMPRESSION_ENDS || kind == CAROM_EVENT_COMPRESSION_RESTARTS;
}

static void apply(CaromNetwork *n, CaromEventKind kind, int c, bool settled) {
    note_progress(n, !is_phase_only(kind));
    bool turns = kind == CAROM_EVENT_CONTACT_RESTARTS || kind == CAROM_EVENT_COMPRESSION_RESTARTS;
    if (turns && (n->parting[c] || n->rigid[c])) {
        n->velocity[c] = 0; // it is, below tolerance
    }
    switch (kind) {
    case CAROM_EVENT_COMPRESSION_ENDS:
        compression_ends(n, c, settled);
        break;
    case CAROM_EVENT_RESTITUTION_ENDS:
        carom_network_sleep(n, c);
        break;
    case CAROM_EVENT_CONTACT_RESTARTS:
        wake(n, c);
        break;
    default: // compression starts again, perhaps of a contact that was rigid for a while
        if (n->rigid[c]) {
            // A force that jumps, because another contact opens, has not compressed it yet.
            double most =
                fmax(CAROM_YIELD_GROWTH * n->yield[c], CAROM_FOLLOWING_ENERGY * n->energy);
            become_spring(n, c, carom_network_force_at(n, c, n->event_time[c]), most);
        }
        n->phase[c] = CAROM_PHASE_COMPRESSION;
        break;
    }
    n->events++;
}

// ---- The run ---------------------------------------------------------------------------------

/// Contacts are expanded in pairs: one more, where there is one, makes their number even.
static void make_range_even(CaromNetwork *n) {
    bool odd = (n->range.to - n->range.from) % 2 == 0;
    if (odd && n->range.to + 1 < n->count) {
        n->range.to++;
    } else if (odd && n->range.from > 0) {
        n->range.from--;
    }
}

void carom_network_list_held(CaromNetwork *n) {
    n->held_count = 0;
    for (int c = 0; c < n->count; c++) {
        if (n->phase[c] != CAROM_PHASE_ASLEEP && n->rigid[c]) {
            n->held[n->held_count++] = c;
        }
    }
}

void carom_network_list(CaromNetwork *n) {
    bool *listed = n->listed;
    const int *start = n->friction.active ? n->friction.graph.row_start : n->coupling.start;
    const int *column = n->friction.active ? n->friction.graph.column : n->coupling.column;
    n->awake_count = 0;
    n->held_count = 0;
    n->moving_count = 0;
    n->range = (CaromRange){n->count - 1, 0};
    for (int c = 0; c < n->count; c++) {
        listed[c] = false;
    }
    for (int c = 0; c < n->count; c++) {
        if (n->phase[c] != CAROM_PHASE_ASLEEP) {
            n->awake[n->awake_count++] = c;
            if (n->rigid[c]) {
                n->held[n->held_count++] = c;
            }
            for (int e = start[c]; e < start[c + 1]; e++) {
                int d = column[e];
                if (!listed[d]) {
                    listed[d] = true;
                    n->moving[n->moving_count++] = d;
                    n->range.from = d < n->range.from ? d : n->range.from;
                    n->range.to = d > n->range.to ? d : n->range.to;
                }
            }
        }
    }
    make_range_even(n);
    if (n->friction.active) {
        carom_friction_sort_rows(n);
        carom_network_find_pinned(n);
    }
}

void carom_network_tell(const CaromNetworkListener *listener, const CaromNetwork *n,
                        CaromEventKind kind, int contact) {
    if (listener->on_event != NULL) {
        listener->on_event(listener->user, n, kind, contact);
    }
}

/// Wake the contacts that approach.
static void wake_approaching(CaromNetwork *n) {
    for (int c = 0; c < n->count; c++) {
        if (n->velocity[c] < -n->threshold[c]) {
            n->phase[c] = CAROM_PHASE_COMPRESSION;
        }
    }
    carom_network_list(n);
}

static bool has_hard(const CaromNetwork *n) {
    bool any = false;
    for (int c = 0; c < n->count; c++) {
        any = any || n->hard[c];
    }
    return any;
}

/// Wake the contacts of the first state: with friction all of them, else those near enough for the
/// series to see them pressed. The others wake when they can be told from rest.
static void wake_first_state(CaromNetwork *n, bool observed) {
    bool all = n->friction.active;
    bool some = n->by_slope && !has_hard(n);
    if (all || some || observed) {
        carom_network_find_first_state(n, all || observed ? INT_MAX : CAROM_ORDER_AT_ONCE);
    }
    for (int c = 0; (all || some) && c < n->count; c++) {
        bool pressed = n->first_state[c] > 0 && (all || n->first_state[c] <= CAROM_ORDER_AT_ONCE);
        n->phase[c] = pressed ? CAROM_PHASE_COMPRESSION : n->phase[c];
    }
}

void carom_network_start(CaromNetwork *n, const CaromNetworkListener *listener) {
    wake_first_state(n, listener->on_event != NULL);
    wake_approaching(n);
    carom_network_tell(listener, n, CAROM_EVENT_START, -1);
}

/// Contacts of a set that approach, be it below what counts as rest, are stopped: a plastic impact
/// of the whole set at once. Momentum stays what it is, and energy can only be lost.
static void stop(CaromNetwork *n, const CaromContactSet *set) {
    bool approaches = false;
    for (int i = 0; i < set->count; i++) {
        approaches = approaches || n->velocity[set->contacts[i]] < 0;
    }
    if (!approaches) {
        return;
    }
    carom_network_push(n, set, n->velocity, n->push);
    for (int i = 0; i < set->count; i++) {
        int c = set->contacts[i];
        double rise = carom_network_row(n, c, n->push);
        n->impulse[c] += n->push[c];
        n->loss[c] -= n->push[c] * (n->velocity[c] + 0.5 * rise);
    }
    for (int c = 0; c < n->count; c++) {
        n->velocity[c] = n->push[c] > 0 ? 0 : n->velocity[c] + carom_network_row(n, c, n->push);
    }
    if (n->friction.active) {
        carom_friction_kick(n, n->push);
    }
}

/// Whether a rigid contact would part, given all forces. A redundant one may have no force of its
/// own because others spare it; it does not part.
static bool parts(const CaromNetwork *n, int c, const double *force) {
    double size = 0;
    for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
        size += fabs(n->coupling.value[e] * force[n->coupling.column[e]]);
    }
    bool pushed = force[c] > 0 || carom_network_row(n, c, force) < CAROM_SAME_FORCE * size;
    return !pushed || n->velocity[c] > n->threshold[c];
}

/// Put the rigid contacts that are marked in `listed`, by their number among the held, to sleep.
static void release(CaromNetwork *n, const CaromNetworkListener *listener) {
    for (int i = 0; i < n->held_count; i++) {
        if (n->listed[i]) {
            carom_network_sleep(n, n->held[i]);
            carom_network_tell(listener, n, CAROM_EVENT_RESTITUTION_ENDS, n->held[i]);
        }
    }
    carom_network_list(n);
}

/// Let go of the rigid contacts that would have to pull.
static void release_all(CaromNetwork *n, const CaromNetworkListener *listener) {
    if (n->held_count == 0) {
        return;
    }
    CaromContactSet held = {n->held, n->held_count};
    stop(n, &held);
    double *force = n->force_terms;
    carom_network_spring_forces(n, force);
    for (int i = 0; i < held.count; i++) {
        n->event_time[held.contacts[i]] = carom_network_row(n, held.contacts[i], force);
    }
    carom_network_push(n, &held, n->event_time, n->push);
    for (int i = 0; i < held.count; i++) {
        force[held.contacts[i]] = n->push[held.contacts[i]];
    }
    for (int i = 0; i < held.count; i++) {
        n->listed[i] = parts(n, held.contacts[i], force);
    }
    release(n, listener);
}

/// Tell which contacts changed between slip and stick.
static void tell_modes(CaromNetwork *n, const CaromNetworkListener *listener) {
    for (int i = 0; i < n->awake_count; i++) {
        CaromEventKind kind = CAROM_EVENT_SAMPLE;
        if (carom_friction_has_changed(n, n->awake[i], &kind)) {
            n->friction.idle++;
            carom_network_tell(listener, n, kind, n->awake[i]);
        }
    }
}

/// With friction the collocation finds out which rigid contacts let go: those that have no force
/// and part at the end of a step.
static void release_chosen(CaromNetwork *n, const CaromNetworkListener *listener) {
    bool any = false;
    bool chosen = carom_collocation_choose(n);
    for (int i = 0; i < n->held_count; i++) {
        n->listed[i] = chosen && n->friction.force[n->held[i]].z <= 0;
        any = any || n->listed[i];
        n->friction.grip[n->held[i]].ended = false;
    }
    if (any) {
        release(n, listener);
    }
}

/// Rigid contacts open that part without a force; and those whose force has come to zero while a
/// softer one kept its own. That one takes the changes of the load from then on.
static void release_open(CaromNetwork *n, const CaromNetworkListener *listener) {
    bool any = false;
    double most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        most = fmax(most, n->friction.force[n->awake[i]].z);
    }
    for (int i = 0; i < n->held_count; i++) {
        int c = n->held[i];
        double force = n->friction.force[c].z;
        bool none = force <= (1 / CAROM_LESS) * CAROM_FORCE_ERROR * most;
        bool dispensable = none && carom_network_is_dispensable(n, i);
        n->listed[i] = dispensable || (force <= 0 && n->velocity[c] > n->threshold[c]);
        any = any || n->listed[i];
    }
    if (any) {
        release(n, listener);
    }
}

/// Whether a compression that ends leaves next to nothing.
static bool leaves_nothing(const CaromNetwork *n, int c) {
    return vibrates_on(n, c) <= carom_network_hold_limit(n, c);
}

void carom_network_apply(CaromNetwork *n, CaromEventKind kind, int c) {
    apply(n, kind, c, leaves_nothing(n, c));
}

/// Whether compressions that end by `last` of the step leave next to nothing in any of their
/// contacts. Two contacts at one place end theirs together, and neither may be held before
/// the other.
static bool is_settled(const CaromNetwork *n, double last) {
    bool settled = true;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->event_time[c] <= last && n->event_kind[c] == CAROM_EVENT_COMPRESSION_ENDS) {
            settled = settled && leaves_nothing(n, c);
        }
    }
    return settled;
}

/// Contacts that open or close by `last` of the step. True if one that closes is rigid.
static bool open_and_close(CaromNetwork *n, double last, bool settled) {
    bool rigid = false;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->event_time[c] <= last && !is_phase_only(n->event_kind[c])) {
            apply(n, n->event_kind[c], c, settled);
            rigid = rigid || n->rigid[c];
        }
    }
    return rigid;
}

/// Whether the velocity of a spring that was parting falls to zero, but not through it, so that
/// compression does not restart: rigid contacts hold it there, theory.md (3.13). One of them may
/// have closed at the same moment. From then on its velocity must fall below what counts as rest.
static bool stays(CaromNetwork *n, int c) {
    return n->event_kind[c] == CAROM_EVENT_COMPRESSION_RESTARTS && !n->rigid[c] && n->parting[c] &&
           n->held_count > 0 && carom_network_cannot_move(n, c);
}

/// Apply all events by `last` of the step. Those that are none are taken out of `event_time`.
/// False if nothing happens.
static bool apply_together(CaromNetwork *n, double last) {
    bool settled = is_settled(n, last);
    bool rigid = open_and_close(n, last, settled);
    if (rigid || n->held_count > 0) { // without those that have just opened
        carom_network_list_held(n);
    }
    bool changed = false;
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->event_time[c] > last) {
            continue;
        }
        changed = true;
        if (stays(n, c)) {
            n->velocity[c] = 0;
            n->parting[c] = false;
            n->event_time[c] = INFINITY;
        } else if (is_phase_only(n->event_kind[c])) {
            apply(n, n->event_kind[c], c, settled);
        }
    }
    return changed;
}

/// Follow a step of length h, or less if something happens before; true if so.
static bool follow(CaromNetwork *n, const CaromNetworkListener *listener, double h) {
    double first = carom_network_first_event(n);
    double end = fmin(first, 1);
    double t = 0;
    if (n->tangent != NULL) {
        carom_tangent_step(n, h, end);
    }
    for (int j = 1; listener->on_event != NULL && j <= listener->samples; j++) {
        double next = end * j / (listener->samples + 1);
        carom_network_advance(n, h, t, next);
        carom_network_tell(listener, n, CAROM_EVENT_SAMPLE, -1);
        t = next;
    }
    carom_network_advance(n, h, t, end);
    n->steps++;
    if (first > 1) {
        return false;
    }
    // All that happens together happens at once, before anyone is told.
    bool changed = apply_together(n, first + n->together);
    for (int i = 0; listener->on_event != NULL && i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->event_time[c] <= first + n->together) {
            carom_network_tell(listener, n, n->event_kind[c], c);
        }
    }
    return changed;
}

/// A contact of an elastic chain has a handful of events; piled-up restarts, a few hundred.
static int max_events(const CaromNetwork *n) {
    return n->friction.active ? 30000 + 1000 * n->count : 100000 + 1000 * n->count;
}

static int max_steps(const CaromNetwork *n) {
    int most = n->friction.active ? 100 * 1000 + 1000 * n->count : MAX_STEPS;
    return carom_fewer_steps(most, n->most_steps);
}

void carom_network_check_limits(CaromNetwork *n) {
    if (n->events > max_events(n)) {
        n->outcome = CAROM_OUTCOME_MAX_EVENTS;
    } else if (n->steps > max_steps(n)) {
        n->outcome = CAROM_OUTCOME_MAX_STEPS;
    }
}

static void put_to_sleep(CaromNetwork *n, const CaromNetworkListener *listener) {
    if (n->tangent != NULL) {
        carom_tangent_settle(n);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        n->loss[c] += carom_network_strain_energy(n, c);
        n->retained[c] = 0; // it is part of that
        carom_network_sleep(n, c);
        carom_network_tell(listener, n, CAROM_EVENT_RESTITUTION_ENDS, c);
    }
    carom_network_list(n);
}

/// Velocities anew from the impulses so far, so that their errors do not add up over the steps.
static void follow_impulses(CaromNetwork *n, bool ended) {
    if (n->friction.active) {
        carom_friction_follow_impulses(n, ended);
        return;
    }
    for (int c = 0; n->series && c < n->count; c++) { // by Runge-Kutta impulses are not that exact
        bool known = n->rigid[c] || n->velocity[c] == 0; // to be zero
        n->velocity[c] =
            known ? n->velocity[c] : n->first_velocity[c] + carom_network_row(n, c, n->impulse);
    }
}

static void end_if_over(CaromNetwork *n, const CaromNetworkListener *listener) {
    if (carom_network_is_over(n)) {
        n->outcome = carom_network_ends_pressed(n) ? CAROM_OUTCOME_JAMMED : n->outcome;
        put_to_sleep(n, listener);
    }
}

/// After events: who has a force now, and who is let go.
static void settle_events(CaromNetwork *n, const CaromNetworkListener *listener) {
    carom_network_list(n);
    carom_network_pin_springs(n);
    follow_impulses(n, false);
    if (n->friction.active) {
        stop(n, &(CaromContactSet){n->held, n->held_count});
        release_chosen(n, listener);
        if (n->friction.swings) {
            carom_collocation_cut_springs(n, false);
            if (n->tangent != NULL) {
                carom_tangent_leave_out(n);
            }
        }
        n->friction.swings = false;
    } else {
        release_all(n, listener);
    }
    end_if_over(n, listener);
}

/// Where W is nearly singular, contacts that approach bring much more energy together than each for
/// itself. Errors are relative to what the springs are seen to store then.
static void raise_energy(CaromNetwork *n) {
    double stored = 0;
    for (int i = 0; i < n->awake_count; i++) {
        stored = fmax(stored, carom_network_strain_energy(n, n->awake[i]));
    }
    if (CAROM_MUCH_LESS * stored > n->energy) {
        n->energy = stored;
        carom_network_set_thresholds(n);
        if (n->friction.active) {
            carom_friction_set_scales(n);
        }
    }
}

/// Step from event to event until all contacts sleep.
static void run_to_rest(CaromNetwork *n, const CaromNetworkListener *listener,
                        CaromNetworkExpandFn *expand, void *stepper) {
    int between_looks =
        n->friction.active ? CAROM_FOLLOWING_STEPS_WITH_FRICTION : CAROM_FOLLOWING_STEPS;
    bool changed = true;
    while (n->awake_count > 0 && n->outcome == CAROM_OUTCOME_CONVERGED) {
        double h = expand(stepper, n, changed);
        if (!(h > 0) && n->friction.active && yield(n)) {
            changed = true;
            continue;
        }
        if (!(h > 0)) {
            bool told = n->outcome != CAROM_OUTCOME_CONVERGED;
            n->outcome = told ? n->outcome : CAROM_OUTCOME_INACCURATE;
            break;
        }
        n->step = h;
        n->together = CAROM_TOGETHER;
        if (n->friction.active) {
            n->together *= fmax(1, 1 / (n->friction.frequency * h));
            tell_modes(n, listener);
        }
        changed = follow(n, listener, h);
        carom_network_tick(n, listener);
        n->quiet = changed ? 0 : n->quiet + 1;
        bool look = n->quiet % between_looks == between_looks - 1 ||
                    n->steps % CAROM_FOLLOWING_STEPS_AT_MOST == CAROM_FOLLOWING_STEPS_AT_MOST - 1;
        if (look) {
            raise_energy(n);
        }
        if (look && carom_network_hold_stiffest(n)) {
            changed = true;
            n->quiet = 0;
        }
        if (n->friction.active) {
            release_open(n, listener);
        }
        if (changed) {
            settle_events(n, listener);
        } else if (n->friction.active) {
            end_if_over(n, listener); // the last tangential spring may have slipped to its end
        }
        carom_network_check_limits(n);
        if (n->outcome == CAROM_OUTCOME_CONVERGED && carom_network_ends_jammed(n)) {
            n->outcome = CAROM_OUTCOME_JAMMED;
            put_to_sleep(n, listener);
        }
    }
}

/// Hard contacts that approach collide in no time, while the others have no force yet: a network of
/// their own, of equal springs. From then on they are rigid.
static void collide_hard(CaromNetwork *n, const CaromNetworkListener *listener,
                         CaromNetworkExpandFn *expand, void *stepper) {
    if (!has_hard(n)) {
        return;
    }
    for (int c = 0; c < n->count; c++) {
        if (!n->hard[c]) {
            n->phase[c] = CAROM_PHASE_ASLEEP;
            n->threshold[c] = INFINITY;
        }
    }
    carom_network_list(n);
    run_to_rest(n, listener, expand, stepper);
    for (int c = 0; c < n->count; c++) {
        n->plastic[c] = n->hard[c];
    }
    carom_network_set_thresholds(n);
    wake_approaching(n);
}

void carom_network_run(CaromNetwork *n, const CaromNetworkListener *listener,
                       CaromNetworkExpandFn *expand, CaromNetworkFollowFn *follow_chain,
                       void *stepper) {
    carom_network_start(n, listener);
    collide_hard(n, listener, expand, stepper);
    if (follow_chain != NULL) {
        follow_chain(stepper, n, listener);
        carom_network_forget_held(n); // nothing is pinned in a chain
        end_if_over(n, listener);
    }
    run_to_rest(n, listener, expand, stepper);
    bool ended = n->outcome == CAROM_OUTCOME_CONVERGED || n->outcome == CAROM_OUTCOME_JAMMED;
    if (ended) {
        follow_impulses(n, true);
        // Whoever still approaches does so below what counts as rest.
        for (int c = 0; c < n->count; c++) {
            n->awake[c] = c;
        }
        stop(n, &(CaromContactSet){n->awake, n->count});
    }
    carom_network_tell(listener, n, CAROM_EVENT_END, -1);
}
