/* Errors within the library: a code, and one line of text kept for the thread that failed. */
#ifndef IMP_ERROR_H
#define IMP_ERROR_H

#include "impinge.h"

#include <stddef.h>

/* Sets the thread's text and returns code. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int imp_fail(int code, const char *format, ...);

/* The number of texts that this thread has set; it tells whether a function of the caller set
 * one. */
unsigned long error_texts(void);

/* The thread's text and its number, so that a call that succeeds in the end can undo the texts of
 * what it tried in vain. */
typedef struct error_state {
    char text[1024];
    unsigned long texts;
} error_state;

void error_keep(error_state *out);
void error_restore(const error_state *from);

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

/* ---- Texts of files and users: recognises UTF-8 characters, and those that control a terminal or
 * a spreadsheet. */

/* Bytes of the UTF-8 character at *c, or 0 if it is not valid. Nothing after the NUL is read. */
size_t utf8_bytes(const char *c);

/* Returns whether the character at *c, with this number of bytes, controls a terminal or the order
 * of text: C0, DEL, C1, line separators, direction overrides. */
int utf8_controls(const char *c, size_t bytes);

/* Makes a text safe to be shown in one line: each control character, and each byte that is no
 * UTF-8, becomes '?'. */
void utf8_plain(char *text);

#endif
