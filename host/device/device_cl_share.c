/* See device_cl_share.h. */
#include "device_cl_share.h"

#include "clock.h"
#include "device_cl_kept.h"
#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char kernels_cl[]; /* the sources in kernels/, joined by embed.cmake */

static const struct {
    const char *word;
    size_t number;
} programs[] = {
#define X(word, number) {#word "_", number},
#include "programs.def"
#undef X
};
#define PROGRAMS (1 + sizeof programs / sizeof *programs) /* at most */

struct cl_shared {
    cl_shared *next;
    size_t users;
    atomic_int failed;
    cl_device_id id;
    imp_device_info info;
    cl_context context;
    cl_program program[PROGRAMS]; /* NULL: no kernel of it was run */
};

static cl_shared *all; /* under cl_lock */

const char *cl_error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_AVAILABLE, "device not available"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "allocation failure"},
        {CL_OUT_OF_RESOURCES, "out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
        {CL_BUILD_PROGRAM_FAILURE, "build failure"},
        {CL_INVALID_KERNEL_NAME, "no such kernel"},
        {CL_INVALID_WORK_GROUP_SIZE, "work-group size not supported"},
        {CL_INVALID_COMMAND_QUEUE, "invalid command queue"},
        {CL_INVALID_BUFFER_SIZE, "invalid buffer size"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return "error";
}

int cl_failed(const char *name, const char *what, cl_int code)
{
    int memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    return imp_fail(memory ? IMP_ERR_MEMORY : IMP_ERR_DEVICE, "device '%s': %s: %s (OpenCL %d)",
                    name, what, cl_error_name(code), (int)code);
}

/* ---- programs */

/* The compiler's log, to be freed; NULL if it is not available. */
static char *cl_build_log(cl_shared *s, cl_program program)
{
    size_t size = 0;
    if (clGetProgramBuildInfo(program, s->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size))
        return NULL;
    char *log = calloc(size + 1, 1);
    if (log && clGetProgramBuildInfo(program, s->id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
        *log = 0;
    return log;
}

/* The first line of the build log that names an error, since a message has one line. */
static int cl_build_failed(cl_shared *s, cl_program program, cl_int code)
{
    char *log = cl_build_log(s, program);
    char *line = log ? strstr(log, "error") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    /* The log names no error: its first line. */
    if (!line)
        line = log;
    int err =
        imp_fail(IMP_ERR_DEVICE, "device '%s': the kernels do not build: %.*s (OpenCL %d)",
                 s->info.name, line ? (int)strcspn(line, "\n") : 0, line ? line : "", (int)code);
    free(log);
    return err;
}

/* Warnings are off: these kernels are checked elsewhere, and PoCL prints the number of warnings. */
#define OPTIONS "-cl-std=CL1.2 -w -DIMP_PROGRAM=%zu"

static int build_text(cl_shared *s, const cl_text *t, cl_program *out)
{
    cl_int code;
    cl_program program =
        clCreateProgramWithSource(s->context, 1, (const char *[]){t->source}, NULL, &code);
    if (code != CL_SUCCESS)
        return cl_failed(s->info.name, "program", code);
    code = clBuildProgram(program, 1, &s->id, t->options, NULL, NULL);
    if (code == CL_SUCCESS) {
        *out = program;
        return IMP_OK;
    }
    int err = cl_build_failed(s, program, code);
    clReleaseProgram(program);
    return err;
}

/* The kernels come with the program as text: each driver compiles them for its device. */
static int cl_share_build(cl_shared *s, size_t number)
{
    char options[sizeof OPTIONS + 24];
    snprintf(options, sizeof options, OPTIONS, number);
    const cl_text text = {s->id, &s->info, s->context, kernels_cl, options};
    if ((s->program[number] = cl_cache_find(&text)))
        return IMP_OK;
    double begin = clock_seconds();
    int err = build_text(s, &text, &s->program[number]);
    if (!err && clock_seconds() - begin > CL_CACHE_SECONDS)
        cl_cache_add(&text, s->program[number]);
    return err;
}

static size_t program_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strncmp(kernel, programs[i].word, strlen(programs[i].word)))
            return programs[i].number;
    return 0;
}

int cl_shared_kernel(cl_shared *s, enum kernel kernel, cl_kernel *out)
{
    const char *name = kernel_table[kernel].name;
    size_t number = program_of(name);
    int err = s->program[number] ? IMP_OK : cl_share_build(s, number);
    if (err)
        return err;
    cl_int code;
    cl_kernel made = clCreateKernel(s->program[number], name, &code);
    if (code != CL_SUCCESS)
        return cl_failed(s->info.name, name, code);
    *out = made;
    return IMP_OK;
}

/* ---- contexts */

static cl_shared *cl_share_find(cl_device_id id)
{
    cl_shared *s = all;
    while (s && (s->id != id || atomic_load(&s->failed)))
        s = s->next;
    return s;
}

static int cl_share_start(cl_shared *s, cl_entry e)
{
    cl_int code;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)e.platform,
                                          0};
    s->context = clCreateContext(properties, 1, &e.device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        s->context = NULL;
        return cl_failed(s->info.name, "context", code);
    }
    return cl_share_build(s, 0);
}

int cl_share(cl_entry e, const imp_device_info *info, cl_shared **out)
{
    cl_shared *s = cl_share_find(e.device);
    int err = IMP_OK;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s)
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        s->id = e.device;
        s->info = *info;
        s->next = all;
        all = s;
        err = cl_share_start(s, e);
    }
    s->users++;
    if (err)
        cl_unshare(s);
    else
        *out = s;
    return err;
}

static void cl_share_release(cl_shared *s)
{
    cl_shared **at = &all;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

void cl_unshare(cl_shared *s)
{
    if (--s->users)
        return;
    cl_share_release(s);
    for (size_t i = 0; i < PROGRAMS; i++)
        if (s->program[i])
            clReleaseProgram(s->program[i]);
    if (s->context)
        clReleaseContext(s->context);
    free(s);
}

cl_context cl_shared_context(const cl_shared *s)
{
    return s->context;
}

void cl_shared_failed(cl_shared *s)
{
    atomic_store(&s->failed, 1);
}
