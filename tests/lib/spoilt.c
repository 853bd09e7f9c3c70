/* See spoilt.h. */
#include "spoilt.h"

#include "h5_make.h"

#include <math.h>

#define TRIANGLES 20

const char *spoilt_batch(size_t bad, int64_t torn)
{
    make m = {0};
    rng r = {5};
    int64_t ids[3 * TRIANGLES];
    for (int64_t f = 0; f < SPOILT_FRAMES; f++) {
        for (int64_t i = 0; i < 3 * TRIANGLES; i++)
            ids[i] = i;
        if (f == torn)
            ids[7] = -1;
        make_part(&m, 3 * TRIANGLES, TRIANGLES, ids);
        make_step_next(&m, (double)f, 1);
        make_random_points(&m, 3 * TRIANGLES, &r);
    }
    if (bad < SPOILT_FRAMES)
        m.points.value[9 * TRIANGLES * bad + 4] = NAN;
    const char *path = make_write(&m, "spoilt.vtkhdf");
    make_free(&m);
    return path;
}
