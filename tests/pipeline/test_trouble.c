/* Runs that end early or fail: sinks that refuse, cancelling, devices and memory that fail at any
 * launch. */
#include "made.h"
#include "ways.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- a scene with contacts in several frames */

static made scene_made;

static const made *the_scene(void)
{
    if (!scene_made.frames) {
        rng r = {3};
        scene_made.name = "trouble";
        for (int f = 0; f < 4; f++) {
            made_part *p = made_add(&scene_made, f == 2 ? 0 : 60);
            for (uint32_t i = 0; i < p->mesh.primitives; i++)
                made_triangle(p, i, (const double[3]){0.1 * i, 0, 0}, 1, &r);
        }
    }
    return &scene_made;
}

static made steps_made;

/* The same for one moving mesh: some vertices move, others do not. */
static const made *the_steps(void)
{
    if (!steps_made.frames) {
        rng r = {5};
        made_part *first = NULL;
        steps_made.name = "steps";
        for (int f = 0; f < 4; f++) {
            made_part *p = f ? made_again(&steps_made, first) : made_add(&steps_made, 40);
            first = f ? first : p;
            if (f)
                memcpy(p->point, first->point, (size_t)9 * 40 * sizeof *p->point);
            for (uint32_t i = 0; i < 40; i += f ? 2 : 1)
                made_triangle(p, i, (const double[3]){0.1 * i, 0, 0}, 1, &r);
        }
    }
    return &steps_made;
}

static int trouble_is_prefix(const contact_list *all, const contact_list *part)
{
    return part->count <= all->count &&
           (!part->count || !memcmp(all->row, part->row, part->count * sizeof *part->row));
}

/* expected rows, and a pipeline to compare */
typedef struct bench {
    const imp_def *def;
    const pipe *pipe;
    const made *m;
    contact_list want;
    size_t launches; /* in one run */
    size_t number;   /* index of the pipeline: each starts at another launch */
    char device[300];
} bench;

typedef struct counter {
    size_t seen, at; /* launches; the one at which the hook acts */
    int every;       /* all launches from that one on */
    int code;
    imp *cancel;
} counter;

static int count_launch(void *user, enum kernel kernel)
{
    counter *c = user;
    (void)kernel;
    size_t n = c->seen++;
    if (n != c->at && !(c->every && n > c->at))
        return 0;
    if (c->cancel)
        imp_cancel(c->cancel);
    return c->code;
}

/* imp_detect with a hook on the device, which may be replaced during the call */
static int detect_hooked(imp *p, const made *m, counter *c, contact_list *out)
{
    device *d = p->context.dev;
    const device_ops *ops = d->ops;
    way_hook(d, count_launch, c);
    const device_ops *hooked = d->ops;
    int err = imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL);
    if (p->context.dev == d && d->ops == hooked) /* a new device may have the same address */
        d->ops = ops;
    return err;
}

static void each_pipe(const imp_def *def, void (*run)(bench *t))
{
    pipes s;
    pipes_open(&s, def, 0);
    for (size_t i = 0; i < s.count; i++) {
        const made *m = def->continuous ? the_steps() : the_scene();
        bench t = {def, &s.list[i], .m = m, .number = i};
        counter c = {.at = SIZE_MAX};
        CU_ASSERT_EQUAL(detect_hooked(t.pipe->p, t.m, &c, &t.want), 0);
        /* trees run on the host, as does everything on a device without float64 */
        int idle = t.pipe->way->no_fp64 && !strcmp(t.pipe->method, "tree");
        CU_ASSERT(t.want.count > 100 && (c.seen > 2 || idle));
        t.launches = c.seen;
        snprintf(t.device, sizeof t.device, "%s", imp_device_name(t.pipe->p));
        run(&t);
        contact_list_free(&t.want);
    }
    pipes_close(&s);
}

/* no state is left of the failure */
static void as_before(bench *t, imp *p)
{
    contact_list again = {0};
    if (imp_detect(p, t->m->frame, t->m->frames, contact_list_sink, &again, NULL) ||
        !contact_list_equal(&t->want, &again))
        way_failed(t->pipe->way, t->pipe->method, "afterwards", "other contacts");
    contact_list_free(&again);
}

/* ---- sinks */

typedef struct refusal {
    contact_list list;
    size_t calls, at;
    int code;
    const char *text; /* NULL: no text */
    uint64_t frame;   /* frame at which it refused */
} refusal;

static int trouble_refuse(void *user, const imp_contacts *c)
{
    refusal *r = user;
    CU_ASSERT(c->count > 0);
    CU_ASSERT_EQUAL(contact_list_sink(&r->list, c), 0);
    if (r->calls++ != r->at)
        return 0;
    r->frame = c->frame;
    return r->text ? imp_set_error(r->code, r->text) : r->code;
}

/* The sink's code is returned unchanged, whatever it means to the library, and so is the text; the
 * sink is not called again. */
static void one_refusal(bench *t, size_t at, int code, const char *text)
{
    char words[2][40];
    refusal r = {.at = at, .code = code, .text = text};
    imp_frame_info info[8];
    imp *p = t->pipe->p;
    imp_set_error(0, "an old text");
    int err = imp_detect(p, t->m->frame, t->m->frames, trouble_refuse, &r, info);
    snprintf(words[0], sizeof words[0],
             "frame %llu:", (unsigned long long)t->m->frame[r.frame].number);
    snprintf(words[1], sizeof words[1], " %d", code);
    int told = text ? !strcmp(imp_error_text(), text)
                    : strstr(imp_error_text(), words[0]) && strstr(imp_error_text(), words[1]);
    if (err != code || r.calls != at + 1 || !told || !trouble_is_prefix(&t->want, &r.list)) {
        char what[300];
        snprintf(what, sizeof what, "%d became %d after %zu calls: '%.200s'", code, err, r.calls,
                 imp_error_text());
        way_failed(t->pipe->way, t->pipe->method, "refusal", what);
    }
    contact_list_free(&r.list);
}

static void refusals(bench *t)
{
    static const int codes[] = {1, 2, 77, INT_MAX, -10, -99, INT_MIN};
    for (size_t at = 0; at < 3; at++) {
        for (int code = -9; code < 0; code++)
            one_refusal(t, at, code, at % 2 ? NULL : "no more, please");
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
            one_refusal(t, at, codes[k], at % 2 ? "no more, please" : NULL);
    }
    CU_ASSERT_STRING_EQUAL(imp_device_name(t->pipe->p), t->device);
    as_before(t, t->pipe->p);
}

static void test_refusal(void)
{
    each_pipe(&(imp_def){0}, refusals);
}

/* Blocks in pieces, and again in smaller ones. */
static void test_refusal_limit(void)
{
    each_pipe(&(imp_def){.mem_limit = 3 << 20}, refusals);
    each_pipe(&(imp_def){.block = 1}, refusals);
}

/* A sink that cancels the run, and then returns another code. */
static int cancel_and_refuse(void *user, const imp_contacts *c)
{
    (void)c;
    imp_cancel(user);
    return 5;
}

static void refuses_cancelled(bench *t)
{
    imp *p = t->pipe->p;
    CU_ASSERT_EQUAL(imp_detect(p, t->m->frame, t->m->frames, cancel_and_refuse, p, NULL), 5);
    as_before(t, p); /* that run is over: the next one is not cancelled */
}

static void test_refusal_cancelled(void)
{
    each_pipe(&(imp_def){0}, refuses_cancelled);
}

/* The text is one line, and no longer than the library's own. */
static void test_set_error(void)
{
    char text[3000];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = 0;
    CU_ASSERT_EQUAL(imp_set_error(-4711, "two\nlines"), -4711);
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "two lines");
    CU_ASSERT_EQUAL(imp_set_error(3, "50% of %s"), 3);
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "50% of %s");
    CU_ASSERT_EQUAL(imp_set_error(0, text), 0);
    CU_ASSERT_EQUAL(strlen(imp_error_text()), 1023);
    CU_ASSERT_EQUAL(imp_set_error(1, imp_error_text() + 1000), 1);
    CU_ASSERT_EQUAL(strlen(imp_error_text()), 23);
    CU_ASSERT_EQUAL(imp_set_error(1, NULL), 1);
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "");
}

/* ---- cancelling */

/* Cancelled at any launch, the run ends with a prefix of its rows. At the last launch it may be too
 * late for rows; this run is cancelled nevertheless, and not the next one. */
static void cancel_at(bench *t, size_t at)
{
    imp *p = t->pipe->p;
    counter c = {.at = at, .cancel = p};
    contact_list got = {0};
    int err = detect_hooked(p, t->m, &c, &got);
    CU_ASSERT(trouble_is_prefix(&t->want, &got));
    CU_ASSERT(c.seen < at + 4);
    CU_ASSERT_EQUAL(err, IMP_ERR_CANCELLED);
    CU_ASSERT_EQUAL(imp_detect(p, t->m->frame, 0, NULL, NULL, NULL), 0);
    contact_list_free(&got);
}

/* Steps have many launches: some of them are tested, in the soak all. */
static size_t stride(const bench *t)
{
    if (test_count(1) > 1)
        return 1;
    return t->def->continuous ? 7 + 40 * TEST_SLOW : 1 + 2 * TEST_SLOW;
}

static size_t trouble_first(const bench *t)
{
    return t->number % stride(t);
}

static void cancels(bench *t)
{
    imp *p = t->pipe->p;
    for (size_t at = trouble_first(t); at < t->launches; at += stride(t))
        cancel_at(t, at);
    as_before(t, p);
    imp_cancel(p); /* before a run: that run is cancelled, and no other */
    CU_ASSERT_EQUAL(imp_detect(p, t->m->frame, t->m->frames, NULL, NULL, NULL), IMP_ERR_CANCELLED);
    as_before(t, p);
}

static void test_trouble_cancel(void)
{
    each_pipe(&(imp_def){0}, cancels);
}

/* Another thread that cancels a run at one of its checks for cancellation, which waits for it. */
static struct stopper {
    imp *p;
    atomic_long looks;
    long at;
    sem_t now, done;
} stopper;

static void *stop_then(void *user)
{
    (void)user;
    sem_wait(&stopper.now);
    imp_cancel(stopper.p);
    sem_post(&stopper.done);
    return NULL;
}

/* by the linker's --wrap: the checks of devices at work */
int __real_device_cancelled(const device *d);
int __wrap_device_cancelled(const device *d);
int __real_device_check_cancel(const device *d);
int __wrap_device_check_cancel(const device *d);

static void stopper_looked(void)
{
    if (stopper.p && atomic_fetch_add(&stopper.looks, 1) == stopper.at) {
        sem_post(&stopper.now);
        sem_wait(&stopper.done);
    }
}

int __wrap_device_cancelled(const device *d)
{
    stopper_looked();
    return __real_device_cancelled(d);
}

int __wrap_device_check_cancel(const device *d)
{
    stopper_looked();
    return __real_device_check_cancel(d);
}

static int detect_stopped(imp *p, const imp_frame *frame, long at)
{
    pthread_t thread;
    stopper.p = p;
    stopper.at = at;
    atomic_store(&stopper.looks, 0);
    CU_ASSERT_EQUAL_FATAL(sem_init(&stopper.now, 0, 0) | sem_init(&stopper.done, 0, 0), 0);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, stop_then, NULL), 0);
    int err = imp_detect(p, frame, 1, NULL, NULL, NULL);
    sem_post(&stopper.now); /* if it did not check so often */
    pthread_join(thread, NULL);
    stopper.p = NULL;
    return err;
}

/* A run that would take many seconds checks in the middle of its kernels, and ends. */
static void test_cancel_thread(void)
{
    pipes s;
    made m;
    CU_ASSERT_FATAL(made_procedural("hostile", 20000, 1, 0, &m));
    pipes_open(&s, &(imp_def){0}, 0);
    for (size_t i = 0; i < s.count; i++) {
        long at = s.list[i].way->opencl ? 1 : 30; /* their launches grow while they are fast */
        int err = detect_stopped(s.list[i].p, m.frame, at);
        if (err != IMP_ERR_CANCELLED || atomic_load(&stopper.looks) <= at)
            way_failed(s.list[i].way, s.list[i].method, "hostile", "did not look, or not stop");
    }
    pipes_close(&s);
    made_free(&m);
}

/* ---- a device that fails */

static char log_text[1500];

static void trouble_log_line(void *user, const char *line)
{
    ++*(int *)user;
    snprintf(log_text, sizeof log_text, "%s", line);
}

/* An OpenCL device fails at one launch: the host takes over, and every contact is delivered once.
 */
static void one_fault(const way *w, const char *method, const bench *t, size_t at)
{
    int lines = 0;
    counter c = {.at = at, .code = IMP_ERR_DEVICE};
    contact_list got = {0};
    imp_profile profile;
    imp_def def = *t->def;
    def.broad = method;
    def.log = trouble_log_line;
    def.log_user = &lines;
    imp *p = way_pipeline(w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    int err = detect_hooked(p, t->m, &c, &got);
    imp_profile_get(p, &profile);
    if (err || !contact_list_equal(&got, &t->want))
        way_failed(w, method, "a device that fails", err ? imp_error_text() : "other contacts");
    CU_ASSERT_EQUAL(lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(log_text, "cpu"));
    CU_ASSERT_STRING_EQUAL(imp_device_name(p), "cpu");
    CU_ASSERT_EQUAL(profile.contacts, t->want.count);
    CU_ASSERT_EQUAL(profile.frames, t->m->frames - (size_t)def.continuous);
    contact_list_free(&got);
    imp_destroy(p);
}

/* The host has no fallback. */
static void host_fault(const bench *t)
{
    counter c = {.at = t->launches / 2, .code = IMP_ERR_DEVICE};
    contact_list got = {0};
    CU_ASSERT_EQUAL(detect_hooked(t->pipe->p, t->m, &c, &got), IMP_ERR_DEVICE);
    CU_ASSERT(trouble_is_prefix(&t->want, &got));
    contact_list_free(&got);
}

static void trouble_all_faults(bench *t)
{
    size_t step = test_count(1) > 1 ? 1 : t->launches / (t->def->block ? 8 : 3) + 1;
    if (!t->pipe->way->opencl) {
        host_fault(t);
        as_before(t, t->pipe->p);
        return;
    }
    for (size_t at = t->number % step; at < t->launches; at += step)
        one_fault(t->pipe->way, t->pipe->method, t, at);
}

static void test_fault(void)
{
    each_pipe(&(imp_def){0}, trouble_all_faults);
}

/* Sums from before the device failed are kept. */
static void test_fault_profile(void)
{
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    const made *m = the_scene();
    for (size_t i = 0; i < n; i++) {
        if (!list[i].opencl)
            continue;
        imp_profile before, after;
        counter c = {.at = 3, .code = IMP_ERR_DEVICE};
        contact_list got = {0};
        imp *p = way_pipeline(&list[i], &(imp_def){0});
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, NULL, NULL, NULL), 0);
        imp_profile_get(p, &before);
        CU_ASSERT_EQUAL(detect_hooked(p, m, &c, &got), 0);
        imp_profile_get(p, &after);
        CU_ASSERT_EQUAL(after.frames, 2 * before.frames);
        CU_ASSERT_EQUAL(after.contacts, 2 * before.contacts);
        CU_ASSERT_EQUAL(after.candidates, 2 * before.candidates);
        contact_list_free(&got);
        imp_destroy(p);
    }
}

/* ---- memory shortage */

/* At a single launch: it works in smaller pieces, or there is an error. From one launch on: an
 * error, unless only the cache for the next frame is lost. */
static void shortages(bench *t)
{
    imp *p = t->pipe->p;
    for (size_t at = trouble_first(t); at < t->launches; at += stride(t))
        for (int every = 0; every < 2; every++) {
            counter c = {.at = at, .every = every, .code = IMP_ERR_MEMORY};
            contact_list got = {0};
            int err = detect_hooked(p, t->m, &c, &got);
            CU_ASSERT(err == IMP_ERR_MEMORY || (err == 0 && (!every || t->def->update)));
            CU_ASSERT(err ? trouble_is_prefix(&t->want, &got) : contact_list_equal(&t->want, &got));
            contact_list_free(&got);
        }
    as_before(t, p);
}

static void test_shortage(void)
{
    each_pipe(&(imp_def){0}, shortages);
}

/* Failures while rows of the previous block are in readback on a GPU: that block is repeated. If it
 * is not the device that fails, the sink already has the rows. */
static void test_block_before(void)
{
    const imp_def alone = {.block = 1};
    each_pipe(&alone, trouble_all_faults);
    each_pipe(&alone, shortages);
}

/* ---- steps */

static const imp_def of_steps = {.continuous = 1};

static void test_steps_refusal(void)
{
    each_pipe(&of_steps, refusals);
}

static void test_steps_cancel(void)
{
    each_pipe(&of_steps, cancels);
}

static void test_steps_fault(void)
{
    each_pipe(&of_steps, trouble_all_faults);
}

static void test_steps_shortage(void)
{
    each_pipe(&of_steps, shortages);
    each_pipe(&(imp_def){.continuous = 1, .block = 1}, shortages);
    each_pipe(&(imp_def){.continuous = 1, .update = IMP_UPDATE_KEEP}, shortages);
}

/* A shortage after many contacts were delivered, with pieces that are cut differently afterwards:
 * rows that were delivered are skipped, also in the middle of a piece. */
static void test_shortage_late(void)
{
    made m;
    counter c = {.at = SIZE_MAX, .code = IMP_ERR_MEMORY};
    contact_list want = {0}, got = {0};
    CU_ASSERT_FATAL(made_procedural("soup", 30000, 1, 0, &m));
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu", .stage = IMP_STAGE_CANDIDATES}, &p));
    CU_ASSERT(!detect_hooked(p, &m, &c, &want));
    c.at = c.seen - 1;
    size_t launches = c.seen;
    c.seen = 0;
    CU_ASSERT(!detect_hooked(p, &m, &c, &got));
    CU_ASSERT(c.seen > launches && want.count > (size_t)1 << 18);
    CU_ASSERT(contact_list_equal(&want, &got));
    imp_destroy(p);
    made_free(&m);
    contact_list_free(&want);
    contact_list_free(&got);
}

/* ---- several pipelines at once */

typedef struct worker {
    const way *way;
    const made *m;
    const contact_list *want;
    const char *method;
    int failed;
} worker;

static void *trouble_work(void *user)
{
    worker *w = user;
    imp *p;
    w->failed = way_create(w->way, &(imp_def){.broad = w->method}, &p) != 0;
    for (int i = 0; i < 5 && !w->failed; i++) {
        contact_list got = {0};
        w->failed |= imp_detect(p, w->m->frame, w->m->frames, contact_list_sink, &got, NULL) != 0;
        w->failed |= !contact_list_equal(&got, w->want);
        contact_list_free(&got);
    }
    imp_destroy(p);
    return NULL;
}

static void test_independent(void)
{
    enum { WORKERS = 4 };
    way list[WAYS_MOST];
    size_t n = ways_find(list);
    contact_list want = {0};
    pthread_t thread[WORKERS];
    worker w[WORKERS];
    imp *p = way_pipeline(list, &(imp_def){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    const made *m = the_scene();
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, &want, NULL), 0);
    for (size_t i = 0; i < WORKERS; i++) {
        w[i] = (worker){&list[(i + 1) % n], m, &want, broad_names[i % 2], 0};
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, trouble_work, &w[i]), 0);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
        if (w[i].failed)
            way_failed(w[i].way, w[i].method, m->name, "not alone, it differs");
    }
    imp_destroy(p);
    contact_list_free(&want);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"refusal", test_refusal},
        {"refusal_limit", test_refusal_limit},
        {"refusal_cancelled", test_refusal_cancelled},
        {"set_error", test_set_error},
        {"cancel", test_trouble_cancel},
        {"cancel_thread", test_cancel_thread},
        {"fault", test_fault},
        {"fault_profile", test_fault_profile},
        {"shortage", test_shortage},
        {"shortage_late", test_shortage_late},
        {"block_before", test_block_before},
        {"steps_refusal", test_steps_refusal},
        {"steps_cancel", test_steps_cancel},
        {"steps_fault", test_steps_fault},
        {"steps_shortage", test_steps_shortage},
        {"independent", test_independent},
        {0},
    };
    int failed = test_main(argc, argv, "trouble", tests);
    made_free(&scene_made);
    made_free(&steps_made);
    return failed;
}
