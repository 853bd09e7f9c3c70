/* See impulses.h: by the Open Dynamics Engine. */
#include "impulses.h"

#include "error.h"

#include <ode/ode.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Impulses do not depend on it. It scales ODE's softness of constraints (CFM), 1e-10 by default,
 * which keeps contacts solvable that are more than needed. */
#define STEP 0.01

struct impulses {
    mem *mem;
    dWorldID world;
    dJointGroupID joints;
    dBodyID *body;
    size_t capacity;
    double unit; /* of mass: that of the lightest body */
};

int impulses_are_built(void)
{
    return 1;
}

/* ODE prints what it notices; here it is counted. */
static unsigned long noticed;
static char notice[200];

static void take_notice(int number, const char *text, va_list args)
{
    (void)number;
    noticed++;
    vsnprintf(notice, sizeof notice, text, args);
}

int impulses_open(mem *m, impulses **out)
{
    int err = IMP_OK;
    impulses *s = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = (impulses){.mem = m};
    if (!dInitODE2(0) || !dAllocateODEDataForThread((unsigned)dAllocateMaskAll))
        FAIL(IMP_ERR_MEMORY, "ODE cannot begin: out of memory");
    dSetMessageHandler(take_notice);
    if (!dCheckConfiguration("ODE_double_precision"))
        FAIL(IMP_ERR_ARGUMENT, "ODE calculates with float32 here; float64 is needed");
    s->world = dWorldCreate();
    s->joints = dJointGroupCreate(0);
    if (!s->world || !s->joints)
        FAIL(IMP_ERR_MEMORY, "ODE cannot begin: out of memory");
    *out = s;
    s = NULL;
out:
    impulses_close(s);
    return err;
}

void impulses_close(impulses *s)
{
    if (!s)
        return;
    if (s->joints)
        dJointGroupDestroy(s->joints);
    if (s->world)
        dWorldDestroy(s->world);
    dSetMessageHandler(NULL);
    dCloseODE();
    mem_free(s->mem, s->body);
    mem_free(s->mem, s);
}

/* ---- one instant */

static int make_body(impulses *s, const impulse_body *from, dBodyID *out)
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
    dBodySetGyroscopicMode(b, 0); /* an instant, no motion */
    dBodySetAutoDisableFlag(b, 0);
    return IMP_OK;
}

/* The joint's first body is the one that its normal points into. */
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

static v3 vector(const dReal *x)
{
    return v3_make(x[0], x[1], x[2]);
}

static int step(impulses *s, impulse_body *body, uint32_t bodies)
{
    const unsigned long before = noticed;
    dRandSetSeed(0);
    if (!dWorldStep(s->world, STEP))
        return imp_fail(IMP_ERR_MEMORY, "ODE: out of memory");
    for (uint32_t i = 0; i < bodies; i++) {
        body[i].velocity = vector(dBodyGetLinearVel(s->body[i]));
        body[i].spin = vector(dBodyGetAngularVel(s->body[i]));
        const v3 sum = v3_add(body[i].velocity, body[i].spin);
        if (!(v3_dot(sum, sum) <= 1e300))
            return imp_fail(IMP_ERR_DEVICE, "ODE found no velocities after a contact%s%s",
                            noticed > before ? ": " : "", noticed > before ? notice : "");
    }
    return IMP_OK;
}

/* Masses in units of the lightest, so that softness means the same for bodies of any size. */
static double lightest(const impulse_body *body, uint32_t bodies)
{
    double least = body[0].mass;
    for (uint32_t i = 1; i < bodies; i++)
        least = body[i].mass < least ? body[i].mass : least;
    return least;
}

int impulses_solve(impulses *s, impulse_body *body, uint32_t bodies, const impulse_contact *contact,
                   size_t contacts)
{
    int err = IMP_OK;
    uint32_t made = 0;
    if (!bodies || !contacts)
        return IMP_OK;
    if (bodies > s->capacity) {
        TRY(mem_grow(s->mem, 0, (size_t)2 * bodies * sizeof *s->body, &s->body));
        s->capacity = (size_t)2 * bodies;
    }
    s->unit = lightest(body, bodies);
    for (; made < bodies; made++)
        TRY(make_body(s, &body[made], &s->body[made]));
    for (size_t i = 0; i < contacts; i++)
        TRY(make_joint(s, &contact[i]));
    TRY(step(s, body, bodies));
out:
    dJointGroupEmpty(s->joints);
    while (made)
        dBodyDestroy(s->body[--made]);
    return err;
}
