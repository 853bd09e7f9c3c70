/* See mesh_shapes.h. */
#include "mesh_shapes.h"

#include <math.h>
#include <string.h>

static uint32_t mesh_shapes_add_point(mesh_shape *m, double x, double y, double z)
{
    double *p = m->point + (size_t)3 * m->vertices;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return m->vertices++;
}

static void add_triangle(mesh_shape *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m->corner + (size_t)3 * m->triangles++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static uint32_t grid_point(const int n[3], const int i[3])
{
    return (uint32_t)((i[2] * (n[1] + 1) + i[1]) * (n[0] + 1) + i[0]);
}

static int is_full(const int n[3], const char *full, const int i[3])
{
    for (int k = 0; k < 3; k++)
        if (i[k] < 0 || i[k] >= n[k])
            return 0;
    return full[(i[2] * n[1] + i[1]) * n[0] + i[0]] == '#';
}

/* Adds the face of a cell at the low (0) or high (1) end of an axis, if no cell is beyond it. */
static void mesh_shapes_add_face(mesh_shape *m, const int n[3], const char *full, const int cell[3],
                                 int axis, int high)
{
    int beyond[3] = {cell[0], cell[1], cell[2]}, i[3];
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    uint32_t c[4];
    beyond[axis] += high ? 1 : -1;
    if (is_full(n, full, beyond))
        return;
    for (int k = 0; k < 4; k++) { /* counter-clockwise seen along -axis */
        i[axis] = cell[axis] + high;
        i[u] = cell[u] + (k == 1 || k == 2);
        i[v] = cell[v] + (k >= 2);
        c[k] = grid_point(n, i);
    }
    add_triangle(m, c[0], high ? c[1] : c[2], high ? c[2] : c[1]);
    add_triangle(m, c[0], high ? c[2] : c[3], high ? c[3] : c[2]);
}

void mesh_cells(mesh_shape *m, const int n[3], const double *const at[3], const char *full)
{
    int i[3];
    m->vertices = m->triangles = 0;
    for (i[2] = 0; i[2] <= n[2]; i[2]++)
        for (i[1] = 0; i[1] <= n[1]; i[1]++)
            for (i[0] = 0; i[0] <= n[0]; i[0]++)
                mesh_shapes_add_point(m, at[0][i[0]], at[1][i[1]], at[2][i[2]]);
    for (i[2] = 0; i[2] < n[2]; i[2]++)
        for (i[1] = 0; i[1] < n[1]; i[1]++)
            for (i[0] = 0; i[0] < n[0]; i[0]++)
                for (int f = 0; f < 6 && is_full(n, full, i); f++)
                    mesh_shapes_add_face(m, n, full, i, f / 2, f % 2);
}

void mesh_torus(mesh_shape *m, double radius, double tube, uint32_t n, uint32_t k)
{
    const double turn = 2 * acos(-1);
    m->vertices = m->triangles = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k; j++) {
            const double a = turn * i / n, b = turn * j / k, r = radius + tube * cos(b);
            mesh_shapes_add_point(m, r * cos(a), r * sin(a), tube * sin(b));
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k; j++) {
            const uint32_t p = i * k, q = (i + 1) % n * k, next = (j + 1) % k;
            add_triangle(m, p + j, q + j, q + next);
            add_triangle(m, p + j, q + next, p + next);
        }
}

void mesh_tray(mesh_shape *m, double x, double y, double high)
{
    m->vertices = m->triangles = 0;
    for (int i = 0; i < 8; i++)
        mesh_shapes_add_point(m, i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? high : 0);
    static const uint32_t corner[30] = {0, 1, 3, 0, 3, 2, 0, 4, 5, 0, 5, 1, 2, 3, 7,
                                        2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    memcpy(m->corner, corner, sizeof corner);
    m->triangles = 10;
}
