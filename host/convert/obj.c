/* See obj.h. One pass over the statements; only references to later vertices are checked at the
 * end. */
#include "obj.h"

#include "error.h"
#include "formats.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define VERTICES_MOST (UINT32_MAX - 1)
#define TRIANGLES_MOST ((uint32_t)INT32_MAX)
#define NO_GROUP (-1)

/* Sections are named long before they own a face, and most files have one: they get a number with
 * their first triangle. */
typedef struct reader {
    text text;
    obj mesh;
    size_t point_room, triangle_room, group_room, name_room, polygon_room; /* bytes */
    uint64_t known;           /* statements that OBJ has */
    uint64_t high, high_line; /* greatest vertex number in a face, and where it was first */
    char *section;            /* its name; NULL: "" */
    size_t section_room;
    int32_t section_group; /* NO_GROUP until it owns a triangle */
    uint32_t *slot;        /* [slots] hash table of group + 1, or 0; slots is a power of two */
    size_t slots;
} reader;

/* Makes room for `bytes` in all, by doubling. On failure all is as it was. */
static int fit(void *inout, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return IMP_OK;
    void *old, *p = NULL;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    more = more > bytes ? more : bytes + 256;
    memcpy(&old, inout, sizeof old);
    if (more > bytes)
        p = realloc(old, more);
    if (!p)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", more);
    memcpy(inout, &p, sizeof p);
    *capacity = more;
    return IMP_OK;
}

/* ---- vertices */

static int add_vertex(reader *r, const char *s)
{
    int err = IMP_OK;
    obj *o = &r->mesh;
    if (o->vertices == VERTICES_MOST)
        FAIL(TEXT_BAD(&r->text, "more than %" PRIu32 " vertices", VERTICES_MOST));
    TRY(fit(&o->point, &r->point_room, ((size_t)o->vertices + 1) * 3 * sizeof *o->point));
    double *x = o->point + (size_t)3 * o->vertices;
    for (int i = 0; i < 3; i++) {
        s = text_skip_blanks(s);
        if (text_ends_word(*s))
            FAIL(TEXT_BAD(&r->text, "a vertex with %d of 3 coordinates", i));
        const char *word = s;
        if (!text_number(&r->text, s, &s, &x[i]))
            FAIL(TEXT_BAD(&r->text, "'%s' is not a number", text_show(word).text));
    }
    o->vertices++;
out:
    return err;
}

/* ---- sections */

/* o and g alike: what is between two of them is one section. */
static int set_section(reader *r, const char *s)
{
    int err = IMP_OK;
    size_t length = text_rest(&s);
    TRY(fit(&r->section, &r->section_room, length + 1));
    memcpy(r->section, s, length);
    r->section[length] = 0;
    r->section_group = NO_GROUP;
out:
    return err;
}

/* where `name` is in the hash table, or the empty slot where it belongs */
static uint32_t *find_slot(const reader *r, const char *name)
{
    size_t i = (size_t)XXH3_64bits(name, strlen(name)) & (r->slots - 1);
    while (r->slot[i] && strcmp(r->mesh.group_name[r->slot[i] - 1], name))
        i = (i + 1) & (r->slots - 1);
    return &r->slot[i];
}

/* Keeps the hash table at most half full. */
static int grow_slots(reader *r)
{
    if (r->slots / 2 > r->mesh.groups)
        return IMP_OK;
    size_t slots = r->slots ? 2 * r->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", slots * sizeof *slot);
    free(r->slot);
    r->slot = slot;
    r->slots = slots;
    for (uint32_t i = 0; i < r->mesh.groups; i++)
        *find_slot(r, r->mesh.group_name[i]) = i + 1;
    return IMP_OK;
}

/* Gives the present section a number. */
static int number_section(reader *r)
{
    int err = IMP_OK;
    obj *o = &r->mesh;
    const char *name = r->section ? r->section : "";
    size_t size = strlen(name) + 1;
    TRY(grow_slots(r));
    uint32_t *slot = find_slot(r, name);
    if (!*slot) {
        TRY(fit(&o->group_name, &r->name_room, ((size_t)o->groups + 1) * sizeof *o->group_name));
        char *copy = malloc(size);
        if (!copy)
            FAIL(IMP_ERR_MEMORY, "out of memory: %zu bytes", size);
        memcpy(copy, name, size);
        o->group_name[o->groups++] = copy;
        *slot = o->groups;
    }
    r->section_group = (int32_t)(*slot - 1);
out:
    return err;
}

/* ---- faces */

/* Faces are stored as fans at first, which obj_cut makes right: most have three corners and are
 * right as they are. */
static int add_triangle(reader *r, uint32_t a, uint32_t b, uint32_t c)
{
    int err = IMP_OK;
    obj *o = &r->mesh;
    size_t n = (size_t)o->triangles + 1;
    if (o->triangles == TRIANGLES_MOST)
        FAIL(TEXT_BAD(&r->text, "more than %" PRIu32 " triangles", TRIANGLES_MOST));
    if (r->section_group == NO_GROUP)
        TRY(number_section(r));
    TRY(fit(&o->triangle, &r->triangle_room, n * 3 * sizeof *o->triangle));
    TRY(fit(&o->group, &r->group_room, n * sizeof *o->group));
    uint32_t *t = o->triangle + (size_t)3 * o->triangles;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    o->group[o->triangles++] = r->section_group;
out:
    return err;
}

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
    uint64_t n, have = r->mesh.vertices;
    *end = text_integer(s, &negative, &n);
    if (*end)
        *end = skip_texture_normal(*end);
    if (!*end || !text_ends_word(**end))
        FAIL(TEXT_BAD(&r->text, "'%s' is not a corner of a face", text_show(s).text));
    if (n == 0)
        FAIL(TEXT_BAD(&r->text, "%s", "a face with vertex 0; they are numbered from 1"));
    /* -1 is the vertex read last; others may come later, which the end of the file tells */
    if (negative ? n > have : n > VERTICES_MOST)
        FAIL(TEXT_BAD(&r->text, "there is no vertex %s (%" PRIu64 " so far)", text_show(s).text,
                      have));
    if (!negative && n > r->high) {
        r->high = n;
        r->high_line = r->text.line;
    }
    *out = (uint32_t)(negative ? have - n : n - 1);
out:
    return err;
}

/* The triangles that were added last are one face. */
static int add_polygon(reader *r, uint32_t corners)
{
    obj *o = &r->mesh;
    size_t bytes = ((size_t)o->polygons + 1) * sizeof *o->polygon;
    int err = fit(&o->polygon, &r->polygon_room, bytes);
    if (!err)
        o->polygon[o->polygons++] = (obj_polygon){
            .line = r->text.line, .first = o->triangles - (corners - 2), .corners = corners};
    return err;
}

static int add_face(reader *r, const char *s)
{
    int err = IMP_OK;
    uint32_t first = 0, last = 0, corner = 0;
    uint64_t n = 0;
    for (s = text_skip_blanks(s); !text_ends_word(*s); s = text_skip_blanks(s), n++) {
        TRY(parse_corner(r, s, &s, &corner));
        if (n == 0)
            first = corner;
        if (n > 1)
            TRY(add_triangle(r, first, last, corner));
        last = corner;
    }
    if (n < 3)
        FAIL(TEXT_BAD(&r->text, "a face with %" PRIu64 " vertices; it needs 3", n));
    if (n > 3)
        TRY(add_polygon(r, (uint32_t)n));
out:
    return err;
}

/* ---- statements */

/* those that are passed over, the frequent ones first */
static const char *const passed_over[] = {
    "vn",     "vt",         "usemtl",    "s",      "l",      "p",     "mtllib", "vp",
    "cstype", "deg",        "bmat",      "step",   "curv",   "curv2", "surf",   "parm",
    "trim",   "hole",       "scrv",      "sp",     "end",    "con",   "mg",     "bevel",
    "lod",    "c_interp",   "d_interp",  "usemap", "maplib", "ctech", "stech",  "call",
    "csh",    "shadow_obj", "trace_obj", "bsp",    "bzp",    "cdc",   "cdp",    "res"};

static int is_passed_over(const char *s)
{
    size_t n = 0;
    while (!text_ends_word(s[n]))
        n++;
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++)
        if (!strncmp(s, passed_over[i], n) && !passed_over[i][n])
            return 1;
    return 0;
}

/* A statement that is not read: is it one of OBJ at all? */
static void note_statement(reader *r, const char *s)
{
    obj *o = &r->mesh;
    if (is_passed_over(s)) {
        r->known++;
        return;
    }
    if (!o->unknown++) {
        o->unknown_line = r->text.line;
        snprintf(o->unknown_word, sizeof o->unknown_word, "%s", text_show(s).text);
    }
}

static int add_statement(reader *r, const char *s)
{
    s = text_skip_blanks(s);
    if (text_ends_word(*s))
        return IMP_OK;
    /* the four that matter have one letter */
    if (!text_ends_word(s[1]) || !strchr("vfgo", *s)) {
        note_statement(r, s);
        return IMP_OK;
    }
    r->known++;
    return *s == 'v'   ? add_vertex(r, s + 1)
           : *s == 'f' ? add_face(r, s + 1)
                       : set_section(r, s + 1);
}

/* ---- is it OBJ? */

#define ENOUGH 100 /* statements to know it */

/* "; by its name it is a PLY file", or nothing; the text is the thread's */
static const char *by_its_name(const char *path)
{
    static _Thread_local char name[120];
    const char *is = format_of_name(path);
    snprintf(name, sizeof name, "%s%s", is ? "; by its name it is " : "", is ? is : "");
    return name;
}

/* Some unknown words are somebody's extension; more of them than known ones are another format. */
static int check_statements(reader *r)
{
    const obj *o = &r->mesh;
    if (o->unknown <= r->known)
        return IMP_OK;
    r->text.line = o->unknown_line;
    return imp_fail(TEXT_BAD(&r->text,
                             "'%s' is no statement of Wavefront OBJ, which is read (v, f, o, g)%s",
                             o->unknown_word, by_its_name(r->text.path)));
}

/* Before it is read as text: a binary file would be an error in line 1. */
static int check_format(reader *r)
{
    struct stat s;
    size_t bytes;
    const unsigned char *head = text_head(&r->text, &bytes);
    int regular = !fstat(r->text.fd, &s) && S_ISREG(s.st_mode);
    const char *is = format_of_head(head, bytes, regular ? (unsigned long long)s.st_size : 0);
    if (is)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: is %s, which convert does not read; it reads Wavefront OBJ",
                        r->text.path, is);
    return IMP_OK;
}

/* A file of points would give a frame without triangles, and so a result without contacts. */
int obj_need_faces(const char *path, const obj *o)
{
    if (o->triangles)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT,
                    "%s: no face in %" PRIu64 " lines with %" PRIu32
                    " vertices; Wavefront OBJ is read (v, f, o, g)%s",
                    text_name(path), o->lines, o->vertices, by_its_name(path));
}

/* ---- files */

static int add_statements(reader *r)
{
    int err = IMP_OK;
    const char *s;
    TRY(text_next(&r->text, &s));
    while (s) {
        r->mesh.lines = r->text.lines;
        TRY(add_statement(r, s));
        /* early: a large file of another kind need not be read to its end */
        if (r->known + r->mesh.unknown == ENOUGH)
            TRY(check_statements(r));
        TRY(text_next(&r->text, &s));
    }
    TRY(check_statements(r));
    r->text.line = r->high_line;
    if (r->high > r->mesh.vertices)
        FAIL(TEXT_BAD(&r->text, "there is no vertex %" PRIu64 " (the file has %" PRIu32 ")",
                      r->high, r->mesh.vertices));
out:
    return err;
}

/* Gives back what doubling took too much. */
static void trim(void *inout, size_t bytes)
{
    void *p;
    memcpy(&p, inout, sizeof p);
    if (p && bytes) {
        void *less = realloc(p, bytes);
        p = less ? less : p;
        memcpy(inout, &p, sizeof p);
    }
}

int obj_read(const char *path, obj *out)
{
    int err = IMP_OK;
    reader r = {.section_group = NO_GROUP};
    obj *o = &r.mesh;
    memset(out, 0, sizeof *out);
    TRY(text_open(path, &r.text));
    TRY(check_format(&r));
    TRY(add_statements(&r));
    trim(&o->point, (size_t)3 * o->vertices * sizeof *o->point);
    trim(&o->triangle, (size_t)3 * o->triangles * sizeof *o->triangle);
    trim(&o->group, o->triangles * sizeof *o->group);
    trim(&o->polygon, o->polygons * sizeof *o->polygon);
    trim(&o->group_name, o->groups * sizeof *o->group_name);
    *out = *o;
    memset(o, 0, sizeof *o);
out:
    text_close(&r.text);
    free(r.section);
    free(r.slot);
    obj_free(o);
    return err;
}

void obj_free(obj *o)
{
    for (uint32_t i = 0; i < o->groups; i++)
        free(o->group_name[i]);
    free(o->group_name);
    free(o->group);
    free(o->polygon);
    free(o->triangle);
    free(o->point);
    memset(o, 0, sizeof *o);
}
