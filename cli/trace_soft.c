// SPDX-License-Identifier: Apache-2.0
// The mesh of a soft object as VTK: the nodes as they were given, and vectors that lead to the
// other shapes (Warp By Vector in ParaView).
#include "command.h"

enum { MOST_FIELDS = 8 };

typedef struct Trace {
    const CaromSoftMesh *mesh;
    int count;
    CaromSoftField fields[MOST_FIELDS];
} Trace;

/// A field from the given nodes to others, if there are any.
static void add_way(Trace *trace, const char *name, const CaromVec3 *nodes) {
    if (nodes) {
        trace->fields[trace->count++] =
            (CaromSoftField){.name = name, .node_vectors = nodes, .origins = trace->mesh->nodes};
    }
}

void cli_trace_soft(FILE *file, const CaromSolution *solution) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    const CaromSoftScene *scene = soft->scene;
    if (soft->pickup) {
        cli_trace_pickup(file, soft);
        return;
    }
    Trace trace = {.mesh = scene->problem.mesh};
    bool deform = scene->task == CAROM_SOFT_DEFORM;
    add_way(&trace, "to_deformed", soft->deformed.nodes);
    add_way(&trace, "to_gravity_free", soft->recovered.nodes);
    add_way(&trace, "to_flipped", soft->flipped.nodes);
    add_way(&trace, "to_flipped_without_recovery", soft->flipped_observed.nodes);
    trace.fields[trace.count++] = (CaromSoftField){
        .name = "support_force",
        .node_vectors = deform ? soft->deformation.reactions : soft->recovery.reactions};
    trace.fields[trace.count++] =
        (CaromSoftField){.name = "von_mises", .tetrahedron_data = soft->von_mises};
    const char *title = scene->title[0] ? scene->title : "Carom soft object";
    carom_soft_write_vtk(file, title, trace.mesh, NULL, trace.count, trace.fields);
}
