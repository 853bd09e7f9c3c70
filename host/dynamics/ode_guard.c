/* See ode_guard.h. */
#include "ode_guard.h"

#include "error.h"

#include <ode/ode.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Before each piece of memory; its size keeps what follows aligned. */
typedef struct ode_block {
    struct ode_block *before, *after;
    size_t bytes;
    size_t unused;
} ode_block;

/* The guard whose call runs: ODE's handlers have no argument of their own. */
static ode_guard *active;

/* ---- memory */

static void link_block(ode_block *b)
{
    b->before = NULL;
    b->after = active->blocks;
    if (b->after)
        b->after->before = b;
    active->blocks = b;
}

static void unlink_block(const ode_block *b)
{
    if (b->after)
        b->after->before = b->before;
    if (b->before)
        b->before->after = b->after;
    else
        active->blocks = b->after;
}

/* ODE looks at few of its results, so it does not get a NULL. */
static void *ode_guard_alloc(dsizeint bytes)
{
    ode_block *b = NULL;
    const int err = bytes > SIZE_MAX - sizeof *b ? imp_fail(IMP_ERR_MEMORY, "ODE: out of memory")
                                                 : mem_alloc(active->mem, sizeof *b + bytes, &b);
    if (err || !b) {
        active->failed = err ? err : IMP_ERR_MEMORY;
        longjmp(active->back, 1);
    }
    b->bytes = bytes;
    link_block(b);
    return b + 1;
}

static void ode_guard_free(void *p, dsizeint bytes)
{
    ode_block *b = (ode_block *)p - 1;
    (void)bytes;
    unlink_block(b);
    mem_free(active->mem, b);
}

static void *resize(void *p, dsizeint before, dsizeint bytes)
{
    void *out = ode_guard_alloc(bytes);
    if (!p)
        return out;
    memcpy(out, p, before < bytes ? before : bytes);
    ode_guard_free(p, before);
    return out;
}

void ode_guard_drop(ode_guard *g)
{
    while (g->blocks) {
        ode_block *b = g->blocks;
        g->blocks = b->after;
        mem_free(g->mem, b);
    }
}

/* ---- what it says */

static void ode_guard_note(int number, const char *text, va_list args)
{
    (void)number;
    active->noticed++;
    vsnprintf(active->notice, sizeof active->notice, text, args);
}

/* ODE ends the program when this returns. */
static void ode_guard_fail(int number, const char *text, va_list args)
{
    char line[200];
    (void)number;
    vsnprintf(line, sizeof line, text, args);
    active->failed =
        imp_fail(IMP_ERR_DIVERGED, "ODE found no velocities after a contact: %s", line);
    longjmp(active->back, 1);
}

/* ---- a call */

typedef struct handlers {
    dMessageFunction *message, *debug, *error;
    dAllocFunction *alloc;
    dReallocFunction *resize;
    dFreeFunction *free;
} handlers;

static handlers get_handlers(void)
{
    return (handlers){dGetMessageHandler(), dGetDebugHandler(),   dGetErrorHandler(),
                      dGetAllocHandler(),   dGetReallocHandler(), dGetFreeHandler()};
}

static void set_handlers(const handlers *h)
{
    dSetMessageHandler(h->message);
    dSetDebugHandler(h->debug);
    dSetErrorHandler(h->error);
    dSetAllocHandler(h->alloc);
    dSetReallocHandler(h->resize);
    dSetFreeHandler(h->free);
}

/* No variable of its own changes between setjmp and longjmp. */
static int call_back(ode_guard *g, int (*call)(void *with), void *with)
{
    if (setjmp(g->back))
        return g->failed;
    return call(with);
}

int ode_guard_call(ode_guard *g, int (*call)(void *with), void *with)
{
    static const handlers own = {ode_guard_note,  ode_guard_fail, ode_guard_fail,
                                 ode_guard_alloc, resize,         ode_guard_free};
    const handlers before = get_handlers();
    active = g;
    set_handlers(&own);
    const int err = call_back(g, call, with);
    set_handlers(&before);
    active = NULL;
    return err;
}
