// SPDX-License-Identifier: Apache-2.0
// A free elastic object as its contacts feel it: forces on nodes of its surface in, places of all
// nodes of its surface out.
//
// Nothing holds the object, so its stiffness matrix is singular. Six pins, each on one node in one
// direction, take the six rigid motions and no more: under forces that balance they bear nothing,
// and every shape is
//
//     u = K^-1 (f + g) + rigid motion,   sum f + g = 0,   sum X x (f + g) = 0      theory.md (10.2)
//
// The matrix is factored once. A node costs three solves when it is first touched; after that every
// state of the contacts is small and dense.
#pragma once
#include "soft/solver.h"

enum { CAROM_RIGID = 6 };

/// A rigid motion as displacements: a translation [m] and a turn about the mass centre, in metres
/// at the distance `size` from it.
typedef struct CaromRigid {
    double part[CAROM_RIGID];
} CaromRigid;

typedef struct CaromCondensed {
    CaromHost host;
    const CaromSoftMesh *mesh;
    CaromSoft *soft; ///< held by the pins
    CaromVec3 gravity;
    CaromVec3 centre;              ///< mass centre of the given shape
    double size;                   ///< of the object [m], the arm of its turns
    double weight;                 ///< [N]
    double weight_on[CAROM_RIGID]; ///< gravity on each rigid motion
    double sag_energy;             ///< g K^-1 g
    double compliance;             ///< typical, of a node of the surface [m/N]
    int surface_count;
    int *surface;   ///< the nodes of the surface
    CaromVec3 *sag; ///< K^-1 g there
    int touched_count, most_touched;
    int *touched_of;    ///< for each node of the surface, its number among those touched, or -1
    int *touched;       ///< nodes of the surface, by that number
    CaromVec3 *columns; ///< K^-1 of a unit force on a touched node: [touched][axis][surface]
    CaromVec3 *work;
} CaromCondensed;

/// Factor the object and find how it sags. `problem` brings mesh and material, no supports.
CaromStatus carom_condense(CaromCondensed *object, const CaromSoftProblem *problem,
                           CaromVec3 gravity, int most_touched, const CaromHost *host);
void carom_condensed_destroy(CaromCondensed *object);

/// Forget which nodes were touched.
void carom_condensed_reset(CaromCondensed *object);
/// Make the node of the surface one that can bear a force. False when there are too many.
bool carom_condensed_touch(CaromCondensed *object, int surface);
/// The same in the place of a touched one that bears nothing any more.
void carom_condensed_replace(CaromCondensed *object, int touched, int surface);
/// Displacement of a node of the surface by a unit force along an axis of a touched one.
static inline CaromVec3 carom_condensed_column(const CaromCondensed *object, int touched, int axis,
                                               int surface) {
    size_t column = 3 * (size_t)touched + (size_t)axis;
    return object->columns[column * (size_t)object->surface_count + (size_t)surface];
}

/// The six rigid motions at a node, as columns: its displacement is their sum times the parts.
void carom_condensed_motions(const CaromCondensed *object, int node, CaromVec3 motion[CAROM_RIGID]);
/// Displacements of the nodes of the surface: `load` is the share of gravity, `forces` stand on the
/// touched nodes.
void carom_condensed_move(const CaromCondensed *object, double load, const CaromVec3 *forces,
                          const CaromRigid *rigid, CaromVec3 *moved);
/// Displacements of all nodes.
void carom_condensed_expand(const CaromCondensed *object, double load, const CaromVec3 *forces,
                            const CaromRigid *rigid, CaromVec3 *displacements);
/// What gravity, whole, does on the way to a shape [J].
double carom_condensed_gravity_work(const CaromCondensed *object, double load,
                                    const CaromVec3 *forces, const CaromRigid *rigid);
