/* Files in the user's cache folder, $XDG_CACHE_HOME/impinge or ~/.cache/impinge (auto_path). */
#ifndef IMP_CACHE_H
#define IMP_CACHE_H

/* A descriptor to append to the file, whose folders are made; -1 if that is not possible. */
int cache_open(const char *what);

/* Appends a line in one write, so that those of several processes do not mix. 0: not possible. */
int cache_append(const char *what, const char *line);

#endif
