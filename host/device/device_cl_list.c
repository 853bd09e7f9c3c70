/* OpenCL devices of this machine: listing them, describing them, choosing one by name. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "device_cl.h"
#include "device_cl_calls.h"
#include "error.h"
#include "float_env.h"
#include "gate.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void cl_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void cl_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* ---- listing */

typedef struct cl_entries {
    cl_entry *list;
    size_t count;
    cl_int code; /* error of the last platform that failed */
} cl_entries;

/* CL_PLATFORM_NOT_FOUND_KHR: the loader returns it if no platform is installed, which is not a
 * failure. */
#define NO_PLATFORM (-1001)

/* One platform that fails does not hide the devices of others. */
static int cl_list_note_failure(cl_entries *e, cl_int code)
{
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND && code != NO_PLATFORM)
        e->code = code;
    return code != CL_SUCCESS;
}

/* Adds `count` devices of a platform; a driver may list fewer than it counted. One element more
 * than needed, since realloc of 0 bytes may return NULL. */
static int cl_list_add(cl_entries *e, cl_platform_id platform, const cl_device_id *id,
                       cl_uint count)
{
    cl_entry *more = realloc(e->list, (e->count + count + 1) * sizeof *more);
    if (!more)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    e->list = more;
    for (cl_uint i = 0; i < count; i++)
        if (id[i])
            e->list[e->count++] = (cl_entry){platform, id[i]};
    return IMP_OK;
}

/* Devices may appear or disappear between two calls: the number of the second call is used, as far
 * as it fits. */
static int list_platform(cl_entries *e, cl_platform_id platform)
{
    int err = IMP_OK;
    cl_uint capacity = 0, count = 0;
    if (cl_list_note_failure(e, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &capacity)) ||
        !capacity)
        return IMP_OK;
    cl_device_id *id = calloc(capacity, sizeof *id);
    if (!id)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: a platform with %u devices", capacity);
    if (!cl_list_note_failure(e,
                              clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, capacity, id, &count)))
        err = cl_list_add(e, platform, id, count < capacity ? count : capacity);
    free(id);
    return err;
}

static int list_all(cl_entries *e)
{
    int err = IMP_OK;
    cl_uint capacity = 0, count = 0;
    if (cl_list_note_failure(e, clGetPlatformIDs(0, NULL, &capacity)) || !capacity)
        return IMP_OK;
    cl_platform_id *platform = calloc(capacity, sizeof *platform);
    if (!platform)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %u OpenCL platforms", capacity);
    if (cl_list_note_failure(e, clGetPlatformIDs(capacity, platform, &count)))
        goto out;
    for (cl_uint p = 0; p < capacity && p < count; p++)
        if (platform[p])
            TRY(list_platform(e, platform[p]));
out:
    free(platform);
    return err;
}

int cl_list(cl_entry **out, size_t *count, cl_int *code)
{
    cl_entries e = {0};
    int err = IMP_OK;
    cl_lock();
    if (!cl_load()) {
        gate_enter();
        err = list_all(&e);
        gate_leave();
    }
    cl_unlock();
    /* A partial list would give devices other numbers. */
    if (err) {
        free(e.list);
        e = (cl_entries){0};
    }
    *out = e.list;
    *count = e.count;
    *code = e.code;
    return err;
}

/* ---- describing */

/* Copies a name as one line, without blanks at its ends, as far as it fits: names are shown in
 * messages. */
static void one_line(const char *from, char *out, size_t size)
{
    size_t n = 0;
    for (; *from && n + 1 < size; from++)
        if (n || (unsigned char)*from > ' ')
            out[n++] = (char)((unsigned char)*from < ' ' ? ' ' : *from);
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = 0;
}

/* A text of a device, or its platform's name. Drivers need not end it with a NUL. */
static cl_int cl_list_text(cl_entry e, cl_device_info what, char *out, size_t size)
{
    size_t bytes = 0;
    char *text = NULL;
    int platform = what == CL_PLATFORM_NAME;
    cl_int code = platform ? clGetPlatformInfo(e.platform, what, 0, NULL, &bytes)
                           : clGetDeviceInfo(e.device, what, 0, NULL, &bytes);
    if (code == CL_SUCCESS && !(text = calloc(bytes + 1, 1)))
        code = CL_OUT_OF_HOST_MEMORY;
    if (code == CL_SUCCESS)
        code = platform ? clGetPlatformInfo(e.platform, what, bytes, text, NULL)
                        : clGetDeviceInfo(e.device, what, bytes, text, NULL);
    one_line(code == CL_SUCCESS ? text : "", out, size);
    free(text);
    return code;
}

/* A number that a device must report; 0 if it does not. */
static cl_int cl_list_number(cl_entry e, cl_device_info what, size_t size, void *out)
{
    memset(out, 0, size);
    cl_int code = clGetDeviceInfo(e.device, what, size, out, NULL);
    if (code != CL_SUCCESS)
        memset(out, 0, size);
    return code;
}

static cl_int cl_list_describe(cl_entry e, imp_device_info *out)
{
    cl_device_type type = 0;
    cl_device_fp_config fp64 = 0;
    cl_ulong memory = 0, largest = 0;
    cl_uint units = 0;
    /* Queries all properties even if one fails: `impinge devices` shows the known ones. */
    const cl_int codes[] = {
        cl_list_text(e, CL_PLATFORM_NAME, out->platform, sizeof out->platform),
        cl_list_text(e, CL_DEVICE_NAME, out->name, sizeof out->name),
        cl_list_text(e, CL_DEVICE_VERSION, out->version, sizeof out->version),
        cl_list_text(e, CL_DRIVER_VERSION, out->driver, sizeof out->driver),
        cl_list_number(e, CL_DEVICE_TYPE, sizeof type, &type),
        cl_list_number(e, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory),
        cl_list_number(e, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest),
        cl_list_number(e, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units),
    };
    /* devices of OpenCL 1.1 without float64 do not support the query */
    cl_list_number(e, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64);
    out->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    out->fp64 = fp64 != 0;
    out->memory = memory;
    out->largest_buffer = largest;
    out->compute_units = units;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] != CL_SUCCESS)
            return codes[i];
    return CL_SUCCESS;
}

cl_int cl_describe(cl_entry e, imp_device_info *out)
{
    memset(out, 0, sizeof *out);
    cl_lock();
    cl_int code = cl_list_describe(e, out);
    cl_unlock();
    if (!out->platform[0])
        snprintf(out->platform, sizeof out->platform, "unnamed");
    if (!out->name[0])
        snprintf(out->name, sizeof out->name, "unnamed");
    return code;
}

int device_cl_at(size_t index, imp_device_info *out)
{
    cl_entry *list;
    size_t n;
    cl_int code;
    if (cl_list(&list, &n, &code))
        return 0;
    int found = index < n;
    if (found)
        cl_describe(list[index],
                    out); /* missing properties are shown; opening reports the reason */
    free(list);
    return found;
}

/* ---- choosing */

/* Returns whether the text contains the part, ignoring case; strcasestr() is not in POSIX. */
static int contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == n)
            return 1;
    }
    return 0;
}

/* Matches in platform names, else in device names, else in versions: the first kind with any match
 * decides; of several matches the first one is used. */
static int cl_match(const device_def *def, const cl_entry *list, size_t n, size_t *index)
{
    for (int kind = 0; kind < 3; kind++) {
        size_t matches = 0;
        /* Backwards, so that the first match remains. */
        for (size_t i = n; i-- > 0;) {
            imp_device_info info;
            cl_describe(list[i], &info);
            if (contains(kind == 0   ? info.platform
                         : kind == 1 ? info.name
                                     : info.version,
                         def->name)) {
                matches++;
                *index = i;
            }
        }
        if (matches > 1 && def->log) {
            imp_device_info info;
            char line[512];
            cl_describe(list[*index], &info);
            snprintf(line, sizeof line, "device '%s' matches %zu devices; taking %zu: %s, %s",
                     def->name, matches, *index + 1, info.platform, info.name);
            float_to_caller();
            def->log(def->log_user, line);
            float_from_caller();
        }
        if (matches)
            return 1;
    }
    return 0;
}

static int none_found(const device_def *def, cl_int code)
{
    const char *missing = cl_load();
    if (missing)
        return imp_fail(IMP_ERR_DEVICE, "device '%s': %s", def->name, missing);
    if (code == CL_SUCCESS)
        return imp_fail(IMP_ERR_DEVICE, "device '%s': no OpenCL platform with a device was found",
                        def->name);
    return imp_fail(IMP_ERR_DEVICE,
                    "device '%s': no OpenCL device was found; a driver fails with %d", def->name,
                    (int)code);
}

/* The device's index in the list; n or more if it is not in it. */
static size_t cl_list_index(const device_def *def, const cl_entry *list, size_t n)
{
    size_t index = n;
    if (def->name[strspn(def->name, "0123456789")] == 0)
        return strtoul(def->name, NULL, 10) - 1;
    if (!strcasecmp(def->name, "opencl"))
        return 0;
    return cl_match(def, list, n, &index) ? index : n;
}

int cl_choose(const device_def *def, cl_entry *out)
{
    cl_entry *list;
    size_t n;
    cl_int code;
    int err = cl_list(&list, &n, &code);
    if (err)
        return err;
    size_t index = n ? cl_list_index(def, list, n) : 0;
    if (index < n)
        *out = list[index];
    else
        err = n ? imp_fail(IMP_ERR_DEVICE,
                           "device '%s': no such device among %zu, see 'impinge devices'",
                           def->name, n + 1)
                : none_found(def, code);
    /* Device ids stay valid without the list. */
    free(list);
    return err;
}

#define LOADER "libOpenCL.so.1"

cl_calls cl_call;

static char missing[512]; /* the reason why calls are missing; "": all exist */

static const char *const names[] = {
#define X(name) #name,
    CL_CALLS(X)
#undef X
};

#define CALLS (sizeof names / sizeof *names)

_Static_assert(sizeof cl_call == CALLS * sizeof(void *), "one pointer for each name");

static void none(void)
{
    const char *why = dlerror();
    snprintf(missing, sizeof missing, "no OpenCL loader that works is installed: %s",
             why ? why : LOADER);
}

/* Returns whether a tool loaded before the program, such as one that counts calls, defines some of
 * the calls. */
static int watched(void)
{
    for (size_t i = 0; i < CALLS; i++)
        if (dlsym(RTLD_DEFAULT, names[i]))
            return 1;
    return 0;
}

/* A tool's calls have priority, as in programs linked to a loader. It passes them on to the next
 * definition in the process, so the loader must be visible globally. Without a tool the loader is
 * local: another library of the caller may have its own. The loader is never closed, since drivers
 * have threads. */
static void cl_calls_load(void)
{
    void *loader = dlopen(LOADER, RTLD_NOW | (watched() ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!loader)
        none();
    for (size_t i = 0; i < CALLS && !*missing; i++) {
        void *call = dlsym(RTLD_DEFAULT, names[i]);
        if (!call && !(call = dlsym(loader, names[i])))
            none();
        memcpy((char *)&cl_call + i * sizeof call, &call, sizeof call);
    }
}

const char *cl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, cl_calls_load);
    return *missing ? missing : NULL;
}
