/* See gjk.h. */
#include "gjk.h"

#include <ccd/ccd.h>

typedef struct side {
    const roof *body;
    const pose_map *put;
} side;

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const side *s = object;
    double most = -INFINITY;
    for (uint32_t v = 0; v < s->body->vertices; v++) {
        double y[3];
        pose_put(s->put, s->body->x + 3 * (size_t)v, y);
        const double far = y[0] * direction->v[0] + y[1] * direction->v[1] + y[2] * direction->v[2];
        if (far > most) {
            most = far;
            ccdVec3Set(out, y[0], y[1], y[2]);
        }
    }
}

/* An interior point: the mean of all vertices. */
static void middle(const void *object, ccd_vec3_t *out)
{
    const side *s = object;
    double sum[3] = {0}, y[3];
    for (size_t i = 0; i < 3 * (size_t)s->body->vertices; i++)
        sum[i % 3] += s->body->x[i] / s->body->vertices;
    pose_put(s->put, sum, y);
    ccdVec3Set(out, y[0], y[1], y[2]);
}

/* libccd's defaults, except for a limit on iterations: the default is none, and GJK may cycle. */
static ccd_t settings(void)
{
    ccd_t c;
    CCD_INIT(&c);
    c.support1 = c.support2 = support;
    c.center1 = c.center2 = middle;
    c.max_iterations = 100;
    return c;
}

int gjk_meet(const roof_pair *p)
{
    const ccd_t c = settings();
    const side a = {&p->body[0], &p->put[0]}, b = {&p->body[1], &p->put[1]};
    return ccdGJKIntersect(&a, &b, &c);
}

int mpr_meet(const roof_pair *p)
{
    const ccd_t c = settings();
    const side a = {&p->body[0], &p->put[0]}, b = {&p->body[1], &p->put[1]};
    return ccdMPRIntersect(&a, &b, &c);
}
