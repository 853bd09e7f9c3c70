/* Two triangles that cross, and one that touches neither; the curve along which they cross. */
#include <impinge.h>
#include <impinge_contours.h>

#include <stdio.h>

typedef struct found {
    const imp_frame *frame;
    size_t contacts, contours;
} found;

/* All contacts of the frame come in one call, as they are few. */
static int on_contacts(void *user, const imp_contacts *c)
{
    found *f = user;
    imp_contours *curves = NULL;
    for (size_t i = 0; i < c->count; i++)
        printf("%u %u: (%g %g %g) to (%g %g %g)\n", c->a[i], c->b[i], c->points[6 * i],
               c->points[6 * i + 1], c->points[6 * i + 2], c->points[6 * i + 3],
               c->points[6 * i + 4], c->points[6 * i + 5]);
    const int err = imp_contours_find(f->frame, c, &curves);
    for (size_t i = 0; !err && i < curves->count; i++)
        printf("%s curve of length %g\n", curves->contour[i].closed ? "closed" : "open",
               curves->contour[i].length);
    f->contacts += c->count;
    f->contours += err ? 0 : curves->count;
    imp_contours_free(curves);
    return err;
}

int main(void)
{
    const double point[] = {0, 0, 0,  4, 0, 0, 0, 4, 0,  /* in the plane z = 0 */
                            1, 1, -1, 1, 1, 1, 3, 1, 1,  /* through it */
                            9, 9, 9,  9, 9, 8, 8, 9, 9}; /* far away */
    const uint32_t triangle[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const imp_mesh mesh = {.vertices = 9, .primitives = 3, .corner = triangle};
    const imp_frame frame = {.mesh = &mesh, .point = point, .type = IMP_FLOAT64};
    found f = {.frame = &frame};
    imp *p = NULL;
    int err = imp_create(&(imp_def){.device = "cpu", .end_features = 1}, &p);
    if (!err)
        err = imp_detect(p, &frame, 1, on_contacts, &f, NULL);
    if (err)
        fprintf(stderr, "%s: %s\n", imp_strerror(err), imp_error_text());
    imp_destroy(p);
    return err || f.contacts != 1 || f.contours != 1;
}
