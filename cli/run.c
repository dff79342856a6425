// SPDX-License-Identifier: Apache-2.0
// carom run and carom compare: load, change, solve, trace, draw and report.
#include "command.h"

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
    CliPlot plot;
    char **sets; ///< PATH=VALUE, cut at the sign while they are applied
    int set_count;
} Request;

// ---- The command line ------------------------------------------------------------------------

static const char *const options[] = {"json",       "set",     "trace", "plot", "plot-kind",
                                      "plot-theme", "animate", "quiet", "help"};
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

/// One file cannot be two, and each must have a folder: found out before anything is solved.
static int check_files(const Request *request) {
    const char *files[] = {request->trace, request->plot.path, request->plot.movie};
    for (int i = 0; i < 3; i++) {
        const char *other = files[(i + 1) % 3];
        if (files[i] && other && strcmp(files[i], other) == 0) {
            return cli_usage_error(request->command, "two options write to %s", other);
        }
    }
    int code = CLI_OK;
    for (int i = 0; i < 3 && code == CLI_OK; i++) {
        code = cli_check_writable(files[i]);
    }
    return code;
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
    } else if (cli_option_value("--trace", argc, argv, i, &value)) {
        if (strcmp(request->command, "compare") == 0) {
            return cli_usage_error("compare", "compare has no path to trace");
        }
        return take_file(request->command, "--trace", value, &request->trace);
    } else if (cli_option_value("--plot", argc, argv, i, &value)) {
        return take_file(request->command, "--plot", value, &request->plot.path);
    } else if (cli_option_value("--animate", argc, argv, i, &value)) {
        return take_file(request->command, "--animate", value, &request->plot.movie);
    } else if (cli_option_value("--plot-kind", argc, argv, i, &value)) {
        request->plot.kind = value;
    } else if (cli_option_value("--plot-theme", argc, argv, i, &value)) {
        request->plot.theme = value;
    } else {
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
    int code = cli_check_plot(&request->plot);
    return code == CLI_OK ? check_files(request) : code;
}

// ---- The run ---------------------------------------------------------------------------------

static int print_json(const CaromSolution *solution) {
    char *text = carom_solution_json(solution);
    if (!text) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    (void)puts(text);
    carom_string_free(text);
    return CLI_OK;
}

static int present(const Request *request, const CliKind *kind, const CaromSolution *solution) {
    int code = CLI_OK;
    if (request->trace) {
        code = cli_write_file(request->trace, kind->trace, solution);
        if (code == CLI_OK && kind->series) {
            code = kind->series(request->trace, solution);
        }
    }
    if (request->plot.path) {
        int drawn = cli_draw(&request->plot, solution);
        code = code != CLI_OK ? code : drawn;
    }
    if (request->plot.movie) {
        int animated = cli_animate(&request->plot, solution);
        code = code != CLI_OK ? code : animated;
    }
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
    return code;
}

static int execute(const Request *request) {
    CliScene source;
    CaromSolution *solution = NULL;
    int code = cli_open_scene(request->scene, &source);
    if (code != CLI_OK) {
        return code;
    }
    code = cli_apply_sets(request->set_count, request->sets, &source);
    code = code == CLI_OK ? check_kind(request, &source) : code;
    if (code == CLI_OK) {
        bool drawn = request->plot.path || request->plot.movie;
        int samples = request->trace || drawn ? SAMPLES : 0;
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
    if (code == CLI_OK) {
        code = execute(&request);
    }
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
