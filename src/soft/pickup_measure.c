// SPDX-License-Identifier: Apache-2.0
// What there is to say about a step: forces, the weight that could be lifted, energies, checks,
// events.
#include "base/host.h"
#include "soft/field.h"
#include "soft/mesh.h"
#include "soft/pickup.h"

// ---- Forces ----------------------------------------------------------------------------------

static void count_forces(const CaromGrasp *grasp, CaromPickupStep *step) {
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        CaromPickupMode mode = grasp->touches[k].mode;
        step->force[pair->body] = v3_add(step->force[pair->body], pair->force);
        step->sticking[pair->body] += mode == CAROM_PICKUP_STICKS;
        step->slipping[pair->body] += mode == CAROM_PICKUP_SLIPS;
    }
}

/// What a finger can hold, theory.md (10.9): every node with its friction upward.
static double hold(const CaromGrasp *grasp, CaromPickupBody body, CaromVec3 *middle) {
    double held = 0, load = 0, friction = grasp->tools[body].friction;
    *middle = v3(0, 0, 0);
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        if (pair->body == body) {
            CaromVec3 n = grasp->touches[k].normal;
            double along = fmax(v3_dot(n, pair->force), 0);
            held += along * (n.z + friction * norm2(n.x, n.y));
            *middle = v3_axpy(along, grasp->now.places[pair->surface], *middle);
            load += along;
        }
    }
    if (load > 0) {
        *middle = v3_scale(1 / load, *middle);
    }
    return load > 0 ? fmax(held, 0) : 0;
}

/// The weight at which one of the fingers starts to slide, when each bears what the mass centre
/// between them gives it.
static double find_liftable(const CaromGrasp *grasp, CaromVec3 mass_centre) {
    CaromVec3 middle[2];
    const double held[2] = {hold(grasp, CAROM_PICKUP_FINGER_1, &middle[0]),
                            hold(grasp, CAROM_PICKUP_FINGER_2, &middle[1])};
    CaromVec3 between = v3_sub(middle[1], middle[0]);
    between.z = 0;
    double square = v3_dot(between, between);
    if (!(held[0] > 0 && held[1] > 0 && square > 0)) {
        return 0;
    }
    double second = v3_dot(between, v3_sub(mass_centre, middle[0])) / square, first = 1 - second;
    if (!(first > 0 && second > 0)) {
        return 0; // the mass centre lies beyond a finger
    }
    return fmin(held[0] / first, held[1] / second);
}

/// Of the deformed shape.
static CaromVec3 find_mass_centre(const CaromPickup *pickup) {
    const CaromCondensed *object = &pickup->grasp.object;
    CaromVec3 sum = {0};
    double mass = 0;
    for (int i = 0; i < object->mesh->node_count; i++) {
        double share = object->soft->node_masses[i];
        sum = v3_axpy(share, v3_add(object->mesh->nodes[i], pickup->last.displacements[i]), sum);
        mass += share;
    }
    return v3_scale(1 / mass, sum);
}

/// By how much the object turned about the line between the fingers: the turn that fits the
/// displacements best, all masses counted.
static double find_turn(const CaromPickup *pickup) {
    const CaromCondensed *object = &pickup->grasp.object;
    CaromVec3 line = v3_sub(pickup->grasp.direction[0], pickup->grasp.direction[1]);
    double length = v3_norm(line), moved = 0, inertia = 0;
    for (int i = 0; i < object->mesh->node_count && length > 0; i++) {
        CaromVec3 arm = v3_sub(object->mesh->nodes[i], object->centre);
        CaromVec3 way = v3_cross(v3_scale(1 / length, line), arm);
        double mass = object->soft->node_masses[i];
        moved += mass * v3_dot(way, pickup->last.displacements[i]);
        inertia += mass * v3_dot(way, way);
    }
    return inertia > 0 ? moved / inertia : 0;
}

// ---- Energies --------------------------------------------------------------------------------

/// 1/2 u K u = 1/2 (f + g) u, since the forces balance.
static double find_strain(const CaromGrasp *grasp, double gravity_work) {
    double twice = grasp->now.at.load * gravity_work;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        CaromVec3 from = grasp->object.mesh->nodes[grasp->object.surface[pair->surface]];
        twice += v3_dot(pair->force, v3_sub(grasp->now.places[pair->surface], from));
    }
    return twice / 2;
}

/// The part of a force along a body, at a place of it that is given from its centre.
static CaromVec3 along_body(const CaromTool *tool, CaromVec3 foot, CaromVec3 force) {
    CaromVec3 normal = tool->round ? v3_scale(1 / v3_norm(foot), foot) : v3(0, 0, 1);
    return v3_axpy(-v3_dot(normal, force), normal, force);
}

/// What friction takes from a pair within the step, by the trapezoidal rule.
static double find_loss(const CaromGrasp *grasp, const CaromPair *pair) {
    const CaromTool *tool = &grasp->tools[pair->body];
    CaromVec3 foot = carom_tool_foot(tool, grasp->now.places[pair->surface]);
    CaromVec3 drag =
        v3_add(along_body(tool, pair->foot, pair->old_force), along_body(tool, foot, pair->force));
    return -v3_dot(drag, v3_sub(foot, pair->foot)) / 2;
}

/// Work of the fingers and loss by friction within the step, by the trapezoidal rule.
static void add_work(const CaromPickup *pickup, CaromPickupStep *step) {
    const CaromGrasp *grasp = &pickup->grasp;
    const CaromGoal *now = &grasp->now.at, *old = &grasp->old.at;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        step->work.friction += find_loss(grasp, pair);
        if (pair->body != CAROM_PICKUP_TABLE) {
            CaromVec3 mean = v3_scale(0.5, v3_add(pair->force, pair->old_force));
            CaromVec3 way = v3_scale(now->depth - old->depth, grasp->direction[pair->body - 1]);
            way.z += now->height - old->height;
            step->work.fingers += v3_dot(mean, way);
        }
    }
}

static void balance_work(CaromPickup *pickup, CaromPickupPhase phase, CaromPickupStep *step) {
    const CaromGrasp *grasp = &pickup->grasp;
    double gravity_work = carom_condensed_gravity_work(&grasp->object, grasp->now.at.load,
                                                       grasp->forces, &grasp->now.rigid);
    double strain = find_strain(grasp, gravity_work);
    if (phase == CAROM_PICKUP_REST) {
        pickup->rest_strain = strain;
        pickup->rest_potential = -gravity_work;
        pickup->rest_turn = step->turn;
        step->turn = 0;
        return;
    }
    step->work = pickup->last.step.work;
    add_work(pickup, step);
    step->work.strain = strain - pickup->rest_strain;
    step->work.lift = -gravity_work - pickup->rest_potential;
    step->work.unaccounted =
        step->work.fingers - step->work.strain - step->work.friction - step->work.lift;
}

// ---- Checks ----------------------------------------------------------------------------------

static void check_step(const CaromGrasp *grasp, CaromPickupStep *step) {
    double weight = grasp->object.weight;
    const double *b = grasp->balance.part;
    step->force_error = v3_norm(v3(b[0], b[1], b[2])) / weight;
    step->moment_error = v3_norm(v3(b[3], b[4], b[5])) / weight;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        CaromVec3 n = grasp->touches[k].normal;
        double along = v3_dot(n, pair->force);
        double across = v3_norm(v3_axpy(-along, n, pair->force));
        double excess = fmax(-along, across - grasp->tools[pair->body].friction * along);
        step->coulomb_excess = fmax(step->coulomb_excess, excess / weight);
    }
    for (int body = 0; body < CAROM_PICKUP_BODIES; body++) {
        for (int i = 0; i < grasp->object.surface_count; i++) {
            double gap = carom_tool_gap(&grasp->tools[body], grasp->now.places[i]);
            step->penetration = fmax(step->penetration, -gap);
        }
    }
}

int carom_pickup_inverted(const CaromPickup *pickup) {
    const CaromSoftMesh *mesh = pickup->problem.mesh;
    int count = 0;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        CaromVec3 corner[4];
        for (int i = 0; i < 4; i++) {
            int node = mesh->tetrahedra[t][i];
            corner[i] = v3_add(mesh->nodes[node], pickup->last.displacements[node]);
        }
        count += !(carom_six_volumes(corner, (const int[4]){0, 1, 2, 3}) > 0);
    }
    return count;
}

double carom_pickup_residual(CaromPickup *pickup) {
    const CaromCondensed *object = &pickup->grasp.object;
    const CaromSoft *soft = object->soft;
    int count = object->mesh->node_count;
    carom_elastic_forces(&soft->elastic, soft->elements, pickup->last.displacements, object->work);
    for (int i = 0; i < count; i++) {
        object->work[i] = v3_axpy(-soft->node_masses[i], object->gravity, object->work[i]);
    }
    for (int k = 0; k < pickup->last.contact_count; k++) {
        const CaromPickupContact *contact = &pickup->last.contacts[k];
        object->work[contact->node] = v3_sub(object->work[contact->node], contact->force);
    }
    return field_norm(count, object->work) / object->weight;
}

// ---- The whole -------------------------------------------------------------------------------

CaromPickupStep carom_pickup_measure(CaromPickup *pickup, CaromPickupPhase phase, int iterations) {
    CaromGrasp *grasp = &pickup->grasp;
    CaromPickupStep step = {.phase = phase,
                            .depth = grasp->now.at.depth,
                            .height = grasp->now.at.height,
                            .iterations = iterations};
    carom_condensed_expand(&grasp->object, grasp->now.at.load, grasp->forces, &grasp->now.rigid,
                           pickup->last.displacements);
    count_forces(grasp, &step);
    step.liftable = find_liftable(grasp, find_mass_centre(pickup));
    step.turn = find_turn(pickup) - (phase == CAROM_PICKUP_REST ? 0 : pickup->rest_turn);
    balance_work(pickup, phase, &step);
    check_step(grasp, &step);
    return step;
}

/// What happened between the end of the last step and now.
static bool find_event(CaromPickupMode before, CaromPickupMode after, CaromPickupEventKind *kind) {
    if (before == after) {
        return false;
    }
    if (before == CAROM_PICKUP_APART) {
        *kind = CAROM_PICKUP_MADE;
    } else if (after == CAROM_PICKUP_APART) {
        *kind = CAROM_PICKUP_BROKEN;
    } else {
        *kind =
            after == CAROM_PICKUP_SLIPS ? CAROM_PICKUP_STICK_TO_SLIP : CAROM_PICKUP_SLIP_TO_STICK;
    }
    return true;
}

void carom_pickup_keep_events(CaromPickup *pickup) {
    CaromGrasp *grasp = &pickup->grasp;
    CaromPickupResult *result = &pickup->result;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        CaromPickupEvent event = {.body = pair->body,
                                  .node = grasp->object.surface[pair->surface],
                                  .depth = grasp->now.at.depth,
                                  .height = grasp->now.at.height};
        if (!find_event(pair->mode, grasp->touches[k].mode, &event.kind)) {
            continue;
        }
        if (result->event_count < pickup->limits.events) {
            pickup->events[result->event_count++] = event;
        } else {
            result->events_lost++;
        }
    }
}

static void keep_contacts(CaromPickup *pickup) {
    const CaromGrasp *grasp = &pickup->grasp;
    pickup->last.contact_count = grasp->now.pair_count;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        pickup->last.contacts[k] = (CaromPickupContact){
            .node = grasp->object.surface[pair->surface],
            .body = pair->body,
            .mode = pair->mode,
            .force = pair->force,
            .normal = grasp->touches[k].normal,
        };
    }
    for (int i = 0; i < 2; i++) {
        pickup->last.fingers[i] = grasp->tools[i + 1].centre;
    }
}

CaromPickupFrame carom_kept_frame(const CaromPickup *pickup, const CaromKeptFrame *kept) {
    return (CaromPickupFrame){
        .step = &kept->step,
        .node_count = pickup->problem.mesh->node_count,
        .displacements = kept->displacements,
        .fingers = {kept->fingers[0], kept->fingers[1]},
        .contact_count = kept->contact_count,
        .contacts = kept->contacts,
    };
}

/// The sliding system of the step by homotopy, beside Newton's solution.
static void compare_slips(CaromPickup *pickup) {
    CaromPickupResult *result = &pickup->result;
    CaromSliding sliding = carom_grasp_slide(&pickup->grasp, pickup->sliding);
    if (sliding.unknowns > result->sliding_largest) {
        result->sliding_largest = sliding.unknowns;
    }
    if (sliding.paths > 0) {
        double difference = sliding.difference / pickup->grasp.object.weight;
        result->homotopy_systems++;
        result->homotopy_paths += sliding.paths;
        result->homotopy_missed += sliding.roots == 0;
        result->homotopy_several += sliding.roots > 1;
        result->homotopy_difference = fmax(result->homotopy_difference, difference);
    }
}

bool carom_pickup_keep(CaromPickup *pickup, const CaromPickupStep *step, double stride) {
    CaromPickupResult *result = &pickup->result;
    if (result->step_count == pickup->limits.steps) {
        return false;
    }
    carom_pickup_keep_events(pickup);
    if (pickup->options.method == CAROM_PICKUP_HOMOTOPY) {
        compare_slips(pickup);
    }
    carom_grasp_commit(&pickup->grasp, stride);
    keep_contacts(pickup);
    pickup->steps[result->step_count++] = *step;
    pickup->last.step = *step;
    result->force_error = fmax(result->force_error, step->force_error);
    result->moment_error = fmax(result->moment_error, step->moment_error);
    result->coulomb_excess = fmax(result->coulomb_excess, step->coulomb_excess);
    result->penetration = fmax(result->penetration, step->penetration);
    pickup->most_work = fmax(pickup->most_work, fabs(step->work.fingers));
    pickup->most_open = fmax(pickup->most_open, fabs(step->work.unaccounted));
    result->energy_error = pickup->most_work > 0 ? pickup->most_open / pickup->most_work : 0;
    if (pickup->options.observer) {
        CaromPickupFrame frame = carom_kept_frame(pickup, &pickup->last);
        pickup->options.observer(pickup->options.user, &frame);
    }
    return true;
}
