// SPDX-License-Identifier: Apache-2.0
// Tangents along any step of a network: Radau collocation of the linearised laws, whose
// coefficients are read off the polynomials of the step.
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative/columns.h"
#include "impact/derivative/derivative.h"
#include "impact/network/network.h"

#include <string.h>

enum { ORDER = CAROM_NETWORK_ORDER, STAGES = CAROM_STAGES };

// Unknown are the changes dF of the forces at the stages; of contacts that slide those along the
// normal and across the slip, as d.dF_t follows from the normal. With w the weights of the
// collocation,
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
    double square[STAGES][STAGES]; ///< w w: displacements from accelerations
    double span[STAGES];           ///< time up to a stage
    int per_stage;                 ///< unknowns
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

CaromTangentStage carom_tangent_stage(const CaromNetwork *n, int c, double t) {
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
    s.side = length > 0 ? v2_turn(s.along) : v2(1, 0);
    return s;
}

CaromVec3 carom_tangent_force(const CaromNetwork *n, int c, double t) {
    Stage s = carom_tangent_stage(n, c, t);
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

/// sum of force.dF + velocity.du at the stages + moved.(displacement up to one of them) + start.du
/// + ... = 0 at one contact.
typedef struct CaromTangentRow {
    int contact, stage;
    int from, to; ///< stages that have a velocity
    double force[STAGES][3];
    double velocity[STAGES][3];
    double moved[3];
    double start[3]; ///< the last is not used
    double compression, stretch[2], friction, stiffness, grip;
} Row;

static void spring_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    row->force[i][2] = 1;
    row->moved[2] = s->slope;
    row->compression = -s->slope;
    row->stiffness = -s->normal / p->n->stiffness[c];
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
    row->moved[k] = stiffness;
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
    Stage start = carom_tangent_stage(p->n, c, p->from);
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
    const CaromGrip *grip = &p->n->friction.grip[c];
    double start = carom_tangent_stage(p->n, c, p->from).normal;
    double share = start > 0 ? grip->stiffness * s[i].normal / start : 0; // |z| = mu F_n/k_t
    row->force[i][0] = s[i].side.x;
    row->force[i][1] = s[i].side.y;
    row->stretch[0] = share * s[i].side.x;
    row->stretch[1] = share * s[i].side.y;
}

/// Whether the spring of a contact that opens keeps its angle for the rest of the time.
bool carom_tangent_is_frozen(const CaromNetwork *n, int c) {
    CaromVec2 d = n->tangent->frozen[c];
    return law_of(n, c) >= CAROM_LAW_TURN && (d.x != 0 || d.y != 0);
}

/// Whether the direction of friction is that of slip, or of a spring that slips.
static bool slides(const CaromNetwork *n, int c) {
    return law_of(n, c) >= CAROM_LAW_SLIP;
}

/// The force of a unit of an unknown of contact c at a stage.
static CaromVec3 unit_force(const CaromNetwork *n, int c, int k, const Stage *s) {
    if (!slides(n, c)) {
        return v3(k == 0, k == 1, k == 2);
    }
    double mu = n->friction.grip[c].friction;
    return k == 2 ? v3(-mu * s->along.x, -mu * s->along.y, 1) : v3(s->side.x, s->side.y, 0);
}

/// The equation of an unknown at stage i, into a row of zeros.
static void find_row(const Piece *p, int unknown, int i, const Stage *s, Row *row) {
    int c = unknown / 3, k = unknown % 3;
    row->contact = c;
    row->stage = i;
    int instead = p->n->tangent->instead[unknown];
    if (instead >= 0) {
        row->contact = instead / 3;
        row->force[i][instead % 3] = 1;
        return;
    }
    bool unfelt = slides(p->n, c) && s[i].along.x == 0 && s[i].along.y == 0;
    if (has_let_go(p->n, c, p->time[i]) || (unfelt && k < 2)) {
        // No force; or the step left friction out, as the contact opens with a force of rounding.
        CaromVec3 unit = k == 2 ? v3(0, 0, 1) : unit_force(p->n, c, k, &s[i]);
        row->force[i][0] = unit.x;
        row->force[i][1] = unit.y;
        row->force[i][2] = unit.z;
        return;
    }
    if (k == 2) {
        if (p->n->rigid[c]) {
            row->velocity[i][2] = 1;
        } else {
            spring_row(p, c, i, &s[i], row);
        }
        return;
    }
    switch (law_of(p->n, c)) {
    case CAROM_LAW_STICK:
        row->velocity[i][k] = 1;
        break;
    case CAROM_LAW_STRETCH:
        stretch_row(p, c, i, k, &s[i], row);
        break;
    case CAROM_LAW_SLIP:
        slip_row(p, c, i, &s[i], row);
        break;
    default:
        (carom_tangent_is_frozen(p->n, c) ? frozen_row : turn_row)(p, c, i, s, row);
        break;
    }
}

// ---- The system --------------------------------------------------------------------------------

/// What a row has of W dF at each stage. Returns which components, a bit each.
static int couple_row(const Piece *p, const Row *row, double by_force[STAGES][3]) {
    int components = 0;
    memset(by_force, 0, STAGES * sizeof *by_force);
    for (int j = row->from; j < row->to; j++) {
        for (int k = 0; k < 3; k++) {
            double factor = row->velocity[j][k];
            components |= factor != 0 ? 1 << k : 0;
            for (int l = 0; factor != 0 && l < STAGES; l++) {
                by_force[l][k] += factor * p->weight[j][l];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        components |= row->moved[k] != 0 ? 1 << k : 0;
        for (int l = 0; row->moved[k] != 0 && l < STAGES; l++) {
            by_force[l][k] += row->moved[k] * p->square[row->stage][l];
        }
    }
    return components;
}

/// The stages of an awake contact.
static Stage *stages_of(const Piece *p, int c) {
    return p->n->tangent->stages + (size_t)c * STAGES;
}

/// right -= factor field of contact c
static void subtract(const CaromTangent *t, int field, int c, double factor, double *right) {
    if (factor != 0) {
        carom_columns_add(t->columns, -factor, carom_tangent_at(t, field, c), right);
    }
}

/// Add what a row has of the forces of contact d at the stages: unknowns to the matrix, and what
/// friction changes to the right side.
static void add_forces(const Piece *p, int d, const double by_force[STAGES][3], double *matrix,
                       double *right) {
    const CaromTangent *t = p->n->tangent;
    const Stage *s = stages_of(p, d);
    int first = t->first[d], per_stage = p->per_stage;
    bool plain = !slides(p->n, d), normal = law_of(p->n, d) == CAROM_LAW_NONE;
    double mu = p->n->friction.active ? p->n->friction.grip[d].friction : 0, known = 0;
    for (int l = 0; l < STAGES; l++, matrix += per_stage) {
        const double *by = by_force[l];
        if (normal) {
            matrix[first] += by[2];
        } else if (plain) {
            matrix[first] += by[0];
            matrix[first + 1] += by[1];
            matrix[first + 2] += by[2];
        } else { // as unit_force says
            double along = by[0] * s[l].along.x + by[1] * s[l].along.y;
            matrix[first] += by[0] * s[l].side.x + by[1] * s[l].side.y;
            matrix[first + 1] += by[2] - mu * along;
            known -= s[l].normal * along;
        }
    }
    subtract(t, CAROM_TANGENT_FRICTION, d, t->mu_varies[d] ? known : 0, right);
}

/// Put a row into the matrix: velocities are what forces make of them.
static void fill_row(const Piece *p, const Row *row, double *matrix, double *right) {
    const CaromTangent *t = p->n->tangent;
    int c = row->contact, size = STAGES * p->per_stage;
    double by_force[STAGES][3];
    memset(matrix, 0, (size_t)size * sizeof(double));
    add_forces(p, c, row->force, matrix, right);
    int components = couple_row(p, row, by_force);
    for (int e = t->start[c]; components != 0 && e < t->start[c + 1]; e++) {
        double through[STAGES][3] = {{0}};
        for (int i = 0; i < 3; i++) {
            const double *w = t->block[e].m[i];
            for (int l = 0; (components >> i & 1) != 0 && l < STAGES; l++) {
                through[l][0] += by_force[l][i] * w[0];
                through[l][1] += by_force[l][i] * w[1];
                through[l][2] += by_force[l][i] * w[2];
            }
        }
        if (t->first[t->column[e]] >= 0) {
            add_forces(p, t->column[e], (const double(*)[3])through, matrix, right);
        }
    }
}

/// Of the k-th awake contact and column q: velocity changes at the stages by dW.
static CaromVec3 *known_of(const CaromTangent *t, int k, int q) {
    return t->known + ((size_t)k * (size_t)t->columns + (size_t)q) * STAGES;
}

/// Velocity changes of contact c at the stages by dW, of a column that changes it.
static void find_known(const Piece *p, int q, int c, CaromVec3 known[STAGES]) {
    const CaromTangent *t = p->n->tangent;
    CaromVec3 more[STAGES];
    for (int j = 0; j < STAGES; j++) {
        more[j] = carom_tangent_change_row(t, q, c, t->force + (size_t)j * (size_t)t->contacts);
        known[j] = v3(0, 0, 0);
    }
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            known[i] = v3_axpy(p->weight[i][j], more[j], known[i]);
        }
    }
}

/// The same of all columns, in the place of the k-th awake contact.
static void find_all_known(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    for (int g = 0; g < t->slots; g++) {
        find_known(p, t->of_slot[g], c, known_of(t, k, t->of_slot[g]));
    }
}

/// What is known of a row of the k-th awake contact, for all columns.
static void set_right(const Piece *p, const Row *row, int k, double *right) {
    const CaromTangent *t = p->n->tangent;
    int c = row->contact;
    memset(right, 0, (size_t)t->columns * sizeof *right);
    subtract(t, CAROM_TANGENT_COMPRESSION, c, row->compression, right);
    subtract(t, CAROM_TANGENT_FRICTION, c, row->friction, right);
    subtract(t, CAROM_TANGENT_STIFFNESS, c, row->stiffness, right);
    subtract(t, CAROM_TANGENT_GRIP, c, row->grip, right);
    for (int i = 0; i < 3; i++) {
        double start = row->start[i] + row->moved[i] * p->span[row->stage];
        for (int j = row->from; j < row->to; j++) {
            start += row->velocity[j][i];
        }
        subtract(t, CAROM_TANGENT_VELOCITY + i, c, start, right);
        subtract(t, CAROM_TANGENT_STRETCH + i % 2, c, i < 2 ? row->stretch[i] : 0, right);
    }
    for (int g = 0; g < t->slots; g++) {
        int q = t->of_slot[g];
        for (int j = 0; j < STAGES; j++) {
            CaromVec3 known = known_of(t, k, q)[j];
            const double *v = row->velocity[j], *z = row->moved;
            double w = p->weight[row->stage][j];
            right[q] -= (v[0] + w * z[0]) * known.x + (v[1] + w * z[1]) * known.y +
                        (v[2] + w * z[2]) * known.z;
        }
    }
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
        t->place[c] = i;
        for (int k = law_of(p->n, c) == CAROM_LAW_NONE ? 2 : slides(p->n, c); k < 3; k++) {
            s->unknown[p->per_stage++] = 3 * c + k;
        }
    }
    return true;
}

/// A clock that fades by less than this is even: its logarithm would lose digits.
static const double even_clock = 1e-3;

static double place_of(const CaromTangentClock *clock, double x, double *slope) {
    double span = 1 - clock->fade;
    if (span < even_clock) {
        *slope = clock->end;
        return x * clock->end;
    }
    double left = pow(clock->fade, x);
    *slope = -clock->end / span * left * log(clock->fade);
    return clock->end * (1 - left) / span;
}

static Piece piece_of(CaromNetwork *n, double h, const CaromTangentClock *clock, double from,
                      double to) {
    double slope, pace = n->friction.active ? n->friction.pace : 0;
    Piece p = {.n = n, .from = place_of(clock, from, &slope)};
    for (int j = 0; j < STAGES; j++) {
        p.time[j] = place_of(clock, from + (to - from) * radau_node[j], &slope);
        double factor = (to - from) * slope * h * (1 + pace * p.time[j]);
        for (int i = 0; i < STAGES; i++) {
            p.weight[i][j] = factor * radau_weight[i][j];
            p.span[i] += p.weight[i][j];
        }
    }
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            for (int l = 0; l < STAGES; l++) {
                p.square[i][l] += p.weight[i][j] * p.weight[j][l];
            }
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
            Row row = {0};
            find_row(p, system->unknown[u], i, s, &row);
            find_stages(&row);
            double *right = system->right + (size_t)at * (size_t)t->columns;
            set_right(p, &row, k, right);
            fill_row(p, &row, system->matrix + (size_t)at * (size_t)size, right);
        }
    }
}

/// A spring that slips, in another direction.
static void turn_to(const CaromNetwork *n, int c, CaromVec2 along, Stage *s) {
    const CaromGrip *grip = &n->friction.grip[c];
    s->along = along;
    s->side = v2_turn(along);
    s->force = v2_scale(-grip->friction * s->normal, along);
    s->stretch = v2_scale(-1 / grip->stiffness, s->force);
}

/// What the step itself does at the stages.
static void set_primal(const Piece *p) {
    CaromTangent *t = p->n->tangent;
    memset(t->force, 0, STAGES * (size_t)t->contacts * sizeof *t->force);
    for (int k = 0; k < p->n->awake_count; k++) {
        int c = p->n->awake[k];
        Stage *s = stages_of(p, c);
        for (int i = 0; i < STAGES; i++) {
            s[i] = carom_tangent_stage(p->n, c, p->time[i]);
            if (carom_tangent_is_frozen(p->n, c)) {
                turn_to(p->n, c, t->frozen[c], &s[i]);
            }
            t->force[(size_t)i * (size_t)t->contacts + (size_t)c] =
                v3(s[i].force.x, s[i].force.y, s[i].normal);
        }
    }
}

static void set_system(const Piece *p) {
    for (int k = 0; k < p->n->awake_count; k++) {
        int c = p->n->awake[k];
        find_all_known(p, c, k);
        add_contact(p, c, k, stages_of(p, c));
    }
}

// ---- What comes of it --------------------------------------------------------------------------

/// Place of the changes of component k of the force of an awake contact at stage i.
static double *force_change(const CaromTangent *t, int c, int i, int k) {
    size_t row = 3 * ((size_t)t->place[c] * STAGES + (size_t)i) + (size_t)k;
    return t->solved + row * (size_t)t->columns;
}

/// Forces from the unknowns: dF = sum of unknowns times their units - F_n d dmu.
static void find_forces(const Piece *p) {
    const CaromTangent *t = p->n->tangent;
    const CaromTangentSystem *system = &t->system;
    for (int i = 0; i < p->n->awake_count * STAGES; i++) {
        int c = p->n->awake[i / STAGES], l = i % STAGES;
        const Stage *s = &stages_of(p, c)[l];
        memset(force_change(t, c, l, 0), 0, 3 * (size_t)t->columns * sizeof(double));
        for (int u = t->first[c]; u < p->per_stage && system->unknown[u] / 3 == c; u++) {
            CaromVec3 unit = unit_force(p->n, c, system->unknown[u] % 3, s);
            const double factor[3] = {unit.x, unit.y, unit.z};
            const double *x =
                system->right + ((size_t)l * (size_t)p->per_stage + (size_t)u) * (size_t)t->columns;
            for (int k = 0; k < 3; k++) {
                if (factor[k] != 0) {
                    carom_columns_add(t->columns, factor[k], x, force_change(t, c, l, k));
                }
            }
        }
        if (slides(p->n, c) && t->mu_varies[c]) {
            subtract(t, CAROM_TANGENT_FRICTION, c, s->normal * s->along.x,
                     force_change(t, c, l, 0));
            subtract(t, CAROM_TANGENT_FRICTION, c, s->normal * s->along.y,
                     force_change(t, c, l, 1));
        }
    }
}

const double *carom_tangent_last_change(const CaromTangent *t, int c, int k) {
    return force_change(t, c, STAGES - 1, k);
}

double carom_tangent_last_rate(const CaromTangent *t, int c, int q) {
    double sum = 0;
    for (int i = 0; i < STAGES; i++) {
        double slope = 0;
        for (int j = 1; j < STAGES; j++) {
            slope += j * radau_monomial[j][i];
        }
        sum += slope * force_change(t, c, i, 2)[q];
    }
    return sum / t->last_span;
}

/// Component k of what the solved forces do to the acceleration of a contact at stage j.
static double *effect_of(const CaromTangent *t, int j, int k) {
    return t->effect + (size_t)(3 * j + k) * (size_t)t->columns;
}

static void find_effect(const Piece *p, int c) {
    const CaromTangent *t = p->n->tangent;
    memset(t->effect, 0, (size_t)(3 * STAGES * t->columns) * sizeof *t->effect);
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        for (int j = 0; t->first[d] >= 0 && j < STAGES; j++) {
            carom_columns_turn(t->columns, (const double(*)[3])t->block[e].m,
                               force_change(t, d, j, 0), effect_of(t, j, 0));
        }
    }
}

/// out += sum_j factor_j du_k at the stages: from its start, dW and the solved forces. `known` has
/// what dW does, of columns that change W.
static void add_velocities(const Piece *p, int c, int k, const double factor[STAGES],
                           const CaromVec3 *known, double *out) {
    const CaromTangent *t = p->n->tangent;
    double start = 0, effect[STAGES] = {0};
    for (int j = 0; j < STAGES; j++) {
        for (int i = 0; i < STAGES; i++) {
            effect[j] += factor[i] * p->weight[i][j];
        }
        start += factor[j];
    }
    carom_columns_sum(t->columns, effect, 3 * t->columns, effect_of(t, 0, k), out);
    if (out != carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c)) {
        carom_columns_add(t->columns, start, carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c),
                          out);
    }
    for (int g = 0; g < t->slots; g++) {
        int q = t->of_slot[g];
        for (int j = 0; j < STAGES; j++) {
            CaromVec3 more = known[(size_t)q * STAGES + (size_t)j];
            out[q] += factor[j] * (k == 0 ? more.x : k == 1 ? more.y : more.z);
        }
    }
}

static void take_spring(const Piece *p, int c, const CaromVec3 *known) {
    const CaromTangent *t = p->n->tangent;
    const CaromGrip *grip = &p->n->friction.grip[c];
    Stage end = stages_of(p, c)[STAGES - 1];
    const double *by = carom_tangent_at(t, CAROM_TANGENT_GRIP, c);
    for (int k = 0; k < 2; k++) {
        double *z = carom_tangent_at(t, CAROM_TANGENT_STRETCH + k, c);
        const double *force = force_change(t, c, STAGES - 1, k);
        if (grip->law == CAROM_LAW_STRETCH) {
            add_velocities(p, c, k, p->weight[STAGES - 1], known, z);
            continue;
        }
        double stretch = k == 0 ? end.stretch.x : end.stretch.y;
        for (int q = 0; q < t->columns; q++) {
            z[q] = -(force[q] + stretch * by[q]) / grip->stiffness;
        }
    }
}

/// Work against friction: the integral of F_t.u_t.
static void take_work(const Piece *p, int c, const CaromVec3 *known) {
    const CaromTangent *t = p->n->tangent;
    const double *weight = p->weight[STAGES - 1];
    const Stage *s = stages_of(p, c);
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    for (int k = 0; k < 2; k++) {
        double factor[STAGES], velocity[STAGES];
        for (int j = 0; j < STAGES; j++) {
            factor[j] = -weight[j] * (k == 0 ? s[j].force.x : s[j].force.y);
            velocity[j] = -weight[j] * (k == 0 ? s[j].velocity.x : s[j].velocity.y);
        }
        carom_columns_sum(t->columns, velocity, 3 * t->columns, force_change(t, c, 0, k), work);
        add_velocities(p, c, k, factor, known, work);
    }
}

/// Impulse, compression, work and spring of an awake contact at the end of the piece.
static void take_contact(const Piece *p, int c, const CaromVec3 *known) {
    const CaromTangent *t = p->n->tangent;
    const double *weight = p->weight[STAGES - 1];
    for (int k = law_of(p->n, c) == CAROM_LAW_NONE ? 2 : 0; k < 3; k++) {
        carom_columns_sum(t->columns, weight, 3 * t->columns, force_change(t, c, 0, k),
                          carom_tangent_at(t, CAROM_TANGENT_IMPULSE + k, c));
    }
    bool rubs = law_of(p->n, c) != CAROM_LAW_NONE;
    if (rubs) {
        take_work(p, c, known);
    }
    if (!p->n->rigid[c]) {
        double factor[STAGES];
        for (int j = 0; j < STAGES; j++) {
            factor[j] = -weight[j];
        }
        add_velocities(p, c, 2, factor, known, carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c));
    }
    if (rubs && p->n->friction.grip[c].stiffness > 0) {
        take_spring(p, c, known);
    }
}

/// Velocities at the end of the piece.
static void take_velocity(const Piece *p, int c, const CaromVec3 *known) {
    const CaromTangent *t = p->n->tangent;
    const double last[STAGES] = {[STAGES - 1] = 1};
    for (int k = 0; k < 3; k++) {
        double *velocity = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
        if (k == 2 && p->n->rigid[c] && !t->gone[c]) {
            memset(velocity, 0, (size_t)t->columns * sizeof *velocity);
        } else {
            add_velocities(p, c, k, last, known, velocity);
        }
    }
}

static void take(const Piece *p) {
    const CaromNetwork *n = p->n;
    const CaromTangent *t = n->tangent;
    find_forces(p);
    for (int k = 0; k < n->awake_count; k++) {
        int c = n->awake[k];
        const CaromVec3 *known = known_of(t, k, 0);
        find_effect(p, c);
        take_contact(p, c, known);
        take_velocity(p, c, known);
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->phase[c] != CAROM_PHASE_ASLEEP) {
            continue;
        }
        find_all_known(p, c, 0); // those of the first contact are done with
        find_effect(p, c);
        take_velocity(p, c, known_of(t, 0, 0));
    }
}

void carom_tangent_carry(CaromNetwork *n, double h, CaromTangentClock clock, double from,
                         double to) {
    CaromTangent *t = n->tangent;
    Piece p = piece_of(n, h, &clock, from, to);
    if (!list_unknowns(&p)) {
        t->failed = true;
        return;
    }
    int size = STAGES * p.per_stage;
    set_primal(&p);
    set_system(&p);
    if (carom_lu(size, t->system.matrix, t->system.pivot)) {
        carom_columns_solve(size, t->system.matrix, t->system.pivot, t->columns, t->system.right);
    } else {
        set_system(&p);
        carom_tangent_solve(t, size, p.per_stage);
    }
    take(&p);
    t->last_span = p.weight[STAGES - 1][STAGES - 1] / radau_weight[STAGES - 1][STAGES - 1];
}
