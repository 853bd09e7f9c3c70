/* The options that choose work, from work_options.def. */
#ifndef IMP_WORK_OPTIONS_H
#define IMP_WORK_OPTIONS_H

#include "cli.h"

typedef struct work_options {
#define OPTION(field, name, type, ...) cli_##type field;
#include "work_options.def"
} work_options;

/* In the order of the words. */
enum { UPDATE_AUTO, UPDATE_REBUILD, UPDATE_KEEP };

extern const cli_option work_option_list[];

/* The entry of that name, which is in the table. */
const cli_option *work_option(const char *name);

/* What the table does not check by itself: options that do not go together. IMP_ERR_ARGUMENT names
 * one of them. */
int work_options_check(const work_options *w);

#endif
