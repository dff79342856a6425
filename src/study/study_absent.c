// SPDX-License-Identifier: Apache-2.0
// In place of the kinds that need more libraries, in a build without them: they are refused.
#include "carom/study.h"
#include "scene/kind.h"
#include "scene/scene.h"

static void *refuse(CaromObject *scene, const char *title, const char *source) {
    (void)title;
    (void)source;
    CaromNode kind = carom_node_member(&scene->node, "kind");
    carom_node_error(&kind, "\"fit\" is not in this build (it was made without CAROM_STUDY)");
    scene->left = true;
    return NULL;
}

static void free_data(const CaromHost *host, void *data) {
    (void)host;
    (void)data;
}

const CaromSceneKind carom_kind_fit = {.name = "fit", .read = refuse, .free_data = free_data};

const char *carom_fit_label_text(CaromFitLabel label) {
    (void)label;
    return "";
}

const CaromFitScene *carom_scene_fit(const CaromScene *scene) {
    (void)scene;
    return NULL;
}

const CaromFitSolution *carom_solution_fit(const CaromSolution *solution) {
    (void)solution;
    return NULL;
}
