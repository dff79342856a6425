// SPDX-License-Identifier: Apache-2.0
// A mesh while a file is read: nodes under the numbers of the file, tetrahedra, their lines.
#pragma once
#include "base/lines.h"
#include "soft/mesh.h"

/// A node's number in the file (files need not count from 0, nor without gaps).
typedef struct CaromNodeTag {
    long long tag;
    int index;
} CaromNodeTag;

typedef struct CaromMeshDraft {
    const CaromHost *host;
    int node_count, node_room;
    CaromVec3 *nodes;
    CaromNodeTag *tags;
    int *node_lines;
    int tetrahedron_count, tetrahedron_room;
    int (*tetrahedra)[4];
    int *tetrahedron_lines;
} CaromMeshDraft;

/// Take memory; complains to the text when there is none or the limit is passed.
bool carom_draft_nodes(CaromMeshDraft *draft, CaromLines *text, long long count);
bool carom_draft_tetrahedra(CaromMeshDraft *draft, CaromLines *text, long long count);
void carom_draft_free(CaromMeshDraft *draft);

/// Add a node under its tag; its place may be filled in later.
void carom_draft_add_node(CaromMeshDraft *draft, const CaromLines *text, long long tag,
                          CaromVec3 place);
/// After the last node: complains about a tag that is there twice.
bool carom_draft_index(CaromMeshDraft *draft, CaromLines *text);
/// Four tags as a tetrahedron, or from the record.
bool carom_draft_add_tetrahedron(CaromMeshDraft *draft, CaromLines *text, const long long tags[4]);
bool carom_draft_read_tetrahedron(CaromMeshDraft *draft, CaromLines *text);

/// Check and build. Places of a binary file are numbers of nodes and tetrahedra.
CaromStatus carom_draft_build(const CaromMeshDraft *draft, bool binary, const char *node_label,
                              const char *tetrahedron_label, CaromSoftMesh **mesh);
