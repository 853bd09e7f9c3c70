/* See device_cl_landing.h. */
#include "device_cl_landing.h"

#include "budget.h"

/* Not more than a share of the memory that is left: ordinary memory does as well. */
int cl_readback_open(cl_context context, cl_command_queue queue, mem *m, size_t bytes, readback *l)
{
    cl_int code = CL_SUCCESS;
    if (mem_left(m) / BUDGET_SPARE_SHARE < bytes || mem_reserve(m, bytes))
        return IMP_ERR_MEMORY;
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        l->at = clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                   NULL, NULL, &code);
    else
        memory = NULL;
    if (code == CL_SUCCESS) {
        l->native = memory;
        l->capacity = bytes;
        return IMP_OK;
    }
    if (memory)
        clReleaseMemObject(memory);
    l->at = NULL;
    mem_release(m, bytes);
    return IMP_ERR_MEMORY;
}

void cl_readback_close(cl_command_queue queue, mem *m, readback *l)
{
    cl_readback_end(l);
    clEnqueueUnmapMemObject(queue, l->native, l->at, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(l->native);
    mem_release(m, l->capacity);
}

/* Both queues are in order, so the first read waits for the other queue, and the last one's event
 * is that of all. */
cl_int cl_readback_begin(readback *l, cl_command_queue queue, cl_command_queue by,
                         const readout *list, size_t n)
{
    cl_event before = NULL, done = NULL;
    cl_int code = by == queue ? CL_SUCCESS : clEnqueueMarkerWithWaitList(queue, 0, NULL, &before);
    if (code == CL_SUCCESS && before)
        code = clFlush(queue);
    for (size_t i = 0; i < n && code == CL_SUCCESS; i++)
        code = clEnqueueReadBuffer(by, list[i].from->native, CL_FALSE, list[i].offset,
                                   list[i].bytes, list[i].to, before && !i,
                                   before && !i ? &before : NULL, i + 1 == n ? &done : NULL);
    if (before)
        clReleaseEvent(before);
    l->event = done;
    if (code == CL_SUCCESS)
        return clFlush(by);
    /* None may still write to memory that is freed. */
    clFinish(by);
    return code;
}

cl_int cl_readback_end(readback *l)
{
    cl_event done = l->event;
    l->event = NULL;
    if (!done)
        return CL_SUCCESS;
    const cl_int code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    return code;
}

int cl_event_done(cl_event event)
{
    cl_int status = CL_COMPLETE;
    const cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return code != CL_SUCCESS || status <= CL_COMPLETE;
}
