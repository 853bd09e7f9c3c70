/* Running the program `impinge` as a user does: another process, its output caught. */
#ifndef IMP_PROGRAM_H
#define IMP_PROGRAM_H

#include "testlib.h"

#include <sys/types.h>

#define PROGRAM_SIGNAL 1000 /* code of a program that a signal ended: this + its number */
#define PROGRAM_LATE (-1)   /* code of one that hung: it did not end in 10 minutes and was killed */

typedef struct ran {
    int code;
    double seconds, cpu; /* that passed, and that it computed */
    long peak;           /* bytes of memory; 0: no more than the test itself */
    char *out, *err;     /* what it printed, with a NUL at the end */
} ran;

/* Runs IMP_PROGRAM with the arguments up to the first NULL. Free the result. */
#define RAN(...) program_run((const char *const[]){__VA_ARGS__, NULL})
ran program_run(const char *const *arguments);
void ran_free(ran *r);

/* How the next ones run; program_plain undoes all. */
typedef struct program_how {
    const char *program;        /* instead of IMP_PROGRAM */
    const char *variable[8][2]; /* environment: name, value (NULL: unset) */
    uint64_t file_limit;        /* bytes that a file may have; more is a full disk; 0: any */
    const char *std_in;         /* a file; NULL: nothing */
    const char *std_out;        /* where stdout goes; NULL: it is caught */
    const char *printed;        /* files for what is printed begin so, if two run at a time */
    const char *std_err;        /* where stderr goes; NULL: it is caught */
    int humble;                 /* root has no right to files that their modes deny */
} program_how;
void program_set(const program_how *how);
void program_plain(void);
int program_can_be_humble(void);

/* The same in two steps. */
typedef struct program {
    pid_t pid;
    double start;
    const char *out, *err; /* files for what it prints */
} program;
program program_start(const char *const *arguments);
ran program_wait(program *p);
int program_done(program *p); /* it has ended, or is about to be waited for */

/* Waits until it has computed for so long, by its own clock, which a busy machine does not advance,
 * or has ended. */
void program_at(program *p, double cpu);

/* Waits until it is stopped (SIGSTOP); 0: it has ended instead. */
int program_stopped(program *p);

double program_clock(void); /* seconds */
void program_sleep(double seconds);

/* ---- files in test_folder() */

const char *at(const char *name); /* its path; valid for good */
int exists(const char *path);
/* path.part, or what it is before it has that name; of a text path.impinge.part */
int exists_part(const char *path);
void copy_file(const char *from, const char *to);
long file_size(const char *path);
char *file_text(const char *path, size_t *size); /* with a NUL at the end; the caller frees */
void write_text(const char *path, const char *text);

/* ---- what was printed */

size_t count_lines(const char *text);

/* Code as wanted, and on stderr one line behind warnings, with the words in it (NULL: fewer); exit
 * 0 without a word on stderr; exit 0, with or without warnings. Each says what is wrong. */
int ran_failed(const ran *r, int code, const char *word, const char *word2);
int ran_well(const ran *r);
int ran_warned(const ran *r);

#endif
