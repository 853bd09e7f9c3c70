/* See drivers.h. */
#include "drivers.h"

#include "cli.h"
#include "driver_ask.h"
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drivers_print_line(void *user, const char *line)
{
    (void)user;
    cli_line(stderr, "impinge: warning: %s", line);
}

/* Of this process: its loader reads the drivers once. */
static struct {
    driver_list drivers;
    char *folder, *vendors; /* while the loader reads it; what OCL_ICD_VENDORS was */
    drivers_log_line *log_line;
    void *user;
} guard = {.log_line = drivers_print_line};

/* ---- asking */

/* Each by itself, all at the same time. */
static void drivers_test_alone(driver_list *d, char *wanted, driver_verdict *verdict)
{
    char **folder = calloc(d->count, sizeof *folder);
    int made = folder != NULL;
    for (size_t i = 0; made && i < d->count; i++) {
        memset(wanted, 0, d->count);
        wanted[i] = 1;
        folder[i] = driver_folder(d, wanted);
        made = folder[i] != NULL;
    }
    if (made)
        driver_test(folder, d->count, verdict);
    for (size_t i = 0; i < d->count; i++) {
        if (made)
            d->list[i].verdict = verdict[i];
        if (folder)
            driver_folder_remove(d, folder[i]);
    }
    free(folder);
}

static driver_verdict drivers_test_together(driver_list *d, const char *wanted)
{
    driver_verdict verdict = {DRIVER_UNTESTED, 0, 0};
    char *folder = driver_folder(d, wanted);
    if (folder)
        driver_test(&folder, 1, &verdict);
    driver_folder_remove(d, folder);
    verdict.together = 1;
    return verdict;
}

/* One after the other joins those that are sound together, or is left out. */
static void drivers_test_one_more(driver_list *d, char *wanted)
{
    size_t joined = 0;
    memset(wanted, 0, d->count);
    for (size_t i = 0; i < d->count; i++) {
        if (d->list[i].verdict.end != DRIVER_SOUND)
            continue;
        wanted[i] = 1;
        if (!joined++)
            continue;
        const driver_verdict verdict = drivers_test_together(d, wanted);
        if (verdict.end == DRIVER_SOUND || verdict.end == DRIVER_UNTESTED)
            continue;
        d->list[i].verdict = verdict;
        wanted[i] = 0;
    }
}

/* Which of several drivers is it that all together are not sound? */
static void drivers_test_which(driver_list *d)
{
    char *wanted = calloc(d->count, 1);
    driver_verdict *verdict = calloc(d->count, sizeof *verdict);
    if (wanted && verdict) {
        drivers_test_alone(d, wanted, verdict);
        drivers_test_one_more(d, wanted);
    }
    free(wanted);
    free(verdict);
}

/* First all in one process, as the program would load them. */
static void drivers_test(driver_list *d)
{
    char *const as_it_is = NULL;
    driver_verdict all;
    sigset_t was;
    driver_block_signals(&was);
    driver_test(&as_it_is, 1, &all);
    if (d->count == 1)
        d->list->verdict = all;
    else if (all.end != DRIVER_SOUND)
        drivers_test_which(d);
    driver_restore_signals(&was);
}

/* ---- the others */

static const char *drivers_reason(const driver *d)
{
    static char text[200];
    const driver_verdict *a = &d->verdict;
    const char *how = a->together ? "with other drivers in one process " : "";
    if (a->end == DRIVER_CRASHED)
        snprintf(text, sizeof text, "%sit crashed with signal %d (%s)", how, a->number,
                 strsignal(a->number));
    else if (a->end == DRIVER_TIMED_OUT)
        snprintf(text, sizeof text, "%sit did not answer within %d s", how, a->number);
    else
        snprintf(text, sizeof text, "%sit answered wrongly: asked for its devices it exits with %d",
                 how, a->number);
    return text;
}

static void drivers_log(const driver *d)
{
    const char *why = drivers_reason(d);
    const size_t size = strlen(d->name) + strlen(why) + 100;
    char *line = malloc(size);
    if (line && guard.log_line) {
        snprintf(line, size, "OpenCL driver %s is left out: %s", d->name, why);
        guard.log_line(guard.user, line);
    }
    free(line);
}

/* Without a folder the loader gets none: OpenCL is not worth a crash. */
static void drivers_exclude(driver_list *d)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    char *wanted = calloc(d->count, 1);
    for (size_t i = 0; i < d->count; i++)
        if (driver_is_excluded(&d->list[i]))
            drivers_log(&d->list[i]);
        else if (wanted)
            wanted[i] = 1;
    guard.vendors = vendors ? strdup(vendors) : NULL;
    guard.folder = wanted ? driver_folder(d, wanted) : NULL;
    setenv("OCL_ICD_VENDORS", guard.folder ? guard.folder : "/dev/null", 1);
    free(wanted);
}

static size_t drivers_count_excluded(const driver_list *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += driver_is_excluded(&d->list[i]) != 0;
    return count;
}

static void drivers_before_opencl(void)
{
    driver_list *d = &guard.drivers;
    if (!driver_list_open(d))
        return;
    drivers_test(d);
    if (drivers_count_excluded(d))
        drivers_exclude(d);
}

/* Processes that drivers start see what the user has set. */
static void drivers_after_opencl(void)
{
    driver_list *d = &guard.drivers;
    if (!drivers_count_excluded(d))
        return;
    if (guard.vendors)
        setenv("OCL_ICD_VENDORS", guard.vendors, 1);
    else
        unsetenv("OCL_ICD_VENDORS");
    driver_folder_remove(d, guard.folder);
    free(guard.vendors);
    guard.folder = guard.vendors = NULL;
}

/* ---- the interface */

static void drivers_free(void)
{
    driver_list_close(&guard.drivers);
}

void drivers_guard(void)
{
    gate_set(&(gate){drivers_before_opencl, drivers_after_opencl});
    atexit(drivers_free);
}

void drivers_set_log(drivers_log_line *log_line, void *user)
{
    guard.log_line = log_line;
    guard.user = user;
}

int drivers_excluded_at(size_t i, const char **name, const char **why)
{
    const driver_list *d = &guard.drivers;
    for (size_t k = 0; k < d->count; k++)
        if (driver_is_excluded(&d->list[k]) && i-- == 0) {
            *name = d->list[k].name;
            *why = drivers_reason(&d->list[k]);
            return 1;
        }
    return 0;
}
