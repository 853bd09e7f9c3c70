/* Runs the program `impinge` like a user: as another process, its output captured. */
#ifndef IMP_PROGRAM_H
#define IMP_PROGRAM_H

#include "testlib.h"

#include <sys/types.h>

#define PROGRAM_SIGNAL 1000 /* code of a program ended by a signal: this + its number */
#define PROGRAM_LATE (-1)   /* code of one that hung: it did not end in 10 minutes and was killed */

typedef struct ran {
    int code;
    double seconds, cpu; /* wall time; processor time */
    long peak;           /* peak memory in bytes; 0: no more than the test itself */
    char *out, *err;     /* its output, NUL-terminated */
} ran;

/* Runs IMP_PROGRAM with the arguments up to the first NULL. Free the result. */
#define RAN(...) program_run((const char *const[]){__VA_ARGS__, NULL})
ran program_run(const char *const *arguments);
void ran_free(ran *r);

/* Settings of the following runs; program_plain resets them. */
typedef struct program_how {
    const char *program;        /* instead of IMP_PROGRAM */
    const char *variable[8][2]; /* environment: name, value (NULL: unset) */
    uint64_t file_limit;        /* limit of a file's bytes, as for a full disk; 0: none */
    const char *std_in;         /* a file; NULL: empty */
    const char *std_out;        /* destination of stdout; NULL: captured */
    const char *printed;        /* prefix of the output files, if two run at a time */
    const char *std_err;        /* destination of stderr; NULL: captured */
    int humble;                 /* root has no right to files that their modes deny */
} program_how;
void program_set(const program_how *how);
void program_plain(void);
int program_can_be_humble(void);

/* program_run in two steps. */
typedef struct program {
    pid_t pid;
    double start;
    const char *out, *err; /* files of its output */
} program;
program program_start(const char *const *arguments);
ran program_wait(program *p);
int program_done(program *p); /* returns whether it has ended */

/* Waits until its processor time, which does not advance while others use a busy machine, reaches
 * cpu, or it has ended. */
void program_at(program *p, double cpu);

/* Waits until it is stopped (SIGSTOP); 0: it has ended instead. */
int program_stopped(program *p);

double program_clock(void); /* seconds */
void program_sleep(double seconds);

/* ---- files in test_folder() */

const char *at(const char *name); /* path of the name; valid until the end of the program */
int exists(const char *path);
/* path.part, or its temporary name before that; for a text path.impinge.part */
int exists_part(const char *path);
void copy_file(const char *from, const char *to);
long file_size(const char *path);
char *file_text(const char *path, size_t *size); /* NUL-terminated; the caller frees it */
void write_text(const char *path, const char *text);

/* ---- printed output */

size_t count_lines(const char *text);

/* ran_failed: the wanted code, and on stderr one line after warnings, with the words in it (NULL:
 * fewer). ran_well: exit 0 and an empty stderr; the last one: exit 0, with or without warnings.
 * Each prints the fault. */
int ran_failed(const ran *r, int code, const char *word, const char *word2);
int ran_well(const ran *r);
int ran_warned(const ran *r);

#endif
