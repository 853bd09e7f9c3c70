/* Names as rows of runs of digits with text between. RUNS_MINUS before digits is the sign of a
 * negative number, which name_signs.h puts in the place of a hyphen; it belongs to the run. */
#ifndef IMP_NAME_RUNS_H
#define IMP_NAME_RUNS_H

#include <stddef.h>

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

#endif
