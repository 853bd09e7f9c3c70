/* Which device "auto" means on this machine. A GPU, if there is one; without, the host or OpenCL on
 * it, whichever is faster here. Measuring that takes a second or two, and 4 to 26 while the driver
 * has not compiled the kernels before: so making a pipeline never measures. `impinge devices
 * --compare` does (compare.h), and leaves the answer in the user's cache folder; until it is there
 * "auto" is the host. */
#ifndef IMP_AUTO_H
#define IMP_AUTO_H

#include "impinge.h"

/* Are so few triangles expected that starting OpenCL takes longer than it can save? */
int auto_is_small(const imp_def *def);

/* What is compared with the host: the first OpenCL device that is no GPU. Its number goes to
 * `number`, what it is to *out. Returns 0 if there is none. */
int auto_rival(char *number, size_t size, imp_device_info *out);

/* What is known of it, for this version and this number of threads. */
enum auto_answer {
    AUTO_UNKNOWN = -1,
    AUTO_HOST = 0,  /* the host is faster */
    AUTO_RIVAL = 1, /* the device is */
    AUTO_BEGUN = 2  /* in the file only: a measurement has begun */
};
enum auto_answer auto_known(const imp_device_info *rival, int threads);

/* Measuring may end before it has an answer: by a driver that crashes or hangs, by a system that
 * lets no process stay. After this many attempts the answer is AUTO_HOST. */
#define AUTO_ATTEMPTS 3

/* Where there is no GPU: "cpu" or the rival's number. */
void auto_cpu(int threads, char *name, size_t size);

/* A line "key answer" of the file "devices" (cache.h), with its newline; later ones count more. */
void auto_line(const imp_device_info *rival, int threads, enum auto_answer answer, char *out,
               size_t size);

#endif
