// SPDX-License-Identifier: Apache-2.0
// Checks of the data of an impact problem.
#include "impact/problem.h"

#include "base/host.h"
#include "contact/inertia.h"

#include <limits.h>

static CaromStatus check_body(const CaromBody *body, CaromBodyKind kind, int i,
                              const CaromHost *host) {
    const char *fault = carom_body_entries_fault_of(body, kind);
    if (fault != NULL) {
        carom_log(host, "bodies[%d].%s", i, fault);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

const char *carom_material_fault(const CaromMaterial *m, double *got) {
    bool compliant = m->tangential == CAROM_TANGENTIAL_COMPLIANT;
    static const char rigid_too[] = "stiffness: must be in [1e-60, 1e60] or infinite";
    const struct {
        double value, low, high;
        const char *rule;
    } rules[] = {
        {m->restitution, 0, 1, "restitution: must be in [0, 1]"},
        {m->friction, 0, CAROM_LARGEST, "friction: must be in [0, 1e60]"},
        {m->stiffness, 1 / CAROM_LARGEST, CAROM_LARGEST, rigid_too},
        {m->exponent, 1, 100, "exponent: must be in [1, 100]"},
        {m->rolling, 0, CAROM_LARGEST, "rolling: must be in [0, 1e60]"},
        {m->spinning, 0, CAROM_LARGEST, "spinning: must be in [0, 1e60]"},
        {compliant ? m->stiffness_ratio : 1, 1 / CAROM_LARGEST, CAROM_LARGEST,
         "stiffness_ratio: must be in [1e-60, 1e60]"},
        {(double)(int)m->tangential, 0, CAROM_TANGENTIAL_COMPLIANT, "tangential: no such law"},
        {(double)(int)m->unloading, 0, CAROM_MONO_STIFFNESS, "unloading: no such law"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        bool rigid = rules[k].value == HUGE_VAL && rules[k].rule == rigid_too;
        if (!rigid && !(rules[k].value >= rules[k].low && rules[k].value <= rules[k].high)) {
            *got = rules[k].value;
            return rules[k].rule;
        }
    }
    return NULL;
}

static CaromStatus check_material(const CaromMaterial *m, int i, const CaromHost *host) {
    double got = 0;
    const char *fault = carom_material_fault(m, &got);
    if (fault != NULL) {
        carom_log(host, "contacts[%d].%s, got %.9g", i, fault, got);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check_contact(const CaromContact *contact, int i, int body_count,
                                 const CaromHost *host) {
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] < 0 || contact->body[side] >= body_count) {
            carom_log(host, "contacts[%d].body[%d]: no body %d", i, side, contact->body[side]);
            return CAROM_BAD_DATA;
        }
    }
    if (contact->body[0] == contact->body[1]) {
        carom_log(host, "contacts[%d]: a body cannot touch itself", i);
        return CAROM_BAD_DATA;
    }
    if (!carom_is_usable(contact->point)) {
        carom_log(host, "contacts[%d].point: must be finite, at most 1e60", i);
        return CAROM_BAD_DATA;
    }
    if (!(fabs(v3_norm(contact->normal) - 1) <= 1e-6)) {
        carom_log(host, "contacts[%d].normal: must have length 1, got %.9g", i,
                  v3_norm(contact->normal));
        return CAROM_BAD_DATA;
    }
    return check_material(&contact->material, i, host);
}

const char *carom_impact_options_fault(const CaromImpactOptions *options, double *got) {
    const struct {
        double value, low, high;
        const char *rule;
    } rules[] = {
        {options->tolerance, 1e-14, 1e-2, "tolerance: must be in [1e-14, 1e-2]"},
        {options->step, 0, CAROM_LARGEST, "step: must be >= 0"},
        {options->plastic_below, 0, CAROM_LARGEST, "plastic_below: must be >= 0"},
        {options->max_steps, 0, INT_MAX, "max_steps: must be >= 0"},
        {options->samples, 0, INT_MAX, "samples: must be >= 0"},
        {(double)(int)options->model, 0, CAROM_MODEL_SEQUENTIAL, "model: no such model"},
        {(double)(int)options->method, 0, CAROM_SEQUENTIAL_BY_SPEED, "method: no such method"},
        {(double)(int)options->step_rule, 0, CAROM_STEP_CURVATURE, "step_rule: no such rule"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        if (!(rules[k].value >= rules[k].low && rules[k].value <= rules[k].high)) {
            *got = rules[k].value;
            return rules[k].rule;
        }
    }
    return NULL;
}

const char *carom_run_options_fault(const CaromImpactOptions *options, double *got) {
    *got = options->derivative_count;
    return options->derivative_count != 0 ? "derivatives: must be 0, they are of single impacts"
                                          : carom_impact_options_fault(options, got);
}

static CaromStatus check_options(const CaromImpactOptions *options, const CaromHost *host) {
    double got = 0;
    const char *fault = carom_impact_options_fault(options, &got);
    if (fault != NULL) {
        carom_log(host, "%s, got %.9g", fault, got);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check_contacts(const CaromImpactProblem *problem, const CaromHost *host) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < problem->contact_count; i++) {
        status = check_contact(&problem->contacts[i], i, problem->body_count, host);
    }
    return status;
}

CaromStatus carom_problem_check(const CaromImpactProblem *problem, const CaromBodyFactor *factors,
                                const CaromImpactOptions *options, const CaromHost *host) {
    CaromStatus status = check_options(options, host);
    for (int i = 0; status == CAROM_OK && i < problem->body_count; i++) {
        status = check_body(&problem->bodies[i], factors[i].kind, i, host);
    }
    return status == CAROM_OK ? check_contacts(problem, host) : status;
}

CaromStatus carom_problem_check_alone(const CaromImpactProblem *problem, const CaromHost *host) {
    bool some = problem->body_count > 0 && problem->contact_count > 0;
    if (!some || problem->bodies == NULL || problem->contacts == NULL) {
        carom_log(host, "problem: needs bodies and contacts");
        return CAROM_BAD_DATA;
    }
    CaromStatus status = CAROM_OK;
    for (int i = 0; status == CAROM_OK && i < problem->body_count; i++) {
        status = check_body(&problem->bodies[i], CAROM_BODY_GENERAL, i, host);
    }
    return status == CAROM_OK ? check_contacts(problem, host) : status;
}
