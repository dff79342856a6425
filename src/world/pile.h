// SPDX-License-Identifier: Apache-2.0
// What a pile is inside: bodies on trajectories, held contacts, the next meeting of each body.
#pragma once
#include "base/host.h"
#include "base/vec.h"
#include "carom/pile.h"
#include "contact/cone.h"
#include "shape/shape.h"
#include "world/tuning.h"

#include <stdint.h>

/// No body; bodies that are passed over together if all are far.
enum { CAROM_PILE_NOBODY = 1 << 30, CAROM_PILE_GROUP = 16 };

/// A box along the axes.
typedef struct CaromExtent {
    CaromVec3 low, high;
} CaromExtent;

typedef struct CaromPileBody {
    bool used;
    CaromPileState state;
    const CaromShape *shape;
    double mass;
    CaromMat3 inertia; ///< body frame
    CaromPrincipal principal;
    CaromVec3 pull;       ///< acceleration by a constant force, beside gravity
    double start, expiry; ///< of the trajectory
    double window;        ///< length of the window that it is in, also if it ends before
    CaromTrajectory path; ///< times from `start`
    CaromTwist before;    ///< velocities then
    CaromExtent box;      ///< of everything it touches until `expiry`
    double next;          ///< when it meets `partner`; infinity: not before `expiry`
    int partner;
    int quiet;     ///< windows in which it was slow
    int island;    ///< of its window; -1: it is in none
    int ring;      ///< the next body of that island, all around; itself if it is alone
    int back;      ///< the one before
    bool due;      ///< it needs a window after the impacts before it
    bool pressed;  ///< an impulse of the window that is set up acts on it
    int old_first; ///< of its contacts in `old`, -1: none
    int mark;      ///< of the last gathering that has it
    int index;     ///< in the problem of that gathering
    int first;     ///< of its held contacts, -1: none
    double energy; ///< at the start of its window
    double slowed; ///< share of the velocities found for it, so that no energy is gained
    double lost;   ///< energy lost in windows since those of its island last ended together
} CaromPileBody;

typedef struct CaromPilePlane {
    CaromVec3 point, normal;
} CaromPilePlane;

/// A point that is held in a window.
typedef struct CaromPileHeld {
    int body[2];
    CaromVec3 point, normal;
    double gap;
    CaromVec3 local;   ///< the point in the frame of the first body
    CaromVec3 impulse; ///< on the first, world, of the whole window
    double start;      ///< of its window
    double window;     ///< length of it
    CaromVec3 couple;  ///< angular impulse on the first against rolling and spin, world
    CaromVec3 kept;    ///< of that, what the next window starts with
    double lift;       ///< asked for beyond its gap, where curvature would close it [m/s]
    bool bare;         ///< no couple: that of a point beside it acts
    int next[2];       ///< of the contacts of each body, -1: none
} CaromPileHeld;

typedef struct CaromPilePair {
    int a, b;
    CaromMaterial material;
} CaromPilePair;

/// A pair that hits before a window.
typedef struct CaromPileHit {
    int body[2];
    double approach, reach; ///< its speed, and a bound of its gap
} CaromPileHit;

struct CaromPile {
    CaromPileDef def;
    CaromPileListenFn *listener;
    void *listener_user;
    size_t size; ///< of the block
    double time;
    int body_count, plane_count, material_count, held_count;
    CaromPileBody *bodies;
    /// Of the boxes of all bodies, in the order of numbers: low x, y, z, high x, y, z; empty if
    /// unused. Which of them are far from the one that was asked for last.
    int32_t *side[6], *far;
    CaromPilePlane *planes;
    CaromPilePair *materials;
    CaromPileHeld *held;
    CaromPileReport report;
    double reach;              ///< half the smallest width
    bool own_slow, own_window; ///< chosen here, not by the caller
    bool fresh;                ///< bodies were added, removed or woken
    int mark;

    // Scratch of gatherings, impacts and windows.
    int *list;
    int list_count;
    int *pending; ///< bodies that need a window
    int islands;  ///< made so far: their names
    int *near;    ///< bodies found by carom_pile_find_near
    int *last;    ///< the last body of each island, while rings are made
    CaromBody *problem_bodies;
    CaromContact *problem_contacts;
    CaromPileHeld *old; ///< contacts of the last window, for warm starts
    int old_count;
    CaromConeTerm *terms;
    CaromVec3 *impulses, *velocities;
    CaromMotion6 *motions;
    int (*pairs)[2]; ///< bodies of each contact of an impact
    CaromPileHit *hits;
    int *event_bodies; ///< that took part in the last impact
    CaromGraph graph;
    CaromCone *cone;
    CaromImpact *impact;
};

// ---- pile.c ----------------------------------------------------------------------------------

/// Pose and velocities at a time of its trajectory.
CaromMoment carom_pile_moment(const CaromPile *pile, int body, double time);
const CaromMaterial *carom_pile_material(const CaromPile *pile, int a, int b);
/// Lengths of a pair; b may be a plane.
double carom_pile_touch(const CaromPile *pile, int a, int b);
double carom_pile_shell(const CaromPile *pile, int a, int b);
double carom_pile_body_energy(const CaromPile *pile, int body, const CaromMoment *at);
/// The body as the contact problem sees it at a moment.
CaromBody carom_pile_problem_body(const CaromPile *pile, int body, const CaromMoment *at);
void carom_pile_tell(CaromPile *pile, CaromPileEventKind kind, int count, const int *bodies,
                     double approach, const CaromImpactResult *impact);
/// Where its centre is.
static inline CaromVec3 carom_pile_position(const CaromPile *pile, int body);
static inline bool carom_pile_moves(const CaromPileBody *b) {
    return b->state == CAROM_PILE_FREE || b->state == CAROM_PILE_TOUCHING;
}

static inline CaromVec3 carom_pile_position(const CaromPile *pile, int body) {
    const CaromPileBody *b = &pile->bodies[body];
    const CaromMoment *m = &b->path.start;
    double t = carom_pile_moves(b) ? pile->time - b->start : 0;
    CaromVec3 mean = v3_axpy(0.5 * t, b->path.acceleration, m->velocity);
    return v3_axpy(t, mean, m->pose.position);
}

// ---- pile_near.c -----------------------------------------------------------------------------

/// Keep the box of a body for carom_pile_find_near; of a body that is not used, nothing is found.
void carom_pile_keep_box(CaromPile *pile, int body);
/// Numbers of the bodies whose boxes come nearer than `margin` to that of a body, into
/// `pile->near`.
int carom_pile_find_near(CaromPile *pile, int body, double margin);
/// Whether both are balls, or one is and the other a plane: their gap never closes before the one
/// that windows keep.
bool carom_pile_is_round(const CaromPile *pile, int a, int b);
CaromManifold carom_pile_manifold(const CaromPile *pile, int a, int b, const CaromPose *pa,
                                  double tolerance);
double carom_pile_gap(const CaromPile *pile, int a, const CaromPose *pa, int b,
                      const CaromPose *pb);
/// When two bodies that are not held meet first, up to the ends of their trajectories.
double carom_pile_meet_body(const CaromPile *pile, int a, int b);
double carom_pile_meet_plane(const CaromPile *pile, int body, int plane);

// ---- pile_meet.c -----------------------------------------------------------------------------

/// Set a trajectory that starts now.
void carom_pile_set_path(CaromPile *pile, int body, const CaromTrajectory *path, double expiry);
/// Let a body fly from a moment on.
void carom_pile_fly(CaromPile *pile, int body, const CaromMoment *from);
/// Find the next meeting of a body, and of those that it may have been the next of.
void carom_pile_predict(CaromPile *pile, int body);
/// The same for all bodies of `pile->list`, each pair once.
void carom_pile_predict_list(CaromPile *pile);
/// Velocity of a at a point relative to b.
CaromVec3 carom_pile_relative(const CaromMoment *a, const CaromMoment *b, CaromVec3 point);

// ---- pile_window.c ---------------------------------------------------------------------------

/// Bodies and contacts of one window.
typedef struct CaromPileGather {
    CaromPile *pile;
    double h;
    int first_new;  ///< contacts of this window in `pile->held`
    double restore; ///< share of overlaps that it takes back
    int met[2];     ///< a pair that has just met slowly: it is held in any case
    int hits;       ///< pairs that hit right now, in `pile->hits`
} CaromPileGather;

/// A window for all bodies of the list and what they touch, from now on. Bodies that nothing
/// presses fly, unless `stay`.
void carom_pile_window(CaromPile *pile, int count, const int *bodies, bool stay);
/// Lists of the contacts of each body, after contacts changed.
void carom_pile_link(CaromPile *pile);

// ---- pile_motion.c ---------------------------------------------------------------------------

/// The motion of the window; passes lift what would overlap at its end, and where they fail (edges
/// that pass each other, whose normal jumps) the window is a quarter as long. `cut`: after so much
/// of it a corner comes down. False: there is none.
bool carom_pile_find_motion(CaromPileGather *g, double *cut);
/// Velocities of a body of the problem at the end of the window.
CaromTwist carom_pile_end_twist(const CaromPileGather *g, int index);

// ---- pile_island.c ---------------------------------------------------------------------------

/// Pose and velocities now. In the middle of a window these are not those at which it moves.
CaromMoment carom_pile_now(const CaromPile *pile, int body);
bool carom_pile_in_window(const CaromPile *pile, int body);
/// End what a body does now, and all of its island in a window: trajectories start anew here, a
/// window that is not over gives back its share.
void carom_pile_bring(CaromPile *pile, int body);
/// Take a body out of the ring of its island.
void carom_pile_leave(CaromPile *pile, int body);
/// Which bodies of the list an impulse of the window acts on.
void carom_pile_find_pressed(const CaromPileGather *g);
/// Bodies of the list that stay in the window as islands.
void carom_pile_make_rings(CaromPileGather *g, bool stay);
void carom_pile_wake(CaromPile *pile, int body);

// ---- pile_couple.c ---------------------------------------------------------------------------

/// Couples against rolling and spin on the bodies of the problem, before it is solved. First, at
/// all contacts, that of the last window; `old` is the contact there, or NULL.
void carom_pile_start_couple(CaromPile *pile, CaromPileHeld *h, const CaromContact *c,
                             const CaromPileHeld *old);
/// Then, one contact after the other, move it against what still turns, within limits by the load
/// of the last window. What is kept for the next window moves by a share of that, so that a couple
/// that holds a body on a slope stays.
void carom_pile_move_couple(CaromPile *pile, CaromPileHeld *h, const CaromContact *c,
                            const CaromPileHeld *old);

// ---- pile_impact.c ---------------------------------------------------------------------------

/// One impact of two bodies (the second may be a plane), where their gap is within `reach` or the
/// touch tolerance, and what they push against, now. Returns how many bodies took part; they are in
/// `pile->event_bodies` and need a window.
int carom_pile_impact(CaromPile *pile, int a, int b, double approach, double reach);

/// Whether there is a body of that number.
static inline bool carom_pile_is_body(const CaromPile *pile, int body) {
    return body >= 0 && body < pile->body_count && pile->bodies[body].used;
}
