/* See ways.h. */
#include "ways.h"

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const broad_names[] = {
#define X(name) #name,
#include "broad.def"
#undef X
    NULL};

static way *variants_add(way *list, size_t *n, const char *number, const char *form)
{
    way *w = &list[*n];
    if (*n == WAYS_MOST) { /* further ways would silently pass */
        fprintf(stderr, "more devices than %d ways have room for\n", WAYS_MOST);
        exit(1);
    }
    *w = (way){.threads = 2};
    snprintf(w->name, sizeof w->name, "%.40s%.40s", number, form);
    snprintf(w->device, sizeof w->device, "%.15s", number);
    ++*n;
    return w;
}

/* The forms of one OpenCL device. A device that is no CPU is a GPU anyway. */
static void add_opencl(way *list, size_t *n, size_t index, const imp_device_info *info)
{
    static const struct {
        const char *text;
        uint32_t units;
        int no_fp64;
    } forms[] = {{"", 0, 0},
                 {", as a GPU of 132 units", 132, 0},
                 {", as a GPU of 4 units without float64", 4, 1}};
    char number[16];
    snprintf(number, sizeof number, "%zu", index);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        if (info->is_gpu && forms[f].units && !forms[f].no_fp64)
            continue; /* already one */
        const char *text = info->is_gpu && forms[f].no_fp64 ? ", without float64" : forms[f].text;
        way *w = variants_add(list, n, number, text);
        snprintf(w->name, sizeof w->name, "%.60s, %.60s%s", info->platform, info->name, text);
        w->opencl = 1;
        w->gpu = info->is_gpu;
        w->units = info->is_gpu ? 0 : forms[f].units;
        w->no_fp64 = forms[f].no_fp64;
    }
}

int way_keeps(const way *w)
{
    return !w->opencl;
}

way way_host(void)
{
    way one[1];
    size_t n = 0;
    variants_add(one, &n, "cpu", ", 1 thread")->threads = 1;
    return one[0];
}

/* True for one way of the host, and for the plain form and the GPU form of each OpenCL device. */
static int is_basic(const way *w)
{
    return w->threads == 1 || (w->opencl && !w->no_fp64);
}

/* Under sanitizers the other ways would show nothing new. */
static size_t keep_telling(way *list, size_t n)
{
    size_t kept = 0;
    if (!TEST_SANITIZED || test_count(1) > 1)
        return n;
    for (size_t i = 0; i < n; i++)
        if (is_basic(&list[i]) || list[i].isa == IMP_ISA_BASE)
            list[kept++] = list[i];
    return kept;
}

/* Requested by CMake where sanitizers see nothing in OpenCL that other tests do not show them. */
static int host_only(void)
{
    const char *ways = getenv("IMPINGE_WAYS");
    return ways && !strcmp(ways, "host") && test_count(1) == 1;
}

size_t ways_find(way *out)
{
    size_t n = 1;
    imp_device_info info;
    out[0] = way_host();
    variants_add(out, &n, "cpu", ", 2 threads");
    variants_add(out, &n, "cpu", ", 2 threads, base")->isa = IMP_ISA_BASE;
    if (device_cpu_has(IMP_ISA_V3))
        variants_add(out, &n, "cpu", ", 2 threads, v3")->isa = IMP_ISA_V3;
    for (size_t i = 1; !host_only() && imp_device_at(i, &info); i++)
        add_opencl(out, &n, i, &info);
    if (!out[n - 1].opencl && !host_only())
        test_partial("no OpenCL device to compare with");
    return keep_telling(out, n);
}

size_t ways_few(way *out)
{
    way all[WAYS_MOST];
    size_t n = ways_find(all), few = 0;
    for (size_t i = 0; i < n; i++)
        if (is_basic(&all[i]))
            out[few++] = all[i];
    return few;
}

/* A bare device of this way's form, open until the program ends. Later devices share its context
 * and kernels (device_cl.h), whose build takes longer than running most scenes. */
static void keep_open(const way *w)
{
    static device *kept[WAYS_MOST][2];
    static mem counted;
    const int number = atoi(w->device);
    device **mine = &kept[number % WAYS_MOST][w->units > 0];
    if (!w->opencl || number >= WAYS_MOST || *mine)
        return;
    device_def def = {
        .name = w->device, .threads = w->threads, .mem = &counted, .as_gpu = w->units};
    if (device_open(&def, mine))
        way_failed(w, NULL, "device_open", imp_error_text());
}

int way_create(const way *w, const imp_def *def, imp **out)
{
    imp_def mine = *def;
    device_def forced = {
        .as_gpu = w->units, .most = w->most, .force_no_fp64 = w->no_fp64, .isa = w->isa};
    keep_open(w);
    mine.device = w->device;
    mine.threads = w->threads;
    return engine_create(&mine, &forced, out);
}

imp *way_pipeline(const way *w, const imp_def *def)
{
    imp *p;
    if (way_create(w, def, &p))
        way_failed(w, def->broad, "imp_create", imp_error_text());
    return p;
}

device *way_open(const way *w, mem *m, atomic_int *cancel)
{
    device_def def = {.name = w->device,
                      .threads = w->threads,
                      .mem = m,
                      .cancel = cancel,
                      .as_gpu = w->units,
                      .most = w->most,
                      .force_no_fp64 = w->no_fp64,
                      .isa = w->isa};
    device *d;
    keep_open(w);
    if (device_open(&def, &d))
        way_failed(w, NULL, "device_open", imp_error_text());
    return d;
}

void way_failed(const way *w, const char *method, const char *scene, const char *what)
{
    printf("\n    %s, %s, %s: %s ", w->name, method ? method : "auto", scene, what);
    fflush(stdout);
    CU_FAIL("see above");
}

/* ---- pipelines of all devices and methods */

/* In everyday runs the first way has all methods. Each of the others has a half, or a third of them
 * if there are many ways, and in the next pipelines of the program it has others: each method has
 * each scene in several ways, and each way has each method in some scenes. */
static int is_pipe_due(size_t w, size_t method, size_t turn, int all)
{
    return !w || test_count(1) > 1 || (w + method + turn) % (all ? 3 : 2) == 0;
}

void pipes_open(pipes *s, const imp_def *def, int all)
{
    static size_t turn;
    *s = (pipes){0};
    turn++;
    s->ways = all ? ways_find(s->way) : ways_few(s->way);
    for (size_t w = 0; w < s->ways; w++)
        for (const char *const *name = broad_names; *name; name++) {
            if (!is_pipe_due(w, (size_t)(name - broad_names), turn, all))
                continue;
            imp_def mine = *def;
            mine.broad = *name;
            if (strcmp(*name, "hash") != 0)
                mine.cell = 0; /* which other methods reject */
            imp *p = way_pipeline(&s->way[w], &mine);
            CU_ASSERT_FATAL(p && s->count < WAYS_MOST * METHODS_MOST);
            CU_ASSERT_STRING_EQUAL(imp_broad_name(p), *name);
            s->list[s->count++] = (pipe){&s->way[w], *name, p};
        }
}

void pipes_close(pipes *s)
{
    for (size_t i = 0; i < s->count; i++)
        imp_destroy(s->list[i].p);
}

/* ---- hooks */

static struct hooked {
    device *d;
    const device_ops *base;
    device_ops ops;
    launch_hook *hook;
    void *user;
} hooked[4];

#define HOOKED (sizeof hooked / sizeof *hooked)

static int hooked_run(device *d, enum kernel kernel, uint64_t items, size_t group, const void *args)
{
    struct hooked *h = hooked;
    while (h->d != d)
        h++;
    /* neither is a launch */
    if (!items || device_cancelled(d))
        return h->base->run(d, kernel, items, group, args);
    int err = h->hook(h->user, kernel);
    return err ? err : h->base->run(d, kernel, items, group, args);
}

void way_hook(device *d, launch_hook *hook, void *user)
{
    static size_t next;
    struct hooked *h = &hooked[next++ % HOOKED];
    for (size_t i = 0; i < HOOKED; i++)
        if (hooked[i].d == d) /* a device that was closed */
            hooked[i].d = NULL;
    *h = (struct hooked){.d = d, .base = d->ops, .ops = *d->ops, .hook = hook, .user = user};
    h->ops.run = hooked_run;
    d->ops = &h->ops;
}

/* ---- bounds */

/* Observes the pipeline while it has its block. */
typedef struct spy {
    imp *p;
    read_bounds *out;
} spy;

static int spy_launch(void *user, enum kernel kernel)
{
    const spy *s = user;
    if (kernel != KERNEL_bound_box)
        return 0;
    memcpy(s->out->scale, s->p->workspace.bounds.normalisation.scale, sizeof s->out->scale);
    memcpy(s->out->centre, s->p->workspace.bounds.normalisation.centre, sizeof s->out->centre);
    s->out->prims = s->p->workspace.view.prims;
    return 0;
}

void read_bounds_free(read_bounds *r)
{
    free(r->box);
    free(r->slab);
    *r = (read_bounds){0};
}

int read_bounds_of(imp *p, const imp_frame *frame, size_t frames, read_bounds *out)
{
    spy s = {p, out};
    const device_ops *ops = p->context.dev64->ops;
    *out = (read_bounds){0};
    way_hook(p->context.dev64, spy_launch, &s);
    int err = imp_detect(p, frame, frames, NULL, NULL, NULL);
    p->context.dev64->ops = ops;
    if (err)
        return err;
    const prim_set *set = &p->workspace.bounds.broad;
    size_t n = out->prims, box = 6 * n;
    out->extra = p->workspace.bounds.extra;
    size_t slab = 2 * n * out->extra;
    out->box = malloc((box + 1) * sizeof *out->box);
    out->slab = malloc((slab + 1) * sizeof *out->slab);
    CU_ASSERT_FATAL(out->box && out->slab);
    if (!n)
        return 0;
    err = buffer_read(p->context.dev, &set->box, 0, out->box, box);
    return err ? err : buffer_read(p->context.dev, &set->slab, 0, out->slab, slab);
}
