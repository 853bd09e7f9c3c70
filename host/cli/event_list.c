/* See events_run.h: what the output needs in order of events. */
#include "error.h"
#include "events_run.h"

#include <stdlib.h>

/* Parts are in order of their first frames: counts them by event, then places them. */
static int event_list_parts(mem *m, event_list *l)
{
    int err = IMP_OK;
    const size_t count = events_count(l->events), parts = events_parts(l->events);
    TRY(mem_alloc(m, parts * sizeof *l->part, &l->part));
    TRY(mem_alloc(m, (count + 1) * sizeof *l->first_part, &l->first_part));
    l->first_part[0] = 0;
    for (size_t i = 0; i < count; i++)
        l->first_part[i + 1] = l->first_part[i] + events_get(l->events, i)->parts;
    for (size_t i = 0; i < parts; i++) {
        const event_part *p = events_part(l->events, i);
        l->part[l->first_part[p->event] + p->number] = i;
    }
out:
    return err;
}

static int event_list_compare(const void *x, const void *y)
{
    const event_merge *p = x, *q = y;
    if (p->event != q->event)
        return p->event < q->event ? -1 : 1;
    return (p->other > q->other) - (p->other < q->other);
}

/* Fills l->merge; returns the number of merges. */
static size_t event_list_add_merges(event_list *l)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < events_changes(l->events); i++) {
        const event_change *c = events_change(l->events, i);
        const event_merge one = {events_part(l->events, c->part)->event,
                                 events_part(l->events, c->other)->event};
        if (c->kind == EVENT_MERGE && one.event != one.other)
            l->merge[n++] = one;
    }
    if (n)
        qsort(l->merge, n, sizeof *l->merge, event_list_compare);
    for (size_t i = 0; i < n; i++)
        if (!kept || event_list_compare(&l->merge[kept - 1], &l->merge[i]))
            l->merge[kept++] = l->merge[i];
    return kept;
}

static int event_list_merges(mem *m, event_list *l)
{
    int err = IMP_OK;
    const size_t count = events_count(l->events);
    TRY(mem_alloc(m, events_changes(l->events) * sizeof *l->merge, &l->merge));
    TRY(mem_alloc(m, (count + 1) * sizeof *l->first_merge, &l->first_merge));
    const size_t merges = event_list_add_merges(l);
    for (size_t i = 0, at = 0; i <= count; i++) {
        while (at < merges && l->merge[at].event < i)
            at++;
        l->first_merge[i] = at;
    }
out:
    return err;
}

int event_list_make(mem *m, event_list *l)
{
    int err = event_list_parts(m, l);
    return err ? err : event_list_merges(m, l);
}

void event_list_free(mem *m, event_list *l)
{
    mem_free(m, l->part);
    mem_free(m, l->first_part);
    mem_free(m, l->merge);
    mem_free(m, l->first_merge);
}
