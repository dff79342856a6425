#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inertia of the tetrahedron of examples/bat-tetrahedron*.json from its vertices alone.

Wang's thesis (2017), Fig 4.1: a uniform tetrahedron of mass 1 touches a bat with a vertex. Prints the
mass centre and the right inertia, and the one with which the thesis computed: its principal moments
M_o are those of a matrix whose products xy and xz are exchanged, and its principal frame R_o enters
with the axes y and z exchanged. Two checks decide the exit code: the moments and R_o are the printed
ones, and the two W are those of docs/validation.md, section on batting."""
import math
import sys

import numpy as np

printed_moments = [0.0248286, 0.0401528, 0.0631436]
printed_frame = np.array([[-0.759372, -0.473448, 0.446319],
                          [0.411757, -0.8808, -0.23377],
                          [0.503796, 0.00625615, 0.8638]])
w_true = [9.325542724, 6.630370664, 2.532871084, -1.918335901, 1.810477658, 0.109142270]
w_printed = [7.815931160, 9.249871645, 2.480568036, -1.704311917, 1.409734923, 0.544506406]


def hat(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def about_y(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


# In the contact frame the vertices are short numbers; rows of `frame` are its axes.
frame = about_y(math.pi / 3).T
vertices = np.array([[0, 0, 0], [0, -0.5, 0.5], [0, 0.5, 1], [-0.5, -0.25, 0.25]]) @ frame
centre = vertices.mean(axis=0)
arms = vertices - centre
second = sum(np.outer(a, a) for a in arms) / 20  # uniform tetrahedron of mass 1
inertia = np.trace(second) * np.eye(3) - second

# The thesis' way.
exchanged = inertia.copy()
exchanged[0, 1] = exchanged[1, 0] = inertia[0, 2]
exchanged[0, 2] = exchanged[2, 0] = inertia[0, 1]
moments, vectors = np.linalg.eigh(exchanged)
principal = np.sign(printed_frame) * abs(vectors.T)  # eigenvectors have no sign of their own
swap = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
turned = swap @ principal @ swap.T
as_printed = turned @ np.diag(moments) @ turned.T

bat_centre = -0.05 * frame[2]
bat_inertia = about_y(-math.pi / 6) @ np.diag([2 / 12, 1.01 / 12, 1.01 / 12]) @ about_y(math.pi / 6)


def contact_matrix(object_inertia):
    w = 2 * np.eye(3)
    for r, q in ((centre, object_inertia), (bat_centre, bat_inertia)):
        w -= hat(r) @ np.linalg.inv(q) @ hat(r)
    return frame @ w @ frame.T


def six(m):
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def show(name, matrix):
    print(name)
    for row in np.atleast_2d(matrix):
        print("  [" + ", ".join(f"{x:.17g}" for x in row) + "]")


show("mass centre", centre)
show("bat's mass centre", bat_centre)
show("normal", frame[2])
show("inertia", inertia)
show("inertia as in the thesis", as_printed)
show("W", contact_matrix(inertia))
show("W as in the thesis", contact_matrix(as_printed))
good = (np.allclose(moments, printed_moments, atol=1e-7) and
        np.allclose(principal, printed_frame, atol=1e-6) and
        np.allclose(six(contact_matrix(inertia)), w_true, atol=1e-9) and
        np.allclose(six(contact_matrix(as_printed)), w_printed, atol=1e-9))
print("agrees" if good else "DISAGREES")
sys.exit(not good)
