/* See inside.h: the boxes of spans, and the primitives of an object with vertices in the box of a
 * closed one. */
#include "inside.h"

#include "error.h"
#include "float_env.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- boxes */

#define NEAR_BLOCK 64 /* vertices with numbers that follow each other */
#define NEAR_CHUNK 4  /* spans that a thread takes at a time */
/* A span whose vertex numbers lie in a range of fewer than so many for each of its primitives has
 * the box of all vertices in that range. */
#define NEAR_ROUGH 16

static void near_join(const float *from, float *box)
{
    for (int k = 0; k < 3; k++) {
        box[k] = from[k] < box[k] ? from[k] : box[k];
        box[3 + k] = from[3 + k] > box[3 + k] ? from[3 + k] : box[3 + k];
    }
}

/* The box of some vertices. */
static void near_block_box(const solids *s, size_t first, size_t last, float box[6])
{
    const imp_frame *f = s->mesh.frame;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t v = first; v < last; v++) {
            const double x = frame_coordinate(f, v, (size_t)k);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        box[k] = solids_unit(s, k, lo);
        box[3 + k] = solids_unit(s, k, hi);
    }
}

static inline double near_less(double x, double y)
{
    return x < y ? x : y;
}

static inline double near_more(double x, double y)
{
    return x > y ? x : y;
}

/* The range of coordinates of a span's vertices: those of a primitive first, which need not wait
 * for the others. */
static void near_range(const solids *s, const closed_span *span, int axis, float *box)
{
    const imp_frame *f = s->mesh.frame;
    double lo = INFINITY, hi = -INFINITY;
    for (uint32_t i = span->first; i < span->last; i++) {
        double x[4];
        for (uint32_t k = 0; k < 4; k++)
            x[k] = frame_coordinate(f, mesh_vertex(f->mesh, s->mesh.prim[i], k), (size_t)axis);
        lo = near_less(near_less(near_less(x[0], x[1]), near_less(x[2], x[3])), lo);
        hi = near_more(near_more(near_more(x[0], x[1]), near_more(x[2], x[3])), hi);
    }
    box[axis] = solids_unit(s, axis, lo);
    box[3 + axis] = solids_unit(s, axis, hi);
}

/* Around the vertices, and perhaps others with numbers between theirs. block: boxes of the mesh's
 * vertices. */
static void near_span_box(const solids *s, const closed_span *span, const float *block,
                          float box[6])
{
    const int rough = (span->greatest - span->least) / NEAR_ROUGH < span->last - span->first;
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? INFINITY : -INFINITY;
    for (size_t i = span->least / NEAR_BLOCK; i <= span->greatest / NEAR_BLOCK && rough; i++)
        near_join(block + 6 * i, box);
    for (int k = 0; k < 3 && !rough; k++)
        near_range(s, span, k, box);
}

int inside_span_boxes(const solids *s, float *box)
{
    int err = IMP_OK;
    const int64_t spans = s->mesh.spans;
    const size_t verts = s->mesh.frame->mesh->vertices;
    const int64_t blocks = (int64_t)((verts + NEAR_BLOCK - 1) / NEAR_BLOCK);
    float *block = NULL;
    TRY(mem_alloc(s->mem, (size_t)6 * (size_t)blocks * sizeof *block, &block));
#pragma omp parallel num_threads(s->threads) if (spans > NEAR_CHUNK)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < blocks; i++) {
            const size_t first = (size_t)i * NEAR_BLOCK;
            near_block_box(s, first, verts - first < NEAR_BLOCK ? verts : first + NEAR_BLOCK,
                           block + 6 * i);
        }
#pragma omp for schedule(guided, NEAR_CHUNK)
        for (int64_t i = 0; i < spans; i++)
            near_span_box(s, &s->mesh.span[i], block, box + 6 * i);
    }
out:
    mem_free(s->mem, block);
    return err;
}

/* ---- spans and the boxes of closed objects that they overlap */

typedef struct near_task {
    size_t pair;
    uint32_t span;
    uint8_t n;      /* the span is of place[n] */
    uint8_t within; /* all of it is in the box */
    int thread;     /* what was found: a range of the list of this thread */
    size_t first, count;
} near_task;

typedef struct near_tasks {
    near_task *task; /* [count] by pair, n, and span */
    size_t count, capacity;
} near_tasks;

static int near_overlap(const float *x, const float *y)
{
    return (x[0] <= y[3]) & (x[1] <= y[4]) & (x[2] <= y[5]) & (x[3] >= y[0]) & (x[4] >= y[1]) &
           (x[5] >= y[2]);
}

static int near_within(const float *x, const float *y)
{
    return (x[0] >= y[0]) & (x[1] >= y[1]) & (x[2] >= y[2]) & (x[3] <= y[3]) & (x[4] <= y[4]) &
           (x[5] <= y[5]);
}

static int near_add_tasks(const inside_frame *f, size_t pair, int n, const float *box,
                          near_tasks *to)
{
    int err = IMP_OK;
    const solids *s = f->solids;
    const inside_pair *p = &f->pair[pair];
    const closed_object *of = &s->mesh.of[p->place[n]];
    if (!s->mesh.of[p->place[1 - n]].closed)
        return IMP_OK;
    const float *in = solids_box(s, p->place[1 - n]);
    for (uint32_t i = of->span; i < of->span + of->spans; i++) {
        const float *mine = box + (size_t)6 * i;
        if (!near_overlap(mine, in))
            continue;
        TRY(mem_fit(s->mem, to->count, &to->capacity, sizeof *to->task, &to->task));
        to->task[to->count++] = (near_task){
            .pair = pair, .span = i, .n = (uint8_t)n, .within = (uint8_t)near_within(mine, in)};
    }
out:
    return err;
}

/* ---- the primitives of a span */

#define NEAR_SPREAD 3 /* numbers of vertices for each primitive that are gone through in order */

/* Whether a span's vertices are mostly all those between the least and the greatest one. */
static int near_dense(const closed_span *s)
{
    return s->greatest - s->least < NEAR_SPREAD * (s->last - s->first);
}

typedef struct near_list {
    inside_near *near; /* [count] */
    size_t count, capacity;
} near_list;

static inline uint8_t near_in_box(const solids *s, const float *box, size_t v)
{
    for (int k = 0; k < 3; k++) {
        const float x = solids_unit(s, k, frame_coordinate(s->mesh.frame, v, (size_t)k));
        if (x < box[k] || x > box[3 + k])
            return 0;
    }
    return 1;
}

/* Room for all primitives of a span. */
static int near_fit(mem *m, near_list *list)
{
    int err = IMP_OK;
    if (list->capacity - list->count >= CLOSED_SPAN)
        return IMP_OK;
    const size_t more = 2 * list->capacity + CLOSED_SPAN;
    TRY(mem_grow(m, list->count * sizeof *list->near, more * sizeof *list->near, &list->near));
    list->capacity = more;
out:
    return err;
}

static int near_search(const inside_frame *f, near_task *t, near_list *list)
{
    int err = IMP_OK;
    const solids *s = f->solids;
    const imp_mesh *m = s->mesh.frame->mesh;
    const closed_span *span = &s->mesh.span[t->span];
    const float *box = solids_box(s, f->pair[t->pair].place[1 - t->n]);
    const int dense = near_dense(span) && !t->within;
    uint8_t in[NEAR_SPREAD * CLOSED_SPAN];
    TRY(near_fit(s->mem, list));
    for (size_t v = span->least; v <= span->greatest && dense; v++)
        in[v - span->least] = near_in_box(s, box, v);
    t->first = list->count;
    for (uint32_t i = span->first; i < span->last; i++) {
        const uint32_t prim = s->mesh.prim[i], corners = mesh_corners_of(m, prim);
        inside_near near = {prim, t->within ? (1u << corners) - 1 : 0};
        for (uint32_t k = 0; k < corners && dense; k++)
            near.corners |= (uint32_t)in[mesh_vertex(m, prim, k) - span->least] << k;
        for (uint32_t k = 0; k < corners && !dense && !t->within; k++)
            near.corners |= (uint32_t)near_in_box(s, box, mesh_vertex(m, prim, k)) << k;
        list->near[list->count] = near;
        list->count += near.corners != 0;
    }
    t->count = list->count - t->first;
out:
    return err;
}

/* ---- all */

static int near_search_all(const inside_frame *f, near_tasks *tasks, near_list *list)
{
    const solids *s = f->solids;
    const int64_t count = (int64_t)tasks->count;
    int failed = 0;
#pragma omp parallel num_threads(s->threads) reduction(| : failed) if (count > NEAR_CHUNK)
    EACH_IN_FLOAT_ENV
    {
        const int thread = omp_get_thread_num();
#pragma omp for schedule(dynamic, NEAR_CHUNK)
        for (int64_t i = 0; i < count; i++) {
            tasks->task[i].thread = thread;
            failed |= failed ? 0 : near_search(f, &tasks->task[i], &list[thread]);
        }
    }
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

/* Puts what was found in the order of the tasks. */
static int near_collect(inside_frame *f, const near_tasks *tasks, const near_list *list)
{
    int err = IMP_OK;
    size_t count = 0, t = 0;
    for (size_t i = 0; i < tasks->count; i++)
        count += tasks->task[i].count;
    TRY(mem_alloc(f->solids->mem, count * sizeof *f->near, &f->near));
    count = 0;
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++) {
            f->pair[i].near[n] = count;
            for (; t < tasks->count && tasks->task[t].pair == i && tasks->task[t].n == n; t++) {
                const near_task *from = &tasks->task[t];
                if (from->count)
                    memcpy(f->near + count, list[from->thread].near + from->first,
                           from->count * sizeof *f->near);
                count += from->count;
            }
            f->pair[i].near_end[n] = count;
        }
out:
    return err;
}

int inside_find_near(inside_frame *f, const float *box)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    const size_t threads = (size_t)f->solids->threads;
    near_tasks tasks = {0};
    near_list *list = NULL;
    TRY(mem_alloc(m, threads * sizeof *list, &list));
    memset(list, 0, threads * sizeof *list);
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++)
            TRY(near_add_tasks(f, i, n, box, &tasks));
    TRY(near_search_all(f, &tasks, list));
    TRY(near_collect(f, &tasks, list));
out:
    for (size_t i = 0; i < threads && list; i++)
        mem_free(m, list[i].near);
    mem_free(m, list);
    mem_free(m, tasks.task);
    return err;
}
