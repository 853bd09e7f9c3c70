/* Errors within the library: a code, and one line of text kept for the thread that failed. */
#ifndef IMP_ERROR_H
#define IMP_ERROR_H

#include "impinge.h"

/* Sets the thread's text and returns code. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int imp_fail(int code, const char *format, ...);

/* How many texts this thread has set: shows whether a function of the caller's left one. */
unsigned long error_texts(void);

/* exit code of the program for an error code: error.def, `impinge help` */
int imp_exit_code(int code);

/* In a function with `int err = 0;` and a label `out:` that cleans up. */
#define TRY(expr)                                                                                  \
    do {                                                                                           \
        err = (expr);                                                                              \
        if (err)                                                                                   \
            goto out;                                                                              \
    } while (0)

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        err = imp_fail(__VA_ARGS__);                                                               \
        goto out;                                                                                  \
    } while (0)

#endif
