// SPDX-License-Identifier: Apache-2.0
// Worlds of bodies with shapes: they fly, hit, slide, roll, stack up and come to rest.
#pragma once
#include "carom/impact.h"
#include "carom/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Settings --------------------------------------------------------------------------------

/// See docs/piles.md for what the thresholds mean and what they change. Zero means default.
typedef struct CaromPileDef {
    int bodies;             ///< at most, default 64
    int planes;             ///< at most, default 16
    int contacts;           ///< points at once, at most, default 16 for each body
    int materials;          ///< of pairs that differ from the default, at most, default 64
    CaromVec3 gravity;      ///< [m/s^2]
    CaromMaterial material; ///< of every pair without one of its own
    double touch;  ///< features so near [m] take part in an impact; 0: 1e-3 of the smaller width,
                   ///< 1e-6 where one is a ball
    double slow;   ///< meetings slower than this [m/s] are plastic and held; 0: 0.01 sqrt(g r)
    double window; ///< length of the windows of held contacts [s]; 0: 0.01 sqrt(r / g)
    CaromImpactOptions impact;
    CaromHost host;
    int springs; ///< impacts of more contacts than this are solved by Poisson's rigid law with
                 ///< friction; 0: 12
} CaromPileDef;

/// Gravity (0, 0, -9.8), defaults elsewhere.
CAROM_API CaromPileDef carom_pile_def_default(void);

// ---- What moves ------------------------------------------------------------------------------

typedef struct CaromPileBodyDef {
    const CaromShape *shape; ///< borrowed: it must outlive the body
    bool fixed;              ///< never moves
    double mass;             ///< [kg]; 0: density times volume
    double density;          ///< [kg/m^3], default 1000
    CaromMat3 inertia;       ///< about the mass centre, axes of the shape; all 0: uniform
    CaromMoment motion;      ///< pose and velocities
} CaromPileBodyDef;

CAROM_API CaromPileBodyDef carom_pile_body_def_default(void);

#define CAROM_PILE_STATE_LIST(X)                                                                   \
    X(CAROM_PILE_FREE, "free")         /* in flight */                                             \
    X(CAROM_PILE_TOUCHING, "touching") /* held by contacts, carried in windows */                  \
    X(CAROM_PILE_ASLEEP, "asleep")     /* at rest until something wakes it */                      \
    X(CAROM_PILE_FIXED, "fixed")

typedef enum CaromPileState {
#define CAROM_PILE_STATE_ENTRY(code, text) code,
    CAROM_PILE_STATE_LIST(CAROM_PILE_STATE_ENTRY)
#undef CAROM_PILE_STATE_ENTRY
} CaromPileState;

CAROM_API const char *carom_pile_state_text(CaromPileState value);

// ---- Events ----------------------------------------------------------------------------------

#define CAROM_PILE_EVENT_LIST(X)                                                                   \
    X(CAROM_PILE_IMPACT, "impact")   /* faster than `slow`: solved by the impact solver */         \
    X(CAROM_PILE_SETTLES, "settles") /* two bodies meet slower than that: held from now on */      \
    X(CAROM_PILE_STOPS, "stops")     /* a body falls asleep */                                     \
    X(CAROM_PILE_WAKES, "wakes")

typedef enum CaromPileEventKind {
#define CAROM_PILE_EVENT_ENTRY(code, text) code,
    CAROM_PILE_EVENT_LIST(CAROM_PILE_EVENT_ENTRY)
#undef CAROM_PILE_EVENT_ENTRY
} CaromPileEventKind;

CAROM_API const char *carom_pile_event_text(CaromPileEventKind value);

/// A plane where a body may stand, in contacts, events and materials.
#define CAROM_PILE_PLANE(i) (-1 - (i))

/// Lives for the call of the listener only.
typedef struct CaromPileEvent {
    double time;
    CaromPileEventKind kind;
    int body_count;                  ///< all that took part
    const int *bodies;               ///< a plane as CAROM_PILE_PLANE(number)
    double approach;                 ///< of the fastest point [m/s]; 0 of stops and wakes
    const CaromImpactResult *impact; ///< NULL if it is none
} CaromPileEvent;

typedef void CaromPileListenFn(void *user, const CaromPileEvent *event);

// ---- The pile --------------------------------------------------------------------------------

typedef struct CaromPile CaromPile;

/// Allocates all that the pile ever needs. `def` may be NULL.
CAROM_API CaromStatus carom_pile_create(const CaromPileDef *def, CaromPile **pile);
CAROM_API void carom_pile_destroy(CaromPile *pile); // NULL is fine

/// At any time. CAROM_BAD_DATA if it overlaps something by more than 1e-6 of its width: the log
/// says with what. The number of a removed body may be used again.
CAROM_API CaromStatus carom_pile_add_body(CaromPile *pile, const CaromPileBodyDef *def,
                                          int *number);
CAROM_API CaromStatus carom_pile_remove_body(CaromPile *pile, int body);
/// A fixed plane; bodies are on the side of its normal (any length but zero).
CAROM_API CaromStatus carom_pile_add_plane(CaromPile *pile, CaromVec3 point, CaromVec3 normal,
                                           int *number);
/// Where `a` touches `b`: bodies, or CAROM_PILE_PLANE(number).
CAROM_API CaromStatus carom_pile_set_material(CaromPile *pile, int a, int b,
                                              const CaromMaterial *material);

/// Move a body somewhere else, or change its velocities. It wakes, and so does what it touched.
CAROM_API CaromStatus carom_pile_set_motion(CaromPile *pile, int body, const CaromMoment *motion);
/// Push a body at a point of the world [N s].
CAROM_API CaromStatus carom_pile_push(CaromPile *pile, int body, CaromVec3 impulse,
                                      CaromVec3 point);

/// A constant force at the mass centre from now on [N]; zero ends it. The body wakes.
CAROM_API CaromStatus carom_pile_set_force(CaromPile *pile, int body, CaromVec3 force);

/// Called at every event, in order. NULL ends it.
CAROM_API void carom_pile_listen(CaromPile *pile, CaromPileListenFn *listener, void *user);

/// All events up to a time, then there; or until `max_events` impacts, meetings and windows have
/// passed (0: no limit), or all bodies are asleep. See carom_pile_time.
CAROM_API CaromStatus carom_pile_advance(CaromPile *pile, double time, long max_events);

/// When something happens next, windows too; infinity if nothing does.
CAROM_API double carom_pile_next_time(CaromPile *pile);
/// Move to a time that is not past that; nothing happens there yet.
CAROM_API CaromStatus carom_pile_move(CaromPile *pile, double time);

CAROM_API double carom_pile_time(const CaromPile *pile);
CAROM_API bool carom_pile_at_rest(const CaromPile *pile);
CAROM_API int carom_pile_body_count(const CaromPile *pile); ///< one above the largest number
CAROM_API bool carom_pile_has_body(const CaromPile *pile, int body);
CAROM_API CaromMoment carom_pile_motion(const CaromPile *pile, int body);
CAROM_API CaromPileState carom_pile_state(const CaromPile *pile, int body);

/// A point that is held now.
typedef struct CaromPileContact {
    int body[2];      ///< the second may be CAROM_PILE_PLANE(number)
    CaromVec3 point;  ///< at the start of its window
    CaromVec3 normal; ///< into the first
    double gap;       ///< [m]
    CaromVec3 force;  ///< on the first, mean over the window [N]
} CaromPileContact;

CAROM_API int carom_pile_contact_count(const CaromPile *pile);
CAROM_API CaromPileContact carom_pile_contact(const CaromPile *pile, int contact);

/// Where the energy is, where it went, and what was neglected.
typedef struct CaromPileReport {
    double kinetic, potential; ///< now; potential from the origin [J]
    double restitution_loss;   ///< since the start, in impacts [J]
    double friction_loss;      ///< in impacts [J]
    double window_loss;        ///< in windows: friction, and meetings slower than `slow` [J]
    double sleep_loss;         ///< of bodies when they fell asleep [J]
    double supplied;           ///< by the caller: pushes, motions set, bodies added and removed [J]
    double unaccounted;        ///< the rest: energy before minus now minus the above [J]
    long events, impacts, windows;
    double overlap;         ///< the deepest at the start or end of a window, in smaller widths
    double window_residual; ///< the largest of the cone problem, relative
    double window_growth;   ///< the largest growth of energy in one window [J]
    int large_impacts;      ///< impacts of more than `springs` contacts, by Poisson's rigid law
    int rigid_impacts;     ///< impacts that did not converge and were solved by Poisson's rigid law
    int hard_impacts;      ///< impacts for which this law failed, too: they were made plastic
    int hard_windows;      ///< windows that did not converge, or had no room for a contact
    double momentum_error; ///< the largest of an impact, relative
    double energy_error;   ///< the largest of an impact, relative
} CaromPileReport;

CAROM_API CaromPileReport carom_pile_report(const CaromPile *pile);

/// Bytes of a snapshot.
CAROM_API size_t carom_pile_snapshot_size(const CaromPile *pile);
/// All of the pile but its listener, into memory of that size. Bodies' shapes are not part of it.
CAROM_API void carom_pile_snapshot(const CaromPile *pile, void *memory);
/// The pile as it was when this snapshot of it was taken, to the bit.
CAROM_API void carom_pile_restore(CaromPile *pile, const void *memory);

#ifdef __cplusplus
}
#endif
