/* Events of a result: patches of contacts, linked from frame to frame (README.md). */
#ifndef IMP_EVENTS_H
#define IMP_EVENTS_H

#include "impinge_regions.h"
#include "mem.h"
#include "store.h"

#include <stddef.h>
#include <stdint.h>

typedef struct event_chain event_chain;

/* The mesh that the rows of a frame refer to. */
typedef struct event_mesh {
    const imp_mesh *mesh;
    const uint32_t *number; /* [primitives] numbers in the frame, ascending; NULL: their indices */
} event_mesh;

/* The regions that the rows of a frame bound (../regions). */
typedef struct event_regions {
    const imp_region *of;
    const int64_t *of_row; /* [2 * rows] in the order of the rows: of each the region on the object
                              of a, then of b; -1: none */
} event_regions;

typedef struct event_frame {
    uint64_t number; /* of the input, for messages */
    double time;
    const result_rows *rows;      /* in any order; NULL: the frame has none */
    const event_regions *regions; /* NULL: not known */
} event_frame;

/* A row of a frame, and the midpoint of its two points. */
typedef struct event_place {
    uint64_t frame; /* counted from 0 over the calls of events_add */
    size_t row;     /* in the order of pairs of primitives */
    int64_t a, b;   /* its primitives, numbers in that frame: of the event's object a, and b */
    double point[3];
} event_place;

/* One of the worst rows of an event, and what orders them: the greatest first. */
typedef struct event_ranked {
    event_place place;
    double rank;
} event_ranked;

enum { EVENT_RANKED = 5 }; /* rows of an event that are kept at most */

/* A chain of linked patches, one in each frame from the first to the last. */
typedef struct event_part {
    size_t event, number; /* its event, and its number among the event's parts, from 0 */
    uint64_t first, last; /* frames, counted as in event_place */
    uint64_t contacts;    /* the greatest number of rows in a frame */
    uint64_t contacts_frame;
    double length; /* the greatest sum of the lengths of segments in a frame */
} event_part;

/* members: the figures of an event, all of them printed */
typedef struct contact_event {
    int32_t a, b;              /* the objects, a <= b */
    size_t parts;              /* their number */
    uint64_t first, last;      /* frames, in all of which it has contacts */
    double begin, end;         /* the least time in the first frame, the greatest in the last one:
                                  of rows, or of the frame if rows have none */
    uint64_t contacts;         /* the greatest number of rows in a frame */
    uint64_t contacts_frame;   /* the first frame with that number */
    double length;             /* sum of the lengths of segments, the greatest in a frame */
    double area;               /* sum of the areas of the regions that rows bound, likewise */
    double depth, penetration; /* the greatest ones; 0 if rows have none */
    double distance;           /* the least one; infinite if rows have none */
    event_place worst;         /* the row with the greatest penetration, without that column the
                                  least distance, without that one the greatest depth; of several
                                  the first one */
    double severity;           /* orders rows: the greatest one is that of `worst` */
    uint64_t contacts_all;     /* with lists: rows in all frames */
    event_ranked ranked[EVENT_RANKED]; /* in order of severity; if no row has figures for that, of
                                          time, without times of length, the longest first */
    size_t ranked_count;
    uint64_t last_contacts; /* rows and length in the last frame */
    double last_length;
    size_t primitives;        /* after events_end, if wanted: the primitives of all its rows */
    const int64_t *primitive; /* [primitives] ids, ascending */
} contact_event;

/* The patch of a part is linked to that of another one in the next frame. A split: the part goes
 * on. A merge: it ends. */
enum event_change_kind { EVENT_SPLIT, EVENT_MERGE };

typedef struct event_change {
    uint64_t frame; /* the first one after the change */
    enum event_change_kind kind;
    size_t part, other; /* positions of event_chain_part */
} event_change;

/* Memory is counted in m. lists: the primitives of each event are listed by events_end, and its
 * worst rows. Errors: MEMORY. */
int events_open(mem *m, int lists, event_chain **out);
void events_close(event_chain *e);

/* The columns that events_add uses, of those that a result has. */
column_set events_columns(void);

/* Sets the mesh of the next frames; it must live until the last of them is added. Errors: MEMORY.
 */
int events_set_mesh(event_chain *e, const event_mesh *mesh);

/* Adds the next frame. path: the result, for messages. Errors: MEMORY; INPUT, if a row has a
 * primitive that the mesh lacks. */
int events_add(event_chain *e, const char *path, const event_frame *of);

/* Completes the events; called after the last frame. Errors: MEMORY. */
int events_end(event_chain *e);

/* The events and their parts, both in order of (first frame, least pair of primitives there). */
size_t events_count(const event_chain *e);
const contact_event *events_get(const event_chain *e, size_t id);
size_t events_parts(const event_chain *e);
const event_part *events_part(const event_chain *e, size_t i);

/* The changes, in order of (frame, kind, part, other). */
size_t events_changes(const event_chain *e);
const event_change *events_change(const event_chain *e, size_t i);

#endif
