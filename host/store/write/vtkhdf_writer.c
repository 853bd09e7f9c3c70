/* See vtkhdf_writer.h. */
#define _GNU_SOURCE
#include "vtkhdf_writer.h"

#include "error.h"
#include "output_file.h"
#include "signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* rows are read in long ranges, tables of steps once: a file of few steps stays small */
#define ROWS_CHUNK UINT64_C(4096)
#define STEPS_CHUNK 1024

/* A group is listed after its parent: vtkhdf_writer_set_groups creates them in this order. */
static const struct {
    int in; /* -1: the file */
    const char *name;
} group_table[VTKHDF_GROUPS] = {[VTKHDF_ROOT] = {-1, "VTKHDF"},
                                [VTKHDF_STEPS] = {VTKHDF_ROOT, "Steps"},
                                [VTKHDF_CELL_DATA] = {VTKHDF_ROOT, "CellData"},
                                [VTKHDF_DATA_OFFSETS] = {VTKHDF_STEPS, "CellDataOffsets"},
                                [VTKHDF_TOPOLOGY + VTKHDF_VERTICES] = {VTKHDF_ROOT, "Vertices"},
                                [VTKHDF_TOPOLOGY + VTKHDF_LINES] = {VTKHDF_ROOT, "Lines"},
                                [VTKHDF_TOPOLOGY + VTKHDF_POLYGONS] = {VTKHDF_ROOT, "Polygons"},
                                [VTKHDF_TOPOLOGY + VTKHDF_STRIPS] = {VTKHDF_ROOT, "Strips"}};

/* ---- the growing datasets of a file, in one table */

typedef struct entry {
    int data, at; /* its group */
    h5_grow_def def;
    uint64_t rows; /* its length on resumption */
} entry;

/* Returns the number of topologies in the tables of a file; the next function returns the one that
 * has cells. */
static int vtkhdf_writer_count_topologies(const vtkhdf_writer *p)
{
    return p->def.cells == VTKHDF_GRID ? 1 : VTKHDF_TOPOLOGIES;
}

static int vtkhdf_writer_topology_own(const vtkhdf_writer *p)
{
    return p->def.cells == VTKHDF_GRID ? 0 : (int)p->def.cells;
}

/* Returns the group of a topology; that of an UnstructuredGrid is the root. */
static int vtkhdf_writer_topology_group(const vtkhdf_writer *p, int t)
{
    return p->def.cells == VTKHDF_GRID ? VTKHDF_ROOT : VTKHDF_TOPOLOGY + t;
}

static entry vtkhdf_writer_row_entry(int data, int at, const char *name, enum column_type type,
                                     uint64_t rows)
{
    return (entry){data, at, {name, type, 0, ROWS_CHUNK}, rows};
}

static entry vtkhdf_writer_table_entry(int data, int at, const char *name, uint64_t columns,
                                       uint64_t rows)
{
    return (entry){data, at, {name, COLUMN_I64, columns, STEPS_CHUNK}, rows};
}

static int vtkhdf_writer_count_data(const vtkhdf_writer *p)
{
    return VTKHDF_ARRAY + 2 * p->def.arrays;
}

/* Lists the datasets of this kind of file, in the order of their creation and opening. */
static int vtkhdf_writer_entries(const vtkhdf_writer *p, const vtkhdf_extent *e, entry *out)
{
    int n = 0;
    const int cells = vtkhdf_writer_topology_group(p, vtkhdf_writer_topology_own(p));
    const uint64_t done = e->done, columns = (uint64_t)vtkhdf_writer_count_topologies(p);
    out[n++] = (entry){
        VTKHDF_POINTS, VTKHDF_ROOT, {"Points", p->def.points, 3, 2 * ROWS_CHUNK}, e->points};
    out[n++] =
        vtkhdf_writer_table_entry(VTKHDF_POINT_COUNT, VTKHDF_ROOT, "NumberOfPoints", 0, e->parts);
    out[n++] =
        vtkhdf_writer_row_entry(VTKHDF_CONNECTIVITY, cells, "Connectivity", COLUMN_I64, e->ids);
    out[n++] = vtkhdf_writer_row_entry(VTKHDF_OFFSETS, cells, "Offsets", COLUMN_I64, e->offsets);
    if (p->def.cells == VTKHDF_GRID)
        out[n++] = vtkhdf_writer_row_entry(VTKHDF_TYPES, cells, "Types", COLUMN_U8, e->cells);
    for (int t = 0; t < vtkhdf_writer_count_topologies(p); t++) {
        const int at = vtkhdf_writer_topology_group(p, t);
        out[n++] =
            vtkhdf_writer_table_entry(VTKHDF_CELL_COUNT + t, at, "NumberOfCells", 0, e->parts);
        out[n++] = vtkhdf_writer_table_entry(VTKHDF_ID_COUNT + t, at, "NumberOfConnectivityIds", 0,
                                             e->parts);
    }
    out[n++] = (entry){VTKHDF_VALUES, VTKHDF_STEPS, {"Values", COLUMN_F64, 0, STEPS_CHUNK}, done};
    out[n++] = vtkhdf_writer_table_entry(VTKHDF_PART0, VTKHDF_STEPS, "PartOffsets", 0, done);
    out[n++] = vtkhdf_writer_table_entry(VTKHDF_PARTS, VTKHDF_STEPS, "NumberOfParts", 0, done);
    out[n++] = vtkhdf_writer_table_entry(VTKHDF_POINT0, VTKHDF_STEPS, "PointOffsets", 0, done);
    out[n++] = vtkhdf_writer_table_entry(VTKHDF_CELL0, VTKHDF_STEPS, "CellOffsets", columns, done);
    out[n++] =
        vtkhdf_writer_table_entry(VTKHDF_ID0, VTKHDF_STEPS, "ConnectivityIdOffsets", columns, done);
    for (int a = 0; a < p->def.arrays; a++) {
        const vtkhdf_array *x = &p->def.array[a];
        out[n++] = vtkhdf_writer_row_entry(VTKHDF_ARRAY + 2 * a, VTKHDF_CELL_DATA, x->name, x->type,
                                           e->cells);
        out[n++] = vtkhdf_writer_table_entry(VTKHDF_ARRAY + 2 * a + 1, VTKHDF_DATA_OFFSETS, x->name,
                                             0, done);
    }
    return n;
}

/* Creates all datasets, or opens those that end at `e`. */
static int vtkhdf_writer_open_data(vtkhdf_writer *p, const char *path, const vtkhdf_extent *e)
{
    int err = IMP_OK;
    entry *all = NULL;
    TRY(mem_alloc(p->mem, (size_t)vtkhdf_writer_count_data(p) * sizeof *all, &all));
    const int n = vtkhdf_writer_entries(p, e ? e : &(vtkhdf_extent){0}, all);
    for (int i = 0; i < n; i++)
        TRY(h5_grow_open(p->mem, p->at[all[i].at], path, &all[i].def, e ? all[i].rows : H5_NEW,
                         &p->data[all[i].data]));
out:
    mem_free(p->mem, all);
    return err;
}

/* Datasets that this kind of file does not have are not open. */
static int vtkhdf_writer_for_each_data(vtkhdf_writer *p, int (*call)(h5_grow *g, const char *path))
{
    int err = IMP_OK;
    for (int i = 0; i < vtkhdf_writer_count_data(p) && !err; i++)
        if (p->data[i].id >= 0)
            err = call(&p->data[i], p->part);
    return err;
}

/* ---- creating the file */

/* NSteps 0: a file that was just begun is empty, not damaged. */
static int vtkhdf_writer_put_identity(vtkhdf_writer *p)
{
    int err = IMP_OK;
    const int64_t version[2] = {2, p->def.minor}, none = 0;
    TRY(h5_put_integers(p->at[VTKHDF_ROOT], p->path, "Version", version, 2));
    TRY(h5_put_text(p->at[VTKHDF_ROOT], p->path, "Type",
                    p->def.cells == VTKHDF_GRID ? "UnstructuredGrid" : "PolyData"));
    TRY(h5_put_integers(p->at[VTKHDF_STEPS], p->path, "NSteps", &none, 1));
out:
    return err;
}

/* Writes a topology without cells: no connectivity, and the single offset 0. Its datasets never
 * grow, so their chunks have one row. */
static int vtkhdf_writer_put_empty_topology(vtkhdf_writer *p, int t)
{
    int err = IMP_OK;
    static const h5_grow_def none = {"Connectivity", COLUMN_I64, 0, 1};
    static const h5_grow_def one = {"Offsets", COLUMN_I64, 0, 1};
    const int64_t zero = 0;
    TRY(h5_write(p->mem, p->at[VTKHDF_TOPOLOGY + t], p->path, &none, &zero, 0));
    TRY(h5_write(p->mem, p->at[VTKHDF_TOPOLOGY + t], p->path, &one, &zero, 1));
out:
    return err;
}

static hid_t vtkhdf_writer_open_group(hid_t at, const char *name)
{
    return h5_exists(at, name) ? H5Gopen2(at, name, H5P_DEFAULT) : -1;
}

/* Creates or opens all groups; returns 0 if one fails. All later readers expect them: a missing one
 * is damage. */
static int vtkhdf_writer_set_groups(vtkhdf_writer *p, hid_t (*take)(hid_t at, const char *name))
{
    const int n = p->def.cells == VTKHDF_GRID ? VTKHDF_TOPOLOGY : VTKHDF_GROUPS;
    for (int i = 0; i < n; i++) {
        const int in = group_table[i].in;
        p->at[i] = take(in < 0 ? p->file : p->at[in], group_table[i].name);
        if (p->at[i] < 0)
            return 0;
    }
    return 1;
}

static int vtkhdf_writer_make_contents(vtkhdf_writer *p)
{
    int err = IMP_OK;
    if (!vtkhdf_writer_set_groups(p, h5_group))
        return h5_fail(IMP_ERR_FILE, p->path, "/VTKHDF", "cannot be written");
    TRY(vtkhdf_writer_put_identity(p));
    for (int t = 0; t < vtkhdf_writer_count_topologies(p); t++)
        if (t != vtkhdf_writer_topology_own(p))
            TRY(vtkhdf_writer_put_empty_topology(p, t));
    TRY(vtkhdf_writer_open_data(p, p->path, NULL));
out:
    return err;
}

int store_part_name(const char *path, char **out)
{
    char *target = NULL;
    *out = NULL;
    int err = file_path_target(path, &target);
    if (!err && asprintf(out, "%s.part", target) < 0) {
        *out = NULL;
        err = imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    free(target);
    return err;
}

/* Links are followed once: the file grows beside the target of OUT, on the same file system, where
 * a rename replaces one by the other atomically. Ids are -1 before anything is opened, so that
 * vtkhdf_writer_close can follow any error. */
static int vtkhdf_writer_init(mem *m, const char *path, int force, const vtkhdf_writer_def *def,
                              vtkhdf_writer *p)
{
    int err = IMP_OK;
    memset(p, 0, sizeof *p);
    p->mem = m;
    p->force = force;
    p->def = *def;
    p->file = -1;
    for (int i = 0; i < VTKHDF_GROUPS; i++)
        p->at[i] = -1;
    TRY(mem_alloc(m, (size_t)vtkhdf_writer_count_data(p) * sizeof *p->data, &p->data));
    memset(p->data, 0, (size_t)vtkhdf_writer_count_data(p) * sizeof *p->data);
    for (int i = 0; i < vtkhdf_writer_count_data(p); i++)
        p->data[i].id = -1;
    TRY(file_path_target(path, &p->path));
    TRY(store_part_name(path, &p->part));
out:
    return err;
}

/* An existing name is rejected before anything is computed; h5_publish checks again. */
int store_path_check(const char *path, int force)
{
    struct stat s;
    if (!strcmp(path, "-"))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "-: HDF5 cannot be written to standard output; ./- is a file of that name");
    if (stat(path, &s))
        return IMP_OK;
    if (!S_ISREG(s.st_mode))
        return imp_fail(IMP_ERR_ARGUMENT, "%s: is not a regular file", path);
    if (!force)
        return imp_fail(IMP_ERR_EXISTS, "%s: exists already; --force replaces it", path);
    return IMP_OK;
}

int vtkhdf_writer_create(mem *m, const char *path, int force, const vtkhdf_writer_def *def,
                         vtkhdf_writer *p)
{
    int err = IMP_OK;
    TRY(vtkhdf_writer_init(m, path, force, def, p));
    TRY(store_path_check(path, force));
    if (asprintf(&p->fresh, "%s.new", p->part) < 0) {
        p->fresh = NULL;
        FAIL(IMP_ERR_MEMORY, "out of memory");
    }
    /* created under a third name, so that every file named path.part can be resumed */
    TRY(stale_parts_clear(p->part, p->fresh, force, def->cells == VTKHDF_LINES && !def->temporary));
    if (def->temporary)
        signals_remove(p->fresh, NULL);
    err = h5_create(p->fresh, &p->file);
    if (err)
        unlink(p->fresh); /* it may exist without having been opened */
    TRY(err);
    TRY(vtkhdf_writer_make_contents(p));
out:
    if (err)
        vtkhdf_writer_discard(p);
    return err;
}

/* From now on a kill leaves a file that --resume continues. For a moment a signal must remove both
 * names. The file is flushed first: it must be complete under the new name. */
int vtkhdf_writer_appear(vtkhdf_writer *p)
{
    int err = h5_flush(p->part, p->file);
    if (err)
        return err;
    if (p->def.temporary)
        signals_remove(p->fresh, p->part);
    errno = 0;
    if (rename(p->fresh, p->part))
        return h5_fail(IMP_ERR_FILE, p->part, NULL, "cannot be written: %s", strerror(errno));
    if (p->def.temporary)
        signals_remove(p->part, NULL);
    free(p->fresh);
    p->fresh = NULL;
    return IMP_OK;
}

/* ---- resuming a file */

/* Opens only the groups. vtkhdf_writer_open_rows opens the datasets, since it knows how many of
 * their rows are valid. */
int vtkhdf_writer_reopen(mem *m, const char *path, int force, const vtkhdf_writer_def *def,
                         vtkhdf_writer *p)
{
    int err = IMP_OK;
    TRY(vtkhdf_writer_init(m, path, force, def, p));
    TRY(h5_open(p->part, 1, &p->file));
    if (!vtkhdf_writer_set_groups(p, vtkhdf_writer_open_group))
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: damaged; cannot be resumed", p->part);
out:
    if (err)
        vtkhdf_writer_close(p);
    return err;
}

int vtkhdf_writer_open_rows(vtkhdf_writer *p, const vtkhdf_extent *e)
{
    p->done = e->done;
    return vtkhdf_writer_open_data(p, p->part, e);
}

/* Rows beyond the committed steps belong to a step that was being written, and are cut off. */
int vtkhdf_writer_truncate(vtkhdf_writer *p)
{
    return vtkhdf_writer_for_each_data(p, h5_grow_truncate);
}

/* ---- growing */

int vtkhdf_writer_add_rows(vtkhdf_writer *p, int data, const void *rows, uint64_t count)
{
    return h5_grow_add(&p->data[data], p->part, rows, count);
}

/* Adds one row to the tables of all topologies; only one of them has cells. */
int vtkhdf_writer_add_part(vtkhdf_writer *p, int64_t points, int64_t cells, int64_t ids)
{
    int err = IMP_OK;
    const int64_t none = 0;
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_POINT_COUNT, &points, 1));
    for (int t = 0; t < vtkhdf_writer_count_topologies(p); t++) {
        int own = t == vtkhdf_writer_topology_own(p);
        TRY(vtkhdf_writer_add_rows(p, VTKHDF_CELL_COUNT + t, own ? &cells : &none, 1));
        TRY(vtkhdf_writer_add_rows(p, VTKHDF_ID_COUNT + t, own ? &ids : &none, 1));
    }
out:
    return err;
}

int vtkhdf_writer_add_step(vtkhdf_writer *p, const vtkhdf_step *s)
{
    int err = IMP_OK;
    /* one part for each step: several parts were joined when they were read */
    const int64_t one = 1;
    int64_t cell0[VTKHDF_TOPOLOGIES] = {0}, id0[VTKHDF_TOPOLOGIES] = {0};
    cell0[vtkhdf_writer_topology_own(p)] = s->cell0;
    id0[vtkhdf_writer_topology_own(p)] = s->id0;
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_VALUES, &s->time, 1));
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_PART0, &s->part0, 1));
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_PARTS, &one, 1));
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_POINT0, &s->point0, 1));
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_CELL0, cell0, 1));
    TRY(vtkhdf_writer_add_rows(p, VTKHDF_ID0, id0, 1));
    for (int a = 0; a < p->def.arrays; a++)
        TRY(vtkhdf_writer_add_rows(p, VTKHDF_ARRAY + 2 * a + 1, &s->array0[a], 1));
    p->done++;
out:
    return err;
}

/* Writes the rows. On disk they are not counted until vtkhdf_writer_commit. */
int vtkhdf_writer_flush(vtkhdf_writer *p)
{
    int err = vtkhdf_writer_for_each_data(p, h5_grow_flush);
    return err ? err : h5_flush(p->part, p->file);
}

/* Called after vtkhdf_writer_flush, so that the number on disk never counts a row that does not
 * exist. */
int vtkhdf_writer_commit(vtkhdf_writer *p)
{
    int err = IMP_OK;
    const int64_t done = (int64_t)p->done;
    TRY(h5_put_integers(p->at[VTKHDF_STEPS], p->part, "NSteps", &done, 1));
    TRY(h5_flush(p->part, p->file));
out:
    return err;
}

/* ---- the end */

/* Returns -1 if the file could not be written completely. */
static int vtkhdf_writer_close_all(vtkhdf_writer *p)
{
    for (int i = 0; p->data && i < vtkhdf_writer_count_data(p); i++)
        h5_grow_close(&p->data[i]);
    mem_free(p->mem, p->data);
    p->data = NULL;
    for (int i = 0; i < VTKHDF_GROUPS; i++)
        h5_drop(p->at[i]);
    return p->file >= 0 ? h5_close(p->file) : 0;
}

/* The signal handler forgets the names before they are freed. */
void vtkhdf_writer_close(vtkhdf_writer *p)
{
    if (!p->mem)
        return;
    vtkhdf_writer_close_all(p);
    if (p->def.temporary)
        signals_remove(NULL, NULL);
    free(p->path);
    free(p->part);
    free(p->fresh);
    memset(p, 0, sizeof *p);
}

/* keep: a file that cannot be renamed still has finished frames. */
int vtkhdf_writer_publish(vtkhdf_writer *p, int keep)
{
    char *path = p->path, *part = p->part;
    /* closed before it is renamed: a file that fails to close must not get the final name */
    int err = vtkhdf_writer_close_all(p);
    err = err ? h5_fail(IMP_ERR_FILE, path, NULL, "cannot be written")
              : h5_publish(part, path, p->force);
    if (err && !keep)
        unlink(part);
    if (p->def.temporary)
        signals_remove(NULL, NULL);
    free(path);
    free(part);
    memset(p, 0, sizeof *p);
    return err;
}

/* Removes the file that this program created; a file that it could not open is not its own. */
void vtkhdf_writer_discard(vtkhdf_writer *p)
{
    if (!p->mem)
        return;
    /* its name is removed from *p, because vtkhdf_writer_close frees all names in it */
    char **name = p->fresh ? &p->fresh : &p->part, *file = *name;
    int ours = p->file >= 0;
    *name = NULL;
    vtkhdf_writer_close(p);
    if (file && ours)
        unlink(file);
    free(file);
}
