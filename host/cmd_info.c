/* impinge info: what is in a batch or a result. */
#include "cli.h"

#include "error.h"
#include "summary.h"

#include <stdio.h>

typedef struct info_options {
    const char *json;
    int force;
    text_output to; /* of --json */
} info_options;

static const cli_option options[] = {
    {"json", 0, CLI_MAYBE, offsetof(info_options, json), "FILE", "one JSON document"},
    {"force", 0, CLI_FLAG, offsetof(info_options, force), NULL, "replace the file of --json"},
    {0},
};

/* ---- batches */

typedef struct batch_facts {
    batch_info info;
    double time0, time1;
    uint64_t triangles; /* of all frames */
} batch_facts;

static void batch_text(const char *path, const batch_facts *b)
{
    const batch_info *i = &b->info;
    printf("%s: a batch (VTKHDF %s)\n", path, i->unstructured ? "UnstructuredGrid" : "PolyData");
    printf("frames     %s", grouped(i->frames));
    if (i->temporal && i->frames)
        printf(", time %g to %g", b->time0, b->time1);
    printf("\nvertices   %s%s\n", grouped(i->vertices), i->static_topology ? "" : " at most");
    printf("triangles  %s%s, %s in all frames\n", grouped(i->triangles),
           i->static_topology ? "" : " at most", grouped(b->triangles));
    printf("points     %s\n", i->type == IMP_FLOAT32 ? "float32" : "float64");
    printf("topology   %s\n", i->static_topology ? "the same in all frames" : "changes");
    printf("objects    %s\n", i->has_object ? "CellData/ObjectId" : "not named");
}

static void batch_json(json *j, const char *path, const batch_facts *b)
{
    const batch_info *i = &b->info;
    json_text(j, "file", path);
    json_text(j, "kind", "batch");
    json_text(j, "type", i->unstructured ? "UnstructuredGrid" : "PolyData");
    json_count(j, "frames", i->frames);
    json_bool(j, "temporal", i->temporal);
    json_real(j, "first_time", b->time0);
    json_real(j, "last_time", b->time1);
    json_count(j, "vertices", i->vertices);
    json_count(j, "triangles", i->triangles);
    json_count(j, "triangles_all_frames", b->triangles);
    json_text(j, "points", i->type == IMP_FLOAT32 ? "float32" : "float64");
    json_bool(j, "static_topology", i->static_topology);
    json_bool(j, "object_id", i->has_object);
}

static int batch_gather(mem *m, const char *path, batch_facts *out)
{
    int err = IMP_OK;
    batch *b = NULL;
    TRY(batch_open(m, path, BATCH_OBJECT_ID, "", &b));
    batch_get_info(b, &out->info);
    uint64_t n = out->info.frames, verts, prims;
    out->time0 = n ? batch_time(b, 0) : 0;
    out->time1 = n ? batch_time(b, n - 1) : 0;
    for (uint64_t f = 0; f < n; f++) {
        batch_size(b, f, &verts, &prims);
        out->triangles += prims;
    }
out:
    batch_close(b);
    return err;
}

/* ---- results */

typedef struct result_sums {
    uint64_t candidates, contacts, undecided, bad, frames_with;
    double seconds;
} result_sums;

static void result_sum(const result_info *i, result_sums *out)
{
    for (uint64_t f = 0; f < i->frames; f++) {
        out->candidates += (uint64_t)i->candidates[f];
        out->contacts += (uint64_t)i->contacts[f];
        out->undecided += (uint64_t)i->undecided[f];
        out->bad += (uint64_t)i->bad[f];
        out->frames_with += i->contacts[f] > 0;
        out->seconds += i->seconds[f];
    }
}

static void result_text(const char *path, const result_info *i, const result_sums *s)
{
    printf("%s: a result of impinge %s%s\n", path, i->version, i->complete ? "" : ", not complete");
    printf("frames     %s, %s of them with contacts\n", grouped(i->frames),
           grouped(s->frames_with));
    printf("contacts   %s among %s candidates, %s needed exact arithmetic\n", grouped(s->contacts),
           grouped(s->candidates), grouped(s->undecided));
    if (s->bad)
        printf("left out   %s triangles with bad vertices\n", grouped(s->bad));
    printf("input      %s (%s bytes, hash %s)\n", i->input, grouped(i->input_bytes), i->input_hash);
    printf("options    %s\ndevice     %s\ncommand    %s\n", i->options, i->device, i->command);
}

static void result_json(json *j, const char *path, const result_info *i, const result_sums *s)
{
    json_text(j, "file", path);
    json_text(j, "kind", "result");
    json_text(j, "impinge", i->version);
    json_bool(j, "complete", i->complete);
    json_count(j, "frames", i->frames);
    json_count(j, "frames_with_contacts", s->frames_with);
    json_count(j, "contacts", s->contacts);
    json_count(j, "candidates", s->candidates);
    json_count(j, "undecided", s->undecided);
    json_count(j, "bad_primitives", s->bad);
    json_real(j, "seconds", s->seconds);
    json_text(j, "input", i->input);
    json_count(j, "input_bytes", i->input_bytes);
    json_text(j, "input_hash", i->input_hash);
    json_text(j, "options", i->options);
    json_text(j, "device", i->device);
    json_text(j, "command", i->command);
}

/* ---- the verb */

static int show_result(mem *m, const char *path, info_options *o)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    result_sums s = {0};
    json j;
    TRY(result_open(m, path, &r));
    const result_info *i = result_get_info(r);
    result_sum(i, &s);
    if (!o->json) {
        result_text(path, i, &s);
        goto out;
    }
    TRY(json_begin(&j, &o->to));
    result_json(&j, path, i, &s);
    TRY(json_end(&j, &o->to));
out:
    result_close(r);
    return err;
}

static int show_batch(mem *m, const char *path, info_options *o)
{
    int err = IMP_OK;
    batch_facts b = {0};
    json j;
    TRY(batch_gather(m, path, &b));
    if (!o->json) {
        batch_text(path, &b);
        goto out;
    }
    TRY(json_begin(&j, &o->to));
    batch_json(&j, path, &b);
    TRY(json_end(&j, &o->to));
out:
    return err;
}

static int info(int argc, char **argv)
{
    info_options o = {0};
    int count, code = cli_parse(&verb_info, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    if (count != 1)
        return cli_usage_error(&verb_info, count ? "one file at a time" : "which file?");
    mem m = {.limit = mem_machine() / 2};
    outputs out = {0};
    int err = outputs_reads(&out, argv[0]);
    if (!err && o.json)
        err = outputs_text(&out, "--json", *o.json ? o.json : "-", o.force, &o.to);
    if (!err)
        err = result_is(argv[0]) ? show_result(&m, argv[0], &o) : show_batch(&m, argv[0], &o);
    text_output_free(&o.to);
    outputs_free(&out);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_info = {
    .name = "info",
    .usage = "FILE [--json]",
    .text = "tells what is in a batch or a result",
    .options = options,
    .examples = "  impinge info cloth.vtkhdf\n  impinge info contacts.vtkhdf --json\n",
    .run = info,
};
