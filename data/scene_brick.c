/* Blocks of tetrahedra. */
#include "scene_kind.h"

uint64_t brick_vertices(const brick *b)
{
    return (b->cubes[0] + 1) * (b->cubes[1] + 1) * (b->cubes[2] + 1);
}

uint64_t brick_tets(const brick *b)
{
    return 6 * b->cubes[0] * b->cubes[1] * b->cubes[2];
}

/* The six tetrahedra each go from one corner of the cube to the opposite one, along the axes in an
 * order of its own; faces of neighbouring cubes are divided alike. step: index distance to the next
 * vertex along each axis. */
static void scene_brick_fill_cube(uint32_t from, const uint32_t step[3], uint32_t *corner)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    for (int i = 0; i < 6; i++, corner += IMP_TETRAHEDRA) {
        const int *o = orders[i], odd = i >= 3;
        corner[0] = from;
        corner[1 + odd] = from + step[o[0]];
        corner[2 - odd] = from + step[o[0]] + step[o[1]];
        corner[3] = from + step[0] + step[1] + step[2];
    }
}

void brick_fill(const brick *b, uint32_t first, uint32_t *corner)
{
    const uint32_t line = (uint32_t)b->cubes[2] + 1, plane = line * ((uint32_t)b->cubes[1] + 1);
    const uint32_t step[3] = {plane, line, 1};
    for (uint32_t i = 0; i < b->cubes[0]; i++)
        for (uint32_t j = 0; j < b->cubes[1]; j++)
            for (uint32_t k = 0; k < b->cubes[2]; k++, corner += (size_t)6 * IMP_TETRAHEDRA)
                scene_brick_fill_cube(first + i * plane + j * line + k, step, corner);
}
