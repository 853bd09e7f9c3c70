/* See slabs_join.h. */
#include "slabs_join.h"

#include "error.h"
#include "signals.h"

/* The units of all files, one after another. */
typedef struct slab_sequence {
    mem *mem;
    slab_file *source;
    size_t sources, first, at; /* the first that is open; that of the next unit */
    uint64_t unit;
} slab_sequence;

static int slabs_join_next(slab_sequence *w, result_part *out)
{
    int err = IMP_OK;
    while (w->at < w->sources && w->source[w->at].first + w->source[w->at].count <= w->unit)
        w->at++;
    slab_file *s = &w->source[w->at];
    if (!s->reader)
        TRY(result_open(w->mem, s->path, &s->reader));
    *out = (result_part){s->reader, w->unit - s->first};
    w->unit++;
out:
    return err;
}

/* Sources that have no further unit. */
static void slabs_join_close_ended(slab_sequence *w)
{
    for (; w->first < w->sources; w->first++) {
        slab_file *s = &w->source[w->first];
        if (s->first + s->count > w->unit)
            break;
        result_close(s->reader);
        s->reader = NULL;
    }
}

int slabs_join(mem *m, result_join *j, slab_file *source, size_t sources, uint64_t slabs)
{
    int err = IMP_OK;
    slab_sequence w = {.mem = m, .source = source, .sources = sources};
    result_part *part = NULL;
    uint64_t units = 0;
    for (size_t i = 0; i < sources; i++)
        units += source[i].count;
    TRY(mem_alloc(m, slabs * sizeof *part, &part));
    while (w.unit < units) {
        if (signals_came())
            FAIL(IMP_ERR_CANCELLED, "stopped by a signal");
        for (uint64_t k = 0; k < slabs; k++)
            TRY(slabs_join_next(&w, &part[k]));
        TRY(result_join_slabs(j, part, slabs));
        slabs_join_close_ended(&w);
    }
out:
    for (size_t i = 0; i < sources; i++) {
        result_close(source[i].reader);
        source[i].reader = NULL;
    }
    mem_free(m, part);
    return err;
}
