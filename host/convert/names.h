/* Numbers for names, in order of first appearance. */
#ifndef IMP_NAMES_H
#define IMP_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct name_list {
    char **name;         /* [count] "file: group", or the nonempty part */
    size_t count, bytes; /* bytes: allocated */
    void *tree;          /* finds the same names */
} name_list;

/* The number of a name in a file; either may be "". IMP_ERR_MEMORY. */
int names_find(name_list *n, const char *file, const char *group, int32_t *out);
void names_free(name_list *n);

/* ---- Names as sequences of runs of digits with text between. RUNS_MINUS before digits is the sign
 * of a negative number, which replaces a hyphen (name_signs_read); it belongs to the run. */

#define RUNS_MINUS '\1'

int runs_is_digit(char c);

/* Returns whether a run begins here. */
int runs_begin(const char *s);

/* Number of characters of the run that begins at s, and of those in front: the sign and leading
 * zeros. */
size_t runs_digits(const char *s);
size_t runs_zeros(const char *s);

/* Compares two runs as numbers of any length. */
int runs_compare(const char *a, const char *b);

/* Compares names without their numbers: 0 if they differ in numbers only. */
int runs_compare_shapes(const char *a, const char *b);

/* Run number `column` of a name, or NULL if it has fewer. */
const char *runs_at(const char *name, size_t column);
size_t runs_count(const char *name);

/* Returns whether names of one shape differ in this run. */
int runs_vary(char *const *name, size_t count, size_t column);

/* ---- The hyphens in file names that are signs of negative numbers.
 *
 * A hyphen before digits is a sign at the beginning of a name and after one of "_.,=( -", as in
 * f_-10; after a letter only where another file has the same name without it: frame-1 beside
 * frame0, but not cloth-1 beside cloth-2; after a digit never, as in 2024-01-02. */

/* Copies the names with RUNS_MINUS for signs; release with name_signs_free. IMP_ERR_MEMORY. */
int name_signs_read(char *const *file, size_t count, char ***out);
void name_signs_free(char **name, size_t count);

/* ---- Files as a sequence of frames: their order, the numbers in their names, their times. */

/* Natural order: digits are compared as numbers of any length, folder by folder; of equal numbers,
 * the one with fewer leading zeros is first. Names have RUNS_MINUS for signs; sequence_sort finds
 * these, so that f_-10 is before f_-2. IMP_ERR_MEMORY. */
int sequence_compare(const char *a, const char *b);
int sequence_sort(char **file, size_t count);

/* Reports, line by line, missing or repeated numbers in files whose names differ in one number
 * only, and steps greater than 1. IMP_ERR_MEMORY. */
int sequence_gaps(char *const *file, size_t count, void (*report)(const char *line));

/* Times from the number in which the names differ, times `step`: whole (0007) or with a point
 * (0.25). With `sort`, the files are sorted by time. IMP_ERR_INPUT, naming the file, if there is no
 * such number, or times do not ascend. */
int sequence_times_of_names(char **file, size_t count, double step, int sort, double *time);

/* Times from a text file, one per line; # begins a comment. IMP_ERR_INPUT, naming the line, for a
 * word that is not a number, times that do not ascend, or a number of times other than `count`. */
int sequence_times_of_file(const char *path, size_t count, double *time);

#endif
