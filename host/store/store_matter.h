/* What the rigid bodies of a batch are made of, beside their poses in /impinge/bodies, and what
 * acts on them, /impinge/simulation (data/format.md). */
#ifndef IMP_STORE_MATTER_H
#define IMP_STORE_MATTER_H

#include "matter.h"

#include <hdf5.h>

/* Into these two groups of the file called `path`. */
int store_matter_write(const matter *m, const int32_t *object, const char *path, hid_t bodies,
                       hid_t impinge);

#endif
