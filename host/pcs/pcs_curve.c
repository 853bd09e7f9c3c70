/* See pcs_curve.h. */
#include "pcs_curve.h"

#include "error.h"

#include <float.h>
#include <math.h>

#define DIGIT 11 /* bits; a key has 63 */
#define DIGITS 6

typedef struct place {
    uint64_t key;
    uint32_t box;
} place;

/* Two zero bits after each of the lowest 21. */
static uint64_t spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

/* Halves, so that no sum overflows. */
static double middle(const double box[6], int k)
{
    return box[k] / 2 + box[3 + k] / 2;
}

static void keys(const double (*box)[6], uint32_t boxes, place *out)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double scale[3];
    for (uint32_t i = 0; i < boxes; i++)
        for (int k = 0; k < 3; k++) {
            const double x = middle(box[i], k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; k++) {
        const double one = (0x1p21 - 1) / (high[k] - low[k]);
        scale[k] = one > 0 && one <= DBL_MAX ? one : 0;
    }
    for (uint32_t i = 0; i < boxes; i++) {
        uint64_t key = 0;
        for (int k = 0; k < 3; k++)
            key |= spread((uint64_t)((middle(box[i], k) - low[k]) * scale[k])) << k;
        out[i] = (place){key, i};
    }
}

static void sort_digit(const place *from, uint32_t boxes, int shift, place *to)
{
    uint32_t start[(1 << DIGIT) + 1] = {0};
    for (uint32_t i = 0; i < boxes; i++)
        start[(from[i].key >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (int d = 0; d < 1 << DIGIT; d++)
        start[d + 1] += start[d];
    for (uint32_t i = 0; i < boxes; i++)
        to[start[from[i].key >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

int pcs_curve(mem *m, const double (*box)[6], uint32_t boxes, uint32_t *order)
{
    int err = 0;
    place *a = NULL, *b = NULL;
    TRY(mem_alloc(m, boxes * sizeof *a, &a));
    TRY(mem_alloc(m, boxes * sizeof *b, &b));
    keys(box, boxes, a);
    for (int digit = 0; digit < DIGITS; digit += 2) {
        sort_digit(a, boxes, digit * DIGIT, b);
        sort_digit(b, boxes, (digit + 1) * DIGIT, a);
    }
    for (uint32_t i = 0; i < boxes; i++)
        order[i] = a[i].box;
out:
    mem_free(m, a);
    mem_free(m, b);
    return err;
}
