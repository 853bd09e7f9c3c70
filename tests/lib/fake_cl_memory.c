/* Buffers, transfers and events of the driver (fake_cl.h). */
#include "fake_cl_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
    object base;
    struct memory *next;
    void *data;
    size_t bytes;
    int mine;
} memory;

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

CL_API_ENTRY cl_mem CL_API_CALL fake_cl_create_buffer(cl_context c, cl_mem_flags flags,
                                                      size_t bytes, void *host, cl_int *out)
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
    return fake_cl_made(m, code, out);
}

CL_API_ENTRY cl_int CL_API_CALL fake_cl_release_buffer(cl_mem handle)
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_wait_for_events(cl_uint n, const cl_event *list)
{
    for (cl_uint i = 0; i < n; i++)
        fake_cl_equals(list[i], EVENT);
    return fake_cl_fault();
}

/* Reports a command as running until it is waited for: then all concurrent work is done. */
CL_API_ENTRY cl_int CL_API_CALL fake_cl_event_info(cl_event e, cl_event_info what, size_t size,
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_release_event(cl_event e)
{
    return fake_cl_release(e, EVENT);
}

CL_API_ENTRY cl_int CL_API_CALL fake_cl_flush(cl_command_queue q)
{
    fake_cl_equals(q, QUEUE);
    return fake_cl_fault();
}

CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_read(cl_command_queue q, cl_mem m, cl_bool blocking,
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_write(cl_command_queue q, cl_mem m,
                                                      cl_bool blocking, size_t offset, size_t bytes,
                                                      const void *from, cl_uint n,
                                                      const cl_event *list, cl_event *e)
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_marker(cl_command_queue q, cl_uint n,
                                                       const cl_event *list, cl_event *e)
{
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    return with_event(fake_cl_fault(), e);
}

CL_API_ENTRY void *CL_API_CALL fake_cl_enqueue_map(cl_command_queue q, cl_mem m, cl_bool blocking,
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_unmap(cl_command_queue q, cl_mem m, void *at,
                                                      cl_uint n, const cl_event *list, cl_event *e)
{
    (void)n;
    (void)list;
    fake_cl_equals(q, QUEUE);
    if (at != fake_cl_within(m, 0, 0))
        atomic_fetch_add(&fake.wrong, 1);
    return with_event(fake_cl_fault(), e);
}

CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_copy(cl_command_queue q, cl_mem from, cl_mem to,
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

CL_API_ENTRY cl_int CL_API_CALL fake_cl_finish(cl_command_queue q)
{
    fake_cl_equals(q, QUEUE);
    return fake_cl_fault();
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

void fake_cl_find_buffers(fake_kernel *k)
{
    pthread_mutex_lock(&memories_lock);
    for (size_t i = 0; i < FAKE_ARGS_MOST; i++) {
        const memory *m;
        memcpy(&m, &k->arg[i].value, sizeof m);
        const int is_memory = k->size[i] == sizeof m && *memory_find(m);
        k->arg[i].data = is_memory ? m->data : NULL;
        if (is_memory)
            touch(m);
    }
    pthread_mutex_unlock(&memories_lock);
}
