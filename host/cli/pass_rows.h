/* Some contacts of those that a pipeline hands out go on to another sink. */
#ifndef IMP_PASS_ROWS_H
#define IMP_PASS_ROWS_H

#include "impinge.h"

/* Does row i stay out? */
typedef int row_filter(const void *by, const imp_contacts *c, size_t i);

/* Passes all other rows on, in order; those that stay next to each other together, without a copy.
 * Returns what the sink returns. */
int rows_filter(const imp_contacts *c, row_filter *out, const void *by, imp_sink *sink, void *user);

#endif
