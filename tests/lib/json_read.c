/* See json_read.h. */
#include "json_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* Each returns the position after the item, or NULL if there is no such item. */
static const char *read_value(const char *s, int depth);

/* A sequence in UTF-8, of the characters that are allowed unescaped, without C1 controls, which a
 * terminal obeys. */
static const char *read_character(const char *s)
{
    static const struct {
        unsigned char first[2], second[2];
        int more;
    } rows[] = {{{0x20, 0x7e}, {0}, 0},          {{0xc2, 0xc2}, {0xa0, 0xbf}, 1},
                {{0xc3, 0xdf}, {0x80, 0xbf}, 1}, {{0xe0, 0xe0}, {0xa0, 0xbf}, 2},
                {{0xe1, 0xec}, {0x80, 0xbf}, 2}, {{0xed, 0xed}, {0x80, 0x9f}, 2},
                {{0xee, 0xef}, {0x80, 0xbf}, 2}, {{0xf0, 0xf0}, {0x90, 0xbf}, 3},
                {{0xf1, 0xf3}, {0x80, 0xbf}, 3}, {{0xf4, 0xf4}, {0x80, 0x8f}, 3}};
    const unsigned char *c = (const unsigned char *)s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (c[0] < rows[i].first[0] || c[0] > rows[i].first[1])
            continue;
        if (rows[i].more && (c[1] < rows[i].second[0] || c[1] > rows[i].second[1]))
            continue;
        for (int k = 2; k <= rows[i].more; k++)
            if ((c[k] & 0xc0) != 0x80)
                return NULL;
        return s + rows[i].more + 1;
    }
    return NULL;
}

static const char *read_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    while (s && *s != '"') {
        if (*s != '\\')
            s = read_character(s);
        else if (s[1] == 'u')
            s = strspn(s + 2, "0123456789abcdefABCDEF") >= 4 ? s + 6 : NULL;
        else
            s = s[1] && strchr("\"\\/bfnrt", s[1]) ? s + 2 : NULL;
    }
    return s ? s + 1 : NULL;
}

static const char *read_digits(const char *s)
{
    size_t n = strspn(s, "0123456789");
    return n ? s + n : NULL;
}

static const char *json_read_number(const char *s)
{
    s += *s == '-';
    s = *s == '0' ? s + 1 : read_digits(s);
    if (s && *s == '.')
        s = read_digits(s + 1);
    if (s && (*s == 'e' || *s == 'E')) {
        s++;
        s = read_digits(s + (*s == '-' || *s == '+'));
    }
    return s;
}

static const char *read_members(const char *s, int depth, int object)
{
    char end = object ? '}' : ']';
    s = skip_blanks(s + 1);
    if (*s == end)
        return s + 1;
    for (;;) {
        if (object) {
            s = read_string(s);
            s = s ? skip_blanks(s) : s;
            if (!s || *s++ != ':')
                return NULL;
        }
        s = read_value(skip_blanks(s), depth);
        s = s ? skip_blanks(s) : s;
        if (!s || (*s != ',' && *s != end))
            return NULL;
        if (*s++ == end)
            return s;
        s = skip_blanks(s);
    }
}

static const char *read_value(const char *s, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    if (depth > 100)
        return NULL;
    if (*s == '{' || *s == '[')
        return read_members(s, depth + 1, *s == '{');
    if (*s == '"')
        return read_string(s);
    for (int i = 0; i < 3; i++)
        if (!strncmp(s, words[i], strlen(words[i])))
            return s + strlen(words[i]);
    return json_read_number(s);
}

int json_valid(const char *text)
{
    const char *end = read_value(skip_blanks(text), 0);
    return end && !*skip_blanks(end);
}

/* ---- access; the text is valid */

/* The member or element called `name` of n characters of the value at s. */
static const char *member(const char *s, const char *name, size_t n)
{
    int object = *s == '{';
    size_t index = strtoul(name, NULL, 10);
    if (*s != '{' && *s != '[')
        return NULL;
    s = skip_blanks(s + 1);
    while (*s != '}' && *s != ']') {
        int found = object ? !strncmp(s + 1, name, n) && s[1 + n] == '"' : index-- == 0;
        if (object)
            s = skip_blanks(skip_blanks(read_string(s)) + 1);
        if (found)
            return s;
        s = skip_blanks(read_value(s, 0));
        s = *s == ',' ? skip_blanks(s + 1) : s;
    }
    return NULL;
}

const char *json_at(const char *text, const char *path)
{
    static char out[1000];
    const char *s = json_valid(text) ? skip_blanks(text) : NULL;
    while (s && *path) {
        size_t n = strcspn(path, ".");
        s = member(s, path, n);
        path += n + (path[n] == '.');
    }
    if (!s)
        return NULL;
    snprintf(out, sizeof out, "%.*s", (int)(read_value(s, 0) - s), s);
    return out;
}

double json_number(const char *text, const char *path)
{
    char *end;
    const char *s = json_at(text, path);
    double x = s ? strtod(s, &end) : NAN;
    return s && *s != '"' && end != s && !*end ? x : NAN;
}
