/* See inside.h. */
#include "inside.h"

#include "solids_batch.h"
#include "error.h"
#include "prim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void inside_frame_free(inside_frame *f)
{
    mem *m = f->solids->mem;
    mem_free(m, f->vertex0);
    mem_free(m, f->vertex);
    mem_free(m, f->vertex_prim);
    mem_free(m, f->pair);
    mem_free(m, f->query);
    mem_free(m, f->contact);
    mem_free(m, f->relation);
    mem_free(m, f->swallowed);
    *f = (inside_frame){.solids = f->solids};
}

/* ---- the vertices of each object */

static int inside_vertex_order(const void *p, const void *q)
{
    const uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
    return (x > y) - (x < y);
}

/* seen: the last object that was found to have each vertex; prim: its first primitive with it. */
typedef struct inside_marks {
    uint32_t *seen, *prim; /* [vertices] */
} inside_marks;

/* Marks the vertices of an object, and lists them in `out`; returns their number. */
static size_t inside_mark_vertices(inside_frame *f, uint32_t place, const inside_marks *k,
                                   uint32_t *out, uint32_t range[2])
{
    const closed_mesh *c = &f->solids->mesh;
    const imp_mesh *m = c->frame->mesh;
    const closed_object *o = &c->of[place];
    size_t n = 0;
    range[0] = UINT32_MAX;
    range[1] = 0;
    for (uint32_t i = o->first; i < o->last; i++)
        for (uint32_t corner = 0; corner < mesh_corners_of(m, c->prim[i]); corner++) {
            const uint32_t v = mesh_vertex(m, c->prim[i], corner);
            if (k->seen[v] == place)
                continue;
            f->shares |= k->seen[v] != CLOSED_NONE;
            k->seen[v] = place;
            k->prim[v] = c->prim[i];
            range[0] = v < range[0] ? v : range[0];
            range[1] = v > range[1] ? v : range[1];
            out[n++] = v;
        }
    return n;
}

#define INSIDE_DENSE 8 /* numbers for each vertex of an object that are searched in order */

/* Lists the vertices of an object from f->vertex0[place] on, ascending. */
static void inside_list_vertices(inside_frame *f, uint32_t place, const inside_marks *k)
{
    const size_t first = f->vertex0[place];
    uint32_t range[2], *out = f->vertex + first;
    const size_t n = inside_mark_vertices(f, place, k, out, range);
    if (n && (range[1] - range[0]) / INSIDE_DENSE < n) {
        size_t at = 0;
        for (size_t v = range[0]; v <= range[1]; v++)
            if (k->seen[v] == place)
                out[at++] = (uint32_t)v;
    } else if (n) {
        qsort(out, n, sizeof *out, inside_vertex_order);
    }
    for (size_t i = 0; i < n; i++)
        f->vertex_prim[first + i] = k->prim[out[i]];
    f->vertex0[place + 1] = first + n;
}

/* No object has more vertices than corners. */
static int inside_vertices(inside_frame *f)
{
    int err = IMP_OK;
    const closed_mesh *c = &f->solids->mesh;
    const imp_mesh *mesh = c->frame->mesh;
    mem *m = f->solids->mem;
    inside_marks marks = {0};
    size_t corners = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const size_t n = (size_t)(c->of[i].last - c->of[i].first) * mesh_corners(mesh);
        corners += n < mesh->vertices ? n : mesh->vertices;
    }
    TRY(mem_alloc(m, mesh->vertices * sizeof *marks.seen, &marks.seen));
    TRY(mem_alloc(m, mesh->vertices * sizeof *marks.prim, &marks.prim));
    TRY(mem_alloc(m, ((size_t)c->count + 1) * sizeof *f->vertex0, &f->vertex0));
    TRY(mem_alloc(m, corners * sizeof *f->vertex, &f->vertex));
    TRY(mem_alloc(m, corners * sizeof *f->vertex_prim, &f->vertex_prim));
    memset(marks.seen, 0xff, mesh->vertices * sizeof *marks.seen);
    f->vertex0[0] = 0;
    for (uint32_t i = 0; i < c->count; i++)
        inside_list_vertices(f, i, &marks);
out:
    mem_free(m, marks.seen);
    mem_free(m, marks.prim);
    return err;
}

/* ---- pairs of objects whose boxes overlap */

typedef struct inside_box {
    float box[6];
    uint32_t place;
} inside_box;

static void inside_object_box(const inside_frame *f, uint32_t place, float box[6])
{
    const solids *s = f->solids;
    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
    }
    for (size_t i = f->vertex0[place]; i < f->vertex0[place + 1]; i++)
        for (int k = 0; k < 3; k++) {
            const float x =
                solids_unit(s, k, frame_coordinate(s->mesh.frame, f->vertex[i], (size_t)k));
            box[k] = x < box[k] ? x : box[k];
            box[3 + k] = x > box[3 + k] ? x : box[3 + k];
        }
}

static int inside_box_order(const void *p, const void *q)
{
    const inside_box *x = p, *y = q;
    if (x->box[0] != y->box[0])
        return x->box[0] < y->box[0] ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int inside_pair_order(const void *p, const void *q)
{
    const inside_pair *x = p, *y = q;
    if (x->place[0] != y->place[0])
        return x->place[0] < y->place[0] ? -1 : 1;
    return (x->place[1] > y->place[1]) - (x->place[1] < y->place[1]);
}

static int inside_add_pair(inside_frame *f, const inside_box *x, const inside_box *y)
{
    const closed_object *of = f->solids->mesh.of;
    const uint32_t a = x->place < y->place ? x->place : y->place,
                   b = x->place < y->place ? y->place : x->place;
    for (int k = 1; k < 3; k++)
        if (x->box[k] > y->box[3 + k] || y->box[k] > x->box[3 + k])
            return IMP_OK;
    if ((!of[a].closed && !of[b].closed) ||
        (f->allowed && !f->allowed(f->allowed_user, of[a].object, of[b].object)))
        return IMP_OK;
    const int err = mem_fit(f->solids->mem, f->pairs, &f->pair_capacity, sizeof *f->pair, &f->pair);
    if (!err)
        f->pair[f->pairs++] = (inside_pair){.place = {a, b}, .deepest = {UINT32_MAX, UINT32_MAX}};
    return err;
}

/* Goes along the first axis. */
static int inside_find_pairs(inside_frame *f)
{
    int err = IMP_OK;
    const uint32_t n = f->solids->mesh.count;
    inside_box *box = NULL;
    TRY(mem_alloc(f->solids->mem, n * sizeof *box, &box));
    for (uint32_t i = 0; i < n; i++) {
        box[i].place = i;
        inside_object_box(f, i, box[i].box);
    }
    qsort(box, n, sizeof *box, inside_box_order);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n && box[j].box[0] <= box[i].box[3]; j++)
            TRY(inside_add_pair(f, &box[i], &box[j]));
    if (f->pairs)
        qsort(f->pair, f->pairs, sizeof *f->pair, inside_pair_order);
out:
    mem_free(f->solids->mem, box);
    return err;
}

inside_pair *inside_pair_of(const inside_frame *f, uint32_t a, uint32_t b)
{
    const inside_pair key = {.place = {a < b ? a : b, a < b ? b : a}};
    return f->pairs ? bsearch(&key, f->pair, f->pairs, sizeof key, inside_pair_order) : NULL;
}

/* ---- queries */

const inside_query *inside_query_of(const inside_frame *f, const inside_pair *p, int n,
                                    uint32_t vertex)
{
    size_t low = p->first[n], high = p->last[n];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->query[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->last[n] && f->query[low].vertex == vertex ? &f->query[low] : NULL;
}

static int inside_in_box(const solids *s, const float *box, uint32_t v)
{
    for (int k = 0; k < 3; k++) {
        const float x = solids_unit(s, k, frame_coordinate(s->mesh.frame, v, (size_t)k));
        if (x < box[k] || x > box[3 + k])
            return 0;
    }
    return 1;
}

/* Adds the vertices of place[n] in the box of the other object, if that is closed. */
static int inside_add_queries(inside_frame *f, inside_pair *p, int n)
{
    int err = IMP_OK;
    const solids *s = f->solids;
    const uint32_t of = p->place[n], in = p->place[1 - n];
    p->first[n] = p->last[n] = f->queries;
    if (!s->mesh.of[in].closed)
        return IMP_OK;
    const float *box = solids_box(s, in);
    for (size_t i = f->vertex0[of]; i < f->vertex0[of + 1]; i++) {
        if (!inside_in_box(s, box, f->vertex[i]))
            continue;
        TRY(mem_fit(s->mem, f->queries, &f->query_capacity, sizeof *f->query, &f->query));
        f->query[f->queries++] = (inside_query){.vertex = f->vertex[i], .prim = f->vertex_prim[i]};
    }
    p->last[n] = f->queries;
out:
    return err;
}

/* The pair and direction of each query: they are in the order of pairs. */
typedef struct inside_part {
    size_t pair;
    int n;
} inside_part;

static void inside_part_of(const inside_frame *f, size_t query, inside_part *at)
{
    while (query >= f->pair[at->pair].last[at->n] || query < f->pair[at->pair].first[at->n]) {
        at->pair += (size_t)at->n;
        at->n = !at->n;
    }
}

#define INSIDE_BATCH 65536 /* queries that are answered at a time */

/* Queries to answer, and their numbers. */
typedef struct inside_batch {
    solids_query *query;
    size_t *which, count;
} inside_batch;

static int inside_answer_batch(inside_frame *f, inside_batch *b)
{
    const solids *s = f->solids;
    const int err = solids_windings(s, b->query, b->count);
    for (size_t i = 0; i < b->count && !err; i++) {
        inside_query *to = &f->query[b->which[i]];
        to->winding = b->query[i].winding;
        to->touches = (uint8_t)b->query[i].touches;
        to->inside = (uint8_t)(!to->touches && solids_inside(s, to->winding));
    }
    b->count = 0;
    return err;
}

static int inside_answer_all(inside_frame *f)
{
    int err = IMP_OK;
    const solids *s = f->solids;
    const size_t most = f->queries < INSIDE_BATCH ? f->queries : INSIDE_BATCH;
    inside_batch b = {0};
    inside_part at = {0, 0};
    TRY(mem_alloc(s->mem, most * sizeof *b.query, &b.query));
    TRY(mem_alloc(s->mem, most * sizeof *b.which, &b.which));
    for (size_t i = 0; i < f->queries; i++) {
        inside_part_of(f, i, &at);
        if (f->query[i].leader != i || f->query[i].known)
            continue;
        solids_query *q = &b.query[b.count];
        q->place = f->pair[at.pair].place[1 - at.n];
        frame_vertex(s->mesh.frame, f->query[i].vertex, q->x);
        b.which[b.count++] = i;
        if (b.count == most)
            TRY(inside_answer_batch(f, &b));
    }
    TRY(inside_answer_batch(f, &b));
out:
    mem_free(s->mem, b.query);
    mem_free(s->mem, b.which);
    return err;
}

static void inside_follow(inside_frame *f)
{
    for (size_t i = 0; i < f->queries; i++) {
        inside_query *q = &f->query[i];
        const inside_query *leader = &f->query[q->leader];
        q->winding = leader->winding;
        q->inside = leader->inside;
        q->touches = leader->touches;
    }
}

int inside_find(inside_frame *f, const inside_contact *contact, size_t contacts)
{
    int err = IMP_OK;
    TRY(inside_vertices(f));
    TRY(inside_find_pairs(f));
    TRY(inside_set_contacts(f, contact, contacts));
    for (size_t i = 0; i < f->pairs; i++) {
        TRY(inside_add_queries(f, &f->pair[i], 0));
        TRY(inside_add_queries(f, &f->pair[i], 1));
    }
    TRY(inside_flood(f));
    TRY(inside_answer_all(f));
    inside_follow(f);
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++)
            for (size_t q = f->pair[i].first[n]; q < f->pair[i].last[n]; q++) {
                f->pair[i].inside[n] += f->query[q].inside;
                f->pair[i].touching[n] += f->query[q].touches;
            }
out:
    return err;
}

/* ---- depth */

int inside_depths(inside_frame *f, inside_row *row, size_t n)
{
    int err = IMP_OK;
    const solids *s = f->solids;
    solids_query *q = NULL;
    TRY(mem_alloc(s->mem, n * sizeof *q, &q));
    for (size_t i = 0; i < n; i++) {
        const inside_query *of = &f->query[row[i].query];
        q[i].place = row[i].place;
        q[i].winding = of->winding;
        q[i].at = &row[i].at;
        frame_vertex(s->mesh.frame, of->vertex, q[i].x);
    }
    TRY(solids_depths(s, q, n));
    for (size_t i = 0; i < n; i++)
        f->query[row[i].query].depth = row[i].at.depth;
out:
    mem_free(s->mem, q);
    return err;
}
