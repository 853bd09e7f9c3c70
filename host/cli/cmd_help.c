/* impinge help and impinge version, and the list of verbs. */
#include "cli.h"

#include "h5.h"
#include "formats.h"

#include <string.h>
#include <unistd.h>

/* In the order of the help text: what is used first comes first. */
const cli_verb *const cli_verbs[] = {&verb_run,   &verb_convert, &verb_generate, &verb_info,
                                     &verb_check, &verb_merge,   &verb_pcs,      &verb_devices,
                                     &verb_bench, &verb_help,    &verb_version,  NULL};

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

/* A verb with this function takes no words at all: check_words compares with it. */
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

/* Verbs that the command of the Python package adds (python/impinge/program.py). */
static const char *const python_verbs[] = {"report", NULL};

static int is_python_verb(const char *word)
{
    const char *const *v = python_verbs;
    while (*v && strcmp(*v, word) != 0)
        v++;
    return *v != NULL;
}

/* Reports the most likely mistake: a word near a verb, a file, or an option before the verb. */
int cli_no_verb(const char *word)
{
    /* "--run" probably means "run" */
    const char *plain = word + strspn(word, "-");
    cli_near near = {.word = plain, .length = strlen(plain)};
    if (is_python_verb(word)) {
        cli_line(stderr, "impinge: %s is a verb of the Python package: pip install 'impinge[%s]'",
                 word, word);
        return 2;
    }
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        cli_near_try(&near, (*v)->name);
    /* a file whose name is near a verb is more likely a verb */
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

/* At most one of them was given. */
static void print_help(const help_options *o, const cli_verb *verb)
{
    if (o->man)
        cli_man();
    else if (o->completion == COMPLETION_BASH)
        cli_completion_bash();
    else if (o->completion == COMPLETION_ZSH)
        cli_completion_zsh();
    else if (verb)
        cli_help(verb);
    else
        cli_help_all(stdout);
}

/* An unknown verb is reported as without `help`, with the nearest one. */
static int help(int argc, char **argv)
{
    help_options o = {.completion = COMPLETION_NONE};
    int count, code = cli_parse(&verb_help, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    const cli_verb *verb = count ? cli_verb_find(argv[0]) : NULL;
    if (count && !verb)
        return cli_no_verb(argv[0]);
    if (count + o.man + (o.completion != COMPLETION_NONE) > 1)
        return cli_usage_error(&verb_help, "either VERB or --man or --completion");
    print_help(&o, verb);
    return 0;
}

/* For the completion of command lines. */
static const char *verb_word(size_t i)
{
    return cli_verbs[i] ? cli_verbs[i]->name : NULL;
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
    /* the library that was loaded, not the headers that were compiled with */
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
