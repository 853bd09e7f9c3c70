/* Within `impinge events`: cmd_events.c (the verb), events_states.c (approved events) and
 * event_list.c and events_print.c (tables and JSON). */
#ifndef IMP_EVENTS_RUN_H
#define IMP_EVENTS_RUN_H

#include "cli.h"
#include "events.h"
#include "object_names.h"
#include "output_file.h"
#include "store.h"

/* ---- Approved events: the file of --states. */

enum event_state { EVENT_NO_STATE, EVENT_NEW, EVENT_KNOWN };

/* An event's line in the file. */
typedef struct approved_event {
    uint64_t hash;
    char *objects;       /* the two objects, as the line has them */
    size_t first, count; /* range of event_states.primitive */
    int gone;            /* no event has any of its primitives */
} approved_event;

typedef struct event_states {
    mem *mem;
    const batch_names *names; /* the names of the objects in the result */
    int ids;                  /* primitives are known by PrimitiveId */
    approved_event *approved;
    size_t count, capacity;
    int64_t *primitive;
    size_t primitives, primitive_capacity;
    size_t gone; /* events_states_compare */
} event_states;

/* Reads the file; event_states.mem, names and ids are set. Errors: INPUT (the text names file and
 * line), MEMORY. */
int event_states_read(event_states *s, const char *path);
void event_states_free(event_states *s);

/* The hash of an event, which depends on its objects and primitives alone. Errors: MEMORY. */
int event_states_hash(const event_states *s, const contact_event *of, uint64_t *hash);

/* Finds the state of each event, state[events_count(e)], and the approved events that are gone.
 * Errors: MEMORY. */
int event_states_compare(event_states *s, const event_chain *e, uint8_t *state);

/* Writes a file of all events. Errors: FILE, DISK, MEMORY. */
int event_states_write(const event_states *s, const event_chain *e, text_output *to);

/* ---- Output. */

/* Parts of `event` have merged into parts of `other`, another event. */
typedef struct event_merge {
    size_t event, other;
} event_merge;

/* members: what the three forms of output print */
typedef struct event_list {
    const char *path, *input;
    const result_info *info;
    column_set columns; /* the columns that the result has */
    const event_chain *events;
    const uint64_t *hash; /* [events_count] */
    const uint8_t *state; /* [events_count] enum event_state */
    const event_states *approved;
    int states;     /* --states was given */
    uint64_t since; /* events that begin in earlier frames of the input are left out */
    const warnings *warnings;
    /* event_list_make */
    size_t *part, *first_part; /* positions of the parts of each event: [first_part[id], ...) */
    event_merge *merge;        /* sorted, each once */
    size_t *first_merge;       /* [events + 1] */
} event_list;

/* Fills in the last members, which event_list_free frees. Errors: MEMORY. */
int event_list_make(mem *m, event_list *l);
void event_list_free(mem *m, event_list *l);

/* Returns whether an event is listed. */
int event_list_has(const event_list *l, size_t id);

void events_print_table(const event_list *l);
void events_print_json(json *j, const event_list *l);

/* Errors: FILE, DISK. */
int events_print_csv(const event_list *l, text_output *to);

#endif
