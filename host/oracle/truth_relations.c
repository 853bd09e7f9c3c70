/* The relations of a frame's objects, and the parts that are swallowed: see truth.h. The faces of
 * both objects are divided into cells, on each side of which a point is inside an object or not;
 * every part of space that the surfaces bound has such a side. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "inside_oracle.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What there is of two closed objects; of an open one IN and OUT alone. */
enum relation_part { RELATION_BOTH = 1, RELATION_ONLY_A = 2, RELATION_ONLY_B = 4 };
enum relation_open { RELATION_IN = 1, RELATION_OUT = 2 };

/* ---- parts of space */

typedef struct relation_pair {
    const inside_scene *scene;
    const inside_object *of[2];
    int parts; /* those found so far */
} relation_pair;

static int relation_parts_of(int a, int b)
{
    return (a && b ? RELATION_BOTH : 0) | (a && !b ? RELATION_ONLY_A : 0) |
           (!a && b ? RELATION_ONLY_B : 0);
}

/* The parts on both sides of a cell of a face with an area. */
static int relation_cell(const relation_pair *p, const inside_face *face, const inside_cell *c,
                         rational_point *x)
{
    int w[2][2], edge = 1;
    for (int attempt = 0; edge; attempt++) {
        inside_cell_point(c, attempt, p->scene->unit, x);
        edge = 0;
        for (int i = 0; i < 2 && !edge; i++)
            edge =
                inside_sides(&p->of[i]->surface, x, mpz_read(face->plane.n), w[i]) == INSIDE_EDGE;
    }
    int parts = 0;
    for (int side = 0; side < 2; side++)
        parts |= relation_parts_of(inside_by(p->scene->def, w[0][side]),
                                   inside_by(p->scene->def, w[1][side]));
    return parts;
}

#define ATTEMPTS 4

/* Where a cell of an open object is about the closed one: 0 if only one side of it is inside. A
 * cell without area may meet the surface in single points. */
static int relation_open_cell(const relation_pair *p, const inside_face *face, const inside_cell *c,
                              rational_point *x)
{
    const inside_surface *s = &p->of[!p->of[1]->closed ? 0 : 1]->surface;
    const imp_def *def = p->scene->def;
    int place = INSIDE_EDGE, w[2] = {0, 0};
    for (int attempt = 0; face->area && place == INSIDE_EDGE; attempt++) {
        inside_cell_point(c, attempt, p->scene->unit, x);
        place = inside_sides(s, x, mpz_read(face->plane.n), w);
    }
    for (int attempt = 0; !face->area && attempt < ATTEMPTS && place != INSIDE_OFF; attempt++) {
        inside_cell_point(c, attempt, p->scene->unit, x);
        place = inside_winding(s, x, &w[0]);
        w[1] = w[0];
    }
    const int unknown = !face->area && place != INSIDE_OFF;
    if (unknown || inside_by(def, w[0]) != inside_by(def, w[1]))
        return 0;
    return inside_by(def, w[0]) ? RELATION_IN : RELATION_OUT;
}

/* The parts at a face of one of the two, an open one if one is. */
static int relation_face(const relation_pair *p, const inside_face *face, int *parts)
{
    int err = IMP_OK;
    const int open = !p->of[0]->closed || !p->of[1]->closed;
    const inside_surface *const by[2] = {p->of[0]->closed ? &p->of[0]->surface : NULL,
                                         p->of[1]->closed ? &p->of[1]->surface : NULL};
    inside_cells cells = {.mem = p->scene->mem};
    rational_point x;
    point_init(&x);
    if (open || face->area)
        TRY(inside_cells_open(p->scene->mem, face, by, &cells));
    for (size_t i = 0; i < cells.count; i++)
        *parts |= open ? relation_open_cell(p, face, &cells.cell[i], &x)
                       : relation_cell(p, face, &cells.cell[i], &x);
out:
    inside_cells_close(&cells);
    point_clear(&x);
    return err;
}

static int relation_box_apart(const inside_face *face, const inside_object *o)
{
    int apart = 0;
    for (int k = 0; k < 3; k++)
        apart |= face->hi[k] < o->lo[k] || o->hi[k] < face->lo[k];
    return apart;
}

/* Adds the parts at all faces of of[which], until there is no other. A face far from the other
 * object is outside that. */
static int relation_faces(relation_pair *p, int which)
{
    const inside_surface *s = &p->of[which]->surface;
    const int open = !p->of[0]->closed || !p->of[1]->closed;
    const int only = open ? RELATION_OUT : which ? RELATION_ONLY_B : RELATION_ONLY_A;
    const int all =
        open ? RELATION_IN | RELATION_OUT : RELATION_BOTH | RELATION_ONLY_A | RELATION_ONLY_B;
    const int64_t n = (int64_t)s->faces;
    int failed = 0, found = p->parts;
#pragma omp parallel num_threads(p->scene->threads) reduction(+ : failed)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++) {
            int known, parts = 0;
#pragma omp atomic read
            known = found;
            if (known == all || ((known & only) && relation_box_apart(&s->face[i], p->of[!which])))
                continue;
            failed += relation_face(p, &s->face[i], &parts) != 0;
#pragma omp atomic update
            found |= parts;
        }
    }
    p->parts = found;
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

/* ---- contacts */

typedef struct relation_contact {
    size_t object[2]; /* positions, ascending */
    uint32_t prim[2]; /* of each */
} relation_contact;

typedef struct relation_contacts {
    size_t count;
    relation_contact *list; /* sorted */
} relation_contacts;

static int relation_contact_order(const void *x, const void *y)
{
    const relation_contact *p = x, *q = y;
    for (int k = 0; k < 2; k++)
        if (p->object[k] != q->object[k])
            return p->object[k] < q->object[k] ? -1 : 1;
    return 0;
}

/* The contacts of different objects that the default rules report. */
static int relation_contacts_find(const inside_scene *s, relation_contacts *out)
{
    int err = IMP_OK;
    truth all = {0};
    imp_def def = *s->def;
    def.rows = IMP_ROWS_CONTACTS;
    def.stage = IMP_STAGE_CONTACTS;
    def.pairs = IMP_PAIRS_BETWEEN;
    def.adjacent = IMP_ADJACENT_SKIP;
    def.ring = 0;
    def.crossing = 0;
    *out = (relation_contacts){0};
    TRY(truth_find(s->mem, s->f, &def, NULL, s->threads, &all));
    TRY(mem_alloc(s->mem, all.count * sizeof *out->list, &out->list));
    for (; out->count < all.count; out->count++) {
        const truth_row *row = &all.row[out->count];
        const size_t p = inside_scene_position(s, row->a), q = inside_scene_position(s, row->b);
        out->list[out->count] = p < q ? (relation_contact){{p, q}, {row->a, row->b}}
                                      : (relation_contact){{q, p}, {row->b, row->a}};
    }
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, relation_contact_order);
out:
    truth_free(s->mem, &all);
    return err;
}

/* The contacts of two objects: *out of the list, and their number. */
static size_t relation_contacts_of(const relation_contacts *c, size_t a, size_t b,
                                   const relation_contact **out)
{
    const relation_contact key = {{a, b}, {0, 0}};
    size_t lo = 0, hi = c->count, last;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (relation_contact_order(&c->list[middle], &key) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    for (last = lo; last < c->count && !relation_contact_order(&c->list[last], &key);)
        last++;
    *out = &c->list[lo];
    return last - lo;
}

static int relation_use_order(const void *x, const void *y)
{
    const inside_use *p = x, *q = y;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* The position of a vertex in an object's list, or the number of these. */
static size_t relation_use(const inside_object *o, uint32_t vertex)
{
    const inside_use key = {vertex, 0};
    const inside_use *found = bsearch(&key, o->use, o->uses, sizeof key, relation_use_order);
    return found ? (size_t)(found - o->use) : o->uses;
}

static int relation_share_vertex(const inside_object *a, const inside_object *b)
{
    for (size_t i = 0; i < a->uses; i++)
        if (relation_use(b, a->use[i].vertex) < b->uses)
            return 1;
    return 0;
}

/* ---- parts of an object that are connected by vertices */

typedef struct relation_parts {
    size_t *part;      /* [uses] the first vertex of the part, a position in the object's list */
    imp_swallowed *of; /* [uses] of each first vertex */
    uint8_t *touched;  /* [uses] likewise */
} relation_parts;

static size_t relation_parts_root(const size_t *part, size_t i)
{
    while (part[i] != i)
        i = part[i];
    return i;
}

static void relation_parts_join(size_t *part, size_t i, size_t j)
{
    i = relation_parts_root(part, i);
    j = relation_parts_root(part, j);
    part[i > j ? i : j] = i > j ? j : i;
}

static void relation_parts_close(mem *m, relation_parts *p)
{
    mem_free(m, p->part);
    mem_free(m, p->of);
    mem_free(m, p->touched);
    *p = (relation_parts){0};
}

static int relation_parts_open(const inside_scene *s, const inside_object *o, relation_parts *out)
{
    int err = IMP_OK;
    const imp_mesh *m = s->f->mesh;
    *out = (relation_parts){0};
    TRY(mem_alloc(s->mem, o->uses * sizeof *out->part, &out->part));
    TRY(mem_alloc(s->mem, o->uses * sizeof *out->of, &out->of));
    TRY(mem_alloc(s->mem, o->uses, &out->touched));
    for (size_t i = 0; i < o->uses; i++)
        out->part[i] = i;
    memset(out->of, 0, o->uses * sizeof *out->of);
    for (size_t i = 0; i < o->prims; i++)
        for (uint32_t k = 1; k < 4; k++)
            relation_parts_join(out->part, relation_use(o, mesh_vertex(m, o->prim[i], 0)),
                                relation_use(o, mesh_vertex(m, o->prim[i], k)));
    for (size_t i = 0; i < o->uses; i++) {
        out->part[i] = relation_parts_root(out->part, i);
        out->of[out->part[i]].vertices++;
    }
    for (size_t i = 0; i < o->prims; i++) {
        imp_swallowed *of = &out->of[out->part[relation_use(o, mesh_vertex(m, o->prim[i], 0))]];
        of->primitive = of->primitives++ ? of->primitive : o->prim[i];
    }
out:
    return err;
}

/* ---- a pair of objects */

typedef struct relation_job {
    const inside_scene *scene;
    relation_contacts contacts;
    truth_relations *out;
    size_t capacity, swallowed_capacity;
} relation_job;

/* Returns whether the surfaces meet where two primitives do: one may be within a tetrahedron. */
static int relation_faces_meet(const inside_scene *s, const inside_object *const of[2],
                               const uint32_t prim[2])
{
    const inside_face *face[2];
    size_t faces[2];
    int meet = 0;
    for (int n = 0; n < 2; n++)
        faces[n] = inside_surface_of_prim(&of[n]->surface, prim[n], &face[n]);
    for (size_t i = 0; i < faces[0]; i++)
        for (size_t j = 0; j < faces[1] && !meet; j++) {
            solid_case c = {.corners = {3, 3}};
            for (int k = 0; k < 3; k++) {
                frame_vertex(s->f, face[0][i].vertex[k], c.x[0][k]);
                frame_vertex(s->f, face[1][j].vertex[k], c.x[1][k]);
            }
            meet = oracle_prims_within(&c, 0);
        }
    return meet;
}

/* Marks the parts of of[which] that touch the other one's surface, or are not wholly inside. */
static void relation_touched(const relation_job *job, const inside_object *const of[2], int which,
                             const inside_answer *answer, relation_parts *p)
{
    const inside_object *a = of[which], *all = job->scene->object;
    const relation_contact *c;
    const size_t n =
        relation_contacts_of(&job->contacts, (size_t)(of[0] - all), (size_t)(of[1] - all), &c);
    memset(p->touched, 0, a->uses);
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = mesh_vertex(job->scene->f->mesh, c[i].prim[which], 0);
        uint8_t *touched = &p->touched[p->part[relation_use(a, v)]];
        *touched = *touched || relation_faces_meet(job->scene, of, c[i].prim);
    }
    for (size_t i = 0; i < a->uses; i++)
        p->touched[p->part[i]] |= !answer[i].inside;
}

/* Lists the parts of of[which] that are inside the other and touch it nowhere. */
static int relation_swallowed(relation_job *job, const inside_object *const of[2], int which,
                              const inside_answer *answer)
{
    int err = IMP_OK;
    mem *m = job->scene->mem;
    truth_relations *out = job->out;
    const inside_object *a = of[which];
    relation_parts p;
    TRY(relation_parts_open(job->scene, a, &p));
    relation_touched(job, of, which, answer, &p);
    for (size_t i = 0; i < a->uses; i++) {
        if (p.part[i] != i || p.touched[i] || !answer[i].inside)
            continue;
        TRY(mem_fit(m, out->swallowed_count, &job->swallowed_capacity, sizeof *out->swallowed,
                    &out->swallowed));
        p.of[i].object = a->object;
        p.of[i].in = of[!which]->object;
        out->swallowed[out->swallowed_count++] = p.of[i];
    }
out:
    relation_parts_close(m, &p);
    return err;
}

/* The vertices of of[which] about the other one, which is closed. */
static int relation_vertices(relation_job *job, const inside_object *const of[2], int which,
                             imp_relation *r)
{
    int err = IMP_OK;
    const inside_scene *s = job->scene;
    const inside_object *a = of[which], *b = of[!which];
    inside_answer *answer;
    const int64_t n = (int64_t)a->uses;
    TRY(mem_alloc(s->mem, a->uses * sizeof *answer, &answer));
#pragma omp parallel num_threads(s->threads)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++)
            inside_vertex(s, b, a->use[i].vertex, 1, &answer[i]);
    }
    for (size_t i = 0; i < a->uses; i++) {
        r->inside[which] += answer[i].inside != 0;
        r->touching[which] += answer[i].place == INSIDE_ON;
        if (!answer[i].inside ||
            (r->deepest[which] != UINT32_MAX && answer[i].depth <= r->depth[which]))
            continue;
        r->depth[which] = answer[i].depth;
        r->deepest[which] = a->use[i].vertex;
    }
    err = relation_swallowed(job, of, which, answer);
    mem_free(s->mem, answer);
out:
    return err;
}

/* met: they have common points. */
static int relation_kind(const relation_pair *p, int met)
{
    if (!p->of[0]->closed || !p->of[1]->closed)
        return !(p->parts & RELATION_IN) ? (met ? IMP_RELATION_TOUCHING : IMP_RELATION_APART)
               : p->parts & RELATION_OUT ? IMP_RELATION_CROSSING
               : p->of[1]->closed        ? IMP_RELATION_A_IN_B
                                         : IMP_RELATION_B_IN_A;
    if (!(p->parts & RELATION_BOTH))
        return met ? IMP_RELATION_TOUCHING : IMP_RELATION_APART;
    return !(p->parts & RELATION_ONLY_A)   ? IMP_RELATION_A_IN_B
           : !(p->parts & RELATION_ONLY_B) ? IMP_RELATION_B_IN_A
                                           : IMP_RELATION_CROSSING;
}

static int relation_pair_find(relation_job *job, const inside_object *const of[2])
{
    int err = IMP_OK;
    truth_relations *out = job->out;
    const inside_object *all = job->scene->object;
    const relation_contact *c;
    relation_pair p = {job->scene, {of[0], of[1]}, 0};
    imp_relation r = {.a = of[0]->object, .b = of[1]->object, .deepest = {UINT32_MAX, UINT32_MAX}};
    r.contacts =
        relation_contacts_of(&job->contacts, (size_t)(of[0] - all), (size_t)(of[1] - all), &c);
    for (int i = 0; i < 2; i++)
        if (of[!i]->closed)
            TRY(relation_vertices(job, of, i, &r));
    for (int i = 0; i < 2; i++)
        if (of[!i]->closed)
            TRY(relation_faces(&p, i));
    const int met = r.contacts || r.inside[0] || r.inside[1] || r.touching[0] || r.touching[1] ||
                    relation_share_vertex(of[0], of[1]);
    r.relation = relation_kind(&p, met);
    if (r.relation == IMP_RELATION_APART)
        goto out;
    TRY(mem_fit(job->scene->mem, out->count, &job->capacity, sizeof *out->relation,
                &out->relation));
    out->relation[out->count++] = r;
out:
    return err;
}

/* ---- a frame */

static int relation_swallowed_order(const void *x, const void *y)
{
    const imp_swallowed *p = x, *q = y;
    if (p->object != q->object)
        return p->object < q->object ? -1 : 1;
    if (p->in != q->in)
        return p->in < q->in ? -1 : 1;
    return (p->primitive > q->primitive) - (p->primitive < q->primitive);
}

/* Two objects of which one is closed, and that may meet. */
static int relation_possible(const inside_scene *s, const inside_object *a, const inside_object *b)
{
    return (a->closed || b->closed) && inside_pair_wanted(s, a, b) && !inside_boxes_apart(a, b);
}

static int relation_all(relation_job *job, inside_scene *s)
{
    int err = IMP_OK;
    for (size_t a = 0; a < s->objects; a++)
        for (size_t b = a + 1; b < s->objects; b++) {
            inside_object *const of[2] = {&s->object[a], &s->object[b]};
            if (!relation_possible(s, of[0], of[1]))
                continue;
            for (int i = 0; i < 2; i++)
                if (of[i]->closed && !of[i]->surface.differs)
                    TRY(inside_surface_differ(s->mem, s->def, s->threads, &of[i]->surface));
            TRY(relation_pair_find(job, (const inside_object *const[2]){of[0], of[1]}));
        }
out:
    return err;
}

int truth_relations_find(mem *m, const imp_frame *f, const imp_def *def, int threads,
                         truth_relations *out)
{
    int err = IMP_OK;
    inside_scene s;
    relation_job job = {.scene = &s, .out = out};
    *out = (truth_relations){0};
    TRY(inside_scene_open(m, f, def, threads, &s));
    out->closed = s.closed;
    out->open = s.open;
    TRY(relation_contacts_find(&s, &job.contacts));
    TRY(relation_all(&job, &s));
    if (out->swallowed_count)
        qsort(out->swallowed, out->swallowed_count, sizeof *out->swallowed,
              relation_swallowed_order);
out:
    mem_free(m, job.contacts.list);
    inside_scene_close(&s);
    return err;
}

void truth_relations_free(mem *m, truth_relations *t)
{
    mem_free(m, t->relation);
    mem_free(m, t->swallowed);
    *t = (truth_relations){0};
}

/* ---- a claim */

/* want: of the same objects. */
static const char *relation_fault(const imp_relation *want, const imp_relation *claim)
{
    const char *fault = NULL;
    if (claim->relation != want->relation)
        return "another relation";
    if (claim->contacts != want->contacts)
        return "another number of contacts";
    for (int i = 0; i < 2 && !fault; i++)
        fault = claim->inside[i] != want->inside[i]       ? "another number of vertices inside"
                : claim->touching[i] != want->touching[i] ? "another number of touching vertices"
                : claim->depth[i] != want->depth[i]       ? "another depth"
                : claim->deepest[i] != want->deepest[i]   ? "another deepest vertex"
                                                          : NULL;
    return fault;
}

static const char *relation_about(int32_t a, int32_t b, const char *fault, int32_t object[2])
{
    object[0] = a;
    object[1] = b;
    return fault;
}

static const char *relation_swallowed_fault(const truth_relations *want, const imp_relations *claim,
                                            int32_t object[2])
{
    size_t i = 0;
    for (; i < want->swallowed_count && i < claim->swallowed_count; i++) {
        const imp_swallowed *p = &want->swallowed[i], *q = &claim->swallowed[i];
        const int order = relation_swallowed_order(p, q);
        if (order > 0)
            return relation_about(q->object, q->in, "a part that is not swallowed", object);
        if (order < 0)
            return relation_about(p->object, p->in, "a swallowed part is missing", object);
        if (p->primitives != q->primitives || p->vertices != q->vertices)
            return relation_about(p->object, p->in, "a swallowed part of another size", object);
    }
    if (i < want->swallowed_count)
        return relation_about(want->swallowed[i].object, want->swallowed[i].in,
                              "a swallowed part is missing", object);
    if (i < claim->swallowed_count)
        return relation_about(claim->swallowed[i].object, claim->swallowed[i].in,
                              "a part that is not swallowed", object);
    return NULL;
}

const char *truth_relations_fault(const truth_relations *want, const imp_relations *claim,
                                  int32_t object[2])
{
    static const char *const more = "a relation of objects that are apart";
    static const char *const missing = "a relation is missing";
    size_t i = 0;
    if (claim->closed != want->closed || claim->open != want->open)
        return relation_about(0, 0, "another number of closed objects", object);
    for (; i < want->count && i < claim->count; i++) {
        const imp_relation *p = &want->relation[i], *q = &claim->relation[i];
        const int order =
            p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
        const char *fault = order ? NULL : relation_fault(p, q);
        if (order > 0)
            return relation_about(q->a, q->b, more, object);
        if (order < 0 || fault)
            return relation_about(p->a, p->b, fault ? fault : missing, object);
    }
    if (i < want->count)
        return relation_about(want->relation[i].a, want->relation[i].b, missing, object);
    if (i < claim->count)
        return relation_about(claim->relation[i].a, claim->relation[i].b, more, object);
    return relation_swallowed_fault(want, claim, object);
}
