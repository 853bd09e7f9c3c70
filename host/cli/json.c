/* See json.h. */
#include "json.h"

#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Bytes that are not valid UTF-8 become U+FFFD one by one, as in decoders: file names may have any
 * bytes, JSON may not. Control characters are escaped, C1 included: a document may be shown on a
 * terminal. */
static void quoted(json *j, const char *text)
{
    fputc('"', j->out);
    for (const char *c = text; *c;) {
        const size_t n = utf8_bytes(c);
        if (*c == '"' || *c == '\\')
            fprintf(j->out, "\\%c", *c);
        else if (n == 1 && utf8_controls(c, n))
            fprintf(j->out, "\\u%04x", (unsigned)*c);
        else if (n == 2 && utf8_controls(c, n))
            fprintf(j->out, "\\u%04x", (unsigned)(unsigned char)c[1]);
        else if (!n)
            fputs("\\ufffd", j->out);
        else
            fprintf(j->out, "%.*s", (int)n, c);
        c += n ? n : 1;
    }
    fputc('"', j->out);
}

/* Writes the comma before a member, its line, its key. The comma is not written after a member,
 * since the last one must have none. */
static void json_begin_member(json *j, const char *key)
{
    if (!j->first)
        fputc(',', j->out);
    if (j->depth)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    j->first = 0;
    if (key) {
        quoted(j, key);
        fputs(": ", j->out);
    }
}

/* Nesting is tracked here, so callers write members without commas or indentation. */
void json_open(json *j, const char *key, char bracket)
{
    if (!j->depth)
        j->first = 1;
    json_begin_member(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->first = 1;
}

/* An empty object or array stays on one line. */
void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->first)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->out);
    j->first = 0;
    if (!j->depth)
        fputc('\n', j->out);
}

void json_text(json *j, const char *key, const char *value)
{
    json_begin_member(j, key);
    quoted(j, value);
}

/* Writes all digits, even beyond 2^53: readers that use doubles round, others need not. */
void json_count(json *j, const char *key, uint64_t value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_whole(json *j, const char *key, int64_t value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

/* 17 digits read back as the same number; JSON has neither NaN nor infinity. */
void json_real(json *j, const char *key, double value)
{
    json_begin_member(j, key);
    if (isfinite(value))
        fprintf(j->out, "%.17g", value);
    else
        fputs("null", j->out);
}

void json_bool(json *j, const char *key, int value)
{
    json_begin_member(j, key);
    fputs(value ? "true" : "false", j->out);
}

#define BAR 24
#define BAR_LEAST 8
#define EVERY_TTY 0.1
#define EVERY_LINE 5.0

typedef struct progress_state {
    uint64_t done, contacts;
    double rate; /* per second */
    char remaining[32];
} progress_state;

void progress_start(progress *p, int quiet, int when, const char *noun, uint64_t first,
                    uint64_t total)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    /* a dumb terminal cannot return to the start of a line: it gets one line after another, like a
     * file */
    p->tty = isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
    p->on = !quiet && (when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && p->tty));
    p->color = p->tty && !(no_color && *no_color);
    p->noun = noun;
    p->rows = NULL;
    p->first = first;
    p->total = total;
    p->start = p->drawn = clock_seconds();
}

/* "1:02:03 left" or "2:03 left" */
static void time_text(double seconds, char *out, size_t size)
{
    uint64_t s = seconds < 0 ? 0 : seconds > 3e7 ? 30000000 : (uint64_t)(seconds + 0.5);
    unsigned long long h = s / 3600, m = s / 60 % 60;
    if (h)
        snprintf(out, size, "%llu:%02llu:%02llu left", h, m, (unsigned long long)(s % 60));
    else
        snprintf(out, size, "%llu:%02llu left", m, (unsigned long long)(s % 60));
}

/* ---- on a terminal: one line, never longer than its width, or it would wrap and stay */

/* Read each time, since windows change size. The last column stays free: terminals treat it
 * differently. */
static int terminal_width(void)
{
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
    if (!width && columns)
        width = atoi(columns);
    return width > 0 ? width - 1 : 79;
}

/* All other nouns here form their plural with s. */
const char *noun_plural(const char *noun, char out[NOUN_MOST])
{
    const int vertex = !strncmp(noun, "vertex", 6);
    snprintf(out, NOUN_MOST, vertex ? "vertices%s" : "%ss", vertex ? noun + 6 : noun);
    return out;
}

/* The parts of the line, from fewest to most. */
enum detail { DETAIL_COUNT, DETAIL_TIME, DETAIL_CONTACTS, DETAIL_ALL };

static void line_text(const progress *p, const progress_state *s, enum detail detail, char *out,
                      size_t size)
{
    char rate[32] = "", contacts[NOUN_MOST + 32] = "", several[NOUN_MOST];
    if (detail == DETAIL_ALL)
        snprintf(rate, sizeof rate, "  %.3g %ss/s", s->rate, p->noun);
    if (detail >= DETAIL_CONTACTS && s->contacts != PROGRESS_NO_CONTACTS)
        snprintf(contacts, sizeof contacts, "  %llu %s", (unsigned long long)s->contacts,
                 noun_plural(p->rows ? p->rows : "contact", several));
    snprintf(out, size, "%s%s%llu/%llu%s%s%s%s", detail >= DETAIL_CONTACTS ? p->noun : "",
             detail >= DETAIL_CONTACTS ? " " : "", (unsigned long long)s->done,
             (unsigned long long)p->total, rate, detail >= DETAIL_TIME ? "  " : "",
             detail >= DETAIL_TIME ? s->remaining : "", contacts);
}

static void bar_text(const progress *p, uint64_t done, int cells, char *out, size_t size)
{
    static const char full[BAR + 1] = "########################",
                                 empty[BAR + 1] = "........................";
    int n = p->total ? (int)(done * (uint64_t)cells / p->total) : cells;
    snprintf(out, size, "%s%.*s%.*s%s ", p->color ? "\033[32m" : "", n, full, cells - n, empty,
             p->color ? "\033[0m" : "");
}

/* Draws as much of the text as fits and, before it, as much of the bar. Uses one write call, or the
 * line would flicker. */
static void draw_line(const progress *p, const progress_state *s)
{
    char text[160], bar[64] = "";
    int width = terminal_width(), length = 0;
    for (int detail = DETAIL_ALL; detail >= DETAIL_COUNT; detail--) {
        line_text(p, s, (enum detail)detail, text, sizeof text);
        length = (int)strlen(text);
        if (length + 1 + BAR_LEAST <= width)
            break;
    }
    int capacity = width - length - 1, cells = capacity < BAR ? capacity : BAR;
    if (cells >= BAR_LEAST)
        bar_text(p, s->done, cells, bar, sizeof bar);
    fprintf(stderr, "\r%s%.*s\033[K", bar, width, text);
}

/* Called for each block: most calls return at once. */
void progress_show(progress *p, uint64_t done, uint64_t contacts)
{
    double now = clock_seconds(), took = now - p->start;
    /* not too often, and always at the end */
    if (!p->on || (now - p->drawn < (p->tty ? EVERY_TTY : EVERY_LINE) && done < p->total))
        return;
    p->drawn = now;
    progress_state s = {.done = done, .contacts = contacts, .remaining = "? left"};
    if (took > 0)
        s.rate = (double)(done - p->first) / took;
    /* steps of an earlier run do not count: they take no time now */
    if (s.rate > 0)
        time_text((double)(p->total - done) / s.rate, s.remaining, sizeof s.remaining);
    if (p->tty) {
        draw_line(p, &s);
    } else {
        char text[160];
        line_text(p, &s, DETAIL_ALL, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
}

void progress_clear(progress *p)
{
    if (p->on && p->tty)
        fputs("\r\033[2K", stderr);
    fflush(stderr);
}
