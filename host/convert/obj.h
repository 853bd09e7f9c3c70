/* Wavefront OBJ. */
#ifndef IMP_OBJ_H
#define IMP_OBJ_H

#include "file_shape.h"
#include "text.h"

/* The rest of a text that was just opened. On failure *out is as it was. Errors: as
 * file_shape_read. */
int obj_read(text *t, size_t arrays, file_shape *out);

#endif
