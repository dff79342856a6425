// SPDX-License-Identifier: Apache-2.0
// The command carom: finds the command in the table and runs it.
#include "cluster.h"
#include "system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const CliCommand cli_commands[] = {
    {"run",
     "SCENE|NAME [--json] [--set PATH=VALUE]...\n"
     "          [--trace FILE.csv] [--plot FILE.svg|.png|.pdf] [--quiet]",
     "solve a scene and report",
     "SCENE is a file, - is standard input, NAME is a built-in scene (carom examples\n"
     "lists them; ./NAME is a file of that name).\n"
     "\n"
     "  --json            print the result as one JSON object instead of the report\n"
     "  --set PATH=VALUE  change one value first; VALUE is JSON; may be repeated\n"
     "  --derivatives PATH,PATH,...\n"
     "                    tell how the outcome of an impact or a flight changes with\n"
     "                    these values, exactly (docs/gradients.md)\n"
     "  --trace FILE.csv  write the path of the impact: impulse, velocity and energy\n"
     "                    of each contact at every event and between them; of a run\n"
     "                    over time where its balls are and how they move; of a soft\n"
     "                    object the mesh and its shapes, as VTK\n"
     "  --plot FILE       draw it as SVG, PNG or PDF; see carom help plot\n"
     "  --plot-kind NAME  another picture than the first that fits\n"
     "  --plot-theme T    light or dark\n"
     "  --animate FILE    make a movie of a run over time, as .gif or .svg\n"
     "  --movie-rate N    pictures per second; --movie-speed X: 0.25 is slow motion;\n"
     "                    --movie-seconds T: how much of the run to show\n"
     "  --quiet           no report\n"
     "\n"
     "For ensembles:\n"
     "  --store FILE.db   keep all samples in a file; the same command, run again,\n"
     "                    continues an interrupted run\n"
     "  --csv FILE        write all samples as CSV\n"
     "  --threads N       how many threads (default: all processors)\n"
     "\n"
     "  carom run pin-ball\n"
     "  carom run spinning-ball --set contacts.0.friction=0.1 --json\n"
     "  carom run scene.json --set 'solver.method=\"integrate\"' --trace path.csv\n"
     "\n"
     "Files are written whole or not at all. Exit: 0 solved, 1 not solved (the report\n"
     "says why) or not written, 2 usage, 3 bad scene.\n",
     cli_run},
    {"compare",
     "SCENE|NAME [--json] [--set PATH=VALUE]...\n"
     "          [--plot FILE.svg|.png|.pdf] [--quiet]",
     "solve an impact by every model, side by side",
     "Springs that push on each other, rigid reflections in all orders, Newton's and\n"
     "Poisson's laws for all contacts at once, and one contact after another; beside\n"
     "them what was measured, if the scene says so. Options as for run.\n"
     "\n"
     "  carom compare cradle-5\n"
     "  carom compare bernoulli --json\n"
     "  carom compare rack-6 --plot models.svg --quiet\n"
     "\n"
     "Exit: 0 some model has an answer, 1 none has, 2 usage, 3 bad scene.\n",
     cli_compare},
    {"batch",
     "SCENE|NAME ROWS.csv --keep PATH[,PATH...]\n"
     "          [--threads N] [--jsonl] [--set PATH=VALUE]...",
     "solve a scene once for each row of a CSV file",
     "The first line of ROWS.csv names values of the scene, by their paths as for --set;\n"
     "each row below gives them. Per row one row comes out, in the same order: what is\n"
     "kept (numbers with 17 digits), the outcome, and the error of a row that has one.\n"
     "\n"
     "  --keep LIST       paths of the result, as run --json shows it, or formulas of\n"
     "                    such paths; NAME=FORMULA names the column\n"
     "  --threads N       default: as many as there are processors. The results do not\n"
     "                    depend on it\n"
     "  --jsonl           one JSON object per line instead of CSV\n"
     "  --set PATH=VALUE  change a value of the scene for all rows first\n"
     "\n"
     "  carom batch spinning-ball rows.csv --keep bodies.ball.velocity[0],energy.after\n"
     "  carom batch pin-ball - --keep 'lost=1 - energy.after / energy.before' < rows.csv\n"
     "\n"
     "Exit: 0 all rows solved, 1 some are not (their rows say why), 2 usage, 3 bad scene\n"
     "or a bad CSV file.\n",
     cli_batch},
    {"check", "SCENE...", "validate scenes without solving them",
     "All errors of a scene are listed at once, each with its place:\n"
     "\n"
     "  carom: drop.json: contacts[0].restitution: must be in [0, 1], got 1.3\n"
     "\n"
     "  carom check drop.json break.json\n"
     "  carom show pin-ball | carom check -\n"
     "\n"
     "Exit: 0 all good, 2 usage, 3 bad scene.\n",
     cli_check},
    {"examples", "", "list the built-in scenes: name, kind and title",
     "  carom examples\n"
     "  carom run $(carom examples | head -1 | cut -d' ' -f1)\n",
     cli_list_examples},
    {"show", "NAME", "print a built-in scene's JSON, a starting point for one's own",
     "  carom show spinning-ball > mine.json\n"
     "  carom run mine.json\n",
     cli_show},
    {"mass", "FILE [--density D] [--scale S] [--json]",
     "volume, mass centre and inertia of a closed mesh (STL, OBJ)",
     "FILE is an STL (ASCII or binary) or OBJ file whose triangles close a volume,\n"
     "corners counterclockwise seen from outside. Lengths are metres.\n"
     "\n"
     "  --density D       kg/m^3, default 1000\n"
     "  --scale S         metres per unit of the file: 0.001 for millimetres\n"
     "  --json            print one JSON object\n"
     "\n"
     "  carom mass part.stl --scale 0.001 --density 7850\n"
     "\n"
     "Exit: 0 done, 2 usage, 3 no closed mesh (the message says where).\n",
     cli_mass},
    {"version", "[--hash]", "say which version this is, or hash the built-in scenes",
     "  carom version         the same as carom --version and carom -V\n"
     "  carom version --hash  solve every built-in scene but soft objects and fits, and\n"
     "                        print one SHA-256 of all results, the same on every machine:\n"
     "\n"
     "  for n in $(carom examples | awk '$2 !~ /soft|fit/ { print $1 }'); do\n"
     "      echo $n; carom run $n --json; done | sha256sum\n",
     cli_version},
    {"help", "[COMMAND|plot|scene [KIND]]", "explain carom, a command, the pictures or the scenes",
     "  carom help run\n"
     "  carom help plot             what can be drawn\n"
     "  carom help scene            the kinds of scenes\n"
     "  carom help scene cradle     every key of a scene and every member of its result\n",
     cli_help},
};
const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

const CliCommand *cli_find_command(const char *name) {
    for (int i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            return &cli_commands[i];
        }
    }
    return NULL;
}

// ---- Messages --------------------------------------------------------------------------------

void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("carom: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

int cli_usage_error(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("carom: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, "\ncarom: try: carom help%s%s\n", command ? " " : "",
                  command ? command : "");
    va_end(arguments);
    return CLI_USAGE;
}

const char *cli_hint(const char *word, int count, const char *const *words, char buffer[96]) {
    const char *nearest = carom_nearest_word(word, count, words);
    buffer[0] = '\0';
    if (nearest) {
        (void)snprintf(buffer, 96, " (did you mean \"%s\"?)", nearest);
    }
    return buffer;
}

int cli_unknown_option(const char *command, const char *option, int count,
                       const char *const *options) {
    char name[32];
    const char *from = option + strspn(option, "-");
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "="), from);
    const char *nearest = carom_nearest_word(name, count, options);
    if (nearest) {
        return cli_usage_error(command, "unknown option %s (did you mean --%s?)", option, nearest);
    }
    return cli_usage_error(command, "unknown option %s", option);
}

int cli_finish_output(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno == EPIPE) {
            return CLI_NOT_SOLVED; // its reader has gone, as head does: that is no news to anybody
        }
        cli_error("cannot write to standard output: %s", strerror(errno));
        return CLI_NOT_SOLVED;
    }
    return CLI_OK;
}

// ---- Main ------------------------------------------------------------------------------------

const char *cli_command_hint(const char *word, char buffer[96]) {
    const char *names[sizeof cli_commands / sizeof *cli_commands];
    for (int i = 0; i < cli_command_count; i++) {
        names[i] = cli_commands[i].name;
    }
    return cli_hint(word, cli_command_count, names, buffer);
}

static int unknown_command(const char *name) {
    char hint[96];
    return cli_usage_error(NULL, "unknown command \"%s\"%s", name, cli_command_hint(name, hint));
}

static bool asks_for_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int run_command(int argc, char **argv) {
#ifdef CAROM_MPI
    bool runs = argc > 0 && strcmp(argv[0], "run") == 0;
    if (cli_cluster_is_worker() && !runs) {
        cli_cluster_work(NULL); // one does it
        return CLI_OK;
    }
#endif
    if (argc == 0) {
        return cli_usage_error(NULL, "no command");
    }
    if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0) {
        return cli_version(argc - 1, argv + 1);
    }
    if (asks_for_help(argv[0])) {
        return cli_help(argc - 1, argv + 1);
    }
    const CliCommand *command = cli_find_command(argv[0]);
    if (!command) {
        return unknown_command(argv[0]);
    }
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (asks_for_help(argv[i])) {
            return cli_help(1, argv);
        }
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
#ifdef CAROM_MPI
    cli_cluster_start(&argc, &argv);
#endif
    cli_start_process();
    int code = run_command(argc > 0 ? argc - 1 : 0, argv + 1);
    int written = cli_finish_output();
#ifdef CAROM_MPI
    cli_cluster_end();
#endif
    return cli_end_process(code != CLI_OK ? code : written);
}
