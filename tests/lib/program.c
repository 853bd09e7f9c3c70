/* See program.h. */
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANGS 600 /* seconds: many times the duration of any run, however busy the machine is */

static program_how how;

void program_set(const program_how *h)
{
    how = *h;
}

void program_plain(void)
{
    how = (program_how){0};
}

double program_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void program_sleep(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

/* ---- files */

const char *at(const char *name)
{
    static char paths[200][400];
    size_t i = 0, folder = strlen(test_folder()) + 1;
    while (paths[i][0] && strcmp(paths[i] + folder, name))
        if (++i == sizeof paths / sizeof *paths) {
            fprintf(stderr, "program: too many files\n");
            exit(1);
        }
    if (!paths[i][0])
        snprintf(paths[i], sizeof paths[0], "%s/%s", test_folder(), name);
    return paths[i];
}

int exists(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

int exists_part(const char *path)
{
    char name[600];
    snprintf(name, sizeof name, "%s.part.new", path);
    int fresh = exists(name);
    snprintf(name, sizeof name, "%s.impinge.part", path);
    const int text = exists(name);
    snprintf(name, sizeof name, "%s.part", path);
    return fresh || text || exists(name);
}

long file_size(const char *path)
{
    struct stat s;
    return stat(path, &s) ? -1 : (long)s.st_size;
}

char *file_text(const char *path, size_t *size)
{
    long n = file_size(path);
    FILE *f = fopen(path, "rb");
    char *text = n < 0 || !f ? NULL : malloc((size_t)n + 1);
    if (!text) {
        perror(path);
        exit(1);
    }
    size_t got = fread(text, 1, (size_t)n, f);
    text[got] = 0;
    fclose(f);
    if (size)
        *size = got;
    return text;
}

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

void copy_file(const char *from, const char *to)
{
    size_t n;
    char *bytes = file_text(from, &n);
    write_bytes(to, bytes, n);
    free(bytes);
}

/* ---- processes */

/* Path of the file for printed output. */
static const char *print_file(const char *end)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%s", how.printed ? how.printed : "program", end);
    return at(name);
}

/* Sanitizers must not report memory that OpenCL drivers keep until the end. */
static void set_sanitizer(void)
{
    static const char kept[] = "leak:libpocl\nleak:libLLVM\nleak:libOpenCL\nleak:libclang\n"
                               "leak:libhwloc\nleak:libigd\nleak:libnvidia\n";
    char options[600];
    if (!exists(at("lsan.txt")))
        write_text(at("lsan.txt"), kept);
    snprintf(options, sizeof options, "suppressions=%s:print_suppressions=0", at("lsan.txt"));
    setenv("LSAN_OPTIONS", options, 0);
}

int program_can_be_humble(void)
{
    const unsigned long setpcap = 8; /* capabilities(7) */
    return geteuid() != 0 || prctl(PR_CAPBSET_READ, setpcap, 0UL, 0UL, 0UL) == 1;
}

typedef struct command {
    char *argv[64];
    int count;
    char limit[40];
} command;

static void command_add(command *c, const char *word)
{
    if (c->count == sizeof c->argv / sizeof *c->argv - 1) {
        fprintf(stderr, "program: too many arguments\n");
        exit(1);
    }
    c->argv[c->count++] = (char *)(uintptr_t)word;
}

/* Limits are set by wrappers before the program: util-linux has one for each, which execs the next.
 */
static void command_make(command *c, const char *const *arguments)
{
    *c = (command){0};
    if (how.file_limit) {
        snprintf(c->limit, sizeof c->limit, "--fsize=%llu", (unsigned long long)how.file_limit);
        command_add(c, "prlimit");
        command_add(c, c->limit);
    }
    if (how.humble && geteuid() == 0) {
        command_add(c, "setpriv");
        command_add(c, "--bounding-set=-dac_override,-dac_read_search");
    }
    command_add(c, how.program ? how.program : IMP_PROGRAM);
    while (*arguments)
        command_add(c, *arguments++);
}

#define VARIABLES (sizeof how.variable / sizeof *how.variable)

/* Returns whether the program gets another value of the variable, or none. */
static int is_set(const char *variable)
{
    const size_t n = strcspn(variable, "=");
    for (size_t i = 0; i < VARIABLES && how.variable[i][0]; i++)
        if (strlen(how.variable[i][0]) == n && !strncmp(how.variable[i][0], variable, n))
            return 1;
    return 0;
}

/* The environment without the variables of `how`, whose entries go to `text`. */
static char **environment(char (*text)[400])
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + VARIABLES + 1, sizeof *all), **to = all;
    if (!all)
        abort();
    for (size_t i = 0; i < n; i++)
        if (!is_set(environ[i]))
            *to++ = environ[i];
    for (size_t i = 0; i < VARIABLES && how.variable[i][0]; i++)
        if (how.variable[i][1]) {
            snprintf(text[i], sizeof text[i], "%s=%s", how.variable[i][0], how.variable[i][1]);
            *to++ = text[i];
        }
    return all;
}

/* Redirects stdin, stdout and stderr; resets signals that the test runner may ignore. */
static int spawn_plan(posix_spawn_file_actions_t *files, posix_spawnattr_t *plan, const program *p)
{
    const char *path[] = {how.std_in ? how.std_in : "/dev/null", how.std_out ? how.std_out : p->out,
                          how.std_err ? how.std_err : p->err};
    sigset_t ordinary;
    sigemptyset(&ordinary);
    sigaddset(&ordinary, SIGINT);
    sigaddset(&ordinary, SIGTERM);
    int err = posix_spawnattr_init(plan);
    err = err ? err : posix_spawnattr_setsigdefault(plan, &ordinary);
    err = err ? err : posix_spawnattr_setflags(plan, POSIX_SPAWN_SETSIGDEF);
    err = err ? err : posix_spawn_file_actions_init(files);
    for (int d = 0; d < 3 && !err; d++)
        err = posix_spawn_file_actions_addopen(files, d, path[d],
                                               d ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0644);
    return err;
}

/* A child's peak memory begins with that of the process that starts it: resets the peak to the
 * current size. */
static void forget_peak(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
}

/* Spawned: fork would copy the page tables of all memory that a sanitizer maps here. */
program program_start(const char *const *arguments)
{
    command c;
    char text[VARIABLES][400];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t plan;
    set_sanitizer();
    fflush(NULL);
    forget_peak();
    program p = {0, program_clock(), print_file("out"), print_file("err")};
    command_make(&c, arguments);
    char **variables = environment(text);
    int err = spawn_plan(&files, &plan, &p);
    err = err ? err : posix_spawnp(&p.pid, c.argv[0], &files, &plan, c.argv, variables);
    if (err) {
        fprintf(stderr, "%s: %s\n", c.argv[0], strerror(err));
        exit(1);
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&plan);
    free(variables);
    return p;
}

void program_at(program *p, double cpu)
{
    clockid_t id;
    struct timespec t = {0};
    while (!program_done(p) && !clock_getcpuclockid(p->pid, &id) && !clock_gettime(id, &t) &&
           (double)t.tv_sec + 1e-9 * (double)t.tv_nsec < cpu)
        program_sleep(0.0003);
}

int program_stopped(program *p)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WSTOPPED | WNOWAIT) && errno == EINTR)
        ;
    return info.si_code == CLD_STOPPED;
}

int program_done(program *p)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == p->pid;
}

static double program_seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

ran program_wait(program *p)
{
    ran r = {.code = PROGRAM_LATE};
    int status = 0;
    struct rusage used = {0}, own = {0};
    for (double pause = 0.0003; !program_done(p) && program_clock() - p->start < HANGS;) {
        program_sleep(pause);
        pause += pause < 0.003 ? 0.0001 : 0;
    }
    int late = !program_done(p);
    if (late)
        kill(p->pid, SIGKILL);
    wait4(p->pid, &status, 0, &used);
    r.cpu = program_seconds(used.ru_utime) + program_seconds(used.ru_stime);
    r.seconds = program_clock() - p->start;
    getrusage(RUSAGE_SELF, &own);
    r.peak = used.ru_maxrss > own.ru_maxrss ? used.ru_maxrss * 1024 : 0;
    if (!late)
        r.code = WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    r.out = file_text(how.std_out ? "/dev/null" : p->out, NULL);
    r.err = file_text(how.std_err ? "/dev/null" : p->err, NULL);
    return r;
}

ran program_run(const char *const *arguments)
{
    program p = program_start(arguments);
    return program_wait(&p);
}

void ran_free(ran *r)
{
    free(r->out);
    free(r->err);
    memset(r, 0, sizeof *r);
}

/* ---- printed output */

size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n' || !text[1];
    return n;
}

static int ran_show(const ran *r, const char *what)
{
    printf("\n    %s; exit %d after %.2f s\n    stdout: %.300s\n    stderr: %.600s\n    ", what,
           r->code, r->seconds, r->out, r->err);
    return 0;
}

/* The text after the lines of warnings. */
static const char *after_warnings(const char *err)
{
    static const char warning[] = "impinge: warning: ";
    while (!strncmp(err, warning, sizeof warning - 1))
        err += strcspn(err, "\n") + (strchr(err, '\n') != NULL);
    return err;
}

int ran_failed(const ran *r, int code, const char *word, const char *word2)
{
    char what[300];
    if (r->code != code) {
        snprintf(what, sizeof what, "not exit %d", code);
        return ran_show(r, what);
    }
    const char *error = after_warnings(r->err);
    if (count_lines(error) != 1 || strncmp(error, "impinge", 7))
        return ran_show(r, "not one line on stderr that begins with the program's name");
    const char *words[] = {word, word2};
    for (int i = 0; i < 2; i++)
        if (words[i] && !strstr(error, words[i])) {
            snprintf(what, sizeof what, "no '%s' in the message", words[i]);
            return ran_show(r, what);
        }
    return 1;
}

int ran_well(const ran *r)
{
    return r->code == 0 && !*r->err ? 1 : ran_show(r, "not exit 0 without a word on stderr");
}

int ran_warned(const ran *r)
{
    return r->code == 0 && !*after_warnings(r->err)
               ? 1
               : ran_show(r, "not exit 0 with nothing but warnings on stderr");
}
