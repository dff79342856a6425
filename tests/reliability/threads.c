// SPDX-License-Identifier: Apache-2.0
// Solvers in several threads at once share nothing: each finds, to the last bit, what it finds
// alone. The build with ThreadSanitizer also sees races that do no harm today.
#include "reliability/families.h"
#include "test.h"
#ifdef CAROM_WITH_SCENE
#include "carom/scene.h"
#endif

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, CASES = 150 };

// ---- A digest of results -----------------------------------------------------------------------

/// FNV-1a, 64 bits.
static void mix(uint64_t *digest, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        *digest = (*digest ^ bytes[i]) * 0x100000001b3u;
    }
}

/// What a thread works on, and what came of it.
typedef struct Work {
    int number;
    uint64_t digest;
    int solved;
} Work;

// ---- The core ----------------------------------------------------------------------------------

/// Problems of all families by all models, the same ones in every thread, each from another start.
static void solve_cases(Work *work) {
    CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
    CaromImpact *impact = NULL;
    Case *made = malloc(sizeof *made);
    if (!made || carom_impact_create(&limits, &impact) != CAROM_OK) {
        free(made);
        return;
    }
    for (int i = 0; i < CASES; i++) {
        int k = (i + work->number * CASES / THREADS) % CASES;
        make_case(1, k % family_count, k, made);
        CaromImpactProblem problem = {made->body_count, made->bodies, made->contact_count,
                                      made->contacts};
        CaromImpactOptions options = carom_impact_options_default();
        options.model = (CaromModel)(k / family_count % (CAROM_MODEL_SEQUENTIAL + 1));
        options.max_steps = 200;
        CaromImpactResult r;
        if (made->contact_count <= 12 &&
            carom_impact_solve(impact, &problem, &options, &r) == CAROM_OK) {
            uint64_t digest = 0xcbf29ce484222325u + (uint64_t)k;
            mix(&digest, r.bodies, sizeof *r.bodies * (size_t)r.body_count);
            mix(&digest, &r.energy, sizeof r.energy);
            work->digest += digest; // in any order
            work->solved++;
        }
    }
    carom_impact_destroy(impact);
    free(made);
}

// ---- Scenes ------------------------------------------------------------------------------------

#ifdef CAROM_WITH_SCENE
static const char *const names[] = {"icosahedron-tetrahedron",
                                    "ball-ball-table",
                                    "rack-3",
                                    "cradle-5",
                                    "bat-paddle",
                                    "rod-no-bounce",
                                    "cradle",
                                    "bouncing-ball",
                                    "cut-shot",
                                    "compliant-ball-poisson",
#ifdef CAROM_SOFT
                                    "soft-tetrahedron",
                                    "pickup-orange"
#endif
};
enum { NAMES = sizeof names / sizeof *names };

static void solve_scene(Work *work, const char *name) {
    enum { MOST = 1 << 15 };
    char path[128], *text = malloc(MOST);
    (void)snprintf(path, sizeof path, "examples/%s.json", name);
    FILE *file = fopen(path, "rb");
    size_t length = file && text ? fread(text, 1, MOST, file) : 0;
    CaromScene *scene = NULL;
    CaromSolution *solution = NULL;
    bool pickup = strncmp(name, "pickup", 6) == 0; // less work, by the same code
    if (length > 0 && carom_scene_parse(text, length, NULL, &scene) == CAROM_OK &&
        (!pickup || carom_scene_set(scene, "mesh.resolution", "2") == CAROM_OK) &&
        carom_scene_solve(scene, 2, &solution) == CAROM_OK) {
        char *json = carom_solution_json(solution);
        uint64_t digest = 0xcbf29ce484222325u;
        mix(&digest, json, json ? strlen(json) : 0);
        work->digest += digest;
        work->solved += json != NULL;
        carom_string_destroy(json);
    }
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    if (file) {
        (void)fclose(file);
    }
    free(text);
}

static void solve_scenes(Work *work) {
    for (int i = 0; i < NAMES; i++) {
        solve_scene(work, names[(i + work->number) % NAMES]);
    }
}
#endif

// ---- Threads -----------------------------------------------------------------------------------

typedef struct Task {
    void (*run)(Work *work);
    Work work;
} Task;

static void *start(void *task) {
    Task *self = task;
    self->run(&self->work);
    return NULL;
}

static void check_threads(void (*run)(Work *work), int least) {
    Task alone = {.run = run};
    start(&alone);
    CHECK(alone.work.solved >= least);
    Task tasks[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tasks[i] = (Task){.run = run, .work = {.number = i}};
        CHECK(pthread_create(&threads[i], NULL, start, &tasks[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_INT(tasks[i].work.solved, alone.work.solved);
        CHECK(tasks[i].work.digest == alone.work.digest);
    }
}

TEST(solvers_in_threads) {
    check_threads(solve_cases, CASES / 3);
}

#ifdef CAROM_WITH_SCENE
TEST(scenes_in_threads) {
    check_threads(solve_scenes, NAMES);
}
#endif
