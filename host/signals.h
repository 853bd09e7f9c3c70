/* SIGINT and SIGTERM stop a run after its last committed frame; a second one ends it at once. */
#ifndef IMP_SIGNALS_H
#define IMP_SIGNALS_H

#include "impinge.h"

/* From now on the first signal cancels p, which must outlive the handling; NULL undoes it. */
void signals_watch(imp *p);

/* The signal that came, or 0. */
int signals_came(void);

#endif
