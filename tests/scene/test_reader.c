// SPDX-License-Identifier: Apache-2.0
// The reader layer: places, messages, known keys and typed values.
#include "carom/scene.h"
#include "scene/reader.h"
#include "test.h"

#include <stdlib.h>

/// The messages of one reading, joined by newlines.
typedef struct Messages {
    char text[4096];
    int count;
} Messages;

static void keep(void *user, const char *message) {
    Messages *messages = user;
    size_t used = strlen(messages->text);
    (void)snprintf(messages->text + used, sizeof messages->text - used, "%s%s",
                   used > 0 ? "\n" : "", message);
    messages->count++;
}

/// A reading of some JSON.
typedef struct Reading {
    Messages messages;
    CaromHost host;
    CaromReader reader;
    CaromNode root;
    CaromObject object;
} Reading;

static void open_reading(Reading *reading, const char *text) {
    memset(reading, 0, sizeof *reading);
    reading->host = (CaromHost){.log = keep, .user = &reading->messages};
    reading->reader.host = &reading->host;
    json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    if (!CHECK(json != NULL)) {
        exit(1);
    }
    reading->root = (CaromNode){.reader = &reading->reader, .json = json};
    CHECK(carom_object_open(&reading->object, &reading->root));
}

static void close_reading(Reading *reading) {
    json_decref(reading->root.json);
}

TEST(absent_members_leave_defaults) {
    Reading r;
    open_reading(&r, "{}");
    double number = 7;
    CaromVec3 vector = {1, 2, 3};
    CHECK(!carom_read_number(&r.object, "a", CAROM_ANY, &number));
    CHECK(!carom_read_vec3(&r.object, "b", &vector));
    carom_object_close(&r.object);
    CHECK(number == 7 && vector.z == 3);
    CHECK_INT(r.reader.error_count, 0);
    close_reading(&r);
}

TEST(wrong_members_are_reported_and_leave_defaults) {
    Reading r;
    open_reading(&r, "{\"a\": 2, \"b\": [0, true, 1], \"c\": {}, \"d\": null}");
    double number = 0.5;
    CaromVec3 vector = {1, 2, 3};
    bool flag = true;
    const char *word = "word";
    CHECK(!carom_read_number(&r.object, "a", (CaromRange){0, 1, false}, &number));
    CHECK(!carom_read_vec3(&r.object, "b", &vector));
    CHECK(!carom_read_bool(&r.object, "c", &flag));
    CHECK(!carom_read_string(&r.object, "d", &word));
    CHECK(number == 0.5 && vector.x == 1 && flag && strcmp(word, "word") == 0);
    CHECK_STRING(r.messages.text, "a: must be in [0, 1], got 2\n"
                                  "b[1]: must be a number, got true\n"
                                  "c: must be true or false, got an object\n"
                                  "d: must be a string, got null");
    close_reading(&r);
}

TEST(ranges_say_what_they_want) {
    Reading r;
    open_reading(&r, "{\"a\": 0, \"b\": -0.1, \"c\": -1, \"d\": 0.1}");
    double x = 0;
    carom_read_number(&r.object, "a", CAROM_POSITIVE, &x);
    carom_read_number(&r.object, "b", CAROM_NOT_NEGATIVE, &x);
    carom_read_number(&r.object, "c", (CaromRange){-1, 0.5, true}, &x);
    CHECK(carom_read_number(&r.object, "d", (CaromRange){0.1, 0.1, false}, &x) && x == 0.1);
    CHECK_STRING(r.messages.text, "a: must be > 0, got 0\n"
                                  "b: must be >= 0, got -0.1\n"
                                  "c: must be in (-1, 0.5], got -1");
    close_reading(&r);
}

TEST(places_name_keys_and_indices) {
    Reading r;
    open_reading(&r, "{\"list\": [{\"odd key\": {\"x\": 1}}]}");
    CaromNode list = carom_node_member(&r.root, "list");
    CaromNode item = carom_node_item(&list, 0);
    CaromNode odd = carom_node_member(&item, "odd key");
    CaromNode x = carom_node_member(&odd, "x");
    carom_node_error(&r.root, "one");
    carom_node_error(&item, "two");
    carom_node_error(&x, "three");
    CHECK_STRING(r.messages.text, "the scene: one\nlist[0]: two\nlist[0][\"odd key\"].x: three");
    close_reading(&r);
}

TEST(unknown_keys_find_their_neighbour) {
    Reading r;
    open_reading(&r, "{\"frction\": 1, \"firction\": 1, \"Friction\": 1, \"xyz\": 1, \"mass\": 1}");
    CaromNode ignored;
    carom_object_get(&r.object, "friction", &ignored);
    carom_object_get(&r.object, "mass", &ignored);
    carom_object_close(&r.object);
    CHECK_STRING(r.messages.text, "frction: unknown key (did you mean \"friction\"?)\n"
                                  "firction: unknown key (did you mean \"friction\"?)\n"
                                  "Friction: unknown key (did you mean \"friction\"?)\n"
                                  "xyz: unknown key (known here: friction, mass)");
    close_reading(&r);
}

TEST(errors_past_a_hundred_are_only_counted) {
    Reading r;
    open_reading(&r, "{}");
    for (int i = 0; i < 250; i++) {
        carom_node_error(&r.root, "no");
    }
    CHECK_INT(r.messages.count, CAROM_MAX_REPORTED);
    CHECK_INT(r.reader.error_count, 250);
    close_reading(&r);
}

TEST(long_and_strange_texts_are_cut_and_cleaned) {
    char buffer[128];
    CHECK_STRING(carom_quote("a\x1b[31m\n", buffer, sizeof buffer), "\"a?[31m?\"");
    // 30 times a character of two bytes: cut at 48 bytes, between characters.
    char text[61] = "";
    for (int i = 0; i < 30; i++) {
        memcpy(text + strlen(text), "\xC3\xA9", 3);
    }
    carom_quote(text, buffer, sizeof buffer);
    CHECK_INT(strlen(buffer), 48 + 5);
    CHECK_STRING(buffer + 49, "...\"");
}

TEST(numbers_are_shown_with_the_fewest_digits) {
    char buffer[32];
    CHECK_STRING(carom_show_number(0.1, buffer), "0.1");
    CHECK_STRING(carom_show_number(1.0 / 3, buffer), "0.3333333333333333");
    CHECK_STRING(carom_show_number(0.1 + 0.2, buffer), "0.30000000000000004");
    CHECK_STRING(carom_show_number(-1e-300, buffer), "-1e-300");
}

TEST(unit_vectors_are_normalised_within_a_millionth) {
    Reading r;
    open_reading(
        &r, "{\"a\": [0, 0, 1.0000009], \"b\": [0, 0, 1.0000011], \"c\": [0, 3e-200, 4e-200]}");
    CaromVec3 a = {0, 0, 0};
    CHECK(carom_read_unit(&r.object, "a", &a));
    CHECK(a.z == 1);
    CHECK(!carom_read_unit(&r.object, "b", &a));
    CHECK(carom_read_axis(&r.object, "c", &a)); // its square would vanish
    CHECK_NEAR(a.y, 0.6, 1e-15);
    CHECK_NEAR(a.z, 0.8, 1e-15);
    CHECK_INT(r.reader.error_count, 1);
    close_reading(&r);
}

TEST(symmetric_matrices_are_made_exactly_symmetric) {
    Reading r;
    open_reading(&r, "{\"a\": [[1, 2.0000000001], [2, 5]], \"b\": [[1, 2.00000002], [2, 5]]}");
    double m[4] = {0};
    CaromNode a = carom_node_member(&r.root, "a"), b = carom_node_member(&r.root, "b");
    CHECK(carom_node_symmetric(&a, 2, m));
    CHECK(m[1] == m[2]);
    CHECK_NEAR(m[1], 2.00000000005, 1e-15);
    CHECK(!carom_node_symmetric(&b, 2, m));
    CHECK_STRING(r.messages.text, "b: must be symmetric, but [0][1] is 2.00000002 and [1][0] is 2");
    close_reading(&r);
}

TEST(three_forms_of_one_rotation_agree) {
    Reading r;
    open_reading(&r, "{\"q\": {\"quaternion\": [0.8, 0, 0.6, 0]},"
                     " \"a\": {\"axis\": [0, 2, 0], \"angle\": 1.2870022175865687},"
                     " \"m\": {\"matrix\": [[0.28, 0, 0.96], [0, 1, 0], [-0.96, 0, 0.28]]}}");
    CaromQuat q = {0}, a = {0}, m = {0};
    CHECK(carom_read_rotation(&r.object, "q", &q));
    CHECK(carom_read_rotation(&r.object, "a", &a));
    CHECK(carom_read_rotation(&r.object, "m", &m));
    CHECK_NEAR(a.w, q.w, 1e-15); // rounding
    CHECK_NEAR(a.y, q.y, 1e-15);
    CHECK_NEAR(m.w, q.w, 1e-15);
    CHECK_NEAR(m.y, q.y, 1e-15);
    CHECK_INT(r.reader.error_count, 0);
    close_reading(&r);
}

TEST(nearest_word_is_near_or_nothing) {
    const char *const words[] = {"run", "check", "examples", "show", "help"};
    CHECK_STRING(carom_nearest_word("chekc", 5, words), "check");
    CHECK_STRING(carom_nearest_word("example", 5, words), "examples");
    CHECK_STRING(carom_nearest_word("SHOW", 5, words), "show");
    CHECK(carom_nearest_word("plot", 5, words) == NULL);
    CHECK(carom_nearest_word("", 5, words) == NULL);
    CHECK(carom_nearest_word("run", 0, NULL) == NULL);
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(carom_nearest_word(longest, 5, words) == NULL);
}
