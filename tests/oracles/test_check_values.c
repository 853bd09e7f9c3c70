/* Results with one changed value: each dataset and each attribute in turn, the last bit of a number
 * or a large part of it, with recomputed checksums. `check` finds the change, or lists the value as
 * not compared. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "store.h"

#include <ctype.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MOST 200

/* A dataset, or an attribute of a group. */
typedef struct item {
    char group[60], name[120]; /* name: whole path of a dataset */
    int attribute;
} item;

typedef struct result_kind {
    const char *name, *scene; /* NULL: made here */
    const char *options[8];
    int mixed, ids, bad;
} result_kind;

/* ---- the values of a result */

static item items[ITEMS_MOST];
static size_t item_count;

/* What was changed in results of other kinds. */
static item known[2 * ITEMS_MOST];
static size_t known_count;

static int is_known(const item *i)
{
    size_t k = 0;
    while (k < known_count && (strcmp(known[k].group, i->group) || strcmp(known[k].name, i->name)))
        k++;
    return k < known_count;
}

static void know_items(void)
{
    for (size_t i = 0; i < item_count; i++)
        if (!is_known(&items[i])) {
            CU_ASSERT_FATAL(known_count < 2 * ITEMS_MOST);
            known[known_count++] = items[i];
        }
}

static void add_item(const char *group, const char *name, int attribute)
{
    CU_ASSERT_FATAL(item_count < ITEMS_MOST);
    item *i = &items[item_count++];
    snprintf(i->group, sizeof i->group, "%s", group);
    snprintf(i->name, sizeof i->name, "%s", name);
    i->attribute = attribute;
}

static herr_t add_attribute(hid_t at, const char *name, const H5A_info_t *info, void *group)
{
    (void)at;
    (void)info;
    add_item(group, name, 1);
    return 0;
}

static herr_t add_object(hid_t file, const char *name, const H5L_info_t *info, void *nothing)
{
    hid_t id = H5Oopen(file, name, H5P_DEFAULT);
    char group[60];
    (void)info;
    (void)nothing;
    snprintf(group, sizeof group, "%s", name);
    if (H5Iget_type(id) == H5I_DATASET)
        add_item("", name, 0);
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, group);
    H5Oclose(id);
    return 0;
}

static void check_values_list_items(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    item_count = 0;
    CU_ASSERT_FATAL(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add_object, NULL) >= 0);
    H5Fclose(file);
}

/* ---- changes */

/* The size of a change: the last bit or digit, or more than any tolerance. */
enum size { LEAST, MUCH, SIZES };

static void change_real(double *x, enum size size)
{
    *x = size == LEAST ? nextafter(*x, INFINITY) : *x + 1e3;
}

static void change_text(char *text, size_t length, rng *r)
{
    char *c = &text[rng_below(r, (uint32_t)length)];
    *c = isdigit((unsigned char)*c)   ? (*c == '9' ? '8' : *c + 1)
         : isalpha((unsigned char)*c) ? (*c == 'z' ? 'y' : *c + 1)
                                      : '_';
}

/* Changes one element; returns 0 if there is no element, or its type does not occur in results. */
static int change_bytes(hid_t type, void *data, size_t elements, enum size size, rng *r)
{
    const size_t bytes = H5Tget_size(type), i = elements ? rng_below(r, (uint32_t)elements) : 0;
    char *at = (char *)data + i * bytes;
    int64_t n = 0;
    if (!elements)
        return 0;
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        change_real((double *)at, size);
        return bytes == 8;
    case H5T_INTEGER: /* little-endian, as on the test machines */
        memcpy(&n, at, bytes);
        n += size == LEAST ? (rng_below(r, 2) ? 1 : -1) : 1 << 6;
        memcpy(at, &n, bytes);
        return 1;
    case H5T_STRING: {
        const size_t length = strnlen(at, bytes);
        if (length)
            change_text(at, length, r);
        return length > 0;
    }
    default:
        return 0;
    }
}

static int change_item(const char *path, const item *i, enum size size, rng *r)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t at = H5Oopen(file, i->attribute ? i->group : i->name, H5P_DEFAULT);
    hid_t id = i->attribute ? H5Aopen(at, i->name, H5P_DEFAULT) : at;
    hid_t type = i->attribute ? H5Aget_type(id) : H5Dget_type(id),
          space = i->attribute ? H5Aget_space(id) : H5Dget_space(id);
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    void *data = calloc(n + 1, H5Tget_size(type));
    CU_ASSERT_FATAL(id >= 0 && data != NULL);
    if (i->attribute)
        H5Aread(id, type, data);
    else if (n)
        H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    const int changed = change_bytes(type, data, n, size, r);
    const herr_t err = !changed       ? 0
                       : i->attribute ? H5Awrite(id, type, data)
                                      : H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    CU_ASSERT_FATAL(err >= 0);
    free(data);
    H5Sclose(space);
    H5Tclose(type);
    if (i->attribute)
        H5Aclose(id);
    H5Oclose(at);
    H5Fclose(file);
    return changed;
}

/* Recomputes the checksums of the rows, as far as they can be read. */
static void sum_again(const char *path)
{
    mem m = {0};
    result_reader *r;
    uint64_t sum[64];
    size_t n = 0;
    if (result_open(&m, path, &r))
        return;
    for (; n < result_get_info(r)->frames && n < 64; n++) {
        result_rows rows;
        if (result_read(r, n, &rows))
            break;
        sum[n] = result_checksum(&rows);
    }
    result_close(r);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
          data = H5Dopen2(file, "impinge/checksum", H5P_DEFAULT), space = H5Dget_space(data);
    if ((size_t)H5Sget_simple_extent_npoints(space) == n)
        H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sum);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}

/* ---- the report of check */

static int has_word(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (!strncmp(text + i, word, n) && (!i || text[i - 1] == ' ') &&
            (i + n == length || strchr(",; \n", text[i + n])))
            return 1;
    return 0;
}

/* Whether the report lists the value as not compared or, for a small change, as compared with a
 * tolerance. */
static int check_values_is_named(const char *out, const item *i, enum size size)
{
    const char *line = strstr(out, "not compared: "), *name = strrchr(i->name, '/');
    if (!line)
        return 0;
    line += strlen("not compared: ");
    const size_t none = strcspn(line, ";\n");
    name = name ? name + 1 : i->name;
    return has_word(line, none, name) ||
           (size == LEAST && has_word(line + none, strcspn(line + none, "\n"), name));
}

static size_t found, named;

static void try_item(const result_kind *k, const char *in, const char *right, const item *i,
                     enum size size, rng *r)
{
    const char *out = at("changed.vtkhdf");
    copy_file(right, out);
    if (!change_item(out, i, size, r))
        return;
    if (strcmp(i->name, "impinge/checksum"))
        sum_again(out);
    ran c = RAN("check", out, "--input", in, "--threads", "1");
    const int seen = *c.err && c.code <= 3;
    found += (size_t)seen;
    if (!seen) {
        const int said = !c.code && check_values_is_named(c.out, i, size);
        EXPECT(said, "%s: %s%s%s, %s: exit %d: %s", k->name, i->group, i->attribute ? "@" : "",
               i->name, size == LEAST ? "least" : "much", c.code, c.out);
        named += (size_t)said;
    }
    ran_free(&c);
}

/* ---- results */

static const char *make_input(const result_kind *k)
{
    const char *in = at("in.vtkhdf");
    if (k->scene) {
        ran r = RAN("generate", k->scene, "-n", "60", "--frames", "3", "-o", in, "--force", "-q");
        EXPECT(ran_well(&r), "^ generate %s", k->scene);
        ran_free(&r);
        return in;
    }
    make m = {.unstructured = k->mixed, .cells = {{.name = "ObjectId"}}};
    if (k->ids)
        m.cells[1].name = "PrimitiveId";
    if (k->mixed)
        make_moving_mixed(&m, 3, 45, 11);
    else
        make_moving(&m, 3, 45, 12);
    for (int i = 0; i < 45; i++) {
        make_add(&m.cells[0].value, i % 3);
        if (k->ids)
            make_add(&m.cells[1].value, 1000 - i);
    }
    if (k->bad)
        m.points.value[4] = NAN;
    make_write(&m, "in.vtkhdf");
    make_free(&m);
    return in;
}

/* In everyday runs both changes are made in values that no result before had, and one of them in
 * every fifth of the others. */
static void check_kind(const result_kind *k, size_t number)
{
    const char *in = make_input(k), *right = at("right.vtkhdf");
    const char *arguments[16] = {"run", in, "-o", right, "--force", "-q", "--device", "cpu"};
    size_t n = 8;
    for (size_t i = 0; k->options[i]; i++)
        arguments[n++] = k->options[i];
    ran r = program_run(arguments);
    EXPECT(ran_well(&r), "^ %s: run", k->name);
    ran_free(&r);
    r = RAN("check", right, "--input", in);
    EXPECT(ran_well(&r) && count_lines(r.out) == 2, "^ %s: %s", k->name, r.out);
    ran_free(&r);
    check_values_list_items(right);
    const int soak = test_count(1) > 1;
    for (size_t i = 0; i < item_count; i++) {
        const int some = soak || !is_known(&items[i]);
        if (!some && (i + number) % 5)
            continue;
        for (uint64_t turn = 0; turn < (some ? test_cases(2) : 1); turn++) {
            const uint64_t size = some ? turn : i + number / 5 + turn;
            rng of = {1000 * i + turn};
            try_item(k, in, right, &items[i], (enum size)(size % SIZES), &of);
        }
    }
    know_items();
}

static void test_values(void)
{
    static const result_kind kinds[] = {
        {.name = "frames", .ids = 1},
        {.name = "solids", .mixed = 1, .ids = 1},
        {.name = "ends", .mixed = 1, .options = {"--end-features"}},
        {.name = "left out", .bad = 1, .options = {"--on-bad", "skip"}},
        {.name = "candidates", .mixed = 1, .options = {"--stage", "candidates"}},
        {.name = "steps", .options = {"--continuous"}},
        {.name = "steps of solids", .mixed = 1, .ids = 1, .options = {"--continuous"}},
        {.name = "backwards", .options = {"--continuous", "--frames", "::-1", "--dop", "18"}},
        {.name = "separation", .options = {"--continuous", "--min-separation", "0.05"}},
        {.name = "swept candidates", .options = {"--continuous", "--stage", "candidates"}},
        {.name = "a shard", .options = {"--shard", "0/2", "--adjacent", "test"}},
        {.name = "slabs", .mixed = 1, .options = {"--space", "2"}},
        {.name = "turning", .scene = "missile", .options = {"--continuous"}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_kind(&kinds[i], i);
    EXPECT(found > 150 && named > 20, "%zu found, %zu named", found, named);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"values", test_values}, {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "check_values", tests);
}
