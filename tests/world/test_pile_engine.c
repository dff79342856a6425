// SPDX-License-Identifier: Apache-2.0
// A pile as an engine drives it: events as they happen, the time of the next one, moves between
// events, states, removal while it runs.
#include "pile_fixture.h"

#include <string.h>

typedef struct Heard {
    int count[8];
    double last;
    bool in_order, impact_told;
} Heard;

static void hear(void *user, const CaromPileEvent *event) {
    Heard *heard = user;
    heard->count[event->kind]++;
    heard->in_order &= event->time >= heard->last;
    heard->last = event->time;
    if (event->kind == CAROM_PILE_IMPACT) {
        heard->impact_told = event->impact != NULL && event->approach > 0 && event->body_count == 2;
    }
}

// A ball falls by h: the impact is at sqrt(2 h / g), nothing happens before, and moves there and no
// farther are allowed.
TEST(next_time_and_moves) {
    CaromShape *ball = ball_of(0.1);
    CaromPileDef def = def_of(1, 0, 0.5);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int b = add(pile, ball, v3(0, 0, 1.1), none);
    Heard heard = {.in_order = true};
    carom_pile_listen(pile, hear, &heard);
    double hit = sqrt(2 * 1.0 / 9.8), next = carom_pile_next_time(pile);
    CHECK(next <= hit + 1e-12); // the next look ahead, or the impact
    CHECK(carom_pile_move(pile, 0.5 * next) == CAROM_OK);
    CHECK_NEAR(carom_pile_time(pile), 0.5 * next, 0);
    CHECK_NEAR(carom_pile_motion(pile, b).velocity.z, -9.8 * 0.5 * next, 1e-14);
    CHECK(carom_pile_move(pile, next + 1) == CAROM_BAD_ARGUMENT);
    CHECK(carom_pile_move(pile, 0) == CAROM_BAD_ARGUMENT);
    CHECK_NEAR(carom_pile_time(pile), 0.5 * next, 0); // refused: nothing has changed
    CHECK(carom_pile_advance(pile, hit - 1e-9, 0) == CAROM_OK);
    CHECK_INT(heard.count[CAROM_PILE_IMPACT], 0);
    CHECK(carom_pile_advance(pile, 2, 0) == CAROM_OK);
    CHECK_INT(heard.count[CAROM_PILE_IMPACT], 1);
    CHECK_INT(heard.count[CAROM_PILE_STOPS], 1);
    CHECK(heard.in_order && heard.impact_told);
    CHECK_INT(carom_pile_state(pile, b), CAROM_PILE_ASLEEP);
    CHECK_STRING(carom_pile_state_text(CAROM_PILE_ASLEEP), "asleep");
    CHECK_STRING(carom_pile_event_text(CAROM_PILE_IMPACT), "impact");
    CHECK(carom_pile_next_time(pile) == INFINITY);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
}

// A ball on a box that is taken away while both sleep: the upper one wakes, falls and is heard.
TEST(removed_support) {
    CaromShape *ball = ball_of(0.1), *box = box_of(0.4, 0.4, 0.2);
    CaromPileDef def = def_of(2, 0, 0.5);
    CaromPile *pile = pile_of(&def);
    carom_pile_add_plane(pile, origin, up, NULL);
    int low = add(pile, box, v3(0, 0, 0.1), none), high = add(pile, ball, v3(0, 0, 0.3), none);
    CHECK(carom_pile_advance(pile, 1, 0) == CAROM_OK);
    CHECK(carom_pile_at_rest(pile));
    Heard heard = {.in_order = true};
    carom_pile_listen(pile, hear, &heard);
    CHECK(carom_pile_remove_body(pile, low) == CAROM_OK);
    CHECK(!carom_pile_has_body(pile, low));
    CHECK(carom_pile_advance(pile, 2, 0) == CAROM_OK);
    CHECK(heard.count[CAROM_PILE_WAKES] >= 1);
    CHECK_INT(heard.count[CAROM_PILE_IMPACT], 1);
    CHECK_NEAR(carom_pile_motion(pile, high).pose.position.z, 0.1, 1e-7);
    carom_pile_destroy(pile);
    carom_shape_destroy(ball);
    carom_shape_destroy(box);
}
