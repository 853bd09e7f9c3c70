/* Two triangles that cross, and one that touches neither. */
#include <impinge.h>

#include <stdio.h>

static int on_contacts(void *user, const imp_contacts *c)
{
    size_t *total = user;
    for (size_t i = 0; i < c->count; i++)
        printf("%u %u: (%g %g %g) to (%g %g %g)\n", c->a[i], c->b[i], c->points[6 * i],
               c->points[6 * i + 1], c->points[6 * i + 2], c->points[6 * i + 3],
               c->points[6 * i + 4], c->points[6 * i + 5]);
    *total += c->count;
    return 0;
}

int main(void)
{
    const double point[] = {0, 0, 0,  4, 0, 0, 0, 4, 0,  /* in the plane z = 0 */
                            1, 1, -1, 1, 1, 1, 3, 1, 1,  /* through it */
                            9, 9, 9,  9, 9, 8, 8, 9, 9}; /* far away */
    const uint32_t triangle[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const imp_mesh mesh = {.vertices = 9, .primitives = 3, .corner = triangle};
    const imp_frame frame = {.mesh = &mesh, .point = point, .type = IMP_FLOAT64};
    size_t total = 0;
    imp *p = NULL;
    int err = imp_create(&(imp_def){.device = "cpu"}, &p);
    if (!err)
        err = imp_detect(p, &frame, 1, on_contacts, &total, NULL);
    if (err)
        fprintf(stderr, "%s: %s\n", imp_strerror(err), imp_error_text());
    imp_destroy(p);
    return err || total != 1;
}
