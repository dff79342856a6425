// SPDX-License-Identifier: Apache-2.0
// What the Python package has in C beside the public headers: messages kept until they are asked
// for, and loops over many rows, so that none of them runs in Python.
#pragma once
#include "carom/carom.h"

#include <stdint.h>

/// Messages of the host's log, each with a newline.
typedef struct CaromPyLog {
    size_t used, room;
    char *text; ///< NULL: none yet
} CaromPyLog;

/// Bytes of messages: enough for all faults of a scene, and a bound for a batch in which every row
/// is refused.
enum { CAROM_PY_LOG_MOST = 1 << 20 };

/// A CaromLogFn; `user` is a CaromPyLog. A message that does not fit is lost.
void carom_py_log(void *user, const char *message);
void carom_py_log_release(CaromPyLog *log);

/// One impact of bodies and contacts that lie anywhere. `between` has two bodies for each contact.
/// `all` and `touching` keep the problem as it was solved; twists and contacts are copied out of
/// the solver.
CaromStatus carom_py_solve(CaromImpact *impact, int body_count, CaromBody *const *bodies,
                           int contact_count, CaromContact *const *contacts, const int *between,
                           const CaromImpactOptions *options, CaromBody *all,
                           CaromContact *touching, CaromImpactResult *result, CaromTwist *twists,
                           CaromContactResult *outcomes);

/// Many impacts of one problem with values that change from row to row. An array that is NULL does
/// not change; what comes out may be NULL too.
typedef struct CaromPyBatch {
    CaromImpactLimits limits;
    CaromImpactOptions options;
    CaromImpactProblem problem;
    const double *twists;          ///< [row][body][6]
    const double *positions;       ///< [row][body][3]
    const double *inverse_inertia; ///< [row][body][6][6]
    const double *points;          ///< [row][contact][3]
    const double *normals;         ///< [row][contact][3]
    const double *restitution;     ///< [row][contact]
    const double *friction;        ///< [row][contact]
    const double *stiffness;       ///< [row][contact]
    const double *exponent;        ///< [row][contact]
    const double *stiffness_ratio; ///< [row][contact]; makes a contact compliant
    double *twists_after;          ///< [row][body][6]
    double *impulses;              ///< [row][contact][3], world frame
    double *energy;                ///< [row][6], as CaromLedger has them
    double *checks;                ///< [row][4], as CaromImpactChecks has them
    int8_t *outcomes;              ///< [row], a CaromOutcome; -1: the row was refused
} CaromPyBatch;

/// Rows from `first` to the one before `last`. Returns the first row that was refused, with its
/// message in the log of the limits' host, or -1. With `stop` it ends there; else the row has NAN.
/// CAROM_NO_MEMORY and the like are -2.
int64_t carom_py_batch(const CaromPyBatch *batch, int64_t first, int64_t last, bool stop);

enum { CAROM_PY_BODY_NUMBERS = 13 };

/// Position, rotation (w, x, y, z), velocity and angular velocity of every body:
/// CAROM_PY_BODY_NUMBERS each; NAN where there is no body of that number.
void carom_py_states(const CaromPile *pile, double *states);
/// The states at ascending times; `done` is how many of them were reached.
CaromStatus carom_py_record(CaromPile *pile, int64_t count, const double *times, double *states,
                            int64_t *done);
