/* Something that several files may have and that is no error: one line for all of them. */
#ifndef IMP_NOTICE_H
#define IMP_NOTICE_H

#include "file_shape.h"

/* How many files have it, and where it was found first. */
typedef struct notice {
    size_t files;
    int one_file; /* they are frames of one */
    const char *file, *place;
    file_shape_note in_file;
} notice;

/* Only the first file is named: a series of a thousand files must not print a thousand lines. */
void notice_add(notice *n, const char *file, const char *place, const file_shape_note *in_file);

/* "FILE: PLACE LINE: WHAT; 3 such in this file; the same in 7 files in all" */
void notice_print(const notice *n, const char *what);

/* The end of such a line: in how many files. */
void notice_print_files(const notice *n);

#endif
