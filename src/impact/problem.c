// SPDX-License-Identifier: Apache-2.0
// Checks of the data of an impact problem.
#include "impact/problem.h"

#include "base/host.h"
#include "contact/inertia.h"

static CaromStatus check_body(const CaromBody *body, int i, const CaromHost *host) {
    const char *fault = carom_body_entries_fault(body);
    if (fault != NULL) {
        carom_log(host, "bodies[%d].%s", i, fault);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

static CaromStatus check_material(const CaromMaterial *m, int i, const CaromHost *host) {
    bool compliant = m->tangential == CAROM_TANGENTIAL_COMPLIANT;
    static const char rigid_too[] = "must be in [1e-60, 1e60] or infinite";
    const struct {
        const char *name;
        double value, low, high;
        const char *rule;
    } rules[] = {
        {"restitution", m->restitution, 0, 1, "must be in [0, 1]"},
        {"friction", m->friction, 0, CAROM_LARGEST, "must be in [0, 1e60]"},
        {"stiffness", m->stiffness, 1 / CAROM_LARGEST, CAROM_LARGEST, rigid_too},
        {"exponent", m->exponent, 1, 100, "must be in [1, 100]"},
        {"stiffness_ratio", compliant ? m->stiffness_ratio : 1, 1 / CAROM_LARGEST, CAROM_LARGEST,
         "must be in [1e-60, 1e60]"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        bool rigid = rules[k].value == HUGE_VAL && rules[k].rule == rigid_too;
        if (!rigid && !(rules[k].value >= rules[k].low && rules[k].value <= rules[k].high)) {
            carom_log(host, "contacts[%d].%s: %s, got %.9g", i, rules[k].name, rules[k].rule,
                      rules[k].value);
            return CAROM_BAD_DATA;
        }
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

static CaromStatus check_options(const CaromImpactOptions *options, const CaromHost *host) {
    if (!(options->tolerance >= 1e-14 && options->tolerance <= 1e-2)) {
        carom_log(host, "tolerance: must be in [1e-14, 1e-2], got %.9g", options->tolerance);
        return CAROM_BAD_DATA;
    }
    if (!(options->step >= 0 && options->step <= CAROM_LARGEST)) {
        carom_log(host, "step: must be >= 0, got %.9g", options->step);
        return CAROM_BAD_DATA;
    }
    if (!(options->plastic_below >= 0 && options->plastic_below <= CAROM_LARGEST)) {
        carom_log(host, "plastic_below: must be >= 0, got %.9g", options->plastic_below);
        return CAROM_BAD_DATA;
    }
    if (options->max_steps < 0) {
        carom_log(host, "max_steps: must be >= 0, got %d", options->max_steps);
        return CAROM_BAD_DATA;
    }
    if (options->samples < 0) {
        carom_log(host, "samples: must be >= 0, got %d", options->samples);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

CaromStatus carom_problem_check(const CaromImpactProblem *problem,
                                const CaromImpactOptions *options, const CaromHost *host) {
    CaromStatus status = check_options(options, host);
    for (int i = 0; status == CAROM_OK && i < problem->body_count; i++) {
        status = check_body(&problem->bodies[i], i, host);
    }
    for (int i = 0; status == CAROM_OK && i < problem->contact_count; i++) {
        status = check_contact(&problem->contacts[i], i, problem->body_count, host);
    }
    return status;
}
