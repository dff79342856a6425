// SPDX-License-Identifier: Apache-2.0
// The command on Windows (mingw-w64): the same promises as far as the system can keep them. A
// break leaves no unfinished file; there is no limit of memory but that of the system.
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// ---- The process -----------------------------------------------------------------------------

// A handler gets nothing but the number of the event, so what it needs is kept here.
enum { MOST_UNFINISHED = 65536 };
static char *volatile unfinished[MOST_UNFINISHED]; ///< files that are not whole yet, or NULL
static volatile int unfinished_count;
static volatile LONG held; ///< files get their last names now

/// Runs in a thread of its own.
static BOOL WINAPI clean_up(DWORD event) {
    (void)event;
    while (held) {
        Sleep(1);
    }
    for (int i = 0; i < unfinished_count; i++) {
        if (unfinished[i]) {
            (void)_unlink(unfinished[i]);
        }
    }
    return FALSE; // go on to the end of the process
}

void cli_hold_signals(void) {
    held = 1;
}

void cli_release_signals(void) {
    held = 0;
}

/// Reports are coloured on consoles that know how; text is UTF-8.
static void set_console(DWORD which) {
    HANDLE console = GetStdHandle(which);
    DWORD mode = 0;
    if (GetConsoleMode(console, &mode)) {
        (void)SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
}

void cli_start_process(void) {
    (void)SetConsoleCtrlHandler(clean_up, TRUE);
    (void)SetConsoleOutputCP(CP_UTF8);
    set_console(STD_OUTPUT_HANDLE);
    set_console(STD_ERROR_HANDLE);
    // The same bytes as on other systems: lines end in a line feed.
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
}

bool cli_input_is_closed(void) {
    return _fileno(stdin) < 0;
}

int cli_end_process(int code) {
    return code;
}

void cli_bar_stands(bool stands) {
    (void)stands;
}

double cli_seconds(void) {
    LARGE_INTEGER count, rate;
    (void)QueryPerformanceCounter(&count);
    (void)QueryPerformanceFrequency(&rate);
    return (double)count.QuadPart / (double)rate.QuadPart;
}

// ---- Files -----------------------------------------------------------------------------------

int cli_open_unfinished(char *name) {
    enum { TRIES = 100 };
    char *letters = name + strlen(name) - CLI_UNFINISHED_LETTERS;
    unsigned long long number = GetTickCount64() * 1000003u + GetCurrentProcessId();
    int descriptor = -1, last = unfinished_count;
    if (last == MOST_UNFINISHED) {
        errno = ENFILE;
        return -1;
    }
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        unsigned long long left = number + (unsigned long long)i;
        for (int k = 0; k < CLI_UNFINISHED_LETTERS; k++, left /= 26) {
            letters[k] = (char)('a' + left % 26);
        }
        unfinished[last] = name;
        unfinished_count = last + 1;
        descriptor = _open(name, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
        if (descriptor < 0) {
            unfinished_count = last;
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

bool cli_same_file(const char *a, const char *b) {
    if (!a || !b || strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || strcmp(a, ">") == 0 ||
        strcmp(b, ">") == 0) {
        return false;
    }
    char *real_a = _fullpath(NULL, a, 0), *real_b = _fullpath(NULL, b, 0);
    bool same = real_a && real_b && _stricmp(real_a, real_b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

bool cli_reaches_disk(FILE *file) {
    return _commit(_fileno(file)) == 0 || errno == EBADF;
}

bool cli_take_mode(FILE *file, const struct stat *other) {
    (void)file;
    (void)other;
    return true; // files have no mode here
}

bool cli_rename(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
        return true;
    }
    errno = EACCES;
    return false;
}

char *cli_real_path(const char *path) {
    return _fullpath(NULL, path, 0);
}

bool cli_is_lost_link(const char *path) {
    (void)path;
    return false;
}
