/* SIGINT, SIGTERM and SIGHUP, except those ignored when the program began (nohup; `&` in a
 * script). */
#ifndef IMP_SIGNALS_H
#define IMP_SIGNALS_H

#include "impinge.h"

#include <stdatomic.h>

/* From now on the first signal cancels the pipelines of this list, which ends with NULL and must
 * not change while it is watched; if list is NULL, it ends the program at once, with the signal's
 * exit code. A second signal always does that. */
void signals_watch(imp *const *list);

/* The same without a pipeline: the first signal only sets the number that the returned pointer
 * refers to, which the program polls. */
const atomic_int *signals_note(void);

/* Called when the work is done or has failed: a first signal no longer has any effect. A second
 * one, after a signal that arrived earlier, still ends the program. */
void signals_end(void);

/* Sets files to be removed if the program is ended at once, since they are useless then. The texts
 * must not change until the next call; NULL: none. */
void signals_remove(const char *path, const char *path2);

/* Returns the number of the signal that arrived while a pipeline was watched, or 0. */
int signals_came(void);

#endif
