// SPDX-License-Identifier: Apache-2.0
// carom check: validate scenes without solving them.
#include "command.h"

#include <stdio.h>
#include <string.h>

static int check_one(const char *name) {
    CliScene source;
    int code = cli_open_scene(name, &source);
    if (code != CLI_OK) {
        return code;
    }
    code = cli_exit_code(&source, carom_scene_check(source.scene));
    if (code == CLI_OK) {
        (void)printf("%s: ok (%s)\n", source.shown, carom_scene_kind(source.scene));
    }
    cli_close_scene(&source);
    return code;
}

int cli_check(int argc, char **argv) {
    if (argc == 0) {
        return cli_usage_error("check", "check needs a scene");
    }
    int worst = CLI_OK;
    bool options = true;
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
            return cli_unknown_option("check", argv[i], 0, NULL);
        } else {
            int code = check_one(argv[i]);
            worst = code > worst ? code : worst;
        }
    }
    return worst;
}
