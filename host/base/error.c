/* Error codes and the thread's last text. The list itself is error.def. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Per thread, so that pipelines of several threads do not overwrite each other's texts. */
static _Thread_local char error_text[sizeof((error_state *)0)->text];
/* A count, since two texts in a row may be equal. */
static _Thread_local unsigned long error_count;

static const struct {
    int code, exit;
    const char *text;
} error_list[] = {
#define X(name, number, exit, text) {name, exit, text},
#include "error.def"
#undef X
};

/* impinge.h has the codes written out for callers; this checks that both lists agree. */
#define X(name, number, exit, text) _Static_assert(name == (number), "error.def and impinge.h");
#include "error.def"
#undef X

int imp_fail(int code, const char *format, ...)
{
    char text[sizeof error_text]; /* the arguments may be the old text */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* The text contains names of files and of their contents, and is shown on terminals. */
    utf8_plain(text);
    memcpy(error_text, text, sizeof text);
    /* output.c compares the count before a sink's call with that after it. */
    error_count++;
    return code;
}

unsigned long error_texts(void)
{
    return error_count;
}

void error_keep(error_state *out)
{
    memcpy(out->text, error_text, sizeof error_text);
    out->texts = error_count;
}

void error_restore(const error_state *from)
{
    memcpy(error_text, from->text, sizeof error_text);
    error_count = from->texts;
}

/* Keeps the text to one line: line breaks become blanks. */
int imp_set_error(int code, const char *text)
{
    char line[sizeof error_text];
    snprintf(line, sizeof line, "%s", text ? text : "");
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return imp_fail(code, "%s", line);
}

const char *imp_error_text(void)
{
    return error_text;
}

const char *imp_strerror(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof *error_list; i++)
        if (error_list[i].code == code)
            return error_list[i].text;
    return code == IMP_OK ? "no error" : "unknown error";
}

/* Unlisted codes, such as a sink's own, give exit code 1. */
int imp_exit_code(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof *error_list; i++)
        if (error_list[i].code == code)
            return error_list[i].exit;
    return code == IMP_OK ? 0 : 1;
}

size_t utf8_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    /* the least second byte excludes overlong forms, the greatest code points outside Unicode */
    unsigned low = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    size_t n = c[0] < 0x80                    ? 1
               : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
               : c[0] >= 0xe0 && c[0] <= 0xef ? 3
               : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                              : 0;
    for (size_t i = 1; i < n; i++)
        if (i == 1 ? c[1] < low || c[1] > high : (c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

int utf8_controls(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    if (bytes == 1)
        return c[0] < ' ' || c[0] == 0x7f;
    if (bytes == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    /* U+2028 to U+202E; U+2066 to U+2069 */
    return bytes == 3 && c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* The text only gets shorter. */
void utf8_plain(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        const size_t n = utf8_bytes(at);
        if (!n || utf8_controls(at, n))
            *to++ = '?';
        else {
            memmove(to, at, n);
            to += n;
        }
        at += n ? n : 1;
    }
    *to = 0;
}
