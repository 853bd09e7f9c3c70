/* Machine-readable output of the benchmark programs: with --csv FILE a line for each figure,
 * "table,row,column,kind,value". bench/programs.py stores and compares them. Without --csv nothing
 * is written. Failures end the program. */
#ifndef BENCH_SHEET_H
#define BENCH_SHEET_H

#include <stdint.h>

/* Removes --csv FILE from the arguments, at any position, and opens the file. */
void sheet_open(int *argc, char **argv);

/* A count is the same on every machine and in every run; seconds and numbers are not. Row and
 * column may contain commas, but no quotes. */
void sheet_count(const char *table, const char *row, const char *column, uint64_t value);
void sheet_seconds(const char *table, const char *row, const char *column, double value);
void sheet_number(const char *table, const char *row, const char *column, double value);

/* Completes the file. */
void sheet_close(void);

#endif
