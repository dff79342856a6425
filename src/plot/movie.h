// SPDX-License-Identifier: Apache-2.0
// Runs that move: balls, strings and lines on a sheet, picture after picture.
#pragma once
#include "plot/canvas.h"
#include "plot/figure.h"

typedef struct CaromActor {
    CaromInk ink;
    double radius;    ///< [px]
    bool hangs;       ///< on a string
    CaromPoint pivot; ///< of the string [px]
} CaromActor;

typedef struct CaromMovie {
    int width, height; ///< [px]
    double rate;       ///< pictures per second
    CaromPlotTheme theme;
    const char *title;
    int actor_count, line_count, picture_count;
    CaromActor *actors;
    CaromPoint (*lines)[2]; ///< that stand still [px]
    CaromPoint *places;     ///< of actor a in picture p: places[p * actor_count + a] [px]
} CaromMovie;

CaromStatus carom_movie_svg(const CaromMovie *movie, CaromPicture *picture);
CaromStatus carom_movie_gif(const CaromMovie *movie, CaromPicture *picture);
