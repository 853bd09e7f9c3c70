/* bench_job --against: another program with `bench --paced`, built from another state of the
 * sources, that does the same work in turns with this one, so that other load on the machine
 * affects both. */
#ifndef IMP_AGAINST_H
#define IMP_AGAINST_H

#include "job.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct against {
    const char *program; /* NULL: none, and no function below may be called */
    pid_t pid;
    int line;          /* to it and from it */
    FILE *answers;     /* the same, for reading */
    FILE *complaints;  /* what it prints on stderr, without a name */
    uint64_t contacts; /* of its last repetition */
} against;

/* Starts `program bench --paced` with the input and the options of *w. Returns when it has done the
 * repetition that is not counted. */
int against_start(against *a, const job *w);

/* One repetition of the other program: what bench --paced prints of it. */
int against_turn(against *a, double *seconds);

void against_stop(against *a);

#endif
