/* See exports.h: the file of --regions. */
#include "error.h"
#include "exports.h"
#include "frame_contacts.h"
#include "linked_mesh.h"
#include "object_names.h"
#include "regions.h"

enum regions_array {
    /* of cells */
    REGIONS_REGION,
    REGIONS_AREA,
    REGIONS_SHARE,
    /* of each region of a frame */
    REGIONS_OBJECT,
    REGIONS_OTHER,
    REGIONS_FACES,
    REGIONS_VERTICES,
    REGIONS_CONTOURS,
    REGIONS_AREAS,
    /* of each two objects of a frame that have contours */
    REGIONS_PARTING_OBJECT,
    REGIONS_PARTING_OTHER,
    REGIONS_PARTING_CONTOURS,
    REGIONS_PARTING_PARTING,
    REGIONS_PARTING_REGIONS,
    REGIONS_ARRAYS
};

static const linked_array regions_arrays[] = {
    [REGIONS_REGION] = {"Region", COLUMN_I64, LINKED_CELLS},
    [REGIONS_AREA] = {"RegionArea", COLUMN_F64, LINKED_CELLS},
    [REGIONS_SHARE] = {"RegionShare", COLUMN_F64, LINKED_CELLS},
    [REGIONS_OBJECT] = {"Object", COLUMN_I32, LINKED_FIELD},
    [REGIONS_OTHER] = {"Other", COLUMN_I32, LINKED_FIELD},
    [REGIONS_FACES] = {"Faces", COLUMN_I64, LINKED_FIELD},
    [REGIONS_VERTICES] = {"Vertices", COLUMN_I64, LINKED_FIELD},
    [REGIONS_CONTOURS] = {"Contours", COLUMN_I64, LINKED_FIELD},
    [REGIONS_AREAS] = {"Area", COLUMN_F64, LINKED_FIELD},
    [REGIONS_PARTING_OBJECT] = {"PartingObject", COLUMN_I32, LINKED_FIELD},
    [REGIONS_PARTING_OTHER] = {"PartingOther", COLUMN_I32, LINKED_FIELD},
    [REGIONS_PARTING_CONTOURS] = {"PartingContours", COLUMN_I64, LINKED_FIELD},
    [REGIONS_PARTING_PARTING] = {"PartingParting", COLUMN_I64, LINKED_FIELD},
    [REGIONS_PARTING_REGIONS] = {"PartingRegions", COLUMN_I64, LINKED_FIELD}};

/* members: the file, and what is known of a frame; one thing without parts */
typedef struct regions_file {
    mem *mem;
    batch *in;
    result_reader *r;
    linked_mesh file;
    frame_contacts contacts;
    region_set found; /* the regions of a frame */
    int64_t *region;  /* [capacity] of each cell */
    double *area, *share;
    size_t capacity;
    region_sums *sums;
} regions_file;

/* ---- a frame of the result */

static void regions_file_sum(regions_file *c, uint64_t frame)
{
    region_sums *s = c->sums;
    const region_set *f = &c->found;
    const uint64_t open = s->open;
    for (size_t i = 0; i < f->count; i++)
        if (!s->regions++ || f->of[i].area > s->greatest.area) {
            s->greatest = f->of[i];
            s->frame = frame;
        }
    for (size_t i = 0; i < f->contours; i++)
        s->open += f->of_contour[2 * i] < 0 && f->of_contour[2 * i + 1] < 0;
    s->frames += f->count > 0;
    s->open_frames += s->open > open;
    s->none += f->none;
}

static int regions_file_find(regions_file *c, uint64_t k)
{
    int err = IMP_OK;
    imp_contacts rows;
    region_set *f = &c->found;
    f->count = f->faces = f->partings = f->contours = f->rows = 0;
    TRY(frame_contacts_read(&c->contacts, c->r, k, 1, &rows));
    if (!rows.count)
        return IMP_OK;
    TRY(regions_find(c->mem, c->contacts.block.frame, &rows, f));
    regions_file_sum(c, (uint64_t)result_get_info(c->r)->of.input_frame[k]);
out:
    return err;
}

/* ---- cells */

static int regions_file_zeros(regions_file *c, size_t cells)
{
    int err = IMP_OK;
    if (cells > c->capacity) {
        c->capacity = 0;
        TRY(mem_grow(c->mem, 0, cells * sizeof *c->region, &c->region));
        TRY(mem_grow(c->mem, 0, cells * sizeof *c->area, &c->area));
        TRY(mem_grow(c->mem, 0, cells * sizeof *c->share, &c->share));
        c->capacity = cells;
    }
    for (size_t i = 0; i < cells; i++) {
        c->region[i] = -1;
        c->area[i] = c->share[i] = 0;
    }
out:
    return err;
}

/* A cell in several regions has that with the greatest share of it, of equal ones the first. */
static void regions_file_fill(regions_file *c)
{
    const region_set *f = &c->found;
    const uint32_t *number = f->count ? batch_block_slab(&c->contacts.block, 0)->number : NULL;
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = f->of[i].first; k < f->of[i].first + f->of[i].faces; k++) {
            const uint32_t cell = number ? number[f->face[k]] : f->face[k];
            if (c->region[cell] >= 0 && f->share[k] <= c->share[cell])
                continue;
            c->region[cell] = (int64_t)i;
            c->area[cell] = f->of[i].area;
            c->share[cell] = f->share[k];
        }
}

static int regions_file_add_cells(regions_file *c, size_t cells)
{
    int err = IMP_OK;
    TRY(regions_file_zeros(c, cells));
    regions_file_fill(c);
    TRY(linked_mesh_add_rows(&c->file, REGIONS_REGION, c->region, cells));
    TRY(linked_mesh_add_rows(&c->file, REGIONS_AREA, c->area, cells));
    TRY(linked_mesh_add_rows(&c->file, REGIONS_SHARE, c->share, cells));
out:
    return err;
}

/* ---- tables */

/* Adds a member of the n elements of a list, as the type in the file. */
#define REGIONS_ADD(c, which, list, n, member, type)                                               \
    do {                                                                                           \
        TRY(linked_mesh_begin_rows(&(c)->file, which, n));                                         \
        for (size_t row = 0; row < (n); row++)                                                     \
            TRY(linked_mesh_add_value(&(c)->file, which, &(type){(type)(list)[row].member}));      \
    } while (0)

static int regions_file_add_regions(regions_file *c)
{
    int err = IMP_OK;
    const region_set *f = &c->found;
    REGIONS_ADD(c, REGIONS_OBJECT, f->of, f->count, object, int32_t);
    REGIONS_ADD(c, REGIONS_OTHER, f->of, f->count, other, int32_t);
    REGIONS_ADD(c, REGIONS_FACES, f->of, f->count, faces, int64_t);
    REGIONS_ADD(c, REGIONS_VERTICES, f->of, f->count, vertices, int64_t);
    REGIONS_ADD(c, REGIONS_CONTOURS, f->of, f->count, contours, int64_t);
    REGIONS_ADD(c, REGIONS_AREAS, f->of, f->count, area, double);
out:
    return err;
}

static int regions_file_add_partings(regions_file *c)
{
    int err = IMP_OK;
    const region_set *f = &c->found;
    REGIONS_ADD(c, REGIONS_PARTING_OBJECT, f->parting, f->partings, object, int32_t);
    REGIONS_ADD(c, REGIONS_PARTING_OTHER, f->parting, f->partings, other, int32_t);
    REGIONS_ADD(c, REGIONS_PARTING_CONTOURS, f->parting, f->partings, contours, int64_t);
    REGIONS_ADD(c, REGIONS_PARTING_PARTING, f->parting, f->partings, parting, int64_t);
    REGIONS_ADD(c, REGIONS_PARTING_REGIONS, f->parting, f->partings, regions, int64_t);
out:
    return err;
}

/* ---- all */

static int regions_file_add_frame(regions_file *c, uint64_t k)
{
    int err = IMP_OK;
    const result_frames *of = &result_get_info(c->r)->of;
    const uint64_t frame = (uint64_t)of->input_frame[k];
    TRY(linked_mesh_add_step(&c->file, frame, of->time[k]));
    TRY(regions_file_find(c, k));
    TRY(regions_file_add_cells(c, c->in->step[frame].primitives));
    TRY(regions_file_add_regions(c));
    TRY(regions_file_add_partings(c));
out:
    return err;
}

int regions_write(mem *m, batch *in, result_reader *r, text_output *to, region_sums *sums)
{
    const uint64_t frames = result_get_info(r)->frames;
    regions_file c = {.mem = m, .in = in, .r = r, .contacts = {.mem = m, .in = in}, .sums = sums};
    *sums = (region_sums){0};
    int err = linked_mesh_open(m, in, to, regions_arrays, REGIONS_ARRAYS, frames, &c.file);
    c.contacts.path = to->part;
    for (uint64_t k = 0; !err && k < frames; k++)
        err = regions_file_add_frame(&c, k);
    if (!err)
        err = batch_names_write_beside(result_get_info(r)->names, to->part, c.file.file);
    err = linked_mesh_close(&c.file, to, err);
    frame_contacts_free(&c.contacts);
    regions_free(m, &c.found);
    mem_free(m, c.region);
    mem_free(m, c.area);
    mem_free(m, c.share);
    return err;
}
