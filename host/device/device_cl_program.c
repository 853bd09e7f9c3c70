/* See device_cl.h. */
#include "cache.h"
#include "clock.h"
#include "device_cl.h"
#include "error.h"
#include "hash64.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    cl_program program[PROGRAMS]; /* NULL: no kernel of it has been run */
};

static cl_shared *all; /* protected by cl_lock */

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
    /* If the log names no error, its first line is used. */
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

/* The kernels are embedded in the library as text: each driver compiles them for its device. */
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

/* bytes of a file's head at most */
#define HEAD 4096

/* The head of a file: the program's inputs, and the size and the hash of its binary. */
static int head_text(const cl_text *t, const unsigned char *code, size_t size, char out[HEAD])
{
    const imp_device_info *d = t->device;
    int n = snprintf(out, HEAD,
                     "impinge %s, kernels %016" PRIx64 " %s\n%s\n%s\n%s\n%s\n%zu %016" PRIx64 "\n",
                     IMP_VERSION, hash64(t->source, strlen(t->source)), t->options, d->platform,
                     d->name, d->version, d->driver, size, hash64(code, size));
    return n > 0 && n < HEAD;
}

/* The file name is kernels-KEY, with a hash of the device and of the options, which name program
 * and form. */
static int cl_cache_file_name(const cl_text *t, char *out, size_t size)
{
    const imp_device_info *d = t->device;
    char what[HEAD];
    int n = snprintf(what, sizeof what, "%s\n%s\n%s", d->platform, d->name, t->options);
    if (n < 0 || n >= HEAD)
        return 0;
    snprintf(out, size, "kernels-%016" PRIx64, hash64(what, (size_t)n));
    return 1;
}

/* ---- finding */

typedef struct file {
    unsigned char *data;
    size_t size;
} file;

static int file_read(const char *name, file *out)
{
    struct stat s;
    *out = (file){0};
    int fd = cache_read(name);
    if (fd < 0)
        return 0;
    if (!fstat(fd, &s) && s.st_size > 0)
        out->data = malloc((size_t)s.st_size);
    ssize_t n = 1;
    while (out->data && n > 0 && out->size < (size_t)s.st_size) {
        n = read(fd, out->data + out->size, (size_t)s.st_size - out->size);
        out->size += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    return out->data != NULL;
}

/* The offset behind the head's last line; 0 if the head differs. */
static size_t code_begin(const cl_text *t, const file *f)
{
    char head[HEAD];
    size_t at = 0, lines = 0;
    while (at < f->size && at < HEAD && lines < 6)
        lines += f->data[at++] == '\n';
    if (lines < 6 || !head_text(t, f->data + at, f->size - at, head))
        return 0;
    return strlen(head) == at && !memcmp(head, f->data, at) ? at : 0;
}

static cl_program program_of_code(const cl_text *t, const unsigned char *code, size_t size)
{
    cl_int state, err;
    cl_program p = clCreateProgramWithBinary(t->context, 1, &t->id, &size, &code, &state, &err);
    if (err != CL_SUCCESS)
        return NULL;
    if (state == CL_SUCCESS && clBuildProgram(p, 1, &t->id, t->options, NULL, NULL) == CL_SUCCESS)
        return p;
    clReleaseProgram(p);
    return NULL;
}

cl_program cl_cache_find(const cl_text *t)
{
    char name[64];
    file f;
    cl_program p = NULL;
    if (!cl_cache_file_name(t, name, sizeof name) || !file_read(name, &f))
        return NULL;
    size_t at = code_begin(t, &f);
    if (at)
        p = program_of_code(t, f.data + at, f.size - at);
    free(f.data);
    return p;
}

/* ---- adding */

/* The program's binary, malloc'ed; NULL if the driver has none. */
static unsigned char *cl_cache_binary(cl_program p, size_t *size)
{
    unsigned char *code = NULL;
    *size = 0;
    if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) || !*size)
        return NULL;
    code = malloc(*size);
    if (code && clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof code, &code, NULL)) {
        free(code);
        code = NULL;
    }
    return code;
}

static int cl_cache_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    ssize_t n = 1;
    while (size && n > 0) {
        n = write(fd, at, size);
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return !size;
}

/* Writes under another name first, so that no other process ever sees a part. */
static void file_write(char *path, const char *head, const unsigned char *code, size_t size)
{
    char part[4200];
    if (!cache_folder(path))
        return;
    snprintf(part, sizeof part, "%s.XXXXXX", path);
    int fd = mkstemp(part);
    if (fd < 0)
        return;
    int good = cl_cache_write_all(fd, head, strlen(head)) && cl_cache_write_all(fd, code, size);
    good = close(fd) == 0 && good;
    if (!good || rename(part, path))
        unlink(part);
}

void cl_cache_add(const cl_text *t, cl_program program)
{
    char name[64], path[4096], head[HEAD];
    size_t size;
    const int there =
        cl_cache_file_name(t, name, sizeof name) && cache_path(name, path, sizeof path);
    unsigned char *code = there ? cl_cache_binary(program, &size) : NULL;
    if (code && head_text(t, code, size, head))
        file_write(path, head, code, size);
    free(code);
}
