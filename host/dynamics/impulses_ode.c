/* See dynamics.h: by the Open Dynamics Engine. */
#include "dynamics.h"
#include "error.h"
#include "mem.h"

#include <ode/ode.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Calls of ODE that cannot end the program. ODE exits or aborts if one of its assertions
 * fails, and writes to NULL if memory is exhausted; here such a call fails. ODE's memory is counted
 * by mem, and freed at once: objects that a failed call left unfinished are not touched again.
 * ODE's handlers belong to the process: they are set only during a call, and the caller's are
 * restored. */

/* All zero at first, except mem. */
typedef struct ode_guard {
    mem *mem;
    struct ode_block *blocks; /* all memory that ODE has allocated in calls */
    jmp_buf back;
    int failed;            /* the call failed; its error text is set */
    unsigned long noticed; /* number of ODE's messages, and the last one */
    char notice[200];
} ode_guard;

/* Runs call(with), in which functions of ODE may be called; it must hold no resources, since it may
 * not return. One thread at a time. Errors: the result of call; MEMORY; DIVERGED if ODE gives up.
 * After these two, ode_guard_drop must be called before the next call. */
int ode_guard_call(ode_guard *g, int (*call)(void *with), void *with);

/* Frees all memory that ODE has allocated in calls: its objects no longer exist. */
void ode_guard_drop(ode_guard *g);

/* Impulses do not depend on it. It scales ODE's constraint softness (CFM), 1e-10 by default, which
 * keeps redundant contacts solvable. */
#define STEP 0.01

struct impulses {
    mem *mem;
    ode_guard guard;
    int begun; /* ODE is initialised; it counts initialisations */
    /* ODE's objects; NULL before the first solution, and after one that failed */
    dThreadingImplementationID threads;
    dWorldID world;
    dJointGroupID joints;
    dBodyID *body;
    size_t capacity;
    double unit; /* unit of mass: that of the lightest body */
};

int impulses_are_built(void)
{
    return 1;
}

int impulses_open(mem *m, impulses **out)
{
    int err = IMP_OK;
    impulses *s = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = (impulses){.mem = m, .guard = {.mem = m}};
    s->begun = dInitODE2(0);
    if (!s->begun || !dAllocateODEDataForThread((unsigned)dAllocateMaskAll))
        FAIL(IMP_ERR_MEMORY, "ODE cannot begin: out of memory");
    if (!dCheckConfiguration("ODE_double_precision"))
        FAIL(IMP_ERR_ARGUMENT, "ODE calculates with float32 here; float64 is needed");
    *out = s;
    s = NULL;
out:
    impulses_close(s);
    return err;
}

/* ODE does not destroy any of its objects, since it would abort if a solution was left
 * unfinished. */
static void drop_world(impulses *s)
{
    ode_guard_drop(&s->guard);
    s->threads = NULL;
    s->world = NULL;
    s->joints = NULL;
}

void impulses_close(impulses *s)
{
    if (!s)
        return;
    drop_world(s);
    if (s->begun)
        dCloseODE();
    mem_free(s->mem, s->body);
    mem_free(s->mem, s);
}

/* ---- one solution */

/* The input for ode_guard_call. */
typedef struct instant {
    impulses *s;
    impulse_body *body;
    uint32_t bodies;
    const impulse_contact *contact;
    size_t contacts;
} instant;

/* Uses threads of its own: those of the process would keep the remains of a failed solution. */
static int make_world(impulses *s)
{
    if (s->joints)
        return IMP_OK;
    s->threads = dThreadingAllocateSelfThreadedImplementation();
    s->world = dWorldCreate();
    s->joints = dJointGroupCreate(0);
    if (!s->threads || !s->world || !s->joints)
        return imp_fail(IMP_ERR_MEMORY, "ODE cannot begin: out of memory");
    dWorldSetStepThreadingImplementation(s->world, dThreadingImplementationGetFunctions(s->threads),
                                         s->threads);
    /* bodies get no buffers for samples, which would not be in memory that the guard knows */
    dWorldSetAutoDisableAverageSamplesCount(s->world, 0);
    return IMP_OK;
}

static int impulses_make_body(impulses *s, const impulse_body *from, dBodyID *out)
{
    const double *i = from->inertia, u = 1 / s->unit;
    dMass mass;
    dBodyID b = dBodyCreate(s->world);
    *out = b;
    if (!b)
        return imp_fail(IMP_ERR_MEMORY, "ODE: out of memory");
    dMassSetParameters(&mass, from->mass * u, 0, 0, 0, i[0] * u, i[1] * u, i[2] * u, i[3] * u,
                       i[4] * u, i[5] * u);
    dBodySetMass(b, &mass);
    dBodySetPosition(b, from->centre.x, from->centre.y, from->centre.z);
    dBodySetQuaternion(b, from->rotation);
    dBodySetLinearVel(b, from->velocity.x, from->velocity.y, from->velocity.z);
    dBodySetAngularVel(b, from->spin.x, from->spin.y, from->spin.z);
    dBodySetGyroscopicMode(b, 0); /* one time only, no motion */
    dBodySetAutoDisableFlag(b, 0);
    return IMP_OK;
}

/* The joint's first body is the one into which its normal points. */
static int make_joint(impulses *s, const impulse_contact *c)
{
    dContact k;
    memset(&k, 0, sizeof k);
    k.surface.mode = dContactApprox1 | dContactMotionN | (c->bounce > 0 ? dContactBounce : 0);
    k.surface.mu = c->friction;
    k.surface.bounce = c->bounce;
    k.surface.motionN = c->least;
    const v3 at[2] = {c->at, c->normal};
    dReal *to[2] = {k.geom.pos, k.geom.normal};
    for (int i = 0; i < 2; i++)
        to[i][0] = at[i].x, to[i][1] = at[i].y, to[i][2] = at[i].z;
    dJointID joint = dJointCreateContact(s->world, s->joints, &k);
    if (!joint)
        return imp_fail(IMP_ERR_MEMORY, "ODE: out of memory");
    dJointAttach(joint, c->b == IMPULSE_FIXED ? NULL : s->body[c->b],
                 c->a == IMPULSE_FIXED ? NULL : s->body[c->a]);
    return IMP_OK;
}

static v3 impulses_vector(const dReal *x)
{
    return v3_make(x[0], x[1], x[2]);
}

static int impulses_step(impulses *s, impulse_body *body, uint32_t bodies)
{
    const ode_guard *g = &s->guard;
    const unsigned long before = g->noticed;
    dRandSetSeed(0);
    if (!dWorldStep(s->world, STEP))
        return imp_fail(IMP_ERR_MEMORY, "ODE: out of memory");
    for (uint32_t i = 0; i < bodies; i++) {
        body[i].velocity = impulses_vector(dBodyGetLinearVel(s->body[i]));
        body[i].spin = impulses_vector(dBodyGetAngularVel(s->body[i]));
        const v3 sum = v3_add(body[i].velocity, body[i].spin);
        if (!(v3_dot(sum, sum) <= 1e300))
            return imp_fail(IMP_ERR_DIVERGED, "ODE found no velocities after a contact%s%s",
                            g->noticed > before ? ": " : "", g->noticed > before ? g->notice : "");
    }
    return IMP_OK;
}

/* Masses are in units of the lightest, so that softness has the same meaning for bodies of any
 * size. */
static double lightest(const impulse_body *body, uint32_t bodies)
{
    double least = body[0].mass;
    for (uint32_t i = 1; i < bodies; i++)
        least = body[i].mass < least ? body[i].mass : least;
    return least;
}

static int impulses_solve_guarded(void *with)
{
    int err = IMP_OK;
    const instant *i = with;
    impulses *s = i->s;
    TRY(make_world(s));
    for (uint32_t k = 0; k < i->bodies; k++)
        TRY(impulses_make_body(s, &i->body[k], &s->body[k]));
    for (size_t k = 0; k < i->contacts; k++)
        TRY(make_joint(s, &i->contact[k]));
    TRY(impulses_step(s, i->body, i->bodies));
    dJointGroupEmpty(s->joints);
    for (uint32_t k = i->bodies; k--;)
        dBodyDestroy(s->body[k]);
out:
    return err;
}

int impulses_solve(impulses *s, impulse_body *body, uint32_t bodies, const impulse_contact *contact,
                   size_t contacts)
{
    int err = IMP_OK;
    instant i = {s, body, bodies, contact, contacts};
    if (!bodies || !contacts)
        return IMP_OK;
    if (bodies > s->capacity) {
        TRY(mem_grow(s->mem, 0, (size_t)2 * bodies * sizeof *s->body, &s->body));
        s->capacity = (size_t)2 * bodies;
    }
    s->unit = lightest(body, bodies);
    TRY(ode_guard_call(&s->guard, impulses_solve_guarded, &i));
out:
    if (err)
        drop_world(s);
    return err;
}

/* Header of each memory block; its size keeps the block aligned. */
typedef struct ode_block {
    struct ode_block *before, *after;
    size_t bytes;
    size_t unused;
} ode_block;

/* The guard of the running call: ODE's handlers have no user argument. */
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

/* ODE rarely checks its results, so it never gets NULL. */
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

/* ---- messages */

static void ode_guard_note(int number, const char *text, va_list args)
{
    (void)number;
    active->noticed++;
    vsnprintf(active->notice, sizeof active->notice, text, args);
}

/* ODE ends the program if this returns. */
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

/* None of its own variables changes between setjmp and longjmp. */
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
