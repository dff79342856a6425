// SPDX-License-Identifier: Apache-2.0
// Chunks by a shared counter: a number in the memory of rank 0 that every rank adds one to. Results
// go to rank 0 as messages; it writes them as they come.
#define _POSIX_C_SOURCE 200809L
#include "cluster.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK_TAG = 1, DONE_TAG = 2 };

// MPI itself is one per process; so is what goes with it.
static struct {
    int rank, size;
    bool announced; ///< rank 0 has told the others what there is to do
} cluster;

void cli_cluster_start(int *argc, char ***argv) {
    (void)MPI_Init(argc, argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &cluster.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &cluster.size);
    if (cluster.rank > 0) { // rank 0 says all there is to say
        bool silent = freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr);
        (void)silent;
    }
}

bool cli_cluster_is_worker(void) {
    return cluster.rank > 0;
}

// ---- What there is to do -----------------------------------------------------------------------

/// The counter, and which chunks were done before.
typedef struct Work {
    int64_t chunks; ///< 0: nothing to do
    unsigned char *done;
    int64_t *counter; ///< in the memory of rank 0
    MPI_Win window;
} Work;

/// All ranks together; only rank 0 knows `chunks` and which are done.
static void share_work(Work *work, int64_t chunks) {
    work->chunks = chunks;
    (void)MPI_Bcast(&work->chunks, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (work->chunks == 0) {
        return;
    }
    size_t bytes = (size_t)(work->chunks / 8 + 1);
    if (!work->done) {
        work->done = calloc(bytes, 1);
    }
    if (!work->done) {
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const size_t piece = 1 << 30; // MPI counts in ints
    for (size_t at = 0; at < bytes; at += piece) {
        int size = (int)(bytes - at < piece ? bytes - at : piece);
        (void)MPI_Bcast(work->done + at, size, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Aint size = cluster.rank == 0 ? sizeof *work->counter : 0;
    (void)MPI_Win_allocate(size, sizeof *work->counter, MPI_INFO_NULL, MPI_COMM_WORLD,
                           &work->counter, &work->window);
    if (cluster.rank == 0) {
        *work->counter = 0;
    }
    (void)MPI_Barrier(MPI_COMM_WORLD);
    (void)MPI_Win_lock_all(0, work->window);
}

static void end_work(Work *work) {
    if (work->chunks > 0) {
        (void)MPI_Win_unlock_all(work->window);
        (void)MPI_Win_free(&work->window);
    }
    free(work->done);
}

void cli_cluster_end(void) {
    if (cluster.rank == 0 && !cluster.announced && cluster.size > 1) {
        Work nothing = {0};
        share_work(&nothing, 0);
    }
    (void)MPI_Finalize();
}

// ---- Ranks that compute ------------------------------------------------------------------------

#ifdef CAROM_ENSEMBLE

static int64_t take_chunk(const Work *work) {
    for (;;) {
        int64_t one = 1, chunk = 0;
        (void)MPI_Fetch_and_op(&one, &chunk, MPI_INT64_T, 0, 0, MPI_SUM, work->window);
        (void)MPI_Win_flush(0, work->window);
        if (chunk >= work->chunks) {
            return -1;
        }
        if (!(work->done[chunk / 8] >> (chunk % 8) & 1)) {
            return chunk;
        }
    }
}

/// A message on its way; its bytes stay until it has arrived.
typedef struct Parcel {
    unsigned char *bytes; ///< number of the chunk, then what the worker made
    size_t room;
    MPI_Request request;
} Parcel;

static bool send(Parcel *parcel, int64_t chunk, size_t size, const void *bytes) {
    (void)MPI_Wait(&parcel->request, MPI_STATUS_IGNORE);
    size_t whole = sizeof chunk + size;
    if (whole > parcel->room) {
        free(parcel->bytes);
        parcel->room = 0;
        parcel->bytes = malloc(2 * whole);
        if (!parcel->bytes) {
            return false;
        }
        parcel->room = 2 * whole;
    }
    memcpy(parcel->bytes, &chunk, sizeof chunk);
    memcpy(parcel->bytes + sizeof chunk, bytes, size);
    (void)MPI_Isend(parcel->bytes, (int)whole, MPI_BYTE, 0, CHUNK_TAG, MPI_COMM_WORLD,
                    &parcel->request);
    return true;
}

/// Chunk after chunk; while one is sent, the next is computed.
static CaromStatus compute(const Work *work, CaromEnsembleWorker *worker) {
    Parcel parcels[2] = {{.request = MPI_REQUEST_NULL}, {.request = MPI_REQUEST_NULL}};
    CaromStatus status = CAROM_OK;
    int64_t chunk;
    for (int i = 0; status == CAROM_OK && (chunk = take_chunk(work)) >= 0; i++) {
        size_t size = 0;
        const void *bytes = NULL;
        status = carom_ensemble_worker_run(worker, chunk, &bytes, &size);
        if (status == CAROM_OK && !send(&parcels[i % 2], chunk, size, bytes)) {
            status = CAROM_NO_MEMORY;
        }
    }
    for (int i = 0; i < 2; i++) {
        (void)MPI_Wait(&parcels[i].request, MPI_STATUS_IGNORE);
        free(parcels[i].bytes);
    }
    return status;
}

void cli_cluster_work(const CaromScene *scene) {
    Work work = {0};
    CaromEnsembleWorker *worker = NULL;
    share_work(&work, 0);
    if (work.chunks == 0) {
        return;
    }
    CaromStatus status = CAROM_BAD_DATA;
    if (scene) {
        status = carom_ensemble_worker_create(scene, &worker);
    }
    status = status == CAROM_OK ? compute(&work, worker) : status;
    int code = (int)status;
    (void)MPI_Send(&code, 1, MPI_INT, 0, DONE_TAG, MPI_COMM_WORLD);
    carom_ensemble_worker_destroy(worker);
    end_work(&work);
}

// ---- Rank 0 ----------------------------------------------------------------------------------

/// Nobody gets another chunk.
static void stop(const Work *work) {
    int64_t end = INT64_MAX / 2, before;
    (void)MPI_Fetch_and_op(&end, &before, MPI_INT64_T, 0, 0, MPI_REPLACE, work->window);
    (void)MPI_Win_flush(0, work->window);
}

/// Wait for a message without using the processor up: others compute there.
static MPI_Status await_message(void) {
    MPI_Status status;
    int there = 0;
    long pause = 20000; // [ns], twice as long each time up to a millisecond
    for (;;) {
        (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (there) {
            return status;
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < 500000 ? 2 * pause : 1000000;
    }
}

/// What arrives, and where it is put.
typedef struct Mail {
    unsigned char *bytes;
    size_t room;
} Mail;

/// Into the store, or nowhere (`run` NULL).
static CaromStatus receive_chunk(CaromEnsembleRun *run, const MPI_Status *from, Mail *mail) {
    int size = 0;
    (void)MPI_Get_count(from, MPI_BYTE, &size);
    if ((size_t)size > mail->room) {
        free(mail->bytes);
        mail->room = 2 * (size_t)size;
        mail->bytes = malloc(mail->room);
        if (!mail->bytes) {
            (void)MPI_Abort(MPI_COMM_WORLD, 1); // what is committed is safe
        }
    }
    (void)MPI_Recv(mail->bytes, size, MPI_BYTE, from->MPI_SOURCE, CHUNK_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    int64_t chunk;
    memcpy(&chunk, mail->bytes, sizeof chunk);
    if (!run) {
        return CAROM_OK;
    }
    return carom_ensemble_commit(run, chunk, mail->bytes + sizeof chunk,
                                 (size_t)size - sizeof chunk);
}

static CaromStatus receive_end(const MPI_Status *from) {
    int code = 0;
    (void)MPI_Recv(&code, 1, MPI_INT, from->MPI_SOURCE, DONE_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    if (code != CAROM_OK) {
        cli_error("rank %d gave up: %s", from->MPI_SOURCE, carom_status_text((CaromStatus)code));
    }
    return code == CAROM_OK ? CAROM_OK : CAROM_IO_ERROR;
}

static CaromStatus write_all(CaromEnsembleRun *run, const Work *work) {
    CaromStatus status = CAROM_OK;
    Mail mail = {0};
    bool stopped = false;
    for (int working = cluster.size - 1; working > 0;) {
        MPI_Status from = await_message();
        CaromStatus now = CAROM_OK;
        if (from.MPI_TAG == DONE_TAG) {
            now = receive_end(&from);
            working--;
        } else {
            now = receive_chunk(status == CAROM_OK ? run : NULL, &from, &mail);
        }
        status = status == CAROM_OK ? now : status;
        if (!stopped && (status != CAROM_OK || carom_ensemble_enough(run))) {
            stop(work);
            stopped = true;
        }
    }
    free(mail.bytes);
    return status;
}

static CaromStatus drive(void *user, CaromEnsembleRun *run) {
    const CaromEnsembleScene *scene = user;
    Work work = {0};
    int64_t chunks = carom_ensemble_chunk_count(scene);
    if (carom_ensemble_enough(run)) {
        return CAROM_OK;
    }
    work.done = calloc((size_t)(chunks / 8 + 1), 1);
    if (!work.done) {
        return CAROM_NO_MEMORY;
    }
    for (int64_t i = 0; i < chunks; i++) {
        if (!carom_ensemble_wants(run, i)) {
            work.done[i / 8] |= (unsigned char)(1 << (i % 8));
        }
    }
    cluster.announced = true;
    share_work(&work, chunks);
    CaromStatus status = write_all(run, &work);
    end_work(&work);
    return status;
}

CaromEnsembleDriveFn *cli_cluster_driver(void) {
    return cluster.size > 1 ? drive : NULL;
}

#endif
