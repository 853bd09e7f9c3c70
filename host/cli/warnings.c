/* See warnings.h. */
#define _GNU_SOURCE
#include "warnings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Names from files may hold anything; a warning stays one line. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

void warn(warnings *w, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return; /* without memory the run itself will fail */
    one_line(text);
    if (!w->quiet)
        fprintf(stderr, "impinge: warning: %s\n", text);
    /* kept for --json, also where nothing is printed */
    if (w->count == w->capacity) {
        size_t capacity = 2 * w->capacity + 8;
        char **more = realloc(w->text, capacity * sizeof *more);
        if (!more) {
            free(text);
            return;
        }
        w->text = more;
        w->capacity = capacity;
    }
    w->text[w->count++] = text;
}

void warnings_json(json *j, const warnings *w)
{
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < w->count; i++)
        json_text(j, NULL, w->text[i]);
    json_close(j, ']');
}

void warnings_free(warnings *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->text[i]);
    free(w->text);
    *w = (warnings){.quiet = w->quiet};
}
