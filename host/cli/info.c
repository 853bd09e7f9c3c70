/* impinge info: prints the contents of a batch or a result. */
#include "info.h"

#include "cli.h"
#include "contact_sums.h"
#include "error.h"
#include "impinge_weld.h"
#include "mem.h"
#include "store.h"
#include "object_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {CLI_JSON(info_options, "one JSON document (default: to stdout)")},
    {CLI_FORCE(info_options, "replace the file of --json")},
    {"frames", 0, CLI_TEXT, offsetof(info_options, frames), "A:B:STEP",
     "read these frames, one or a slice, as in Python (':' is all), and list each in a table "
     "(default: none; if there is more than 1 GiB to read, only the first and the last frame are "
     "read)"},
    {0},
};

/* Called after all inputs are known: a result also names its input, which must not be replaced
 * either. */
int info_claim(info_options *o)
{
    return outputs_json(&o->files, o->json, o->force, &o->to);
}

static int info(int argc, char **argv)
{
    info_options o = {0};
    int count, code = cli_parse(&verb_info, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    /* a damaged file may ask for any amount */
    mem m = {.limit = mem_machine() / BUDGET_MACHINE_SHARE};
    /* before --json is claimed: the file and those behind it must not be replaced */
    int err = outputs_reads_hdf5(&o.files, argv[0]);
    if (!err)
        err = result_is_file(argv[0]) ? info_result(&m, argv[0], &o) : info_batch(&m, argv[0], &o);
    text_output_free(&o.to);
    outputs_free(&o.files);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_info = {
    .name = "info",
    .usage = "FILE [options]",
    .text = "describes a batch or a result",
    .options = options,
    .examples = "  impinge info cloth.vtkhdf\n"
                "  impinge info contacts.vtkhdf --json\n"
                "  impinge info cloth.vtkhdf --frames ::10\n",
    .run = info,
    .least = "a file is missing",
    .one = "file",
};

/* ---- impinge info for a result. Sums are in small tables; kinds and objects need arrays of the
 * contacts, which are read from a large file only with --frames. */

#define INFO_CHUNK 65536

/* Counts of contacts in a frame, or in all. */
typedef struct kind_counts {
    uint64_t of[CONTACT_KINDS];
    double first;       /* time of the first contact; NaN: contacts have no time */
    double distance;    /* the least one; NaN: rows have no distance */
    double penetration; /* the greatest one, likewise */
} kind_counts;

/* The kinds that rows of pairs within a distance may have: contact_sums_json_kinds. */
static int info_result_near(const result_info *i)
{
    return i->thick ? CONTACT_SUMS_THICK : i->inside ? CONTACT_SUMS_INSIDE : i->distances;
}

typedef struct result_facts {
    const char *path;
    result_reader *r;
    const result_info *info;
    frame_sums total;
    frame_slice slice; /* the frames whose contacts were read */
    int seen, all;
    kind_counts *scanned; /* [slice.count] */
    kind_counts kinds;    /* their sum */
    tally pairs;
    first_contacts firsts;   /* first contacts of these pairs */
    relation_sums relations; /* of all frames */
} result_facts;

/* ---- gathering */

/* Contacts read at a time. */
typedef struct info_chunk {
    int32_t a[INFO_CHUNK], b[INFO_CHUNK];
    uint8_t kind[INFO_CHUNK];
    double toi[INFO_CHUNK], time[INFO_CHUNK], distance[INFO_CHUNK],
        penetration[INFO_CHUNK]; /* 0 if the result lacks them */
} info_chunk;

/* Row i of a chunk, from frame k, may be the first contact of its pair. */
static int add_first(result_facts *f, uint64_t k, const info_chunk *p, uint64_t i)
{
    const int32_t a = p->a[i], b = p->b[i];
    first_contact c = first_contact_row(k, (uint64_t)f->info->of.input_frame[k]);
    c.a = a < b ? a : b;
    c.b = a < b ? b : a;
    c.near = f->info->distances;
    c.timed = f->info->times;
    c.toi = p->toi[i];
    c.time = p->time[i];
    c.distance = p->distance[i];
    c.thick = f->info->thick;
    c.penetration = p->penetration[i];
    return first_contacts_add(&f->firsts, &c);
}

/* A pair of objects is the same whichever of the two has primitive A. */
static int info_result_add_rows(result_facts *f, uint64_t k, const info_chunk *p, uint64_t n,
                                kind_counts *out)
{
    int err = IMP_OK;
    for (uint64_t i = 0; i < n; i++) {
        int32_t a = p->a[i], b = p->b[i];
        /* the kind is an index of an array below */
        if (p->kind[i] >= CONTACT_KINDS || !contact_kind_name[p->kind[i]] ||
            (p->kind[i] == IMP_KIND_CROSSED && !f->info->thick) ||
            (p->kind[i] == IMP_KIND_VERTEX_INSIDE && !f->info->inside))
            FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/Kind: frame %llu has a contact of kind %d",
                 f->path, (unsigned long long)k, p->kind[i]);
        out->of[p->kind[i]]++;
        TRY(tally_add(&f->pairs, a < b ? a : b, a < b ? b : a, 1));
        TRY(add_first(f, k, p, i));
        if (f->info->distances)
            out->distance = fmin(out->distance, p->distance[i]); /* the other one, if one is NaN */
        if (f->info->thick)
            out->penetration = fmax(out->penetration, p->penetration[i]);
    }
out:
    return err;
}

/* Reads the contacts of frame k of the result. */
static int info_result_read_frame(result_facts *f, uint64_t k, info_chunk *p, kind_counts *out)
{
    int err = IMP_OK;
    uint64_t n, contacts = (uint64_t)f->info->of.contacts[k];
    *out = (kind_counts){.first = NAN, .distance = NAN, .penetration = NAN};
    for (uint64_t done = 0; done < contacts; done += n) {
        n = contacts - done < INFO_CHUNK ? contacts - done : INFO_CHUNK;
        TRY(result_read_kinds(f->r, k, done, n, p->a, p->b, p->kind));
        if (f->info->times)
            TRY(result_read_times(f->r, k, done, n, p->toi, p->time));
        if (f->info->distances)
            TRY(result_read_distances(f->r, k, done, n, p->distance));
        if (f->info->thick)
            TRY(result_read_penetrations(f->r, k, done, n, p->penetration));
        if (f->info->times && !done)
            out->first = p->time[0]; /* rows are sorted by time */
        TRY(info_result_add_rows(f, k, p, n, out));
    }
    for (int t = 0; t < CONTACT_KINDS; t++)
        f->kinds.of[t] += out->of[t];
out:
    return err;
}

/* Contacts are read in chunks: a result may be larger than memory. */
static int info_result_scan_all(result_facts *f, mem *m)
{
    int err = IMP_OK;
    info_chunk *p = NULL;
    TRY(mem_alloc(m, sizeof *p, &p));
    memset(p, 0, sizeof *p);
    TRY(mem_alloc(m, f->slice.count * sizeof *f->scanned, &f->scanned));
    for (uint64_t i = 0; i < f->slice.count; i++)
        TRY(info_result_read_frame(f, frame_slice_at(&f->slice, i), p, &f->scanned[i]));
    tally_merge(&f->pairs);
out:
    mem_free(m, p);
    return err;
}

static const batch_names *info_result_object_names(const result_facts *f)
{
    return f->info->names;
}

static int info_result_gather(mem *m, const char *path, info_options *o, result_facts *f)
{
    int err = IMP_OK;
    f->pairs.mem = f->firsts.mem = f->relations.mem = m;
    TRY(result_open(m, path, &f->r));
    f->info = result_get_info(f->r);
    f->total = frame_sums_of(f->info);
    TRY(outputs_reads(&o->files, f->info->input)); /* the result's input is not replaced either */
    TRY(info_claim(o));
    TRY(frame_slice_select(o->frames, f->info->frames, &f->slice));
    /* without --frames at most INFO_BYTES are read; in the worst case each contact is a pair of
     * objects of its own, with a row in the tally */
    f->seen = o->frames || f->total.contacts <= INFO_BYTES / sizeof(tally_row);
    f->all = f->slice.count == f->info->frames;
    if (f->seen)
        TRY(info_result_scan_all(f, m));
    if (f->info->relations)
        TRY(relation_sums_add(&f->relations, f->r));
out:
    return err;
}

/* ---- as text */

/* Kinds without a contact are omitted. */
static void print_kinds(const kind_counts *k)
{
    int any = 0;
    for (int t = 0; t < CONTACT_KINDS; t++)
        if (k->of[t])
            printf("%s%s %s", any++ ? ", " : "", contact_kind_name[t], cli_number_text(k->of[t]));
    printf(any ? "\n" : "-\n");
}

static const char *step_noun(const result_facts *f)
{
    return f->info->units.slabs ? "slab" : f->info->continuous ? "step" : "frame";
}

static void print_pair(const result_facts *f, size_t i)
{
    const tally_row *r = &f->pairs.row[i];
    const first_contact *c = first_contacts_find(&f->firsts, r->a, r->b);
    printf("%-10s %s %s", i ? "" : "objects", r->a == r->b ? "within" : "between",
           object_text(info_result_object_names(f), r->a));
    printf("%s%s: %s", r->a == r->b ? "" : " and ",
           r->a == r->b ? "" : object_text(info_result_object_names(f), r->b),
           cli_number_text(r->count));
    first_contact_print(c, ", ");
    printf("\n");
}

static void print_pairs(const result_facts *f)
{
    const tally *p = &f->pairs;
    const int one = p->rows == 1 && p->row->a == p->row->b;
    if (one && !f->info->times && !f->info->distances &&
        !batch_object_name(info_result_object_names(f), p->row->a))
        return; /* there is only one object */
    for (size_t i = 0; i < p->rows && i < INFO_ROWS; i++)
        print_pair(f, i);
    if (p->rows > INFO_ROWS)
        printf("           and %s more, none of them with more contacts; --json lists all\n",
               cli_count_text(p->rows - INFO_ROWS, "pair"));
}

static void print_totals(const result_facts *f)
{
    const result_info *i = f->info;
    printf("%ss     %s%s, %s of them with contacts", step_noun(f),
           strlen(step_noun(f)) < 5 ? " " : "", cli_number_text(i->frames),
           cli_number_text(f->total.contact_frames));
    if (f->total.contacts_max)
        printf(", at most %s in %s %s", cli_number_text(f->total.contacts_max), step_noun(f),
               cli_number_text(f->total.contacts_frame));
    printf("\ncontacts   %s", cli_number_text(f->total.contacts));
    if (i->thick)
        printf(" pairs within their thickness");
    else if (i->inside)
        printf(" vertices inside");
    else if (i->distances && i->distance < INFINITY)
        printf(" pairs within %.9g", i->distance);
    else if (i->distances)
        printf(" pairs of objects");
    printf(" among %s %s", cli_number_text(f->total.candidates),
           i->simulated ? "checks of pairs of bodies\n" : "candidates, ");
    if (i->simulated)
        return;
    if (i->continuous) /* several feature pairs of a candidate may need exact arithmetic */
        printf("exact arithmetic needed %s\n", cli_count_text(f->total.undecided, "time"));
    else
        printf("%s needed exact arithmetic\n", cli_number_text(f->total.undecided));
}

static void info_result_print_text(const char *path, const result_facts *f)
{
    const result_info *i = f->info;
    printf("%s: a result of impinge %s%s\n", cli_shown(path), cli_shown(i->version),
           i->complete ? "" : ", not complete");
    print_totals(f);
    if (f->seen) {
        printf("kinds      ");
        print_kinds(&f->kinds);
        print_pairs(f);
    }
    if (i->relations)
        relation_sums_print(&f->relations, info_result_object_names(f), "relations  ", INFO_ROWS);
    if (!f->seen)
        printf("seen       no kinds and objects: the file is large; --frames : reads all\n");
    else if (!f->all)
        printf("seen       kinds and objects of %s of %s\n", cli_number_text(f->slice.count),
               cli_count_text(i->frames, step_noun(f)));
    if (f->total.bad)
        printf("left out   %s with bad vertices\n", cli_count_text(f->total.bad, "primitive"));
    printf("input      %s (%s bytes, hash %s)\n", cli_shown(i->input),
           cli_number_text(i->input_bytes), cli_shown(i->input_hash));
    printf("options    %s\ndevice     %s\ncommand    %s\n", cli_shown(i->options),
           cli_shown(i->device), cli_shown(i->command));
}

/* "-": a frame without rows has none. */
static const char *info_result_real(double x, char out[32])
{
    if (isnan(x))
        return "-";
    snprintf(out, 32, "%g", x);
    return out;
}

/* k counts the frames of the result, input_frame those of the batch: with a slice they differ. */
static void info_result_print_table(const result_facts *f)
{
    const result_info *i = f->info;
    char text[32];
    printf("\n%10s %10s %14s %12s %14s %10s %8s %10s  %s%skinds\n", step_noun(f), "of input",
           i->times ? "first contact" : "time", "contacts", "candidates", "undecided", "bad",
           "seconds", i->distances ? "least distance  " : "",
           i->thick ? "deepest penetration  " : "");
    for (uint64_t n = 0; n < f->slice.count; n++) {
        uint64_t k = frame_slice_at(&f->slice, n);
        const double when = i->times ? f->scanned[n].first : i->of.time[k];
        printf("%10s %10s %14s %12s %14s %10s %8s %10.3g  ", cli_number_text(k),
               cli_number_text((uint64_t)i->of.input_frame[k]), info_result_real(when, text),
               cli_number_text((uint64_t)i->of.contacts[k]),
               cli_number_text((uint64_t)i->of.candidates[k]),
               cli_number_text((uint64_t)i->of.undecided[k]),
               cli_number_text((uint64_t)i->of.bad[k]), i->of.seconds[k]);
        if (i->distances)
            printf("%14s  ", info_result_real(f->scanned[n].distance, text));
        if (i->thick)
            printf("%19s  ", info_result_real(f->scanned[n].penetration, text));
        print_kinds(&f->scanned[n]);
    }
}

/* ---- as JSON */

static void info_result_json_feature_counts(json *j, uint64_t vertex_face, uint64_t edge_edge)
{
    json_count(j, "candidates_vf", vertex_face);
    json_count(j, "candidates_ee", edge_edge);
}

static void info_result_json_table(json *j, const result_facts *f)
{
    const result_info *i = f->info;
    json_open(j, "frame_table", '[');
    for (uint64_t n = 0; n < f->slice.count; n++) {
        uint64_t k = frame_slice_at(&f->slice, n);
        json_open(j, NULL, '{');
        json_count(j, "frame", k);
        json_count(j, "input_frame", (uint64_t)i->of.input_frame[k]);
        json_real(j, "time", i->of.time[k]);
        if (i->times)
            json_real(j, "first_time", f->scanned[n].first);
        if (i->distances)
            json_real(j, "least_distance", f->scanned[n].distance);
        if (i->thick)
            json_real(j, "deepest_penetration", f->scanned[n].penetration);
        json_count(j, "contacts", (uint64_t)i->of.contacts[k]);
        json_count(j, "candidates", (uint64_t)i->of.candidates[k]);
        json_count(j, "undecided", (uint64_t)i->of.undecided[k]);
        json_count(j, "bad_primitives", (uint64_t)i->of.bad[k]);
        json_count(j, "touched", (uint64_t)i->of.entries_written[k]);
        json_real(j, "seconds", i->of.seconds[k]);
        if (i->of.candidates_vf && i->of.candidates_ee)
            info_result_json_feature_counts(j, (uint64_t)i->of.candidates_vf[k],
                                            (uint64_t)i->of.candidates_ee[k]);
        contact_sums_json_kinds(j, f->scanned[n].of, i->continuous, info_result_near(i));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void info_result_json_provenance(json *j, const result_info *i)
{
    json_text(j, "input", i->input);
    json_count(j, "input_bytes", i->input_bytes);
    json_text(j, "input_hash", i->input_hash);
    json_text(j, "options", i->options);
    json_text(j, "device", i->device);
    json_text(j, "command", i->command);
}

static void info_result_print_json(json *j, const char *path, const result_facts *f, int table)
{
    const result_info *i = f->info;
    json_text(j, "file", path);
    json_text(j, "kind", "result");
    json_text(j, "impinge", i->version);
    json_bool(j, "complete", i->complete);
    json_bool(j, "continuous", i->continuous);
    if (i->distances && i->distance < INFINITY) /* else rows are pairs of objects */
        json_real(j, "distance", i->distance);
    json_count(j, "frames", i->frames);
    json_count(j, "frames_with_contacts", f->total.contact_frames);
    json_count(j, "frames_seen", f->seen ? f->slice.count : 0);
    json_count(j, "contacts", f->total.contacts);
    json_count(j, "contacts_most", f->total.contacts_max);
    json_count(j, "contacts_most_frame", f->total.contacts_frame);
    json_count(j, "candidates", f->total.candidates);
    if (i->of.candidates_vf && i->of.candidates_ee)
        info_result_json_feature_counts(j, f->total.candidates_vf, f->total.candidates_ee);
    json_count(j, "undecided", f->total.undecided);
    json_count(j, "bad_primitives", f->total.bad);
    json_count(j, "touched", f->total.entries_written);
    json_real(j, "seconds", f->total.seconds);
    contact_sums_json_kinds(j, f->kinds.of, i->continuous, info_result_near(i));
    contact_sums_json_pairs(j, &f->pairs, &f->firsts, info_result_object_names(f));
    if (i->relations)
        relation_sums_json(j, &f->relations, info_result_object_names(f));
    info_result_json_provenance(j, i);
    if (table)
        info_result_json_table(j, f);
}

/* ---- both */

int info_result(mem *m, const char *path, info_options *o)
{
    int err = IMP_OK;
    result_facts f = {.path = path};
    json j;
    TRY(info_result_gather(m, path, o, &f));
    if (o->json) {
        TRY(json_begin(&j, &o->to));
        info_result_print_json(&j, path, &f, o->frames != NULL);
        TRY(json_end(&j, &o->to));
        goto out;
    }
    /* for people: pairs with the most contacts first */
    tally_sort(&f.pairs);
    relation_sums_sort(&f.relations);
    info_result_print_text(path, &f);
    if (o->frames)
        info_result_print_table(&f);
out:
    mem_free(m, f.scanned);
    tally_free(&f.pairs);
    first_contacts_free(&f.firsts);
    relation_sums_free(&f.relations);
    result_close(f.r);
    return err;
}

/* ---- See info.h: whether neighbours in a frame share vertices. The frame is read as `run` reads
 * it. */

/* Limit of points and corners: a larger mesh is not read for this. */
#define FRAME_BYTES (INFO_BYTES / 4)

static int info_unwelded_small(const batch *b, uint64_t frame)
{
    uint64_t vertices, primitives;
    batch_frame_size(b, frame, &vertices, &primitives);
    return vertices < FRAME_BYTES / 32 && primitives < FRAME_BYTES / 32;
}

/* A frame that run refuses has no remark. */
int info_unwelded(mem *m, const char *path, uint64_t frame, char *text, size_t size)
{
    int yes = 0;
    double fraction = 0;
    batch *b = NULL;
    batch_block block = {0};
    batch_info info = {0};
    int err = batch_open(m, path, BATCH_OBJECT_ID, "", &b);
    if (!err) {
        batch_get_info(b, &info);
        err = frame < info.frames && info_unwelded_small(b, frame)
                  ? batch_read(b, frame, 1, 1, &block)
                  : IMP_OK;
    }
    if (!err && block.count)
        err = imp_is_unwelded(block.frame, &yes, &fraction);
    *text = 0;
    if (!err && yes)
        snprintf(text, size, "%s; impinge convert --weld 0 joins them",
                 unwelded_text(block.frame->mesh->primitives,
                               info.corners == IMP_TRIANGLES ? "triangle" : "primitive", "",
                               fraction));
    batch_block_free(&block);
    batch_close(b);
    return err == IMP_ERR_INPUT ? IMP_OK : err;
}
