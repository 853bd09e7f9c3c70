/* See event_parts.h. */
#include "event_parts.h"

#include "error.h"
#include "frame.h"
#include "hash64.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_FIRST ((size_t)1024) /* a power of two, as are all later capacities */

/* ---- numbers of vertices and primitives */

static uint64_t element_hash(int32_t object, uint64_t name)
{
    return mix64(name ^ (uint64_t)(uint32_t)object * UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns the entry of the element, or the free one where it belongs. At least half are free. */
static element_entry *element_lookup(element_entry *entry, size_t capacity, int32_t object,
                                     uint64_t name)
{
    size_t i = (size_t)element_hash(object, name) & (capacity - 1);
    while (entry[i].number && (entry[i].name != name || entry[i].object != object))
        i = (i + 1) & (capacity - 1);
    return &entry[i];
}

static int element_table_grow(mem *m, element_table *t)
{
    int err = IMP_OK;
    element_entry *entry = NULL;
    const size_t capacity = t->capacity ? 2 * t->capacity : TABLE_FIRST;
    TRY(mem_alloc(m, capacity * sizeof *entry, &entry));
    memset(entry, 0, capacity * sizeof *entry);
    for (size_t i = 0; i < t->capacity; i++)
        if (t->entry[i].number)
            *element_lookup(entry, capacity, t->entry[i].object, t->entry[i].name) = t->entry[i];
    mem_free(m, t->entry);
    t->entry = entry;
    t->capacity = capacity;
out:
    return err;
}

static int element_table_number(mem *m, element_table *t, int32_t object, uint64_t name,
                                uint32_t *number)
{
    int err = IMP_OK;
    if (t->count >= t->capacity / 2)
        TRY(element_table_grow(m, t));
    element_entry *at = element_lookup(t->entry, t->capacity, object, name);
    if (!at->number) {
        if (t->count >= UINT32_MAX - 1)
            FAIL(IMP_ERR_MEMORY, "out of memory: contacts have more than %u primitives or vertices",
                 UINT32_MAX - 1);
        *at = (element_entry){name, object, (uint32_t)++t->count};
    }
    *number = at->number;
out:
    return err;
}

static int element_of_prim(event_elements *e, event_prim *p)
{
    int err = IMP_OK;
    TRY(element_table_number(e->mem, &e->of_prims, p->object, (uint64_t)p->id, &p->number));
    TRY(mem_fit(e->mem, p->number, &e->id_capacity, sizeof *e->id, &e->id));
    e->id[p->number] = p->id;
out:
    return err;
}

/* ---- primitives of the current mesh */

/* The prims of the mesh before stay: the rows of the last frame refer to them. */
int event_elements_mesh(event_elements *e, const imp_mesh *mesh, const uint32_t *number)
{
    int err = IMP_OK;
    mem_free(e->mem, e->index);
    e->index = NULL;
    e->mesh = mesh;
    e->number = number;
    e->meshes += !e->mesh_changed;
    e->mesh_changed = 1;
    e->of[e->meshes % 2].count = 0;
    TRY(mem_alloc(e->mem, mesh->primitives * sizeof *e->index, &e->index));
    memset(e->index, 0, mesh->primitives * sizeof *e->index);
out:
    return err;
}

static int event_elements_make(event_elements *e, size_t at, int64_t id, int32_t object,
                               uint32_t *prim)
{
    int err = IMP_OK;
    const imp_mesh *mesh = e->mesh;
    event_prims *to = &e->of[e->meshes % 2];
    event_prim p = {.id = id, .object = object, .vertices = mesh_corners_of(mesh, at)};
    TRY(element_of_prim(e, &p));
    for (uint32_t i = 0; i < p.vertices; i++)
        TRY(element_table_number(e->mem, &e->of_vertices, object, mesh_vertex(mesh, at, i),
                                 &p.vertex[i]));
    TRY(mem_fit(e->mem, to->count, &to->capacity, sizeof *to->prim, &to->prim));
    to->prim[to->count] = p;
    *prim = (uint32_t)to->count++;
    e->index[at] = (uint32_t)to->count;
out:
    return err;
}

/* An object of the result need not be an object of the mesh (--objects), and may change in a
 * damaged file; then the primitive is another one. */
int event_elements_find(event_elements *e, int64_t number, int64_t id, int32_t object,
                        uint32_t *prim)
{
    const size_t at = mesh_find_number(e->mesh, e->number, number);
    const event_prim *of = e->of[e->meshes % 2].prim;
    if (at == e->mesh->primitives)
        return IMP_ERR_INPUT;
    const uint32_t known = e->index[at];
    if (known && of[known - 1].object == object && of[known - 1].id == id) {
        *prim = known - 1;
        return IMP_OK;
    }
    return event_elements_make(e, at, id, object, prim);
}

void event_elements_free(event_elements *e)
{
    mem_free(e->mem, e->index);
    mem_free(e->mem, e->of[0].prim);
    mem_free(e->mem, e->of[1].prim);
    mem_free(e->mem, e->of_prims.entry);
    mem_free(e->mem, e->of_vertices.entry);
    mem_free(e->mem, e->id);
    mem_free(e->mem, e->counted);
    *e = (event_elements){.mem = e->mem};
}

/* ---- the primitives of each event: a hash set of (event + 1, primitive), which is never 0 */

/* Returns the entry that has the value, or the free one where it belongs. */
static uint64_t *counted_lookup(uint64_t *set, size_t capacity, uint64_t value)
{
    size_t i = (size_t)mix64(value) & (capacity - 1);
    while (set[i] && set[i] != value)
        i = (i + 1) & (capacity - 1);
    return &set[i];
}

static int counted_grow(event_elements *e)
{
    int err = IMP_OK;
    uint64_t *set = NULL;
    const size_t capacity = e->counted_capacity ? 2 * e->counted_capacity : TABLE_FIRST;
    TRY(mem_alloc(e->mem, capacity * sizeof *set, &set));
    memset(set, 0, capacity * sizeof *set);
    for (size_t i = 0; i < e->counted_capacity; i++)
        if (e->counted[i])
            *counted_lookup(set, capacity, e->counted[i]) = e->counted[i];
    mem_free(e->mem, e->counted);
    e->counted = set;
    e->counted_capacity = capacity;
out:
    return err;
}

int event_elements_count(event_elements *e, size_t event, event_prim *prim)
{
    int err = IMP_OK;
    const uint64_t value = (uint64_t)(event + 1) << 32 | prim->number;
    if (prim->counted == event + 1)
        return IMP_OK;
    if (event >= UINT32_MAX - 1)
        FAIL(IMP_ERR_MEMORY, "out of memory: more than %u events", UINT32_MAX - 1);
    if (e->counted_count >= e->counted_capacity / 2)
        TRY(counted_grow(e));
    uint64_t *at = counted_lookup(e->counted, e->counted_capacity, value);
    e->counted_count += !*at;
    *at = value;
    prim->counted = (uint32_t)event + 1;
out:
    return err;
}

typedef struct counted_pair {
    uint64_t event;
    int64_t id;
} counted_pair;

static int counted_compare(const void *x, const void *y)
{
    const counted_pair *p = x, *q = y;
    if (p->event != q->event)
        return p->event < q->event ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

/* An id occurs twice in an event if its object changes between frames: it is listed once. */
int event_elements_list(const event_elements *e, size_t events, int64_t **id, size_t **begin)
{
    int err = IMP_OK;
    size_t count = 0, kept = 0;
    counted_pair *pair = NULL;
    TRY(mem_alloc(e->mem, e->counted_count * sizeof *pair, &pair));
    for (size_t i = 0; i < e->counted_capacity; i++)
        if (e->counted[i])
            pair[count++] =
                (counted_pair){(e->counted[i] >> 32) - 1, e->id[(uint32_t)e->counted[i]]};
    if (count)
        qsort(pair, count, sizeof *pair, counted_compare);
    TRY(mem_alloc(e->mem, count * sizeof **id, id));
    TRY(mem_alloc(e->mem, (events + 1) * sizeof **begin, begin));
    for (size_t event = 0, i = 0; event <= events; event++) {
        (*begin)[event] = kept;
        for (; i < count && pair[i].event == event; i++)
            if (kept == (*begin)[event] || (*id)[kept - 1] != pair[i].id)
                (*id)[kept++] = pair[i].id;
    }
out:
    mem_free(e->mem, pair);
    return err;
}
