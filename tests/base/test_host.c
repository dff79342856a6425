// SPDX-License-Identifier: Apache-2.0
// Status texts, the log, the allocator hooks and the arena.
#include "base/host.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

TEST(status_texts) {
    CHECK_STRING(carom_status_text(CAROM_OK), "success");
    CHECK_STRING(carom_status_text(CAROM_NO_MEMORY), "out of memory");
    CHECK_STRING(carom_status_text((CaromStatus)99), "unknown status");
    for (int i = CAROM_OK; i <= CAROM_NO_MEMORY; i++) {
        for (int j = CAROM_OK; j < i; j++) {
            CHECK(strcmp(carom_status_text((CaromStatus)i), carom_status_text((CaromStatus)j)));
        }
    }
}

TEST(version_matches_its_numbers) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR,
             CAROM_VERSION_PATCH);
    CHECK_STRING(carom_version(), text);
}

/// What the hooks below saw.
typedef struct Witness {
    int messages, allocated, released;
    size_t last_size;
    char text[1024];
    bool empty; // refuse to allocate
} Witness;

static void note(void *user, const char *message) {
    Witness *witness = user;
    witness->messages++;
    snprintf(witness->text, sizeof witness->text, "%s", message);
}

static void *allocate(void *user, size_t size) {
    Witness *witness = user;
    witness->allocated++;
    witness->last_size = size;
    return witness->empty ? NULL : malloc(size);
}

static void release(void *user, void *memory) {
    Witness *witness = user;
    witness->released++;
    free(memory);
}

TEST(log_formats_and_truncates) {
    Witness witness = {0};
    CaromHost host = {.log = note, .user = &witness};
    carom_log(&host, "contacts[%d].%s", 2, "restitution");
    CHECK_STRING(witness.text, "contacts[2].restitution");

    char filler[2000];
    memset(filler, 'x', sizeof filler - 1);
    filler[sizeof filler - 1] = 0;
    carom_log(&host, "%.511s", filler);
    CHECK_INT(strlen(witness.text), 511); // as documented: 511 bytes fit
    carom_log(&host, "begin %s", filler);
    CHECK_INT(strlen(witness.text), 511);
    CHECK(strncmp(witness.text, "begin xxx", 9) == 0);
    CHECK_INT(witness.messages, 3);
}

TEST(log_is_silent_without_a_host) {
    Witness witness = {0};
    CaromHost host = {.user = &witness};
    carom_log(&host, "%d", 1);
    carom_log(NULL, "%d", 1);
    CHECK_INT(witness.messages, 0);
}

static void watch(void *user, double share) {
    *(double *)user = share;
}

TEST(progress_reaches_the_host) {
    double share = 0;
    CaromHost host = {.progress = watch, .user = &share};
    carom_progress(&host, 0.25);
    CHECK_NEAR(share, 0.25, 0);
    carom_progress(NULL, 0.5);
    carom_progress(&(CaromHost){0}, 0.5);
    CHECK_NEAR(share, 0.25, 0);
}

TEST(allocator_hooks) {
    Witness witness = {0};
    CaromHost host = {.allocate = allocate, .release = release, .user = &witness};
    void *memory = carom_allocate(&host, 100);
    CHECK(memory != NULL);
    CHECK_INT(witness.last_size, 100);
    void *nothing = carom_allocate(&host, 0);
    CHECK(nothing != NULL); // NULL always means that there is none left
    carom_release(&host, memory);
    carom_release(&host, nothing);
    carom_release(&host, NULL);
    CHECK_INT(witness.allocated, 2);
    CHECK_INT(witness.released, 2);

    witness.empty = true;
    CHECK(carom_allocate(&host, 8) == NULL);
}

TEST(allocator_defaults_to_malloc) {
    CaromHost host = {0};
    unsigned char *memory = carom_allocate(&host, 10);
    memset(memory, 1, 10); // a sanitizer watches
    CHECK(memory[9] == 1);
    carom_release(&host, memory);
    memory = carom_allocate(NULL, 10);
    CHECK(memory != NULL);
    carom_release(NULL, memory);
}

/// Some pieces of odd sizes.
typedef struct Pieces {
    char *a;
    double *b;
    char *c;
    double *none;
    int *d;
} Pieces;

static Pieces carve(CaromArena *arena) {
    Pieces p;
    p.a = carom_arena_take(arena, 3, 1);
    p.b = carom_arena_take(arena, 5, sizeof *p.b);
    p.c = carom_arena_take(arena, 17, 1);
    p.none = carom_arena_take(arena, 0, sizeof *p.none);
    p.d = carom_arena_take(arena, 1, sizeof *p.d);
    return p;
}

TEST(arena_measures_and_carves) {
    CaromArena measure = {0};
    Pieces nothing = carve(&measure);
    CHECK(nothing.a == NULL && nothing.b == NULL && nothing.d == NULL);
    CHECK_INT(measure.used, 16 + 48 + 32 + 0 + 16); // each rounded up to 16

    unsigned char *block = carom_allocate(NULL, measure.used);
    memset(block, 0xff, measure.used);
    CaromArena arena = {block, 0};
    Pieces p = carve(&arena);
    CHECK_INT(arena.used, measure.used);

    // Aligned like the block, in order, and not overlapping: a sanitizer watches the far end.
    CHECK_INT((unsigned char *)p.a - block, 0);
    CHECK_INT((unsigned char *)p.b - block, 16);
    CHECK_INT((unsigned char *)p.c - block, 64);
    CHECK_INT((unsigned char *)p.d - block, 96);
    CHECK_INT((uintptr_t)p.b % 16, (uintptr_t)block % 16);
    for (size_t i = 0; i < measure.used; i++) {
        CHECK_INT(block[i], 0);
    }
    carom_release(NULL, block);
}

TEST(arena_overflow_cannot_be_allocated) {
    CaromArena one = {0};
    carom_arena_take(&one, SIZE_MAX / 4, 8);
    CHECK(one.used == SIZE_MAX);
    carom_arena_take(&one, 1, 8); // stays there
    CHECK(one.used == SIZE_MAX);

    CaromArena many = {0};
    for (int i = 0; i < 3; i++) {
        carom_arena_take(&many, SIZE_MAX / 2 - 64, 1);
    }
    CHECK(many.used == SIZE_MAX);
}

// ---- Settings ------------------------------------------------------------------------------

/// As a header of this version, of an older and of a newer one has them.
typedef struct Settings {
    size_t size;
    int count;
    double width;
} Settings;

typedef struct OlderSettings {
    size_t size;
    int count;
} OlderSettings;

typedef struct NewerSettings {
    Settings known;
    double later;
} NewerSettings;

static const Settings usual = {sizeof(Settings), 7, 0.5};

TEST(settings_of_nobody_are_the_defaults) {
    Settings settings = usual;
    CHECK(carom_settings_take(&settings, NULL, "options", NULL) == CAROM_OK);
    CHECK(settings.size == sizeof settings && settings.count == 7 && settings.width == 0.5);
}

TEST(settings_of_this_version_are_taken) {
    Settings settings = usual, given = {sizeof given, 3, 2};
    CHECK(carom_settings_take(&settings, &given, "options", NULL) == CAROM_OK);
    CHECK(settings.count == 3 && settings.width == 2);
    given = (Settings){.count = 4}; // without a size they are of this version
    CHECK(carom_settings_take(&settings, &given, "options", NULL) == CAROM_OK);
    CHECK(settings.size == sizeof settings && settings.count == 4 && settings.width == 0);
}

TEST(settings_of_an_older_version_leave_the_rest) {
    Settings settings = usual;
    OlderSettings given;
    given.size = offsetof(Settings, width);
    given.count = 3;
    CHECK(carom_settings_take(&settings, &given, "options", NULL) == CAROM_OK);
    CHECK(settings.size == sizeof settings && settings.count == 3 && settings.width == 0.5);
}

TEST(settings_of_a_newer_version_must_not_ask_for_more) {
    Witness witness = {0};
    CaromHost host = {.log = note, .user = &witness};
    Settings settings = usual;
    NewerSettings given = {{sizeof given, 3, 2}, 0};
    CHECK(carom_settings_take(&settings, &given, "options", &host) == CAROM_OK);
    CHECK(settings.count == 3 && settings.size == sizeof settings);
    given.later = 1;
    CHECK(carom_settings_take(&settings, &given, "options", &host) == CAROM_BAD_ARGUMENT);
    CHECK_INT(witness.messages, 1);
    CHECK(strncmp(witness.text, "options: made for another version", 33) == 0);
    const size_t chance[] = {3, SIZE_MAX}; // memory that nobody filled
    for (int i = 0; i < 2; i++) {
        given = (NewerSettings){{chance[i], 3, 2}, 0};
        CHECK(carom_settings_take(&settings, &given, "options", &host) == CAROM_BAD_ARGUMENT);
    }
}
