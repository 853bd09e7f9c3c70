/* The topology of a frame. Connectivity is local to its part; every cell must be a triangle or a
 * tetrahedron, and every index in range. */
#include "batch.h"
#include "error.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#define CELL_TRIANGLE 5
#define CELL_TETRAHEDRON 10

/* Returns whether frames have the same topology: the same rows of the file, or parts of the same
 * counts at the same rows. Contents are not compared. */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g)
{
    const batch_step *s = &b->step[f], *t = &b->step[g];
    if (f == g)
        return 1;
    if (s->parts != t->parts || s->cell0 != t->cell0 || s->id0 != t->id0 ||
        s->object0 != t->object0 || s->primitive0 != t->primitive0 || s->source0 != t->source0 ||
        s->ghost0 != t->ghost0 ||
        (b->thickness.row0 && b->thickness.row0[f] != b->thickness.row0[g]))
        return 0;
    if (s->part0 == t->part0)
        return 1;
    size_t bytes = s->parts * sizeof(int64_t);
    return !memcmp(b->parts.points + s->part0, b->parts.points + t->part0, bytes) &&
           !memcmp(b->parts.cells + s->part0, b->parts.cells + t->part0, bytes) &&
           !memcmp(b->parts.ids + s->part0, b->parts.ids + t->part0, bytes);
}

/* Compares two arrays of a mesh, either of which may be absent. */
static int differ(const void *x, const void *y, size_t bytes)
{
    return !x != !y || (x && bytes && memcmp(x, y, bytes));
}

/* Bodies are those of the file, so their shapes are equal if the vertices are. */
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

/* A mesh is shared by its frames, also in several blocks, and freed with the last one. */
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
    mem_free(from, m->thickness);
    mem_free(from, m->ids);
    mem_free(from, m->slab.number);
    mem_free(from, m->slab.vertex);
    mem_free(from, m->slab.carried);
    mem_free(from, m->slab.vertex_at);
    mem_free(from, m->body);
    mem_free(from, m->rest);
    bodies_free(from, &m->bodies);
    mem_free(from, m);
}

/* ---- types */

/* Offsets show whether a Lagrange or Bezier cell has more points than the linear one. */
static int is_triangle(int64_t type)
{
    return batch_linear_type(type, IMP_TRIANGLES) == CELL_TRIANGLE;
}

static int is_tetrahedron(int64_t type)
{
    return batch_linear_type(type, IMP_TETRAHEDRA) == CELL_TETRAHEDRON;
}

/* Reports the first cell of another type, with the type stored in the file. type[primitives]:
 * workspace. The loop ends, since the caller has seen such a cell. Its type is read again as int64,
 * because HDF5 has clamped it to a byte. */
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

/* Reads the number of corners of each cell into m->corner_count, which is freed if all have the
 * same. HDF5 clamps values that do not fit in a byte. PolyData's polygons have no types; offsets
 * give their size. */
int batch_types_read(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    uint8_t *corner_count, triangles = 0, solids = 0, others = 0; /* nonzero if there is one */
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

/* Returns whether one of n ids is below 0 or not below `points`: then its sign bit is set, or that
 * of the difference. */
static int ids_outside(const int64_t *id, uint64_t n, int64_t points)
{
    uint64_t bad = 0;
    for (uint64_t i = 0; i < n; i++)
        bad |= (uint64_t)id[i] | ((uint64_t)points - 1 - (uint64_t)id[i]);
    return bad >> 63 != 0;
}

/* Reports the first such id in p->at, which begins with cell `cell` of the part. */
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

/* Spreads the ids of n cells of both kinds, which have `corner_count` corners each: a triangle's
 * last corner is repeated. */
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

/* Converts the part's vertex numbers to the frame's, for n cells from cell `cell` of the part on,
 * whose ids are in p->at. */
static void batch_mesh_read_corners(const batch_part *p, uint64_t cell, uint64_t n, uint32_t *out)
{
    const uint32_t corners = mesh_corners(&p->m->mesh), verts = (uint32_t)p->verts;
    if (p->m->corner_count)
        spread_corners(p->at, p->m->corner_count + p->cells + cell, n, verts, out);
    else
        for (uint64_t i = 0; i < corners * n; i++)
            out[i] = verts + (uint32_t)p->at[i];
}

/* No sum is needed if all cells have the same size. */
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

/* Checks each cell as it is read, so that the engine need not (imp_def.unchecked). */
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

/* Reads an int64 for each cell, if the file has the dataset. */
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
    /* both fit: batch_check_steps has rejected larger frames */
    m->mesh.vertices = (uint32_t)s->vertices;
    m->mesh.primitives = (uint32_t)s->primitives;
    TRY(read_topology(b, frame, m));
    TRY(batch_mesh_read_ids(b, &b->in.primitive, s->primitive0, m, &m->id));
    TRY(batch_mesh_read_ids(b, &b->in.source, s->source0, m, &m->source_id));
    TRY(batch_mesh_read_objects(b, frame, m));
    TRY(batch_mesh_thickness(b, frame, m));
    TRY(batch_mesh_drop_ghosts(b, frame, m));
    m->mesh.id = m->id;
    if (m->id)
        TRY(batch_check_mesh_ids(b, m));
    TRY(batch_mesh_objects(b, m));
    TRY(batch_thickness_fill(b, frame, m));
    TRY(batch_mesh_bodies(b, frame, m));
    *out = m;
    m = NULL;
out:
    batch_mesh_release(m);
    return err;
}

/* Releases decoded chunks that are not needed again; points are read for every frame. */
static void rest_arrays(batch *b)
{
    for (int i = 0; i < BATCH_DATA; i++)
        if (&b->in.all[i] != &b->in.points)
            h5_data_rest(&b->in.all[i]);
    h5_data_rest(&b->bodies.points);
    h5_data_rest(&b->thickness.data);
}

int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out)
{
    int err = IMP_OK;
    *out = NULL;
    /* frames are read in order: one with the last topology reuses it */
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

/* ---- The offsets of a part's cells: their position in the file, and whether they fit the
 * cells. */

/* VTK's Lagrange and Bezier cells have greater types. */
#define HIGHER_ORDER 67

/* Counts the cells among n, from number `cell` of the frame on, whose ends equal at[0 .. n - 1].
 * *end: end of the cell before them; becomes that of the last one. */
static uint64_t ends_right(const batch_mesh *m, uint64_t cell, const int64_t *at, uint64_t n,
                           int64_t *end)
{
    const int64_t corners = mesh_corners(&m->mesh);
    int64_t last = *end;
    uint64_t i = 0;
    if (m->corner_count)
        for (; i < n && at[i] == last + m->corner_count[cell + i]; i++)
            last = at[i];
    else
        for (; i < n && at[i] == last + corners; i++)
            last = at[i];
    *end = last;
    return i;
}

/* Counts the correct offsets of a part from row `first` on, the first of them being 0. end[0]: the
 * last correct one; end[1]: the one after it, if there is one. */
static int batch_offsets_check_rows(const batch_part *p, uint64_t first, uint64_t *right,
                                    int64_t end[2])
{
    int err = IMP_OK;
    const uint64_t rows = batch_part_cells(p) + 1;
    *right = 0;
    end[0] = 0;
    for (uint64_t done = 0; *right == done && done < rows; done += BATCH_CHUNK) {
        uint64_t n = rows - done < BATCH_CHUNK ? rows - done : BATCH_CHUNK, from = done == 0;
        TRY(h5_data_read(&p->b->in.offsets, first + done, n, H5T_NATIVE_INT64, p->at));
        end[1] = p->at[0];
        if (done == 0 && p->at[0] != 0)
            break;
        *right += from + ends_right(p->m, p->cells + done + from - 1, p->at + from, n - from, end);
        if (*right < done + n)
            end[1] = p->at[*right - done];
    }
out:
    return err;
}

/* Each part has one offset more than cells. The number of parts before cell `cell0` of the file is
 * not stored: VTK counts parts until their cells reach it. Parts without cells, such as an empty
 * frame, may or may not have an offset; so all positions are tried, and the first whose ends fit is
 * used; if cells have two sizes, all offsets must fit. p: NULL if cells may have any size. Rows
 * that cannot be read do not fit: the position tried last reports the error. */
static int offsets_fit(const batch *b, uint64_t at, uint64_t number, const batch_part *p)
{
    uint64_t cells = (uint64_t)b->parts.cells[number], right;
    int64_t first[2] = {0, 0}, last = 0, end[2];
    if (cells + 1 > b->in.offsets.rows || at > b->in.offsets.rows - cells - 1)
        return 0;
    if (h5_data_read(&b->in.offsets, at, 2, H5T_NATIVE_INT64, first) ||
        h5_data_read(&b->in.offsets, at + cells, 1, H5T_NATIVE_INT64, &last) || first[0] != 0 ||
        last != b->parts.ids[number])
        return 0;
    if (!p)
        return 1;
    if (p->m->corner_count)
        return !batch_offsets_check_rows(p, at, &right, end) && right == cells + 1;
    return first[1] == mesh_corners(&p->m->mesh);
}

/* Returns the first part, among the first `number`, whose cells are not all before cell `cell0` of
 * the file. */
static uint64_t part_reaching(const batch_parts *p, uint64_t cell0, uint64_t number)
{
    uint64_t low = 0, high = number;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (p->before[middle].cells < cell0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of parts before `number` that VTK counts: those before the first cell of the
 * frame, and empty ones. */
static uint64_t parts_counted(const batch_parts *p, const batch_step *s, uint64_t number)
{
    const uint64_t early = part_reaching(p, s->cell0, number);
    const uint64_t own = s->part0 < early ? early : s->part0 < number ? s->part0 : number;
    return early + (p->before[own].empty - p->before[early].empty) + (number - own);
}

static uint64_t offsets_place(const batch *b, uint64_t frame, uint64_t number, uint64_t before,
                              const batch_part *part)
{
    const batch_step *s = &b->step[frame];
    const uint64_t parts = parts_counted(&b->parts, s, number), cell = s->cell0 + before;
    const uint64_t empty = b->parts.before[number].empty;
    if (b->unstructured && number != parts && offsets_fit(b, cell + number, number, part))
        return cell + number;
    for (uint64_t i = 0; empty && i <= empty; i++)
        if (offsets_fit(b, cell + parts - i, number, part))
            return cell + parts - i;
    return cell + parts;
}

uint64_t batch_offsets_first_row(const batch *b, uint64_t frame, uint64_t number, uint64_t before)
{
    return offsets_place(b, frame, number, before, NULL);
}

/* Reading checks this for virtual datasets. */
int batch_offsets_stored(const batch *b, uint64_t first, uint64_t rows)
{
    if (b->in.offsets.behind || first + rows <= b->offsets_written)
        return IMP_OK;
    return h5_fail(IMP_ERR_INPUT, b->path, b->in.offsets.name, H5_NEVER_WRITTEN,
                   (unsigned long long)b->offsets_written);
}

/* Row `row` of the offsets is `got`, the row before it `before`. The error names the kind of file:
 * another number of vertices means a cell of another kind. */
static int offset_fail(const batch_part *p, uint64_t row, int64_t before, int64_t got)
{
    const batch *b = p->b;
    unsigned long long cell = row ? row - 1 : 0, number = p->number - b->step[p->frame].part0;
    char what[80] = "only triangles are supported (impinge convert cuts polygons)";
    if (!row || got < before)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: %s: not ascending from 0 at cell %llu of part %llu, "
                        "frame %llu",
                        b->path, b->in.offsets.name, cell, number, (unsigned long long)p->frame);
    if (b->unstructured) {
        const char *kind = mesh_kind_name(&p->m->mesh, p->cells + cell);
        int64_t type = 0;
        int err = h5_data_read(&b->in.types, b->step[p->frame].cell0 + p->cells + cell, 1,
                               H5T_NATIVE_INT64, &type);
        if (err)
            return err;
        snprintf(what, sizeof what,
                 type > HIGHER_ORDER ? "type %lld, a %s of higher order, is not read"
                                     : "its type %lld is that of a %s",
                 (long long)type, kind);
    }
    return imp_fail(IMP_ERR_INPUT,
                    "%s: %s: cell %llu of part %llu, frame %llu, has %lld vertices; %s", b->path,
                    b->in.offsets.name, cell, number, (unsigned long long)p->frame,
                    (long long)(got - before), what);
}

/* Returns a noun for the cells of a part, for messages. */
static const char *cells_name(const batch_mesh *m)
{
    return m->corner_count                            ? "triangles and tetrahedra"
           : mesh_corners(&m->mesh) == IMP_TETRAHEDRA ? "tetrahedra"
                                                      : "triangles";
}

int batch_check_offsets(const batch_part *p)
{
    int err = IMP_OK;
    const batch *b = p->b;
    uint64_t cells = batch_part_cells(p), right = 1;
    uint64_t first = cells ? offsets_place(b, p->frame, p->number, p->cells, p) : 0;
    int64_t end[2] = {0};
    TRY(batch_offsets_stored(b, first, cells + (cells > 0)));
    if (cells)
        TRY(batch_offsets_check_rows(p, first, &right, end));
    if (right < cells + 1)
        TRY(offset_fail(p, right, end[0], end[1]));
    if (b->parts.ids[p->number] != end[0])
        FAIL(IMP_ERR_INPUT, "%s: %s: part %llu has %lld ids for %lld %s", b->path,
             b->in.connectivity.name, (unsigned long long)p->number,
             (long long)b->parts.ids[p->number], (long long)cells, cells_name(p->m));
out:
    return err;
}

/* ---- The cell arrays of a frame's primitives: objects and ids. */

#define AGAIN 4096 /* numbers read at a time */

/* HDF5 converts every larger number of an unsigned type to INT64_MAX, so these are read again, in
 * pieces, as there may be many of them. */
int batch_int64_read(const batch *b, const h5_data *d, uint64_t row, uint64_t n, uint64_t frame,
                     uint64_t cell, int64_t *out)
{
    int err = IMP_OK;
    uint64_t exactly[AGAIN], from = 0, end = 0;
    TRY(h5_data_read(d, row, n, H5T_NATIVE_INT64, out));
    for (uint64_t i = 0; i < n; i++) {
        if (out[i] != INT64_MAX)
            continue;
        if (i >= end) {
            from = i;
            end = n - i < AGAIN ? n : i + AGAIN;
            TRY(h5_data_read(d, row + from, end - from, H5T_NATIVE_UINT64, exactly));
        }
        if (exactly[i - from] > INT64_MAX)
            FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %llu, int64 is possible",
                 b->path, d->name, (unsigned long long)(cell + i), (unsigned long long)frame,
                 (unsigned long long)exactly[i - from]);
    }
out:
    return err;
}

/* ---- objects */

/* Reads in chunks, so that the numbers are not in memory twice as a whole. */
int batch_objects_read(batch *b, uint64_t frame, uint64_t first, uint64_t count, int64_t *at,
                       int32_t *out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    for (uint64_t done = 0; done < count; done += BATCH_CHUNK) {
        uint64_t n = count - done < BATCH_CHUNK ? count - done : BATCH_CHUNK;
        /* as int64: HDF5 would silently clamp other types to the range of int32 */
        TRY(h5_data_read(&b->in.object, s->object0 + first + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++) {
            if (at[i] < INT32_MIN || at[i] > INT32_MAX)
                FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %lld, outside int32",
                     b->path, b->in.object.name, (unsigned long long)(first + done + i),
                     (unsigned long long)frame, (long long)at[i]);
            out[done + i] = (int32_t)at[i];
        }
    }
out:
    return err;
}

int batch_mesh_read_objects(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *at = NULL;
    if (b->objects.source == BATCH_CONNECTED || !b->objects.name[0])
        return IMP_OK;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *at, &at));
    TRY(mem_alloc(b->mem, s->primitives * sizeof *m->object, &m->object));
    TRY(batch_objects_read(b, frame, 0, s->primitives, at, m->object));
out:
    mem_free(b->mem, at);
    return err;
}

/* Halves the path to the root at each call: almost flat after a few calls. */
uint32_t batch_component_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Objects are the components connected by shared vertices, numbered in the order of their first
 * primitives. */
static int connect_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    uint32_t n = m->mesh.vertices, bodies = 0;
    const uint32_t corners = mesh_corners(&m->mesh), *corner = m->corner;
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
        /* a triangle among tetrahedra repeats its last corner, which has no effect here */
        for (uint32_t c = 1; c < corners; c++) {
            uint32_t r = batch_component_root(parent, corner[corners * i]);
            parent[batch_component_root(parent, corner[corners * i + c])] = r;
        }
    for (size_t i = 0; i < m->mesh.primitives; i++) {
        uint32_t r = batch_component_root(parent, corner[corners * i]);
        if (number[r] < 0)
            /* no more than primitives, which are at most INT32_MAX */
            number[r] = (int32_t)bodies++;
        m->object[i] = number[r];
    }
out:
    mem_free(b->mem, parent);
    mem_free(b->mem, number);
    return err;
}

/* Lists the different objects. */
static int batch_cells_list_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    static const int32_t none = 0;
    const size_t n = m->mesh.primitives;
    object_set set = {.mem = b->mem, .capacity = m->object ? n : 1};
    /* for the worst case: a growing list would temporarily use more */
    TRY(mem_alloc(b->mem, set.capacity * sizeof *set.id, &set.id));
    TRY(object_set_add(&set, m->object ? m->object : &none, m->object ? n : n > 0));
    object_set_end(&set);
    /* releases the unused memory */
    TRY(mem_grow(b->mem, set.count * sizeof *set.id, set.count * sizeof *set.id, &set.id));
    m->objects = set.count;
    m->ids = set.id;
    set.id = NULL;
out:
    mem_free(b->mem, set.id);
    return err;
}

int batch_mesh_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    if (b->objects.source == BATCH_CONNECTED)
        TRY(connect_objects(b, m));
    TRY(batch_cells_list_objects(b, m));
    /* NULL if there are no objects: then all primitives are object 0 */
    m->mesh.object = m->object;
out:
    return err;
}

int batch_frame_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    batch_mesh *m;
    TRY(batch_mesh_get(b, frame, &m));
    *ids = m->ids;
    *count = m->objects;
    batch_mesh_release(m); /* the batch itself keeps it until the next one */
out:
    return err;
}
