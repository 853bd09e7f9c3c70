/* Writing a batch of frames: static topology is stored once, a new one as a new part. */
#include "store_names.h"
#include "store_poly.h"

#include "error.h"

#include <string.h>

/* Frames that share a mesh by pointer share its topology in the file. */
struct batch_writer {
    poly p;
    mem *mem;
    int type;
    const imp_mesh *mesh; /* of the last frame; its topology is part number `part` */
    int64_t part, cell0, id0, cells;
    int64_t points;
    batch_names names;
};

static const poly_array object_array[] = {{"ObjectId", COLUMN_I32}};

/* Until it is complete a batch is of no use to anybody: it goes if the program is ended at once. */
int batch_create(mem *m, const char *path, int force, int type, int objects, batch_writer **out)
{
    int err = IMP_OK;
    batch_writer *w = NULL;
    const poly_def def = {.minor = 0,
                          .fleeting = 1,
                          .cells = POLY_POLYGONS,
                          .points = type == IMP_FLOAT32 ? COLUMN_F32 : COLUMN_F64,
                          .array = object_array,
                          .arrays = objects ? 1 : 0};
    *out = NULL;
    TRY(mem_alloc(m, sizeof *w, &w));
    memset(w, 0, sizeof *w);
    w->mem = w->names.mem = m;
    w->type = type;
    w->part = -1;
    TRY(poly_create(m, path, force, &def, &w->p));
    TRY(poly_appear(&w->p));
    *out = w;
    w = NULL;
out:
    batch_discard(w);
    return err;
}

#define PIECE 16384

/* In pieces: connectivity in the file is int64, twice as wide as the mesh in memory. */
static int add_connectivity(batch_writer *w, const imp_mesh *m)
{
    int err = IMP_OK;
    int64_t id[PIECE];
    size_t n = (size_t)3 * m->primitives;
    for (size_t done = 0; done < n; done += PIECE) {
        size_t piece = n - done < PIECE ? n - done : PIECE;
        for (size_t i = 0; i < piece; i++)
            id[i] = m->corner[done + i];
        TRY(h5_grow_add(&w->p.connectivity, w->p.part, id, piece));
    }
    n = (size_t)m->primitives + 1;
    for (size_t done = 0; done < n; done += PIECE) {
        size_t piece = n - done < PIECE ? n - done : PIECE;
        for (size_t i = 0; i < piece; i++)
            id[i] = 3 * (int64_t)(done + i);
        TRY(h5_grow_add(&w->p.offsets, w->p.part, id, piece));
    }
out:
    return err;
}

/* A mesh without objects in a batch that has some is object 0. */
static int add_objects(batch_writer *w, const imp_mesh *m)
{
    int err = IMP_OK;
    int32_t none[PIECE] = {0};
    if (!w->p.def.arrays)
        return IMP_OK;
    for (size_t done = 0; done < m->primitives; done += PIECE) {
        size_t piece = m->primitives - done < PIECE ? m->primitives - done : PIECE;
        TRY(h5_grow_add(&w->p.array[0], w->p.part, m->object ? m->object + done : none, piece));
    }
out:
    return err;
}

static int add_topology(batch_writer *w, const imp_mesh *m)
{
    int err = IMP_OK;
    int64_t cells = m->primitives;
    TRY(poly_add_part(&w->p, m->vertices, cells, 3 * cells));
    TRY(add_connectivity(w, m));
    TRY(add_objects(w, m));
    w->part++;
    /* topologies follow each other; those of before stay, for frames that had them */
    w->cell0 += w->cells;
    w->id0 += 3 * w->cells;
    w->cells = cells;
    w->mesh = m;
out:
    return err;
}

/* All frames of a file are of one type; those of the other are converted. */
static int add_points(batch_writer *w, const imp_frame *f)
{
    int err = IMP_OK;
    const size_t size = f->type == IMP_FLOAT32 ? 4 : 8;
    float narrow[3 * PIECE / 3];
    double wide[3 * PIECE / 3];
    const size_t most = PIECE / 3;
    for (size_t done = 0; done < f->mesh->vertices; done += most) {
        size_t piece = f->mesh->vertices - done < most ? f->mesh->vertices - done : most;
        const char *from = (const char *)f->point + 3 * size * done;
        const void *rows = from;
        if (w->type != f->type) {
            for (size_t i = 0; i < 3 * piece; i++)
                if (w->type == IMP_FLOAT32)
                    narrow[i] = (float)((const double *)f->point)[3 * done + i];
                else
                    wide[i] = (double)((const float *)f->point)[3 * done + i];
            rows = w->type == IMP_FLOAT32 ? (const void *)narrow : (const void *)wide;
        }
        TRY(h5_grow_add(&w->p.points, w->p.part, rows, piece));
    }
out:
    return err;
}

int batch_append(batch_writer *w, const imp_frame *frame, double time)
{
    int err = IMP_OK;
    /* a mesh that comes again after another is stored again: frames mostly change for good */
    if (frame->mesh != w->mesh)
        TRY(add_topology(w, frame->mesh));
    poly_step s = {.time = time,
                   .part0 = w->part,
                   .point0 = w->points,
                   .cell0 = w->cell0,
                   .id0 = w->id0,
                   .array0 = {w->cell0}};
    TRY(add_points(w, frame));
    TRY(poly_add_step(&w->p, &s));
    w->points += frame->mesh->vertices;
out:
    return err;
}

int batch_name_frame(batch_writer *w, const char *source)
{
    return batch_names_add_source(&w->names, source);
}

int batch_name_object(batch_writer *w, int32_t object, const char *name)
{
    return batch_names_add_object(&w->names, object, name);
}

int batch_finish(batch_writer *w)
{
    int err = IMP_OK;
    /* names come last, between the rows and the number of steps that makes them count */
    TRY(poly_flush(&w->p));
    TRY(batch_names_write(&w->names, w->p.part, w->p.file));
    TRY(poly_commit(&w->p));
    TRY(poly_publish(&w->p, 0));
out:
    batch_discard(w);
    return err;
}

void batch_discard(batch_writer *w)
{
    if (!w)
        return;
    poly_discard(&w->p);
    batch_names_free(&w->names);
    mem_free(w->mem, w);
}
