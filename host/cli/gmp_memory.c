/* See gmp_memory.h. */
#include "gmp_memory.h"

#include "error.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* No line may come from stdio: another thread may hold its lock. */
static void gmp_memory_exit(size_t bytes)
{
    char line[100];
    /* a bar on a terminal has no end of line */
    const int n =
        snprintf(line, sizeof line, "%simpinge: out of memory: exact arithmetic needs %zu bytes\n",
                 isatty(STDERR_FILENO) ? "\n" : "", bytes);
    (void)!write(STDERR_FILENO, line, (size_t)n);
    _exit(imp_exit_code(IMP_ERR_MEMORY));
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        gmp_memory_exit(bytes);
    return p;
}

static void *reallocate(void *p, size_t old, size_t bytes)
{
    (void)old;
    void *q = realloc(p, bytes);
    if (!q)
        gmp_memory_exit(bytes);
    return q;
}

static void release(void *p, size_t bytes)
{
    (void)bytes;
    free(p);
}

void gmp_memory_guard(void)
{
    mp_set_memory_functions(allocate, reallocate, release);
}
