// SPDX-License-Identifier: Apache-2.0
// A record keeps what an observer saw, in order, and says so when memory ends.
#include "impact/solve.h"

#include <stdlib.h>

/// Memory that ends after a number of allocations, and knows what is out.
typedef struct Memory {
    int left;  ///< allocations that will still succeed; < 0: all
    int out;   ///< blocks not released
    int calls; ///< allocations asked for
} Memory;

static void *take(void *user, size_t size) {
    Memory *memory = user;
    memory->calls++;
    if (memory->left == 0) {
        return NULL;
    }
    memory->left -= memory->left > 0;
    memory->out++;
    return malloc(size);
}

static void give(void *user, void *block) {
    Memory *memory = user;
    memory->out -= block != NULL;
    free(block);
}

static CaromHost host_of(Memory *memory) {
    return (CaromHost){.allocate = take, .release = give, .user = memory};
}

static CaromImpact *create_solver(void) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    return impact;
}

static CaromImpactResult solve_case(CaromImpact *impact, int instance,
                                    const CaromImpactOptions *options) {
    const TwoBodyCase *c = &two_body_cases[instance];
    CaromBody bodies[2];
    CaromContact contact;
    CaromImpactProblem problem = case_problem(c, bodies, &contact);
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(impact, &problem, options, &r) == CAROM_OK);
    return r;
}

enum { MOST_MOMENTS = 16384 };

/// What an observer saw that copies for itself.
typedef struct Seen {
    int count;
    CaromImpactMoment moments[MOST_MOMENTS];
    CaromContactState states[MOST_MOMENTS];
} Seen;

static void look(void *user, const CaromImpactMoment *moment) {
    Seen *seen = user;
    if (CHECK(seen->count < MOST_MOMENTS)) {
        seen->moments[seen->count] = *moment;
        seen->states[seen->count++] = moment->contacts[0];
    }
}

static bool same_state(const CaromContactState *a, const CaromContactState *b) {
    return same(a->impulse_contact_frame, b->impulse_contact_frame) &&
           same(a->velocity_contact_frame, b->velocity_contact_frame) &&
           a->strain_energy == b->strain_energy && a->friction_loss == b->friction_loss &&
           a->phase == b->phase && a->mode == b->mode;
}

// ---- What it keeps ------------------------------------------------------------------------------

static void check_same(const CaromRecord *record, const Seen *seen) {
    CHECK_INT(carom_record_count(record), seen->count);
    for (int i = 0; i < seen->count && i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        CHECK(moment.kind == seen->moments[i].kind);
        CHECK(moment.parameter == seen->moments[i].parameter);
        CHECK_INT(moment.contact, seen->moments[i].contact);
        CHECK_INT(moment.contact_count, 1);
        CHECK(same_state(&moment.contacts[0], &seen->states[i]));
    }
}

TEST(keeps_what_the_observer_saw) {
    static Seen seen;
    CaromImpact *impact = create_solver();
    CaromRecord *record = NULL;
    CHECK(carom_record_create(NULL, &record) == CAROM_OK);
    CHECK_INT(carom_record_count(record), 0);
    CHECK(carom_record_status(record) == CAROM_OK);
    for (int method = CAROM_SPRINGS_CLOSED; method <= CAROM_SPRINGS_IMPULSE; method++) {
        for (int i = 0; method != CAROM_SPRINGS_EXACT && i < TWO_BODY_CASES; i++) {
            CaromImpactOptions options = carom_impact_options_default();
            options.method = (CaromMethod)method;
            options.samples = 20 * (i % 3);
            seen.count = 0;
            options.observer = look;
            options.observer_user = &seen;
            solve_case(impact, i, &options);
            carom_record_attach(record, &options);
            solve_case(impact, i, &options);
            CHECK(carom_record_status(record) == CAROM_OK);
            check_same(record, &seen);
        }
    }
    carom_record_destroy(record);
    carom_impact_destroy(impact);
}

// Start first, end last and once, impulses and the parameter never fall, and the last state is the
// result.
static void check_story(const CaromRecord *record, const CaromImpactResult *r) {
    int count = carom_record_count(record);
    CHECK(count >= 2);
    CaromImpactMoment last = carom_record_moment(record, 0);
    CHECK(last.kind == CAROM_EVENT_START);
    CHECK(last.contact == -1);
    CHECK(v3_norm(last.contacts[0].impulse_contact_frame) == 0);
    for (int i = 1; i < count; i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        CHECK(moment.kind != CAROM_EVENT_START);
        CHECK((moment.kind == CAROM_EVENT_END) == (i == count - 1));
        bool somewhere = moment.kind != CAROM_EVENT_END && moment.kind != CAROM_EVENT_SAMPLE;
        CHECK_INT(moment.contact, somewhere ? 0 : -1);
        CHECK(moment.parameter >= last.parameter);
        CHECK(moment.contacts[0].impulse_contact_frame.z >=
              last.contacts[0].impulse_contact_frame.z);
        CHECK(moment.contacts[0].friction_loss >= last.contacts[0].friction_loss * (1 - 1e-14));
        last = moment;
    }
    CHECK(last.contacts[0].phase == CAROM_PHASE_ASLEEP);
    CHECK(last.contacts[0].impulse_contact_frame.z == r->contacts[0].normal_impulse);
    CHECK(last.contacts[0].friction_loss == r->contacts[0].friction_loss);
    CHECK(last.contacts[0].strain_energy == 0);
}

static int samples_in(const CaromRecord *record) {
    int samples = 0;
    for (int i = 0; i < carom_record_count(record); i++) {
        samples += carom_record_moment(record, i).kind == CAROM_EVENT_SAMPLE;
    }
    return samples;
}

TEST(tells_the_story_in_order) {
    CaromImpact *impact = create_solver();
    CaromRecord *record = NULL;
    CHECK(carom_record_create(NULL, &record) == CAROM_OK);
    for (int method = CAROM_SPRINGS_CLOSED; method <= CAROM_SPRINGS_INTEGRATE; method += 2) {
        for (int i = 0; i < TWO_BODY_CASES; i++) {
            for (int samples = 0; samples < 60; samples += 29) {
                CaromImpactOptions options = carom_impact_options_default();
                options.method = (CaromMethod)method;
                options.samples = samples;
                carom_record_attach(record, &options);
                CaromImpactResult r = solve_case(impact, i, &options);
                check_story(record, &r);
                // At least so many between two events; more where a path is found piece by piece.
                CHECK(samples_in(record) >= 2 * samples);
                CHECK(samples > 0 || samples_in(record) == 0);
            }
        }
    }
    carom_record_destroy(record);
    carom_impact_destroy(impact);
}

// A straight path has two stretches, compression and restitution, each with just its samples.
TEST(samples_lie_evenly_on_a_straight_path) {
    CaromImpact *impact = create_solver();
    CaromRecord *record = NULL;
    CHECK(carom_record_create(NULL, &record) == CAROM_OK);
    CaromImpactOptions options = carom_impact_options_default();
    options.samples = 7;
    carom_record_attach(record, &options);
    solve_case(impact, 10, &options); // at rest
    CHECK_INT(samples_in(record), 14);
    double last = 0;
    double step = 0;
    int seen = 0;
    for (int i = 0; i < carom_record_count(record) && seen < 7; i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        if (moment.kind == CAROM_EVENT_SAMPLE) {
            step = seen++ == 0 ? moment.parameter : step;
            CHECK_NEAR(moment.parameter - last, step, 1e-15);
            last = moment.parameter;
        }
    }
    carom_record_destroy(record);
    carom_impact_destroy(impact);
}

// ---- Reuse and memory ---------------------------------------------------------------------------

/// The function that a record puts into options, called by hand.
static void observe(const CaromImpactOptions *options, CaromEventKind kind, int contact_count,
                    double value) {
    CaromContactState states[3] = {0};
    for (int c = 0; c < contact_count; c++) {
        states[c].impulse_contact_frame.z = value + c;
    }
    CaromImpactMoment moment = {kind, -1, value, contact_count, states};
    options->observer(options->observer_user, &moment);
}

TEST(reuse_with_other_contact_counts) {
    Memory memory = {.left = -1};
    CaromHost host = host_of(&memory);
    CaromRecord *record = NULL;
    CHECK(carom_record_create(&host, &record) == CAROM_OK);
    CaromImpactOptions options = carom_impact_options_default();
    carom_record_attach(record, &options);
    static const int contact_counts[] = {1, 3, 3, 2, 1, 3};
    for (int pass = 0; pass < 6; pass++) {
        int contacts = contact_counts[pass];
        int moments = 300 >> pass;
        for (int i = 0; i < moments; i++) {
            observe(&options, i == 0 ? CAROM_EVENT_START : CAROM_EVENT_SAMPLE, contacts, i);
        }
        CHECK_INT(carom_record_count(record), moments);
        for (int i = 0; i < moments; i++) {
            CaromImpactMoment moment = carom_record_moment(record, i);
            CHECK_INT(moment.contact_count, contacts);
            for (int c = 0; c < contacts; c++) {
                CHECK(moment.contacts[c].impulse_contact_frame.z == i + c);
            }
        }
    }
    carom_record_destroy(record);
    CHECK_INT(memory.out, 0);
}

TEST(no_memory_for_a_record) {
    Memory memory = {.left = 0};
    CaromHost host = host_of(&memory);
    CaromRecord *record = (CaromRecord *)&memory;
    CHECK(carom_record_create(&host, &record) == CAROM_NO_MEMORY);
    CHECK(record == (CaromRecord *)&memory); // untouched
    CHECK_INT(memory.out, 0);
}

// Whichever allocation fails, the solve succeeds, what was kept stays readable, nothing leaks, and
// the next path with memory is whole again.
TEST(memory_that_ends_on_the_way) {
    CaromImpact *impact = create_solver();
    for (int granted = 1; granted < 12; granted++) {
        Memory memory = {.left = granted};
        CaromHost host = host_of(&memory);
        CaromRecord *record = NULL;
        CHECK(carom_record_create(&host, &record) == CAROM_OK);
        CaromImpactOptions options = carom_impact_options_default();
        options.samples = 200;
        carom_record_attach(record, &options);
        CaromImpactResult r = solve_case(impact, 0, &options);
        CHECK_NEAR(r.contacts[0].impulse.z, two_body_cases[0].impulse.z, 2e-12);
        bool whole = memory.left > 0;
        if (memory.left == 0 && carom_record_status(record) == CAROM_OK) {
            whole = true; // just enough
        }
        CHECK(carom_record_status(record) == (whole ? CAROM_OK : CAROM_NO_MEMORY));
        for (int i = 0; i < carom_record_count(record); i++) {
            CHECK(carom_record_moment(record, i).contacts[0].impulse_contact_frame.z >= 0);
        }
        CHECK(granted > 2 || carom_record_status(record) == CAROM_NO_MEMORY);
        memory.left = -1;
        r = solve_case(impact, 0, &options);
        CHECK(carom_record_status(record) == CAROM_OK);
        check_story(record, &r);
        carom_record_destroy(record);
        CHECK_INT(memory.out, 0);
    }
    carom_impact_destroy(impact);
}

// ---- Past its limit -----------------------------------------------------------------------------

enum { ROW = 60 };

typedef struct Row {
    CaromBody bodies[ROW];
    CaromContact contacts[ROW];
} Row;

/// Balls in a crooked row, the first of which moves. A ring is no chain: its last ball touches the
/// first.
static CaromImpactProblem row_problem(Row *row, int count, double restitution, bool ring) {
    for (int i = 0; i < count; i++) {
        double t = i % 2 == 0 ? 0.02 : -0.02; // half the slope
        row->bodies[i] = carom_body_point(1 + 0.1 * (i % 3));
        row->contacts[i] =
            (CaromContact){.body = {(i + 1) % count, i},
                           .normal = {(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t), 0},
                           .material = carom_material_default()};
        row->contacts[i].material.restitution = restitution;
    }
    row->bodies[0].velocity.x = 1;
    return (CaromImpactProblem){count, row->bodies, ring ? count : count - 1, row->contacts};
}

/// Events of two records, one of them without moments, have the same bits.
static void check_events(const CaromRecord *brief, const CaromRecord *full) {
    CHECK(carom_record_is_brief(brief) && !carom_record_is_brief(full));
    CHECK_INT(carom_record_count(brief), 0);
    CHECK_INT(carom_record_event_count(brief), carom_record_event_count(full));
    for (int i = 0; i < carom_record_event_count(full); i++) {
        CaromImpactEvent a = carom_record_event(brief, i), b = carom_record_event(full, i);
        CHECK(a.kind == b.kind && a.parameter == b.parameter && same_state(&a.state, &b.state));
        CHECK_INT(a.contact, b.contact);
        CHECK_INT(a.change_count, b.change_count);
        for (int j = 0; j < a.change_count && j < b.change_count; j++) {
            CHECK_INT(a.changes[j], b.changes[j]);
        }
    }
}

TEST(events_past_the_limit_are_the_same) {
    CaromImpact *impact = create_solver();
    CaromRecord *brief = NULL, *full = NULL;
    CHECK(carom_record_create(NULL, &brief) == CAROM_OK);
    CHECK(carom_record_create(NULL, &full) == CAROM_OK);
    carom_record_set_limit(brief, 1);
    static const double restitutions[] = {1, 0.9, 0.5};
    for (int i = 0; i < 6; i++) {
        Row row;
        int count = i % 2 == 1 ? 8 : ROW;
        CaromImpactProblem problem = row_problem(&row, count, restitutions[i / 2], i % 2 == 1);
        CaromImpactOptions options = carom_impact_options_default();
        CaromImpactResult r;
        options.samples = 2;
        carom_record_attach(brief, &options);
        CHECK(carom_impact_solve(impact, &problem, &options, &r) == CAROM_OK);
        double last = r.bodies[count - 1].velocity.x;
        carom_record_attach(full, &options);
        CHECK(carom_impact_solve(impact, &problem, &options, &r) == CAROM_OK);
        CHECK(last == r.bodies[count - 1].velocity.x);
        CHECK(carom_record_event_count(full) > count);
        check_events(brief, full);
    }
    carom_record_destroy(brief);
    carom_record_destroy(full);
    carom_impact_destroy(impact);
}

TEST(destroying_nothing_is_fine) {
    carom_record_destroy(NULL);
    carom_impact_destroy(NULL);
    CHECK(true);
}
