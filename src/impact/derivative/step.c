// SPDX-License-Identifier: Apache-2.0
// Tangents along any step of a network: Radau collocation of the linearised laws, whose
// coefficients are read off the polynomials of the step.
#include "base/dense.h"
#include "base/elementary.h"
#include "impact/derivative/columns.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
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
    int size;                      ///< of all stages
    int width;                     ///< of a row: of the matrix and all right sides
    const double *answer;          ///< of the first unknown, the next are `next` apart
    int next;
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

/// Whether a rigid contact has no force at t of the step, and parts.
static bool has_let_go(const CaromNetwork *n, int c, double t) {
    if (!n->rigid[c]) {
        return false;
    }
    size_t count = (size_t)n->count;
    return value_of(n->force_terms + c, count, t) <=
               CAROM_NO_FORCE * carom_tangent_force_scale(n, c) &&
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

/// force.dF + pull.(W dF + dW F), summed over the stages, + start.du + ... = 0 at one contact.
typedef struct CaromTangentRow {
    int contact;
    int from, to;   ///< stages that have a force
    int forces;     ///< components of that, a bit each
    int components; ///< of `pull`, likewise
    double force[STAGES][3];
    double pull[STAGES][3];
    double start[3];
    double compression, stretch[2], friction, stiffness, grip;
} Row;

static void add_component(int k, double factor, double start, const double weight[STAGES],
                          Row *row) {
    if (factor != 0) {
        row->components |= 1 << k;
        row->start[k] += factor * start;
        for (int l = 0; l < STAGES; l++) {
            row->pull[l][k] += factor * weight[l];
        }
    }
}

/// A velocity at stage i: du_i = du + sum_l w_il (W dF + dW F)_l
static void add_velocity(const Piece *p, int i, int k, double factor, Row *row) {
    add_component(k, factor, 1, p->weight[i], row);
}

/// A displacement up to stage i: sum_j w_ij du_j
static void add_displacement(const Piece *p, int i, int k, double factor, Row *row) {
    add_component(k, factor, p->span[i], p->square[i], row);
}

static void spring_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    row->force[i][2] = 1;
    add_displacement(p, i, 2, s->slope, row);
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
    add_velocity(p, i, 0, share * s->side.x, row);
    add_velocity(p, i, 1, share * s->side.y, row);
}

static void stretch_row(const Piece *p, int c, int i, int k, const Stage *s, Row *row) {
    double stiffness = p->n->friction.grip[c].stiffness;
    row->force[i][k] = 1;
    row->stretch[k] = stiffness;
    row->grip = k == 0 ? s->stretch.x : s->stretch.y;
    add_displacement(p, i, k, stiffness, row);
}

/// a_i - a - sum_j w_ij (d'.du - a d.u - omega drho)_j/rho_j = 0, a_j = -d'.dF_t,j/(mu F_n,j)
static void turn_row(const Piece *p, int c, int i, const Stage *s, Row *row) {
    const CaromGrip *grip = &p->n->friction.grip[c];
    double mu = grip->friction, k_t = grip->stiffness;
    double scale = mu * s[i].normal;
    row->from = 0;
    row->to = STAGES;
    row->forces = 7;
    for (int j = 0; j < STAGES; j++) {
        double pull = fmax(mu * s[j].normal, 1e-300);
        double rho = pull / k_t;
        double omega = v2_dot(s[j].side, s[j].velocity) / rho;
        double w = scale * p->weight[i][j] / rho;
        // The angle at stage j, in dF_t.
        double angle = (j == i ? scale : 0) + w * v2_dot(s[j].along, s[j].velocity);
        row->force[j][0] += -angle / pull * s[j].side.x;
        row->force[j][1] += -angle / pull * s[j].side.y;
        add_velocity(p, j, 0, -w * s[j].side.x, row);
        add_velocity(p, j, 1, -w * s[j].side.y, row);
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
        row->start[0] += -scale * side.x / (speed * speed);
        row->start[1] += -scale * side.y / (speed * speed);
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
    row->from = i;
    row->to = i + 1;
    row->forces = k == 2 ? 4 : 3;
    int instead = p->n->tangent->instead[unknown];
    if (instead >= 0) {
        row->contact = instead / 3;
        row->force[i][instead % 3] = 1;
        row->forces = 1 << instead % 3;
        return;
    }
    bool unfelt = slides(p->n, c) && s[i].along.x == 0 && s[i].along.y == 0;
    if (has_let_go(p->n, c, p->time[i]) || (unfelt && k < 2)) {
        // No force; or the step left friction out, as the contact opens with a force of rounding.
        CaromVec3 unit = k == 2 ? v3(0, 0, 1) : unit_force(p->n, c, k, &s[i]);
        row->force[i][0] = unit.x;
        row->force[i][1] = unit.y;
        row->force[i][2] = unit.z;
        row->forces = 7;
        return;
    }
    if (k == 2) {
        if (p->n->rigid[c]) {
            add_velocity(p, i, 2, 1, row);
        } else {
            spring_row(p, c, i, &s[i], row);
        }
        return;
    }
    switch (law_of(p->n, c)) {
    case CAROM_LAW_STICK:
        add_velocity(p, i, k, 1, row);
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

/// What units of the unknowns of a contact do to the acceleration of another at the stages, and
/// what a change of its friction does.
typedef struct Response {
    int unknowns;
    double by[3][STAGES][3]; ///< of two unknowns the last is that of friction; of one all else is 0
} Response;

/// Forces of units of unknowns as unit_force says, through rows w of a matrix.
static void find_response(const Piece *p, int d, const CaromMat3 *block, Response *r) {
    const Stage *s = stages_of(p, d);
    bool normal = law_of(p->n, d) == CAROM_LAW_NONE, plain = !slides(p->n, d);
    double mu = plain ? 0 : p->n->friction.grip[d].friction;
    r->unknowns = normal ? 1 : plain ? 3 : 2;
    for (int k = 0; k < 3; k++) {
        const double *w = block->m[k];
        for (int l = 0; l < STAGES; l++) {
            double *by = r->by[k][l];
            if (plain) {
                by[0] = w[normal ? 2 : 0];
                by[1] = normal ? 0 : w[1];
                by[2] = normal ? 0 : w[2];
                continue;
            }
            double along = w[0] * s[l].along.x + w[1] * s[l].along.y;
            by[0] = w[0] * s[l].side.x + w[1] * s[l].side.y;
            by[1] = w[2] - mu * along;
            by[2] = -s[l].normal * along;
        }
    }
}

/// Add what a row has of what the forces of contact d do, of components with a bit each, at stages
/// from one to another: unknowns to the matrix, what friction changes to the right side.
static void add_forces(const Piece *p, int d, const Response *r, const double factor[STAGES][3],
                       int components, int from, int to, double *row) {
    const CaromTangent *t = p->n->tangent;
    int low = (components & 3) != 0 ? 0 : 2, high = (components & 4) != 0 ? 3 : 2;
    double known = 0;
    for (int l = from; l < to; l++) {
        double *entry = row + l * p->per_stage + t->first[d], third = 0;
        CaromLanes sum = lanes_load(entry);
        for (int k = low; k < high; k++) {
            sum += factor[l][k] * lanes_load(r->by[k][l]);
            third += factor[l][k] * r->by[k][l][2];
        }
        lanes_store(entry, sum);
        if (r->unknowns == 3) {
            entry[2] += third;
        } else {
            known += third;
        }
    }
    bool varies = r->unknowns < 3 && t->mu_varies[d];
    subtract(t, CAROM_TANGENT_FRICTION, d, varies ? known : 0, row + p->size);
}

/// Of the k-th awake contact and column q: accelerations at the stages by dW.
static CaromVec3 *known_of(const CaromTangent *t, int k, int q) {
    return t->known + ((size_t)k * (size_t)t->columns + (size_t)q) * STAGES;
}

/// Accelerations of contact c at the stages by dW, of columns that change it, in the place of the
/// k-th awake contact.
static void find_known(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    for (int g = 0; g < t->slots; g++) {
        int q = t->of_slot[g];
        for (int j = 0; j < STAGES; j++) {
            known_of(t, k, q)[j] =
                carom_tangent_change_row(t, q, c, t->force + (size_t)j * (size_t)t->contacts);
        }
    }
}

/// What is known of a row of the k-th awake contact, for all columns.
static void set_right(const Piece *p, const Row *row, int k, double *right) {
    const CaromTangent *t = p->n->tangent;
    int c = row->contact;
    subtract(t, CAROM_TANGENT_COMPRESSION, c, row->compression, right);
    subtract(t, CAROM_TANGENT_FRICTION, c, t->mu_varies[c] ? row->friction : 0, right);
    subtract(t, CAROM_TANGENT_STIFFNESS, c, row->stiffness, right);
    subtract(t, CAROM_TANGENT_GRIP, c, row->grip, right);
    for (int i = 0; i < 3; i++) {
        subtract(t, CAROM_TANGENT_VELOCITY + i, c, row->start[i], right);
        subtract(t, CAROM_TANGENT_STRETCH + i % 2, c, i < 2 ? row->stretch[i] : 0, right);
    }
    for (int g = 0; row->components != 0 && g < t->slots; g++) {
        int q = t->of_slot[g];
        for (int j = 0; j < STAGES; j++) {
            CaromVec3 known = known_of(t, k, q)[j];
            const double *by = row->pull[j];
            right[q] -= by[0] * known.x + by[1] * known.y + by[2] * known.z;
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

static double place_of(const CaromTangentClock *clock, double x, double *slope) {
    double span = 1 - clock->fade;
    if (span < CAROM_EVEN_CLOCK) {
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

/// The row of an unknown at stage i: matrix, then right sides.
static double *row_of(const Piece *p, int u, int i) {
    return p->n->tangent->system.matrix + (size_t)(i * p->per_stage + u) * (size_t)p->width;
}

/// Rows of the k-th awake contact, in the matrix, and what they mean to each column.
static void add_contact(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    static const CaromMat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const int *unknown = t->system.unknown;
    Row rows[3 * STAGES] = {0};
    Response own, other;
    int first = t->first[c], count = 0;
    find_response(p, c, &one, &own);
    for (int u = first; u < p->per_stage && unknown[u] / 3 == c; u++) {
        for (int i = 0; i < STAGES; i++, count++) {
            Row *row = &rows[count];
            double *at = row_of(p, u, i);
            memset(at, 0, (size_t)p->width * sizeof *at);
            find_row(p, unknown[u], i, stages_of(p, c), row);
            set_right(p, row, k, at + p->size);
            if (row->contact != c) {
                find_response(p, row->contact, &one, &other);
            }
            add_forces(p, row->contact, row->contact == c ? &own : &other,
                       (const double(*)[3])row->force, row->forces, row->from, row->to, at);
        }
    }
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        if (t->first[d] >= 0) {
            find_response(p, d, &t->block[e], &other);
        }
        for (int r = 0; t->first[d] >= 0 && r < count; r++) {
            add_forces(p, d, &other, (const double(*)[3])rows[r].pull, rows[r].components, 0,
                       STAGES, row_of(p, first + r / STAGES, r % STAGES));
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
        find_known(p, c, k);
        add_contact(p, c, k);
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
    const int *unknown = t->system.unknown;
    for (int i = 0; i < p->n->awake_count * STAGES; i++) {
        int c = p->n->awake[i / STAGES], l = i % STAGES;
        const Stage *s = &stages_of(p, c)[l];
        memset(force_change(t, c, l, 0), 0, 3 * (size_t)t->columns * sizeof(double));
        for (int u = t->first[c]; u < p->per_stage && unknown[u] / 3 == c; u++) {
            CaromVec3 unit = unit_force(p->n, c, unknown[u] % 3, s);
            const double factor[3] = {unit.x, unit.y, unit.z};
            const double *x = p->answer + (size_t)(l * p->per_stage + u) * (size_t)p->next;
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

// What forces do up to the end of the piece: with w the last row of the weights and w2 that of
// their square,
//   dP = sum_j w_j dF_j,   du += W dP + sum_j w_j dW F_j
//   dx = h du + W sum_j w2_j dF_j + sum_j w2_j dW F_j       of displacements, du before the piece

/// Component k of a sum over the stages of the changes of the force of an awake contact.
typedef enum Sum { IMPULSE, DISPLACEMENT } Sum;
static double *sum_of(const CaromTangent *t, Sum sum, int c, int k) {
    return t->sums + (size_t)(6 * t->place[c] + 3 * (int)sum + k) * (size_t)t->columns;
}

static void find_sums(const Piece *p, int c) {
    const CaromTangent *t = p->n->tangent;
    memset(sum_of(t, IMPULSE, c, 0), 0, 6 * (size_t)t->columns * sizeof(double));
    for (int k = law_of(p->n, c) == CAROM_LAW_NONE ? 2 : 0; k < 3; k++) {
        const double *force = force_change(t, c, 0, k);
        carom_columns_sum(t->columns, p->weight[STAGES - 1], 3 * t->columns, force,
                          sum_of(t, IMPULSE, c, k));
        carom_columns_sum(t->columns, p->square[STAGES - 1], 3 * t->columns, force,
                          sum_of(t, DISPLACEMENT, c, k));
        carom_columns_add(t->columns, 1, sum_of(t, IMPULSE, c, k),
                          carom_tangent_at(t, CAROM_TANGENT_IMPULSE + k, c));
    }
}

/// out += sign times component i of what forces do to contact c, which is the k-th awake one or in
/// its place, by a sum over the stages with these factors.
static void add_effect(const Piece *p, int c, int k, int i, Sum sum, double sign, double *out) {
    const CaromTangent *t = p->n->tangent;
    const double *factor = sum == IMPULSE ? p->weight[STAGES - 1] : p->square[STAGES - 1];
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        const double *w = t->block[e].m[i];
        const double by[3] = {sign * w[0], sign * w[1], sign * w[2]};
        if (t->first[t->column[e]] >= 0) {
            carom_columns_three(t->columns, by, sum_of(t, sum, t->column[e], 0), out);
        }
    }
    for (int g = 0; g < t->slots; g++) {
        const CaromVec3 *known = known_of(t, k, t->of_slot[g]);
        for (int j = 0; j < STAGES; j++) {
            double more = i == 0 ? known[j].x : i == 1 ? known[j].y : known[j].z;
            out[t->of_slot[g]] += sign * factor[j] * more;
        }
    }
}

/// out += sign times the displacement of component i of contact c, from its velocity of before.
static void add_motion(const Piece *p, int c, int k, int i, double sign, double *out) {
    const CaromTangent *t = p->n->tangent;
    carom_columns_add(t->columns, sign * p->span[STAGES - 1],
                      carom_tangent_at(t, CAROM_TANGENT_VELOCITY + i, c), out);
    add_effect(p, c, k, i, DISPLACEMENT, sign, out);
}

static void take_spring(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    const CaromGrip *grip = &p->n->friction.grip[c];
    Stage end = stages_of(p, c)[STAGES - 1];
    const double *by = carom_tangent_at(t, CAROM_TANGENT_GRIP, c);
    for (int i = 0; i < 2; i++) {
        double *z = carom_tangent_at(t, CAROM_TANGENT_STRETCH + i, c);
        const double *force = force_change(t, c, STAGES - 1, i);
        if (grip->law == CAROM_LAW_STRETCH) {
            add_motion(p, c, k, i, 1, z);
            continue;
        }
        double stretch = i == 0 ? end.stretch.x : end.stretch.y;
        for (int q = 0; q < t->columns; q++) {
            z[q] = -(force[q] + stretch * by[q]) / grip->stiffness;
        }
    }
}

/// Work against friction, the integral of -F_t.u_t: with f = -w F_t at the stages, g its sum and
/// y_j = sum_i f_i w_ij it changes by
///   g.du + sum_j y_j.(W dF_j + dW F_j) - sum_j w_j u_j.dF_j
static void take_work(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    const double *weight = p->weight[STAGES - 1];
    const Stage *s = stages_of(p, c);
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    CaromVec2 all = {0}, y[STAGES] = {0};
    for (int i = 0; i < STAGES; i++) {
        CaromVec2 f = v2_scale(-weight[i], s[i].force);
        all = v2_axpy(1, f, all);
        for (int j = 0; j < STAGES; j++) {
            y[j] = v2_axpy(p->weight[i][j], f, y[j]);
        }
    }
    carom_columns_add(t->columns, all.x, carom_tangent_at(t, CAROM_TANGENT_VELOCITY, c), work);
    carom_columns_add(t->columns, all.y, carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, c), work);
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        const double(*w)[3] = (const double(*)[3])t->block[e].m;
        for (int j = 0; t->first[d] >= 0 && j < STAGES; j++) {
            double own = d == c ? weight[j] : 0;
            const double by[3] = {y[j].x * w[0][0] + y[j].y * w[1][0] - own * s[j].velocity.x,
                                  y[j].x * w[0][1] + y[j].y * w[1][1] - own * s[j].velocity.y,
                                  y[j].x * w[0][2] + y[j].y * w[1][2]};
            carom_columns_three(t->columns, by, force_change(t, d, j, 0), work);
        }
    }
    for (int g = 0; g < t->slots; g++) {
        const CaromVec3 *known = known_of(t, k, t->of_slot[g]);
        for (int j = 0; j < STAGES; j++) {
            work[t->of_slot[g]] += y[j].x * known[j].x + y[j].y * known[j].y;
        }
    }
}

/// Compression, work and spring of the k-th awake contact at the end of the piece.
static void take_contact(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    CaromLaw law = law_of(p->n, c);
    if (law != CAROM_LAW_NONE && law != CAROM_LAW_STICK) {
        take_work(p, c, k);
    }
    if (!p->n->rigid[c]) {
        add_motion(p, c, k, 2, -1, carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c));
    }
    if (law != CAROM_LAW_NONE && p->n->friction.grip[c].stiffness > 0) {
        take_spring(p, c, k);
    }
}

/// Velocities at the end of the piece.
static void take_velocity(const Piece *p, int c, int k) {
    const CaromTangent *t = p->n->tangent;
    for (int i = 0; i < 3; i++) {
        double *velocity = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + i, c);
        if (i == 2 && p->n->rigid[c] && !t->gone[c]) {
            memset(velocity, 0, (size_t)t->columns * sizeof *velocity);
        } else {
            add_effect(p, c, k, i, IMPULSE, 1, velocity);
        }
    }
}

static void take(const Piece *p) {
    const CaromNetwork *n = p->n;
    find_forces(p);
    for (int k = 0; k < n->awake_count; k++) {
        find_sums(p, n->awake[k]);
    }
    for (int k = 0; k < n->awake_count; k++) {
        take_contact(p, n->awake[k], k);
        take_velocity(p, n->awake[k], k);
    }
    for (int i = 0; i < n->moving_count; i++) {
        int c = n->moving[i];
        if (n->phase[c] == CAROM_PHASE_ASLEEP) {
            find_known(p, c, 0); // those of the first contact are done with
            take_velocity(p, c, 0);
        }
    }
}

/// Solve the system, of any rank.
static void solve(Piece *p) {
    CaromTangent *t = p->n->tangent;
    CaromTangentSystem *s = &t->system;
    set_system(p);
    p->answer = s->matrix + p->size;
    p->next = p->width;
    if (carom_columns_eliminate(p->size, p->width, s->matrix)) {
        return;
    }
    set_system(p);
    for (int i = 0; i < p->size; i++) {
        const double *row = s->matrix + (size_t)i * (size_t)p->width;
        memcpy(s->right + (size_t)i * (size_t)t->columns, row + p->size,
               (size_t)t->columns * sizeof *row);
        memmove(s->matrix + (size_t)i * (size_t)p->size, row, (size_t)p->size * sizeof *row);
    }
    carom_tangent_solve(t, p->size, p->per_stage);
    p->answer = s->right;
    p->next = t->columns;
}

void carom_tangent_carry(CaromNetwork *n, double h, CaromTangentClock clock, double from,
                         double to) {
    CaromTangent *t = n->tangent;
    Piece p = piece_of(n, h, &clock, from, to);
    if (!list_unknowns(&p)) {
        t->failed = true;
        return;
    }
    p.size = STAGES * p.per_stage;
    p.width = p.size + p.size % 2 + t->columns + t->columns % 2;
    set_primal(&p);
    solve(&p);
    take(&p);
    t->last_span = p.weight[STAGES - 1][STAGES - 1] / radau_weight[STAGES - 1][STAGES - 1];
}
