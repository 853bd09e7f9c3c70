/* See signals.h. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static imp *watched;
static volatile sig_atomic_t came;

static void handle(int number)
{
    came = number;
    imp_cancel(watched); /* stores to an atomic */
}

void signals_watch(imp *p)
{
    struct sigaction a = {0};
    watched = p;
    /* SA_RESETHAND: the second signal finds the default action, which ends the program */
    a.sa_handler = p ? handle : SIG_DFL;
    a.sa_flags = p ? (int)SA_RESETHAND : 0;
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

int signals_came(void)
{
    return came;
}
