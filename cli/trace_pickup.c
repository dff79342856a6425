// SPDX-License-Identifier: Apache-2.0
// A pickup as VTK: its end in the file that was asked for, and beside it a file for each moment
// with a list that ParaView plays as a film.
#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include <stdlib.h>
#include <string.h>

/// Fields of a frame, as long as the mesh.
typedef struct Fields {
    CaromVec3 *force;
    double *mode, *body, *stress;
    CaromVec3 *nodes;
} Fields;

static bool take(const CaromSoftMesh *mesh, Fields *fields) {
    size_t nodes = (size_t)mesh->node_count, tetrahedra = (size_t)mesh->tetrahedron_count;
    *fields = (Fields){.force = calloc(nodes, sizeof(CaromVec3)),
                       .mode = calloc(nodes, sizeof(double)),
                       .body = calloc(nodes, sizeof(double)),
                       .stress = calloc(tetrahedra, sizeof(double)),
                       .nodes = calloc(nodes, sizeof(CaromVec3))};
    return fields->force && fields->mode && fields->body && fields->stress && fields->nodes;
}

static void drop(Fields *fields) {
    free(fields->force);
    free(fields->mode);
    free(fields->body);
    free(fields->stress);
    free(fields->nodes);
}

static CaromVec3 add(CaromVec3 a, CaromVec3 b) {
    return (CaromVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static void fill(const CaromPickupSolution *pickup, const CaromSoftMesh *mesh,
                 const CaromPickupFrame *frame, Fields *fields) {
    for (int i = 0; i < mesh->node_count; i++) {
        fields->nodes[i] = add(mesh->nodes[i], frame->displacements[i]);
    }
    for (int i = 0; i < frame->contact_count; i++) {
        const CaromPickupContact *contact = &frame->contacts[i];
        fields->force[contact->node] = add(fields->force[contact->node], contact->force);
        fields->mode[contact->node] = contact->mode;
        fields->body[contact->node] = contact->body + 1;
    }
    carom_pickup_von_mises(pickup->solver, frame->displacements, fields->stress);
}

/// The deformed shape with what touches it; left empty without memory.
static void write_frame(FILE *file, const CaromSoftSolution *soft, const CaromPickupFrame *frame) {
    const CaromSoftMesh *mesh = soft->scene->problem.mesh;
    Fields fields;
    if (take(mesh, &fields)) {
        fill(soft->pickup, mesh, frame, &fields);
        const CaromSoftField written[] = {
            {.name = "displacement", .node_vectors = frame->displacements},
            {.name = "contact_force", .node_vectors = fields.force},
            {.name = "contact_mode", .node_scalars = fields.mode},
            {.name = "contact_body", .node_scalars = fields.body},
            {.name = "von_mises", .tetrahedron_data = fields.stress},
        };
        const char *title = soft->scene->title[0] ? soft->scene->title : "Carom pickup";
        carom_soft_write_vtk(file, title, mesh, fields.nodes, 5, written);
    }
    drop(&fields);
}

void cli_trace_pickup(FILE *file, const CaromSoftSolution *soft) {
    write_frame(file, soft, &soft->pickup->result.last);
}

/// Write one file from memory; `frame` NULL writes the list of all.
static int write_part(const char *path, const CaromSoftSolution *soft,
                      const CaromPickupFrame *frame, const char *stem) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    if (frame) {
        write_frame(file, soft, frame);
    } else {
        const char *slash = strrchr(stem, '/'), *name = slash ? slash + 1 : stem;
        int count = soft->pickup->frame_count;
        (void)fprintf(file, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n");
        for (int i = 0; i < count; i++) {
            (void)fprintf(file, "    {\"name\": \"%s-%03d.vtk\", \"time\": %d}%s\n", name, i, i,
                          i + 1 < count ? "," : "");
        }
        (void)fprintf(file, "  ]\n}\n");
    }
    int code = fclose(file) == 0 ? cli_write_bytes(path, text, size) : CLI_NOT_SOLVED;
    free(text);
    return code;
}

/// The files of a film: `stem` and `part` have room for their names.
typedef struct Film {
    const char *path; ///< of the end
    size_t room;      ///< for a name
    char *stem, *part;
} Film;

static const char *name_frame(const Film *film, int i) {
    (void)snprintf(film->part, film->room, "%s-%03d.vtk", film->stem, i);
    return film->part;
}

/// All frames and then their list, or none of them.
static int write_film(const Film *film, const CaromSoftSolution *soft) {
    int code = CLI_OK;
    for (int i = 0; i < soft->pickup->frame_count && code == CLI_OK; i++) {
        code = write_part(name_frame(film, i), soft, &soft->pickup->frames[i], film->stem);
    }
    if (code == CLI_OK) {
        (void)snprintf(film->part, film->room, "%s.series", film->path);
        code = write_part(film->part, soft, NULL, film->stem);
    }
    return code;
}

int cli_trace_soft_series(const char *path, const CaromSolution *solution) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    size_t length = strlen(path), room = length + 16;
    if (!soft->pickup || length < 5 || strcmp(path + length - 4, ".vtk") != 0) {
        return CLI_OK; // one shape, or no place for more than one file
    }
    Film film = {path, room, malloc(room), malloc(room)};
    int code = CLI_NOT_SOLVED;
    if (film.stem && film.part) {
        (void)snprintf(film.stem, length - 3, "%s", path);
        code = write_film(&film, soft);
    } else {
        cli_error("out of memory");
    }
    free(film.stem);
    free(film.part);
    return code;
}
