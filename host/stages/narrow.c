/* Verdicts on candidates. The device's verdict is apart, meet or undecided; pairs that meet and
 * undecided pairs are collected until the range is complete. */
#include "distance_code.h"
#include "error.h"
#include "list.h"
#include "prim.h"
#include "segment.h"
#include "stages.h"
#include "tri.h"

static void verdicts_free(device *d, verdicts *t)
{
    buffer *mine[] = {&t->verdict.raw, &t->count.raw, &t->offset.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
    scanner_free(d, &t->scan);
}

void narrow_free(const context *c, narrow *s)
{
    pairs *mine[] = {&s->local, &s->piece_undecided, &s->decided,
                     &s->meet,  &s->undecided,       &s->touching};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        pairs_free(c->dev64, mine[i]);
    buffer *buffers[] = {&s->kind.raw, &s->centroid.raw, &s->limit.raw, &s->note.raw};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        bytes_free(c->dev64, buffers[i]);
    pairs_free(c->dev, &s->near);
    buffer_free(c->dev, &s->counts);
    verdicts_free(c->dev64, &s->verdicts);
    verdicts_free(c->dev64, &s->codes);
    sample_free(c->mem, &s->sample);
    ring_mesh_free(c->mem, &s->ring);
    distance_kept_free(c, &s->kept);
}

void narrow_clear(narrow *s)
{
    s->meet.count = s->undecided.count = 0;
    sample_clear(&s->sample);
}

/* ---- verdicts */

uint32_t narrow_filters_float(const context *c)
{
    return c->dev->groups && c->opt.stage == IMP_STAGE_CONTACTS;
}

/* Appends n pairs of `from`, from `first` on, to `to`. */
static int pairs_append(device *d, pairs *to, const pairs *from, uint64_t first, uint64_t n)
{
    int err = IMP_OK;
    uint64_t old = to->count, all = old + n;
    size_t bytes = BUFFER_BYTES(&to->a, all);
    uint64_t capacity =
        bytes > to->a.raw.capacity || bytes > to->b.raw.capacity ? all + old / 2 : all;
    TRY(buffer_grow(d, &to->a, old, capacity));
    TRY(buffer_grow(d, &to->b, old, capacity));
    TRY(buffer_copy(d, &from->a, first, &to->a, old, n));
    TRY(buffer_copy(d, &from->b, first, &to->b, old, n));
    to->count += n;
out:
    return err;
}

uint32_t compact_tiles(const device *d, uint64_t n)
{
    const uint64_t tile = d->groups ? SEGMENT_TILE : COMPACT_CHUNK;
    return (uint32_t)((n + tile - 1) / tile);
}

int compact_tile_counts(device *d, const buffer_u8 *verdict, uint32_t n, uint32_t one, uint32_t two,
                        buffer_u32 *count)
{
    int err = IMP_OK;
    const uint32_t tiles = compact_tiles(d, n);
    const uint64_t items = (uint64_t)tiles * SEGMENT_GROUP;
    TRY(buffer_fit(d, count, (size_t)2 * tiles));
    TRY(d->groups
            ? RUN_GROUP(d, narrow_count_group, items, SEGMENT_GROUP, n, verdict, one, two, count)
            : RUN(d, narrow_count, tiles, n, COMPACT_CHUNK, verdict, one, two, count));
out:
    return err;
}

static int narrow_compact_write(device *d, const verdicts *s, const pairs *from, uint32_t tiles,
                                uint32_t one, uint32_t two, pairs *to)
{
    const uint64_t items = (uint64_t)tiles * SEGMENT_GROUP;
    const uint32_t n = (uint32_t)from->count;
    return d->groups ? RUN_GROUP(d, narrow_compact_group, items, SEGMENT_GROUP, n, &s->verdict, one,
                                 two, &s->offset, &from->a, &from->b, &to->a, &to->b)
                     : RUN(d, narrow_compact, tiles, n, COMPACT_CHUNK, &s->verdict, one, two,
                           &s->offset, &from->a, &from->b, &to->a, &to->b);
}

int compact_sums(device *d, scanner *s, const buffer_u32 *count, uint32_t tiles, uint32_t two,
                 buffer_u64 *offset, uint64_t picked[2])
{
    int err = IMP_OK;
    TRY(scan_counts(d, s, count, 2 * tiles, offset, NULL));
    const readout both[] = {READOUT(offset, 2 * tiles, &picked[1], 1),
                            READOUT(offset, tiles, &picked[0], 1)};
    TRY(device_read_all(d, both, two == TRI_NO_VERDICT ? 1 : 2));
    if (two == TRI_NO_VERDICT)
        picked[0] = picked[1];
out:
    return err;
}

int narrow_compact(device *d, verdicts *s, const pairs *from, uint32_t one, uint32_t two, pairs *to,
                   uint64_t decided[2])
{
    int err = IMP_OK;
    const uint32_t n = (uint32_t)from->count, tiles = compact_tiles(d, n);
    TRY(compact_tile_counts(d, &s->verdict, n, one, two, &s->count));
    TRY(compact_sums(d, &s->scan, &s->count, tiles, two, &s->offset, decided));
    TRY(pairs_fit(d, to, decided[1]));
    TRY(narrow_compact_write(d, s, from, tiles, one, two, to));
out:
    return err;
}

/* Arguments of the kernels that make verdicts; for pairs of ranks, triangles are in the order of
 * ranks as well. */
typedef struct pair_tests {
    const buffer_u32 *corner;
    const buffer_f64 *x;
    uint32_t rules; /* without RULE_SKIP_ADJACENT: whether pairs that share vertices meet beyond */
    int solids;     /* primitives have four corners */
    int far; /* run all three tests; else the second includes the part of the first that float32
                leaves open */
} pair_tests;

/* solid_test does not repeat solid_far's test, so solids always need all three. */
static pair_tests pair_tests_make(const context *c, const block_view *v, const bounds *o,
                                  const ranks *by, int filtered)
{
    const int solids = v->corners > IMP_TRIANGLES;
    pair_tests q = {&o->on64.corner, by ? by->triangle : &o->x,
                    c->opt.rules | (by ? RULE_RANKS : 0), solids, solids || !filtered};
    return q;
}

#define PAIR_TEST_ARGS(q, pr) &(pr)->a, &(pr)->b, (q)->corner, (q)->x

/* The three tests, of triangles or of solids. Each writes a verdict for every pair of `from`. Those
 * of pairs that share vertices are changed by TEST_ADJACENT, of solids, after the second, and by
 * TEST_FLAT, of triangles, after the third. */
#define TRIANGLE_EIGHTS(d, name, q, from, verdict)                                                 \
    RUN_EIGHTS(d, name, (from)->count, PAIR_TEST_ARGS(q, from), (q)->rules, verdict)
#define TEST_FAR(d, q, from, verdict)                                                              \
    ((q)->solids ? RUN_PAIRS(d, solid_far, (from)->count, PAIR_TEST_ARGS(q, from), verdict)        \
     : (q)->rules & RULE_SKIP_ADJACENT                                                             \
         ? TRIANGLE_EIGHTS(d, narrow_far8, q, from, verdict)                                       \
         : TRIANGLE_EIGHTS(d, narrow_far_adjacent8, q, from, verdict))
#define TEST_INTERSECTION(d, q, from, verdict)                                                     \
    ((q)->solids ? RUN(d, solid_test, (from)->count, PAIR_TEST_ARGS(q, from), verdict)             \
     : (d)->groups                                                                                 \
         ? RUN(d, narrow_test, (from)->count, PAIR_TEST_ARGS(q, from), (q)->rules, verdict)        \
     : (q)->rules & RULE_SKIP_ADJACENT                                                             \
         ? TRIANGLE_EIGHTS(d, narrow_test8, q, from, verdict)                                      \
         : TRIANGLE_EIGHTS(d, narrow_test_adjacent8, q, from, verdict))
#define TEST_ADJACENT(d, q, from, verdict)                                                         \
    ((q)->solids && !((q)->rules & RULE_SKIP_ADJACENT)                                             \
         ? RUN(d, solid_adjacent, (from)->count, PAIR_TEST_ARGS(q, from), verdict)                 \
         : IMP_OK)
#define TEST_SEPARATION(d, q, from, verdict)                                                       \
    ((q)->solids                                                                                   \
         ? RUN_PAIRS(d, solid_separate, (from)->count, PAIR_TEST_ARGS(q, from), verdict)           \
         : RUN(d, narrow_separate, (from)->count, PAIR_TEST_ARGS(q, from), (q)->rules, verdict))
#define TEST_FLAT(d, q, from, verdict)                                                             \
    ((q)->solids || (q)->rules & RULE_SKIP_ADJACENT                                                \
         ? IMP_OK                                                                                  \
         : RUN_PAIRS(d, narrow_flat, (from)->count, PAIR_TEST_ARGS(q, from), (q)->rules, verdict))

/* Tests the pairs `from` of `found` by one test after another, each on pairs that the one before
 * left open, and collects those that meet and the undecided ones. s->decided first has pairs that
 * are no longer needed, then those that meet; s->piece_undecided has the undecided ones. */
static int narrow_decide_pairs(device *d, narrow *s, const pair_tests *q, const candidates *found,
                               const pairs *from)
{
    int err = IMP_OK;
    uint64_t passed[2], decided[2], left[2];
    TRY(buffer_fit(d, &s->verdicts.verdict, from->count));
    if (q->far) {
        TRY(TEST_FAR(d, q, from, &s->verdicts.verdict));
        TRY(narrow_compact(d, &s->verdicts, from, TRI_NEAR, TRI_NO_VERDICT, &s->piece_undecided,
                           passed));
        from = &s->piece_undecided;
    }
    TRY(TEST_INTERSECTION(d, q, from, &s->verdicts.verdict));
    TRY(TEST_ADJACENT(d, q, from, &s->verdicts.verdict));
    TRY(narrow_compact(d, &s->verdicts, from, TRI_UNDECIDED, TRI_MEET, &s->decided, decided));
    const uint64_t open = decided[0];
    s->piece_undecided.count = 0;
    if (open) {
        s->decided.count = open;
        TRY(TEST_SEPARATION(d, q, &s->decided, &s->verdicts.verdict));
        TRY(TEST_FLAT(d, q, &s->decided, &s->verdicts.verdict));
        TRY(narrow_compact(d, &s->verdicts, &s->decided, TRI_UNDECIDED, TRI_NO_VERDICT,
                           &s->piece_undecided, left));
        s->decided.count = decided[1];
    }
    TRY(candidates_to_prims(d, found, &s->decided));
    TRY(candidates_to_prims(d, found, &s->piece_undecided));
    TRY(pairs_append(d, &s->meet, &s->decided, open, s->decided.count - open));
    TRY(pairs_append(d, &s->undecided, &s->piece_undecided, 0, s->piece_undecided.count));
out:
    return err;
}

/* ---- candidates */

static uint64_t narrow_list_items(uint64_t n)
{
    return (n + LIST_TILE - 1) / LIST_TILE * SCAN_GROUP;
}

/* Empties the lists. s->near gets room for all candidates, whose number only the device may know.
 */
static int lists_begin(const context *c, const candidates *found, narrow *s)
{
    int err = IMP_OK;
    const uint32_t n = (uint32_t)found->of.count, counts[LIST_COUNTS] = {[LIST_ALL] = n};
    TRY(buffer_put(c->dev, &s->counts, counts, LIST_COUNTS));
    if (found->deferred)
        TRY(buffer_copy(c->dev, &found->deferred->sums, 0, &s->counts, LIST_ALL, 2));
    TRY(pairs_fit(c->dev, &s->near, n));
out:
    return err;
}

/* Runs the first test in float32 on the device that found the candidates. s->near gets the
 * remaining pairs, whose number only the device knows. */
static int pair_tests_float(const context *c, const block_view *v, const bounds *o,
                            const candidates *found, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const pairs *of = &found->of;
    const uint32_t n = (uint32_t)of->count;
    const prim_set *p = &o->broad;
    TRY(lists_begin(c, found, s));
#define FAR_PAIRS(name)                                                                            \
    RUN_GROUP(d, name, narrow_list_items(n), SCAN_GROUP, n, &of->a, &of->b, &p->corner, &p->point, \
              &s->counts, &s->near.a, &s->near.b)
    TRY(v->corners > IMP_TRIANGLES          ? FAR_PAIRS(far_solids_group)
        : c->opt.rules & RULE_SKIP_ADJACENT ? FAR_PAIRS(far_triangles_group)
                                            : FAR_PAIRS(far_adjacent_group));
#undef FAR_PAIRS
out:
    return err;
}

/* Reads the counts of lists, and the number of candidates if it is deferred, with a single wait. */
static int counts_read(const context *c, candidates *found, const narrow *s,
                       uint32_t count[LIST_COUNTS])
{
    const readout counts = READOUT(&s->counts, 0, count, LIST_COUNTS);
    return candidates_resolve_count(c, found, &counts);
}

/* Removes candidates that are apart. */
static int candidates_filter(const context *c, const block_view *v, const bounds *o,
                             candidates *found, narrow *s)
{
    int err = IMP_OK;
    uint32_t count[LIST_COUNTS];
    TRY(pair_tests_float(c, v, o, found, s));
    TRY(counts_read(c, found, s, count));
    const uint32_t near = found->of.count ? count[LIST_NEAR] : 0;
    pairs swap = s->near;
    s->near = found->of;
    found->of = swap;
    found->of.count = near;
out:
    return err;
}

/* Runs the third test on the pairs of s->piece_undecided, which the second left undecided. */
static int lists_separate(const context *c, const block_view *v, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const pair_tests q = pair_tests_make(c, v, o, NULL, 1);
    uint64_t left[2];
    TRY(TEST_SEPARATION(d, &q, &s->piece_undecided, &s->verdicts.verdict));
    TRY(TEST_FLAT(d, &q, &s->piece_undecided, &s->verdicts.verdict));
    TRY(narrow_compact(d, &s->verdicts, &s->piece_undecided, TRI_UNDECIDED, TRI_NO_VERDICT,
                       &s->near, left));
    TRY(pairs_append(d, &s->undecided, &s->near, 0, s->near.count));
out:
    return err;
}

/* Lists the triangles that meet and those that the first two tests leave undecided. */
static int lists_test(const context *c, const block_view *v, const bounds *o,
                      const candidates *found, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const pair_tests q = pair_tests_make(c, v, o, NULL, 1);
    const uint32_t room = (uint32_t)found->of.count;
    TRY(pair_tests_float(c, v, o, found, s));
    TRY(RUN_GROUP(d, narrow_test_group, narrow_list_items(room), SCAN_GROUP,
                  PAIR_TEST_ARGS(&q, &s->near), q.rules, &s->verdicts.verdict, room, &s->counts,
                  &s->decided.a, &s->decided.b));
out:
    return err;
}

/* ---- pairs within a distance */

/* The limits of primitives with thicknesses. */
static int distance_halves_put(const context *c, const block_view *v, const normalisation *u,
                               buffer_f64 *out)
{
    int err = IMP_OK;
    double *limit = NULL;
    TRY(mem_alloc(c->mem, (DISTANCE_HALVES + (size_t)v->prims) * sizeof *limit, &limit));
    limit[0] = DISTANCE_HAS_HALVES;
    for (uint32_t f = 0; f < v->frames; f++) {
        const double *t = v->frame[f].mesh->thickness;
        for (uint32_t i = v->prim0[f]; i < v->prim0[f + 1]; i++)
            limit[DISTANCE_HALVES + i] =
                *t++ / 2 * u->scale[(size_t)2 * f] * u->scale[(size_t)2 * f + 1];
    }
    TRY(buffer_put(c->dev64, out, limit, DISTANCE_HALVES + (size_t)v->prims));
out:
    mem_free(c->mem, limit);
    return err;
}

int distance_limits_put(const context *c, const block_view *v, const bounds *o, buffer_f64 *out)
{
    int err = IMP_OK;
    const normalisation *u = &o->normalisation;
    double *limit = NULL;
    if (c->opt.thickness)
        return distance_halves_put(c, v, u, out);
    TRY(mem_alloc(c->mem, (size_t)DISTANCE_LIMITS * v->frames * sizeof *limit, &limit));
    for (size_t f = 0; f < v->frames; f++) {
        const double scaled = c->opt.separation * u->scale[2 * f] * u->scale[2 * f + 1];
        const double below = fmax(0, scaled * (1 - 0x1p-40) - 0x1p-44);
        const double above = scaled * (1 + 0x1p-40) + 0x1p-44;
        limit[DISTANCE_LIMITS * f + DISTANCE_BELOW] = below * below;
        limit[DISTANCE_LIMITS * f + DISTANCE_ABOVE] = above * above;
    }
    TRY(buffer_put(c->dev64, out, limit, (size_t)DISTANCE_LIMITS * v->frames));
out:
    mem_free(c->mem, limit);
    return err;
}

#define DISTANCE_ARGS_OF(v, o, s, pr)                                                              \
    &(pr)->a, &(pr)->b, (v)->corners, &(o)->on64.corner, &(o)->x, (v)->frames, &(o)->on64.prim0,   \
        &(s)->limit

/* Of the pairs of s->piece_undecided, whose features are not certainly within the distance,
 * collects those that certainly intersect as members, all others as undecided. */
static int distance_intersect(const context *c, const block_view *v, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev64;
    pair_tests q = pair_tests_make(c, v, o, NULL, 1);
    uint64_t decided[2];
    q.rules |= RULE_SKIP_ADJACENT; /* what they share is within any distance */
    TRY(TEST_INTERSECTION(d, &q, &s->piece_undecided, &s->verdicts.verdict));
    TRY(narrow_compact(d, &s->verdicts, &s->piece_undecided, TRI_MEET, TRI_NO_VERDICT, &s->decided,
                       decided));
    TRY(pairs_append(d, &s->meet, &s->decided, 0, decided[0]));
    TRY(narrow_compact(d, &s->verdicts, &s->piece_undecided, TRI_UNDECIDED, TRI_APART, &s->decided,
                       decided));
    TRY(pairs_append(d, &s->undecided, &s->decided, 0, decided[1]));
out:
    return err;
}

#define DISTANCE_ITEMS                                                                             \
    (1u << 18) /* that test pairs on a GPU: as many as large ones run at once                      \
                */

#define DISTANCE_FAR_ARGS_OF(v, o, s, pr)                                                          \
    &(pr)->a, &(pr)->b, &(o)->broad.corner, &(o)->broad.point, (v)->frames, &(o)->broad.prim0,     \
        &(s)->limit

/* Lists the triangles that in float32 certainly are within the distance, and those that are not
 * certainly beyond it. */
static int distance_lists_float(const context *c, const block_view *v, const bounds *o,
                                const candidates *found, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const uint32_t room = (uint32_t)found->of.count;
    const uint64_t items = narrow_list_items(room);
    TRY(distance_limits_put(c, v, o, &s->limit));
    TRY(lists_begin(c, found, s));
    TRY(RUN_GROUP(d, distance_beyond_group, items, SCAN_GROUP, room,
                  DISTANCE_FAR_ARGS_OF(v, o, s, &found->of), &s->counts, &s->near.a, &s->near.b));
    TRY(RUN_GROUP(d, distance_ways_group, items, SCAN_GROUP,
                  DISTANCE_FAR_ARGS_OF(v, o, s, &s->near), &s->verdicts.verdict, room, &s->counts,
                  &s->decided.a, &s->decided.b));
out:
    return err;
}

/* Tests counts[which] pairs, at most `most`, in float64. */
static int distance_pairs_test(const context *c, const block_view *v, const bounds *o,
                               const pairs *of, uint32_t which, uint64_t most, narrow *s)
{
    int err = IMP_OK;
    const uint64_t all = narrow_list_items(most),
                   items = all < DISTANCE_ITEMS ? all : DISTANCE_ITEMS;
    TRY(buffer_fit(c->dev, &s->note, DISTANCE_NOTE * items));
    TRY(RUN_GROUP(c->dev, distance_test_group, items, SCAN_GROUP, DISTANCE_ARGS_OF(v, o, s, of),
                  &s->note, &s->counts, which, &s->verdicts.verdict));
out:
    return err;
}

/* Of the pairs of s->piece_undecided, tested in float64, collects those that certainly are within
 * the distance as members, and retains those that are not certainly beyond it. */
static int distance_pick_tested(const context *c, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev64;
    uint64_t decided[2];
    TRY(narrow_compact(d, &s->verdicts, &s->piece_undecided, TRI_MEET, TRI_UNDECIDED, &s->decided,
                       decided));
    TRY(pairs_append(d, &s->meet, &s->decided, 0, decided[0]));
    s->piece_undecided.count = 0;
    TRY(pairs_append(d, &s->piece_undecided, &s->decided, decided[0], decided[1] - decided[0]));
out:
    return err;
}

/* Decides the pairs of s->piece_undecided, those of the list of undecided pairs. */
static int distance_lists_decide(const context *c, const block_view *v, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    if (v->corners == IMP_TRIANGLES) {
        TRY(distance_pairs_test(c, v, o, &s->piece_undecided, LIST_UNDECIDED,
                                s->piece_undecided.count, s));
        TRY(distance_pick_tested(c, s));
    }
    if (s->piece_undecided.count)
        TRY(distance_intersect(c, v, o, s));
out:
    return err;
}

/* Lists the pairs that certainly are within the distance, and those whose features are not
 * certainly beyond it. */
static int distance_lists_test(const context *c, const block_view *v, const bounds *o,
                               const candidates *found, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const pairs *of = &found->of;
    const uint32_t room = (uint32_t)of->count;
    const uint64_t all = narrow_list_items(room);
    if (v->corners == IMP_TRIANGLES)
        return distance_lists_float(c, v, o, found, s);
    TRY(distance_limits_put(c, v, o, &s->limit));
    TRY(lists_begin(c, found, s));
    TRY(RUN_GROUP(d, distance_far_group, all, SCAN_GROUP, room, DISTANCE_ARGS_OF(v, o, s, of),
                  &s->verdicts.verdict, &s->counts, &s->near.a, &s->near.b));
    TRY(distance_pairs_test(c, v, o, &s->near, LIST_NEAR, room, s));
    TRY(RUN_GROUP(d, distance_split_group, all, SCAN_GROUP, &s->near.a, &s->near.b,
                  &s->verdicts.verdict, room, &s->counts, &s->decided.a, &s->decided.b));
out:
    return err;
}

/* Collects the pairs within the distance, and the undecided ones, by the host's kernels. */
static int distance_collect(const context *c, const block_view *v, const bounds *o,
                            const pairs *from, narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const pairs *near = &s->piece_undecided;
    uint64_t passed[2];
    TRY(distance_limits_put(c, v, o, &s->limit));
    TRY(buffer_fit(d, &s->verdicts.verdict, from->count));
    TRY(RUN_EIGHTS(d, distance_far8, from->count, DISTANCE_ARGS_OF(v, o, s, from),
                   &s->verdicts.verdict));
    TRY(narrow_compact(d, &s->verdicts, from, TRI_NEAR, TRI_NO_VERDICT, &s->piece_undecided,
                       passed));
    TRY(RUN_EIGHTS(d, distance_test8, near->count, DISTANCE_ARGS_OF(v, o, s, near),
                   &s->verdicts.verdict));
    TRY(distance_pick_tested(c, s));
    if (s->piece_undecided.count)
        TRY(distance_intersect(c, v, o, s));
out:
    return err;
}

/* ---- lists */

/* Runs all tests on a device that finds and decides candidates: of triangles, or of a distance.
 * Nothing is read back before the last test. */
static int lists_decide(const context *c, const block_view *v, const bounds *o, candidates *found,
                        narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev;
    const int rows = c->opt.rows != IMP_ROWS_CONTACTS;
    const uint32_t room = (uint32_t)found->of.count;
    uint32_t count[LIST_COUNTS];
    TRY(buffer_fit(d, &s->verdicts.verdict, room));
    TRY(pairs_fit(d, &s->decided, room));
    TRY(rows ? distance_lists_test(c, v, o, found, s) : lists_test(c, v, o, found, s));
    TRY(counts_read(c, found, s, count));
    /* If it is 0 there was no room for all candidates. */
    const uint32_t open = found->of.count ? count[LIST_UNDECIDED] : 0;
    if (found->of.count)
        TRY(pairs_append(d, &s->meet, &s->decided, 0, count[LIST_MEET]));
    s->piece_undecided.count = 0;
    TRY(pairs_append(d, &s->piece_undecided, &s->decided, room - open, open));
    if (open)
        TRY(rows ? distance_lists_decide(c, v, o, s) : lists_separate(c, v, o, s));
out:
    return err;
}

/* ---- all candidates */

/* Samples all candidates: verify in stages.h. */
static int candidates_sample(const context *c, candidates *found, narrow *s)
{
    int err = IMP_OK;
    pairs *from;
    if (!c->opt.verify || c->opt.stage == IMP_STAGE_CANDIDATES)
        return IMP_OK;
    TRY(candidates_to_device(c, found, &s->local, &from));
    TRY(verify_sample_candidates(c, found, from, &s->sample));
out:
    return err;
}

/* Collects all found pairs, by exchanging buffers if nothing was collected before. */
static int candidates_collect(const context *c, pairs *found, const pairs *local, narrow *s)
{
    if (s->meet.count || local != found)
        return pairs_append(c->dev64, &s->meet, local, 0, local->count);
    pairs swap = s->meet;
    s->meet = *found;
    *found = swap;
    return IMP_OK;
}

int narrow_collect(const context *c, const block_view *v, const bounds *o, candidates *found,
                   narrow *s)
{
    int err = IMP_OK;
    device *d = c->dev64;
    pairs *from;
    const int rows = c->opt.rows && c->opt.stage == IMP_STAGE_CONTACTS;
    const int filtered = narrow_filters_float(c) && !found->ranks && found->of.count;
    TRY(candidates_sample(c, found, s));
    if (filtered && d == c->dev && (rows || v->corners == IMP_TRIANGLES))
        return lists_decide(c, v, o, found, s);
    if (filtered && !rows)
        TRY(candidates_filter(c, v, o, found, s));
    TRY(candidates_to_device(c, found, &s->local, &from));
    if (!from->count)
        goto out;
    if (c->opt.stage == IMP_STAGE_CANDIDATES) {
        TRY(candidates_collect(c, &found->of, from, s));
        goto out;
    }
    if (rows) {
        TRY(candidates_to_prims(d, found, from));
        TRY(distance_collect(c, v, o, from, s));
        goto out;
    }
    const pair_tests q = pair_tests_make(c, v, o, found->ranks, filtered);
    TRY(narrow_decide_pairs(d, s, &q, found, from));
out:
    return err;
}

/* ---- pairs on the host, with verdicts in their order */

static int pairs_put(device *d, const pair_list *from, pairs *to)
{
    int err = IMP_OK;
    TRY(buffer_put(d, &to->a, from->a, from->count));
    TRY(buffer_put(d, &to->b, from->b, from->count));
    to->count = from->count;
out:
    return err;
}

/* Sets the result of those pairs `open` to apart whose verdict in s->verdicts is apart. */
static int verdicts_keep_apart(device *d, const narrow *s, const uint32_t *open, size_t n,
                               uint8_t *verdict, uint8_t *result)
{
    const int err = buffer_read(d, &s->verdicts.verdict, 0, verdict, n);
    for (size_t k = 0; k < n && !err; k++)
        if (verdict[k] == TRI_APART)
            result[open[k]] = TRI_APART;
    return err;
}

/* Runs the other tests on the `n` undecided pairs. */
static int verdicts_of_undecided(device *d, const pair_tests *q, const pair_list *of, size_t n,
                                 narrow *s, uint8_t *result)
{
    int err = IMP_OK;
    uint32_t *open = NULL;
    uint8_t *verdict = NULL;
    TRY(mem_alloc(d->mem, 3 * n * sizeof *open, &open));
    TRY(mem_alloc(d->mem, n, &verdict));
    uint32_t *a = open + n, *b = a + n;
    for (size_t i = 0, k = 0; k < n; i++)
        if (result[i] == TRI_UNDECIDED) {
            open[k] = (uint32_t)i;
            a[k] = of->a[i];
            b[k++] = of->b[i];
        }
    TRY(pairs_put(d, &(pair_list){a, b, n}, &s->local));
    if (q->far) {
        TRY(TEST_FAR(d, q, &s->local, &s->verdicts.verdict));
        TRY(verdicts_keep_apart(d, s, open, n, verdict, result));
    }
    TRY(TEST_SEPARATION(d, q, &s->local, &s->verdicts.verdict));
    TRY(TEST_FLAT(d, q, &s->local, &s->verdicts.verdict));
    TRY(verdicts_keep_apart(d, s, open, n, verdict, result));
out:
    mem_free(d->mem, open);
    mem_free(d->mem, verdict);
    return err;
}

/* Most of these pairs meet or are near, so the second test runs first. */
int narrow_verdicts(const context *c, const block_view *v, const bounds *o, const pair_list *of,
                    narrow *s, uint8_t *result)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const pair_tests q = pair_tests_make(c, v, o, NULL, 1);
    size_t open = 0;
    TRY(pairs_put(d, of, &s->local));
    TRY(buffer_fit(d, &s->verdicts.verdict, of->count));
    TRY(TEST_INTERSECTION(d, &q, &s->local, &s->verdicts.verdict));
    TRY(TEST_ADJACENT(d, &q, &s->local, &s->verdicts.verdict));
    TRY(buffer_read(d, &s->verdicts.verdict, 0, result, of->count));
    for (size_t i = 0; i < of->count; i++)
        open += result[i] == TRI_UNDECIDED;
    if (open)
        TRY(verdicts_of_undecided(d, &q, of, open, s, result));
out:
    return err;
}

/* ---- Rows have a total order, that of contact.def: (a, b). */

static int order_list(const context *c, const block_view *v, sorter *s, pairs *p)
{
    return sort_pairs(c->dev64, s, &p->a, &p->b, p->count, bits_for(v->prims));
}

int narrow_sort(const context *c, const block_view *v, sorter *s, narrow *n)
{
    int err = IMP_OK;
    TRY(order_list(c, v, s, &n->meet));
    TRY(order_list(c, v, s, &n->undecided));
    /* The time of sorting then counts in this stage, not in the stage that first reads the
     * result. */
    if (c->opt.timed)
        TRY(device_finish(c->dev64));
out:
    return err;
}
