/* See driver_list.h. */
#define _GNU_SOURCE /* asprintf */
#include "driver_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VENDORS "/etc/OpenCL/vendors"

/* "a", "/", "b"; malloc'ed, NULL without memory */
static char *driver_list_join_text(const char *a, const char *between, const char *b)
{
    const size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%s%s%s", a, between, b);
    return out;
}

/* ---- the drivers */

/* The first line of an .icd file, which names a library; "" if it has none. */
static char *library_of(const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *f = fopen(path, "r");
    if (f && getline(&line, &capacity, f) >= 0)
        line[strcspn(line, "\r\n")] = 0;
    else {
        free(line);
        line = strdup("");
    }
    if (f)
        fclose(f);
    return line;
}

/* What a message calls it. */
static char *driver_list_name(const driver_list *d, const char *path)
{
    char *name = NULL, *library;
    if (d->chosen)
        return strdup(path);
    library = library_of(path);
    if (library && asprintf(&name, "%s (%s)", path, library) < 0)
        name = NULL;
    free(library);
    return name;
}

/* Takes over the path. What is no file is passed over, as the loader does it. */
static int driver_list_add(driver_list *d, char *path)
{
    struct stat s;
    if (path && !d->chosen && (stat(path, &s) || !S_ISREG(s.st_mode))) {
        free(path);
        return 1;
    }
    driver *more = path ? realloc(d->list, (d->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return 0;
    }
    d->list = more;
    driver *one = &more[d->count++];
    *one = (driver){.path = path, .verdict = {DRIVER_UNTESTED, 0, 0}};
    one->name = driver_list_name(d, path);
    return one->name != NULL;
}

static int by_path(const void *x, const void *y)
{
    return strcmp(((const driver *)x)->path, ((const driver *)y)->path);
}

static int add_folder(driver_list *d, const char *folder)
{
    int good = 1;
    DIR *dir = opendir(folder);
    if (!dir)
        return 1;
    for (struct dirent *e; good && (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        if (n > 4 && !strcmp(e->d_name + n - 4, ".icd"))
            good = driver_list_add(d, driver_list_join_text(folder, "/", e->d_name));
    }
    closedir(dir);
    if (d->count)
        qsort(d->list, d->count, sizeof *d->list, by_path);
    return good;
}

static const char *driver_list_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int driver_list_find(driver_list *d)
{
    struct stat s;
    const char *vendors = driver_list_variable("OCL_ICD_VENDORS");
    if (vendors && !stat(vendors, &s) && S_ISDIR(s.st_mode))
        return add_folder(d, vendors);
    d->chosen = vendors != NULL;
    if (vendors)
        return driver_list_add(d, strdup(vendors));
    const char *other = driver_list_variable("OPENCL_VENDOR_PATH");
    return add_folder(d, other ? other : VENDORS);
}

int driver_list_open(driver_list *out)
{
    *out = (driver_list){0};
    const int good = driver_list_find(out);
    if (good && out->count)
        return 1;
    driver_list_close(out);
    return 0;
}

static void driver_free(driver *d)
{
    free(d->path);
    free(d->name);
}

void driver_list_close(driver_list *d)
{
    for (size_t i = 0; i < d->count; i++)
        driver_free(&d->list[i]);
    free(d->list);
    *d = (driver_list){0};
}

/* ---- folders of some of them */

static char *fresh_folder(void)
{
    const char *places[] = {driver_list_variable("TMPDIR"), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path =
            places[i] ? driver_list_join_text(places[i], "/", "impinge-opencl-XXXXXX") : NULL;
        if (path && mkdtemp(path))
            return path;
        free(path);
    }
    return NULL;
}

/* The file of this driver there; the same name, since it may decide the order. */
static char *link_name(const char *folder, const driver *d)
{
    const char *slash = strrchr(d->path, '/');
    return driver_list_join_text(folder, "/", slash ? slash + 1 : d->path);
}

static int link_driver(const char *folder, const driver *d)
{
    char *real = realpath(d->path, NULL), *name = link_name(folder, d);
    const int good = real && name && !symlink(real, name);
    free(real);
    free(name);
    return good;
}

char *driver_folder(const driver_list *d, const char *wanted)
{
    int good = 1;
    char *path = fresh_folder();
    for (size_t i = 0; path && i < d->count; i++)
        if (wanted[i])
            good &= link_driver(path, &d->list[i]);
    if (good)
        return path;
    driver_folder_remove(d, path);
    return NULL;
}

void driver_folder_remove(const driver_list *d, char *path)
{
    for (size_t i = 0; path && i < d->count; i++) {
        char *name = link_name(path, &d->list[i]);
        if (name)
            unlink(name);
        free(name);
    }
    if (path)
        rmdir(path);
    free(path);
}
