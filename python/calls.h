/* What calls.c needs of rows.c, and Python does not see. */
#ifndef IMP_PYTHON_CALLS_H
#define IMP_PYTHON_CALLS_H

#include "rows.h"

/* The sink: user is rows[frames]. */
int rows_sink(void *user, const imp_contacts *part);

/* Gives back what the arrays do not use. */
void rows_trim(rows *r, size_t frames);

#endif
