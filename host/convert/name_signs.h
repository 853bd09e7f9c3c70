/* Which hyphens in names of files are signs of negative numbers.
 *
 * A hyphen before digits is a sign at the beginning of a name and after one of "_.,=( -", as in
 * f_-10; after a letter only where another file has the same name without it: frame-1 beside
 * frame0, but not cloth-1 beside cloth-2; after a digit never, as in 2024-01-02. */
#ifndef IMP_NAME_SIGNS_H
#define IMP_NAME_SIGNS_H

#include <stddef.h>

/* A copy of each name in which signs are RUNS_MINUS, for name_signs_free. IMP_ERR_MEMORY. */
int name_signs_read(char *const *file, size_t count, char ***out);
void name_signs_free(char **name, size_t count);

#endif
