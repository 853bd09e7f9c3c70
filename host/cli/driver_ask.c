/* See driver_ask.h. */
#define _GNU_SOURCE
#include "driver_ask.h"

#include "clock.h"
#include "impinge.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* What a process ends with that has listed all devices: not what a driver that ends it is likely to
 * have for a code. */
#define LISTED 77

#define PAUSE_NS 2000000
#define SECONDS_MOST 600

/* ---- the process that is started */

/* It ends soon after its time also if nobody waits for it any more: a driver that hangs must not
 * outlive the program. It goes through exit(), since drivers crash there, too. */
int driver_child(int argc, char **argv)
{
    imp_device_info d;
    const struct rlimit none = {0, 0};
    alarm(argc > 2 ? (unsigned)atoi(argv[2]) + 1 : DRIVER_SECONDS + 1);
    setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    for (size_t i = 1; imp_device_at(i, &d); i++)
        ;
    return LISTED;
}

/* ---- the one that starts it */

typedef struct child {
    pid_t pid; /* 0: it has ended, or was not started */
    int status;
} child;

static int seconds_allowed(void)
{
    const char *text = getenv(DRIVER_SECONDS_WORD);
    char *end;
    const long n = text ? strtol(text, &end, 10) : 0;
    return n >= 1 && n <= SECONDS_MOST && !*end ? (int)n : DRIVER_SECONDS;
}

/* Its output is of no use to anybody: the answer is its code. */
static int driver_test_start_child(const char *folder, char *seconds, child *out)
{
    char program[] = "impinge", word[] = DRIVER_CHILD;
    char *const argv[] = {program, word, seconds, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t plan;
    sigset_t none;
    sigemptyset(&none);
    if (folder)
        setenv("OCL_ICD_VENDORS", folder, 1);
    if (posix_spawn_file_actions_init(&files))
        return 0;
    if (posix_spawnattr_init(&plan)) {
        posix_spawn_file_actions_destroy(&files);
        return 0;
    }
    int bad = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 2 /* O_RDWR */, 0) ||
              posix_spawn_file_actions_adddup2(&files, 0, 1) ||
              posix_spawn_file_actions_adddup2(&files, 0, 2) ||
              posix_spawnattr_setsigmask(&plan, &none) ||
              posix_spawnattr_setflags(&plan, POSIX_SPAWN_SETSIGMASK) ||
              posix_spawn(&out->pid, "/proc/self/exe", &files, &plan, argv, environ);
    posix_spawnattr_destroy(&plan);
    posix_spawn_file_actions_destroy(&files);
    if (bad)
        out->pid = 0;
    return !bad;
}

/* Those that have ended by now; returns how many have not. */
static size_t reap(child *list, size_t count, int options)
{
    size_t running = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].pid > 0 && waitpid(list[i].pid, &list[i].status, options) == list[i].pid)
            list[i].pid = 0;
        running += list[i].pid > 0;
    }
    return running;
}

static void endings(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGINT);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGHUP);
}

static int is_ending(void)
{
    sigset_t pending;
    return !sigpending(&pending) &&
           (sigismember(&pending, SIGINT) > 0 || sigismember(&pending, SIGTERM) > 0 ||
            sigismember(&pending, SIGHUP) > 0);
}

void driver_block_signals(sigset_t *was)
{
    sigset_t held;
    endings(&held);
    pthread_sigmask(SIG_BLOCK, &held, was);
}

void driver_restore_signals(const sigset_t *was)
{
    pthread_sigmask(SIG_SETMASK, was, NULL);
}

/* A signal that ends the program ends the waiting, too. */
static void wait_all(child *list, size_t count, int seconds)
{
    const double end = clock_seconds() + seconds;
    while (reap(list, count, WNOHANG) && clock_seconds() < end && !is_ending())
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static driver_verdict driver_test_verdict(int status)
{
    if (WIFSIGNALED(status))
        return (driver_verdict){DRIVER_CRASHED, WTERMSIG(status), 0};
    const int code = WEXITSTATUS(status);
    return code == LISTED ? (driver_verdict){DRIVER_SOUND, 0, 0}
                          : (driver_verdict){DRIVER_WRONG_EXIT, code, 0};
}

static void driver_test_all(child *list, char *const *folder, size_t count, driver_verdict *out)
{
    const int seconds = seconds_allowed();
    char text[16];
    snprintf(text, sizeof text, "%d", seconds);
    for (size_t i = 0; i < count; i++)
        out[i] = (driver_verdict){
            driver_test_start_child(folder[i], text, &list[i]) ? DRIVER_SOUND : DRIVER_UNTESTED, 0,
            0};
    wait_all(list, count, seconds);
    for (size_t i = 0; i < count; i++)
        if (out[i].end == DRIVER_SOUND && list[i].pid > 0) {
            kill(list[i].pid, SIGKILL);
            out[i] = is_ending() ? (driver_verdict){DRIVER_CRASHED, SIGKILL, 0}
                                 : (driver_verdict){DRIVER_TIMED_OUT, seconds, 0};
        } else if (out[i].end == DRIVER_SOUND)
            out[i] = driver_test_verdict(list[i].status);
    reap(list, count, 0);
}

/* Where SIGCHLD is ignored, as some launchers do, nothing could be waited for. */
void driver_test(char *const *folder, size_t count, driver_verdict *out)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    struct sigaction was;
    const char *vendors = getenv("OCL_ICD_VENDORS");
    char *before = vendors ? strdup(vendors) : NULL;
    child *list = calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        out[i] = (driver_verdict){DRIVER_UNTESTED, 0, 0};
    if (list && (before || !vendors)) {
        sigaction(SIGCHLD, &plain, &was);
        driver_test_all(list, folder, count, out);
        sigaction(SIGCHLD, &was, NULL);
        if (before)
            setenv("OCL_ICD_VENDORS", before, 1);
        else
            unsetenv("OCL_ICD_VENDORS");
    }
    free(list);
    free(before);
}
