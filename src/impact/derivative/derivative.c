// SPDX-License-Identifier: Apache-2.0
// Tangents of an impact: what the columns change before the impact, and what the bodies make of it
// after.
#include "impact/derivative/derivative.h"

#include "base/vec.h"

#include <string.h>

// ---- Columns -----------------------------------------------------------------------------------

static CaromVec3 unit(int component) {
    return v3(component == 0, component == 1, component == 2);
}

/// Change of the twist of a body before the impact.
static CaromSix twist_before(const CaromDerivativeColumn *column, int b) {
    CaromSix twist = {0};
    if (column->parameter == CAROM_BY_DIRECTION) {
        return column->bodies != NULL ? six_from_twist(&column->bodies[b]) : twist;
    }
    if (column->index == b && column->parameter == CAROM_BY_VELOCITY) {
        twist.linear = unit(column->component);
    } else if (column->index == b && column->parameter == CAROM_BY_ANGULAR_VELOCITY) {
        twist.angular = unit(column->component);
    }
    return twist;
}

/// By how much the mass centre of a body moves; false if it does not.
static bool centre_moves(const CaromDerivativeColumn *column, int b, CaromVec3 *by) {
    bool all = column->parameter == CAROM_BY_DIRECTION && column->bodies != NULL;
    bool one = column->parameter == CAROM_BY_POSITION && column->index == b;
    *by = all ? column->bodies[b].position : one ? unit(column->component) : v3(0, 0, 0);
    return all || one;
}

/// d(M^-1) = -A dM A of a body, where dM has the entries of the mass, or two of the inertia. False
/// if there is no change.
static bool inertia_changes(const CaromTangent *t, int q, int b, double change[6][6]) {
    static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const CaromDerivativeColumn *column = &t->asked[q];
    const double(*a)[6] = t->problem->bodies[b].inverse_inertia;
    if (column->parameter == CAROM_BY_DIRECTION && column->bodies != NULL) {
        memcpy(change, column->bodies[b].inverse_inertia, 36 * sizeof(double));
        return true;
    }
    bool mass = column->parameter == CAROM_BY_MASS;
    if (column->index != b || !(mass || column->parameter == CAROM_BY_INERTIA)) {
        return false;
    }
    int i = 3 + place[column->component][0], j = 3 + place[column->component][1];
    for (int row = 0; row < 6; row++) {
        for (int to = 0; to < 6; to++) {
            double turning = a[row][i] * a[j][to] + (i != j ? a[row][j] * a[i][to] : 0);
            double moving = a[row][0] * a[0][to] + a[row][1] * a[1][to] + a[row][2] * a[2][to];
            change[row][to] = -(mass ? moving : turning);
        }
    }
    return true;
}

/// How a contact changes: point, direction of its normal as a rotation, material.
typedef struct ContactChange {
    bool geometry;
    CaromVec3 point, turn;
    double restitution, friction, stiffness, ratio;
} ContactChange;

/// The rotation that turns the unit normal as a change of the normal does.
static CaromVec3 turn_of(CaromVec3 normal, CaromVec3 change) {
    return v3_scale(1 / v3_dot(normal, normal), v3_cross(normal, change));
}

static ContactChange contact_change(const CaromTangent *t, int q, int c) {
    const CaromDerivativeColumn *column = &t->asked[q];
    CaromVec3 normal = t->problem->contacts[c].normal;
    ContactChange change = {0};
    if (column->parameter == CAROM_BY_DIRECTION && column->contacts != NULL) {
        const CaromContact *to = &column->contacts[c];
        return (ContactChange){
            .geometry = true,
            .point = to->point,
            .turn = turn_of(normal, to->normal),
            .restitution = to->material.restitution,
            .friction = to->material.friction,
            .stiffness = to->material.stiffness,
            .ratio = to->material.stiffness_ratio,
        };
    }
    if (column->index != c) {
        return change;
    }
    change.geometry = column->parameter == CAROM_BY_POINT || column->parameter == CAROM_BY_NORMAL;
    switch (column->parameter) {
    case CAROM_BY_POINT:
        change.point = unit(column->component);
        break;
    case CAROM_BY_NORMAL:
        change.turn = turn_of(normal, unit(column->component));
        break;
    case CAROM_BY_RESTITUTION:
        change.restitution = 1;
        break;
    case CAROM_BY_FRICTION:
        change.friction = 1;
        break;
    case CAROM_BY_STIFFNESS:
        change.stiffness = 1;
        break;
    case CAROM_BY_STIFFNESS_RATIO:
        change.ratio = 1;
        break;
    default:
        break;
    }
    return change;
}

// ---- Geometry ----------------------------------------------------------------------------------

// With R the frame of a contact and r the arm from a mass centre, the velocity at the contact is
//   J u = R (v + w x r),   and where point, centre and frame move by dr and the rotation o
//   dJ u = R (w x dr) + R (-o x (v + w x r))          because dR = -R [o]x
// Row i of J is therefore (a_i, r x a_i) with a_i the axis i of the frame.

static void fill_rows(const CaromVec3 axis[3], CaromVec3 arm, double sign, double rows[3][6]) {
    for (int i = 0; i < 3; i++) {
        CaromVec3 moment = v3_cross(arm, axis[i]);
        const double row[6] = {axis[i].x, axis[i].y, axis[i].z, moment.x, moment.y, moment.z};
        for (int k = 0; k < 6; k++) {
            rows[i][k] = sign * row[k];
        }
    }
}

static void axes_of(const CaromMat3 *frame, CaromVec3 axis[3]) {
    for (int i = 0; i < 3; i++) {
        axis[i] = v3(frame->m[i][0], frame->m[i][1], frame->m[i][2]);
    }
}

static CaromVec3 arm_of(const CaromTangent *t, int c, int side) {
    const CaromContact *contact = &t->problem->contacts[c];
    return v3_sub(contact->point, t->problem->bodies[contact->body[side]].position);
}

/// dJ of one side of a contact; false if it is zero.
static bool jacobian_change(const CaromTangent *t, int q, int c, int side, double rows[3][6]) {
    CaromVec3 moved;
    bool moves = centre_moves(&t->asked[q], t->problem->contacts[c].body[side], &moved);
    ContactChange contact = contact_change(t, q, c);
    if (!contact.geometry && !moves) {
        return false;
    }
    CaromVec3 axis[3], turned[3];
    axes_of(&t->frames[c], axis);
    for (int i = 0; i < 3; i++) {
        turned[i] = v3_cross(contact.turn, axis[i]);
    }
    fill_rows(turned, arm_of(t, c, side), side == 0 ? 1 : -1, rows);
    CaromVec3 shift = v3_sub(contact.point, moved);
    for (int i = 0; i < 3; i++) {
        CaromVec3 moment = v3_scale(side == 0 ? 1 : -1, v3_cross(shift, axis[i]));
        rows[i][3] += moment.x;
        rows[i][4] += moment.y;
        rows[i][5] += moment.z;
    }
    return true;
}

/// sum over k of a_ik b_jk, added to a block.
static void add_product(const double a[3][6], const double b[3][6], CaromMat3 *block) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) {
                sum += a[i][k] * b[j][k];
            }
            block->m[i][j] += sum;
        }
    }
}

/// J times a symmetric matrix of six.
static void times_inertia(const double rows[3][6], const double a[6][6], double out[3][6]) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            double sum = 0;
            for (int l = 0; l < 6; l++) {
                sum += rows[i][l] * a[l][k];
            }
            out[i][k] = sum;
        }
    }
}

static int side_of(const CaromTangent *t, int c, int body) {
    return t->problem->contacts[c].body[0] == body ? 0 : 1;
}

/// List the contacts of every body.
static void list_by_body(CaromTangent *t) {
    int bodies = t->problem->body_count;
    memset(t->body_start, 0, ((size_t)bodies + 1) * sizeof(int));
    for (int c = 0; c < t->contacts; c++) {
        for (int side = 0; side < 2; side++) {
            t->body_start[t->problem->contacts[c].body[side]]++;
        }
    }
    int sum = 0;
    for (int b = 0; b <= bodies; b++) {
        int more = b < bodies ? t->body_start[b] : 0;
        sum += more;
        t->body_start[b] = sum;
    }
    for (int c = t->contacts - 1; c >= 0; c--) {
        for (int side = 0; side < 2; side++) {
            t->body_contact[--t->body_start[t->problem->contacts[c].body[side]]] = c;
        }
    }
}

static bool is_fixed(const CaromBody *body) {
    double trace = 0;
    for (int i = 0; i < 6; i++) {
        trace += body->inverse_inertia[i][i];
    }
    return trace == 0;
}

/// The entry of row c for contact d, a new one at the end if it has none; -1 when it does not fit.
static int entry_of(CaromTangent *t, int c, int d) {
    int end = t->start[c + 1];
    for (int e = t->start[c]; e < end; e++) {
        if (t->column[e] == d) {
            return e;
        }
    }
    if (end == t->capacity) {
        return -1;
    }
    t->column[end] = d;
    t->block[end] = (CaromMat3){0};
    t->start[c + 1]++;
    return end;
}

static bool couple(CaromTangent *t) {
    for (int c = 0; c < t->contacts; c++) {
        CaromVec3 axis[3];
        axes_of(&t->frames[c], axis);
        for (int side = 0; side < 2; side++) {
            double(*rows)[6] = t->jacobian[c].side[side];
            fill_rows(axis, arm_of(t, c, side), side == 0 ? 1 : -1, rows);
            const CaromBody *body = &t->problem->bodies[t->problem->contacts[c].body[side]];
            if (is_fixed(body)) {
                memset(t->response[c].side[side], 0, sizeof t->response[c].side[side]);
                continue;
            }
            times_inertia((const double(*)[6])rows, body->inverse_inertia,
                          t->response[c].side[side]);
        }
    }
    t->start[0] = 0;
    for (int c = 0; c < t->contacts; c++) {
        t->start[c + 1] = t->start[c];
        for (int side = 0; side < 2; side++) {
            int b = t->problem->contacts[c].body[side];
            if (is_fixed(&t->problem->bodies[b])) {
                continue;
            }
            for (int i = t->body_start[b]; i < t->body_start[b + 1]; i++) {
                int d = t->body_contact[i];
                int e = entry_of(t, c, d);
                if (e < 0) {
                    return false;
                }
                add_product((const double(*)[6])t->jacobian[c].side[side],
                            (const double(*)[6])t->response[d].side[side_of(t, d, b)],
                            &t->block[e]);
            }
        }
    }
    return true;
}

/// dW through body b, of the entry of contacts c and d.
static void add_block_change(const CaromTangent *t, int q, int b, const double inertia[6][6], int c,
                             int d, CaromMat3 *change) {
    int side_c = side_of(t, c, b), side_d = side_of(t, d, b);
    const double(*j_c)[6] = (const double(*)[6])t->jacobian[c].side[side_c];
    const double(*j_d)[6] = (const double(*)[6])t->jacobian[d].side[side_d];
    double rows[3][6];
    if (inertia != NULL) {
        times_inertia(j_d, inertia, rows);
        add_product(j_c, (const double(*)[6])rows, change);
    }
    if (jacobian_change(t, q, c, side_c, rows)) {
        add_product((const double(*)[6])rows, (const double(*)[6])t->response[d].side[side_d],
                    change);
    }
    if (jacobian_change(t, q, d, side_d, rows)) {
        add_product((const double(*)[6])t->response[c].side[side_c], (const double(*)[6])rows,
                    change);
    }
}

/// dW of a column that changes the bodies or the geometry.
static void change_blocks(CaromTangent *t, int q) {
    CaromMat3 *change = t->change + (size_t)t->slot[q] * (size_t)t->capacity;
    memset(change, 0, (size_t)t->start[t->contacts] * sizeof *change);
    for (int b = 0; b < t->problem->body_count; b++) {
        if (is_fixed(&t->problem->bodies[b])) {
            continue;
        }
        double inertia[6][6];
        bool changes = inertia_changes(t, q, b, inertia);
        for (int i = t->body_start[b]; i < t->body_start[b + 1]; i++) {
            int c = t->body_contact[i];
            for (int e = t->start[c]; e < t->start[c + 1]; e++) {
                int d = t->column[e];
                const int *of_d = t->problem->contacts[d].body;
                if (of_d[0] == b || of_d[1] == b) {
                    add_block_change(t, q, b, changes ? (const double(*)[6])inertia : NULL, c, d,
                                     &change[e]);
                }
            }
        }
    }
}

/// Which rows of W a column changes.
static void find_touched(CaromTangent *t, int q) {
    const CaromMat3 *change = t->change + (size_t)t->slot[q] * (size_t)t->capacity;
    bool *touched = t->touched + (size_t)t->slot[q] * (size_t)t->contacts;
    for (int c = 0; c < t->contacts; c++) {
        touched[c] = false;
        for (int e = t->start[c]; e < t->start[c + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                touched[c] = touched[c] || change[e].m[k / 3][k % 3] != 0;
            }
        }
    }
}

/// Whether a direction moves a contact or changes a body other than its velocity.
static bool moves_geometry(const CaromTangent *t, const CaromDerivativeColumn *column) {
    bool any = column->bodies != NULL;
    for (int c = 0; column->contacts != NULL && c < t->contacts; c++) {
        const CaromContact *contact = &column->contacts[c];
        any = any || v3_dot(contact->point, contact->point) > 0 ||
              v3_dot(contact->normal, contact->normal) > 0;
    }
    return any;
}

static bool changes_blocks(const CaromTangent *t, const CaromDerivativeColumn *column) {
    switch (column->parameter) {
    case CAROM_BY_POSITION:
    case CAROM_BY_MASS:
    case CAROM_BY_INERTIA:
    case CAROM_BY_POINT:
    case CAROM_BY_NORMAL:
        return true;
    case CAROM_BY_DIRECTION:
        return moves_geometry(t, column);
    default:
        return false;
    }
}

static double six_product(const double row[6], CaromSix twist) {
    return row[0] * twist.linear.x + row[1] * twist.linear.y + row[2] * twist.linear.z +
           row[3] * twist.angular.x + row[4] * twist.angular.y + row[5] * twist.angular.z;
}

/// The place among the six velocities of a body that a column changes by one, -1 if another does.
static int place_in_twist(const CaromDerivativeColumn *column, int b) {
    bool turns = column->parameter == CAROM_BY_ANGULAR_VELOCITY;
    bool moves = column->parameter == CAROM_BY_VELOCITY || turns;
    return moves && column->index == b ? column->component + 3 * turns : -1;
}

/// du_0 = dJ u + J du of both sides.
static CaromVec3 start_change(const CaromTangent *t, int q, int c) {
    double sum[3] = {0};
    for (int side = 0; side < 2; side++) {
        int b = t->problem->contacts[c].body[side];
        const double(*j)[6] = (const double(*)[6])t->jacobian[c].side[side];
        int place = place_in_twist(&t->asked[q], b);
        double rows[3][6];
        bool moves = t->slot[q] >= 0 && jacobian_change(t, q, c, side, rows);
        bool direction = t->asked[q].parameter == CAROM_BY_DIRECTION;
        CaromSix more = direction ? twist_before(&t->asked[q], b) : (CaromSix){0};
        for (int i = 0; i < 3; i++) {
            sum[i] += place >= 0 ? j[i][place] : direction ? six_product(j[i], more) : 0;
            sum[i] += moves ? six_product(rows[i], six_from_twist(&t->problem->bodies[b])) : 0;
        }
    }
    return v3(sum[0], sum[1], sum[2]);
}

// ---- Start -------------------------------------------------------------------------------------

static void start_contact(CaromTangent *t, int q, int c) {
    ContactChange change = contact_change(t, q, c);
    CaromVec3 velocity = start_change(t, q, c);
    static const int zero[] = {CAROM_TANGENT_IMPULSE,     CAROM_TANGENT_IMPULSE + 1,
                               CAROM_TANGENT_IMPULSE + 2, CAROM_TANGENT_STRETCH,
                               CAROM_TANGENT_STRETCH + 1, CAROM_TANGENT_COMPRESSION,
                               CAROM_TANGENT_GRIP,        CAROM_TANGENT_RETAINED,
                               CAROM_TANGENT_LOSS,        CAROM_TANGENT_WORK};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        carom_tangent_at(t, zero[i], c)[q] = 0;
    }
    const double start[3] = {velocity.x, velocity.y, velocity.z};
    for (int i = 0; i < 3; i++) {
        carom_tangent_at(t, CAROM_TANGENT_START + i, c)[q] = start[i];
        carom_tangent_at(t, CAROM_TANGENT_VELOCITY + i, c)[q] = start[i];
    }
    const CaromMaterial *m = &t->problem->contacts[c].material;
    bool hard = isinf(m->stiffness);
    carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q] = hard ? 0 : change.stiffness;
    carom_tangent_at(t, CAROM_TANGENT_FRICTION, c)[q] = change.friction;
    carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c)[q] = change.restitution;
    if (m->tangential == CAROM_TANGENTIAL_COMPLIANT) {
        double k = hard ? 1 : m->stiffness, ratio = m->stiffness_ratio;
        carom_tangent_at(t, CAROM_TANGENT_GRIP, c)[q] =
            ((hard ? 0 : change.stiffness) - k / ratio * change.ratio) / ratio;
    }
}

bool carom_tangent_init(CaromTangent *t, const CaromImpactProblem *problem, const CaromMat3 *frames,
                        const CaromImpactOptions *options) {
    t->columns = options->derivative_count;
    t->contacts = problem->contact_count;
    t->problem = problem;
    t->frames = frames;
    t->asked = options->derivatives;
    t->failed = false;
    t->collocations = t->held_rows = 0;
    t->redundant = false;
    memset(t->instead, -1, 3 * (size_t)t->contacts * sizeof(int));
    memset(t->pushed, 0, (size_t)t->contacts * sizeof *t->pushed);
    memset(t->shared, 0, (size_t)t->contacts * sizeof *t->shared);
    t->slots = 0;
    list_by_body(t);
    if (!couple(t)) {
        return false;
    }
    for (int q = 0; q < t->columns; q++) {
        t->slot[q] = -1;
        if (changes_blocks(t, &t->asked[q])) {
            t->slot[q] = t->slots++;
            t->of_slot[t->slot[q]] = q;
            change_blocks(t, q);
            find_touched(t, q);
        }
        for (int c = 0; c < t->contacts; c++) {
            start_contact(t, q, c);
        }
        t->told[q] = (CaromDerivative){
            .contact = -1,
            .bodies = t->twists + (size_t)q * (size_t)problem->body_count,
            .contacts = t->results + (size_t)q * (size_t)problem->contact_count,
            .shared = t->shared,
        };
    }
    return true;
}

void carom_tangent_mark(CaromTangent *t, int q, CaromSmoothness why, int contact, int side) {
    CaromDerivative *told = &t->told[q];
    if (told->smoothness == CAROM_SMOOTH || why == CAROM_NOT_DERIVED) {
        told->smoothness = why;
        told->contact = contact;
        told->side = side;
    } else if (side != told->side) {
        told->side = 0; // each needs another side, or none will do
    }
}

void carom_tangent_mark_restitution(CaromTangent *t, int c, CaromSmoothness at_zero,
                                    CaromSmoothness at_one) {
    double e = t->problem->contacts[c].material.restitution;
    const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    for (int q = 0; (e == 0 || e == 1) && q < t->columns; q++) {
        if (by[q] != 0) {
            carom_tangent_mark(t, q, e == 0 ? at_zero : at_one, c,
                               (by[q] > 0) == (e == 0) ? 1 : -1);
        }
    }
}

void carom_tangent_mark_all(CaromTangent *t, CaromSmoothness why) {
    for (int q = 0; q < t->columns; q++) {
        carom_tangent_mark(t, q, why, -1, 0);
    }
}

// ---- Along the way -----------------------------------------------------------------------------

CaromVec3 carom_tangent_change_row(const CaromTangent *t, int q, int c, const CaromVec3 *force) {
    const CaromMat3 *change = t->change + (size_t)t->slot[q] * (size_t)t->capacity;
    CaromVec3 sum = {0};
    for (int e = t->start[c]; carom_tangent_touches(t, q, c) && e < t->start[c + 1]; e++) {
        sum = v3_add(sum, m3_mul(&change[e], force[t->column[e]]));
    }
    return sum;
}

/// out += (W x)_c where the three components of x are fields.
static void add_row(const CaromTangent *t, int c, int field, double *const out[3]) {
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        for (int k = 0; k < 3; k++) {
            const double *x = carom_tangent_at(t, field + k, t->column[e]);
            double a = t->block[e].m[0][k], b = t->block[e].m[1][k], d = t->block[e].m[2][k];
            for (int q = 0; q < t->columns; q++) {
                out[0][q] += a * x[q];
                out[1][q] += b * x[q];
                out[2][q] += d * x[q];
            }
        }
    }
}

void carom_tangent_follow(CaromTangent *t, const CaromVec3 *impulse) {
    for (int c = 0; c < t->contacts; c++) {
        double *velocity[3];
        for (int k = 0; k < 3; k++) {
            velocity[k] = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
            const double *start = carom_tangent_at(t, CAROM_TANGENT_START + k, c);
            memcpy(velocity[k], start, (size_t)t->columns * sizeof(double));
        }
        add_row(t, c, CAROM_TANGENT_IMPULSE, velocity);
        for (int g = 0; g < t->slots; g++) {
            int q = t->of_slot[g];
            CaromVec3 more = carom_tangent_change_row(t, q, c, impulse);
            velocity[0][q] += more.x;
            velocity[1][q] += more.y;
            velocity[2][q] += more.z;
        }
    }
}

// ---- The end -----------------------------------------------------------------------------------

/// Impulse on body A in the world frame: P = R^T p, dP = R^T dp + o x P.
static CaromVec3 impulse_change(const CaromTangent *t, int q, int c, CaromVec3 impulse) {
    CaromVec3 local = v3(carom_tangent_at(t, CAROM_TANGENT_IMPULSE, c)[q],
                         carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 1, c)[q],
                         carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c)[q]);
    CaromVec3 world = m3_tmul(&t->frames[c], local);
    return t->slot[q] < 0 ? world : v3_add(world, v3_cross(contact_change(t, q, c).turn, impulse));
}

/// What the changes of the impulses do to a body: A J^T dp of its contacts.
static void add_responses(const CaromTangent *t, int q, int b, double twist[6]) {
    for (int i = t->body_start[b]; i < t->body_start[b + 1]; i++) {
        int c = t->body_contact[i];
        const double(*response)[6] = (const double(*)[6])t->response[c].side[side_of(t, c, b)];
        for (int k = 0; k < 3; k++) {
            double impulse = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + k, c)[q];
            for (int j = 0; impulse != 0 && j < 6; j++) {
                twist[j] += response[k][j] * impulse;
            }
        }
    }
}

/// What columns that move contacts, turn normals or change inertias add: of the given impulses.
static CaromSix moved_response(const CaromTangent *t, int q, int b,
                               const CaromContactResult *contacts, CaromSix wrench) {
    const CaromBody *body = &t->problem->bodies[b];
    CaromVec3 moved;
    (void)centre_moves(&t->asked[q], b, &moved);
    CaromSix more = {0};
    for (int i = t->body_start[b]; i < t->body_start[b + 1]; i++) {
        int c = t->body_contact[i];
        int side = side_of(t, c, b);
        CaromVec3 impulse = v3_scale(side == 0 ? 1 : -1, contacts[c].impulse);
        ContactChange change = contact_change(t, q, c);
        CaromVec3 turned = v3_cross(change.turn, impulse);
        more.linear = v3_add(more.linear, turned);
        more.angular = v3_add(more.angular, v3_cross(arm_of(t, c, side), turned));
        more.angular = v3_add(more.angular, v3_cross(v3_sub(change.point, moved), impulse));
    }
    CaromSix twist = carom_body_response(body, more);
    CaromBody changed;
    if (inertia_changes(t, q, b, changed.inverse_inertia)) {
        CaromSix extra = carom_body_response(&changed, wrench);
        twist.linear = v3_add(twist.linear, extra.linear);
        twist.angular = v3_add(twist.angular, extra.angular);
    }
    return twist;
}

static CaromTwist twist_change(const CaromTangent *t, int q, int b,
                               const CaromContactResult *contacts, CaromSix wrench) {
    CaromSix before = twist_before(&t->asked[q], b);
    bool geometry = t->slot[q] >= 0;
    if (is_fixed(&t->problem->bodies[b]) && !geometry) {
        return (CaromTwist){before.linear, before.angular};
    }
    double twist[6] = {before.linear.x,  before.linear.y,  before.linear.z,
                       before.angular.x, before.angular.y, before.angular.z};
    add_responses(t, q, b, twist);
    CaromSix more = geometry ? moved_response(t, q, b, contacts, wrench) : (CaromSix){0};
    return (CaromTwist){
        v3(twist[0] + more.linear.x, twist[1] + more.linear.y, twist[2] + more.linear.z),
        v3(twist[3] + more.angular.x, twist[4] + more.angular.y, twist[5] + more.angular.z)};
}

static bool is_sound(const CaromTangent *t, int q) {
    double sum = 0;
    for (int b = 0; b < t->problem->body_count; b++) {
        const CaromTwist *twist = &t->told[q].bodies[b];
        sum += v3_norm(twist->velocity) + v3_norm(twist->angular_velocity);
    }
    for (int c = 0; c < t->contacts; c++) {
        const CaromContactDerivative *d = &t->told[q].contacts[c];
        sum += v3_norm(d->impulse) + fabs(d->restitution_loss) + fabs(d->friction_loss);
    }
    return isfinite(sum);
}

static void give_up_column(CaromTangent *t, int q) {
    carom_tangent_mark(t, q, CAROM_NOT_DERIVED, -1, 0);
    memset(t->twists + (size_t)q * (size_t)t->problem->body_count, 0,
           (size_t)t->problem->body_count * sizeof *t->twists);
    memset(t->results + (size_t)q * (size_t)t->contacts, 0,
           (size_t)t->contacts * sizeof *t->results);
}

void carom_tangent_give_up(CaromTangent *t) {
    for (int q = 0; q < t->columns; q++) {
        give_up_column(t, q);
    }
}

void carom_tangent_conclude(CaromTangent *t, const CaromContactResult *contacts,
                            const CaromSix *wrenches) {
    for (int q = 0; q < t->columns; q++) {
        CaromContactDerivative *results = t->results + (size_t)q * (size_t)t->contacts;
        for (int c = 0; c < t->contacts; c++) {
            results[c] = (CaromContactDerivative){
                .impulse = impulse_change(t, q, c, contacts[c].impulse),
                .normal_impulse = carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c)[q],
                .restitution_loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c)[q],
                .friction_loss = carom_tangent_at(t, CAROM_TANGENT_WORK, c)[q],
            };
        }
        for (int b = 0; b < t->problem->body_count; b++) {
            t->twists[(size_t)q * (size_t)t->problem->body_count + (size_t)b] =
                twist_change(t, q, b, contacts, wrenches[b]);
        }
        bool derived = t->told[q].smoothness != CAROM_NOT_DERIVED;
        if (t->failed || !derived || !is_sound(t, q)) {
            give_up_column(t, q);
        }
    }
}
