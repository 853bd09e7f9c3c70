/* The command line: each verb is a table of options and a function. Help and errors come from the
 * table, so they cannot drift apart. */
#ifndef IMP_CLI_H
#define IMP_CLI_H

#include "impinge.h"

#include <stddef.h>
#include <stdint.h>

enum cli_type {
    CLI_FLAG,   /* int: set to 1 */
    CLI_TEXT,   /* const char * */
    CLI_COUNT,  /* uint64_t */
    CLI_SIZE,   /* uint64_t bytes; K, M, G, T are powers of 1024 */
    CLI_REAL,   /* double > 0 */
    CLI_LENGTH, /* double >= 0 */
    CLI_CHOICE, /* int: number of the word in `argument`, "a|b|c" */
    CLI_MAYBE   /* const char *: "" if given without =VALUE */
};

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* -x, or 0 */
    enum cli_type type;
    size_t offset;        /* of its value in the verb's struct */
    const char *argument; /* how help calls the value */
    const char *help;
} cli_option;

typedef struct cli_verb {
    const char *name, *usage, *text;  /* usage: what follows the verb; text: one line */
    const cli_option *options, *more; /* two tables, either may be NULL */
    const char *examples;
    int (*run)(int argc, char **argv); /* returns the exit code of the program */
} cli_verb;

/* Reads options into *values and collects what is not an option into argv[0 .. *count - 1].
 * Returns -1 to go on; else the exit code: 0 after --help, 2 after a usage error. */
int cli_parse(const cli_verb *verb, int argc, char **argv, void *values, int *count);

void cli_help(const cli_verb *verb);

/* Prints "impinge VERB: text; try ..." and returns 2. */
int cli_usage_error(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the error text of the library as one line and returns the exit code for `err`. */
int cli_fail(int err);

/* "1.5G" and the like. Returns 0 if text is not a size. */
int cli_size(const char *text, uint64_t *out);

/* Which of the words "a|b|c" text is, from 0. Returns 0 if none. */
int cli_choice(const char *text, const char *choices, int *out);

/* The verbs. */
extern const cli_verb verb_run, verb_convert, verb_generate, verb_info, verb_check, verb_devices,
    verb_bench;

#endif
