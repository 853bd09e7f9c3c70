/* See drivers.h. */
#define _GNU_SOURCE
#include "drivers.h"

#include "cli.h"
#include "clock.h"
#include "gate.h"
#include "impinge.h"

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void drivers_print_line(void *user, const char *line)
{
    (void)user;
    cli_line(stderr, "impinge: warning: %s", line);
}

/* One for the process: its loader reads the drivers once. */
static struct {
    driver_list drivers;
    char *folder, *vendors; /* exists while the loader reads it; the user's OCL_ICD_VENDORS */
    drivers_log_line *log_line;
    void *user;
} guard = {.log_line = drivers_print_line};

/* ---- testing */

/* Tests each driver by itself, all at the same time. */
static void drivers_test_alone(driver_list *d, char *wanted, driver_verdict *verdict)
{
    char **folder = calloc(d->count, sizeof *folder);
    int made = folder != NULL;
    for (size_t i = 0; made && i < d->count; i++) {
        memset(wanted, 0, d->count);
        wanted[i] = 1;
        folder[i] = driver_folder(d, wanted);
        made = folder[i] != NULL;
    }
    if (made)
        driver_test(folder, d->count, verdict);
    for (size_t i = 0; i < d->count; i++) {
        if (made)
            d->list[i].verdict = verdict[i];
        if (folder)
            driver_folder_remove(d, folder[i]);
    }
    free(folder);
}

static driver_verdict drivers_test_together(driver_list *d, const char *wanted)
{
    driver_verdict verdict = {DRIVER_UNTESTED, 0, 0};
    char *folder = driver_folder(d, wanted);
    if (folder)
        driver_test(&folder, 1, &verdict);
    driver_folder_remove(d, folder);
    verdict.together = 1;
    return verdict;
}

/* Adds drivers one at a time to those that are sound together; leaves out those that fail. */
static void drivers_test_one_more(driver_list *d, char *wanted)
{
    size_t joined = 0;
    memset(wanted, 0, d->count);
    for (size_t i = 0; i < d->count; i++) {
        if (d->list[i].verdict.end != DRIVER_SOUND)
            continue;
        wanted[i] = 1;
        if (!joined++)
            continue;
        const driver_verdict verdict = drivers_test_together(d, wanted);
        if (verdict.end == DRIVER_SOUND || verdict.end == DRIVER_UNTESTED)
            continue;
        d->list[i].verdict = verdict;
        wanted[i] = 0;
    }
}

/* Finds the drivers that make the whole set fail. */
static void drivers_test_which(driver_list *d)
{
    char *wanted = calloc(d->count, 1);
    driver_verdict *verdict = calloc(d->count, sizeof *verdict);
    if (wanted && verdict) {
        drivers_test_alone(d, wanted, verdict);
        drivers_test_one_more(d, wanted);
    }
    free(wanted);
    free(verdict);
}

/* Tests all drivers in one process first, as the program would load them. */
static void drivers_test(driver_list *d)
{
    char *const as_it_is = NULL;
    driver_verdict all;
    sigset_t was;
    driver_block_signals(&was);
    driver_test(&as_it_is, 1, &all);
    if (d->count == 1)
        d->list->verdict = all;
    else if (all.end != DRIVER_SOUND)
        drivers_test_which(d);
    driver_restore_signals(&was);
}

/* ---- leaving drivers out */

static const char *drivers_reason(const driver *d)
{
    static char text[200];
    const driver_verdict *a = &d->verdict;
    const char *how = a->together ? "with other drivers in one process " : "";
    if (a->end == DRIVER_CRASHED)
        snprintf(text, sizeof text, "%sit crashed with signal %d (%s)", how, a->number,
                 strsignal(a->number));
    else if (a->end == DRIVER_TIMED_OUT)
        snprintf(text, sizeof text, "%sit did not answer within %d s", how, a->number);
    else
        snprintf(text, sizeof text, "%sit answered wrongly: asked for its devices it exits with %d",
                 how, a->number);
    return text;
}

static void drivers_log(const driver *d)
{
    const char *why = drivers_reason(d);
    const size_t size = strlen(d->name) + strlen(why) + 100;
    char *line = malloc(size);
    if (line && guard.log_line) {
        snprintf(line, size, "OpenCL driver %s is left out: %s", d->name, why);
        guard.log_line(guard.user, line);
    }
    free(line);
}

/* If no folder can be created, the loader gets no driver: OpenCL is not worth a crash. */
static void drivers_exclude(driver_list *d)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    char *wanted = calloc(d->count, 1);
    for (size_t i = 0; i < d->count; i++)
        if (driver_is_excluded(&d->list[i]))
            drivers_log(&d->list[i]);
        else if (wanted)
            wanted[i] = 1;
    guard.vendors = vendors ? strdup(vendors) : NULL;
    guard.folder = wanted ? driver_folder(d, wanted) : NULL;
    setenv("OCL_ICD_VENDORS", guard.folder ? guard.folder : "/dev/null", 1);
    free(wanted);
}

static size_t drivers_count_excluded(const driver_list *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += driver_is_excluded(&d->list[i]) != 0;
    return count;
}

static void drivers_before_opencl(void)
{
    driver_list *d = &guard.drivers;
    if (!driver_list_open(d))
        return;
    drivers_test(d);
    if (drivers_count_excluded(d))
        drivers_exclude(d);
}

/* Restores the user's environment for processes that drivers start. */
static void drivers_after_opencl(void)
{
    driver_list *d = &guard.drivers;
    if (!drivers_count_excluded(d))
        return;
    if (guard.vendors)
        setenv("OCL_ICD_VENDORS", guard.vendors, 1);
    else
        unsetenv("OCL_ICD_VENDORS");
    driver_folder_remove(d, guard.folder);
    free(guard.vendors);
    guard.folder = guard.vendors = NULL;
}

/* ---- the interface */

static void drivers_free(void)
{
    driver_list_close(&guard.drivers);
}

void drivers_guard(void)
{
    gate_set(&(gate){drivers_before_opencl, drivers_after_opencl});
    atexit(drivers_free);
}

void drivers_set_log(drivers_log_line *log_line, void *user)
{
    guard.log_line = log_line;
    guard.user = user;
}

int drivers_excluded_at(size_t i, const char **name, const char **why)
{
    const driver_list *d = &guard.drivers;
    for (size_t k = 0; k < d->count; k++)
        if (driver_is_excluded(&d->list[k]) && i-- == 0) {
            *name = d->list[k].name;
            *why = drivers_reason(&d->list[k]);
            return 1;
        }
    return 0;
}

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The exit code of a process that has listed all devices: a code that a driver is unlikely to exit
 * with. */
#define LISTED 77

#define PAUSE_NS 2000000
#define SECONDS_MOST 600

/* ---- the child process */

/* The process ends soon after its time limit even if nobody waits for it any more: a driver that
 * hangs must not outlive the program. It leaves through exit(), since drivers crash there, too. */
int driver_child(int argc, char **argv)
{
    imp_device_info d;
    const struct rlimit none = {0, 0};
    alarm(argc > 2 ? (unsigned)atoi(argv[2]) + 1 : DRIVER_SECONDS + 1);
    setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    for (size_t i = 1; imp_device_at(i, &d); i++)
        ;
    return LISTED;
}

/* ---- the parent process */

typedef struct child {
    pid_t pid; /* 0: it has ended, or was not started */
    int status;
} child;

static int seconds_allowed(void)
{
    const char *text = getenv(DRIVER_SECONDS_WORD);
    char *end;
    const long n = text ? strtol(text, &end, 10) : 0;
    return n >= 1 && n <= SECONDS_MOST && !*end ? (int)n : DRIVER_SECONDS;
}

/* Its output is discarded: the answer is its exit code. */
static int driver_test_start_child(const char *folder, char *seconds, child *out)
{
    char program[] = "impinge", word[] = DRIVER_CHILD;
    char *const argv[] = {program, word, seconds, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t plan;
    sigset_t none;
    sigemptyset(&none);
    if (folder)
        setenv("OCL_ICD_VENDORS", folder, 1);
    if (posix_spawn_file_actions_init(&files))
        return 0;
    if (posix_spawnattr_init(&plan)) {
        posix_spawn_file_actions_destroy(&files);
        return 0;
    }
    int bad = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 2 /* O_RDWR */, 0) ||
              posix_spawn_file_actions_adddup2(&files, 0, 1) ||
              posix_spawn_file_actions_adddup2(&files, 0, 2) ||
              posix_spawnattr_setsigmask(&plan, &none) ||
              posix_spawnattr_setflags(&plan, POSIX_SPAWN_SETSIGMASK) ||
              posix_spawn(&out->pid, "/proc/self/exe", &files, &plan, argv, environ);
    posix_spawnattr_destroy(&plan);
    posix_spawn_file_actions_destroy(&files);
    if (bad)
        out->pid = 0;
    return !bad;
}

/* Collects the processes that have ended; returns how many have not. */
static size_t reap(child *list, size_t count, int options)
{
    size_t running = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].pid > 0 && waitpid(list[i].pid, &list[i].status, options) == list[i].pid)
            list[i].pid = 0;
        running += list[i].pid > 0;
    }
    return running;
}

static void endings(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGINT);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGHUP);
}

static int is_ending(void)
{
    sigset_t pending;
    return !sigpending(&pending) &&
           (sigismember(&pending, SIGINT) > 0 || sigismember(&pending, SIGTERM) > 0 ||
            sigismember(&pending, SIGHUP) > 0);
}

void driver_block_signals(sigset_t *was)
{
    sigset_t held;
    endings(&held);
    pthread_sigmask(SIG_BLOCK, &held, was);
}

void driver_restore_signals(const sigset_t *was)
{
    pthread_sigmask(SIG_SETMASK, was, NULL);
}

/* A signal that ends the program also ends the waiting. */
static void wait_all(child *list, size_t count, int seconds)
{
    const double end = clock_seconds() + seconds;
    while (reap(list, count, WNOHANG) && clock_seconds() < end && !is_ending())
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static driver_verdict driver_test_verdict(int status)
{
    if (WIFSIGNALED(status))
        return (driver_verdict){DRIVER_CRASHED, WTERMSIG(status), 0};
    const int code = WEXITSTATUS(status);
    return code == LISTED ? (driver_verdict){DRIVER_SOUND, 0, 0}
                          : (driver_verdict){DRIVER_WRONG_EXIT, code, 0};
}

static void driver_test_all(child *list, char *const *folder, size_t count, driver_verdict *out)
{
    const int seconds = seconds_allowed();
    char text[16];
    snprintf(text, sizeof text, "%d", seconds);
    for (size_t i = 0; i < count; i++)
        out[i] = (driver_verdict){
            driver_test_start_child(folder[i], text, &list[i]) ? DRIVER_SOUND : DRIVER_UNTESTED, 0,
            0};
    wait_all(list, count, seconds);
    for (size_t i = 0; i < count; i++)
        if (out[i].end == DRIVER_SOUND && list[i].pid > 0) {
            kill(list[i].pid, SIGKILL);
            out[i] = is_ending() ? (driver_verdict){DRIVER_CRASHED, SIGKILL, 0}
                                 : (driver_verdict){DRIVER_TIMED_OUT, seconds, 0};
        } else if (out[i].end == DRIVER_SOUND)
            out[i] = driver_test_verdict(list[i].status);
    reap(list, count, 0);
}

/* If SIGCHLD is ignored, as some launchers do, no process could be waited for; so it is reset
 * meanwhile. */
void driver_test(char *const *folder, size_t count, driver_verdict *out)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    struct sigaction was;
    const char *vendors = getenv("OCL_ICD_VENDORS");
    char *before = vendors ? strdup(vendors) : NULL;
    child *list = calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        out[i] = (driver_verdict){DRIVER_UNTESTED, 0, 0};
    if (list && (before || !vendors)) {
        sigaction(SIGCHLD, &plain, &was);
        driver_test_all(list, folder, count, out);
        sigaction(SIGCHLD, &was, NULL);
        if (before)
            setenv("OCL_ICD_VENDORS", before, 1);
        else
            unsetenv("OCL_ICD_VENDORS");
    }
    free(list);
    free(before);
}

#define VENDORS "/etc/OpenCL/vendors"

/* Joins "a", "/", "b"; malloc'ed, NULL without memory. */
static char *driver_list_join_text(const char *a, const char *between, const char *b)
{
    const size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%s%s%s", a, between, b);
    return out;
}

/* ---- the drivers */

/* Returns the first line of an .icd file, which names a library; "" if it has none. */
static char *library_of(const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *f = fopen(path, "r");
    if (f && getline(&line, &capacity, f) >= 0)
        line[strcspn(line, "\r\n")] = 0;
    else {
        free(line);
        line = strdup("");
    }
    if (f)
        fclose(f);
    return line;
}

/* Returns the name for messages. */
static char *driver_list_name(const driver_list *d, const char *path)
{
    char *name = NULL, *library;
    if (d->chosen)
        return strdup(path);
    library = library_of(path);
    if (library && asprintf(&name, "%s (%s)", path, library) < 0)
        name = NULL;
    free(library);
    return name;
}

/* Takes over the path. Skips anything but regular files, as the loader does. */
static int driver_list_add(driver_list *d, char *path)
{
    struct stat s;
    if (path && !d->chosen && (stat(path, &s) || !S_ISREG(s.st_mode))) {
        free(path);
        return 1;
    }
    driver *more = path ? realloc(d->list, (d->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return 0;
    }
    d->list = more;
    driver *one = &more[d->count++];
    *one = (driver){.path = path, .verdict = {DRIVER_UNTESTED, 0, 0}};
    one->name = driver_list_name(d, path);
    return one->name != NULL;
}

static int by_path(const void *x, const void *y)
{
    return strcmp(((const driver *)x)->path, ((const driver *)y)->path);
}

static int add_folder(driver_list *d, const char *folder)
{
    int good = 1;
    DIR *dir = opendir(folder);
    if (!dir)
        return 1;
    for (struct dirent *e; good && (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        if (n > 4 && !strcmp(e->d_name + n - 4, ".icd"))
            good = driver_list_add(d, driver_list_join_text(folder, "/", e->d_name));
    }
    closedir(dir);
    if (d->count)
        qsort(d->list, d->count, sizeof *d->list, by_path);
    return good;
}

static const char *driver_list_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int driver_list_find(driver_list *d)
{
    struct stat s;
    const char *vendors = driver_list_variable("OCL_ICD_VENDORS");
    if (vendors && !stat(vendors, &s) && S_ISDIR(s.st_mode))
        return add_folder(d, vendors);
    d->chosen = vendors != NULL;
    if (vendors)
        return driver_list_add(d, strdup(vendors));
    const char *other = driver_list_variable("OPENCL_VENDOR_PATH");
    return add_folder(d, other ? other : VENDORS);
}

int driver_list_open(driver_list *out)
{
    *out = (driver_list){0};
    const int good = driver_list_find(out);
    if (good && out->count)
        return 1;
    driver_list_close(out);
    return 0;
}

static void driver_free(driver *d)
{
    free(d->path);
    free(d->name);
}

void driver_list_close(driver_list *d)
{
    for (size_t i = 0; i < d->count; i++)
        driver_free(&d->list[i]);
    free(d->list);
    *d = (driver_list){0};
}

/* ---- folders of selected drivers */

static char *fresh_folder(void)
{
    const char *places[] = {driver_list_variable("TMPDIR"), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path =
            places[i] ? driver_list_join_text(places[i], "/", "impinge-opencl-XXXXXX") : NULL;
        if (path && mkdtemp(path))
            return path;
        free(path);
    }
    return NULL;
}

/* Returns the path of this driver's link in the folder; it keeps the file's name, which may
 * determine the order. */
static char *link_name(const char *folder, const driver *d)
{
    const char *slash = strrchr(d->path, '/');
    return driver_list_join_text(folder, "/", slash ? slash + 1 : d->path);
}

static int link_driver(const char *folder, const driver *d)
{
    char *real = realpath(d->path, NULL), *name = link_name(folder, d);
    const int good = real && name && !symlink(real, name);
    free(real);
    free(name);
    return good;
}

char *driver_folder(const driver_list *d, const char *wanted)
{
    int good = 1;
    char *path = fresh_folder();
    for (size_t i = 0; path && i < d->count; i++)
        if (wanted[i])
            good &= link_driver(path, &d->list[i]);
    if (good)
        return path;
    driver_folder_remove(d, path);
    return NULL;
}

void driver_folder_remove(const driver_list *d, char *path)
{
    for (size_t i = 0; path && i < d->count; i++) {
        char *name = link_name(path, &d->list[i]);
        if (name)
            unlink(name);
        free(name);
    }
    if (path)
        rmdir(path);
    free(path);
}
