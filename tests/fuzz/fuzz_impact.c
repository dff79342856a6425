// SPDX-License-Identifier: Apache-2.0
// Any bytes as an impact problem, with all models and methods: an answer that obeys the laws, or a
// message.
//
// The bytes are read from the front; where they end, zeroes follow. A number is one byte: below 192
// it is an entry of a table of numbers that are hard on solvers, else the eight bytes that follow
// are the number itself, whatever they say.
#include "carom/carom.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

enum { MOST_BODIES = 5, MOST_CONTACTS = 6, MEMORY = 1 << 24 };

typedef struct Bytes {
    const uint8_t *data;
    size_t left;
} Bytes;

static unsigned next_byte(Bytes *bytes) {
    if (bytes->left == 0) {
        return 0;
    }
    bytes->left--;
    return *bytes->data++;
}

static int pick(Bytes *bytes, int count) {
    return (int)(next_byte(bytes) % (unsigned)count);
}

static double number(Bytes *bytes) {
    static const double table[] = {
        0,   1,    -1,   0.5,  -0.5,   2,        -2,        3,    0.1,   1e-3, 1e3,    1e-6,
        1e6, 1e-9, 1e9,  -1e9, 1e-12,  1e12,     1e-30,     1e30, 1e-60, 1e60, -1e60,  1e61,
        NAN, -0.0, 1e-3, 1e-3, 1. / 3, INFINITY, -INFINITY, 0.7,  0.9,   -0.1, 1e-320, 1 + 1e-15};
    enum { COUNT = sizeof table / sizeof *table, WRITTEN_OUT = 192 };
    unsigned code = next_byte(bytes);
    if (code < WRITTEN_OUT) {
        return table[code % COUNT];
    }
    unsigned char raw[sizeof(double)];
    for (size_t i = 0; i < sizeof raw; i++) {
        raw[i] = (unsigned char)next_byte(bytes);
    }
    double value;
    memcpy(&value, raw, sizeof value);
    return value;
}

/// For what the makers of bodies take: anything else is their caller's bug.
static double positive(Bytes *bytes) {
    double value = fabs(number(bytes));
    return value > 0 && isfinite(value) ? value : 1;
}

static CaromVec3 vector(Bytes *bytes) {
    double x = number(bytes), y = number(bytes), z = number(bytes);
    return (CaromVec3){x, y, z};
}

/// Along an axis, tilted, or any vector; of length 1 where that can be had.
static CaromVec3 direction(Bytes *bytes) {
    static const CaromVec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.6, 0, 0.8}};
    int kind = pick(bytes, 8);
    if (kind < 5) {
        return axes[kind];
    }
    CaromVec3 v = vector(bytes);
    double length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    bool scale = kind < 7 && length > 0 && isfinite(length);
    return scale ? (CaromVec3){v.x / length, v.y / length, v.z / length} : v;
}

static CaromVec3 axis(Bytes *bytes) {
    CaromVec3 v = direction(bytes);
    double length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return length > 0 && isfinite(length) ? v : (CaromVec3){1, 0, 0};
}

static CaromBody body(Bytes *bytes) {
    CaromBody made = carom_body_fixed();
    int kind = pick(bytes, 8);
    double mass = kind < 4 ? positive(bytes) : 0;
    switch (kind) {
    case 0:
    case 1:
        made = carom_body_ball(mass, positive(bytes));
        break;
    case 2:
        made = carom_body_point(mass);
        break;
    case 3:
        made = carom_body_slider(mass, axis(bytes));
        break;
    case 4: // any matrix, symmetric
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j <= i; j++) {
                made.inverse_inertia[i][j] = made.inverse_inertia[j][i] = number(bytes);
            }
        }
        break;
    case 5: // a diagonal one
        for (int i = 0; i < 6; i++) {
            made.inverse_inertia[i][i] = number(bytes);
        }
        break;
    default:
        break;
    }
    made.position = vector(bytes);
    made.velocity = vector(bytes);
    if (pick(bytes, 2) == 0) {
        made.angular_velocity = vector(bytes);
    }
    return made;
}

static CaromMaterial material(Bytes *bytes) {
    CaromMaterial made = carom_material_default();
    unsigned said = next_byte(bytes); // which of its numbers are not the default
    made.restitution = said & 1u ? number(bytes) : made.restitution;
    made.friction = said & 2u ? number(bytes) : made.friction;
    made.stiffness = said & 4u ? number(bytes) : made.stiffness;
    made.exponent = said & 8u ? number(bytes) : made.exponent;
    made.unloading = said & 16u ? CAROM_MONO_STIFFNESS : CAROM_BI_STIFFNESS;
    if (said & 32u) {
        made.tangential = CAROM_TANGENTIAL_COMPLIANT;
        made.stiffness_ratio = number(bytes);
    }
    return made;
}

static CaromContact contact(Bytes *bytes, int body_count) {
    CaromContact made = {0};
    made.body[0] = pick(bytes, body_count);
    made.body[1] = pick(bytes, body_count + 1); // one too many: there is no such body
    made.point = vector(bytes);
    made.normal = direction(bytes);
    made.material = material(bytes);
    return made;
}

static CaromImpactOptions options(Bytes *bytes) {
    static const double tolerances[] = {1e-10, 1e-14, 1e-12, 1e-8, 1e-2, 0, NAN, 1};
    CaromImpactOptions made = carom_impact_options_default();
    made.model = (CaromModel)pick(bytes, CAROM_MODEL_SEQUENTIAL + 1);
    made.method = (CaromMethod)pick(bytes, CAROM_SEQUENTIAL_BY_SPEED + 1);
    made.tolerance = tolerances[pick(bytes, 8)];
    made.step_rule = (CaromStepRule)pick(bytes, 2);
    made.samples = pick(bytes, 4);
    made.max_steps = 100; // so that nothing takes long
    return made;
}

static bool is_finite(CaromVec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Contacts push, but for rounding beside the strongest of them.
static void check_pushes(const CaromImpactResult *r) {
    double strongest = 0;
    for (int c = 0; c < r->contact_count; c++) {
        strongest = fmax(strongest, r->contacts[c].normal_impulse);
    }
    for (int c = 0; c < r->contact_count; c++) {
        FUZZ_REQUIRE(r->contacts[c].normal_impulse >= -1e-6 * strongest);
    }
}

static void check_laws(const CaromImpactResult *r, const CaromImpactOptions *chosen) {
    for (int b = 0; b < r->body_count; b++) {
        FUZZ_REQUIRE(is_finite(r->bodies[b].velocity) && is_finite(r->bodies[b].angular_velocity));
    }
    for (int c = 0; c < r->contact_count; c++) {
        FUZZ_REQUIRE(is_finite(r->contacts[c].impulse));
    }
    FUZZ_REQUIRE(isfinite(r->energy.before) && isfinite(r->energy.after));
    FUZZ_REQUIRE(isfinite(r->checks.momentum_error) && isfinite(r->checks.energy_error));
    if (r->outcome == CAROM_OUTCOME_CONVERGED && r->method != CAROM_SPRINGS_IMPULSE) {
        double most = fmax(1e3 * chosen->tolerance, 1e-6);
        FUZZ_REQUIRE(r->checks.momentum_error <= most && r->checks.energy_error <= most);
        check_pushes(r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = {data, size};
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
    CaromImpactProblem problem = {.bodies = bodies, .contacts = contacts};
    problem.body_count = 1 + pick(&bytes, MOST_BODIES);
    problem.contact_count = pick(&bytes, MOST_CONTACTS + 1);
    CaromImpactOptions chosen = options(&bytes);
    for (int c = 0; c < problem.contact_count; c++) {
        contacts[c] = contact(&bytes, problem.body_count);
    }
    for (int b = 0; b < problem.body_count; b++) {
        bodies[b] = body(&bytes);
    }

    FuzzMemory memory = {.most = MEMORY};
    CaromImpactLimits limits = {.bodies = MOST_BODIES, .contacts = MOST_CONTACTS};
    limits.host = fuzz_host(&memory);
    CaromImpact *impact = NULL;
    CaromImpactResult result;
    FUZZ_REQUIRE(carom_impact_create(&limits, &impact) == CAROM_OK);
    if (carom_impact_solve(impact, &problem, &chosen, &result) == CAROM_OK) {
        check_laws(&result, &chosen);
    } else {
        FUZZ_REQUIRE(memory.messages > 0);
    }
    carom_impact_destroy(impact);
    FUZZ_REQUIRE(memory.used == 0);
    return 0;
}
