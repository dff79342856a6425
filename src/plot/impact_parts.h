// SPDX-License-Identifier: Apache-2.0
// What the plots of impacts share: marks of events, energies of springs.
#pragma once
#include "plot/plots.h"

/// The mark of a kind of event and what it means; no words for samples and the end.
typedef struct CaromEventStyle {
    CaromMarkShape shape;
    CaromInk ink;
    const char *words;
} CaromEventStyle;

CaromEventStyle carom_event_style(CaromEventKind kind);

enum { CAROM_MAX_EVENT_MARKS = 40 };

/// Events on their way to a panel. Those at one place share a mark and a label.
typedef struct CaromEventMarks {
    int count;
    struct {
        CaromPoint at;
        CaromMarkShape shape;
        CaromInk ink;
        char label[160];
    } list[CAROM_MAX_EVENT_MARKS];
} CaromEventMarks;

/// A moment that is an event or the start; samples and the end are left out. Places nearer than
/// `near` are one.
void carom_event_marks_add(CaromEventMarks *marks, const CaromImpactMoment *moment, CaromPoint at,
                           double near);
/// Put them on a panel, with their labels in words.
void carom_event_marks_draw(const CaromEventMarks *marks, CaromPanel *panel);

/// What a contact loses in a moment: at the end of its compression, where a record has the energy
/// that is left.
double carom_energy_lost(const CaromImpactSolution *impact, const CaromImpactMoment *moment,
                         int contact);

/// The strain energy of a contact over its own normal impulse, with the drop at the end of each
/// compression.
void carom_add_strain_energy(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                             CaromLook look);

/// The plane of the impulses P = (P_1, P_2) of two contacts: normal velocities u = u0 + W P,
/// theory.md (3.1).
typedef struct CaromImpulsePlane {
    double w[2][2], u0[2];
    bool bounded; ///< W is positive definite: there is an ellipse
} CaromImpulsePlane;

/// Of rigid models: the orders of impacts in that plane, their outcomes and the result, listed
/// beside it.
void carom_add_orders(CaromPanel *panel, CaromPanel *list, const CaromImpactSolution *impact,
                      const CaromImpulsePlane *plane);

/// What a contact is called: its number from 1 and its bodies.
const char *carom_contact_name(CaromFigure *figure, const CaromImpactScene *scene, int contact);

/// The invariant directions from the origin, with arrows, and what they mean in the legend.
void carom_add_directions(CaromPanel *panel, const CaromTwoBodyTheory *theory);
