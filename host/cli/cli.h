/* The command line: each verb is a table of options and a function. Parsing, errors, help, the man
 * page and the shells' completion all come from the tables, so they always agree. */
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
    CLI_COUNT,  /* a whole number */
    CLI_SOME,   /* a whole number above 0 */
    CLI_NUMBER, /* one of the whole numbers in `argument`, "6|8" */
    CLI_SIZE,   /* bytes; K, M, G, T are powers of 1024 */
    CLI_REAL,   /* above 0 */
    CLI_LENGTH, /* 0 or more */
    CLI_CHOICE, /* which of the words in `argument`, "a|b|c", from 0 on */
    CLI_WORD,   /* the same from 1 on; 0: not given */
    CLI_MAYBE,  /* a text, "" if given without =VALUE */
    CLI_LIST    /* texts: each time it is given one more */
};

typedef struct cli_list {
    const char **text; /* [words of the command line]; the first `count` are set */
    size_t count;
} cli_list;

/* The member that holds the value, by type. */
typedef int cli_FLAG, cli_CHOICE, cli_WORD;
typedef const char *cli_TEXT, *cli_MAYBE;
typedef uint64_t cli_COUNT, cli_SOME, cli_NUMBER, cli_SIZE;
typedef double cli_REAL, cli_LENGTH;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* -x, or 0 */
    enum cli_type type;
    size_t offset;        /* of its value in the verb's struct */
    const char *argument; /* how help calls the value: words in small letters are literal */
    const char *help;
    const char *about;  /* the text of the man page; NULL: the same as help */
    uint64_t low, high; /* of COUNT and SOME; 0: any */
    const char *method; /* the broad method that it belongs to, or NULL */
    int needed;         /* without it the command line is not complete */
} cli_option;

#define CLI_THREADS_MOST 4096

/* Options that several verbs have, in a struct with members of these names. */
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
    const char *name, *usage, *text;  /* usage: what follows the verb; text: one line */
    const cli_option *options, *more; /* two tables, either may be NULL; more: what chooses work */
    const char *examples;
    int (*run)(int argc, char **argv); /* returns the exit code of the program */
    const char *about;                 /* more for the man page: paragraphs, or NULL */
    const char *least;                 /* the error where no file is given; NULL: that is allowed */
    const char *one;                   /* takes at most one of these; NULL: any number */
    const char *(*words)(size_t i);    /* and it is one of these words; NULL: a file */
} cli_verb;

/* Reads options into *values and collects what is not an option into argv[0 .. *count - 1]. If an
 * option is given twice the last counts, except for lists. Returns -1 to continue; else the exit
 * code: 0 after --help and --version, 2 after a usage error. */
int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count);

/* Sets an option in *values. Returns what was expected instead of `text`, or NULL. */
const char *cli_set(const cli_option *o, const char *text, void *values);

/* The value of an option as cli_set reads it, in out[] if it is no text; "" if it has the default,
 * all zero. Not of lists. */
#define CLI_TEXT_MOST 64
const char *cli_value_text(const cli_option *o, const void *values, char out[CLI_TEXT_MOST]);

/* The command line as a text for people: cut at `size`. argv[0] is the verb's first word. */
void cli_command_line(int argc, char **argv, char *out, size_t size);

/* Prints "impinge VERB: text; try ..." and returns 2. */
int cli_usage_error(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A formatted text in one line, which the caller frees; NULL without memory. Control characters in
 * names from the command line or from files become '?' (utf8_plain). */
char *cli_format(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* A text of a file or a user as it may be printed: the same. Valid for a few calls. */
#define CLI_SHOWN_MOST 8
const char *cli_shown(const char *text);

/* 1234567 as "1,234,567"; the last few results stay valid. */
const char *cli_number_text(uint64_t n);

/* "1 frame", "2,000 frames" */
const char *cli_count_text(uint64_t n, const char *noun);

/* Prints a formatted text as cli_format makes it. */
void cli_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list in a message: its first items, and how many more there are. Begins zeroed. */
#define CLI_ITEMS_MOST 8
typedef struct cli_items {
    char text[CLI_ITEMS_MOST * 70 + 40];
    size_t used, count;
} cli_items;
void cli_items_add(cli_items *l, const char *item); /* of a long one the beginning and "..." */
const char *cli_items_text(cli_items *l);           /* "a, b and 3 more"; complete: call it once */

/* Prints the error text of the library as one line and returns the exit code for `err`. */
int cli_fail(int err);

/* A size such as "1.5G". Returns 0 if text is not one. */
int cli_size(const char *text, uint64_t *out);

/* A number, 0 or more. Returns 0 if text is not one. */
int cli_length(const char *text, double *out);

/* Word n of the words "a|b|c", in out[]. */
const char *cli_choice_word(const char *choices, int n, char *out, size_t size);

/* ---- the verbs and their options */

/* The verbs, up to a NULL. */
extern const cli_verb *const cli_verbs[];
extern const cli_verb verb_run, verb_convert, verb_generate, verb_info, verb_check, verb_merge,
    verb_devices, verb_bench, verb_pcs, verb_help, verb_version;
const cli_verb *cli_verb_find(const char *name); /* or NULL */

/* Reports that there is no such verb, and which one may be meant; returns 2. */
int cli_no_verb(const char *word);
const char *cli_no_words(size_t i); /* `words` of a verb that takes no file and no word */

/* Number i of the options of a verb, of both tables and those of all verbs; NULL past the end. */
const cli_option *cli_option_at(const cli_verb *verb, size_t i);
int cli_option_has_value(const cli_option *o); /* as a word of its own; --json does not */
extern const cli_option cli_common[];          /* of all verbs: help, version */

/* Exit codes and their meaning; a row without code ends the list. */
typedef struct cli_exit {
    const char *code, *text;
} cli_exit;
extern const cli_exit cli_exits[];

/* ---- texts */

void cli_help(const cli_verb *verb);
void cli_help_all(FILE *out);
void cli_version(void);

/* Prints text within 80 columns, each line after the first from `column` on; the first begins at
 * `at`. */
void cli_wrap(FILE *out, const char *text, int at, int column);

void cli_man(void); /* the man page, as troff */
void cli_completion_bash(void);
void cli_completion_zsh(void);

/* The search for the word that was meant. */
typedef struct cli_near {
    const char *word; /* what was given, `length` characters of it */
    size_t length;
    const char *best; /* the nearest candidate so far, or NULL if none is near */
    size_t distance;
} cli_near;
void cli_near_try(cli_near *n, const char *candidate);

/* ---- What is said of a mesh whose neighbours share no vertex (imp_is_unwelded). */

/* Valid until the next call. noun: of its primitives, "triangle"; `where`: of which part of the
 * mesh they are, "" or " of its first slab". */
const char *unwelded_text(uint64_t primitives, const char *noun, const char *where,
                          double fraction);

/* ---- How the program ends where GMP finds no memory, which by itself would abort. */

/* From now on: one line, and exit code 5. Its functions cannot fail, so nobody above them is asked,
 * and the process ends at once, in whichever thread. Files are as after a kill: run --resume goes
 * on from the last committed frame. */
void gmp_memory_guard(void);

/* ---- How many threads OpenMP has, and how they wait. */

/* To be called first in main. The program may execute itself again, in the same process. */
void omp_start(char **argv);

/* ---- Warnings: an answer is right, but may not be what was meant, above all if it is empty. Lines
 * on stderr, also with --quiet, and texts in --json. */

typedef struct warnings {
    char **text;
    size_t count, capacity;
} warnings;

/* Prints it at once and keeps it. */
void warnings_add(warnings *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The member `warnings` of a document. */
void warnings_json(json *j, const warnings *w);
void warnings_free(warnings *w);

#endif
