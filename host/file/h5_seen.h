/* Objects or files that a walk has seen: links lead to the same ones again, and in circles. */
#ifndef IMP_H5_SEEN_H
#define IMP_H5_SEEN_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
typedef struct h5_seen {
    struct seen_pair *at;
    size_t count, capacity;
} h5_seen;

/* Adds a pair of numbers; *is_new: it was not there. Errors: MEMORY. */
int h5_seen_add(h5_seen *s, uint64_t a, uint64_t b, int *is_new);
void h5_seen_free(h5_seen *s);

#endif
