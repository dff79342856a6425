// SPDX-License-Identifier: Apache-2.0
// Passes over the samples: one for everything that adds up, five more for quantiles.
#include "study/summary.h"

#include "base/host.h"
#include "study/stream.h"

#include "base/elementary.h"
#include <string.h>

enum {
    MOST_CACHED = 4000000,   ///< kept values held in memory [values]; more: the store is read again
    MOST_RANKED = 65536,     ///< samples that ranks are taken of
    RANKED_VALUES = 3000000, ///< values of those samples
    MOST_CLASSES = CAROM_ENSEMBLE_MOST_VALUES, ///< of a variable, for its share of the variance
    USUAL_CLASSES = 32,
    LEAST_PER_CLASS = 30, ///< samples
};

typedef struct Summary {
    CaromEnsembleRun *run;
    const CaromEnsembleData *data;
    CaromEnsembleSolution *solution;
    int variables, kept;
    CaromEnsembleOutput *outputs;
    double *correlations, *shares;        ///< [output][variable]
    CaromEnsembleMean *means;             ///< [output][variable][value], of those that have values
    const CaromEnsembleMean **mean_lists; ///< [output][variable]
    CaromMoments *moments;                ///< [output]
    CaromMoments *classes;                ///< [variable][output][class]
    int *class_count;                     ///< [variable]
    double *cache;                        ///< [sample][output], or NULL
    int64_t cached;
    size_t ranked, ranked_room;
    double *ranks;        ///< [column][sample]: inputs, then outputs
    double ranked_share;  ///< of samples
    CaromSelect *selects; ///< [output]
    double *quantile_shares;
} Summary;

// ---- Memory ----------------------------------------------------------------------------------

static void lay_out_results(CaromArena *arena, Summary *s) {
    size_t variables = (size_t)s->variables, kept = (size_t)s->kept;
    s->outputs = carom_arena_take(arena, kept, sizeof *s->outputs);
    s->correlations = carom_arena_take(arena, kept * variables, sizeof(double));
    s->shares = carom_arena_take(arena, kept * variables, sizeof(double));
    size_t values = 0;
    for (int j = 0; j < s->variables; j++) {
        values += (size_t)s->data->variables[j].value_count;
    }
    s->means = carom_arena_take(arena, kept * values, sizeof *s->means);
    s->mean_lists = carom_arena_take(arena, kept * variables, sizeof *s->mean_lists);
}

static void lay_out_scratch(CaromArena *arena, Summary *s, int64_t samples) {
    size_t variables = (size_t)s->variables, kept = (size_t)s->kept;
    size_t columns = variables + kept, room = RANKED_VALUES / columns;
    room = room < MOST_RANKED ? room : MOST_RANKED;
    s->ranked_room = (uint64_t)samples < room ? (size_t)samples : room;
    s->ranked_share = (double)s->ranked_room / (double)(samples > 0 ? samples : 1);
    s->moments = carom_arena_take(arena, kept, sizeof *s->moments);
    s->classes = carom_arena_take(arena, variables * kept * MOST_CLASSES, sizeof *s->classes);
    s->class_count = carom_arena_take(arena, variables, sizeof *s->class_count);
    s->ranks = carom_arena_take_raw(arena, (columns + 4) * s->ranked_room, sizeof(double));
    bool fits = samples <= MOST_CACHED / s->kept;
    s->cache = fits ? carom_arena_take_raw(arena, (size_t)samples * kept, sizeof(double)) : NULL;
    s->selects = carom_arena_take(arena, kept, sizeof *s->selects);
    s->quantile_shares =
        carom_arena_take(arena, CAROM_ENSEMBLE_MOST_QUANTILES, sizeof *s->quantile_shares);
}

// ---- The first pass --------------------------------------------------------------------------

static void tally(CaromEnsembleSolution *solution, const char *outcome) {
    int i = 0;
    while (i < solution->tally_count && strcmp(solution->tallies[i].outcome, outcome) != 0) {
        i++;
    }
    if (i == CAROM_ENSEMBLE_MOST_TALLIES) {
        i--;
        (void)strcpy(solution->tallies[i].outcome, "other");
    } else if (i == solution->tally_count) {
        solution->tally_count++;
        (void)strncpy(solution->tallies[i].outcome, outcome,
                      sizeof solution->tallies[i].outcome - 1);
    }
    solution->tallies[i].count++;
}

static int class_of(const Summary *s, int64_t sample, int variable) {
    int count = s->class_count[variable];
    int i = (int)(carom_sampling_unit(&s->data->sampling, sample, variable) * count);
    return i < count ? i : count - 1;
}

static void rank_later(Summary *s, const CaromEnsembleRow *row) {
    double lot =
        carom_stream_unit(carom_stream_bits(0, CAROM_STREAM_ORDER, (uint64_t)row->sample, 0));
    if (s->ranked == s->ranked_room || (s->ranked_share < 1 && lot > s->ranked_share)) {
        return;
    }
    for (int j = 0; j < s->variables; j++) {
        s->ranks[(size_t)j * s->ranked_room + s->ranked] = row->inputs[j];
    }
    for (int k = 0; k < s->kept; k++) {
        s->ranks[(size_t)(s->variables + k) * s->ranked_room + s->ranked] = row->values[k];
    }
    s->ranked++;
}

static bool see(void *user, const CaromEnsembleRow *row) {
    Summary *s = user;
    s->solution->done++;
    s->solution->failed += !row->solved;
    tally(s->solution, row->outcome);
    for (int k = 0; k < s->kept; k++) {
        if (!isnan(row->values[k])) {
            carom_moments_add(&s->moments[k], row->values[k]);
        }
    }
    for (int j = 0; j < s->variables; j++) {
        CaromMoments *classes = s->classes + (size_t)j * (size_t)s->kept * MOST_CLASSES;
        int at = class_of(s, row->sample, j);
        for (int k = 0; k < s->kept; k++) {
            if (!isnan(row->values[k])) {
                carom_moments_add(&classes[k * MOST_CLASSES + at], row->values[k]);
            }
        }
    }
    rank_later(s, row);
    if (s->cache) {
        memcpy(s->cache + s->cached * s->kept, row->values, (size_t)s->kept * sizeof(double));
        s->cached++;
    }
    return true;
}

/// Classes of a variable: its values where they are few, else equal shares of its distribution.
static void count_classes(Summary *s, int64_t samples) {
    for (int j = 0; j < s->variables; j++) {
        const CaromDistribution *d = &s->data->sampling.variables[j];
        bool listed = d->kind == CAROM_CHOICE || d->kind == CAROM_GRID;
        int64_t most =
            samples / LEAST_PER_CLASS < USUAL_CLASSES ? samples / LEAST_PER_CLASS : USUAL_CLASSES;
        int count = listed && d->count <= MOST_CLASSES ? d->count : (int)most;
        s->class_count[j] = count > 1 ? count : 1;
    }
}

// ---- Quantiles -------------------------------------------------------------------------------

static bool see_values(void *user, const CaromEnsembleRow *row) {
    Summary *s = user;
    for (int k = 0; k < s->kept; k++) {
        if (!isnan(row->values[k]) && s->moments[k].count > 0) {
            carom_select_add(&s->selects[k], row->values[k]);
        }
    }
    return true;
}

static CaromStatus pass(Summary *s) {
    if (!s->cache) {
        return carom_store_scan(s->run->store, see_values, s);
    }
    for (int64_t i = 0; i < s->cached; i++) {
        (void)see_values(s, &(CaromEnsembleRow){.values = s->cache + i * s->kept});
    }
    return CAROM_OK;
}

static void start_quantiles(Summary *s, int64_t *bins) {
    const CaromEnsembleScene *scene = &s->data->shown;
    size_t each = carom_select_bytes(2 * scene->quantile_count) / sizeof *bins;
    for (int k = 0; k < s->kept; k++) {
        int64_t ranks[2 * CAROM_ENSEMBLE_MOST_QUANTILES];
        for (int q = 0; q < scene->quantile_count; q++) {
            double share;
            int64_t count = s->moments[k].count > 0 ? s->moments[k].count : 1;
            carom_quantile_ranks(count, scene->quantiles[q], &ranks[2 * q], &share);
        }
        carom_select_start(&s->selects[k], 2 * scene->quantile_count, ranks,
                           bins + (size_t)k * each);
    }
}

static void finish_quantiles(Summary *s) {
    const CaromEnsembleScene *scene = &s->data->shown;
    for (int k = 0; k < s->kept; k++) {
        for (int q = 0; q < scene->quantile_count; q++) {
            int64_t ranks[2];
            double share;
            carom_quantile_ranks(s->moments[k].count, scene->quantiles[q], ranks, &share);
            double low = carom_select_value(&s->selects[k], 2 * q);
            double high = carom_select_value(&s->selects[k], 2 * q + 1);
            s->outputs[k].quantiles[q] = s->moments[k].count > 0 ? low + share * (high - low) : NAN;
        }
    }
}

static CaromStatus find_quantiles(Summary *s) {
    size_t bytes = (size_t)s->kept * carom_select_bytes(2 * s->data->shown.quantile_count);
    int64_t *bins = carom_allocate(s->run->host, bytes);
    CaromStatus status = bins ? CAROM_OK : CAROM_NO_MEMORY;
    if (bins) {
        start_quantiles(s, bins);
    }
    for (int i = 0; i < CAROM_SELECT_PASSES && status == CAROM_OK; i++) {
        status = pass(s);
        for (int k = 0; k < s->kept; k++) {
            carom_select_next(&s->selects[k]);
        }
    }
    if (status == CAROM_OK) {
        finish_quantiles(s);
    }
    carom_release(s->run->host, bins);
    return status;
}

// ---- Which input matters -----------------------------------------------------------------------

static void find_influences(Summary *s) {
    double *scratch = s->ranks + (size_t)(s->variables + s->kept) * s->ranked_room;
    for (int k = 0; k < s->kept; k++) {
        const double *output = s->ranks + (size_t)(s->variables + k) * s->ranked_room;
        for (int j = 0; j < s->variables; j++) {
            const double *input = s->ranks + (size_t)j * s->ranked_room;
            const CaromMoments *classes =
                s->classes + ((size_t)j * (size_t)s->kept + (size_t)k) * MOST_CLASSES;
            bool ordered = s->data->variables[j].choice_count == 0; // texts have no order
            int at = k * s->variables + j;
            s->correlations[at] =
                ordered ? carom_rank_correlation(s->ranked, input, output, scratch) : NAN;
            s->shares[at] =
                s->class_count[j] > 1 ? carom_variance_share(s->class_count[j], classes) : NAN;
        }
    }
}

/// Means at the values of variables that have few, which are their classes.
static void find_means(Summary *s) {
    CaromEnsembleMean *at = s->means;
    for (int k = 0; k < s->kept; k++) {
        for (int j = 0; j < s->variables; j++) {
            const CaromMoments *classes =
                s->classes + ((size_t)j * (size_t)s->kept + (size_t)k) * MOST_CLASSES;
            int count = s->data->variables[j].value_count;
            s->mean_lists[k * s->variables + j] = count > 0 ? at : NULL;
            for (int i = 0; i < count; i++) {
                const CaromMoments *m = &classes[i];
                *at++ = (CaromEnsembleMean){m->count, m->count > 0 ? m->mean : NAN,
                                            carom_moments_standard_error(m)};
            }
        }
    }
}

static void finish(Summary *s) {
    for (int k = 0; k < s->kept; k++) {
        const CaromMoments *m = &s->moments[k];
        CaromEnsembleOutput *output = &s->outputs[k];
        output->count = m->count;
        output->mean = m->count > 0 ? m->mean : NAN;
        output->standard_error = carom_moments_standard_error(m);
        output->sd = carom_moments_sd(m);
        output->min = m->count > 0 ? m->min : NAN;
        output->max = m->count > 0 ? m->max : NAN;
        output->rank_correlations = s->correlations + k * s->variables;
        output->variance_shares = s->shares + k * s->variables;
        output->means = s->mean_lists + k * s->variables;
    }
    s->solution->outputs = s->outputs;
    s->solution->ranked = (int64_t)s->ranked;
}

static CaromStatus make(Summary *s) {
    CaromStatus status = carom_store_scan(s->run->store, see, s);
    status = status == CAROM_OK ? carom_store_faults(s->run->store, CAROM_ENSEMBLE_MOST_FAULTS,
                                                     s->solution->faults, &s->solution->fault_count)
                                : status;
    status = status == CAROM_OK ? find_quantiles(s) : status;
    if (status == CAROM_OK) {
        find_influences(s);
        find_means(s);
        finish(s);
    }
    return status;
}

CaromStatus carom_summary_make(CaromEnsembleRun *run, CaromEnsembleSolution *solution,
                               void **memory) {
    const CaromEnsembleScene *scene = &run->data->shown;
    Summary s = {.run = run,
                 .data = run->data,
                 .solution = solution,
                 .variables = scene->variable_count,
                 .kept = scene->kept_count};
    CaromArena results = {0}, scratch = {0};
    int64_t samples = carom_store_chunks(run->store) * scene->chunk;
    samples = samples < scene->samples ? samples : scene->samples;
    lay_out_results(&results, &s);
    lay_out_scratch(&scratch, &s, samples);
    *memory = carom_allocate(run->host, results.used);
    void *block = carom_allocate(run->host, scratch.used);
    CaromStatus status = CAROM_NO_MEMORY;
    if (*memory && block) {
        results = (CaromArena){.base = *memory};
        scratch = (CaromArena){.base = block};
        lay_out_results(&results, &s);
        lay_out_scratch(&scratch, &s, samples);
        count_classes(&s, samples);
        status = make(&s);
    }
    carom_release(run->host, block);
    return status;
}
