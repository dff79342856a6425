// SPDX-License-Identifier: Apache-2.0
// Loops of the Python package: the interpreter's lock is free while they run.
#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Messages --------------------------------------------------------------------------------

void carom_py_log(void *user, const char *message) {
    CaromPyLog *log = user;
    size_t length = strlen(message);
    if (log->used + length > CAROM_PY_LOG_MOST) {
        return;
    }
    if (log->used + length + 2 > log->room) {
        size_t room = 2 * (log->used + length) + 256;
        char *text = realloc(log->text, room);
        if (text == NULL) {
            return;
        }
        log->text = text;
        log->room = room;
    }
    memcpy(log->text + log->used, message, length);
    log->used += length;
    log->text[log->used++] = '\n';
    log->text[log->used] = '\0';
}

void carom_py_log_release(CaromPyLog *log) {
    free(log->text);
    *log = (CaromPyLog){0};
}

// ---- One impact ------------------------------------------------------------------------------

CaromStatus carom_py_solve(CaromImpact *impact, int body_count, CaromBody *const *bodies,
                           int contact_count, CaromContact *const *contacts, const int *between,
                           const CaromImpactOptions *options, CaromBody *all,
                           CaromContact *touching, CaromImpactResult *result, CaromTwist *twists,
                           CaromContactResult *outcomes) {
    for (int i = 0; i < body_count; i++) {
        all[i] = *bodies[i];
    }
    for (int i = 0; i < contact_count; i++) {
        touching[i] = *contacts[i];
        touching[i].body[0] = between[2 * i];
        touching[i].body[1] = between[2 * i + 1];
    }
    CaromImpactProblem problem = {body_count, all, contact_count, touching};
    CaromStatus status = carom_impact_solve(impact, &problem, options, result);
    if (status == CAROM_OK) {
        memcpy(twists, result->bodies, sizeof *twists * (size_t)body_count);
        memcpy(outcomes, result->contacts, sizeof *outcomes * (size_t)contact_count);
    }
    return status;
}

// ---- Many impacts ----------------------------------------------------------------------------

static CaromVec3 vector(const double *v) {
    return (CaromVec3){v[0], v[1], v[2]};
}

static void fill_bodies(const CaromPyBatch *batch, int64_t row, CaromBody *bodies) {
    int count = batch->problem.body_count;
    for (int i = 0; i < count; i++) {
        int64_t at = row * count + i;
        if (batch->twists != NULL) {
            bodies[i].velocity = vector(batch->twists + 6 * at);
            bodies[i].angular_velocity = vector(batch->twists + 6 * at + 3);
        }
        if (batch->positions != NULL) {
            bodies[i].position = vector(batch->positions + 3 * at);
        }
        if (batch->inverse_inertia != NULL) {
            memcpy(bodies[i].inverse_inertia, batch->inverse_inertia + 36 * at,
                   sizeof bodies[i].inverse_inertia);
        }
    }
}

static void fill_contacts(const CaromPyBatch *batch, int64_t row, CaromContact *contacts) {
    int count = batch->problem.contact_count;
    for (int i = 0; i < count; i++) {
        int64_t at = row * count + i;
        CaromMaterial *material = &contacts[i].material;
        if (batch->points != NULL) {
            contacts[i].point = vector(batch->points + 3 * at);
        }
        if (batch->normals != NULL) {
            contacts[i].normal = vector(batch->normals + 3 * at);
        }
        if (batch->restitution != NULL) {
            material->restitution = batch->restitution[at];
        }
        if (batch->friction != NULL) {
            material->friction = batch->friction[at];
        }
        if (batch->stiffness != NULL) {
            material->stiffness = batch->stiffness[at];
        }
        if (batch->exponent != NULL) {
            material->exponent = batch->exponent[at];
        }
        if (batch->stiffness_ratio != NULL) {
            material->stiffness_ratio = batch->stiffness_ratio[at];
            material->tangential = CAROM_TANGENTIAL_COMPLIANT;
        }
    }
}

static void put(double *numbers, int64_t row, int count, const double *from) {
    for (int i = 0; numbers != NULL && i < count; i++) {
        numbers[row * count + i] = from != NULL ? from[i] : NAN;
    }
}

/// What came of a row; NULL: it was refused.
static void keep(const CaromPyBatch *batch, int64_t row, const CaromImpactResult *result) {
    int bodies = batch->problem.body_count, contacts = batch->problem.contact_count;
    if (batch->outcomes != NULL) {
        batch->outcomes[row] = (int8_t)(result != NULL ? (int)result->outcome : -1);
    }
    put(batch->twists_after, row, 6 * bodies,
        result != NULL ? &result->bodies[0].velocity.x : NULL);
    for (int i = 0; batch->impulses != NULL && i < contacts; i++) {
        put(batch->impulses, row * contacts + i, 3,
            result != NULL ? &result->contacts[i].impulse.x : NULL);
    }
    const CaromLedger *energy = result != NULL ? &result->energy : NULL;
    const CaromImpactChecks *checks = result != NULL ? &result->checks : NULL;
    put(batch->energy, row, 6, energy != NULL ? &energy->before : NULL);
    put(batch->checks, row, 4, checks != NULL ? &checks->momentum_error : NULL);
}

int64_t carom_py_batch(const CaromPyBatch *batch, int64_t first, int64_t last, bool stop) {
    const CaromImpactProblem *given = &batch->problem;
    CaromBody *bodies = malloc(sizeof *bodies * (size_t)(given->body_count + 1));
    CaromContact *contacts = malloc(sizeof *contacts * (size_t)(given->contact_count + 1));
    CaromImpact *impact = NULL;
    int64_t refused = -1;
    if (bodies == NULL || contacts == NULL ||
        carom_impact_create(&batch->limits, &impact) != CAROM_OK) {
        refused = -2;
    } else {
        memcpy(bodies, given->bodies, sizeof *bodies * (size_t)given->body_count);
        memcpy(contacts, given->contacts, sizeof *contacts * (size_t)given->contact_count);
    }
    CaromImpactProblem problem = {given->body_count, bodies, given->contact_count, contacts};
    for (int64_t row = first; refused != -2 && row < last; row++) {
        CaromImpactResult result;
        fill_bodies(batch, row, bodies);
        fill_contacts(batch, row, contacts);
        CaromStatus status = carom_impact_solve(impact, &problem, &batch->options, &result);
        keep(batch, row, status == CAROM_OK ? &result : NULL);
        if (status != CAROM_OK && refused < 0) {
            refused = row;
        }
        if (refused >= 0 && stop) {
            break;
        }
    }
    carom_impact_destroy(impact);
    free(bodies);
    free(contacts);
    return refused;
}

// ---- Worlds ----------------------------------------------------------------------------------

void carom_py_states(const CaromPile *pile, double *states) {
    int count = carom_pile_body_count(pile);
    for (int i = 0; i < count; i++, states += CAROM_PY_BODY_NUMBERS) {
        if (!carom_pile_has_body(pile, i)) {
            for (int k = 0; k < CAROM_PY_BODY_NUMBERS; k++) {
                states[k] = NAN;
            }
            continue;
        }
        CaromMoment now = carom_pile_motion(pile, i);
        memcpy(states, &now.pose.position, 3 * sizeof *states);
        memcpy(states + 3, &now.pose.rotation, 4 * sizeof *states);
        memcpy(states + 7, &now.velocity, 3 * sizeof *states);
        memcpy(states + 10, &now.angular_velocity, 3 * sizeof *states);
    }
}

CaromStatus carom_py_record(CaromPile *pile, int64_t count, const double *times, double *states,
                            int64_t *done) {
    int bodies = carom_pile_body_count(pile);
    CaromStatus status = CAROM_OK;
    for (*done = 0; *done < count && status == CAROM_OK; ++*done) {
        status = carom_pile_advance(pile, times[*done], 0);
        if (status == CAROM_OK) {
            carom_py_states(pile, states + *done * bodies * CAROM_PY_BODY_NUMBERS);
        }
    }
    return status;
}
