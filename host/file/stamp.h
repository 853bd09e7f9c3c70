/* Has an input been changed while it was read? HDF5 would give zeros for what was cut off. */
#ifndef IMP_STAMP_H
#define IMP_STAMP_H

#include <stddef.h>

/* How a file, and all files that it takes rows from, were at a moment. All zero at first. */
typedef struct stamps {
    struct stamp *stamp;
    size_t count, capacity;
} stamps;

/* Errors: INPUT, MEMORY. */
int stamps_take(const char *path, stamps *out);

/* IMP_ERR_INPUT names the first one that is not as it was. */
int stamps_check(const stamps *s);
void stamps_free(stamps *s);

#endif
