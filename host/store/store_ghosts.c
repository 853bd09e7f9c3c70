/* Ghost cells: CellData/vtkGhostType says that another piece of the data has the same cell, or that
 * a cell is not to be seen. They take no part, like cells that are not there; all others keep their
 * numbers in the frame. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"

#include <string.h>

/* Bits of vtkDataSetAttributes::CellGhostTypes. Others say where a cell is, such as at the border
 * of its piece. */
#define DUPLICATE 1
#define HIDDEN 32

#define READ_CELLS ((uint64_t)4096) /* at a time */

int batch_ghosts_read(const batch *b, uint64_t frame, uint64_t first, uint64_t n, uint8_t *out)
{
    int err = IMP_OK;
    int64_t at[READ_CELLS];
    for (uint64_t done = 0; done < n; done += READ_CELLS) {
        const uint64_t rows = n - done < READ_CELLS ? n - done : READ_CELLS;
        TRY(h5_data_read(&b->in.ghost, b->step[frame].ghost0 + first + done, rows, H5T_NATIVE_INT64,
                         at));
        for (uint64_t i = 0; i < rows; i++)
            out[done + i] = (at[i] & (DUPLICATE | HIDDEN)) != 0;
    }
out:
    return err;
}

/* ---- their number */

int batch_ghosts_among(const batch *b, uint64_t frame, uint64_t first, uint64_t cells,
                       uint64_t *sum)
{
    int err = IMP_OK;
    uint8_t ghost[READ_CELLS];
    for (uint64_t done = 0; done < cells; done += READ_CELLS) {
        const uint64_t n = cells - done < READ_CELLS ? cells - done : READ_CELLS;
        TRY(batch_ghosts_read(b, frame, first + done, n, ghost));
        for (uint64_t i = 0; i < n; i++)
            *sum += ghost[i];
    }
out:
    return err;
}

/* Cells of the kind that is read are among others in PolyData. */
static int ghosts_count_frame(batch *b, uint64_t f)
{
    int err = IMP_OK;
    batch_step *s = &b->step[f];
    const enum batch_kind kind = b->what.kind;
    TRY(batch_ghosts_among(b, f, 0, s->primitives + s->others, &s->ghosts));
    s->primitive_ghosts = s->ghosts;
    if (!s->others)
        goto out;
    s->primitive_ghosts = 0;
    for (uint64_t p = s->part0; p < s->part0 + s->parts; p++)
        TRY(batch_ghosts_among(b, f, batch_cells_before(b, f, p, kind),
                               batch_kind_cells(b, p, kind), &s->primitive_ghosts));
out:
    return err;
}

/* Most files have the same rows for all frames: they are read once. */
int batch_count_ghosts(batch *b)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < b->frames && b->in.ghost.id >= 0; f++) {
        batch_step *s = &b->step[f], *before = f ? s - 1 : s;
        if (f && batch_same_mesh(b, f, f - 1) && s->others == before->others) {
            s->ghosts = before->ghosts;
            s->primitive_ghosts = before->primitive_ghosts;
            continue;
        }
        TRY(ghosts_count_frame(b, f));
    }
out:
    return err;
}

/* ---- without them */

void batch_select_rows(void *array, size_t bytes, const uint32_t *number, size_t n)
{
    char *to = array;
    for (size_t i = 0; to && i < n; i++)
        memmove(to + bytes * i, to + bytes * number[i], bytes);
}

int batch_mesh_drop_ghosts(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const uint64_t cells = m->mesh.primitives, ghosts = b->step[frame].primitive_ghosts;
    uint8_t *ghost = NULL;
    uint32_t n = 0;
    if (!ghosts)
        return IMP_OK;
    TRY(mem_alloc(b->mem, cells, &ghost));
    TRY(mem_alloc(b->mem, (cells - ghosts) * sizeof *m->slab.number, &m->slab.number));
    TRY(batch_ghosts_read(b, frame, 0, cells, ghost));
    for (uint64_t i = 0; i < cells; i++)
        if (!ghost[i])
            m->slab.number[n++] = (uint32_t)i;
    batch_select_rows(m->corner, mesh_corners(&m->mesh) * sizeof *m->corner, m->slab.number, n);
    batch_select_rows(m->corner_count, sizeof *m->corner_count, m->slab.number, n);
    batch_select_rows(m->object, sizeof *m->object, m->slab.number, n);
    batch_select_rows(m->id, sizeof *m->id, m->slab.number, n);
    batch_select_rows(m->source_id, sizeof *m->source_id, m->slab.number, n);
    m->mesh.primitives = n;
out:
    mem_free(b->mem, ghost);
    return err;
}
