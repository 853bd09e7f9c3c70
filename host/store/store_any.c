/* See store_any.h. A block of PolyData is opened twice where it has strips: each kind of cells has
 * datasets of its own. */
#include "store_any.h"

#include "error.h"
#include "store_arrays.h"
#include "store_blocks.h"

#include <string.h>

#define STRIP 6
#define POLYGON 7

typedef struct any_block {
    batch *cells, *strips; /* strips: NULL if there are none */
    batch_arrays arrays;
} any_block;

struct any_file {
    mem *mem;
    batch_blocks blocks;
    any_block *block; /* [blocks.count] */
    batch_names names;
    cell_arrays arrays, lost; /* of all blocks */
    any_info info;
    const batch *first; /* the block whose steps are those of the file */
    any_cells at;       /* what was read last */
    int64_t *piece;     /* [BATCH_PIECE + 1] */
};

/* ---- opening */

static int open_kind(any_file *f, const char *path, const char *group, enum batch_kind kind,
                     batch **out)
{
    const batch_part_of what = {.block = f->blocks.composite ? group : NULL, 1, kind};
    return batch_open_as(f->mem, path, BATCH_OBJECT_ID, "", &what, out);
}

static int open_block(any_file *f, const char *path, size_t i)
{
    int err = IMP_OK;
    any_block *b = &f->block[i];
    TRY(open_kind(f, path, f->blocks.block[i].group, BATCH_POLYGONS, &b->cells));
    if (b->cells->parts.other[BATCH_STRIPS])
        TRY(open_kind(f, path, f->blocks.block[i].group, BATCH_STRIPS, &b->strips));
    TRY(batch_arrays_open(b->cells, &b->arrays, &f->lost));
    for (size_t k = 0; k < b->arrays.of.count; k++)
        TRY(cell_arrays_add(&f->arrays, b->arrays.of.array[k].name, b->arrays.of.array[k].type));
    /* blocks are the objects */
    if (f->blocks.composite && b->cells->objects.has_cell)
        TRY(cell_arrays_add(&f->lost, "CellData/ObjectId", COLUMN_I64));
out:
    return err;
}

/* Blocks without steps are the same in all of them. */
static int check_steps(const any_file *f, const batch *b)
{
    const batch *first = f->first;
    if (b->steps < 0)
        return IMP_OK;
    if (b->frames != first->frames)
        return imp_fail(IMP_ERR_INPUT, "%s: %s has %llu steps, %s has %llu", b->path,
                        b->where.group, (unsigned long long)b->frames, first->where.group,
                        (unsigned long long)first->frames);
    for (uint64_t k = 0; k < b->frames; k++)
        if (b->step[k].time != first->step[k].time)
            return imp_fail(IMP_ERR_INPUT, "%s: step %llu has the time %.17g in %s, %.17g in %s",
                            b->path, (unsigned long long)k, b->step[k].time, b->where.group,
                            first->step[k].time, first->where.group);
    return IMP_OK;
}

static int open_blocks(any_file *f, const char *path)
{
    int err = IMP_OK;
    any_info *info = &f->info;
    info->type = IMP_FLOAT32;
    for (size_t i = 0; i < f->blocks.count; i++) {
        TRY(open_block(f, path, i));
        const batch *b = f->block[i].cells;
        if (!f->first || (f->first->steps < 0 && b->steps >= 0))
            f->first = b;
        info->type = b->type == IMP_FLOAT64 ? IMP_FLOAT64 : info->type;
    }
    for (size_t i = 0; i < f->blocks.count; i++)
        TRY(check_steps(f, f->block[i].cells));
    info->frames = f->first->frames;
    info->temporal = f->first->steps >= 0;
    info->has_object = !info->composite && f->first->objects.has_cell;
out:
    return err;
}

/* A file that is not composite has read its names; those of a composite one are beside its blocks.
 */
static int read_names(any_file *f, const char *path)
{
    int err = IMP_OK;
    hid_t file = -1;
    if (!f->blocks.composite)
        return IMP_OK;
    TRY(h5_open(path, 0, &file));
    err = batch_names_read(f->mem, path, file, f->info.frames, &f->names);
    err = err == IMP_ERR_INPUT ? IMP_OK : err; /* nothing depends on them */
    H5Fclose(file);
out:
    return err;
}

int any_open(mem *m, const char *path, any_file **out)
{
    int err = IMP_OK;
    any_file *f = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *f, &f));
    memset(f, 0, sizeof *f);
    f->mem = f->arrays.mem = f->lost.mem = m;
    TRY(batch_blocks_find(path, &f->blocks));
    if (!f->blocks.count)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: there is no block with data", path);
    f->info.composite = f->blocks.composite;
    f->info.blocks = f->blocks.count;
    TRY(mem_alloc(m, f->blocks.count * sizeof *f->block, &f->block));
    memset(f->block, 0, f->blocks.count * sizeof *f->block);
    TRY(mem_alloc(m, (BATCH_PIECE + 1) * sizeof *f->piece, &f->piece));
    TRY(open_blocks(f, path));
    TRY(read_names(f, path));
    *out = f;
    f = NULL;
out:
    any_close(f);
    return err;
}

static void forget_cells(any_file *f)
{
    any_cells *c = &f->at;
    mem_free(f->mem, c->point);
    mem_free(f->mem, c->type);
    mem_free(f->mem, c->end);
    mem_free(f->mem, c->id);
    mem_free(f->mem, c->object);
    mem_free(f->mem, c->number);
    mem_free(f->mem, c->value);
    *c = (any_cells){0};
}

void any_close(any_file *f)
{
    if (!f)
        return;
    forget_cells(f);
    for (size_t i = 0; f->block && i < f->blocks.count; i++) {
        batch_arrays_close(&f->block[i].arrays);
        batch_close(f->block[i].cells);
        batch_close(f->block[i].strips);
    }
    batch_names_free(&f->names);
    cell_arrays_free(&f->arrays);
    cell_arrays_free(&f->lost);
    batch_blocks_free(&f->blocks);
    mem_free(f->mem, f->piece);
    mem_free(f->mem, f->block);
    mem_free(f->mem, f);
}

void any_get_info(const any_file *f, any_info *out)
{
    *out = f->info;
}

double any_time(const any_file *f, uint64_t frame)
{
    return f->first->step[frame].time;
}

const char *any_block_name(const any_file *f, size_t block)
{
    return f->blocks.block[block].name;
}

const batch_names *any_names(const any_file *f)
{
    return f->blocks.composite ? &f->names : &f->first->names;
}

const cell_arrays *any_arrays(const any_file *f)
{
    return &f->arrays;
}

const cell_arrays *any_lost(const any_file *f)
{
    return &f->lost;
}

/* ---- cells */

/* Cells of a kind that a part has. */
static uint64_t part_cells(const batch *b, uint64_t part, enum batch_kind kind)
{
    const int64_t *count = kind == b->what.kind ? b->parts.cells : b->parts.other[kind];
    return count ? (uint64_t)count[part] : 0;
}

/* How many cells of the frame come before the first of this part and kind. */
static uint64_t cells_before(const batch *b, uint64_t frame, uint64_t part)
{
    uint64_t sum = 0;
    for (uint64_t p = b->step[frame].part0; p <= part; p++)
        for (int kind = 0; kind < BATCH_KINDS && (p < part || kind < (int)b->what.kind); kind++)
            sum += part_cells(b, p, (enum batch_kind)kind);
    return sum;
}

/* A part that is read: its cells begin at *out's cell `cell`, its ids at `id`. */
typedef struct any_part {
    const batch *b;
    const batch_arrays *arrays; /* of the block */
    const cell_arrays *wanted;
    uint64_t frame, number; /* of the part in the file */
    uint64_t before;        /* cells of this kind in the frame's parts before */
    uint64_t id0, verts;    /* in the file; vertices of the frame's parts before */
    uint64_t cell, id;
    int64_t *piece;
} any_part;

static int read_ends(const any_part *p, any_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t cells = (uint64_t)b->parts.cells[p->number];
    const uint64_t first = cells ? batch_offsets_place(b, p->frame, p->number, p->before) : 0;
    int64_t end = 0;
    TRY(batch_offsets_stored(b, first, cells + (cells > 0)));
    for (uint64_t done = 0; done < cells; done += BATCH_PIECE) {
        uint64_t n = cells - done < BATCH_PIECE ? cells - done : BATCH_PIECE;
        TRY(h5_data_read(&b->in.offsets, first + done, n + 1, H5T_NATIVE_INT64, p->piece));
        for (uint64_t i = 0; i < n; i++) {
            if (p->piece[i] != end || p->piece[i + 1] < end)
                FAIL(IMP_ERR_INPUT, "%s: %s: not ascending from 0 at cell %llu of frame %llu",
                     b->path, b->in.offsets.name, (unsigned long long)(p->before + done + i),
                     (unsigned long long)p->frame);
            end = p->piece[i + 1];
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

static int read_ids(const any_part *p, any_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t ids = (uint64_t)b->parts.ids[p->number];
    const int64_t points = b->parts.points[p->number];
    for (uint64_t done = 0; done < ids; done += BATCH_PIECE) {
        uint64_t n = ids - done < BATCH_PIECE ? ids - done : BATCH_PIECE;
        TRY(h5_data_read(&b->in.connectivity, p->id0 + done, n, H5T_NATIVE_INT64, p->piece));
        for (uint64_t i = 0; i < n; i++) {
            if (p->piece[i] < 0 || p->piece[i] >= points)
                FAIL(IMP_ERR_INPUT,
                     "%s: %s: id %llu of frame %llu is vertex %lld, its part has %lld", b->path,
                     b->in.connectivity.name, (unsigned long long)(p->id + done + i),
                     (unsigned long long)p->frame, (long long)p->piece[i], (long long)points);
            out->id[p->id + done + i] = (uint32_t)(p->verts + (uint64_t)p->piece[i]);
        }
    }
out:
    return err;
}

/* PolyData has no types of its own. HDF5 clamps other types to a byte: 255 is none of VTK's. */
static int read_types(const any_part *p, any_cells *out)
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
out:
    return err;
}

static int read_objects(const any_part *p, uint64_t first, any_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    const uint64_t cells = (uint64_t)b->parts.cells[p->number];
    for (uint64_t done = 0; b->in.object.id >= 0 && done < cells; done += BATCH_PIECE) {
        uint64_t n = cells - done < BATCH_PIECE ? cells - done : BATCH_PIECE;
        /* as int64: HDF5 would silently clamp other types to the range of int32 */
        TRY(h5_data_read(&b->in.object, b->step[p->frame].object0 + first + done, n,
                         H5T_NATIVE_INT64, p->piece));
        for (uint64_t i = 0; i < n; i++) {
            if (p->piece[i] < INT32_MIN || p->piece[i] > INT32_MAX)
                FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %lld, outside int32",
                     b->path, b->in.object.name, (unsigned long long)(first + done + i),
                     (unsigned long long)p->frame, (long long)p->piece[i]);
            out->object[p->cell + done + i] = (int32_t)p->piece[i];
        }
    }
out:
    return err;
}

/* Array w of those that are wanted, of the cells of a part; `first`: the number of the first. */
static int read_array(const any_part *p, uint64_t first, size_t w, any_cells *out)
{
    int err = IMP_OK;
    const cell_array *want = &p->wanted->array[w];
    const size_t at = cell_arrays_find(&p->arrays->of, want->name), wanted = p->wanted->count;
    const uint64_t cells = (uint64_t)p->b->parts.cells[p->number];
    const int has = at < p->arrays->of.count, numbers = !has && !strcmp(want->name, SOURCE_ID);
    for (uint64_t done = 0; done < cells; done += BATCH_PIECE) {
        uint64_t n = cells - done < BATCH_PIECE ? cells - done : BATCH_PIECE;
        if (has)
            TRY(batch_array_read(p->b, &p->arrays->array[at], want->type, p->frame, first + done, n,
                                 p->piece));
        for (uint64_t i = 0; i < n; i++)
            out->value[wanted * (p->cell + done + i) + w] =
                has ? p->piece[i] : numbers * (int64_t)(first + done + i);
    }
out:
    return err;
}

/* What cell arrays say of them: they have the rows of all kinds of cells. */
static int read_arrays(const any_part *p, any_cells *out)
{
    int err = IMP_OK;
    const uint64_t first = cells_before(p->b, p->frame, p->number);
    for (uint64_t i = 0; i < (uint64_t)p->b->parts.cells[p->number]; i++)
        out->number[p->cell + i] = first + i;
    TRY(read_objects(p, first, out));
    for (size_t w = 0; w < p->wanted->count; w++)
        TRY(read_array(p, first, w, out));
out:
    return err;
}

/* The cells of a part, behind those that *out has; *ids: so far. */
static int read_part(any_part *p, uint64_t *ids, any_cells *out)
{
    int err = IMP_OK;
    const batch *b = p->b;
    p->cell = out->cells;
    p->id = *ids;
    TRY(read_ends(p, out));
    TRY(read_ids(p, out));
    TRY(read_types(p, out));
    TRY(read_arrays(p, out));
    p->before += (uint64_t)b->parts.cells[p->number];
    p->id0 += (uint64_t)b->parts.ids[p->number];
    p->verts += (uint64_t)b->parts.points[p->number];
    out->cells += (uint64_t)b->parts.cells[p->number];
    *ids += (uint64_t)b->parts.ids[p->number];
    p->number++;
out:
    return err;
}

static any_part first_part(const any_file *f, const batch *b, uint64_t frame,
                           const batch_arrays *arrays, const cell_arrays *wanted)
{
    const batch_step *s = &b->step[frame];
    return (any_part){.b = b,
                      .arrays = arrays,
                      .wanted = wanted,
                      .frame = frame,
                      .number = s->part0,
                      .id0 = s->id0,
                      .piece = f->piece};
}

/* In the order of cell arrays: part by part, and in each kind by kind. */
static int read_parts(const any_file *f, const any_block *a, uint64_t frame,
                      const cell_arrays *wanted, any_cells *out)
{
    int err = IMP_OK;
    const batch_step *s = &a->cells->step[frame];
    any_part cells = first_part(f, a->cells, frame, &a->arrays, wanted);
    any_part strips = a->strips ? first_part(f, a->strips, frame, &a->arrays, wanted) : cells;
    uint64_t ids = 0;
    for (uint64_t p = s->part0; p < s->part0 + s->parts; p++) {
        out->skipped += part_cells(a->cells, p, BATCH_VERTICES);
        out->skipped += part_cells(a->cells, p, BATCH_LINES);
        TRY(read_part(&cells, &ids, out));
        if (a->strips)
            TRY(read_part(&strips, &ids, out));
    }
out:
    return err;
}

/* Memory for the cells of both kinds. */
static int alloc_cells(any_file *f, const batch_step *s, const batch_step *strips, int object,
                       size_t arrays)
{
    int err = IMP_OK;
    any_cells *c = &f->at;
    const uint64_t cells = s->primitives + (strips ? strips->primitives : 0);
    const uint64_t ids = s->ids + (strips ? strips->ids : 0);
    c->vertices = s->vertices;
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

int any_read(any_file *f, size_t block, uint64_t frame, const cell_arrays *arrays, any_cells *out)
{
    int err = IMP_OK;
    const any_block *a = &f->block[block];
    const batch *b = a->cells;
    const uint64_t k = b->steps < 0 ? 0 : frame;
    const batch_step *s = &b->step[k];
    forget_cells(f);
    TRY(alloc_cells(f, s, a->strips ? &a->strips->step[k] : NULL, b->in.object.id >= 0,
                    arrays->count));
    TRY(h5_data_read(&b->in.points, s->point0, s->vertices, H5T_NATIVE_DOUBLE, f->at.point));
    TRY(read_parts(f, a, k, arrays, &f->at));
    *out = f->at;
out:
    return err;
}
