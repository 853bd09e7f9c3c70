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

/* ---- Texts of files and users: which bytes are characters, and which of these a terminal or a
 * spreadsheet would obey. */

/* Bytes of the character at *c in UTF-8, or 0 if it is none. Nothing after the NUL is read. */
size_t utf8_bytes(const char *c);

/* Is the character at *c, of that number of bytes, one that controls a terminal or the order of
 * text: C0, DEL, C1, separators of lines, overrides of direction? */
int utf8_controls(const char *c, size_t bytes);

/* Makes a text safe to be shown in one line: each control character, and each byte that is no
 * UTF-8, becomes '?'. */
void utf8_plain(char *text);

#endif
