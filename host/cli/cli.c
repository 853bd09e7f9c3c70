/* Option tables: values and parsing. */
#include "cli.h"

#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- errors */

/* Names and texts from files may hold anything; a message stays one line all the same. */
static void put_line(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
    fputc('\n', out);
}

/* Returns NULL, or what the caller frees. */
static char *formatted(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

void cli_line(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatted(format, args);
    va_end(args);
    put_line(out, text ? text : "out of memory");
    free(text);
}

/* The program's own words may be long, and so may what was given: nothing is cut. */
int cli_usage_error(const cli_verb *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = formatted(format, args);
    va_end(args);
    cli_line(stderr, "impinge %s: %s; try 'impinge %s --help'", verb->name, text ? text : "?",
             verb->name);
    free(text);
    return 2;
}

int cli_fail(int err)
{
    fputs("impinge: ", stderr);
    put_line(stderr, *imp_error_text() ? imp_error_text() : imp_strerror(err));
    return imp_exit_code(err);
}

/* ---- values */

/* A decimal fraction, as in 1.5G; digits alone are bytes. i and B change nothing: GiB and GB are
 * both 2^30. */
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

/* strtoull takes "-1" for the greatest number there is. */
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

/* Neither NaN nor infinite; 1e999 is infinite, and told by errno as well. */
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

int cli_length(const char *text, double *out)
{
    return set_real(text, 1, out);
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

const char *cli_choice_word(const char *choices, int n, char *out, size_t size)
{
    while (n-- > 0)
        choices = strchr(choices, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return out;
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
    case CLI_LIST:
        ((cli_list *)at)->text[((cli_list *)at)->count++] = text;
        return NULL;
    case CLI_COUNT:
        return set_count(text, at) ? NULL : "a whole number";
    case CLI_SOME:
        return set_count(text, at) && *(uint64_t *)at ? NULL : "a whole number above 0";
    case CLI_SIZE:
        return cli_size(text, at) ? NULL : "a size such as 512M or 2G";
    case CLI_REAL:
        return set_real(text, 0, at) ? NULL : "a positive number";
    case CLI_LENGTH:
        return cli_length(text, at) ? NULL : "a number, 0 or more";
    case CLI_CHOICE:
        return cli_choice(text, o->argument, at) ? NULL : o->argument;
    }
    return NULL;
}

/* ---- tables */

const cli_option cli_common[] = {
    {"help", 'h', CLI_FLAG, 0, NULL, "this text"},
    {"version", 'V', CLI_FLAG, 0, NULL, "the versions of impinge, HDF5 and OpenCL"},
    {0},
};

const cli_option *cli_option_at(const cli_verb *verb, size_t i)
{
    const cli_option *tables[] = {verb->options, verb->more, cli_common};
    for (int t = 0; t < 3; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++)
            if (i-- == 0)
                return o;
    return NULL;
}

int cli_takes_value(const cli_option *o)
{
    return o->type != CLI_FLAG && o->type != CLI_MAYBE;
}

static const cli_option *find_letter(const cli_verb *verb, char letter)
{
    const cli_option *o;
    for (size_t i = 0; (o = cli_option_at(verb, i)); i++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* The option of a name, or of the beginning of one; *found is how many begin so. */
static const cli_option *find_name(const cli_verb *verb, const char *name, size_t length,
                                   size_t *found)
{
    const cli_option *o, *first = NULL;
    *found = 0;
    for (size_t i = 0; length && (o = cli_option_at(verb, i)); i++) {
        if (strncmp(o->name, name, length) != 0)
            continue;
        if (!o->name[length]) {
            *found = 1;
            return o;
        }
        first = first ? first : o;
        ++*found;
    }
    return first;
}

/* Whether a word is an option of the verb, letter for letter. */
static int is_option(const cli_verb *verb, const char *word)
{
    size_t found;
    if (*word != '-' || !word[1])
        return 0;
    if (word[1] != '-')
        return !word[2] && find_letter(verb, word[1]);
    const cli_option *o = find_name(verb, word + 2, strlen(word + 2), &found);
    return o && !strcmp(o->name, word + 2);
}

/* ---- parsing: options may stand anywhere before "--", letters in one word, values behind "=" or
 * in the next word. */

#define GO_ON (-1)

typedef struct parser {
    const cli_verb *verb;
    int argc, at; /* at: the argument that is being read */
    char **argv;
    char *values;
} parser;

/* A file's name may begin with a dash, as one from a pattern like *.vtkhdf may. */
static int may_be_file(const char *given)
{
    return access(given, F_OK) == 0 || (!strchr(given, '=') && strpbrk(given, "./"));
}

/* `option` is in the argument being read, or all of it; `name` is what it may have been meant for.
 */
static int unknown_option(const parser *p, const char *option, const char *name, size_t length)
{
    const char *given = p->argv[p->at];
    cli_near near = {.word = name, .length = length};
    const cli_option *o;
    for (size_t i = 0; (o = cli_option_at(p->verb, i)); i++)
        cli_near_try(&near, o->name);
    int part = strcmp(given, option) != 0, file = may_be_file(given);
    return cli_usage_error(p->verb, "unknown option %s%s%s%s%s%s%s", option, part ? " in " : "",
                           part ? given : "", near.best ? ", perhaps --" : "",
                           near.best ? near.best : "", file ? "; a file of that name is ./" : "",
                           file ? given : "");
}

static int ambiguous_option(const parser *p, const char *word, size_t length)
{
    const cli_option *o;
    char *list = NULL;
    for (size_t i = 0; (o = cli_option_at(p->verb, i)); i++) {
        if (strncmp(o->name, word, length) != 0)
            continue;
        size_t size = list ? strlen(list) : 0;
        char *more = realloc(list, size + strlen(o->name) + sizeof ", --");
        if (!more)
            break;
        list = more;
        sprintf(list + size, "%s--%s", size ? ", " : "", o->name);
    }
    int code = cli_usage_error(p->verb, "--%.*s can be any of %s", (int)length, word,
                               list ? list : "several");
    free(list);
    return code;
}

/* Stores the value of the option that was given as `name`: the text behind it, or the next word. */
static int take_value(parser *p, const cli_option *o, const char *name, const char *text)
{
    if (!text && cli_takes_value(o)) {
        if (p->at + 1 == p->argc)
            return cli_usage_error(p->verb, "%s needs a value", name);
        text = p->argv[++p->at];
        if (is_option(p->verb, text))
            return cli_usage_error(p->verb, "%s needs a value, and %s is an option", name, text);
    }
    if (text && !*text)
        return cli_usage_error(p->verb, "%s needs a value, not ''", name);
    /* by what it was called: -o and --output are the same option to the table, not to the user */
    const char *want = set_value(o, text, p->values);
    return want ? cli_usage_error(p->verb, "%s: '%s' is not %s%s", name, text,
                                  o->type == CLI_CHOICE ? "one of " : "", want)
                : GO_ON;
}

/* Options that are answered at once. */
static int common_option(const cli_verb *verb, const cli_option *o)
{
    if (o == &cli_common[0])
        cli_help(verb);
    else
        cli_version();
    return 0;
}

static int is_common(const cli_option *o)
{
    return o == &cli_common[0] || o == &cli_common[1];
}

/* --name, --name=value, or the beginning of a name */
static int parse_name(parser *p)
{
    const char *given = p->argv[p->at], *name = given + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name), found;
    char shown[64];
    const cli_option *o = find_name(p->verb, name, length, &found);
    if (!o)
        return unknown_option(p, given, name, length);
    if (found > 1)
        return ambiguous_option(p, name, length);
    snprintf(shown, sizeof shown, "--%s", o->name);
    if (equals && o->type == CLI_FLAG)
        return cli_usage_error(p->verb, "%s takes no value: '%s'", shown, given);
    if (equals && o->type == CLI_MAYBE && !equals[1])
        return cli_usage_error(p->verb, "%s needs a file, or no '='", given);
    if (is_common(o))
        return common_option(p->verb, o);
    return take_value(p, o, shown, equals ? equals + 1 : NULL);
}

/* -x, -xyz or -xVALUE */
static int parse_letters(parser *p)
{
    const char *given = p->argv[p->at];
    size_t found;
    const cli_option *whole = find_name(p->verb, given + 1, strlen(given + 1), &found);
    if (whole && !strcmp(whole->name, given + 1)) /* -output x is not -o utput, and x a file */
        return unknown_option(p, given, given + 1, strlen(given + 1));
    for (const char *at = given + 1; *at; at++) {
        char shown[] = {'-', *at, 0};
        const cli_option *o = find_letter(p->verb, *at);
        if (!o)
            return unknown_option(p, shown, given + 1, strlen(given + 1));
        if (is_common(o))
            return common_option(p->verb, o);
        int value = cli_takes_value(o);
        int code = take_value(p, o, shown, value && at[1] ? at + 1 : NULL);
        if (code != GO_ON || value)
            return code;
    }
    return GO_ON;
}

int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count)
{
    parser p = {verb, argc, 1, argv, values};
    /* until "--" */
    int options = 1;
    *count = 0;
    for (; p.at < argc; p.at++) {
        char *word = argv[p.at];
        int code = GO_ON;
        if (!options || *word != '-' || !word[1])
            argv[(*count)++] = word;
        else if (!strcmp(word, "--"))
            options = 0;
        else
            code = word[1] == '-' ? parse_name(&p) : parse_letters(&p);
        if (code != GO_ON)
            return code;
    }
    if (verb->one && *count > 1)
        return cli_usage_error(verb, "one %s at a time; '%s' is the second", verb->one, argv[1]);
    return GO_ON;
}
