// SPDX-License-Identifier: Apache-2.0
// carom help: all commands, or one of them.
#include "command.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

static void print_usage(const CliCommand *command) {
    (void)printf("carom %s%s%s\n", command->name, command->arguments[0] ? " " : "",
                 command->arguments);
}

static void print_overview(void) {
    (void)printf("Carom: bodies collide - how do they move a moment later, and why?\n\n");
    for (int i = 0; i < cli_command_count; i++) {
        (void)printf("  carom %-9s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    (void)printf("\n"
                 "Try: carom run icosahedron-tetrahedron\n"
                 "More on a command: carom help run\n"
                 "What can be drawn: carom help plot\n"
                 "Keys of a scene and members of a result: carom help scene KIND\n");
}

// ---- The reference of scenes -----------------------------------------------------------------

enum { MOST_KINDS = 32 };

static int kinds_of(const char *names[MOST_KINDS]) {
    int count = cli_reference_count < MOST_KINDS ? cli_reference_count : MOST_KINDS;
    for (int i = 0; i < count; i++) {
        names[i] = cli_references[i].kind;
    }
    return count;
}

static bool is_kind(const char *name) {
    const char *names[MOST_KINDS];
    int count = kinds_of(names);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int help_scene(const char *kind) {
    const char *names[MOST_KINDS];
    int count = kinds_of(names);
    for (int i = 0; kind && i < count; i++) {
        if (strcmp(names[i], kind) == 0) {
            (void)fputs(cli_references[i].text, stdout);
            return CLI_OK;
        }
    }
    if (kind) {
        char hint[96];
        return cli_usage_error("scene", "no kind of scene named \"%s\"%s", kind,
                               cli_hint(kind, count, names, hint));
    }
    (void)printf("carom help scene KIND\n"
                 "    every key of a scene and every member of its result\n\n"
                 "KIND is one of");
    for (int i = 0; i < count; i++) {
        (void)printf("%s %s", i > 0 ? "," : "", names[i]);
    }
    (void)printf("\n(comparison is the result of carom compare).\n\n"
                 "  carom help scene cradle\n"
                 "  carom show cradle            a scene to start from\n");
    return CLI_OK;
}

int cli_help(int argc, char **argv) {
    bool scene = argc > 0 && strcmp(argv[0], "scene") == 0;
    if (scene && argc <= 2) {
        return help_scene(argc == 2 ? argv[1] : NULL);
    }
    if (argc > 1) {
        return cli_usage_error("help", "help takes one command, or scene and a kind");
    }
    if (argc == 0) {
        print_overview();
        return CLI_OK;
    }
    if (strcmp(argv[0], "plot") == 0) {
        cli_help_plot();
        return CLI_OK;
    }
    const CliCommand *command = cli_find_command(argv[0]);
    if (!command && is_kind(argv[0])) {
        return help_scene(argv[0]);
    }
    if (!command) {
        char hint[96];
        return cli_usage_error(NULL, "no help on \"%s\"%s", argv[0],
                               cli_command_hint(argv[0], hint));
    }
    print_usage(command);
    (void)printf("    %s\n\n%s", command->summary, command->help);
    return CLI_OK;
}
