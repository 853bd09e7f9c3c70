/* Files in the user's cache folder, $XDG_CACHE_HOME/impinge or ~/.cache/impinge. Their content
 * becomes code that runs, so the folder and the file must belong to the user of the process, and
 * nobody else may write to them. Others are treated as nonexistent. */
#ifndef IMP_CACHE_H
#define IMP_CACHE_H

#include <stddef.h>

/* Writes the path of a file in the cache folder. Returns 0 if the environment names no folder. */
int cache_path(const char *what, char *out, size_t size);

/* Returns a descriptor to read the file, or -1 if it does not exist or may not be used. */
int cache_read(const char *what);

/* Makes the folders of such a path; the string is restored afterwards. Returns 0 if files may not
 * be made there. */
int cache_folder(char *path);

/* The first file or folder that this process may not use, or NULL: for `run -v`. */
const char *cache_refused(void);

#endif
