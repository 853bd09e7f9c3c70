/* A tool that watches some calls of OpenCL, as those do that are preloaded: the program that is
 * linked with it has calls of these names, which pass on to the loader what they get. */
#ifndef IMP_WATCH_CL_H
#define IMP_WATCH_CL_H

/* How many calls of each kind it has seen so far. */
typedef struct watched {
    long launches, waits;
} watched;

watched watch_cl(void);

#endif
