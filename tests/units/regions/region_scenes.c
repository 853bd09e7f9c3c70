/* See region_scenes.h. */
#include "region_scenes.h"

#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *p, size_t bytes)
{
    void *const more = realloc(p, bytes + 1);
    CU_ASSERT_FATAL(more != NULL);
    return more;
}

double scene_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

uint32_t scene_vertex(region_scene *s, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    s->point = grown(s->point, 3 * ((size_t)s->vertices + 1) * sizeof *s->point);
    memcpy(s->point + 3 * (size_t)s->vertices, at, sizeof at);
    return s->vertices++;
}

void scene_face(region_scene *s, int32_t object, uint32_t u, uint32_t v, uint32_t w)
{
    const size_t n = s->primitives;
    const uint32_t corner[3] = {u, v, w};
    s->corner = grown(s->corner, 3 * (n + 1) * sizeof *s->corner);
    s->object = grown(s->object, (n + 1) * sizeof *s->object);
    memcpy(s->corner + 3 * n, corner, sizeof corner);
    s->object[n] = object;
    s->primitives++;
}

static void scene_square(region_scene *s, int32_t object, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t d)
{
    scene_face(s, object, a, b, c);
    scene_face(s, object, a, c, d);
}

void scene_box(region_scene *s, int32_t object, const double low[3], const double high[3])
{
    static const uint32_t side[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const uint32_t first = s->vertices;
    for (int i = 0; i < 8; i++)
        scene_vertex(s, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
                     i & 4 ? high[2] : low[2]);
    for (int i = 0; i < 6; i++)
        scene_square(s, object, first + side[i][0], first + side[i][1], first + side[i][2],
                     first + side[i][3]);
}

void scene_sheet(region_scene *s, int32_t object, uint32_t n, uint32_t m, const double at[3],
                 const double along[3], const double across[3])
{
    const uint32_t first = s->vertices;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= m; k++) {
            const double u = (double)i / n, v = (double)k / m;
            scene_vertex(s, at[0] + u * along[0] + v * across[0],
                         at[1] + u * along[1] + v * across[1],
                         at[2] + u * along[2] + v * across[2]);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            const uint32_t v = first + i * (m + 1) + k;
            scene_square(s, object, v, v + m + 1, v + m + 2, v + 1);
        }
}

void scene_torus(region_scene *s, int32_t object, uint32_t n, uint32_t m, double radius,
                 double tube)
{
    const uint32_t first = s->vertices;
    const double turn = 2 * acos(-1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            const double u = turn * i / n, v = turn * k / m, r = radius + tube * cos(v);
            scene_vertex(s, r * cos(u), r * sin(u), tube * sin(v));
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            const uint32_t j = (i + 1) % n * m, l = (k + 1) % m;
            scene_square(s, object, first + i * m + k, first + j + k, first + j + l,
                         first + i * m + l);
        }
}

static int region_scene_sink(void *user, const imp_contacts *c)
{
    region_scene *s = user;
    const size_t at = s->contacts.count, n = at + c->count;
    s->a = grown(s->a, n * sizeof *s->a);
    s->b = grown(s->b, n * sizeof *s->b);
    s->kind = grown(s->kind, n);
    s->end_features = grown(s->end_features, 4 * n);
    s->points = grown(s->points, 6 * n * sizeof *s->points);
    memcpy(s->a + at, c->a, c->count * sizeof *c->a);
    memcpy(s->b + at, c->b, c->count * sizeof *c->b);
    memcpy(s->kind + at, c->kind, c->count);
    memcpy(s->end_features + 4 * at, c->end_features, 4 * c->count);
    memcpy(s->points + 6 * at, c->points, 6 * c->count * sizeof *c->points);
    s->contacts.count = n;
    return 0;
}

static imp *scene_pipeline[3]; /* by enum imp_pairs */

void scenes_end(void)
{
    for (int i = 0; i < 3; i++)
        imp_destroy(scene_pipeline[i]);
}

static void scene_contacts_find(region_scene *s, int pairs)
{
    imp **p = &scene_pipeline[pairs];
    s->mesh = (imp_mesh){.vertices = s->vertices,
                         .primitives = s->primitives,
                         .corner = s->corner,
                         .object = s->object};
    s->frame = (imp_frame){.mesh = &s->mesh,
                           .point = s->single ? (const void *)s->single : s->point,
                           .type = s->single ? IMP_FLOAT32 : IMP_FLOAT64};
    s->contacts.count = 0;
    if (!*p)
        CU_ASSERT_FATAL(!imp_create(
            &(imp_def){.device = "cpu", .threads = 1, .end_features = 1, .pairs = pairs}, p));
    CU_ASSERT_FATAL(!imp_detect(*p, &s->frame, 1, region_scene_sink, s, NULL));
    s->contacts = (imp_contacts){.count = s->contacts.count,
                                 .a = s->a,
                                 .b = s->b,
                                 .kind = s->kind,
                                 .end_features = s->end_features,
                                 .points = s->points};
}

void scene_contacts(region_scene *s)
{
    scene_contacts_find(s, IMP_PAIRS_ALL);
}

/* The order of regions and faces, and where the faces of each are. */
static void scene_check_order(const imp_regions *r)
{
    size_t faces = 0;
    for (size_t i = 0; i < r->count; i++) {
        const imp_region *now = &r->region[i], *last = i ? now - 1 : now;
        CU_ASSERT(now->first == faces && now->faces > 0);
        faces += now->faces;
        for (size_t k = now->first + 1; k < faces; k++)
            CU_ASSERT(r->face[k - 1] < r->face[k]);
        if (i && now->object == last->object && now->other == last->other)
            CU_ASSERT(r->face[last->first] <= r->face[now->first]);
        if (i && now->object == last->object && now->other != last->other)
            CU_ASSERT(now->other > last->other);
        CU_ASSERT(now->object >= last->object);
    }
    CU_ASSERT(faces == r->faces);
    for (size_t i = 0; i < faces; i++)
        CU_ASSERT(r->share[i] >= 0 && r->share[i] <= 1);
}

void scene_contacts_of(region_scene *s, int pairs)
{
    scene_contacts_find(s, pairs);
    imp_regions_free(s->found);
    CU_ASSERT_FATAL(!imp_regions_find(&s->frame, &s->contacts, &s->found));
    scene_check_order(s->found);
}

void scene_regions(region_scene *s)
{
    scene_contacts_of(s, IMP_PAIRS_ALL);
}

void scene_free(region_scene *s)
{
    free(s->point);
    free(s->single);
    free(s->corner);
    free(s->object);
    free(s->a);
    free(s->b);
    free(s->kind);
    free(s->end_features);
    free(s->points);
    imp_regions_free(s->found);
    *s = (region_scene){0};
}

const imp_region *scene_region(const region_scene *s, int32_t object, int32_t other, int n)
{
    static const imp_region none;
    for (size_t i = 0; s->found && i < s->found->count; i++) {
        const imp_region *r = &s->found->region[i];
        if (r->object == object && r->other == other && n-- == 0)
            return r;
    }
    return &none;
}

const imp_parting *scene_parting(const region_scene *s, int32_t object, int32_t other)
{
    static const imp_parting none;
    for (size_t i = 0; s->found && i < s->found->partings; i++)
        if (s->found->parting[i].object == object && s->found->parting[i].other == other)
            return &s->found->parting[i];
    return &none;
}
