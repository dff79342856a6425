// SPDX-License-Identifier: Apache-2.0
// The path of an impact as CSV: one line for each moment, the columns of every contact side by
// side.
#define _XOPEN_SOURCE 700
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Lines -----------------------------------------------------------------------------------

static void write_heading(FILE *file, int contact_count) {
    static const char *const columns[] = {
        "impulse_x",  "impulse_y",     "impulse_z",     "velocity_x", "velocity_y",
        "velocity_z", "strain_energy", "friction_loss", "phase",      "mode"};
    (void)fputs("parameter,event,contact", file);
    for (int i = 0; i < contact_count; i++) {
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
            (void)fprintf(file, ",%s_%d", columns[j], i);
        }
    }
    (void)fputc('\n', file);
}

static void write_moment(FILE *file, const CaromImpactMoment *moment) {
    static const char *const phases[] = {"asleep", "compression", "restitution"};
    static const char *const modes[] = {"frictionless", "slip", "stick"};
    (void)fprintf(file, "%.17g,%s,", moment->parameter, carom_event_text(moment->kind));
    if (moment->contact >= 0) {
        (void)fprintf(file, "%d", moment->contact);
    }
    for (int i = 0; i < moment->contact_count; i++) {
        const CaromContactState *c = &moment->contacts[i];
        (void)fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s,%s", c->impulse.x,
                      c->impulse.y, c->impulse.z, c->velocity.x, c->velocity.y, c->velocity.z,
                      c->strain_energy, c->friction_loss, phases[c->phase], modes[c->mode]);
    }
    (void)fputc('\n', file);
}

static bool write_path(FILE *file, const CaromImpactSolution *solution) {
    write_heading(file, solution->scene->problem.contact_count);
    for (int i = 0; i < carom_record_count(solution->record); i++) {
        CaromImpactMoment moment = carom_record_moment(solution->record, i);
        write_moment(file, &moment);
    }
    bool written = fflush(file) == 0 && !ferror(file);
    return fclose(file) == 0 && written;
}

// ---- The file --------------------------------------------------------------------------------

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
static bool replace_file(const CaromImpactSolution *solution, const char *path) {
    char *temporary = NULL;
    FILE *file = open_beside(path, &temporary);
    bool written = false;
    if (file) {
        written = write_path(file, solution) && rename(temporary, path) == 0;
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
static bool write_into(const CaromImpactSolution *solution, const char *path) {
    FILE *file = fopen(path, "w");
    return file && write_path(file, solution);
}

int cli_trace_impact(const CaromImpactSolution *solution, const char *path) {
    struct stat about;
    bool exists = stat(path, &about) == 0;
    bool written;
    if (exists && !S_ISREG(about.st_mode)) {
        written = write_into(solution, path);
    } else {
        char *real = exists ? realpath(path, NULL) : NULL; // keep a link a link
        written = replace_file(solution, real ? real : path);
        free(real);
    }
    if (!written) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return CLI_NOT_SOLVED;
    }
    return CLI_OK;
}
