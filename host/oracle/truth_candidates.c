/* See truth_candidates.h. All features of all primitives are listed, sorted so that what comes
 * twice is seen, and swept along x. */
#include "truth_candidates.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "oracle_turning.h"
#include "truth_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_VERTEX UINT32_MAX

typedef struct part {
    int32_t object;
    uint32_t vertices;  /* 1, 2 or 3: what kind of feature it is, */
    uint32_t vertex[3]; /* though a face may have a vertex twice: ascending, each once */
    uint32_t alone;     /* the primitive, if this is not the same feature in others; else 0 */
} part;

typedef struct part_box {
    double lo[3], hi[3];
    part of;
} part_box;

typedef struct parts {
    mem *mem;
    const truth_case *of;
    int alone; /* faces are */
    part *list;
    part_box *box;
    size_t count;
} parts;

/* ---- all features */

static int finite_at_both(const truth_case *c, uint32_t i)
{
    double x[4][3];
    for (int f = 0; f < 2; f++) {
        truth_read(c->f[f], i, x);
        for (int v = 0; v < truth_corners(c->f[f]->mesh, i); v++)
            if (!isfinite(x[v][0]) || !isfinite(x[v][1]) || !isfinite(x[v][2]))
                return 0;
    }
    return 1;
}

/* Into its place among those that are there. */
static void truth_candidates_add_vertex(part *p, uint32_t v)
{
    int at = 0;
    while (p->vertex[at] < v)
        at++;
    if (p->vertex[at] == v)
        return;
    for (int k = 2; k > at; k--)
        p->vertex[k] = p->vertex[k - 1];
    p->vertex[at] = v;
}

static void add_part(parts *s, uint32_t prim, uint32_t vertices, const uint32_t *vertex)
{
    const imp_mesh *m = s->of->f[0]->mesh;
    part p = {.object = m->object ? m->object[prim] : 0,
              .vertices = vertices,
              .vertex = {NO_VERTEX, NO_VERTEX, NO_VERTEX},
              .alone = vertices == 3 && s->alone ? prim : 0};
    for (uint32_t k = 0; k < vertices; k++)
        truth_candidates_add_vertex(&p, vertex[k]);
    if (vertices != 2 || vertex[0] != vertex[1])
        s->list[s->count++] = p;
}

static void add_parts(parts *s, uint32_t i)
{
    const imp_mesh *m = s->of->f[0]->mesh;
    uint32_t v[3];
    for (int k = 0; k < truth_corners(m, i); k++) {
        v[0] = mesh_vertex(m, i, (uint32_t)k);
        add_part(s, i, 1, v);
    }
    for (int k = 0; k < feature_edge_count(m, i); k++) {
        feature_edge_vertices(m, i, k, v);
        add_part(s, i, 2, v);
    }
    for (int k = 0; k < feature_face_count(m, i); k++) {
        feature_face_vertices(m, i, k, v);
        add_part(s, i, 3, v);
    }
}

static int compare_parts(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(part));
}

#define PARTS_MOST 14 /* of a tetrahedron */

/* Each once. */
static int list_parts(parts *s)
{
    int err = IMP_OK;
    const imp_mesh *m = s->of->f[0]->mesh;
    size_t most = 0, kept = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        most += truth_corners(m, i) == 4 ? PARTS_MOST : 7;
    TRY(mem_alloc(s->mem, most * sizeof *s->list, &s->list));
    for (uint32_t i = 0; i < m->primitives; i++)
        if (finite_at_both(s->of, i))
            add_parts(s, i);
    if (s->count)
        qsort(s->list, s->count, sizeof *s->list, compare_parts);
    for (size_t i = 0; i < s->count; i++)
        if (!kept || compare_parts(&s->list[i], &s->list[kept - 1]))
            s->list[kept++] = s->list[i];
    s->count = kept;
out:
    return err;
}

/* ---- their boxes */

static void truth_candidates_add_point(part_box *b, const imp_frame *f, uint32_t vertex)
{
    double x[3];
    frame_vertex(f, vertex, x);
    for (int k = 0; k < 3; k++) {
        b->lo[k] = fmin(b->lo[k], x[k]);
        b->hi[k] = fmax(b->hi[k], x[k]);
    }
}

static int compare_boxes(const void *x, const void *y)
{
    const part_box *p = x, *q = y;
    return (p->lo[0] > q->lo[0]) - (p->lo[0] < q->lo[0]);
}

static int truth_candidates_make_boxes(parts *s)
{
    int err = IMP_OK;
    TRY(mem_alloc(s->mem, s->count * sizeof *s->box, &s->box));
    for (size_t i = 0; i < s->count; i++) {
        part_box *b = &s->box[i];
        *b = (part_box){
            {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, s->list[i]};
        for (int k = 0; k < 3 && b->of.vertex[k] != NO_VERTEX; k++)
            for (int f = 0; f < 2; f++)
                truth_candidates_add_point(b, s->of->f[f], b->of.vertex[k]);
    }
    if (s->count)
        qsort(s->box, s->count, sizeof *s->box, compare_boxes);
out:
    return err;
}

/* ---- their pairs */

static int truth_candidates_share_vertex(const part *p, const part *q)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (p->vertex[i] != NO_VERTEX && p->vertex[i] == q->vertex[j])
                return 1;
    return 0;
}

/* Their extents along x overlap. */
static int is_candidate(const truth_case *c, const part_box *p, const part_box *q)
{
    return p->of.vertices + q->of.vertices == 4 && p->lo[1] <= q->hi[1] && q->lo[1] <= p->hi[1] &&
           p->lo[2] <= q->hi[2] && q->lo[2] <= p->hi[2] &&
           truth_objects_wanted(c, p->of.object, q->of.object) &&
           !truth_candidates_share_vertex(&p->of, &q->of);
}

static void truth_candidates_count_pairs(const parts *s, int threads, uint64_t counts[2])
{
    const int64_t n = (int64_t)s->count;
    uint64_t faces = 0, edges = 0;
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) reduction(+ : faces, edges) nowait
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n && s->box[j].lo[0] <= s->box[i].hi[0]; j++) {
            const uint64_t one = (uint64_t)is_candidate(s->of, &s->box[i], &s->box[j]);
            faces += s->box[i].of.vertices == 2 ? 0 : one;
            edges += s->box[i].of.vertices == 2 ? one : 0;
        }
    counts[0] = faces;
    counts[1] = edges;
}

int truth_candidates(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                     int threads, uint64_t counts[2])
{
    int err = IMP_OK;
    const truth_case c = {.f = {f, next}, .frames = 2, .def = def};
    parts s = {.mem = m, .of = &c, .alone = mesh_corners(f->mesh) == IMP_TRIANGLES};
    TRY(list_parts(&s));
    TRY(truth_candidates_make_boxes(&s));
    truth_candidates_count_pairs(&s, threads, counts);
out:
    mem_free(m, s.list);
    mem_free(m, s.box);
    return err;
}

/* ---- when they are known */

#define LEAST 0x1p-900 /* of the greatest number: scaled it is still a normal one */

int truth_candidates_known(const imp_frame *f, const imp_frame *next, const imp_def *def)
{
    const imp_frame *frame[2] = {f, next};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < 2 * (size_t)f->mesh->vertices; i++) {
        double x[3];
        frame_vertex(frame[i % 2], i / 2, x);
        for (int k = 0; k < 3; k++) {
            const double size = fabs(x[k]);
            least = size > 0 ? fmin(least, size) : least;
            most = isfinite(size) ? fmax(most, size) : most;
        }
    }
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        if (oracle_rigid_turning_body(f, next, i) >=
            0) /* pairs of it are not asked for by features */
            return 0;
    /* pairs of features of one tetrahedron are not asked for by rules */
    const int own = def->object_pair && mesh_corners(f->mesh) == IMP_TETRAHEDRA;
    return def->dop_k == 6 && !(def->min_separation > 0) && !own && least >= LEAST * most;
}
