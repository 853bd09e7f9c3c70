/* See store_matter.h; batch_read_matter is in store.h. What a file does not have gets its default.
 */
#include "store_matter.h"

#include "bodies.h"
#include "error.h"
#include "h5.h"
#include "store_batch.h"

#include <string.h>

#define BODIES "/impinge/bodies"
#define SIMULATION "/impinge/simulation"

/* The attributes of SIMULATION that are numbers. */
typedef struct number {
    const char *name;
    size_t offset;
    int count;
} number;
static const number numbers[] = {{"gravity", offsetof(matter, gravity), 3},
                                 {"restitution_slowest", offsetof(matter, slowest), 1},
                                 {"spring", offsetof(matter, spring), 3},
                                 {"step", offsetof(matter, step), 1},
                                 {"epsilon", offsetof(matter, epsilon), 1},
                                 {"seconds", offsetof(matter, seconds), 1}};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* The datasets of SIMULATION that are numbers of pushes. */
static const number push_numbers[] = {{"push_point", offsetof(matter_push, at), 3},
                                      {"push_force", offsetof(matter_push, force), 3},
                                      {"push_time", offsetof(matter_push, begin), 2}};
#define PUSH_NUMBERS (sizeof push_numbers / sizeof *push_numbers)

/* ---- reading */

/* All rows of a dataset as float64, in so many columns; rows: UINT64_MAX for any number, which then
 * is *found. */
static int matter_read_numbers(const batch *b, hid_t group, const char *where, const char *name,
                               uint64_t columns, uint64_t rows, double **out, uint64_t *found)
{
    int err = IMP_OK;
    h5_data d;
    *out = NULL;
    TRY(h5_data_open_stored(b->mem, group, b->path, where, name, &d));
    *found = d.rows;
    if (d.class != H5T_FLOAT && d.class != H5T_INTEGER && d.class != H5T_ENUM)
        FAIL(IMP_ERR_INPUT, "%s: %s: not numbers", b->path, d.name);
    if (rows != UINT64_MAX && d.rows != rows)
        FAIL(IMP_ERR_INPUT, "%s: %s: %llu rows, there must be %llu", b->path, d.name,
             (unsigned long long)d.rows, (unsigned long long)rows);
    if (d.rows)
        TRY(h5_data_columns(&d, columns));
    TRY(h5_data_stored(&d, 0, d.rows));
    TRY(mem_alloc(b->mem, (size_t)(d.rows * columns) * sizeof **out, out));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_DOUBLE, *out));
out:
    h5_data_close(&d);
    return err;
}

static int matter_read_field(const batch *b, hid_t group, const matter_field *field, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    double *at = NULL;
    if (!h5_exists(group, field->name))
        return IMP_OK;
    TRY(matter_read_numbers(b, group, BODIES, field->name, field->numbers, m->bodies, &at, &rows));
    for (uint32_t i = 0; at && i < m->bodies; i++)
        memcpy((char *)&m->body[i] + field->offset, at + field->numbers * i,
               field->numbers * sizeof *at);
out:
    mem_free(b->mem, at);
    return err;
}

/* Numbers of the objects that are pushed become those of bodies. */
static int matter_read_objects(const batch *b, matter *m, const int64_t *object)
{
    for (size_t i = 0; i < m->pushes; i++) {
        const int fits = object[i] >= INT32_MIN && object[i] <= INT32_MAX;
        m->push[i].body =
            fits ? body_number(b->bodies.object, b->bodies.count, (int32_t)object[i]) : NO_BODY;
        if (m->push[i].body == NO_BODY)
            return imp_fail(IMP_ERR_INPUT, "%s: " SIMULATION "/push_object: %lld is no rigid body",
                            b->path, (long long)object[i]);
    }
    return IMP_OK;
}

static int matter_read_pushes(const batch *b, hid_t group, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    int64_t *object = NULL;
    double *at = NULL;
    if (!h5_exists(group, "push_object"))
        return IMP_OK;
    TRY(h5_read_integers(b->mem, group, b->path, SIMULATION, "push_object", 1, &object, &rows,
                         NULL));
    TRY(mem_alloc(b->mem, (size_t)rows * sizeof *m->push, &m->push));
    m->pushes = (size_t)rows;
    TRY(matter_read_objects(b, m, object));
    for (size_t k = 0; k < PUSH_NUMBERS; k++) {
        const number *n = &push_numbers[k];
        TRY(matter_read_numbers(b, group, SIMULATION, n->name, (uint64_t)n->count, m->pushes, &at,
                                &rows));
        for (size_t i = 0; at && i < m->pushes; i++)
            memcpy((char *)&m->push[i] + n->offset, at + (size_t)n->count * i,
                   (size_t)n->count * sizeof *at);
        mem_free(b->mem, at);
        at = NULL;
    }
out:
    mem_free(b->mem, object);
    mem_free(b->mem, at);
    return err;
}

static int matter_read_simulation(const batch *b, hid_t group, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    for (size_t i = 0; i < NUMBERS; i++)
        if (H5Aexists(group, numbers[i].name) > 0)
            TRY(h5_attr_floats(group, b->path, SIMULATION, numbers[i].name,
                               (double *)(void *)((char *)m + numbers[i].offset),
                               numbers[i].count));
    if (H5Aexists(group, "scene") > 0)
        TRY(h5_attr_text(group, b->path, SIMULATION, "scene", m->scene, sizeof m->scene));
    if (h5_exists(group, "home"))
        TRY(matter_read_numbers(b, group, SIMULATION, "home", 3, m->bodies, &m->home, &rows));
    TRY(matter_read_pushes(b, group, m));
out:
    return err;
}

static int matter_read_open_group(const batch *b, hid_t above, const char *name, hid_t *out)
{
    *out = H5Gopen2(above, name, H5P_DEFAULT);
    return *out < 0 ? h5_broken(above, b->path, "/impinge", name, "not a group") : IMP_OK;
}

int batch_read_matter(const batch *b, matter *out)
{
    int err = IMP_OK;
    hid_t above = -1, bodies = -1, simulation = -1;
    *out = (matter){.mem = b->mem};
    if (!b->bodies.count)
        return IMP_OK;
    TRY(matter_make(out, b->bodies.count));
    above = H5Gopen2(b->file, "impinge", H5P_DEFAULT);
    TRY(matter_read_open_group(b, above, "bodies", &bodies));
    for (int i = 0; i < MATTER_FIELDS; i++)
        TRY(matter_read_field(b, bodies, &matter_fields[i], out));
    if (h5_exists(above, "simulation")) {
        TRY(matter_read_open_group(b, above, "simulation", &simulation));
        TRY(matter_read_simulation(b, simulation, out));
    }
    TRY(matter_check(out, b->bodies.object, IMP_ERR_INPUT, b->path));
out:
    h5_drop(simulation);
    h5_drop(bodies);
    h5_drop(above);
    if (err)
        matter_free(out);
    return err;
}

/* ---- writing */

/* Numbers that are `stride` bytes apart. */
static int store_matter_write_numbers(const matter *m, hid_t group, const char *path,
                                      const char *name, const void *first, size_t stride,
                                      uint64_t columns, size_t rows)
{
    int err = IMP_OK;
    double *at = NULL;
    const size_t bytes = (size_t)columns * sizeof *at;
    const h5_grow_def def = {name, COLUMN_F64, columns > 1 ? columns : 0, rows ? rows : 1};
    TRY(mem_alloc(m->mem, rows * bytes, &at));
    for (size_t i = 0; i < rows; i++)
        memcpy(at + columns * i, (const char *)first + stride * i, bytes);
    TRY(h5_write(m->mem, group, path, &def, at, rows));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_fixed(const matter *m, hid_t group, const char *path)
{
    int err = IMP_OK;
    uint8_t *at = NULL;
    const h5_grow_def def = {"fixed", COLUMN_U8, 0, m->bodies};
    TRY(mem_alloc(m->mem, m->bodies, &at));
    for (uint32_t i = 0; i < m->bodies; i++)
        at[i] = m->body[i].fixed != 0;
    TRY(h5_write(m->mem, group, path, &def, at, m->bodies));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_pushes(const matter *m, const int32_t *object, hid_t group,
                                     const char *path)
{
    int err = IMP_OK;
    int32_t *at = NULL;
    const h5_grow_def def = {"push_object", COLUMN_I32, 0, m->pushes};
    if (!m->pushes)
        return IMP_OK;
    TRY(mem_alloc(m->mem, m->pushes * sizeof *at, &at));
    for (size_t i = 0; i < m->pushes; i++)
        at[i] = object[m->push[i].body];
    TRY(h5_write(m->mem, group, path, &def, at, m->pushes));
    for (size_t k = 0; k < PUSH_NUMBERS; k++)
        TRY(store_matter_write_numbers(
            m, group, path, push_numbers[k].name, (const char *)m->push + push_numbers[k].offset,
            sizeof *m->push, (uint64_t)push_numbers[k].count, m->pushes));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_simulation(const matter *m, const int32_t *object, const char *path,
                                         hid_t group)
{
    int err = IMP_OK;
    for (size_t i = 0; i < NUMBERS; i++)
        TRY(h5_put_floats(group, path, numbers[i].name,
                          (const double *)(const void *)((const char *)m + numbers[i].offset),
                          numbers[i].count));
    TRY(h5_put_text(group, path, "scene", m->scene));
    if (m->home)
        TRY(store_matter_write_numbers(m, group, path, "home", m->home, 3 * sizeof *m->home, 3,
                                       m->bodies));
    TRY(store_matter_write_pushes(m, object, group, path));
out:
    return err;
}

int store_matter_write(const matter *m, const int32_t *object, const char *path, hid_t bodies,
                       hid_t impinge)
{
    int err = IMP_OK;
    const hid_t group = h5_group(impinge, "simulation");
    if (group < 0)
        return h5_fail(IMP_ERR_FILE, path, SIMULATION, "cannot be written");
    for (int i = 0; i < MATTER_FIELDS; i++)
        if (i != MATTER_FIELD_FIXED)
            TRY(store_matter_write_numbers(m, bodies, path, matter_fields[i].name,
                                           (const char *)m->body + matter_fields[i].offset,
                                           sizeof *m->body, matter_fields[i].numbers, m->bodies));
    TRY(store_matter_write_fixed(m, bodies, path));
    TRY(store_matter_write_simulation(m, object, path, group));
out:
    h5_drop(group);
    return err;
}
