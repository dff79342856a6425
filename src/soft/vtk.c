// SPDX-License-Identifier: Apache-2.0
// A mesh with its fields as a legacy VTK file.
#include "base/vec.h"
#include "carom/soft.h"

static void write_title(FILE *file, const char *title) {
    // One line of at most 255 printable characters, says the format.
    (void)fputs("# vtk DataFile Version 3.0\n", file);
    for (int i = 0; i < 255 && title[i]; i++) {
        (void)fputc((unsigned char)title[i] < ' ' || title[i] == 0x7f ? ' ' : title[i], file);
    }
    (void)fputs("\nASCII\nDATASET UNSTRUCTURED_GRID\n", file);
}

/// Vectors less their origins, if they have any.
static void write_vectors(FILE *file, int count, const CaromVec3 *vectors,
                          const CaromVec3 *origins) {
    for (int i = 0; i < count; i++) {
        CaromVec3 v = origins ? v3_sub(vectors[i], origins[i]) : vectors[i];
        (void)fprintf(file, "%.17g %.17g %.17g\n", v.x, v.y, v.z);
    }
}

static void write_scalars(FILE *file, const char *name, int count, const double *values) {
    (void)fprintf(file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", name);
    for (int i = 0; i < count; i++) {
        (void)fprintf(file, "%.17g\n", values[i]);
    }
}

static void write_cells(FILE *file, const CaromSoftMesh *mesh) {
    enum { VTK_TETRA = 10 };
    int count = mesh->tetrahedron_count;
    (void)fprintf(file, "CELLS %d %d\n", count, 5 * count);
    for (int t = 0; t < count; t++) {
        const int *corner = mesh->tetrahedra[t];
        (void)fprintf(file, "4 %d %d %d %d\n", corner[0], corner[1], corner[2], corner[3]);
    }
    (void)fprintf(file, "CELL_TYPES %d\n", count);
    for (int t = 0; t < count; t++) {
        (void)fprintf(file, "%d\n", VTK_TETRA);
    }
}

void carom_soft_write_vtk(FILE *file, const char *title, const CaromSoftMesh *mesh,
                          const CaromVec3 *nodes, int field_count, const CaromSoftField *fields) {
    if (file == NULL || title == NULL || mesh == NULL || (fields == NULL && field_count > 0)) {
        return;
    }
    write_title(file, title);
    (void)fprintf(file, "POINTS %d double\n", mesh->node_count);
    write_vectors(file, mesh->node_count, nodes ? nodes : mesh->nodes, NULL);
    write_cells(file, mesh);

    (void)fprintf(file, "POINT_DATA %d\n", mesh->node_count);
    for (int i = 0; i < field_count; i++) {
        if (fields[i].node_vectors) {
            (void)fprintf(file, "VECTORS %s double\n", fields[i].name);
            write_vectors(file, mesh->node_count, fields[i].node_vectors, fields[i].origins);
        } else if (fields[i].node_scalars) {
            write_scalars(file, fields[i].name, mesh->node_count, fields[i].node_scalars);
        }
    }
    (void)fprintf(file, "CELL_DATA %d\n", mesh->tetrahedron_count);
    for (int i = 0; i < field_count; i++) {
        if (fields[i].tetrahedron_data) {
            write_scalars(file, fields[i].name, mesh->tetrahedron_count,
                          fields[i].tetrahedron_data);
        }
    }
}
