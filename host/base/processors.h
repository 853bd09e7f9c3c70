/* How many threads may work in this process. */
#ifndef IMP_PROCESSORS_H
#define IMP_PROCESSORS_H

/* Processors that the process may use, at least 1: those of its affinity, or as many as its control
 * group gives it time of. */
int processors_own(void);

/* The number of threads where a user asks for `asked`, or for none (0): then as many as OpenMP
 * would take. Never more than processors_own: more only wait for each other, and many exhaust
 * memory. */
int processors_threads(int asked);

/* For tests of more threads than this machine has processors: from now on processors_own is that.
 */
void processors_pretend(int count);

#endif
