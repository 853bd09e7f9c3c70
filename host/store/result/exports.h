/* Exports of a result: collide.txt, tables of pairs of objects, contact counts of each
 * primitive, contours, regions. */
#ifndef IMP_EXPORTS_H
#define IMP_EXPORTS_H

#include "impinge_regions.h"
#include "output_file.h"
#include "store.h"

/* ---- collide.txt: the contacts of a result, one line each. They are read in chunks, so memory
 * does not grow with the contacts of a frame. */

/* Writes all frames of a result. On failure, and after a signal, no file is left. */
int collide_txt_write(result_reader *r, text_output *to);

/* ---- The file of --csv: the contacts of a result, summed over pairs of objects, with one row for
 * each frame and pair that has any; of a result with relations, these. Memory is used for the pairs
 * of a frame, not for its contacts. */

/* Writes a name as a field of such a table (RFC 4180), so that no spreadsheet takes it for a
 * formula; NULL: empty. */
void csv_put_name(FILE *f, const char *name);

/* Writes all frames of a result; memory is counted in m. On failure, and after a signal, no file is
 * left. */
int pairs_csv_write(mem *m, result_reader *r, text_output *to);

/* ---- The file of --counts: the number of contacts of each primitive, the least distance if the
 * result has distances, and the depth of each vertex if its rows are those, on the input's mesh. It
 * is VTKHDF with the frames of the result, and links to the input: points and cells are not copied.
 */

/* Writes all frames of a result and its input; `to` was initialised by outputs_hdf5. Memory for one
 * frame's counts is counted in m. On failure, and after a signal, no file is left. */
int counts_write(mem *m, batch *in, result_reader *r, text_output *to);

/* ---- The file of --contours: the curves along which triangles meet (../../contours), as polylines
 * of the frames of the result. */

/* Writes all frames of a result that has EndFeatures. Memory for the rows and contours of a frame
 * is counted in m. *none: contacts with tetrahedra, which have no contour. On failure, and after a
 * signal, no file is left. */
int contours_write(mem *m, batch *in, result_reader *r, text_output *to, uint64_t *none);

/* ---- The file of --regions: the parts into which contours cut surfaces (../../regions), on the
 * input's mesh as that of --counts. */

/* Sums over the regions of all frames. */
typedef struct region_sums {
    uint64_t regions, frames; /* their number, and that of the frames with any */
    imp_region greatest;      /* the region with the greatest area, of equal ones the first */
    uint64_t frame;           /* its frame of the input */
    uint64_t none;            /* contacts with tetrahedra, which have no contour */
    uint64_t open;            /* contours that part no surface, */
    uint64_t open_frames;     /* in so many frames */
} region_sums;

/* Writes all frames of a result that has EndFeatures. Memory for a frame, its rows and regions is
 * counted in m. On failure, and after a signal, no file is left. */
int regions_write(mem *m, batch *in, result_reader *r, text_output *to, region_sums *sums);

#endif
