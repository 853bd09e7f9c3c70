/* ipc-toolkit's Python module returns pairs as a list of objects, which takes longer than finding
 * them. This hook records when the list is allocated and its length, and refuses the allocation, so
 * that the time of the C++ part alone can be measured. CPython allocates the items of a list with
 * its calloc. */
#include <stddef.h>
#include <time.h>

typedef struct allocator { /* PyMemAllocatorEx */
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
} allocator;

static allocator old;
static int armed;
static double seconds;
static size_t length;

static void *marking_calloc(void *context, size_t n, size_t size)
{
    if (!armed || size != sizeof(void *) || n < 1000) /* small, so not the result */
        return old.calloc(context, n, size);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    length = n;
    armed = 0;
    return NULL;
}

/* get and set are PyMem_GetAllocator and PyMem_SetAllocator; 1 is PYMEM_DOMAIN_MEM. */
void mark_install(void (*get)(int, allocator *), void (*set)(int, allocator *))
{
    get(1, &old);
    allocator mine = old;
    mine.calloc = marking_calloc;
    set(1, &mine);
}

void mark_arm(void)
{
    armed = 1;
    length = 0;
}

double mark_seconds(void)
{
    return seconds;
}

size_t mark_length(void)
{
    return length;
}
