/* See closed.h. */
#include "closed.h"

#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "prim.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void closed_mesh_free(mem *m, closed_mesh *c)
{
    mem_free(m, c->of);
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

static int closed_all_finite(const imp_frame *f)
{
    double sum = 0;
    for (size_t v = 0; v < f->mesh->vertices; v++)
        for (size_t k = 0; k < 3; k++)
            sum += 0 * frame_coordinate(f, v, k); /* NaN, if the coordinate is not finite */
    return sum == 0;
}

/* Whether the primitives are in order of their objects, and all finite. */
static int closed_in_order(const imp_frame *f)
{
    const int32_t *object = f->mesh->object;
    int sorted = closed_all_finite(f);
    for (uint32_t i = 1; i < f->mesh->primitives && object && sorted; i++)
        sorted = object_key(object[i - 1]) <= object_key(object[i]);
    return sorted;
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

/* Groups the primitives by object. */
static int closed_group(mem *m, const imp_frame *f, closed_mesh *c)
{
    int err = IMP_OK;
    const int32_t *object = f->mesh->object;
    uint32_t n = f->mesh->primitives, objects = 0;
    TRY(mem_alloc(m, n * sizeof *c->prim, &c->prim));
    TRY(mem_alloc(m, n * sizeof *c->place, &c->place));
    if (closed_in_order(f)) {
        for (uint32_t i = 0; i < n; i++)
            c->prim[i] = i;
    } else {
        memset(c->place, 0xff, n * sizeof *c->place);
        TRY(closed_sort(m, f, c->prim, &n));
    }
    for (uint32_t i = 0; i < n; i++)
        objects += !i || (object && object[c->prim[i]] != object[c->prim[i - 1]]);
    TRY(mem_alloc(m, objects * sizeof *c->of, &c->of));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t prim = c->prim[i];
        if (!i || (object && object[prim] != object[c->prim[i - 1]]))
            c->of[c->count++] = (closed_object){.object = object ? object[prim] : 0, .first = i};
        c->of[c->count - 1].last = i + 1;
        c->place[prim] = c->count - 1;
    }
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
        o->closed = o->wanted;
    }
}

/* ---- The edges of triangles */

static uint64_t closed_hash(uint32_t v, uint32_t w)
{
    uint64_t h = ((uint64_t)v << 32 | w) * 0x9e3779b97f4a7c15;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    return h ^ h >> 32;
}

/* The sum of the hashes of a triangle's edges, with the signs of their directions. */
static uint64_t closed_triangle_sum(const imp_mesh *m, uint32_t prim)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = mesh_vertex(m, prim, k), w = mesh_vertex(m, prim, (k + 1) % 3);
        if (v != w)
            sum += v < w ? closed_hash(v, w) : 0 - closed_hash(w, v);
    }
    return sum;
}

static int closed_is_triangle(const closed_mesh *c, uint32_t prim)
{
    return mesh_corners_of(c->frame->mesh, prim) != (uint32_t)IMP_TETRAHEDRA;
}

/* Adds the sums of some primitives to those of their objects. */
static void closed_add_sums(const closed_mesh *c, uint32_t first, uint32_t last, uint64_t *sum)
{
    for (uint32_t i = first, place, end; i < last; i = end) {
        uint64_t own = 0;
        place = c->place[c->prim[i]];
        end = c->of[place].last < last ? c->of[place].last : last;
        for (uint32_t k = i; k < end && c->of[place].wanted; k++)
            if (closed_is_triangle(c, c->prim[k]))
                own += closed_triangle_sum(c->frame->mesh, c->prim[k]);
#pragma omp atomic
        sum[place] += own;
    }
}

#define CLOSED_CHUNK 4096 /* primitives that a thread takes at a time */

/* An object whose sum is not 0 has an edge whose uses do not cancel. */
static int closed_reject(mem *m, closed_mesh *c, int threads)
{
    int err = IMP_OK;
    const uint32_t n = c->count ? c->of[c->count - 1].last : 0;
    uint64_t *sum = NULL;
    TRY(mem_alloc(m, c->count * sizeof *sum, &sum));
    memset(sum, 0, c->count * sizeof *sum);
#pragma omp parallel num_threads(threads) if (n > CLOSED_CHUNK)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < (int64_t)n; i += CLOSED_CHUNK)
        closed_add_sums(c, (uint32_t)i,
                        n - (uint32_t)i < CLOSED_CHUNK ? n : (uint32_t)i + CLOSED_CHUNK, sum);
    for (uint32_t i = 0; i < c->count; i++)
        c->of[i].closed &= sum[i] == 0;
out:
    mem_free(m, sum);
    return err;
}

/* The uses of edges by their least vertex v: object << 32 | other vertex. From first[v] on are
 * ahead[v] of them in the direction from v, and then behind[v] to v. */
typedef struct closed_edges {
    size_t *first;            /* [vertices + 1] */
    uint32_t *ahead, *behind; /* [vertices] */
    uint64_t *use;
} closed_edges;

static void closed_count_edges(const closed_mesh *c, uint32_t prim, closed_edges *e)
{
    const imp_mesh *m = c->frame->mesh;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = mesh_vertex(m, prim, k), w = mesh_vertex(m, prim, (k + 1) % 3);
        e->first[(size_t)(v < w ? v : w) + 1] += v != w;
    }
}

static void closed_put_edges(const closed_mesh *c, uint32_t prim, closed_edges *e)
{
    const imp_mesh *m = c->frame->mesh;
    const uint64_t place = (uint64_t)c->place[prim] << 32;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = mesh_vertex(m, prim, k), w = mesh_vertex(m, prim, (k + 1) % 3);
        if (v < w)
            e->use[e->first[v] + e->ahead[v]++] = place | w;
        else if (w < v)
            e->use[e->first[(size_t)w + 1] - ++e->behind[w]] = place | v;
    }
}

/* For the triangles of one object or, if that is CLOSED_NONE, of those marked `closed`. */
static void closed_each_edge(const closed_mesh *c, uint32_t one, closed_edges *e,
                             void (*add)(const closed_mesh *, uint32_t, closed_edges *))
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->of[i].first;
             k < c->of[i].last && (one == CLOSED_NONE ? c->of[i].closed : i == one); k++)
            if (closed_is_triangle(c, c->prim[k]))
                add(c, c->prim[k], e);
}

static int closed_edges_make(mem *m, const closed_mesh *c, uint32_t one, closed_edges *e)
{
    int err = IMP_OK;
    const size_t verts = c->frame->mesh->vertices;
    TRY(mem_alloc(m, (verts + 1) * sizeof *e->first, &e->first));
    TRY(mem_alloc(m, verts * sizeof *e->ahead, &e->ahead));
    TRY(mem_alloc(m, verts * sizeof *e->behind, &e->behind));
    memset(e->first, 0, (verts + 1) * sizeof *e->first);
    memset(e->ahead, 0, verts * sizeof *e->ahead);
    memset(e->behind, 0, verts * sizeof *e->behind);
    closed_each_edge(c, one, e, closed_count_edges);
    for (size_t v = 0; v < verts; v++)
        e->first[v + 1] += e->first[v];
    TRY(mem_alloc(m, e->first[verts] * sizeof *e->use, &e->use));
    closed_each_edge(c, one, e, closed_put_edges);
out:
    return err;
}

static void closed_edges_free(mem *m, closed_edges *e)
{
    mem_free(m, e->first);
    mem_free(m, e->ahead);
    mem_free(m, e->behind);
    mem_free(m, e->use);
}

static int closed_edge_order(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

#define CLOSED_FEW 24 /* uses that are sorted by insertion */

static void closed_sort_edges(uint64_t *use, size_t n)
{
    if (n > CLOSED_FEW) {
        qsort(use, n, sizeof *use, closed_edge_order);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint64_t now = use[i];
        size_t k = i;
        for (; k > 0 && use[k - 1] > now; k--)
            use[k] = use[k - 1];
        use[k] = now;
    }
}

/* The next of the edges with the least vertex v whose uses do not cancel; UINT64_MAX: there is no
 * other. at: the places in both lists, sorted, 0 at first. */
static uint64_t closed_next_open(const closed_edges *e, size_t v, uint32_t at[2])
{
    const uint64_t *from = e->use + e->first[v], *to = from + e->ahead[v];
    while (at[0] < e->ahead[v] || at[1] < e->behind[v]) {
        const uint64_t x = at[0] < e->ahead[v] ? from[at[0]] : UINT64_MAX,
                       y = at[1] < e->behind[v] ? to[at[1]] : UINT64_MAX;
        at[0] += x <= y;
        at[1] += y <= x;
        if (x != y)
            return x < y ? x : y;
    }
    return UINT64_MAX;
}

static void closed_sort_vertex(const closed_edges *e, size_t v)
{
    closed_sort_edges(e->use + e->first[v], e->ahead[v]);
    closed_sort_edges(e->use + e->first[v] + e->ahead[v], e->behind[v]);
}

static void closed_mark_open(closed_mesh *c, const closed_edges *e, size_t v)
{
    uint32_t at[2] = {0, 0};
    closed_sort_vertex(e, v);
    for (uint64_t use; (use = closed_next_open(e, v, at)) != UINT64_MAX;) {
        uint8_t *closed = &c->of[use >> 32].closed;
#pragma omp atomic write
        *closed = 0;
    }
}

/* Of the objects that are left those with such an edge are not closed. */
static int closed_verify(mem *m, closed_mesh *c, int threads)
{
    int err = IMP_OK;
    closed_edges e = {0};
    const int64_t verts = c->frame->mesh->vertices;
    TRY(closed_edges_make(m, c, CLOSED_NONE, &e));
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, CLOSED_CHUNK)
    for (int64_t v = 0; v < verts; v++)
        closed_mark_open(c, &e, (size_t)v);
out:
    closed_edges_free(m, &e);
    return err;
}

int closed_mesh_open_edge(mem *m, const closed_mesh *c, uint32_t place, uint32_t edge[2])
{
    int err = IMP_OK;
    closed_edges e = {0};
    uint64_t open = UINT64_MAX;
    edge[0] = edge[1] = 0;
    TRY(closed_edges_make(m, c, place, &e));
    for (uint32_t v = 0; v < c->frame->mesh->vertices && open == UINT64_MAX; v++) {
        closed_sort_vertex(&e, v);
        open = closed_next_open(&e, v, (uint32_t[2]){0, 0});
        edge[0] = v;
    }
    edge[0] = open == UINT64_MAX ? 0 : edge[0];
    edge[1] = open == UINT64_MAX ? 0 : (uint32_t)open;
out:
    closed_edges_free(m, &e);
    return err;
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
            if (!closed_is_triangle(c, c->prim[k]))
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

static void closed_uses_sort(closed_use *use, size_t n)
{
    if (n > CLOSED_FEW) {
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

static int closed_is_face(const imp_mesh *m, uint32_t prim)
{
    const uint32_t v[3] = {mesh_vertex(m, prim, 0), mesh_vertex(m, prim, 1),
                           mesh_vertex(m, prim, 2)};
    return v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
}

static void closed_mark_kinds(closed_mesh *c)
{
    const imp_mesh *m = c->frame->mesh;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->of[i].first; k < c->of[i].last; k++) {
            const uint32_t corners = mesh_corners_of(m, c->prim[k]);
            c->of[i].triangles |=
                corners == (uint32_t)IMP_TRIANGLES && closed_is_face(m, c->prim[k]);
            c->of[i].tetrahedra |= corners == (uint32_t)IMP_TETRAHEDRA;
        }
}

static void closed_mark_surface(closed_mesh *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        closed_object *o = &c->of[i];
        o->closed &= o->triangles || o->tetrahedra;
        for (uint32_t k = o->first; k < o->last; k++) {
            uint8_t *surface = &c->surface[c->prim[k]];
            if (!o->closed)
                *surface = 0;
            else if (mesh_corners_of(c->frame->mesh, c->prim[k]) != (uint32_t)IMP_TETRAHEDRA)
                *surface = 1;
        }
    }
}

int closed_mesh_find(mem *m, const imp_frame *frame, const closed_wanted *wanted, int threads,
                     closed_mesh *out)
{
    int err = IMP_OK, tetrahedra = 0;
    out->frame = frame;
    TRY(closed_group(m, frame, out));
    closed_mark_wanted(wanted, out);
    closed_mark_kinds(out);
    TRY(mem_alloc(m, frame->mesh->primitives * sizeof *out->surface, &out->surface));
    memset(out->surface, 0, frame->mesh->primitives * sizeof *out->surface);
    TRY(closed_reject(m, out, threads));
    TRY(closed_verify(m, out, threads));
    for (uint32_t i = 0; i < out->count; i++)
        tetrahedra |= out->of[i].wanted && out->of[i].tetrahedra;
    if (tetrahedra)
        TRY(closed_cancel(m, out, threads));
    closed_mark_surface(out);
out:
    return err;
}
