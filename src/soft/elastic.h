// SPDX-License-Identifier: Apache-2.0
// An elastic object: how its nodes are held, its forces, its stiffness matrix and the factor of it.
//
// Only elastic.c knows the unknowns. Everybody else works with fields, one vector for each node,
// that are zero in the directions in which nodes are held.
#pragma once
#include "carom/soft.h"
#include "soft/element.h"
#include "soft/factor.h"

typedef struct CaromElastic {
    CaromHost host;
    const CaromSoftMesh *mesh;
    CaromLame lame;

    // How nodes are held: node i has the unknowns first[i] to first[i + 1] - 1. That are three when
    // it is free, two when it slides (along two axes; the third is the normal), none when it is
    // held.
    int *first;
    int *slider;          ///< for each node, its number among those that slide, else -1
    CaromVec3 (*axes)[3]; ///< of each node that slides

    CaromColumns matrix; ///< upper triangle of the stiffness matrix
    int (*places)[6];    ///< where the blocks of each tetrahedron start in their columns
    CaromFactor *factor; ///< NULL when there are no unknowns
    double *b, *x;       ///< of a solve
    double order_seconds, assemble_seconds, factor_seconds;
} CaromElastic;

/// Number the unknowns and order the matrix. The supports are in range and at most one for a node.
CaromStatus carom_elastic_create(CaromElastic *elastic, const CaromHost *host,
                                 const CaromSoftMesh *mesh, CaromLame lame, int support_count,
                                 const CaromSoftSupport *supports);
void carom_elastic_destroy(CaromElastic *elastic);
double carom_elastic_bytes(const CaromElastic *elastic);

// ---- Shapes and forces -----------------------------------------------------------------------

/// The elements of a shape. Returns the least volume.
double carom_elastic_shape(const CaromElastic *elastic, const CaromVec3 *nodes,
                           CaromElement *elements);
/// f = K u of the shape, all nodes.
void carom_elastic_forces(const CaromElastic *elastic, const CaromElement *elements,
                          const CaromVec3 *u, CaromVec3 *f);
/// f = (d(K u) / dX) x: the change of K u when the nodes of the shape move by x and u stays.
void carom_elastic_turn(const CaromElastic *elastic, const CaromElement *elements,
                        const CaromVec3 *u, const CaromVec3 *x, CaromVec3 *f);

/// Keep of a field what is free, or what is held.
void carom_elastic_keep_free(const CaromElastic *elastic, CaromVec3 *field);
void carom_elastic_keep_held(const CaromElastic *elastic, CaromVec3 *field);

// ---- The matrix ------------------------------------------------------------------------------

/// Assemble and factor K of the shape. CAROM_BAD_DATA, without a message, when it is not positive
/// definite.
CaromStatus carom_elastic_factor(CaromElastic *elastic, const CaromElement *elements);
/// u = K^-1 f with the last factor: what is held stays zero, what f has there is ignored. `u` may
/// be `f`. Allocates nothing.
void carom_elastic_solve(CaromElastic *elastic, const CaromVec3 *f, CaromVec3 *u);
