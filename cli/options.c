// SPDX-License-Identifier: Apache-2.0
// Options that several commands have.
#include "command.h"

#include <string.h>

bool cli_option_value(const char *name, int argc, char **argv, int *i, char **value) {
    static char none[1];
    size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0) {
        return false;
    }
    char *rest = argv[*i] + length;
    if (*rest == '=') {
        *value = rest + 1;
    } else if (*rest == '\0') {
        *value = *i + 1 < argc ? argv[++*i] : none;
    }
    return *rest == '=' || *rest == '\0';
}

int cli_apply_sets(int count, char **sets, CliScene *source) {
    int code = CLI_OK;
    for (int i = 0; i < count; i++) {
        char *sign = strchr(sets[i], '=');
        *sign = '\0';
        CaromStatus status = carom_scene_set(source->scene, sets[i], sign + 1);
        *sign = '=';
        code = status == CAROM_OK ? code : cli_exit_code(source, status);
    }
    return code;
}
