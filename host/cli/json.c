/* See json.h. */
#include "json.h"

#include "utf8.h"

#include <math.h>

/* Bytes that are no UTF-8 become U+FFFD, one by one, as decoders do it: names of files may have any
 * bytes, JSON may not. Control characters are escaped, C1 too: a document may go to a terminal. */
static void quoted(json *j, const char *text)
{
    fputc('"', j->out);
    for (const char *c = text; *c;) {
        const size_t n = utf8_bytes(c);
        if (*c == '"' || *c == '\\')
            fprintf(j->out, "\\%c", *c);
        else if (n == 1 && utf8_controls(c, n))
            fprintf(j->out, "\\u%04x", (unsigned)*c);
        else if (n == 2 && utf8_controls(c, n))
            fprintf(j->out, "\\u%04x", (unsigned)(unsigned char)c[1]);
        else if (!n)
            fputs("\\ufffd", j->out);
        else
            fprintf(j->out, "%.*s", (int)n, c);
        c += n ? n : 1;
    }
    fputc('"', j->out);
}

/* The comma before a member, its line, its key. The comma is not written after a member, since the
 * last one must have none. */
static void json_begin_member(json *j, const char *key)
{
    if (!j->first)
        fputc(',', j->out);
    if (j->depth)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    j->first = 0;
    if (key) {
        quoted(j, key);
        fputs(": ", j->out);
    }
}

/* Nesting is tracked here, so callers write members without commas or indentation. */
void json_open(json *j, const char *key, char bracket)
{
    if (!j->depth)
        j->first = 1;
    json_begin_member(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->first = 1;
}

/* An empty object or array stays on one line. */
void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->first)
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->out);
    j->first = 0;
    if (!j->depth)
        fputc('\n', j->out);
}

void json_text(json *j, const char *key, const char *value)
{
    json_begin_member(j, key);
    quoted(j, value);
}

/* All digits, also beyond 2^53: readers that use doubles round, others need not. */
void json_count(json *j, const char *key, uint64_t value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_whole(json *j, const char *key, int64_t value)
{
    json_begin_member(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

/* 17 digits read back as the same number; JSON has neither NaN nor infinity. */
void json_real(json *j, const char *key, double value)
{
    json_begin_member(j, key);
    if (isfinite(value))
        fprintf(j->out, "%.17g", value);
    else
        fputs("null", j->out);
}

void json_bool(json *j, const char *key, int value)
{
    json_begin_member(j, key);
    fputs(value ? "true" : "false", j->out);
}
