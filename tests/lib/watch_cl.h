/* A tool that observes some OpenCL calls, like preloaded ones: the program linked with it has
 * functions of these names, which forward to the loader. */
#ifndef IMP_WATCH_CL_H
#define IMP_WATCH_CL_H

/* Number of calls of each kind seen so far. */
typedef struct watched {
    long launches, waits;
} watched;

watched watch_cl(void);

#endif
