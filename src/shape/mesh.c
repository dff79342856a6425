// SPDX-License-Identifier: Apache-2.0
// Closed meshes of triangles: read, joined, checked, weighed.
#include "shape/mesh.h"

#include "base/file.h"
#include "base/host.h"
#include "base/vec.h"
#include "shape/solid.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ---- Growing ---------------------------------------------------------------------------------

/// Room for one element more. False without memory.
static bool grow(const CaromHost *host, void **elements, size_t size, int count, int *room) {
    if (count < *room) {
        return true;
    }
    int more = *room > 0 ? 2 * *room : 256;
    void *larger = carom_allocate(host, size * (size_t)more);
    if (!larger) {
        return false;
    }
    if (count > 0) {
        memcpy(larger, *elements, size * (size_t)count);
    }
    carom_release(host, *elements);
    *elements = larger;
    *room = more;
    return true;
}

bool carom_mesh_add_vertex(CaromMesh *s, CaromVec3 vertex) {
    // Every triangle of an STL file brings three; they are counted again when they are welded.
    if (s->vertex_count >= 3 * CAROM_SHAPE_MOST_TRIANGLES) {
        carom_log(&s->host, "more than %d vertices", CAROM_SHAPE_MOST_VERTICES);
        return false;
    }
    void *vertices = s->vertices;
    bool ok = grow(&s->host, &vertices, sizeof *s->vertices, s->vertex_count, &s->vertex_room);
    s->vertices = vertices;
    if (ok) {
        s->vertices[s->vertex_count++] = v3(vertex.x + 0.0, vertex.y + 0.0, vertex.z + 0.0);
    }
    return ok;
}

bool carom_mesh_add_triangle(CaromMesh *s, int a, int b, int c, int line) {
    if (a == b || b == c || c == a) {
        return true;
    }
    if (s->triangle_count >= CAROM_SHAPE_MOST_TRIANGLES) {
        carom_log(&s->host, "more than %d triangles", CAROM_SHAPE_MOST_TRIANGLES);
        return false;
    }
    void *triangles = s->triangles, *lines = s->lines;
    bool ok =
        grow(&s->host, &triangles, sizeof *s->triangles, s->triangle_count, &s->triangle_room);
    ok = grow(&s->host, &lines, sizeof *s->lines, s->triangle_count, &s->line_room) && ok;
    s->triangles = triangles;
    s->lines = lines;
    if (ok) {
        int *t = s->triangles[s->triangle_count];
        t[0] = a;
        t[1] = b;
        t[2] = c;
        s->lines[s->triangle_count++] = line;
    }
    return ok;
}

// ---- Hash tables -----------------------------------------------------------------------------

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// A vertex as bits: vertices are one if all their bits are the same.
typedef struct Bits {
    uint64_t x, y, z;
} Bits;

static Bits bits_of(CaromVec3 v) {
    Bits bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static bool same_bits(Bits a, Bits b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_bits(Bits bits) {
    return mix(bits.x + mix(bits.y + mix(bits.z)));
}

/// An empty table of at least twice `count` slots; its size is a power of two.
static int *new_table(const CaromHost *host, int count, uint64_t *mask) {
    size_t size = 16;
    while (size < 2 * (size_t)count) {
        size *= 2;
    }
    int *table = carom_allocate(host, size * sizeof *table);
    if (table) {
        memset(table, -1, size * sizeof *table);
    }
    *mask = size - 1;
    return table;
}

CaromStatus carom_mesh_weld(CaromMesh *s) {
    uint64_t mask = 0;
    int *table = new_table(&s->host, s->vertex_count, &mask);
    int *number = carom_allocate(&s->host, sizeof *number * (size_t)(s->vertex_count + 1));
    if (!table || !number) {
        carom_release(&s->host, table);
        carom_release(&s->host, number);
        return CAROM_NO_MEMORY;
    }
    int kept = 0;
    for (int i = 0; i < s->vertex_count; i++) {
        CaromVec3 v = s->vertices[i];
        Bits bits = bits_of(v);
        uint64_t slot = hash_bits(bits) & mask;
        while (table[slot] >= 0 && !same_bits(bits_of(s->vertices[table[slot]]), bits)) {
            slot = (slot + 1) & mask;
        }
        if (table[slot] < 0) {
            s->vertices[kept] = v;
            table[slot] = kept++;
        }
        number[i] = table[slot];
    }
    s->vertex_count = kept;

    // Triangles that have lost a corner are lines, and go.
    int count = s->triangle_count;
    s->triangle_count = 0;
    for (int t = 0; t < count; t++) {
        const int *v = s->triangles[t];
        (void)carom_mesh_add_triangle(s, number[v[0]], number[v[1]], number[v[2]], s->lines[t]);
    }
    carom_release(&s->host, table);
    carom_release(&s->host, number);
    return CAROM_OK;
}

// ---- Reading ---------------------------------------------------------------------------------

static bool starts_with(const char *data, size_t length, const char *word) {
    size_t at = 0;
    while (at < length &&
           (data[at] == ' ' || data[at] == '\t' || data[at] == '\r' || data[at] == '\n')) {
        at++;
    }
    return length - at >= strlen(word) && memcmp(data + at, word, strlen(word)) == 0;
}

static bool read_any(const char *data, size_t length, CaromMesh *s) {
    const unsigned char *bytes = (const unsigned char *)data;
    if (carom_mesh_is_stl_binary(bytes, length)) {
        return carom_mesh_read_stl_binary(bytes, length, s);
    }
    if (starts_with(data, length, "solid")) {
        return carom_mesh_read_stl_text(data, length, s);
    }
    if (length > 0 && memchr(data, '\0', length)) {
        carom_log(&s->host, "neither OBJ nor STL: binary, and not as long as an STL of its count");
        return false;
    }
    return carom_mesh_read_obj(data, length, s);
}

CaromStatus carom_mesh_parse(const char *data, size_t length, const CaromHost *host,
                             CaromMesh **surface) {
    CAROM_REQUIRE(host, data);
    CAROM_REQUIRE(host, surface);
    CaromMesh *s = carom_allocate(host, sizeof *s);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    *s = (CaromMesh){.host = host ? *host : (CaromHost){0}};
    CaromStatus status = read_any(data, length, s) ? carom_mesh_weld(s) : CAROM_BAD_DATA;
    if (status == CAROM_OK && s->triangle_count == 0) {
        carom_log(host, "no triangles");
        status = CAROM_BAD_DATA;
    }
    if (status == CAROM_OK && s->vertex_count > CAROM_SHAPE_MOST_VERTICES) {
        carom_log(host, "%d vertices; at most %d are taken", s->vertex_count,
                  CAROM_SHAPE_MOST_VERTICES);
        status = CAROM_OVER_LIMIT;
    }
    if (status != CAROM_OK) {
        carom_mesh_destroy(s);
        return status;
    }
    *surface = s;
    return CAROM_OK;
}

CaromStatus carom_mesh_load(const char *path, const CaromHost *host, CaromMesh **surface) {
    size_t length = 0;
    char *data = carom_read_file(path, host, &length);
    if (!data) {
        return CAROM_IO_ERROR;
    }
    CaromStatus status = carom_mesh_parse(data, length, host, surface);
    carom_release(host, data);
    return status;
}

void carom_mesh_destroy(CaromMesh *surface) {
    if (surface) {
        CaromHost host = surface->host;
        carom_release(&host, surface->vertices);
        carom_release(&host, surface->triangles);
        carom_release(&host, surface->lines);
        carom_release(&host, surface);
    }
}

int carom_mesh_vertex_count(const CaromMesh *surface) {
    if (surface == NULL) {
        return 0;
    }
    return surface->vertex_count;
}

int carom_mesh_triangle_count(const CaromMesh *surface) {
    if (surface == NULL) {
        return 0;
    }
    return surface->triangle_count;
}

const CaromVec3 *carom_mesh_vertices(const CaromMesh *surface) {
    if (surface == NULL) {
        return NULL;
    }
    return surface->vertices;
}

const int (*carom_mesh_triangles(const CaromMesh *surface))[3] {
    if (surface == NULL) {
        return NULL;
    }
    return (const int(*)[3])surface->triangles;
}

// ---- Closed? ---------------------------------------------------------------------------------

/// The edges of all triangles by their ends: a table of 3 t + k, -1 where there is none.
typedef struct Edges {
    const CaromMesh *surface;
    int *table;
    uint64_t mask;
} Edges;

static void edge_ends(const CaromMesh *s, int edge, int *from, int *to) {
    *from = s->triangles[edge / 3][edge % 3];
    *to = s->triangles[edge / 3][(edge % 3 + 1) % 3];
}

/// The slot of the edge, or the free one where it would be.
static uint64_t edge_slot(const Edges *e, int from, int to) {
    uint64_t slot = mix((uint64_t)(uint32_t)from << 32 | (uint32_t)to) & e->mask;
    for (;; slot = (slot + 1) & e->mask) {
        int a = 0, b = 0;
        if (e->table[slot] < 0) {
            return slot;
        }
        edge_ends(e->surface, e->table[slot], &a, &b);
        if (a == from && b == to) {
            return slot;
        }
    }
}

static CaromStatus edge_fault(const CaromMesh *s, int edge, const char *what) {
    int from = 0, to = 0;
    edge_ends(s, edge, &from, &to);
    CaromVec3 a = s->vertices[from], b = s->vertices[to];
    char place[32] = "";
    if (s->lines[edge / 3] > 0) {
        (void)snprintf(place, sizeof place, "line %d: ", s->lines[edge / 3]);
    }
    carom_log(&s->host, "%striangle %d: the edge from (%g, %g, %g) to (%g, %g, %g) %s", place,
              edge / 3 + 1, a.x, a.y, a.z, b.x, b.y, b.z, what);
    return CAROM_BAD_DATA;
}

static CaromStatus check_closed(const CaromMesh *s) {
    Edges e = {.surface = s};
    int count = 3 * s->triangle_count;
    e.table = new_table(&s->host, count, &e.mask);
    if (!e.table) {
        return CAROM_NO_MEMORY;
    }
    CaromStatus status = CAROM_OK;
    int from = 0, to = 0;
    for (int edge = 0; edge < count && status == CAROM_OK; edge++) {
        edge_ends(s, edge, &from, &to);
        uint64_t slot = edge_slot(&e, from, to);
        if (e.table[slot] >= 0) {
            status = edge_fault(s, edge, "is in two triangles in the same direction");
        }
        e.table[slot] = edge;
    }
    for (int edge = 0; edge < count && status == CAROM_OK; edge++) {
        edge_ends(s, edge, &from, &to);
        if (e.table[edge_slot(&e, to, from)] < 0) {
            status = edge_fault(s, edge, "has no triangle on its other side: not closed");
        }
    }
    carom_release(&s->host, e.table);
    return status;
}

CaromStatus carom_mesh_solid(const CaromMesh *surface, CaromSolid *solid) {
    CAROM_REQUIRE(NULL, surface);
    CAROM_REQUIRE(NULL, solid);
    CaromStatus status = check_closed(surface);
    if (status != CAROM_OK) {
        return status;
    }
    CaromSolid s = carom_solid_of(surface->triangle_count, (const int(*)[3])surface->triangles,
                                  surface->vertices);
    double size = 0;
    for (int i = 0; i < surface->vertex_count; i++) {
        size = fmax(size, v3_norm(v3_sub(surface->vertices[i], surface->vertices[0])));
    }
    if (!isfinite(s.volume) || fabs(s.volume) <= 1e-12 * size * size * size) {
        carom_log(&surface->host, "it closes no volume: flat");
        return CAROM_BAD_DATA;
    }
    if (s.volume < 0) {
        carom_log(&surface->host,
                  "inside out: triangles run clockwise seen from outside (volume "
                  "%g m^3)",
                  s.volume);
        return CAROM_BAD_DATA;
    }
    *solid = s;
    return CAROM_OK;
}
