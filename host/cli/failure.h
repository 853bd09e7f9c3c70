/* An error on its way to another thread: error texts are kept per thread. */
#ifndef IMP_FAILURE_H
#define IMP_FAILURE_H

typedef struct failure {
    int err;
    char text[1024];
} failure;

/* Takes this error of the calling thread along. */
void failure_record(failure *f, int err);

/* It is the calling thread's error now; IMP_OK if there is none. */
int failure_restore(const failure *f);

#endif
