/* See drivers.h. */
#include "drivers.h"

#include "cache.h"
#include "cli.h"
#include "driver_ask.h"
#include "gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_stderr(void *user, const char *line)
{
    (void)user;
    cli_line(stderr, "impinge: warning: %s", line);
}

/* Of this process: its loader reads the drivers once. */
static struct {
    driver_list drivers;
    char *folder, *vendors; /* while the loader reads it; what OCL_ICD_VENDORS was */
    drivers_say *say;
    void *user;
    int forget;
} guard = {.say = say_stderr};

/* ---- what is remembered: a line "KEY ANSWER ..." for each state of the drivers, in their order;
 * an answer is "s11", or "+s11" if it was given together with others */

static void line_make(const driver_list *d, char *out, size_t size)
{
    int n = snprintf(out, size, "%016" PRIx64, d->key);
    for (size_t i = 0; i < d->count; i++) {
        const driver_answer *a = &d->list[i].answer;
        n += snprintf(out + n, size - (size_t)n, " %s%c%d", a->together ? "+" : "", a->end,
                      a->number);
    }
    snprintf(out + n, size - (size_t)n, "\n");
}

static void remember(const driver_list *d)
{
    const size_t size = 32 + 24 * d->count;
    char *line = malloc(size);
    for (size_t i = 0; i < d->count; i++)
        if (!driver_answer_stays(&d->list[i].answer)) {
            free(line);
            return;
        }
    if (line) {
        line_make(d, line, size);
        cache_append("drivers", line);
    }
    free(line);
}

static int answer_read(const char **text, driver_answer *out)
{
    char end;
    int length = 0;
    *text += strspn(*text, " ");
    const int together = **text == '+';
    if (sscanf(*text + together, "%c%d%n", &end, &out->number, &length) != 2 ||
        !strchr("kstw", end))
        return 0;
    out->end = (enum driver_end)end;
    out->together = together;
    *text += together + length;
    return 1;
}

/* Lines that are cut short are passed over. */
static int line_read(const char *line, driver_list *d)
{
    uint64_t key;
    int length = 0;
    driver_answer answer;
    if (sscanf(line, "%16" SCNx64 "%n", &key, &length) != 1 || key != d->key)
        return 0;
    const char *check = line + length, *text = check;
    for (size_t i = 0; i < d->count; i++)
        if (!answer_read(&check, &answer))
            return 0;
    if (*check != '\n')
        return 0;
    for (size_t i = 0; i < d->count; i++)
        answer_read(&text, &d->list[i].answer);
    return 1;
}

/* The last line counts. */
static int recall(driver_list *d)
{
    char *line = NULL;
    size_t capacity = 0;
    int found = 0;
    const int descriptor = cache_read("drivers");
    FILE *f = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    while (f && getline(&line, &capacity, f) > 0)
        found |= line_read(line, d);
    free(line);
    if (f)
        fclose(f);
    else if (descriptor >= 0)
        close(descriptor);
    return found;
}

/* ---- asking */

/* Each by itself, all at the same time. */
static void ask_alone(driver_list *d, char *wanted, driver_answer *answer)
{
    char **folder = calloc(d->count, sizeof *folder);
    int made = folder != NULL;
    for (size_t i = 0; made && !d->chosen && i < d->count; i++) {
        memset(wanted, 0, d->count);
        wanted[i] = 1;
        folder[i] = driver_folder(d, wanted);
        made = folder[i] != NULL;
    }
    if (made)
        driver_ask(folder, d->count, answer);
    for (size_t i = 0; i < d->count; i++) {
        if (made)
            d->list[i].answer = answer[i];
        if (folder)
            driver_folder_remove(d, folder[i]);
    }
    free(folder);
}

static driver_answer ask_together(driver_list *d, const char *wanted)
{
    driver_answer answer = {DRIVER_UNASKED, 0, 0};
    char *folder = driver_folder(d, wanted);
    if (folder)
        driver_ask(&folder, 1, &answer);
    driver_folder_remove(d, folder);
    answer.together = 1;
    return answer;
}

static size_t sound_ones(const driver_list *d, char *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += (wanted[i] = d->list[i].answer.end == DRIVER_SOUND) != 0;
    return count;
}

/* One after the other joins those that are sound together, or is left out. */
static void ask_one_more(driver_list *d, char *wanted)
{
    size_t joined = 0;
    memset(wanted, 0, d->count);
    for (size_t i = 0; i < d->count; i++) {
        if (d->list[i].answer.end != DRIVER_SOUND)
            continue;
        wanted[i] = 1;
        if (!joined++)
            continue;
        const driver_answer answer = ask_together(d, wanted);
        if (answer.end == DRIVER_SOUND || answer.end == DRIVER_UNASKED)
            continue;
        d->list[i].answer = answer;
        wanted[i] = 0;
    }
}

static void ask(driver_list *d)
{
    char *wanted = calloc(d->count, 1);
    driver_answer *answer = calloc(d->count, sizeof *answer);
    sigset_t was;
    driver_hold_signals(&was);
    if (wanted && answer) {
        ask_alone(d, wanted, answer);
        if (sound_ones(d, wanted) > 1 && ask_together(d, wanted).end != DRIVER_SOUND)
            ask_one_more(d, wanted);
        remember(d);
    }
    driver_take_signals(&was);
    free(wanted);
    free(answer);
}

/* ---- the others */

static const char *reason(const driver *d)
{
    static char text[200];
    const driver_answer *a = &d->answer;
    const char *how = a->together ? "with other drivers in one process " : "";
    if (a->end == DRIVER_CRASHED)
        snprintf(text, sizeof text, "%sit crashed with signal %d (%s)", how, a->number,
                 strsignal(a->number));
    else if (a->end == DRIVER_LATE)
        snprintf(text, sizeof text, "%sit did not answer within %d s", how, a->number);
    else
        snprintf(text, sizeof text, "%sit answered wrongly: asked for its devices it exits with %d",
                 how, a->number);
    return text;
}

static void say(const driver *d)
{
    const char *why = reason(d);
    const size_t size = strlen(d->name) + strlen(why) + 100;
    char *line = malloc(size);
    if (line && guard.say) {
        snprintf(line, size,
                 "OpenCL driver %s is left out: %s; 'impinge devices --retry' asks it again",
                 d->name, why);
        guard.say(guard.user, line);
    }
    free(line);
}

/* Without a folder the loader gets none: OpenCL is not worth a crash. */
static void leave_out(driver_list *d)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    char *wanted = calloc(d->count, 1);
    for (size_t i = 0; i < d->count; i++)
        if (driver_is_left(&d->list[i]))
            say(&d->list[i]);
        else if (wanted)
            wanted[i] = 1;
    guard.vendors = vendors ? strdup(vendors) : NULL;
    guard.folder = wanted ? driver_folder(d, wanted) : NULL;
    setenv("OCL_ICD_VENDORS", guard.folder ? guard.folder : "/dev/null", 1);
    free(wanted);
}

static size_t left_count(const driver_list *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += driver_is_left(&d->list[i]) != 0;
    return count;
}

static void before(void)
{
    driver_list *d = &guard.drivers;
    if (!driver_list_open(d))
        return;
    if (guard.forget || !recall(d))
        ask(d);
    if (left_count(d))
        leave_out(d);
}

/* Processes that drivers start see what the user has set. */
static void after(void)
{
    driver_list *d = &guard.drivers;
    if (!left_count(d))
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

static void forget_all(void)
{
    driver_list_close(&guard.drivers);
}

void drivers_guard(void)
{
    gate_set(&(gate){before, after});
    atexit(forget_all);
}

void drivers_tell(drivers_say *say_it, void *user)
{
    guard.say = say_it;
    guard.user = user;
}

void drivers_forget(void)
{
    guard.forget = 1;
}

int drivers_left_at(size_t i, const char **name, const char **why)
{
    const driver_list *d = &guard.drivers;
    for (size_t k = 0; k < d->count; k++)
        if (driver_is_left(&d->list[k]) && i-- == 0) {
            *name = d->list[k].name;
            *why = reason(&d->list[k]);
            return 1;
        }
    return 0;
}
