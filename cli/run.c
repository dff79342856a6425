// SPDX-License-Identifier: Apache-2.0
// carom run and carom compare: load, change, solve, trace, draw and report.
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64 }; // between two events, for traces and pictures

/// What a command makes of a scene.
typedef CaromStatus SolveFn(CaromScene *scene, int samples, CaromSolution **solution);

typedef struct Request {
    const char *command; ///< "run" or "compare"
    SolveFn *solve;
    const char *scene;
    bool json, quiet;
    const char *trace; ///< or NULL
    CliPlot plots[CLI_MOST_PLOTS];
    int plot_count;
    CliEnsemble ensemble;
    char **sets; ///< PATH=VALUE, cut at the sign while they are applied
    int set_count;
    char derivatives[4096]; ///< one of them, made of --derivatives
} Request;

// ---- The command line ------------------------------------------------------------------------

static const char *const options[] = {"json",        "set",           "trace",       "plot",
                                      "plot-kind",   "plot-theme",    "animate",     "movie-rate",
                                      "movie-speed", "movie-seconds", "quiet",       "store",
                                      "threads",     "csv",           "derivatives", "help"};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/// A file to write, once.
static int take_file(const char *command, const char *option, const char *value,
                     const char **file) {
    if (!value[0]) {
        return cli_usage_error(command, "%s needs a file", option);
    }
    if (*file) {
        return cli_usage_error(command, "%s is given twice", option);
    }
    *file = value;
    return CLI_OK;
}

static int take_number(const char *command, const char *option, const char *value, double low,
                       double high, double *number) {
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end != '\0' || !(*number >= low && *number <= high)) {
        return cli_usage_error(command, "%s needs a number from %g to %g", option, low, high);
    }
    return CLI_OK;
}

enum { MOST_OUTPUTS = 2 * CLI_MOST_PLOTS + 4 };

/// Files that are written, with standard output; some are NULL. Returns how many.
static int list_outputs(const Request *request, const char *outputs[MOST_OUTPUTS]) {
    int count = 0;
    outputs[count++] = request->quiet ? NULL : ">";
    outputs[count++] = request->trace;
    outputs[count++] = request->ensemble.csv;
    outputs[count++] = request->ensemble.store;
    for (int i = 0; i < request->plot_count; i++) {
        outputs[count++] = request->plots[i].path;
        outputs[count++] = request->plots[i].movie;
    }
    return count;
}

/// Every output has a folder and is a file of its own; found out before anything is read.
static int check_outputs(const Request *request) {
    const char *outputs[MOST_OUTPUTS];
    int count = list_outputs(request, outputs);
    int code = cli_check_files(request->command, 1, &request->scene, count, outputs);
    for (int i = 1; i < count && code == CLI_OK; i++) {
        code = outputs[i] == request->ensemble.store ? CLI_OK : cli_check_writable(outputs[i]);
    }
    return code;
}

/// Nor is an output a mesh or a table that the scene names.
static int check_inputs(const Request *request, const CaromScene *scene) {
    const char *outputs[MOST_OUTPUTS];
    int count = list_outputs(request, outputs), code = CLI_OK;
    for (int i = 0; i < carom_scene_file_count(scene) && code == CLI_OK; i++) {
        const char *input = carom_scene_file(scene, i);
        code = cli_check_files(request->command, 1, &input, count, outputs);
    }
    return code;
}

/// The picture that an option is about: the last one, or the next if that has it already.
static CliPlot *take_plot(Request *request, bool next) {
    bool first = request->plot_count == 0;
    if ((first || next) && request->plot_count < CLI_MOST_PLOTS) {
        request->plots[request->plot_count++] = (CliPlot){0};
    }
    return &request->plots[request->plot_count - 1];
}

/// The picture that a movie belongs to: the first.
static CliPlot *take_movie(Request *request) {
    (void)take_plot(request, false);
    return &request->plots[0];
}

/// `--plot FILE [--plot-kind NAME] [--plot-theme T]`, up to CLI_MOST_PLOTS times.
static int read_plot_option(const char *option, char *value, Request *request) {
    CliPlot *last = take_plot(request, false);
    if (strcmp(option, "--plot") == 0) {
        last = take_plot(request, last->path != NULL);
        return take_file(request->command, option, value, &last->path);
    }
    if (strcmp(option, "--plot-kind") == 0) {
        last->kind = value;
    } else if (strcmp(option, "--plot-theme") == 0) {
        last->theme = value;
    } else {
        return take_file(request->command, option, value, &request->plots[0].movie);
    }
    return CLI_OK;
}

/// PATH,PATH,... becomes derivatives=["PATH","PATH",...].
static int take_derivatives(const char *value, Request *request) {
    size_t room = sizeof request->derivatives, used = 0;
    if (request->derivatives[0]) {
        return cli_usage_error(request->command, "--derivatives is given twice");
    }
    if (!value[0] || strpbrk(value, "\"\\")) {
        return cli_usage_error(request->command, "--derivatives needs PATH,PATH,...");
    }
    for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int length = (int)strcspn(at, ",");
        int more = snprintf(request->derivatives + used, room - used, "%s\"%.*s\"",
                            used ? "," : "derivatives=[", length, at);
        used += more > 0 ? (size_t)more : 0;
        if (used + 2 > room) {
            request->derivatives[0] = '\0';
            return cli_usage_error(request->command, "--derivatives has too many paths");
        }
    }
    request->derivatives[used] = ']';
    request->derivatives[used + 1] = '\0';
    request->sets[request->set_count++] = request->derivatives;
    return CLI_OK;
}

static int read_threads(const char *value, Request *request) {
    char *end;
    long threads = strtol(value, &end, 10);
    if (end == value || *end || threads < 1 || threads > CLI_MOST_THREADS) {
        return cli_usage_error(request->command, "--threads needs a number from 1 to %d",
                               CLI_MOST_THREADS);
    }
    request->ensemble.threads = (int)threads;
    return CLI_OK;
}

static int read_option(int argc, char **argv, int *i, Request *request) {
    char *value = NULL;
    if (strcmp(argv[*i], "--json") == 0) {
        request->json = true;
    } else if (strcmp(argv[*i], "--quiet") == 0) {
        request->quiet = true;
    } else if (cli_option_value("--set", argc, argv, i, &value)) {
        if (!strchr(value, '=') || value[0] == '=') {
            return cli_usage_error(request->command, "--set needs PATH=VALUE");
        }
        request->sets[request->set_count++] = value;
    } else if (cli_option_value("--derivatives", argc, argv, i, &value)) {
        return take_derivatives(value, request);
    } else if (cli_option_value("--trace", argc, argv, i, &value)) {
        if (strcmp(request->command, "compare") == 0) {
            return cli_usage_error("compare", "compare has no path to trace");
        }
        return take_file(request->command, "--trace", value, &request->trace);
    } else if (cli_option_value("--store", argc, argv, i, &value)) {
        return take_file(request->command, "--store", value, &request->ensemble.store);
    } else if (cli_option_value("--csv", argc, argv, i, &value)) {
        return take_file(request->command, "--csv", value, &request->ensemble.csv);
    } else if (cli_option_value("--threads", argc, argv, i, &value)) {
        return read_threads(value, request);
    } else if (cli_option_value("--movie-rate", argc, argv, i, &value)) {
        return take_number(request->command, "--movie-rate", value, 1, 50,
                           &take_movie(request)->rate);
    } else if (cli_option_value("--movie-speed", argc, argv, i, &value)) {
        return take_number(request->command, "--movie-speed", value, 1e-3, 100,
                           &take_movie(request)->speed);
    } else if (cli_option_value("--movie-seconds", argc, argv, i, &value)) {
        return take_number(request->command, "--movie-seconds", value, 1e-3, 600,
                           &take_movie(request)->seconds);
    } else {
        static const char *const plot_options[] = {"--plot", "--plot-kind", "--plot-theme",
                                                   "--animate"};
        for (int k = 0; k < 4; k++) {
            if (cli_option_value(plot_options[k], argc, argv, i, &value)) {
                return read_plot_option(plot_options[k], value, request);
            }
        }
        return cli_unknown_option(request->command, argv[*i], OPTION_COUNT, options);
    }
    return CLI_OK;
}

static int read_request(int argc, char **argv, Request *request) {
    bool with_options = true;
    for (int i = 0; i < argc; i++) {
        if (with_options && strcmp(argv[i], "--") == 0) {
            with_options = false;
        } else if (with_options && argv[i][0] == '-' && argv[i][1] != '\0') {
            int code = read_option(argc, argv, &i, request);
            if (code != CLI_OK) {
                return code;
            }
        } else if (request->scene) {
            return cli_usage_error(request->command, "%s takes one scene, got \"%s\" and \"%s\"",
                                   request->command, request->scene, argv[i]);
        } else {
            request->scene = argv[i];
        }
    }
    if (!request->scene) {
        return cli_usage_error(request->command, "%s needs a scene", request->command);
    }
    int code = CLI_OK;
    for (int i = 0; i < request->plot_count && code == CLI_OK; i++) {
        code = cli_check_plot(&request->plots[i]);
    }
    return code == CLI_OK ? check_outputs(request) : code;
}

// ---- The run ---------------------------------------------------------------------------------

static int print_piece(const char *piece, size_t length, void *user) {
    (void)user;
    (void)fwrite(piece, 1, length, stdout); // main looks whether all was written
    return 0;
}

static int print_json(const CaromSolution *solution) {
    if (carom_solution_write(solution, print_piece, NULL) != CAROM_OK) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    (void)putchar('\n');
    return CLI_OK;
}

static int present(const Request *request, const CliKind *kind, const CaromSolution *solution) {
    int code = CLI_OK;
    if (request->trace) {
        int mark = cli_file_mark();
        code = cli_write_file(request->trace, kind->trace, solution);
        if (code == CLI_OK && kind->series) {
            code = kind->series(request->trace, solution);
        }
        if (code != CLI_OK) {
            cli_drop_files(mark);
        }
    }
    if (request->ensemble.csv) {
        int written = cli_write_file(request->ensemble.csv, cli_csv_ensemble, solution);
        code = code != CLI_OK ? code : written;
    }
    for (int i = 0; i < request->plot_count; i++) {
        const CliPlot *plot = &request->plots[i];
        int drawn = plot->path ? cli_draw(plot, solution) : CLI_OK;
        int animated = plot->movie ? cli_animate(plot, solution) : CLI_OK;
        code = code != CLI_OK ? code : drawn != CLI_OK ? drawn : animated;
    }
    if (code != CLI_OK) {
        cli_drop_files(0); // all outputs, or none
    }
    int finished = cli_finish_files();
    code = code != CLI_OK ? code : finished;
    if (request->json) {
        int printed = print_json(solution);
        code = code != CLI_OK ? code : printed;
    } else if (!request->quiet) {
        kind->report(solution);
    }
    return code != CLI_OK || carom_solution_solved(solution) ? code : CLI_NOT_SOLVED;
}

/// Only impacts have several models.
static int check_kind(const Request *request, CliScene *source) {
    int code = cli_exit_code(source, carom_scene_check(source->scene));
    if (code == CLI_OK && strcmp(request->command, "compare") == 0 &&
        strcmp(carom_scene_kind(source->scene), "impact") != 0) {
        return cli_usage_error("compare", "%s: compare needs a scene of kind impact, this is %s",
                               source->shown, carom_scene_kind(source->scene));
    }
    code = code == CLI_OK ? check_inputs(request, source->scene) : code;
    return code == CLI_OK ? cli_prepare_ensemble(&request->ensemble, source) : code;
}

/// Before there is a scene: a rank that only computes waits to hear that there is nothing to do.
static int leave(int code) {
#ifdef CAROM_MPI
    if (cli_cluster_is_worker()) {
        cli_cluster_work(NULL);
        return CLI_OK;
    }
#endif
    return code;
}

static int execute(const Request *request) {
    CliScene source;
    CaromSolution *solution = NULL;
    int code = cli_open_scene(request->scene, &source);
    if (code != CLI_OK) {
        return leave(code);
    }
    code = cli_apply_sets(request->set_count, request->sets, &source);
    code = code == CLI_OK ? check_kind(request, &source) : code;
#ifdef CAROM_MPI
    if (cli_cluster_is_worker()) {
        cli_cluster_work(code == CLI_OK ? source.scene : NULL);
        cli_close_scene(&source);
        return CLI_OK;
    }
#endif
    if (code == CLI_OK) {
        int samples = request->trace || request->plot_count > 0 ? SAMPLES : 0;
        CaromStatus status = request->solve(source.scene, samples, &solution);
        cli_progress_end(&source.progress);
        code = cli_exit_code(&source, status);
    }
    if (code == CLI_OK) {
        code = present(request, cli_find_kind(carom_solution_kind(solution)), solution);
    }
    carom_solution_destroy(solution);
    cli_close_scene(&source);
    return code;
}

static int start(const char *command, SolveFn *solve, int argc, char **argv) {
    Request request = {
        .command = command, .solve = solve, .sets = malloc(sizeof(char *) * (size_t)(argc + 1))};
    if (!request.sets) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    int code = read_request(argc, argv, &request);
    code = code == CLI_OK ? execute(&request) : leave(code);
    free(request.sets);
    return code;
}

int cli_run(int argc, char **argv) {
    return start("run", carom_scene_solve, argc, argv);
}

static CaromStatus compare(CaromScene *scene, int samples, CaromSolution **solution) {
    (void)samples;
    return carom_scene_compare(scene, solution);
}

int cli_compare(int argc, char **argv) {
    return start("compare", compare, argc, argv);
}
