/* The polygons of an OBJ file into triangles. */
#include "obj.h"

#include "error.h"
#include "polygon.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Room for the largest face of the file, used again for each. */
typedef struct cutter {
    const char *path;
    polygon_room *capacity;
    uint32_t *corner, *triangle; /* [corners], [3 * (corners - 2)] of the largest face */
} cutter;

static int cutter_open(cutter *c, polygon_room *capacity, const char *path, const obj *o)
{
    size_t most = 3;
    for (uint32_t i = 0; i < o->polygons; i++)
        most = o->polygon[i].corners > most ? o->polygon[i].corners : most;
    *c = (cutter){.path = text_name(path), .capacity = capacity};
    c->corner = malloc(most * sizeof *c->corner);
    c->triangle = malloc(3 * (most - 2) * sizeof *c->triangle);
    if (!c->corner || !c->triangle)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", 4 * most * sizeof *c->corner);
    return IMP_OK;
}

static void cutter_close(cutter *c)
{
    free(c->corner);
    free(c->triangle);
}

/* A face's corners, from its fan. */
static void find_corners(cutter *c, const obj *o, const obj_polygon *p)
{
    const uint32_t *fan = o->triangle + (size_t)3 * p->first;
    c->corner[0] = fan[0];
    for (uint32_t i = 1; i < p->corners - 1; i++)
        c->corner[i] = fan[3 * (size_t)(i - 1) + 1];
    c->corner[p->corners - 1] = fan[3 * (size_t)(p->corners - 3) + 2];
}

/* Cuts the face of c->corner into c->triangle. */
static int cut_face(cutter *c, const obj *o, const obj_polygon *p, int *crosses)
{
    int err = polygon_cut(c->capacity, o->point, c->corner, p->corners, c->triangle, crosses);
    /* polygon_cut knows no file and no line */
    if (err == IMP_ERR_INPUT)
        err = imp_fail(err,
                       "%s: line %" PRIu64 ": a face of %" PRIu32
                       " corners takes too long to be cut into triangles",
                       c->path, p->line, p->corners);
    return err;
}

static void note_face(obj_faces *f, const obj_polygon *p)
{
    if (!f->count++)
        f->line = p->line;
}

static void put_face(const cutter *c, const obj_polygon *p, uint32_t *triangle)
{
    memcpy(triangle + (size_t)3 * p->first, c->triangle,
           3 * (size_t)(p->corners - 2) * sizeof *triangle);
}

int obj_cut(const char *path, obj *io, obj_faces *crossing)
{
    int err = IMP_OK;
    polygon_room capacity = {0};
    cutter c = {0};
    *crossing = (obj_faces){0};
    TRY(cutter_open(&c, &capacity, path, io));
    for (uint32_t i = 0; i < io->polygons; i++) {
        const obj_polygon *p = &io->polygon[i];
        int crosses = 0;
        find_corners(&c, io, p);
        TRY(cut_face(&c, io, p, &crosses));
        put_face(&c, p, io->triangle);
        if (crosses)
            note_face(crossing, p);
    }
out:
    polygon_room_free(&capacity);
    cutter_close(&c);
    return err;
}

int obj_cut_again(const char *path, const obj *o, uint32_t *cut, obj_faces *changed)
{
    int err = IMP_OK;
    polygon_room capacity = {0};
    cutter c = {0};
    *changed = (obj_faces){0};
    TRY(cutter_open(&c, &capacity, path, o));
    for (uint32_t i = 0; i < o->polygons; i++) {
        const obj_polygon *p = &o->polygon[i];
        int crosses = 0;
        find_corners(&c, o, p);
        if (polygon_holds(o->point, c.corner, p->corners, cut + (size_t)3 * p->first))
            continue;
        TRY(cut_face(&c, o, p, &crosses));
        if (crosses)
            continue;
        put_face(&c, p, cut);
        note_face(changed, p);
    }
out:
    polygon_room_free(&capacity);
    cutter_close(&c);
    return err;
}
