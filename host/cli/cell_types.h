/* What VTK calls its types of cells. */
#ifndef IMP_CELL_TYPES_H
#define IMP_CELL_TYPES_H

#include <stddef.h>

/* "triangle", or "triangles" if `many`; "cell of VTK type 99" for one without a name here. */
void cell_type_name(int type, int many, char *out, size_t size);

#endif
