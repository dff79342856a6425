#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The geometry of examples/icosahedron-tetrahedron-geometry.json from vertices alone.

Wang's thesis (2017), Fig 2.3: a truncated icosahedron B1 (edge 0.1, mass 3) stands with the centre of
a pentagon on a vertex of a tetrahedron B2 (mass 1); contact at the origin, normal z into B1. Prints
mass centres, inertias and W = sum of (I/m - r^ Q^-1 r^) over the bodies. Two checks decide the exit
code: centre and inertia of B1 agree with the printed o1 and Q1, and with these W is the right one,
W11 = W22 = 10.7153221137, W12 = 0.4985754986, W13 = W23 = 70/27, W33 = 76/27 (the printed (2.12) comes
from a Q2 that does not belong to the printed vertices)."""
import itertools
import math
import sys


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix(f):
    return [[f(i, j) for j in range(3)] for i in range(3)]


def product(a, b):
    return matrix(lambda i, j: sum(a[i][k] * b[k][j] for k in range(3)))


def inverse(a):
    c = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
    determinant = dot(a[0], c[0])
    return matrix(lambda i, j: c[j][i] / determinant)


def hull_faces(points):
    """The faces of the convex hull, each a list of vertices in order around it (outward)."""
    faces = {}
    centre = [sum(p[i] for p in points) / len(points) for i in range(3)]
    for a, b, c in itertools.combinations(points, 3):
        normal = cross(sub(b, a), sub(c, a))
        length = math.sqrt(dot(normal, normal))
        if length < 1e-9:
            continue
        normal = [x / length for x in normal]
        if dot(normal, sub(a, centre)) < 0:
            normal = [-x for x in normal]
        if not any(dot(normal, sub(p, a)) > 1e-9 for p in points):
            key = tuple(round(x, 6) + 0.0 for x in normal)
            faces[key] = (normal, [p for p in points if dot(normal, sub(p, a)) > -1e-9])
    ordered = []
    for normal, face in faces.values():
        middle = [sum(p[i] for p in face) / len(face) for i in range(3)]
        x = sub(face[0], middle)
        y = cross(normal, x)
        ordered.append(sorted(face, key=lambda p: math.atan2(dot(sub(p, middle), y),
                                                             dot(sub(p, middle), x))))
    return ordered


def mass_properties(faces, mass):
    """Mass centre and inertia about it of a uniform polyhedron: signed tetrahedra from the origin.
    For one with vertices 0, a, b, c: volume v = a.(b x c)/6, integral of x = v (a+b+c)/4, integral of
    x x^T = v/20 (sum of p p^T + s s^T) with s = a + b + c."""
    volume, first, second = 0.0, [0.0] * 3, matrix(lambda i, j: 0.0)
    for face in faces:
        for b, c in zip(face[1:], face[2:]):
            a = face[0]
            v = dot(a, cross(b, c)) / 6
            s = [x + y + z for x, y, z in zip(a, b, c)]
            volume += v
            first = [f + v * x / 4 for f, x in zip(first, s)]
            second = matrix(lambda i, j: second[i][j] + v / 20 * (
                a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]))
    centre = [f / volume for f in first]
    density = mass / volume
    spread = matrix(lambda i, j: density * second[i][j] - mass * centre[i] * centre[j])
    trace = spread[0][0] + spread[1][1] + spread[2][2]
    return centre, matrix(lambda i, j: (trace if i == j else 0.0) - spread[i][j])


def truncated_icosahedron(edge):
    """All even permutations of (0, 1, 3f), (1, 2+f, 2f), (f, 2, 2f+1) with signs; edge 2."""
    f = (1 + math.sqrt(5)) / 2
    points = set()
    for base in ((0, 1, 3 * f), (1, 2 + f, 2 * f), (f, 2, 2 * f + 1)):
        for shift in range(3):
            p = base[shift:] + base[:shift]
            for signs in itertools.product((1, -1), repeat=3):
                points.add(tuple(s * x * edge / 2 + 0.0 for s, x in zip(signs, p)))
    return [list(p) for p in sorted(points)]


def mobility(mass, inertia, arm):
    """I/m - r^ Q^-1 r^ for an impulse at `arm` from the mass centre."""
    hat = [[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]]
    turned = product(product(hat, inverse(inertia)), hat)
    return matrix(lambda i, j: (i == j) / mass - turned[i][j])


def show(name, value):
    if isinstance(value[0], list):
        for i, row in enumerate(value):
            show(name if i == 0 else "", row)
    else:
        print(f"{name:24}" + "".join(f"{x + 0.0:24.16g}" for x in value))


# The truncated icosahedron: a pentagon below, its centre at the origin.
ball = truncated_icosahedron(0.1)
ball_faces = hull_faces(ball)
assert len(ball) == 60 and sorted(map(len, ball_faces)) == [5] * 12 + [6] * 20
centre_1, inertia_1 = mass_properties(ball_faces, 3.0)
pentagon = next(face for face in ball_faces if len(face) == 5)
middle = [sum(p[i] for p in pentagon) / 5 for i in range(3)]
height = math.sqrt(dot(middle, middle))

corners = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.75], [0.5, 0.0, -0.5], [0.0, 0.5, -0.5]]
centre_2, inertia_2 = mass_properties(hull_faces(corners), 1.0)



def contact_matrix(height, inertia):
    first = mobility(3.0, inertia, [0, 0, -height])
    second = mobility(1.0, inertia_2, [-x for x in centre_2])
    return matrix(lambda i, j: first[i][j] + second[i][j])


# The figure prints six digits of B1; the scene uses those.
o1, q1 = 0.232744, 0.0671673
Q1 = matrix(lambda i, j: q1 if i == j else 0.0)
W = contact_matrix(o1, Q1)

# (2.13) with angular velocities in the world frame. The thesis means body rates (its change of omega_1
# is turned against the world's) and does not print the body axes.
V1, w1 = [-0.1, 0.5, 0.95], [0.1, 0.1, 0.1]
V2, w2 = [0.1, 0.1, 1.0], [0.1, -0.1, 0.1]
at_1 = [a + b for a, b in zip(V1, cross(w1, [0, 0, -o1]))]
at_2 = [a + b for a, b in zip(V2, cross(w2, [-x for x in centre_2]))]

show("icosahedron centre", [0.0, 0.0, height])
show("icosahedron inertia", inertia_1)
show("tetrahedron centre", centre_2)
show("tetrahedron inertia", inertia_2)
show("W, all digits", contact_matrix(height, inertia_1))
show("W with o1, Q1", W)
show("contact velocity", sub(at_1, at_2))

rounded = abs(height - o1) <= 0.5e-6 and abs(inertia_1[0][0] - q1) <= 0.6e-7
print(f"o1 and Q1 as printed: {'yes' if rounded else 'no'}")
expected = [[10.7153221137, 0.4985754986, 70 / 27], [0.4985754986, 10.7153221137, 70 / 27],
            [70 / 27, 70 / 27, 76 / 27]]
error = max(abs(W[i][j] - expected[i][j]) for i in range(3) for j in range(3))
print(f"W differs from the expected one by {error:.1e}")
sys.exit(error > 1e-10 or not rounded)
