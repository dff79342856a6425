// SPDX-License-Identifier: Apache-2.0
// One step of a grasp by a semismooth Newton method: theory.md (10.6) to (10.8).
//
// Unknown are the forces of all pairs of a node and a body that may touch, and the rigid motion.
// Every pair brings the three equations of touch.h, the object the six of its balance. The mode of
// a pair is not guessed: it is the branch of its equations that the iterate lies on. Steps are
// shortened until the residual falls below the largest of the last few, since a change of branch
// may let it grow for a while.
#include "soft/grasp.h"

#include "base/dense.h"
#include "base/host.h"
#include "soft/field.h"

enum { MEMORY = 4, HALVINGS = 8 };

/// What holds rigid motions that nothing else holds, such as sliding on ice: part of the stiffness.
/// It acts on the iteration only and is gone from its result.
static const double tether = 1e-8;

/// Places are rounded to 1e-16 of the object's size. A residual is a force, and stiffness turns
/// that rounding into one: nothing below this many times it can be reached. A stone (1e11 Pa, 36
/// mm) has 2e-9 of its weight there. Ten times less: stalls; ten times more: forces less exact by
/// as much.
static const double rounding = 16 * 2.2e-16;

// ---- Memory ----------------------------------------------------------------------------------

static void *take(const CaromHost *host, bool *whole, size_t count, size_t size) {
    void *memory = carom_allocate(host, count * size);
    *whole = *whole && memory;
    return memory;
}

static void take_grip(const CaromGrasp *grasp, bool *whole, CaromGrip *grip) {
    const CaromHost *host = &grasp->object.host;
    size_t surface = (size_t)grasp->object.surface_count;
    grip->pairs = take(host, whole, (size_t)grasp->most_pairs, sizeof *grip->pairs);
    grip->places = take(host, whole, surface, sizeof *grip->places);
}

CaromStatus carom_grasp_create(CaromGrasp *grasp, int most_pairs) {
    const CaromHost *host = &grasp->object.host;
    bool whole = true;
    size_t surface = (size_t)grasp->object.surface_count;
    // A node may touch more than one body.
    int most = CAROM_PICKUP_BODIES * grasp->object.surface_count;
    grasp->most_pairs = most_pairs < most ? most_pairs : most;
    size_t pairs = (size_t)grasp->most_pairs, size = 3 * pairs + CAROM_RIGID;
    take_grip(grasp, &whole, &grasp->now);
    take_grip(grasp, &whole, &grasp->old);
    grasp->pair_of = take(host, &whole, CAROM_PICKUP_BODIES * surface, sizeof(int));
    grasp->forces = take(host, &whole, (size_t)grasp->object.most_touched, sizeof(CaromVec3));
    grasp->touches = take(host, &whole, pairs, sizeof *grasp->touches);
    grasp->live = take(host, &whole, pairs, sizeof(int));
    grasp->matrix = take(host, &whole, size * size, sizeof(double));
    grasp->right = take(host, &whole, size, sizeof(double));
    grasp->pivot = take(host, &whole, size, sizeof(int));
    grasp->trial_pairs = take(host, &whole, pairs, sizeof *grasp->trial_pairs);
    return whole ? CAROM_OK : CAROM_NO_MEMORY;
}

void carom_grasp_destroy(CaromGrasp *grasp) {
    const CaromHost host = grasp->object.host;
    carom_release(&host, grasp->now.pairs);
    carom_release(&host, grasp->now.places);
    carom_release(&host, grasp->old.pairs);
    carom_release(&host, grasp->old.places);
    carom_release(&host, grasp->pair_of);
    carom_release(&host, grasp->forces);
    carom_release(&host, grasp->touches);
    carom_release(&host, grasp->live);
    carom_release(&host, grasp->matrix);
    carom_release(&host, grasp->right);
    carom_release(&host, grasp->pivot);
    carom_release(&host, grasp->trial_pairs);
    carom_condensed_destroy(&grasp->object);
}

void carom_grip_copy(const CaromGrasp *grasp, const CaromGrip *from, CaromGrip *to) {
    CaromPair *pairs = to->pairs;
    CaromVec3 *places = to->places;
    memcpy(pairs, from->pairs, sizeof *pairs * (size_t)from->pair_count);
    field_copy(grasp->object.surface_count, from->places, places);
    *to = *from;
    to->pairs = pairs;
    to->places = places;
}

// ---- Pairs -----------------------------------------------------------------------------------

static int *find_pair(CaromGrasp *grasp, CaromPickupBody body, int surface) {
    return &grasp->pair_of[(int)body * grasp->object.surface_count + surface];
}

/// The whole index anew, after pairs were dropped or restored.
static void index_pairs(CaromGrasp *grasp) {
    for (int i = 0; i < CAROM_PICKUP_BODIES * grasp->object.surface_count; i++) {
        grasp->pair_of[i] = -1;
    }
    for (int i = 0; i < grasp->now.pair_count; i++) {
        *find_pair(grasp, grasp->now.pairs[i].body, grasp->now.pairs[i].surface) = i;
    }
}

/// A body where it is at a goal.
static CaromTool tool_at(const CaromGrasp *grasp, CaromPickupBody body, const CaromGoal *at) {
    CaromTool tool = grasp->tools[body];
    if (body != CAROM_PICKUP_TABLE) {
        int finger = (int)body - 1;
        tool.centre = v3_axpy(at->depth, grasp->direction[finger], grasp->start[finger]);
        tool.centre.z += at->height;
    }
    return tool;
}

static double stiffness_of(const CaromCondensed *object, int touched) {
    int surface = object->touched[touched];
    double trace = carom_condensed_column(object, touched, 0, surface).x +
                   carom_condensed_column(object, touched, 1, surface).y +
                   carom_condensed_column(object, touched, 2, surface).z;
    return 3 / trace;
}

static bool uses(const CaromGrip *grip, int touched) {
    for (int k = 0; k < grip->pair_count; k++) {
        if (grip->pairs[k].touched == touched) {
            return true;
        }
    }
    return false;
}

/// Make a node one that can bear a force; when there are too many, in the place of one that no
/// longer does, nor did at the end of the last step.
static bool touch_node(CaromGrasp *grasp, int surface) {
    CaromCondensed *object = &grasp->object;
    if (carom_condensed_touch(object, surface)) {
        return true;
    }
    for (int t = 0; t < object->touched_count; t++) {
        if (!uses(&grasp->now, t) && !uses(&grasp->old, t)) {
            carom_condensed_replace(object, t, surface);
            return true;
        }
    }
    return false;
}

/// A new pair, without force; its foot is below where the node was.
static CaromPair *add_pair(CaromGrasp *grasp, CaromPickupBody body, int surface) {
    CaromGrip *now = &grasp->now;
    if (now->pair_count == grasp->most_pairs || !touch_node(grasp, surface)) {
        grasp->over_limit = true;
        return NULL;
    }
    CaromTool before = tool_at(grasp, body, &grasp->old.at);
    int touched = grasp->object.touched_of[surface];
    *find_pair(grasp, body, surface) = now->pair_count;
    CaromPair *pair = &now->pairs[now->pair_count++];
    *pair = (CaromPair){
        .body = body,
        .surface = surface,
        .touched = touched,
        .foot = carom_tool_foot(&before, grasp->old.places[surface]),
        .stiffness = stiffness_of(&grasp->object, touched),
    };
    return pair;
}

/// Nodes that lie within a body and are no pair yet become one. Returns how many.
static int add_penetrating(CaromGrasp *grasp) {
    int added = 0;
    double slack = 1e-13 * grasp->object.size;
    for (int body = 0; body < CAROM_PICKUP_BODIES; body++) {
        for (int i = 0; i < grasp->object.surface_count; i++) {
            double gap = carom_tool_gap(&grasp->tools[body], grasp->now.places[i]);
            if (gap < -slack && *find_pair(grasp, (CaromPickupBody)body, i) < 0) {
                added += add_pair(grasp, (CaromPickupBody)body, i) != NULL;
            }
        }
    }
    return added;
}

// ---- Residuals -------------------------------------------------------------------------------

static void place_nodes(CaromGrasp *grasp) {
    CaromCondensed *object = &grasp->object;
    CaromGrip *now = &grasp->now;
    field_zero(object->touched_count, grasp->forces);
    for (int k = 0; k < now->pair_count; k++) {
        CaromVec3 *at = &grasp->forces[now->pairs[k].touched];
        *at = v3_add(*at, now->pairs[k].force);
    }
    carom_condensed_move(object, now->at.load, grasp->forces, &now->rigid, now->places);
    for (int i = 0; i < object->surface_count; i++) {
        now->places[i] = v3_add(now->places[i], object->mesh->nodes[object->surface[i]]);
    }
}

/// Sum of forces and of their moments over the size of the object [N].
static void find_balance(CaromGrasp *grasp) {
    const CaromCondensed *object = &grasp->object;
    CaromVec3 motion[CAROM_RIGID];
    for (int i = 0; i < CAROM_RIGID; i++) {
        grasp->balance.part[i] = grasp->now.at.load * object->weight_on[i];
    }
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        carom_condensed_motions(object, object->surface[pair->surface], motion);
        for (int i = 0; i < CAROM_RIGID; i++) {
            grasp->balance.part[i] += v3_dot(motion[i], pair->force);
        }
    }
}

/// The sum of squares of all residuals, also of nodes that lie within a body and are no pair.
static double find_merit(CaromGrasp *grasp, double *largest) {
    double squares = 0, most = 0;
    place_nodes(grasp);
    find_balance(grasp);
    for (int i = 0; i < CAROM_RIGID; i++) {
        squares += grasp->balance.part[i] * grasp->balance.part[i];
        most = fmax(most, fabs(grasp->balance.part[i]));
    }
    for (int k = 0; k < grasp->now.pair_count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        CaromTouch *touch = &grasp->touches[k];
        carom_touch(&grasp->tools[pair->body], pair->foot, pair->stiffness,
                    grasp->now.places[pair->surface], pair->force, touch);
        double size = v3_norm(touch->residual);
        squares += size * size;
        most = fmax(most, size);
    }
    for (int body = 0; body < CAROM_PICKUP_BODIES; body++) {
        for (int i = 0; i < grasp->object.surface_count; i++) {
            double gap = carom_tool_gap(&grasp->tools[body], grasp->now.places[i]);
            if (gap < 0 && *find_pair(grasp, (CaromPickupBody)body, i) < 0) {
                double pressed = gap / grasp->object.compliance;
                squares += pressed * pressed;
            }
        }
    }
    *largest = most;
    return isfinite(squares) ? squares : HUGE_VAL;
}

double carom_grasp_evaluate(CaromGrasp *grasp) {
    double largest;
    (void)find_merit(grasp, &largest);
    return largest;
}

// ---- Newton ----------------------------------------------------------------------------------

/// Pairs that are apart and bear nothing have nothing to solve.
static int choose_live(CaromGrasp *grasp) {
    int count = 0;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        if (grasp->touches[k].mode != CAROM_PICKUP_APART ||
            v3_norm(grasp->touches[k].residual) > 0) {
            grasp->live[count++] = k;
        }
    }
    return count;
}

static void put(double *matrix, int size, int row, int column, CaromVec3 value) {
    matrix[row * size + column] = value.x;
    matrix[(row + 1) * size + column] = value.y;
    matrix[(row + 2) * size + column] = value.z;
}

/// The rows of one pair: dR = R_f df + R_p dp, where p moves with all forces and rigidly.
static void fill_rows(CaromGrasp *grasp, int count, int row_pair, const CaromTouch *touch) {
    const CaromCondensed *object = &grasp->object;
    const CaromPair *pair = &grasp->now.pairs[grasp->live[row_pair]];
    int size = 3 * count + CAROM_RIGID;
    bool apart = touch->mode == CAROM_PICKUP_APART;
    double *matrix = grasp->matrix;
    int row = 3 * row_pair;
    for (int l = 0; l < count; l++) {
        int touched = grasp->now.pairs[grasp->live[l]].touched;
        for (int axis = 0; axis < 3; axis++) {
            CaromVec3 moved = carom_condensed_column(object, touched, axis, pair->surface);
            put(matrix, size, row, 3 * l + axis,
                apart ? v3(0, 0, 0) : m3_mul(&touch->by_place, moved));
        }
    }
    for (int i = 0; i < 9; i++) {
        matrix[(row + i / 3) * size + row + i % 3] += touch->by_force.m[i / 3][i % 3];
    }
    CaromVec3 motion[CAROM_RIGID];
    carom_condensed_motions(object, object->surface[pair->surface], motion);
    for (int i = 0; i < CAROM_RIGID; i++) {
        // Rigid motions are in units of compliance times force, so that all unknowns are forces.
        CaromVec3 moved = v3_scale(object->compliance, motion[i]);
        int column = 3 * count + i;
        put(matrix, size, row, column, apart ? v3(0, 0, 0) : m3_mul(&touch->by_place, moved));
        matrix[column * size + row] = motion[i].x;
        matrix[column * size + row + 1] = motion[i].y;
        matrix[column * size + row + 2] = motion[i].z;
    }
}

/// The rows of balance have no place of the rigid motion, but for the tether. Then factor.
static bool factor(CaromGrasp *grasp, int count) {
    int size = 3 * count + CAROM_RIGID;
    for (int i = 0; i < CAROM_RIGID * CAROM_RIGID; i++) {
        int row = 3 * count + i / CAROM_RIGID, column = 3 * count + i % CAROM_RIGID;
        grasp->matrix[row * size + column] = row == column ? -tether : 0;
    }
    return carom_lu(size, grasp->matrix, grasp->pivot);
}

/// Factor the tangent of the first `count` live pairs. False if it is singular.
static bool factor_tangent(CaromGrasp *grasp, int count) {
    for (int k = 0; k < count; k++) {
        fill_rows(grasp, count, k, &grasp->touches[grasp->live[k]]);
    }
    return factor(grasp, count);
}

/// Newton's direction into `right`; false if the matrix is singular.
static bool find_direction(CaromGrasp *grasp, int count) {
    for (int k = 0; k < count; k++) {
        const CaromTouch *touch = &grasp->touches[grasp->live[k]];
        grasp->right[3 * k] = -touch->residual.x;
        grasp->right[3 * k + 1] = -touch->residual.y;
        grasp->right[3 * k + 2] = -touch->residual.z;
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        grasp->right[3 * count + i] = -grasp->balance.part[i];
    }
    if (!factor_tangent(grasp, count)) {
        return false;
    }
    carom_lu_solve(3 * count + CAROM_RIGID, grasp->matrix, grasp->pivot, grasp->right);
    return true;
}

bool carom_grasp_hold(CaromGrasp *grasp, int count) {
    for (int k = 0; k < count; k++) {
        double stiffness = grasp->now.pairs[grasp->live[k]].stiffness;
        CaromTouch held = {.mode = CAROM_PICKUP_STICKS};
        for (int i = 0; i < 3; i++) {
            held.by_place.m[i][i] = stiffness;
        }
        fill_rows(grasp, count, k, &held);
    }
    return factor(grasp, count);
}

/// The iterate that lies `share` of the way from the kept one.
static void go(CaromGrasp *grasp, int count, const CaromRigid *kept, double share) {
    const double *way = grasp->right;
    for (int k = 0; k < count; k++) {
        CaromVec3 step = v3(way[3 * k], way[3 * k + 1], way[3 * k + 2]);
        int pair = grasp->live[k];
        grasp->now.pairs[pair].force = v3_axpy(share, step, grasp->trial_pairs[pair].force);
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        double step = grasp->object.compliance * way[3 * count + i];
        grasp->now.rigid.part[i] = kept->part[i] + share * step;
    }
}

/// Shorten the step until the merit is below `bound`; of none, take the best.
static double search_line(CaromGrasp *grasp, int count, double bound, double *largest) {
    CaromRigid kept = grasp->now.rigid;
    double best_share = 1, best = HUGE_VAL, share = 1;
    memcpy(grasp->trial_pairs, grasp->now.pairs,
           sizeof *grasp->trial_pairs * (size_t)grasp->now.pair_count);
    for (int i = 0; i < HALVINGS; i++, share /= 2) {
        go(grasp, count, &kept, share);
        double merit = find_merit(grasp, largest);
        if (merit <= (1 - 1e-4 * share) * bound) {
            return merit;
        }
        if (merit < best) {
            best = merit;
            best_share = share;
        }
    }
    go(grasp, count, &kept, best_share);
    return find_merit(grasp, largest);
}

/// Iterate from what stands in `now`. Returns the number of iterations, 0 without success.
static int iterate(CaromGrasp *grasp) {
    double recent[MEMORY] = {0}, largest = HUGE_VAL;
    double merit = find_merit(grasp, &largest);
    grasp->over_limit = false;
    for (int n = 1; n <= grasp->max_iterations; n++) {
        grasp->iterations++;
        // The first iterate is only a guess: what it runs into need not be met.
        bool guess = n == 1 && largest > grasp->tolerance;
        if (!guess && add_penetrating(grasp) > 0) {
            merit = find_merit(grasp, &largest);
        }
        if (grasp->over_limit || !isfinite(merit)) {
            return 0;
        }
        if (largest <= grasp->tolerance) {
            return n;
        }
        recent[n % MEMORY] = merit;
        double bound = 0;
        for (int i = 0; i < MEMORY; i++) {
            bound = fmax(bound, recent[i]);
        }
        int count = choose_live(grasp);
        if (!find_direction(grasp, count)) {
            return 0;
        }
        merit = search_line(grasp, count, bound, &largest);
    }
    return 0;
}

// ---- Stability -------------------------------------------------------------------------------

/// Whether the determinant of a factored matrix is below zero.
static bool negative_determinant(int size, const double *factors, const int *pivot) {
    bool negative = false;
    for (int i = 0; i < size; i++) {
        negative ^= factors[i * size + i] < 0;
        negative ^= pivot[i] != i;
    }
    return negative;
}

/// Whether some rigid motion of the object, its shape following, meets no resistance but a push:
/// theory.md (10.13). The last rows of the inverse of the tangent are minus the compliance against
/// such motions, symmetric without friction.
static bool rigidly_unstable(CaromGrasp *grasp, int count) {
    double compliance[CAROM_RIGID * CAROM_RIGID], values[CAROM_RIGID];
    int size = 3 * count + CAROM_RIGID;
    for (int i = 0; i < CAROM_RIGID; i++) {
        memset(grasp->right, 0, sizeof *grasp->right * (size_t)size);
        grasp->right[3 * count + i] = 1;
        carom_lu_solve(size, grasp->matrix, grasp->pivot, grasp->right);
        for (int j = 0; j < CAROM_RIGID; j++) {
            compliance[i * CAROM_RIGID + j] = -grasp->right[3 * count + j];
        }
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        for (int j = 0; j < i; j++) {
            double *a = &compliance[i * CAROM_RIGID + j], *b = &compliance[j * CAROM_RIGID + i];
            *a = *b = (*a + *b) / 2;
        }
    }
    carom_symmetric_eigen(CAROM_RIGID, compliance, values, NULL);
    // What nothing holds but the tether has 1 / tether; rounding leaves 1e-16 of that.
    return values[0] < -1e-12 / tether;
}

bool carom_grasp_unstable(CaromGrasp *grasp) {
    int holding[CAROM_PICKUP_BODIES] = {0}, count = choose_live(grasp);
    bool friction = false;
    for (int k = 0; k < grasp->now.pair_count; k++) {
        CaromPickupBody body = grasp->now.pairs[k].body;
        holding[body] += grasp->touches[k].mode == CAROM_PICKUP_STICKS;
        friction = friction || grasp->tools[body].friction > 0;
    }
    // What sticks to both fingers cannot leave them.
    if (holding[CAROM_PICKUP_FINGER_1] > 0 && holding[CAROM_PICKUP_FINGER_2] > 0) {
        return false;
    }
    int size = 3 * count + CAROM_RIGID;
    return !factor_tangent(grasp, count) ||
           negative_determinant(size, grasp->matrix, grasp->pivot) ||
           (!friction && rigidly_unstable(grasp, count));
}

// ---- A step ----------------------------------------------------------------------------------

void carom_grasp_aim(CaromGrasp *grasp, const CaromGoal *goal) {
    for (int body = 0; body < CAROM_PICKUP_BODIES; body++) {
        grasp->tools[body] = tool_at(grasp, (CaromPickupBody)body, goal);
    }
    grasp->now.at = *goal;
}

void carom_grasp_restore(CaromGrasp *grasp) {
    carom_grip_copy(grasp, &grasp->old, &grasp->now);
    carom_grasp_aim(grasp, &grasp->old.at);
    index_pairs(grasp);
}

/// Go on as the last step did.
static void predict(CaromGrasp *grasp, double share) {
    for (int k = 0; k < grasp->now.pair_count; k++) {
        CaromPair *pair = &grasp->now.pairs[k];
        CaromVec3 change = v3_sub(pair->force, pair->old_force);
        pair->old_force = pair->force;
        pair->force = v3_axpy(share, change, pair->force);
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        double change = grasp->old.rigid.part[i] - grasp->older.part[i];
        grasp->now.rigid.part[i] += share * change;
    }
}

int carom_grasp_solve(CaromGrasp *grasp, const CaromGoal *goal, double stride) {
    double share = grasp->old_stride > 0 ? stride / grasp->old_stride : 0;
    for (int attempt = share > 0 ? 0 : 1; attempt < 2; attempt++) {
        carom_grasp_restore(grasp);
        carom_grasp_aim(grasp, goal);
        predict(grasp, attempt == 0 ? share : 0);
        int iterations = iterate(grasp);
        if (iterations > 0) {
            return iterations;
        }
    }
    carom_grasp_restore(grasp);
    return 0;
}

void carom_grasp_commit(CaromGrasp *grasp, double stride) {
    CaromGrip *now = &grasp->now;
    int kept = 0;
    for (int k = 0; k < now->pair_count; k++) {
        CaromPair pair = now->pairs[k];
        pair.mode = grasp->touches[k].mode;
        if (pair.mode != CAROM_PICKUP_APART) {
            pair.foot = carom_tool_foot(&grasp->tools[pair.body], now->places[pair.surface]);
            grasp->touches[kept] = grasp->touches[k];
            now->pairs[kept++] = pair;
        }
    }
    now->pair_count = kept;
    index_pairs(grasp);
    grasp->older = grasp->old.rigid;
    grasp->old_stride = stride;
    carom_grip_copy(grasp, now, &grasp->old);
}

/// As if every pair stuck where its node was given and could pull: one linear system, a start that
/// knows what bears the load.
static void glue(CaromGrasp *grasp) {
    const CaromCondensed *object = &grasp->object;
    int count = grasp->now.pair_count;
    for (int k = 0; k < count; k++) {
        const CaromPair *pair = &grasp->now.pairs[k];
        double scale = -grasp->now.at.load * pair->stiffness;
        CaromVec3 back = v3_scale(scale, object->sag[pair->surface]);
        grasp->right[3 * k] = back.x;
        grasp->right[3 * k + 1] = back.y;
        grasp->right[3 * k + 2] = back.z;
        grasp->live[k] = k;
        grasp->trial_pairs[k] = *pair;
    }
    for (int i = 0; i < CAROM_RIGID; i++) {
        grasp->right[3 * count + i] = -grasp->now.at.load * object->weight_on[i];
    }
    if (carom_grasp_hold(grasp, count)) {
        carom_lu_solve(3 * count + CAROM_RIGID, grasp->matrix, grasp->pivot, grasp->right);
        go(grasp, count, &(CaromRigid){{0}}, 1);
    }
}

/// As if the table were of ice: a start that knows what bears the load where friction is little.
static void slide_on_ice(CaromGrasp *grasp) {
    CaromTool *table = &grasp->tools[CAROM_PICKUP_TABLE];
    double friction = table->friction;
    table->friction = 0;
    (void)iterate(grasp);
    table->friction = friction;
}

void carom_grasp_reset(CaromGrasp *grasp, double load, bool ice) {
    CaromCondensed *object = &grasp->object;
    double lowest = grasp->tools[CAROM_PICKUP_TABLE].centre.z, slack = 1e-6 * object->size;
    carom_condensed_reset(object);
    grasp->now.at = (CaromGoal){0};
    grasp->now.rigid = (CaromRigid){{0}};
    grasp->now.pair_count = 0;
    grasp->old_stride = 0;
    grasp->iterations = 0;
    for (int i = 0; i < object->surface_count; i++) {
        grasp->now.places[i] = object->mesh->nodes[object->surface[i]];
    }
    carom_grip_copy(grasp, &grasp->now, &grasp->old);
    index_pairs(grasp);
    double stiffness = 0;
    for (int i = 0; i < object->surface_count; i++) {
        if (grasp->now.places[i].z <= lowest + slack) {
            CaromPair *pair = add_pair(grasp, CAROM_PICKUP_TABLE, i);
            stiffness += pair ? pair->stiffness : 0;
        }
    }
    object->compliance = stiffness > 0 ? grasp->now.pair_count / stiffness : 1;
    grasp->tolerance = fmax(grasp->asked, rounding * object->size / object->compliance);
    grasp->now.at.load = load;
    glue(grasp);
    if (ice) {
        slide_on_ice(grasp);
    }
    field_copy(object->surface_count, grasp->old.places, grasp->now.places);
    carom_grip_copy(grasp, &grasp->now, &grasp->old);
}
