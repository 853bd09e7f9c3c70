/* Rows of several columns (host/base/columns.c, host/store/result/columns_file.c), with the test's
 * own table: one column of each shape, one of varying length, and one that exists only if the run
 * requests it. */
#include "columns.h"
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "result.h"
#include "vtkhdf_writer.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the table, and rows for it */

typedef struct seen {
    size_t count;
    const uint32_t *id;
    const uint8_t *flag;
    const double *vector; /* [3 * count] */
    const uint64_t *spot_first;
    const double *spot; /* [2 * spot_first[count]] */
    const int64_t *rare;
    const double *ends; /* [6 * count] */
} seen;

static int when_asked(const imp_def *def)
{
    return def->adjacent == IMP_ADJACENT_TEST;
}

enum { ID, FLAG, VECTOR, SPOT, RARE, ENDS, COLUMNS };

static const column_def table_column[COLUMNS] = {
    {"id", COLUMN_U32, 1, offsetof(seen, id), 0, NULL, COLUMN_CellData, "Id"},
    {"flag", COLUMN_U8, 1, offsetof(seen, flag), 0, NULL, COLUMN_CellData, "Flag"},
    {"vector", COLUMN_F64, 3, offsetof(seen, vector), 0, NULL, COLUMN_CellData, "Vector"},
    {"spot", COLUMN_F64, 2, offsetof(seen, spot), offsetof(seen, spot_first), NULL, COLUMN_impinge,
     "spots", "spot_offsets"},
    {"rare", COLUMN_I64, 1, offsetof(seen, rare), 0, when_asked, COLUMN_CellData, "Rare"},
    {"ends", COLUMN_F64, 6, offsetof(seen, ends), 0, NULL, COLUMN_VTKHDF, "Points"},
};
static const column_table table = {table_column, COLUMNS};

#define ROWS 3000
#define LONG 700 /* items in the longest row */

static struct all {
    uint32_t id[ROWS];
    uint8_t flag[ROWS];
    double vector[3 * ROWS];
    uint64_t first[ROWS + 1];
    double spot[2 * 16 * ROWS];
    int64_t rare[ROWS];
    double ends[6 * ROWS];
} all;

/* Most rows have few items, many have none, one has far more than expected. */
static seen rows_make(int asked)
{
    rng r = {9};
    all.first[0] = 5; /* the first row's items may start at any index */
    for (size_t i = 0; i < ROWS; i++) {
        all.id[i] = (uint32_t)rng_next(&r);
        all.flag[i] = (uint8_t)rng_next(&r);
        all.rare[i] = (int64_t)rng_next(&r);
        for (size_t k = 0; k < 3; k++)
            all.vector[3 * i + k] = rng_unit(&r);
        for (size_t k = 0; k < 6; k++)
            all.ends[6 * i + k] = rng_unit(&r);
        uint32_t items = i == ROWS / 2 ? LONG : rng_below(&r, 3) ? rng_below(&r, 20) : 0;
        all.first[i + 1] = all.first[i] + items;
    }
    CU_ASSERT_FATAL(all.first[ROWS] <= (size_t)16 * ROWS);
    for (size_t i = 0; i < 2 * all.first[ROWS]; i++)
        all.spot[i] = rng_unit(&r);
    return (seen){
        ROWS, all.id, all.flag, all.vector, all.first, all.spot, asked ? all.rare : NULL, all.ends};
}

/* Whether row i of `got` is row `k` of the made rows, in all columns. */
static int row_same(const seen *got, size_t i, size_t k, int asked)
{
    size_t items = all.first[k + 1] - all.first[k];
    int same = got->id[i] == all.id[k] && got->flag[i] == all.flag[k] &&
               !memcmp(got->vector + 3 * i, all.vector + 3 * k, 3 * sizeof(double)) &&
               !memcmp(got->ends + 6 * i, all.ends + 6 * k, 6 * sizeof(double));
    same = same && got->spot_first[i + 1] - got->spot_first[i] == items &&
           !memcmp(got->spot + 2 * got->spot_first[i], all.spot + 2 * all.first[k],
                   items * 2 * sizeof(double));
    return same && (asked ? got->rare[i] == all.rare[k] : !got->rare);
}

static size_t rows_differ(const seen *got, size_t count, size_t first, int asked)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !row_same(got, i, first + i, asked);
    return wrong;
}

/* ---- in memory */

static void test_when(void)
{
    const imp_def without = {0}, with = {.adjacent = IMP_ADJACENT_TEST};
    const column_set full = (1u << COLUMNS) - 1, less = full & ~(1u << RARE);
    CU_ASSERT(columns_when(&table, &with) == full);
    CU_ASSERT(columns_when(&table, &without) == less);
    size_t fixed = 4 + 1 + 24 + 48;
    CU_ASSERT(columns_row_bytes(&table, less & ~(1u << SPOT)) == fixed);
    CU_ASSERT(columns_row_bytes(&table, full & ~(1u << SPOT)) == fixed + 8);
}

static void test_pass_over(void)
{
    for (size_t skip = 0; skip <= ROWS; skip += 1 + skip) {
        seen rest = rows_make(skip % 2 == 0);
        columns_skip(&table, &rest, skip);
        EXPECT(!rows_differ(&rest, ROWS - skip, skip, skip % 2 == 0), "after %zu rows", skip);
    }
}

/* Rows in chunks of some size, as in io_thread.c: filled, sent, cleared, filled again. */
static void check_columns_chunks(size_t capacity, int asked)
{
    mem m = {0};
    column_rows chunk;
    seen rest = rows_make(asked);
    size_t done = 0, chunks = 0, most = 0;
    const imp_def def = {.adjacent = asked};
    column_set set = columns_when(&table, &def);
    CU_ASSERT_FATAL(!columns_open(&m, &table, set, capacity, &chunk));
    uint64_t usual = atomic_load(&m.now);
    EXPECT(usual <= capacity * columns_row_bytes(&table, set) + 64, "%llu bytes for %zu rows",
           (unsigned long long)usual, capacity);
    while (rest.count) {
        size_t n = columns_fit(&chunk, &rest, rest.count);
        CU_ASSERT_FATAL(n > 0 && n <= rest.count && n <= capacity);
        CU_ASSERT(!columns_append(&chunk, &rest, n / 2)); /* in two parts */
        columns_skip(&table, &rest, n / 2);
        CU_ASSERT(!columns_append(&chunk, &rest, n - n / 2));
        columns_skip(&table, &rest, n - n / 2);
        rest.count -= n;
        seen got;
        columns_as_rows(&chunk, &got);
        EXPECT(!rows_differ(&got, n, done, asked), "parcel %zu of %zu rows", chunks, capacity);
        done += n;
        chunks++;
        most = n > most ? n : most;
        columns_clear(&chunk);
    }
    CU_ASSERT(done == ROWS && most <= capacity);
    /* more only for a row that is too long for any chunk: it replaces the one before */
    uint64_t longest = (uint64_t)(LONG + 20) * 2 * sizeof(double);
    CU_ASSERT(atomic_load(&m.peak) <= usual + (LONG > 8 * capacity ? longest : 0));
    columns_close(&chunk);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

static void test_columns_chunks(void)
{
    static const size_t capacities[] = {1, 2, 7, 87, 88, 500, ROWS, 2 * ROWS};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++)
        check_columns_chunks(capacities[i], (int)i % 2);
}

/* A column that rows should have and lack; too little memory. */
static void test_column_files_refused(void)
{
    mem m = {.limit = 10000}, none = {.limit = 100};
    column_rows r;
    seen made = rows_make(0);
    CU_ASSERT_FATAL(!columns_open(&m, &table, (1u << COLUMNS) - 1, 20, &r));
    CU_ASSERT(columns_append(&r, &made, 1) == IMP_ERR_ARGUMENT);
    CU_ASSERT(strstr(imp_error_text(), "rare") != NULL && r.count == 0);
    CU_ASSERT(!columns_append_incomplete(&r, &made, 1) && r.count == 1 && !*r.value[RARE]);
    columns_close(&r);
    made = rows_make(1);
    CU_ASSERT_FATAL(!columns_open(&m, &table, 1u << SPOT, 20, &r));
    columns_skip(&table, &made, ROWS / 2);
    CU_ASSERT(columns_fit(&r, &made, 3) == 1 && columns_append(&r, &made, 1) == IMP_ERR_MEMORY);
    columns_skip(&table, &made, 1);
    CU_ASSERT(!columns_append(&r, &made, 1) && r.count == 1);
    columns_close(&r);
    CU_ASSERT(columns_open(&none, &table, 1, 1000, &r) == IMP_ERR_MEMORY);
    columns_close(&r);
    CU_ASSERT(columns_open(&m, &table, 1, SIZE_MAX / 2, &r) == IMP_ERR_MEMORY);
    columns_close(&r);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

/* Rows that are put in any order; a column that their source lacks becomes 0, items stay. */
static void test_columns_put(void)
{
    mem m = {0};
    column_rows from, to;
    const seen made = rows_make(1);
    const column_set some = COLUMN_BIT(ID) | COLUMN_BIT(VECTOR);
    const column_set more = some | COLUMN_BIT(RARE) | COLUMN_BIT(SPOT);
    CU_ASSERT_FATAL(!columns_open(&m, &table, some, 9, &from));
    CU_ASSERT_FATAL(!columns_open(&m, &table, more, 9, &to));
    CU_ASSERT_FATAL(!columns_append(&from, &made, 9) && !columns_append(&to, &made, 9));
    for (size_t i = 0; i < 9; i += 2)
        columns_put(&to, i, &from, 8 - i);
    for (size_t i = 0; i < 9; i++) {
        const size_t j = i % 2 ? i : 8 - i;
        CU_ASSERT(((uint32_t *)(void *)to.value[ID])[i] == all.id[j]);
        CU_ASSERT(((int64_t *)(void *)to.value[RARE])[i] == (i % 2 ? all.rare[i] : 0));
        CU_ASSERT(!memcmp(to.value[VECTOR] + 24 * i, all.vector + 3 * j, 24));
        CU_ASSERT(to.first[SPOT][i] == all.first[i] - all.first[0]);
    }
    columns_close(&from);
    columns_close(&to);
}

static void test_column_files_hash(void)
{
    seen made = rows_make(1), rest = made;
    uint64_t whole = columns_hash(&table, &made, ROWS, COLUMNS_HASH), parts = COLUMNS_HASH;
    for (size_t n; rest.count; rest.count -= n) {
        n = rest.count < 17 ? rest.count : 17;
        parts = columns_hash(&table, &rest, n, parts);
        columns_skip(&table, &rest, n);
    }
    CU_ASSERT(parts == whole);
    void *touched[] = {&all.id[9],    &all.flag[ROWS - 1], &all.vector[5],    &all.rare[7],
                       &all.ends[11], &all.first[40],      &all.spot[2 * 100]};
    for (size_t i = 0; i < sizeof touched / sizeof *touched; i++) {
        char *byte = touched[i];
        *byte = (char)(*byte ^ 1);
        EXPECT(columns_hash(&table, &made, ROWS, COLUMNS_HASH) != whole, "value %zu changed", i);
        *byte = (char)(*byte ^ 1);
    }
    made.rare = NULL;
    CU_ASSERT(columns_hash(&table, &made, ROWS, COLUMNS_HASH) != whole);
    /* an item of one row differs from an item of the next */
    const seen one_two = {.spot_first = (const uint64_t[]){0, 1, 3}, .spot = all.spot};
    const seen two_one = {.spot_first = (const uint64_t[]){0, 2, 3}, .spot = all.spot};
    CU_ASSERT(columns_hash(&table, &one_two, 2, COLUMNS_HASH) !=
              columns_hash(&table, &two_one, 2, COLUMNS_HASH));
    CU_ASSERT(columns_sum(&table, &one_two, 2) != columns_sum(&table, &two_one, 2));
    uint32_t one = 1; /* FNV-1a of 01 00 00 00 */
    CU_ASSERT(columns_hash(&table, &(seen){.count = 1, .id = &one}, 1, COLUMNS_HASH) ==
              UINT64_C(0xad2aca7747985764));
}

/* ---- in a file */

#define FRAMES 6
static const size_t frame_rows[FRAMES] = {0, 1200, 1, 0, 1299, 500}; /* ROWS in all */

typedef struct grown {
    mem m;
    vtkhdf_writer p;
    column_writer w;
    hid_t own;
    uint64_t sum[FRAMES];
} grown;

static column_groups column_files_groups(const grown *g)
{
    return (column_groups){g->p.part, g->p.at[VTKHDF_ROOT], g->p.at[VTKHDF_CELL_DATA],
                           g->p.at[VTKHDF_DATA_OFFSETS], g->own};
}

static const vtkhdf_writer_def kind_of_file = {
    .minor = 1, .cells = VTKHDF_LINES, .points = COLUMN_F64};

/* Writes frames [from, to) of the rows, in pieces of several sizes. */
static void column_files_write_frames(grown *g, size_t from, size_t to, int asked)
{
    seen rest = rows_make(asked);
    size_t row = 0;
    for (size_t f = 0; f < to; row += frame_rows[f++]) {
        for (size_t done = 0, n; done < frame_rows[f]; done += n) {
            n = frame_rows[f] - done < 333 ? frame_rows[f] - done : 333;
            for (int c = 0; c < COLUMNS && f >= from; c++)
                if (column_in(g->w.set, c))
                    CU_ASSERT(!column_writer_add_rows(&g->w, c,
                                                      column_values(&table_column[c], &rest),
                                                      c == SPOT ? rest.spot_first : NULL, n));
            columns_skip(&table, &rest, n);
        }
        if (f < from)
            continue;
        g->sum[f] = column_writer_end_sum(&g->w);
        CU_ASSERT(!column_writer_begin_frame(&g->w, row));
    }
}

static void grown_flush(grown *g)
{
    CU_ASSERT(!column_writer_flush(&g->w));
    CU_ASSERT(!vtkhdf_writer_flush(&g->p));
}

static void grown_close(grown *g)
{
    column_writer_close(&g->w);
    H5Gclose(g->own);
    vtkhdf_writer_close(&g->p);
    EXPECT(!atomic_load(&g->m.now), "%llu bytes are left",
           (unsigned long long)atomic_load(&g->m.now));
}

static void grown_create(grown *g, const char *path, int asked)
{
    const imp_def def = {.adjacent = asked};
    CU_ASSERT_FATAL(!vtkhdf_writer_create(&g->m, path, 1, &kind_of_file, &g->p));
    g->own = h5_group(g->p.file, "impinge");
    column_groups at = column_files_groups(g);
    CU_ASSERT_FATAL(!column_writer_open(&g->m, &at, &table, columns_when(&table, &def),
                                        &g->p.data[VTKHDF_POINTS], H5_NEW, H5_NEW, &g->w));
    CU_ASSERT_FATAL(!vtkhdf_writer_appear(&g->p));
}

/* Continues after `frames` frames; later rows in the file are truncated. */
static int grown_reopen(grown *g, const char *path, size_t frames, int asked)
{
    const imp_def def = {.adjacent = asked};
    uint64_t rows = 0;
    for (size_t f = 0; f < frames; f++)
        rows += frame_rows[f];
    CU_ASSERT_FATAL(!vtkhdf_writer_reopen(&g->m, path, 1, &kind_of_file, &g->p));
    g->own = H5Gopen2(g->p.file, "impinge", H5P_DEFAULT);
    CU_ASSERT_FATAL(!vtkhdf_writer_open_rows(&g->p, &(vtkhdf_extent){.points = 2 * rows}));
    column_groups at = column_files_groups(g);
    int err = column_writer_open(&g->m, &at, &table, columns_when(&table, &def),
                                 &g->p.data[VTKHDF_POINTS], rows, frames, &g->w);
    if (!err)
        CU_ASSERT(!vtkhdf_writer_truncate(&g->p) && !column_writer_truncate(&g->w));
    return err;
}

/* The rows and columns of a dataset, by plain HDF5. */
static uint64_t column_files_extent(hid_t file, const char *name, uint64_t *columns)
{
    hsize_t dims[2] = {0, 1};
    hid_t id = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    if (id < 0)
        return UINT64_MAX;
    hid_t space = H5Dget_space(id);
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    H5Dclose(id);
    *columns = dims[1];
    return dims[0];
}

static void check_extents(hid_t file, int asked)
{
    const struct {
        const char *name;
        uint64_t rows, columns;
    } want[] = {{"VTKHDF/CellData/Id", ROWS, 1},
                {"VTKHDF/CellData/Vector", ROWS, 3},
                {"VTKHDF/CellData/Rare", asked ? ROWS : UINT64_MAX, 1},
                {"VTKHDF/Points", 2 * ROWS, 3},
                {"VTKHDF/Steps/CellDataOffsets/Flag", FRAMES, 1},
                {"VTKHDF/Steps/CellDataOffsets/Rare", asked ? FRAMES : UINT64_MAX, 1},
                {"impinge/spots", all.first[ROWS] - all.first[0], 2},
                {"impinge/spot_offsets", ROWS + 1, 1}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        uint64_t columns = want[i].columns,
                 rows = column_files_extent(file, want[i].name, &columns);
        EXPECT(rows == want[i].rows && columns == want[i].columns, "%s: %llu by %llu", want[i].name,
               (unsigned long long)rows, (unsigned long long)columns);
    }
    uint64_t first[ROWS + 1];
    hid_t id = H5Dopen2(file, "impinge/spot_offsets", H5P_DEFAULT);
    CU_ASSERT(H5Dread(id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, first) >= 0);
    for (size_t i = 0; i <= ROWS; i++)
        CU_ASSERT(first[i] == all.first[i] - all.first[0]);
    H5Dclose(id);
}

static int open_reader(mem *m, hid_t file, const char *path, uint64_t rows, column_reader *r)
{
    column_groups at = {.path = path,
                        .root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT),
                        .own = H5Gopen2(file, "impinge", H5P_DEFAULT)};
    int err = column_reader_open(m, &at, &table, rows, r);
    H5Gclose(at.root);
    H5Gclose(at.own);
    return err;
}

/* All frames read back as written, one after another, and so do their checksums. */
static void check_read(const grown *g, const char *path, int asked)
{
    mem m = {0};
    column_reader r = {0};
    column_rows rows = {0};
    hid_t file = -1;
    CU_ASSERT_FATAL(!h5_open(path, 0, &file) && !open_reader(&m, file, path, ROWS, &r));
    check_extents(file, asked);
    CU_ASSERT(column_in(r.set, RARE) == asked);
    CU_ASSERT_FATAL(!columns_open(&m, &table, r.set, ROWS, &rows));
    for (size_t f = 0, row = 0; f < FRAMES; row += frame_rows[f++]) {
        seen got;
        EXPECT(!column_reader_read_all(&r, row, frame_rows[f], &rows), "%s", imp_error_text());
        columns_as_rows(&rows, &got);
        EXPECT(!rows_differ(&got, frame_rows[f], row, asked), "frame %zu differs", f);
        EXPECT(columns_sum(&table, &got, frame_rows[f]) == g->sum[f], "frame %zu: checksum", f);
    }
    uint8_t flag[100];
    CU_ASSERT(!column_reader_read(&r, FLAG, 777, 100, flag) && !memcmp(flag, all.flag + 777, 100));
    CU_ASSERT(column_reader_read_all(&r, ROWS - 9, 10, &rows) == IMP_ERR_INPUT);
    columns_close(&rows);
    column_reader_close(&r);
    H5Fclose(file);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

static void file_name(char part[320], char path[300])
{
    snprintf(path, 300, "%s/columns.vtkhdf", test_folder());
    snprintf(part, 320, "%s.part", path);
}

static void test_column_files_file(void)
{
    char path[300], part[320];
    file_name(part, path);
    for (int asked = 0; asked < 2; asked++) {
        grown g = {0};
        grown_create(&g, path, asked);
        column_files_write_frames(&g, 0, FRAMES, asked);
        grown_flush(&g);
        check_read(&g, part, asked);
        grown_close(&g);
        CU_ASSERT(!unlink(part));
    }
}

/* A killed run: the file has rows after the last complete frame, also in columns of varying length.
 * They are truncated, and the run is resumed. */
static void test_column_files_resume(void)
{
    char path[300], part[320];
    file_name(part, path);
    for (size_t frames = 0; frames <= FRAMES; frames++) {
        grown g = {0}, on = {0};
        grown_create(&g, path, 1);
        column_files_write_frames(&g, 0, FRAMES, 1);
        grown_flush(&g);
        grown_close(&g);
        EXPECT(!grown_reopen(&on, path, frames, 1), "%s", imp_error_text());
        column_files_write_frames(&on, frames, FRAMES, 1);
        grown_flush(&on);
        for (size_t f = frames; f < FRAMES; f++)
            EXPECT(on.sum[f] == g.sum[f], "after %zu frames: checksum of %zu", frames, f);
        check_read(&g, part, 1);
        grown_close(&on);
        CU_ASSERT(!unlink(part));
    }
}

/* Missing or wrong values in the file are reported, by the reader and by --resume. */
static void check_column_files_damaged(const char *name, hsize_t rows, uint64_t value,
                                       const char *word)
{
    char path[300], part[320];
    file_name(part, path);
    grown g = {0}, on = {0};
    column_reader r = {0};
    column_rows out = {0};
    hid_t file = -1;
    grown_create(&g, path, 0);
    column_files_write_frames(&g, 0, FRAMES, 0);
    grown_flush(&g);
    hid_t id = H5Dopen2(g.p.file, name, H5P_DEFAULT);
    hsize_t at = rows, one = 1, dims[2] = {rows, 2};
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(1, &one, NULL);
    if (value) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
        CU_ASSERT(H5Dwrite(id, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &value) >= 0);
    } else
        CU_ASSERT(H5Dset_extent(id, dims) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(id);
    grown_close(&g);
    CU_ASSERT_FATAL(!h5_open(part, 0, &file));
    int err = open_reader(&g.m, file, part, ROWS, &r);
    if (!err) {
        CU_ASSERT_FATAL(!columns_open(&g.m, &table, r.set, ROWS, &out));
        err = column_reader_read_all(&r, 0, ROWS, &out);
    }
    EXPECT(err == IMP_ERR_INPUT && strstr(imp_error_text(), word), "%s: %d, %s", name, err,
           imp_error_text());
    columns_close(&out);
    column_reader_close(&r);
    H5Fclose(file);
    err = grown_reopen(&on, path, FRAMES, 0);
    EXPECT(err == IMP_ERR_INPUT || (value && value <= all.first[ROWS]), "resumed: %s", name);
    grown_close(&on);
    CU_ASSERT(!unlink(part));
}

static void test_column_files_damaged(void)
{
    check_column_files_damaged("VTKHDF/CellData/Id", ROWS - 1, 0, "Id: has 2999 rows, 3000");
    check_column_files_damaged("impinge/spots", 10, 0, "spot_offsets: damaged");
    check_column_files_damaged("impinge/spot_offsets", ROWS, 0,
                               "spot_offsets: has 3000 rows, 3001");
    check_column_files_damaged("impinge/spot_offsets", ROWS, (uint64_t)1 << 40,
                               "spot_offsets: damaged");
    check_column_files_damaged("impinge/spot_offsets", 2000, 1, "spot_offsets: damaged");
}

/* The offsets of items are one column: more would not fit the reader's buffer. */
static void test_wide(void)
{
    char path[300], part[320];
    file_name(part, path);
    grown g = {0}, on = {0};
    column_reader r = {0};
    grown_create(&g, path, 0);
    column_files_write_frames(&g, 0, FRAMES, 0);
    grown_flush(&g);
    grown_close(&g);
    h5_replace(part, "impinge/spot_offsets", H5T_STD_U64LE, 2, (const hsize_t[]){ROWS + 1, 1000},
               NULL);
    hid_t file = -1;
    CU_ASSERT_FATAL(!h5_open(part, 0, &file));
    EXPECT(open_reader(&g.m, file, part, ROWS, &r) == IMP_ERR_INPUT &&
               strstr(imp_error_text(), "spot_offsets: has 1000 columns"),
           "%s", imp_error_text());
    column_reader_close(&r);
    H5Fclose(file);
    EXPECT(grown_reopen(&on, path, FRAMES, 0) == IMP_ERR_INPUT, "resumed");
    grown_close(&on);
    CU_ASSERT(!unlink(part));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"when", test_when},
                                 {"pass_over", test_pass_over},
                                 {"parcels", test_columns_chunks},
                                 {"refused", test_column_files_refused},
                                 {"put", test_columns_put},
                                 {"hash", test_column_files_hash},
                                 {"file", test_column_files_file},
                                 {"resume", test_column_files_resume},
                                 {"damaged", test_column_files_damaged},
                                 {"wide", test_wide},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "columns", tests);
}
