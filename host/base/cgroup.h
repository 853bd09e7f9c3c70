/* What a control group lets this process have: of a batch system, a container or a service. */
#ifndef IMP_CGROUP_H
#define IMP_CGROUP_H

#include <stdint.h>

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
