/* See regions.h: each two objects with common contours are two units of work, (a, b) and (b, a), an
 * object with itself is one: the contours cut edges and faces of the first object, and what they
 * leave connected are regions. */
#include "regions.h"

#include "contours.h"
#include "error.h"
#include "frame.h"
#include "region_flood.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs of objects */

/* Two objects with contours. */
typedef struct region_pair {
    int32_t a, b;
    uint32_t contours;
    size_t first, uses; /* of contacts: use[first] on */
} region_pair;

/* An object with another one. */
typedef struct region_work {
    int32_t object, other;
    uint32_t pair;
} region_work;

typedef struct region_find {
    mem *mem;
    const imp_frame *frame;
    const imp_contacts *rows;
    contour_graph graph;
    contour_set contours;
    region_pair *pair;
    uint32_t pairs;
    uint32_t *pair_of; /* [contours] */
    contour_use *use;  /* [graph.uses] by pairs */
    region_work *work; /* [works] */
    size_t works;
    int32_t *object; /* [objects] */
    size_t objects;
    region_flood flood;
} region_find;

/* The objects of a contour, ascending, and its number. */
typedef struct region_contour {
    int32_t a, b;
    uint32_t number;
} region_contour;

static int region_contour_order(const void *p, const void *q)
{
    const region_contour *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int region_find_pairs(region_find *s)
{
    int err = IMP_OK;
    region_contour *c = NULL;
    const size_t n = s->contours.count;
    TRY(mem_alloc(s->mem, n * sizeof *c, &c));
    TRY(mem_alloc(s->mem, n * sizeof *s->pair_of, &s->pair_of));
    TRY(mem_alloc(s->mem, n * sizeof *s->pair, &s->pair));
    for (size_t i = 0; i < n; i++)
        c[i] = (region_contour){s->contours.of[i].a, s->contours.of[i].b, (uint32_t)i};
    if (n)
        qsort(c, n, sizeof *c, region_contour_order);
    for (size_t i = 0; i < n; i++) {
        if (!i || c[i].a != c[i - 1].a || c[i].b != c[i - 1].b)
            s->pair[s->pairs++] = (region_pair){.a = c[i].a, .b = c[i].b};
        s->pair_of[c[i].number] = s->pairs - 1;
        s->pair[s->pairs - 1].contours++;
    }
out:
    mem_free(s->mem, c);
    return err;
}

static int region_group_uses(region_find *s)
{
    int err = IMP_OK;
    const contour_graph *g = &s->graph;
    size_t sum = 0;
    TRY(mem_alloc(s->mem, g->uses * sizeof *s->use, &s->use));
    for (size_t i = 0; i < g->uses; i++)
        s->pair[s->pair_of[g->contour[g->use[i].segment]]].uses++;
    for (uint32_t i = 0; i < s->pairs; i++) {
        s->pair[i].first = sum;
        sum += s->pair[i].uses;
    }
    for (size_t i = 0; i < g->uses; i++)
        s->use[s->pair[s->pair_of[g->contour[g->use[i].segment]]].first++] = g->use[i];
    for (uint32_t i = 0; i < s->pairs; i++)
        s->pair[i].first -= s->pair[i].uses;
out:
    return err;
}

static int region_work_order(const void *p, const void *q)
{
    const region_work *x = p, *y = q;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

/* Lists units of work, and the objects in them. */
static int region_list_work(region_find *s)
{
    int err = IMP_OK;
    TRY(mem_alloc(s->mem, 2 * (size_t)s->pairs * sizeof *s->work, &s->work));
    TRY(mem_alloc(s->mem, 2 * (size_t)s->pairs * sizeof *s->object, &s->object));
    for (uint32_t i = 0; i < s->pairs; i++) {
        const region_pair *p = &s->pair[i];
        s->work[s->works++] = (region_work){p->a, p->b, i};
        if (p->a != p->b)
            s->work[s->works++] = (region_work){p->b, p->a, i};
    }
    if (s->works)
        qsort(s->work, s->works, sizeof *s->work, region_work_order);
    for (size_t i = 0; i < s->works; i++)
        if (!i || s->work[i].object != s->work[i - 1].object)
            s->object[s->objects++] = s->work[i].object;
out:
    return err;
}

/* ---- cuts: where segments are on the object */

/* Returns whether a feature is one of a triangle. */
static int region_has(const imp_mesh *m, uint32_t prim, const contour_feature *f)
{
    for (int k = 0; k < 3 && f->vertex[k] != CONTOUR_NONE; k++)
        if (mesh_vertex(m, prim, 0) != f->vertex[k] && mesh_vertex(m, prim, 1) != f->vertex[k] &&
            mesh_vertex(m, prim, 2) != f->vertex[k])
            return 0;
    return 1;
}

/* The vertices of two features, ascending, each once; returns their number. */
static uint32_t region_unite(const contour_feature *f, const contour_feature *g, uint32_t out[6])
{
    uint32_t n = 0, i = 0, k = 0;
    while ((i < 3 && f->vertex[i] != CONTOUR_NONE) || (k < 3 && g->vertex[k] != CONTOUR_NONE)) {
        const uint32_t x = i < 3 ? f->vertex[i] : CONTOUR_NONE,
                       y = k < 3 ? g->vertex[k] : CONTOUR_NONE;
        out[n++] = x < y ? x : y;
        i += x <= y;
        k += y <= x;
    }
    return n;
}

/* Marks a vertex that an end is at. */
static int region_mark_vertex(region_flood *s, uint32_t end)
{
    int err = IMP_OK;
    const contour_feature *f = region_feature(&s->unit, end);
    if (region_feature_vertices(f) > 1 || s->unit.mesh->vertex[f->vertex[0]] == REGION_NONE)
        return IMP_OK;
    TRY(mem_fit(s->mem, s->marks, &s->mark_capacity, sizeof *s->mark, &s->mark));
    s->mark[s->marks++] = f->vertex[0];
    s->unit.mesh->vertex[f->vertex[0]] = REGION_NONE;
out:
    return err;
}

/* Adds the segment of a contact, as it is on one of its triangles. */
static int region_add_cut(region_find *s, const region_work *w, uint32_t prim, uint32_t segment)
{
    int err = IMP_OK;
    const imp_mesh *m = s->frame->mesh;
    region_unit *u = &s->flood.unit;
    region_cut cut = {.segment = segment};
    uint32_t vertex[6];
    for (int n = 0; n < 2; n++) {
        const uint32_t node = s->graph.segment[segment].node[n];
        const int first = w->object == w->other ? region_has(m, prim, &s->graph.node[node].of[0])
                                                : w->object < w->other;
        cut.end[n] = 2 * node + !first;
        TRY(region_mark_vertex(&s->flood, cut.end[n]));
    }
    const uint32_t n =
        region_unite(region_feature(u, cut.end[0]), region_feature(u, cut.end[1]), vertex);
    const uint32_t face = u->mesh->face_of[prim];
    cut.at = n == 3   ? face
             : n == 2 ? region_edge_between(u->mesh, face, vertex[0], vertex[1])
                      : REGION_NONE;
    if (cut.at == REGION_NONE)
        return IMP_OK;
    if (n == 3) {
        TRY(mem_fit(s->mem, u->face_cuts, &u->face_cut_capacity, sizeof cut, &u->face_cut));
        u->face_cut[u->face_cuts++] = cut;
    } else {
        TRY(mem_fit(s->mem, u->edge_cuts, &u->edge_cut_capacity, sizeof cut, &u->edge_cut));
        u->edge_cut[u->edge_cuts++] = cut;
    }
out:
    return err;
}

static int region_add_cuts(region_find *s, const region_work *w)
{
    int err = IMP_OK;
    const region_pair *p = &s->pair[w->pair];
    for (size_t i = p->first; i < p->first + p->uses; i++) {
        const contour_use *use = &s->use[i];
        const uint32_t prim[2] = {s->rows->a[use->row], s->rows->b[use->row]};
        for (int n = 0; n < 2; n++)
            if (mesh_object(s->frame->mesh, prim[n]) == w->object)
                TRY(region_add_cut(s, w, prim[n], use->segment));
    }
out:
    return err;
}

/* ---- one unit */

static void region_forget(region_find *s)
{
    region_flood *f = &s->flood;
    region_unit *u = &f->unit;
    for (size_t i = 0; i < f->surfaces; i++)
        u->mesh->on[f->surface[i].face] = REGION_NONE;
    for (size_t i = 0; i < f->visits; i++)
        if (f->visit[i].part < u->mesh->faces)
            u->mesh->slot[f->visit[i].part] = REGION_NONE;
    for (size_t i = 0; i < u->faces; i++)
        u->mesh->face_at[u->face[i].face] = REGION_NONE;
    for (size_t i = 0; i < u->edges; i++)
        u->mesh->edge_at[u->edge[i].edge] = REGION_NONE;
    for (size_t i = 0; i < f->marks; i++)
        u->mesh->vertex[f->mark[i]] = 0;
    u->face_cuts = u->edge_cuts = u->inners = u->edges = u->edge_points = u->blockeds = 0;
    u->faces = u->borders = u->pieces = u->sides = 0;
    f->surfaces = f->visits = f->marks = 0;
}

static int region_do(region_find *s, const region_work *w)
{
    int err = IMP_OK;
    region_unit *u = &s->flood.unit;
    u->object = region_mesh_object(u->mesh, w->object);
    u->other = w->other;
    s->flood.units++;
    TRY(region_add_cuts(s, w));
    TRY(region_group_cuts(u));
    TRY(region_cut_edges(u));
    TRY(region_cut_faces(u));
    TRY(region_flood_find(&s->flood));
    TRY(region_choose(&s->flood));
    TRY(region_list(&s->flood, s->pair[w->pair].contours));
    region_forget(s);
out:
    return err;
}

/* ---- all */

static int region_prepare(region_find *s, region_set *out)
{
    int err = IMP_OK;
    region_flood *f = &s->flood;
    region_unit *u = &f->unit;
    f->mem = u->mem = s->mem;
    f->out = out;
    u->space = (region_space){s->frame, &s->graph};
    u->mesh = &out->mesh;
    TRY(region_mesh_make(s->mem, s->frame->mesh, s->object, s->objects, &out->mesh));
    TRY(mem_alloc(s->mem, 2 * s->graph.nodes * sizeof *u->place, &u->place));
    memset(u->place, 0, 2 * s->graph.nodes * sizeof *u->place);
    TRY(mem_alloc(s->mem, s->contours.count * sizeof *f->parting, &f->parting));
    memset(f->parting, 0, s->contours.count * sizeof *f->parting);
    TRY(mem_alloc(s->mem, 2 * s->graph.segments * sizeof *f->by_segment, &f->by_segment));
    memset(f->by_segment, 0xff, 2 * s->graph.segments * sizeof *f->by_segment);
out:
    return err;
}

static int region_fit(mem *m, size_t n, size_t *capacity, int64_t **of)
{
    int err = IMP_OK;
    TRY(region_room(m, 0, n, capacity, sizeof **of, of));
    if (n)
        memset(*of, 0xff, n * sizeof **of);
out:
    return err;
}

/* The least regions of the segments of each contact. */
static void region_put_rows(const region_find *s, region_set *out)
{
    for (size_t i = 0; i < s->graph.uses; i++) {
        const contour_use *use = &s->graph.use[i];
        const contour_node *node = &s->graph.node[s->graph.segment[use->segment].node[0]];
        const int64_t *by = s->flood.by_segment + 2 * (size_t)use->segment;
        int64_t *of = out->of_row + 2 * use->row;
        const int32_t first = mesh_object(s->frame->mesh, s->rows->a[use->row]);
        const int second = first != node->of[0].object;
        if (node->of[0].object == node->of[1].object) {
            region_keep_least(of, by[0]);
            region_keep_least(of, by[1]);
        } else {
            of[0] = region_lesser(of[0], by[second]);
            of[1] = region_lesser(of[1], by[!second]);
        }
    }
}

static void region_find_free(region_find *s)
{
    region_flood *f = &s->flood;
    region_unit *u = &f->unit;
    u->mem = s->mem;
    region_arrangement_free(u);
    void *const all[] = {u->inner,      s->pair,     s->pair_of,  s->use,        s->work,
                         s->object,     u->face_cut, u->edge_cut, u->place,      u->edge,
                         u->edge_point, u->blocked,  u->face,     u->border,     u->share,
                         u->side,       f->surface,  f->visit,    f->piece_slot, f->piece_first,
                         f->piece_at,   f->turn,     f->key,      f->in,         f->found,
                         f->bound,      f->mark,     f->pair,     f->parting,    f->by_segment};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(s->mem, all[i]);
    contours_free(s->mem, &s->contours);
    contour_graph_free(&s->graph);
}

int regions_find(mem *m, const imp_frame *frame, const imp_contacts *rows, region_set *out)
{
    int err = IMP_OK;
    region_find s = {.mem = m, .frame = frame, .rows = rows, .graph = {.mem = m, .with_uses = 1}};
    out->count = out->faces = out->partings = 0;
    TRY(contour_graph_make(m, frame, rows, &s.graph));
    TRY(contours_trace(&s.graph, &s.contours));
    out->none = s.graph.none;
    out->contours = s.contours.count;
    out->rows = rows->count;
    TRY(region_fit(m, 2 * out->contours, &out->contour_capacity, &out->of_contour));
    TRY(region_fit(m, 2 * out->rows, &out->row_capacity, &out->of_row));
    if (!out->contours)
        goto out;
    TRY(region_find_pairs(&s));
    TRY(region_group_uses(&s));
    TRY(region_list_work(&s));
    TRY(region_prepare(&s, out));
    for (size_t i = 0; i < s.works; i++)
        TRY(region_do(&s, &s.work[i]));
    region_put_rows(&s, out);
out:
    region_find_free(&s);
    if (err)
        region_mesh_free(m, &out->mesh); /* its marks are those of a unit */
    return err;
}

void regions_free(mem *m, region_set *s)
{
    mem_free(m, s->of);
    mem_free(m, s->face);
    mem_free(m, s->share);
    mem_free(m, s->parting);
    mem_free(m, s->of_contour);
    mem_free(m, s->of_row);
    region_mesh_free(m, &s->mesh);
    *s = (region_set){0};
}
