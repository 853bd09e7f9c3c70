/* See result.h: the relations of objects in each frame, from a pipeline to the file and back. */
#include "error.h"
#include "result.h"

#include <string.h>

#define RELATION_CHUNK 1024

static const char *const relation_first[RELATION_TABLES] = {"relations/offsets",
                                                            "swallowed/offsets"};

static const column_def relation_columns[] = {
#define RELATION(name, type, values, file)                                                         \
    {#name, COLUMN_TYPE(type), values, offsetof(relation_rows, name), 0,                           \
     NULL,  COLUMN_impinge,    file},
#include "relation.def"
};

static const column_def swallowed_columns[] = {
#define SWALLOWED(name, type, values, file)                                                        \
    {#name, COLUMN_TYPE(type), values, offsetof(swallowed_rows, name), 0,                          \
     NULL,  COLUMN_impinge,    file},
#include "relation.def"
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
const column_table relation_tables[RELATION_TABLES] = {
    {relation_columns, COUNT(relation_columns)}, {swallowed_columns, COUNT(swallowed_columns)}};

const char *const relation_name[RELATION_KINDS] = {[IMP_RELATION_APART] = "apart",
                                                   [IMP_RELATION_TOUCHING] = "touching",
                                                   [IMP_RELATION_CROSSING] = "crossing",
                                                   [IMP_RELATION_A_IN_B] = "a_in_b",
                                                   [IMP_RELATION_B_IN_A] = "b_in_a"};

/* All columns always exist. */
static column_set relation_set(int t)
{
    return COLUMN_BIT(relation_tables[t].count) - 1;
}

static const void *relation_view(const step_relations *of, int t, uint64_t *count)
{
    *count = t == RELATION_PAIRS ? of->pairs.count : of->swallowed.count;
    return t == RELATION_PAIRS ? (const void *)&of->pairs : &of->swallowed;
}

/* ---- copies of what a pipeline hands out */

uint64_t relation_copy_bytes(const imp_relations *of)
{
    const size_t count[] = {of->count, of->swallowed_count};
    uint64_t bytes = 0;
    for (int t = 0; t < RELATION_TABLES; t++)
        bytes += count[t] ? columns_bytes(&relation_tables[t], relation_set(t), count[t]) : 0;
    return bytes;
}

void relation_copy_free(relation_copy *c)
{
    for (int t = 0; t < RELATION_TABLES; t++)
        if (c->rows[t].table)
            columns_close(&c->rows[t]);
    *c = (relation_copy){0};
}

step_relations relation_copy_view(const relation_copy *c)
{
    step_relations out = {.closed = c->closed, .open = c->open};
    out.pairs.count = c->rows[RELATION_PAIRS].count;
    out.swallowed.count = c->rows[RELATION_SWALLOWED].count;
    if (out.pairs.count)
        columns_as_rows(&c->rows[RELATION_PAIRS], &out.pairs);
    if (out.swallowed.count)
        columns_as_rows(&c->rows[RELATION_SWALLOWED], &out.swallowed);
    return out;
}

/* A vertex: its number in the frame and its position; -1 and zeros for none. */
typedef struct relation_vertex {
    int64_t number;
    double point[3];
} relation_vertex;

static relation_vertex relation_vertex_of(uint32_t v, const imp_frame *frame,
                                          const batch_slab *part)
{
    relation_vertex out = {.number = -1};
    if (v >= frame->mesh->vertices)
        return out;
    out.number = part && part->vertex ? part->vertex[v] : v;
    for (size_t k = 0; k < 3; k++)
        out.point[k] = frame->type == IMP_FLOAT32
                           ? (double)((const float *)frame->point)[(size_t)3 * v + k]
                           : ((const double *)frame->point)[(size_t)3 * v + k];
    return out;
}

static int relation_copy_pair(column_rows *to, const imp_relation *x, const imp_frame *frame,
                              const batch_slab *part)
{
    const relation_vertex deep[2] = {relation_vertex_of(x->deepest[0], frame, part),
                                     relation_vertex_of(x->deepest[1], frame, part)};
    const relation_rows row = {.count = 1,
                               .a = &x->a,
                               .b = &x->b,
                               .relation = &(uint8_t){(uint8_t)x->relation},
                               .contacts = &(int64_t){(int64_t)x->contacts},
                               .inside_a = &(int64_t){(int64_t)x->inside[0]},
                               .inside_b = &(int64_t){(int64_t)x->inside[1]},
                               .touching_a = &(int64_t){(int64_t)x->touching[0]},
                               .touching_b = &(int64_t){(int64_t)x->touching[1]},
                               .depth_a = &x->depth[0],
                               .depth_b = &x->depth[1],
                               .deepest_a = &deep[0].number,
                               .deepest_b = &deep[1].number,
                               .point_a = deep[0].point,
                               .point_b = deep[1].point};
    return columns_append(to, &row, 1);
}

static int relation_copy_swallowed(column_rows *to, const imp_swallowed *x, const batch_slab *part)
{
    const int64_t first = part && part->number ? part->number[x->primitive] : x->primitive;
    const swallowed_rows row = {.count = 1,
                                .object = &x->object,
                                .in = &x->in,
                                .primitive = &first,
                                .primitives = &(int64_t){x->primitives},
                                .vertices = &(int64_t){x->vertices}};
    return columns_append(to, &row, 1);
}

int relation_copy_make(mem *m, const imp_relations *of, const imp_frame *frame,
                       const batch_slab *part, relation_copy *to)
{
    int err = IMP_OK;
    const size_t count[] = {of->count, of->swallowed_count};
    relation_copy_free(to);
    for (int t = 0; t < RELATION_TABLES; t++)
        if (count[t])
            TRY(columns_open(m, &relation_tables[t], relation_set(t), count[t], &to->rows[t]));
    for (size_t i = 0; i < of->count; i++)
        TRY(relation_copy_pair(&to->rows[RELATION_PAIRS], &of->relation[i], frame, part));
    for (size_t i = 0; i < of->swallowed_count; i++)
        TRY(relation_copy_swallowed(&to->rows[RELATION_SWALLOWED], &of->swallowed[i], part));
    to->closed = of->closed;
    to->open = of->open;
    to->bytes = relation_copy_bytes(of);
out:
    if (err)
        relation_copy_free(to);
    return err;
}

/* ---- checksums */

/* The same for rows of any origin: a view that has no row may lack its arrays. */
static uint64_t relation_sum(const uint64_t table[RELATION_TABLES], int64_t closed, int64_t open)
{
    const uint64_t all[] = {table[0], table[1], (uint64_t)closed, (uint64_t)open};
    return XXH3_64bits(all, sizeof all);
}

uint64_t result_relations_checksum(const step_relations *of)
{
    uint64_t sum[RELATION_TABLES] = {0};
    for (int t = 0; t < RELATION_TABLES; t++) {
        uint64_t count;
        const void *view = relation_view(of, t, &count);
        sum[t] = count ? columns_sum(&relation_tables[t], view, count) : 0;
    }
    return relation_sum(sum, of->closed, of->open);
}

/* ---- writing */

/* Finds the number of rows of the first `frames` frames. */
static int relation_writer_rows(mem *m, hid_t group, const char *path, int t, uint64_t frames,
                                uint64_t *rows)
{
    int err = IMP_OK;
    h5_data first = {.id = -1};
    TRY(h5_data_open(m, group, path, "/impinge", relation_first[t], &first));
    TRY(h5_data_columns(&first, 1));
    if (first.rows <= frames)
        FAIL(IMP_ERR_INPUT, "%s: /impinge/%s: too short; cannot be resumed", path,
             relation_first[t]);
    TRY(h5_data_read(&first, frames, 1, H5T_NATIVE_UINT64, rows));
out:
    h5_data_close(&first);
    return err;
}

static int relation_writer_open_table(mem *m, const column_groups *at, int t, uint64_t frames,
                                      relation_writer *w)
{
    int err = IMP_OK;
    const int fresh = frames == H5_NEW;
    const uint64_t none = 0;
    const h5_grow_def first = {relation_first[t], COLUMN_U64, 0, RELATION_CHUNK};
    if (!fresh)
        TRY(relation_writer_rows(m, at->own, at->path, t, frames, &w->rows[t]));
    TRY(column_writer_open(m, at, &relation_tables[t], relation_set(t), NULL,
                           fresh ? H5_NEW : w->rows[t], frames, &w->table[t]));
    TRY(h5_grow_open(m, at->own, at->path, &first, fresh ? H5_NEW : frames + 1, &w->first[t]));
    if (fresh)
        TRY(h5_grow_add(&w->first[t], at->path, &none, 1));
out:
    return err;
}

int relation_writer_open(mem *m, hid_t group, const char *path, uint64_t frames, relation_writer *w)
{
    int err = IMP_OK;
    const column_groups at = {.path = path, .root = -1, .cells = -1, .frames = -1, .own = group};
    w->there = 1;
    for (int t = 0; t < RELATION_TABLES; t++)
        w->first[t].id = -1;
    if (frames == H5_NEW)
        for (int t = 0; t < RELATION_TABLES; t++) {
            hid_t made = h5_group(group, t == RELATION_PAIRS ? "relations" : "swallowed");
            if (made < 0)
                return h5_fail(IMP_ERR_FILE, path, "/impinge", "cannot be written");
            h5_drop(made);
        }
    for (int t = 0; t < RELATION_TABLES; t++)
        TRY(relation_writer_open_table(m, &at, t, frames, w));
out:
    return err;
}

int relation_writer_add(relation_writer *w, const step_relations *of, uint64_t *sum)
{
    int err = IMP_OK;
    uint64_t part[RELATION_TABLES] = {0};
    for (int t = 0; t < RELATION_TABLES; t++) {
        uint64_t count;
        const void *view = relation_view(of, t, &count);
        for (int c = 0; c < relation_tables[t].count && count; c++)
            TRY(column_writer_add_rows(
                &w->table[t], c, column_values(&relation_tables[t].column[c], view), NULL, count));
        if (count)
            part[t] = column_writer_end_sum(&w->table[t]);
        w->rows[t] += count;
        TRY(h5_grow_add(&w->first[t], w->table[t].at.path, &w->rows[t], 1));
    }
    *sum = relation_sum(part, of->closed, of->open);
out:
    return err;
}

int relation_writer_truncate(relation_writer *w)
{
    int err = IMP_OK;
    for (int t = 0; w->there && t < RELATION_TABLES; t++) {
        TRY(column_writer_truncate(&w->table[t]));
        TRY(h5_grow_truncate(&w->first[t], w->table[t].at.path));
    }
out:
    return err;
}

int relation_writer_flush(relation_writer *w)
{
    int err = IMP_OK;
    for (int t = 0; w->there && t < RELATION_TABLES; t++) {
        TRY(column_writer_flush(&w->table[t]));
        TRY(h5_grow_flush(&w->first[t], w->table[t].at.path));
    }
out:
    return err;
}

void relation_writer_close(relation_writer *w)
{
    for (int t = 0; w->there && t < RELATION_TABLES; t++) {
        column_writer_close(&w->table[t]);
        h5_grow_close(&w->first[t]);
    }
    *w = (relation_writer){0};
}

/* ---- reading */

/* Reads the first row of each frame. More rows than the last one's are valid: a killed writer
 * leaves some. */
static int relation_reader_first(relation_reader *r, hid_t group, const char *path, int t,
                                 uint64_t frames)
{
    int err = IMP_OK;
    h5_data first = {.id = -1};
    TRY(h5_data_open(r->mem, group, path, "/impinge", relation_first[t], &first));
    TRY(h5_data_columns(&first, 1));
    if (first.rows <= frames)
        FAIL(IMP_ERR_INPUT, "%s: %s: has %llu rows, %llu are needed", path, first.name,
             (unsigned long long)first.rows, (unsigned long long)frames + 1);
    TRY(mem_alloc(r->mem, (frames + 1) * sizeof *r->first[t], &r->first[t]));
    TRY(h5_data_read(&first, 0, frames + 1, H5T_NATIVE_UINT64, r->first[t]));
    for (uint64_t k = 0; k <= frames; k++)
        /* the limit keeps bytes of all rows below 2^63 */
        if (r->first[t][k] > INT64_MAX / 64 || r->first[t][k] < (k ? r->first[t][k - 1] : 0) ||
            (!k && r->first[t][0]))
            FAIL(IMP_ERR_INPUT, "%s: %s: damaged: row %llu is %llu", path, first.name,
                 (unsigned long long)k, (unsigned long long)r->first[t][k]);
out:
    h5_data_close(&first);
    return err;
}

int relation_reader_open(mem *m, hid_t group, const char *path, uint64_t frames, relation_reader *r)
{
    int err = IMP_OK;
    const column_groups at = {.path = path, .root = -1, .cells = -1, .frames = -1, .own = group};
    r->mem = m;
    for (int t = 0; t < RELATION_TABLES; t++) {
        TRY(relation_reader_first(r, group, path, t, frames));
        TRY(column_reader_open(m, &at, &relation_tables[t], r->first[t][frames], &r->table[t]));
    }
out:
    return err;
}

static int relation_reader_read_table(relation_reader *r, int t, uint64_t k, void *view)
{
    int err = IMP_OK;
    const uint64_t first = r->first[t][k];
    const size_t n = (size_t)(r->first[t][k + 1] - first);
    if (!n)
        return IMP_OK;
    if (!r->rows[t].table || n > r->rows[t].capacity) {
        if (r->rows[t].table)
            columns_close(&r->rows[t]);
        r->rows[t] = (column_rows){0};
        TRY(columns_open(r->mem, &relation_tables[t], relation_set(t), n, &r->rows[t]));
    }
    TRY(column_reader_read_all(&r->table[t], first, n, &r->rows[t]));
    columns_as_rows(&r->rows[t], view);
out:
    return err;
}

int relation_reader_read(relation_reader *r, uint64_t k, step_relations *out)
{
    int err = IMP_OK;
    uint64_t *const *first = r->first;
    out->pairs = (relation_rows){.count = first[RELATION_PAIRS][k + 1] - first[RELATION_PAIRS][k]};
    out->swallowed =
        (swallowed_rows){.count = first[RELATION_SWALLOWED][k + 1] - first[RELATION_SWALLOWED][k]};
    TRY(relation_reader_read_table(r, RELATION_PAIRS, k, &out->pairs));
    TRY(relation_reader_read_table(r, RELATION_SWALLOWED, k, &out->swallowed));
out:
    return err;
}

void relation_reader_close(relation_reader *r)
{
    for (int t = 0; t < RELATION_TABLES; t++) {
        column_reader_close(&r->table[t]);
        if (r->rows[t].table)
            columns_close(&r->rows[t]);
        if (r->mem)
            mem_free(r->mem, r->first[t]);
    }
    *r = (relation_reader){0};
}
