/* What calls.c needs of rows.c, and Python does not see. */
#ifndef IMP_PYTHON_CALLS_H
#define IMP_PYTHON_CALLS_H

#include "rows.h"

/* The sink: user is rows[frames]. */
int rows_sink(void *user, const imp_contacts *part);

/* Before a call: if it has one frame, its arrays get room for a little more than the last call
 * found, so that they seldom grow, which copies them. Of many frames most may have far fewer. */
void rows_expect(rows *r, size_t frames, const rows_call *how);

/* After it: gives back what the arrays do not use. */
void rows_trim(rows *r, size_t frames, rows_call *how);

#endif
