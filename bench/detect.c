/* imp_detect as called from a C program, for comparison with the Python package in bench/python:
 * bench_detect SCENE [THREADS]. The scene is a frame of triangles as scenes.py writes it for peers.
 * It is computed once, and again for each line on stdin. Each time it prints "seconds contacts
 * bytes": the duration of the call, and the growth of the process's peak memory since before the
 * first call. */
#include "impinge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void bench_detect_give_up(const char *why)
{
    fprintf(stderr, "bench_detect: %s\n", why);
    exit(1);
}

static void bench_detect_require(int err)
{
    if (err)
        bench_detect_give_up(imp_error_text());
}

static double bench_detect_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the scene */

static void *bench_detect_read_array(FILE *f, uint64_t count, size_t bytes)
{
    void *array = malloc(count * bytes + 1);
    if (!array || fread(array, bytes, count, f) != count)
        bench_detect_give_up("the scene is cut off, or larger than the memory");
    return array;
}

typedef struct scene {
    double *point;
    uint32_t *corner;
    int32_t *object;
    imp_mesh mesh;
    imp_frame frame;
} scene;

static void read_scene(const char *path, scene *s)
{
    FILE *f = fopen(path, "rb");
    int64_t size[3]; /* vertices, triangles, tetrahedra */
    if (!f || fread(size, sizeof *size, 3, f) != 3 || size[0] < 0 || size[1] < 0 || size[2])
        bench_detect_give_up("no scene of triangles");
    const uint32_t vertices = (uint32_t)size[0], triangles = (uint32_t)size[1];
    s->point = bench_detect_read_array(f, 3 * (uint64_t)vertices, sizeof *s->point);
    s->corner = bench_detect_read_array(f, 3 * (uint64_t)triangles, sizeof *s->corner);
    s->object = bench_detect_read_array(f, triangles, sizeof *s->object);
    fclose(f);
    s->mesh = (imp_mesh){
        .vertices = vertices, .primitives = triangles, .corner = s->corner, .object = s->object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point, .type = IMP_FLOAT64};
}

static void bench_detect_scene_free(scene *s)
{
    free(s->point);
    free(s->corner);
    free(s->object);
}

/* ---- memory */

/* A line of Linux' /proc/self/status, such as "VmHWM:", in bytes; 0 on other systems. */
static uint64_t status(const char *name)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            kib = strtoull(line + strlen(name), NULL, 10);
    if (f)
        fclose(f);
    return 1024 * kib;
}

/* ---- turns */

/* Rows are produced and dropped. */
static int bench_detect_count(void *user, const imp_contacts *c)
{
    *(uint64_t *)user += c->count;
    return 0;
}

int main(int argc, char **argv)
{
    scene s;
    imp *p = NULL;
    if (argc < 2 || argc > 3)
        bench_detect_give_up("usage: bench_detect SCENE [THREADS]");
    read_scene(argv[1], &s);
    const uint64_t before = status("VmRSS:");
    bench_detect_require(
        imp_create(&(imp_def){.device = "cpu", .threads = argc > 2 ? atoi(argv[2]) : 0}, &p));
    for (int c = '\n'; c != EOF; c = getchar()) {
        uint64_t contacts = 0;
        if (c != '\n')
            continue;
        imp_forget(p); /* each call is independent */
        const double start = bench_detect_seconds();
        bench_detect_require(imp_detect(p, &s.frame, 1, bench_detect_count, &contacts, NULL));
        const double took = bench_detect_seconds() - start;
        printf("%.9f %llu %llu\n", took, (unsigned long long)contacts,
               (unsigned long long)(status("VmHWM:") - before));
        fflush(stdout);
    }
    imp_destroy(p);
    bench_detect_scene_free(&s);
    return 0;
}
