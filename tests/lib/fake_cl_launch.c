/* Kernels of the driver (fake_cl.h): arguments, launches, and what goes wrong there. */
#define _GNU_SOURCE /* usleep */
#include "fake_cl_parts.h"

#include "modes.h"

#include <string.h>
#include <unistd.h>

#define FAKE_ALL (-1)
#define APART 0 /* TRI_APART of tri.h, which has a KERNEL of its own */

static const char *const kernel_names[KERNELS] = {
#define K(name, kind, list) #name,
#define G(name, list) #name,
#include "kernels.def"
};

CL_API_ENTRY cl_kernel CL_API_CALL fake_cl_create_kernel(cl_program p, const char *name,
                                                         cl_int *out)
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
    return fake_cl_made(made_one, code, out);
}

CL_API_ENTRY cl_int CL_API_CALL fake_cl_set_arg(cl_kernel kernel, cl_uint i, size_t size,
                                                const void *value)
{
    fake_kernel *k = (fake_kernel *)kernel;
    fake_cl_equals(k, KERNEL);
    cl_int code = fake_cl_fault();
    if (code)
        return code;
    if (i >= FAKE_ARGS_MOST)
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
    size_t i = FAKE_ARGS_MOST - 1;
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
        there &= atomic_load(&fake_cl_launches[d]) > fake.meets;
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
    const long n =
        offset ? atomic_load(&fake_cl_launches[d]) - 1 : atomic_fetch_add(&fake_cl_launches[d], 1);
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

/* All work is done synchronously, in this thread. */
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_kernel(cl_command_queue q, cl_kernel kernel,
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
    fake_cl_find_buffers(k);
    return fake_cl_work(k, d, *offset, *global, *local) ? CL_SUCCESS : CL_INVALID_KERNEL;
}
