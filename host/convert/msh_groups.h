/* Within msh.c: entities, their physical groups, and names of these. */
#ifndef IMP_MSH_GROUPS_H
#define IMP_MSH_GROUPS_H

#include "words.h"

#include <stddef.h>
#include <stdint.h>

#define MSH_DIMENSIONS 4 /* of entities: points, curves, surfaces, volumes */

/* What is known of a pair (dimension, tag). */
typedef struct msh_tag {
    int64_t dimension, tag;
    int64_t physical; /* of an entity: its first group, 0 if it has none */
    size_t order;     /* in the file */
    char *name;       /* of a group */
} msh_tag;

typedef struct msh_tags {
    msh_tag *at;         /* [count] */
    size_t count, bytes; /* bytes: allocated */
    int sorted;
} msh_tags;

typedef struct msh_groups {
    msh_tags names, entities;
} msh_groups;

void msh_groups_free(msh_groups *g);

/* Read the sections, after their first line. Errors: INPUT, MEMORY. */
int msh_read_names(msh_groups *g, words *w);
int msh_read_entities(msh_groups *g, words *w, int partitioned);

/* The group of an entity, 0 without one. */
int64_t msh_physical_of(msh_groups *g, int64_t dimension, int64_t entity);

/* The section of elements in this group or, if that is 0, of this entity; in `out`, which holds
 * MSH_SECTION bytes, or a name that lives as long as *g. */
#define MSH_SECTION 60
const char *msh_section(msh_groups *g, int64_t dimension, int64_t physical, int64_t entity,
                        char *out);

#endif
