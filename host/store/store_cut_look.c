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
static int partition_scan_connect(const cell_chunks *p, uint32_t *parent)
{
    for (uint64_t i = 0; i < p->cells; i++)
        for (uint32_t k = 1; k < p->corners; k++) {
            uint32_t r = batch_component_root(parent, p->corner[p->corners * i]);
            parent[batch_component_root(parent, p->corner[p->corners * i + k])] = r;
        }
    return IMP_OK;
}

/* Components are numbered as their first primitives come, and each vertex gets its number. */
static int partition_scan_number_components(cell_chunks *p, uint32_t *parent, int32_t *number,
                                            uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    int32_t next = 0;
    for (uint32_t v = 0; v < verts; v++)
        number[v] = -1;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            uint32_t r = batch_component_root(parent, p->corner[p->corners * i]);
            if (number[r] < 0)
                number[r] = next++;
        }
    }
    for (uint32_t v = 0; v < verts; v++)
        number[v] = number[batch_component_root(parent, v)];
    *count = (uint64_t)next;
out:
    return err;
}

/* object: [vertices] */
static int partition_scan_components(cell_chunks *p, int32_t *object, uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    uint32_t *parent = NULL;
    TRY(mem_alloc(p->b->mem, verts * sizeof *parent, &parent));
    for (uint32_t v = 0; v < verts; v++)
        parent[v] = v;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        TRY(partition_scan_connect(p, parent));
    }
    TRY(partition_scan_number_components(p, parent, object, count));
out:
    mem_free(p->b->mem, parent);
    return err;
}

/* Those of the cell array; without one all primitives are of object 0. */
static int partition_scan_list_objects(cell_chunks *p, object_set *set)
{
    int err = IMP_OK;
    static const int32_t none = 0;
    int32_t *object = NULL;
    if (!p->b->objects.name[0])
        return object_set_add(
            set, &none, p->b->step[p->frame].primitives > p->b->step[p->frame].primitive_ghosts);
    TRY(mem_alloc(p->b->mem, CHUNK_CELLS * sizeof *object, &object));
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_seek(p, chunk));
        TRY(cell_chunks_objects(p, object));
        TRY(object_set_add(set, object, p->cells));
    }
    object_set_end(set);
out:
    mem_free(p->b->mem, object);
    return err;
}

int partition_find_objects(batch_partition *s)
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

int batch_partition_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    cell_chunks p = {0};
    object_set set = {.mem = b->mem};
    int32_t *object = NULL;
    TRY(cell_chunks_open(b, frame, &p));
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
    cell_chunks_close(&p);
    return err;
}

/* Is a corner of the cell bad? Its first. */
static int partition_scan_bad_corner(const partition_build *c, const uint32_t *corner,
                                     uint32_t corners)
{
    for (uint32_t k = 0; k < corners; k++)
        if (bit_of(c->bad, corner[k]))
            return (int)k;
    return -1;
}

/* As the pipeline names them. */
static int partition_scan_fail_bad(const partition_build *c, uint64_t frame, uint64_t i,
                                   uint32_t vertex)
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
static int partition_scan_mark_used(partition_build *c, const uint64_t *frame)
{
    int err = IMP_OK;
    cell_chunks *p = &c->s->cells;
    memset(c->used, 0, bit_words(p->shape.mesh.vertices) * sizeof *c->used);
    c->s->info.bad = 0;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            const int bad = c->bad_vertices ? partition_scan_bad_corner(c, corner, p->corners) : -1;
            if (bad >= 0 && frame)
                TRY(partition_scan_fail_bad(c, *frame, cell_chunks_number(p, i), corner[bad]));
            c->s->info.bad += bad >= 0;
            for (uint32_t k = 0; k < p->corners && bad < 0; k++)
                bit_set(c->used, corner[k]);
        }
    }
out:
    return err;
}

/* ---- points */

int partition_read_vertices(partition_build *c, uint64_t frame, uint64_t first, uint64_t n)
{
    const batch *b = c->s->b;
    return h5_data_read(&b->in.points, b->step[frame].point0 + first, n, H5T_NATIVE_DOUBLE,
                        c->rows);
}

static void partition_scan_add_sample(partition_build *c, const double x[3], size_t most)
{
    if (c->next++ % c->stride || c->samples == most)
        return;
    for (int k = 0; k < 3; k++)
        c->sample[k][c->samples] = x[k];
    c->samples++;
}

/* A box of no points. */
static void partition_scan_box_empty(double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
}

static void partition_scan_box_join(double lo[3], double hi[3], const double from[3],
                                    const double to[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = from[k] < lo[k] ? from[k] : lo[k];
        hi[k] = to[k] > hi[k] ? to[k] : hi[k];
    }
}

/* Looks at the used vertices of an instant. */
static int partition_scan_points(partition_build *c, uint64_t frame, size_t most)
{
    int err = IMP_OK;
    const uint64_t verts = c->s->cells.shape.mesh.vertices;
    double lo[3], hi[3];
    partition_scan_box_empty(lo, hi);
    c->next = 0;
    for (uint64_t first = 0, n; first < verts; first += n) {
        n = verts - first < PARTITION_ROWS ? verts - first : PARTITION_ROWS;
        TRY(partition_read_vertices(c, frame, first, n));
        for (uint64_t i = 0; i < n; i++) {
            const double *x = c->rows + 3 * i;
            if (!bit_of(c->used, first + i))
                continue;
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
                bit_set(c->bad, first + i);
                c->bad_vertices++;
                continue;
            }
            partition_scan_box_join(lo, hi, x, x);
            partition_scan_add_sample(c, x, most);
        }
    }
    partition_scan_box_join(c->lo, c->hi, lo, hi);
    for (int k = 0; k < 3 && lo[k] <= hi[k]; k++)
        c->half = fmax(c->half, 0.5 * hi[k] - 0.5 * lo[k]);
out:
    return err;
}

static void partition_scan_reset(partition_build *c)
{
    partition_scan_box_empty(c->lo, c->hi);
    c->samples = 0;
    c->half = 0;
}

/* Looks at some instants, at the primitives that are finite in all of these. */
static int partition_scan_instants(partition_build *c, int first, int end)
{
    int err = IMP_OK;
    const int strict = !c->s->def.skip_bad;
    memset(c->bad, 0, bit_words(c->s->cells.shape.mesh.vertices) * sizeof *c->bad);
    c->bad_vertices = 0;
    for (int again = 0; again <= (c->bad_vertices > 0); again++) {
        partition_scan_reset(c);
        TRY(partition_scan_mark_used(c, NULL));
        for (int i = first; i < end; i++) {
            const uint64_t frame = partition_instant(c, i);
            TRY(partition_scan_points(c, frame, PARTITION_SAMPLE * (size_t)(i + 1)));
            if (c->bad_vertices && strict)
                TRY(partition_scan_mark_used(c, &frame));
        }
    }
out:
    return err;
}

/* The default tolerance is that of either instant by itself, as it is of a frame in memory: a
 * primitive that is finite in one only counts there. */
int partition_scan(partition_build *c)
{
    int err = IMP_OK;
    const int instants = partition_instants(c);
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
