// SPDX-License-Identifier: Apache-2.0
// Runs that move: balls, strings and lines on a sheet, picture after picture.
#pragma once
#include "plot/canvas.h"
#include "plot/figure.h"

typedef struct CaromActor {
    CaromInk ink;
    bool striped;     ///< with a white rim
    const char *name; ///< shown beside it, or NULL
    double radius;    ///< [px]
    bool hangs;       ///< on a string
    CaromPoint pivot; ///< of the string [px]
} CaromActor;

typedef struct CaromMovie {
    int width, height; ///< [px]
    double rate;       ///< pictures per second
    CaromPlotTheme theme;
    const char *title;
    double speed; ///< of the movie over that of the run
    int first;    ///< actor that can turn: holes come before it
    int actor_count, line_count, picture_count;
    CaromActor *actors;
    CaromPoint (*lines)[2]; ///< that stand still [px]
    CaromPoint *places;     ///< of actor a in picture p: places[p * actor_count + a] [px]
    CaromPoint *marks;      ///< of a point on its surface, or the opposite one, seen from its place
} CaromMovie;

/// A colour that is seen on the ball.
CaromInk carom_mark_ink(const CaromActor *actor);
CaromStatus carom_movie_svg(const CaromMovie *movie, CaromPicture *picture);
CaromStatus carom_movie_gif(const CaromMovie *movie, CaromPicture *picture);
