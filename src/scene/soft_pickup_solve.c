// SPDX-License-Identifier: Apache-2.0
// Kind "soft", task "pickup": the solve, the frames that are kept of it, and sweeps.
#include "base/elementary.h"
#include "base/host.h"
#include "scene/soft_kind.h"

#include <string.h>

enum { MOST_FRAMES = 64 };

/// The memory of a frame.
typedef struct Kept {
    CaromPickupStep step;
    CaromVec3 *displacements;
    CaromPickupContact *contacts;
} Kept;

typedef struct Solution {
    CaromPickupSolution shown; // first, so that a pointer to it is a pointer to the whole
    const CaromHost *host;
    CaromPickup *pickup;
    CaromPickupFrame frames[MOST_FRAMES]; ///< views of what is kept
    Kept kept[MOST_FRAMES];
    int frame_count;
    int stride, passed; ///< every so many steps one is kept; how many passed since
    bool no_memory;
    CaromPickupTrial *trials;
} Solution;

// ---- Frames ----------------------------------------------------------------------------------

static void free_kept(const CaromHost *host, Kept *kept) {
    carom_release(host, kept->displacements);
    carom_release(host, kept->contacts);
    *kept = (Kept){0};
}

/// A copy of an array; NULL, and a note, without memory.
static void *keep(Solution *solution, const void *from, size_t size) {
    void *copy = carom_allocate(solution->host, size > 0 ? size : 1);
    if (!copy) {
        solution->no_memory = true;
        return NULL;
    }
    memcpy(copy, from, size);
    return copy;
}

/// Half as many: every other one goes.
static void thin_out(Solution *solution) {
    for (int i = 0; i < solution->frame_count; i++) {
        if (i % 2 == 1) {
            free_kept(solution->host, &solution->kept[i]);
        } else if (i > 0) {
            solution->kept[i / 2] = solution->kept[i];
            solution->frames[i / 2] = solution->frames[i];
            solution->kept[i] = (Kept){0};
        }
    }
    solution->frame_count = (solution->frame_count + 1) / 2;
    solution->stride *= 2;
}

static void add_frame(Solution *solution, const CaromPickupFrame *frame) {
    if (solution->frame_count == MOST_FRAMES) {
        thin_out(solution);
    }
    int i = solution->frame_count++;
    size_t nodes = (size_t)frame->node_count, contacts = (size_t)frame->contact_count;
    solution->frames[i] = *frame;
    solution->kept[i] = (Kept){
        .step = *frame->step,
        .displacements = keep(solution, frame->displacements, sizeof(CaromVec3) * nodes),
        .contacts = keep(solution, frame->contacts, sizeof(CaromPickupContact) * contacts),
    };
}

static void observe(void *user, const CaromPickupFrame *frame) {
    Solution *solution = user;
    if (solution->passed++ % solution->stride == 0 && !solution->no_memory) {
        add_frame(solution, frame);
    }
}

/// The end belongs to the frames, whatever the stride.
static void close_frames(Solution *solution) {
    const CaromPickupFrame *last = &solution->shown.result.last;
    if ((solution->passed - 1) % solution->stride != 0 && solution->shown.result.step_count > 0) {
        add_frame(solution, last);
    }
    for (int i = 0; i < solution->frame_count; i++) {
        solution->frames[i].step = &solution->kept[i].step;
        solution->frames[i].displacements = solution->kept[i].displacements;
        solution->frames[i].contacts = solution->kept[i].contacts;
    }
    solution->shown.frames = solution->frames;
    solution->shown.frame_count = solution->frame_count;
}

// ---- Sweeps ----------------------------------------------------------------------------------

static CaromStatus try_one(const CaromHost *host, const CaromPickupProblem *problem,
                           const CaromPickupOptions *options, CaromPickupTrial *trial) {
    CaromPickup *pickup = NULL;
    CaromPickupResult result;
    CaromPickupLimits limits = carom_pickup_limits_default();
    limits.host = *host;
    CaromStatus status = carom_pickup_create(problem, &limits, &pickup);
    if (status == CAROM_OK) {
        status = carom_pickup_solve(pickup, options, &result);
    }
    if (status == CAROM_OK) {
        *trial = (CaromPickupTrial){.outcome = result.outcome,
                                    .liftable = result.liftable,
                                    .squeeze_depth = result.squeeze_depth,
                                    .work = result.squeeze_work.fingers};
    }
    carom_pickup_destroy(pickup);
    return status;
}

static CaromStatus sweep(const CaromHost *host, const CaromPickupScene *scene, Solution *solution) {
    const CaromPickupSweep *over = &scene->sweep;
    int columns = 1 + over->step_count, count = over->young_count * columns;
    if (count == 0) {
        return CAROM_OK;
    }
    solution->trials = carom_allocate(host, sizeof *solution->trials * (size_t)count);
    CaromStatus status = solution->trials ? CAROM_OK : CAROM_NO_MEMORY;
    for (int i = 0; i < count && status == CAROM_OK; i++) {
        CaromPickupProblem problem = scene->problem;
        CaromPickupOptions options = scene->options;
        problem.material.young = over->young[i / columns];
        if (i % columns > 0) {
            options.fixed_steps = true;
            options.step = over->steps[i % columns - 1];
        }
        carom_progress(host, (double)i / count);
        status = try_one(host, &problem, &options, &solution->trials[i]);
    }
    solution->shown.trials = solution->trials;
    return status;
}

// ---- The mesh --------------------------------------------------------------------------------

/// Squeeze on the finer mesh.
static CaromStatus squeeze_again(const CaromHost *host, const CaromPickupScene *scene,
                                 const CaromPickupProblem *problem, CaromPickupRefined *refined) {
    CaromPickup *pickup = NULL;
    CaromPickupResult result;
    CaromPickupOptions options = scene->options;
    CaromPickupLimits limits = carom_pickup_limits_default();
    options.squeeze_only = true;
    limits.host = *host;
    CaromStatus status = carom_pickup_create(problem, &limits, &pickup);
    if (status == CAROM_OK) {
        status = carom_pickup_solve(pickup, &options, &result);
    }
    if (status == CAROM_OK) {
        const CaromPickupStep *grip = result.gripped.step;
        *refined = (CaromPickupRefined){
            .node_count = problem->mesh->node_count,
            .tetrahedron_count = problem->mesh->tetrahedron_count,
            .contact_nodes =
                grip->sticking[1] + grip->sticking[2] + grip->slipping[1] + grip->slipping[2],
            .outcome = result.outcome,
            .squeeze_depth = result.squeeze_depth,
            .work = result.squeeze_work.fingers,
            .mesh_error = NAN,
        };
    }
    carom_pickup_destroy(pickup);
    return status;
}

/// How far the depth is from that of a finer mesh. Without memory that is an error; a finer mesh
/// that is too large or no longer fits between the fingers is none.
static CaromStatus estimate(const CaromHost *host, const CaromPickupScene *scene,
                            CaromPickupSolution *shown) {
    CaromHost silent = *host;
    CaromSoftMesh *mesh = NULL;
    CaromPickupRefined *refined = &shown->refined;
    silent.log = NULL;
    refined->mesh_error = NAN;
    if (!scene->mesh_error || !shown->result.liftable) {
        return CAROM_OK;
    }
    CaromStatus status =
        carom_pickup_finer_mesh_create(&scene->problem, &shown->result, &silent, &mesh);
    if (status == CAROM_OK) {
        CaromPickupProblem finer = carom_pickup_on_mesh(&scene->problem, mesh);
        status = squeeze_again(&silent, scene, &finer, refined);
    }
    if (status == CAROM_OK && refined->outcome == CAROM_PICKUP_GRIPPED) {
        refined->mesh_error =
            fabs(shown->result.squeeze_depth - refined->squeeze_depth) / refined->squeeze_depth;
    }
    carom_soft_mesh_destroy(mesh);
    return status == CAROM_NO_MEMORY ? status : CAROM_OK;
}

// ---- The whole -------------------------------------------------------------------------------

static CaromStatus fill(const CaromHost *host, const CaromPickupScene *scene, int samples,
                        Solution *solution) {
    CaromPickupOptions options = scene->options;
    if (samples > 0) {
        options.observer = observe;
        options.user = solution;
    }
    CaromPickupLimits limits = carom_pickup_limits_default();
    limits.host = *host;
    CaromStatus status = carom_pickup_create(&scene->problem, &limits, &solution->pickup);
    if (status == CAROM_OK) {
        status = carom_pickup_solve(solution->pickup, &options, &solution->shown.result);
    }
    if (status != CAROM_OK) {
        return status;
    }
    solution->shown.solver = solution->pickup;
    if (samples > 0) {
        close_frames(solution);
    }
    status = solution->no_memory ? CAROM_NO_MEMORY : estimate(host, scene, &solution->shown);
    return status == CAROM_OK ? sweep(host, scene, solution) : status;
}

CaromStatus carom_pickup_scene_solve(const CaromHost *host, const CaromPickupScene *scene,
                                     int samples, CaromPickupSolution **solution) {
    Solution *made = carom_allocate(host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->host = host;
    made->stride = 1;
    CaromStatus status = fill(host, scene, samples, made);
    if (status != CAROM_OK) {
        carom_pickup_solution_free(host, &made->shown);
        return status;
    }
    *solution = &made->shown;
    return CAROM_OK;
}

void carom_pickup_solution_free(const CaromHost *host, CaromPickupSolution *solution) {
    Solution *whole = (Solution *)solution;
    if (whole) {
        for (int i = 0; i < whole->frame_count; i++) {
            free_kept(host, &whole->kept[i]);
        }
        carom_pickup_destroy(whole->pickup);
        carom_release(host, whole->trials);
        carom_release(host, whole);
    }
}
