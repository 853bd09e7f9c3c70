/* See events_run.h: the table for people, the table of --csv, and JSON. */
#include "events_run.h"

#include "error.h"
#include "exports.h"
#include "h5.h"
#include "object_text.h"

#include <errno.h>
#include <string.h>

#define EVENTS_ROWS 50    /* most rows of the table for people */
#define EVENTS_CHANGES 20 /* most of the changes, and of the approved events that are gone */

static const char *const state_words[] = {"", "new", "known"};
static const char *const change_words[] = {[EVENT_SPLIT] = "split", [EVENT_MERGE] = "merge"};

static int64_t events_frame(const event_list *l, uint64_t frame)
{
    return l->info->of.input_frame[frame];
}

int event_list_has(const event_list *l, size_t id)
{
    return events_frame(l, events_get(l->events, id)->first) >= (int64_t)l->since;
}

static const event_part *events_part_of(const event_list *l, size_t part)
{
    return events_part(l->events, part);
}

/* Changes of listed events. */
static int event_list_has_change(const event_list *l, const event_change *c)
{
    return event_list_has(l, events_part_of(l, c->part)->event) ||
           event_list_has(l, events_part_of(l, c->other)->event);
}

static size_t event_list_count(const event_list *l, uint8_t state)
{
    size_t n = 0;
    for (size_t i = 0; i < events_count(l->events); i++)
        n += event_list_has(l, i) && (!state || l->state[i] == state);
    return n;
}

/* Segments of these rows bound regions. */
static int event_list_has_areas(const event_list *l)
{
    return column_in(l->columns, STORED_end_features);
}

/* ---- for people */

/* The figures that the result has; the widths are those of the titles. */
static void print_titles(const event_list *l)
{
    printf("%7s %5s  %-17s %-17s %12s", "event", "parts", "frames", "contacts", "length");
    if (column_in(l->columns, STORED_penetration))
        printf(" %12s", "penetration");
    if (column_in(l->columns, STORED_distance))
        printf(" %12s", "distance");
    if (column_in(l->columns, STORED_depth))
        printf(" %12s", "depth");
    if (event_list_has_areas(l))
        printf(" %12s", "area");
    printf("  %-34s%s %-16s  objects\n", "at", l->states ? " state" : "", " hash");
}

static void print_event(const event_list *l, size_t id)
{
    const contact_event *e = events_get(l->events, id);
    char text[64];
    printf("%7zu %5zu  ", id, e->parts);
    snprintf(text, sizeof text, "%lld to %lld", (long long)events_frame(l, e->first),
             (long long)events_frame(l, e->last));
    printf("%-17s ", text);
    snprintf(text, sizeof text, "%s in %lld", cli_number_text(e->contacts),
             (long long)events_frame(l, e->contacts_frame));
    printf("%-17s %12.6g", text, e->length);
    if (column_in(l->columns, STORED_penetration))
        printf(" %12.6g", e->penetration);
    if (column_in(l->columns, STORED_distance))
        printf(" %12.6g", e->distance);
    if (column_in(l->columns, STORED_depth))
        printf(" %12.6g", e->depth);
    if (event_list_has_areas(l))
        printf(" %12.6g", e->area);
    snprintf(text, sizeof text, "%.6g %.6g %.6g", e->worst.point[0], e->worst.point[1],
             e->worst.point[2]);
    printf("  %-34s", text);
    if (l->states)
        printf(" %-5s", state_words[l->state[id]]);
    printf("  %016llx  %s", (unsigned long long)l->hash[id], object_text(l->info->names, e->a));
    if (e->a != e->b)
        printf(", %s", object_text(l->info->names, e->b));
    printf("\n");
}

/* "2.5" is part 5 of event 2. */
static void print_change(const event_list *l, const event_change *c)
{
    const event_part *p = events_part_of(l, c->part), *q = events_part_of(l, c->other);
    printf("frame %lld: %zu.%zu %s %zu.%zu\n", (long long)events_frame(l, c->frame), p->event,
           p->number, c->kind == EVENT_SPLIT ? "splits; a part of it is in" : "merges into",
           q->event, q->number);
}

/* how: the option that lists all */
static void print_more(size_t count, size_t most, const char *noun, const char *how)
{
    if (count > most)
        printf("and %s more; %s lists all\n", cli_count_text(count - most, noun), how);
}

static void print_changes(const event_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < events_changes(l->events); i++) {
        const event_change *c = events_change(l->events, i);
        if (event_list_has_change(l, c) && n++ < EVENTS_CHANGES)
            print_change(l, c);
    }
    print_more(n, EVENTS_CHANGES, "change", "--json");
}

static void print_gone(const event_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->approved->count; i++) {
        const approved_event *a = &l->approved->approved[i];
        if (a->gone && n++ < EVENTS_CHANGES)
            printf("gone: %016llx  %s, %s\n", (unsigned long long)a->hash, cli_shown(a->objects),
                   cli_count_text(a->count, "primitive"));
    }
    print_more(n, EVENTS_CHANGES, "approved event", "--csv");
}

static void events_print_sums(const event_list *l)
{
    const size_t all = events_count(l->events), listed = event_list_count(l, 0);
    printf("%s: %s", cli_shown(l->path), cli_count_text(all, "event"));
    if (l->since)
        printf(", %s of them from frame %s on", cli_number_text(listed), cli_number_text(l->since));
    printf(" in %s", cli_count_text(l->info->frames, l->info->continuous ? "step" : "frame"));
    if (l->states)
        printf("; %s new, %s known, %s gone", cli_number_text(event_list_count(l, EVENT_NEW)),
               cli_number_text(event_list_count(l, EVENT_KNOWN)),
               cli_number_text(l->approved->gone));
    printf("\n");
}

void events_print_table(const event_list *l)
{
    size_t n = 0;
    events_print_sums(l);
    if (event_list_count(l, 0))
        print_titles(l);
    for (size_t i = 0; i < events_count(l->events); i++)
        if (event_list_has(l, i) && n++ < EVENTS_ROWS)
            print_event(l, i);
    print_more(n, EVENTS_ROWS, "event", "--csv");
    print_changes(l);
    print_gone(l);
}

/* ---- JSON */

static void events_json_objects(json *j, const event_list *l, const contact_event *e)
{
    const char *a = batch_object_name(l->info->names, e->a),
               *b = batch_object_name(l->info->names, e->b);
    json_whole(j, "a", e->a);
    json_whole(j, "b", e->b);
    if (a)
        json_text(j, "name_a", a);
    if (b)
        json_text(j, "name_b", b);
}

static void json_hash(json *j, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_text(j, "hash", text);
}

static void json_place(json *j, const event_list *l, const char *frame, const event_place *p)
{
    json_whole(j, frame, events_frame(l, p->frame));
    json_whole(j, "primitive_a", p->a);
    json_whole(j, "primitive_b", p->b);
    json_open(j, "point", '[');
    for (int k = 0; k < 3; k++)
        json_real(j, NULL, p->point[k]);
    json_close(j, ']');
}

static void json_ranked(json *j, const event_list *l, const contact_event *e)
{
    json_open(j, "worst", '[');
    for (size_t i = 0; i < e->ranked_count; i++) {
        json_open(j, NULL, '{');
        json_place(j, l, "frame", &e->ranked[i].place);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_figures(json *j, const event_list *l, const contact_event *e)
{
    json_count(j, "contacts", e->contacts);
    json_whole(j, "contacts_frame", events_frame(l, e->contacts_frame));
    json_count(j, "contacts_all", e->contacts_all);
    json_real(j, "length", e->length);
    if (event_list_has_areas(l))
        json_real(j, "area", e->area);
    if (column_in(l->columns, STORED_depth))
        json_real(j, "depth", e->depth);
    if (column_in(l->columns, STORED_distance))
        json_real(j, "least_distance", e->distance);
    if (column_in(l->columns, STORED_penetration))
        json_real(j, "penetration", e->penetration);
    json_place(j, l, "worst_frame", &e->worst);
    json_count(j, "primitives", e->primitives);
}

static void json_part(json *j, const event_list *l, const event_part *p)
{
    json_open(j, NULL, '{');
    json_count(j, "part", p->number);
    json_whole(j, "first_frame", events_frame(l, p->first));
    json_whole(j, "last_frame", events_frame(l, p->last));
    json_count(j, "contacts", p->contacts);
    json_whole(j, "contacts_frame", events_frame(l, p->contacts_frame));
    json_real(j, "length", p->length);
    json_close(j, '}');
}

static void json_event(json *j, const event_list *l, size_t id)
{
    const contact_event *e = events_get(l->events, id);
    json_open(j, NULL, '{');
    json_count(j, "event", id);
    events_json_objects(j, l, e);
    json_whole(j, "first_frame", events_frame(l, e->first));
    json_whole(j, "last_frame", events_frame(l, e->last));
    json_real(j, "first_time", e->begin);
    json_real(j, "last_time", e->end);
    json_count(j, "frames", e->last - e->first + 1);
    json_figures(j, l, e);
    if (l->states)
        json_text(j, "state", state_words[l->state[id]]);
    json_hash(j, l->hash[id]);
    json_ranked(j, l, e);
    json_open(j, "parts", '[');
    for (const size_t *p = l->part + l->first_part[id]; p < l->part + l->first_part[id + 1]; p++)
        json_part(j, l, events_part_of(l, *p));
    json_close(j, ']');
    json_close(j, '}');
}

static void json_changes(json *j, const event_list *l)
{
    json_open(j, "changes", '[');
    for (size_t i = 0; i < events_changes(l->events); i++) {
        const event_change *c = events_change(l->events, i);
        const event_part *p = events_part_of(l, c->part), *q = events_part_of(l, c->other);
        if (!event_list_has_change(l, c))
            continue;
        json_open(j, NULL, '{');
        json_whole(j, "frame", events_frame(l, c->frame));
        json_text(j, "change", change_words[c->kind]);
        json_count(j, "event", p->event);
        json_count(j, "part", p->number);
        json_count(j, "other_event", q->event);
        json_count(j, "other_part", q->number);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_gone(json *j, const event_list *l)
{
    json_count(j, "new", event_list_count(l, EVENT_NEW));
    json_count(j, "known", event_list_count(l, EVENT_KNOWN));
    json_open(j, "gone", '[');
    for (size_t i = 0; i < l->approved->count; i++) {
        const approved_event *a = &l->approved->approved[i];
        if (!a->gone)
            continue;
        json_open(j, NULL, '{');
        json_hash(j, a->hash);
        json_text(j, "objects", a->objects);
        json_count(j, "primitives", a->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void events_print_json(json *j, const event_list *l)
{
    json_count(j, "schema", 1);
    json_text(j, "impinge", imp_version());
    json_text(j, "result", l->path);
    json_text(j, "input", l->input);
    json_bool(j, "continuous", l->info->continuous);
    json_count(j, "frames", l->info->frames);
    json_count(j, "events_all", events_count(l->events));
    json_open(j, "events", '[');
    for (size_t i = 0; i < events_count(l->events); i++)
        if (event_list_has(l, i))
            json_event(j, l, i);
    json_close(j, ']');
    json_changes(j, l);
    if (l->states)
        json_gone(j, l);
    warnings_json(j, l->warnings);
}

/* ---- the table of --csv */

#define EVENTS_CSV                                                                                 \
    "event,object_a,object_b,parts,first_frame,last_frame,first_time,last_time,frames,contacts,"   \
    "contacts_frame,length,area,depth,least_distance,penetration,worst_frame,primitive_a,"         \
    "primitive_b,"                                                                                 \
    "x,y,z,primitives,merged_into,state,hash,name_a,name_b\r\n"

static void csv_put_figure(FILE *f, const event_list *l, int column, double value)
{
    if (column_in(l->columns, column))
        fprintf(f, "%.17g", value);
    fputc(',', f);
}

/* The other events that parts of the event have merged into, each once, with blanks between. */
static void csv_put_merged(FILE *f, const event_list *l, size_t id)
{
    const event_merge *m = l->merge + l->first_merge[id];
    for (size_t i = 0; i < l->first_merge[id + 1] - l->first_merge[id]; i++)
        fprintf(f, "%s%zu", i ? " " : "", m[i].other);
    fputc(',', f);
}

static void csv_put_event(FILE *f, const event_list *l, size_t id)
{
    const contact_event *e = events_get(l->events, id);
    fprintf(f, "%zu,%d,%d,%zu,%lld,%lld,%.17g,%.17g,%llu,%llu,%lld,%.17g,", id, e->a, e->b,
            e->parts, (long long)events_frame(l, e->first), (long long)events_frame(l, e->last),
            e->begin, e->end, (unsigned long long)(e->last - e->first + 1),
            (unsigned long long)e->contacts, (long long)events_frame(l, e->contacts_frame),
            e->length);
    csv_put_figure(f, l, STORED_end_features, e->area);
    csv_put_figure(f, l, STORED_depth, e->depth);
    csv_put_figure(f, l, STORED_distance, e->distance);
    csv_put_figure(f, l, STORED_penetration, e->penetration);
    fprintf(f, "%lld,%lld,%lld,%.17g,%.17g,%.17g,%zu,", (long long)events_frame(l, e->worst.frame),
            (long long)e->worst.a, (long long)e->worst.b, e->worst.point[0], e->worst.point[1],
            e->worst.point[2], e->primitives);
    csv_put_merged(f, l, id);
    fprintf(f, "%s,%016llx,", l->states ? state_words[l->state[id]] : "",
            (unsigned long long)l->hash[id]);
    csv_put_name(f, batch_object_name(l->info->names, e->a));
    fputc(',', f);
    csv_put_name(f, batch_object_name(l->info->names, e->b));
    fputs("\r\n", f);
}

/* An approved event that is gone has its hash and the number of its primitives alone. */
static void csv_put_gone(FILE *f, const approved_event *a)
{
    fprintf(f, ",,,,,,,,,,,,,,,,,,,,,,%zu,,gone,%016llx,,\r\n", a->count,
            (unsigned long long)a->hash);
}

/* The stream is checked after each row, so that errno belongs to that row. */
static int events_csv_rows(const event_list *l, const text_output *to)
{
    int err = IMP_OK;
    const size_t events = events_count(l->events), gone = l->states ? l->approved->count : 0;
    fputs(EVENTS_CSV, to->file);
    for (size_t i = 0; i < events + gone; i++) {
        errno = 0;
        if (i < events && event_list_has(l, i))
            csv_put_event(to->file, l, i);
        else if (i >= events && l->approved->approved[i - events].gone)
            csv_put_gone(to->file, &l->approved->approved[i - events]);
        if (ferror(to->file))
            TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s", strerror(errno)));
    }
out:
    return err;
}

int events_print_csv(const event_list *l, text_output *to)
{
    int err = text_output_begin(to);
    return err ? err : text_output_end(to, events_csv_rows(l, to));
}
