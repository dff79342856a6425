// SPDX-License-Identifier: Apache-2.0
// Memory that ends at the n-th request, for every n: a run then says so, and leaks nothing.
// The linker leads our calls of malloc here (--wrap), jansson and CHOLMOD are asked to come, and
// what the library wants of its host goes to malloc too.
#include "carom/scene.h"
#include "test.h"
#ifdef CAROM_WITH_PLOT
#include "carom/plot.h"
#endif

#include <jansson.h>
#include <stdlib.h>
#ifdef CAROM_SOFT
#include <SuiteSparse_config.h>
#endif

// ---- Memory that ends ------------------------------------------------------------------------

typedef struct Memory {
    long requests; ///< so far
    long out;      ///< blocks that were not given back
    long fails_at; ///< the request that is refused, 0: none
    bool for_good; ///< and all after it
} Memory;

static Memory memory;

static bool refuses(void) {
    long n = ++memory.requests;
    return memory.fails_at > 0 &&
           (n == memory.fails_at || (memory.for_good && n > memory.fails_at));
}

// The names that the linker knows.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size) {
    void *block = refuses() ? NULL : __real_malloc(size);
    memory.out += block != NULL;
    return block;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *block = refuses() ? NULL : __real_calloc(count, size);
    memory.out += block != NULL;
    return block;
}

void *__wrap_realloc(void *block, size_t size) {
    if (refuses()) {
        return NULL;
    }
    memory.out += block == NULL;
    return __real_realloc(block, size);
}

void __wrap_free(void *block) {
    memory.out -= block != NULL;
    __real_free(block);
}

static bool parsing; ///< jansson reads a scene

/// The one buffer of jansson (2.14) whose growth it does not check, load.c: lex_save, doubles from
/// 16 bytes. Refused, it would leave half a word, and an assertion or worse; so it is let.
static void *jansson_malloc(size_t size) {
    bool buffer = parsing && size >= 32 && (size & (size - 1)) == 0;
    void *block = !buffer && refuses() ? NULL : __real_malloc(size);
    memory.out += block != NULL;
    return block;
}

static void invite_libraries(void) {
    json_set_alloc_funcs(jansson_malloc, __wrap_free);
#ifdef CAROM_SOFT
    SuiteSparse_config.malloc_func = __wrap_malloc;
    SuiteSparse_config.calloc_func = __wrap_calloc;
    SuiteSparse_config.realloc_func = __wrap_realloc;
    SuiteSparse_config.free_func = __wrap_free;
#endif
}

// ---- A run -----------------------------------------------------------------------------------

/// What is done with a scene.
typedef struct Job {
    const char *name; ///< of a file of examples/
    int picture;      ///< a Picture
    int tries;        ///< about so many requests are refused, all of the first quarter of them
    bool compare;     ///< not run
    const char *path, *value; ///< to set, which makes it less work
} Job;

typedef enum Picture { NONE, SVG, PNG, PDF, GIF, MOVING_SVG } Picture;

static int false_messages; ///< that speak of something else than memory

static void hear(void *user, const char *message) {
    (void)user;
    false_messages += !strstr(message, "memory");
}

static CaromStatus draw(const CaromSolution *solution, int kind) {
    CaromStatus status = CAROM_OK;
#ifdef CAROM_WITH_PLOT
    CaromPlotOptions still = carom_plot_options_default();
    CaromMovieOptions moving = carom_movie_options_default();
    CaromPicture picture;
    still.format = kind == SVG ? CAROM_PLOT_SVG : kind == PNG ? CAROM_PLOT_PNG : CAROM_PLOT_PDF;
    moving.format = kind == GIF ? CAROM_MOVIE_GIF : CAROM_MOVIE_SVG;
    status = kind < GIF ? carom_plot_solution(solution, &still, &picture)
                        : carom_animate_solution(solution, &moving, &picture);
    if (status == CAROM_OK) {
        carom_picture_destroy(&picture);
    }
#endif
    (void)solution;
    (void)kind;
    return status;
}

/// Everything the command would do; `json` becomes the result, or NULL.
static CaromStatus run(const Job *job, const char *text, char **json) {
    CaromHost host = {.log = hear};
    CaromScene *scene = NULL;
    CaromSolution *solution = NULL;
    parsing = true;
    CaromStatus status = carom_scene_parse(text, strlen(text), &host, &scene);
    parsing = false;
    if (status == CAROM_OK) {
        status = job->path ? carom_scene_set(scene, job->path, job->value)
                           : carom_scene_set(scene, "title", "\"set\"");
    }
    if (status == CAROM_OK) {
        status = carom_scene_set_folder(scene, "tests/data/meshes");
    }
    if (status == CAROM_OK) {
        status = job->compare ? carom_scene_compare(scene, &solution)
                              : carom_scene_solve(scene, 3, &solution);
    }
    if (status == CAROM_OK) {
        *json = carom_solution_json(solution);
        status = *json ? CAROM_OK : CAROM_NO_MEMORY;
    }
    if (status == CAROM_OK && job->picture != NONE) {
        status = draw(solution, job->picture);
    }
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    return status;
}

/// A run whose n-th request is refused. It is out of memory or, where it can do without, finds the
/// same as ever; it says nothing wrong about the scene, and gives everything back.
static bool refuse(const Job *job, const char *text, const char *expected, long n, bool for_good) {
    char *json = NULL;
    long out = memory.out;
    false_messages = 0;
    memory.requests = 0;
    memory.fails_at = n;
    memory.for_good = for_good;
    CaromStatus status = run(job, text, &json);
    memory.fails_at = 0;
    bool same = json && strcmp(json, expected) == 0;
    bool other = json && !same;
    bool ok =
        (status == CAROM_OK ? same : status == CAROM_NO_MEMORY) && !other && false_messages == 0;
    carom_string_destroy(json);
    ok = test_check(ok && memory.out == out, __FILE__, __LINE__,
                    "%s: request %ld%s refused: %s, %ld blocks leak, %d false messages%s",
                    job->name, n, for_good ? " and all others" : "", carom_status_text(status),
                    memory.out - out, false_messages, other ? ", and the result is another" : "");
    return ok;
}

static char *read_example(const char *name) {
    char path[256];
    (void)snprintf(path, sizeof path, "examples/%s.json", name);
    FILE *file = fopen(path, "rb");
    enum { MOST = 1 << 16 };
    char *text = calloc(MOST, 1);
    if (!CHECK(file && text && fread(text, 1, MOST - 1, file) > 0)) {
        exit(1);
    }
    (void)fclose(file);
    return text;
}

/// Numbers of digits in results may hide timings; all others are the same in every run.
static void check_job(const Job *job) {
    invite_libraries();
    char *text = read_example(job->name), *expected = NULL;
    memory.requests = 0;
    CHECK(run(job, text, &expected) == CAROM_OK); // the first one fills caches of the libraries
    carom_string_destroy(expected);
    expected = NULL;
    memory.requests = 0;
    CHECK(run(job, text, &expected) == CAROM_OK);
    if (!expected) {
        exit(1);
    }
    int wanted = test_cases(job->tries);
    long count = memory.requests, step = 1 + count / wanted, tries = 0;
    for (long n = 1; n <= count; n += n < wanted / 4 ? 1 : step) {
        refuse(job, text, expected, n, false);
        refuse(job, text, expected, n, true);
        tries += 2;
    }
    printf("  %-24s%s %6ld requests, %5ld runs\n", job->name, job->compare ? " compared" : "",
           count, tries);
    carom_string_destroy(expected);
    free(text);
}

#define JOB(test, ...)                                                                             \
    TEST(test) {                                                                                   \
        check_job(&(Job){__VA_ARGS__});                                                            \
    }

JOB(two_bodies, .name = "icosahedron-tetrahedron", .tries = 300)
JOB(network, .name = "ball-ball-table", .tries = 300)
JOB(friction, .name = "rack-9-friction", .tries = 60)
JOB(reflect, .name = "rack-3", .tries = 100)
JOB(comparison, .name = "cradle-3", .tries = 60, .compare = true)
JOB(batting, .name = "bat-paddle", .tries = 300)
JOB(cradle, .name = "cradle", .tries = 40)
JOB(flight, .name = "bouncing-ball", .tries = 40)
JOB(billiards, .name = "cut-shot", .tries = 60)
JOB(break_shot, .name = "nine-ball-break", .tries = 60, .path = "until", .value = "0.2")
JOB(rod, .name = "rod-no-bounce", .tries = 300)
JOB(sweep, .name = "compliant-ball-poisson", .tries = 60)
JOB(sweep_of_shots, .name = "throw-sweep", .tries = 60, .path = "over.count", .value = "3")
#ifdef CAROM_STUDY
JOB(fit, .name = "bounce-path-fit", .tries = 60, .path = "rows.values",
    .value = "[[0.1,0.2,0.45],[0.2,0.4,0.3],[0.3,0.6,0.06],[0.4,0.7,0.2],[0.5,0.8,0.3]]")
#endif
#ifdef CAROM_SOFT
JOB(soft, .name = "soft-tetrahedron", .tries = 300)
JOB(flip, .name = "soft-gelatin", .tries = 60, .path = "mesh.resolution", .value = "1")
JOB(pickup, .name = "pickup-orange", .tries = 60, .path = "mesh.resolution", .value = "2")
#endif
#ifdef CAROM_WITH_PLOT
JOB(picture_svg, .name = "ball-ball-table", .tries = 100, .picture = SVG)
JOB(picture_png, .name = "ball-ball-table", .tries = 100, .picture = PNG)
JOB(picture_pdf, .name = "ball-ball-table", .tries = 100, .picture = PDF)
JOB(movie_gif, .name = "bouncing-ball", .tries = 20, .picture = GIF, .path = "until",
    .value = "0.2")
JOB(movie_svg, .name = "bouncing-ball", .tries = 20, .picture = MOVING_SVG, .path = "until",
    .value = "0.2")
#endif
