/* See auto.h. */
#define _GNU_SOURCE
#include "auto.h"

#include "clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Triangles that the host does in the time that starting OpenCL takes: measured 0.1 to 0.3 s. */
#define EXPECT_LEAST 2000000
#define SOUP 20000
#define REPEATS 3

/* ---- measuring */

/* Random triangles, in a cube so large that each meets a few. */
static void soup(double *x, uint32_t *triangle)
{
    uint32_t state = 1;
    double middle[3] = {0};
    for (uint32_t v = 0; v < 3 * SOUP; v++) {
        triangle[v] = v;
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            double r = (double)(state >> 8) * 0x1p-24;
            if (v % 3 == 0)
                middle[k] = 10 * r;
            x[3 * (size_t)v + (size_t)k] = middle[k] + (v % 3 ? r : 0);
        }
    }
}

/* The least time of a device for the soup; negative if it does not work. */
static double device_seconds(const char *name, int threads, const imp_frame *frame)
{
    imp *p = NULL;
    double least = -1;
    if (imp_create(&(imp_def){.device = name, .threads = threads}, &p))
        return -1;
    for (int i = 0; i <= REPEATS; i++) {
        double start = clock_seconds();
        if (imp_detect(p, frame, 1, NULL, NULL, NULL))
            break;
        double took = clock_seconds() - start;
        if (i > 0 && (least < 0 || took < least)) /* the first one builds kernels */
            least = took;
    }
    imp_destroy(p);
    return least;
}

/* Is this OpenCL device faster than the host? */
static int measure(const char *name, int threads)
{
    double *x = malloc(sizeof *x * 9 * SOUP);
    uint32_t *triangle = malloc(sizeof *triangle * 3 * SOUP);
    int faster = 0;
    if (x && triangle) {
        soup(x, triangle);
        imp_mesh mesh = {.vertices = 3 * SOUP, .triangles = SOUP, .triangle = triangle};
        imp_frame frame = {.mesh = &mesh, .point = x};
        double host = device_seconds("cpu", threads, &frame);
        double device = device_seconds(name, threads, &frame);
        faster = device > 0 && (host < 0 || device < host);
    }
    free(x);
    free(triangle);
    return faster;
}

/* ---- remembering */

/* what the answer depends on, as one number (FNV-1a) */
static uint64_t memory_key(const imp_device_info *d, int threads)
{
    char text[1024];
    uint64_t h = UINT64_C(14695981039346656037);
    snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%d", IMP_VERSION, d->platform, d->name, d->version,
             d->driver, threads);
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return h;
}

/* The file with one line "key answer" for each measurement. Returns 0 if there is no place for it.
 */
static int memory_path(char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (cache && cache[0] == '/')
        n = snprintf(out, size, "%s/impinge", cache);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/.cache/impinge", home);
    else
        return 0;
    if (n < 0 || (size_t)n + 16 > size)
        return 0;
    for (char *slash = out + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(out, 0755);
        *slash = '/';
    }
    mkdir(out, 0755);
    memcpy(out + n, "/devices", 9);
    return 1;
}

/* 1: the device, 0: the host, -1: not known */
static int memory_find(const char *path, uint64_t key)
{
    unsigned long long k;
    int answer, found = -1;
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%llx %d", &k, &answer) == 2)
        if (k == key)
            found = answer == 1;
    if (f)
        fclose(f);
    return found;
}

static void memory_add(const char *path, uint64_t key, int answer)
{
    char line[40];
    int n = snprintf(line, sizeof line, "%016llx %d\n", (unsigned long long)key, answer);
    int f = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (f < 0)
        return;
    if (write(f, line, (size_t)n) != n && ftruncate(f, 0))
        unlink(path); /* the next run measures again */
    close(f);
}

static int device_faster(const imp_def *def, const char *name, const imp_device_info *d,
                         int threads)
{
    char path[4096];
    int known = memory_path(path, sizeof path);
    uint64_t key = memory_key(d, threads);
    int answer = known ? memory_find(path, key) : -1;
    if (answer >= 0)
        return answer;
    if (def->log)
        def->log(def->log_user, "comparing this machine's devices, once");
    answer = measure(name, threads);
    if (known)
        memory_add(path, key, answer);
    return answer;
}

/* ---- choosing */

int auto_is_small(const imp_def *def)
{
    return def->expect && def->expect < EXPECT_LEAST;
}

void auto_cpu(const imp_def *def, int threads, char *name, size_t size)
{
    imp_device_info d;
    snprintf(name, size, "cpu");
    for (size_t i = 1; imp_device_at(i, &d); i++) {
        char number[24];
        if (d.is_gpu)
            continue;
        snprintf(number, sizeof number, "%zu", i);
        if (device_faster(def, number, &d, threads))
            snprintf(name, size, "%s", number);
        return;
    }
}
