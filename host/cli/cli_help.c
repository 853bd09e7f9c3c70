/* Help from the tables, within 80 columns. */
#include "cli.h"

#include <string.h>

#define COLUMNS 80
#define TEXT 28 /* the column where texts of options begin */

/* Words are never cut: a word that is longer than a line gets a line of its own. */
void cli_wrap(FILE *out, const char *text, int at, int column)
{
    int fresh = 1; /* the line has no word from `column` on */
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (fresh ? at > column : at + 1 + word > COLUMNS) {
            fputc('\n', out);
            fresh = 1;
            at = 0;
        }
        at += fprintf(out, "%*s%.*s", fresh ? column - at : 1, "", word, text);
        fresh = 0;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* If an option is longer than its column, its text begins in the next line. */
static void help_option(const cli_option *o)
{
    int at = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("      --%s", o->name);
    if (o->type == CLI_MAYBE)
        at += printf("[=%s]", o->argument);
    else if (cli_option_has_value(o))
        at += printf(" %s", o->argument);
    /* a position after the column makes cli_wrap begin a new line */
    cli_wrap(stdout, o->help, at + 1 < TEXT ? at : TEXT + 1, TEXT);
}

static void help_table(const char *title, const cli_option *o)
{
    if (!o)
        return;
    printf("\n%s:\n", title);
    for (; o->name; o++)
        help_option(o);
}

void cli_help(const cli_verb *verb)
{
    int at = printf("usage: impinge %s", verb->name);
    cli_wrap(stdout, verb->usage, at, at + 1);
    fputc('\n', stdout);
    cli_wrap(stdout, verb->text, 0, 0);
    help_table("options", verb->options);
    help_table("options that choose work", verb->more);
    help_table("options of all verbs", cli_common);
    if (verb->examples)
        printf("\nexamples:\n%s", verb->examples);
}

void cli_help_all(FILE *out)
{
    fprintf(out, "usage: impinge VERB [options]\n\n"
                 "Finds every collision in a batch of simulation frames, exactly.\n\nverbs:\n");
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        /* 13: after the longest verb */
        cli_wrap(out, (*v)->text, fprintf(out, "  %s", (*v)->name), 13);
    fprintf(out, "\nto begin:\n"
                 "  impinge generate cloth-ball -o cloth.vtkhdf\n"
                 "  impinge run cloth.vtkhdf -o contacts.vtkhdf\n"
                 "\n'impinge VERB --help' shows the options of a verb, with examples.\n"
                 "\nexit codes:\n");
    for (const cli_exit *e = cli_exits; e->code; e++)
        cli_wrap(out, e->text, fprintf(out, "  %s", e->code), 18);
}
