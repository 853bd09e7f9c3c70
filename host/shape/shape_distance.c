/* How far two shapes are from each other: see shape.h. */
#include "error.h"
#include "shape_convex.h"
#include "shape_query.h"
#include "shape_vec.h"

/* What the caller's array means. */
enum { KNOWN_NOTHING, KNOWN_CELLS, KNOWN_FEATURES };

static int64_t feature_of(const shape *s, uint32_t cell, int part)
{
    if (part >= PART_FACE)
        return -1;
    if (part >= PART_EDGE)
        return part - PART_EDGE;
    return s->same[s->corner[3 * (size_t)cell + (size_t)part]];
}

static uint8_t kind_of(int part)
{
    return part >= PART_FACE ? SHAPE_FACE : part >= PART_EDGE ? SHAPE_EDGE : SHAPE_VERTEX;
}

/* Units times margins may round down: the factor is for that. A distance within the margin is none.
 */
static void put_distance(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    const double distance = sqrt(f->touch.square), least = fmin(fmax(f->least, 0), distance);
    const int none = f->meet || distance <= q->margin;
    out->distance = none ? 0 : distance * q->unit;
    out->error = (none ? distance + q->margin : distance - least + q->margin) * q->unit;
    out->error = out->error * (1 + 0x1p-50) + DBL_TRUE_MIN;
}

static void put(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    put_distance(q, f, out);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++)
            out->point[side][k] = f->touch.x[side][k] * q->unit + q->origin[k];
        out->cell[side] = f->cell[side];
        out->kind[side] = kind_of(f->touch.part[side]);
        out->feature[side] = feature_of(q->s[side], f->cell[side], f->touch.part[side]);
    }
    out->steps = f->steps;
}

static int known_cells(const shape *a, const shape *b, const shape_pair *kept)
{
    return kept->known == KNOWN_CELLS && kept->near[0] < a->triangles &&
           kept->near[1] < b->triangles;
}

static void find(const shape_query *q, shape_pair *kept, shape_found *out)
{
    uint32_t cell[2] = {0, 0};
    if (known_cells(q->s[0], q->s[1], kept)) {
        cell[0] = kept->near[0];
        cell[1] = kept->near[1];
    }
    shape_search(q, cell, out);
    *kept = (shape_pair){{out->cell[0], out->cell[1]}, KNOWN_CELLS};
}

void shape_distance(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                    shape_pair *kept, shape_nearest *out)
{
    shape_query q;
    shape_found f;
    shape_query_make(a, pa, b, pb, &q);
    find(&q, kept, &f);
    if (a->hull && b->hull && sqrt(f.touch.square) > q.margin)
        f.meet = shape_inside(&q, 0, 0) || shape_inside(&q, 1, 0);
    put(&q, &f, out);
}
