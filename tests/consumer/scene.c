// SPDX-License-Identifier: Apache-2.0
// A stranger's program that needs the scene library: an empty scene is an error, not a crash.
#include <carom/scene.h>
#include <stddef.h>

int main(void) {
    CaromScene *scene = NULL;
    bool refused = carom_scene_parse("{", 1, NULL, &scene) != CAROM_OK;
    carom_scene_destroy(scene);
    return !refused;
}
