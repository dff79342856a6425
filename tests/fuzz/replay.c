// SPDX-License-Identifier: Apache-2.0
// Hands files to a fuzz target without libFuzzer: replay FILE|FOLDER...
// A crash, a leak or a broken law stops it; so does an input that takes more than a second.
#define _XOPEN_SOURCE 700
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct Replay {
    int inputs, failures;
    double slowest; ///< seconds of the processor
    char slowest_name[512];
} Replay;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// All of a file in a block of just its size, so that a sanitizer sees a step beyond it.
static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    *size = (size_t)about.st_size;
    uint8_t *data = malloc(*size > 0 ? *size : 1);
    if (data == NULL || fread(data, 1, *size, file) != *size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    (void)fclose(file);
    return data;
}

static void replay_file(Replay *replay, const char *path) {
    size_t size;
    uint8_t *data = read_file(path, &size);
    double start = seconds();
    (void)LLVMFuzzerTestOneInput(data, size);
    double elapsed = seconds() - start;
    free(data);
    replay->inputs++;
    if (elapsed > replay->slowest) {
        replay->slowest = elapsed;
        (void)snprintf(replay->slowest_name, sizeof replay->slowest_name, "%s", path);
    }
    if (elapsed > 1) {
        printf("%s: %.1f s\n", path, elapsed);
        replay->failures++;
    }
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void replay_folder(Replay *replay, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char path[512];
        struct stat about;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
            replay_file(replay, path);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

int main(int argc, char **argv) {
    Replay replay = {0};
    for (int i = 1; i < argc; i++) {
        struct stat about;
        bool folder = stat(argv[i], &about) == 0 && S_ISDIR(about.st_mode);
        (folder ? replay_folder : replay_file)(&replay, argv[i]);
    }
    printf("%d inputs, the slowest %.0f ms: %s\n", replay.inputs, 1e3 * replay.slowest,
           replay.slowest_name);
    printf("%d passed, %d failed\n", replay.inputs - replay.failures, replay.failures);
    return replay.failures > 0 || replay.inputs == 0;
}
