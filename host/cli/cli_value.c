/* See cli.h: the values of options, as texts and in their members. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decimal fraction, as in 1.5G; digits alone are bytes. i and B change nothing: GiB and GB are
 * both 2^30. The program never calls setlocale, so strtod reads a point in every locale. */
int cli_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || errno || !(x > 0))
        return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        x *= ldexp(1, 10 * (int)(unit - units + 1));
        end++;
    }
    if (*end == 'i')
        end++;
    if (*end == 'B')
        end++;
    /* the upper limit makes the cast safe */
    if (*end || !(x >= 1 && x < 0x1p63))
        return 0;
    *out = (uint64_t)x;
    return 1;
}

/* strtoull reads "-1" as the greatest number. */
static int set_count(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (end == text || *end || errno || strchr(text, '-'))
        return 0;
    *out = n;
    return 1;
}

/* Rejects NaN, infinity and numbers that underflow to 0. strtod also sets errno for denormals,
 * which are valid lengths. */
static int set_real(const char *text, int zero, double *out)
{
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || *end || !(x > 0 || (zero && x == 0 && !errno)) || isinf(x))
        return 0;
    *out = x;
    return 1;
}

int cli_length(const char *text, double *out)
{
    return set_real(text, 1, out);
}

/* Which of the words "a|b|c" text is, from 0 on. Returns 0 if none. */
static int set_choice(const char *text, const char *choices, int *out)
{
    size_t n = strlen(text);
    int number = 0;
    for (const char *word = choices; word; number++) {
        size_t length = strcspn(word, "|");
        if (length == n && !strncmp(word, text, n)) {
            *out = number;
            return 1;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return 0;
}

/* n is a number that set_choice has given, so there is a bar for each step. */
const char *cli_choice_word(const char *choices, int n, char *out, size_t size)
{
    while (n-- > 0)
        choices = strchr(choices, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return out;
}

/* The text of an error names the whole range, so that a second try succeeds. A static text is
 * enough, since parsing ends with the first error. */
static const char *set_some(const cli_option *o, const char *text, uint64_t *out)
{
    static char range[80];
    uint64_t low = o->low ? o->low : o->type == CLI_SOME;
    if (set_count(text, out) && *out >= low && (!o->high || *out <= o->high))
        return NULL;
    if (!o->high)
        return low ? "a whole number above 0" : "a whole number";
    snprintf(range, sizeof range, "a whole number from %llu to %llu", (unsigned long long)low,
             (unsigned long long)o->high);
    return range;
}

/* "08" is 8, which is one of "6|8". */
static int set_number(const char *text, const char *choices, uint64_t *out)
{
    char plain[24];
    int which;
    if (!set_count(text, out))
        return 0;
    snprintf(plain, sizeof plain, "%llu", (unsigned long long)*out);
    return set_choice(plain, choices, &which);
}

/* Numbers and words are checked here once for all verbs; options that depend on others are checked
 * by the verb. */
const char *cli_set(const cli_option *o, const char *text, void *values)
{
    void *at = (char *)values + o->offset;
    cli_list *list = at;
    switch (o->type) {
    case CLI_FLAG:
        *(cli_FLAG *)at = 1;
        return NULL;
    case CLI_TEXT:
        *(cli_TEXT *)at = text;
        return NULL;
    case CLI_MAYBE:
        *(cli_MAYBE *)at = text ? text : "";
        return NULL;
    case CLI_LIST:
        /* the caller has allocated one for each argument of the command line */
        list->text[list->count++] = text;
        return NULL;
    case CLI_COUNT:
    case CLI_SOME:
        return set_some(o, text, at);
    case CLI_NUMBER:
        return set_number(text, o->argument, at) ? NULL : o->argument;
    case CLI_SIZE:
        return cli_size(text, at) ? NULL : "a size such as 512M or 2G";
    case CLI_REAL:
        return set_real(text, 0, at) ? NULL : "a positive number";
    case CLI_LENGTH:
        return cli_length(text, at) ? NULL : "a number, 0 or more";
    case CLI_CHOICE:
        return set_choice(text, o->argument, at) ? NULL : o->argument;
    case CLI_WORD:
        if (!set_choice(text, o->argument, at))
            return o->argument;
        /* 0 must remain the value of an option that was not given */
        ++*(cli_WORD *)at;
    }
    return NULL;
}

/* The default, 0, has no text. */
static const char *word_text(const cli_option *o, int n, int first, char out[CLI_TEXT_MOST])
{
    return n ? cli_choice_word(o->argument, n - first, out, CLI_TEXT_MOST) : "";
}

const char *cli_value_text(const cli_option *o, const void *values, char out[CLI_TEXT_MOST])
{
    const void *at = (const char *)values + o->offset;
    *out = 0;
    switch (o->type) {
    case CLI_TEXT:
        return *(const cli_TEXT *)at ? *(const cli_TEXT *)at : "";
    case CLI_MAYBE: /* "" and "-" are both standard output */
        return !*(const cli_MAYBE *)at   ? ""
               : **(const cli_MAYBE *)at ? *(const cli_MAYBE *)at
                                         : "-";
    case CLI_CHOICE:
        return word_text(o, *(const cli_CHOICE *)at, 0, out);
    case CLI_WORD:
        return word_text(o, *(const cli_WORD *)at, 1, out);
    case CLI_REAL:
    case CLI_LENGTH:
        if (*(const double *)at != 0)
            /* 17 digits read back as the same number */
            snprintf(out, CLI_TEXT_MOST, "%.17g", *(const double *)at);
        return out;
    case CLI_COUNT:
    case CLI_SOME:
    case CLI_NUMBER:
    case CLI_SIZE:
        if (*(const uint64_t *)at)
            snprintf(out, CLI_TEXT_MOST, "%llu", (unsigned long long)*(const uint64_t *)at);
        return out;
    case CLI_FLAG:
        return *(const cli_FLAG *)at ? o->name : "";
    case CLI_LIST:
        break;
    }
    return out;
}
