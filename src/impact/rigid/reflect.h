// SPDX-License-Identifier: Apache-2.0
// Model reflect: the velocities that single impacts in any order lead to, and the one that is
// nearest to the velocity before the impact. theory.md section 5.
#pragma once
#include "carom/reflect.h"
#include "impact/rigid/friction.h"
#include "impact/rigid/rigid.h"

#include <stdint.h>

enum {
    CAROM_BY_START = -1,   ///< no impact led to it
    CAROM_BY_PLASTIC = -2, ///< a plastic impact of all contacts did
};

/// One velocity of the search.
typedef struct CaromVelocity {
    double orders;   ///< how many orders of impacts lead to it
    uint64_t depths; ///< bit d: it can be reached by d impacts, d < 64
    uint32_t hash;
    int parent;            ///< from which it was reached first
    int contact;           ///< by which impact
    int first_next, nexts; ///< the impacts that can follow, in `next`; -1: not followed
    int waiting;           ///< impacts that lead to it and are not counted yet
    int link;              ///< of a list that it is in
    int fewest, most;      ///< impacts before it
} CaromVelocity;

/// All velocities, each once, and the impacts between them: a graph without cycles if the bodies
/// can part.
typedef struct CaromSearch {
    int count, capacity;
    CaromVelocity *velocities;
    double *x; ///< their entries, one for each contact
    int next_count, next_capacity;
    int *next;           ///< velocities after impacts, those of one velocity side by side
    int *table;          ///< velocity + 1 by hash, 0 where nothing is
    uint32_t table_size; ///< in use, a power of two
    uint32_t table_most;
    int *outcomes; ///< velocities without approach, most orders first
    int outcome_count;
    double *weights;       ///< of the contacts in a velocity's key
    double merge;          ///< velocities that differ by no more are equal
    double cell;           ///< width of the grid of keys
    double slack;          ///< part of a cell by which keys of equal velocities may differ
    double *trial;         ///< a velocity that may be new
    bool full;             ///< stopped for want of memory
    const CaromHost *host; ///< told that it goes on
    bool stuck;            ///< some order ends in approach that no plastic impact stops
} CaromSearch;

/// A point of the convex hull of the outcomes, and the outcomes it is a mixture of.
typedef struct CaromHull {
    int count;
    int *points;      ///< numbers of outcomes
    double *weights;  ///< > 0, of sum 1
    double *impulses; ///< Q of each point
    double *trial;    ///< weights of the nearest point of the plane through the points
    double *system;   ///< for those
    int *pivots;
    double *impulse, *change; ///< Q and x - x0 of the mixture
    double distance;          ///< from the velocity before, kinetic metric
    double gap;               ///< how far from optimal, relative
} CaromHull;

typedef struct CaromReflect {
    CaromSearch search;
    CaromHull hull;
    CaromReflection shown;
} CaromReflect;

/// Take memory out of an arena, for as large a search as fits when the arena may hold `bytes`.
/// False if that is not even a small one.
bool carom_reflect_carve(CaromReflect *reflect, CaromArena *arena, int contacts, size_t bytes);

/// Search, project, and leave the result in `r`.
void carom_reflect_solve(CaromReflect *reflect, CaromRigid *r, CaromMethod method,
                         const CaromRigidListener *listener);

// ---- Search and projection -------------------------------------------------------------------

void carom_search_run(CaromSearch *s, CaromRigid *r);
/// Count orders and depths. False when some order goes round for ever.
bool carom_search_count(CaromSearch *s);
/// List the outcomes.
void carom_search_list(CaromSearch *s);
/// Impulses Q of the order by which a velocity was reached first.
void carom_search_impulse(const CaromSearch *s, CaromRigid *r, int velocity, double *impulse);
/// Let `r` take that order.
void carom_search_follow(const CaromSearch *s, CaromRigid *r, int velocity,
                         const CaromRigidListener *listener);

static inline double *carom_search_x(const CaromSearch *s, const CaromRigid *r, int velocity) {
    return s->x + (size_t)velocity * (size_t)r->count;
}

/// The outcome nearest to the velocity before; the first of equals.
void carom_hull_nearest(CaromHull *h, const CaromSearch *s, CaromRigid *r);
/// From there to the nearest point of the hull.
void carom_hull_project(CaromHull *h, const CaromSearch *s, CaromRigid *r);

// ---- The rigid models of a solver --------------------------------------------------------------

/// One block of memory that every solve carves anew, and what the last one left in it.
typedef struct CaromRigidSolver {
    unsigned char *memory;
    size_t bytes;
    CaromRigid contacts;
    CaromReflect reflect;
    CaromRigidFriction friction;
} CaromRigidSolver;

/// Take `bytes` of memory, 0 for a megabyte, out of an arena.
void carom_rigid_solver_carve(CaromRigidSolver *s, CaromArena *arena, size_t bytes);
/// Solve the contacts of a network that is set up; impulses and velocities are left in `contacts`.
CaromStatus carom_rigid_solver_run(CaromRigidSolver *s, const CaromNetwork *network,
                                   const CaromImpactOptions *options, CaromMethod method,
                                   const CaromRigidListener *listener, const CaromHost *host,
                                   CaromImpactResult *result);
/// That of a solver of impacts.
CaromRigidSolver *carom_impact_rigid(CaromImpact *impact);
