// SPDX-License-Identifier: Apache-2.0
// Solve a scene and draw it: draw_scene [FILE.svg]
#include <carom/plot.h>
#include <stdio.h>
#include <string.h>

static const char *const text =
    "{\"kind\": \"impact\", \"title\": \"A ball dropped on a ball on a table\", \"bodies\": {"
    " \"upper\": {\"mass\": 1, \"radius\": 0.5, \"position\": [0,0,1.5], \"velocity\": [0,0,-1]},"
    " \"lower\": {\"mass\": 2, \"radius\": 0.5, \"position\": [0,0,0.5]},"
    " \"table\": {\"fixed\": true}}, \"contacts\": [{\"between\": [\"upper\", \"lower\"]},"
    " {\"between\": [\"lower\", \"table\"], \"point\": [0,0,0], \"normal\": [0,0,1]}]}";

int main(int argc, char **argv) {
    CaromScene *scene = NULL;
    CaromSolution *solution = NULL;
    CaromPicture picture = {0};
    CaromStatus status = carom_scene_parse(text, strlen(text), NULL, &scene);
    if (status == CAROM_OK) {
        status = carom_scene_solve(scene, 64, &solution); // 64 points between events
    }

    // The plots that can show it; the first of them is drawn.
    for (int i = 0; status == CAROM_OK && i < carom_plot_count(); i++) {
        if (carom_plot_shows(solution, i)) {
            printf("%-12s %s\n", carom_plot_info(i).name, carom_plot_info(i).summary);
        }
    }
    if (status == CAROM_OK) {
        CaromPlotOptions options = carom_plot_options_default();
        options.theme = CAROM_PLOT_DARK;
        status = carom_plot_solution(solution, &options, &picture);
    }

    // A picture is a whole file in memory.
    FILE *file = status == CAROM_OK && argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file) {
        fwrite(picture.bytes, 1, picture.size, file);
        fclose(file);
    }
    printf("%s: %zu bytes\n", carom_status_text(status), picture.size);
    carom_picture_destroy(&picture);
    carom_solution_destroy(solution);
    carom_scene_destroy(scene);
    return status != CAROM_OK;
}
