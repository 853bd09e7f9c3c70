/* bench_job --against: another program with `bench --paced`, built from another state of the
 * sources, that does the same work in alternation with this one, so that other load on the machine
 * affects both. */
#ifndef IMP_AGAINST_H
#define IMP_AGAINST_H

#include "job.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct against {
    const char *program; /* NULL: no other program; the functions below must not be called */
    int listed;          /* it is timed until its rows are handed out, as this one is */
    pid_t pid;
    int line;          /* socket to and from it */
    FILE *answers;     /* the same, for reading */
    FILE *complaints;  /* its stderr, an unnamed file */
    uint64_t contacts; /* found in its last repetition */
} against;

/* Starts `program bench --paced` with the input and the options of *w, and --listed if a->listed.
 * Returns when it has done the uncounted repetition. */
int against_start(against *a, const job *w);

/* One repetition of the other program: the seconds that its bench --paced prints. */
int against_turn(against *a, double *seconds);

void against_stop(against *a);

#endif
