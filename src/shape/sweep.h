// SPDX-License-Identifier: Apache-2.0
// Broad phase: which of many boxes overlap.
#pragma once
#include "carom/base.h"

/// A box along the axes.
typedef struct CaromExtent {
    CaromVec3 low, high;
} CaromExtent;

typedef void CaromPairFn(void *context, int i, int j);

/// Call `found` with i < j for every pair of boxes that overlap or touch, in an order that depends
/// on the boxes only. `order` holds `count` numbers between calls: fill it with 0, 1, 2, ... first;
/// boxes that moved little since the last call are sorted in linear time.
void carom_sweep(int count, const CaromExtent *boxes, int *order, CaromPairFn *found,
                 void *context);
