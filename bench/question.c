/* See question.h. */
#include "question.h"

#include "exact.h"
#include "impinge.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE 256 /* questions that a thread takes at a time */

static enum exact_ccd_kind question_kind(const question *q)
{
    return q->kind != 0 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
}

double questions_exact(const question *asked, size_t n, double *toi)
{
    double seconds = 0;
#pragma omp parallel reduction(+ : seconds)
    {
        const double start = omp_get_wtime();
#pragma omp for schedule(dynamic, PIECE) nowait
        for (size_t i = 0; i < n; i++)
            if (!exact_ccd_first(question_kind(&asked[i]), &asked[i].m, &toi[i]))
                toi[i] = NEVER;
        seconds += omp_get_wtime() - start;
    }
    return n ? seconds / (double)n : 0;
}

/* ---- the whole of impinge */

static void question_require(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

static int take_toi(void *user, const imp_contacts *rows)
{
    *(double *)user = rows->toi[0];
    return rows->count == 1 ? 0 : imp_set_error(1, "two primitives, and more than one row");
}

/* A vertex is a triangle with three equal corners, an edge one with two. */
static double question_run_detect(imp *p, const question *q)
{
    static const uint32_t face_vertex[] = {0, 1, 2, 3, 3, 3}, edges[] = {0, 1, 1, 2, 3, 3};
    const imp_mesh mesh = {.vertices = 4,
                           .primitives = 2,
                           .corner = question_kind(q) == EXACT_EDGE_EDGE ? edges : face_vertex};
    const imp_frame step[2] = {{.mesh = &mesh, .point = q->m.at[0]},
                               {.mesh = &mesh, .point = q->m.at[1]}};
    double toi = NEVER;
    imp_forget(p);
    question_require(imp_detect(p, step, 2, take_toi, &toi, NULL));
    return toi;
}

double questions_whole(const question *asked, size_t n, double *toi)
{
    double seconds = 0;
#pragma omp parallel reduction(+ : seconds)
    {
        imp *p;
        question_require(
            imp_create(&(imp_def){.device = "cpu", .threads = 1, .continuous = 1}, &p));
        const double start = omp_get_wtime();
#pragma omp for schedule(dynamic, PIECE) nowait
        for (size_t i = 0; i < n; i++)
            toi[i] = question_run_detect(p, &asked[i]);
        seconds += omp_get_wtime() - start;
        imp_destroy(p);
    }
    return n ? seconds / (double)n : 0;
}
