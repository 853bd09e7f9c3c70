/* The command line: each verb is a table of options and a function. Parsing, errors, help, the man
 * page and shell completion are all generated from the tables, so they always agree. */
#ifndef IMP_CLI_H
#define IMP_CLI_H

#include "impinge.h"
#include "json.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_type {
    CLI_FLAG,   /* set to 1 */
    CLI_TEXT,   /* any text */
    CLI_COUNT,  /* a whole number, above 0 */
    CLI_SOME,   /* a whole number above 0 */
    CLI_NUMBER, /* one of the whole numbers in `argument`, "6|8" */
    CLI_SIZE,   /* bytes; K, M, G, T are powers of 1024 */
    CLI_REAL,   /* above 0 */
    CLI_LENGTH, /* 0 or above */
    CLI_LIMIT,  /* the same, where 0 differs from an option that was not given */
    CLI_CHOICE, /* index of one of the words in `argument`, "a|b|c", from 0 */
    CLI_WORD,   /* the same, from 1; 0: not given */
    CLI_MAYBE,  /* a file; "" if given without =VALUE; the next word is its value, too, if it ends
                 * in .json */
    CLI_NEXT,   /* a text, the same; the next word is its value, too, unless it begins with '-' or
                 * is a file */
    CLI_LIST    /* texts; each use of the option appends one */
};

typedef struct cli_list {
    const char **text; /* [words of the command line], the first `count` are set */
    size_t count;
} cli_list;

/* Types of the member that holds the value, by option type. */
typedef int cli_FLAG, cli_CHOICE, cli_WORD;
typedef const char *cli_TEXT, *cli_MAYBE, *cli_NEXT;
typedef uint64_t cli_COUNT, cli_SOME, cli_NUMBER, cli_SIZE;
typedef double cli_REAL, cli_LENGTH;
typedef struct cli_LIMIT {
    int given;
    double most;
} cli_LIMIT;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* -x, or 0 */
    enum cli_type type;
    size_t offset;        /* offset of the value in the verb's struct */
    const char *argument; /* placeholder of the value in help; words in small letters are literal */
    const char *help;
    const char *about;  /* text of the man page; NULL: the same as help */
    uint64_t low, high; /* range of COUNT and SOME; 0: unlimited */
    const char *method; /* the broad method that the option belongs to, or NULL */
    int needed;         /* the command line is incomplete without it */
} cli_option;

#define CLI_THREADS_MOST 4096

/* Options shared by several verbs; their structs have members of these names. */
#define CLI_OUTPUT(type, argument, help)                                                           \
    "output", 'o', CLI_TEXT, offsetof(type, out), argument, help
#define CLI_JSON(type, help) "json", 0, CLI_MAYBE, offsetof(type, json), "FILE", help
#define CLI_FORCE(type, help) "force", 0, CLI_FLAG, offsetof(type, force), NULL, help
#define CLI_THREADS(type, help)                                                                    \
    "threads", 0, CLI_SOME, offsetof(type, threads), "N", help, .high = CLI_THREADS_MOST
#define CLI_FLOAT32(type)                                                                          \
    "float32", 0, CLI_FLAG, offsetof(type, float32), NULL,                                         \
        "write points as float32 (default: float64)"
#define CLI_PROGRESS(type)                                                                         \
    "progress", 0, CLI_CHOICE, offsetof(type, progress), "auto|always|never",                      \
        "progress on stderr; auto: only on a terminal (default: auto)"
#define CLI_QUIET(type)                                                                            \
    "quiet", 'q', CLI_FLAG, offsetof(type, quiet), NULL, "print nothing but warnings and errors"

typedef struct cli_verb {
    const char *name, *usage, *text;  /* usage: the words after the verb; text: one line */
    const cli_option *options, *more; /* two tables, either may be NULL; more: the job's options */
    const char *examples;
    int (*run)(int argc, char **argv); /* returns the program's exit code */
    const char *about;                 /* more paragraphs for the man page, or NULL */
    const char *least;                 /* the error if no file is given; NULL: none is needed */
    const char *one;                   /* the verb takes at most one of these; NULL: any number */
    const char *(*words)(size_t i);    /* the argument must be one of these words; NULL: a file */
} cli_verb;

/* Reads options into *values and collects all other words in argv[0 .. *count - 1]. If an option is
 * given twice, the last one counts, except for lists. Returns -1 to continue; else the exit code: 0
 * after --help and --version, 2 after a usage error. */
int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count);

/* Sets an option in *values. Returns NULL, or a description of the expected value if `text` is not
 * valid. */
const char *cli_set(const cli_option *o, const char *text, void *values);

/* Returns the value of an option in the form that cli_set reads, stored in out[] unless it is a
 * text; "" for the default, all zero. Not for lists. */
#define CLI_TEXT_MOST 64
const char *cli_value_text(const cli_option *o, const void *values, char out[CLI_TEXT_MOST]);

/* Writes the command line for people to read, cut at `size`. argv[0] is the verb's first word. */
void cli_command_line(int argc, char **argv, char *out, size_t size);

/* Prints "impinge VERB: text; try ..." and returns 2. */
int cli_usage_error(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns a formatted text in one line, which the caller frees; NULL without memory. Control
 * characters in names from the command line or from files become '?' (utf8_plain). */
char *cli_format(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Returns a text from a file or a user with control characters replaced likewise, for printing.
 * Valid for a few calls. */
#define CLI_SHOWN_MOST 8
const char *cli_shown(const char *text);

/* Formats 1234567 as "1,234,567"; the last few results stay valid. */
const char *cli_number_text(uint64_t n);

/* Formats "1 frame", "2,000 frames". */
const char *cli_count_text(uint64_t n, const char *noun);

/* Prints a formatted text as cli_format makes it. */
void cli_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list in a message: its first items and the number of further ones. Zeroed at first. */
#define CLI_ITEMS_MOST 8
typedef struct cli_items {
    char text[CLI_ITEMS_MOST * 70 + 40];
    size_t used, count;
} cli_items;
void cli_items_add(cli_items *l, const char *item); /* cuts a long item: its beginning and "..." */
const char *cli_items_text(cli_items *l); /* "a, b and 3 more"; called once, after all items */

/* Prints the error text of the library as one line and returns the exit code for `err`. */
int cli_fail(int err);

/* Parses a size such as "1.5G". Returns 0 if text is not one. */
int cli_size(const char *text, uint64_t *out);

/* Parses a number, 0 or above. Returns 0 if text is not one. */
int cli_length(const char *text, double *out);

/* Copies word n of "a|b|c" to out[]. */
const char *cli_choice_word(const char *choices, int n, char *out, size_t size);

/* ---- the verbs and their options */

/* All verbs; NULL ends the list. */
extern const cli_verb *const cli_verbs[];
extern const cli_verb verb_run, verb_convert, verb_generate, verb_info, verb_check, verb_merge,
    verb_events, verb_devices, verb_bench, verb_pcs, verb_help, verb_version;
const cli_verb *cli_verb_find(const char *name); /* NULL if there is no such verb */

/* A verb of the Python package, from package_verbs.def. */
typedef struct cli_package_verb {
    const char *name, *extra, *usage, *text, *example;
} cli_package_verb;
extern const cli_package_verb cli_package_verbs[]; /* one without a name ends the list */
const cli_package_verb *cli_package_verb_find(const char *name); /* NULL if there is none */
void cli_package_help(const cli_package_verb *verb);

/* Reports an unknown verb, with the nearest known one; returns 2. */
int cli_no_verb(const char *word);
const char *cli_no_words(size_t i); /* the `words` of a verb that takes no arguments */

/* Option i of a verb, counted over both tables and the common options; NULL past the end. */
const cli_option *cli_option_at(const cli_verb *verb, size_t i);
const cli_option *cli_option_of_letter(const cli_verb *verb, char letter); /* or NULL */
int cli_option_has_value(const cli_option *o); /* as a word of its own, unlike --json */
int cli_option_is_maybe(const cli_option *o);  /* its value may be left out */
extern const cli_option cli_common[];          /* options of all verbs: help, version */

/* Exit codes and their meaning; a row whose code is NULL ends the list. */
typedef struct cli_exit {
    const char *code, *text;
} cli_exit;
extern const cli_exit cli_exits[];

/* ---- texts */

void cli_help(const cli_verb *verb);
void cli_help_all(FILE *out);
void cli_version(void);

/* Prints text within 80 columns; the first line begins at column `at`, later ones at `column`. */
void cli_wrap(FILE *out, const char *text, int at, int column);

void cli_man(void); /* the man page, as troff */
void cli_completion_bash(void);
void cli_completion_zsh(void);

/* The search for the most similar known word. */
typedef struct cli_near {
    const char *word; /* the given word, `length` characters */
    size_t length;
    const char *best; /* the nearest candidate so far, or NULL if none is near */
    size_t distance;
} cli_near;
void cli_near_try(cli_near *n, const char *candidate);

/* The right form for a wrong command line, as the end of an error; "" if none is likely. Valid
 * until the next call. For the second of several words, where the verb takes one: the value of an
 * option that is missing, or one of several meshes. For an option that is missing: the last word,
 * or the verb that comes first. argv[0 .. count - 1] are the words. */
const char *cli_second_hint(const cli_verb *verb, const void *values, char **argv, int count);
const char *cli_needed_hint(const cli_verb *verb, const cli_option *o, char **argv, int count);

/* ---- The remark on a mesh whose neighbours share no vertex (imp_is_unwelded). */

/* Valid until the next call. noun: its primitives, "triangle"; where: the part of the mesh that was
 * examined, "" or " of its first slab". */
const char *unwelded_text(uint64_t primitives, const char *noun, const char *where,
                          double fraction);

/* ---- The program's end if GMP runs out of memory; by itself GMP would abort. */

/* From now on such a failure prints one line and exits with code 5. GMP's functions cannot return
 * an error, so the process ends at once, in any thread. Files are left as after a kill: run
 * --resume continues from the last committed frame. */
void gmp_memory_guard(void);

/* ---- The number of OpenMP threads, and how they wait. */

/* Called first in main. May execute the program again, in the same process. */
void omp_start(char **argv);

/* ---- Warnings: the answer is right but may not be the one that the user meant, above all if it is
 * empty. They are lines on stderr, also with --quiet, and texts in --json. */

typedef struct warnings {
    char **text;
    size_t count, capacity;
} warnings;

/* Prints the warning at once and keeps it. */
void warnings_add(warnings *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the member `warnings` of a document. */
void warnings_json(json *j, const warnings *w);
void warnings_free(warnings *w);

#endif
