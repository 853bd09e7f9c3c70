/* See store_pieces.h. Pieces have a fixed number of cells, whatever the parts of a frame are. */
#include "store_pieces.h"

#include "error.h"
#include "frame.h"
#include "store_space.h"

#include <stdlib.h>
#include <string.h>

/* ---- chunks */

/* Ids of the frame before each chunk, where triangles and tetrahedra are mixed. */
static int count_ids(cell_chunks *p)
{
    int err = IMP_OK;
    uint64_t sum = 0;
    if (!p->shape.corner_count)
        return IMP_OK;
    TRY(mem_alloc(p->b->mem, p->count * sizeof *p->id0, &p->id0));
    for (uint64_t i = 0; i < p->shape.mesh.primitives; i++) {
        if (i % CHUNK_CELLS == 0)
            p->id0[i / CHUNK_CELLS] = sum;
        sum += p->shape.corner_count[i];
    }
out:
    return err;
}

static int check_parts(const cell_chunks *p)
{
    int err = IMP_OK;
    const batch_step *s = &p->b->step[p->frame];
    batch_part part = {.b = p->b, .frame = p->frame, .m = &p->shape, .at = p->at};
    for (part.number = s->part0; part.number < s->part0 + s->parts; part.number++) {
        TRY(batch_check_offsets(&part));
        part.cells += batch_part_cells(&part);
    }
out:
    return err;
}

int cell_chunks_open(batch *b, uint64_t frame, cell_chunks *p)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    *p = (cell_chunks){.b = b, .frame = frame};
    p->shape = (batch_mesh){.frame = frame, .mem = b->mem};
    p->shape.mesh.vertices = (uint32_t)s->vertices;
    p->shape.mesh.primitives = (uint32_t)s->primitives;
    p->count = (s->primitives + CHUNK_CELLS - 1) / CHUNK_CELLS;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *p->at, &p->at));
    TRY(batch_types_read(b, frame, &p->shape));
    p->corners = mesh_corners(&p->shape.mesh);
    TRY(count_ids(p));
    TRY(check_parts(p));
    TRY(mem_alloc(b->mem, CHUNK_CELLS * p->corners * sizeof *p->corner, &p->corner));
    if (s->primitive_ghosts) {
        TRY(mem_alloc(b->mem, CHUNK_CELLS * sizeof *p->number, &p->number));
        TRY(mem_alloc(b->mem, CHUNK_CELLS, &p->ghost));
        TRY(mem_alloc(b->mem, CHUNK_CELLS, &p->corner_count_kept));
    }
out:
    if (err)
        cell_chunks_close(p);
    return err;
}

void cell_chunks_close(cell_chunks *p)
{
    if (!p->b)
        return;
    mem_free(p->b->mem, p->shape.corner_count);
    mem_free(p->b->mem, p->at);
    mem_free(p->b->mem, p->id0);
    mem_free(p->b->mem, p->corner);
    mem_free(p->b->mem, p->number);
    mem_free(p->b->mem, p->ghost);
    mem_free(p->b->mem, p->corner_count_kept);
    *p = (cell_chunks){0};
}

int cell_chunks_seek(cell_chunks *p, uint64_t chunk)
{
    int err = IMP_OK;
    const uint64_t left = p->shape.mesh.primitives - chunk * CHUNK_CELLS;
    p->first = chunk * CHUNK_CELLS;
    p->cells = p->all = left < CHUNK_CELLS ? left : CHUNK_CELLS;
    p->corner_count = p->shape.corner_count ? p->shape.corner_count + p->first : NULL;
    if (!p->number)
        return IMP_OK;
    p->cells = 0;
    TRY(batch_ghosts_read(p->b, p->frame, p->first, p->all, p->ghost));
    for (uint64_t i = 0; i < p->all; i++) {
        if (p->ghost[i])
            continue;
        p->corner_count_kept[p->cells] = p->corner_count ? p->corner_count[i] : 0;
        p->number[p->cells++] = (uint32_t)i;
    }
    p->corner_count = p->corner_count ? p->corner_count_kept : NULL;
out:
    return err;
}

/* The rows of cells, of all in the chunk before. */
static void cell_chunks_drop_ghosts(const cell_chunks *p, void *rows, size_t bytes)
{
    if (p->number)
        batch_select_rows(rows, bytes, p->number, p->cells);
}

/* A chunk may have cells of several parts, whose vertices have numbers of their own. */
int cell_chunks_read(cell_chunks *p, uint64_t chunk)
{
    int err = IMP_OK;
    batch *b = p->b;
    const batch_step *s = &b->step[p->frame];
    TRY(cell_chunks_seek(p, chunk));
    const uint64_t first = p->first, end = first + p->all;
    uint64_t id0 = s->id0 + (p->id0 ? p->id0[chunk] : p->corners * first);
    batch_part part = {.b = b, .frame = p->frame, .m = &p->shape, .at = p->at, .number = s->part0};
    for (; part.cells < end; part.number++) {
        const uint64_t cells = batch_part_cells(&part), stop = part.cells + cells;
        const uint64_t from = part.cells > first ? part.cells : first;
        const uint64_t to = stop < end ? stop : end;
        if (from < to)
            TRY(batch_corners_read(&part, from - part.cells, to - from, &id0,
                                   p->corner + p->corners * (from - first)));
        part.verts += (uint64_t)b->parts.points[part.number];
        part.cells = stop;
    }
    cell_chunks_drop_ghosts(p, p->corner, p->corners * sizeof *p->corner);
out:
    return err;
}

int cell_chunks_objects(cell_chunks *p, int32_t *out)
{
    int err = batch_objects_read(p->b, p->frame, p->first, p->all, p->at, out);
    cell_chunks_drop_ghosts(p, out, sizeof *out);
    return err;
}

static int cell_chunks_read_ids(cell_chunks *p, const h5_data *d, uint64_t row0, int64_t *out)
{
    int err = batch_int64_read(p->b, d, row0 + p->first, p->all, p->frame, p->first, out);
    cell_chunks_drop_ghosts(p, out, sizeof *out);
    return err;
}

int batch_pieces_ids(cell_chunks *p, int64_t *out)
{
    return cell_chunks_read_ids(p, &p->b->in.primitive, p->b->step[p->frame].primitive0, out);
}

int cell_chunks_source_ids(cell_chunks *p, int64_t *out)
{
    return cell_chunks_read_ids(p, &p->b->in.source, p->b->step[p->frame].source0, out);
}

/* ---- two frames */

/* A chunk of both, as small meshes. */
static int read_both(cell_chunks side[2], uint64_t chunk, int32_t *object, int64_t *id,
                     imp_mesh mesh[2])
{
    int err = IMP_OK;
    for (int k = 0; k < 2; k++) {
        cell_chunks *p = &side[k];
        const int has_object = p->b->objects.name[0] != 0, has_id = p->b->in.primitive.id >= 0;
        TRY(cell_chunks_read(p, chunk));
        if (has_object)
            TRY(cell_chunks_objects(p, object + (uint64_t)k * CHUNK_CELLS));
        if (has_id)
            TRY(batch_pieces_ids(p, id + (uint64_t)k * CHUNK_CELLS));
        mesh[k] = (imp_mesh){.vertices = p->shape.mesh.vertices,
                             .primitives = (uint32_t)p->cells,
                             .corner = p->corner,
                             .corners = (int)p->corners,
                             .corner_count = p->corner_count,
                             .object = has_object ? object + (uint64_t)k * CHUNK_CELLS : NULL,
                             .id = has_id ? id + (uint64_t)k * CHUNK_CELLS : NULL};
    }
out:
    return err;
}

/* What whole meshes differ in first is what batch_mesh_differs asks first: vertices of primitives
 * of any chunk before objects of any. */
static int cell_chunks_earlier_difference(const char *x, const char *y)
{
    static const char order[] = "von"; /* vertices of primitives, objects, ids */
    return !y || strchr(order, *x) < strchr(order, *y);
}

int batch_partition_meshes_differ(batch *b, uint64_t f, uint64_t g, const char **what)
{
    int err = IMP_OK;
    cell_chunks side[2] = {{0}, {0}};
    imp_mesh mesh[2];
    int32_t *object = NULL;
    int64_t *id = NULL;
    *what = NULL;
    if (batch_same_mesh(b, f, g))
        return IMP_OK;
    TRY(cell_chunks_open(b, f, &side[0]));
    TRY(cell_chunks_open(b, g, &side[1]));
    TRY(mem_alloc(b->mem, 2 * CHUNK_CELLS * sizeof *object, &object));
    TRY(mem_alloc(b->mem, 2 * CHUNK_CELLS * sizeof *id, &id));
    /* numbers of primitives, of vertices, and kinds */
    const imp_mesh *x = &side[0].shape.mesh, *y = &side[1].shape.mesh;
    if (x->primitives != y->primitives || x->vertices != y->vertices || x->corners != y->corners ||
        !x->corner_count != !y->corner_count) {
        *what = batch_mesh_differs(x, y);
        *what = *what ? *what : "vertices of primitives";
        goto out;
    }
    for (uint64_t chunk = 0; chunk < side[0].count; chunk++) {
        TRY(read_both(side, chunk, object, id, mesh));
        const char *here = batch_mesh_differs(&mesh[0], &mesh[1]);
        if (here && cell_chunks_earlier_difference(here, *what))
            *what = here;
    }
out:
    cell_chunks_close(&side[0]);
    cell_chunks_close(&side[1]);
    mem_free(b->mem, object);
    mem_free(b->mem, id);
    return err;
}
