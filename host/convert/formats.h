/* Formats of files that are not read as text, and their names: a message that names the format of a
 * file helps more than one that only refuses it. */
#ifndef IMP_FORMATS_H
#define IMP_FORMATS_H

#include <stddef.h>

typedef struct format {
    const char *is;        /* a text that follows "is" */
    const char *ends;      /* file names; each ending is between blanks */
    int python;            /* impinge.convert of the Python package reads it */
    const char *begins[4]; /* contents, in any case, after blanks and empty lines */
    const char *holds;     /* NULL, or what the first bytes must have besides */
} format;

/* What messages of such formats end with. */
#define FORMAT_BY_PYTHON "; impinge.convert in Python does: pip install impinge[io]"

/* What a file that begins like this is, or NULL. A NUL is behind the head; `all`: bytes of the
 * whole file, 0 if that is not known. */
const format *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all);

/* "; by its name it is ...", or "". The text is the thread's. */
const char *format_by_name(const char *path);

/* Does the name end like that of a mesh which convert reads? */
int format_converts(const char *path);

#endif
