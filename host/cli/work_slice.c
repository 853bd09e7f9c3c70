/* See work_slice.h. */
#include "work_slice.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* One bound of a slice, as Python clips it: [low, high]. Returns 0 if it is not a number. Numbers
 * beyond int64 need no check: strtoll clips them, and they are clipped here anyway. */
static int frame_slice_bound(const char *text, size_t length, int64_t n, int64_t low, int64_t high,
                             int64_t *out)
{
    char *end;
    long long x = strtoll(text, &end, 10);
    if ((size_t)(end - text) != length)
        return 0;
    if (x < 0)
        x += n;
    *out = x < low ? low : x > high ? high : x;
    return 1;
}

/* "a:b:step" as slice(a, b, step).indices(n) of Python. Returns 0 if it is not a slice. */
static int frame_slice_parse(const char *text, uint64_t frames, frame_slice *s)
{
    const char *part[3] = {"", "", ""};
    size_t length[3] = {0}, parts = 0;
    int64_t n = (int64_t)frames, start, stop;
    s->step = 1;
    for (const char *at = text; at && parts < 3; parts++) {
        part[parts] = at;
        length[parts] = strcspn(at, ":");
        at = at[length[parts]] ? at + length[parts] + 1 : NULL;
        if (parts == 2 && at)
            return 0;
    }
    if (parts < 2)
        return 0;
    /* limits far from INT64_MAX, so that neither -step nor a sum with it overflows */
    if (length[2] &&
        (!frame_slice_bound(part[2], length[2], 0, INT64_MIN / 4, INT64_MAX / 4, &s->step) ||
         s->step == 0))
        return 0;
    /* backwards it begins with the last frame and ends before frame 0, which is -1 here */
    int64_t low = s->step > 0 ? 0 : -1, high = s->step > 0 ? n : n - 1;
    start = s->step > 0 ? low : high;
    stop = s->step > 0 ? high : low;
    if (length[0] && !frame_slice_bound(part[0], length[0], n, low, high, &start))
        return 0;
    if (length[1] && !frame_slice_bound(part[1], length[1], n, low, high, &stop))
        return 0;
    int64_t extent = s->step > 0 ? stop - start : start - stop;
    int64_t stride = s->step > 0 ? s->step : -s->step;
    s->first = (uint64_t)(start < 0 ? 0 : start);
    s->count = extent > 0 ? (uint64_t)((extent - 1) / stride + 1) : 0;
    return 1;
}

int frame_slice_select(const char *text, uint64_t frames, frame_slice *out)
{
    if (!frame_slice_parse(text ? text : ":", frames, out))
        return imp_fail(IMP_ERR_ARGUMENT, "--frames: '%s' is not a slice A:B or A:B:STEP", text);
    /* a slice that selects nothing is a mistake: an empty result would look like no contacts */
    if (frames && !out->count)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--frames: '%s' selects none of the %llu frames, 0 to %llu", text,
                        (unsigned long long)frames, (unsigned long long)frames - 1);
    return IMP_OK;
}

/* Signed: a slice may go backwards. */
uint64_t frame_slice_at(const frame_slice *s, uint64_t i)
{
    return (uint64_t)((int64_t)s->first + (int64_t)i * s->step);
}
