// SPDX-License-Identifier: Apache-2.0
// The store: opening and its checks, transactions of chunks, scans. The only file that knows
// SQLite.
#define _POSIX_C_SOURCE 200809L
#include "study/store.h"

#include "base/host.h"
#include "study/store_text.h"

#include "base/elementary.h"
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    APPLICATION = 0x4361726f, // "Caro" in the file's header
    FORMAT = 1,
};
/// Time between two commits [s]. Longer: more is lost when the process dies. Ten times shorter: at
/// a million samples a second the commits are seen in the rate.
#define COMMIT_SECONDS 0.25

struct CaromStore {
    const CaromHost *host;
    const CaromEnsembleData *data;
    const char *path; ///< NULL: temporary
    sqlite3 *db;
    sqlite3_stmt *insert, *finish, *fault;
    unsigned char *done; ///< a bit for each chunk
    int64_t done_count;
    bool read_only, open; ///< a transaction is open
    double opened;        ///< when [s]
};

static double now(void) {
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- Errors ----------------------------------------------------------------------------------

static const char *name_of(const CaromStore *store) {
    return store->path ? store->path : "the temporary store";
}

/// Say what SQLite could not do, in words of a user.
static CaromStatus fail(const CaromStore *store) {
    int code = sqlite3_errcode(store->db);
    const char *file = name_of(store);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return CAROM_NO_MEMORY;
    case SQLITE_NOTADB:
        carom_log(store->host, "%.200s: not a store (no SQLite file); it is not changed", file);
        break;
    case SQLITE_CORRUPT:
        carom_log(store->host,
                  "%.200s: the store is damaged; nothing was changed. Its whole samples can be "
                  "saved by: sqlite3 %.100s .recover",
                  file, file);
        break;
    case SQLITE_FULL:
    case SQLITE_IOERR:
        carom_log(store->host,
                  "%.200s: cannot write (%s). Samples committed before are safe; the same command "
                  "goes on from there once there is room",
                  file, sqlite3_errmsg(store->db));
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        carom_log(store->host, "%.200s: in use by another run", file);
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        carom_log(store->host, "%.200s: cannot be written to", file);
        break;
    case SQLITE_CANTOPEN:
        carom_log(store->host, "%.200s: cannot be opened or made", file);
        break;
    default:
        carom_log(store->host, "%.200s: %s", file, sqlite3_errmsg(store->db));
    }
    return CAROM_IO_ERROR;
}

static CaromStatus run(const CaromStore *store, const char *sql) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? CAROM_OK : fail(store);
}

static CaromStatus prepare(const CaromStore *store, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK ? CAROM_OK
                                                                                : fail(store);
}

/// The one whole number that a query gives.
static CaromStatus ask(const CaromStore *store, const char *sql, int64_t *value) {
    sqlite3_stmt *statement = NULL;
    CaromStatus status = prepare(store, sql, &statement);
    if (status == CAROM_OK && sqlite3_step(statement) == SQLITE_ROW) {
        *value = sqlite3_column_int64(statement, 0);
    } else if (status == CAROM_OK) {
        status = fail(store);
    }
    sqlite3_finalize(statement);
    return status;
}

// ---- What the store is of ----------------------------------------------------------------------

static CaromStatus write_meta(const CaromStore *store) {
    sqlite3_stmt *statement = NULL;
    CaromStatus status = prepare(store, "INSERT INTO meta VALUES(?,?)", &statement);
    const char *key;
    json_t *value;
    json_object_foreach(store->data->identity, key, value) {
        if (status == CAROM_OK) {
            sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
            sqlite3_bind_text(statement, 2, json_string_value(value), -1, SQLITE_STATIC);
            status = sqlite3_step(statement) == SQLITE_DONE ? CAROM_OK : fail(store);
            sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return status;
}

/// Whether the store says the same of one key; if not, what it says.
static CaromStatus compare_meta(const CaromStore *store, sqlite3_stmt *statement, const char *key,
                                const char *wanted) {
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    const char *found = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    CaromStatus status = code == SQLITE_ROW || code == SQLITE_DONE ? CAROM_OK : fail(store);
    if (status == CAROM_OK && (!found || strcmp(found, wanted) != 0)) {
        bool brief = found && strlen(found) < 40 && strlen(wanted) < 40;
        carom_log(
            store->host,
            "%.200s: the store is of another ensemble: %s differ%s%s%s%s%s; it is not changed",
            name_of(store), carom_store_word(key), brief ? " (" : "", brief ? found : "",
            brief ? " there, here " : "", brief ? wanted : "", brief ? ")" : "");
        status = CAROM_IO_ERROR;
    }
    sqlite3_reset(statement);
    return status;
}

static CaromStatus check_meta(const CaromStore *store) {
    sqlite3_stmt *statement = NULL;
    CaromStatus status = prepare(store, "SELECT value FROM meta WHERE key=?", &statement);
    const char *key;
    json_t *value;
    json_object_foreach(store->data->identity, key, value) {
        if (status == CAROM_OK) {
            status = compare_meta(store, statement, key, json_string_value(value));
        }
    }
    sqlite3_finalize(statement);
    return status;
}

static CaromStatus make_tables(const CaromStore *store) {
    char *sql = carom_store_schema(store->host, store->data);
    char header[96];
    (void)snprintf(header, sizeof header, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                   APPLICATION, FORMAT);
    CaromStatus status = sql ? run(store, "BEGIN IMMEDIATE") : CAROM_NO_MEMORY;
    status = status == CAROM_OK ? run(store, header) : status;
    status = status == CAROM_OK ? run(store, sql) : status;
    status = status == CAROM_OK ? write_meta(store) : status;
    status = status == CAROM_OK ? run(store, "COMMIT") : status;
    carom_release(store->host, sql);
    return status;
}

/// A new file gets its tables; one that is there must be a store of this ensemble.
static CaromStatus settle(CaromStore *store) {
    int64_t tables = 0, application = 0, format = 0;
    CaromStatus status = ask(store, "SELECT count(*) FROM sqlite_master", &tables);
    if (status == CAROM_OK && tables == 0) {
        return make_tables(store);
    }
    status = status == CAROM_OK ? ask(store, "PRAGMA application_id", &application) : status;
    status = status == CAROM_OK ? ask(store, "PRAGMA user_version", &format) : status;
    if (status == CAROM_OK && (application != APPLICATION || format != FORMAT)) {
        carom_log(store->host,
                  "%.200s: an SQLite file, but not a store of Carom; it is not changed",
                  name_of(store));
        return CAROM_IO_ERROR;
    }
    return status == CAROM_OK ? check_meta(store) : status;
}

// ---- Open and close ----------------------------------------------------------------------------

static void mark(CaromStore *store, int64_t chunk) {
    store->done_count += !carom_store_has(store, chunk);
    store->done[chunk / 8] |= (unsigned char)(1 << (chunk % 8));
}

static CaromStatus load_done(CaromStore *store) {
    int64_t chunks = carom_ensemble_chunk_count(&store->data->shown);
    sqlite3_stmt *statement = NULL;
    size_t bytes = (size_t)(chunks / 8 + 1);
    store->done = carom_allocate(store->host, bytes);
    if (!store->done) {
        return CAROM_NO_MEMORY;
    }
    memset(store->done, 0, bytes);
    CaromStatus status = prepare(store, "SELECT id, count FROM chunk", &statement);
    int code = SQLITE_ROW;
    while (status == CAROM_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t chunk = sqlite3_column_int64(statement, 0);
        int64_t first;
        // One that was the last of fewer samples may have to be done anew.
        if (chunk >= 0 && chunk < chunks &&
            sqlite3_column_int(statement, 1) == carom_ensemble_chunk(store->data, chunk, &first)) {
            mark(store, chunk);
        }
    }
    status = status == CAROM_OK && code != SQLITE_DONE ? fail(store) : status;
    sqlite3_finalize(statement);
    return status;
}

static CaromStatus prepare_writes(CaromStore *store) {
    char *sql = carom_store_insert(store->host, store->data);
    CaromStatus status = sql ? prepare(store, sql, &store->insert) : CAROM_NO_MEMORY;
    status = status == CAROM_OK
                 ? prepare(store, "INSERT OR REPLACE INTO chunk VALUES(?,?,?)", &store->finish)
                 : status;
    status = status == CAROM_OK
                 ? prepare(store, "INSERT OR REPLACE INTO fault VALUES(?,?)", &store->fault)
                 : status;
    carom_release(store->host, sql);
    return status;
}

/// One process at a time; a write-ahead log, so that commits need not wait for the disk.
static CaromStatus connect(CaromStore *store) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(store->path ? store->path : "", &store->db, flags, NULL) != SQLITE_OK) {
        return fail(store);
    }
    CaromStatus status = run(store, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=FILE;");
    status = status == CAROM_OK ? settle(store) : status;
    if (status != CAROM_OK) {
        return status;
    }
    store->read_only = sqlite3_db_readonly(store->db, "main") == 1;
    const char *journal = !store->path       ? "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF"
                          : store->read_only ? ""
                                             : "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL";
    return run(store, journal);
}

CaromStatus carom_store_open(const CaromHost *host, const CaromEnsembleData *data, const char *path,
                             CaromStore **store) {
    CaromStore *made = carom_allocate(host, sizeof *made);
    if (!made) {
        return CAROM_NO_MEMORY;
    }
    *made = (CaromStore){.host = host, .data = data, .path = path};
    CaromStatus status = connect(made);
    status = status == CAROM_OK ? load_done(made) : status;
    status = status == CAROM_OK ? prepare_writes(made) : status;
    if (status != CAROM_OK) {
        carom_store_abandon(made);
        return status;
    }
    *store = made;
    return CAROM_OK;
}

void carom_store_abandon(CaromStore *store) {
    if (store) {
        sqlite3_finalize(store->insert);
        sqlite3_finalize(store->finish);
        sqlite3_finalize(store->fault);
        if (store->open) {
            (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        }
        (void)sqlite3_close(store->db);
        carom_release(store->host, store->done);
        carom_release(store->host, store);
    }
}

CaromStatus carom_store_close(CaromStore *store, bool complete) {
    CaromStatus status = carom_store_flush(store);
    if (status == CAROM_OK && complete && store->path && !store->read_only) {
        status = run(store, "PRAGMA journal_mode=DELETE");
    }
    carom_store_abandon(store);
    return status;
}

bool carom_store_has(const CaromStore *store, int64_t chunk) {
    return store->done[chunk / 8] >> (chunk % 8) & 1;
}

int64_t carom_store_chunks(const CaromStore *store) {
    return store->done_count;
}

bool carom_store_read_only(const CaromStore *store) {
    return store->read_only;
}

// ---- Hashes ----------------------------------------------------------------------------------

/// FNV-1a on words [FowlerNollVo]; it finds damage, it does not keep out forgers.
static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_row(uint64_t hash, const CaromEnsembleData *data,
                         const CaromEnsembleRow *row) {
    static const double none = -1.5e-300; // NAN has many forms
    hash = mix(hash, &row->sample, sizeof row->sample);
    hash = mix(hash, row->inputs, (size_t)data->shown.variable_count * sizeof(double));
    hash = mix(hash, row->outcome, strlen(row->outcome));
    for (int k = 0; k < data->shown.kept_count; k++) {
        hash = mix(hash, isnan(row->values[k]) ? &none : &row->values[k], sizeof none);
    }
    return hash + row->solved;
}

// ---- Writing ---------------------------------------------------------------------------------

static void bind(const CaromStore *store, const CaromEnsembleRow *row) {
    const CaromEnsembleData *data = store->data;
    sqlite3_stmt *s = store->insert;
    int at = 1;
    sqlite3_bind_int64(s, at++, row->sample);
    for (int j = 0; j < data->shown.variable_count; j++, at++) {
        if (data->choices[j].shown) {
            const char *text = data->choices[j].shown[(int)row->inputs[j]];
            sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
        } else {
            sqlite3_bind_double(s, at, row->inputs[j]);
        }
    }
    sqlite3_bind_text(s, at++, row->outcome, -1, SQLITE_STATIC);
    for (int k = 0; k < data->shown.kept_count; k++, at++) {
        sqlite3_bind_double(s, at, row->values[k]); // NAN becomes NULL
    }
    sqlite3_bind_int(s, at, !row->solved);
}

static CaromStatus step(const CaromStore *store, sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    CaromStatus status = code == SQLITE_DONE ? CAROM_OK : fail(store);
    sqlite3_reset(statement);
    return status;
}

static CaromStatus add_sample(const CaromStore *store, int64_t number, const CaromSample *sample,
                              uint64_t *hash) {
    double inputs[CAROM_MOST_VARIABLES];
    for (int j = 0; j < store->data->shown.variable_count; j++) {
        inputs[j] = carom_ensemble_input(store->data, number, j);
    }
    CaromEnsembleRow row = {.sample = number,
                            .inputs = inputs,
                            .outcome = sample->outcome,
                            .solved = !sample->failed,
                            .values = sample->values};
    *hash = hash_row(*hash, store->data, &row);
    bind(store, &row);
    CaromStatus status = step(store, store->insert);
    if (status == CAROM_OK && sample->fault[0]) {
        sqlite3_bind_int64(store->fault, 1, number);
        sqlite3_bind_text(store->fault, 2, sample->fault, -1, SQLITE_STATIC);
        status = step(store, store->fault);
    }
    return status;
}

CaromStatus carom_store_flush(CaromStore *store) {
    CaromStatus status = store->open ? run(store, "COMMIT") : CAROM_OK;
    store->open = store->open && status != CAROM_OK;
    return status;
}

CaromStatus carom_store_add(CaromStore *store, int64_t chunk, size_t size, const void *bytes) {
    int64_t first;
    int count = carom_ensemble_chunk(store->data, chunk, &first);
    const unsigned char *at = bytes, *end = at + size;
    uint64_t hash = 0xcbf29ce484222325u;
    CaromStatus status = store->open ? CAROM_OK : run(store, "BEGIN");
    if (status == CAROM_OK && !store->open) {
        store->open = true;
        store->opened = now();
    }
    for (int i = 0; i < count && status == CAROM_OK; i++) {
        CaromSample sample;
        CAROM_ASSERT(size > 0);
        status = carom_sample_take(&at, end, store->data->shown.kept_count, &sample)
                     ? add_sample(store, first + i, &sample, &hash)
                     : CAROM_BAD_DATA;
    }
    if (status == CAROM_OK) {
        sqlite3_bind_int64(store->finish, 1, chunk);
        sqlite3_bind_int64(store->finish, 2, count);
        sqlite3_bind_int64(store->finish, 3, (int64_t)hash);
        status = step(store, store->finish);
    }
    if (status == CAROM_OK) {
        mark(store, chunk);
        status = now() - store->opened > COMMIT_SECONDS ? carom_store_flush(store) : CAROM_OK;
    }
    return status;
}

CaromStatus carom_store_cut(CaromStore *store, int64_t chunk) {
    char sql[256];
    long long from = (long long)chunk, sample = (long long)chunk * store->data->shown.chunk;
    CaromStatus status = carom_store_flush(store);
    (void)snprintf(sql, sizeof sql,
                   "BEGIN; DELETE FROM chunk WHERE id>=%lld; DELETE FROM sample WHERE sample>=%lld;"
                   " DELETE FROM fault WHERE sample>=%lld; COMMIT",
                   from, sample, sample);
    status = status == CAROM_OK ? run(store, sql) : status;
    for (int64_t i = chunk; i < carom_ensemble_chunk_count(&store->data->shown); i++) {
        store->done_count -= carom_store_has(store, i);
        store->done[i / 8] &= (unsigned char)~(1 << (i % 8));
    }
    return status;
}

// ---- Reading ---------------------------------------------------------------------------------

/// A scan: rows, and beside them the chunks with their hashes.
typedef struct Scan {
    CaromStore *store;
    sqlite3_stmt *rows, *chunks;
    double inputs[CAROM_MOST_VARIABLES], values[CAROM_ENSEMBLE_MOST_KEPT];
} Scan;

static double choice_of(const CaromStore *store, int variable, const char *text) {
    const CaromEnsembleVariable *v = &store->data->variables[variable];
    for (int i = 0; i < v->choice_count && text; i++) {
        if (strcmp(v->choices[i], text) == 0) {
            return i;
        }
    }
    return -1;
}

static void read_row(Scan *scan, CaromEnsembleRow *row) {
    const CaromEnsembleData *data = scan->store->data;
    sqlite3_stmt *s = scan->rows;
    int at = 1;
    *row = (CaromEnsembleRow){
        .sample = sqlite3_column_int64(s, 0), .inputs = scan->inputs, .values = scan->values};
    for (int j = 0; j < data->shown.variable_count; j++, at++) {
        scan->inputs[j] = data->choices[j].shown
                              ? choice_of(scan->store, j, (const char *)sqlite3_column_text(s, at))
                              : sqlite3_column_double(s, at);
    }
    const char *outcome = (const char *)sqlite3_column_text(s, at++);
    row->outcome = outcome ? outcome : "";
    for (int k = 0; k < data->shown.kept_count; k++, at++) {
        bool none = sqlite3_column_type(s, at) == SQLITE_NULL;
        scan->values[k] = none ? NAN : sqlite3_column_double(s, at);
    }
    row->solved = sqlite3_column_int(s, at) == 0;
}

static CaromStatus damaged(const CaromStore *store, int64_t chunk) {
    int64_t first;
    int count = carom_ensemble_chunk(store->data, chunk, &first);
    carom_log(store->host,
              "%.200s: samples %lld to %lld are damaged: they are not what was written. To have "
              "them computed anew: sqlite3 %.100s 'DELETE FROM chunk WHERE id=%lld', then run "
              "again",
              name_of(store), (long long)first, (long long)(first + count - 1), name_of(store),
              (long long)chunk);
    return CAROM_IO_ERROR;
}

/// One chunk of the scan; `*more` is false when somebody had enough.
static CaromStatus scan_chunk(Scan *scan, CaromEnsembleRowFn *see, void *user, bool *more) {
    CaromStore *store = scan->store;
    int64_t chunk = sqlite3_column_int64(scan->chunks, 0), first;
    if (chunk < 0 || chunk >= carom_ensemble_chunk_count(&store->data->shown) ||
        !carom_store_has(store, chunk)) {
        return CAROM_OK; // of more or fewer samples that came before
    }
    int count = carom_ensemble_chunk(store->data, chunk, &first);
    uint64_t hash = 0xcbf29ce484222325u;
    sqlite3_reset(scan->rows);
    sqlite3_bind_int64(scan->rows, 1, first);
    sqlite3_bind_int64(scan->rows, 2, first + count);
    for (int i = 0; i < count; i++) {
        CaromEnsembleRow row;
        int code = sqlite3_step(scan->rows);
        if (code != SQLITE_ROW) {
            return code == SQLITE_DONE ? damaged(store, chunk) : fail(store);
        }
        read_row(scan, &row);
        hash = hash_row(hash, store->data, &row);
        *more = *more && see(user, &row);
    }
    return (int64_t)hash == sqlite3_column_int64(scan->chunks, 1) ? CAROM_OK
                                                                  : damaged(store, chunk);
}

CaromStatus carom_store_scan(CaromStore *store, CaromEnsembleRowFn *see, void *user) {
    Scan scan = {.store = store};
    bool more = true;
    int code = SQLITE_DONE;
    CaromStatus status = carom_store_flush(store);
    status = status == CAROM_OK
                 ? prepare(store, "SELECT * FROM sample WHERE sample>=? AND sample<? ORDER BY 1",
                           &scan.rows)
                 : status;
    status = status == CAROM_OK
                 ? prepare(store, "SELECT id, hash FROM chunk ORDER BY id", &scan.chunks)
                 : status;
    while (status == CAROM_OK && more && (code = sqlite3_step(scan.chunks)) == SQLITE_ROW) {
        status = scan_chunk(&scan, see, user, &more);
    }
    status = status == CAROM_OK && more && code != SQLITE_DONE ? fail(store) : status;
    sqlite3_finalize(scan.rows);
    sqlite3_finalize(scan.chunks);
    return status;
}

CaromStatus carom_store_faults(CaromStore *store, int room, CaromEnsembleFault *faults,
                               int *count) {
    sqlite3_stmt *statement = NULL;
    CaromStatus status =
        prepare(store, "SELECT sample, message FROM fault ORDER BY sample", &statement);
    *count = 0;
    while (status == CAROM_OK && *count < room && sqlite3_step(statement) == SQLITE_ROW) {
        const char *message = (const char *)sqlite3_column_text(statement, 1);
        CaromEnsembleFault *fault = &faults[(*count)++];
        fault->sample = sqlite3_column_int64(statement, 0);
        (void)snprintf(fault->message, sizeof fault->message, "%s", message ? message : "");
    }
    sqlite3_finalize(statement);
    return status;
}
