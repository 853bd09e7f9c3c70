/* SIGINT and SIGTERM. */
#ifndef IMP_SIGNALS_H
#define IMP_SIGNALS_H

#include "impinge.h"

/* From now on either of them cancels the pipeline; NULL: ends the program at once, with the exit
 * code that goes with it. A second one always does that. */
void signals_watch(imp *p);

/* The number of the signal that came while a pipeline was watched, or 0. */
int signals_came(void);

#endif
