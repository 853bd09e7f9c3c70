/* See mesh_text.h. */
#include "mesh_text.h"

#include "impinge.h"
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

int mesh_read_bytes(const char *content, size_t size, file_shape *out)
{
    return file_shape_read(mesh_write(content, size), 1, out);
}

int mesh_read(const char *content, file_shape *out)
{
    return mesh_read_bytes(content, strlen(content), out);
}

int mesh_is_sound(const file_shape *o)
{
    int good = (o->groups.count == 0) == (o->primitives == 0);
    double sum = 0;
    for (size_t i = 0; i < (size_t)3 * o->vertices; i++)
        sum += o->point[i];
    uint32_t tetrahedra = 0;
    for (size_t i = 0; i < (size_t)o->corners * o->primitives; i++)
        good &= o->corner[i] < o->vertices;
    for (uint32_t i = 0; i < o->primitives; i++) {
        uint32_t corner_count = o->corner_count ? o->corner_count[i] : o->corners;
        good &= corner_count == 3 || corner_count == 4;
        tetrahedra += corner_count == 4;
    }
    good &= tetrahedra == o->tetrahedra && (o->corners == 4) == (tetrahedra > 0);
    int32_t next = 0; /* groups are numbered in order of appearance */
    for (uint32_t i = 0; i < o->primitives; i++) {
        good &= o->group[i] >= 0 && o->group[i] <= next;
        next += o->group[i] == next;
    }
    for (size_t i = 0; i < o->arrays * o->primitives; i++)
        good &= o->value[i] >= 0 && o->value[i] < INT64_MAX;
    for (size_t i = 0; i < o->groups.count; i++)
        good &= strlen(o->groups.name[i]) < SIZE_MAX;
    return good && (size_t)next == o->groups.count && (sum <= 0 || sum > 0 || isnan(sum));
}

const char *mesh_show(const file_shape *o)
{
    static char text[4096];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t v = 0; v < o->vertices && n < 3000; v++)
        n += (size_t)snprintf(text + n, 200, "%.17g %.17g %.17g;", o->point[3 * v],
                              o->point[3 * v + 1], o->point[3 * v + 2]);
    n += (size_t)snprintf(text + n, 2, "|");
    for (uint32_t t = 0; t < o->primitives && n < 3000; t++) {
        uint32_t corner_count = o->corner_count ? o->corner_count[t] : o->corners;
        for (uint32_t k = 0; k < corner_count; k++)
            n += (size_t)snprintf(text + n, 20, "%u ", o->corner[(size_t)o->corners * t + k]);
        n += (size_t)snprintf(text + n, 200, "%s;", o->groups.name[o->group[t]]);
    }
    return text;
}

void mesh_check_text(const char *source, const char *have, const char *want)
{
    if (strcmp(have, want))
        printf("\n%s\n  is   %s\n  not  %s\n", source, have, want);
    CU_ASSERT_STRING_EQUAL(have, want);
}

/* Reads the content followed by so many NUL bytes; nearly empty content gets none, since a file of
 * NUL bytes only is no mesh. */
#define NULS_MOST 3
static int read_with_nuls(const char *content, size_t nuls, file_shape *out)
{
    char bytes[8192] = "";
    size_t n = strlen(content);
    CU_ASSERT_FATAL(n + NULS_MOST < sizeof bytes);
    memcpy(bytes, content, n);
    return mesh_read_bytes(bytes, n > 3 ? n + nuls : n, out);
}

void mesh_check(const char *content, const char *want)
{
    for (size_t nuls = 0; nuls <= NULS_MOST; nuls += NULS_MOST) {
        file_shape o;
        int err = read_with_nuls(content, nuls, &o);
        mesh_check_text(content, err ? imp_error_text() : mesh_show(&o), want);
        CU_ASSERT(mesh_is_sound(&o));
        file_shape_free(&o);
    }
}

static void check_mesh_text_bad(const char *content, size_t nuls, const char *want)
{
    file_shape o;
    memset(&o, 1, sizeof o);
    CU_ASSERT_EQUAL(read_with_nuls(content, nuls, &o), IMP_ERR_INPUT);
    CU_ASSERT(!o.point && !o.corner && !o.corner_count && !o.group && !o.groups.name &&
              !o.groups.count);
    const char *path = mesh_path("a.obj"), *have = imp_error_text();
    int begins = !strncmp(have, path, strlen(path));
    mesh_check_text(content, begins ? have + strlen(path) : have, want);
    file_shape_free(&o);
}

void mesh_check_bad(const char *content, const char *want)
{
    check_mesh_text_bad(content, 0, want);
    check_mesh_text_bad(content, NULS_MOST, want);
}
