/* Numbers for names, in order of first appearance. */
#ifndef IMP_NAMES_H
#define IMP_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct name_list {
    char **name;         /* [count] "file: group", or the part that is not empty */
    size_t count, bytes; /* bytes: allocated */
    void *tree;          /* of the same names, to find them */
} name_list;

/* The number of a name within a file; either may be "". IMP_ERR_MEMORY. */
int names_find(name_list *n, const char *file, const char *group, int32_t *out);
void names_free(name_list *n);

/* ---- Names as rows of runs of digits with text between. RUNS_MINUS before digits is the sign of a
 * negative number, which names.h puts in the place of a hyphen; it belongs to the run. */

#define RUNS_MINUS '\1'

int runs_is_digit(char c);

/* Does a run begin here? */
int runs_begin(const char *s);

/* How many characters the run has that begins at s, and how many of them, the sign and zeros, are
 * in front of others. */
size_t runs_digits(const char *s);
size_t runs_zeros(const char *s);

/* Two runs as numbers of any length. */
int runs_compare(const char *a, const char *b);

/* Order of names without regard to their numbers: 0 for those that differ in numbers only. */
int runs_compare_shapes(const char *a, const char *b);

/* The run number `column` of a name, or NULL if it has fewer. */
const char *runs_at(const char *name, size_t column);
size_t runs_count(const char *name);

/* Do names of one shape differ in this run? */
int runs_vary(char *const *name, size_t count, size_t column);

/* ---- Which hyphens in names of files are signs of negative numbers.
 *
 * A hyphen before digits is a sign at the beginning of a name and after one of "_.,=( -", as in
 * f_-10; after a letter only where another file has the same name without it: frame-1 beside
 * frame0, but not cloth-1 beside cloth-2; after a digit never, as in 2024-01-02. */

/* A copy of each name in which signs are RUNS_MINUS, for name_signs_free. IMP_ERR_MEMORY. */
int name_signs_read(char *const *file, size_t count, char ***out);
void name_signs_free(char **name, size_t count);

/* ---- Files as a sequence of frames: their order, the numbers in their names, their times. */

/* Natural order: digits are compared as the number they are, of any length, and folder by folder;
 * of equal numbers that with fewer zeros in front comes first. Names have RUNS_MINUS for signs;
 * sequence_sort finds these (names.h), so that f_-10 comes before f_-2. IMP_ERR_MEMORY. */
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
