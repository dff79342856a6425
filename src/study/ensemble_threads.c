// SPDX-License-Identifier: Apache-2.0
// Workers as threads: they take chunks by a counter and put them into slots; the caller's thread
// empties the slots into the store.
#define _POSIX_C_SOURCE 200809L
#include "study/ensemble_run.h"

#include "base/host.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = CAROM_JOB_MAX_THREADS };

/// A worker's finished chunk, waiting to be written. A worker has two, so that it need not wait.
typedef struct Slot {
    bool full;
    int64_t chunk;
    size_t size, room;
    unsigned char *bytes;
} Slot;

typedef struct Crew Crew;

typedef struct Hand {
    Crew *crew;
    CaromEnsembleWorker *worker;
    pthread_t thread;
    Slot slots[2];
} Hand;

struct Crew {
    CaromEnsembleRun *run;
    CaromHost host;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    unsigned char *done; ///< a bit for each chunk that was there before
    int64_t next;        ///< chunk to look at
    int64_t chunks;      ///< of the run, as far as workers know
    bool stop;
    int working;
    CaromStatus status;
    int count;
    Hand *hands;
};

// ---- Threads ---------------------------------------------------------------------------------

/// The next chunk to do, or -1. Under the lock.
static int64_t take_chunk(Crew *crew) {
    while (!crew->stop && crew->next < crew->chunks) {
        int64_t chunk = crew->next++;
        if (!(crew->done[chunk / 8] >> (chunk % 8) & 1)) {
            return chunk;
        }
    }
    return -1;
}

static Slot *empty_slot(Hand *hand) {
    return !hand->slots[0].full ? &hand->slots[0] : !hand->slots[1].full ? &hand->slots[1] : NULL;
}

/// Copy a chunk into a slot of one's own; nobody else touches an empty slot.
static CaromStatus fill_slot(const Hand *hand, Slot *slot, int64_t chunk, size_t size,
                             const void *bytes) {
    if (size > slot->room) {
        carom_release(&hand->crew->host, slot->bytes);
        slot->room = 0;
        slot->bytes = carom_allocate(&hand->crew->host, 2 * size);
        if (!slot->bytes) {
            return CAROM_NO_MEMORY;
        }
        slot->room = 2 * size;
    }
    memcpy(slot->bytes, bytes, size);
    slot->size = size;
    slot->chunk = chunk;
    return CAROM_OK;
}

static void *work(void *user) {
    Hand *hand = user;
    Crew *crew = hand->crew;
    (void)pthread_mutex_lock(&crew->lock);
    for (int64_t chunk; (chunk = take_chunk(crew)) >= 0;) {
        size_t size = 0;
        const void *bytes = NULL;
        (void)pthread_mutex_unlock(&crew->lock);
        CaromStatus status = carom_ensemble_worker_run(hand->worker, chunk, &bytes, &size);
        (void)pthread_mutex_lock(&crew->lock);
        Slot *slot;
        while (!(slot = empty_slot(hand)) && !crew->stop) {
            (void)pthread_cond_wait(&crew->emptied, &crew->lock);
        }
        if (slot && status == CAROM_OK) {
            status = fill_slot(hand, slot, chunk, size, bytes);
        }
        if (slot && status == CAROM_OK) {
            slot->full = true;
        }
        if (status != CAROM_OK) {
            crew->status = status;
            crew->stop = true;
        }
        (void)pthread_cond_signal(&crew->filled);
    }
    crew->working--;
    (void)pthread_cond_signal(&crew->filled);
    (void)pthread_mutex_unlock(&crew->lock);
    return NULL;
}

// ---- The writer ------------------------------------------------------------------------------

static Slot *full_slot(Crew *crew) {
    for (int i = 0; i < 2 * crew->count; i++) {
        Slot *slot = &crew->hands[i / 2].slots[i % 2];
        if (slot->full) {
            return slot;
        }
    }
    return NULL;
}

/// Write what comes until everybody is done. Under the lock, but not while it writes: the run
/// belongs to this thread, a full slot to nobody else.
static void write_all(Crew *crew) {
    for (;;) {
        Slot *slot = full_slot(crew);
        if (!slot && crew->working == 0) {
            return;
        }
        if (!slot) {
            (void)pthread_cond_wait(&crew->filled, &crew->lock);
            continue;
        }
        CaromStatus status = CAROM_OK;
        if (!crew->stop) {
            (void)pthread_mutex_unlock(&crew->lock);
            status = carom_ensemble_commit(crew->run, slot->chunk, slot->bytes, slot->size);
            (void)pthread_mutex_lock(&crew->lock);
        }
        crew->chunks = crew->run->chunks;
        slot->full = false;
        crew->status = status == CAROM_OK ? crew->status : status;
        crew->stop = crew->stop || status != CAROM_OK || carom_ensemble_enough(crew->run);
        (void)pthread_cond_broadcast(&crew->emptied);
    }
}

static CaromStatus start(Crew *crew, int threads) {
    for (int i = 0; i < threads; i++) {
        Hand *hand = &crew->hands[i];
        hand->crew = crew;
        CaromStatus status = carom_ensemble_worker_create(crew->run->scene, &hand->worker);
        if (status != CAROM_OK) {
            return i > 0 ? CAROM_OK : status; // fewer do it, too
        }
        if (pthread_create(&hand->thread, NULL, work, hand) != 0) {
            carom_ensemble_worker_destroy(hand->worker);
            return i > 0 ? CAROM_OK : CAROM_NO_MEMORY;
        }
        crew->count++;
        crew->working++;
    }
    return CAROM_OK;
}

/// What is there before anything is done.
static CaromStatus copy_done(Crew *crew) {
    crew->chunks = crew->run->chunks;
    size_t bytes = (size_t)(crew->chunks / 8 + 1);
    crew->done = carom_allocate(&crew->host, bytes);
    if (!crew->done) {
        return CAROM_NO_MEMORY;
    }
    memset(crew->done, 0, bytes);
    for (int64_t i = 0; i < crew->chunks; i++) {
        if (!carom_ensemble_wants(crew->run, i)) {
            crew->done[i / 8] |= (unsigned char)(1 << (i % 8));
        }
    }
    return CAROM_OK;
}

static void finish(Crew *crew) {
    for (int i = 0; i < crew->count; i++) {
        Hand *hand = &crew->hands[i];
        (void)pthread_join(hand->thread, NULL);
        carom_ensemble_worker_destroy(hand->worker);
        carom_release(&crew->host, hand->slots[0].bytes);
        carom_release(&crew->host, hand->slots[1].bytes);
    }
}

static int count_threads(const CaromEnsembleRun *run, int threads) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t left = run->chunks - carom_store_chunks(run->store);
    int64_t wanted = threads > 0 ? threads : processors > 0 ? processors : 1;
    wanted = wanted < left ? wanted : left;
    return (int)(wanted < MOST_THREADS ? wanted : MOST_THREADS);
}

CaromStatus carom_ensemble_threads(CaromEnsembleRun *run, int threads) {
    threads = count_threads(run, threads);
    if (threads == 0) {
        return CAROM_OK;
    }
    Crew crew = {.run = run, .host = *run->host};
    size_t bytes = (size_t)threads * sizeof *crew.hands;
    crew.hands = carom_allocate(run->host, bytes);
    if (!crew.hands) {
        return CAROM_NO_MEMORY;
    }
    memset(crew.hands, 0, bytes);
    (void)pthread_mutex_init(&crew.lock, NULL);
    (void)pthread_cond_init(&crew.filled, NULL);
    (void)pthread_cond_init(&crew.emptied, NULL);
    (void)pthread_mutex_lock(&crew.lock);
    CaromStatus status = copy_done(&crew);
    status = status == CAROM_OK ? start(&crew, threads) : status;
    write_all(&crew);
    (void)pthread_mutex_unlock(&crew.lock);
    finish(&crew);
    (void)pthread_cond_destroy(&crew.filled);
    (void)pthread_cond_destroy(&crew.emptied);
    (void)pthread_mutex_destroy(&crew.lock);
    carom_release(run->host, crew.hands);
    carom_release(run->host, crew.done);
    return status != CAROM_OK ? status : crew.status;
}
