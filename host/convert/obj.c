/* Wavefront OBJ.
 *
 * Read are the statements v, f (also by its old name fo), o and g. Those of points and curves (l p
 * curv ...) and unknown ones are skipped and noted, surfaces and files that are called (surf call
 * ...) are an error; all others (vt vn vp s usemtl mtllib ...) say nothing of the mesh. A text with
 * more unknown statements than known ones among the first 100, or in all, is not taken for OBJ.
 * Lines end in LF, CRLF or CR, the last one may lack its end, and a backslash just before the end
 * joins the next line. Words are separated by blanks or tabs. A line that begins with # is a
 * comment and is not joined; after numbers, # begins a comment too.
 *
 *     v x y z ...   three numbers; more are ignored. nan and inf are numbers here; one that is too
 *                   large for a double is infinite. Hexadecimal is not allowed.
 *     f a b c ...   at least three of V, V/T, V//N, V/T/N. V is the number of a vertex anywhere in
 *                   the file, from 1, or if negative counts back from the last one so far; T and N
 *                   are ignored. Polygons become fans around their first vertex;
 * file_shape_triangulate makes triangles of them that are right. SourceId is the number of the
 *                   statement among those of faces, from 0.
 *     o name, g name
 *                   begin a section. The name is the rest of the line, without blanks around it.
 *                   Triangles before the first section are in one with an empty name.
 * One pass reads the statements; only references to later vertices are checked at the end. */
#include "error.h"
#include "formats.h"
#include "obj.h"
#include "file_shape_make.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    text *text;
    file_shape_maker make;
    int64_t *value;           /* of the next face, by file_shape.arrays: its number, and zeros */
    uint64_t known;           /* statements that OBJ has; others are skipped */
    uint64_t high, high_line; /* greatest vertex number in a face, and where it was first */
} reader;

/* ---- vertices */

/* More than three numbers are allowed: a weight or colours may follow. */
static int obj_add_vertex(reader *r, const char *s)
{
    int err = IMP_OK;
    double x[3];
    for (int i = 0; i < 3; i++) {
        s = text_skip_blanks(s);
        if (text_ends_word(*s))
            FAIL(TEXT_BAD(r->text, "a vertex with %d of 3 coordinates", i));
        const char *word = s;
        if (!text_number(r->text, s, &s, &x[i]))
            FAIL(TEXT_BAD(r->text, "'%s' is not a number", text_show(word).text));
    }
    TRY(file_shape_make_vertex(&r->make, x));
out:
    return err;
}

/* o and g alike: what is between two of them is one section. */
static int obj_set_group(reader *r, const char *s)
{
    size_t length = text_rest(&s);
    return file_shape_make_section(&r->make, s, length);
}

/* ---- faces */

/* What follows the vertex number: at most two slashes, each with an integer or nothing. */
static const char *skip_texture_normal(const char *s)
{
    for (int i = 0; i < 2 && *s == '/'; i++) {
        int negative;
        uint64_t ignored;
        const char *end = text_integer(++s, &negative, &ignored);
        s = end ? end : s;
    }
    return s;
}

/* The corner at s as a vertex number from 0. */
static int parse_corner(reader *r, const char *s, const char **end, uint32_t *out)
{
    int err = IMP_OK, negative;
    uint64_t n, have = r->make.shape.vertices;
    *end = text_integer(s, &negative, &n);
    if (*end)
        *end = skip_texture_normal(*end);
    if (!*end || !text_ends_word(**end))
        FAIL(TEXT_BAD(r->text, "'%s' is not a corner of a face", text_show(s).text));
    if (n == 0)
        FAIL(TEXT_BAD(r->text, "%s", "a face with vertex 0; they are numbered from 1"));
    /* -1 is the vertex read last; positive numbers are checked at the end of the file */
    if (negative ? n > have : n > SHAPE_VERTICES_MOST)
        FAIL(TEXT_BAD(r->text, "there is no vertex %s (%" PRIu64 " so far)", text_show(s).text,
                      have));
    if (!negative && n > r->high) {
        r->high = n;
        r->high_line = r->text->line;
    }
    *out = (uint32_t)(negative ? have - n : n - 1);
out:
    return err;
}

/* Faces are stored as fans at first, which file_shape_triangulate makes right: most have three
 * corners and are right as they are. */
static int obj_add_face(reader *r, const char *s)
{
    int err = IMP_OK;
    uint32_t fan[3] = {0}, corner = 0;
    uint64_t n = 0;
    file_shape_make_cell(&r->make, r->value);
    for (s = text_skip_blanks(s); !text_ends_word(*s); s = text_skip_blanks(s), n++) {
        TRY(parse_corner(r, s, &s, &corner));
        fan[n < 2 ? n : 2] = corner;
        if (n > 1) {
            TRY(file_shape_make_primitive(&r->make, fan, 3));
            fan[1] = corner;
        }
    }
    if (n < 3)
        FAIL(TEXT_BAD(r->text, "a face with %" PRIu64 " vertices; it needs 3", n));
    if (n > 3)
        TRY(file_shape_make_polygon(&r->make, (uint32_t)n, r->text->line));
    r->value[0]++;
out:
    return err;
}

/* ---- statements */

/* Statements of OBJ that make no point, line or surface, the frequent ones first. */
static const char *const unused[] = {
    "vn",     "vt",    "usemtl", "s",    "mtllib",     "vp",       "cstype",
    "deg",    "bmat",  "step",   "parm", "trim",       "hole",     "end",
    "con",    "mg",    "bevel",  "lod",  "c_interp",   "d_interp", "usemap",
    "maplib", "ctech", "stech",  "res",  "shadow_obj", "trace_obj"};

/* Points and curves; and what makes surfaces, or brings them from elsewhere. */
static const char *const thin[] = {"l", "p", "curv", "curv2", "scrv", "sp", "cdc"};
static const char *const solid[] = {"surf", "bsp", "bzp", "cdp", "call", "csh"};

static int is_one_of(const char *s, const char *const *words, size_t count)
{
    size_t n = 0;
    while (!text_ends_word(s[n]))
        n++;
    for (size_t i = 0; i < count; i++)
        if (!strncmp(s, words[i], n) && !words[i][n])
            return 1;
    return 0;
}

#define IS_ONE_OF(s, words) is_one_of(s, words, sizeof(words) / sizeof *(words))

/* A statement that is not read: is it one of OBJ at all? */
static int note_statement(reader *r, const char *s)
{
    char what[80];
    if (IS_ONE_OF(s, unused)) {
        r->known++;
        return IMP_OK;
    }
    if (IS_ONE_OF(s, solid))
        return imp_fail(
            TEXT_BAD(r->text, "'%s' makes geometry, which is not read", text_show(s).text));
    if (IS_ONE_OF(s, thin)) {
        r->known++;
        file_shape_make_thin(&r->make, r->text->line);
        return IMP_OK;
    }
    snprintf(what, sizeof what, "'%s' is not an OBJ statement", text_show(s).text);
    file_shape_make_skip(&r->make, r->text->line, what);
    return IMP_OK;
}

static int add_statement(reader *r, const char *s)
{
    s = text_skip_blanks(s);
    if (text_ends_word(*s))
        return IMP_OK;
    /* the old word for f */
    if (s[0] == 'f' && s[1] == 'o' && text_ends_word(s[2])) {
        r->known++;
        return obj_add_face(r, s + 2);
    }
    /* the four that matter have one letter */
    if (!text_ends_word(s[1]) || !strchr("vfgo", *s))
        return note_statement(r, s);
    r->known++;
    return *s == 'v'   ? obj_add_vertex(r, s + 1)
           : *s == 'f' ? obj_add_face(r, s + 1)
                       : obj_set_group(r, s + 1);
}

/* ---- is it OBJ? */

#define ENOUGH 100 /* statements to know it */

/* A few unknown words are an extension; more of them than known ones are another format. */
static int check_statements(reader *r)
{
    const file_shape *o = &r->make.shape;
    if (o->skipped.count <= r->known)
        return IMP_OK;
    r->text->line = o->skipped.line;
    return imp_fail(TEXT_BAD(r->text, "%s%s", o->skipped_what, format_by_name(r->text->path)));
}

/* ---- files */

static int add_statements(reader *r)
{
    int err = IMP_OK;
    const char *s;
    TRY(text_next(r->text, &s));
    while (s) {
        TRY(add_statement(r, s));
        /* early: a large file of another kind need not be read to its end */
        if (r->known + r->make.shape.skipped.count == ENOUGH)
            TRY(check_statements(r));
        TRY(text_next(r->text, &s));
    }
    TRY(check_statements(r));
    r->text->line = r->high_line;
    if (r->high > r->make.shape.vertices)
        FAIL(TEXT_BAD(r->text, "there is no vertex %" PRIu64 " (the file has %" PRIu32 ")", r->high,
                      r->make.shape.vertices));
out:
    return err;
}

int obj_read(text *t, size_t arrays, file_shape *out)
{
    /* one more: calloc(0) may return NULL, and faces are counted there in any case */
    reader r = {.text = t, .value = calloc(arrays + 1, sizeof *r.value)};
    file_shape_make_start(&r.make, t->path, arrays);
    int err = r.value ? add_statements(&r) : imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (!err)
        file_shape_make_end(&r.make, out);
    file_shape_make_free(&r.make);
    free(r.value);
    return err;
}
