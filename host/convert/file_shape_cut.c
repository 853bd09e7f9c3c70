/* The polygons of a file into triangles. */
#include "file_shape.h"

#include "error.h"
#include "polygon.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Memory for the largest face of the file, used again for each. */
typedef struct triangulator {
    const char *path;
    polygon_workspace *space;
    uint32_t *corner, *triangle; /* [corners], [3 * (corners - 2)] of the largest face, in
                                    one allocation */
} triangulator;

static int triangulator_open(triangulator *c, const char *path, const file_shape *s,
                             polygon_workspace *space)
{
    size_t most = 3;
    for (uint32_t i = 0; i < s->polygons; i++)
        most = s->polygon[i].corners > most ? s->polygon[i].corners : most;
    *c = (triangulator){.path = text_name(path), .space = space};
    c->corner = malloc(4 * most * sizeof *c->corner);
    if (!c->corner)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", 4 * most * sizeof *c->corner);
    c->triangle = c->corner + most;
    return IMP_OK;
}

static void triangulator_close(triangulator *c)
{
    if (c->space)
        polygon_workspace_free(c->space);
    free(c->corner);
}

/* A face's corners, from its fan: triangle i of it has the corners 0, i + 1 and i + 2. */
static void shape_triangulate_corners(triangulator *c, const file_shape *s,
                                      const file_shape_polygon *p)
{
    const size_t corners = s->corners;
    const uint32_t *fan = s->corner + corners * p->first;
    c->corner[0] = fan[0];
    for (uint32_t i = 1; i < p->corners - 1; i++)
        c->corner[i] = fan[corners * (i - 1) + 1];
    c->corner[p->corners - 1] = fan[corners * (p->corners - 3) + 2];
}

/* Cuts the face of c->corner into c->triangle. */
static int triangulator_cut_face(triangulator *c, const file_shape *s, const file_shape_polygon *p,
                                 int *crosses)
{
    int err = polygon_triangulate(c->space, s->point, c->corner, p->corners, c->triangle, crosses);
    /* polygon_triangulate knows no file and no line */
    if (err == IMP_ERR_INPUT)
        err = imp_fail(err,
                       "%s: %s %" PRIu64 ": a face of %" PRIu32
                       " corners takes too long to be cut into triangles",
                       c->path, s->place, p->line, p->corners);
    return err;
}

static void triangulator_note_face(file_shape_note *f, const file_shape_polygon *p)
{
    if (!f->count++)
        f->line = p->line;
}

/* corners: how many numbers each primitive has in `corner`. Where that is 4 a triangle repeats its
 * last one. */
static void triangulator_put_face(const triangulator *c, const file_shape_polygon *p,
                                  size_t corners, uint32_t *corner)
{
    for (uint32_t i = 0; i < p->corners - 2; i++)
        for (size_t k = 0; k < corners; k++)
            corner[corners * (p->first + i) + k] = c->triangle[(size_t)3 * i + (k < 3 ? k : 2)];
}

int file_shape_triangulate(const char *path, file_shape *io, file_shape_note *crossing)
{
    int err = IMP_OK;
    triangulator c = {0};
    polygon_workspace space = {0};
    *crossing = (file_shape_note){0};
    TRY(triangulator_open(&c, path, io, &space));
    for (uint32_t i = 0; i < io->polygons; i++) {
        const file_shape_polygon *p = &io->polygon[i];
        int crosses = 0;
        shape_triangulate_corners(&c, io, p);
        TRY(triangulator_cut_face(&c, io, p, &crosses));
        triangulator_put_face(&c, p, io->corners, io->corner);
        if (crosses)
            triangulator_note_face(crossing, p);
    }
out:
    triangulator_close(&c);
    return err;
}

/* Are the triangles of the face of c->corner still right? They are copied, since arrays of four
 * numbers have one more than polygon_holds reads. */
static int shape_triangulate_is_valid(const triangulator *c, const file_shape *s,
                                      const file_shape_polygon *p, const uint32_t *triangulated)
{
    for (uint32_t i = 0; i < p->corners - 2; i++)
        memcpy(c->triangle + (size_t)3 * i, triangulated + (size_t)s->corners * (p->first + i),
               3 * sizeof *triangulated);
    return polygon_holds(s->point, c->corner, p->corners, c->triangle);
}

/* A face that crosses itself at the new points keeps its old triangles: none are right. */
int file_shape_check_triangles(const char *path, const file_shape *s, uint32_t *triangulated,
                               file_shape_note *changed)
{
    int err = IMP_OK;
    triangulator c = {0};
    polygon_workspace space = {0};
    *changed = (file_shape_note){0};
    TRY(triangulator_open(&c, path, s, &space));
    for (uint32_t i = 0; i < s->polygons; i++) {
        const file_shape_polygon *p = &s->polygon[i];
        int crosses = 0;
        shape_triangulate_corners(&c, s, p);
        if (shape_triangulate_is_valid(&c, s, p, triangulated))
            continue;
        TRY(triangulator_cut_face(&c, s, p, &crosses));
        if (crosses)
            continue;
        triangulator_put_face(&c, p, s->corners, triangulated);
        triangulator_note_face(changed, p);
    }
out:
    triangulator_close(&c);
    return err;
}
