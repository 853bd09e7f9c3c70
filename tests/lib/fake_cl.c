/* See fake_cl.h. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "fake_cl.h"

#include "fake_kernels.h"
#include "modes.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEVICES_MOST 4096
#define FAKE_ALL (-1)
#define ARGS_MOST 32
#define APART 0 /* TRI_APART of tri.h, which has a KERNEL of its own */
#define VISIBLE __attribute__((visibility("default")))

static fake_cl fake = {.devices = 1, .later = -1};
static char log_path[512];
static atomic_long launches[DEVICES_MOST]; /* for each device */

/* ---- objects: the loader requires the table of functions first in each */

typedef struct object {
    const cl_icd_dispatch *dispatch;
    int kind;
} object;

enum kind { PLATFORM = 1, DEVICE, CONTEXT, QUEUE, PROGRAM, KERNEL, MEMORY, EVENT };

typedef struct fake_queue {
    object base;
    int launched, device;
} fake_queue;

typedef struct memory {
    object base;
    struct memory *next;
    void *data;
    size_t bytes;
    int mine;
} memory;

typedef struct fake_program {
    object base;
    int from_code;
} fake_program;

typedef struct fake_kernel {
    object base;
    enum kernel kernel;
    fake_arg arg[ARGS_MOST];
    size_t size[ARGS_MOST];
} fake_kernel;

static const cl_icd_dispatch dispatch;
static object platform = {&dispatch, PLATFORM};
static object device_list[DEVICES_MOST];

static void *fake_cl_make(enum kind kind, size_t size)
{
    object *o = calloc(1, size);
    if (o) {
        *o = (object){&dispatch, (int)kind};
        atomic_fetch_add(&fake.alive, 1);
    }
    return o;
}

static cl_int fake_cl_release(void *p, enum kind kind)
{
    object *o = p;
    if (!o || o->kind != (int)kind) {
        atomic_fetch_add(&fake.wrong, 1);
        return CL_INVALID_VALUE;
    }
    o->kind = 0;
    free(o);
    atomic_fetch_sub(&fake.alive, 1);
    return CL_SUCCESS;
}

static void fake_cl_equals(const void *p, enum kind kind)
{
    if (!p || ((const object *)p)->kind != (int)kind)
        atomic_fetch_add(&fake.wrong, 1);
}

/* ---- faults */

/* The code that the call returns: CL_SUCCESS or an injected error. Every call that can fail calls
 * this once. */
static cl_int fake_cl_fault(void)
{
    long n = atomic_fetch_add(&fake.calls, 1);
    return n >= fake.fail_from && n < fake.fail_end ? fake.fail_code : CL_SUCCESS;
}

static void *made(void *p, cl_int code, cl_int *out)
{
    if (out)
        *out = code ? code : p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return p;
}

static void doze(void)
{
    if (fake.shy)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* No two threads may be between these two at once, in a program that is careful with drivers. */
static atomic_int inside;

static void fake_cl_enter(void)
{
    if (atomic_fetch_add(&inside, 1))
        atomic_fetch_add(&fake.overlaps, 1);
    doze();
}

static void fake_cl_leave(void)
{
    atomic_fetch_sub(&inside, 1);
}

static void fake_cl_note(const char *what)
{
    FILE *f = log_path[0] ? fopen(log_path, "a") : NULL;
    if (f) {
        fprintf(f, "%ld %s\n", (long)getpid(), what);
        fclose(f);
    }
}

static int fake_cl_env_number(const char *text, const char *key, int otherwise)
{
    const char *at = strstr(text, key);
    return at ? atoi(at + strlen(key)) : otherwise;
}

/* Logs the number of launches on each device: "launch0:1234". */
__attribute__((destructor)) static void fake_end(void)
{
    char text[64];
    for (int d = 0; d < fake.devices && d < DEVICES_MOST; d++) {
        snprintf(text, sizeof text, "launch%d:%ld", d, atomic_load(&launches[d]));
        if (atomic_load(&launches[d]))
            fake_cl_note(text);
    }
}

/* Behaviour given by the name of the library's file; the library may be loaded several times. */
static void fake_cl_named(void)
{
    Dl_info self;
    const char *slash = dladdr(&fake, &self) ? strrchr(self.dli_fname, '/') : NULL;
    if (!slash)
        return;
    fake.crashes = strstr(slash, "crashes") != NULL;
    fake.hangs = strstr(slash, "hangs") != NULL;
    fake.quits = strstr(slash, "quits") != NULL;
    fake.shuns = strstr(slash, "shuns") != NULL;
}

/* "KEY=DEVICE:VALUE" */
static void fake_cl_pair(const char *text, const char *key, int *d, long *value)
{
    const char *at = strstr(text, key);
    if (at && sscanf(at + strlen(key), "%d:%ld", d, value) != 2)
        abort();
    *d += at != NULL;
}

static void of_one_device(const char *text)
{
    long microseconds = 0;
    fake.cpus = fake_cl_env_number(text, "cpus=", 0);
    fake.liar = fake_cl_env_number(text, "liar=", -1) + 1;
    fake.meets = fake_cl_env_number(text, "meets=", 0);
    fake_cl_pair(text, "breaks=", &fake.breaks, &fake.breaks_at);
    fake_cl_pair(text, "slow=", &fake.slow, &microseconds);
    fake.slow_microseconds = (int)microseconds;
}

static int count_fake(struct dl_phdr_info *of, size_t size, void *count)
{
    (void)size;
    *(int *)count += of->dlpi_name && strstr(of->dlpi_name, "fake") != NULL;
    return 0;
}

static void misbehave(void)
{
    int drivers = 0;
    dl_iterate_phdr(count_fake, &drivers);
    if (fake.crashes || (fake.shuns && drivers > 1))
        abort();
    if (fake.hangs)
        sleep(60);
    if (fake.quits)
        exit(0);
}

__attribute__((constructor)) static void fake_begin(void)
{
    const char *text = getenv("FAKE_CL"), *at;
    for (size_t i = 0; i < DEVICES_MOST; i++)
        device_list[i] = (object){&dispatch, DEVICE};
    fake_cl_named();
    if (!text)
        return;
    fake.gpu = strstr(text, "gpu") != NULL;
    fake.devices = fake_cl_env_number(text, "devices=", 1);
    fake.lies = fake_cl_env_number(text, "lies=", 0);
    fake.flushes = strstr(text, "flushes") != NULL;
    of_one_device(text);
    at = strstr(text, "log=");
    if (at)
        snprintf(log_path, sizeof log_path, "%.*s", (int)strcspn(at + 4, " "), at + 4);
    fake_cl_note("loaded");
}

VISIBLE fake_cl *fake_cl_get(void);
fake_cl *fake_cl_get(void)
{
    return &fake;
}

/* ---- platform and devices */

static cl_int fake_cl_answer(const void *data, size_t bytes, size_t size, void *out,
                             size_t *size_out)
{
    if (size_out)
        *size_out = bytes;
    if (out && size < bytes)
        return CL_INVALID_VALUE;
    if (out && bytes)
        memcpy(out, data, bytes);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size, void *out, size_t *size_out)
{
    char babble[5000];
    if (fake.unnamed)
        return fake_cl_answer("", 0, size, out, size_out);
    if (!fake.babble)
        return fake_cl_answer(text, strlen(text) + 1, size, out, size_out);
    memset(babble, 'x', sizeof babble);
    memcpy(babble, " \n fake\n", 8);
    return fake_cl_answer(babble, sizeof babble, size, out, size_out);
}

static CL_API_ENTRY cl_int CL_API_CALL get_platform_info(cl_platform_id p, cl_platform_info what,
                                                         size_t size, void *out, size_t *size_out)
{
    (void)p;
    if (what == CL_PLATFORM_EXTENSIONS) /* always answered: the loader asks for it */
        return fake_cl_answer("cl_khr_icd", 11, size, out, size_out);
    if (what == CL_PLATFORM_ICD_SUFFIX_KHR)
        return fake_cl_answer("fake", 5, size, out, size_out);
    cl_int code = fake_cl_fault();
    return code ? code : answer_text("Fake Platform", size, out, size_out);
}

static CL_API_ENTRY cl_int CL_API_CALL get_device_ids(cl_platform_id p, cl_device_type type,
                                                      cl_uint capacity, cl_device_id *out,
                                                      cl_uint *count)
{
    (void)type;
    fake_cl_equals(p, PLATFORM);
    misbehave();
    cl_int code = fake_cl_fault();
    int n = out && fake.later >= 0 ? fake.later : fake.devices;
    if (fake.shy && atomic_load(&fake.started) == 1)
        return CL_DEVICE_NOT_FOUND;
    fake_cl_enter();
    if (atomic_load(&fake.started) == 0) {
        atomic_store(&fake.started, 1);
        for (int i = 0; i < 20; i++)
            doze();
        atomic_store(&fake.started, 2);
    }
    fake_cl_leave();
    if (code || n == 0)
        return code ? code : CL_DEVICE_NOT_FOUND;
    for (int i = 0; out && i < n && i < (int)capacity; i++)
        out[i] = (cl_device_id)&device_list[i];
    if (count)
        *count = (cl_uint)n;
    return CL_SUCCESS;
}

static cl_int answer_number(cl_ulong value, size_t bytes, size_t size, void *out, size_t *size_out)
{
    return fake_cl_answer(&value, bytes, size, out, size_out); /* little-endian */
}

static int fake_cl_number_of(cl_device_id d)
{
    return (int)((object *)d - device_list);
}

static CL_API_ENTRY cl_int CL_API_CALL get_device_info(cl_device_id d, cl_device_info what,
                                                       size_t size, void *out, size_t *size_out)
{
    fake_cl_equals(d, DEVICE);
    cl_int code = fake_cl_fault();
    if (code)
        return code;
    switch (what) {
    case CL_DEVICE_NAME:
        return answer_text("Fake Device", size, out, size_out);
    case CL_DEVICE_VERSION:
        return answer_text("OpenCL 1.2 fake", size, out, size_out);
    case CL_DRIVER_VERSION:
        return answer_text("1", size, out, size_out);
    case CL_DEVICE_TYPE:
        return answer_number(fake.gpu && fake_cl_number_of(d) >= fake.cpus ? CL_DEVICE_TYPE_GPU
                                                                           : CL_DEVICE_TYPE_CPU,
                             8, size, out, size_out);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return fake.one_one ? CL_INVALID_VALUE
                            : answer_number(fake.no_fp64 ? 0 : CL_FP_FMA, 8, size, out, size_out);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return answer_number((cl_ulong)1 << 31, 8, size, out, size_out);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return answer_number(fake.no_buffers ? 0 : (cl_ulong)1 << 30, 8, size, out, size_out);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer_number(fake.no_units ? 0 : 2, 4, size, out, size_out);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return answer_number((cl_ulong)1 << 15, 8, size, out, size_out);
    case CL_DEVICE_ADDRESS_BITS:
        return answer_number(64, 4, size, out, size_out);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return answer_number(fake.no_group ? 0
                             : fake.few    ? 64
                                           : 256,
                             sizeof(size_t), size, out, size_out);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- context, queue, program */

static CL_API_ENTRY cl_context CL_API_CALL create_context(
    const cl_context_properties *properties, cl_uint n, const cl_device_id *d,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *out)
{
    (void)properties;
    (void)n;
    (void)notify;
    (void)user;
    fake_cl_equals(d[0], DEVICE);
    fake_cl_enter();
    cl_int code = fake_cl_fault();
    void *p = code ? NULL : fake_cl_make(CONTEXT, sizeof(object));
    fake_cl_leave();
    return made(p, code, out);
}

static CL_API_ENTRY cl_command_queue CL_API_CALL
create_queue(cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *out)
{
    (void)properties;
    fake_cl_equals(c, CONTEXT);
    fake_cl_equals(d, DEVICE);
    cl_int code = fake_cl_fault();
    fake_queue *q = code ? NULL : fake_cl_make(QUEUE, sizeof *q);
    if (q)
        q->device = fake_cl_number_of(d);
    return made(q, code, out);
}

static CL_API_ENTRY cl_program CL_API_CALL create_program(cl_context c, cl_uint n,
                                                          const char **text, const size_t *length,
                                                          cl_int *out)
{
    (void)n;
    (void)text;
    (void)length;
    fake_cl_equals(c, CONTEXT);
    cl_int code = fake_cl_fault();
    return made(code ? NULL : fake_cl_make(PROGRAM, sizeof(fake_program)), code, out);
}

static const char machine_code[] = "as good as machine code";

static CL_API_ENTRY cl_program CL_API_CALL create_from_code(cl_context c, cl_uint n,
                                                            const cl_device_id *d,
                                                            const size_t *size,
                                                            const unsigned char **code,
                                                            cl_int *state, cl_int *out)
{
    (void)n;
    (void)d;
    fake_cl_equals(c, CONTEXT);
    cl_int bad = fake_cl_fault();
    if (!bad && (*size != sizeof machine_code || memcmp(*code, machine_code, *size) != 0))
        bad = CL_INVALID_BINARY;
    *state = bad;
    fake_program *p = bad ? NULL : fake_cl_make(PROGRAM, sizeof *p);
    if (p)
        p->from_code = 1;
    return made(p, bad, out);
}

static CL_API_ENTRY cl_int CL_API_CALL get_program_info(cl_program p, cl_program_info what,
                                                        size_t size, void *out, size_t *size_out)
{
    static const size_t code_size = sizeof machine_code;
    fake_cl_equals(p, PROGRAM);
    cl_int code = fake_cl_fault();
    if (code || what != CL_PROGRAM_BINARIES)
        return code ? code : fake_cl_answer(&code_size, sizeof code_size, size, out, size_out);
    memcpy(*(unsigned char **)out, machine_code, sizeof machine_code);
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL build_program(cl_program p, cl_uint n, const cl_device_id *d,
                                                     const char *options,
                                                     void(CL_CALLBACK *notify)(cl_program, void *),
                                                     void *user)
{
    (void)n;
    (void)d;
    (void)notify;
    (void)user;
    fake_cl_equals(p, PROGRAM);
    fake_cl_enter();
    cl_int code = fake_cl_fault();
    const int from_code = ((fake_program *)p)->from_code;
    atomic_fetch_add(from_code ? &fake.loads : &fake.builds, 1);
    fake_cl_note("build");
    if (!strstr(options, "-w")) /* like PoCL's compiler when it has warnings */
        fprintf(stderr, "7 warnings generated.\n");
    sleep(from_code ? 0 : (unsigned)fake.seconds);
    fake_cl_leave();
    return code;
}

static CL_API_ENTRY cl_int CL_API_CALL get_build_info(cl_program p, cl_device_id d,
                                                      cl_program_build_info what, size_t size,
                                                      void *out, size_t *size_out)
{
    static const char text[] = "a line\nfake.cl:1: error: made up\nmore";
    (void)d;
    (void)what;
    fake_cl_equals(p, PROGRAM);
    cl_int code = fake_cl_fault();
    return code ? code : fake_cl_answer(text, sizeof text - 1, size, out, size_out);
}

/* ---- buffers */

/* All buffers: the value of an argument may be one, or a number of as many bytes. */
static memory *memories;
static pthread_mutex_t memories_lock = PTHREAD_MUTEX_INITIALIZER;

static memory **memory_find(const void *m)
{
    memory **at = &memories;
    while (*at && *at != m)
        at = &(*at)->next;
    return at;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context c, cl_mem_flags flags, size_t bytes,
                                                     void *host, cl_int *out)
{
    fake_cl_equals(c, CONTEXT);
    cl_int code = fake_cl_fault();
    memory *m = code ? NULL : fake_cl_make(MEMORY, sizeof *m);
    if (m) {
        m->mine = !(flags & CL_MEM_USE_HOST_PTR);
        m->data = m->mine ? malloc(bytes) : host;
        m->bytes = bytes;
        pthread_mutex_lock(&memories_lock);
        m->next = memories;
        memories = m;
        pthread_mutex_unlock(&memories_lock);
    }
    return made(m, code, out);
}

static CL_API_ENTRY cl_int CL_API_CALL release_buffer(cl_mem handle)
{
    memory *m = (memory *)handle;
    fake_cl_equals(m, MEMORY);
    pthread_mutex_lock(&memories_lock);
    memory **at = memory_find(m);
    if (*at)
        *at = m->next;
    pthread_mutex_unlock(&memories_lock);
    if (m->mine)
        free(m->data);
    return fake_cl_release(m, MEMORY);
}

/* the bytes [offset, offset + bytes) of a buffer */
static char *fake_cl_within(cl_mem handle, size_t offset, size_t bytes)
{
    memory *m = (memory *)handle;
    fake_cl_equals(m, MEMORY);
    if (offset + bytes > m->bytes)
        atomic_fetch_add(&fake.wrong, 1);
    return (char *)m->data + offset;
}

/* Returns an event of a completed command, if the caller requests one. */
static cl_int with_event(cl_int code, cl_event *e)
{
    object *o = code || !e ? NULL : fake_cl_make(EVENT, sizeof *o);
    if (o)
        *e = (cl_event)o;
    return code;
}

static CL_API_ENTRY cl_int CL_API_CALL wait_for_events(cl_uint n, const cl_event *list)
{
    for (cl_uint i = 0; i < n; i++)
        fake_cl_equals(list[i], EVENT);
    return fake_cl_fault();
}

/* Reports a command as running until it is waited for: then all concurrent work is done. */
static CL_API_ENTRY cl_int CL_API_CALL event_info(cl_event e, cl_event_info what, size_t size,
                                                  void *value, size_t *needed)
{
    const cl_int status = CL_RUNNING;
    (void)needed;
    fake_cl_equals(e, EVENT);
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS || size != sizeof status)
        return CL_INVALID_VALUE;
    memcpy(value, &status, sizeof status);
    return fake_cl_fault();
}

static CL_API_ENTRY cl_int CL_API_CALL release_event(cl_event e)
{
    return fake_cl_release(e, EVENT);
}

static CL_API_ENTRY cl_int CL_API_CALL fake_cl_flush(cl_command_queue q)
{
    fake_cl_equals(q, QUEUE);
    return fake_cl_fault();
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue_read(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                    size_t offset, size_t bytes, void *to,
                                                    cl_uint n, const cl_event *list, cl_event *e)
{
    (void)blocking;
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    cl_int code = fake_cl_fault();
    if (!code)
        memcpy(to, fake_cl_within(m, offset, bytes), bytes);
    return with_event(code, e);
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue_write(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                     size_t offset, size_t bytes, const void *from,
                                                     cl_uint n, const cl_event *list, cl_event *e)
{
    (void)blocking;
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    cl_int code = fake_cl_fault();
    if (!code)
        memcpy(fake_cl_within(m, offset, bytes), from, bytes);
    atomic_fetch_add(&fake.written, (long)bytes);
    atomic_fetch_add(&fake.beside, ((fake_queue *)q)->launched ? 0 : (long)bytes);
    return with_event(code, e);
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue_marker(cl_command_queue q, cl_uint n,
                                                      const cl_event *list, cl_event *e)
{
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    return with_event(fake_cl_fault(), e);
}

static CL_API_ENTRY void *CL_API_CALL enqueue_map(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t bytes,
                                                  cl_uint n, const cl_event *list, cl_event *e,
                                                  cl_int *out)
{
    (void)blocking;
    (void)flags;
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    *out = with_event(fake_cl_fault(), e);
    return *out ? NULL : fake_cl_within(m, offset, bytes);
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue_unmap(cl_command_queue q, cl_mem m, void *at,
                                                     cl_uint n, const cl_event *list, cl_event *e)
{
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    if (at != fake_cl_within(m, 0, 0))
        atomic_fetch_add(&fake.wrong, 1);
    return with_event(fake_cl_fault(), e);
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue_copy(cl_command_queue q, cl_mem from, cl_mem to,
                                                    size_t from_offset, size_t to_offset,
                                                    size_t bytes, cl_uint n, const cl_event *list,
                                                    cl_event *e)
{
    (void)n;
    (void)list;
    (void)e;
    fake_cl_equals(q, QUEUE);
    cl_int code = fake_cl_fault();
    if (!code)
        memcpy(fake_cl_within(to, to_offset, bytes), fake_cl_within(from, from_offset, bytes),
               bytes);
    return code;
}

/* ---- kernels */

static const char *const kernel_names[KERNELS] = {
#define K(name, kind, list) #name,
#define G(name, list) #name,
#include "kernels.def"
};

static CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program p, const char *name, cl_int *out)
{
    fake_cl_equals(p, PROGRAM);
    cl_int code = fake_cl_fault();
    int k = 0;
    while (k < KERNELS && strcmp(kernel_names[k], name))
        k++;
    if (!code && k == KERNELS)
        code = CL_INVALID_KERNEL_NAME;
    fake_kernel *made_one = code ? NULL : fake_cl_make(KERNEL, sizeof *made_one);
    if (made_one)
        made_one->kernel = (enum kernel)k;
    return made(made_one, code, out);
}

static CL_API_ENTRY cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint i, size_t size,
                                               const void *value)
{
    fake_kernel *k = (fake_kernel *)kernel;
    fake_cl_equals(k, KERNEL);
    cl_int code = fake_cl_fault();
    if (code)
        return code;
    if (i >= ARGS_MOST)
        return CL_INVALID_ARG_INDEX;
    k->arg[i].value = 0;
    k->size[i] = size;
    memcpy(&k->arg[i].value, value, size);
    return CL_SUCCESS;
}

/* Sets the verdicts of all pairs of these items to apart. For triangles and solids the output is a
 * list of near pairs; for moving features verdicts are the last argument. */
static void lie(fake_kernel *k, uint32_t begin, uint32_t end)
{
    size_t i = ARGS_MOST - 1;
    while (i && !k->arg[i].data)
        i--;
    memset((char *)k->arg[i].data + begin, APART, end - begin);
}

static int lies_now(const fake_kernel *k, int d, size_t items)
{
    const int liar = !fake.liar || fake.liar == d + 1;
    const int question = k->kernel == KERNEL_far_triangles_group ||
                         k->kernel == KERNEL_far_adjacent_group ||
                         k->kernel == KERNEL_far_solids_group || k->kernel == KERNEL_ccd_first;
    return liar && fake.lies && items >= (size_t)fake.lies && question;
}

static int all_there(void)
{
    int there = 1;
    for (int d = 0; d < fake.devices; d++)
        there &= atomic_load(&launches[d]) > fake.meets;
    return there;
}

/* Waits until each device has reached that launch. */
static void fake_cl_barrier(void)
{
    int i = 0;
    for (; i < 300000 && !all_there(); i++)
        usleep(200);
    if (i == 300000)
        fake_cl_note("alone");
}

/* Applies the faults of one device; returns CL_SUCCESS, or the error of the launch. */
static cl_int launch(int d, size_t offset)
{
    const long n = offset ? atomic_load(&launches[d]) - 1 : atomic_fetch_add(&launches[d], 1);
    if (d + 1 == fake.slow)
        usleep((unsigned)fake.slow_microseconds);
    if (!offset && fake.meets && n == fake.meets)
        fake_cl_barrier();
    const int breaks = fake.breaks == d + 1 || fake.breaks == FAKE_ALL;
    return breaks && n >= fake.breaks_at ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
}

static int fake_cl_work(fake_kernel *k, int d, size_t first, size_t items, size_t size)
{
    const int lies = lies_now(k, d, items);
    if (lies && k->kernel != KERNEL_ccd_first)
        return 1; /* no pair is near */
    if (fake.flushes)
        mode_set(mode_named("flush"));
    const int done = fake_kernel_run(k->kernel, k->arg, first, items, (uint32_t)size);
    if (fake.flushes)
        mode_set(modes);
    const size_t n = (uint32_t)k->arg[0].value, end = first + items < n ? first + items : n;
    if (lies && first < end)
        lie(k, (uint32_t)first, (uint32_t)end);
    return done;
}

/* Kernels are compiled without the thread sanitizer, so each launch declares its accesses: it reads
 * buffers in the host's memory, and writes those of the device. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define TOUCHED 1
void __tsan_read_range(void *data, unsigned long bytes);
void __tsan_write_range(void *data, unsigned long bytes);
#endif
#endif
static void touch(const memory *m)
{
#ifdef TOUCHED
    (m->mine ? __tsan_write_range : __tsan_read_range)(m->data, m->bytes);
#else
    (void)m;
#endif
}

/* All work is done synchronously, in this thread. */
static CL_API_ENTRY cl_int CL_API_CALL enqueue_kernel(cl_command_queue q, cl_kernel kernel,
                                                      cl_uint dimensions, const size_t *offset,
                                                      const size_t *global, const size_t *local,
                                                      cl_uint n, const cl_event *list, cl_event *e)
{
    (void)dimensions;
    (void)n;
    (void)list;
    (void)e;
    fake_kernel *k = (fake_kernel *)kernel;
    fake_cl_equals(q, QUEUE);
    fake_cl_equals(k, KERNEL);
    ((fake_queue *)q)->launched = 1;
    cl_int code = fake_cl_fault();
    const int d = ((fake_queue *)q)->device;
    code = code ? code : launch(d, *offset);
    if (code)
        return code;
    if (!*local || *global % *local)
        return CL_INVALID_WORK_GROUP_SIZE;
    pthread_mutex_lock(&memories_lock);
    for (size_t i = 0; i < ARGS_MOST; i++) {
        const memory *m;
        memcpy(&m, &k->arg[i].value, sizeof m);
        const int is_memory = k->size[i] == sizeof m && *memory_find(m);
        k->arg[i].data = is_memory ? m->data : NULL;
        if (is_memory)
            touch(m);
    }
    pthread_mutex_unlock(&memories_lock);
    return fake_cl_work(k, d, *offset, *global, *local) ? CL_SUCCESS : CL_INVALID_KERNEL;
}

static CL_API_ENTRY cl_int CL_API_CALL fake_cl_finish(cl_command_queue q)
{
    fake_cl_equals(q, QUEUE);
    return fake_cl_fault();
}

/* ---- releasing objects; calls that stop a driver count like those that start it */

#define RELEASE(name, type, kind)                                                                  \
    static CL_API_ENTRY cl_int CL_API_CALL name(type p)                                            \
    {                                                                                              \
        fake_cl_enter();                                                                           \
        cl_int code = fake_cl_release(p, kind);                                                    \
        fake_cl_leave();                                                                           \
        return code;                                                                               \
    }
RELEASE(release_context, cl_context, CONTEXT)
RELEASE(release_queue, cl_command_queue, QUEUE)
RELEASE(release_program, cl_program, PROGRAM)
RELEASE(release_kernel, cl_kernel, KERNEL)

/* ---- entry point for the loader */

static const cl_icd_dispatch dispatch = {
    .clGetPlatformInfo = get_platform_info,
    .clGetDeviceIDs = get_device_ids,
    .clGetDeviceInfo = get_device_info,
    .clCreateContext = create_context,
    .clReleaseContext = release_context,
    .clCreateCommandQueue = create_queue,
    .clReleaseCommandQueue = release_queue,
    .clCreateBuffer = create_buffer,
    .clReleaseMemObject = release_buffer,
    .clCreateProgramWithSource = create_program,
    .clReleaseProgram = release_program,
    .clCreateProgramWithBinary = create_from_code,
    .clGetProgramInfo = get_program_info,
    .clBuildProgram = build_program,
    .clGetProgramBuildInfo = get_build_info,
    .clCreateKernel = create_kernel,
    .clReleaseKernel = release_kernel,
    .clSetKernelArg = set_arg,
    .clFinish = fake_cl_finish,
    .clFlush = fake_cl_flush,
    .clWaitForEvents = wait_for_events,
    .clReleaseEvent = release_event,
    .clGetEventInfo = event_info,
    .clEnqueueMarkerWithWaitList = enqueue_marker,
    .clEnqueueMapBuffer = enqueue_map,
    .clEnqueueUnmapMemObject = enqueue_unmap,
    .clEnqueueReadBuffer = enqueue_read,
    .clEnqueueWriteBuffer = enqueue_write,
    .clEnqueueCopyBuffer = enqueue_copy,
    .clEnqueueNDRangeKernel = enqueue_kernel,
};

VISIBLE CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint capacity,
                                                               cl_platform_id *out, cl_uint *count)
{
    if (out && capacity)
        out[0] = (cl_platform_id)&platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

VISIBLE CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info what,
                                                          size_t size, void *out, size_t *size_out)
{
    return get_platform_info(p, what, size, out, size_out);
}

VISIBLE CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    cl_int(CL_API_CALL * ids)(cl_uint, cl_platform_id *, cl_uint *) = clIcdGetPlatformIDsKHR;
    void *out = NULL;
    if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
        memcpy(&out, &ids, sizeof out);
    return out;
}
