// SPDX-License-Identifier: Apache-2.0
// carom help: all commands, or one of them.
#include "command.h"

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
    (void)printf("  carom --version\n"
                 "\n"
                 "Try: carom run icosahedron-tetrahedron\n"
                 "More on a command: carom help run\n"
                 "What can be drawn: carom help plot\n");
}

int cli_help(int argc, char **argv) {
    if (argc > 1) {
        return cli_usage_error("help", "help takes one command");
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
    if (!command) {
        char hint[96];
        return cli_usage_error(NULL, "no help on \"%s\"%s", argv[0],
                               cli_command_hint(argv[0], hint));
    }
    print_usage(command);
    (void)printf("    %s\n\n%s", command->summary, command->help);
    return CLI_OK;
}
