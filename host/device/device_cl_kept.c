/* See device_cl_kept.h. */
#include "device_cl_kept.h"

#include "cache.h"
#include "hash64.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the first lines of a file say. */
#define HEAD 4096

/* What a program is made of, and how large and what it is. */
static int head_text(const cl_text *t, const unsigned char *code, size_t size, char out[HEAD])
{
    const imp_device_info *d = t->device;
    int n = snprintf(out, HEAD,
                     "impinge %s, kernels %016" PRIx64 " %s\n%s\n%s\n%s\n%s\n%zu %016" PRIx64 "\n",
                     IMP_VERSION, hash64(t->source, strlen(t->source)), t->options, d->platform,
                     d->name, d->version, d->driver, size, hash64(code, size));
    return n > 0 && n < HEAD;
}

/* kernels-KEY: of the device, and of the options, which name program and form. */
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

/* Where the head ends: after its last line. 0: it is another one. */
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

/* ---- keeping */

/* malloc'ed; NULL if the driver has none. */
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

/* Under another name first, so that no other process ever sees a part. */
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
