// SPDX-License-Identifier: Apache-2.0
// Drawing a figure that is laid out.
#include "base/elementary.h"
#include "plot/layout.h"

#include <stdlib.h>
#include <string.h>

typedef struct Drawing {
    const CaromFigure *figure;
    CaromCanvas *canvas;
    CaromPlotTheme theme;
    CaromCover cover;
    bool failed; ///< no memory
} Drawing;

static CaromRgba ink(const Drawing *drawing, CaromInk which) {
    return carom_ink_rgba(which, drawing->theme);
}

static CaromPaint paint_of(const Drawing *drawing, const CaromLook *look) {
    CaromPaint paint = {.fill = ink(drawing, look->fill),
                        .line = ink(drawing, look->line),
                        .width = look->width,
                        .dash = look->dash};
    paint.fill.a *= look->opacity;
    return paint;
}

// ---- Words -----------------------------------------------------------------------------------

typedef struct Style {
    double size;
    bool bold, upward, halo;
    CaromInk ink;
} Style;

/// Words whose base line starts (align 0), has its middle (0.5) or ends (1) at a point.
static void write(const Drawing *drawing, const char *text, CaromPoint at, double align,
                  Style style) {
    CaromWords words = {.text = text,
                        .size = style.size,
                        .at = at,
                        .align = align,
                        .bold = style.bold,
                        .upward = style.upward,
                        .colour = ink(drawing, style.ink)};
    if (style.halo) {
        words.halo = ink(drawing, CAROM_INK_PAPER);
        words.halo.a = 0.8;
    }
    if (text[0]) {
        drawing->canvas->kind->words(drawing->canvas, &words);
    }
}

static void draw_header(const Drawing *drawing) {
    const CaromFigure *figure = drawing->figure;
    double y = CAROM_MARGIN + CAROM_TITLE_SIZE - 2, width = figure->width - 2 * CAROM_MARGIN;
    const char *rest = figure->title ? figure->title : "";
    while (*rest) {
        char line[512];
        int length = carom_text_fit(rest, CAROM_TITLE_SIZE, true, width);
        length = length > 0 ? length : (int)strlen(rest);
        size_t bytes = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
        memcpy(line, rest, bytes);
        line[bytes] = '\0';
        write(drawing, line, (CaromPoint){CAROM_MARGIN, y}, 0,
              (Style){CAROM_TITLE_SIZE, .bold = true, .ink = CAROM_INK_TEXT});
        rest += length;
        rest += strspn(rest, " ");
        y += CAROM_TITLE_SIZE + 5;
    }
    if (figure->subtitle[0]) {
        write(drawing, figure->subtitle, (CaromPoint){CAROM_MARGIN, y - 2}, 0,
              (Style){CAROM_TEXT_SIZE, .ink = CAROM_INK_SOFT});
    }
}

// ---- Lines -----------------------------------------------------------------------------------

static double off_line(CaromPoint p, CaromPoint a, CaromPoint b) {
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double t = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double x = p.x - a.x - t * dx, y = p.y - a.y - t * dy;
    return sqrt(x * x + y * y);
}

/// Leave out points that nobody can see (Douglas and Peucker, without recursion). `work` has room
/// for as many. Returns how many are left.
static int thin(CaromPoint *points, int count, int *work) {
    const double tolerance = 0.06; // px
    int depth = 0, kept = 0, from = 0;
    if (count < 3) {
        return count;
    }
    work[depth++] = count - 1; // a stack of ends of stretches
    while (depth > 0) {
        int to = work[depth - 1], farthest = -1;
        double most = tolerance;
        for (int i = from + 1; i < to; i++) {
            double off = off_line(points[i], points[from], points[to]);
            if (off > most) {
                most = off;
                farthest = i;
            }
        }
        if (farthest >= 0) {
            work[depth++] = farthest;
        } else {
            points[kept++] = points[from]; // kept <= from: nothing unread is lost
            from = to;
            depth--;
        }
    }
    points[kept++] = points[count - 1];
    return kept;
}

/// A triangle with its tip at a point.
static void draw_head(const Drawing *drawing, CaromInk colour, CaromPoint tip, CaromPoint direction,
                      double size) {
    double length = hypot(direction.x, direction.y);
    if (length <= 0) {
        return;
    }
    double ux = direction.x / length * size, uy = direction.y / length * size;
    CaromPoint corners[3] = {tip,
                             {tip.x - ux - 0.42 * uy, tip.y - uy + 0.42 * ux},
                             {tip.x - ux + 0.42 * uy, tip.y - uy - 0.42 * ux}};
    CaromPaint paint = {.fill = ink(drawing, colour)};
    drawing->canvas->kind->polyline(drawing->canvas, &paint, true, 3, corners);
}

/// The head of a line at a share of its length.
static void draw_line_head(const Drawing *drawing, const CaromItem *item, int count,
                           const CaromPoint *points) {
    double total = 0, sum = 0;
    for (int i = 1; i < count; i++) {
        total += hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    }
    for (int i = 1; i < count && total > 36; i++) {
        double dx = points[i].x - points[i - 1].x, dy = points[i].y - points[i - 1].y;
        double length = hypot(dx, dy), wanted = item->head * total - sum;
        if (wanted <= length && length > 0) {
            double t = wanted / length, back = item->head_back ? -1 : 1;
            double size = 6.5 + 2.4 * item->look.width;
            CaromPoint tip = {points[i - 1].x + t * dx + back * 0.5 * size * dx / length,
                              points[i - 1].y + t * dy + back * 0.5 * size * dy / length};
            draw_head(drawing, item->look.line, tip, (CaromPoint){back * dx, back * dy}, size);
            return;
        }
        sum += length;
    }
}

static void draw_stretch(const Drawing *drawing, const CaromItem *item, int count,
                         CaromPoint *points, int *work) {
    CaromPaint paint = paint_of(drawing, &item->look);
    bool closed = item->kind == CAROM_ITEM_REGION;
    if (!closed) {
        paint.fill.a = 0;
    }
    count = thin(points, count, work);
    if (count > 1) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, closed, count, points);
        if (item->head > 0) {
            draw_line_head(drawing, item, count, points);
        }
    }
}

/// A line in stretches of finite points.
static void draw_path(Drawing *drawing, const CaromView *view, const CaromItem *item) {
    CaromPoint *points = malloc(sizeof *points * (size_t)(item->count + 1));
    int *work = malloc(sizeof *work * (size_t)(item->count + 1)), count = 0;
    drawing->failed = drawing->failed || !points || !work;
    for (int i = 0; points && work && i <= item->count; i++) {
        CaromPoint at =
            i < item->count ? carom_view_point(view, item->points[i]) : (CaromPoint){NAN, NAN};
        if (isfinite(at.x + at.y)) {
            points[count++] = at;
        } else {
            draw_stretch(drawing, item, count, points, work);
            count = 0;
        }
    }
    free(points);
    free(work);
}

static void draw_ray(const Drawing *drawing, const CaromView *view, const CaromItem *item) {
    CaromPoint ends[2];
    CaromPaint paint = paint_of(drawing, &item->look);
    paint.fill.a = 0;
    if (carom_view_ray(view, item, ends)) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, false, 2, ends);
        if (item->head > 0) {
            draw_line_head(drawing, item, 2, ends);
        }
    }
}

static void draw_arrow(const Drawing *drawing, const CaromView *view, const CaromItem *item) {
    CaromPoint ends[2] = {carom_view_point(view, item->points[0]),
                          carom_view_point(view, item->points[1])};
    CaromPoint along = {ends[1].x - ends[0].x, ends[1].y - ends[0].y};
    double length = hypot(along.x, along.y), head = fmin(13, 0.7 * length);
    CaromPaint paint = paint_of(drawing, &item->look);
    paint.fill.a = 0;
    if (length < 1.5 || !isfinite(length)) {
        return;
    }
    CaromPoint tip = ends[1];
    ends[1] =
        (CaromPoint){tip.x - 0.8 * head * along.x / length, tip.y - 0.8 * head * along.y / length};
    drawing->canvas->kind->polyline(drawing->canvas, &paint, false, 2, ends);
    draw_head(drawing, item->look.line, tip, along, head);
}

// ---- Marks -----------------------------------------------------------------------------------

static void draw_polygon_mark(const Drawing *drawing, const CaromPaint *paint, CaromPoint at,
                              int corners, double angle, double radius) {
    CaromPoint points[4];
    for (int i = 0; i < corners; i++) {
        double a = angle + 6.283185307179586 * i / corners;
        points[i] = (CaromPoint){at.x + radius * cos(a), at.y - radius * sin(a)};
    }
    drawing->canvas->kind->polyline(drawing->canvas, paint, true, corners, points);
}

static void draw_cross(const Drawing *drawing, const CaromPaint *paint, CaromPoint at, double r) {
    CaromPoint a[2] = {{at.x - r, at.y - r}, {at.x + r, at.y + r}};
    CaromPoint b[2] = {{at.x - r, at.y + r}, {at.x + r, at.y - r}};
    drawing->canvas->kind->polyline(drawing->canvas, paint, false, 2, a);
    drawing->canvas->kind->polyline(drawing->canvas, paint, false, 2, b);
}

static void draw_mark(const Drawing *drawing, CaromMarkShape shape, CaromInk colour,
                      CaromPoint at) {
    const double r = CAROM_MARK_RADIUS, up = 1.5707963267948966;
    CaromPaint paint = {
        .fill = ink(drawing, colour), .line = ink(drawing, CAROM_INK_PAPER), .width = 1.5};
    CaromPaint outline = {
        .fill = ink(drawing, CAROM_INK_PAPER), .line = ink(drawing, colour), .width = 2.2};
    CaromPaint strokes = {.line = ink(drawing, colour), .width = 2.6};
    switch (shape) {
    case CAROM_NO_MARK:
        break;
    case CAROM_DOT:
        drawing->canvas->kind->circle(drawing->canvas, &paint, at, r);
        break;
    case CAROM_RING:
        drawing->canvas->kind->circle(drawing->canvas, &outline, at, r - 1);
        break;
    case CAROM_SQUARE:
        draw_polygon_mark(drawing, &paint, at, 4, up / 2, 1.25 * r);
        break;
    case CAROM_DIAMOND:
        draw_polygon_mark(drawing, &paint, at, 4, up, 1.35 * r);
        break;
    case CAROM_TRIANGLE:
        draw_polygon_mark(drawing, &paint, at, 3, up, 1.35 * r);
        break;
    case CAROM_CROSS:
        draw_cross(drawing, &strokes, at, 0.75 * r);
        break;
    }
}

// ---- Axes ------------------------------------------------------------------------------------

static void draw_segment(const Drawing *drawing, CaromInk colour, double width, CaromPoint a,
                         CaromPoint b) {
    CaromPoint points[2] = {a, b};
    CaromPaint paint = {.line = ink(drawing, colour), .width = width};
    drawing->canvas->kind->polyline(drawing->canvas, &paint, false, 2, points);
}

static double tick_x(const CaromView *view, int i) {
    double share = (view->x.tick[i] - view->x.low) / (view->x.high - view->x.low);
    return view->box.left + share * (view->box.right - view->box.left);
}

static double tick_y(const CaromView *view, int i) {
    double share = (view->y.tick[i] - view->y.low) / (view->y.high - view->y.low);
    return view->box.bottom - share * (view->box.bottom - view->box.top);
}

static void draw_grid(const Drawing *drawing, const CaromView *view) {
    const CaromBox *box = &view->box;
    for (int i = 0; i < view->x.ticks && view->panel->x.name_count == 0; i++) {
        double x = tick_x(view, i);
        draw_segment(drawing, CAROM_INK_FAINT, 1, (CaromPoint){x, box->top},
                     (CaromPoint){x, box->bottom});
    }
    for (int i = 0; i < view->y.ticks && view->panel->y.name_count == 0; i++) {
        double y = tick_y(view, i);
        draw_segment(drawing, CAROM_INK_FAINT, 1, (CaromPoint){box->left, y},
                     (CaromPoint){box->right, y});
    }
}

static void draw_axes(const Drawing *drawing, const CaromView *view) {
    const CaromBox *box = &view->box;
    const Style number = {CAROM_TICK_SIZE, .ink = CAROM_INK_TEXT};
    const Style title = {CAROM_TEXT_SIZE, .ink = CAROM_INK_TEXT};
    CaromPoint corners[4] = {{box->left, box->top},
                             {box->right, box->top},
                             {box->right, box->bottom},
                             {box->left, box->bottom}};
    CaromPaint paint = {.line = ink(drawing, CAROM_INK_SOFT), .width = 1.2};
    if (!view->panel->open) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, true, 4, corners);
    }
    for (int i = 0; i < view->x.ticks; i++) {
        CaromPoint at = {tick_x(view, i), box->bottom + CAROM_TICK_SIZE + 4};
        write(drawing, view->x.text[i], at, 0.5, number);
    }
    for (int i = 0; i < view->y.ticks; i++) {
        CaromPoint at = {box->left - 7, tick_y(view, i) + 0.35 * CAROM_TICK_SIZE};
        write(drawing, view->y.text[i], at, 1, number);
    }
    double below = box->bottom + (view->x.ticks > 0 ? CAROM_TICK_SIZE + 8 : 0);
    write(drawing, view->x.title,
          (CaromPoint){0.5 * (box->left + box->right), below + CAROM_TEXT_SIZE + 1}, 0.5, title);
    Style upward = title;
    upward.upward = true;
    write(drawing, view->y.title,
          (CaromPoint){view->outer.left + CAROM_TEXT_SIZE - 2, 0.5 * (box->top + box->bottom)}, 0.5,
          upward);
    if (view->panel->title) {
        write(drawing, view->panel->title, (CaromPoint){box->left, box->top - 8}, 0,
              (Style){CAROM_TEXT_SIZE, .bold = true, .ink = CAROM_INK_TEXT});
    }
}

// ---- Legends and labels ------------------------------------------------------------------------

static void draw_swatch(const Drawing *drawing, const CaromItem *entry, CaromPoint at) {
    CaromPaint paint = paint_of(drawing, &entry->look);
    CaromPoint line[2] = {{at.x, at.y}, {at.x + CAROM_SWATCH, at.y}};
    CaromPoint box[4] = {{at.x, at.y - 6},
                         {at.x + CAROM_SWATCH, at.y - 6},
                         {at.x + CAROM_SWATCH, at.y + 6},
                         {at.x, at.y + 6}};
    if (entry->look.fill != CAROM_INK_NONE) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, true, 4, box);
    } else if (entry->shape == CAROM_NO_MARK || entry->look.dash != CAROM_SOLID) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, false, 2, line);
    }
    draw_mark(drawing, entry->shape, entry->look.line,
              (CaromPoint){at.x + CAROM_SWATCH / 2.0, at.y});
}

static void draw_legend(const Drawing *drawing, const CaromView *view) {
    const CaromBox *box = &view->legend;
    double width = view->legend_below ? box->right - box->left : 0;
    CaromPoint corners[4] = {{box->left, box->top},
                             {box->right, box->top},
                             {box->right, box->bottom},
                             {box->left, box->bottom}};
    CaromPaint paint = {
        .fill = ink(drawing, CAROM_INK_PAPER), .line = ink(drawing, CAROM_INK_FAINT), .width = 1};
    paint.fill.a = 0.9;
    int i = 0;
    if (view->panel->entries && !view->legend_below) {
        drawing->canvas->kind->polyline(drawing->canvas, &paint, true, 4, corners);
    }
    for (const CaromItem *entry = view->panel->entries; entry; entry = entry->next) {
        CaromPoint at = carom_legend_place(view->panel, width, i++);
        at = (CaromPoint){box->left + 7 + at.x, box->top + 5 + at.y + CAROM_LINE_HEIGHT / 2.0};
        draw_swatch(drawing, entry, at);
        write(drawing, entry->label,
              (CaromPoint){at.x + CAROM_SWATCH + 7, at.y + 0.35 * CAROM_TEXT_SIZE}, 0,
              (Style){CAROM_TEXT_SIZE, .ink = CAROM_INK_TEXT});
    }
}

static void draw_label(Drawing *drawing, const CaromView *view, const CaromItem *item) {
    CaromLabel label = carom_place_label(&drawing->cover, view, item);
    const CaromBox *box = &label.box;
    if (box->right <= box->left) {
        return; // out of sight
    }
    if (label.leader) {
        CaromPoint near = {fmin(fmax(label.anchor.x, box->left), box->right),
                           fmin(fmax(label.anchor.y, box->top), box->bottom)};
        draw_segment(drawing, CAROM_INK_SOFT, 1, label.anchor, near);
    }
    write(drawing, item->label, (CaromPoint){box->left + 2, box->bottom - 0.33 * CAROM_TEXT_SIZE},
          0, (Style){CAROM_TEXT_SIZE, .halo = true, .ink = item->label_ink});
}

// ---- Panels ----------------------------------------------------------------------------------

static bool in_sight(const CaromBox *box, CaromPoint at) {
    return at.x >= box->left - 1 && at.x <= box->right + 1 && at.y >= box->top - 1 &&
           at.y <= box->bottom + 1;
}

static void draw_item(Drawing *drawing, const CaromView *view, const CaromItem *item) {
    CaromPaint paint = paint_of(drawing, &item->look);
    CaromPoint at = carom_view_point(view, item->points[0]);
    switch (item->kind) {
    case CAROM_ITEM_LINE:
    case CAROM_ITEM_REGION:
        draw_path(drawing, view, item);
        break;
    case CAROM_ITEM_RAY:
    case CAROM_ITEM_THROUGH:
        draw_ray(drawing, view, item);
        break;
    case CAROM_ITEM_DISC:
        drawing->canvas->kind->circle(drawing->canvas, &paint, at,
                                      item->radius * carom_view_unit(view));
        break;
    case CAROM_ITEM_ARROW:
        draw_arrow(drawing, view, item);
        break;
    case CAROM_ITEM_MARK:
    case CAROM_ITEM_NOTE:
        break;
    }
}

static void draw_panel(Drawing *drawing, CaromView *view) {
    const CaromCanvasKind *kind = drawing->canvas->kind;
    if (!view->panel->open && !view->panel->no_grid) {
        draw_grid(drawing, view);
    }
    kind->clip(drawing->canvas, &view->box);
    for (const CaromItem *item = view->panel->items; item; item = item->next) {
        draw_item(drawing, view, item);
    }
    kind->unclip(drawing->canvas);
    draw_axes(drawing, view);
    for (const CaromItem *item = view->panel->items; item; item = item->next) {
        CaromPoint at = carom_view_point(view, item->points[0]);
        if (item->kind == CAROM_ITEM_MARK && in_sight(&view->box, at)) {
            draw_mark(drawing, item->shape, item->look.line, at);
        }
    }
    draw_legend(drawing, view);
    carom_cover_box(&drawing->cover, &view->legend, 255);
    // Marks first: their labels have the fewest places.
    for (int pass = 0; pass < 2; pass++) {
        for (const CaromItem *item = view->panel->items; item; item = item->next) {
            bool first = item->kind == CAROM_ITEM_MARK || item->kind == CAROM_ITEM_DISC;
            if (item->label && item->label[0] && item->count > 0 && first == (pass == 0)) {
                draw_label(drawing, view, item);
            }
        }
    }
}

// ---- The figure ------------------------------------------------------------------------------

/// Legends go where they cover nothing: into the frame if it has room, else below it.
static int lay_out(Drawing *drawing, CaromView views[CAROM_MAX_PANELS]) {
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        count = carom_lay_out(drawing->figure, views);
        memset(drawing->cover.cells, 0,
               (size_t)drawing->cover.columns * (size_t)drawing->cover.rows);
        for (int i = 0; i < count; i++) {
            carom_cover_items(&drawing->cover, &views[i]);
        }
        for (int i = 0; i < count && pass == 0; i++) {
            CaromPoint size = carom_legend_size(views[i].panel, 0);
            views[i].legend_below =
                views[i].panel->entries &&
                (views[i].panel->legend_below ||
                 !carom_place_legend(&drawing->cover, &views[i].box, size, &views[i].legend));
        }
    }
    for (int i = 0; i < count; i++) {
        CaromView *view = &views[i];
        CaromPoint size = carom_legend_size(view->panel, view->outer.right - view->outer.left);
        if (view->legend_below) {
            view->legend = (CaromBox){view->outer.left, view->outer.bottom - size.y,
                                      view->outer.right, view->outer.bottom};
        } else if (view->panel->entries) {
            size = carom_legend_size(view->panel, 0);
            (void)carom_place_legend(&drawing->cover, &view->box, size, &view->legend);
        }
    }
    return count;
}

static CaromStatus open_canvas(const CaromFigure *figure, const CaromPlotOptions *options,
                               CaromCanvas **canvas) {
    CaromSheet sheet = {.width = figure->width,
                        .height = figure->height,
                        .scale = options->scale,
                        .title = figure->title ? figure->title : "",
                        .paper = carom_ink_rgba(CAROM_INK_PAPER, options->theme)};
    switch (options->format) {
    case CAROM_PLOT_PNG:
        return carom_canvas_png(&sheet, canvas);
    case CAROM_PLOT_PDF:
        return carom_canvas_pdf(&sheet, canvas);
    default:
        return carom_canvas_svg(&sheet, canvas);
    }
}

CaromStatus carom_figure_draw(const CaromFigure *figure, const CaromPlotOptions *options,
                              CaromPicture *picture) {
    CaromView views[CAROM_MAX_PANELS] = {0};
    Drawing drawing = {.figure = figure, .theme = options->theme};
    drawing.cover.columns = (int)(figure->width / CAROM_CELL) + 1;
    drawing.cover.rows = (int)(figure->height / CAROM_CELL) + 1;
    drawing.cover.cells =
        calloc((size_t)drawing.cover.columns * (size_t)drawing.cover.rows, sizeof(unsigned char));
    CaromStatus status = figure->no_memory || !drawing.cover.cells
                             ? CAROM_NO_MEMORY
                             : open_canvas(figure, options, &drawing.canvas);
    if (status == CAROM_OK) {
        int count = lay_out(&drawing, views);
        draw_header(&drawing);
        for (int i = 0; i < count; i++) {
            draw_panel(&drawing, &views[i]);
        }
        status = drawing.canvas->kind->close(drawing.canvas, picture);
    }
    if (status == CAROM_OK && drawing.failed) {
        carom_picture_destroy(picture);
        status = CAROM_NO_MEMORY;
    }
    free(drawing.cover.cells);
    return status;
}
