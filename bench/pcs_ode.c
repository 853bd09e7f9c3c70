/* See pcs_ode.h. */
#include "pcs_ode.h"

#include "cpu_clock.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS 8 /* of two cuboids that overlap: ODE has no more of them */

typedef struct ode {
    const world *w;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    uint64_t contacts;
} ode;

static void need(const void *made)
{
    if (made)
        return;
    fputs("ODE: out of memory\n", stderr);
    exit(1);
}

/* The edges of a cuboid. */
static void edges_of(const geom *s, double out[3])
{
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < s->vertices; i++) {
            low = fmin(low, s->point[3 * i + (uint32_t)k]);
            high = fmax(high, s->point[3 * i + (uint32_t)k]);
        }
        out[k] = high - low;
    }
}

/* Levels of the hash from the smallest body to the largest one. */
static void set_levels(const ode *o)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < o->w->kinds; i++) {
        double edge[3];
        edges_of(o->w->geom[i], edge);
        least = fmin(least, fmin(edge[0], fmin(edge[1], edge[2])));
        most = fmax(most, fmax(edge[0], fmax(edge[1], edge[2])));
    }
    dHashSpaceSetLevels(o->space, (int)floor(log2(least)), (int)ceil(log2(most)) + 1);
}

static void add_body(const ode *o, uint32_t i)
{
    const geom *s = o->w->geom[o->w->of[i]];
    const pcs_body *from = &o->w->body[i];
    const matter_body *of = &o->w->matter.body[i];
    const double *m = of->inertia;
    double edge[3];
    dMass mass;
    dBodyID b = dBodyCreate(o->world);
    edges_of(s, edge);
    dGeomID g = dCreateBox(o->space, edge[0], edge[1], edge[2]);
    need(b);
    need(g);
    dMassSetParameters(&mass, of->mass, 0, 0, 0, m[0], m[1], m[2], m[3], m[4], m[5]);
    dBodySetMass(b, &mass);
    dGeomSetBody(g, b);
    dBodySetPosition(b, from->centre[0], from->centre[1], from->centre[2]);
    dBodySetQuaternion(b, from->rotation);
    dBodySetLinearVel(b, from->velocity[0], from->velocity[1], from->velocity[2]);
    dBodySetAngularVel(b, from->spin[0], from->spin[1], from->spin[2]);
    dBodySetGyroscopicMode(b, 0); /* as it is left out there */
}

static ode ode_open(const world *w, enum pcs_ode_space space)
{
    ode o = {.w = w};
    if (!dInitODE2(0) || !dAllocateODEDataForThread((unsigned)dAllocateMaskAll))
        need(NULL);
    need(o.world = dWorldCreate());
    need(o.joints = dJointGroupCreate(0));
    need(o.space = space == PCS_ODE_HASH ? dHashSpaceCreate(NULL)
                                         : dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ));
    if (space == PCS_ODE_HASH)
        set_levels(&o);
    for (uint32_t i = 0; i < w->bodies; i++)
        add_body(&o, i);
    return o;
}

static void ode_close(ode *o)
{
    dJointGroupDestroy(o->joints);
    dSpaceDestroy(o->space);
    dWorldDestroy(o->world);
    dCloseODE();
}

static void near(void *data, dGeomID a, dGeomID b)
{
    ode *o = data;
    const matter_body *of = o->w->matter.body; /* those of a scene are alike in this */
    dContact at[POINTS] = {{.surface = {0}}};
    const int points = dCollide(a, b, POINTS, &at[0].geom, sizeof *at);
    o->contacts += points > 0;
    for (int i = 0; i < points; i++) {
        at[i].surface = (dSurfaceParameters){.mode = dContactApprox1 | dContactBounce,
                                             .mu = of->friction,
                                             .bounce = of->restitution,
                                             .bounce_vel = o->w->matter.slowest};
        dJointID joint = dJointCreateContact(o->world, o->joints, &at[i]);
        need(joint);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

pcs_ode_run pcs_ode(const world *w, double step, uint64_t steps, enum pcs_ode_space space)
{
    ode o = ode_open(w, space);
    const double start = cpu_seconds();
    for (uint64_t i = 0; i < steps; i++) {
        dSpaceCollide(o.space, &o, near);
        if (!dWorldStep(o.world, step))
            need(NULL);
        dJointGroupEmpty(o.joints);
    }
    const pcs_ode_run out = {cpu_seconds() - start, o.contacts};
    ode_close(&o);
    return out;
}
