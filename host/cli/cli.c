/* Option tables and parsing. */
#define _GNU_SOURCE
#include "cli.h"

#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <gmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- errors */

char *cli_format(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        return NULL;
    utf8_plain(text);
    return text;
}

const char *cli_shown(const char *text)
{
    static char *ring[CLI_SHOWN_MOST];
    static unsigned next;
    char **out = &ring[next++ % CLI_SHOWN_MOST];
    free(*out);
    *out = strdup(text);
    if (*out)
        utf8_plain(*out);
    return *out ? *out : "?";
}

/* A message contains several numbers, so the last eight results stay valid. */
const char *cli_number_text(uint64_t n)
{
    static char ring[8][32];
    static unsigned next;
    char *out = ring[next++ % 8], digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

/* Four results stay valid, each with a copy of its number. */
const char *cli_count_text(uint64_t n, const char *noun)
{
    static char ring[4][NOUN_MOST + 32];
    static unsigned next;
    char *out = ring[next++ % 4];
    char several[NOUN_MOST];
    snprintf(out, sizeof ring[0], "%s %s", cli_number_text(n),
             n == 1 ? noun : noun_plural(noun, several));
    return out;
}

#define ITEM_MOST 60 /* bytes */

void cli_items_add(cli_items *l, const char *item)
{
    size_t n = strlen(item);
    if (l->count++ >= CLI_ITEMS_MOST)
        return;
    const int cut = n > ITEM_MOST;
    for (n = cut ? ITEM_MOST : n; cut && n && ((unsigned char)item[n] & 0xc0) == 0x80;)
        n--; /* does not split a UTF-8 character */
    l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%.*s%s",
                                l->count > 1 ? ", " : "", (int)n, item, cut ? "..." : "");
}

const char *cli_items_text(cli_items *l)
{
    if (l->count > CLI_ITEMS_MOST)
        snprintf(l->text + l->used, sizeof l->text - l->used, " and %zu more",
                 l->count - CLI_ITEMS_MOST);
    return l->text;
}

void cli_line(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = cli_format(format, args);
    va_end(args);
    fprintf(out, "%s\n", text ? text : "out of memory");
    free(text);
}

int cli_usage_error(const cli_verb *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = cli_format(format, args);
    va_end(args);
    cli_line(stderr, "impinge %s: %s; try 'impinge %s --help'", verb->name, text ? text : "?",
             verb->name);
    free(text);
    return 2;
}

/* Some errors have only a code; then its general text is printed. */
int cli_fail(int err)
{
    cli_line(stderr, "impinge: %s", *imp_error_text() ? imp_error_text() : imp_strerror(err));
    return imp_exit_code(err);
}

/* ---- tables */

const cli_option cli_common[] = {
    {"help", 'h', CLI_FLAG, 0, NULL, "this text"},
    {"version", 'V', CLI_FLAG, 0, NULL, "the versions of impinge, HDF5 and OpenCL"},
    {0},
};

/* Numbers all tables consecutively: loops over options need not know how many tables there are. */
const cli_option *cli_option_at(const cli_verb *verb, size_t i)
{
    const cli_option *tables[] = {verb->options, verb->more, cli_common};
    for (int t = 0; t < 3; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++)
            if (i-- == 0)
                return o;
    return NULL;
}

int cli_option_is_maybe(const cli_option *o)
{
    return o->type == CLI_MAYBE || o->type == CLI_NEXT;
}

/* The value of a MAYBE option is only in the same word: the next word may be a file. */
int cli_option_has_value(const cli_option *o)
{
    return o->type != CLI_FLAG && !cli_option_is_maybe(o);
}

const cli_option *cli_option_of_letter(const cli_verb *verb, char letter)
{
    const cli_option *o;
    for (size_t i = 0; (o = cli_option_at(verb, i)); i++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* Finds the option with this name or prefix; *found: the number of options with the prefix. An
 * exact name wins over longer names that begin with it. */
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

/* True if a word is exactly an option of the verb. */
static int is_option(const cli_verb *verb, const char *word)
{
    size_t found;
    if (*word != '-' || !word[1])
        return 0;
    if (word[1] != '-')
        return !word[2] && cli_option_of_letter(verb, word[1]);
    const cli_option *o = find_name(verb, word + 2, strlen(word + 2), &found);
    return o && !strcmp(o->name, word + 2);
}

/* ---- parsing: options may be anywhere before "--", letters in one word, values after "=" or in
 * the next word. */

/* No exit code is negative. */
#define GO_ON (-1)

typedef struct parser {
    const cli_verb *verb;
    int argc, at; /* at: the argument being parsed */
    char **argv;
    void *values;
    const char *loose; /* the word after an option without the value that it may have, or NULL */
    const cli_option *before; /* that option */
} parser;

/* A file's name may begin with a dash: a pattern like *.vtkhdf may give such names. */
static int may_be_file(const char *given)
{
    return access(given, F_OK) == 0 || (!strchr(given, '=') && strpbrk(given, "./"));
}

/* option: the argument being parsed, or a part of it; name: the name that was probably meant. */
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

/* Lists all options with this prefix, since any of them may have been meant. */
static int ambiguous_option(const parser *p, const char *word, size_t length)
{
    const cli_option *o;
    char *list = NULL;
    size_t size, found = 0;
    FILE *out = open_memstream(&list, &size);
    for (size_t i = 0; out && (o = cli_option_at(p->verb, i)); i++)
        if (strncmp(o->name, word, length) == 0)
            fprintf(out, "%s--%s", found++ ? ", " : "", o->name);
    if (out)
        fclose(out);
    int code = cli_usage_error(p->verb, "--%.*s can be any of %s", (int)length, word,
                               list ? list : "several");
    free(list);
    return code;
}

/* Returns whether the next word is the value of a MAYBE or NEXT option. An input never ends in
 * .json. */
static int cli_next_is_value(const parser *p, const cli_option *o)
{
    static const char ending[] = ".json";
    const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "-";
    const size_t length = strlen(next), tail = sizeof ending - 1;
    if (!*next || *next == '-')
        return 0;
    return o->type == CLI_NEXT ? access(next, F_OK) != 0
                               : length > tail && !strcasecmp(next + length - tail, ending);
}

/* Stores the value of the option that was given as `name`: the text after it, or the next word. */
static int cli_store_value(parser *p, const cli_option *o, const char *name, const char *text)
{
    if (!text && cli_option_is_maybe(o)) {
        if (cli_next_is_value(p, o))
            text = p->argv[++p->at];
        else if (o->type == CLI_MAYBE && p->at + 1 < p->argc && *p->argv[p->at + 1] != '-') {
            p->before = o;
            p->loose = p->argv[p->at + 1];
        }
    }
    if (!text && cli_option_has_value(o)) {
        if (p->at + 1 == p->argc)
            return cli_usage_error(p->verb, "%s needs a value", name);
        text = p->argv[++p->at];
        if (is_option(p->verb, text))
            return cli_usage_error(p->verb, "%s needs a value, and %s is an option", name, text);
    }
    if (text && !*text)
        return cli_usage_error(p->verb, "%s needs a value, not ''", name);
    /* messages use the name that was given: the user knows -o, not --output */
    const char *want = cli_set(o, text, p->values);
    return want ? cli_usage_error(p->verb, "%s: '%s' is not %s%s", name, text,
                                  want == o->argument ? "one of " : "", want)
                : GO_ON;
}

/* Handles options that are answered at once. */
static int common_option(const cli_verb *verb, const cli_option *o)
{
    if (o == &cli_common[0])
        cli_help(verb);
    else
        cli_version();
    return 0;
}

static int cli_is_common(const cli_option *o)
{
    return o == &cli_common[0] || o == &cli_common[1];
}

/* --name, --name=value, or a prefix of a name */
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
    if (equals && cli_option_is_maybe(o) && !equals[1])
        return cli_usage_error(p->verb, "%s needs %s, or no '='", given,
                               o->type == CLI_MAYBE ? "a file" : "a value");
    if (cli_is_common(o))
        return common_option(p->verb, o);
    return cli_store_value(p, o, shown, equals ? equals + 1 : NULL);
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
        const cli_option *o = cli_option_of_letter(p->verb, *at);
        if (!o)
            return unknown_option(p, shown, given + 1, strlen(given + 1));
        if (cli_is_common(o))
            return common_option(p->verb, o);
        int value = cli_option_has_value(o);
        int code = cli_store_value(p, o, shown, value && at[1] ? at + 1 : NULL);
        if (code != GO_ON || value)
            return code;
    }
    return GO_ON;
}

/* Returns the form with a value of an option that is followed by a word which may have been meant
 * as its value; "" if there is none. */
static const char *loose_hint(const parser *p, char out[300])
{
    *out = 0;
    if (p->loose)
        snprintf(out, 300, "; a file of --%s is given as --%s=%.200s", p->before->name,
                 p->before->name, access(p->loose, F_OK) ? p->loose : p->before->argument);
    return out;
}

/* Checks that the verb has all that it needs, and no more than it accepts. */
static int check_words(const parser *p, char **argv, int count)
{
    const cli_verb *verb = p->verb;
    char hint[300];
    if (verb->words == cli_no_words && count)
        return cli_usage_error(verb, "unexpected '%s'%s", argv[0], loose_hint(p, hint));
    if (verb->one && count > 1)
        return cli_usage_error(
            verb, "one %s at a time; '%s' is the second%s", verb->one, argv[1],
            *loose_hint(p, hint) ? hint : cli_second_hint(verb, p->values, argv, count));
    return verb->least && !count ? cli_usage_error(verb, "%s", verb->least) : GO_ON;
}

/* An option is missing if its value is still the default. */
static int check_needed(const parser *p, char **argv, int count)
{
    const cli_option *o;
    char text[CLI_TEXT_MOST];
    for (size_t i = 0; (o = cli_option_at(p->verb, i)); i++)
        if (o->needed && !*cli_value_text(o, p->values, text))
            return o->letter
                       ? cli_usage_error(p->verb, "-%c %s is missing%s", o->letter, o->argument,
                                         cli_needed_hint(p->verb, o, argv, count))
                       : cli_usage_error(p->verb, "--%s %s is missing", o->name, o->argument);
    return GO_ON;
}

int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count)
{
    parser p = {.verb = verb, .argc = argc, .at = 1, .argv = argv, .values = values};
    /* until "--" */
    int options = 1, code = GO_ON;
    *count = 0;
    for (; p.at < argc && code == GO_ON; p.at++) {
        char *word = argv[p.at];
        if (!options || *word != '-' || !word[1])
            /* words move to the front, never past the argument being parsed */
            argv[(*count)++] = word;
        else if (!strcmp(word, "--"))
            options = 0;
        else
            code = word[1] == '-' ? parse_name(&p) : parse_letters(&p);
    }
    if (code == GO_ON)
        code = check_words(&p, argv, *count);
    return code == GO_ON ? check_needed(&p, argv, *count) : code;
}

/* If the text is cut, n exceeds `size`, which ends the loop. */
void cli_command_line(int argc, char **argv, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "impinge");
    for (int i = 0; i < argc && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, " %s", argv[i]);
}

/* stdio is not used: another thread may hold its lock. */
static void gmp_memory_exit(size_t bytes)
{
    char line[100];
    /* a progress bar has no line end */
    const int n =
        snprintf(line, sizeof line, "%simpinge: out of memory: exact arithmetic needs %zu bytes\n",
                 isatty(STDERR_FILENO) ? "\n" : "", bytes);
    (void)!write(STDERR_FILENO, line, (size_t)n);
    _exit(imp_exit_code(IMP_ERR_MEMORY));
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        gmp_memory_exit(bytes);
    return p;
}

static void *reallocate(void *p, size_t old, size_t bytes)
{
    (void)old;
    void *q = realloc(p, bytes);
    if (!q)
        gmp_memory_exit(bytes);
    return q;
}

static void release(void *p, size_t bytes)
{
    (void)bytes;
    free(p);
}

void gmp_memory_guard(void)
{
    mp_set_memory_functions(allocate, reallocate, release);
}

/* ---- See cli.h: the values of options, as texts and in their members. */

/* Accepts a decimal fraction, as in 1.5G; digits alone are bytes. i and B change nothing: GiB and
 * GB are both 2^30. The program never calls setlocale, so strtod reads a point in every locale. */
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

/* strtoull would read "-1" as the greatest number. */
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

static int set_limit(const char *text, cli_LIMIT *out)
{
    out->given = cli_length(text, &out->most);
    return out->given;
}

/* Finds which of the words "a|b|c" text is, from 0. Returns 0 if it is none of them. */
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

/* n was returned by set_choice, so there is a bar for each iteration. */
const char *cli_choice_word(const char *choices, int n, char *out, size_t size)
{
    while (n-- > 0)
        choices = strchr(choices, '|') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return out;
}

/* The error text names the whole range, so that a second try succeeds. A static text is enough,
 * since parsing ends with the first error. */
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
    case CLI_NEXT:
        *(cli_MAYBE *)at = text ? text : "";
        return NULL;
    case CLI_LIST:
        /* the caller has allocated one entry for each argument */
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
    case CLI_LIMIT:
        return set_limit(text, at) ? NULL : "a number, 0 or more";
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

/* 17 digits read back as the same number. */
static const char *real_text(int given, double x, char out[CLI_TEXT_MOST])
{
    if (given)
        snprintf(out, CLI_TEXT_MOST, "%.17g", x);
    return out;
}

const char *cli_value_text(const cli_option *o, const void *values, char out[CLI_TEXT_MOST])
{
    const void *at = (const char *)values + o->offset;
    *out = 0;
    switch (o->type) {
    case CLI_TEXT:
        return *(const cli_TEXT *)at ? *(const cli_TEXT *)at : "";
    case CLI_NEXT:
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
        return real_text(*(const double *)at != 0, *(const double *)at, out);
    case CLI_LIMIT:
        return real_text(((const cli_LIMIT *)at)->given, ((const cli_LIMIT *)at)->most, out);
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

/* The text is copied: names in it may not live until the document is written. */
void warnings_add(warnings *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = cli_format(format, args);
    va_end(args);
    if (!text)
        return; /* without memory the run itself will fail */
    fprintf(stderr, "impinge: warning: %s\n", text);
    /* kept for --json */
    if (w->count == w->capacity) {
        size_t capacity = 2 * w->capacity + 8;
        char **more = realloc(w->text, capacity * sizeof *more);
        if (!more) {
            free(text);
            return;
        }
        w->text = more;
        w->capacity = capacity;
    }
    w->text[w->count++] = text;
}

void warnings_json(json *j, const warnings *w)
{
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < w->count; i++)
        json_text(j, NULL, w->text[i]);
    json_close(j, ']');
}

void warnings_free(warnings *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->text[i]);
    free(w->text);
    *w = (warnings){0};
}
