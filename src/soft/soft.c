// SPDX-License-Identifier: Apache-2.0
// The solver of a soft object: created once, deformed many times.
#include "base/host.h"
#include "soft/field.h"
#include "soft/solver.h"
#include "soft/supports.h"

// Worse than this the matrix is singular but for rounding: a part hangs on one node or edge.
static const double worst_condition = 1e14;

CaromSoftMaterial carom_soft_material_default(void) {
    return (CaromSoftMaterial){.stiffness_factor = 1};
}

CaromSoftLoads carom_soft_loads_default(void) {
    return (CaromSoftLoads){.gravity = {0, 0, -9.8}};
}

// ---- Checks ----------------------------------------------------------------------------------

static bool check_range(const CaromHost *host, const char *name, double value, bool holds,
                        const char *wanted) {
    if (!holds || !isfinite(value)) {
        carom_log(host, "%s: must be %s, got %g", name, wanted, value);
        return false;
    }
    return true;
}

bool carom_soft_check_material(const CaromHost *host, const CaromSoftMaterial *m) {
    bool sound = check_range(host, "young", m->young, m->young > 0, "> 0");
    sound &= check_range(host, "poisson", m->poisson, m->poisson > -1 && m->poisson < 0.5,
                         "in (-1, 0.5)");
    sound &= check_range(host, "density", m->density, m->density >= 0, ">= 0");
    sound &=
        check_range(host, "stiffness_factor", m->stiffness_factor, m->stiffness_factor > 0, "> 0");
    return sound;
}

static bool check_masses(const CaromHost *host, const CaromSoftProblem *problem) {
    for (int t = 0; problem->masses && t < problem->mesh->tetrahedron_count; t++) {
        if (!(problem->masses[t] >= 0) || !isfinite(problem->masses[t])) {
            carom_log(host, "masses[%d]: must be >= 0, got %g", t, problem->masses[t]);
            return false;
        }
    }
    return true;
}

// ---- Creation --------------------------------------------------------------------------------

/// Theory.md (9.2).
static CaromLame lame_of(const CaromSoftMaterial *m) {
    double twice = m->stiffness_factor * m->young / (1 + m->poisson);
    return (CaromLame){.lambda = twice * m->poisson / (1 - 2 * m->poisson), .mu = twice / 2};
}

static CaromSoft *lay_out(CaromArena *arena, const CaromSoftMesh *mesh) {
    size_t nodes = (size_t)mesh->node_count, tetrahedra = (size_t)mesh->tetrahedron_count;
    CaromSoft *soft = carom_arena_take(arena, 1, sizeof *soft);
    CaromSoft pieces = {
        .masses = carom_arena_take(arena, tetrahedra, sizeof *pieces.masses),
        .node_masses = carom_arena_take(arena, nodes, sizeof *pieces.node_masses),
        .moved = carom_arena_take(arena, nodes, sizeof *pieces.moved),
        .elements = carom_arena_take(arena, tetrahedra, sizeof *pieces.elements),
        .load = carom_arena_take(arena, nodes, sizeof *pieces.load),
        .displacements = carom_arena_take(arena, nodes, sizeof *pieces.displacements),
        .reactions = carom_arena_take(arena, nodes, sizeof *pieces.reactions),
        .forces = carom_arena_take(arena, nodes, sizeof *pieces.forces),
    };
    if (soft) {
        *soft = pieces;
    }
    return soft;
}

/// A quarter of a tetrahedron's mass goes to each of its corners: theory.md (9.6).
static void spread_masses(CaromSoft *soft) {
    const CaromSoftMesh *mesh = soft->problem.mesh;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        double mass = soft->problem.material.density * soft->elements[t].volume;
        soft->masses[t] = soft->problem.masses ? soft->problem.masses[t] : mass;
        for (int i = 0; i < 4; i++) {
            soft->node_masses[mesh->tetrahedra[t][i]] += soft->masses[t] / 4;
        }
    }
}

/// Where supports take their nodes; a sliding one decides along its normal only.
static void move_supports(CaromSoft *soft) {
    for (int s = 0; s < soft->problem.support_count; s++) {
        const CaromSoftSupport *support = &soft->problem.supports[s];
        soft->moved[support->node] = support->displacement;
    }
    carom_elastic_keep_held(&soft->elastic, soft->moved);
}

CaromStatus carom_soft_factor_given(CaromSoft *soft) {
    if (soft->factored) {
        return CAROM_OK;
    }
    CaromStatus status = carom_elastic_factor(&soft->elastic, soft->elements);
    if (status == CAROM_BAD_DATA ||
        (status == CAROM_OK && soft->elastic.factor &&
         !(carom_factor_size(soft->elastic.factor).condition < worst_condition))) {
        carom_log(&soft->host, "the stiffness matrix is singular: a part of the object hangs on a "
                               "single node or edge, or its tetrahedra are too thin");
        return CAROM_BAD_DATA;
    }
    soft->factored = status == CAROM_OK;
    return status;
}

static CaromStatus fill(CaromSoft *soft, const CaromSoftProblem *problem) {
    CaromStatus status = carom_elastic_create(&soft->elastic, &soft->host, problem->mesh,
                                              lame_of(&problem->material), problem->support_count,
                                              problem->supports);
    if (status != CAROM_OK) {
        return status;
    }
    soft->problem = *problem;
    (void)carom_elastic_shape(&soft->elastic, problem->mesh->nodes, soft->elements);
    spread_masses(soft);
    move_supports(soft);
    soft->problem.masses = NULL; // copied, not kept
    soft->problem.supports = NULL;
    return carom_soft_factor_given(soft);
}

CaromStatus carom_soft_check(const CaromSoftProblem *problem, const CaromHost *host) {
    CAROM_REQUIRE(host, problem);
    CAROM_REQUIRE(host, problem->mesh);
    if (problem->support_count < 0 || (problem->support_count > 0 && !problem->supports)) {
        carom_log(host, "supports: a count without its array, or a negative count");
        return CAROM_BAD_ARGUMENT;
    }
    bool sound = carom_soft_check_material(host, &problem->material);
    sound &= check_masses(host, problem);
    CaromStatus status =
        carom_check_supports(problem->mesh, problem->support_count, problem->supports, host);
    return sound || status == CAROM_NO_MEMORY ? status : CAROM_BAD_DATA;
}

CaromStatus carom_soft_create(const CaromSoftProblem *problem, const CaromHost *host,
                              CaromSoft **soft) {
    CAROM_REQUIRE(host, problem);
    CAROM_REQUIRE(host, soft);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    CaromStatus status = carom_soft_check(problem, host);
    if (status != CAROM_OK) {
        return status;
    }
    CaromArena arena = {0};
    lay_out(&arena, problem->mesh);
    void *block = carom_allocate(host, arena.used);
    if (!block) {
        return CAROM_NO_MEMORY;
    }
    arena = (CaromArena){.base = block};
    CaromSoft *made = lay_out(&arena, problem->mesh);
    made->host = *host;
    status = fill(made, problem);
    if (status != CAROM_OK) {
        carom_soft_destroy(made);
        return status;
    }
    *soft = made;
    return CAROM_OK;
}

void carom_soft_destroy(CaromSoft *soft) {
    if (soft) {
        CaromHost host = soft->host;
        carom_elastic_destroy(&soft->elastic);
        carom_release(&host, soft->recover.history);
        carom_release(&host, soft->recover_block);
        carom_release(&host, soft);
    }
}

CaromSoftSize carom_soft_size(const CaromSoft *soft) {
    if (soft == NULL) {
        return (CaromSoftSize){0};
    }
    const CaromElastic *elastic = &soft->elastic;
    CaromFactorSize factor = {.condition = 1};
    if (elastic->factor) {
        factor = carom_factor_size(elastic->factor);
    }
    double nodes = soft->problem.mesh->node_count;
    double tetrahedra = soft->problem.mesh->tetrahedron_count;
    return (CaromSoftSize){
        .unknowns = elastic->matrix.size,
        .matrix_nonzeros = elastic->matrix.starts[elastic->matrix.size],
        .factor_nonzeros = factor.nonzeros,
        .condition = factor.condition,
        .bytes = carom_elastic_bytes(elastic) + nodes * (5 * sizeof(CaromVec3) + sizeof(double)) +
                 tetrahedra * (sizeof(CaromElement) + sizeof(double)) + (double)soft->recover_bytes,
        .order_seconds = elastic->order_seconds,
        .assemble_seconds = elastic->assemble_seconds,
        .factor_seconds = elastic->factor_seconds,
    };
}

// ---- Loads and reactions ---------------------------------------------------------------------

CaromStatus carom_soft_set_load(CaromSoft *soft, const CaromSoftLoads *loads) {
    const CaromSoftLoads defaults = carom_soft_loads_default();
    loads = loads ? loads : &defaults;
    for (int i = 0; i < soft->problem.mesh->node_count; i++) {
        CaromVec3 weight = v3_scale(soft->node_masses[i], loads->gravity);
        soft->load[i] = loads->forces ? v3_add(weight, loads->forces[i]) : weight;
        if (!v3_finite(soft->load[i])) {
            carom_log(&soft->host, "the load on node %d is not finite", i);
            return CAROM_BAD_DATA;
        }
    }
    return CAROM_OK;
}

double carom_soft_set_reactions(CaromSoft *soft, const CaromVec3 *forces) {
    int count = soft->problem.mesh->node_count;
    double rest = 0;
    field_subtract(count, forces, soft->load, soft->reactions);
    carom_elastic_keep_held(&soft->elastic, soft->reactions);
    for (int i = 0; i < count; i++) {
        CaromVec3 left = v3_sub(v3_sub(forces[i], soft->load[i]), soft->reactions[i]);
        rest += v3_dot(left, left);
    }
    return sqrt(rest);
}
