/* Legacy VTK files, the ASCII ones: DATASET UNSTRUCTURED_GRID and POLYDATA.
 *
 * CELLS and other sections of cells are read in both forms, each cell as "n numbers" (up to version
 * 4.2) and as OFFSETS and CONNECTIVITY (from 5.0 on), in files of any version. Triangles, quads,
 * pixels, polygons and strips become triangles, tetrahedra stay; vertices and lines are skipped and
 * counted. Other types of cells are an error. FIELD and METADATA are skipped, and nothing is read
 * from CELL_DATA or POINT_DATA on: attributes have no use here. Numbers may be in any number of
 * lines; # begins a comment.
 *
 * The cells of a section are kept as numbers until their types are known, which follow them. */
#include "cell_types.h"
#include "error.h"
#include "grow.h"
#include "importers.h"
#include "file_shape_make.h"
#include "words.h"

#include <stdlib.h>

enum dataset { GRID, POLYDATA };

typedef struct reader {
    words w;
    file_shape_maker make;
    enum dataset dataset;
    int have_points, have_cells, have_types;
    uint64_t kind; /* of the cells of a section of POLYDATA */
    uint32_t *id;  /* of all cells of the section */
    uint64_t *end; /* [cells] where those of each end */
    uint64_t ids, cells;
    size_t id_bytes, end_bytes; /* allocated */
} reader;

/* ---- points */

static int read_points(reader *r)
{
    int err = IMP_OK;
    uint64_t n;
    double x[3];
    if (r->have_points)
        FAIL(TEXT_BAD(r->w.text, "%s", "POINTS is there twice"));
    r->have_points = 1;
    TRY(words_count(&r->w, &n));
    TRY(words_skip(&r->w, 1)); /* the type */
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            TRY(words_real(&r->w, &x[k]));
        TRY(file_shape_make_vertex(&r->make, x));
    }
out:
    return err;
}

/* ---- cells as numbers */

/* Checked against the points at once, as POINTS must come first. */
static int add_id(reader *r)
{
    int err = IMP_OK;
    uint64_t id;
    TRY(words_count(&r->w, &id));
    if (id >= r->make.shape.vertices)
        FAIL(TEXT_BAD(r->w.text, "there is no point %" PRIu64 "; the file has %" PRIu32 ", from 0",
                      id, r->make.shape.vertices));
    TRY(grow_to(&r->id, &r->id_bytes, ((size_t)r->ids + 1) * sizeof *r->id));
    r->id[r->ids++] = (uint32_t)id;
out:
    return err;
}

static int add_end(reader *r, uint64_t end)
{
    int err = grow_to(&r->end, &r->end_bytes, ((size_t)r->cells + 1) * sizeof *r->end);
    if (!err)
        r->end[r->cells++] = end;
    return err;
}

/* "n numbers", cell by cell; `all` numbers with the n. */
static int read_counted(reader *r, uint64_t cells, uint64_t all)
{
    int err = IMP_OK;
    uint64_t n;
    for (uint64_t i = 0; i < cells; i++) {
        TRY(words_count(&r->w, &n));
        /* before they are read: a wrong n would take all that follows */
        if (n >= all - r->ids - r->cells)
            FAIL(TEXT_BAD(r->w.text, "a cell of %" PRIu64 " points, more than %s has", n,
                          r->w.within));
        for (uint64_t k = 0; k < n; k++)
            TRY(add_id(r));
        TRY(add_end(r, r->ids));
    }
    if (r->ids + r->cells != all)
        FAIL(TEXT_BAD(r->w.text, "%s has %" PRIu64 " numbers and should have %" PRIu64, r->w.within,
                      r->ids + r->cells, all));
out:
    return err;
}

/* OFFSETS: one more than cells, from 0 to the number of ids. */
static int read_offsets(reader *r, uint64_t offsets, uint64_t ids)
{
    int err = IMP_OK;
    uint64_t before = 0, end = 0;
    TRY(words_skip(&r->w, 1)); /* the type */
    for (uint64_t i = 0; i < offsets; i++, before = end) {
        TRY(words_count(&r->w, &end));
        if (i == 0 ? end != 0 : end < before || end > ids)
            FAIL(TEXT_BAD(r->w.text,
                          "offset %" PRIu64 " of %s: they go from 0 to %" PRIu64 " and never down",
                          end, r->w.within, ids));
        if (i)
            TRY(add_end(r, end));
    }
    TRY(words_find(&r->w));
    if (end != ids)
        FAIL(TEXT_BAD(r->w.text, "the last offset of %s is %" PRIu64 " and not %" PRIu64,
                      r->w.within, end, ids));
    if (!words_take(&r->w, "CONNECTIVITY"))
        FAIL(TEXT_BAD(r->w.text, "'%s' where CONNECTIVITY should be, in %s",
                      text_show(r->w.at).text, r->w.within));
    TRY(words_skip(&r->w, 1));
    while (r->ids < ids)
        TRY(add_id(r));
out:
    return err;
}

/* Both forms can be in files of any version, so the next word decides. */
static int read_cells(reader *r)
{
    int err = IMP_OK, found;
    uint64_t cells, numbers;
    r->ids = r->cells = 0;
    if (!r->have_points)
        FAIL(TEXT_BAD(r->w.text, "%s before POINTS", r->w.within));
    TRY(words_count(&r->w, &cells));
    TRY(words_count(&r->w, &numbers));
    TRY(words_more(&r->w, &found)); /* nothing may follow a section without cells */
    if (found && words_take(&r->w, "OFFSETS"))
        TRY(read_offsets(r, cells, numbers));
    else
        TRY(read_counted(r, cells, numbers));
out:
    return err;
}

/* ---- cells as primitives */

/* All triangles have the orientation of the first. */
static int add_strip(reader *r, const uint32_t *id, uint32_t n)
{
    int err = IMP_OK;
    for (uint32_t i = 2; i < n && !err; i++) {
        uint32_t odd = i % 2;
        err = file_shape_make_primitive(
            &r->make, (const uint32_t[]){id[i - 2 + odd], id[i - 1 - odd], id[i]}, 3);
    }
    return err;
}

static int add_known_cell(reader *r, uint64_t type, const uint32_t *id, uint32_t n)
{
    const uint64_t line = r->w.text->line;
    switch (type) {
    case VTK_TETRAHEDRON:
        return file_shape_make_primitive(&r->make, id, 4);
    case VTK_STRIP:
        return add_strip(r, id, n);
    case VTK_PIXEL: /* a quad in rows */
        return file_shape_make_fan(&r->make, (const uint32_t[]){id[0], id[1], id[3], id[2]}, 4,
                                   line);
    default:
        return file_shape_make_fan(&r->make, id, n, line);
    }
}

/* Types that become primitives, and how many points they may have. */
static int points_of(uint64_t type, uint64_t *least, uint64_t *most)
{
    *least = type == VTK_QUAD || type == VTK_PIXEL || type == VTK_TETRAHEDRON ? 4 : 3;
    *most = type == VTK_POLYGON || type == VTK_STRIP ? SHAPE_PRIMITIVES_MOST
            : type == VTK_TRIANGLE                   ? 3
                                                     : 4;
    return type >= VTK_TRIANGLE && type <= VTK_TETRAHEDRON;
}

static int add_cell(reader *r, uint64_t i, uint64_t type)
{
    int err = IMP_OK;
    const uint64_t begin = i ? r->end[i - 1] : 0, n = r->end[i] - begin;
    uint64_t least, most;
    char name[60];
    if (type <= VTK_POLY_LINE) {
        file_shape_make_skip(&r->make, r->w.text->line, SHAPE_POINT_OR_LINE);
        return IMP_OK;
    }
    cell_type_name(type <= INT32_MAX ? (int)type : -1, 0, name, sizeof name);
    if (!points_of(type, &least, &most))
        FAIL(TEXT_BAD(r->w.text, "cell %" PRIu64 " is a %s, which is not read", i, name));
    if (n < least || n > most)
        FAIL(TEXT_BAD(r->w.text, "cell %" PRIu64 " is a %s of %" PRIu64 " points", i, name, n));
    TRY(add_known_cell(r, type, r->id + begin, (uint32_t)n));
out:
    return err;
}

/* ---- sections */

static int read_grid_cells(reader *r)
{
    if (r->have_cells)
        return imp_fail(TEXT_BAD(r->w.text, "%s", "CELLS is there twice"));
    r->have_cells = 1;
    return read_cells(r);
}

static int read_types(reader *r)
{
    int err = IMP_OK;
    uint64_t n, type;
    if (r->have_types)
        FAIL(TEXT_BAD(r->w.text, "%s", "CELL_TYPES is there twice"));
    r->have_types = 1;
    TRY(words_count(&r->w, &n));
    if (n != r->cells)
        FAIL(TEXT_BAD(r->w.text, "%" PRIu64 " types of %" PRIu64 " cells", n, r->cells));
    for (uint64_t i = 0; i < n; i++) {
        TRY(words_count(&r->w, &type));
        TRY(add_cell(r, i, type));
    }
out:
    return err;
}

/* Cells of one kind, which a polygonal data set has a section for. */
static int read_kind(reader *r)
{
    int err = read_cells(r);
    for (uint64_t i = 0; i < r->cells && !err; i++)
        err = add_cell(r, i, r->kind);
    return err;
}

/* Ends at an empty line. */
static int skip_metadata(reader *r)
{
    const char *line;
    int err;
    do
        err = words_line(&r->w, &line);
    while (!err && line && *text_skip_blanks(line));
    return err;
}

/* An array of numbers; one of texts has each in a line. */
static int skip_array(reader *r)
{
    int err = IMP_OK;
    uint64_t components, rows;
    const char *line = "";
    TRY(words_find(&r->w));
    if (words_take(&r->w, "METADATA")) { /* of the array before */
        TRY(skip_metadata(r));
        TRY(words_find(&r->w));
    }
    TRY(words_skip(&r->w, 1)); /* its name */
    TRY(words_count(&r->w, &components));
    TRY(words_count(&r->w, &rows));
    TRY(words_find(&r->w));
    if (components && rows > TEXT_INTEGER_MOST / components)
        FAIL(TEXT_BAD(r->w.text, "%s has an array of too many numbers", r->w.within));
    if (!words_take(&r->w, "string")) {
        TRY(words_skip(&r->w, 1 + components * rows));
        goto out;
    }
    for (uint64_t i = 0; i < components * rows && line; i++)
        TRY(words_line(&r->w, &line));
out:
    return err;
}

static int skip_field(reader *r)
{
    int err = IMP_OK;
    uint64_t arrays;
    TRY(words_skip(&r->w, 1)); /* its name */
    TRY(words_count(&r->w, &arrays));
    for (uint64_t i = 0; i < arrays; i++)
        TRY(skip_array(r));
out:
    return err;
}

static const struct section {
    const char *name;
    int of[2]; /* GRID, POLYDATA */
    int (*read)(reader *r);
    uint64_t kind;
} sections[] = {
    {"POINTS", {1, 1}, read_points},
    {"CELLS", {1, 0}, read_grid_cells},
    {"CELL_TYPES", {1, 0}, read_types},
    {"VERTICES", {0, 1}, read_kind, VTK_POLY_VERTEX},
    {"LINES", {0, 1}, read_kind, VTK_POLY_LINE},
    {"POLYGONS", {0, 1}, read_kind, VTK_POLYGON},
    {"TRIANGLE_STRIPS", {0, 1}, read_kind, VTK_STRIP},
    {"FIELD", {1, 1}, skip_field},
    {"METADATA", {1, 1}, skip_metadata},
};

static int read_section(reader *r)
{
    int err = IMP_OK;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (sections[i].of[r->dataset] && words_take(&r->w, sections[i].name)) {
            r->w.within = sections[i].name;
            r->kind = sections[i].kind;
            return sections[i].read(r);
        }
    FAIL(TEXT_BAD(r->w.text, "'%s' where a section should begin%s%s", text_show(r->w.at).text,
                  r->w.within ? ", after " : "", r->w.within ? r->w.within : ""));
out:
    return err;
}

/* Attributes come last in the format, so nothing after them is of use. */
static int read_sections(reader *r)
{
    int err = IMP_OK, found;
    for (;;) {
        TRY(words_more(&r->w, &found));
        if (!found || words_take(&r->w, "CELL_DATA") || words_take(&r->w, "POINT_DATA"))
            break;
        TRY(read_section(r));
    }
    if (!r->have_points)
        FAIL(TEXT_BAD(r->w.text, "%s", "there are no POINTS"));
    if (r->dataset == GRID && !(r->have_cells && r->have_types))
        FAIL(TEXT_BAD(r->w.text, "there are no %s", r->have_cells ? "CELL_TYPES" : "CELLS"));
out:
    return err;
}

/* ---- the file */

/* The version is skipped: the sections show their form. */
static int read_head(reader *r)
{
    int err = IMP_OK;
    const char *line;
    TRY(words_line(&r->w, &line));
    TRY(words_line(&r->w, &line)); /* a title of any words */
    r->w.within = "its head";
    TRY(words_find(&r->w));
    if (words_take(&r->w, "BINARY"))
        FAIL(TEXT_BAD(r->w.text, "%s", "BINARY: of legacy VTK only ASCII files are read"));
    if (!words_take(&r->w, "ASCII"))
        FAIL(TEXT_BAD(r->w.text, "'%s' where ASCII should be", text_show(r->w.at).text));
    TRY(words_find(&r->w));
    if (!words_take(&r->w, "DATASET"))
        FAIL(TEXT_BAD(r->w.text, "'%s' where DATASET should be", text_show(r->w.at).text));
    TRY(words_find(&r->w));
    r->dataset = words_take(&r->w, "POLYDATA") ? POLYDATA : GRID;
    if (r->dataset == GRID && !words_take(&r->w, "UNSTRUCTURED_GRID"))
        FAIL(TEXT_BAD(r->w.text, "DATASET %s: only UNSTRUCTURED_GRID and POLYDATA are read",
                      text_show(r->w.at).text));
    r->w.within = NULL;
out:
    return err;
}

int vtk_read(text *t, file_shape *out)
{
    int err = IMP_OK;
    reader r = {.w = {.text = t}};
    t->plain_lines = 1;
    file_shape_make_start(&r.make, t->path);
    TRY(read_head(&r));
    TRY(read_sections(&r));
    file_shape_make_end(&r.make, out);
out:
    file_shape_make_free(&r.make);
    free(r.id);
    free(r.end);
    return err;
}
