/* Finds the rows of the datasets for each frame. All counts and offsets are checked when the file
 * is opened, so that a batch whose frame 900 is bad is rejected before frame 0 is computed. */
#include "batch.h"
#include "error.h"
#include "frame.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#define VERTICES_MOST (UINT32_MAX - 1)
#define PRIMITIVES_MOST INT32_MAX

const char *const batch_kind_name[BATCH_KINDS] = {"Vertices", "Lines", "Polygons", "Strips"};

/* ---- counts of parts */

static int batch_steps_check_counts(const batch *b, const char *name, const int64_t *count,
                                    uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        /* sums of a few of them then do not overflow; frames have their own limits, checked
         * later */
        if (count[i] < 0 || count[i] > INT64_MAX / 4)
            return imp_fail(IMP_ERR_INPUT, "%s: %s/%s: %lld in part %llu", b->path, b->where.group,
                            name, (long long)count[i], (unsigned long long)i);
    return IMP_OK;
}

/* The first of these tables determines the number of parts; the others must have the same. */
static int read_counts(batch *b, const char *name, int64_t **out)
{
    int err = IMP_OK;
    uint64_t n = 0, written = 0;
    TRY(h5_read_integers(b->mem, b->root, b->path, b->where.group, name, 1, out, &n, &written));
    if (b->parts.points != *out && n != b->parts.count)
        FAIL(IMP_ERR_INPUT, "%s: %s/%s: has %llu parts, NumberOfPoints %llu", b->path,
             b->where.group, name, (unsigned long long)n, (unsigned long long)b->parts.count);
    b->parts.count = n;
    /* zeros that HDF5 makes up would be parts without points: sum_parts rejects frames with these
     * parts */
    b->parts.written = written < b->parts.written ? written : b->parts.written;
    TRY(batch_steps_check_counts(b, name, *out, n));
out:
    return err;
}

/* Kinds of PolyData cells that are not read must have no cells, unless the caller handles them. */
static int read_other(batch *b, int kind)
{
    int err = IMP_OK;
    int64_t *count = NULL;
    uint64_t n = 0, with = 0;
    char name[64];
    snprintf(name, sizeof name, "%s/NumberOfCells", batch_kind_name[kind]);
    if (!h5_exists(b->root, name))
        return IMP_OK;
    TRY(h5_read_integers(b->mem, b->root, b->path, b->where.group, name, 1, &count, &n, NULL));
    TRY(batch_steps_check_counts(b, name, count, n));
    while (with < n && count[with] == 0)
        with++;
    if (with < n && !b->what.any_type)
        FAIL(IMP_ERR_INPUT,
             "%s: %s/%s: has cells (part %llu); only Polygons are supported (impinge "
             "convert takes strips)",
             b->path, b->where.group, batch_kind_name[kind], (unsigned long long)with);
    if (with < n && n != b->parts.count)
        FAIL(IMP_ERR_INPUT, "%s: %s/%s: has %llu parts, NumberOfPoints %llu", b->path,
             b->where.group, name, (unsigned long long)n, (unsigned long long)b->parts.count);
    if (with < n) {
        b->parts.other[kind] = count;
        count = NULL;
    }
out:
    mem_free(b->mem, count);
    return err;
}

static uint64_t saturated(uint64_t a, int64_t b)
{
    return a > UINT64_MAX - (uint64_t)b ? UINT64_MAX : a + (uint64_t)b;
}

/* Prefix sums, so that a frame takes the same time for any number of parts. */
static int sum_before(batch *b)
{
    int err = IMP_OK;
    const batch_parts *p = &b->parts;
    TRY(mem_alloc(b->mem, (p->count + 1) * sizeof *p->before, &b->parts.before));
    p->before[0] = (batch_part_sums){0};
    for (uint64_t i = 0; i < p->count; i++) {
        batch_part_sums s = p->before[i];
        s.points = saturated(s.points, p->points[i]);
        s.cells = saturated(s.cells, p->cells[i]);
        s.ids = saturated(s.ids, p->ids[i]);
        for (int k = 0; k < BATCH_KINDS; k++)
            s.others = saturated(s.others, p->other[k] ? p->other[k][i] : 0);
        s.empty += p->cells[i] == 0;
        p->before[i + 1] = s;
    }
out:
    return err;
}

int batch_read_parts(batch *b)
{
    int err = IMP_OK;
    const char *kind = b->unstructured ? "" : batch_kind_name[b->what.kind];
    const char *slash = b->unstructured ? "" : "/";
    char cells[64], ids[64];
    snprintf(cells, sizeof cells, "%s%sNumberOfCells", kind, slash);
    snprintf(ids, sizeof ids, "%s%sNumberOfConnectivityIds", kind, slash);
    b->parts.written = UINT64_MAX;
    TRY(read_counts(b, "NumberOfPoints", &b->parts.points));
    for (int i = 0; i < BATCH_KINDS && !b->unstructured; i++)
        if (i != (int)b->what.kind)
            TRY(read_other(b, i));
    TRY(read_counts(b, cells, &b->parts.cells));
    TRY(read_counts(b, ids, &b->parts.ids));
    TRY(sum_before(b));
out:
    return err;
}

/* ---- steps */

/* Checks that each step has a time value. */
static int batch_steps_check_values(batch *b, uint64_t frames)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    TRY(h5_data_open(b->mem, b->steps, b->path, b->where.steps, "Values", &d));
    if (d.columns != 1 || (d.class != H5T_FLOAT && d.class != H5T_INTEGER))
        FAIL(IMP_ERR_INPUT, "%s: %s: not a list of numbers", b->path, d.name);
    if (d.rows < frames)
        FAIL(IMP_ERR_INPUT, "%s: %s: has %llu steps, NSteps is %llu", b->path, d.name,
             (unsigned long long)d.rows, (unsigned long long)frames);
    if (d.rows > frames)
        batch_add_remark(b, "%s has %llu steps, but NSteps is %llu: the others are not read",
                         d.name, (unsigned long long)d.rows, (unsigned long long)frames);
out:
    h5_data_close(&d);
    return err;
}

/* batch_steps_check_values has checked that there are enough values. */
static int read_times(batch *b)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    double *time = NULL;
    TRY(mem_alloc(b->mem, b->frames * sizeof *time, &time));
    TRY(h5_data_open(b->mem, b->steps, b->path, b->where.steps, "Values", &d));
    TRY(h5_data_read(&d, 0, b->frames, H5T_NATIVE_DOUBLE, time));
    for (uint64_t f = 0; f < b->frames; f++) {
        if (!isfinite(time[f]))
            FAIL(IMP_ERR_INPUT, "%s: %s: step %llu has the time %g", b->path, d.name,
                 (unsigned long long)f, time[f]);
        b->step[f].time = time[f];
    }
out:
    h5_data_close(&d);
    mem_free(b->mem, time);
    return err;
}

/* Reads one column of a table of Steps: name[frame], or name[frame][column] of `columns`. */
static int step_column(batch *b, const char *name, uint64_t columns, int64_t **out)
{
    int err = IMP_OK;
    uint64_t rows = 0;
    TRY(h5_read_integers(b->mem, b->steps, b->path, b->where.steps, name, columns, out, &rows,
                         NULL));
    /* a longer table is valid: HDF5 grows in chunks, and a writer may have stopped between two */
    if (rows < b->frames)
        FAIL(IMP_ERR_INPUT, "%s: %s/%s: has %llu steps, NSteps is %llu", b->path, b->where.steps,
             name, (unsigned long long)rows, (unsigned long long)b->frames);
    for (uint64_t i = 0; i < b->frames * columns; i++)
        if ((*out)[i] < 0)
            FAIL(IMP_ERR_INPUT, "%s: %s/%s: %lld in step %llu", b->path, b->where.steps, name,
                 (long long)(*out)[i], (unsigned long long)(i / columns));
out:
    return err;
}

/* Checks that the numbers of parts were written: no writer leaves them out to mean 0. */
static int column_written(const batch *b, const char *name)
{
    h5_data d;
    int err = h5_data_open_stored(b->mem, b->steps, b->path, b->where.steps, name, &d);
    if (!err) {
        err = h5_data_stored(&d, 0, b->frames);
        h5_data_close(&d);
    }
    return err;
}

/* Uses Steps/CellDataOffsets of the array if it exists, else the frame's own first cell. */
int batch_array_rows(batch *b, const char *name, uint64_t *row0)
{
    int err = IMP_OK;
    int64_t *at = NULL;
    char *entry = NULL; /* a name may have any length; a truncated one would be another array */
    const size_t bytes = strlen(name) + sizeof "CellDataOffsets/";
    TRY(mem_alloc(b->mem, bytes, &entry));
    snprintf(entry, bytes, "CellDataOffsets/%s", name);
    if (b->steps >= 0 && h5_exists(b->steps, entry))
        TRY(step_column(b, entry, 1, &at));
    for (uint64_t f = 0; f < b->frames; f++)
        row0[f] = at ? (uint64_t)at[f] : b->step[f].data0;
out:
    mem_free(b->mem, entry);
    mem_free(b->mem, at);
    return err;
}

int batch_array_offsets(batch *b, const char *name, size_t field)
{
    int err = IMP_OK;
    uint64_t *row0 = NULL;
    TRY(mem_alloc(b->mem, b->frames * sizeof *row0, &row0));
    TRY(batch_array_rows(b, name, row0));
    for (uint64_t f = 0; f < b->frames; f++)
        memcpy((char *)&b->step[f] + field, &row0[f], sizeof *row0);
out:
    mem_free(b->mem, row0);
    return err;
}

static int read_steps(batch *b)
{
    int err = IMP_OK;
    enum { PART0, PARTS, POINT0, CELL0, ID0, TABLES };
    static const char *const names[TABLES] = {"PartOffsets", "NumberOfParts", "PointOffsets",
                                              "CellOffsets", "ConnectivityIdOffsets"};
    int64_t *at[TABLES] = {NULL};
    /* PolyData counts cells of each kind; an UnstructuredGrid has only one kind */
    const uint64_t topologies = b->unstructured ? 1 : 4, own = b->unstructured ? 0 : b->what.kind;
    for (int i = 0; i < TABLES; i++) /* older writers have one part in each step, and no table */
        if (i != PARTS || h5_exists(b->steps, names[i]))
            TRY(step_column(b, names[i], i < CELL0 ? 1 : topologies, &at[i]));
    if (at[PARTS])
        TRY(column_written(b, names[PARTS]));
    for (uint64_t f = 0; f < b->frames; f++) {
        batch_step *s = &b->step[f];
        s->part0 = (uint64_t)at[PART0][f];
        s->parts = at[PARTS] ? (uint64_t)at[PARTS][f] : 1;
        s->point0 = (uint64_t)at[POINT0][f];
        s->cell0 = (uint64_t)at[CELL0][f * topologies + own];
        s->id0 = (uint64_t)at[ID0][f * topologies + own];
        s->data0 = 0;
        /* cell arrays contain all four kinds, one after another */
        for (uint64_t t = 0; t < topologies; t++)
            s->data0 += (uint64_t)at[CELL0][f * topologies + t];
    }
out:
    for (int i = 0; i < TABLES; i++)
        mem_free(b->mem, at[i]);
    return err;
}

/* ---- kinds of cells */

uint64_t batch_kind_cells(const batch *b, uint64_t part, enum batch_kind kind)
{
    const int64_t *count = kind == b->what.kind ? b->parts.cells : b->parts.other[kind];
    return count ? (uint64_t)count[part] : 0;
}

uint64_t batch_cells_before(const batch *b, uint64_t frame, uint64_t part, enum batch_kind kind)
{
    const batch_part_sums *begin = &b->parts.before[b->step[frame].part0],
                          *end = &b->parts.before[part];
    uint64_t sum = end->cells - begin->cells + end->others - begin->others;
    for (int k = 0; k < (int)kind; k++)
        sum += batch_kind_cells(b, part, (enum batch_kind)k);
    return sum;
}

/* ---- rows that frames need */

static int is_saturated(const batch_part_sums *s)
{
    return s->points == UINT64_MAX || s->cells == UINT64_MAX || s->ids == UINT64_MAX ||
           s->others == UINT64_MAX;
}

/* Computes the sums over a frame's parts. */
static int sum_parts(batch *b, uint64_t f)
{
    batch_step *s = &b->step[f];
    unsigned long long frame = f;
    if (s->part0 > b->parts.count || s->parts > b->parts.count - s->part0)
        return imp_fail(IMP_ERR_INPUT, "%s: %s/PartOffsets: step %llu goes past part %llu", b->path,
                        b->where.steps, frame, (unsigned long long)b->parts.count);
    if (s->part0 + s->parts > b->parts.written)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: %s: counts of part %llu (frame %llu) were never written; did "
                        "their writer end early?",
                        b->path, b->where.group, (unsigned long long)b->parts.written, frame);
    const batch_part_sums *begin = &b->parts.before[s->part0], *end = begin + s->parts;
    s->vertices = end->points - begin->points;
    s->primitives = end->cells - begin->cells;
    s->ids = end->ids - begin->ids;
    s->others = end->others - begin->others;
    if (is_saturated(end) || s->vertices > VERTICES_MOST || s->primitives > PRIMITIVES_MOST ||
        s->others > PRIMITIVES_MOST || s->ids > INT64_MAX / 4)
        return imp_fail(IMP_ERR_INPUT, "%s: frame %llu: more than %u vertices or %d primitives",
                        b->path, frame, VERTICES_MOST, PRIMITIVES_MOST);
    return IMP_OK;
}

typedef struct need {
    const h5_data *data;
    uint64_t first, rows;
} need;

#define NEEDS 7

/* Lists the rows that a step needs; 0 rows for a dataset that does not exist. */
static void step_needs(const batch *b, const batch_step *s, need out[NEEDS])
{
    uint64_t cells = s->primitives + s->others;
    const need all[NEEDS] = {
        {&b->in.points, s->point0, s->vertices},
        {&b->in.connectivity, s->id0, s->ids},
        {&b->in.types, s->cell0, b->unstructured ? cells : 0},
        {&b->in.object, s->object0, b->objects.name[0] ? cells : 0},
        {&b->in.primitive, s->primitive0, b->in.primitive.id >= 0 ? cells : 0},
        {&b->in.source, s->source0, b->in.source.id >= 0 ? cells : 0},
        {&b->in.ghost, s->ghost0, b->in.ghost.id >= 0 ? cells : 0},
    };
    memcpy(out, all, sizeof all);
}

/* Every row that a frame needs must exist, so that a run does not fail at frame 900. Both numbers
 * are from the file, so they are compared without a sum that may overflow. */
int batch_rows_fit(const batch *b, const h5_data *d, uint64_t frame, uint64_t first, uint64_t rows)
{
    if (rows <= d->rows && first <= d->rows - rows)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT, "%s: %s: has %llu rows, frame %llu needs %llu from %llu on",
                    b->path, d->name, (unsigned long long)d->rows, (unsigned long long)frame,
                    (unsigned long long)rows, (unsigned long long)first);
}

static int check_needs(const batch *b, uint64_t f)
{
    int err = IMP_OK;
    need want[NEEDS];
    step_needs(b, &b->step[f], want);
    for (int i = 0; i < NEEDS && !err; i++)
        if (want[i].rows)
            err = batch_rows_fit(b, want[i].data, f, want[i].first, want[i].rows);
    return err;
}

/* All rows between the first and the last that a frame needs must have been written, or they would
 * read as zeros. */
static int check_stored(batch *b)
{
    int err = IMP_OK;
    uint64_t first[NEEDS], end[NEEDS] = {0};
    need want[NEEDS];
    /* the largest number, so that any row is less */
    memset(first, -1, sizeof first);
    step_needs(b, &(batch_step){0}, want);
    for (uint64_t f = 0; f < b->frames; f++) {
        step_needs(b, &b->step[f], want);
        for (int i = 0; i < NEEDS; i++) {
            if (want[i].rows && want[i].first < first[i])
                first[i] = want[i].first;
            if (want[i].rows && want[i].first + want[i].rows > end[i])
                end[i] = want[i].first + want[i].rows;
        }
    }
    for (int i = 0; i < NEEDS; i++)
        if (end[i])
            TRY(h5_data_stored(want[i].data, first[i], end[i] - first[i]));
    /* all frames share one topology although the file has more: its writer may have meant another
     * one */
    if (end[1] < b->in.connectivity.rows)
        batch_add_remark(b, "%s has %llu ids, but frames use only the first %llu",
                         b->in.connectivity.name, (unsigned long long)b->in.connectivity.rows,
                         (unsigned long long)end[1]);
    /* the offsets of a part are found when it is read: batch_mesh.c */
    b->offsets_written = h5_data_missing(&b->in.offsets, 0, b->in.offsets.rows);
out:
    return err;
}

int batch_check_steps(batch *b)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < b->frames; f++) {
        TRY(sum_parts(b, f));
        TRY(check_needs(b, f));
    }
    TRY(check_stored(b));
    b->static_topology = 1;
    for (uint64_t f = 1; f < b->frames; f++)
        b->static_topology &= batch_same_mesh(b, f, f - 1);
out:
    return err;
}

/* ---- all frames */

int batch_read_steps(batch *b)
{
    int err = IMP_OK;
    int64_t n = 1; /* without Steps a file is one frame with all its parts */
    if (h5_exists(b->root, "Steps")) {
        b->steps = H5Gopen2(b->root, "Steps", H5P_DEFAULT);
        if (b->steps < 0)
            return h5_broken(b->root, b->path, b->where.group, "Steps", "not a group");
        TRY(h5_attr_integers(b->steps, b->path, b->where.steps, "NSteps", &n, 1));
        if (n < 0)
            FAIL(IMP_ERR_INPUT, "%s: %s: NSteps is %lld", b->path, b->where.steps, (long long)n);
        TRY(batch_steps_check_values(b, (uint64_t)n)); /* before any allocation of that size */
    }
    b->frames = (uint64_t)n;
    TRY(mem_alloc(b->mem, b->frames * sizeof *b->step, &b->step));
    memset(b->step, 0, b->frames * sizeof *b->step);
    if (b->steps < 0) {
        b->step[0].parts = b->parts.count;
        goto out;
    }
    TRY(read_times(b));
    TRY(read_steps(b));
out:
    return err;
}

uint64_t batch_tables_hash(const batch *b)
{
    const batch_parts *p = &b->parts;
    const int64_t *counts[] = {p->points, p->cells, p->ids};
    uint64_t hash[4] = {XXH3_64bits(b->step, b->frames * sizeof *b->step)};
    for (int i = 0; i < 3; i++)
        hash[i + 1] = XXH3_64bits(counts[i], p->count * sizeof *counts[i]);
    return XXH3_64bits(hash, sizeof hash);
}

/* ---- Ghost cells: CellData/vtkGhostType marks cells that another piece of the data owns, or that
 * are hidden. They are ignored, as if they did not exist; all other cells keep their numbers in the
 * frame. */

/* Bits of vtkDataSetAttributes::CellGhostTypes. Others describe the position of a cell, such as at
 * the border of its piece. */
#define DUPLICATE 1
#define HIDDEN 32

#define READ_CELLS ((uint64_t)4096) /* cells read at a time */

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

/* In PolyData, cells of the kind that is read are among others. */
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

/* In most files all frames have the same rows, which are read once. */
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

/* ---- removing them */

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
    batch_select_rows(m->thickness, sizeof *m->thickness, m->slab.number, n);
    m->mesh.primitives = n;
out:
    mem_free(b->mem, ghost);
    return err;
}

/* ---- See batch.h: point numbers, by which equal points of several blocks or parts are joined. */

/* The names that VTK's filters, its Exodus readers and other writers use. */
static const char *const node_arrays[] = {"GlobalPointIds", "GlobalNodeIds", "GlobalNodeId"};

const char *batch_node_array(const batch *b)
{
    char name[60];
    for (size_t i = 0; i < sizeof node_arrays / sizeof *node_arrays; i++) {
        snprintf(name, sizeof name, "PointData/%s", node_arrays[i]);
        if (h5_exists(b->root, name))
            return node_arrays[i];
    }
    return NULL;
}

void batch_nodes_remark(batch *b)
{
    const char *name = batch_node_array(b);
    int several = 0;
    for (uint64_t f = 0; f < b->frames && name; f++)
        several |= b->step[f].parts > 1;
    if (several)
        batch_add_remark(b,
                         "%s/PointData/%s: parts that have the same points are read as if they "
                         "had not; impinge convert makes them share",
                         b->where.group, name);
}

/* Uses Steps/PointDataOffsets of the array if it exists, else the frame's first point. */
static int store_nodes_first(const batch *b, const char *name, uint64_t frame, uint64_t *first)
{
    int err = IMP_OK;
    int64_t row = 0;
    h5_data offsets = {.id = -1};
    char entry[80];
    *first = b->step[frame].point0;
    snprintf(entry, sizeof entry, "PointDataOffsets/%s", name);
    if (b->steps < 0 || !h5_exists(b->steps, entry))
        return IMP_OK;
    TRY(h5_data_open(b->mem, b->steps, b->path, b->where.steps, entry, &offsets));
    if (offsets.class != H5T_INTEGER || offsets.columns != 1 || offsets.rows <= frame)
        FAIL(IMP_ERR_INPUT, "%s: %s: not a row of integers for each step", b->path, offsets.name);
    TRY(h5_data_read(&offsets, frame, 1, H5T_NATIVE_INT64, &row));
    if (row < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: step %llu begins at %lld", b->path, offsets.name,
             (unsigned long long)frame, (long long)row);
    *first = (uint64_t)row;
out:
    h5_data_close(&offsets);
    return err;
}

int batch_nodes_read(const batch *b, uint64_t frame, int64_t *out)
{
    int err = IMP_OK;
    uint64_t first = 0;
    const uint64_t vertices = b->step[frame].vertices;
    const char *name = batch_node_array(b);
    h5_data d = {.id = -1};
    char path[80];
    snprintf(path, sizeof path, "PointData/%s", name);
    TRY(store_nodes_first(b, name, frame, &first));
    TRY(h5_data_open(b->mem, b->root, b->path, b->where.group, path, &d));
    if (d.class != H5T_INTEGER || (d.columns != 1 && d.rows))
        FAIL(IMP_ERR_INPUT, "%s: %s: not 1 column(s) of integers", b->path, d.name);
    TRY(batch_rows_fit(b, &d, frame, first, vertices));
    TRY(h5_data_read(&d, first, vertices, H5T_NATIVE_INT64, out));
out:
    h5_data_close(&d);
    return err;
}
