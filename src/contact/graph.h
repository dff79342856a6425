// SPDX-License-Identifier: Apache-2.0
// Bodies and contacts at one instant as a graph: Jacobians, W = J A J^T in blocks and as a product
// through the bodies, islands. Built once, read by everybody who needs any of it.
#pragma once
#include "base/host.h"
#include "contact/inertia.h"

/// A change of the motion of a body in kinetic coordinates y: its twist changes by L y where the
/// inverse inertia is A = L L^T, and |y|^2/2 is the energy of the change.
typedef struct CaromMotion6 {
    double y[6];
} CaromMotion6;

typedef struct CaromMat36 {
    double m[3][6];
} CaromMat36;

/// One contact. Vectors are in the frame of the contact: x, y, normal z.
///   velocity of A relative to B    v = J_A u_A + J_B u_B
///   A = L L^T                      B = J L,   so that  W_cd = sum over shared bodies B_c B_d^T
/// The sign of side B is in its J. `root` is B; it is zero where the body never moves.
typedef struct CaromGraphContact {
    int body[2];        ///< indices into the problem
    int movable[2];     ///< the same, -1 where the body never moves
    double friction;    ///< Coulomb
    CaromMat3 frame;    ///< rows are the axes in the world frame
    CaromVec3 arm[2];   ///< from the mass centres, world frame
    CaromMat36 root[2]; ///< B = J L
    CaromMat3 self;     ///< W_cc, exactly symmetric
} CaromGraphContact;

/// One body. Where its inverse inertia is singular, L has columns that are zero.
typedef struct CaromGraphBody {
    int rank;          ///< of A; 0: it never moves
    double root[6][6]; ///< L of A = L L^T
    CaromSix twist;    ///< before
} CaromGraphBody;

typedef struct CaromGraph {
    int body_count, contact_count;
    CaromGraphBody *bodies;
    CaromGraphContact *contacts;
    /// Contacts of body b, ascending: touching[touch_start[b]] to touching[touch_start[b+1] - 1].
    /// None for bodies that never move.
    int *touch_start, *touching;
    /// Contacts joined by movable bodies, islands by their first contact, contacts ascending:
    /// island_contacts[island_start[i]] to island_contacts[island_start[i+1] - 1].
    int island_count;
    int *island_start, *island_contacts, *island_of;
    // W in blocks, after carom_graph_couple: row c has columns column[row_start[c]] and on,
    // ascending.
    int coupling_capacity;
    int *row_start, *column;
    CaromMat3 *block;
    // Scratch of products.
    CaromMotion6 *motion;
    int *parent; ///< of the search for islands
} CaromGraph;

/// Memory for that many bodies and contacts, and for W in blocks with that many entries (0: none).
void carom_graph_carve(CaromGraph *g, CaromArena *arena, int bodies, int contacts, int couplings);

/// Build all but the blocks of W. The data were checked (carom_body_entries_fault, indices, unit
/// normals). False when an inverse inertia is not positive semidefinite: carom_body_fault tells.
bool carom_graph_init(CaromGraph *g, int body_count, const CaromBody *bodies, int contact_count,
                      const CaromContact *contacts);

/// How many blocks W has: pairs of contacts that share a movable body, both ways, and the diagonal.
size_t carom_graph_count_blocks(const CaromGraph *g);
/// Fill the blocks of W. False when there are more than fit.
bool carom_graph_couple(CaromGraph *g);

// ---- Products through the bodies: the cost is that of the contacts, W is not needed --------

/// Velocities of the contacts at the twists of the bodies before: b.
void carom_graph_free_velocities(const CaromGraph *g, CaromVec3 *b);
/// y = B^T P: what impulses do to the bodies, kinetic coordinates.
void carom_graph_collect(const CaromGraph *g, const CaromVec3 *impulses, CaromMotion6 *y);
/// v = B y: how fast contacts move when bodies do.
void carom_graph_spread(const CaromGraph *g, const CaromMotion6 *y, CaromVec3 *v);
/// v = W P.
void carom_graph_product(CaromGraph *g, const CaromVec3 *impulses, CaromVec3 *v);
/// Twist of a body after the change y: u + L y.
CaromSix carom_graph_twist(const CaromGraph *g, int body, const CaromMotion6 *y);

/// B_s y of one side of a contact.
static inline CaromVec3 carom_graph_side_velocity(const CaromGraphContact *c, int side,
                                                  const CaromMotion6 *y) {
    double v[3];
    for (int i = 0; i < 3; i++) {
        const double *r = c->root[side].m[i];
        v[i] = r[0] * y->y[0] + r[1] * y->y[1] + r[2] * y->y[2] + r[3] * y->y[3] + r[4] * y->y[4] +
               r[5] * y->y[5];
    }
    return v3(v[0], v[1], v[2]);
}

/// y += B_s^T p.
static inline void carom_graph_side_push(const CaromGraphContact *c, int side, CaromVec3 p,
                                         CaromMotion6 *y) {
    const CaromMat36 *r = &c->root[side];
    for (int j = 0; j < 6; j++) {
        y->y[j] += r->m[0][j] * p.x + r->m[1][j] * p.y + r->m[2][j] * p.z;
    }
}

/// Velocity of a contact when the bodies change their motion by y.
static inline CaromVec3 carom_graph_contact_velocity(const CaromGraph *g, int c,
                                                     const CaromMotion6 *y) {
    const CaromGraphContact *contact = &g->contacts[c];
    CaromVec3 v = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        if (contact->movable[side] >= 0) {
            v = v3_add(v, carom_graph_side_velocity(contact, side, &y[contact->movable[side]]));
        }
    }
    return v;
}
