// SPDX-License-Identifier: Apache-2.0
// Mesh files with bytes changed, cut out, doubled and cut off at random: each gives a sound mesh or
// a message that names a line, under the sanitizers without a fault.
#include "soft_fixture.h"

enum { ROUNDS = 4000, MOST = 32768 };

static size_t read_all(const char *path, char *text) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t length = file ? fread(text, 1, MOST / 2, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return length;
}

static size_t random_index(Random *random, size_t count) {
    return (size_t)random_uniform(random, 0, (double)count) % count;
}

/// One change of the text.
static size_t mutate(Random *random, char *text, size_t length) {
    static const char *const words[] = {"-1", "0",   "99999999999", "1e308", "nan",    "-inf",
                                        "",   "0x1", "4.1",         "$End",  "$Nodes", "\n",
                                        "#",  " ",   "11",          "1e-320"};
    size_t at = random_index(random, length + 1), span = 1 + random_index(random, 40);
    span = at + span <= length ? span : length - at;
    const char *word = words[random_index(random, sizeof words / sizeof *words)];
    size_t put = strlen(word);
    switch (random_index(random, 5)) {
    case 0: // another byte
        if (at < length) {
            text[at] = (char)random_index(random, 256);
        }
        return length;
    case 1: // cut out
        memmove(text + at, text + at + span, length - at - span);
        return length - span;
    case 2: // doubled
        memmove(text + at + span, text + at, length - at);
        return length + span;
    case 3: // a word
        memmove(text + at + put, text + at, length - at);
        for (size_t i = 0; i < put; i++) {
            text[at + i] = word[i];
        }
        return length + put;
    default: // cut off
        return random_index(random, 8) == 0 ? at : length;
    }
}

static void check_outcome(CaromStatus status, CaromSoftMesh *mesh, const Messages *messages) {
    if (status == CAROM_OK) {
        CHECK(carom_soft_measure(mesh, NULL).least_volume > 0);
        CHECK_STRING(messages->text, "");
    } else {
        CHECK(mesh == NULL);
        CHECK(status == CAROM_BAD_DATA);
        // Every fault names its line, byte, node or tetrahedron but that there is nothing at all.
        CHECK(strstr(messages->text, "line ") || strstr(messages->text, "byte ") ||
              strstr(messages->text, "node ") || strstr(messages->text, "tetrahedr"));
    }
    carom_soft_mesh_destroy(mesh);
}

static void mutate_gmsh(const char *path, unsigned seed) {
    static char good[MOST], text[MOST];
    Random random = {seed};
    size_t length = read_all(path, good);
    for (int i = 0; i < ROUNDS && length > 0; i++) {
        Messages messages;
        CaromHost host = listening_host(&messages);
        CaromSoftMesh *mesh = NULL;
        memcpy(text, good, length);
        size_t changed = length;
        for (size_t k = 1 + random_index(&random, 3); k > 0; k--) {
            changed = mutate(&random, text, changed);
        }
        CaromStatus status = carom_soft_mesh_parse_gmsh(text, changed, &host, &mesh);
        check_outcome(status, mesh, &messages);
    }
}

TEST(gmsh_2) {
    mutate_gmsh("tests/data/meshes/two-cubes.msh", 1);
}

TEST(gmsh_4) {
    mutate_gmsh("tests/data/meshes/cube-4.1.msh", 2);
}

TEST(gmsh_4_parametric) {
    mutate_gmsh("tests/data/meshes/cube-all-4.1.msh", 3);
}

TEST(gmsh_binary) {
    mutate_gmsh("tests/data/meshes/cube-binary.msh", 4);
    mutate_gmsh("tests/data/meshes/cube-binary-2.2.msh", 6);
}

TEST(tetgen) {
    static char good[2][MOST], text[2][MOST];
    Random random = {5};
    size_t length[2] = {read_all("tests/data/meshes/cube.node", good[0]),
                        read_all("tests/data/meshes/cube.ele", good[1])};
    for (int i = 0; i < ROUNDS; i++) {
        Messages messages;
        CaromHost host = listening_host(&messages);
        CaromSoftMesh *mesh = NULL;
        memcpy(text[0], good[0], length[0]);
        memcpy(text[1], good[1], length[1]);
        size_t changed[2] = {length[0], length[1]};
        for (size_t k = 1 + random_index(&random, 3); k > 0; k--) {
            size_t which = random_index(&random, 2);
            changed[which] = mutate(&random, text[which], changed[which]);
        }
        CaromStatus status =
            carom_soft_mesh_parse_tetgen(text[0], changed[0], text[1], changed[1], &host, &mesh);
        check_outcome(status, mesh, &messages);
    }
}
