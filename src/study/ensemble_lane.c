// SPDX-License-Identifier: Apache-2.0
// Numbers are put where the solver reads them; a skeleton of the JSON result, with the numbers that
// impacts have, is filled for the formulas.
#include "study/ensemble_lane.h"

#include "base/host.h"
#include "scene/formula.h"
#include "scene/scene.h"
#include "study/keep.h"

#include "base/elementary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEAVES = 64, MOST_BODIES = 4, MOST_CONTACTS = 4 };

/// Where a variable goes.
typedef struct Target {
    double *place;
    double low, high; ///< what scenes allow
} Target;

/// A number of the result and its place in the skeleton.
typedef struct Leaf {
    const double *value;
    json_t *json; ///< borrowed from the skeleton
} Leaf;

struct CaromLane {
    CaromHost host; ///< silent
    const CaromEnsembleData *data;
    CaromScene scene; ///< with a copy of the base
    CaromImpact *solver;
    CaromImpactResult result;
    CaromTwist bodies[MOST_BODIES]; ///< copies of what the result points to, at fixed places
    CaromContactResult contacts[MOST_CONTACTS];
    Target targets[CAROM_MOST_VARIABLES];
    json_t *skeleton;
    int leaf_count;
    Leaf leaves[MOST_LEAVES];
    const json_t *kept[CAROM_ENSEMBLE_MOST_KEPT]; ///< where it is a plain path
};

// ---- The skeleton ------------------------------------------------------------------------------

static json_t *leaf(CaromLane *lane, const double *value) {
    json_t *number = json_real(0);
    if (lane->leaf_count < MOST_LEAVES) {
        lane->leaves[lane->leaf_count++] = (Leaf){value, number};
    }
    return number;
}

static json_t *vector(CaromLane *lane, const CaromVec3 *v) {
    json_t *array = json_array();
    json_array_append_new(array, leaf(lane, &v->x));
    json_array_append_new(array, leaf(lane, &v->y));
    json_array_append_new(array, leaf(lane, &v->z));
    return array;
}

static json_t *make_bodies(CaromLane *lane, const CaromImpactScene *scene) {
    json_t *bodies = json_object();
    for (int i = 0; i < scene->problem.body_count; i++) {
        if (!scene->fixed[i]) {
            json_t *body = json_object();
            json_object_set_new(body, "velocity", vector(lane, &lane->bodies[i].velocity));
            json_object_set_new(body, "angular_velocity",
                                vector(lane, &lane->bodies[i].angular_velocity));
            json_object_set_new(bodies, scene->body_names[i], body);
        }
    }
    return bodies;
}

static json_t *make_contacts(CaromLane *lane, int count) {
    json_t *contacts = json_array();
    for (int i = 0; i < count; i++) {
        const CaromContactResult *result = &lane->contacts[i];
        json_t *contact = json_object();
        json_object_set_new(contact, "impulse", vector(lane, &result->impulse));
        json_object_set_new(contact, "normal_impulse", leaf(lane, &result->normal_impulse));
        json_object_set_new(contact, "restitution_loss", leaf(lane, &result->restitution_loss));
        json_object_set_new(contact, "friction_loss", leaf(lane, &result->friction_loss));
        json_array_append_new(contacts, contact);
    }
    return contacts;
}

static json_t *make_energy(CaromLane *lane) {
    const CaromLedger *ledger = &lane->result.energy;
    json_t *energy = json_object();
    json_object_set_new(energy, "before", leaf(lane, &ledger->before));
    json_object_set_new(energy, "after", leaf(lane, &ledger->after));
    json_object_set_new(energy, "restitution_loss", leaf(lane, &ledger->restitution_loss));
    json_object_set_new(energy, "friction_loss", leaf(lane, &ledger->friction_loss));
    return energy;
}

static void make_skeleton(CaromLane *lane, const CaromImpactScene *scene) {
    lane->skeleton = json_object();
    if (!scene->contact_only) {
        json_object_set_new(lane->skeleton, "bodies", make_bodies(lane, scene));
        json_object_set_new(lane->skeleton, "contacts",
                            make_contacts(lane, scene->problem.contact_count));
    }
    json_object_set_new(lane->skeleton, "energy", make_energy(lane));
}

// ---- What can be kept --------------------------------------------------------------------------

/// Whether everything that is kept is among the numbers of the skeleton.
static bool find_kept(CaromLane *lane) {
    for (int k = 0; k < lane->data->shown.kept_count; k++) {
        const char *formula = lane->data->formulas[k];
        char fault[CAROM_FORMULA_FAULT];
        double ignored;
        CaromFormulaNames names = {.result = lane->skeleton};
        if (carom_keep_is_path(formula)) {
            const json_t *found = carom_keep_find(lane->skeleton, formula, fault);
            lane->kept[k] = json_is_real(found) ? found : NULL;
            if (!lane->kept[k]) {
                return false;
            }
        } else if (strstr(formula, "count") || strstr(formula, "scene") ||
                   !carom_formula_value(formula, &names, &ignored, fault)) {
            return false;
        }
    }
    return true;
}

// ---- What can be set ---------------------------------------------------------------------------

/// A path in steps, at most four.
typedef struct Path {
    int count;
    CaromStep steps[4];
} Path;

static bool split(const char *path, Path *steps) {
    steps->count = 0;
    do {
        if (steps->count == 4 || !carom_path_step(&path, &steps->steps[steps->count])) {
            return false;
        }
    } while (!steps->steps[steps->count++].last);
    return true;
}

/// The index that a step of digits stands for, below `count`; else -1.
static int index_of(const CaromStep *step, int count) {
    const char *text = step->text;
    bool digits = text[0] && strlen(text) < 4 && text[strspn(text, "0123456789")] == '\0';
    int i = digits ? atoi(text) : -1;
    return i < count ? i : -1;
}

static bool material_target(CaromMaterial *material, const char *word, Target *target) {
    if (strcmp(word, "restitution") == 0) {
        *target = (Target){&material->restitution, 0, 1};
    } else if (strcmp(word, "friction") == 0) {
        *target = (Target){&material->friction, 0, 1e300};
    }
    return target->place != NULL;
}

static bool vector_target(CaromVec3 *v, const CaromStep *step, Target *target) {
    double *const places[] = {&v->x, &v->y, &v->z};
    int i = index_of(step, 3);
    if (i >= 0) {
        *target = (Target){places[i], -1e300, 1e300};
    }
    return i >= 0;
}

/// A component of a velocity that the scene gives, of a body that moves freely.
static bool body_target(const CaromLane *lane, const CaromImpactScene *scene, const Path *path,
                        Target *target) {
    const json_t *bodies = json_object_get(lane->scene.root, "bodies");
    const json_t *body = json_object_get(bodies, path->steps[1].text);
    const char *word = path->steps[2].text;
    bool linear = strcmp(word, "velocity") == 0, angular = strcmp(word, "angular_velocity") == 0;
    if (!json_object_get(body, "mass") || json_object_get(body, "slides_along") ||
        json_object_get(body, "body_rates") || !json_object_get(body, word) ||
        !(linear || angular)) {
        return false;
    }
    for (int i = 0; i < scene->problem.body_count; i++) {
        if (strcmp(scene->body_names[i], path->steps[1].text) == 0 && !scene->fixed[i]) {
            CaromBody *moving = (CaromBody *)&scene->problem.bodies[i]; // the lane's own scene
            return vector_target(linear ? &moving->velocity : &moving->angular_velocity,
                                 &path->steps[3], target);
        }
    }
    return false;
}

static bool find_target(const CaromLane *lane, const CaromImpactScene *scene, const char *text,
                        Target *target) {
    Path path;
    CaromContact *contacts = (CaromContact *)scene->problem.contacts; // the lane's own scene
    if (!text || !split(text, &path)) {
        return false;
    }
    const char *first = path.steps[0].text;
    if (scene->contact_only && path.count == 1) {
        return material_target(&contacts[0].material, first, target);
    }
    if (scene->contact_only && path.count == 2 && strcmp(first, "contact_velocity") == 0) {
        CaromBody *body = (CaromBody *)&scene->problem.bodies[0];
        return vector_target(&body->velocity, &path.steps[1], target);
    }
    if (strcmp(first, "contacts") == 0 && path.count == 3) {
        int i = index_of(&path.steps[1], scene->problem.contact_count);
        return i >= 0 && material_target(&contacts[i].material, path.steps[2].text, target);
    }
    return strcmp(first, "bodies") == 0 && path.count == 4 &&
           body_target(lane, scene, &path, target);
}

static bool find_targets(CaromLane *lane, const CaromImpactScene *scene) {
    for (int j = 0; j < lane->data->shown.variable_count; j++) {
        if (!find_target(lane, scene, lane->data->inputs[j], &lane->targets[j])) {
            return false;
        }
    }
    return true;
}

// ---- Life ------------------------------------------------------------------------------------

static bool fits(CaromLane *lane) {
    const CaromImpactScene *scene = carom_scene_impact(&lane->scene);
    bool small = scene && scene->problem.body_count <= MOST_BODIES &&
                 scene->problem.contact_count <= MOST_CONTACTS;
    if (!small || lane->data->set || scene->options.model != CAROM_MODEL_SPRINGS ||
        json_object_get(lane->scene.root, "derivatives")) {
        return false;
    }
    make_skeleton(lane, scene);
    return lane->leaf_count < MOST_LEAVES && find_targets(lane, scene) && find_kept(lane);
}

static CaromStatus make_solver(CaromLane *lane) {
    const CaromImpactScene *scene = carom_scene_impact(&lane->scene);
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = scene->problem.body_count;
    limits.contacts = scene->problem.contact_count;
    limits.couplings = scene->couplings;
    limits.host = lane->host;
    return carom_impact_create(&limits, &lane->solver);
}

CaromStatus carom_lane_create(const CaromHost *host, const CaromEnsembleData *data,
                              CaromLane **lane) {
    CaromLane *made = carom_allocate(host, sizeof *made);
    *lane = NULL;
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromLane){.data = data};
    made->host =
        (CaromHost){.allocate = host->allocate, .release = host->release, .user = host->user};
    made->scene = (CaromScene){
        .host = made->host, .root = json_deep_copy(data->base.root), .title = "", .source = ""};
    CaromReader reader = {.host = &made->host, .folder = data->folder};
    CaromNode place = {.reader = &reader, .json = made->scene.root};
    carom_scene_read(&made->scene, &place);
    bool use = reader.error_count == 0 && !reader.no_memory && fits(made);
    CaromStatus status = use ? make_solver(made) : CAROM_OK;
    if (!use || status != CAROM_OK) {
        carom_lane_destroy(made);
        return status;
    }
    *lane = made;
    return CAROM_OK;
}

void carom_lane_destroy(CaromLane *lane) {
    if (lane) {
        CaromHost host = lane->host;
        carom_impact_destroy(lane->solver);
        carom_scene_forget(&lane->scene);
        json_decref(lane->scene.root);
        json_decref(lane->skeleton);
        carom_release(&host, lane);
    }
}

// ---- One sample ------------------------------------------------------------------------------

static bool set(const CaromLane *lane, const CaromCell *cells) {
    for (int j = 0; j < lane->data->shown.variable_count; j++) {
        const Target *target = &lane->targets[j];
        double value = cells[j].number;
        if (cells[j].text || !(value >= target->low && value <= target->high)) {
            return false;
        }
        *target->place = value;
    }
    return true;
}

static void fill_skeleton(CaromLane *lane) {
    const CaromImpactResult *result = &lane->result;
    memcpy(lane->bodies, result->bodies, (size_t)result->body_count * sizeof *result->bodies);
    memcpy(lane->contacts, result->contacts,
           (size_t)result->contact_count * sizeof *result->contacts);
    for (int i = 0; i < lane->leaf_count; i++) {
        json_real_set(lane->leaves[i].json, *lane->leaves[i].value);
    }
}

static bool keep(const CaromLane *lane, CaromSample *sample) {
    CaromFormulaNames names = {.result = lane->skeleton};
    for (int k = 0; k < lane->data->shown.kept_count; k++) {
        char fault[CAROM_FORMULA_FAULT];
        double value = json_real_value(lane->kept[k]); // 0 where it is a formula
        if (!lane->kept[k] &&
            !carom_formula_value(lane->data->formulas[k], &names, &value, fault)) {
            return false;
        }
        sample->values[k] = isfinite(value) ? value + 0 : NAN;
    }
    return true;
}

bool carom_lane_run(CaromLane *lane, const CaromCell *cells, CaromSample *sample) {
    const CaromImpactScene *scene = carom_scene_impact(&lane->scene);
    if (!set(lane, cells) || carom_impact_solve(lane->solver, &scene->problem, &scene->options,
                                                &lane->result) != CAROM_OK) {
        return false;
    }
    if (lane->result.outcome != CAROM_OUTCOME_CONVERGED) {
        return false; // rare, and its story is the job's to tell
    }
    fill_skeleton(lane);
    sample->failed = false;
    sample->fault[0] = '\0';
    (void)strcpy(sample->outcome, "converged");
    return keep(lane, sample);
}
