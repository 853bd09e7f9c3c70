/* Gmsh meshes, the ASCII ones of format 2 (2.0 to 2.2) and 4.1.
 *
 * Triangles and tetrahedra are read; quadrangles become triangles; points and lines, which mark
 * boundaries, are skipped and counted. Other elements, those of higher order too, are an error.
 * Nodes are called by any numbers and stay vertices of the shape if no element uses them, in their
 * order in the file. Sections that are not about the mesh are skipped.
 *
 * Each element is in a section of the shape: that of its physical group, of several that of the
 * first (format 2 lists an element once for each), by the name that $PhysicalNames gives it, else
 * "physical surface 3"; without a group that of the entity, "surface 3"; without either one with an
 * empty name. */
#include "error.h"
#include "importers.h"
#include "msh_groups.h"
#include "msh_nodes.h"
#include "file_shape_make.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    words w;
    file_shape_maker make;
    msh_groups groups;
    int major; /* of the format; 0 before it is known */
    int have_nodes, have_elements;
    msh_nodes nodes;
    int64_t section[3]; /* dimension, group and entity of the element before */
    int have_section;
    struct {
        int64_t section[3];
        uint64_t type;
        uint32_t corner[4]; /* ascending */
    } last;                 /* element that was added; type 0: none */
} reader;

/* ---- elements */

static const struct element {
    uint64_t type;
    int read; /* 0: skipped, -1: an error */
    uint32_t nodes;
    int64_t dimension;
    const char *name;
} elements[] = {
    {1, 0, 2, 1, "line"},
    {2, 1, 3, 2, "triangle"},
    {3, 1, 4, 2, "quadrangle"},
    {4, 1, 4, 3, "tetrahedron"},
    {5, -1, 8, 3, "hexahedron"},
    {6, -1, 6, 3, "prism"},
    {7, -1, 5, 3, "pyramid"},
    {8, 0, 3, 1, "line of second order"},
    {9, -1, 6, 2, "triangle of second order"},
    {11, -1, 10, 3, "tetrahedron of second order"},
    {15, 0, 1, 0, "point"},
    {26, 0, 4, 1, "line of third order"},
    {27, 0, 5, 1, "line of fourth order"},
    {28, 0, 6, 1, "line of fifth order"},
};

static int read_type(reader *r, const struct element **out)
{
    int err = IMP_OK;
    uint64_t type;
    const struct element *e = elements, *end = elements + sizeof elements / sizeof *elements;
    TRY(words_count(&r->w, &type));
    while (e < end && e->type != type)
        e++;
    if (e == end || e->read < 0)
        FAIL(TEXT_BAD(r->w.text, "an element of type %" PRIu64 "%s%s%s, which is not read", type,
                      e < end ? " (" : "", e < end ? e->name : "", e < end ? ")" : ""));
    *out = e;
out:
    return err;
}

/* Elements mostly come section by section. */
static int enter_section(reader *r, int64_t dimension, int64_t physical, int64_t entity)
{
    /* a group that reverses its elements is negative */
    const int64_t section[3] = {dimension, physical < 0 ? -physical : physical, entity};
    char buffer[MSH_SECTION];
    if (r->have_section && !memcmp(section, r->section, sizeof section))
        return IMP_OK;
    memcpy(r->section, section, sizeof section);
    r->have_section = 1;
    const char *name = msh_section(&r->groups, dimension, section[1], entity, buffer);
    return file_shape_make_section(&r->make, name, strlen(name));
}

/* Format 2 lists an element of several groups once for each, one after the other, each time with
 * another number. Is it that before again? *r->section is its own. */
static int is_again(reader *r, const struct element *e, const uint32_t *corner)
{
    uint32_t sorted[4] = {0};
    for (uint32_t k = 0, i; k < e->nodes; k++) {
        for (i = k; i && sorted[i - 1] > corner[k]; i--)
            sorted[i] = sorted[i - 1];
        sorted[i] = corner[k];
    }
    if (r->major == 2 && r->last.type == e->type &&
        !memcmp(r->last.corner, sorted, sizeof sorted) && r->last.section[2] == r->section[2] &&
        r->last.section[1] != r->section[1])
        return 1;
    r->last.type = e->type;
    memcpy(r->last.corner, sorted, sizeof sorted);
    memcpy(r->last.section, r->section, sizeof r->section);
    return 0;
}

/* Node numbers of the file become vertices of the shape. */
static int read_corners(reader *r, uint32_t *corner, uint32_t n)
{
    int err = IMP_OK;
    uint64_t tag;
    for (uint32_t k = 0; k < n; k++) {
        TRY(words_count(&r->w, &tag));
        if (!msh_find_node(&r->nodes, tag, &corner[k]))
            FAIL(TEXT_BAD(r->w.text, "there is no node %" PRIu64, tag));
    }
out:
    return err;
}

/* A quadrangle is a face of four corners, which file_shape_cut may divide the other way. */
static int add_element(reader *r, const struct element *e)
{
    int err = IMP_OK;
    uint32_t corner[4] = {0};
    if (!e->read) {
        file_shape_make_skip(&r->make, r->w.text->line, SHAPE_POINT_OR_LINE);
        return words_skip(&r->w, e->nodes);
    }
    TRY(read_corners(r, corner, e->nodes));
    if (is_again(r, e, corner))
        goto out;
    TRY(e->dimension == 3 ? file_shape_make_primitive(&r->make, corner, 4)
                          : file_shape_make_fan(&r->make, corner, e->nodes, r->w.text->line));
out:
    return err;
}

/* Number, type, tags - of the group, of the entity, and more -, nodes. */
static int read_element_2(reader *r)
{
    int err = IMP_OK;
    const struct element *e = elements;
    uint64_t ignored, tags;
    int64_t tag[2] = {0};
    TRY(words_count(&r->w, &ignored));
    TRY(read_type(r, &e));
    TRY(words_count(&r->w, &tags));
    for (uint64_t i = 0; i < tags && i < 2; i++)
        TRY(words_integer(&r->w, &tag[i]));
    if (tags > 2)
        TRY(words_skip(&r->w, tags - 2));
    if (e->read)
        TRY(enter_section(r, e->dimension, tag[0], tag[1]));
    TRY(add_element(r, e));
out:
    return err;
}

/* Format 4 has the entity, and so the group, once for a block of elements of one type. */
static int read_element_block(reader *r, uint64_t *n)
{
    int err = IMP_OK;
    const struct element *e = elements;
    uint64_t dimension, ignored;
    int64_t entity;
    TRY(msh_read_dimension(&r->w, &dimension));
    TRY(words_integer(&r->w, &entity));
    TRY(read_type(r, &e));
    TRY(words_count(&r->w, n));
    int64_t physical = msh_physical_of(&r->groups, (int64_t)dimension, entity);
    TRY(enter_section(r, (int64_t)dimension, physical, entity));
    for (uint64_t i = 0; i < *n; i++) {
        TRY(words_count(&r->w, &ignored)); /* its number */
        TRY(add_element(r, e));
    }
out:
    return err;
}

static int read_elements_4(reader *r)
{
    int err = IMP_OK;
    uint64_t blocks, all, n, have = 0;
    TRY(msh_read_totals(&r->w, &blocks, &all));
    for (uint64_t i = 0; i < blocks; i++) {
        TRY(read_element_block(r, &n));
        have += n;
    }
    TRY(msh_check_total(&r->w, have, all));
out:
    return err;
}

/* Elements name nodes, so these come first, as Gmsh writes them. */
static int read_elements(reader *r)
{
    int err = IMP_OK;
    uint64_t n = 0;
    if (!r->have_nodes || r->have_elements)
        FAIL(TEXT_BAD(r->w.text, "%s",
                      r->have_nodes ? "$Elements is there twice" : "$Elements before $Nodes"));
    r->have_elements = 1;
    if (r->major == 4)
        return read_elements_4(r);
    TRY(words_count(&r->w, &n));
    for (uint64_t i = 0; i < n; i++)
        TRY(read_element_2(r));
out:
    return err;
}

/* ---- sections */

/* Versions differ in the form of $Nodes and $Elements; 4.0 differs from 4.1 too. */
static int read_format(reader *r)
{
    int err = IMP_OK;
    double version;
    uint64_t type, size;
    TRY(words_find(&r->w));
    const text_shown shown = text_show(r->w.at);
    TRY(words_real(&r->w, &version));
    TRY(words_count(&r->w, &type));
    if (type)
        FAIL(TEXT_BAD(r->w.text, "%s", "BINARY: of Gmsh meshes only ASCII files are read"));
    TRY(words_count(&r->w, &size));
    r->major = version >= 2 && version < 3 ? 2 : version >= 4.1 && version < 4.2 ? 4 : 0;
    if (!r->major)
        FAIL(TEXT_BAD(r->w.text, "a Gmsh mesh of version %s; 2.2 and 4.1 are read", shown.text));
out:
    return err;
}

static int read_nodes(reader *r)
{
    if (r->have_nodes)
        return imp_fail(TEXT_BAD(r->w.text, "%s", "$Nodes is there twice"));
    r->have_nodes = 1;
    return msh_read_nodes(&r->nodes, &r->w, &r->make, r->major);
}

static int read_names(reader *r)
{
    return msh_read_names(&r->groups, &r->w);
}

static int read_entities(reader *r)
{
    return msh_read_entities(&r->groups, &r->w, 0);
}

static int read_partitions(reader *r)
{
    return msh_read_entities(&r->groups, &r->w, 1);
}

/* Skips a section of any kind, to the line that ends it. */
static int skip_section(reader *r)
{
    int err = IMP_OK;
    const char *line;
    do {
        TRY(words_line(&r->w, &line));
        if (!line)
            return words_ends(&r->w);
        line = text_skip_blanks(line);
    } while (strncmp(line, "$End", 4) != 0);
out:
    return err;
}

static const struct section {
    const char *name, *end;
    int (*read)(reader *r);
    int before_format;   /* needs no version */
    int before_elements; /* names their groups */
} sections[] = {
    {"$MeshFormat", "$EndMeshFormat", read_format, 1},
    {"$PhysicalNames", "$EndPhysicalNames", read_names, 1, 1},
    {"$Entities", "$EndEntities", read_entities, 0, 1},
    {"$PartitionedEntities", "$EndPartitionedEntities", read_partitions, 0, 1},
    {"$Nodes", "$EndNodes", read_nodes, 0},
    {"$Elements", "$EndElements", read_elements, 0},
};

/* The line that ends a section is required: without it the file may be cut short, or a count is
 * wrong. */
static int read_known_section(reader *r, const struct section *s)
{
    int err = IMP_OK;
    r->w.within = s->name;
    if (!s->before_format && !r->major)
        FAIL(TEXT_BAD(r->w.text, "%s before $MeshFormat", s->name));
    if (s->before_elements && r->have_elements)
        FAIL(TEXT_BAD(r->w.text, "%s after $Elements", s->name));
    TRY(s->read(r));
    TRY(words_find(&r->w));
    if (!words_take(&r->w, s->end))
        FAIL(TEXT_BAD(r->w.text, "'%s' where %s should be", text_show(r->w.at).text, s->end));
out:
    return err;
}

/* Sections that are not known are skipped by their end line: Gmsh and others add their own. */
static int read_section(reader *r)
{
    if (*r->w.at != '$')
        return imp_fail(
            TEXT_BAD(r->w.text, "'%s' where a section should begin", text_show(r->w.at).text));
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (words_take(&r->w, sections[i].name))
            return read_known_section(r, &sections[i]);
    const text_shown name = text_show(r->w.at);
    r->w.within = name.text;
    int err = skip_section(r);
    r->w.within = NULL;
    return err;
}

/* ---- the file */

static int read_sections(reader *r)
{
    int err = IMP_OK, found;
    for (;;) {
        TRY(words_more(&r->w, &found));
        if (!found)
            break;
        TRY(read_section(r));
    }
    if (!r->have_nodes || !r->have_elements)
        FAIL(TEXT_BAD(r->w.text, "the file ends without %s",
                      !r->major       ? "$MeshFormat"
                      : r->have_nodes ? "$Elements"
                                      : "$Nodes"));
out:
    return err;
}

int msh_read(text *t, file_shape *out)
{
    int err = IMP_OK;
    reader r = {.w = {.text = t}};
    t->plain_lines = 1;
    file_shape_make_start(&r.make, t->path);
    TRY(read_sections(&r));
    file_shape_make_end(&r.make, out);
out:
    file_shape_make_free(&r.make);
    msh_groups_free(&r.groups);
    free(r.nodes.at);
    return err;
}
