/* Looking into a batch whose cells may have any type, for `info`. Everything is read in chunks: of
 * a frame only sums are kept. */
#include "store_batch.h"

#include "error.h"

#include <math.h>
#include <string.h>

/* No cell type is refused: `info` shows every file. */
int batch_open_any_type(mem *m, const char *path, batch **out)
{
    const batch_selection what = {.any_type = 1, .kind = BATCH_POLYGONS};
    return batch_open_as(m, path, BATCH_OBJECT_ID, "", &what, out);
}

/* The topology of the frame before is not read again. */
uint64_t batch_scan_bytes(const batch *b, uint64_t frame)
{
    const batch_step *s = &b->step[frame];
    uint64_t bytes = 3 * s->vertices * b->in.points.size;
    if (frame && batch_same_mesh(b, frame, frame - 1))
        return bytes;
    return bytes + s->primitives * (b->in.offsets.size + b->in.types.size + b->in.object.size +
                                    b->in.ghost.size);
}

/* ---- cells */

#define VERTEX 1
#define LINE 3
#define TRIANGLE 5
#define STRIP 6
#define POLYGON 7
#define QUAD 9

/* Vertices of a cell of this type; 0: any number. */
static int64_t cell_counts_type_size(int64_t type)
{
    static const uint8_t size[] = {[VERTEX] = 1, [LINE] = 2, [TRIANGLE] = 3, [8] = 4,  [QUAD] = 4,
                                   [10] = 4,     [11] = 8,   [12] = 8,       [13] = 6, [14] = 5};
    return type >= 0 && type < (int64_t)sizeof size ? size[type] : 0;
}

/* PolyData has no types of polygons, only their numbers of vertices. */
static int64_t batch_scan_polygon_type(int64_t size)
{
    return size == 3 ? TRIANGLE : size == 4 ? QUAD : POLYGON;
}

static int batch_scan_bad_cell(const batch *b, const h5_data *d, uint64_t frame, uint64_t cell,
                               const char *what, int64_t number)
{
    return imp_fail(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu %s %lld", b->path, d->name,
                    (unsigned long long)cell, (unsigned long long)frame, what, (long long)number);
}

/* A chunk of the cells of a part. */
typedef struct look_chunk {
    uint64_t cell, n; /* numbers in the frame */
    int64_t *at;      /* [n + 1] their offsets */
    int64_t *type;    /* [n] if they have types */
    uint8_t *ghost;   /* [n] NULL: there are none */
    int64_t end;      /* where the one before ended */
} look_chunk;

/* The kind is checked before it is used as an index of count[]. */
static int cell_counts_add_cells(const batch *b, uint64_t frame, look_chunk *p,
                                 uint64_t count[BATCH_CELL_TYPES])
{
    const int64_t *at = p->at;
    for (uint64_t i = 0; i < p->n; i++) {
        const uint64_t cell = p->cell;
        if (at[i] != p->end || at[i + 1] < at[i])
            return batch_scan_bad_cell(b, &b->in.offsets, frame, cell + i,
                                       "is out of order: its offset is",
                                       at[i] != p->end ? at[i] : at[i + 1]);
        const int64_t size = at[i + 1] - at[i];
        const int64_t kind =
            b->unstructured ? batch_linear_type(p->type[i], size) : batch_scan_polygon_type(size);
        if (kind < 0 || kind >= BATCH_CELL_TYPES)
            return batch_scan_bad_cell(b, &b->in.types, frame, cell + i, "has type", kind);
        if (cell_counts_type_size(kind) && cell_counts_type_size(kind) != size)
            return batch_scan_bad_cell(b, &b->in.offsets, frame, cell + i,
                                       "does not have as many vertices as its type:", size);
        count[kind] += !p->ghost || !p->ghost[i];
        p->end = at[i + 1];
    }
    return IMP_OK;
}

/* A part; p->cell: the number of its first cell among those of its kind in the frame. Types are
 * read as int64, since HDF5 would clamp a wrong one to the range of a byte. */
static int batch_scan_part(batch *b, uint64_t frame, uint64_t part, look_chunk *p,
                           uint64_t count[BATCH_CELL_TYPES])
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    const uint64_t cells = (uint64_t)b->parts.cells[part];
    const uint64_t first = cells ? batch_offsets_first_row(b, frame, part, p->cell) : 0;
    const uint64_t row = batch_cells_before(b, frame, part, b->what.kind);
    p->end = 0;
    TRY(batch_offsets_stored(b, first, cells + (cells > 0)));
    for (uint64_t done = 0; done < cells; done += p->n, p->cell += p->n) {
        p->n = cells - done < BATCH_CHUNK ? cells - done : BATCH_CHUNK;
        TRY(h5_data_read(&b->in.offsets, first + done, p->n + 1, H5T_NATIVE_INT64, p->at));
        if (b->unstructured)
            TRY(h5_data_read(&b->in.types, s->cell0 + p->cell, p->n, H5T_NATIVE_INT64, p->type));
        if (p->ghost)
            TRY(batch_ghosts_read(b, frame, row + done, p->n, p->ghost));
        TRY(cell_counts_add_cells(b, frame, p, count));
    }
    if (p->end != b->parts.ids[part])
        FAIL(IMP_ERR_INPUT, "%s: %s: part %llu ends at %lld, but has %lld ids", b->path,
             b->in.offsets.name, (unsigned long long)part, (long long)p->end,
             (long long)b->parts.ids[part]);
out:
    return err;
}

/* Cells of a part of Vertices, Lines or Strips are counted by their tables. */
static int batch_scan_count_others(const batch *b, uint64_t frame, uint64_t part,
                                   uint64_t count[BATCH_CELL_TYPES])
{
    static const int type[BATCH_KINDS] = {VERTEX, LINE, POLYGON, STRIP};
    int err = IMP_OK;
    for (int k = 0; k < BATCH_KINDS; k++) {
        const uint64_t n = b->parts.other[k] ? (uint64_t)b->parts.other[k][part] : 0;
        uint64_t ghosts = 0;
        if (n && b->step[frame].ghosts)
            TRY(batch_ghosts_among(b, frame, batch_cells_before(b, frame, part, (enum batch_kind)k),
                                   n, &ghosts));
        count[type[k]] += n - ghosts;
    }
out:
    return err;
}

int batch_scan_cells(batch *b, uint64_t frame, uint64_t count[BATCH_CELL_TYPES])
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    look_chunk p = {0};
    memset(count, 0, BATCH_CELL_TYPES * sizeof *count);
    TRY(mem_alloc(b->mem, (BATCH_CHUNK + 1) * sizeof *p.at, &p.at));
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *p.type, &p.type));
    if (s->ghosts)
        TRY(mem_alloc(b->mem, BATCH_CHUNK, &p.ghost));
    for (uint64_t part = s->part0; part < s->part0 + s->parts; part++) {
        TRY(batch_scan_part(b, frame, part, &p, count));
        TRY(batch_scan_count_others(b, frame, part, count));
    }
out:
    mem_free(b->mem, p.at);
    mem_free(b->mem, p.type);
    mem_free(b->mem, p.ghost);
    return err;
}

/* ---- points */

/* A vertex that is not finite is in no box, and is counted. */
static void cell_counts_add_point(batch_box *box, const double x[3])
{
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        box->bad++;
        return;
    }
    for (int k = 0; k < 3; k++) {
        box->low[k] = !box->vertices || x[k] < box->low[k] ? x[k] : box->low[k];
        box->high[k] = !box->vertices || x[k] > box->high[k] ? x[k] : box->high[k];
    }
    box->vertices++;
}

/* cell_counts_add_point counts the corners of the other box as vertices: the counts are set
 * afterwards. */
void batch_box_join(batch_box *to, const batch_box *from)
{
    batch_box both = *to;
    if (from->vertices) {
        cell_counts_add_point(&both, from->low);
        cell_counts_add_point(&both, from->high);
    }
    both.vertices = to->vertices + from->vertices;
    both.bad = to->bad + from->bad;
    *to = both;
}

int batch_scan_points(batch *b, uint64_t frame, batch_box *out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    double *at = NULL;
    *out = (batch_box){0};
    TRY(mem_alloc(b->mem, sizeof(double[3]) * BATCH_CHUNK, &at));
    for (uint64_t done = 0; done < s->vertices; done += BATCH_CHUNK) {
        uint64_t n = s->vertices - done < BATCH_CHUNK ? s->vertices - done : BATCH_CHUNK;
        TRY(h5_data_read(&b->in.points, s->point0 + done, n, H5T_NATIVE_DOUBLE, at));
        for (uint64_t i = 0; i < n; i++)
            cell_counts_add_point(out, at + 3 * i);
    }
out:
    mem_free(b->mem, at);
    return err;
}

/* ---- objects */

int batch_scan_objects(batch *b, uint64_t frame, tally *out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    uint64_t cells = s->primitives + s->others;
    int64_t *at = NULL;
    uint8_t *ghost = NULL;
    tally_clear(out);
    /* one object, 0 */
    if (!b->objects.has_cell)
        return cells > s->ghosts ? tally_add(out, 0, 0, cells - s->ghosts) : IMP_OK;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *at, &at));
    if (s->ghosts)
        TRY(mem_alloc(b->mem, BATCH_CHUNK, &ghost));
    for (uint64_t done = 0; done < cells; done += BATCH_CHUNK) {
        uint64_t n = cells - done < BATCH_CHUNK ? cells - done : BATCH_CHUNK;
        /* as int64: HDF5 would silently clamp other types to the range of int32 */
        TRY(h5_data_read(&b->in.object, s->object0 + done, n, H5T_NATIVE_INT64, at));
        if (ghost)
            TRY(batch_ghosts_read(b, frame, done, n, ghost));
        for (uint64_t i = 0; i < n; i++) {
            if (ghost && ghost[i])
                continue;
            if (at[i] < INT32_MIN || at[i] > INT32_MAX)
                TRY(batch_scan_bad_cell(b, &b->in.object, frame, done + i,
                                        "is outside int32:", at[i]));
            TRY(tally_add(out, (int32_t)at[i], 0, 1));
        }
    }
    tally_merge(out);
out:
    mem_free(b->mem, at);
    mem_free(b->mem, ghost);
    return err;
}
