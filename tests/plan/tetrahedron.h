// SPDX-License-Identifier: Apache-2.0
// The batting problem of [Wang2017, Fig 4.1], and plans for tests and benchmarks.
#pragma once
#include "carom/carom.h"
#include "random.h"

/// From the vertices alone, and with the thesis' own inertia: scripts/tetrahedron_inertia.py.
static const CaromMat3 tetrahedron_inertia = {
    {{0.037151443419760441, -0.015198814587425263, -0.0054369469871258192},
     {-0.015198814587425263, 0.03671875, -0.0033623809197604465},
     {-0.0054369469871258192, -0.0033623809197604465, 0.054254806580239553}}};
static const CaromMat3 tetrahedron_printed_inertia = {
    {{0.036469598799861815, -0.0057944644767886242, 0.014378962276472066},
     {-0.0057944644767886242, 0.036264275004199972, 0.0033055577139552914},
     {0.014378962276472066, 0.0033055577139552914, 0.055391126195938202}}};

static inline CaromBatProblem tetrahedron_with(const CaromMat3 *inertia) {
    const double pi = 3.14159265358979323846;
    CaromMat3 bat = {{{1.0 / 6, 0, 0}, {0, 1.01 / 12, 0}, {0, 0, 1.01 / 12}}};
    CaromBatProblem p = carom_bat_problem_default();
    p.object = carom_body_rigid(1, inertia, (CaromQuat){1, 0, 0, 0});
    p.object.position = v3(0.3163861141556919, -0.0625, 0.32700317547305491);
    p.object.velocity = v3(-1, 0.6, -0.4);
    p.bat = carom_body_rigid(1, &bat, carom_quat_about(v3(0, 1, 0), -pi / 6));
    p.bat.position = v3(-0.043301270189221933, 0, -0.025);
    p.normal = v3(0.8660254037844386, 0, 0.5);
    p.material.restitution = 0.95;
    p.material.friction = 0.5;
    p.target = v3(5, -0.2, -2);
    return p;
}

static inline CaromBatProblem tetrahedron(void) {
    return tetrahedron_with(&tetrahedron_inertia);
}

static inline CaromBatProblem tetrahedron_printed(void) {
    return tetrahedron_with(&tetrahedron_printed_inertia);
}

/// On the plane x = 5 with |y|, |z| <= 4 [Wang2017, section 4.5.2].
static inline CaromVec3 random_target(Random *r) {
    double y = random_uniform(r, -4, 4);
    return v3(5, y, random_uniform(r, -4, 4));
}
