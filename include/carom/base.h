// SPDX-License-Identifier: Apache-2.0
// What every part of Carom shares: status codes, the host's log and memory, vectors and rotations.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 2
#define CAROM_VERSION_PATCH 0
#define CAROM_VERSION       "0.2.0"

#if defined(CAROM_SHARED) && defined(_WIN32)
#define CAROM_API __declspec(dllexport)
#elif defined(CAROM_SHARED)
#define CAROM_API __attribute__((visibility("default")))
#else
#define CAROM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_STATUS_LIST(X)                                                                       \
    X(CAROM_OK, "success")                                                                         \
    X(CAROM_BAD_ARGUMENT, "bad argument")                                                          \
    X(CAROM_BAD_DATA, "bad data")                                                                  \
    X(CAROM_OVER_LIMIT, "over a limit")                                                            \
    X(CAROM_UNSUPPORTED, "not supported")                                                          \
    X(CAROM_IO_ERROR, "cannot read or write")                                                      \
    X(CAROM_NO_MEMORY, "out of memory")

/// Status of a call. If it is not CAROM_OK, the call has changed neither outputs nor objects.
typedef enum CaromStatus {
#define CAROM_STATUS_ENTRY(code, text) code,
    CAROM_STATUS_LIST(CAROM_STATUS_ENTRY)
#undef CAROM_STATUS_ENTRY
} CaromStatus;

CAROM_API const char *carom_status_text(CaromStatus status);

/// The version of the library that is linked, such as "0.2.0".
CAROM_API const char *carom_version(void);

/// Receives one message without a newline; `message` lives for the call only.
typedef void CaromLogFn(void *user, const char *message);
/// Allocate as malloc does, or return NULL.
typedef void *CaromAllocateFn(void *user, size_t size);
/// Free what the allocate function returned; NULL is fine.
typedef void CaromReleaseFn(void *user, void *memory);

/// Told now and then during a long solve which share of it is done; below 0 if that is not known.
typedef void CaromProgressFn(void *user, double share);

/// What the surrounding program provides. All zero is fine: silent, malloc and free.
typedef struct CaromHost {
    CaromLogFn *log;           ///< explains a status that is not CAROM_OK
    CaromAllocateFn *allocate; ///< set both memory functions or neither
    CaromReleaseFn *release;
    CaromProgressFn *progress;
    void *user; ///< handed to all of them
} CaromHost;

typedef struct CaromVec3 {
    double x, y, z;
} CaromVec3;

/// Row-major: m[row][column].
typedef struct CaromMat3 {
    double m[3][3];
} CaromMat3;

/// Unit quaternion, body to world; {1, 0, 0, 0} is no rotation.
typedef struct CaromQuat {
    double w, x, y, z;
} CaromQuat;

/// A rotation by `angle` [rad] about `axis` (any length; of length zero: no rotation).
CAROM_API CaromQuat carom_quat_about(CaromVec3 axis, double angle);
CAROM_API CaromMat3 carom_mat3_from_quat(CaromQuat rotation);
/// `rotation` must be orthonormal with determinant 1.
CAROM_API CaromQuat carom_quat_from_mat3(const CaromMat3 *rotation);

#ifdef __cplusplus
}
#endif
