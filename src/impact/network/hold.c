// SPDX-License-Identifier: Apache-2.0
// Rigid contacts of a network: forces that keep them shut, and forces that may only push. Both by a
// banded factorisation where contacts have few neighbours and none is redundant, as in chains; else
// by conjugate gradients, which take redundant contacts as they come and need products with W only.
#include "base/elementary.h"
#include "impact/network/band.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

// Contacts are scaled by their mobilities, x_c = y_c/sqrt(W_cc), so that light and heavy bodies
// count alike. A residual r_c, an acceleration or a velocity, has the size r_c^2/W_cc.

/// One vector along another:  sum of a_c b_c over the set.
static double dot(const CaromContactSet *set, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < set->count; i++) {
        sum += a[set->contacts[i]] * b[set->contacts[i]];
    }
    return sum;
}

/// Whether W is flat along a direction, but for rounding: its curvature d.W d, beside what it would
/// be if contacts did not share bodies. Contacts are redundant then; a step down the slope of mere
/// rounding would be without bounds.
static bool is_flat(const CaromNetwork *n, const CaromContactSet *set, const double *direction,
                    double curvature) {
    double size = 0;
    for (int i = 0; i < set->count; i++) {
        int c = set->contacts[i];
        size += n->mobility[c] * direction[c] * direction[c];
    }
    return !(curvature > CAROM_EXACT * size);
}

/// W x on the set, where x is zero outside it.
static void multiply(const CaromNetwork *n, const CaromContactSet *set, const double *x,
                     double *image) {
    for (int i = 0; i < set->count; i++) {
        image[set->contacts[i]] = carom_network_row(n, set->contacts[i], x);
    }
}

static void clear(const CaromContactSet *set, double *x) {
    for (int i = 0; i < set->count; i++) {
        x[set->contacts[i]] = 0;
    }
}

// ---- Forces that hold ------------------------------------------------------------------------

void carom_network_hold(const CaromNetwork *n, double *force) {
    CaromContactSet held = {n->held, n->held_count};
    double *residual = n->residual;
    double *direction = n->direction; // zero but for rigid contacts
    clear(&held, force);
    if (carom_band_factorise(n, &held)) {
        for (int i = 0; i < held.count; i++) {
            residual[i] = -carom_network_row(n, held.contacts[i], force);
        }
        carom_band_solve(n, held.count, residual);
        for (int i = 0; i < held.count; i++) {
            force[held.contacts[i]] = residual[i];
        }
        return;
    }
    double square = 0;
    for (int i = 0; i < held.count; i++) {
        int c = held.contacts[i];
        residual[c] = -carom_network_row(n, c, force);
        direction[c] = residual[c] / n->mobility[c];
        square += residual[c] * direction[c];
    }
    double enough = CAROM_ENOUGH_SQUARE * square;
    for (int k = 0; k < 4 * held.count + 8 && square > enough; k++) {
        multiply(n, &held, direction, n->image);
        double curvature = dot(&held, n->image, direction);
        if (is_flat(n, &held, direction, curvature)) {
            break; // what is left is rounding along redundant contacts
        }
        double length = square / curvature;
        double last = square;
        square = 0;
        for (int i = 0; i < held.count; i++) {
            int c = held.contacts[i];
            force[c] += length * direction[c];
            residual[c] -= length * n->image[c];
            square += residual[c] * residual[c] / n->mobility[c];
        }
        for (int i = 0; i < held.count; i++) {
            int c = held.contacts[i];
            direction[c] = residual[c] / n->mobility[c] + square / last * direction[c];
        }
    }
    clear(&held, direction);
}

// ---- Forces that push ------------------------------------------------------------------------

// Dostal's MPRGP: while the pushing contacts are those found so far, conjugate gradients; a step
// that would make one of them pull ends there and drops it; when the others miss a push by more
// than is left among the pushing ones, they join. [Dostal2009, section 5.8]

typedef struct Push {
    const CaromNetwork *n;
    const CaromContactSet *set;
    double *x;         ///< >= 0
    double *gradient;  ///< W x + b
    double *direction; ///< zero outside the set
    double *image;     ///< W direction
} Push;

/// Downhill part of the gradient among the pushing contacts, and the push that others miss; sizes.
typedef struct Slopes {
    double free, missing;
} Slopes;

static Slopes slopes(const Push *p) {
    Slopes s = {0};
    for (int i = 0; i < p->set->count; i++) {
        int c = p->set->contacts[i];
        double g = p->gradient[c];
        double size = g * g / p->n->mobility[c];
        s.free += p->x[c] > 0 ? size : 0;
        s.missing += p->x[c] > 0 || g > 0 ? 0 : size;
    }
    return s;
}

/// Move by `length` against the direction.
static void move(Push *p, double length) {
    for (int i = 0; i < p->set->count; i++) {
        int c = p->set->contacts[i];
        p->x[c] = fmax(p->x[c] - length * p->direction[c], 0);
        p->gradient[c] -= length * p->image[c];
    }
}

/// Head down the gradient of the pushing contacts, or of those that should join them.
static void head(Push *p, bool join) {
    for (int i = 0; i < p->set->count; i++) {
        int c = p->set->contacts[i];
        double g = p->gradient[c];
        bool heads = join ? p->x[c] == 0 && g < 0 : p->x[c] > 0;
        p->direction[c] = heads ? g / p->n->mobility[c] : 0;
    }
    multiply(p->n, p->set, p->direction, p->image);
}

/// How far a contact may go before it would pull.
static double room_of(const Push *p, int c) {
    return p->direction[c] > 0 ? p->x[c] / p->direction[c] : INFINITY;
}

/// A step of conjugate gradients, cut where a contact would pull. False when there is no way down.
static bool descend(Push *p) {
    double curvature = dot(p->set, p->direction, p->image);
    bool flat = is_flat(p->n, p->set, p->direction, curvature);
    double length = flat ? INFINITY : dot(p->set, p->direction, p->gradient) / curvature;
    double most = INFINITY;
    for (int i = 0; i < p->set->count; i++) {
        most = fmin(most, room_of(p, p->set->contacts[i]));
    }
    if (!(length < most)) {
        if (isinf(most)) {
            return false; // flat: redundant contacts share a push in any way
        }
        move(p, most * (1 + CAROM_ROUNDING)); // so that those who would pull are zero
        head(p, false);
        return true;
    }
    move(p, length);
    double along = 0;
    for (int i = 0; i < p->set->count; i++) {
        int c = p->set->contacts[i];
        along += p->x[c] > 0 ? p->gradient[c] / p->n->mobility[c] * p->image[c] : 0;
    }
    for (int i = 0; i < p->set->count; i++) {
        int c = p->set->contacts[i];
        double down = p->x[c] > 0 ? p->gradient[c] / p->n->mobility[c] : 0;
        p->direction[c] = down - along / curvature * p->direction[c];
    }
    multiply(p->n, p->set, p->direction, p->image);
    return true;
}

/// Let those who miss a push join. False when none of them can.
static bool join(Push *p, const double *b) {
    multiply(p->n, p->set, p->x, p->gradient); // afresh, as rounding gathers in it
    for (int i = 0; i < p->set->count; i++) {
        p->gradient[p->set->contacts[i]] += b[p->set->contacts[i]];
    }
    head(p, true);
    double curvature = dot(p->set, p->direction, p->image);
    if (is_flat(p->n, p->set, p->direction, curvature)) {
        return false;
    }
    move(p, dot(p->set, p->direction, p->gradient) / curvature);
    head(p, false);
    return true;
}

/// Guess who pushes, solve for their pushes, and correct the guess until it is right: those who
/// would pull leave, those who would be approached join. Ends after one or two rounds in a chain;
/// false if it does not end soon or contacts are redundant.
static bool push_by_guesses(const CaromNetwork *n, const CaromContactSet *set, const double *b,
                            double *x) {
    enum { MAX_ROUNDS = 12 };
    int *guess = n->guess;
    CaromContactSet pushing = {guess, set->count};
    double size = 0;
    for (int i = 0; i < set->count; i++) {
        guess[i] = set->contacts[i];
        size = fmax(size, fabs(b[set->contacts[i]]));
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (!carom_band_factorise(n, &pushing)) {
            return false;
        }
        for (int i = 0; i < pushing.count; i++) {
            n->residual[i] = -b[guess[i]];
        }
        carom_band_solve(n, pushing.count, n->residual);
        bool right = true;
        clear(set, x);
        for (int i = 0; i < pushing.count; i++) {
            x[guess[i]] = fmax(n->residual[i], 0);
            right = right && n->residual[i] >= 0;
        }
        pushing.count = 0;
        for (int i = 0; i < set->count; i++) {
            int c = set->contacts[i];
            double parting = b[c] + carom_network_row(n, c, x);
            bool joins = x[c] == 0 && parting < -CAROM_ROUNDING * size;
            right = right && !joins;
            if (x[c] > 0 || joins) {
                guess[pushing.count++] = c;
            }
        }
        if (right) {
            return true;
        }
    }
    return false;
}

void carom_network_push(const CaromNetwork *n, const CaromContactSet *set, const double *b,
                        double *x) {
    Push p = {n, set, x, n->residual, n->direction, n->image};
    double size = 0;
    for (int c = 0; c < n->count; c++) {
        x[c] = 0;
    }
    if (set->count == 0 || push_by_guesses(n, set, b, x)) {
        return;
    }
    for (int i = 0; i < set->count; i++) {
        int c = set->contacts[i];
        x[c] = 0;
        p.gradient[c] = b[c];
        size += b[c] * b[c] / n->mobility[c];
    }
    bool goes_on = true;
    for (int k = 0; goes_on && k < 100 + 20 * set->count; k++) {
        Slopes s = slopes(&p);
        if (s.free + s.missing <= CAROM_ROUNDING * CAROM_ROUNDING * size) {
            break;
        }
        goes_on = s.missing > s.free ? join(&p, b) : descend(&p);
    }
    clear(set, p.direction);
}
