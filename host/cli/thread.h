/* Threads beside the first one, which alone handles signals. */
#ifndef IMP_THREAD_H
#define IMP_THREAD_H

#include <pthread.h>

/* All signals go to the first thread, except those that this one itself may cause. Returns 1, or 0
 * where the system has no more threads. */
int thread_start(pthread_t *out, void *(*run)(void *user), void *user);

#endif
