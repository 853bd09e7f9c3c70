/* What was probably meant by a wrong command line: see cli.h. */
#define _GNU_SOURCE
#include "cli.h"
#include "mesh_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- the right form */

#define HINT_MOST 900 /* bytes */

static char hint[HINT_MOST];

/* The first option that is needed, or the output, if it was not given; NULL if all were. */
static const cli_option *missing_option(const cli_verb *verb, const void *values)
{
    const cli_option *o;
    char text[CLI_TEXT_MOST];
    for (size_t i = 0; (o = cli_option_at(verb, i)); i++)
        if ((o->needed || o->letter == 'o') && !*cli_value_text(o, values, text))
            return o;
    return NULL;
}

static int hint_reads_batch(const cli_verb *verb)
{
    return verb->one && !strcmp(verb->one, "input");
}

static const char *hint_output(const cli_verb *verb)
{
    return cli_option_of_letter(verb, 'o') ? " -o OUT.vtkhdf" : "";
}

const char *cli_second_hint(const cli_verb *verb, const void *values, char **argv, int count)
{
    const cli_option *o = missing_option(verb, values);
    const int there = !access(argv[1], F_OK);
    *hint = 0;
    /* an output is a new file, an input exists */
    if (o && count == 2 && *argv[1] != '-' && (o->letter != 'o') == there)
        snprintf(hint, HINT_MOST, "; perhaps %s%s %.300s", o->letter ? "-" : "--",
                 o->letter ? "o" : o->name, argv[1]);
    else if (hint_reads_batch(verb) && there)
        snprintf(hint, HINT_MOST,
                 "; of several files 'impinge convert %.300s %.300s%s -o BATCH.vtkhdf' makes one, "
                 "for 'impinge %s BATCH.vtkhdf%s'",
                 argv[0], argv[1], count > 2 ? " ..." : "", verb->name, hint_output(verb));
    return hint;
}

const char *cli_needed_hint(const cli_verb *verb, const cli_option *o, char **argv, int count)
{
    *hint = 0;
    if (o->letter == 'o' && count > 1 && access(argv[count - 1], F_OK))
        snprintf(hint, HINT_MOST, ", as in -o %.300s", argv[count - 1]);
    else if (count == 1 && hint_reads_batch(verb) && format_converts(argv[0]))
        snprintf(hint, HINT_MOST,
                 "; %.300s is a mesh: 'impinge convert %.300s -o BATCH.vtkhdf', then 'impinge %s "
                 "BATCH.vtkhdf%s'",
                 argv[0], argv[0], verb->name, hint_output(verb));
    return hint;
}

/* ---- The word that was probably meant: the one with the fewest letters omitted, added, exchanged
 * or swapped. */

#define LONGEST 32 /* longer than any verb or option */

/* Case is ignored: Run is run. */
static int cli_near_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t cli_near_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: rows of the table for i - 2, i - 1 and i letters of a. */
static size_t cli_near_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][LONGEST + 1];
    for (size_t k = 0; k <= m; k++)
        row[0][k] = k;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = i;
        for (size_t k = 1; k <= m; k++) {
            now[k] = cli_near_least(up[k], now[k - 1]) + 1;
            now[k] = cli_near_least(now[k], up[k - 1] + !cli_near_same_letter(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && cli_near_same_letter(a[i - 1], b[k - 2]) &&
                cli_near_same_letter(a[i - 2], b[k - 1]))
                now[k] = cli_near_least(now[k], up2[k - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* Among candidates at the same distance the first is kept. */
void cli_near_try(cli_near *n, const char *candidate)
{
    size_t length = strlen(candidate);
    if (n->length > LONGEST || length > LONGEST || n->length < 2)
        return;
    /* short words allow one wrong letter: with two, almost any verb would be near */
    size_t d = cli_near_edit_distance(n->word, n->length, candidate, length),
           most = length < 6 ? 1 : 2;
    if (n->length >= 3 && !strncasecmp(n->word, candidate, n->length))
        d = d < most ? d : most; /* the word is a prefix */
    if (d <= most && (!n->best || d < n->distance)) {
        n->best = candidate;
        n->distance = d;
    }
}
