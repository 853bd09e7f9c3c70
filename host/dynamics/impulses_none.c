/* See dynamics.h: built without ODE. */
#include "dynamics.h"

#include "error.h"

int impulses_are_built(void)
{
    return 0;
}

int impulses_open(mem *m, impulses **out)
{
    (void)m;
    *out = NULL;
    return imp_fail(IMP_ERR_ARGUMENT, "this build has no ODE, which computes what bodies do at a "
                                      "contact; install libode-dev and build again");
}

void impulses_close(impulses *s)
{
    (void)s;
}

int impulses_solve(impulses *s, impulse_body *body, uint32_t bodies, const impulse_contact *contact,
                   size_t contacts)
{
    (void)s, (void)body, (void)bodies, (void)contact, (void)contacts;
    return IMP_ERR_ARGUMENT;
}
