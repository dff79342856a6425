// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": the cue, in units of physics or of play.
#include "base/vec.h"
#include "scene/billiards_kind.h"
#include "scene/body.h"

#include <string.h>

bool carom_node_place(const CaromNode *node, CaromVec3 *place) {
    double values[3] = {0};
    size_t count = json_is_array(node->json) ? json_array_size(node->json) : 0;
    if (count != 2 && count != 3) {
        carom_node_mismatch(node, "[x, y] or [x, y, z]");
        return false;
    }
    if (!carom_node_numbers(node, (int)count, values)) {
        return false;
    }
    *place = v3(values[0], values[1], values[2]);
    return true;
}

/// Of the tip in radii, as the player sees it.
static void check_offset(const CaromNode *node, double side, double height) {
    if (side * side + height * height >= 1) {
        carom_node_error(node, "the tip misses the ball: side^2 + height^2 must be below 1");
    }
}

// ---- A shot ----------------------------------------------------------------------------------

/// Degrees, the name of a ball, or a place on the table.
static void read_aim(CaromObject *shot, CaromVec3 from, CaromTargetFn *target, const void *user,
                     double *aim) {
    CaromNode node;
    CaromVec3 at = v3(0, 0, 0);
    if (!carom_object_get(shot, "aim", &node)) {
        return;
    }
    double degrees = 0;
    if (json_is_string(node.json) || json_is_array(node.json)) {
        bool found = json_is_string(node.json)
                         ? target(user, &node, json_string_value(node.json), &at)
                         : carom_node_place(&node, &at);
        if (found && norm2(at.x - from.x, at.y - from.y) > 0) {
            *aim = atan2(at.y - from.y, at.x - from.x);
        } else if (found) {
            carom_node_error(&node, "is where the cue ball is");
        }
    } else if (!json_is_number(node.json)) {
        carom_node_mismatch(&node, "degrees, the name of a ball, or a place [x, y]");
    } else if (carom_node_number(&node, CAROM_ANY, &degrees)) {
        *aim = degrees * acos(-1.0) / 180;
    }
}

static void read_shot(const CaromNode *node, CaromVec3 from, CaromTargetFn *target,
                      const void *user, CaromCueDef *cue) {
    CaromObject object;
    CaromShot shot = {0};
    double elevation = 0, turn = 0;
    if (!carom_object_open(&object, node)) {
        return;
    }
    if (carom_object_require(&object, "speed")) {
        carom_read_number(&object, "speed", CAROM_POSITIVE, &shot.speed);
    }
    read_aim(&object, from, target, user, &shot.aim);
    carom_read_number(&object, "turn", CAROM_ANY, &turn);
    carom_read_number(&object, "elevation", (CaromRange){-5, 90, false}, &elevation);
    carom_read_number(&object, "side", (CaromRange){-1, 1, false}, &shot.side);
    carom_read_number(&object, "height", (CaromRange){-1, 1, false}, &shot.height);
    check_offset(node, shot.side, shot.height);
    shot.aim += turn * acos(-1.0) / 180;
    shot.elevation = elevation * acos(-1.0) / 180;
    *cue = carom_shot_cue(&shot);
    carom_object_close(&object);
}

// ---- A cue -----------------------------------------------------------------------------------

/// The place that the tip hits, by its normal or as the player sees it.
static void read_hit(CaromObject *object, CaromCueDef *cue) {
    CaromNode node;
    double offset[2];
    bool by_offset = carom_object_get(object, "offset", &node);
    if (carom_read_axis(object, "hit_normal", &cue->normal)) {
        if (by_offset) {
            carom_node_error(&node, "one of hit_normal and offset is enough");
        }
        if (v3_dot(cue->normal, cue->direction) >= 0) {
            CaromNode normal = carom_node_member(&object->node, "hit_normal");
            carom_node_error(&normal, "must point against the direction of the cue");
        }
        return;
    }
    CaromVec3 ahead = cue->direction;
    CaromShot shot = {.speed = 1,
                      .aim = atan2(ahead.y, ahead.x),
                      .elevation = atan2(-ahead.z, norm2(ahead.x, ahead.y))};
    if (by_offset && carom_node_numbers(&node, 2, offset)) {
        check_offset(&node, offset[0], offset[1]);
        shot.side = offset[0];
        shot.height = offset[1];
    }
    cue->normal = carom_shot_cue(&shot).normal;
}

/// Alone, or with a shot that says how it moves.
static void read_cue(const CaromNode *node, bool with_shot, CaromCueDef *cue) {
    static const char *const moves[] = {"speed", "direction", "hit_normal", "offset"};
    CaromObject object;
    if (!carom_object_open(&object, node)) {
        return;
    }
    carom_read_number(&object, "mass", CAROM_POSITIVE, &cue->mass);
    carom_read_number(&object, "end_mass", CAROM_NOT_NEGATIVE, &cue->end_mass);
    carom_read_material(&object, &cue->material);
    for (int i = 0; i < 4 && with_shot; i++) {
        carom_object_forbid(&object, moves[i], "the shot says this");
    }
    if (!with_shot) {
        if (carom_object_require(&object, "speed")) {
            carom_read_number(&object, "speed", CAROM_POSITIVE, &cue->speed);
        }
        if (carom_object_require(&object, "direction")) {
            carom_read_axis(&object, "direction", &cue->direction);
        }
        read_hit(&object, cue);
    }
    carom_object_close(&object);
}

bool carom_read_cue(CaromObject *scene, CaromVec3 from, CaromTargetFn *target, const void *user,
                    CaromCueDef *cue) {
    CaromNode shot, stick;
    bool has_shot = carom_object_get(scene, "shot", &shot);
    bool has_cue = carom_object_get(scene, "cue", &stick);
    *cue = carom_cue_def_default();
    if (has_shot) {
        read_shot(&shot, from, target, user, cue);
    }
    if (has_cue) {
        read_cue(&stick, has_shot, cue);
    }
    return has_shot || has_cue;
}
