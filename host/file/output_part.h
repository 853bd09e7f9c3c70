/* The names that texts have while they are written. They are impinge's own, so that what a killed
 * process leaves can be told from files of others, and the next one removes it. */
#ifndef IMP_OUTPUT_PART_H
#define IMP_OUTPUT_PART_H

/* Makes a new file for what becomes `path`, which messages call `name`: its name, which the caller
 * frees, and a descriptor that must stay open while it is written. Removes those that no process
 * writes any more. Errors: FILE, DISK, MEMORY. */
int output_part_make(const char *path, const char *name, char **part, int *descriptor);

/* Removes those of `path` that no process writes any more. */
void output_part_remove_stale(const char *path);

#endif
