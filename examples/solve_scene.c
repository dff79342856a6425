// SPDX-License-Identifier: Apache-2.0
// A scene as text in, its result as JSON out; a mistake is explained to the log.
#include <carom/scene.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "{\"kind\": \"impact\","
    " \"W\": [[3.5, 0, 0], [0, 3.5, 0], [0, 0, 1]], \"contact_velocity\": [2, 0, -1],"
    " \"restitution\": 0.5, \"friction\": 0.1}";

static void print_message(void *user, const char *message) {
    int *messages = user;
    (*messages)++;
    printf("log: %s\n", message);
}

int main(void) {
    int messages = 0;
    CaromHost host = {.log = print_message, .user = &messages};
    CaromScene *scene = NULL;
    if (carom_scene_parse(text, strlen(text), &host, &scene) != CAROM_OK) {
        return 1;
    }

    // A bad value: the status says that, the log says where.
    carom_scene_set(scene, "restitution", "1.3");
    bool refused = carom_scene_check(scene) == CAROM_BAD_DATA && messages == 1;

    carom_scene_set(scene, "restitution", "0.8");
    CaromSolution *solution = NULL;
    bool solved =
        carom_scene_solve(scene, 0, &solution) == CAROM_OK && carom_solution_solved(solution);
    if (solved) {
        char *json = carom_solution_json(solution);
        puts(json != NULL ? json : "out of memory");
        carom_string_destroy(json);
    }
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    return !(refused && solved);
}
