// SPDX-License-Identifier: Apache-2.0
// Many contacts: springs that push on each other through the bodies, and may rub.
#pragma once
#include "base/host.h"
#include "impact/contact.h"
#include "impact/network/friction.h"

/// How a normal impulse at one contact changes the normal velocity at another: W, row by row. Rows
/// hold only contacts that share a movable body.
typedef struct CaromCoupling {
    int *start;    ///< entries of row c are start[c] .. start[c + 1] - 1
    int *column;   ///< ascending within a row
    double *value; ///< W
    int capacity;  ///< of column and value
} CaromCoupling;

/// Contacts from one to another, both included. They are worked on in pairs: `from` with the next,
/// and so on. Only where they are all contacts may they be an odd number; the last one is paired
/// with spare memory then, or with what is written after it.
typedef struct CaromRange {
    int from, to;
} CaromRange;

/// The contacts of an impact and where they are on their path: theory.md section 3. Arrays have one
/// entry per contact. In scaled time, with F = k delta^p the spring forces:
///   u' = W F,  delta' = -u,  P' = F
typedef struct CaromNetwork {
    int count;
    CaromCoupling coupling;
    // Each contact's material.
    double *restitution;
    double *exponent; ///< F = k delta^exponent
    CaromUnloading *unloading;
    double *mobility;  ///< W_cc: what a contact's own impulse does to its velocity
    double *threshold; ///< a sleeping contact wakes when it approaches faster than this [m/s]
    double tolerance;
    double energy;     ///< that the approaching contacts bring, each for itself [J]
    double negligible; ///< strain energy below which a contact at its turn becomes rigid [J]
    // Each contact's state.
    CaromContactPhase *phase;
    bool *hard;           ///< infinitely stiff from the start
    bool *plastic;        ///< rigid for good: hard, or e = 0 and compressed once
    bool *rigid;          ///< incompressible for now: u = 0 as long as F >= 0
    bool *just_held;      ///< since the last event
    bool *endless;        ///< has hardened without end: rigid whenever it is pressed
    bool *softer;         ///< than a contact with which it hardened without end
    bool *pinned;         ///< such a contact whose force others can keep as it is
    double *held_at;      ///< spring force as it was held [N]
    double *swings_until; ///< when the swings that are left out would have hardened it without end
    bool *parting;        ///< has been seen parting since it was last pressed
    double *yield;        ///< strain energy at which a rigid contact becomes a spring again [J]
    double *first_velocity; ///< u before the impact
    double *velocity;       ///< u, normal
    double *compression;    ///< delta
    double *stiffness;      ///< k, as hardened so far
    double *softest;        ///< k at first
    double *retained;       ///< strain energy that mono-stiffness will not give back
    double *impulse;        ///< P
    double *loss;           ///< energy lost by restitution
    int *compressions;
    // Where the network is.
    int *awake, awake_count;   ///< contacts with a force
    int *held, held_count;     ///< the rigid ones of them
    int *moving, moving_count; ///< the awake ones and all that feel them
    CaromRange range;          ///< that has all moving ones
    double time;               ///< scaled
    double step;               ///< length of the present step
    double together;           ///< events closer than this, in steps, are one
    bool series;               ///< steps are Taylor series where they can be
    bool by_slope;             ///< velocities are the slopes of compressions
    int steps, events;
    int most_steps; ///< that the caller allows; 0 (default): as many as the method does
    int quiet;      ///< steps since the last event
    CaromOutcome outcome;
    // The present step. Term j of contact c is at j * count + c and holds the power of the step.
    // `by_slope`, velocities have no terms of their own, and the others have one more.
    double *velocity_terms, *compression_terms, *force_terms;
    int *first_state; ///< order in time of the force of a contact that is compressed from the
                      ///< start, if ever so little; else 0
    CaromEventKind *event_kind; ///< what happens first at each moving contact
    double *event_time;         ///< and when, in steps
    // Of the Runge-Kutta method.
    double *ode_memory, *ode_scale, *ode_start, *ode_force;
    int *place; ///< of a moving contact among the moving ones
    // Scratch.
    bool *listed;
    double *residual, *direction, *image; ///< of conjugate gradients
    double *band;                         ///< factors of W among held contacts (network/band.h)
    int *in_band;                         ///< where a contact stands there, or -1
    int *guess;                           ///< contacts that may push
    double *push;                         ///< of rigid contacts
    CaromSix (*wrench)[2];                ///< of a unit normal impulse on either body
    CaromSix (*response)[2];              ///< and the twist it causes
    int *body_start, *body_contact;       ///< contacts of each body
    CaromFriction friction;
    struct CaromTangent *tangent; ///< carried along, NULL if nobody asked for derivatives
} CaromNetwork;

/// Told about an event at a contact when the network is where it happens; also about the start, the
/// samples and the end, with contact -1.
typedef void CaromNetworkEventFn(void *user, const CaromNetwork *n, CaromEventKind kind,
                                 int contact);

/// Who listens to a network; all zero if nobody does.
typedef struct CaromNetworkListener {
    CaromNetworkEventFn *on_event;
    void *user;
    int samples;           ///< in each step
    const CaromHost *host; ///< told that a long run goes on; may be NULL
    /// Whether the next event must show all contacts; if not, only its own and its neighbours
    /// are up to date there. NULL: all.
    bool (*needs_all)(const void *user);
} CaromNetworkListener;

/// Take the memory of a network out of an arena.
void carom_network_carve(CaromNetwork *n, CaromArena *arena, int bodies, int contacts,
                         int couplings, int joined);

/// Put the network at the start of a problem, whose contacts have these frames. False when W has
/// more entries than fit.
bool carom_network_init(CaromNetwork *n, const CaromImpactProblem *problem, const CaromMat3 *frames,
                        double tolerance);

/// Expands the next step from where the network is in powers of t, 0 <= t <= 1, into the terms;
/// `restart` is false if it follows the last step without an event. Returns the length of the step
/// in scaled time, or 0 when it cannot go on.
typedef double CaromNetworkExpandFn(void *stepper, CaromNetwork *n, bool restart);

/// Follows a network by another method until nothing is left but rest.
typedef void CaromNetworkFollowFn(void *stepper, CaromNetwork *n,
                                  const CaromNetworkListener *listener);

/// Run until all contacts sleep; by `follow` if it is not NULL.
void carom_network_run(CaromNetwork *n, const CaromNetworkListener *listener,
                       CaromNetworkExpandFn *expand, CaromNetworkFollowFn *follow, void *stepper);

/// The two ways to run: Taylor series for linear springs, exact to rounding; and a Runge-Kutta
/// method for any, whose error per step is the tolerance.
void carom_network_exact(CaromNetwork *n, const CaromNetworkListener *listener);
void carom_network_integrate(CaromNetwork *n, const CaromNetworkListener *listener,
                             double tolerance);

/// The papers' own stepping in the impulse of the primary contact, of first order; restitution > 0
/// and one exponent for all. A step [N s] of 0 is chosen.
void carom_network_impulse(CaromNetwork *n, const CaromNetworkListener *listener, double step);

// ---- For those three ---------------------------------------------------------------------------

/// What counts as rest at each contact.
void carom_network_set_thresholds(CaromNetwork *n);

/// Wake the contacts that approach, and tell that the path starts.
void carom_network_start(CaromNetwork *n, const CaromNetworkListener *listener);
void carom_network_tell(const CaromNetworkListener *listener, const CaromNetwork *n,
                        CaromEventKind kind, int contact);

/// Called after each step: tells the host now and then that the run goes on.
static inline void carom_network_tick(const CaromNetwork *n, const CaromNetworkListener *listener) {
    enum { STEPS_PER_TICK = 4096 };
    if (n->steps % STEPS_PER_TICK == 0) {
        carom_progress(listener->host, -1);
    }
}

/// 1/j for j >= 1.
static const double carom_inverse[CAROM_NETWORK_ORDER + 3] = {
    0,        1,        1 / 2.0,  1 / 3.0,  1 / 4.0,  1 / 5.0,  1 / 6.0,
    1 / 7.0,  1 / 8.0,  1 / 9.0,  1 / 10.0, 1 / 11.0, 1 / 12.0, 1 / 13.0,
    1 / 14.0, 1 / 15.0, 1 / 16.0, 1 / 17.0, 1 / 18.0};

/// Carry the network from t_from to t of the present step, whose length is h.
void carom_network_advance(CaromNetwork *n, double h, double t_from, double t);
/// Force of an awake contact at t of the present step.
double carom_network_force_at(const CaromNetwork *n, int c, double t);
/// When the first event of the present step comes, in steps; infinite if there is none.
double carom_network_first_event(CaromNetwork *n);

/// What happens first at a contact within the present step, into `event_kind`; when, in steps.
double carom_network_next_event(CaromNetwork *n, int c);
/// A time in the step before which nothing happens at a contact that is not held, from sums of its
/// terms: in `residual` those of the compression from the square on that are negative, in `image`
/// those of its slope from there on, in `ode_force` the positive ones.
double carom_network_earliest_event(const CaromNetwork *n, int c);

/// What happens at a contact by itself.
void carom_network_apply(CaromNetwork *n, CaromEventKind kind, int c);
void carom_network_sleep(CaromNetwork *n, int c);
/// Hold a stiff spring if it follows its load, given its acceleration and the most energy that a
/// spring stores. True if so.
bool carom_network_hold_follower(CaromNetwork *n, int c, double acceleration, double stored);
/// The same for the stiffest springs. True if some were held.
bool carom_network_hold_stiffest(CaromNetwork *n);
/// Strain energy up to which a contact may be held, theory.md (4.17).
double carom_network_hold_limit(const CaromNetwork *n, int c);
/// Hold a contact; what strain energy it has is small enough to be counted as lost.
void carom_network_become_rigid(CaromNetwork *n, int c);
/// The same for a contact whose restarts pile up, and the springs at its place.
void carom_network_become_rigid_together(CaromNetwork *n, int c);
/// Whether entry e of the row of contact c is that of another contact at the same place.
bool carom_network_is_twin(const CaromNetwork *n, int c, int e);
/// Whether the held contacts leave a spring no way to move, theory.md (3.13): of the velocity that
/// its force would give it their forces, which are left in `push`, take everything.
bool carom_network_cannot_move(const CaromNetwork *n, int c);
/// Hold the springs that can move only with contacts that have just hardened without end, theory.md
/// (3.13); or forget which have.
void carom_network_pin_springs(CaromNetwork *n);
/// Which held contacts keep their force: the softer ones that the other held contacts determine.
void carom_network_find_pinned(CaromNetwork *n);
/// Whether contact held[i] would not move without its force, while a softer one keeps its own.
bool carom_network_is_dispensable(CaromNetwork *n, int i);
void carom_network_forget_held(CaromNetwork *n);
/// Set the outcome where there were too many steps or events.
void carom_network_check_limits(CaromNetwork *n);

/// Find out anew who has a force, and who feels one.
void carom_network_list(CaromNetwork *n);
/// The rigid contacts as they are now, in their order, in `held`.
void carom_network_list_held(CaromNetwork *n);

/// Nothing is left but rest: no strain energy to give back, and nobody approaches.
bool carom_network_is_over(const CaromNetwork *n);
/// Whether forces that nothing would use up stay when it is over, and friction holds them: then it
/// brings all to rest.
bool carom_network_ends_pressed(CaromNetwork *n);
/// Whether friction holds contacts compressed for ever: none opens for longer than the slowest
/// motion takes to turn, or nothing happens for many steps. They hardly move, and friction brings
/// them to rest; or they go to and fro for ever.
bool carom_network_ends_jammed(CaromNetwork *n);

/// (W x)_c, where x has an entry for every contact.
static inline double carom_network_row(const CaromNetwork *n, int c, const double *x) {
    double sum = 0;
    for (int e = n->coupling.start[c]; e < n->coupling.start[c + 1]; e++) {
        sum += n->coupling.value[e] * x[n->coupling.column[e]];
    }
    return sum;
}

/// Forces of the rigid contacts that keep their velocities, given those of the springs in `force`:
/// theory.md (3.7)
///   W_RR F_R = -W_RS F_S
void carom_network_hold(const CaromNetwork *n, double *force);

typedef struct CaromContactSet {
    const int *contacts;
    int count;
} CaromContactSet;

/// Pushes of the contacts in a set, none of which may pull, where b is what their velocities (or
/// accelerations) would be without: theory.md (3.8)
///   0 <= x,  0 <= b + W x,  one of them zero at each contact;  x = 0 outside the set
void carom_network_push(const CaromNetwork *n, const CaromContactSet *set, const double *b,
                        double *x);

double carom_network_spring_force(const CaromNetwork *n, int c, double compression);
/// Forces of the springs that are awake; zero where a contact is rigid.
void carom_network_spring_forces(const CaromNetwork *n, double *force);
static inline bool carom_network_is_mono(const CaromNetwork *n, int c) {
    return n->unloading[c] == CAROM_MONO_STIFFNESS;
}

/// Find the first state: the contacts that approach, and those at rest that the forces of others
/// press at once, however weakly: by forces that start with a power of time up to `most`.
void carom_network_find_first_state(CaromNetwork *n, int most);

/// Phase of a contact as a reader of the papers counts it: a contact of the first state is awake
/// before its force is above rounding.
CaromContactPhase carom_network_phase(const CaromNetwork *n, int contact);

/// Strain energy of a contact that it may give back or lose [J].
double carom_network_strain_energy(const CaromNetwork *n, int contact);
/// Compression at which a contact stores an energy:  E = k delta^(p+1)/(p+1).
double carom_network_compression_of_energy(const CaromNetwork *n, int contact, double energy);
/// Whether a held contact has friction and may be a spring again.
static inline bool carom_network_may_yield(const CaromNetwork *n, int c) {
    return !n->plastic[c] && n->friction.grip[c].friction > 0;
}
