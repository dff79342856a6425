// SPDX-License-Identifier: Apache-2.0
// carom batch: each row of a CSV file sets values of a scene and gets a row of results.
#include "command.h"

#include "carom/study.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Rows that are solved before their results are written. Smaller ones leave threads idle at the
/// end of each lot, larger ones keep results waiting and take memory.
enum { LOT = 1000 };

typedef struct Request {
    const char *scene, *rows;
    char *keep;         ///< as given; cut into what follows
    const char **names; ///< of the columns of the result
    const char **kept;  ///< paths or formulas
    int kept_count;
    int threads;
    bool jsonl;
    char **sets;
    int set_count;
} Request;

/// The source of the rows, for messages.
typedef struct Rows {
    const char *shown;
    CaromTable *table;
} Rows;

/// What became of the rows.
typedef struct Count {
    int failed;
    int first;       ///< that failed
    char error[256]; ///< of that
    int ran;         ///< that did not
    int *found;      ///< in how many of these there is each kept value
} Count;

// ---- The command line ------------------------------------------------------------------------

static const char *const options[] = {"keep", "threads", "jsonl", "set", "help"};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static int read_option(int argc, char **argv, int *i, Request *request) {
    char *value = NULL;
    if (strcmp(argv[*i], "--jsonl") == 0) {
        request->jsonl = true;
    } else if (cli_option_value("--keep", argc, argv, i, &value)) {
        if (!value[0] || request->keep) {
            return cli_usage_error("batch", request->keep ? "--keep is given twice"
                                                          : "--keep needs PATH[,PATH...]");
        }
        request->keep = value;
    } else if (cli_option_value("--threads", argc, argv, i, &value)) {
        char *end;
        long threads = strtol(value, &end, 10);
        if (end == value || *end || threads < 1 || threads > CAROM_JOB_MAX_THREADS) {
            return cli_usage_error("batch", "--threads needs a number from 1 to %d",
                                   CAROM_JOB_MAX_THREADS);
        }
        request->threads = (int)threads;
    } else if (cli_option_value("--set", argc, argv, i, &value)) {
        if (!strchr(value, '=') || value[0] == '=') {
            return cli_usage_error("batch", "--set needs PATH=VALUE");
        }
        request->sets[request->set_count++] = value;
    } else {
        return cli_unknown_option("batch", argv[*i], OPTION_COUNT, options);
    }
    return CLI_OK;
}

/// Cut at the commas that stand in no bracket and no quotes; before a "=" stands a name.
static int cut_keep(Request *request) {
    if (!request->keep) {
        return cli_usage_error("batch", "batch needs --keep: which values of the results to print");
    }
    int depth = 0;
    bool quoted = false;
    char *start = request->keep;
    for (char *c = request->keep;; c++) {
        quoted = *c == '"' ? !quoted : quoted;
        depth += quoted ? 0 : (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (*c != '\0' && (*c != ',' || depth > 0 || quoted)) {
            continue;
        }
        bool last = *c == '\0';
        *c = '\0';
        char *sign = strchr(start, '=');
        const char *kept = sign ? sign + 1 : start;
        if (kept[0] == '\0' || sign == start) {
            return cli_usage_error("batch", "--keep has an empty entry");
        }
        if (sign) {
            *sign = '\0';
        }
        request->names[request->kept_count] = start;
        request->kept[request->kept_count++] = kept;
        if (last) {
            return CLI_OK;
        }
        start = c + 1;
    }
}

static int read_request(int argc, char **argv, Request *request) {
    bool with_options = true;
    for (int i = 0; i < argc; i++) {
        if (with_options && strcmp(argv[i], "--") == 0) {
            with_options = false;
        } else if (with_options && argv[i][0] == '-' && argv[i][1] != '\0') {
            int code = read_option(argc, argv, &i, request);
            if (code != CLI_OK) {
                return code;
            }
        } else if (!request->scene) {
            request->scene = argv[i];
        } else if (!request->rows) {
            request->rows = argv[i];
        } else {
            return cli_usage_error("batch", "batch takes one scene and one file of rows");
        }
    }
    if (!request->rows) {
        return cli_usage_error("batch", "batch needs a scene and a file of rows");
    }
    if (strcmp(request->scene, "-") == 0 && strcmp(request->rows, "-") == 0) {
        return cli_usage_error("batch", "scene and rows cannot both come from standard input");
    }
    return CLI_OK;
}

// ---- The rows ----------------------------------------------------------------------------------

static void log_rows(void *user, const char *message) {
    const Rows *rows = user;
    cli_error("%s: %s", rows->shown, message);
}

/// A file that is not there is a fault of usage, as a scene that is not there.
static int open_rows(const char *name, Rows *rows) {
    size_t length = 0;
    if (!name) {
        return CLI_USAGE;
    }
    *rows = (Rows){.shown = strcmp(name, "-") == 0 ? "standard input" : name};
    char *text = cli_read_file(name, CAROM_TABLE_MAX_BYTES, &length);
    if (!text) {
        cli_error("%s: cannot read: %s", rows->shown, strerror(errno));
        return CLI_USAGE;
    }
    CaromHost host = {.log = log_rows, .user = rows};
    CaromStatus status = carom_table_parse(text, length, &host, &rows->table);
    free(text);
    if (status == CAROM_NO_MEMORY) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    return status == CAROM_OK ? CLI_OK : CLI_BAD_SCENE;
}

// ---- Results out -------------------------------------------------------------------------------

/// A cell of CSV, in quotes where it needs them.
static void put_cell(const char *text) {
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
        (void)fputs(text, stdout);
        return;
    }
    (void)putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"') {
            (void)putchar('"');
        }
        (void)putchar(*c);
    }
    (void)putchar('"');
}

/// Numbers with 17 digits, words without the quotes of JSON, nothing for null.
static void put_value(const CaromJobValue *value) {
    char text[128];
    size_t length = value->text ? strlen(value->text) : 0;
    if (!value->text) {
        if (isfinite(value->number)) {
            (void)printf("%.17g", value->number);
        }
    } else if (value->text[0] == '"' && length < sizeof text && !strchr(value->text, '\\')) {
        (void)snprintf(text, sizeof text, "%.*s", (int)length - 2, value->text + 1);
        put_cell(text);
    } else if (strcmp(value->text, "null") != 0) {
        put_cell(value->text);
    }
}

static void put_header(const Request *request) {
    for (int k = 0; k < request->kept_count; k++) {
        put_cell(request->names[k]);
        (void)putchar(',');
    }
    (void)puts("outcome,error");
}

static void put_csv(const Request *request, const CaromJobRow *row) {
    for (int k = 0; k < request->kept_count; k++) {
        put_value(&row->values[k]);
        (void)putchar(',');
    }
    put_cell(row->outcome);
    (void)putchar(',');
    put_cell(row->ran ? "" : row->error); // what is missing is an empty cell
    (void)putchar('\n');
}

static void put_string(const char *text) {
    (void)putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            (void)printf("\\%c", *c);
        } else if ((unsigned char)*c < ' ') {
            (void)printf("\\u%04x", (unsigned)*c);
        } else {
            (void)putchar(*c);
        }
    }
    (void)putchar('"');
}

static void put_jsonl(const Request *request, const CaromJobRow *row, int number) {
    (void)printf("{\"row\": %d, \"outcome\": ", number + 1);
    put_string(row->outcome);
    (void)fputs(", \"kept\": {", stdout);
    for (int k = 0; k < request->kept_count; k++) {
        const CaromJobValue *value = &row->values[k];
        (void)fputs(k > 0 ? ", " : "", stdout);
        put_string(request->names[k]);
        (void)fputs(": ", stdout);
        if (value->text) {
            (void)fputs(value->text, stdout);
        } else if (isfinite(value->number)) {
            (void)printf("%.17g", value->number);
        } else {
            (void)fputs("null", stdout);
        }
    }
    (void)putchar('}');
    if (row->error[0] && !row->ran) {
        (void)fputs(", \"error\": ", stdout);
        put_string(row->error);
    }
    (void)puts("}");
}

// ---- The run -----------------------------------------------------------------------------------

static void note_row(const Request *request, const CaromJobRow *row, int number, Count *count) {
    count->ran += row->ran;
    for (int k = 0; row->ran && k < request->kept_count; k++) {
        count->found[k] += !row->values[k].missing;
    }
    if (!row->ran && count->failed++ == 0) {
        count->first = number;
        (void)snprintf(count->error, sizeof count->error, "%s",
                       row->error[0] ? row->error : row->outcome);
    }
}

static CaromStatus run_lots(const Request *request, CaromJob *job, const CaromTable *table,
                            Count *count) {
    CaromJobRow *rows = malloc(LOT * sizeof *rows);
    CaromStatus status = rows ? CAROM_OK : CAROM_NO_MEMORY;
    for (int first = 0; first < table->row_count && status == CAROM_OK; first += LOT) {
        int size = table->row_count - first < LOT ? table->row_count - first : LOT;
        CaromJobOptions how = {.threads = request->threads,
                               .share_before = (double)first / table->row_count,
                               .share_now = (double)size / table->row_count};
        const CaromCell *cells = table->cells + (size_t)first * (size_t)table->column_count;
        status = carom_job_solve(job, size, cells, &how, rows);
        for (int i = 0; i < size && status == CAROM_OK; i++) {
            note_row(request, &rows[i], first + i, count);
            if (request->jsonl) {
                put_jsonl(request, &rows[i], first + i);
            } else {
                put_csv(request, &rows[i]);
            }
        }
    }
    free(rows);
    return status;
}

/// What no result has is a mistake in the command. Returns how many entries that are.
static int tell_missing(const Request *request, const Count *count) {
    int missing = 0;
    for (int k = 0; count->ran > 0 && k < request->kept_count; k++) {
        if (count->found[k] == 0) {
            cli_error("--keep: there is no \"%s\" in any result", request->kept[k]);
            missing++;
        }
    }
    return missing;
}

static int run_job(const Request *request, CliScene *source, const Rows *rows) {
    const CaromTable *table = rows->table;
    CaromJob *job = NULL;
    Count count = {.found = calloc((size_t)request->kept_count + 1, sizeof *count.found)};
    if (!count.found) {
        cli_error("out of memory");
        return CLI_NOT_SOLVED;
    }
    CaromStatus status = carom_job_create(source->scene, table->column_count, table->columns,
                                          request->kept_count, request->kept, &job);
    if (status == CAROM_OK) {
        if (!request->jsonl) {
            put_header(request);
        }
        status = run_lots(request, job, table, &count);
        cli_progress_end(&source->progress);
    }
    carom_job_destroy(job);
    int missing = status == CAROM_OK ? tell_missing(request, &count) : 0;
    free(count.found);
    if (status != CAROM_OK) {
        return cli_exit_code(source, status);
    }
    if (count.failed > 0) {
        cli_error("%s: %d of %d rows failed, the first in line %d: %s", rows->shown, count.failed,
                  table->row_count, table->lines[count.first], count.error);
    }
    return count.failed + missing > 0 ? CLI_NOT_SOLVED : CLI_OK;
}

static int execute(const Request *request) {
    CliScene source;
    Rows rows = {0};
    const char *const inputs[] = {request->scene, request->rows}, *const outputs[] = {">"};
    int code = cli_check_files("batch", 2, inputs, 1, outputs);
    code = code == CLI_OK ? cli_open_scene(request->scene, &source) : code;
    if (code != CLI_OK) {
        return code;
    }
    code = cli_apply_sets(request->set_count, request->sets, &source);
    if (code == CLI_OK) {
        code = open_rows(request->rows, &rows);
    }
    if (code == CLI_OK) {
        code = run_job(request, &source, &rows);
    }
    carom_table_destroy(rows.table);
    cli_close_scene(&source);
    return code;
}

int cli_batch(int argc, char **argv) {
    size_t longest = 1;
    for (int i = 0; i < argc; i++) {
        longest = strlen(argv[i]) > longest ? strlen(argv[i]) : longest;
    }
    Request request = {.threads = carom_job_processors(),
                       .sets = malloc(sizeof(char *) * (size_t)(argc + 1)),
                       .names = malloc(sizeof(char *) * longest),
                       .kept = malloc(sizeof(char *) * longest)};
    int code = CLI_NOT_SOLVED;
    if (request.sets && request.names && request.kept) {
        code = read_request(argc, argv, &request);
        code = code == CLI_OK ? cut_keep(&request) : code;
        code = code == CLI_OK ? execute(&request) : code;
    } else {
        cli_error("out of memory");
    }
    free(request.sets);
    free(request.names);
    free(request.kept);
    return code;
}
