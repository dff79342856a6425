// SPDX-License-Identifier: Apache-2.0
// Piles: made and filled.
#include "world/pile.h"

#include "base/text.h"
#include "impact/problem.h"

#include <string.h>

CAROM_DEFINE_TEXT(carom_pile_state_text, CaromPileState, CAROM_PILE_STATE_LIST)
CAROM_DEFINE_TEXT(carom_pile_event_text, CaromPileEventKind, CAROM_PILE_EVENT_LIST)

// ---- Making ----------------------------------------------------------------------------------

CaromPileDef carom_pile_def_default(void) {
    return (CaromPileDef){.gravity = {0, 0, -9.8},
                          .material = carom_material_default(),
                          .impact = carom_impact_options_default()};
}

CaromPileBodyDef carom_pile_body_def_default(void) {
    return (CaromPileBodyDef){.density = 1000, .motion.pose.rotation.w = 1};
}

static CaromPile *carve(CaromArena *arena, const CaromPileDef *def) {
    CaromPile *pile = carom_arena_take(arena, 1, sizeof *pile);
    CaromPile measure = {0}, *p = pile ? pile : &measure;
    size_t bodies = (size_t)def->bodies, contacts = (size_t)def->contacts;
    p->bodies = carom_arena_take(arena, bodies, sizeof *p->bodies);
    for (int k = 0; k < 6; k++) {
        p->side[k] = carom_arena_take(arena, bodies, sizeof *p->side[k]);
    }
    p->far = carom_arena_take(arena, bodies + CAROM_PILE_GROUP, sizeof *p->far);
    p->near = carom_arena_take(arena, bodies + 1, sizeof *p->near);
    p->last = carom_arena_take(arena, contacts + 1, sizeof *p->last);
    p->planes = carom_arena_take(arena, (size_t)def->planes, sizeof *p->planes);
    p->materials = carom_arena_take(arena, (size_t)def->materials, sizeof *p->materials);
    p->held = carom_arena_take(arena, contacts, sizeof *p->held);
    p->old = carom_arena_take(arena, 2 * contacts, sizeof *p->old);
    p->list = carom_arena_take(arena, bodies + 1, sizeof *p->list);
    p->pending = carom_arena_take(arena, 2 * bodies + 2, sizeof *p->pending);
    p->event_bodies = carom_arena_take(arena, bodies + 2, sizeof *p->event_bodies);
    p->problem_bodies = carom_arena_take(arena, bodies + 1, sizeof *p->problem_bodies);
    p->problem_contacts = carom_arena_take(arena, contacts, sizeof *p->problem_contacts);
    p->pairs = carom_arena_take(arena, contacts, sizeof *p->pairs);
    p->hits = carom_arena_take(arena, contacts, sizeof *p->hits);
    p->terms = carom_arena_take(arena, contacts, sizeof *p->terms);
    p->impulses = carom_arena_take(arena, contacts, sizeof *p->impulses);
    p->velocities = carom_arena_take(arena, contacts, sizeof *p->velocities);
    p->motions = carom_arena_take(arena, bodies + 1, sizeof *p->motions);
    carom_graph_carve(&p->graph, arena, def->bodies + 1, def->contacts, 0);
    p->cone = carom_cone_carve(arena, def->bodies + 1, def->contacts,
                               carom_cone_default_fill(def->bodies + 1, def->contacts));
    return pile;
}

static bool in_range(const CaromHost *host, const char *name, int value, int low, int high) {
    bool ok = value >= low && value <= high;
    if (!ok) {
        carom_log(host, "%s: must be in [%d, %d], got %d", name, low, high, value);
    }
    return ok;
}

static bool not_negative(const CaromHost *host, const char *name, double value) {
    bool ok = isfinite(value) && value >= 0;
    if (!ok) {
        carom_log(host, "%s: must be finite and not negative, got %g", name, value);
    }
    return ok;
}

static bool is_sound(const CaromPileDef *d) {
    const CaromHost *host = &d->host;
    double got = 0;
    const char *fault = carom_material_fault(&d->material, &got);
    fault = fault ? fault : carom_run_options_fault(&d->impact, &got);
    if (fault) {
        carom_log(host, "%s, got %.9g", fault, got);
        return false;
    }
    if (!v3_finite(d->gravity)) {
        carom_log(host, "gravity: must be finite");
        return false;
    }
    return in_range(host, "bodies", d->bodies, 1, 100000) &&
           in_range(host, "planes", d->planes, 0, 10000) &&
           in_range(host, "contacts", d->contacts, 1, 2000000) &&
           in_range(host, "materials", d->materials, 0, 1000000) &&
           in_range(host, "springs", d->springs, 0, 2000000) &&
           not_negative(host, "touch", d->touch) && not_negative(host, "slow", d->slow) &&
           not_negative(host, "window", d->window);
}

CaromStatus carom_pile_create(const CaromPileDef *given, CaromPile **pile) {
    CAROM_REQUIRE(NULL, pile);
    CaromPileDef def = given ? *given : carom_pile_def_default();
    def.bodies = def.bodies == 0 ? 64 : def.bodies;
    def.planes = def.planes == 0 ? 16 : def.planes;
    def.contacts = def.contacts == 0 ? 16 * def.bodies : def.contacts;
    def.materials = def.materials == 0 ? 64 : def.materials;
    if (!is_sound(&def)) {
        return CAROM_BAD_ARGUMENT;
    }
    CaromArena arena = {0};
    carve(&arena, &def);
    size_t size = arena.used;
    arena = (CaromArena){.base = carom_allocate(&def.host, size)};
    if (!arena.base) {
        return CAROM_NO_MEMORY;
    }
    CaromPile *p = carve(&arena, &def);
    p->size = size;
    p->def = def;
    p->own_slow = !(def.slow > 0);
    p->own_window = !(def.window > 0);
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = def.bodies + 1;
    limits.contacts = def.contacts;
    limits.host = def.host;
    CaromStatus status = carom_impact_create(&limits, &p->impact);
    if (status != CAROM_OK) {
        carom_release(&def.host, p);
        return status;
    }
    *pile = p;
    return CAROM_OK;
}

void carom_pile_destroy(CaromPile *pile) {
    if (pile) {
        CaromHost host = pile->def.host;
        carom_impact_destroy(pile->impact);
        carom_release(&host, pile);
    }
}

/// Speeds and times from the smallest body, where the caller gave none.
static void find_scales(CaromPile *pile, const CaromShape *shape) {
    double g = v3_norm(pile->def.gravity), r = 0.5 * shape->width;
    if (g > 0) {
        double slow = CAROM_PILE_SLOW * sqrt(g * r), window = CAROM_PILE_WINDOW * sqrt(r / g);
        bool smaller = pile->reach == 0 || r < pile->reach;
        pile->def.slow = pile->own_slow && smaller ? slow : pile->def.slow;
        pile->def.window = pile->own_window && smaller ? window : pile->def.window;
        pile->reach = smaller ? r : pile->reach;
    }
    if (!(pile->def.slow > 0)) {
        pile->def.slow = CAROM_PILE_SLOW_WEIGHTLESS;
    }
    if (!(pile->def.window > 0)) {
        pile->def.window = CAROM_PILE_WINDOW_WEIGHTLESS;
    }
}

// ---- Bodies ----------------------------------------------------------------------------------

static CaromStatus no_body(const CaromPile *pile, int body) {
    carom_log(&pile->def.host, "there is no body %d", body);
    return CAROM_BAD_ARGUMENT;
}

static bool moment_is_finite(const CaromMoment *m) {
    CaromQuat q = m->pose.rotation;
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return v3_finite(m->pose.position) && v3_finite(m->velocity) &&
           v3_finite(m->angular_velocity) && isfinite(square) && square > CAROM_PILE_NO_ROTATION;
}

static CaromMoment normalized(const CaromMoment *m) {
    CaromMoment n = *m;
    CaromQuat q = m->pose.rotation;
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    n.pose.rotation = (CaromQuat){s * q.w, s * q.x, s * q.y, s * q.z};
    return n;
}

static bool overlaps(const CaromPile *pile, const CaromShape *shape, const CaromPose *pose,
                     int except) {
    bool any = false;
    for (int p = 0; p < pile->plane_count; p++) {
        const CaromPilePlane *plane = &pile->planes[p];
        double gap = carom_plane_gap(shape, pose, plane->point, plane->normal).gap;
        if (gap < -CAROM_PILE_MOST_OVERLAP * shape->width) {
            carom_log(&pile->def.host, "is behind plane %d by %g", p, -gap);
            any = true;
        }
    }
    for (int i = 0; i < pile->body_count; i++) {
        const CaromPileBody *b = &pile->bodies[i];
        CaromPose other = carom_pile_moment(pile, i, pile->time).pose;
        if (!b->used || i == except ||
            v3_norm(v3_sub(other.position, pose->position)) > b->shape->radius + shape->radius) {
            continue;
        }
        double gap = carom_shape_gap(shape, pose, b->shape, &other).gap;
        if (gap < -CAROM_PILE_MOST_OVERLAP * fmin(shape->width, b->shape->width)) {
            carom_log(&pile->def.host, "overlaps body %d by %g", i, -gap);
            any = true;
        }
    }
    return any;
}

static CaromStatus check_body(const CaromPile *pile, const CaromPileBodyDef *def) {
    const CaromHost *host = &pile->def.host;
    if (!def->shape) {
        carom_log(host, "shape: is missing");
        return CAROM_BAD_ARGUMENT;
    }
    if (!moment_is_finite(&def->motion)) {
        carom_log(host, "motion: must be finite, its rotation not zero");
        return CAROM_BAD_ARGUMENT;
    }
    if (!def->fixed && !not_negative(host, "mass", def->mass)) {
        return CAROM_BAD_ARGUMENT;
    }
    if (!def->fixed && def->mass == 0 && !(isfinite(def->density) && def->density > 0)) {
        carom_log(host, "density: must be positive, got %g", def->density);
        return CAROM_BAD_ARGUMENT;
    }
    return CAROM_OK;
}

static bool set_inertia(CaromPileBody *b, const CaromPileBodyDef *def) {
    CaromSolid solid = carom_shape_solid(def->shape);
    double density = def->mass > 0 ? def->mass / solid.volume : def->density;
    b->mass = density * solid.volume;
    b->inertia = def->inertia;
    bool given = false;
    for (int i = 0; i < 9; i++) {
        given |= def->inertia.m[i / 3][i % 3] != 0;
    }
    for (int i = 0; i < 9 && !given; i++) {
        b->inertia.m[i / 3][i % 3] = density * solid.inertia.m[i / 3][i % 3];
    }
    b->principal = carom_principal(&b->inertia);
    return isfinite(b->mass) && b->principal.moments[0] > 0 && isfinite(b->principal.moments[2]);
}

static int free_number(CaromPile *pile) {
    for (int i = 0; i < pile->body_count; i++) {
        if (!pile->bodies[i].used) {
            return i;
        }
    }
    return pile->body_count < pile->def.bodies ? pile->body_count++ : -1;
}

/// A body that was changed from outside: it flies, unless a window finds that it is held.
static void change(CaromPile *pile, int body, const CaromMoment *m) {
    carom_pile_fly(pile, body, m);
    carom_pile_window(pile, 1, &body, false);
}

CaromStatus carom_pile_add_body(CaromPile *pile, const CaromPileBodyDef *def, int *number) {
    CAROM_REQUIRE(NULL, pile);
    CAROM_REQUIRE(NULL, def);
    CaromStatus status = check_body(pile, def);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPileBody b = {.used = true, .shape = def->shape, .first = -1, .old_first = -1};
    CaromMoment motion = normalized(&def->motion);
    if (!def->fixed && !set_inertia(&b, def)) {
        carom_log(&pile->def.host, "inertia: must be positive definite");
        return CAROM_BAD_DATA;
    }
    if (!def->fixed && overlaps(pile, def->shape, &motion.pose, -1)) {
        return CAROM_BAD_DATA;
    }
    int i = free_number(pile);
    if (i < 0) {
        carom_log(&pile->def.host, "more than %d bodies", pile->def.bodies);
        return CAROM_OVER_LIMIT;
    }
    find_scales(pile, def->shape);
    b.state = def->fixed ? CAROM_PILE_FIXED : CAROM_PILE_FREE;
    b.mark = pile->bodies[i].mark;
    b.ring = b.back = i;
    b.island = -1;
    pile->bodies[i] = b;
    if (def->fixed) {
        motion.velocity = motion.angular_velocity = v3(0, 0, 0);
        CaromTrajectory path = carom_trajectory_steady(&motion, v3(0, 0, 0));
        carom_pile_set_path(pile, i, &path, INFINITY);
        carom_pile_predict(pile, i);
    } else {
        carom_pile_fly(pile, i, &motion);
        pile->report.supplied += carom_pile_body_energy(pile, i, &motion);
        pile->fresh = true;
    }
    if (number) {
        *number = i;
    }
    return CAROM_OK;
}

/// What a body touches must look after itself.
static void wake_neighbours(CaromPile *pile, int body) {
    int count = 0;
    for (int k = pile->bodies[body].first; k >= 0;) {
        const CaromPileHeld *h = &pile->held[k];
        int side = h->body[0] == body ? 0 : 1, other = h->body[1 - side];
        if (other >= 0 && count < 2 * pile->def.bodies) {
            pile->pending[count++] = other;
        }
        k = h->next[side];
    }
    for (int i = 0; i < count; i++) {
        CaromPileBody *b = &pile->bodies[pile->pending[i]];
        if (b->state == CAROM_PILE_ASLEEP) {
            carom_pile_wake(pile, pile->pending[i]);
        }
    }
    pile->fresh = true;
}

CaromStatus carom_pile_remove_body(CaromPile *pile, int body) {
    CAROM_REQUIRE(NULL, pile);
    if (!carom_pile_is_body(pile, body)) {
        return no_body(pile, body);
    }
    if (pile->bodies[body].state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    wake_neighbours(pile, body);
    carom_pile_bring(pile, body);
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    pile->report.supplied -= carom_pile_body_energy(pile, body, &m);
    carom_pile_leave(pile, body);
    pile->bodies[body].used = false;
    pile->bodies[body].state = CAROM_PILE_FIXED;
    carom_pile_keep_box(pile, body);
    int kept = 0;
    for (int k = 0; k < pile->held_count; k++) {
        const CaromPileHeld *h = &pile->held[k];
        if (h->body[0] != body && h->body[1] != body) {
            pile->held[kept++] = *h;
        }
    }
    pile->held_count = kept;
    carom_pile_link(pile);
    for (int i = 0; i < pile->body_count; i++) {
        if (pile->bodies[i].used && pile->bodies[i].partner == body) {
            carom_pile_predict(pile, i);
        }
    }
    return CAROM_OK;
}

CaromStatus carom_pile_add_plane(CaromPile *pile, CaromVec3 point, CaromVec3 normal, int *number) {
    CAROM_REQUIRE(NULL, pile);
    double length = v3_norm(normal);
    if (!v3_finite(point) || !v3_finite(normal) || !(length > 0)) {
        carom_log(&pile->def.host, "plane: point and normal must be finite, the normal not zero");
        return CAROM_BAD_ARGUMENT;
    }
    if (pile->plane_count == pile->def.planes) {
        carom_log(&pile->def.host, "more than %d planes", pile->def.planes);
        return CAROM_OVER_LIMIT;
    }
    CaromVec3 n = v3_scale(1 / length, normal);
    for (int i = 0; i < pile->body_count; i++) {
        const CaromPileBody *b = &pile->bodies[i];
        CaromPose pose = carom_pile_moment(pile, i, pile->time).pose;
        if (b->used && b->state != CAROM_PILE_FIXED &&
            carom_plane_gap(b->shape, &pose, point, n).gap <
                -CAROM_PILE_MOST_OVERLAP * b->shape->width) {
            carom_log(&pile->def.host, "plane: body %d is behind it", i);
            return CAROM_BAD_DATA;
        }
    }
    pile->planes[pile->plane_count] = (CaromPilePlane){point, n};
    if (number) {
        *number = pile->plane_count;
    }
    pile->plane_count++;
    pile->fresh = true;
    for (int i = 0; i < pile->body_count; i++) {
        if (pile->bodies[i].used && carom_pile_moves(&pile->bodies[i])) {
            carom_pile_predict(pile, i);
        }
    }
    return CAROM_OK;
}

/// A body that may come yet, or a plane that is there.
static bool is_thing(const CaromPile *pile, int number) {
    return number >= 0 ? number < pile->def.bodies : -1 - number < pile->plane_count;
}

CaromStatus carom_pile_set_material(CaromPile *pile, int a, int b, const CaromMaterial *material) {
    CAROM_REQUIRE(NULL, pile);
    CAROM_REQUIRE(NULL, material);
    double got = 0;
    const char *fault = carom_material_fault(material, &got);
    if (fault) {
        carom_log(&pile->def.host, "material of %d and %d: %s, got %.9g", a, b, fault, got);
        return CAROM_BAD_DATA;
    }
    if (!is_thing(pile, a) || !is_thing(pile, b)) {
        carom_log(&pile->def.host, "material of %d and %d: no such pair", a, b);
        return CAROM_BAD_ARGUMENT;
    }
    for (int i = 0; i < pile->material_count; i++) {
        CaromPilePair *p = &pile->materials[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            p->material = *material;
            return CAROM_OK;
        }
    }
    if (pile->material_count == pile->def.materials) {
        carom_log(&pile->def.host, "more than %d materials of pairs", pile->def.materials);
        return CAROM_OVER_LIMIT;
    }
    pile->materials[pile->material_count++] = (CaromPilePair){a, b, *material};
    return CAROM_OK;
}

CaromStatus carom_pile_set_motion(CaromPile *pile, int body, const CaromMoment *motion) {
    CAROM_REQUIRE(NULL, pile);
    CAROM_REQUIRE(NULL, motion);
    if (!carom_pile_is_body(pile, body) || pile->bodies[body].state == CAROM_PILE_FIXED) {
        return no_body(pile, body);
    }
    if (!moment_is_finite(motion)) {
        carom_log(&pile->def.host, "motion: must be finite, its rotation not zero");
        return CAROM_BAD_ARGUMENT;
    }
    CaromMoment m = normalized(motion);
    if (overlaps(pile, pile->bodies[body].shape, &m.pose, body)) {
        return CAROM_BAD_DATA;
    }
    if (pile->bodies[body].state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    wake_neighbours(pile, body);
    carom_pile_bring(pile, body);
    CaromMoment old = carom_pile_moment(pile, body, pile->time);
    pile->report.supplied +=
        carom_pile_body_energy(pile, body, &m) - carom_pile_body_energy(pile, body, &old);
    change(pile, body, &m);
    return CAROM_OK;
}

CaromStatus carom_pile_push(CaromPile *pile, int body, CaromVec3 impulse, CaromVec3 point) {
    CAROM_REQUIRE(NULL, pile);
    if (!carom_pile_is_body(pile, body) || pile->bodies[body].state == CAROM_PILE_FIXED) {
        return no_body(pile, body);
    }
    if (!v3_finite(impulse) || !v3_finite(point)) {
        carom_log(&pile->def.host, "push: must be finite");
        return CAROM_BAD_ARGUMENT;
    }
    if (pile->bodies[body].state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    carom_pile_bring(pile, body);
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    double before = carom_pile_body_energy(pile, body, &m);
    CaromBody b = carom_pile_problem_body(pile, body, &m);
    CaromVec3 arm = v3_sub(point, m.pose.position);
    CaromSix change_by = carom_body_response(&b, six_wrench(arm, impulse));
    m.velocity = v3_add(m.velocity, change_by.linear);
    m.angular_velocity = v3_add(m.angular_velocity, change_by.angular);
    pile->report.supplied += carom_pile_body_energy(pile, body, &m) - before;
    change(pile, body, &m);
    return CAROM_OK;
}

CaromStatus carom_pile_set_force(CaromPile *pile, int body, CaromVec3 force) {
    CAROM_REQUIRE(NULL, pile);
    if (!carom_pile_is_body(pile, body) || pile->bodies[body].state == CAROM_PILE_FIXED) {
        return no_body(pile, body);
    }
    if (!v3_finite(force)) {
        carom_log(&pile->def.host, "force: must be finite");
        return CAROM_BAD_ARGUMENT;
    }
    CaromPileBody *b = &pile->bodies[body];
    if (b->state == CAROM_PILE_ASLEEP) {
        carom_pile_wake(pile, body);
    }
    carom_pile_bring(pile, body);
    CaromMoment m = carom_pile_moment(pile, body, pile->time);
    double before = carom_pile_body_energy(pile, body, &m);
    b->pull = v3_scale(1 / b->mass, force);
    pile->report.supplied += carom_pile_body_energy(pile, body, &m) - before;
    change(pile, body, &m);
    return CAROM_OK;
}

void carom_pile_listen(CaromPile *pile, CaromPileListenFn *listener, void *user) {
    if (pile == NULL) {
        return;
    }
    pile->listener = listener;
    pile->listener_user = user;
}

// ---- What others ask -------------------------------------------------------------------------

const CaromMaterial *carom_pile_material(const CaromPile *pile, int a, int b) {
    for (int i = 0; i < pile->material_count; i++) {
        const CaromPilePair *p = &pile->materials[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            return &p->material;
        }
    }
    return &pile->def.material;
}

static double smaller_width(const CaromPile *pile, int a, int b) {
    double width = pile->bodies[a].shape->width;
    return b < 0 ? width : fmin(width, pile->bodies[b].shape->width);
}

double carom_pile_touch(const CaromPile *pile, int a, int b) {
    if (pile->def.touch > 0) {
        return pile->def.touch;
    }
    bool ball = pile->bodies[a].shape->kind == CAROM_SHAPE_BALL ||
                (b >= 0 && pile->bodies[b].shape->kind == CAROM_SHAPE_BALL);
    return (ball ? CAROM_PILE_TOUCH_BALL : CAROM_PILE_TOUCH) * smaller_width(pile, a, b);
}

double carom_pile_shell(const CaromPile *pile, int a, int b) {
    return CAROM_PILE_SHELL * smaller_width(pile, a, b);
}

double carom_pile_body_energy(const CaromPile *pile, int body, const CaromMoment *at) {
    const CaromPileBody *b = &pile->bodies[body];
    if (b->state == CAROM_PILE_FIXED) {
        return 0;
    }
    CaromMat3 r = carom_mat3_from_quat(at->pose.rotation);
    CaromVec3 w = m3_tmul(&r, at->angular_velocity);
    return 0.5 * b->mass * v3_dot(at->velocity, at->velocity) +
           0.5 * v3_dot(w, m3_mul(&b->inertia, w)) -
           b->mass * v3_dot(v3_add(pile->def.gravity, b->pull), at->pose.position);
}

CaromBody carom_pile_problem_body(const CaromPile *pile, int body, const CaromMoment *at) {
    const CaromPileBody *b = &pile->bodies[body];
    CaromBody out = b->state == CAROM_PILE_FIXED
                        ? carom_body_fixed()
                        : carom_body_rigid(b->mass, &b->inertia, at->pose.rotation);
    out.position = at->pose.position;
    if (b->state != CAROM_PILE_FIXED) {
        out.velocity = at->velocity;
        out.angular_velocity = at->angular_velocity;
    }
    return out;
}

void carom_pile_tell(CaromPile *pile, CaromPileEventKind kind, int count, const int *bodies,
                     double approach, const CaromImpactResult *impact) {
    if (pile->listener) {
        CaromPileEvent event = {pile->time, kind, count, bodies, approach, impact};
        pile->listener(pile->listener_user, &event);
    }
}
