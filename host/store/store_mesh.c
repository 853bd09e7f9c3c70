/* Topology of a frame. Connectivity is local to its part; every cell must be a triangle or
 * a tetrahedron, and every index in range. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"

#include <string.h>

#define CELL_TRIANGLE 5
#define CELL_TETRAHEDRON 10

/* Frames have the same topology if they have the same rows of the file, or parts of the same counts
 * at the same rows. Contents are not compared. */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g)
{
    const batch_step *s = &b->step[f], *t = &b->step[g];
    if (f == g)
        return 1;
    if (s->parts != t->parts || s->cell0 != t->cell0 || s->id0 != t->id0 ||
        s->object0 != t->object0 || s->primitive0 != t->primitive0 || s->source0 != t->source0 ||
        s->ghost0 != t->ghost0)
        return 0;
    if (s->part0 == t->part0)
        return 1;
    size_t bytes = s->parts * sizeof(int64_t);
    return !memcmp(b->parts.points + s->part0, b->parts.points + t->part0, bytes) &&
           !memcmp(b->parts.cells + s->part0, b->parts.cells + t->part0, bytes) &&
           !memcmp(b->parts.ids + s->part0, b->parts.ids + t->part0, bytes);
}

/* Two arrays of a mesh, either of which may be missing. */
static int differ(const void *x, const void *y, size_t bytes)
{
    return !x != !y || (x && bytes && memcmp(x, y, bytes));
}

/* Bodies are those of the file, so their shapes are the same where vertices are. */
const char *batch_mesh_differs(const imp_mesh *x, const imp_mesh *y)
{
    if (x == y)
        return NULL;
    if (x->primitives != y->primitives)
        return "numbers of primitives";
    if (x->vertices != y->vertices)
        return "numbers of vertices";
    if (x->corners != y->corners || differ(x->corner_count, y->corner_count, x->primitives) ||
        differ(x->corner, y->corner, mesh_corner_count(x) * sizeof *x->corner))
        return "vertices of primitives";
    if (differ(x->object, y->object, x->primitives * sizeof *x->object))
        return "objects";
    return differ(x->id, y->id, x->primitives * sizeof *x->id) ? "names of primitives" : NULL;
}

/* A mesh is shared by the frames that have it, of several blocks, and freed with the last. */
void batch_mesh_release(batch_mesh *m)
{
    if (!m || --m->references)
        return;
    mem *from = m->mem;
    mem_free(from, m->corner);
    mem_free(from, m->corner_count);
    mem_free(from, m->object);
    mem_free(from, m->id);
    mem_free(from, m->source_id);
    mem_free(from, m->ids);
    mem_free(from, m->slab.number);
    mem_free(from, m->slab.vertex);
    mem_free(from, m->slab.carried);
    mem_free(from, m->body);
    mem_free(from, m->rest);
    bodies_free(from, &m->bodies);
    mem_free(from, m);
}

/* ---- types */

/* Offsets show that a Lagrange or Bezier cell has more points than the linear one. */
static int is_triangle(int64_t type)
{
    return batch_linear_type(type, IMP_TRIANGLES) == CELL_TRIANGLE;
}

static int is_tetrahedron(int64_t type)
{
    return batch_linear_type(type, IMP_TETRAHEDRA) == CELL_TETRAHEDRON;
}

/* Reports the first cell of another type, with the number in the file. type[primitives]: workspace.
 * The loop ends, since the caller has seen such a cell. Its type is read again as int64, because
 * HDF5 has clamped it to a byte. */
static int type_fail(batch *b, uint64_t frame, uint8_t *type)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t exactly = 0;
    uint64_t i = 0;
    TRY(h5_data_read(&b->in.types, s->cell0, s->primitives, H5T_NATIVE_UINT8, type));
    while (is_triangle(type[i]) || is_tetrahedron(type[i]))
        i++;
    TRY(h5_data_read(&b->in.types, s->cell0 + i, 1, H5T_NATIVE_INT64, &exactly));
    FAIL(
        IMP_ERR_INPUT,
        "%s: %s: cell %llu of frame %llu has type %lld; only triangles (5) and tetrahedra (10) are "
        "supported (impinge convert cuts polygons)",
        b->path, b->in.types.name, (unsigned long long)i, (unsigned long long)frame,
        (long long)exactly);
out:
    return err;
}

/* The number of corners of each cell, into m->corner_count, which is freed where all have the same.
 * HDF5 clamps what does not fit in a byte. PolyData's polygons have no types; offsets give their
 * size.
 */
int batch_types_read(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    uint8_t *corner_count, triangles = 0, solids = 0, others = 0; /* is there one? */
    m->mesh.corners = IMP_TRIANGLES;
    if (!b->unstructured)
        return IMP_OK;
    TRY(mem_alloc(b->mem, s->primitives, &m->corner_count));
    corner_count = m->corner_count;
    TRY(h5_data_read(&b->in.types, s->cell0, s->primitives, H5T_NATIVE_UINT8, corner_count));
    for (uint64_t i = 0; i < s->primitives; i++) {
        const uint8_t triangle = (uint8_t)is_triangle(corner_count[i]);
        const uint8_t solid = (uint8_t)is_tetrahedron(corner_count[i]);
        triangles |= triangle;
        solids |= solid;
        others |= !(triangle | solid);
        corner_count[i] = (uint8_t)(IMP_TRIANGLES + solid);
    }
    if (others)
        TRY(type_fail(b, frame, corner_count));
    if (solids)
        m->mesh.corners = IMP_TETRAHEDRA;
    if (!solids || !triangles) {
        mem_free(b->mem, m->corner_count);
        m->corner_count = NULL;
    }
    m->mesh.corner_count = m->corner_count;
out:
    return err;
}

/* ---- connectivity */

/* Is one of n ids below 0 or not below `points`? Then its sign bit is set, or that of the
 * difference. */
static int ids_outside(const int64_t *id, uint64_t n, int64_t points)
{
    uint64_t bad = 0;
    for (uint64_t i = 0; i < n; i++)
        bad |= (uint64_t)id[i] | ((uint64_t)points - 1 - (uint64_t)id[i]);
    return bad >> 63 != 0;
}

/* The first such of the ids in p->at, which begin with cell `cell` of the part. */
static int id_fail(const batch_part *p, uint64_t cell)
{
    const batch *b = p->b;
    int64_t points = b->parts.points[p->number];
    uint64_t i = 0, end = mesh_corners_of(&p->m->mesh, p->cells + cell);
    for (; p->at[i] >= 0 && p->at[i] < points; i++)
        if (i + 1 == end)
            end += mesh_corners_of(&p->m->mesh, p->cells + ++cell);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: %s: cell %llu of frame %llu has vertex %lld, its part has %lld", b->path,
                    b->in.connectivity.name, (unsigned long long)(p->cells + cell),
                    (unsigned long long)p->frame, (long long)p->at[i], (long long)points);
}

/* n cells of both kinds, which have `corner_count` corners each: of a triangle the last is
 * repeated. */
static void spread_corners(const int64_t *id, const uint8_t *corner_count, uint64_t n,
                           uint32_t verts, uint32_t *out)
{
    for (uint64_t i = 0; i < n; i++, out += IMP_TETRAHEDRA) {
        out[0] = verts + (uint32_t)id[0];
        out[1] = verts + (uint32_t)id[1];
        out[2] = verts + (uint32_t)id[2];
        out[3] = verts + (uint32_t)id[corner_count[i] - 1];
        id += corner_count[i];
    }
}

/* From the part's numbers to the frame's: n cells, whose ids are in p->at, from cell `cell` of the
 * part on. */
static void batch_mesh_read_corners(const batch_part *p, uint64_t cell, uint64_t n, uint32_t *out)
{
    const uint32_t corners = mesh_corners(&p->m->mesh), verts = (uint32_t)p->verts;
    if (p->m->corner_count)
        spread_corners(p->at, p->m->corner_count + p->cells + cell, n, verts, out);
    else
        for (uint64_t i = 0; i < corners * n; i++)
            out[i] = verts + (uint32_t)p->at[i];
}

/* No sum is needed where all cells have the same size. */
static uint64_t ids_of(const batch_mesh *m, uint64_t cell, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; m->corner_count && i < n; i++)
        sum += m->corner_count[cell + i];
    return m->corner_count ? sum : n * mesh_corners(&m->mesh);
}

int batch_corners_read(const batch_part *p, uint64_t cell, uint64_t n, uint64_t *id0, uint32_t *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t ids = ids_of(p->m, p->cells + cell, n);
    TRY(h5_data_read(&b->in.connectivity, *id0, ids, H5T_NATIVE_INT64, p->at));
    if (ids_outside(p->at, ids, b->parts.points[p->number]))
        TRY(id_fail(p, cell));
    batch_mesh_read_corners(p, cell, n, out);
    *id0 += ids;
out:
    return err;
}

static int read_corners(const batch_part *p, uint32_t *out)
{
    int err = IMP_OK;
    const uint32_t corners = mesh_corners(&p->m->mesh);
    const uint64_t cells = batch_part_cells(p), most = BATCH_CHUNK / corners;
    uint64_t id0 = p->id0;
    for (uint64_t done = 0; done < cells; done += most) {
        uint64_t n = cells - done < most ? cells - done : most;
        TRY(batch_corners_read(p, done, n, &id0, out + corners * done));
    }
out:
    return err;
}

/* Checked as it is read, cell by cell, so that the engine need not (imp_def.unchecked). */
static int read_topology(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    batch_part p = {.b = b, .frame = frame, .m = m, .number = s->part0, .id0 = s->id0};
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *p.at, &p.at));
    TRY(batch_types_read(b, frame, m));
    TRY(mem_alloc(b->mem, mesh_corner_count(&m->mesh) * sizeof *m->corner, &m->corner));
    m->mesh.corner = m->corner;
    for (; p.number < s->part0 + s->parts; p.number++) {
        TRY(batch_check_offsets(&p));
        TRY(read_corners(&p, m->corner + mesh_corners(&m->mesh) * p.cells));
        p.id0 += (uint64_t)b->parts.ids[p.number];
        p.verts += (uint64_t)b->parts.points[p.number];
        p.cells += batch_part_cells(&p);
    }
out:
    mem_free(b->mem, p.at);
    return err;
}

/* ---- meshes */

/* An int64 of each cell, if the file has it. */
static int batch_mesh_read_ids(batch *b, const h5_data *d, uint64_t row, batch_mesh *m,
                               int64_t **out)
{
    int err = IMP_OK;
    const uint64_t n = m->mesh.primitives;
    if (d->id < 0)
        return IMP_OK;
    TRY(mem_alloc(b->mem, n * sizeof **out, out));
    TRY(batch_int64_read(b, d, row, n, m->frame, 0, *out));
out:
    return err;
}

static int mesh_read(batch *b, uint64_t frame, batch_mesh **out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    batch_mesh *m = NULL;
    TRY(mem_alloc(b->mem, sizeof *m, &m));
    *m = (batch_mesh){.references = 1, .frame = frame, .mem = b->mem};
    /* both fit: batch_check_steps has refused larger frames */
    m->mesh.vertices = (uint32_t)s->vertices;
    m->mesh.primitives = (uint32_t)s->primitives;
    TRY(read_topology(b, frame, m));
    TRY(batch_mesh_read_ids(b, &b->in.primitive, s->primitive0, m, &m->id));
    TRY(batch_mesh_read_ids(b, &b->in.source, s->source0, m, &m->source_id));
    TRY(batch_mesh_read_objects(b, frame, m));
    TRY(batch_mesh_drop_ghosts(b, frame, m));
    m->mesh.id = m->id;
    if (m->id)
        TRY(batch_check_mesh_ids(b, m));
    TRY(batch_mesh_objects(b, m));
    TRY(batch_mesh_bodies(b, frame, m));
    *out = m;
    m = NULL;
out:
    batch_mesh_release(m);
    return err;
}

/* Their decoded chunks are not needed again; points are read for every frame. */
static void rest_arrays(batch *b)
{
    for (int i = 0; i < BATCH_DATA; i++)
        if (&b->in.all[i] != &b->in.points)
            h5_data_rest(&b->in.all[i]);
    h5_data_rest(&b->bodies.points);
}

int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out)
{
    int err = IMP_OK;
    *out = NULL;
    /* frames are read in order: one with the last topology gets it at no cost */
    if (!b->last || !batch_same_mesh(b, b->last->frame, frame)) {
        batch_mesh *m;
        TRY(mesh_read(b, frame, &m));
        batch_mesh_release(b->last);
        b->last = m;
        if (b->static_topology)
            rest_arrays(b);
    }
    b->last->references++;
    *out = b->last;
out:
    return err;
}
