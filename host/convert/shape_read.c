/* A file of any format that is read. */
#include "shape.h"

#include "error.h"
#include "formats.h"
#include "msh.h"
#include "obj.h"
#include "text.h"
#include "vtk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Before it is read as text: a binary file would be an error in line 1. */
static int check_format(const text *t)
{
    struct stat s;
    size_t bytes;
    const unsigned char *head = text_head(t, &bytes);
    int regular = !fstat(t->fd, &s) && S_ISREG(s.st_mode);
    const char *is = format_of_head(head, bytes, regular ? (unsigned long long)s.st_size : 0);
    if (is)
        return imp_fail(
            IMP_ERR_INPUT,
            "%s: is %s, which convert does not read; it reads Wavefront OBJ, legacy VTK "
            "and Gmsh",
            t->path, is);
    return IMP_OK;
}

int shape_read(const char *path, shape *out)
{
    int err = IMP_OK;
    text t;
    *out = (shape){0};
    TRY(text_open(path, &t));
    TRY(check_format(&t));
    if (vtk_begins(&t))
        TRY(vtk_read(&t, out));
    else if (msh_begins(&t))
        TRY(msh_read(&t, out));
    else
        TRY(obj_read(&t, out));
out:
    text_close(&t);
    return err;
}

/* A file of points would give a frame without primitives, and so a result without contacts. */
int shape_need_primitives(const char *path, const shape *s)
{
    if (s->primitives)
        return IMP_OK;
    path = text_name(path);
    if (s->format != SHAPE_OBJ)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: no triangle, polygon or tetrahedron among %" PRIu32 " points", path,
                        s->vertices);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: no face in %" PRIu64 " lines with %" PRIu32
                    " vertices; Wavefront OBJ is read (v, f, o, g)%s",
                    path, s->lines, s->vertices, format_by_name(path));
}

void shape_free(shape *s)
{
    for (uint32_t i = 0; i < s->groups; i++)
        free(s->group_name[i]);
    free(s->group_name);
    free(s->group);
    free(s->polygon);
    free(s->own);
    free(s->corner);
    free(s->point);
    *s = (shape){0};
}
