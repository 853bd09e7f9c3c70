/* Which objects are closed: large ones, of which threads check pieces, and triangles whose edges
 * are counted. */
#include "closed.h"
#include "expect.h"
#include "testlib.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static mem test_mem;

enum { RING = 128, RING_VERTICES = RING * RING, RING_TRIANGLES = 2 * RING * RING };

/* A torus as object 0 and the same as object 1, without triangle `gap` of the latter. The number of
 * each vertex is order[...]. */
typedef struct rings {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t gap[3];
    uint32_t corner[6 * RING_TRIANGLES];
    int32_t object[2 * RING_TRIANGLES];
    uint32_t order[2 * RING_VERTICES];
    double point[6 * RING_VERTICES];
} rings;

static void rings_make(rings *r, uint32_t gap)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < 2 * RING_TRIANGLES; t++) {
        const uint32_t object = t / RING_TRIANGLES, cell = t % RING_TRIANGLES / 2;
        const uint32_t i = cell / RING, j = cell % RING, up = (i + 1) % RING, on = (j + 1) % RING;
        const uint32_t at[2][3] = {{i * RING + j, up * RING + j, up * RING + on},
                                   {i * RING + j, up * RING + on, i * RING + on}};
        uint32_t *to = t == RING_TRIANGLES + gap ? r->gap : r->corner + (size_t)3 * n;
        for (int k = 0; k < 3; k++)
            to[k] = r->order[object * RING_VERTICES + at[t % 2][k]];
        r->object[n] = (int32_t)object;
        n += to != r->gap;
    }
    for (size_t i = 0; i < 2 * RING_VERTICES; i++)
        for (int k = 0; k < 3; k++)
            r->point[3 * (size_t)r->order[i] + (size_t)k] =
                k == 2 ? (double)(i % RING % 2)
                       : (double)(i % RING_VERTICES * (size_t)(k + 1) % 1000);
    r->mesh = (imp_mesh){.vertices = 2 * RING_VERTICES,
                         .primitives = n,
                         .corners = 3,
                         .corner = r->corner,
                         .object = r->object};
    r->frame = (imp_frame){.mesh = &r->mesh, .point = r->point};
}

/* Vertices in order, those of both objects in turn, and in any order. */
static void rings_order(rings *r, int how, rng *g)
{
    for (uint32_t i = 0; i < 2 * RING_VERTICES; i++)
        r->order[i] = how == 1 ? i % RING_VERTICES * 2 + i / RING_VERTICES : i;
    for (uint32_t i = 2 * RING_VERTICES - 1; i > 0 && how == 2; i--) {
        const uint32_t k = rng_below(g, i + 1), t = r->order[i];
        r->order[i] = r->order[k];
        r->order[k] = t;
    }
}

/* Large objects are checked in pieces. */
static void test_closed_gap(void)
{
    rng g = {51};
    rings *r = calloc(1, sizeof *r);
    CU_ASSERT_FATAL(r != NULL);
    for (int how = 0; how < 3; how++) {
        rings_order(r, how, &g);
        rings_make(r, rng_below(&g, RING_TRIANGLES));
        uint64_t first = UINT64_MAX;
        for (int k = 0; k < 3; k++) {
            const uint64_t v = r->gap[k], w = r->gap[(k + 1) % 3];
            const uint64_t edge = v < w ? v << 32 | w : w << 32 | v;
            first = edge < first ? edge : first;
        }
        for (int threads = 1; threads < 5; threads++) {
            closed_mesh c = {0};
            uint32_t edge[2];
            CU_ASSERT(!closed_mesh_find(&test_mem, &r->frame, &(closed_wanted){0}, threads, &c));
            EXPECT(c.count == 2 && c.of[0].closed && !c.of[1].closed,
                   "order %d, %d threads: closed %d %d", how, threads, c.of[0].closed,
                   c.of[1].closed);
            CU_ASSERT(!closed_mesh_open_edge(&test_mem, &c, 1, edge));
            EXPECT(edge[0] == first >> 32 && edge[1] == (uint32_t)first,
                   "order %d: the first open edge is %u %u, not %u %u", how, edge[0], edge[1],
                   (uint32_t)(first >> 32), (uint32_t)first);
            for (uint32_t i = 0; i < r->mesh.primitives; i++)
                if (c.surface[i] != !r->object[i] || c.place[i] != (uint32_t)r->object[i])
                    EXPECT(0, "primitive %u: surface %d place %u", i, c.surface[i], c.place[i]);
            closed_mesh_free(&test_mem, &c);
        }
    }
    free(r);
}

enum { SOUP_VERTICES = 400, SOUP_TRIANGLES = 40000 };

typedef struct soup {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[3 * SOUP_TRIANGLES];
    double point[3 * SOUP_VERTICES];
    int uses[SOUP_VERTICES][SOUP_VERTICES]; /* of each directed edge */
} soup;

/* Faces of tetrahedra, some without volume, in any order: their edges cancel, in many ways. */
static void soup_of_tets(rng *g, soup *s)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const uint32_t verts = 4 + rng_below(g, SOUP_VERTICES - 3);
    const uint32_t n = 4 * (1 + rng_below(g, rng_below(g, 2) ? 8 : SOUP_TRIANGLES / 4));
    uint32_t v[4];
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 4 && i % 4 == 0; k++)
            v[k] = rng_below(g, verts);
        const uint32_t at = rng_below(g, i + 1); /* takes the place of another, which is the last */
        memcpy(s->corner + (size_t)3 * i, s->corner + (size_t)3 * at, 3 * sizeof *s->corner);
        for (int k = 0; k < 3; k++)
            s->corner[3 * at + (uint32_t)k] = v[face[i % 4][k]];
    }
    s->mesh = (imp_mesh){.vertices = verts, .primitives = n, .corners = 3, .corner = s->corner};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point};
}

/* Finds the first edge whose uses do not cancel; UINT64_MAX: there is none. */
static uint64_t soup_open(soup *s, int *has_face)
{
    uint64_t open = UINT64_MAX;
    memset(s->uses, 0, sizeof s->uses);
    *has_face = 0;
    for (uint32_t i = 0; i < s->mesh.primitives; i++) {
        const uint32_t *v = s->corner + (size_t)3 * i;
        *has_face |= v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
        for (int k = 0; k < 3; k++)
            s->uses[v[k]][v[(k + 1) % 3]]++;
    }
    for (uint64_t v = 0; v < s->mesh.vertices; v++)
        for (uint64_t w = v + 1; w < s->mesh.vertices && open == UINT64_MAX; w++)
            open = s->uses[v][w] != s->uses[w][v] ? v << 32 | w : open;
    return open;
}

/* Which edges cancel is a matter of counting. */
static void test_closed_soup(void)
{
    rng g = {5151};
    soup *s = calloc(1, sizeof *s);
    CU_ASSERT_FATAL(s != NULL);
    for (int round = 0, has_face; round < 300; round++) {
        soup_of_tets(&g, s);
        uint32_t *v = s->corner + (size_t)3 * rng_below(&g, s->mesh.primitives);
        if (round % 3 == 1) /* another direction */
            memcpy(v, (uint32_t[3]){v[0], v[2], v[1]}, 3 * sizeof *v);
        s->mesh.primitives -= round % 3 == 2;
        const uint64_t open = soup_open(s, &has_face);
        closed_mesh c = {0};
        uint32_t edge[2];
        CU_ASSERT(!closed_mesh_find(&test_mem, &s->frame, &(closed_wanted){0}, 1 + round % 4, &c));
        EXPECT(c.of[0].closed == (has_face && open == UINT64_MAX), "round %d: closed %d", round,
               c.of[0].closed);
        CU_ASSERT(!closed_mesh_open_edge(&test_mem, &c, 0, edge));
        EXPECT(open == UINT64_MAX ? edge[0] == edge[1]
                                  : edge[0] == open >> 32 && edge[1] == (uint32_t)open,
               "round %d: the first open edge is %u %u, not %u %u", round, edge[0], edge[1],
               (uint32_t)(open >> 32), (uint32_t)open);
        closed_mesh_free(&test_mem, &c);
    }
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"gap", test_closed_gap}, {"soup", test_closed_soup}, {0}};
    return test_main(argc, argv, "closed", tests);
}
