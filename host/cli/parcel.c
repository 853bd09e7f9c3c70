/* See parcel.h. */
#include "parcel.h"

#include "error.h"

#define ROW_CHUNK_BYTES ((uint64_t)1 << 20)
#define ROW_CHUNK_SHARE 8 /* of the bytes in all a chunk takes, if that is less */

/* The memory that an allocation really takes, a little more than asked for, is what the limit
 * counts (mem.h). */
row_chunks row_chunks_of(mem *m, const imp_def *def, uint64_t bytes)
{
    row_chunks p = {.mem = m, .columns = columns_when(&contact_table, def)};
    uint64_t each =
        bytes / ROW_CHUNK_SHARE < ROW_CHUNK_BYTES ? bytes / ROW_CHUNK_SHARE : ROW_CHUNK_BYTES;
    p.rows = (size_t)each / (columns_row_bytes(&contact_table, p.columns) + sizeof(uint32_t));
    each = mem_spare_size(columns_bytes(&contact_table, p.columns, p.rows)) +
           mem_spare_size(sizeof(row_chunk) + p.rows * sizeof(uint32_t));
    /* one is needed in any case: without it no contact could be written */
    p.most = bytes > each ? bytes / each : 1;
    return p;
}

/* One allocation for the struct and the frame of each row. */
int row_chunk_new(row_chunks *p, row_chunk **out)
{
    int err = IMP_OK;
    row_chunk *made;
    *out = NULL;
    TRY(mem_alloc(p->mem, sizeof *made + p->rows * sizeof *made->frame, &made));
    *made = (row_chunk){.frame = (uint32_t *)(made + 1)};
    err = columns_open(p->mem, &contact_table, p->columns, p->rows, &made->rows);
    if (err) {
        mem_free(p->mem, made);
    } else {
        p->made++;
        *out = made;
    }
out:
    return err;
}

void row_chunks_free(mem *m, row_chunk *list)
{
    while (list) {
        row_chunk *next = list->next;
        columns_close(&list->rows);
        mem_free(m, list);
        list = next;
    }
}

/* A chunk may hold contacts of several frames, so each row has its frame. */
int row_chunk_fill(row_chunk *p, imp_contacts *rest)
{
    size_t at = p->rows.count, rows = columns_fit(&p->rows, rest, rest->count);
    int err = columns_append(&p->rows, rest, rows);
    for (size_t i = 0; i < rows; i++)
        p->frame[at + i] = (uint32_t)rest->frame;
    columns_skip(&contact_table, rest, rows);
    rest->count -= rows;
    return err;
}

/* Contacts come in order of frames, so those of a frame are adjacent rows. */
int row_chunk_write(const row_chunk *p, const result_step *step, result *r)
{
    int err = IMP_OK;
    imp_contacts c = {0};
    columns_as_rows(&p->rows, &c);
    for (size_t i = 0; i < p->rows.count; i += c.count) {
        c.frame = p->frame[i];
        c.count = 1;
        while (i + c.count < p->rows.count && p->frame[i + c.count] == c.frame)
            c.count++;
        TRY(result_add(r, &c, &step[c.frame]));
        columns_skip(&contact_table, &c, c.count);
    }
out:
    return err;
}
