// SPDX-License-Identifier: Apache-2.0
// The solver behind the public handle: what deform, recover and flip share.
#pragma once
#include "soft/elastic.h"
#include "soft/krylov.h"

/// The memory of a recovery, taken with the first one.
typedef struct CaromRecoverSpace {
    CaromVec3 *delta;       ///< the displacement that is looked for
    CaromVec3 *nodes;       ///< of the shape it gives
    CaromElement *elements; ///< of that shape
    CaromVec3 *residual;    ///< K(delta) delta - f, free directions
    CaromVec3 *step;
    CaromVec3 *work[3];
    CaromKrylov krylov;
    CaromSoftIteration *history; ///< of the last recovery, taken anew for each
} CaromRecoverSpace;

struct CaromSoft {
    CaromHost host;
    CaromElastic elastic;
    CaromSoftProblem problem; ///< without what was borrowed for its creation
    double *masses;           ///< of the tetrahedra
    double *node_masses;      ///< a quarter of each tetrahedron around
    CaromVec3 *moved;         ///< where supports move their nodes
    CaromElement *elements;   ///< of the given shape
    bool factored;            ///< the factor is that of the given shape
    CaromVec3 *load;          ///< what acts on each node
    CaromVec3 *displacements;
    CaromVec3 *reactions;
    CaromVec3 *forces;
    void *recover_block; ///< NULL until the first recovery
    size_t recover_bytes;
    CaromRecoverSpace recover;
};

/// Gravity and forces on each node, into soft->load. CAROM_BAD_DATA, with a message, when one is
/// not finite.
/// Whether a material can be; else messages.
bool carom_soft_check_material(const CaromHost *host, const CaromSoftMaterial *m);
CaromStatus carom_soft_set_load(CaromSoft *soft, const CaromSoftLoads *loads);
/// Make the factor that of the given shape.
CaromStatus carom_soft_factor_given(CaromSoft *soft);
/// Reactions of the supports, K u - f where nodes are held, from all forces K u. Returns the norm
/// of what is left elsewhere: it should vanish.
double carom_soft_set_reactions(CaromSoft *soft, const CaromVec3 *forces);
