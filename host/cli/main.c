/* The program: impinge VERB ... Each verb is in a file cmd_VERB.c. */
#define _GNU_SOURCE
#include "cli.h"
#include "drivers.h"
#include "float_env.h"
#include "h5.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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

/* A file that the program opens must not become stdin, stdout or stderr. A closed one of these is
 * opened so that reading or writing it still fails. */
static void fill_descriptors(void)
{
    for (int d = 0; d <= 2; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", d ? O_RDONLY : O_WRONLY) < 0)
            _exit(1);
}

/* For a verb that this program does not have. */
static int asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    float_env_set(); /* for all later threads: a library may have changed it while it was loaded */
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the size limit then fails: exit 5 in one line */
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, DRIVER_CHILD))
        return driver_child(argc, argv);
    omp_start(argv);
    drivers_guard();
    h5_quiet();
    gmp_memory_guard();
    if (!*name) {
        cli_help_all(stderr);
        return 2;
    }
    const cli_verb *verb = !strcmp(name, "--help") || !strcmp(name, "-h") ? &verb_help
                           : !strcmp(name, "--version") || !strcmp(name, "-V")
                               ? &verb_version
                               : cli_verb_find(name);
    if (verb)
        return flushed(verb->run(argc - 1, argv + 1));
    if (!cli_package_verb_find(name) || !asks_for_help(argc, argv))
        return cli_no_verb(name);
    cli_package_help(cli_package_verb_find(name));
    return flushed(0);
}
