// SPDX-License-Identifier: Apache-2.0
// Picking up a soft object: checks, creation, one solve.
#include "soft/pickup.h"

#include "base/host.h"
#include "base/text.h"
#include "soft/homotopy.h"
#include "soft/mesh.h"
#include "soft/solver.h"

#include <stdio.h>

CaromPickupLimits carom_pickup_limits_default(void) {
    return (CaromPickupLimits){
        .size = sizeof(CaromPickupLimits), .contact_nodes = 400, .steps = 4000, .events = 20000};
}

CaromPickupOptions carom_pickup_options_default(void) {
    return (CaromPickupOptions){.size = sizeof(CaromPickupOptions),
                                .accuracy = 0.01,
                                .tolerance = 1e-10,
                                .max_iterations = 60};
}

// ---- Texts -----------------------------------------------------------------------------------

CAROM_DEFINE_TEXT(carom_pickup_method_text, CaromPickupMethod, CAROM_PICKUP_METHOD_LIST)
CAROM_DEFINE_TEXT(carom_pickup_mode_text, CaromPickupMode, CAROM_PICKUP_MODE_LIST)
CAROM_DEFINE_TEXT(carom_pickup_event_text, CaromPickupEventKind, CAROM_PICKUP_EVENT_LIST)
CAROM_DEFINE_TEXT(carom_pickup_phase_text, CaromPickupPhase, CAROM_PICKUP_PHASE_LIST)
CAROM_DEFINE_TEXT(carom_pickup_outcome_text, CaromPickupOutcome, CAROM_PICKUP_OUTCOME_LIST)

// ---- Fingers ---------------------------------------------------------------------------------

/// How far the finger can go until it touches a node of a mesh; infinite if it passes it by.
static double way_to(const CaromSoftMesh *mesh, const CaromFinger *finger) {
    double least = HUGE_VAL;
    for (int s = 0; s < 3 * mesh->surface_count; s++) {
        CaromVec3 arm = v3_sub(mesh->nodes[mesh->surface[s / 3][s % 3]], finger->centre);
        double along = v3_dot(arm, finger->direction);
        double room = finger->radius * finger->radius - (v3_dot(arm, arm) - along * along);
        if (room >= 0) {
            least = fmin(least, along - sqrt(room));
        }
    }
    return least;
}

void carom_pickup_place_fingers(const CaromSoftMesh *mesh, double radius, double height,
                                CaromVec3 axis, CaromFinger fingers[2]) {
    if (mesh == NULL || fingers == NULL) {
        return;
    }
    CaromSoftMeasure measure = carom_soft_measure(mesh, NULL);
    CaromVec3 middle = v3(measure.mass_centre.x, measure.mass_centre.y, measure.low.z + height);
    double away = v3_norm(v3_sub(measure.high, measure.low)) + 2 * radius;
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? 1 : -1;
        fingers[i] = (CaromFinger){.centre = v3_axpy(-sign * away, axis, middle),
                                   .direction = v3_scale(sign, axis),
                                   .radius = radius};
        double way = way_to(mesh, &fingers[i]);
        if (isfinite(way)) {
            fingers[i].centre = v3_axpy(way, fingers[i].direction, fingers[i].centre);
        }
    }
}

// ---- Checks ----------------------------------------------------------------------------------

static bool check_number(const CaromHost *host, const char *name, double value, bool holds,
                         const char *wanted) {
    if (!holds || !isfinite(value)) {
        carom_log(host, "%s: must be %s, got %g", name, wanted, value);
        return false;
    }
    return true;
}

static bool check_count(const CaromHost *host, const char *name, int value, int least) {
    if (value < least) {
        carom_log(host, "%s: must be >= %d, got %d", name, least, value);
    }
    return value >= least;
}

/// Deepest node of the surface within a finger [m].
static double overlap(const CaromSoftMesh *mesh, const CaromFinger *finger) {
    double deepest = 0;
    for (int s = 0; s < 3 * mesh->surface_count; s++) {
        CaromVec3 arm = v3_sub(mesh->nodes[mesh->surface[s / 3][s % 3]], finger->centre);
        deepest = fmax(deepest, finger->radius - v3_norm(arm));
    }
    return deepest;
}

/// Whether a place lies within a tetrahedron of the mesh, or on its faces.
static bool within(const CaromSoftMesh *mesh, CaromVec3 place) {
    bool found = false;
    for (int t = 0; t < mesh->tetrahedron_count && !found; t++) {
        double slack = 1e-9 * carom_six_volumes(mesh->nodes, mesh->tetrahedra[t]);
        found = true;
        for (int i = 0; i < 4 && found; i++) {
            CaromVec3 corner[4];
            for (int k = 0; k < 4; k++) {
                corner[k] = k == i ? place : mesh->nodes[mesh->tetrahedra[t][k]];
            }
            found = carom_six_volumes(corner, (const int[4]){0, 1, 2, 3}) >= -slack;
        }
    }
    return found;
}

/// How far a finger that went some way reaches below the table [m].
static double below_table(const CaromSoftMesh *mesh, const CaromFinger *finger, double way) {
    double lowest = finger->centre.z + way * finger->direction.z - finger->radius;
    return carom_soft_measure(mesh, NULL).low.z - lowest;
}

const char *carom_pickup_finger_fault(const CaromSoftMesh *mesh, const CaromFinger *finger,
                                      char *text, size_t size) {
    if (mesh == NULL || finger == NULL) {
        return NULL;
    }
    if (!(finger->radius > 0) || !isfinite(finger->radius)) {
        (void)snprintf(text, size, "its radius must be > 0, got %g", finger->radius);
        return text;
    }
    if (!(fabs(v3_norm(finger->direction) - 1) <= 1e-6) || !v3_finite(finger->centre)) {
        return "its direction must have length 1, its centre must be finite";
    }
    if (within(mesh, finger->centre)) {
        return "starts inside the object: its centre lies within it";
    }
    double deep = overlap(mesh, finger), slack = 1e-9 * finger->radius;
    if (deep > slack) {
        (void)snprintf(text, size, "reaches %.3g m into the object before it squeezes", deep);
        return text;
    }
    double way = way_to(mesh, finger);
    if (!(way >= -slack) || !isfinite(way)) {
        return "never touches the object on its way along its direction";
    }
    double low = fmax(below_table(mesh, finger, 0), below_table(mesh, finger, way));
    if (low > slack) {
        (void)snprintf(text, size, "reaches %.3g m below the table before it squeezes", low);
        return text;
    }
    return NULL;
}

double carom_pickup_room(const CaromPickupProblem *problem) {
    double room = HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        const CaromFinger *finger = &problem->fingers[i];
        double fall = -finger->direction.z;
        if (fall > 1e-9) {
            double way = way_to(problem->mesh, finger);
            room = fmin(room, fmax(-below_table(problem->mesh, finger, way), 0) / fall);
        }
    }
    return room;
}

static bool check_finger(const CaromHost *host, const CaromPickupProblem *problem, int index) {
    char text[96];
    const char *fault =
        carom_pickup_finger_fault(problem->mesh, &problem->fingers[index], text, sizeof text);
    if (fault) {
        carom_log(host, "fingers[%d]: %s", index, fault);
    }
    return !fault;
}

CaromStatus carom_pickup_check(const CaromPickupProblem *problem, const CaromHost *host) {
    CAROM_REQUIRE(host, problem);
    CAROM_REQUIRE(host, problem->mesh);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    bool sound = check_number(host, "gravity", problem->gravity, problem->gravity > 0, "> 0");
    sound &= check_number(host, "finger friction", problem->finger_friction,
                          problem->finger_friction >= 0, ">= 0");
    sound &= check_number(host, "table friction", problem->table_friction,
                          problem->table_friction >= 0, ">= 0");
    sound &= check_number(host, "density", problem->material.density, problem->material.density > 0,
                          "> 0");
    CaromSoftMaterial others = problem->material;
    others.density = 1; // told above
    sound &= carom_soft_check_material(host, &others);
    bool fingers = check_finger(host, problem, 0);
    fingers &= check_finger(host, problem, 1);
    if (fingers && !(v3_dot(problem->fingers[0].direction, problem->fingers[1].direction) < 0)) {
        carom_log(host, "fingers: must move towards each other");
        fingers = false;
    }
    return sound && fingers ? CAROM_OK : CAROM_BAD_DATA;
}

static CaromStatus check_options(const CaromPickup *pickup, const CaromPickupOptions *options) {
    const CaromHost *host = &pickup->host;
    bool sound =
        check_number(host, "max_depth", options->max_depth, options->max_depth >= 0, ">= 0");
    sound &=
        check_number(host, "lift_height", options->lift_height, options->lift_height >= 0, ">= 0");
    sound &= check_number(host, "step", options->step, options->step >= 0, ">= 0");
    sound &= check_number(host, "accuracy", options->accuracy, options->accuracy > 0, "> 0");
    sound &= check_number(host, "tolerance", options->tolerance, options->tolerance > 0, "> 0");
    sound &= check_count(host, "max_iterations", options->max_iterations, 1);
    if ((unsigned)options->method > CAROM_PICKUP_HOMOTOPY) {
        carom_log(host, "method: unknown, got %d", (int)options->method);
        sound = false;
    }
    double room = carom_pickup_room(&pickup->problem);
    if (sound && options->max_depth > room * (1 + 1e-9)) {
        carom_log(host, "max_depth: a finger goes through the table at %g m, got %g", room,
                  options->max_depth);
        sound = false;
    }
    return sound ? CAROM_OK : CAROM_BAD_DATA;
}

static CaromStatus check_limits(const CaromHost *host, const CaromPickupLimits *limits) {
    bool sound = check_count(host, "limits.contact_nodes", limits->contact_nodes, 1);
    sound &= check_count(host, "limits.steps", limits->steps, 1);
    sound &= check_count(host, "limits.events", limits->events, 0);
    return sound ? CAROM_OK : CAROM_BAD_DATA;
}

// ---- Creation --------------------------------------------------------------------------------

static bool take_frame(const CaromPickup *pickup, CaromKeptFrame *frame) {
    size_t nodes = (size_t)pickup->problem.mesh->node_count;
    size_t contacts = (size_t)pickup->grasp.most_pairs;
    frame->displacements = carom_allocate(&pickup->host, sizeof *frame->displacements * nodes);
    frame->contacts = carom_allocate(&pickup->host, sizeof *frame->contacts * contacts);
    return frame->displacements && frame->contacts;
}

static CaromStatus fill(CaromPickup *pickup) {
    const CaromPickupProblem *problem = &pickup->problem;
    CaromSoftProblem elastic = {.mesh = problem->mesh, .material = problem->material};
    CaromStatus status =
        carom_condense(&pickup->grasp.object, &elastic, v3(0, 0, -problem->gravity),
                       pickup->limits.contact_nodes, &pickup->host);
    if (status == CAROM_OK) {
        status = carom_grasp_create(&pickup->grasp, pickup->limits.contact_nodes);
    }
    if (status != CAROM_OK) {
        return status;
    }
    CaromTool *tools = pickup->grasp.tools;
    tools[CAROM_PICKUP_TABLE] =
        (CaromTool){.centre = {0, 0, carom_soft_measure(problem->mesh, NULL).low.z},
                    .friction = problem->table_friction};
    for (int i = 0; i < 2; i++) {
        const CaromFinger *finger = &problem->fingers[i];
        pickup->grasp.direction[i] = v3_scale(1 / v3_norm(finger->direction), finger->direction);
        tools[i + 1] = (CaromTool){
            .round = true, .radius = finger->radius, .friction = problem->finger_friction};
    }
    const CaromHost *host = &pickup->host;
    pickup->steps = carom_allocate(host, sizeof *pickup->steps * (size_t)pickup->limits.steps);
    pickup->events = carom_allocate(host, sizeof *pickup->events * (size_t)pickup->limits.events);
    size_t size = 3 * (size_t)pickup->grasp.most_pairs + CAROM_RIGID;
    pickup->sliding = carom_allocate(host, sizeof(double) * size * (CAROM_QUADRATIC_MOST + 1));
    bool whole = pickup->steps && pickup->events && pickup->sliding;
    whole = take_frame(pickup, &pickup->last) && whole;
    whole = take_frame(pickup, &pickup->gripped) && whole;
    return whole ? CAROM_OK : CAROM_NO_MEMORY;
}

CaromStatus carom_pickup_create(const CaromPickupProblem *problem, const CaromPickupLimits *limits,
                                CaromPickup **pickup) {
    CAROM_REQUIRE(NULL, problem);
    CAROM_REQUIRE(NULL, pickup);
    CaromPickupLimits chosen = carom_pickup_limits_default();
    const CaromHost *host = &chosen.host;
    CaromStatus status = carom_settings_take(&chosen, limits, "limits", host);
    limits = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    status = carom_pickup_check(problem, host);
    CaromStatus limited = check_limits(host, limits); // both are told
    if (status != CAROM_OK || limited != CAROM_OK) {
        return CAROM_BAD_DATA;
    }
    CaromPickup *made = carom_allocate(host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromPickup){.host = *host, .problem = *problem, .limits = *limits};
    status = fill(made);
    if (status != CAROM_OK) {
        carom_pickup_destroy(made);
        return status;
    }
    *pickup = made;
    return CAROM_OK;
}

void carom_pickup_destroy(CaromPickup *pickup) {
    if (pickup) {
        CaromHost host = pickup->host;
        carom_grasp_destroy(&pickup->grasp);
        carom_release(&host, pickup->steps);
        carom_release(&host, pickup->events);
        carom_release(&host, pickup->sliding);
        carom_release(&host, pickup->last.displacements);
        carom_release(&host, pickup->last.contacts);
        carom_release(&host, pickup->gripped.displacements);
        carom_release(&host, pickup->gripped.contacts);
        carom_release(&host, pickup);
    }
}

// ---- Solving ---------------------------------------------------------------------------------

CaromStatus carom_pickup_solve(CaromPickup *pickup, const CaromPickupOptions *options,
                               CaromPickupResult *result) {
    CAROM_REQUIRE(NULL, pickup);
    CAROM_REQUIRE(NULL, result);
    CaromPickupOptions chosen = carom_pickup_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", &pickup->host);
    options = &chosen;
    if (status == CAROM_OK) {
        status = check_options(pickup, options);
    }
    if (status != CAROM_OK) {
        return status;
    }
    CaromGrasp *grasp = &pickup->grasp;
    CaromSoftMeasure measure = carom_soft_measure(pickup->problem.mesh, NULL);
    pickup->options = *options;
    if (!(options->lift_height > 0)) {
        pickup->options.lift_height = (measure.high.z - measure.low.z) / 10;
    }
    grasp->asked = options->tolerance * grasp->object.weight;
    grasp->max_iterations = options->max_iterations;
    pickup->most_work = pickup->most_open = 0;
    pickup->result = (CaromPickupResult){.outcome = CAROM_PICKUP_STALLED, // until it is known
                                         .method = options->method,
                                         .weight = grasp->object.weight,
                                         .steps = pickup->steps,
                                         .events = pickup->events};
    carom_pickup_run(pickup);
    CaromPickupResult *made = &pickup->result;
    made->grip_depth = pickup->last.step.depth;
    made->height = pickup->last.step.height;
    made->work = pickup->last.step.work;
    made->touched = grasp->object.touched_count;
    made->last = carom_kept_frame(pickup, &pickup->last);
    made->gripped = carom_kept_frame(pickup, &pickup->gripped);
    *result = *made;
    return CAROM_OK;
}

void carom_pickup_von_mises(const CaromPickup *pickup, const CaromVec3 *displacements,
                            double *stress) {
    if (pickup == NULL || displacements == NULL || stress == NULL) {
        return;
    }
    carom_soft_von_mises(pickup->grasp.object.soft, NULL, displacements, stress);
}
