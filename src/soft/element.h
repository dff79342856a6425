// SPDX-License-Identifier: Apache-2.0
// One linear tetrahedron: its strain, its stiffness, and how its forces change with its shape.
//
// With g_a the gradients of the barycentric coordinates c_a and V the volume, displacements u_a of
// the corners have the gradient H = sum_a u_a g_a^T and give the forces [Wang2017, appendix A]
//
//     f_a = V sigma(H) g_a,   sigma(H) = lambda tr(H) I + mu (H + H^T)      theory.md (9.3), (9.4)
#pragma once
#include "base/vec.h"

/// Moduli of Lame [Pa].
typedef struct CaromLame {
    double lambda, mu;
} CaromLame;

/// A tetrahedron of some shape of the object.
typedef struct CaromElement {
    CaromVec3 gradient[4]; ///< of the barycentric coordinates [1/m]
    double volume;         ///< [m^3]; negative when it is inside out
} CaromElement;

static inline CaromElement carom_element(const CaromVec3 *nodes, const int corner[4]) {
    CaromVec3 a = v3_sub(nodes[corner[1]], nodes[corner[0]]);
    CaromVec3 b = v3_sub(nodes[corner[2]], nodes[corner[0]]);
    CaromVec3 c = v3_sub(nodes[corner[3]], nodes[corner[0]]);
    CaromVec3 bc = v3_cross(b, c), ca = v3_cross(c, a), ab = v3_cross(a, b);
    double six = v3_dot(a, bc), scale = 1 / six;
    CaromElement element = {.volume = six / 6};
    element.gradient[1] = v3_scale(scale, bc);
    element.gradient[2] = v3_scale(scale, ca);
    element.gradient[3] = v3_scale(scale, ab);
    CaromVec3 sum = v3_add(v3_add(element.gradient[1], element.gradient[2]), element.gradient[3]);
    element.gradient[0] = v3_scale(-1, sum);
    return element;
}

/// H = sum_a u_a g_a^T of a field at the corners.
static inline CaromMat3 carom_element_gradient(const CaromElement *element, const CaromVec3 *field,
                                               const int corner[4]) {
    CaromMat3 h = {{{0}}};
    for (int a = 0; a < 4; a++) {
        CaromVec3 u = field[corner[a]], g = element->gradient[a];
        const double ua[3] = {u.x, u.y, u.z}, ga[3] = {g.x, g.y, g.z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                h.m[i][j] += ua[i] * ga[j];
            }
        }
    }
    return h;
}

static inline double carom_trace(const CaromMat3 *a) {
    return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

static inline CaromMat3 carom_stress(CaromLame lame, const CaromMat3 *h) {
    CaromMat3 stress;
    double pressure = lame.lambda * carom_trace(h);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            stress.m[i][j] = lame.mu * (h->m[i][j] + h->m[j][i]) + (i == j ? pressure : 0);
        }
    }
    return stress;
}

/// forces_a += V s g_a at the corners.
static inline void carom_element_push(const CaromElement *element, const CaromMat3 *s,
                                      const int corner[4], CaromVec3 *forces) {
    for (int a = 0; a < 4; a++) {
        CaromVec3 f = m3_mul(s, element->gradient[a]);
        forces[corner[a]] = v3_axpy(element->volume, f, forces[corner[a]]);
    }
}

/// The 3 x 3 block of corners a and b of the stiffness matrix, theory.md (9.5):
///   k_ab = V (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I)
static inline CaromMat3 carom_element_block(const CaromElement *element, CaromLame lame, int a,
                                            int b) {
    CaromVec3 p = element->gradient[a], q = element->gradient[b];
    const double pa[3] = {p.x, p.y, p.z}, qb[3] = {q.x, q.y, q.z};
    double lambda = element->volume * lame.lambda, mu = element->volume * lame.mu;
    double across = mu * v3_dot(p, q);
    CaromMat3 block;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            block.m[i][j] = lambda * pa[i] * qb[j] + mu * qb[i] * pa[j] + (i == j ? across : 0);
        }
    }
    return block;
}

/// How V sigma(H) g_a changes when the corners move by x, with L = sum_b x_b g_b^T and the
/// displacements u held: theory.md (9.11).
///   d(V sigma(H) g_a) = V S g_a,   S = tr(L) sigma(H) - sigma(H L) - sigma(H) L^T
static inline CaromMat3 carom_element_turn(CaromLame lame, const CaromMat3 *h, const CaromMat3 *l) {
    CaromMat3 hl = m3_mul3(h, l), lt = m3_transpose(l);
    CaromMat3 stress = carom_stress(lame, h), follow = carom_stress(lame, &hl);
    CaromMat3 turned = m3_mul3(&stress, &lt), s;
    double trace = carom_trace(l);
    for (int i = 0; i < 9; i++) {
        int r = i / 3, c = i % 3;
        s.m[r][c] = trace * stress.m[r][c] - follow.m[r][c] - turned.m[r][c];
    }
    return s;
}
