/* impinge generate: procedural scenes as batches. */
#include "cli.h"

#include "error.h"
#include "output.h"
#include "progress.h"
#include "scene.h"
#include "signals.h"
#include "store.h"
#include "summary.h"

#include <stdio.h>
#include <string.h>

typedef struct generate_options {
    const char *out;
    uint64_t primitives, frames, seed;
    int list, force, quiet, float32, progress;
} generate_options;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(generate_options, out), "BATCH", "the file to write"},
    {"primitives", 'n', CLI_COUNT, offsetof(generate_options, primitives), "N",
     "about so many triangles (default: the scene's, see --list)"},
    {"frames", 0, CLI_COUNT, offsetof(generate_options, frames), "F",
     "so many frames (default: the scene's)"},
    {"seed", 0, CLI_COUNT, offsetof(generate_options, seed), "S",
     "another scene of the kind (default: 0)"},
    {"float32", 0, CLI_FLAG, offsetof(generate_options, float32), NULL,
     "points as float32 (default: float64)"},
    {"list", 0, CLI_FLAG, offsetof(generate_options, list), NULL, "tell what scenes there are"},
    {"force", 0, CLI_FLAG, offsetof(generate_options, force), NULL, "replace BATCH"},
    {"progress", 0, CLI_CHOICE, offsetof(generate_options, progress), "auto|always|never",
     "progress on stderr; auto: on a terminal (default: auto)"},
    {"quiet", 'q', CLI_FLAG, offsetof(generate_options, quiet), NULL, "print nothing but errors"},
    {0},
};

static int list_scenes(void)
{
    scene_entry e;
    printf("%-11s %9s %6s  %s\n", "scene", "triangles", "frames", "what it is");
    for (size_t i = 0; scene_at(i, &e); i++)
        cli_wrap(stdout, e.text,
                 printf("%-11s %9llu %6llu", e.name, (unsigned long long)e.primitives,
                        (unsigned long long)e.frames),
                 30);
    return 0;
}

/* A frame at a time: a batch may be larger than memory. */
static int write_frames(scene *s, batch_writer *w, progress *bar)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < scene_frames(s); f++) {
        imp_frame frame;
        double time;
        TRY(scene_next(s, &frame, &time));
        TRY(batch_append(w, &frame, NULL, time));
        progress_show(bar, f + 1, PROGRESS_NO_CONTACTS);
    }
out:
    return err;
}

static int write_scene(const scene_def *def, const generate_options *o)
{
    int err = IMP_OK;
    mem m = {0};
    scene *s = NULL;
    batch_writer *w = NULL;
    progress bar;
    outputs out = {0};
    signals_watch(NULL);
    TRY(outputs_grows(&out, "-o", o->out));
    TRY(scene_create(def, &s));
    const batch_def file = {.force = o->force,
                            .type = o->float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                            .objects = scene_mesh(s)->object != NULL};
    TRY(batch_create(&m, o->out, &file, &w));
    progress_start(&bar, o->quiet ? PROGRESS_NEVER : (enum progress_when)o->progress, 0,
                   scene_frames(s));
    TRY(write_frames(s, w, &bar));
    /* before the summary: a bar has no line of its own */
    progress_clear(&bar);
    if (!o->quiet)
        printf("%s: %s of %s, %s vertices\n", o->out, counted(scene_frames(s), "frame"),
               counted(scene_mesh(s)->primitives, "triangle"), grouped(scene_mesh(s)->vertices));
    err = batch_finish(w);
    w = NULL;
out:
    batch_discard(w);
    scene_destroy(s);
    outputs_free(&out);
    return err;
}

static int is_scene(const char *name)
{
    scene_entry e;
    size_t i = 0;
    while (scene_at(i, &e) && strcmp(e.name, name) != 0)
        i++;
    return scene_at(i, &e);
}

static int no_scene(const char *name)
{
    scene_entry e;
    cli_near near = {.word = name, .length = strlen(name)};
    for (size_t i = 0; scene_at(i, &e); i++)
        cli_near_try(&near, e.name);
    return cli_usage_error(&verb_generate, "there is no scene '%s'%s%s, see --list", name,
                           near.best ? ", perhaps " : "", near.best ? near.best : "");
}

static int generate(int argc, char **argv)
{
    generate_options o = {0};
    int count, code = cli_parse(&verb_generate, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    /* needs neither scene nor file */
    if (o.list)
        return list_scenes();
    if (!count)
        return cli_usage_error(&verb_generate, "a scene is missing, see --list");
    if (!o.out)
        return cli_usage_error(&verb_generate, "-o BATCH is missing");
    if (!is_scene(argv[0]))
        return no_scene(argv[0]);
    const scene_def def = {
        .name = argv[0], .primitives = o.primitives, .frames = o.frames, .seed = o.seed};
    int err = write_scene(&def, &o);
    return err ? cli_fail(err) : 0;
}

static const char *scene_word(size_t i)
{
    scene_entry e;
    return scene_at(i, &e) ? e.name : NULL;
}

const cli_verb verb_generate = {
    .name = "generate",
    .usage = "SCENE -o BATCH.vtkhdf [options]",
    .text = "writes a procedural scene: the same bytes on every system",
    .options = options,
    .examples = "  impinge generate --list\n"
                "  impinge generate cloth-ball -o cloth.vtkhdf\n"
                "  impinge generate cloth-fold -o big.vtkhdf --primitives 2000000 --seed 7\n",
    .run = generate,
    .one = "scene",
    .words = scene_word,
};
