/* See film.h. */
#include "film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *zeros(size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    if (p)
        return p;
    fputs("not enough memory\n", stderr);
    exit(5);
}

void good(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

uint64_t argument(char ***argv, uint64_t otherwise, uint64_t least)
{
    char *end;
    if (!**argv)
        return otherwise;
    const char *text = *(*argv)++;
    const uint64_t n = strtoull(text, &end, 10);
    if (!*end && *text != '-' && n >= least)
        return n;
    fprintf(stderr, "%s: a number from %llu on is wanted\n", text, (unsigned long long)least);
    exit(2);
}

static void *film_copy(const void *from, size_t bytes)
{
    return from ? memcpy(zeros(bytes), from, bytes) : NULL;
}

void film_make(const char *name, uint64_t primitives, uint64_t frames, film *out)
{
    double time;
    good(scene_create(&(scene_def){.name = name, .primitives = primitives, .frames = frames},
                      &out->scene));
    out->frames = (size_t)scene_frames(out->scene);
    out->frame = zeros(out->frames * sizeof *out->frame);
    for (size_t i = 0; i < out->frames; i++) {
        imp_frame *f = out->frame + i;
        good(scene_next(out->scene, f, &time));
        const size_t point = f->type == IMP_FLOAT32 ? sizeof(float) : sizeof(double);
        f->point = film_copy(f->point, 3 * (size_t)f->mesh->vertices * point);
        f->pose = film_copy(f->pose, f->mesh->bodies * sizeof *f->pose);
    }
}

void film_free(film *f)
{
    for (size_t i = 0; i < f->frames; i++) {
        free((void *)(uintptr_t)f->frame[i].point);
        free((void *)(uintptr_t)f->frame[i].pose);
    }
    free(f->frame);
    scene_destroy(f->scene);
}

imp *film_pipeline(const imp_def *def)
{
    imp *p;
    imp_def all = *def;
    all.device = "cpu";
    all.broad = "tree";
    good(imp_create(&all, &p));
    return p;
}

const trees *film_trees(const imp *p)
{
    return p->workspace.broad.state[BROAD_tree];
}

static int film_mark(void *user, const imp_contacts *c)
{
    uint64_t *marks = user;
    for (size_t i = 0; i < c->count; i++)
        *marks = (*marks ^ ((uint64_t)c->a[i] << 32 | c->b[i])) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return 0;
}

shot film_shoot(imp *p, const imp_frame *frame)
{
    shot s = {0};
    imp_profile_reset(p);
    good(imp_detect(p, frame, 1, film_mark, &s.marks, NULL));
    imp_profile_get(p, &s.profile);
    s.build = s.profile.tree_build;
    s.query = s.profile.broad - s.profile.tree_build;
    s.exact = s.profile.order + s.profile.narrow;
    return s;
}
