// SPDX-License-Identifier: Apache-2.0
// Coulomb's law between a node and a table or a finger, with derivatives.
#include "soft/touch.h"

/// The body as it looks from the node.
typedef struct View {
    CaromVec3 normal;
    double gap, bend; ///< bend: 1 over the distance from the centre, 0 above the table
    CaromVec3 slip;
    CaromMat3 across;   ///< N = I - n n^T
    CaromMat3 slipping; ///< ds / dp
} View;

static const CaromMat3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// a += s b c^T
static void add_outer(CaromMat3 *a, double s, CaromVec3 b, CaromVec3 c) {
    const double row[3] = {b.x, b.y, b.z}, column[3] = {c.x, c.y, c.z};
    for (int i = 0; i < 9; i++) {
        a->m[i / 3][i % 3] += s * row[i / 3] * column[i % 3];
    }
}

/// a += s b
static void add_matrix(CaromMat3 *a, double s, const CaromMat3 *b) {
    for (int i = 0; i < 9; i++) {
        a->m[i / 3][i % 3] += s * b->m[i / 3][i % 3];
    }
}

double carom_tool_gap(const CaromTool *tool, CaromVec3 place) {
    return tool->round ? v3_norm(v3_sub(place, tool->centre)) - tool->radius
                       : place.z - tool->centre.z;
}

CaromVec3 carom_tool_foot(const CaromTool *tool, CaromVec3 place) {
    CaromVec3 arm = v3_sub(place, tool->centre);
    double length = v3_norm(arm);
    if (tool->round) {
        return v3_scale(tool->radius / (length > 0 ? length : 1), arm);
    }
    return v3(arm.x, arm.y, 0);
}

static View look(const CaromTool *tool, CaromVec3 foot, CaromVec3 place) {
    CaromVec3 arm = v3_sub(place, tool->centre);
    View view = {.normal = {0, 0, 1}, .gap = arm.z, .across = identity};
    if (tool->round) {
        double distance = v3_norm(arm);
        view.bend = 1 / distance;
        view.normal = v3_scale(view.bend, arm);
        view.gap = distance - tool->radius;
    }
    add_outer(&view.across, -1, view.normal, view.normal);
    if (tool->round) {
        // s = -N a with a the foot; dN = -(dn n^T + n dn^T), dn = bend N dp.
        CaromVec3 aside = m3_mul(&view.across, foot);
        view.slip = v3_scale(-1, aside);
        add_matrix(&view.slipping, view.bend * v3_dot(view.normal, foot), &view.across);
        add_outer(&view.slipping, view.bend, view.normal, aside);
    } else {
        view.slip = m3_mul(&view.across, v3_sub(arm, foot));
        view.slipping = view.across;
    }
    return view;
}

/// The residual is r (g n + s).
static void stick(const View *view, double stiffness, CaromTouch *touch) {
    touch->mode = CAROM_PICKUP_STICKS;
    touch->residual = v3_scale(stiffness, v3_axpy(view->gap, view->normal, view->slip));
    touch->by_force = (CaromMat3){{{0}}};
    touch->by_place = (CaromMat3){{{0}}};
    add_outer(&touch->by_place, stiffness, view->normal, view->normal);
    add_matrix(&touch->by_place, stiffness * view->gap * view->bend, &view->across);
    add_matrix(&touch->by_place, stiffness, &view->slipping);
}

/// The residual is f - l (n + mu t), with t the direction of `pull` = f_t - r s.
static void slide(const View *view, double friction, double stiffness, double load, CaromVec3 pull,
                  CaromVec3 force, CaromTouch *touch) {
    CaromVec3 n = view->normal, aside = m3_mul(&view->across, force);
    double length = v3_norm(pull), along = v3_dot(n, force);
    CaromVec3 t = v3_scale(length > 0 ? 1 / length : 0, pull);
    CaromVec3 edge = v3_axpy(friction, t, n);
    touch->mode = CAROM_PICKUP_SLIPS;
    touch->residual = v3_axpy(-load, edge, force);
    // dl = n . df + (bend f_t - r n) . dp
    CaromVec3 load_by_place = v3_axpy(-stiffness, n, v3_scale(view->bend, aside));
    touch->by_force = identity;
    touch->by_place = (CaromMat3){{{0}}};
    add_outer(&touch->by_force, -1, edge, n);
    add_outer(&touch->by_place, -1, edge, load_by_place);
    add_matrix(&touch->by_place, -load * view->bend, &view->across);
    if (length > 0 && friction > 0) {
        // d pull = N df - (bend ((n.f) N + n f_t^T) + r ds/dp) dp, of which t turns by what is
        // across it.
        CaromMat3 turn = identity, by_place = {{{0}}};
        add_outer(&turn, -1, t, t);
        add_matrix(&by_place, -view->bend * along, &view->across);
        add_outer(&by_place, -view->bend, n, aside);
        add_matrix(&by_place, -stiffness, &view->slipping);
        CaromMat3 force_part = m3_mul3(&turn, &view->across),
                  place_part = m3_mul3(&turn, &by_place);
        add_matrix(&touch->by_force, -friction * load / length, &force_part);
        add_matrix(&touch->by_place, -friction * load / length, &place_part);
    }
}

void carom_touch(const CaromTool *tool, CaromVec3 foot, double stiffness, CaromVec3 place,
                 CaromVec3 force, CaromTouch *touch) {
    View view = look(tool, foot, place);
    double load = v3_dot(view.normal, force) - stiffness * view.gap;
    CaromVec3 pull = v3_axpy(-stiffness, view.slip, m3_mul(&view.across, force));
    *touch = (CaromTouch){.normal = view.normal, .gap = view.gap, .slip = view.slip};
    if (!(load > 0)) {
        touch->mode = CAROM_PICKUP_APART;
        touch->residual = force;
        touch->by_force = identity;
    } else if (v3_norm(pull) < tool->friction * load) {
        stick(&view, stiffness, touch);
    } else {
        slide(&view, tool->friction, stiffness, load, pull, force, touch);
    }
}
