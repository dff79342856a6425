// SPDX-License-Identifier: Apache-2.0
// The cone problem: closed forms, enumeration of all modes, invariance, many answers and none.
#include "base/dense.h"
#include "cone_fixture.h"
#include "contact/cone.h"
#include "contact/judge.h"

// ---- One contact ---------------------------------------------------------------------------

// A ball that falls on a plane and slides: P_n = m v_n, and friction stops the slip or is mu P_n;
// the mobility along the surface is 1/m + r^2/I = 7/(2m).
TEST(ball_on_plane_in_closed_form) {
    for (double mu = 0; mu < 2; mu += 0.125) {
        CaromBody bodies[2] = {carom_body_ball(3, 0.5), carom_body_fixed()};
        bodies[0].position = v3(0, 0, 0.5);
        bodies[0].velocity = v3(1.2, -0.9, -2); // slides with 1.5
        CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
        contact.material.friction = mu;
        CaromContactProblem problem = {2, bodies, 1, &contact, NULL, NULL};
        Solved s = solve_problem(&problem, NULL);
        CHECK_INT(s.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(s.at.impulses[0].z, 6, 1e-8); // tolerance of the solver
        double friction = fmin(mu * 6, 1.5 * 3 * 2 / 7);
        CHECK_NEAR(s.at.impulses[0].x, -0.8 * friction, 1e-9);
        CHECK_NEAR(s.at.impulses[0].y, 0.6 * friction, 1e-9);
        carom_contact_destroy(s.solver);
    }
}

/// A positive definite matrix, now and then nearly singular.
static CaromMat3 random_mobility(Random *r) {
    CaromMat3 l = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            l.m[i][j] = random_uniform(r, -1, 1);
        }
    }
    CaromMat3 t = m3_transpose(&l);
    CaromMat3 w = m3_mul3(&l, &t);
    for (int i = 0; i < 3; i++) {
        w.m[i][i] += random_scale(r, 1e-6, 1);
    }
    return w;
}

/// How far one contact is from Coulomb's law.
static double misfit(const CaromMat3 *w, const CaromConeTerm *t, CaromVec3 p) {
    CaromVec3 v = v3_add(t->free, m3_mul(w, p));
    double normal =
        t->kind == CAROM_CONE_GIVEN ? fabs(p.z - t->least) : fabs(fmin(v.z, p.z - t->least));
    double slip = norm2(v.x, v.y), most = t->friction * p.z;
    double excess = fmax(norm2(p.x, p.y) - most, 0);
    double turned = slip > 1e-6 ? norm2(p.x + most * v.x / slip, p.y + most * v.y / slip) : 0;
    return fmax(normal, fmax(excess, turned));
}

TEST(one_contact_obeys_the_law) {
    Random r = {11};
    for (int k = 0; k < 20000; k++) {
        CaromMat3 w = random_mobility(&r);
        CaromConeTerm t = {.free = random_vector(&r, 1), .friction = random_scale(&r, 0.05, 10)};
        t.kind = k % 3 == 0 ? CAROM_CONE_GIVEN : CAROM_CONE_UNILATERAL;
        t.least = t.kind == CAROM_CONE_GIVEN ? random_uniform(&r, 0, 1) : 0;
        CaromVec3 p = carom_cone_one_contact(&w, &t);
        // Rounding of a scalar root, times the largest impulse.
        CHECK_NEAR(misfit(&w, &t, p), 0, 1e-9 * (1 + v3_norm(p)));
    }
}

// ---- Against enumeration -------------------------------------------------------------------

/// A body that moves in the plane x, z only and turns about y.
static CaromBody planar_body(double mass, double inertia, double x, double z) {
    CaromBody body = carom_body_fixed();
    body.inverse_inertia[0][0] = body.inverse_inertia[2][2] = 1 / mass;
    body.inverse_inertia[4][4] = 1 / inertia;
    body.position = v3(x, 0, z);
    return body;
}

enum { OPEN, STICK, SLIP_UP, SLIP_DOWN, MODES };

/// W and b of a planar problem: along x and along the normal of each contact.
typedef struct Planar {
    int contacts;
    double w[8][8], b[8], mu[4];
} Planar;

/// Unknown (tangential, normal) impulses of all contacts in given modes. False if they break the
/// law.
static bool try_modes(const Planar *p, const int *modes, double *impulses) {
    int n = 2 * p->contacts;
    double a[64] = {0}, x[8] = {0};
    for (int c = 0; c < p->contacts; c++) {
        double *t = a + n * (2 * c), *normal = a + n * (2 * c + 1);
        for (int j = 0; j < n; j++) {
            t[j] = modes[c] == STICK ? p->w[2 * c][j] : 0;
            normal[j] = modes[c] == OPEN ? 0 : p->w[2 * c + 1][j];
        }
        x[2 * c] = modes[c] == STICK ? -p->b[2 * c] : 0;
        x[2 * c + 1] = modes[c] == OPEN ? 0 : -p->b[2 * c + 1];
        if (modes[c] == OPEN) {
            normal[2 * c + 1] = 1;
        }
        if (modes[c] != STICK) {
            t[2 * c] = 1;
            double sign = modes[c] == SLIP_UP ? 1 : -1; // of v_t
            t[2 * c + 1] += modes[c] == OPEN ? 0 : sign * p->mu[c];
        }
    }
    int pivot[8];
    if (!carom_lu(n, a, pivot)) {
        return false;
    }
    carom_lu_solve(n, a, pivot, x);
    const double slack = 1e-9;
    for (int c = 0; c < p->contacts; c++) {
        double v[2] = {p->b[2 * c], p->b[2 * c + 1]};
        for (int j = 0; j < n; j++) {
            v[0] += p->w[2 * c][j] * x[j];
            v[1] += p->w[2 * c + 1][j] * x[j];
        }
        bool obeyed = v[1] >= -slack && x[2 * c + 1] >= -slack &&
                      fabs(x[2 * c]) <= p->mu[c] * x[2 * c + 1] + slack &&
                      (modes[c] != SLIP_UP || v[0] >= -slack) &&
                      (modes[c] != SLIP_DOWN || v[0] <= slack);
        if (!obeyed) {
            return false;
        }
    }
    memcpy(impulses, x, (size_t)n * sizeof *x);
    return true;
}

static ContactScene random_planar(Random *r) {
    ContactScene s;
    scene_init(&s, 3, 4);
    int bodies = (int)random_uniform(r, 1, 4);
    int contacts = (int)random_uniform(r, 1, 5);
    for (int b = 0; b < bodies; b++) {
        CaromBody body = planar_body(random_scale(r, 0.2, 5), random_scale(r, 0.02, 1),
                                     random_uniform(r, -1, 1), random_uniform(r, -1, 1));
        body.velocity = v3(random_uniform(r, -1, 1), 0, random_uniform(r, -1, 1));
        body.angular_velocity = v3(0, random_uniform(r, -1, 1), 0);
        s.bodies[s.body_count++] = body;
    }
    for (int c = 0; c < contacts; c++) {
        int a = 1 + (int)random_uniform(r, 0, bodies);
        int b = (a + 1 + (int)random_uniform(r, 0, bodies)) % (bodies + 1);
        double angle = random_uniform(r, -3.1, 3.1);
        scene_touch_once(&s, a, b, v3(random_uniform(r, -1, 1), 0, random_uniform(r, -1, 1)),
                         v3(sin(angle), 0, cos(angle)), random_scale(r, 0.05, 3));
    }
    return s;
}

/// W and b by unit impulses on the bodies.
static Planar reduce(const ContactScene *s) {
    Planar p = {.contacts = s->contact_count};
    for (int c = 0; c < s->contact_count; c++) {
        const CaromContact *at = &s->contacts[c];
        CaromVec3 axes[2] = {v3(at->normal.z, 0, -at->normal.x), at->normal};
        p.mu[c] = at->material.friction;
        for (int i = 0; i < 2; i++) {
            for (int side = 0; side < 2; side++) {
                const CaromBody *body = &s->bodies[at->body[side]];
                CaromSix twist = {body->velocity, body->angular_velocity};
                CaromVec3 v = six_point_velocity(twist, v3_sub(at->point, body->position));
                p.b[2 * c + i] += (side == 0 ? 1 : -1) * v3_dot(axes[i], v);
            }
        }
        for (int d = 0; d < s->contact_count; d++) {
            const CaromContact *from = &s->contacts[d];
            CaromVec3 pushes[2] = {v3(from->normal.z, 0, -from->normal.x), from->normal};
            for (int i = 0; i < 4; i++) {
                int side = i / 2, other = i % 2, body = at->body[side];
                if (body != from->body[other]) {
                    continue;
                }
                CaromMat3 m = carom_body_mobility(&s->bodies[body],
                                                  v3_sub(at->point, s->bodies[body].position),
                                                  v3_sub(from->point, s->bodies[body].position));
                for (int j = 0; j < 4; j++) {
                    double part = v3_dot(axes[j / 2], m3_mul(&m, pushes[j % 2]));
                    p.w[2 * c + j / 2][2 * d + j % 2] += (side == other ? 1 : -1) * part;
                }
            }
        }
    }
    return p;
}

/// Velocities of the contacts after impulses.
static void velocities_after(const Planar *p, const double *impulses, double *v) {
    for (int i = 0; i < 2 * p->contacts; i++) {
        v[i] = p->b[i];
        for (int j = 0; j < 2 * p->contacts; j++) {
            v[i] += p->w[i][j] * impulses[j];
        }
    }
}

// Up to four contacts in the plane: 4^n sets of modes, each a linear system. The answer of the
// solver moves the bodies as one of those that obey the law.
TEST(answers_are_among_all_modes) {
    Random r = {12};
    int compared = 0, several = 0;
    for (int k = 0; k < 2000; k++) {
        ContactScene s = random_planar(&r);
        Planar p = reduce(&s);
        CaromContactOptions options = {.tolerance = 1e-12, .extra_starts = 4};
        Solved found = solve_scene(&s, &options);
        CHECK_INT(found.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(found.at.residual, 0, 1e-11);
        double impulses[8] = {0}, mine[8], nearest = HUGE_VAL;
        for (int c = 0; c < s.contact_count; c++) {
            CaromVec3 n = s.contacts[c].normal, at = found.at.impulses[c];
            impulses[2 * c] = v3_dot(v3(n.z, 0, -n.x), at);
            impulses[2 * c + 1] = v3_dot(n, at);
        }
        velocities_after(&p, impulses, mine);
        int answers = 0;
        for (int code = 0; code < 1 << (2 * p.contacts); code++) {
            int modes[4];
            double other[8], v[8], distance = 0;
            for (int c = 0; c < p.contacts; c++) {
                modes[c] = code >> (2 * c) & 3;
            }
            if (!try_modes(&p, modes, other)) {
                continue;
            }
            answers++;
            velocities_after(&p, other, v);
            for (int i = 0; i < 2 * p.contacts; i++) {
                distance = fmax(distance, fabs(v[i] - mine[i]));
            }
            nearest = fmin(nearest, distance);
        }
        compared += answers > 0;
        several += found.at.choices > 0;
        // The rest have redundant contacts, whose systems are singular in all modes that fit.
        CHECK(answers == 0 || nearest < 1e-7);
        carom_contact_destroy(found.solver);
        scene_free(&s);
    }
    CHECK(compared > 1700);
    CHECK(several > 0);
}

// ---- Invariance ----------------------------------------------------------------------------

// Redundant rigid contacts that slide have many answers, because the sharing of normal impulses
// decides about friction. The solver takes the one of equal springs of 1e-3 W_cc, so an answer is
// known to its tolerance, here 1e-12, times 1e3, times the conditions of the scene, up to 1e3.

/// A scene whose friction is moderate, so that nothing else makes several answers.
static ContactScene moderate_scene(int k) {
    ContactScene s;
    SceneMaker m = {{5000 + (uint64_t)k}, NASTY_NOTHING, &s};
    small_families[k % 4].make(&m);
    for (int c = 0; c < s.contact_count; c++) {
        s.contacts[c].material.friction = 0.05 + 0.05 * (c % 4);
    }
    return s;
}

static double twist_distance(const CaromTwist *a, const CaromTwist *b) {
    return v3_norm(v3_sub(a->velocity, b->velocity)) +
           v3_norm(v3_sub(a->angular_velocity, b->angular_velocity));
}

static const CaromContactOptions fine = {.tolerance = 1e-12};
enum { INVARIANCE_SCENES = 120 };

TEST(a_turned_world_turns_the_answer) {
    Random r = {13};
    for (int k = 0; k < INVARIANCE_SCENES; k++) {
        ContactScene s = moderate_scene(k), t = moderate_scene(k);
        CaromMat3 turn = carom_mat3_from_quat(random_rotation(&r));
        for (int b = 0; b < t.body_count; b++) {
            CaromBody *body = &t.bodies[b];
            body->position = m3_mul(&turn, body->position);
            body->velocity = m3_mul(&turn, body->velocity);
            body->angular_velocity = m3_mul(&turn, body->angular_velocity);
            CaromMat3 inverse;
            for (int i = 0; i < 9; i++) {
                inverse.m[i / 3][i % 3] = body->inverse_inertia[3 + i / 3][3 + i % 3];
            }
            CaromMat3 back = m3_transpose(&turn);
            inverse = m3_mul3(&turn, &inverse);
            inverse = m3_mul3(&inverse, &back);
            for (int i = 0; i < 9; i++) {
                body->inverse_inertia[3 + i / 3][3 + i % 3] =
                    0.5 * (inverse.m[i / 3][i % 3] + inverse.m[i % 3][i / 3]);
            }
        }
        for (int c = 0; c < t.contact_count; c++) {
            t.contacts[c].point = m3_mul(&turn, t.contacts[c].point);
            t.contacts[c].normal = m3_mul(&turn, t.contacts[c].normal);
        }
        Solved one = solve_scene(&s, &fine), two = solve_scene(&t, &fine);
        for (int b = 0; b < s.body_count; b++) {
            CaromTwist turned = {m3_mul(&turn, one.at.bodies[b].velocity),
                                 m3_mul(&turn, one.at.bodies[b].angular_velocity)};
            // One of the scenes is ten times as sensitive as all others.
            CHECK_NEAR(twist_distance(&turned, &two.at.bodies[b]), 0, 3e-5);
        }
        carom_contact_destroy(one.solver);
        carom_contact_destroy(two.solver);
        scene_free(&s);
        scene_free(&t);
    }
}

TEST(units_do_not_matter) {
    const double mass = 1e9, length = 1e-3, speed = 1e4;
    for (int k = 0; k < INVARIANCE_SCENES; k++) {
        ContactScene s = moderate_scene(k), t = moderate_scene(k);
        for (int b = 0; b < t.body_count; b++) {
            CaromBody *body = &t.bodies[b];
            body->position = v3_scale(length, body->position);
            body->velocity = v3_scale(speed, body->velocity);
            body->angular_velocity = v3_scale(speed / length, body->angular_velocity);
            for (int i = 0; i < 6; i++) {
                for (int j = 0; j < 6; j++) {
                    double arms = (i < 3 ? 1 : length) * (j < 3 ? 1 : length);
                    body->inverse_inertia[i][j] /= mass * arms;
                }
            }
        }
        for (int c = 0; c < t.contact_count; c++) {
            t.contacts[c].point = v3_scale(length, t.contacts[c].point);
        }
        Solved one = solve_scene(&s, &fine), two = solve_scene(&t, &fine);
        for (int b = 0; b < s.body_count; b++) {
            CaromTwist scaled = {v3_scale(1 / speed, two.at.bodies[b].velocity),
                                 v3_scale(length / speed, two.at.bodies[b].angular_velocity)};
            CHECK_NEAR(twist_distance(&scaled, &one.at.bodies[b]), 0, 1e-6);
        }
        carom_contact_destroy(one.solver);
        carom_contact_destroy(two.solver);
        scene_free(&s);
        scene_free(&t);
    }
}

/// The same scene with its bodies and contacts in reverse, and A and B exchanged.
static ContactScene relabelled(const ContactScene *s) {
    ContactScene t;
    scene_init(&t, s->body_count, s->contact_count);
    t.body_count = s->body_count;
    t.contact_count = s->contact_count;
    for (int b = 0; b < s->body_count; b++) {
        t.bodies[s->body_count - 1 - b] = s->bodies[b];
    }
    for (int c = 0; c < s->contact_count; c++) {
        CaromContact contact = s->contacts[c];
        contact.normal = v3_scale(-1, contact.normal);
        int a = contact.body[0];
        contact.body[0] = s->body_count - 1 - contact.body[1];
        contact.body[1] = s->body_count - 1 - a;
        t.contacts[s->contact_count - 1 - c] = contact;
    }
    return t;
}

TEST(labels_do_not_matter) {
    for (int k = 0; k < INVARIANCE_SCENES; k++) {
        ContactScene s = moderate_scene(k), t = relabelled(&s);
        Solved one = solve_scene(&s, &fine), two = solve_scene(&t, &fine);
        for (int b = 0; b < s.body_count; b++) {
            const CaromTwist *other = &two.at.bodies[s.body_count - 1 - b];
            CHECK_NEAR(twist_distance(&one.at.bodies[b], other), 0, 1e-6);
        }
        carom_contact_destroy(one.solver);
        carom_contact_destroy(two.solver);
        scene_free(&s);
        scene_free(&t);
    }
}

TEST(contacts_that_are_there_twice_change_nothing) {
    for (int k = 0; k < INVARIANCE_SCENES; k++) {
        ContactScene s = moderate_scene(k), t;
        scene_init(&t, s.body_count, 2 * s.contact_count);
        t.body_count = s.body_count;
        memcpy(t.bodies, s.bodies, (size_t)s.body_count * sizeof *s.bodies);
        for (int c = 0; c < s.contact_count; c++) {
            t.contacts[t.contact_count++] = s.contacts[c];
            t.contacts[t.contact_count++] = s.contacts[c];
        }
        Solved one = solve_scene(&s, &fine), two = solve_scene(&t, &fine);
        for (int b = 0; b < s.body_count; b++) {
            // Two springs in place of one halve the compliance that shares: 1e-3 to begin with.
            CHECK_NEAR(twist_distance(&one.at.bodies[b], &two.at.bodies[b]), 0, 1e-3);
        }
        carom_contact_destroy(one.solver);
        carom_contact_destroy(two.solver);
        scene_free(&s);
        scene_free(&t);
    }
}

// A warm start ends where the cold one does, and from the answer itself takes no iteration.
TEST(a_warm_start_agrees) {
    for (int k = 0; k < INVARIANCE_SCENES; k++) {
        ContactScene s = moderate_scene(k);
        Solved cold = solve_scene(&s, NULL);
        CaromContactProblem problem = scene_problem(&s);
        CaromVec3 *guess = malloc((size_t)s.contact_count * sizeof *guess);
        memcpy(guess, cold.at.impulses, (size_t)s.contact_count * sizeof *guess);
        problem.guess = guess;
        Solved warm = solve_problem(&problem, NULL);
        CHECK_INT(warm.at.iterations, 0);
        CHECK_NEAR(warm.at.residual, cold.at.residual, 1e-14);
        free(guess);
        carom_contact_destroy(cold.solver);
        carom_contact_destroy(warm.solver);
        scene_free(&s);
    }
}

// ---- Given normal impulses, least ones, compliance -----------------------------------------

// Not in wedges: where a spring presses a ball into one there may be no answer.
TEST(given_and_compliant_contacts_obey_the_law) {
    Random r = {14};
    for (int k = 0; k < 400; k++) {
        ContactScene s;
        SceneMaker m = {{7000 + (uint64_t)k}, NASTY_NOTHING, &s};
        small_families[k % 4 == 2 ? 1 : k % 4].make(&m);
        CaromContactTerm terms[100] = {0};
        for (int c = 0; c < s.contact_count; c++) {
            int kind = (int)random_uniform(&r, 0, 4);
            terms[c].normal_given = kind == 0;
            terms[c].normal_impulse = kind <= 1 ? random_uniform(&r, 0, 0.3) : 0;
            terms[c].compliance_normal = kind == 2 ? random_uniform(&r, 0, 1) : 0;
            terms[c].compliance_tangential = kind == 2 ? random_uniform(&r, 0, 1) : 0;
            terms[c].bias_contact_frame = random_vector(&r, 0.1);
        }
        CaromContactProblem problem = scene_problem(&s);
        problem.terms = terms;
        Solved found = solve_problem(&problem, NULL);
        CHECK_INT(found.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(found.at.residual, 0, 1e-9);
        carom_contact_destroy(found.solver);
        scene_free(&s);
    }
}

// Springs give the normal impulses: the problem is convex, and Newton's method alone solves it.
TEST(given_normals_alone_have_one_answer) {
    for (int k = 0; k < 200; k++) {
        ContactScene s;
        SceneMaker m = {{8000 + (uint64_t)k}, NASTY_ALL, &s};
        small_families[k % 4].make(&m);
        CaromContactTerm terms[200] = {0};
        for (int c = 0; c < s.contact_count; c++) {
            terms[c].normal_given = true;
            terms[c].normal_impulse = random_uniform(&m.random, 0, 1);
        }
        CaromContactProblem problem = scene_problem(&s);
        problem.terms = terms;
        Solved found = solve_problem(&problem, NULL);
        CHECK_INT(found.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(found.at.residual, 0, 1e-8); // masses from 1e-3 to 1e3: rounding
        carom_contact_destroy(found.solver);
        scene_free(&s);
    }
}

// ---- Several answers, and none -------------------------------------------------------------

// A ball pinched by two walls that close at speed: no motion of the ball keeps both from
// approaching.
TEST(no_answer_is_told) {
    for (double mu = 0; mu < 1; mu += 0.3) {
        CaromBody bodies[3] = {carom_body_ball(1, 1), carom_body_fixed(), carom_body_fixed()};
        bodies[1].velocity = v3(1, 0, 0);
        bodies[2].velocity = v3(-1, 0, 0);
        CaromContact contacts[2] = {{.body = {0, 1}, .point = {-1, 0, 0}, .normal = {1, 0, 0}},
                                    {.body = {0, 2}, .point = {1, 0, 0}, .normal = {-1, 0, 0}}};
        contacts[0].material.friction = contacts[1].material.friction = mu;
        CaromContactProblem problem = {3, bodies, 2, contacts, NULL, NULL};
        Solved s = solve_problem(&problem, NULL);
        CHECK_INT(s.at.outcome, CAROM_CONTACT_NO_ANSWER);
        CHECK(v3_finite(s.at.impulses[0]) && v3_finite(s.at.bodies[0].velocity));
        // The walls that part instead are fine.
        bodies[1].velocity = v3(-1, 0, 0);
        // cppcheck-suppress unreadVariable ; the problem points to it
        bodies[2].velocity = v3(1, 0, 0);
        CHECK(carom_contact_solve(s.solver, &problem, NULL, &s.at) == CAROM_OK);
        CHECK_INT(s.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(v3_norm(s.at.impulses[0]), 0, 1e-15);
        carom_contact_destroy(s.solver);
    }
}

// Neither body moves along the normal: it must not approach.
TEST(a_contact_between_fixed_bodies) {
    CaromBody bodies[2] = {carom_body_fixed(), carom_body_fixed()};
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    CaromContactProblem problem = {2, bodies, 1, &contact, NULL, NULL};
    Solved s = solve_problem(&problem, NULL);
    CHECK_INT(s.at.outcome, CAROM_CONTACT_SOLVED);
    // cppcheck-suppress unreadVariable ; the problem points to it
    bodies[0].velocity.z = -1;
    CHECK(carom_contact_solve(s.solver, &problem, NULL, &s.at) == CAROM_OK);
    CHECK_INT(s.at.outcome, CAROM_CONTACT_NO_ANSWER);
    carom_contact_destroy(s.solver);
}

// ---- The judge -----------------------------------------------------------------------------

// The judge sees what is wrong: a pull, an approach, too much friction, friction the wrong way.
TEST(the_judge_notices) {
    CaromBody bodies[2] = {carom_body_ball(1, 1), carom_body_fixed()};
    bodies[0].position = v3(0, 0, 1);
    bodies[0].velocity = v3(1, 0, -1);
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    contact.material.friction = 0.1;
    CaromContactProblem problem = {2, bodies, 1, &contact, NULL, NULL};
    CaromTwist work[2];
    CaromVec3 right = v3(-0.1, 0, 1);
    double scale = sqrt(2);
    CHECK_NEAR(carom_contact_judge(&problem, &right, 0, work), 0, 1e-15);
    const struct {
        CaromVec3 impulse;
        double residual;
    } wrong[] = {
        {{-0.1, 0, 0.99}, 0.01 / scale},   // still approaches
        {{-0.101, 0, 1.01}, 0.01 / scale}, // parts although it pushed to its end
        {{-0.2, 0, 1}, 3.5 * 0.1 / scale}, // more than friction can
        {{0.1, 0, 1}, 3.5 * 0.2 / scale},  // pushes forward
        {{0, 0, 1}, 3.5 * 0.1 / scale},    // slides freely
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double found = carom_contact_judge(&problem, &wrong[i].impulse, 0, work);
        CHECK(found > 0.5 * wrong[i].residual && found < 2 * wrong[i].residual);
    }
    CaromVec3 nan = v3(NAN, 0, 1);
    CHECK(carom_contact_judge(&problem, &nan, 0, work) == HUGE_VAL);
}
