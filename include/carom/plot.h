// SPDX-License-Identifier: Apache-2.0
// Pictures of solved scenes: SVG, PNG or PDF in memory.
#pragma once
#include "carom/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CaromPlotFormat {
    CAROM_PLOT_SVG, ///< the same bytes on every machine
    CAROM_PLOT_PNG,
    CAROM_PLOT_PDF,
} CaromPlotFormat;

typedef enum CaromPlotTheme { CAROM_PLOT_LIGHT, CAROM_PLOT_DARK } CaromPlotTheme;

typedef struct CaromPlotOptions {
    size_t size;            ///< of the struct in the header that the caller knows; 0: of this one
    const char *name;       ///< of the plot; NULL (default): the first that can show the solution
    CaromPlotFormat format; ///< default SVG
    CaromPlotTheme theme;   ///< default light
    double scale;           ///< of PNG: pixels per unit of the picture, (0, 16], default 2
} CaromPlotOptions;

CAROM_API CaromPlotOptions carom_plot_options_default(void);

/// A whole file in memory.
typedef struct CaromPicture {
    unsigned char *bytes;
    size_t size;
} CaromPicture;

/// Draw a solution; free the picture afterwards. Ask for some samples when you solve the scene, or
/// curves will be straight between events. CAROM_BAD_ARGUMENT: no such plot, CAROM_UNSUPPORTED: it
/// cannot show this solution. `options` may be NULL.
CAROM_API CaromStatus carom_plot_solution(const CaromSolution *solution,
                                          const CaromPlotOptions *options, CaromPicture *picture);
CAROM_API void carom_picture_destroy(CaromPicture *picture);

typedef enum CaromMovieFormat {
    CAROM_MOVIE_SVG, ///< one drawing that moves; small and sharp
    CAROM_MOVIE_GIF,
} CaromMovieFormat;

typedef struct CaromMovieOptions {
    size_t size;             ///< of the struct in the header that the caller knows; 0: of this one
    CaromMovieFormat format; ///< default SVG
    CaromPlotTheme theme;    ///< default light
    double seconds;          ///< of the run, at most, (0, 600], default 10
    double rate;             ///< pictures per second, [1, 50], default 25
    int width;               ///< [px], [64, 2000], default 480
    double speed;            ///< of the movie over that of the run, [0.001, 100], default 1
} CaromMovieOptions;

CAROM_API CaromMovieOptions carom_movie_options_default(void);
/// Let the run of a solution move, over and over, with its title, its time, the names of a few
/// balls and a mark on each ball that shows its spin; free the picture afterwards. Ask for samples
/// when you solve the scene. CAROM_UNSUPPORTED: its kind does not run over time.
CAROM_API CaromStatus carom_animate_solution(const CaromSolution *solution,
                                             const CaromMovieOptions *options,
                                             CaromPicture *picture);

/// A plot there is.
typedef struct CaromPlotInfo {
    const char *scene_kind; ///< such as "impact"
    const char *name;       ///< such as "hodograph"; unique within its kind
    const char *summary;    ///< one line
} CaromPlotInfo;

CAROM_API int carom_plot_count(void);
CAROM_API CaromPlotInfo carom_plot_info(int i); ///< by kind; those tried first come first
/// Whether the i-th plot can show this solution.
CAROM_API bool carom_plot_shows(const CaromSolution *solution, int i);

#ifdef __cplusplus
}
#endif
