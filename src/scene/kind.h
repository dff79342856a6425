// SPDX-License-Identifier: Apache-2.0
// What a kind of scene is: how it is read, solved and written. One table lists them.
#pragma once
#include "scene/reader.h"

typedef struct CaromSceneKind {
    const char *name;
    /// Read the scene's members besides kind, title and source. Errors go to the object's reader;
    /// the data may then be incomplete. NULL without memory or without anything to keep.
    void *(*read)(CaromObject *scene, const char *title, const char *source);
    void (*free_data)(const CaromHost *host, void *data);
    size_t solution_size;
    bool brief; ///< can be solved without its path
    /// Solve into a block of that size, full of zeros, which may then point to `data`. What it
    /// holds is freed by the caller, also after an error. Samples below 0, for a brief kind only:
    /// nobody asks for the path, its states and events need not be kept.
    CaromStatus (*solve)(const CaromHost *host, const void *data, int samples, void *solution);
    bool (*solved)(const void *solution);
    json_t *(*write)(const void *solution); ///< a new object, or NULL without memory
    /// A long list of the result, its last member, which `write` leaves out: written one by one, so
    /// that it need not be in memory as a whole. NULL: there is none.
    const char *list;
    int (*list_count)(const void *solution);
    json_t *(*list_item)(const void *solution, int i); ///< a new value, or NULL without memory
    void (*free_solution)(const CaromHost *host, void *solution); ///< what it holds, not the block
} CaromSceneKind;

extern const CaromSceneKind carom_kind_impact;
extern const CaromSceneKind carom_kind_cradle;
extern const CaromSceneKind carom_kind_flight;
extern const CaromSceneKind carom_kind_billiards;
/// Not a kind that a scene can have: all models on an impact scene.
extern const CaromSceneKind carom_kind_comparison;
extern const CaromSceneKind carom_kind_bat;
extern const CaromSceneKind carom_kind_rod;
extern const CaromSceneKind carom_kind_soft;  ///< refuses every scene in a build without CAROM_SOFT
extern const CaromSceneKind carom_kind_sweep; ///< a scene of another kind, again and again
extern const CaromSceneKind carom_kind_ensemble; ///< the same with values from distributions
extern const CaromSceneKind carom_kind_fit;      ///< refuses every scene without CAROM_STUDY

enum { CAROM_MOST_KINDS = 16 };
/// All kinds that a scene can have, NULL behind the last. The room above fills it (study/kinds.c).
extern const CaromSceneKind *const carom_kinds[];
