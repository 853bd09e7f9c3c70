/* The drivers of this machine, started by four threads at once. That happens once in the life of a
 * process, so each attempt is a process of its own, which has not used a device before.
 *
 * The address sanitizer must leave signal stacks alone (CMakePresets.json): on some processors PoCL
 * compiles in the first thread, where LLVM then has a stack of its own, and the sanitizer unmaps
 * any such stack when the thread ends. */
#include "expect.h"
#include "testlib.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ATTEMPTS = 5 };

typedef struct starter {
    const char *name; /* imp_def.device */
    pthread_barrier_t *start;
    int bad;
} starter;

/* A machine may have no OpenCL device; then no thread may find one. */
static void *first_test_begin(void *user)
{
    starter *s = user;
    imp *p = NULL;
    pthread_barrier_wait(s->start);
    int err = imp_create(&(imp_def){.device = s->name, .threads = 1}, &p);
    s->bad = err && !(s->name && err == IMP_ERR_DEVICE) ? 2 : err ? 1 : 0;
    imp_destroy(p);
    return NULL;
}

/* Whether this machine has an OpenCL device, determined in another process with one thread. */
static int has_device(void)
{
    int status = 0;
    imp_device_info info;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(imp_device_at(1, &info));
    CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}

/* In the child: the number of threads with an unexpected outcome. bad: no device is expected. */
static int attempt(const char *name, int bad)
{
    pthread_t thread[THREADS];
    starter s[THREADS];
    pthread_barrier_t start;
    int odd = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        s[i] = (starter){.name = name, .start = &start};
        if (pthread_create(&thread[i], NULL, first_test_begin, &s[i]))
            return 99;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        odd += s[i].bad != bad;
    }
    return odd;
}

static void attempts(const char *name)
{
    const int bad = name && !has_device();
    for (int i = 0; i < ATTEMPTS; i++) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(attempt(name, bad));
        CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT(!WIFSIGNALED(status), "attempt %d: signal %d", i, WTERMSIG(status));
        EXPECT(WIFSIGNALED(status) || !WEXITSTATUS(status), "attempt %d: %d threads fail", i,
               WEXITSTATUS(status));
    }
}

static void test_first_auto(void)
{
    attempts(NULL);
}

static void test_opencl(void)
{
    attempts("opencl");
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"auto", test_first_auto},
        {"opencl", test_opencl},
        {0},
    };
    return test_main(argc, argv, "first", tests);
}
