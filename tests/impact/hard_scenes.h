// SPDX-License-Identifier: Apache-2.0
// Scenes of tests/data/impact with their right answers, from an integrator in small steps that is
// neither the library's nor small_step.c: stiffness of hardened springs capped at 1e5 times.
#pragma once
#include "carom/scene.h"
#include "test.h"

#include <stdlib.h>

enum { HARD_MAX_MOVING = 2 };

typedef struct HardScene {
    const char *name;
    int moving; ///< bodies that have a right answer
    const char *bodies[HARD_MAX_MOVING];
    double twists[HARD_MAX_MOVING][6]; ///< right: velocity, angular velocity
    double spread; ///< of the right answer (kinetic norm over that of the start): what the cap and
                   ///< half the step change
} HardScene;

static const HardScene HARD_SCENES[] = {
    {"compliant_stack",
     2,
     {"top", "low"},
     {{0.9405, 0, 0.1793, 0, 0.2974, 0}, {0.8609, 0, 0.1793, 0, 1.6437, 0}},
     2e-4},
    {"s260", 1, {"b0"}, {{-1.46185, 0.72208, -1.04324, 1.97452, 0.58043, -2.04729}}, 8e-6},
    {"box7033",
     2,
     {"box", "ball"},
     {{-0.9988, 0.3772, 0.6282, -0.0072, -0.9661, 0.0239},
      {-2.6400, 0.4328, 0.5547, 0.8426, -6.1427, 0}},
     3e-4},
    {"gen1017",
     2,
     {"b0", "b1"},
     {{0.1545, -0.3671, -0.0585, -0.3930, -0.4514, 0.5196},
      {0.3236, 0.1930, -0.4554, 0.4916, -0.9117, 0.5346}},
     2e-4},
};

enum { HARD_SCENE_COUNT = sizeof HARD_SCENES / sizeof HARD_SCENES[0] };

/// A scene of tests/data/impact, checked; destroy it with carom_scene_destroy.
static inline CaromScene *hard_scene_load(const char *name) {
    char path[256];
    (void)snprintf(path, sizeof path, "tests/data/impact/%s.json", name);
    FILE *file = fopen(path, "rb");
    CaromScene *scene = NULL;
    CHECK(file != NULL);
    if (file == NULL) {
        return NULL;
    }
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST);
    size_t length = text ? fread(text, 1, MOST, file) : 0;
    (void)fclose(file);
    CHECK(carom_scene_parse(text, length, NULL, &scene) == CAROM_OK &&
          carom_scene_check(scene) == CAROM_OK);
    free(text);
    return scene;
}

/// The right answer as one twist per body of the problem; fixed bodies stay.
static inline void hard_scene_right(const HardScene *hard, const CaromImpactScene *scene,
                                    CaromTwist *right) {
    for (int b = 0; b < scene->problem.body_count; b++) {
        right[b] = (CaromTwist){scene->problem.bodies[b].velocity,
                                scene->problem.bodies[b].angular_velocity};
        for (int i = 0; i < hard->moving; i++) {
            if (strcmp(scene->body_names[b], hard->bodies[i]) == 0) {
                const double *t = hard->twists[i];
                right[b] = (CaromTwist){{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
            }
        }
    }
}
