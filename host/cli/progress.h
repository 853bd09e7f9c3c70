/* A progress bar on stderr: frames or steps, rate, remaining time, contacts; in one line of the
 * terminal of any width. */
#ifndef IMP_PROGRESS_H
#define IMP_PROGRESS_H

#include "clock.h"

#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

typedef struct progress {
    int on, tty, color;
    const char *noun;      /* of what is counted */
    uint64_t total, first; /* in all; done before this run */
    double start, drawn;
} progress;

/* `when`: enum progress_when. AUTO: only if stderr is a terminal. ALWAYS elsewhere prints a line
 * now and then. `quiet`: never. `noun`: "frame" or "step", which lasts as long as the bar. */
void progress_start(progress *p, int quiet, int when, const char *noun, uint64_t first,
                    uint64_t total);
void progress_show(progress *p, uint64_t done, uint64_t contacts);
#define PROGRESS_NO_CONTACTS UINT64_MAX /* they are not shown */

/* Clears the bar, so that other lines can be printed. */
void progress_clear(progress *p);

#endif
