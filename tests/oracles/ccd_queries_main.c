/* ccd_queries: answers queries on moving features (exact.h) from standard input. Each query is a
 * record of 25 float64 numbers: the kind, and the positions of the four vertices at both ends of
 * the step; each answer is one float64: the toi, or -1 if there is no contact. At the end it prints
 * the microseconds per query to standard error. */
#include "exact.h"

#include <stdio.h>
#include <time.h>

#define ROOM 4096

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static struct question {
        double kind;
        exact_motion m;
    } asked[ROOM];
    double toi[ROOM], seconds = 0;
    size_t n, all = 0;
    while ((n = fread(asked, sizeof *asked, ROOM, stdin)) > 0) {
        double start = now();
        for (size_t i = 0; i < n; i++)
            if (!exact_ccd_first(asked[i].kind != 0 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE,
                                 &asked[i].m, &toi[i]))
                toi[i] = -1;
        seconds += now() - start;
        all += n;
        if (fwrite(toi, sizeof *toi, n, stdout) != n)
            return 1;
    }
    fprintf(stderr, "%.3f\n", all ? 1e6 * seconds / (double)all : 0);
    return 0;
}
