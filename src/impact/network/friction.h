// SPDX-License-Identifier: Apache-2.0
// Friction at the contacts of a network. Nothing is remembered but the state: who slides and who
// rests is read off the velocities and forces at the start of every step.
#pragma once
#include "base/host.h"
#include "base/vec.h"
#include "contact/cone.h"
#include "impact/contact.h"
#include "impact/network/radau.h"
#include "impact/network/tuning.h"

struct CaromNetwork;

/// Degree of the polynomials along a step.
enum { CAROM_NETWORK_ORDER = 16 };

/// By which law the friction of a contact goes along a step of the series, theory.md section 4.
typedef enum CaromLaw {
    CAROM_LAW_NONE,    ///< no friction, or asleep
    CAROM_LAW_STICK,   ///< rigid, at rest: F_t keeps u_t = 0
    CAROM_LAW_STRETCH, ///< compliant, the particle at rest: F_t = -k_t z, z' = u_t
    CAROM_LAW_SLIP,    ///< rigid: F_t = -mu F_n u_t/|u_t|
    CAROM_LAW_TURN,    ///< compliant, sliding: |z| = rho, the spring turns towards the motion
    CAROM_LAW_FOLLOW,  ///< the same where the spring is short: along the motion but for a lag
} CaromLaw;

/// Vectors of a grip along a step.
enum { CAROM_GRIP_VELOCITY, CAROM_GRIP_STRETCH, CAROM_GRIP_VECTORS };

/// Friction at one contact, in its frame.
typedef struct CaromGrip {
    double friction;    ///< mu, 0 for contacts without
    double stiffness;   ///< k_t of a compliant contact, 0 for a rigid one
    double speed_scale; ///< of the impact, in any direction [m/s]
    double rest;        ///< |u_t| that counts as rest [m/s]
    double near_first;  ///< the next before springs harden [m/s]
    double near_rest; ///< |u_t| from which a step of the collocation carries it through rest [m/s]
    CaromVec3 first;  ///< u before the impact
    CaromVec2 velocity; ///< u_t
    CaromVec2 stretch;  ///< z of a compliant contact
    CaromVec2 impulse;  ///< P_t
    double work;        ///< done against F_t so far: what friction lost and the springs hold [J]
    CaromLaw law;       ///< of the present step, where that is a series
    bool ended;         ///< held as its compression has just ended
    bool full;          ///< its spring is at the bound of friction, and motion pulls it beyond
    bool presses_first; ///< it presses before it moves, and sticks at first
    bool caught; ///< its spring is at the bound of friction, and motion does not keep it there
    bool passes; ///< slides slowly, and would not stay at rest
    bool stops;  ///< slides slowly, and changes what others do when it comes to rest
    bool slides; ///< at the end of the last step
    bool slides_ahead; ///< a moment after the start of a collocation
    double tried;      ///< length of a longer step whose polynomials it has, 0 if none
    bool known;        ///< whether listeners know of it
    bool shown_slides; ///< what they know
    CaromVec2 heading; ///< slip direction they know
    /// u_t and z over the step as polynomials
    CaromLanes terms[CAROM_GRIP_VECTORS][CAROM_NETWORK_ORDER + 1];
} CaromGrip;

/// Taylor series of a grip along a step.
typedef struct CaromGripSeries {
    double normal[CAROM_NETWORK_ORDER + 1];    ///< F_n
    CaromLanes force[CAROM_NETWORK_ORDER + 1]; ///< F_t
    /// d, the direction of slip; of contacts without a spring only the first
    CaromLanes direction[CAROM_NETWORK_ORDER + 1];
    double lag[CAROM_NETWORK_ORDER + 1]; ///< of one that follows: rho d x d'
    bool settled, tried;                 ///< of one that follows
    bool starts;                         ///< slip that starts with its contact, from rest
    int first;                           ///< and its first power of time, 0 if not known
    int kind;                            ///< contacts of one kind go in pairs
    const double *lane;                  ///< where its forces are in its pair
} CaromGripSeries;

typedef CaromLanes CaromPairTerms[CAROM_NETWORK_ORDER + 1];

/// Two contacts of one kind side by side, while their series is made. A contact without a partner
/// takes both places.
typedef struct CaromPair {
    int contact[2];
    int kind;
    bool stretches;                          ///< the particle of the last of them, or both, rests
    int first;                               ///< as above, of slip that starts
    const struct CaromPush *push, *push_end; ///< what moves them
    CaromLanes stiffness, free;              ///< 0 of rigid contacts; 1, or 0 of rigid contacts
    CaromLanes friction, grip;               ///< mu, k_t
    CaromLanes last[3];                      ///< term of the acceleration before the present one
    CaromLanes pull;                         ///< d x u, likewise
    CaromLanes aside, ahead;                 ///< d x u at first, and 1/(d . u)
    CaromPairTerms ux, uy, un, delta;
    CaromPairTerms fx, fy, fn; ///< one after the other
    CaromPairTerms dx, dy;     ///< d, or z where the particle rests
    CaromPairTerms turn;       ///< d x d' of a spring
} CaromPair;

/// What the force of a contact does to a pair.
typedef struct CaromPush {
    const double *force; ///< its lane of `fx`, `fy` and `fn`
    CaromLanes w[3][3];
} CaromPush;

/// Forces that keep contacts at rest: F_n of rigid contacts and F_t of those that stick, all that
/// movable bodies join in one linear system, theory.md (4.8).
typedef struct CaromHold {
    int *unknown; ///< 3 c for F_x, 3 c + 1 for F_y, 3 c + 2 for F_n of contact c
    int *first;   ///< first unknown of each contact, -1 if it has none
    int count;    ///< of all unknowns
    int *block;   ///< first unknown of each island's system
    int blocks;
    bool alone;     ///< one contact in each, which moves in all directions
    double *matrix; ///< factors, island by island
    size_t room;    ///< entries of `matrix`
    int joined;     ///< contacts for whose unknowns that is enough, however they are joined
    int *pivot;
    double *residual, *change;
} CaromHold;

/// Most contacts for which Newton's matrix may be dense.
enum { CAROM_DENSE_CONTACTS = 24 };

/// Newton's matrix of a stage, factorised: dense in contact space, or in body space. With the laws
/// of a contact linearised, E dx + V dv = r and dv = eta B dy:
///   dx = E^-1 r - K B dy,  K = eta E^-1 V,  (1 + sum B^T K B) dy = sum B^T E^-1 r
typedef struct CaromNewtonFactors {
    bool known;
    CaromBlockLu lu;
    CaromMat3 *inverse;   ///< E^-1
    CaromMat3 *stiffness; ///< K
    double *matrix;       ///< E + V eta W of few contacts
    int *pivot;
} CaromNewtonFactors;

/// Where a contact is in the elimination of bodies.
typedef struct CaromContactPlace {
    int body[2]; ///< positions of its bodies, -1 where one never moves
    int slot;    ///< of the block between them
} CaromContactPlace;

/// What the collocation of an island works on: one entry per contact of the island, or per stage
/// and contact.
typedef struct CaromCollocation {
    int island;
    bool dense; ///< Newton's matrix is in contact space
    int *list;  ///< its awake contacts
    int count;
    int most;     ///< contacts of a problem that fit
    int implicit; ///< the first of them, whose forces are solved for
    int *slot;    ///< of each contact in the list
    CaromNewtonFactors newton[CAROM_STAGES];
    CaromVec3 *step;         ///< of Newton's method
    CaromMotion6 *motion;    ///< of the bodies, by their positions in the elimination
    bool *slides;            ///< contacts that slide a moment after the start of the step
    double last_change;      ///< of velocities in the sweep before, relative
    double slip_error;       ///< of velocities, relative to those of the impact
    bool fails;              ///< Newton's method has failed in a sweep of this problem
    double anchoring;        ///< how strongly forces are held where they were, relative
    double *shared_mobility; ///< how far unit friction of all moves a contact along its surface
    // At the stages, now and after the sweep before.
    CaromVec3 *force;                           ///< F
    CaromVec3 *acceleration, *old_acceleration; ///< W F
    CaromVec2 *stretching, *old_stretching;     ///< z' of compliant contacts
    double *approach, *old_approach;            ///< u_n
    CaromVec2 *slip;                            ///< s
    // Of the present stage.
    CaromVec3 *velocity;               ///< as far as it is known before
    CaromVec3 *base;                   ///< the same with the forces that are not solved for
    CaromVec3 *moved;                  ///< with its own forces
    double *normal_slope;              ///< force per compression where it is linearised
    double *normal_offset;             ///< force at a standstill, likewise
    CaromVec2 *pull;                   ///< of tangential springs
    CaromVec3 *anchor;                 ///< forces that redundant contacts stay close to
    CaromMat3 *on_force, *on_velocity; ///< the laws linearised
} CaromCollocation;

typedef struct CaromFriction {
    bool active;
    bool cut;    ///< the last step was shorter than it was meant to be
    bool roomy;  ///< its terms would have allowed a longer one than it was
    double pace; ///< of the clock: after s of a step the time is h (s + pace s^2/2)
    CaromGrip *grip;
    CaromGripSeries *series;
    CaromPair *pairs; ///< all that move
    int pair_count;   ///< 0: to be found anew
    CaromPush *pushes;
    int *push_of;     ///< of a contact, in the pair at work
    CaromGraph graph; ///< of bodies and contacts; rows of W have awake contacts first
    int *awake_end;   ///< entries of row c before this one are of contacts that are awake
    CaromCone *cone;  ///< Coulomb's law at all contacts at one moment
    CaromContactPlace *place;
    CaromConeTerm *terms;
    CaromVec3 *answer, *answer_velocity; ///< of that problem
    CaromVec3 *force; ///< at present, in the frame of the contact; zero for sleeping contacts
    CaromVec3 *term;  ///< of the forces in a series
    CaromVec3 *kick;  ///< impulses of the stretch just made
    bool swings;      ///< a contact has just become rigid
    double excess;    ///< by which friction broke Coulomb's bound, over all steps, root of energy
    int choices;      ///< decisions that were not unique
    int idle;         ///< events since a contact last opened or closed
    double idle_loss; ///< what was lost when they were last counted [J]
    double busy;      ///< when a contact last opened or closed
    double slowest;   ///< no motion of the network turns later than in this time
    int collocations; ///< steps by collocation
    bool light;       ///< W is nearly singular: a body is light in some direction
    bool collocated;  ///< the present step is one of them
    double answered;  ///< length of the last one, if longer ones had no answer; else infinite
    int short_steps;  ///< of the series, in a row
    int next_try;     ///< steps without an event after which the next of them is tried
    double long_step; ///< length of the last step if it was one of try_long, else 0
    double shortest;  ///< while one is tried, the shortest that is taken; else 0
    double step_tolerance;  ///< of what steps of the series leave out
    double series_step;     ///< length of the present step of the series
    double stored;          ///< and of what is stored of it, beside the step its terms are of
    bool by_impulses;       ///< the present step has impulses, forces only as their mean
    double frequency;       ///< a bound on that of all springs in the present step
    double first_frequency; ///< the same before any hardens
    CaromHold hold;
    CaromCollocation collocation;
} CaromFriction;

/// Memory for that many contacts, of which `joined` may be solved for together.
void carom_friction_carve(CaromFriction *f, CaromArena *arena, int bodies, int contacts,
                          int couplings, int joined);

/// Put the friction of a network at the start of a problem. False when W has more blocks than fit.
bool carom_friction_init(struct CaromNetwork *n, const CaromImpactProblem *problem,
                         const CaromMat3 *frames);

/// What counts as rest and as slow at each contact, relative to the energy of the impact.
void carom_friction_set_scales(struct CaromNetwork *n);

/// Velocity change at contact c: sum of W_cd force_d.
CaromVec3 carom_friction_row(const CaromFriction *f, int c, const CaromVec3 *force);
/// The same of the present term of the forces, which only awake contacts have.
CaromVec3 carom_friction_acceleration(const CaromFriction *f, int c);
/// Put the blocks of awake contacts first in every row.
void carom_friction_sort_rows(struct CaromNetwork *n);

/// What normal impulses, one per contact, do to the tangential velocities.
void carom_friction_kick(struct CaromNetwork *n, const double *normal_impulse);
/// Velocities anew from the impulses so far, so that their errors do not add up over the steps.
/// Until it has ended, contacts that are known to keep closed do.
void carom_friction_follow_impulses(struct CaromNetwork *n, bool ended);
/// A contact opens: what its tangential spring held is lost.
void carom_friction_sleep(struct CaromNetwork *n, int c);

/// F_n at present.
double carom_friction_normal_force(const struct CaromNetwork *n, int c);
/// Energy in the tangential springs of a contact [J].
double carom_friction_strain_energy(const struct CaromNetwork *n, int c);
/// Whether a contact changed between slip and stick since this was last asked, and how.
bool carom_friction_has_changed(struct CaromNetwork *n, int c, CaromEventKind *kind);

// ---- Along a step ------------------------------------------------------------------------------

/// Expand the next step, up to where friction changes: by series where the motion is regular, else
/// by collocation. Returns its length; 0 when there is none.
double carom_friction_expand(struct CaromNetwork *n, bool restart);

/// Carry the contacts from `from` to t of a step h. Terms count by `value` at t, and those of a
/// force by `integral` in its impulse meanwhile, in steps.
void carom_friction_advance(struct CaromNetwork *n, double h, double from, double t,
                            const double value[CAROM_NETWORK_ORDER + 1],
                            const double integral[CAROM_NETWORK_ORDER + 1]);
/// Share the impulses in `kick` of contacts at rest anew, so that friction can give them.
void carom_friction_share_impulses(struct CaromNetwork *n);

/// Friction in a step of method `impulse`: `kick` holds the normal impulses of the step, and its
/// tangential ones are found; the normal forces before and after the step are given.
void carom_friction_impulse_step(struct CaromNetwork *n, const double *before, const double *after);

// ---- For that ----------------------------------------------------------------------------------

/// |u_t| close to rest, but for rounding.
static inline double carom_friction_close_speed(const CaromGrip *grip) {
    return (1 / CAROM_LESS) * grip->rest;
}

/// |u_t| of a rigid contact that is too slow for the series: near rest, or close to rounding where
/// it passes by it.
static inline double carom_friction_slow_speed(const CaromGrip *grip) {
    return grip->passes || grip->stops ? carom_friction_close_speed(grip) : grip->near_rest;
}

/// Whether a contact with friction neither rests nor slides well away from rest.
static inline bool carom_friction_is_slow(const CaromGrip *grip) {
    double speed = v2_norm(grip->velocity);
    const double margin = 1.2; // a series that ends at that speed ends just above it
    return grip->friction > 0 && speed > grip->rest &&
           speed <= margin * carom_friction_slow_speed(grip);
}

/// A bound on the fastest angular frequency of the springs of awake contacts.
double carom_friction_frequency(const struct CaromNetwork *n);
/// When sliding would be at rest, were the velocity linear in time; infinite if it does not slow
/// down.
double carom_friction_time_to_rest(const struct CaromNetwork *n, int c);
/// A step through the moment at which one contact comes to rest, where that is near and changes
/// nothing for the others. Returns its length; 0 if there is none.
double carom_stop_step(struct CaromNetwork *n, double frequency);
/// A step that is as short as can be, where no collocation has an answer: impulses by the cone
/// problem. Returns its length; 0 when there are none.
double carom_short_step(struct CaromNetwork *n);
/// The step below which none is looked into: forces are continuous, so what changes within it is
/// misplaced by its square.
double carom_friction_least_step(const struct CaromNetwork *n);

/// All terms of a step of length h, given the law of each contact, in pairs. False when there are
/// none.
bool carom_friction_terms(struct CaromNetwork *n, double h);
/// Put them where others read them, of a step `factor` times as long.
void carom_friction_store_terms(struct CaromNetwork *n, double factor);
/// What a spring that follows lags by, rho d x d', from its terms, for the next pass.
void carom_friction_find_lag(const struct CaromNetwork *n, int c, CaromGripSeries *s);

/// Where slip heads at the start of a step of length h.
CaromVec2 carom_friction_first_direction(const struct CaromNetwork *n, int c, double h);

/// List the unknowns of the laws, and factorise their systems. False where one is singular.
bool carom_hold_prepare(struct CaromNetwork *n);
/// Solve for the unknown terms; the others are in `term`, and directions of slip in `series`. False
/// when no forces keep these contacts at rest.
bool carom_hold_solve(struct CaromNetwork *n);
/// Forces from which the search for the first terms starts: as they are, if that matters.
void carom_hold_start(struct CaromNetwork *n);

/// Take away what is left of the velocities that should vanish, by an impulse.
void carom_hold_stop(struct CaromNetwork *n);

/// First moment of the step, up to `limit`, at which a contact cannot go by its law any longer.
double carom_friction_first_change(const struct CaromNetwork *n, int c, double limit);

/// A step of at most h by Radau collocation of Coulomb's law. Returns its length; 0 when there is
/// no answer.
double carom_collocation_step(struct CaromNetwork *n, double h);

/// Forces of rigid contacts a moment ahead, where sliding ones leave more than one answer: that in
/// which friction takes energy fastest, counted as a choice. Those that let go have none.
bool carom_collocation_choose(struct CaromNetwork *n);

/// Contacts have just become rigid: their forces swing about a new balance, and tangential springs
/// slip where these do not hold them, theory.md (4.16). Or slow contacts have `stopped`: forces
/// jump to a new balance. Forces of rigid contacts are in balance then.
void carom_collocation_cut_springs(struct CaromNetwork *n, bool stopped);

/// Mark the slow contacts that would slide on if they came to rest: they turn or reverse.
void carom_collocation_find_passes(struct CaromNetwork *n);

/// The first moment of a step of the series, from `from` to `end`, at which friction cannot keep
/// the contacts at rest however they share it; infinite if it can.
double carom_friction_first_failure(struct CaromNetwork *n, double from, double end);
/// Whether forces balance, and friction can stop what moves: a cone problem. If so it does:
/// contacts are held for ever.
bool carom_friction_try_stop(struct CaromNetwork *n);

/// Whether the step is one of the collocation, and a rigid contact presses at each of its stages:
/// it does not let go then, however redundant contacts share their forces in between.
bool carom_collocation_presses(const struct CaromNetwork *n, int c);

/// The longest step in which a contact may come to rest from its present speed.
double carom_collocation_reach(const struct CaromNetwork *n, int c);

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
