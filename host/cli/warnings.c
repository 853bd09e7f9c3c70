/* See warnings.h. */
#include "warnings.h"

#include "cli.h"

#include <stdlib.h>

/* Stored as text: names in it may not live until the document is written. */
void warnings_add(warnings *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = cli_format(format, args);
    va_end(args);
    if (!text)
        return; /* without memory the run itself will fail */
    fprintf(stderr, "impinge: warning: %s\n", text);
    /* kept for --json */
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
    *w = (warnings){0};
}
