/* The events of a result, from its rows and the meshes of its input, frame by frame; with areas of
 * regions also from the points of the input. */
#ifndef IMP_EVENT_FIND_H
#define IMP_EVENT_FIND_H

#include "cli.h"
#include "events.h"
#include "frame_contacts.h"
#include "regions.h"
#include "store.h"

/* Zero at first, except the members before `block`. */
typedef struct event_finder {
    mem *mem;
    const char *path, *input;
    result_reader *r;
    batch *in;
    warnings *warnings; /* for meshes that change and have no ids; NULL: no warnings */
    int counts;         /* only the number of events is wanted */
    int areas;          /* event_find_has_areas, if areas are wanted */
    batch_block block;  /* the frame whose mesh is current */
    uint64_t held;      /* its number */
    int changed;        /* the warning was given */
    batch_info batch;
    event_chain *e;
    frame_contacts contacts; /* for areas, as what follows */
    region_set regions;
} event_finder;

/* The reason why a result has no events: its rows must be pairs of primitives that are decided.
 * NULL: it has. */
const char *event_find_refusal(const result_reader *r);

/* Returns whether the rows of a result bound regions whose areas can be found: it has EndFeatures.
 */
int event_find_has_areas(const result_reader *r);

/* The caller closes *out. Errors: INPUT, MEMORY. */
int event_find(event_finder *s, event_chain **out);

#endif
