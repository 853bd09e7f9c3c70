/* The pass of closed objects (imp_def.inside): the contacts of a block are found by the full pass;
 * then, frame by frame, the host finds the vertices inside, their depth, and the relations
 * (../inside). */
#include "inside.h"
#include "scheduler.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"
#include "solids_pack.h"
#include "stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE_ROWS 8192 /* vertices whose depth is found at a time */

/* The contacts of a block. */
typedef struct found_contacts {
    mem *mem;
    const imp_frame *frame;  /* [frames] */
    inside_contact *contact; /* [count] of different objects, by frame */
    size_t count, capacity;
    size_t *first;     /* [frames + 1] */
    size_t *row0;      /* [frames + 1] the first row of each frame in `rows` */
    contact_rows rows; /* with rows CONTACTS, all of them */
    int keeps;         /* rows are kept */
    int crossing;      /* only those that cross, with imp_def.crossing */
    size_t frames;
    int err;
} found_contacts;

/* ---- contacts */

/* Relations need all contacts, rows perhaps only those that cross. */
static int inside_keep_rows(found_contacts *k, imp_contacts rows)
{
    int err = IMP_OK;
    while (rows.count) {
        const int keep = !k->crossing || rows.crossing[0];
        imp_contacts run = rows;
        run.count = 1;
        while (run.count < rows.count && (!k->crossing || rows.crossing[run.count]) == keep)
            run.count++;
        if (keep)
            TRY(contact_rows_add(&k->rows, &run));
        columns_skip(&contact_table, &rows, run.count);
        rows.count -= run.count;
    }
out:
    return err;
}

static int inside_take(found_contacts *k, const imp_contacts *c)
{
    int err = IMP_OK;
    const imp_mesh *m = k->frame[c->frame].mesh;
    if (k->capacity - k->count < c->count) {
        const size_t more = 2 * k->capacity + (size_t)c->count;
        TRY(mem_grow(k->mem, k->count * sizeof *k->contact, more * sizeof *k->contact,
                     &k->contact));
        k->capacity = more;
    }
    for (size_t i = 0; i < c->count && m->object; i++)
        if (m->object[c->a[i]] != m->object[c->b[i]])
            k->contact[k->count++] =
                (inside_contact){c->a[i], c->b[i], (uint8_t)(c->crossing && c->crossing[i]), 0};
    if (k->keeps)
        TRY(inside_keep_rows(k, *c));
out:
    return err;
}

/* A sink of the full pass. */
static int inside_take_contacts(void *user, const imp_contacts *c)
{
    found_contacts *k = user;
    k->err = inside_take(k, c);
    for (size_t f = c->frame + 1; f <= k->frames; f++) {
        k->first[f] = k->count;
        k->row0[f] = (size_t)k->rows.count;
    }
    return k->err;
}

/* Contacts of different objects; pairs that share a vertex where they meet elsewhere. */
static context inside_between(const context *given)
{
    context c = *given;
    c.opt.rules &= ~(RULE_SKIP_ADJACENT | RULE_SELF);
    c.opt.rules |= RULE_BETWEEN;
    return c;
}

/* The full pass with a call of its own, since its rows are not those of the result. */
static int inside_contacts(call *w, const context *with, found_contacts *k, imp_frame_info *info)
{
    int err = IMP_OK;
    context c = *with;
    call mine = *w;
    c.opt.rows = IMP_ROWS_CONTACTS;
    c.opt.inside = c.opt.crossing = 0;
    c.opt.columns = c.opt.contact_columns;
    mine.c = &c;
    mine.pending = NULL;
    mine.out = (output){.sink = inside_take_contacts, .user = k, .outside = w->out.outside};
    k->count = 0;
    k->err = IMP_OK;
    contact_rows_open(k->mem, c.opt.columns, &k->rows);
    memset(k->first, 0, (k->frames + 1) * sizeof *k->first);
    memset(k->row0, 0, (k->frames + 1) * sizeof *k->row0);
    TRY(call_view(w, k->frame, k->frames, NULL));
    err = full_pass.run(&mine, info);
    w->out.outside = mine.out.outside;
    err = k->err ? k->err : err;
out:
    return err;
}

static int found_open(call *w, found_contacts *k)
{
    int err = IMP_OK;
    TRY(mem_alloc(k->mem, (k->frames + 1) * sizeof *k->first, &k->first));
    TRY(mem_alloc(k->mem, (k->frames + 1) * sizeof *k->row0, &k->row0));
    k->frame = w->frames + w->out.frame0;
out:
    return err;
}

static void found_close(found_contacts *k)
{
    mem_free(k->mem, k->contact);
    mem_free(k->mem, k->first);
    mem_free(k->mem, k->row0);
    contact_rows_free(&k->rows);
}

/* ---- a frame */

/* Whether an object belongs to a later part of the frame. */
static int inside_carried(const options *o, const closed_mesh *m, uint32_t place)
{
    return o->whole && o->whole->carried && o->whole->carried[m->prim[m->of[place].first]];
}

static int inside_allowed(const void *user, const closed_mesh *m, const uint32_t place[2])
{
    const context *c = user;
    if (inside_carried(&c->opt, m, place[0]) && inside_carried(&c->opt, m, place[1]))
        return 0;
    return context_allows(c, m->of[place[0]].object, m->of[place[1]].object);
}

/* vertex: numbers in the frame; NULL: the same. */
static int inside_say_open(const solids *s, uint32_t place, const uint32_t *vertex)
{
    uint32_t edge[2];
    const closed_mesh *m = &s->mesh;
    const unsigned long long frame = m->frame->number;
    const int err = closed_mesh_open_edge(s->mem, m, place, edge);
    if (err)
        return err;
    if (edge[0] == edge[1])
        return imp_fail(IMP_ERR_INPUT, "frame %llu: object %d is not closed: it has no face", frame,
                        m->of[place].object);
    return imp_fail(IMP_ERR_INPUT,
                    "frame %llu: object %d is not closed: the directed uses of the edge of "
                    "vertices %u and %u do not cancel",
                    frame, m->of[place].object, vertex ? vertex[edge[0]] : edge[0],
                    vertex ? vertex[edge[1]] : edge[1]);
}

int inside_check_closed(const options *o, const solids *s, imp_relations *counts)
{
    const closed_mesh *m = &s->mesh;
    for (uint32_t i = 0; i < m->count; i++) {
        const closed_object *at = &m->of[i];
        if (inside_carried(o, m, i))
            continue;
        counts->closed += at->closed;
        counts->open += at->wanted && !at->closed && o->inside_object;
        if (!at->wanted || at->closed || !o->inside_object || o->inside_open)
            continue;
        return inside_say_open(s, i, o->whole ? o->whole->vertex : NULL);
    }
    return IMP_OK;
}

/* The queries of vertices inside, in the order of rows but for the face. */
typedef struct inside_list {
    inside_row *row; /* [count] */
    size_t count;
} inside_list;

typedef struct inside_key {
    uint32_t vertex, prim;
    size_t query;
    uint32_t place;
} inside_key;

static int inside_key_order(const void *p, const void *q)
{
    const inside_key *x = p, *y = q;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->prim != y->prim)
        return x->prim < y->prim ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Those of one pair are mostly in order. */
static void inside_sort_keys(inside_key *key, size_t n)
{
    size_t i = 1;
    while (i < n && inside_key_order(&key[i - 1], &key[i]) <= 0)
        i++;
    if (i < n)
        qsort(key, n, sizeof *key, inside_key_order);
}

/* The vertices inside. */
static size_t inside_count(const inside_frame *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->pairs; i++)
        n += f->pair[i].inside[0] + f->pair[i].inside[1];
    return n;
}

static int inside_keys(const inside_frame *f, inside_key **out, size_t *count)
{
    int err = IMP_OK;
    const size_t n = inside_count(f);
    TRY(mem_alloc(f->solids->mem, n * sizeof **out, out));
    *count = 0;
    for (size_t i = 0; i < f->pairs; i++)
        for (int k = 0; k < 2; k++)
            for (size_t q = f->pair[i].first[k]; q < f->pair[i].last[k]; q++)
                if (f->query[q].inside)
                    (*out)[(*count)++] = (inside_key){f->query[q].vertex, f->query[q].prim, q,
                                                      f->pair[i].place[1 - k]};
    inside_sort_keys(*out, *count);
out:
    return err;
}

/* Sorts the rows of each vertex and object by the face. */
static int inside_row_order(const inside_frame *f, const inside_row *x, const inside_row *y)
{
    const inside_query *p = &f->query[x->query], *q = &f->query[y->query];
    return p->vertex != q->vertex || p->prim != q->prim || x->at.prim <= y->at.prim;
}

static void inside_sort_rows(const inside_frame *f, inside_row *row, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && !inside_row_order(f, &row[k - 1], &row[k]); k--) {
            const inside_row t = row[k];
            row[k] = row[k - 1];
            row[k - 1] = t;
        }
}

/* The columns of some rows. */
typedef struct inside_columns {
    uint32_t a[INSIDE_ROWS], b[INSIDE_ROWS], vertex[INSIDE_ROWS];
    uint8_t kind[INSIDE_ROWS];
    int32_t winding[INSIDE_ROWS];
    double points[6 * INSIDE_ROWS], normal[3 * INSIDE_ROWS], barycentric[4 * INSIDE_ROWS],
        depth[INSIDE_ROWS];
} inside_columns;

static void inside_fill(const inside_frame *f, const inside_row *row, size_t n, inside_columns *to)
{
    for (size_t i = 0; i < n; i++) {
        const inside_query *q = &f->query[row[i].query];
        const solids_depth_at *at = &row[i].at;
        to->a[i] = q->prim;
        to->b[i] = at->prim;
        to->vertex[i] = q->vertex;
        to->kind[i] = IMP_KIND_VERTEX_INSIDE;
        to->winding[i] = q->winding;
        to->depth[i] = at->depth;
        frame_vertex(f->solids->mesh.frame, q->vertex, to->points + 6 * i);
        for (int k = 0; k < 3; k++)
            to->points[6 * i + (size_t)k] += 0.0; /* no -0 */
        memcpy(to->points + 6 * i + 3, at->nearest, sizeof at->nearest);
        memcpy(to->normal + 3 * i, at->normal, sizeof at->normal);
        memcpy(to->barycentric + 4 * i, at->weight, sizeof at->weight);
    }
}

static int inside_deliver(call *w, uint32_t frame, const inside_columns *c, size_t n,
                          imp_frame_info *info)
{
    const imp_contacts rows = {.frame = frame,
                               .count = n,
                               .a = c->a,
                               .b = c->b,
                               .kind = c->kind,
                               .points = c->points,
                               .normal = c->normal,
                               .vertex = c->vertex,
                               .winding = c->winding,
                               .barycentric = c->barycentric,
                               .depth = c->depth};
    return output_input_rows(&(output_target){&w->out, info}, &w->r->view, rows);
}

/* The end of a chunk: rows of one vertex and object stay together. */
static size_t inside_chunk_end(const inside_key *key, size_t first, size_t count)
{
    size_t end = count - first > INSIDE_ROWS ? first + INSIDE_ROWS : count;
    while (end < count && end > first + 1 && key[end].vertex == key[end - 1].vertex &&
           key[end].prim == key[end - 1].prim)
        end--;
    return end;
}

/* Finds the depth of the vertices inside; with rows INSIDE delivers their rows. */
static int inside_rows(call *w, uint32_t frame, inside_frame *f, imp_frame_info *info)
{
    int err = IMP_OK;
    mem *m = w->c->mem;
    inside_key *key = NULL;
    inside_row *row = NULL;
    inside_columns *columns = NULL;
    size_t count = 0;
    TRY(inside_keys(f, &key, &count));
    TRY(mem_alloc(m, INSIDE_ROWS * sizeof *row, &row));
    TRY(mem_alloc(m, sizeof *columns, &columns));
    for (size_t first = 0, end; first < count; first = end) {
        end = inside_chunk_end(key, first, count);
        for (size_t i = first; i < end; i++)
            row[i - first] = (inside_row){.query = key[i].query, .place = key[i].place};
        TRY(inside_depths(f, row, end - first));
        if (w->c->opt.rows != IMP_ROWS_INSIDE)
            continue;
        inside_sort_rows(f, row, end - first);
        inside_fill(f, row, end - first, columns);
        TRY(inside_deliver(w, frame, columns, end - first, info));
    }
out:
    mem_free(m, key);
    mem_free(m, row);
    mem_free(m, columns);
    return err;
}

/* ---- with rows CONTACTS: their depth */

/* The greatest depth of the vertices of either primitive in the other's object; without one that of
 * their edges. */
static double inside_contact_depth(const inside_frame *f, solids_walk *w, uint32_t a, uint32_t b,
                                   double own)
{
    const uint32_t *place = f->solids->mesh.place;
    const imp_mesh *m = f->solids->mesh.frame->mesh;
    const uint32_t prim[2] = {a, b};
    const int order = place[a] > place[b];
    double depth = 0, edge[2] = {0};
    const inside_pair *p = place[a] == place[b] ? NULL : inside_pair_of(f, place[a], place[b]);
    if (!p)
        return own;
    for (int n = 0; n < 2; n++)
        for (uint32_t k = 0; k < mesh_corners_of(m, prim[n]); k++) {
            const inside_query *q = inside_query_of(f, p, n ^ order, mesh_vertex(m, prim[n], k));
            depth = q && q->inside ? fmax(depth, q->depth) : depth;
        }
    for (int n = 0; n < 2 && !(depth > 0); n++)
        if (f->solids->mesh.of[place[prim[1 - n]]].closed)
            edge[n] = inside_edges_depth(w, prim[n], place[prim[1 - n]], prim[1 - n]);
    depth = fmax(depth, fmax(edge[0], edge[1]));
    return depth > 0 ? depth : own;
}

static int inside_contact_depths(const inside_frame *f, const imp_contacts *rows, double *depth)
{
    int failed = 0;
#pragma omp parallel num_threads(f->solids->threads) reduction(| : failed)
    EACH_IN_FLOAT_ENV
    {
        solids_walk w = {.of = f->solids};
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < (int64_t)rows->count; i++)
            depth[i] = inside_contact_depth(f, &w, rows->a[i], rows->b[i],
                                            rows->depth ? rows->depth[i] : 0);
        failed |= w.err != 0;
        solids_walk_free(&w);
    }
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

static int inside_contact_rows(call *w, uint32_t frame, const inside_frame *f,
                               const found_contacts *k, imp_frame_info *info)
{
    int err = IMP_OK;
    double *depth = NULL;
    output_target to = {&w->out, info};
    contact_cursor at = contact_first(&k->rows);
    size_t before = 0;
    TRY(mem_alloc(w->c->mem, CONTACT_ROWS_PART * sizeof *depth, &depth));
    while (contact_more(&at)) {
        const size_t first = before < k->row0[frame] ? k->row0[frame] - before : 0;
        imp_contacts rows = at.rest;
        before += rows.count;
        at.rest.count = 0;
        if (first >= rows.count || before - rows.count >= k->row0[frame + 1])
            continue;
        columns_skip(&contact_table, &rows, first);
        rows.count -= first;
        if (before > k->row0[frame + 1])
            rows.count -= before - k->row0[frame + 1];
        TRY(inside_contact_depths(f, &rows, depth));
        rows.depth = depth;
        rows.frame = frame;
        TRY(output_input_rows(&to, &w->r->view, rows));
    }
out:
    mem_free(w->c->mem, depth);
    return err;
}

/* ---- all */

static int inside_frame_run(call *w, uint32_t frame, const found_contacts *k,
                            const found_contacts *between, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    solids_pack pack = {.dev = c->dev64};
    solids s = {.mem = c->mem,
                .pack = &pack,
                .threads = c->threads,
                .winding = c->opt.inside_winding,
                .cancel = c->cancel};
    inside_frame f = {.solids = &s, .allowed = inside_allowed, .allowed_user = c};
    imp_relations relations = {.frame = w->out.frame0 + frame};
    const closed_wanted wanted = {c->opt.inside_object, c->opt.inside_objects};
    TRY(solids_make(&k->frame[frame], &wanted, &s));
    TRY(inside_check_closed(&c->opt, &s, &relations));
    TRY(inside_find(&f, between->contact + between->first[frame],
                    between->first[frame + 1] - between->first[frame]));
    if (f.pairs)
        TRY(solids_trees(&s, inside_count(&f)));
    TRY(inside_rows(w, frame, &f, info));
    TRY(inside_relate(&f));
    if (k->keeps)
        TRY(inside_contact_rows(w, frame, &f, k, info));
    relations.count = f.relations;
    relations.relation = f.relation;
    relations.swallowed_count = f.swallowed_count;
    relations.swallowed = f.swallowed;
    TRY(output_relations(&w->out, &w->r->view, c->opt.relations, c->opt.relations_user,
                         &relations));
out:
    inside_frame_free(&f);
    solids_pack_free(&s);
    solids_free(&s);
    return err;
}

/* Whether a vertex belongs to two objects: pairs that share one are no contacts of the result, but
 * count for the relation. */
static int inside_shares(const call *w, const imp_mesh *m, int *yes)
{
    int err = IMP_OK;
    uint32_t *of = NULL;
    *yes = 0;
    if (!m->object)
        return IMP_OK;
    TRY(mem_alloc(w->c->mem, m->vertices * sizeof *of, &of));
    memset(of, 0xff, m->vertices * sizeof *of);
    for (uint32_t i = 0; i < m->primitives && !*yes; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, i); k++) {
            uint32_t *mine = &of[mesh_vertex(m, i, k)];
            *yes |= *mine != UINT32_MAX && m->object[*mine] != m->object[i];
            *mine = i;
        }
out:
    mem_free(w->c->mem, of);
    return err;
}

static int inside_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK, shares = 0;
    const uint32_t frames = w->r->view.frames;
    const context only = inside_between(w->c);
    found_contacts k = {.mem = w->c->mem, .frames = frames}, between = k;
    imp_frame_info *spare = NULL;
    k.keeps = w->c->opt.rows == IMP_ROWS_CONTACTS;
    k.crossing = w->c->opt.crossing;
    TRY(found_open(w, &k));
    TRY(inside_contacts(w, k.keeps ? w->c : &only, &k, info));
    if (only.opt.whole && only.opt.whole->counts) {
        output_range_done(&w->out);
        goto out;
    }
    for (uint32_t f = 0; f < frames && k.keeps && !shares; f++)
        if (!f || k.frame[f].mesh != k.frame[f - 1].mesh)
            TRY(inside_shares(w, k.frame[f].mesh, &shares));
    if (shares) {
        TRY(found_open(w, &between));
        TRY(mem_alloc(w->c->mem, frames * sizeof *spare, &spare));
        memset(spare, 0, frames * sizeof *spare);
        TRY(inside_contacts(w, &only, &between, spare));
    }
    call_stage_begin(w);
    for (uint32_t f = 0; f < frames; f++) {
        info[f].contacts = 0;
        TRY(inside_frame_run(w, f, &k, shares ? &between : &k, info));
    }
    output_range_done(&w->out);
    call_stage_time(w, &w->t->narrow);
out:
    mem_free(w->c->mem, spare);
    found_close(&k);
    found_close(&between);
    return err;
}

const pass inside_pass = {"inside", inside_pass_run};
