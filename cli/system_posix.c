// SPDX-License-Identifier: Apache-2.0
// The command on a POSIX system: a handler that cleans up, limits that are kept, files that stay
// apart.
#define _XOPEN_SOURCE 700
#include "system.h"

#include <errno.h>
#include <fcntl.h>
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
static char *volatile unfinished; ///< name of a file that is not whole yet, or NULL
static volatile sig_atomic_t bar; ///< a bar stands on the terminal

/// Only calls that are safe in a handler. It is reset by now, so that the signal is deadly.
static void clean_up(int signal) {
    if (unfinished) {
        (void)unlink(unfinished);
    }
    if (bar) {
        static const char wipe[] = "\r\033[K";
        ssize_t ignored = write(STDERR_FILENO, wipe, sizeof wipe - 1);
        (void)ignored;
    }
    (void)raise(signal);
}

static void watch_signals(void) {
    struct sigaction last = {.sa_handler = clean_up, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&last.sa_mask);
    (void)sigemptyset(&ignore.sa_mask);
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

/// Letters that no other file beside this one ends in.
static void put_letters(char *at, unsigned long long number) {
    for (int i = 0; i < CLI_UNFINISHED_LETTERS; i++, number /= 26) {
        at[i] = (char)('a' + number % 26);
    }
}

// The handler knows the name before there is a file: a signal may come at any moment. It comes to
// this thread, where the libraries have others, as long as it is not blocked here.
int cli_open_unfinished(char *name) {
    enum { TRIES = 100 };
    char *letters = name + strlen(name) - CLI_UNFINISHED_LETTERS;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long number =
        (unsigned long long)now.tv_nsec * 1000003u + (unsigned long long)getpid();
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        put_letters(letters, number + (unsigned long long)i);
        unfinished = name;
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0) {
            unfinished = NULL; // it is another's, or there is none
            if (errno != EEXIST) {
                break;
            }
        }
    }
    return descriptor;
}

void cli_file_finished(void) {
    unfinished = NULL;
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
static void keep_standard_files(void) {
    int descriptor = 0;
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

bool cli_is_lost_link(const char *path) {
    struct stat about;
    return stat(path, &about) != 0 && lstat(path, &about) == 0;
}

double cli_seconds(void) {
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
