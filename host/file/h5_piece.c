/* HDF5 helpers: what HDF5 knows of a mapping of a virtual dataset. */
#include "h5_data.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* Extents of a selection along each of two dimensions; 0 if it is no box. A list is a table of one
 * column, so the second dimension begins as 1. */
static int h5_mapping_selection_box(hid_t space, h5_box *out)
{
    hsize_t start[2] = {0, 0}, stride[2] = {1, 1}, count[2] = {1, 1}, block[2] = {1, 1};
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2)
        return 0;
    switch (H5Sget_select_type(space)) {
    case H5S_SEL_NONE:
        *out = (h5_box){0};
        return 1;
    case H5S_SEL_ALL:
        H5Sget_simple_extent_dims(space, count, NULL);
        break;
    case H5S_SEL_HYPERSLABS:
        if (H5Sis_regular_hyperslab(space) <= 0 ||
            H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
            return 0;
        break;
    default:
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (count[i] == H5S_UNLIMITED || block[i] == H5S_UNLIMITED ||
            /* blocks that do not touch are no box */
            (count[i] > 1 && block[i] != stride[i]))
            return 0;
    }
    *out = (h5_box){start[0], count[0] * block[0], start[1], count[1] * block[1]};
    return 1;
}

/* A name in HDF5's notation, in which %% is a percent sign. */
static char *h5_mapping_unescape(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        at += at[0] == '%' && at[1] == '%';
        *to++ = *at;
    }
    *to = 0;
    return name;
}

/* HDF5 gives the length first. Unescaping only shortens a name, so it needs no second buffer. */
static char *h5_mapping_name(hid_t made, size_t i,
                             ssize_t (*get)(hid_t made, size_t i, char *out, size_t size))
{
    ssize_t n = get(made, i, NULL, 0);
    char *out = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (out && get(made, i, out, (size_t)n + 1) < 0)
        out[0] = 0;
    return out ? h5_mapping_unescape(out) : NULL;
}

static int h5_mapping_boxes(const h5_data *d, hid_t made, size_t i, h5_mapping *p)
{
    int err = IMP_OK;
    h5_box from = {0};
    hid_t to_space = H5Pget_virtual_vspace(made, i), from_space = H5Pget_virtual_srcspace(made, i);
    if (to_space < 0 || from_space < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: its list of files is damaged", d->path, d->name);
    /* the file does not even keep the shape of a source that is taken as a whole: source_fits
     * compares it when the source is open */
    p->whole = H5Sget_select_type(from_space) == H5S_SEL_ALL;
    if (!h5_mapping_selection_box(to_space, &p->box) ||
        (!p->whole && (!h5_mapping_selection_box(from_space, &from) || p->box.rows != from.rows ||
                       p->box.columns != from.columns)))
        FAIL(IMP_ERR_INPUT,
             "%s: %s: takes from %s in %s what is no block of rows, or grows with it; this is not "
             "supported",
             d->path, d->name, p->dataset, p->file);
    p->row = from.row;
    p->column = from.column;
out:
    h5_drop(to_space);
    h5_drop(from_space);
    return err;
}

int h5_mapping_read(const h5_data *d, hid_t made, size_t i, h5_mapping *p)
{
    int err = IMP_OK;
    p->file = h5_mapping_name(made, i, H5Pget_virtual_filename);
    p->dataset = h5_mapping_name(made, i, H5Pget_virtual_dsetname);
    if (!p->file || !p->dataset)
        FAIL(IMP_ERR_INPUT, "%s: %s: its list of files is damaged", d->path, d->name);
    TRY(h5_mapping_boxes(d, made, i, p));
    /* HDF5's name for the file that the dataset is in */
    if (!strcmp(p->file, ".")) {
        free(p->file);
        p->file = NULL;
    }
out:
    return err;
}
