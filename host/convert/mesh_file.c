/* See mesh_file.h. */
#include "mesh_file.h"

#include "error.h"
#include "impinge.h"
#include "store_any.h"
#include "vtkhdf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mesh_file {
    const char *path;
    vtkhdf_reader *vtkhdf; /* NULL: it is text */
};

/* Only a regular file: what is read of a pipe here would be lost. */
static int is_hdf5(const char *path)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char head[sizeof signature - 1];
    struct stat s;
    if (!strcmp(path, "-") || stat(path, &s) || !S_ISREG(s.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC), is = 0;
    if (fd >= 0) {
        is = read(fd, head, sizeof head) == (ssize_t)sizeof head &&
             !memcmp(head, signature, sizeof head);
        close(fd);
    }
    return is;
}

int mesh_file_open(mem *m, const char *path, mesh_file **out)
{
    int err = IMP_OK;
    mesh_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    f->path = path;
    if (is_hdf5(path))
        TRY(vtkhdf_reader_open(m, path, &f->vtkhdf));
    *out = f;
    f = NULL;
out:
    mesh_file_close(f);
    return err;
}

void mesh_file_close(mesh_file *f)
{
    if (!f)
        return;
    vtkhdf_reader_close(f->vtkhdf);
    free(f);
}

void mesh_file_get_info(const mesh_file *f, mesh_file_info *out)
{
    vtkhdf_reader_info info;
    *out = (mesh_file_info){.frames = 1, .type = IMP_FLOAT64, .has_groups = 1};
    if (!f->vtkhdf)
        return;
    vtkhdf_reader_get_info(f->vtkhdf, &info);
    out->frames = info.frames;
    out->temporal = info.temporal;
    out->type = info.type;
    out->has_numbers = info.has_object;
    out->has_groups = out->has_objects = info.composite || info.has_object;
}

int mesh_file_read(mesh_file *f, uint64_t frame, int numbers, const cell_arrays *arrays,
                   file_shape *out)
{
    return f->vtkhdf ? vtkhdf_read(f->vtkhdf, f->path, frame, numbers, arrays, out)
                     : file_shape_read(f->path, arrays->count, out);
}

const cell_arrays *mesh_file_arrays(const mesh_file *f)
{
    return f->vtkhdf ? vtkhdf_reader_arrays(f->vtkhdf) : NULL;
}

const cell_arrays *mesh_file_lost(const mesh_file *f)
{
    return f->vtkhdf ? vtkhdf_reader_lost_arrays(f->vtkhdf) : NULL;
}

double mesh_file_time(const mesh_file *f, uint64_t frame)
{
    return f->vtkhdf ? vtkhdf_reader_time(f->vtkhdf, frame) : 0;
}

const char *mesh_file_source(const mesh_file *f, uint64_t frame)
{
    const char *source =
        f->vtkhdf ? batch_frame_source(vtkhdf_reader_names(f->vtkhdf), frame) : NULL;
    return source ? source : f->path;
}

const batch_names *mesh_file_names(const mesh_file *f)
{
    return f->vtkhdf ? vtkhdf_reader_names(f->vtkhdf) : NULL;
}
