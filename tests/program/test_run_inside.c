/* run --inside: boxes in and beside boxes, by hand: relations, rows, depths; rows are contacts;
 * every division of the work gives the same result; a run that is killed goes on; check finds wrong
 * values; sums, tables and the heat map; wrong options. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "near_files.h"
#include "program_job.h"
#include "run_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSV at("relations.csv")
#define TITLES                                                                                     \
    "frame,time,object_a,object_b,relation,contacts,inside_a,inside_b,touching_a,touching_b,"      \
    "depth_a,depth_b,x,y,z,name_a,name_b\r\n"

/* ---- scenes */

#define BOXES 6 /* frames: apart, touching, crossing, inside, inside and touching, inside again */

static const double box_at[BOXES][3] = {{6, 1, 1}, {4, 1, 1}, {3.5, 1, 1},
                                        {1, 1, 1}, {0, 1, 1}, {1, 1.25, 1}};

static void inside_box(make *m, const double *at_point, double size)
{
    for (int i = 0; i < 8; i++)
        make_points(m, 1,
                    (double[]){at_point[0] + size * (i & 1), at_point[1] + size * (i >> 1 & 1),
                               at_point[2] + size * (i >> 2)});
}

/* Object 0, a box of edge 4; object 1, one of edge 1 that moves; object 2, a triangle far away.
 * Ghost cells: triangles of object 0, which come first. */
static const char *inside_boxes(const char *name, int ghosts)
{
    static const int64_t face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                        {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                        {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    int64_t id[3 * 32];
    size_t n = 0;
    make m = {.cells = {{.name = "ObjectId"}, {.name = ghosts ? "vtkGhostType" : NULL}}};
    m.cells[1].type = H5T_STD_U8LE;
    for (int i = 0; i < (ghosts ? 3 : 0); i++)
        for (int64_t k = 0; k < 3; k++)
            id[n++] = face[i][k];
    for (int64_t i = 0; i < 24; i++)
        for (int64_t k = 0; k < 3; k++)
            id[n++] = face[i % 12][k] + i / 12 * 8;
    for (int64_t k = 16; k < 19; k++)
        id[n++] = k;
    const int64_t triangles = (int64_t)n / 3, first = ghosts ? 3 : 0;
    make_part(&m, 19, triangles, id);
    for (int64_t i = 0; i < triangles; i++) {
        make_add(&m.cells[0].value, i < first ? 0 : (i - first) / 12);
        if (ghosts)
            make_add(&m.cells[1].value, i < first);
    }
    for (size_t f = 0; f < BOXES; f++) {
        make_step(&m, (double)f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        inside_box(&m, (double[]){0, 0, 0}, 4);
        inside_box(&m, box_at[f], 1);
        make_points(&m, 3, (double[]){20, 0, 0, 20, 1, 0, 20, 0, 1});
    }
    const char *path = at(name);
    copy_file(make_write(&m, name), path);
    make_free(&m);
    return path;
}

static void inside_names(const char *path)
{
    h5_texts(path, "impinge/object_names", 2, "big box\0small,1", 8);
    h5_replace_ints(path, "impinge/object_ids", 2, (int64_t[]){0, 1});
}

static void check_inside_checked(const char *result, const char *in)
{
    ran c = RAN("check", result, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check of %s", result);
    ran_free(&c);
}

/* ---- relations and rows by hand */

static void check_inside_table(const char *in, const char *option, const char *more,
                               const char *want)
{
    size_t size;
    RUN_WITH(in, option, "--csv", CSV, more);
    char *text = file_text(CSV, &size);
    EXPECT(!strncmp(text, TITLES, strlen(TITLES)) && !strcmp(text + strlen(TITLES), want),
           "%s: %s instead of %s", option, text, want);
    free(text);
    check_inside_checked(OUT, in);
}

#define TABLE                                                                                      \
    "1,1,0,1,touching,18,0,0,0,4,0,0,,,,,\r\n2,2,0,1,crossing,12,0,4,0,0,0,0.5,3.5,1,1,,\r\n"      \
    "3,3,0,1,b_in_a,0,0,8,0,0,0,2,2,2,2,,\r\n4,4,0,1,b_in_a,18,0,4,0,4,0,1,1,1,1,,\r\n"            \
    "5,5,0,1,b_in_a,0,0,8,0,0,0,1.75,2,2.25,2,,\r\n"

static void test_run_inside_relations(void)
{
    const char *in = inside_boxes("boxes.vtkhdf", 0);
    size_t n, m;
    check_inside_table(in, "--inside", NULL, TABLE);
    check_inside_table(in, "--inside=1,0,1", NULL, TABLE);
    check_inside_table(in, "--inside", "--inside-winding=positive", TABLE);
    /* the large box alone is no solid: the small one is open to it */
    check_inside_table(in, "--inside=0", NULL, TABLE);
    RUN_WITH(in, "--inside");
    int64_t *part = h5_ints(OUT, "impinge/swallowed/Primitive", &n),
            *parts = h5_ints(OUT, "impinge/swallowed/offsets", &m);
    static const int64_t first[] = {0, 0, 0, 0, 1, 1, 2};
    EXPECT(n == 2 && part[0] == 12 && part[1] == 12, "%zu parts", n);
    EXPECT(m == 7 && !memcmp(parts, first, sizeof first), "parts of frames");
    free(part);
    free(parts);
}

/* A corner of each box is in the other one: the table has the deeper of the two. */
static void test_run_inside_corners(void)
{
    const char *in = inside_boxes("corners.vtkhdf", 0);
    for (size_t v = 0; v < 8; v++)
        for (size_t k = 0; k < 3; k++)
            h5_poke(in, "VTKHDF/Points", 3 * (8 + v) + k, 3.25 + (double)(v >> k & 1));
    size_t size;
    RUN_WITH(in, "--inside", "--frames", "0:1", "--csv", CSV);
    char *text = file_text(CSV, &size);
    EXPECT(strstr(text, "\r\n0,0,0,1,crossing,") &&
               strstr(text, ",1,1,0,0,0.25,0.75,3.25,3.25,3.25,,\r\n"),
           "%s", text);
    free(text);
    check_inside_checked(OUT, in);
}

/* Two objects may have a vertex in common, by index: its pairs are no contacts, but candidates. */
static void test_run_inside_shared(void)
{
    static const char ids[] = "VTKHDF/Polygons/Connectivity";
    const char *in = inside_boxes("shared.vtkhdf", 0);
    size_t n, size;
    int64_t *id = h5_ints(in, ids, &n);
    for (size_t i = 0; i < n; i++)
        id[i] = id[i] == 8 ? 7 : id[i];
    h5_replace_ints(in, ids, n, id);
    for (size_t i = 0; i < 24; i++)
        h5_poke(in, "VTKHDF/Points", 24 + i, 4 + (double)(i / 3 >> i % 3 & 1));
    RUN_WITH(in, "--inside", "--frames", "0:1", "--csv", CSV);
    char *text = file_text(CSV, &size);
    EXPECT(strstr(text, "\r\n0,0,0,1,touching,0,0,0,1,1,0,0,,,,,\r\n"), "%s", text);
    free(text);
    free(id);
    check_inside_checked(OUT, in);
}

/* Frame 3: the nearest faces are those below, and around. */
static void test_run_inside_rows(void)
{
    const char *in = inside_boxes("rows.vtkhdf", 0);
    size_t n, m, k;
    RUN_WITH(in, "--inside", "--frames", "3:4");
    int64_t *vertex = h5_ints(OUT, "VTKHDF/CellData/VertexId", &n),
            *face = h5_ints(OUT, "VTKHDF/CellData/Face", &m);
    double *depth = h5_reals(OUT, "VTKHDF/CellData/Depth", &k);
    rows r = read_rows(OUT);
    EXPECT(n == 8 && m == 8 && k == 8 && r.count == 8, "%zu rows", n);
    for (size_t i = 0; i < n; i++) {
        const int corner = (int)i;
        EXPECT(vertex[i] == 8 + corner && face[i] == r.b[i] && r.kind[i] == 11 && r.oa[i] == 1 &&
                   r.ob[i] == 0,
               "row %zu", i);
        EXPECT(depth[i] == (corner == 7 ? 2 : 1), "depth %.17g of row %zu", depth[i], i);
    }
    free_rows(&r);
    free(vertex);
    free(face);
    free(depth);
}

/* Ghosts are left out, and vertices keep their numbers. */
static void test_run_inside_ghosts(void)
{
    const char *in = inside_boxes("ghosts.vtkhdf", 1);
    size_t n, m;
    ran r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, "--inside");
    EXPECT(ran_warned(&r), "^ ghosts");
    ran_free(&r);
    int64_t *vertex = h5_ints(OUT, "VTKHDF/CellData/VertexId", &n),
            *face = h5_ints(OUT, "VTKHDF/CellData/Face", &m),
            *part = h5_ints(OUT, "impinge/swallowed/Primitive", &m);
    for (size_t i = 0; i < n; i++)
        EXPECT(vertex[i] >= 8 && vertex[i] < 16 && face[i] >= 3 && face[i] < 15, "row %zu", i);
    EXPECT(n == 24 && m == 2 && part[0] == 15, "%zu rows, %zu parts", n, m);
    free(vertex);
    free(face);
    free(part);
    r = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_warned(&r), "^ check with ghosts");
    ran_free(&r);
}

/* Rows are those of the run without --inside, in all columns that it has. */
static void test_run_inside_contacts(void)
{
    static const char *const columns[] = {"PrimitiveA", "PrimitiveB", "ObjectA", "ObjectB", "Kind"};
    const char *in = inside_boxes("contacts.vtkhdf", 0);
    RUN_WITH(in, "--block", "2");
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--inside", "--rows", "contacts");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char name[64];
        size_t n, m;
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", columns[i]);
        int64_t *have = h5_ints(OUT, name, &n), *want = h5_ints(WHOLE, name, &m);
        EXPECT(n == m && n > 20 && !memcmp(have, want, n * sizeof *have), "%s", name);
        free(have);
        free(want);
    }
    check_inside_checked(OUT, in);
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--inside");
    const char *what = h5_same(OUT, WHOLE, "impinge/relations");
    EXPECT(!what, "relations: %s", what);
    what = h5_same(OUT, WHOLE, "impinge/swallowed");
    EXPECT(!what, "swallowed: %s", what);
}

/* Relations are those of all contacts, rows those that cross. */
static void test_run_inside_crossing(void)
{
    const char *in = inside_boxes("crossing.vtkhdf", 0);
    size_t n, m, k, kept = 0;
    RUN_WITH(in, "--inside", "--rows", "contacts");
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--inside", "--rows", "contacts", "--contacts", "crossing");
    const char *what = h5_same(OUT, WHOLE, "impinge/relations");
    EXPECT(!what, "relations: %s", what);
    int64_t *crossing = h5_ints(WHOLE, "VTKHDF/CellData/Crossing", &n);
    double *all = h5_reals(WHOLE, "VTKHDF/CellData/Depth", &m),
           *depth = h5_reals(OUT, "VTKHDF/CellData/Depth", &k);
    rows r = read_rows(WHOLE), of = read_rows(OUT);
    EXPECT(n == m && n == r.count && k == of.count && k > 0 && k < n, "%zu of %zu rows", k, n);
    for (size_t i = 0; i < n && kept < k; i++)
        if (crossing[i]) {
            EXPECT(of.a[kept] == r.a[i] && of.b[kept] == r.b[i] && depth[kept] == all[i], "row %zu",
                   i);
            kept++;
        }
    EXPECT(kept == k, "%zu rows cross, not %zu", kept, k);
    free_rows(&r);
    free_rows(&of);
    free(crossing);
    free(all);
    free(depth);
    check_inside_checked(OUT, in);
}

/* Tetrahedra: a vertex of the first is inside object 0, the second goes through it, the third
 * touches its corner. */
static void test_run_inside_tetrahedra(void)
{
    static const double point[] = {0,  0, 0, 8,  0, 0, 0, 8, 0, 0, 0,  8, 1, 1,  1, 9,
                                   9,  1, 9, 1,  9, 1, 9, 9, 3, 2, -4, 4, 2, -4, 3, 3,
                                   -4, 3, 2, 20, 8, 0, 0, 9, 1, 0, 9,  0, 1, 9,  0, 0};
    const int64_t types[4] = {10, 10, 10, 10};
    int64_t id[16];
    size_t n, m;
    make f = {.unstructured = 1, .cells = {{.name = "ObjectId"}}};
    for (int64_t i = 0; i < 16; i++)
        id[i] = i;
    make_part_of(&f, 16, 4, types, id);
    for (int64_t i = 0; i < 4; i++)
        make_add(&f.cells[0].value, i > 0);
    make_step(&f, 0, 0, 1, 0, 0, 0);
    make_points(&f, 16, point);
    const char *in = at("tetrahedra.vtkhdf");
    copy_file(make_write(&f, "made.vtkhdf"), in);
    make_free(&f);
    RUN_WITH(in, "--inside", "--rows", "contacts", "--pairs", "between");
    double *depth = h5_reals(OUT, "VTKHDF/CellData/Depth", &n);
    rows r = read_rows(OUT);
    EXPECT(n == 3 && r.count == 3 && depth[0] == 1 && depth[1] > 0 && depth[2] == 0, "%zu rows", n);
    check_inside_checked(OUT, in);
    for (size_t i = 0; i < 3 && n == 3; i++) {
        h5_poke(OUT, "VTKHDF/CellData/Depth", i, depth[i] + 0x1p-50);
        ran c = RAN("check", OUT, "--input", in, "-q");
        EXPECT(ran_failed(&c, 1, "another depth", NULL), "^ depth of row %zu", i);
        ran_free(&c);
        h5_poke(OUT, "VTKHDF/CellData/Depth", i, depth[i]);
    }
    double *points = h5_reals(OUT, "impinge/points", &m);
    EXPECT(m > 9, "%zu numbers of collision points", m);
    h5_poke(OUT, "impinge/points", 1, points[1] + 1);
    ran c = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_failed(&c, 1, "has wrong points", NULL), "^ a collision point");
    ran_free(&c);
    free(points);
    free(depth);
    free_rows(&r);
}

/* ---- divisions of the work */

static void check_inside_same(const char *about)
{
    static const char *const groups[] = {"VTKHDF", "impinge/relations", "impinge/swallowed"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *what = h5_same(WHOLE, OUT, groups[i]);
        EXPECT(!what, "%s: %s", about, what);
    }
}

static void check_inside_merge(const char *in, const char *option, const char *how)
{
    const char *shard[3] = {at("shard0.vtkhdf"), at("shard1.vtkhdf"), at("shard2.vtkhdf")};
    for (int i = 0; i < 3; i++) {
        const char number[] = {(char)('0' + i), '/', '3', 0};
        ran r = RAN("run", in, "-o", shard[i], "--force", "-q", CPU, option, "--shard", number);
        EXPECT(ran_warned(&r), "^ shard %d", i);
        ran_free(&r);
        check_inside_checked(shard[i], in);
    }
    ran r = RAN("merge", OUT, "--force", shard[2], shard[0], shard[1], how);
    EXPECT(ran_well(&r) && strstr(r.out, "vertices inside, of 3 shards"), "^ merge");
    ran_free(&r);
    const char *what = strcmp(how, "--copy") ? h5_same_virtual(WHOLE, OUT) : NULL;
    EXPECT(!what, "%s: %s", how, what);
    if (!strcmp(how, "--copy"))
        check_inside_same(how);
    EXPECT(!strcmp(h5_origin(WHOLE, "options"), h5_origin(OUT, "options")), "options");
    check_inside_checked(OUT, in);
    h5_poke(shard[1], "impinge/relations/InsideB", 0, 5);
    r = RAN("merge", OUT, "--force", "-q", shard[2], shard[0], shard[1], how);
    EXPECT(ran_failed(&r, 3, "is damaged", "other relations"), "^ a damaged shard");
    ran_free(&r);
}

static void test_run_inside_divided(void)
{
    static const char *const ways[][4] = {{"--block", "1"},
                                          {"--block", "4", "--mem-limit", "40M"},
                                          {"--broad", "grid"},
                                          {"--broad", "hash", "--update", "keep"},
                                          {"--dop", "18", "--broad", "tree"},
                                          {"--broad", "tiles", "--verify", "50"},
                                          {"--device", "opencl"},
                                          {"--threads", "2"}};
    const char *in = inside_boxes("divided.vtkhdf", 0);
    RUN_WITH(in, "--inside=0,1");
    copy_file(OUT, WHOLE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        RUN_WITH(in, "--inside=0,1", ways[i][0], ways[i][1], ways[i][2], ways[i][3]);
        check_inside_same(ways[i][1]);
    }
    check_inside_merge(in, "--inside=0,1", "--copy");
    check_inside_merge(in, "--inside=0,1", "--virtual");
}

/* ---- interrupted runs */

static sample_job inside_job(const char *about)
{
    sample_job j = {about,           inside_boxes("job.vtkhdf", 0),
                    at("job.out"),   at("job.out.part"),
                    at("job.whole"), {"--inside", "--block", "1"}};
    unlink(j.whole);
    sample_job_remove(&j);
    ran r = sample_job_run(&j, j.whole, NULL);
    EXPECT(ran_well(&r), "^ %s: without interruption", about);
    ran_free(&r);
    return j;
}

static void test_run_inside_killed(void)
{
    const sample_job j = inside_job("killed");
    const long all = job_count(&j, NULL);
    EXPECT(all > 20, "%ld changes", all);
    for (uint64_t i = 0; i < 12; i++) {
        const long n = job_moment(all, i, 12);
        job_kill(&j, n, NULL);
        sample_job_check_part(&j, "kill", n);
        job_go_on(&j, "kill", n);
    }
    job_kill_half(&j);
    EXPECT(exists(j.part), "no part");
    h5_poke(j.part, "impinge/relations/Contacts", 0, 17);
    ran r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 3, "cannot be resumed", "the relations of frame 1 are damaged"),
           "^ damaged relations");
    ran_free(&r);
    sample_job_remove(&j);
}

static void check_inside_refused(const char *in, const char *was, const char *is, const char *word)
{
    const char *more = at("other.vtkhdf");
    unlink(more);
    ran r = RAN("run", in, "-o", more, "-q", CPU, was);
    EXPECT(ran_well(&r), "^ %s", word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", is);
    EXPECT(ran_failed(&r, 2, "cannot be resumed: it was made with other options", word), "^ %s",
           word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", was);
    EXPECT(ran_well(&r), "^ again, %s", word);
    ran_free(&r);
}

static void test_run_inside_other(void)
{
    const char *in = inside_boxes("other_in.vtkhdf", 0), *more = at("other.vtkhdf");
    check_inside_refused(in, "--inside", "--stage=contacts", "--inside was all, is not given");
    check_inside_refused(in, "--inside", "--inside=0", "--inside was all, is a list");
    check_inside_refused(in, "--inside=0", "--inside=0,1",
                         "--inside was another list, is this one");
    ran r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--inside", "0,0");
    EXPECT(ran_well(&r), "^ the same list");
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--inside=0", "--rows", "contacts");
    EXPECT(ran_failed(&r, 2, "--rows was not given, is contacts", NULL), "^ other rows");
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--inside=0", "--inside-winding",
            "positive");
    EXPECT(ran_failed(&r, 2, "--inside-winding was not given, is positive", NULL), "^ winding");
    ran_free(&r);
    unlink(more);
    for (int again = 0; again < 2; again++) {
        r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--inside", again ? "1,0" : "0,1");
        EXPECT(ran_well(&r), "^ the same list in another order");
        ran_free(&r);
    }
    h5_poke(more, "impinge/inside_objects", 0, 1);
    r = RAN("check", more, "--input", in, "-q");
    EXPECT(r.code == 1 && strstr(r.err, "not as a run writes them"), "another list: %s", r.err);
    ran_free(&r);
}

/* ---- damage */

static void check_inside_damage(const char *in, const char *name, double by, const char *word)
{
    copy_file(WHOLE, OUT);
    h5_poke(OUT, name, 3, h5_peek(OUT, name, 3) + by);
    ran r = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_failed(&r, 1, word, NULL), "^ %s", name);
    ran_free(&r);
}

/* The depth of a contact: of a vertex inside, or 0. */
static void check_inside_contact_depths(const char *in)
{
    size_t n;
    int found[2] = {0};
    RUN_WITH(in, "--inside", "--rows", "contacts");
    double *depth = h5_reals(OUT, "VTKHDF/CellData/Depth", &n);
    for (size_t i = 0; i < n; i++) {
        const int deep = depth[i] > 0;
        if (found[deep]++)
            continue;
        h5_poke(OUT, "VTKHDF/CellData/Depth", i, deep ? depth[i] - 0x1p-50 : 0x1p-1000);
        ran r = RAN("check", OUT, "--input", in, "-q");
        EXPECT(ran_failed(&r, 1, "has another depth", NULL), "^ depth of row %zu", i);
        ran_free(&r);
        h5_poke(OUT, "VTKHDF/CellData/Depth", i, depth[i]);
    }
    EXPECT(found[0] && found[1], "%d rows with a depth, %d without", found[1], found[0]);
    ran r = RAN("check", OUT, "--input", in);
    EXPECT(ran_well(&r) && !strstr(r.out, "Depth"), "^ Depth is compared");
    ran_free(&r);
    free(depth);
}

static void test_run_inside_damaged(void)
{
    static const struct {
        const char *name;
        double by;
        const char *word;
    } wrong[] = {{"VTKHDF/CellData/VertexId", 1, "frame 2: vertex"},
                 {"VTKHDF/CellData/PrimitiveA", 1, "frame 2: vertex"},
                 {"VTKHDF/CellData/PrimitiveB", 1, "frame 2: vertex"},
                 {"VTKHDF/CellData/Winding", 1, "is wrong: "},
                 {"VTKHDF/CellData/Face", 1, "Face is not PrimitiveB"},
                 {"VTKHDF/CellData/Depth", 0x1p-53, "is wrong: "},
                 {"VTKHDF/CellData/Kind", -1, "has another kind"},
                 {"VTKHDF/CellData/Barycentric", 0x1p-40, "is wrong: "},
                 {"VTKHDF/CellData/Normal", 0x1p-40, "is wrong: "},
                 {"VTKHDF/Points", 0x1p-40, "is wrong: "},
                 {"VTKHDF/CellData/ObjectA", 1, "has wrong objects"},
                 {"impinge/relations/Relation", -1, "objects 0 and 1: "},
                 {"impinge/relations/Contacts", 1, "objects 0 and 1: "},
                 {"impinge/relations/InsideA", 1, "objects 0 and 1: "},
                 {"impinge/relations/InsideB", 1, "objects 0 and 1: "},
                 {"impinge/relations/TouchingA", 1, "objects 0 and 1: "},
                 {"impinge/relations/TouchingB", 1, "objects 0 and 1: "},
                 {"impinge/relations/DepthB", 0x1p-52, "objects 0 and 1: "},
                 {"impinge/relations/DeepestB", 1, "the deepest vertex is none"},
                 {"impinge/relations/DeepestA", 5, "the deepest vertex is none"},
                 {"impinge/relations/DeepestPointB", 1, "the deepest vertex is none"},
                 {"impinge/relations/ObjectB", 1, "frame 4: objects 0 and "},
                 {"impinge/closed_objects", 1, "frame 3"},
                 {"impinge/relations_checksum", 1, "its relations have another checksum"}};
    const char *in = inside_boxes("damaged.vtkhdf", 0);
    RUN_WITH(in, "--inside");
    copy_file(OUT, WHOLE);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_inside_damage(in, wrong[i].name, wrong[i].by, wrong[i].word);
    check_inside_contact_depths(in);
    RUN_WITH(in, "--inside");
    h5_poke(OUT, "impinge/relations/offsets", 2, 7);
    ran r = RAN("info", OUT);
    EXPECT(ran_failed(&r, 3, "relations/offsets", "damaged"), "^ offsets");
    ran_free(&r);
    copy_file(WHOLE, OUT);
    h5_poke(OUT, "impinge/relations/Relation", 2, 9);
    r = RAN("info", OUT);
    EXPECT(ran_failed(&r, 3, "has the relation 9", NULL), "^ no relation");
    ran_free(&r);
    copy_file(WHOLE, OUT);
    h5_remove(OUT, "impinge/relations_checksum");
    r = RAN("info", OUT);
    EXPECT(ran_failed(&r, 3, "/impinge/relations", "missing"), "^ no checksum");
    ran_free(&r);
}

/* ---- sums */

static void check_inside_json(const char *text)
{
    EXPECT(json_number(text, "relations.0.a") == 0 && json_number(text, "relations.0.b") == 1 &&
               json_number(text, "relations.0.frames.apart") == 1 &&
               json_number(text, "relations.0.frames.touching") == 1 &&
               json_number(text, "relations.0.frames.crossing") == 1 &&
               json_number(text, "relations.0.frames.a_in_b") == 0 &&
               json_number(text, "relations.0.frames.b_in_a") == 3 &&
               json_number(text, "relations.0.inside_b") == 8 &&
               json_number(text, "relations.0.depth") == 2 &&
               json_number(text, "relations.0.depth_object") == 1 &&
               !strncmp(json_at(text, "relations.0.depth_name"), "\"small,1\"", 9) &&
               json_number(text, "relations.0.depth_vertex") == 15 &&
               json_number(text, "relations.0.depth_frame") == 3 &&
               json_number(text, "relations.0.depth_point.2") == 2 &&
               json_number(text, "relations.0.swallowed") == 1 && !json_at(text, "relations.1"),
           "%s", text);
    EXPECT(json_number(text, "closed_objects") == 2 && json_number(text, "open_objects") == 0 &&
               json_number(text, "kinds.vertex-inside") == 24 &&
               !json_at(text, "kinds.vertex-face"),
           "%s", text);
}

static void test_run_inside_sums(void)
{
    const char *in = inside_boxes("sums.vtkhdf", 0), *out = OUT;
    inside_names(in);
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--inside", "small,1,big box", "--json");
    EXPECT(ran_failed(&r, 3, "--inside: there is no object 'small'", NULL), "^ a comma");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--inside", "big box ,\"small,1\"", "--json");
    EXPECT(r.code == 0 && json_valid(r.out), "^ run: %s", r.err);
    check_inside_json(r.out);
    ran_free(&r);
    r = RAN("info", out, "--json");
    check_inside_json(r.out);
    EXPECT(!strncmp(json_at(r.out, "relations.0.name_b"), "\"small,1\"", 9), "%s", r.out);
    ran_free(&r);
    const char *line = "0 (big box) and 1 (small,1): touching in 1 frame, crossing in 1 frame, 1 "
                       "(small,1) inside 0 (big box) in 3 frames; at most 8 vertices inside, depth "
                       "up to 2 (vertex 15 of 1 (small,1) in frame 3); at most 1 part swallowed\n";
    r = RAN("info", out);
    EXPECT(strstr(r.out, line) && strstr(r.out, "24 vertices inside among"), "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--inside");
    EXPECT(r.code == 0 && strstr(r.out, line) && strstr(r.out, "24 vertices inside in 4 of "), "%s",
           r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--inside", "--json");
    EXPECT(r.code == 0 && json_number(r.out, "contacts") == 24, "^ bench");
    ran_free(&r);
}

/* Containment without a contact is a collision. */
/* What people are told if nothing is inside: an open object contains nothing. */
static void test_run_inside_told(void)
{
    const char *in = inside_boxes("told.vtkhdf", 0), *out = OUT;
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--inside", "--frames", "3:4");
    EXPECT(r.code == 0 && strstr(r.out, "\n2 of 3 objects closed\nobjects 0 and 1: 1 inside 0"),
           "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--inside", "--frames", "0:1");
    EXPECT(r.code == 0 && strstr(r.out, "\n2 of 3 objects closed\nno closed object touches or"),
           "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--inside=2", "--inside-open", "skip");
    EXPECT(r.code == 0 && !strstr(r.out, "closed") && strstr(r.err, "object of the list is not"),
           "%s%s", r.out, r.err);
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(r.code == 0 && strstr(r.out, "\nrelations  no object is closed\n"), "%s", r.out);
    ran_free(&r);
}

/* Sheets are open, though their neighbours share vertices: to weld them would not close them. */
static void test_run_inside_advice(void)
{
    const char *in = at("open.vtkhdf"), *out = at("open-out.vtkhdf");
    ran r = RAN("generate", "sheets", "-o", in, "--frames", "1", "-q", "--force");
    CU_ASSERT(!r.code);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--inside");
    EXPECT(r.code == 0 && strstr(r.err, ": --inside: no object is closed\n"), "%s", r.err);
    ran_free(&r);
}

static void test_run_inside_collision(void)
{
    static const char *const frames[] = {"0:1", "1:2", "2:3", "3:4"};
    const char *in = inside_boxes("collision.vtkhdf", 0);
    for (int rows_of = 0; rows_of < 2; rows_of++)
        for (size_t i = 0; i < 4; i++) {
            ran r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, "--fail-on-collision",
                        "--pairs=between", "--inside", "--frames", frames[i],
                        rows_of ? "--rows=contacts" : NULL);
            EXPECT(r.code == (i ? 10 : 0), "frames %s: %d", frames[i], r.code);
            ran_free(&r);
        }
}

/* Of vertices, and of triangles the greatest of their vertices. */
static void test_run_inside_counts(void)
{
    const char *in = inside_boxes("heat.vtkhdf", 0), *heat = at("counts.vtkhdf");
    size_t n, m, k;
    RUN_WITH(in, "--inside", "--counts", heat);
    double *point = h5_reals(heat, "VTKHDF/PointData/Depth", &n),
           *cell = h5_reals(heat, "VTKHDF/CellData/Depth", &m);
    int64_t *first = h5_ints(heat, "VTKHDF/Steps/PointDataOffsets/Depth", &k);
    EXPECT(n == (size_t)BOXES * 19 && m == (size_t)BOXES * 25 && k == BOXES && first[5] == 95,
           "%zu, %zu, %zu", n, m, k);
    const double *of_frame = point + (size_t)3 * 19, *before = point + (size_t)2 * 19;
    EXPECT(of_frame[15] == 2 && of_frame[8] == 1 && of_frame[0] == 0, "depths");
    EXPECT(before[8] == 0.5 && before[9] == 0 && point[8] == 0, "of frame 2");
    const double *of_cells = cell + (size_t)3 * 25;
    EXPECT(of_cells[14] == 2 && of_cells[15] == 2 && of_cells[12] == 1 && of_cells[0] == 0,
           "cells");
    free(point);
    free(cell);
    free(first);
}

/* ---- wrong options */

static void test_run_inside_usage(void)
{
    static const char *const wrong[][3] = {
        {"--continuous", NULL, "--continuous"},
        {"--distance=1", NULL, "--distance"},
        {"--thickness=1", NULL, "--thickness"},
        {"--stage=candidates", NULL, "--stage candidates"},
        {"--adjacent=test", NULL, "--adjacent test"},
        {"--pairs=self", NULL, "--pairs self"},
        {"--rows=objects", NULL, "--rows objects"},
        {"--rows=primitives", NULL, "--rows primitives"},
        {"--ring=1", NULL, "--ring"},
        {"--baseline=0", NULL, "--baseline"},
        {"--inside-open=skip", NULL, "--inside-open: only with --inside=OBJECTS"}};
    static const char *const alone[][2] = {{"--rows=vertices", "--rows vertices: only with"},
                                           {"--rows=contacts", "--rows contacts: only with"},
                                           {"--inside-open=skip", "--inside-open: only with"},
                                           {"--inside-winding=positive", "--inside-winding: only"},
                                           {"--inside=", "needs a value, or no '='"},
                                           {"--inside=0,,1", "is not a list of objects"},
                                           {"--inside=\"0", "is not a list of objects"}};
    const char *in = inside_boxes("usage.vtkhdf", 0), *out = at("none.vtkhdf");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = RAN("run", in, "-o", out, "-q", "--inside", wrong[i][0]);
        EXPECT(ran_failed(&r, 2, wrong[i][2], NULL), "^ %s", wrong[i][0]);
        ran_free(&r);
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        ran r = RAN("run", in, "-o", out, "-q", alone[i][0]);
        EXPECT(ran_failed(&r, 2, alone[i][1], NULL), "^ %s", alone[i][0]);
        ran_free(&r);
    }
    /* the word after the option is no list if it is a file */
    ran r = RAN("run", "--inside", in, "-o", OUT, "--force", "-q");
    EXPECT(ran_well(&r), "^ the input after the option");
    ran_free(&r);
    EXPECT(access(out, F_OK), "a result is there");
}

static void test_run_inside_objects(void)
{
    const char *in = inside_boxes("objects.vtkhdf", 0), *out = at("none.vtkhdf");
    ran r = RAN("run", in, "-o", out, "-q", CPU, "--inside", "0,2");
    EXPECT(ran_failed(&r, 3,
                      "frame 0: object 2 is not closed: the directed uses of the edge of "
                      "vertices 16 and 17",
                      "--inside-open skip"),
           "^ an open object");
    ran_free(&r);
    r = RAN("run", in, "-o", out, "-q", CPU, "--inside", "8,9");
    EXPECT(ran_failed(&r, 3, "no selected frame has any of these objects", NULL), "^ no object");
    ran_free(&r);
    r = RAN("run", in, "-o", out, "-q", CPU, "--inside", "box");
    EXPECT(ran_failed(&r, 3, "--inside: 'box' is no number, and the objects have no names", NULL),
           "^ no names");
    ran_free(&r);
    EXPECT(access(out, F_OK), "a result is there");
    r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, "--inside", "0,2,9", "--inside-open",
            "skip", "--json");
    EXPECT(ran_warned(&r) && strstr(r.err, "no selected frame has the object 9") &&
               strstr(r.err, "1 object of the list is not closed") &&
               json_number(r.out, "open_objects") == 1 && json_number(r.out, "closed_objects") == 1,
           "^ skipped");
    ran_free(&r);
    r = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_warned(&r), "^ check of a skipped one");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"relations", test_run_inside_relations}, {"corners", test_run_inside_corners},
        {"shared", test_run_inside_shared},       {"rows", test_run_inside_rows},
        {"ghosts", test_run_inside_ghosts},       {"contacts", test_run_inside_contacts},
        {"crossing", test_run_inside_crossing},   {"tetrahedra", test_run_inside_tetrahedra},
        {"divided", test_run_inside_divided},     {"killed", test_run_inside_killed},
        {"other", test_run_inside_other},         {"damaged", test_run_inside_damaged},
        {"sums", test_run_inside_sums},           {"told", test_run_inside_told},
        {"advice", test_run_inside_advice},       {"collision", test_run_inside_collision},
        {"counts", test_run_inside_counts},       {"usage", test_run_inside_usage},
        {"objects", test_run_inside_objects},     {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "run_inside", tests);
}
