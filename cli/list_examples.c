// SPDX-License-Identifier: Apache-2.0
// carom examples: the built-in scenes, one line each.
#include "command.h"
#include "examples.h"

#include <stdio.h>
#include <string.h>

static int longest_name(void) {
    int longest = 0;
    for (int i = 0; i < cli_example_count; i++) {
        int length = (int)strlen(cli_examples[i].name);
        longest = length > longest ? length : longest;
    }
    return longest;
}

int cli_list_examples(int argc, char **argv) {
    if (argc > 0) {
        return cli_usage_error("examples", "examples takes no arguments, got %s", argv[0]);
    }
    int width = longest_name(), worst = CLI_OK;
    for (int i = 0; i < cli_example_count; i++) {
        CliScene source;
        int code = cli_open_scene(cli_examples[i].name, &source);
        if (code == CLI_OK) {
            code = cli_exit_code(&source, carom_scene_check(source.scene));
            if (code == CLI_OK) {
                (void)printf("%-*s  %-9s %s\n", width, cli_examples[i].name,
                             carom_scene_kind(source.scene), carom_scene_title(source.scene));
            }
            cli_close_scene(&source);
        }
        worst = code > worst ? code : worst;
    }
    return worst;
}
