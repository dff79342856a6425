// SPDX-License-Identifier: Apache-2.0
// Left-looking supernodal Cholesky factorization, after [ChenDavisHagerRajamanickam2008, section
// 3].
#include "soft/supernodal.h"

#include "base/elementary.h"
#include "base/host.h"
#include "base/registers.h"

#include <stdlib.h>
#include <string.h>

/// Columns of a panel at most. Twice as many: no faster; half as many: more updates between panels.
enum { WIDEST = 128 };
/// Columns of a panel that are factored at once; the earlier ones update them together.
enum { STRIP = 16 };
/// Rows of a product that stay in the first cache.
enum { ROWS = 128 };

struct CaromSupernodal {
    CaromHost host;
    CaromColumns matrix;
    int size, panel_count;
    int *order;         ///< order[k]: the row that comes k-th
    int *starts, *rows; ///< entries of column k at and below its diagonal, in this order
    int *source;        ///< where each stands in the values of the matrix
    int *first;         ///< column of each panel, and one more
    int *panel_of;      ///< each column
    size_t *row_start;  ///< rows of each panel in panel_rows, and one more
    int *panel_rows;    ///< its own columns, then those below, ascending
    size_t *value_start;
    double *values; ///< column by column
    int *place;     ///< of a row in the panel at hand
    int *head, *after, *next_row;
    double *update; ///< a product
    double *work;   ///< of a solve
    size_t bytes;
    int tallest;
};

static int width_of(const CaromSupernodal *s, int p) {
    return s->first[p + 1] - s->first[p];
}

static int height_of(const CaromSupernodal *s, int p) {
    return (int)(s->row_start[p + 1] - s->row_start[p]);
}

// ---- Memory ------------------------------------------------------------------------------------

static void *take(CaromSupernodal *s, size_t count, size_t size) {
    size_t bytes = (count + 1) * size;
    s->bytes += bytes;
    return carom_allocate(&s->host, bytes);
}

void carom_supernodal_destroy(CaromSupernodal *s) {
    if (s == NULL) {
        return;
    }
    void *blocks[] = {s->order,      s->starts, s->rows,  s->source,     s->first, s->panel_of,
                      s->row_start,  s->values, s->place, s->head,       s->after, s->next_row,
                      s->panel_rows, s->update, s->work,  s->value_start};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        carom_release(&s->host, blocks[i]);
    }
    CaromHost host = s->host;
    carom_release(&host, s);
}

// ---- Pattern -----------------------------------------------------------------------------------

/// The matrix in the new order, lower triangle by columns.
static bool permute(CaromSupernodal *s, const int *order) {
    const CaromColumns *a = &s->matrix;
    size_t n = (size_t)s->size, entries = (size_t)a->starts[n];
    s->order = take(s, n, sizeof(int));
    s->starts = take(s, n + 1, sizeof(int));
    s->rows = take(s, entries, sizeof(int));
    s->source = take(s, entries, sizeof(int));
    s->place = take(s, n, sizeof(int));
    if (!s->order || !s->starts || !s->rows || !s->source || !s->place) {
        return false;
    }
    int *inverse = s->place;
    memset(s->starts, 0, (n + 1) * sizeof(int));
    for (int k = 0; k < s->size; k++) {
        s->order[k] = order[k];
        inverse[order[k]] = k;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < s->size; j++) {
            for (int p = a->starts[j]; p < a->starts[j + 1]; p++) {
                int x = inverse[a->rows[p]], y = inverse[j];
                int column = x < y ? x : y, row = x < y ? y : x;
                if (pass == 0) {
                    s->starts[column + 1]++;
                } else {
                    int at = s->starts[column]++;
                    s->rows[at] = row;
                    s->source[at] = p;
                }
            }
        }
        for (int k = 0; pass == 0 && k < s->size; k++) {
            s->starts[k + 1] += s->starts[k];
        }
    }
    for (int k = s->size; k > 0; k--) { // filling moved them on by one
        s->starts[k] = s->starts[k - 1];
    }
    s->starts[0] = 0;
    return true;
}

/// The elimination tree, -1 for roots. Rows of the lower triangle are needed one after the
/// other: lists of the columns that have an entry in each.
static bool find_parents(const CaromSupernodal *s, int *parent) {
    size_t entries = (size_t)s->starts[s->size];
    size_t n = (size_t)s->size;
    int *heads = carom_allocate(&s->host, (2 * n + 2 * entries + 1) * sizeof(int));
    if (!heads) {
        return false;
    }
    int *ancestor = heads + n, *links = ancestor + n, *columns = links + entries;
    for (int k = 0; k < s->size; k++) {
        heads[k] = parent[k] = ancestor[k] = -1;
    }
    for (int k = s->size - 1; k >= 0; k--) {
        for (int p = s->starts[k]; p < s->starts[k + 1]; p++) {
            links[p] = heads[s->rows[p]];
            columns[p] = k;
            heads[s->rows[p]] = p;
        }
    }
    for (int row = 0; row < s->size; row++) {
        for (int p = heads[row]; p >= 0; p = links[p]) {
            int k = columns[p];
            while (k >= 0 && k < row) {
                int up = ancestor[k];
                ancestor[k] = row;
                if (up < 0) {
                    parent[k] = row;
                }
                k = up;
            }
        }
    }
    carom_release(&s->host, heads);
    return true;
}

/// Panels: columns that follow each other in the tree, with the same rows but for a few zeros.
static bool find_panels(CaromSupernodal *s, const int *parent, const int *counts) {
    size_t n = (size_t)s->size;
    s->first = take(s, n + 1, sizeof(int));
    s->panel_of = take(s, n, sizeof(int));
    if (!s->first || !s->panel_of) {
        return false;
    }
    const int slim = 12; // panels that may have more zeros
    s->panel_count = 0;
    double zeros = 0;
    for (int k = 0; k < s->size; k++) {
        bool joins = false;
        if (k > 0 && parent[k - 1] == k) {
            int width = k - s->first[s->panel_count - 1] + 1;
            double missing = (double)(width - 1) * (counts[k] + 1 - counts[k - 1]);
            double area = (double)width * (width - 1 + counts[k]);
            double allowed = width <= slim ? 0.3 : 0.05;
            joins = width <= WIDEST && zeros + missing <= allowed * area;
            zeros = joins ? zeros + missing : 0;
        }
        if (!joins) {
            s->first[s->panel_count++] = k;
            zeros = 0;
        }
        s->panel_of[k] = s->panel_count - 1;
    }
    s->first[s->panel_count] = s->size;
    return true;
}

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/// Rows of a panel: its own columns, entries of the matrix in them, and rows of its children.
static int find_rows(CaromSupernodal *s, int p, const int *child, const int *sibling, int *into) {
    int count = 0, last = s->first[p + 1];
    for (int k = s->first[p]; k < last; k++) {
        s->place[k] = p;
        into[count++] = k;
    }
    for (int k = s->first[p]; k < last; k++) {
        for (int e = s->starts[k]; e < s->starts[k + 1]; e++) {
            if (s->place[s->rows[e]] != p) {
                s->place[s->rows[e]] = p;
                into[count++] = s->rows[e];
            }
        }
    }
    for (int c = child[p]; c >= 0; c = sibling[c]) {
        for (size_t e = s->row_start[c] + (size_t)width_of(s, c); e < s->row_start[c + 1]; e++) {
            int row = s->panel_rows[e];
            if (s->place[row] != p) {
                s->place[row] = p;
                into[count++] = row;
            }
        }
    }
    int width = width_of(s, p);
    qsort(into + width, (size_t)(count - width), sizeof *into, compare);
    return count;
}

/// At most as many rows as the columns of a panel and what lies below its last one.
static size_t most_rows(const CaromSupernodal *s, const int *counts) {
    size_t most = 0;
    for (int p = 0; p < s->panel_count; p++) {
        most += (size_t)width_of(s, p) + (size_t)counts[s->first[p + 1] - 1];
    }
    return most;
}

static bool find_patterns(CaromSupernodal *s, const int *parent, const int *counts) {
    size_t panels = (size_t)s->panel_count;
    int *child = carom_allocate(&s->host, (2 * panels + 1) * sizeof(int));
    s->row_start = take(s, panels + 1, sizeof *s->row_start);
    s->value_start = take(s, panels + 1, sizeof *s->value_start);
    s->panel_rows = take(s, most_rows(s, counts), sizeof(int));
    if (!child || !s->row_start || !s->value_start || !s->panel_rows) {
        carom_release(&s->host, child);
        return false;
    }
    int *sibling = child + panels;
    for (int p = 0; p < s->panel_count; p++) {
        child[p] = -1;
    }
    for (int k = 0; k < s->size; k++) {
        s->place[k] = -1;
    }
    s->row_start[0] = s->value_start[0] = 0;
    s->tallest = 0;
    for (int p = 0; p < s->panel_count; p++) {
        int count = find_rows(s, p, child, sibling, s->panel_rows + s->row_start[p]);
        s->row_start[p + 1] = s->row_start[p] + (size_t)count;
        s->value_start[p + 1] = s->value_start[p] + (size_t)count * (size_t)width_of(s, p);
        s->tallest = count > s->tallest ? count : s->tallest;
        int up = parent[s->first[p + 1] - 1];
        if (up >= 0) {
            sibling[p] = child[s->panel_of[up]];
            child[s->panel_of[up]] = p;
        }
    }
    carom_release(&s->host, child);
    return true;
}

CaromStatus carom_supernodal_create(const CaromHost *host, const CaromColumns *matrix,
                                    const int *order, const int *counts,
                                    CaromSupernodal **supernodal) {
    CaromSupernodal *s = carom_allocate(host, sizeof *s);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    *s = (CaromSupernodal){.host = *host, .matrix = *matrix, .size = matrix->size};
    size_t n = (size_t)s->size;
    int *parent = carom_allocate(host, (n + 1) * sizeof(int));
    bool good = parent && permute(s, order) && find_parents(s, parent) &&
                find_panels(s, parent, counts) && find_patterns(s, parent, counts);
    carom_release(host, parent);
    if (good) {
        size_t panels = (size_t)s->panel_count;
        s->values = take(s, s->value_start[panels], sizeof(double));
        s->head = take(s, panels, sizeof(int));
        s->after = take(s, panels, sizeof(int));
        s->next_row = take(s, panels, sizeof(int));
        s->update = take(s, (size_t)s->tallest * WIDEST, sizeof(double));
        s->work = take(s, n, sizeof(double));
        good = s->values && s->head && s->after && s->next_row && s->update && s->work;
    }
    if (!good) {
        carom_supernodal_destroy(s);
        return CAROM_NO_MEMORY;
    }
    *supernodal = s;
    return CAROM_OK;
}

// ---- Dense products ----------------------------------------------------------------------------

/// C = A B^T of some rows and four columns; all by columns, with strides. Four columns of A at a
/// time.
CAROM_FOR_WIDE_REGISTERS
static void four_columns(int rows, int inner, const double *restrict a, size_t a_stride,
                         const double *restrict b, size_t b_stride, double *restrict c,
                         size_t c_stride) {
    double *restrict c0 = c, *restrict c1 = c + c_stride;
    double *restrict c2 = c + 2 * c_stride, *restrict c3 = c + 3 * c_stride;
    for (int i = 0; i < rows; i++) {
        c0[i] = c1[i] = c2[i] = c3[i] = 0;
    }
    int k = 0;
    for (; k + 3 < inner; k += 4) {
        const double *restrict x = a + (size_t)k * a_stride, *restrict y = x + a_stride;
        const double *restrict z = y + a_stride, *restrict w = z + a_stride;
        const double *p = b + (size_t)k * b_stride, *q = p + b_stride;
        const double *r = q + b_stride, *t = r + b_stride;
        double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
        double q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
        double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
        double t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
        for (int i = 0; i < rows; i++) {
            double xi = x[i], yi = y[i], zi = z[i], wi = w[i];
            c0[i] += (xi * p0 + yi * q0) + (zi * r0 + wi * t0);
            c1[i] += (xi * p1 + yi * q1) + (zi * r1 + wi * t1);
            c2[i] += (xi * p2 + yi * q2) + (zi * r2 + wi * t2);
            c3[i] += (xi * p3 + yi * q3) + (zi * r3 + wi * t3);
        }
    }
    for (; k < inner; k++) {
        const double *restrict x = a + (size_t)k * a_stride;
        const double *p = b + (size_t)k * b_stride;
        double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
        for (int i = 0; i < rows; i++) {
            c0[i] += x[i] * p0;
            c1[i] += x[i] * p1;
            c2[i] += x[i] * p2;
            c3[i] += x[i] * p3;
        }
    }
}

static void one_column(int rows, int inner, const double *restrict a, size_t a_stride,
                       const double *b, size_t b_stride, double *restrict c) {
    for (int i = 0; i < rows; i++) {
        c[i] = 0;
    }
    for (int k = 0; k < inner; k++) {
        const double *restrict x = a + (size_t)k * a_stride;
        double p = b[(size_t)k * b_stride];
        for (int i = 0; i < rows; i++) {
            c[i] += x[i] * p;
        }
    }
}

/// C = A B^T, rows by columns; rows in pieces that stay in the cache. Above the diagonal of its
/// first `columns` rows C is not needed, and pieces that are wholly there are left out.
static void product(int rows, int columns, int inner, const double *a, const double *b,
                    size_t stride, double *c) {
    for (int from = 0; from < rows; from += ROWS) {
        int piece = rows - from < ROWS ? rows - from : ROWS;
        int j = 0;
        for (; j + 3 < columns && j < from + piece; j += 4) {
            four_columns(piece, inner, a + from, stride, b + j, stride,
                         c + (size_t)j * (size_t)rows + from, (size_t)rows);
        }
        for (; j < columns && j < from + piece; j++) {
            one_column(piece, inner, a + from, stride, b + j, stride,
                       c + (size_t)j * (size_t)rows + from);
        }
    }
}

// ---- Numbers -----------------------------------------------------------------------------------

/// The matrix into a panel.
static void load(CaromSupernodal *s, int p) {
    size_t height = (size_t)height_of(s, p);
    double *panel = s->values + s->value_start[p];
    memset(panel, 0, (s->value_start[p + 1] - s->value_start[p]) * sizeof *panel);
    for (size_t i = 0; i < height; i++) {
        s->place[s->panel_rows[s->row_start[p] + i]] = (int)i;
    }
    for (int k = s->first[p]; k < s->first[p + 1]; k++) {
        double *column = panel + (size_t)(k - s->first[p]) * height;
        for (int e = s->starts[k]; e < s->starts[k + 1]; e++) {
            column[s->place[s->rows[e]]] += s->matrix.values[s->source[e]];
        }
    }
}

/// What panel d takes off panel p.
static void subtract(CaromSupernodal *s, int p, int d) {
    int from = s->next_row[d], height = height_of(s, d), to = from;
    const int *rows = s->panel_rows + s->row_start[d];
    while (to < height && rows[to] < s->first[p + 1]) {
        to++;
    }
    int count = height - from, columns = to - from;
    const double *a = s->values + s->value_start[d] + from;
    product(count, columns, width_of(s, d), a, a, (size_t)height, s->update);
    double *panel = s->values + s->value_start[p];
    size_t stride = (size_t)height_of(s, p);
    for (int j = 0; j < columns; j++) {
        double *column = panel + (size_t)(rows[from + j] - s->first[p]) * stride;
        const double *change = s->update + (size_t)j * (size_t)count;
        for (int i = j; i < count; i++) {
            column[s->place[rows[from + i]]] -= change[i];
        }
    }
    s->next_row[d] = to;
}

/// Columns of a strip, one after the other; false if a pivot is not positive.
static bool factor_strip(double *panel, size_t height, int from, int to) {
    for (int k = from; k < to; k++) {
        double *column = panel + (size_t)k * height;
        if (!(column[k] > 0)) {
            return false;
        }
        double root = sqrt(column[k]), inverse = 1 / root;
        column[k] = root;
        for (size_t i = (size_t)k + 1; i < height; i++) {
            column[i] *= inverse;
        }
        for (int j = k + 1; j < to; j++) {
            double *other = panel + (size_t)j * height;
            double by = column[j];
            for (size_t i = (size_t)j; i < height; i++) {
                other[i] -= by * column[i];
            }
        }
    }
    return true;
}

static bool factor_panel(CaromSupernodal *s, int p) {
    int width = width_of(s, p), height = height_of(s, p);
    double *panel = s->values + s->value_start[p];
    for (int from = 0; from < width; from += STRIP) {
        int to = from + STRIP < width ? from + STRIP : width;
        if (from > 0) {
            int rows = height - from;
            product(rows, to - from, from, panel + from, panel + from, (size_t)height, s->update);
            for (int j = from; j < to; j++) {
                double *column = panel + (size_t)j * (size_t)height + from;
                const double *change = s->update + (size_t)(j - from) * (size_t)rows;
                for (int i = j - from; i < rows; i++) {
                    column[i] -= change[i];
                }
            }
        }
        if (!factor_strip(panel, (size_t)height, from, to)) {
            return false;
        }
    }
    return true;
}

/// A panel waits in the list of the next one that it updates.
static void wait_for_next(CaromSupernodal *s, int d) {
    if (s->next_row[d] < height_of(s, d)) {
        int row = s->panel_rows[s->row_start[d] + (size_t)s->next_row[d]];
        int p = s->panel_of[row];
        s->after[d] = s->head[p];
        s->head[p] = d;
    }
}

bool carom_supernodal_factorise(CaromSupernodal *s) {
    for (int p = 0; p < s->panel_count; p++) {
        s->head[p] = -1;
    }
    for (int p = 0; p < s->panel_count; p++) {
        load(s, p);
        for (int d = s->head[p], after; d >= 0; d = after) {
            after = s->after[d];
            subtract(s, p, d);
            wait_for_next(s, d);
        }
        if (!factor_panel(s, p)) {
            return false;
        }
        s->next_row[p] = width_of(s, p);
        wait_for_next(s, p);
    }
    return true;
}

// ---- Solving -----------------------------------------------------------------------------------

/// L y = x in place, panel by panel: first its own columns, then what they take off the rows below.
static void forward(const CaromSupernodal *s, double *x) {
    for (int p = 0; p < s->panel_count; p++) {
        int width = width_of(s, p), height = height_of(s, p);
        const int *rows = s->panel_rows + s->row_start[p];
        const double *column = s->values + s->value_start[p];
        double *own = x + s->first[p], *below = s->update;
        memset(below, 0, (size_t)height * sizeof *below);
        for (int k = 0; k < width; k++, column += height) {
            double value = own[k] / column[k];
            own[k] = value;
            for (int i = k + 1; i < width; i++) {
                own[i] -= column[i] * value;
            }
            for (int i = width; i < height; i++) {
                below[i] += column[i] * value;
            }
        }
        for (int i = width; i < height; i++) {
            x[rows[i]] -= below[i];
        }
    }
}

static double dot(const double *a, const double *b, int from, int to) {
    double even = 0, odd = 0;
    int i = from;
    for (; i + 1 < to; i += 2) {
        even += a[i] * b[i];
        odd += a[i + 1] * b[i + 1];
    }
    return (i < to ? even + a[i] * b[i] : even) + odd;
}

/// L^T y = x in place.
static void backward(const CaromSupernodal *s, double *x) {
    for (int p = s->panel_count - 1; p >= 0; p--) {
        int width = width_of(s, p), height = height_of(s, p);
        const int *rows = s->panel_rows + s->row_start[p];
        double *all = s->update;
        for (int i = 0; i < height; i++) {
            all[i] = x[rows[i]];
        }
        for (int k = width - 1; k >= 0; k--) {
            const double *column = s->values + s->value_start[p] + (size_t)k * (size_t)height;
            all[k] = (all[k] - dot(column, all, k + 1, height)) / column[k];
            x[rows[k]] = all[k];
        }
    }
}

void carom_supernodal_solve(CaromSupernodal *s, const double *b, double *x) {
    double *work = s->work;
    for (int k = 0; k < s->size; k++) {
        work[k] = b[s->order[k]];
    }
    forward(s, work);
    backward(s, work);
    for (int k = 0; k < s->size; k++) {
        x[s->order[k]] = work[k];
    }
}

CaromFactorSize carom_supernodal_size(const CaromSupernodal *s) {
    double least = INFINITY, most = 0, nonzeros = 0;
    for (int p = 0; p < s->panel_count; p++) {
        int width = width_of(s, p), height = height_of(s, p);
        nonzeros += (double)width * height - 0.5 * width * (width - 1.0);
        for (int k = 0; k < width; k++) {
            double pivot = s->values[s->value_start[p] + (size_t)k * (size_t)(height + 1)];
            least = fmin(least, pivot);
            most = fmax(most, pivot);
        }
    }
    double ratio = least > 0 ? most / least : INFINITY;
    return (CaromFactorSize){nonzeros, (double)(s->bytes + sizeof *s), ratio * ratio};
}
