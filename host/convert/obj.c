/* Wavefront OBJ.
 *
 * The statements v, f (also by its old name fo), o and g are read. Those for points and curves (l p
 * curv ...) and unknown ones are skipped and noted; surfaces and calls of other files (surf call
 * ...) are an error; all others (vt vn vp s usemtl mtllib ...) do not affect the mesh. A text with
 * more unknown statements than known ones among the first 100, or in all, is not recognised as OBJ.
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
#include "file_shape.h"
#include "mesh_file.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct reader {
    text_reader *text;
    file_shape_maker make;
    int64_t *value;           /* values of the next face, see file_shape.arrays: its number, and
                               * zeros */
    uint64_t known;           /* number of statements known in OBJ; others are skipped */
    uint64_t high, high_line; /* greatest vertex number in a face, and the line of its first use */
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

/* For o and g alike: statements between two of them form one section. */
static int obj_set_group(reader *r, const char *s)
{
    size_t length = text_rest(&s);
    return file_shape_make_section(&r->make, s, length);
}

/* ---- faces */

/* Skips the part after the vertex number: at most two slashes, each with an integer or nothing. */
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

/* Faces are first stored as fans, which file_shape_triangulate corrects: most have three corners
 * and are correct already. */
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

/* Statements of OBJ that make no point, line or surface, the most frequent ones first. */
static const char *const unused[] = {
    "vn",     "vt",    "usemtl", "s",    "mtllib",     "vp",       "cstype",
    "deg",    "bmat",  "step",   "parm", "trim",       "hole",     "end",
    "con",    "mg",    "bevel",  "lod",  "c_interp",   "d_interp", "usemap",
    "maplib", "ctech", "stech",  "res",  "shadow_obj", "trace_obj"};

/* Statements for points and curves; and those that make surfaces, or include them from
 * elsewhere. */
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

/* Handles a statement that is not read: finds out whether it belongs to OBJ at all. */
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

/* ---- recognition of OBJ */

#define ENOUGH 100 /* statements needed to decide */

/* A few unknown words are an extension; if they outnumber the known ones, it is another format. */
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
        /* early, so that a large file of another kind is not read to its end */
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

int obj_read(text_reader *t, size_t arrays, file_shape *out)
{
    /* one more: calloc(0) may return NULL, and faces are always counted there */
    reader r = {.text = t, .value = calloc(arrays + 1, sizeof *r.value)};
    file_shape_make_start(&r.make, t->path, arrays);
    int err = r.value ? add_statements(&r) : imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (!err)
        file_shape_make_end(&r.make, out);
    file_shape_make_free(&r.make);
    free(r.value);
    return err;
}

/* ---- The file passes through one buffer, which grows only for a statement longer than it. */

/* thousands of statements per read(), and little to clear for a file of a few lines */
#define FIRST_CAPACITY ((size_t)1 << 18)

/* ---- files */

/* One byte more than the capacity: a NUL after the last byte ends every scan. */
static int text_reader_grow(text_reader *t)
{
    char *more = t->capacity < SIZE_MAX / 2 ? realloc(t->buf, 2 * t->capacity + 1) : NULL;
    if (!more)
        return imp_fail(IMP_ERR_MEMORY, "%s: line %" PRIu64 ": out of memory: %zu bytes", t->path,
                        t->line, 2 * t->capacity + 1);
    t->buf = more;
    t->capacity *= 2;
    return IMP_OK;
}

/* Moves the statement to the front and reads more after it, or finds the end of the file. */
static int text_reader_fill(text_reader *t)
{
    int err = IMP_OK;
    ssize_t got;
    if (t->begin) { /* once per statement: a long one is not moved again and again */
        memmove(t->buf, t->buf + t->begin, t->end - t->begin);
        t->end -= t->begin;
        t->begin = 0;
    }
    if (t->end == t->capacity)
        TRY(text_reader_grow(t));
    do
        got = read(t->fd, t->buf + t->end, t->capacity - t->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s", t->path, strerror(errno));
    t->eof = got == 0;
    t->end += (size_t)got;
    t->buf[t->end] = 0;
out:
    return err;
}

const char *text_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

int text_open(const char *path, text_reader *out)
{
    int err = IMP_OK;
    memset(out, 0, sizeof *out);
    int standard = !strcmp(path, "-");
    out->path = path = text_name(path);
    out->capacity = FIRST_CAPACITY;
    out->line = 1;
    out->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    out->buf = calloc(1, out->capacity + 1);
    /* with a comma as decimal point, as in other locales, numbers would end at their point */
    out->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!out->buf || !out->plain)
        FAIL(IMP_ERR_MEMORY, "%s: out of memory: %zu bytes", path, out->capacity + 1);
    /* enough to recognise the format, even from a pipe, which delivers little at a time */
    while (!out->eof && out->end < TEXT_HEAD)
        TRY(text_reader_fill(out));
    if (!memcmp(out->buf, "\xef\xbb\xbf", 3))
        out->begin = 3;
out:
    if (err)
        text_close(out);
    return err;
}

const unsigned char *text_head(const text_reader *t, size_t *bytes)
{
    *bytes = t->end;
    return (const unsigned char *)t->buf;
}

/* In a zeroed text the descriptor is 0, which is standard input: only `path` shows whether it is
 * open. */
void text_close(text_reader *t)
{
    if (t->path && t->fd >= 0)
        close(t->fd);
    if (t->plain)
        freelocale(t->plain);
    free(t->buf);
    memset(t, 0, sizeof *t);
}

/* ---- statements */

/* Position n of the statement is a NUL. If nothing else follows, the text ends there: some programs
 * write the NUL that terminates a string, or fill a block. A file of NULs only is not text. */
static int end_at_nul(text_reader *t, size_t n)
{
    int err = IMP_OK;
    int wrong = t->lines == 0 && n == 0;
    for (;;) {
        size_t at = t->begin + n;
        for (size_t i = at; i < t->end && !wrong; i++)
            wrong = t->buf[i] != 0;
        if (wrong)
            FAIL(TEXT_BAD(t, "%s", "a NUL byte: this is not text"));
        t->end = at;
        if (t->eof)
            break;
        TRY(text_reader_fill(t));
    }
out:
    return err;
}

/* Moves *n, a position in the statement, to the end of its line. *skip becomes the length of the
 * line ending: 0 at the end of the file. */
static int find_end(text_reader *t, size_t *n, size_t *skip)
{
    int err = IMP_OK;
    for (;;) {
        const char *s = t->buf + t->begin + *n;
        while ((unsigned char)*s > '\r')
            s++;
        *n = (size_t)(s - t->buf) - t->begin;
        size_t remaining = t->end - t->begin - *n;
        if (!t->eof && (remaining == 0 || (remaining == 1 && *s == '\r'))) { /* LF may follow CR */
            TRY(text_reader_fill(t));
            continue;
        }
        if (remaining && !*s) {
            TRY(end_at_nul(t, *n));
            remaining = 0;
        }
        *skip = remaining == 0 ? 0 : *s == '\r' && s[1] == '\n' ? 2 : 1;
        if (remaining == 0 || *s == '\n' || *s == '\r')
            break;
        ++*n;
    }
out:
    return err;
}

/* The statement stays in the buffer, terminated by a NUL, until the next call. */
int text_next(text_reader *t, const char **out)
{
    int err = IMP_OK;
    size_t n = 0, skip = 0, blank = 0; /* blank: number of leading blanks so far */
    *out = NULL;
    t->line = t->lines + 1;
    for (;;) {
        TRY(find_end(t, &n, &skip));
        t->lines++;
        char *s = t->buf + t->begin;
        if (!skip || n == 0 || s[n - 1] != '\\' || t->plain_lines)
            break;
        /* a comment is not joined to the next line, even if it ends with a backslash */
        blank = (size_t)(text_skip_blanks(s + blank) - s);
        if (s[blank] == '#')
            break;
        memset(s + n - 1, ' ', 1 + skip);
        n += skip;
    }
    if (n || skip) {
        char *s = t->buf + t->begin;
        s[n] = 0;
        t->begin += n + skip;
        *out = s;
    } else {
        t->line = --t->lines ? t->lines : 1; /* the last line, for messages about missing data */
    }
out:
    return err;
}

/* ---- words */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

const char *text_skip_blanks(const char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

size_t text_rest(const char **s)
{
    *s = text_skip_blanks(*s);
    size_t length = strlen(*s);
    while (length && is_blank((*s)[length - 1]))
        length--;
    return length;
}

int text_ends_word(char c)
{
    return is_blank(c) || c == 0 || c == '#';
}

/* For messages: short, and without characters that would disturb a terminal. */
text_shown text_show(const char *s)
{
    text_shown w = {""};
    size_t n = 0;
    for (; !text_ends_word(*s) && n < sizeof w.text - 1; s++, n++)
        w.text[n] = *s >= ' ' && *s <= '~' ? *s : '?';
    if (!text_ends_word(*s))
        memcpy(w.text + n - 3, "...", 3);
    return w;
}

/* Limited instead of overflowing: too large a number is then out of range wherever it is used. */
const char *text_integer(const char *s, int *negative, uint64_t *out)
{
    uint64_t n = 0;
    *negative = *s == '-';
    s += *s == '-' || *s == '+';
    if (*s < '0' || *s > '9')
        return NULL;
    for (; *s >= '0' && *s <= '9'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        n = n > (TEXT_INTEGER_MOST - digit) / 10 ? TEXT_INTEGER_MOST : n * 10 + digit;
    }
    *out = n;
    return s;
}

/* The exponent at s, or 0 at the end of the word. Returns NULL for anything else, or for many
 * digits. */
static const char *parse_exponent(const char *s, int *out)
{
    uint64_t n;
    int negative;
    *out = 0;
    if (*s != 'e' && *s != 'E')
        return s;
    s = text_integer(s + 1, &negative, &n);
    if (!s || n > 999)
        return NULL;
    *out = negative ? -(int)n : (int)n;
    return s;
}

/* Numbers with few digits and a small exponent: digits and power of ten are both exact in a double,
 * so one operation gives the nearest. Returns 0 for other numbers. */
static int parse_short(const char *s, const char **end, double *out)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int negative = *s == '-', exponent;
    uint64_t w = 0;
    s += *s == '-' || *s == '+';
    const char *first = s, *dot = NULL;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !dot); s++)
        if (*s == '.')
            dot = s;
        else
            w = w * 10 + (uint64_t)(*s - '0');
    ptrdiff_t digits = s - first - (dot != NULL), fraction = dot ? s - dot - 1 : 0;
    /* 19 digits do not overflow 64 bits, and values up to 2^53 are exact */
    if (digits < 1 || digits > 19 || w > (uint64_t)1 << 53)
        return 0;
    s = parse_exponent(s, &exponent);
    if (!s || !text_ends_word(*s))
        return 0;
    exponent -= (int)fraction;
    if (exponent < -22 || exponent > 22)
        return 0;
    double x = exponent < 0 ? (double)w / ten[-exponent] : (double)w * ten[exponent];
    *out = negative ? -x : x;
    *end = s;
    return 1;
}

/* strtod is exact but slow; parse_short covers the usual numbers and gives the same bits. */
int text_number(const text_reader *t, const char *s, const char **end, double *out)
{
    if (parse_short(s, end, out))
        return 1;
    const char *digits = s + (*s == '-' || *s == '+');
    /* strtod would skip blanks, and accept hexadecimal */
    if (is_blank(*s) || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
        return 0;
    char *stop;
    locale_t before = uselocale(t->plain); /* the thread's locale, which strtod uses */
    *out = strtod(s, &stop);
    uselocale(before);
    *end = stop;
    return stop != s && text_ends_word(*stop);
}

/* Doubles the capacity, so that each element is copied only a few times when elements are added one
 * by one. The pointer is read and written by memcpy: it may have any type, which a void ** must not
 * alias. */
int grow_buffer(void *inout, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return IMP_OK;
    void *old, *p = NULL;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    more = more > bytes ? more : bytes + 256;
    memcpy(&old, inout, sizeof old);
    /* false if the sum overflowed */
    if (more > bytes)
        p = realloc(old, more);
    if (!p)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", more);
    memcpy(inout, &p, sizeof p);
    *capacity = more;
    return IMP_OK;
}
