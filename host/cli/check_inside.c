/* See check.h: vertices inside objects, and the relations of objects. */
#include "check.h"

#include "error.h"
#include "frame.h"
#include "truth.h"

#include <stdio.h>

static int check_inside_differ(const check_rows *c, int64_t vertex, int64_t b, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS,
                    "%s: frame %llu: vertex %lld inside primitive %lld's object %s", c->path,
                    (unsigned long long)c->frame, (long long)vertex, (long long)b, how);
}

/* ---- rows */

/* Rows are read from a file: they are checked before they are used as indices. */
static int check_inside_form(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    const imp_mesh *m = c->at->mesh;
    if (r->a[i] < 0 || r->a[i] >= m->primitives || r->b[i] < 0 || r->b[i] >= m->primitives ||
        r->vertex[i] < 0 || r->vertex[i] >= m->vertices)
        return check_inside_differ(c, r->vertex[i], r->b[i], "is not of this frame");
    if (r->kind[i] != IMP_KIND_VERTEX_INSIDE)
        return check_inside_differ(c, r->vertex[i], r->b[i], "has another kind");
    return IMP_OK;
}

static truth_inside_row check_inside_key(const result_rows *r, uint64_t i)
{
    return (truth_inside_row){
        .vertex = (uint32_t)r->vertex[i], .a = (uint32_t)r->a[i], .b = (uint32_t)r->b[i]};
}

static int check_inside_row(check_rows *c, uint64_t i, const truth_inside_row *t)
{
    const result_rows *r = c->rows;
    char how[120];
    const truth_inside_claim claim = {.winding = r->winding[i],
                                      .depth = r->depth[i],
                                      .point = r->points + 6 * i,
                                      .barycentric = r->barycentric + 4 * i,
                                      .normal = r->normal + 3 * i};
    const char *fault = truth_inside_fault(c->at, t, &claim);
    const int64_t face = c->number ? c->number[r->b[i]] : r->b[i];
    const int err = check_rows_names(c, i);
    if (err)
        return err;
    if (!fault && r->face[i] != face)
        fault = "Face is not PrimitiveB";
    snprintf(how, sizeof how, "is wrong: %s", fault ? fault : "");
    if (fault)
        return check_inside_differ(c, r->vertex[i], face, how);
    c->pairs++;
    return IMP_OK;
}

int check_inside_compare(check_rows *c, const truth_inside *t)
{
    int err = IMP_OK;
    const result_rows *r = c->rows;
    size_t next = 0;
    TRY(check_rows_columns(c));
    for (uint64_t i = 0; i < r->count; i++) {
        TRY(check_inside_form(c, i));
        if (c->wanted && !c->wanted[r->a[i]])
            continue;
        const truth_inside_row key = check_inside_key(r, i);
        const int order = next < t->count ? truth_inside_order(&key, &t->row[next]) : -1;
        if (order > 0)
            TRY(check_inside_differ(c, t->row[next].vertex, t->row[next].b, "is missing"));
        if (order < 0)
            TRY(check_inside_differ(c, key.vertex, key.b,
                                    "is not inside, has another primitive, or is out of order"));
        TRY(check_inside_row(c, i, &t->row[next++]));
    }
    if (next < t->count)
        TRY(check_inside_differ(c, t->row[next].vertex, t->row[next].b, "is missing"));
out:
    return err;
}

/* ---- relations */

static int check_relations_differ(const check_rows *c, int64_t a, int64_t b, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: frame %llu: objects %lld and %lld: %s", c->path,
                    (unsigned long long)c->frame, (long long)a, (long long)b, how);
}

/* Returns the number of a vertex in memory; UINT32_MAX for -1. *bad: it is none of the frame. */
static uint32_t check_relations_vertex(const check_rows *c, int64_t v, int *bad)
{
    const int none = v == -1;
    *bad |= !none && (v < 0 || v >= c->at->mesh->vertices);
    return none || *bad ? UINT32_MAX : (uint32_t)v;
}

/* The stored position must be that of the vertex, but for the sign of a zero; zeros for none. */
static int check_relations_point(const check_rows *c, uint32_t v, const double *point)
{
    double want[3] = {0};
    for (size_t k = 0; v != UINT32_MAX && k < 3; k++)
        want[k] = c->at->type == IMP_FLOAT32
                      ? (double)((const float *)c->at->point)[(size_t)3 * v + k]
                      : ((const double *)c->at->point)[(size_t)3 * v + k];
    return want[0] == point[0] && want[1] == point[1] && want[2] == point[2];
}

static int check_relations_pair(const check_rows *c, const relation_rows *r, uint64_t i,
                                imp_relation *out)
{
    int bad = 0;
    const uint32_t deepest[] = {check_relations_vertex(c, r->deepest_a[i], &bad),
                                check_relations_vertex(c, r->deepest_b[i], &bad)};
    if (bad || !check_relations_point(c, deepest[0], r->point_a + 3 * i) ||
        !check_relations_point(c, deepest[1], r->point_b + 3 * i))
        return check_relations_differ(c, r->a[i], r->b[i], "the deepest vertex is none");
    *out = (imp_relation){.a = r->a[i],
                          .b = r->b[i],
                          .relation = r->relation[i],
                          .contacts = (uint64_t)r->contacts[i],
                          .inside = {(uint64_t)r->inside_a[i], (uint64_t)r->inside_b[i]},
                          .touching = {(uint64_t)r->touching_a[i], (uint64_t)r->touching_b[i]},
                          .depth = {r->depth_a[i], r->depth_b[i]},
                          .deepest = {deepest[0], deepest[1]}};
    return IMP_OK;
}

static int check_relations_swallowed(const check_rows *c, const swallowed_rows *w, uint64_t i,
                                     imp_swallowed *out)
{
    const int64_t first = check_rows_position(c, w->primitive[i]);
    if (first < 0 || w->primitives[i] < 0 || w->primitives[i] > UINT32_MAX || w->vertices[i] < 0 ||
        w->vertices[i] > UINT32_MAX)
        return check_relations_differ(c, w->object[i], w->in[i], "a swallowed part is none");
    *out = (imp_swallowed){.object = w->object[i],
                           .in = w->in[i],
                           .primitive = (uint32_t)first,
                           .primitives = (uint32_t)w->primitives[i],
                           .vertices = (uint32_t)w->vertices[i]};
    return IMP_OK;
}

int check_relations_compare(const check_rows *c, const step_relations *of, const truth_relations *t)
{
    int err = IMP_OK;
    mem *m = &c->job->mem.read;
    imp_relation *pair = NULL;
    imp_swallowed *part = NULL;
    int32_t object[2] = {0};
    TRY(mem_alloc(m, (of->pairs.count + 1) * sizeof *pair, &pair));
    TRY(mem_alloc(m, (of->swallowed.count + 1) * sizeof *part, &part));
    for (uint64_t i = 0; i < of->pairs.count; i++)
        TRY(check_relations_pair(c, &of->pairs, i, &pair[i]));
    for (uint64_t i = 0; i < of->swallowed.count; i++)
        TRY(check_relations_swallowed(c, &of->swallowed, i, &part[i]));
    const imp_relations claim = {.count = of->pairs.count,
                                 .swallowed_count = of->swallowed.count,
                                 .relation = pair,
                                 .swallowed = part,
                                 .closed = (uint32_t)of->closed,
                                 .open = (uint32_t)of->open};
    const char *fault = truth_relations_fault(t, &claim, object);
    if (fault)
        TRY(check_relations_differ(c, object[0], object[1], fault));
out:
    mem_free(m, pair);
    mem_free(m, part);
    return err;
}
