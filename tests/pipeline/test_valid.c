/* Invalid options and input: each is an error that names the fault and its place, and nothing is
 * read or written beyond the caller's arrays. */
#include "expect.h"
#include "made.h"
#include "ways.h"

#include <math.h>
#include <string.h>

/* ---- options */

static void test_valid_options(void)
{
    int something;
    static const int32_t one_pair[1][2] = {{0, 1}};
    static const struct {
        imp_def def;
        int err;
        const char *text;
    } rows[] = {
        {{.dop_k = 7}, IMP_ERR_ARGUMENT, "dop_k: 7"},
        {{.dop_k = -6}, IMP_ERR_ARGUMENT, "-6"},
        {{.cell = -1}, IMP_ERR_ARGUMENT, "cell"},
        {{.cell = NAN}, IMP_ERR_ARGUMENT, "cell"},
        {{.cell = INFINITY}, IMP_ERR_ARGUMENT, "cell"},
        {{.cell = 1, .broad = "grid"}, IMP_ERR_ARGUMENT, "'grid'"},
        {{.cell = 1, .broad = "brute"}, IMP_ERR_ARGUMENT, "'brute'"},
        {{.broad = "sweep"}, IMP_ERR_ARGUMENT, "sweep"},
        {{.broad = ""}, IMP_ERR_ARGUMENT, "broad"},
        {{.threads = -1}, IMP_ERR_ARGUMENT, "threads"},
        {{.threads = 1000000000}, IMP_ERR_ARGUMENT, "threads"},
        {{.object_pairs = 3}, IMP_ERR_ARGUMENT, "object_pair: NULL"},
        {{.object_pairs = SIZE_MAX}, IMP_ERR_ARGUMENT, "object_pairs"},
        {{.object_pair = one_pair}, IMP_ERR_ARGUMENT, "list is empty"},
        {{.adjacent = 2}, IMP_ERR_ARGUMENT, "adjacent"},
        {{.pairs = 3}, IMP_ERR_ARGUMENT, "pairs"},
        {{.stage = -1}, IMP_ERR_ARGUMENT, "stage"},
        {{.on_bad = 9}, IMP_ERR_ARGUMENT, "on_bad"},
        {{.device = "no such"}, IMP_ERR_DEVICE, "no such"},
        {{.device = "77"}, IMP_ERR_DEVICE, "77"},
        {{.device = "cpu", .mem_limit = 1}, IMP_ERR_MEMORY, "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        imp *p = (imp *)&something;
        CU_ASSERT_EQUAL(imp_create(&rows[i].def, &p), rows[i].err);
        CU_ASSERT_PTR_NULL(p);
        CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), rows[i].text));
        CU_ASSERT_PTR_NULL(strchr(imp_error_text(), '\n'));
    }
}

/* Only the hash has cells, so a cell size selects it. */
static void test_cell(void)
{
    const char *const names[] = {NULL, "auto", "hash"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        imp *p = NULL;
        imp_def def = {.device = "cpu", .broad = names[i], .cell = 0.5};
        CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
        CU_ASSERT_STRING_EQUAL(imp_broad_name(p), "hash");
        imp_destroy(p);
    }
}

/* ---- pairs of objects that the rules leave */

#define RULES_FRAMES 3
#define RULES_PRIMITIVES 5
#define RULES_LIST 4

/* members: a choice of pairs, and objects of frames */
typedef struct rules_case {
    imp_def def;
    int32_t pair[RULES_LIST][2];
    int32_t object[RULES_FRAMES][RULES_PRIMITIVES];
    uint32_t primitives[RULES_FRAMES], frames;
} rules_case;

static int32_t some_object(rng *r)
{
    return (int32_t)rng_below(r, 5) - 2;
}

static void rules_make(rng *r, rules_case *c)
{
    *c = (rules_case){.def = {.pairs = (int)rng_below(r, 3)}};
    if (rng_below(r, 3)) {
        c->def.object_pairs_exclude = (int)rng_below(r, 2);
        c->def.object_pairs = 1 + rng_below(r, RULES_LIST);
        c->def.object_pair = (const int32_t(*)[2])c->pair;
    }
    for (size_t i = 0; i < RULES_LIST; i++)
        for (int k = 0; k < 2; k++)
            c->pair[i][k] = some_object(r);
    c->frames = rng_below(r, RULES_FRAMES + 1);
    for (uint32_t f = 0; f < c->frames; f++) {
        c->primitives[f] = rng_below(r, RULES_PRIMITIVES + 1);
        for (uint32_t i = 0; i < c->primitives[f]; i++)
            c->object[f][i] = rng_below(r, 3) && i ? c->object[f][i - 1] : some_object(r);
    }
}

static int rules_allowed(const rules_case *c, int32_t a, int32_t b)
{
    int listed = 0;
    for (size_t i = 0; i < c->def.object_pairs; i++)
        listed |= (c->pair[i][0] == a && c->pair[i][1] == b) ||
                  (c->pair[i][0] == b && c->pair[i][1] == a);
    return (!c->def.pairs || (c->def.pairs == IMP_PAIRS_SELF) == (a == b)) &&
           (!c->def.object_pair || listed != c->def.object_pairs_exclude);
}

/* Whether the rules leave a pair, by looking at every pair of objects of every frame. -1: no
 * primitive. */
static int rules_leave(const rules_case *c)
{
    int any = 0, left = 0;
    for (uint32_t f = 0; f < c->frames; f++)
        for (uint32_t i = 0; i < c->primitives[f]; i++) {
            any = 1;
            for (uint32_t k = 0; k < c->primitives[f]; k++)
                left |= rules_allowed(c, c->object[f][i], c->object[f][k]);
        }
    return any ? left : -1;
}

static int rules_there(const rules_case *c, int32_t id)
{
    for (uint32_t f = 0; f < c->frames; f++)
        for (uint32_t i = 0; i < c->primitives[f]; i++)
            if (c->object[f][i] == id)
                return 1;
    return 0;
}

static void rules_look(const rules_case *c)
{
    imp_rules *r = NULL;
    size_t at = 0, found = 0, missing = 0;
    int32_t id, last = INT32_MIN;
    const int left = rules_leave(c);
    CU_ASSERT_EQUAL_FATAL(imp_rules_create(&c->def, &r), IMP_OK);
    for (uint32_t f = 0; f < c->frames; f++)
        CU_ASSERT_EQUAL(imp_rules_add(r, c->object[f], c->primitives[f]), IMP_OK);
    const int err = imp_rules_check(r);
    EXPECT(err == (left ? IMP_OK : IMP_ERR_ARGUMENT), "%d, but %d is left: %s", err, left,
           err ? imp_error_text() : "");
    for (; imp_rules_missing(r, &at, &id); found++) {
        EXPECT(!rules_there(c, id) && id > last, "object %d is there, or comes again", id);
        last = id;
    }
    for (id = -2; id < 3; id++) {
        int named = 0;
        for (size_t i = 0; i < c->def.object_pairs; i++)
            named |= c->pair[i][0] == id || c->pair[i][1] == id;
        missing += (size_t)(named && left >= 0 && !rules_there(c, id));
    }
    EXPECT(found == missing, "%zu objects are missing, not %zu", missing, found);
    imp_rules_destroy(r);
}

static void test_valid_rules(void)
{
    rng r = {5};
    rules_case c;
    int counts[3] = {0};
    for (int i = 0; i < 20000; i++) {
        rules_make(&r, &c);
        rules_look(&c);
        counts[rules_leave(&c) + 1]++;
    }
    EXPECT(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000, "%d, %d, %d", counts[0],
           counts[1], counts[2]);
    imp_rules *none = NULL;
    CU_ASSERT_EQUAL(imp_rules_create(&(imp_def){.pairs = IMP_PAIRS_BETWEEN}, &none), IMP_OK);
    CU_ASSERT_EQUAL(imp_rules_add(none, NULL, 7), IMP_OK);
    CU_ASSERT_EQUAL(imp_rules_check(none), IMP_ERR_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "one object, 0"));
    imp_rules_destroy(none);
    CU_ASSERT_EQUAL(imp_rules_create(NULL, &none), IMP_OK);
    CU_ASSERT_EQUAL(imp_rules_add(none, NULL, 7), IMP_OK);
    CU_ASSERT_EQUAL(imp_rules_check(none), IMP_OK);
    imp_rules_destroy(none);
    imp_rules_destroy(NULL);
    CU_ASSERT_EQUAL(imp_rules_create(&(imp_def){.object_pairs = 1}, &none), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_rules_create(NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_rules_add(NULL, NULL, 1), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_rules_check(NULL), IMP_ERR_ARGUMENT);
}

static void test_defaults(void)
{
    imp *p = NULL;
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.expect = 1000}, &p), 0);
    CU_ASSERT_STRING_EQUAL(imp_device_name(p), "cpu");
    CU_ASSERT_STRING_EQUAL(imp_broad_name(p), "auto");
    imp_destroy(p);
    CU_ASSERT_EQUAL(imp_create(NULL, &p), 0);
    imp_destroy(p);
    imp_destroy(NULL);
    for (int code = -20; code < 20; code++)
        CU_ASSERT(strlen(imp_strerror(code)) > 0);
}

/* ---- invalid frames: none of the call's frames is processed, and nothing is read beyond them */

#define SPOILT 3

typedef struct spoilt {
    imp_mesh mesh[SPOILT];
    imp_frame frame[SPOILT];
    uint32_t triangle[9];
    double point[18];
} spoilt;

/* Frames 10, 11, 12 of three loose triangles each; 0 and 1 share a mesh. */
static spoilt unspoilt(void)
{
    spoilt s = {.point = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 2, 0, 0}};
    for (uint32_t i = 0; i < 9; i++)
        s.triangle[i] = i % 6;
    return s;
}

static void spoilt_link(spoilt *s)
{
    for (int f = 0; f < SPOILT; f++) {
        s->mesh[f] = (imp_mesh){.vertices = 6, .primitives = 3, .corner = s->triangle};
        s->frame[f] = (imp_frame){&s->mesh[f < 2 ? 0 : f], s->point, IMP_FLOAT64, 10 + (uint64_t)f};
    }
}

static int never(void *user, const imp_contacts *c)
{
    (void)c;
    ++*(int *)user;
    return 0;
}

/* IMP_ERR_ARGUMENT with these words, before any contact */
static void valid_test_expect_refused(const spoilt *s, imp *p, const char *words)
{
    int called = 0;
    int err = imp_detect(p, s->frame, SPOILT, never, &called, NULL);
    EXPECT(err == IMP_ERR_ARGUMENT && !called && strstr(imp_error_text(), words),
           "error %d after %d calls, not '%s': '%s'", err, called, words, imp_error_text());
}

static void spoil_numbers(imp *p)
{
    for (uint32_t i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) {
            static const uint32_t wrong[] = {6, 7, UINT32_MAX};
            char words[100];
            spoilt s = unspoilt();
            uint32_t own[9];
            spoilt_link(&s);
            memcpy(own, s.triangle, sizeof own);
            own[i] = wrong[k];
            s.mesh[2].corner = own;
            snprintf(words, sizeof words, "frame 12: corner %u of triangle %u is vertex %u", i % 3,
                     i / 3, wrong[k]);
            valid_test_expect_refused(&s, p, words);
            s.mesh[0].corner = own;
            s.frame[0].number = 7;
            snprintf(words, sizeof words, "frame 7: corner %u of triangle %u is vertex %u", i % 3,
                     i / 3, wrong[k]);
            valid_test_expect_refused(&s, p, words);
        }
}

#define SPOIL(change, words)                                                                       \
    do {                                                                                           \
        spoilt s = unspoilt();                                                                     \
        spoilt_link(&s);                                                                           \
        change;                                                                                    \
        valid_test_expect_refused(&s, p, words);                                                   \
    } while (0)

static void spoil_rest(imp *p)
{
    SPOIL(s.frame[1].mesh = NULL, "frame 11: mesh is NULL");
    SPOIL(s.frame[2].point = NULL, "frame 12: point is NULL");
    SPOIL(s.mesh[2].corner = NULL, "frame 12: corner is NULL");
    SPOIL(s.frame[1].type = 2, "frame 11: there is no type 2");
    SPOIL(s.frame[0].type = -1, "frame 10: there is no type -1");
    SPOIL(s.mesh[2].primitives = 0x80000000u, "frame 12: 2147483648 primitives");
    SPOIL(s.mesh[2].primitives = UINT32_MAX, "frame 12: 4294967295 primitives");
    SPOIL(s.mesh[2].vertices = UINT32_MAX, "frame 12: 4294967295 vertices");
    SPOIL(s.mesh[2].vertices = 0, "frame 12: corner 0 of triangle 0 is vertex 0, but there are 0");
    SPOIL(s.mesh[0].vertices = 5, "frame 10: corner 2 of triangle 1 is vertex 5, but there are 5");
    CU_ASSERT_EQUAL(imp_detect(p, NULL, 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "NULL"));
}

/* Frames larger than any valid one, whose sizes overflow in sums. */
static void absurd_blocks(const imp *p)
{
    static const uint64_t size[] = {0,         1, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 1,
                                    UINT64_MAX};
    const size_t sizes = sizeof size / sizeof *size;
    for (size_t i = 0; i < sizes * sizes; i++) {
        const uint64_t vertices = size[i / sizes], primitives = size[i % sizes];
        const size_t n = imp_block_frames(p, vertices, primitives);
        EXPECT(n > 0 && (n == 1 || (vertices < 2 && primitives < 2)),
               "%zu frames of %llu vertices and %llu primitives", n, (unsigned long long)vertices,
               (unsigned long long)primitives);
    }
}

static void test_absurd_blocks(void)
{
    static const imp_def defs[] = {{.device = "cpu"},
                                   {.device = "cpu", .continuous = 1},
                                   {.device = "cpu", .block = UINT32_MAX}};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        imp *p = NULL;
        CU_ASSERT_EQUAL_FATAL(imp_create(&defs[i], &p), 0);
        absurd_blocks(p);
        imp_destroy(p);
    }
    CU_ASSERT_EQUAL(imp_block_frames(NULL, 1, 1), 1);
}

/* A NULL pipeline, or a NULL pointer for the result. */
static void test_no_pipeline(void)
{
    imp_profile t = {.frames = 7};
    imp_device_info info;
    const char *name;
    uint64_t blocks;
    imp *p = NULL;
    imp_forget(NULL);
    imp_cancel(NULL);
    imp_profile_reset(NULL);
    imp_profile_get(NULL, &t);
    CU_ASSERT(t.frames == 0 && t.peak_bytes == 0);
    CU_ASSERT_STRING_EQUAL(imp_device_name(NULL), "");
    CU_ASSERT_STRING_EQUAL(imp_broad_name(NULL), "");
    CU_ASSERT_EQUAL(imp_broad_at(NULL, 0, &name, &blocks), 0);
    CU_ASSERT_EQUAL(imp_device_at(0, NULL), 0);
    CU_ASSERT_EQUAL(imp_device_at(SIZE_MAX, &info), 0);
    CU_ASSERT_EQUAL(imp_touches(NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .volume = IMP_VOLUME_OBB}, &p), 0);
    CU_ASSERT_EQUAL(imp_touches(p, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_broad_at(p, 0, NULL, &blocks), 0);
    CU_ASSERT_EQUAL(imp_broad_at(p, 0, &name, NULL), 0);
    CU_ASSERT_EQUAL(imp_broad_at(p, SIZE_MAX, &name, &blocks), 0);
    imp_profile_get(p, NULL);
    imp_destroy(p);
    CU_ASSERT_EQUAL(imp_set_error(7, NULL), 7);
}

static void test_no_model(void)
{
    imp_model *m = NULL;
    const imp_mesh none = {.corners = IMP_TRIANGLES};
    const double x[3] = {NAN, 0, 0};
    CU_ASSERT_EQUAL(imp_model_create(NULL, IMP_TRIANGLES, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_add_vertices(NULL, x, 1, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_move(NULL, NULL, x, 1), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_add(NULL, &none), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_remove(NULL, NULL, 0), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_replace(NULL, NULL, 0, &none), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_query(NULL, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_PTR_NULL(imp_model_mesh(NULL));
    CU_ASSERT_PTR_NULL(imp_model_pipeline(NULL));
    CU_ASSERT_EQUAL(imp_model_position(NULL, 0), -1);
    imp_model_destroy(NULL);
    CU_ASSERT_EQUAL_FATAL(imp_model_create(&(imp_def){.device = "cpu"}, IMP_TRIANGLES, &m), 0);
    CU_ASSERT_EQUAL(imp_model_add(m, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_remove(m, NULL, 1), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, x, 1, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, NULL, UINT32_MAX, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_move(m, NULL, NULL, UINT32_MAX), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_model_query(m, NULL, NULL, NULL), 0);
    imp_model_destroy(m);
}

/* The rotation of bodies depends on the time between two frames. */
static void test_valid_times(void)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static const int32_t body[1] = {0};
    imp *p = NULL;
    spoilt s = unspoilt();
    const imp_pose pose = {.rotation = {1, 0, 0, 0}};
    spoilt_link(&s);
    s.mesh[0].bodies = 1;
    s.mesh[0].body = body;
    s.mesh[0].rest = s.point;
    s.frame[0].pose = s.frame[1].pose = &pose;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .continuous = 1}, &p), 0);
    CU_ASSERT_EQUAL(imp_detect(p, s.frame, 2, NULL, NULL, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        s.frame[1].time = wrong[i];
        CU_ASSERT_EQUAL(imp_detect(p, s.frame, 2, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), "frame 11: its time is"), "'%s'", imp_error_text());
    }
    imp_destroy(p);
}

/* Pointers to empty arrays may be NULL. */
static void spoil_nothing(imp *p)
{
    spoilt s = unspoilt();
    spoilt_link(&s);
    s.mesh[2] = (imp_mesh){.vertices = 6}; /* points alone */
    CU_ASSERT_EQUAL(imp_detect(p, s.frame, SPOILT, NULL, NULL, NULL), 0);
    s.mesh[2] = (imp_mesh){0};
    s.frame[2].point = NULL;
    CU_ASSERT_EQUAL(imp_detect(p, s.frame, SPOILT, NULL, NULL, NULL), 0);
    CU_ASSERT_EQUAL(imp_detect(p, s.frame + 2, 1, NULL, NULL, NULL), 0);
}

static void test_valid_frames(void)
{
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    for (size_t i = 0; i < n; i++)
        for (int unchecked = 0; unchecked < 2; unchecked++) {
            imp *p = way_pipeline(&list[i], &(imp_def){.unchecked = unchecked});
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            spoil_nothing(p);
            if (!unchecked) {
                spoil_numbers(p);
                spoil_rest(p);
            }
            imp_destroy(p);
        }
    CU_ASSERT_EQUAL(imp_detect(NULL, NULL, 0, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "cpu"}, NULL), IMP_ERR_ARGUMENT);
}

/* One invalid index among so many that several threads search for it. */
static void test_frames_large(void)
{
    made m;
    CU_ASSERT_FATAL(made_procedural("cloth-fold", 200000, 1, 0, &m));
    uint32_t n = m.frame->mesh->primitives, *triangle = m.part->triangle;
    imp *p = NULL;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .threads = 3}, &p), 0);
    for (uint32_t i = 0; i < 3 * n; i += i ? 3 * n - 1 - i : 3 * n / 2) {
        char words[100];
        uint32_t was = triangle[i];
        triangle[i] = m.frame->mesh->vertices;
        snprintf(words, sizeof words, ": corner %u of triangle %u is vertex %u,", i % 3, i / 3,
                 triangle[i]);
        CU_ASSERT_EQUAL(imp_detect(p, m.frame, 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), words), "not '%s': '%s'", words, imp_error_text());
        triangle[i] = was;
        if (i == 3 * n - 1)
            break;
    }
    imp_destroy(p);
    made_free(&m);
}

/* The error names the frame's own number, the triangle and the vertex, in any block. */
static void bad_input(const pipe *q)
{
    char text[100];
    made m = {.name = "bad"};
    rng r = {5};
    for (int f = 0; f < 3; f++) {
        made_part *p = made_add(&m, 20);
        for (uint32_t i = 0; i < 20; i++)
            made_triangle(p, i, (const double[3]){i, 0, 0}, 1, &r);
    }
    m.part->next->point[3 * 16 + 2] = -INFINITY; /* in the second frame */
    contact_list got = {0};
    int err = imp_detect(q->p, m.frame, m.frames, contact_list_sink, &got, NULL);
    snprintf(text, sizeof text, "frame %llu: vertex 16 of triangle 5 ",
             (unsigned long long)m.frame[1].number);
    if (err != IMP_ERR_INPUT || !strstr(imp_error_text(), text))
        way_failed(q->way, q->method, "bad input", imp_error_text());
    contact_list_free(&got);
    made_free(&m);
}

static void test_bad_input(void)
{
    for (uint32_t most = 0; most < 3; most++) {
        pipes s;
        pipes_open(&s, &(imp_def){.block = most}, 0);
        for (size_t i = 0; i < s.count; i++)
            bad_input(&s.list[i]);
        pipes_close(&s);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"options", test_valid_options},       {"cell", test_cell},
        {"rules", test_valid_rules},           {"defaults", test_defaults},
        {"frames", test_valid_frames},         {"frames_large", test_frames_large},
        {"absurd_blocks", test_absurd_blocks}, {"no_pipeline", test_no_pipeline},
        {"no_model", test_no_model},           {"times", test_valid_times},
        {"bad_input", test_bad_input},         {0},
    };
    return test_main(argc, argv, "valid", tests);
}
