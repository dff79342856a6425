// SPDX-License-Identifier: Apache-2.0
// Files the command leaves behind: written whole or not at all.
#define _XOPEN_SOURCE 700
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Fill and close; false with errno where a byte is lost.
static bool fill(FILE *file, CliWriteFn *write, const CaromSolution *solution) {
    write(file, solution);
    bool written = fflush(file) == 0 && !ferror(file);
    return fclose(file) == 0 && written;
}

/// A temporary file beside `path`, readable by whom a plain new file would be.
static FILE *open_beside(const char *path, char **temporary) {
    size_t size = strlen(path) + 8;
    *temporary = malloc(size);
    if (!*temporary) {
        return NULL;
    }
    (void)snprintf(*temporary, size, "%s.XXXXXX", path);
    int descriptor = mkstemp(*temporary);
    if (descriptor < 0) {
        return NULL;
    }
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        (void)close(descriptor);
        (void)unlink(*temporary);
    }
    return file;
}

/// Written whole under another name, then renamed: the file is never half there.
static bool replace_file(const char *path, CliWriteFn *write, const CaromSolution *solution) {
    char *temporary = NULL;
    FILE *file = open_beside(path, &temporary);
    bool written = false;
    if (file) {
        written = fill(file, write, solution) && rename(temporary, path) == 0;
        if (!written) {
            int reason = errno;
            (void)unlink(temporary);
            errno = reason;
        }
    }
    free(temporary);
    return written;
}

/// A pipe or a device has no other name: write into it.
static bool write_into(const char *path, CliWriteFn *write, const CaromSolution *solution) {
    FILE *file = fopen(path, "w");
    return file && fill(file, write, solution);
}

int cli_write_file(const char *path, CliWriteFn *write, const CaromSolution *solution) {
    struct stat about;
    bool exists = stat(path, &about) == 0;
    bool written;
    if (exists && !S_ISREG(about.st_mode)) {
        written = write_into(path, write, solution);
    } else {
        char *real = exists ? realpath(path, NULL) : NULL; // keep a link a link
        written = replace_file(real ? real : path, write, solution);
        free(real);
    }
    if (!written) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return CLI_NOT_SOLVED;
    }
    return CLI_OK;
}
