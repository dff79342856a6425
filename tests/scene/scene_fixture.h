// SPDX-License-Identifier: Apache-2.0
// Scenes in tests: parsed from text written with ' for ", messages kept.
#pragma once
#include "carom/scene.h"
#include "test.h"

typedef struct Fixture {
    char messages[2048]; ///< joined by newlines
    CaromScene *scene;
    CaromSolution *solution;
} Fixture;

static inline void fixture_log(void *user, const char *message) {
    Fixture *fixture = user;
    size_t used = strlen(fixture->messages);
    (void)snprintf(fixture->messages + used, sizeof fixture->messages - used, "%s%s",
                   used > 0 ? "\n" : "", message);
}

static inline CaromStatus fixture_parse(Fixture *fixture, const char *text) {
    char json[4096];
    memset(fixture, 0, sizeof *fixture);
    (void)snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    CaromHost host = {.log = fixture_log, .user = fixture};
    return carom_scene_parse(json, strlen(json), &host, &fixture->scene);
}

/// Parse and check; the typed scene or NULL.
static inline const CaromImpactScene *fixture_check(Fixture *fixture, const char *text) {
    bool read =
        fixture_parse(fixture, text) == CAROM_OK && carom_scene_check(fixture->scene) == CAROM_OK;
    return read ? carom_scene_impact(fixture->scene) : NULL;
}

static inline void fixture_close(Fixture *fixture) {
    carom_solution_destroy(fixture->solution);
    carom_scene_destroy(fixture->scene);
}
