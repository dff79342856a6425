// SPDX-License-Identifier: Apache-2.0
// Kind "bat": the plan as JSON.
#include "base/vec.h"
#include "scene/bat_kind.h"
#include "scene/writer.h"

// ---- What is possible ------------------------------------------------------------------------

static json_t *write_pair(CaromWriter *w, const double pair[2]) {
    json_t *array = json_array();
    carom_write_append(w, array, carom_write_number(pair[0]));
    carom_write_append(w, array, carom_write_number(pair[1]));
    return array;
}

static json_t *write_intervals(CaromWriter *w, const CaromBatResult *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->interval_count; i++) {
        carom_write_append(w, array, write_pair(w, result->interval[i]));
    }
    return array;
}

/// The curve as the thesis prints it, if it can be: with T = a/(b - I), the component of the
/// impulse along x. I_y is linear in I_x, and (I_x - pole) I_z is quadratic.
static void write_in_x(CaromWriter *w, const CaromBatCurve *c, json_t *object) {
    bool printable = c->over_time.x != 0 && c->times_time.x == 0 && c->times_time.y == 0;
    if (!printable) {
        return;
    }
    // 1/T = (I_x - b_x)/a_x, so I_y = b_y + a_y (I_x - b_x)/a_x and
    // I_z = b_z + a_z (I_x - b_x)/a_x + c_z a_x/(I_x - b_x).
    double pole = c->constant.x;
    double slope_y = c->over_time.y / c->over_time.x;
    double slope_z = c->over_time.z / c->over_time.x;
    double start_y = c->constant.y - slope_y * pole;
    double start_z = c->constant.z - slope_z * pole;
    const double y[2] = {start_y, slope_y};
    CaromVec3 z = {c->times_time.z * c->over_time.x - pole * start_z, start_z - pole * slope_z,
                   slope_z};
    json_t *in_x = json_object();
    carom_write_put(w, in_x, "y", write_pair(w, y));
    carom_write_put(w, in_x, "z_times_x_minus_pole", carom_write_vec3(w, z));
    carom_write_put(w, in_x, "pole", carom_write_number(pole));
    carom_write_put(w, object, "in_x", in_x);
}

static json_t *write_curve(CaromWriter *w, const CaromBatCurve *curve) {
    json_t *object = json_object();
    carom_write_put(w, object, "over_time", carom_write_vec3(w, curve->over_time));
    carom_write_put(w, object, "constant", carom_write_vec3(w, curve->constant));
    carom_write_put(w, object, "times_time", carom_write_vec3(w, curve->times_time));
    write_in_x(w, curve, object);
    return object;
}

static json_t *write_cones(CaromWriter *w, const CaromBatResult *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->cone_count; i++) {
        const CaromBatCone *cone = &result->cones[i];
        json_t *entry = json_object();
        carom_write_put(w, entry, "angle", carom_write_number(cone->angle));
        carom_write_put(w, entry, "rate", carom_write_number(cone->rate));
        carom_write_put(w, entry, "delta", carom_write_vec3(w, cone->delta));
        carom_write_put(w, entry, "sigma", carom_write_vec3(w, cone->sigma));
        carom_write_append(w, array, entry);
    }
    return array;
}

static json_t *write_closed_forms(CaromWriter *w, const CaromBatResult *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->closed_form_count; i++) {
        const CaromBatStrike *strike = &result->closed_forms[i];
        json_t *entry = json_object();
        carom_write_put(w, entry, "contact_velocity",
                        carom_write_vec3(w, strike->contact_velocity));
        carom_write_put(w, entry, "impulse", carom_write_vec3(w, strike->impulse));
        carom_write_put(w, entry, "flight_time", carom_write_number(strike->flight_time));
        carom_write_put(w, entry, "case", json_string(carom_bat_case_text(strike->label)));
        carom_write_put(w, entry, "cone", json_integer(strike->cone));
        carom_write_append(w, array, entry);
    }
    return array;
}

// ---- The strike ------------------------------------------------------------------------------

static json_t *write_swing(CaromWriter *w, const CaromBatSwing *swing) {
    json_t *object = json_object();
    carom_write_put(w, object, "velocity", carom_write_vec3(w, swing->twist.velocity));
    carom_write_put(w, object, "angular_velocity",
                    carom_write_vec3(w, swing->twist.angular_velocity));
    carom_write_put(w, object, "kinetic_energy", carom_write_number(swing->energy));
    return object;
}

/// Every motion of the bat that will do: velocity = at_rest + per_angular_velocity * its rotation.
static json_t *write_every_swing(CaromWriter *w, const CaromBatProblem *problem,
                                 const CaromBatResult *result) {
    CaromVec3 r = v3_sub(problem->point, problem->bat.position);
    CaromMat3 cross = {{{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}}};
    json_t *object = json_object();
    carom_write_put(w, object, "velocity_without_rotation",
                    carom_write_vec3(w, result->contact_point_velocity));
    carom_write_put(w, object, "per_angular_velocity", carom_write_mat3(w, &cross));
    return object;
}

static json_t *write_bat(CaromWriter *w, const CaromBatScene *scene, const CaromBatResult *result) {
    json_t *object = json_object();
    carom_write_put(w, object, "contact_point_velocity",
                    carom_write_vec3(w, result->contact_point_velocity));
    carom_write_put(w, object, "least_energy", write_swing(w, &result->least_energy));
    if (scene->options.spin_given) {
        carom_write_put(w, object, "given_angular_velocity", write_swing(w, &result->given_spin));
    }
    carom_write_put(w, object, "every_motion", write_every_swing(w, &scene->problem, result));
    return object;
}

static json_t *write_sensitivity(CaromWriter *w, const CaromBatSensitivity *s) {
    json_t *object = json_object();
    carom_write_put(w, object, "by_contact_velocity", carom_write_mat3(w, &s->by_velocity));
    carom_write_put(w, object, "by_restitution", carom_write_vec3(w, s->by_restitution));
    carom_write_put(w, object, "by_friction", carom_write_vec3(w, s->by_friction));
    carom_write_put(w, object, "friction_error", carom_write_number(s->friction_error));
    carom_write_put(w, object, "worst_per_velocity", carom_write_number(s->worst));
    return object;
}

/// Height against gravity.
static double height(const CaromBatProblem *problem, CaromVec3 point) {
    double strength = v3_norm(problem->gravity);
    return strength > 0 ? -v3_dot(problem->gravity, point) / strength : point.z;
}

/// What every answer says, be it one of many.
/// How the plan stands errors, and what to be warned of.
static void write_robustness(CaromWriter *w, const CaromBatRobustness *r, json_t *object) {
    json_t *warnings = json_array();
    if (r->near_cone) {
        carom_write_append(w, warnings, json_string("near-friction-cone"));
    }
    if (r->on_edge) {
        carom_write_append(w, warnings, json_string("on-edge"));
    }
    carom_write_put(w, object, "friction_reserve", carom_write_number(r->friction_margin));
    carom_write_put(w, object, "expected_miss", carom_write_number(r->expected_miss));
    carom_write_put(w, object, "miss_95", carom_write_number(r->miss_95));
    carom_write_put(w, object, "warnings", warnings);
}

static void write_brief(CaromWriter *w, const CaromBatAnswer *answer, json_t *object) {
    const CaromBatResult *result = &answer->result;
    bool strikes = result->strike.flight_time > 0;
    carom_write_put(w, object, "outcome", json_string(carom_bat_outcome_text(result->outcome)));
    carom_write_put(w, object, "feasible", json_boolean(result->feasible));
    if (result->outcome != CAROM_BAT_SOLVED) {
        carom_write_put(w, object, "reason", json_string(carom_bat_reason(result->outcome)));
    }
    carom_write_put(w, object, "method", json_string(carom_bat_method_text(result->method)));
    if (strikes) {
        carom_write_put(w, object, "contact_velocity",
                        carom_write_vec3(w, result->strike.contact_velocity));
        carom_write_put(w, object, "impulse", carom_write_vec3(w, result->strike.impulse));
        carom_write_put(w, object, "miss_distance", carom_write_number(answer->miss));
        carom_write_put(w, object, "flight_time", carom_write_number(result->strike.flight_time));
        carom_write_put(w, object, "object_velocity", carom_write_vec3(w, result->object.velocity));
        write_robustness(w, &answer->robustness, object);
    }
}

static void write_single(CaromWriter *w, const CaromBatSolution *solution, json_t *object) {
    const CaromBatScene *scene = solution->scene;
    const CaromBatResult *result = &solution->answers[0].result;
    write_brief(w, &solution->answers[0], object);
    if (result->strike.flight_time > 0) {
        carom_write_put(w, object, "object_angular_velocity",
                        carom_write_vec3(w, result->object.angular_velocity));
        carom_write_put(w, object, "apex",
                        carom_write_number(height(&scene->problem, result->apex)));
        carom_write_put(w, object, "apex_point", carom_write_vec3(w, result->apex));
        carom_write_put(w, object, "planned_miss", carom_write_number(result->miss));
        carom_write_put(w, object, "friction_margin", carom_write_number(result->friction_margin));
        carom_write_put(w, object, "case", json_string(carom_bat_case_text(result->strike.label)));
        carom_write_put(w, object, "bat", write_bat(w, scene, result));
        carom_write_put(w, object, "sensitivity", write_sensitivity(w, &solution->sensitivity));
    }
    carom_write_put(w, object, "choice", json_string(carom_bat_choice_text(scene->options.choice)));
    carom_write_put(w, object, "flight_times", write_intervals(w, result));
    carom_write_put(w, object, "solution_curve", write_curve(w, &result->curve));
    carom_write_put(w, object, "cones", write_cones(w, result));
    carom_write_put(w, object, "every_direction_invariant",
                    json_boolean(result->every_direction_invariant));
    carom_write_put(w, object, "closed_forms", write_closed_forms(w, result));
    carom_write_put(w, object, "W", carom_write_mat3(w, &result->inverse_inertia_contact_frame));
    carom_write_put(w, object, "evaluations", json_integer(result->evaluations));
    carom_write_put(w, object, "rounds", json_integer(result->rounds));
}

// ---- Many targets ----------------------------------------------------------------------------

static void write_many(CaromWriter *w, const CaromBatSolution *solution, json_t *object) {
    const CaromBatScene *scene = solution->scene;
    json_t *counts = json_object();
    carom_write_put(w, counts, "targets", json_integer(scene->target_count));
    carom_write_put(w, counts, "feasible", json_integer(solution->feasible));
    carom_write_put(w, counts, "solved", json_integer(solution->solved));
    carom_write_put(w, counts, "with_closed_form", json_integer(solution->with_closed_form));
    carom_write_put(w, object, "outcome",
                    json_string(carom_bat_outcome_text(solution->solved == solution->feasible
                                                           ? CAROM_BAT_SOLVED
                                                           : CAROM_BAT_NOT_CONVERGED)));
    carom_write_put(w, object, "choice", json_string(carom_bat_choice_text(scene->options.choice)));
    carom_write_put(w, object, "counts", counts);
    carom_write_put(w, object, "worst_miss", carom_write_number(solution->worst_miss));
    json_t *targets = json_array();
    for (int i = 0; i < scene->target_count; i++) {
        json_t *entry = json_object();
        carom_write_put(w, entry, "target", carom_write_vec3(w, scene->targets[i]));
        write_brief(w, &solution->answers[i], entry);
        carom_write_put(w, entry, "closed_forms",
                        json_integer(solution->answers[i].result.closed_form_count));
        carom_write_append(w, targets, entry);
    }
    carom_write_put(w, object, "targets", targets);
}

json_t *carom_bat_write(const CaromBatSolution *solution) {
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    carom_write_put(w, object, "kind", json_string("bat"));
    if (solution->scene->many) {
        write_many(w, solution, object);
    } else {
        write_single(w, solution, object);
    }
    return carom_write_finish(w, object);
}
