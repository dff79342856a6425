// SPDX-License-Identifier: Apache-2.0
// What the readers of Gmsh files as text and of binary ones share.
#pragma once
#include "soft/draft.h"

enum { CAROM_GMSH_TETRAHEDRON = 4 }; ///< the number of this kind of element

/// How many nodes an element of this kind has; 0 if it can neither be used nor passed over.
int carom_gmsh_nodes(long long kind);
/// Complain about elements that can neither be used nor passed over.
bool carom_gmsh_check_kind(CaromLines *text, long long kind);

/// After the line of the format: the number 1, which shows the order of bytes. `bytes` is the size
/// of a number.
bool carom_gmsh_start_binary(CaromLines *text, int bytes);
/// What stands between $Nodes and $EndNodes, from where the text is read on.
bool carom_gmsh_binary_nodes(CaromLines *text, CaromMeshDraft *draft, int version);
bool carom_gmsh_binary_elements(CaromLines *text, CaromMeshDraft *draft, int version);
