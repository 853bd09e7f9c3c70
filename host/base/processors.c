/* See processors.h. */
#include "processors.h"

#include "cgroup.h"

#include <omp.h>

static int pretended;

/* OpenMP counts the affinity of the calling thread, of any number of processors. */
int processors_own(void)
{
    cgroup_limits group;
    if (pretended)
        return pretended;
    const int may = omp_get_num_procs();
    cgroup_own(&group);
    return group.processors < (uint64_t)may ? (int)group.processors : may > 0 ? may : 1;
}

int processors_threads(int asked)
{
    const int wanted = asked > 0 ? asked : omp_get_max_threads(), most = processors_own();
    return wanted < most ? wanted : most;
}

void processors_pretend(int count)
{
    pretended = count;
}
