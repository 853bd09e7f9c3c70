/* See bodies.h. */
#include "bodies.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "vec3.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RUN_VERTICES 4096 /* greatest number in a run */

/* Bisection: bodies_listed has checked that the list ascends. */
uint32_t body_number(const int32_t *body, uint32_t bodies, int32_t object)
{
    uint32_t low = 0, high = bodies;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body[middle] < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bodies && body[low] == object ? low : NO_BODY;
}

/* ---- errors */

__attribute__((format(printf, 2, 3))) static int bodies_fail(const bodies_of *of,
                                                             const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return imp_fail(of->code, "%s%sframe %llu: %s", of->file ? of->file : "",
                    of->file ? ": /impinge/bodies: " : "", (unsigned long long)of->frame, text);
}

int bodies_listed(const imp_mesh *m, const bodies_of *of)
{
    if (m->bodies && (!m->body || (!m->rest && m->vertices)))
        return bodies_fail(of, "%s is NULL, but there are %u bodies", m->body ? "rest" : "body",
                           m->bodies);
    for (uint32_t i = 1; i < m->bodies; i++)
        if (m->body[i] <= m->body[i - 1])
            return bodies_fail(of, "body %d is out of order: it follows %d", m->body[i],
                               m->body[i - 1]);
    return IMP_OK;
}

/* ---- vertices */

int bodies_mark(const imp_mesh *m, const bodies_of *of, uint32_t *owner)
{
    uint32_t body = NO_BODY;
    for (size_t i = 0; i < m->primitives; i++) {
        /* Objects usually are runs of primitives, so few are looked up. */
        if (!i || (m->object && m->object[i] != m->object[i - 1]))
            body = body_number(m->body, m->bodies, m->object ? m->object[i] : 0);
        for (uint32_t k = 0; body != NO_BODY && k < mesh_corners_of(m, i); k++) {
            const uint32_t v = mesh_vertex(m, i, k);
            /* Two poses would have to move it to one point. */
            if (owner[v] != NO_BODY && owner[v] != body)
                return bodies_fail(of, "vertex %u belongs to two bodies, %d and %d", v,
                                   m->body[owner[v]], m->body[body]);
            owner[v] = body;
        }
    }
    return IMP_OK;
}

/* Every multiple of RUN_VERTICES begins a run, so vertex 0 reads no vertex before it. */
static int run_begins(const uint32_t *owner, uint32_t v)
{
    return owner[v] != NO_BODY && (v % RUN_VERTICES == 0 || owner[v - 1] != owner[v]);
}

size_t body_runs(const uint32_t *owner, uint32_t vertices, body_run *run)
{
    size_t runs = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        if (run_begins(owner, v) && run)
            run[runs] = (body_run){.first = v, .body = owner[v]};
        runs += (size_t)run_begins(owner, v);
        if (run && owner[v] != NO_BODY)
            run[runs - 1].last = v + 1;
    }
    return runs;
}

/* Counted first, so that the array has its final size. */
static int find_runs(mem *m, const uint32_t *owner, uint32_t vertices, body_set *out)
{
    int err = IMP_OK;
    const size_t runs = body_runs(owner, vertices, NULL);
    TRY(mem_alloc(m, runs * sizeof *out->run, &out->run));
    out->runs = body_runs(owner, vertices, out->run);
    for (size_t i = 0; i < runs; i++)
        out->vertices[out->run[i].body] += out->run[i].last - out->run[i].first;
out:
    return err;
}

int bodies_find(mem *m, const imp_mesh *mesh, const bodies_of *of, body_set *out)
{
    int err = IMP_OK;
    const uint32_t n = mesh->bodies;
    uint32_t *owner = NULL;
    *out = (body_set){.mesh = mesh, .count = n};
    TRY(mem_alloc(m, mesh->vertices * sizeof *owner, &owner));
    TRY(mem_alloc(m, n * sizeof *out->vertices, &out->vertices));
    TRY(mem_alloc(m, n * sizeof *out->radius, &out->radius));
    memset(out->vertices, 0, n * sizeof *out->vertices);
    memset(out->radius, 0, n * sizeof *out->radius);
    /* NO_BODY, byte by byte. */
    memset(owner, 0xff, mesh->vertices * sizeof *owner);
    TRY(bodies_mark(mesh, of, owner));
    TRY(find_runs(m, owner, mesh->vertices, out));
out:
    mem_free(m, owner);
    if (err)
        bodies_free(m, out);
    return err;
}

/* The radius tells how far an error of the rotation moves a vertex: pose_tolerance. */
void bodies_measure(body_set *b)
{
    for (size_t i = 0; i < b->runs; i++) {
        const body_run *run = b->run + i;
        double *radius = b->radius + run->body;
        for (uint32_t v = run->first; v < run->last; v++) {
            const double far = pose_length(b->mesh->rest + (size_t)3 * v);
            *radius = far > *radius ? far : *radius;
        }
    }
}

void bodies_free(mem *m, body_set *b)
{
    mem_free(m, b->run);
    mem_free(m, b->vertices);
    mem_free(m, b->radius);
    *b = (body_set){0};
}

/* ---- poses */

const pose_field pose_fields[POSE_FIELDS] = {
    [POSE_CENTRE] = {"centre", offsetof(imp_pose, centre), 3},
    [POSE_ROTATION] = {"rotation", offsetof(imp_pose, rotation), 4},
    [POSE_VELOCITY] = {"velocity", offsetof(imp_pose, velocity), 3},
    [POSE_SPIN] = {"angular_velocity", offsetof(imp_pose, spin), 3}};

static const char *field_fault(const imp_pose *p, const pose_field *field)
{
    const double *x = (const double *)(const void *)((const char *)p + field->offset);
    for (size_t k = 0; k < field->numbers; k++)
        if (!isfinite(x[k]))
            return "not finite";
    /* only the rotation has four */
    return field->numbers == 4 && !pose_is_unit(x) ? "not a quaternion of length 1" : NULL;
}

int poses_check(const imp_frame *f, const bodies_of *of)
{
    for (uint32_t b = 0; b < f->mesh->bodies; b++)
        for (int i = 0; i < POSE_FIELDS; i++) {
            const char *fault = field_fault(f->pose + b, &pose_fields[i]);
            if (fault)
                return bodies_fail(of, "body %d: its %s is %s", f->mesh->body[b],
                                   pose_fields[i].name, fault);
        }
    return IMP_OK;
}

/* Distance of a vertex from its mapped position; 0: within the allowed one, or not finite. NaN if
 * the map overflows, which is also not 0. */
static double vertex_off(const imp_frame *f, const pose_map *map, uint32_t v, double most)
{
    double x[3], off[3];
    frame_vertex(f, v, x);
    pose_put(map, f->mesh->rest + (size_t)3 * v, off);
    vec_sub(x, off, off);
    /* The sum is at least the length, and saves a square root for nearly all vertices. */
    if (fabs(off[0]) + fabs(off[1]) + fabs(off[2]) <= most || pose_length(off) <= most ||
        !isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
        return 0;
    return pose_length(off);
}

/* The first vertex of a run that is off its posed position, or the end of the run. */
static uint32_t run_look(const body_set *b, const imp_frame *f, const body_run *run, double *off,
                         double *most)
{
    const imp_pose *pose = f->pose + run->body;
    const pose_map map = pose_map_of(pose);
    uint32_t v = run->first;
    *most = pose_tolerance(pose, b->radius[run->body], f->type);
    for (; v < run->last && (*off = vertex_off(f, &map, v, *most)) == 0; v++)
        ;
    return v;
}

/* Reports the first bad run, independent of threads, and examines it again for the numbers of the
 * message. */
int bodies_check_points(const body_set *b, const imp_frame *f, int threads, const bodies_of *of)
{
    int64_t bad = (int64_t)b->runs;
    double off, most;
#pragma omp parallel num_threads(threads) private(off, most)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) reduction(min : bad) nowait
    for (int64_t i = 0; i < (int64_t)b->runs; i++)
        if (i < bad && run_look(b, f, b->run + i, &off, &most) < b->run[i].last)
            bad = i;
    if (bad == (int64_t)b->runs)
        return IMP_OK;
    const body_run *run = b->run + bad;
    const uint32_t v = run_look(b, f, run, &off, &most);
    return bodies_fail(of,
                       "body %d: vertex %llu is %.3g from where its pose puts it; %.3g is allowed",
                       f->mesh->body[run->body], (unsigned long long)(b->first + v), off, most);
}

int bodies_check(const body_set *b, const imp_frame *f, int threads, const bodies_of *of)
{
    const int err = poses_check(f, of);
    return err ? err : bodies_check_points(b, f, threads, of);
}
