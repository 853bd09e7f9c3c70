/* See name_runs.h. */
#include "name_runs.h"

#include <string.h>

int runs_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int runs_begin(const char *s)
{
    return runs_is_digit(s[*s == RUNS_MINUS]);
}

size_t runs_digits(const char *s)
{
    size_t n = *s == RUNS_MINUS;
    while (runs_is_digit(s[n]))
        n++;
    return n;
}

/* The last digit is never one of them, so that 0 keeps a digit. */
size_t runs_zeros(const char *s)
{
    size_t n = *s == RUNS_MINUS;
    while (s[n] == '0' && runs_is_digit(s[n + 1]))
        n++;
    return n;
}

/* Is it below 0? -0 is not. */
static int runs_negative(const char *s)
{
    return *s == RUNS_MINUS && s[runs_zeros(s)] != '0';
}

/* By digits, not by value: numbers in names may be of any length. Without zeros in front, the one
 * with more digits is larger. */
int runs_compare(const char *a, const char *b)
{
    int below = runs_negative(a);
    if (below != runs_negative(b))
        return below ? -1 : 1;
    a += runs_zeros(a);
    b += runs_zeros(b);
    size_t n = runs_digits(a), m = runs_digits(b);
    int order = n != m ? (n > m) - (n < m) : strncmp(a, b, n);
    return below ? -order : order;
}

/* Any run of digits is like any other. */
int runs_compare_shapes(const char *a, const char *b)
{
    while (*a && *b) {
        if (runs_begin(a) && runs_begin(b)) {
            a += runs_digits(a);
            b += runs_digits(b);
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    /* unsigned, so that the order of names in UTF-8 is the same on every system */
    return (unsigned char)*a - (unsigned char)*b;
}

const char *runs_at(const char *name, size_t column)
{
    for (const char *s = name; *s; s += runs_begin(s) ? runs_digits(s) : 1)
        if (runs_begin(s) && column-- == 0)
            return s;
    return NULL;
}

size_t runs_count(const char *name)
{
    size_t n = 0;
    while (runs_at(name, n))
        n++;
    return n;
}

/* Compared as numbers: 7 and 007 do not vary. */
int runs_vary(char *const *name, size_t count, size_t column)
{
    const char *first = count ? runs_at(name[0], column) : NULL;
    for (size_t i = 1; i < count && first; i++) {
        const char *s = runs_at(name[i], column);
        if (s && runs_compare(first, s))
            return 1;
    }
    return 0;
}
