/* See program.h. */
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANGS 600 /* seconds: many times what any run takes, however busy the machine is */

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
    snprintf(name, sizeof name, "%s.part", path);
    return fresh || exists(name);
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

/* Where what is printed goes. */
static const char *print_file(const char *end)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%s", how.printed ? how.printed : "program", end);
    return at(name);
}

/* A sanitizer must not report what OpenCL drivers keep until the end. */
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

/* Capabilities of Linux that let root read and write whatever modes say (capabilities(7)). What is
 * dropped here a program that is started does not have. */
#define DAC_OVERRIDE 1UL
#define DAC_READ_SEARCH 2UL
#define SETPCAP 8UL

int program_can_be_humble(void)
{
    return geteuid() != 0 || prctl(PR_CAPBSET_READ, SETPCAP, 0UL, 0UL, 0UL) == 1;
}

static void be_humble(void)
{
    if (geteuid() == 0 && (prctl(PR_CAPBSET_DROP, DAC_OVERRIDE, 0UL, 0UL, 0UL) ||
                           prctl(PR_CAPBSET_DROP, DAC_READ_SEARCH, 0UL, 0UL, 0UL)))
        _exit(97);
}

/* In the child: nothing but the last call may fail without a word. */
static void become(const char *const *arguments, const char *out, const char *err)
{
    const char *name = how.program ? how.program : IMP_PROGRAM;
    const char *argv[64] = {name};
    for (int i = 0; i < 62 && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    int o = open(how.std_out ? how.std_out : out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int e = open(how.std_err ? how.std_err : err, O_WRONLY | O_CREAT | O_TRUNC, 0644),
        in = open(how.std_in ? how.std_in : "/dev/null", O_RDONLY);
    if (o < 0 || e < 0 || in < 0 || dup2(in, 0) < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0)
        _exit(99);
    for (int i = 0; i < 4 && how.variable[i][0]; i++)
        if (how.variable[i][1])
            setenv(how.variable[i][0], how.variable[i][1], 1);
        else
            unsetenv(how.variable[i][0]);
    if (how.file_limit) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){how.file_limit, how.file_limit});
    }
    if (how.humble)
        be_humble();
    signal(SIGINT, SIG_DFL); /* what runs the tests may ignore it */
    signal(SIGTERM, SIG_DFL);
    char *plain[64];
    memcpy(plain, argv, sizeof plain);
    execv(name, plain);
    _exit(98);
}

program program_start(const char *const *arguments)
{
    set_sanitizer();
    fflush(NULL);
    program p = {0, program_clock(), print_file("out"), print_file("err")};
    p.pid = fork();
    if (p.pid == 0)
        become(arguments, p.out, p.err);
    if (p.pid < 0) {
        perror("fork");
        exit(1);
    }
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

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

ran program_wait(program *p)
{
    ran r = {.code = PROGRAM_LATE};
    int status = 0;
    struct rusage used = {0};
    while (!program_done(p) && program_clock() - p->start < HANGS)
        program_sleep(0.0003);
    int late = !program_done(p);
    if (late)
        kill(p->pid, SIGKILL);
    wait4(p->pid, &status, 0, &used);
    r.cpu = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    r.seconds = program_clock() - p->start;
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

/* ---- what was printed */

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

int ran_failed(const ran *r, int code, const char *word, const char *word2)
{
    char what[300];
    if (r->code != code) {
        snprintf(what, sizeof what, "not exit %d", code);
        return ran_show(r, what);
    }
    if (count_lines(r->err) != 1 || strncmp(r->err, "impinge", 7))
        return ran_show(r, "not one line on stderr that begins with the program's name");
    const char *words[] = {word, word2};
    for (int i = 0; i < 2; i++)
        if (words[i] && !strstr(r->err, words[i])) {
            snprintf(what, sizeof what, "no '%s' in the message", words[i]);
            return ran_show(r, what);
        }
    return 1;
}

int ran_well(const ran *r)
{
    return r->code == 0 && !*r->err ? 1 : ran_show(r, "not exit 0 without a word on stderr");
}
