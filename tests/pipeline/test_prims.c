/* Primitives of one to four corners: vertices, edges, triangles, tetrahedra. Their bounds and
 * candidates against plain loops; vertices and edges against degenerate triangles; blocks of frames
 * of different kinds. */
#include "expect.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

#define PRIMS 300
#define VERTS 200
#define KINDS 4

/* A frame of one kind. */
typedef struct kind {
    imp_mesh mesh;
    uint32_t corner[KINDS * PRIMS];
    int32_t object[PRIMS];
    double point[3 * VERTS];
    imp_frame frame;
} kind;

static void kind_fill(kind *k, int corners)
{
    rng r = {(uint64_t)corners};
    for (int i = 0; i < 3 * VERTS; i++)
        k->point[i] = rng_unit(&r);
    for (int i = 0; i < PRIMS; i++) {
        uint32_t near = rng_below(&r, VERTS - 8);
        for (int c = 0; c < corners; c++)
            k->corner[corners * i + c] = near + rng_below(&r, 8);
        k->object[i] = (int32_t)rng_below(&r, 3);
    }
    k->mesh = (imp_mesh){VERTS, PRIMS, k->corner, k->object, corners};
    k->frame = (imp_frame){&k->mesh, k->point, IMP_FLOAT64, (uint64_t)corners};
}

static int primitives_shares_vertex(const kind *k, uint32_t a, uint32_t b)
{
    uint32_t n = (uint32_t)k->mesh.corners;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (k->corner[n * a + i] == k->corner[n * b + j])
                return 1;
    return 0;
}

static int primitives_overlap(const float *p, const float *q)
{
    for (int k = 0; k < 3; k++)
        if (p[k] > q[3 + k] || q[k] > p[3 + k])
            return 0;
    return 1;
}

/* ---- bounds: no vertex is outside, and no bound is looser than rounding makes it */

static int bounds_good(const kind *k, const read_bounds *r)
{
    uint32_t n = (uint32_t)k->mesh.corners;
    double unit = r->scale[0] * r->scale[1];
    for (uint32_t i = 0; i < PRIMS; i++)
        for (int d = 0; d < 3; d++) {
            double lo = 2, hi = -2;
            for (uint32_t c = 0; c < n; c++) {
                double x = k->point[3 * k->corner[n * i + c] + (uint32_t)d] * unit - r->centre[d];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            double below = lo - (double)r->box[6 * i + (uint32_t)d];
            double above = (double)r->box[6 * i + 3 + (uint32_t)d] - hi;
            if (below < 0 || above < 0 || below > 1e-6 || above > 1e-6)
                return 0;
        }
    return 1;
}

/* ---- candidates */

static void expect_pairs(const kind *k, const read_bounds *r, const imp_def *def,
                         contact_list *list, const pipe *q)
{
    size_t at = 0;
    for (uint32_t a = 0; a < PRIMS; a++)
        for (uint32_t b = a + 1; b < PRIMS; b++) {
            int same = k->object[a] == k->object[b];
            if ((def->adjacent == IMP_ADJACENT_SKIP && primitives_shares_vertex(k, a, b)) ||
                (def->pairs == IMP_PAIRS_BETWEEN && same) ||
                !primitives_overlap(r->box + 6 * a, r->box + 6 * b))
                continue;
            if (at >= list->count || list->row[at].a != a || list->row[at].b != b) {
                way_failed(q->way, q->method, "candidates", "not those of plain loops");
                return;
            }
            at++;
        }
    int none = k->mesh.corners == 1 && def->adjacent == IMP_ADJACENT_SKIP; /* all points differ */
    if (at != list->count || (!at && !none))
        way_failed(q->way, q->method, "candidates", "more than those of plain loops, or none");
}

static void primitives_candidates(const imp_def *def)
{
    static kind k;
    pipes s;
    pipes_open(&s, def, 1);
    for (int corners = 1; corners <= KINDS; corners++) {
        kind_fill(&k, corners);
        for (size_t i = 0; i < s.count; i++) {
            contact_list list = {0};
            read_bounds r;
            const pipe *q = &s.list[i];
            EXPECT(!imp_detect(q->p, &k.frame, 1, contact_list_sink, &list, NULL), "%s",
                   imp_error_text());
            EXPECT(!read_bounds_of(q->p, &k.frame, 1, &r), "%s", imp_error_text());
            if (def->pairs == IMP_PAIRS_ALL) /* else cull.c empties some */
                EXPECT(bounds_good(&k, &r), "%s: bounds of %d corners", q->way->name, corners);
            if (def->dop_k == 6 && def->pairs == IMP_PAIRS_ALL)
                expect_pairs(&k, &r, def, &list, q);
            read_bounds_free(&r);
            contact_list_free(&list);
        }
    }
    pipes_close(&s);
}

static void test_primitives_candidates(void)
{
    primitives_candidates(&(imp_def){.stage = IMP_STAGE_CANDIDATES, .dop_k = 6});
    primitives_candidates(&(imp_def){.stage = IMP_STAGE_CANDIDATES, .dop_k = 6, .adjacent = 1});
}

/* ---- every method, k and filter, and frames of all kinds in one block: the same as one by one */

static void primitives_blocks(const imp_def *def)
{
    static kind k[KINDS];
    imp_frame all[2 * KINDS];
    pipes s;
    contact_list want = {0};
    for (int i = 0; i < KINDS; i++) {
        kind_fill(&k[i], i + 1);
        all[i] = all[2 * KINDS - 1 - i] = k[i].frame;
    }
    pipes_open(&s, def, !TEST_SLOW);
    for (size_t i = 0; i < s.count; i++) {
        contact_list got = {0};
        const pipe *q = &s.list[i];
        for (size_t f = 0; f < 2 * KINDS && i == 0; f++) {
            size_t first = want.count;
            EXPECT(!imp_detect(q->p, &all[f], 1, contact_list_sink, &want, NULL), "alone");
            for (; first < want.count; first++)
                want.row[first].frame = f;
        }
        EXPECT(!imp_detect(q->p, all, 2 * KINDS, contact_list_sink, &got, NULL), "%s",
               imp_error_text());
        if (!want.count || !contact_list_equal(&want, &got))
            way_failed(q->way, q->method, "blocks", "not the same as one by one");
        contact_list_free(&got);
    }
    pipes_close(&s);
    contact_list_free(&want);
}

static void test_primitives_blocks(void)
{
    primitives_blocks(&(imp_def){.stage = IMP_STAGE_CANDIDATES});
    primitives_blocks(&(imp_def){.stage = IMP_STAGE_CANDIDATES, .dop_k = 26});
    primitives_blocks(
        &(imp_def){.stage = IMP_STAGE_CANDIDATES, .dop_k = 14, .pairs = IMP_PAIRS_BETWEEN});
    primitives_blocks(
        &(imp_def){.stage = IMP_STAGE_CANDIDATES, .adjacent = 1, .pairs = IMP_PAIRS_SELF});
}

/* ---- contacts of vertices and edges are those of triangles with the last corner repeated */

/* Short coordinates on a grid, so that vertices and edges, which have no other kinds in their
 * frame, are in contact. */
static void short_points(kind *k)
{
    rng r = {9};
    for (int i = 0; i < 3 * VERTS; i++)
        k->point[i] = rng_below(&r, 5);
}

static void primitives_contacts(const imp_def *def)
{
    static kind k, flat;
    pipes s;
    pipes_open(&s, def, 0);
    for (int corners = 1; corners <= 2; corners++) {
        kind_fill(&k, corners);
        short_points(&k);
        flat = k;
        for (int i = 0; i < PRIMS; i++)
            for (int c = 0; c < 3; c++)
                flat.corner[3 * i + c] = k.corner[corners * i + (c < corners ? c : corners - 1)];
        flat.mesh = (imp_mesh){VERTS, PRIMS, flat.corner, flat.object, 0};
        flat.frame = (imp_frame){&flat.mesh, flat.point, IMP_FLOAT64, 0};
        for (size_t i = 0; i < s.count; i++) {
            contact_list want = {0}, got = {0};
            const pipe *q = &s.list[i];
            EXPECT(!imp_detect(q->p, &k.frame, 1, contact_list_sink, &got, NULL), "%s",
                   imp_error_text());
            EXPECT(!imp_detect(q->p, &flat.frame, 1, contact_list_sink, &want, NULL), "%s",
                   imp_error_text());
            if (!got.count || !contact_list_equal(&want, &got))
                way_failed(q->way, q->method, "contacts", "not those of flat triangles");
            contact_list_free(&want);
            contact_list_free(&got);
        }
    }
    pipes_close(&s);
}

static void test_primitives_contacts(void)
{
    primitives_contacts(&(imp_def){.dop_k = 6});
    primitives_contacts(&(imp_def){.adjacent = 1});
}

/* ---- refused meshes */

static void test_primitives_refused(void)
{
    static kind k;
    uint8_t corner_count[PRIMS];
    imp *p;
    kind_fill(&k, 4);
    memset(corner_count, 4, sizeof corner_count);
    corner_count[7] = 2;
    k.mesh.corner_count = corner_count;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    EXPECT(imp_detect(p, &k.frame, 1, NULL, NULL, NULL) == IMP_ERR_ARGUMENT, "an edge");
    EXPECT(strstr(imp_error_text(), "frame 4: primitive 7 has 2 corners"), "%s", imp_error_text());
    corner_count[7] = 3;
    k.corner[4 * 7 + 3] = VERTS; /* not used */
    EXPECT(!imp_detect(p, &k.frame, 1, NULL, NULL, NULL), "%s", imp_error_text());
    k.corner[4 * 7 + 2] = VERTS;
    EXPECT(imp_detect(p, &k.frame, 1, NULL, NULL, NULL) == IMP_ERR_ARGUMENT, "a vertex too many");
    EXPECT(strstr(imp_error_text(), "corner 2 of triangle 7 is vertex 200"), "%s",
           imp_error_text());
    k.corner[4 * 7 + 2] = k.corner[4 * 7 + 3] = 0;
    k.mesh.corners = 3;
    EXPECT(imp_detect(p, &k.frame, 1, NULL, NULL, NULL) == IMP_ERR_ARGUMENT, "kinds of triangles");
    k.mesh.corner_count = NULL;
    for (int corners = -1; corners <= 5; corners += 6) {
        k.mesh.corners = corners;
        EXPECT(imp_detect(p, &k.frame, 1, NULL, NULL, NULL) == IMP_ERR_ARGUMENT, "%d", corners);
    }
    k.mesh.corners = 2;
    k.corner[2 * PRIMS - 1] = VERTS;
    EXPECT(imp_detect(p, &k.frame, 1, NULL, NULL, NULL) == IMP_ERR_ARGUMENT, "a vertex too many");
    EXPECT(strstr(imp_error_text(), "corner 1 of edge 299 is vertex 200"), "%s", imp_error_text());
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"candidates", test_primitives_candidates},
                                 {"blocks", test_primitives_blocks},
                                 {"contacts", test_primitives_contacts},
                                 {"refused", test_primitives_refused},
                                 {0}};
    return test_main(argc, argv, "prims", tests);
}
