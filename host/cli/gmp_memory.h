/* How the program ends where GMP finds no memory, which by itself would abort. */
#ifndef IMP_GMP_MEMORY_H
#define IMP_GMP_MEMORY_H

/* From now on: one line, and exit code 5. Its functions cannot fail, so nobody above them is asked,
 * and the process ends at once, in whichever thread. Files are as after a kill: run --resume goes
 * on from the last committed frame. */
void gmp_memory_guard(void);

#endif
