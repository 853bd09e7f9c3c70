/* See signals.h. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static imp *volatile watched;
static volatile sig_atomic_t came;

static void handle(int number)
{
    if (!watched || came)
        _exit(128 + number);
    came = number;
    imp_cancel(watched); /* stores to an atomic */
}

void signals_watch(imp *p)
{
    struct sigaction a = {0};
    watched = p;
    a.sa_handler = handle;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, SIGINT);
    sigaddset(&a.sa_mask, SIGTERM);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

int signals_came(void)
{
    return came;
}
