/* See compare.h. */
#define _DEFAULT_SOURCE
#include "compare.h"

#include "cache.h"
#include "clock.h"
#include "processors.h"
#include "scene.h"

#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define REPEATS 5

/* ---- measuring */

/* Seconds that a pipeline takes for the frame; negative if it fails. */
static double once(imp *p, const imp_frame *frame)
{
    double start = clock_seconds();
    return !p || imp_detect(p, frame, 1, NULL, NULL, NULL) ? -1 : clock_seconds() - start;
}

/* A negative time is a failure, and stays one. */
static double less(double a, double b)
{
    return a < 0 || b < 0 ? -1 : a < b ? a : b;
}

/* The least of some times, measured in turns, so that other load on the machine affects both. */
static void race(const imp_frame *frame, int threads, comparison *c)
{
    imp *host = NULL, *rival = NULL;
    imp_create(&(imp_def){.device = "cpu", .threads = threads}, &host);
    imp_create(&(imp_def){.device = c->number, .threads = threads}, &rival);
    c->host = once(host, frame); /* the first builds kernels and touches memory: not counted */
    c->rival = once(rival, frame);
    for (int i = 0; i < REPEATS; i++) {
        double h = once(host, frame), r = once(rival, frame);
        c->host = i ? less(c->host, h) : less(h, h);
        c->rival = i ? less(c->rival, r) : less(r, r);
    }
    imp_destroy(host);
    imp_destroy(rival);
}

/* If nothing can be measured, the host is the safe answer. */
static void measure(int threads, comparison *c)
{
    const scene_def def = {.name = "soup", .primitives = COMPARE_TRIANGLES, .frames = 1};
    scene *s = NULL;
    imp_frame frame;
    double time;
    c->host = c->rival = -1;
    if (!scene_create(&def, &s) && !scene_next(s, &frame, &time))
        race(&frame, threads, c);
    c->answer = c->rival > 0 && (c->host < 0 || c->rival < c->host) ? AUTO_RIVAL : AUTO_HOST;
    scene_destroy(s);
}

/* ---- remembering */

/* One process at a time measures. The system releases the lock when that process ends, also after a
 * kill. -1: the lock cannot be made, or `wait` is 0 and another process holds it. */
static int cache_lock(int wait)
{
    int f = cache_open("devices.lock");
    if (f >= 0 && flock(f, wait ? LOCK_EX : LOCK_EX | LOCK_NB)) {
        close(f);
        return -1;
    }
    return f;
}

/* One write for one line, under the lock. */
static int cache_add(const imp_device_info *rival, int threads, enum auto_answer answer)
{
    char line[64];
    auto_line(rival, threads, answer, line, sizeof line);
    return cache_append("devices", line);
}

/* The answer is looked up under the lock: another process may just have found it. */
void compare(enum compare_when when, int threads, comparison *out)
{
    imp_device_info rival;
    *out = (comparison){.answer = AUTO_HOST};
    if (!auto_rival(out->number, sizeof out->number, &rival))
        return;
    threads = processors_threads(threads);
    int lock = cache_lock(when == COMPARE_AGAIN);
    out->answer = auto_known(&rival, threads);
    out->kept = out->answer != AUTO_UNKNOWN;
    if (when == COMPARE_AGAIN || (lock >= 0 && out->answer == AUTO_UNKNOWN)) {
        cache_add(&rival, threads, AUTO_BEGUN);
        measure(threads, out);
        out->kept = cache_add(&rival, threads, out->answer);
    }
    if (lock >= 0)
        close(lock);
}

/* False whenever the user has chosen a device, or the input is small. */
int compare_may_pay(const imp_def *def, const imp *p)
{
    imp_device_info rival;
    char number[24];
    int threads = processors_threads(def->threads);
    if ((def->device && strcmp(def->device, "auto") != 0) || auto_is_small(def) ||
        strcmp(imp_device_name(p), "cpu") != 0)
        return 0;
    return auto_rival(number, sizeof number, &rival) && auto_known(&rival, threads) == AUTO_UNKNOWN;
}
