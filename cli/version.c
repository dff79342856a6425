// SPDX-License-Identifier: Apache-2.0
// carom version: which Carom this is, and whether it has the same digits as another.
#include "command.h"
#include "examples.h"
#include "sha256.h"

#include <stdio.h>
#include <string.h>

/// Soft objects, fits and ensembles are left out of the hash: not every build has them, and
/// libraries that others compile serve them.
static bool is_hashed(const char *kind) {
    return strcmp(kind, "soft") != 0 && strcmp(kind, "fit") != 0 && strcmp(kind, "ensemble") != 0;
}

/// Add NAME, a new line, what `carom run NAME --json` prints, if it is hashed. Returns an exit
/// code.
static int add_result(const char *name, CliSha256 *hash, int *count) {
    CliScene source;
    CaromSolution *solution = NULL;
    char *json = NULL;
    int code = cli_open_scene(name, &source);
    if (code != CLI_OK) {
        return code;
    }
    code = cli_exit_code(&source, carom_scene_check(source.scene));
    if (code == CLI_OK && is_hashed(carom_scene_kind(source.scene))) {
        CaromStatus status = carom_scene_solve(source.scene, 0, &solution);
        cli_progress_end(&source.progress);
        code = cli_exit_code(&source, status);
    }
    if (solution && code == CLI_OK) {
        json = carom_solution_json(solution);
        code = cli_exit_code(&source, json ? CAROM_OK : CAROM_NO_MEMORY);
    }
    if (json) {
        const char *parts[] = {name, "\n", json, "\n"};
        for (int i = 0; i < 4; i++) {
            cli_sha256_add(hash, parts[i], strlen(parts[i]));
        }
        ++*count;
    }
    carom_string_destroy(json);
    carom_solution_destroy(solution);
    cli_close_scene(&source);
    return code;
}

static int print_hash(void) {
    CliSha256 hash;
    cli_sha256_init(&hash);
    int count = 0;
    for (int i = 0; i < cli_example_count; i++) {
        int code = add_result(cli_examples[i].name, &hash, &count);
        if (code != CLI_OK) {
            return code;
        }
    }
    char digits[65];
    cli_sha256_end(&hash, digits);
    (void)printf("%s  %d scenes\n", digits, count);
    return CLI_OK;
}

int cli_version(int argc, char **argv) {
    if (argc == 1 && strcmp(argv[0], "--hash") == 0) {
        return print_hash();
    }
    if (argc > 0) {
        const char *const options[] = {"hash", "help"};
        return argv[0][0] == '-' && argc == 1
                   ? cli_unknown_option("version", argv[0], 2, options)
                   : cli_usage_error("version", "version takes --hash only, got %s",
                                     argv[argc > 1 && strcmp(argv[0], "--hash") == 0]);
    }
    (void)printf("carom %s\n", carom_version());
    return CLI_OK;
}
