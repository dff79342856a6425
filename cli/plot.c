// SPDX-License-Identifier: Apache-2.0
// Pictures: what --plot asks for, and the list of plots.
#include "command.h"

#include <string.h>

#ifdef CAROM_WITH_PLOT
#include "carom/plot.h"

/// Whether `name` ends in `ending`.
static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), part = strlen(ending);
    return length > part && strcmp(name + length - part, ending) == 0;
}

static bool format_of(const char *path, CaromPlotFormat *format) {
    static const char *const endings[] = {
        [CAROM_PLOT_SVG] = ".svg", [CAROM_PLOT_PNG] = ".png", [CAROM_PLOT_PDF] = ".pdf"};
    for (int i = 0; i < 3; i++) {
        if (ends_in(path, endings[i])) {
            *format = (CaromPlotFormat)i;
            return true;
        }
    }
    return false;
}

static bool known(const char *name) {
    for (int i = 0; i < carom_plot_count(); i++) {
        if (strcmp(carom_plot_info(i).name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_plot(const char *name) {
    enum { MAX_NAMES = 64 };
    const char *names[MAX_NAMES];
    int count = 0;
    for (; count < carom_plot_count() && count < MAX_NAMES; count++) {
        names[count] = carom_plot_info(count).name;
    }
    char hint[96];
    return cli_usage_error("plot", "no plot named \"%s\"%s", name,
                           cli_hint(name, count, names, hint));
}

int cli_check_plot(const CliPlot *plot) {
    CaromPlotFormat format;
    if (!plot->movie && (plot->rate > 0 || plot->speed > 0 || plot->seconds > 0)) {
        return cli_usage_error("plot", "options of the movie need --animate FILE");
    }
    if (plot->movie && !ends_in(plot->movie, ".svg") && !ends_in(plot->movie, ".gif")) {
        return cli_usage_error("run", "--animate needs a file that ends in .gif or .svg");
    }
    if (!plot->path) {
        bool more = plot->kind || (plot->theme && !plot->movie);
        return more ? cli_usage_error("run", "--plot-%s needs --plot FILE",
                                      plot->kind ? "kind" : "theme")
                    : CLI_OK;
    }
    if (!format_of(plot->path, &format)) {
        return cli_usage_error("run", "--plot needs a file that ends in .svg, .png or .pdf");
    }
    if (plot->theme && strcmp(plot->theme, "light") != 0 && strcmp(plot->theme, "dark") != 0) {
        return cli_usage_error("run", "--plot-theme is light or dark");
    }
    return plot->kind && !known(plot->kind) ? unknown_plot(plot->kind) : CLI_OK;
}

/// Why nothing was drawn, and what could be.
static int cannot_draw(const CliPlot *plot, const CaromSolution *solution, CaromStatus status) {
    if (status != CAROM_UNSUPPORTED) {
        cli_error("%s: %s", plot->path, carom_status_text(status));
        return CLI_NOT_SOLVED;
    }
    char others[256] = "";
    for (int i = 0; i < carom_plot_count(); i++) {
        if (carom_plot_shows(solution, i)) {
            size_t used = strlen(others);
            (void)snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "",
                           carom_plot_info(i).name);
        }
    }
    cli_error("%s: %s cannot show this solution%s%s", plot->path,
              plot->kind ? plot->kind : "a plot", others[0] ? "; these can: " : "", others);
    return CLI_USAGE;
}

static CaromPlotTheme theme_of(const CliPlot *plot) {
    return plot->theme && strcmp(plot->theme, "dark") == 0 ? CAROM_PLOT_DARK : CAROM_PLOT_LIGHT;
}

int cli_draw(const CliPlot *plot, const CaromSolution *solution) {
    CaromPlotOptions options = carom_plot_options_default();
    CaromPicture picture;
    options.name = plot->kind;
    options.theme = theme_of(plot);
    (void)format_of(plot->path, &options.format);
    CaromStatus status = carom_plot_solution(solution, &options, &picture);
    if (status != CAROM_OK) {
        return cannot_draw(plot, solution, status);
    }
    int code = cli_write_bytes(plot->path, picture.bytes, picture.size);
    carom_picture_destroy(&picture);
    return code;
}

int cli_animate(const CliPlot *plot, const CaromSolution *solution) {
    CaromMovieOptions options = carom_movie_options_default();
    CaromPicture picture;
    options.theme = theme_of(plot);
    options.rate = plot->rate > 0 ? plot->rate : options.rate;
    options.speed = plot->speed > 0 ? plot->speed : options.speed;
    options.seconds = plot->seconds > 0 ? plot->seconds : options.seconds;
    options.format = ends_in(plot->movie, ".gif") ? CAROM_MOVIE_GIF : CAROM_MOVIE_SVG;
    CaromStatus status = carom_animate_solution(solution, &options, &picture);
    if (status == CAROM_UNSUPPORTED) {
        cli_error("%s: this kind of scene does not run over time", plot->movie);
        return CLI_USAGE;
    }
    if (status == CAROM_BAD_ARGUMENT) {
        return cli_usage_error("plot", "%s: more than 30000 pictures", plot->movie);
    }
    if (status != CAROM_OK) {
        cli_error("%s: %s", plot->movie, carom_status_text(status));
        return CLI_NOT_SOLVED;
    }
    int code = cli_write_bytes(plot->movie, picture.bytes, picture.size);
    carom_picture_destroy(&picture);
    return code;
}

void cli_help_plot(void) {
    (void)printf("carom run SCENE --plot FILE.svg|.png|.pdf [--plot-kind NAME]\n"
                 "          [--plot-theme light|dark]\n"
                 "          [--animate FILE.gif|.svg] [--movie-rate N] [--movie-speed X]\n"
                 "          [--movie-seconds T]\n"
                 "    draw what was solved; --animate makes a movie of a run over time\n"
                 "\n"
                 "  --movie-rate N     pictures per second, 1 to 50 (default 25)\n"
                 "  --movie-speed X    0.25 is slow motion, 2 is fast (default 1)\n"
                 "  --movie-seconds T  how much of the run to show [s] (default 10)\n"
                 "\n"
                 "Without --plot-kind the first of the scene's kind that can show it is drawn:\n");
    const char *last = "";
    for (int i = 0; i < carom_plot_count(); i++) {
        CaromPlotInfo info = carom_plot_info(i);
        if (strcmp(info.scene_kind, last) != 0) {
            (void)printf("\n  kind %s\n", info.scene_kind);
        }
        last = info.scene_kind;
        (void)printf("    %-14s %s\n", info.name, info.summary);
    }
    (void)printf("\n"
                 "  carom run icosahedron-tetrahedron --plot impact.svg\n"
                 "  carom run cradle-5 --plot cradle.png --plot-theme dark --quiet\n");
}

#else

int cli_check_plot(const CliPlot *plot) {
    bool any = plot->path || plot->kind || plot->theme || plot->movie;
    return any ? cli_usage_error("run", "this carom was built without pictures") : CLI_OK;
}

int cli_draw(const CliPlot *plot, const CaromSolution *solution) {
    (void)solution;
    return cli_check_plot(plot);
}

int cli_animate(const CliPlot *plot, const CaromSolution *solution) {
    (void)solution;
    return cli_check_plot(plot);
}

void cli_help_plot(void) {
    (void)printf("This carom was built without pictures (CAROM_PLOT was off).\n");
}

#endif
