/* contacts.c: the contacts of two squares, and when one of them first meets the other. */
#include <impinge.h>

#include <stdio.h>
#include <stdlib.h>

/* Called with all contacts of a frame or step, or with some, in order. */
static int print(void *user, const imp_contacts *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const double *end = c->points + 6 * i; /* two points x y z */
        printf("%s%u meets %u", (const char *)user, c->a[i], c->b[i]);
        if (c->toi)
            printf(" after %g of the step\n", c->toi[i]);
        else
            printf(" from (%g %g %g) to (%g %g %g)\n", end[0], end[1], end[2], end[3], end[4],
                   end[5]);
    }
    return 0; /* another number ends the run, and imp_detect returns it */
}

static void detect(imp_def def, const imp_frame *frames, size_t count, char *text)
{
    imp *pipeline = NULL;
    int err = imp_create(&def, &pipeline);
    if (!err)
        err = imp_detect(pipeline, frames, count, print, text, NULL);
    if (err)
        fprintf(stderr, "%s: %s\n", imp_strerror(err), imp_error_text());
    imp_destroy(pipeline);
    if (err)
        exit(1);
}

int main(void)
{
    /* a square in the plane z = 0, and an upright one: first above it, then through it */
    const double above[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 1, 2, 1, 3, 2, 1, 3, 2, 3, 1, 2, 3};
    const double through[] = {0, 0, 0,  4, 0, 0,  4, 4, 0, 0, 4, 0,
                              1, 2, -1, 3, 2, -1, 3, 2, 1, 1, 2, 1};
    const uint32_t triangle[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    const imp_mesh mesh = {.vertices = 8, .primitives = 4, .corner = triangle};
    const imp_frame frames[] = {{.mesh = &mesh, .point = above}, {.mesh = &mesh, .point = through}};
    detect((imp_def){.device = "cpu"}, &frames[1], 1, "in the frame: ");
    detect((imp_def){.device = "cpu", .continuous = 1}, frames, 2, "in the step: ");
    return 0;
}
