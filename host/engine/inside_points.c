/* imp_solids of impinge.h: any points inside the closed objects of a frame. */
#include "engine.h"
#include "inside.h"
#include "solids_batch.h"
#include "solids_pack.h"

#include "error.h"

#include <math.h>
#include <string.h>

struct imp_solids {
    imp *p;
    imp_mesh mesh; /* copies of the caller's arrays */
    imp_frame frame;
    solids of;
    solids_pack pack;
    size_t count;
    int32_t *object; /* [count] the closed ones */
};

static int solids_copy(mem *m, const void *from, size_t bytes, void *out)
{
    void *to;
    const int err = from ? mem_alloc(m, bytes, &to) : IMP_OK;
    if (err || !from)
        return err;
    memcpy(to, from, bytes);
    memcpy(out, &to, sizeof to);
    return IMP_OK;
}

static int solids_check_listed(imp *p, const imp_frame *frame)
{
    size_t next = 0;
    int32_t object;
    imp_rules *rules = NULL;
    int err = inside_listed_missing(p, frame, 1, &rules);
    if (!err && imp_rules_missing(rules, &next, &object))
        err = imp_fail(IMP_ERR_ARGUMENT,
                       "frame %llu: inside_object: there is no primitive of object %d",
                       (unsigned long long)frame->number, object);
    imp_rules_destroy(rules);
    return err;
}

static int solids_take(mem *m, const imp_frame *from, imp_solids *s)
{
    int err = IMP_OK;
    const imp_mesh *mesh = from->mesh;
    s->mesh = (imp_mesh){
        .vertices = mesh->vertices, .primitives = mesh->primitives, .corners = mesh->corners};
    s->frame = (imp_frame){.mesh = &s->mesh, .type = from->type, .number = from->number};
    TRY(solids_copy(m, mesh->corner, mesh_corner_count(mesh) * sizeof *mesh->corner,
                    &s->mesh.corner));
    TRY(solids_copy(m, mesh->object, mesh->primitives * sizeof *mesh->object, &s->mesh.object));
    TRY(solids_copy(m, mesh->corner_count, mesh->primitives, &s->mesh.corner_count));
    TRY(solids_copy(m, from->point, mesh->vertices * frame_point_bytes(from), &s->frame.point));
out:
    return err;
}

static int solids_list(mem *m, imp_solids *s)
{
    int err = IMP_OK;
    const closed_mesh *c = &s->of.mesh;
    TRY(mem_alloc(m, c->count * sizeof *s->object, &s->object));
    for (uint32_t i = 0; i < c->count; i++)
        if (c->of[i].closed)
            s->object[s->count++] = c->of[i].object;
out:
    return err;
}

/* Bad primitives belong to no object. */
static int solids_check_bad(const options *o, const imp_solids *s)
{
    for (uint32_t i = 0; i < s->mesh.primitives && o->on_bad == IMP_BAD_ERROR; i++)
        if (s->of.mesh.place[i] == CLOSED_NONE)
            return bound_fail_bad(&s->frame);
    return IMP_OK;
}

int imp_solids_create(imp *p, const imp_frame *frame, imp_solids **out)
{
    int err = IMP_OK;
    imp_solids *s = NULL;
    if (!p || !out)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_solids_create: %s is NULL",
                        p ? "out" : "the pipeline");
    *out = NULL;
    run_entry entry;
    err = run_begin(p, "imp_solids_create", &entry);
    if (err)
        return err;
    const options *o = &p->context.opt;
    const closed_wanted wanted = {o->inside_object, o->inside_objects};
    imp_relations counts = {0};
    TRY(frames_check(p, frame, 1));
    TRY(solids_check_listed(p, frame));
    TRY(mem_alloc(&p->mem, sizeof *s, &s));
    *s = (imp_solids){.p = p,
                      .pack = {.dev = p->context.dev64},
                      .of = {.mem = &p->mem,
                             .pack = &s->pack,
                             .threads = p->context.threads,
                             .winding = o->inside_winding,
                             .cancel = &p->cancel}};
    TRY(solids_take(&p->mem, frame, s));
    TRY(solids_make(&s->frame, &wanted, &s->of));
    TRY(solids_check_bad(o, s));
    TRY(inside_check_closed(o, &s->of, &counts));
    TRY(solids_list(&p->mem, s));
out:
    err = run_end(p, &entry, err);
    if (err)
        imp_solids_destroy(s);
    else
        *out = s;
    mem_end_epoch(&p->mem); /* frees cached blocks that no call takes */
    return err;
}

void imp_solids_destroy(imp_solids *s)
{
    if (!s)
        return;
    mem *m = &s->p->mem;
    solids_pack_free(&s->of);
    solids_free(&s->of);
    mem_free(m, (void *)(uintptr_t)s->mesh.corner);
    mem_free(m, (void *)(uintptr_t)s->mesh.object);
    mem_free(m, (void *)(uintptr_t)s->mesh.corner_count);
    mem_free(m, (void *)(uintptr_t)s->frame.point);
    mem_free(m, s->object);
    mem_free(m, s);
}

const int32_t *imp_solids_objects(const imp_solids *s, size_t *count)
{
    *count = s ? s->count : 0;
    return *count ? s->object : NULL;
}

static int solids_wants_depth(const imp_inside_points *out)
{
    return out->depth || out->face || out->barycentric || out->normal || out->nearest;
}

static void solids_put(const imp_inside_points *out, size_t i, const solids_depth_at *at)
{
    if (out->depth)
        out->depth[i] = at->depth;
    if (out->face)
        out->face[i] = at->prim;
    if (out->barycentric)
        memcpy(out->barycentric + 4 * i, at->weight, sizeof at->weight);
    if (out->normal)
        memcpy(out->normal + 3 * i, at->normal, sizeof at->normal);
    if (out->nearest)
        memcpy(out->nearest + 3 * i, at->nearest, sizeof at->nearest);
}

/* Points that are answered at a time: many, since each time they meet all triangles. */
#define SOLIDS_POINTS 262144

/* The queries of points that are inside, and their numbers. */
typedef struct solids_points {
    solids_query *query;
    solids_depth_at *at;
    uint32_t *which;
} solids_points;

static int solids_points_open(mem *m, size_t n, const imp_inside_points *out, solids_points *p)
{
    int err = IMP_OK;
    const size_t depths = solids_wants_depth(out) ? n : 0;
    TRY(mem_alloc(m, n * sizeof *p->query, &p->query));
    TRY(mem_alloc(m, depths * sizeof *p->at, &p->at));
    TRY(mem_alloc(m, depths * sizeof *p->which, &p->which));
out:
    return err;
}

static void solids_points_close(mem *m, solids_points *p)
{
    mem_free(m, p->query);
    mem_free(m, p->at);
    mem_free(m, p->which);
}

/* Keeps the queries of points that are inside; returns their number. */
static size_t solids_points_inside(const solids *of, solids_points *p, size_t n)
{
    size_t inside = 0;
    for (size_t i = 0; i < n; i++)
        if (!p->query[i].touches && solids_inside(of, p->query[i].winding)) {
            p->query[inside] = p->query[i];
            p->query[inside].at = &p->at[inside];
            p->which[inside++] = (uint32_t)i;
        }
    return inside;
}

/* The queries of n points from `first` on. */
static int solids_points_take(uint32_t place, const double *point, size_t first, size_t n,
                              solids_query *q)
{
    for (size_t i = 0; i < n; i++) {
        const double *x = point + 3 * (first + i);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return imp_fail(IMP_ERR_ARGUMENT, "point %zu is not finite", first + i);
        q[i].place = place;
        memcpy(q[i].x, x, sizeof q[i].x);
    }
    return IMP_OK;
}

static void solids_put_windings(const solids *of, const solids_query *q, size_t first, size_t n,
                                const imp_inside_points *out)
{
    for (size_t i = 0; i < n; i++) {
        if (out->winding)
            out->winding[first + i] = q[i].winding;
        if (out->inside)
            out->inside[first + i] = (uint8_t)(!q[i].touches && solids_inside(of, q[i].winding));
        if (out->touching)
            out->touching[first + i] = (uint8_t)q[i].touches;
    }
}

/* What points have that are not inside. */
static void solids_put_nothing(const imp_inside_points *out, size_t first, size_t n)
{
    if (out->depth)
        memset(out->depth + first, 0, n * sizeof *out->depth);
    if (out->face)
        memset(out->face + first, 0xff, n * sizeof *out->face);
    if (out->barycentric)
        memset(out->barycentric + 4 * first, 0, 4 * n * sizeof *out->barycentric);
    if (out->normal)
        memset(out->normal + 3 * first, 0, 3 * n * sizeof *out->normal);
    if (out->nearest)
        memset(out->nearest + 3 * first, 0, 3 * n * sizeof *out->nearest);
}

/* Answers n points from `first` on. */
static int solids_answer(const solids *of, uint32_t place, const double *point, size_t first,
                         size_t n, const imp_inside_points *out, solids_points *p)
{
    int err = IMP_OK;
    TRY(solids_points_take(place, point, first, n, p->query));
    TRY(solids_windings(of, p->query, n));
    solids_put_windings(of, p->query, first, n, out);
    if (!solids_wants_depth(out))
        goto out;
    solids_put_nothing(out, first, n);
    const size_t inside = solids_points_inside(of, p, n);
    TRY(solids_depths(of, p->query, inside));
    for (size_t i = 0; i < inside; i++)
        solids_put(out, first + p->which[i], &p->at[i]);
out:
    return err;
}

int imp_solids_points(imp_solids *s, int32_t object, const double *point, size_t n,
                      const imp_inside_points *out)
{
    int err = IMP_OK;
    solids_points p = {0};
    if (!s || !out || (n && !point))
        return imp_fail(IMP_ERR_ARGUMENT, "imp_solids_points: %s is NULL",
                        !s     ? "the solids"
                        : !out ? "out"
                               : "point");
    run_entry entry;
    err = run_begin(s->p, "imp_solids_points", &entry);
    if (err)
        return err;
    const uint32_t place = closed_mesh_place(&s->of.mesh, object);
    if (place == CLOSED_NONE || !s->of.mesh.of[place].closed)
        FAIL(IMP_ERR_ARGUMENT, "object %d is not a closed object of the frame", object);
    const size_t batch = n < SOLIDS_POINTS ? n : SOLIDS_POINTS;
    TRY(solids_points_open(s->of.mem, batch, out, &p));
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < batch ? n - first : batch;
        TRY(solids_answer(&s->of, place, point, first, m, out, &p));
    }
out:
    solids_points_close(s->of.mem, &p);
    mem_end_epoch(s->of.mem);
    return run_end(s->p, &entry, err);
}
