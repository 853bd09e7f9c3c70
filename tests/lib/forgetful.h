/* Allocations that fail. What links this file with the linker's options that CMake calls
 * `forgetful_wraps` asks forgetful() before each allocation of the program's own code, libraries
 * excepted: of mem.h, whether a block is new or was kept, and of the C library. What mem.h
 * allocates for such a request is part of it and not asked about again. */
#ifndef IMP_FORGETFUL_H
#define IMP_FORGETFUL_H

/* 1: the allocation that comes now fails. The program that links this defines it. Any thread calls
 * it. */
int forgetful(void);

#endif
