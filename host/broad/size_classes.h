/* Classes of sizes of the primitives of a frame, for methods that have a table for each: what does
 * not depend on how a method divides them. */
#ifndef IMP_SIZE_CLASSES_H
#define IMP_SIZE_CLASSES_H

#include "mem.h"

typedef struct size_class {
    uint32_t prims, part; /* prim_part of prim.h */
    float most;           /* sizes are less */
} size_class;

#define SIZE_CLASSES_MOST 128 /* of a part */

/* The upper end of bin `bin`, as size_bin of prim.h numbers them. */
float size_bin_end(uint32_t octaves, uint32_t bin);

/* Divides one part by its histogram: classes to `out`, the largest first. Returns how many. */
typedef uint32_t size_divide(const uint32_t *histogram, uint32_t part, size_class *out);

/* Classes of one frame, the largest first; returns how many. histogram: [bins], of two parts one
 * after the other; out: [SIZE_CLASSES_MOST] for each part. */
uint32_t size_classes(const uint32_t *histogram, uint32_t bins, uint32_t bipartite,
                      size_divide *divide, size_class *out);

/* Records of all classes of a block, as kernels have them. */
typedef struct size_records {
    uint32_t words;                  /* of a record */
    uint32_t count, capacity, *word; /* [words * capacity] */
} size_records;

/* Space for `more` records: their number is known only after the last frame of a block. */
int size_records_room(mem *m, size_records *r, uint32_t more);

#endif
