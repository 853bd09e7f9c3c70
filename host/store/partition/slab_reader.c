/* See store_partition.h: the contents of a slab. Its primitives and vertices keep the order of the
 * frame, so that contacts of a slab are in the order of the result, and ties are decided as in the
 * frame. */
#include "partition.h"

#include "mem.h"
#include "error.h"
#include "frame.h"

#include <string.h>

/* A slab while it is read. */
typedef struct slab_reader {
    batch_partition *s;
    uint32_t slab;
    batch_mesh *m;
    uint64_t cells_added; /* primitives so far */
    uint64_t *marked;     /* bits: vertices used in the slab */
    uint32_t *before;     /* [bit_words] marked vertices before each word */
    int32_t *object;      /* [CHUNK_CELLS] objects of a chunk */
    int64_t *id, *source_id;
    double *thickness; /* [CHUNK_CELLS] from the cell array */
    char *rows;        /* [PARTITION_ROWS] vertices */
    uint32_t near;     /* the number of an object: partition_object_number */
} slab_reader;

/* ---- primitives */

static int slab_reader_has_objects(const batch_partition *s)
{
    return s->object || s->b->objects.name[0];
}

static int slab_reader_alloc_mesh(slab_reader *r)
{
    int err = IMP_OK;
    const batch_partition *s = r->s;
    batch_mesh *m = r->m;
    mem *from = s->b->mem;
    const uint64_t n = s->count[r->slab], corners = s->cells.corners;
    m->mesh.primitives = (uint32_t)n;
    m->mesh.corners = s->cells.shape.mesh.corners;
    m->objects = s->info.objects;
    TRY(mem_alloc(from, n * corners * sizeof *m->corner, &m->corner));
    TRY(mem_alloc(from, n * sizeof *m->slab.number, &m->slab.number));
    TRY(mem_alloc(from, n, &m->slab.carried));
    if (s->cells.shape.corner_count)
        TRY(mem_alloc(from, n, &m->corner_count));
    if (slab_reader_has_objects(s))
        TRY(mem_alloc(from, n * sizeof *m->object, &m->object));
    if (s->b->in.primitive.id >= 0)
        TRY(mem_alloc(from, n * sizeof *m->id, &m->id));
    if (s->b->in.source.id >= 0)
        TRY(mem_alloc(from, n * sizeof *m->source_id, &m->source_id));
    if (s->b->thickness.of.source)
        TRY(mem_alloc(from, n * sizeof *m->thickness, &m->thickness));
    m->mesh.corner = m->corner;
    m->mesh.corner_count = m->corner_count;
    m->mesh.object = m->object;
    m->mesh.id = m->id;
out:
    return err;
}

static void slab_reader_add_cell(slab_reader *r, uint64_t i, int carried)
{
    const batch_partition *s = r->s;
    const cell_chunks *p = &s->cells;
    batch_mesh *m = r->m;
    const uint32_t *corner = p->corner + p->corners * i;
    const uint64_t at = r->cells_added++;
    memcpy(m->corner + p->corners * at, corner, p->corners * sizeof *corner);
    m->slab.number[at] = (uint32_t)cell_chunks_number(p, i);
    m->slab.carried[at] = (uint8_t)carried;
    m->slab.carried_count += carried != 0;
    for (uint32_t k = 0; k < p->corners; k++)
        bit_set(r->marked, corner[k]);
    if (m->corner_count)
        m->corner_count[at] = p->corner_count[i];
    if (m->object)
        m->object[at] = s->object ? s->object[corner[0]] : r->object[i];
    if (m->id)
        m->id[at] = r->id[i];
    if (m->source_id)
        m->source_id[at] = r->source_id[i];
    if (s->b->thickness.row0)
        m->thickness[at] = r->thickness[i];
}

/* Returns `carried` of a primitive; -1 if it is not in the slab. */
static int slab_reader_carried(slab_reader *r, uint64_t i)
{
    const batch_partition *s = r->s;
    const cell_chunks *p = &s->cells;
    const uint32_t *corner = p->corner + p->corners * i;
    if (!s->def.by_objects)
        return cell_begins_before(s, &s->bounds[r->slab], corner);
    if (partition_objects_bad(s->objects.bad, corner, p->corners))
        return -1;
    r->near = partition_object_number(s, r->object[i], *corner, r->near);
    return s->objects.in[r->near] == OBJECT_OUT ? -1 : s->objects.in[r->near] == OBJECT_CARRIED;
}

static int slab_reader_add_cells(slab_reader *r, uint64_t chunk)
{
    int err = IMP_OK, asked = 0;
    batch_partition *s = r->s;
    cell_chunks *p = &s->cells;
    const int objects = r->m->object && !s->object;
    TRY(cell_chunks_read(p, chunk));
    if (objects && s->def.by_objects)
        TRY(cell_chunks_objects(p, r->object));
    for (uint64_t i = 0; i < p->cells; i++) {
        const int carried = slab_reader_carried(r, i);
        if (carried < 0)
            continue;
        /* a chunk that reaches the slab may have no primitive in it */
        if (!asked++) {
            if (objects && !s->def.by_objects)
                TRY(cell_chunks_objects(p, r->object));
            if (r->m->id)
                TRY(batch_pieces_ids(p, r->id));
            if (r->m->source_id)
                TRY(cell_chunks_source_ids(p, r->source_id));
            if (s->b->thickness.row0)
                TRY(cell_chunks_thickness(p, r->thickness));
        }
        slab_reader_add_cell(r, i, carried);
    }
out:
    return err;
}

static int slab_reader_add_all_cells(slab_reader *r)
{
    int err = IMP_OK;
    batch_partition *s = r->s;
    TRY(slab_reader_alloc_mesh(r));
    if (s->def.by_objects)
        partition_objects_select(s, r->slab);
    for (uint64_t i = 0; i < s->cells.count && s->count[r->slab]; i++)
        if (s->def.by_objects ? partition_objects_reach(&s->objects, i)
                              : slab_reaches_chunk(s, &s->bounds[r->slab], i))
            TRY(slab_reader_add_cells(r, i));
    TRY(batch_thickness_fill(s->b, s->def.frame, r->m));
out:
    return err;
}

/* ---- vertices */

/* A vertex's number in the slab is its rank among the marked vertices. */
static int slab_reader_number_vertices(slab_reader *r)
{
    int err = IMP_OK;
    batch_mesh *m = r->m;
    const uint64_t words = bit_words(r->s->cells.shape.mesh.vertices);
    uint32_t sum = 0, n = 0;
    for (uint64_t w = 0; w < words; w++) {
        r->before[w] = sum;
        sum += (uint32_t)__builtin_popcountll(r->marked[w]);
    }
    m->mesh.vertices = sum;
    TRY(mem_alloc(r->s->b->mem, sum * sizeof *m->slab.vertex, &m->slab.vertex));
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t bits = r->marked[w]; bits; bits &= bits - 1)
            m->slab.vertex[n++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    for (size_t i = 0; i < mesh_corner_count(&m->mesh); i++) {
        const uint32_t v = m->corner[i];
        const uint64_t below = r->marked[v / 64] & (((uint64_t)1 << v % 64) - 1);
        m->corner[i] = r->before[v / 64] + (uint32_t)__builtin_popcountll(below);
    }
out:
    return err;
}

static int slab_reader_place_vertices(slab_reader *r)
{
    int err = IMP_OK;
    batch_mesh *m = r->m;
    if (!r->s->def.features)
        return IMP_OK;
    TRY(mem_alloc(r->s->b->mem, m->mesh.vertices, &m->slab.vertex_at));
    for (uint32_t v = 0; v < m->mesh.vertices; v++)
        m->slab.vertex_at[v] = vertex_part_bits(r->s, &r->s->bounds[r->slab], m->slab.vertex[v]);
out:
    return err;
}

/* Reads the points of a frame. Only blocks of rows with a marked vertex are read. */
static int slab_reader_read_points(slab_reader *r, uint64_t frame, size_t size, char *to)
{
    int err = IMP_OK;
    const batch *b = r->s->b;
    const batch_mesh *m = r->m;
    hid_t type = b->type == IMP_FLOAT32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const uint32_t *v = m->slab.vertex, *end = v + m->mesh.vertices;
    while (v < end) {
        const uint64_t first = *v / PARTITION_ROWS * PARTITION_ROWS;
        const uint64_t left = b->step[frame].vertices - first;
        const uint64_t n = left < PARTITION_ROWS ? left : PARTITION_ROWS;
        TRY(h5_data_read(&b->in.points, b->step[frame].point0 + first, n, type, r->rows));
        for (; v < end && *v < first + n; v++, to += size)
            memcpy(to, r->rows + size * (*v - first), size);
    }
out:
    return err;
}

/* ---- rigid bodies, if one rotates: those with a vertex in the slab */

#define POSES 1024 /* poses read at a time */

/* Lists these bodies. has: bits of all bodies of the file */
static int slab_reader_list_bodies(slab_reader *r, uint64_t *has)
{
    int err = IMP_OK;
    const partition_bodies *b = &r->s->bodies;
    batch_mesh *m = r->m;
    uint32_t body = 0, n = 0;
    for (uint32_t v = 0; v < m->mesh.vertices; v++) {
        body = partition_body_of(b, m->slab.vertex[v], body);
        n += body != NO_BODY && !bit_of(has, body);
        if (body != NO_BODY)
            bit_set(has, body);
    }
    TRY(mem_alloc(r->s->b->mem, n * sizeof *m->body, &m->body));
    m->mesh.body = m->body;
    for (uint32_t i = 0; i < b->count; i++)
        if (bit_of(has, i))
            m->body[m->mesh.bodies++] = r->s->b->bodies.object[i];
out:
    return err;
}

static int slab_reader_read_rest_points(slab_reader *r)
{
    int err = IMP_OK;
    batch_mesh *m = r->m;
    const size_t verts = m->mesh.vertices;
    partition_rest rest = {0};
    TRY(partition_rest_open(r->s, &rest));
    TRY(mem_alloc(r->s->b->mem, 3 * verts * sizeof *m->rest, &m->rest));
    memset(m->rest, 0, 3 * verts * sizeof *m->rest);
    m->mesh.rest = m->rest;
    for (size_t first = 0, n; first < verts; first += n) {
        n = verts - first < PARTITION_ROWS ? verts - first : PARTITION_ROWS;
        TRY(partition_rest_read(&rest, 0, m->slab.vertex + first, n, m->rest + 3 * first));
    }
out:
    partition_rest_close(&rest);
    return err;
}

static int slab_reader_read_poses(slab_reader *r, uint64_t frame, const uint64_t *has, imp_pose *to)
{
    int err = IMP_OK;
    batch *b = r->s->b;
    imp_pose *some = NULL;
    TRY(mem_alloc(b->mem, POSES * sizeof *some, &some));
    for (uint32_t first = 0, n; first < b->bodies.count; first += n) {
        int any = 0;
        n = b->bodies.count - first < POSES ? b->bodies.count - first : POSES;
        for (uint32_t i = 0; i < n && !any; i++)
            any = bit_of(has, first + i);
        if (any)
            TRY(batch_poses_of(b, frame, first, n, some));
        for (uint32_t i = 0; i < n && any; i++)
            if (bit_of(has, first + i))
                *to++ = some[i];
    }
out:
    mem_free(b->mem, some);
    return err;
}

static int slab_reader_add_bodies(slab_reader *r, batch_block *out)
{
    int err = IMP_OK;
    mem *m = r->s->b->mem;
    const size_t words = bit_words(r->s->bodies.count);
    uint64_t *has = NULL;
    TRY(mem_alloc(m, words * sizeof *has, &has));
    memset(has, 0, words * sizeof *has);
    TRY(slab_reader_list_bodies(r, has));
    TRY(slab_reader_read_rest_points(r));
    TRY(mem_alloc(m, 2 * (size_t)r->m->mesh.bodies * sizeof *out->pose, &out->pose));
    for (size_t i = 0; i < 2; i++) {
        imp_pose *to = out->pose + i * r->m->mesh.bodies;
        TRY(slab_reader_read_poses(r, out->frame[i].number, has, to));
        out->frame[i].pose = to;
    }
out:
    mem_free(m, has);
    return err;
}

/* ---- the block */

static int slab_reader_make_block(slab_reader *r, batch_block *out)
{
    int err = IMP_OK;
    const batch_partition *s = r->s;
    batch *b = s->b;
    const uint64_t frame[2] = {s->def.frame, s->def.next};
    const size_t count = frame[0] == frame[1] ? 1 : 2;
    const size_t size = 3 * (b->type == IMP_FLOAT32 ? sizeof(float) : sizeof(double));
    const size_t bytes = size * r->m->mesh.vertices;
    out->mem = b->mem;
    TRY(mem_alloc(b->mem, count * sizeof *out->frame, &out->frame));
    TRY(mem_alloc(b->mem, count * sizeof *out->mesh, &out->mesh));
    TRY(mem_alloc(b->mem, count * bytes, &out->point));
    for (size_t i = 0; i < count; i++) {
        char *to = (char *)out->point + i * bytes;
        TRY(slab_reader_read_points(r, frame[i], size, to));
        out->mesh[i] = r->m;
        out->frame[i] = (imp_frame){.mesh = &r->m->mesh,
                                    .point = to,
                                    .type = b->type,
                                    .number = frame[i],
                                    .time = b->step[frame[i]].time};
    }
    if (s->bodies.row)
        TRY(slab_reader_add_bodies(r, out));
    r->m->references = (unsigned)count;
    r->m->slab.bad = r->slab ? 0 : s->info.bad;
    r->m->slab.whole = s->info.whole;
    r->m->slab.whole.vertex_at = r->m->slab.vertex_at;
    r->m->slab.whole.carried = s->def.by_objects ? r->m->slab.carried : NULL;
    r->m->slab.whole.vertex = s->def.by_objects ? r->m->slab.vertex : NULL;
    r->m = NULL; /* the block owns it now */
    out->count = count;
out:
    return err;
}

static int slab_reader_open(slab_reader *r)
{
    int err = IMP_OK;
    mem *m = r->s->b->mem;
    const uint64_t words = bit_words(r->s->cells.shape.mesh.vertices);
    TRY(mem_alloc(m, words * sizeof *r->marked, &r->marked));
    memset(r->marked, 0, words * sizeof *r->marked);
    TRY(mem_alloc(m, words * sizeof *r->before, &r->before));
    TRY(mem_alloc(m, CHUNK_CELLS * sizeof *r->object, &r->object));
    memset(r->object, 0, CHUNK_CELLS * sizeof *r->object);
    TRY(mem_alloc(m, CHUNK_CELLS * sizeof *r->id, &r->id));
    TRY(mem_alloc(m, CHUNK_CELLS * sizeof *r->source_id, &r->source_id));
    TRY(mem_alloc(m, CHUNK_CELLS * sizeof *r->thickness, &r->thickness));
    TRY(mem_alloc(m, PARTITION_ROWS * 3 * sizeof(double), &r->rows));
    TRY(mem_alloc(m, sizeof *r->m, &r->m));
    *r->m = (batch_mesh){.references = 1, .frame = r->s->def.frame, .mem = m};
out:
    return err;
}

int batch_partition_read_slab(batch_partition *s, uint32_t slab, batch_block *out)
{
    int err = IMP_OK;
    mem *m = s->b->mem;
    slab_reader r = {.s = s, .slab = slab};
    batch_block_free(out);
    TRY(slab_reader_open(&r));
    TRY(slab_reader_add_all_cells(&r));
    TRY(slab_reader_number_vertices(&r));
    TRY(slab_reader_place_vertices(&r));
    TRY(slab_reader_make_block(&r, out));
out:
    if (err)
        batch_block_free(out);
    batch_mesh_release(r.m);
    mem_free(m, r.marked);
    mem_free(m, r.before);
    mem_free(m, r.object);
    mem_free(m, r.id);
    mem_free(m, r.source_id);
    mem_free(m, r.thickness);
    mem_free(m, r.rows);
    return err;
}

/* In a typical mesh a vertex belongs to about six triangles or twenty tetrahedra, but in the worst
 * case to one; so the estimate uses the frame's ratio of vertices to primitives. */
uint64_t batch_partition_slab_bytes(const batch_partition *s, uint64_t *besides)
{
    const imp_mesh *whole = &s->cells.shape.mesh;
    const uint64_t n = s->info.largest, words = bit_words(whole->vertices);
    const uint64_t size = s->b->type == IMP_FLOAT32 ? 12 : 24;
    const uint64_t instants = s->def.frame == s->def.next ? 1 : 2;
    const double each = whole->primitives ? (double)whole->vertices / whole->primitives : 0;
    const double share = each * 1.25 < s->cells.corners ? each * 1.25 : s->cells.corners;
    const uint64_t vertices =
        s->def.by_objects ? s->objects.largest : (uint64_t)((double)n * share) + 1;
    uint64_t cell = (uint64_t)s->cells.corners * 4 + 4 + 1 + (s->cells.shape.corner_count != NULL);
    cell += (slab_reader_has_objects(s) ? 4U : 0U) + (s->b->in.primitive.id >= 0 ? 8U : 0U);
    cell += s->b->in.source.id >= 0 ? 8U : 0U;
    cell += s->b->thickness.of.source ? 8U : 0U;
    /* while a slab is read; or while the next frame is cut, after this one was freed */
    *besides = words * 12 + CHUNK_CELLS * 28 + PARTITION_ROWS * 24 + BUDGET_CUT;
    if (s->object)
        *besides += (uint64_t)whole->vertices * 4;
    if (s->def.by_objects)
        *besides += s->objects.count * OBJECT_BYTES + (uint64_t)whole->vertices * 4;
    const uint64_t bodies = partition_bodies_bytes(s, vertices, besides);
    return n * cell + vertices * (4 + instants * size + (s->def.features != 0)) + bodies;
}
