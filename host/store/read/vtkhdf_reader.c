/* See vtkhdf_reader.h: the file and its blocks. A block of PolyData that has strips is opened
 * twice: each kind of cells has its own datasets. */
#include "vtkhdf_reader.h"

#include "error.h"
#include "h5.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening */

static int vtkhdf_reader_open_kind(vtkhdf_reader *f, const char *path, const char *group,
                                   enum batch_kind kind, batch **out)
{
    const batch_selection what = {.block = f->blocks.composite ? group : NULL, 1, kind};
    return batch_open_as(f->mem, path, f->array ? BATCH_ARRAY : BATCH_OBJECT_ID,
                         f->array ? f->array : "", &what, out);
}

static int vtkhdf_reader_open_block(vtkhdf_reader *f, const char *path, size_t i)
{
    int err = IMP_OK;
    vtkhdf_reader_block *b = &f->block[i];
    TRY(vtkhdf_reader_open_kind(f, path, f->blocks.block[i].group, BATCH_POLYGONS, &b->cells));
    if (b->cells->parts.other[BATCH_STRIPS])
        TRY(vtkhdf_reader_open_kind(f, path, f->blocks.block[i].group, BATCH_STRIPS, &b->strips));
    TRY(batch_arrays_open(b->cells, &b->arrays, &f->lost));
    for (size_t k = 0; k < b->arrays.of.count; k++)
        TRY(cell_arrays_add(&f->arrays, b->arrays.of.array[k].name, b->arrays.of.array[k].type));
    /* blocks, or the values of another array, are the objects */
    if (b->cells->objects.has_cell && (f->info.by_array || (f->blocks.composite && !f->array)))
        TRY(cell_arrays_add(&f->lost, "CellData/ObjectId", COLUMN_I64));
out:
    return err;
}

/* A block without steps is the same in all of them. */
static int vtkhdf_reader_check_steps(const vtkhdf_reader *f, const batch *b)
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

static int vtkhdf_reader_open_blocks(vtkhdf_reader *f, const char *path)
{
    int err = IMP_OK;
    vtkhdf_reader_info *info = &f->info;
    info->type = IMP_FLOAT32;
    for (size_t i = 0; i < f->blocks.count; i++) {
        TRY(vtkhdf_reader_open_block(f, path, i));
        const batch *b = f->block[i].cells;
        if (!f->first || (f->first->steps < 0 && b->steps >= 0))
            f->first = b;
        info->type = b->type == IMP_FLOAT64 ? IMP_FLOAT64 : info->type;
    }
    for (size_t i = 0; i < f->blocks.count; i++)
        TRY(vtkhdf_reader_check_steps(f, f->block[i].cells));
    info->frames = f->first->frames;
    info->temporal = f->first->steps >= 0;
    info->has_object = f->array || (!info->composite && f->first->objects.has_cell);
out:
    return err;
}

/* For a file that is not composite, names were read when it was opened; those of a composite file
 * are beside its blocks. */
static int vtkhdf_reader_read_names(vtkhdf_reader *f, const char *path)
{
    int err = IMP_OK;
    hid_t file = -1;
    if (!f->blocks.composite)
        return IMP_OK;
    TRY(h5_open(path, 0, &file));
    err = batch_names_read(f->mem, path, file, f->info.frames, &f->names);
    err = err == IMP_ERR_INPUT ? IMP_OK : err; /* no contact depends on names */
    H5Fclose(file);
out:
    return err;
}

int vtkhdf_reader_open(mem *m, const char *path, const char *array, vtkhdf_reader **out)
{
    int err = IMP_OK;
    vtkhdf_reader *f = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *f, &f));
    memset(f, 0, sizeof *f);
    f->mem = f->arrays.mem = f->lost.mem = m;
    f->array = array;
    f->info.by_array = array && strcmp(array, "ObjectId") != 0;
    TRY(file_blocks_find(path, &f->blocks));
    if (!f->blocks.count)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: there is no block with data", path);
    f->info.composite = f->blocks.composite;
    f->info.blocks = f->blocks.count;
    TRY(mem_alloc(m, f->blocks.count * sizeof *f->block, &f->block));
    memset(f->block, 0, f->blocks.count * sizeof *f->block);
    TRY(mem_alloc(m, (BATCH_CHUNK + 1) * sizeof *f->chunk, &f->chunk));
    TRY(vtkhdf_reader_open_blocks(f, path));
    if (f->first->bodies.count && f->info.frames > 1)
        FAIL(IMP_ERR_INPUT,
             "%s: /impinge/bodies: convert keeps no poses, by which these bodies turn between "
             "frames; 'impinge run' reads this file as it is",
             path);
    TRY(vtkhdf_reader_read_names(f, path));
    *out = f;
    f = NULL;
out:
    vtkhdf_reader_close(f);
    return err;
}

void vtkhdf_reader_close(vtkhdf_reader *f)
{
    if (!f)
        return;
    vtkhdf_reader_free_cells(f);
    for (size_t i = 0; f->block && i < f->blocks.count; i++) {
        batch_arrays_close(&f->block[i].arrays);
        batch_close(f->block[i].cells);
        batch_close(f->block[i].strips);
    }
    batch_names_free(&f->names);
    cell_arrays_free(&f->arrays);
    cell_arrays_free(&f->lost);
    file_blocks_free(&f->blocks);
    mem_free(f->mem, f->chunk);
    mem_free(f->mem, f->block);
    mem_free(f->mem, f);
}

void vtkhdf_reader_get_info(const vtkhdf_reader *f, vtkhdf_reader_info *out)
{
    *out = f->info;
}

double vtkhdf_reader_time(const vtkhdf_reader *f, uint64_t frame)
{
    return f->first->step[frame].time;
}

const char *vtkhdf_reader_block_name(const vtkhdf_reader *f, size_t block)
{
    return f->blocks.block[block].name;
}

const batch_names *vtkhdf_reader_names(const vtkhdf_reader *f)
{
    return f->blocks.composite ? &f->names : &f->first->names;
}

const cell_arrays *vtkhdf_reader_arrays(const vtkhdf_reader *f)
{
    return &f->arrays;
}

const cell_arrays *vtkhdf_reader_lost_arrays(const vtkhdf_reader *f)
{
    return &f->lost;
}

/* ---- See vtkhdf_reader.h: the cells of a frame. */

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

/* A part being read: its cells begin at *out's cell `cell`, its ids at `id`. */
typedef struct vtkhdf_reader_part {
    const batch *b;
    const batch_arrays *arrays; /* the block's */
    const cell_arrays *wanted;
    uint64_t frame, number; /* number: the part's, in the file */
    uint64_t before;        /* cells of this kind in the frame's earlier parts */
    uint64_t id0, verts;    /* first id in the file; vertices of the frame's earlier parts */
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

/* PolyData has no types of its own. HDF5 clamps other types to a byte: 255 is no VTK type. */
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

/* Reads wanted array w for the cells of a part; first: the number of the first cell. */
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

/* Reads the cell arrays, which have rows for all kinds of cells. */
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

/* Reads the cells of a part, after those already in *out; *ids: ids read so far. */
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

/* Points and lines of a part are only counted. */
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

/* Reads in the order of cell arrays: part by part, and within a part kind by kind. */
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

/* Allocates memory for the cells of both kinds. */
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

/* ---- The blocks of a VTKHDF file. In a PartitionedDataSetCollection they are the groups of
 * /VTKHDF that have an Index, in its order. In a MultiBlockDataSet the group Assembly is a tree of
 * groups whose leaves are links to them. */

int batch_is_composite(const char *type)
{
    return !strcmp(type, "MultiBlockDataSet") || !strcmp(type, "PartitionedDataSetCollection");
}

void file_blocks_free(file_blocks *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->block[i].name);
        free(b->block[i].group);
    }
    free(b->block);
    *b = (file_blocks){0};
}

/* Takes over the texts; NULL: out of memory. */
static int file_blocks_add(file_blocks *b, char *name, char *group, int64_t index)
{
    file_block *more = realloc(b->block, (b->count + 1) * sizeof *more);
    if (more)
        b->block = more;
    if (!more || !name || !group) {
        free(name);
        free(group);
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    b->block[b->count++] = (file_block){name, group, index};
    return IMP_OK;
}

/* A search for the blocks of a file. */
typedef struct search {
    const char *path;
    file_blocks *to;
    h5_seen groups; /* visited groups of an assembly: one may contain itself */
    int depth;      /* depth of the current group */
    int err;
} search;

/* A traversal of the links of a group. */
typedef struct block_tree_walk {
    search *of;
    const char *within; /* names of the groups above, each followed by "/" */
} block_tree_walk;

/* A block with data has a Type; a block without data is an empty group. */
static int block_tree_has_data(hid_t group)
{
    return H5Aexists(group, "Type") > 0;
}

/* ---- a collection */

static herr_t block_tree_add_indexed(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    search *s = to;
    int64_t index = 0;
    (void)link;
    hid_t group = strcmp(name, "Assembly") ? H5Gopen2(at, name, H5P_DEFAULT) : -1;
    if (group >= 0 && block_tree_has_data(group)) {
        s->err = h5_attr_integers(group, s->path, name, "Index", &index, 1);
        if (!s->err)
            s->err = file_blocks_add(s->to, strdup(name), strdup(name), index);
    }
    h5_drop(group);
    return s->err != 0;
}

static int block_tree_by_index(const void *a, const void *b)
{
    int64_t x = ((const file_block *)a)->index, y = ((const file_block *)b)->index;
    return (x > y) - (x < y);
}

static int block_tree_find_indexed(search *s, hid_t root)
{
    if (H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, block_tree_add_indexed, s) < 0 &&
        !s->err)
        s->err = h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF", "its blocks cannot be listed");
    if (s->to->count)
        qsort(s->to->block, s->to->count, sizeof *s->to->block, block_tree_by_index);
    return s->err;
}

/* ---- a tree */

static char *file_blocks_join_text(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%s%s%s", a, b, c);
    return out;
}

static int block_tree_walk_group(block_tree_walk *w, hid_t group);

/* Returns the path below /VTKHDF that a leaf links to; NULL if it is no link to there. */
static char *block_tree_leaf_target(hid_t at, const char *name, const H5L_info_t *link)
{
    static const char root[] = "/VTKHDF/";
    char *to = NULL;
    if (link->type == H5L_TYPE_SOFT)
        to = calloc(1, link->u.val_size + 1);
    if (!to || H5Lget_val(at, name, to, link->u.val_size, H5P_DEFAULT) < 0 ||
        strncmp(to, root, sizeof root - 1)) {
        free(to);
        return NULL;
    }
    memmove(to, to + sizeof root - 1, strlen(to) - (sizeof root - 1) + 1);
    return to;
}

/* Data that are not behind such a link are in the tree itself. */
static int block_tree_add_leaf(block_tree_walk *w, hid_t at, const char *name,
                               const H5L_info_t *link)
{
    char *target = block_tree_leaf_target(at, name, link);
    if (!target)
        target = file_blocks_join_text("Assembly/", w->within, name);
    return file_blocks_add(w->of->to, file_blocks_join_text(w->within, name, ""), target, 0);
}

/* Adds the blocks of an inner group, whose name is a prefix of their names. */
static int block_tree_add(block_tree_walk *w, const char *name, hid_t group)
{
    char *within = file_blocks_join_text(w->within, name, "/");
    block_tree_walk below = {w->of, within};
    int err =
        within ? block_tree_walk_group(&below, group) : imp_fail(IMP_ERR_MEMORY, "out of memory");
    free(within);
    return err;
}

static herr_t file_blocks_add_node(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    block_tree_walk *w = to;
    search *s = w->of;
    hid_t group = H5Gopen2(at, name, H5P_DEFAULT);
    if (group < 0)
        s->err = h5_broken(at, s->path, "/VTKHDF/Assembly", name, "not a group");
    else if (block_tree_has_data(group))
        s->err = block_tree_add_leaf(w, at, name, link);
    else if (link->type == H5L_TYPE_HARD)
        s->err = block_tree_add(w, name, group);
    h5_drop(group);
    return s->err != 0;
}

#define TREE_DEPTH 256 /* each level uses some of the stack */

/* Visits a group; no group may occur twice in a tree. */
static int block_tree_visit(search *s, hid_t group)
{
    int err = IMP_OK;
    int is_new;
    H5O_info_t info;
    if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "cannot be read");
    TRY(h5_seen_add(&s->groups, info.fileno, info.addr, &is_new));
    if (!is_new)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "is not a tree");
    if (s->depth > TREE_DEPTH)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly",
                       "its groups are nested more than %d deep", TREE_DEPTH);
out:
    return err;
}

/* Visits the links in the order of their creation, if the file stores it: that is the order of the
 * blocks. */
static int block_tree_walk_group(block_tree_walk *w, hid_t group)
{
    search *s = w->of;
    unsigned flags = 0;
    hid_t made = H5Gget_create_plist(group);
    H5Pget_link_creation_order(made, &flags);
    H5Pclose(made);
    H5_index_t by = flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    s->depth++;
    s->err = block_tree_visit(s, group);
    if (!s->err && H5Literate(group, by, H5_ITER_INC, NULL, file_blocks_add_node, w) < 0 && !s->err)
        s->err = h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "cannot be listed");
    s->depth--;
    return s->err;
}

static int block_tree_find(search *s, hid_t root)
{
    block_tree_walk top = {s, ""};
    hid_t group = h5_exists(root, "Assembly") ? H5Gopen2(root, "Assembly", H5P_DEFAULT) : -1;
    if (group < 0)
        return h5_broken(root, s->path, "/VTKHDF", "Assembly", "missing");
    int err = block_tree_walk_group(&top, group);
    h5_drop(group);
    return err;
}

/* ---- all blocks */

static int block_tree_find_in(search *s, hid_t root)
{
    int err = IMP_OK;
    char type[64];
    TRY(h5_attr_text(root, s->path, "/VTKHDF", "Type", type, sizeof type));
    s->to->composite = batch_is_composite(type);
    if (s->to->composite)
        return *type == 'M' ? block_tree_find(s, root) : block_tree_find_indexed(s, root);
    TRY(file_blocks_add(s->to, strdup(""), strdup("."), 0));
out:
    return err;
}

int file_blocks_find(const char *path, file_blocks *out)
{
    int err = IMP_OK;
    hid_t file = -1, root = -1;
    search s = {.path = path, .to = out};
    *out = (file_blocks){0};
    TRY(h5_open(path, 0, &file));
    TRY(batch_open_root(path, file, NULL, &root));
    TRY(block_tree_find_in(&s, root));
out:
    h5_seen_free(&s.groups);
    h5_drop(root);
    if (file >= 0)
        H5Fclose(file);
    if (err)
        file_blocks_free(out);
    return err;
}
