/* scalpel: a blade is pressed into a block of soft tissue, drawn through it and then to and fro in
 * the wound. Tetrahedra that its edge has passed are cut in two, and from time to time some around
 * its tip are burnt away.
 *
 * The blade lies in the plane of the cut. Coordinates are those of the tissue at rest; tissue near
 * the blade is displaced: the lips of the wound part, the surface is pressed in. The rest of the
 * tissue does not move. */
#include "scene_cut.h"

#include "error.h"

#define BLOCK_X 1.0 /* size of the tissue, z upwards; the wound is in a plane of y and z */
#define BLOCK_Y 2.0
#define BLOCK_Z 0.6
#define BLOCK_UNEVEN 0.12 /* deviation of vertices from the lattice, in cubes */

#define BLADE_HIGH 1.0
#define BLADE_LEAN 0.6   /* lean of its edge in the direction of the cut */
#define BLADE_WIDE 0.18  /* along y */
#define BLADE_HALF 0.018 /* half thickness at its back; 0 at the edge */
#define BLADE_SHARE 40   /* one in this many triangles is the blade's */

#define CUT_FROM 0.35 /* y */
#define CUT_TO 1.35
#define TIP_ABOVE 0.12 /* initial height */
#define TIP_IN 0.004   /* depth in the tissue before it is cut */
#define DENT_WIDE 0.25
#define DENT_DEEP 0.35
#define LIP_WIDE 0.25 /* width of the displaced tissue beside the wound */
#define LIP_RAMP 0.15 /* from the end of the wound to its fully open part */
#define LIP_LEAST 0.02

/* frames */
#define STORY_TOUCH 10 /* before the blade touches */
#define STORY_DENT 10
#define STORY_PRESS 20
#define STORY_DRAW 60 /* in one direction; also the period in the wound */
#define STORY_BURN 12 /* period of burns */

/* The position of the blade, and the extent of its path. */
typedef struct pose {
    double y, z;      /* position of the tip */
    double far, deep; /* greatest y and least z of the tip so far */
    double dent;      /* indentation of the surface around it */
    int draws;        /* frames since drawing began; 0: not drawing */
} pose;

typedef struct scalpel {
    cut c;
    brick b;
    uint64_t rows, cols, ring; /* vertices of the blade's surface */
    double edge;               /* longest edge of a cube */
    uint64_t done;             /* frames of the story so far */
    pose at;
} scalpel;

/* ---- the blade: rings around it, one above the other, from the tip to the top */

static void blade_divide(uint64_t primitives, scalpel *p)
{
    p->cols = 1;
    while (16 * (p->cols + 1) * (p->cols + 1) < primitives / BLADE_SHARE)
        p->cols++;
    p->rows = 4 * p->cols;
    p->ring = 2 * p->cols + 1;
}

static uint32_t blade_vertices(const scalpel *p)
{
    return (uint32_t)(2 + p->rows * p->ring);
}

static uint32_t blade_triangles(const scalpel *p)
{
    return (uint32_t)(2 * p->rows * p->ring);
}

static uint32_t *scene_scalpel_put_triangle(uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    at[0] = a;
    at[1] = b;
    at[2] = at[3] = c;
    return at + IMP_TETRAHEDRA;
}

/* Writes the blade's triangles, oriented outwards. */
static void blade_fill(const scalpel *p, uint32_t *corner)
{
    const uint32_t ring = (uint32_t)p->ring, top = blade_vertices(p) - 1;
    for (uint32_t k = 0; k < ring; k++) {
        uint32_t next = (k + 1) % ring, a = 1 + k, b = 1 + next;
        corner = scene_scalpel_put_triangle(corner, 0, a, b);
        for (uint64_t i = 1; i < p->rows; i++, a += ring, b += ring) {
            corner = scene_scalpel_put_triangle(corner, a, a + ring, b);
            corner = scene_scalpel_put_triangle(corner, b, a + ring, b + ring);
        }
        corner = scene_scalpel_put_triangle(corner, a, top, b);
    }
}

/* Point k of the ring at height `up` over the tip: along one side from the back to the edge, and
 * back along the other. */
static v3 blade_point(const scalpel *p, uint64_t k, double up)
{
    double front = BLADE_LEAN * up;
    double back = front > BLADE_WIDE ? front - BLADE_WIDE : 0;
    uint64_t col = k <= p->cols ? k : 2 * p->cols - k;
    double share = (double)col / (double)p->cols;
    double half = BLADE_HALF * (1 - share) * (front - back) / BLADE_WIDE;
    return v3_make(k <= p->cols ? -half : half, back + (front - back) * share, up);
}

static void scene_scalpel_blade_points(const scalpel *p, double *at)
{
    const pose *o = &p->at;
    v3 tip = v3_make(p->c.plane, o->y, o->z - o->dent);
    scene_store(at, tip);
    at += 3;
    for (uint64_t i = 1; i <= p->rows; i++)
        for (uint64_t k = 0; k < p->ring; k++, at += 3) {
            double up = BLADE_HIGH * (double)i / (double)p->rows;
            scene_store(at, v3_add(tip, blade_point(p, k, up)));
        }
    double lean = BLADE_LEAN * BLADE_HIGH - 0.5 * BLADE_WIDE;
    scene_store(at, v3_add(tip, v3_make(0, lean, BLADE_HIGH)));
}

/* ---- the story */

static pose pose_at(const scene *s, uint64_t frame)
{
    const double dent = s->setting[SETTING_scalpel_dent];
    const double depth = s->setting[SETTING_scalpel_depth] * BLOCK_Z;
    pose o = {.y = CUT_FROM, .z = BLOCK_Z - TIP_IN, .far = CUT_FROM};
    if (frame < STORY_TOUCH) {
        o.z = BLOCK_Z + TIP_ABOVE * (double)(STORY_TOUCH - frame) / STORY_TOUCH;
    } else if (frame < STORY_TOUCH + STORY_DENT) {
        o.dent = dent * (double)(frame + 1 - STORY_TOUCH) / STORY_DENT;
    } else if (frame < STORY_TOUCH + STORY_DENT + STORY_PRESS) {
        double t = (double)(frame + 1 - STORY_TOUCH - STORY_DENT) / STORY_PRESS;
        o.z -= t * (depth - TIP_IN);
        o.dent = dent * (1 - 0.5 * t);
    } else {
        uint64_t drawn = frame + 1 - STORY_TOUCH - STORY_DENT - STORY_PRESS;
        double t = (double)drawn / STORY_DRAW;
        o.draws = drawn < STORY_DRAW ? (int)drawn : 0;
        o.y += (CUT_TO - CUT_FROM) * scene_bounce(t);
        o.far += (CUT_TO - CUT_FROM) * scene_clamp(t, 0, 1);
        o.z = BLOCK_Z - depth;
        o.dent = 0.5 * dent;
    }
    o.deep = o.z;
    return o;
}

/* Depth of a point in the wound, the region that the blade has passed: the tip went down, then
 * along; everything behind its edge is cut. */
static double wound_depth(const void *user, v3 at)
{
    const pose *o = user;
    double up = at.z - o->deep, behind = o->far + BLADE_LEAN * up - at.y;
    double least = behind < up ? behind : up;
    return at.y - CUT_FROM < least ? at.y - CUT_FROM : least;
}

/* Returns whether the mesh changed. */
static int scene_scalpel_step(scene *s)
{
    scalpel *p = s->state;
    const double burn = s->setting[SETTING_scalpel_burn];
    const pose before = p->at;
    p->at = pose_at(s, p->done++);
    int farther = p->at.far != before.far || p->at.deep != before.deep;
    int changed = farther && cut_advance(&p->c, wound_depth, &p->at);
    /* coarse tissue must lose at least something */
    if (burn > 0 && p->at.draws % STORY_BURN == STORY_BURN / 2) {
        double radius = burn > 0.75 * p->edge ? burn : 0.75 * p->edge;
        changed |= cut_burn(&p->c, v3_make(p->c.plane, p->at.y, p->at.z), radius);
    }
    return changed;
}

/* ---- tissue */

static void tissue_divide(uint64_t primitives, scalpel *p)
{
    uint64_t blade = blade_triangles(p), rest = primitives > blade ? primitives - blade : 0;
    const uint64_t whole = rest < 6 ? 1 : rest / 6;
    double cubes = (double)whole;
    double edge = scene_cbrt(BLOCK_X * BLOCK_Y * BLOCK_Z / cubes);
    double x = scene_clamp(scene_floor(BLOCK_X / edge + 0.5), 1, cubes);
    double z = scene_clamp(scene_floor(BLOCK_Z / edge + 0.5), 1, cubes);
    double y = scene_clamp(scene_floor(cubes / (x * z) + 0.5), 1, cubes);
    p->b = (brick){{(uint64_t)x, (uint64_t)y, (uint64_t)z}};
    p->c.plane = BLOCK_X * (scene_floor(x / 2) + 0.5) / x;
    p->edge = BLOCK_X / x > BLOCK_Y / y ? BLOCK_X / x : BLOCK_Y / y;
    p->edge = p->edge > BLOCK_Z / z ? p->edge : BLOCK_Z / z;
}

/* Coordinate along an axis; vertices on the surface stay on it. */
static double scene_scalpel_uneven(scene_rng *r, uint64_t i, uint64_t n, double length)
{
    double off = scene_rng_range(r, -BLOCK_UNEVEN, BLOCK_UNEVEN);
    return length * ((double)i + (i == 0 || i == n ? 0 : off)) / (double)n;
}

static void tissue_rest(uint64_t seed, const scalpel *p, v3 *rest)
{
    const uint64_t *n = p->b.cubes;
    scene_rng r = scene_rng_at(seed, 0);
    for (uint64_t i = 0; i <= n[0]; i++)
        for (uint64_t j = 0; j <= n[1]; j++)
            for (uint64_t k = 0; k <= n[2]; k++, rest++) {
                double x = scene_scalpel_uneven(&r, i, n[0], BLOCK_X);
                double y = scene_scalpel_uneven(&r, j, n[1], BLOCK_Y);
                double z = scene_scalpel_uneven(&r, k, n[2], BLOCK_Z);
                *rest = v3_make(x, y, z);
            }
}

int scene_scalpel_build(scene *s)
{
    int err = IMP_OK;
    scalpel *p;
    TRY(scene_alloc(s, 1, sizeof *p, &p));
    s->state = p;
    blade_divide(s->def.primitives, p);
    tissue_divide(s->def.primitives, p);
    const uint32_t vertices = blade_vertices(p), triangles = blade_triangles(p);
    const uint64_t room = vertices + cut_vertices_room(&p->b);
    TRY(scene_cells_alloc(s, room, triangles + cut_cells_room(&p->b), 1));
    TRY(scene_alloc(s, room, sizeof *p->c.rest, &p->c.rest));
    p->c.s = s;
    p->c.cell0 = triangles;
    p->c.vertices = vertices + (uint32_t)brick_vertices(&p->b);
    p->c.cells = triangles + (uint32_t)brick_tets(&p->b);
    tissue_rest(s->def.seed, p, p->c.rest + vertices);
    TRY(cut_init(&p->c, &p->b, room));
    blade_fill(p, s->corner);
    brick_fill(&p->b, vertices, s->corner + (size_t)IMP_TETRAHEDRA * triangles);
    for (uint32_t i = 0; i < p->c.cells; i++) {
        s->corner_count[i] = i < triangles ? IMP_TRIANGLES : IMP_TETRAHEDRA;
        s->object[i] = i < triangles;
        s->id[i] = i;
    }
    while (p->done <= (uint64_t)s->setting[SETTING_scalpel_begin])
        scene_scalpel_step(s);
    scene_mesh_change(s, p->c.vertices, p->c.cells);
out:
    return err;
}

/* ---- displacement */

/* 0 below 0, 1 above 1, smooth between. */
static double scene_scalpel_rise(double t)
{
    t = scene_clamp(t, 0, 1);
    return t * t * (3 - 2 * t);
}

/* Displacement of vertex v of the tissue to the side. It vanishes near the end of the wound, so
 * that uncut tissue keeps its shape; cut vertices are apart everywhere. */
static double aside(const scene *s, uint32_t v)
{
    const scalpel *p = s->state;
    const double open = s->setting[SETTING_scalpel_open];
    const v3 at = p->c.rest[v];
    double off = at.x - p->c.plane, near = 1 - (off < 0 ? -off : off) / LIP_WIDE;
    int lip = p->c.side[v] == 0;
    if (near <= 0 || (lip && p->c.twin[v] == v))
        return 0;
    double full = scene_scalpel_rise((wound_depth(&p->at, at) - 2.5 * p->edge) / LIP_RAMP);
    if (lip)
        return (p->c.twin[v] > v ? 1 : -1) * open * (full > LIP_LEAST ? full : LIP_LEAST);
    return (off < 0 ? -1 : 1) * open * full * near * near;
}

/* Displacement downwards: greatest around the blade, at the surface. */
static double down(const scalpel *p, v3 at)
{
    double x = (at.x - p->c.plane) / DENT_WIDE, y = (at.y - p->at.y) / DENT_WIDE;
    double near = 1 - x * x - y * y, high = 1 - (BLOCK_Z - at.z) / DENT_DEEP;
    return near > 0 && high > 0 ? p->at.dent * near * near * high * high : 0;
}

void scene_scalpel_move(scene *s, uint64_t frame)
{
    scalpel *p = s->state;
    const uint32_t first = blade_vertices(p);
    /* the first frame, and those before it, were made by build */
    if (frame && scene_scalpel_step(s))
        scene_mesh_change(s, p->c.vertices, p->c.cells);
    scene_scalpel_blade_points(p, s->point);
    for (uint32_t v = first; v < p->c.vertices; v++) {
        v3 at = p->c.rest[v];
        at.z -= down(p, at);
        at.x += aside(s, v);
        scene_store(s->point + (size_t)3 * v, at);
    }
}
