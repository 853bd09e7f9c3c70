/* See nearby.h. [H] section 2.1 begins with the objects' boxes; here no primitive's box is needed
 * for it. Each vertex gets an outcode, after Cohen and Sutherland: one bit for each face of a box
 * that it lies beyond. What has all its vertices beyond one face does not meet the box, so a
 * primitive costs as many bytes as it has corners. */
#include "nearby.h"

#include "units.h"

#include "error.h"
#include "bodies.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define CHUNK 4096 /* vertices or primitives that a thread takes at a time */
/* An outcode: beyond which faces, the lower along x, y, z, the upper ones along these. */
#define BEYOND 0x3fu
#define EXTREME 0x40u /* it is one of those that set the frame's box */
#define FACES (2 * DIMENSIONS)
#define MARGIN 0x1p-16 /* in units of the frame, where bounds are rounded by less than 2^-22 */

/* A box; lo > hi if there is nothing in it. */
typedef struct extent {
    double lo[DIMENSIONS], hi[DIMENSIONS];
} extent;

/* What is marked: its box, and the least range of vertex numbers that has all of its vertices. */
typedef struct marked {
    extent box;
    uint32_t begin, end;
    uint32_t used;  /* which of search.extreme the object has, marked or not */
    uint32_t count; /* marked */
} marked;

typedef struct search {
    const context *c;
    const imp_frame *frame;
    uint32_t prims, verts;
    int32_t object[2];
    int large;               /* which of them has more primitives */
    extent box;              /* of the frame */
    uint32_t extreme[FACES]; /* vertices that set it */
    uint8_t *code;           /* [verts] outcodes */
    uint8_t *mark;           /* [prims] comes near the other object */
    uint8_t *has;            /* [chunks of prims] which objects: FIRST, SECOND */
    double margin;
    int wide; /* too much is left */
} search;

static const extent extent_none = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

static void extent_point(extent *e, const double *x)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = x[k] < e->lo[k] ? x[k] : e->lo[k];
        e->hi[k] = x[k] > e->hi[k] ? x[k] : e->hi[k];
    }
}

static void extent_join(extent *e, const extent *other)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = other->lo[k] < e->lo[k] ? other->lo[k] : e->lo[k];
        e->hi[k] = other->hi[k] > e->hi[k] ? other->hi[k] : e->hi[k];
    }
}

static uint32_t chunks_of(uint32_t n)
{
    return n / CHUNK + (n % CHUNK != 0);
}

static uint32_t chunk_end(uint32_t begin, uint32_t n)
{
    return n - begin < CHUNK ? n : begin + CHUNK;
}

/* ---- vertices */

/* The box of a chunk; 0 if a point is not finite. */
static int chunk_box(const imp_frame *f, uint32_t begin, uint32_t end, extent *e)
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

/* A vertex that has the coordinate which is a face of the frame's box. */
static uint32_t find_extreme(const search *s, const extent *chunk, uint32_t face)
{
    uint32_t axis = face % DIMENSIONS, i = 0, v;
    double x[DIMENSIONS];
    int low = face < DIMENSIONS;
    double at = low ? s->box.lo[axis] : s->box.hi[axis];
    while ((low ? chunk[i].lo[axis] : chunk[i].hi[axis]) != at)
        i++;
    for (v = CHUNK * i;; v++) {
        frame_vertex(s->frame, v, x);
        if (x[axis] == at)
            return v;
    }
}

/* The frame's box, as if all vertices were used. *finite: all are. */
static int look_at_points(search *s, int *finite)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->verts), bad = 0;
    extent *chunk = NULL;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *chunk, &chunk));
#pragma omp parallel for reduction(+ : bad) num_threads(s->c->threads) if (n > 1)
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i;
        bad += !chunk_box(s->frame, begin, chunk_end(begin, s->verts), &chunk[i]);
    }
    s->box = extent_none;
    for (int64_t i = 0; i < n; i++)
        extent_join(&s->box, &chunk[i]);
    *finite = !bad;
    for (uint32_t face = 0; !bad && face < FACES; face++)
        s->extreme[face] = find_extreme(s, chunk, face);
out:
    mem_free(s->c->mem, chunk);
    return err;
}

/* Outcodes of a chunk of vertices. */
static inline void code_chunk(const imp_frame *f, uint32_t begin, uint32_t end, const extent *box,
                              uint8_t *code)
{
    const extent b = *box;
    for (size_t v = begin; v < end; v++) {
        double x[DIMENSIONS];
        unsigned bits = 0;
        frame_vertex(f, v, x);
        for (int k = 0; k < DIMENSIONS; k++)
            bits |= (unsigned)(x[k] < b.lo[k]) << k | (unsigned)(x[k] > b.hi[k]) << (k + 3);
        code[v] = (uint8_t)bits;
    }
}

static void code_extremes(search *s)
{
    for (int face = 0; face < FACES; face++)
        s->code[s->extreme[face]] |= EXTREME;
}

/* Outcodes of the vertices [first, last) with regard to a box, a little larger than it is. */
static void code_points(search *s, uint32_t first, uint32_t last, const extent *box)
{
    extent wide = *box;
    int64_t n = first < last ? chunks_of(last - first) : 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        wide.lo[k] -= s->margin;
        wide.hi[k] += s->margin;
    }
#pragma omp parallel for num_threads(s->c->threads) if (n > 1)
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = first + CHUNK * (uint32_t)i;
        code_chunk(s->frame, begin, chunk_end(begin, last), &wide, s->code);
    }
    code_extremes(s);
}

/* ---- objects */

#define FIRST 1u /* of the two objects: what a chunk has */
#define SECOND 2u
#define BOTH (FIRST | SECOND)

/* How many of a chunk are of either object. */
static void chunk_objects(const int32_t *object, uint32_t n, int32_t one, int32_t two,
                          uint32_t count[2])
{
    count[0] = count[1] = 0;
    for (uint32_t i = 0; i < n; i++) {
        count[0] += object[i] == one;
        count[1] += object[i] == two;
    }
}

/* Finds the two objects, and where they are; 0 if there are more. */
static int look_at_objects(search *s)
{
    const int32_t *object = s->frame->mesh->object;
    int32_t one = object ? object[0] : 0, two = one;
    int64_t n = chunks_of(s->prims), ones = 0, twos = 0;
    for (uint32_t i = 0; object && two == one && i < s->prims; i++)
        two = object[i];
    if (two == one)
        return 0;
#pragma omp parallel for reduction(+ : ones, twos) num_threads(s->c->threads) if (n > 1)
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i, count[2];
        chunk_objects(object + begin, chunk_end(begin, s->prims) - begin, one, two, count);
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

/* Which of the vertices that set the frame's box primitive i has. */
static uint32_t extremes_of(const search *s, uint32_t i)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < mesh_corners(s->frame->mesh); k++)
        for (uint32_t face = 0; face < FACES; face++)
            bits |= (uint32_t)(mesh_vertex(s->frame->mesh, i, k) == s->extreme[face]) << face;
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

/* Marks those of a chunk that may meet the box which the outcodes are of. of: objects, or NULL if
 * all are of that object. What the compiler knows of `corners` and `own` makes it straight. */
static inline void mark_chunk(const search *s, uint32_t begin, uint32_t end, const int32_t *of,
                              int32_t object, uint32_t corners, const uint8_t *own, marked *m)
{
    const uint8_t *code = s->code;
    uint8_t *mark = s->mark;
    const uint32_t *c = s->frame->mesh->corner + (size_t)corners * begin;
    for (uint32_t i = begin; i < end; i++, c += corners) {
        if (of && of[i] != object)
            continue;
        unsigned all = code[c[0]], any = all;
        for (uint32_t k = 1; k < corners; k++) {
            unsigned next = code[c[own && k == IMP_TRIANGLES && own[i] == k ? k - 1 : k]];
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
    if (m->own)
        mark_chunk(s, begin, end, of, object, IMP_TETRAHEDRA, m->own, out);
    else if (corners == IMP_TETRAHEDRA)
        mark_chunk(s, begin, end, of, object, IMP_TETRAHEDRA, NULL, out);
    else if (corners == IMP_TRIANGLES)
        mark_chunk(s, begin, end, of, object, IMP_TRIANGLES, NULL, out);
    else
        mark_chunk(s, begin, end, of, object, corners, NULL, out);
}

/* Marks what of an object may meet the box that the outcodes are of. */
static int mark_object(const search *s, int which, marked *out)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->prims);
    const int32_t *object = s->frame->mesh->object;
    marked *part = NULL;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *part, &part));
#pragma omp parallel for schedule(dynamic) num_threads(s->c->threads) if (n > 1)
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i;
        marked m = {extent_none, UINT32_MAX, 0, 0, 0};
        if (s->has[i] & (which ? SECOND : FIRST))
            mark_any(s, begin, chunk_end(begin, s->prims), s->has[i] == BOTH ? object : NULL,
                     s->object[which], &m);
        part[i] = m;
    }
    *out = part[0];
    for (int64_t i = 1; i < n; i++)
        marked_join(out, &part[i]);
out:
    mem_free(s->c->mem, part);
    return err;
}

/* ---- what is left */

#define WAIT_MOST 15 /* frames */

/* Is a mesh not to be looked at, since too much was left in those frames that were? */
static int waits(nearby *k, const imp_mesh *mesh, uint32_t few)
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

static void was_wide(nearby *k, const search *s, uint32_t few)
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
    for (uint32_t i = 0; i < n; i++)
        sum += mark[i];
    return sum;
}

/* Room for n primitives. */
static int nearby_fit(mem *m, const imp_mesh *from, uint32_t n, nearby *k)
{
    uint32_t corners = mesh_corners(from);
    nearby_free(m, k);
    int err = mem_alloc(m, (size_t)n * ((2 + corners) * sizeof *k->corner + 1), &k->cell);
    if (err)
        return err;
    k->corner = (uint32_t *)(k->cell + n);
    k->object = (int32_t *)(k->corner + (size_t)corners * n);
    k->own = (uint8_t *)(k->object + n);
    k->mesh = *from;
    k->mesh.primitives = n;
    k->mesh.corner = k->corner;
    k->mesh.object = k->object;
    k->mesh.own = from->own ? k->own : NULL;
    k->mesh.name = NULL;
    return IMP_OK;
}

/* The marked of a chunk, which become those from `at` on. */
static void take_chunk(const search *s, uint32_t begin, uint32_t end, uint32_t at, nearby *k)
{
    const imp_mesh *from = s->frame->mesh;
    uint32_t corners = mesh_corners(from);
    for (uint32_t i = begin; i < end; i++) {
        if (!s->mark[i])
            continue;
        k->cell[at] = (cell_no){i};
        k->object[at] = from->object[i];
        for (uint32_t c = 0; c < corners; c++)
            k->corner[(size_t)corners * at + c] = mesh_vertex(from, i, c);
        if (from->own)
            k->own[at] = from->own[i];
        at++;
    }
}

/* Those that are marked become a mesh, if they are few. */
static int take_marked(search *s, uint32_t few, nearby *k, int *done)
{
    int err = IMP_OK;
    int64_t n = chunks_of(s->prims);
    uint32_t *first = NULL, sum = 0;
    TRY(mem_alloc(s->c->mem, (size_t)n * sizeof *first, &first));
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i;
        first[i] = sum;
        sum += count_marked(s->mark + begin, chunk_end(begin, s->prims) - begin);
    }
    s->wide = sum > s->prims / few;
    if (s->wide)
        goto out;
    TRY(nearby_fit(s->c->mem, s->frame->mesh, sum, k));
#pragma omp parallel for schedule(dynamic) num_threads(s->c->threads) if (n > 1)
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i;
        take_chunk(s, begin, chunk_end(begin, s->prims), first[i], k);
    }
    k->frame = *s->frame;
    k->frame.mesh = &k->mesh;
    memcpy(k->box[0], s->box.lo, sizeof k->box[0]);
    memcpy(k->box[1], s->box.hi, sizeof k->box[1]);
    *done = 1;
out:
    mem_free(s->c->mem, first);
    return err;
}

/* The smaller object's box, what of the larger one meets it, and what of the smaller one meets the
 * box of that. */
static int look(search *s, uint32_t few, nearby *k, int *done)
{
    int err = IMP_OK, finite = 0;
    marked small, large, meeting;
    if (!look_at_objects(s))
        goto out;
    TRY(look_at_points(s, &finite));
    if (!finite)
        goto out;
    s->margin = ldexp(MARGIN, unit_exponent(s->box.lo, s->box.hi));
    memset(s->code, 0, s->verts);
    code_extremes(s);
    TRY(mark_object(s, !s->large, &small));
    code_points(s, 0, s->verts, &small.box);
    TRY(mark_object(s, s->large, &large));
    s->wide = large.count > s->prims / few;
    if (s->wide || (small.used | large.used) != (1u << FACES) - 1)
        goto out;
    code_points(s, small.begin, small.end, &large.box);
    TRY(mark_object(s, !s->large, &meeting));
    TRY(take_marked(s, few, k, done));
out:
    return err;
}

int nearby_look(const context *c, const view *v, uint32_t few, nearby *k, int *done)
{
    int err = IMP_OK;
    const imp_frame *f = v->frame;
    const imp_mesh *m = f->mesh;
    search s = {.c = c, .frame = f, .prims = v->prims, .verts = v->verts};
    *done = 0;
    k->frame.mesh = NULL;
    if (v->frames != 1 || v->slots || c->dev->group_forms || !(c->opt.rules & RULE_BETWEEN) ||
        !m->object || !m->primitives || waits(k, m, few))
        return IMP_OK;
    TRY(mem_alloc(c->mem, m->vertices, &s.code));
    TRY(mem_alloc(c->mem, m->primitives, &s.mark));
    TRY(mem_alloc(c->mem, chunks_of(m->primitives), &s.has));
    TRY(look(&s, few, k, done));
    if (s.wide)
        was_wide(k, &s, few);
out:
    mem_free(c->mem, s.code);
    mem_free(c->mem, s.mark);
    mem_free(c->mem, s.has);
    return err == IMP_ERR_MEMORY ? IMP_OK : err; /* then nothing is left out */
}

/* To make trees takes as long as they save in some frames: so long it waits when a second look has
 * found nothing to leave out. */
#define SURE 3

int nearby_dense(const nearby *k, const view *v)
{
    return v->frames == 1 && v->frame->pose && k->wide == v->frame->mesh && k->rigid &&
           k->wait >= SURE;
}

void nearby_free(mem *m, nearby *k)
{
    mem_free(m, k->cell);
    *k = (nearby){0};
}
