/* impinge devices: the devices, their self-tests, and whether the host or OpenCL on it is faster.
 */
#include "cli.h"

#include "compare.h"
#include "drivers.h"
#include "summary.h"

#include <stdio.h>

typedef struct devices_options {
    const char *json;
    int no_test, force, compare, retry;
    uint64_t threads;
} devices_options;

static const cli_option options[] = {
    {CLI_JSON(devices_options, "one JSON document (default: to stdout)")},
    {CLI_FORCE(devices_options, "replace the file of --json")},
    {"no-test", 0, CLI_FLAG, offsetof(devices_options, no_test), NULL,
     "list only, without self-tests"},
    {"compare", 0, CLI_CHOICE, offsetof(devices_options, compare), "never|once|again",
     "measure which device 'auto' takes without a GPU (default: never)",
     "Measure whether cpu or OpenCL on the CPU is faster, and keep the answer in the cache folder: "
     "without a GPU, --device auto takes the faster one. once: unless the answer is known, or "
     "another "
     "process is measuring it. The default is never."},
    {"retry", 0, CLI_FLAG, offsetof(devices_options, retry), NULL,
     "ask all OpenCL drivers again, also those that are left out",
     "Ask all OpenCL drivers again, also those that are left out. Drivers are first listed by "
     "other processes: "
     "one "
     "that crashes, does not answer within 8 s (or IMPINGE_DRIVER_SECONDS) or ends the process is "
     "left out. That is remembered in the cache folder until a file of a driver changes."},
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

/* "passed", with what is said of the device besides, or the reason why not. Making a pipeline runs
 * the self-test of its device. Valid until the next call, or the next error of this thread. */
static const char *self_test(size_t index, int threads)
{
    static test_text said;
    char name[24];
    imp *p = NULL;
    snprintf(name, sizeof name, "%zu", index);
    snprintf(said.text, sizeof said.text, "passed");
    /* the number as a name: two devices may have the same name */
    int err = imp_create(
        &(imp_def){.device = name, .threads = threads, .log = note_line, .log_user = &said}, &p);
    imp_destroy(p);
    return err ? imp_error_text() : said.text;
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
           d->units, (double)d->memory * 0x1p-30, (double)d->largest_buffer * 0x1p-30,
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
    json_count(j, "units", d->units);
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

/* Those that would have ended the program, or held it up. */
static void list_left(const devices_options *o, json *j)
{
    const char *name, *reason;
    if (o->json)
        json_open(j, "left_out", '[');
    for (size_t i = 0; drivers_left_at(i, &name, &reason); i++) {
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

/* ---- the device of "auto" */

/* As --device takes it, so that a script can use it. */
static const char *auto_word(const comparison *c)
{
    return c->answer == AUTO_RIVAL ? c->number : c->answer == AUTO_HOST ? "cpu" : "not known yet";
}

/* A negative time is a device that failed; no time was measured if the answer was known. */
static void print_comparison(const comparison *c)
{
    printf("auto, without a GPU: %s", auto_word(c));
    if (!c->number[0])
        printf("; there is nothing to compare it with");
    else if (c->host > 0 && c->rival > 0)
        printf("; %s triangles take cpu %.3g ms, device %s %.3g ms", grouped(COMPARE_TRIANGLES),
               1e3 * c->host, c->number, 1e3 * c->rival);
    else if (c->rival < 0)
        printf("; device %s fails", c->number);
    printf("%s\n", c->number[0] && !c->kept ? "; not kept" : "");
}

/* Seconds are 0 where nothing was measured now, and negative where the device fails. */
static void json_comparison(json *j, const comparison *c)
{
    json_open(j, "auto", '{');
    json_text(j, "device", auto_word(c));
    json_text(j, "compared_with", c->number);
    json_count(j, "triangles", COMPARE_TRIANGLES);
    json_real(j, "cpu_seconds", c->host);
    json_real(j, "device_seconds", c->rival);
    json_bool(j, "kept", c->kept);
    json_close(j, '}');
}

/* The option's words are in the order of enum compare_when, so the cast is safe. */
static void compare_devices(const devices_options *o, json *j)
{
    comparison c;
    compare((enum compare_when)o->compare, (int)o->threads, &c);
    if (o->json)
        json_comparison(j, &c);
    else
        print_comparison(&c);
}

/* ---- the verb */

/* The list cannot fail: a device that does not work is a line in it, not an error of the verb. */
static int devices(int argc, char **argv)
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
    drivers_tell(NULL, NULL); /* they are in the list */
    if (o.retry)
        drivers_forget();
    if (!err) {
        list(&o, &j);
        list_left(&o, &j);
        if (o.compare != COMPARE_NEVER)
            compare_devices(&o, &j);
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
                "  impinge devices --no-test --compare again\n"
                "  impinge run in.vtkhdf -o out.vtkhdf --device 1\n",
    .run = devices,
    .about = "--device takes the number before a device, or any part of its name.",
    .words = cli_no_words,
};
