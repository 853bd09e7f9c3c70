/* See frame_contacts.h. */
#include "frame_contacts.h"

#include "contours.h"
#include "error.h"
#include "frame.h"

#include <math.h>

column_set frame_contacts_columns(void)
{
    return COLUMN_BIT(STORED_a) | COLUMN_BIT(STORED_b) | COLUMN_BIT(STORED_kind) |
           COLUMN_BIT(STORED_points) | COLUMN_BIT(STORED_end_features);
}

/* Numbers are positions unless cells of the input are left out. */
static int frame_contacts_index(const batch_block *block, int64_t number, uint32_t *out)
{
    const imp_mesh *m = block->frame->mesh;
    const size_t at = mesh_find_number(m, batch_block_slab(block, 0)->number, number);
    *out = (uint32_t)at;
    return at < m->primitives;
}

/* Rows of a damaged result may have any kind, features and points. */
static int frame_contacts_check(const frame_contacts *c, const imp_mesh *m, uint64_t frame,
                                const result_rows *rows, uint64_t i)
{
    int err = IMP_OK;
    const uint8_t *f = rows->end_features + 4 * i;
    const int solid = mesh_corners_of(m, c->a[i]) == IMP_TETRAHEDRA ||
                      mesh_corners_of(m, c->b[i]) == IMP_TETRAHEDRA;
    int wrong =
        c->a[i] >= c->b[i] || rows->kind[i] < IMP_KIND_POINT || rows->kind[i] > IMP_KIND_SOLIDS;
    for (int k = 0; k < 4; k++)
        wrong |= solid ? f[k] != IMP_END_NONE : f[k] > IMP_END_FACE;
    for (uint64_t k = 6 * i; k < 6 * i + 6; k++)
        wrong |= !isfinite(rows->points[k]);
    if (wrong)
        FAIL(IMP_ERR_INPUT,
             "%s: frame %llu: the contact of primitives %lld and %lld is damaged: its kind, a "
             "feature or a point",
             c->path, (unsigned long long)frame, (long long)rows->a[i], (long long)rows->b[i]);
out:
    return err;
}

int frame_contacts_make(frame_contacts *c, const batch_block *block, uint64_t frame,
                        const result_rows *rows, imp_contacts *out)
{
    int err = IMP_OK;
    if (rows->count > c->capacity) {
        c->capacity = 0;
        TRY(mem_grow(c->mem, 0, rows->count * sizeof *c->a, &c->a));
        TRY(mem_grow(c->mem, 0, rows->count * sizeof *c->b, &c->b));
        c->capacity = rows->count;
    }
    for (uint64_t i = 0; i < rows->count; i++) {
        if (!frame_contacts_index(block, rows->a[i], &c->a[i]) ||
            !frame_contacts_index(block, rows->b[i], &c->b[i]))
            FAIL(IMP_ERR_INPUT,
                 "%s: frame %llu has a contact of primitives %lld and %lld: the "
                 "input has none of such a number",
                 c->path, (unsigned long long)frame, (long long)rows->a[i], (long long)rows->b[i]);
        TRY(frame_contacts_check(c, block->frame->mesh, frame, rows, i));
    }
    *out = (imp_contacts){.count = (size_t)rows->count,
                          .a = c->a,
                          .b = c->b,
                          .kind = rows->kind,
                          .end_features = rows->end_features,
                          .points = rows->points};
out:
    return err;
}

/* Overlaps in one plane need points, too. */
static int frame_contacts_read_mesh(frame_contacts *c, uint64_t frame, int points,
                                    const result_rows *rows)
{
    int err = IMP_OK;
    batch_info info;
    batch_get_info(c->in, &info);
    if (frame >= info.frames)
        FAIL(IMP_ERR_INPUT, "%s: the input has no frame %llu", c->path, (unsigned long long)frame);
    for (uint64_t i = 0; i < rows->count && !points; i++)
        points = contours_is_flat(rows->kind[i]);
    if (points)
        TRY(batch_read(c->in, frame, 1, 1, &c->block));
    else if (!c->block.count || !batch_same_mesh(c->in, c->held, frame))
        TRY(batch_read_mesh(c->in, frame, &c->block));
    c->held = frame;
out:
    return err;
}

int frame_contacts_read(frame_contacts *c, result_reader *r, uint64_t k, int points,
                        imp_contacts *out)
{
    int err = IMP_OK;
    const result_frames *of = &result_get_info(r)->of;
    const uint64_t frame = (uint64_t)of->input_frame[k];
    result_rows read;
    *out = (imp_contacts){0};
    if (!of->contacts[k])
        return IMP_OK;
    TRY(result_read_columns(r, k, 1, frame_contacts_columns(), &read));
    read.count = (uint64_t)of->contacts[k];
    TRY(frame_contacts_read_mesh(c, frame, points, &read));
    TRY(frame_contacts_make(c, &c->block, frame, &read, out));
out:
    return err;
}

void frame_contacts_free(frame_contacts *c)
{
    batch_block_free(&c->block);
    mem_free(c->mem, c->a);
    mem_free(c->mem, c->b);
}
