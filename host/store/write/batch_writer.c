/* Writes a batch of frames: static topology is stored once, a new one as a new part. The same
 * applies to each cell array: an array that changes from frame to frame makes no new topology. */
#include "batch_bodies.h"
#include "object_names.h"
#include "vtkhdf_writer.h"

#include "error.h"
#include "frame.h"

#include <string.h>

/* Frames that share a mesh by pointer share its topology in the file. */
struct batch_writer {
    vtkhdf_writer p;
    mem *mem;
    batch_def def;
    const imp_mesh *mesh; /* the last frame's; its topology is part number `part` */
    int64_t part, cell0, id0, cells, ids;
    int64_t points;
    vtkhdf_array *array; /* [arrays] arrays of the file: ObjectId, PrimitiveId, then def.arrays */
    int64_t *array0;     /* [arrays] first row of the last frame in each */
    int arrays, first;   /* first: the first of def.arrays */
    int64_t *value;      /* [primitives * (arrays - first)] values in the last frame */
    batch_names names;
    int named; /* the names are in the file */
    bodies_writer bodies;
    changes_writer changes;
};

/* Lists the cell arrays of the file. */
static int list_arrays(batch_writer *w)
{
    int err = IMP_OK;
    const cell_arrays *more = w->def.arrays;
    const size_t most = 2 + (more ? more->count : 0);
    int n = 0;
    TRY(mem_alloc(w->mem, most * sizeof *w->array, &w->array));
    TRY(mem_alloc(w->mem, most * sizeof *w->array0, &w->array0));
    memset(w->array0, 0, most * sizeof *w->array0);
    if (w->def.objects)
        w->array[n++] = (vtkhdf_array){"ObjectId", COLUMN_I32};
    if (w->def.ids)
        w->array[n++] = (vtkhdf_array){PRIMITIVE_ID, COLUMN_I64};
    w->first = n;
    for (size_t i = 0; more && i < more->count; i++)
        w->array[n++] = (vtkhdf_array){more->array[i].name, more->array[i].type};
    w->arrays = n;
out:
    return err;
}

/* An incomplete batch that nobody can resume is useless: it is removed if the program is ended at
 * once. */
static int writer_make(mem *m, const batch_def *def, vtkhdf_writer_def *file, batch_writer **out)
{
    int err = IMP_OK;
    batch_writer *w = NULL;
    TRY(mem_alloc(m, sizeof *w, &w));
    *out = w;
    memset(w, 0, sizeof *w);
    w->mem = w->names.mem = w->bodies.mem = w->changes.mem = m;
    w->def = *def;
    w->part = -1;
    TRY(list_arrays(w));
    *file = (vtkhdf_writer_def){.minor = 0,
                                .temporary = !def->resumable,
                                .cells = def->unstructured ? VTKHDF_GRID : VTKHDF_POLYGONS,
                                .points = def->type == IMP_FLOAT32 ? COLUMN_F32 : COLUMN_F64,
                                .array = w->array,
                                .arrays = w->arrays};
out:
    return err;
}

int batch_create(mem *m, const char *path, const batch_def *def, batch_writer **out)
{
    int err = IMP_OK;
    batch_writer *w = NULL;
    vtkhdf_writer_def file;
    *out = NULL;
    TRY(writer_make(m, def, &file, &w));
    TRY(vtkhdf_writer_create(m, path, def->force, &file, &w->p));
    /* at once: unlike a result, a batch has no provenance that must be complete before */
    TRY(vtkhdf_writer_appear(&w->p));
    if (def->changes)
        TRY(changes_writer_open(&w->changes, w->p.path, w->p.file));
    *out = w;
    w = NULL;
out:
    batch_discard(w);
    return err;
}

#define WRITER_CHUNK 16384
/* The ids of this number of cells fit in WRITER_CHUNK, even if all are tetrahedra. */
#define WRITER_CHUNK_CELLS (WRITER_CHUNK / IMP_TETRAHEDRA)

#define CELL_TRIANGLE 5
#define CELL_TETRAHEDRON 10

/* Writes in chunks: connectivity in the file is int64, twice the size of the mesh in memory.
 * Offsets begin with 0 in each part: VTK numbers them within the part, one more than there are
 * cells. */
static int batch_writer_add_cells(batch_writer *w, const imp_mesh *m)
{
    int err = IMP_OK;
    int64_t id[WRITER_CHUNK], end[WRITER_CHUNK_CELLS], last = 0;
    uint8_t type[WRITER_CHUNK_CELLS];
    TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_OFFSETS, &last, 1));
    for (size_t done = 0; done < m->primitives; done += WRITER_CHUNK_CELLS) {
        size_t n = m->primitives - done < WRITER_CHUNK_CELLS ? m->primitives - done
                                                             : WRITER_CHUNK_CELLS,
               ids = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t corner_count = mesh_corners_of(m, done + i);
            const uint32_t *corner = m->corner + mesh_corners(m) * (done + i);
            for (uint32_t k = 0; k < corner_count; k++)
                id[ids++] = corner[k];
            end[i] = last += corner_count;
            type[i] = corner_count == IMP_TETRAHEDRA ? CELL_TETRAHEDRON : CELL_TRIANGLE;
        }
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_CONNECTIVITY, id, ids));
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_OFFSETS, end, n));
        if (w->def.unstructured)
            TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_TYPES, type, n));
    }
    w->ids = last;
out:
    return err;
}

/* In a batch with objects, a mesh without objects is object 0. */
static int add_objects(batch_writer *w, const imp_mesh *m)
{
    int err = IMP_OK;
    int32_t none[WRITER_CHUNK] = {0};
    if (!w->def.objects)
        return IMP_OK;
    for (size_t done = 0; done < m->primitives; done += WRITER_CHUNK) {
        size_t chunk = m->primitives - done < WRITER_CHUNK ? m->primitives - done : WRITER_CHUNK;
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_ARRAY, m->object ? m->object + done : none,
                                   chunk));
    }
out:
    return err;
}

/* The file has the arrays that batch_create chose, so the index of PrimitiveId depends on
 * ObjectId. */
static int add_topology(batch_writer *w, const imp_mesh *m, const int64_t *id)
{
    int err = IMP_OK;
    int64_t cells = m->primitives;
    /* topologies are stored one after another; earlier ones stay, for frames that have them */
    w->cell0 += w->cells;
    w->id0 += w->ids;
    TRY(batch_writer_add_cells(w, m));
    TRY(add_objects(w, m));
    if (w->def.ids)
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_ARRAY + 2 * !!w->def.objects, id, m->primitives));
    TRY(vtkhdf_writer_add_part(&w->p, m->vertices, cells, w->ids));
    w->part++;
    w->cells = cells;
    w->mesh = m;
    for (int a = 0; a < w->first; a++)
        w->array0[a] = w->cell0;
out:
    return err;
}

/* ---- cell arrays of any name */

/* Writes column k of `columns`, in the type of the file. */
static int batch_writer_add_column(batch_writer *w, int k, size_t columns, const int64_t *value,
                                   size_t rows)
{
    int err = IMP_OK;
    const int narrow = w->array[w->first + k].type == COLUMN_I32;
    int64_t wide[WRITER_CHUNK];
    int32_t less[WRITER_CHUNK];
    for (size_t done = 0, n; done < rows; done += n) {
        n = rows - done < WRITER_CHUNK ? rows - done : WRITER_CHUNK;
        for (size_t i = 0; i < n; i++) {
            wide[i] = value[columns * (done + i) + (size_t)k];
            less[i] = narrow ? (int32_t)wide[i] : 0;
        }
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_ARRAY + 2 * (w->first + k),
                                   narrow ? (const void *)less : (const void *)wide, n));
    }
out:
    return err;
}

static int same_column(const int64_t *x, const int64_t *y, size_t k, size_t columns, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (x[columns * i + k] != y[columns * i + k])
            return 0;
    return 1;
}

/* anew: the topology is new. Rows that a frame shares with the one before are stored once. */
static int batch_writer_add_values(batch_writer *w, const int64_t *value, size_t rows, int anew)
{
    int err = IMP_OK;
    const size_t columns = (size_t)(w->arrays - w->first), bytes = rows * columns * sizeof *value;
    if (!anew && (!bytes || !memcmp(value, w->value, bytes)))
        return IMP_OK;
    for (size_t k = 0; k < columns; k++) {
        if (!anew && same_column(value, w->value, k, columns, rows))
            continue;
        h5_grow *g = &w->p.data[VTKHDF_ARRAY + 2 * (w->first + (int)k)];
        w->array0[w->first + (int)k] = (int64_t)g->rows;
        TRY(batch_writer_add_column(w, (int)k, columns, value, rows));
    }
    if (anew) {
        mem_free(w->mem, w->value);
        w->value = NULL;
        TRY(mem_alloc(w->mem, bytes, &w->value));
    }
    if (bytes)
        memcpy(w->value, value, bytes);
out:
    return err;
}

/* All frames of a file have one type; points of the other type are converted. */
static int batch_writer_add_points(batch_writer *w, const imp_frame *f)
{
    int err = IMP_OK;
    const size_t size = f->type == IMP_FLOAT32 ? 4 : 8;
    float narrow[3 * WRITER_CHUNK / 3];
    double wide[3 * WRITER_CHUNK / 3];
    const size_t most = WRITER_CHUNK / 3;
    for (size_t done = 0; done < f->mesh->vertices; done += most) {
        size_t chunk = f->mesh->vertices - done < most ? f->mesh->vertices - done : most;
        const char *from = (const char *)f->point + 3 * size * done;
        const void *rows = from;
        if (w->def.type != f->type) {
            for (size_t i = 0; i < 3 * chunk; i++)
                if (w->def.type == IMP_FLOAT32)
                    narrow[i] = (float)((const double *)f->point)[3 * done + i];
                else
                    wide[i] = (double)((const float *)f->point)[3 * done + i];
            rows = w->def.type == IMP_FLOAT32 ? (const void *)narrow : (const void *)wide;
        }
        TRY(vtkhdf_writer_add_rows(&w->p, VTKHDF_POINTS, rows, chunk));
    }
out:
    return err;
}

/* A frame that the file cannot hold is rejected before any of it is written. bodies_writer_add,
 * which is called next, may also reject it. */
static int batch_writer_check_frame(const batch_writer *w, const imp_frame *f, const int64_t *id)
{
    const uint32_t corners = mesh_corners(f->mesh);
    if (corners < IMP_TRIANGLES || (corners > IMP_TRIANGLES && !w->def.unstructured))
        return imp_fail(IMP_ERR_ARGUMENT, "%s: frame %llu has primitives of %u corners; %s",
                        w->p.path, (unsigned long long)f->number, corners,
                        w->def.unstructured ? "only triangles and tetrahedra can be written"
                                            : "PolyData holds triangles only");
    if (w->def.ids && !id && f->mesh->primitives)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: primitives of frame %llu have no names", w->p.path,
                        (unsigned long long)f->number);
    return IMP_OK;
}

static int append(batch_writer *w, const imp_frame *frame, const int64_t *id, const int64_t *value,
                  double time)
{
    int err = IMP_OK;
    const int anew = frame->mesh != w->mesh;
    TRY(batch_writer_check_frame(w, frame, id));
    if (w->def.bodies)
        TRY(bodies_writer_add(&w->bodies, w->p.path, w->p.file, frame));
    /* a mesh that recurs after another one is stored again: frames mostly change for good */
    if (anew)
        TRY(add_topology(w, frame->mesh, id));
    if (w->arrays > w->first)
        TRY(batch_writer_add_values(w, value, frame->mesh->primitives, anew));
    vtkhdf_step s = {.time = time,
                     .part0 = w->part,
                     .point0 = w->points,
                     .cell0 = w->cell0,
                     .id0 = w->id0,
                     .array0 = w->array0};
    TRY(batch_writer_add_points(w, frame));
    TRY(vtkhdf_writer_add_step(&w->p, &s));
    w->points += frame->mesh->vertices;
out:
    return err;
}

int batch_append(batch_writer *w, const imp_frame *frame, const int64_t *id, double time)
{
    return append(w, frame, id, NULL, time);
}

int batch_append_values(batch_writer *w, const imp_frame *frame, const int64_t *value, double time)
{
    return append(w, frame, NULL, value, time);
}

int batch_append_changes(batch_writer *w, const velocity_change *change, size_t count,
                         double overlap)
{
    return changes_writer_add(&w->changes, w->p.path, w->mesh->body, change, count, overlap);
}

int batch_name_frame(batch_writer *w, const char *source)
{
    return batch_names_add_source(&w->names, source);
}

int batch_name_object(batch_writer *w, int32_t object, const char *name)
{
    return batch_names_add_object(&w->names, object, name);
}

/* Names and bodies are written last, between the rows and the number of steps that makes them
 * count. */
static int commit(batch_writer *w, int last)
{
    int err = IMP_OK;
    TRY(vtkhdf_writer_flush(&w->p));
    if (!w->named && (last || !w->names.sources)) {
        TRY(batch_names_write(&w->names, w->p.part, w->p.file));
        w->named = 1;
    }
    TRY(bodies_writer_write(&w->bodies, w->def.matter, w->p.part, last));
    TRY(changes_writer_write(&w->changes, w->p.part));
    TRY(vtkhdf_writer_commit(&w->p));
out:
    return err;
}

int batch_commit(batch_writer *w)
{
    return commit(w, 0);
}

/* ---- resuming */

/* Returns where the frames end: they have one part, with the cells of all. */
static vtkhdf_extent batch_writer_extent(const imp_mesh *m, uint64_t frames)
{
    uint64_t ids = 0;
    for (size_t i = 0; i < m->primitives; i++)
        ids += mesh_corners_of(m, i);
    return (vtkhdf_extent){.done = frames,
                           .parts = 1,
                           .points = frames * m->vertices,
                           .ids = ids,
                           .offsets = (uint64_t)m->primitives + 1,
                           .cells = m->primitives};
}

/* Opens all datasets without changing anything. */
static int batch_writer_open_rows(batch_writer *w, const imp_frame *f, uint64_t frames)
{
    int err = IMP_OK;
    int64_t steps = 0;
    const vtkhdf_extent e = batch_writer_extent(f->mesh, frames);
    TRY(h5_attr_integers(w->p.at[VTKHDF_STEPS], w->p.part, "/VTKHDF/Steps", "NSteps", &steps, 1));
    if (steps < 0 || (uint64_t)steps < frames)
        FAIL(IMP_ERR_INPUT, "%s: has %lld frames, of which %llu are needed; cannot be resumed",
             w->p.part, (long long)steps, (unsigned long long)frames);
    TRY(vtkhdf_writer_open_rows(&w->p, &e));
    if (w->def.bodies)
        TRY(bodies_writer_reopen(&w->bodies, w->p.part, w->p.file, f, frames));
    if (w->def.changes)
        TRY(changes_writer_reopen(&w->changes, w->p.part, w->p.file, frames - 1));
    w->mesh = f->mesh;
    w->part = 0;
    w->points = (int64_t)e.points;
    w->cells = (int64_t)e.cells;
    w->ids = (int64_t)e.ids;
    w->named = 1;
out:
    return err;
}

/* Writes the number of frames first, so that it never counts a row that does not exist. */
static int batch_writer_truncate(batch_writer *w)
{
    int err = IMP_OK;
    TRY(vtkhdf_writer_commit(&w->p));
    TRY(vtkhdf_writer_truncate(&w->p));
    if (w->def.bodies)
        TRY(bodies_writer_truncate(&w->bodies, w->p.part));
    if (w->def.changes)
        TRY(changes_writer_truncate(&w->changes, w->p.part));
    TRY(h5_flush(w->p.part, w->p.file));
out:
    return err;
}

int batch_resume(mem *m, const char *path, const batch_def *def, const imp_frame *frame,
                 uint64_t frames, batch_writer **out)
{
    int err = IMP_OK;
    batch_writer *w = NULL;
    vtkhdf_writer_def file;
    *out = NULL;
    TRY(writer_make(m, def, &file, &w));
    TRY(vtkhdf_writer_reopen(m, path, def->force, &file, &w->p));
    TRY(batch_writer_open_rows(w, frame, frames));
    TRY(batch_writer_truncate(w));
    *out = w;
    w = NULL;
out:
    if (w)
        vtkhdf_writer_close(&w->p); /* a file that cannot be resumed stays as it is */
    batch_discard(w);
    return err;
}

/* ---- the end */

int batch_finish(batch_writer *w)
{
    int err = IMP_OK;
    TRY(commit(w, 1));
    /* an incomplete batch is not kept */
    TRY(vtkhdf_writer_publish(&w->p, 0));
out:
    /* after vtkhdf_writer_publish w->p is zeroed, so this removes no file */
    batch_discard(w);
    return err;
}

int batch_leave(batch_writer *w)
{
    const int err = commit(w, 0);
    if (!err)
        vtkhdf_writer_close(&w->p);
    batch_discard(w);
    return err;
}

void batch_discard(batch_writer *w)
{
    if (!w)
        return;
    vtkhdf_writer_discard(&w->p);
    batch_names_free(&w->names);
    bodies_writer_free(&w->bodies);
    changes_writer_free(&w->changes);
    mem_free(w->mem, w->array);
    mem_free(w->mem, w->array0);
    mem_free(w->mem, w->value);
    mem_free(w->mem, w);
}
