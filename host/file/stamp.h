/* Has an input been changed while it was read? HDF5 would give zeros for what was cut off. */
#ifndef IMP_STAMP_H
#define IMP_STAMP_H

#include <stddef.h>

/* How a file, and all files that it takes rows from, were at a moment. All zero at first. */
typedef struct file_signatures {
    struct file_signature *signature;
    size_t count, capacity;
} file_signatures;

/* Errors: INPUT, MEMORY. */
int file_signatures_read(const char *path, file_signatures *out);

/* IMP_ERR_INPUT names the first one that is not as it was. */
int file_signatures_check(const file_signatures *s);
void file_signatures_free(file_signatures *s);

#endif
