/* The number of threads that may work in this process. */
#ifndef IMP_MACHINE_H
#define IMP_MACHINE_H

#include <stdint.h>

/* Processors that the process may use, at least 1: those of its affinity, limited by the CPU time
 * of its control group. */
int processors_own(void);

/* The number of threads if a user requests `asked`; 0: OpenMP's default. Never more than
 * processors_own: more only wait for each other, and many exhaust memory. */
int processors_threads(int asked);

/* For tests with more threads than this machine has processors: sets the result of processors_own
 * from now on. */
void processors_pretend(int count);

/* ---- Limits of this process's control group, set by a batch system, a container or a service. */

typedef struct cgroup_limits {
    uint64_t memory;     /* bytes; UINT64_MAX: no limit */
    uint64_t processors; /* CPU time in processors, rounded up; UINT64_MAX: no limit */
} cgroup_limits;

/* `groups` is a file like /proc/self/cgroup, `mount` a folder like /sys/fs/cgroup, of version 1 or
 * 2. Limits of a group hold for all groups in it: the least one up to the root counts. A file that
 * cannot be read is no limit. */
void cgroup_read(const char *groups, const char *mount, cgroup_limits *out);

/* The limits of this process, as of the first call. */
void cgroup_own(cgroup_limits *out);

#endif
