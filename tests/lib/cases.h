/* Random pairs of triangles by class. Where a class is degenerate it is so exactly: its
 * coordinates come from small integers and powers of two. */
#ifndef IMP_CASES_H
#define IMP_CASES_H

#include "oracle.h"
#include "testlib.h"

typedef struct case_class {
    const char *name;
    void (*make)(rng *r, tri_pair *out);
    int adjacent; /* its pairs share vertices by index */
    int single;   /* every coordinate is a float32 */
    double cell;  /* the hash cell that the class is about, or 0 */
} case_class;

#define CASE_CELL 0.1

/* ends with name = NULL */
extern const case_class case_classes[];

/* The i-th pair of a class: always the same, at random places of its list of corners. */
void case_make(const case_class *c, uint64_t i, tri_pair *out);

/* The pair as text that can be read back, and what is wrong with it: for messages. */
void case_print(const case_class *c, uint64_t i, const tri_pair *t, const char *what);

#endif
