/* impinge devices: what can compute here, and whether it passes its self-test. */
#include "cli.h"

#include "summary.h"

#include <stdio.h>

typedef struct devices_options {
    const char *json;
    int no_test, force;
} devices_options;

static const cli_option options[] = {
    {"json", 0, CLI_MAYBE, offsetof(devices_options, json), "FILE",
     "one JSON document (default: to stdout)"},
    {"force", 0, CLI_FLAG, offsetof(devices_options, force), NULL, "replace the file of --json"},
    {"no-test", 0, CLI_FLAG, offsetof(devices_options, no_test), NULL,
     "list only, without self-tests"},
    {0},
};

/* "passed", or why not */
static const char *self_test(size_t index)
{
    char name[24];
    imp *p = NULL;
    snprintf(name, sizeof name, "%zu", index);
    int err = imp_create(&(imp_def){.device = name}, &p);
    imp_destroy(p);
    return err ? imp_error_text() : "passed";
}

static void print_device(size_t i, const imp_device_info *d, const char *test)
{
    printf("%zu  %s, %s\n", i, d->platform, d->name);
    printf("   %s, driver %s\n", d->version, d->driver);
    printf("   %s, %u units, %.1f GiB, largest buffer %.1f GiB, float64 %s\n",
           i == 0      ? "cpu"
           : d->is_gpu ? "OpenCL GPU"
                       : "OpenCL CPU",
           d->units, (double)d->memory * 0x1p-30, (double)d->largest_buffer * 0x1p-30,
           d->fp64 ? "yes" : "no");
    if (test)
        printf("   self-test: %s\n", test);
}

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
    json_count(j, "units", d->units);
    json_count(j, "memory", d->memory);
    json_count(j, "largest_buffer", d->largest_buffer);
    if (test)
        json_text(j, "self_test", test);
    json_close(j, '}');
}

static int devices(int argc, char **argv)
{
    devices_options o = {0};
    imp_device_info d;
    int count, code = cli_parse(&verb_devices, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    if (count)
        return cli_usage_error(&verb_devices, "unexpected '%s'", argv[0]);
    json j;
    outputs out = {0};
    text_output to = {0};
    int err = IMP_OK;
    if (o.json)
        err = outputs_text(&out, "--json", *o.json ? o.json : "-", o.force, &to);
    if (!err && o.json)
        err = json_begin(&j, &to);
    if (err)
        goto out;
    if (o.json)
        json_open(&j, "devices", '[');
    for (size_t i = 0; imp_device_at(i, &d); i++) {
        const char *test = o.no_test ? NULL : self_test(i);
        if (o.json)
            json_device(&j, i, &d, test);
        else
            print_device(i, &d, test);
    }
    if (o.json)
        json_close(&j, ']');
    err = o.json ? json_end(&j, &to) : IMP_OK;
out:
    text_output_free(&to);
    outputs_free(&out);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_devices = {
    .name = "devices",
    .usage = "[options]",
    .text = "lists OpenCL devices and the host, with the result of their self-test",
    .options = options,
    .examples = "  impinge devices\n  impinge run in.vtkhdf -o out.vtkhdf --device 1\n",
    .run = devices,
    .about = "The number before a device is what --device takes, and so is any part of its name.",
    .words = cli_no_words,
};
