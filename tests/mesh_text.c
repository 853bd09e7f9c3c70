/* See mesh_text.h. */
#include "mesh_text.h"

#include "testlib.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *mesh_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    return path;
}

const char *mesh_write(const char *content, size_t size)
{
    const char *path = mesh_path("a.obj");
    FILE *f = fopen(path, "wb");
    CU_ASSERT_FATAL(f && fwrite(content, 1, size, f) == size && !fclose(f));
    return path;
}

int mesh_read_bytes(const char *content, size_t size, obj *out)
{
    return obj_read(mesh_write(content, size), out);
}

int mesh_read(const char *content, obj *out)
{
    return mesh_read_bytes(content, strlen(content), out);
}

int mesh_is_sound(const obj *o)
{
    int good = (o->groups == 0) == (o->triangles == 0);
    double sum = 0;
    for (size_t i = 0; i < (size_t)3 * o->vertices; i++)
        sum += o->point[i];
    for (size_t i = 0; i < (size_t)3 * o->triangles; i++)
        good &= o->triangle[i] < o->vertices;
    int32_t next = 0; /* numbers of groups appear in order */
    for (uint32_t i = 0; i < o->triangles; i++) {
        good &= o->group[i] >= 0 && o->group[i] <= next;
        next += o->group[i] == next;
    }
    for (uint32_t i = 0; i < o->groups; i++)
        good &= strlen(o->group_name[i]) < SIZE_MAX;
    return good && (uint32_t)next == o->groups && (sum <= 0 || sum > 0 || isnan(sum));
}

const char *mesh_show(const obj *o)
{
    static char text[4096];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t v = 0; v < o->vertices && n < 3000; v++)
        n += (size_t)snprintf(text + n, 200, "%.17g %.17g %.17g;", o->point[3 * v],
                              o->point[3 * v + 1], o->point[3 * v + 2]);
    n += (size_t)snprintf(text + n, 2, "|");
    for (uint32_t t = 0; t < o->triangles && n < 3000; t++)
        n += (size_t)snprintf(text + n, 200, "%u %u %u %s;", o->triangle[3 * t],
                              o->triangle[3 * t + 1], o->triangle[3 * t + 2],
                              o->group_name[o->group[t]]);
    return text;
}

void mesh_check_text(const char *source, const char *have, const char *want)
{
    if (strcmp(have, want))
        printf("\n%s\n  is   %s\n  not  %s\n", source, have, want);
    CU_ASSERT_STRING_EQUAL(have, want);
}
