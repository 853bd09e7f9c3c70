/* A batch of rigid bodies that rotate between its frames, in all possible ways, beside a sheet that
 * moves linearly; and a blade as long as the whole scene. Vertices are in random order, so that
 * those of a body are anywhere in a frame. */
#ifndef IMP_TURNERS_H
#define IMP_TURNERS_H

#include <stddef.h>

#define TURNERS_BODIES 25
#define TURNERS_FRAMES 3
#define TURNERS_BOX 8 /* vertices of each body but the last, the blade */

typedef struct turners_def {
    int single; /* float32 */
    int solids; /* every other body consists of tetrahedra */
    int piles;  /* triangles that nearly touch, apart from all rotating bodies */
    int spread; /* a triangle far away from all others, which enlarges the frame */
} turners_def;

void turners_write(const char *path, const turners_def *def);

size_t turners_vertices(const turners_def *def);

/* The number in a frame of vertex k of a body; body -1: the triangle far away. */
size_t turners_vertex(const turners_def *def, int body, int k);

#endif
