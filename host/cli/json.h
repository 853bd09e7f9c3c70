/* Writing one JSON document. Numbers read back exactly and do not depend on the locale's decimal
 * point, which this program never changes. */
#ifndef IMP_JSON_H
#define IMP_JSON_H

#include "clock.h"

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth, first;
} json;

/* key = NULL within an array and for the document itself */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */
void json_text(json *j, const char *key, const char *value);
void json_count(json *j, const char *key, uint64_t value);
void json_whole(json *j, const char *key, int64_t value);
void json_real(json *j, const char *key, double value);
void json_bool(json *j, const char *key, int value);

/* ---- Writes the plural of a noun for things that are counted. */

#define NOUN_MOST 64
const char *noun_plural(const char *noun, char out[NOUN_MOST]);

/* ---- A progress bar on stderr: frames or steps, rate, remaining time, contacts; in one terminal
 * line of any width. */

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

typedef struct progress {
    int on, tty, color;
    const char *noun;      /* name of the counted things */
    const char *rows;      /* name of the rows found; NULL: "contact" */
    uint64_t total, first; /* total number; done before this run */
    double start, drawn;
} progress;

/* when: enum progress_when. AUTO: only if stderr is a terminal. ALWAYS prints a line now and then
 * if it is not. quiet: never. noun: "frame" or "step"; must live as long as the bar. */
void progress_start(progress *p, int quiet, int when, const char *noun, uint64_t first,
                    uint64_t total);
void progress_show(progress *p, uint64_t done, uint64_t contacts);
#define PROGRESS_NO_CONTACTS UINT64_MAX /* contacts are not shown */

/* Clears the bar so that other lines can be printed. */
void progress_clear(progress *p);

#endif
