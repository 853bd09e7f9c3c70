/* See scene_cut.h. */
#include "scene_cut.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

#define TET_EDGES 6
#define CUT_EDGES 4   /* most edges of a tetrahedron that cross the plane */
#define CUT_PIECES 6  /* most pieces of a tetrahedron ... */
#define CUT_HALVES 16 /* ... none of which is made unnecessarily; room to halve each */
#define CUT_SHARES 8  /* crossing edges in all pieces of a tetrahedron */

static const uint8_t tet_edge[TET_EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* number of tetrahedra in the layer of cubes that crosses the plane */
static uint64_t crossing_tets(const brick *b)
{
    return 6 * b->cubes[1] * b->cubes[2];
}

uint64_t cut_cells_room(const brick *b)
{
    return brick_tets(b) + (CUT_PIECES - 1) * crossing_tets(b);
}

/* Edges and diagonals of the layer cross at the points of a grid twice as fine, on both lips. */
uint64_t cut_vertices_room(const brick *b)
{
    return brick_vertices(b) + 2 * (2 * b->cubes[1] + 1) * (2 * b->cubes[2] + 1);
}

int cut_init(cut *c, const brick *b, uint64_t room)
{
    int err = IMP_OK;
    TRY(scene_alloc(c->s, room, sizeof *c->side, &c->side));
    TRY(scene_alloc(c->s, room, sizeof *c->twin, &c->twin));
    TRY(scene_alloc(c->s, room, sizeof *c->holds, &c->holds));
    TRY(scene_alloc(c->s, CUT_SHARES * crossing_tets(b), sizeof *c->edge, &c->edge));
    c->made0 = c->vertices;
    c->next = (int64_t)c->cells;
    for (uint32_t v = 0; v < c->vertices; v++) {
        c->side[v] = c->rest[v].x < c->plane ? -1 : 1;
        c->twin[v] = v;
    }
out:
    return err;
}

/* ---- edges */

static int scene_cut_crosses(const cut *c, uint32_t a, uint32_t b)
{
    return c->side[a] * c->side[b] < 0;
}

static int is_crossing(const cut *c, const uint32_t *corner)
{
    int low = 0, high = 0;
    for (int k = 0; k < IMP_TETRAHEDRA; k++) {
        low |= c->side[corner[k]] < 0;
        high |= c->side[corner[k]] > 0;
    }
    return low && high;
}

static uint64_t edge_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static v3 scene_cut_edge_point(const cut *c, uint64_t key)
{
    v3 a = c->rest[key >> 32], b = c->rest[(uint32_t)key];
    v3 at = v3_add(a, v3_scale(v3_sub(b, a), (c->plane - a.x) / (b.x - a.x)));
    at.x = c->plane;
    return at;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Finds the edges to cut now, in ascending order. */
static void scene_cut_find_edges(cut *c, cut_depth *depth, const void *user)
{
    uint64_t n = 0, kept = 0;
    for (uint32_t i = c->cell0; i < c->cells; i++) {
        const uint32_t *v = c->s->corner + (size_t)IMP_TETRAHEDRA * i;
        if (!is_crossing(c, v))
            continue;
        for (int e = 0; e < TET_EDGES; e++) {
            uint32_t a = v[tet_edge[e][0]], b = v[tet_edge[e][1]];
            if (scene_cut_crosses(c, a, b) &&
                depth(user, scene_cut_edge_point(c, edge_key(a, b))) >= 0)
                c->edge[n++] = edge_key(a, b);
        }
    }
    if (n)
        qsort(c->edge, n, sizeof *c->edge, by_key);
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || c->edge[i] != c->edge[i - 1])
            c->edge[kept++] = c->edge[i];
    c->edges = kept;
}

/* The index of an edge among them, or their number if it is not among them. */
static uint64_t scene_cut_edge_number(const cut *c, uint64_t key)
{
    uint64_t low = 0, high = c->edges;
    while (low < high) {
        uint64_t at = low + (high - low) / 2;
        if (c->edge[at] < key)
            low = at + 1;
        else
            high = at;
    }
    return low < c->edges && c->edge[low] == key ? low : c->edges;
}

/* ---- halving */

static uint32_t new_vertex(cut *c, v3 at)
{
    uint32_t v = c->vertices++;
    c->rest[v] = at;
    c->side[v] = 0;
    c->twin[v] = v;
    return v;
}

/* Halves the pieces that contain the edge, at its vertex m; returns the new number of pieces. */
static int scene_cut_halve(uint32_t piece[][IMP_TETRAHEDRA], int pieces, uint64_t key, uint32_t m)
{
    const int before = pieces;
    for (int i = 0; i < before; i++) {
        int a = -1, b = -1;
        for (int k = 0; k < IMP_TETRAHEDRA; k++) {
            a = piece[i][k] == key >> 32 ? k : a;
            b = piece[i][k] == (uint32_t)key ? k : b;
        }
        if (a < 0 || b < 0)
            continue;
        memcpy(piece[pieces], piece[i], sizeof *piece);
        piece[i][a] = m;
        piece[pieces++][b] = m;
    }
    return pieces;
}

/* Indices of the cell's edges that are cut, ascending. */
static int cell_edges(const cut *c, const uint32_t *v, uint64_t number[CUT_EDGES])
{
    int n = 0;
    for (int e = 0; e < TET_EDGES; e++) {
        uint32_t a = v[tet_edge[e][0]], b = v[tet_edge[e][1]];
        uint64_t found =
            scene_cut_crosses(c, a, b) ? scene_cut_edge_number(c, edge_key(a, b)) : c->edges;
        int at = n;
        if (found == c->edges)
            continue;
        for (; at && number[at - 1] > found; at--)
            number[at] = number[at - 1];
        number[at] = found;
        n++;
    }
    return n;
}

static void put_cell(cut *c, uint32_t i, const uint32_t *corner)
{
    memcpy(c->s->corner + (size_t)IMP_TETRAHEDRA * i, corner, IMP_TETRAHEDRA * sizeof *corner);
    c->s->corner_count[i] = IMP_TETRAHEDRA;
    c->s->object[i] = 0;
    c->s->id[i] = c->next++;
}

/* Replaces a cell by its pieces: the first in its place, the others at the end. */
static void split_cell(cut *c, uint32_t i, uint32_t vertex0)
{
    uint64_t number[CUT_EDGES];
    uint32_t piece[CUT_HALVES][IMP_TETRAHEDRA];
    int pieces = 1, n;
    memcpy(piece[0], c->s->corner + (size_t)IMP_TETRAHEDRA * i, sizeof *piece);
    n = cell_edges(c, piece[0], number);
    for (int e = 0; e < n; e++)
        pieces = scene_cut_halve(piece, pieces, c->edge[number[e]], vertex0 + (uint32_t)number[e]);
    for (int k = 0; k < pieces && n; k++)
        put_cell(c, k ? c->cells++ : i, piece[k]);
}

/* ---- separation */

/* Marks the vertices of the plane that are held together by a cell crossing it. */
static void find_held(cut *c)
{
    memset(c->holds + c->made0, 0, c->vertices - c->made0);
    for (uint32_t i = c->cell0; i < c->cells; i++) {
        const uint32_t *v = c->s->corner + (size_t)IMP_TETRAHEDRA * i;
        for (int k = 0; k < IMP_TETRAHEDRA && is_crossing(c, v); k++)
            c->holds[v[k]] = 1;
    }
}

/* Gives cells below the plane the second of two twins. */
static void take_twins(cut *c)
{
    for (uint32_t i = c->cell0; i < c->cells; i++) {
        uint32_t *v = c->s->corner + (size_t)IMP_TETRAHEDRA * i;
        int below = 0;
        for (int k = 0; k < IMP_TETRAHEDRA; k++)
            below |= c->side[v[k]] < 0;
        for (int k = 0; k < IMP_TETRAHEDRA && below; k++)
            v[k] = c->twin[v[k]] > v[k] ? c->twin[v[k]] : v[k];
    }
}

static int scene_cut_separate(cut *c)
{
    const uint32_t before = c->vertices;
    find_held(c);
    for (uint32_t v = c->made0; v < before; v++)
        if (c->twin[v] == v && !c->holds[v]) {
            uint32_t w = new_vertex(c, c->rest[v]);
            c->twin[v] = w;
            c->twin[w] = v;
        }
    if (c->vertices > before)
        take_twins(c);
    return c->vertices > before;
}

int cut_advance(cut *c, cut_depth *depth, const void *user)
{
    const uint32_t vertex0 = c->vertices, cells = c->cells;
    scene_cut_find_edges(c, depth, user);
    for (uint64_t i = 0; i < c->edges; i++)
        new_vertex(c, scene_cut_edge_point(c, c->edge[i]));
    for (uint32_t i = c->cell0; i < cells && c->edges; i++)
        if (is_crossing(c, c->s->corner + (size_t)IMP_TETRAHEDRA * i))
            split_cell(c, i, vertex0);
    return scene_cut_separate(c) || c->edges;
}

/* ---- burning */

int cut_burn(cut *c, v3 middle, double radius)
{
    const uint32_t before = c->cells;
    uint32_t kept = c->cell0;
    for (uint32_t i = c->cell0; i < before; i++) {
        const uint32_t *v = c->s->corner + (size_t)IMP_TETRAHEDRA * i;
        v3 sum = v3_add(v3_add(c->rest[v[0]], c->rest[v[1]]), v3_add(c->rest[v[2]], c->rest[v[3]]));
        v3 off = v3_sub(v3_scale(sum, 0.25), middle);
        if (v3_dot(off, off) < radius * radius)
            continue;
        memmove(c->s->corner + (size_t)IMP_TETRAHEDRA * kept, v, IMP_TETRAHEDRA * sizeof *v);
        c->s->id[kept] = c->s->id[i];
        kept++;
    }
    c->cells = kept;
    return kept < before;
}
