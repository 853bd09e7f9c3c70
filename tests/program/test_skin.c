/* convert --skin: closed forms, degenerate cells, parts in several blocks, cells that go from frame
 * to frame, and messages. python/tests/test_skin.py compares with VTK, in all formats. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLE = 5, QUAD = 9, TETRAHEDRON = 10, VOXEL = 11, HEXAHEDRON = 12, WEDGE = 13 };

/* Appends a cell to the last part, which make_part_of has begun without cells. */
static void add_cell(make *m, int type, int n, const int64_t *ids)
{
    m->part_cells.value[m->part_cells.count - 1]++;
    m->part_ids.value[m->part_ids.count - 1] += n;
    make_add(&m->types, type);
    make_add(&m->offsets, m->part_ids.value[m->part_ids.count - 1]);
    for (int i = 0; i < n; i++)
        make_add(&m->ids, ids[i]);
}

/* A step of n x n x n hexahedra or voxels, without the first `gone`. `numbers`: SourceId. */
static void add_block(make *m, double time, int n, int type, int gone, make_cells *numbers)
{
    const int64_t side = n + 1;
    m->unstructured = 1;
    make_part_of(m, side * side * side, 0, NULL, NULL);
    make_step_next(m, time, 1);
    for (int64_t v = 0; v < side * side * side; v++) {
        const int64_t row = v / side, layer = row / side;
        const double x[] = {(double)(v % side) + time, (double)(row % side), (double)layer};
        make_points(m, 1, x);
    }
    for (int64_t c = gone; c < (int64_t)n * n * n; c++) {
        const int64_t a = c % n + c / n % n * side + c / n / n * side * side, y = side;
        const int64_t z = side * side;
        const int64_t hexahedron[] = {a,     a + 1,     a + 1 + y,     a + y,
                                      a + z, a + 1 + z, a + 1 + y + z, a + y + z};
        const int64_t voxel[] = {a,     a + 1,     a + y,     a + 1 + y,
                                 a + z, a + 1 + z, a + y + z, a + 1 + y + z};
        add_cell(m, type, 8, type == VOXEL ? voxel : hexahedron);
        if (numbers)
            make_add(&numbers->value, 100 + c);
    }
}

/* Corners of frame 0's triangles; their number in *n. */
static int64_t *corners(size_t *n)
{
    return h5_ints(BATCH, "VTKHDF/Polygons/Connectivity", n);
}

/* Six times the volume, and whether each edge is there once in each direction. */
static double six_volumes(int *closed)
{
    size_t n, points, open = 0;
    int64_t *c = corners(&n);
    double *x = h5_reals(BATCH, "VTKHDF/Points", &points), sum = 0;
    for (size_t t = 0; t < n; t += 3) {
        const double *a = x + 3 * c[t], *b = x + 3 * c[t + 1], *d = x + 3 * c[t + 2];
        sum += a[0] * (b[1] * d[2] - b[2] * d[1]) + a[1] * (b[2] * d[0] - b[0] * d[2]) +
               a[2] * (b[0] * d[1] - b[1] * d[0]);
    }
    for (size_t e = 0; e < n; e++)
        for (size_t f = 0; f < n; f++) {
            const size_t e1 = e - e % 3 + (e + 1) % 3, f1 = f - f % 3 + (f + 1) % 3;
            open += (c[e] == c[f1] && c[e1] == c[f]);
        }
    *closed = open == n;
    free(c);
    free(x);
    return sum;
}

static void check_skin(int triangles, double want)
{
    size_t n;
    int closed;
    free(corners(&n));
    EXPECT(n == (size_t)3 * (size_t)triangles, "%zu triangles, not %d", n / 3, triangles);
    const double volume = six_volumes(&closed);
    EXPECT(volume == want && closed, "volume %g, closed %d", volume / 6, closed);
}

static void test_skin_block(void)
{
    /* the last two: Lagrange and Bezier hexahedra of eight points */
    static const int types[] = {VOXEL, HEXAHEDRON, 72, 79};
    for (int i = 0; i < 16; i++) {
        const int n = 1 + i % 4, type = types[i / 4];
        make m = {.no_steps = n == 2};
        add_block(&m, 0, n, type, 0, NULL);
        if (CONVERTS(NULL, "--skin", make_write(&m, "block.vtkhdf")))
            check_skin(12 * n * n, 6.0 * n * n * n);
        check_refused(at("block.vtkhdf"), type == VOXEL ? "voxel" : "hexahedron", "--skin");
        make_free(&m);
    }
}

/* A wedge and a tetrahedron as solvers write them; one without any volume has no face. */
static void test_degenerate(void)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1};
    static const struct {
        int64_t id[8];
        int triangles, six;
    } cases[] = {{{0, 1, 2, 3, 4, 4, 5, 5}, 8, 3},
                 {{0, 1, 3, 3, 4, 4, 4, 4}, 4, 1},
                 {{0, 1, 2, 3, 4, 4, 4, 4}, 6, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make m = {.unstructured = 1};
        make_part_of(&m, 6, 0, NULL, NULL);
        make_step_next(&m, 0, 1);
        make_points(&m, 6, points);
        add_cell(&m, HEXAHEDRON, 8, cases[i].id);
        add_cell(&m, HEXAHEDRON, 8, (const int64_t[]){0, 0, 1, 1, 0, 0, 1, 1});
        if (CONVERTS(NULL, "--skin", make_write(&m, "solid.vtkhdf")))
            check_skin(cases[i].triangles, cases[i].six);
        make_free(&m);
    }
}

/* The only tetrahedron of a file becomes its skin, beside shells, which stay. */
static void test_beside_shells(void)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    size_t n;
    make m = {.unstructured = 1};
    make_part_of(&m, 4, 0, NULL, NULL);
    make_step_next(&m, 0, 1);
    make_points(&m, 4, points);
    add_cell(&m, TRIANGLE, 3, (const int64_t[]){0, 1, 2});
    add_cell(&m, TETRAHEDRON, 4, (const int64_t[]){0, 1, 2, 3});
    if (CONVERTS(NULL, "--skin", make_write(&m, "both.vtkhdf"))) {
        int64_t *c = corners(&n), *of = h5_ints(BATCH, "VTKHDF/CellData/SourceId", &n);
        EXPECT(n == 5 && c[0] == 0 && c[1] == 1 && c[2] == 2 && of[0] == 0 && of[1] == 1,
               "%zu triangles", n);
        free(c);
        free(of);
    }
    make_free(&m);
}

/* Solids go: ids are made, each 16 times its cell's number and the place of its triangle. Without a
 * change there are none. */
static void test_ids(void)
{
    for (int gone = 0; gone <= 1; gone++) {
        size_t n = 0, frames;
        make m = {0};
        m.cells[0].name = "SourceId";
        add_block(&m, 0, 2, HEXAHEDRON, 0, &m.cells[0]);
        add_block(&m, 1, 2, HEXAHEDRON, gone, &m.cells[0]);
        if (CONVERTS(NULL, "--skin", make_write(&m, "gone.vtkhdf"))) {
            hid_t file = H5Fopen(BATCH, H5F_ACC_RDONLY, H5P_DEFAULT);
            const int there = H5Lexists(file, "VTKHDF/CellData/PrimitiveId", H5P_DEFAULT) > 0;
            H5Fclose(file);
            CU_ASSERT(there == gone);
            int64_t *first = h5_ints(BATCH, "VTKHDF/Steps/PartOffsets", &frames);
            CU_ASSERT(frames == 2 && first[1] == gone);
            free(first);
        }
        if (gone) {
            int64_t *id = h5_ints(BATCH, "VTKHDF/CellData/PrimitiveId", &n);
            int64_t *of = h5_ints(BATCH, "VTKHDF/CellData/SourceId", &n);
            CU_ASSERT(n == 96); /* a corner is as large without the cube in it */
            for (size_t i = 0; i < n; i++)
                CU_ASSERT(id[i] / 16 == of[i] && id[i] % 16 < 12);
            /* the last cell keeps its three quads, and so their ids */
            CU_ASSERT(!memcmp(id + 42, id + 90, 6 * sizeof *id));
            free(id);
            free(of);
        }
        make_free(&m);
    }
}

/* A wedge has two orders of points. */
static void test_skin_wedge(void)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const int64_t order[][6] = {{0, 1, 2, 3, 4, 5}, {0, 2, 1, 3, 5, 4}};
    for (int i = 0; i < 2; i++) {
        char *told = NULL;
        make m = {.unstructured = 1};
        make_part_of(&m, 6, 0, NULL, NULL);
        make_step_next(&m, 0, 1);
        make_points(&m, 6, points);
        add_cell(&m, WEDGE, 6, order[i]);
        if (CONVERTS(&told, "--skin", make_write(&m, "wedge.vtkhdf")))
            check_skin(8, 3);
        EXPECT((strstr(told, "which is turned") != NULL) == i, "%s", told);
        free(told);
        make_free(&m);
    }
}

/* A face between two objects is a face of both; a ghost is no neighbour. */
static void test_objects(void)
{
    char *told = NULL;
    size_t n;
    make m = {0};
    m.cells[0].name = "ObjectId";
    add_block(&m, 0, 2, HEXAHEDRON, 0, NULL);
    for (int i = 0; i < 8; i++)
        make_add(&m.cells[0].value, i % 2);
    if (CONVERTS(NULL, "--skin", make_write(&m, "objects.vtkhdf"))) {
        free(corners(&n));
        EXPECT(n == (size_t)3 * 64, "%zu triangles", n / 3);
    }
    m.cells[0].name = "vtkGhostType";
    for (int i = 0; i < 8; i++)
        m.cells[0].value.value[i] = i == 0;
    if (CONVERTS(&told, "--skin", make_write(&m, "ghost.vtkhdf"))) {
        free(corners(&n));
        EXPECT(n == (size_t)3 * 48, "%zu triangles", n / 3);
    }
    free(told);
    make_free(&m);
}

/* The same by another array; without it, a warning names the arrays that have several values, and
 * none where each cell has its own. */
static void test_skin_array(void)
{
    char *told = NULL;
    size_t n;
    make m = {0};
    m.cells[0].name = "PartId";
    m.cells[1].name = "Row";
    add_block(&m, 0, 2, HEXAHEDRON, 0, NULL);
    for (int i = 0; i < 8; i++) {
        make_add(&m.cells[0].value, 7 + i % 2);
        make_add(&m.cells[1].value, i);
    }
    const char *path = make_write(&m, "array.vtkhdf");
    if (CONVERTS(&told, "--skin", path))
        check_skin(48, 48);
    EXPECT(strstr(told, "1 cell array could tell apart: PartId; --objects array:PartId") != NULL,
           "%s", told);
    free(told);
    told = NULL;
    if (CONVERTS(&told, "--skin", "--objects", "array:PartId", path)) {
        free(corners(&n));
        EXPECT(n == (size_t)3 * 64 && !strstr(told, "warning"), "%zu triangles; %s", n / 3, told);
        int64_t *of = h5_ints(BATCH, "VTKHDF/CellData/ObjectId", &n);
        for (size_t i = 0; i < n; i++)
            EXPECT(of[i] == 7 || of[i] == 8, "object %d", (int)of[i]);
        free(of);
    }
    free(told);
    make_free(&m);
}

/* Two parts that share points by their numbers. */
static void test_skin_parts(void)
{
    static const int64_t cell[] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const int64_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 3, 9, 5, 10, 7, 11};
    make m = {.unstructured = 1};
    for (int part = 0; part < 2; part++) {
        make_part_of(&m, 8, 0, NULL, NULL);
        add_cell(&m, HEXAHEDRON, 8, cell);
    }
    make_step_next(&m, 0, 2);
    for (int v = 0; v < 16; v++) {
        const int part = v >> 3;
        make_points(&m, 1, (const double[]){(v & 1) + part, v >> 1 & 1, v >> 2 & 1});
    }
    const char *path = make_write(&m, "parts.vtkhdf");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "VTKHDF/PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    h5_replace_ints(path, "VTKHDF/PointData/GlobalPointIds", 16, numbers);
    char *told = NULL;
    if (CONVERTS(&told, "--skin", path))
        check_skin(20, 12);
    free(told);
    make_free(&m);
}

static void test_skin_warnings(void)
{
    char *told = NULL;
    make m = {0};
    add_block(&m, 0, 1, VOXEL, 0, NULL);
    add_cell(&m, VOXEL, 8, (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    add_cell(&m, TRIANGLE, 3, (const int64_t[]){0, 1, 2});
    if (CONVERTS(&told, "--skin", make_write(&m, "twice.vtkhdf")))
        EXPECT(strstr(told, "cell 0: warning: a face that two solids have in the same direction"),
               "%s", told);
    free(told);
    told = NULL;
    add_cell(&m, VOXEL, 8, (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    if (CONVERTS(&told, "--skin", make_write(&m, "thrice.vtkhdf")))
        EXPECT(strstr(told, "cell 0: warning: a face of three solids or more"), "%s", told);
    size_t n;
    free(corners(&n));
    CU_ASSERT(n == (size_t)3 * 13);
    free(told);
    make_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"blocks", test_skin_block},      {"degenerate", test_degenerate},
                                 {"shells", test_beside_shells},   {"ids", test_ids},
                                 {"wedge", test_skin_wedge},       {"objects", test_objects},
                                 {"array", test_skin_array},       {"parts", test_skin_parts},
                                 {"warnings", test_skin_warnings}, {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "skin", tests);
}
