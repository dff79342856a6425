// SPDX-License-Identifier: Apache-2.0
// What a mesh may not be: each fault alone, and what is said about it.
#include "soft_fixture.h"

/// Two tetrahedra on either side of the triangle 0, 1, 2.
static const CaromVec3 points[6] = {{0, 0, 0}, {1, 0, 0},  {0, 1, 0},
                                    {0, 0, 1}, {0, 0, -1}, {2, 2, 2}};
static const int both[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};

static CaromStatus create(int node_count, int count, const int (*tetrahedra)[4],
                          Messages *messages) {
    CaromHost host = listening_host(messages);
    CaromSoftMesh *mesh = NULL;
    CaromStatus status =
        carom_soft_mesh_create(node_count, points, count, tetrahedra, &host, &mesh);
    CHECK((status == CAROM_OK) == (mesh != NULL));
    carom_soft_mesh_destroy(mesh);
    return status;
}

TEST(sound) {
    Messages messages;
    CHECK(create(5, 2, both, &messages) == CAROM_OK);
    CHECK_STRING(messages.text, "");
}

TEST(surface_of_two) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(5, points, 2, both, NULL, &mesh) == CAROM_OK);
    CHECK_INT(mesh->surface_count, 6); // the triangle 0, 1, 2 is inside
    for (int s = 0; s < 6; s++) {
        int top = 0;
        for (int i = 0; i < 3; i++) {
            top += mesh->surface[s][i] >= 3;
        }
        CHECK_INT(top, 1);
    }
    carom_soft_mesh_destroy(mesh);
}

// All turned the other way, as TetGen has them, is a matter of taste and is mended.
TEST(mirrored) {
    const int mirrored[2][4] = {{1, 0, 2, 3}, {2, 0, 1, 4}};
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(5, points, 2, mirrored, NULL, &mesh) == CAROM_OK);
    CHECK(carom_soft_measure(mesh, NULL).least_volume > 0);
    CHECK_NEAR(carom_soft_measure(mesh, NULL).volume, 1.0 / 3, 1e-15); // rounding
    carom_soft_mesh_destroy(mesh);
}

TEST(inverted) {
    Messages messages;
    const int three[3][4] = {{0, 1, 2, 3}, {2, 0, 1, 4}, {1, 2, 3, 5}};
    CHECK(create(6, 3, three, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text,
                 "tetrahedron 1 is inverted: its nodes turn the other way than most");
}

TEST(flat) {
    const CaromVec3 four[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-12}};
    const int one[1][4] = {{0, 1, 2, 3}};
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(4, four, 1, one, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(strstr(messages.text, "tetrahedron 0 is flat") != NULL);
}

TEST(dangling) {
    Messages messages;
    CHECK(create(6, 2, both, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "node 5 belongs to no tetrahedron");
}

TEST(overlapping) {
    Messages messages;
    const int twice[2][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}};
    CHECK(create(4, 2, twice, &messages) == CAROM_BAD_DATA);
    CHECK(strstr(messages.text, "overlaps another one") != NULL);
    const int same_side[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}};
    const CaromVec3 five[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 2}};
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(5, five, 2, same_side, &host, &mesh) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text,
                 "tetrahedron 1 overlaps another one: both lie on one side of a face");
}

TEST(wrong_nodes) {
    Messages messages;
    const int beyond[1][4] = {{0, 1, 2, 7}}, twice[1][4] = {{0, 1, 2, 2}};
    CHECK(create(5, 1, beyond, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "tetrahedron 0 has a node 7 that does not exist");
    CHECK(create(5, 1, twice, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "tetrahedron 0 has the same node twice");
    CHECK(create(5, 0, both, &messages) == CAROM_BAD_DATA);
    CHECK_STRING(messages.text, "the mesh has no tetrahedra");
}

TEST(not_finite) {
    CaromVec3 four[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}};
    const int one[1][4] = {{0, 1, 2, 3}};
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(4, four, 1, one, NULL, &mesh) == CAROM_BAD_DATA);
    four[3].z = INFINITY;
    CHECK(carom_soft_mesh_create(4, four, 1, one, NULL, &mesh) == CAROM_BAD_DATA);
    four[3].z = 1e31;
    CHECK(carom_soft_mesh_create(4, four, 1, one, NULL, &mesh) == CAROM_BAD_DATA);
}

// Many faults: the first ten, and how many more.
TEST(many_faults) {
    static CaromVec3 many[4 + 30];
    many[1].x = many[2].y = many[3].z = 1;
    const int one[1][4] = {{0, 1, 2, 3}};
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_create(34, many, 1, one, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(strstr(messages.text, "node 13 belongs") != NULL);
    CHECK(strstr(messages.text, "node 14 belongs") == NULL);
    CHECK(strstr(messages.text, "and 20 more faults") != NULL);
}

// No memory, at any time: said so, and nothing is left behind (the sanitizer would tell).
typedef struct Scarce {
    int left;
} Scarce;

static void *allocate_scarce(void *user, size_t size) {
    Scarce *scarce = user;
    return scarce->left-- > 0 ? malloc(size) : NULL;
}

static void release_scarce(void *user, void *memory) {
    (void)user;
    free(memory);
}

TEST(no_memory) {
    CaromStatus status = CAROM_NO_MEMORY;
    int tries = 0;
    for (; status == CAROM_NO_MEMORY && tries < 100; tries++) {
        Scarce scarce = {tries};
        CaromHost host = {.allocate = allocate_scarce, .release = release_scarce, .user = &scarce};
        CaromSoftMesh *mesh = NULL;
        status = carom_soft_mesh_ball(1, 2, &host, &mesh);
        scarce.left = 1000;
        carom_soft_mesh_destroy(mesh);
    }
    CHECK(status == CAROM_OK);
    CHECK(tries > 5);
}
