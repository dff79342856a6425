// SPDX-License-Identifier: Apache-2.0
// The planner: checks a batting problem, says whether it can be solved, solves and verifies it.
#include "base/dense.h"
#include "base/elementary.h"
#include "base/host.h"
#include "base/text.h"
#include "base/vec.h"
#include "contact/inertia.h"
#include "impact/problem.h"
#include "plan/model.h"

#include <float.h>

struct CaromBat {
    CaromHost host;
    CaromImpact *impact; ///< for verification
};

const CaromHost *carom_bat_host(const CaromBat *bat) {
    return &bat->host;
}

CAROM_DEFINE_TEXT(carom_bat_method_text, CaromBatMethod, CAROM_BAT_METHOD_LIST)
CAROM_DEFINE_TEXT(carom_bat_choice_text, CaromBatChoice, CAROM_BAT_CHOICE_LIST)
CAROM_DEFINE_TEXT(carom_bat_outcome_text, CaromBatOutcome, CAROM_BAT_OUTCOME_LIST)
CAROM_DEFINE_TEXT(carom_bat_case_text, CaromBatCase, CAROM_BAT_CASE_LIST)

const char *carom_bat_reason(CaromBatOutcome value) {
    if ((unsigned)value > CAROM_BAT_NOT_CONVERGED) {
        return "unknown";
    }
    static const char *const reasons[] = {
        [CAROM_BAT_SOLVED] = "the object goes through the target",
        [CAROM_BAT_MUST_PULL] =
            "the target cannot be reached: whatever the flight, the bat would have to pull",
        [CAROM_BAT_OUTSIDE_CONE] = "the solution curve does not enter the friction cone",
        [CAROM_BAT_DRIVEN_TOGETHER] =
            "the target cannot be reached: friction drives the bodies together first",
        [CAROM_BAT_WRONG_TIME] = "the target can be reached, but not with this flight time",
        [CAROM_BAT_TOO_FAST] = "the target can be reached, but not within the speed limit",
        [CAROM_BAT_NO_LEAST] =
            "a slower flight always costs less, so there is no least: give a flight time",
        [CAROM_BAT_NO_CLOSED_FORM] =
            "the target can be reached, but no straight sliding does it: try \"newton\"",
        [CAROM_BAT_NO_TRIANGLE] = "no triangle of flights around the target was found",
        [CAROM_BAT_NOT_CONVERGED] = "stopped before the target was reached",
    };
    return reasons[value];
}

CaromBatProblem carom_bat_problem_default(void) {
    return (CaromBatProblem){.material = carom_material_default(), .gravity = {0, 0, -9.8}};
}

CaromBatOptions carom_bat_options_default(void) {
    return (CaromBatOptions){.size = sizeof(CaromBatOptions),
                             .speed_limit = INFINITY,
                             .accuracy = 0.15,
                             .seed = 1,
                             .scatter = carom_bat_scatter_default()};
}

CaromStatus carom_bat_create(const CaromHost *host, CaromBat **bat) {
    CAROM_REQUIRE(host, bat);
    const CaromHost plain = {0};
    host = host != NULL ? host : &plain;
    CaromBat *made = carom_allocate(host, sizeof *made);
    if (made == NULL) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromBat){.host = *host};
    CaromImpactLimits limits = {.bodies = 2, .contacts = 1, .host = *host};
    CaromStatus status = carom_impact_create(&limits, &made->impact);
    if (status != CAROM_OK) {
        carom_release(host, made);
        return status;
    }
    *bat = made;
    return CAROM_OK;
}

void carom_bat_destroy(CaromBat *bat) {
    if (bat != NULL) {
        CaromHost host = bat->host;
        carom_impact_destroy(bat->impact);
        carom_release(&host, bat);
    }
}

CaromVec3 carom_bat_curve_at(const CaromBatCurve *curve, double time) {
    if (curve == NULL) {
        return (CaromVec3){0};
    }
    return v3_axpy(time, curve->times_time, v3_axpy(1 / time, curve->over_time, curve->constant));
}

// ---- Checks ----------------------------------------------------------------------------------

/// What is wrong, and where; `text` is NULL where nothing is.
typedef struct Fault {
    const char *place, *text;
} Fault;

static Fault options_fault(const CaromBatOptions *options) {
    if ((unsigned)options->method > CAROM_BAT_NEWTON) {
        return (Fault){"method", "no such method"};
    }
    if ((unsigned)options->choice > CAROM_BAT_ROBUST) {
        return (Fault){"choice", "no such choice"};
    }
    bool apex =
        options->choice == CAROM_BAT_HIGHEST_APEX || options->choice == CAROM_BAT_LOWEST_APEX;
    if (!(options->speed_limit > 0)) {
        return (Fault){"speed_limit", "must be > 0"};
    }
    if (apex && !(options->speed_limit < INFINITY)) {
        return (Fault){"speed_limit", "is needed for the highest or lowest apex"};
    }
    if (options->choice == CAROM_BAT_FLIGHT_TIME &&
        !(options->flight_time > 0 && options->flight_time <= CAROM_LARGEST)) {
        return (Fault){"flight_time", "must be > 0, at most 1e60"};
    }
    const CaromBatScatter *scatter = &options->scatter;
    const double sizes[4] = {scatter->friction, scatter->restitution, scatter->point,
                             scatter->velocity};
    for (int i = 0; i < 4; i++) {
        if (!(sizes[i] >= 0 && sizes[i] <= CAROM_LARGEST)) {
            return (Fault){"scatter", "must be >= 0, at most 1e60"};
        }
    }
    if (!(options->accuracy > 0)) {
        return (Fault){"accuracy", "must be > 0"};
    }
    for (int i = 0; options->start_given && i < 3; i++) {
        if (!carom_is_usable(options->start[i])) {
            return (Fault){"start", "must be finite, at most 1e60"};
        }
    }
    return (Fault){"", NULL};
}

static Fault contact_fault(const CaromBatProblem *problem) {
    const CaromMaterial *m = &problem->material;
    if (!carom_is_usable(problem->point)) {
        return (Fault){"point", "must be finite, at most 1e60"};
    }
    if (!(fabs(v3_norm(problem->normal) - 1) <= 1e-6)) {
        return (Fault){"normal", "must have length 1"};
    }
    if (!(m->restitution >= 0 && m->restitution <= 1)) {
        return (Fault){"restitution", "must be in [0, 1]"};
    }
    if (!(m->friction >= 0 && m->friction <= CAROM_LARGEST)) {
        return (Fault){"friction", "must be in [0, 1e60]"};
    }
    double got = 0;
    return (Fault){"material", carom_material_fault(m, &got)};
}

/// On the way the model is made.
static Fault problem_fault(const CaromBatProblem *problem, bool spin_given, CaromBatModel *model) {
    Fault object = {"object", carom_body_fault(&problem->object)};
    Fault bat = {"bat", carom_body_fault(&problem->bat)};
    if (object.text != NULL || bat.text != NULL) {
        return object.text != NULL ? object : bat;
    }
    if (!carom_is_usable(problem->target)) {
        return (Fault){"target", "must be finite, at most 1e60"};
    }
    if (!carom_is_usable(problem->gravity)) {
        return (Fault){"gravity", "must be finite, at most 1e60"};
    }
    Fault contact = contact_fault(problem);
    if (contact.text != NULL) {
        return contact;
    }
    if (!carom_bat_model_init(model, problem)) {
        return (Fault){"object", "an impulse at the contact must be able to change its velocity "
                                 "at will"};
    }
    return (Fault){"bat", carom_bat_swing_fault(problem, spin_given)};
}

static Fault find_fault(const CaromBatProblem *problem, const CaromBatOptions *options,
                        CaromBatModel *model) {
    Fault fault = problem_fault(problem, options->spin_given, model);
    return fault.text != NULL ? fault : options_fault(options);
}

bool carom_bat_check(const CaromBatProblem *problem, const CaromBatOptions *options,
                     const char **place, const char **fault) {
    if (problem == NULL || place == NULL || fault == NULL) {
        return false;
    }
    CaromBatOptions chosen = carom_bat_options_default();
    if (carom_settings_take(&chosen, options, "options", NULL) != CAROM_OK) {
        *place = "options.size";
        *fault = "made for another version of Carom";
        return false;
    }
    options = &chosen;
    CaromBatModel model;
    Fault found = find_fault(problem, options, &model);
    *place = found.place;
    *fault = found.text;
    return found.text == NULL;
}

bool carom_bat_strike_is_sound(const CaromBat *bat, const CaromBatStrike *strike) {
    bool sound = carom_is_usable(strike->contact_velocity) && carom_is_usable(strike->impulse) &&
                 strike->flight_time > 0 && strike->flight_time <= CAROM_LARGEST;
    if (!sound) {
        carom_log(&bat->host, "strike: must be finite, with a flight time > 0");
    }
    return sound;
}

/// The model of a sound problem; else the fault goes to the log.
static CaromStatus prepare(const CaromBat *bat, const CaromBatProblem *problem,
                           const CaromBatOptions *options, CaromBatModel *model) {
    Fault fault = find_fault(problem, options, model);
    if (fault.text != NULL) {
        carom_log(&bat->host, "%s: %s", fault.place, fault.text);
        return CAROM_BAD_DATA;
    }
    if (problem->material.tangential != CAROM_TANGENTIAL_RIGID) {
        carom_log(&bat->host, "tangential: this version plans with rigid contacts only");
        return CAROM_UNSUPPORTED;
    }
    return CAROM_OK;
}

CaromStatus carom_bat_refuse(const CaromBat *bat, const CaromBatProblem *problem,
                             const CaromBatOptions *options) {
    CaromBatModel model;
    return prepare(bat, problem, options, &model);
}

// ---- Solve -----------------------------------------------------------------------------------

/// What is possible.
static void survey(CaromBatModel *model, CaromBatResult *result) {
    result->curve = model->world_curve;
    const CaromHodograph *g = &model->hodograph;
    result->inverse_inertia_contact_frame = model->contact.w;
    result->every_direction_invariant = g->isotropic;
    result->cone_count = carom_bat_cones(model, result->cones);
    result->interval_count = carom_bat_intervals(model, result->interval);
    result->outcome = CAROM_BAT_SOLVED;
    if (result->interval_count == 0) {
        result->outcome = carom_bat_can_push(model) ? CAROM_BAT_OUTSIDE_CONE : CAROM_BAT_MUST_PULL;
    } else if (!(model->contact.w.m[2][2] - g->friction * cplx_abs(g->d) > 0)) {
        result->interval_count = carom_bat_reach(model, result->interval_count, result->interval);
        result->outcome = result->interval_count > 0 ? CAROM_BAT_SOLVED : CAROM_BAT_DRIVEN_TOGETHER;
    }
    result->feasible = result->interval_count > 0;
    result->closed_form_count = carom_bat_closed_forms(model, result->closed_forms);
}

/// The closed form that suits the choice best. Where every direction is invariant the guess of the
/// search is a closed form, and the search need not be told apart from it.
static CaromBatOutcome choose_closed_form(const CaromBatProblem *problem,
                                          const CaromBatOptions *options, CaromBatCost energy,
                                          const CaromBatModel *model, CaromBatResult *result) {
    CaromBatOutcome outcome = CAROM_BAT_NO_CLOSED_FORM;
    double best = INFINITY;
    for (int i = 0; i < result->closed_form_count; i++) {
        const CaromBatStrike *s = &result->closed_forms[i];
        CaromVec3 off = v3_sub(m3_mul(&model->frame, s->contact_velocity), energy.centre);
        const double value[] = {
            [CAROM_BAT_LEAST_SPEED] = v3_norm(s->contact_velocity),
            [CAROM_BAT_LEAST_ENERGY] = v3_dot(off, m3_mul(&energy.weight, off)),
            [CAROM_BAT_FLIGHT_TIME] = fabs(s->flight_time - options->flight_time),
            [CAROM_BAT_HIGHEST_APEX] = -s->flight_time,
            [CAROM_BAT_LOWEST_APEX] = s->flight_time,
            [CAROM_BAT_ROBUST] = options->choice == CAROM_BAT_ROBUST
                                     ? carom_bat_expected_miss(model, problem, options, s)
                                     : 0,
        };
        bool wrong_time = options->choice == CAROM_BAT_FLIGHT_TIME &&
                          value[CAROM_BAT_FLIGHT_TIME] > 1e-9 * options->flight_time;
        bool too_fast = v3_norm(s->contact_velocity) > options->speed_limit;
        if (!wrong_time && !too_fast && value[options->choice] < best) {
            best = value[options->choice];
            result->strike = *s;
            outcome = CAROM_BAT_SOLVED;
        }
    }
    return outcome;
}

static void find_strike(CaromBatModel *model, const CaromBatProblem *problem,
                        const CaromBatOptions *options, CaromBatResult *result) {
    CaromBatCost energy = {0};
    if (options->choice == CAROM_BAT_LEAST_ENERGY) {
        energy = carom_bat_energy(model, problem, options->spin_given);
    }
    bool closed_form = result->method == CAROM_BAT_CLOSED_FORM;
    result->strike.cone = -1;
    if (closed_form && !result->every_direction_invariant) {
        result->outcome = choose_closed_form(problem, options, energy, model, result);
    } else if (closed_form || result->method == CAROM_BAT_NEWTON) {
        result->outcome =
            carom_bat_choose(model, problem, &energy, options, result, &result->strike);
    } else {
        result->outcome = carom_bat_triangle(model, options, result);
    }
}

/// Everything that follows from the strike.
static void follow(const CaromBatModel *model, const CaromBatProblem *problem,
                   const CaromBatOptions *options, CaromBatResult *result) {
    const CaromBatStrike *strike = &result->strike;
    CaromVec3 impulse = m3_mul(&model->frame, strike->impulse);
    CaromVec3 arm = v3_sub(problem->point, problem->object.position);
    CaromSix change = carom_body_response(&problem->object, six_wrench(arm, strike->impulse));
    result->object = (CaromTwist){
        v3_add(problem->object.velocity, change.linear),
        v3_add(problem->object.angular_velocity, change.angular),
    };
    double friction = model->contact.friction;
    result->friction_margin =
        friction > 0 ? 1 - norm2(impulse.x, impulse.y) / (friction * impulse.z) : 0;
    result->apex =
        v3_add(problem->object.position,
               carom_bat_apex(result->object.velocity, problem->gravity, strike->flight_time));
    result->miss = carom_bat_miss(model->line, result->object.velocity, problem->gravity);
    result->contact_point_velocity = v3_sub(model->point_velocity, strike->contact_velocity);
    result->least_energy = carom_bat_least_energy(problem, result->contact_point_velocity);
    if (options->spin_given) {
        result->given_spin = carom_bat_given_spin(problem, result->contact_point_velocity);
    }
}

CaromStatus carom_bat_solve(CaromBat *bat, const CaromBatProblem *problem,
                            const CaromBatOptions *options, CaromBatResult *result) {
    CAROM_REQUIRE(NULL, bat);
    CAROM_REQUIRE(&bat->host, problem);
    CAROM_REQUIRE(&bat->host, result);
    CaromBatOptions chosen = carom_bat_options_default();
    CaromBatModel model;
    CaromStatus status = carom_settings_take(&chosen, options, "options", &bat->host);
    options = &chosen;
    if (status == CAROM_OK) {
        status = prepare(bat, problem, options, &model);
    }
    if (status != CAROM_OK) {
        return status;
    }
    CaromBatResult found = {.method = options->method == CAROM_BAT_AUTO ? CAROM_BAT_NEWTON
                                                                        : options->method};
    survey(&model, &found);
    if (found.feasible) {
        find_strike(&model, problem, options, &found);
    }
    if (v3_norm(found.strike.impulse) > 0) {
        follow(&model, problem, options, &found);
    }
    found.evaluations = model.evaluations;
    *result = found;
    return CAROM_OK;
}

// ---- Verification ----------------------------------------------------------------------------

CaromStatus carom_bat_verify(CaromBat *bat, const CaromBatProblem *problem,
                             const CaromBatSwing *swing, CaromImpactResult *impact, double *miss) {
    CAROM_REQUIRE(NULL, bat);
    CAROM_REQUIRE(NULL, problem);
    CAROM_REQUIRE(NULL, swing);
    CAROM_REQUIRE(NULL, impact);
    CAROM_REQUIRE(NULL, miss);
    if (!carom_is_usable(problem->target) || !carom_is_usable(problem->gravity)) {
        carom_log(&bat->host, "target and gravity: must be finite, at most 1e60");
        return CAROM_BAD_DATA;
    }
    CaromBody swung = problem->bat;
    swung.velocity = swing->twist.velocity;
    swung.angular_velocity = swing->twist.angular_velocity;
    const CaromBody bodies[2] = {problem->object, swung};
    CaromContact contact = {.body = {0, 1},
                            .point = problem->point,
                            .normal = problem->normal,
                            .material = problem->material};
    CaromImpactProblem collision = {2, bodies, 1, &contact};
    CaromImpactOptions options = carom_impact_options_default();
    options.method = CAROM_SPRINGS_INTEGRATE;
    options.tolerance = 1e-12;
    CaromStatus status = carom_impact_solve(bat->impact, &collision, &options, impact);
    if (status == CAROM_OK) {
        CaromVec3 line = v3_sub(problem->target, problem->object.position);
        *miss = carom_bat_miss(line, impact->bodies[0].velocity, problem->gravity);
    }
    return status;
}

// ---- Sensitivity -----------------------------------------------------------------------------

/// How the crossing of the plane answers to a change of the velocity after the impact. With n along
/// the line to the target and V the velocity there, dP = T (1 - V n^T/(n.V)) dV; theory.md (7.17).
static CaromVec3 crossing_change(const CaromBatModel *model, double time, CaromVec3 arriving,
                                 CaromVec3 change) {
    CaromVec3 n = model->line;
    double along = v3_dot(n, change) / v3_dot(n, arriving);
    return v3_scale(time, v3_axpy(-along, arriving, change));
}

static CaromVec3 velocity_change(const CaromBatModel *model, CaromVec3 impulse) {
    return m3_mul(&model->response, m3_tmul(&model->frame, impulse));
}

/// Central differences of the impulse by the friction, with a step and with half of it.
static CaromVec3 by_friction(const CaromBatModel *model, CaromVec3 velocity, double *error) {
    CaromVec3 slope[2];
    double friction = model->contact.friction;
    for (int k = 0; k < 2; k++) {
        double step = friction * ldexp(1e-3, -k);
        CaromVec3 impulse[2];
        for (int side = 0; side < 2; side++) {
            CaromBatModel other = *model;
            CaromImpulseMap map;
            other.contact.friction = friction + (side == 0 ? -step : step);
            carom_hodograph_init(&other.hodograph, &other.contact.w, other.contact.friction);
            carom_bat_evaluate(&other, velocity, &map);
            impulse[side] = map.impulse;
        }
        slope[k] = v3_scale(0.5 / step, v3_sub(impulse[1], impulse[0]));
    }
    // The error is of second order: four thirds of the finer less a third of the coarser.
    CaromVec3 best = v3_axpy(1.0 / 3, v3_sub(slope[1], slope[0]), slope[1]);
    *error = v3_norm(v3_sub(slope[1], slope[0])) / fmax(v3_norm(best), DBL_MIN);
    return best;
}

/// The square root of the largest eigenvalue of m^T m.
static double largest_singular_value(const CaromMat3 *m) {
    CaromMat3 transposed = m3_transpose(m);
    CaromMat3 square = m3_mul3(&transposed, m);
    double values[3];
    carom_symmetric_eigen(3, &square.m[0][0], values, NULL);
    return sqrt(fmax(values[2], 0));
}

CaromStatus carom_bat_sensitivity(CaromBat *bat, const CaromBatProblem *problem,
                                  const CaromBatStrike *strike, CaromBatSensitivity *sensitivity) {
    CAROM_REQUIRE(NULL, bat);
    CAROM_REQUIRE(&bat->host, problem);
    CAROM_REQUIRE(&bat->host, strike);
    CAROM_REQUIRE(&bat->host, sensitivity);
    if (!carom_bat_strike_is_sound(bat, strike)) {
        return CAROM_BAD_DATA;
    }
    CaromBatOptions options = carom_bat_options_default();
    CaromBatModel model;
    CaromStatus status = prepare(bat, problem, &options, &model);
    if (status != CAROM_OK) {
        return status;
    }
    CaromVec3 velocity = m3_mul(&model.frame, strike->contact_velocity);
    CaromImpulseMap map;
    carom_bat_evaluate(&model, velocity, &map);
    CaromVec3 after = carom_bat_object_velocity(&model, map.impulse);
    double time = strike->flight_time;
    CaromVec3 arriving = v3_axpy(time, problem->gravity, after);
    CaromBatSensitivity s = {0};
    for (int j = 0; j < 3; j++) {
        CaromVec3 push = {model.frame.m[0][j], model.frame.m[1][j], model.frame.m[2][j]};
        CaromVec3 change = velocity_change(&model, m3_mul(&map.by_velocity, push));
        CaromVec3 crossing = crossing_change(&model, time, arriving, change);
        s.by_velocity.m[0][j] = crossing.x;
        s.by_velocity.m[1][j] = crossing.y;
        s.by_velocity.m[2][j] = crossing.z;
    }
    s.by_restitution =
        crossing_change(&model, time, arriving, velocity_change(&model, map.by_restitution));
    if (model.contact.friction > 0) {
        CaromVec3 slope = by_friction(&model, velocity, &s.friction_error);
        s.by_friction = crossing_change(&model, time, arriving, velocity_change(&model, slope));
    }
    s.worst = largest_singular_value(&s.by_velocity);
    *sensitivity = s;
    return CAROM_OK;
}
