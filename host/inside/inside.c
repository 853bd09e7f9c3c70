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
    mem_free(m, f->pair);
    mem_free(m, f->near);
    mem_free(m, f->query);
    mem_free(m, f->contact);
    mem_free(m, f->relation);
    mem_free(m, f->swallowed);
    *f = (inside_frame){.solids = f->solids};
}

/* ---- pairs of objects whose boxes overlap */

typedef struct inside_box {
    float box[6];
    uint32_t place, least, greatest; /* its vertices are between these */
} inside_box;

/* span: the boxes of all spans. */
static void inside_object_box(const solids *s, uint32_t place, const float *span, inside_box *out)
{
    const closed_object *o = &s->mesh.of[place];
    *out = (inside_box){
        {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}, place, UINT32_MAX, 0};
    for (uint32_t i = o->span; i < o->span + o->spans; i++) {
        const closed_span *of = &s->mesh.span[i];
        const float *from = span + (size_t)6 * i;
        for (int k = 0; k < 3; k++) {
            out->box[k] = from[k] < out->box[k] ? from[k] : out->box[k];
            out->box[3 + k] = from[3 + k] > out->box[3 + k] ? from[3 + k] : out->box[3 + k];
        }
        out->least = of->least < out->least ? of->least : out->least;
        out->greatest = of->greatest > out->greatest ? of->greatest : out->greatest;
    }
    if (o->closed)
        memcpy(out->box, solids_box(s, place), sizeof out->box);
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
        (f->allowed && !f->allowed(f->allowed_user, &f->solids->mesh, (uint32_t[2]){a, b})))
        return IMP_OK;
    const int err = mem_fit(f->solids->mem, f->pairs, &f->pair_capacity, sizeof *f->pair, &f->pair);
    if (!err)
        f->pair[f->pairs++] = (inside_pair){.place = {a, b}, .deepest = {UINT32_MAX, UINT32_MAX}};
    f->shares |= x->least <= y->greatest && y->least <= x->greatest;
    return err;
}

/* Goes along the first axis. span: the boxes of all spans. */
static int inside_find_pairs(inside_frame *f, const float *span)
{
    int err = IMP_OK;
    const uint32_t n = f->solids->mesh.count;
    inside_box *box = NULL;
    TRY(mem_alloc(f->solids->mem, n * sizeof *box, &box));
    for (uint32_t i = 0; i < n; i++)
        inside_object_box(f->solids, i, span, &box[i]);
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

/* Whether a vertex belongs to several objects, if those of a pair have vertices between the same
 * numbers. */
static int inside_find_shares(inside_frame *f)
{
    int err = IMP_OK;
    const closed_mesh *c = &f->solids->mesh;
    const imp_mesh *mesh = c->frame->mesh;
    uint32_t *owner = NULL;
    if (!f->shares)
        return IMP_OK;
    TRY(mem_alloc(f->solids->mem, mesh->vertices * sizeof *owner, &owner));
    memset(owner, 0xff, mesh->vertices * sizeof *owner);
    f->shares = 0;
    for (uint32_t i = 0; i < mesh->primitives && !f->shares; i++)
        for (uint32_t k = 0; k < mesh_corners_of(mesh, i) && c->place[i] != CLOSED_NONE; k++) {
            uint32_t *of = &owner[mesh_vertex(mesh, i, k)];
            f->shares |= *of != CLOSED_NONE && *of != c->place[i];
            *of = c->place[i];
        }
out:
    mem_free(f->solids->mem, owner);
    return err;
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

static int inside_vertex_order(const void *p, const void *q)
{
    const uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
    return (x > y) - (x < y);
}

/* The vertices of near primitives. */
typedef struct inside_vertices {
    uint32_t *prim;   /* [vertices of the mesh] the first primitive with each, or CLOSED_NONE */
    uint32_t *vertex; /* [count] with room for one more than the mesh has */
    size_t count;
} inside_vertices;

/* Without branches: whether a vertex is new is hard to foresee. */
static void inside_take_vertices(const imp_mesh *m, const inside_near *near, size_t nears,
                                 inside_vertices *out)
{
    uint32_t *prim = out->prim, *vertex = out->vertex;
    size_t count = 0;
    for (size_t i = 0; i < nears; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, near[i].prim); k++) {
            const uint32_t v = mesh_vertex(m, near[i].prim, k), before = prim[v];
            const uint32_t in = near[i].corners >> k & 1, now = in ? near[i].prim : CLOSED_NONE;
            vertex[count] = v;
            count += in & (before == CLOSED_NONE);
            prim[v] = now < before ? now : before;
        }
    out->count = count;
}

#define INSIDE_DENSE 8 /* numbers for each vertex that are gone through in order */

static void inside_sort_vertices(inside_vertices *list)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    for (size_t i = 0; i < list->count; i++) {
        least = list->vertex[i] < least ? list->vertex[i] : least;
        greatest = list->vertex[i] > greatest ? list->vertex[i] : greatest;
    }
    if (list->count && (greatest - least) / INSIDE_DENSE < list->count) {
        size_t n = 0;
        for (size_t v = least; v <= greatest; v++) {
            list->vertex[n] = (uint32_t)v;
            n += list->prim[v] != CLOSED_NONE;
        }
    } else if (list->count) {
        qsort(list->vertex, list->count, sizeof *list->vertex, inside_vertex_order);
    }
}

/* Room for more queries. */
static int inside_room(inside_frame *f, size_t more)
{
    const size_t all = 2 * f->query_capacity + more;
    if (f->query_capacity - f->queries >= more)
        return IMP_OK;
    const int err =
        mem_grow(f->solids->mem, f->queries * sizeof *f->query, all * sizeof *f->query, &f->query);
    f->query_capacity = err ? f->query_capacity : all;
    return err;
}

/* Adds the vertices of place[n] in the box of the other object. */
static int inside_add_queries(inside_frame *f, inside_pair *p, int n, inside_vertices *list)
{
    int err = IMP_OK;
    inside_take_vertices(f->solids->mesh.frame->mesh, f->near + p->near[n],
                         p->near_end[n] - p->near[n], list);
    inside_sort_vertices(list);
    TRY(inside_room(f, list->count));
    p->first[n] = f->queries;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t v = list->vertex[i];
        f->query[f->queries++] = (inside_query){.vertex = v, .prim = list->prim[v]};
        list->prim[v] = CLOSED_NONE;
    }
    p->last[n] = f->queries;
out:
    return err;
}

static int inside_find_queries(inside_frame *f)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    const size_t bytes = f->solids->mesh.frame->mesh->vertices * sizeof(uint32_t);
    inside_vertices list = {0};
    TRY(mem_alloc(m, bytes, &list.prim));
    TRY(mem_alloc(m, bytes + sizeof *list.vertex, &list.vertex));
    memset(list.prim, 0xff, bytes);
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++)
            TRY(inside_add_queries(f, &f->pair[i], n, &list));
out:
    mem_free(m, list.prim);
    mem_free(m, list.vertex);
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

/* The pairs, their contacts, and which primitives are near. */
static int inside_begin(inside_frame *f, const inside_contact *contact, size_t contacts)
{
    int err = IMP_OK;
    float *box = NULL;
    TRY(mem_alloc(f->solids->mem, (size_t)6 * f->solids->mesh.spans * sizeof *box, &box));
    TRY(inside_span_boxes(f->solids, box));
    TRY(inside_find_pairs(f, box));
    TRY(inside_find_shares(f));
    TRY(inside_set_contacts(f, contact, contacts));
    TRY(inside_find_near(f, box));
out:
    mem_free(f->solids->mem, box);
    return err;
}

int inside_find(inside_frame *f, const inside_contact *contact, size_t contacts)
{
    int err = IMP_OK;
    TRY(inside_begin(f, contact, contacts));
    TRY(inside_find_queries(f));
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
