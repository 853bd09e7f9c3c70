/* See summary.h. */
#include "summary.h"

#include "cli.h"
#include "error.h"
#include "object_text.h"

#include <string.h>
#include <sys/resource.h>

const char *const stage_names[STAGES] = {"load",  "bound", "broad",  "order", "narrow",
                                         "exact", "save",  "events", "total", "detect"};

/* Load, save, events and total are not measured by the pipeline but by the callers. */
void stage_seconds(const imp_profile *t, double seconds[STAGES])
{
    seconds[STAGE_BOUND] = t->bound;
    seconds[STAGE_BROAD] = t->broad;
    seconds[STAGE_ORDER] = t->order;
    seconds[STAGE_NARROW] = t->narrow;
    seconds[STAGE_EXACT] = t->exact;
    seconds[STAGE_DETECT] = t->bound + t->broad + t->order + t->narrow;
}

/* The casts are safe: numbers of a result are int64 and never negative. */
frame_sums frame_sums_of(const result_info *i)
{
    frame_sums out = {.features = i->of.candidates_vf && i->of.candidates_ee};
    for (uint64_t f = 0; f < i->frames; f++) {
        uint64_t candidates = (uint64_t)i->of.candidates[f], contacts = (uint64_t)i->of.contacts[f];
        out.candidates += candidates;
        out.contacts += contacts;
        out.undecided += (uint64_t)i->of.undecided[f];
        out.bad += (uint64_t)i->of.bad[f];
        out.entries_written += (uint64_t)i->of.entries_written[f];
        out.candidates_vf += i->of.candidates_vf ? (uint64_t)i->of.candidates_vf[f] : 0;
        out.candidates_ee += i->of.candidates_ee ? (uint64_t)i->of.candidates_ee[f] : 0;
        out.seconds += i->of.seconds[f];
        out.contact_frames += contacts > 0;
        out.candidates_max = candidates > out.candidates_max ? candidates : out.candidates_max;
        out.contacts_frame = contacts > out.contacts_max ? f : out.contacts_frame;
        out.contacts_max = contacts > out.contacts_max ? contacts : out.contacts_max;
    }
    return out;
}

/* The caller fills in the sums: run from the file, bench from the profile. The parts may peak at
 * different times, so the sum of their peaks is an upper bound. */
summary summary_begin(const job *w, const devices *p)
{
    imp_profile t;
    devices_profile(p, &t);
    return (summary){.input = w->path,
                     .device = p->count ? devices_names(p) : NULL,
                     /* without a pipeline, --resume has found a complete result */
                     .broad = p->count ? devices_broad_name(p) : "none",
                     .p = p,
                     .frames = w->steps,
                     .primitives = w->primitives,
                     .ghosts = w->ghosts,
                     .continuous = w->def.continuous,
                     .near = w->def.thickness                 ? CONTACT_SUMS_THICK
                             : w->def.rows == IMP_ROWS_INSIDE ? CONTACT_SUMS_INSIDE
                                                              : w->def.rows != IMP_ROWS_CONTACTS,
                     .verify = w->def.verify,
                     .objects = w->object_count,
                     .peak_bytes = t.peak_bytes + atomic_load(&w->mem.read.peak) +
                                   atomic_load(&w->mem.write.peak) + atomic_load(&w->mem.sums.peak),
                     .sums = &w->sums,
                     .names = job_object_names(w),
                     .warnings = &w->warnings};
}

/* A text that was begun must be completed or removed: text_output_end does either. */
int json_begin(json *j, text_output *to)
{
    int err = text_output_begin(to);
    *j = (json){.out = to->file};
    if (!err)
        json_open(j, NULL, '{');
    return err;
}

/* Gives the file its name only now: an incomplete document never has it. */
int json_end(json *j, text_output *to)
{
    json_close(j, '}');
    return text_output_end(to, IMP_OK);
}

/* Writes the methods that "auto" chose, by block; methods without a block are omitted. */
static void json_broad(json *j, const devices *p)
{
    const char *name;
    uint64_t blocks;
    json_open(j, "broad_blocks", '{');
    for (size_t i = 0; devices_broad_at(p, i, &name, &blocks); i++)
        if (blocks)
            json_count(j, name, blocks);
    json_close(j, '}');
}

/* Writes the number of candidates that were re-checked, if that was asked for. */
static void json_verified(json *j, const summary *s)
{
    imp_profile t;
    devices_profile(s->p, &t);
    if (s->verify)
        json_count(j, "verified", t.verified);
}

/* Writes the counts of tree queries, if there were any. */
static void json_trees(json *j, const devices *p)
{
    imp_profile t;
    devices_profile(p, &t);
    if (!t.tree_nodes)
        return;
    json_open(j, "tree", '{');
    json_real(j, "build_seconds", t.tree_build);
    json_count(j, "nodes", t.tree_nodes);
    json_count(j, "height", t.tree_height);
    json_count(j, "bytes", t.tree_bytes);
    json_count(j, "volume_tests", t.volume_tests);
    json_count(j, "obb_tests", t.obb_tests);
    /* no division by 0: trees of spheres test no OBB */
    json_real(j, "axes_mean", t.obb_tests ? (double)t.axes / (double)t.obb_tests : 0);
    json_count(j, "leaf_pairs", t.leaf_pairs);
    json_close(j, '}');
}

/* Input, device and method. */
static void summary_json_what(json *j, const summary *s)
{
    json_count(j, "schema", 1);
    json_text(j, "impinge", IMP_VERSION);
    json_text(j, "input", s->input);
    json_count(j, "frames", s->frames);
    json_count(j, "primitives", s->primitives);
    json_count(j, "ghosts", s->ghosts);
    json_count(j, "objects", s->objects);
    json_text(j, "device", s->device);
    json_text(j, "broad", s->broad);
    json_broad(j, s->p);
    json_trees(j, s->p);
}

/* "3 regions in 2 frames; the greatest: area 0.5 of sphere in torus, frame 24" */
void region_sums_print(const region_sums *s, const batch_names *names)
{
    const imp_region *g = &s->greatest;
    if (!s->regions) {
        printf("no region\n");
        return;
    }
    printf("%s in %s; the greatest of area %.9g: ", cli_count_text(s->regions, "region"),
           cli_count_text(s->frames, "frame"), g->area);
    printf("of %s", object_text(names, g->object));
    if (g->other == g->object)
        printf(" through itself");
    else
        printf(" through %s", object_text(names, g->other));
    printf(", frame %s\n", cli_number_text(s->frame));
}

static void region_sums_json_object(json *j, const char *key, const char *name_key, int32_t object,
                                    const batch_names *names)
{
    const char *name = batch_object_name(names, object);
    json_whole(j, key, object);
    if (name)
        json_text(j, name_key, name);
}

static void region_sums_json(json *j, const region_sums *s, const batch_names *names)
{
    const imp_region *g = &s->greatest;
    json_open(j, "regions", '{');
    json_count(j, "count", s->regions);
    json_count(j, "frames", s->frames);
    json_count(j, "contours_open", s->open);
    if (s->regions) {
        json_open(j, "greatest", '{');
        json_real(j, "area", g->area);
        json_count(j, "frame", s->frame);
        region_sums_json_object(j, "object", "name_object", g->object, names);
        region_sums_json_object(j, "other", "name_other", g->other, names);
        json_count(j, "faces", g->faces);
        json_count(j, "vertices", g->vertices);
        json_close(j, '}');
    }
    json_close(j, '}');
}

void summary_json(json *j, const summary *s)
{
    summary_json_what(j, s);
    json_count(j, "candidates", s->total.candidates);
    json_count(j, "contacts", s->total.contacts);
    json_count(j, "contact_frames", s->total.contact_frames);
    json_count(j, "contacts_most", s->total.contacts_max);
    if (s->total.contacts_max)
        json_count(j, "most_frame", s->most_frame);
    json_count(j, "candidates_max", s->total.candidates_max);
    if (s->total.features) {
        json_count(j, "candidates_vf", s->total.candidates_vf);
        json_count(j, "candidates_ee", s->total.candidates_ee);
    }
    json_count(j, "undecided", s->total.undecided);
    json_verified(j, s);
    json_count(j, "bad_primitives", s->total.bad);
    json_count(j, "touched", s->total.entries_written);
    json_count(j, "peak_bytes", s->peak_bytes);
    json_count(j, "peak_rss", summary_peak_rss());
    contact_sums_json_kinds(j, s->sums->kind, s->continuous, s->near);
    first_contact_json(j, s->first.known ? &s->first : NULL);
    /* with one object there is only one pair; with --continuous its first contact may be of
     * interest */
    if (!s->sums->too_many && (s->objects > 1 || s->sums->pairs.rows > 1 || s->continuous))
        contact_sums_json_pairs(j, &s->sums->pairs, &s->sums->firsts, s->names);
    if (s->events_known)
        json_count(j, "events", s->events);
    if (s->relations)
        relation_sums_json(j, s->relations, s->names);
    if (s->regions)
        region_sums_json(j, s->regions, s->names);
    warnings_json(j, s->warnings);
}

/* Linux counts ru_maxrss in KiB. */
uint64_t summary_peak_rss(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}
