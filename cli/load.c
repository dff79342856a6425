// SPDX-License-Identifier: Apache-2.0
// Loading scenes: files, standard input and built-in scenes.
#include "command.h"
#include "examples.h"
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Reading ---------------------------------------------------------------------------------

/// All of a stream (from malloc), of a longer one more than `most` bytes. NULL with errno set.
static char *read_all(FILE *file, size_t most, size_t *length) {
    size_t size = 1 << 16, used = 0;
    char *text = malloc(size);
    while (text) {
        used += fread(text + used, 1, size - used, file);
        if (used < size || used > most) {
            break;
        }
        size *= 2;
        char *more = realloc(text, size);
        if (!more) {
            free(text);
        }
        text = more;
    }
    if (text && ferror(file)) {
        int reason = errno;
        free(text);
        errno = reason;
        return NULL;
    }
    *length = used;
    return text;
}

char *cli_read_file(const char *path, size_t most, size_t *length) {
    if (strcmp(path, "-") == 0) {
        return read_all(stdin, most, length);
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    char *text = read_all(file, most, length);
    int reason = errno;
    (void)fclose(file);
    errno = reason;
    return text;
}

// ---- Which scene is meant --------------------------------------------------------------------

const CliExample *cli_find_example(const char *name) {
    for (int i = 0; i < cli_example_count; i++) {
        if (strcmp(cli_examples[i].name, name) == 0) {
            return &cli_examples[i];
        }
    }
    return NULL;
}

const char *cli_example_hint(const char *name, char buffer[96]) {
    const char **names = malloc(sizeof *names * (size_t)(cli_example_count + 1));
    buffer[0] = '\0';
    if (names) {
        for (int i = 0; i < cli_example_count; i++) {
            names[i] = cli_examples[i].name;
        }
        cli_hint(name, cli_example_count, names, buffer);
    }
    free(names);
    return buffer;
}

static bool looks_like_file(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

/// A name that is no built-in scene and cannot be read as a file. What is there but is no scene is
/// a bad scene; what is not there is bad usage.
static int cannot_load(const char *name) {
    if (errno != ENOENT || looks_like_file(name)) {
        int code = errno == ENOENT ? CLI_USAGE : CLI_BAD_SCENE;
        cli_error("%s: cannot read: %s", name, strerror(errno));
        return code;
    }
    char hint[96];
    cli_error("no file or built-in scene named \"%s\"%s", name, cli_example_hint(name, hint));
    return CLI_USAGE;
}

static void log_message(void *user, const char *message) {
    CliScene *source = user;
    cli_progress_end(&source->progress);
    cli_error("%s: %s", source->shown, message);
}

static void show_progress(void *user, double share) {
    CliScene *source = user;
    cli_progress_show(&source->progress, share);
}

static const char *find_text(void *user, const char *name) {
    (void)user;
    const CliExample *example = cli_find_example(name);
    return example ? example->text : NULL;
}

static int parse(const char *text, size_t length, CliScene *source) {
    CaromHost host = {.log = log_message, .progress = show_progress, .user = source};
    CaromStatus status = carom_scene_parse(text, length, &host, &source->scene);
    if (status == CAROM_OK) {
        carom_scene_set_finder(source->scene, find_text, NULL);
    }
    return cli_exit_code(source, status);
}

/// Files that a scene names are seen from where it lies.
static int set_folder(const char *path, CliScene *source) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return CLI_OK;
    }
    size_t length = (size_t)(slash - path) + 1;
    char *folder = malloc(length + 1);
    CaromStatus status = CAROM_NO_MEMORY;
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
        status = carom_scene_set_folder(source->scene, folder);
    }
    free(folder);
    return cli_exit_code(source, status);
}

int cli_open_scene(const char *name, CliScene *source) {
    const CliExample *example = cli_find_example(name);
    *source = (CliScene){.shown = name};
    if (example) {
        return parse(example->text, strlen(example->text), source);
    }
    size_t length = 0;
    bool standard = strcmp(name, "-") == 0;
    source->shown = standard ? "standard input" : name;
    if (standard && cli_input_is_closed()) {
        cli_error("standard input is closed: there is no scene to read");
        return CLI_USAGE;
    }
    char *text = cli_read_file(name, CAROM_SCENE_MAX_BYTES, &length);
    if (!text) {
        return cannot_load(source->shown);
    }
    if (length > CAROM_SCENE_MAX_BYTES) { // what was read is not all of it
        cli_error("%s: larger than %u bytes, the limit of a scene", source->shown,
                  CAROM_SCENE_MAX_BYTES);
        free(text);
        return CLI_BAD_SCENE;
    }
    int code = parse(text, length, source);
    free(text);
    if (code == CLI_OK && strcmp(name, "-") != 0) {
        code = set_folder(name, source);
        if (code != CLI_OK) {
            cli_close_scene(source);
        }
    }
    return code;
}

void cli_close_scene(CliScene *source) {
    carom_scene_destroy(source->scene);
    source->scene = NULL;
}

int cli_exit_code(const CliScene *source, CaromStatus status) {
    switch (status) {
    case CAROM_OK:
        return CLI_OK;
    case CAROM_BAD_ARGUMENT:
        return CLI_USAGE;
    case CAROM_BAD_DATA:
    case CAROM_OVER_LIMIT:
        return CLI_BAD_SCENE;
    case CAROM_UNSUPPORTED:
    case CAROM_IO_ERROR:
        return CLI_NOT_SOLVED; // who found out said why
    default:
        cli_error("%s: %s", source->shown, carom_status_text(status));
        return CLI_NOT_SOLVED;
    }
}
