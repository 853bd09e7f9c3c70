/* See near_rows.h. */
#include "near_rows.h"

#include "device.h"
#include "error.h"
#include "float_env.h"
#include "measure_code.h"
#include "mem.h"

#include <string.h>

/* A multiple of eight; columns of that many numbers do not share few cache lines. */
#define NEAR_ROOM 136

/* A pair, its row, and where the weight of each of its points stands: 4 * primitive + corner. */
typedef struct near_row {
    size_t row;
    near_pair pair;
    uint8_t weight[MEASURE_POINTS];
} near_row;

/* Pairs of a vertex and a face, or of edges. */
typedef struct near_list {
    uint32_t count;
    near_row row[NEAR_ROOM];
    double x[3 * MEASURE_POINTS * NEAR_ROOM]; /* see measure8.cl */
    double unit[NEAR_ROOM];
    uint8_t place[NEAR_ROOM];
} near_list;

/* A list's pairs by enum measure_parts of their nearest parts; at the end the open ones. */
typedef struct near_sorted {
    uint32_t count[MEASURE_PARTS + 1], row[MEASURE_PARTS + 1][NEAR_ROOM];
} near_sorted;

/* The pairs of a list whose nearest parts are alike. */
typedef struct near_parts {
    uint32_t at[MEASURE_POINTS * NEAR_ROOM];
    double out[MEASURE_RESULTS * NEAR_ROOM];
    uint8_t sure[NEAR_ROOM];
} near_parts;

/* Row i of a column of `width` float64. */
#define NEAR_AT(rows, i, name, width)                                                              \
    ((double *)(void *)(rows)->value[CONTACT_##name] + (i) * (width))

struct near_rows {
    const context *c;
    column_rows *out;
    near_list list[2]; /* a vertex and a face; edges */
    near_sorted sorted;
    near_parts parts;
};

int near_rows_open(const context *c, column_rows *out, near_rows **of)
{
    const int err = mem_alloc(c->mem, sizeof **of, of);
    if (err)
        return err;
    (*of)->c = c;
    (*of)->out = out;
    (*of)->list[0].count = (*of)->list[1].count = 0;
    return IMP_OK;
}

/* ---- a row */

void near_rows_put(const context *c, const column_rows *out, size_t row, uint32_t a, uint32_t b,
                   const exact_nearest *n)
{
    const uint8_t kind = (uint8_t)n->kind;
    NEAR_PUT(out, row, a, a);
    NEAR_PUT(out, row, b, b);
    NEAR_PUT(out, row, kind, kind);
    NEAR_PUT(out, row, points, n->point);
    NEAR_PUT(out, row, feature_a, n->feature[0]);
    NEAR_PUT(out, row, feature_b, n->feature[1]);
    NEAR_PUT(out, row, distance, n->distance);
    NEAR_PUT(out, row, barycentric_a, n->weight[0]);
    NEAR_PUT(out, row, barycentric_b, n->weight[1]);
    NEAR_PUT(out, row, normal, n->normal);
    if (!c->opt.thickness)
        return;
    NEAR_PUT(out, row, penetration, n->depth.depth);
    NEAR_PUT(out, row, relative, n->depth.relative);
}

static void near_rows_points(const imp_frame *f, const exact_numbered *p,
                             const measured_feature *of, exact_prim *out)
{
    for (int k = 0; k < of->vertices; k++)
        frame_vertex(f, p->vertex[of->corner[k]], out->v[of->corner[k]].x);
}

/* By exact arithmetic of one pair. */
static void near_rows_put_exact(const near_rows *of, size_t row, const near_pair *pair)
{
    const imp_frame *f = pair->f;
    exact_numbered p, q;
    exact_pair features;
    exact_nearest n;
    const exact_limit limit = contact_limit(of->c, f, pair->prim[0], pair->prim[1]);
    exact_numbers_of(f->mesh, pair->prim[0], &p);
    exact_numbers_of(f->mesh, pair->prim[1], &q);
    exact_pair_of(&p, near_pair_feature(pair, 0), &q, near_pair_feature(pair, 1), &features);
    near_rows_points(f, &p, &features.of[0], &p.of);
    near_rows_points(f, &q, &features.of[1], &q.of);
    exact_pair_nearest(&p.of, &q.of, &features, of->c->opt.thickness ? &limit : NULL, &n);
    near_rows_put(of->c, of->out, row, pair->a, pair->b, &n);
}

/* ---- the nearest parts of a pair */

/* A part's points, of the pair's; those that it lacks are its last one. */
typedef struct near_part {
    uint8_t parts; /* enum measure_parts */
    uint8_t point[MEASURE_POINTS];
} near_part;

/* By place: lane_measure.h. */
static const near_part near_face_part[] = {
    {MEASURE_VERTICES, {3, 0, 0, 0}},    {MEASURE_VERTICES, {3, 1, 1, 1}},
    {MEASURE_VERTICES, {3, 2, 2, 2}},    {MEASURE_VERTEX_EDGE, {3, 0, 1, 1}},
    {MEASURE_VERTEX_EDGE, {3, 1, 2, 2}}, {MEASURE_VERTEX_EDGE, {3, 2, 0, 0}},
    {MEASURE_VERTEX_FACE, {3, 0, 1, 2}},
};
static const near_part near_edges_part[] = {
    {MEASURE_VERTICES, {0, 2, 2, 2}},    {MEASURE_VERTICES, {0, 3, 3, 3}},
    {MEASURE_VERTEX_EDGE, {0, 2, 3, 3}}, {MEASURE_VERTICES, {1, 2, 2, 2}},
    {MEASURE_VERTICES, {1, 3, 3, 3}},    {MEASURE_VERTEX_EDGE, {1, 2, 3, 3}},
    {MEASURE_VERTEX_EDGE, {2, 0, 1, 1}}, {MEASURE_VERTEX_EDGE, {3, 0, 1, 1}},
    {MEASURE_EDGES, {0, 1, 2, 3}},
};

/* ---- the results of a kernel */

/* Number `column`, enum measure_result, of results i. */
static double near_rows_number(const near_rows *of, int column, uint32_t i)
{
    return of->parts.out[(size_t)column * NEAR_ROOM + i];
}

/* Puts the depth. Returns 0 if that is in doubt. */
static int near_rows_put_depth(const near_rows *of, const near_row *r, double unit, uint32_t i)
{
    const near_pair *pair = &r->pair;
    const exact_limit limit = contact_limit(of->c, pair->f, pair->prim[0], pair->prim[1]);
    const exact_quick lengths = {near_rows_number(of, MEASURE_HI, i),
                                 near_rows_number(of, MEASURE_LO, i),
                                 near_rows_number(of, MEASURE_RELATIVE_ERROR, i), unit};
    exact_depth depth;
    if (!exact_quick_depth(&lengths, &limit, &depth))
        return 0;
    NEAR_PUT(of->out, r->row, penetration, depth.depth);
    NEAR_PUT(of->out, r->row, relative, depth.relative);
    return 1;
}

/* Puts results i of the parts, in place: rows that are copied from the stack, where single numbers
 * were just written, wait for these. Weights of points that the part lacks are overwritten. */
static void near_rows_put_sure(const near_rows *of, const near_row *r, const near_part *part,
                               uint32_t i)
{
    const column_rows *out = of->out;
    const int first = r->weight[part->point[0]] / 4;
    const double sign = first ? -1 : 1;
    double *weight[2] = {NEAR_AT(out, r->row, barycentric_a, 4),
                         NEAR_AT(out, r->row, barycentric_b, 4)};
    double *normal = NEAR_AT(out, r->row, normal, 3), *point = NEAR_AT(out, r->row, points, 6);
    *NEAR_AT(out, r->row, distance, 1) = near_rows_number(of, MEASURE_DISTANCE, i);
    for (int k = 0; k < 8; k++)
        weight[k / 4][k % 4] = 0;
    for (int k = MEASURE_POINTS; k-- > 0;) {
        const int at = r->weight[part->point[k]];
        weight[at / 4][at % 4] = near_rows_number(of, MEASURE_WEIGHT + k, i);
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = sign * near_rows_number(of, MEASURE_NORMAL + k, i) + 0.0;
        point[3 * first + k] = near_rows_number(of, MEASURE_NEAREST + k, i);
        point[3 * !first + k] = near_rows_number(of, MEASURE_NEAREST + 3 + k, i);
    }
}

/* ---- a list */

/* Copies the last element of columns of `width` numbers until their number is a multiple of eight.
 */
#define NEAR_FILL(column, width, count)                                                            \
    for (uint32_t near_to = (count); near_to % 8; near_to++)                                       \
        for (uint32_t near_k = 0; near_k < (width); near_k++)                                      \
            (column)[near_k * NEAR_ROOM + near_to] = (column)[near_k * NEAR_ROOM + near_to - 1];

static void near_rows_places(near_rows *of, int edges)
{
    near_list *l = &of->list[edges];
    buffer_f64 x = {{.data = l->x}}, unit = {{.data = l->unit}};
    buffer_u8 place = {{.data = l->place}};
    NEAR_FILL(l->x, 3 * MEASURE_POINTS, l->count);
    RUN_HERE(of->c->dev64, measure_places8, (l->count + 7) / 8, (uint32_t)edges, NEAR_ROOM, &x,
             &unit, &place);
}

static void near_rows_sort(const near_list *l, const near_part *table, near_sorted *out)
{
    memset(out->count, 0, sizeof out->count);
    for (uint32_t i = 0; i < l->count; i++) {
        const uint8_t place = l->place[i];
        const uint32_t parts = place == MEASURE_OPEN ? MEASURE_PARTS : table[place].parts;
        out->row[parts][out->count[parts]++] = i;
    }
}

/* The rows of the n pairs `row` of a list, whose nearest parts are these. */
static void near_rows_parts(near_rows *of, near_list *l, const near_part *table, uint32_t parts,
                            uint32_t n, uint32_t row[NEAR_ROOM])
{
    near_parts *p = &of->parts;
    buffer_f64 x = {{.data = l->x}}, unit = {{.data = l->unit}}, out = {{.data = p->out}};
    buffer_u32 rows = {{.data = row}}, at = {{.data = p->at}};
    buffer_u8 sure = {{.data = p->sure}};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < MEASURE_POINTS; k++)
            p->at[k * NEAR_ROOM + i] = 3 * NEAR_ROOM * table[l->place[row[i]]].point[k] + row[i];
    NEAR_FILL(p->at, MEASURE_POINTS, n);
    NEAR_FILL(row, 1u, n);
    RUN_HERE(of->c->dev64, measure_parts8, (n + 7) / 8, parts, NEAR_ROOM, &x, &unit, &rows, &at,
             &out, &sure);
    for (uint32_t i = 0; i < n; i++) {
        const near_row *r = &l->row[row[i]];
        if (p->sure[i] && (!of->c->opt.thickness || near_rows_put_depth(of, r, l->unit[row[i]], i)))
            near_rows_put_sure(of, r, &table[l->place[row[i]]], i);
        else
            near_rows_put_exact(of, r->row, &r->pair);
    }
}

static void near_rows_flush(near_rows *of, int edges)
{
    near_list *l = &of->list[edges];
    near_sorted *s = &of->sorted;
    const near_part *table = edges ? near_edges_part : near_face_part;
    if (!l->count)
        return;
    near_rows_places(of, edges);
    near_rows_sort(l, table, s);
    for (uint32_t parts = 0; parts < MEASURE_PARTS; parts++)
        if (s->count[parts])
            near_rows_parts(of, l, table, parts, s->count[parts], s->row[parts]);
    for (uint32_t i = 0; i < s->count[MEASURE_PARTS]; i++) {
        const near_row *r = &l->row[s->row[MEASURE_PARTS][i]];
        near_rows_put_exact(of, r->row, &r->pair);
    }
    l->count = 0;
}

/* ---- pairs */

/* Where the weight of corner k of feature f of primitive n stands. */
static uint8_t near_rows_place(int n, const exact_numbered *p, exact_feature f, int k)
{
    return (uint8_t)(4 * n + exact_feature_corner(p, f, k));
}

static int near_rows_simple(const exact_numbered *p)
{
    const uint32_t *v = p->vertex;
    return (p->of.corners < 4) & (v[0] != v[1]) & (v[0] != v[2]) & (v[1] != v[2]);
}

/* Places of a pair's points; triangles with three vertices have a table. */
static void near_rows_add_places(near_row *r, int edges, const exact_numbered *p,
                                 const exact_numbered *q)
{
    const exact_feature i = near_pair_feature(&r->pair, 0), j = near_pair_feature(&r->pair, 1);
    const int face = j.vertices == 3; /* the primitive with the face */
    if (near_rows_simple(p) & near_rows_simple(q)) {
        const int number = edges ? 6 + 3 * i.number + j.number : face ? i.number : 3 + j.number;
        memcpy(r->weight, measure_places[number], sizeof r->weight);
        return;
    }
    for (int k = 0; k < 2 && edges; k++) {
        r->weight[k] = near_rows_place(0, p, i, k);
        r->weight[2 + k] = near_rows_place(1, q, j, k);
    }
    for (int k = 0; k < 3 && !edges; k++)
        r->weight[k] = near_rows_place(face, face ? q : p, face ? j : i, k);
    if (!edges)
        r->weight[3] = near_rows_place(!face, face ? p : q, face ? i : j, 0);
}

/* x: the first coordinate of the pair's first point. */
static void near_rows_add_points(const near_row *r, const exact_numbered *p,
                                 const exact_numbered *q, double *x)
{
    const imp_frame *f = r->pair.f;
    const uint32_t *const vertex[2] = {p->vertex, q->vertex};
    for (size_t k = 0; k < MEASURE_POINTS; k++) {
        const uint32_t v = vertex[r->weight[k] / 4][r->weight[k] % 4];
        for (size_t axis = 0; axis < 3; axis++)
            x[(3 * k + axis) * NEAR_ROOM] = frame_coordinate(f, v, axis);
    }
}

near_pair *near_rows_next(near_rows *of, int edges)
{
    near_list *l = &of->list[edges];
    return &l->row[l->count].pair;
}

void near_rows_add(near_rows *of, size_t row, int edges, const exact_numbered *p,
                   const exact_numbered *q)
{
    near_list *l = &of->list[edges];
    near_row *r = &l->row[l->count];
    const exact_feature i = near_pair_feature(&r->pair, 0), j = near_pair_feature(&r->pair, 1);
    const uint8_t kind = edges ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    const int64_t value[2] = {exact_feature_value(p, i), exact_feature_value(q, j)};
    if (!edges && i.vertices < 3 && j.vertices < 3) {
        near_rows_put_exact(of, row, &r->pair); /* these have no lanes */
        return;
    }
    NEAR_PUT(of->out, row, a, r->pair.a);
    NEAR_PUT(of->out, row, b, r->pair.b);
    NEAR_PUT(of->out, row, kind, kind);
    NEAR_PUT(of->out, row, feature_a, value[0]);
    NEAR_PUT(of->out, row, feature_b, value[1]);
    r->row = row;
    near_rows_add_places(r, edges, p, q);
    near_rows_add_points(r, p, q, l->x + l->count);
    if (++l->count == NEAR_ROOM)
        near_rows_flush(of, edges);
}

void near_rows_close(near_rows *of)
{
    if (!of)
        return;
    near_rows_flush(of, 0);
    near_rows_flush(of, 1);
    mem_free(of->c->mem, of);
}

/* ---- a list */

#define NEAR_CHUNK 256u

/* Adds rows [first, last), kind by kind, since branches depend on it. */
static void near_rows_add_chunk(const near_source *from, size_t first, size_t last, near_rows *to)
{
    uint16_t row[NEAR_KINDS][NEAR_CHUNK] = {{0}};
    size_t count[NEAR_KINDS] = {0};
    for (size_t i = first; i < last; i++) {
        const int kind = from->kind(from->list, i);
        row[kind][count[kind]++] = (uint16_t)(i - first);
    }
    for (int kind = 0; kind < NEAR_KINDS; kind++)
        for (size_t k = 0; k < count[kind]; k++)
            from->add(from->list, first + row[kind][k], to);
}

int near_rows_fill(const context *c, const near_source *from, size_t n, column_rows *out)
{
    int without = 0; /* threads without memory */
#pragma omp parallel num_threads(c->threads) reduction(+ : without) if (n > 64)
    EACH_IN_FLOAT_ENV
    {
        near_rows *to = NULL;
        without += near_rows_open(c, out, &to) != IMP_OK;
#pragma omp for schedule(dynamic) nowait
        for (size_t i = 0; i < n; i += NEAR_CHUNK)
            if (to && !atomic_load(c->cancel))
                near_rows_add_chunk(from, i, n - i < NEAR_CHUNK ? n : i + NEAR_CHUNK, to);
        near_rows_close(to);
    }
    if (without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

int near_rows_make(const context *c, const near_source *from, size_t n, column_rows *out)
{
    columns_zero(out, NEAR_COLUMNS);
    const int err = near_rows_fill(c, from, n, out);
    out->count = err ? 0 : n;
    return err;
}
