// SPDX-License-Identifier: Apache-2.0
// In which order to eliminate the bodies of a contact graph, and which blocks the factors then
// have: minimum degree, island by island.
#pragma once
#include "contact/graph.h"

/// Bodies and contacts in the order of the elimination; every island is one range of each.
/// Column k of the factors has the rows rows[start[k]] to rows[start[k+1] - 1], ascending, all
/// above k.
typedef struct CaromElimination {
    int body_count, contact_count, island_count;
    int fill_capacity;
    int *order;       ///< body of the graph at position k; only those that are movable and touched
    int *position;    ///< of a body, -1 if it has none
    int *contact;     ///< contact of the graph at position c
    int *pair;        ///< two positions per contact of the graph, as read last: -1 if not movable
    int *slot;        ///< of contact c: the block between its two bodies, -1 if it has one or none
    int *island_body; ///< first body of each island, and the end
    int *island_contact; ///< first contact of each island, and the end
    int *start, *rows;
    bool known; ///< whether all this stands for some graph
    // Scratch of the search, by bodies of the graph.
    int *list_start, *list, *variables, *elements; ///< neighbours: variables first, then elements
    int *degree, *next, *previous, *head;
    int *mark, *outside, *stamp;
    bool *gone;
} CaromElimination;

/// Memory for graphs of that many bodies and contacts, and for `fill` blocks off the diagonal.
void carom_elimination_carve(CaromElimination *e, CaromArena *arena, int bodies, int contacts,
                             int fill);

/// Order the bodies of a graph; at once if it joins the same bodies as the last. False when the
/// factors have more blocks than fit.
bool carom_elimination_order(CaromElimination *e, const CaromGraph *g);
