/* --continuous except the search for contacts: frames with different meshes are refused, a single
 * frame has no step, --baseline names a frame; pairs of the baseline; first contacts. */
#include "job.h"
#include "error.h"
#include "expect.h"
#include "contact_sums.h"
#include "frame.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "program.h"
#include "store.h"
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU "--device", "cpu", "--threads", "1"
#define TRIANGLES 12

/* ---- frames with different meshes */

/* The change in the last frame. */
enum change { SAME, TURNED, FEWER, MORE_VERTICES, OBJECTS, NAMES };

static void steps_test_add_frame(make *m, size_t f, enum change change, rng *r)
{
    int64_t corner[3 * TRIANGLES], vertices = 3 * TRIANGLES + (change == MORE_VERTICES);
    const int64_t triangles = TRIANGLES - (change == FEWER);
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        corner[i] = i;
    if (change == TURNED) {
        corner[15] = 16;
        corner[16] = 15;
    }
    make_part(m, vertices, triangles, corner);
    make_step_next(m, (double)f, 1);
    make_random_points(m, (size_t)vertices, r);
    for (int64_t i = 0; i < triangles; i++) {
        make_add(&m->cells[0].value, i / 5 + (change == OBJECTS && i == 7));
        make_add(&m->cells[1].value, 3 * i + (change == NAMES && i == 7));
    }
}

/* Three frames, the last of which is changed; each has its own mesh in the file. */
static const char *changed_batch(enum change change)
{
    make m = {.cells = {{.name = "ObjectId"}, {.name = "PrimitiveId"}}};
    rng r = {3};
    for (size_t f = 0; f < 3; f++)
        steps_test_add_frame(&m, f, f == 2 ? change : SAME, &r);
    const char *path = make_write(&m, "changed.vtkhdf");
    make_free(&m);
    return path;
}

/* Refused in one line, by run and by bench; no output is created. */
static void check_steps_refused(const char *in, int code, const char *const *more, const char *word,
                                const char *word2)
{
    const char *out = at("refused.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "-q", more[0], more[1], more[2], more[3], more[4]);
    EXPECT(ran_failed(&r, code, word, word2), "^ run %s", word);
    EXPECT(!exists(out) && !exists_part(out), "OUT is there: %s", word);
    ran_free(&r);
    r = RAN("bench", in, CPU, "-q", "--reps", "1", more[0], more[1], more[2], more[3], more[4]);
    EXPECT(ran_failed(&r, code, word, word2), "^ bench %s", word);
    ran_free(&r);
}

#define REFUSED(in, code, word, word2, ...)                                                        \
    check_steps_refused(                                                                           \
        in, code, (const char *const[]){__VA_ARGS__, NULL, NULL, NULL, NULL, NULL}, word, word2)

static void test_steps_meshes(void)
{
    static const struct {
        enum change change;
        const char *what, *back, *base; /* between frames 1 and 2, and between 2 and 0 */
    } cases[] = {
        {TURNED, "(vertices of primitives)", "(vertices of primitives)",
         "(vertices of primitives)"},
        {FEWER, "(12 and 11 primitives)", "(11 and 12 primitives)", "(numbers of primitives)"},
        {MORE_VERTICES, "(36 and 37 vertices)", "(37 and 36 vertices)", "(numbers of vertices)"},
        {OBJECTS, "(objects)", "(objects)", "(objects)"},
        {NAMES, "(names of primitives)", "(names of primitives)", "(names of primitives)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *in = changed_batch(cases[i].change);
        REFUSED(in, 3, "frames 1 and 2 have different meshes", cases[i].what, "--continuous");
        REFUSED(in, 3, "frames 2 and 0 have different meshes", cases[i].back, "--continuous",
                "--frames=::-2");
        REFUSED(in, 3, "frames 2 and 0 have different meshes", cases[i].base, "--continuous",
                "--baseline=2", "--frames=:1");
    }
}

/* Whether a body may rotate in the step. */
static int steps_test_rotates(const double q[4], double spin, double seconds)
{
    const imp_pose from = {.rotation = {0.6, 0, 0.8, 0}, .spin = {0, spin}};
    imp_pose to = {.centre = {1, 2, 3}};
    memcpy(to.rotation, q, sizeof to.rotation);
    return motion_rotates(&from, &to, seconds);
}

/* Opposite quaternions are the same rotation. A body that ends as it began may have made whole
 * turns. */
static void test_poses(void)
{
    const double same[] = {0.6, 0, 0.8, 0}, opposite[] = {-0.6, 0, -0.8, 0};
    const double other[] = {0.6, 0, -0.8, 0}, near[] = {0.6, 0, 0.8, 0x1p-60};
    CU_ASSERT(!steps_test_rotates(same, 0, 1) && !steps_test_rotates(opposite, 0, 1) &&
              !steps_test_rotates(opposite, 0, NAN));
    CU_ASSERT(steps_test_rotates(other, 0, 1) && steps_test_rotates(near, 0, 1));
    CU_ASSERT(!steps_test_rotates(same, 3.1, 1) && steps_test_rotates(same, 3.2, 1) &&
              steps_test_rotates(same, 3.2, -1));
    CU_ASSERT(!steps_test_rotates(same, 3.2, 0.9) && steps_test_rotates(same, 1, NAN) &&
              steps_test_rotates(opposite, 7, 1));
}

/* ---- blocks that overlap by a frame */

static void check_frames_same(const batch_block *got, const batch_block *want, const char *in)
{
    for (size_t i = 0; i < want->count; i++) {
        const imp_frame *f = &got->frame[i], *g = &want->frame[i];
        const size_t bytes = frame_point_bytes(g) * g->mesh->vertices;
        EXPECT(f->number == g->number && !batch_mesh_differs(f->mesh, g->mesh) &&
                   !memcmp(f->point, g->point, bytes),
               "%s: frame %llu is another", in, (unsigned long long)g->number);
        EXPECT(!f->pose == !g->pose &&
                   (!f->pose || !memcmp(f->pose, g->pose, g->mesh->bodies * sizeof *f->pose)),
               "%s: frame %llu has other poses", in, (unsigned long long)g->number);
    }
}

/* Reads each block once after its predecessor, and once alone. */
static void check_continued(const char *in, uint64_t frames, size_t most, int back)
{
    mem m = {0};
    batch *b = NULL;
    batch_block before = {0}, block = {0}, alone = {0};
    const int64_t step = back ? -1 : 1;
    CU_ASSERT_FATAL(!batch_open(&m, in, BATCH_OBJECT_ID, "", &b));
    for (uint64_t i = 0; i + 1 < frames; i += most) {
        const size_t n = (size_t)(frames - 1 - i < most ? frames - 1 - i : most) + 1;
        const uint64_t first = back ? frames - 1 - i : i;
        CU_ASSERT(!batch_read_after(b, &before, first, step, n, &block));
        CU_ASSERT(!batch_read(b, first, step, n, &alone));
        check_frames_same(&block, &alone, in);
        batch_block_free(&before);
        before = block;
        block = (batch_block){0};
    }
    batch_block_free(&before);
    batch_block_free(&alone);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

/* The shared frame is copied, not read again: a change in memory is copied with it. A frame that is
 * not shared is read. */
static void test_copied(void)
{
    make made = {0};
    make_moving(&made, 5, 30, 4);
    const char *in = make_write(&made, "moving.vtkhdf");
    mem m = {0};
    batch *b = NULL;
    batch_block before = {0}, block = {0};
    CU_ASSERT_FATAL(!batch_open(&m, in, BATCH_OBJECT_ID, "", &b));
    CU_ASSERT_FATAL(!batch_read(b, 0, 1, 3, &before));
    ((double *)before.point)[2 * 3 * 90 + 7] = 1e9;
    CU_ASSERT_FATAL(!batch_read_after(b, &before, 2, 1, 2, &block));
    CU_ASSERT(((const double *)block.frame[0].point)[7] == 1e9);
    CU_ASSERT(((const double *)block.frame[1].point)[7] == made.points.value[3 * 3 * 90 + 7]);
    CU_ASSERT_FATAL(!batch_read_after(b, &before, 1, 1, 2, &block));
    CU_ASSERT(((const double *)block.frame[0].point)[7] == made.points.value[3 * 90 + 7]);
    CU_ASSERT(((const double *)block.frame[1].point)[7] == made.points.value[2 * 3 * 90 + 7]);
    batch_block_free(&before);
    batch_block_free(&block);
    batch_close(b);
    make_free(&made);
}

static void test_continued(void)
{
    make m = {.point_type = H5T_IEEE_F32LE};
    const char *in = at("bodies.vtkhdf");
    ran r = RAN("generate", "missile", "-n", "600", "--frames", "6", "-o", in, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    make_moving(&m, 6, 30, 4);
    for (size_t most = 1; most < 7; most++)
        for (int back = 0; back < 2; back++) {
            check_continued(in, 6, most, back);
            check_continued(make_write(&m, "moving.vtkhdf"), 6, most, back);
            check_continued(changed_batch(OBJECTS), 3, most, back);
            check_continued(changed_batch(MORE_VERTICES), 3, most, back);
        }
    make_free(&m);
}

/* ---- selections without a step */

static void check_steps_empty(const char *out, const char *in, const ran *r)
{
    EXPECT(r->code == 0 && count_lines(r->err) == 1 && strstr(r->err, "only one frame is selected"),
           "exit %d: %s", r->code, r->err);
    EXPECT(json_number(r->out, "frames") == 0 && json_number(r->out, "contacts") == 0 &&
               strstr(json_at(r->out, "warnings.0"), "only one frame"),
           "%s", r->out);
    const char *what = h5_sound(out);
    EXPECT(!what, "%s", what);
    CU_ASSERT(h5_peek(out, "impinge/frames_done", 0) == 0);
    ran again = RAN("run", in, "-o", out, CPU, "--continuous", "--frames=1:2", "-q", "--resume");
    EXPECT(ran_warned(&again), "^ --resume");
    ran_free(&again);
}

static void test_one_frame(void)
{
    const char *in = changed_batch(SAME), *out = at("one.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "--continuous", "--frames=1:2", "--json",
                "--fail-on-collision");
    check_steps_empty(out, in, &r);
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(r.code == 0 && strstr(r.out, "\nsteps      0, "), "%s", r.out);
    ran_free(&r);
    r = RAN("info", out, "--json");
    EXPECT(json_number(r.out, "frames") == 0 && !strcmp(json_at(r.out, "continuous"), "true") &&
               !strcmp(json_at(r.out, "complete"), "true"),
           "%s", r.out);
    ran_free(&r);
}

/* ---- values of --baseline */

static void test_steps_usage(void)
{
    const char *in = changed_batch(SAME), *out = at("usage.vtkhdf");
    REFUSED(in, 2, "--baseline: there is no frame 3", "has 3", "--continuous", "--baseline=3");
    REFUSED(in, 2, "--baseline: '-1' is not", NULL, "--continuous", "--baseline=-1");
    REFUSED(in, 2, "--baseline: '1x' is not", NULL, "--continuous", "--baseline=1x");
    REFUSED(in, 2, "--baseline: only with --continuous", NULL, "--baseline=1");
    ran r = RAN("run", in, "-o", out, CPU, "--continuous", "--frames=1:2", "-q", "--baseline=0");
    EXPECT(ran_warned(&r), "^ --baseline 0");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--continuous", "--frames=1:2", "-q", "--resume");
    EXPECT(ran_failed(&r, 2, "--baseline was 0, is not given", NULL), "^ --resume without it");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--continuous", "--frames=1:2", "-q", "--resume",
            "--baseline=2");
    EXPECT(ran_failed(&r, 2, "--baseline was 0, is 2", NULL), "^ --resume with another one");
    ran_free(&r);
}

/* ---- --baseline */

#define ROWS 4000

typedef struct taken {
    size_t count, calls;
    uint32_t a[ROWS], b[ROWS];
    double toi[ROWS];
    int stop; /* at this call */
} taken;

static int steps_count_sink(void *user, const imp_contacts *c)
{
    taken *t = user;
    CU_ASSERT(c->count > 0 && t->count + c->count <= ROWS);
    memcpy(t->a + t->count, c->a, c->count * sizeof *c->a);
    memcpy(t->b + t->count, c->b, c->count * sizeof *c->b);
    memcpy(t->toi + t->count, c->toi, c->count * sizeof *c->toi);
    t->count += c->count;
    return (int)++t->calls == t->stop ? 17 : 0;
}

/* Whether the pair (x, y) is in the baseline; rows are in any order. */
static int left_out(uint32_t x, uint32_t y, int kind)
{
    return kind == 0 ? 0 : kind == 1 ? 1 : (x * 7 + y * 3) % 5 < 2;
}

#define NUMBERS 60

static void fill_baseline(baseline *b, mem *m, int kind)
{
    for (uint32_t x = 0; x < NUMBERS; x++) {
        uint32_t a[NUMBERS], y[NUMBERS];
        size_t n = 0;
        for (uint32_t i = x + 1; i < NUMBERS; i++)
            if (left_out(x, i, kind)) {
                a[n] = x;
                y[n++] = i;
            }
        const imp_contacts c = {.count = n, .a = a, .b = y};
        CU_ASSERT_EQUAL_FATAL(baseline_add(b, m, &c, NULL), 0);
    }
}

static void check_left_out(int kind)
{
    static uint32_t a[ROWS], b[ROWS];
    static double toi[ROWS], point[6 * ROWS];
    static uint8_t kinds[ROWS];
    static taken t;
    mem m = {0};
    baseline base = {0};
    rng r = {(uint64_t)kind};
    size_t next = 0, wrong = 0;
    fill_baseline(&base, &m, kind);
    for (size_t i = 0; i < ROWS; i++) {
        a[i] = rng_below(&r, NUMBERS - 1);
        b[i] = a[i] + 1 + rng_below(&r, NUMBERS - 1 - a[i]);
        toi[i] = (double)i;
    }
    const imp_contacts c = {
        .count = ROWS, .a = a, .b = b, .kind = kinds, .points = point, .toi = toi};
    t = (taken){0};
    CU_ASSERT_EQUAL(baseline_filter(&base, &c, NULL, steps_count_sink, &t), 0);
    for (size_t i = 0; i < ROWS; i++) {
        if (left_out(a[i], b[i], kind))
            continue;
        wrong += next >= t.count || t.a[next] != a[i] || t.b[next] != b[i] || t.toi[next] != toi[i];
        next++;
    }
    EXPECT(!wrong && next == t.count, "kind %d: %zu rows, of %zu %zu wrong", kind, t.count, next,
           wrong);
    EXPECT(kind || t.calls == 1, "%zu calls without a baseline", t.calls);
    t = (taken){.stop = 1};
    CU_ASSERT(baseline_filter(&base, &c, NULL, steps_count_sink, &t) == (kind == 1 ? 0 : 17) &&
              t.calls <= 1);
    baseline_free(&base, &m);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

static void test_steps_left_out(void)
{
    for (int kind = 0; kind < 3; kind++)
        check_left_out(kind);
}

/* ---- first contacts */

#define OBJECTS_MOST 40

/* The earliest contact of each pair, in any order of insertion; of ties the one added first; and
 * the frames and the greatest depth of all. */
static void test_first(void)
{
    static first_contact want[OBJECTS_MOST][OBJECTS_MOST];
    mem m = {0};
    first_contacts t = {.mem = &m};
    rng r = {8};
    memset(want, 0, sizeof want);
    CU_ASSERT_PTR_NULL(first_contacts_find(&t, 0, 0));
    for (int i = 0; i < 20000; i++) {
        const int32_t a = (int32_t)rng_below(&r, OBJECTS_MOST - 2),
                      b = a + (int32_t)rng_below(&r, 2);
        const uint64_t step = rng_below(&r, 9);
        first_contact c = first_contact_row(step, 100 - step);
        c.a = a - 20;
        c.b = b - 20;
        c.toi = rng_unit(&r);
        c.time = rng_unit(&r);
        c.depth = rng_below(&r, 500);
        first_contact *w = &want[a][b], was = *w;
        if (!w->known || step < w->at.step || (step == w->at.step && c.toi < w->toi))
            *w = c;
        if (was.known) {
            const int deeper =
                c.depth > was.depth || (c.depth == was.depth && step < was.deepest.step);
            w->depth = deeper ? c.depth : was.depth;
            w->deepest = deeper ? c.deepest : was.deepest;
            w->begin = step < was.begin.step ? c.begin : was.begin;
            w->end = step > was.end.step ? c.end : was.end;
        }
        CU_ASSERT_EQUAL_FATAL(first_contacts_add(&t, &c), 0);
    }
    size_t wrong = 0, known = 0;
    for (int a = 0; a < OBJECTS_MOST; a++)
        for (int b = 0; b < OBJECTS_MOST; b++) {
            const first_contact *w = &want[a][b], *c = first_contacts_find(&t, a - 20, b - 20);
            known += w->known != 0;
            wrong += !c != !w->known ||
                     (c && (c->at.step != w->at.step || c->at.frame != w->at.frame ||
                            c->toi != w->toi || c->time != w->time || c->depth != w->depth ||
                            c->deepest.frame != w->deepest.frame ||
                            c->begin.frame != w->begin.frame || c->end.frame != w->end.frame));
        }
    EXPECT(!wrong && known == t.count && known > 70, "%zu pairs, %zu wrong", known, wrong);
    first_contacts_free(&t);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

/* Without memory an error is returned. */
static void test_first_memory(void)
{
    mem m = {.limit = 10000};
    first_contacts t = {.mem = &m};
    int err = 0;
    for (int32_t i = 0; i < 1000 && !err; i++)
        err = first_contacts_add(&t, &(first_contact){.a = i, .b = i});
    CU_ASSERT_EQUAL(err, IMP_ERR_MEMORY);
    first_contacts_free(&t);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"meshes", test_steps_meshes},
                                 {"poses", test_poses},

                                 {"copied", test_copied},
                                 {"continued", test_continued},
                                 {"one_frame", test_one_frame},
                                 {"usage", test_steps_usage},
                                 {"left_out", test_steps_left_out},
                                 {"first", test_first},
                                 {"first_memory", test_first_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "steps", tests);
}
