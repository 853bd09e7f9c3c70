/* Warnings: an answer is right, but may not be what was meant, above all if it is empty. Lines on
 * stderr, also with --quiet, and texts in --json. */
#ifndef IMP_WARNINGS_H
#define IMP_WARNINGS_H

#include "json.h"

#include <stddef.h>

typedef struct warnings {
    char **text;
    size_t count, capacity;
} warnings;

/* Prints it at once and keeps it. */
void warnings_add(warnings *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The member `warnings` of a document. */
void warnings_json(json *j, const warnings *w);
void warnings_free(warnings *w);

#endif
