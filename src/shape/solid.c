// SPDX-License-Identifier: Apache-2.0
// Volume, mass centre and inertia of what triangles close: sums over tetrahedra.
#include "shape/solid.h"

#include "base/dense.h"
#include "base/vec.h"

/// Volume, first and second moments about one point: of a sum of tetrahedra.
typedef struct Moments {
    double volume;
    double first[3], second[3][3]; ///< integrals of x_i and x_i x_j
} Moments;

/// The tetrahedron of the origin and a, b, c, with the sign of its orientation. With s = a + b + c:
///   V = a . b x c / 6,  int x = V s / 4,  int x x^T = V (s s^T + a a^T + b b^T + c c^T) / 20
static void add_tetrahedron(Moments *m, CaromVec3 a, CaromVec3 b, CaromVec3 c) {
    double volume = v3_dot(a, v3_cross(b, c)) / 6;
    const double p[4][3] = {{a.x, a.y, a.z},
                            {b.x, b.y, b.z},
                            {c.x, c.y, c.z},
                            {a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z}};
    m->volume += volume;
    for (int i = 0; i < 3; i++) {
        m->first[i] += volume * p[3][i] / 4;
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += p[k][i] * p[k][j];
            }
            m->second[i][j] += volume * sum / 20;
        }
    }
}

static Moments moments_about(CaromVec3 origin, int triangle_count, const int (*triangles)[3],
                             const CaromVec3 *vertices) {
    Moments m = {0};
    for (int t = 0; t < triangle_count; t++) {
        add_tetrahedron(&m, v3_sub(vertices[triangles[t][0]], origin),
                        v3_sub(vertices[triangles[t][1]], origin),
                        v3_sub(vertices[triangles[t][2]], origin));
    }
    return m;
}

/// Twice: first about the middle of the vertices, then about the mass centre, so that nothing of
/// the size of the distance from the origin cancels.
CaromSolid carom_solid_of(int triangle_count, const int (*triangles)[3],
                          const CaromVec3 *vertices) {
    CaromVec3 middle = {0};
    for (int t = 0; t < triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            middle = v3_axpy(1.0 / (3.0 * triangle_count), vertices[triangles[t][k]], middle);
        }
    }
    Moments m = {0};
    for (int pass = 0; pass < 2; pass++) {
        m = moments_about(middle, triangle_count, triangles, vertices);
        double s = m.volume != 0 ? 1 / m.volume : 0;
        middle = v3_add(middle, v3(s * m.first[0], s * m.first[1], s * m.first[2]));
    }
    CaromSolid solid = {.volume = m.volume, .centre = middle};
    double trace = m.second[0][0] + m.second[1][1] + m.second[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double symmetric = 0.5 * (m.second[i][j] + m.second[j][i]);
            solid.inertia.m[i][j] = (i == j ? trace : 0) - symmetric;
        }
    }
    return solid;
}

CaromPrincipal carom_principal(const CaromMat3 *inertia) {
    if (inertia == NULL) {
        return (CaromPrincipal){0};
    }
    double a[9], values[3], vectors[9];
    for (int i = 0; i < 9; i++) {
        a[i] = inertia->m[i / 3][i % 3];
    }
    carom_symmetric_eigen(3, a, values, vectors);
    CaromMat3 axes;
    for (int i = 0; i < 9; i++) {
        axes.m[i / 3][i % 3] = vectors[i];
    }
    CaromVec3 x = v3(vectors[0], vectors[3], vectors[6]),
              y = v3(vectors[1], vectors[4], vectors[7]);
    CaromVec3 z = v3_cross(x, y); // right-handed
    axes.m[0][2] = z.x;
    axes.m[1][2] = z.y;
    axes.m[2][2] = z.z;
    return (CaromPrincipal){.moments = {values[0], values[1], values[2]},
                            .axes = carom_quat_from_mat3(&axes)};
}
