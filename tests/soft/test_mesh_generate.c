// SPDX-License-Identifier: Apache-2.0
// Generated meshes: their counts, their closed surfaces, and volumes that tend to closed forms.
#include "soft_fixture.h"

#define PI 3.14159265358979323846

typedef CaromStatus MakeFn(int resolution, CaromSoftMesh **mesh);

static CaromStatus make_ball(int n, CaromSoftMesh **mesh) {
    return carom_soft_mesh_ball(0.5, n, NULL, mesh);
}
static CaromStatus make_ellipsoid(int n, CaromSoftMesh **mesh) {
    return carom_soft_mesh_ellipsoid(v3(1, 2, 0.5), n, NULL, mesh);
}
static CaromStatus make_box(int n, CaromSoftMesh **mesh) {
    return carom_soft_mesh_box(v3(1, 2, 3), n, NULL, mesh);
}
static CaromStatus make_frustum(int n, CaromSoftMesh **mesh) {
    return carom_soft_mesh_frustum(1, 2, 1, n, NULL, mesh);
}
static CaromStatus make_barrel(int n, CaromSoftMesh **mesh) {
    return carom_soft_mesh_barrel(2, 1, 2, n, NULL, mesh);
}
static CaromStatus make_tetrahedron(int n, CaromSoftMesh **mesh) {
    const CaromVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    return carom_soft_mesh_tetrahedron(corners, n, NULL, mesh);
}

/// A solid: its volume, whether its faces are plane (then every resolution has it), and the number
/// of its tetrahedra at resolution n.
typedef struct Solid {
    MakeFn *make;
    double volume;
    bool plane;
    double (*tetrahedra)(double n);
} Solid;

static double count_ball(double n) {
    return 20 * n * n * n;
}
static double count_box(double n) {
    return 6 * n * 2 * n * 3 * n;
}
static double count_frustum(double n) {
    return 18 * n * n * round(n / 0.75); // mean radius 0.75, height 1
}
static double count_barrel(double n) {
    return 18 * n * n * round(2 * n / (5.0 / 6)); // Simpson's mean of 0.5, 1, 0.5
}
static double count_tetrahedron(double n) {
    return n * n * n;
}

static const Solid solids[] = {
    {make_ball, 4 * PI / 3 / 8, false, count_ball},
    {make_ellipsoid, 4 * PI / 3, false, count_ball},
    {make_box, 6, true, count_box},
    {make_frustum, PI * 7 / 12, false, count_frustum},
    {make_barrel, PI * 2 * 43 / 60, false, count_barrel},
    {make_tetrahedron, 1, true, count_tetrahedron},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

TEST(counts) {
    for (int i = 0; i < SOLIDS; i++) {
        for (int n = 1; n <= 5; n++) {
            CaromSoftMesh *mesh = NULL;
            CHECK(solids[i].make(n, &mesh) == CAROM_OK);
            CHECK_INT(mesh->tetrahedron_count, (int)solids[i].tetrahedra(n));
            carom_soft_mesh_destroy(mesh);
        }
    }
}

// A ball has 10 k^2 + 2 nodes in shell k.
TEST(ball_nodes) {
    for (int n = 1; n <= 6; n++) {
        CaromSoftMesh *mesh = NULL;
        int nodes = 1;
        CHECK(carom_soft_mesh_ball(1, n, NULL, &mesh) == CAROM_OK);
        for (int k = 1; k <= n; k++) {
            nodes += 10 * k * k + 2;
        }
        CHECK_INT(mesh->node_count, nodes);
        carom_soft_mesh_destroy(mesh);
    }
}

// The surface is closed and turned outward: its normals add up to nothing, it encloses the volume
// of the tetrahedra (divergence theorem), and V - E + F = 2.
TEST(surfaces) {
    for (int i = 0; i < SOLIDS; i++) {
        CaromSoftMesh *mesh = NULL;
        CHECK(solids[i].make(3, &mesh) == CAROM_OK);
        CaromVec3 sum = {0};
        double enclosed = 0, area = 0;
        for (int s = 0; s < mesh->surface_count; s++) {
            const int *t = mesh->surface[s];
            CaromVec3 a = mesh->nodes[t[0]], b = mesh->nodes[t[1]], c = mesh->nodes[t[2]];
            CaromVec3 twice = v3_cross(v3_sub(b, a), v3_sub(c, a));
            sum = v3_add(sum, twice);
            area += v3_norm(twice);
            enclosed += v3_dot(a, twice) / 6;
        }
        CHECK_NEAR(v3_norm(sum) / area, 0, 1e-14); // rounding: some hundred terms
        CaromSoftMeasure measure = carom_soft_measure(mesh, NULL);
        CHECK_NEAR(enclosed / measure.volume, 1, 1e-13); // rounding: the same
        bool *outside = find_surface_nodes(mesh);
        int nodes = 0;
        for (int k = 0; k < mesh->node_count; k++) {
            nodes += outside[k];
        }
        CHECK_INT(2 * nodes - mesh->surface_count, 4); // E = 3 F / 2
        free(outside);
        carom_soft_mesh_destroy(mesh);
    }
}

// Volumes: exact for plane faces, else the error falls with the square of the edge.
TEST(volumes) {
    for (int i = 0; i < SOLIDS; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            CaromSoftMesh *mesh = NULL;
            CHECK(solids[i].make(6 << k, &mesh) == CAROM_OK);
            CaromSoftMeasure measure = carom_soft_measure(mesh, NULL);
            CHECK(measure.least_volume > 0);
            CHECK_NEAR(measure.low.z, 0, 1e-15); // stands on z = 0: rounding
            error[k] = fabs(measure.volume / solids[i].volume - 1);
            carom_soft_mesh_destroy(mesh);
        }
        if (solids[i].plane) {
            CHECK_NEAR(error[0], 0, 1e-13); // rounding: thousands of terms
        } else {
            CHECK_NEAR(log(error[0] / error[1]) / log(2), 2, 0.1); // order 2, next term of order 4
        }
    }
}

// A ball rests on three nodes, whatever the resolution; so does an ellipsoid.
TEST(ball_rests_on_a_triangle) {
    for (int n = 1; n <= 9; n++) {
        CaromSoftMesh *mesh = NULL;
        CHECK(carom_soft_mesh_ellipsoid(v3(1, 1.2, 0.8), n, NULL, &mesh) == CAROM_OK);
        bool *low = malloc((size_t)mesh->node_count);
        CHECK_INT(carom_soft_select_face(mesh, v3(0, 0, -1), 0, low), 3);
        free(low);
        carom_soft_mesh_destroy(mesh);
    }
}

// Nodes of a ball lie on n shells.
TEST(ball_is_round) {
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_ball(2, 5, NULL, &mesh) == CAROM_OK);
    bool *outside = find_surface_nodes(mesh);
    CaromVec3 centre = {0};
    double surface_nodes = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        if (outside[i]) {
            centre = v3_add(centre, mesh->nodes[i]);
            surface_nodes++;
        }
    }
    centre = v3_scale(1 / surface_nodes, centre); // by the symmetry of the icosahedron
    for (int i = 0; i < mesh->node_count; i++) {
        double r = v3_norm(v3_sub(mesh->nodes[i], centre)) / 2 * 5;
        CHECK_NEAR(r, round(r), 1e-13); // rounding
        CHECK(outside[i] == (round(r) == 5));
    }
    free(outside);
    carom_soft_mesh_destroy(mesh);
}

TEST(bad_sizes) {
    Messages messages;
    CaromHost host = listening_host(&messages);
    CaromSoftMesh *mesh = NULL;
    CHECK(carom_soft_mesh_ball(-1, 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_ball(NAN, 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_box(v3(1, 1, 0), 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_box(v3(1, 1, 1), 0, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_box(v3(1, 1, 1e9), 1, &host, &mesh) == CAROM_OVER_LIMIT);
    CHECK(carom_soft_mesh_frustum(1, 1, INFINITY, 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_barrel(1, 0, 1, 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(carom_soft_mesh_barrel(1, 1, 1, 1000, &host, &mesh) == CAROM_OVER_LIMIT);
    CHECK(carom_soft_mesh_ball(1e40, 2, &host, &mesh) == CAROM_BAD_DATA);
    CHECK(mesh == NULL);
    CHECK(strstr(messages.text, "ball: must be > 0, got -1") != NULL);
    CHECK(strstr(messages.text, "resolution: must be >= 1, got 0") != NULL);
}
