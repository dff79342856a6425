// SPDX-License-Identifier: Apache-2.0
// The world as its own files see it: balls, what touches at one moment, what holds up what.
#pragma once
#include "base/host.h"
#include "contact/cone.h"
#include "world/meet.h"
#include "world/near.h"
#include "world/tuning.h"

/// What neighbours look at comes first.
typedef struct CaromBall {
    CaromBounds bounds; ///< of its centre until it meets a plane or its motion ends
    double radius;
    CaromMotion motion;
    double lasts; ///< how long that is until its end, also where times are rounded to more [s]
    double mass, inertia;
    bool supported, at_rest, gone;
    int was;              ///< before the event: supported, at rest
    bool placed;          ///< while gaps are closed
    double sliding_force; ///< of friction while it slides on a plane [N]
    double rolling_force; ///< what resistance to rolling takes over a distance [N]
    CaromVec3 floor;      ///< the normal of that plane
    bool carried;         ///< pressed, in steps (carry.c)
    CaromVec3 push;       ///< its acceleration by what presses it then
} CaromBall;

typedef struct CaromPairMaterial {
    int a, b;
    CaromMaterial material;
} CaromPairMaterial;

/// What may happen next to a ball: with balls of lower number, with planes, or by itself.
typedef struct CaromNext {
    double time;
    int partner; ///< a ball, CAROM_PLANE(i), or the ball itself where its motion ends
    bool sure;
} CaromNext;

/// Balls that touch each other or planes at one moment, as an impact problem.
typedef struct CaromCluster {
    int ball_count;
    int *balls;         ///< ascending
    int *slot;          ///< where a ball stands in `balls`, or -1; one for each ball of the world
    CaromBallState *at; ///< states of `balls`
    CaromBody *bodies;  ///< of `balls`, and one that is fixed, for all planes
    int contact_count;
    int impact_count; ///< of these, the first ones, are in the impact; soft planes answer after it
    CaromContact *contacts;
    int (*pairs)[2]; ///< for each contact: numbers of the world
    CaromTwist *before, *after;
    bool full;  ///< more contacts than fit
    bool rigid; ///< its last impact was solved by the rigid law
} CaromCluster;

/// How a supported ball moves on.
typedef struct CaromSupport {
    CaromVec3 acceleration, spin_rate;
    double lasts;         ///< [s]
    double sliding_force; ///< [N]
    double rolling_force; ///< [N]
    double twirl_rate;    ///< loss of spin about the normal [rad/s^2]
    CaromVec3 floor;      ///< normal of the plane it slides or rolls on
    bool rolls;
    bool carried; ///< for a step that `lasts`
} CaromSupport;

/// Most contacts of balls that are carried or pressed in steps together, those that resist rolling
/// twice; more go on bouncing. Each takes 12 kB.
enum { CAROM_MOST_CARRIED = 256 };

/// The cluster as another problem: accelerations for velocities.
typedef struct CaromTrial {
    CaromBody *bodies;
    int count; ///< contacts whose gap is at rest
    CaromContact *contacts;
    int *of;                ///< the contact of the cluster that each of them is
    bool *pressed;          ///< for each contact of the cluster
    CaromVec3 *moved;       ///< acceleration of each ball of the cluster, and of planes
    CaromSupport *supports; ///< for each ball of the cluster
    CaromTwist *means;      ///< of a step, for each ball of the cluster
    CaromTwist *stands;     ///< zero, for each ball of the cluster
    int most;               ///< contacts of a step
    CaromGraph graph;       ///< of the cone problem of a step
    CaromCone *cone;
    CaromConeTerm *terms;
    CaromVec3 *free, *impulses; ///< velocities without impulses, impulses; frames of the contacts
    CaromMotion6 *motions;
} CaromTrial;

/// Changes of a ball with one parameter, at the start of its motion.
typedef struct CaromBallTangent {
    CaromVec3 position, velocity, spin;
    CaromVec3 acceleration, spin_rate; ///< of its motion
    double angle, rate;                ///< of a pendulum
} CaromBallTangent;

/// What derivatives need (derivative.c).
typedef struct CaromWorldTangent {
    int columns; ///< asked for; 0 if none are
    CaromWorldColumn *asked;
    CaromBallTangent *balls; ///< column by column
    CaromWorldSmoothness *told;
    double *moment;         ///< change of the time of the present event
    double *moved;          ///< when the last impact was whose time changes [s]
    CaromTwist *last;       ///< accelerations of each ball before the present event
    CaromBody *bodies;      ///< changes of an impact's bodies, column by column
    CaromContact *contacts; ///< and of its contacts
    CaromDerivativeColumn *directions;
} CaromWorldTangent;

struct CaromWorld {
    CaromWorldDef def;
    CaromImpact *solver;
    CaromImpact *single; ///< for one contact
    CaromWorldListenFn *listener;
    void *listener_user;
    int ball_count, plane_count, material_count, held_count;
    CaromBall *balls;
    CaromPlane *planes;
    CaromPairMaterial *materials;
    int (*held)[2];  ///< pairs that stay together: something is held up
    CaromNext *next; ///< change it by carom_world_set_next
    CaromNear near;  ///< of worlds of many balls
    CaromCluster cluster;
    CaromTrial trial;
    CaromWorldTangent tangent;
    double time;
    bool started;
    bool predicted;     ///< every ball has a reach
    CaromBounds *reach; ///< of the surface of each ball, with a margin: what is outside is far
    double smallest;    ///< radius of a ball
    double horizon;     ///< predictions reach to this time; infinity in small worlds
    long event_count;
    double fastest; ///< approach of all impacts so far [m/s]
    double restitution_loss, friction_loss, gone_energy;
    CaromWorldChecks checks;
};

/// What comes next for a ball; keeps order in worlds of many.
void carom_world_set_next(CaromWorld *world, int ball, CaromNext next);
/// Keep order among many balls from now on.
void carom_world_start_order(CaromWorld *world);
void carom_sort_numbers(int *numbers, int count);
/// Find what comes next: for a ball, for the balls of the cluster and whom that concerns, for all
/// up to a new horizon.
void carom_world_predict(CaromWorld *world, int ball);
void carom_world_predict_cluster(CaromWorld *world);
void carom_world_look_ahead(CaromWorld *world);
/// The ball of the next event, -1: there is none until that time.
int carom_world_find_next(CaromWorld *world, double until);

/// How many pairs can be held at once: one large cluster, and for each ball as many as equal balls
/// have neighbours.
static inline int carom_held_room(const CaromWorldDef *def) {
    return def->contacts + 12 * def->balls;
}

// ---- Thresholds (docs/world.md) --------------------------------------------------------------

/// sqrt(g r): the speed of a ball that fell by half its radius.
double carom_world_drop_speed(const CaromWorld *world, double radius);
/// Slower impacts are plastic [m/s].
double carom_world_rest_speed(const CaromWorld *world);
/// For a pair whose smaller ball has this radius.
CaromSlack carom_world_slack(const CaromWorld *world, double radius);

/// Accelerations that differ less are equal [m/s^2].
double carom_world_least(const CaromWorld *world);

/// Kinetic and potential energy of a ball now.
double carom_world_ball_energy(const CaromWorld *world, int ball);

// ---- Touching (touch.c) ----------------------------------------------------------------------

/// Fill the cluster with all that is connected by touching to `a` (and `b`, if it is a ball) at the
/// time of the world; the pair itself counts as touching.
void carom_cluster_grow(CaromWorld *world, int a, int b);
/// Move its balls, whose motions start now, by what is rounding, so that those who touch do so.
void carom_cluster_close(CaromWorld *world);
/// State its problem: bodies in their places, contacts between them or with what is fixed.
void carom_cluster_pose(CaromWorld *world);
const CaromMaterial *carom_world_material(const CaromWorld *world, int a, int b);
/// Of a pair with a plane: bounces that are slower are not followed [m/s]; else 0.
double carom_world_settle(const CaromWorld *world, const int pair[2]);
bool carom_world_holds(const CaromWorld *world, int a, int b);
/// Velocity of the surfaces of contact c relative to each other from the given twists.
CaromVec3 carom_cluster_slip(const CaromWorld *world, const CaromTwist *twists, int c);

// ---- Rest (rest.c) ---------------------------------------------------------------------------

/// False: with these velocities the balls of the cluster are pressed together in a way that has no
/// closed form here.
bool carom_cluster_could_rest(CaromWorld *world, const CaromTwist *twists);
/// Let the balls of the cluster, whose motions start now with these velocities, move on: held up by
/// what they are pressed to if that has a closed form, else freely.
void carom_cluster_rest(CaromWorld *world, const CaromTwist *twists);
/// Whether the rest that was found last is one in steps.
bool carom_cluster_is_carried(const CaromWorld *world);
/// How fast the gap of a pair may open or close between two steps and still be at rest: paths are
/// parabolas there, the surfaces of balls are not. 0 for pairs that are not carried.
double carom_carried_rise(const CaromWorld *world, const int pair[2]);
/// Where no closed form was found: the next step of the balls of the cluster as supports of the
/// trial. False: there is none.
bool carom_cluster_carry(CaromWorld *world, const CaromTwist *twists);

// ---- On one plane (plane.c) ------------------------------------------------------------------

/// A ball on one plane. False: it slides or rolls across a slope, which is no parabola.
bool carom_ball_on_plane(const CaromWorld *world, const CaromBall *ball, const CaromPlane *plane,
                         double friction, const CaromTwist *twist, CaromSupport *support);
/// The sliding of a ball on its plane at a time: velocity of its lowest point.
CaromVec3 carom_ball_slip(const CaromBall *ball, double time);
/// What friction and resistance to rolling took since the motion started [J].
double carom_ball_friction_work(const CaromBall *ball, double time);
