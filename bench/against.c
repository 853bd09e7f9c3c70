/* See against.h. */
#define _GNU_SOURCE
#include "against.h"

#include "error.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- its command line: the options that define the job, from their table */

#define WORDS_MOST 64

/* The arguments for execve: NULL after the last word. */
typedef struct words {
    char *word[WORDS_MOST + 1];
    size_t count;
} words;

static void words_free(words *w)
{
    while (w->count)
        free(w->word[--w->count]);
}

/* Appends a copy of the word, since values of numbers are formatted here. */
static int words_add(words *w, const char *before, const char *value)
{
    if (w->count == WORDS_MOST || asprintf(&w->word[w->count], "%s%s", before, value) < 0)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    w->count++;
    return IMP_OK;
}

/* Options at their defaults are omitted: the other program may not know them. */
static int against_add_option(words *w, const cli_option *o, const void *values)
{
    char name[64], text[CLI_TEXT_MOST];
    const char *given = cli_value_text(o, values, text);
    const int flag = o->type == CLI_FLAG;
    snprintf(name, sizeof name, "--%s%s", o->name, flag ? "" : "=");
    return *given ? words_add(w, name, flag ? "" : given) : IMP_OK;
}

/* The options that define the job are read from the table, so the other program gets each new one,
 * too. */
static int command(const against *a, const job *w, words *line)
{
    int err = IMP_OK;
    /* its summary is not needed */
    const char *const first[] = {a->program, "bench", "--paced", "--quiet"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        TRY(words_add(line, "", first[i]));
    if (a->listed)
        TRY(words_add(line, "", "--listed"));
    for (const cli_option *o = job_option_list; o->name; o++)
        TRY(against_add_option(line, o, &w->given));
    TRY(words_add(line, "", "--"));
    TRY(words_add(line, "", w->path));
out:
    return err;
}

/* ---- communication */

/* Ends it, and reports its last line as the reason for the missing answer. */
static int no_answer(against *a)
{
    char line[512] = "", last[512] = "";
    int status = 0;
    shutdown(a->line, SHUT_RDWR);
    waitpid(a->pid, &status, 0);
    a->pid = 0;
    rewind(a->complaints);
    while (fgets(line, sizeof line, a->complaints))
        snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    if (!*last && WIFSIGNALED(status))
        snprintf(last, sizeof last, "ended by signal %d", WTERMSIG(status));
    else if (!*last)
        snprintf(last, sizeof last, "no answer of seconds and contacts; it ended with %d",
                 WEXITSTATUS(status));
    return imp_fail(IMP_ERR_DIFFERS, "--against: %s: %s", a->program, last);
}

/* Parses "SECONDS CONTACTS" and nothing else: a text for people is no answer. */
static int against_read_answer(against *a, double *seconds)
{
    char line[128], rest;
    unsigned long long contacts;
    if (!fgets(line, sizeof line, a->answers) ||
        sscanf(line, "%lf %llu %c", seconds, &contacts, &rest) != 2 || !(*seconds > 0))
        return no_answer(a);
    a->contacts = contacts;
    return IMP_OK;
}

/* Connects its stdin and stdout to one socket: writing to a pipe without a reader would end this
 * program. */
static int spawn(against *a, char **line)
{
    posix_spawn_file_actions_t files;
    int ends[2], failed = ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;
    a->line = ends[0];
    a->answers = fdopen(ends[0], "r");
    a->complaints = tmpfile();
    if (a->answers && a->complaints && !posix_spawn_file_actions_init(&files)) {
        failed = posix_spawn_file_actions_adddup2(&files, ends[1], 0);
        failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, ends[1], 1);
        failed =
            failed ? failed : posix_spawn_file_actions_adddup2(&files, fileno(a->complaints), 2);
        failed = failed ? failed : posix_spawnp(&a->pid, a->program, &files, NULL, line, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    if (failed)
        a->pid = 0;
    close(ends[1]);
    return failed;
}

/* Its answer to the uncounted repetition shows that it has started and is ready. */
int against_start(against *a, const job *w)
{
    int err = IMP_OK;
    double not_counted;
    words line = {0};
    TRY(command(a, w, &line));
    int failed = spawn(a, line.word);
    if (failed)
        FAIL(IMP_ERR_INPUT, "--against: %s: %s", a->program, strerror(failed));
    TRY(against_read_answer(a, &not_counted));
out:
    words_free(&line);
    return err;
}

/* MSG_NOSIGNAL: if the other program has ended, that is an error to report and must not end this
 * program. */
int against_turn(against *a, double *seconds)
{
    if (send(a->line, "\n", 1, MSG_NOSIGNAL) != 1)
        return no_answer(a);
    return against_read_answer(a, seconds);
}

/* Also called after an error: the process must not outlive this one. */
void against_stop(against *a)
{
    if (a->pid > 0) {
        shutdown(a->line, SHUT_WR); /* the end of its stdin ends it */
        waitpid(a->pid, NULL, 0);
    }
    if (a->answers)
        fclose(a->answers);
    if (a->complaints)
        fclose(a->complaints);
    *a = (against){.program = a->program};
}
