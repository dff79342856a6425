// SPDX-License-Identifier: Apache-2.0
// From a run to a movie: which picture shows what where.
#include "plot/movie.h"

#include "base/host.h"
#include "base/vec.h"
#include "plot/run_parts.h"

#include <stdlib.h>

/// Height of the strip with title and time [px]; balls that get their names; pictures at most (more
/// would make files that no browser plays).
enum { HEAD = 24, MOST_NAMED = 16, MOST_PICTURES = 30000 };

CaromMovieOptions carom_movie_options_default(void) {
    return (CaromMovieOptions){
        .size = sizeof(CaromMovieOptions), .seconds = 10, .rate = 25, .width = 480, .speed = 1};
}

/// The run as the movie sees it: x (or y) to the right, z up [m].
typedef struct Shot {
    const CaromTimeline *timeline;
    const CaromCradleScene *cradle;      ///< or NULL
    const CaromFlightScene *flight;      ///< or NULL
    const CaromBilliardsSolution *table; ///< or NULL: seen from above, x to the right and y up
    int holes[6], hole_count;            ///< pockets among the parts of the table: actors that wait
    bool along_y;
    CaromBox sight;   ///< [m], z up
    CaromQuat *turns; ///< of the balls, in the last frame that was passed
    double scale;     ///< [px/m]
    double end_time;  ///< of the movie [s]
} Shot;

CaromInk carom_mark_ink(const CaromActor *actor) {
    bool bright = actor->ink == CAROM_INK_BALL_WHITE || actor->ink == CAROM_INK_BALL_YELLOW ||
                  actor->ink == CAROM_INK_BALL_PINK || actor->striped;
    return bright ? CAROM_INK_BALL_RED : CAROM_INK_BALL_WHITE;
}

static CaromPoint seen(const Shot *shot, CaromVec3 v) {
    return (CaromPoint){shot->along_y ? v.y : v.x, shot->table ? v.y : v.z};
}

static CaromPoint on_sheet(const Shot *shot, CaromPoint p) {
    return (CaromPoint){(p.x - shot->sight.left) * shot->scale,
                        (shot->sight.top - p.y) * shot->scale + HEAD};
}

/// Small-angle pendulums move on a line; on their strings they are shown on the circle. A ball that
/// fell lies in its pocket.
static CaromPoint place_of(const Shot *shot, int ball, const CaromBallState *state) {
    int part = shot->table && state->gone ? shot->table->fates[ball].part : -1;
    if (part >= 0 && shot->table->parts[part].kind == CAROM_PART_POCKET) {
        return seen(shot, shot->table->parts[part].from);
    }
    if (!shot->cradle) {
        return seen(shot, state->position);
    }
    double length = shot->cradle->string_length;
    return (CaromPoint){shot->cradle->pivots[ball] + length * sin(state->angle),
                        length * (1 - cos(state->angle))};
}

static double radius_of(const Shot *shot, int ball) {
    return shot->cradle   ? shot->cradle->radii[ball]
           : shot->flight ? shot->flight->balls[ball].radius
           : shot->table  ? shot->table->scene->def.kind.radius
                          : 0;
}

// ---- What is in sight ------------------------------------------------------------------------

static void widen(CaromBox *box, CaromPoint p, double room) {
    box->left = fmin(box->left, p.x - room);
    box->right = fmax(box->right, p.x + room);
    box->bottom = fmin(box->bottom, p.y - room);
    box->top = fmax(box->top, p.y + room);
}

static void look_around(Shot *shot) {
    const CaromTimeline *timeline = shot->timeline;
    double moved[2] = {0, 0};
    for (int f = 0; f < timeline->frame_count && shot->flight; f++) {
        for (int b = 0; b < timeline->ball_count; b++) {
            CaromVec3 way = v3_sub(carom_timeline_ball(timeline, f, b)->position,
                                   carom_timeline_ball(timeline, 0, b)->position);
            moved[0] = fmax(moved[0], fabs(way.x));
            moved[1] = fmax(moved[1], fabs(way.y));
        }
    }
    shot->along_y = moved[1] > moved[0];
    shot->sight = (CaromBox){INFINITY, -INFINITY, -INFINITY, INFINITY};
    for (int f = 0; f < timeline->frame_count && timeline->times[f] <= shot->end_time; f++) {
        for (int b = 0; b < timeline->ball_count; b++) {
            widen(&shot->sight, place_of(shot, b, carom_timeline_ball(timeline, f, b)),
                  1.6 * radius_of(shot, b));
        }
    }
    if (shot->cradle) {
        CaromPoint top = {0, 1.05 * shot->cradle->string_length};
        widen(&shot->sight, top, 0);
    }
    if (shot->table) {
        const CaromTableDef *table = &shot->table->scene->def.table;
        double rail = table->cushions ? (table->pockets ? 0.1 : 0.06) * table->width : 0;
        CaromPoint far = {table->length, table->width};
        widen(&shot->sight, (CaromPoint){0, 0}, table->cushions ? rail : -INFINITY);
        widen(&shot->sight, far, table->cushions ? rail : -INFINITY);
    }
    double room =
        0.3 * (shot->sight.top - shot->sight.bottom) - 0.5 * (shot->sight.right - shot->sight.left);
    shot->sight.left -= fmax(room, 0); // what only moves up and down gets some air
    shot->sight.right += fmax(room, 0);
}

// ---- Pictures --------------------------------------------------------------------------------

static void find_holes(Shot *shot) {
    for (int i = 0; shot->table && i < shot->table->part_count && shot->hole_count < 6; i++) {
        if (shot->table->parts[i].kind == CAROM_PART_POCKET) {
            shot->holes[shot->hole_count++] = i;
        }
    }
}

/// Where the mark of a ball is seen from its centre [px]: a point fixed to its surface if that
/// faces the reader, else the opposite one.
static CaromPoint mark_of(const Shot *shot, int ball) {
    static const CaromVec3 fixed = {0.48, 0.36, 0.8}; // a unit vector that no axis keeps in place
    CaromMat3 turn = carom_mat3_from_quat(shot->turns[ball]);
    CaromVec3 p = {turn.m[0][0] * fixed.x + turn.m[0][1] * fixed.y + turn.m[0][2] * fixed.z,
                   turn.m[1][0] * fixed.x + turn.m[1][1] * fixed.y + turn.m[1][2] * fixed.z,
                   turn.m[2][0] * fixed.x + turn.m[2][1] * fixed.y + turn.m[2][2] * fixed.z};
    double towards = shot->table ? p.z : shot->along_y ? p.x : -p.y;
    double size = (towards < 0 ? -1 : 1) * 0.82 * radius_of(shot, ball) * shot->scale;
    CaromPoint flat = seen(shot, p);
    return (CaromPoint){size * flat.x, -size * flat.y};
}

/// Places at a time, between two frames.
static void fill_picture(const Shot *shot, double time, int *frame, CaromPoint *places,
                         CaromPoint *marks) {
    const CaromTimeline *timeline = shot->timeline;
    while (*frame + 1 < timeline->frame_count && timeline->times[*frame + 1] <= time) {
        ++*frame;
        for (int b = 0; b < timeline->ball_count; b++) {
            shot->turns[b] = carom_timeline_turn(timeline, *frame, b, shot->turns[b]);
        }
    }
    int next = *frame + 1 < timeline->frame_count ? *frame + 1 : *frame;
    double span = timeline->times[next] - timeline->times[*frame];
    double share = span > 0 ? fmin((time - timeline->times[*frame]) / span, 1) : 0;
    for (int b = 0; b < timeline->ball_count; b++) {
        CaromPoint a = place_of(shot, b, carom_timeline_ball(timeline, *frame, b));
        CaromPoint c = place_of(shot, b, carom_timeline_ball(timeline, next, b));
        CaromPoint p = {a.x + share * (c.x - a.x), a.y + share * (c.y - a.y)};
        places[shot->hole_count + b] = on_sheet(shot, p);
        marks[shot->hole_count + b] = mark_of(shot, b);
    }
    for (int h = 0; h < shot->hole_count; h++) {
        places[h] = on_sheet(shot, seen(shot, shot->table->parts[shot->holes[h]].from));
    }
}

static void cast(const Shot *shot, CaromMovie *movie) {
    for (int h = 0; h < shot->hole_count; h++) {
        double radius = shot->table->parts[shot->holes[h]].radius;
        movie->actors[h] = (CaromActor){.ink = CAROM_INK_TEXT, .radius = radius * shot->scale};
    }
    for (int b = 0; b < shot->timeline->ball_count; b++) {
        CaromActor *actor = &movie->actors[shot->hole_count + b];
        int count = shot->timeline->ball_count;
        const char *name = shot->table    ? shot->table->scene->ball_names[b]
                           : shot->flight ? shot->flight->ball_names[b]
                                          : "";
        actor->ink =
            shot->table ? carom_ball_ink(name, b, count, &actor->striped) : carom_ink_of(b, count);
        actor->name = count <= MOST_NAMED && name[0] ? name : NULL;
        actor->radius = fmax(radius_of(shot, b) * shot->scale, 1.5);
        actor->hangs = shot->cradle != NULL;
        if (shot->cradle) {
            CaromPoint pivot = {shot->cradle->pivots[b], shot->cradle->string_length};
            actor->pivot = on_sheet(shot, pivot);
        }
    }
}

/// Planes as long lines; the beam of a cradle.
static void draw_lines(const Shot *shot, CaromMovie *movie) {
    double far = 4 * (shot->sight.right - shot->sight.left + shot->sight.top - shot->sight.bottom);
    if (shot->cradle) {
        const CaromActor *first = &movie->actors[0], *last = &movie->actors[movie->actor_count - 1];
        movie->lines[0][0] = (CaromPoint){first->pivot.x - 2 * first->radius, first->pivot.y};
        movie->lines[0][1] = (CaromPoint){last->pivot.x + 2 * last->radius, last->pivot.y};
        movie->line_count = 1;
        return;
    }
    for (int i = 0; shot->table && i < shot->table->part_count; i++) {
        const CaromTablePart *part = &shot->table->parts[i];
        if (part->kind == CAROM_PART_CUSHION || part->kind == CAROM_PART_JAW) {
            movie->lines[movie->line_count][0] = on_sheet(shot, seen(shot, part->from));
            movie->lines[movie->line_count++][1] = on_sheet(shot, seen(shot, part->to));
        }
    }
    for (int p = 0; shot->flight && p < shot->flight->plane_count; p++) {
        const CaromPlaneDef *plane = &shot->flight->planes[p];
        CaromPoint n = seen(shot, plane->normal), e = seen(shot, plane->edge);
        CaromPoint at = seen(shot, plane->point);
        double size = norm2(n.x, n.y);
        if (size < 1e-6) {
            continue; // seen face on
        }
        CaromPoint along = {n.y / size * far, -n.x / size * far};
        double side = e.x * along.x + e.y * along.y; // an edge ends it there
        CaromPoint one = {at.x + along.x, at.y + along.y}, two = {at.x - along.x, at.y - along.y};
        movie->lines[movie->line_count][0] = on_sheet(shot, side > 0 ? at : one);
        movie->lines[movie->line_count++][1] = on_sheet(shot, side < 0 ? at : two);
    }
}

static CaromStatus shoot(Shot *shot, CaromMovie *movie, CaromMovieFormat format,
                         CaromPicture *picture) {
    size_t actors = (size_t)movie->actor_count, pictures = (size_t)movie->picture_count;
    int lines = shot->cradle   ? 1
                : shot->flight ? shot->flight->plane_count
                               : shot->table->part_count;
    movie->actors = calloc(actors, sizeof *movie->actors);
    movie->lines = calloc((size_t)lines + 1, sizeof *movie->lines);
    movie->places = calloc(actors * pictures, sizeof *movie->places);
    movie->marks = calloc(actors * pictures, sizeof *movie->marks);
    shot->turns = calloc(actors, sizeof *shot->turns);
    CaromStatus status = CAROM_NO_MEMORY;
    if (movie->actors && movie->lines && movie->places && movie->marks && shot->turns) {
        for (size_t a = 0; a < actors; a++) {
            shot->turns[a] = (CaromQuat){1, 0, 0, 0};
        }
        int frame = 0;
        cast(shot, movie);
        draw_lines(shot, movie);
        for (int p = 0; p < movie->picture_count; p++) {
            fill_picture(shot, p * movie->speed / movie->rate, &frame,
                         &movie->places[(size_t)p * actors], &movie->marks[(size_t)p * actors]);
        }
        status = format == CAROM_MOVIE_GIF ? carom_movie_gif(movie, picture)
                                           : carom_movie_svg(movie, picture);
    }
    free(movie->actors);
    free(movie->lines);
    free(movie->places);
    free(movie->marks);
    free(shot->turns);
    return status;
}

static bool sane(const CaromMovieOptions *options) {
    return (unsigned)options->format <= CAROM_MOVIE_GIF &&
           (unsigned)options->theme <= CAROM_PLOT_DARK && options->seconds > 0 &&
           options->seconds <= 600 && options->rate >= 1 && options->rate <= 50 &&
           options->width >= 64 && options->width <= 2000 && options->speed >= 0.001 &&
           options->speed <= 100 &&
           options->seconds / options->speed * options->rate <= MOST_PICTURES;
}

CaromStatus carom_animate_solution(const CaromSolution *solution, const CaromMovieOptions *options,
                                   CaromPicture *picture) {
    CAROM_REQUIRE(NULL, solution);
    CAROM_REQUIRE(NULL, picture);
    CaromMovieOptions chosen = carom_movie_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", NULL);
    options = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    const CaromWorldRun *run = carom_solution_run(solution);
    if (!sane(options)) {
        return CAROM_BAD_ARGUMENT;
    }
    if (!run) {
        return CAROM_UNSUPPORTED;
    }
    Shot shot = {.timeline = &run->timeline,
                 .cradle = cradle ? cradle->scene : NULL,
                 .flight = flight ? flight->scene : NULL,
                 .table = table,
                 .end_time = fmin(run->end_time, options->seconds)};
    look_around(&shot);
    find_holes(&shot);
    double wide = shot.sight.right - shot.sight.left, high = shot.sight.top - shot.sight.bottom;
    double height = fmin(options->width * high / wide, 1.5 * options->width);
    shot.scale = fmin(options->width / wide, height / high);
    CaromMovie movie = {
        .width = (int)ceil(fmax(shot.scale * wide, 32)),
        .height = (int)ceil(fmax(height, 32)) + HEAD,
        .rate = options->rate,
        .speed = options->speed,
        .first = shot.hole_count,
        .theme = options->theme,
        .title = cradle   ? cradle->scene->title
                 : flight ? flight->scene->title
                          : table->scene->title,
        .actor_count = shot.hole_count + run->timeline.ball_count,
        .picture_count = 1 + (int)floor(shot.end_time / options->speed * options->rate),
    };
    return shoot(&shot, &movie, options->format, picture);
}
