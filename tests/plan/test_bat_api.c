// SPDX-License-Identifier: Apache-2.0
// The planner from C: defaults, errors that change nothing, memory.
#include "plan/plan_fixture.h"

#include <stdlib.h>

static void keep_message(void *user, const char *message) {
    (void)snprintf(user, 256, "%s", message);
}

/// What a spoilt problem or options come to.
typedef struct Refusal {
    CaromStatus status;
    char message[256];
    bool untouched;
} Refusal;

static Refusal refuse(const CaromBatProblem *problem, const CaromBatOptions *options) {
    Refusal refusal = {0};
    CaromHost host = {.log = keep_message, .user = refusal.message};
    CaromBat *bat = NULL;
    CHECK(carom_bat_create(&host, &bat) == CAROM_OK);
    CaromBatResult result = {.evaluations = 77, .cone_count = 78, .miss = 79};
    refusal.status = carom_bat_solve(bat, problem, options, &result);
    refusal.untouched = result.evaluations == 77 && result.cone_count == 78 && result.miss == 79;
    carom_bat_destroy(bat);
    return refusal;
}

#define CHECK_REFUSED(problem, options, text)                                                      \
    do {                                                                                           \
        Refusal refusal_ = refuse(problem, options);                                               \
        CHECK(refusal_.status == CAROM_BAD_DATA && refusal_.untouched);                            \
        CHECK_STRING(refusal_.message, text);                                                      \
    } while (0)

TEST(bad_problems_are_refused_with_their_place) {
    CaromBatProblem p = tetrahedron();
    p.material.friction = -1;
    CHECK_REFUSED(&p, NULL, "friction: must be in [0, 1e60]");
    p = tetrahedron();
    p.material.restitution = 1.1;
    CHECK_REFUSED(&p, NULL, "restitution: must be in [0, 1]");
    p = tetrahedron();
    p.normal = v3(0, 0, 2);
    CHECK_REFUSED(&p, NULL, "normal: must have length 1");
    p = tetrahedron();
    p.target.x = NAN;
    CHECK_REFUSED(&p, NULL, "target: must be finite, at most 1e60");
    p = tetrahedron();
    p.gravity.z = INFINITY;
    CHECK_REFUSED(&p, NULL, "gravity: must be finite, at most 1e60");
    p = tetrahedron();
    p.point.y = NAN;
    CHECK_REFUSED(&p, NULL, "point: must be finite, at most 1e60");
    p = tetrahedron();
    p.object = carom_body_fixed();
    CHECK_REFUSED(&p, NULL,
                  "object: an impulse at the contact must be able to change its velocity at will");
    p = tetrahedron();
    p.object.velocity.x = NAN;
    CHECK_REFUSED(&p, NULL, "object: velocity: must be finite, at most 1e60");
    p = tetrahedron();
    p.bat = carom_body_slider(1, v3(0, 0, 1));
    CHECK_REFUSED(&p, NULL, "bat: must be able to move in every direction at the contact");
}

TEST(bad_options_are_refused) {
    CaromBatProblem p = tetrahedron();
    CaromBatOptions o = carom_bat_options_default();
    o.choice = CAROM_BAT_HIGHEST_APEX;
    CHECK_REFUSED(&p, &o, "speed_limit: is needed for the highest or lowest apex");
    o.speed_limit = -1;
    CHECK_REFUSED(&p, &o, "speed_limit: must be > 0");
    o = carom_bat_options_default();
    o.choice = CAROM_BAT_FLIGHT_TIME;
    CHECK_REFUSED(&p, &o, "flight_time: must be > 0, at most 1e60");
    o = carom_bat_options_default();
    o.accuracy = 0;
    CHECK_REFUSED(&p, &o, "accuracy: must be > 0");
    o = carom_bat_options_default();
    o.start_given = true;
    o.start[1].x = NAN;
    CHECK_REFUSED(&p, &o, "start: must be finite, at most 1e60");
    o = carom_bat_options_default();
    o.spin_given = true;
    p.bat = carom_body_point(1);
    CHECK_REFUSED(&p, &o, "bat: cannot turn, so its angular velocity must not be given");
}

TEST(compliant_contacts_are_not_supported) {
    CaromBatProblem p = tetrahedron();
    p.material.tangential = CAROM_TANGENTIAL_COMPLIANT;
    CHECK(refuse(&p, NULL).status == CAROM_UNSUPPORTED);
}

TEST(texts) {
    CHECK_STRING(carom_bat_method_text(CAROM_BAT_CENTROID), "triangle-centroid");
    CHECK_STRING(carom_bat_choice_text(CAROM_BAT_LEAST_SPEED), "least-speed");
    CHECK_STRING(carom_bat_outcome_text(CAROM_BAT_OUTSIDE_CONE), "outside-cone");
    for (int k = CAROM_BAT_SOLVED; k <= CAROM_BAT_NOT_CONVERGED; k++) {
        CHECK(strlen(carom_bat_reason((CaromBatOutcome)k)) > 20);
    }
}

// ---- Memory ----------------------------------------------------------------------------------

typedef struct Count {
    int allocations, releases, room;
} Count;

static void *count_allocate(void *user, size_t size) {
    Count *count = user;
    if (count->room-- <= 0) {
        return NULL;
    }
    count->allocations++;
    return malloc(size);
}

static void count_release(void *user, void *memory) {
    Count *count = user;
    count->releases += memory != NULL;
    free(memory);
}

TEST(solve_allocates_nothing) {
    Count count = {.room = 100};
    CaromHost host = {.allocate = count_allocate, .release = count_release, .user = &count};
    CaromBat *bat = NULL;
    CHECK(carom_bat_create(&host, &bat) == CAROM_OK);
    int before = count.allocations;
    CaromBatProblem p = tetrahedron();
    for (int method = CAROM_BAT_AUTO; method <= CAROM_BAT_NEWTON; method++) {
        CaromBatOptions options = carom_bat_options_default();
        CaromBatResult r;
        CaromBatSensitivity s;
        CaromImpactResult impact;
        double miss;
        options.method = (CaromBatMethod)method;
        CHECK(carom_bat_solve(bat, &p, &options, &r) == CAROM_OK);
        CHECK(carom_bat_verify(bat, &p, &r.least_energy, &impact, &miss) == CAROM_OK);
        CHECK(carom_bat_sensitivity(bat, &p, &r.strike, &s) == CAROM_OK);
    }
    CHECK_INT(count.allocations, before);
    carom_bat_destroy(bat);
    CHECK_INT(count.releases, count.allocations);
}

TEST(create_gives_up_without_a_leak) {
    for (int room = 0; room < 2; room++) {
        Count count = {.room = room};
        CaromHost host = {.allocate = count_allocate, .release = count_release, .user = &count};
        CaromBat *bat = NULL;
        CHECK(carom_bat_create(&host, &bat) == CAROM_NO_MEMORY);
        CHECK(bat == NULL && count.allocations == count.releases);
    }
    carom_bat_destroy(NULL);
}

// The same input gives the same bits.
TEST(plans_are_reproducible) {
    CaromBatProblem p = tetrahedron();
    for (int method = CAROM_BAT_AUTO; method <= CAROM_BAT_NEWTON; method++) {
        CaromBatResult a = plan_by(&p, (CaromBatMethod)method);
        CaromBatResult b = plan_by(&p, (CaromBatMethod)method);
        CHECK(a.strike.contact_velocity.x == b.strike.contact_velocity.x);
        CHECK(a.strike.contact_velocity.z == b.strike.contact_velocity.z);
        CHECK(a.evaluations == b.evaluations);
    }
}
