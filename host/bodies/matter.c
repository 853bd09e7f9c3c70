/* See matter.h. */
#include "matter.h"

#include "error.h"

#include <math.h>
#include <string.h>

#define FIELD(name, member, numbers)                                                               \
    {                                                                                              \
        name, offsetof(matter_body, member), numbers                                               \
    }
const matter_field matter_fields[MATTER_FIELDS] = {
    [MATTER_FIELD_MASS] = FIELD("mass", mass, 1),
    [MATTER_FIELD_INERTIA] = FIELD("inertia", inertia, 6),
    [MATTER_FIELD_DENSITY] = FIELD("density", density, 1),
    [MATTER_FIELD_RESTITUTION] = FIELD("restitution", restitution, 1),
    [MATTER_FIELD_FRICTION] = FIELD("friction", friction, 1),
    [MATTER_FIELD_FIXED] = FIELD("fixed", fixed, 1)};

int matter_make(matter *m, uint32_t bodies)
{
    int err = mem_alloc(m->mem, bodies * sizeof *m->body, &m->body);
    if (err)
        return err;
    m->bodies = bodies;
    for (uint32_t i = 0; i < bodies; i++)
        m->body[i] = (matter_body){.density = MATTER_DENSITY,
                                   .restitution = MATTER_RESTITUTION,
                                   .friction = MATTER_FRICTION};
    m->gravity[2] = -MATTER_GRAVITY;
    m->slowest = MATTER_SLOWEST;
    return IMP_OK;
}

void matter_free(matter *m)
{
    if (m->mem) {
        mem_free(m->mem, m->body);
        mem_free(m->mem, m->home);
        mem_free(m->mem, m->push);
    }
    *m = (matter){0};
}

/* ---- validation */

static int matter_all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* Returns whether the symmetric matrix is positive definite, by its minors (Sylvester). */
static int is_positive(double xx, double yy, double zz, double xy, double xz, double yz)
{
    const double det =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - xz * yz) + xz * (xy * yz - yy * xz);
    return xx > 0 && xx * yy - xy * xy > 0 && det > 0;
}

/* Each principal moment of a body must be at most the sum of the other two. That holds if the
 * second moments, half of the trace of I on the diagonal minus I, have no negative eigenvalue. A
 * body without extent along an axis has a 0 there, which rounding may make negative. */
static int is_inertia(const double i[6])
{
    const double half = (i[0] + i[1] + i[2]) / 2, slack = 1e-9 * half;
    return is_positive(i[0], i[1], i[2], i[3], i[4], i[5]) &&
           is_positive(half - i[0] + slack, half - i[1] + slack, half - i[2] + slack, -i[3], -i[4],
                       -i[5]);
}

static const char *body_fault(const matter_body *b)
{
    for (int i = 0; i < MATTER_FIELDS; i++) {
        const matter_field *f = &matter_fields[i];
        if (!matter_all_finite((const double *)(const void *)((const char *)b + f->offset),
                               f->numbers))
            return "a number of it is not finite";
    }
    if (b->mass < 0)
        return "its mass is below 0";
    if (!(b->mass > 0) && !(b->density > 0))
        return "its density is not above 0";
    if (matter_has_inertia(b) && !(b->mass > 0))
        return "it has inertia, but no mass";
    if (matter_has_inertia(b) && !is_inertia(b->inertia))
        return "no body has this inertia";
    if (!(b->restitution >= 0 && b->restitution <= 1))
        return "its restitution is not from 0 to 1";
    if (!(b->friction >= 0))
        return "its friction is below 0";
    return b->fixed != 0 && b->fixed != 1 ? "`fixed` is neither 0 nor 1" : NULL;
}

static const char *forces_fault(const matter *m)
{
    if (!matter_all_finite(m->gravity, 3))
        return "gravity is not finite";
    if (!(m->slowest >= 0))
        return "restitution_slowest is below 0";
    for (int k = 0; k < 3; k++)
        if (!(m->spring[k] >= 0 && isfinite(m->spring[k])))
            return "a spring is below 0, or not finite";
    if (m->home && !matter_all_finite(m->home, (size_t)3 * m->bodies))
        return "a home is not finite";
    if (!(m->step >= 0 && isfinite(m->step) && m->epsilon >= 0 && isfinite(m->epsilon) &&
          m->seconds >= 0 && isfinite(m->seconds)))
        return "step, epsilon or seconds is below 0, or not finite";
    for (const matter_push *p = m->push; p < m->push + m->pushes; p++)
        if (!matter_all_finite(p->at, 3) || !matter_all_finite(p->force, 3) ||
            !isfinite(p->begin) || !isfinite(p->end))
            return "a push is not finite";
    return NULL;
}

int matter_check(const matter *m, const int32_t *object, int code, const char *of)
{
    const char *fault = forces_fault(m);
    if (fault)
        return imp_fail(code, "%s: %s", of, fault);
    for (uint32_t i = 0; i < m->bodies; i++)
        if ((fault = body_fault(&m->body[i])))
            return imp_fail(code, "%s: body %d: %s", of, object[i], fault);
    return IMP_OK;
}
