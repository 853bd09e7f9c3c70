/* The hash of an input, or of the share that a shard reads: in a thread, while the pipeline is
 * made.
 */
#ifndef IMP_INPUT_HASH_H
#define IMP_INPUT_HASH_H

#include "failure.h"
#include "store.h"
#include "thread.h"

typedef struct input_hash {
    file_pieces pieces;
    pthread_t thread;
    int started;
    failure failed;
} input_hash;

/* Begins to read share `share` of `shares`; without a thread it reads all of it now. */
int input_hash_begin(input_hash *h, const char *path, uint64_t share, uint64_t shares);

/* Waits; h->pieces is complete then. May be called again. */
int input_hash_end(input_hash *h);

/* Also while it is read: that ends. */
void input_hash_free(input_hash *h);

#endif
