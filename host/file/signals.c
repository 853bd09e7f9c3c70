/* See signals.h. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A handler may use only objects that cannot be half changed: volatile pointers and flags, and an
 * atomic. */
static imp *const *volatile watched;
static const char *volatile doomed[2];
static volatile sig_atomic_t noted, over;
static atomic_int came; /* read by other threads */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may set an atomic_int");

/* Uses only operations that are safe in a handler: unlink, _exit, a store. The first signal asks
 * the pipelines to end; a second one ends the process, and so does the first if there is no
 * pipeline. */
static void handle(int number)
{
    imp *const *p = watched;
    if (over && !came)
        return;
    if ((!p && !noted) || came) {
        for (int i = 0; i < 2; i++)
            if (doomed[i])
                unlink(doomed[i]);
        _exit(128 + number);
    }
    came = number;
    for (; p && *p; p++)
        imp_cancel(*p); /* stores to an atomic */
}

void signals_watch(imp *const *list)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a = {0}, before;
    watched = list;
    a.sa_handler = handle;
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        /* one at a time: several may arrive together, as when a session ends */
        sigaddset(&a.sa_mask, numbers[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        /* under nohup SIGHUP stays ignored, and SIGINT in a script's background */
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &a, NULL);
    }
}

const atomic_int *signals_note(void)
{
    noted = 1;
    signals_watch(NULL);
    return &came;
}

void signals_end(void)
{
    over = 1;
    watched = NULL;
    noted = 0;
}

void signals_remove(const char *path, const char *path2)
{
    doomed[0] = path;
    doomed[1] = path2;
}

int signals_came(void)
{
    return came;
}
