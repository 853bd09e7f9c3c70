/* See feature_tests.h. Candidates are expanded to feature pairs, which go through two tests; both
 * lists are processed in pieces that fit in memory. */
#include "feature_tests.h"

#include "mem.h"
#include "ccd_separate.h"
#include "distance_code.h"
#include "clock.h"
#include "error.h"
#include "segment.h"
#include "stages.h"

#include <math.h>
#include <string.h>

/* Candidates counted and written by one item. */
#define CHUNK_HOST 64
#define CHUNK_GROUPS 8

#define FEATURE_PAIRS_LONG (1u << 20)
#define SAMPLE_PIECE (1u << 16) /* feature pairs read at a time */

/* Candidates in a piece. On the host: few enough that the data stay in caches, of which threads
 * have their own. On GPUs: more, since each piece has waits, but few enough that no launch takes
 * long on a slow GPU. 32-bit numbers allow twice as many. */
#define PIECE_HOST (UINT64_C(1) << 16)
#define PIECE_THREAD (UINT64_C(1) << 15)
#define PIECE_QUEUED (UINT64_C(1) << 22)
#define PIECE_GROUPS (UINT64_C(1) << 24)
_Static_assert(PIECE_GROUPS <= UINT64_C(1) << (32 - CCD_NUMBER_BITS), "numbers of candidates fit");

static void feature_pairs_free(device *d, feature_pairs *p)
{
    buffer_free(d, &p->a);
    buffer_free(d, &p->b);
    buffer_free(d, &p->code);
    p->count = 0;
}

void feature_tests_free_range(const context *c, feature_tests *s)
{
    device *d = c->dev64;
    feature_pairs_free(d, &s->meet);
    feature_pairs_free(d, &s->undecided);
    pairs_free(d, &s->local);
    pairs_free(d, &s->all);
    buffer *buffers[] = {&s->mask.raw,    &s->which.raw,  &s->open.raw,      &s->decided.raw,
                         &s->count.raw,   &s->offset.raw, &s->compacted.raw, &s->before.raw,
                         &s->verdict.raw, &s->note.raw};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        bytes_free(d, buffers[i]);
    scanner_free(d, &s->scan);
    sample_free(c->mem, &s->sample);
}

void feature_tests_free(const context *c, feature_tests *s)
{
    feature_tests_free_range(c, s);
    buffer_free(c->dev64, &s->ends);
    buffer_free(c->dev64, &s->span);
    buffer_free(c->dev64, &s->gap);
    buffer_free(c->dev64, &s->limit);
    buffer_free(c->dev64, &s->vert0);
}

void feature_tests_clear(feature_tests *s)
{
    s->meet.count = s->undecided.count = 0;
    sample_clear(&s->sample);
}

/* The gaps of a frame, in its unit. Those that prove boxes or features apart are larger than the
 * separation by more than rounding errors; the one that proves features near is smaller, since a
 * position is accurate to 2^-42. */
static void gaps_of(const context *c, const block_view *v, const normalisation *u, size_t f,
                    double gap[CCD_GAPS])
{
    const double most = contact_limit_most(c, &v->frame[f]);
    double far = 0;
    memset(gap, 0, CCD_GAPS * sizeof *gap);
    if (most == 0 && !c->opt.thickness) /* then it is 0 in all frames */
        return;
    for (size_t k = 0; k < DIMENSIONS; k++)
        far = fmax(far, fabs(u->centre[DIMENSIONS * f + k]) + 1);
    const double scaled = most * u->scale[2 * f] * u->scale[2 * f + 1];
    const double near = 2 * fmax(0, scaled * (1 - 0x1p-40) - 0x1p-40);
    gap[GAP] = scaled * (1 + 0x1p-40) + far * 0x1p-50;
    gap[GAP_SQUARE] = gap[GAP] * gap[GAP] * (1 + 0x1p-48);
    gap[GAP_NEAR] = near * near;
}

int feature_tests_begin(const context *c, const block_view *v, const bounds *o, feature_tests *s)
{
    int err = IMP_OK;
    const size_t gaps = (size_t)CCD_GAPS * v->frames;
    const uint32_t spanned = c->dev64->groups && v->corners == IMP_TRIANGLES;
    double *gap = NULL;
    TRY(mem_alloc(c->mem, gaps * sizeof *gap, &gap));
    for (size_t f = 0; f < v->frames; f++)
        gaps_of(c, v, &o->normalisation, f, gap + CCD_GAPS * f);
    TRY(buffer_put(c->dev64, &s->gap, gap, gaps));
    TRY(buffer_put(c->dev64, &s->vert0, v->vert0, v->frames + 1));
    TRY(buffer_fit(c->dev64, &s->ends, (size_t)CCD_ROW * v->verts));
    TRY(buffer_fit(c->dev64, &s->span, spanned ? (size_t)CCD_ROW * v->verts : 0));
    TRY(RUN(c->dev64, ccd_ends, v->verts, v->frames, &s->vert0, &o->x,
            c->opt.rows ? &o->x : &o->x_to, &s->ends, spanned, &s->span));
    if (c->opt.rows)
        TRY(distance_limits_put(c, v, o, &s->limit));
out:
    mem_free(c->mem, gap);
    return err;
}

/* ---- feature pairs */

/* Some candidates, whose feature pairs are processed together. */
typedef struct piece {
    const context *c;
    device *d;
    feature_tests *s;
    const pairs *from;
    uint32_t first, pairs; /* range of `from` */
    uint32_t chunk, chunks;
    uint32_t corners, words; /* corners per primitive, words per mask */
    const buffer_u32 *corner, *prim0;
    uint32_t frames;
    uint64_t total; /* feature pairs */
} piece;

#define MESH_OF(p) (p)->corners, (p)->corner, &(p)->s->ends
#define FIND_OF(p, rep)                                                                            \
    &(p)->from->a, &(p)->from->b, (p)->first, rep, &(p)->s->gap, MESH_OF(p), &(p)->s->mask
#define FEATURES_OF(p, which) which, &(p)->from->a, &(p)->from->b, (p)->first, MESH_OF(p)

/* The number of elements of `bytes` each that fit in 1 / share of the free memory and in a
 * buffer. */
static uint64_t feature_tests_capacity(const piece *p, uint64_t share, uint64_t bytes,
                                       uint64_t most)
{
    uint64_t fit = mem_left(p->c->mem) / share / bytes;
    if (p->d->largest && most > p->d->largest / bytes)
        most = p->d->largest / bytes;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

static uint64_t piece_most(const device *d)
{
    const uint64_t shared = PIECE_THREAD * (uint64_t)d->threads;
    const uint64_t host = shared < PIECE_HOST     ? PIECE_HOST
                          : shared < PIECE_QUEUED ? shared
                                                  : PIECE_QUEUED;
    return d->large ? PIECE_GROUPS : d->queued ? PIECE_QUEUED : host;
}

/* Begins a piece with the candidates [first, end), or as many of them as memory allows. */
static void piece_cut(piece *p, uint64_t first, uint64_t end)
{
    const device *d = p->d;
    const uint64_t left = end - first,
                   most = feature_tests_capacity(p, BUDGET_MASK_SHARE, BUDGET_MASK, piece_most(d));
    p->first = (uint32_t)first;
    p->pairs = (uint32_t)(left < most ? left : most);
    p->chunk = d->large ? CHUNK_GROUPS : CHUNK_HOST;
    p->chunks = p->pairs / p->chunk + (p->pairs % p->chunk != 0);
}

/* Counts of each frame, as differences of the numbers of pairs before it. */
static int piece_count(piece *p, imp_frame_info *info)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    const size_t n = (size_t)p->frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(p->c->mem, 2 * n * sizeof *at, &at));
    TRY(buffer_fit(p->d, &s->before, 2 * n));
    TRY(RUN(p->d, ccd_before, n, p->prim0, &p->from->a, p->first, p->pairs, p->chunk, p->chunks,
            p->words, &s->mask, &s->offset, &s->before));
    TRY(buffer_read(p->d, &s->before, 0, at, 2 * n));
    p->total = at[2 * n - 1];
    for (size_t f = 0; f < p->frames; f++) {
        info[f].candidates_vf += at[2 * f + 2] - at[2 * f];
        info[f].candidates_ee += at[2 * f + 3] - at[2 * f + 1];
    }
out:
    mem_free(p->c->mem, at);
    return err;
}

/* Finds the feature pairs, as masks, and where those of each chunk begin in the list. */
static int piece_find(piece *p, const buffer_u32 *rep, imp_frame_info *info)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    TRY(buffer_fit(p->d, &s->mask, (size_t)p->words * p->pairs));
    TRY(p->d->groups ? RUN(p->d, ccd_find, p->pairs, FIND_OF(p, rep), &s->span)
                     : RUN(p->d, ccd_find8, ((uint64_t)p->pairs + 7) / 8, p->pairs,
                           p->c->opt.rows != 0, FIND_OF(p, rep)));
    TRY(buffer_fit(p->d, &s->count, (size_t)2 * p->chunks));
    TRY(RUN(p->d, ccd_count, p->chunks, p->pairs, p->chunk, p->words, &s->mask, &s->count));
    TRY(scan_counts(p->d, &s->scan, &s->count, 2 * p->chunks, &s->offset, NULL));
    TRY(piece_count(p, info));
out:
    return err;
}

/* ---- verdicts */

/* narrow_compact of narrow.c, for feature pairs */
static int feature_tests_compact(piece *p, const buffer_u32 *from, uint64_t n, uint32_t one,
                                 uint32_t two, buffer_u32 *to, uint64_t picked[2])
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    const uint32_t tiles = compact_tiles(p->d, n), count = (uint32_t)n;
    const uint64_t items = (uint64_t)tiles * SEGMENT_GROUP;
    TRY(compact_tile_counts(p->d, &s->verdict, count, one, two, &s->count));
    TRY(compact_sums(p->d, &s->scan, &s->count, tiles, two, &s->compacted, picked));
    TRY(buffer_fit(p->d, to, picked[1]));
    TRY(p->d->groups ? RUN_GROUP(p->d, feature_compact_group, items, SEGMENT_GROUP, count,
                                 &s->verdict, one, two, &s->compacted, from, to)
                     : RUN(p->d, ccd_compact, tiles, count, COMPACT_CHUNK, &s->verdict, one, two,
                           &s->compacted, from, to));
out:
    return err;
}

/* Appends n elements of `list`, from `first` on, to `to`. */
static int feature_tests_append(piece *p, const buffer_u32 *list, uint64_t first, uint64_t n,
                                feature_pairs *to)
{
    int err = IMP_OK;
    buffer_u32 *part[] = {&to->a, &to->b, &to->code};
    uint64_t old = to->count, all = old + n;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        size_t bytes = BUFFER_BYTES(part[i], all);
        /* long lists take much of the memory, so they grow by less */
        const uint64_t more = old / (old < FEATURE_PAIRS_LONG ? 2 : 8);
        uint64_t capacity = bytes > part[i]->raw.capacity ? all + more : all;
        TRY(buffer_grow(p->d, part[i], old, capacity));
    }
    TRY(RUN(p->d, ccd_to_numbers, n, first, list, &p->from->a, &p->from->b, p->first, p->corners,
            old, &to->a, &to->b, &to->code));
    to->count = all;
out:
    return err;
}

/* Reads back n feature pairs of s->which, from `first` on, with prims and codes. */
static int sample_some(piece *p, uint64_t first, size_t n, feature_pairs *named, uint32_t *a)
{
    int err = IMP_OK;
    named->count = 0;
    TRY(feature_tests_append(p, &p->s->which, first, n, named));
    TRY(buffer_read(p->d, &named->a, 0, a, n));
    TRY(buffer_read(p->d, &named->b, 0, a + n, n));
    TRY(buffer_read(p->d, &named->code, 0, a + 2 * n, n));
    TRY(sample_add(p->c->mem, &p->s->sample, p->c->opt.verify, a, a + n, a + 2 * n, n));
out:
    return err;
}

/* Adds the n pairs of s->which, before they are decided, to the sample. */
static int feature_tests_sample(piece *p, uint64_t n)
{
    int err = IMP_OK;
    feature_pairs named = {0};
    uint32_t *a = NULL;
    if (!p->c->opt.verify)
        return IMP_OK;
    const size_t most = n < SAMPLE_PIECE ? (size_t)n : SAMPLE_PIECE;
    TRY(mem_alloc(p->c->mem, 3 * most * sizeof *a, &a));
    for (uint64_t first = 0; first < n; first += most)
        TRY(sample_some(p, first, n - first < most ? (size_t)(n - first) : most, &named, a));
out:
    feature_pairs_free(p->d, &named);
    mem_free(p->c->mem, a);
    return err;
}

static int feature_tests_separated(const piece *p) /* the test, instead of touching */
{
    return p->c->opt.separation > 0;
}

/* The number of the n pairs that the last test handles at a time: on GPUs each needs a note, and
 * memory may have room for a part only. */
static int feature_tests_fit_notes(piece *p, uint32_t n, uint32_t *most)
{
    *most = n;
    if (!p->d->groups)
        return IMP_OK;
    const size_t note = feature_tests_separated(p) ? CCD_SEPARATE_NOTE : CCD_NOTE;
    *most = (uint32_t)feature_tests_capacity(p, BUDGET_FEATURES_SHARE,
                                             BUFFER_BYTES(&p->s->note, note), n);
    return buffer_fit(p->d, &p->s->note, note * *most);
}

/* The last test, for `some` of n pairs; the host tests all of them, CCD_CHUNK in an item. */
#define TEST_HALVES(p, which, first, some)                                                         \
    ((p)->d->groups ? RUN((p)->d, ccd_halve, some, first, FEATURES_OF(p, which), &(p)->s->note,    \
                          &(p)->s->verdict)                                                        \
                    : RUN((p)->d, ccd_halve8, ((some) + CCD_CHUNK - 1) / CCD_CHUNK, some,          \
                          FEATURES_OF(p, which), &(p)->s->verdict))
#define TEST_SEPARATION(p, which, first, some)                                                     \
    ((p)->d->groups ? RUN((p)->d, ccd_separate, some, first, FEATURES_OF(p, which), &(p)->s->gap,  \
                          &(p)->s->note, &(p)->s->verdict)                                         \
                    : RUN((p)->d, ccd_separate8, ((some) + CCD_CHUNK - 1) / CCD_CHUNK, some,       \
                          FEATURES_OF(p, which), &(p)->s->gap, &(p)->s->verdict))

/* Collects the n feature pairs of `which`, all of which have a verdict. */
static int feature_tests_take(piece *p, const buffer_u32 *which, uint64_t n)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    uint64_t decided[2];
    TRY(feature_tests_compact(p, which, n, TRI_MEET, TRI_UNDECIDED, &s->decided, decided));
    TRY(feature_tests_append(p, &s->decided, 0, decided[0], &s->meet));
    TRY(feature_tests_append(p, &s->decided, decided[0], decided[1] - decided[0], &s->undecided));
out:
    return err;
}

/* Runs the n pairs of s->which through the test of a distance. */
static int feature_tests_distances(piece *p, uint64_t n)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    TRY(feature_tests_sample(p, n));
    TRY(buffer_fit(p->d, &s->verdict, n));
    TRY(buffer_fit(p->d, &s->note, p->d->groups ? DISTANCE_NOTE * n : 0));
    TRY(p->d->groups ? RUN(p->d, distance_pairs, n, FEATURES_OF(p, &s->which), &s->limit, &s->note,
                           &s->verdict)
                     : RUN(p->d, distance_pairs8, (n + 7) / 8, (uint32_t)n,
                           FEATURES_OF(p, &s->which), &s->limit, &s->verdict));
    TRY(feature_tests_take(p, &s->which, n));
out:
    return err;
}

/* Runs the n pairs of s->which through both tests; with a separation there is only the second. */
static int feature_tests_decide(piece *p, uint64_t n)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    const buffer_u32 *which = &s->which;
    uint64_t open[2];
    uint32_t most;
    TRY(feature_tests_sample(p, n));
    TRY(buffer_fit(p->d, &s->verdict, n));
    if (!feature_tests_separated(p)) {
        TRY(RUN_PAIRS(p->d, ccd_first, n, FEATURES_OF(p, which), &s->verdict));
        TRY(feature_tests_compact(p, which, n, CCD_OPEN, TRI_NO_VERDICT, &s->open, open));
        n = open[0];
        which = &s->open;
    }
    if (!n)
        goto out;
    TRY(feature_tests_fit_notes(p, (uint32_t)n, &most));
    for (uint32_t first = 0, some; first < n; first += some) {
        some = n - first < most ? (uint32_t)n - first : most;
        TRY(feature_tests_separated(p) ? TEST_SEPARATION(p, which, first, some)
                                       : TEST_HALVES(p, which, first, some));
    }
    TRY(feature_tests_take(p, which, n));
out:
    return err;
}

/* A benchmark's clock before and after a decision: it starts and stops when the device has
 * finished. */
static int feature_tests_clock(const piece *p, int sign)
{
    if (!p->c->opt.queries)
        return IMP_OK;
    const int err = device_finish(p->d);
    *p->c->opt.queries += sign * clock_seconds();
    return err;
}

/* Lists the feature pairs [base, *upto), as many as memory allows. *at: the part of the list that
 * begins at `base`; becomes the next one. */
static int piece_list(piece *p, uint64_t base, uint64_t *upto, uint32_t *at)
{
    int err = IMP_OK;
    feature_tests *s = p->s;
    const uint32_t parts = 2 * p->chunks;
    const uint64_t most =
        feature_tests_capacity(p, BUDGET_FEATURES_SHARE, BUDGET_FEATURE, UINT32_MAX / 2);
    uint32_t end = parts;
    *upto = p->total;
    if (*upto - base > most)
        TRY(scan_find(p->d, &s->scan, &s->offset, parts, *at, base + most, &end, upto));
    TRY(buffer_fit(p->d, &s->which, *upto - base));
    TRY(RUN(p->d, ccd_write, end - *at, *at, p->pairs, p->chunk, p->chunks, p->words, &s->mask,
            &s->offset, &s->which));
    *at = end;
out:
    return err;
}

int feature_tests_candidates(const context *c, candidates *found, feature_tests *s, pairs **from)
{
    const int err = candidates_to_device(c, found, &s->local, from);
    return err ? err : candidates_to_prims(c->dev64, found, *from);
}

int feature_tests_selves(const context *c, const block_view *v, uint32_t first, uint32_t last,
                         feature_tests *s, pairs **from)
{
    *from = &s->local;
    s->local.count = 0;
    if (v->corners == IMP_TRIANGLES || first >= last) /* features of a triangle share vertices */
        return IMP_OK;
    const int err = pairs_fit(c->dev64, &s->local, last - first);
    return err ? err : RUN(c->dev64, ccd_selves, last - first, first, &s->local.a, &s->local.b);
}

int feature_tests_keep(const context *c, const pairs *from, feature_tests *s)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const uint64_t old = s->all.count, n = old + from->count;
    TRY(pairs_few(n));
    const uint64_t room = BUFFER_BYTES(&s->all.a, n) > s->all.a.raw.capacity ? n + n / 2 : n;
    TRY(buffer_grow(d, &s->all.a, old, room));
    TRY(buffer_grow(d, &s->all.b, old, room));
    TRY(buffer_copy(d, &from->a, 0, &s->all.a, old, from->count));
    TRY(buffer_copy(d, &from->b, 0, &s->all.b, old, from->count));
    s->all.count = n;
out:
    return err;
}

#define CUT_PIECE 1024 /* pairs read at a time */

int feature_tests_cut(const context *c, const pairs *from, uint64_t first, uint64_t *end)
{
    int err = IMP_OK;
    uint32_t a[CUT_PIECE], last = 0;
    const uint64_t least = first + piece_most(c->dev64);
    *end = least < from->count ? least : from->count;
    while (*end < from->count) {
        const uint64_t left = from->count - *end + 1, n = left < CUT_PIECE ? left : CUT_PIECE;
        TRY(buffer_read(c->dev64, &from->a, *end - 1, a, n));
        uint32_t k = *end == least;
        last = k ? a[0] : last;
        while (k < n && a[k] == last)
            k++;
        *end += k - 1;
        if (k < n)
            break;
    }
out:
    return err;
}

int feature_tests_collect(const context *c, const block_view *v, const bounds *o,
                          const buffer_u32 *rep, const pairs *from, uint64_t first, uint64_t end,
                          feature_tests *s, imp_frame_info *info)
{
    int err = IMP_OK;
    piece p = {.c = c,
               .d = c->dev64,
               .s = s,
               .from = from,
               .corners = v->corners,
               .words = ccd_words(v->corners),
               .corner = &o->on64.corner,
               .prim0 = &o->on64.prim0,
               .frames = v->frames};
    for (; first < end; first += p.pairs) {
        uint32_t at = 0;
        piece_cut(&p, first, end);
        TRY(piece_find(&p, rep, info));
        for (uint64_t base = 0, upto; base < p.total; base = upto) {
            TRY(piece_list(&p, base, &upto, &at));
            if (upto == base || c->opt.only_features)
                continue;
            TRY(feature_tests_clock(&p, -1));
            TRY(c->opt.rows ? feature_tests_distances(&p, upto - base)
                            : feature_tests_decide(&p, upto - base));
            TRY(feature_tests_clock(&p, 1));
        }
    }
out:
    return err;
}
