/* The file of --object-pairs. */
#ifndef IMP_OBJECT_PAIRS_H
#define IMP_OBJECT_PAIRS_H

#include "mem.h"
#include "store_names.h"

/* Pairs of objects, sorted, each once, the lower number first. */
typedef struct object_pairs {
    int32_t (*pair)[2]; /* NULL: no list was given */
    size_t count;
    int exclude; /* test all pairs except these; 0: only these */
} object_pairs;

/* The file in the value of --object-pairs, without a '-' before it; "-" is standard input. */
const char *object_pairs_path(const char *name);

/* A line is two objects, each a number or a name (`names`, or NULL); blanks or a comma between. A
 * name with blanks, commas or #, or that looks like a number, is in double quotes, a quote in it
 * doubled. '#' begins a comment. A line that begins with '-' and a blank
 * leaves its pair out; so do all lines if `name` is '-' and the file's name. With lines of both
 * kinds, the listed pairs except those left out are tested. IMP_ERR_INPUT names file and line, and
 * of a name that is not there, or that several objects have, what is there. */
int object_pairs_read(mem *m, const char *name, const batch_names *names, object_pairs *out);
void object_pairs_free(mem *m, object_pairs *p);

#endif
