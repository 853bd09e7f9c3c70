/* The grid by which two objects are clipped (object_cells.h), in every instruction set: whatever
 * overlaps has a cell in common, and look-ups say which ranges have a cell of a set. */
#include "expect.h"
#include "object_cells.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define VERTS 1000u
#define PRIMS 700u

static double random_number(rng *r, double size)
{
    return size * (2 * rng_unit(r) - 1);
}

static device *cells_device(mem *m, int isa)
{
    const device_def def = {.name = "cpu", .threads = 1, .mem = m, .isa = isa};
    device *d = NULL;
    CU_ASSERT_FATAL(!device_open(&def, &d));
    return d;
}

/* Intervals [x - by, x + by] and y that overlap have a common cell; the box is [lo, hi]. */
static void cells_overlap(const device *d, double size, double by, int single, uint32_t seed)
{
    rng r = {seed};
    double point[3 * VERTS], lo[3], hi[3];
    float narrow[3 * VERTS];
    static cell_code of[VERTS], least[VERTS], most[VERTS];
    imp_mesh mesh = {VERTS, 0};
    const imp_frame f = {&mesh, single ? (const void *)narrow : point,
                         single ? IMP_FLOAT32 : IMP_FLOAT64, 0};
    for (size_t i = 0; i < 3 * VERTS; i++) {
        point[i] = i % 7                      ? random_number(&r, size)
                   : random_number(&r, 4) < 0 ? size / 2
                                              : -size / 2;
        narrow[i] = (float)point[i];
        point[i] = single ? (double)narrow[i] : point[i];
    }
    for (int k = 0; k < 3; k++) {
        lo[k] = -size / (2 << k);
        hi[k] = k < 2 ? size / 2 : size / 1024 - size / 8;
    }
    const cell_axes a = cell_axes_make(lo, hi, 1 + (double)rng_below(&r, CELLS - 2));
    const cell_axes down = cell_axes_moved(&a, -by), up = cell_axes_moved(&a, by);
    cell_codes(d, &a, &f, 0, VERTS, of);
    cell_codes(d, &down, &f, 0, VERTS, least);
    cell_codes(d, &up, &f, 0, VERTS, most);
    for (uint32_t i = 0; i < VERTS; i++)
        for (uint32_t j = 0; j < VERTS; j += 3)
            for (uint32_t k = 0; k < 3; k++) {
                const double x = point[3 * i + k], y = point[3 * j + k];
                const uint32_t c = of[j] >> 8 * k & 0xff;
                const int near = fabs(x / 2 - y / 2) <= by / 2 * (1 - 0x1p-30);
                const int in = (least[i] >> 8 * k & 0xff) <= c && c <= (most[i] >> 8 * k & 0xff);
                EXPECT(!near || in, "%g and %g +- %g: cell %u", y, x, by, c);
                EXPECT(c <= CELL_LAST && (x < y || (of[i] >> 8 * k & 0xff) >= c),
                       "%g in %u, %g in %u", y, c, x, of[i] >> 8 * k & 0xff);
            }
}

static void test_overlap(void)
{
    static const double sizes[] = {1, 1e300, 1e-300, 1e-312, 8.9e307, 0};
    for (int isa = IMP_ISA_BASE; isa <= IMP_ISA_V4; isa++) {
        mem m = {0};
        if (!device_cpu_has(isa))
            continue;
        device *d = cells_device(&m, isa);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (uint32_t n = 0; n < 3; n++)
                cells_overlap(d, sizes[i], sizes[i] * (n ? 0x1p-16 : 0.1), n == 2 && i == 0, n + 1);
        device_close(d);
    }
}

/* Whether a range has a cell of the set, one by one. */
static int range_any(const cell_set *s, cell_code lo, cell_code hi)
{
    for (uint32_t z = lo >> 16 & 63; z <= (hi >> 16 & 63); z++)
        for (uint32_t y = lo >> 8 & 63; y <= (hi >> 8 & 63); y++)
            for (uint32_t x = lo & 63; x <= (hi & 63); x++)
                if (s->row[CELLS * z + y] >> x & 1)
                    return 1;
    return 0;
}

static cell_code random_code(rng *r, cell_code from, uint32_t most)
{
    cell_code c = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t at = (from >> 8 * k & 0xff) + rng_below(r, most);
        c |= (at < CELL_LAST ? at : CELL_LAST) << 8 * k;
    }
    return c | (rng_below(r, 3) ? 0 : CELL_EXTREME);
}

/* Primitives of two or three corners with random codes, whose ranges have up to `most` cells. */
static void cells_look(const device *d, uint32_t corners, uint32_t most, uint32_t seed)
{
    rng r = {seed};
    static cell_code code[3 * PRIMS], lo[PRIMS], hi[PRIMS];
    static uint32_t corner[3 * PRIMS];
    static uint8_t any[PRIMS];
    static cell_set set;
    static cell_lookup look;
    uint32_t found = 0;
    memset(&set, 0, sizeof set);
    for (uint32_t i = 0; i < corners * PRIMS; i++) {
        corner[i] = i;
        code[i] =
            i % corners ? random_code(&r, code[i - i % corners], most) : random_code(&r, 0, CELLS);
    }
    for (uint32_t i = 0; i < 4000; i++) {
        const cell_code at = random_code(&r, 0x010101, CELLS - 8);
        cell_set_add(&set, at, random_code(&r, at, 5), CELL_ROWS);
    }
    cell_lookup_make(&set, &look);
    const cell_prims p = {PRIMS, corners, corner, code, code};
    cell_ranges(d, &p, &look, lo, hi, any);
    for (uint32_t i = 0; i < PRIMS; i++) {
        const int want = range_any(&set, lo[i], hi[i]);
        for (uint32_t c = 0; c < corners; c++)
            for (int k = 0; k < 24; k += 8) {
                const uint32_t at = code[corners * i + c] >> k & 0xff;
                EXPECT((lo[i] >> k & 0xff) <= at && at <= (hi[i] >> k & 0xff), "%u: %x", i, at);
            }
        /* of more than 64 rows it is only known whether they reach into the box */
        EXPECT(most > 9 ? any[i] >= want : any[i] == want, "%x to %x: %d, not %d", lo[i], hi[i],
               any[i], want);
        found += any[i];
    }
    EXPECT(found > PRIMS / 20 && found < PRIMS, "%u found", found);
}

static void test_look(void)
{
    for (int isa = IMP_ISA_BASE; isa <= IMP_ISA_V4; isa++) {
        mem m = {0};
        if (!device_cpu_has(isa))
            continue;
        device *d = cells_device(&m, isa);
        for (uint32_t n = 0; n < 12; n++)
            cells_look(d, 2 + n % 2, n < 4 ? 2 : n < 8 ? 6 : 50, n + 1);
        device_close(d);
    }
}

/* A full set has all cells within the box, and none outside. */
static void test_full_set(void)
{
    static cell_set set;
    static cell_lookup look;
    memset(&set, 0, sizeof set);
    cell_set_add(&set, 0x010101, 0x090901, 80);
    CU_ASSERT(set.full);
    cell_lookup_make(&set, &look);
    mem m = {0};
    device *d = cells_device(&m, IMP_ISA_BASE);
    const cell_code code[] = {0x010101, 0x3e3e3e, 0x000505, 0x3f0505, 0x05053f};
    const uint32_t corner[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
    const cell_prims p = {5, 2, corner, code, code};
    cell_code lo[5], hi[5];
    uint8_t any[5];
    cell_ranges(d, &p, &look, lo, hi, any);
    CU_ASSERT(any[0] && any[1] && !any[2] && !any[3] && !any[4]);
    device_close(d);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"overlap", test_overlap}, {"look", test_look}, {"full", test_full_set}, {0}};
    return test_main(argc, argv, "object_cells", tests);
}
