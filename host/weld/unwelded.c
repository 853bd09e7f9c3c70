/* imp_is_unwelded of impinge_weld.h. Counts the users of a sample of edges, if a sample of points
 * shows that points coincide. Both samples contain all items at one place, or none. */
#include "impinge_weld.h"

#include "error.h"
#include "float_env.h"
#include "mix.h"
#include "positions.h"
#include "weld_check.h"

#include <string.h>

#define SAMPLE (1 << 14)
#define SLOTS (4 * (size_t)SAMPLE) /* at most half of them are filled */
/* Two triangles, or tetrahedra, that are neighbours have one edge of three, or face of four, in
 * common. */
#define SHARE_LEAST 0.25

/* An edge of triangles, or a face of tetrahedra, by the corners of the first that uses it. */
typedef struct unwelded_edge {
    uint32_t primitive;
    uint8_t corner[3], ends; /* 2 or 3; 0: the slot is empty */
    uint32_t same, opposite; /* uses in the direction of the first, it among them, and others */
} unwelded_edge;

typedef struct unwelded {
    const imp_frame *frame;
    uint64_t *used;      /* [vertices / 64 + 1] bits of the vertices of primitives */
    unwelded_edge *edge; /* [SLOTS] by hash */
    size_t uses;         /* of all edges in it */
    uint64_t edges;      /* at most so many uses there are in the mesh */
} unwelded;

/* Is a vertex of two primitives? One that names it twice is one primitive. */
static int unwelded_shares(const unwelded *u)
{
    const imp_mesh *m = u->frame->mesh;
    for (size_t p = 0; p < m->primitives; p++) {
        const uint32_t corner_count = mesh_corners_of(m, p);
        for (uint32_t k = 0; k < corner_count; k++) {
            const uint32_t v = mesh_vertex(m, p, k);
            if (u->used[v / 64] >> v % 64 & 1)
                return 1;
        }
        for (uint32_t k = 0; k < corner_count; k++) {
            const uint32_t v = mesh_vertex(m, p, k);
            u->used[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    return 0;
}

/* ---- a sample of points */

#define REPEATED_LEAST 8 /* one of so many vertices is at the point of another one */

/* By the sum of the coordinates, which is the same for equal points: one hash for each vertex. */
static int unwelded_add_point(const unwelded *u, const double x[DIMENSIONS])
{
    double sum = x[0] + x[1] + x[2] + 0.0;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return sum == sum &&
           (double)(mix64(bits) >> 32) * (double)u->frame->mesh->vertices < (double)SAMPLE * 0x1p32;
}

/* Are enough vertices at the points of others? Of two triangles that are neighbours a third is. */
static int unwelded_repeats(mem *m, const unwelded *u, int *yes)
{
    int err = IMP_OK;
    size_t taken = 0, repeated = 0;
    uint32_t *slot = NULL;
    TRY(mem_alloc(m, SLOTS * sizeof *slot, &slot));
    memset(slot, 0xff, SLOTS * sizeof *slot); /* WELD_NONE */
    for (uint32_t v = 0; v < u->frame->mesh->vertices && taken < SLOTS / 2; v++) {
        double x[DIMENSIONS];
        frame_vertex(u->frame, v, x);
        if (!unwelded_add_point(u, x) || !(u->used[v / 64] >> v % 64 & 1))
            continue;
        size_t at = (size_t)position_hash(u->frame, 1, v) & (SLOTS - 1);
        while (slot[at] != WELD_NONE && !position_same(u->frame, 1, slot[at], v))
            at = (at + 1) & (SLOTS - 1);
        taken++;
        repeated += slot[at] != WELD_NONE;
        slot[at] = slot[at] != WELD_NONE ? slot[at] : v;
    }
    *yes = repeated && repeated * REPEATED_LEAST >= taken;
out:
    mem_free(m, slot);
    return err;
}

/* ---- a sample of edges */

static uint32_t unwelded_vertex(const unwelded *u, const unwelded_edge *e, int k)
{
    return mesh_vertex(u->frame->mesh, e->primitive, e->corner[k]);
}

static int unwelded_same(const unwelded *u, const unwelded_edge *a, int i, const unwelded_edge *b,
                         int k)
{
    return position_same(u->frame, 1, unwelded_vertex(u, a, i), unwelded_vertex(u, b, k));
}

static int unwelded_object(const unwelded *u, const unwelded_edge *e)
{
    const int32_t *object = u->frame->mesh->object;
    return object ? object[e->primitive] : 0;
}

/* How many ends of b are ends of a, at any place. */
static int unwelded_common(const unwelded *u, const unwelded_edge *a, const unwelded_edge *b)
{
    int found = 0;
    for (int i = 0; i < a->ends; i++)
        for (int k = 0; k < b->ends; k++)
            found += unwelded_same(u, a, i, b, k);
    return found;
}

/* No two ends are at one point, and none is a NaN. */
static int unwelded_sound(const unwelded *u, const unwelded_edge *e)
{
    return unwelded_common(u, e, e) == e->ends;
}

/* All uses of an edge are in the sample or none, as the hash of its ends decides. */
static int unwelded_add(const unwelded *u, uint64_t hash)
{
    return (double)(hash >> 32) * (double)u->edges < (double)SAMPLE * 0x1p32;
}

static void unwelded_enter(unwelded *u, uint64_t hash, const unwelded_edge *e)
{
    size_t at = (size_t)hash & (SLOTS - 1);
    if (!unwelded_add(u, hash) || u->uses > SLOTS / 2 || !unwelded_sound(u, e))
        return;
    for (; u->edge[at].ends; at = (at + 1) & (SLOTS - 1)) {
        const unwelded_edge *is = &u->edge[at];
        if (is->ends == e->ends && unwelded_object(u, is) == unwelded_object(u, e) &&
            unwelded_common(u, is, e) == e->ends)
            break;
    }
    unwelded_edge *to = &u->edge[at];
    if (!to->ends)
        *to = *e;
    else if (to->primitive == e->primitive)
        return; /* of a triangle with two corners at one point: it is no neighbour of itself */
    /* two tetrahedra may see their face in any order */
    if (to->same && (e->ends == 3 || !unwelded_same(u, to, 0, e, 0)))
        to->opposite++;
    else
        to->same++;
    u->uses++;
}

/* The edges of a triangle: from each corner to the next one; the faces of a tetrahedron: without
 * each corner. */
static void unwelded_enter_all(unwelded *u, size_t p)
{
    const imp_mesh *m = u->frame->mesh;
    const uint32_t corner_count = mesh_corners_of(m, p);
    uint64_t hash[IMP_TETRAHEDRA], sum = 0;
    for (uint32_t k = 0; k < corner_count; k++)
        sum += hash[k] = position_hash(u->frame, 1, mesh_vertex(m, p, k));
    for (uint8_t k = 0; k < corner_count; k++) {
        unwelded_edge e = {.primitive = (uint32_t)p, .ends = (uint8_t)(corner_count - 1)};
        for (uint8_t i = 0; i < e.ends; i++)
            e.corner[i] = (uint8_t)(((uint32_t)k + 1 + i) % corner_count);
        unwelded_enter(u, mix64(sum - hash[k]), &e);
    }
}

/* The part of all uses that are of neighbours. */
static double unwelded_fraction(const unwelded *u)
{
    size_t joined = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (u->edge[i].same == 1 && u->edge[i].opposite == 1)
            joined += 2;
    return u->uses ? (double)joined / (double)u->uses : 0;
}

/* ---- the function */

static int unwelded_open(mem *m, const imp_frame *frame, unwelded *u)
{
    int err = IMP_OK;
    const size_t words = (size_t)frame->mesh->vertices / 64 + 1;
    *u = (unwelded){.frame = frame, .edges = mesh_corner_count(frame->mesh)};
    TRY(mem_alloc(m, words * sizeof *u->used, &u->used));
    memset(u->used, 0, words * sizeof *u->used);
    TRY(mem_alloc(m, SLOTS * sizeof *u->edge, &u->edge));
    memset(u->edge, 0, SLOTS * sizeof *u->edge);
out:
    return err;
}

int imp_is_unwelded(const imp_frame *frame, int *yes, double *fraction)
{
    int err = IMP_OK;
    mem m = {0};
    unwelded u = {0};
    double found = 0;
    const float_entry entry = float_enter();
    if (!yes)
        FAIL(IMP_ERR_ARGUMENT, "imp_is_unwelded: yes is NULL");
    *yes = 0;
    TRY(weld_check(frame, frame != NULL));
    TRY(unwelded_open(&m, frame, &u));
    if (mesh_corners(frame->mesh) < IMP_TRIANGLES || unwelded_shares(&u))
        goto out;
    TRY(unwelded_repeats(&m, &u, yes));
    for (size_t p = 0; *yes && p < frame->mesh->primitives; p++)
        unwelded_enter_all(&u, p);
    found = unwelded_fraction(&u);
    *yes = found >= SHARE_LEAST;
out:
    if (fraction && !err)
        *fraction = found;
    mem_free(&m, u.used);
    mem_free(&m, u.edge);
    float_leave(entry);
    return err;
}
