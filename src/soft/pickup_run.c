// SPDX-License-Identifier: Apache-2.0
// The story of a pickup [Wang2017, Algorithms 6 and 7]: rest on the table, squeeze until the lift
// test passes, lift.
#include "base/host.h"
#include "base/vec.h"
#include "soft/field.h"
#include "soft/pickup.h"

enum { REST_STEPS = 4, JUDGED = 4096, SHORTEST = 1 << 20, FINEST = 1 << 14, LOCATE = 20 };

/// An object on the table that turned by more, 20 degrees, is not being lifted but rolled; small
/// displacements tell no more about it [rad].
static const double most_turn = 0.35;

/// How the step is chosen: the forces of the fingers may leave their tangent by so much.
typedef struct Pace {
    double stride; ///< the next [m]
    double longest, shortest;
    bool fixed;                    ///< always the longest
    double last_stride;            ///< 0: nothing to compare with
    CaromVec3 force[2], change[2]; ///< of the fingers at the last step, and how they changed
} Pace;

// ---- Steps -----------------------------------------------------------------------------------

static void fail(CaromPickup *pickup, CaromPickupOutcome outcome) {
    pickup->result.outcome = outcome;
    pickup->result.limit = NULL;
}

/// Solve for a goal and measure. False without a solution.
static bool attempt(CaromPickup *pickup, CaromPickupPhase phase, const CaromGoal *goal,
                    double stride, CaromPickupStep *step) {
    int iterations = carom_grasp_solve(&pickup->grasp, goal, stride);
    pickup->result.iterations = pickup->grasp.iterations;
    if (iterations == 0) {
        return false;
    }
    *step = carom_pickup_measure(pickup, phase, iterations);
    return true;
}

static void fail_limit(CaromPickup *pickup, const char *limit) {
    fail(pickup, CAROM_PICKUP_OVER_LIMIT);
    pickup->result.limit = limit;
}

/// Also the shortest step has no solution. A stray iterate of a longer one may touch any number of
/// nodes; only what this one met is a limit.
static void fail_unsolved(CaromPickup *pickup) {
    if (pickup->grasp.over_limit) {
        fail_limit(pickup, "contact_nodes");
    } else {
        fail(pickup, CAROM_PICKUP_STALLED);
    }
}

static bool keep(CaromPickup *pickup, const CaromPickupStep *step, double stride) {
    if (!carom_pickup_keep(pickup, step, stride)) {
        fail_limit(pickup, "steps");
        return false;
    }
    return true;
}

/// How far the forces of the fingers left their tangent, over the weight.
static double bend(const CaromPickup *pickup, const Pace *pace, double stride,
                   const CaromPickupStep *step) {
    double share = stride / pace->last_stride, most = 0;
    for (int i = 0; i < 2; i++) {
        CaromVec3 foreseen = v3_axpy(share, pace->change[i], pace->force[i]);
        most = fmax(most, v3_norm(v3_sub(step->force[i + 1], foreseen)));
    }
    return most / pickup->grasp.object.weight;
}

/// Remember a step that was kept, and choose the next stride.
static void choose_stride(const CaromPickup *pickup, Pace *pace, double stride,
                          const CaromPickupStep *step) {
    double factor = 2;
    if (pace->last_stride > 0) {
        double error = bend(pickup, pace, stride, step);
        factor = 0.9 * sqrt(pickup->options.accuracy / fmax(error, 1e-12));
    }
    for (int i = 0; i < 2; i++) {
        pace->change[i] = v3_sub(step->force[i + 1], pace->force[i]);
        pace->force[i] = step->force[i + 1];
    }
    pace->last_stride = stride;
    if (pace->fixed) {
        pace->stride = pace->longest;
    } else {
        pace->stride = stride * fmin(fmax(factor, 0.4), 2);
        pace->stride = fmin(fmax(pace->stride, pace->shortest), pace->longest);
    }
}

/// Whether a step was too long for its accuracy and can be shortened.
static bool too_long(const CaromPickup *pickup, const Pace *pace, double stride,
                     const CaromPickupStep *step) {
    return !pace->fixed && pace->last_stride > 0 && stride > 2 * pace->shortest &&
           bend(pickup, pace, stride, step) > 2 * pickup->options.accuracy;
}

/// One step by at most the pace's stride along (depth, height) per metre; shorter when there is no
/// solution, or a bad one. 0 when there is none with the shortest.
static double advance(CaromPickup *pickup, CaromPickupPhase phase, Pace *pace, double by_depth,
                      double by_height, CaromPickupStep *step) {
    CaromGoal from = pickup->grasp.old.at;
    double least = fmin(pace->shortest, pace->stride); // the end of the way may be nearer
    // Of steps that are shorter still the forces are too small to be called unstable.
    double judged = fmin(pace->longest / JUDGED, pace->stride / 64);
    bool unstable = false;
    for (double stride = pace->stride; stride >= (unstable ? judged : least); stride /= 2) {
        pickup->result.halvings += stride < pace->stride;
        CaromGoal goal = {.load = 1,
                          .depth = from.depth + stride * by_depth,
                          .height = from.height + stride * by_height};
        bool solved = attempt(pickup, phase, &goal, stride, step);
        unstable = solved ? carom_grasp_unstable(&pickup->grasp) : unstable;
        if (solved && !unstable && !too_long(pickup, pace, stride, step)) {
            return stride;
        }
    }
    if (unstable) {
        fail(pickup, CAROM_PICKUP_ESCAPED);
    } else {
        fail_unsolved(pickup);
    }
    return 0;
}

// ---- Rest ------------------------------------------------------------------------------------

/// The object as given, the fingers away.
static void start(CaromPickup *pickup, bool ice) {
    CaromGrasp *grasp = &pickup->grasp;
    for (int i = 0; i < 2; i++) {
        grasp->start[i] =
            v3_axpy(-100 * grasp->object.size, grasp->direction[i], grasp->object.centre);
    }
    carom_grasp_reset(grasp, 1.0 / REST_STEPS, ice);
}

/// Gravity grows by steps [Wang2017, Algorithm 6].
static bool rest(CaromPickup *pickup) {
    CaromPickupStep step = {0};
    double load = 0, stride = 1.0 / REST_STEPS;
    bool ice = false;
    start(pickup, ice);
    while (load < 1) {
        CaromGoal goal = {.load = fmin(load + stride, 1)};
        if (attempt(pickup, CAROM_PICKUP_REST, &goal, stride, &step)) {
            load = goal.load;
            if (load < 1) {
                carom_pickup_keep_events(pickup);
                carom_grasp_commit(&pickup->grasp, stride);
            }
        } else if (load == 0 && !ice) {
            // The first step is the same at every load: only another start can help.
            start(pickup, ice = true);
        } else if ((stride /= 2) < 1.0 / SHORTEST) {
            fail_unsolved(pickup);
            return false;
        } else {
            pickup->result.halvings++;
        }
    }
    bool kept = keep(pickup, &step, stride);
    pickup->grasp.old_stride = 0;
    return kept;
}

/// Where each finger first touches the resting object, and the angle of the grip there. False where
/// one does not.
static bool approach(CaromPickup *pickup) {
    CaromGrasp *grasp = &pickup->grasp;
    CaromVec3 touched[2], normal[2];
    bool reached = true;
    for (int f = 0; f < 2; f++) {
        const CaromFinger *finger = &pickup->problem.fingers[f];
        double least = HUGE_VAL;
        touched[f] = v3_axpy(finger->radius, finger->direction, finger->centre);
        for (int i = 0; i < grasp->object.surface_count; i++) {
            CaromVec3 arm = v3_sub(grasp->now.places[i], finger->centre);
            double along = v3_dot(arm, finger->direction);
            double across = v3_dot(arm, arm) - along * along;
            double room = finger->radius * finger->radius - across;
            if (room >= 0 && along - sqrt(room) < least) {
                least = along - sqrt(room);
                touched[f] = grasp->now.places[i];
            }
        }
        reached = reached && isfinite(least);
        grasp->start[f] = v3_axpy(isfinite(least) ? least : 0, finger->direction, finger->centre);
        normal[f] = v3_scale(1 / finger->radius, v3_sub(touched[f], grasp->start[f]));
    }
    CaromVec3 line = v3_sub(touched[1], touched[0]);
    double length = v3_norm(line);
    for (int f = 0; f < 2; f++) {
        double along = (f == 0 ? 1 : -1) * v3_dot(line, normal[f]) / length;
        pickup->result.grip_angles[f] = acos(fmin(fmax(along, -1), 1));
    }
    carom_grasp_aim(grasp, &grasp->now.at);
    if (!reached) {
        fail(pickup, CAROM_PICKUP_MISSED);
        return false;
    }
    if (!(pickup->options.max_depth > 0)) {
        pickup->options.max_depth = fmin(length / 4, carom_pickup_room(&pickup->problem));
    }
    return true;
}

// ---- Squeeze ---------------------------------------------------------------------------------

/// How deep the fingers will squeeze about, by Hertz: theory (10.9) asks for F = W / (2 mu), and
/// F = 4/3 E' sqrt(R) d^1.5. Steps of a stiff object start below it: longer ones lead Newton's
/// method astray, into any number of nodes.
static double foresee_depth(const CaromPickup *pickup) {
    const CaromPickupProblem *problem = &pickup->problem;
    const CaromSoftMaterial *material = &problem->material;
    double radius = fmin(problem->fingers[0].radius, problem->fingers[1].radius);
    double stiff =
        material->young * material->stiffness_factor / (1 - material->poisson * material->poisson);
    double force = pickup->grasp.object.weight / (2 * fmax(problem->finger_friction, 0.05));
    return cbrt(force * force * 9 / (16 * stiff * stiff * radius));
}

/// The lift test passed within a step: find where, by shortening the step.
static double locate(CaromPickup *pickup, double low_liftable, double stride,
                     CaromPickupStep *step) {
    double weight = pickup->grasp.object.weight, low = 0, high = stride;
    double high_liftable = step->liftable, from = pickup->grasp.old.at.depth;
    for (int i = 0; i < LOCATE && high_liftable > weight * (1 + 1e-6); i++) {
        double share = (weight - low_liftable) / (high_liftable - low_liftable);
        share = i % 3 == 2 ? 0.5 : fmin(fmax(share + 1e-7, 0.02), 0.98);
        double middle = low + share * (high - low);
        CaromPickupStep tried;
        if (!attempt(pickup, CAROM_PICKUP_SQUEEZE, &(CaromGoal){1, from + middle, 0}, middle,
                     &tried)) {
            break;
        }
        if (tried.liftable >= weight) {
            high = middle;
            high_liftable = tried.liftable;
        } else {
            low = middle;
            low_liftable = tried.liftable;
        }
    }
    // Once more where it passed: the last try may have been another one.
    CaromPickupStep again;
    if (attempt(pickup, CAROM_PICKUP_SQUEEZE, &(CaromGoal){1, from + high, 0}, high, &again)) {
        *step = again;
        return high;
    }
    return 0;
}

static bool squeeze(CaromPickup *pickup) {
    CaromPickupOptions *options = &pickup->options;
    double longest = options->step > 0 ? options->step : options->max_depth / 50;
    double foreseen = foresee_depth(pickup);
    Pace pace = {.longest = longest,
                 .shortest = fmin(longest / SHORTEST, foreseen / FINEST),
                 .fixed = options->fixed_steps};
    pace.stride = options->fixed_steps ? longest : fmin(longest / 16, foreseen / 16);
    double weight = pickup->grasp.object.weight;
    for (;;) {
        CaromPickupStep step = {0};
        double depth = pickup->grasp.old.at.depth, left = options->max_depth - depth;
        if (left <= 1e-9 * options->max_depth) {
            fail(pickup, CAROM_PICKUP_TOO_WEAK);
            return false;
        }
        pace.stride = fmin(pace.stride, left);
        double stride = advance(pickup, CAROM_PICKUP_SQUEEZE, &pace, 1, 0, &step);
        double liftable_before = pickup->last.step.liftable;
        if (stride > 0 && step.liftable >= weight && !options->fixed_steps) {
            stride = locate(pickup, liftable_before, stride, &step);
        }
        if (!(stride > 0) || !keep(pickup, &step, stride)) {
            return false;
        }
        carom_progress(&pickup->host, -1);
        choose_stride(pickup, &pace, stride, &step);
        if (carom_pickup_inverted(pickup) > 0) {
            fail(pickup, CAROM_PICKUP_OVERSTRAINED);
            return false;
        }
        if (step.liftable >= weight) {
            return true;
        }
    }
}

// ---- Lift ------------------------------------------------------------------------------------

/// The fingers go another way from here: the last step says nothing about the next.
static void turn(CaromPickup *pickup, Pace *pace) {
    pickup->grasp.old_stride = 0;
    pace->last_stride = 0;
    pace->stride = pace->longest / 64;
    for (int i = 0; i < 2; i++) {
        pace->force[i] = pickup->last.step.force[i + 1];
    }
}

static bool on_table(const CaromPickupStep *step) {
    return step->sticking[CAROM_PICKUP_TABLE] + step->slipping[CAROM_PICKUP_TABLE] > 0;
}

/// A lift on its way.
typedef struct Lift {
    Pace pace;
    double top;     ///< where it ends [m]
    double held;    ///< the height at which both fingers last had a node that sticks
    double slide;   ///< past that, how far they may slide along the object
    double wanted;  ///< liftable weight that is asked for, over the weight
    double firmer;  ///< by how much that was last raised
    bool squeezing; ///< the fingers squeeze instead of rising
    bool free;      ///< the object left the table
} Lift;

static bool may_squeeze(const CaromPickup *pickup) {
    return pickup->last.step.depth < pickup->options.max_depth * (1 - 1e-9);
}

/// Whether the fingers hold too little to go on: as a hand does, they then squeeze a little more,
/// if they may.
static bool wants_more(const CaromPickup *pickup, const Lift *lift) {
    const CaromPickupStep *at = &pickup->last.step;
    // Once it squeezes, it does so for a while.
    double wanted = lift->squeezing ? 1.01 * lift->wanted : lift->wanted;
    bool weak = at->liftable < wanted * pickup->grasp.object.weight;
    bool slides = at->height - lift->held > lift->slide / 4;
    return (weak || slides) && may_squeeze(pickup);
}

/// Where a finger slides at all its nodes there may be no state above this one. Then ask for a
/// firmer grip, more so each time. False if that is in vain.
static bool grip_firmer(const CaromPickup *pickup, Lift *lift) {
    if (pickup->result.outcome != CAROM_PICKUP_STALLED || lift->squeezing || lift->free ||
        !may_squeeze(pickup)) {
        return false;
    }
    lift->firmer = fmax(2 * lift->firmer, 0.01);
    lift->wanted = pickup->last.step.liftable / pickup->grasp.object.weight + lift->firmer;
    return true;
}

/// Whether there is nothing more to come: at the top, or the object slid or turned instead.
static bool lift_ends(CaromPickup *pickup, const Lift *lift) {
    const CaromPickupStep *at = &pickup->last.step;
    bool lies = on_table(at), top = at->height >= lift->top * (1 - 1e-9);
    bool turned = lies && fabs(at->turn) > most_turn;
    bool slid = lies && at->height - lift->held > lift->slide;
    if (turned) {
        fail(pickup, CAROM_PICKUP_TURNED);
    } else if (slid || (top && lies)) {
        fail(pickup, CAROM_PICKUP_SLIPPED);
    } else {
        fail(pickup, CAROM_PICKUP_LIFTED);
    }
    return turned || slid || top;
}

/// Take note of a step that was kept.
static void follow_lift(const CaromPickup *pickup, const CaromPickupStep *step, Lift *lift) {
    if (step->sticking[CAROM_PICKUP_FINGER_1] > 0 && step->sticking[CAROM_PICKUP_FINGER_2] > 0) {
        lift->held = step->height;
    }
    if (!on_table(step) && !lift->free) {
        lift->free = true;
        lift->top = step->height + pickup->options.lift_height;
        lift->pace.longest = pickup->options.lift_height / 10; // nothing new to run into
    }
}

/// The fingers rise until the object has left the table, and on by the height of the lift. They
/// squeeze more where that takes away from their grip.
static void rise(CaromPickup *pickup) {
    CaromPickupOptions *options = &pickup->options;
    CaromSoftMeasure measure = carom_soft_measure(pickup->problem.mesh, NULL);
    double longest = fmin(options->lift_height / 10, options->max_depth / 50);
    double size = measure.high.z - measure.low.z;
    Lift lift = {.top = size + options->lift_height, // past the object
                 .slide = size / 10,
                 .wanted = 1,
                 .pace = {.longest = longest, .shortest = longest / SHORTEST}};
    Pace *pace = &lift.pace;
    turn(pickup, pace);
    while (!lift_ends(pickup, &lift)) {
        CaromPickupStep step = {0};
        bool more = wants_more(pickup, &lift);
        if (more != lift.squeezing) {
            lift.squeezing = more;
            turn(pickup, pace);
        }
        double left = more ? options->max_depth - pickup->last.step.depth
                           : lift.top - pickup->last.step.height;
        pace->stride = fmin(pace->stride, left);
        double stride = advance(pickup, CAROM_PICKUP_LIFT, pace, more, !more, &step);
        if (!(stride > 0) && grip_firmer(pickup, &lift)) {
            continue;
        }
        if (!(stride > 0) || !keep(pickup, &step, stride)) {
            return;
        }
        carom_progress(&pickup->host, -1);
        choose_stride(pickup, pace, stride, &step);
        if (carom_pickup_inverted(pickup) > 0) {
            fail(pickup, CAROM_PICKUP_OVERSTRAINED);
            return;
        }
        follow_lift(pickup, &step, &lift);
    }
}

// ---- The whole -------------------------------------------------------------------------------

static void keep_grip(CaromPickup *pickup) {
    CaromKeptFrame *grip = &pickup->gripped;
    CaromVec3 *displacements = grip->displacements;
    CaromPickupContact *contacts = grip->contacts;
    field_copy(pickup->problem.mesh->node_count, pickup->last.displacements, displacements);
    memcpy(contacts, pickup->last.contacts, sizeof *contacts * (size_t)pickup->last.contact_count);
    *grip = pickup->last;
    grip->displacements = displacements;
    grip->contacts = contacts;
    pickup->result.squeeze_depth = pickup->last.step.depth;
    pickup->result.squeeze_work = pickup->last.step.work;
}

/// Back to the end of the last step: what was tried after it is forgotten.
static void settle(CaromPickup *pickup) {
    CaromGrasp *grasp = &pickup->grasp;
    if (pickup->result.step_count > 0) {
        carom_grasp_restore(grasp);
        (void)carom_grasp_evaluate(grasp);
        carom_condensed_expand(&grasp->object, grasp->now.at.load, grasp->forces, &grasp->now.rigid,
                               pickup->last.displacements);
        // At rest the fingers were away; now it is known where they start.
        pickup->last.fingers[0] = grasp->tools[CAROM_PICKUP_FINGER_1].centre;
        pickup->last.fingers[1] = grasp->tools[CAROM_PICKUP_FINGER_2].centre;
    }
}

void carom_pickup_run(CaromPickup *pickup) {
    bool gripped = false;
    pickup->last.step = (CaromPickupStep){0};
    pickup->last.contact_count = 0;
    if (rest(pickup) && approach(pickup)) {
        gripped = squeeze(pickup);
    }
    if (pickup->result.step_count == 0) {
        field_zero(pickup->problem.mesh->node_count, pickup->last.displacements);
    }
    pickup->result.liftable = gripped;
    settle(pickup);
    keep_grip(pickup);
    if (gripped && pickup->options.squeeze_only) {
        fail(pickup, CAROM_PICKUP_GRIPPED);
    } else if (gripped) {
        rise(pickup);
        settle(pickup);
    }
    if (pickup->result.step_count > 0) {
        pickup->result.residual = carom_pickup_residual(pickup);
    }
}
