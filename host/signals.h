/* SIGINT, SIGTERM and, unless it was ignored when the program began (nohup), SIGHUP. */
#ifndef IMP_SIGNALS_H
#define IMP_SIGNALS_H

#include "impinge.h"

/* From now on each of them cancels the pipeline; NULL: ends the program at once, with the exit
 * code that goes with it. A second one always does that. */
void signals_watch(imp *p);

/* A file that nobody can use if the program is ended at once: it goes, too. The text must stay as
 * it is until this is called again; NULL: none. */
void signals_remove(const char *path);

/* The number of the signal that came while a pipeline was watched, or 0. */
int signals_came(void);

#endif
