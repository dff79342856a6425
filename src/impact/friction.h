// SPDX-License-Identifier: Apache-2.0
// Friction at the contacts of a network: how each grips, and the forces of those that grip
// together.
#pragma once
#include "base/host.h"
#include "base/ode.h"
#include "base/vec.h"
#include "impact/contact.h"

struct CaromNetwork;

/// Degree of the polynomials along a step.
enum { CAROM_NETWORK_ORDER = 16 };

// What is as good as nothing, relative.
#define CAROM_FRICTION_MOMENT    1e-7       ///< in periods: forces are looked at so far ahead
#define CAROM_FRICTION_FULL      (1 - 1e-6) ///< share of its friction that is all a contact has
#define CAROM_FRICTION_REDUNDANT 1e-10      ///< eigenvalues below leave the share of a force open
#define CAROM_FRICTION_HELD      1e-7       ///< below, a push moves a contact no more than if held
#define CAROM_FRICTION_SETTLED   1e-6       ///< change of forces between sweeps
#define CAROM_FRICTION_NEAREST   0.8        ///< of the way to a singular place, by a slow clock

/// What a contact with friction does along the surface. Forces oppose the slip direction d:
///   slip    F_t = -mu F_n d
///   stick   rigid: F_t keeps u_t = 0;  compliant: F_t = -k_t z with z' = u_t
///   creep   rigid, has just begun to slip: d and the acceleration point the same way
///   lean    rigid, gives all the friction it has, yet others keep it from slipping
typedef enum CaromGripMode {
    CAROM_GRIP_OPEN, ///< no friction, or asleep
    CAROM_GRIP_SLIP,
    CAROM_GRIP_STICK,
    CAROM_GRIP_CREEP,
    CAROM_GRIP_LEAN,
} CaromGripMode;

/// One of the answers to what contacts at rest do.
typedef struct CaromAnswer {
    CaromVec3 force;
    CaromVec2 direction;
    CaromGripMode mode;
} CaromAnswer;

/// Vectors of a grip along a step, and components of these and of its work.
enum { CAROM_GRIP_VELOCITY, CAROM_GRIP_STRETCH, CAROM_GRIP_IMPULSE, CAROM_GRIP_VECTORS };
enum { CAROM_GRIP_PARTS = 2 * CAROM_GRIP_VECTORS + 1 };

/// Friction at one contact, in its frame: theory.md section 4.
typedef struct CaromGrip {
    double friction;    ///< mu, 0 for contacts without
    double stiffness;   ///< k_t of a compliant contact, 0 for a rigid one
    double speed_scale; ///< of the impact, in any direction [m/s]
    double rest;        ///< |u_t| that counts as rest [m/s]
    double creep;       ///< from here on slip that began has a direction of its own: what creeping
                        ///< leaves out is of the order of the square [m/s]
    CaromGripMode mode;
    CaromGripMode shown;  ///< the mode that listeners know
    CaromVec2 heading;    ///< slip direction they know
    CaromVec2 velocity;   ///< u_t
    CaromVec2 stretch;    ///< z of a compliant contact
    CaromVec2 impulse;    ///< P_t
    double work;          ///< done against F_t so far: what friction lost and the springs hold [J]
    CaromVec2 direction;  ///< d at the start of the step
    CaromVec2 now;        ///< d where forces are wanted
    CaromVec2 later;      ///< d with its lag
    bool springs;         ///< is compliant, and not rigid for now
    bool fresh;           ///< sticks since the start of the step, coming from the cone's surface
    bool full;            ///< has just reached its bound
    CaromAnswer other;    ///< while it is decided
    double weight;        ///< in sharing a force with others
    bool leant;           ///< leaned until now
    bool drags;           ///< creeps in a given direction, as many start together
    bool slow;            ///< slips below notice: leans, or is about to come to rest
    double leading_force; ///< of a creeping contact: first term of F_n that is not zero,
    double turning_rate;  ///< and what turns its acceleration with its direction
    int flips;            ///< changes of mode in next to no time
    double flip_time;     ///< when the last one was
    int wakes;            ///< how often in a row it let go as soon as it started
    double wake_time;     ///< when it last did
    CaromEventKind event; ///< what happens first within the step
    double event_time;    ///< in steps
    /// u_t, z, P_t and work over the step as polynomials
    CaromLanes terms[CAROM_GRIP_VECTORS][CAROM_NETWORK_ORDER + 1];
    double work_terms[CAROM_NETWORK_ORDER + 1];
} CaromGrip;

/// How the force of a contact follows from its series in a step.
typedef enum CaromSeriesLaw {
    CAROM_LAW_NONE,
    CAROM_LAW_HOLD,    ///< rigid stick: solved for
    CAROM_LAW_STRETCH, ///< stick on a spring
    CAROM_LAW_SLIP,    ///< rigid slip, along the velocity
    CAROM_LAW_TURN,    ///< slip on a spring that turns
    CAROM_LAW_FOLLOW,  ///< slip on a spring so short that it is along the velocity but for a lag
    CAROM_LAW_START,   ///< rigid slip that starts from rest
    CAROM_LAW_LEAN,    ///< slip force without slip
    CAROM_LAW_DRAG,    ///< slip force in a given direction
} CaromSeriesLaw;

/// Taylor series of a grip along a step.
typedef struct CaromGripSeries {
    CaromSeriesLaw law;
    double normal[CAROM_NETWORK_ORDER + 1];        ///< F_n
    CaromLanes force[CAROM_NETWORK_ORDER + 1];     ///< F_t
    CaromLanes direction[CAROM_NETWORK_ORDER + 1]; ///< d
    CaromLanes side[CAROM_NETWORK_ORDER + 1];      ///< d turned by a right angle
    CaromVec3 acceleration;                        ///< term before the present one
    double turn[CAROM_NETWORK_ORDER + 1];          ///< d x d' of a spring
    double pull;                                   ///< d x u, term before the present one
    double load[CAROM_NETWORK_ORDER + 1];          ///< rho, or of one that follows rho d x d'
    int first_force, first_velocity;               ///< first terms of one that starts
    bool settled, tried;                           ///< of one that follows
    CaromVec3 guess;                               ///< force at the start, as far as it is known
} CaromGripSeries;

/// An unknown of the joint solve.
typedef enum CaromUnknownKind {
    CAROM_UNKNOWN_NORMAL, ///< F_n of a rigid contact, which keeps u_n
    CAROM_UNKNOWN_X,      ///< F_t of a sticking contact, which keeps u_t
    CAROM_UNKNOWN_Y,
    CAROM_UNKNOWN_ANGLE, ///< d of a creeping contact, which is along its acceleration
} CaromUnknownKind;

typedef struct CaromUnknown {
    int contact;
    CaromUnknownKind kind;
} CaromUnknown;

/// Unknowns that have to be solved for together, of contacts joined by movable bodies.
typedef struct CaromJoint {
    int first, count; ///< of the unknowns
    double *matrix;   ///< or its factors
    int rank;         ///< of the factors of a matrix that is not symmetric
    bool inverted;    ///< it is singular, and inverted on its range
} CaromJoint;

/// Room for the matrices: one of so many unknowns, or more of less.
enum { CAROM_MOST_UNKNOWNS = 384 };

/// The friction of a network; `active` if some contact has any. Arrays have one entry per contact.
typedef struct CaromFriction {
    bool active;
    bool exact;  ///< steps are Taylor series
    bool cut;    ///< the last step was shorter than it was meant to be
    double pace; ///< of the clock: after s of a step the time is h (s + pace s^2/2)
    CaromGrip *grip;
    CaromGripSeries *series;
    // W in blocks of 3 x 3, row by row, between contacts that share a movable body.
    int *start, *column;
    CaromMat3 *block;
    int *awake_end; ///< entries of row c before this one are of contacts that are awake
    int capacity;
    CaromMat3 *self;  ///< W_cc
    CaromVec3 *force; ///< at present, in the frame of the contact; zero for sleeping contacts
    CaromVec3 *kick;  ///< impulses that stop contacts
    int *place;       ///< of the grip's components in the state
    double window;    ///< fraction of a contact's period in which its slip starts or ends
    double excess;    ///< by which friction broke Coulomb's bound, over all steps, root of energy
    int choices;      ///< decisions that were not unique
    int idle;         ///< events since a contact last opened or closed
    double idle_loss; ///< what was lost when they were last counted [J]
    double busy;      ///< when a contact last opened or closed
    double slowest;   ///< no motion of the network turns later than in this time
    // The joint solve.
    CaromUnknown *unknown;
    int *unknown_at; ///< first unknown of a contact, or -1
    int unknown_count;
    int joint_count;
    CaromJoint *joints;
    int *component; ///< of contacts joined by movable bodies: the first of them
    int *order;     ///< contacts, component by component
    size_t room;    ///< for matrices
    double *matrix, *residual, *values, *vectors, *scale;
    int *pivot;
    bool constant; ///< the matrix does not change along the step
    bool factored;
    bool overflow; ///< there were more unknowns than fit
    bool shared;   ///< contacts at rest share their forces in more than one way
    bool astray;   ///< no forces were found that suit all
} CaromFriction;

void carom_friction_carve(CaromFriction *f, CaromArena *arena, int contacts, int couplings);

/// Put the friction of a network at the start of a problem. False when W has more blocks than fit.
bool carom_friction_init(struct CaromNetwork *n, const CaromImpactProblem *problem,
                         const CaromMat3 *frames);

/// Velocity change at contact c: sum of W_cd force_d.
CaromVec3 carom_friction_row(const CaromFriction *f, int c, const CaromVec3 *force);

/// The same of the present forces, which only awake contacts have.
CaromVec3 carom_friction_acceleration(const CaromFriction *f, int c);

/// Put the blocks of awake contacts first in every row.
void carom_friction_sort_rows(struct CaromNetwork *n);

/// What normal impulses, one per contact, do to the tangential velocities.
void carom_friction_kick(struct CaromNetwork *n, const double *normal_impulse);

/// Let the tangential springs of a contact go; what they held is lost.
void carom_friction_relax(struct CaromNetwork *n, int c);

/// A contact falls asleep.
void carom_friction_sleep(struct CaromNetwork *n, int c);

/// Length of the tangential spring of a contact that slips, rho = mu F_n/k_t.
double carom_friction_slip_length(const struct CaromNetwork *n, int c, double compression);

/// Inverse angular frequency of a contact's own normal spring, in scaled time.
double carom_friction_period(const struct CaromNetwork *n, int c);

/// Energy in the tangential springs of a contact [J].
double carom_friction_strain_energy(const struct CaromNetwork *n, int c);

// ---- Forces ------------------------------------------------------------------------------------

/// Find out what has to be solved for, given who is awake, rigid, and in which mode.
void carom_friction_list(struct CaromNetwork *n);

/// Solve for the forces of rigid, sticking and creeping contacts; the others' are in `force`. False
/// when no forces do what is asked for.
bool carom_friction_join(struct CaromNetwork *n);

/// Its parts. Accelerations that should vanish, and their largest size relative to what makes them
/// up; the factors of the matrix; the change of the unknowns in place of the residual; and to make
/// that change.
double carom_friction_residual(const struct CaromNetwork *n);
void carom_friction_factorise(CaromFriction *f);
void carom_friction_solve(CaromFriction *f);
/// What a contact whose direction is sought gives to the matrix; one that others hold keeps it.
void carom_friction_set_turning(CaromFriction *f, int c);
void carom_friction_move(CaromFriction *f, CaromUnknown u, double by);
/// The same where directions turn by a little only.
void carom_friction_change(CaromFriction *f, CaromUnknown u, double by);

/// Share out the friction of sticking contacts anew: of all ways to the same accelerations that
/// with the least sum of |F_t|^2/weight^2. False if there is one way only. Leaves other unknowns
/// listed.
bool carom_friction_share(struct CaromNetwork *n);

/// Whether the others that hold keep a contact from moving in its direction whatever pushes it. The
/// unknowns are listed anew, without those of the contact.
bool carom_friction_is_held(struct CaromNetwork *n, int c);

/// Stop the sticking contacts, whose velocities are below notice, by impulses: momentum stays what
/// it is, and energy can only be lost.
void carom_friction_come_to_rest(struct CaromNetwork *n);

/// Forces where the network is, `ahead` of now in scaled time.
void carom_friction_forces(struct CaromNetwork *n, double ahead);

// ---- Modes -------------------------------------------------------------------------------------

/// Decide the modes of all contacts with the forces that they are about to have, theory.md section
/// 4.3.
void carom_friction_decide(struct CaromNetwork *n);

/// Modes of the rigid contacts at rest, and forces of those held, so far ahead of now.
void carom_friction_settle(struct CaromNetwork *n, double ahead);

/// Whether a contact neither slips nor has springs along its surface.
static inline bool carom_friction_is_at_rest(const CaromGrip *grip) {
    return !grip->springs && (grip->mode == CAROM_GRIP_STICK || grip->mode == CAROM_GRIP_CREEP ||
                              grip->mode == CAROM_GRIP_LEAN);
}

/// Whether a mode is that of a contact that moves along its surface.
static inline bool carom_friction_is_slip(CaromGripMode mode) {
    return mode == CAROM_GRIP_SLIP || mode == CAROM_GRIP_CREEP;
}

/// Contacts that others almost hold slip slowly, at speeds below notice, and their directions
/// follow the load so fast that they dictate tiny steps. Let these lean, and those that are about
/// to come to rest keep their direction.
void carom_friction_slow_down(struct CaromNetwork *n);

/// Whether friction takes most of what the normal force of a sliding contact does, or more.
bool carom_friction_is_paradox(const CaromFriction *f, int c, CaromVec2 d);

/// Where no forces suit all, as friction of one contact presses another, let the rigid ones that
/// slide be springs again, unless they just were. True if there were any.
bool carom_friction_soften(struct CaromNetwork *n);

/// Whether a contact that starts has just done so again and again: friction presses it when it is
/// apart, and parts it when it is rigid. That is counted as a choice.
bool carom_friction_flutters(struct CaromNetwork *n, int c);

/// Whether a rigid contact parts with these forces.
bool carom_friction_parts(const struct CaromNetwork *n, int c);

/// Whether a contact changed between slip and stick since this was last asked, and how.
bool carom_friction_has_changed(struct CaromNetwork *n, int c, CaromEventKind *kind);

/// Next to no time: contacts that change again and again within it have not made up their minds.
double carom_friction_moment(const struct CaromNetwork *n);

/// How long a contact that cannot make up its mind keeps it since its last change, and whether it
/// still counts as one.
double carom_friction_patience(const struct CaromNetwork *n, int c);
bool carom_friction_wavers(const struct CaromNetwork *n, int c);

/// What happens first at a grip within the step, before `limit`.
void carom_friction_next_event(struct CaromNetwork *n, int c, double limit);

/// Let it happen.
void carom_friction_apply(struct CaromNetwork *n, int c);

// ---- Along a step ------------------------------------------------------------------------------

/// How many components the grips add to the state at `first`; sets their places.
int carom_friction_places(struct CaromNetwork *n, int first);
void carom_friction_pack(const struct CaromNetwork *n, double *y, double *scale);
/// Remember where slip heads as a step begins.
void carom_friction_set_out(struct CaromNetwork *n);
void carom_friction_derivatives(struct CaromNetwork *n, const double *y, double *dy);
void carom_friction_take_terms(struct CaromNetwork *n, CaromOde *ode);
/// See whether friction kept Coulomb's bound over a step with this normal impulse.
void carom_friction_check(struct CaromNetwork *n, int c, double pushed);
/// Carry the grips to t of the step.
void carom_friction_advance(struct CaromNetwork *n, double t);

/// Expand the next step in Taylor series, of about the usual length; its last terms are within the
/// tolerance. Returns the length.
double carom_friction_expand(struct CaromNetwork *n, double usual, double tolerance);

/// Friction in a step of method `impulse`: `kick` holds the normal impulses of the step, and its
/// tangential ones are found; the normal forces before and after the step are given.
void carom_friction_impulse_step(struct CaromNetwork *n, const double *before, const double *after);

// ---- For that ----------------------------------------------------------------------------------

/// A polynomial of a step at t: four sums side by side, in powers of t^4.
static inline double carom_step_value(const double terms[CAROM_NETWORK_ORDER + 1], double t) {
    double square = t * t;
    double fourth = square * square;
    CaromLanes low = {terms[CAROM_NETWORK_ORDER], 0};
    CaromLanes high = {0};
    for (int j = CAROM_NETWORK_ORDER - 4; j >= 0; j -= 4) {
        low = low * fourth + (CaromLanes){terms[j], terms[j + 1]};
        high = high * fourth + (CaromLanes){terms[j + 2], terms[j + 3]};
    }
    low += high * square;
    return low[0] + low[1] * t;
}

/// The same of a vector, in powers of t^2.
static inline CaromVec2 carom_step_vector(const CaromLanes terms[CAROM_NETWORK_ORDER + 1],
                                          double t) {
    double square = t * t;
    CaromLanes even = terms[CAROM_NETWORK_ORDER];
    CaromLanes odd = {0};
    for (int j = CAROM_NETWORK_ORDER - 2; j >= 0; j -= 2) {
        even = even * square + terms[j];
        odd = odd * square + terms[j + 1];
    }
    return v2_from_lanes(even + odd * t);
}

/// sum of a_i b_{top-i} for from <= i <= to
static inline double carom_sum_products(const double *a, const double *b, int from, int to,
                                        int top) {
    double sum = 0;
    for (int i = from; i <= to; i++) {
        sum += a[i] * b[top - i];
    }
    return sum;
}

/// The same of vectors, a_i . b_{top-i}.
static inline double carom_sum_dots(const CaromLanes *a, const CaromLanes *b, int from, int to,
                                    int top) {
    CaromLanes sum = {0};
    for (int i = from; i <= to; i++) {
        sum += a[i] * b[top - i];
    }
    return sum[0] + sum[1];
}

/// All terms of a step of length h, given the law of each contact.
void carom_friction_terms(struct CaromNetwork *n, double h);

/// What a spring that follows lags by, rho d x d', from its terms, for the next pass.
void carom_friction_find_lag(const struct CaromNetwork *n, int c, CaromGripSeries *s);
