/* See check.h. */
#include "check.h"

#include "error.h"
#include "float_env.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int candidates(const check_rows *c)
{
    return c->job->given.stage == IMP_STAGE_CANDIDATES;
}

static int differs_as(const check_rows *c, int64_t a, int64_t b, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: pair %lld %lld %s", c->path,
                    job_step_name(c->job), (unsigned long long)c->frame, (long long)a, (long long)b,
                    how);
}

/* Returns the frame's number of a position in the mesh; the position may be invalid. */
static int64_t check_rows_frame_index(const check_rows *c, int64_t at)
{
    return c->number && at >= 0 && at < c->at->mesh->primitives ? c->number[at] : at;
}

static int check_rows_differ(const check_rows *c, int64_t a, int64_t b, const char *how)
{
    return differs_as(c, check_rows_frame_index(c, a), check_rows_frame_index(c, b), how);
}

static int compare_numbers(const void *p, const void *q)
{
    const uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
    return (x > y) - (x < y);
}

/* Returns the position of a frame's number in the mesh; -1 if the mesh lacks it. */
static int64_t find_number(const check_rows *c, int64_t number)
{
    const uint32_t key = (uint32_t)number, *found = NULL;
    if (number >= 0 && number <= UINT32_MAX)
        found = bsearch(&key, c->number, c->at->mesh->primitives, sizeof key, compare_numbers);
    return found ? found - c->number : -1;
}

int64_t check_rows_position(const check_rows *c, int64_t number)
{
    if (c->number)
        return find_number(c, number);
    return number >= 0 && number < c->at->mesh->primitives ? number : -1;
}

int check_rows_find(const check_rows *c, const result_rows *rows, int64_t *a, int64_t *b)
{
    for (uint64_t i = 0; i < rows->count; i++) {
        a[i] = find_number(c, rows->a[i]);
        b[i] = find_number(c, rows->b[i]);
        if (a[i] < 0 || b[i] < 0)
            return differs_as(c, rows->a[i], rows->b[i], "is not a pair of this frame");
    }
    return IMP_OK;
}

/* ---- order */

/* Returns whether a pair of primitives may have several rows, one for each pair of features. */
static int check_rows_of_features(const check_rows *c)
{
    return c->job->def.rows == IMP_ROWS_FEATURES && !candidates(c);
}

static int check_rows_sign(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int check_rows_feature_order(const result_rows *r, uint64_t i, const truth_row *t)
{
    const int kind = check_rows_sign(r->kind[i], t->kind),
              one = check_rows_sign(r->feature_a[i], t->feature_a),
              two = check_rows_sign(r->feature_b[i], t->feature_b);
    return kind ? kind : one ? one : two;
}

/* Returns -1 if row i is before the row of the truth, 1 if it is after it. */
static int row_order(const check_rows *c, uint64_t i, const truth_row *t)
{
    const result_rows *r = c->rows;
    if (r->toi && r->toi[i] != t->toi)
        return r->toi[i] < t->toi ? -1 : 1;
    const int a = check_rows_sign(r->a[i], t->a), b = check_rows_sign(r->b[i], t->b);
    return a || b || !check_rows_of_features(c) ? (a ? a : b) : check_rows_feature_order(r, i, t);
}

/* Returns the truth's row for row i, or NULL, by binary search. */
static const truth_row *find_row(const check_rows *c, uint64_t i)
{
    size_t lo = 0, hi = c->truth->count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        const int order = row_order(c, i, &c->truth->row[middle]);
        if (!order)
            return &c->truth->row[middle];
        lo = order > 0 ? middle + 1 : lo;
        hi = order > 0 ? hi : middle;
    }
    return NULL;
}

/* Returns the number of rows with the pair of primitives, or features, of a row of the truth;
 * *last: the last of them. */
static uint64_t rows_of_pair(const check_rows *c, const truth_row *t, uint64_t *last)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < c->rows->count; i++)
        if (c->rows->a[i] == t->a && c->rows->b[i] == t->b &&
            (!check_rows_of_features(c) || !check_rows_feature_order(c->rows, i, t))) {
            n++;
            *last = i;
        }
    return n;
}

/* Returns the truth's row of this pair, at whatever time; of_features: with the same kind and
 * features. NULL if absent. */
static const truth_row *truth_of_pair(const check_rows *c, const truth_row *key, int of_features)
{
    for (size_t i = 0; i < c->truth->count; i++) {
        const truth_row *t = &c->truth->row[i];
        if (t->a == key->a && t->b == key->b &&
            (!of_features || (t->kind == key->kind && t->feature_a == key->feature_a &&
                              t->feature_b == key->feature_b)))
            return t;
    }
    return NULL;
}

/* ---- rotating bodies */

/* True if row i has a rotating body and is not a contact at the start of the step. Such rows are
 * judged separately. */
static int is_turning(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    const truth_case of = {.f = {c->at, c->next}, .frames = 2};
    const int64_t n = c->at->mesh->primitives;
    return c->next && r->toi && !(r->kind[i] & IMP_KIND_AT_START) && r->a[i] >= 0 &&
           r->a[i] < r->b[i] && r->b[i] < n &&
           truth_rigid_ccd(&of, (uint32_t)r->a[i], (uint32_t)r->b[i]);
}

static const char *turning_wrong(const check_rows *c, oracle *o, uint64_t i)
{
    const result_rows *r = c->rows;
    const truth_rigid_ccd_claim stored = {.a = (uint32_t)r->a[i],
                                          .b = (uint32_t)r->b[i],
                                          .kind = r->kind[i],
                                          .toi = r->toi[i],
                                          .feature_a = r->feature_a[i],
                                          .feature_b = r->feature_b[i],
                                          .point = r->points + 6 * i};
    const truth_row *t = truth_rigid_ccd_row(c->truth, stored.a, stored.b);
    if (r->depth && (r->depth[i] != 0 || r->collision_first[i + 1] != r->collision_first[i]))
        return "has collision points or a depth";
    if (t && !(stored.toi <= t->toi))
        return "meets earlier";
    return truth_rigid_ccd_fault(o, c->at, c->next, &c->job->def, &stored);
}

/* ---- points */

/* True if the row equals the truth's, apart from its points. */
static int check_rows_same_features(const result_rows *r, uint64_t i, const truth_row *t)
{
    return !r->feature_a || (r->feature_a[i] == t->feature_a && r->feature_b[i] == t->feature_b);
}

/* The columns of nearest features of row i. */
static nearest_claim check_rows_nearest(const result_rows *r, uint64_t i)
{
    nearest_claim out = {.kind = r->kind[i],
                         .feature = {r->feature_a[i], r->feature_b[i]},
                         .distance = r->distance[i]};
    memcpy(out.weight[0], r->barycentric_a + 4 * i, sizeof out.weight[0]);
    memcpy(out.weight[1], r->barycentric_b + 4 * i, sizeof out.weight[1]);
    memcpy(out.point, r->points + 6 * i, sizeof out.point);
    memcpy(out.normal, r->normal + 3 * i, sizeof out.normal);
    return out;
}

/* Returns the fault in the points of row i, which is correct otherwise; NULL if there is no
 * fault. */
static const char *row_points_wrong(const check_rows *c, oracle *o, uint64_t i, const truth_row *t)
{
    const result_rows *r = c->rows;
    const nearest_claim nearest = r->distance ? check_rows_nearest(r, i) : (nearest_claim){0};
    truth_claim stored = {.kind = r->kind[i],
                          .point = r->points + 6 * i,
                          .deep = r->depth && r->collision_first,
                          .nearest = r->distance ? &nearest : NULL,
                          .end_features = r->end_features ? r->end_features + 4 * i : NULL,
                          .features = check_rows_of_features(c)};
    if (stored.deep) {
        stored.depth = r->depth[i];
        stored.deep_elsewhere = t->depth > 0;
        stored.collisions = r->collision_first[i + 1] - r->collision_first[i];
        stored.collision = r->collision + 3 * r->collision_first[i];
    }
    return c->next ? truth_ccd_points_fault(o, c->at, c->next, t, &stored)
                   : truth_points_fault(o, c->at, t->a, t->b, &stored);
}

/* Does the same for all rows: wrong[rows]. Each thread has an oracle of its own, with memory for
 * its big numbers. */
static int judge_points(const check_rows *c, const char **wrong)
{
    int64_t n = (int64_t)c->rows->count;
    int without = 0; /* threads without an oracle */
#pragma omp parallel num_threads(c->job->def.threads) reduction(+ : without)
    EACH_IN_FLOAT_ENV
    {
        oracle *o = oracle_open();
        without += !o;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++) {
            if (o && is_turning(c, (uint64_t)i)) {
                wrong[i] = turning_wrong(c, o, (uint64_t)i);
                continue;
            }
            const truth_row *t = o ? find_row(c, (uint64_t)i) : NULL;
            const int same = t && t->kind == c->rows->kind[i] &&
                             check_rows_same_features(c->rows, (uint64_t)i, t);
            wrong[i] = same ? row_points_wrong(c, o, (uint64_t)i, t) : NULL;
        }
        oracle_close(o);
    }
    return without ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

/* ---- rows */

/* Rows are read from a file: they are checked before they are used as indices, and compared. */
static int check_rows_form(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    const int64_t n = c->at->mesh->primitives;
    if (r->a[i] < 0 || r->a[i] >= r->b[i] || r->b[i] >= n)
        return check_rows_differ(c, r->a[i], r->b[i], "is not a pair of this frame");
    if (r->toi && (!(r->toi[i] >= 0 && r->toi[i] <= 1) || signbit(r->toi[i])))
        return check_rows_differ(c, r->a[i], r->b[i], "has a share that is none");
    return IMP_OK;
}

/* Checks the time by the formula of format.md, bit for bit, and against linear interpolation
 * between both times, within rounding. */
static int good_time(const check_rows *c, uint64_t i)
{
    const double from = batch_frame_time(c->job->in, c->frame),
                 to = batch_frame_time(c->job->in, c->next->number), toi = c->rows->toi[i],
                 time = c->rows->time[i];
    const result_step of = {.time = from, .next = to};
    const double slack = 0x1p-50 * fmax(fabs(from), fabs(to)) + 0x1p-1072,
                 want = result_time(&of, toi);
    return time == want && signbit(time) == signbit(want) &&
           fabs(time - ((1 - toi) * from + toi * to)) <= slack;
}

/* Reports a row that the truth does not have there. */
static int additional_row(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    truth_row key = {.a = (uint32_t)r->a[i], .b = (uint32_t)r->b[i], .kind = r->kind[i]};
    const int features = check_rows_of_features(c);
    if (features) {
        key.feature_a = r->feature_a[i];
        key.feature_b = r->feature_b[i];
    }
    const truth_row *pair = truth_of_pair(c, &key, 0), *t = truth_of_pair(c, &key, features);
    uint64_t last;
    return check_rows_differ(c, key.a, key.b,
                             rows_of_pair(c, &key, &last) > 1       ? "is there twice"
                             : t && row_order(c, i, t)              ? "meets at another time"
                             : t                                    ? "is out of order"
                             : pair                                 ? "has other features"
                             : !r->distance                         ? "does not meet"
                             : c->job->def.rows == IMP_ROWS_OBJECTS ? "is not the nearest"
                                                                    : "is farther apart");
}

static int check_rows_missing(const check_rows *c, const truth_row *t)
{
    uint64_t last = 0;
    char how[100] = "is missing";
    if (check_rows_of_features(c))
        snprintf(how, sizeof how, "lacks features %lld and %lld, kind %d", (long long)t->feature_a,
                 (long long)t->feature_b, t->kind);
    if (!rows_of_pair(c, t, &last))
        return check_rows_differ(c, t->a, t->b, how);
    return check_rows_differ(c, t->a, t->b,
                             row_order(c, last, t) ? "meets at another time" : "is out of order");
}

static int wrong_points(const check_rows *c, int64_t a, int64_t b, const char *what)
{
    char how[100];
    snprintf(how, sizeof how, "has wrong points: %s", what);
    return check_rows_differ(c, a, b, how);
}

/* Compares the columns that follow from the pair and the toi: objects, ids, the time. */
int check_rows_names(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    const imp_mesh *m = c->at->mesh;
    const int64_t a = r->a[i], b = r->b[i];
    if (r->object_a[i] != (m->object ? m->object[a] : 0) ||
        r->object_b[i] != (m->object ? m->object[b] : 0))
        return check_rows_differ(c, a, b, "has wrong objects");
    if (r->id_a && m->id && (r->id_a[i] != m->id[a] || r->id_b[i] != m->id[b]))
        return check_rows_differ(c, a, b, "has wrong names");
    if (r->source_a &&
        (!c->source_id || r->source_a[i] != c->source_id[a] || r->source_b[i] != c->source_id[b]))
        return check_rows_differ(c, a, b, "has wrong source ids");
    if (!r->source_a && c->source_id)
        return check_rows_differ(c, a, b, "has no source ids");
    if (r->toi && !good_time(c, i))
        return check_rows_differ(c, a, b, "has another time");
    return IMP_OK;
}

/* Compares the depth of a contact between objects. If the depth is 0 and the row has collision
 * points, it is the depth of the two primitives alone, which is compared with these points. */
static int check_rows_depth_differs(const check_rows *c, uint64_t i, const truth_row *t)
{
    const result_rows *r = c->rows;
    if (!c->job->def.inside || !r->depth || (r->collision_first && !(t->depth > 0)))
        return 0;
    return r->depth[i] != t->depth || signbit(r->depth[i]);
}

static int compare_row(check_rows *c, uint64_t i, const truth_row *t, const char *points_wrong)
{
    const result_rows *r = c->rows;
    if (r->kind[i] != t->kind)
        return check_rows_differ(c, t->a, t->b, "has another kind");
    if (!check_rows_same_features(r, i, t))
        return check_rows_differ(c, t->a, t->b, "has other features");
    if (check_rows_depth_differs(c, i, t))
        return check_rows_differ(c, t->a, t->b, "has another depth");
    if (r->crossing && r->crossing[i] != t->crossing)
        return check_rows_differ(c, t->a, t->b, t->crossing ? "does cross" : "does not cross");
    if (r->distance && r->distance[i] != t->distance)
        return check_rows_differ(c, t->a, t->b, "has another distance");
    if (r->penetration && (r->penetration[i] != t->penetration || signbit(r->penetration[i])))
        return check_rows_differ(c, t->a, t->b, "has another penetration");
    if (r->relative && (r->relative[i] != t->relative || signbit(r->relative[i])))
        return check_rows_differ(c, t->a, t->b, "has another relative penetration");
    const int err = check_rows_names(c, i);
    if (err)
        return err;
    if (points_wrong)
        return wrong_points(c, t->a, t->b, points_wrong);
    c->pairs++;
    return IMP_OK;
}

/* Checks the order with respect to the row before, whatever kind of row that is. */
static int compare_turning(check_rows *c, uint64_t i, const char *wrong)
{
    const result_rows *r = c->rows;
    const truth_row before = {.a = i ? (uint32_t)r->a[i - 1] : 0,
                              .b = i ? (uint32_t)r->b[i - 1] : 0,
                              .toi = i ? r->toi[i - 1] : 0};
    if (wrong)
        return check_rows_differ(c, r->a[i], r->b[i], wrong);
    if (i && row_order(c, i, &before) <= 0)
        return check_rows_differ(c, r->a[i], r->b[i],
                                 row_order(c, i, &before) ? "is out of order" : "is there twice");
    c->pairs++;
    return check_rows_names(c, i);
}

static int compare_pairs(const void *p, const void *q)
{
    const truth_row *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Checks that each pair that surely meets has a row, and that no pair has two. */
static int turning_complete(const check_rows *c)
{
    int err = IMP_OK;
    const result_rows *r = c->rows;
    truth_row *got = NULL;
    size_t n = 0;
    TRY(mem_alloc(&c->job->mem.read, (r->count + 1) * sizeof *got, &got));
    for (uint64_t i = 0; i < r->count; i++)
        if (is_turning(c, i))
            got[n++] = (truth_row){.a = (uint32_t)r->a[i], .b = (uint32_t)r->b[i]};
    qsort(got, n, sizeof *got, compare_pairs);
    for (size_t i = 1; i < n; i++)
        if (!compare_pairs(&got[i - 1], &got[i]))
            TRY(check_rows_differ(c, got[i].a, got[i].b, "is there twice"));
    for (size_t i = 0; i < c->truth->turning; i++) {
        const truth_row *want = &c->truth->turning_row[i];
        if (!bsearch(want, got, n, sizeof *got, compare_pairs))
            TRY(check_rows_differ(c, want->a, want->b, "is missing"));
    }
out:
    mem_free(&c->job->mem.read, got);
    return err;
}

/* ---- candidates */

/* Candidates may include more than those of the truth, so the truth alone does not check their
 * order. */
static int check_rows_ascending(const check_rows *c, uint64_t i)
{
    const result_rows *r = c->rows;
    if (!candidates(c) || !i || r->a[i] > r->a[i - 1] ||
        (r->a[i] == r->a[i - 1] && r->b[i] > r->b[i - 1]))
        return IMP_OK;
    const int same = r->a[i] == r->a[i - 1] && r->b[i] == r->b[i - 1];
    return check_rows_differ(c, r->a[i], r->b[i], same ? "is there twice" : "is out of order");
}

/* known: the truth has this candidate. Bounds are a little larger than exact boxes: there may be
 * more candidates, never fewer. */
static int compare_candidate(check_rows *c, uint64_t i, int known)
{
    const result_rows *r = c->rows;
    const uint32_t a = (uint32_t)r->a[i], b = (uint32_t)r->b[i];
    if (!known && !truth_bounds_near(c->at, c->next, &c->job->def, *c->job->normal_volume != 0,
                                     c->margin, a, b))
        return check_rows_differ(c, a, b, "is no candidate");
    if (r->kind[i] != IMP_KIND_CANDIDATE)
        return check_rows_differ(c, a, b, "has another kind");
    const int err = check_rows_names(c, i);
    if (err)
        return err;
    if (r->depth && (r->depth[i] != 0 || r->collision_first[i + 1] != r->collision_first[i]))
        return wrong_points(c, a, b, "it has collision points or a depth");
    const char *fault = truth_centroids_fault(c->at, a, b, c->lost, r->points + 6 * i);
    if (fault)
        return wrong_points(c, a, b, fault);
    c->pairs += (uint64_t)known;
    c->extra += (uint64_t)!known;
    return IMP_OK;
}

/* ---- all */

/* Both are in the same order: one merge walk finds missing and additional rows. */
static int check_rows_merge_walk(check_rows *c, const char *const *wrong)
{
    int err = IMP_OK;
    const result_rows *r = c->rows;
    const truth *t = c->truth;
    size_t next = 0;
    for (uint64_t i = 0; i < r->count; i++) {
        TRY(check_rows_form(c, i));
        TRY(check_rows_ascending(c, i));
        /* with a sample, only pairs with a primitive in it are compared */
        if (c->wanted && !c->wanted[r->a[i]] && !c->wanted[r->b[i]])
            continue;
        if (!candidates(c) && is_turning(c, i)) {
            TRY(compare_turning(c, i, wrong[i]));
            continue;
        }
        /* after the last row of the truth, every further row is additional */
        const int order = next < t->count ? row_order(c, i, &t->row[next]) : -1;
        if (order > 0)
            TRY(check_rows_missing(c, &t->row[next]));
        if (candidates(c))
            TRY(compare_candidate(c, i, !order));
        else if (order < 0)
            TRY(additional_row(c, i));
        else
            TRY(compare_row(c, i, &t->row[next], wrong[i]));
        next += !order;
    }
    if (next < t->count)
        TRY(check_rows_missing(c, &t->row[next]));
out:
    return err;
}

int check_rows_columns(const check_rows *c)
{
    /* a and b are NULL where a frame without rows lacks primitives */
    const column_set optional = COLUMN_BIT(STORED_source_a) | COLUMN_BIT(STORED_source_b) |
                                COLUMN_BIT(STORED_a) | COLUMN_BIT(STORED_b);
    const column_set want = columns_when(&stored_table, &c->job->def);
    if (!((columns_present(&stored_table, c->rows) ^ want) & ~optional))
        return IMP_OK;
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: its rows have the wrong columns", c->path,
                    job_step_name(c->job), (unsigned long long)c->frame);
}

int check_rows_compare(check_rows *c)
{
    int err = IMP_OK;
    const char **wrong = NULL;
    TRY(check_rows_columns(c));
    TRY(mem_alloc(&c->job->mem.read, (c->rows->count + 1) * sizeof *wrong, &wrong));
    memset(wrong, 0, (c->rows->count + 1) * sizeof *wrong);
    if (candidates(c))
        truth_bounds_sizes(c->at, c->next, &c->job->def, &c->margin, &c->lost);
    else
        TRY(judge_points(c, wrong));
    TRY(check_rows_merge_walk(c, wrong));
    TRY(turning_complete(c));
out:
    mem_free(&c->job->mem.read, wrong);
    return err;
}
