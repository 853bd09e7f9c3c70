/* See text.h. The file passes through one buffer; only a statement longer than it makes it grow. */
#include "text.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* thousands of statements for each read(), and little to clear for a file of a few lines */
#define FIRST_CAPACITY ((size_t)1 << 18)

/* ---- files */

/* With one byte more than the capacity: a NUL after the last byte ends every scan. */
static int text_reader_grow(text *t)
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
static int text_reader_fill(text *t)
{
    int err = IMP_OK;
    ssize_t got;
    if (t->begin) { /* once a statement: a long one is not moved again and again */
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

int text_open(const char *path, text *out)
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
    /* a comma for the decimal point, as other locales have it, would end numbers at their point */
    out->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!out->buf || !out->plain)
        FAIL(IMP_ERR_MEMORY, "%s: out of memory: %zu bytes", path, out->capacity + 1);
    /* enough to know the format, also from a pipe, which gives a little at a time */
    while (!out->eof && out->end < TEXT_HEAD)
        TRY(text_reader_fill(out));
    if (!memcmp(out->buf, "\xef\xbb\xbf", 3))
        out->begin = 3;
out:
    if (err)
        text_close(out);
    return err;
}

const unsigned char *text_head(const text *t, size_t *bytes)
{
    *bytes = t->end;
    return (const unsigned char *)t->buf;
}

/* In a zeroed text the descriptor is 0, which is standard input: only `path` shows that it is open.
 */
void text_close(text *t)
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
 * write the NUL that ends a text in memory, or fill a block. A file of NULs only is no text. */
static int end_at_nul(text *t, size_t n)
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

/* Moves *n, a position in the statement, to the end of its line. *skip is how many characters that
 * end is: 0 at the end of the file. */
static int find_end(text *t, size_t *n, size_t *skip)
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

/* The statement stays in the buffer, ended by a NUL, until the next call. */
int text_next(text *t, const char **out)
{
    int err = IMP_OK;
    size_t n = 0, skip = 0, blank = 0; /* blank: how many blanks it begins with, so far */
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
        t->line = --t->lines ? t->lines : 1; /* the last line, for messages about what is missing */
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

/* Cut instead of overflowing: too large a number is then out of range wherever it is used. */
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

/* The exponent at s, or 0 at the end of the word. NULL if it is neither, or of many digits. */
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

/* Numbers of few digits and small exponent: digits and power of ten are both exact in a double, so
 * that one operation gives the nearest. 0: not of that kind. */
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
    /* 19 digits do not overflow 64 bits, and what is at most 2^53 is exact */
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

/* strtod is exact and slow; parse_short covers the usual numbers and gives the same bits. */
int text_number(const text *t, const char *s, const char **end, double *out)
{
    if (parse_short(s, end, out))
        return 1;
    const char *digits = s + (*s == '-' || *s == '+');
    /* strtod would skip blanks, and read hexadecimal */
    if (is_blank(*s) || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
        return 0;
    char *stop;
    locale_t before = uselocale(t->plain); /* of this thread: strtod depends on it */
    *out = strtod(s, &stop);
    uselocale(before);
    *end = stop;
    return stop != s && text_ends_word(*stop);
}
