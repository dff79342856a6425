// SPDX-License-Identifier: Apache-2.0
// Kind "soft" in a build without CAROM_SOFT: every scene is refused.
#include "scene/kind.h"

static void *refuse(CaromObject *scene, const char *title, const char *source) {
    (void)title;
    (void)source;
    CaromNode kind = carom_node_member(&scene->node, "kind");
    carom_node_error(&kind, "\"soft\" is not in this build (it was made without CAROM_SOFT)");
    scene->left = true; // its other keys are not looked at
    return NULL;
}

static void free_data(const CaromHost *host, void *data) {
    (void)host;
    (void)data;
}

const CaromSceneKind carom_kind_soft = {.name = "soft", .read = refuse, .free_data = free_data};
