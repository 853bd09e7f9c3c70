/* Hybrid trees: down to which level spheres cost less than oriented boxes ([S] section 2.1.2 leaves
 * that open). Parts of a tree are put against the tree at random and tested with spheres on more
 * and more levels. What that costs is counted, not timed, so that it is the same everywhere. Bodies
 * do not pass through each other, so they are near each other side by side. Boxes of thin parts
 * then separate at once, spheres of them, which are mostly empty, do not; parts that cut each other
 * would say the opposite. And only whole descents are compared: where a descent is cut short, the
 * cheaper test looks like the cheaper tree. */
#include "tree_step.h"

#include "error.h"

#define TRIALS 32
#define DRAWS (4 * TRIALS) /* those that cost too much are left out */
#define PART 16            /* leaves of the smallest part, about */
#define HALVED 8           /* distances: the largest is halved up to HALVED - 1 times */
#define COST_MOST 6000.0   /* of a trial with boxes on all levels except the first */

/* Costs in units of a test of two spheres with its step of the descent, as measured. A volume of
 * the part is posed when it is tested, and stays so until another of them is. */
#define COST_BOXES 1.0 /* of a test with a box, more than one of spheres, */
#define COST_AXIS 0.4  /* and of each of its axes */
#define COST_POSE_BOX 1.0
#define COST_POSE_SPHERE 0.25
#define COST_LEAVES 20.0 /* of a pair of leaves, to fetch and hand on its primitives, */
#define COST_ITEMS 0.05  /* and of each pair of their primitives */

typedef struct trial {
    tree_pair from;
    bv_pose pose;
} trial;

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In [-1, 1). */
static double draw_side(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1p-52 - 1;
}

static uint32_t draw_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((draw(state) >> 32) * n >> 32);
}

/* A random leaf below the root. */
static uint32_t draw_leaf(const tree *t, uint32_t root, uint64_t *state)
{
    while (t->node[root].children)
        root = t->node[root].child + draw_below(state, t->node[root].children);
    return root;
}

/* A part of a tree on the way to a leaf, of any size: a random number of steps down. */
static uint32_t draw_part(const tree *t, uint32_t root, uint64_t *state)
{
    const uint64_t least = (uint64_t)PART * t->def.leaf;
    uint32_t steps = draw_below(state, t->levels);
    for (; steps && t->node[root].children && t->node[root].end - t->node[root].begin > least;
         steps--)
        root = t->node[root].child + draw_below(state, t->node[root].children);
    return root;
}

/* Axes of a box as a right-handed frame, that of its least half length first. */
static void flat_frame(const bv_obb *b, double out[3][3])
{
    int thin = b->half[1] < b->half[0];
    thin = b->half[2] < b->half[thin] ? 2 : thin;
    for (int k = 0; k < 3; k++) {
        out[0][k] = b->axis[thin][k];
        out[1][k] = b->axis[(thin + 1) % 3][k];
    }
    for (int k = 0; k < 3; k++)
        out[2][k] =
            out[0][(k + 1) % 3] * out[1][(k + 2) % 3] - out[0][(k + 2) % 3] * out[1][(k + 1) % 3];
}

/* The thin sides of two boxes face each other, with a random rotation about their normal. */
static void draw_turn(const bv_obb *a, const bv_obb *b, uint64_t *state, double r[3][3])
{
    double x, y, size, p[3][3], q[3][3];
    do {
        x = draw_side(state);
        y = draw_side(state);
        size = sqrt(x * x + y * y);
    } while (size > 1 || size < 0.1);
    const double c = x / size, s = y / size;
    flat_frame(a, p);
    flat_frame(b, q);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = p[0][i] * q[0][k] + p[1][i] * (c * q[1][k] - s * q[2][k]) +
                      p[2][i] * (s * q[1][k] + c * q[2][k]);
}

/* A leaf of F is put against a leaf of E, or at a distance up to four times the size of F. */
static trial draw_trial(const tree *t, uint64_t *state)
{
    trial out;
    out.from.e = draw_below(state, t->trees);
    out.from.f = draw_part(t, draw_below(state, t->trees), state);
    const bv_obb *a = t->obb + draw_leaf(t, out.from.e, state);
    const bv_obb *b = t->obb + draw_leaf(t, out.from.f, state);
    double gap = 4 * t->sphere[out.from.f].r;
    for (uint32_t halved = draw_below(state, HALVED); halved; halved--)
        gap /= 2;
    draw_turn(a, b, state, out.pose.r);
    for (int k = 0; k < 3; k++)
        out.pose.t[k] = a->c[k] - bv_dot(out.pose.r[k], b->c) + gap * draw_side(state);
    out.pose.slack = BV_MARGIN;
    return out;
}

/* ---- what a descent costs */

typedef struct bill {
    tree_counts counts;
    double other;  /* poses and pairs of primitives */
    uint32_t last; /* F's node that is posed */
} bill;

static double bill_sum(const bill *b)
{
    const tree_counts *c = &b->counts;
    return (double)c->volume_tests + COST_BOXES * (double)c->obb_tests +
           COST_AXIS * (double)c->axes + b->other;
}

static int ask(const tree_duo *d, tree_pair at, bill *b)
{
    if (b->last != at.f)
        b->other += tree_round(d->f, at.f) ? COST_POSE_SPHERE : COST_POSE_BOX;
    b->last = at.f;
    return tree_overlap(d, at, &b->counts);
}

/* The cost of a trial, or INFINITY if it is more than `most`. */
static double trial_cost(const tree_duo *d, tree_pair from, double most, tree_step *stack)
{
    bill b = {.last = UINT32_MAX};
    size_t depth = 0;
    if (ask(d, from, &b))
        stack[depth++] = (tree_step){from, 0};
    while (depth && bill_sum(&b) <= most) {
        tree_step *top = stack + depth - 1;
        const uint64_t count = tree_step_count(d, top->at);
        const tree_node *e = d->e->node + top->at.e, *f = d->f->node + top->at.f;
        if (!count)
            b.other += COST_LEAVES + COST_ITEMS * (double)(e->end - e->begin) * (f->end - f->begin);
        if (top->next >= count) {
            depth--;
            continue;
        }
        const tree_pair next = tree_step_at(d, top->at, top->next++);
        if (ask(d, next, &b))
            stack[depth++] = (tree_step){next, 0};
    }
    return bill_sum(&b) <= most ? bill_sum(&b) : INFINITY;
}

/* The cost of all trials with spheres on `level` levels, or INFINITY if it is more than `most`. */
static double level_cost(const tree *t, uint32_t level, const trial *all, size_t count, double most,
                         tree_step *stack)
{
    double sum = 0;
    for (size_t i = 0; i < count && sum <= most; i++) {
        tree e = *t, f;
        e.def.hybrid_level = level;
        f = e; /* of the same nodes; another tree to tree_self() */
        sum += trial_cost(&(tree_duo){&e, &f, &all[i].pose}, all[i].from, most - sum, stack);
    }
    return sum;
}

/* Trials that do not cost too much; returns their number. *cost: with spheres on one level. */
static size_t draw_trials(const tree *t, trial *out, tree_step *stack, double *cost)
{
    uint64_t state = 1;
    size_t count = 0;
    *cost = 0;
    for (int i = 0; i < DRAWS && count < TRIALS; i++) {
        out[count] = draw_trial(t, &state);
        const double one = level_cost(t, 1, out + count, 1, COST_MOST, stack);
        if (one > COST_MOST)
            continue;
        *cost += one;
        count++;
    }
    return count;
}

/* The first of the levels that cost about the least is chosen: most frames of a motion are farther
 * from contact than the trials, and there each level of spheres costs some tests more. */
#define ABOUT 1.25

/* A level that costs more than ABOUT times the least so far is given up early. */
int tree_choose_level(mem *m, tree *t)
{
    int err = IMP_OK;
    tree_step *stack = NULL;
    double *cost = NULL;
    trial trials[TRIALS];
    uint32_t level = t->levels ? 1 : 0;
    TRY(mem_alloc(m, tree_stack(t, t) * sizeof *stack, &stack));
    TRY(mem_alloc(m, ((size_t)t->levels + 2) * sizeof *cost, &cost));
    cost[1] = 0;
    const size_t count = t->trees ? draw_trials(t, trials, stack, &cost[1]) : 0;
    double least = cost[1];
    for (uint32_t i = 2; count && i <= t->levels; i++) {
        cost[i] = level_cost(t, i, trials, count, ABOUT * least, stack);
        least = cost[i] < least ? cost[i] : least;
    }
    while (count && level < t->levels && cost[level] > ABOUT * least)
        level++;
    t->def.hybrid_level = level;
out:
    mem_free(m, stack);
    mem_free(m, cost);
    return err;
}
