/* impinge help and impinge version, and the list of verbs. */
#include "cli.h"
#include "h5.h"
#include "mesh_file.h"
#include "package.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

/* In the order of the help text: the verbs that a user needs first are listed first. */
const cli_verb *const cli_verbs[] = {
    &verb_run, &verb_convert, &verb_generate, &verb_info, &verb_check,   &verb_events, &verb_merge,
    &verb_pcs, &verb_devices, &verb_bench,    &verb_help, &verb_version, NULL};

/* Codes are texts, since a row may have several. */
const cli_exit cli_exits[] = {
    {"0", "done, with collisions or without"},
    {"1", "failure at run time; the output's folder is missing or cannot be written; check found "
          "a difference; a simulation diverged"},
    {"2", "usage error; the output exists, and --force is not given"},
    {"3", "the input is missing, unreadable, invalid or not supported"},
    {"4", "no usable device"},
    {"5", "out of memory or disk space"},
    {"10", "there was a collision, with --fail-on-collision"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM"},
    {NULL, NULL},
};

const cli_verb *cli_verb_find(const char *name)
{
    const cli_verb *const *v = cli_verbs;
    while (*v && strcmp((*v)->name, name) != 0)
        v++;
    return *v;
}

/* A verb with this function accepts no words: check_words compares with it. */
const char *cli_no_words(size_t i)
{
    (void)i;
    return NULL;
}

/* ---- an unknown verb */

/* A file instead of a verb is most likely an input. */
static int not_a_verb(const char *file)
{
    int convert = format_converts(file);
    cli_line(stderr, "impinge: '%s' is a file, and a verb comes first: impinge %s %s -o %s", file,
             convert ? "convert" : "run", file, convert ? "BATCH.vtkhdf" : "OUT.vtkhdf");
    return 2;
}

const cli_package_verb cli_package_verbs[] = {
#define PACKAGE_VERB(name, ...) {#name, __VA_ARGS__},
#include "package_verbs.def"
    {0},
};

const cli_package_verb *cli_package_verb_find(const char *name)
{
    const cli_package_verb *v = cli_package_verbs;
    while (v->name && strcmp(v->name, name) != 0)
        v++;
    return v->name ? v : NULL;
}

void cli_package_help(const cli_package_verb *verb)
{
    int at = printf("usage: impinge %s", verb->name);
    cli_wrap(stdout, verb->usage, at, at + 1);
    fputc('\n', stdout);
    cli_wrap(stdout, verb->text, 0, 0);
    printf("\nA verb of the Python package, whose command has its options:\n"
           "  " PACKAGE_WITH("%s") "\n  impinge %s --help\n\nexamples:\n  %s\n",
           verb->extra, verb->name, verb->example);
}

/* Reports the most likely mistake: a word near a verb, a file, or an option before the verb. */
int cli_no_verb(const char *word)
{
    /* "--run" probably means "run" */
    const char *plain = word + strspn(word, "-");
    cli_near near = {.word = plain, .length = strlen(plain)};
    const cli_package_verb *of_package = cli_package_verb_find(word);
    if (of_package) {
        cli_line(stderr, "impinge: %s is a verb of the Python package: " PACKAGE_WITH("%s"), word,
                 of_package->extra);
        return 2;
    }
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        cli_near_try(&near, (*v)->name);
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++)
        cli_near_try(&near, v->name);
    /* a file whose name is near a verb is more likely meant as the verb */
    if (!near.best && *word != '-' && access(word, F_OK) == 0)
        return not_a_verb(word);
    if (!near.best && *word == '-')
        cli_line(stderr, "impinge: %s: options come after the verb; try 'impinge --help'", word);
    else
        cli_line(stderr, "impinge: there is no verb '%s'%s%s; try 'impinge --help'", word,
                 near.best ? ", perhaps " : "", near.best ? near.best : "");
    return 2;
}

/* ---- help */

typedef struct help_options {
    int man, completion;
} help_options;

/* -1: the first word of a choice is 0. */
enum { COMPLETION_NONE = -1, COMPLETION_BASH, COMPLETION_ZSH };

static const cli_option options[] = {
    {"man", 0, CLI_FLAG, offsetof(help_options, man), NULL, "the man page, as troff"},
    {"completion", 0, CLI_CHOICE, offsetof(help_options, completion), "bash|zsh",
     "a script that makes the shell complete command lines"},
    {0},
};

/* At most one of the options is given. */
static void print_help(const help_options *o, const cli_verb *verb, const cli_package_verb *package)
{
    if (o->man)
        cli_man();
    else if (o->completion == COMPLETION_BASH)
        cli_completion_bash();
    else if (o->completion == COMPLETION_ZSH)
        cli_completion_zsh();
    else if (verb)
        cli_help(verb);
    else if (package)
        cli_package_help(package);
    else
        cli_help_all(stdout);
}

/* An unknown verb is reported as it is without `help`, with the nearest one. */
static int help(int argc, char **argv)
{
    help_options o = {.completion = COMPLETION_NONE};
    int count, code = cli_parse(&verb_help, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    const cli_verb *verb = count ? cli_verb_find(argv[0]) : NULL;
    const cli_package_verb *package = count ? cli_package_verb_find(argv[0]) : NULL;
    if (count && !verb && !package)
        return cli_no_verb(argv[0]);
    if (count + o.man + (o.completion != COMPLETION_NONE) > 1)
        return cli_usage_error(&verb_help, "either VERB or --man or --completion");
    print_help(&o, verb, package);
    return 0;
}

/* For the completion of command lines: all verbs, those of the package last. */
static const char *verb_word(size_t i)
{
    size_t own = 0;
    while (cli_verbs[own])
        own++;
    return i < own ? cli_verbs[i]->name : cli_package_verbs[i - own].name;
}

const cli_verb verb_help = {
    .name = "help",
    .usage = "[VERB | --man | --completion bash|zsh]",
    .text = "shows what a verb does and its options, like VERB --help",
    .options = options,
    .examples = "  impinge help run\n"
                "  impinge help --man | man -l -\n"
                "  source <(impinge help --completion bash)\n",
    .run = help,
    .about = "Without VERB it lists the verbs and the exit codes, like impinge --help.",
    .one = "verb",
    .words = verb_word,
};

/* ---- version */

void cli_version(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    /* the version of the library loaded, not of the headers compiled with */
    H5get_libversion(&major, &minor, &patch);
    printf("impinge %s\nHDF5 %u.%u.%u\nOpenCL %s\n", imp_version(), major, minor, patch,
           *imp_opencl_version() ? imp_opencl_version() : "not built in");
}

static int version(int argc, char **argv)
{
    /* the verb has no options, so nothing is stored in it */
    int none, count, code = cli_parse(&verb_version, argc, argv, &none, &count);
    if (code >= 0)
        return code;
    cli_version();
    return 0;
}

const cli_verb verb_version = {
    .name = "version",
    .usage = "",
    .text = "prints the versions of impinge, HDF5 and OpenCL, like --version",
    .examples = "  impinge version\n",
    .run = version,
    .words = cli_no_words,
};

/* ---- Help from the tables, within 80 columns. */

#define COLUMNS 80
#define TEXT 28 /* the column where option texts begin */

/* Words are never cut: a word that is longer than a line gets a line of its own. */
void cli_wrap(FILE *out, const char *text, int at, int column)
{
    int fresh = 1; /* the line has no word yet from `column` on */
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
    if (cli_option_is_maybe(o))
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
        /* 13: the column after the longest verb */
        cli_wrap(out, (*v)->text, fprintf(out, "  %s", (*v)->name), 13);
    fputs("\nverbs of the Python package:\n", out);
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++) {
        char text[300];
        snprintf(text, sizeof text, "%s (" PACKAGE_WITH("%s") ")", v->text, v->extra);
        cli_wrap(out, text, fprintf(out, "  %s", v->name), 13);
    }
    fprintf(out, "\nto begin:\n"
                 "  impinge generate cloth-ball -o cloth.vtkhdf\n"
                 "  impinge run cloth.vtkhdf -o contacts.vtkhdf\n"
                 "\n'impinge VERB --help' shows the options of a verb, with examples.\n"
                 "\nexit codes:\n");
    for (const cli_exit *e = cli_exits; e->code; e++)
        cli_wrap(out, e->text, fprintf(out, "  %s", e->code), 18);
}

/* ---- The man page: its prose is here, the rest is generated from the verbs' tables. */

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
    "those that begin with a dash. --json writes to standard output, and to a file as --json=FILE, "
    "or as --json FILE if its name ends in .json.";

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

/* Escapes characters that troff would replace: a dash by a hyphen, a quote by a curved one, which
 * cannot be copied into a shell. */
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

/* Font: R, B or I. Returns to R rather than the previous font: fonts are not nested here. */
static void put_font(char font, const char *text)
{
    printf("\\f%c", font);
    man_put(text, strlen(text));
    fputs("\\fR", stdout);
}

/* Returns the length of the option's name, "--name", that text begins with, or 0. A small letter
 * must follow the dashes: "--" alone ends the options. */
static size_t option_length(const char *text)
{
    size_t n = 2;
    if (strncmp(text, "--", 2) != 0 || !islower((unsigned char)text[2]))
        return 0;
    while (islower((unsigned char)text[n]) || isdigit((unsigned char)text[n]) || text[n] == '-')
        n++;
    return n;
}

/* Prints paragraphs separated by blank lines, with option names in bold. */
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
            /* man_put ends a paragraph only at two line ends */
            text += 2;
        }
    }
    putchar('\n');
}

/* ---- the tables */

/* The page has space for `about`; `help` is kept short enough for the columns of --help. */
static void put_option(const cli_option *o)
{
    fputs(".TP\n", stdout);
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    man_put(o->name, strlen(o->name));
    fputs("\\fR", stdout);
    if (o->argument) {
        fputs(cli_option_is_maybe(o) ? "[=" : " ", stdout);
        put_font('I', o->argument);
        fputs(cli_option_is_maybe(o) ? "]\n" : "\n", stdout);
    } else {
        putchar('\n');
    }
    man_put_paragraphs(o->about ? o->about : o->help);
}

/* Accepts a verb without options, whose table is NULL. */
static void put_options(const cli_option *o)
{
    for (; o && o->name; o++)
        put_option(o);
}

/* Fill mode is off: each verb is on its own line. */
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
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++) {
        printf("\\fBimpinge %s\\fR ", v->name);
        man_put(v->usage, strlen(v->usage));
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

static void put_package_verbs(void)
{
    fputs(".SH VERBS OF THE PYTHON PACKAGE\nTheir options are in their help, as 'impinge report "
          "\\-\\-help' prints it where the package is installed.\n",
          stdout);
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++) {
        printf(".SS %s\n", v->name);
        man_put_paragraphs(v->text);
        char install[200];
        snprintf(install, sizeof install, PACKAGE_WITH("%s"), v->extra);
        fputs(".PP\n.EX\n  ", stdout);
        man_put(install, strlen(install));
        fputs("\n  ", stdout);
        man_put(v->example, strlen(v->example));
        fputs("\n.EE\n", stdout);
    }
}

/* The second table is printed once, with the names of all verbs that have it. */
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
    put_package_verbs();
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
