// SPDX-License-Identifier: Apache-2.0
// Friction at the contacts of a network: how each grips, and the forces of those that grip
// together.
#pragma once
#include "base/host.h"
#include "base/ode.h"
#include "impact/contact.h"

struct CaromNetwork;

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

/// Components of a grip along a step.
enum { CAROM_GRIP_PARTS = 7 };

/// Friction at one contact, in its frame: theory.md section 4.
typedef struct CaromGrip {
    double friction;   ///< mu, 0 for contacts without
    double stiffness;  ///< k_t of a compliant contact, 0 for a rigid one
    double rest_ratio; ///< rest along the surface over rest along the normal
    double rest_floor; ///< rounding of u_t [m/s]
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
    int flips;            ///< changes of mode in next to no time
    double flip_time;     ///< when the last one was
    CaromEventKind event; ///< what happens first within the step
    double event_time;    ///< in steps
    /// u_t, z, P_t and work over the step as polynomials
    double terms[CAROM_GRIP_PARTS][CAROM_ODE_DEGREE + 1];
} CaromGrip;

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

/// Most unknowns of the joint solve.
enum { CAROM_MOST_UNKNOWNS = 96 };

/// The friction of a network; `active` if some contact has any. Arrays have one entry per contact.
typedef struct CaromFriction {
    bool active;
    CaromGrip *grip;
    // W in blocks of 3 x 3, row by row, between contacts that share a movable body.
    int *start, *column;
    CaromMat3 *block;
    int capacity;
    CaromMat3 *self;  ///< W_cc
    CaromVec3 *force; ///< at present, in the frame of the contact; zero for sleeping contacts
    CaromVec3 *kick;  ///< impulses that stop contacts
    int *place;       ///< of the grip's components in the state
    double window;    ///< fraction of a contact's period in which its slip starts or ends
    int choices;      ///< decisions that were not unique
    int idle;         ///< events since a contact last opened, closed, slipped or stuck
    // The joint solve.
    CaromUnknown *unknown;
    int *unknown_at; ///< first unknown of a contact, or -1
    int unknown_count;
    double *matrix, *residual, *values, *vectors;
    int *pivot;
    bool constant; ///< the matrix does not change along the step
    bool factored;
    bool redundant; ///< it is singular, and inverted on its range
} CaromFriction;

void carom_friction_carve(CaromFriction *f, CaromArena *arena, int contacts, int couplings);

/// Put the friction of a network at the start of a problem. False when W has more blocks than fit.
bool carom_friction_init(struct CaromNetwork *n, const CaromImpactProblem *problem,
                         const CaromMat3 *frames);

/// Velocity change at contact c: sum of W_cd force_d.
CaromVec3 carom_friction_row(const CaromFriction *f, int c, const CaromVec3 *force);

/// What normal impulses, one per contact, do to the tangential velocities.
void carom_friction_kick(struct CaromNetwork *n, const double *normal_impulse);

/// Let the tangential springs of a contact go; what they held is lost.
void carom_friction_relax(struct CaromNetwork *n, int c);

/// A contact falls asleep.
void carom_friction_sleep(struct CaromNetwork *n, int c);

/// Energy in the tangential springs of a contact [J].
double carom_friction_strain_energy(const struct CaromNetwork *n, int c);

// ---- Forces ------------------------------------------------------------------------------------

/// Find out what has to be solved for, given who is awake, rigid, and in which mode.
void carom_friction_list(struct CaromNetwork *n);

/// Solve for the forces of rigid, sticking and creeping contacts; the others' are in `force`. False
/// when there are none that do.
bool carom_friction_join(struct CaromNetwork *n);

/// Stop the sticking contacts, whose velocities are below notice, by impulses: momentum stays what
/// it is, and energy can only be lost.
void carom_friction_come_to_rest(struct CaromNetwork *n);

/// Forces where the network is, `ahead` of now in scaled time.
void carom_friction_forces(struct CaromNetwork *n, double ahead);

// ---- Modes -------------------------------------------------------------------------------------

/// Decide the modes of all contacts with the forces that they are about to have, theory.md section
/// 4.3.
void carom_friction_decide(struct CaromNetwork *n);

/// Whether a rigid contact parts with these forces.
bool carom_friction_parts(const struct CaromNetwork *n, int c);

/// Whether a contact changed between slip and stick since this was last asked, and how.
bool carom_friction_has_changed(struct CaromNetwork *n, int c, CaromEventKind *kind);

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
/// Carry the grips to t of the step.
void carom_friction_advance(struct CaromNetwork *n, double t);
