// SPDX-License-Identifier: Apache-2.0
// Families of random impact problems that are hard on solvers. A family is a row of a table; its
// k-th problem follows from the seed, the family and k alone.
#pragma once
#include "carom/carom.h"

#include <stdint.h>

enum { MOST_BODIES = 130, MOST_CONTACTS = 260 };

/// A problem that owns its bodies and contacts.
typedef struct Case {
    int body_count, contact_count;
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
    bool linear;    ///< every exponent is 1
    bool compliant; ///< some contact has tangential springs
} Case;

/// How bodies touch.
typedef enum Shape { PAIR, CHAIN, TREE, RING, GROUNDED, LEGS, CLUSTER, RACK, LONG_CHAIN } Shape;

#define BIT(shape) (1u << (shape))
#define ANY_SHAPE                                                                                  \
    (BIT(PAIR) | BIT(CHAIN) | BIT(TREE) | BIT(RING) | BIT(GROUNDED) | BIT(LEGS) | BIT(CLUSTER))

typedef enum Restitution { MIXED, ELASTIC, ZERO_OR_ONE, ONE_FOR_ALL } Restitution;
typedef enum Friction { SMOOTH, ROUGH, COMPLIANT, NONE_OR_HUGE } Friction;

typedef struct Family {
    const char *name;
    unsigned shapes; ///< bits
    int weight;      ///< of a hundred problems, about so many
    Restitution restitution;
    Friction friction;
    double masses;      ///< largest over least
    double stiffnesses; ///< largest over least
    double inertia;     ///< least, as part of that of a solid of the body's size; 0: as usual
    double grazing;     ///< normal over tangential speed; 0: any directions
    double closeness;   ///< of contact points and normals that are doubled, so that W is nearly
                        ///< singular; 0: none are
    bool twice;         ///< some contacts are listed twice, to the last bit
    bool in_line;       ///< bodies only, not turns: coincident events are exactly so
    bool hertz;         ///< exponents from 1 to 3
} Family;

extern const Family families[];
extern const int family_count;

/// The k-th problem of a family.
void make_case(uint64_t seed, int family, int k, Case *made);
