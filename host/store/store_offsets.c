/* The offsets of a part's cells: where in the file they are, and whether they fit its cells. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"

/* VTK's Lagrange and Bezier cells have greater types. */
#define HIGHER_ORDER 67

/* How many of n cells, from number `cell` of the frame on, end at at[0 .. n - 1]; *end is where the
 * one before them ends, then the last of those. */
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

/* Counts the right offsets of a part from row `first` on, the first of them being 0. end[0]: the
 * last right one; end[1]: the one after it, if there is one. */
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
 * frame, may or may not have an offset: so all positions are tried, and the one whose ends fit is
 * taken; where cells have two sizes all of it must fit. p: NULL if cells may have any size. Rows
 * that cannot be read do not fit: the position that is taken at last reports the error. */
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

/* The first part whose cells are not all before cell `cell0` of the file, of the first `number`. */
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

/* The number of parts before `number` that VTK counts: those before the first cell of the frame,
 * and empty ones. */
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

/* For virtual ones reading checks it. */
int batch_offsets_stored(const batch *b, uint64_t first, uint64_t rows)
{
    if (b->in.offsets.behind || first + rows <= b->offsets_written)
        return IMP_OK;
    return h5_fail(IMP_ERR_INPUT, b->path, b->in.offsets.name, H5_NEVER_WRITTEN,
                   (unsigned long long)b->offsets_written);
}

/* The offset of row `row` is `got`, the one before it `before`. The error names the kind of file:
 * another number of vertices is a cell of another kind. */
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

/* A noun for the cells of a part, for messages. */
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
