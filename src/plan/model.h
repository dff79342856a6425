// SPDX-License-Identifier: Apache-2.0
// A batting problem in the frame of its contact, and what every method needs to know about it.
#pragma once
#include "carom/plan.h"
#include "impact/two_body/impulse_map.h"

/// Vectors are in the contact frame where not said otherwise. Notation of theory.md section 7.
typedef struct CaromBatModel {
    CaromMat3 frame;          ///< rows are the axes of the contact in the world
    CaromTwoBody contact;     ///< its velocity is what is looked for
    CaromHodograph hodograph; ///< of the contact
    CaromMat3 response;       ///< M: change of the object's velocity per impulse, world frame
    CaromVec3 line;           ///< from the object's mass centre to the target, world frame
    CaromVec3 velocity;       ///< of the object's mass centre, world frame
    CaromVec3 point_velocity; ///< of the object at the contact, world frame
    CaromVec3 gravity;        ///< world frame
    CaromBatCurve world_curve;
    CaromVec3 curve[3];       ///< impulse(T) = curve[0]/T + curve[1] + curve[2] T, theory.md (7.2)
    double complex rest_rate; ///< tangential per normal impulse of a contact at rest
    double tolerance;         ///< of the impulse map, relative
    int evaluations;          ///< of the impulse map
} CaromBatModel;

#define CAROM_BAT_TIGHT 1e-12 ///< tolerance of a map whose impulse is handed out

/// False where no impulse can change the velocity of the object at will.
bool carom_bat_model_init(CaromBatModel *model, const CaromBatProblem *problem);

/// The impulse that gives a flight time, and how it changes with it.
CaromVec3 carom_bat_impulse(const CaromBatModel *model, double time);
CaromVec3 carom_bat_impulse_slope(const CaromBatModel *model, double time);

/// What comes of a contact velocity.
void carom_bat_evaluate(CaromBatModel *model, CaromVec3 velocity, CaromImpulseMap *map);

/// Solve a x = b for a 3 x 3 matrix; false where it is singular.
bool carom_bat_linear(const CaromMat3 *a, CaromVec3 b, CaromVec3 *x);

// ---- Feasibility -----------------------------------------------------------------------------

/// The flight times whose impulse lies inside the friction cone, theory.md (7.4): open intervals,
/// ascending; returns how many. Without friction they are closed, and single times as a rule.
int carom_bat_intervals(const CaromBatModel *model, double interval[CAROM_BAT_MAX_INTERVALS][2]);

/// Whether some flight time needs a push; if not the target cannot be reached by any impact.
bool carom_bat_can_push(const CaromBatModel *model);

// ---- Flight ----------------------------------------------------------------------------------

/// Velocity of the object's mass centre after an impulse (contact frame), world frame.
CaromVec3 carom_bat_object_velocity(const CaromBatModel *model, CaromVec3 impulse);

/// The least distance from the target of a flight that starts with a velocity, world frame.
double carom_bat_miss(CaromVec3 line, CaromVec3 velocity, CaromVec3 gravity);

/// The highest point of the flight (against gravity) up to a time, from its start.
CaromVec3 carom_bat_apex(CaromVec3 velocity, CaromVec3 gravity, double time);

// ---- Straight sliding ------------------------------------------------------------------------

/// The normal velocity, < 0, of an impact that slides until the normal impulse is t1 and then goes
/// on for t2; a1 and a2 are the rates of the normal velocity. NAN if there is none; `label` may be
/// NULL. theory.md (7.8), (7.9).
double carom_bat_normal_velocity(double t1, double t2, double a1, double a2, double restitution,
                                 CaromBatCase *label);

/// The contact velocity that would give an impulse if the way from its sliding direction to rest
/// were straight: exact where it is, and a first guess elsewhere. theory.md (7.11).
CaromVec3 carom_bat_straight(const CaromBatModel *model, CaromVec3 impulse);

/// [Wang2017, algorithm 4]: every solution along an invariant direction; returns how many.
int carom_bat_closed_forms(const CaromBatModel *model, CaromBatStrike *strikes);

/// The cones of the invariant directions; returns how many.
int carom_bat_cones(const CaromBatModel *model, CaromBatCone *cones);

// ---- The inverse of the impulse map ----------------------------------------------------------

/// A contact velocity on its way to the impulse of a flight time.
typedef struct CaromBatProbe {
    double time;
    CaromVec3 velocity; ///< of the contact
    CaromVec3 wanted;   ///< impulse
    CaromImpulseMap map;
    double error; ///< of the tangential impulse, relative to the normal one
} CaromBatProbe;

/// The contact velocity for a flight time, from a guess or from a given one. False if the error
/// stays above the tolerance. theory.md section 7.5.
bool carom_bat_invert(CaromBatModel *model, double time, double tolerance, CaromBatProbe *probe);
bool carom_bat_invert_from(CaromBatModel *model, double time, CaromVec3 velocity, double tolerance,
                           CaromBatProbe *probe);

/// One more step of Newton's method, not evaluated.
void carom_bat_mend(CaromBatProbe *probe);

/// How the velocity changes with the flight time.
CaromVec3 carom_bat_drift(const CaromBatModel *model, const CaromBatProbe *probe);

/// Where friction can drive the bodies together, not every impulse in the friction cone can be had:
/// keep of the intervals what can, theory.md section 7.6. Returns how many are left.
int carom_bat_reach(CaromBatModel *model, int count, double interval[CAROM_BAT_MAX_INTERVALS][2]);

/// The time at a fraction s of an interval, which may be infinite.
double carom_bat_time_at(const CaromBatModel *model, const double interval[2], double s);

// ---- Choice ----------------------------------------------------------------------------------

/// (v - centre).weight (v - centre) / 2 of the contact velocity.
typedef struct CaromBatCost {
    CaromMat3 weight;
    CaromVec3 centre;
} CaromBatCost;

/// By Newton's method: the choice of the options among the flight times of `result`. `energy` is
/// that of the bat.
CaromBatOutcome carom_bat_choose(CaromBatModel *model, const CaromBatProblem *problem,
                                 const CaromBatCost *energy, const CaromBatOptions *options,
                                 const CaromBatResult *result, CaromBatStrike *strike);

/// The flight of an interval that misses least, and its expected miss.
CaromBatOutcome carom_bat_most_robust(CaromBatModel *model, const CaromBatProblem *problem,
                                      const CaromBatOptions *given, const double interval[2],
                                      CaromBatProbe *probe, double *value);
/// The expected miss of a strike.
double carom_bat_expected_miss(const CaromBatModel *model, const CaromBatProblem *problem,
                               const CaromBatOptions *options, const CaromBatStrike *strike);

/// CAROM_OK, or a message about a problem that cannot be planned.
CaromStatus carom_bat_refuse(const CaromBat *bat, const CaromBatProblem *problem,
                             const CaromBatOptions *options);
/// Whether a strike that the caller gave is one; else a message.
bool carom_bat_strike_is_sound(const CaromBat *bat, const CaromBatStrike *strike);
/// The host of the planner.
const CaromHost *carom_bat_host(const CaromBat *bat);

// ---- Triangles -------------------------------------------------------------------------------

/// [Wang2017, algorithm 5 and section 4.4.4]; fills in the strike and the miss it ends with.
CaromBatOutcome carom_bat_triangle(CaromBatModel *model, const CaromBatOptions *options,
                                   CaromBatResult *result);

// ---- The bat ---------------------------------------------------------------------------------

/// The energy of the bat as a function of the contact velocity.
CaromBatCost carom_bat_energy(const CaromBatModel *model, const CaromBatProblem *problem,
                              bool spin_given);

/// NULL, or why the bat cannot be swung.
const char *carom_bat_swing_fault(const CaromBatProblem *problem, bool spin_given);

/// The motion of least energy that moves the contact point so, and the one with the given spin.
CaromBatSwing carom_bat_least_energy(const CaromBatProblem *problem, CaromVec3 point_velocity);
CaromBatSwing carom_bat_given_spin(const CaromBatProblem *problem, CaromVec3 point_velocity);
