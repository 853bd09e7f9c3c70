/* The program: impinge VERB ... Each verb is a file cmd_VERB.c. */
#include "cli.h"
#include "h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_verb *const verbs[] = {&verb_run,   &verb_convert, &verb_generate, &verb_info,
                                        &verb_check, &verb_devices, &verb_bench};
#define VERBS (sizeof verbs / sizeof *verbs)

static int help(FILE *out)
{
    fprintf(out, "usage: impinge VERB [options]\n\n"
                 "Finds every collision in a batch of simulation frames, exactly.\n\nverbs:\n");
    for (size_t i = 0; i < VERBS; i++)
        fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->text);
    fprintf(out, "\n'impinge VERB --help' tells the options of a verb, with examples.\n"
                 "'impinge --version' tells the versions of impinge, HDF5 and OpenCL.\n"
                 "\nexit codes:\n"
                 "  0 done   1 failure, or a check found a difference   2 usage, or output exists\n"
                 "  3 bad input   4 no usable device   5 out of memory or disk\n"
                 "  10 collisions, with --fail-on-collision   130, 143 stopped by a signal\n");
    return out == stdout ? 0 : 2;
}

static int version(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    H5get_libversion(&major, &minor, &patch);
    printf("impinge %s\nHDF5 %u.%u.%u\nOpenCL %s\n", imp_version(), major, minor, patch,
           *imp_opencl_version() ? imp_opencl_version() : "not built in");
    return 0;
}

/* What was printed must have reached its file: a full disk or a closed pipe is a failure. */
static int flushed(int code)
{
    if ((fflush(stdout) || ferror(stdout)) && code == 0) {
        fprintf(stderr, "impinge: standard output: cannot be written\n");
        return 1;
    }
    return code;
}

/* Threads that spin while they wait stall the others where processors are shared: on a busy virtual
 * machine for tens of milliseconds; to wake one that sleeps takes 0.04 ms. So they sleep, but not
 * before they have looked for about as long: the next region often begins by then. OpenMP asks the
 * environment before main begins, so the program starts itself again, once. */
static void sleep_while_waiting(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("GOMP_SPINCOUNT", "1000", 0) ||
        setenv("OMP_WAIT_POLICY", "passive", 0))
        return;
    execv("/proc/self/exe", argv); /* where that is not possible, it goes on as it is */
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    sleep_while_waiting(argv);
    h5_quiet();
    if (!strcmp(verb, "--help") || !strcmp(verb, "-h") || !strcmp(verb, "help"))
        return flushed(help(stdout));
    if (!strcmp(verb, "--version") || !strcmp(verb, "-V"))
        return flushed(version());
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verb, verbs[i]->name))
            return flushed(verbs[i]->run(argc - 1, argv + 1));
    if (*verb)
        fprintf(stderr, "impinge: there is no verb '%s'; try 'impinge --help'\n", verb);
    else
        help(stderr);
    return 2;
}
