/* Files that are valid HDF5 with unexpected content: values, shapes, types, storage, links and
 * attributes, changed at random. */
#ifndef IMP_MUTATE_H
#define IMP_MUTATE_H

#include "testlib.h"

#define MUTATE_ABOUT 300

/* Changes one thing in a file below /VTKHDF or /impinge. `about` describes the change. */
void mutate_file(const char *path, rng *r, char about[MUTATE_ABOUT]);

#endif
