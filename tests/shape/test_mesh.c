// SPDX-License-Identifier: Apache-2.0
// Mesh files: a cube in every format, and files that are not what they should be.
#include "carom/shape.h"
#include "random.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static const int cube[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};

/// A box of edges 1, 2, 4 from the origin.
static CaromVec3 corner(int i) {
    return v3(i & 1 ? 1 : 0, i & 2 ? 2 : 0, i & 4 ? 4 : 0);
}

static void keep(void *user, const char *message) {
    (void)snprintf(user, 300, "%s", message);
}

static CaromStatus weigh(const char *data, size_t length, CaromSolid *solid, char *said) {
    CaromHost host = {.log = keep, .user = said};
    said[0] = '\0';
    CaromMesh *surface = NULL;
    CaromStatus status = carom_mesh_parse(data, length, &host, &surface);
    if (status == CAROM_OK) {
        status = carom_mesh_solid(surface, solid);
    }
    carom_mesh_destroy(surface);
    return status;
}

static int write_stl(char *text, size_t size, int from, int to, bool reversed) {
    int n = snprintf(text, size, "solid box\n");
    for (int t = from; t < to; t++) {
        n += snprintf(text + n, size - (size_t)n, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            CaromVec3 v = corner(cube[t][reversed ? 2 - k : k]);
            n += snprintf(text + n, size - (size_t)n, "  vertex %g %g %g\n", v.x, v.y, v.z);
        }
        n += snprintf(text + n, size - (size_t)n, " endloop\nendfacet\n");
    }
    return n + snprintf(text + n, size - (size_t)n, "endsolid box\n");
}

static void check_box(CaromStatus status, const CaromSolid *s) {
    CHECK_INT(status, CAROM_OK);
    CHECK_NEAR(s->volume, 8, 1e-15);
    CHECK_NEAR(s->centre.x, 0.5, 1e-15);
    CHECK_NEAR(s->centre.y, 1, 1e-15);
    CHECK_NEAR(s->centre.z, 2, 1e-15);
    CHECK_NEAR(s->inertia.m[0][0], 8 * 20 / 12.0, 1e-14);
    CHECK_NEAR(s->inertia.m[2][2], 8 * 5 / 12.0, 1e-14);
    CHECK_NEAR(s->inertia.m[0][1], 0, 1e-14);
}

TEST(stl_text) {
    char text[8000], said[300];
    CaromSolid solid = {0};
    int n = write_stl(text, sizeof text, 0, 12, false);
    check_box(weigh(text, (size_t)n, &solid, said), &solid);
    n = write_stl(text, sizeof text, 0, 12, true);
    CHECK_INT(weigh(text, (size_t)n, &solid, said), CAROM_BAD_DATA);
    CHECK(strstr(said, "inside out") != NULL);
    n = write_stl(text, sizeof text, 0, 11, false);
    CHECK_INT(weigh(text, (size_t)n, &solid, said), CAROM_BAD_DATA);
    CHECK_STRING(said, "line 2: triangle 1: the edge from (0, 0, 4) to (0, 2, 4) has no triangle "
                       "on its other side: not closed");
}

TEST(stl_binary) {
    unsigned char data[84 + 50 * 12] = {0};
    char said[300];
    CaromSolid solid = {0};
    data[80] = 12;
    for (int t = 0; t < 12; t++) {
        for (int k = 0; k < 3; k++) {
            CaromVec3 v = corner(cube[t][k]);
            float f[3] = {(float)v.x, (float)v.y, (float)v.z};
            memcpy(data + 84 + 50 * t + 12 + 12 * k, f, sizeof f); // little-endian machines
        }
    }
    check_box(weigh((char *)data, sizeof data, &solid, said), &solid);
    CHECK_INT(weigh((char *)data, sizeof data - 1, &solid, said), CAROM_BAD_DATA);
    float bad = NAN;
    memcpy(data + 84 + 50 * 3 + 24, &bad, sizeof bad);
    CHECK_INT(weigh((char *)data, sizeof data, &solid, said), CAROM_BAD_DATA);
    CHECK_STRING(said, "triangle 4: corner 2 is not finite");
}

TEST(obj) {
    static const char *const text = "# a box\no box\nvn 0 0 1\n"
                                    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\n"
                                    "v 0 0 4\nv 1 0 4\nv 0 2 4\nv 1 2 4\n"
                                    "f 1 5 7 3\nf 2/1 4/2 8/3 6/4\nf 1//1 2//1 6//1 5//1\n"
                                    "f 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -6 -5 -7\nf 5 6 8 7\n";
    char said[300];
    CaromSolid solid = {0};
    check_box(weigh(text, strlen(text), &solid, said), &solid);
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"v 0 0 0\nv 1 0 nan\n", "line 2: z must be a finite number, got \"nan\""},
        {"v 0 0\n", "line 1: z is missing"},
        {"v 0 0 0\nf 1 2 3\n", "line 2: a corner is vertex 2, but there are 1 before it"},
        {"v 0 0 0\nf 1 -2 3\n", "line 2: a corner is vertex -2, but there are 1 before it"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face needs at least 3 corners"},
        {"v 0 0 0\nf a b c\n", "line 2: a corner must be the number of a vertex"},
        {"hello\n", "no triangles"},
        {"", "no triangles"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nend\n",
         "line 5: a vertex must stand here"},
        {"solid x\nfacet normal 0 0 1\n", "line 2: the file ends here, but outer loop must follow"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(weigh(bad[i].text, strlen(bad[i].text), &solid, said), CAROM_BAD_DATA);
        CHECK_STRING(said, bad[i].said);
    }
}

// Two squares back to back are closed and have no volume.
TEST(flat) {
    static const char *const text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 4 3 2\n";
    char said[300];
    CaromSolid solid = {0};
    CHECK_INT(weigh(text, strlen(text), &solid, said), CAROM_BAD_DATA);
}

// One million vertices: refused, not counted on.
TEST(too_many) {
    enum { COUNT = 1000000, LINE = 16 };
    char *text = malloc((size_t)COUNT * LINE + 64), said[300];
    CaromSolid solid = {0};
    size_t n = 0;
    for (int i = 0; i < COUNT; i++) {
        n += (size_t)snprintf(text + n, 32, "v %d 0 0\n", i);
    }
    n += (size_t)snprintf(text + n, 32, "f 1 2 3\n");
    CaromStatus status = weigh(text, n, &solid, said);
    CHECK(status == CAROM_BAD_DATA || status == CAROM_OVER_LIMIT);
    CHECK_STRING(said, "1000000 vertices; at most 250000 are taken");
    free(text);
}

// A bent mesh: two boxes of one file, apart, are one body.
TEST(two_pieces) {
    char text[4000], said[300];
    int n = 0;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 8; i++) {
            CaromVec3 v = corner(i);
            n += snprintf(text + n, sizeof text - (size_t)n, "v %g %g %g\n", v.x + 10 * part, v.y,
                          v.z);
        }
        for (int t = 0; t < 12; t++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d\n",
                          cube[t][0] + 1 + 8 * part, cube[t][1] + 1 + 8 * part,
                          cube[t][2] + 1 + 8 * part);
        }
    }
    CaromSolid solid = {0};
    CHECK_INT(weigh(text, (size_t)n, &solid, said), CAROM_OK);
    CHECK_NEAR(solid.volume, 16, 1e-14);
    CHECK_NEAR(solid.centre.x, 5.5, 1e-14);
    CHECK_NEAR(solid.inertia.m[2][2], 2 * 8 * (5 / 12.0 + 25), 1e-12);
}
