/* See pcs_ode.h. */
#include "pcs_ode.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 8     /* ODE returns at most 8 contact points for two cuboids */
#define ROUNDED 1e-9 /* relative rounding error of an edge */

const char *const pcs_ode_names[PCS_ODE_SPACES] = {"dHashSpace", "dSweepAndPruneSpace"};

struct pcs_ode {
    const world *w;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    dBodyID *body; /* [bodies] NULL: fixed */
    uint64_t contacts;
};

static void pcs_ode_require(const void *made)
{
    if (made)
        return;
    fputs("ODE: out of memory\n", stderr);
    exit(1);
}

/* The box of a shape along its own axes. */
static void pcs_ode_bounds(const geom *s, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (uint32_t i = 0; i < s->vertices; i++) {
            low[k] = fmin(low[k], s->point[3 * i + (uint32_t)k]);
            high[k] = fmax(high[k], s->point[3 * i + (uint32_t)k]);
        }
    }
}

/* The edges of a cuboid. */
static void pcs_ode_edges(const geom *s, double out[3])
{
    double low[3], high[3];
    pcs_ode_bounds(s, low, high);
    for (int k = 0; k < 3; k++)
        out[k] = high[k] - low[k];
}

/* A shape as large as its box is a cuboid. */
static int is_cuboid(const geom *s)
{
    double low[3], high[3], volume = 1, most = 0;
    pcs_ode_bounds(s, low, high);
    for (int k = 0; k < 3; k++) {
        volume *= high[k] - low[k];
        most = fmax(most, fabs(high[k] + low[k]) / (high[k] - low[k]));
    }
    return most < ROUNDED && fabs(s->volume - volume) < ROUNDED * volume;
}

int pcs_ode_can(const world *w)
{
    for (uint32_t i = 0; i < w->kinds; i++)
        if (!is_cuboid(w->geom[i]))
            return 0;
    return !w->matter.home && !w->matter.pushes;
}

/* Sets the hash levels from the smallest body to the largest one. */
static void set_levels(const pcs_ode *o)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < o->w->kinds; i++) {
        double edge[3];
        pcs_ode_edges(o->w->geom[i], edge);
        least = fmin(least, fmin(edge[0], fmin(edge[1], edge[2])));
        most = fmax(most, fmax(edge[0], fmax(edge[1], edge[2])));
    }
    dHashSpaceSetLevels(o->space, (int)floor(log2(least)), (int)ceil(log2(most)) + 1);
}

static void add_motion(pcs_ode *o, uint32_t i)
{
    const pcs_body *from = &o->w->body[i];
    const matter_body *of = &o->w->matter.body[i];
    const double *m = of->inertia;
    dMass mass;
    dBodyID b = dBodyCreate(o->world);
    pcs_ode_require(b);
    dMassSetParameters(&mass, of->mass, 0, 0, 0, m[0], m[1], m[2], m[3], m[4], m[5]);
    dBodySetMass(b, &mass);
    dBodySetLinearVel(b, from->velocity[0], from->velocity[1], from->velocity[2]);
    dBodySetAngularVel(b, from->spin[0], from->spin[1], from->spin[2]);
    dBodySetGyroscopicMode(b, 0); /* omitted, as in impinge */
    o->body[i] = b;
}

static void add_body(pcs_ode *o, uint32_t i)
{
    const pcs_body *from = &o->w->body[i];
    double edge[3];
    pcs_ode_edges(o->w->geom[o->w->of[i]], edge);
    dGeomID g = dCreateBox(o->space, edge[0], edge[1], edge[2]);
    pcs_ode_require(g);
    dGeomSetData(g, &o->w->matter.body[i]);
    if (!from->fixed) {
        add_motion(o, i);
        dGeomSetBody(g, o->body[i]);
    }
    dGeomSetPosition(g, from->centre[0], from->centre[1], from->centre[2]);
    dGeomSetQuaternion(g, from->rotation);
}

pcs_ode *pcs_ode_open(const world *w, enum pcs_ode_space space)
{
    pcs_ode *o = calloc(1, sizeof *o);
    const double *g = w->matter.gravity;
    pcs_ode_require(o);
    o->w = w;
    pcs_ode_require(o->body = calloc(w->bodies, sizeof *o->body));
    if (!dInitODE2(0) || !dAllocateODEDataForThread((unsigned)dAllocateMaskAll))
        pcs_ode_require(NULL);
    pcs_ode_require(o->world = dWorldCreate());
    dWorldSetGravity(o->world, g[0], g[1], g[2]);
    pcs_ode_require(o->joints = dJointGroupCreate(0));
    pcs_ode_require(o->space = space == PCS_ODE_HASH
                                   ? dHashSpaceCreate(NULL)
                                   : dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ));
    if (space == PCS_ODE_HASH)
        set_levels(o);
    for (uint32_t i = 0; i < w->bodies; i++)
        add_body(o, i);
    return o;
}

void pcs_ode_close(pcs_ode *o)
{
    dJointGroupDestroy(o->joints);
    dSpaceDestroy(o->space);
    dWorldDestroy(o->world);
    dCloseODE();
    free(o->body);
    free(o);
}

static void pcs_ode_near_callback(void *data, dGeomID a, dGeomID b)
{
    pcs_ode *o = data;
    const matter_body *of_a = dGeomGetData(a), *of_b = dGeomGetData(b);
    if (!dGeomGetBody(a) && !dGeomGetBody(b))
        return;
    dContact at[POINTS] = {{.surface = {0}}};
    const int points = dCollide(a, b, POINTS, &at[0].geom, sizeof *at);
    o->contacts += points > 0;
    for (int i = 0; i < points; i++) {
        at[i].surface = (dSurfaceParameters){.mode = dContactApprox1 | dContactBounce,
                                             .mu = fmin(of_a->friction, of_b->friction),
                                             .bounce = fmax(of_a->restitution, of_b->restitution),
                                             .bounce_vel = o->w->matter.slowest};
        dJointID joint = dJointCreateContact(o->world, o->joints, &at[i]);
        pcs_ode_require(joint);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

void pcs_ode_step(pcs_ode *o, double seconds)
{
    dSpaceCollide(o->space, o, pcs_ode_near_callback);
    if (!dWorldStep(o->world, seconds))
        pcs_ode_require(NULL);
    dJointGroupEmpty(o->joints);
}

uint64_t pcs_ode_contacts(const pcs_ode *o)
{
    return o->contacts;
}

void pcs_ode_bodies(const pcs_ode *o, pcs_body *out)
{
    for (uint32_t i = 0; i < o->w->bodies; i++) {
        if (!o->body[i])
            continue;
        memcpy(out[i].centre, dBodyGetPosition(o->body[i]), sizeof out->centre);
        memcpy(out[i].rotation, dBodyGetQuaternion(o->body[i]), sizeof out->rotation);
        memcpy(out[i].velocity, dBodyGetLinearVel(o->body[i]), sizeof out->velocity);
        memcpy(out[i].spin, dBodyGetAngularVel(o->body[i]), sizeof out->spin);
    }
}
