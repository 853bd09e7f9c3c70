/* See fake_icd.h. */
#define _GNU_SOURCE
#include "fake_icd.h"

#include "testlib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* These functions run before the first test. */
static void fake_icd_require(int ok)
{
    if (!ok) {
        perror("a folder of OpenCL drivers");
        exit(1);
    }
}

static void fake_icd_file(const char *folder, const char *name, const void *data, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    fake_icd_require(f && fwrite(data, 1, bytes, f) == bytes);
    fclose(f);
}

static void text(const char *folder, const char *name, const char *data)
{
    fake_icd_file(folder, name, data, strlen(data));
}

/* A folder in test_folder(); the path is valid until the end of the program. */
static char *folder(const char *name)
{
    char *path = NULL;
    fake_icd_require(asprintf(&path, "%s/%s", test_folder(), name) > 0);
    mkdir(path, 0755);
    return path;
}

const char *fake_icd(void)
{
    static char *path;
    if (!path) {
        path = folder("vendors");
        text(path, "fake.icd", IMP_FAKE_CL "\n");
    }
    return path;
}

const char *fake_icd_hostile(void)
{
    static char *path;
    static const char noise[3000] = "\x7f"
                                    "ELF\n\n\n";
    char line[600];
    if (path)
        return path;
    path = folder("hostile");
    text(path, "a-missing.icd", "/no/such/driver.so\n");
    text(path, "b-empty.icd", "");
    text(path, "c-blank.icd", "\n\n  \n");
    fake_icd_file(path, "d-noise.icd", noise, sizeof noise);
    text(path, "not-a-library.so", "this is a text\n");
    snprintf(line, sizeof line, "%s/not-a-library.so\n", path);
    text(path, "e-text.icd", line);
    text(path, "f-no-driver.icd", "libm.so.6\n"); /* a library, but not a driver */
    snprintf(line, sizeof line, "%s\n", path);
    text(path, "g-folder.icd", line);
    text(path, "h-fake.icd", IMP_FAKE_CL "\n");
    snprintf(line, sizeof line, "%s/i-gone.icd", path);
    fake_icd_require(symlink("/no/such.icd", line) == 0);
    snprintf(line, sizeof line, "%s/j-is-a-folder.icd", path);
    fake_icd_require(mkdir(line, 0755) == 0);
    text(path, "k-no-end.icd", "/no/such/driver.so");
    return path;
}

/* A separate library for each word: the loader treats links to one library as the same. */
static void copy_library(const char *to)
{
    static char part[1 << 16];
    FILE *in = fopen(IMP_FAKE_CL, "rb"), *out = fopen(to, "wb");
    fake_icd_require(in && out);
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        fake_icd_require(fwrite(part, 1, n, out) == n);
    fclose(in);
    fake_icd_require(fclose(out) == 0);
}

const char *fake_icd_of(const char *name, const char *const *words)
{
    static char *paths[100]; /* valid until the end of the program */
    static size_t count;
    char *path = folder(name), file_name[100], line[600];
    fake_icd_require(count < sizeof paths / sizeof *paths);
    paths[count++] = path;
    for (int i = 0; *words[i]; i++) {
        snprintf(line, sizeof line, "%s/fake-%s.so", test_folder(), words[i]);
        if (access(line, F_OK))
            copy_library(line);
        strcat(line, "\n");
        snprintf(file_name, sizeof file_name, "%c-%s.icd", 'a' + i, words[i]);
        text(path, file_name, line);
    }
    return path;
}

fake_cl *fake_icd_switches(void)
{
    fake_cl_get_fn *get;
    void *driver = dlopen(IMP_FAKE_CL, RTLD_NOW | RTLD_NOLOAD);
    void *symbol = driver ? dlsym(driver, "fake_cl_get") : NULL;
    memcpy(&get, &symbol, sizeof get);
    return symbol ? get() : NULL;
}
