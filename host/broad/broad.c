/* See broad.h: the list of methods, the choice for a block, and the state of each. */
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

/* Before the first block no method was chosen. */
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

/* A block with fewer pairs of primitives than this is tested in the time that a driver takes for
 * the grid's launches: measured 0.5 ms on PoCL against 0.3 ms for 200 primitives. */
#define PAIRS_FEW 32768

/* The best method for a block. On GPUs: sorted grids, since all their searches take the same steps.
 * On CPUs: the packed R-tree, which searches for a leaf at a time; or trees that are not built
 * again, where they are known to win. For very few primitives on a device with a driver: all pairs,
 * since a launch costs more than they do. A frame that is kept needs a method with broad_keeping.
 * On the host the R-tree wins at any size. bench/README.md has the figures. */
static const broad_method *broad_best(const broad_input *in, int dense)
{
    const view *v = in->view;
    uint64_t tests = 0;
    for (uint32_t f = 0; f < v->frames; f++) {
        uint64_t n = v->prim0[f + 1] - v->prim0[f];
        tests += n * n / 2;
    }
    if (in->c->dev->queued && tests < PAIRS_FEW && !in->kept)
        return &broad_brute;
    if (dense && !in->kept && !in->c->dev->queued)
        return &broad_tree;
    return in->c->dev->group_forms ? &broad_grid : &broad_rtree;
}

void broad_choose(broad *b, const broad_input *in, int dense)
{
    b->method = b->asked ? b->asked : broad_best(in, dense);
}

/* The state of the chosen method. */
static void *broad_state(const broad *b)
{
    return b->state[broad_number(b->method)];
}

/* Where a view has tetrahedra, triangles have a fourth corner, and which pairs share corners is a
 * question for another rule. */
uint32_t broad_rules(const broad_input *in)
{
    uint32_t rules = in->c->opt.rules;
    if (in->view->corners == IMP_TRIANGLES || !(rules & RULE_SKIP_ADJACENT))
        return rules;
    return (rules & ~RULE_SKIP_ADJACENT) | RULE_SKIP_TETRAHEDRA;
}

int broad_build(broad *b, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const size_t which = broad_number(b->method);
    void **state = &b->state[which];
    /* Most pipelines use one or two methods, so a state is made when it is first needed. */
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
    /* prim.h takes this end for no end. */
    broad_range range = {first, last == in->view->prims ? UINT32_MAX : last};
    return b->method->begin(broad_state(b), in, range, info);
}

int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out)
{
    /* A method that gives ranks sets it, one that counts later that. */
    out->ranks = NULL;
    out->later = NULL;
    return b->method->next(broad_state(b), in, most, info, out);
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
