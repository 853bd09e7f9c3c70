/* Pairs of boxes by methods other than pcs: sort and sweep, and one uniform grid. For pcs.c. */
#ifndef BENCH_PCS_OTHERS_H
#define BENCH_PCS_OTHERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct boxes {
    double (*at)[6];
    uint32_t count;
    double ratio; /* largest edge over smallest */
} boxes;

/* `hash` is a sum over pairs, so that their order does not matter. */
typedef struct answer {
    uint64_t pairs, hash;
} answer;

static inline void answer_add(answer *a, uint32_t i, uint32_t j)
{
    const uint64_t lo = i < j ? i : j, hi = i < j ? j : i;
    const uint64_t h = (lo << 32 | hi) * UINT64_C(0x9e3779b97f4a7c15);
    a->pairs++;
    a->hash += h ^ h >> 29;
}

/* Zeroed memory. Ends the program if there is not enough. */
void *pcs_capacity(size_t n, size_t size);

/* Along the axis on which boxes are spread most. edge is not used. */
answer pcs_by_sweep(const boxes *b, double edge);

/* Cells with this edge; memory is reused from call to call. */
answer pcs_by_grid(const boxes *b, double edge);

/* Number of cells that boxes overlap, summed over boxes. */
double pcs_grid_entries(const boxes *b, double edge);

#endif
