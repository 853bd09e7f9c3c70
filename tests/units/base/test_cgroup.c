/* Limits of control groups, in folders that mimic those of both versions. */
#include "machine.h"
#include "expect.h"
#include "testlib.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *path_of(const char *name)
{
    static char path[4][600];
    static int turn;
    char *to = path[turn = (turn + 1) % 4];
    snprintf(to, sizeof path[0], "%s/%s", test_folder(), name);
    return to;
}

/* Writes a file, and creates the folders that contain it. */
static void cgroup_test_store(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s", path_of(name));
    for (char *s = path + strlen(test_folder()) + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(path, 0777);
        *s = '/';
    }
    FILE *f = fopen(path, "w");
    CU_ASSERT_FATAL(f && fputs(text, f) >= 0 && !fclose(f));
}

static void check_cgroup(const char *about, const char *groups, const char *mount, uint64_t memory,
                         uint64_t processors)
{
    cgroup_limits have;
    cgroup_test_store("groups", groups);
    cgroup_read(path_of("groups"), path_of(mount), &have);
    EXPECT(have.memory == memory && have.processors == processors, "%s: %llu bytes, %llu", about,
           (unsigned long long)have.memory, (unsigned long long)have.processors);
}

#define NONE UINT64_MAX

static void test_second_version(void)
{
    cgroup_test_store("two/memory.max", "max\n");
    cgroup_test_store("two/job/memory.max", "3000000\n");
    cgroup_test_store("two/job/cpu.max", "250000 100000\n");
    cgroup_test_store("two/job/step/memory.max", "max\n");
    cgroup_test_store("two/job/step/cpu.max", "max 100000\n");
    cgroup_test_store("two/free/memory.max", "max\n");
    check_cgroup("a job", "0::/job\n", "two", 3000000, 3);
    check_cgroup("a step of it", "0::/job/step\n", "two", 3000000, 3);
    check_cgroup("neither", "0::/free\n", "two", NONE, NONE);
    check_cgroup("a group that is not there", "0::/none/at/all\n", "two", NONE, NONE);
}

static void test_first_version(void)
{
    cgroup_test_store("one/memory/job/memory.limit_in_bytes", "5000\n");
    cgroup_test_store("one/memory/memory.limit_in_bytes", "9223372036854771712\n");
    cgroup_test_store("one/cpu/job/cpu.cfs_quota_us", "-1\n");
    cgroup_test_store("one/cpu/job/cpu.cfs_period_us", "100000\n");
    cgroup_test_store("one/cpu/cpu.cfs_quota_us", "150000\n");
    cgroup_test_store("one/cpu/cpu.cfs_period_us", "100000\n");
    check_cgroup("a job", "4:memory:/job\n3:cpu,cpuacct:/job\n0::/\n", "one", 5000, 2);
    check_cgroup("memory alone", "4:memory:/\n", "one", 9223372036854771712u, NONE);
}

/* Missing or malformed files mean no limit. */
static void test_odd(void)
{
    cgroup_test_store("odd/memory.max", "much\n");
    cgroup_test_store("odd/cpu.max", "100000\n");
    check_cgroup("words", "0::/\n", "odd", NONE, NONE);
    cgroup_test_store("odd/cpu.max", "100000 0\n");
    check_cgroup("no period", "0::/\n", "odd", NONE, NONE);
    check_cgroup("no lines", "", "odd", NONE, NONE);
    check_cgroup("other lines", "x\n:\n1:\n", "odd", NONE, NONE);
    cgroup_limits have;
    cgroup_read("/nowhere", "/nowhere", &have);
    CU_ASSERT(have.memory == NONE && have.processors == NONE);
    cgroup_own(&have);
    CU_ASSERT(have.memory > 0 && have.processors > 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"second_version", test_second_version},
                                 {"first_version", test_first_version},
                                 {"odd", test_odd},
                                 {0}};
    return test_main(argc, argv, "cgroup", tests);
}
