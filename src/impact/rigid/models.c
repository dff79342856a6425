// SPDX-License-Identifier: Apache-2.0
// Rigid models beside reflect, for comparison: all contacts at once, or one after another.
#include "base/elementary.h"
#include "impact/rigid/friction.h"
#include "impact/rigid/rigid.h"
#include "impact/rigid/tuning.h"

// ---- Which method ------------------------------------------------------------------------------

static const struct {
    CaromModel model;
    CaromMethod method;
} methods[] = {
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_NEAREST},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED},
    {CAROM_MODEL_NEWTON, CAROM_RIGID_LEMKE},
    {CAROM_MODEL_NEWTON, CAROM_RIGID_CONE},
    {CAROM_MODEL_POISSON, CAROM_RIGID_LEMKE},
    {CAROM_MODEL_POISSON, CAROM_RIGID_CONE},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_ORDER},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_SPEED},
};

bool carom_model_has_method(CaromModel model, CaromMethod method) {
    bool has = method == CAROM_METHOD_AUTO ||
               (model == CAROM_MODEL_SPRINGS && method <= CAROM_SPRINGS_IMPULSE);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        has = has || (methods[i].model == model && methods[i].method == method);
    }
    return has;
}

/// Whether a method knows friction.
static bool takes_friction(CaromMethod method) {
    return method == CAROM_RIGID_CONE || method == CAROM_SEQUENTIAL_BY_ORDER ||
           method == CAROM_SEQUENTIAL_BY_SPEED;
}

static CaromStatus check_contacts(const CaromImpactProblem *problem, CaromModel model,
                                  CaromMethod method, const CaromHost *host) {
    double restitution = problem->contacts[0].material.restitution;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromMaterial *material = &problem->contacts[c].material;
        if (material->friction != 0 && !takes_friction(method)) {
            bool lemke = method == CAROM_RIGID_LEMKE;
            carom_log(host, "contacts[%d].friction: must be 0 for %s \"%s\"", c,
                      lemke ? "method" : "model",
                      lemke ? carom_method_text(method) : carom_model_text(model));
            return CAROM_UNSUPPORTED;
        }
        if (method == CAROM_REFLECT_GENERALIZED && material->restitution != restitution) {
            carom_log(
                host,
                "contacts[%d].restitution: must be the same at all contacts for \"generalized\"",
                c);
            return CAROM_UNSUPPORTED;
        }
    }
    return CAROM_OK;
}

CaromStatus carom_rigid_choose_method(const CaromImpactProblem *problem,
                                      const CaromImpactOptions *options, const CaromHost *host,
                                      CaromMethod *method) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        bool friction = carom_rigid_has_friction(problem);
        bool suits = methods[i].model == CAROM_MODEL_REFLECT || !friction ||
                     takes_friction(methods[i].method);
        bool fits =
            options->method == methods[i].method || (options->method == CAROM_METHOD_AUTO && suits);
        if (methods[i].model == options->model && fits) {
            *method = methods[i].method;
            return check_contacts(problem, options->model, *method, host);
        }
    }
    carom_log(host, "method \"%s\": not one of model \"%s\"", carom_method_text(options->method),
              carom_model_text(options->model));
    return CAROM_UNSUPPORTED;
}

// ---- All at once -------------------------------------------------------------------------------

// theory.md (5.7): Q >= 0, x + e x0 >= 0, and one of them zero at every contact.
static void solve_newton(CaromRigid *r) {
    for (int c = 0; c < r->count; c++) {
        r->given[c] = (1 + r->restitution[c]) * r->start[c];
    }
    if (!carom_lcp_solve(&r->lcp, r->count, r->gram, r->given, r->impulse)) {
        r->outcome = CAROM_OUTCOME_NO_SOLUTION;
    }
    if (r->tangent != NULL) {
        carom_tangent_rigid(r, r->impulse, r->start, r->impulse, CAROM_RULE_NEWTON);
    }
    r->steps = 1;
    carom_rigid_conclude(r);
}

// theory.md (5.8): compression to rest by Q1, then expansion by Q2 >= e Q1.
static void solve_poisson(CaromRigid *r) {
    bool solved = carom_lcp_solve(&r->lcp, r->count, r->gram, r->start, r->impulse);
    if (r->tangent != NULL) {
        carom_tangent_rigid(r, r->impulse, r->start, r->impulse, CAROM_RULE_PLASTIC);
        carom_tangent_scale(r, r->impulse);
    }
    for (int c = 0; c < r->count; c++) {
        r->impulse[c] *= 1 + r->restitution[c];
    }
    carom_rigid_respond(r, r->impulse, r->given);
    solved = solved && carom_lcp_solve(&r->lcp, r->count, r->gram, r->given, r->unknown);
    for (int c = 0; solved && c < r->count; c++) {
        r->impulse[c] += r->unknown[c];
    }
    if (r->tangent != NULL && solved) {
        carom_tangent_rigid(r, r->unknown, r->given, r->impulse, CAROM_RULE_PLASTIC);
    }
    r->outcome = solved ? CAROM_OUTCOME_CONVERGED : CAROM_OUTCOME_NO_SOLUTION;
    r->steps = 2;
    carom_rigid_conclude(r);
}

// ---- All that approach, again and again --------------------------------------------------------

/// Reflect at the cone of the contacts that approach, theory.md (5.9). False if none does.
static bool reflect_together(CaromRigid *r) {
    int count = 0;
    for (int c = 0; c < r->count; c++) {
        r->struck[c] = r->velocity[c] < -r->still;
        if (r->struck[c]) {
            r->chosen[count++] = c;
        }
    }
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            r->block[a * count + b] = r->gram[r->chosen[a] * r->count + r->chosen[b]];
        }
        r->given[a] = r->velocity[r->chosen[a]];
    }
    if (count == 0 || !carom_lcp_solve(&r->lcp, count, r->block, r->given, r->unknown)) {
        return false;
    }
    for (int a = 0; a < count; a++) {
        r->impulse[r->chosen[a]] += 2 * r->unknown[a];
        r->strikes[r->chosen[a]]++;
    }
    carom_rigid_respond(r, r->impulse, r->velocity);
    r->steps++;
    return true;
}

/// Mix the elastic impulses with those of a plastic impact: Q = e Q_elastic + (1 - e) Q_plastic.
static void mix_plastic(CaromRigid *r) {
    double e = r->restitution[0];
    if (!carom_rigid_plastic(r, r->start, r->unknown)) {
        r->outcome = CAROM_OUTCOME_NO_SOLUTION;
        return;
    }
    for (int c = 0; c < r->count; c++) {
        r->impulse[c] = e * r->impulse[c] + (1 - e) * r->unknown[c];
    }
}

static void solve_generalized(CaromRigid *r, const CaromRigidListener *listener) {
    const int most = carom_fewer_steps(10000, r->most_steps);
    bool elastic = r->restitution[0] == 1;
    while (r->steps < most && reflect_together(r)) {
        for (int c = 0; c < r->count && elastic; c++) {
            if (r->struck[c]) {
                carom_rigid_tell(listener, r, CAROM_EVENT_IMPACT, c);
            }
        }
    }
    if (carom_rigid_approaches(r, r->velocity)) {
        r->outcome = CAROM_OUTCOME_MAX_EVENTS;
    }
    if (!elastic) {
        mix_plastic(r);
    }
    carom_rigid_conclude(r);
}

// ---- One after another -------------------------------------------------------------------------

/// The contact that approaches fastest [m/s], or -1.
static int fastest(const CaromRigid *r) {
    int found = -1;
    double speed = 0;
    for (int c = 0; c < r->count; c++) {
        double approach = -r->velocity[c] * r->unit[c];
        // Equals count as equal in spite of rounding, so that the first one is taken.
        if (carom_rigid_strikes(r, r->velocity, c) && approach > speed * (1 + CAROM_EQUAL_SPEEDS)) {
            found = c;
            speed = approach;
        }
    }
    return found;
}

/// The next contact after `last` that approaches, round and round, or -1.
static int next_in_order(const CaromRigid *r, int last) {
    for (int i = 1; i <= r->count; i++) {
        int c = (last + i) % r->count;
        if (carom_rigid_strikes(r, r->velocity, c)) {
            return c;
        }
    }
    return -1;
}

static void solve_sequential(CaromRigid *r, CaromMethod method,
                             const CaromRigidListener *listener) {
    const int most = carom_fewer_steps(CAROM_MOST_IMPACTS, r->most_steps);
    int last = r->count - 1;
    while (r->steps < most) {
        int c = method == CAROM_SEQUENTIAL_BY_SPEED ? fastest(r) : next_in_order(r, last);
        if (c < 0) {
            break;
        }
        carom_rigid_strike(r, c, listener);
        last = c;
    }
    // What still approaches is too slow for restitution, or there was no end.
    bool approaches = carom_rigid_approaches(r, r->velocity);
    if (r->steps >= most) {
        r->outcome = CAROM_OUTCOME_MAX_EVENTS;
    } else if (approaches && !carom_rigid_stop(r, listener)) {
        r->outcome = CAROM_OUTCOME_NO_SOLUTION;
    }
}

void carom_rigid_solve(CaromRigid *r, CaromModel model, CaromMethod method,
                       const CaromRigidListener *listener) {
    if (method == CAROM_REFLECT_GENERALIZED) {
        solve_generalized(r, listener);
    } else if (model == CAROM_MODEL_NEWTON) {
        solve_newton(r);
    } else if (model == CAROM_MODEL_POISSON) {
        solve_poisson(r);
    } else {
        solve_sequential(r, method, listener);
    }
}
