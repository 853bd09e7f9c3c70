/* See store_any.h: the file and its blocks. A block of PolyData is opened twice where it has
 * strips: each kind of cells has datasets of its own. */
#include "store_any_file.h"

#include "error.h"

#include <string.h>

/* ---- opening */

static int vtkhdf_reader_open_kind(vtkhdf_reader *f, const char *path, const char *group,
                                   enum batch_kind kind, batch **out)
{
    const batch_selection what = {.block = f->blocks.composite ? group : NULL, 1, kind};
    return batch_open_as(f->mem, path, BATCH_OBJECT_ID, "", &what, out);
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
    /* blocks are the objects */
    if (f->blocks.composite && b->cells->objects.has_cell)
        TRY(cell_arrays_add(&f->lost, "CellData/ObjectId", COLUMN_I64));
out:
    return err;
}

/* Blocks without steps are the same in all of them. */
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
    info->has_object = !info->composite && f->first->objects.has_cell;
out:
    return err;
}

/* A file that is not composite has read its names; those of a composite one are beside its blocks.
 */
static int vtkhdf_reader_read_names(vtkhdf_reader *f, const char *path)
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

int vtkhdf_reader_open(mem *m, const char *path, vtkhdf_reader **out)
{
    int err = IMP_OK;
    vtkhdf_reader *f = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *f, &f));
    memset(f, 0, sizeof *f);
    f->mem = f->arrays.mem = f->lost.mem = m;
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
