/* How many threads OpenMP has, and how they wait. */
#ifndef IMP_OMP_START_H
#define IMP_OMP_START_H

/* To be called first in main. The program may execute itself again, in the same process. */
void omp_start(char **argv);

#endif
