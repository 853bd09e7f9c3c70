/* See event_find.h. */
#include "event_find.h"

#include "error.h"

#include <string.h>

const char *event_find_refusal(const result_reader *r)
{
    const result_info *i = result_get_info(r);
    return i->units.slabs ? "has contacts of slabs; 'impinge merge' joins them"
           : i->inside ? "its rows are vertices inside objects, not contacts; 'run --inside --rows "
                         "contacts' makes a result that has events"
           : strstr(i->options, "rows=objects") ? "its rows are pairs of objects, not of primitives"
           : strstr(i->options, "rows=features")
               ? "its rows are pairs of features, not of primitives; 'run' without --rows makes a "
                 "result that has events"
           : strstr(i->options, "stage=candidates") ? "has candidates, not contacts"
                                                    : NULL;
}

int event_find_has_areas(const result_reader *r)
{
    return column_in(result_columns(r), STORED_end_features);
}

/* Makes the mesh of a frame current, and for areas its points. */
static int event_find_read_mesh(event_finder *s, uint64_t frame)
{
    int err = IMP_OK;
    const int same = s->block.count && batch_same_mesh(s->in, s->held, frame);
    if (same && !s->areas)
        return IMP_OK;
    if (frame >= s->batch.frames)
        FAIL(IMP_ERR_INPUT, "%s: frame %llu is not in %s", s->path, (unsigned long long)frame,
             s->input);
    if (s->block.count && !same && !s->batch.ids && !s->changed && s->warnings) {
        s->changed = 1;
        warnings_add(s->warnings,
                     "%s: its mesh changes and has no PrimitiveId: primitives and vertices of two "
                     "frames are the same if their numbers are",
                     s->input);
    }
    if (s->areas)
        TRY(batch_read(s->in, frame, 1, 1, &s->block));
    else
        TRY(batch_read_mesh(s->in, frame, &s->block));
    s->held = frame;
    if (same) /* then it is in the same place, too */
        return IMP_OK;
    const event_mesh mesh = {s->block.frame->mesh, batch_block_slab(&s->block, 0)->number};
    TRY(events_set_mesh(s->e, &mesh));
out:
    return err;
}

/* *out: the regions of the current frame. */
static int event_find_regions(event_finder *s, uint64_t frame, const result_rows *rows,
                              event_regions *out)
{
    int err = IMP_OK;
    imp_contacts contacts;
    TRY(frame_contacts_make(&s->contacts, &s->block, frame, rows, &contacts));
    TRY(regions_find(s->mem, s->block.frame, &contacts, &s->regions));
    *out = (event_regions){s->regions.of, s->regions.of_row};
out:
    return err;
}

/* Adds frames [first, end) whose rows are in *rows, one after another. */
static int event_find_add_frames(event_finder *s, uint64_t first, uint64_t end, result_rows *rows)
{
    int err = IMP_OK;
    const result_frames *of = &result_get_info(s->r)->of;
    for (uint64_t k = first; k < end; k++) {
        const uint64_t number = (uint64_t)of->input_frame[k];
        event_regions regions;
        event_frame frame = {number, of->time[k], rows, NULL};
        rows->count = (uint64_t)of->contacts[k];
        if (rows->count)
            TRY(event_find_read_mesh(s, number));
        if (rows->count && s->areas) {
            TRY(event_find_regions(s, number, rows, &regions));
            frame.regions = &regions;
        }
        TRY(events_add(s->e, s->path, &frame));
        columns_skip(&stored_table, rows, (size_t)rows->count);
    }
out:
    return err;
}

/* Rows of small frames are read together: HDF5 takes as long for one row as for thousands. */
#define EVENT_FIND_ROWS 32768

int event_find(event_finder *s, event_chain **out)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    const column_set columns = events_columns() | (s->areas ? frame_contacts_columns() : 0);
    *out = NULL;
    s->contacts = (frame_contacts){.mem = s->mem, .in = s->in, .path = s->path};
    batch_get_info(s->in, &s->batch);
    TRY(events_open(s->mem, !s->counts, &s->e));
    for (uint64_t k = 0; k < info->frames;) {
        uint64_t end = k, rows = 0;
        result_rows read;
        do
            rows += (uint64_t)info->of.contacts[end++];
        while (end < info->frames && rows + (uint64_t)info->of.contacts[end] <= EVENT_FIND_ROWS);
        TRY(result_read_columns(s->r, k, end - k, columns, &read));
        TRY(event_find_add_frames(s, k, end, &read));
        k = end;
    }
    TRY(events_end(s->e));
    *out = s->e;
    s->e = NULL;
out:
    events_close(s->e);
    frame_contacts_free(&s->contacts);
    regions_free(s->mem, &s->regions);
    batch_block_free(&s->block);
    return err;
}
