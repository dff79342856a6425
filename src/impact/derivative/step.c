// SPDX-License-Identifier: Apache-2.0
// Tangents along any step of a network: Radau collocation of the linearised laws, whose
// coefficients are read off the polynomials of the step.
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/network/network.h"

#include <string.h>

enum { ORDER = CAROM_NETWORK_ORDER, STAGES = CAROM_STAGES };

// Unknown are the changes dF of the forces at the stages. With w the weights of the collocation,
//   du_i = du + sum_j w_ij (W dF_j + dW F_j)          ddelta_i = ddelta - sum_j w_ij du_n,j
// and the laws, theory.md (14.4): with d the direction of slip and d' across it,
//   spring    dF_n = s ddelta + (F_n/k) dk,  s the slope of the force
//   rigid     du_n = 0                        stick    du_t = 0
//   slip      d.dF_t = -mu dF_n - F_n dmu     d'.dF_t = -(mu F_n/|u|) d'.du
//   stretch   dF_t = -k_t dz - z dk_t         dz_i = dz + sum_j w_ij du_t,j
//   turn      d.dF_t as in slip, d'.dF_t = -mu F_n a, where a is the change of the angle of z:
//             rho a' = d'.du - a d.u - omega drho,   rho = mu F_n/k_t,  omega = d'.u/rho

typedef CaromTangentStage Stage;

/// The step between two of its points.
typedef struct Piece {
    CaromNetwork *n;
    double from;                   ///< where it starts in the step
    double time[STAGES];           ///< where the stages are in the step
    double weight[STAGES][STAGES]; ///< w
    int per_stage;                 ///< unknowns
    bool last;                     ///< of a spring that slips as its contact opens: its angle stays
} Piece;

static double value_of(const double *terms, size_t stride, double t) {
    double sum = 0;
    for (int j = ORDER; j >= 0; j--) {
        sum = sum * t + terms[(size_t)j * stride];
    }
    return sum;
}

/// By which law a contact rubs.
static CaromLaw law_of(const CaromNetwork *n, int c) {
    return n->friction.active ? n->friction.grip[c].law : CAROM_LAW_NONE;
}

static Stage stage_at(const CaromNetwork *n, int c, double t) {
    size_t count = (size_t)n->count;
    Stage s = {0};
    double delta = value_of(n->compression_terms + c, count, t);
    if (n->rigid[c]) {
        s.normal = value_of(n->force_terms + c, count, t);
    } else {
        s.normal = carom_network_spring_force(n, c, delta);
        s.slope = n->exponent[c] == 1 ? n->stiffness[c]
                  : delta > 0         ? n->exponent[c] * s.normal / delta
                                      : 0;
    }
    CaromLaw law = law_of(n, c);
    if (law == CAROM_LAW_NONE) {
        return s;
    }
    const CaromGrip *grip = &n->friction.grip[c];
    s.velocity = carom_step_vector(grip->terms[CAROM_GRIP_VELOCITY], t);
    s.force = carom_step_vector(n->friction.series[c].force, t);
    s.stretch = grip->stiffness > 0 ? v2_scale(-1 / grip->stiffness, s.force) : v2(0, 0);
    CaromVec2 d = grip->stiffness > 0 ? s.stretch : s.velocity;
    double length = v2_norm(d);
    s.along = length > 0 ? v2_scale(1 / length, d) : v2(0, 0);
    s.side = v2_turn(s.along);
    return s;
}

CaromVec3 carom_tangent_force(const CaromNetwork *n, int c, double t) {
    Stage s = stage_at(n, c, t);
    return v3(s.force.x, s.force.y, s.normal);
}

/// A rigid contact with less than this share of its force scale has let go.
static const double no_force = 1e-10;

/// Whether a rigid contact has no force at t of the step, and parts.
static bool has_let_go(const CaromNetwork *n, int c, double t) {
    if (!n->rigid[c]) {
        return false;
    }
    size_t count = (size_t)n->count;
    return value_of(n->force_terms + c, count, t) <= no_force * carom_tangent_force_scale(n, c) &&
           value_of(n->velocity_terms + c, count, t) > n->threshold[c];
}

bool carom_tangent_lets_go(const CaromNetwork *n, int c, double end) {
    bool goes = n->rigid[c];
    for (int i = 0; goes && i < STAGES; i++) {
        goes = has_let_go(n, c, end * radau_node[i]);
    }
    return goes;
}

// ---- Rows --------------------------------------------------------------------------------------

/// sum of force.dF + velocity.du at the stages + start.du + ... = 0 at one contact.
typedef struct CaromTangentRow {
    int contact;
    int from, to; ///< stages that have a velocity
    double force[STAGES][3];
    double velocity[STAGES][3];
    double start[3];
    double compression, stretch[2], friction, stiffness, grip;
} Row;

static void spring_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    row->force[i][2] = 1;
    for (int j = 0; j < STAGES; j++) {
        row->velocity[j][2] = s->slope * p->weight[i][j];
    }
    row->compression = -s->slope;
    row->stiffness = -s->normal / p->n->stiffness[c];
}

/// d.dF_t + mu dF_n + F_n dmu = 0
static void along_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    row->force[i][0] = s->along.x;
    row->force[i][1] = s->along.y;
    row->force[i][2] = p->n->friction.grip[c].friction;
    row->friction = s->normal;
}

static void slip_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    double speed = v2_norm(s->velocity);
    double pull = p->n->friction.grip[c].friction * s->normal;
    // Divided by what is larger, so that slip near rest is an equation for the velocity.
    double scale = 1 / fmax(1, pull / fmax(speed, 1e-300));
    double share = scale * pull / fmax(speed, 1e-300);
    row->force[i][0] = scale * s->side.x;
    row->force[i][1] = scale * s->side.y;
    row->velocity[i][0] = share * s->side.x;
    row->velocity[i][1] = share * s->side.y;
}

static void stretch_row(const Piece *p, int c, int i, int k, const Stage *s, Row *row) {
    double stiffness = p->n->friction.grip[c].stiffness;
    row->force[i][k] = 1;
    row->stretch[k] = stiffness;
    row->grip = k == 0 ? s->stretch.x : s->stretch.y;
    for (int j = 0; j < STAGES; j++) {
        row->velocity[j][k] = stiffness * p->weight[i][j];
    }
}

/// a_i - a - sum_j w_ij (d'.du - a d.u - omega drho)_j/rho_j = 0, a_j = -d'.dF_t,j/(mu F_n,j)
static void turn_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    const CaromGrip *grip = &p->n->friction.grip[c];
    double mu = grip->friction, k_t = grip->stiffness;
    double scale = mu * s[i].normal;
    for (int j = 0; j < STAGES; j++) {
        double pull = fmax(mu * s[j].normal, 1e-300);
        double rho = pull / k_t;
        double omega = v2_dot(s[j].side, s[j].velocity) / rho;
        double w = scale * p->weight[i][j] / rho;
        // The angle at stage j, in dF_t.
        double angle = (j == i ? scale : 0) + w * v2_dot(s[j].along, s[j].velocity);
        row->force[j][0] += -angle / pull * s[j].side.x;
        row->force[j][1] += -angle / pull * s[j].side.y;
        row->velocity[j][0] += -w * s[j].side.x;
        row->velocity[j][1] += -w * s[j].side.y;
        // drho
        row->force[j][2] += w * omega * mu / k_t;
        row->friction += w * omega * s[j].normal / k_t;
        row->grip += -w * omega * rho / k_t;
    }
    Stage start = stage_at(p->n, c, p->from);
    double length = v2_norm(start.stretch);
    double speed = v2_norm(start.velocity);
    CaromVec2 side = v2_turn(length > 0 ? start.stretch : start.velocity);
    if (length > 0) {
        row->stretch[0] = -scale * side.x / (length * length);
        row->stretch[1] = -scale * side.y / (length * length);
    } else if (speed > 0) {
        row->start[0] = -scale * side.x / (speed * speed);
        row->start[1] = -scale * side.y / (speed * speed);
    }
}

/// d'.dF_t + mu F_n a = 0 with the angle of the start
static void frozen_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    double length = v2_norm(stage_at(p->n, c, p->from).stretch);
    double share = length > 0 ? p->n->friction.grip[c].friction * s[i].normal / length : 0;
    row->force[i][0] = s[i].side.x;
    row->force[i][1] = s[i].side.y;
    row->stretch[0] = share * s[i].side.x;
    row->stretch[1] = share * s[i].side.y;
}

/// The equation of an unknown at stage i.
static Row row_of(const Piece *p, int unknown, int i, const Stage *s) {
    int c = unknown / 3, k = unknown % 3;
    Row row = {.contact = c};
    int instead = p->n->tangent->instead[unknown];
    if (instead >= 0) {
        row.contact = instead / 3;
        row.force[i][instead % 3] = 1;
        return row;
    }
    if (has_let_go(p->n, c, p->time[i])) {
        row.force[i][k] = 1;
        return row;
    }
    if (k == 2) {
        if (p->n->rigid[c]) {
            row.velocity[i][2] = 1;
        } else {
            spring_row(p, c, i, &s[i], &row);
        }
        return row;
    }
    switch (law_of(p->n, c)) {
    case CAROM_LAW_STICK:
        row.velocity[i][k] = 1;
        break;
    case CAROM_LAW_STRETCH:
        stretch_row(p, c, i, k, &s[i], &row);
        break;
    case CAROM_LAW_SLIP:
        (k == 0 ? along_row : slip_row)(p, c, i, &s[i], &row);
        break;
    default:
        if (s[i].along.x == 0 && s[i].along.y == 0) {
            row.force[i][k] = 1; // the step left it out: the contact opens, its force is rounding
        } else if (k == 0) {
            along_row(p, c, i, &s[i], &row);
        } else {
            (p->last ? frozen_row : turn_row)(p, c, i, s, &row);
        }
        break;
    }
    return row;
}

// ---- The system --------------------------------------------------------------------------------

/// What a row has of W dF at each stage; false if nothing.
static bool couple_row(const Piece *p, const Row *row, double by_force[STAGES][3]) {
    bool any = false;
    memset(by_force, 0, STAGES * sizeof *by_force);
    for (int j = 0; j < STAGES; j++) {
        for (int k = 0; k < 3; k++) {
            double factor = row->velocity[j][k];
            any = any || factor != 0;
            for (int l = 0; factor != 0 && l < STAGES; l++) {
                by_force[l][k] += factor * p->weight[j][l];
            }
        }
    }
    return any;
}

/// Put a row into the matrix: velocities are what forces make of them.
static void fill_row(const Piece *p, const Row *row, double *matrix) {
    const CaromTangent *t = p->n->tangent;
    const CaromTangentSystem *s = &t->system;
    int c = row->contact, size = STAGES * p->per_stage;
    double by_force[STAGES][3];
    memset(matrix, 0, (size_t)size * sizeof(double));
    for (int u = t->first[c]; u < p->per_stage && s->unknown[u] / 3 == c; u++) {
        for (int l = 0; l < STAGES; l++) {
            matrix[l * p->per_stage + u] = row->force[l][s->unknown[u] % 3];
        }
    }
    if (!couple_row(p, row, by_force)) {
        return;
    }
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        const CaromMat3 *w = &t->block[e];
        for (int u = t->first[d]; u >= 0 && u < p->per_stage && s->unknown[u] / 3 == d; u++) {
            int k = s->unknown[u] % 3;
            for (int l = 0; l < STAGES; l++) {
                matrix[l * p->per_stage + u] += by_force[l][0] * w->m[0][k] +
                                                by_force[l][1] * w->m[1][k] +
                                                by_force[l][2] * w->m[2][k];
            }
        }
    }
}

/// Of the k-th awake contact and column q: velocity changes at the stages that do not depend on the
/// unknowns.
static CaromVec3 *known_of(const CaromTangent *t, int k, int q) {
    return t->known + ((size_t)k * (size_t)t->columns + (size_t)q) * STAGES;
}

/// Velocity changes at the stages that do not depend on the unknowns.
static void known_velocities(const Piece *p, int q, int c, CaromVec3 known[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    CaromVec3 start = v3(carom_tangent_at(t, CAROM_TANGENT_VELOCITY, c)[q],
                         carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, c)[q],
                         carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c)[q]);
    CaromVec3 more[STAGES];
    for (int j = 0; j < STAGES; j++) {
        known[j] = start;
    }
    if (t->slot[q] < 0) {
        return;
    }
    for (int j = 0; j < STAGES; j++) {
        more[j] = carom_tangent_change_row(t, q, c, t->force + (size_t)j * (size_t)t->contacts);
    }
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            known[i] = v3_axpy(p->weight[i][j], more[j], known[i]);
        }
    }
}

static double right_side(const Piece *p, const Row *row, int q, const CaromVec3 known[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    int c = row->contact;
    double sum = row->compression * carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] +
                 row->friction * carom_tangent_at(t, CAROM_TANGENT_FRICTION, c)[q] +
                 row->stiffness * carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q] +
                 row->grip * carom_tangent_at(t, CAROM_TANGENT_GRIP, c)[q];
    for (int k = 0; k < 2; k++) {
        sum += row->stretch[k] * carom_tangent_at(t, CAROM_TANGENT_STRETCH + k, c)[q];
        sum += row->start[k] * carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c)[q];
    }
    for (int j = row->from; j < row->to; j++) {
        sum += row->velocity[j][0] * known[j].x + row->velocity[j][1] * known[j].y +
               row->velocity[j][2] * known[j].z;
    }
    return -sum;
}

/// List the unknowns of a stage. False when all stages have more than fit.
static bool list_unknowns(Piece *p) {
    CaromTangent *t = p->n->tangent;
    CaromTangentSystem *s = &t->system;
    p->per_stage = 0;
    for (int c = 0; c < p->n->count; c++) {
        t->first[c] = -1;
    }
    for (int i = 0; i < p->n->awake_count; i++) {
        int c = p->n->awake[i];
        if (STAGES * (p->per_stage + 3) > s->most) {
            return false;
        }
        t->first[c] = p->per_stage;
        for (int k = law_of(p->n, c) == CAROM_LAW_NONE ? 2 : 0; k < 3; k++) {
            s->unknown[p->per_stage++] = 3 * c + k;
        }
    }
    return true;
}

static Piece piece_of(CaromNetwork *n, double h, double from, double to, bool last) {
    Piece p = {.n = n, .from = from, .last = last};
    double pace = n->friction.active ? n->friction.pace : 0;
    for (int j = 0; j < STAGES; j++) {
        p.time[j] = from + (to - from) * radau_node[j];
        for (int i = 0; i < STAGES; i++) {
            p.weight[i][j] = (to - from) * radau_weight[i][j] * h * (1 + pace * p.time[j]);
        }
    }
    return p;
}

static void find_stages(Row *row) {
    row->from = STAGES;
    for (int j = 0; j < STAGES; j++) {
        const double *v = row->velocity[j];
        if (v[0] != 0 || v[1] != 0 || v[2] != 0) {
            row->from = row->from == STAGES ? j : row->from;
            row->to = j + 1;
        }
    }
}

/// Rows of contact c, in the matrix, and what they mean to each column.
static void add_contact(const Piece *p, int c, int k, const Stage s[STAGES]) {
    CaromTangent *t = p->n->tangent;
    CaromTangentSystem *system = &t->system;
    int size = STAGES * p->per_stage;
    for (int u = t->first[c]; u < p->per_stage && system->unknown[u] / 3 == c; u++) {
        for (int i = 0; i < STAGES; i++) {
            int at = i * p->per_stage + u;
            Row row = row_of(p, system->unknown[u], i, s);
            find_stages(&row);
            fill_row(p, &row, system->matrix + (size_t)at * (size_t)size);
            for (int q = 0; q < t->columns; q++) {
                const CaromVec3 *known = known_of(t, k, q);
                system->right[(size_t)at * (size_t)t->columns + (size_t)q] =
                    right_side(p, &row, q, known);
            }
        }
    }
}

/// Let the direction of a spring stay: at the end of the piece it may have no length left.
static void freeze(const Piece *p, int c, Stage s[STAGES]) {
    Stage start = stage_at(p->n, c, p->from);
    for (int i = 0; i < STAGES; i++) {
        s[i].along = start.along;
        s[i].side = start.side;
    }
}

/// The stages of an awake contact.
static Stage *stages_of(const Piece *p, int c) {
    return p->n->tangent->stages + (size_t)c * STAGES;
}

/// What the step itself does at the stages.
static void set_primal(const Piece *p) {
    CaromTangent *t = p->n->tangent;
    memset(t->force, 0, STAGES * (size_t)t->contacts * sizeof *t->force);
    for (int k = 0; k < p->n->awake_count; k++) {
        int c = p->n->awake[k];
        Stage *s = stages_of(p, c);
        for (int i = 0; i < STAGES; i++) {
            s[i] = stage_at(p->n, c, p->time[i]);
            t->force[(size_t)i * (size_t)t->contacts + (size_t)c] =
                v3(s[i].force.x, s[i].force.y, s[i].normal);
        }
        if (p->last && law_of(p->n, c) >= CAROM_LAW_TURN) {
            freeze(p, c, s);
        }
    }
}

static void set_system(const Piece *p) {
    CaromTangent *t = p->n->tangent;
    for (int k = 0; k < p->n->awake_count; k++) {
        int c = p->n->awake[k];
        for (int q = 0; q < t->columns; q++) {
            known_velocities(p, q, c, known_of(t, k, q));
        }
        add_contact(p, c, k, stages_of(p, c));
    }
}

// ---- What comes of it --------------------------------------------------------------------------

/// Change of the force of contact c at stage i by column q, as solved.
static CaromVec3 solved_force(const Piece *p, int q, int c, int i) {
    const CaromTangent *t = p->n->tangent;
    const CaromTangentSystem *s = &t->system;
    size_t columns = (size_t)t->columns;
    int u = t->first[c];
    if (u < 0) {
        return v3(0, 0, 0);
    }
    const double *x = s->right + ((size_t)i * (size_t)p->per_stage + (size_t)u) * columns + q;
    return s->unknown[u] % 3 == 2 ? v3(0, 0, x[0]) : v3(x[0], x[columns], x[2 * columns]);
}

/// Add what the solved forces do to the velocity changes of contact c at the stages.
static void add_solved(const Piece *p, int q, int c, CaromVec3 velocity[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    CaromVec3 effect[STAGES] = {{0}};
    for (int j = 0; j < STAGES; j++) {
        for (int e = t->start[c]; e < t->start[c + 1]; e++) {
            CaromVec3 force = solved_force(p, q, t->column[e], j);
            effect[j] = v3_add(effect[j], m3_mul(&t->block[e], force));
        }
    }
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            velocity[i] = v3_axpy(p->weight[i][j], effect[j], velocity[i]);
        }
    }
}

static void take_spring(const Piece *p, int q, int c, CaromVec3 force,
                        const CaromVec3 velocity[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    const CaromGrip *grip = &p->n->friction.grip[c];
    const double *weight = p->weight[STAGES - 1];
    double *x = &carom_tangent_at(t, CAROM_TANGENT_STRETCH, c)[q];
    double *y = &carom_tangent_at(t, CAROM_TANGENT_STRETCH + 1, c)[q];
    if (grip->law == CAROM_LAW_STRETCH) {
        for (int j = 0; j < STAGES; j++) {
            *x += weight[j] * velocity[j].x;
            *y += weight[j] * velocity[j].y;
        }
        return;
    }
    Stage end = stages_of(p, c)[STAGES - 1];
    double by = carom_tangent_at(t, CAROM_TANGENT_GRIP, c)[q];
    *x = -(force.x + end.stretch.x * by) / grip->stiffness;
    *y = -(force.y + end.stretch.y * by) / grip->stiffness;
}

/// Impulse, compression, work and spring of an awake contact at the end of the piece.
static void take_contact(const Piece *p, int q, int c, const CaromVec3 velocity[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    const double *weight = p->weight[STAGES - 1];
    CaromVec3 impulse = {0};
    double moved = 0, work = 0;
    for (int j = 0; j < STAGES; j++) {
        CaromVec3 force = solved_force(p, q, c, j);
        impulse = v3_axpy(weight[j], force, impulse);
        moved += weight[j] * velocity[j].z;
        if (law_of(p->n, c) != CAROM_LAW_NONE) {
            const Stage *s = &stages_of(p, c)[j];
            work -= weight[j] * (force.x * s->velocity.x + force.y * s->velocity.y +
                                 s->force.x * velocity[j].x + s->force.y * velocity[j].y);
        }
    }
    carom_tangent_at(t, CAROM_TANGENT_IMPULSE, c)[q] += impulse.x;
    carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 1, c)[q] += impulse.y;
    carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c)[q] += impulse.z;
    carom_tangent_at(t, CAROM_TANGENT_WORK, c)[q] += work;
    if (!p->n->rigid[c]) {
        carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] -= moved;
    }
    if (law_of(p->n, c) != CAROM_LAW_NONE && p->n->friction.grip[c].stiffness > 0) {
        take_spring(p, q, c, solved_force(p, q, c, STAGES - 1), velocity);
    }
}

static void take_velocity(const Piece *p, int q, int c, CaromVec3 end) {
    const CaromTangent *t = p->n->tangent;
    carom_tangent_at(t, CAROM_TANGENT_VELOCITY, c)[q] = end.x;
    carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, c)[q] = end.y;
    carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c)[q] =
        p->n->rigid[c] && !t->gone[c] ? 0 : end.z;
}

static void take(const Piece *p) {
    const CaromNetwork *n = p->n;
    const CaromTangent *t = n->tangent;
    for (int k = 0; k < n->awake_count; k++) {
        int c = n->awake[k];
        for (int q = 0; q < t->columns; q++) {
            CaromVec3 *velocity = known_of(t, k, q);
            add_solved(p, q, c, velocity);
            take_contact(p, q, c, velocity);
            take_velocity(p, q, c, velocity[STAGES - 1]);
        }
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        for (int q = 0; n->phase[c] == CAROM_PHASE_ASLEEP && q < t->columns; q++) {
            CaromVec3 velocity[STAGES];
            known_velocities(p, q, c, velocity);
            add_solved(p, q, c, velocity);
            take_velocity(p, q, c, velocity[STAGES - 1]);
        }
    }
}

/// Solve for all columns at once, from the factors.
static void solve_all(CaromTangent *t, int size) {
    const double *lu = t->system.matrix;
    size_t columns = (size_t)t->columns;
    double *x = t->system.right;
    for (int i = 0; i < size; i++) {
        double *row = x + (size_t)i * columns, *swapped = x + (size_t)t->system.pivot[i] * columns;
        for (size_t q = 0; swapped != row && q < columns; q++) {
            double kept = row[q];
            row[q] = swapped[q];
            swapped[q] = kept;
        }
    }
    for (int i = 0; i < size; i++) {
        double *restrict row = x + (size_t)i * columns;
        for (int j = 0; j < i; j++) {
            double factor = lu[i * size + j];
            const double *restrict other = x + (size_t)j * columns;
            for (size_t q = 0; factor != 0 && q < columns; q++) {
                row[q] -= factor * other[q];
            }
        }
    }
    for (int i = size - 1; i >= 0; i--) {
        double *restrict row = x + (size_t)i * columns;
        for (int j = i + 1; j < size; j++) {
            double factor = lu[i * size + j];
            const double *restrict other = x + (size_t)j * columns;
            for (size_t q = 0; factor != 0 && q < columns; q++) {
                row[q] -= factor * other[q];
            }
        }
        double inverse = 1 / lu[i * size + i];
        for (size_t q = 0; q < columns; q++) {
            row[q] *= inverse;
        }
    }
}

static void carry(CaromNetwork *n, double h, double from, double to, bool last) {
    CaromTangent *t = n->tangent;
    Piece p = piece_of(n, h, from, to, last);
    if (!list_unknowns(&p)) {
        t->failed = true;
        return;
    }
    int size = STAGES * p.per_stage;
    set_primal(&p);
    set_system(&p);
    if (carom_lu(size, t->system.matrix, t->system.pivot)) {
        solve_all(t, size);
    } else {
        set_system(&p);
        carom_tangent_solve(t, size, p.per_stage);
    }
    take(&p);
}

/// Into how many pieces a step is cut. A series turns by up to a radian, more than one collocation
/// resolves to rounding. A step that was a collocation itself is differentiated as such, at its own
/// stages: elsewhere slip that starts in it is not known well enough.
static int pieces_of(CaromNetwork *n, bool *collocated) {
    CaromTangent *t = n->tangent;
    *collocated = n->friction.active && n->friction.collocations > t->collocations;
    t->collocations = n->friction.active ? n->friction.collocations : 0;
    const double short_enough = 0.4; // radians
    double fastest = n->friction.active ? carom_friction_frequency(n) : INFINITY;
    return *collocated || n->step * fastest <= short_enough ? 1 : 2;
}

/// What is left at the end of the step of the force of a tangential spring that slips, relative to
/// its start. As a contact opens, the angle of its spring turns faster and faster, while its force
/// vanishes: with the time T to the opening, as T^-a with a up to 1.
static double fading_of(const CaromNetwork *n, double end) {
    double least = 1;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (law_of(n, c) >= CAROM_LAW_TURN && !n->rigid[c]) {
            double first = fmax(stage_at(n, c, 0).normal, stage_at(n, c, 0.5 * end).normal);
            double last = fmax(stage_at(n, c, end).normal, 0);
            least = first > 0 ? fmin(least, last / first) : least;
        }
    }
    return least;
}

/// Whether contacts that rub without a spring take part, whose slip a collocation knows at its own
/// stages only.
static bool has_rigid_friction(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        CaromLaw law = law_of(n, n->awake[i]);
        any = any || law == CAROM_LAW_SLIP || law == CAROM_LAW_STICK;
    }
    return any;
}

/// How much slower the slowest contact slides at the end of the step than in its middle.
static double slowing_of(const CaromNetwork *n, double end) {
    double least = 1;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (law_of(n, c) == CAROM_LAW_SLIP) {
            double usual = v2_norm(stage_at(n, c, 0.5 * end).velocity);
            double there = v2_norm(stage_at(n, c, end).velocity);
            least = usual > 0 ? fmin(least, there / usual) : least;
        }
    }
    return least;
}

// Towards a place where directions are singular pieces become shorter by a factor each. What is
// left out in the last piece of a spring is its length squared, relative to the step's.
void carom_tangent_collocate(CaromNetwork *n, double h, double end) {
    const double shorter = 0.25, least = 4e-6, opened = 1e-6;
    bool collocated;
    int pieces = pieces_of(n, &collocated);
    bool graded = n->friction.active && !collocated;
    double fading =
        n->friction.active && (graded || !has_rigid_friction(n)) ? fading_of(n, end) : 1;
    bool opens = fading <= opened;
    double until = graded ? slowing_of(n, end) : 1;
    until = fmax(fmin(until, fading), least);
    pieces = until < 0.5 ? 2 : pieces;
    double from = 0;
    for (int i = 1; i < pieces; i++) {
        carry(n, h, from, end * i / pieces, false);
        from = end * i / pieces;
    }
    for (double left = 0.5 * shorter; left > until * shorter && until < 0.5; left *= shorter) {
        carry(n, h, from, end * (1 - left), false);
        from = end * (1 - left);
    }
    carry(n, h, from, end, opens);
}
