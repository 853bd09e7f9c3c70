/* Files in the user's cache folder, $XDG_CACHE_HOME/impinge or ~/.cache/impinge. What is read there
 * becomes code that runs: so the folder and the file must belong to the user of the process, and
 * nobody else may write to them. Others are as if they did not exist. */
#ifndef IMP_CACHE_H
#define IMP_CACHE_H

#include <stddef.h>

/* The path of a file there. 0: the environment names no folder. */
int cache_path(const char *what, char *out, size_t size);

/* A descriptor to read the file; -1: it does not exist, or may not be used. */
int cache_read(const char *what);

/* Makes the folders of such a path, which is as before afterwards. 0: files may not be made there.
 */
int cache_folder(char *path);

/* The first file or folder of this process that may not be used, or NULL: for `run -v`. */
const char *cache_refused(void);

#endif
