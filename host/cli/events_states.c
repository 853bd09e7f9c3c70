/* See events_run.h. A line of the file is the hash of an event, its two objects, and the ids of its
 * primitives as ranges; the hash is that of the rest of the line (data/format.md). */
#include "events_run.h"

#include "error.h"
#include "hash64.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first line: what the numbers are. */
#define STATES_FIRST "# approved events of impinge, version 1, primitives by "

static const char *states_first_line(int ids)
{
    return ids ? STATES_FIRST "PrimitiveId" : STATES_FIRST "number";
}

/* ---- the text of an event */

/* Returns whether a name can stand for its object: no other object has it, and it is one line of
 * plain text. */
static int states_name_is_plain(const batch_names *names, const char *name)
{
    size_t same = 0;
    for (size_t i = 0; i < names->objects; i++)
        same += !strcmp(names->object_name[i], name);
    for (const char *c = name; *c;) {
        const size_t n = utf8_bytes(c);
        if (!n || utf8_controls(c, n))
            return 0;
        c += n;
    }
    return same == 1;
}

/* Names are likelier than numbers to stay the same when a scene is exported again. */
static void states_put_object(FILE *f, const batch_names *names, int32_t object)
{
    const char *name = batch_object_name(names, object);
    if (!name || !states_name_is_plain(names, name)) {
        fprintf(f, "%d", object);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

static void states_put_objects(FILE *f, const batch_names *names, const contact_event *of)
{
    states_put_object(f, names, of->a);
    fputc(' ', f);
    states_put_object(f, names, of->b);
}

/* Ranges: "3..5,9". */
static void states_put_primitives(FILE *f, const contact_event *of)
{
    for (size_t i = 0; i < of->primitives;) {
        size_t end = i + 1;
        while (end < of->primitives && of->primitive[end - 1] < INT64_MAX &&
               of->primitive[end] == of->primitive[end - 1] + 1)
            end++;
        fprintf(f, "%s%lld", i ? "," : "", (long long)of->primitive[i]);
        if (end > i + 1)
            fprintf(f, "..%lld", (long long)of->primitive[end - 1]);
        i = end;
    }
}

/* Makes the text after the hash, or only the objects. The caller frees it. */
static int states_text(const batch_names *names, const contact_event *of, int primitives,
                       char **text)
{
    size_t size;
    FILE *f = open_memstream(text, &size);
    if (!f)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    states_put_objects(f, names, of);
    if (primitives) {
        fputc(' ', f);
        states_put_primitives(f, of);
    }
    const int failed = ferror(f);
    if (fclose(f) || failed) {
        free(*text);
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    return IMP_OK;
}

int event_states_hash(const event_states *s, const contact_event *of, uint64_t *hash)
{
    char *text;
    const int err = states_text(s->names, of, 1, &text);
    if (err)
        return err;
    *hash = hash64(text, strlen(text));
    free(text);
    return IMP_OK;
}

/* ---- reading */

/* Returns a pointer to the character after an object's name or number; NULL if the text begins with
 * neither. */
static const char *states_object_end(const char *at)
{
    if (*at != '"') {
        const char *end = at + strspn(at, "-0123456789");
        return end > at ? end : NULL;
    }
    for (at++; *at && (*at != '"' || at[1] == '"'); at++)
        at += *at == '"';
    return *at ? at + 1 : NULL;
}

/* Reads a signed integer. Returns a pointer to the character after it; NULL if the text does not
 * begin with an integer, or if it is out of range. */
static const char *states_integer(const char *at, int64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)at[*at == '-']))
        return NULL;
    errno = 0;
    *out = strtoll(at, &end, 10);
    return errno ? NULL : end;
}

static int states_add_primitive(event_states *s, int64_t id)
{
    int err =
        mem_fit(s->mem, s->primitives, &s->primitive_capacity, sizeof *s->primitive, &s->primitive);
    if (!err)
        s->primitive[s->primitives++] = id;
    return err;
}

/* Ranges ascend, so that a line has no more primitives than a mesh could have; the hash of the line
 * has been compared before. */
static int states_read_primitives(event_states *s, const text_reader *t, const char *at)
{
    int err = IMP_OK;
    for (int more = 1; more;) {
        int64_t first, last;
        at = states_integer(at, &first);
        last = first;
        if (at && !strncmp(at, "..", 2))
            at = states_integer(at + 2, &last);
        if (!at || last < first || (*at && *at != ','))
            FAIL(TEXT_BAD(t, "%s", "not a list of primitives"));
        for (int64_t id = first;; id++) {
            TRY(states_add_primitive(s, id));
            if (id == last)
                break;
        }
        more = *at == ',';
        at += more;
    }
out:
    return err;
}

static int states_read_event(event_states *s, const text_reader *t, const char *line)
{
    int err = IMP_OK;
    char *end = NULL;
    approved_event one = {.first = s->primitives};
    if (strspn(line, "0123456789abcdef") != 16 || line[16] != ' ')
        FAIL(TEXT_BAD(t, "%s", "does not begin with the hash of an event"));
    one.hash = strtoull(line, &end, 16);
    const char *objects = end + 1, *at = states_object_end(objects);
    at = at && *at == ' ' ? states_object_end(at + 1) : NULL;
    if (!at || *at != ' ')
        FAIL(TEXT_BAD(t, "%s", "has no two objects after the hash"));
    if (hash64(objects, strlen(objects)) != one.hash)
        FAIL(TEXT_BAD(t, "%s", "is damaged: its hash is another one"));
    TRY(states_read_primitives(s, t, at + 1));
    one.count = s->primitives - one.first;
    TRY(mem_fit(s->mem, s->count, &s->capacity, sizeof *s->approved, &s->approved));
    TRY(mem_alloc(s->mem, (size_t)(at - objects) + 1, &one.objects));
    memcpy(one.objects, objects, (size_t)(at - objects));
    one.objects[at - objects] = 0;
    s->approved[s->count++] = one;
out:
    return err;
}

/* Numbers and ids of primitives must not be compared with each other. */
static int states_read_first(const event_states *s, const text_reader *t, const char *line)
{
    if (!line || strncmp(line, STATES_FIRST, strlen(STATES_FIRST)) != 0)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: is not a file of approved events: events --approve "
                        "writes one",
                        text_name(t->path));
    if (strcmp(line, states_first_line(s->ids)) != 0)
        return imp_fail(IMP_ERR_INPUT, "%s: has primitives by %s, and the result by %s",
                        text_name(t->path), s->ids ? "number" : "PrimitiveId",
                        s->ids ? "PrimitiveId" : "number");
    return IMP_OK;
}

int event_states_read(event_states *s, const char *path)
{
    int err = IMP_OK;
    const char *line;
    text_reader t = {0};
    TRY(text_open(path, &t));
    t.plain_lines = 1;
    TRY(text_next(&t, &line));
    TRY(states_read_first(s, &t, line));
    for (;;) {
        TRY(text_next(&t, &line));
        if (!line)
            break;
        if (*line && *line != '#')
            TRY(states_read_event(s, &t, line));
    }
out:
    text_close(&t);
    return err;
}

void event_states_free(event_states *s)
{
    for (size_t i = 0; i < s->count; i++)
        mem_free(s->mem, s->approved[i].objects);
    mem_free(s->mem, s->approved);
    mem_free(s->mem, s->primitive);
    *s = (event_states){.mem = s->mem};
}

/* ---- comparing */

/* A primitive of the events of two objects, whose text has this number in the list of texts. */
typedef struct state_member {
    size_t objects;
    int64_t primitive;
} state_member;

static int states_compare_members(const void *x, const void *y)
{
    const state_member *p = x, *q = y;
    if (p->objects != q->objects)
        return p->objects < q->objects ? -1 : 1;
    return (p->primitive > q->primitive) - (p->primitive < q->primitive);
}

typedef struct state_members {
    state_member *member; /* [count] sorted */
    size_t count;
} state_members;

static void states_sort_members(state_members *m)
{
    if (m->count)
        qsort(m->member, m->count, sizeof *m->member, states_compare_members);
}

/* Returns how many of the primitives are among the members. */
static size_t states_common(const state_members *m, size_t objects, const int64_t *primitive,
                            size_t count)
{
    size_t common = 0;
    for (size_t i = 0; i < count && m->count; i++) {
        const state_member one = {objects, primitive[i]};
        common += bsearch(&one, m->member, m->count, sizeof one, states_compare_members) != NULL;
    }
    return common;
}

/* The texts of objects in the file, sorted, each once: [count]. */
typedef struct state_texts {
    const char **text;
    size_t count;
} state_texts;

static int states_compare_texts(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int states_list_texts(const event_states *s, state_texts *t)
{
    int err = IMP_OK;
    size_t kept = 0;
    TRY(mem_alloc(s->mem, s->count * sizeof *t->text, &t->text));
    for (size_t i = 0; i < s->count; i++)
        t->text[i] = s->approved[i].objects;
    if (s->count)
        qsort(t->text, s->count, sizeof *t->text, states_compare_texts);
    for (size_t i = 0; i < s->count; i++)
        if (!kept || strcmp(t->text[kept - 1], t->text[i]) != 0)
            t->text[kept++] = t->text[i];
    t->count = kept;
out:
    return err;
}

/* Returns the number of a text; t->count if the file does not have it. */
static size_t states_find_text(const state_texts *t, const char *text)
{
    const char **at =
        t->count ? bsearch(&text, t->text, t->count, sizeof *t->text, states_compare_texts) : NULL;
    return at ? (size_t)(at - t->text) : t->count;
}

static int states_list_approved(const event_states *s, const state_texts *t, state_members *out)
{
    int err = IMP_OK;
    TRY(mem_alloc(s->mem, s->primitives * sizeof *out->member, &out->member));
    for (size_t i = 0; i < s->count; i++) {
        const size_t objects = states_find_text(t, s->approved[i].objects);
        for (size_t k = 0; k < s->approved[i].count; k++)
            out->member[out->count++] =
                (state_member){objects, s->primitive[s->approved[i].first + k]};
    }
    states_sort_members(out);
out:
    return err;
}

/* Lists the primitives of all events, and finds the number of each event's objects. */
static int states_list_events(const event_states *s, const event_chain *e, const state_texts *t,
                              size_t *objects, state_members *out)
{
    int err = IMP_OK;
    size_t all = 0;
    for (size_t i = 0; i < events_count(e); i++)
        all += events_get(e, i)->primitives;
    TRY(mem_alloc(s->mem, all * sizeof *out->member, &out->member));
    for (size_t i = 0; i < events_count(e); i++) {
        const contact_event *of = events_get(e, i);
        char *text;
        TRY(states_text(s->names, of, 0, &text));
        objects[i] = states_find_text(t, text);
        free(text);
        for (size_t k = 0; k < of->primitives; k++)
            out->member[out->count++] = (state_member){objects[i], of->primitive[k]};
    }
    states_sort_members(out);
out:
    return err;
}

/* An event is known if at least half of its primitives are those of approved events of its two
 * objects: one that moved a little is known, one that grew to more than twice its size is not. */
int event_states_compare(event_states *s, const event_chain *e, uint8_t *state)
{
    int err = IMP_OK;
    state_texts texts = {0};
    state_members approved = {0}, now = {0};
    size_t *objects = NULL;
    TRY(mem_alloc(s->mem, events_count(e) * sizeof *objects, &objects));
    TRY(states_list_texts(s, &texts));
    TRY(states_list_approved(s, &texts, &approved));
    TRY(states_list_events(s, e, &texts, objects, &now));
    for (size_t i = 0; i < events_count(e); i++) {
        const contact_event *of = events_get(e, i);
        const size_t common = states_common(&approved, objects[i], of->primitive, of->primitives);
        state[i] = 2 * common >= of->primitives ? EVENT_KNOWN : EVENT_NEW;
    }
    for (size_t i = 0; i < s->count; i++) {
        approved_event *a = &s->approved[i];
        a->gone = !states_common(&now, states_find_text(&texts, a->objects),
                                 s->primitive + a->first, a->count);
        s->gone += (size_t)a->gone;
    }
out:
    mem_free(s->mem, texts.text);
    mem_free(s->mem, approved.member);
    mem_free(s->mem, now.member);
    mem_free(s->mem, objects);
    return err;
}

/* ---- writing */

int event_states_write(const event_states *s, const event_chain *e, text_output *to)
{
    int err = text_output_begin(to);
    if (err)
        return err;
    fprintf(to->file, "%s\n", states_first_line(s->ids));
    for (size_t i = 0; i < events_count(e) && !err; i++) {
        char *text;
        err = states_text(s->names, events_get(e, i), 1, &text);
        if (err)
            break;
        fprintf(to->file, "%016llx %s\n", (unsigned long long)hash64(text, strlen(text)), text);
        free(text);
    }
    return text_output_end(to, err);
}
