// SPDX-License-Identifier: Apache-2.0
// carom show: a built-in scene's JSON as it was written.
#include "command.h"
#include "examples.h"

#include <stdio.h>

int cli_show(int argc, char **argv) {
    if (argc != 1) {
        return cli_usage_error("show", "show takes the name of one built-in scene");
    }
    if (argv[0][0] == '-') {
        return cli_unknown_option("show", argv[0], 0, NULL);
    }
    const CliExample *example = cli_find_example(argv[0]);
    if (!example) {
        char hint[96];
        return cli_usage_error("show", "no built-in scene named \"%s\"%s", argv[0],
                               cli_example_hint(argv[0], hint));
    }
    (void)fputs(example->text, stdout);
    return CLI_OK;
}
