// SPDX-License-Identifier: Apache-2.0
// Random impact problems by the million: every family by all models and methods, and the laws of
// mechanics checked on each. Momentum, work, separation and friction follow from the velocities and
// impulses alone; the ledger's losses, and the energy that errors are relative to, are the
// result's.
//
//     stress [--count N] [--seed S]           N problems, as the weights of the families say
//     stress --jobs J                         the same by J processes
//     stress --family FAMILY [--count N]      N problems of one family
//     stress --try FAMILY K [--seed S]        one of them
//     stress --show FAMILY K WAY [--seed S]   the same as a scene for `carom run`
#define _XOPEN_SOURCE 700
#include "reliability/families.h"

#include "base/vec.h"
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- Models and methods ----------------------------------------------------------------------

/// A way to solve a problem.
typedef struct Way {
    CaromModel model;
    CaromMethod method;
    int every;         ///< one in so many problems is solved this way
    int most_contacts; ///< of problems it is given
    bool rubs;         ///< knows friction
    bool linear;       ///< only linear springs
    bool alike;        ///< one restitution for all
    bool plastic;      ///< takes e = 0
    bool lawless;      ///< the model itself can make energy, or leave contacts that approach
} Way;

static const Way ways[] = {
    {CAROM_MODEL_SPRINGS, CAROM_METHOD_AUTO, 1, MOST_CONTACTS, .rubs = true, .plastic = true},
    {CAROM_MODEL_SPRINGS, CAROM_SPRINGS_CLOSED, 2, 1, .rubs = true, .plastic = true},
    {CAROM_MODEL_SPRINGS, CAROM_SPRINGS_EXACT, 2, MOST_CONTACTS, .linear = true, .rubs = true,
     .plastic = true},
    {CAROM_MODEL_SPRINGS, CAROM_SPRINGS_INTEGRATE, 8, 40, .rubs = true, .plastic = true},
    {CAROM_MODEL_SPRINGS, CAROM_SPRINGS_IMPULSE, 40, 10, .linear = true},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL, 16, 5, .alike = true, .plastic = true},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_NEAREST, 16, 5, .alike = true, .plastic = true},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED, 8, 40, .alike = true, .plastic = true},
    {CAROM_MODEL_NEWTON, CAROM_RIGID_LEMKE, 4, 40, .plastic = true, .lawless = true},
    {CAROM_MODEL_POISSON, CAROM_RIGID_LEMKE, 4, 40, .plastic = true},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_ORDER, 4, 40, .plastic = true},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_SPEED, 4, 40, .plastic = true},
};
enum { WAYS = sizeof ways / sizeof *ways, MOST_FAMILIES = 32, MOST_SECONDS = 10 };

/// Compliant contacts of "closed" are solved by others; all else is a matter of the table.
static bool fits(const Way *way, const Case *made) {
    bool closed = way->method == CAROM_SPRINGS_CLOSED;
    bool plastic = way->method == CAROM_SPRINGS_IMPULSE || way->plastic;
    for (int c = 0; c < made->contact_count && !way->plastic; c++) {
        plastic = plastic && made->contacts[c].material.restitution > 0;
    }
    return made->contact_count <= way->most_contacts && (!way->linear || made->linear) &&
           !(closed && made->compliant) && plastic;
}

/// The way of the k-th problem: each as often as it wants, if the problem fits.
static int choose_way(const Case *made, int k) {
    for (int tries = 0;; tries++) {
        int w = (k + tries) % WAYS;
        if ((k / WAYS + tries) % ways[w].every == 0 && fits(&ways[w], made)) {
            return w;
        }
    }
}

/// What a model does not know is taken off the problem.
static void suit(const Way *way, Case *made) {
    for (int c = 0; c < made->contact_count; c++) {
        CaromMaterial *material = &made->contacts[c].material;
        if (!way->rubs) {
            material->friction = 0;
            material->tangential = CAROM_TANGENTIAL_RIGID;
        }
        if (way->alike) {
            material->restitution = made->contacts[0].material.restitution;
        }
    }
}

// ---- The laws --------------------------------------------------------------------------------

/// Relative errors of one result. Energies are relative to what there was and what was supplied, as
/// the result tells; all else is computed from velocities and impulses. Contacts are weighed by w =
/// sqrt(W_cc), so that impulses P w and velocities v / w are both roots of energies: a trace of
/// energy may be a high speed of a light body.
typedef struct Errors {
    double momentum;   ///< of the bodies against the impulses on them, action equal to reaction
    double gain;       ///< work of the impulses on the bodies: energy that came from nowhere
    double ledger;     ///< that work and the losses told, or the energies told: what is left over
    double separation; ///< largest approach left, over the largest velocity at a contact
    double coulomb; ///< largest excess over what friction allows, or pull, over the largest impulse
} Errors;

enum { ERRORS = sizeof(Errors) / sizeof(double) };
static const char *const error_names[ERRORS] = {"momentum", "gain", "ledger", "separation",
                                                "Coulomb"};

/// Inverse inertia times wrench.
static void respond(const CaromBody *body, const double wrench[6], double change[6]) {
    for (int i = 0; i < 6; i++) {
        change[i] = 0;
        for (int j = 0; j < 6; j++) {
            change[i] += body->inverse_inertia[i][j] * wrench[j];
        }
    }
}

static double square_weight(const Case *made, const CaromContact *contact) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &made->bodies[contact->body[side]];
        CaromVec3 n = contact->normal, t = v3_cross(v3_sub(contact->point, body->position), n);
        double wrench[6] = {n.x, n.y, n.z, t.x, t.y, t.z}, change[6];
        respond(body, wrench, change);
        for (int i = 0; i < 6; i++) {
            sum += wrench[i] * change[i];
        }
    }
    return sum;
}

/// Velocity change of a body by the impulses of the contacts.
static CaromTwist response(const Case *made, const CaromImpactResult *r, int b) {
    double wrench[6] = {0}, change[6];
    for (int c = 0; c < made->contact_count; c++) {
        const CaromContact *contact = &made->contacts[c];
        for (int side = 0; side < 2; side++) {
            if (contact->body[side] == b) {
                CaromVec3 p = v3_scale(side == 0 ? 1 : -1, r->contacts[c].impulse);
                CaromVec3 t = v3_cross(v3_sub(contact->point, made->bodies[b].position), p);
                const double add[6] = {p.x, p.y, p.z, t.x, t.y, t.z};
                for (int i = 0; i < 6; i++) {
                    wrench[i] += add[i];
                }
            }
        }
    }
    respond(&made->bodies[b], wrench, change);
    return (CaromTwist){{change[0], change[1], change[2]}, {change[3], change[4], change[5]}};
}

static CaromVec3 contact_velocity(const Case *made, const CaromContact *contact,
                                  const CaromTwist *twists) {
    CaromVec3 v[2];
    for (int side = 0; side < 2; side++) {
        int b = contact->body[side];
        CaromVec3 arm = v3_sub(contact->point, made->bodies[b].position);
        v[side] = v3_add(twists[b].velocity, v3_cross(twists[b].angular_velocity, arm));
    }
    return v3_sub(v[0], v[1]);
}

static void raise_to(double *worst, double value) {
    *worst = value <= *worst || isnan(*worst) ? *worst : value;
}

/// Of the twists of the bodies, against the impulses.
static double momentum_error(const Case *made, const CaromImpactResult *r) {
    double worst = 0;
    for (int b = 0; b < made->body_count; b++) {
        CaromTwist change = response(made, r, b);
        CaromVec3 before[2] = {made->bodies[b].velocity, made->bodies[b].angular_velocity};
        CaromVec3 after[2] = {r->bodies[b].velocity, r->bodies[b].angular_velocity};
        CaromVec3 by[2] = {change.velocity, change.angular_velocity};
        for (int i = 0; i < 2; i++) {
            double size = v3_norm(before[i]) + v3_norm(by[i]);
            double off = v3_norm(v3_sub(v3_sub(after[i], before[i]), by[i]));
            raise_to(&worst, off / fmax(size, 1e-300));
        }
    }
    return worst;
}

/// What is left over of the energies: of the work that was done and the losses that are told for
/// it, and of the change that is told.
static double ledger_error(const CaromLedger *told, double work) {
    double lost = told->restitution_loss + told->friction_loss;
    double change = told->after - told->before - told->supplied;
    return fmax(fabs(work + lost), fabs(work - change));
}

static Errors judge(const Case *made, const CaromImpactResult *r) {
    CaromTwist before[MOST_BODIES];
    for (int b = 0; b < made->body_count; b++) {
        before[b] = (CaromTwist){made->bodies[b].velocity, made->bodies[b].angular_velocity};
    }
    double fastest = 1e-300, approach = 0, strongest = 1e-300, excess = 0, work = 0;
    for (int c = 0; c < made->contact_count; c++) {
        const CaromContact *contact = &made->contacts[c];
        double weight = sqrt(square_weight(made, contact));
        CaromVec3 v0 = contact_velocity(made, contact, before);
        CaromVec3 v1 = contact_velocity(made, contact, r->bodies);
        raise_to(&fastest, fmax(v3_norm(v0), v3_norm(v1)) / weight);
        raise_to(&approach, -v3_dot(v1, contact->normal) / weight);
        CaromVec3 p = r->contacts[c].impulse;
        work += v3_dot(p, v3_scale(0.5, v3_add(v0, v1)));
        double normal = v3_dot(p, contact->normal), mu = contact->material.friction;
        double along = v3_norm(v3_axpy(-normal, contact->normal, p));
        raise_to(&strongest, v3_norm(p) * weight);
        raise_to(&excess, (along - mu * normal) / (1 + mu) * weight);
        raise_to(&excess, -normal * weight);
    }
    double supply = fmax(r->energy.before + fabs(r->energy.supplied), 1e-300);
    return (Errors){
        .momentum = momentum_error(made, r),
        .gain = work / supply,
        .ledger = ledger_error(&r->energy, work) / supply,
        .separation = approach / fastest,
        .coulomb = excess / strongest,
    };
}

/// The most that a converged result may be off: momentum by rounding only; energies and speeds by
/// what the solver calls accurate, ten thousand times its tolerance of 1e-10; friction by what it
/// takes to stop contacts that slide below notice.
static Errors bounds(const Way *way) {
    bool stepping = way->method == CAROM_SPRINGS_IMPULSE; // of first order, in 1000 steps
    return (Errors){
        .momentum = 1e-9,
        .gain = way->lawless ? HUGE_VAL
                : stepping   ? 0.1
                             : 1e-6,
        .ledger = stepping ? 0.1 : 1e-6,
        .separation = way->lawless ? HUGE_VAL
                      : stepping   ? 0.1
                                   : 1e-6,
        .coulomb = 1e-5,
    };
}

/// The errors that say something about a family: without what a model does not promise at all, or a
/// method of first order only roughly.
static Errors promised(const Way *way, const Errors *e) {
    bool stepping = way->method == CAROM_SPRINGS_IMPULSE;
    Errors kept = *e;
    kept.gain = way->lawless || stepping ? 0 : e->gain;
    kept.separation = way->lawless || stepping ? 0 : e->separation;
    kept.ledger = stepping ? 0 : e->ledger;
    return kept;
}

static bool is_finite(CaromVec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Whether every number of a result is one, whatever its outcome.
static bool all_finite(const CaromImpactResult *r) {
    bool finite = isfinite(r->energy.after) && isfinite(r->energy.restitution_loss) &&
                  isfinite(r->energy.friction_loss) && isfinite(r->checks.energy_error) &&
                  isfinite(r->checks.momentum_error);
    for (int b = 0; b < r->body_count; b++) {
        finite =
            finite && is_finite(r->bodies[b].velocity) && is_finite(r->bodies[b].angular_velocity);
    }
    for (int c = 0; c < r->contact_count; c++) {
        finite = finite && is_finite(r->contacts[c].impulse);
    }
    return finite;
}

/// A law that is broken, or NULL.
static const char *broken_law(const CaromImpactResult *r, const Errors *e, const Way *way) {
    if (!all_finite(r)) {
        return "not a number";
    }
    Errors most = bounds(way);
    for (int i = 0; i < ERRORS && r->outcome == CAROM_OUTCOME_CONVERGED; i++) {
        if (!(((const double *)e)[i] <= ((const double *)&most)[i])) {
            return error_names[i];
        }
    }
    return NULL;
}

// ---- Figures ---------------------------------------------------------------------------------

enum { OUTCOMES = CAROM_OUTCOME_NO_SOLUTION + 1 };

/// Of a family, or of a way.
typedef struct Figures {
    long tried, refused, failures;
    long outcomes[OUTCOMES];
    Errors worst;
    double seconds, slowest; ///< of processor time
    int slowest_family, slowest_case, slowest_way;
} Figures;

static void count(Figures *f, const CaromImpactResult *r, const Errors *e, bool broken,
                  double seconds, const int at[3]) {
    f->tried++;
    f->failures += broken;
    f->outcomes[r->outcome]++;
    f->seconds += seconds;
    for (int i = 0; i < ERRORS && r->outcome == CAROM_OUTCOME_CONVERGED; i++) {
        raise_to((double *)&f->worst + i, ((const double *)e)[i]);
    }
    if (seconds > f->slowest) {
        f->slowest = seconds;
        f->slowest_family = at[0];
        f->slowest_case = at[1];
        f->slowest_way = at[2];
    }
}

static void add(Figures *f, const Figures *more) {
    f->tried += more->tried;
    f->refused += more->refused;
    f->failures += more->failures;
    f->seconds += more->seconds;
    for (int i = 0; i < OUTCOMES; i++) {
        f->outcomes[i] += more->outcomes[i];
    }
    for (int i = 0; i < ERRORS; i++) {
        raise_to((double *)&f->worst + i, ((const double *)&more->worst)[i]);
    }
    if (more->slowest > f->slowest) {
        f->slowest = more->slowest;
        f->slowest_family = more->slowest_family;
        f->slowest_case = more->slowest_case;
        f->slowest_way = more->slowest_way;
    }
}

/// A row of a table as docs/reliability.md has it.
static void print_figures(const char *name, const Figures *f) {
    long other = f->tried - f->refused;
    for (int i = 0; i < OUTCOMES; i++) {
        other -= i == CAROM_OUTCOME_CONVERGED || i == CAROM_OUTCOME_JAMMED ||
                         i == CAROM_OUTCOME_NO_SOLUTION || i == CAROM_OUTCOME_ENDLESS
                     ? f->outcomes[i]
                     : 0;
    }
    printf("| %-19s | %7ld | %7ld | %6ld | %4ld | %5ld | %8ld", name, f->tried,
           f->outcomes[CAROM_OUTCOME_CONVERGED], f->outcomes[CAROM_OUTCOME_JAMMED],
           f->outcomes[CAROM_OUTCOME_NO_SOLUTION] + f->outcomes[CAROM_OUTCOME_ENDLESS], other,
           f->failures);
    for (int i = 0; i < ERRORS; i++) {
        printf(" | %10.1e", fmax(((const double *)&f->worst)[i], 0));
    }
    printf(" | %9.1f | %12.2f | %d %d %d |\n",
           1e6 * f->seconds / (double)(f->tried > 0 ? f->tried : 1), 1e3 * f->slowest,
           f->slowest_family, f->slowest_case, f->slowest_way);
}

static void print_heading(const char *name) {
    printf("\n| %-19s | %7s | %7s | %6s | %4s | %5s | %8s", name, "tried", "solved", "jammed",
           "none", "limit", "failures");
    for (int i = 0; i < ERRORS; i++) {
        printf(" | %10s", error_names[i]);
    }
    printf(" | %9s | %12s | %s |\n|", "mean [us]", "slowest [ms]", "which");
    for (int i = 0; i < 10 + ERRORS; i++) {
        printf("---|");
    }
    printf("\n");
}

// ---- A run -----------------------------------------------------------------------------------

enum { MOST_JOBS = 64 };

typedef struct Stress {
    uint64_t seed;
    bool talks; ///< about every problem
    int only;   ///< this family, or -1
    int jobs;   ///< processes
    CaromImpact *impact;
    Case made;
    Figures by_family[MOST_FAMILIES], by_way[WAYS], all;
} Stress;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static CaromImpactProblem problem_of(const Case *made) {
    return (CaromImpactProblem){made->body_count, made->bodies, made->contact_count,
                                made->contacts};
}

static bool has_friction(const Case *made) {
    bool any = false;
    for (int c = 0; c < made->contact_count; c++) {
        any = any || made->contacts[c].material.friction > 0;
    }
    return any;
}

/// Problems that need more steps are counted. Springs without friction may take a million, about a
/// second: with stiffnesses from 1e-6 to 1e6 a body that rattles takes 1e5.
static CaromImpactOptions options_of(const Way *way, const Case *made) {
    CaromImpactOptions options = carom_impact_options_default();
    bool springs = way->model == CAROM_MODEL_SPRINGS && way->method != CAROM_SPRINGS_IMPULSE;
    options.model = way->model;
    options.method = way->method;
    options.max_steps = !springs ? 20000 : has_friction(made) ? 2000 : 1000 * 1000;
    return options;
}

/// One problem in 64, at random, since models and methods take turns.
static bool is_repeated(int k) {
    Random random = {(uint64_t)k};
    return random_uniform(&random, 0, 64) < 1;
}

static bool same_bits(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/// The same problem once more must give the same to the last bit.
static bool repeats(Stress *s, const CaromImpactProblem *problem, const CaromImpactOptions *options,
                    const CaromImpactResult *r) {
    CaromTwist bodies[MOST_BODIES];
    CaromVec3 impulses[MOST_CONTACTS];
    memcpy(bodies, r->bodies, sizeof *bodies * (size_t)r->body_count);
    for (int c = 0; c < r->contact_count; c++) {
        impulses[c] = r->contacts[c].impulse;
    }
    double after = r->energy.after, lost = r->energy.restitution_loss;
    CaromImpactResult again;
    CaromOutcome outcome = r->outcome;
    bool same = carom_impact_solve(s->impact, problem, options, &again) == CAROM_OK &&
                outcome == again.outcome && same_bits(&after, &again.energy.after, sizeof after) &&
                same_bits(&lost, &again.energy.restitution_loss, sizeof lost) &&
                same_bits(bodies, again.bodies, sizeof *bodies * (size_t)again.body_count);
    for (int c = 0; same && c < again.contact_count; c++) {
        same = same_bits(&impulses[c], &again.contacts[c].impulse, sizeof *impulses);
    }
    return same;
}

static void refuse(Stress *s, int family, int w) {
    s->by_family[family].refused++;
    s->by_way[w].refused++;
    s->all.refused++;
}

static void try_case(Stress *s, int family, int k) {
    make_case(s->seed, family, k, &s->made);
    int w = choose_way(&s->made, k);
    suit(&ways[w], &s->made);
    CaromImpactProblem problem = problem_of(&s->made);
    CaromImpactOptions options = options_of(&ways[w], &s->made);
    CaromImpactResult r = {0};
    double start = cpu_seconds();
    CaromStatus status = carom_impact_solve(s->impact, &problem, &options, &r);
    double seconds = cpu_seconds() - start;
    const char *law = NULL;
    Errors e = {0};
    if (status == CAROM_OK) {
        e = judge(&s->made, &r);
        law = broken_law(&r, &e, &ways[w]);
        law = !law && seconds > MOST_SECONDS ? "time" : law;
        law = !law && is_repeated(k) && !repeats(s, &problem, &options, &r) ? "determinism" : law;
    } else {
        law = status == CAROM_UNSUPPORTED ? NULL : carom_status_text(status);
        refuse(s, family, w);
    }
    const int at[3] = {family, k, w};
    count(&s->by_way[w], &r, &e, law != NULL, seconds, at);
    Errors kept = promised(&ways[w], &e);
    count(&s->by_family[family], &r, &kept, law != NULL, seconds, at);
    count(&s->all, &r, &kept, law != NULL, seconds, at);
    bool unsolved = s->only >= 0 && r.outcome != CAROM_OUTCOME_CONVERGED;
    if ((law && s->all.failures <= 50) || s->talks || unsolved) {
        printf("%s %s: %s, %s %s, %s: momentum %.1e gain %.1e ledger %.1e separation %.1e Coulomb "
               "%.1e; --show %d %d %d\n",
               law ? "FAIL" : "ok", law ? law : "lawful", families[family].name,
               carom_model_text(options.model), carom_method_text(options.method),
               carom_outcome_text(r.outcome), e.momentum, e.gain, e.ledger, e.separation, e.coulomb,
               family, k, w);
    }
}

/// Family of the i-th problem: as the weights say, all mixed.
static int family_of(long i) {
    int at = (int)(i * 61 % 100); // 61 and 100 have no common factor
    for (int f = 0; f < family_count; f++) {
        at -= families[f].weight;
        if (at < 0) {
            return f;
        }
    }
    return 0;
}

/// What scripts/stress_page.py puts into docs/reliability.md.
static void print_page(const Stress *s) {
    printf("\nSeed %" PRIu64 ", %ld problems, %.0f s of processor time: %ld failures.\n", s->seed,
           s->all.tried, s->all.seconds, s->all.failures);
    print_heading("family");
    for (int f = 0; f < family_count; f++) {
        print_figures(families[f].name, &s->by_family[f]);
    }
    print_figures("all", &s->all);
    print_heading("model, method");
    for (int w = 0; w < WAYS; w++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s %s", carom_model_text(ways[w].model),
                       carom_method_text(ways[w].method));
        print_figures(name, &s->by_way[w]);
    }
}

/// Every `jobs`-th problem, from the `job`-th on.
static void try_share(Stress *s, long problems, int job) {
    int next[MOST_FAMILIES] = {0};
    for (long i = 0; i < problems; i++) {
        int family = s->only >= 0 ? s->only : family_of(i), k = next[family]++;
        if (i % s->jobs == job) {
            try_case(s, family, k);
        }
    }
}

/// Another process tries its share and writes its figures into a pipe, from which they can be read.
static FILE *start_job(Stress *s, long problems, int job) {
    int ends[2];
    (void)fflush(stdout);
    if (pipe(ends) != 0) {
        return NULL;
    }
    pid_t child = fork();
    if (child != 0) {
        (void)close(ends[1]);
        return child < 0 ? NULL : fdopen(ends[0], "rb");
    }
    try_share(s, problems, job);
    FILE *figures = fdopen(ends[1], "wb");
    bool written = figures && fwrite(s, sizeof *s, 1, figures) == 1 && fclose(figures) == 0;
    (void)fflush(stdout);
    _exit(written ? 0 : 1);
}

/// Adds the figures of another process; false if it did not end well.
static bool take_figures(Stress *s, FILE *figures) {
    static Stress other;
    bool whole = figures && fread(&other, sizeof other, 1, figures) == 1;
    if (figures) {
        (void)fclose(figures);
    }
    if (whole) {
        add(&s->all, &other.all);
        for (int f = 0; f < family_count; f++) {
            add(&s->by_family[f], &other.by_family[f]);
        }
        for (int w = 0; w < WAYS; w++) {
            add(&s->by_way[w], &other.by_way[w]);
        }
    }
    return whole;
}

static int run(Stress *s, long problems) {
    FILE *others[MOST_JOBS] = {0};
    bool whole = true;
    for (int job = 1; job < s->jobs; job++) {
        others[job] = start_job(s, problems, job);
    }
    try_share(s, problems, 0);
    for (int job = 1; job < s->jobs; job++) {
        whole = take_figures(s, others[job]) && whole;
    }
    while (wait(NULL) > 0) {
    }
    if (!whole) {
        printf("FAIL: a process did not end\n");
        return 1;
    }
    print_page(s);
    printf("\n%ld passed, %ld failed\n", s->all.tried - s->all.failures, s->all.failures);
    return s->all.failures > 0;
}

// ---- One problem as a scene ------------------------------------------------------------------

static void show_vector(const char *name, CaromVec3 v) {
    printf("\"%s\": [%.17g, %.17g, %.17g]", name, v.x, v.y, v.z);
}

static void show_body(const CaromBody *body, int b) {
    printf("%s\n  \"b%d\": {\"inverse_inertia\": [", b > 0 ? "," : "", b);
    for (int i = 0; i < 6; i++) {
        printf("%s[", i > 0 ? ", " : "");
        for (int j = 0; j < 6; j++) {
            printf("%s%.17g", j > 0 ? ", " : "", body->inverse_inertia[i][j]);
        }
        printf("]");
    }
    printf("], ");
    show_vector("position", body->position);
    printf(", ");
    show_vector("velocity", body->velocity);
    printf(", ");
    show_vector("angular_velocity", body->angular_velocity);
    printf("}");
}

static void show_contact(const CaromContact *contact, int c) {
    const CaromMaterial *m = &contact->material;
    printf("%s\n  {\"between\": [\"b%d\", \"b%d\"], ", c > 0 ? "," : "", contact->body[0],
           contact->body[1]);
    show_vector("point", contact->point);
    printf(", ");
    show_vector("normal", contact->normal);
    printf(
        ", \"restitution\": %.17g, \"friction\": %.17g, \"stiffness\": %.17g, \"exponent\": %.17g",
        m->restitution, m->friction, m->stiffness, m->exponent);
    if (m->tangential == CAROM_TANGENTIAL_COMPLIANT) {
        printf(", \"tangential\": {\"stiffness_ratio\": %.17g}", m->stiffness_ratio);
    }
    printf(", \"unloading\": \"%s\"}",
           m->unloading == CAROM_MONO_STIFFNESS ? "mono-stiffness" : "bi-stiffness");
}

static void show(Stress *s, int family, int k, int w) {
    make_case(s->seed, family, k, &s->made);
    suit(&ways[w], &s->made);
    printf("{\"kind\": \"impact\", \"title\": \"%s, problem %d of seed %" PRIu64
           "\",\n\"bodies\": {",
           families[family].name, k, s->seed);
    for (int b = 0; b < s->made.body_count; b++) {
        show_body(&s->made.bodies[b], b);
    }
    printf("},\n\"contacts\": [");
    for (int c = 0; c < s->made.contact_count; c++) {
        show_contact(&s->made.contacts[c], c);
    }
    CaromImpactOptions options = options_of(&ways[w], &s->made);
    printf("],\n\"solver\": {\"model\": \"%s\", \"method\": \"%s\", \"max_steps\": %d}}\n",
           carom_model_text(options.model), carom_method_text(options.method), options.max_steps);
}

static int usage(void) {
    (void)fprintf(
        stderr,
        "usage: stress [--count N] [--seed S] [--jobs J] [--family FAMILY] [--try FAMILY K] "
        "[--show FAMILY K WAY]\n"
        "families 0 to %d, ways 0 to %d, K from 0\n",
        family_count - 1, WAYS - 1);
    return 2;
}

/// Solves one problem, or all.
static int solve(Stress *s, bool one, const int chosen[3], long problems) {
    printf("seed %" PRIu64 ", %ld problems\n", s->seed, one ? 1 : problems);
    CaromImpactLimits limits = {
        .bodies = MOST_BODIES, .contacts = MOST_CONTACTS, .memory = 1u << 20};
    if (carom_impact_create(&limits, &s->impact) != CAROM_OK) {
        return 1;
    }
    int code = 0;
    if (one) {
        try_case(s, chosen[0], chosen[1]);
        code = s->all.failures > 0;
    } else {
        code = run(s, problems);
    }
    carom_impact_destroy(s->impact);
    return code;
}

int main(int argc, char **argv) {
    static Stress stress = {.seed = 13, .only = -1, .jobs = 1};
    long problems = 1000 * 1000;
    int chosen[3] = {0};
    bool shows = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) {
            problems = atol(argv[++i]);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            stress.seed = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--family") == 0 && i + 1 < argc) {
            stress.only = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
            stress.jobs = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--try") == 0 && i + 2 < argc) {
            stress.talks = true;
            chosen[0] = atoi(argv[++i]);
            chosen[1] = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--show") == 0 && i + 3 < argc) {
            shows = true;
            for (int j = 0; j < 3; j++) {
                chosen[j] = atoi(argv[++i]);
            }
        } else {
            return usage();
        }
    }
    if (stress.only >= family_count || chosen[0] < 0 || chosen[0] >= family_count ||
        chosen[1] < 0 || chosen[2] < 0 || chosen[2] >= WAYS || stress.jobs < 1 ||
        stress.jobs > MOST_JOBS) {
        return usage();
    }
    if (shows) {
        show(&stress, chosen[0], chosen[1], chosen[2]);
        return 0;
    }
    return solve(&stress, stress.talks, chosen, problems);
}
