/* What the programs of the benchmark write for others to read: with --csv FILE a line for each
 * figure, "table,row,column,kind,value". bench/programs.py stores and compares them. Without --csv
 * nothing is written. Failures end the program. */
#ifndef BENCH_SHEET_H
#define BENCH_SHEET_H

#include <stdint.h>

/* Takes --csv FILE out of the arguments, wherever it stands, and opens the file. */
void sheet_open(int *argc, char **argv);

/* A count is the same on every machine and in every run; seconds are not, nor is a number. Row and
 * column may have commas, but no quotes. */
void sheet_count(const char *table, const char *row, const char *column, uint64_t value);
void sheet_seconds(const char *table, const char *row, const char *column, double value);
void sheet_number(const char *table, const char *row, const char *column, double value);

/* All is in the file. */
void sheet_close(void);

#endif
