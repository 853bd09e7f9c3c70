/* Smooth noise: random numbers weighted with binomial coefficients along rows and columns. Rows are
 * made one after the other, so that memory does not grow with the number of rows. */
#include "scene_kind.h"

#include <math.h>
#include <string.h>

static const double tap[NOISE_TAPS] = {1, 8, 28, 56, 70, 56, 28, 8, 1};

/* deviation of the weighted sum in both directions: the sum of the squares of the weights */
#define NOISE_DEVIATION 12870.0

int noise_init(scene *s, const grid *g, noise *n)
{
    uint64_t cols = g->cols + 1, wide = cols + NOISE_TAPS - 1;
    double *block;
    int err = scene_alloc(s, 3 * (wide + cols * (NOISE_TAPS + 1)), sizeof *block, &block);
    if (err)
        return err;
    n->cols = cols;
    n->white = block;
    n->out = block + 3 * wide;
    for (uint64_t i = 0; i < NOISE_TAPS; i++)
        n->ring[i] = n->out + 3 * cols * (i + 1);
    return IMP_OK;
}

/* One field if the frame begins a period, else two, blended. */
void noise_start(noise *n, uint64_t key, uint64_t frame)
{
    double late = (double)(frame % NOISE_PERIOD) / NOISE_PERIOD, early = 1 - late;
    double norm = 1 / sqrt(late * late + early * early);
    n->row = 0;
    n->key[0] = scene_key(key, frame / NOISE_PERIOD);
    n->key[1] = scene_key(key, frame / NOISE_PERIOD + 1);
    n->weight[0] = early * norm / NOISE_DEVIATION;
    n->weight[1] = late * norm / NOISE_DEVIATION;
}

static void white_row(noise *n, uint64_t row)
{
    uint64_t wide = 3 * (n->cols + NOISE_TAPS - 1);
    for (uint64_t i = 0; i < wide; i++)
        n->white[i] = n->weight[0] * scene_white(n->key[0], row * wide + i);
    if (n->weight[1] == 0)
        return;
    for (uint64_t i = 0; i < wide; i++)
        n->white[i] += n->weight[1] * scene_white(n->key[1], row * wide + i);
}

static void scene_noise_add_row(noise *n, uint64_t row)
{
    double *to = n->ring[row % NOISE_TAPS];
    white_row(n, row);
    memset(to, 0, 3 * n->cols * sizeof *to);
    for (uint64_t t = 0; t < NOISE_TAPS; t++)
        for (uint64_t i = 0; i < 3 * n->cols; i++)
            to[i] += tap[t] * n->white[i + 3 * t];
}

const double *noise_row(noise *n)
{
    for (uint64_t i = n->row ? NOISE_TAPS - 1 : 0; i < NOISE_TAPS; i++)
        scene_noise_add_row(n, n->row + i);
    memset(n->out, 0, 3 * n->cols * sizeof *n->out);
    for (uint64_t t = 0; t < NOISE_TAPS; t++) {
        const double *from = n->ring[(n->row + t) % NOISE_TAPS];
        for (uint64_t i = 0; i < 3 * n->cols; i++)
            n->out[i] += tap[t] * from[i];
    }
    n->row++;
    return n->out;
}
