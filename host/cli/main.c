/* The program: impinge VERB ... Each verb is a file cmd_VERB.c. */
#define _GNU_SOURCE
#include "cgroup.h"
#include "cli.h"
#include "driver_ask.h"
#include "drivers.h"
#include "gmp_memory.h"
#include "h5.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All output must have reached its file: a full disk or a closed pipe is a failure. */
static int flushed(int code)
{
    if ((fflush(stdout) || ferror(stdout)) && code == 0) {
        fprintf(stderr, "impinge: standard output: cannot be written\n");
        return 1;
    }
    return code;
}

/* Threads that spin while they wait stall other threads where processors are shared: on a busy
 * virtual machine for tens of milliseconds; waking a sleeping thread takes 0.04 ms. So they sleep,
 * after they have spun for about that long: the next region often begins within that time.
 * Not if the user has set it otherwise. */
static int sleep_while_waiting(void)
{
    return !getenv("OMP_WAIT_POLICY") && !setenv("GOMP_SPINCOUNT", "1000", 0) &&
           !setenv("OMP_WAIT_POLICY", "passive", 0);
}

/* As many threads as the launcher gave, where those are fewer than the processors that the process
 * may use, which OpenMP counts: SLURM_CPUS_PER_TASK, or the time that the control group has. */
static int threads_of_launcher(void)
{
    cpu_set_t may;
    cgroup_limits group;
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    const long given = slurm ? strtol(slurm, NULL, 10) : 0;
    char text[24];
    cgroup_own(&group);
    uint64_t threads =
        given > 0 && (uint64_t)given < group.processors ? (uint64_t)given : group.processors;
    if (getenv("OMP_NUM_THREADS") || sched_getaffinity(0, sizeof may, &may) ||
        threads >= (uint64_t)CPU_COUNT(&may) || !threads)
        return 0;
    snprintf(text, sizeof text, "%llu", (unsigned long long)threads);
    return !setenv("OMP_NUM_THREADS", text, 0);
}

/* OpenMP reads such variables when its library is loaded, before any code of this program runs. So
 * the program sets them and executes itself again, in the same process; once, since then they are
 * set. */
static void prepare_threads(char **argv)
{
    if (sleep_while_waiting() | threads_of_launcher())
        execv("/proc/self/exe", argv); /* if that fails, the program continues without it */
}

/* A file that the program opens must not become stdin, stdout or stderr. A closed one of these is
 * opened so that reading or writing it still fails. */
static void fill_descriptors(void)
{
    for (int d = 0; d <= 2; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", d ? O_RDONLY : O_WRONLY) < 0)
            _exit(1);
}

int main(int argc, char **argv)
{
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the size limit then fails: exit 5 in one line */
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, DRIVER_CHILD))
        return driver_child(argc, argv);
    prepare_threads(argv);
    drivers_guard();
    h5_quiet();
    gmp_memory();
    if (!*name) {
        cli_help_all(stderr);
        return 2;
    }
    const cli_verb *verb = !strcmp(name, "--help") || !strcmp(name, "-h") ? &verb_help
                           : !strcmp(name, "--version") || !strcmp(name, "-V")
                               ? &verb_version
                               : cli_verb_find(name);
    return verb ? flushed(verb->run(argc - 1, argv + 1)) : cli_no_verb(name);
}
