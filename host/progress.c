/* See progress.h. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR 24
#define EVERY_TTY 0.1
#define EVERY_LINE 5.0

void progress_start(progress *p, enum progress_when when, uint64_t first, uint64_t total)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    p->tty = isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
    p->on = when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && p->tty);
    p->color = p->tty && !(no_color && *no_color);
    p->first = first;
    p->total = total;
    p->start = p->drawn = clock_seconds();
}

/* "1:02:03" or "2:03" */
static void time_text(double seconds, char *out, size_t size)
{
    uint64_t s = seconds < 0 ? 0 : seconds > 3e7 ? 30000000 : (uint64_t)(seconds + 0.5);
    unsigned long long h = s / 3600, m = s / 60 % 60;
    if (h)
        snprintf(out, size, "%llu:%02llu:%02llu", h, m, (unsigned long long)(s % 60));
    else
        snprintf(out, size, "%llu:%02llu", m, (unsigned long long)(s % 60));
}

static void draw_bar(const progress *p, uint64_t done)
{
    uint64_t full = p->total ? done * BAR / p->total : BAR;
    fputs(p->color ? "\r\033[2K\033[32m" : "\r", stderr);
    for (uint64_t i = 0; i < BAR; i++)
        fputc(i < full ? '#' : '.', stderr);
    fputs(p->color ? "\033[0m " : " ", stderr);
}

void progress_show(progress *p, uint64_t done, uint64_t contacts)
{
    double now = clock_seconds(), took = now - p->start;
    if (!p->on || (now - p->drawn < (p->tty ? EVERY_TTY : EVERY_LINE) && done < p->total))
        return;
    p->drawn = now;
    double rate = took > 0 ? (double)(done - p->first) / took : 0;
    char left[32] = "?";
    if (rate > 0)
        time_text((double)(p->total - done) / rate, left, sizeof left);
    if (p->tty)
        draw_bar(p, done);
    fprintf(stderr, "frame %llu/%llu  %.3g frames/s  %s left  %llu contacts",
            (unsigned long long)done, (unsigned long long)p->total, rate, left,
            (unsigned long long)contacts);
    fputs(p->tty ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

void progress_clear(progress *p)
{
    if (p->on && p->tty)
        fputs("\r\033[2K", stderr);
    fflush(stderr);
}
