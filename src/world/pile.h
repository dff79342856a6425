// SPDX-License-Identifier: Apache-2.0
// What a pile is inside: bodies on trajectories, held contacts, the next meeting of each body.
#pragma once
#include "base/host.h"
#include "base/vec.h"
#include "carom/pile.h"
#include "contact/cone.h"
#include "shape/shape.h"

// ---- Tuned numbers, all relative ---------------------------------------------------------------

/// Meetings slower than this share of sqrt(g r) are plastic and held; such a bounce would rise by
/// 5e-5 r. Ten times smaller: more impacts, and more time, before things rest.
#define CAROM_PILE_SLOW 1e-2
/// Length of a window in units of sqrt(r / g). The error of a sliding or toppling body is of first
/// order in it: halve it to see.
#define CAROM_PILE_WINDOW 1e-2
/// Gap that windows keep, in widths of the smaller body: above what meetings count as closed
/// (1e-11).
#define CAROM_PILE_SHELL 1e-8
/// A body slower than this share of `slow`, for CAROM_PILE_QUIET windows, may sleep.
#define CAROM_PILE_ASLEEP_SPEED 1e-2
#define CAROM_PILE_QUIET        20
/// Default touch tolerance in widths of the smaller body: faces, and balls.
#define CAROM_PILE_TOUCH      1e-3
#define CAROM_PILE_TOUCH_BALL 1e-6
/// A touching contact that still approaches faster than this share of `slow` after an impact
/// belongs to the impact.
#define CAROM_PILE_SPREADS 1.0
/// A free body is looked after again when it has moved by this many radii.
#define CAROM_PILE_HORIZON 20
/// Residual of the cone problem that windows aim at, and one that they take, relative to g h. The
/// latter lets bodies come nearer by 1e-9 r and energy grow by 1e-9 m g r in a window of the
/// default length. A hundred times smaller: piles of balls at rest, whose contacts neither stick
/// nor slip clearly, often miss it.
#define CAROM_PILE_TOLERANCE 1e-8
#define CAROM_PILE_ENOUGH    1e-5

/// Points that would overlap at the end of a window are lifted at no more than this share of
/// `slow`: the energy that this brings stays below m slow^2 / 2. Larger: twenty dominoes gain 3 %
/// of their energy where edges pass each other. Smaller: more overlap is left.
#define CAROM_PILE_LIFT 0.5
/// By how much of what would stop it in one window the couple against rolling moves. 1: a ball
/// rocks to and fro for ever, 0: it creeps on a slope; 0.1 ends a rolling ball without overshoot.
#define CAROM_PILE_COUPLE 0.1
/// What rounding and the tolerance of impacts may add or leave, relative.
#define CAROM_PILE_MARGIN 1e-9
/// In a window a body moves by no more than this share of its radius, and turns by no more than
/// this angle [rad] unless it is a ball.
#define CAROM_PILE_TRAVEL 0.1
#define CAROM_PILE_TURN   0.05
/// A window that is cut keeps at least this share, so that time goes on.
#define CAROM_PILE_LEAST_CUT 1e-6

enum { CAROM_PILE_NOBODY = 1 << 30 };

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
    CaromTwist before;    ///< velocities when the window started
    CaromExtent box;      ///< of everything it touches until `expiry`
    double next;          ///< when it meets `partner`; infinity: not before `expiry`
    int partner;
    int quiet;     ///< windows in which it was slow
    int island;    ///< of its window, or of those that sleep together
    int ring;      ///< the next body of that island, all around; itself if it is alone
    bool pressed;  ///< an impulse of the window that is set up acts on it
    int old_first; ///< of its contacts in `old`, -1: none
    int mark;      ///< of the last gathering that has it
    int index;     ///< in the problem of that gathering
    int first;     ///< of its held contacts, -1: none
    double energy; ///< at the start of its window
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
    double window;     ///< its length
    CaromVec3 couple;  ///< angular impulse on the first against rolling and spin, world
    double lift;       ///< asked for beyond its gap, where curvature would close it [m/s]
    int next[2];       ///< of the contacts of each body, -1: none
} CaromPileHeld;

typedef struct CaromPilePair {
    int a, b;
    CaromMaterial material;
} CaromPilePair;

struct CaromPile {
    CaromPileDef def;
    CaromPileListenFn *listener;
    void *listener_user;
    size_t size; ///< of the block
    double time;
    int body_count, plane_count, material_count, held_count;
    CaromPileBody *bodies;
    double *side[6]; ///< of the boxes of all bodies: low x, y, z, high x, y, z; empty if unused
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
    int *near;    ///< bodies found by carom_pile_find_near
    int *last;    ///< the last body of each island, while rings are made
    CaromBody *problem_bodies;
    CaromContact *problem_contacts;
    CaromPileHeld *old; ///< contacts of the last window, for warm starts
    int old_count;
    CaromConeTerm *terms;
    CaromVec3 *impulses, *velocities;
    CaromMotion6 *motions;
    int (*pairs)[2];   ///< bodies of each contact of an impact
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

/// A window for all bodies of the list and what they touch, from now on. Bodies that nothing
/// presses fly, unless `stay`.
void carom_pile_window(CaromPile *pile, int count, const int *bodies, bool stay);
/// End what a body does now: its trajectory starts anew here, a window that is not over gives back
/// its share.
void carom_pile_bring(CaromPile *pile, int body);
void carom_pile_wake(CaromPile *pile, int body);
/// Take a body out of the ring of its island.
void carom_pile_leave(CaromPile *pile, int body);
/// Lists of the contacts of each body, after contacts changed.
void carom_pile_link(CaromPile *pile);

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

/// One impact of two bodies (the second may be a plane) and what they push against, now. Returns
/// how many bodies took part; they are in `pile->event_bodies` and need a window.
int carom_pile_impact(CaromPile *pile, int a, int b, double approach);

/// Whether there is a body of that number.
static inline bool carom_pile_is_body(const CaromPile *pile, int body) {
    return body >= 0 && body < pile->body_count && pile->bodies[body].used;
}
