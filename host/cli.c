/* Option tables: parsing and help. */
#include "cli.h"

#include "error.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 64
#define FIRST 256 /* getopt's values of long options */

int cli_usage_error(const cli_verb *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "impinge %s: ", verb->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "; try 'impinge %s --help'\n", verb->name);
    va_end(args);
    return 2;
}

/* Names and texts from files may hold anything; the message stays one line all the same. */
int cli_fail(int err)
{
    const char *text = *imp_error_text() ? imp_error_text() : imp_strerror(err);
    fputs("impinge: ", stderr);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stderr);
    fputc('\n', stderr);
    return imp_exit_code(err);
}

/* ---- values */

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
    if (*end || !(x >= 1 && x < 0x1p63))
        return 0;
    *out = (uint64_t)x;
    return 1;
}

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

static int set_real(const char *text, int zero, double *out)
{
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || *end || errno || !(x > 0 || (zero && x == 0)) || isinf(x))
        return 0;
    *out = x;
    return 1;
}

int cli_choice(const char *text, const char *choices, int *out)
{
    size_t n = strlen(text);
    int number = 0;
    for (const char *word = choices; word; number++) {
        const char *end = strchr(word, '|');
        size_t length = end ? (size_t)(end - word) : strlen(word);
        if (length == n && !strncmp(word, text, n)) {
            *out = number;
            return 1;
        }
        word = end ? end + 1 : NULL;
    }
    return 0;
}

/* Stores the value of an option. Returns what was expected instead, or NULL. */
static const char *set_value(const cli_option *o, const char *text, char *values)
{
    void *at = values + o->offset;
    switch (o->type) {
    case CLI_FLAG:
        *(int *)at = 1;
        return NULL;
    case CLI_TEXT:
        *(const char **)at = text;
        return NULL;
    case CLI_MAYBE:
        *(const char **)at = text ? text : "";
        return NULL;
    case CLI_COUNT:
        return set_count(text, at) ? NULL : "a whole number";
    case CLI_SIZE:
        return cli_size(text, at) ? NULL : "a size such as 512M or 2G";
    case CLI_REAL:
        return set_real(text, 0, at) ? NULL : "a positive number";
    case CLI_LENGTH:
        return set_real(text, 1, at) ? NULL : "a number, 0 or more";
    case CLI_CHOICE:
        return cli_choice(text, o->argument, at) ? NULL : o->argument;
    }
    return NULL;
}

/* ---- parsing */

/* Both tables as getopt wants them; all[i] is the option of value FIRST + i. */
static int table_make(const cli_verb *verb, const cli_option **all, struct option *longs,
                      char *shorts)
{
    const cli_option *tables[] = {verb->options, verb->more};
    int n = 0;
    *shorts++ = ':';
    for (int t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++) {
            int argument = o->type == CLI_FLAG    ? no_argument
                           : o->type == CLI_MAYBE ? optional_argument
                                                  : required_argument;
            all[n] = o;
            longs[n] = (struct option){o->name, argument, NULL, FIRST + n};
            n++;
            if (o->letter)
                *shorts++ = o->letter;
            if (o->letter && argument == required_argument)
                *shorts++ = ':';
        }
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    longs[n + 1] = (struct option){0};
    memcpy(shorts, "h", 2);
    return n;
}

static const cli_option *table_find(const cli_option **all, int n, int value)
{
    for (int i = 0; i < n; i++)
        if (value == FIRST + i || (all[i]->letter && value == all[i]->letter))
            return all[i];
    return NULL;
}

int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count)
{
    const cli_option *all[OPTIONS_MOST];
    struct option longs[OPTIONS_MOST + 2];
    char shorts[2 * OPTIONS_MOST + 4];
    int n = table_make(verb, all, longs, shorts);
    opterr = 0;
    optind = 1;
    for (int value; (value = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (value == 'h') {
            cli_help(verb);
            return 0;
        }
        const char *given = argv[optind - 1];
        if (value == ':')
            return cli_usage_error(verb, "%s needs a value", given);
        const cli_option *o = table_find(all, n, value);
        if (!o)
            return cli_usage_error(verb, "unknown option %s", given);
        const char *want = set_value(o, optarg, values);
        if (want)
            return cli_usage_error(verb, "--%s: '%s' is not %s%s", o->name, optarg,
                                   o->type == CLI_CHOICE ? "one of " : "", want);
    }
    *count = 0;
    for (int i = optind; i < argc; i++)
        argv[(*count)++] = argv[i];
    return -1;
}

/* ---- help */

static void help_option(const cli_option *o)
{
    char left[80], letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    const char *join = o->type == CLI_FLAG ? "" : o->type == CLI_MAYBE ? "[=" : " ";
    snprintf(left, sizeof left, "  %s--%s%s%s%s", letter, o->name, join,
             o->type == CLI_FLAG ? "" : o->argument, o->type == CLI_MAYBE ? "]" : "");
    if (strlen(left) > 37)
        printf("%s\n%38s%s\n", left, "", o->help);
    else
        printf("%-38s%s\n", left, o->help);
}

void cli_help(const cli_verb *verb)
{
    const cli_option *tables[] = {verb->options, verb->more};
    printf("usage: impinge %s %s\n\n%s\n\noptions:\n", verb->name, verb->usage, verb->text);
    for (int t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++)
            help_option(o);
    printf("%-38s%s\n", "  -h, --help", "this text");
    if (verb->examples)
        printf("\nexamples:\n%s", verb->examples);
}
