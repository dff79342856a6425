// SPDX-License-Identifier: Apache-2.0
// Worlds: making them, and reading what they hold.
#include "base/text.h"
#include "base/vec.h"
#include "impact/problem.h"
#include "world/derivative.h"

CAROM_DEFINE_TEXT(carom_world_event_text, CaromWorldEventKind, CAROM_WORLD_EVENT_LIST)

CaromBallDef carom_ball_def_default(void) {
    return (CaromBallDef){.motion = CAROM_MOTION_FREE, .mass = 1, .radius = 1};
}

CaromWorldDef carom_world_def_default(void) {
    return (CaromWorldDef){
        .balls = 64,
        .planes = 16,
        .contacts = 256,
        .materials = 256,
        .gravity = {0, 0, -9.8},
        .material = carom_material_default(),
        .touching = CAROM_TOUCHING,
        .resting = CAROM_RESTING,
        .impact = carom_impact_options_default(),
    };
}

// ---- Memory ----------------------------------------------------------------------------------

static CaromWorld *lay_out(CaromArena *arena, const CaromWorldDef *def) {
    size_t balls = (size_t)def->balls, contacts = (size_t)def->contacts;
    CaromWorld *block = carom_arena_take(arena, 1, sizeof *block);
    CaromWorld world = {.def = *def};
    CaromCluster *cluster = &world.cluster;
    CaromTrial *trial = &world.trial;
    world.balls = carom_arena_take(arena, balls, sizeof *world.balls);
    world.planes = carom_arena_take(arena, (size_t)def->planes, sizeof *world.planes);
    world.materials = carom_arena_take(arena, (size_t)def->materials, sizeof *world.materials);
    world.held = carom_arena_take(arena, (size_t)carom_held_room(def), sizeof *world.held);
    world.next = carom_arena_take(arena, balls, sizeof *world.next);
    world.reach = carom_arena_take(arena, balls, sizeof *world.reach);
    carom_near_carve(&world.near, arena, def->balls);
    world.horizon = INFINITY;
    cluster->balls = carom_arena_take(arena, balls, sizeof *cluster->balls);
    cluster->slot = carom_arena_take(arena, balls, sizeof *cluster->slot);
    cluster->at = carom_arena_take(arena, balls, sizeof *cluster->at);
    cluster->bodies = carom_arena_take(arena, balls + 1, sizeof *cluster->bodies);
    cluster->contacts = carom_arena_take(arena, contacts, sizeof *cluster->contacts);
    cluster->pairs = carom_arena_take(arena, contacts, sizeof *cluster->pairs);
    cluster->before = carom_arena_take(arena, balls, sizeof *cluster->before);
    cluster->after = carom_arena_take(arena, balls, sizeof *cluster->after);
    trial->bodies = carom_arena_take(arena, balls + 1, sizeof *trial->bodies);
    trial->contacts = carom_arena_take(arena, contacts + balls, sizeof *trial->contacts);
    trial->of = carom_arena_take(arena, contacts, sizeof *trial->of);
    trial->pressed = carom_arena_take(arena, contacts, sizeof *trial->pressed);
    trial->moved = carom_arena_take(arena, balls + 1, sizeof *trial->moved);
    trial->supports = carom_arena_take(arena, balls, sizeof *trial->supports);
    trial->means = carom_arena_take(arena, balls, sizeof *trial->means);
    trial->stands = carom_arena_take(arena, balls, sizeof *trial->stands);
    int all = def->contacts + def->balls;
    int most = all < CAROM_MOST_CARRIED ? all : CAROM_MOST_CARRIED;
    trial->most = most;
    trial->free = carom_arena_take(arena, (size_t)most, sizeof *trial->free);
    trial->terms = carom_arena_take(arena, (size_t)most, sizeof *trial->terms);
    trial->impulses = carom_arena_take(arena, (size_t)most, sizeof *trial->impulses);
    trial->motions = carom_arena_take(arena, balls + 1, sizeof *trial->motions);
    carom_graph_carve(&trial->graph, arena, def->balls + 1, most, 0);
    trial->cone = carom_cone_carve(arena, def->balls + 1, most,
                                   carom_cone_default_fill(def->balls + 1, most));
    carom_world_tangent_carve(&world.tangent, arena, def);
    if (block) {
        *block = world;
    }
    return block;
}

static const char *def_fault(const CaromWorldDef *def) {
    if (def->balls < 1 || def->planes < 0 || def->contacts < 1 || def->materials < 0) {
        return "balls and contacts: must be at least 1, planes and materials at least 0";
    }
    if (def->derivatives < 0) {
        return "derivatives: must be at least 0";
    }
    if (!v3_finite(def->gravity)) {
        return "gravity: must be finite";
    }
    if (!(def->touching >= 0 && def->touching <= 0.1)) {
        return "touching: must be in [0, 0.1]";
    }
    if (!(def->resting > 0 && def->resting <= 0.1)) {
        return "resting: must be in (0, 0.1]";
    }
    return NULL;
}

/// The material and the options of impacts that a definition holds.
static const char *parts_fault(const CaromWorldDef *def, double *got) {
    const char *fault = carom_material_fault(&def->material, got);
    return fault ? fault : carom_run_options_fault(&def->impact, got);
}

static CaromStatus make_solver(const CaromWorldDef *def, int bodies, int contacts,
                               CaromImpact **solver) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = bodies;
    limits.contacts = contacts;
    limits.derivatives = def->derivatives;
    limits.host = def->host;
    return carom_impact_create(&limits, solver);
}

CaromStatus carom_world_create(const CaromWorldDef *def, CaromWorld **world) {
    CAROM_REQUIRE(NULL, world);
    CaromWorldDef defaults = carom_world_def_default();
    def = def ? def : &defaults;
    const char *fault = def_fault(def);
    if (fault) {
        carom_log(&def->host, "%s", fault);
        return CAROM_BAD_ARGUMENT;
    }
    double got = 0;
    fault = parts_fault(def, &got);
    if (fault) {
        carom_log(&def->host, "%s, got %.9g", fault, got);
        return CAROM_BAD_ARGUMENT;
    }
    CaromImpact *solver = NULL, *single = NULL;
    CaromArena arena = {0};
    lay_out(&arena, def);
    void *block = carom_allocate(&def->host, arena.used);
    CaromStatus status = block ? CAROM_OK : CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        status = make_solver(def, def->balls + 1, def->contacts, &solver);
    }
    if (status == CAROM_OK) {
        status = make_solver(def, 2, 1, &single);
    }
    if (status != CAROM_OK) {
        carom_impact_destroy(solver);
        carom_release(&def->host, block);
        return status;
    }
    arena = (CaromArena){.base = block};
    *world = lay_out(&arena, def);
    (*world)->solver = solver;
    (*world)->single = single;
    return CAROM_OK;
}

void carom_world_destroy(CaromWorld *world) {
    if (world) {
        CaromHost host = world->def.host;
        carom_impact_destroy(world->solver);
        carom_impact_destroy(world->single);
        carom_release(&host, world);
    }
}

// ---- Filling ---------------------------------------------------------------------------------

static CaromStatus refuse(const CaromWorld *world, CaromStatus status, const char *what, int number,
                          const char *fault) {
    carom_log(&world->def.host, "%s[%d]%s%s", what, number, fault[0] == ':' ? "" : ".", fault);
    return status;
}

static bool is_positive(double value) {
    return value > 0 && value <= CAROM_LARGEST_GIVEN;
}

/// The frame of a pendulum: up against gravity, along its direction across.
static const char *hang(const CaromWorld *world, const CaromPendulum *given, CaromMotion *motion) {
    CaromVec3 gravity = world->def.gravity;
    double pull = v3_norm(gravity), reach = v3_norm(given->direction);
    if (!(pull > 0)) {
        return "motion: a pendulum needs gravity";
    }
    if (!is_positive(given->length)) {
        return "pendulum.length: must be > 0";
    }
    if (!v3_finite(given->pivot) || !isfinite(given->angle) || !isfinite(given->rate)) {
        return "pendulum: must be finite";
    }
    if (!is_positive(reach) ||
        fabs(v3_dot(gravity, given->direction)) > CAROM_GIVEN_ROUNDING * pull * reach) {
        return "pendulum.direction: must be across gravity";
    }
    motion->pivot = given->pivot;
    motion->up = v3_scale(-1 / pull, gravity);
    motion->along = v3_scale(1 / reach, given->direction);
    motion->length = given->length;
    motion->frequency = sqrt(pull / given->length);
    motion->angle = given->angle;
    motion->rate = given->rate;
    return NULL;
}

static const char *make_ball(const CaromWorld *world, const CaromBallDef *def, CaromBall *ball) {
    CaromMotion motion = {.kind = def->motion, .end = INFINITY};
    if (!is_positive(def->mass) || !is_positive(def->radius)) {
        return "mass, radius: must be > 0";
    }
    if (!(def->inertia >= 0 && def->inertia <= CAROM_LARGEST_GIVEN)) {
        return "inertia: must be >= 0";
    }
    if (!v3_finite(def->position) || !v3_finite(def->velocity) ||
        !v3_finite(def->angular_velocity)) {
        return "position, velocity, angular_velocity: must be finite";
    }
    motion.position = def->position;
    if (def->motion == CAROM_MOTION_FREE) {
        motion.velocity = def->velocity;
        motion.spin = def->angular_velocity;
        motion.acceleration = world->def.gravity;
    } else if (def->motion != CAROM_MOTION_FIXED) {
        const char *fault = hang(world, &def->pendulum, &motion);
        if (fault) {
            return fault;
        }
    }
    double uniform = 0.4 * def->mass * def->radius * def->radius;
    *ball = (CaromBall){.motion = motion, .mass = def->mass, .radius = def->radius};
    ball->inertia = def->inertia > 0 ? def->inertia : uniform;
    return NULL;
}

CaromStatus carom_world_add_ball(CaromWorld *world, const CaromBallDef *def, int *number) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, def);
    int i = world->ball_count;
    if (world->started) {
        return refuse(world, CAROM_BAD_ARGUMENT, "balls", i, ": the world has started");
    }
    if (i == world->def.balls) {
        return refuse(world, CAROM_OVER_LIMIT, "balls", i, ": more than the world has room for");
    }
    const char *fault = make_ball(world, def, &world->balls[i]);
    if (fault) {
        return refuse(world, CAROM_BAD_DATA, "balls", i, fault);
    }
    world->smallest = i == 0 ? def->radius : fmin(world->smallest, def->radius);
    world->cluster.slot[i] = -1;
    world->ball_count++;
    if (number) {
        *number = i;
    }
    return CAROM_OK;
}

static CaromVec3 unit_of(CaromVec3 v) {
    double length = v3_norm(v);
    return length > 0 ? v3_scale(1 / length, v) : v;
}

/// Add a surface that passed its checks, unless there was a fault.
static CaromStatus add_surface(CaromWorld *world, const char *fault, const CaromPlane *surface,
                               int *number) {
    int i = world->plane_count;
    if (world->started) {
        return refuse(world, CAROM_BAD_ARGUMENT, "planes", i, ": the world has started");
    }
    if (i == world->def.planes) {
        return refuse(world, CAROM_OVER_LIMIT, "planes", i, ": more than the world has room for");
    }
    if (fault) {
        return refuse(world, CAROM_BAD_DATA, "planes", i, fault);
    }
    world->planes[i] = *surface;
    world->planes[i].bounds = carom_plane_bounds(surface);
    world->plane_count++;
    if (number) {
        *number = i;
    }
    return CAROM_OK;
}

CaromStatus carom_world_add_plane(CaromWorld *world, const CaromPlaneDef *def, int *number) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, def);
    double length = v3_norm(def->normal), edge = v3_norm(def->edge);
    const char *fault = NULL;
    if (!is_positive(length) || !v3_finite(def->point) || !v3_finite(def->edge)) {
        fault = "normal: must not be zero";
    } else if (fabs(v3_dot(def->normal, def->edge)) > CAROM_GIVEN_ROUNDING * length * edge) {
        fault = "edge: must be in the plane";
    } else if (!(def->rolling >= 0 && def->spinning >= 0 && def->settle >= 0)) {
        fault = "rolling, spinning, settle: must be >= 0";
    }
    CaromPlane plane = {.surface = CAROM_SURFACE_PLANE,
                        .point = def->point,
                        .normal = unit_of(def->normal),
                        .edge = unit_of(def->edge),
                        .rolling = def->rolling,
                        .spinning = def->spinning,
                        .settle = def->settle,
                        .soft = def->soft};
    return add_surface(world, fault, &plane, number);
}

static CaromStatus add_line(CaromWorld *world, const CaromEdgeDef *def, CaromSurface surface,
                            int *number) {
    CaromVec3 along = v3_sub(def->to, def->from);
    double length = v3_norm(along), width = v3_norm(def->normal);
    const char *fault = NULL;
    if (!is_positive(length) || !v3_finite(def->from)) {
        fault = "from, to: must not be the same";
    } else if (!is_positive(width) ||
               fabs(v3_dot(def->normal, along)) > CAROM_GIVEN_ROUNDING * length * width) {
        fault = "normal: must be across the edge";
    }
    CaromPlane plane = {.surface = surface,
                        .point = def->from,
                        .normal = unit_of(def->normal),
                        .along = unit_of(along),
                        .length = length};
    return add_surface(world, fault, &plane, number);
}

CaromStatus carom_world_add_edge(CaromWorld *world, const CaromEdgeDef *def, int *number) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, def);
    return add_line(world, def, CAROM_SURFACE_EDGE, number);
}

CaromStatus carom_world_add_gate(CaromWorld *world, const CaromEdgeDef *def, int *number) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, def);
    return add_line(world, def, CAROM_SURFACE_GATE, number);
}

CaromStatus carom_world_add_hole(CaromWorld *world, const CaromHoleDef *def, int *number) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, def);
    bool good = is_positive(def->radius) && is_positive(v3_norm(def->axis));
    CaromPlane plane = {.surface = CAROM_SURFACE_HOLE,
                        .point = def->point,
                        .normal = unit_of(def->axis),
                        .length = def->radius};
    const char *fault = good && v3_finite(def->point) ? NULL : "radius, axis: must not be zero";
    return add_surface(world, fault, &plane, number);
}

static bool exists(const CaromWorld *world, int number) {
    return number >= 0 ? number < world->ball_count : CAROM_PLANE(number) < world->plane_count;
}

CaromStatus carom_world_set_material(CaromWorld *world, int a, int b,
                                     const CaromMaterial *material) {
    CAROM_REQUIRE(NULL, world);
    CAROM_REQUIRE(NULL, material);
    bool pair = a != b && (a >= 0 || b >= 0);
    if (!exists(world, a) || !exists(world, b) || !(pair || (a == b && a < 0))) {
        carom_log(&world->def.host, "material of %d and %d: no such pair", a, b);
        return CAROM_BAD_ARGUMENT;
    }
    double got = 0;
    const char *fault = carom_material_fault(material, &got);
    if (fault) {
        carom_log(&world->def.host, "material of %d and %d: %s, got %.9g", a, b, fault, got);
        return CAROM_BAD_DATA;
    }
    if (world->material_count == world->def.materials) {
        carom_log(&world->def.host, "materials: more than the world has room for");
        return CAROM_OVER_LIMIT;
    }
    world->materials[world->material_count++] = (CaromPairMaterial){a, b, *material};
    return CAROM_OK;
}

void carom_world_listen(CaromWorld *world, CaromWorldListenFn *listener, void *user) {
    if (world == NULL) {
        return;
    }
    world->listener = listener;
    world->listener_user = user;
}

// ---- Reading ---------------------------------------------------------------------------------

double carom_world_time(const CaromWorld *world) {
    if (world == NULL) {
        return NAN;
    }
    return world->time;
}

long carom_world_event_count(const CaromWorld *world) {
    if (world == NULL) {
        return 0;
    }
    return world->event_count;
}

int carom_world_ball_count(const CaromWorld *world) {
    if (world == NULL) {
        return 0;
    }
    return world->ball_count;
}

int carom_world_plane_count(const CaromWorld *world) {
    if (world == NULL) {
        return 0;
    }
    return world->plane_count;
}

CaromBallState carom_world_ball(const CaromWorld *world, int ball) {
    if (world == NULL || ball < 0 || ball >= world->ball_count) {
        return (CaromBallState){0};
    }
    const CaromBall *body = &world->balls[ball];
    CaromBallState state = carom_motion_at(&body->motion, world->time);
    state.supported = body->supported;
    state.sliding = body->sliding_force > 0;
    state.at_rest = body->at_rest || body->motion.kind == CAROM_MOTION_FIXED;
    state.gone = body->gone;
    state.rotation = (CaromQuat){1, 0, 0, 0};
    return state;
}

double carom_world_gap(const CaromWorld *world, int a, int b) {
    if (world == NULL || !exists(world, a) || !exists(world, b) || (a < 0 && b < 0)) {
        return NAN;
    }
    if (a < 0) {
        return carom_world_gap(world, b, a);
    }
    CaromBallState at = carom_world_ball(world, a);
    if (b < 0) {
        return carom_gap_to_plane(&at, world->balls[a].radius, &world->planes[CAROM_PLANE(b)])
            .width;
    }
    CaromBallState there = carom_world_ball(world, b);
    return carom_gap_between(&at, &there, world->balls[a].radius + world->balls[b].radius).width;
}

static double kinetic_energy(const CaromWorld *world, int number) {
    const CaromBall *ball = &world->balls[number];
    CaromBallState at = carom_world_ball(world, number);
    return 0.5 * ball->mass * v3_dot(at.velocity, at.velocity) +
           0.5 * ball->inertia * v3_dot(at.angular_velocity, at.angular_velocity);
}

static double potential_energy(const CaromWorld *world, int number) {
    const CaromBall *ball = &world->balls[number];
    CaromBallState at = carom_world_ball(world, number);
    if (carom_motion_swings(&ball->motion)) {
        return ball->mass * v3_norm(world->def.gravity) *
               carom_motion_lift(&ball->motion, at.angle);
    }
    return -ball->mass * v3_dot(world->def.gravity, at.position);
}

double carom_world_ball_energy(const CaromWorld *world, int ball) {
    return kinetic_energy(world, ball) + potential_energy(world, ball);
}

CaromWorldEnergy carom_world_energy(const CaromWorld *world) {
    if (world == NULL) {
        return (CaromWorldEnergy){0};
    }
    CaromWorldEnergy energy = {.restitution_loss = world->restitution_loss,
                               .friction_loss = world->friction_loss,
                               .gone = world->gone_energy};
    for (int i = 0; i < world->ball_count; i++) {
        const CaromBall *ball = &world->balls[i];
        if (ball->motion.kind != CAROM_MOTION_FIXED) {
            energy.kinetic += kinetic_energy(world, i);
            energy.potential += potential_energy(world, i);
            energy.friction_loss += carom_ball_friction_work(ball, world->time);
        }
    }
    return energy;
}

CaromWorldChecks carom_world_checks(const CaromWorld *world) {
    if (world == NULL) {
        return (CaromWorldChecks){0};
    }
    return world->checks;
}
