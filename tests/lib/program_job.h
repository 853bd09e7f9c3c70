/* A run that is interrupted and resumed, for the tests of that. */
#ifndef IMP_PROGRAM_JOB_H
#define IMP_PROGRAM_JOB_H

#include "program.h"

/* An input, options, and the result of running it without interruption. */
typedef struct sample_job {
    const char *about; /* for messages */
    const char *in, *out, *part, *whole;
    const char *option[8]; /* NULL-terminated */
} sample_job;

/* A few kB; enough rows for the index of a dataset's chunks to grow; one of many frames, all of
 * them in one block or not. Each has been run once without interruption. */
sample_job sample_job_small(const char *about);
sample_job sample_job_large(const char *about);
sample_job sample_job_long(const char *about, const char *block);

/* The command line of a job, with one more option or NULL. */
#define JOB_LINE 24
void sample_job_line(const sample_job *j, const char *out, const char *more,
                     const char *line[JOB_LINE]);
ran sample_job_run(const sample_job *j, const char *out, const char *more);
void sample_job_remove(const sample_job *j); /* OUT and OUT.part */

/* OUT.part is absent, or holds the frames that it claims. Returns their number; -1 if absent. `how`
 * and n describe the action in messages. */
int64_t sample_job_check_part(const sample_job *j, const char *how, long n);

/* OUT is the same as without interruption, and no other file is left. */
void job_check_whole(const sample_job *j, const char *how, long n);

/* Resumes, or starts anew if there is nothing to resume, and must end with the same result; removes
 * it. */
void job_go_on(const sample_job *j, const char *how, long n);

/* The next runs use impinge_fragile, with a fault at the n-th event of a kind - a file change, for
 * most kinds - and a commit of every block. Until program_plain. */
void job_fragile(const char *kind, long n);

/* Number of such changes, or events, in the last such run, if it ended normally; else 0. */
long job_changes(void);

/* Number of file changes, or of events of a kind, in an undisturbed job; `more` as above. OUT is
 * removed. */
long job_count(const sample_job *j, const char *more);
long job_count_of(const sample_job *j, const char *kind, const char *more);

/* Kills it before its n-th change. */
void job_kill(const sample_job *j, long n, const char *more);

/* Kills it after half of its changes; some frames are committed. */
void job_kill_half(const sample_job *j);

/* The i-th of n moments, spread over all changes. */
long job_moment(long all, uint64_t i, uint64_t n);

#endif
