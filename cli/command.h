// SPDX-License-Identifier: Apache-2.0
// What the commands share: the table, exit codes, messages, loading scenes.
#pragma once
#include "carom/scene.h"
#include "progress.h"

#include <stdio.h>

enum {
    CLI_OK = 0,
    CLI_NOT_SOLVED = 1, ///< the report says why; also when a result cannot be written
    CLI_USAGE = 2,
    CLI_BAD_SCENE = 3,
};

/// `run` gets what follows the command's name and returns an exit code.
typedef struct CliCommand {
    const char *name;
    const char *arguments; ///< as the usage line shows them
    const char *summary;   ///< one line
    const char *help;      ///< what `carom help NAME` adds
    int (*run)(int argc, char **argv);
} CliCommand;

extern const CliCommand cli_commands[];
extern const int cli_command_count;
const CliCommand *cli_find_command(const char *name); // or NULL

int cli_run(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_batch(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_list_examples(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_mass(int argc, char **argv);
int cli_version(int argc, char **argv);
int cli_help(int argc, char **argv);

// ---- Messages --------------------------------------------------------------------------------

/// `carom: message` on stderr.
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// The same and where to find help; returns CLI_USAGE.
int cli_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// ` (did you mean "x"?)` or nothing, for the end of a message; lives until the next call.
const char *cli_hint(const char *word, int count, const char *const *words, char buffer[96]);
/// The same for the names of commands.
const char *cli_command_hint(const char *word, char buffer[96]);
/// An argument that starts like an option but is none of `options`, which stand here without their
/// dashes; returns CLI_USAGE.
int cli_unknown_option(const char *command, const char *option, int count,
                       const char *const *options);
/// CLI_OK, or CLI_NOT_SOLVED with a message when stdout could not be written.
int cli_finish_output(void);

// ---- Scenes ----------------------------------------------------------------------------------

/// A scene and where it came from. Its messages go to stderr with the name of the file, and so does
/// the bar of a long solve.
typedef struct CliScene {
    const char *shown; ///< the file, the built-in name or "standard input"
    CaromScene *scene;
    CliProgress progress;
} CliScene;

/// Load a file, `-` or a built-in scene and parse it. Returns an exit code; after CLI_OK close it.
/// `source` must stay where it is while the scene lives.
int cli_open_scene(const char *name, CliScene *source);
void cli_close_scene(CliScene *source);
/// The exit code for what a call of the library came to, with a message if it left none.
int cli_exit_code(const CliScene *source, CaromStatus status);

/// Whether argv[*i] is the option `--name VALUE` or `--name=VALUE`; `value` is "" when it has none.
bool cli_option_value(const char *name, int argc, char **argv, int *i, char **value);
/// Change a scene by `sets`, PATH=VALUE each. Returns an exit code.
int cli_apply_sets(int count, char **sets, CliScene *source);
/// All of a file, or of standard input for "-", from malloc; of a larger one at least a byte more
/// than `most`. NULL with errno set.
char *cli_read_file(const char *path, size_t most, size_t *length);

// ---- Results ---------------------------------------------------------------------------------

/// Writes a result into an open file; errors of the file are found by who opened it.
typedef void CliWriteFn(FILE *file, const CaromSolution *solution);

/// How results of one kind of scene are shown. The table is in kinds.c.
typedef struct CliKind {
    const char *name;
    void (*report)(const CaromSolution *solution); ///< for people, on stdout
    CliWriteFn *trace;                             ///< what --trace writes, or NULL
    /// What --trace leaves beside its file, or NULL; returns an exit code.
    int (*series)(const char *path, const CaromSolution *solution);
} CliKind;

const CliKind *cli_find_kind(const char *name);

void cli_report_impact(const CaromSolution *solution);
void cli_report_comparison(const CaromSolution *solution);
/// The part of the report that is about the search of model "reflect".
void cli_report_reflection(const CaromImpactSolution *solution);
void cli_report_cradle(const CaromSolution *solution);
void cli_report_flight(const CaromSolution *solution);
/// The path as CSV.
void cli_trace_impact(FILE *file, const CaromSolution *solution);
/// Angles and velocities over time as CSV.
void cli_trace_cradle(FILE *file, const CaromSolution *solution);
/// Positions, velocities and spins over time as CSV.
void cli_trace_flight(FILE *file, const CaromSolution *solution);

void cli_report_billiards(const CaromSolution *solution);
/// The same for balls on a table, at the scene's rate and at every event.
void cli_trace_billiards(FILE *file, const CaromSolution *solution);

void cli_report_bat(const CaromSolution *solution);
/// The flight, or a table of targets, as CSV.
void cli_trace_bat(FILE *file, const CaromSolution *solution);
void cli_report_rod(const CaromSolution *solution);
/// The moments as CSV, or the curve of a sweep.
void cli_trace_rod(FILE *file, const CaromSolution *solution);
void cli_report_soft(const CaromSolution *solution);
/// The mesh with its displacements as VTK.
void cli_trace_soft(FILE *file, const CaromSolution *solution);
/// The report and the VTK file of the task "pickup".
void cli_report_pickup(const CaromSoftSolution *soft);
void cli_trace_pickup(FILE *file, const CaromSoftSolution *soft);
/// A VTK file for each moment of a pickup, beside that of its end, and a list of them for ParaView;
/// nothing for other tasks. Returns an exit code.
int cli_trace_soft_series(const char *path, const CaromSolution *solution);
void cli_report_ensemble(const CaromSolution *solution);
/// All samples as CSV.
void cli_csv_ensemble(FILE *file, const CaromSolution *solution);
void cli_report_sweep(const CaromSolution *solution);
/// The curves as CSV.
void cli_trace_sweep(FILE *file, const CaromSolution *solution);

/// Whether a file could be written as far as can be known before: its folder is there and open to
/// us, and it is no folder itself. Returns an exit code; `path` may be NULL.
int cli_check_writable(const char *path);
void cli_report_fit(const CaromSolution *solution);
/// Measured, fitted and residuals, row by row, as CSV.
void cli_trace_fit(FILE *file, const CaromSolution *solution);

/// Whether outputs are files of their own: none is also read, no two are one, by any path or link.
/// "-" is standard input, ">" standard output, NULL no file. Returns an exit code.
int cli_check_files(const char *command, int input_count, const char *const *inputs,
                    int output_count, const char *const *outputs);

/// The file, written whole under another name until cli_finish_files. Returns an exit code.
int cli_write_file(const char *path, CliWriteFn *write, const CaromSolution *solution);
/// A writer that cannot give all of its content calls this: the file is not kept.
void cli_content_lost(void);
int cli_write_bytes(const char *path, const void *bytes, size_t size);
/// Give all files that were written their names, at once. Returns an exit code.
int cli_finish_files(void);
/// Files written after `mark` belong together, and one could not be written: take them back.
int cli_file_mark(void);
void cli_drop_files(int mark);

// ---- Ensembles ---------------------------------------------------------------------------------

enum { CLI_MOST_THREADS = 256 };

/// What the options --store, --threads and --csv say; NULL or 0 where they are not given.
typedef struct CliEnsemble {
    const char *store, *csv;
    int threads;
} CliEnsemble;

/// Hand the options to a scene of that kind; a usage error where it is of another and they are
/// given. Returns an exit code.
int cli_prepare_ensemble(const CliEnsemble *options, CliScene *source);

// ---- Pictures --------------------------------------------------------------------------------

enum { CLI_MOST_PLOTS = 8 };

/// What the options --plot, --plot-kind, --plot-theme and --animate say; NULL where they are not
/// given.
typedef struct CliPlot {
    const char *path, *kind, *theme;
    const char *movie;           ///< of --animate
    double rate, speed, seconds; ///< of the movie; 0 where they are not given
} CliPlot;

/// Whether that makes sense, before anything is solved. Returns an exit code.
int cli_check_plot(const CliPlot *plot);
int cli_draw(const CliPlot *plot, const CaromSolution *solution);
int cli_animate(const CliPlot *plot, const CaromSolution *solution);
/// What `carom help plot` prints.
void cli_help_plot(void);
