// SPDX-License-Identifier: Apache-2.0
// Kind "impact", model "reflect": the search, its outcomes and the reflection maps as JSON.
#include "base/elementary.h"
#include "scene/impact_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_OUTCOMES = 1000,
    MOST_IMPACTS = 1000,  ///< of an order that is shown
    MOST_COORDINATES = 24 ///< of maps that are shown
};

/// A count, which may be too large for an integer or for anything.
static json_t *write_count(double count) {
    return count < 0x1p53 ? json_integer((json_int_t)count) : carom_write_number(count);
}

// ---- The search --------------------------------------------------------------------------------

static json_t *write_search(CaromWriter *w, const CaromReflection *r) {
    json_t *search = json_object();
    carom_write_put(w, search, "complete", json_boolean(r->complete));
    carom_write_put(w, search, "velocities", json_integer(r->velocities));
    carom_write_put(w, search, "depth_velocities", write_count(r->depth_velocities));
    carom_write_put(w, search, "reflections", json_integer(r->reflections));
    carom_write_put(w, search, "outcomes", json_integer(r->outcomes));
    carom_write_put(w, search, "orders", write_count(r->orders));
    carom_write_put(w, search, "fewest_impacts", json_integer(r->fewest_impacts));
    carom_write_put(w, search, "most_impacts", json_integer(r->most_impacts));
    carom_write_put(w, search, "corner_angle", carom_write_number(r->corner_angle));
    carom_write_put(w, search, "impact_bound", write_count(r->impact_bound));
    return search;
}

static json_t *write_projection(CaromWriter *w, const CaromReflection *r) {
    json_t *projection = json_object();
    carom_write_put(w, projection, "mixed", json_integer(r->mixed));
    carom_write_put(w, projection, "distance", carom_write_number(r->distance));
    carom_write_put(w, projection, "optimality", carom_write_number(r->optimality));
    return projection;
}

// ---- Outcomes ----------------------------------------------------------------------------------

static json_t *write_order(CaromWriter *w, const CaromImpactSolution *solution, int i) {
    int contacts[MOST_IMPACTS];
    int count = carom_reflect_order(solution->solver, i, MOST_IMPACTS, contacts);
    json_t *order = json_array();
    for (int k = 0; k < count && k < MOST_IMPACTS; k++) {
        carom_write_append(w, order, json_integer(contacts[k]));
    }
    return order;
}

static json_t *write_outcome(CaromWriter *w, const CaromImpactSolution *solution, int i,
                             CaromTwist *bodies) {
    const CaromImpactScene *scene = solution->scene;
    CaromReflectOutcome outcome =
        carom_reflect_outcome(solution->solver, &scene->problem, i, bodies);
    json_t *object = json_object();
    carom_write_put(w, object, "velocities", carom_write_velocities(w, scene, bodies));
    carom_write_put(w, object, "angular_velocities",
                    carom_write_angular_velocities(w, scene, bodies));
    carom_write_put(w, object, "orders", write_count(outcome.orders));
    carom_write_put(w, object, "fewest_impacts", json_integer(outcome.fewest_impacts));
    carom_write_put(w, object, "most_impacts", json_integer(outcome.most_impacts));
    carom_write_put(w, object, "weight", carom_write_number(outcome.weight));
    carom_write_put(w, object, "distance", carom_write_number(outcome.distance));
    carom_write_put(w, object, "order", write_order(w, solution, i));
    return object;
}

static json_t *write_outcomes(CaromWriter *w, const CaromImpactSolution *solution,
                              CaromTwist *bodies) {
    json_t *outcomes = json_array();
    int count = solution->result.reflection->outcomes;
    for (int i = 0; i < count && i < MOST_OUTCOMES; i++) {
        carom_write_append(w, outcomes, write_outcome(w, solution, i, bodies));
    }
    return outcomes;
}

// ---- Maps --------------------------------------------------------------------------------------

/// Coordinate k of a body's twist: x y z, then wx wy wz.
static double *coordinate(CaromTwist *twist, int k) {
    // cppcheck-suppress constVariable
    double *entries[] = {&twist->velocity.x,         &twist->velocity.y,
                         &twist->velocity.z,         &twist->angular_velocity.x,
                         &twist->angular_velocity.y, &twist->angular_velocity.z};
    return entries[k];
}

/// Column `from` (six to a body) of a contact's map, in the twists of all bodies.
static void map_unit(const CaromImpactProblem *problem, int contact, int from, CaromTwist *bodies) {
    memset(bodies, 0, (size_t)problem->body_count * sizeof *bodies);
    *coordinate(&bodies[from / 6], from % 6) = 1;
    carom_reflect_map(problem, contact, problem->contacts[contact].material.restitution, bodies);
}

/// Mark what an impact makes of coordinate `from`: itself changed, or others.
static void mark_seen(CaromTwist *bodies, int from, int count, bool *seen) {
    const double rounding = 1e-12;
    for (int k = 0; k < count; k++) {
        double unit = k == from;
        bool differs = fabs(*coordinate(&bodies[k / 6], k % 6) - unit) > rounding;
        seen[k] = seen[k] || differs;
        seen[from] = seen[from] || differs;
    }
}

/// The coordinates that some impact sees or changes; -1 when there are more than can be shown.
static int find_coordinates(const CaromImpactScene *scene, CaromTwist *bodies, int *list) {
    const CaromImpactProblem *problem = &scene->problem;
    bool seen[6 * MOST_COORDINATES] = {false};
    int all = 6 * problem->body_count;
    for (int from = 0; from < all; from++) {
        for (int c = 0; c < problem->contact_count; c++) {
            map_unit(problem, c, from, bodies);
            mark_seen(bodies, from, all, seen);
        }
    }
    int count = 0;
    for (int k = 0; k < all; k++) {
        seen[k] = seen[k] && !scene->fixed[k / 6];
        if (seen[k] && count == MOST_COORDINATES) {
            return -1;
        }
        if (seen[k]) {
            list[count++] = k;
        }
    }
    return count;
}

static json_t *write_map(CaromWriter *w, const CaromImpactProblem *problem, int contact, int count,
                         const int *list, CaromTwist *bodies) {
    double entries[MOST_COORDINATES][MOST_COORDINATES];
    for (int j = 0; j < count; j++) {
        map_unit(problem, contact, list[j], bodies);
        for (int i = 0; i < count; i++) {
            entries[i][j] = *coordinate(&bodies[list[i] / 6], list[i] % 6);
        }
    }
    json_t *rows = json_array();
    for (int i = 0; i < count; i++) {
        json_t *row = json_array();
        for (int j = 0; j < count; j++) {
            carom_write_append(w, row, carom_write_number(entries[i][j]));
        }
        carom_write_append(w, rows, row);
    }
    return rows;
}

/// The matrix G of every contact, over the coordinates that take part; for small scenes.
static void write_maps(CaromWriter *w, const CaromImpactScene *scene, CaromTwist *bodies,
                       json_t *object) {
    static const char *const axes[] = {"x", "y", "z", "wx", "wy", "wz"};
    const CaromImpactProblem *problem = &scene->problem;
    int list[MOST_COORDINATES];
    if (problem->contact_count > MOST_COORDINATES || problem->body_count > MOST_COORDINATES) {
        return;
    }
    int count = find_coordinates(scene, bodies, list);
    if (count < 0) {
        return;
    }
    json_t *names = json_array();
    for (int i = 0; i < count; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%.100s.%s", scene->body_names[list[i] / 6],
                       axes[list[i] % 6]);
        carom_write_append(w, names, json_string(name));
    }
    json_t *matrices = json_array();
    for (int c = 0; c < problem->contact_count; c++) {
        carom_write_append(w, matrices, write_map(w, problem, c, count, list, bodies));
    }
    json_t *maps = json_object();
    carom_write_put(w, maps, "coordinates", names);
    carom_write_put(w, maps, "matrices", matrices);
    carom_write_put(w, object, "maps", maps);
}

void carom_reflect_write(CaromWriter *w, const CaromImpactSolution *solution, json_t *object) {
    const CaromImpactScene *scene = solution->scene;
    CaromTwist *bodies = malloc((size_t)scene->problem.body_count * sizeof *bodies);
    if (!bodies) {
        w->failed = true;
        return;
    }
    carom_write_put(w, object, "search", write_search(w, solution->result.reflection));
    carom_write_put(w, object, "projection", write_projection(w, solution->result.reflection));
    carom_write_put(w, object, "outcomes", write_outcomes(w, solution, bodies));
    write_maps(w, scene, bodies, object);
    free(bodies);
}
