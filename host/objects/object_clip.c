/* See object_clip.h. [H] section 2.1 begins with the objects' boxes; here no primitive's box is
 * needed. Cells of vertices decide, so a primitive costs four bytes per corner. */
#include "object_clip.h"

#include "bodies.h"
#include "bounds.h"
#include "error.h"
#include "float_env.h"
#include "object_cells.h"
#include "prim.h"

#include <omp.h>
#include <string.h>

/* The object in whose box the grid is: the one with fewer primitives. */
typedef struct clip_small {
    object_extent box;
    double spread[3];    /* sums of its primitives' extents along y and z, and of their products */
    uint32_t count;      /* primitives */
    uint32_t begin, end; /* the least range that contains its vertices */
} clip_small;

typedef struct search {
    const context *c;
    const imp_frame *frame;
    frame_extremes points;
    uint32_t prims;
    int32_t object[2];
    int large;       /* the one with more primitives */
    uint8_t *mark;   /* [prims] may have a partner */
    uint8_t *has;    /* [chunks of prims] objects present: FIRST, SECOND */
    uint32_t *count; /* [chunks of prims] marked primitives */
    double unit[2];  /* of the frame, as two factors (bounds.h) */
    clip_small small;
    cell_axes axes;
    cell_code *code;     /* [verts] for the larger object */
    cell_code *least[2]; /* [small.end - small.begin] the smaller one's, moved by the margin */
    cell_set *set;       /* [points.threads] */
    cell_lookup *look;
    uint32_t used; /* bits of points.extreme that a primitive has */
    int wide;      /* too much remains */
} search;

/* ---- objects */

#define FIRST 1u /* presence of the two objects in a chunk */
#define SECOND 2u
#define BOTH (FIRST | SECOND)

/* Counts a chunk's primitives of either object. */
static void chunk_objects(const int32_t *object, uint32_t n, int32_t one, int32_t two,
                          uint32_t count[2])
{
    count[0] = count[1] = 0;
    for (uint32_t i = 0; i < n; i++) {
        count[0] += object[i] == one;
        count[1] += object[i] == two;
    }
}

/* Finds the two objects and the chunks that contain them; returns 0 if there are more. */
static int look_at_objects(search *s)
{
    const int32_t *object = s->frame->mesh->object;
    int32_t one = object ? object[0] : 0, two = one;
    int64_t n = chunks_of(s->prims), ones = 0, twos = 0;
    for (uint32_t i = 0; object && two == one && i < s->prims; i++)
        two = object[i];
    if (two == one)
        return 0;
#pragma omp parallel num_threads(s->points.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(+ : ones, twos) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CLIP_CHUNK * (uint32_t)i, count[2];
        chunk_objects(object + begin, clip_chunk_end(begin, s->prims) - begin, one, two, count);
        s->has[i] = (uint8_t)((count[0] ? FIRST : 0) | (count[1] ? SECOND : 0));
        s->count[i] = 0;
        ones += count[0];
        twos += count[1];
    }
    s->object[0] = one;
    s->object[1] = two;
    s->large = ones < twos;
    s->small.count = (uint32_t)(ones < twos ? ones : twos);
    return ones + twos == s->prims;
}

/* ---- the primitives of an object in a chunk */

/* Primitives prim[0 .. n - 1]; or, if all of the chunk are of the object, those from prim[0] on. */
typedef struct share {
    uint32_t n;
    int all;
    uint32_t prim[CLIP_CHUNK];
} share;

static uint32_t share_prim(const share *b, uint32_t i)
{
    return b->all ? b->prim[0] + i : b->prim[i];
}

/* Returns whether a chunk has any. */
static int share_of(const search *s, int64_t chunk, int which, share *out)
{
    const int32_t *object = s->frame->mesh->object, mine = s->object[which];
    const uint32_t begin = CLIP_CHUNK * (uint32_t)chunk, end = clip_chunk_end(begin, s->prims);
    if (!(s->has[chunk] & (which ? SECOND : FIRST)))
        return 0;
    out->all = s->has[chunk] != BOTH;
    out->n = out->all ? end - begin : 0;
    out->prim[0] = begin;
    for (uint32_t i = begin; i < end && !out->all; i++) {
        out->prim[out->n] = i;
        out->n += object[i] == mine;
    }
    return 1;
}

/* ---- the smaller object */

static void small_add(search *s, clip_small *m, uint32_t prim)
{
    const imp_mesh *mesh = s->frame->mesh;
    object_extent e = extent_none;
    double along[DIMENSIONS];
    for (uint32_t k = 0; k < mesh_corners(mesh); k++) {
        double x[DIMENSIONS];
        const uint32_t v = mesh_vertex(mesh, prim, k);
        frame_vertex(s->frame, v, x);
        extent_point(&e, x);
        m->begin = v < m->begin ? v : m->begin;
        m->end = v >= m->end ? v + 1 : m->end;
    }
    extent_join(&m->box, &e);
    for (int k = 1; k < DIMENSIONS; k++)
        along[k] = (e.hi[k] * s->unit[0] - e.lo[k] * s->unit[0]) * s->unit[1];
    m->spread[0] += along[1];
    m->spread[1] += along[2];
    m->spread[2] += along[1] * along[2];
}

static void small_join(clip_small *m, const clip_small *other)
{
    extent_join(&m->box, &other->box);
    m->begin = other->begin < m->begin ? other->begin : m->begin;
    m->end = other->end > m->end ? other->end : m->end;
    for (int k = 0; k < 3; k++)
        m->spread[k] += other->spread[k];
}

/* Chunks are joined in order, so that sums do not depend on threads. */
static int look_at_small(search *s)
{
    int err = IMP_OK;
    const clip_small none = {.box = extent_none, .begin = UINT32_MAX};
    const int64_t n = chunks_of(s->prims);
    clip_small *part = NULL;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *part, &part));
#pragma omp parallel num_threads(s->points.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (int64_t i = 0; i < n; i++) {
        share b;
        part[i] = none;
        b.n = 0;
        share_of(s, i, !s->large, &b);
        for (uint32_t k = 0; k < b.n; k++)
            small_add(s, &part[i], share_prim(&b, k));
    }
    for (int64_t i = 0; i < n; i++)
        small_join(&s->small, &part[i]);
out:
    mem_free(s->c->mem, part);
    return err;
}

/* Rows of cells of a primitive of the smaller object on average, at most. */
#define ROWS_EACH 64
#define ROWS_LEAST 4096

/* As many cells as the smaller object's primitives can set in little time. */
static void choose_cells(search *s)
{
    const clip_small *m = &s->small;
    object_extent box = m->box;
    const double margin = 2 * s->points.margin * s->unit[0] * s->unit[1], n = m->count;
    double longest = 0, most = CELLS - 2, rows;
    for (int k = 0; k < DIMENSIONS; k++) {
        box.lo[k] -= s->points.margin;
        box.hi[k] += s->points.margin;
        longest = fmax(longest, (box.hi[k] * s->unit[0] - box.lo[k] * s->unit[0]) * s->unit[1]);
    }
    do {
        const double per = most / longest, sum = m->spread[0] + m->spread[1];
        rows = n + per * (sum + 2 * n * margin) +
               per * per * (m->spread[2] + margin * sum + n * margin * margin);
        most /= rows > ROWS_EACH * n + ROWS_LEAST ? 2 : 1;
    } while (rows > ROWS_EACH * n + ROWS_LEAST && most > 1);
    s->axes = cell_axes_make(box.lo, box.hi, most);
}

/* ---- cells of vertices */

/* The smaller object's codes begin with its first vertex. */
static void code_extremes(search *s)
{
    for (int face = 0; face < FACES; face++) {
        const uint32_t v = s->points.extreme[face];
        s->code[v] |= CELL_EXTREME;
        if (v >= s->small.begin && v < s->small.end)
            s->least[1][v] |= CELL_EXTREME;
    }
}

/* Bounds are rounded outward, and inflated by a distance: the smaller object's vertices are moved
 * by the sum of both to either side. */
static int make_codes(search *s)
{
    int err = IMP_OK;
    const uint32_t verts = s->points.verts, small = s->small.end - s->small.begin;
    const int64_t n = chunks_of(verts), all = n + chunks_of(small);
    const cell_axes axes[2] = {cell_axes_moved(&s->axes, -s->points.margin),
                               cell_axes_moved(&s->axes, s->points.margin)};
    TRY(mem_alloc(s->c->mem, verts * sizeof *s->code, &s->code));
    for (int k = 0; k < 2; k++)
        TRY(mem_alloc(s->c->mem, s->small.end * sizeof *s->least[k], &s->least[k]));
#pragma omp parallel num_threads(s->points.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (int64_t i = 0; i < all; i++) {
        const uint32_t at = CLIP_CHUNK * (uint32_t)(i < n ? i : i - n);
        const uint32_t count = clip_chunk_end(at, i < n ? verts : small) - at;
        const uint32_t v = i < n ? at : s->small.begin + at;
        if (i < n)
            cell_codes(s->c->dev64, &s->axes, s->frame, v, count, s->code + v);
        for (int k = 0; k < 2 && i >= n; k++)
            cell_codes(s->c->dev64, &axes[k], s->frame, v, count, s->least[k] + v);
    }
    code_extremes(s);
out:
    return err;
}

/* ---- cells of primitives */

/* A chunk's primitives of an object, and their ranges of cells. */
typedef struct ranges {
    share of;
    cell_code lo[CLIP_CHUNK], hi[CLIP_CHUNK];
    uint8_t any[CLIP_CHUNK];
    uint32_t corner[IMP_TETRAHEDRA * CLIP_CHUNK]; /* unless the mesh has them in that form */
} ranges;

/* The corners of a chunk's primitives. */
static const uint32_t *ranges_corners(const imp_mesh *m, ranges *r)
{
    const uint32_t corners = mesh_corners(m);
    if (r->of.all && !m->corner_count)
        return m->corner + (size_t)corners * r->of.prim[0];
    for (uint32_t i = 0; i < r->of.n; i++)
        for (uint32_t k = 0; k < corners; k++)
            r->corner[corners * i + k] = mesh_vertex(m, share_prim(&r->of, i), k);
    return r->corner;
}

static void ranges_find(const search *s, int which, const cell_lookup *look, ranges *r)
{
    const imp_mesh *m = s->frame->mesh;
    const int small = which != s->large;
    const cell_prims p = {r->of.n, mesh_corners(m), ranges_corners(m, r),
                          small ? s->least[0] : s->code, small ? s->least[1] : s->code};
    cell_ranges(s->c->dev64, &p, look, r->lo, r->hi, r->any);
}

/* Bit mask of the faces of the frame's box on which a primitive has the extreme vertex. */
static uint32_t extremes_of(const search *s, uint32_t prim)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < mesh_corners(s->frame->mesh); k++)
        for (uint32_t face = 0; face < FACES; face++)
            bits |= (uint32_t)(mesh_vertex(s->frame->mesh, prim, k) == s->points.extreme[face])
                    << face;
    return bits;
}

/* The same of all primitives of a chunk. */
static uint32_t ranges_extremes(const search *s, const ranges *r)
{
    uint32_t any = 0, bits = 0;
    for (uint32_t i = 0; i < r->of.n; i++)
        any |= r->hi[i];
    for (uint32_t i = 0; i < r->of.n && any & CELL_EXTREME; i++)
        if (r->hi[i] & CELL_EXTREME)
            bits |= extremes_of(s, share_prim(&r->of, i));
    return bits;
}

#define LONG_MOST 512 /* rows of a primitive of the larger object that are set */

/* Marks a chunk's primitives that may touch cells of the look-up and sets their cells. Returns
 * their number. */
static uint32_t ranges_mark(const search *s, const ranges *r, uint32_t rows, cell_set *set)
{
    uint32_t n = 0, last = 0;
    if (r->of.all)
        memcpy(s->mark + r->of.prim[0], r->any, r->of.n);
    for (uint32_t i = 0; i < r->of.n && !r->of.all; i++)
        s->mark[r->of.prim[i]] = r->any[i];
    for (uint32_t i = 0; (i = cell_next(r->any, i, r->of.n)) < r->of.n; i++, n++) {
        const int same = n && r->lo[i] == r->lo[last] && r->hi[i] == r->hi[last];
        if (set && !same)
            cell_set_add(set, r->lo[i], r->hi[i], rows);
        last = i;
    }
    return n;
}

/* Marks the primitives of an object that may touch cells of the look-up, if there is one; sets:
 * their cells, [points.threads]; or NULL. *marked: their number. */
static void mark_object(search *s, int which, const cell_lookup *look, cell_set *sets,
                        uint32_t *marked)
{
    const int64_t n = chunks_of(s->prims);
    uint32_t used = 0, sum = 0;
#pragma omp parallel num_threads(s->points.threads) reduction(| : used) reduction(+ : sum)
    EACH_IN_FLOAT_ENV
    {
        cell_set *const set = sets ? sets + omp_get_thread_num() : NULL;
        if (set)
            *set = (cell_set){0};
#pragma omp for schedule(dynamic) nowait
        for (int64_t i = 0; i < n; i++) {
            ranges r;
            uint32_t count;
            if (!share_of(s, i, which, &r.of))
                continue;
            ranges_find(s, which, look, &r);
            used |= ranges_extremes(s, &r);
            count = ranges_mark(s, &r, look ? LONG_MOST : CELL_ROWS, set);
            s->count[i] += look ? count : 0;
            sum += count;
        }
    }
    s->used |= used;
    *marked = sum;
}

/* The sets of all threads as one look-up. */
static void join_sets(search *s)
{
    for (int i = 1; i < s->points.threads; i++)
        cell_set_join(&s->set[0], &s->set[i]);
    cell_lookup_make(&s->set[0], s->look);
}

/* ---- the remaining primitives */

#define WAIT_MOST 15 /* frames */

/* Returns whether the mesh is skipped because too much remained in the last tries. A try costs a
 * pass over all vertices, so meshes that overlap widely are tried less and less often: was_wide. */
static int waits(object_clip *k, const imp_mesh *mesh, uint32_t few)
{
    if (k->wide != mesh || !k->rest || few < k->few)
        return 0;
    k->rest--;
    return 1;
}

static int is_body(const imp_mesh *m, int32_t object)
{
    return body_number(m->body, m->bodies, object) != NO_BODY;
}

static void was_wide(object_clip *k, const search *s, uint32_t few)
{
    const imp_mesh *mesh = s->frame->mesh;
    k->rigid = s->frame->pose && is_body(mesh, s->object[0]) && is_body(mesh, s->object[1]);
    k->wait = k->wide != mesh ? 1 : 2 * k->wait < WAIT_MOST ? 2 * k->wait + 1 : WAIT_MOST;
    k->rest = k->wait;
    k->wide = mesh;
    k->few = few;
}

/* Makes space for n primitives. */
static int object_clip_fit(mem *m, const imp_mesh *from, uint32_t n, object_clip *k)
{
    int err = IMP_OK;
    const uint32_t corners = mesh_corners(from);
    const size_t used = from->vertices / BOUND_CHUNK + 1;
    object_clip_free(m, k);
    TRY(mem_alloc(m, (size_t)n * ((2 + corners) * sizeof *k->corner + 1), &k->input));
    TRY(mem_alloc(m, used, &k->used));
    memset(k->used, 0, used);
    k->corner = (uint32_t *)(k->input + n);
    k->object = (int32_t *)(k->corner + (size_t)corners * n);
    k->corner_count = (uint8_t *)(k->object + n);
    k->mesh = *from;
    k->mesh.primitives = n;
    k->mesh.corner = k->corner;
    k->mesh.object = k->object;
    k->mesh.corner_count = from->corner_count ? k->corner_count : NULL;
    k->mesh.id = NULL;
    if (from->thickness)
        TRY(mem_alloc(m, (size_t)n * sizeof *k->thickness, &k->thickness));
    k->mesh.thickness = k->thickness;
out:
    return err;
}

/* Threads that wrote what is set already would wait for each other's caches. */
static void use_chunk(_Atomic uint8_t *used)
{
    if (!atomic_load_explicit(used, memory_order_relaxed))
        atomic_store_explicit(used, 1, memory_order_relaxed);
}

/* Copies the marked primitives of a chunk to `at` onward. */
static void take_chunk(const search *s, uint32_t begin, uint32_t end, uint32_t at, object_clip *k)
{
    const imp_mesh *from = s->frame->mesh;
    const uint32_t corners = mesh_corners(from);
    uint32_t n = 0, taken[CLIP_CHUNK];
    for (uint32_t i = begin; i < end; i++) {
        taken[n] = i;
        n += s->mark[i];
    }
    for (uint32_t j = 0; j < n; j++, at++) {
        const uint32_t i = taken[j];
        k->input[at] = (input_no){i};
        k->object[at] = from->object[i];
        for (uint32_t c = 0; c < corners; c++) {
            const uint32_t v = mesh_vertex(from, i, c);
            k->corner[(size_t)corners * at + c] = v;
            use_chunk(&k->used[v / BOUND_CHUNK]);
        }
        if (from->corner_count)
            k->corner_count[at] = from->corner_count[i];
        if (from->thickness)
            k->thickness[at] = from->thickness[i];
    }
}

/* Makes a mesh of the marked primitives. The destinations of chunks are known before threads copy
 * them, so the order is that of the frame. */
static int take_marked(search *s, uint32_t marked, object_clip *k)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->prims);
    uint32_t *first = NULL, sum = 0;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *first, &first));
    for (int64_t i = 0; i < n; i++) {
        first[i] = sum;
        sum += s->count[i];
    }
    TRY(object_clip_fit(s->c->mem, s->frame->mesh, marked, k));
#pragma omp parallel num_threads(s->points.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CLIP_CHUNK * (uint32_t)i;
        if (s->count[i])
            take_chunk(s, begin, clip_chunk_end(begin, s->prims), first[i], k);
    }
    k->frame = *s->frame;
    k->frame.mesh = &k->mesh;
    memcpy(k->box[0], s->points.box.lo, sizeof k->box[0]);
    memcpy(k->box[1], s->points.box.hi, sizeof k->box[1]);
out:
    mem_free(s->c->mem, first);
    return err;
}

/* The grid is in the smaller object's box. */
static int make_grid(search *s)
{
    int err = IMP_OK;
    const int e = normalisation_exponent(s->points.box.lo, s->points.box.hi);
    s->unit[0] = ldexp(1, -(e / 2));
    s->unit[1] = ldexp(1, -(e - e / 2));
    TRY(look_at_small(s));
    choose_cells(s);
    TRY(make_codes(s));
    TRY(mem_alloc(s->c->mem, (size_t)s->points.threads * sizeof *s->set, &s->set));
    TRY(mem_alloc(s->c->mem, sizeof *s->look, &s->look));
out:
    return err;
}

/* Marks primitives of the larger object that touch cells of the smaller one, then those of the
 * smaller one that touch cells of these. */
static int object_clip_mark(search *s, uint32_t few, object_clip *k, int *done)
{
    int err = IMP_OK, finite = 0;
    uint32_t small, large;
    if (!look_at_objects(s))
        goto out;
    TRY(extremes_look(s->c->mem, &s->points, &finite));
    if (!finite)
        goto out;
    TRY(make_grid(s));
    mark_object(s, !s->large, NULL, s->set, &small);
    join_sets(s);
    mark_object(s, s->large, s->look, s->set, &large);
    s->wide = large > s->prims / few;
    /* A vertex on the frame's box without a primitive makes that box larger than in the stages. */
    if (s->wide || s->used != (1u << FACES) - 1)
        goto out;
    join_sets(s);
    mark_object(s, !s->large, s->look, NULL, &small);
    s->wide = small + large > s->prims / few;
    if (s->wide)
        goto out;
    TRY(take_marked(s, small + large, k));
    *done = 1;
out:
    return err;
}

int object_clip_find(const context *c, const block_view *v, uint32_t few, object_clip *k, int *done)
{
    int err = IMP_OK;
    const imp_frame *f = v->frame;
    const imp_mesh *m = f->mesh;
    search s = {.c = c,
                .frame = f,
                .prims = v->prims,
                .points = {f, v->verts, v->prims > CLIP_CHUNK && !c->dev64->alone ? c->threads : 1},
                .small = {.box = extent_none, .begin = UINT32_MAX}};
    s.points.distance = c->opt.thickness ? mesh_thickness_most(m)
                        : c->opt.rows    ? c->opt.separation
                                         : 0;
    *done = 0;
    k->frame.mesh = NULL;
    /* the copy would get the unit of a frame that is itself a part */
    if (c->opt.whole || v->frames != 1 || v->ids || c->dev->large ||
        !(c->opt.rules & RULE_BETWEEN) || !m->object || !m->primitives || waits(k, m, few))
        return IMP_OK;
    TRY(mem_alloc(c->mem, m->primitives, &s.mark));
    TRY(mem_alloc(c->mem, chunks_of(m->primitives), &s.has));
    TRY(mem_alloc(c->mem, chunks_of(m->primitives) * sizeof *s.count, &s.count));
    TRY(object_clip_mark(&s, few, k, done));
    if (s.wide)
        was_wide(k, &s, few);
out:
    mem_free(c->mem, s.code);
    mem_free(c->mem, s.least[0]);
    mem_free(c->mem, s.least[1]);
    mem_free(c->mem, s.set);
    mem_free(c->mem, s.look);
    mem_free(c->mem, s.mark);
    mem_free(c->mem, s.has);
    mem_free(c->mem, s.count);
    return err == IMP_ERR_MEMORY ? IMP_OK : err; /* then nothing is excluded */
}

/* Building trees costs as much as they save in some frames: "auto" waits until several tries have
 * found nothing to exclude. */
#define SURE 3

int object_clip_dense(const object_clip *k, const block_view *v)
{
    return v->frames == 1 && v->frame->pose && k->wide == v->frame->mesh && k->rigid &&
           k->wait >= SURE;
}

void object_clip_free(mem *m, object_clip *k)
{
    mem_free(m, k->input);
    mem_free(m, k->used);
    mem_free(m, k->thickness);
    *k = (object_clip){0};
}

#define MARGIN 0x1p-16 /* in units of the frame: bounds are rounded by less than 2^-22 */
#define MARGIN_DISTANCE (1 + 0x1p-16) /* bounds are inflated by a little more (bound.c) */

/* Adds a vertex to a box, and to sums that are 0 as long as all numbers are finite. */
static inline void box_vertex(double *sum, object_extent *e, double x, double y, double z)
{
    const double p[DIMENSIONS] = {x, y, z};
    extent_point(e, p);
    for (int k = 0; k < DIMENSIONS; k++)
        sum[k] += p[k] - p[k];
}

/* The box of a chunk; returns 0 if a point is not finite. */
static int chunk_box(const imp_frame *f, uint32_t begin, uint32_t end, object_extent *out)
{
    const float *p = f->point;
    const double *q = f->point;
    object_extent e = extent_none;
    double sum[DIMENSIONS] = {0};
    if (f->type == IMP_FLOAT32)
        for (size_t v = begin; v < end; v++)
            box_vertex(sum, &e, (double)p[3 * v], (double)p[3 * v + 1], (double)p[3 * v + 2]);
    else
        for (size_t v = begin; v < end; v++)
            box_vertex(sum, &e, q[3 * v], q[3 * v + 1], q[3 * v + 2]);
    *out = e;
    return sum[0] == 0 && sum[1] == 0 && sum[2] == 0;
}

/* A vertex whose coordinate defines a face of the frame's box. Both loops end, since the box was
 * computed from these coordinates. */
static uint32_t find_extreme(const frame_extremes *o, const object_extent *chunk, uint32_t face)
{
    uint32_t axis = face % DIMENSIONS, i = 0, v;
    double x[DIMENSIONS];
    int low = face < DIMENSIONS;
    double at = low ? o->box.lo[axis] : o->box.hi[axis];
    while ((low ? chunk[i].lo[axis] : chunk[i].hi[axis]) != at)
        i++;
    for (v = CLIP_CHUNK * i;; v++) {
        frame_vertex(o->frame, v, x);
        if (x[axis] == at)
            return v;
    }
}

/* All threads compute boxes of chunks, one joins them: minima do not depend on the order. */
int extremes_look(mem *m, frame_extremes *o, int *finite)
{
    int err = IMP_OK;
    int64_t n = chunks_of(o->verts), bad = 0;
    object_extent *chunk = NULL;
    TRY(mem_alloc(m, (size_t)n * sizeof *chunk, &chunk));
#pragma omp parallel num_threads(o->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(+ : bad) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CLIP_CHUNK * (uint32_t)i;
        bad += !chunk_box(o->frame, begin, clip_chunk_end(begin, o->verts), &chunk[i]);
    }
    o->box = extent_none;
    for (int64_t i = 0; i < n; i++)
        extent_join(&o->box, &chunk[i]);
    *finite = !bad;
    if (!bad)
        o->margin = ldexp(MARGIN, normalisation_exponent(o->box.lo, o->box.hi)) +
                    o->distance * MARGIN_DISTANCE;
    for (uint32_t face = 0; !bad && face < FACES; face++)
        o->extreme[face] = find_extreme(o, chunk, face);
out:
    mem_free(m, chunk);
    return err;
}
