// SPDX-License-Identifier: Apache-2.0
// Contact problems in Carom, ODE, Bullet and Siconos: times, energies, velocities, and how far each
// is from Coulomb's law by the same judge.
#include "../bench.h"

#include "base/vec.h"
#include "carom/impact.h"
#include "contact/contact_scenes.h"
#include "contact/inertia.h"
#include "contact/judge.h"
#include "contact_peers.h"

// ---- Carom
// ---------------------------------------------------------------------------------------

typedef struct Ours {
    CaromContactSolver *solver;
    const CaromContactProblem *problem;
    CaromContactSolution solution;
} Ours;

static void solve_ours(void *context) {
    Ours *o = context;
    if (carom_contact_solve(o->solver, o->problem, NULL, &o->solution) != CAROM_OK) {
        exit(1);
    }
}

/// A rigid model of `carom_impact_solve` on the same bodies, with restitution 0.
typedef struct Rigid {
    CaromImpact *impact;
    CaromImpactProblem problem;
    CaromImpactOptions options;
    CaromVec3 *impulses;
} Rigid;

static void solve_rigid(void *context) {
    Rigid *r = context;
    CaromImpactResult result;
    if (carom_impact_solve(r->impact, &r->problem, &r->options, &result) != CAROM_OK) {
        exit(1);
    }
    for (int c = 0; c < result.contact_count; c++) {
        r->impulses[c] = result.contacts[c].impulse;
    }
}

static Rigid make_rigid(const ContactScene *s, CaromModel model) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = s->body_count;
    limits.contacts = s->contact_count;
    limits.memory = 20000 * (size_t)s->contact_count + 100000;
    Rigid r = {.problem = {s->body_count, s->bodies, s->contact_count, s->contacts},
               .options = carom_impact_options_default(),
               .impulses = calloc((size_t)s->contact_count, sizeof(CaromVec3))};
    r.options.model = model;
    if (carom_impact_create(&limits, &r.impact) != CAROM_OK) {
        exit(1);
    }
    return r;
}

// ---- What impulses do
// ----------------------------------------------------------------------------

/// Velocities of the bodies after the impulses.
static void velocities_after(const ContactScene *s, const CaromVec3 *impulses, CaromTwist *after) {
    for (int b = 0; b < s->body_count; b++) {
        after[b] = (CaromTwist){s->bodies[b].velocity, s->bodies[b].angular_velocity};
    }
    for (int c = 0; c < s->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            int b = s->contacts[c].body[side];
            CaromVec3 p = v3_scale(side == 0 ? 1 : -1, impulses[c]);
            CaromVec3 t = v3_cross(v3_sub(s->contacts[c].point, s->bodies[b].position), p);
            const double wrench[6] = {p.x, p.y, p.z, t.x, t.y, t.z};
            double change[6] = {0};
            for (int i = 0; i < 36; i++) {
                change[i / 6] += s->bodies[b].inverse_inertia[i / 6][i % 6] * wrench[i % 6];
            }
            after[b].velocity = v3_add(after[b].velocity, v3(change[0], change[1], change[2]));
            after[b].angular_velocity =
                v3_add(after[b].angular_velocity, v3(change[3], change[4], change[5]));
        }
    }
}

/// Of boxes, whose inverse inertia is diagonal.
static double energy_of(const ContactScene *s, const CaromTwist *twists) {
    double sum = 0;
    for (int b = 0; b < s->body_count; b++) {
        CaromVec3 v = twists[b].velocity, o = twists[b].angular_velocity;
        const double u[6] = {v.x, v.y, v.z, o.x, o.y, o.z};
        for (int i = 0; i < 6; i++) {
            double inverse = s->bodies[b].inverse_inertia[i][i];
            sum += inverse > 0 ? 0.5 * u[i] * u[i] / inverse : 0;
        }
    }
    return sum;
}

static double farthest(int count, const CaromTwist *a, const CaromTwist *b) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, v3_norm(v3_sub(a[i].velocity, b[i].velocity)));
    }
    return most;
}

// ---- The comparison
// ------------------------------------------------------------------------------

enum { MOST_ENTRIES = 10 };

typedef struct Contest {
    int count;
    const char *names[MOST_ENTRIES];
    BenchEntry entries[MOST_ENTRIES];
    const CaromVec3 *impulses[MOST_ENTRIES];
    ContactPeer peers[MOST_ENTRIES]; ///< to destroy
} Contest;

static void enter(Contest *k, const char *name, ContactPeer peer) {
    k->names[k->count] = name;
    k->entries[k->count] = (BenchEntry){peer.solve, peer.work, 0};
    k->impulses[k->count] = peer.impulses;
    k->peers[k->count++] = peer;
}

static void enter_peers(Contest *k, const CaromContactProblem *problem) {
    (void)problem;
#ifdef PEER_ODE
    enter(k, "ODE QuickStep, 20", contact_peer_ode(problem, 20));
    enter(k, "ODE QuickStep, 1000", contact_peer_ode(problem, 1000));
#endif
#ifdef PEER_BULLET
    enter(k, "Bullet, 10", contact_peer_bullet(problem, 10));
    enter(k, "Bullet, 1000", contact_peer_bullet(problem, 1000));
#endif
#ifdef PEER_SICONOS
    enter(k, "Siconos NSGS, 1000", contact_peer_siconos(problem, 1000));
#endif
}

static void print_contest(const Contest *k, const char *name, const ContactScene *s,
                          const CaromContactProblem *problem) {
    size_t bodies = (size_t)s->body_count;
    CaromTwist *work = malloc(bodies * sizeof *work), *ours = malloc(bodies * sizeof *ours),
               *after = malloc(bodies * sizeof *after), *before = malloc(bodies * sizeof *before);
    for (int b = 0; b < s->body_count; b++) {
        before[b] = (CaromTwist){s->bodies[b].velocity, s->bodies[b].angular_velocity};
    }
    velocities_after(s, k->impulses[0], ours);
    for (int i = 0; i < k->count; i++) {
        velocities_after(s, k->impulses[i], after);
        printf("  %-22s %-20s %5d %11.1f %9.1e %9.6f %9.1e\n", i == 0 ? name : "", k->names[i],
               s->contact_count, 1e-3 * k->entries[i].nanoseconds,
               carom_contact_judge(problem, k->impulses[i], 0, work),
               energy_of(s, after) / energy_of(s, before), farthest(s->body_count, after, ours));
    }
    free(work);
    free(ours);
    free(after);
    free(before);
}

static void compare(const char *name, ContactScene *s) {
    CaromContactProblem problem = {.body_count = s->body_count,
                                   .bodies = s->bodies,
                                   .contact_count = s->contact_count,
                                   .contacts = s->contacts};
    for (int c = 0; c < s->contact_count; c++) {
        s->contacts[c].material.restitution = 0;
    }
    CaromContactLimits limits = {.bodies = s->body_count, .contacts = s->contact_count};
    Ours ours = {.problem = &problem};
    if (carom_contact_create(&limits, &ours.solver) != CAROM_OK) {
        exit(1);
    }
    solve_ours(&ours);
    Rigid newton = make_rigid(s, CAROM_MODEL_NEWTON), poisson = make_rigid(s, CAROM_MODEL_POISSON);
    Contest k = {0};
    enter(&k, "Carom contact", (ContactPeer){&ours, solve_ours, ours.solution.impulses, NULL});
    enter(&k, "Carom newton", (ContactPeer){&newton, solve_rigid, newton.impulses, NULL});
    enter(&k, "Carom poisson", (ContactPeer){&poisson, solve_rigid, poisson.impulses, NULL});
    enter_peers(&k, &problem);
    bench_interleaved(k.entries, k.count, 1e6);
    print_contest(&k, name, s, &problem);
    for (int i = 0; i < k.count; i++) {
        if (k.peers[i].destroy != NULL) {
            k.peers[i].destroy(k.peers[i].work);
        }
    }
    carom_impact_destroy(newton.impact);
    carom_impact_destroy(poisson.impact);
    free(newton.impulses);
    free(poisson.impulses);
    carom_contact_destroy(ours.solver);
    scene_free(s);
}

int main(void) {
    ContactScene s;
    SceneMaker m = {{1}, NASTY_NOTHING, &s};
    printf("Boxes that fall at 1 m/s, restitution 0, friction 0.5, cold starts: microseconds, the "
           "residual of\nCoulomb's law (one judge for all), the share of the energy that is kept, "
           "and the largest difference\nof a velocity from the first row [m/s].\n");
    printf("  %-22s %-20s %5s %11s %9s %9s %9s\n", "", "solver", "cont.", "time", "residual",
           "energy", "off");
    for (int k = 0; k < 2; k++) {
        double random = k == 0 ? 0 : 0.3;
        make_column(&m, 1, random, 0.5);
        compare(k == 0 ? "box" : "box, disturbed", &s);
        make_column(&m, 10, random, 0.5);
        compare(k == 0 ? "ten boxes" : "ten boxes, disturbed", &s);
        make_column(&m, 250, random, 0.5);
        compare(k == 0 ? "column" : "column, disturbed", &s);
    }
    return 0;
}
