/* Cells that are left out (vtkGhostType), and the source file's ids of the others (SourceId), in
 * every layout of a batch: the rows of a result are those of the same file without the array of
 * ghosts, minus the rows that have a ghost, with the same cell numbers. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "layouts.h"
#include "run_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FULL at("full.vtkhdf")
#define IN at("ghosts.vtkhdf")
#define OUT at("out.vtkhdf")

/* ---- files */

static int ghosts_test_is_ghost(const make *m, size_t frame, size_t cell)
{
    return (make_cell_value(m, &m->cells[3], frame, cell) & 33) != 0;
}

static void add_array(make *m, int array, const char *name, hid_t type)
{
    m->cells[array].name = name;
    m->cells[array].type = type;
}

/* Writes the file with and without the array of ghosts. A ghost has the PrimitiveId of another
 * cell, as the copy of a cell of another part does. Bits other than 1 and 32 do not make a ghost.
 */
static void write_both(make *m, rng *r)
{
    static const int64_t types[] = {0, 0, 0, 2, 8, 16, 1, 33, 32, 3};
    add_array(m, 0, "ObjectId", H5T_STD_I32LE);
    add_array(m, 1, "SourceId", 0);
    for (size_t i = 0; i < m->types.count; i++) {
        make_add(&m->cells[0].value, (int64_t)(i % 3));
        make_add(&m->cells[1].value, source_id((int64_t)i));
    }
    make_write(m, "full.vtkhdf");
    add_array(m, 2, "PrimitiveId", 0);
    add_array(m, 3, "vtkGhostType", H5T_STD_U8LE);
    for (size_t i = 0; i < m->types.count; i++) {
        const int64_t type = types[rng_below(r, 10)];
        make_add(&m->cells[3].value, type);
        make_add(&m->cells[2].value, type & 33 ? 1000 : 1000 + (int64_t)i);
    }
    make_write(m, "ghosts.vtkhdf");
}

/* Counts ghosts, and all cells, of the frames of a slice. */
static void ghosts_test_count_cells(const make *m, size_t first, size_t end, uint64_t *ghosts,
                                    uint64_t *cells)
{
    *ghosts = *cells = 0;
    for (size_t f = first; f < end; f++) {
        make_frame one;
        make_expect(m, f, &one);
        for (size_t i = 0; i < one.primitives; i++)
            *ghosts += (uint64_t)ghosts_test_is_ghost(m, f, i);
        *cells += one.primitives;
        make_frame_free(&one);
    }
}

/* ---- rows */

static int same_row(const rows *x, size_t i, const rows *y, size_t j)
{
    return x->frame[i] == y->frame[j] && x->a[i] == y->a[j] && x->b[i] == y->b[j] &&
           x->oa[i] == y->oa[j] && x->ob[i] == y->ob[j] && x->kind[i] == y->kind[j] &&
           x->sa[i] == y->sa[j] && x->sb[i] == y->sb[j] &&
           !memcmp(x->point + 6 * i, y->point + 6 * j, 6 * sizeof *x->point) &&
           (!x->toi || x->toi[i] == y->toi[j]);
}

/* `have` must be the rows of all cells, minus those with a ghost. */
static void check_ghosts_rows(const char *about, const make *m, const rows *all, const rows *have)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) {
        const size_t f = (size_t)all->input_frame[all->frame[i]];
        const size_t a = (size_t)all->a[i], b = (size_t)all->b[i];
        EXPECT(all->sa[i] == make_cell_value(m, &m->cells[1], f, a) &&
                   all->sb[i] == make_cell_value(m, &m->cells[1], f, b),
               "%s: source ids of row %zu", about, i);
        if (ghosts_test_is_ghost(m, f, a) || ghosts_test_is_ghost(m, f, b))
            continue;
        EXPECT(n < have->count && same_row(all, i, have, n), "%s: row %zu is not %zu %zu", about, n,
               a, b);
        n++;
    }
    EXPECT(n == have->count, "%s: %zu rows, not %zu", about, have->count, n);
}

static void run_to(const char *in, const char *out, const char *const *option)
{
    ran r =
        RAN("run", in, "-o", out, "--force", "-q", CPU, option[0], option[1], option[2], option[3]);
    EXPECT(ran_warned(&r), "^ run %s", in);
    ran_free(&r);
    const char *what = h5_sound(out);
    EXPECT(!what, "%s: %s", out, what);
}

static void check_ghosts_options(const char *about, const make *m, const char *const *option)
{
    char text[200];
    snprintf(text, sizeof text, "%s %s %s %s", about, option[0] ? option[0] : "",
             option[1] ? option[1] : "", option[2] ? option[2] : "");
    run_to(FULL, at("all.vtkhdf"), option);
    run_to(IN, OUT, option);
    rows all = read_rows(at("all.vtkhdf")), have = read_rows(OUT);
    check_ghosts_rows(text, m, &all, &have);
    ran r = RAN("check", OUT, "--input", IN, "-q");
    EXPECT(ran_warned(&r), "^ check %s", text);
    ran_free(&r);
    free_rows(&all);
    free_rows(&have);
}

/* ---- other verbs */

static void check_ghosts_json(const char *about, ran *r, uint64_t ghosts, uint64_t cells)
{
    EXPECT(!r->code && json_number(r->out, "ghosts") == (double)ghosts, "%s: ghosts: %s%s", about,
           r->err, r->out);
    if (json_at(r->out, "kind"))
        cells = (uint64_t)json_number(r->out, "triangles_all_frames") +
                (uint64_t)json_number(r->out, "tetrahedra_all_frames") + ghosts;
    else
        EXPECT(json_number(r->out, "primitives") == (double)(cells - ghosts), "%s: %s", about,
               r->out);
    ran_free(r);
}

/* Numbers of cells, and the table of --counts. */
static void check_numbers(const char *about, uint64_t ghosts, uint64_t cells)
{
    size_t n = 0;
    int64_t sum = 0;
    ran r = RAN("run", IN, "-o", OUT, "--force", CPU, "--json", "--counts", at("counts.vtkhdf"));
    const char *warned = strstr(r.err, "(vtkGhostType) left out");
    EXPECT(!ghosts == !warned, "%s: %s", about, r.err);
    check_ghosts_json(about, &r, ghosts, cells);
    r = RAN("info", IN, "--json", "--frames", ":");
    check_ghosts_json(about, &r, ghosts, cells);
    if (cells > ghosts) {
        r = RAN("bench", IN, "--reps", "1", "--json", CPU);
        check_ghosts_json(about, &r, ghosts, cells);
    }
    rows have = read_rows(OUT);
    int64_t *count = h5_ints(at("counts.vtkhdf"), "VTKHDF/CellData/Contacts", &n);
    for (size_t i = 0; i < n; i++)
        sum += count[i];
    EXPECT(n == cells && sum == 2 * (int64_t)have.count, "%s: %zu counts, sum %" PRId64, about, n,
           sum);
    free(count);
    free_rows(&have);
}

/* Without ghosts the cells have other numbers; their source ids stay. */
static void check_convert(const char *about, uint64_t ghosts)
{
    ran r = RAN("convert", IN, "-o", at("batch.vtkhdf"), "--force");
    if (strstr(r.err, "in any frame") || strstr(r.err, "no triangle, polygon")) {
        ran_free(&r);
        return;
    }
    const char *told = strstr(r.err, "a ghost cell (vtkGhostType), which is left out");
    EXPECT(!r.code && !ghosts == !told, "%s: convert: %s", about, r.err);
    ran_free(&r);
    run_to(at("batch.vtkhdf"), at("again.vtkhdf"), (const char *const[4]){NULL});
    rows have = read_rows(OUT), again = read_rows(at("again.vtkhdf"));
    EXPECT(have.count == again.count, "%s: %zu rows, not %zu", about, again.count, have.count);
    for (size_t i = 0; i < have.count && have.count == again.count; i++)
        EXPECT(have.sa[i] == again.sa[i] && have.sb[i] == again.sb[i] && have.oa[i] == again.oa[i],
               "%s: row %zu", about, i);
    free_rows(&have);
    free_rows(&again);
}

static void check_shards(const char *about)
{
    static const char *const shard[] = {"0/3", "1/3", "2/3"};
    const char *name[] = {at("s0.vtkhdf"), at("s1.vtkhdf"), at("s2.vtkhdf")};
    for (int i = 0; i < 3; i++)
        run_to(IN, name[i], (const char *const[4]){"--shard", shard[i]});
    for (int copy = 0; copy < 2; copy++) {
        ran r = RAN("merge", at("join.vtkhdf"), name[0], name[1], name[2], "--force", "-q",
                    copy ? "--copy" : "--virtual");
        EXPECT(ran_well(&r), "^ merge %s", about);
        ran_free(&r);
        const char *what = copy ? h5_same(OUT, at("join.vtkhdf"), "VTKHDF")
                                : h5_same_virtual(OUT, at("join.vtkhdf"));
        EXPECT(!what, "%s: joined: %s", about, what);
    }
}

/* ---- every layout */

static const char *const still[][4] = {{NULL},
                                       {"--adjacent", "test"},
                                       {"--pairs", "self", "--broad", "tree"},
                                       {"--space", "3"},
                                       {"--adjacent", "test", "--space", "2"},
                                       {"--broad", "brute", "--block", "1"}};
static const char *const steps[][4] = {
    {"--continuous"}, {"--continuous", "--space", "2"}, {"--continuous", "--baseline", "1"}};

/* In everyday runs a layout has a third of the options, in slow builds a sixth; every third one has
 * shards, too. */
static void check_ghosts_layout(const layout *l, rng *r)
{
    const size_t number = (size_t)(l - layouts);
    const int soak = test_count(1) > 1;
    const size_t part = soak ? 1 : TEST_SLOW ? 6 : 3;
    uint64_t ghosts, cells;
    make m = {.unstructured = l->solids};
    l->build(&m, r);
    if (m.types.count)
        write_both(&m, r);
    for (size_t i = 0; m.types.count && i < sizeof still / sizeof *still; i++)
        if ((i + number) % part == 0)
            check_ghosts_options(l->name, &m, still[i]);
    for (size_t i = 0; l->is_static && make_frames(&m) > 1 && i < 3; i++)
        if ((i + number) % part == 0)
            check_ghosts_options(l->name, &m, steps[i]);
    /* "much alike": only the types tell the offsets of its cells, whose sizes vary */
    if (m.types.count && make_frames(&m) && strcmp(l->name, "much alike")) {
        ghosts_test_count_cells(&m, 0, make_frames(&m), &ghosts, &cells);
        check_numbers(l->name, ghosts, cells);
        check_convert(l->name, ghosts);
        if (soak || number % (TEST_SLOW ? 6 : 3) == 0)
            check_shards(l->name);
    }
    make_free(&m);
}

static void test_ghosts_layouts(void)
{
    rng r = {11};
    for (const layout *l = layouts; l->name; l++)
        check_ghosts_layout(l, &r);
}

/* ---- check finds wrong rows */

static void check_finds(const char *name, size_t row, double value, const char *word)
{
    copy_file(OUT, at("changed.vtkhdf"));
    h5_poke(at("changed.vtkhdf"), name, row, value);
    ran r = RAN("check", at("changed.vtkhdf"), "--input", IN, "-q");
    EXPECT(r.code == 1 && strstr(r.err, word), "%s: %d, %s", name, r.code, r.err);
    ran_free(&r);
}

static void test_ghosts_check(void)
{
    rng r = {5};
    make m = {0};
    size_t ghost = 0, meets = 0;
    layout_static(&m, &r);
    write_both(&m, &r);
    while (!ghosts_test_is_ghost(&m, 0, ghost))
        ghost++;
    run_to(IN, OUT, (const char *const[4]){"--adjacent", "test"});
    rows have = read_rows(OUT);
    while (meets < have.count && (size_t)have.a[meets] < ghost)
        meets++;
    CU_ASSERT_FATAL(meets < have.count);
    check_finds("VTKHDF/CellData/SourceIdB", meets, 7, "has wrong source ids");
    check_finds("VTKHDF/CellData/PrimitiveA", meets, (double)ghost, "is not a pair of this frame");
    h5_remove(OUT, "VTKHDF/CellData/SourceIdA");
    ran c = RAN("check", OUT, "--input", IN, "-q");
    EXPECT(c.code == 1 || c.code == 3, "without SourceIdA: %d", c.code);
    ran_free(&c);
    /* an array of that name with another type is ignored, or refused */
    h5_store(IN, "VTKHDF/CellData/SourceId", H5T_IEEE_F64LE, 0);
    c = RAN("run", IN, "-o", OUT, "--force", CPU);
    EXPECT(!c.code && strstr(c.err, "SourceId is not read"), "float: %d, %s", c.code, c.err);
    ran_free(&c);
    h5_store(IN, "VTKHDF/CellData/vtkGhostType", H5T_IEEE_F64LE, 0);
    c = RAN("run", IN, "-o", OUT, "--force", CPU);
    EXPECT(ran_failed(&c, 3, "vtkGhostType", NULL), "^ ghosts as floats");
    ran_free(&c);
    free_rows(&have);
    make_free(&m);
}

/* A file of ghosts only has no primitive, and the program says so. */
static void test_ghosts_all(void)
{
    rng r = {5};
    make m = {0};
    layout_static(&m, &r);
    write_both(&m, &r);
    for (size_t i = 0; i < m.cells[3].value.count; i++)
        m.cells[3].value.value[i] = 32;
    make_write(&m, "ghosts.vtkhdf");
    static const char *const how[][4] = {{NULL}, {"--space", "2"}, {"--objects", "connected"}};
    for (size_t i = 0; i < 3; i++) {
        ran c = RAN("run", IN, "-o", OUT, "--force", CPU, how[i][0], how[i][1]);
        EXPECT(!c.code && strstr(c.err, "55 ghost cells") && strstr(c.err, "has no triangle"),
               "all: %d, %s", c.code, c.err);
        ran_free(&c);
    }
    ran c = RAN("convert", IN, "-o", at("batch.vtkhdf"), "--force");
    EXPECT(ran_failed(&c, 3, "no triangle, polygon or tetrahedron", NULL), "^ convert");
    ran_free(&c);
    make_free(&m);
}

/* Points of a body belong to its vertices by their order, so no vertex may be left out. */
static void test_ghosts_bodies(void)
{
    static int64_t ghost[4000];
    const char *in = at("bodies.vtkhdf");
    ran r = RAN("generate", "missile", "-n", "400", "--frames", "2", "-o", in, "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    const size_t cells = (size_t)h5_peek(in, "VTKHDF/Polygons/NumberOfCells", 0);
    CU_ASSERT_FATAL(cells < sizeof ghost / sizeof *ghost);
    for (size_t i = 0; i < cells; i++)
        ghost[i] = i < cells / 8 || i > cells - cells / 8;
    h5_replace_ints(in, "VTKHDF/CellData/vtkGhostType", cells, ghost);
    r = RAN("run", in, "-o", at("none.vtkhdf"), "--device", "cpu");
    EXPECT(ran_failed(&r, 3, "bodies.vtkhdf: vtkGhostType: leaves out vertices of body", "frame 0"),
           "^ run");
    ran_free(&r);
    CU_ASSERT(!exists(at("none.vtkhdf")));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"layouts", test_ghosts_layouts},
                                 {"check", test_ghosts_check},
                                 {"all", test_ghosts_all},
                                 {"bodies", test_ghosts_bodies},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "ghosts", tests);
}
