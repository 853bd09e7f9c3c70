/* The calls of OpenCL, through pointers. The library is not linked to OpenCL's loader but opens it
 * when devices are first listed, so that it also works without a loader. Sources use the names of
 * the standard. */
#ifndef IMP_DEVICE_CL_CALLS_H
#define IMP_DEVICE_CL_CALLS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* Opens the loader, once. Returns NULL, or the reason why no call may be made, as a line for
 * messages. */
const char *cl_load(void);

/* All calls in use. Each also has a line below. */
#define CL_CALLS(X)                                                                                \
    X(clBuildProgram)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateContext)                                                                             \
    X(clCreateKernel)                                                                              \
    X(clCreateProgramWithBinary)                                                                   \
    X(clCreateProgramWithSource)                                                                   \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clFinish)                                                                                    \
    X(clFlush)                                                                                     \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clGetEventInfo)                                                                              \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetProgramBuildInfo)                                                                       \
    X(clGetProgramInfo)                                                                            \
    X(clReleaseCommandQueue)                                                                       \
    X(clReleaseContext)                                                                            \
    X(clReleaseEvent)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clReleaseMemObject)                                                                          \
    X(clReleaseProgram)                                                                            \
    X(clSetKernelArg)                                                                              \
    X(clWaitForEvents)

/* members: one pointer for each call */
typedef struct cl_calls {
#define X(name) __typeof__(name) *name;
    CL_CALLS(X)
#undef X
} cl_calls;

extern cl_calls cl_call;

#define clBuildProgram cl_call.clBuildProgram
#define clCreateBuffer cl_call.clCreateBuffer
#define clCreateCommandQueue cl_call.clCreateCommandQueue
#define clCreateContext cl_call.clCreateContext
#define clCreateKernel cl_call.clCreateKernel
#define clCreateProgramWithBinary cl_call.clCreateProgramWithBinary
#define clCreateProgramWithSource cl_call.clCreateProgramWithSource
#define clEnqueueCopyBuffer cl_call.clEnqueueCopyBuffer
#define clEnqueueMapBuffer cl_call.clEnqueueMapBuffer
#define clEnqueueMarkerWithWaitList cl_call.clEnqueueMarkerWithWaitList
#define clEnqueueNDRangeKernel cl_call.clEnqueueNDRangeKernel
#define clEnqueueReadBuffer cl_call.clEnqueueReadBuffer
#define clEnqueueUnmapMemObject cl_call.clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer cl_call.clEnqueueWriteBuffer
#define clFinish cl_call.clFinish
#define clFlush cl_call.clFlush
#define clGetDeviceIDs cl_call.clGetDeviceIDs
#define clGetDeviceInfo cl_call.clGetDeviceInfo
#define clGetEventInfo cl_call.clGetEventInfo
#define clGetPlatformIDs cl_call.clGetPlatformIDs
#define clGetPlatformInfo cl_call.clGetPlatformInfo
#define clGetProgramBuildInfo cl_call.clGetProgramBuildInfo
#define clGetProgramInfo cl_call.clGetProgramInfo
#define clReleaseCommandQueue cl_call.clReleaseCommandQueue
#define clReleaseContext cl_call.clReleaseContext
#define clReleaseEvent cl_call.clReleaseEvent
#define clReleaseKernel cl_call.clReleaseKernel
#define clReleaseMemObject cl_call.clReleaseMemObject
#define clReleaseProgram cl_call.clReleaseProgram
#define clSetKernelArg cl_call.clSetKernelArg
#define clWaitForEvents cl_call.clWaitForEvents

#endif
