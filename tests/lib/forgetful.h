/* Allocations that fail. A program that links this file with the linker options that CMake calls
 * `forgetful_wraps` calls forgetful() before each allocation of its own code, excluding libraries:
 * those of mem.h, whether a block is new or reused, and those of the C library. Allocations inside
 * mem.h for such a request do not count separately. */
#ifndef IMP_FORGETFUL_H
#define IMP_FORGETFUL_H

/* Returns 1 if the next allocation is to fail. Defined by the program that links this; called from
 * any thread. */
int forgetful(void);

#endif
