/* See object_clip.h. [H] section 2.1 begins with the objects' boxes; here no primitive's box is
 * needed. Outcodes of vertices decide, so a primitive costs one byte per corner. */
#include "object_clip.h"

#include "bodies.h"
#include "bounds.h"
#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <string.h>

/* The marked primitives: their box, and the least range of vertex numbers that contains their
 * vertices. */
typedef struct marked {
    object_extent box;
    uint32_t begin, end;
    uint32_t used;  /* bits of outcodes.extreme that the object has, marked or not */
    uint32_t count; /* number of marked primitives */
} marked;

typedef struct search {
    const context *c;
    const imp_frame *frame;
    outcodes points;
    uint32_t prims;
    int32_t object[2];
    int large;     /* the one with more primitives */
    uint8_t *mark; /* [prims] near the other object */
    uint8_t *has;  /* [chunks of prims] objects present: FIRST, SECOND */
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
#pragma omp parallel num_threads(s->c->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(+ : ones, twos) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = OUTCODES_CHUNK * (uint32_t)i, count[2];
        chunk_objects(object + begin, outcodes_chunk_end(begin, s->prims) - begin, one, two, count);
        s->has[i] = (uint8_t)((count[0] ? FIRST : 0) | (count[1] ? SECOND : 0));
        ones += count[0];
        twos += count[1];
    }
    s->object[0] = one;
    s->object[1] = two;
    s->large = ones < twos;
    return ones + twos == s->prims;
}

/* ---- primitives */

/* Bit mask of the faces of the frame's box on which primitive i has the extreme vertex. */
static uint32_t extremes_of(const search *s, uint32_t i)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < mesh_corners(s->frame->mesh); k++)
        for (uint32_t face = 0; face < FACES; face++)
            bits |= (uint32_t)(mesh_vertex(s->frame->mesh, i, k) == s->points.extreme[face])
                    << face;
    return bits;
}

static void marked_add(const search *s, uint32_t i, marked *m)
{
    for (uint32_t k = 0; k < mesh_corners(s->frame->mesh); k++) {
        double x[DIMENSIONS];
        uint32_t v = mesh_vertex(s->frame->mesh, i, k);
        frame_vertex(s->frame, v, x);
        extent_point(&m->box, x);
        m->begin = v < m->begin ? v : m->begin;
        m->end = v >= m->end ? v + 1 : m->end;
    }
}

static void marked_join(marked *m, const marked *other)
{
    extent_join(&m->box, &other->box);
    m->begin = other->begin < m->begin ? other->begin : m->begin;
    m->end = other->end > m->end ? other->end : m->end;
    m->used |= other->used;
    m->count += other->count;
}

/* Marks primitives of a chunk that may overlap the box of the outcodes. of: objects, or NULL if all
 * belong to that object. Constant `corners` and `own` remove its branches. */
static inline void mark_chunk(const search *s, uint32_t begin, uint32_t end, const int32_t *of,
                              int32_t object, uint32_t corners, const uint8_t *corner_count,
                              marked *m)
{
    const uint8_t *code = s->points.code;
    uint8_t *mark = s->mark;
    const uint32_t *c = s->frame->mesh->corner + (size_t)corners * begin;
    for (uint32_t i = begin; i < end; i++, c += corners) {
        if (of && of[i] != object)
            continue;
        unsigned all = code[c[0]], any = all;
        for (uint32_t k = 1; k < corners; k++) {
            unsigned next =
                code[c[corner_count && k == IMP_TRIANGLES && corner_count[i] == k ? k - 1 : k]];
            all &= next;
            any |= next;
        }
        int meets = !(all & BEYOND);
        mark[i] = (uint8_t)meets;
        if (any & EXTREME)
            m->used |= extremes_of(s, i);
        m->count += (uint32_t)meets;
        if (meets)
            marked_add(s, i, m);
    }
}

static void mark_any(const search *s, uint32_t begin, uint32_t end, const int32_t *of,
                     int32_t object, marked *out)
{
    const imp_mesh *m = s->frame->mesh;
    uint32_t corners = mesh_corners(m);
    if (m->corner_count)
        mark_chunk(s, begin, end, of, object, IMP_TETRAHEDRA, m->corner_count, out);
    else if (corners == IMP_TETRAHEDRA)
        mark_chunk(s, begin, end, of, object, IMP_TETRAHEDRA, NULL, out);
    else if (corners == IMP_TRIANGLES)
        mark_chunk(s, begin, end, of, object, IMP_TRIANGLES, NULL, out);
    else
        mark_chunk(s, begin, end, of, object, corners, NULL, out);
}

/* Marks the primitives of an object that may overlap the box of the outcodes. */
static int mark_object(const search *s, int which, marked *out)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->prims);
    const int32_t *object = s->frame->mesh->object;
    marked *part = NULL;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *part, &part));
#pragma omp parallel num_threads(s->c->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = OUTCODES_CHUNK * (uint32_t)i;
        marked m = {extent_none, UINT32_MAX, 0, 0, 0};
        if (s->has[i] & (which ? SECOND : FIRST))
            mark_any(s, begin, outcodes_chunk_end(begin, s->prims),
                     s->has[i] == BOTH ? object : NULL, s->object[which], &m);
        part[i] = m;
    }
    *out = part[0];
    for (int64_t i = 1; i < n; i++)
        marked_join(out, &part[i]);
out:
    mem_free(s->c->mem, part);
    return err;
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

static uint32_t count_marked(const uint8_t *mark, uint32_t n)
{
    uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < n; i++)
        sum += mark[i];
    return sum;
}

/* Makes space for n primitives. */
static int object_clip_fit(mem *m, const imp_mesh *from, uint32_t n, object_clip *k)
{
    uint32_t corners = mesh_corners(from);
    object_clip_free(m, k);
    int err = mem_alloc(m, (size_t)n * ((2 + corners) * sizeof *k->corner + 1), &k->input);
    if (err)
        return err;
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
        err = mem_alloc(m, (size_t)n * sizeof *k->thickness, &k->thickness);
    k->mesh.thickness = k->thickness;
    return err;
}

/* Copies the marked primitives of a chunk to `at` onward. */
static void take_chunk(const search *s, uint32_t begin, uint32_t end, uint32_t at, object_clip *k)
{
    const imp_mesh *from = s->frame->mesh;
    uint32_t corners = mesh_corners(from);
    const uint8_t *next;
    for (uint32_t i = begin; i < end && (next = memchr(s->mark + i, 1, end - i)); i++) {
        i = (uint32_t)(next - s->mark);
        k->input[at] = (input_no){i};
        k->object[at] = from->object[i];
        for (uint32_t c = 0; c < corners; c++)
            k->corner[(size_t)corners * at + c] = mesh_vertex(from, i, c);
        if (from->corner_count)
            k->corner_count[at] = from->corner_count[i];
        if (from->thickness)
            k->thickness[at] = from->thickness[i];
        at++;
    }
}

/* Makes a mesh of the marked primitives if they are few. The destinations of chunks are known
 * before threads copy them, so the order is that of the frame. */
static int take_marked(search *s, uint32_t few, object_clip *k, int *done)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->prims);
    uint32_t *first = NULL, sum = 0;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *first, &first));
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = OUTCODES_CHUNK * (uint32_t)i;
        first[i] = sum;
        sum += count_marked(s->mark + begin, outcodes_chunk_end(begin, s->prims) - begin);
    }
    s->wide = sum > s->prims / few;
    if (s->wide)
        goto out;
    TRY(object_clip_fit(s->c->mem, s->frame->mesh, sum, k));
#pragma omp parallel num_threads(s->c->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = OUTCODES_CHUNK * (uint32_t)i;
        take_chunk(s, begin, outcodes_chunk_end(begin, s->prims), first[i], k);
    }
    k->frame = *s->frame;
    k->frame.mesh = &k->mesh;
    memcpy(k->box[0], s->points.box.lo, sizeof k->box[0]);
    memcpy(k->box[1], s->points.box.hi, sizeof k->box[1]);
    *done = 1;
out:
    mem_free(s->c->mem, first);
    return err;
}

/* Marks primitives of the larger object that overlap the smaller one's box, then those of the
 * smaller one that overlap the box of these. */
static int object_clip_mark(search *s, uint32_t few, object_clip *k, int *done)
{
    int err = IMP_OK, finite = 0;
    marked small, large, meeting;
    if (!look_at_objects(s))
        goto out;
    TRY(outcodes_look(s->c->mem, &s->points, &finite));
    if (!finite)
        goto out;
    outcodes_clear(&s->points);
    TRY(mark_object(s, !s->large, &small));
    outcodes_set(&s->points, 0, s->points.verts, &small.box);
    TRY(mark_object(s, s->large, &large));
    s->wide = large.count > s->prims / few;
    /* A vertex on the frame's box without a primitive makes that box larger than in the stages. */
    if (s->wide || (small.used | large.used) != (1u << FACES) - 1)
        goto out;
    outcodes_set(&s->points, small.begin, small.end, &large.box);
    TRY(mark_object(s, !s->large, &meeting));
    TRY(take_marked(s, few, k, done));
out:
    return err;
}

int object_clip_find(const context *c, const block_view *v, uint32_t few, object_clip *k, int *done)
{
    int err = IMP_OK;
    const imp_frame *f = v->frame;
    const imp_mesh *m = f->mesh;
    search s = {.c = c, .frame = f, .prims = v->prims, .points = {f, v->verts, c->threads}};
    s.points.distance = c->opt.thickness ? mesh_thickness_most(m)
                        : c->opt.rows    ? c->opt.separation
                                         : 0;
    *done = 0;
    k->frame.mesh = NULL;
    /* the copy would get the unit of a frame that is itself a part */
    if (c->opt.whole || v->frames != 1 || v->ids || c->dev->large ||
        !(c->opt.rules & RULE_BETWEEN) || !m->object || !m->primitives || waits(k, m, few))
        return IMP_OK;
    TRY(mem_alloc(c->mem, m->vertices, &s.points.code));
    TRY(mem_alloc(c->mem, m->primitives, &s.mark));
    TRY(mem_alloc(c->mem, chunks_of(m->primitives), &s.has));
    TRY(object_clip_mark(&s, few, k, done));
    if (s.wide)
        was_wide(k, &s, few);
out:
    mem_free(c->mem, s.points.code);
    mem_free(c->mem, s.mark);
    mem_free(c->mem, s.has);
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
    mem_free(m, k->thickness);
    *k = (object_clip){0};
}

#define MARGIN 0x1p-16 /* in units of the frame: bounds are rounded by less than 2^-22 */
#define MARGIN_DISTANCE (1 + 0x1p-16) /* bounds are inflated by a little more (bound.c) */

/* The box of a chunk; returns 0 if a point is not finite. x - x is 0 for finite x only, a form that
 * compilers can vectorise. */
static int chunk_box(const imp_frame *f, uint32_t begin, uint32_t end, object_extent *e)
{
    int finite = 1;
    *e = extent_none;
    for (size_t v = begin; v < end; v++) {
        double x[DIMENSIONS];
        frame_vertex(f, v, x);
        finite &= x[0] - x[0] == 0 && x[1] - x[1] == 0 && x[2] - x[2] == 0;
        extent_point(e, x);
    }
    return finite;
}

/* A vertex whose coordinate defines a face of the frame's box. Both loops end, since the box was
 * computed from these coordinates. */
static uint32_t find_extreme(const outcodes *o, const object_extent *chunk, uint32_t face)
{
    uint32_t axis = face % DIMENSIONS, i = 0, v;
    double x[DIMENSIONS];
    int low = face < DIMENSIONS;
    double at = low ? o->box.lo[axis] : o->box.hi[axis];
    while ((low ? chunk[i].lo[axis] : chunk[i].hi[axis]) != at)
        i++;
    for (v = OUTCODES_CHUNK * i;; v++) {
        frame_vertex(o->frame, v, x);
        if (x[axis] == at)
            return v;
    }
}

/* All threads compute boxes of chunks, one joins them: minima do not depend on the order. */
int outcodes_look(mem *m, outcodes *o, int *finite)
{
    int err = IMP_OK;
    int64_t n = chunks_of(o->verts), bad = 0;
    object_extent *chunk = NULL;
    TRY(mem_alloc(m, (size_t)n * sizeof *chunk, &chunk));
#pragma omp parallel num_threads(o->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(+ : bad) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = OUTCODES_CHUNK * (uint32_t)i;
        bad += !chunk_box(o->frame, begin, outcodes_chunk_end(begin, o->verts), &chunk[i]);
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

/* Outcodes of a chunk of vertices. */
static inline void code_chunk(const imp_frame *f, uint32_t begin, uint32_t end,
                              const object_extent *box, uint8_t *code)
{
    const object_extent b = *box;
    for (size_t v = begin; v < end; v++) {
        double x[DIMENSIONS];
        unsigned bits = 0;
        frame_vertex(f, v, x);
        for (int k = 0; k < DIMENSIONS; k++)
            bits |= (unsigned)(x[k] < b.lo[k]) << k | (unsigned)(x[k] > b.hi[k]) << (k + 3);
        code[v] = (uint8_t)bits;
    }
}

/* Setting codes removes the marks of extreme vertices, so they are set again. */
static void code_extremes(outcodes *o)
{
    for (int face = 0; face < FACES; face++)
        o->code[o->extreme[face]] |= EXTREME;
}

void outcodes_clear(outcodes *o)
{
    memset(o->code, 0, o->verts);
    code_extremes(o);
}

void outcodes_set(outcodes *o, uint32_t first, uint32_t last, const object_extent *box)
{
    /* Bounds are rounded outward: the box is inflated by the rounding, so that bounds that reach it
     * count as near. */
    object_extent wide = *box;
    int64_t n = first < last ? chunks_of(last - first) : 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        wide.lo[k] -= o->margin;
        wide.hi[k] += o->margin;
    }
#pragma omp parallel num_threads(o->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = first + OUTCODES_CHUNK * (uint32_t)i;
        code_chunk(o->frame, begin, outcodes_chunk_end(begin, last), &wide, o->code);
    }
    code_extremes(o);
}
