// SPDX-License-Identifier: Apache-2.0
// The readable report of an impact: what happened, in which order, where the energy went, and
// whether to believe it.
#include "command.h"
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BODIES_SHOWN = 20, MAX_CONTACTS_SHOWN = 40, MAX_EVENTS_SHOWN = 60 };

typedef struct Report {
    const CaromImpactSolution *solution;
    const CaromImpactScene *scene;
    const CaromImpactResult *result;
    int moments;
    bool happened; ///< some contact took an impulse
    CliStyle style;
} Report;

static CaromImpactMoment moment_at(const Report *report, int i) {
    return carom_record_moment(report->solution->record, i);
}

// ---- The summary -----------------------------------------------------------------------------

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static const char *why_not(CaromOutcome outcome) {
    switch (outcome) {
    case CAROM_OUTCOME_JAMMED:
        return "jammed: friction keeps a contact compressed for ever";
    case CAROM_OUTCOME_MAX_EVENTS:
        return "the limit of events was reached";
    case CAROM_OUTCOME_MAX_STEPS:
        return "the limit of steps was reached (solver.max_steps)";
    case CAROM_OUTCOME_INACCURATE:
        return "a check exceeds the tolerance";
    case CAROM_OUTCOME_MAX_VELOCITIES:
        return "the search is not complete: solver.memory is used up";
    case CAROM_OUTCOME_ENDLESS:
        return "some orders of impacts have no end";
    case CAROM_OUTCOME_NO_SOLUTION:
        return "the model's equations have no solution";
    default:
        return carom_outcome_text(outcome);
    }
}

static void print_lost(double lost) {
    if (lost < 1e-9) {
        (void)printf("no energy is lost.");
    } else {
        (void)printf("%.*f %% of the energy is lost.", lost < 1 ? 3 : 1, lost);
    }
}

static void summarise_single(const Report *report, double lost) {
    CaromContactState end = moment_at(report, report->moments - 1).contacts[0];
    char speed[CLI_NUMBER];
    cli_number(end.velocity_contact_frame.z, 1, speed);
    const char *how = end.mode == CAROM_MODE_STICK ? ", sticking" : "";
    if (end.mode == CAROM_MODE_SLIP) {
        how = ", sliding";
    }
    (void)printf("The bodies separate at %s m/s%s; ", speed, how);
    print_lost(lost);
}

static int count_events(const Report *report) {
    int count = 0;
    const CaromRecord *record = report->solution->record;
    for (int i = 0; i < carom_record_event_count(record); i++) {
        count += carom_record_event(record, i).contact >= 0;
    }
    return count;
}

static void print_summary(const Report *report) {
    const CaromImpactResult *result = report->result;
    const CaromLedger *energy = &result->energy;
    double whole = energy->before + fmax(energy->supplied, 0);
    double lost = percent(energy->restitution_loss + energy->friction_loss, whole);
    (void)fputs(report->style.bold, stdout);
    if (result->outcome != CAROM_OUTCOME_CONVERGED) {
        (void)printf("%sNot solved: %s.", report->style.bad, why_not(result->outcome));
    } else if (!report->happened) {
        (void)printf("The bodies do not approach: nothing happens.");
    } else if (result->contact_count == 1 && report->moments > 0) {
        summarise_single(report, lost);
    } else {
        (void)printf("All %d contacts have separated after %d events; ", result->contact_count,
                     count_events(report));
        print_lost(lost);
    }
    (void)printf("%s\n", report->style.plain);
}

// ---- Bodies and contacts ---------------------------------------------------------------------

/// The speed (from = 0) or rate (3) that all of an energy would give a body. Rounding is relative
/// to it.
static double scale_of(const CaromBody *body, int from, double energy) {
    double trace = 0;
    for (int i = from; i < from + 3; i++) {
        trace += body->inverse_inertia[i][i];
    }
    return sqrt(2 * energy * trace);
}

static void print_twists(const char *name, const CaromBody *before, const CaromTwist *after,
                         double energy) {
    double speed = fmax(cli_norm(before->velocity), scale_of(before, 0, energy));
    double turning = fmax(cli_norm(before->angular_velocity), cli_norm(after->angular_velocity));
    double spin = fmax(cli_norm(before->angular_velocity), scale_of(before, 3, energy));
    (void)fputs("  ", stdout);
    cli_name(name, 14);
    (void)printf(" moves   before");
    cli_vector(before->velocity, speed, "m/s");
    (void)printf("%25safter ", "");
    cli_vector(after->velocity, speed, "m/s");
    if (turning > 1e-12 * spin) {
        (void)printf("%17sturns   before", "");
        cli_vector(before->angular_velocity, spin, "rad/s");
        (void)printf("%25safter ", "");
        cli_vector(after->angular_velocity, spin, "rad/s");
    }
}

static void print_bodies(const Report *report) {
    int movable = 0, shown = 0;
    cli_heading(&report->style, "Bodies",
                "                                     x            y            z");
    for (int i = 0; i < report->result->body_count; i++) {
        if (!report->scene->fixed[i]) {
            movable++;
            if (shown < MAX_BODIES_SHOWN) {
                print_twists(report->scene->body_names[i], &report->scene->problem.bodies[i],
                             &report->result->bodies[i], report->result->energy.before);
                shown++;
            }
        }
    }
    cli_more(shown, movable);
}

/// One contact: its velocity and impulse in its own frame.
static void print_contact(const Report *report) {
    CaromImpactMoment start = moment_at(report, 0);
    CaromContactState before = start.contacts[0];
    CaromContactState after = moment_at(report, report->moments - 1).contacts[0];
    double speed =
        fmax(cli_norm(before.velocity_contact_frame), cli_norm(after.velocity_contact_frame));
    cli_heading(&report->style, "Contact",
                "                                    x            y       normal");
    (void)printf("  %-14s %-7s before", "velocity", "");
    cli_vector(before.velocity_contact_frame, speed, "m/s");
    (void)printf("%25safter ", "");
    cli_vector(after.velocity_contact_frame, speed, "m/s");
    (void)printf("  %-28s", "impulse");
    cli_vector(after.impulse_contact_frame, cli_norm(after.impulse_contact_frame), "N s");
}

/// The part of a contact's impulse along the surface.
static double friction_impulse(const CaromContact *contact, const CaromContactResult *result) {
    CaromVec3 n = contact->normal, p = result->impulse;
    double along = p.x * n.x + p.y * n.y + p.z * n.z;
    return cli_norm((CaromVec3){p.x - along * n.x, p.y - along * n.y, p.z - along * n.z});
}

static void print_contacts(const Report *report) {
    const CaromImpactScene *scene = report->scene;
    int count = report->result->contact_count, shown = 0;
    cli_heading(&report->style, "Contacts",
                "                impulse: normal    friction  lost: restit.    friction");
    (void)printf("%39s%13s%13s%13s\n", "N s", "N s", "J", "J");
    for (; shown < count && shown < MAX_CONTACTS_SHOWN; shown++) {
        const CaromContactResult *contact = &report->result->contacts[shown];
        const int *body = scene->problem.contacts[shown].body;
        double friction = friction_impulse(&scene->problem.contacts[shown], contact);
        double total = cli_norm(contact->impulse);
        char a[CLI_NUMBER], b[CLI_NUMBER], c[CLI_NUMBER], d[CLI_NUMBER];
        (void)printf("  %3d  ", shown);
        cli_name(scene->body_names[body[0]], 9);
        (void)putchar(' ');
        cli_name(scene->body_names[body[1]], 9);
        (void)printf(" %12s %12s %12s %12s\n", cli_number(contact->normal_impulse, total, a),
                     cli_number(friction, total, b),
                     cli_number(contact->restitution_loss, report->result->energy.before, c),
                     cli_number(contact->friction_loss, report->result->energy.before, d));
    }
    cli_more(shown, count);
}

// ---- Events ----------------------------------------------------------------------------------

/// What an event means, in words.
static void print_meaning(const CaromImpactEvent *event) {
    const CaromContactState *contact = &event->state;
    char number[CLI_NUMBER];
    switch (event->kind) {
    case CAROM_EVENT_COMPRESSION_ENDS:
        (void)printf("returns %s J", cli_number(contact->strain_energy, 0, number));
        break;
    case CAROM_EVENT_COMPRESSION_RESTARTS:
        (void)printf("is compressed once more");
        break;
    case CAROM_EVENT_RESTITUTION_ENDS:
    case CAROM_EVENT_IMPACT:
        (void)printf("leaves at %s m/s", cli_number(contact->velocity_contact_frame.z, 1, number));
        break;
    case CAROM_EVENT_CONTACT_RESTARTS:
        (void)printf("pushed together again");
        break;
    case CAROM_EVENT_SLIP_TO_STICK:
        (void)printf("friction stops the sliding");
        break;
    case CAROM_EVENT_STICK_TO_SLIP:
        (void)printf("friction is too weak");
        break;
    case CAROM_EVENT_SLIP_REVERSES:
        (void)printf("slides in another direction");
        break;
    case CAROM_EVENT_STRAIGHT_SLIDING_STARTS:
        (void)printf("keeps its direction from here on");
        break;
    default:
        break;
    }
}

static void print_events(const Report *report) {
    int shown = 0, count = 0;
    bool many = report->result->contact_count > 1;
    cli_heading(&report->style, "Events",
                many ? " by normal impulse contact" : " by normal impulse");
    const CaromRecord *record = report->solution->record;
    for (int i = 0; i < carom_record_event_count(record); i++) {
        CaromImpactEvent event = carom_record_event(record, i);
        if (event.contact < 0) {
            continue; // the start or the end
        }
        if (++count <= MAX_EVENTS_SHOWN) {
            char impulse[CLI_NUMBER];
            cli_number(event.state.impulse_contact_frame.z, 0, impulse);
            (void)printf("  %3d %11s N s  ", ++shown, impulse);
            if (many) {
                (void)printf("%4d  ", event.contact);
            }
            (void)printf("%-23s ", carom_event_text(event.kind));
            print_meaning(&event);
            (void)putchar('\n');
        }
    }
    cli_more(shown, count);
    if (count == 0) {
        bool mixture = report->result->reflection != NULL;
        (void)printf(mixture ? "  a mixture of several outcomes, so there is no order of events\n"
                             : "  all contacts at once\n");
    }
}

// ---- Theory ----------------------------------------------------------------------------------

static void print_theory(const Report *report, const CaromTwoBodyTheory *theory) {
    const double degrees = 57.29577951308232;
    double friction = report->scene->problem.contacts[0].material.friction;
    char angle[CLI_NUMBER], rate[CLI_NUMBER];
    cli_heading(&report->style, "Sliding",
                "         is straight in these directions; change of speed per impulse");
    if (theory->every_direction_invariant) {
        (void)printf("  sliding is straight in every direction\n");
    }
    for (int i = 0; i < theory->direction_count; i++) {
        const CaromInvariantDirection *direction = &theory->directions[i];
        (void)printf(
            "  %-22s %12s deg %14s 1/kg\n", direction->centrifugal ? "centrifugal" : "centripetal",
            cli_number(degrees * direction->angle, 1, angle), cli_number(direction->rate, 0, rate));
    }
    const char *label = carom_case_text(theory->label);
    (void)printf("  path: %s\n", carom_case_meaning(theory->label));
    if (label[0]) {
        (void)printf("  %-22s %s (theory.md, 2.7)\n", "case of the thesis", label);
    }
    (void)printf("  %-22s if friction is at least %s; here it is %s\n", "sticks once stopped",
                 cli_number(theory->stick_friction, 0, angle), cli_number(friction, 0, rate));
    (void)printf("  %-22s %s (theory.md, 2.16)\n", "certain to end",
                 theory->end_guaranteed ? "yes" : "not by this condition alone");
}

// ---- Energy and checks -----------------------------------------------------------------------

static void print_energy(const Report *report) {
    const CaromLedger *energy = &report->result->energy;
    double whole = energy->before + fmax(energy->supplied, 0);
    cli_heading(&report->style, "Energy",
                report->scene->contact_only ? " of the relative motion at the contact" : "");
    const char *kept = report->style.kept, *lost = report->style.lost;
    cli_share(&report->style, kept, "before", energy->before, whole, "J");
    if (fabs(energy->supplied) > 1e-12 * whole) {
        cli_share(&report->style, kept, "supplied from outside", energy->supplied, whole, "J");
    }
    cli_share(&report->style, lost, "lost by restitution", energy->restitution_loss, whole, "J");
    cli_share(&report->style, lost, "lost by friction", energy->friction_loss, whole, "J");
    cli_share(&report->style, kept, "after", energy->after, whole, "J");
}

static void print_path_checks(const Report *report, double slack) {
    const CaromJudgement *path = &report->solution->path;
    if (path->moments == 0) {
        return;
    }
    struct {
        const char *name;
        double error;
    } rows[] = {{"momentum", path->momentum_error},
                {"gain of energy", path->energy_gain},
                {"fall of friction loss", path->loss_fall},
                {"pull", path->normal_pull},
                {"Coulomb excess", path->coulomb_excess}};
    char moments[64];
    (void)snprintf(moments, sizeof moments, ", %d moments, relative", path->moments);
    cli_heading(&report->style, "Along the path", moments);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cli_verdict(&report->style, rows[i].name, rows[i].error, "", rows[i].error <= slack);
    }
    // Where slip comes to rest its direction is known to the root of the tolerance only.
    double turned = fmax(slack, 0.1 * sqrt(report->scene->options.tolerance));
    cli_verdict(&report->style, "direction", path->direction_error, "",
                path->direction_error <= turned);
}

/// Velocity of a body at a point of the world.
static CaromVec3 velocity_at(const CaromBody *body, CaromVec3 point) {
    CaromVec3 r = {point.x - body->position.x, point.y - body->position.y,
                   point.z - body->position.z};
    CaromVec3 w = body->angular_velocity, v = body->velocity;
    return (CaromVec3){v.x + w.y * r.z - w.z * r.y, v.y + w.z * r.x - w.x * r.z,
                       v.z + w.x * r.y - w.y * r.x};
}

/// The largest relative speed at a contact before the impact. From the bodies, because a brief
/// record has no moments.
static double fastest_contact(const CaromImpactProblem *problem) {
    double speed = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        const CaromContact *contact = &problem->contacts[i];
        CaromVec3 a = velocity_at(&problem->bodies[contact->body[0]], contact->point);
        CaromVec3 b = velocity_at(&problem->bodies[contact->body[1]], contact->point);
        speed = fmax(speed, cli_norm((CaromVec3){a.x - b.x, a.y - b.y, a.z - b.z}));
    }
    return speed;
}

static void print_checks(const Report *report) {
    const CaromImpactChecks *checks = &report->result->checks;
    double slack = fmax(100 * report->scene->options.tolerance, 1e-9);
    double speed = fastest_contact(&report->scene->problem);
    if (report->result->method == CAROM_SPRINGS_IMPULSE) {
        slack = 1e-2; // its steps are coarse on purpose
    }
    cli_heading(&report->style, "Checks", " independent of the method, relative");
    cli_verdict(&report->style, "momentum", checks->momentum_error, "",
                checks->momentum_error <= slack);
    cli_verdict(&report->style, "energy", checks->energy_error, "", checks->energy_error <= slack);
    cli_verdict(&report->style, "least separation", checks->min_separation_velocity, "m/s",
                checks->min_separation_velocity >= -slack * speed);
    cli_verdict(&report->style, "Coulomb excess", checks->coulomb_excess, "",
                checks->coulomb_excess <= slack);
    double off = report->solution->solution_error;
    if (!isnan(off)) {
        cli_verdict(&report->style, "solution error", off, "",
                    off <= CAROM_MOST_SOLUTION_ERROR(report->scene->options.tolerance));
    }
    print_path_checks(report, slack);
    if (report->result->choices > 0) {
        (void)printf("\nWhich contacts slip or stick was not unique, or impossible, %d time%s.\n",
                     report->result->choices, report->result->choices > 1 ? "s" : "");
    }
    (void)printf("\n%smodel %s, method %s, %d steps, ", report->style.dim,
                 carom_model_text(report->result->model), carom_method_text(report->result->method),
                 report->result->steps);
    if (report->result->method == CAROM_SPRINGS_IMPULSE) {
        (void)printf("an error of the order of one step");
    } else {
        (void)printf("tolerance %.0e", report->scene->options.tolerance);
    }
    (void)printf("%s\n", report->style.plain);
}

static bool happened(const CaromImpactResult *result) {
    bool any = false;
    for (int i = 0; i < result->contact_count; i++) {
        any = any || result->contacts[i].normal_impulse > 0;
    }
    return any;
}

// ---- Derivatives -----------------------------------------------------------------------------

enum { MAX_COLUMNS_SHOWN = 20 };

/// How the velocities of the bodies change with one value.
static void print_column(const Report *report, const CaromDerivative *d, const char *path) {
    int shown = 0;
    (void)printf("  by %s", path);
    if (d->smoothness != CAROM_SMOOTH) {
        const char *side = d->side > 0 ? ", where it grows" : d->side < 0 ? ", where it falls" : "";
        (void)printf(" (%s%s)", carom_smoothness_text(d->smoothness), side);
    }
    (void)printf("\n");
    for (int b = 0; b < report->result->body_count && shown < MAX_BODIES_SHOWN; b++) {
        if (report->scene->fixed[b]) {
            continue;
        }
        double size = cli_norm(d->bodies[b].velocity),
               turn = cli_norm(d->bodies[b].angular_velocity);
        shown++;
        (void)fputs("    ", stdout);
        cli_name(report->scene->body_names[b], 14);
        (void)printf(" velocity   ");
        cli_vector(d->bodies[b].velocity, size, "");
        if (turn > 1e-12 * size) {
            (void)printf("%19s turning    ", "");
            cli_vector(d->bodies[b].angular_velocity, turn, "");
        }
    }
}

static void print_derivatives(const Report *report) {
    int count = report->result->derivative_count;
    int shown = count < MAX_COLUMNS_SHOWN ? count : MAX_COLUMNS_SHOWN;
    cli_heading(&report->style, "Derivatives",
                "                               x            y            z");
    for (int q = 0; q < shown; q++) {
        print_column(report, &report->result->derivatives[q], report->scene->derivative_paths[q]);
    }
    cli_more(shown, count);
}

void cli_report_impact(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    Report report = {
        .solution = impact,
        .scene = impact->scene,
        .result = &impact->result,
        .moments = carom_record_count(impact->record),
        .happened = happened(&impact->result),
        .style = cli_style(),
    };
    print_summary(&report);
    cli_title(&report.style, report.scene->title, report.scene->source);
    if (!report.scene->contact_only) {
        print_bodies(&report);
    }
    if (report.result->contact_count > 1) {
        print_contacts(&report);
    } else if (report.moments > 0) {
        print_contact(&report);
    }
    if (report.happened) {
        print_events(&report);
    }
    if (report.result->reflection) {
        cli_report_reflection(impact);
    }
    CaromTwoBodyTheory theory = carom_impact_theory(impact->solver);
    if (report.happened && theory.applies) {
        print_theory(&report, &theory);
    }
    if (report.result->derivative_count > 0) {
        print_derivatives(&report);
    }
    print_energy(&report);
    print_checks(&report);
}
