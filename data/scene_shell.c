/* See scene_shell.h. */
#include "scene_shell.h"

#include <math.h>

/* ---- box */

static uint64_t scene_shell_cells(double length, double edge)
{
    double n = scene_floor(length / edge + 0.5);
    return n < 1 ? 1 : n > 0x1p20 ? UINT64_C(1) << 20 : (uint64_t)n;
}

box box_of(uint64_t triangles, v3 size)
{
    const double area = size.x * size.y + size.y * size.z + size.z * size.x;
    if (triangles <= 12)
        return (box){{1, 1, 1}};
    const double edge = sqrt(4 * area / (double)triangles);
    return (box){{scene_shell_cells(size.x, edge), scene_shell_cells(size.y, edge),
                  scene_shell_cells(size.z, edge)}};
}

uint64_t box_vertices(const box *b)
{
    return box_triangles(b) / 2 + 2; /* Euler's number */
}

uint64_t box_triangles(const box *b)
{
    const uint64_t *c = b->cells;
    return 4 * (c[0] * c[1] + c[1] * c[2] + c[2] * c[0]);
}

/* Number of the vertex at lattice point p on the surface. Layers along x are full at both ends; the
 * others have the sides of low and high y, then pairs of low and high z. */
static uint32_t box_number(const box *b, const uint64_t p[3])
{
    const uint64_t *c = b->cells, full = (c[1] + 1) * (c[2] + 1), ring = 2 * (c[1] + c[2]);
    if (p[0] == 0 || p[0] == c[0])
        return (uint32_t)((p[0] ? full + (c[0] - 1) * ring : 0) + p[1] * (c[2] + 1) + p[2]);
    const uint64_t first = full + (p[0] - 1) * ring;
    if (p[1] == 0 || p[1] == c[1])
        return (uint32_t)(first + (p[1] ? c[2] + 1 : 0) + p[2]);
    return (uint32_t)(first + 2 * (c[2] + 1) + 2 * (p[1] - 1) + (p[2] != 0));
}

/* Writes the quad with its least corner at p, of a face across the axis, seen from outside. */
static uint32_t *box_quad(const box *b, const uint64_t p[3], int axis, uint32_t first, uint32_t *at)
{
    static const int turn[2][6] = {{0, 3, 2, 0, 2, 1}, {0, 1, 2, 0, 2, 3}};
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    uint32_t number[4];
    for (int k = 0; k < 4; k++) {
        uint64_t q[3] = {p[0], p[1], p[2]};
        q[u] += k == 1 || k == 2;
        q[v] += k >= 2;
        number[k] = first + box_number(b, q);
    }
    for (int k = 0; k < 6; k++)
        *at++ = number[turn[p[axis] != 0][k]];
    return at;
}

void box_fill(const box *b, uint32_t first, uint32_t *triangle)
{
    uint32_t *at = triangle;
    for (int axis = 0; axis < 3; axis++)
        for (int high = 0; high < 2; high++) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            uint64_t p[3];
            p[axis] = high ? b->cells[axis] : 0;
            for (p[u] = 0; p[u] < b->cells[u]; p[u]++)
                for (p[v] = 0; p[v] < b->cells[v]; p[v]++)
                    at = box_quad(b, p, axis, first, at);
        }
}

static double scene_shell_between(double low, double high, uint64_t i, uint64_t n)
{
    return i == n ? high : low + (high - low) * ((double)i / (double)n);
}

void box_points(const box *b, v3 low, v3 high, double *point)
{
    const uint64_t *c = b->cells;
    uint64_t p[3];
    for (p[0] = 0; p[0] <= c[0]; p[0]++)
        for (p[1] = 0; p[1] <= c[1]; p[1]++) {
            const int inner = p[0] && p[0] < c[0] && p[1] && p[1] < c[1];
            for (p[2] = 0; p[2] <= c[2]; p[2] += inner ? c[2] : 1)
                scene_store(point + (size_t)3 * box_number(b, p),
                            v3_make(scene_shell_between(low.x, high.x, p[0], c[0]),
                                    scene_shell_between(low.y, high.y, p[1], c[1]),
                                    scene_shell_between(low.z, high.z, p[2], c[2])));
        }
}

/* ---- plate */

void plate_points(const box *b, const plate *p, int quarters, double *point)
{
    static const double turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const double c = turn[quarters][0], s = turn[quarters][1];
    box_points(b, p->low, p->high, point);
    for (double *at = point; at < point + 3 * box_vertices(b); at += 3) {
        const double y = at[1], z = at[2];
        at[0] -= p->taper * (y - p->low.y) * (at[0] - p->low.x);
        at[1] = c * y - s * z;
        at[2] = s * y + c * z;
    }
}

/* ---- lathe */

lathe lathe_of(uint64_t triangles, double aspect)
{
    const double n = (double)triangles, sides = scene_floor(sqrt(n / (2 * aspect)) + 0.5);
    const uint64_t m = sides < 3 ? 3 : (uint64_t)sides, rings = triangles / (2 * m);
    return (lathe){rings ? rings : 1, m};
}

uint64_t lathe_vertices(const lathe *l)
{
    return l->rings * l->sides + 2;
}

uint64_t lathe_triangles(const lathe *l)
{
    return 2 * l->rings * l->sides;
}

void lathe_fill(const lathe *l, uint32_t first, uint32_t *triangle)
{
    uint32_t *at = triangle, n = (uint32_t)l->sides;
    const uint32_t back = first + 1 + (uint32_t)(l->rings * l->sides);
    for (uint64_t ring = 0; ring <= l->rings; ring++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t next = i + 1 < n ? i + 1 : 0;
            const uint32_t here = first + 1 + (uint32_t)ring * n, before = here - n;
            if (ring < l->rings) {
                *at++ = ring ? before + i : first;
                *at++ = here + i;
                *at++ = here + next;
            }
            if (ring) {
                *at++ = before + i;
                *at++ = ring < l->rings ? here + next : back;
                *at++ = before + next;
            }
        }
}

void lathe_points(const lathe *l, lathe_ring (*profile)(double t), double *point)
{
    double *at = point;
    scene_store(at, v3_make(profile(0).x, 0, 0));
    for (uint64_t ring = 1; ring <= l->rings; ring++) {
        const lathe_ring r = profile((double)ring / (double)l->rings);
        for (uint64_t i = 0; i < l->sides; i++) {
            const double a = scene_phase(i, l->sides);
            scene_store(at += 3, v3_make(r.x, r.radius * scene_cos(a), r.radius * scene_sin(a)));
        }
    }
    scene_store(at + 3, v3_make(profile(1).x, 0, 0));
}
