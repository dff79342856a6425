// SPDX-License-Identifier: Apache-2.0
// A stranger's program on the library of pictures: draw a scene in all formats.
#include <carom/plot.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *text = "{\"kind\": \"impact\", \"W\": [[3.5,0,0],[0,3.5,0],[0,0,1]],"
                       "\"contact_velocity\": [1,0,-1], \"friction\": 0.2}";
    CaromScene *scene = NULL;
    CaromSolution *solution = NULL;
    bool drawn = carom_scene_parse(text, strlen(text), NULL, &scene) == CAROM_OK &&
                 carom_scene_solve(scene, 64, &solution) == CAROM_OK;
    for (int format = CAROM_PLOT_SVG; drawn && format <= CAROM_PLOT_PDF; format++) {
        CaromPlotOptions options = carom_plot_options_default();
        CaromPicture picture = {0};
        options.format = (CaromPlotFormat)format;
        drawn = carom_plot_solution(solution, &options, &picture) == CAROM_OK && picture.size > 999;
        carom_picture_destroy(&picture);
    }
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    printf("pictures: %s\n", drawn ? "drawn" : "not drawn");
    return !drawn;
}
