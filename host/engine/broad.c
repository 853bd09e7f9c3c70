/* Room 3, what all methods share: which there are, which one a block gets, and what each keeps. */
#include "broad.h"

#include "error.h"
#include "prim.h"

#include <string.h>

#define X(name) extern const broad_method broad_##name;
#include "broad.def"
#undef X

static const broad_method *const methods[BROAD_METHODS] = {
#define X(name) &broad_##name,
#include "broad.def"
#undef X
};

int broad_find(const char *name, const broad_method **out)
{
    *out = NULL;
    if (!name || !strcmp(name, "auto"))
        return 1;
    for (size_t i = 0; i < BROAD_METHODS && !*out; i++)
        if (!strcmp(name, methods[i]->name))
            *out = methods[i];
    return *out != NULL;
}

const char *broad_name(const broad *b)
{
    const broad_method *m = b->method ? b->method : b->asked;
    return m ? m->name : "auto";
}

int broad_at(const broad *b, size_t index, const char **name, uint64_t *blocks)
{
    if (index >= BROAD_METHODS)
        return 0;
    *name = methods[index]->name;
    *blocks = b->blocks[index];
    return 1;
}

static size_t broad_number(const broad_method *m)
{
    size_t i = 0;
    while (i + 1 < BROAD_METHODS && methods[i] != m)
        i++;
    return i;
}

/* All pairs of primitives of a block that are fewer than this are tested in the time that a driver
 * takes for the grid's launches: measured 0.5 ms on PoCL against 0.3 ms for 200 primitives. */
#define PAIRS_FEW 32768

/* What is best for a block: on GPUs sorted grids, whose look-ups all do the same; on CPUs, where a
 * leaf at a time is looked up, the packed R-tree; or trees that need not be made anew, where they
 * are known to win. But for very little on a device with a driver all pairs: there a launch costs
 * more than it does. On the host the R-tree wins at any size. bench/README.md has the figures. */
static const broad_method *broad_choose(const broad_input *in)
{
    const block *b = in->block;
    uint64_t tests = 0;
    for (uint32_t f = 0; f < b->frames; f++) {
        uint64_t n = b->prim0[f + 1] - b->prim0[f];
        tests += n * n / 2;
    }
    if (in->c->dev->queued && tests < PAIRS_FEW && !in->kept)
        return &broad_brute;
    if (in->dense && !in->kept && !in->c->dev->queued)
        return &broad_tree;
    return in->c->dev->group_forms && !in->kept ? &broad_grid : &broad_rtree;
}

enum broad_number broad_which(const broad *b, const broad_input *in)
{
    return (enum broad_number)broad_number(b->asked ? b->asked : broad_choose(in));
}

void *broad_state(const broad *b)
{
    return b->state[broad_number(b->method)];
}

void broad_tell(broad *b)
{
    if (b->method->told)
        b->method->told(broad_state(b), &b->trees);
}

uint32_t broad_rules(const broad_input *in)
{
    uint32_t rules = in->c->opt.rules;
    if (in->block->corners == IMP_TRIANGLES || !(rules & RULE_SKIP_ADJACENT))
        return rules;
    return (rules & ~RULE_SKIP_ADJACENT) | RULE_SKIP_TETRAHEDRA;
}

int broad_build(broad *b, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const size_t which = (size_t)broad_which(b, in);
    b->method = methods[which];
    void **state = &b->state[which];
    if (!*state) {
        TRY(mem_alloc(in->c->mem, b->method->size, state));
        memset(*state, 0, b->method->size);
    }
    TRY(b->method->build(*state, in));
    if (b->method->wrote && info)
        TRY(b->method->wrote(*state, in, info));
    b->blocks[which]++;
out:
    return err;
}

int broad_begin(broad *b, const broad_input *in, uint32_t first, uint32_t last,
                imp_frame_info *info)
{
    broad_range range = {first, last == in->block->prims ? UINT32_MAX : last};
    int err = b->method->begin(broad_state(b), in, range, info);
    broad_tell(b); /* there may be nothing next */
    return err;
}

int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info, pairs *out)
{
    out->id = NULL;
    out->triangle = NULL;
    int err = b->method->next(broad_state(b), in, most, info, out);
    broad_tell(b);
    return err;
}

void broad_profile(const broad *b, imp_profile *out)
{
    out->tree_build = b->trees.tree_build;
    out->tree_nodes = b->trees.tree_nodes;
    out->tree_height = b->trees.tree_height;
    out->volume_tests = b->trees.volume_tests;
    out->obb_tests = b->trees.obb_tests;
    out->axes = b->trees.axes;
    out->leaf_pairs = b->trees.leaf_pairs;
}

void broad_profile_reset(broad *b)
{
    memset(b->blocks, 0, sizeof b->blocks);
    b->trees = (imp_profile){0};
}

int broad_done(const broad *b)
{
    return b->method->done(broad_state(b));
}

const broad_keeping *broad_keeps(const broad *b, void **state)
{
    *state = b->method ? broad_state(b) : NULL;
    const broad_keeping *how = b->method ? b->method->keeping : NULL;
    return how && *state && (!how->able || how->able(*state)) ? how : NULL;
}

void broad_free(broad *b, const context *c)
{
    for (size_t i = 0; i < BROAD_METHODS; i++) {
        if (!b->state[i])
            continue;
        methods[i]->free(b->state[i], c);
        mem_free(c->mem, b->state[i]);
        b->state[i] = NULL;
    }
}
