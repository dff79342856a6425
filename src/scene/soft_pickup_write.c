// SPDX-License-Identifier: Apache-2.0
// Kind "soft", task "pickup": the result as JSON.
#include "scene/soft_kind.h"
#include "scene/writer.h"

static const char *const body_names[CAROM_PICKUP_BODIES] = {"table", "finger_1", "finger_2"};

static void put_number(CaromWriter *w, json_t *object, const char *key, double value) {
    carom_write_put(w, object, key, carom_write_number(value));
}

static void put_count(CaromWriter *w, json_t *object, const char *key, long value) {
    carom_write_put(w, object, key, json_integer(value));
}

static json_t *write_work(CaromWriter *w, const CaromPickupWork *work) {
    json_t *object = json_object();
    put_number(w, object, "fingers", work->fingers);
    put_number(w, object, "strain", work->strain);
    put_number(w, object, "friction", work->friction);
    put_number(w, object, "lift", work->lift);
    put_number(w, object, "unaccounted", work->unaccounted);
    return object;
}

/// Force and nodes of each body at the end of a step.
static json_t *write_bodies(CaromWriter *w, const CaromPickupStep *step) {
    json_t *object = json_object();
    for (int i = 0; i < CAROM_PICKUP_BODIES; i++) {
        json_t *body = json_object();
        carom_write_put(w, body, "force", carom_write_vec3(w, step->force[i]));
        put_count(w, body, "stick", step->sticking[i]);
        put_count(w, body, "slip", step->slipping[i]);
        carom_write_put(w, object, body_names[i], body);
    }
    return object;
}

static json_t *write_steps(CaromWriter *w, const CaromPickupResult *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->step_count; i++) {
        const CaromPickupStep *step = &result->steps[i];
        json_t *object = json_object();
        carom_write_put(w, object, "phase", json_string(carom_pickup_phase_text(step->phase)));
        put_number(w, object, "depth", step->depth);
        put_number(w, object, "height", step->height);
        put_number(w, object, "liftable_weight", step->liftable);
        carom_write_put(w, object, "bodies", write_bodies(w, step));
        carom_write_put(w, object, "work", write_work(w, &step->work));
        put_number(w, object, "force_error", step->force_error);
        put_count(w, object, "iterations", step->iterations);
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_events(CaromWriter *w, const CaromPickupResult *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->event_count; i++) {
        const CaromPickupEvent *event = &result->events[i];
        json_t *object = json_object();
        carom_write_put(w, object, "kind", json_string(carom_pickup_event_text(event->kind)));
        carom_write_put(w, object, "body", json_string(body_names[event->body]));
        put_count(w, object, "node", event->node);
        put_number(w, object, "depth", event->depth);
        put_number(w, object, "height", event->height);
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_contacts(CaromWriter *w, const CaromPickupFrame *frame) {
    json_t *array = json_array();
    for (int i = 0; i < frame->contact_count; i++) {
        const CaromPickupContact *contact = &frame->contacts[i];
        json_t *object = json_object();
        put_count(w, object, "node", contact->node);
        carom_write_put(w, object, "body", json_string(body_names[contact->body]));
        carom_write_put(w, object, "mode", json_string(carom_pickup_mode_text(contact->mode)));
        carom_write_put(w, object, "force", carom_write_vec3(w, contact->force));
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_trial(CaromWriter *w, const CaromPickupTrial *trial) {
    json_t *object = json_object();
    carom_write_put(w, object, "outcome", json_string(carom_pickup_outcome_text(trial->outcome)));
    carom_write_put(w, object, "liftable", json_boolean(trial->liftable));
    put_number(w, object, "squeeze_depth", trial->squeeze_depth);
    put_number(w, object, "work", trial->work);
    return object;
}

static json_t *write_sweep(CaromWriter *w, const CaromPickupSweep *over,
                           const CaromPickupTrial *trials) {
    json_t *array = json_array();
    for (int i = 0; i < over->young_count; i++) {
        const CaromPickupTrial *row = &trials[i * (1 + over->step_count)];
        json_t *object = write_trial(w, row), *fixed = json_array();
        put_number(w, object, "young", over->young[i]);
        if (over->published) {
            put_number(w, object, "published_work", over->published[i]);
        }
        for (int k = 0; k < over->step_count; k++) {
            json_t *trial = write_trial(w, &row[1 + k]);
            put_number(w, trial, "step", over->steps[k]);
            carom_write_append(w, fixed, trial);
        }
        carom_write_put(w, object, "fixed_steps", fixed);
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_checks(CaromWriter *w, const CaromPickupResult *result) {
    json_t *object = json_object();
    put_number(w, object, "force_error", result->force_error);
    put_number(w, object, "moment_error", result->moment_error);
    put_number(w, object, "coulomb_excess", result->coulomb_excess);
    put_number(w, object, "penetration", result->penetration);
    put_number(w, object, "residual", result->residual);
    put_number(w, object, "energy_error", result->energy_error);
    return object;
}

static json_t *write_mesh(CaromWriter *w, const CaromPickupScene *scene,
                          const CaromPickupResult *result) {
    const CaromSoftMesh *mesh = scene->problem.mesh;
    json_t *object = json_object();
    put_count(w, object, "nodes", mesh->node_count);
    put_count(w, object, "tetrahedra", mesh->tetrahedron_count);
    put_count(w, object, "surface_triangles", mesh->surface_count);
    put_count(w, object, "touched_nodes", result->touched);
    return object;
}

/// The squeeze on the finer mesh; null without one.
static json_t *write_refined(CaromWriter *w, const CaromPickupRefined *refined) {
    if (refined->node_count == 0) {
        return json_null();
    }
    json_t *object = json_object();
    put_count(w, object, "nodes", refined->node_count);
    put_count(w, object, "tetrahedra", refined->tetrahedron_count);
    carom_write_put(w, object, "outcome", json_string(carom_pickup_outcome_text(refined->outcome)));
    put_number(w, object, "squeeze_depth", refined->squeeze_depth);
    put_number(w, object, "work", refined->work);
    put_count(w, object, "contact_nodes", refined->contact_nodes);
    return object;
}

static json_t *write_solver(CaromWriter *w, const CaromPickupResult *result) {
    json_t *object = json_object();
    carom_write_put(w, object, "method", json_string(carom_pickup_method_text(result->method)));
    put_count(w, object, "steps", result->step_count);
    put_count(w, object, "iterations", result->iterations);
    put_count(w, object, "halvings", result->halvings);
    if (result->method == CAROM_PICKUP_HOMOTOPY) {
        put_count(w, object, "largest_sliding_system", result->sliding_largest);
        put_count(w, object, "homotopy_systems", result->homotopy_systems);
        put_count(w, object, "homotopy_missed", result->homotopy_missed);
        put_count(w, object, "homotopy_several", result->homotopy_several);
        put_count(w, object, "homotopy_paths", result->homotopy_paths);
        put_number(w, object, "homotopy_difference", result->homotopy_difference);
    }
    return object;
}

/// Nodes at the fingers.
static int count_nodes(const CaromPickupStep *step) {
    return step->sticking[1] + step->sticking[2] + step->slipping[1] + step->slipping[2];
}

void carom_pickup_write(CaromWriter *w, const CaromPickupScene *scene,
                        const CaromPickupSolution *solution, json_t *object) {
    const CaromPickupResult *result = &solution->result;
    const CaromPickupStep *grip = result->gripped.step;
    json_t *energy = json_object(), *angles = json_array();
    carom_write_put(w, object, "outcome", json_string(carom_pickup_outcome_text(result->outcome)));
    if (result->limit) {
        carom_write_put(w, object, "limit", json_string(result->limit));
    }
    carom_write_put(w, object, "mesh", write_mesh(w, scene, result));
    carom_write_put(w, object, "lifted", json_boolean(result->outcome == CAROM_PICKUP_LIFTED));
    carom_write_put(w, object, "liftable", json_boolean(result->liftable));
    put_number(w, object, "weight", result->weight);
    put_number(w, object, "liftable_weight", grip->liftable);
    put_number(w, object, "squeeze_depth", result->squeeze_depth);
    put_number(w, object, "grip_depth", result->grip_depth);
    put_number(w, object, "height", result->height);
    put_number(w, object, "turn", result->last.step->turn);
    put_count(w, object, "contact_nodes", count_nodes(grip));
    put_number(w, object, "work", result->squeeze_work.fingers);
    put_number(w, object, "mesh_error", solution->refined.mesh_error);
    carom_write_put(w, object, "refined", write_refined(w, &solution->refined));
    carom_write_put(w, energy, "squeeze", write_work(w, &result->squeeze_work));
    carom_write_put(w, energy, "total", write_work(w, &result->work));
    carom_write_put(w, object, "energy", energy);
    carom_write_append(w, angles, carom_write_number(result->grip_angles[0]));
    carom_write_append(w, angles, carom_write_number(result->grip_angles[1]));
    carom_write_put(w, object, "grip_angles", angles);
    carom_write_put(w, object, "grip", write_bodies(w, grip));
    carom_write_put(w, object, "contacts", write_contacts(w, &result->gripped));
    carom_write_put(w, object, "end", write_bodies(w, result->last.step));
    carom_write_put(w, object, "checks", write_checks(w, result));
    carom_write_put(w, object, "solver", write_solver(w, result));
    if (solution->trials) {
        carom_write_put(w, object, "sweep", write_sweep(w, &scene->sweep, solution->trials));
    }
    carom_write_put(w, object, "steps", write_steps(w, result));
    carom_write_put(w, object, "events", write_events(w, result));
    put_count(w, object, "events_lost", result->events_lost);
}
