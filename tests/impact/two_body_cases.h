// SPDX-License-Identifier: Apache-2.0
// The two-body instances of the thesis with their converged outcomes, and how to set them up.
#pragma once
#include "base/vec.h"
#include "carom/carom.h"

#include <math.h>

typedef struct TwoBodyCase {
    const char *name;
    const char *label;
    CaromMat3 w;
    CaromVec3 velocity;
    double friction, restitution;
    CaromVec3 impulse;
    double compression_end; ///< normal impulse, NAN where no figure is given
    double slip_end;        ///< likewise; NAN if sliding never ends
    bool sticks;            ///< at the end
} TwoBodyCase;

#define W_ICO                                                                                      \
    {                                                                                              \
        {                                                                                          \
            {11.598434685, -0.910367734, 2.442355261}, {-0.910367734, 9.901333242, 1.957469134}, { \
                2.442355261, 1.957469134, 2.590426018                                              \
            }                                                                                      \
        }                                                                                          \
    }
#define W_PIN                                                                                      \
    {                                                                                              \
        {                                                                                          \
            {1.55465, 0.002386755, -0.360808}, {0.002386755, 5.15191, -0.00313296}, {              \
                -0.360808, -0.00313296, 1.105                                                      \
            }                                                                                      \
        }                                                                                          \
    }
#define VX (-0.261975789)
#define VY 0.386328411

// Outcomes: independent prototypes (closed forms and high-order integration) that agree to 1e-12.
static const TwoBodyCase two_body_cases[] = {
    {"Fig 2.5a",
     "2.6.2-2",
     W_ICO,
     {VX, VY, -0.077174762},
     0.8,
     0.95,
     {-0.003383097676, -0.059338171126, 0.101211676281},
     0.043964011,
     0.071455479,
     true},
    {"Fig 2.5b",
     "2.6.3-1",
     W_ICO,
     {VX, VY, -0.827174762},
     0.4,
     0.95,
     {-0.212450518098, -0.260051050234, 1.019232214648},
     0.530419182,
     0.353500330,
     true},
    {"Fig 2.5c",
     "2.6.3-4",
     W_ICO,
     {VX, VY, -0.827174762},
     0.25,
     0.95,
     {-0.116080857086, -0.160133639060, 0.836105605853},
     0.426537427,
     NAN,
     false},
    {"Fig 2.5d",
     "2.6.2-1",
     W_ICO,
     {VX, VY, -0.527174762},
     3,
     0.95,
     {-0.132831308597, -0.183613503250, 0.669622172953},
     0.343647186,
     0.014838365,
     true},
    {"Fig 2.8",
     "2.6.2-1",
     W_ICO,
     {-0.861975789, -0.463671589, -1.527174762},
     0.25,
     0.95,
     {-0.181280543833, -0.188533227153, 1.377996508177},
     0.698099357,
     NAN,
     false},
    {"Fig 2.12a",
     "2.6.3-2a",
     W_ICO,
     {VX, VY, -0.827174762},
     0.35,
     0.95,
     {-0.206733845324, -0.254562821370, 0.994130154237},
     0.508687090,
     0.837687463,
     true},
    {"Fig 2.12b",
     "2.6.3-2b",
     W_ICO,
     {VX, VY, -2.027174762},
     0.25,
     0.95,
     {-0.352130095133, -0.379825836566, 2.125967680269},
     1.089270924,
     NAN,
     false},
    {"Fig 2.12c",
     "2.6.3-3",
     W_ICO,
     {VX, VY, -0.127174762},
     0.55,
     0.95,
     {-0.014350076488, -0.069866898595, 0.149367968508},
     0.067824704,
     0.137339271,
     true},
    {"pin-ball",
     NULL,
     W_PIN,
     {-0.206913384, 0.117655096, -1.506902980},
     0.7,
     0.7,
     {0.733065399659, -0.021604800068, 2.585017999089},
     1.522494853,
     0.291885251,
     true},
    // 0.5 along the invariant direction at -146.49842865 degrees
    {"resumed slip",
     NULL,
     W_ICO,
     {-0.416935342371590882, -0.275979927316253007, -1.5},
     0.25,
     0.95,
     {-0.235161936822, -0.223380862457, 1.472244353382},
     NAN,
     0.0880607647,
     false},
    {"start at rest",
     NULL,
     W_ICO,
     {0, 0, -1.5},
     0.25,
     0.95,
     {-0.295979686594, -0.274979731395, 1.616009047275},
     NAN,
     NAN,
     false},
};

enum { TWO_BODY_CASES = sizeof two_body_cases / sizeof two_body_cases[0] };

/// A body whose inverse inertia at the origin is W, against a fixed one; normal z.
static inline void two_body_problem(const CaromMat3 *w, CaromVec3 velocity, double friction,
                                    double restitution, CaromBody bodies[2],
                                    CaromContact *contact) {
    bodies[0] = carom_body_fixed();
    bodies[1] = carom_body_fixed();
    bodies[0].velocity = velocity;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            bodies[0].inverse_inertia[i][j] = w->m[i][j];
        }
    }
    *contact = (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}};
    contact->material = carom_material_default();
    contact->material.friction = friction;
    contact->material.restitution = restitution;
}

/// The problem of an instance; it borrows bodies and contact.
static inline CaromImpactProblem case_problem(const TwoBodyCase *c, CaromBody bodies[2],
                                              CaromContact *contact) {
    two_body_problem(&c->w, c->velocity, c->friction, c->restitution, bodies, contact);
    return (CaromImpactProblem){2, bodies, 1, contact};
}
