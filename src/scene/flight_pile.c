// SPDX-License-Identifier: Apache-2.0
// Kind "flight": a scene with shapes is run as a pile.
#include "base/elementary.h"
#include "base/host.h"
#include "scene/flight_shape.h"

/// Frames of each second between events, where samples are asked for.
static const double frames_per_second = 60;

/// A run beyond these is inaccurate: overlap in widths, growth of energy in one window and energy
/// that is not accounted for relative to all energy.
#define MOST_OVERLAP 1e-6
#define MOST_GROWTH  1e-6

/// Impacts that need more steps are solved by Poisson's rigid law, and counted. A pile has
/// thousands of impacts; most take fewer than 50 steps, and ten times more steps help few of the
/// others.
#define MOST_STEPS 500

static CaromStatus fill(const CaromFlightScene *scene, CaromPile *pile) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < scene->plane_count && status == CAROM_OK; i++) {
        const CaromPlaneDef *plane = &scene->planes[i];
        status = carom_pile_add_plane(pile, plane->point, plane->normal, NULL);
    }
    for (int i = 0; i < scene->ball_count && status == CAROM_OK; i++) {
        status = carom_pile_add_body(pile, &scene->shapes[i], NULL);
    }
    for (int i = 0; i < scene->material_count && status == CAROM_OK; i++) {
        const CaromFlightMaterial *m = &scene->materials[i];
        status = carom_pile_set_material(pile, m->a, m->b, &m->material);
    }
    return status;
}

static CaromStatus build(const CaromHost *host, const CaromFlightScene *scene, CaromPile **pile) {
    CaromPileDef def = carom_pile_def_default();
    def.bodies = scene->ball_count;
    def.planes = scene->plane_count > 0 ? scene->plane_count : 1;
    def.contacts = 16 * scene->ball_count + 64;
    def.materials = scene->material_count > 0 ? scene->material_count : 1;
    def.gravity = scene->gravity;
    def.material = scene->material;
    def.touch = scene->touch;
    def.impact.max_steps = MOST_STEPS;
    def.host = *host;
    CaromStatus status = carom_pile_create(&def, pile);
    return status == CAROM_OK ? fill(scene, *pile) : status;
}

// ---- Keeping ---------------------------------------------------------------------------------

static void on_event(void *user, const CaromPileEvent *event) {
    static const CaromWorldEventKind kinds[] = {CAROM_WORLD_IMPACT, CAROM_WORLD_SETTLES,
                                                CAROM_WORLD_STOPS, CAROM_WORLD_WAKES};
    CaromTimelineEvent kept = {.time = event->time,
                               .kind = kinds[event->kind],
                               .approach = event->approach,
                               .body_count = event->body_count,
                               .bodies = event->bodies};
    carom_tape_add_event(user, &kept);
}

/// Move to a time at or before the next event, with frames on the way.
static CaromStatus move_to(CaromTape *tape, CaromPile *pile, double time) {
    CaromStatus status = CAROM_OK;
    double from = carom_pile_time(pile), rate = tape->samples > 0 ? frames_per_second : 0;
    bool sampled = rate > 0;
    for (double n = floor(from * rate) + 1; sampled && status == CAROM_OK && n / rate < time; n++) {
        if (n / rate > from) {
            status = carom_pile_move(pile, n / rate);
            carom_tape_add_frame(tape);
            sampled = !tape->thin; // the next event may be 1e300 s away
        }
    }
    return status == CAROM_OK ? carom_pile_move(pile, time) : status;
}

/// The bodies of new events, and a frame, as they are now. False if there are none.
static bool keep_events(CaromTape *tape) {
    if (tape->event_count == tape->told) {
        return false;
    }
    carom_tape_keep_bodies(tape);
    carom_tape_add_frame(tape);
    return true;
}

/// One event of the pile, with frames before and after it if anybody is told about it.
static CaromStatus step(CaromTape *tape, CaromPile *pile, double time) {
    CaromStatus status = move_to(tape, pile, time);
    int frames = tape->frame_count;
    carom_tape_add_frame(tape);
    if (status == CAROM_OK) {
        status = carom_pile_advance(pile, time, 1);
    }
    if (!keep_events(tape) && tape->frame_count > frames) {
        tape->frame_count = frames; // only the end of a window
    }
    return status;
}

// ---- Running ---------------------------------------------------------------------------------

static CaromWorldEnergy energy_of(const CaromPile *pile) {
    CaromPileReport r = carom_pile_report(pile);
    return (CaromWorldEnergy){.kinetic = r.kinetic,
                              .potential = r.potential,
                              .restitution_loss = r.restitution_loss,
                              .friction_loss = r.friction_loss,
                              .held_loss = r.window_loss,
                              .sleep_loss = r.sleep_loss};
}

/// What the pile says of itself. A run is inaccurate if an impact or a window did not converge, or
/// energy or overlap are beyond what piles promise (docs/piles.md).
static void judge(const CaromPile *pile, CaromWorldRun *run) {
    CaromPileReport r = carom_pile_report(pile);
    double whole = r.kinetic + fabs(r.potential) + run->before.kinetic +
                   fabs(run->before.potential) + carom_run_lost(run);
    bool sound = r.hard_impacts == 0 && r.hard_windows == 0 && r.overlap <= MOST_OVERLAP &&
                 r.window_growth <= MOST_GROWTH * whole &&
                 fabs(r.unaccounted) <= MOST_GROWTH * whole;
    run->windows = true;
    run->large_impacts = r.large_impacts;
    run->rigid_impacts = r.rigid_impacts;
    run->hard_impacts = r.hard_impacts;
    run->hard_windows = r.hard_windows;
    run->window_residual = r.window_residual;
    run->most_gained = r.window_growth;
    run->checks =
        (CaromWorldChecks){.momentum_error = r.momentum_error,
                           .energy_error = r.energy_error,
                           .overlap = r.overlap,
                           .outcome = sound ? CAROM_OUTCOME_CONVERGED : CAROM_OUTCOME_INACCURATE};
    if (!sound) {
        run->outcome = CAROM_RUN_INACCURATE;
    }
}

static CaromStatus run_on(CaromTape *tape, CaromPile *pile, const CaromFlightScene *scene,
                          CaromRunOutcome *outcome) {
    CaromStatus status = CAROM_OK;
    for (long count = 0; status == CAROM_OK && !tape->no_memory; count++) {
        double next = carom_pile_next_time(pile);
        (void)keep_events(tape); // impacts of the start
        if (isinf(next) && isinf(scene->until)) {
            *outcome = carom_pile_at_rest(pile) ? CAROM_RUN_AT_REST : CAROM_RUN_NEVER_STOPS;
            return CAROM_OK;
        }
        if (next > scene->until) {
            *outcome = CAROM_RUN_TIME;
            status = move_to(tape, pile, scene->until);
            carom_tape_add_frame(tape);
            return status;
        }
        if (count >= 50 * scene->max_events || tape->event_count >= scene->max_events) {
            *outcome = CAROM_RUN_MAX_EVENTS; // windows are many
            return CAROM_OK;
        }
        status = step(tape, pile, next);
    }
    return status;
}

CaromStatus carom_flight_run_shapes(const CaromHost *host, const CaromFlightScene *scene,
                                    int samples, CaromTape *tape, CaromWorldRun *run) {
    CaromPile *pile = NULL;
    CaromStatus status = build(host, scene, &pile);
    if (status == CAROM_OK) {
        *tape = (CaromTape){.host = *host,
                            .pile = pile,
                            .samples = samples,
                            .ball_count = scene->ball_count,
                            .thins = true};
        carom_pile_listen(pile, on_event, tape);
        run->before = energy_of(pile);
        carom_tape_add_frame(tape);
        status = run_on(tape, pile, scene, &run->outcome);
    }
    status = status == CAROM_OK ? carom_tape_finish(tape, run) : status;
    if (status == CAROM_OK) {
        run->after = energy_of(pile);
        judge(pile, run);
    }
    carom_pile_destroy(pile);
    return status;
}
