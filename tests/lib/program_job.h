/* A run that is interrupted and gone on with, for the tests that do that. */
#ifndef IMP_PROGRAM_JOB_H
#define IMP_PROGRAM_JOB_H

#include "program.h"

/* An input, options, and the result of running it without interruption. */
typedef struct sample_job {
    const char *about; /* for messages */
    const char *in, *out, *part, *whole;
    const char *option[8]; /* up to NULL */
} sample_job;

/* A few kB; rows enough to make the trees that find a dataset's chunks grow; one of many
 * frames, all of them in one block or not. Each has been run once without interruption. */
sample_job sample_job_small(const char *about);
sample_job sample_job_large(const char *about);
sample_job sample_job_long(const char *about, const char *block);

/* The command line of a job, and one more option or NULL. */
#define JOB_LINE 24
void sample_job_line(const sample_job *j, const char *out, const char *more,
                     const char *line[JOB_LINE]);
ran sample_job_run(const sample_job *j, const char *out, const char *more);
void sample_job_remove(const sample_job *j); /* OUT and OUT.part */

/* OUT.part is not there, or holds the frames that it says. Returns how many; -1 if not there.
 * `how` and n tell in messages what was done. */
int64_t sample_job_check_part(const sample_job *j, const char *how, long n);

/* OUT is as without interruption, and nothing is left beside it. */
void job_check_whole(const sample_job *j, const char *how, long n);

/* Goes on, or begins anew if there is nothing to go on from, and must end with the same result;
 * removes it. */
void job_go_on(const sample_job *j, const char *how, long n);

/* The next runs are of impinge_fragile: a fault at the n-th event of a kind - a change of a file,
 * for most kinds - and every block is committed. Until program_plain. */
void job_fragile(const char *kind, long n);

/* How many such changes, or events, the last such run made, if it came to an end; else 0. */
long job_changes(void);

/* How many changes of files, or events of a kind, there are in a job that is not disturbed; `more`
 * as above. OUT is removed. */
long job_count(const sample_job *j, const char *more);
long job_count_of(const sample_job *j, const char *kind, const char *more);

/* Kills it before its n-th change. */
void job_kill(const sample_job *j, long n, const char *more);

/* Kills it after half of its changes; some frames are committed. */
void job_kill_half(const sample_job *j);

/* The i-th of n moments that are spread over all changes. */
long job_moment(long all, uint64_t i, uint64_t n);

#endif
