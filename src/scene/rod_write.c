// SPDX-License-Identifier: Apache-2.0
// Kind "rod": the result as JSON.
#include "scene/rod_kind.h"
#include "scene/writer.h"

static void put_number(CaromWriter *w, json_t *object, const char *key, double value) {
    carom_write_put(w, object, key, carom_write_number(value));
}

static json_t *write_energy(CaromWriter *w, const CaromRodLedger *ledger) {
    json_t *energy = json_object();
    put_number(w, energy, "initial", ledger->initial);
    put_number(w, energy, "translational", ledger->translational);
    put_number(w, energy, "vibrational", ledger->vibrational);
    put_number(w, energy, "lost", ledger->lost);
    put_number(w, energy, "unaccounted", ledger->unaccounted);
    return energy;
}

static json_t *write_bounces(CaromWriter *w, const CaromRodResult *result) {
    json_t *list = json_array();
    for (int i = 0; i < result->bounce_count; i++) {
        const CaromRodBounce *bounce = &result->bounce_list[i];
        json_t *object = json_object();
        put_number(w, object, "landing_time", bounce->landing_time);
        put_number(w, object, "leaving_time", bounce->leaving_time);
        put_number(w, object, "momentum", bounce->momentum);
        put_number(w, object, "height", bounce->height);
        put_number(w, object, "translational", bounce->translational);
        put_number(w, object, "vibrational", bounce->vibrational);
        put_number(w, object, "max_height", bounce->max_height);
        put_number(w, object, "return_time", bounce->return_time);
        carom_write_append(w, list, object);
    }
    return list;
}

static json_t *write_samples(CaromWriter *w, const CaromRodSolution *solution) {
    json_t *samples = json_array();
    for (int i = 0; i < solution->moment_count; i++) {
        const CaromRodMoment *moment = &solution->moments[i];
        json_t *sample = json_object(), *displacement = json_array();
        put_number(w, sample, "time", moment->time);
        carom_write_put(w, sample, "contact", json_boolean(moment->contact));
        put_number(w, sample, "momentum", moment->momentum);
        put_number(w, sample, "height", moment->height);
        put_number(w, sample, "foot_strain", moment->foot_strain);
        put_number(w, sample, "foot_stress", moment->foot_stress);
        put_number(w, sample, "translational", moment->translational);
        put_number(w, sample, "vibrational", moment->vibrational);
        for (int k = 0; k < moment->point_count; k++) {
            carom_write_append(w, displacement, carom_write_number(moment->points[k].displacement));
        }
        carom_write_put(w, sample, "displacement", displacement);
        carom_write_append(w, samples, sample);
    }
    return samples;
}

static json_t *write_sweep(CaromWriter *w, const CaromRodSolution *solution) {
#define NAME(code, text) text,
    static const char *const names[] = {CAROM_ROD_SWEEP_LIST(NAME)};
#undef NAME
    json_t *points = json_array();
    for (int i = 0; i < solution->scene->sweep.count; i++) {
        const CaromRodResult *result = &solution->sweep[i];
        json_t *point = json_object();
        put_number(w, point, names[solution->scene->sweep.over], solution->sweep_values[i]);
        carom_write_put(w, point, "bounces", json_boolean(result->bounces));
        put_number(w, point, "bounce_time", result->bounce_time);
        put_number(w, point, "momentum_restitution", result->momentum_restitution);
        put_number(w, point, "energetic_restitution", result->energetic_restitution);
        put_number(w, point, "max_height", result->max_height);
        put_number(w, point, "energy_at_first_return", result->energy_at_first_return);
        carom_write_put(w, point, "energy", write_energy(w, &result->energy));
        carom_write_append(w, points, point);
    }
    return points;
}

static void write_theory(CaromWriter *w, json_t *object, const CaromRodSolution *solution) {
    const CaromRodResult *result = &solution->result;
    if (solution->scene->problem.damping_type == CAROM_ROD_VISCOUS) {
        json_t *theory = json_object();
        put_number(w, theory, "first_return_speed", result->first_return_speed);
        put_number(w, theory, "first_return_damping", result->first_return_damping);
        put_number(w, theory, "restitution_limit", result->restitution_limit);
        carom_write_put(w, object, "theory", theory);
    }
}

json_t *carom_rod_write(const CaromRodSolution *solution) {
    const CaromRodResult *result = &solution->result;
    const CaromRodScene *scene = solution->scene;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    carom_write_put(w, object, "kind", json_string("rod"));
    carom_write_put(w, object, "outcome", json_string(carom_rod_outcome_text(result->outcome)));
    carom_write_put(w, object, "damping_type",
                    json_string(carom_rod_damping_text(scene->problem.damping_type)));
    carom_write_put(w, object, "criterion",
                    json_string(carom_rod_criterion_text(scene->options.criterion)));
    carom_write_put(w, object, "bounces", json_boolean(result->bounces));
    put_number(w, object, "bounce_time", result->bounce_time);
    put_number(w, object, "first_return_time", result->first_return_time);
    carom_write_put(w, object, "at_front", json_boolean(result->at_front));
    put_number(w, object, "momentum", result->momentum);
    put_number(w, object, "height", result->height);
    put_number(w, object, "max_height", result->max_height);
    put_number(w, object, "return_time", result->return_time);
    put_number(w, object, "momentum_restitution", result->momentum_restitution);
    put_number(w, object, "energetic_restitution", result->energetic_restitution);
    put_number(w, object, "energy_at_first_return", result->energy_at_first_return);
    carom_write_put(w, object, "energy", write_energy(w, &result->energy));
    write_theory(w, object, solution);
    carom_write_put(w, object, "sequence", write_bounces(w, result));
    carom_write_put(w, object, "rests", json_boolean(result->rests));
    if (scene->sweep.count > 0) {
        carom_write_put(w, object, "sweep", write_sweep(w, solution));
    }
    if (scene->options.samples > 0) {
        carom_write_put(w, object, "samples", write_samples(w, solution));
    }
    return carom_write_finish(&writer, object);
}
