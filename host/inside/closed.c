/* See closed.h. */
#include "closed.h"

#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "hash64.h"
#include "prim.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void closed_mesh_free(mem *m, closed_mesh *c)
{
    mem_free(m, c->of);
    mem_free(m, c->span);
    mem_free(m, c->prim);
    mem_free(m, c->place);
    mem_free(m, c->surface);
    *c = (closed_mesh){0};
}

uint32_t closed_mesh_place(const closed_mesh *c, int32_t object)
{
    uint32_t low = 0, high = c->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->of[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && c->of[low].object == object ? low : CLOSED_NONE;
}

/* ---- the objects */

#define CLOSED_CHUNK 16384 /* vertices, or primitives, that a thread takes at a time */

static int closed_prim_finite(const imp_frame *f, uint32_t i)
{
    double x[3];
    for (uint32_t k = 0; k < mesh_corners_of(f->mesh, i); k++) {
        frame_vertex(f, mesh_vertex(f->mesh, i, k), x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return 0;
    }
    return 1;
}

/* Whether n coordinates are finite. The exponent of one that is not has all bits set, so that one
 * more changes the sign. */
static int closed_finite64(const double *x, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        all |= (bits & INT64_MAX) + ((uint64_t)1 << 52);
    }
    return !(all >> 63);
}

static int closed_finite32(const float *x, size_t n)
{
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        all |= (bits & INT32_MAX) + ((uint32_t)1 << 23);
    }
    return !(all >> 31);
}

static int closed_finite(const imp_frame *f, size_t first, size_t last)
{
    const size_t from = DIMENSIONS * first, n = DIMENSIONS * (last - first);
    return f->type == IMP_FLOAT32 ? closed_finite32((const float *)f->point + from, n)
                                  : closed_finite64((const double *)f->point + from, n);
}

/* Lists primitives as they are; returns whether they are in order of their objects. */
static int closed_list(const imp_mesh *m, size_t first, size_t last, uint32_t *prim)
{
    int descends = 0;
    for (size_t i = first; i < last; i++)
        prim[i] = (uint32_t)i;
    for (size_t i = first ? first : 1; i < last && m->object; i++)
        descends |= m->object[i - 1] > m->object[i];
    return !descends;
}

static size_t closed_chunk_end(size_t first, size_t n)
{
    return n - first < CLOSED_CHUNK ? n : first + CLOSED_CHUNK;
}

/* Whether the primitives are in order of their objects, and all finite; then they are listed. */
static int closed_in_order(const imp_frame *f, int threads, uint32_t *prim)
{
    const int64_t verts = (int64_t)f->mesh->vertices, prims = f->mesh->primitives;
    int fails = 0;
#pragma omp parallel num_threads(threads) reduction(| : fails) if (prims > CLOSED_CHUNK)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < verts; i += CLOSED_CHUNK)
            fails |= !closed_finite(f, (size_t)i, closed_chunk_end((size_t)i, (size_t)verts));
#pragma omp for schedule(static)
        for (int64_t i = 0; i < prims; i += CLOSED_CHUNK)
            fails |=
                !closed_list(f->mesh, (size_t)i, closed_chunk_end((size_t)i, (size_t)prims), prim);
    }
    return !fails;
}

/* Lists the finite primitives by object, in `prim`. */
static int closed_sort(mem *m, const imp_frame *f, uint32_t *prim, uint32_t *count)
{
    int err = IMP_OK;
    const int32_t *object = f->mesh->object;
    const uint32_t all = f->mesh->primitives;
    tree_key *key = NULL, *other = NULL;
    uint32_t n = 0;
    TRY(mem_alloc(m, all * sizeof *key, &key));
    TRY(mem_alloc(m, all * sizeof *other, &other));
    for (uint32_t i = 0; i < all; i++)
        if (closed_prim_finite(f, i))
            key[n++] = (tree_key){object_key(object ? object[i] : 0), i};
    tree_sort(&key, &other, n);
    for (uint32_t i = 0; i < n; i++)
        prim[i] = key[i].from;
    *count = n;
out:
    mem_free(m, key);
    mem_free(m, other);
    return err;
}

/* The end of the object that begins with number `first` of n listed primitives. */
static uint32_t closed_object_end(const closed_mesh *c, uint32_t first, uint32_t n)
{
    const int32_t *object = c->frame->mesh->object;
    uint32_t low = first, high = n; /* low is one of its primitives, high is not */
    for (uint32_t step = 1; object && step < high - low; step *= 2)
        if (object[c->prim[low + step]] == object[c->prim[first]])
            low += step;
        else
            high = low + step;
    while (object && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (object[c->prim[middle]] == object[c->prim[first]])
            low = middle;
        else
            high = middle;
    }
    return high;
}

static int closed_list_objects(mem *m, closed_mesh *c, uint32_t n)
{
    int err = IMP_OK;
    const int32_t *object = c->frame->mesh->object;
    size_t objects = 0, spans = 0;
    for (uint32_t first = 0, last; first < n; first = last) {
        last = closed_object_end(c, first, n);
        TRY(mem_fit(m, c->count, &objects, sizeof *c->of, &c->of));
        closed_object *o = &c->of[c->count++];
        *o = (closed_object){.object = object ? object[c->prim[first]] : 0,
                             .first = first,
                             .last = last,
                             .span = c->spans};
        for (uint32_t i = first, end; i < last; i = end) {
            end = last - i < CLOSED_SPAN ? last : i + CLOSED_SPAN;
            TRY(mem_fit(m, c->spans, &spans, sizeof *c->span, &c->span));
            c->span[c->spans++] = (closed_span){.place = c->count - 1, .first = i, .last = end};
        }
        o->spans = c->spans - o->span;
    }
out:
    return err;
}

/* Groups the primitives by object. */
static int closed_group(mem *m, int threads, closed_mesh *c)
{
    int err = IMP_OK;
    uint32_t n = c->frame->mesh->primitives;
    TRY(mem_alloc(m, n * sizeof *c->prim, &c->prim));
    TRY(mem_alloc(m, n * sizeof *c->place, &c->place));
    TRY(mem_alloc(m, n * sizeof *c->surface, &c->surface));
    if (!closed_in_order(c->frame, threads, c->prim)) {
        memset(c->place, 0xff, n * sizeof *c->place);
        memset(c->surface, 0, n * sizeof *c->surface);
        TRY(closed_sort(m, c->frame, c->prim, &n));
    }
    TRY(closed_list_objects(m, c, n));
out:
    return err;
}

static void closed_mark_wanted(const closed_wanted *wanted, closed_mesh *c)
{
    size_t next = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        closed_object *o = &c->of[i];
        while (wanted->object && next < wanted->objects && wanted->object[next] < o->object)
            next++;
        o->wanted = (uint8_t)(!wanted->object ||
                              (next < wanted->objects && wanted->object[next] == o->object));
    }
}

/* ---- What a look at each primitive shows */

static inline void closed_take_vertices(closed_span *s, const uint32_t v[3])
{
    uint32_t least = v[0] < v[1] ? v[0] : v[1], greatest = v[0] < v[1] ? v[1] : v[0];
    least = v[2] < least ? v[2] : least;
    greatest = v[2] > greatest ? v[2] : greatest;
    s->least = least < s->least ? least : s->least;
    s->greatest = greatest > s->greatest ? greatest : s->greatest;
}

static inline void closed_scan_as(closed_mesh *c, closed_span *s, const imp_mesh *m)
{
    const uint32_t *prim = c->prim;
    uint32_t *place = c->place;
    uint8_t *surface = c->surface, wanted = c->of[s->place].wanted;
    closed_span found = {s->place, s->first, s->last, UINT32_MAX, 0, 0, 0};
    for (uint32_t i = s->first; i < s->last; i++) {
        const uint32_t p = prim[i];
        const uint8_t solid = mesh_corners_of(m, p) == (uint32_t)IMP_TETRAHEDRA;
        const uint32_t v[3] = {mesh_vertex(m, p, 0), mesh_vertex(m, p, 1), mesh_vertex(m, p, 2)};
        closed_take_vertices(&found, v);
        if (solid)
            closed_take_vertices(&found, (uint32_t[3]){v[0], v[1], mesh_vertex(m, p, 3)});
        found.tetrahedra |= solid;
        if (!solid && wanted)
            found.sum += hash64_edges(v);
        place[p] = found.place;
        surface[p] = wanted && !solid;
    }
    *s = found;
}

/* A mesh of triangles alone has code of its own. */
static void closed_scan(closed_mesh *c, closed_span *s)
{
    imp_mesh m = *c->frame->mesh;
    if (m.corner_count || mesh_corners(&m) != (uint32_t)IMP_TRIANGLES) {
        closed_scan_as(c, s, &m);
    } else {
        m.corner_count = NULL;
        m.corners = IMP_TRIANGLES;
        closed_scan_as(c, s, &m);
    }
}

static int closed_has_face(const closed_mesh *c, const closed_object *o)
{
    const imp_mesh *m = c->frame->mesh;
    int found = 0;
    for (uint32_t i = o->first; i < o->last && !found; i++) {
        const uint32_t v[3] = {mesh_vertex(m, c->prim[i], 0), mesh_vertex(m, c->prim[i], 1),
                               mesh_vertex(m, c->prim[i], 2)};
        found = v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    }
    return found;
}

/* An object whose sum is not 0 has an edge whose uses do not cancel. */
static void closed_scan_all(closed_mesh *c, int threads)
{
    const int64_t spans = c->spans;
#pragma omp parallel num_threads(threads) if (spans > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided)
    for (int64_t i = 0; i < spans; i++)
        closed_scan(c, &c->span[i]);
    for (uint32_t i = 0; i < c->count; i++) {
        closed_object *o = &c->of[i];
        uint64_t sum = 0;
        for (uint32_t k = o->span; k < o->span + o->spans; k++) {
            sum += c->span[k].sum;
            o->tetrahedra |= c->span[k].tetrahedra;
        }
        o->closed = o->wanted && sum == 0 && (o->tetrahedra || closed_has_face(c, o));
    }
}

/* ---- The faces of tetrahedra */

/* A use of a face with a least vertex. */
typedef struct closed_use {
    uint32_t place;    /* the object */
    uint32_t other[2]; /* the other vertices, ascending */
    uint32_t prim;
    int8_t sign, face; /* sign: the side of the face */
} closed_use;

typedef struct closed_uses {
    size_t *first; /* [vertices + 1] */
    closed_use *use;
} closed_uses;

/* Receives a use and its least vertex. */
typedef void closed_receive(closed_uses *to, uint32_t least, const closed_use *use);

static void closed_count_use(closed_uses *to, uint32_t least, const closed_use *use)
{
    (void)use;
    to->first[(size_t)least + 2]++;
}

static void closed_put_use(closed_uses *to, uint32_t least, const closed_use *use)
{
    to->use[to->first[(size_t)least + 1]++] = *use;
}

/* Sorts three vertices; returns the sign of the permutation, 0 if two are equal. */
static int closed_sort3(uint32_t v[3])
{
    int sign = 1;
    for (int k = 0; k < 3; k++) {
        const int i = k == 1; /* places 0 1, 1 2, 0 1 */
        if (v[i] > v[i + 1]) {
            const uint32_t t = v[i];
            v[i] = v[i + 1];
            v[i + 1] = t;
            sign = -sign;
        }
    }
    return v[0] == v[1] || v[1] == v[2] ? 0 : sign;
}

/* A tetrahedron without volume has no face. */
static void closed_face_uses(const closed_mesh *c, uint32_t prim, closed_receive *receive,
                             closed_uses *to)
{
    const imp_mesh *m = c->frame->mesh;
    const exact_prim p = exact_prim_of(c->frame, prim);
    const int side = exact_orient3d(&p.v[0], &p.v[1], &p.v[2], &p.v[3]);
    for (int face = 0; face < 4 && side; face++) {
        uint32_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = mesh_vertex(m, prim, (uint32_t)tet_face[face][k]);
        const int sign = closed_sort3(v);
        const int turn = face % 2 ? -side : side; /* the faces of tet_face alternate */
        const closed_use use = {
            c->place[prim], {v[1], v[2]}, prim, (int8_t)(sign * turn), (int8_t)face};
        if (sign)
            receive(to, v[0], &use);
    }
}

static void closed_each_use(const closed_mesh *c, closed_receive *receive, closed_uses *to)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->of[i].first; k < c->of[i].last && c->of[i].wanted; k++)
            if (mesh_corners_of(c->frame->mesh, c->prim[k]) == (uint32_t)IMP_TETRAHEDRA)
                closed_face_uses(c, c->prim[k], receive, to);
}

static int closed_uses_make(mem *m, const closed_mesh *c, closed_uses *out)
{
    int err = IMP_OK;
    const size_t verts = c->frame->mesh->vertices;
    TRY(mem_alloc(m, (verts + 2) * sizeof *out->first, &out->first));
    memset(out->first, 0, (verts + 2) * sizeof *out->first);
    closed_each_use(c, closed_count_use, out);
    for (size_t v = 0; v <= verts; v++)
        out->first[v + 1] += out->first[v];
    TRY(mem_alloc(m, out->first[verts + 1] * sizeof *out->use, &out->use));
    closed_each_use(c, closed_put_use, out);
out:
    return err;
}

static void closed_uses_free(mem *m, closed_uses *u)
{
    mem_free(m, u->first);
    mem_free(m, u->use);
}

/* The order of the faces, -1, 0, 1. */
static int closed_use_order(const closed_use *x, const closed_use *y)
{
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->other[0] != y->other[0])
        return x->other[0] < y->other[0] ? -1 : 1;
    return (x->other[1] > y->other[1]) - (x->other[1] < y->other[1]);
}

static int closed_use_compare(const void *x, const void *y)
{
    return closed_use_order(x, y);
}

#define CLOSED_SOME 24 /* uses that are sorted by insertion */

static void closed_uses_sort(closed_use *use, size_t n)
{
    if (n > CLOSED_SOME) {
        qsort(use, n, sizeof *use, closed_use_compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const closed_use now = use[i];
        size_t k = i;
        for (; k > 0 && closed_use_order(&use[k - 1], &now) > 0; k--)
            use[k] = use[k - 1];
        use[k] = now;
    }
}

/* Sums the uses of each face with this least vertex. */
static void closed_sum_uses(closed_mesh *c, const closed_uses *u, uint32_t v)
{
    closed_use *use = u->use + u->first[v];
    const size_t n = u->first[(size_t)v + 1] - u->first[v];
    closed_uses_sort(use, n);
    for (size_t i = 0, next; i < n; i = next) {
        int sum = 0;
        for (next = i; next < n && !closed_use_order(&use[i], &use[next]); next++)
            sum += use[next].sign;
        for (size_t k = i; k < next; k++)
            if (sum * use[k].sign > 0) {
                uint8_t *surface = &c->surface[use[k].prim];
#pragma omp atomic
                *surface |= (uint8_t)(1u << use[k].face);
            }
    }
}

static int closed_cancel(mem *m, closed_mesh *c, int threads)
{
    int err = IMP_OK;
    closed_uses uses = {0};
    const int64_t verts = c->frame->mesh->vertices;
    TRY(closed_uses_make(m, c, &uses));
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 4096)
    for (int64_t v = 0; v < verts; v++)
        closed_sum_uses(c, &uses, (uint32_t)v);
out:
    closed_uses_free(m, &uses);
    return err;
}

/* ---- all */

/* Of an object that is not closed nothing is surface. */
static void closed_clear_surface(const closed_mesh *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const closed_object *o = &c->of[i];
        const uint32_t *prim = c->prim + o->first, n = o->last - o->first;
        if (o->closed || !o->wanted)
            continue;
        if (prim[n - 1] - prim[0] == n - 1)
            memset(c->surface + prim[0], 0, n);
        for (uint32_t k = 0; k < n && prim[n - 1] - prim[0] != n - 1; k++)
            c->surface[prim[k]] = 0;
    }
}

int closed_mesh_find(mem *m, const imp_frame *frame, const closed_wanted *wanted, int threads,
                     closed_mesh *out)
{
    int err = IMP_OK, tetrahedra = 0;
    out->frame = frame;
    TRY(closed_group(m, threads, out));
    closed_mark_wanted(wanted, out);
    closed_scan_all(out, threads);
    TRY(closed_check_edges(m, out, threads));
    for (uint32_t i = 0; i < out->count; i++)
        tetrahedra |= out->of[i].wanted && out->of[i].tetrahedra;
    if (tetrahedra)
        TRY(closed_cancel(m, out, threads));
    closed_clear_surface(out);
out:
    return err;
}
