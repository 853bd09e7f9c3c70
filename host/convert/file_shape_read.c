/* A file of text. */
#include "file_shape.h"

#include "error.h"
#include "formats.h"
#include "obj.h"
#include "text.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Before it is read as text, where a binary file would be an error in line 1. A pipe has no size,
 * so a binary STL file is not recognised in one. */
static int check_format(const text *t)
{
    struct stat s;
    size_t bytes;
    const unsigned char *head = text_head(t, &bytes);
    int regular = !fstat(t->fd, &s) && S_ISREG(s.st_mode);
    const format *is = format_of_head(head, bytes, regular ? (unsigned long long)s.st_size : 0);
    if (is)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: is %s, which convert does not read; it reads .obj and .vtkhdf%s",
                        t->path, is->is, is->python ? FORMAT_BY_PYTHON : "");
    return IMP_OK;
}

int file_shape_read(const char *path, size_t arrays, file_shape *out)
{
    int err = IMP_OK;
    text t;
    size_t bytes;
    *out = (file_shape){0};
    TRY(text_open(path, &t));
    text_head(&t, &bytes);
    TRY(check_format(&t));
    TRY(obj_read(&t, arrays, out));
    out->blank = !bytes;
    out->title = "Wavefront OBJ";
    out->place = "line";
out:
    /* after an error text_open has closed it already, which is allowed */
    text_close(&t);
    return err;
}

/* A file of points would give a frame without primitives, and so a result without contacts. */
int file_shape_need_primitives(const char *path, const file_shape *s)
{
    if (s->primitives)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT,
                    "%s: no triangle, polygon or tetrahedron among %" PRIu32
                    " points; it was read as %s%s",
                    text_name(path), s->vertices, s->title, format_by_name(path));
}

void file_shape_free(file_shape *s)
{
    names_free(&s->groups);
    free(s->value);
    free(s->group);
    free(s->polygon);
    free(s->corner_count);
    free(s->corner);
    free(s->point);
    *s = (file_shape){0};
}
