/* Room 1: topology of a frame. Connectivity is local to its part; every cell must be a triangle and
 * every index in range. */
#include "store_batch.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

#define CELL_TRIANGLE 5

/* Frames of one topology say so by their numbers alone: the same rows of the file, or parts of the
 * same counts at the same rows. Their contents are not compared. */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g)
{
    const batch_step *s = &b->step[f], *t = &b->step[g];
    if (f == g)
        return 1;
    if (s->parts != t->parts || s->cell0 != t->cell0 || s->id0 != t->id0 ||
        s->object0 != t->object0 || s->primitive0 != t->primitive0)
        return 0;
    if (s->part0 == t->part0)
        return 1;
    size_t bytes = s->parts * sizeof(int64_t);
    return !memcmp(b->part_points + s->part0, b->part_points + t->part0, bytes) &&
           !memcmp(b->part_cells + s->part0, b->part_cells + t->part0, bytes) &&
           !memcmp(b->part_ids + s->part0, b->part_ids + t->part0, bytes);
}

/* A mesh is shared by the frames that have it, of several blocks, and goes with the last. */
void batch_mesh_put(batch_mesh *m)
{
    if (!m || --m->references)
        return;
    mem *from = m->mem;
    mem_free(from, m->triangle);
    mem_free(from, m->object);
    mem_free(from, m->ids);
    mem_free(from, m);
}

/* ---- connectivity */

/* Each part has one offset more than cells. How many parts stand before cell `cell0` of the file is
 * not stored: VTK counts parts until their cells reach it. Parts without cells, as an empty frame
 * is, may or may not have left an offset there: so all places are tried, and the one whose ends
 * fit is taken. */
static int offsets_fit(const batch *b, uint64_t at, uint64_t part)
{
    uint64_t cells = (uint64_t)b->part_cells[part];
    int64_t first[2] = {0, 3}, last = 0;
    if (cells + 1 > b->offsets.rows || at > b->offsets.rows - cells - 1)
        return 0;
    return !h5_data_read(&b->offsets, at, 2, H5T_NATIVE_INT64, first) &&
           !h5_data_read(&b->offsets, at + cells, 1, H5T_NATIVE_INT64, &last) && first[0] == 0 &&
           (b->any || first[1] == 3) && last == b->part_ids[part];
}

uint64_t batch_offsets_place(const batch *b, uint64_t frame, uint64_t part, uint64_t before)
{
    const batch_step *s = &b->step[frame];
    uint64_t sum = 0, parts = 0, empty = 0, cell = s->cell0 + before;
    for (uint64_t p = 0; p < part; p++) {
        uint64_t cells = (uint64_t)b->part_cells[p];
        int counts = p >= s->part0 || sum < s->cell0;
        empty += cells == 0;
        parts += counts || cells == 0;
        sum += cells;
    }
    if (b->unstructured && offsets_fit(b, cell + part, part))
        return cell + part;
    for (uint64_t i = 0; i <= empty; i++)
        if (offsets_fit(b, cell + parts - i, part))
            return cell + parts - i;
    return cell + parts;
}

/* Of virtual ones reading tells it. */
int batch_offsets_stored(const batch *b, uint64_t first, uint64_t rows)
{
    if (b->offsets.behind || first + rows <= b->offsets_written)
        return IMP_OK;
    return h5_fail(IMP_ERR_INPUT, b->path, b->offsets.name, H5_NEVER_WRITTEN,
                   (unsigned long long)b->offsets_written);
}

/* Datasets are read in pieces, so that checking needs no second copy of a mesh. */
#define PIECE 65536

/* What is wrong tells what the file is: another step than 3 is a cell that is no triangle. */
static int offset_fail(const batch *b, uint64_t frame, uint64_t part, uint64_t i, int64_t got)
{
    int64_t want = 3 * (int64_t)i;
    unsigned long long cell = i ? i - 1 : 0, p = part - b->step[frame].part0;
    if (!i || got < want - 3)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: %s: not ascending from 0 at cell %llu of part %llu, "
                        "frame %llu",
                        b->path, b->offsets.name, cell, p, (unsigned long long)frame);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: %s: cell %llu of part %llu, frame %llu, has %lld vertices; only triangles "
                    "are supported",
                    b->path, b->offsets.name, cell, p, (unsigned long long)frame,
                    (long long)(got - want + 3));
}

/* Offsets of a part's cells must be 0, 3, 6, ...; a part without cells needs none. */
static int check_offsets(batch *b, int64_t *at, uint64_t frame, uint64_t part, uint64_t before)
{
    int err = IMP_OK;
    uint64_t cells = (uint64_t)b->part_cells[part];
    uint64_t first = cells ? batch_offsets_place(b, frame, part, before) : 0;
    TRY(batch_offsets_stored(b, first, cells + (cells > 0)));
    for (uint64_t done = 0; cells && done <= cells; done += PIECE) {
        uint64_t n = cells + 1 - done < PIECE ? cells + 1 - done : PIECE;
        TRY(h5_data_read(&b->offsets, first + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++)
            if (at[i] != 3 * (int64_t)(done + i))
                TRY(offset_fail(b, frame, part, done + i, at[i]));
    }
    if (b->part_ids[part] != 3 * b->part_cells[part])
        FAIL(IMP_ERR_INPUT, "%s: %s: part %llu has %lld ids for %lld triangles", b->path,
             b->connectivity.name, (unsigned long long)part, (long long)b->part_ids[part],
             (long long)b->part_cells[part]);
out:
    return err;
}

/* Of an UnstructuredGrid only: PolyData's polygons have no types, offsets tell their size. */
static int check_types(batch *b, int64_t *at, uint64_t frame, uint64_t first, uint64_t cells)
{
    int err = IMP_OK;
    for (uint64_t done = 0; b->unstructured && done < cells; done += PIECE) {
        uint64_t n = cells - done < PIECE ? cells - done : PIECE;
        TRY(h5_data_read(&b->types, first + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++)
            if (at[i] != CELL_TRIANGLE)
                FAIL(IMP_ERR_INPUT,
                     "%s: %s: cell %llu of frame %llu has type %lld; only triangles (5) are "
                     "supported",
                     b->path, b->types.name, (unsigned long long)(done + i),
                     (unsigned long long)frame, (long long)at[i]);
    }
out:
    return err;
}

/* What a part of a frame begins at, in the file and in the mesh being read. */
typedef struct part_place {
    uint64_t part;  /* number in the file */
    uint64_t id0;   /* first connectivity id in the file */
    uint64_t verts; /* vertices of the frame's parts before it */
    uint64_t cells; /* and cells */
} part_place;

static int read_triangles(batch *b, int64_t *at, uint64_t frame, const part_place *p, uint32_t *out)
{
    int err = IMP_OK;
    uint64_t ids = 3 * (uint64_t)b->part_cells[p->part];
    int64_t points = b->part_points[p->part];
    for (uint64_t done = 0; done < ids; done += PIECE) {
        uint64_t n = ids - done < PIECE ? ids - done : PIECE;
        TRY(h5_data_read(&b->connectivity, p->id0 + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++) {
            if (at[i] < 0 || at[i] >= points)
                FAIL(IMP_ERR_INPUT,
                     "%s: %s: cell %llu of frame %llu has vertex %lld, its part has %lld", b->path,
                     b->connectivity.name, (unsigned long long)(p->cells + (done + i) / 3),
                     (unsigned long long)frame, (long long)at[i], (long long)points);
            /* from the part's numbers to the frame's */
            out[done + i] = (uint32_t)(p->verts + (uint64_t)at[i]);
        }
    }
out:
    return err;
}

/* Checked as it is read, cell by cell, so that nobody after this asks again (imp_def.unchecked). */
static int read_topology(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *at = NULL;
    part_place p = {.part = s->part0, .id0 = s->id0};
    TRY(mem_alloc(b->mem, PIECE * sizeof *at, &at));
    TRY(mem_alloc(b->mem, 3 * s->triangles * sizeof *m->triangle, &m->triangle));
    TRY(check_types(b, at, frame, s->cell0, s->triangles));
    for (; p.part < s->part0 + s->parts; p.part++) {
        TRY(check_offsets(b, at, frame, p.part, p.cells));
        TRY(read_triangles(b, at, frame, &p, m->triangle + 3 * p.cells));
        p.id0 += (uint64_t)b->part_ids[p.part];
        p.verts += (uint64_t)b->part_points[p.part];
        p.cells += (uint64_t)b->part_cells[p.part];
    }
out:
    mem_free(b->mem, at);
    return err;
}

/* ---- objects */

static int read_objects(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *at = NULL;
    TRY(mem_alloc(b->mem, PIECE * sizeof *at, &at));
    TRY(mem_alloc(b->mem, s->triangles * sizeof *m->object, &m->object));
    for (uint64_t done = 0; done < s->triangles; done += PIECE) {
        uint64_t n = s->triangles - done < PIECE ? s->triangles - done : PIECE;
        TRY(h5_data_read(&b->object, s->object0 + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++) {
            if (at[i] < INT32_MIN || at[i] > INT32_MAX)
                FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %lld, outside int32",
                     b->path, b->object.name, (unsigned long long)(done + i),
                     (unsigned long long)frame, (long long)at[i]);
            m->object[done + i] = (int32_t)at[i];
        }
    }
out:
    mem_free(b->mem, at);
    return err;
}

/* Halves the way to the root each time: as good as flat after a few. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Bodies are the components connected by shared vertices, numbered as their first triangles come.
 */
static int connect_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    uint32_t n = m->mesh.vertices, bodies = 0;
    uint32_t *parent = NULL;
    int32_t *number = NULL;
    TRY(mem_alloc(b->mem, n * sizeof *parent, &parent));
    TRY(mem_alloc(b->mem, n * sizeof *number, &number));
    TRY(mem_alloc(b->mem, m->mesh.primitives * sizeof *m->object, &m->object));
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = v;
        number[v] = -1;
    }
    for (size_t i = 0; i < m->mesh.primitives; i++)
        for (int c = 1; c < 3; c++) {
            uint32_t r = root_of(parent, m->triangle[3 * i]);
            parent[root_of(parent, m->triangle[3 * i + (size_t)c])] = r;
        }
    for (size_t i = 0; i < m->mesh.primitives; i++) {
        uint32_t r = root_of(parent, m->triangle[3 * i]);
        if (number[r] < 0)
            number[r] = (int32_t)bodies++;
        m->object[i] = number[r];
    }
out:
    mem_free(b->mem, parent);
    mem_free(b->mem, number);
    return err;
}

static int int32_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The different numbers; neighbours mostly have the same, so few are left to sort. */
static int list_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    int32_t *seen = NULL;
    size_t n = m->mesh.primitives, kept = 0;
    TRY(mem_alloc(b->mem, (m->object ? n : 1) * sizeof *seen, &seen));
    for (size_t i = 0; m->object && i < n; i++)
        if (i == 0 || m->object[i] != m->object[i - 1])
            seen[kept++] = m->object[i];
    if (!m->object && n)
        seen[kept++] = 0;
    if (kept)
        qsort(seen, kept, sizeof *seen, int32_compare);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || seen[i] != seen[i - 1])
            seen[m->objects++] = seen[i];
    /* gives back what was for the others */
    TRY(mem_grow(b->mem, m->objects * sizeof *seen, m->objects * sizeof *seen, &seen));
    m->ids = seen;
    seen = NULL;
out:
    mem_free(b->mem, seen);
    return err;
}

/* ---- names of primitives */

typedef struct named {
    int64_t id;
    uint64_t cell;
} named;

static int named_compare(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* PrimitiveId must name each primitive of a frame once. */
static int check_names(batch *b, uint64_t frame)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *id = NULL;
    named *all = NULL;
    TRY(mem_alloc(b->mem, s->triangles * sizeof *id, &id));
    TRY(mem_alloc(b->mem, s->triangles * sizeof *all, &all));
    TRY(h5_data_read(&b->primitive, s->primitive0, s->triangles, H5T_NATIVE_INT64, id));
    for (uint64_t i = 0; i < s->triangles; i++)
        all[i] = (named){id[i], i};
    qsort(all, s->triangles, sizeof *all, named_compare);
    for (uint64_t i = 1; i < s->triangles; i++)
        if (all[i].id == all[i - 1].id)
            FAIL(IMP_ERR_INPUT, "%s: %s: cells %llu and %llu of frame %llu are both named %lld",
                 b->path, b->primitive.name, (unsigned long long)all[i - 1].cell,
                 (unsigned long long)all[i].cell, (unsigned long long)frame, (long long)all[i].id);
out:
    mem_free(b->mem, id);
    mem_free(b->mem, all);
    return err;
}

/* ---- meshes */

static int mesh_read(batch *b, uint64_t frame, batch_mesh **out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    batch_mesh *m = NULL;
    TRY(mem_alloc(b->mem, sizeof *m, &m));
    *m = (batch_mesh){.references = 1, .frame = frame, .mem = b->mem};
    m->mesh.vertices = (uint32_t)s->vertices;
    m->mesh.primitives = (uint32_t)s->triangles;
    TRY(read_topology(b, frame, m));
    if (b->has_primitive)
        TRY(check_names(b, frame));
    if (b->objects == BATCH_CONNECTED)
        TRY(connect_objects(b, m));
    else if (b->object_array[0])
        TRY(read_objects(b, frame, m));
    TRY(list_objects(b, m));
    m->mesh.corner = m->triangle;
    m->mesh.object = m->object;
    *out = m;
    m = NULL;
out:
    batch_mesh_put(m);
    return err;
}

int batch_frame_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    batch_mesh *m;
    TRY(batch_mesh_get(b, frame, &m));
    *ids = m->ids;
    *count = m->objects;
    batch_mesh_put(m); /* the batch itself keeps it until the next one */
out:
    return err;
}

int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out)
{
    int err = IMP_OK;
    *out = NULL;
    /* frames are asked for in order: whoever has the last one's topology has it at no cost */
    if (!b->last || !batch_same_mesh(b, b->last->frame, frame)) {
        batch_mesh *m;
        TRY(mesh_read(b, frame, &m));
        batch_mesh_put(b->last);
        b->last = m;
    }
    b->last->references++;
    *out = b->last;
out:
    return err;
}
