/* Devices alone: buffers, launches, cancelling, and selecting one by name. */
#define _GNU_SOURCE
#include "internal.h"
#include "made.h"
#include "ways.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 10000

/* a device with its own memory account */
typedef struct bench {
    const way *way;
    mem mem;
    atomic_int cancel;
    device *d;
    unsigned char data[BYTES], back[BYTES];
} bench;

static void device_test_each_device(void (*run)(bench *t))
{
    way list[WAYS_MOST];
    size_t n = ways_find(list);
    for (size_t i = 0; i < n; i++) {
        bench t = {.way = &list[i]};
        if (list[i].no_fp64 || !(t.d = way_open(&list[i], &t.mem, &t.cancel)))
            continue; /* without float64: the same device */
        for (int k = 0; k < BYTES; k++)
            t.data[k] = (unsigned char)(k * 7 + k / 256);
        run(&t);
        device_close(t.d);
        CU_ASSERT_EQUAL(t.mem.now, 0);
    }
}

/* returns whether the bytes of b equal those of data */
static int device_test_holds(bench *t, const buffer_u8 *b, size_t offset, const void *data,
                             size_t bytes)
{
    memset(t->back, 0x5a, sizeof t->back);
    return buffer_read(t->d, b, offset, t->back, bytes) == 0 && !memcmp(t->back, data, bytes);
}

/* ---- buffers */

static void write_read(bench *t)
{
    static const size_t sizes[] = {0, 1, 3, 4, 63, 64, 65, 4096, BYTES};
    buffer_u8 b = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CU_ASSERT_EQUAL(buffer_put(t->d, &b, t->data, sizes[i]), 0);
        CU_ASSERT_EQUAL(b.raw.bytes, sizes[i]);
        CU_ASSERT(device_test_holds(t, &b, 0, t->data, sizes[i]));
    }
    CU_ASSERT_EQUAL(buffer_write(t->d, &b, 100, t->data, 50), 0);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data, 100));
    CU_ASSERT(device_test_holds(t, &b, 100, t->data, 50));
    CU_ASSERT(device_test_holds(t, &b, 150, t->data + 150, BYTES - 150));
    CU_ASSERT_EQUAL(buffer_write(t->d, &b, BYTES, t->data, 0), 0);
    buffer_free(t->d, &b);
    CU_ASSERT(b.raw.bytes == 0 && b.raw.capacity == 0 && !b.raw.data && !b.raw.native);
    buffer_free(t->d, &b);
}

static void test_write_read(void)
{
    device_test_each_device(write_read);
}

static void device_test_copy(bench *t)
{
    buffer_u8 a = {0}, b = {0}, none = {0};
    CU_ASSERT_EQUAL(buffer_put(t->d, &a, t->data, BYTES), 0);
    CU_ASSERT_EQUAL(buffer_put(t->d, &b, t->data, BYTES), 0);
    CU_ASSERT_EQUAL(buffer_copy(t->d, &a, 1000, &b, 4, 96), 0);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data, 4));
    CU_ASSERT(device_test_holds(t, &b, 4, t->data + 1000, 96));
    CU_ASSERT(device_test_holds(t, &b, 100, t->data + 100, BYTES - 100));
    CU_ASSERT(device_test_holds(t, &a, 0, t->data, BYTES));
    CU_ASSERT_EQUAL(buffer_copy(t->d, &a, 0, &none, 0, 0), 0);
    CU_ASSERT_EQUAL(buffer_copy(t->d, &none, 0, &a, BYTES, 0), 0);
    buffer_free(t->d, &a);
    buffer_free(t->d, &b);
}

static void test_copy(void)
{
    device_test_each_device(device_test_copy);
}

static void device_test_grow(bench *t)
{
    buffer_u8 b = {0};
    CU_ASSERT_EQUAL(buffer_grow(t->d, &b, 0, 0), 0);
    CU_ASSERT_EQUAL(buffer_grow(t->d, &b, 0, 100), 0);
    CU_ASSERT_EQUAL(buffer_write(t->d, &b, 0, t->data, 100), 0);
    CU_ASSERT_EQUAL(buffer_grow(t->d, &b, 100, BYTES), 0);
    CU_ASSERT_EQUAL(b.raw.bytes, BYTES);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data, 100));
    CU_ASSERT_EQUAL(buffer_grow(t->d, &b, 50, 60), 0); /* within the capacity */
    CU_ASSERT_EQUAL(b.raw.bytes, 60);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data, 60));
    buffer_free(t->d, &b);
}

static void test_grow(void)
{
    device_test_each_device(device_test_grow);
}

/* Small changes keep the capacity; a far smaller size releases it. */
static void device_test_fit(bench *t)
{
    buffer_u8 b = {0};
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 1 << 20), 0);
    CU_ASSERT_EQUAL(t->mem.now, 1 << 20);
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 1 << 19), 0);
    CU_ASSERT_EQUAL(t->mem.now, 1 << 20);
    CU_ASSERT_EQUAL(b.raw.bytes, 1 << 19);
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 1000), 0);
    CU_ASSERT_EQUAL(t->mem.now, 1000);
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 0), 0);
    CU_ASSERT_EQUAL(b.raw.bytes, 0);
    CU_ASSERT(b.raw.capacity > 0); /* a valid kernel argument */
    buffer_free(t->d, &b);
    CU_ASSERT_EQUAL(t->mem.now, 0);
    CU_ASSERT_EQUAL(t->mem.peak, 1 << 20);
}

static void test_fit(void)
{
    device_test_each_device(device_test_fit);
}

static void wrap(bench *t)
{
    buffer_u8 wrapped = {0}, b = {0};
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &wrapped, t->data, BYTES), 0);
    CU_ASSERT_EQUAL(wrapped.raw.bytes, BYTES);
    CU_ASSERT(device_test_holds(t, &wrapped, 0, t->data, BYTES));
    CU_ASSERT_EQUAL(buffer_put(t->d, &b, t->back, BYTES), 0);
    CU_ASSERT_EQUAL(buffer_copy(t->d, &wrapped, 8, &b, 0, BYTES - 8), 0);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data + 8, BYTES - 8));
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &wrapped, t->data + 4, 40), 0); /* another view */
    CU_ASSERT(device_test_holds(t, &wrapped, 0, t->data + 4, 40));
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &wrapped, (unsigned char *)NULL, 0), 0);
    CU_ASSERT_EQUAL(wrapped.raw.bytes, 0);
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &wrapped, t->data, 40), 0);
    CU_ASSERT_EQUAL(buffer_grow(t->d, &wrapped, 40, 80), 0); /* a view becomes a copy */
    CU_ASSERT(device_test_holds(t, &wrapped, 0, t->data, 40));
    CU_ASSERT_EQUAL(buffer_fit(t->d, &wrapped, 80), 0);
    CU_ASSERT_EQUAL(buffer_write(t->d, &wrapped, 0, t->data + 9, 80), 0);
    CU_ASSERT_EQUAL(t->data[40], (unsigned char)(40 * 7));
    buffer_free(t->d, &wrapped);
    buffer_free(t->d, &b);
}

static void test_wrap(void)
{
    device_test_each_device(wrap);
}

/* ---- more than a device transfers at once: copies through pinned memory are divided into chunks
 * of 1 MiB, eight at a time */

#define MIB ((size_t)1 << 20)
#define LARGE (19 * MIB + 3)

static void large_data(unsigned char *out)
{
    uint32_t x = 1;
    for (size_t i = 0; i < LARGE; i++) {
        x = x * 1664525 + 1013904223;
        out[i] = (unsigned char)(x >> 24);
    }
}

/* Writes whose source is changed immediately after each, and one list of reads: full chunks, empty
 * ones, and others. */
static void large_copies(bench *t, const unsigned char *data, unsigned char *from,
                         unsigned char *back)
{
    static const size_t ends[] = {0, 1, MIB, MIB, 2 * MIB + 1, 11 * MIB, 11 * MIB + 70000, LARGE};
    enum { PARTS = sizeof ends / sizeof *ends - 1 };
    buffer_u8 b = {0};
    readout list[PARTS];
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, LARGE), 0);
    for (int i = 0; i < PARTS; i++) {
        const size_t n = ends[i + 1] - ends[i];
        memcpy(from, data + ends[i], n);
        CU_ASSERT_EQUAL(buffer_write(t->d, &b, ends[i], from, n), 0);
        memset(from, 0x5a, n);
        list[i] = (readout)READOUT(&b, ends[i], back + ends[i], n);
    }
    memset(back, 0x5a, LARGE);
    CU_ASSERT_EQUAL(device_read_all(t->d, list, PARTS), 0);
    CU_ASSERT(!memcmp(back, data, LARGE));
    /* in any order, and the same bytes twice */
    readout some[2] = {READOUT(&b, 3 * MIB, back, 9 * MIB),
                       READOUT(&b, 5, back + 9 * MIB, 4 * MIB)};
    CU_ASSERT_EQUAL(device_read_all(t->d, some, 2), 0);
    CU_ASSERT(!memcmp(back, data + 3 * MIB, 9 * MIB));
    CU_ASSERT(!memcmp(back + 9 * MIB, data + 5, 4 * MIB));
    buffer_free(t->d, &b);
}

/* Sources of all lengths, from all over the data: few, which are one small write, or many, which
 * are divided into chunks that begin and end within them. */
static void device_test_gather(bench *t, const unsigned char *data, unsigned char *want,
                               unsigned char *back)
{
    static const size_t counts[] = {0, 1, 2, 20, 3000};
    static source list[3000];
    buffer_u8 b = {0};
    rng r = {5};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t bytes = 0;
        for (size_t i = 0; i < counts[k]; i++) {
            const uint32_t n = 1 + rng_below(&r, i % 500 == 499 ? 3 * MIB / 2 : 3000);
            list[i] = (source){data + rng_below(&r, (uint32_t)(LARGE - n)), n};
            memcpy(want + bytes, list[i].at, n);
            bytes += n;
        }
        CU_ASSERT_FATAL(bytes < LARGE && bytes == sources_bytes(list, counts[k]));
        for (int ahead = 0; ahead < 2; ahead++) {
            const int can = ahead && bytes && !t->d->host_memory && !t->mem.limit;
            t->mem.caches = ahead; /* may be cached */
            if (ahead && !t->mem.limit)
                CU_ASSERT_EQUAL(bytes_prefetch_fit(t->d, &b.raw, bytes), can);
            const size_t some = counts[k] / 2, offset = sources_bytes(list, some);
            if (can) {
                CU_ASSERT_EQUAL(bytes_prefetch(t->d, &b.raw, offset, list + some, counts[k] - some),
                                0);
                CU_ASSERT_EQUAL(bytes_prefetch(t->d, &b.raw, 0, list, some), 0);
                CU_ASSERT_EQUAL(device_prefetch_done(t->d), 0);
            }
            if (!can)
                CU_ASSERT_EQUAL(bytes_gather(t->d, &b.raw, list, counts[k]), 0);
            CU_ASSERT_EQUAL(b.raw.bytes, bytes);
            memset(back, 0x5a, bytes);
            CU_ASSERT_EQUAL(buffer_read(t->d, &b, 0, back, bytes), 0);
            CU_ASSERT(!memcmp(back, want, bytes));
            buffer_free(t->d, &b);
        }
    }
    t->mem.caches = 0;
}

static void device_test_large(bench *t)
{
    unsigned char *data = malloc(3 * LARGE);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    large_data(data);
    large_copies(t, data, data + LARGE, data + 2 * LARGE);
    device_test_gather(t, data, data + LARGE, data + 2 * LARGE);
    free(data);
}

static void test_device_large(void)
{
    device_test_each_device(device_test_large);
}

/* If memory is short, copies use no pinned memory. */
static void large_limited(bench *t)
{
    t->mem.limit = LARGE + 1;
    device_test_large(t);
    CU_ASSERT(t->mem.peak <= LARGE + 1);
}

static void test_large_limited(void)
{
    device_test_each_device(large_limited);
}

/* A copy's memory is reused for the next one, if there is enough; a view's is not. */
static void unwrap(bench *t)
{
    buffer_u8 b = {0};
    t->mem.caches = 1;
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &b, t->data, BYTES), 0);
    buffer_unwrap(t->d, &b);
    CU_ASSERT_EQUAL(b.raw.capacity > 0, !t->d->host_memory);
    CU_ASSERT_EQUAL(buffer_wrap(t->d, &b, t->data + 9, 70), 0);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data + 9, 70));
    t->mem.limit = t->mem.now + 10;
    buffer_unwrap(t->d, &b);
    CU_ASSERT_EQUAL(b.raw.capacity, 0);
    buffer_unwrap(t->d, &b);
    mem_close(&t->mem);
}

static void test_unwrap(void)
{
    device_test_each_device(unwrap);
}

static void limit(bench *t)
{
    buffer_u8 a = {0}, b = {0};
    t->mem.limit = 5000;
    CU_ASSERT_EQUAL(buffer_put(t->d, &a, t->data, 3000), 0);
    CU_ASSERT_EQUAL(mem_left(&t->mem), 2000);
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 2001), IMP_ERR_MEMORY);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "5000"));
    CU_ASSERT_EQUAL(b.raw.capacity, 0);
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 2000), 0);
    CU_ASSERT_EQUAL(t->mem.now, 5000);
    buffer_free(t->d, &b);
    CU_ASSERT_EQUAL(buffer_grow(t->d, &a, 3000, 4000), IMP_ERR_MEMORY); /* both at once */
    CU_ASSERT(device_test_holds(t, &a, 0, t->data, 3000));
    CU_ASSERT_EQUAL(t->mem.now, 3000);
    CU_ASSERT_EQUAL(buffer_put(t->d, &a, t->data, 4000), 0); /* the old content is not preserved */
    buffer_free(t->d, &a);
    CU_ASSERT_EQUAL(t->mem.peak, 5000);
}

static void test_device_limit(void)
{
    device_test_each_device(limit);
}

static void device_test_largest(bench *t)
{
    buffer_u8 b = {0};
    t->d->largest = 1000;
    CU_ASSERT_EQUAL(buffer_fit(t->d, &b, 1001), IMP_ERR_MEMORY);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "1001"));
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "1000"));
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), t->d->info.name));
    CU_ASSERT_EQUAL(buffer_put(t->d, &b, t->data, 1000), 0);
    CU_ASSERT_EQUAL(buffer_grow(t->d, &b, 1000, 1001), IMP_ERR_MEMORY);
    CU_ASSERT(device_test_holds(t, &b, 0, t->data, 1000));
    buffer_free(t->d, &b);
}

static void test_largest(void)
{
    device_test_each_device(device_test_largest);
}

/* ---- launches: scan_gather, of MAP kind, copies n words; nothing beyond them may change */

static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 100000};
#define COUNT_MOST 100000
#define DEVICE_BEYOND 200

typedef struct launch {
    buffer_u64 from;
    buffer_u32 index;
    buffer_u64 out;
    uint64_t *value; /* [COUNT_MOST + BEYOND] */
    uint32_t *place; /* [COUNT_MOST] */
} launch;

static void launch_open(bench *t, launch *l)
{
    *l = (launch){.value = malloc((COUNT_MOST + DEVICE_BEYOND) * sizeof *l->value),
                  .place = malloc(COUNT_MOST * sizeof *l->place)};
    CU_ASSERT_FATAL(l->value && l->place);
    for (uint32_t i = 0; i < COUNT_MOST; i++) {
        l->value[i] = UINT64_C(0x100000001) * i;
        l->place[i] = COUNT_MOST - 1 - i;
    }
    CU_ASSERT_EQUAL(buffer_put(t->d, &l->from, l->value, COUNT_MOST), 0);
    CU_ASSERT_EQUAL(buffer_put(t->d, &l->index, l->place, COUNT_MOST), 0);
}

static void launch_close(bench *t, launch *l)
{
    buffer_free(t->d, &l->from);
    buffer_free(t->d, &l->index);
    buffer_free(t->d, &l->out);
    free(l->value);
    free(l->place);
}

static void launch_once(bench *t, launch *l, uint32_t n)
{
    int wrong = 0;
    memset(l->value, 0xee, (n + DEVICE_BEYOND) * sizeof *l->value);
    CU_ASSERT_EQUAL(buffer_put(t->d, &l->out, l->value, n + DEVICE_BEYOND), 0);
    CU_ASSERT_EQUAL(RUN(t->d, scan_gather, n, &l->from, &l->index, &l->out), 0);
    CU_ASSERT_EQUAL(device_finish(t->d), 0);
    CU_ASSERT_EQUAL(buffer_read(t->d, &l->out, 0, l->value, n + DEVICE_BEYOND), 0);
    for (uint32_t i = 0; i < n + DEVICE_BEYOND; i++)
        wrong += l->value[i] != (i < n ? UINT64_C(0x100000001) * (COUNT_MOST - 1 - i)
                                       : UINT64_C(0xeeeeeeeeeeeeeeee));
    if (wrong)
        way_failed(t->way, NULL, "scan_gather", "wrong values");
}

static void device_test_launches(bench *t)
{
    launch l;
    launch_open(t, &l);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        launch_once(t, &l, counts[i]);
    launch_close(t, &l);
}

static void test_launches(void)
{
    device_test_each_device(device_test_launches);
}

/* The threads of this process: their number, and a sum of their ids. 0 if unknown. */
static size_t device_test_threads_now(unsigned long *sum)
{
    size_t n = 0;
    DIR *d = opendir("/proc/self/task");
    *sum = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0])) {
            *sum += strtoul(e->d_name, NULL, 10);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

/* Launches of few items do not change the host's threads. */
static void test_same_threads(void)
{
    static const uint32_t few[] = {1, 3000, 5000, 100};
    static const way host = {.name = "cpu"};
    bench t = {.way = &host};
    launch l;
    unsigned long first, last;
    CU_ASSERT_EQUAL_FATAL(
        device_open(&(device_def){.name = "cpu", .mem = &t.mem, .threads = 6}, &t.d), 0);
    launch_open(&t, &l);
    launch_once(&t, &l, COUNT_MOST);
    size_t n = device_test_threads_now(&first);
    CU_ASSERT(!n || n >= 6);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        launch_once(&t, &l, few[i]);
        CU_ASSERT(device_test_threads_now(&last) == n && last == first);
    }
    launch_once(&t, &l, COUNT_MOST);
    CU_ASSERT(device_test_threads_now(&last) == n && last == first);
    launch_close(&t, &l);
    device_close(t.d);
}

static void cancel(bench *t)
{
    launch l;
    launch_open(t, &l);
    launch_once(t, &l, 65);
    t->cancel = 1;
    CU_ASSERT_EQUAL(RUN(t->d, scan_gather, 65, &l.from, &l.index, &l.out), IMP_ERR_CANCELLED);
    CU_ASSERT_EQUAL(RUN(t->d, scan_gather, 0, &l.from, &l.index, &l.out), IMP_ERR_CANCELLED);
    CU_ASSERT_EQUAL(buffer_write(t->d, &l.from, 0, l.value, 1), 0); /* transfers still work */
    CU_ASSERT_EQUAL(device_finish(t->d), 0);
    t->cancel = 0;
    CU_ASSERT_EQUAL(buffer_put(t->d, &l.from, &(uint64_t){0}, 1), 0);
    CU_ASSERT_EQUAL(RUN(t->d, scan_gather, 0, &l.from, &l.index, &l.out), 0);
    launch_close(t, &l);
}

static void test_device_cancel(void)
{
    device_test_each_device(cancel);
}

/* ---- the list of kernels */

static void test_kernels(void)
{
    for (int k = 0; k < KERNELS; k++) {
        const kernel_info *i = &kernel_table[k];
        /* OpenCL 1.2 guarantees 1,024 bytes of arguments, which have at most 8 each */
        CU_ASSERT(i->args > 1 && 8 * i->args <= 1024);
        CU_ASSERT(strspn(i->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(i->name));
        int group = strlen(i->name) > 6 && !strcmp(i->name + strlen(i->name) - 6, "_group");
        CU_ASSERT_EQUAL(i->kind == KERNEL_GROUP || i->kind == KERNEL_HEAVY_GROUP, group);
        for (int j = 0; j < k; j++)
            CU_ASSERT_STRING_NOT_EQUAL(kernel_table[j].name, i->name);
    }
}

/* ---- names */

static char log_text[1000];

static void device_test_log_line(void *user, const char *line)
{
    ++*(int *)user;
    snprintf(log_text, sizeof log_text, "%s", line);
}

/* The device that this name opens: "host" or a platform, "" if none. */
static const char *device_test_opened(const char *name, imp_device_info *info)
{
    mem m = {0};
    device *d = NULL;
    int err = device_open(&(device_def){.name = name, .mem = &m}, &d);
    memset(info, 0, sizeof *info);
    if (err) {
        CU_ASSERT_EQUAL(err, IMP_ERR_DEVICE);
        CU_ASSERT_PTR_NULL(d);
        CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), name));
        return "";
    }
    *info = d->info;
    device_close(d);
    return info->platform;
}

static void test_host_names(void)
{
    static const char *const names[] = {"cpu", "CPU", "Cpu", "0", "00"};
    imp_device_info info;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CU_ASSERT_STRING_EQUAL(device_test_opened(names[i], &info), "host");
}

static void test_no_such_name(void)
{
    static const char *const names[] = {"no such device",
                                        "99",
                                        "4294967296",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "-1",
                                        "cpu ",
                                        "1x",
                                        ""};
    imp_device_info info;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CU_ASSERT_STRING_EQUAL(device_test_opened(names[i], &info), "");
}

/* `count` characters of text from `first` on, with the case swapped */
static const char *device_test_swap_case(const char *text, size_t first, size_t count)
{
    static char out[200];
    snprintf(out, sizeof out, "%.*s", (int)count, text + first);
    for (char *c = out; *c; c++)
        *c = (char)(isupper((unsigned char)*c) ? tolower((unsigned char)*c)
                                               : toupper((unsigned char)*c));
    return out;
}

/* the first device whose platform, else name, else version contains this text */
static size_t first_match(const char *text)
{
    imp_device_info d;
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 1; imp_device_at(i, &d); i++) {
            const char *in = kind == 0 ? d.platform : kind == 1 ? d.name : d.version;
            if (strcasestr(in, text))
                return i;
        }
    return 0;
}

static void device_test_expect(const char *name, size_t index)
{
    imp_device_info got, want;
    CU_ASSERT(imp_device_at(index, &want));
    device_test_opened(name, &got);
    CU_ASSERT_STRING_EQUAL(got.platform, want.platform);
    CU_ASSERT_STRING_EQUAL(got.name, want.name);
    CU_ASSERT_STRING_EQUAL(got.version, want.version);
}

static void test_opencl_names(void)
{
    imp_device_info d;
    char number[24];
    if (!imp_device_at(1, &d))
        SKIP("no OpenCL device");
    device_test_expect("opencl", 1);
    device_test_expect("OpenCL", 1);
    for (size_t i = 1; imp_device_at(i, &d); i++) {
        snprintf(number, sizeof number, "%zu", i);
        device_test_expect(number, i);
        const char *texts[] = {d.platform, d.name, d.version};
        for (int k = 0; k < 3; k++) {
            device_test_expect(texts[k], first_match(texts[k]));
            size_t n = strlen(texts[k]);
            device_test_expect(device_test_swap_case(texts[k], n / 3, n - n / 3),
                               first_match(device_test_swap_case(texts[k], n / 3, n - n / 3)));
        }
    }
}

/* One name for several devices: the first is used, and the user is told. */
static void test_device_several(void)
{
    imp_device_info a, b;
    mem m = {0};
    device *d = NULL;
    int lines = 0;
    if (!imp_device_at(2, &b) || !imp_device_at(1, &a) || strcmp(a.platform, b.platform))
        SKIP("no two OpenCL devices of one platform");
    device_def def = {
        .name = a.platform, .mem = &m, .log = device_test_log_line, .log_user = &lines};
    CU_ASSERT_EQUAL(device_open(&def, &d), 0);
    device_close(d);
    CU_ASSERT_EQUAL(lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(log_text, a.name));
    CU_ASSERT_PTR_NOT_NULL(strstr(log_text, "2"));
    def.name = "1";
    CU_ASSERT_EQUAL(device_open(&def, &d), 0);
    device_close(d);
    def.name = "opencl";
    CU_ASSERT_EQUAL(device_open(&def, &d), 0);
    device_close(d);
    CU_ASSERT_EQUAL(lines, 1);
}

/* ---- a CPU that emulates a GPU */

static int selftests;
int __real_selftest(const context *c, const char *name);
int __wrap_selftest(const context *c, const char *name);

int __wrap_selftest(const context *c, const char *name)
{
    selftests++;
    return __real_selftest(c, name);
}

/* It has launches for so many compute units, and does not see the host's writes to its own memory:
 * wrapping makes a copy. */
static void gpu_device(const char *name)
{
    mem m = {0};
    device *d = NULL;
    uint32_t here = 1, there = 0;
    buffer_u32 b = {0};
    CU_ASSERT_EQUAL_FATAL(device_open(&(device_def){.name = name, .mem = &m, .as_gpu = 7}, &d), 0);
    CU_ASSERT(d->large && d->threads == 7 && !d->info.is_gpu);
    CU_ASSERT_EQUAL(buffer_wrap(d, &b, &here, 1), 0);
    CU_ASSERT(b.raw.capacity > 0 && m.now == b.raw.capacity);
    here = 2;
    CU_ASSERT_EQUAL(buffer_read(d, &b, 0, &there, 1), 0);
    CU_ASSERT_EQUAL(there, 1);
    buffer_free(d, &b);
    device_close(d);
    CU_ASSERT_EQUAL(m.now, 0);
}

static void contacts_of(imp *p, const made *m, contact_list *out)
{
    *out = (contact_list){0};
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
}

static void gpu_pipeline(const char *name)
{
    made m;
    contact_list want, got;
    imp_def def = {.device = "cpu", .on_bad = IMP_BAD_SKIP};
    imp *host = NULL, *p = NULL;
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &host), 0);
    selftests = 0;
    def.device = name;
    CU_ASSERT_EQUAL_FATAL(imp_create_forced(&def, &(imp_forced){.as_gpu = 7}, &p), 0);
    CU_ASSERT_EQUAL(selftests, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_device_name(p), ", as a GPU of 7 units"));
    for (size_t i = 0; made_open(i, 300, &m); i++, made_free(&m)) {
        contacts_of(host, &m, &want);
        contacts_of(p, &m, &got);
        if (!contact_list_equal(&want, &got))
            printf("\n    %s on %s ", m.name, imp_device_name(p));
        CU_ASSERT(contact_list_equal(&want, &got));
        contact_list_free(&want);
        contact_list_free(&got);
    }
    imp_destroy(host);
    imp_destroy(p);
}

static void test_as_gpu(void)
{
    imp_device_info d;
    char name[24];
    size_t cpus = 0;
    for (size_t i = 1; imp_device_at(i, &d); i++) {
        snprintf(name, sizeof name, "%zu", i);
        if (d.is_gpu)
            continue;
        cpus++;
        gpu_device(name);
        gpu_pipeline(name);
    }
    if (!cpus)
        SKIP("no OpenCL device that is a CPU");
}

static void test_list(void)
{
    imp_device_info d;
    size_t n = 1;
    CU_ASSERT_EQUAL(imp_device_at(0, &d), 1);
    CU_ASSERT_STRING_EQUAL(d.platform, "host");
    CU_ASSERT(d.fp64 && !d.is_gpu && d.compute_units >= 1 && d.memory > 0 && d.name[0]);
    for (; imp_device_at(n, &d); n++)
        CU_ASSERT(d.platform[0] && d.name[0] && d.version[0] && d.compute_units >= 1 &&
                  d.memory > 0);
    CU_ASSERT_EQUAL(imp_device_at(n, &d), 0);
    CU_ASSERT_EQUAL(d.platform[0], 0);
    CU_ASSERT_EQUAL(imp_device_at(SIZE_MAX, &d), 0);
}

/* The library has a private loader: one that another library loads is not affected. */
static void test_private(void)
{
    imp_device_info d;
    if (getenv("LD_PRELOAD"))
        SKIP("something is preloaded");
    imp_device_at(1, &d);
    CU_ASSERT_PTR_NULL(dlsym(RTLD_DEFAULT, "clGetPlatformIDs"));
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"write_read", test_write_read},
        {"copy", test_copy},
        {"grow", test_grow},
        {"fit", test_fit},
        {"wrap", test_wrap},
        {"unwrap", test_unwrap},
        {"large", test_device_large},
        {"large_limited", test_large_limited},
        {"limit", test_device_limit},
        {"largest", test_largest},
        {"launches", test_launches},
        {"same_threads", test_same_threads},
        {"cancel", test_device_cancel},
        {"kernels", test_kernels},
        {"host_names", test_host_names},
        {"no_such_name", test_no_such_name},
        {"opencl_names", test_opencl_names},
        {"several", test_device_several},
        {"list", test_list},
        {"private", test_private},
        {"as_gpu", test_as_gpu},
        {0},
    };
    setenv("POCL_DEVICES", "pthread pthread", 0); /* two devices, if PoCL is installed */
    return test_main(argc, argv, "device", tests);
}
