/* Random pairs of triangles by class. Degenerate classes are exactly degenerate: their coordinates
 * are made of small integers and powers of two. */
#ifndef IMP_CASES_H
#define IMP_CASES_H

#include "oracle.h"
#include "testlib.h"

typedef struct case_class {
    const char *name;
    void (*make)(rng *r, tri_pair *out);
    int adjacent; /* its pairs share vertices by index */
    int single;   /* every coordinate is a float32 */
    double cell;  /* hash cell size for which the class is designed, or 0 */
} case_class;

#define CASE_CELL 0.1

/* ends with name = NULL */
extern const case_class case_classes[];

/* The i-th pair of a class: reproducible, at random positions of its list of corners. */
void case_make(const case_class *c, uint64_t i, tri_pair *out);

/* Prints the pair as text that can be read back, and the fault `what`: for messages. */
void case_print(const case_class *c, uint64_t i, const tri_pair *t, const char *what);

#endif
