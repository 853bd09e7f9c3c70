/* See sheet.h. */
#include "sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static const char *path;

static void sheet_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

static void open_path(void)
{
    file = fopen(path, "w");
    if (!file || fputs("table,row,column,kind,value\n", file) < 0)
        sheet_fail("cannot be written");
}

void sheet_open(int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--csv") != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        if (i + 1 == *argc || path) {
            fputs(path ? "--csv: once is enough\n" : "--csv: a file is wanted\n", stderr);
            exit(2);
        }
        path = argv[++i];
    }
    *argc = kept;
    argv[kept] = NULL;
    if (path)
        open_path();
}

static void put_place(const char *table, const char *row, const char *column, const char *kind)
{
    fprintf(file, "\"%s\",\"%s\",\"%s\",%s,", table, row, column, kind);
}

void sheet_count(const char *table, const char *row, const char *column, uint64_t value)
{
    if (!file)
        return;
    put_place(table, row, column, "count");
    fprintf(file, "%llu\n", (unsigned long long)value);
}

static void put_real(const char *table, const char *row, const char *column, const char *kind,
                     double value)
{
    if (!file)
        return;
    put_place(table, row, column, kind);
    fprintf(file, "%.6g\n", value);
}

void sheet_seconds(const char *table, const char *row, const char *column, double value)
{
    put_real(table, row, column, "seconds", value);
}

void sheet_number(const char *table, const char *row, const char *column, double value)
{
    put_real(table, row, column, "number", value);
}

void sheet_close(void)
{
    if (!file)
        return;
    const int bad = ferror(file);
    if (fclose(file) != 0 || bad)
        sheet_fail("cannot be written");
    file = NULL;
}
