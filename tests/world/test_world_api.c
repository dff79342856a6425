// SPDX-License-Identifier: Apache-2.0
// The interface: memory, messages, the order of events, the same bytes on every run.
#include "cradle.h"

#include <stdlib.h>

typedef struct Watch {
    int allocations, messages;
    char last[256];
} Watch;

static void *count_allocation(void *user, size_t size) {
    ((Watch *)user)->allocations++;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void note(void *user, const char *message) {
    Watch *watch = user;
    watch->messages++;
    (void)snprintf(watch->last, sizeof watch->last, "%s", message);
}

static CaromWorldDef watched(Watch *watch) {
    CaromWorldDef def = carom_world_def_default();
    def.host =
        (CaromHost){.log = note, .allocate = count_allocation, .release = release, .user = watch};
    return def;
}

static CaromBallDef ball_at(double x, double z) {
    CaromBallDef ball = carom_ball_def_default();
    ball.radius = 0.1;
    ball.position = (CaromVec3){x, 0, z};
    return ball;
}

TEST(steps_allocate_nothing) {
    Watch watch = {0};
    CaromWorldDef def = watched(&watch);
    CaromWorld *world = NULL;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    int after_create = watch.allocations;
    CaromPlaneDef floor = {.normal = {0, 0, 1}};
    CaromMaterial soft = carom_material_default();
    soft.restitution = 0.5;
    CaromBallDef upper = ball_at(0, 0.7), lower = ball_at(0, 0.3);
    CHECK(carom_world_add_ball(world, &upper, NULL) == CAROM_OK);
    CHECK(carom_world_add_ball(world, &lower, NULL) == CAROM_OK);
    CHECK(carom_world_add_plane(world, &floor, NULL) == CAROM_OK);
    CHECK(carom_world_set_material(world, 0, 1, &soft) == CAROM_OK);
    CHECK(carom_world_set_material(world, CAROM_PLANE(0), 1, &soft) == CAROM_OK);
    CHECK(carom_world_advance(world, 3, 10000) == CAROM_OK);
    CHECK(carom_world_event_count(world) > 10);
    CHECK_INT(watch.allocations, after_create);
    carom_world_destroy(world);
}

TEST(bad_data_is_explained) {
    Watch watch = {0};
    CaromWorldDef def = watched(&watch);
    CaromWorld *world = NULL;
    def.touching = 2;
    CHECK(carom_world_create(&def, &world) == CAROM_BAD_ARGUMENT);
    CHECK_STRING(watch.last, "touching: must be in [0, 0.1]");
    CHECK(world == NULL);
    def.touching = 1e-9;
    CHECK(carom_world_create(&def, &world) == CAROM_OK);

    CaromBallDef ball = ball_at(0, 0);
    ball.mass = -1;
    CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_BAD_DATA);
    CHECK_STRING(watch.last, "balls[0].mass, radius: must be > 0");
    CHECK_INT(carom_world_ball_count(world), 0);
    ball = ball_at(0, 0);
    ball.motion = CAROM_MOTION_PENDULUM;
    ball.pendulum = (CaromPendulum){.direction = {0, 0, 1}, .length = 1};
    CHECK(carom_world_add_ball(world, &ball, NULL) == CAROM_BAD_DATA);
    CHECK_STRING(watch.last, "balls[0].pendulum.direction: must be across gravity");
    CaromPlaneDef flat = {.normal = {0, 0, 0}};
    CHECK(carom_world_add_plane(world, &flat, NULL) == CAROM_BAD_DATA);
    CHECK_STRING(watch.last, "planes[0].normal: must not be zero");
    CaromMaterial material = carom_material_default();
    CHECK(carom_world_set_material(world, 0, 1, &material) == CAROM_BAD_ARGUMENT);

    // Every overlap is named.
    watch.messages = 0;
    CaromBallDef a = ball_at(0, 0.05), b = ball_at(0.1, 0.05);
    CaromPlaneDef floor = {.normal = {0, 0, 1}};
    carom_world_add_ball(world, &a, NULL);
    carom_world_add_ball(world, &b, NULL);
    carom_world_add_plane(world, &floor, NULL);
    CHECK(carom_world_step(world) == CAROM_BAD_DATA);
    CHECK_INT(watch.messages, 3);
    CHECK_STRING(watch.last, "balls[1]: overlaps balls[0] by 0.1");
    carom_world_destroy(world);
}

TEST(moves_only_to_the_next_event) {
    CaromWorld *world = cradle_world(CAROM_MOTION_SMALL_ANGLE, 1, 1e-9);
    double next = carom_world_next_time(world);
    CHECK(carom_world_move(world, 0.5 * next) == CAROM_OK);
    CHECK(carom_world_move(world, 0.4 * next) == CAROM_BAD_ARGUMENT);
    CHECK(carom_world_move(world, 1.1 * next) == CAROM_BAD_ARGUMENT);
    CHECK_NEAR(carom_world_time(world), 0.5 * next, 0);
    CHECK(carom_world_advance(world, 1.1 * next, 0) == CAROM_OK);
    CHECK_INT(carom_world_event_count(world), 1);
    CHECK_NEAR(carom_world_time(world), 1.1 * next, 0);
    carom_world_destroy(world);
}

// ---- Events ----------------------------------------------------------------------------------

typedef struct Story {
    int count;
    double last_time;
    char kinds[64];
    unsigned long bytes; ///< a sum over all bits of all velocities
} Story;

static void add_bytes(Story *story, const void *data, size_t size) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        story->bytes = story->bytes * 31 + byte[i];
    }
}

static void listen(void *user, const CaromWorldEvent *event) {
    Story *story = user;
    CHECK(event->time >= story->last_time);
    story->last_time = event->time;
    if (story->count < 63) {
        story->kinds[story->count] = carom_world_event_text(event->kind)[0];
    }
    story->count++;
    add_bytes(story, &event->time, sizeof event->time);
    for (int i = 0; i < event->ball_count; i++) {
        CHECK(i == 0 || event->balls[i] > event->balls[i - 1]);
        add_bytes(story, &event->after[i].velocity, sizeof event->after[i].velocity);
    }
}

TEST(listener_hears_all_in_order) {
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = 0;
    def.material.friction = 0.3;
    CaromWorld *world = NULL;
    Story story = {0};
    CHECK(carom_world_create(&def, &world) == CAROM_OK);
    CaromPlaneDef floor = {.normal = {0, 0, 1}};
    CaromBallDef ball = ball_at(0, 0.3);
    ball.velocity.x = 3;
    carom_world_add_plane(world, &floor, NULL);
    carom_world_add_ball(world, &ball, NULL);
    carom_world_listen(world, listen, &story);
    CHECK(carom_world_advance(world, INFINITY, 100) == CAROM_OK);
    CHECK_STRING(story.kinds, "isr"); // impact, settles, rolls
    carom_world_destroy(world);
}

TEST(the_same_bytes_on_every_run) {
    Story stories[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        CaromWorld *world = cradle_world(CAROM_MOTION_PENDULUM, 1, 1e-9);
        carom_world_listen(world, listen, &stories[i]);
        CHECK(carom_world_advance(world, 5, 1000) == CAROM_OK);
        carom_world_destroy(world);
    }
    CHECK(stories[0].count > 50);
    CHECK_INT(stories[0].count, stories[1].count);
    CHECK(stories[0].bytes == stories[1].bytes);
}
