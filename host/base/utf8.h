/* Texts of files and users: which bytes are characters, and which of these a terminal or a
 * spreadsheet would obey. */
#ifndef IMP_UTF8_H
#define IMP_UTF8_H

#include <stddef.h>

/* Bytes of the character at *c in UTF-8, or 0 if it is none. Nothing after the NUL is read. */
size_t utf8_bytes(const char *c);

/* Is the character at *c, of that number of bytes, one that controls a terminal or the order of
 * text: C0, DEL, C1, separators of lines, overrides of direction? */
int utf8_controls(const char *c, size_t bytes);

/* Makes a text safe to be shown in one line: each control character, and each byte that is no
 * UTF-8, becomes '?'. */
void utf8_plain(char *text);

#endif
