// SPDX-License-Identifier: Apache-2.0
// The interface of the rod: bad data, limits, memory, observers, and numbers at the ends of ranges.
#include "random.h"
#include "rod/rods.h"
#include "test.h"

typedef struct Host {
    char messages[2048]; ///< joined by newlines
    int allocations, releases, allowed;
} Host;

static void take_message(void *user, const char *message) {
    Host *host = user;
    size_t used = strlen(host->messages);
    (void)snprintf(host->messages + used, sizeof host->messages - used, "%s%s", used ? "\n" : "",
                   message);
}

static void *allocate(void *user, size_t size) {
    Host *host = user;
    return host->allocations++ < host->allowed ? malloc(size) : NULL;
}

static void release(void *user, void *memory) {
    Host *host = user;
    host->releases += memory != NULL;
    free(memory);
}

static CaromRodLimits limits_with(Host *host) {
    CaromRodLimits limits = carom_rod_limits_default();
    *host = (Host){.allowed = 1000};
    limits.host =
        (CaromHost){.log = take_message, .allocate = allocate, .release = release, .user = host};
    return limits;
}

// ---- Bad data --------------------------------------------------------------------------------

/// What a problem is told; the result must stay as it was.
static void check_refused(CaromRodProblem problem, const char *messages) {
    Host host;
    CaromRodLimits limits = limits_with(&host);
    CaromRod *rod = NULL;
    CaromRodResult result = {.bounce_time = 42};
    CHECK(carom_rod_create(&limits, &rod) == CAROM_OK);
    CHECK(carom_rod_solve(rod, &problem, NULL, &result) == CAROM_BAD_DATA);
    CHECK_STRING(host.messages, messages);
    CHECK(result.bounce_time == 42);
    carom_rod_destroy(rod);
}

TEST(bad_numbers_are_named) {
    CaromRodProblem p = unit_rod(1, 0.1);
    p.length = -1;
    check_refused(p, "length: must be in [1e-30, 1e+30], got -1");
    p = unit_rod(1, 0.1);
    p.wave_speed = 0;
    check_refused(p, "wave_speed: must be in [1e-30, 1e+30], got 0");
    p = unit_rod(1, -0.5);
    check_refused(p, "damping: must be in [0, 1e+30], got -0.5");
    p = unit_rod(NAN, 0.1);
    check_refused(p, "impact_speed: must be in [1e-30, 1e+30], got nan");
    p = unit_rod(1, 0.1);
    p.gravity = INFINITY;
    check_refused(p, "gravity: must be in [0, 1e+30], got inf");
    p = unit_rod(1, 0.1);
    p.damping_type = (CaromRodDamping)7;
    check_refused(p, "damping_type: unknown");
    check_refused(structural_rod(60, 1e-6), "damping: must be 0 or at least 0.0003, got 1e-06");
}

TEST(all_faults_at_once) {
    CaromRodProblem p = {-1, 0, -9.8, -2, 0, CAROM_ROD_VISCOUS};
    check_refused(p, "length: must be in [1e-30, 1e+30], got -1\n"
                     "wave_speed: must be in [1e-30, 1e+30], got 0\n"
                     "gravity: must be in [0, 1e+30], got -9.8\n"
                     "damping: must be in [0, 1e+30], got -2\n"
                     "impact_speed: must be in [1e-30, 1e+30], got 0");
}

TEST(limits_and_options) {
    Host host;
    CaromRodLimits limits = limits_with(&host);
    CaromRod *rod = NULL;
    limits.cells = 3;
    limits.bounces = 0;
    CHECK(carom_rod_create(&limits, &rod) == CAROM_BAD_ARGUMENT && rod == NULL);
    CHECK_STRING(host.messages, "limits.bounces: must be in [1, 10000], got 0\n"
                                "limits.cells: must be in [16, 4096], got 3");
    limits = limits_with(&host);
    CHECK(carom_rod_create(&limits, &rod) == CAROM_OK);
    CaromRodProblem problem = unit_rod(4, 0.1);
    CaromRodOptions options = carom_rod_options_default();
    CaromRodResult result;
    options.bounces = 2;
    CHECK(carom_rod_solve(rod, &problem, &options, &result) == CAROM_OVER_LIMIT);
    options.bounces = -1;
    CHECK(carom_rod_solve(rod, &problem, &options, &result) == CAROM_BAD_ARGUMENT);
    carom_rod_destroy(rod);
}

// Without flights the bounce is the same, and the highest point that of a free flight.
TEST(no_flight_on_request) {
    CaromRod *rod = rod_or_exit(1, 256);
    CaromRodProblem problem = unit_rod(4, 0.1);
    CaromRodOptions options = carom_rod_options_default();
    CaromRodResult with, without;
    CHECK(carom_rod_solve(rod, &problem, &options, &with) == CAROM_OK);
    options.bounces = 0;
    CHECK(carom_rod_solve(rod, &problem, &options, &without) == CAROM_OK);
    CHECK(without.momentum == with.momentum && without.max_height == with.max_height);
    CHECK(without.bounce_count == 0 && isnan(without.return_time));
    carom_rod_destroy(rod);
}

// ---- Memory ----------------------------------------------------------------------------------

TEST(create_allocates_once_and_solve_never) {
    Host host;
    CaromRodLimits limits = limits_with(&host);
    limits.bounces = 5;
    CaromRod *rod = NULL;
    CHECK(carom_rod_create(&limits, &rod) == CAROM_OK);
    CHECK_INT(host.allocations, 1);
    CaromRodOptions options = carom_rod_options_default();
    options.bounces = 5;
    for (int i = 0; i < 4; i++) {
        CaromRodProblem problem = i < 2 ? unit_rod(1, 0.1 * i) : structural_rod(60, 18 * (i - 2));
        CaromRodResult result;
        CHECK(carom_rod_solve(rod, &problem, &options, &result) == CAROM_OK);
    }
    CHECK_INT(host.allocations, 1);
    carom_rod_destroy(rod);
    CHECK_INT(host.releases, 1);
    carom_rod_destroy(NULL);
}

TEST(no_memory_leaves_nothing) {
    Host host;
    CaromRodLimits limits = limits_with(&host);
    host.allowed = 0;
    CaromRod *rod = NULL;
    CHECK(carom_rod_create(&limits, &rod) == CAROM_NO_MEMORY);
    CHECK(rod == NULL && host.releases == 0 && host.messages[0] != '\0');
}

// ---- Observers -------------------------------------------------------------------------------

typedef struct Story {
    int count, contacts;
    double last_time;
    bool in_order, finite;
} Story;

static void listen(void *user, const CaromRodMoment *m) {
    Story *story = user;
    story->in_order = story->in_order && m->time >= story->last_time;
    story->finite = story->finite && isfinite(m->momentum + m->height + m->translational);
    for (int i = 0; i < m->point_count; i++) {
        const CaromRodPoint *point = &m->points[i];
        story->finite =
            story->finite && isfinite(point->displacement + point->strain + point->velocity);
    }
    story->last_time = m->time;
    story->contacts += m->contact;
    story->count++;
}

TEST(moments_come_in_order) {
    CaromRod *rod = rod_or_exit(3, 64);
    const CaromRodProblem problems[] = {unit_rod(4, 0.1),      unit_rod(1, 0.3),
                                        unit_rod(1, 50),       structural_rod(60, 18),
                                        structural_rod(60, 0), structural_rod(60, 1e5)};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        Story story = {.in_order = true, .finite = true};
        CaromRodOptions options = carom_rod_options_default();
        CaromRodResult r;
        options.bounces = 3;
        options.samples = 20;
        options.points = 33;
        options.observer = listen;
        options.observer_user = &story;
        CHECK(carom_rod_solve(rod, &problems[i], &options, &r) == CAROM_OK);
        CHECK(story.in_order && story.finite);
        CHECK(story.contacts >= 20 && story.count % 20 == 0);
        CHECK((story.count > story.contacts) == r.bounces);
    }
    carom_rod_destroy(rod);
}

// ---- Ends of ranges --------------------------------------------------------------------------

TEST(any_rod_gives_an_answer) {
    Random random = {77};
    CaromRod *rod = rod_or_exit(3, 16);
    for (int i = 0; i < 3000; i++) {
        CaromRodProblem p = {random_scale(&random, 1e-30, 1e30), random_scale(&random, 1e-30, 1e30),
                             random_scale(&random, 1e-30, 1e30), random_scale(&random, 1e-30, 1e30),
                             random_scale(&random, 1e-30, 1e30), (CaromRodDamping)(i % 2)};
        if (i % 3 == 0) { // where it matters
            p.damping = random_scale(&random, 1e-6, 10) *
                        (i % 2 ? p.length * p.wave_speed : p.wave_speed / p.length);
            p.gravity = random_scale(&random, 1e-9, 1e3) * p.impact_speed * p.wave_speed / p.length;
        }
        CaromRodOptions options = carom_rod_options_default();
        CaromRodResult r;
        options.bounces = 3;
        if (p.damping > 1e30 || p.gravity > 1e30 || p.gravity < 1e-30) {
            continue;
        }
        CaromStatus status = carom_rod_solve(rod, &p, &options, &r);
        CHECK(status == CAROM_OK || (status == CAROM_BAD_DATA && i % 2)); // too thin a front
        if (status == CAROM_OK && r.bounces) {
            CHECK(isfinite(r.bounce_time) && isfinite(r.momentum) && isfinite(r.height));
            CHECK(r.bounce_time > 0 && r.bounce_count >= 1);
        }
    }
    carom_rod_destroy(rod);
}

TEST(texts) {
    CHECK_STRING(carom_rod_damping_text(CAROM_ROD_STRUCTURAL), "structural");
    CHECK_STRING(carom_rod_criterion_text(CAROM_ROD_STRAIN), "strain");
    CHECK_STRING(carom_rod_outcome_text(CAROM_ROD_MAX_STEPS), "max-steps");
    CHECK_STRING(carom_rod_outcome_text((CaromRodOutcome)99), "unknown");
}
