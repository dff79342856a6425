// SPDX-License-Identifier: Apache-2.0
// Kind "soft": the result as JSON.
#include "scene/soft_kind.h"
#include "scene/writer.h"

static void put_number(CaromWriter *w, json_t *object, const char *key, double value) {
    carom_write_put(w, object, key, carom_write_number(value));
}

/// A whole number, though it may come as a double.
static void put_count(CaromWriter *w, json_t *object, const char *key, double value) {
    carom_write_put(w, object, key, json_integer((json_int_t)value));
}

static json_t *write_shape(CaromWriter *w, const CaromSoftShape *shape) {
    json_t *object = json_object();
    put_number(w, object, "height", shape->height);
    put_number(w, object, "volume", shape->volume);
    put_number(w, object, "bottom_diameter", shape->bottom_diameter);
    put_number(w, object, "top_diameter", shape->top_diameter);
    carom_write_put(w, object, "extent", carom_write_vec3(w, shape->extent));
    return object;
}

static json_t *write_mesh(CaromWriter *w, const CaromSoftSolution *solution) {
    const CaromSoftScene *scene = solution->scene;
    json_t *object = json_object();
    put_count(w, object, "nodes", scene->problem.mesh->node_count);
    put_count(w, object, "tetrahedra", scene->problem.mesh->tetrahedron_count);
    put_count(w, object, "surface_triangles", scene->problem.mesh->surface_count);
    put_count(w, object, "fixed_nodes", scene->fixed_count);
    put_count(w, object, "sliding_nodes", scene->sliding_count);
    put_count(w, object, "unknowns", solution->size.unknowns);
    put_count(w, object, "matrix_nonzeros", solution->size.matrix_nonzeros);
    put_count(w, object, "factor_nonzeros", solution->size.factor_nonzeros);
    put_count(w, object, "bytes", solution->size.bytes);
    return object;
}

static json_t *write_largest(CaromWriter *w, int node, CaromVec3 displacement) {
    json_t *object = json_object();
    put_count(w, object, "node", node);
    carom_write_put(w, object, "displacement", carom_write_vec3(w, displacement));
    return object;
}

static json_t *write_supports(CaromWriter *w, const CaromSoftSolution *solution) {
    json_t *object = json_object();
    carom_write_put(w, object, "force", carom_write_vec3(w, solution->support));
    put_number(w, object, "friction_ratio", solution->friction);
    put_count(w, object, "pulled", solution->pulled);
    return object;
}

// ---- deform ----------------------------------------------------------------------------------

static void write_deformation(CaromWriter *w, const CaromSoftSolution *solution, json_t *object) {
    const CaromSoftDeformation *d = &solution->deformation;
    put_number(w, object, "height", solution->deformed.height);
    put_number(w, object, "volume", solution->deformed.volume);
    put_number(w, object, "displacement_norm", d->displacement_norm);
    carom_write_put(w, object, "largest_displacement",
                    write_largest(w, solution->largest, d->displacements[solution->largest]));
    put_number(w, object, "residual", d->residual);
    put_number(w, object, "strain_energy", d->strain_energy);
    carom_write_put(w, object, "deformed", write_shape(w, &solution->deformed));
    json_t *checks = json_object();
    put_number(w, checks, "residual", d->residual);
    put_number(w, checks, "force_error", d->force_error);
    put_number(w, checks, "moment_error", d->moment_error);
    put_count(w, checks, "inverted_tetrahedra", d->inverted);
    carom_write_put(w, object, "checks", checks);
}

// ---- recover and flip ------------------------------------------------------------------------

static json_t *write_history(CaromWriter *w, const CaromSoftRecovery *recovery) {
    json_t *array = json_array();
    for (int i = 0; i < recovery->iterations; i++) {
        const CaromSoftIteration *step = &recovery->history[i];
        json_t *object = json_object();
        put_number(w, object, "displacement_norm", step->displacement_norm);
        put_number(w, object, "step", step->step);
        put_number(w, object, "residual", step->residual);
        if (recovery->method == CAROM_SOFT_FIXED_POINT) {
            put_number(w, object, "contraction", step->contraction);
        } else if (recovery->method == CAROM_SOFT_NEWTON) {
            put_count(w, object, "krylov_steps", step->krylov);
        }
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_contraction(CaromWriter *w, const CaromSoftContraction *contraction) {
    json_t *object = json_object();
    put_number(w, object, "lowest", contraction->lowest);
    put_number(w, object, "highest", contraction->highest);
    put_number(w, object, "imaginary", contraction->imaginary);
    put_number(w, object, "rate", contraction->rate);
    put_number(w, object, "best_damping", contraction->best_damping);
    put_number(w, object, "best_rate", contraction->best_rate);
    return object;
}

static void write_recovery(CaromWriter *w, const CaromSoftSolution *solution, json_t *object) {
    const CaromSoftRecovery *r = &solution->recovery;
    const CaromSoftShape *main = solution->flip ? &solution->flipped : &solution->recovered;
    carom_write_put(w, object, "method", json_string(carom_soft_method_text(r->method)));
    put_count(w, object, "iterations", r->iterations);
    put_number(w, object, "height", main->nodes ? main->height : NAN);
    put_number(w, object, "volume", main->nodes ? main->volume : NAN);
    put_number(w, object, "displacement_norm", r->displacement_norm);
    carom_write_put(w, object, "largest_displacement",
                    write_largest(w, solution->largest, r->displacements[solution->largest]));
    put_number(w, object, "residual", r->residual);
    put_number(w, object, "forward_error", r->forward_error);
    put_count(w, object, "factorizations", r->factorizations);
    put_count(w, object, "krylov_steps", r->krylov);
    if (r->method != CAROM_SOFT_NEWTON) {
        carom_write_put(w, object, "contraction", write_contraction(w, &r->contraction));
    }
    if (solution->recovered.nodes) {
        carom_write_put(w, object, "recovered", write_shape(w, &solution->recovered));
    }
    if (solution->flipped.nodes) {
        carom_write_put(w, object, "flipped", write_shape(w, &solution->flipped));
    }
    if (solution->flip) {
        carom_write_put(w, object, "flipped_without_recovery",
                        write_shape(w, &solution->flipped_observed));
    }
    carom_write_put(w, object, "history", write_history(w, r));
}

json_t *carom_soft_write(const CaromSoftSolution *solution) {
#define TASK_NAME(code, text) text,
    static const char *const tasks[] = {CAROM_SOFT_TASK_LIST(TASK_NAME)};
#undef TASK_NAME
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    carom_write_put(w, object, "kind", json_string("soft"));
    carom_write_put(w, object, "task", json_string(tasks[solution->scene->task]));
    if (solution->pickup) {
        carom_pickup_write(w, solution->scene->pickup, solution->pickup, object);
        return carom_write_finish(w, object);
    }
    carom_write_put(w, object, "outcome", json_string(carom_soft_outcome_text(solution->outcome)));
    carom_write_put(w, object, "mesh", write_mesh(w, solution));
    carom_write_put(w, object, "given", write_shape(w, &solution->given));
    if (solution->scene->task == CAROM_SOFT_DEFORM) {
        write_deformation(w, solution, object);
    } else {
        write_recovery(w, solution, object);
    }
    carom_write_put(w, object, "supports", write_supports(w, solution));
    return carom_write_finish(w, object);
}
