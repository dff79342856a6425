// SPDX-License-Identifier: Apache-2.0
// "derivatives" of an impact's result: what changes with each path.
#include "scene/derivative_kind.h"

static json_t *write_bodies(CaromWriter *w, const CaromImpactScene *scene,
                            const CaromDerivative *d) {
    json_t *bodies = json_object();
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b]) {
            json_t *body = json_object();
            carom_write_put(w, body, "velocity", carom_write_vec3(w, d->bodies[b].velocity));
            carom_write_put(w, body, "angular_velocity",
                            carom_write_vec3(w, d->bodies[b].angular_velocity));
            carom_write_put(w, bodies, scene->body_names[b], body);
        }
    }
    return bodies;
}

static json_t *write_contacts(CaromWriter *w, const CaromImpactScene *scene,
                              const CaromDerivative *d) {
    json_t *contacts = json_array();
    for (int c = 0; c < scene->problem.contact_count; c++) {
        const CaromContactDerivative *of = &d->contacts[c];
        json_t *contact = json_object();
        carom_write_put(w, contact, "impulse", carom_write_vec3(w, of->impulse));
        carom_write_put(w, contact, "normal_impulse", carom_write_number(of->normal_impulse));
        carom_write_put(w, contact, "restitution_loss", carom_write_number(of->restitution_loss));
        carom_write_put(w, contact, "friction_loss", carom_write_number(of->friction_loss));
        if (d->shared[c]) {
            carom_write_put(w, contact, "shared", json_true());
        }
        carom_write_append(w, contacts, contact);
    }
    return contacts;
}

json_t *carom_derivatives_write(CaromWriter *w, const CaromImpactSolution *solution) {
    const CaromImpactScene *scene = solution->scene;
    const CaromImpactResult *result = &solution->result;
    json_t *object = json_object();
    for (int q = 0; q < result->derivative_count; q++) {
        const CaromDerivative *d = &result->derivatives[q];
        json_t *column = json_object();
        if (scene->contact_only) {
            carom_write_put(w, column, "impulse", carom_write_vec3(w, d->contacts[0].impulse));
        } else {
            carom_write_put(w, column, "bodies", write_bodies(w, scene, d));
        }
        carom_write_put(w, column, "contacts", write_contacts(w, scene, d));
        carom_write_put(w, column, "one_sided", json_boolean(d->smoothness != CAROM_SMOOTH));
        if (d->smoothness != CAROM_SMOOTH) {
            carom_write_put(w, column, "reason", json_string(carom_smoothness_text(d->smoothness)));
            carom_write_put(w, column, "side", json_integer(d->side));
            carom_write_put(w, column, "contact",
                            d->contact >= 0 ? json_integer(d->contact) : json_null());
        }
        carom_write_put(w, object, scene->derivative_paths[q], column);
    }
    return object;
}
