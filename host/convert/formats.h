/* Formats of files that are not read, and their names: a message that names the format of a file
 * helps more than one that only refuses it. */
#ifndef IMP_FORMATS_H
#define IMP_FORMATS_H

#include <stddef.h>

/* What a file that begins like this is, or NULL: a text that follows "is". A NUL is behind the
 * head; `all`: bytes of the whole file, 0 if that is not known. */
const char *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all);

/* "; by its name it is ...", or "". The text is the thread's. */
const char *format_by_name(const char *path);

#endif
