/* Searches along the edges of two grids, whose vertices are a known number of edges apart: any
 * number of edges, from one vertex after the other and many times. */
#include "error.h"
#include "expect.h"
#include "ring.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 40 /* vertices along each side */
#define VERTS (SIDE * SIDE)
#define PRIMS (2 * (SIDE - 1) * (SIDE - 1))

/* Two grids of squares, each of two triangles; diagonals lead from (i, j) to (i + 1, j + 1). */
static void ring_grids(uint32_t *corner, imp_mesh *out)
{
    uint32_t *t = corner;
    for (uint32_t g = 0; g < 2; g++)
        for (uint32_t i = 0; i + 1 < SIDE; i++)
            for (uint32_t j = 0; j + 1 < SIDE; j++, t += 6) {
                const uint32_t p = VERTS * g + SIDE * i + j,
                               two[] = {p, p + 1, p + SIDE + 1, p, p + SIDE + 1, p + SIDE};
                memcpy(t, two, sizeof two);
            }
    *out = (imp_mesh){.vertices = 2 * VERTS, .primitives = 2 * PRIMS, .corner = corner};
}

/* The number of edges between two vertices; of different grids UINT64_MAX. */
static uint64_t ring_edges(uint32_t v, uint32_t w)
{
    if (v / VERTS != w / VERTS)
        return UINT64_MAX;
    const int i = (int)(v % VERTS / SIDE) - (int)(w % VERTS / SIDE),
              j = (int)(v % SIDE) - (int)(w % SIDE), x = abs(i), y = abs(j);
    return (uint64_t)(i * j < 0 ? x + y : x > y ? x : y);
}

/* One search from many vertices; its stamps begin again on the way. */
static void check_ring(const ring_mesh *of, mem *m, uint32_t ring)
{
    ring_search s = {.of = of, .mem = m, .ring = ring};
    rng r = {ring};
    for (int turn = 0; turn < 40; turn++) {
        const uint32_t v[2] = {rng_below(&r, 2 * VERTS), 0};
        uint32_t from[2] = {v[0], v[0] % SIDE ? v[0] - 1 : v[0] + 1};
        if (turn == 5)
            s.stamp = UINT32_MAX - 7;
        ring_search_begin(&s, from, 2);
        for (int k = 0; k < 400; k++) {
            const uint32_t w =
                k % 2 ? rng_below(&r, 2 * VERTS) : (from[0] + rng_below(&r, 9)) % (2 * VERTS);
            const uint64_t one = ring_edges(from[0], w), two = ring_edges(from[1], w);
            const int want = (one < two ? one : two) <= ring;
            EXPECT(ring_search_reaches(&s, &w, 1) == want, "ring %u: vertices %u and %u", ring,
                   from[0], w);
        }
    }
    CU_ASSERT(!s.err);
    ring_search_free(&s);
}

static void test_ring_edges(void)
{
    static uint32_t corner[6 * PRIMS];
    static const uint32_t ring[] = {0, 1, 2, 3, 10, 39, 40, 77, 78, VERTS, UINT32_MAX};
    imp_mesh mesh;
    mem m = {0};
    ring_mesh of = {0};
    ring_grids(corner, &mesh);
    CU_ASSERT_FATAL(!ring_mesh_make(&m, &mesh, &of));
    for (size_t k = 0; k < sizeof ring / sizeof *ring; k++)
        check_ring(&of, &m, ring[k]);
    ring_mesh_free(&m, &of);
    CU_ASSERT(atomic_load(&m.now) == 0);
}

/* Where memory ends the search says so, and nothing is lost. */
static void test_ring_memory(void)
{
    static uint32_t corner[6 * PRIMS];
    imp_mesh mesh;
    mem m = {0};
    ring_mesh of = {0};
    ring_grids(corner, &mesh);
    for (uint64_t limit = 1000; limit < 100000; limit += 10000) {
        m.limit = limit;
        CU_ASSERT(ring_mesh_make(&m, &mesh, &of) == IMP_ERR_MEMORY && atomic_load(&m.now) == 0);
    }
    m.limit = 0;
    CU_ASSERT_FATAL(!ring_mesh_make(&m, &mesh, &of));
    m.limit = atomic_load(&m.now) + 5000;
    ring_search s = {.of = &of, .mem = &m, .ring = 60};
    for (int turn = 0; turn < 2; turn++) {
        ring_search_begin(&s, (const uint32_t[]){0}, 1);
        CU_ASSERT(!ring_search_reaches(&s, (const uint32_t[]){VERTS - 1}, 1));
        CU_ASSERT(s.err == IMP_ERR_MEMORY);
    }
    ring_search_free(&s);
    ring_mesh_free(&m, &of);
    CU_ASSERT(atomic_load(&m.now) == 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"edges", test_ring_edges}, {"memory", test_ring_memory}, {0}};
    return test_main(argc, argv, "ring", tests);
}
