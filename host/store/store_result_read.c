/* Reading a result, for `info`, `check` and collide.txt. */
#include "store_poly.h"

#include "error.h"
#include "store_layout.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct result_reader {
    mem *mem;
    char *path;
    hid_t file, root, group;
    result_info info;
    int64_t *rows0;         /* [frames + 1] first contact of each frame */
    void *table[8], *pairs; /* what info points to */
    h5_data points, array[5];
    result_rows rows;
    uint64_t room; /* of rows */
};

#define ARRAYS 5
static const char *const array_name[ARRAYS] = {"PrimitiveA", "PrimitiveB", "ObjectA", "ObjectB",
                                               "Kind"};

int result_is(const char *path)
{
    hid_t file;
    if (h5_open(path, 0, &file))
        return 0;
    int found = h5_exists(file, "impinge/frames_done");
    H5Fclose(file);
    return found;
}

/* ---- opening */

static int read_origin(result_reader *r)
{
    int err = IMP_OK;
    result_info *i = &r->info;
    const struct {
        const char *name;
        char *out;
        size_t size;
    } texts[] = {
        {"version", i->version, sizeof i->version},
        {"command", i->command, sizeof i->command},
        {"options", i->options, sizeof i->options},
        {"device", i->device, sizeof i->device},
        {"input", i->input, sizeof i->input},
        {"input_hash", i->input_hash, sizeof i->input_hash},
        {"collide_txt", i->collide_txt, sizeof i->collide_txt},
        {"json", i->json, sizeof i->json},
    };
    int64_t bytes = 0;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        TRY(h5_attr_text(r->group, r->path, "/impinge", texts[t].name, texts[t].out,
                         texts[t].size));
    TRY(h5_attr_integers(r->group, r->path, "/impinge", "input_bytes", &bytes, 1));
    i->input_bytes = (uint64_t)bytes;
out:
    return err;
}

/* How many frames the run is to have: work_normal writes "frames=FIRST+COUNT*STEP". */
static int64_t frames_asked(const result_info *i)
{
    long long count = -1;
    const char *at = strstr(i->options, " frames=");
    return at && sscanf(at, " frames=%*u+%lld", &count) == 1 ? count : -1;
}

/* A table of at least `frames` rows. */
static int read_table(result_reader *r, hid_t at, const char *where, const char *name, hid_t type,
                      void **out)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    TRY(h5_data_open(at, r->path, where, name, &d));
    TRY(mem_alloc(r->mem, r->info.frames * 8, out));
    TRY(h5_data_read(&d, 0, r->info.frames, type, *out));
out:
    h5_data_close(&d);
    return err;
}

static int read_tables(result_reader *r)
{
    int err = IMP_OK;
    const struct {
        const char *name;
        hid_t type;
    } tables[] = {{"seconds", H5T_NATIVE_DOUBLE},   {"input_frame", H5T_NATIVE_INT64},
                  {"candidates", H5T_NATIVE_INT64}, {"contacts", H5T_NATIVE_INT64},
                  {"undecided", H5T_NATIVE_INT64},  {"bad_primitives", H5T_NATIVE_INT64},
                  {"checksum", H5T_NATIVE_UINT64}};
    TRY(read_table(r, r->root, "/VTKHDF", "Steps/Values", H5T_NATIVE_DOUBLE, &r->table[7]));
    for (int t = 0; t < 7; t++)
        TRY(read_table(r, r->group, "/impinge", tables[t].name, tables[t].type, &r->table[t]));
    result_info *i = &r->info;
    i->time = r->table[7];
    i->seconds = r->table[0];
    i->input_frame = r->table[1];
    i->candidates = r->table[2];
    i->contacts = r->table[3];
    i->undecided = r->table[4];
    i->bad = r->table[5];
    i->checksum = r->table[6];
out:
    return err;
}

static int read_object_pairs(result_reader *r)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    if (!h5_exists(r->group, "object_pairs"))
        return IMP_OK;
    TRY(h5_data_open(r->group, r->path, "/impinge", "object_pairs", &d));
    if (d.columns != 2 || d.class != H5T_INTEGER || d.rows > INT32_MAX)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged", r->path, d.name);
    TRY(mem_alloc(r->mem, d.rows * 8, &r->pairs));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_INT32, r->pairs));
    r->info.object_pair = r->pairs;
    r->info.object_pairs = d.rows;
out:
    h5_data_close(&d);
    return err;
}

static int open_rows(result_reader *r)
{
    int err = IMP_OK;
    uint64_t frames = r->info.frames;
    char name[64];
    TRY(mem_alloc(r->mem, (frames + 1) * sizeof *r->rows0, &r->rows0));
    r->rows0[0] = 0;
    for (uint64_t f = 0; f < frames; f++) {
        if (r->info.contacts[f] < 0 || r->info.contacts[f] > INT64_MAX / 64 - r->rows0[f])
            FAIL(IMP_ERR_INPUT, "%s: /impinge/contacts: damaged", r->path);
        r->rows0[f + 1] = r->rows0[f] + r->info.contacts[f];
    }
    TRY(h5_data_open(r->root, r->path, "/VTKHDF", "Points", &r->points));
    if (r->points.columns != 3)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/Points: not 3 columns", r->path);
    for (int a = 0; a < ARRAYS; a++) {
        snprintf(name, sizeof name, "CellData/%s", array_name[a]);
        TRY(h5_data_open(r->root, r->path, "/VTKHDF", name, &r->array[a]));
        if (r->array[a].columns != 1)
            FAIL(IMP_ERR_INPUT, "%s: %s: not one column", r->path, r->array[a].name);
        if (r->array[a].rows < (uint64_t)r->rows0[frames])
            FAIL(IMP_ERR_INPUT, "%s: %s: has %llu rows, %llu are needed", r->path, r->array[a].name,
                 (unsigned long long)r->array[a].rows, (unsigned long long)r->rows0[frames]);
    }
out:
    return err;
}

static int reader_open(result_reader *r)
{
    int err = IMP_OK;
    int64_t done = 0, steps = 0;
    hid_t at = -1;
    TRY(h5_open(r->path, 0, &r->file));
    if (!h5_exists(r->file, "VTKHDF/Steps") || !h5_exists(r->file, "impinge"))
        FAIL(IMP_ERR_INPUT, "%s: /impinge: missing; not a result of impinge", r->path);
    r->root = H5Gopen2(r->file, "VTKHDF", H5P_DEFAULT);
    r->group = H5Gopen2(r->file, "impinge", H5P_DEFAULT);
    at = H5Gopen2(r->file, "VTKHDF/Steps", H5P_DEFAULT);
    if (r->root < 0 || r->group < 0 || at < 0)
        FAIL(IMP_ERR_INPUT, "%s: damaged", r->path);
    TRY(h5_get_scalar(r->group, r->path, "/impinge", "frames_done", &done));
    TRY(h5_attr_integers(at, r->path, "/VTKHDF/Steps", "NSteps", &steps, 1));
    if (done < 0 || done > INT64_MAX / 256)
        FAIL(IMP_ERR_INPUT, "%s: /impinge/frames_done: damaged", r->path);
    r->info.frames = (uint64_t)done;
    TRY(read_origin(r));
    r->info.complete = done == steps && done == frames_asked(&r->info);
    TRY(read_tables(r));
    TRY(read_object_pairs(r));
    TRY(open_rows(r));
out:
    if (at >= 0)
        H5Gclose(at);
    return err;
}

int result_open(mem *m, const char *path, result_reader **out)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *r, &r));
    memset(r, 0, sizeof *r);
    r->mem = m;
    r->file = r->root = r->group = -1;
    r->path = strdup(path);
    if (!r->path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(reader_open(r));
    *out = r;
    r = NULL;
out:
    result_close(r);
    return err;
}

static void rows_free(result_reader *r)
{
    void *all[] = {r->rows.a,        r->rows.b,    r->rows.object_a,
                   r->rows.object_b, r->rows.kind, r->rows.point};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(r->mem, all[i]);
    r->rows = (result_rows){0};
    r->room = 0;
}

void result_close(result_reader *r)
{
    if (!r)
        return;
    rows_free(r);
    h5_data_close(&r->points);
    for (int a = 0; a < ARRAYS; a++)
        h5_data_close(&r->array[a]);
    for (size_t t = 0; t < sizeof r->table / sizeof *r->table; t++)
        mem_free(r->mem, r->table[t]);
    mem_free(r->mem, r->pairs);
    mem_free(r->mem, r->rows0);
    const hid_t groups[] = {r->group, r->root};
    for (int g = 0; g < 2; g++)
        if (groups[g] >= 0)
            H5Gclose(groups[g]);
    if (r->file >= 0)
        H5Fclose(r->file);
    free(r->path);
    mem_free(r->mem, r);
}

int result_check_layout(result_reader *r)
{
    return layout_check(r->mem, r->root, r->path, r->info.frames, r->info.contacts);
}

const result_info *result_get_info(const result_reader *r)
{
    return &r->info;
}

/* ---- rows */

static int rows_room(result_reader *r, uint64_t n)
{
    int err = IMP_OK;
    if (n <= r->room && r->room)
        return IMP_OK;
    rows_free(r);
    TRY(mem_alloc(r->mem, n * sizeof *r->rows.a, &r->rows.a));
    TRY(mem_alloc(r->mem, n * sizeof *r->rows.b, &r->rows.b));
    TRY(mem_alloc(r->mem, n * sizeof *r->rows.object_a, &r->rows.object_a));
    TRY(mem_alloc(r->mem, n * sizeof *r->rows.object_b, &r->rows.object_b));
    TRY(mem_alloc(r->mem, n * sizeof *r->rows.kind, &r->rows.kind));
    TRY(mem_alloc(r->mem, 6 * n * sizeof *r->rows.point, &r->rows.point));
    r->room = n;
out:
    return err;
}

uint64_t result_checksum(const result_rows *x)
{
    size_t n = x->count;
    const XXH64_hash_t sums[] = {XXH3_64bits(x->a, n * sizeof *x->a),
                                 XXH3_64bits(x->b, n * sizeof *x->b),
                                 XXH3_64bits(x->object_a, n * sizeof *x->object_a),
                                 XXH3_64bits(x->object_b, n * sizeof *x->object_b),
                                 XXH3_64bits(x->kind, n * sizeof *x->kind),
                                 XXH3_64bits(x->point, 6 * n * sizeof *x->point)};
    return XXH3_64bits(sums, sizeof sums);
}

int result_read(result_reader *r, uint64_t k, result_rows *out)
{
    int err = IMP_OK;
    uint64_t first = (uint64_t)r->rows0[k], n = (uint64_t)r->info.contacts[k];
    TRY(rows_room(r, n));
    result_rows *x = &r->rows;
    x->count = n;
    TRY(h5_data_read(&r->array[0], first, n, H5T_NATIVE_INT64, x->a));
    TRY(h5_data_read(&r->array[1], first, n, H5T_NATIVE_INT64, x->b));
    TRY(h5_data_read(&r->array[2], first, n, H5T_NATIVE_INT32, x->object_a));
    TRY(h5_data_read(&r->array[3], first, n, H5T_NATIVE_INT32, x->object_b));
    TRY(h5_data_read(&r->array[4], first, n, H5T_NATIVE_UINT8, x->kind));
    TRY(h5_data_read(&r->points, 2 * first, 2 * n, H5T_NATIVE_DOUBLE, x->point));
    *out = *x;
out:
    return err;
}

int result_read_kinds(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                      int32_t *object_a, int32_t *object_b, uint8_t *kind)
{
    int err = IMP_OK;
    first += (uint64_t)r->rows0[k];
    TRY(h5_data_read(&r->array[2], first, count, H5T_NATIVE_INT32, object_a));
    TRY(h5_data_read(&r->array[3], first, count, H5T_NATIVE_INT32, object_b));
    TRY(h5_data_read(&r->array[4], first, count, H5T_NATIVE_UINT8, kind));
out:
    return err;
}
