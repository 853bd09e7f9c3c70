/* A batch of rigid bodies that turn between its frames, in all the ways there are, beside a sheet
 * that moves evenly; and bodies that are everywhere: a blade as long as all of it. Vertices are in
 * no order, so that those of a body are anywhere in a frame. */
#ifndef IMP_TURNERS_H
#define IMP_TURNERS_H

#include <stddef.h>

#define TURNERS_BODIES 25
#define TURNERS_FRAMES 3
#define TURNERS_BOX 8 /* vertices of each body but the last, the blade */

typedef struct turners_def {
    int single; /* float32 */
    int solids; /* every other body is of tetrahedra */
    int piles;  /* triangles that nearly touch, apart from all that turns */
    int spread; /* a triangle that makes the frame larger, far away from all others */
} turners_def;

void turners_write(const char *path, const turners_def *def);

size_t turners_vertices(const turners_def *def);

/* The number in a frame of vertex k of a body; of the triangle far away as body -1. */
size_t turners_vertex(const turners_def *def, int body, int k);

#endif
