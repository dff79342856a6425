// SPDX-License-Identifier: Apache-2.0
// After the bounce: flights and further contacts of a rod cut into cells, by its modes between the
// events. theory.md section 8.4
#pragma once
#include "rod/reduced.h"

typedef enum CaromRodStage {
    CAROM_STAGE_CONTACT,
    CAROM_STAGE_FLIGHT,
} CaromRodStage;

/// One flight or contact: it starts with the amplitudes s0, p0 and is followed from there.
typedef struct CaromRodCells {
    int count; ///< N
    CaromRodReduced rod;
    bool structural, by_strain;
    CaromRodStage stage;
    double start, height, momentum; ///< of the stage; the last two at its start
    double *strain, *velocity;      ///< averages over the cells
    double *cosines;                ///< cos(pi i/(4 N)), 8 N of them
    double *s0, *p0;                ///< amplitudes of strain and velocity, N + 1 each
    double *s, *p;                  ///< the same on the way
    double *step;                   ///< factors of one step, 4 for each mode
    double *watch_s, *watch_p;      ///< weights in what is watched at the foot
} CaromRodCells;

/// How many doubles of memory `count` cells need.
int carom_rod_cells_doubles(int count);
void carom_rod_cells_init(CaromRodCells *cells, int count, double *memory);

/// Fill the cells of a rod on the ground: `mode` gives displacement and velocity of sin(alpha x)
/// besides the static shape.
typedef void CaromRodModeFn(const CaromRodReduced *rod, double alpha, double t, double *q,
                            double *p);
void carom_rod_cells_fill(CaromRodCells *cells, CaromRodModeFn *mode, double t);

/// Start a stage at time `start` with what is in `strain` and `velocity`.
void carom_rod_cells_begin(CaromRodCells *cells, CaromRodStage stage, double start);
/// How long the stage lasts; infinity when nothing ends it, and -1 when that cannot be told in the
/// steps allowed.
double carom_rod_cells_end(CaromRodCells *cells);
/// The rod a time tau into the stage, and `count` points of it from foot to top.
CaromRodInstant carom_rod_cells_instant(CaromRodCells *cells, double tau, int count,
                                        CaromRodPoint *points);
/// Set `strain` and `velocity` to what they are a time tau into the stage.
void carom_rod_cells_leave(CaromRodCells *cells, double tau);

/// The mass centre of a rod in flight a time tau after it had height h and velocity p.
typedef struct CaromRodCentre {
    double height, velocity;
} CaromRodCentre;
CaromRodCentre carom_rod_centre(double drag, double gravity, double h, double p, double tau);
/// When it is highest; 0 when it is so at the start, infinity when it rises for ever.
double carom_rod_apex(double drag, double gravity, double p);
