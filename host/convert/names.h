/* Numbers for names, in order of first appearance. */
#ifndef IMP_NAMES_H
#define IMP_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct names {
    char **name;         /* [count] "file: group", or the part that is not empty */
    size_t count, bytes; /* bytes: allocated */
    void *tree;          /* of the same names, to find them */
} names;

/* The number of a name within a file; either may be "". IMP_ERR_MEMORY. */
int names_find(names *n, const char *file, const char *group, int32_t *out);
void names_free(names *n);

#endif
