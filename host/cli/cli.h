/* The command line: each verb is a table of options and a function. Parsing, errors, help, the man
 * page and the shells' completion all come from the tables, so they cannot drift apart. */
#ifndef IMP_CLI_H
#define IMP_CLI_H

#include "impinge.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_type {
    CLI_FLAG,   /* int: set to 1 */
    CLI_TEXT,   /* const char * */
    CLI_COUNT,  /* uint64_t */
    CLI_SOME,   /* uint64_t > 0 */
    CLI_SIZE,   /* uint64_t bytes; K, M, G, T are powers of 1024 */
    CLI_REAL,   /* double > 0 */
    CLI_LENGTH, /* double >= 0 */
    CLI_CHOICE, /* int: number of the word in `argument`, "a|b|c" */
    CLI_MAYBE,  /* const char *: "" if given without =VALUE */
    CLI_LIST    /* cli_list: each time it is given one more */
};

typedef struct cli_list {
    const char **text; /* room for as many as there are words on the command line */
    size_t count;
} cli_list;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* -x, or 0 */
    enum cli_type type;
    size_t offset;        /* of its value in the verb's struct */
    const char *argument; /* how help calls the value: words in small letters are to be given so */
    const char *help;
    const char *about; /* what the man page says instead; NULL: the same as help */
} cli_option;

typedef struct cli_verb {
    const char *name, *usage, *text;  /* usage: what follows the verb; text: one line */
    const cli_option *options, *more; /* two tables, either may be NULL; more: what chooses work */
    const char *examples;
    int (*run)(int argc, char **argv); /* returns the exit code of the program */
    const char *about;                 /* more for the man page: paragraphs, or NULL */
    const char *one;                   /* takes at most one of these; NULL: any number */
    const char *(*words)(size_t i);    /* and it is one of these words; NULL: a file */
} cli_verb;

/* Reads options into *values and collects what is not an option into argv[0 .. *count - 1]. Of an
 * option given twice the last counts, but for lists. Returns -1 to go on; else the exit code: 0
 * after --help and
 * --version, 2 after a usage error. */
int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count);

/* Prints "impinge VERB: text; try ..." and returns 2. */
int cli_usage_error(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints one line, whatever names from the command line or from files may hold. */
void cli_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the error text of the library as one line and returns the exit code for `err`. */
int cli_fail(int err);

/* "1.5G" and the like. Returns 0 if text is not a size. */
int cli_size(const char *text, uint64_t *out);

/* A number, 0 or more. Returns 0 if text is none. */
int cli_length(const char *text, double *out);

/* Which of the words "a|b|c" text is, from 0. Returns 0 if none. */
int cli_choice(const char *text, const char *choices, int *out);

/* Word n of them, which there is, in out[]. */
const char *cli_choice_word(const char *choices, int n, char *out, size_t size);

/* ---- what there is */

/* The verbs; NULL ends the list. */
extern const cli_verb *const cli_verbs[];
extern const cli_verb verb_run, verb_convert, verb_generate, verb_info, verb_check, verb_devices,
    verb_bench, verb_help, verb_version;
const cli_verb *cli_verb_find(const char *name); /* or NULL */

/* Says that there is no such verb and which one may be meant; returns 2. */
int cli_no_verb(const char *word);
const char *cli_no_words(size_t i); /* `words` of a verb that takes none */

/* Number i of the options of a verb, of both tables and those of all verbs; NULL past the end. */
const cli_option *cli_option_at(const cli_verb *verb, size_t i);
int cli_takes_value(const cli_option *o); /* as a word of its own; --json does not */
extern const cli_option cli_common[];     /* of all verbs: help, version */

/* Exit codes and what they mean; a row without code ends the list. */
typedef struct cli_exit {
    const char *code, *text;
} cli_exit;
extern const cli_exit cli_exits[];

/* ---- texts */

void cli_help(const cli_verb *verb);
void cli_help_all(FILE *out);
void cli_version(void);

/* Prints text within 80 columns, each line after the first from column `left` on; `at` is where the
 * first begins. */
void cli_wrap(FILE *out, const char *text, int at, int left);

void cli_man(void); /* the man page, as troff */
void cli_completion_bash(void);
void cli_completion_zsh(void);

/* A word much like another one. */
typedef struct cli_near {
    const char *word; /* what was given, `length` characters of it */
    size_t length;
    const char *best; /* the nearest so far, or NULL if none is near */
    size_t distance;
} cli_near;
void cli_near_try(cli_near *n, const char *candidate);

#endif
