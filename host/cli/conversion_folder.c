/* See conversion.h: a folder among the files of `impinge convert` stands for the files in it that
 * have the ending of one format. */
#define _GNU_SOURCE
#include "cli.h"
#include "conversion.h"
#include "error.h"
#include "package.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- lists of names */

static int folder_add(convert_files *to, char *name)
{
    if (to->count == to->capacity) {
        const size_t capacity = 2 * to->capacity + 64;
        char **more = realloc(to->name, capacity * sizeof *more);
        if (!more) {
            free(name);
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        }
        to->name = more;
        to->capacity = capacity;
    }
    if (!name)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    to->name[to->count++] = name;
    return IMP_OK;
}

void convert_files_free(convert_files *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->name[i]);
    free(f->name);
    *f = (convert_files){0};
}

/* ---- a folder */

static char *folder_join(const char *folder, const char *name)
{
    char *path;
    const size_t n = strlen(folder);
    const int made = asprintf(&path, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    return made < 0 ? NULL : path;
}

/* The ending of a file's name, with its point; "" without one. */
static const char *folder_ending(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    return dot ? dot : "";
}

/* True for files that are not the output: folders, sockets and the like cannot be read. A link
 * without a target is a file: reading it is an error, and it is not left out. */
static int folder_has_file(const char *path, const struct stat *out)
{
    struct stat s;
    if (stat(path, &s))
        return 1;
    return S_ISREG(s.st_mode) && !(out && s.st_dev == out->st_dev && s.st_ino == out->st_ino);
}

/* Adds the names in a folder, without those that begin with a point and without the output. */
static int folder_list(const char *folder, const char *output, convert_files *out)
{
    int err = IMP_OK;
    struct stat s;
    const struct stat *of_output = output && !stat(output, &s) ? &s : NULL;
    DIR *d = opendir(folder);
    if (!d)
        FAIL(IMP_ERR_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
    errno = 0;
    for (struct dirent *e; (e = readdir(d)); errno = 0) {
        if (*e->d_name == '.')
            continue;
        char *path = folder_join(folder, e->d_name);
        if (path && !folder_has_file(path, of_output))
            free(path);
        else
            TRY(folder_add(out, path));
    }
    if (errno)
        FAIL(IMP_ERR_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
out:
    if (d)
        closedir(d);
    return err;
}

static int folder_by_ending(const void *a, const void *b)
{
    return strcasecmp(folder_ending(*(char *const *)a), folder_ending(*(char *const *)b));
}

/* The end of the files from `first` on that have its ending; the list is sorted by ending. */
static size_t folder_group(const convert_files *f, size_t first)
{
    size_t end = first;
    while (end < f->count && !folder_by_ending(&f->name[first], &f->name[end]))
        end++;
    return end;
}

/* Adds "12 .obj" for each ending of this rank; returns the number of endings. *first, *end: the
 * files of the last of them. */
static size_t folder_count(const convert_files *f, enum format_rank rank, cli_items *list,
                           size_t *first, size_t *end)
{
    size_t found = 0;
    char text[80];
    for (size_t i = 0, next; i < f->count; i = next) {
        next = folder_group(f, i);
        if (format_rank(f->name[i]) != rank)
            continue;
        const char *ending = folder_ending(f->name[i]);
        snprintf(text, sizeof text, "%zu %.50s", next - i, *ending ? ending : "without an ending");
        cli_items_add(list, text);
        *first = i;
        *end = next;
        found++;
    }
    return found;
}

static int folder_has_none(const char *folder, const convert_files *f)
{
    cli_items list = {0};
    size_t first, end;
    if (!folder_count(f, FORMAT_OTHER, &list, &first, &end))
        return imp_fail(IMP_ERR_INPUT, "%s: is a folder without a file", folder);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: is a folder without a file that convert reads, by their names; there is "
                    "%s; in Python it reads more formats: " PACKAGE_WITH("io"),
                    folder, cli_items_text(&list));
}

/* Files are left out of a folder without an error if no ending is that of a mesh. */
static void folder_say(const char *folder, const convert_files *f, size_t first, size_t end)
{
    cli_items list = {0};
    size_t a, b;
    if (end - first == f->count)
        return;
    folder_count(f, FORMAT_OTHER, &list, &a, &b);
    folder_count(f, FORMAT_DATA, &list, &a, &b);
    cli_line(stderr, "impinge: %s: %s %s; left out: %s", folder,
             cli_count_text(end - first, "file"), folder_ending(f->name[first]),
             cli_items_text(&list));
}

/* Finds the files to read in a list sorted by ending. HDF5 files without the ending of VTKHDF are
 * mostly data of other formats, and count only without these. */
static int folder_choose(const char *folder, const convert_files *f, size_t *first, size_t *end)
{
    cli_items list = {0};
    size_t found = folder_count(f, FORMAT_MESH, &list, first, end);
    if (!found)
        found = folder_count(f, FORMAT_DATA, &list, first, end);
    if (!found)
        return folder_has_none(folder, f);
    if (found == 1)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT,
                    "%s: is a folder with files of several formats, %s; name those of one, as in "
                    "%s%s*%s",
                    folder, cli_items_text(&list), folder,
                    folder[strlen(folder) - 1] == '/' ? "" : "/", folder_ending(f->name[*first]));
}

static int folder_check_case(const char *folder)
{
    char *path = folder_join(folder, "system/controlDict");
    struct stat s;
    const int is = path && !stat(path, &s);
    free(path);
    return is ? imp_fail(IMP_ERR_INPUT,
                         "%s: is an OpenFOAM case, which convert does not read; it reads .obj and "
                         ".vtkhdf%s",
                         folder, FORMAT_BY_PYTHON)
              : IMP_OK;
}

/* Adds the files of a folder in natural order. */
static int folder_expand(const convert_options *o, const char *folder, convert_files *out)
{
    int err = IMP_OK;
    convert_files all = {0};
    size_t first = 0, end = 0;
    TRY(folder_check_case(folder));
    TRY(folder_list(folder, o->out, &all));
    if (all.count)
        qsort(all.name, all.count, sizeof *all.name, folder_by_ending);
    TRY(folder_choose(folder, &all, &first, &end));
    TRY(sequence_sort(all.name + first, end - first));
    if (!o->quiet)
        folder_say(folder, &all, first, end);
    for (size_t i = first; i < end; i++) {
        char *name = all.name[i];
        all.name[i] = NULL;
        TRY(folder_add(out, name));
    }
out:
    convert_files_free(&all);
    return err;
}

static int folder_add_word(const convert_options *o, const char *word, convert_files *out)
{
    struct stat s;
    if (strcmp(word, "-") && !stat(word, &s) && S_ISDIR(s.st_mode))
        return folder_expand(o, word, out);
    return folder_add(out, strdup(word));
}

/* ---- a pattern, which a shell does not expand if it is in quotes */

/* The files of a pattern come in natural order. Without any, the word is the name of a file, which
 * is missing. */
static int folder_add_pattern(const convert_options *o, const char *word, convert_files *out)
{
    int err = IMP_OK;
    glob_t found = {0};
    const int code = glob(word, GLOB_ERR, NULL, &found);
    if (code == GLOB_NOMATCH)
        TRY(folder_add(out, strdup(word)));
    else if (code == GLOB_NOSPACE)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    else if (code)
        FAIL(IMP_ERR_INPUT, "%s: a folder of this pattern cannot be read", word);
    if (found.gl_pathc)
        TRY(sequence_sort(found.gl_pathv, found.gl_pathc));
    for (size_t i = 0; i < found.gl_pathc; i++)
        TRY(folder_add_word(o, found.gl_pathv[i], out));
out:
    globfree(&found);
    return err;
}

static int folder_is_pattern(const char *word)
{
    struct stat s;
    return strpbrk(word, "*?[") && lstat(word, &s);
}

int convert_files_find(const convert_options *o, char **word, int count, convert_files *out)
{
    int err = IMP_OK;
    for (int i = 0; i < count; i++)
        TRY(folder_is_pattern(word[i]) ? folder_add_pattern(o, word[i], out)
                                       : folder_add_word(o, word[i], out));
out:
    return err;
}
