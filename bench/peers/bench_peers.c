// SPDX-License-Identifier: Apache-2.0
// Newton's cradle of five balls in Carom and in its peers: velocities, errors, times, in one run.
#include "../bench.h"

#include "carom/scene.h"
#include "peers.h"

#include <math.h>

// ---- The scene -------------------------------------------------------------------------------

enum { TEXT_SIZE = 1 << 16 };

static void give_up(const char *why) {
    fprintf(stderr, "bench_peers: %s\n", why);
    exit(1);
}

/// examples/cradle-5.json with another law at its contacts.
static CaromScene *load_scene(const char *restitution, const char *unloading) {
    static char text[TEXT_SIZE];
    FILE *file = fopen("examples/cradle-5.json", "rb");
    if (file == NULL) {
        give_up("examples/cradle-5.json: cannot be read from here");
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    CaromScene *scene = NULL;
    if (carom_scene_parse(text, length, NULL, &scene) != CAROM_OK) {
        give_up("examples/cradle-5.json: cannot be parsed");
    }
    for (int c = 0; c + 1 < BALLS; c++) {
        char path[64];
        snprintf(path, sizeof path, "contacts.%d.restitution", c);
        carom_scene_set(scene, path, restitution);
        snprintf(path, sizeof path, "contacts.%d.unloading", c);
        carom_scene_set(scene, path, unloading);
    }
    if (carom_scene_check(scene) != CAROM_OK || carom_scene_impact(scene) == NULL ||
        carom_scene_impact(scene)->problem.body_count != BALLS) {
        give_up("examples/cradle-5.json: not the cradle of five balls");
    }
    return scene;
}

static Cradle cradle_of(const CaromScene *scene) {
    const CaromImpactProblem *problem = &carom_scene_impact(scene)->problem;
    const CaromContact *contact = &problem->contacts[0];
    Cradle cradle = {
        .problem = problem,
        .mass = 1 / problem->bodies[0].inverse_inertia[0][0],
        .radius = contact->point.x - problem->bodies[0].position.x,
        .restitution = contact->material.restitution,
        .mono_stiffness = contact->material.unloading == CAROM_MONO_STIFFNESS,
    };
    for (int i = 0; i < BALLS; i++) {
        cradle.position[i] = problem->bodies[i].position.x;
        cradle.velocity[i] = problem->bodies[i].velocity.x;
    }
    return cradle;
}

// ---- Laws and contenders ---------------------------------------------------------------------

/// A law of linear springs and its exact velocities, docs/validation.md section 2.
typedef struct Law {
    const char *title, *restitution, *unloading;
    double exact[BALLS];
} Law;

enum { ELASTIC, BI_STIFFNESS, MONO_STIFFNESS, LAWS };

static const Law laws[LAWS] = {
    [ELASTIC] = {"e = 1",
                 "1",
                 "\"bi-stiffness\"",
                 {-0.1322794847, -0.0753291698, -0.0310108290, 0.2962177501, 0.9424017334}},
    [BI_STIFFNESS] = {"e = 0.95, bi-stiffness",
                      "0.95",
                      "\"bi-stiffness\"",
                      {-0.0992890329, -0.0464447154, -0.0096684936, 0.2775756323, 0.8778266097}},
    [MONO_STIFFNESS] = {"e = 0.95, mono-stiffness",
                        "0.95",
                        "\"mono-stiffness\"",
                        {-0.0930295644, -0.0422036934, -0.0106962859, 0.2641480559, 0.8817814878}},
};

typedef struct Contender {
    const char *name;
    MakePeerFn *make; ///< NULL: not installed
} Contender;

/// The first ones know springs and so both laws of unloading; engines know a restitution only.
enum { EXACT, IMPULSE, SICONOS, SPRINGS, QUICK_STEP = SPRINGS, STEP, BULLET, CONTENDERS };

static const Contender contenders[CONTENDERS] = {
    [EXACT] = {"Carom exact", peer_carom_exact},
    [IMPULSE] = {"Carom impulse, 1e-5", peer_carom_impulse},
    [SICONOS] = {"Siconos LZB, 1e-5", peer_siconos},
    [QUICK_STEP] = {"ODE QuickStep", peer_ode_quick_step},
    [STEP] = {"ODE Step", peer_ode_step},
    [BULLET] = {"Bullet", peer_bullet},
};

// ---- The table -------------------------------------------------------------------------------

static void print_row(const char *name, const Law *law, const Cradle *cradle, const double *after,
                      double nanoseconds, double unit) {
    double before = 0;
    double kept = 0;
    double error = 0;
    printf("  %-20s", name);
    for (int i = 0; i < BALLS; i++) {
        printf(" %10.7f", after[i]);
        before += cradle->velocity[i] * cradle->velocity[i];
        kept += after[i] * after[i];
        error = fmax(error, fabs(after[i] - law->exact[i]));
    }
    printf(" %10.7f %9.1e %11.2f %10.3f\n", kept / before, error, 1e-3 * nanoseconds,
           nanoseconds / unit);
}

/// Let all that are installed take turns, print their rows, and leave their times (NAN: absent).
static void bench_law(const Law *law, int count, double nanoseconds[CONTENDERS]) {
    CaromScene *scene = load_scene(law->restitution, law->unloading);
    Cradle cradle = cradle_of(scene);
    Peer peers[CONTENDERS];
    BenchEntry entries[CONTENDERS];
    int rows[CONTENDERS];
    int present = 0;
    for (int i = 0; i < count; i++) {
        nanoseconds[i] = NAN;
        if (contenders[i].make != NULL) {
            peers[present] = contenders[i].make(&cradle);
            entries[present] = (BenchEntry){peers[present].solve, peers[present].work, 0};
            rows[present++] = i;
        }
    }
    bench_interleaved(entries, present, 5e6);

    printf("%s\n", law->title);
    for (int p = 0; p < present; p++) {
        nanoseconds[rows[p]] = entries[p].nanoseconds;
        print_row(contenders[rows[p]].name, law, &cradle, peers[p].after, entries[p].nanoseconds,
                  nanoseconds[EXACT]);
        peers[p].destroy(peers[p].work);
    }
    carom_scene_destroy(scene);
}

static void print_aims(const Law *law, const double nanoseconds[CONTENDERS]) {
    double slower = nanoseconds[SICONOS] / nanoseconds[EXACT];
    double quick = nanoseconds[EXACT] / nanoseconds[QUICK_STEP];
    if (!isnan(slower)) {
        printf("%s: Siconos takes %.0f times as long as Carom exact; aim: >= 1000, %s\n",
               law->title, slower, slower >= 1000 ? "met" : "missed");
    }
    if (!isnan(quick)) {
        printf("%s: Carom exact takes %.2f times as long as QuickStep; aim: <= 2, %s\n", law->title,
               quick, quick <= 2 ? "met" : "missed");
    }
}

int main(void) {
    double nanoseconds[LAWS][CONTENDERS];
    printf("Newton's cradle, five equal balls, velocities after the collision; error: the largest\n"
           "against the exact velocities of the law; time: median of %d rounds that take turns\n",
           BENCH_ROUNDS);
    printf("  %-20s %10s %10s %10s %10s %10s %10s %9s %11s %10s\n", "", "v1", "v2", "v3", "v4",
           "v5", "energy", "error", "us", "x exact");
    for (int i = 0; i < LAWS; i++) {
        bench_law(&laws[i], i == MONO_STIFFNESS ? SPRINGS : CONTENDERS, nanoseconds[i]);
    }
    putchar('\n');
    for (int i = 0; i < CONTENDERS; i++) {
        if (contenders[i].make == NULL) {
            printf("%s: not installed, left out\n", contenders[i].name);
        }
    }
    print_aims(&laws[ELASTIC], nanoseconds[ELASTIC]);
    print_aims(&laws[BI_STIFFNESS], nanoseconds[BI_STIFFNESS]);
    return 0;
}
