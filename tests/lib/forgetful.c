/* See forgetful.h. */
#define _GNU_SOURCE
#include "forgetful.h"

#include "mem.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int inside; /* inside a request to mem.h that was already counted */

static int forgetful_fails(void)
{
    if (inside || !forgetful())
        return 0;
    errno = ENOMEM;
    return 1;
}

/* ---- mem.h */

static int no_memory(void)
{
    return imp_fail(IMP_ERR_MEMORY, "out of memory: this allocation was to fail");
}

#define REQUEST(name, declared, given, on_failure)                                                 \
    int __real_##name declared;                                                                    \
    int __wrap_##name declared;                                                                    \
    int __wrap_##name declared                                                                     \
    {                                                                                              \
        if (forgetful_fails()) {                                                                   \
            on_failure;                                                                            \
            return no_memory();                                                                    \
        }                                                                                          \
        inside++;                                                                                  \
        int err = __real_##name given;                                                             \
        inside--;                                                                                  \
        return err;                                                                                \
    }

static void set_null(void *out)
{
    void *p = NULL;
    memcpy(out, &p, sizeof p);
}

REQUEST(mem_alloc, (mem * m, size_t bytes, void *out), (m, bytes, out), set_null(out))
REQUEST(mem_alloc_spare, (mem * m, size_t bytes, size_t room, void *out), (m, bytes, room, out),
        set_null(out))
REQUEST(mem_grow, (mem * m, size_t keep, size_t bytes, void *inout), (m, keep, bytes, inout),
        (void)inout)
REQUEST(mem_reserve, (mem * m, uint64_t bytes), (m, bytes), (void)m)

size_t __real_mem_reserve_most(mem *m, size_t bytes, size_t room);
size_t __wrap_mem_reserve_most(mem *m, size_t bytes, size_t room);

size_t __wrap_mem_reserve_most(mem *m, size_t bytes, size_t room)
{
    if (forgetful_fails()) {
        no_memory();
        return 0;
    }
    return __real_mem_reserve_most(m, bytes, room);
}

/* ---- the C library */

#define ALLOCATION(name, declared, given)                                                          \
    void *__real_##name declared;                                                                  \
    void *__wrap_##name declared;                                                                  \
    void *__wrap_##name declared                                                                   \
    {                                                                                              \
        return forgetful_fails() ? NULL : __real_##name given;                                     \
    }
ALLOCATION(malloc, (size_t n), (n))
ALLOCATION(calloc, (size_t n, size_t size), (n, size))
ALLOCATION(realloc, (void *p, size_t n), (p, n))
ALLOCATION(aligned_alloc, (size_t align, size_t n), (align, n))

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
    return forgetful_fails() ? NULL : __real_strdup(text);
}

char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);

char *__wrap_strndup(const char *text, size_t n)
{
    return forgetful_fails() ? NULL : __real_strndup(text, n);
}

int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;
    if (forgetful_fails())
        return -1;
    va_start(args, format);
    int n = vasprintf(out, format, args);
    va_end(args);
    return n;
}

char *__real_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out);

char *__wrap_realpath(const char *path, char *out)
{
    return !out && forgetful_fails() ? NULL : __real_realpath(path, out);
}

ssize_t __real_getline(char **line, size_t *size, FILE *from);
ssize_t __wrap_getline(char **line, size_t *size, FILE *from);

ssize_t __wrap_getline(char **line, size_t *size, FILE *from)
{
    return !*line && forgetful_fails() ? -1 : __real_getline(line, size, from);
}

/* getline as expanded by glibc's inline header. */
ssize_t __real___getdelim(char **line, size_t *size, int end, FILE *from);
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *from);

ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *from)
{
    return !*line && forgetful_fails() ? -1 : __real___getdelim(line, size, end, from);
}
