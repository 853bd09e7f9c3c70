/* See run_rows.h. */
#include "run_rows.h"

#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"

#include <stdlib.h>
#include <string.h>

/* Two consecutive cells have the same one, as triangles of a quad. */
int64_t source_id(int64_t primitive)
{
    return INT64_C(5000000000) - 7 * (primitive / 2);
}

const char *make_batch(void)
{
    make m = {.cells = {{.name = "ObjectId"}, {.name = "Part"}, {.name = "SourceId"}}};
    make_moving(&m, FRAMES, TRIANGLES, 7);
    for (int64_t i = 0; i < TRIANGLES; i++) {
        make_add(&m.cells[0].value, 5 - i / 2 % 3 * 7); /* 5, -2, -9 */
        make_add(&m.cells[1].value, i / 10);
        make_add(&m.cells[2].value, source_id(i));
    }
    for (int k = 0; k < 2; k++) /* apart from each other */
        for (size_t v = 0; v < 3 * TRIANGLES; v++)
            m.points.value[3 * (3 * TRIANGLES * (size_t)(k ? 8 : 3) + v)] +=
                100.0 * (double)(v / 3);
    const char *path = make_write(&m, "batch.vtkhdf");
    make_free(&m);
    return path;
}

rows read_rows(const char *path)
{
    rows r = {0};
    size_t n;
    r.input_frame = h5_ints(path, "impinge/input_frame", &r.frames);
    r.contacts = h5_ints(path, "impinge/contacts", &n);
    r.a = h5_ints(path, "VTKHDF/CellData/PrimitiveA", &r.count);
    r.b = h5_ints(path, "VTKHDF/CellData/PrimitiveB", &n);
    r.oa = h5_ints(path, "VTKHDF/CellData/ObjectA", &n);
    r.ob = h5_ints(path, "VTKHDF/CellData/ObjectB", &n);
    r.kind = h5_ints(path, "VTKHDF/CellData/Kind", &n);
    r.point = h5_reals(path, "VTKHDF/Points", &n);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const int times = H5Lexists(file, "VTKHDF/CellData/Time", H5P_DEFAULT) > 0;
    const int near = H5Lexists(file, "VTKHDF/CellData/Distance", H5P_DEFAULT) > 0;
    const int sources = H5Lexists(file, "VTKHDF/CellData/SourceIdA", H5P_DEFAULT) > 0;
    H5Fclose(file);
    r.sa = sources ? h5_ints(path, "VTKHDF/CellData/SourceIdA", &n) : NULL;
    r.sb = sources ? h5_ints(path, "VTKHDF/CellData/SourceIdB", &n) : NULL;
    r.toi = times ? h5_reals(path, "VTKHDF/CellData/Share", &n) : NULL;
    r.time = times ? h5_reals(path, "VTKHDF/CellData/Time", &n) : NULL;
    r.distance = near ? h5_reals(path, "VTKHDF/CellData/Distance", &n) : NULL;
    r.frame = calloc(r.count + 1, sizeof *r.frame);
    CU_ASSERT_FATAL(r.frame != NULL);
    for (size_t f = 0, i = 0; f < r.frames; f++)
        for (int64_t k = 0; k < r.contacts[f] && i < r.count; k++)
            r.frame[i++] = f;
    return r;
}

void free_rows(rows *r)
{
    void *all[] = {r->input_frame, r->contacts, r->a,     r->b,   r->oa,   r->ob,       r->sa,
                   r->sb,          r->kind,     r->point, r->toi, r->time, r->distance, r->frame};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* Runs `line`, which has `n` words, with more words; checks the result with h5_sound. */
static ran run_line(const char **line, int n, const char *out, const char *const *more,
                    char about[300])
{
    *about = 0;
    for (int i = 0; more && more[i]; i++) {
        line[n++] = more[i];
        strcat(strcat(about, " "), more[i]);
    }
    ran r = program_run(line);
    EXPECT(ran_warned(&r), "^%s", about);
    const char *what = h5_sound(out);
    EXPECT(!what, "%s: %s", about, what);
    return r;
}

void run_with(const char *in, const char *const *more)
{
    char about[300];
    const char *out = at("out.vtkhdf");
    const char *line[24] = {"run", in, "-o", out, "--force", "-q", CPU};
    ran r = run_line(line, 10, out, more, about);
    EXPECT(!*r.out, "^%s", about);
    ran_free(&r);
}

void run_steps(const char *in, const char *out, const char *const *more)
{
    char about[300];
    const char *line[24] = {"run", in, "-o", out, "--force", "-q", "--continuous", CPU};
    ran r = run_line(line, 11, out, more, about);
    ran_free(&r);
}
