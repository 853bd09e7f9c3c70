/* A device must reproduce a known answer before it is used: what `auto` chooses from, and the hash
 * with triangles that share vertices, on a small scene with contacts that are known to the last bit
 * of their points; and a few tetrahedra on the same vertices. */
#include "engine.h"

#include "contact_columns.h"
#include "error.h"
#include "prim.h"

#include <string.h>

#define VERTS 96
#define TRIS 160
#define TETS 16
#define ANSWER UINT64_C(0x8f63c45f83e79595)

/* A knot of triangles on few vertices with short binary coordinates: shared vertices and edges,
 * crossings, common planes, zero areas and duplicates all occur. */
static void knot(double *x, uint32_t *triangle)
{
    uint32_t state = 12345;
    for (int i = 0; i < 3 * VERTS; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (double)(state >> 28) * 0.25 - 1.5;
    }
    for (int i = 0; i < 3 * TRIS; i++) {
        state = state * 1664525u + 1013904223u;
        triangle[i] = (state >> 16) % VERTS;
    }
}

/* Every bit of every contact, contact by contact: the number in a piece depends on the memory
 * limit. */
static int hash_sink(void *user, const imp_contacts *c)
{
    uint64_t *h = user;
    *h = columns_hash(&contact_table, c, c->count, *h);
    return 0;
}

/* The frames with one choice of options, added to the hash of contacts. */
static int detect_known(const context *c, const char *method, const options *opt,
                        const imp_frame *frame, uint64_t *h)
{
    context own = *c;
    workspace r = {0};
    imp_profile t = {0};
    own.opt = *opt;
    broad_find(method, &r.broad.asked);
    int err = workspace_detect(&own, &r, &t, frame, 2, hash_sink, h, NULL);
    workspace_free(&own, &r);
    return err;
}

int selftest(const context *c, const char *name)
{
    int err = IMP_OK;
    double x[3 * VERTS];
    uint32_t triangle[3 * TRIS];
    uint64_t h = COLUMNS_HASH;
    imp_mesh mesh = {.vertices = VERTS, .primitives = TRIS, .corner = triangle};
    imp_mesh solid = {
        .vertices = VERTS, .primitives = TETS, .corner = triangle, .corners = IMP_TETRAHEDRA};
    imp_frame frame[2] = {{&mesh, x, IMP_FLOAT64, 0}, {&mesh, x, IMP_FLOAT64, 1}};
    imp_frame solids[2] = {{&solid, x, IMP_FLOAT64, 0}, {&solid, x, IMP_FLOAT64, 1}};
    const column_set all = columns_when(&contact_table, &(imp_def){0});
    const options shared = {.dop_k = 26, .columns = all},
                  usual = {.dop_k = 6, .rules = RULE_SKIP_ADJACENT, .columns = all};
    knot(x, triangle);
    TRY(detect_known(c, "hash", &shared, frame, &h));
    TRY(detect_known(c, c->dev->group_forms ? "grid" : "rtree", &usual, frame, &h));
    TRY(detect_known(c, "brute", &usual, frame, &h));
    TRY(detect_known(c, "brute", &shared, solids, &h));
    if (h != ANSWER)
        FAIL(IMP_ERR_DEVICE, "device '%s' fails its self-test: %016llx, not %016llx", name,
             (unsigned long long)h, (unsigned long long)ANSWER);
out:
    return err;
}
