/* Files as a sequence of frames: their order, the numbers in their names, their times. */
#ifndef IMP_SEQUENCE_H
#define IMP_SEQUENCE_H

#include <stddef.h>

/* Natural order: digits are compared as the number they are, of any length, and folder by folder;
 * of equal numbers that with fewer zeros in front comes first. Names have RUNS_MINUS for signs;
 * sequence_sort finds these (name_signs.h), so that f_-10 comes before f_-2. IMP_ERR_MEMORY. */
int sequence_compare(const char *a, const char *b);
int sequence_sort(char **file, size_t count);

/* Reports, a line at a time, numbers that are missing between others or given twice, in files with
 * names that differ in a number only; and steps greater than 1. IMP_ERR_MEMORY. */
int sequence_gaps(char *const *file, size_t count, void (*report)(const char *line));

/* Times from the number in each name in which they differ, times `step`: whole (0007) or with a
 * point (0.25). With `sort` the files are put in order of their times. IMP_ERR_INPUT, with the
 * file, where there is no such number, or times do not ascend. */
int sequence_times_of_names(char **file, size_t count, double step, int sort, double *time);

/* Times from a text file, one in a line; # begins a comment. IMP_ERR_INPUT, with the line, for a
 * word that is no number, times that do not ascend, and another number of times than of frames. */
int sequence_times_of_file(const char *path, size_t count, double *time);

#endif
