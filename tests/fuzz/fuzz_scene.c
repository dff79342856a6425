// SPDX-License-Identifier: Apache-2.0
// Any bytes as a scene: parsed, checked, and, where that is little work, solved and written.
#include "carom/scene.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { MEMORY = 1 << 26, MOST_CONTACTS = 6, MOST_NODES = 60, MOST_SOLVES = 12 };

static bool is_small_impact(const CaromImpactScene *impact) {
    const CaromImpactOptions *options = &impact->options;
    return impact->problem.contact_count <= MOST_CONTACTS && options->step == 0 &&
           options->method != CAROM_SPRINGS_IMPULSE;
}

static bool is_small_soft(const CaromSoftScene *soft) {
    const CaromPickupScene *pickup = soft->pickup;
    bool brief = !pickup || (pickup->sweep.young_count == 0 && !pickup->options.fixed_steps &&
                             pickup->options.step == 0);
    return soft->problem.mesh->node_count <= MOST_NODES && brief;
}

/// Few values, curves and points; what is solved at each of them has its own limit.
static bool is_small_sweep(const CaromSweepScene *sweep) {
    int solves = sweep->count;
    for (int i = 0; i < sweep->shown_count; i++) {
        solves += sweep->shown[i].point_count;
    }
    return solves * sweep->curve_count <= MOST_SOLVES;
}

/// Work that is over in a moment: the steps of "impulse", curves and meshes may be as many as one
/// likes.
static bool is_small(const CaromScene *scene) {
    const CaromImpactScene *impact = carom_scene_impact(scene);
    const CaromBatScene *bat = carom_scene_bat(scene);
    const CaromRodScene *rod = carom_scene_rod(scene);
    const CaromSoftScene *soft = carom_scene_soft(scene);
    const CaromCradleScene *cradle = carom_scene_cradle(scene);
    const CaromFlightScene *flight = carom_scene_flight(scene);
    const CaromBilliardsScene *billiards = carom_scene_billiards(scene);
    const CaromSweepScene *sweep = carom_scene_sweep(scene);
    return (impact && is_small_impact(impact)) || (bat && bat->target_count <= 1) ||
           (rod && rod->sweep.count <= 2 && rod->cells <= 200) || (soft && is_small_soft(soft)) ||
           (cradle && cradle->ball_count <= MOST_CONTACTS) ||
           (flight && flight->ball_count <= MOST_CONTACTS) ||
           (billiards && billiards->def.ball_count <= MOST_CONTACTS) ||
           (sweep && is_small_sweep(sweep));
}

/// Whether a number of a text is none; names may have these letters.
static bool has_nan(const char *text) {
    bool quoted = false;
    for (; *text != '\0'; text++) {
        quoted ^= *text == '"';
        text += quoted && *text == '\\' && text[1] != '\0';
        if (!quoted && strncmp(text, "nan", 3) == 0) {
            return true;
        }
    }
    return false;
}

static void solve(CaromScene *scene) {
    CaromSolution *solution = NULL;
    if (carom_scene_solve(scene, 2, &solution) == CAROM_OK) {
        char *text = carom_solution_json(solution);
        FUZZ_REQUIRE(text != NULL && text[0] == '{' && !has_nan(text));
        carom_string_destroy(text);
        carom_solution_destroy(solution);
    }
}

/// With a limit on the work of a scene, so that nothing takes long.
static void solve_limited(CaromScene *scene) {
    const char *path = carom_scene_impact(scene)      ? "solver.max_steps"
                       : carom_scene_cradle(scene)    ? "max_collisions"
                       : carom_scene_flight(scene)    ? "max_events"
                       : carom_scene_billiards(scene) ? "max_events"
                                                      : NULL;
    FUZZ_REQUIRE(!path || carom_scene_set(scene, path, "100") == CAROM_OK);
    const CaromSoftScene *soft = carom_scene_soft(scene);
    if (soft && soft->pickup) { // fuzz_pickup.c has finer meshes
        FUZZ_REQUIRE(carom_scene_set(scene, "solver.mesh_error", "false") == CAROM_OK);
    }
    solve(scene);
}

/// A sweep is solved if what it sweeps takes such a limit.
static void solve_sweep(const uint8_t *data, size_t size, const CaromHost *host) {
    static const char *const limits[] = {"scene.solver.max_steps", "scene.max_events"};
    for (int i = 0; i < 2; i++) {
        CaromScene *scene = NULL;
        FUZZ_REQUIRE(carom_scene_parse((const char *)data, size, host, &scene) == CAROM_OK);
        if (carom_scene_set(scene, limits[i], "100") == CAROM_OK &&
            carom_scene_check(scene) == CAROM_OK) {
            solve(scene);
        }
        carom_scene_destroy(scene);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzMemory memory = {.most = MEMORY};
    CaromHost host = fuzz_host(&memory);
    CaromScene *scene = NULL;
    CaromStatus status = carom_scene_parse((const char *)data, size, &host, &scene);
    if (status != CAROM_OK) {
        FUZZ_REQUIRE(scene == NULL && memory.messages > 0 && memory.used == 0);
        return 0;
    }
    status = carom_scene_check(scene);
    FUZZ_REQUIRE((status == CAROM_OK) == (carom_scene_kind(scene) != NULL));
    FUZZ_REQUIRE(status == CAROM_OK || memory.messages > 0 || memory.refusals);
    bool small = status == CAROM_OK && is_small(scene);
    bool sweep = small && carom_scene_sweep(scene);
    if (small && !sweep) {
        solve_limited(scene);
    }
    carom_scene_destroy(scene);
    if (sweep) {
        solve_sweep(data, size, &host);
    }
    FUZZ_REQUIRE(memory.used == 0);
    return 0;
}
