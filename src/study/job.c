// SPDX-License-Identifier: Apache-2.0
// Jobs: their memory, their workers, and the rows they share out.
#define _POSIX_C_SOURCE 200809L
#include "study/job.h"

#include "base/host.h"
#include "scene/scene.h"
#include "study/keep.h"
#include "study/worker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__wasm__) && !defined(_WIN32)
#include <pthread.h>
#include <unistd.h>
#define THREADS 1
#endif

struct CaromJob {
    CaromJobPlan plan;
    json_t *own_scene; ///< a copy that the job holds itself, or NULL
    char *text;        ///< of all names
    int worker_count;
    CaromJobWorker *workers[CAROM_JOB_MAX_THREADS];
    size_t room, used; ///< values that there is memory for, that the last solve filled
    CaromJobValue *values;
};

CaromJobOptions carom_job_options_default(void) {
    return (CaromJobOptions){.size = sizeof(CaromJobOptions), .threads = 1, .share_now = 1};
}

// ---- Memory ----------------------------------------------------------------------------------

static size_t measure(int count, const char *const *texts) {
    size_t bytes = 0;
    for (int i = 0; i < count && texts; i++) {
        bytes += texts[i] ? strlen(texts[i]) + 1 : 0;
    }
    return bytes;
}

/// Copies of texts behind `*at`, NULL for NULL.
static void copy_texts(int count, const char *const *texts, const char **copies, char **at) {
    for (int i = 0; i < count; i++) {
        const char *text = texts ? texts[i] : NULL;
        copies[i] = text ? *at : NULL;
        if (text) {
            size_t bytes = strlen(text) + 1;
            memcpy(*at, text, bytes);
            *at += bytes;
        }
    }
}

/// Whether something that is kept is read off the path of an impact. Without it the path is not
/// recorded, which saves a third of the time of a contact.
static bool asks_for_story(const CaromJobSpec *spec) {
    static const char *const parts[] = {"states", "events", "case", "invariant_directions"};
    for (int k = 0; k < spec->kept_count; k++) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (strstr(spec->kept[k], parts[i])) {
                return true;
            }
        }
    }
    return false;
}

static CaromStatus fill_plan(const CaromJobSpec *spec, CaromJob *job) {
    CaromJobPlan *plan = &job->plan;
    size_t inputs = (size_t)spec->input_count, kept = (size_t)spec->kept_count;
    size_t pointers = (2 * inputs + kept) * sizeof(char *);
    size_t folder = spec->folder ? strlen(spec->folder) + 1 : 0;
    size_t bytes = pointers + measure(spec->input_count, spec->inputs) +
                   measure(spec->input_count, spec->names) + measure(spec->kept_count, spec->kept) +
                   folder;
    job->text = carom_allocate(&plan->host, bytes + 1);
    if (!job->text) {
        return CAROM_NO_MEMORY;
    }
    const char **list = (const char **)(void *)job->text;
    char *at = job->text + pointers;
    copy_texts(spec->input_count, spec->inputs, list, &at);
    copy_texts(spec->input_count, spec->names, list + inputs, &at);
    copy_texts(spec->kept_count, spec->kept, list + 2 * inputs, &at);
    copy_texts(1, &spec->folder, &plan->folder, &at);
    plan->inputs = list;
    plan->names = list + inputs;
    plan->kept = list + 2 * inputs;
    plan->input_count = spec->input_count;
    plan->kept_count = spec->kept_count;
    plan->scene = spec->scene;
    plan->set = spec->set;
    plan->story = asks_for_story(spec);
    return CAROM_OK;
}

/// Formulas must be such, before anything is run. Names of inputs are known to them.
static CaromStatus check_kept(const CaromJobPlan *plan) {
    CaromStatus status = CAROM_OK;
    for (int k = 0; k < plan->kept_count; k++) {
        char fault[CAROM_FORMULA_FAULT];
        double ignored;
        CaromFormulaNames names = {.syntax_only = true};
        if (!carom_keep_is_path(plan->kept[k]) &&
            !carom_formula_value(plan->kept[k], &names, &ignored, fault)) {
            carom_log(&plan->host, "%.100s: %s", plan->kept[k], fault);
            status = CAROM_BAD_ARGUMENT;
        }
    }
    return status;
}

/// Paths must lead somewhere in the scene.
static CaromStatus check_inputs(const CaromJobPlan *plan) {
    json_t *copy = json_deep_copy(plan->scene), *one = json_real(1);
    CaromStatus status = copy && one ? CAROM_OK : CAROM_NO_MEMORY;
    for (int i = 0; i < plan->input_count && status != CAROM_NO_MEMORY; i++) {
        char fault[CAROM_SET_FAULT];
        CaromStatus set =
            plan->inputs[i] ? carom_json_set(copy, plan->inputs[i], one, fault) : CAROM_OK;
        if (set == CAROM_BAD_ARGUMENT) {
            carom_log(&plan->host, "%.200s: %s", plan->inputs[i], fault);
        }
        status = set == CAROM_OK ? status : set;
    }
    json_decref(copy);
    json_decref(one);
    return status;
}

CaromStatus carom_job_open(const CaromJobSpec *spec, CaromJob **job) {
    CaromJob *made = carom_allocate(spec->host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromJob){.plan.host = *spec->host};
    CaromStatus status = fill_plan(spec, made);
    CaromStatus kept = status == CAROM_OK ? check_kept(&made->plan) : status;
    status = status == CAROM_OK ? check_inputs(&made->plan) : status;
    status = status == CAROM_OK ? kept : status;
    if (status != CAROM_OK) {
        carom_job_destroy(made);
        return status;
    }
    *job = made;
    return CAROM_OK;
}

CaromStatus carom_job_create(const CaromScene *scene, int input_count, const char *const *inputs,
                             int kept_count, const char *const *kept, CaromJob **job) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(&scene->host, job);
    if (input_count < 0 || kept_count < 0 || (input_count > 0 && !inputs) ||
        (kept_count > 0 && !kept)) {
        carom_log(&scene->host, "inputs and kept: a count without its array, or a negative count");
        return CAROM_BAD_ARGUMENT;
    }
    json_t *copy = json_deep_copy(scene->root);
    CaromJobSpec spec = {.host = &scene->host,
                         .scene = copy,
                         .folder = scene->folder,
                         .input_count = input_count,
                         .inputs = inputs,
                         .kept_count = kept_count,
                         .kept = kept};
    CaromStatus status = copy ? carom_job_open(&spec, job) : CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        (*job)->own_scene = copy;
    } else {
        json_decref(copy);
    }
    return status;
}

/// Texts of the last solve.
static void forget_values(CaromJob *job) {
    for (size_t i = 0; i < job->used; i++) {
        free((char *)job->values[i].text); // from jansson
    }
    job->used = 0;
}

void carom_job_destroy(CaromJob *job) {
    if (job) {
        CaromHost host = job->plan.host;
        forget_values(job);
        for (int i = 0; i < job->worker_count; i++) {
            carom_job_worker_destroy(job->workers[i]);
        }
        json_decref(job->own_scene);
        carom_release(&host, job->values);
        carom_release(&host, job->text);
        carom_release(&host, job);
    }
}

static CaromStatus make_room(CaromJob *job, int row_count, int threads) {
    size_t wanted = (size_t)row_count * (size_t)job->plan.kept_count;
    forget_values(job);
    if (wanted > job->room) {
        CaromJobValue *values = carom_allocate(&job->plan.host, wanted * sizeof *values);
        if (!values) {
            return CAROM_NO_MEMORY;
        }
        carom_release(&job->plan.host, job->values);
        job->values = values;
        job->room = wanted;
    }
    while (job->worker_count < threads) {
        CaromJobWorker *worker = carom_job_worker_create(&job->plan);
        if (!worker) {
            return CAROM_NO_MEMORY;
        }
        job->workers[job->worker_count++] = worker;
    }
    job->used = wanted;
    if (wanted > 0) {
        memset(job->values, 0, wanted * sizeof *job->values);
    }
    return CAROM_OK;
}

// ---- Rows shared out ---------------------------------------------------------------------------

/// One solve of many rows. Who is free takes the next one; a row's place is its own, so that the
/// order of the work leaves no trace.
typedef struct Share {
    CaromJob *job;
    int row_count;
    const CaromCell *cells;
    CaromJobRow *rows;
    const CaromJobOptions *options;
    const CaromJobSlopes *slopes; ///< of all rows, or NULL
    atomic_int next;
} Share;

typedef struct Task {
    Share *share;
    int worker;
} Task;

static void *work(void *user) {
    const Task *task = user;
    Share *share = task->share;
    CaromJob *job = share->job;
    const CaromJobPlan *plan = &job->plan;
    for (int i; (i = atomic_fetch_add(&share->next, 1)) < share->row_count;) {
        size_t row = (size_t)i;
        const CaromCell *cells =
            plan->input_count > 0 ? share->cells + row * (size_t)plan->input_count : NULL;
        CaromJobValue *values =
            plan->kept_count > 0 ? job->values + row * (size_t)plan->kept_count : NULL;
        CaromJobSlopes slopes = {0};
        if (share->slopes) {
            slopes = *share->slopes;
            slopes.values += row * (size_t)(plan->kept_count * slopes.input_count);
        }
        carom_job_worker_run(job->workers[task->worker], cells, values,
                             share->slopes ? &slopes : NULL, &share->rows[i]);
        if (task->worker == 0 && !share->options->quiet) { // the caller's thread
            const CaromJobOptions *o = share->options;
            carom_progress(&plan->host,
                           o->share_before + o->share_now * (i + 1) / share->row_count);
        }
    }
    return NULL;
}

#ifdef THREADS
/// What the system does not grant as threads is done by those that there are.
static void run_threads(Share *share, int threads) {
    pthread_t started[CAROM_JOB_MAX_THREADS];
    Task tasks[CAROM_JOB_MAX_THREADS];
    int count = 1;
    while (count < threads) {
        tasks[count] = (Task){share, count};
        if (pthread_create(&started[count], NULL, work, &tasks[count]) != 0) {
            break;
        }
        count++;
    }
    tasks[0] = (Task){share, 0};
    (void)work(&tasks[0]);
    for (int i = 1; i < count; i++) {
        (void)pthread_join(started[i], NULL);
    }
}
#else
static void run_threads(Share *share, int threads) {
    (void)threads;
    Task task = {share, 0};
    (void)work(&task);
}
#endif

int carom_job_processors(void) {
#ifdef THREADS
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count < CAROM_JOB_MAX_THREADS ? (int)count : CAROM_JOB_MAX_THREADS;
#else
    return 1;
#endif
}

CaromStatus carom_job_differentiate(CaromJob *job, int row_count, const CaromCell *cells,
                                    const CaromJobOptions *options, const CaromJobSlopes *slopes,
                                    CaromJobRow *rows) {
    CaromJobOptions chosen = carom_job_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", &job->plan.host);
    options = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    bool sound = row_count >= 0 && options->threads >= 0 && isfinite(options->share_before) &&
                 isfinite(options->share_now);
    bool given_cells = cells != NULL || job->plan.input_count == 0 || row_count == 0;
    if (!sound || !given_cells || (rows == NULL && row_count > 0)) {
        carom_log(&job->plan.host, "rows, cells and threads: must be as many as their counts say");
        return CAROM_BAD_ARGUMENT;
    }
    int threads = options->threads > 1 ? options->threads : 1;
    threads = threads < CAROM_JOB_MAX_THREADS ? threads : CAROM_JOB_MAX_THREADS;
    threads = threads < row_count ? threads : row_count;
    if (row_count <= 0) {
        return CAROM_OK;
    }
    status = make_room(job, row_count, threads);
    if (status != CAROM_OK) {
        return status;
    }
    for (int i = 0; i < row_count; i++) {
        size_t first = (size_t)i * (size_t)job->plan.kept_count;
        rows[i].values = job->plan.kept_count > 0 ? job->values + first : NULL;
    }
    Share share = {.job = job,
                   .row_count = row_count,
                   .cells = cells,
                   .rows = rows,
                   .options = options,
                   .slopes = slopes};
    atomic_init(&share.next, 0);
    run_threads(&share, threads);
    return CAROM_OK;
}

CaromStatus carom_job_solve(CaromJob *job, int row_count, const CaromCell *cells,
                            const CaromJobOptions *options, CaromJobRow *rows) {
    CAROM_REQUIRE(NULL, job);
    return carom_job_differentiate(job, row_count, cells, options, NULL, rows);
}
