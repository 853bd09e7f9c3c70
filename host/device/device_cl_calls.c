/* See device_cl_calls.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "device_cl_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LOADER "libOpenCL.so.1"

cl_calls cl_call;

static char missing[512]; /* why there is no call; "": all are there */

static const char *const names[] = {
#define X(name) #name,
    CL_CALLS(X)
#undef X
};

#define CALLS (sizeof names / sizeof *names)

_Static_assert(sizeof cl_call == CALLS * sizeof(void *), "one pointer for each name");

static void none(void)
{
    const char *why = dlerror();
    snprintf(missing, sizeof missing, "no OpenCL loader that works is installed: %s",
             why ? why : LOADER);
}

/* Tools that are loaded before the program, such as one that counts calls, have some calls of their
 * own. */
static int watched(void)
{
    for (size_t i = 0; i < CALLS; i++)
        if (dlsym(RTLD_DEFAULT, names[i]))
            return 1;
    return 0;
}

/* A tool's calls come first, as in programs that are linked to a loader. It passes them on to what
 * comes after it in the process, so the loader must be seen there. Without a tool nobody else need
 * see our loader: another library of the caller may bring its own. The loader is never closed,
 * since drivers have threads. */
static void cl_calls_load(void)
{
    void *loader = dlopen(LOADER, RTLD_NOW | (watched() ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!loader)
        none();
    for (size_t i = 0; i < CALLS && !*missing; i++) {
        void *call = dlsym(RTLD_DEFAULT, names[i]);
        if (!call && !(call = dlsym(loader, names[i])))
            none();
        memcpy((char *)&cl_call + i * sizeof call, &call, sizeof call);
    }
}

const char *cl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, cl_calls_load);
    return *missing ? missing : NULL;
}
