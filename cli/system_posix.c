// SPDX-License-Identifier: Apache-2.0
// The command on a POSIX system: a handler that cleans up, limits that are kept, files that stay
// apart.
#define _XOPEN_SOURCE 700
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// ---- Signals ---------------------------------------------------------------------------------

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { DEADLY = sizeof deadly / sizeof *deadly };

// A handler gets nothing but the number of the signal, so what it needs is kept here.
static char *volatile *volatile unfinished; ///< names of files that are not whole yet, or NULL
static volatile sig_atomic_t unfinished_count;
static int unfinished_room;
static volatile sig_atomic_t held;    ///< files get their last names now
static volatile sig_atomic_t waiting; ///< the signal that came meanwhile, or 0
static volatile sig_atomic_t bar;     ///< a bar stands on the terminal
static pthread_t main_thread;

/// Only calls that are safe in a handler.
static void clean_up(int number) {
    // A library's thread may get the signal while this one is about to name the files.
    if (!pthread_equal(pthread_self(), main_thread)) {
        (void)pthread_kill(main_thread, number);
        return;
    }
    if (held) {
        waiting = number;
        return;
    }
    for (int i = 0; i < unfinished_count; i++) {
        if (unfinished[i]) {
            (void)unlink(unfinished[i]);
        }
    }
    if (bar) {
        static const char wipe[] = "\r\033[K";
        ssize_t ignored = write(STDERR_FILENO, wipe, sizeof wipe - 1);
        (void)ignored;
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void cli_hold_signals(void) {
    held = 1;
}

void cli_release_signals(void) {
    held = 0;
    if (waiting) {
        clean_up(waiting);
    }
}

static void watch_signals(void) {
    struct sigaction last = {.sa_handler = clean_up};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    main_thread = pthread_self();
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigemptyset(&last.sa_mask);
    for (int i = 0; i < DEADLY; i++) {
        (void)sigaddset(&last.sa_mask, deadly[i]); // one cleaning at a time
    }
    for (int i = 0; i < DEADLY; i++) {
        struct sigaction before;
        // nohup has it ignored: leave it so.
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(deadly[i], &last, NULL);
        }
    }
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
}

/// Room for one more name. The handler sees the old list or the new one, never half of it.
static bool make_room(void) {
    if (unfinished_count < unfinished_room) {
        return true;
    }
    int room = unfinished_room > 0 ? 2 * unfinished_room : 64;
    char **larger = calloc((size_t)room, sizeof *larger);
    if (!larger) {
        return false;
    }
    for (int i = 0; i < unfinished_count; i++) {
        larger[i] = unfinished[i];
    }
    void *before = (void *)unfinished;
    unfinished = larger;
    unfinished_room = room;
    free(before);
    return true;
}

/// Letters that no other file beside this one ends in.
static void put_letters(char *at, unsigned long long number) {
    for (int i = 0; i < CLI_UNFINISHED_LETTERS; i++, number /= 26) {
        at[i] = (char)('a' + number % 26);
    }
}

// The handler knows the name before there is a file: a signal may come at any moment.
int cli_open_unfinished(char *name) {
    enum { TRIES = 100 };
    char *letters = name + strlen(name) - CLI_UNFINISHED_LETTERS;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long number =
        (unsigned long long)now.tv_nsec * 1000003u + (unsigned long long)getpid();
    int descriptor = -1;
    if (!make_room()) {
        errno = ENOMEM;
        return -1;
    }
    int last = unfinished_count;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        put_letters(letters, number + (unsigned long long)i);
        unfinished[last] = name;
        unfinished_count = last + 1;
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0) {
            unfinished_count = last; // it is another's, or there is none
            if (errno != EEXIST) {
                break;
            }
        }
    }
    return descriptor;
}

void cli_file_finished(const char *name) {
    for (int i = 0; i < unfinished_count; i++) {
        if (unfinished[i] == name) {
            unfinished[i] = NULL;
        }
    }
    while (unfinished_count > 0 && !unfinished[unfinished_count - 1]) {
        unfinished_count--;
    }
}

void cli_bar_stands(bool stands) {
    bar = stands;
}

// ---- Limits ----------------------------------------------------------------------------------

/// Whoever asks for too much is refused, instead of being granted pages that are not there. The
/// sanitizers take terabytes of addresses, and are let.
static void limit_memory(void) {
#if !defined(SANITIZED) && defined(_SC_PHYS_PAGES)
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (pages > 0 && page > 0 && getrlimit(RLIMIT_DATA, &limit) == 0) {
        rlim_t most = (rlim_t)pages / 4 * 3 * (rlim_t)page;
        limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}

/// A descriptor that can only be read stands in for each that is closed: writing to it fails.
static bool closed_input;

bool cli_input_is_closed(void) {
    return closed_input;
}

static void keep_standard_files(void) {
    int descriptor = 0;
    closed_input = fcntl(STDIN_FILENO, F_GETFD) == -1;
    while (descriptor >= 0 && descriptor <= STDERR_FILENO) {
        descriptor = open("/dev/null", O_RDONLY);
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
}

void cli_start_process(void) {
    keep_standard_files();
    watch_signals();
    limit_memory();
}

// OpenBLAS, which METIS brings along, starts threads before main and joins them on exit. With few
// addresses left one of them asks for more again and again, and would never be joined.
int cli_end_process(int code) {
#ifdef SANITIZED
    return code; // leaks are looked for on exit
#else
    _exit(code);
#endif
}

// ---- Files -----------------------------------------------------------------------------------

bool cli_reaches_disk(FILE *file) {
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

bool cli_take_mode(FILE *file, const struct stat *other) {
    return fchmod(fileno(file), other->st_mode & 0777u) == 0;
}

bool cli_rename(const char *from, const char *to) {
    return rename(from, to) == 0;
}

char *cli_real_path(const char *path) {
    return realpath(path, NULL);
}

/// What a path leads to; "-" and ">" are the standard files.
static bool look(const char *path, struct stat *about) {
    if (strcmp(path, "-") == 0 || strcmp(path, ">") == 0) {
        return fstat(path[0] == '-' ? STDIN_FILENO : STDOUT_FILENO, about) == 0;
    }
    return stat(path, about) == 0;
}

/// Both are not there yet: the same name in the same folder.
static bool would_be_same(const char *a, const char *b) {
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) {
        return false;
    }
    char *folder_a = slash_a ? strndup(a, (size_t)(slash_a - a) + 1) : strdup(".");
    char *folder_b = slash_b ? strndup(b, (size_t)(slash_b - b) + 1) : strdup(".");
    struct stat at_a, at_b;
    bool same = folder_a && folder_b && stat(folder_a, &at_a) == 0 && stat(folder_b, &at_b) == 0 &&
                at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

bool cli_same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    if (!a || !b) {
        return false;
    }
    bool there_a = look(a, &at_a), there_b = look(b, &at_b);
    if (there_a && there_b) { // pipes and devices may be read and written at once
        return S_ISREG(at_a.st_mode) && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
    }
    return !there_a && !there_b && would_be_same(a, b);
}

bool cli_is_lost_link(const char *path) {
    struct stat about;
    return stat(path, &about) != 0 && lstat(path, &about) == 0;
}

double cli_seconds(void) {
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
