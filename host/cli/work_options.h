/* The options of a job, from work_options.def. */
#ifndef IMP_WORK_OPTIONS_H
#define IMP_WORK_OPTIONS_H

#include "cli.h"

typedef struct job_options {
#define OPTION(field, name, type, ...) cli_##type field;
#include "work_options.def"
} job_options;

/* In the order of the words. */
enum { UPDATE_AUTO, UPDATE_REBUILD, UPDATE_KEEP };

extern const cli_option job_option_list[];

/* The entry of that name, which is in the table. */
const cli_option *job_option(const char *name);

/* What the table does not check by itself: options that do not go together. IMP_ERR_ARGUMENT names
 * one of them. */
int job_options_check(const job_options *j);

#endif
