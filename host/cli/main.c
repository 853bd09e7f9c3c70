/* The program: impinge VERB ... Each verb is a file cmd_VERB.c. */
#include "cli.h"
#include "driver_ask.h"
#include "drivers.h"
#include "gmp_memory.h"
#include "h5.h"

#include <fcntl.h>
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
 *
 * OpenMP has no call for that: it reads two variables when its library is loaded, before any code
 * of this program runs. So the program sets them and executes itself again, in the same process. It
 * does so once, since then they are set, and not if the user has set them. */
static void sleep_while_waiting(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("GOMP_SPINCOUNT", "1000", 0) ||
        setenv("OMP_WAIT_POLICY", "passive", 0))
        return;
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
    sleep_while_waiting(argv);
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
