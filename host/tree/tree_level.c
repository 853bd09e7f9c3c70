/* Hybrid trees: down to which level spheres cost less than oriented boxes ([S] section 2.1.2 leaves
 * that open). A small part of a tree is put beside a tree by chance, so that a leaf of one is near
 * a leaf of the other, and asked with spheres on more and more levels; what that costs is counted,
 * not timed, so that it is the same everywhere. */
#include "tree_step.h"

#include "error.h"
#include "pose.h"

#define TRIALS 16
#define PART 16         /* leaves of such a part, about */
#define TESTS_MOST 1000 /* of a trial */

/* What they cost, in tests of two spheres, with what a step of the descent does: measured. */
#define COST_BOXES 1.5 /* and of each axis */
#define COST_AXIS 0.4
#define COST_ITEMS 0.1 /* of each pair of primitives of two leaves */

typedef struct trial {
    tree_duo duo;
    tree_pair from;
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

/* Any of the root's children's children ... that has none. */
static uint32_t draw_leaf(const tree *t, uint32_t root, uint64_t *state)
{
    while (t->node[root].children)
        root = t->node[root].child + draw_below(state, t->node[root].children);
    return root;
}

/* A part of a tree on the way to a leaf. */
static uint32_t draw_part(const tree *t, uint32_t root, uint64_t *state)
{
    const uint64_t most = (uint64_t)PART * t->def.leaf;
    while (t->node[root].children && t->node[root].end - t->node[root].begin > most)
        root = t->node[root].child + draw_below(state, t->node[root].children);
    return root;
}

/* Of a quaternion that is no longer than 1, and not nothing. */
static void draw_turn(uint64_t *state, double r[3][3])
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = draw_side(state);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.01);
    pose_matrix(q, r);
}

/* A leaf of F is put where a leaf of E is, or up to four times as far from there as F is large. */
static void draw_place(const tree *t, uint64_t *state, tree_pair *from, bv_pose *out)
{
    from->e = draw_below(state, t->trees);
    from->f = draw_part(t, draw_below(state, t->trees), state);
    const double *a = t->sphere[draw_leaf(t, from->e, state)].c;
    const double *b = t->sphere[draw_leaf(t, from->f, state)].c;
    const double gap = t->sphere[from->f].r * 2 * (draw_side(state) + 1);
    draw_turn(state, out->r);
    for (int k = 0; k < 3; k++)
        out->t[k] = a[k] - bv_dot(out->r[k], b) + gap * draw_side(state);
    out->slack = BV_MARGIN;
}

/* What a descent costs. A node of F is put in place for each test, as it is where they change. */
static double trial_cost(const trial *x, tree_step *stack)
{
    const tree_duo *d = &x->duo;
    tree_counts c = {0};
    double items = 0;
    size_t depth = 0;
    if (tree_overlap(d, x->from, &c))
        stack[depth++] = (tree_step){x->from, 0};
    while (depth && c.volume_tests < TESTS_MOST) {
        tree_step *top = stack + depth - 1;
        const uint64_t count = tree_step_count(d, top->at);
        const tree_node *e = d->e->node + top->at.e, *f = d->f->node + top->at.f;
        if (!count)
            items += (double)(e->end - e->begin) * (f->end - f->begin);
        if (top->next >= count) {
            depth--;
            continue;
        }
        const tree_pair next = tree_step_at(d, top->at, top->next++);
        if (tree_overlap(d, next, &c))
            stack[depth++] = (tree_step){next, 0};
    }
    return (double)c.volume_tests + COST_BOXES * (double)c.obb_tests + COST_AXIS * (double)c.axes +
           COST_ITEMS * items;
}

/* With spheres on so many levels. */
static double level_cost(const tree *t, uint32_t level, tree_step *stack)
{
    double sum = 0;
    uint64_t state = 1;
    for (int i = 0; i < TRIALS; i++) {
        tree e = *t, f;
        bv_pose pose;
        trial x;
        e.def.hybrid_level = level;
        f = e; /* another one, be it of the same nodes */
        draw_place(t, &state, &x.from, &pose);
        x.duo = (tree_duo){&e, &f, &pose};
        sum += trial_cost(&x, stack);
    }
    return sum;
}

/* Of levels that cost about as little as any the first: what lies side by side is told apart by
 * boxes at once, by spheres late, and is more often side by side than chance has it. */
#define ABOUT 1.25

int tree_choose_level(mem *m, tree *t)
{
    int err = IMP_OK;
    tree_step *stack = NULL;
    double *cost = NULL, least = INFINITY;
    uint32_t level = t->levels ? 1 : 0;
    TRY(mem_alloc(m, tree_stack(t, t) * sizeof *stack, &stack));
    TRY(mem_alloc(m, ((size_t)t->levels + 1) * sizeof *cost, &cost));
    for (uint32_t i = 1; t->trees && i <= t->levels; i++) {
        cost[i] = level_cost(t, i, stack);
        least = cost[i] < least ? cost[i] : least;
    }
    while (t->trees && level < t->levels && cost[level] > ABOUT * least)
        level++;
    t->def.hybrid_level = level;
out:
    mem_free(m, stack);
    mem_free(m, cost);
    return err;
}
