/* See msh_nodes.h. */
#include "msh_nodes.h"

#include "error.h"
#include "grow.h"
#include "msh_groups.h"

#include <stdlib.h>

/* Larger numbers are cut to the largest one, so that cannot be a node. The position in the file is
 * the vertex: points are added in the same order. */
static int add_node(msh_nodes *n, words *w)
{
    int err = IMP_OK;
    uint64_t tag;
    TRY(words_count(w, &tag));
    if (tag >= TEXT_INTEGER_MOST || n->count == SHAPE_VERTICES_MOST)
        FAIL(TEXT_BAD(w->text, "%s",
                      n->count == SHAPE_VERTICES_MOST ? "too many nodes"
                                                      : "a node with too large a number"));
    TRY(grow_to(&n->at, &n->bytes, (n->count + 1) * sizeof *n->at));
    n->at[n->count] = (msh_node){tag, (uint32_t)n->count};
    n->count++;
out:
    return err;
}

/* A point, and its parameters on its entity, which are not used. */
static int add_point(words *w, file_shape_maker *m, uint64_t parameters)
{
    int err = IMP_OK;
    double x[3], ignored;
    for (int k = 0; k < 3; k++)
        TRY(words_real(w, &x[k]));
    for (uint64_t k = 0; k < parameters; k++)
        TRY(words_real(w, &ignored));
    TRY(file_shape_make_vertex(m, x));
out:
    return err;
}

static int read_nodes_2(msh_nodes *n, words *w, file_shape_maker *m)
{
    int err = IMP_OK;
    uint64_t nodes;
    TRY(words_count(w, &nodes));
    for (uint64_t i = 0; i < nodes; i++) {
        TRY(add_node(n, w));
        TRY(add_point(w, m, 0));
    }
out:
    return err;
}

int msh_read_totals(words *w, uint64_t *blocks, uint64_t *all)
{
    int err = IMP_OK;
    TRY(words_count(w, blocks));
    TRY(words_count(w, all));
    /* the least and the largest tag, which are not needed */
    TRY(words_skip(w, 2));
out:
    return err;
}

/* A count that is wrong would otherwise only show as a section that ends too early, or not at all.
 */
int msh_check_total(const words *w, uint64_t have, uint64_t all)
{
    if (have == all)
        return IMP_OK;
    return imp_fail(TEXT_BAD(w->text, "%s has %" PRIu64 " in its blocks and should have %" PRIu64,
                             w->within, have, all));
}

/* Checked here, since it becomes an index of tables with MSH_DIMENSIONS entries. */
int msh_read_dimension(words *w, uint64_t *out)
{
    int err = IMP_OK;
    TRY(words_count(w, out));
    if (*out >= MSH_DIMENSIONS)
        FAIL(TEXT_BAD(w->text, "an entity of %" PRIu64 " dimensions, in %s", *out, w->within));
out:
    return err;
}

/* The tags of a block come first, then its points in the same order. A parametric node has one
 * parameter for each dimension of its entity. */
static int read_node_block(msh_nodes *n, words *w, file_shape_maker *m)
{
    int err = IMP_OK;
    uint64_t dimension, parametric, nodes;
    int64_t entity;
    TRY(msh_read_dimension(w, &dimension));
    TRY(words_integer(w, &entity));
    TRY(words_count(w, &parametric));
    TRY(words_count(w, &nodes));
    for (uint64_t i = 0; i < nodes; i++)
        TRY(add_node(n, w));
    for (uint64_t i = 0; i < nodes; i++)
        TRY(add_point(w, m, parametric ? dimension : 0));
out:
    return err;
}

static int read_nodes_4(msh_nodes *n, words *w, file_shape_maker *m)
{
    int err = IMP_OK;
    uint64_t blocks, all;
    TRY(msh_read_totals(w, &blocks, &all));
    for (uint64_t i = 0; i < blocks; i++)
        TRY(read_node_block(n, w, m));
    TRY(msh_check_total(w, n->count, all));
out:
    return err;
}

/* Not a difference: it does not fit in an int. */
static int compare_nodes(const void *a, const void *b)
{
    const msh_node *x = a, *y = b;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* Files with numbers in order, as Gmsh writes them, need no sort. In sorted order equal numbers are
 * neighbours. */
int msh_read_nodes(msh_nodes *n, words *w, file_shape_maker *m, int major)
{
    int err = IMP_OK, ascend = 1;
    TRY(major == 2 ? read_nodes_2(n, w, m) : read_nodes_4(n, w, m));
    for (size_t i = 1; i < n->count && ascend; i++)
        ascend = n->at[i - 1].tag < n->at[i].tag;
    if (!ascend)
        qsort(n->at, n->count, sizeof *n->at, compare_nodes);
    for (size_t i = 1; i < n->count; i++)
        if (n->at[i - 1].tag == n->at[i].tag)
            FAIL(TEXT_BAD(w->text, "there are two nodes %" PRIu64, n->at[i].tag));
out:
    return err;
}

/* Numbers are mostly without gaps: then the distance to the first one is the position, and no
 * search is needed. */
int msh_find_node(const msh_nodes *n, uint64_t tag, uint32_t *vertex)
{
    const msh_node key = {tag, 0}, *found;
    if (!n->count || tag < n->at[0].tag)
        return 0;
    const uint64_t guess = tag - n->at[0].tag;
    found = guess < n->count && n->at[guess].tag == tag
                ? &n->at[guess]
                : bsearch(&key, n->at, n->count, sizeof *n->at, compare_nodes);
    if (found)
        *vertex = found->vertex;
    return found != NULL;
}
