/* See shape_make.h. */
#include "shape_make.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define NO_GROUP (-1)

int shape_make_room(void *inout, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return IMP_OK;
    void *old, *p = NULL;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    more = more > bytes ? more : bytes + 256;
    memcpy(&old, inout, sizeof old);
    if (more > bytes)
        p = realloc(old, more);
    if (!p)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", more);
    memcpy(inout, &p, sizeof p);
    *capacity = more;
    return IMP_OK;
}

int shape_make_vertex(shape_maker *m, const double x[3])
{
    int err = IMP_OK;
    shape *s = &m->shape;
    if (s->vertices == SHAPE_VERTICES_MOST)
        FAIL(TEXT_BAD(m->text, "more than %" PRIu32 " vertices", SHAPE_VERTICES_MOST));
    TRY(shape_make_room(&s->point, &m->point_room,
                        ((size_t)s->vertices + 1) * 3 * sizeof *s->point));
    memcpy(s->point + (size_t)3 * s->vertices++, x, 3 * sizeof *x);
out:
    return err;
}

/* ---- sections */

int shape_make_section(shape_maker *m, const char *name, size_t length)
{
    int err = IMP_OK;
    TRY(shape_make_room(&m->section, &m->section_room, length + 1));
    memcpy(m->section, name, length);
    m->section[length] = 0;
    m->section_group = NO_GROUP;
out:
    return err;
}

/* where `name` is in the hash table, or the empty slot where it belongs */
static uint32_t *find_slot(const shape_maker *m, const char *name)
{
    size_t i = (size_t)XXH3_64bits(name, strlen(name)) & (m->slots - 1);
    while (m->slot[i] && strcmp(m->shape.group_name[m->slot[i] - 1], name))
        i = (i + 1) & (m->slots - 1);
    return &m->slot[i];
}

/* Keeps the hash table at most half full. */
static int grow_slots(shape_maker *m)
{
    if (m->slots / 2 > m->shape.groups)
        return IMP_OK;
    size_t slots = m->slots ? 2 * m->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", slots * sizeof *slot);
    free(m->slot);
    m->slot = slot;
    m->slots = slots;
    for (uint32_t i = 0; i < m->shape.groups; i++)
        *find_slot(m, m->shape.group_name[i]) = i + 1;
    return IMP_OK;
}

/* Gives the present section a number. */
static int number_section(shape_maker *m)
{
    int err = IMP_OK;
    shape *s = &m->shape;
    const char *name = m->section ? m->section : "";
    size_t size = strlen(name) + 1;
    TRY(grow_slots(m));
    uint32_t *slot = find_slot(m, name);
    if (!*slot) {
        TRY(shape_make_room(&s->group_name, &m->name_room,
                            ((size_t)s->groups + 1) * sizeof *s->group_name));
        char *copy = malloc(size);
        if (!copy)
            FAIL(IMP_ERR_MEMORY, "out of memory: %zu bytes", size);
        memcpy(copy, name, size);
        s->group_name[s->groups++] = copy;
        *slot = s->groups;
    }
    m->section_group = (int32_t)(*slot - 1);
out:
    return err;
}

/* ---- primitives */

void shape_make_wide(uint32_t *corner, uint8_t *own, size_t n)
{
    for (size_t i = own ? n : 0; i--;) {
        memmove(corner + 4 * i, corner + 3 * i, 3 * sizeof *corner);
        corner[4 * i + 3] = corner[4 * i + 2];
        own[i] = 3;
    }
}

/* Most files have triangles only: their four numbers come with the first tetrahedron. */
static int widen(shape_maker *m)
{
    int err = IMP_OK;
    shape *s = &m->shape;
    TRY(shape_make_room(&s->corner, &m->corner_room,
                        4 * (size_t)s->primitives * sizeof *s->corner + 1));
    TRY(shape_make_room(&s->own, &m->own_room, (size_t)s->primitives + 1));
    shape_make_wide(s->corner, s->own, s->primitives);
    s->corners = 4;
out:
    return err;
}

int shape_make_primitive(shape_maker *m, const uint32_t *corner, uint32_t own)
{
    int err = IMP_OK;
    shape *s = &m->shape;
    const size_t n = (size_t)s->primitives + 1;
    if (s->primitives == SHAPE_PRIMITIVES_MOST)
        FAIL(TEXT_BAD(m->text, "more than %" PRIu32 " triangles and tetrahedra",
                      SHAPE_PRIMITIVES_MOST));
    if (m->section_group == NO_GROUP)
        TRY(number_section(m));
    if (own > s->corners)
        TRY(widen(m));
    TRY(shape_make_room(&s->corner, &m->corner_room, n * s->corners * sizeof *s->corner));
    TRY(shape_make_room(&s->group, &m->group_room, n * sizeof *s->group));
    if (s->own) {
        TRY(shape_make_room(&s->own, &m->own_room, n));
        s->own[s->primitives] = (uint8_t)own;
    }
    uint32_t *to = s->corner + (size_t)s->corners * s->primitives;
    for (uint32_t k = 0; k < s->corners; k++)
        to[k] = corner[k < own ? k : own - 1];
    s->group[s->primitives++] = m->section_group;
    s->tetrahedra += own == 4;
out:
    return err;
}

int shape_make_polygon(shape_maker *m, uint32_t corners, uint64_t line)
{
    shape *s = &m->shape;
    size_t bytes = ((size_t)s->polygons + 1) * sizeof *s->polygon;
    int err = shape_make_room(&s->polygon, &m->polygon_room, bytes);
    if (!err)
        s->polygon[s->polygons++] = (shape_polygon){
            .line = line, .first = s->primitives - (corners - 2), .corners = corners};
    return err;
}

/* ---- the whole */

void shape_make_start(shape_maker *m, const text *t, enum shape_format format)
{
    *m = (shape_maker){
        .text = t, .shape = {.format = format, .corners = 3}, .section_group = NO_GROUP};
}

static void trim(void *inout, size_t bytes)
{
    void *p;
    memcpy(&p, inout, sizeof p);
    if (p && bytes) {
        void *less = realloc(p, bytes);
        p = less ? less : p;
        memcpy(inout, &p, sizeof p);
    }
}

void shape_make_end(shape_maker *m, shape *out)
{
    shape *s = &m->shape;
    trim(&s->point, (size_t)3 * s->vertices * sizeof *s->point);
    trim(&s->corner, (size_t)s->corners * s->primitives * sizeof *s->corner);
    trim(&s->own, s->primitives);
    trim(&s->group, s->primitives * sizeof *s->group);
    trim(&s->polygon, s->polygons * sizeof *s->polygon);
    trim(&s->group_name, s->groups * sizeof *s->group_name);
    *out = *s;
    *s = (shape){0};
    shape_make_free(m);
}

void shape_make_free(shape_maker *m)
{
    shape_free(&m->shape);
    free(m->section);
    free(m->slot);
    *m = (shape_maker){0};
}
