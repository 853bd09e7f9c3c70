/* The program: impinge VERB ... Each verb is a file cmd_VERB.c. */
#include "cli.h"
#include "h5.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
 * before they have looked for about as long: the next region often begins by then.
 *
 * OpenMP has no call for that: it reads two variables when its library is loaded, which is before
 * any code of this program. So the program sets them and starts itself again, in the same process;
 * it does so once, since then they are set, and not where the user has set them. */
static void sleep_while_waiting(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("GOMP_SPINCOUNT", "1000", 0) ||
        setenv("OMP_WAIT_POLICY", "passive", 0))
        return;
    execv("/proc/self/exe", argv); /* where that is not possible, it goes on as it is */
}

/* A file must not be opened as what is printed to or read from: where a descriptor is closed there
 * comes something that fails as a closed one does. */
static void fill_descriptors(void)
{
    for (int d = 0; d <= 2; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", d ? O_RDONLY : O_WRONLY) < 0)
            _exit(1);
}

int main(int argc, char **argv)
{
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a write that goes too far fails: exit 5 in one line */
    const char *name = argc > 1 ? argv[1] : "";
    sleep_while_waiting(argv);
    h5_quiet();
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
