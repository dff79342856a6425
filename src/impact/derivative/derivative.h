// SPDX-License-Identifier: Apache-2.0
// Tangents: how an impact changes with its data, carried along while it is solved. theory.md
// section 14.
#pragma once
#include "base/host.h"
#include "base/vec.h"
#include "carom/impact.h"
#include "impact/contact.h"
#include "impact/network/radau.h"

struct CaromNetwork;
struct CaromHodograph;

/// Events of the path of one contact that are kept; a path has up to six, but for restarts of
/// compression.
enum { CAROM_TANGENT_NOTES = 16 };

typedef struct CaromTangentNote {
    CaromEventKind kind;
    CaromContactState state;
} CaromTangentNote;

/// A contact at a stage of a step.
typedef struct CaromTangentStage {
    double normal;   ///< F_n
    double slope;    ///< dF_n/ddelta
    CaromVec2 along; ///< d
    CaromVec2 side;  ///< d'
    CaromVec2 velocity;
    CaromVec2 stretch;
    CaromVec2 force; ///< F_t
} CaromTangentStage;

/// Where the stages of a step are cut into pieces: towards a place beyond its end where directions
/// are singular, and from which it keeps `fade` of its distance, stages come ever closer. x from 0
/// to 1 is the step from 0 to `end`.
typedef struct CaromTangentClock {
    double end, fade;
} CaromTangentClock;

/// What is known of every contact and column.
typedef enum CaromTangentField {
    CAROM_TANGENT_START,                                ///< velocity before the impact, 3
    CAROM_TANGENT_IMPULSE = CAROM_TANGENT_START + 3,    ///< P, 3
    CAROM_TANGENT_VELOCITY = CAROM_TANGENT_IMPULSE + 3, ///< u, 3; as of the last call of _follow
    CAROM_TANGENT_STRETCH = CAROM_TANGENT_VELOCITY + 3, ///< z of a tangential spring, 2
    CAROM_TANGENT_COMPRESSION = CAROM_TANGENT_STRETCH + 2,
    CAROM_TANGENT_STIFFNESS,   ///< k, as hardened so far
    CAROM_TANGENT_GRIP,        ///< k_t
    CAROM_TANGENT_FRICTION,    ///< mu
    CAROM_TANGENT_RESTITUTION, ///< e
    CAROM_TANGENT_RETAINED,    ///< energy that mono-stiffness keeps
    CAROM_TANGENT_LOSS,        ///< by restitution
    CAROM_TANGENT_WORK,        ///< done against friction
    CAROM_TANGENT_START_TIME,  ///< when friction of a contact that sticks comes to its bound
    CAROM_TANGENT_FIELDS,
} CaromTangentField;

typedef struct CaromJacobian {
    double side[2][3][6]; ///< velocity at the contact per twist of either body, contact frame
} CaromJacobian;

/// Room of the linear systems: of a step, of a phase of a rigid model.
typedef struct CaromTangentSystem {
    size_t room;     ///< entries of `matrix`
    double *matrix;  ///< row by row
    int *pivot;      ///< 2 for each row
    double *scale;   ///< 2 for each row
    double *right;   ///< right sides, row by row: the columns of a row stand side by side
    double *column;  ///< one of those
    int *unknown;    ///< 3 c + component
    CaromVec3 *axis; ///< of contacts at rest: what does not move
    CaromVec3 *unit; ///< and the impulse of an unknown
    int most;        ///< rows that fit
} CaromTangentSystem;

typedef struct CaromTangent {
    int room;     ///< columns that fit
    int columns;  ///< asked for; 0 if none are
    int contacts; ///< of the problem
    const CaromImpactProblem *problem;
    const CaromMat3 *frames;
    const CaromDerivativeColumn *asked;
    // W in blocks, row by row.
    int *body_start, *body_contact;
    int *start, *column, capacity;
    CaromMat3 *block;
    CaromJacobian *jacobian;
    CaromJacobian *response; ///< A J^T of each side, transposed
    // Columns that change W: `slot` counts them, -1 for the others.
    int *slot, *of_slot, slots;
    bool *touched;                       ///< whether a slot changes the row of a contact
    CaromMat3 *change;                   ///< of block e by slot g, at g * capacity + e
    double *field[CAROM_TANGENT_FIELDS]; ///< contact by contact, columns side by side
    // Of a step.
    double *terms;             ///< of series: five quantities of every contact
    double *pushed;            ///< impulses of the step
    double *scratch;           ///< one number for each column
    CaromVec3 *force;          ///< of the contacts at the stages
    CaromTangentStage *stages; ///< of each contact in a step
    CaromVec3 *known_impulse;  ///< of rigid models, so far
    CaromVec3 *known;          ///< velocity changes at the stages by dW, of each column
    int *place;                ///< of an awake contact among the awake ones
    double *solved;            ///< forces of awake contacts at the stages
    double last_span;          ///< time per share of the last piece, at its end
    double *sums;              ///< of awake contacts: six sums of these over the stages
    CaromVec3 *kick;           ///< impulses of a projection
    int *first;                ///< first unknown of each contact, -1 if it has none
    bool *rests;               ///< contacts that were held along the surface in the last step
    CaromTangentSystem system;
    // Of one contact: the events of its path, and who else wants to see them.
    CaromTangentNote notes[CAROM_TANGENT_NOTES];
    int note_count; ///< more than fit if there were more
    CaromObserveFn *shown_to;
    void *shown_user;
    // Of events.
    CaromVec3 *last_force;      ///< of each contact at the end of the last step, before its events
    CaromVec2 *last_stretching; ///< z' of its spring along the surface, likewise
    double *moment;             ///< by how much the time of the last event changes
    int triggers;               ///< events since then whose time that is
    int openings;               ///< likewise of springs, whose forces do not jump
    bool *was_rigid;            ///< in the last step
    int *held, held_rows;       ///< what was held in the last step
    bool redundant;             ///< and whether in more than one way
    int *instead;      ///< the unknown that an equation says to be zero, -1: it says its own
    int *order;        ///< 2 for each row of a system
    int *first_held;   ///< first row of each contact among those at rest, -1 if it has none
    bool *shared;      ///< contacts that share forces in more than one way
    bool *mu_varies;   ///< whether a column changes the friction of a contact
    bool *k_varies;    ///< the same of its stiffness
    double *turned;    ///< how far the direction of a spring that slips has converged
    CaromVec2 *frozen; ///< direction of a spring whose contact is about to open, else 0
    bool *gone;        ///< rigid contacts that have no force in this step
    int *law;          ///< of each contact in the last step
    double *changed;   ///< when that last changed
    double *speed;     ///< of slip at the start of the last step
    bool *slows;       ///< and whether that was less than before
    int collocations;  ///< that the network had made when it was last asked
    bool failed;       ///< a system was too large, or had no answer
    // What is told.
    CaromDerivative *told;
    CaromTwist *twists;
    CaromContactDerivative *results;
} CaromTangent;

/// Memory for so many columns; none for 0.
void carom_tangent_carve(CaromTangent *t, CaromArena *arena, const CaromImpactLimits *limits,
                         int couplings, int joined);

/// CAROM_OK, or a status and a message that names the column.
CaromStatus carom_tangent_check(const CaromTangent *t, const CaromImpactProblem *problem,
                                const CaromImpactOptions *options, const CaromHost *host);

/// Set out for a problem. False when W has more blocks than fit.
bool carom_tangent_init(CaromTangent *t, const CaromImpactProblem *problem, const CaromMat3 *frames,
                        const CaromImpactOptions *options);

/// Derivatives of bodies and contacts from those of the impulses. `contacts` and `wrenches` are
/// those of the result.
void carom_tangent_conclude(CaromTangent *t, const CaromContactResult *contacts,
                            const CaromSix *wrenches);
/// All columns are zero and not derived.
void carom_tangent_give_up(CaromTangent *t);

// ---- For those who carry them ------------------------------------------------------------------

/// The columns of a field of contact c.
static inline double *carom_tangent_at(const CaromTangent *t, int field, int c) {
    return t->field[field] + (size_t)c * (size_t)t->room;
}

/// Velocities from impulses: du = du_0 + dW P + W dP, into CAROM_TANGENT_VELOCITY.
void carom_tangent_follow(CaromTangent *t, const CaromVec3 *impulse);

/// Whether a column that changes W does so in the row of contact c.
static inline bool carom_tangent_touches(const CaromTangent *t, int q, int c) {
    return t->touched[(size_t)t->slot[q] * (size_t)t->contacts + (size_t)c];
}

/// (dW F)_c by column q, which changes W.
CaromVec3 carom_tangent_change_row(const CaromTangent *t, int q, int c, const CaromVec3 *force);

/// The column is not smooth at a contact: what it says holds where the change of `value` there is
/// as it should be.
void carom_tangent_mark(CaromTangent *t, int q, CaromSmoothness why, int contact, int side);
/// The same for all columns.
void carom_tangent_mark_all(CaromTangent *t, CaromSmoothness why);
/// Columns by the restitution of a contact that is at 0 or 1, and cannot be less or more.
void carom_tangent_mark_restitution(CaromTangent *t, int c, CaromSmoothness at_zero,
                                    CaromSmoothness at_one);

// ---- One contact -------------------------------------------------------------------------------

/// The tangents of one contact whose sliding never turns. False if it is another.
bool carom_tangent_straight(CaromTangent *t, bool isotropic);
/// An observer that keeps the events of the path of one contact; `user` is the CaromTangent.
void carom_tangent_note(void *user, const CaromImpactMoment *moment);
/// The tangents of one contact that slides first, from the events of its path. False if they have
/// to be found another way: it starts at rest, or grazes, or two events coincide.
bool carom_tangent_slide(CaromTangent *t, const struct CaromHodograph *hodograph);

// ---- Networks ----------------------------------------------------------------------------------

/// The materials of a network at its start, and which columns are not smooth there.
void carom_tangent_start(struct CaromNetwork *n);
/// Carry the tangents from the start of the present step, of length h, to t of it.
void carom_tangent_step(struct CaromNetwork *n, double h, double t);
/// Events, before the network itself passes them: the end of compression with what is kept of the
/// energy; mono-stiffness that retains some of it; a contact that opens; one that becomes rigid.
void carom_tangent_harden(struct CaromNetwork *n, int c);
void carom_tangent_retain(struct CaromNetwork *n, int c);
void carom_tangent_sleep(struct CaromNetwork *n, int c);
void carom_tangent_hold(struct CaromNetwork *n, int c);
/// Compliant contacts have become rigid as they started anew: with derivatives their springs are
/// where they would be without that.
void carom_tangent_leave_out(struct CaromNetwork *n);
/// A rigid contact has become a spring that gives its force.
void carom_tangent_yield(struct CaromNetwork *n, int c);
/// All contacts are about to sleep: those that came to rest last.
void carom_tangent_settle(struct CaromNetwork *n);
/// What the network made of the columns, once it is over.
void carom_tangent_finish(struct CaromNetwork *n);

// ---- For that ----------------------------------------------------------------------------------

/// dE of the strain energy E = k delta^(p+1)/(p+1), by column q.
double carom_tangent_energy(const struct CaromNetwork *n, int c, int q);
/// An impulse of all columns at a contact, in `kick` order: impulses and velocities.
void carom_tangent_kick(CaromTangent *t, int c, const CaromVec3 *kick);
/// A force that ends, or a part of it, at a time which changes by `moment`: impulse and work.
void carom_tangent_end_force(struct CaromNetwork *n, int c, CaromVec3 force);
/// Keep the forces at that place of the step, which is its end.
void carom_tangent_note_forces(struct CaromNetwork *n, double end);
/// Events at the end of the last step: a contact that turned does so at the same time.
void carom_tangent_shift(struct CaromNetwork *n);
/// Forces that have jumped since then.
void carom_tangent_jump(struct CaromNetwork *n);
/// Whether a rigid contact has no force up to `end` of the step.
bool carom_tangent_lets_go(const struct CaromNetwork *n, int c, double end);
/// The force of contact c that would store all energy of the impact.
double carom_tangent_force_scale(const struct CaromNetwork *n, int c);
/// The force of an awake contact at t of the step.
CaromVec3 carom_tangent_force(const struct CaromNetwork *n, int c, double t);
/// An awake contact at t of the step.
CaromTangentStage carom_tangent_stage(const struct CaromNetwork *n, int c, double t);
/// Whether the spring of a contact that opens keeps its angle for the rest of the time.
bool carom_tangent_is_frozen(const struct CaromNetwork *n, int c);
/// A piece of the present step, of length h, by collocation of the linearised laws along its
/// polynomials.
void carom_tangent_carry(struct CaromNetwork *n, double h, CaromTangentClock clock, double from,
                         double to);
/// Component k of the change of the force of an awake contact at the end of the last piece.
const double *carom_tangent_last_change(const CaromTangent *t, int c, int k);
/// The rate of that of the normal force, by column q.
double carom_tangent_last_rate(const CaromTangent *t, int c, int q);
/// Whether friction of a contact that sticks is close to its bound at that force.
bool carom_tangent_leans(const struct CaromNetwork *n, int c, CaromVec3 force);
/// Any step, piece by piece.
void carom_tangent_collocate(struct CaromNetwork *n, double h, double t);
/// Solve the system of so many rows, of any rank, for all columns, in place of the right sides.
/// The unknowns of a row are those of its number modulo `per_stage`.
void carom_tangent_solve(CaromTangent *t, int rows, int per_stage);
/// The same from factors of that rank.
void carom_tangent_solve_of_rank(CaromTangent *t, int rows, int rank);
/// List what is held in this step: normals of rigid contacts, surfaces of those that stick. Returns
/// how many rows that are.
int carom_tangent_held(struct CaromNetwork *n);
/// Factorise what their impulses do to their velocities. Returns its rank.
int carom_tangent_factorise_held(struct CaromNetwork *n, int rows);
void carom_tangent_rest(struct CaromNetwork *n);
void carom_tangent_rest_across(struct CaromNetwork *n);
/// Where slip heads at the start of the step, of any length; zero if it does not slide.
CaromVec2 carom_tangent_heading(const struct CaromNetwork *n, int c);
/// Whether slip is at rest but for what a step carries it through.
bool carom_tangent_is_at_rest(const struct CaromNetwork *n, int c);

// ---- Rigid models ------------------------------------------------------------------------------

struct CaromRigid;
struct CaromRigidFriction;

/// What determines the normal impulses of a phase.
typedef enum CaromRigidRule {
    CAROM_RULE_PLASTIC,   ///< contacts are stopped
    CAROM_RULE_NEWTON,    ///< they leave with e of their approach
    CAROM_RULE_DOUBLE,    ///< twice what stops them
    CAROM_RULE_EXPANSION, ///< e of the phase before, or more where it takes more to part
    CAROM_RULE_GIVEN,     ///< e of the phase before
} CaromRigidRule;

/// A phase without friction: impulses of it, velocities before it, impulses with it, in the units
/// of `r`.
void carom_tangent_rigid(struct CaromRigid *r, const double *part, const double *before,
                         const double *impulse, CaromRigidRule rule);
/// All impulses so far become 1 + e times as large.
void carom_tangent_scale(struct CaromRigid *r, const double *impulse);
/// Losses from the impulses of the whole.
void carom_tangent_conclude_rigid(struct CaromRigid *r);
/// Columns by materials that are at their bound. Contacts that are stopped without restitution have
/// other impacts with a little, but not by Newton's law, nor a single one.
void carom_tangent_mark_rigid(CaromTangent *t, bool newton);
/// A phase with friction, before it is added to `r`.
void carom_tangent_rigid_friction(struct CaromRigidFriction *r);
