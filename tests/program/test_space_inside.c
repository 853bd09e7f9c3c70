/* run --inside --space: slabs of whole objects give the result of whole frames, to the last bit of
 * rows, relations and tables: of any objects, in one run, in shards, after interruptions, on a
 * device, and within a memory limit; errors and warnings are the same, too. */
#define _GNU_SOURCE
#include "boxes.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "near_files.h"
#include "program_job.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN at("in.vtkhdf")

/* ---- scenes: closed bodies on a lattice, so that many touch; cells in any order */

/* Bodies: boxes whose corners are moved a little; or, nested: boxes in boxes, of which every third
 * has a second, small box. */
typedef struct space_bodies {
    int boxes, nested;
    int cushion;   /* a large body of this many vertices along each side of its top */
    int more;      /* of these, each above the one before */
    int solids;    /* boxes of tetrahedra; 2: every other one */
    int shared;    /* a box has a corner of the one before */
    int open;      /* so many boxes lack a triangle, if they have any */
    int faceless;  /* object -60 has so many triangles of two vertices */
    int frames;    /* which get smaller; 0: one */
    double spread; /* between the boxes; 0: they lie in a cube of edge 4 */
} space_bodies;

/* A scene while it is made: the cells, and the points of the first frame. */
typedef struct space_scene {
    rng r;
    size_t cells, points;
    int64_t (*cell)[4]; /* a triangle has -1 at its end */
    int64_t *object;
    double *point;
} space_scene;

static void *space_grow(void *list, size_t n, size_t size)
{
    void *more = n % 1024 ? list : realloc(list, (n + 1024) * size);
    CU_ASSERT_FATAL(more != NULL);
    return more;
}

static int64_t space_point(space_scene *s, double x, double y, double z)
{
    s->point = space_grow(s->point, s->points, 3 * sizeof(double));
    memcpy(s->point + 3 * s->points, (double[]){x, y, z}, 3 * sizeof(double));
    return (int64_t)s->points++;
}

static void space_cell(space_scene *s, int64_t object, int64_t a, int64_t b, int64_t c, int64_t d)
{
    s->cell = space_grow(s->cell, s->cells, sizeof *s->cell);
    s->object = space_grow(s->object, s->cells, sizeof *s->object);
    s->object[s->cells] = object;
    memcpy(s->cell[s->cells++], (int64_t[]){a, b, c, d}, sizeof *s->cell);
}

/* move: corners are moved by up to this. shared: the vertex of corner 0; -1: a new one */
static void space_box(space_scene *s, int64_t object, const double at_point[3], double size,
                      double move, int solid, int64_t shared)
{
    int64_t v[8];
    for (int i = 0; i < 8; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = at_point[k] + size * (i >> k & 1) + move / 4 * rng_below(&s->r, 5);
        v[i] = i == 0 && shared >= 0 ? shared : space_point(s, x[0], x[1], x[2]);
    }
    for (int i = 0; i < 12 && !solid; i++)
        space_cell(s, object, v[box_corners[i][0]], v[box_corners[i][2]], v[box_corners[i][1]], -1);
    for (int i = 0; i < 5 && solid; i++)
        space_cell(s, object, v[box_solids[i][0]], v[box_solids[i][1]], v[box_solids[i][2]],
                   v[box_solids[i][3]]);
}

/* Two sheets of n x n vertices that share their border. */
static void space_cushion(space_scene *s, int64_t object, double low, int n)
{
    int64_t *v = malloc(2 * (size_t)(n * n) * sizeof *v);
    CU_ASSERT_FATAL(v != NULL);
    for (int i = 0; i < 2 * n * n; i++) {
        const int k = i % (n * n), x = k / n, y = k % n;
        const int border = x == 0 || y == 0 || x == n - 1 || y == n - 1;
        const double z = border ? 1 : i < n * n ? 1 + rng_below(&s->r, 5) / 4.0 : 0;
        v[i] = i >= n * n && border
                   ? v[k]
                   : space_point(s, 6.0 * x / (n - 1) - 1, 6.0 * y / (n - 1) - 1, low + z);
    }
    for (int i = 0; i < 2 * n * n; i++) {
        const int k = i % (n * n), down = i >= n * n;
        if (k / n == n - 1 || k % n == n - 1)
            continue;
        const int64_t *q = v + i;
        space_cell(s, object, q[0], q[down ? 1 : n], q[down ? n : 1], -1);
        space_cell(s, object, q[n + 1], q[down ? n : 1], q[down ? 1 : n], -1);
    }
    free(v);
}

/* Ids are in another order than the bodies. */
static int64_t space_object(int body)
{
    return body * 37 % 101 - 50;
}

static void space_fill(space_scene *s, const space_bodies *of)
{
    static const double sizes[] = {0.25, 0.5, 1, 2};
    for (int i = 0; i < of->boxes; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = rng_below(&s->r, 17) / 4.0 + (k == 0 ? of->spread * i : 0);
        const size_t first = s->cells;
        space_box(s, space_object(i), x, sizes[rng_below(&s->r, 4)], i % 3 ? 0.125 : 0,
                  of->solids && (of->solids < 2 || i % 2),
                  of->shared && i % 2 ? (int64_t)s->points - 1 : -1);
        if (i >= of->boxes - of->open && s->cells == first + 12)
            s->cells--;
    }
    for (int i = 0; i < of->nested; i++) {
        const double x = i / 2.0;
        space_box(s, space_object(of->boxes + i), (double[]){x, x, x}, of->nested + 1 - 2 * x, 0, 0,
                  -1);
        if (i % 3 == 0)
            space_box(s, space_object(of->boxes + i), (double[]){x + 0.5, x, x + 1}, 0.25, 0, 0,
                      -1);
    }
    for (int i = 0; i < of->faceless; i++)
        space_cell(s, -60, 0, 1, 1, -1);
    for (int i = 0; i <= of->more && of->cushion; i++)
        space_cushion(s, 60 + i, 1.75 * i, of->cushion);
}

/* Cells in any order. */
static void space_shuffle(space_scene *s)
{
    for (size_t i = s->cells; i > 1; i--) {
        const size_t k = rng_below(&s->r, (uint32_t)i);
        int64_t cell[4], object = s->object[k];
        memcpy(cell, s->cell[k], sizeof cell);
        memcpy(s->cell[k], s->cell[i - 1], sizeof cell);
        memcpy(s->cell[i - 1], cell, sizeof cell);
        s->object[k] = s->object[i - 1];
        s->object[i - 1] = object;
    }
}

static void space_write_frames(const space_scene *s, make *m, int frames)
{
    for (int f = 0; f < frames; f++) {
        make_step(m, f, 0, 1, (int64_t)m->points.count / 3, 0, 0);
        for (size_t i = 0; i < s->points; i++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = s->point[3 * i + (size_t)k] * (1 - f * (k + (int)(i / 8 % 3)) / 16.0);
            make_points(m, 1, x);
        }
    }
}

/* Writes the file, and frees the scene. */
static void space_write_scene(space_scene *s, const space_bodies *of, int shuffled)
{
    make m = {.unstructured = of->solids > 0, .cells = {{.name = "ObjectId"}}};
    make_list id = {0}, type = {0};
    if (shuffled)
        space_shuffle(s);
    for (size_t i = 0; i < s->cells; i++) {
        for (int k = 0; k < (s->cell[i][3] < 0 ? 3 : 4); k++)
            make_add(&id, s->cell[i][k]);
        make_add(&type, s->cell[i][3] < 0 ? 5 : 10);
        make_add(&m.cells[0].value, s->object[i]);
    }
    make_part_of(&m, (int64_t)s->points, (int64_t)s->cells, type.value, id.value);
    space_write_frames(s, &m, of->frames ? of->frames : 1);
    copy_file(make_write(&m, "made.vtkhdf"), IN);
    make_free(&m);
    free(id.value);
    free(type.value);
    free(s->cell);
    free(s->object);
    free(s->point);
}

/* Cells of scenes with an odd seed are in any order. */
static void space_write(const space_bodies *of, uint64_t seed)
{
    space_scene s = {.r = {seed}};
    space_fill(&s, of);
    space_write_scene(&s, of, seed % 2);
}

/* ---- the same result */

static void check_space_inside_same(const char *about, const char *path)
{
    static const char *const groups[] = {"VTKHDF", "impinge/relations", "impinge/swallowed"};
    static const char *const tables[] = {"input_frame",    "candidates",   "contacts",
                                         "bad_primitives", "checksum",     "undecided",
                                         "closed_objects", "open_objects", "relations_checksum"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *what = h5_same(WHOLE, path, groups[i]);
        EXPECT(!what, "%s: %s", about, what);
    }
    const char *what = h5_sound(path);
    EXPECT(!what, "%s: %s", about, what);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char name[60];
        size_t n = 0, m = 0;
        snprintf(name, sizeof name, "impinge/%s", tables[i]);
        int64_t *x = h5_ints(WHOLE, name, &n), *y = h5_ints(path, name, &m);
        EXPECT(n == m && !memcmp(x, y, n * sizeof *x), "%s: %s differs", about, name);
        free(x);
        free(y);
    }
    EXPECT(!strcmp(h5_origin(WHOLE, "options"), h5_origin(path, "options")), "%s: options", about);
}

/* What a run without --quiet prints before it names its result. */
static size_t space_report(const char *out)
{
    const char *events = strstr(out, "; impinge events "), *last = strstr(out, " written in ");
    if (events)
        return (size_t)(events - out);
    while (last && last > out && last[-1] != '\n')
        last--;
    return last ? (size_t)(last - out) : 0;
}

#define SPACE_OPTIONS 5

/* slabs: NULL: none. option, more: NULL-terminated, or so many; more: NULL: none */
static ran space_run(const char *out, const char *slabs, const char *const option[SPACE_OPTIONS],
                     const char *const *more)
{
    const char *word[40] = {"run", IN, "-o", out, "--force", CPU};
    size_t n = 0;
    while (word[n])
        n++;
    for (int i = 0; i < SPACE_OPTIONS && option[i]; i++)
        word[n++] = option[i];
    for (int i = 0; more && more[i]; i++)
        word[n++] = more[i];
    if (slabs) {
        word[n++] = "--space";
        word[n++] = slabs;
    }
    return program_run(word);
}

/* Any end of a run, also an error or warnings, is that of the run of whole frames. Returns its
 * code.
 */
static int check_space_inside(const char *about, const char *const *slabs,
                              const char *const option[SPACE_OPTIONS])
{
    unlink(WHOLE);
    unlink(OUT);
    ran whole = space_run(WHOLE, NULL, option, NULL);
    for (size_t k = 0; slabs[k]; k++) {
        char text[100];
        snprintf(text, sizeof text, "%s, %s in %s slabs", about, option[1] ? option[1] : "",
                 slabs[k]);
        ran cut = space_run(OUT, slabs[k], option, NULL);
        EXPECT(whole.code == cut.code && !strcmp(whole.err, cut.err),
               "%s: whole %d: %s, cut %d: %s", text, whole.code, whole.err, cut.code, cut.err);
        EXPECT(space_report(whole.out) == space_report(cut.out) &&
                   !strncmp(whole.out, cut.out, space_report(whole.out)),
               "%s: %s instead of %s", text, cut.out, whole.out);
        EXPECT(exists(WHOLE) == exists(OUT) && !exists_part(OUT) && !exists(at("out.vtkhdf.slabs")),
               "%s: files", text);
        if (exists(WHOLE) && exists(OUT))
            check_space_inside_same(text, OUT);
        ran_free(&cut);
    }
    const int code = whole.code;
    ran_free(&whole);
    return code;
}

static void check_space_inside_checked(const char *result)
{
    ran c = RAN("check", result, "--input", IN, "-q");
    EXPECT(ran_warned(&c), "^ check of %s", result);
    ran_free(&c);
}

static uint64_t space_rows(const char *path, const char *name)
{
    size_t n;
    free(h5_ints(path, name, &n));
    return n;
}

/* ---- any scenes */

static const struct {
    const char *name;
    space_bodies of;
} space_scenes[] = {
    {"boxes", {.boxes = 24}},
    {"frames", {.boxes = 14, .frames = 3, .open = 2}},
    {"boxes in boxes", {.nested = 9}},
    {"small ones on a large one", {.boxes = 30, .cushion = 18, .open = 3}},
    {"common vertices", {.boxes = 24, .shared = 1}},
    {"tetrahedra", {.boxes = 20, .solids = 1}},
    {"triangles and tetrahedra", {.boxes = 20, .solids = 2, .frames = 2, .open = 1, .cushion = 7}},
    {"far apart", {.boxes = 12, .spread = 0.75}},
    {"one object", {.boxes = 1}},
};

static const char *const space_options[][SPACE_OPTIONS] = {
    {"--inside"},
    {"--inside", "--rows=contacts"},
    {"--inside", "--rows=contacts", "--contacts=crossing", "--inside-winding=positive"},
    {"--inside", "--objects=connected"},
    {"--inside", "--pairs=between", "--rows=contacts", "--broad=grid", "--dop=18"},
    {"--inside=-50,-13,24,60,-40", "--inside-open=skip"},
    {"--inside=24,-13,-50", "--rows=contacts"},
};

#define SPACE_CASES (sizeof space_options / sizeof *space_options)

static void test_space_inside_scenes(void)
{
    static const char *const slabs[][3] = {{"2", "5"}, {"3", "7"}, {"4", "64"}};
    for (size_t i = 0; i < sizeof space_scenes / sizeof *space_scenes; i++)
        for (size_t k = 0; k < SPACE_CASES; k++) {
            space_write(&space_scenes[i].of, 7 * i + k);
            const int code =
                check_space_inside(space_scenes[i].name, slabs[(i + k) % 3], space_options[k]);
            EXPECT(code == 0 || k == SPACE_CASES - 1 || space_scenes[i].of.boxes == 1, "%s: %d",
                   space_scenes[i].name, code);
        }
}

/* The scenes have what is compared. */
static void test_space_inside_parts(void)
{
    static const char *const slabs[] = {"2", "3", "4", "5", "6", "7", NULL};
    space_write(&space_scenes[2].of, 3);
    check_space_inside("parts", slabs, space_options[0]);
    EXPECT(space_rows(OUT, "impinge/swallowed/In") > 20 &&
               space_rows(OUT, "impinge/relations/ObjectA") > 30 &&
               space_rows(OUT, "VTKHDF/CellData/VertexId") > 100,
           "parts, relations, or rows are few");
    check_space_inside_checked(OUT);
}

/* Pairs of objects from a list, or without those of a list. */
static void test_space_inside_pairs(void)
{
    static const char *const slabs[] = {"3", "6", NULL};
    char text[2000] = "", list[600], not [600];
    space_write(&space_scenes[3].of, 5);
    for (int i = 0; i < 30; i += 2)
        for (int k = 1; k < 4; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d %d\n",
                     (int)space_object(i), k < 3 ? (int)space_object(i + k) : 60);
    write_text(at("pairs.txt"), text);
    snprintf(list, sizeof list, "--object-pairs=%s", at("pairs.txt"));
    snprintf(not, sizeof not, "--object-pairs=-%s", at("pairs.txt"));
    check_space_inside("these pairs", slabs, (const char *const[SPACE_OPTIONS]){"--inside", list});
    check_space_inside("not these pairs", slabs,
                       (const char *const[SPACE_OPTIONS]){"--inside", not, "--rows=contacts"});
    EXPECT(space_rows(OUT, "impinge/relations/ObjectA") > 5, "relations are few");
}

/* ---- objects that are open, and bad vertices */

/* The first object of the list that is open is named, with vertices of the file, whatever slab it
 * is in. */
static void test_space_inside_open(void)
{
    static const char *const slabs[] = {"2", "5", "40", NULL};
    static const int body[][4] = {{20, 29, 3, 24}, {18, 4, 25, 7}, {2, 5, 28, 1}, {27, 19, 22, 26}};
    for (uint64_t seed = 0; seed < 8; seed++) {
        const int *of = body[seed % 4];
        char list[60];
        space_write(&(space_bodies){.boxes = 30, .open = 12, .cushion = 9, .solids = seed > 5},
                    seed);
        snprintf(list, sizeof list, "--inside=%d,%d,60,%d,%d", (int)space_object(of[0]),
                 (int)space_object(of[1]), (int)space_object(of[2]), (int)space_object(of[3]));
        check_space_inside("open", slabs, (const char *const[SPACE_OPTIONS]){list});
        EXPECT(seed > 5 || !exists(OUT), "objects of a list are closed");
        check_space_inside("skipped", slabs,
                           (const char *const[SPACE_OPTIONS]){list, "--inside-open=skip"});
    }
    char list[60];
    snprintf(list, sizeof list, "--inside=60,-60,%d,%d", (int)space_object(28),
             (int)space_object(29));
    space_write(&(space_bodies){.boxes = 30, .open = 3, .cushion = 9, .faceless = 40}, 3);
    check_space_inside("no face", slabs, (const char *const[SPACE_OPTIONS]){list});
    EXPECT(!exists(OUT), "an object without a face is closed");
}

static void test_space_inside_bad(void)
{
    static const char *const slabs[] = {"3", "8", NULL};
    static const char *const option[][SPACE_OPTIONS] = {
        {"--inside", "--on-bad=skip"},
        {"--inside", "--on-bad=skip", "--rows=contacts"},
        {"--inside", "--on-bad=skip", "--objects=connected"},
        {"--inside"}};
    for (int all = 0; all < 2; all++) {
        space_write(&(space_bodies){.boxes = 16, .cushion = 8}, 3);
        /* one vertex of a few boxes, or all of one box */
        for (size_t i = 0; i < 3; i++)
            h5_poke(IN, "VTKHDF/Points", 3 * (all ? 8 + i : 20 * i), i == 1 ? INFINITY : NAN);
        for (size_t i = 3; i < 8 && all; i++)
            h5_poke(IN, "VTKHDF/Points", 3 * (8 + i) + 1, NAN);
        for (size_t i = 0; i < sizeof option / sizeof *option; i++)
            check_space_inside("bad", slabs, option[i]);
    }
}

/* ---- shards */

static void space_shards(const char *const option[SPACE_OPTIONS], const char *slabs, int shards,
                         const char *const **words)
{
    static const char *word[20];
    size_t n = 0;
    word[n++] = "merge";
    word[n++] = OUT;
    word[n++] = "--force";
    word[n++] = "-q";
    for (int i = 0; i < shards; i++) {
        char name[40], text[40];
        snprintf(name, sizeof name, "shard%d.vtkhdf", i);
        snprintf(text, sizeof text, "%d/%d", i, shards);
        const char *const more[] = {"-q", "--shard", text, NULL};
        ran r = space_run(at(name), slabs, option, more);
        EXPECT(ran_well(&r), "^ shard %d", i);
        ran_free(&r);
        word[n++] = at(name);
    }
    word[n] = NULL;
    *words = word;
}

static void test_space_inside_shards(void)
{
    const char *const *merge;
    static const char *const columns[] = {"InsideB", "Contacts"};
    for (size_t i = 0; i < 2; i++) {
        space_write(&space_scenes[1].of, 11 + i);
        ran r = space_run(WHOLE, NULL, space_options[i], NULL);
        EXPECT(ran_well(&r), "^ whole");
        ran_free(&r);
        space_shards(space_options[i], "4", 5, &merge);
        r = program_run(merge);
        EXPECT(ran_well(&r), "^ merge");
        ran_free(&r);
        check_space_inside_same("shards", OUT);
        const char *x = h5_origin(WHOLE, "input_hash");
        EXPECT(!strcmp(x, h5_origin(OUT, "input_hash")), "input_hash");
        check_space_inside_checked(OUT);
        r = RAN("check", at("shard1.vtkhdf"), "--input", IN);
        EXPECT(ran_failed(&r, 3, "has contacts of slabs", "merge"), "^ check of a shard");
        ran_free(&r);
        char name[60];
        snprintf(name, sizeof name, "impinge/relations/%s", columns[i]);
        h5_poke(at("shard1.vtkhdf"), name, 0, 77);
        r = program_run(merge);
        EXPECT(ran_failed(&r, 3, "shard1.vtkhdf: frame", "other relations"), "^ a damaged shard");
        ran_free(&r);
    }
}

/* What a shard says about frames of which it has some slabs. */
static void test_space_inside_shard_said(void)
{
    const char *const *merge;
    space_write(&(space_bodies){.boxes = 8, .frames = 3, .spread = 4, .open = 8}, 2);
    space_shards(space_options[0], "4", 2, &merge);
    ran r = RAN("info", at("shard1.vtkhdf"));
    EXPECT(r.code == 0 && !strstr(r.out, "no object is closed"), "%s", r.out);
    ran_free(&r);
    space_write(&(space_bodies){.nested = 4, .frames = 3}, 2);
    space_shards(space_options[0], "4", 1, &merge);
    r = RAN("info", at("shard0.vtkhdf"), "--json");
    EXPECT(r.code == 0 && json_number(r.out, "closed_objects") == 4 &&
               json_number(r.out, "relations.0.frames.apart") == 0 &&
               json_number(r.out, "relations.5.frames.apart") == 0,
           "%s", r.out);
    ran_free(&r);
}

/* ---- interruptions */

static void test_space_inside_killed(void)
{
    const uint64_t count = test_count(TEST_SANITIZED ? 5 : 12);
    space_write(&(space_bodies){.boxes = 8, .nested = 3, .frames = 2}, 5);
    const sample_job whole = {"slabs of objects",    IN,    OUT,
                              at("out.vtkhdf.part"), WHOLE, {"--inside", "--block", "1"}};
    sample_job j = whole;
    j.option[3] = "--space";
    j.option[4] = "3";
    ran r = sample_job_run(&whole, WHOLE, "--force");
    EXPECT(ran_well(&r), "^ without interruption");
    ran_free(&r);
    sample_job_remove(&j);
    const long all = job_count(&j, NULL);
    for (uint64_t i = 0; i < count; i++) {
        const long n = job_moment(all, i, count);
        job_fragile("kill", n);
        r = sample_job_run(&j, OUT, NULL);
        program_plain();
        EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL, "kill at %ld: %d", n, r.code);
        ran_free(&r);
        r = sample_job_run(&j, OUT, "--resume");
        EXPECT(ran_well(&r), "^ going on after %ld", n);
        ran_free(&r);
        check_space_inside_same("killed", OUT);
        EXPECT(!exists(at("out.vtkhdf.slabs")) && !exists_part(at("out.vtkhdf.slabs")),
               "something is left after %ld", n);
        sample_job_remove(&j);
    }
    job_fragile("kill", all / 2);
    r = sample_job_run(&j, OUT, NULL);
    program_plain();
    ran_free(&r);
    EXPECT(exists_part(at("out.vtkhdf.slabs")), "no slabs");
    h5_poke(at("out.vtkhdf.slabs.part"), "impinge/relations/Contacts", 0, 17);
    r = sample_job_run(&j, OUT, "--resume");
    EXPECT(ran_failed(&r, 3, "cannot be resumed", "the relations of frame 0 are damaged"),
           "^ damaged relations");
    ran_free(&r);
    unlink(at("out.vtkhdf.slabs.part"));
}

/* ---- devices, sums and memory */

static void test_space_inside_device(void)
{
    static const char *const device[] = {"--device", "opencl", NULL};
    ran r = RAN("devices");
    const int there = strstr(r.out, "1 ") != NULL;
    ran_free(&r);
    for (size_t i = 3; i < 6 && there; i++) {
        space_write(&space_scenes[i].of, i);
        r = space_run(WHOLE, NULL, space_options[1], NULL);
        ran_free(&r);
        r = space_run(OUT, "3", space_options[1], device);
        EXPECT(r.code == 0 || r.code == 4, "%d: %s", r.code, r.err);
        if (r.code == 0)
            check_space_inside_same("a device", OUT);
        ran_free(&r);
    }
}

/* Sums, texts beside the result, and the primitives in all slabs: objects that overlap no other one
 * are in one slab only. */
static void test_space_inside_json(void)
{
    static const char *const same[] = {"frames",   "objects",        "candidates",
                                       "contacts", "closed_objects", "open_objects"};
    char *text[2];
    size_t size[2];
    space_write(&(space_bodies){.boxes = 12, .spread = 7, .nested = 3, .frames = 2, .open = 1}, 3);
    for (int cut = 0; cut < 2; cut++) {
        const char *csv = at(cut ? "cut.csv" : "whole.csv");
        const char *const more[] = {"--json", "--csv", csv, "--counts", at("counts.vtkhdf"), NULL};
        ran r = space_run(cut ? OUT : WHOLE, cut ? "6" : NULL, space_options[0], more);
        EXPECT(ran_well(&r), "^ json");
        text[cut] = r.out;
        r.out = NULL;
        ran_free(&r);
        free(file_text(csv, &size[cut]));
    }
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        EXPECT(json_number(text[0], same[i]) == json_number(text[1], same[i]), "%s", same[i]);
    const char *x = json_at(text[0], "relations"), *y = json_at(text[1], "relations");
    EXPECT(x && y && !strncmp(x, y, strcspn(x, "]")), "relations");
    EXPECT(json_number(text[0], "closed_objects") == 14, "%g closed",
           json_number(text[0], "closed_objects"));
    EXPECT(size[0] == size[1] && size[0] > 200, "tables of %zu and %zu bytes", size[0], size[1]);
    const double all = json_number(text[1], "primitives"),
                 cut = json_number(text[1], "slab_primitives");
    EXPECT(cut >= all && cut < all + 2 * 5 * 12, "%g primitives in slabs of %g", cut, all);
    free(text[0]);
    free(text[1]);
}

/* Of objects that overlap along one axis at most, each is in one slab; a box around all of them, of
 * no more primitives, is in each slab, and these are in one slab still. */
static void test_space_inside_apart(void)
{
    const char *const json[] = {"--json", NULL};
    for (int around = 0; around < 2; around++) {
        space_scene s = {.r = {1}};
        for (int i = 0; i < 64; i++)
            space_box(&s, i, (double[]){1.5 * (i % 4), 1.5 * (i / 4 % 4), 1.5 * (i / 16)}, 1, 0, 0,
                      -1);
        if (around)
            space_box(&s, 64, (double[]){-1, -1, -1}, 8, 0, 0, -1);
        space_write_scene(&s, &(space_bodies){0}, 0);
        ran r = space_run(OUT, "8", space_options[0], json);
        const double cut = json_number(r.out, "slab_primitives");
        EXPECT(r.code == 0 && cut >= 12 * (64 + around) && cut <= 12 * (64 + 8 * around),
               "%d, %s%s", r.code, r.out, r.err);
        ran_free(&r);
    }
}

/* Many objects that are too large for the memory together. */
static void test_space_inside_memory(void)
{
    static const char *const limit[] = {"--mem-limit=29M", NULL}, *const json[] = {
                                                                      "--mem-limit=29M", "--json",
                                                                      NULL};
    space_write(&(space_bodies){.boxes = 20, .cushion = 28, .more = 40}, 3);
    ran r = space_run(WHOLE, NULL, space_options[0], NULL);
    EXPECT(ran_well(&r), "^ whole");
    ran_free(&r);
    r = space_run(OUT, NULL, space_options[0], limit);
    EXPECT(ran_failed(&r, 5, "memory limit", NULL), "^ whole, limited");
    ran_free(&r);
    r = space_run(OUT, "24", space_options[0], json);
    EXPECT(r.code == 0 && json_number(r.out, "peak_bytes") < 29 << 20, "%d, %g: %s", r.code,
           json_number(r.out, "peak_bytes"), r.err);
    ran_free(&r);
    if (exists(OUT))
        check_space_inside_same("limited", OUT);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"scenes", test_space_inside_scenes},
                                 {"parts", test_space_inside_parts},
                                 {"pairs", test_space_inside_pairs},
                                 {"open", test_space_inside_open},
                                 {"bad", test_space_inside_bad},
                                 {"shards", test_space_inside_shards},
                                 {"shard_said", test_space_inside_shard_said},
                                 {"killed", test_space_inside_killed},
                                 {"device", test_space_inside_device},
                                 {"json", test_space_inside_json},
                                 {"apart", test_space_inside_apart},
                                 {"memory", test_space_inside_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "space_inside", tests);
}
