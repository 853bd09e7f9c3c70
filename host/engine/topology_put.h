/* Corners and objects of a view's primitives, on the devices that read them. */
#ifndef IMP_TOPOLOGY_PUT_H
#define IMP_TOPOLOGY_PUT_H

#include "bounds.h"

/* Fills o->on64, except its bounds. A mesh that several frames have goes to the device once, also
 * where they are of several blocks of as many frames.
 * Errors: MEMORY, DEVICE. */
int topology_put(const context *c, const block_view *v, bounds *o);

#endif
