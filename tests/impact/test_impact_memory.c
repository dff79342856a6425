// SPDX-License-Identifier: Apache-2.0
// Memory: create allocates once through the host, solve never, failure leaves nothing behind.
// Proved twice: by the host's counting functions, and by watching malloc itself.
#include "impact/random_contact.h"
#include "impact/rigid_scenes.h"
#include "impact/solve.h"

#include <stdlib.h>

// ---- Every malloc of the program ----------------------------------------------------------------

static volatile int mallocs, frees; // compilers think that malloc changes no variable

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#if defined(ADDRESS_SANITIZER)
// The sanitizer owns malloc, and tells.
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                              void (*free_hook)(const volatile void *));

static void on_malloc(const volatile void *block, size_t size) {
    (void)block;
    (void)size;
    mallocs++;
}

static void on_free(const volatile void *block) {
    (void)block;
    frees++;
}

static bool watch_malloc(void) {
    static int installed = 0;
    if (installed == 0) {
        installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    }
    return installed > 0;
}
#elif defined(__GLIBC__)
// These stand in for the C library's functions in this program.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size) {
    mallocs++;
    return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size) {
    mallocs++;
    return __libc_realloc(ptr, size);
}

void free(void *ptr) {
    frees += ptr != NULL;
    __libc_free(ptr);
}

static bool watch_malloc(void) {
    return true;
}
#else
static bool watch_malloc(void) {
    return false;
}
#endif

// The watch itself must not be asleep.
TEST(the_watch_sees_malloc) {
    if (watch_malloc()) {
        int before = mallocs;
        int freed = frees;
        char *volatile block = malloc(10);
        block[0] = 1;
        free(block);
        CHECK_INT(mallocs - before, 1);
        CHECK_INT(frees - freed, 1);
    }
    CHECK(true);
}

// ---- The host's memory --------------------------------------------------------------------------

typedef struct Memory {
    int allocations, out;
    bool empty;
    size_t size; ///< of the last block
    char message[200];
} Memory;

static void *take(void *user, size_t size) {
    Memory *memory = user;
    memory->allocations++;
    memory->size = size;
    if (memory->empty) {
        return NULL;
    }
    memory->out++;
    // Spoilt, so that nothing can rely on zeroes it did not write.
    void *block = malloc(size);
    return block != NULL ? memset(block, 0xa5, size) : NULL;
}

static void give(void *user, void *block) {
    Memory *memory = user;
    memory->out -= block != NULL;
    free(block);
}

static void keep(void *user, const char *message) {
    Memory *memory = user;
    snprintf(memory->message, sizeof memory->message, "%s", message);
}

static CaromImpactLimits limits_of(Memory *memory) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.host = (CaromHost){.log = keep, .allocate = take, .release = give, .user = memory};
    return limits;
}

TEST(create_takes_one_block_and_destroy_gives_it_back) {
    Memory memory = {0};
    CaromImpactLimits limits = limits_of(&memory);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CHECK_INT(memory.allocations, 1);
    carom_impact_destroy(impact);
    CHECK_INT(memory.out, 0);
}

TEST(create_without_memory) {
    Memory memory = {.empty = true};
    CaromImpactLimits limits = limits_of(&memory);
    CaromImpact *impact = (CaromImpact *)&memory;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_NO_MEMORY);
    CHECK(impact == (CaromImpact *)&memory); // untouched
    CHECK_INT(memory.out, 0);
    char message[200];
    snprintf(message, sizeof message, "no memory for a solver of %zu bytes", memory.size);
    CHECK_STRING(memory.message, message);
}

// The largest solver asks for gigabytes; a host that has none says no.
TEST(create_with_the_largest_limits) {
    Memory memory = {.empty = true};
    CaromImpactLimits limits = limits_of(&memory);
    limits.bodies = 10000000;
    limits.contacts = 10000000;
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_NO_MEMORY);
    CHECK(memory.size > 1000000000u);
}

static void count_moments(void *user, const CaromImpactMoment *moment) {
    int *count = user;
    *count += moment->contact_count;
}

static void check_solve_allocates_nothing(CaromMethod method) {
    Memory memory = {0};
    CaromImpactLimits limits = limits_of(&memory);
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    bool watched = watch_malloc();
    int before = mallocs;
    int freed = frees;
    Random random = {31};
    bool solved = true;
    int moments = 0;
    for (int i = 0; i < 500; i++) {
        RandomContact c;
        random_contact(&random, &c);
        if (i < TWO_BODY_CASES) {
            const TwoBodyCase *t = &two_body_cases[i];
            two_body_problem(&t->w, t->velocity, t->friction, t->restitution, c.bodies, &c.contact);
        }
        CaromImpactOptions options = carom_impact_options_default();
        options.method = method;
        options.samples = i % 3;
        options.observer = i % 2 == 0 ? count_moments : NULL;
        options.observer_user = &moments;
        CaromImpactResult r;
        solved = solved && carom_impact_solve(impact, &c.problem, &options, &r) == CAROM_OK;
        c.contact.material.restitution = 2; // a refusal costs nothing either
        solved = solved && carom_impact_solve(impact, &c.problem, &options, &r) == CAROM_BAD_DATA;
    }
    int allocated = mallocs - before;
    int released = frees - freed;
    CHECK(solved && moments > 1000);
    CHECK_INT(memory.allocations, 1);
    CHECK_INT(memory.out, 1);
    CHECK(!watched || (allocated == 0 && released == 0));
    carom_impact_destroy(impact);
    CHECK_INT(memory.out, 0);
}

TEST(closed_allocates_nothing) {
    check_solve_allocates_nothing(CAROM_SPRINGS_CLOSED);
}

TEST(integrate_allocates_nothing) {
    check_solve_allocates_nothing(CAROM_SPRINGS_INTEGRATE);
}

TEST(impulse_allocates_nothing) {
    check_solve_allocates_nothing(CAROM_SPRINGS_IMPULSE);
}

TEST(rigid_models_allocate_nothing) {
    static const int rows[] = {1, 2, 3};
    Memory memory = {0};
    CaromImpactLimits limits = limits_of(&memory);
    limits.memory = 1u << 22;
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CHECK(memory.size > limits.memory);
    bool watched = watch_malloc();
    int before = mallocs;
    bool solved = true;
    for (int method = CAROM_REFLECT_HULL; method <= CAROM_SEQUENTIAL_BY_SPEED; method++) {
        CaromMethod chosen = (CaromMethod)method;
        for (int model = CAROM_MODEL_REFLECT; model <= CAROM_MODEL_SEQUENTIAL; model++) {
            Rigid s;
            make_rack(&s, 3, rows, 0.9);
            CaromImpactOptions options = carom_impact_options_default();
            options.model = (CaromModel)model;
            options.method = chosen;
            CaromImpactResult r;
            CaromStatus status = carom_impact_solve(impact, &s.problem, &options, &r);
            solved = solved && (status == CAROM_OK || status == CAROM_UNSUPPORTED);
        }
    }
    int allocated = mallocs - before;
    CHECK(solved);
    CHECK_INT(memory.allocations, 1);
    CHECK(!watched || allocated == 0);
    carom_impact_destroy(impact);
    CHECK_INT(memory.out, 0);
}

// A result lives in the solver until its next solve, and only there: two solvers do not meddle.
TEST(solvers_are_independent) {
    CaromImpact *impacts[2] = {NULL, NULL};
    CaromImpactResult r[2];
    CaromVec3 impulse[2];
    RandomContact c[2];
    Random random = {32};
    for (int i = 0; i < 2; i++) {
        CaromImpactLimits limits = {.bodies = 2, .contacts = 1};
        CHECK(carom_impact_create(&limits, &impacts[i]) == CAROM_OK);
        random_contact(&random, &c[i]);
        CHECK(carom_impact_solve(impacts[i], &c[i].problem, NULL, &r[i]) == CAROM_OK);
        impulse[i] = r[i].contacts[0].impulse;
    }
    for (int i = 0; i < 2; i++) {
        CHECK(same(impulse[i], r[i].contacts[0].impulse));
        CaromImpactResult again;
        CHECK(carom_impact_solve(impacts[1 - i], &c[i].problem, NULL, &again) == CAROM_OK);
        CHECK(same(impulse[i], again.contacts[0].impulse));
        CHECK(carom_impact_solve(impacts[1 - i], &c[1 - i].problem, NULL, &again) == CAROM_OK);
    }
    carom_impact_destroy(impacts[0]);
    carom_impact_destroy(impacts[1]);
}
