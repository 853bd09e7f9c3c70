/* Sums over the relations of objects in a result of run --inside: for each two objects that are not
 * apart in every frame. */
#ifndef IMP_RELATION_SUMS_H
#define IMP_RELATION_SUMS_H

#include "json.h"
#include "mem.h"
#include "object_names.h"
#include "store.h"

typedef struct relation_sum {
    int32_t a, b;
    uint64_t frames[RELATION_KINDS];
    int64_t inside[2]; /* the most vertices of a inside b, and of b inside a, in a frame */
    /* the deepest of them in all frames, the first of several; depth 0: there are none */
    double depth, point[3];
    int of_b; /* it is a vertex of b */
    int64_t vertex;
    uint64_t frame;     /* of the input */
    uint64_t swallowed; /* the most parts in a frame that are swallowed by the other object */
} relation_sum;

/* All zero at first, except mem. */
typedef struct relation_sums {
    mem *mem;
    relation_sum *pair; /* [count] ascending by a, b */
    size_t count, capacity;
    uint64_t frames;
    int slabs; /* frames have those of some slabs only */
    int64_t closed,
        open; /* the most objects in a frame: those that count as solids; those skipped */
} relation_sums;

/* Adds all frames of a result that has relations. Errors: MEMORY; INPUT, for a damaged result. */
int relation_sums_add(relation_sums *s, result_reader *r);
void relation_sums_free(relation_sums *s);

/* Sorts the pairs for people, the deepest first; nothing can be added afterwards. */
void relation_sums_sort(relation_sums *s);

/* Prints one line for each pair of objects, up to `most` lines; without pairs one line that says
 * so. The text `before` precedes the first line; the others are indented by its length. */
void relation_sums_print(const relation_sums *s, const batch_names *names, const char *before,
                         size_t most);

/* Writes the members `closed_objects`, `open_objects` and `relations` of a document. */
void relation_sums_json(json *j, const relation_sums *s, const batch_names *names);

#endif
