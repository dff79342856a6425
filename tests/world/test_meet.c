// SPDX-License-Identifier: Apache-2.0
// Next meetings against 100-digit roots, grazing included; pendulums against a fine search.
#include "base/vec.h"
#include "test.h"
#include "world/meet.h"

#include <stdlib.h>

static const CaromSlack slack = {1e-12, 1e-13};

static double read_number(char **text) {
    double value = strtod(*text, text);
    *text += **text == ',';
    return value;
}

static CaromVec3 read_vector(char **text) {
    CaromVec3 v;
    v.x = read_number(text);
    v.y = read_number(text);
    v.z = read_number(text);
    return v;
}

// tests/data/meetings.csv, made by scripts/make_meeting_roots.py.
TEST(parabolas_against_100_digits) {
    FILE *file = fopen("tests/data/meetings.csv", "r");
    CHECK(file != NULL);
    if (file == NULL) {
        return;
    }
    char line[1024];
    int met = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') {
            continue;
        }
        char *text = line;
        CaromMotion a = {.kind = CAROM_MOTION_FREE, .end = INFINITY};
        CaromMotion b = {.kind = CAROM_MOTION_FIXED, .end = INFINITY};
        a.position = read_vector(&text);
        a.velocity = read_vector(&text);
        a.acceleration = read_vector(&text);
        double reach = read_number(&text);
        double time = read_number(&text);
        double approach = read_number(&text);
        CaromMeeting meeting = carom_meet_balls(&a, &b, reach, 0, slack);
        if (isinf(time)) {
            CHECK(isinf(meeting.time));
        } else if (approach > 1e-6) {
            // The coefficients are of order 10 and rounded: the root moves by that over the slope.
            CHECK_NEAR(meeting.time, time, 1e-13 + 1e-14 / approach);
            met++;
        } else {
            // A graze this close may be seen or not; where it is seen, it is there.
            CHECK(isinf(meeting.time) || fabs(meeting.time - time) < 1e-4);
        }
    }
    fclose(file);
    CHECK(met > 100);
}

static CaromMotion pendulum(CaromMotionKind kind, double pivot, double angle, double rate) {
    return (CaromMotion){.kind = kind,
                         .end = INFINITY,
                         .pivot = {pivot, 0, 0},
                         .along = {1, 0, 0},
                         .up = {0, 0, 1},
                         .length = 0.2,
                         .frequency = 7,
                         .angle = angle,
                         .rate = rate};
}

/// The first time the gap is negative on a fine grid.
static double search(const CaromMotion *a, const CaromMotion *b, double reach, double most) {
    for (double t = 1e-5; t < most; t += 1e-5) {
        CaromBallState p = carom_motion_at(a, t), q = carom_motion_at(b, t);
        if (carom_gap_between(&p, &q, reach).width < -1e-13) {
            return t;
        }
    }
    return INFINITY;
}

static void compare(const CaromMotion *a, const CaromMotion *b, double reach) {
    CaromMeeting meeting = carom_meet_balls(a, b, reach, 0, slack);
    for (int look = 0; !meeting.sure && look < 1000 && meeting.time < 2; look++) {
        meeting = carom_meet_balls(a, b, reach, meeting.time, slack);
    }
    double found = search(a, b, reach, 2);
    if (isinf(found)) {
        CHECK(meeting.time > 2 - 1e-5);
    } else {
        CHECK_NEAR(meeting.time, found, 2e-5); // a step of the grid
    }
    if (meeting.time < 2) {
        CaromBallState p = carom_motion_at(a, meeting.time), q = carom_motion_at(b, meeting.time);
        CHECK_NEAR(carom_gap_between(&p, &q, reach).width, 0, 1e-13); // rounding of 0.2 m and w t
    }
}

TEST(pendulums_against_a_search) {
    for (int kind = CAROM_MOTION_SMALL_ANGLE; kind <= CAROM_MOTION_PENDULUM; kind++) {
        CaromMotionKind k = (CaromMotionKind)kind;
        CaromMotion still = pendulum(k, 0.04, 0, 0);
        CaromMotion lifted = pendulum(k, 0, -0.8, 0), fast = pendulum(k, 0.04, 0.1, 3);
        CaromMotion parted = pendulum(k, 0, 0, -1), other = pendulum(k, 0.04, 0, 1.5);
        compare(&lifted, &still, 0.04);
        compare(&lifted, &fast, 0.04);
        compare(&fast, &lifted, 0.04); // either order
        compare(&parted, &other, 0.04);
        compare(&lifted, &fast, 0.035); // hanging apart
        compare(&parted, &other, 0.035);
        compare(&parted, &still, 0.0399);
    }
}

// Pendulums of other lengths, and a ball thrown at a pendulum: steps bounded by the acceleration.
TEST(any_motions_against_a_search) {
    CaromMotion a = pendulum(CAROM_MOTION_PENDULUM, 0, -0.8, 0), b = a;
    b.pivot.x = 0.05;
    b.length = 0.23;
    b.frequency = 6.5;
    b.angle = 0;
    compare(&a, &b, 0.04);
    CaromMotion thrown = {.kind = CAROM_MOTION_FREE,
                          .end = INFINITY,
                          .position = {0.5, 0, -0.4},
                          .velocity = {-2, 0, 2.2},
                          .acceleration = {0, 0, -9.8}};
    CaromMotion swinging = pendulum(CAROM_MOTION_PENDULUM, 0, 0.3, 1);
    compare(&thrown, &swinging, 0.05);
}

TEST(touching_and_parting_is_no_meeting) {
    CaromMotion a = {.kind = CAROM_MOTION_FREE, .end = INFINITY, .velocity = {-1, 0, 0}};
    CaromMotion b = {.kind = CAROM_MOTION_FREE, .end = INFINITY, .position = {1, 0, 0}};
    CHECK(isinf(carom_meet_balls(&a, &b, 1, 0, slack).time));
    a.velocity.x = 0; // at rest side by side
    CHECK(isinf(carom_meet_balls(&a, &b, 1, 0, slack).time));
    a.velocity.x = 1;
    CHECK_NEAR(carom_meet_balls(&a, &b, 1, 0, slack).time, 0, 0);
}

// Thrown up from a floor: back after 2 v / g to the last digit, however slow.
TEST(bounce_times_are_exact) {
    CaromPlane floor = {.normal = {0, 0, 1}};
    for (double v = 1; v > 1e-9; v *= 0.07) {
        CaromMotion ball = {.kind = CAROM_MOTION_FREE,
                            .end = INFINITY,
                            .position = {0, 0, 0.1},
                            .velocity = {0, 0, v},
                            .acceleration = {0, 0, -9.8}};
        CaromMeeting meeting = carom_meet_plane(&ball, 0.1, &floor, 0, slack);
        CHECK_NEAR(meeting.time, 2 * v / 9.8, 1e-15 * v);
    }
}

TEST(planes_end_at_their_edge) {
    CaromPlane step = {.normal = {0, 0, 1}, .edge = {1, 0, 0}};
    CaromMotion ball = {.kind = CAROM_MOTION_FREE,
                        .end = INFINITY,
                        .position = {-0.5, 0, 1},
                        .acceleration = {0, 0, -9.8}};
    CHECK_NEAR(carom_meet_plane(&ball, 0.1, &step, 0, slack).time, sqrt(2 * 0.9 / 9.8), 1e-15);
    ball.velocity.x = 2; // beyond the edge by then
    CHECK(isinf(carom_meet_plane(&ball, 0.1, &step, 0, slack).time));
}
