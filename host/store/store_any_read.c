/* See store_any.h: the cells of a frame. */
#include "store_any_file.h"

#include "error.h"

#include <string.h>

#define STRIP 6
#define POLYGON 7

void vtkhdf_reader_free_cells(vtkhdf_reader *f)
{
    vtkhdf_cells *c = &f->at;
    mem_free(f->mem, c->point);
    mem_free(f->mem, c->node);
    mem_free(f->mem, c->type);
    mem_free(f->mem, c->end);
    mem_free(f->mem, c->id);
    mem_free(f->mem, c->object);
    mem_free(f->mem, c->number);
    mem_free(f->mem, c->value);
    mem_free(f->mem, c->ghost);
    *c = (vtkhdf_cells){0};
}

/* A part that is read: its cells begin at *out's cell `cell`, its ids at `id`. */
typedef struct vtkhdf_reader_part {
    const batch *b;
    const batch_arrays *arrays; /* of the block */
    const cell_arrays *wanted;
    uint64_t frame, number; /* of the part in the file */
    uint64_t before;        /* cells of this kind in the frame's parts before */
    uint64_t id0, verts;    /* in the file; vertices of the frame's parts before */
    uint64_t cell, id;
    int64_t *chunk;
} vtkhdf_reader_part;

static int vtkhdf_reader_read_ends(const vtkhdf_reader_part *p, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t cells = (uint64_t)b->parts.cells[p->number];
    const uint64_t first = cells ? batch_offsets_first_row(b, p->frame, p->number, p->before) : 0;
    int64_t end = 0;
    TRY(batch_offsets_stored(b, first, cells + (cells > 0)));
    for (uint64_t done = 0; done < cells; done += BATCH_CHUNK) {
        uint64_t n = cells - done < BATCH_CHUNK ? cells - done : BATCH_CHUNK;
        TRY(h5_data_read(&b->in.offsets, first + done, n + 1, H5T_NATIVE_INT64, p->chunk));
        for (uint64_t i = 0; i < n; i++) {
            if (p->chunk[i] != end || p->chunk[i + 1] < end)
                FAIL(IMP_ERR_INPUT, "%s: %s: not ascending from 0 at cell %llu of frame %llu",
                     b->path, b->in.offsets.name, (unsigned long long)(p->before + done + i),
                     (unsigned long long)p->frame);
            end = p->chunk[i + 1];
            out->end[p->cell + done + i] = p->id + (uint64_t)end;
        }
    }
    if (end != b->parts.ids[p->number])
        FAIL(IMP_ERR_INPUT, "%s: %s: part %llu ends at %lld, but has %lld ids", b->path,
             b->in.offsets.name, (unsigned long long)p->number, (long long)end,
             (long long)b->parts.ids[p->number]);
out:
    return err;
}

static int vtkhdf_reader_read_ids(const vtkhdf_reader_part *p, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t ids = (uint64_t)b->parts.ids[p->number];
    const int64_t points = b->parts.points[p->number];
    for (uint64_t done = 0; done < ids; done += BATCH_CHUNK) {
        uint64_t n = ids - done < BATCH_CHUNK ? ids - done : BATCH_CHUNK;
        TRY(h5_data_read(&b->in.connectivity, p->id0 + done, n, H5T_NATIVE_INT64, p->chunk));
        for (uint64_t i = 0; i < n; i++) {
            if (p->chunk[i] < 0 || p->chunk[i] >= points)
                FAIL(IMP_ERR_INPUT,
                     "%s: %s: id %llu of frame %llu is vertex %lld, its part has %lld", b->path,
                     b->in.connectivity.name, (unsigned long long)(p->id + done + i),
                     (unsigned long long)p->frame, (long long)p->chunk[i], (long long)points);
            out->id[p->id + done + i] = (uint32_t)(p->verts + (uint64_t)p->chunk[i]);
        }
    }
out:
    return err;
}

/* PolyData has no types of its own. HDF5 clamps other types to a byte: 255 is none of VTK's. */
static int vtkhdf_reader_read_types(const vtkhdf_reader_part *p, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t cells = (uint64_t)b->parts.cells[p->number];
    uint8_t *type = out->type + p->cell;
    if (b->unstructured)
        TRY(h5_data_read(&b->in.types, b->step[p->frame].cell0 + p->before, cells, H5T_NATIVE_UINT8,
                         type));
    else
        memset(type, b->what.kind == BATCH_STRIPS ? STRIP : POLYGON, cells);
    for (uint64_t i = 0; i < cells; i++) {
        const uint64_t cell = p->cell + i, begin = cell ? out->end[cell - 1] : 0;
        type[i] = (uint8_t)batch_linear_type(type[i], (int64_t)(out->end[cell] - begin));
    }
out:
    return err;
}

static int vtkhdf_reader_read_objects(const vtkhdf_reader_part *p, uint64_t first,
                                      vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t cells = (uint64_t)b->parts.cells[p->number];
    for (uint64_t done = 0; b->in.object.id >= 0 && done < cells; done += BATCH_CHUNK) {
        uint64_t n = cells - done < BATCH_CHUNK ? cells - done : BATCH_CHUNK;
        /* as int64: HDF5 would silently clamp other types to the range of int32 */
        TRY(h5_data_read(&b->in.object, b->step[p->frame].object0 + first + done, n,
                         H5T_NATIVE_INT64, p->chunk));
        for (uint64_t i = 0; i < n; i++) {
            if (p->chunk[i] < INT32_MIN || p->chunk[i] > INT32_MAX)
                FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %lld, outside int32",
                     b->path, b->in.object.name, (unsigned long long)(first + done + i),
                     (unsigned long long)p->frame, (long long)p->chunk[i]);
            out->object[p->cell + done + i] = (int32_t)p->chunk[i];
        }
    }
out:
    return err;
}

/* Array w of those that are wanted, of the cells of a part; `first`: the number of the first. */
static int vtkhdf_reader_read_array(const vtkhdf_reader_part *p, uint64_t first, size_t w,
                                    vtkhdf_cells *out)
{
    int err = IMP_OK;
    const cell_array *want = &p->wanted->array[w];
    const size_t at = cell_arrays_find(&p->arrays->of, want->name), wanted = p->wanted->count;
    const uint64_t cells = (uint64_t)p->b->parts.cells[p->number];
    const int has = at < p->arrays->of.count, numbers = !has && !strcmp(want->name, SOURCE_ID);
    for (uint64_t done = 0; done < cells; done += BATCH_CHUNK) {
        uint64_t n = cells - done < BATCH_CHUNK ? cells - done : BATCH_CHUNK;
        if (has)
            TRY(batch_array_read(p->b, &p->arrays->array[at], want->type, p->frame, first + done, n,
                                 p->chunk));
        for (uint64_t i = 0; i < n; i++)
            out->value[wanted * (p->cell + done + i) + w] =
                has ? p->chunk[i] : numbers * (int64_t)(first + done + i);
    }
out:
    return err;
}

/* What cell arrays say of them: they have the rows of all kinds of cells. */
static int vtkhdf_reader_read_arrays(const vtkhdf_reader_part *p, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const uint64_t first = batch_cells_before(p->b, p->frame, p->number, p->b->what.kind);
    for (uint64_t i = 0; i < (uint64_t)p->b->parts.cells[p->number]; i++)
        out->number[p->cell + i] = first + i;
    TRY(vtkhdf_reader_read_objects(p, first, out));
    if (out->ghost)
        TRY(batch_ghosts_read(p->b, p->frame, first, (uint64_t)p->b->parts.cells[p->number],
                              out->ghost + p->cell));
    for (size_t w = 0; w < p->wanted->count; w++)
        TRY(vtkhdf_reader_read_array(p, first, w, out));
out:
    return err;
}

/* The cells of a part, behind those that *out has; *ids: so far. */
static int vtkhdf_reader_read_part(vtkhdf_reader_part *p, uint64_t *ids, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    p->cell = out->cells;
    p->id = *ids;
    TRY(vtkhdf_reader_read_ends(p, out));
    TRY(vtkhdf_reader_read_ids(p, out));
    TRY(vtkhdf_reader_read_types(p, out));
    TRY(vtkhdf_reader_read_arrays(p, out));
    p->before += (uint64_t)b->parts.cells[p->number];
    p->id0 += (uint64_t)b->parts.ids[p->number];
    p->verts += (uint64_t)b->parts.points[p->number];
    out->cells += (uint64_t)b->parts.cells[p->number];
    *ids += (uint64_t)b->parts.ids[p->number];
    p->number++;
out:
    return err;
}

static vtkhdf_reader_part vtkhdf_reader_read_first_part(const vtkhdf_reader *f, const batch *b,
                                                        uint64_t frame, const batch_arrays *arrays,
                                                        const cell_arrays *wanted)
{
    const batch_step *s = &b->step[frame];
    return (vtkhdf_reader_part){.b = b,
                                .arrays = arrays,
                                .wanted = wanted,
                                .frame = frame,
                                .number = s->part0,
                                .id0 = s->id0,
                                .chunk = f->chunk};
}

/* Points and lines of a part are counted only. */
static int vtkhdf_reader_skip_kind(const batch *b, uint64_t frame, uint64_t part,
                                   enum batch_kind kind, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const uint64_t n = batch_kind_cells(b, part, kind);
    uint64_t ghosts = 0;
    if (out->ghosts)
        TRY(batch_ghosts_among(b, frame, batch_cells_before(b, frame, part, kind), n, &ghosts));
    out->skipped += n - ghosts;
out:
    return err;
}

/* In the order of cell arrays: part by part, and in each kind by kind. */
static int vtkhdf_reader_read_parts(const vtkhdf_reader *f, const vtkhdf_reader_block *a,
                                    uint64_t frame, const cell_arrays *wanted, vtkhdf_cells *out)
{
    int err = IMP_OK;
    const batch_step *s = &a->cells->step[frame];
    vtkhdf_reader_part cells =
        vtkhdf_reader_read_first_part(f, a->cells, frame, &a->arrays, wanted);
    vtkhdf_reader_part strips =
        a->strips ? vtkhdf_reader_read_first_part(f, a->strips, frame, &a->arrays, wanted) : cells;
    uint64_t ids = 0;
    for (uint64_t p = s->part0; p < s->part0 + s->parts; p++) {
        TRY(vtkhdf_reader_skip_kind(a->cells, frame, p, BATCH_VERTICES, out));
        TRY(vtkhdf_reader_skip_kind(a->cells, frame, p, BATCH_LINES, out));
        TRY(vtkhdf_reader_read_part(&cells, &ids, out));
        if (a->strips)
            TRY(vtkhdf_reader_read_part(&strips, &ids, out));
    }
out:
    return err;
}

/* Memory for the cells of both kinds. */
static int vtkhdf_reader_alloc_cells(vtkhdf_reader *f, const batch_step *s,
                                     const batch_step *strips, int object, size_t arrays)
{
    int err = IMP_OK;
    vtkhdf_cells *c = &f->at;
    const uint64_t cells = s->primitives + (strips ? strips->primitives : 0);
    const uint64_t ids = s->ids + (strips ? strips->ids : 0);
    c->vertices = s->vertices;
    c->ghosts = s->ghosts;
    if (s->ghosts)
        TRY(mem_alloc(f->mem, cells, &c->ghost));
    TRY(mem_alloc(f->mem, 3 * s->vertices * sizeof *c->point, &c->point));
    TRY(mem_alloc(f->mem, cells * sizeof *c->type, &c->type));
    TRY(mem_alloc(f->mem, cells * sizeof *c->end, &c->end));
    TRY(mem_alloc(f->mem, cells * sizeof *c->number, &c->number));
    TRY(mem_alloc(f->mem, cells * arrays * sizeof *c->value, &c->value));
    TRY(mem_alloc(f->mem, ids * sizeof *c->id, &c->id));
    if (object)
        TRY(mem_alloc(f->mem, cells * sizeof *c->object, &c->object));
out:
    return err;
}

int vtkhdf_reader_read(vtkhdf_reader *f, size_t block, uint64_t frame, const cell_arrays *arrays,
                       vtkhdf_cells *out)
{
    int err = IMP_OK;
    const vtkhdf_reader_block *a = &f->block[block];
    const batch *b = a->cells;
    const uint64_t k = b->steps < 0 ? 0 : frame;
    const batch_step *s = &b->step[k];
    vtkhdf_reader_free_cells(f);
    TRY(vtkhdf_reader_alloc_cells(f, s, a->strips ? &a->strips->step[k] : NULL,
                                  b->in.object.id >= 0, arrays->count));
    TRY(h5_data_read(&b->in.points, s->point0, s->vertices, H5T_NATIVE_DOUBLE, f->at.point));
    if (batch_node_array(b)) {
        TRY(mem_alloc(f->mem, s->vertices * sizeof *f->at.node, &f->at.node));
        TRY(batch_nodes_read(b, k, f->at.node));
    }
    TRY(vtkhdf_reader_read_parts(f, a, k, arrays, &f->at));
    *out = f->at;
out:
    return err;
}
