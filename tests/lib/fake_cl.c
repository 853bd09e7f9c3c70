/* See fake_cl.h. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "fake_cl_parts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

fake_cl fake = {.devices = 1, .later = -1};
static char log_path[512];
atomic_long fake_cl_launches[FAKE_DEVICES_MOST];

static const cl_icd_dispatch dispatch;
static object platform = {&dispatch, PLATFORM};
static object device_list[FAKE_DEVICES_MOST];

void *fake_cl_make(enum kind kind, size_t size)
{
    object *o = calloc(1, size);
    if (o) {
        *o = (object){&dispatch, (int)kind};
        atomic_fetch_add(&fake.alive, 1);
    }
    return o;
}

cl_int fake_cl_release(void *p, enum kind kind)
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

void fake_cl_equals(const void *p, enum kind kind)
{
    if (!p || ((const object *)p)->kind != (int)kind)
        atomic_fetch_add(&fake.wrong, 1);
}

/* ---- faults */

/* The code that the call returns: CL_SUCCESS or an injected error. Every call that can fail calls
 * this once. */
cl_int fake_cl_fault(void)
{
    long n = atomic_fetch_add(&fake.calls, 1);
    return n >= fake.fail_from && n < fake.fail_end ? fake.fail_code : CL_SUCCESS;
}

void *fake_cl_made(void *p, cl_int code, cl_int *out)
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

void fake_cl_note(const char *what)
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
    for (int d = 0; d < fake.devices && d < FAKE_DEVICES_MOST; d++) {
        snprintf(text, sizeof text, "launch%d:%ld", d, atomic_load(&fake_cl_launches[d]));
        if (atomic_load(&fake_cl_launches[d]))
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
    for (size_t i = 0; i < FAKE_DEVICES_MOST; i++)
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
    return fake_cl_made(p, code, out);
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
    return fake_cl_made(q, code, out);
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
    return fake_cl_made(code ? NULL : fake_cl_make(PROGRAM, sizeof(fake_program)), code, out);
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
    return fake_cl_made(p, bad, out);
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
    .clCreateBuffer = fake_cl_create_buffer,
    .clReleaseMemObject = fake_cl_release_buffer,
    .clCreateProgramWithSource = create_program,
    .clReleaseProgram = release_program,
    .clCreateProgramWithBinary = create_from_code,
    .clGetProgramInfo = get_program_info,
    .clBuildProgram = build_program,
    .clGetProgramBuildInfo = get_build_info,
    .clCreateKernel = fake_cl_create_kernel,
    .clReleaseKernel = release_kernel,
    .clSetKernelArg = fake_cl_set_arg,
    .clFinish = fake_cl_finish,
    .clFlush = fake_cl_flush,
    .clWaitForEvents = fake_cl_wait_for_events,
    .clReleaseEvent = fake_cl_release_event,
    .clGetEventInfo = fake_cl_event_info,
    .clEnqueueMarkerWithWaitList = fake_cl_enqueue_marker,
    .clEnqueueMapBuffer = fake_cl_enqueue_map,
    .clEnqueueUnmapMemObject = fake_cl_enqueue_unmap,
    .clEnqueueReadBuffer = fake_cl_enqueue_read,
    .clEnqueueWriteBuffer = fake_cl_enqueue_write,
    .clEnqueueCopyBuffer = fake_cl_enqueue_copy,
    .clEnqueueNDRangeKernel = fake_cl_enqueue_kernel,
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
