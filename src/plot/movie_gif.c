// SPDX-License-Identifier: Apache-2.0
// A movie as GIF: each picture is painted with a small palette and only the part that changed is
// kept, packed by LZW [GIF89a].
#include "base/elementary.h"
#include "plot/movie.h"
#include "plot/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The palette: paper is 0, and each ink has SHADES from faint to full, for smooth edges.
enum { SHADES = 8, INKS = 31, COLOURS = 256 };

typedef unsigned char Pixel;

typedef struct Sheet {
    int width, height;
    Pixel *pixels;
} Sheet;

// ---- Painting --------------------------------------------------------------------------------

/// Paint a pixel with a share of an ink; faint edges do not cover what is there.
static void paint(Sheet *sheet, int x, int y, int ink, double share) {
    int shade = (int)lround(fmin(share, 1) * SHADES) - 1;
    if (shade < 0) {
        return;
    }
    Pixel *pixel = &sheet->pixels[(size_t)y * (size_t)sheet->width + (size_t)x];
    if (*pixel == 0 || shade >= SHADES / 2) {
        *pixel = (Pixel)(SHADES + ink * SHADES + shade);
    }
}

static int clamp(double value, int high) {
    return (int)fmin(fmax(value, 0), high);
}

static void paint_disc(Sheet *sheet, CaromPoint at, double radius, int ink) {
    int left = clamp(at.x - radius - 1, sheet->width),
        top = clamp(at.y - radius - 1, sheet->height);
    int right = clamp(at.x + radius + 2, sheet->width);
    int bottom = clamp(at.y + radius + 2, sheet->height);
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            double away = hypot(x + 0.5 - at.x, y + 0.5 - at.y);
            paint(sheet, x, y, ink, radius - away + 0.5);
        }
    }
}

/// Along the longer of the two ways, as many pixels across as the line is wide.
static void paint_line(Sheet *sheet, CaromPoint a, CaromPoint b, double width, int ink) {
    bool steep = fabs(b.y - a.y) > fabs(b.x - a.x);
    CaromPoint p = steep ? (CaromPoint){a.y, a.x} : a, q = steep ? (CaromPoint){b.y, b.x} : b;
    if (p.x > q.x) {
        CaromPoint t = p;
        p = q;
        q = t;
    }
    int length = steep ? sheet->height : sheet->width,
        across = steep ? sheet->width : sheet->height;
    double slope = q.x > p.x ? (q.y - p.y) / (q.x - p.x) : 0;
    double reach = 0.5 * width * sqrt(1 + slope * slope);
    for (int i = clamp(p.x, length); i < clamp(q.x + 1, length); i++) {
        double centre = p.y + slope * (i + 0.5 - p.x);
        for (int j = clamp(centre - reach - 1, across); j < clamp(centre + reach + 2, across);
             j++) {
            double share = reach - fabs(j + 0.5 - centre) + 0.5;
            paint(sheet, steep ? j : i, steep ? i : j, ink, share);
        }
    }
}

enum { INK_TEXT = 0, INK_SOFT = 1, INK_WHITE = 2, INK_RED = 3, FIRST_BALL = 4 };

// ---- Words -----------------------------------------------------------------------------------

/// A title or a name: shares of ink that are the same in every picture.
typedef struct Word {
    int width, height;
    unsigned char *mask; ///< NULL if there is no text
} Word;

/// False without memory.
static bool make_word(const char *text, double size, bool bold, Word *word) {
    int width = (int)carom_text_width(text, size, bold) + 2;
    *word = (Word){(width + 3) / 4 * 4, (int)(1.5 * size), NULL};
    word->mask = calloc((size_t)word->width, (size_t)word->height);
    if (word->mask != NULL) {
        carom_text_mask(text, size, bold, word->width, word->height, word->mask);
    }
    return word->mask != NULL;
}

static void paint_word(Sheet *sheet, const Word *word, int left, int top) {
    for (int i = 0; word->mask != NULL && i < word->width * word->height; i++) {
        int x = left + i % word->width, y = top + i / word->width;
        if (x >= 0 && x < sheet->width && y >= 0 && y < sheet->height) {
            paint(sheet, x, y, INK_TEXT, word->mask[i] / 255.0);
        }
    }
}

enum { TITLE_SIZE = 12, NAME_SIZE = 10, TIME_WIDTH = 90, LONGEST_TIME = 32 };

static const char time_letters[] = "0123456789. s"; ///< all that a time consists of
enum { LETTERS = sizeof time_letters - 1, TITLE = LETTERS, FIRST_NAME };

/// The letters of the time; the title, as much of it as fits beside the time; the names of the
/// actors.
static bool make_words(const CaromMovie *movie, Word *words) {
    bool made = true;
    for (int i = 0; i < LETTERS && made; i++) {
        made = make_word((char[]){time_letters[i], '\0'}, TITLE_SIZE, false, &words[i]);
    }
    char title[256];
    int fits = carom_text_fit(movie->title, TITLE_SIZE, true, movie->width - TIME_WIDTH);
    (void)snprintf(title, sizeof title, "%.*s%s", fits < 240 ? fits : 240, movie->title,
                   movie->title[fits] ? " ..." : "");
    made = made && make_word(title, TITLE_SIZE, true, &words[TITLE]);
    for (int a = 0; a < movie->actor_count && made; a++) {
        const char *name = movie->actors[a].name;
        made = name == NULL || make_word(name, NAME_SIZE, false, &words[FIRST_NAME + a]);
    }
    return made;
}

/// The title above all, names at the upper right of their balls.
static void paint_words(const CaromMovie *movie, int p, const Word *words, Sheet *sheet) {
    paint_word(sheet, &words[TITLE], 6, 1);
    for (int a = 0; a < movie->actor_count; a++) {
        CaromPoint at = movie->places[(size_t)p * (size_t)movie->actor_count + (size_t)a];
        double radius = movie->actors[a].radius;
        double base = at.y - radius - 1 + 0.25 * NAME_SIZE;
        const Word *name = &words[FIRST_NAME + a];
        paint_word(sheet, name, (int)lround(at.x + radius + 2), (int)lround(base) - name->height);
    }
}

/// The time of the run in seconds with two decimals, in the upper right corner.
static void paint_time(const CaromMovie *movie, double time, const Word *words, Sheet *sheet) {
    char text[LONGEST_TIME];
    (void)snprintf(text, sizeof text, "%.2f s", time);
    double x = movie->width - 6 - carom_text_width(text, TITLE_SIZE, false);
    for (const char *c = text; *c != '\0'; c++) {
        const char *letter = strchr(time_letters, *c);
        if (letter != NULL) {
            paint_word(sheet, &words[letter - time_letters], (int)lround(x), 1);
        }
        x += carom_text_width((char[]){*c, '\0'}, TITLE_SIZE, false);
    }
}

/// A ball with its rim, its stripe and its mark.
static void paint_ball(Sheet *sheet, const CaromActor *actor, CaromPoint at, CaromPoint mark,
                       int ink) {
    paint_disc(sheet, at, actor->radius + 0.6, INK_TEXT);
    paint_disc(sheet, at, actor->radius - 0.2, INK_WHITE);
    paint_disc(sheet, at, (actor->striped ? 0.62 : 1) * actor->radius - 0.2, ink);
    if (!actor->hangs) {
        bool red = carom_mark_ink(actor) == CAROM_INK_BALL_RED;
        paint_disc(sheet, (CaromPoint){at.x + mark.x, at.y + mark.y}, fmax(0.22 * actor->radius, 1),
                   red ? INK_RED : INK_WHITE);
    }
}

static void paint_picture(const CaromMovie *movie, int p, const Word *words, Sheet *sheet) {
    const CaromPoint *places = &movie->places[(size_t)p * (size_t)movie->actor_count];
    const CaromPoint *marks = &movie->marks[(size_t)p * (size_t)movie->actor_count];
    memset(sheet->pixels, 0, (size_t)sheet->width * (size_t)sheet->height);
    for (int i = 0; i < movie->line_count; i++) {
        paint_line(sheet, movie->lines[i][0], movie->lines[i][1], 3, INK_TEXT);
    }
    for (int a = 0; a < movie->actor_count; a++) {
        if (movie->actors[a].hangs) {
            paint_line(sheet, movie->actors[a].pivot, places[a], 1.5, INK_SOFT);
        }
    }
    for (int a = 0; a < movie->actor_count; a++) {
        int ink = FIRST_BALL + a % (INKS - FIRST_BALL - 1);
        if (a < movie->first) {
            paint_disc(sheet, places[a], movie->actors[a].radius, ink);
        } else {
            paint_ball(sheet, &movie->actors[a], places[a], marks[a], ink);
        }
    }
    paint_words(movie, p, words, sheet);
    paint_time(movie, p * movie->speed / movie->rate, words, sheet);
}

// ---- LZW -------------------------------------------------------------------------------------

/// Codes of growing width, packed from the lowest bit on into blocks of at most 255 bytes.
typedef struct Packer {
    CaromBytes *bytes;
    unsigned bits;
    int bit_count;
    unsigned char block[256]; ///< its length first
} Packer;

static void flush_block(Packer *packer) {
    if (packer->block[0] > 0) {
        carom_bytes_add(packer->bytes, packer->block, packer->block[0] + 1u);
        packer->block[0] = 0;
    }
}

static void put_code(Packer *packer, unsigned code, int width) {
    packer->bits |= code << packer->bit_count;
    packer->bit_count += width;
    while (packer->bit_count >= 8) {
        packer->block[++packer->block[0]] = (unsigned char)(packer->bits & 255u);
        packer->bits >>= 8;
        packer->bit_count -= 8;
        if (packer->block[0] == 255) {
            flush_block(packer);
        }
    }
}

enum { CLEAR = 256, END = 257, FIRST_CODE = 258, MOST_CODES = 4096 };

/// The strings seen so far: the code of a string and one more pixel, or 0.
typedef struct Strings {
    unsigned short next[MOST_CODES][COLOURS];
} Strings;

typedef struct Part {
    int left, top, right, bottom; ///< the last two are outside
} Part;

static void pack(CaromBytes *bytes, const Sheet *sheet, Part part, Strings *strings) {
    Packer packer = {.bytes = bytes};
    int width = 9, code_count = FIRST_CODE, string = -1;
    carom_bytes_add(bytes, (unsigned char[]){8}, 1);
    memset(strings, 0, sizeof *strings);
    put_code(&packer, CLEAR, width);
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            Pixel pixel = sheet->pixels[(size_t)y * (size_t)sheet->width + (size_t)x];
            if (string < 0) {
                string = pixel;
                continue;
            }
            if (strings->next[string][pixel]) {
                string = strings->next[string][pixel];
                continue;
            }
            put_code(&packer, (unsigned)string, width);
            if (code_count < MOST_CODES) {
                strings->next[string][pixel] = (unsigned short)code_count;
                width += code_count == 1 << width;
                code_count++;
            } else {
                put_code(&packer, CLEAR, width);
                memset(strings, 0, sizeof *strings);
                width = 9;
                code_count = FIRST_CODE;
            }
            string = pixel;
        }
    }
    put_code(&packer, (unsigned)string, width);
    put_code(&packer, END, width);
    put_code(&packer, 0, 7); // what is left of the last byte
    flush_block(&packer);
    carom_bytes_add(bytes, "", 1);
}

// ---- The file --------------------------------------------------------------------------------

static void put_word(CaromBytes *bytes, int value) {
    unsigned char word[2] = {(unsigned char)(value & 255), (unsigned char)(value >> 8 & 255)};
    carom_bytes_add(bytes, word, 2);
}

static void put_palette(CaromBytes *bytes, const CaromMovie *movie) {
    CaromRgba paper = carom_ink_rgba(CAROM_INK_PAPER, movie->theme);
    for (int i = 0; i < COLOURS; i++) {
        int ink = i / SHADES - 1, ball = ink - FIRST_BALL;
        CaromInk name = ink < 0                     ? CAROM_INK_PAPER
                        : ink == INK_TEXT           ? CAROM_INK_TEXT
                        : ink == INK_SOFT           ? CAROM_INK_SOFT
                        : ink == INK_WHITE          ? CAROM_INK_BALL_WHITE
                        : ink == INK_RED            ? CAROM_INK_BALL_RED
                        : ball < movie->actor_count ? movie->actors[ball].ink
                                                    : CAROM_INK_PAPER;
        CaromRgba full = carom_ink_rgba(name, movie->theme);
        double share = (i % SHADES + 1.0) / SHADES;
        const double mixed[3] = {paper.r + share * (full.r - paper.r),
                                 paper.g + share * (full.g - paper.g),
                                 paper.b + share * (full.b - paper.b)};
        for (int k = 0; k < 3; k++) {
            unsigned char value = (unsigned char)lround(255 * mixed[k]);
            carom_bytes_add(bytes, &value, 1);
        }
    }
}

/// The smallest part in which two sheets differ; one pixel where they do not.
static Part changed(const Sheet *a, const Sheet *b) {
    Part part = {a->width, a->height, 0, 0};
    for (int y = 0; y < a->height; y++) {
        size_t row = (size_t)y * (size_t)a->width;
        if (memcmp(a->pixels + row, b->pixels + row, (size_t)a->width) == 0) {
            continue;
        }
        part.top = y < part.top ? y : part.top;
        part.bottom = y + 1;
        for (int x = 0; x < a->width; x++) {
            if (a->pixels[row + (size_t)x] != b->pixels[row + (size_t)x]) {
                part.left = x < part.left ? x : part.left;
                part.right = x + 1 > part.right ? x + 1 : part.right;
            }
        }
    }
    return part.bottom > 0 ? part : (Part){0, 0, 1, 1};
}

static void put_picture(CaromBytes *bytes, const Sheet *sheet, Part part, int delay,
                        Strings *strings) {
    carom_bytes_add(bytes, "\x21\xF9\x04\x04", 4); // what was painted stays
    put_word(bytes, delay);
    carom_bytes_add(bytes, "\0\0\x2C", 3);
    put_word(bytes, part.left);
    put_word(bytes, part.top);
    put_word(bytes, part.right - part.left);
    put_word(bytes, part.bottom - part.top);
    carom_bytes_add(bytes, "", 1);
    pack(bytes, sheet, part, strings);
}

static void put_movie(CaromBytes *bytes, const CaromMovie *movie, const Word *words,
                      Sheet sheets[2], Strings *strings) {
    int delay = (int)lround(100 / movie->rate);
    carom_bytes_add(bytes, "GIF89a", 6);
    put_word(bytes, movie->width);
    put_word(bytes, movie->height);
    carom_bytes_add(bytes, "\xF7\0\0", 3); // a palette of 256 colours
    put_palette(bytes, movie);
    carom_bytes_add(bytes, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19); // over and over
    for (int p = 0; p < movie->picture_count && !bytes->failed; p++) {
        Sheet *sheet = &sheets[p % 2];
        paint_picture(movie, p, words, sheet);
        Part all = {0, 0, movie->width, movie->height};
        put_picture(bytes, sheet, p > 0 ? changed(sheet, &sheets[1 - p % 2]) : all, delay, strings);
    }
    carom_bytes_add(bytes, ";", 1);
}

CaromStatus carom_movie_gif(const CaromMovie *movie, CaromPicture *picture) {
    CaromBytes bytes = {0};
    size_t size = (size_t)movie->width * (size_t)movie->height;
    Sheet sheets[2] = {{movie->width, movie->height, calloc(size, 1)},
                       {movie->width, movie->height, calloc(size, 1)}};
    Strings *strings = malloc(sizeof *strings);
    int word_count = FIRST_NAME + movie->actor_count;
    Word *words = calloc((size_t)word_count, sizeof *words);
    CaromStatus status = CAROM_NO_MEMORY;
    if (sheets[0].pixels && sheets[1].pixels && strings && words && make_words(movie, words)) {
        put_movie(&bytes, movie, words, sheets, strings);
        status = carom_bytes_finish(&bytes, picture);
    }
    free(sheets[0].pixels);
    free(sheets[1].pixels);
    free(strings);
    for (int i = 0; words != NULL && i < word_count; i++) {
        free(words[i].mask);
    }
    free(words);
    return status;
}
