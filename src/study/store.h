// SPDX-License-Identifier: Apache-2.0
// Where samples are kept: an SQLite file that any tool opens. A transaction holds whole chunks, so
// that whatever happens to the process the file has complete chunks, and nothing else.
//
//     meta(key, value)                              what the store is of
//     chunk(id, count, hash)                        chunks that are done
//     sample(sample, VARIABLES, outcome, KEPT, failed)
//     fault(sample, message)                        why samples failed
#pragma once
#include "study/ensemble.h"

typedef struct CaromStore CaromStore;

/// Open or make the store; `path` NULL: a temporary one. A file that is no store, or one of another
/// ensemble, is refused with a message and left as it is.
CaromStatus carom_store_open(const CaromHost *host, const CaromEnsembleData *data, const char *path,
                             CaromStore **store);
/// Commits what is open and, if `complete`, leaves a file without companions.
CaromStatus carom_store_close(CaromStore *store, bool complete);
/// After an error: drop what is not committed, close.
void carom_store_abandon(CaromStore *store); // NULL is fine

bool carom_store_has(const CaromStore *store, int64_t chunk);
int64_t carom_store_chunks(const CaromStore *store); ///< that are done
bool carom_store_read_only(const CaromStore *store);
/// A chunk as a worker made it. It is committed with others, some times a second.
CaromStatus carom_store_add(CaromStore *store, int64_t chunk, size_t size, const void *bytes);
CaromStatus carom_store_flush(CaromStore *store);
/// Forget chunks from `chunk` on.
CaromStatus carom_store_cut(CaromStore *store, int64_t chunk);

/// All samples in order; every chunk is compared with its hash. `see` may end it by false.
CaromStatus carom_store_scan(CaromStore *store, CaromEnsembleRowFn *see, void *user);
/// The first samples that failed.
CaromStatus carom_store_faults(CaromStore *store, int room, CaromEnsembleFault *faults, int *count);
