/* See device_cl_pinned.h. */
#include "device_cl_pinned.h"

#include "buffer.h"
#include "budget.h"
#include "device_cl_landing.h"
#include "float_env.h"

#include <stdlib.h>
#include <string.h>

#define PIECES BUDGET_PINNED_PIECES
#define PIECE_BYTES ((size_t)BUDGET_PINNED_PIECE)
#define ALL_BYTES (PIECES * PIECE_BYTES)

/* What a thread copies at a time: fewer bytes are sooner copied than another thread begins. */
#define GRAIN_BYTES ((size_t)64 << 10)

struct cl_pinned {
    cl_command_queue queue;
    mem *mem;
    int threads;
    readback memory;        /* ALL_BYTES */
    cl_event event[PIECES]; /* of the last copy of a piece that was not waited for; NULL: none */
    unsigned next;          /* piece; they take turns */
};

/* A part of a read, in a piece. */
typedef struct part {
    const buffer *from;
    size_t offset, bytes;
    unsigned char *to;
} part;

/* Where a list of reads is divided into parts. */
typedef struct cursor {
    const readout *list;
    size_t n, i, done; /* list[i] is read up to byte `done` */
} cursor;

/* Where a list of sources is divided into pieces. */
typedef struct supply {
    const source *list;
    size_t n, i, done; /* list[i] is copied up to byte `done` */
} supply;

static void copy_bytes(unsigned char *to, const unsigned char *from, size_t bytes, int threads)
{
    const size_t grains = (bytes + GRAIN_BYTES - 1) / GRAIN_BYTES;
#pragma omp parallel num_threads(threads) if (grains > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (size_t i = 0; i < grains; i++) {
        const size_t first = i * GRAIN_BYTES, rest = bytes - first;
        memcpy(to + first, from + first, rest < GRAIN_BYTES ? rest : GRAIN_BYTES);
    }
}

/* Waits for the last copy of a piece. */
static cl_int piece_wait(cl_pinned *p, unsigned i)
{
    if (!p->event[i])
        return CL_SUCCESS;
    const cl_int code = clWaitForEvents(1, &p->event[i]);
    clReleaseEvent(p->event[i]);
    p->event[i] = NULL;
    return code;
}

static unsigned char *piece_at(const cl_pinned *p, unsigned i)
{
    return (unsigned char *)p->memory.at + i * PIECE_BYTES;
}

cl_pinned *cl_pinned_open(cl_context context, cl_command_queue queue, mem *m, int threads)
{
    readback memory = {0};
    if (cl_readback_open(context, queue, m, ALL_BYTES, &memory))
        return NULL;
    cl_pinned *p = calloc(1, sizeof *p);
    if (p)
        *p = (cl_pinned){.queue = queue, .mem = m, .threads = threads, .memory = memory};
    else
        cl_readback_close(queue, m, &memory);
    return p;
}

void cl_pinned_close(cl_pinned *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < PIECES; i++)
        piece_wait(p, i);
    cl_readback_close(p->queue, p->mem, &p->memory);
    free(p);
}

/* Returns how many bytes the piece has. */
static size_t piece_fill(const cl_pinned *p, unsigned piece, supply *s)
{
    size_t filled = 0;
    while (filled < PIECE_BYTES && s->i < s->n) {
        const source *from = &s->list[s->i];
        const size_t rest = from->bytes - s->done, room = PIECE_BYTES - filled;
        const size_t bytes = rest < room ? rest : room;
        copy_bytes(piece_at(p, piece) + filled, (const unsigned char *)from->at + s->done, bytes,
                   p->threads);
        filled += bytes;
        s->done = bytes < rest ? s->done + bytes : 0;
        s->i += bytes == rest;
    }
    return filled;
}

/* Many small sources go as few pieces. */
cl_int cl_pinned_write(cl_pinned *p, cl_mem to, size_t offset, const source *list, size_t n)
{
    supply s = {.list = list, .n = n};
    while (s.i < n) {
        const unsigned i = p->next;
        p->next = (i + 1) % PIECES;
        cl_int code = piece_wait(p, i);
        if (code != CL_SUCCESS)
            return code;
        const size_t bytes = piece_fill(p, i, &s);
        code = clEnqueueWriteBuffer(p->queue, to, CL_FALSE, offset, bytes, piece_at(p, i), 0, NULL,
                                    &p->event[i]);
        offset += bytes;
        /* Else a driver may keep it until somebody waits. */
        if (code == CL_SUCCESS)
            code = clFlush(p->queue);
        if (code != CL_SUCCESS)
            return code;
    }
    return CL_SUCCESS;
}

/* The next part of a list; 0 if there is none. */
static int cursor_next(cursor *c, part *out)
{
    while (c->i < c->n && c->done == c->list[c->i].bytes) {
        c->i++;
        c->done = 0;
    }
    if (c->i == c->n)
        return 0;
    const readout *r = &c->list[c->i];
    const size_t rest = r->bytes - c->done;
    *out = (part){r->from, r->offset + c->done, rest < PIECE_BYTES ? rest : PIECE_BYTES,
                  (unsigned char *)r->to + c->done};
    c->done += out->bytes;
    return 1;
}

/* A write that still reads the piece is done before, since the queue is in order. */
static cl_int part_begin(cl_pinned *p, unsigned i, const part *r)
{
    if (p->event[i])
        clReleaseEvent(p->event[i]);
    p->event[i] = NULL;
    return clEnqueueReadBuffer(p->queue, r->from->native, CL_FALSE, r->offset, r->bytes,
                               piece_at(p, i), 0, NULL, &p->event[i]);
}

/* last: of all parts, after which nothing is in the queue. */
static cl_int part_end(cl_pinned *p, unsigned i, const part *r, int last)
{
    cl_int code = last ? clFinish(p->queue) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = piece_wait(p, i);
    if (code == CL_SUCCESS)
        copy_bytes(r->to, piece_at(p, i), r->bytes, p->threads);
    return code;
}

cl_int cl_pinned_read(cl_pinned *p, const readout *list, size_t n,
                      void (*until)(void *user, cl_event event), void *user)
{
    cursor c = {.list = list, .n = n};
    part wait[PIECES], next;
    unsigned begun = 0, ended = 0;
    cl_int code = CL_SUCCESS;
    int more = cursor_next(&c, &next);
    while (code == CL_SUCCESS && (more || ended < begun)) {
        const unsigned first = p->next;
        for (; code == CL_SUCCESS && more && begun - ended < PIECES; begun++) {
            const unsigned i = (first + begun - ended) % PIECES;
            wait[i] = next;
            code = part_begin(p, i, &next);
            more = cursor_next(&c, &next);
        }
        if (code == CL_SUCCESS && until && !ended)
            until(user, p->event[first]);
        if (code == CL_SUCCESS)
            code = part_end(p, first, &wait[first], !more && ended + 1 == begun);
        p->next = (first + 1) % PIECES;
        ended++;
    }
    return code;
}
