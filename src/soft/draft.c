// SPDX-License-Identifier: Apache-2.0
// A mesh while a file is read.
#include "soft/draft.h"

#include "base/host.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory ----------------------------------------------------------------------------------

/// Whether `count` records may be kept, be they as many as the text says.
static bool within(CaromLines *text, long long count, int limit, const char *names) {
    if (count > limit) {
        return carom_lines_fault(text, "%lld %s, the limit is %d", count, names, limit);
    }
    return !text->failed;
}

bool carom_draft_nodes(CaromMeshDraft *draft, CaromLines *text, long long count) {
    if (!within(text, count, CAROM_SOFT_MAX_NODES, "nodes")) {
        return false;
    }
    size_t room = (size_t)count;
    draft->nodes = carom_allocate(draft->host, sizeof *draft->nodes * room);
    draft->tags = carom_allocate(draft->host, sizeof *draft->tags * room);
    draft->node_lines = carom_allocate(draft->host, sizeof *draft->node_lines * room);
    draft->node_room = (int)count;
    return (draft->nodes && draft->tags && draft->node_lines) ||
           carom_lines_fault(text, "no memory for %lld nodes", count);
}

bool carom_draft_tetrahedra(CaromMeshDraft *draft, CaromLines *text, long long count) {
    if (!within(text, count, CAROM_SOFT_MAX_TETRAHEDRA, "elements")) {
        return false;
    }
    size_t room = (size_t)count;
    draft->tetrahedra = carom_allocate(draft->host, sizeof *draft->tetrahedra * room);
    draft->tetrahedron_lines = carom_allocate(draft->host, sizeof *draft->tetrahedron_lines * room);
    draft->tetrahedron_room = (int)count;
    return (draft->tetrahedra && draft->tetrahedron_lines) ||
           carom_lines_fault(text, "no memory for %lld elements", count);
}

void carom_draft_free(CaromMeshDraft *draft) {
    carom_release(draft->host, draft->nodes);
    carom_release(draft->host, draft->tags);
    carom_release(draft->host, draft->node_lines);
    carom_release(draft->host, draft->tetrahedra);
    carom_release(draft->host, draft->tetrahedron_lines);
}

// ---- Nodes and tetrahedra --------------------------------------------------------------------

void carom_draft_add_node(CaromMeshDraft *draft, const CaromLines *text, long long tag,
                          CaromVec3 place) {
    CAROM_ASSERT(draft->node_count < draft->node_room);
    int i = draft->node_count++;
    draft->nodes[i] = place;
    draft->tags[i] = (CaromNodeTag){tag, i};
    draft->node_lines[i] = text->line;
}

static int compare_tags(const void *a, const void *b) {
    const CaromNodeTag *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

bool carom_draft_index(CaromMeshDraft *draft, CaromLines *text) {
    qsort(draft->tags, (size_t)draft->node_count, sizeof *draft->tags, compare_tags);
    for (int i = 1; i < draft->node_count; i++) {
        if (draft->tags[i - 1].tag == draft->tags[i].tag) {
            int first = draft->node_lines[draft->tags[i - 1].index];
            int second = draft->node_lines[draft->tags[i].index];
            text->line = first > second ? first : second;
            return carom_lines_fault(text, "node %lld is listed twice", draft->tags[i].tag);
        }
    }
    return !text->failed;
}

static bool find_node(const CaromMeshDraft *draft, CaromLines *text, long long tag, int *index) {
    CaromNodeTag key = {.tag = tag};
    const CaromNodeTag *found = NULL;
    if (draft->node_count > 0) {
        found = bsearch(&key, draft->tags, (size_t)draft->node_count, sizeof key, compare_tags);
    }
    if (!found) {
        return carom_lines_fault(text, "there is no node %lld", tag);
    }
    *index = found->index;
    return true;
}

bool carom_draft_add_tetrahedron(CaromMeshDraft *draft, CaromLines *text, const long long tags[4]) {
    CAROM_ASSERT(draft->tetrahedron_count < draft->tetrahedron_room);
    int t = draft->tetrahedron_count;
    for (int i = 0; i < 4; i++) {
        if (!find_node(draft, text, tags[i], &draft->tetrahedra[t][i])) {
            return false;
        }
    }
    draft->tetrahedron_lines[t] = text->line;
    draft->tetrahedron_count++;
    return true;
}

bool carom_draft_read_tetrahedron(CaromMeshDraft *draft, CaromLines *text) {
    long long tags[4] = {0};
    for (int i = 0; i < 4; i++) {
        if (!carom_lines_integer(text, "a node of a tetrahedron", LLONG_MIN, LLONG_MAX, &tags[i])) {
            return false;
        }
    }
    return carom_draft_add_tetrahedron(draft, text, tags);
}

CaromStatus carom_draft_build(const CaromMeshDraft *draft, bool binary, const char *node_label,
                              const char *tetrahedron_label, CaromSoftMesh **mesh) {
    CaromMeshSource source = {
        .node_count = draft->node_count,
        .nodes = draft->nodes,
        .tetrahedron_count = draft->tetrahedron_count,
        .tetrahedra = (const int(*)[4])draft->tetrahedra,
        .node_lines = binary ? NULL : draft->node_lines,
        .tetrahedron_lines = binary ? NULL : draft->tetrahedron_lines,
        .node_label = node_label,
        .tetrahedron_label = tetrahedron_label,
    };
    return carom_mesh_build(&source, draft->host, mesh);
}
