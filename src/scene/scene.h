// SPDX-License-Identifier: Apache-2.0
// The scene behind the public handle, shared by scene.c and set.c.
#pragma once
#include "carom/scene.h"
#include "scene/kind.h"

struct CaromScene {
    CaromHost host;
    json_t *root;
    char *folder;           ///< of files that the scene names, or NULL
    CaromSceneFindFn *find; ///< of scenes that the scene names, or NULL
    void *find_user;
    CaromFileList files;        ///< that were read at the last check
    const CaromSceneKind *kind; ///< NULL until a check succeeds
    void *data;                 ///< of the kind
    const char *title, *source; ///< borrowed from root
};

/// Forget the last check.
void carom_scene_forget(CaromScene *scene);
/// Everything that stands at a place into `scene`, errors to the reader of the place.
void carom_scene_read(CaromScene *scene, const CaromNode *place);
enum { CAROM_SET_FAULT = 128, CAROM_LONGEST_STEP = 256 };

/// One step of a path: a key, or an index written in digits.
typedef struct CaromStep {
    char text[CAROM_LONGEST_STEP];
    bool last;
} CaromStep;

/// Cut the next step off `*path`: up to a dot or a bracket, or what stands in brackets. False when
/// it is empty, too long or its bracket stays open.
bool carom_path_step(const char **path, CaromStep *step);

/// Put `value` (not handed over) where `path` leads; CAROM_BAD_ARGUMENT with the reason in `fault`.
CaromStatus carom_json_set(json_t *root, const char *path, json_t *value,
                           char fault[CAROM_SET_FAULT]);
/// The result as a new object, or NULL without memory.
json_t *carom_solution_object(const CaromSolution *solution);
/// What a solution of that kind holds, or NULL when it is of another kind.
const void *carom_solution_data(const CaromSolution *solution, const CaromSceneKind *kind);
/// Whether jansson could not parse `text` for lack of memory. It seldom says so: it says nothing at
/// all, or calls a string that it had no room for, which ends in a quote as all do, no token.
bool carom_json_lacks_memory(const json_error_t *error, const char *text);
