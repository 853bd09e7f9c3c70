/* See fake_kernels.h. */
#define _GNU_SOURCE
#define IMP_DIALECT "dialect_fake.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "frame.cl"
#include "bound.cl"
#include "brute.cl"
#include "hash.cl"
#include "hash_search.cl"
#include "grid.cl"
#include "grid_search.cl"
#include "tiles.cl"
#include "rtree.cl"
#include "cull.cl"
#include "far.cl"
#include "narrow.cl"
#include "solid.cl"
#include "ccd.cl"
#include "distance.cl"
#include "inside.cl"
#include "scan.cl"
#include "sort.cl"
#include "merge.cl"
#include "reduce.cl"
#include "histogram.cl"
#include "compact.cl"
#include "compact_pairs.cl"
#pragma GCC diagnostic pop

#undef SEARCH_LIST /* kernels.def has another one */
#include "fake_kernels.h"

#include <pthread.h>
#include <ucontext.h>

#define ARG_AS(name)                                                                               \
    static inline name *arg_##name(const fake_arg *a)                                              \
    {                                                                                              \
        return a->data;                                                                            \
    }
ARG_AS(u8)
ARG_AS(u32)
ARG_AS(i32)
ARG_AS(u64)
ARG_AS(f32)
ARG_AS(f64)

/* ---- kernels with their arguments: stored in a struct first, since the order of evaluation of a
 * call's arguments is unspecified */

#define IN(type, name) type *name;
#define OUT(type, name) type *name;
#define VALUE(type, name) type name;
#define H(name, kind, list)
#define K(name, kind, list)                                                                        \
    typedef struct name##_given {                                                                  \
        list char end;                                                                             \
    } name##_given;
#define G(name, list) K(name, GROUP, list)
#include "kernels.def"

#define IN(type, name) given.name = arg_##type(arg++);
#define OUT(type, name) IN(type, name)
#define VALUE(type, name) given.name = (type)(arg++)->value;
#define H(name, kind, list)
#define K(name, kind, list)                                                                        \
    static name##_given given_##name(const fake_arg *arg)                                          \
    {                                                                                              \
        name##_given given;                                                                        \
        list given.end = 0;                                                                        \
        return given;                                                                              \
    }
#define G(name, list) K(name, GROUP, list)
#include "kernels.def"

/* Each argument has a preceding comma, which must be dropped for the first of a work-group kernel.
 */
typedef void run_kernel(const fake_arg *arg);
#define IN(type, name) , given.name
#define OUT(type, name) , given.name
#define VALUE(type, name) , given.name
#define H(name, kind, list)
#define K(name, kind, list)                                                                        \
    static void run_##name(const fake_arg *arg)                                                    \
    {                                                                                              \
        const name##_given given = given_##name(arg + 1);                                          \
        name((u32)arg->value list);                                                                \
    }
#define WITHOUT(none, ...) __VA_ARGS__
#define GIVEN(name, ...) name(WITHOUT(__VA_ARGS__))
#define G(name, list)                                                                              \
    static void run_##name(const fake_arg *arg)                                                    \
    {                                                                                              \
        const name##_given given = given_##name(arg);                                              \
        GIVEN(name, list);                                                                         \
    }
#include "kernels.def"

static const struct {
    run_kernel *run;
    int group;
} runs[KERNELS] = {
#define H(name, kind, list)
#define K(name, kind, list) [KERNEL_##name] = {run_##name, 0},
#define G(name, list) [KERNEL_##name] = {run_##name, 1},
#include "kernels.def"
};

/* ---- the items of a group, each run from barrier to barrier in turn */

typedef void *resume[5]; /* buffer of __builtin_setjmp */

/* A stack. The address sanitizer is notified before and after each switch of stacks. This file is
 * compiled without the thread sanitizer: tests/engine.cmake. */
typedef struct {
    const void *bottom;
    size_t size;
    void *state; /* the sanitizer's, while another stack is in use */
} fake_stack;

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define BEFORE_SWITCH(from, to)                                                                    \
    __sanitizer_start_switch_fiber(&(from)->state, (to)->bottom, (to)->size)
#define AFTER_SWITCH(from, to)                                                                     \
    __sanitizer_finish_switch_fiber((to)->state, &(from)->bottom, &(from)->size)
#else
#define BEFORE_SWITCH(from, to) ((void)(from), (void)(to))
#define AFTER_SWITCH(from, to) ((void)(from), (void)(to))
#endif

/* No sanitizer's code in functions that switch: it would unpoison the stack at each jump, which
 * takes longer than the kernels. */
#if defined __clang__
#define SWITCHES __attribute__((noinline))
#else
#define SWITCHES __attribute__((noinline, no_sanitize("address")))
#endif

#define FAKE_MOST 256
#define FAKE_STACK (64 << 10)

static pthread_mutex_t fake_turn = PTHREAD_MUTEX_INITIALIZER; /* one launch at a time */
static struct {
    resume at;
    volatile int begun, over; /* has a stack in use; has finished this group */
    fake_item number;
    ucontext_t context;
    fake_stack known;
    char stack[FAKE_STACK];
} fiber[FAKE_MOST];
static resume caller;
static fake_stack caller_known;
static const fake_arg *group_arg;
static run_kernel *group_run;
static u32 turn;

/* The jump must not be in the function that is jumped to. */
static SWITCHES void fake_jump(void **to)
{
    __builtin_longjmp(to, 1);
}

/* Switches to fake_group; returns at the item's next turn. */
static SWITCHES void fake_yield(void)
{
    BEFORE_SWITCH(&fiber[turn].known, &caller_known);
    if (!__builtin_setjmp(fiber[turn].at))
        fake_jump(caller);
    AFTER_SWITCH(&caller_known, &fiber[turn].known);
}

/* An item's function never ends: after a group it waits for the next. */
static SWITCHES void fake_body(void)
{
    AFTER_SWITCH(&caller_known, &fiber[turn].known);
    for (;;) {
        group_run(group_arg);
        fiber[turn].over = 1;
        fake_barrier();
    }
}

static SWITCHES void fake_item_begin(u32 i)
{
    fiber[i].begun = 1;
    fiber[i].known.bottom = fiber[i].stack;
    fiber[i].known.size = sizeof fiber[i].stack;
    getcontext(&fiber[i].context);
    fiber[i].context.uc_stack.ss_sp = fiber[i].stack;
    fiber[i].context.uc_stack.ss_size = sizeof fiber[i].stack;
    fiber[i].context.uc_link = NULL;
    makecontext(&fiber[i].context, fake_body, 0);
    BEFORE_SWITCH(&caller_known, &fiber[i].known);
    setcontext(&fiber[i].context);
}

static SWITCHES void fake_item_resume(u32 i)
{
    turn = i;
    fake_now = fiber[i].number;
    if (__builtin_setjmp(caller)) {
        AFTER_SWITCH(&fiber[turn].known, &caller_known);
        return;
    }
    if (!fiber[i].begun)
        fake_item_begin(i);
    BEFORE_SWITCH(&caller_known, &fiber[i].known);
    fake_jump(fiber[i].at);
}

static void (*volatile fake_resume)(u32) = fake_item_resume;

static void fake_group(u32 size, fake_item first)
{
    u32 left = size;
    for (u32 i = 0; i < size; i++) {
        fiber[i].over = 0;
        fiber[i].number = first;
        fiber[i].number.local = i;
        fiber[i].number.item = first.item + i;
    }
    while (left)
        for (u32 i = 0; i < size; i++)
            if (!fiber[i].over) {
                fake_resume(i);
                left -= (u32)fiber[i].over;
            }
}

int fake_kernel_run(enum kernel kernel, const fake_arg *arg, uint64_t first, uint64_t items,
                    uint32_t size)
{
    if (!runs[kernel].run || size > FAKE_MOST)
        return 0;
    pthread_mutex_lock(&fake_turn);
    fake_item now = {.groups = (u32)(items / size), .items = (u32)items};
    group_run = runs[kernel].run;
    group_arg = arg;
    for (; now.group < now.groups; now.group++) {
        now.item = (u32)(first + (uint64_t)now.group * size);
        if (runs[kernel].group)
            fake_group(size, now);
        for (now.local = 0; !runs[kernel].group && now.local < size; now.local++, now.item++) {
            fake_now = now;
            group_run(arg);
        }
    }
    pthread_mutex_unlock(&fake_turn);
    return 1;
}
