/* See store_space.h: what slabs are made of: objects, the vertices that primitives use, their box
 * and a sample of them. */
#include "store_cut.h"

#include "error.h"
#include "frame.h"
#include "object_set.h"

#include <math.h>
#include <string.h>

/* ---- what primitives use */

/* Joins the vertices of each primitive. */
static int connect(const batch_pieces *p, uint32_t *parent)
{
    for (uint64_t i = 0; i < p->cells; i++)
        for (uint32_t k = 1; k < p->corners; k++) {
            uint32_t r = batch_root(parent, p->corner[p->corners * i]);
            parent[batch_root(parent, p->corner[p->corners * i + k])] = r;
        }
    return IMP_OK;
}

/* Components are numbered as their first primitives come, and each vertex gets its number. */
static int number_components(batch_pieces *p, uint32_t *parent, int32_t *number, uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    int32_t next = 0;
    for (uint32_t v = 0; v < verts; v++)
        number[v] = -1;
    for (uint64_t piece = 0; piece < p->count; piece++) {
        TRY(batch_pieces_read(p, piece));
        for (uint64_t i = 0; i < p->cells; i++) {
            uint32_t r = batch_root(parent, p->corner[p->corners * i]);
            if (number[r] < 0)
                number[r] = next++;
        }
    }
    for (uint32_t v = 0; v < verts; v++)
        number[v] = number[batch_root(parent, v)];
    *count = (uint64_t)next;
out:
    return err;
}

/* object: [vertices] */
static int partition_scan_components(batch_pieces *p, int32_t *object, uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    uint32_t *parent = NULL;
    TRY(mem_alloc(p->b->mem, verts * sizeof *parent, &parent));
    for (uint32_t v = 0; v < verts; v++)
        parent[v] = v;
    for (uint64_t piece = 0; piece < p->count; piece++) {
        TRY(batch_pieces_read(p, piece));
        TRY(connect(p, parent));
    }
    TRY(number_components(p, parent, object, count));
out:
    mem_free(p->b->mem, parent);
    return err;
}

/* Those of the cell array; without one all primitives are of object 0. */
static int partition_scan_list_objects(batch_pieces *p, object_set *set)
{
    int err = IMP_OK;
    static const int32_t none = 0;
    int32_t *object = NULL;
    if (!p->b->objects.name[0])
        return object_set_add(
            set, &none, p->b->step[p->frame].primitives > p->b->step[p->frame].primitive_ghosts);
    TRY(mem_alloc(p->b->mem, PIECE_CELLS * sizeof *object, &object));
    for (uint64_t piece = 0; piece < p->count; piece++) {
        TRY(batch_pieces_at(p, piece));
        TRY(batch_pieces_objects(p, object));
        TRY(object_set_add(set, object, p->cells));
    }
    object_set_end(set);
out:
    mem_free(p->b->mem, object);
    return err;
}

int space_find_objects(batch_space *s)
{
    int err = IMP_OK;
    batch *b = s->b;
    object_set set = {.mem = b->mem};
    if (b->objects.source == BATCH_CONNECTED) {
        TRY(mem_alloc(b->mem, s->cells.shape.mesh.vertices * sizeof *s->object, &s->object));
        TRY(partition_scan_components(&s->cells, s->object, &s->info.objects));
    } else {
        TRY(partition_scan_list_objects(&s->cells, &set));
        s->info.objects = set.count;
    }
out:
    mem_free(b->mem, set.id);
    return err;
}

int batch_space_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    batch_pieces p = {0};
    object_set set = {.mem = b->mem};
    int32_t *object = NULL;
    TRY(batch_pieces_open(b, frame, &p));
    if (b->objects.source == BATCH_CONNECTED) {
        TRY(mem_alloc(b->mem, p.shape.mesh.vertices * sizeof *object, &object));
        TRY(partition_scan_components(&p, object, count));
        for (int32_t i = 0; (uint64_t)i < *count; i++)
            TRY(object_set_add(&set, &i, 1));
    } else {
        TRY(partition_scan_list_objects(&p, &set));
    }
    mem_free(b->mem, b->objects.listed);
    b->objects.listed = set.id;
    *ids = set.id;
    *count = set.count;
    set.id = NULL;
out:
    mem_free(b->mem, object);
    mem_free(b->mem, set.id);
    batch_pieces_close(&p);
    return err;
}

/* Is a corner of the cell bad? Its first. */
static int bad_corner(const cutting *c, const uint32_t *corner, uint32_t corners)
{
    for (uint32_t k = 0; k < corners; k++)
        if (bit_of(c->bad, corner[k]))
            return (int)k;
    return -1;
}

/* As the pipeline names them. */
static int partition_scan_fail_bad(const cutting *c, uint64_t frame, uint64_t i, uint32_t vertex)
{
    int err = IMP_OK;
    batch *b = c->s->b;
    double x[3];
    TRY(h5_data_read(&b->in.points, b->step[frame].point0 + vertex, 1, H5T_NATIVE_DOUBLE, x));
    FAIL(IMP_ERR_INPUT,
         "%s: /VTKHDF/Points: frame %llu: vertex %u of %s %llu is not finite (%g %g %g); --on-bad "
         "skip leaves such triangles out",
         b->path, (unsigned long long)frame, vertex, mesh_kind_name(&c->s->cells.shape.mesh, i),
         (unsigned long long)i, x[0], x[1], x[2]);
out:
    return err;
}

/* Marks the vertices of all primitives that have no bad one. `frame`: a bad one is an error of this
 * frame. */
static int mark_used(cutting *c, const uint64_t *frame)
{
    int err = IMP_OK;
    batch_pieces *p = &c->s->cells;
    memset(c->used, 0, bit_words(p->shape.mesh.vertices) * sizeof *c->used);
    c->s->info.bad = 0;
    for (uint64_t piece = 0; piece < p->count; piece++) {
        TRY(batch_pieces_read(p, piece));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            const int bad = c->bad_vertices ? bad_corner(c, corner, p->corners) : -1;
            if (bad >= 0 && frame)
                TRY(partition_scan_fail_bad(c, *frame, batch_pieces_number(p, i), corner[bad]));
            c->s->info.bad += bad >= 0;
            for (uint32_t k = 0; k < p->corners && bad < 0; k++)
                bit_set(c->used, corner[k]);
        }
    }
out:
    return err;
}

/* ---- points */

int space_rows(cutting *c, uint64_t frame, uint64_t first, uint64_t n)
{
    const batch *b = c->s->b;
    return h5_data_read(&b->in.points, b->step[frame].point0 + first, n, H5T_NATIVE_DOUBLE,
                        c->rows);
}

static void take_sample(cutting *c, const double x[3], size_t most)
{
    if (c->next++ % c->stride || c->samples == most)
        return;
    for (int k = 0; k < 3; k++)
        c->sample[k][c->samples] = x[k];
    c->samples++;
}

/* A box of no points. */
static void box_empty(double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
}

static void box_join(double lo[3], double hi[3], const double from[3], const double to[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = from[k] < lo[k] ? from[k] : lo[k];
        hi[k] = to[k] > hi[k] ? to[k] : hi[k];
    }
}

/* Looks at the used vertices of an instant. */
static int look_at_points(cutting *c, uint64_t frame, size_t most)
{
    int err = IMP_OK;
    const uint64_t verts = c->s->cells.shape.mesh.vertices;
    double lo[3], hi[3];
    box_empty(lo, hi);
    c->next = 0;
    for (uint64_t first = 0, n; first < verts; first += n) {
        n = verts - first < SPACE_ROWS ? verts - first : SPACE_ROWS;
        TRY(space_rows(c, frame, first, n));
        for (uint64_t i = 0; i < n; i++) {
            const double *x = c->rows + 3 * i;
            if (!bit_of(c->used, first + i))
                continue;
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
                bit_set(c->bad, first + i);
                c->bad_vertices++;
                continue;
            }
            box_join(lo, hi, x, x);
            take_sample(c, x, most);
        }
    }
    box_join(c->lo, c->hi, lo, hi);
    for (int k = 0; k < 3 && lo[k] <= hi[k]; k++)
        c->half = fmax(c->half, 0.5 * hi[k] - 0.5 * lo[k]);
out:
    return err;
}

static void forget_points(cutting *c)
{
    box_empty(c->lo, c->hi);
    c->samples = 0;
    c->half = 0;
}

/* Looks at some instants, at the primitives that are finite in all of these. */
static int partition_scan_instants(cutting *c, int first, int end)
{
    int err = IMP_OK;
    const int strict = !c->s->def.skip_bad;
    memset(c->bad, 0, bit_words(c->s->cells.shape.mesh.vertices) * sizeof *c->bad);
    c->bad_vertices = 0;
    for (int again = 0; again <= (c->bad_vertices > 0); again++) {
        forget_points(c);
        TRY(mark_used(c, NULL));
        for (int i = first; i < end; i++) {
            const uint64_t frame = cutting_instant(c, i);
            TRY(look_at_points(c, frame, SPACE_SAMPLE * (size_t)(i + 1)));
            if (c->bad_vertices && strict)
                TRY(mark_used(c, &frame));
        }
    }
out:
    return err;
}

/* The default tolerance is that of either instant by itself, as it is of a frame in memory: a
 * primitive that is finite in one only counts there. */
int space_look(cutting *c)
{
    int err = IMP_OK;
    const int instants = cutting_instants(c);
    double half = 0;
    TRY(partition_scan_instants(c, 0, instants));
    if (!c->bad_vertices || !c->s->bodies.row)
        goto out;
    for (int i = 0; i < instants; i++) {
        TRY(partition_scan_instants(c, i, i + 1));
        half = fmax(half, c->half);
    }
    TRY(partition_scan_instants(c, 0, instants));
    c->half = half;
out:
    return err;
}
