/* SIGINT, SIGTERM and SIGHUP, unless ignored when the program began (nohup; `&` in a script). */
#ifndef IMP_SIGNALS_H
#define IMP_SIGNALS_H

#include "impinge.h"

#include <stdatomic.h>

/* From now on each of them cancels the pipelines of this list, which ends with NULL and stays as it
 * is while it is watched; NULL: ends the program at once, with the exit code that goes with it. A
 * second one always does that. */
void signals_watch(imp *const *list);

/* The same where there is no pipeline: from now on a first one only sets the number that this
 * points to, and the program looks at it. */
const atomic_int *signals_note(void);

/* All is done, or has failed: a first signal has nothing to end. A second signal still ends the
 * program. */
void signals_end(void);

/* Files that are useless if the program is ended at once: they are removed then. The texts must
 * stay as they are until this is called again; NULL: none. */
void signals_remove(const char *path, const char *path2);

/* The number of the signal that came while a pipeline was watched, or 0. */
int signals_came(void);

#endif
