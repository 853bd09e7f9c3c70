/* Which device "auto" means on this machine. */
#ifndef IMP_AUTO_H
#define IMP_AUTO_H

#include "impinge.h"

/* Are so few triangles expected that starting OpenCL takes longer than it can save? */
int auto_is_small(const imp_def *def);

/* Where there is no GPU: "cpu" or the number of the first OpenCL CPU device, whichever is faster.
 * That is measured once and remembered in the user's cache folder, for this version, this device
 * and this number of threads. */
void auto_cpu(const imp_def *def, int threads, char *name, size_t size);

#endif
