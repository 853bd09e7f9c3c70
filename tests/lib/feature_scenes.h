/* Primitives that move between two instants, for tests of feature pairs (feature_tests.h): the
 * stage's verdicts on every device, and the vertices of those features. */
#ifndef IMP_FEATURE_SCENES_H
#define IMP_FEATURE_SCENES_H

#include "exact_point.h"
#include "feature_tests.h"
#include "ways.h"

typedef struct feature_scene {
    uint32_t corners, verts, prims, pairs;
    double *at[2];           /* [3 * verts] */
    uint32_t *corner;        /* [corners * prims] */
    uint32_t *owned, *a, *b; /* [prims], [pairs] */
    uint32_t *prim;          /* candidates are ranks of these primitives; NULL: primitives */
    uint64_t limit;          /* memory limit in addition to the scene; 0: none */
    double separation;       /* distance up to which features are near; 0: contact */
} feature_scene;

typedef struct feature_row {
    uint32_t a, b, code;
} feature_row;

typedef struct feature_answer {
    feature_row *row[2]; /* pairs that meet; undecided pairs */
    size_t n[2];
    uint64_t counts[2];
} feature_answer;

/* With capacity for so many pairs of primitives; all zero. */
feature_scene feature_scene_make(uint32_t corners, uint32_t verts, uint32_t prims, uint32_t most);
void feature_scene_free(feature_scene *s);

/* All pairs of primitives are candidates. grid: coordinates are multiples of 1/16; 0: any. */
feature_scene feature_scene_random(rng *r, uint32_t corners, uint32_t prims, uint32_t grid);

/* Adds two features as candidate i, with random indices in two primitives, whose other corners are
 * at the position of the first vertex. */
void feature_put(feature_scene *s, uint32_t i, enum exact_ccd_kind kind, const exact_motion *m,
                 rng *r);

/* The verdicts of a device. One without float64 finds candidates only; the host does the rest. */
void features_ask(const way *w, const feature_scene *s, feature_answer *out);

/* The verdicts of way 0, sorted: the order depends on the chunks of candidates. All others must be
 * identical to the last byte. */
void features_ask_all(const feature_scene *s, feature_answer *out);

void feature_answer_free(feature_answer *r);
void feature_answer_sort(feature_answer *r);
int feature_answers_equal(const feature_answer *x, const feature_answer *y);

/* Counts the verdict on one pair in a sorted answer in seen[2]; unless undecided, it must agree
 * with exact arithmetic, `is`. word: the relation that `is` states. */
void feature_expect(const feature_answer *got, feature_row r, int is, const char *word,
                    uint64_t seen[2]);

/* Vertices of both features, the face or the first edge first; returns 0 if they share one. */
int feature_vertices_both(const feature_scene *s, feature_row r, uint32_t out[4]);
void feature_motion(const feature_scene *s, const uint32_t vertex[4], exact_motion *m);

/* Calls `see` for every pair of representative features of the candidates, and of each primitive
 * with itself. */
void features_each(const feature_scene *s, void (*see)(void *user, feature_row r), void *user);

#endif
