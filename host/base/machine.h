/* How many threads may work in this process. */
#ifndef IMP_MACHINE_H
#define IMP_MACHINE_H

#include <stdint.h>

/* Processors that the process may use, at least 1: those of its affinity, or as many as its control
 * group gives it time of. */
int processors_own(void);

/* The number of threads where a user asks for `asked`, or for none (0): then as many as OpenMP
 * would take. Never more than processors_own: more only wait for each other, and many exhaust
 * memory. */
int processors_threads(int asked);

/* For tests of more threads than this machine has processors: from now on processors_own is that.
 */
void processors_pretend(int count);

/* ---- What a control group lets this process have: of a batch system, a container or a service. */

typedef struct cgroup_limits {
    uint64_t memory;     /* bytes; UINT64_MAX: no limit */
    uint64_t processors; /* their time, rounded up; UINT64_MAX: no limit */
} cgroup_limits;

/* `groups` is a file like /proc/self/cgroup, `mount` a folder like /sys/fs/cgroup, of version 1 or
 * 2. Limits of a group hold for all groups in it: the least one on the way to the root counts. What
 * cannot be read is no limit. */
void cgroup_read(const char *groups, const char *mount, cgroup_limits *out);

/* Those of this process, as they were when it asked first. */
void cgroup_own(cgroup_limits *out);

#endif
