/* Rows of steps before they reach the sink: those of a step's start are merged with those found
 * within it, in order, without filtered rows, and each once however ranges are repeated. */
#include "expect.h"
#include "output.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define PRIMS 60
#define FRAMES 5

/* The rows that are output, and those recorded for the start's frame. */
typedef struct taken {
    contact_list list, recorded;
} taken;

static void output_stage_record(void *user, const imp_contacts *rows)
{
    taken *t = user;
    CU_ASSERT_EQUAL(contact_list_sink(&t->recorded, rows), 0);
}

/* Steps with rows at random times; some have none. */
typedef struct scene {
    mem mem;
    imp_mesh mesh;
    imp_frame frame[FRAMES];
    block_view view;
    uint8_t left[FRAMES * PRIMS];
    step_start begin[FRAMES + 1];
    step_rows found;
    contact_list start, want; /* for the starts' frames, by prims; all rows to be output */
    contact_list all;         /* a superset of `want` */
    output_step step;
} scene;

/* Each row of the start's frame once, in order. */
static void check_output_stage_recorded(const scene *s, taken *t, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count && i < t->recorded.count; i++)
        wrong +=
            t->recorded.row[i].a != s->start.row[i].a || t->recorded.row[i].b != s->start.row[i].b;
    EXPECT(t->recorded.count == count && !wrong, "%zu rows are recorded, not %zu; %zu are others",
           t->recorded.count, count, wrong);
}

/* Different pairs, some of which meet at the start, others later, or just at it. */
static void output_stage_make_rows(scene *s, uint32_t frame, rng *r)
{
    const uint32_t first = frame * PRIMS, most = s->view.frames > 1 ? 300 : 90;
    for (uint32_t a = 0; a + 1 < PRIMS; a++)
        for (uint32_t b = a + 1; b < PRIMS; b++) {
            const uint32_t which = rng_below(r, most), prim[2] = {first + a, first + b};
            const uint8_t kind = 1;
            const uint8_t way_kind = 6;
            const double point[6] = {a, b, which, 0, 0, 0}, when = which == 1 ? rng_unit(r) : 0;
            const int64_t of[2] = {-1 - (which > 2), (int64_t)which - 1};
            imp_contacts c = {
                .frame = frame, .count = 1, .a = &a, .b = &b, .kind = &kind, .points = point};
            if (which > 2)
                continue;
            if (!which && !s->left[prim[0]] && !s->left[prim[1]])
                CU_ASSERT_EQUAL(contact_list_sink(&s->want, &c), 0);
            if (!which) {
                c.a = &prim[0];
                c.b = &prim[1];
            } else {
                c.kind = &way_kind;
                c.toi = &when;
                c.feature_a = of;
                c.feature_b = of + 1;
            }
            CU_ASSERT_EQUAL(contact_list_sink(which ? &s->want : &s->start, &c), 0);
        }
}

static void order_rows(scene *s)
{
    for (size_t i = 0; i < s->want.count; i++) {
        struct contact_row *x = &s->want.row[i];
        if (x->kind != 1)
            continue;
        x->kind += IMP_KIND_AT_START;
        x->feature[0] = x->feature[1] = -1;
    }
    contact_list_sort(&s->want);
}

static void add_way(scene *s)
{
    const imp_def def = {.continuous = 1};
    contact_rows *way = &s->found.rows;
    uint32_t f = 0;
    contact_rows_open(&s->mem, columns_when(&contact_table, &def), way);
    for (size_t i = 0; i < s->want.count; i++) {
        const struct contact_row *x = &s->want.row[i];
        const uint8_t kind = (uint8_t)x->kind;
        while (f < x->frame)
            s->begin[++f].impact = way->count;
        if (kind < IMP_KIND_AT_START)
            CU_ASSERT_EQUAL(contact_rows_add(way, &(imp_contacts){.count = 1,
                                                                  .a = &x->a,
                                                                  .b = &x->b,
                                                                  .kind = &kind,
                                                                  .points = x->point,
                                                                  .toi = &x->toi,
                                                                  .feature_a = &x->feature[0],
                                                                  .feature_b = &x->feature[1]}),
                            0);
    }
    while (f < s->view.frames)
        s->begin[++f].impact = way->count;
}

static void output_stage_scene_make(scene *s, uint32_t frames, int left, rng *r)
{
    *s = (scene){.mesh = {.primitives = PRIMS, .corners = 3}};
    for (int f = 0; f < FRAMES; f++)
        s->frame[f] = (imp_frame){.mesh = &s->mesh};
    for (int i = 0; i < FRAMES * PRIMS; i++)
        s->left[i] = left && rng_below(r, 5) == 0;
    CU_ASSERT_EQUAL_FATAL(block_view_open(&s->mem, s->frame, NULL, frames, &s->view), 0);
    s->found = (step_rows){.start = s->begin,
                           .frames = frames,
                           .prims = PRIMS,
                           .excluded = left ? s->left : NULL,
                           .to = step_end};
    for (uint32_t f = 0; f < frames; f++)
        if (frames == 1 || rng_below(r, 3))
            output_stage_make_rows(s, f, r);
    order_rows(s);
    add_way(s);
}

static void output_stage_scene_free(scene *s)
{
    contact_rows_free(&s->found.rows);
    contact_list_free(&s->start);
    contact_list_free(&s->want);
    contact_list_free(&s->all);
    block_view_close(&s->mem, &s->view);
    CU_ASSERT_EQUAL(atomic_load(&s->mem.now), 0);
}

/* Adds rows [first, last) of the starts' frames. */
static void output_stage_give(scene *s, output *h, size_t first, size_t last)
{
    /* the columns of a frame that a step has, too */
    const column_set set = columns_when(&contact_table, &(imp_def){0}) &
                           columns_when(&contact_table, &(imp_def){.continuous = 1});
    column_rows rows;
    imp_frame_info info[FRAMES] = {{0}};
    uint64_t contacts = 0;
    CU_ASSERT_EQUAL_FATAL(columns_open(&s->mem, &contact_table, set, last - first + 1, &rows), 0);
    for (size_t i = first; i < last; i++) {
        const struct contact_row *x = &s->start.row[i];
        const uint8_t kind = (uint8_t)x->kind;
        CU_ASSERT_EQUAL(
            columns_append(
                &rows,
                &(imp_contacts){
                    .count = 1, .a = &x->a, .b = &x->b, .kind = &kind, .points = x->point},
                1),
            0);
    }
    CU_ASSERT_EQUAL(output_rows(&(output_target){h, info}, &s->view, &rows), 0);
    for (int f = 0; f < FRAMES; f++)
        contacts += info[f].contacts;
    CU_ASSERT_EQUAL(contacts, last - first);
    columns_close(&rows);
}

/* Checks that the rows of each step are counted. */
static void check_output_stage_counts(const scene *s)
{
    for (uint32_t f = 0; f < s->view.frames; f++) {
        uint64_t n = 0;
        for (size_t i = 0; i < s->want.count; i++)
            n += s->want.row[i].frame == f;
        EXPECT(s->begin[f + 1].seen - s->begin[f].seen == n, "step %u: %llu rows, not %llu", f,
               (unsigned long long)(s->begin[f + 1].seen - s->begin[f].seen),
               (unsigned long long)n);
    }
}

/* In ranges, each of which is repeated once from some row on; then the whole block again. */
static void check_output_stage(scene *s, size_t length, rng *r)
{
    taken t = {0};
    const int one = s->view.frames == 1;
    output h = {.sink = contact_list_sink, .user = &t.list};
    for (int again = 0; again < 2; again++) {
        output_block(&h);
        output_range(&h);
        output_step_begin(&h, &s->step, &s->found);
        contact_list_free(&t.recorded);
        output_record_begin(&h, one ? output_stage_record : NULL, &t);
        for (size_t first = 0, last; first < s->start.count; first = last) {
            last = first + length < s->start.count ? first + length : s->start.count;
            output_range(&h);
            output_stage_give(s, &h, first, first + rng_below(r, (uint32_t)(last - first) + 1));
            output_range(&h);
            output_stage_give(s, &h, first, last);
            output_range_done(&h);
            check_output_stage_recorded(s, &t, one ? last : 0);
        }
        CU_ASSERT_EQUAL(output_step_end(&h, &s->view), 0);
        check_output_stage_counts(s);
    }
    EXPECT(contact_list_equal(&t.list, &s->want), "%zu rows, not these %zu", t.list.count,
           s->want.count);
    EXPECT(h.count.seen == s->want.count, "%llu rows were seen", (unsigned long long)h.count.seen);
    contact_list_free(&t.list);
    contact_list_free(&t.recorded);
}

static void test_output_stage_steps(void)
{
    static scene s;
    rng r = {1};
    for (int i = 0; i < 40; i++) {
        output_stage_scene_make(&s, i < 20 ? 1 : 2 + (uint32_t)i % (FRAMES - 1), i % 2, &r);
        CU_ASSERT(i >= 20 || (s.start.count > 5 && s.found.rows.count > 10));
        for (size_t length = 1; length < 2 * s.start.count; length = 2 * length + 1)
            check_output_stage(&s, length, &r);
        output_stage_scene_free(&s);
    }
}

static int is_before(const struct contact_row *x, const step_moment *at)
{
    return x->toi != at->toi ? x->toi < at->toi : x->a != at->a ? x->a < at->a : x->b < at->b;
}

static void output_stage_keep_all(scene *s)
{
    const size_t bytes = s->want.count * sizeof *s->want.row;
    s->all = s->want;
    s->all.row = malloc(bytes + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s->all.row);
    memcpy(s->all.row, s->want.row, bytes);
}

/* Rows from one moment to before another are wanted now. */
static void output_stage_take_part(scene *s, step_moment from, step_moment to)
{
    size_t n = 0;
    s->found.from = from;
    s->found.to = to;
    for (size_t i = 0; i < s->all.count; i++)
        if (!is_before(&s->all.row[i], &from) && is_before(&s->all.row[i], &to))
            s->want.row[n++] = s->all.row[i];
    s->want.count = n;
    memset(s->begin, 0, sizeof s->begin);
    add_way(s);
}

/* A step may be split between any two rows, even if all are at the start. */
static void test_output_stage_parts(void)
{
    static scene s;
    rng r = {2};
    for (int i = 0; i < 40; i++) {
        step_moment from = {0}, to;
        size_t rows = 0;
        output_stage_scene_make(&s, 1, i % 2, &r);
        output_stage_keep_all(&s);
        for (size_t at = 0; at < s.all.count; rows += s.want.count, from = to) {
            at += 1 + rng_below(&r, 1 + (uint32_t)s.all.count / 2);
            const struct contact_row *x = &s.all.row[at < s.all.count ? at : 0];
            to = at < s.all.count ? (step_moment){x->toi, x->a, x->b} : step_end;
            output_stage_take_part(&s, from, to);
            check_output_stage(&s, 1 + rng_below(&r, (uint32_t)s.start.count), &r);
        }
        CU_ASSERT_EQUAL(rows, s.all.count);
        output_stage_scene_free(&s);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"steps", test_output_stage_steps}, {"parts", test_output_stage_parts}, {0}};
    return test_main(argc, argv, "row_output", tests);
}
