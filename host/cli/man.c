/* The man page: its prose is here, the rest comes from the verbs' tables. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

static const char description[] =
    "impinge reads frames of triangles and tetrahedra from a VTKHDF file and writes, frame by "
    "frame, which "
    "pairs of them touch and where. Both are closed sets: touching is intersecting. "
    "Verdicts are those of exact arithmetic for every finite input, and the result is the same, to "
    "the last bit, on every device and for every option that only chooses how to compute."
    "\n\n"
    "Both files open in ParaView 5.13 and newer, and in VTK 9.4 and newer."
    "\n\n"
    "Options may be anywhere after the verb. Their names may be shortened while they stay "
    "unambiguous. If an option is given twice, the last one counts. Words after -- are files, even "
    "those that begin with a dash.";

static const struct {
    const char *name, *text;
} environment[] = {
    {"NO_COLOR", "No colour in the progress bar."},
    {"COLUMNS", "The width of a terminal that does not report its own."},
    {"OCL_ICD_VENDORS", "Where the OpenCL loader looks for platforms."},
    {"XDG_CACHE_HOME", "In its folder impinge are kernels that a driver takes long to compile."},
    {"IMPINGE_DRIVER_SECONDS", "How long an OpenCL driver may take to list its devices, 1 to 600 "
                               "(default: 8)."},
};

/* ---- troff */

/* Characters that troff would replace: a dash by a hyphen, a quote by a curved one, which cannot be
 * copied into a shell. */
static void put_char(char c)
{
    static const char special[][2][6] = {{"\\", "\\e"},  {"-", "\\-"},   {"'", "\\(aq"},
                                         {"`", "\\(ga"}, {"^", "\\(ha"}, {"~", "\\(ti"},
                                         {"\"", "\\(dq"}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (c == special[i][0][0]) {
            fputs(special[i][1], stdout);
            return;
        }
    putchar(c);
}

static void man_put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", stdout); /* a dot at the beginning of a line is a request */
        put_char(text[i]);
    }
}

/* Font: R, B or I. Back to R, not to the font before: fonts are not nested here. */
static void put_font(char font, const char *text)
{
    printf("\\f%c", font);
    man_put(text, strlen(text));
    fputs("\\fR", stdout);
}

/* Length of the option's name, "--name", that text begins with; 0: it begins with none. A small
 * letter must follow the dashes: "--" alone ends the options. */
static size_t option_length(const char *text)
{
    size_t n = 2;
    if (strncmp(text, "--", 2) != 0 || !islower((unsigned char)text[2]))
        return 0;
    while (islower((unsigned char)text[n]) || isdigit((unsigned char)text[n]) || text[n] == '-')
        n++;
    return n;
}

/* Paragraphs with blank lines between them; names of options in bold. */
static void man_put_paragraphs(const char *text)
{
    while (*text) {
        size_t option = option_length(text), plain = 0;
        if (option)
            printf("\\fB");
        man_put(text, option);
        if (option)
            printf("\\fR");
        text += option;
        /* up to the next option, or the end of the paragraph */
        while (text[plain] && strncmp(text + plain, "\n\n", 2) != 0 && !option_length(text + plain))
            plain++;
        man_put(text, plain);
        text += plain;
        if (*text == '\n') {
            fputs("\n.PP\n", stdout);
            /* put ends a paragraph only at two line ends */
            text += 2;
        }
    }
    putchar('\n');
}

/* ---- the tables */

/* The page has space for `about`; `help` must fit in the columns of --help. */
static void put_option(const cli_option *o)
{
    fputs(".TP\n", stdout);
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    man_put(o->name, strlen(o->name));
    fputs("\\fR", stdout);
    if (o->argument) {
        fputs(o->type == CLI_MAYBE ? "[=" : " ", stdout);
        put_font('I', o->argument);
        fputs(o->type == CLI_MAYBE ? "]\n" : "\n", stdout);
    } else {
        putchar('\n');
    }
    man_put_paragraphs(o->about ? o->about : o->help);
}

/* Also for a verb without options, whose table is NULL. */
static void put_options(const cli_option *o)
{
    for (; o && o->name; o++)
        put_option(o);
}

/* Without filling: each verb on its own line. */
static void put_synopsis(void)
{
    fputs(".SH SYNOPSIS\n.nf\n", stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        fputs("\\fBimpinge ", stdout);
        man_put((*v)->name, strlen((*v)->name));
        fputs("\\fR ", stdout);
        man_put((*v)->usage, strlen((*v)->usage));
        putchar('\n');
    }
    fputs(".fi\n", stdout);
}

static void put_verb(const cli_verb *v)
{
    printf(".SS %s\n", v->name);
    man_put_paragraphs(v->text);
    if (v->about) {
        fputs(".PP\n", stdout);
        man_put_paragraphs(v->about);
    }
    if (v->options)
        put_options(v->options);
    if (v->examples) {
        /* .EX keeps lines and blanks, so that commands can be copied */
        fputs(".PP\nExamples:\n.PP\n.EX\n", stdout);
        man_put(v->examples, strlen(v->examples));
        fputs(".EE\n", stdout);
    }
}

/* A second table is printed once, with the names of all verbs that have it. */
static void put_more(void)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        const cli_verb *const *first = cli_verbs;
        /* printed with the first verb that has the table */
        while ((*first)->more != (*v)->more)
            first++;
        if (!(*v)->more || first != v)
            continue;
        fputs(".SH OPTIONS THAT CHOOSE WORK\nOf", stdout);
        for (const cli_verb *const *o = v; *o; o++)
            if ((*o)->more == (*v)->more) {
                fputs(o == v ? " " : " and ", stdout);
                put_font('B', (*o)->name);
            }
        fputs(":\n", stdout);
        put_options((*v)->more);
    }
}

static void put_exits(void)
{
    fputs(".SH EXIT STATUS\n", stdout);
    for (const cli_exit *e = cli_exits; e->code; e++) {
        printf(".TP\n%s\n", e->code);
        man_put_paragraphs(e->text);
    }
}

void cli_man(void)
{
    /* no date, so that the page depends on the version only */
    printf(".TH IMPINGE 1 \"\" \"impinge %s\" \"User Commands\"\n", imp_version());
    fputs(".SH NAME\nimpinge \\- find every collision in a batch of simulation frames, exactly\n",
          stdout);
    put_synopsis();
    fputs(".SH DESCRIPTION\n", stdout);
    man_put_paragraphs(description);
    fputs(".SH VERBS\n", stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        put_verb(*v);
    put_more();
    fputs(".SH OPTIONS OF ALL VERBS\n", stdout);
    put_options(cli_common);
    put_exits();
    fputs(".SH ENVIRONMENT\n", stdout);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        printf(".TP\n.B %s\n", environment[i].name);
        man_put_paragraphs(environment[i].text);
    }
    fputs(".SH SEE ALSO\nThe layout of both files: format.md, installed in share/doc/impinge.\n",
          stdout);
}
