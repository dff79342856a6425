// SPDX-License-Identifier: Apache-2.0
// Files the command leaves behind: written whole or not at all.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// What goes into a file: what `write` makes of a solution, or bytes that are there.
typedef struct Content {
    CliWriteFn *write;
    const CaromSolution *solution;
    const void *bytes;
    size_t size;
} Content;

static bool content_lost;

void cli_content_lost(void) {
    content_lost = true;
}

/// Fill and close; false with errno where a byte is lost.
static bool fill(FILE *file, const Content *content) {
    content_lost = false;
    if (content->write) {
        content->write(file, content->solution);
    } else {
        (void)fwrite(content->bytes, 1, content->size, file);
    }
    errno = content_lost ? EIO : errno;
    bool written = !content_lost && fflush(file) == 0 && !ferror(file) && cli_reaches_disk(file);
    return fclose(file) == 0 && written;
}

/// A temporary file beside `path`.
static FILE *open_beside(const char *path, char **temporary) {
    size_t size = strlen(path) + 8;
    *temporary = malloc(size);
    if (!*temporary) {
        return NULL;
    }
    (void)snprintf(*temporary, size, "%s.XXXXXX", path);
    int descriptor = cli_open_unfinished(*temporary);
    if (descriptor < 0) {
        return NULL;
    }
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        (void)close(descriptor);
        (void)unlink(*temporary);
        cli_file_finished(*temporary);
    }
    return file;
}

/// A file that is whole but has not its own name yet.
typedef struct Pending {
    char *temporary, *path;
    bool replaces; ///< another file, which is there until then
    bool named;
} Pending;

static struct {
    Pending *files;
    int count, room;
} pending;

static bool make_room(void) {
    if (pending.count < pending.room) {
        return true;
    }
    int room = pending.room > 0 ? 2 * pending.room : 16;
    Pending *larger = realloc(pending.files, (size_t)room * sizeof *larger);
    if (larger) {
        pending.files = larger;
        pending.room = room;
    }
    return larger != NULL;
}

/// Written whole under another name, which it changes in cli_finish_files: the file is never half
/// there. `before` is what it replaces, or NULL: others may read the new file if they might read
/// the old one.
static bool prepare_file(const char *path, const struct stat *before, const Content *content) {
    char *temporary = NULL, *copy = strdup(path);
    FILE *file = copy && make_room() ? open_beside(path, &temporary) : NULL;
    bool written = false;
    if (file) {
        bool same_mode = !before || cli_take_mode(file, before);
        written = fill(file, content) && same_mode;
        if (!written) {
            int reason = errno;
            (void)unlink(temporary);
            cli_file_finished(temporary);
            errno = reason;
        }
    }
    if (written) {
        Pending *next = &pending.files[pending.count++];
        *next = (Pending){.replaces = before != NULL};
        next->temporary = temporary;
        next->path = copy;
    } else {
        int reason = errno;
        free(temporary);
        free(copy);
        errno = reason;
    }
    return written;
}

/// A pipe or a device has no other name: write into it.
static bool write_into(const char *path, const Content *content) {
    FILE *file = fopen(path, "wb");
    return file && fill(file, content);
}

/// A file that is there already, perhaps at the end of a link, which stays a link.
static bool replace_existing(const char *path, const struct stat *about, const Content *content) {
    if (access(path, W_OK) != 0) { // renaming would not ask
        return false;
    }
    char *real = cli_real_path(path);
    bool written = real && prepare_file(real, about, content);
    free(real);
    return written;
}

static bool write_to(const char *path, const Content *content) {
    struct stat about;
    if (stat(path, &about) == 0) {
        return (S_ISREG(about.st_mode) ? replace_existing(path, &about, content)
                                       : write_into(path, content));
    }
    if (cli_is_lost_link(path)) {
        errno = ENOENT;
        return false;
    }
    return prepare_file(path, NULL, content);
}

// ---- Before the work -------------------------------------------------------------------------

/// The folder of a file that is not there yet; from malloc, NULL without memory.
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, slash ? path : ".", length);
        folder[length] = '\0';
    }
    return folder;
}

static bool could_write(const char *path) {
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            errno = EISDIR;
            return false;
        }
        return access(path, W_OK) == 0;
    }
    bool is_new = errno == ENOENT && !cli_is_lost_link(path);
    char *folder = is_new ? folder_of(path) : NULL;
    bool open = folder && access(folder, W_OK | X_OK) == 0;
    free(folder);
    return open;
}

int cli_check_writable(const char *path) {
    if (path && !could_write(path)) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return CLI_NOT_SOLVED;
    }
    return CLI_OK;
}

// ---- The files -------------------------------------------------------------------------------

static int write_file(const char *path, const Content *content) {
    if (!write_to(path, content)) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return CLI_NOT_SOLVED;
    }
    return CLI_OK;
}

int cli_write_file(const char *path, CliWriteFn *write, const CaromSolution *solution) {
    return write_file(path, &(Content){.write = write, .solution = solution});
}

int cli_write_bytes(const char *path, const void *bytes, size_t size) {
    return write_file(path, &(Content){.bytes = bytes, .size = size});
}

int cli_file_mark(void) {
    return pending.count;
}

void cli_drop_files(int mark) {
    while (pending.count > mark) {
        Pending *file = &pending.files[--pending.count];
        if (!file->named) {
            (void)unlink(file->temporary);
        } else if (!file->replaces) {
            (void)unlink(file->path);
        }
        cli_file_finished(file->temporary);
        free(file->temporary);
        free(file->path);
    }
}

// Names change quickly: nothing is written any more.
int cli_finish_files(void) {
    int code = CLI_OK;
    cli_hold_signals();
    for (int i = 0; i < pending.count && code == CLI_OK; i++) {
        Pending *file = &pending.files[i];
        file->named = cli_rename(file->temporary, file->path);
        if (!file->named) {
            cli_error("%s: cannot write: %s", file->path, strerror(errno));
            code = CLI_NOT_SOLVED;
        }
    }
    if (code == CLI_OK) {
        for (int i = 0; i < pending.count; i++) {
            pending.files[i].replaces = true; // they stay
        }
    }
    cli_drop_files(0);
    free(pending.files);
    pending.files = NULL;
    pending.room = 0;
    cli_release_signals();
    return code;
}

/// As people call it.
static const char *show(const char *path) {
    return strcmp(path, "-") == 0   ? "standard input"
           : strcmp(path, ">") == 0 ? "standard output"
                                    : path;
}

int cli_check_files(const char *command, int input_count, const char *const *inputs,
                    int output_count, const char *const *outputs) {
    for (int i = 0; i < output_count; i++) {
        for (int k = 0; k < i; k++) {
            if (cli_same_file(outputs[i], outputs[k])) {
                return cli_usage_error(command, "two outputs go to the same file: %s and %s",
                                       show(outputs[k]), show(outputs[i]));
            }
        }
        for (int k = 0; k < input_count; k++) {
            if (cli_same_file(outputs[i], inputs[k])) {
                return cli_usage_error(command, "%s would be written and is also read, as %s",
                                       show(outputs[i]), show(inputs[k]));
            }
        }
    }
    return CLI_OK;
}
