// SPDX-License-Identifier: Apache-2.0
// Contact problems in Siconos: its solver of Coulomb's law (FC3D) by Gauss-Seidel over contacts, on
// W = J A J^T in blocks, which is built before the clock starts.
#include "contact_peers.h"

#include "contact/graph.h"

#include <stdlib.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

typedef struct Work {
    CaromGraph graph;
    void *memory;
    FrictionContactProblem problem;
    SparseBlockCoordinateMatrix *entries;
    SparseBlockStructuredMatrix *matrix;
    unsigned int *row, *column;
    double *blocks, *reaction, *velocity;
    SolverOptions *options;
    CaromVec3 *impulses;
} Work;

/// Its axes are normal, x, y; ours x, y, normal.
static const int axis[3] = {2, 0, 1};

static void set_matrix(Work *w) {
    const CaromGraph *g = &w->graph;
    unsigned int n = (unsigned int)g->contact_count, count = 0;
    for (int c = 0; c < g->contact_count; c++) {
        for (int e = g->row_start[c]; e < g->row_start[c + 1]; e++, count++) {
            w->row[count] = (unsigned int)c + 1; // it counts from 1
            w->column[count] = (unsigned int)g->column[e] + 1;
            for (int i = 0; i < 9; i++) { // by columns
                w->blocks[9 * count + (unsigned int)i] = g->block[e].m[axis[i % 3]][axis[i / 3]];
            }
        }
    }
    w->entries = SBCM_new_3x3(n, n, count, w->row, w->column, w->blocks);
    w->matrix = SBCM_to_SBM(w->entries);
    w->problem.M = NM_new_SBM((int)(3 * n), (int)(3 * n), w->matrix);
}

static void solve(void *context) {
    Work *w = context;
    size_t bytes = 3 * (size_t)w->graph.contact_count * sizeof(double);
    memset(w->reaction, 0, bytes);
    memset(w->velocity, 0, bytes);
    (void)fc3d_driver(&w->problem, w->reaction, w->velocity, w->options);
    for (int c = 0; c < w->graph.contact_count; c++) {
        const double *r = &w->reaction[3 * c];
        w->impulses[c] = m3_tmul(&w->graph.contacts[c].frame, v3(r[1], r[2], r[0]));
    }
}

static void destroy(void *context) {
    Work *w = context;
    solver_options_delete(w->options);
    free(w->options);
    free(w->problem.M);
    SBM_free_from_SBCM(w->matrix);
    SBCM_free_3x3(w->entries);
    free(w->entries);
    void *arrays[] = {w->problem.q, w->problem.mu, w->row,      w->column, w->blocks,
                      w->reaction,  w->velocity,   w->impulses, w->memory, w};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
}

ContactPeer contact_peer_siconos(const CaromContactProblem *problem, int iterations) {
    int contacts = problem->contact_count, couplings = 100 * contacts;
    size_t count = (size_t)contacts;
    Work *w = calloc(1, sizeof *w);
    CaromArena arena = {0};
    carom_graph_carve(&w->graph, &arena, problem->body_count, contacts, couplings);
    w->memory = malloc(arena.used);
    arena = (CaromArena){.base = w->memory};
    carom_graph_carve(&w->graph, &arena, problem->body_count, contacts, couplings);
    if (!carom_graph_init(&w->graph, problem->body_count, problem->bodies, contacts,
                          problem->contacts) ||
        !carom_graph_couple(&w->graph)) {
        exit(1);
    }
    size_t blocks = (size_t)w->graph.row_start[contacts];
    w->row = malloc(blocks * sizeof *w->row);
    w->column = malloc(blocks * sizeof *w->column);
    w->blocks = malloc(9 * blocks * sizeof(double));
    w->reaction = malloc(3 * count * sizeof(double));
    w->velocity = malloc(3 * count * sizeof(double));
    w->impulses = calloc(count, sizeof *w->impulses);
    w->problem = (FrictionContactProblem){.dimension = 3,
                                          .numberOfContacts = contacts,
                                          .q = malloc(3 * count * sizeof(double)),
                                          .mu = malloc(count * sizeof(double))};
    carom_graph_free_velocities(&w->graph, w->impulses);
    for (int c = 0; c < contacts; c++) {
        CaromVec3 b = w->impulses[c];
        w->problem.q[3 * c] = b.z;
        w->problem.q[3 * c + 1] = b.x;
        w->problem.q[3 * c + 2] = b.y;
        w->problem.mu[c] = w->graph.contacts[c].friction;
    }
    set_matrix(w);
    w->options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    w->options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    w->options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    return (ContactPeer){w, solve, w->impulses, destroy};
}
