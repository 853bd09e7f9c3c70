/* See contour_graph.h. */
#include "contour_graph.h"

#include "error.h"
#include "exact.h"
#include "frame.h"

#include <string.h>

/* ---- nodes: ends by their names */

static inline uint32_t contour_less(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static inline uint32_t contour_more(uint32_t x, uint32_t y)
{
    return x < y ? y : x;
}

/* Sorts without branches: the order of numbers is hard to foresee. */
static inline void contour_sort(uint32_t v[3])
{
    const uint32_t low = contour_less(v[0], v[1]), high = contour_more(v[0], v[1]);
    v[0] = contour_less(low, v[2]);
    v[1] = contour_more(low, contour_less(high, v[2]));
    v[2] = contour_more(high, v[2]);
}

/* The corners of a feature, as bits, by its code. */
static const uint8_t contour_corners[] = {1, 2, 4, 3, 6, 5, 7};

contour_feature contour_feature_of(const imp_mesh *m, uint32_t prim, uint8_t code)
{
    contour_feature f = {.object = mesh_object(m, prim)};
    for (uint32_t k = 0; k < 3; k++)
        f.vertex[k] = mesh_vertex(m, prim, k) | ((uint32_t)(contour_corners[code] >> k & 1) - 1);
    contour_sort(f.vertex);
    if ((f.vertex[0] == f.vertex[1]) |
        ((f.vertex[1] == f.vertex[2]) & (f.vertex[2] != CONTOUR_NONE))) {
        f.vertex[0] = f.vertex[0] == f.vertex[1] ? CONTOUR_NONE : f.vertex[0];
        f.vertex[1] = f.vertex[1] == f.vertex[2] ? CONTOUR_NONE : f.vertex[1];
        contour_sort(f.vertex);
    }
    return f;
}

static int contour_feature_order(const contour_feature *x, const contour_feature *y)
{
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (x->vertex[k] != y->vertex[k])
            return x->vertex[k] < y->vertex[k] ? -1 : 1;
    return 0;
}

static inline uint64_t contour_hash(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15;
    return x ^ x >> 32;
}

/* The terms need not wait for each other. */
static uint64_t contour_node_hash(const contour_node *n)
{
    uint64_t word[4];
    memcpy(word, n->of, sizeof word);
    return contour_hash(contour_hash(word[0]) + 3 * contour_hash(word[1] + 1) +
                        5 * contour_hash(word[2] + 2) + 7 * contour_hash(word[3] + 3));
}

static uint64_t contour_segment_hash(const contour_segment *s)
{
    return contour_hash((uint64_t)s->node[0] << 32 | s->node[1]);
}

static uint64_t contour_hash_node(const contour_graph *g, size_t i)
{
    return contour_node_hash(&g->node[i]);
}

static uint64_t contour_hash_segment(const contour_graph *g, size_t i)
{
    return contour_segment_hash(&g->segment[i]);
}

/* Enters what there is into a table of which `count` entries use at most half. */
static int contour_table_make(const contour_graph *g, contour_table *t, size_t used, size_t count,
                              uint64_t (*hash)(const contour_graph *g, size_t i))
{
    int err = IMP_OK;
    size_t capacity = 64;
    uint32_t *at = NULL;
    while (capacity < 2 * count)
        capacity *= 2;
    TRY(mem_alloc(g->mem, capacity * sizeof *at, &at));
    memset(at, 0, capacity * sizeof *at);
    for (size_t i = 0; i < used; i++) {
        size_t k = hash(g, i) & (capacity - 1);
        while (at[k])
            k = (k + 1) & (capacity - 1);
        at[k] = (uint32_t)i + 1;
    }
    mem_free(g->mem, t->at);
    *t = (contour_table){at, capacity};
out:
    return err;
}

/* Makes room for one entry more. */
static int contour_table_fit(const contour_graph *g, contour_table *t, size_t used,
                             uint64_t (*hash)(const contour_graph *g, size_t i))
{
    return t->capacity >= 2 * (used + 1) ? IMP_OK
                                         : contour_table_make(g, t, used, 2 * (used + 1), hash);
}

/* ---- nodes and segments of the contacts */

static inline int contour_same_name(const contour_node *x, const contour_node *y)
{
    return !memcmp(x->of, y->of, sizeof x->of);
}

/* The node at x of two features, one of each triangle. */
static int contour_add_node(contour_graph *g, uint32_t a, uint32_t b, const uint8_t feature[2],
                            const double x[3], uint32_t *out)
{
    int err = IMP_OK;
    const imp_mesh *m = g->frame->mesh;
    contour_node n = {
        .of = {contour_feature_of(m, a, feature[0]), contour_feature_of(m, b, feature[1])}};
    if (contour_feature_order(&n.of[0], &n.of[1]) > 0) {
        const contour_feature t = n.of[0];
        n.of[0] = n.of[1];
        n.of[1] = t;
    }
    memcpy(n.x, x, sizeof n.x);
    TRY(contour_table_fit(g, &g->by_name, g->nodes, contour_hash_node));
    const size_t mask = g->by_name.capacity - 1;
    size_t at = contour_node_hash(&n) & mask;
    while (g->by_name.at[at] && !contour_same_name(&n, &g->node[g->by_name.at[at] - 1]))
        at = (at + 1) & mask;
    if (!g->by_name.at[at]) {
        if (g->nodes >= CONTOUR_NONE - 1)
            FAIL(IMP_ERR_MEMORY, "more ends of contacts than 32 bits can number");
        TRY(mem_fit(g->mem, g->nodes, &g->node_capacity, sizeof *g->node, &g->node));
        g->node[g->nodes++] = n;
        g->by_name.at[at] = (uint32_t)g->nodes;
    }
    *out = g->by_name.at[at] - 1;
out:
    return err;
}

/* polygon: it is a side of one. */
static int contour_add_segment(contour_graph *g, size_t row, uint32_t from, uint32_t to,
                               int polygon)
{
    int err = IMP_OK;
    const contour_segment s = {.node = {from < to ? from : to, from < to ? to : from},
                               .turned = from > to};
    if (from == to)
        return IMP_OK;
    TRY(contour_table_fit(g, &g->by_nodes, g->segments, contour_hash_segment));
    const size_t mask = g->by_nodes.capacity - 1;
    size_t at = contour_segment_hash(&s) & mask;
    while (g->by_nodes.at[at] &&
           memcmp(g->segment[g->by_nodes.at[at] - 1].node, s.node, sizeof s.node) != 0)
        at = (at + 1) & mask;
    if (!g->by_nodes.at[at]) {
        if (g->segments >= CONTOUR_NONE - 1)
            FAIL(IMP_ERR_MEMORY, "more segments of contacts than 32 bits can number");
        TRY(mem_fit(g->mem, g->segments, &g->segment_capacity, sizeof *g->segment, &g->segment));
        g->segment[g->segments++] = s;
        g->by_nodes.at[at] = (uint32_t)g->segments;
    }
    contour_segment *is = &g->segment[g->by_nodes.at[at] - 1];
    is->line |= !polygon;
    is->polygon |= polygon != 0;
    is->odd ^= polygon != 0;
    if (g->with_uses) {
        TRY(mem_fit(g->mem, g->uses, &g->use_capacity, sizeof *g->use, &g->use));
        g->use[g->uses++] = (contour_use){row, (uint32_t)(is - g->segment)};
    }
out:
    return err;
}

static int contour_on_edge(uint8_t feature, int edge)
{
    return feature == edge || feature == (edge + 1) % 3 || feature == IMP_END_EDGE + edge;
}

/* Two triangles that overlap in one plane: an edge of either has at most one side of the polygon,
 * between the two corners on it. */
static int contour_add_polygon(contour_graph *g, size_t row, uint32_t a, uint32_t b)
{
    int err = IMP_OK;
    const exact_prim p = exact_prim_of(g->frame, a), q = exact_prim_of(g->frame, b);
    exact_corner corner[EXACT_CORNERS_MOST];
    uint32_t node[EXACT_CORNERS_MOST], seen[EXACT_CORNERS_MOST] = {0};
    const int n = exact_triangle_corners(p.v, q.v, corner);
    for (int i = 0; i < n; i++)
        TRY(contour_add_node(g, a, b, corner[i].feature, corner[i].x, &node[i]));
    for (int edge = 0; edge < 6; edge++) {
        int on[2] = {0}, count = 0;
        for (int i = 0; i < n; i++)
            if (contour_on_edge(corner[i].feature[edge / 3], edge % 3))
                on[count++ % 2] = i;
        if (count == 2 && !(seen[on[0]] >> on[1] & 1))
            TRY(contour_add_segment(g, row, node[on[0]], node[on[1]], 1));
        seen[on[0]] |= (uint32_t)(count == 2) << on[1];
    }
out:
    return err;
}

static int contour_add_contact(contour_graph *g, const imp_contacts *rows, size_t i)
{
    int err = IMP_OK;
    uint32_t node[2] = {0, 0};
    const uint8_t *f = rows->end_features + 4 * i;
    g->none += f[0] == IMP_END_NONE;
    if (f[0] == IMP_END_NONE)
        return IMP_OK;
    if (contours_is_flat(rows->kind[i]))
        return contour_add_polygon(g, i, rows->a[i], rows->b[i]);
    if (rows->kind[i] != IMP_KIND_SEGMENT)
        return IMP_OK;
    for (int end = 0; end < 2; end++)
        TRY(contour_add_node(g, rows->a[i], rows->b[i], f + (size_t)2 * (size_t)end,
                             rows->points + 6 * i + (size_t)3 * (size_t)end, &node[end]));
    TRY(contour_add_segment(g, i, node[0], node[1], 0));
out:
    return err;
}

/* ---- the segments that count */

/* A segment within an overlap has a polygon on either side. */
static int contour_segment_counts(const contour_segment *s)
{
    return s->polygon ? s->odd : s->line;
}

/* Keeps the uses of segments that count, by the new numbers of these. */
static int contour_keep_uses(contour_graph *g)
{
    int err = IMP_OK;
    uint32_t *number = NULL, next = 0;
    size_t kept = 0;
    TRY(mem_alloc(g->mem, g->segments * sizeof *number, &number));
    for (size_t i = 0; i < g->segments; i++)
        number[i] = contour_segment_counts(&g->segment[i]) ? next++ : CONTOUR_NONE;
    for (size_t i = 0; i < g->uses; i++) {
        const contour_use use = {g->use[i].row, number[g->use[i].segment]};
        g->use[kept] = use;
        kept += use.segment != CONTOUR_NONE;
    }
    g->uses = kept;
    TRY(mem_alloc(g->mem, next * sizeof *g->contour, &g->contour));
    memset(g->contour, 0, next * sizeof *g->contour);
out:
    mem_free(g->mem, number);
    return err;
}

/* Lists the segments that count at each node. */
static int contour_list_segments(contour_graph *g)
{
    int err = IMP_OK;
    size_t kept = 0;
    if (g->with_uses)
        TRY(contour_keep_uses(g));
    for (size_t i = 0; i < g->segments; i++)
        if (contour_segment_counts(&g->segment[i]))
            g->segment[kept++] = g->segment[i];
    g->segments = kept;
    TRY(mem_alloc(g->mem, (g->nodes + 2) * sizeof *g->first, &g->first));
    TRY(mem_alloc(g->mem, 2 * kept * sizeof *g->list, &g->list));
    memset(g->first, 0, (g->nodes + 2) * sizeof *g->first);
    for (size_t i = 0; i < kept; i++)
        for (int k = 0; k < 2; k++)
            g->first[g->segment[i].node[k] + 2]++;
    for (size_t n = 0; n < g->nodes; n++)
        g->first[n + 2] += g->first[n + 1];
    for (size_t i = 0; i < kept; i++)
        for (int k = 0; k < 2; k++)
            g->list[g->first[g->segment[i].node[k] + 1]++] = (uint32_t)i;
out:
    return err;
}

/* ---- all */

/* Mostly a segment follows at either end of another one, so that there are as many nodes. */
static int contour_reserve(contour_graph *g, size_t segments)
{
    int err = IMP_OK;
    const size_t n = segments + segments / 8 + 1;
    TRY(contour_table_make(g, &g->by_name, 0, n, contour_hash_node));
    TRY(contour_table_make(g, &g->by_nodes, 0, n, contour_hash_segment));
    TRY(mem_alloc(g->mem, n * sizeof *g->node, &g->node));
    TRY(mem_alloc(g->mem, n * sizeof *g->segment, &g->segment));
    g->node_capacity = g->segment_capacity = n;
out:
    return err;
}

int contour_graph_make(mem *m, const imp_frame *frame, const imp_contacts *rows, contour_graph *g)
{
    int err = IMP_OK;
    g->mem = m;
    g->frame = frame;
    TRY(contour_reserve(g, rows->count));
    for (size_t i = 0; i < rows->count; i++)
        TRY(contour_add_contact(g, rows, i));
    TRY(contour_list_segments(g));
out:
    return err;
}

void contour_graph_free(contour_graph *g)
{
    mem *m = g->mem;
    mem_free(m, g->node);
    mem_free(m, g->segment);
    mem_free(m, g->by_name.at);
    mem_free(m, g->by_nodes.at);
    mem_free(m, g->first);
    mem_free(m, g->list);
    mem_free(m, g->use);
    mem_free(m, g->contour);
    *g = (contour_graph){0};
}
