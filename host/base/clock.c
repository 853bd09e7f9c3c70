/* See clock.h. */
#include "clock.h"

#include <stddef.h>
#include <sys/resource.h>

/* Faults of all threads, among which the kernels' work is shared. */
static uint64_t faults_of_process(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
}

void faults_resume(faults *f)
{
    if (f)
        f->since = faults_of_process();
}

void faults_pause(faults *f)
{
    if (f)
        f->sum += faults_of_process() - f->since;
}

/* The first two blocks are counted separately: they touch memory for the first time, and later ones
 * should not. */
void faults_block(faults *f)
{
    if (!f)
        return;
    faults_pause(f);
    if (f->blocks == 0)
        f->first = f->sum;
    else if (f->blocks == 1)
        f->second = f->sum;
    else if (f->sum > f->most)
        f->most = f->sum;
    f->blocks++;
    f->sum = 0;
    faults_resume(f);
}
