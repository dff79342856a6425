// SPDX-License-Identifier: Apache-2.0
// What the calls that misuse.py writes are made of: good arguments, and what is said of each call.
#pragma once
#include "carom/carom.h"
#include "carom/ensemble.h"
#include "carom/pickup.h"
#include "carom/pile.h"
#include "carom/plot.h"
#include "carom/scene.h"
#include "carom/study.h"

#include <math.h>
#include <string.h>

/// All bad calls of one public function: makes call `bad` (-1: the good one), returns how many.
typedef struct Call {
    const char *function;
    int (*make)(int bad);
} Call;

extern const Call calls[];

typedef enum Expected { REFUSED, MAY_PASS, MUST_PASS } Expected;

/// Which call comes next.
void about(const char *words, Expected expected);
/// What it returned.
void weigh(CaromStatus status);
/// It came back, and has no status.
void answered(void);
/// An output of a call that was refused keeps its bytes.
void untouched(const void *output, size_t size, const char *name);

// ---- Good arguments: set up anew by each call unless they are costly --------------------------

/// Ends the test if a good argument cannot be made.
void must(CaromStatus status);

/// Sets a static up anew and returns it.
#define ANEW(type, ...)                                                                            \
    static type value;                                                                             \
    value = __VA_ARGS__;                                                                           \
    return &value

/// Makes an object at the first call, by an expression that sets `once`, and returns it.
#define ONCE(type, ...)                                                                            \
    static type *once;                                                                             \
    if (once == NULL) {                                                                            \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    return once

/// good_NAME of settings that have a function carom_NAME_default.
#define GOOD_DEFAULT(type, name)                                                                   \
    struct type *good_##name(void) {                                                               \
        ANEW(type, carom_##name##_default());                                                      \
    }

CaromHost *good_host(void);
char *good_text(void);
bool *good_marks(void);
bool *good_lies(void);
int *good_ints(void);
double *good_numbers(void);
CaromVec3 *good_vectors(void);
int (*good_triples(void))[3];
int (*good_quadruples(void))[4];
CaromMat3 *good_matrix(void);
FILE *good_file(void);
char *good_room(void);
const char **good_inputs(void);
const char **good_kept(void);
const void **good_bytes_out(void);
size_t *good_size_out(void);
int put_piece(const char *piece, size_t length, void *user);
bool see_row(void *user, const CaromEnsembleRow *row);

CaromImpact *good_impact(void);
CaromImpact *good_reflected(void);
CaromRecord *good_record(void);
CaromJudge *good_judge(void);
CaromContactSolver *good_contact_solver(void);
CaromWorld *good_world(void);
CaromPile *good_pile(void);
void *good_snapshot(void); // of the pile that was made last
CaromShape *good_shape(void);
CaromMesh *good_mesh(void);
CaromRod *good_rod(void);
CaromBat *good_bat(void);
CaromBilliards *good_billiards(void);
CaromSoftMesh *good_soft_mesh(void);
CaromSoft *good_soft(void);
CaromPickup *good_pickup(void);

char *good_scene_text(void);
const char *good_obj(void);
const char *good_gmsh(void);
const char *good_tetgen_node(void);
const char *good_tetgen_ele(void);
CaromScene *good_scene(void);
CaromScene *good_impact_scene(void);
CaromSolution *good_solution(void);
CaromSolution *good_flight_solution(void);
CaromWorldRun *good_run(void);
CaromBilliardsSolution *good_billiards_solution(void);
CaromJob *good_job(void);
CaromScene *good_ensemble(void);
CaromSolution *good_ensemble_solution(void);
CaromEnsembleScene *good_ensemble_scene(void);
CaromEnsembleWorker *good_ensemble_worker(void);

CaromTwist *good_twists(void);
CaromRackBall *good_rack_balls(void);
CaromTablePart *good_parts(void);
CaromImpactProblem *good_impact_problem(void);
CaromImpactOptions *good_impact_options(void);
CaromImpactLimits *good_impact_limits(void);
CaromContactProblem *good_contact_problem(void);
CaromContactOptions *good_contact_options(void);
CaromContactLimits *good_contact_limits(void);
CaromBody *good_body(void);
CaromMaterial *good_material(void);
CaromWorldDef *good_world_def(void);
CaromBallDef *good_ball_def(void);
CaromWorldColumn *good_world_column(void);
CaromBilliardsColumn *good_billiards_column(void);
CaromPileDef *good_pile_def(void);
CaromPileBodyDef *good_pile_body_def(void);
CaromPlaneDef *good_plane_def(void);
CaromEdgeDef *good_edge_def(void);
CaromHoleDef *good_hole_def(void);
CaromTableDef *good_table_def(void);
CaromBallKind *good_ball_kind(void);
CaromCueDef *good_cue_def(void);
CaromShot *good_shot(void);
CaromBilliardsDef *good_billiards_def(void);
CaromRodProblem *good_rod_problem(void);
CaromRodOptions *good_rod_options(void);
CaromRodLimits *good_rod_limits(void);
CaromBatProblem *good_bat_problem(void);
CaromBatOptions *good_bat_options(void);
CaromBatStrike *good_bat_strike(void);
CaromBatSwing *good_bat_swing(void);
CaromBatCurve *good_bat_curve(void);
CaromSoftProblem *good_soft_problem(void);
CaromSoftLoads *good_soft_loads(void);
CaromSoftOptions *good_soft_options(void);
CaromSoftField *good_soft_field(void);
CaromPickupProblem *good_pickup_problem(void);
CaromPickupResult *good_pickup_result(void);
CaromSoftSpot *good_spots(void);
CaromPickupLimits *good_pickup_limits(void);
CaromPickupOptions *good_pickup_options(void);
CaromFinger *good_fingers(void);
CaromPlotOptions *good_plot_options(void);
CaromMovieOptions *good_movie_options(void);
CaromJobOptions *good_job_options(void);
CaromCell *good_cells(void);
CaromJobRow *good_rows(void);
CaromEnsembleOptions *good_ensemble_options(void);
CaromMoment *good_moment(void);
CaromPrincipal *good_principal(void);
CaromTrajectory *good_trajectory(void);
CaromPose *good_pose(void);
