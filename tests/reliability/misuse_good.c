// SPDX-License-Identifier: Apache-2.0
// Good arguments of the misuse test. What goes in is set up anew by each call, so that a call may
// spoil it; objects that are costly to make are made once.
#include "misuse_calls.h"

#include <stdlib.h>

void must(CaromStatus status) {
    if (status != CAROM_OK) {
        printf("misuse: a good argument could not be made: %s\n", carom_status_text(status));
        exit(2);
    }
}

static CaromVec3 vec(double x, double y, double z) {
    return (CaromVec3){x, y, z};
}

// ---- Plain values ------------------------------------------------------------------------------

enum { ROOM = 4096 };

char *good_text(void) {
    static char text[64];
    (void)snprintf(text, sizeof text, "1,2,3,4");
    return text;
}

char *good_room(void) {
    static char room[64] = "";
    return room;
}

bool *good_marks(void) {
    static bool marks[ROOM];
    memset(marks, 1, sizeof marks);
    return marks;
}

bool *good_lies(void) {
    static bool marks[ROOM];
    (void)carom_soft_select_face(good_soft_mesh(), vec(0, 0, 1), 0, marks);
    return marks;
}

int *good_ints(void) {
    static int values[ROOM] = {0};
    return values;
}

double *good_numbers(void) {
    static double values[ROOM] = {0};
    return values;
}

CaromVec3 *good_vectors(void) {
    static CaromVec3 vectors[ROOM];
    static const CaromVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(vectors, 0, sizeof vectors);
    memcpy(vectors, corners, sizeof corners);
    return vectors;
}

int (*good_triples(void))[3] {
    static int triples[ROOM][3];
    return triples;
}

int (*good_quadruples(void))[4] {
    static int quadruple[1][4];
    memcpy(quadruple[0], (int[4]){0, 1, 2, 3}, sizeof quadruple[0]);
    return quadruple;
}

CaromMat3 *good_matrix(void) {
    ANEW(CaromMat3, (CaromMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
}

FILE *good_file(void) {
    ONCE(FILE, once = tmpfile());
}

const char **good_inputs(void) {
    static const char *inputs[1];
    inputs[0] = "contacts.0.restitution";
    return inputs;
}

const char **good_kept(void) {
    static const char *kept[1];
    kept[0] = "energy.after";
    return kept;
}

const void **good_bytes_out(void) {
    static const void *bytes;
    return &bytes;
}

size_t *good_size_out(void) {
    static size_t size;
    return &size;
}

int put_piece(const char *piece, size_t length, void *user) {
    (void)user;
    return piece == NULL || length == 0;
}

// cppcheck-suppress constParameter ; the type of a callback
bool see_row(void *user, const CaromEnsembleRow *row) {
    return user == NULL && row != NULL;
}

CaromHost *good_host(void) {
    ANEW(CaromHost, (CaromHost){0});
}

// ---- Impacts and contacts ------------------------------------------------------------------

static CaromBody falling_ball(void) {
    CaromBody ball = carom_body_ball(1, 0.5);
    ball.position = vec(0, 0, 0.5);
    ball.velocity = vec(0.3, 0, -1);
    return ball;
}

static CaromContact floor_contact(void) {
    CaromMaterial material = carom_material_default();
    material.friction = 0.3;
    material.restitution = 0.8;
    return (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}, .material = material};
}

CaromImpactProblem *good_impact_problem(void) {
    static CaromBody bodies[2];
    static CaromContact contacts[1];
    bodies[0] = falling_ball();
    bodies[1] = carom_body_fixed();
    contacts[0] = floor_contact();
    ANEW(CaromImpactProblem, (CaromImpactProblem){2, bodies, 1, contacts});
}

CaromImpactOptions *good_impact_options(void) {
    static CaromBody bodies[3]; // as many as a strike has
    static CaromContact contacts[2];
    static CaromDerivativeColumn columns[1];
    memset(bodies, 0, sizeof bodies);
    memset(contacts, 0, sizeof contacts);
    columns[0] = (CaromDerivativeColumn){
        .parameter = CAROM_BY_DIRECTION, .bodies = bodies, .contacts = contacts};
    CaromImpactOptions options = carom_impact_options_default();
    options.derivative_count = 1;
    options.derivatives = columns;
    ANEW(CaromImpactOptions, options);
}

GOOD_DEFAULT(CaromImpactLimits, impact_limits)

CaromImpact *good_impact(void) {
    static CaromImpact *impact;
    if (impact == NULL) {
        CaromImpactLimits limits = carom_impact_limits_default();
        limits.derivatives = 1;
        must(carom_impact_create(&limits, &impact));
    }
    return impact;
}

CaromImpact *good_reflected(void) {
    CaromImpactProblem problem = *good_impact_problem();
    ((CaromContact *)problem.contacts)[0].material.friction = 0;
    CaromImpactOptions options = carom_impact_options_default();
    options.model = CAROM_MODEL_REFLECT;
    CaromImpactResult result;
    must(carom_impact_solve(good_impact(), &problem, &options, &result));
    return good_impact();
}

CaromRecord *good_record(void) {
    static CaromRecord *record;
    if (record == NULL) {
        CaromImpactOptions options = carom_impact_options_default();
        CaromImpactResult result;
        must(carom_record_create(NULL, &record));
        carom_record_attach(record, &options);
        must(carom_impact_solve(good_impact(), good_impact_problem(), &options, &result));
    }
    return record;
}

CaromJudge *good_judge(void) {
    static CaromJudge *judge;
    if (judge == NULL) {
        CaromImpactOptions options = carom_impact_options_default();
        CaromImpactResult result;
        must(carom_judge_create(good_impact_problem(), NULL, &judge));
        carom_judge_attach(judge, &options);
        must(carom_impact_solve(good_impact(), good_impact_problem(), &options, &result));
    }
    return judge;
}

CaromContactProblem *good_contact_problem(void) {
    static CaromContactTerm terms[1];
    static CaromVec3 guess[1];
    const CaromImpactProblem *impact = good_impact_problem();
    terms[0] = (CaromContactTerm){0};
    guess[0] = vec(0, 0, 1);
    ANEW(CaromContactProblem,
         (CaromContactProblem){2, impact->bodies, 1, impact->contacts, terms, guess});
}

GOOD_DEFAULT(CaromContactOptions, contact_options)

GOOD_DEFAULT(CaromContactLimits, contact_limits)

CaromContactSolver *good_contact_solver(void) {
    ONCE(CaromContactSolver, must(carom_contact_create(NULL, &once)));
}

CaromBody *good_body(void) {
    ANEW(CaromBody, falling_ball());
}

CaromMaterial *good_material(void) {
    ANEW(CaromMaterial, floor_contact().material);
}

CaromTwist *good_twists(void) {
    static CaromTwist twists[ROOM];
    return twists;
}

// ---- Worlds and tables ---------------------------------------------------------------------

GOOD_DEFAULT(CaromWorldDef, world_def)

CaromBallDef *good_ball_def(void) {
    static CaromBallDef def;
    def = carom_ball_def_default();
    def.position = vec(0, 0, 10);
    return &def;
}

CaromWorldColumn *good_world_column(void) {
    ANEW(CaromWorldColumn, (CaromWorldColumn){.parameter = CAROM_WORLD_BY_VELOCITY});
}

CaromPlaneDef *good_plane_def(void) {
    ANEW(CaromPlaneDef, (CaromPlaneDef){.point = {0, 0, -5}, .normal = {0, 0, 1}});
}

CaromEdgeDef *good_edge_def(void) {
    ANEW(CaromEdgeDef, (CaromEdgeDef){{-9, 0, 0}, {-9, 1, 0}, {1, 0, 0}});
}

CaromHoleDef *good_hole_def(void) {
    ANEW(CaromHoleDef, (CaromHoleDef){{50, 0, 0}, {0, 0, 1}, 0.5});
}

/// Two balls above a plane, one of them falls.
CaromWorld *good_world(void) {
    static CaromWorld *world;
    carom_world_destroy(world);
    CaromWorldDef def = carom_world_def_default();
    def.derivatives = 1;
    must(carom_world_create(&def, &world));
    CaromBallDef ball = carom_ball_def_default();
    must(carom_world_add_ball(world, &ball, NULL));
    ball.position = vec(4, 0, 2);
    must(carom_world_add_ball(world, &ball, NULL));
    CaromPlaneDef plane = {.point = {0, 0, -5}, .normal = {0, 0, 1}};
    must(carom_world_add_plane(world, &plane, NULL));
    must(carom_world_differentiate(world, 1, good_world_column()));
    return world;
}

CaromTableDef *good_table_def(void) {
    ANEW(CaromTableDef, carom_table_def_default(CAROM_BALLS_POOL));
}

CaromBallKind *good_ball_kind(void) {
    ANEW(CaromBallKind, carom_ball_kind_default(CAROM_BALLS_POOL));
}

CaromShot *good_shot(void) {
    ANEW(CaromShot, (CaromShot){.speed = 2, .aim = 0.1});
}

CaromCueDef *good_cue_def(void) {
    ANEW(CaromCueDef, carom_shot_cue(good_shot()));
}

CaromBilliardsDef *good_billiards_def(void) {
    static CaromBilliardsDef def;
    static CaromBallStart balls[2];
    memset(balls, 0, sizeof balls);
    balls[0].position = vec(0.5, 0.5, 0.028575);
    balls[1].position = vec(1.5, 0.5, 0.028575);
    def = carom_billiards_def_default(CAROM_BALLS_POOL);
    def.ball_count = 2;
    def.balls = balls;
    def.derivatives = 1;
    def.struck = 0;
    def.cue = *good_cue_def();
    return &def;
}

CaromBilliards *good_billiards(void) {
    ONCE(CaromBilliards, must(carom_billiards_create(good_billiards_def(), &once)));
}

CaromBilliardsColumn *good_billiards_column(void) {
    ANEW(CaromBilliardsColumn, (CaromBilliardsColumn){.parameter = CAROM_BILLIARDS_BY_CLOTH});
}

CaromRackBall *good_rack_balls(void) {
    static CaromRackBall balls[CAROM_RACK_MOST];
    return balls;
}

CaromTablePart *good_parts(void) {
    static CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    return parts;
}

// ---- Shapes --------------------------------------------------------------------------------

CaromShape *good_shape(void) {
    ONCE(CaromShape, must(carom_shape_box(vec(1, 2, 3), NULL, &once)));
}

const char *good_obj(void) {
    return "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
}

CaromMesh *good_mesh(void) {
    ONCE(CaromMesh, must(carom_mesh_parse(good_obj(), strlen(good_obj()), NULL, &once)));
}

CaromPose *good_pose(void) {
    ANEW(CaromPose, (CaromPose){{0.1, 0.2, 9}, {1, 0, 0, 0}});
}

CaromMoment *good_moment(void) {
    ANEW(CaromMoment, (CaromMoment){*good_pose(), {0, 0, -1}, {0, 1, 0.1}});
}

CaromPrincipal *good_principal(void) {
    ANEW(CaromPrincipal, (CaromPrincipal){{1, 2, 2.5}, {1, 0, 0, 0}});
}

CaromTrajectory *good_trajectory(void) {
    ANEW(CaromTrajectory, carom_trajectory_free(good_moment(), good_principal(), vec(0, 0, -9.8)));
}

GOOD_DEFAULT(CaromPileDef, pile_def)

CaromPileBodyDef *good_pile_body_def(void) {
    static CaromPileBodyDef def;
    def = carom_pile_body_def_default();
    def.shape = good_shape();
    def.motion.pose.position = vec(9, 9, 9);
    return &def;
}

static CaromPile *latest_pile;

/// Two boxes high above a plane.
CaromPile *good_pile(void) {
    carom_pile_destroy(latest_pile);
    latest_pile = NULL;
    must(carom_pile_create(NULL, &latest_pile));
    CaromPile *pile = latest_pile;
    CaromPileBodyDef box = carom_pile_body_def_default();
    box.shape = good_shape();
    must(carom_pile_add_body(pile, &box, NULL));
    box.motion.pose.position = vec(0, 0, 5);
    must(carom_pile_add_body(pile, &box, NULL));
    must(carom_pile_add_plane(pile, vec(0, 0, -5), vec(0, 0, 1), NULL));
    return pile;
}

void *good_snapshot(void) {
    static void *memory;
    free(memory);
    memory = calloc(1, carom_pile_snapshot_size(latest_pile));
    carom_pile_snapshot(latest_pile, memory);
    return memory;
}

// ---- Rods and bats -------------------------------------------------------------------------

CaromRodProblem *good_rod_problem(void) {
    ANEW(CaromRodProblem,
         (CaromRodProblem){
             .length = 1, .wave_speed = 100, .gravity = 9.8, .damping = 1, .impact_speed = 2});
}

GOOD_DEFAULT(CaromRodOptions, rod_options)

GOOD_DEFAULT(CaromRodLimits, rod_limits)

CaromRod *good_rod(void) {
    ONCE(CaromRod, must(carom_rod_create(NULL, &once)));
}

CaromBatProblem *good_bat_problem(void) {
    static CaromBatProblem problem;
    problem = carom_bat_problem_default();
    problem.object = carom_body_ball(0.1, 0.05);
    problem.object.velocity = vec(-1, 0, 0);
    problem.object.position = vec(0.05, 0, 0);
    problem.bat = carom_body_point(1);
    problem.bat.position = vec(-0.1, 0, 0);
    problem.normal = vec(1, 0, 0);
    problem.material.friction = 0.5;
    problem.material.restitution = 0.9;
    problem.target = vec(5, 0.2, 0.5);
    return &problem;
}

GOOD_DEFAULT(CaromBatOptions, bat_options)

CaromBat *good_bat(void) {
    ONCE(CaromBat, must(carom_bat_create(NULL, &once)));
}

static CaromBatResult *good_plan(void) {
    static CaromBatResult result;
    static bool made;
    if (!made) {
        must(carom_bat_solve(good_bat(), good_bat_problem(), NULL, &result));
        made = true;
    }
    return &result;
}

CaromBatStrike *good_bat_strike(void) {
    ANEW(CaromBatStrike, good_plan()->strike);
}

CaromBatSwing *good_bat_swing(void) {
    ANEW(CaromBatSwing, good_plan()->least_energy);
}

CaromBatCurve *good_bat_curve(void) {
    ANEW(CaromBatCurve, good_plan()->curve);
}
