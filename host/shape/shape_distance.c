/* How far two shapes are from each other: see shape.h. */
#include "error.h"
#include "shape_convex.h"
#include "shape_query.h"
#include "vec3.h"

static int64_t feature_of(const shape *s, uint32_t cell, int part)
{
    if (part >= PART_FACE)
        return -1;
    if (part >= PART_EDGE)
        return part - PART_EDGE;
    return s->same[s->corner[3 * (size_t)cell + (size_t)part]];
}

static uint8_t shape_distance_kind(int part)
{
    return part >= PART_FACE ? SHAPE_FACE : part >= PART_EDGE ? SHAPE_EDGE : SHAPE_VERTEX;
}

/* Units times margins may round down: the factor is for that. A distance within the margin is none.
 */
static void put_distance(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    const double distance = sqrt(f->touch.square), least = fmin(fmax(f->least, 0), distance);
    const int none = f->intersect || distance <= q->margin;
    out->distance = none ? 0 : distance * q->unit;
    out->error = (none ? distance + q->margin : distance - least + q->margin) * q->unit;
    out->error = out->error * (1 + 0x1p-50) + DBL_TRUE_MIN;
}

/* Of shapes that are not convex it is a direction only: that of the line between the points. */
static void put_direction(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    vec_copy(f->direction, out->direction);
    if (!q->s[0]->hull || !q->s[1]->hull) {
        vec_sub(f->touch.x[1], f->touch.x[0], out->direction);
        vec_unit(out->direction);
    }
    for (int k = 0; k < 3; k++)
        out->direction[k] = out->distance > 0 ? out->direction[k] : 0;
}

static void shape_distance_store(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    put_distance(q, f, out);
    put_direction(q, f, out);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++)
            out->point[side][k] = f->touch.x[side][k] * q->unit + q->origin[k];
        out->cell[side] = f->cell[side];
        out->kind[side] = shape_distance_kind(f->touch.part[side]);
        out->feature[side] = feature_of(q->s[side], f->cell[side], f->touch.part[side]);
    }
    out->steps = f->steps;
    out->searched = f->searched;
}

/* Features in one number: vertices, then edges, then faces. */
static uint32_t shape_distance_feature_code(const shape_hull *h, hull_feature f)
{
    return f.at + (f.kind == SHAPE_VERTEX ? 0 : h->vertices) +
           (f.kind == SHAPE_FACE ? h->edges : 0);
}

static hull_feature coded(const shape_hull *h, uint32_t code)
{
    if (code < h->vertices)
        return (hull_feature){SHAPE_VERTEX, code};
    code -= h->vertices;
    return code < h->edges ? (hull_feature){SHAPE_EDGE, code}
                           : (hull_feature){SHAPE_FACE, code - h->edges};
}

/* Where the walk begins: where it ended, or with triangles that are near. */
static void shape_distance_begin(const shape_query *q, const shape_pair *cache, hull_feature f[2],
                                 uint64_t *steps)
{
    uint32_t cell[2];
    if (!cache->known)
        shape_search_start(q, cell, steps);
    for (int side = 0; side < 2; side++) {
        const shape_hull *h = q->s[side]->hull;
        f[side] = (hull_feature){SHAPE_VERTEX, 0};
        if (!cache->known && h->face_of[cell[side]] != SHAPE_NONE)
            f[side].at = h->edge[h->side[h->side0[h->face_of[cell[side]]]]].vertex[0];
        else if (cache->known && cache->near[side] < h->vertices + h->edges + h->faces)
            f[side] = coded(h, cache->near[side]);
    }
}

static void shape_distance_convex(const shape_query *q, shape_pair *cache, shape_found *out)
{
    hull_feature f[2];
    uint64_t steps = 0;
    shape_distance_begin(q, cache, f, &steps);
    shape_convex(q, f, out);
    out->steps += steps;
    for (int side = 0; side < 2; side++)
        cache->near[side] = shape_distance_feature_code(q->s[side]->hull, f[side]);
}

static void find_others(const shape_query *q, shape_pair *cache, shape_found *out)
{
    uint32_t cell[2];
    uint64_t steps = 0;
    if (!cache->known)
        shape_search_start(q, cell, &steps);
    for (int side = 0; side < 2 && cache->known; side++)
        cell[side] = cache->near[side] < q->s[side]->triangles ? cache->near[side] : 0;
    shape_search(q, cell, out);
    out->steps += steps;
    memcpy(cache->near, out->cell, sizeof cache->near);
}

void shape_distance(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                    shape_pair *cache, shape_nearest *out)
{
    shape_query q;
    shape_found f;
    shape_query_make(a, pa, b, pb, &q);
    if (a->hull && b->hull)
        shape_distance_convex(&q, cache, &f);
    else
        find_others(&q, cache, &f);
    cache->known = 1;
    shape_distance_store(&q, &f, out);
}
