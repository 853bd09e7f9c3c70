/* Files that are sound HDF5, and say something else than they should: values, shapes, types,
 * storage, links and attributes, changed at random. */
#ifndef IMP_MUTATE_H
#define IMP_MUTATE_H

#include "testlib.h"

#define MUTATE_ABOUT 300

/* Changes one thing in a file below /VTKHDF or /impinge. `about` becomes what. */
void mutate_file(const char *path, rng *r, char about[MUTATE_ABOUT]);

#endif
