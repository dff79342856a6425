// SPDX-License-Identifier: Apache-2.0
// A stack of three boxes comes to rest, is pushed, and is pushed once more from
// the same start. The way of an engine: bodies with shapes, time steps, events,
// contacts, snapshots.
#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOXES = 3 };

static void on_event(void *user, const CaromPileEvent *event) {
    int *impacts = user;
    *impacts += event->kind == CAROM_PILE_IMPACT;
}

int main(void) {
    CaromShape *box = NULL;
    CaromPile *pile = NULL;
    CaromPileDef def = carom_pile_def_default();
    def.material.restitution = 0.2;
    def.material.friction = 0.5;
    def.impact.max_steps = 500; // then an impact is solved by a rigid law
    if (carom_shape_box((CaromVec3){0.1, 0.1, 0.1}, NULL, &box) != CAROM_OK ||
        carom_pile_create(&def, &pile) != CAROM_OK) {
        return 1;
    }
    int floor = 0, boxes[BOXES], impacts = 0;
    carom_pile_listen(pile, on_event, &impacts);
    carom_pile_add_plane(pile, (CaromVec3){0, 0, 0}, (CaromVec3){0, 0, 1}, &floor);
    for (int i = 0; i < BOXES; i++) {
        CaromPileBodyDef body = carom_pile_body_def_default();
        body.shape = box;
        body.motion.pose.position = (CaromVec3){0, 0, 0.06 + 0.11 * i}; // 1 cm apart
        if (carom_pile_add_body(pile, &body, &boxes[i]) != CAROM_OK) {
            return 1;
        }
    }
    carom_pile_advance(pile, 2, 0);
    printf("at rest: %s, after %d impacts\n", carom_pile_at_rest(pile) ? "yes" : "no", impacts);

    double load = 0; // on the floor
    for (int c = 0; c < carom_pile_contact_count(pile); c++) {
        CaromPileContact contact = carom_pile_contact(pile, c);
        load += contact.body[1] == CAROM_PILE_PLANE(floor) ? contact.force.z : 0;
    }
    printf("the floor carries %.2f N\n", load);

    void *memory = malloc(carom_pile_snapshot_size(pile));
    if (memory == NULL) {
        return 1;
    }
    carom_pile_snapshot(pile, memory);
    CaromVec3 at = carom_pile_motion(pile, boxes[2]).pose.position;
    for (int push = 1; push <= 2; push++) {
        carom_pile_restore(pile, memory);
        carom_pile_push(pile, boxes[2], (CaromVec3){0.5 * push, 0, 0}, at);
        carom_pile_advance(pile, 4, 0);
        CaromVec3 end = carom_pile_motion(pile, boxes[2]).pose.position;
        printf("pushed by %.1f N s, the upper box ends at (%.3f, %.3f, %.3f) m\n", 0.5 * push,
               end.x, end.y, end.z);
    }
    free(memory);
    carom_pile_destroy(pile);
    carom_shape_destroy(box);
    return 0;
}
