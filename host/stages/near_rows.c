/* See near_rows.h. */
#include "near_rows.h"

#include "device.h"
#include "measure_code.h"
#include "mem.h"

#include <string.h>

/* A multiple of eight; columns of that many numbers do not share few cache lines. */
#define NEAR_ROOM 136

/* A pair and its row. */
typedef struct near_row {
    size_t row;
    uint32_t a, b;
    int turned; /* the face, of a pair with one, is that of a */
    exact_pair pair;
    exact_limit limit;
} near_row;

/* Pairs of a vertex and a face, or of edges. */
typedef struct near_list {
    uint32_t count;
    near_row row[NEAR_ROOM];
    double x[3 * MEASURE_POINTS * NEAR_ROOM]; /* see measure8.cl */
    double unit[NEAR_ROOM];
    uint8_t place[NEAR_ROOM];
} near_list;

/* Some of a list's pairs whose nearest parts are alike. */
typedef struct near_parts {
    uint32_t count, row[NEAR_ROOM], at[MEASURE_POINTS * NEAR_ROOM];
    double out[MEASURE_RESULTS * NEAR_ROOM];
    uint8_t sure[NEAR_ROOM];
} near_parts;

struct near_rows {
    const context *c;
    column_rows *out;
    near_list list[2]; /* a vertex and a face; edges */
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

void near_rows_put(const context *c, column_rows *out, size_t row, uint32_t a, uint32_t b,
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

/* By exact arithmetic of one pair. */
static void near_rows_put_pair(near_rows *of, const near_row *r, const exact_prim *p,
                               const exact_prim *q)
{
    exact_nearest n;
    exact_pair_nearest(p, q, &r->pair, of->c->opt.thickness ? &r->limit : NULL, &n);
    near_rows_put(of->c, of->out, r->row, r->a, r->b, &n);
}

/* ---- the nearest parts of a pair */

/* A part's points, of the pair's. */
typedef struct near_part {
    uint8_t parts; /* enum measure_parts */
    uint8_t point[MEASURE_POINTS];
} near_part;

/* By place: lane_measure.h. */
static const near_part near_face_part[] = {
    {MEASURE_VERTICES, {3, 0}},          {MEASURE_VERTICES, {3, 1}},
    {MEASURE_VERTICES, {3, 2}},          {MEASURE_VERTEX_EDGE, {3, 0, 1}},
    {MEASURE_VERTEX_EDGE, {3, 1, 2}},    {MEASURE_VERTEX_EDGE, {3, 2, 0}},
    {MEASURE_VERTEX_FACE, {3, 0, 1, 2}},
};
static const near_part near_edges_part[] = {
    {MEASURE_VERTICES, {0, 2}},       {MEASURE_VERTICES, {0, 3}},
    {MEASURE_VERTEX_EDGE, {0, 2, 3}}, {MEASURE_VERTICES, {1, 2}},
    {MEASURE_VERTICES, {1, 3}},       {MEASURE_VERTEX_EDGE, {1, 2, 3}},
    {MEASURE_VERTEX_EDGE, {2, 0, 1}}, {MEASURE_VERTEX_EDGE, {3, 0, 1}},
    {MEASURE_EDGES, {0, 1, 2, 3}},
};

static const uint8_t near_points[MEASURE_PARTS] = {2, 3, 4, 4};

/* The primitive, 0 or 1, and the corner of a pair's point. */
static int near_rows_corner(const near_row *r, int edges, int point, int *corner)
{
    const int n = edges ? point / 2 : (point == 3) != r->turned ? 0 : 1;
    *corner = r->pair.of[n].corner[edges ? point % 2 : point % 3];
    return n;
}

/* Sets the vertices of the features. */
static void near_rows_prims(const near_list *l, uint32_t i, int edges, exact_prim prim[2])
{
    for (int point = 0; point < MEASURE_POINTS; point++) {
        int corner;
        exact_prim *p = &prim[near_rows_corner(&l->row[i], edges, point, &corner)];
        for (int k = 0; k < 3; k++)
            p->v[corner].x[k] = l->x[(3 * point + k) * NEAR_ROOM + (int)i];
    }
}

static void near_rows_put_open(near_rows *of, int edges, uint32_t i)
{
    exact_prim prim[2];
    near_rows_prims(&of->list[edges], i, edges, prim);
    near_rows_put_pair(of, &of->list[edges].row[i], &prim[0], &prim[1]);
}

/* ---- the results of a kernel */

/* Number `column`, enum measure_result, of results i. */
static double near_rows_number(const near_rows *of, int column, uint32_t i)
{
    return of->parts.out[(size_t)column * NEAR_ROOM + i];
}

/* Results i of the parts; part: points of the pair, of which the first is of `first`, 0 or 1. */
static void near_rows_results(const near_rows *of, const near_row *r, int edges,
                              const near_part *part, uint32_t i, exact_nearest *out)
{
    const int alone = part->parts == MEASURE_EDGES ? 0 : part->parts == MEASURE_VERTICES ? 2 : 1;
    int corner, first = 0;
    memset(out->weight, 0, sizeof out->weight);
    for (int k = 0; k < near_points[part->parts]; k++) {
        const int n = near_rows_corner(r, edges, part->point[k], &corner);
        out->weight[n][corner] =
            k < alone ? 1 : near_rows_number(of, MEASURE_WEIGHT + k - alone, i);
        first = k ? first : n;
    }
    for (int k = 0; k < 3; k++) {
        const double along = near_rows_number(of, MEASURE_NORMAL + k, i);
        out->normal[k] = (first ? -along : along) + 0.0;
        out->point[3 * first + k] = near_rows_number(of, MEASURE_NEAREST + k, i);
        out->point[3 * !first + k] = near_rows_number(of, MEASURE_NEAREST + 3 + k, i);
    }
}

static void near_rows_put_sure(near_rows *of, int edges, const near_part *part, uint32_t i)
{
    const uint32_t at = of->parts.row[i];
    const near_list *l = &of->list[edges];
    const near_row *r = &l->row[at];
    const exact_quick lengths = {near_rows_number(of, MEASURE_HI, i),
                                 near_rows_number(of, MEASURE_LO, i),
                                 near_rows_number(of, MEASURE_RELATIVE_ERROR, i), l->unit[at]};
    exact_nearest n;
    if (!of->parts.sure[i] ||
        !exact_quick_lengths(&lengths, of->c->opt.thickness ? &r->limit : NULL, &n.distance,
                             &n.depth)) {
        near_rows_put_open(of, edges, at);
        return;
    }
    n.kind = r->pair.kind;
    n.feature[0] = r->pair.value[0];
    n.feature[1] = r->pair.value[1];
    near_rows_results(of, r, edges, part, i, &n);
    near_rows_put(of->c, of->out, r->row, r->a, r->b, &n);
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

/* The rows of the pairs whose nearest parts are these. */
static void near_rows_parts(near_rows *of, int edges, uint32_t parts)
{
    near_list *l = &of->list[edges];
    near_parts *p = &of->parts;
    const near_part *table = edges ? near_edges_part : near_face_part;
    buffer_f64 x = {{.data = l->x}}, unit = {{.data = l->unit}}, out = {{.data = p->out}};
    buffer_u32 row = {{.data = p->row}}, at = {{.data = p->at}};
    buffer_u8 sure = {{.data = p->sure}};
    p->count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->place[i] == MEASURE_OPEN || table[l->place[i]].parts != parts)
            continue;
        for (uint32_t k = 0; k < near_points[parts]; k++)
            p->at[k * NEAR_ROOM + p->count] = 3 * NEAR_ROOM * table[l->place[i]].point[k] + i;
        p->row[p->count++] = i;
    }
    if (!p->count)
        return;
    NEAR_FILL(p->at, MEASURE_POINTS, p->count);
    NEAR_FILL(p->row, 1u, p->count);
    RUN_HERE(of->c->dev64, measure_parts8, (p->count + 7) / 8, parts, NEAR_ROOM, &x, &unit, &row,
             &at, &out, &sure);
    for (uint32_t i = 0; i < p->count; i++)
        near_rows_put_sure(of, edges, &table[l->place[p->row[i]]], i);
}

static void near_rows_flush(near_rows *of, int edges)
{
    near_list *l = &of->list[edges];
    if (!l->count)
        return;
    near_rows_places(of, edges);
    for (uint32_t parts = 0; parts < MEASURE_PARTS; parts++)
        near_rows_parts(of, edges, parts);
    for (uint32_t i = 0; i < l->count; i++)
        if (l->place[i] == MEASURE_OPEN)
            near_rows_put_open(of, edges, i);
    l->count = 0;
}

/* ---- pairs */

/* The point of a corner of primitive n, 0 or 1. */
static void near_rows_point(const near_pair *pair, int n, int corner, double x[3])
{
    frame_vertex(pair->f, (n ? pair->q : pair->p)->vertex[corner], x);
}

/* Features of at most two vertices that are not both edges have no lanes. */
static void near_rows_put_rare(near_rows *of, near_row *r, const near_pair *pair)
{
    exact_prim prim[2];
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < r->pair.of[n].vertices; k++) {
            const int corner = r->pair.of[n].corner[k];
            near_rows_point(pair, n, corner, prim[n].v[corner].x);
        }
    near_rows_put_pair(of, r, &prim[0], &prim[1]);
}

void near_rows_add(near_rows *of, size_t row, const near_pair *pair)
{
    const int edges = pair->i.vertices == 2 && pair->j.vertices == 2;
    near_list *l = &of->list[edges];
    near_row *r = &l->row[l->count];
    exact_pair_of(pair->p, pair->i, pair->q, pair->j, &r->pair);
    r->row = row;
    r->a = pair->a;
    r->b = pair->b;
    r->turned = pair->i.vertices == 3;
    if (of->c->opt.thickness)
        r->limit = contact_limit(of->c, pair->f, pair->prim[0], pair->prim[1]);
    if (!edges && pair->i.vertices < 3 && pair->j.vertices < 3) {
        near_rows_put_rare(of, r, pair);
        return;
    }
    for (int point = 0; point < MEASURE_POINTS; point++) {
        double x[3];
        int corner;
        const int n = near_rows_corner(r, edges, point, &corner);
        near_rows_point(pair, n, corner, x);
        for (int k = 0; k < 3; k++)
            l->x[(3 * point + k) * NEAR_ROOM + (int)l->count] = x[k];
    }
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
