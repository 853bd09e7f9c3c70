/* See machine.h. */
#include "machine.h"

#include "impinge.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int pretended;

/* OpenMP counts the processors of the calling thread's affinity, however many the machine has. */
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

#define PATH_MOST 4096

/* Reads the first two words of a file; returns 0 if it has none. */
static int read_words(const char *folder, const char *name, char a[32], char b[32])
{
    char path[PATH_MOST + 64];
    int found = 0;
    *a = *b = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f) {
        found = fscanf(f, "%31s %31s", a, b);
        fclose(f);
    }
    return found > 0;
}

/* "max", and -1 in version 1, mean no limit. */
static uint64_t cgroup_number(const char *word)
{
    uint64_t n;
    char rest;
    return *word != '-' && sscanf(word, "%" SCNu64 "%c", &n, &rest) == 1 ? n : UINT64_MAX;
}

static void lower(uint64_t *to, uint64_t limit)
{
    *to = limit < *to ? limit : *to;
}

/* Rounded up: half a processor is one thread. */
static uint64_t processors_of(uint64_t quota, uint64_t period)
{
    return quota == UINT64_MAX || period == UINT64_MAX || !period ? UINT64_MAX
                                                                  : (quota + period - 1) / period;
}

static void read_folder(const char *folder, cgroup_limits *out)
{
    char a[32], b[32], period[32];
    if (read_words(folder, "memory.max", a, b) || read_words(folder, "memory.limit_in_bytes", a, b))
        lower(&out->memory, cgroup_number(a));
    if (read_words(folder, "cpu.max", a, b))
        lower(&out->processors, processors_of(cgroup_number(a), cgroup_number(b)));
    else if (read_words(folder, "cpu.cfs_quota_us", a, b) &&
             read_words(folder, "cpu.cfs_period_us", period, b))
        lower(&out->processors, processors_of(cgroup_number(a), cgroup_number(period)));
}

/* Reads the folder of a group, then those of its parent groups, up to `mount`. */
static void read_upwards(const char *mount, const char *controller, const char *group,
                         cgroup_limits *out)
{
    char folder[PATH_MOST];
    int n = snprintf(folder, sizeof folder, "%s%s%s%s", mount, *controller ? "/" : "", controller,
                     group);
    if (n < 0 || (size_t)n >= sizeof folder)
        return;
    for (;;) {
        read_folder(folder, out);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(mount))
            return;
        *slash = 0;
    }
}

/* "0::/path" in version 2, "4:memory:/path" and "3:cpu,cpuacct:/path" in version 1, whose folders
 * have the controllers' names. */
static void cgroup_read_line(char *line, const char *mount, cgroup_limits *out)
{
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : 0;
    if (!group)
        return;
    controllers++;
    *group++ = 0;
    if (!*controllers) {
        read_upwards(mount, "", group, out);
        read_upwards(mount, "unified", group, out);
    }
    if (strstr(controllers, "memory") || strstr(controllers, "cpu")) {
        read_upwards(mount, controllers, group, out);
        read_upwards(mount, strstr(controllers, "memory") ? "memory" : "cpu", group, out);
    }
}

void cgroup_read(const char *groups, const char *mount, cgroup_limits *out)
{
    char line[PATH_MOST];
    *out = (cgroup_limits){UINT64_MAX, UINT64_MAX};
    FILE *f = fopen(groups, "r");
    while (f && fgets(line, sizeof line, f))
        cgroup_read_line(line, mount, out);
    if (f)
        fclose(f);
}

static cgroup_limits own;

static void read_own(void)
{
    cgroup_read("/proc/self/cgroup", "/sys/fs/cgroup", &own);
}

/* Read once: some hundred files are tried, and a run calls this a dozen times. */
void cgroup_own(cgroup_limits *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_own);
    *out = own;
}

/* ---- Versions of this library and of its OpenCL API. */

const char *imp_version(void)
{
    return IMP_VERSION;
}

const char *imp_opencl_version(void)
{
#ifdef IMP_OPENCL
    return "1.2";
#else
    return "";
#endif
}
