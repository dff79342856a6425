// SPDX-License-Identifier: Apache-2.0
// Tables: geometry of racks and pockets, cushions, balls that fall and balls that leave.
#include "base/vec.h"
#include "carom/billiards.h"
#include "test.h"

#include <stdlib.h>

static const double degree = 0.017453292519943295;

/// One ball on a pool table, rolling.
static CaromBilliards *roll(CaromBilliardsDef def, CaromVec3 from, double aim, double speed,
                            double spin) {
    CaromVec3 v = v3(speed * cos(aim), speed * sin(aim), 0);
    double r = def.kind.radius;
    CaromBallStart ball = {
        .position = v3(from.x, from.y, r),
        .velocity = v,
        .angular_velocity = v3(-v.y / r, v.x / r, spin),
    };
    def.balls = &ball;
    def.ball_count = 1;
    CaromBilliards *game = NULL;
    CHECK(carom_billiards_create(&def, &game) == CAROM_OK);
    return game;
}

typedef struct Story {
    int impacts, gone, where;
    CaromVec3 first; ///< velocity after the first impact
} Story;

static void on_event(void *user, const CaromWorldEvent *event) {
    Story *story = user;
    if (event->kind == CAROM_WORLD_IMPACT && story->impacts++ == 0) {
        story->first = event->after[0].velocity;
    }
    if (event->kind == CAROM_WORLD_GONE) {
        story->gone++;
        story->where = CAROM_PLANE(event->contacts[0][1]);
    }
}

static Story play(CaromBilliards *game) {
    Story story = {0};
    CaromWorld *world = carom_billiards_world(game);
    carom_world_listen(world, on_event, &story);
    CHECK(carom_world_advance(world, INFINITY, 2000) == CAROM_OK);
    CHECK(carom_world_ball(world, 0).at_rest);
    carom_billiards_destroy(game);
    return story;
}

// ---- Racks -----------------------------------------------------------------------------------

TEST(racks_touch) {
    static const int pairs[] = {16, 30}; // in a diamond of 9 and a triangle of 15
    for (int rack = 0; rack < 2; rack++) {
        CaromVec3 places[CAROM_RACK_MOST];
        int count = carom_rack_place((CaromRack)rack, v3(1, 2, 0.03), 0.03, 0, 0, places);
        int touching = 0;
        CHECK_INT(count, rack == 0 ? 9 : 15);
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < a; b++) {
                double gap = v3_norm(v3_sub(places[a], places[b])) - 0.06;
                touching += fabs(gap) < 1e-15;
                CHECK(gap > -1e-15);
            }
        }
        CHECK_INT(touching, pairs[rack]);
    }
}

// Gaps of a shaken rack are between nothing and twice the jitter; the same seed, the same rack.
TEST(jitter_opens_gaps) {
    CaromVec3 places[CAROM_RACK_MOST], again[CAROM_RACK_MOST];
    double jitter = 1e-4, widest = 0;
    for (uint64_t seed = 1; seed < 50; seed++) {
        int count = carom_rack_place(CAROM_RACK_EIGHT, v3(0, 0, 0), 0.03, jitter, seed, places);
        carom_rack_place(CAROM_RACK_EIGHT, v3(0, 0, 0), 0.03, jitter, seed, again);
        for (int i = 0; i < count; i++) {
            CHECK(v3_norm(v3_sub(places[i], again[i])) == 0);
            for (int k = 0; k < i; k++) {
                double gap = v3_norm(v3_sub(places[i], places[k])) - 0.06;
                CHECK(gap > -1e-15);
                widest = gap < 0.01 ? fmax(widest, gap) : widest;
            }
        }
    }
    CHECK(widest > jitter && widest <= 2 * jitter + 1e-15);
}

// ---- Cushions --------------------------------------------------------------------------------

// Straight into a cushion and straight back, slower; the nose is above the middle of the ball,
// which must not go through the cloth.
TEST(straight_into_a_cushion) {
    Story story =
        play(roll(carom_billiards_def_default(CAROM_BALLS_CAROM), v3(1.4, 0.7, 0), 0, 2, 0));
    CHECK(story.first.x < -1 && story.first.x > -2);
    CHECK_NEAR(story.first.y, 0, 1e-12);
    CHECK(story.first.z >= 0);
    CHECK_INT(story.gone, 0);
}

// A ball comes off steeper with the one side spin and flatter with the other.
TEST(side_spin_on_a_cushion) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_CAROM);
    double slope[3];
    for (int i = 0; i < 3; i++) {
        Story story = play(roll(def, v3(1.4, 0.7, 0), 45 * degree, 2, 60 * (i - 1)));
        CHECK(story.first.x > 0 && story.first.y < 0);
        slope[i] = story.first.x / -story.first.y;
    }
    CHECK(slope[0] < slope[1] && slope[1] < slope[2]);
}

// Mirror images on the table stay mirror images.
TEST(cushions_mirror) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_CAROM);
    Story one = play(roll(def, v3(1.42, 0.71, 0), 50 * degree, 2.5, 20));
    Story two = play(roll(def, v3(1.42, 0.71, 0), -50 * degree, 2.5, -20));
    CHECK_NEAR(one.first.x, two.first.x, 1e-9);
    CHECK_NEAR(one.first.y, -two.first.y, 1e-9);
    CHECK_INT(one.impacts, two.impacts);
}

// A nose at the height of the centre, without friction: the ball comes back with e times its speed.
TEST(nose_at_the_middle_keeps_the_ball_down) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_CAROM);
    def.table.nose = def.kind.radius;
    def.table.cushion.friction = 0;
    Story story = play(roll(def, v3(1.4, 0.7, 0), 0, 2, 0));
    CHECK_NEAR(story.first.z, 0, 1e-12);
    double loss = 2 * 5.0 / 7 * def.table.rolling * 9.8 * (1.44 - def.kind.radius);
    CHECK_NEAR(story.first.x, -0.85 * sqrt(4 - loss), 1e-9); // -e v, tolerance of the solver
}

// ---- Pockets ---------------------------------------------------------------------------------

TEST(six_pockets_catch) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    int count = carom_table_parts(&def.table, parts), pockets = 0;
    CaromVec3 from = v3(1.3, 0.6, 0);
    CHECK(count <= CAROM_TABLE_MOST_PARTS);
    for (int i = 0; i < count; i++) {
        if (parts[i].kind == CAROM_PART_POCKET) {
            double corner = 0.041, x = fmin(fmax(parts[i].from.x, corner), 2.54 - corner);
            double y = fmin(fmax(parts[i].from.y, corner), 1.27 - corner); // in its mouth
            CaromVec3 way = v3_sub(v3(x, y, 0), from);
            Story story = play(roll(def, from, atan2(way.y, way.x), 1.5, 0));
            CHECK_INT(story.gone, 1);
            CHECK_INT(story.where, i);
            pockets++;
        }
    }
    CHECK_INT(pockets, 6);
}

// Along the cushion at its nose, past the side pocket into the corner.
TEST(along_the_cushion) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    carom_table_parts(&def.table, parts);
    Story story = play(roll(def, v3(0.3, def.kind.radius * 1.01, 0), 0, 2, 0));
    CHECK_INT(story.gone, 1);
    CHECK_STRING(parts[story.where].name, "bottom-right pocket");
}

// Behind a deep shelf there is a pocket still, and the ball falls there: the rails are beyond it.
TEST(deep_shelves) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    def.table.side.shelf = def.table.corner.shelf = 0.4;
    def.table.side.turn = 90 * degree; // jaws side by side, as they would meet
    def.table.corner.turn = 45 * degree;
    carom_table_parts(&def.table, parts);
    Story side = play(roll(def, v3(1.27, 0.6, 0), -90 * degree, 2, 0));
    CHECK_STRING(parts[side.where].name, "bottom-middle pocket");
    Story corner = play(roll(def, v3(0.5, 0.5, 0), 225 * degree, 2, 0));
    CHECK_STRING(parts[corner.where].name, "bottom-left pocket");
}

// Too wide of the mark: the jaws keep the ball out.
TEST(jaws_rattle) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    Story story = play(roll(def, v3(0.57, 0.5, 0), 225 * degree, 1.5, 0));
    CHECK(story.impacts > 0);
    CHECK_INT(story.gone, 0);
}

// A ball that flies over a cushion has left the table.
TEST(leaves_the_table) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_CAROM);
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    CaromBallStart ball = {.position = v3(2.5, 0.7, def.kind.radius), .velocity = v3(3, 0, 1.5)};
    CaromBilliards *game = NULL;
    def.balls = &ball;
    def.ball_count = 1;
    carom_table_parts(&def.table, parts);
    CHECK(carom_billiards_create(&def, &game) == CAROM_OK);
    Story story = play(game);
    CHECK_INT(story.gone, 1);
    CHECK(parts[story.where].kind == CAROM_PART_OFF);
}

// ---- Memory ----------------------------------------------------------------------------------

typedef struct Counter {
    long allocations;
    long refused_after;
} Counter;

static void *count_allocation(void *user, size_t size) {
    Counter *counter = user;
    return counter->allocations++ < counter->refused_after ? malloc(size) : NULL;
}

static void count_release(void *user, void *block) {
    (void)user;
    free(block);
}

// Whatever allocation fails, creation says so and leaves nothing behind; play allocates nothing.
TEST(memory_of_a_game) {
    for (long most = 0; most < 20; most++) {
        Counter counter = {0, most};
        CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
        CaromBallStart ball = {.position = v3(1, 0.6, def.kind.radius)};
        CaromBilliards *game = NULL;
        def.host =
            (CaromHost){.allocate = count_allocation, .release = count_release, .user = &counter};
        def.balls = &ball;
        def.ball_count = 1;
        def.struck = 0;
        def.cue = carom_shot_cue(&(CaromShot){.speed = 3, .aim = 1, .side = 0.2});
        CaromStatus status = carom_billiards_create(&def, &game);
        CHECK(status == CAROM_OK || status == CAROM_NO_MEMORY);
        if (status == CAROM_OK) {
            long before = counter.allocations;
            CHECK(carom_world_advance(carom_billiards_world(game), INFINITY, 0) == CAROM_OK);
            CHECK_INT(counter.allocations, before);
            carom_billiards_destroy(game);
        } else {
            CHECK(counter.allocations > most);
        }
    }
}
