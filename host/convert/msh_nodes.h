/* Within msh.c: nodes by their numbers, and what sections of blocks have in common. */
#ifndef IMP_MSH_NODES_H
#define IMP_MSH_NODES_H

#include "file_shape_make.h"
#include "words.h"

#include <stddef.h>
#include <stdint.h>

/* What a node is called, and its vertex. */
typedef struct msh_node {
    uint64_t tag;
    uint32_t vertex;
} msh_node;

typedef struct msh_nodes {
    msh_node *at;        /* [count], by tag once all are there; free() it */
    size_t count, bytes; /* bytes: allocated */
} msh_nodes;

/* Reads the section, after its first line; the points become vertices of m. `major`: of the format.
 * Errors: INPUT, MEMORY. */
int msh_read_nodes(msh_nodes *n, words *w, file_shape_maker *m, int major);

/* Is there a node of this number? */
int msh_find_node(const msh_nodes *n, uint64_t tag, uint32_t *vertex);

/* Reads the totals of a section of format 4: the number of blocks and of items in them. The least
 * and the greatest tag are skipped. */
int msh_read_totals(words *w, uint64_t *blocks, uint64_t *all);
int msh_check_total(const words *w, uint64_t have, uint64_t all);

/* The dimension of the entity of a block. */
int msh_read_dimension(words *w, uint64_t *out);

#endif
