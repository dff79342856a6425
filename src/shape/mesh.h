// SPDX-License-Identifier: Apache-2.0
// Triangles of a surface while a file is read.
#pragma once
#include "base/lines.h"
#include "carom/shape.h"

struct CaromMesh {
    CaromHost host;
    int vertex_count, vertex_room;
    CaromVec3 *vertices;
    int triangle_count, triangle_room;
    int (*triangles)[3];
    int *lines;    ///< of the file, of each triangle; 0 if it has no lines
    int line_room; ///< as triangle_room
};

/// Add to a surface; false without memory or over the limits, after a message.
bool carom_mesh_add_vertex(CaromMesh *surface, CaromVec3 vertex);
/// Triangles with equal corners are left out.
bool carom_mesh_add_triangle(CaromMesh *surface, int a, int b, int c, int line);
/// Make vertices with equal coordinates one.
CaromStatus carom_mesh_weld(CaromMesh *surface);

/// The formats. They fill an empty surface; false after a message.
bool carom_mesh_read_stl_binary(const unsigned char *data, size_t length, CaromMesh *surface);
bool carom_mesh_read_stl_text(const char *data, size_t length, CaromMesh *surface);
bool carom_mesh_read_obj(const char *data, size_t length, CaromMesh *surface);
/// Whether a file of this length is a binary STL.
bool carom_mesh_is_stl_binary(const unsigned char *data, size_t length);
