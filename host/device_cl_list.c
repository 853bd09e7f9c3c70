/* OpenCL devices of this machine: listing them, describing them, choosing one by name. */
#include "device_cl.h"

#include "error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All devices of all platforms, in the loader's order. *out is malloc'ed; a machine without
 * OpenCL has 0 devices. */
int cl_list(cl_entry **out, size_t *count)
{
    cl_uint platforms = 0, devices = 0;
    size_t n = 0;
    cl_entry *list = NULL;
    *out = NULL;
    *count = 0;
    if (clGetPlatformIDs(0, NULL, &platforms) != CL_SUCCESS || !platforms)
        return IMP_OK;
    cl_platform_id *platform = calloc(platforms, sizeof *platform);
    if (!platform)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    clGetPlatformIDs(platforms, platform, NULL);
    int err = IMP_OK;
    for (cl_uint p = 0; p < platforms && !err; p++) {
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) != CL_SUCCESS)
            continue;
        cl_entry *more = realloc(list, (n + devices) * sizeof *list);
        cl_device_id *id = calloc(devices ? devices : 1, sizeof *id);
        if (more)
            list = more;
        if (!more || !id)
            err = imp_fail(IMP_ERR_MEMORY, "out of memory");
        else if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, devices, id, NULL) == CL_SUCCESS)
            for (cl_uint i = 0; i < devices; i++)
                list[n++] = (cl_entry){platform[p], id[i]};
        free(id);
    }
    free(platform);
    if (err)
        free(list);
    else {
        *out = list;
        *count = n;
    }
    return err;
}

static void device_text(cl_device_id d, cl_device_info what, char *out, size_t size)
{
    char text[1024] = "";
    clGetDeviceInfo(d, what, sizeof text - 1, text, NULL);
    char *from = text + strspn(text, " ");
    snprintf(out, size, "%.*s", (int)size - 1, from);
    for (size_t n = strlen(out); n && out[n - 1] == ' '; n--)
        out[n - 1] = 0;
}

void cl_describe(cl_entry e, imp_device_info *out)
{
    memset(out, 0, sizeof *out);
    cl_device_type type = 0;
    cl_device_fp_config fp64 = 0;
    cl_ulong memory = 0, largest = 0;
    cl_uint units = 0;
    char platform[1024] = "";
    clGetPlatformInfo(e.platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    snprintf(out->platform, sizeof out->platform, "%.*s", (int)sizeof out->platform - 1, platform);
    device_text(e.device, CL_DEVICE_NAME, out->name, sizeof out->name);
    device_text(e.device, CL_DEVICE_VERSION, out->version, sizeof out->version);
    device_text(e.device, CL_DRIVER_VERSION, out->driver, sizeof out->driver);
    clGetDeviceInfo(e.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(e.device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    clGetDeviceInfo(e.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    clGetDeviceInfo(e.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    clGetDeviceInfo(e.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    out->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    out->fp64 = fp64 != 0;
    out->memory = memory;
    out->largest_buffer = largest;
    out->units = units;
}

int device_cl_at(size_t index, imp_device_info *out)
{
    cl_entry *list;
    size_t n;
    if (cl_list(&list, &n))
        return 0;
    int found = index < n;
    if (found)
        cl_describe(list[index], out);
    free(list);
    return found;
}

/* does text contain part, in any case? */
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

/* Matches in platform names, else in device names, else in versions: the first kind that matches
 * anything decides; of several matches the first is taken. */
static int cl_match(const device_def *def, const cl_entry *list, size_t n, size_t *index)
{
    for (int kind = 0; kind < 3; kind++) {
        size_t matches = 0;
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
            def->log(def->log_user, line);
        }
        if (matches)
            return 1;
    }
    return 0;
}

int cl_choose(const device_def *def, cl_entry *out)
{
    cl_entry *list;
    size_t n, index = 0;
    int err = cl_list(&list, &n);
    if (err)
        return err;
    int number = def->name[strspn(def->name, "0123456789")] == 0;
    if (!n)
        err = imp_fail(IMP_ERR_DEVICE, "device '%s': no OpenCL platform with a device was found",
                       def->name);
    else if (number)
        index = strtoul(def->name, NULL, 10) - 1;
    else if (!(def->name[0] && contains("opencl", def->name) && strlen(def->name) == 6) &&
             !cl_match(def, list, n, &index))
        index = n;
    if (list && index < n)
        *out = list[index];
    else if (!err)
        err =
            imp_fail(IMP_ERR_DEVICE, "device '%s': no such device among %zu, see 'impinge devices'",
                     def->name, n + 1);
    free(list);
    return err;
}
