/* The events of a result, from its rows and the meshes of its input, frame by frame. */
#ifndef IMP_EVENT_FIND_H
#define IMP_EVENT_FIND_H

#include "cli.h"
#include "events.h"
#include "store.h"

/* Zero at first, except the members before `block`. */
typedef struct event_finder {
    mem *mem;
    const char *path, *input;
    result_reader *r;
    batch *in;
    warnings *warnings; /* for meshes that change and have no ids; NULL: no warnings */
    int counts;         /* only the number of events is wanted */
    batch_block block;  /* the frame whose mesh is current */
    uint64_t held;      /* its number */
    int changed;        /* the warning was given */
    batch_info batch;
    event_chain *e;
} event_finder;

/* The reason why a result has no events: its rows must be pairs of primitives that are decided.
 * NULL: it has. */
const char *event_find_refusal(const result_reader *r);

/* The caller closes *out. Errors: INPUT, MEMORY. */
int event_find(event_finder *s, event_chain **out);

#endif
