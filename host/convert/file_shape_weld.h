/* Vertices of a shape that are one, by the rules of impinge_weld.h; its groups are objects. */
#ifndef IMP_FILE_SHAPE_WELD_H
#define IMP_FILE_SHAPE_WELD_H

#include "file_shape.h"
#include "impinge_weld.h"

typedef struct file_shape_welding {
    uint32_t vertices; /* before */
    uint32_t *map;     /* [vertices] the first of those that each is one with */
    uint32_t *number;  /* [vertices] the new number of each */
    uint32_t kept;     /* vertices after */
    imp_weld_info info;
} file_shape_welding;

/* Primitives are renumbered, and vertices that are another one go; the others stay in order, also
 * those that no primitive uses. No primitive is dropped, so that some may now have two equal
 * vertices. `out` may be NULL. Errors: ARGUMENT (tolerance negative, infinite or NaN), MEMORY; *io
 * is then as it was, and *out zeroed. */
int file_shape_weld(double tolerance, file_shape *io, file_shape_welding *out);

/* Is w right for s, another frame of the same vertices: are those that are one within the tolerance
 * of each other there too? */
int file_shape_weld_holds(const file_shape_welding *w, double tolerance, const file_shape *s);

/* Merges the vertices of such a frame. */
void file_shape_weld_again(const file_shape_welding *w, file_shape *io);

/* Leaves *w zeroed. A zeroed one is allowed. */
void file_shape_welding_free(file_shape_welding *w);

#endif
