// SPDX-License-Identifier: Apache-2.0
// Every public function with every bad argument: none may crash, hang, or take it for good; what is
// refused leaves its outputs alone. misuse.py writes the calls from the headers.
//
//     misuse            all; the calls of one function run in a process of their own
//     misuse FUNCTION   the calls of one, in this process: for a debugger
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "misuse_calls.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 5 };

/// Shared with the process that makes the calls, so that it is known where it ended.
typedef struct Progress {
    char words[256];
    Expected expected;
    CaromStatus status;
    int failures;
} Progress;

static Progress *now;

void about(const char *words, Expected expected) {
    (void)snprintf(now->words, sizeof now->words, "%s", words);
    now->expected = expected;
    now->status = CAROM_OK;
    (void)alarm(MOST_SECONDS);
}

static void fail(const char *what) {
    printf("%s: %s\n", now->words, what);
    (void)fflush(stdout);
    now->failures++;
}

void weigh(CaromStatus status) {
    now->status = status;
    if (now->expected == REFUSED && status == CAROM_OK) {
        fail("was accepted");
    } else if (now->expected == MUST_PASS && status != CAROM_OK) {
        fail(carom_status_text(status));
    }
}

void answered(void) {
    now->status = CAROM_OK;
}

void untouched(const void *output, size_t size, const char *name) {
    if (now->status == CAROM_OK) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        if (((const unsigned char *)output)[i] != 0xA5) {
            fail(name);
            printf("    was changed by a call that failed\n");
            return;
        }
    }
}

/// Make the calls from one on; does not return.
static void make_calls(const Call *call, int from, volatile int *reached) {
    int count = call->make(1 << 20); // past the last: only counts
    for (int bad = from; bad < count; bad++) {
        *reached = bad;
        call->make(bad);
    }
    *reached = count;
    (void)fflush(stdout);
    _exit(0);
}

static void walk(const Call *call, volatile int *reached) {
    for (int from = -1;;) {
        (void)fflush(stdout);
        *reached = from - 1;
        pid_t child = fork();
        if (child == 0) {
            make_calls(call, from, reached);
        }
        int status = 0;
        (void)waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            return;
        }
        fail(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "crashes");
        if (*reached < from) { // while the good arguments were made
            return;
        }
        from = *reached + 1;
    }
}

int main(int argument_count, char **arguments) {
    size_t size = sizeof *now + sizeof(int);
    now = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (now == MAP_FAILED) {
        return 1;
    }
    volatile int *reached = (volatile int *)(now + 1);
    int functions = 0;
    for (const Call *call = calls; call->function != NULL; call++) {
        if (argument_count > 1 && strcmp(arguments[1], call->function) == 0) {
            make_calls(call, -1, reached);
        } else if (argument_count == 1) {
            walk(call, reached);
            functions++;
        }
    }
    printf("%d functions, %d failures\n", functions, now->failures);
    return now->failures > 0;
}
