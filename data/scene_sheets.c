/* sheets: a sheet of cloth goes through another between any two frames, and touches it in none. It
 * is above the other in even frames and below in odd ones. Waves of both make its triangles meet
 * the other at different times. Neither meets itself: seen from above no two triangles of a sheet
 * overlap at any time. */
#include "scene_kind.h"

#define SHEETS_LENGTH 0.7  /* length of the moving sheet: all of it hits the other, of length 1 */
#define SHEETS_SHARE 3     /* one in this many triangles is in the moving sheet: edges are alike */
#define SHEETS_TURN 0.3    /* radians: edges of the sheets are not parallel */
#define SHEETS_JITTER 0.05 /* deviation of a vertex within its sheet, in edges */
#define SHEETS_ROOM 0.54   /* reach of the waves of both, in shortest edges times speed ... */
#define SHEETS_HIGH 0.1    /* ... at most */
#define SHEETS_FLUTTER 0.8 /* radians, from even frames to odd ones */

typedef struct sheets {
    grid g[2]; /* the second is the moving one */
    double phase[2];
    double reach; /* amplitude of the waves of both together */
    v3 way;       /* displacement from odd frames to even ones */
} sheets;

/* The static sheet has ripples; the other hangs down on one side and up on the other, and flutters.
 * The sum of both is between -1 and 1. */
static double sheets_wave(const sheets *h, int goes, double flutter, double x, double y)
{
    const double *p = h->phase;
    return goes ? 0.5 * scene_sin(4 * x + 2 * y + 0.2 * flutter) +
                      0.15 * scene_sin(13 * y - 6 * x + p[1] + flutter)
                : 0.35 * scene_sin(9 * x + 5 * y + p[0]) * scene_cos(11 * y - 7 * x);
}

static void sheets_points(const sheets *h, int goes, uint64_t key, double flutter, v3 shift,
                          double *point)
{
    const grid *g = &h->g[goes];
    const double length = goes ? SHEETS_LENGTH : 1, turn = goes ? SHEETS_TURN : 0;
    const double c = scene_cos(turn), n = scene_sin(turn);
    double *at = point;
    uint64_t i = 0;
    for (uint64_t row = 0; row <= g->rows; row++)
        for (uint64_t col = 0; col <= g->cols; col++, i += 2, at += 3) {
            double u = (double)row + SHEETS_JITTER * scene_white(key, i);
            double v = (double)col + SHEETS_JITTER * scene_white(key, i + 1);
            u = length * (u / (double)g->rows - 0.5);
            v = length * (v / (double)g->cols - 0.5);
            double x = c * u - n * v, y = n * u + c * v;
            double z = h->reach * sheets_wave(h, goes, flutter, x, y);
            scene_store(at, v3_add(v3_make(x, y, z), shift));
        }
}

static int sheets_alloc(scene *s, const sheets *h)
{
    uint64_t verts = grid_vertices(&h->g[0]), cells = grid_triangles(&h->g[0]);
    uint64_t all = cells + grid_triangles(&h->g[1]);
    int err = scene_mesh_alloc(s, verts + grid_vertices(&h->g[1]), all, 1);
    if (err)
        return err;
    grid_fill(&h->g[0], 0, s->triangle);
    grid_fill(&h->g[1], (uint32_t)verts, s->triangle + 3 * cells);
    for (uint64_t i = cells; i < all; i++)
        s->object[i] = 1;
    return IMP_OK;
}

int scene_sheets_build(scene *s)
{
    int err;
    sheets *h;
    err = scene_alloc(s, 1, sizeof *h, &h);
    s->state = h;
    if (err)
        return err;
    uint64_t few = s->def.primitives / SHEETS_SHARE;
    h->g[0] = grid_of(s->def.primitives - few);
    h->g[1] = grid_of(few);
    err = sheets_alloc(s, h);
    if (err)
        return err;
    scene_rng r = scene_rng_at(s->def.seed, 0);
    for (int k = 0; k < 2; k++)
        h->phase[k] = scene_rng_range(&r, 0, 2 * SCENE_PI);
    const v3 along = scene_unit(v3_make(0.2, 0.1, 1));
    const double speed = s->setting[SETTING_sheets_speed];
    /* Half of the displacement, in mean edges, is more: with one diagonal in three, mean edges
     * are 1.138 times as long as the others. So each sheet stays on its side. */
    const double reach = SHEETS_ROOM * speed * along.z * SHEETS_LENGTH / (double)h->g[1].rows;
    h->reach = scene_clamp(reach, 0, SHEETS_HIGH);
    sheets_points(h, 1, scene_key(s->def.seed, 1), 0, v3_make(0, 0, 0), s->point);
    h->way = v3_scale(along, speed * grid_edge(&h->g[1], s->point));
    return IMP_OK;
}

void scene_sheets_move(scene *s, uint64_t frame)
{
    const sheets *h = s->state;
    const double flutter = frame & 1 ? SHEETS_FLUTTER : 0;
    double *second = s->point + 3 * grid_vertices(&h->g[0]);
    sheets_points(h, 0, scene_key(s->def.seed, 0), 0, v3_make(0, 0, 0), s->point);
    sheets_points(h, 1, scene_key(s->def.seed, 1), flutter,
                  v3_scale(h->way, frame & 1 ? -0.5 : 0.5), second);
}
