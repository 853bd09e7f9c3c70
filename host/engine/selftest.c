/* A device must reproduce known answers before it is used: the methods that `auto` chooses from,
 * and the hash with triangles that share vertices, on a small scene whose contacts are known to the
 * last bit of their points; a few tetrahedra on the same vertices; and the scene in denormals. With
 * imp_def.continuous also a step, with imp_def.rows also distances; without them OpenCL compilers
 * need not build those kernels. */
#include "engine.h"

#include "columns.h"
#include "error.h"
#include "prim.h"

#include <string.h>

#define VERTS 96
#define TRIS 100
#define TETS 16
#define ANSWER UINT64_C(0x8447c2ad95a3a749)
#define STEP_TRIS 24
#define STEP_TETS 4
#define STEP_ANSWER UINT64_C(0x3dde52a3a3360575)
#define DISTANCE 0.25
#define DISTANCE_TRIS 40
#define DISTANCE_TETS 6
#define DISTANCE_ANSWER UINT64_C(0x194f0c2a9ce42245)
#define TRIS_FEW 40 /* triangles of the scene in denormals */
#define DENORMAL_ANSWER UINT64_C(0xa548e29ff61a7655)
#define SINGLE_ANSWER UINT64_C(0x5c434e6001d3afbd)

/* Makes a knot of triangles on few vertices with short binary coordinates. It has shared vertices
 * and edges, crossings, common planes, zero areas and duplicates. */
static void selftest_mesh(double *x, uint32_t *triangle)
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

/* Hashes every bit of every contact, contact by contact: the number of contacts in a call depends
 * on the memory limit. */
static int selftest_hash_sink(void *user, const imp_contacts *c)
{
    uint64_t *h = user;
    *h = columns_hash(&contact_table, c, c->count, *h);
    return 0;
}

/* Adds the contacts of the frames, with these options, to the hash. */
static int detect_known(const context *c, const char *method, const options *opt,
                        const imp_frame *frame, uint64_t *h)
{
    context own = *c;
    workspace r = {0};
    imp_profile t = {0};
    own.opt = *opt;
    broad_find(method, &r.broad.requested);
    int err = workspace_detect(&own, &r, &t, frame, 2, selftest_hash_sink, h, NULL);
    workspace_free(&own, &r);
    return err;
}

static int selftest_compare(const char *name, uint64_t got, uint64_t answer)
{
    if (got == answer)
        return IMP_OK;
    return imp_fail(IMP_ERR_DEVICE, "device '%s' fails its self-test: %016llx, not %016llx", name,
                    (unsigned long long)got, (unsigned long long)answer);
}

/* A step from x to the same numbers in reverse order. */
static int selftest_step(const context *c, const char *name, const double *x,
                         const uint32_t *corner)
{
    int err = IMP_OK;
    double y[3 * VERTS];
    uint64_t h = COLUMNS_HASH;
    const imp_mesh mesh = {.vertices = VERTS, .primitives = STEP_TRIS, .corner = corner};
    const imp_mesh solid = {
        .vertices = VERTS, .primitives = STEP_TETS, .corner = corner, .corners = IMP_TETRAHEDRA};
    const imp_frame frame[2] = {{&mesh, x, IMP_FLOAT64, 0}, {&mesh, y, IMP_FLOAT64, 1}};
    const imp_frame solids[2] = {{&solid, x, IMP_FLOAT64, 0}, {&solid, y, IMP_FLOAT64, 1}};
    const column_set columns = columns_when(&contact_table, &(imp_def){.continuous = 1});
    const options step = {.dop_k = 6,
                          .rules = RULE_SKIP_ADJACENT,
                          .continuous = 1,
                          .columns = columns_when(&contact_table, &(imp_def){0}) & columns,
                          .step_columns = columns};
    for (int i = 0; i < 3 * VERTS; i++)
        y[i] = x[3 * VERTS - 1 - i];
    TRY(detect_known(c, "brute", &step, frame, &h));
    TRY(detect_known(c, "brute", &step, solids, &h));
    TRY(selftest_compare(name, h, STEP_ANSWER));
out:
    return err;
}

/* Distances in the knot, whose vertices are moved so that few distances are equal. */
static int selftest_distances(const context *c, const char *name, const double *x,
                              const uint32_t *corner)
{
    int err = IMP_OK;
    double y[3 * VERTS];
    uint64_t h = COLUMNS_HASH;
    const imp_mesh mesh = {.vertices = VERTS, .primitives = DISTANCE_TRIS, .corner = corner};
    const imp_mesh solid = {.vertices = VERTS,
                            .primitives = DISTANCE_TETS,
                            .corner = corner,
                            .corners = IMP_TETRAHEDRA};
    const imp_frame frame[2] = {{&mesh, y, IMP_FLOAT64, 0}, {&mesh, x, IMP_FLOAT64, 1}};
    const imp_frame solids[2] = {{&solid, y, IMP_FLOAT64, 0}, {&solid, x, IMP_FLOAT64, 1}};
    const imp_def def = {.rows = IMP_ROWS_PRIMITIVES};
    const options near = {.dop_k = 6,
                          .rules = RULE_SKIP_ADJACENT,
                          .rows = IMP_ROWS_PRIMITIVES,
                          .separation = DISTANCE,
                          .columns = columns_when(&contact_table, &def)};
    for (int i = 0; i < 3 * VERTS; i++)
        y[i] = x[i] + x[7 * i % (3 * VERTS)] * 0x1p-6 + x[(11 * i + 5) % (3 * VERTS)] * 0x1p-11;
    TRY(detect_known(c, "brute", &near, frame, &h));
    TRY(detect_known(c, "brute", &near, solids, &h));
    TRY(selftest_compare(name, h, DISTANCE_ANSWER));
out:
    return err;
}

/* The same knot with coordinates of which some are denormals of float64, or all of float32. A
 * device that flushes these to 0, or treats them as 0, finds another knot. (If all were, it would
 * find triangles without area, which are decided by the host.) *same: whether the answer is right.
 */
static int detect_denormals(const context *c, const options *opt, const double *x,
                            const imp_mesh *mesh, int type, int *same)
{
    int err = IMP_OK;
    double wide[3 * VERTS];
    float single[3 * VERTS];
    uint64_t h = COLUMNS_HASH;
    const void *point = type == IMP_FLOAT32 ? (const void *)single : wide;
    const imp_frame frame[2] = {{mesh, point, type, 0}, {mesh, point, type, 1}};
    for (int i = 0; i < 3 * VERTS; i++) {
        wide[i] = x[i] * 0x1p-1022;
        single[i] = (float)(x[i] * 0x1p-147);
    }
    TRY(detect_known(c, "brute", opt, frame, &h));
    *same = h == (type == IMP_FLOAT32 ? SINGLE_ANSWER : DENORMAL_ANSWER);
out:
    return err;
}

static int selftest_denormals(const context *c, const options *opt, const char *name,
                              const double *x, const imp_mesh *mesh)
{
    int err = IMP_OK, same[2];
    TRY(detect_denormals(c, opt, x, mesh, IMP_FLOAT64, &same[0]));
    if (!same[0])
        imp_fail(IMP_ERR_DEVICE, "device '%s' flushes denormals of float64", name);
    if (!same[0])
        return SELFTEST_FLUSHES;
    TRY(detect_denormals(c, opt, x, mesh, IMP_FLOAT32, &same[1]));
    if (!same[1])
        FAIL(IMP_ERR_DEVICE, "device '%s' fails its self-test: denormals of float32", name);
out:
    return err;
}

int selftest(const context *c, const char *name)
{
    int err = IMP_OK;
    double x[3 * VERTS];
    uint32_t triangle[3 * TRIS];
    uint64_t h = COLUMNS_HASH;
    imp_mesh mesh = {.vertices = VERTS, .primitives = TRIS, .corner = triangle};
    /* fewer triangles: each of their pairs needs exact arithmetic */
    const imp_mesh few = {.vertices = VERTS, .primitives = TRIS_FEW, .corner = triangle};
    imp_mesh solid = {
        .vertices = VERTS, .primitives = TETS, .corner = triangle, .corners = IMP_TETRAHEDRA};
    imp_frame frame[2] = {{&mesh, x, IMP_FLOAT64, 0}, {&mesh, x, IMP_FLOAT64, 1}};
    imp_frame solids[2] = {{&solid, x, IMP_FLOAT64, 0}, {&solid, x, IMP_FLOAT64, 1}};
    const column_set all = columns_when(&contact_table, &(imp_def){0});
    const options shared = {.dop_k = 26, .columns = all},
                  usual = {.dop_k = 6, .rules = RULE_SKIP_ADJACENT, .columns = all};
    selftest_mesh(x, triangle);
    TRY(detect_known(c, "hash", &shared, frame, &h));
    TRY(detect_known(c, c->dev->groups ? "grid" : "rtree", &usual, frame, &h));
    TRY(detect_known(c, "brute", &usual, frame, &h));
    TRY(detect_known(c, "brute", &shared, solids, &h));
    TRY(selftest_compare(name, h, ANSWER));
    TRY(selftest_denormals(c, &usual, name, x, &few));
    if (c->opt.continuous)
        TRY(selftest_step(c, name, x, triangle));
    if (c->opt.rows)
        TRY(selftest_distances(c, name, x, triangle));
out:
    return err;
}
