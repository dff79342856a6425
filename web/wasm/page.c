// SPDX-License-Identifier: Apache-2.0
// What the playground calls: a scene's text in; its result, report, pictures and motion out. One
// scene is open at a time. Texts are printed to standard output, which the page collects.
#include "carom/plot.h"
#include "command.h"
#include "sha256.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/// The open scene and its solution; a page has one thread.
static struct {
    CaromScene *scene;
    CaromSolution *solution;
    double *numbers; ///< of the last motion or path that was asked for
    CliSha256 hash;
} page;

static void print_message(void *user, const char *message) {
    (void)user;
    (void)puts(message);
}

/// Messages of the command's writers go where all texts go.
void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

static void close_solution(void) {
    carom_solution_destroy(page.solution);
    free(page.numbers);
    page.solution = NULL;
    page.numbers = NULL;
}

// ---- Memory for texts ------------------------------------------------------------------------

EXPORT(page_allocate) void *page_allocate(size_t size);
void *page_allocate(size_t size) {
    return malloc(size);
}

EXPORT(page_release) void page_release(void *memory);
void page_release(void *memory) {
    free(memory);
}

// ---- Scenes ----------------------------------------------------------------------------------

/// Parse and check; prints what is wrong. Returns a CaromStatus, as all that follow.
EXPORT(page_open) int page_open(const char *text, size_t length);
int page_open(const char *text, size_t length) {
    CaromHost host = {.log = print_message};
    close_solution();
    carom_scene_destroy(page.scene);
    page.scene = NULL;
    CaromStatus status = carom_scene_parse(text, length, &host, &page.scene);
    if (status == CAROM_OK) {
        status = carom_scene_check(page.scene);
    }
    (void)fflush(stdout);
    return (int)status;
}

/// `samples` as of carom_scene_solve.
EXPORT(page_solve) int page_solve(int samples);
int page_solve(int samples) {
    close_solution();
    CaromStatus status = carom_scene_solve(page.scene, samples, &page.solution);
    (void)fflush(stdout);
    return (int)status;
}

/// All models on the open scene.
EXPORT(page_compare) int page_compare(void);
int page_compare(void) {
    close_solution();
    CaromStatus status = carom_scene_compare(page.scene, &page.solution);
    (void)fflush(stdout);
    return (int)status;
}

// ---- Texts -----------------------------------------------------------------------------------

/// The bytes of `carom run --json`.
EXPORT(page_json) int page_json(void);
int page_json(void) {
    char *text = carom_solution_json(page.solution);
    if (!text) {
        return CAROM_NO_MEMORY;
    }
    (void)puts(text);
    (void)fflush(stdout);
    carom_string_destroy(text);
    return CAROM_OK;
}

EXPORT(page_report) int page_report(void);
int page_report(void) {
    cli_find_kind(carom_solution_kind(page.solution))->report(page.solution);
    (void)fflush(stdout);
    return CAROM_OK;
}

/// The bytes of `carom run --trace`, if the scene was solved with as many samples.
EXPORT(page_trace) int page_trace(void);
int page_trace(void) {
    CliWriteFn *trace = cli_find_kind(carom_solution_kind(page.solution))->trace;
    if (!trace) {
        return CAROM_UNSUPPORTED;
    }
    trace(stdout, page.solution);
    (void)fflush(stdout);
    return CAROM_OK;
}

// ---- The hash over all scenes: that of `carom version --hash` ---------------------------------

EXPORT(page_hash_begin) void page_hash_begin(void);
void page_hash_begin(void) {
    cli_sha256_init(&page.hash);
}

/// Add the result of the open scene under a name.
EXPORT(page_hash_add) int page_hash_add(const char *name);
int page_hash_add(const char *name) {
    char *json = carom_solution_json(page.solution);
    if (!json) {
        return CAROM_NO_MEMORY;
    }
    const char *parts[] = {name, "\n", json, "\n"};
    for (int i = 0; i < 4; i++) {
        cli_sha256_add(&page.hash, parts[i], strlen(parts[i]));
    }
    carom_string_destroy(json);
    return CAROM_OK;
}

EXPORT(page_hash_end) int page_hash_end(void);
int page_hash_end(void) {
    char digits[65];
    cli_sha256_end(&page.hash, digits);
    (void)puts(digits);
    (void)fflush(stdout);
    return CAROM_OK;
}

// ---- Pictures --------------------------------------------------------------------------------

/// `name` and summary of every plot that can show the solution, one a line.
EXPORT(page_plots) int page_plots(void);
int page_plots(void) {
    for (int i = 0; i < carom_plot_count(); i++) {
        if (carom_plot_shows(page.solution, i)) {
            CaromPlotInfo info = carom_plot_info(i);
            (void)printf("%s\t%s\n", info.name, info.summary);
        }
    }
    (void)fflush(stdout);
    return CAROM_OK;
}

/// The SVG of a plot.
EXPORT(page_plot) int page_plot(const char *name, int dark);
int page_plot(const char *name, int dark) {
    CaromPlotOptions options = carom_plot_options_default();
    CaromPicture picture = {0};
    options.name = name;
    options.theme = dark ? CAROM_PLOT_DARK : CAROM_PLOT_LIGHT;
    CaromStatus status = carom_plot_solution(page.solution, &options, &picture);
    if (status == CAROM_OK) {
        (void)fwrite(picture.bytes, 1, picture.size, stdout);
        (void)fflush(stdout);
    }
    carom_picture_destroy(&picture);
    return (int)status;
}

// ---- Numbers ---------------------------------------------------------------------------------

enum {
    BALL_NUMBERS = 12,   ///< position, velocity, spin, angle, rate, flags
    CONTACT_NUMBERS = 11 ///< impulse, velocity, three energies, phase, mode
};

static double *make_room(size_t rows, size_t columns) {
    free(page.numbers);
    page.numbers = calloc(rows * columns + 2, sizeof *page.numbers);
    if (page.numbers) {
        page.numbers[0] = (double)rows;
        page.numbers[1] = (double)columns;
    }
    return page.numbers;
}

static double *put_vec3(double *at, CaromVec3 v) {
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
    return at + 3;
}

static double *put_ball(double *at, const CaromBallState *ball) {
    at = put_vec3(at, ball->position);
    at = put_vec3(at, ball->velocity);
    at = put_vec3(at, ball->angular_velocity);
    *at++ = ball->angle;
    *at++ = ball->rate;
    *at++ = ball->supported + 2 * ball->sliding + 4 * ball->at_rest + 8 * ball->gone;
    return at;
}

/// Rows and columns, then for each frame its time and all balls; NULL if there is no run.
EXPORT(page_motion) const double *page_motion(void);
const double *page_motion(void) {
    const CaromWorldRun *run = page.solution ? carom_solution_run(page.solution) : NULL;
    if (!run) {
        return NULL;
    }
    const CaromTimeline *timeline = &run->timeline;
    size_t balls = (size_t)timeline->ball_count;
    double *at = make_room((size_t)timeline->frame_count, 1 + BALL_NUMBERS * balls);
    if (!at) {
        return NULL;
    }
    at += 2;
    for (int f = 0; f < timeline->frame_count; f++) {
        *at++ = timeline->times[f];
        for (int b = 0; b < timeline->ball_count; b++) {
            at = put_ball(at, carom_timeline_ball(timeline, f, b));
        }
    }
    return page.numbers;
}

static double *put_contact(double *at, const CaromContactState *contact) {
    at = put_vec3(at, contact->impulse_contact_frame);
    at = put_vec3(at, contact->velocity_contact_frame);
    *at++ = contact->strain_energy;
    *at++ = contact->tangential_energy;
    *at++ = contact->friction_loss;
    *at++ = contact->phase;
    *at++ = contact->mode;
    return at;
}

/// Rows and columns, then for each moment its kind, contact, parameter and all contacts; NULL if it
/// is no impact.
EXPORT(page_path) const double *page_path(void);
const double *page_path(void) {
    const CaromImpactSolution *impact = page.solution ? carom_solution_impact(page.solution) : NULL;
    if (!impact || !impact->record) {
        return NULL;
    }
    int moments = carom_record_count(impact->record);
    size_t contacts = (size_t)impact->result.contact_count;
    double *at = make_room((size_t)moments, 3 + CONTACT_NUMBERS * contacts);
    if (!at) {
        return NULL;
    }
    at += 2;
    for (int i = 0; i < moments; i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        *at++ = moment.kind;
        *at++ = moment.contact;
        *at++ = moment.parameter;
        for (size_t c = 0; c < contacts; c++) {
            at = put_contact(at, &moment.contacts[c]);
        }
    }
    return page.numbers;
}

enum { PART_NUMBERS = 8 }; ///< kind, from, to, radius

/// Rows and columns, then the parts of the billiard table; NULL if there is none.
EXPORT(page_table) const double *page_table(void);
const double *page_table(void) {
    const CaromBilliardsSolution *game =
        page.solution ? carom_solution_billiards(page.solution) : NULL;
    double *at = game ? make_room((size_t)game->part_count, PART_NUMBERS) : NULL;
    if (!at) {
        return NULL;
    }
    at += 2;
    for (int i = 0; i < game->part_count; i++) {
        *at++ = game->parts[i].kind;
        at = put_vec3(at, game->parts[i].from);
        at = put_vec3(at, game->parts[i].to);
        *at++ = game->parts[i].radius;
    }
    return page.numbers;
}
