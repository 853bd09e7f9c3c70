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

/* Groups the primitives by object. */
static int closed_group(mem *m, const imp_frame *f, closed_mesh *c)
{
    int err = IMP_OK;
    const uint32_t all = f->mesh->primitives;
    const int32_t *object = f->mesh->object;
    tree_key *key = NULL, *other = NULL;
    uint32_t n = 0, objects = 0;
    const int finite = closed_all_finite(f);
    int sorted = 1;
    TRY(mem_alloc(m, all * sizeof *key, &key));
    TRY(mem_alloc(m, all * sizeof *other, &other));
    TRY(mem_alloc(m, all * sizeof *c->prim, &c->prim));
    TRY(mem_alloc(m, all * sizeof *c->place, &c->place));
    for (uint32_t i = 0; i < all; i++) {
        c->place[i] = CLOSED_NONE;
        if (!finite && !closed_prim_finite(f, i))
            continue;
        key[n] = (tree_key){object_key(object ? object[i] : 0), i};
        sorted &= !n || key[n - 1].key <= key[n].key;
        n++;
    }
    if (!sorted)
        tree_sort(&key, &other, n);
    for (uint32_t i = 0; i < n; i++)
        objects += !i || key[i].key != key[i - 1].key;
    TRY(mem_alloc(m, objects * sizeof *c->of, &c->of));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t prim = key[i].from;
        if (!i || key[i].key != key[i - 1].key)
            c->of[c->count++] = (closed_object){.object = object ? object[prim] : 0, .first = i};
        c->of[c->count - 1].last = i + 1;
        c->place[prim] = c->count - 1;
        c->prim[i] = prim;
    }
out:
    mem_free(m, key);
    mem_free(m, other);
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
        o->open_edge[0] = o->open_edge[1] = CLOSED_NONE;
    }
}

/* ---- Directed uses: of the edges of triangles, or of the faces of tetrahedra, by their least
 * vertices. */

typedef struct closed_use {
    uint32_t place;    /* the object */
    uint32_t other[2]; /* the other vertices, ascending; an edge has one, then 0 */
    uint32_t prim;
    int8_t sign, face; /* sign: the direction of an edge, the side of a face */
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

static void closed_edge_uses(const closed_mesh *c, uint32_t prim, closed_receive *receive,
                             closed_uses *to)
{
    const imp_mesh *m = c->frame->mesh;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = mesh_vertex(m, prim, k), w = mesh_vertex(m, prim, (k + 1) % 3);
        const closed_use use = {c->place[prim], {v < w ? w : v, 0}, prim, v < w ? 1 : -1, 0};
        if (v != w)
            receive(to, v < w ? v : w, &use);
    }
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

static void closed_each_use(const closed_mesh *c, int tetrahedra, closed_receive *receive,
                            closed_uses *to)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->of[i].first; k < c->of[i].last && c->of[i].wanted; k++) {
            const int solid =
                mesh_corners_of(c->frame->mesh, c->prim[k]) == (uint32_t)IMP_TETRAHEDRA;
            if (solid && tetrahedra)
                closed_face_uses(c, c->prim[k], receive, to);
            else if (!solid && !tetrahedra)
                closed_edge_uses(c, c->prim[k], receive, to);
        }
}

static int closed_uses_make(mem *m, const closed_mesh *c, int tetrahedra, closed_uses *out)
{
    int err = IMP_OK;
    const size_t verts = c->frame->mesh->vertices;
    TRY(mem_alloc(m, (verts + 2) * sizeof *out->first, &out->first));
    memset(out->first, 0, (verts + 2) * sizeof *out->first);
    closed_each_use(c, tetrahedra, closed_count_use, out);
    for (size_t v = 0; v <= verts; v++)
        out->first[v + 1] += out->first[v];
    TRY(mem_alloc(m, out->first[verts + 1] * sizeof *out->use, &out->use));
    closed_each_use(c, tetrahedra, closed_put_use, out);
out:
    return err;
}

static void closed_uses_free(mem *m, closed_uses *u)
{
    mem_free(m, u->first);
    mem_free(m, u->use);
}

/* The order of the edges or faces, -1, 0, 1. */
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

#define CLOSED_FEW 24 /* uses that are sorted by insertion */

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

/* An edge of an object whose uses do not cancel. */
static void closed_open(closed_mesh *c, uint32_t place, uint32_t v, uint32_t w)
{
    closed_object *o = &c->of[place];
#pragma omp critical(closed_open)
    {
        o->closed = 0;
        if (v < o->open_edge[0] || (v == o->open_edge[0] && w < o->open_edge[1])) {
            o->open_edge[0] = v;
            o->open_edge[1] = w;
        }
    }
}

/* Sums the uses of each edge or face with this least vertex. */
static void closed_sum_uses(closed_mesh *c, const closed_uses *u, uint32_t v, int tetrahedra)
{
    closed_use *use = u->use + u->first[v];
    const size_t n = u->first[(size_t)v + 1] - u->first[v];
    closed_uses_sort(use, n);
    for (size_t i = 0, next; i < n; i = next) {
        int sum = 0;
        for (next = i; next < n && !closed_use_order(&use[i], &use[next]); next++)
            sum += use[next].sign;
        if (!tetrahedra && sum)
            closed_open(c, use[i].place, v, use[i].other[0]);
        for (size_t k = i; k < next && tetrahedra; k++)
            if (sum * use[k].sign > 0) {
                uint8_t *surface = &c->surface[use[k].prim];
#pragma omp atomic
                *surface |= (uint8_t)(1u << use[k].face);
            }
    }
}

static int closed_cancel(mem *m, closed_mesh *c, int tetrahedra, int threads)
{
    int err = IMP_OK;
    closed_uses uses = {0};
    const int64_t verts = c->frame->mesh->vertices;
    TRY(closed_uses_make(m, c, tetrahedra, &uses));
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 4096)
    for (int64_t v = 0; v < verts; v++)
        closed_sum_uses(c, &uses, (uint32_t)v, tetrahedra);
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
        if (o->wanted && o->closed && !o->triangles && !o->tetrahedra) {
            o->closed = 0;
            o->open_edge[0] = o->open_edge[1] = 0;
        }
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
    TRY(closed_cancel(m, out, 0, threads));
    for (uint32_t i = 0; i < out->count; i++)
        tetrahedra |= out->of[i].wanted && out->of[i].tetrahedra;
    if (tetrahedra)
        TRY(closed_cancel(m, out, 1, threads));
    closed_mark_surface(out);
out:
    return err;
}
