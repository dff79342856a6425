// SPDX-License-Identifier: Apache-2.0
// Kind "impact": the result as JSON, with the states and events read off the recorded path.
#include "base/vec.h"
#include "scene/derivative_kind.h"
#include "scene/impact_kind.h"
#include "scene/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Bodies and contacts ---------------------------------------------------------------------

static json_t *write_bodies(CaromWriter *w, const CaromImpactSolution *solution) {
    const CaromImpactScene *scene = solution->scene;
    json_t *bodies = json_object();
    for (int i = 0; i < solution->result.body_count; i++) {
        if (!scene->fixed[i]) {
            const CaromTwist *twist = &solution->result.bodies[i];
            CaromMat3 to_world = carom_mat3_from_quat(scene->rotations[i]);
            CaromVec3 rates = m3_tmul(&to_world, twist->angular_velocity);
            json_t *body = json_object();
            carom_write_put(w, body, "velocity", carom_write_vec3(w, twist->velocity));
            carom_write_put(w, body, "angular_velocity",
                            carom_write_vec3(w, twist->angular_velocity));
            carom_write_put(w, body, "body_rates", carom_write_vec3(w, rates));
            carom_write_put(w, bodies, scene->body_names[i], body);
        }
    }
    return bodies;
}

static json_t *write_mode(CaromContactMode mode) {
    static const char *const words[] = {"frictionless", "slip", "stick"};
    return json_string(words[mode]);
}

static json_t *write_contacts(CaromWriter *w, const CaromImpactSolution *solution) {
    const CaromImpactScene *scene = solution->scene;
    json_t *contacts = json_array();
    for (int i = 0; i < solution->result.contact_count; i++) {
        const CaromContactResult *result = &solution->result.contacts[i];
        const int *body = scene->problem.contacts[i].body;
        json_t *contact = json_object();
        if (scene->contact_numbers) {
            carom_write_put(w, contact, "contact", json_integer(scene->contact_numbers[i]));
        }
        if (!scene->contact_only) {
            json_t *between = json_array();
            carom_write_append(w, between, json_string(scene->body_names[body[0]]));
            carom_write_append(w, between, json_string(scene->body_names[body[1]]));
            carom_write_put(w, contact, "between", between);
        }
        carom_write_put(w, contact, "impulse", carom_write_vec3(w, result->impulse));
        carom_write_put(w, contact, "normal_impulse", carom_write_number(result->normal_impulse));
        carom_write_put(w, contact, "restitution_loss",
                        carom_write_number(result->restitution_loss));
        carom_write_put(w, contact, "friction_loss", carom_write_number(result->friction_loss));
        carom_write_put(w, contact, "compressions", json_integer(result->compressions));
        carom_write_put(w, contact, "mode", write_mode(result->mode));
        carom_write_append(w, contacts, contact);
    }
    return contacts;
}

typedef CaromVec3 Part(const CaromTwist *twist);

static CaromVec3 linear(const CaromTwist *twist) {
    return twist->velocity;
}

static CaromVec3 angular(const CaromTwist *twist) {
    return twist->angular_velocity;
}

static json_t *write_part(CaromWriter *w, const CaromImpactScene *scene, const CaromTwist *bodies,
                          Part *part) {
    json_t *vectors = json_object();
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b]) {
            carom_write_put(w, vectors, scene->body_names[b],
                            carom_write_vec3(w, part(&bodies[b])));
        }
    }
    return vectors;
}

json_t *carom_write_velocities(CaromWriter *w, const CaromImpactScene *scene,
                               const CaromTwist *bodies) {
    return write_part(w, scene, bodies, linear);
}

json_t *carom_write_angular_velocities(CaromWriter *w, const CaromImpactScene *scene,
                                       const CaromTwist *bodies) {
    return write_part(w, scene, bodies, angular);
}

// ---- The path --------------------------------------------------------------------------------

static json_t *write_normal_impulses(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        carom_write_append(w, array,
                           carom_write_number(moment->contacts[i].impulse_contact_frame.z));
    }
    return array;
}

static json_t *write_strain_energies(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        carom_write_append(w, array, carom_write_number(moment->contacts[i].strain_energy));
    }
    return array;
}

static json_t *write_tangential_energies(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        carom_write_append(w, array, carom_write_number(moment->contacts[i].tangential_energy));
    }
    return array;
}

static json_t *write_friction_losses(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        carom_write_append(w, array, carom_write_number(moment->contacts[i].friction_loss));
    }
    return array;
}

static json_t *write_modes(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        carom_write_append(w, array, write_mode(moment->contacts[i].mode));
    }
    return array;
}

static json_t *write_active(CaromWriter *w, const CaromImpactMoment *moment) {
    json_t *array = json_array();
    for (int i = 0; i < moment->contact_count; i++) {
        if (moment->contacts[i].phase != CAROM_PHASE_ASLEEP) {
            carom_write_append(w, array, json_integer(i));
        }
    }
    return array;
}

/// "C1" where the first contact ends its compression, "R1" where it ends its restitution.
static void note_phase(CaromWriter *w, json_t *state, CaromEventKind kind, int contact) {
    bool compression = kind == CAROM_EVENT_COMPRESSION_ENDS;
    if (state && (compression || kind == CAROM_EVENT_RESTITUTION_ENDS)) {
        char name[16];
        (void)snprintf(name, sizeof name, "%c%d", compression ? 'C' : 'R', contact + 1);
        carom_write_append(w, json_object_get(state, "phases"), json_string(name));
    }
}

/// A state lasts while the set of awake contacts stays the same; its values are those at its start.
static json_t *write_full_states(CaromWriter *w, const CaromRecord *record) {
    json_t *states = json_array();
    json_t *state = NULL; // the last one, owned by states
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        note_phase(w, state, moment.kind, moment.contact);
        json_t *active = write_active(w, &moment);
        if (state && json_equal(active, json_object_get(state, "active"))) {
            json_decref(active);
            continue;
        }
        state = json_object();
        carom_write_put(w, state, "active", active);
        carom_write_put(w, state, "normal_impulses", write_normal_impulses(w, &moment));
        carom_write_put(w, state, "strain_energies", write_strain_energies(w, &moment));
        carom_write_put(w, state, "tangential_energies", write_tangential_energies(w, &moment));
        carom_write_put(w, state, "modes", write_modes(w, &moment));
        carom_write_put(w, state, "phases", json_array());
        carom_write_append(w, states, state);
    }
    return states;
}

/// The same without values: the contacts that push in the first state, then what changes.
static json_t *write_brief_states(CaromWriter *w, const CaromRecord *record, int contact_count) {
    json_t *states = json_array(), *state = NULL;
    bool *awake = calloc((size_t)contact_count, sizeof *awake);
    w->failed = w->failed || !awake;
    for (int i = 0; awake && i < carom_record_event_count(record); i++) {
        CaromImpactEvent event = carom_record_event(record, i);
        note_phase(w, state, event.kind, event.contact);
        if (state && event.change_count == 0) {
            continue;
        }
        json_t *wake = json_array(), *sleep = json_array();
        for (int k = 0; k < event.change_count; k++) {
            int c = event.changes[k];
            awake[c] = !awake[c];
            carom_write_append(w, awake[c] ? wake : sleep, json_integer(c));
        }
        bool first = !state;
        state = json_object();
        carom_write_put(w, state, first ? "active" : "wake", wake);
        carom_write_put(w, state, "sleep", sleep);
        carom_write_put(w, state, "phases", json_array());
        carom_write_append(w, states, state);
    }
    free(awake);
    return states;
}

json_t *carom_write_states(CaromWriter *w, const CaromRecord *record, int contact_count) {
    return carom_record_is_brief(record) ? write_brief_states(w, record, contact_count)
                                         : write_full_states(w, record);
}

static bool is_event(CaromEventKind kind) {
    return kind != CAROM_EVENT_START && kind != CAROM_EVENT_SAMPLE && kind != CAROM_EVENT_END;
}

static json_t *write_full_events(CaromWriter *w, const CaromRecord *record) {
    json_t *events = json_array();
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        if (is_event(moment.kind)) {
            json_t *event = json_object();
            CaromVec3 impulse = moment.contacts[moment.contact].impulse_contact_frame;
            carom_write_put(w, event, "kind", json_string(carom_event_text(moment.kind)));
            carom_write_put(w, event, "contact", json_integer(moment.contact));
            carom_write_put(w, event, "normal_impulses", write_normal_impulses(w, &moment));
            carom_write_put(w, event, "impulse", carom_write_vec3(w, impulse));
            carom_write_put(w, event, "strain_energies", write_strain_energies(w, &moment));
            carom_write_put(w, event, "tangential_energies", write_tangential_energies(w, &moment));
            carom_write_put(w, event, "friction_losses", write_friction_losses(w, &moment));
            carom_write_put(w, event, "modes", write_modes(w, &moment));
            carom_write_append(w, events, event);
        }
    }
    return events;
}

/// Only the contact where it happens.
static json_t *write_brief_events(CaromWriter *w, const CaromRecord *record) {
    json_t *events = json_array();
    for (int i = 0; i < carom_record_event_count(record); i++) {
        CaromImpactEvent about = carom_record_event(record, i);
        if (is_event(about.kind)) {
            json_t *event = json_object();
            const CaromContactState *state = &about.state;
            carom_write_put(w, event, "kind", json_string(carom_event_text(about.kind)));
            carom_write_put(w, event, "contact", json_integer(about.contact));
            carom_write_put(w, event, "impulse", carom_write_vec3(w, state->impulse_contact_frame));
            carom_write_put(w, event, "strain_energy", carom_write_number(state->strain_energy));
            carom_write_put(w, event, "tangential_energy",
                            carom_write_number(state->tangential_energy));
            carom_write_put(w, event, "friction_loss", carom_write_number(state->friction_loss));
            carom_write_put(w, event, "mode", write_mode(state->mode));
            carom_write_append(w, events, event);
        }
    }
    return events;
}

static json_t *write_events(CaromWriter *w, const CaromRecord *record) {
    return carom_record_is_brief(record) ? write_brief_events(w, record)
                                         : write_full_events(w, record);
}

// ---- Ledger, checks and theory ---------------------------------------------------------------

static json_t *write_energy(CaromWriter *w, const CaromLedger *ledger) {
    json_t *energy = json_object();
    carom_write_put(w, energy, "before", carom_write_number(ledger->before));
    carom_write_put(w, energy, "after", carom_write_number(ledger->after));
    carom_write_put(w, energy, "supplied", carom_write_number(ledger->supplied));
    carom_write_put(w, energy, "restitution_loss", carom_write_number(ledger->restitution_loss));
    carom_write_put(w, energy, "friction_loss", carom_write_number(ledger->friction_loss));
    carom_write_put(w, energy, "unaccounted", carom_write_number(ledger->unaccounted));
    return energy;
}

static json_t *write_path_checks(CaromWriter *w, const CaromJudgement *path) {
    json_t *object = json_object();
    carom_write_put(w, object, "moments", json_integer(path->moments));
    carom_write_put(w, object, "momentum_error", carom_write_number(path->momentum_error));
    carom_write_put(w, object, "energy_gain", carom_write_number(path->energy_gain));
    carom_write_put(w, object, "friction_loss_fall", carom_write_number(path->loss_fall));
    carom_write_put(w, object, "normal_pull", carom_write_number(path->normal_pull));
    carom_write_put(w, object, "coulomb_excess", carom_write_number(path->coulomb_excess));
    carom_write_put(w, object, "direction_error", carom_write_number(path->direction_error));
    return object;
}

static json_t *write_checks(CaromWriter *w, const CaromImpactSolution *solution) {
    const CaromImpactChecks *checks = &solution->result.checks;
    json_t *object = json_object();
    carom_write_put(w, object, "momentum_error", carom_write_number(checks->momentum_error));
    carom_write_put(w, object, "energy_error", carom_write_number(checks->energy_error));
    carom_write_put(w, object, "min_separation_velocity",
                    carom_write_number(checks->min_separation_velocity));
    carom_write_put(w, object, "coulomb_excess", carom_write_number(checks->coulomb_excess));
    if (!isnan(solution->solution_error)) {
        carom_write_put(w, object, "solution_error", carom_write_number(solution->solution_error));
    }
    if (solution->path.moments > 0) {
        carom_write_put(w, object, "path", write_path_checks(w, &solution->path));
    }
    return object;
}

const char *carom_case_meaning(CaromCase label) {
    if ((unsigned)label > CAROM_CASE_STRAIGHT_4) {
        return "unknown";
    }
    static const char *const words[] = {
        [CAROM_CASE_NONE] = "slides to the end on a curved path",
        [CAROM_CASE_FRICTIONLESS] = "no friction",
        [CAROM_CASE_ZERO_1] = "sliding stops during compression",
        [CAROM_CASE_ZERO_2] = "sliding stops during restitution",
        [CAROM_CASE_STRAIGHT_1] = "slides straight and stops during compression",
        [CAROM_CASE_STRAIGHT_2A] = "slides straight in compression, stops during restitution",
        [CAROM_CASE_STRAIGHT_2B] = "slides straight from compression to the end",
        [CAROM_CASE_STRAIGHT_3] = "slides straight and stops during restitution",
        [CAROM_CASE_STRAIGHT_4] = "slides straight from restitution to the end",
    };
    return words[label];
}

static void write_theory(CaromWriter *w, const CaromTwoBodyTheory *theory, json_t *object) {
    json_t *directions = json_array();
    for (int i = 0; i < theory->direction_count; i++) {
        const CaromInvariantDirection *direction = &theory->directions[i];
        json_t *entry = json_object();
        carom_write_put(w, entry, "angle", carom_write_number(direction->angle));
        carom_write_put(w, entry, "type",
                        json_string(direction->centrifugal ? "centrifugal" : "centripetal"));
        carom_write_put(w, entry, "rate", carom_write_number(direction->rate));
        carom_write_append(w, directions, entry);
    }
    carom_write_put(w, object, "case", json_string(carom_case_text(theory->label)));
    carom_write_put(w, object, "path", json_string(carom_case_meaning(theory->label)));
    carom_write_put(w, object, "invariant_directions", directions);
    if (theory->applies) {
        carom_write_put(w, object, "every_direction_invariant",
                        json_boolean(theory->every_direction_invariant));
        carom_write_put(w, object, "stick_friction", carom_write_number(theory->stick_friction));
        carom_write_put(w, object, "sufficient_condition", json_boolean(theory->end_guaranteed));
        carom_write_put(w, object, "W",
                        carom_write_mat3(w, &theory->inverse_inertia_contact_frame));
    }
}

json_t *carom_impact_write(const CaromImpactSolution *solution) {
    const CaromImpactResult *result = &solution->result;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    carom_write_put(w, object, "kind", json_string("impact"));
    carom_write_put(w, object, "outcome", json_string(carom_outcome_text(result->outcome)));
    carom_write_put(w, object, "model", json_string(carom_model_text(result->model)));
    carom_write_put(w, object, "method", json_string(carom_method_text(result->method)));
    if (solution->scene->contact_only) {
        carom_write_put(w, object, "impulse", carom_write_vec3(w, result->contacts[0].impulse));
    } else {
        carom_write_put(w, object, "bodies", write_bodies(w, solution));
    }
    carom_write_put(w, object, "contacts", write_contacts(w, solution));
    if (carom_record_is_brief(solution->record)) {
        carom_write_put(w, object, "story", json_string("brief"));
    }
    carom_write_put(w, object, "states",
                    carom_write_states(w, solution->record, result->contact_count));
    carom_write_put(w, object, "events", write_events(w, solution->record));
    carom_write_put(w, object, "energy", write_energy(w, &result->energy));
    carom_write_put(w, object, "checks", write_checks(w, solution));
    if (result->reflection) {
        carom_reflect_write(w, solution, object);
    }
    if (result->contact_count == 1) {
        CaromTwoBodyTheory theory = carom_impact_theory(solution->solver);
        write_theory(w, &theory, object);
    }
    if (result->derivative_count > 0) {
        carom_write_put(w, object, "derivatives", carom_derivatives_write(w, solution));
    }
    carom_write_put(w, object, "steps", json_integer(result->steps));
    carom_write_put(w, object, "choices", json_integer(result->choices));
    return carom_write_finish(w, object);
}
