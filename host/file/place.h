/* Which file a name means: through links, and before the file exists. */
#ifndef IMP_PLACE_H
#define IMP_PLACE_H

#include <sys/types.h>

/* A file by device and inode; one that does not exist by those of its folder and its name there. */
typedef struct file_identity {
    dev_t device;
    ino_t inode;
    char *name; /* NULL: the file exists */
} file_identity;

/* The end of the chain of symbolic links that begins at `path`, whether it exists or not; `path`
 * itself if that is no link. free() it. Errors: FILE (links in a circle), MEMORY. */
int file_path_target(const char *path, char **out);

/* The absolute name of the end of that chain; free() it. The same errors. */
int file_path_absolute(const char *path, char **out);

/* The name of `to` as seen from the folder of `from`, whose last parts need not exist and are not
 * followed; free() it. A link to it in the file `from` stays right where both are moved together.
 * Errors: FILE (a folder is not there), MEMORY. */
int file_path_relative(const char *from, const char *to, char **out);

/* The place of a name; its folder must exist. Errors: FILE, MEMORY. */
int file_identity_find(const char *path, file_identity *out);
void file_identity_free(file_identity *p);

int file_identity_same(const file_identity *a, const file_identity *b);

#endif
