// SPDX-License-Identifier: Apache-2.0
// What jansson's own build would find out about wasi-libc, for itself. The seed of its tables comes
// from time() alone: members of objects keep their order whatever the seed.
#define HAVE_INT32_T            1
#define HAVE_SSIZE_T            1
#define HAVE_STDINT_H           1
#define HAVE_SYS_TYPES_H        1
#define HAVE_UINT16_T           1
#define HAVE_UINT32_T           1
#define HAVE_UINT8_T            1
#define HAVE_UNISTD_H           1
#define INITIAL_HASHTABLE_ORDER 3
