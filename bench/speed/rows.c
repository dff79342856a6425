// SPDX-License-Identifier: Apache-2.0
// The rows of the table of speeds (scripts/bench.py): one unit of work at a time, timed or counted.
//   rows list          NAME of each row, one a line
//   rows time NAME     NAME,nanoseconds of a unit,error,allocations of a unit,events
//   rows naive NAME    nanoseconds of the naive integrator for a unit, at an error of 1e-4
//   rows count NAME    one unit inside `measured`, for callgrind
#include "../bench.h"

#include "billiards/tables.h"
#include "carom/scene.h"
#include "impact/random_contact.h"
#include "naive.h"
#include "scenes.h"

#include <string.h>

enum { RANDOM_CONTACTS = 400, BREAKS = 20, ROUNDS = 9 };

/// What a unit works on.
typedef struct Work {
    CaromImpact *impact;
    Scene scene;
    RandomContact contacts[RANDOM_CONTACTS];
    int size; ///< balls of a gas
    long events;
    double error;
    CaromScene *file;
} Work;

static Work work;
static long allocations;

/// What callgrind counts: with --toggle-collect=measured.
void measured(BenchFn *run);
__attribute__((noinline)) void measured(BenchFn *run) {
    run(&work);
}

static double busy_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/// Nanoseconds that the clock can tell to a thousandth.
static const double shortest = 1e6;

static void fail(const char *what) {
    fprintf(stderr, "rows: %s\n", what);
    exit(1);
}

// ---- Impacts -----------------------------------------------------------------------------------

static void solve(const CaromImpactProblem *problem, double tolerance, CaromImpactResult *result) {
    CaromImpactOptions options = carom_impact_options_default();
    options.tolerance = tolerance;
    if (carom_impact_solve(work.impact, problem, &options, result) != CAROM_OK) {
        fail("a solve failed");
    }
}

static CaromImpactProblem problem_of(const Scene *s) {
    return (CaromImpactProblem){s->body_count, s->bodies, s->contact_count, s->contacts};
}

static void run_scene(void *context) {
    (void)context;
    CaromImpactProblem problem = problem_of(&work.scene);
    CaromImpactResult result;
    solve(&problem, work.scene.tolerance, &result);
    work.events = result.steps;
}

/// Largest difference of a velocity from that at tolerance 1e-13, beside the largest speed.
static double error_of(const CaromImpactProblem *problem, double tolerance) {
    static CaromTwist found[MOST_BODIES];
    CaromImpactResult result;
    solve(problem, tolerance, &result);
    memcpy(found, result.bodies, (size_t)problem->body_count * sizeof *found);
    solve(problem, 1e-13, &result);
    double most = 0, speed = 0;
    for (int b = 0; b < problem->body_count; b++) {
        most = fmax(most, v3_norm(v3_sub(found[b].velocity, result.bodies[b].velocity)));
        speed = fmax(speed, v3_norm(problem->bodies[b].velocity));
    }
    return most / speed;
}

static double scene_error(void) {
    CaromImpactProblem problem = problem_of(&work.scene);
    return error_of(&problem, work.scene.tolerance);
}

static void run_contacts(void *context) {
    (void)context;
    CaromImpactResult result;
    for (int i = 0; i < RANDOM_CONTACTS; i++) {
        solve(&work.contacts[i].problem, 1e-10, &result);
    }
}

/// The median over the contacts, each over and over.
static double time_contacts(void) {
    static double each[RANDOM_CONTACTS];
    for (int i = 0; i < RANDOM_CONTACTS; i++) {
        each[i] = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            CaromImpactResult result;
            double start =
                bench_now(); // a system call for processor time takes longer than a solve
            for (int k = 0; k < 20; k++) {
                solve(&work.contacts[i].problem, 1e-10, &result);
            }
            each[i] = fmin(each[i], (bench_now() - start) / 20);
        }
    }
    return bench_median(each, RANDOM_CONTACTS);
}

static double contacts_error(void) {
    static double each[RANDOM_CONTACTS];
    for (int i = 0; i < RANDOM_CONTACTS; i++) {
        each[i] = error_of(&work.contacts[i].problem, 1e-10);
    }
    return bench_quantile(each, RANDOM_CONTACTS, 1);
}

static void make_contacts(int friction) {
    Random random = {20170001};
    for (int i = 0; i < RANDOM_CONTACTS; i++) {
        random_contact(&random, &work.contacts[i]);
        if (friction == 0) {
            work.contacts[i].contact.material.friction = 0;
        }
    }
}

static void make_chain(int balls) {
    scene_chain(&work.scene, balls, 0.95);
}

static void make_elastic_chain(int balls) {
    scene_chain(&work.scene, balls, 1);
}

static void make_ball(int unused) {
    (void)unused;
    scene_ball(&work.scene);
}

static void make_masse(int unused) {
    (void)unused;
    scene_masse(&work.scene);
}

static void make_cushion(int unused) {
    (void)unused;
    scene_cushion(&work.scene);
}

static void make_rack(int unused) {
    (void)unused;
    scene_rack(&work.scene, 0.03);
}

static void make_smooth_rack(int unused) {
    (void)unused;
    scene_rack(&work.scene, 0);
}

// ---- Worlds ------------------------------------------------------------------------------------

static void run_breaks(void *context) {
    (void)context;
    work.events = 0;
    for (int i = 0; i < BREAKS; i++) {
        Game game;
        CaromBilliards *made = NULL;
        game_random_break(&game, CAROM_RACK_NINE, 6, 2e-5, 1000 + (uint64_t)i);
        if (carom_billiards_create(&game.def, &made) != CAROM_OK) {
            fail("no break");
        }
        CaromWorld *world = carom_billiards_world(made);
        if (carom_world_advance(world, INFINITY, 100000) != CAROM_OK) {
            fail("a break failed");
        }
        work.events += carom_world_event_count(world);
        carom_billiards_destroy(made);
    }
}

/// Elastic balls in a closed box without gravity that fill a tenth of it.
static CaromWorld *gas(int balls) {
    CaromWorldDef def = carom_world_def_default();
    def.gravity = (CaromVec3){0, 0, 0};
    def.balls = balls;
    CaromWorld *world = NULL;
    if (carom_world_create(&def, &world) != CAROM_OK) {
        fail("no world");
    }
    int side = (int)ceil(cbrt(balls));
    double pitch = 1.0 / side, radius = pitch * cbrt(0.1 * 3 / (4 * acos(-1)));
    for (int axis = 0; axis < 6; axis++) {
        double sign = axis < 3 ? 1 : -1, at = axis < 3 ? 0 : 1;
        CaromVec3 n = {axis % 3 == 0, axis % 3 == 1, axis % 3 == 2};
        CaromPlaneDef plane = {.point = v3_scale(at, n), .normal = v3_scale(sign, n)};
        if (carom_world_add_plane(world, &plane, NULL) != CAROM_OK) {
            fail("no plane");
        }
    }
    Random random = {7};
    for (int i = 0; i < balls; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.radius = radius;
        int x = i % side, y = i / side % side, z = i / side / side;
        ball.position = v3((x + 0.5) * pitch, (y + 0.5) * pitch, (z + 0.5) * pitch);
        ball.velocity = random_vector(&random, 1);
        if (carom_world_add_ball(world, &ball, NULL) != CAROM_OK) {
            fail("no ball");
        }
    }
    return world;
}

static double kinetic(const CaromWorld *world, int balls) {
    double energy = 0;
    for (int i = 0; i < balls; i++) {
        CaromVec3 v = carom_world_ball(world, i).velocity;
        energy += 0.5 * v3_dot(v, v);
    }
    return energy;
}

/// Ten collisions for each ball (a collision has two balls, or one and a wall).
static void run_gas(void *context) {
    (void)context;
    CaromWorld *world = gas(work.size);
    double before = kinetic(world, work.size);
    long most = 5L * work.size;
    if (carom_world_advance(world, INFINITY, most) != CAROM_OK) {
        fail("a gas failed");
    }
    work.events = carom_world_event_count(world);
    work.error = fabs(kinetic(world, work.size) / before - 1);
    carom_world_destroy(world);
}

static void make_gas(int balls) {
    work.size = balls;
}

static double gas_error(void) {
    return work.error;
}

// ---- Scene files -------------------------------------------------------------------------------

/// A built-in scene, without samples: what `carom run` does between reading and writing.
static void run_file(void *context) {
    (void)context;
    CaromSolution *solution = NULL;
    if (carom_scene_solve(work.file, 0, &solution) != CAROM_OK) {
        fail("a scene failed");
    }
    work.events = carom_solution_run(solution)->timeline.event_count;
    carom_solution_destroy(solution);
}

static void make_file(int unused) {
    static char text[100000];
    (void)unused;
    FILE *file = fopen("examples/nine-ball-break.json", "r");
    if (file == NULL) {
        fail("run it from the root of the tree");
    }
    size_t length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    if (carom_scene_parse(text, length, NULL, &work.file) != CAROM_OK ||
        carom_scene_check(work.file) != CAROM_OK) {
        fail("examples/nine-ball-break.json: cannot be read");
    }
}

// ---- The table ---------------------------------------------------------------------------------

typedef struct Row {
    const char *name;
    void (*make)(int size);
    int size;
    BenchFn *run;
    double units;          ///< in one run; 0: as many as `events`
    double (*error)(void); ///< NULL: none
    double (*time)(void);  ///< NULL: the least of several runs
} Row;

static const Row rows[] = {
    {"one contact, friction", make_contacts, 1, run_contacts, RANDOM_CONTACTS, contacts_error,
     time_contacts},
    {"one contact, no friction", make_contacts, 0, run_contacts, RANDOM_CONTACTS, contacts_error,
     time_contacts},
    {"compliant ball", make_ball, 0, run_scene, 1, scene_error, NULL},
    {"masse", make_masse, 0, run_scene, 1, scene_error, NULL},
    {"cushion and cloth", make_cushion, 0, run_scene, 1, scene_error, NULL},
    {"rack of 10, friction", make_rack, 0, run_scene, 1, scene_error, NULL},
    {"rack of 10, no friction", make_smooth_rack, 0, run_scene, 1, scene_error, NULL},
    {"cradle of 5", make_chain, 5, run_scene, 1, scene_error, NULL},
    {"chain of 20", make_chain, 20, run_scene, 1, scene_error, NULL},
    {"chain of 100", make_chain, 100, run_scene, 1, scene_error, NULL},
    {"chain of 160", make_chain, 160, run_scene, 1, scene_error, NULL},
    {"chain of 500", make_chain, 500, run_scene, 1, NULL, NULL}, // to find its error takes minutes
    {"elastic chain of 5", make_elastic_chain, 5, run_scene, 1, scene_error, NULL},
    {"elastic chain of 20", make_elastic_chain, 20, run_scene, 1, scene_error, NULL},
    {"elastic chain of 100", make_elastic_chain, 100, run_scene, 1, scene_error, NULL},
    {"elastic chain of 500", make_elastic_chain, 500, run_scene, 1, scene_error, NULL},
    {"elastic chain of 1000", make_elastic_chain, 1000, run_scene, 1, scene_error, NULL},
    {"nine-ball break", NULL, 0, run_breaks, BREAKS, NULL, NULL},
    {"scene nine-ball-break", make_file, 0, run_file, 1, NULL, NULL},
    {"gas of 10, a collision", make_gas, 10, run_gas, 0, gas_error, NULL},
    {"gas of 100, a collision", make_gas, 100, run_gas, 0, gas_error, NULL},
    {"gas of 1000, a collision", make_gas, 1000, run_gas, 0, gas_error, NULL},
    {"gas of 10000, a collision", make_gas, 10000, run_gas, 0, gas_error, NULL},
};

// ---- The naive integrator ----------------------------------------------------------------------

/// Largest difference of an impulse from that at tolerance 1e-13, beside the largest.
static double naive_error(const Naive *naive, const CaromImpactResult *exact, const Scene *s) {
    double error = 0, size = 0;
    for (int c = 0; c < naive->count; c++) {
        CaromMat3 frame = carom_contact_frame(s->contacts[c].normal);
        CaromVec3 p = m3_mul(&frame, exact->contacts[c].impulse);
        const double *q = &naive->impulse[3 * c];
        error = fmax(error, v3_norm(v3_sub(p, v3(q[0], q[1], q[2]))));
        size = fmax(size, v3_norm(p));
    }
    return error / size;
}

/// Nanoseconds with the largest step, in powers of sqrt(2), from which on three errors in a row are
/// below 1e-4; NAN if there is none.
static double time_naive(const Scene *s) {
    static Naive naive;
    const double factor = sqrt(0.5), target = 1e-4;
    CaromImpactProblem problem = problem_of(s);
    CaromImpactResult exact;
    if (s->contact_count > NAIVE_CONTACTS) {
        return NAN;
    }
    solve(&problem, 1e-13, &exact);
    naive_init(&naive, s);
    double stiffest = 0;
    for (int c = 0; c < naive.count; c++) {
        double e = naive.restitution[c];
        stiffest = fmax(stiffest, naive.w[3 * c + 2][3 * c + 2] * naive.spring[c] / (e * e));
    }
    int good = 0;
    double step = 1 / sqrt(stiffest), started = busy_now();
    for (; good < 3; step *= factor) {
        naive.step = step;
        naive_solve(&naive);
        good = naive_error(&naive, &exact, s) <= target ? good + 1 : 0;
        if (busy_now() - started > 1e9) {
            return NAN;
        }
    }
    naive.step = step / (factor * factor * factor);
    double least = INFINITY;
    for (int round = 0, repeats = 1; round < ROUNDS;) {
        double before = busy_now();
        for (int i = 0; i < repeats; i++) {
            naive_solve(&naive);
        }
        double taken = busy_now() - before;
        bool tells = taken >= shortest;
        least = tells ? fmin(least, taken / repeats) : least;
        repeats *= tells ? 1 : 2;
        round += tells;
    }
    return least;
}

/// The median of the first random contacts, those that are not plastic.
static double time_naive_contacts(void) {
    enum { FEW = 11 };
    double each[FEW];
    int count = 0;
    for (int i = 0; i < RANDOM_CONTACTS && count < FEW; i++) {
        const RandomContact *r = &work.contacts[i];
        work.scene = (Scene){.body_count = 2, .contact_count = 1};
        work.scene.bodies[0] = r->bodies[0];
        work.scene.bodies[1] = r->bodies[1];
        work.scene.contacts[0] = r->contact;
        double time = r->contact.material.restitution > 0.05 ? time_naive(&work.scene) : NAN;
        if (isfinite(time)) {
            each[count++] = time;
        }
    }
    return bench_median(each, count);
}

/// Nanoseconds of one unit: the least of several runs, so that what disturbs the machine counts
/// least. Short ones are repeated until they take as long as the clock can tell.
static double time_row(const Row *row) {
    double least = INFINITY, start = busy_now(), taken = 0;
    int repeats = 1;
    for (int round = 0; round < ROUNDS || busy_now() - start < 2e8; round++) {
        double before = busy_now();
        for (int i = 0; i < repeats; i++) {
            row->run(&work);
        }
        taken = busy_now() - before;
        if (taken < shortest) {
            repeats *= 2;
            continue;
        }
        least = fmin(least, taken / repeats);
        if (busy_now() - start > 3e9) {
            break; // long rows
        }
    }
    return least / (row->units > 0 ? row->units : (double)work.events);
}

static void print_time(const Row *row) {
    double nanoseconds = row->time != NULL ? row->time() : time_row(row);
    long before = allocations;
    row->run(&work);
    double allocated = (double)(allocations - before);
    printf("%s;%.6g;%.2g;%.4g;%ld\n", row->name, nanoseconds,
           row->error != NULL ? row->error() : NAN, allocated, work.events);
}

int main(int argc, char **argv) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = MOST_BODIES;
    limits.contacts = MOST_CONTACTS;
    limits.host = bench_counting_host(&allocations);
    if (carom_impact_create(&limits, &work.impact) != CAROM_OK) {
        fail("no solver");
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        if (argc == 2 && strcmp(argv[1], "list") == 0) {
            printf("%s\n", row->name);
        } else if (argc == 3 && strcmp(argv[2], row->name) == 0) {
            if (row->make != NULL) {
                row->make(row->size);
            }
            if (strcmp(argv[1], "time") == 0) {
                print_time(row);
            } else if (strcmp(argv[1], "naive") == 0) {
                double time = row->run == run_contacts ? time_naive_contacts()
                              : row->run == run_scene  ? time_naive(&work.scene)
                                                       : NAN;
                printf("%.6g\n", time);
            } else {
                measured(row->run);
                printf("%.6g\n", row->units > 0 ? row->units : (double)work.events);
            }
        }
    }
    carom_impact_destroy(work.impact);
    return 0;
}
