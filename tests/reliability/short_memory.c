// SPDX-License-Identifier: Apache-2.0
// Loaded before a command (LD_PRELOAD), it refuses memory to the whole process, our code and all
// libraries alike, from the n-th request after the start of main: SHORT_MEMORY=n.
// SHORT_MEMORY_COUNT=FILE has the number of requests written there at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library's own names, under which it still answers.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

typedef int MainFn(int, char **, char **);
typedef int StartFn(MainFn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
int __libc_start_main(MainFn *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

static bool counting;
static long requests, fails_from;
static MainFn *real_main;

static bool refuses(void) {
    requests += counting;
    bool none = counting && fails_from > 0 && requests >= fails_from;
    errno = none ? ENOMEM : errno;
    return none;
}

void *malloc(size_t size) {
    return refuses() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size) {
    return refuses() ? NULL : __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size) {
    return refuses() ? NULL : __libc_realloc(ptr, size);
}

static int counted_main(int argc, char **argv, char **environment) {
    const char *from = getenv("SHORT_MEMORY");
    fails_from = from ? atol(from) : 0;
    counting = true;
    return real_main(argc, argv, environment);
}

// The end of the command, which does not return from main (cli/system_posix.c).
void _exit(int status) {
    const char *path = getenv("SHORT_MEMORY_COUNT");
    counting = false;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        (void)fprintf(file, "%ld\n", requests);
        (void)fclose(file);
    }
    for (;;) {
        (void)syscall(SYS_exit_group, status);
    }
}

// The start of every program: lets it start with a main that counts.
int __libc_start_main(MainFn *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    StartFn *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
