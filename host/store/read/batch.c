/* Reads a batch of frames from VTKHDF. batch_steps.c finds a frame's rows of the datasets when the
 * file is opened; indices are checked as topology is read (batch_mesh.c). */
#include "batch.h"

#include "error.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kind of the file */

/* Version 1.0 has only UnstructuredGrid; 2.x is read for any x: additions of later versions are not
 * needed here. */
static int check_version(batch *b)
{
    int64_t v[2];
    char type[64];
    int err = IMP_OK;
    TRY(h5_attr_text(b->root, b->path, b->where.group, "Type", type, sizeof type));
    if (strcmp(type, "PolyData") && strcmp(type, "UnstructuredGrid"))
        FAIL(IMP_ERR_INPUT, "%s: %s: Type is '%s'; PolyData or UnstructuredGrid is needed%s",
             b->path, b->where.group, type,
             batch_is_composite(type) ? " (impinge convert joins blocks)" : "");
    b->unstructured = type[0] == 'U';
    TRY(h5_attr_integers(b->root, b->path, b->where.group, "Version", v, 2));
    if (v[0] != 2 && !(v[0] == 1 && b->unstructured))
        FAIL(IMP_ERR_INPUT, "%s: %s: Version %lld.%lld of %s is not supported", b->path,
             b->where.group, (long long)v[0], (long long)v[1], type);
out:
    return err;
}

/* ---- arrays */

/* Arrays stay open, since each frame reads a part of each of them. HDF5 would convert between
 * floats and integers, so the class must match. */
static int open_array(batch *b, const char *name, H5T_class_t class, uint64_t columns, h5_data *out)
{
    int cells = !strncmp(name, "CellData/", 9); /* unwritten rows there may mean zeros */
    int err = cells ? h5_data_open(b->mem, b->root, b->path, b->where.group, name, out)
                    : h5_data_open_stored(b->mem, b->root, b->path, b->where.group, name, out);
    if (!err && (out->class != class || (out->columns != columns && out->rows)))
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: not %llu column(s) of %s", b->path, out->name,
                       (unsigned long long)columns, class == H5T_FLOAT ? "floats" : "integers");
    return err;
}

/* Opens an array of integers, if it exists. */
static int open_known(batch *b, const char *array, h5_data *out, size_t field)
{
    int err = IMP_OK;
    char name[40];
    snprintf(name, sizeof name, "CellData/%s", array);
    if (!h5_exists(b->root, name))
        return IMP_OK;
    TRY(open_array(b, name, H5T_INTEGER, 1, out));
    TRY(batch_array_offsets(b, array, field));
out:
    return err;
}

static int open_source_ids(batch *b)
{
    const int err = open_known(b, SOURCE_ID, &b->in.source, offsetof(batch_step, source0));
    if (err != IMP_ERR_INPUT || b->in.source.id < 0)
        return err;
    batch_remark_error(b, "SourceId is not read");
    h5_data_close(&b->in.source);
    return IMP_OK;
}

/* Chooses the cell array of objects, and finds whether primitives have ids. */
static int open_cell_arrays(batch *b, const char *array)
{
    int err = IMP_OK;
    char name[160];
    b->objects.has_cell = h5_exists(b->root, "CellData/ObjectId");
    b->objects.has_point = h5_exists(b->root, "PointData/ObjectId");
    /* an easy mistake, which would silently make the whole batch one object */
    if (b->objects.source == BATCH_OBJECT_ID && b->objects.has_point && !b->objects.has_cell)
        batch_add_remark(b,
                         "%s/PointData/ObjectId is not read: objects come from "
                         "%s/CellData/ObjectId, which is missing",
                         b->where.group, b->where.group);
    if (b->objects.source == BATCH_OBJECT_ID && b->objects.has_cell)
        array = "ObjectId";
    else if (b->objects.source != BATCH_ARRAY)
        array = "";
    /* not truncated: a name with the same beginning is another array */
    if (strlen(array) >= sizeof b->objects.name)
        return batch_arrays_missing(b, array);
    snprintf(b->objects.name, sizeof b->objects.name, "%s", array);
    if (b->objects.name[0]) {
        snprintf(name, sizeof name, "CellData/%s", b->objects.name);
        if (b->objects.source == BATCH_ARRAY && !h5_exists(b->root, name))
            return batch_arrays_missing(b, array);
        TRY(open_array(b, name, H5T_INTEGER, 1, &b->in.object));
        TRY(batch_array_offsets(b, b->objects.name, offsetof(batch_step, object0)));
    }
    TRY(open_known(b, PRIMITIVE_ID, &b->in.primitive, offsetof(batch_step, primitive0)));
    TRY(open_known(b, GHOST_TYPE, &b->in.ghost, offsetof(batch_step, ghost0)));
    TRY(open_source_ids(b));
out:
    return err;
}

static int open_arrays(batch *b)
{
    int err = IMP_OK;
    const char *kind = b->unstructured ? "" : batch_kind_name[b->what.kind];
    const char *slash = b->unstructured ? "" : "/";
    char name[64];
    TRY(open_array(b, "Points", H5T_FLOAT, 3, &b->in.points));
    /* HDF5 would convert other sizes, and round some values */
    if (b->in.points.size != 4 && b->in.points.size != 8)
        FAIL(IMP_ERR_INPUT, "%s: %s: floats of %zu bytes; 4 or 8 are needed", b->path,
             b->in.points.name, b->in.points.size);
    b->type = b->in.points.size == 4 ? IMP_FLOAT32 : IMP_FLOAT64;
    snprintf(name, sizeof name, "%s%sConnectivity", kind, slash);
    TRY(open_array(b, name, H5T_INTEGER, 1, &b->in.connectivity));
    snprintf(name, sizeof name, "%s%sOffsets", kind, slash);
    TRY(open_array(b, name, H5T_INTEGER, 1, &b->in.offsets));
    if (b->unstructured)
        TRY(open_array(b, "Types", H5T_INTEGER, 1, &b->in.types));
out:
    return err;
}

/* ---- the file */

int batch_open_root(const char *path, hid_t file, const char *block, hid_t *out)
{
    *out = -1;
    if (!h5_exists(file, "VTKHDF"))
        return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF: missing; not a VTKHDF file", path);
    hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
    if (root < 0)
        return h5_broken(file, path, "", "VTKHDF", "not a group");
    *out = block ? H5Gopen2(root, block, H5P_DEFAULT) : root;
    int err = *out < 0 ? h5_broken(root, path, "/VTKHDF", block, "not a group") : IMP_OK;
    if (block)
        h5_drop(root);
    return err;
}

/* Checks from the general to the special, for the sake of messages: the file is VTKHDF, its kind is
 * supported, its tables exist, frames fit them. No frame is read before that. */
static int batch_check(batch *b, const char *array, const char *block)
{
    int err = IMP_OK;
    TRY(batch_open_root(b->path, b->file, block, &b->root));
    TRY(check_version(b));
    /* before the arrays: their rows are checked against these counts */
    TRY(batch_read_parts(b));
    TRY(open_arrays(b));
    /* steps before cell arrays, whose offsets are stored in them */
    TRY(batch_read_steps(b));
    TRY(open_cell_arrays(b, array));
    /* after all arrays are open: it checks that they have the rows of every frame */
    TRY(batch_check_steps(b));
    batch_nodes_remark(b);
    TRY(batch_count_ghosts(b));
    if (block) /* names and bodies belong to the whole file */
        goto out;
    TRY(batch_bodies_open(b));
    err = batch_names_read(b->mem, b->path, b->file, b->frames, &b->names);
    if (err == IMP_ERR_INPUT) {
        batch_remark_error(b, "no names are used");
        err = IMP_OK;
    }
    TRY(err);
out:
    return err;
}

int batch_open(mem *m, const char *path, enum object_source objects, const char *array, batch **out)
{
    return batch_open_as(m, path, objects, array, &(batch_selection){.kind = BATCH_POLYGONS}, out);
}

int batch_open_as(mem *m, const char *path, enum object_source objects, const char *array,
                  const batch_selection *what, batch **out)
{
    int err = IMP_OK;
    batch *b = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *b, &b));
    memset(b, 0, sizeof *b);
    b->mem = m;
    b->objects.source = objects;
    b->what = *what;
    b->what.block = NULL; /* the text belongs to the caller */
    snprintf(b->where.group, sizeof b->where.group, "/VTKHDF%s%s", what->block ? "/" : "",
             what->block ? what->block : "");
    snprintf(b->where.steps, sizeof b->where.steps, "%s/Steps", b->where.group);
    /* marks everything as closed: batch_close is called after an error at any step */
    b->file = b->root = b->steps = -1;
    for (int i = 0; i < BATCH_DATA; i++)
        b->in.all[i].id = -1;
    b->bodies.points.id = b->thickness.data.id = -1;
    for (int i = 0; i < POSE_FIELDS; i++)
        b->bodies.field[i].id = -1;
    /* a copy: messages need it as long as the batch lives */
    b->path = strdup(path);
    if (!b->path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(h5_open(path, 0, &b->file));
    TRY(batch_check(b, array, what->block));
    *out = b;
    b = NULL;
out:
    batch_close(b);
    return err;
}

/* Closes all objects before their file: HDF5 keeps a file open while one of its objects is. */
void batch_close(batch *b)
{
    if (!b)
        return;
    for (int i = 0; i < BATCH_DATA; i++)
        h5_data_close(&b->in.all[i]);
    batch_thickness_close(b);
    batch_mesh_release(b->last);
    mem_free(b->mem, b->objects.listed);
    batch_names_free(&b->names);
    batch_bodies_close(b);
    h5_drop(b->steps);
    h5_drop(b->root);
    if (b->file >= 0)
        H5Fclose(b->file);
    mem_free(b->mem, b->parts.points);
    mem_free(b->mem, b->parts.cells);
    mem_free(b->mem, b->parts.ids);
    mem_free(b->mem, b->parts.before);
    for (int i = 0; i < BATCH_KINDS; i++)
        mem_free(b->mem, b->parts.other[i]);
    mem_free(b->mem, b->step);
    /* from strdup, so not counted in b->mem */
    free(b->path);
    mem_free(b->mem, b);
}

/* Uses only counts: no frame has been read so far. */
void batch_get_info(const batch *b, batch_info *out)
{
    uint64_t cells = 0; /* largest frame, with ghosts */
    *out = (batch_info){.frames = b->frames,
                        .temporal = b->steps >= 0,
                        .type = b->type,
                        .has_object = b->objects.has_cell,
                        .point_object = b->objects.has_point,
                        .unstructured = b->unstructured,
                        .corners = IMP_TRIANGLES,
                        .bodies = b->bodies.count,
                        .ids = b->in.primitive.id >= 0,
                        .source_ids = b->in.source.id >= 0,
                        .static_topology = b->static_topology};
    const int ghosts = b->in.ghost.id >= 0, thick = b->thickness.of.source != 0;
    for (uint64_t f = 0; f < b->frames; f++) {
        const batch_step *s = &b->step[f];
        const uint64_t primitives = s->primitives - s->primitive_ghosts;
        out->vertices = s->vertices > out->vertices ? s->vertices : out->vertices;
        out->primitives = primitives > out->primitives ? primitives : out->primitives;
        out->ghosts += s->ghosts;
        out->empty_frames += s->primitives + s->others == s->ghosts;
        cells = s->primitives > cells ? s->primitives : cells;
        out->id_bytes = cells * (uint64_t)(8 * (out->ids + out->source_ids + thick) + 4 * ghosts);
        out->name_bytes = cells * (uint64_t)(BATCH_NAME_BYTES * out->ids + ghosts);
        out->rest_bytes = b->bodies.count ? BATCH_REST_BYTES * out->vertices : 0;
        /* counts show it before any cell is read */
        if (s->ids > IMP_TRIANGLES * s->primitives)
            out->corners = IMP_TETRAHEDRA;
    }
}

const batch_names *batch_get_names(const batch *b)
{
    return &b->names;
}

const char *batch_remark(const batch *b, size_t i)
{
    return i < b->remarks.count ? b->remarks.text[i] : NULL;
}

double batch_frame_time(const batch *b, uint64_t frame)
{
    return b->step[frame].time;
}

void batch_frame_size(const batch *b, uint64_t frame, uint64_t *vertices, uint64_t *primitives)
{
    *vertices = b->step[frame].vertices;
    *primitives = b->step[frame].primitives - b->step[frame].primitive_ghosts;
}

uint64_t batch_frame_ghosts(const batch *b, uint64_t frame)
{
    return b->step[frame].ghosts;
}

/* ---- frames */

/* One array holds the points of all frames: the pipeline uses adjacent frames in place. */
static int block_alloc(batch *b, batch_block *out, size_t count, size_t bytes)
{
    int err = IMP_OK;
    batch_block_free(out);
    out->mem = b->mem;
    TRY(mem_alloc(b->mem, count * sizeof *out->frame, &out->frame));
    TRY(mem_alloc(b->mem, count * sizeof *out->mesh, &out->mesh));
    memset(out->mesh, 0, count * sizeof *out->mesh);
    /* set last: batch_block_free releases `count` meshes, which must be pointers or NULL */
    out->count = count;
    TRY(mem_alloc(b->mem, bytes, &out->point));
    if (b->bodies.count)
        TRY(mem_alloc(b->mem, count * b->bodies.count * sizeof *out->pose, &out->pose));
out:
    return err;
}

static size_t point_bytes(const batch *b)
{
    return 3 * (b->type == IMP_FLOAT32 ? sizeof(float) : sizeof(double));
}

/* Keeps the file's type, float32 too: the devices widen it. Frames that are adjacent in the file
 * are read in one call. A slice may go backward. */
static int batch_read_points(batch *b, uint64_t first, int64_t step, size_t count, char *to)
{
    int err = IMP_OK;
    hid_t type = b->type == IMP_FLOAT32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    for (size_t i = 0; i < count;) {
        const batch_step *s = &b->step[(int64_t)first + (int64_t)i * step];
        uint64_t begin = s->point0, rows = 0;
        for (; i < count && s->point0 == begin + rows; i++) {
            rows += s->vertices;
            /* no step after the last frame: it may lead outside of b->step */
            if (i + 1 < count)
                s += step;
        }
        TRY(h5_data_read(&b->in.points, begin, rows, type, to));
        to += rows * point_bytes(b);
    }
out:
    return err;
}

/* Called after the points are read, since poses are checked against them; from frame number `from`
 * of the block on. */
static int batch_read_block_poses(batch *b, size_t from, batch_block *out)
{
    int err = IMP_OK;
    for (size_t i = from; i < out->count; i++) {
        imp_pose *pose = out->pose + i * b->bodies.count;
        TRY(batch_read_poses(b, out->mesh[i], &out->frame[i], pose));
    }
out:
    return err;
}

/* The last frame of a block becomes the first of another one. Its mesh is not copied, since the
 * next frame may have another one. */
static void batch_copy_frame(const batch *b, const batch_block *from, batch_block *to)
{
    const imp_frame *f = &from->frame[from->count - 1];
    memcpy(to->point, f->point, point_bytes(b) * b->step[f->number].vertices);
    if (b->bodies.count) {
        memcpy(to->pose, f->pose, b->bodies.count * sizeof *to->pose);
        to->frame[0].pose = to->pose;
    }
}

int batch_read(batch *b, uint64_t first, int64_t step, size_t count, batch_block *out)
{
    return batch_read_after(b, NULL, first, step, count, out);
}

/* Returns whether `before` contains the first frame. */
static int has_last(const batch_block *before, uint64_t first)
{
    return before && before->count && before->frame[before->count - 1].number == first;
}

/* Frame numbers fit in int64, so the casts are safe: NSteps is an int64. */
int batch_read_after(batch *b, const batch_block *before, uint64_t first, int64_t step,
                     size_t count, batch_block *out)
{
    int err = IMP_OK;
    size_t bytes = 0, known = count && has_last(before, first), skip = 0;
    for (size_t i = 0; i < count; i++)
        bytes += point_bytes(b) * b->step[(int64_t)first + (int64_t)i * step].vertices;
    TRY(block_alloc(b, out, count, bytes));
    char *at = out->point;
    for (size_t i = 0; i < count; i++) {
        uint64_t f = (uint64_t)((int64_t)first + (int64_t)i * step);
        TRY(batch_mesh_get(b, f, &out->mesh[i]));
        out->frame[i] = (imp_frame){.mesh = &out->mesh[i]->mesh,
                                    .point = at,
                                    .type = b->type,
                                    .number = f,
                                    .time = batch_frame_time(b, f)};
        at += point_bytes(b) * b->step[f].vertices;
    }
    if (known) {
        batch_copy_frame(b, before, out);
        skip = point_bytes(b) * b->step[first].vertices;
    }
    if (count > known)
        TRY(batch_read_points(b, known ? (uint64_t)((int64_t)first + step) : first, step,
                              count - known, (char *)out->point + skip));
    if (b->bodies.count)
        TRY(batch_read_block_poses(b, known, out));
out:
    if (err)
        batch_block_free(out);
    return err;
}

int batch_read_mesh(batch *b, uint64_t frame, batch_block *out)
{
    int err = IMP_OK;
    TRY(block_alloc(b, out, 1, 0));
    TRY(batch_mesh_get(b, frame, &out->mesh[0]));
    out->frame[0] = (imp_frame){.mesh = &out->mesh[0]->mesh,
                                .type = b->type,
                                .number = frame,
                                .time = batch_frame_time(b, frame)};
out:
    if (err)
        batch_block_free(out);
    return err;
}

void batch_block_free(batch_block *out)
{
    for (size_t i = 0; i < out->count; i++)
        batch_mesh_release(out->mesh[i]);
    if (out->mem) {
        mem_free(out->mem, out->frame);
        mem_free(out->mem, out->mesh);
        mem_free(out->mem, out->point);
        mem_free(out->mem, out->pose);
    }
    memset(out, 0, sizeof *out);
}

uint64_t batch_block_objects(const batch_block *b, size_t i)
{
    return b->mesh[i]->objects;
}

const batch_slab *batch_block_slab(const batch_block *b, size_t i)
{
    return &b->mesh[i]->slab;
}

const int64_t *batch_block_source_ids(const batch_block *b, size_t i)
{
    return b->mesh[i]->source_id;
}

/* ---- See batch.h: remarks on a batch. */

/* A remark is no error; it becomes a warning of the command that opens the batch. */
void batch_add_remark(batch *b, const char *format, ...)
{
    va_list args;
    assert(b->remarks.count < BATCH_REMARKS);
    va_start(args, format);
    vsnprintf(b->remarks.text[b->remarks.count], sizeof b->remarks.text[0], format, args);
    va_end(args);
    b->remarks.count++;
}

void batch_remark_error(batch *b, const char *then)
{
    const char *text = imp_error_text();
    const size_t path = strlen(b->path);
    batch_add_remark(b, "%s; %s",
                     strncmp(text, b->path, path) ? text : text + path + strspn(text + path, ": "),
                     then);
}

/* ---- Scanning a batch whose cells may have any type, for `info`. Everything is read in chunks:
 * only sums are kept of a frame. */

/* No cell type is rejected: `info` shows every file. */
int batch_open_any_type(mem *m, const char *path, batch **out)
{
    const batch_selection what = {.any_type = 1, .kind = BATCH_POLYGONS};
    return batch_open_as(m, path, BATCH_OBJECT_ID, "", &what, out);
}

/* The topology of the previous frame is not read again. */
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

/* Returns the number of vertices of a cell of this type; 0: any number. */
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

/* A chunk of a part's cells. */
typedef struct look_chunk {
    uint64_t cell, n; /* cell: its number in the frame; n: cells */
    int64_t *at;      /* [n + 1] their offsets */
    int64_t *type;    /* [n] if they have types */
    uint8_t *ghost;   /* [n]; NULL: no ghosts */
    int64_t end;      /* end of the previous cell */
} look_chunk;

/* The type is checked before it is used as an index of count[]. */
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

/* Scans a part; p->cell: the number of its first cell among those of its kind in the frame. Types
 * are read as int64, since HDF5 would clamp a wrong one to the range of a byte. */
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

/* Counts the cells of a part's Vertices, Lines or Strips by their tables. */
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

/* A vertex that is not finite is counted as bad and not included in the box. */
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

/* cell_counts_add_point counts the corners of the other box as vertices, so the counts are set
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
