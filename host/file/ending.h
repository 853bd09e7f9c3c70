/* The ending of an output's name: one that belongs to another kind of file is a mistake. */
#ifndef IMP_ENDING_H
#define IMP_ENDING_H

enum ending { ENDING_HDF5, ENDING_CSV, ENDING_TEXT, ENDING_JSON, ENDING_OTHER };

/* What `option` writes to `path` is `is`. ARGUMENT if the ending is that of another kind of file;
 * the text says what writes that. Endings that are not known are allowed, and .txt for any text. */
int ending_check(const char *option, const char *path, enum ending is);

#endif
