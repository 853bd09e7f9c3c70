/* See store_layout.h. */
#include "store_layout.h"

#include "error.h"

#include <string.h>

/* A dataset with this number of columns, and what it must hold for frame k: the sum of these times
 * the frame's contacts, the contacts of the frames before it, and k, and of a constant. */
typedef struct table {
    const char *name;
    uint64_t columns;
    int64_t contacts, before, step, constant;
} table;

static const table tables[] = {
    {"NumberOfPoints", 1, .contacts = 2},
    {"Lines/NumberOfCells", 1, .contacts = 1},
    {"Lines/NumberOfConnectivityIds", 1, .contacts = 2},
    {"Vertices/NumberOfCells", 1},
    {"Vertices/NumberOfConnectivityIds", 1},
    {"Polygons/NumberOfCells", 1},
    {"Polygons/NumberOfConnectivityIds", 1},
    {"Strips/NumberOfCells", 1},
    {"Strips/NumberOfConnectivityIds", 1},
    {"Steps/PartOffsets", 1, .step = 1},
    {"Steps/NumberOfParts", 1, .constant = 1},
    {"Steps/PointOffsets", 1, .before = 2},
    /* lines of all frames share the same rows, so every frame begins at 0 */
    {"Steps/CellOffsets", 4},
    {"Steps/ConnectivityIdOffsets", 4},
};

/* With any other value a viewer would show rows of another frame, or none. */
static int layout_check_table(mem *m, hid_t root, const char *path, const table *t, uint64_t frames,
                              const int64_t *contacts)
{
    int err = IMP_OK;
    int64_t *value = NULL, before = 0;
    uint64_t rows = 0, columns = t->columns;
    TRY(h5_read_integers(m, root, path, "/VTKHDF", t->name, columns, &value, &rows, NULL));
    if (rows < frames)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: damaged: %llu rows for %llu frames", path, t->name,
             (unsigned long long)rows, (unsigned long long)frames);
    for (uint64_t k = 0; k < frames; before += contacts[k++]) {
        const int64_t wanted =
            t->contacts * contacts[k] + t->before * before + t->step * (int64_t)k + t->constant;
        for (uint64_t c = 0; c < columns; c++)
            if (value[k * columns + c] != wanted)
                FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: damaged: it has %lld for frame %llu", path,
                     t->name, (long long)value[k * columns + c], (unsigned long long)k);
    }
out:
    mem_free(m, value);
    return err;
}

#define LAYOUT_CHUNK 16384

/* 0, factor, 2 * factor, ...: the first `rows`, and no more than `most`. */
static int layout_check_ascending(mem *m, hid_t root, const char *path, const char *name,
                                  uint64_t rows, uint64_t most, int64_t factor)
{
    int err = IMP_OK;
    int64_t value[LAYOUT_CHUNK];
    h5_data d = {.id = -1};
    TRY(h5_data_open(m, root, path, "/VTKHDF", name, &d));
    TRY(h5_data_columns(&d, 1));
    if (d.class != H5T_INTEGER)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: not integers", path, d.name);
    if (d.rows > most)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: it has %llu rows, not %llu", path, d.name,
             (unsigned long long)d.rows, (unsigned long long)most);
    for (uint64_t done = 0; done < rows; done += LAYOUT_CHUNK) {
        uint64_t n = rows - done < LAYOUT_CHUNK ? rows - done : LAYOUT_CHUNK;
        TRY(h5_data_read(&d, done, n, H5T_NATIVE_INT64, value));
        for (uint64_t i = 0; i < n; i++)
            if (value[i] != factor * (int64_t)(done + i))
                FAIL(IMP_ERR_INPUT, "%s: %s: damaged: row %llu is %lld", path, d.name,
                     (unsigned long long)(done + i), (long long)value[i]);
    }
out:
    h5_data_close(&d);
    return err;
}

/* No connectivity, and the one offset 0: a viewer may use these without reading the counts. */
static int layout_check_empty(mem *m, hid_t root, const char *path, const char *topology)
{
    int err = IMP_OK;
    char name[60];
    snprintf(name, sizeof name, "%s/Connectivity", topology);
    TRY(layout_check_ascending(m, root, path, name, 0, 0, 1));
    snprintf(name, sizeof name, "%s/Offsets", topology);
    TRY(layout_check_ascending(m, root, path, name, 1, 1, 1));
out:
    return err;
}

/* Where frames begin in a column of CellData. */
static int check_offsets(mem *m, hid_t root, const char *path, const column *c, uint64_t frames,
                         const int64_t *contacts)
{
    char name[120];
    snprintf(name, sizeof name, "Steps/CellDataOffsets/%s", c->file);
    return layout_check_table(m, root, path, &(table){name, 1, .before = 1}, frames, contacts);
}

static int check_identity(hid_t root, const char *path)
{
    int err = IMP_OK;
    int64_t version[2];
    char type[32];
    TRY(h5_attr_text(root, path, "/VTKHDF", "Type", type, sizeof type));
    TRY(h5_attr_integers(root, path, "/VTKHDF", "Version", version, 2));
    if (strcmp(type, "PolyData") || version[0] != 2 || version[1] != RESULT_MINOR)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: is %s of version %lld.%lld, not PolyData of 2.%d", path,
             type, (long long)version[0], (long long)version[1], RESULT_MINOR);
out:
    return err;
}

/* impinge itself needs the counts alone. All of this is checked so that a file that is appended to,
 * or reported as right, opens in other programs as well. */
int layout_check(mem *m, hid_t root, const char *path, uint64_t frames, const int64_t *contacts,
                 const column_table *t, column_set set)
{
    int err = IMP_OK;
    static const char *const empty[] = {"Vertices", "Polygons", "Strips"};
    uint64_t most = 0;
    TRY(check_identity(root, path));
    for (uint64_t k = 0; k < frames; k++)
        most = (uint64_t)contacts[k] > most ? (uint64_t)contacts[k] : most;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        TRY(layout_check_table(m, root, path, &tables[i], frames, contacts));
    for (int c = 0; c < t->count; c++)
        if (column_in(set, c) && t->column[c].group == COLUMN_CellData)
            TRY(check_offsets(m, root, path, &t->column[c], frames, contacts));
    /* a growing file may have more rows than are committed */
    TRY(layout_check_ascending(m, root, path, "Lines/Connectivity", 2 * most, UINT64_MAX, 1));
    TRY(layout_check_ascending(m, root, path, "Lines/Offsets", most + 1, UINT64_MAX, 2));
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        TRY(layout_check_empty(m, root, path, empty[i]));
out:
    return err;
}
