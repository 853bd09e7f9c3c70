/* impinge devices: the devices and their self-tests. */
#include "cli.h"

#include "drivers.h"
#include "summary.h"

#include <stdio.h>

typedef struct devices_options {
    const char *json;
    int no_test, force;
    uint64_t threads;
} devices_options;

static const cli_option options[] = {
    {CLI_JSON(devices_options, "one JSON document (default: to stdout)")},
    {CLI_FORCE(devices_options, "replace the file of --json")},
    {"no-test", 0, CLI_FLAG, offsetof(devices_options, no_test), NULL,
     "list only, without self-tests"},
    {CLI_THREADS(devices_options, "threads of the host (default: all that the launcher gives)")},
    {0},
};

typedef struct test_text {
    char text[1400];
} test_text;

static void note_line(void *user, const char *line)
{
    test_text *t = user;
    snprintf(t->text, sizeof t->text, "passed, but %s", line);
}

/* Creates a pipeline, which runs the device's self-test. Returns "passed" with remarks on the
 * device, or the reason for the failure. Valid until the next call, or the next error of this
 * thread. */
static const char *self_test(size_t index, int threads)
{
    static test_text text;
    char name[24];
    imp *p = NULL;
    snprintf(name, sizeof name, "%zu", index);
    snprintf(text.text, sizeof text.text, "passed");
    /* the number serves as name: two devices may have the same name */
    int err = imp_create(
        &(imp_def){.device = name, .threads = threads, .log = note_line, .log_user = &text}, &p);
    imp_destroy(p);
    return err ? imp_error_text() : text.text;
}

/* Device 0 is always the host. */
static void print_device(size_t i, const imp_device_info *d, const char *test)
{
    printf("%zu  %s, %s\n", i, cli_shown(d->platform), cli_shown(d->name));
    printf("   %s, driver %s\n", cli_shown(d->version), cli_shown(d->driver));
    printf("   %s, %u units, %.1f GiB, largest buffer %.1f GiB, float64 %s\n",
           i == 0      ? "cpu"
           : d->is_gpu ? "OpenCL GPU"
                       : "OpenCL CPU",
           d->compute_units, (double)d->memory * 0x1p-30, (double)d->largest_buffer * 0x1p-30,
           d->fp64 ? "yes" : "no");
    if (test)
        printf("   self-test: %s\n", test);
}

/* Without a self-test the member is omitted: "" would look like a result. */
static void json_device(json *j, size_t i, const imp_device_info *d, const char *test)
{
    json_open(j, NULL, '{');
    json_count(j, "index", i);
    json_text(j, "platform", d->platform);
    json_text(j, "name", d->name);
    json_text(j, "version", d->version);
    json_text(j, "driver", d->driver);
    json_bool(j, "gpu", d->is_gpu);
    json_bool(j, "float64", d->fp64);
    json_count(j, "units", d->compute_units);
    json_count(j, "memory", d->memory);
    json_count(j, "largest_buffer", d->largest_buffer);
    if (test)
        json_text(j, "self_test", test);
    json_close(j, '}');
}

/* Each device is tested when it is listed: a test may take seconds, and its result is shown at
 * once. j is only used with --json. */
static void list(const devices_options *o, json *j)
{
    imp_device_info d;
    if (o->json)
        json_open(j, "devices", '[');
    for (size_t i = 0; imp_device_at(i, &d); i++) {
        const char *test = o->no_test ? NULL : self_test(i, (int)o->threads);
        if (o->json)
            json_device(j, i, &d, test);
        else
            print_device(i, &d, test);
    }
    if (o->json)
        json_close(j, ']');
}

/* Lists drivers that would have crashed the program or made it hang. */
static void devices_list_excluded(const devices_options *o, json *j)
{
    const char *name, *reason;
    if (o->json)
        json_open(j, "left_out", '[');
    for (size_t i = 0; drivers_excluded_at(i, &name, &reason); i++) {
        if (!o->json) {
            printf("-  OpenCL driver %s\n   left out: %s\n", cli_shown(name), cli_shown(reason));
            continue;
        }
        json_open(j, NULL, '{');
        json_text(j, "driver", name);
        json_text(j, "reason", reason);
        json_close(j, '}');
    }
    if (o->json)
        json_close(j, ']');
}

/* ---- the verb */

/* The list cannot fail: a device that does not work is a line in it, not an error of the verb. */
static int devices_run(int argc, char **argv)
{
    devices_options o = {0};
    json j;
    int count, code = cli_parse(&verb_devices, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    outputs out = {0};
    text_output to = {0};
    int err = outputs_json(&out, o.json, o.force, &to);
    if (!err && o.json)
        err = json_begin(&j, &to);
    drivers_set_log(NULL, NULL); /* excluded drivers are in the list */
    if (!err) {
        list(&o, &j);
        devices_list_excluded(&o, &j);
        err = o.json ? json_end(&j, &to) : IMP_OK;
    }
    text_output_free(&to);
    outputs_free(&out);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_devices = {
    .name = "devices",
    .usage = "[options]",
    .text = "lists OpenCL devices and the host, with the result of their self-test",
    .options = options,
    .examples = "  impinge devices\n"
                "  impinge devices --no-test --json\n"
                "  impinge run in.vtkhdf -o out.vtkhdf --device 1\n",
    .run = devices_run,
    .about =
        "--device takes the number before a device, or any part of its name. OpenCL drivers are "
        "first listed by another process: one that crashes, does not answer within 8 s (or "
        "IMPINGE_DRIVER_SECONDS) or ends the process is left out, here and in each run on a "
        "device of OpenCL.",
    .words = cli_no_words,
};
