// SPDX-License-Identifier: Apache-2.0
// Typed access to JSON that knows its place: `contacts[0].restitution: must be in [0, 1], got 1.3`.
//
// A reader of some object asks for its members by name, one line each, and closes it:
//
//     CaromObject object;
//     if (carom_object_open(&object, &node)) {
//         carom_read_number(&object, "friction", CAROM_NOT_NEGATIVE, &material->friction);
//         carom_read_vec3(&object, "position", &position);
//         carom_object_close(&object); // whatever was not asked for is an unknown key
//     }
//
// Members are optional: an absent one leaves its variable, which holds the default, and gives
// false. A wrong one is reported, leaves its variable too and gives false. Reading goes on, so that
// one reading finds all errors; CaromReader counts them.
#pragma once
#include "base/elementary.h"
#include "carom/base.h"

#include <jansson.h>

enum { CAROM_MAX_REPORTED = 100, CAROM_MAX_WARNINGS = 10, CAROM_MAX_KEYS = 40 };

/// Names of files that a scene reads, one block from the host each.
typedef struct CaromFileList {
    int count, room;
    char **paths;
} CaromFileList;

/// One reading of one scene.
typedef struct CaromReader {
    const CaromHost *host;
    const char *folder;                                     ///< where files are looked for, or NULL
    const char *(*find)(void *find_user, const char *name); ///< text of a built-in scene, or NULL
    void *find_user;
    CaromFileList *files; ///< to note them in, or NULL
    int error_count;
    bool no_memory;
    int warnings_left; ///< how many more are shown; 0 where a scene is read again and again
} CaromReader;

/// A JSON value and the way to it from the root.
typedef struct CaromNode {
    CaromReader *reader;
    const struct CaromNode *parent; ///< NULL at the root
    const char *key;                ///< in an object, else NULL
    size_t index;                   ///< in an array
    json_t *json;                   ///< NULL where nothing is
} CaromNode;

/// An object while it is read: which of its keys were asked for.
typedef struct CaromObject {
    CaromNode node;
    int known_count;
    const char *known[CAROM_MAX_KEYS];
    bool left; ///< before its end, after an error: what was not asked for may yet be known
} CaromObject;

typedef struct CaromRange {
    double low, high;
    bool above_low; ///< low itself is out
} CaromRange;

#define CAROM_ANY          ((CaromRange){-HUGE_VAL, HUGE_VAL, true})
#define CAROM_POSITIVE     ((CaromRange){0, HUGE_VAL, true})
#define CAROM_NOT_NEGATIVE ((CaromRange){0, HUGE_VAL, false})

// ---- Places and messages ---------------------------------------------------------------------

/// Report an error at a place.
void carom_node_error(const CaromNode *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Report what is allowed and yet looks like a mistake.
void carom_node_warning(const CaromNode *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Report that `wanted` ("a number") is not what stands there.
void carom_node_mismatch(const CaromNode *node, const char *wanted);
/// Report a member whose own name is longer than CAROM_SCENE_MAX_NAME characters.
void carom_node_check_name(const CaromNode *node);
/// carom_nearest_word for an error at a place, or NULL when no more errors are shown.
const char *carom_node_nearest(const CaromNode *node, const char *word, int count,
                               const char *const *words);
/// A short, printable form of any text for a message, in quotes; returns `buffer`.
const char *carom_quote(const char *text, char *buffer, size_t size);
/// The fewest digits that read back as the same number; returns `buffer` (32 bytes).
const char *carom_show_number(double value, char *buffer);

CaromNode carom_node_item(const CaromNode *array, size_t index);
CaromNode carom_node_member(const CaromNode *object, const char *key);

// ---- Objects ---------------------------------------------------------------------------------

/// False, with an error, when the node is no object.
bool carom_object_open(CaromObject *object, const CaromNode *node);
/// Report every key that was not asked for, with the nearest one that was.
void carom_object_close(const CaromObject *object);
/// The member `key`, if there is one; from now on the key is known.
bool carom_object_get(CaromObject *object, const char *key, CaromNode *member);
/// Whether the member is there, without making it known.
bool carom_object_has(const CaromObject *object, const char *key);
/// Report a member that must be there.
bool carom_object_require(CaromObject *object, const char *key);
/// Report a member that may not be there, with the reason.
void carom_object_forbid(CaromObject *object, const char *key, const char *reason);

// ---- Values ----------------------------------------------------------------------------------

bool carom_node_number(const CaromNode *node, CaromRange range, double *value);
/// An array of exactly `count` numbers.
bool carom_node_numbers(const CaromNode *node, int count, double *values);
/// A symmetric n x n matrix (n <= 6), row-major; off by at most 1e-9 of its largest entry, then
/// made symmetric exactly.
bool carom_node_symmetric(const CaromNode *node, int n, double *values);
bool carom_node_string(const CaromNode *node, const char **value);

// Members of an object: false when absent (`value` stays) or wrong (reported, `value` stays).
bool carom_read_bool(CaromObject *object, const char *key, bool *value);
bool carom_read_number(CaromObject *object, const char *key, CaromRange range, double *value);
/// A whole number in [low, high].
bool carom_read_count(CaromObject *object, const char *key, int low, int high, int *value);
bool carom_read_vec3(CaromObject *object, const char *key, CaromVec3 *value);
/// Gravity: a number is downwards, a vector is what it is.
bool carom_read_gravity(CaromObject *object, CaromVec3 *value);
/// A vector of length one within 1e-6, then normalised.
bool carom_read_unit(CaromObject *object, const char *key, CaromVec3 *value);
/// A vector of any length but zero.
bool carom_read_axis(CaromObject *object, const char *key, CaromVec3 *value);
bool carom_read_string(CaromObject *object, const char *key, const char **value);
/// One of `names`; `value` becomes its index.
bool carom_read_choice(CaromObject *object, const char *key, int count, const char *const *names,
                       int *value);
/// {"quaternion": ...}, {"axis": ..., "angle": ...} or {"matrix": ...}.
bool carom_read_rotation(CaromObject *object, const char *key, CaromQuat *value);
