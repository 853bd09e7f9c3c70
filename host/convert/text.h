/* Reads text files as statements and words; independent of the locale, and without limits of
 * length.
 *
 * A statement is a line, or several where a backslash just before the end joins the next: both
 * become blanks. Lines end in LF, CRLF or CR, the last one may lack its end. A line that begins
 * with # is a comment and is not joined. A byte order mark at the start is skipped, and so are NUL
 * bytes between the last line and the end of the file. */
#ifndef IMP_TEXT_H
#define IMP_TEXT_H

#include <inttypes.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_reader {
    const char *path;
    uint64_t line;   /* line where the present statement begins, from 1 */
    int plain_lines; /* set it after text_open: a backslash does not join lines */
    /* the rest is the reader's */
    uint64_t lines; /* ended so far */
    int fd, eof;
    char *buf; /* [capacity + 1]; unread: [begin, end), then a NUL */
    size_t capacity, begin, end;
    locale_t plain;
} text_reader;

/* `path` may be a pipe, "-" is standard input; it must stay valid as long as *out. On failure *out
 * is closed. Errors: INPUT, MEMORY. */
int text_open(const char *path, text_reader *out);

/* The name in messages. */
const char *text_name(const char *path);

/* The beginning of the file before any statement was read: TEXT_HEAD bytes, or all if it has fewer,
 * followed by a NUL. */
#define TEXT_HEAD 512
const unsigned char *text_head(const text_reader *t, size_t *bytes);

void text_close(text_reader *t); /* no effect if zeroed or closed */

/* The next statement, terminated by a NUL, in *out; NULL after the last one. Valid until the next
 * call. Errors: INPUT (also for a NUL byte before the end of the text), MEMORY. */
int text_next(text_reader *t, const char **out);

/* An error in the present statement: FAIL(TEXT_BAD(t, "%d of 3 coordinates", n)) */
#define TEXT_BAD(t, format, ...)                                                                   \
    IMP_ERR_INPUT, "%s: line %" PRIu64 ": " format, (t)->path, (t)->line, __VA_ARGS__

const char *text_skip_blanks(const char *s);

/* Moves *s past blanks; returns the length of the rest without trailing blanks. */
size_t text_rest(const char **s);

/* Returns whether c ends a word: a blank, a tab, a #, or the end of the statement. */
int text_ends_word(char c);

/* The word at s for messages: truncated, and with printable characters only. */
typedef struct text_shown {
    char text[32];
} text_shown;

text_shown text_show(const char *s);

/* The decimal number at s, which must be a whole word, rounded to nearest; nan and inf are
 * accepted, too large ones are infinite. Sets *end after it and returns 1, or 0 if it is not a
 * number. */
int text_number(const text_reader *t, const char *s, const char **end, double *out);

/* Sign and digits of an integer at s, the value limited to TEXT_INTEGER_MOST. Returns the position
 * after it, or NULL if there are no digits. */
#define TEXT_INTEGER_MOST ((uint64_t)INT64_MAX)
const char *text_integer(const char *s, int *negative, uint64_t *out);

/* ---- Growing arrays. */

/* Enlarges the array that inout points to so that it can hold `bytes` in all, by doubling.
 * *capacity: bytes allocated. On failure (MEMORY) nothing changes. */
int grow_buffer(void *inout, size_t *capacity, size_t bytes);

#endif
