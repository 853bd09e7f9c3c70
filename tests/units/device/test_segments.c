/* Reduction, histogram and compaction over frames on every device, in both forms, against plain
 * loops. */
#include "segments_check.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>

/* Checks everything with frames of these lengths, the first item being number `before`. */
static void try_lengths(const way *w, device *d, const char *what, const uint32_t *length,
                        uint32_t frames, uint32_t before, uint32_t bins)
{
    char about[80];
    rng r = {frames + bins};
    segments s = {0};
    uint32_t *start = malloc(((size_t)frames + 1) * sizeof *start);
    CU_ASSERT_PTR_NOT_NULL_FATAL(start);
    start[0] = before;
    for (uint32_t f = 0; f < frames; f++)
        start[f + 1] = start[f] + length[f];
    const char *wrong = segments_wrong(d, &s, start, frames, bins, &r);
    snprintf(about, sizeof about, "%s, %u items, %u bins", what, start[frames], bins);
    if (wrong)
        way_failed(w, about, "segments", wrong);
    segments_free(d, &s);
    free(start);
}

/* Runs `run` on every device in every form. */
static void segments_test_each_device(void (*run)(const way *w, device *d))
{
    way list[WAYS_MOST];
    size_t n = ways_find(list);
    for (size_t i = 0; i < n; i++) {
        mem m = {0};
        device *d = way_open(&list[i], &m, NULL);
        if (d)
            run(&list[i], d);
        device_close(d);
        CU_ASSERT_EQUAL(m.now, 0);
    }
}

/* One frame of the length that a work-item, a work-group or a tile owns, and one less or more
 * (segment.h); tiles of which a work-group adds more than one an item. */
static void one_frame(const way *w, device *d)
{
    static const uint32_t sizes[] = {0,    1,    7,    8,    9,    255,  256,   257,    2040,
                                     2047, 2048, 2049, 4095, 4096, 4097, 65535, 100000, 600001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        try_lengths(w, d, "one frame", &sizes[i], 1, 0, 256);
}

static void test_one(void)
{
    segments_test_each_device(one_frame);
}

static void segments_test_many_frames(const way *w, device *d)
{
    enum { MOST = 3000 };
    static uint32_t none[MOST], few[MOST], mixed[MOST];
    rng r = {5};
    for (int i = 0; i < MOST; i++) {
        few[i] = rng_below(&r, 5);
        mixed[i] = i % 3 ? rng_below(&r, 6) * 1024 + rng_below(&r, 3) - (i % 3 > 1) : 0;
        mixed[i] = mixed[i] > 10000 ? 0 : mixed[i];
    }
    mixed[17] = 300000;
    try_lengths(w, d, "no frames", none, 0, 0, 5);
    try_lengths(w, d, "empty frames", none, MOST, 0, 5);
    try_lengths(w, d, "small frames", few, MOST, 0, 31);
    try_lengths(w, d, "one item a frame", mixed + 17, 1, 1000, 256);
    try_lengths(w, d, "frames of all sizes", mixed, 60, 0, 256);
    try_lengths(w, d, "not from 0 on", mixed, 60, 777, 256);
}

static void test_segments_many(void)
{
    segments_test_each_device(segments_test_many_frames);
}

/* The bins that are counted at a time, and more. */
static void all_bins(const way *w, device *d)
{
    static const uint32_t length[] = {3000, 0, 100, 9000},
                          bins[] = {0, 1, 16, 2, 255, 257, 4095, 4096, 4097, 9000};
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++)
        try_lengths(w, d, "bins", length, 4, 0, bins[i]);
}

static void test_bins(void)
{
    segments_test_each_device(all_bins);
}

/* One memory for blocks of all kinds, one after another, as in the stages. */
static void one_memory(const way *w, device *d)
{
    static const uint32_t start[][4] = {{0, 5000, 5000, 90000}, {0, 1, 1, 2}, {0, 0, 0, 40000}};
    segments s = {0};
    rng r = {6};
    for (int i = 0; i < 6; i++) {
        const char *wrong = segments_wrong(d, &s, start[i % 3], 3, i % 2 ? 300 : 20, &r);
        if (wrong)
            way_failed(w, "one memory", "segments", wrong);
    }
    segments_free(d, &s);
}

static void test_segments_again(void)
{
    segments_test_each_device(one_memory);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"one", test_one},
        {"many", test_segments_many},
        {"bins", test_bins},
        {"again", test_segments_again},
        {0},
    };
    return test_main(argc, argv, "segments", tests);
}
