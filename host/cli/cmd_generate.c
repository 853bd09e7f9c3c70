/* impinge generate: procedural scenes as batches. */
#include "cli.h"

#include "error.h"
#include "output_file.h"
#include "json.h"
#include "scene.h"
#include "signals.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generate_options {
    const char *out;
    uint64_t primitives, frames, seed;
    cli_list set;
    int list, force, quiet, float32, progress;
} generate_options;

static const cli_option options[] = {
    /* not `needed`: --list works without it */
    {CLI_OUTPUT(generate_options, "BATCH", "the file to write")},
    {"primitives", 'n', CLI_SOME, offsetof(generate_options, primitives), "N",
     "approximate number of primitives, of the first frame if it changes (default: the scene's, "
     "see --list)"},
    {"frames", 0, CLI_SOME, offsetof(generate_options, frames), "F",
     "number of frames (default: the scene's)"},
    {"seed", 0, CLI_COUNT, offsetof(generate_options, seed), "S",
     "seed: another number gives another scene of this kind (default: 0)"},
    {"set", 0, CLI_LIST, offsetof(generate_options, set), "NAME=VALUE",
     "one of the scene's own settings, see --list; may be repeated"},
    {CLI_FLOAT32(generate_options)},
    {"list", 0, CLI_FLAG, offsetof(generate_options, list), NULL, "list the scenes"},
    {CLI_FORCE(generate_options, "replace BATCH")},
    {CLI_PROGRESS(generate_options)},
    {CLI_QUIET(generate_options)},
    {0},
};

/* "a or b", "a, b or c" */
static void join_words(const char *const *words, char *out, size_t size)
{
    *out = 0;
    for (size_t i = 0; words[i]; i++) {
        const size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
}

/* The value of printf is the column at which cli_wrap continues. */
static void list_settings(const char *name)
{
    scene_setting t;
    for (size_t i = 0; scene_setting_at(name, i, &t); i++) {
        char text[200], range[80];
        int shown;
        if (t.words) {
            join_words(t.words, range, sizeof range);
            shown = printf("%11s --set %s=%s", "", t.name, t.words[(size_t)t.value]);
        } else {
            snprintf(range, sizeof range, "%g to %g", t.least, t.most);
            shown = printf("%11s --set %s=%g", "", t.name, t.value);
        }
        snprintf(text, sizeof text, "%s (%s)", t.text, range);
        cli_wrap(stdout, text, shown, 31);
    }
}

/* Texts begin in column 31, after the three columns of the table. */
static int generate_list_scenes(void)
{
    scene_entry e;
    printf("%-11s %10s %6s  %s\n", "scene", "primitives", "frames", "what it is");
    for (size_t i = 0; scene_at(i, &e); i++) {
        cli_wrap(stdout, e.text,
                 printf("%-11s %10llu %6llu", e.name, (unsigned long long)e.primitives,
                        (unsigned long long)e.frames),
                 31);
        list_settings(e.name);
    }
    return 0;
}

/* Sizes of the written frames: the mesh may change. */
typedef struct written {
    uint64_t least, most, vertices; /* primitives of a frame, least and most; most vertices */
    int32_t objects;                /* greatest object number plus 1 */
} written;

/* Writes one frame at a time: a batch may be larger than memory. */
static int generate_write_frames(scene *s, batch_writer *w, progress *bar, written *sum)
{
    int err = IMP_OK;
    const imp_mesh *seen = NULL;
    for (uint64_t f = 0; f < scene_frames(s); f++) {
        imp_frame frame;
        double time;
        TRY(scene_next(s, &frame, &time));
        TRY(batch_append(w, &frame, scene_ids(s), time));
        progress_show(bar, f + 1, PROGRESS_NO_CONTACTS);
        const imp_mesh *m = frame.mesh;
        /* the first frame sets it */
        sum->least = f && sum->least < m->primitives ? sum->least : m->primitives;
        sum->most = sum->most > m->primitives ? sum->most : m->primitives;
        sum->vertices = sum->vertices > m->vertices ? sum->vertices : m->vertices;
        for (uint32_t i = 0; m->object && m != seen && i < m->primitives; i++)
            sum->objects = m->object[i] >= sum->objects ? m->object[i] + 1 : sum->objects;
        seen = m;
    }
out:
    return err;
}

/* Scenes number their objects from 0 on. */
static int generate_name_objects(const scene *s, int32_t objects, batch_writer *w)
{
    int err = IMP_OK;
    char name[60];
    for (int32_t i = 0; i < objects && !err && scene_object_name(s, i, name, sizeof name); i++)
        err = batch_name_object(w, i, name);
    return err;
}

/* A range, since a mesh may change from frame to frame. */
static void print_written(const char *path, const scene *s, const written *sum)
{
    const char *kind = scene_mesh(s)->corners == IMP_TETRAHEDRA ? "primitive" : "triangle";
    int same = sum->least == sum->most;
    printf("%s: %s of %s%s%s, %s%s vertices\n", cli_shown(path),
           cli_count_text(scene_frames(s), "frame"), same ? "" : cli_number_text(sum->least),
           same ? "" : " to ", cli_count_text(sum->most, kind), same ? "" : "up to ",
           cli_number_text(sum->vertices));
}

/* The file is removed if the scene cannot be finished. */
static int write_scene(const scene_def *def, const generate_options *o)
{
    int err = IMP_OK;
    mem m = {0};
    scene *s = NULL;
    batch_writer *w = NULL;
    progress bar;
    written sum = {0};
    outputs out = {0};
    /* a signal ends the program at once and removes the unfinished batch, which is useless */
    signals_watch(NULL);
    TRY(outputs_grows(&out, "-o", o->out));
    TRY(scene_create(def, &s));
    /* the first mesh determines the type of the file */
    const batch_def file = {.force = o->force,
                            .type = o->float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                            .unstructured = scene_mesh(s)->corners == IMP_TETRAHEDRA,
                            .objects = scene_mesh(s)->object != NULL,
                            .ids = scene_ids(s) != NULL,
                            .bodies = scene_mesh(s)->bodies != 0};
    TRY(batch_create(&m, o->out, &file, &w));
    progress_start(&bar, o->quiet, o->progress, "frame", 0, scene_frames(s));
    TRY(generate_write_frames(s, w, &bar, &sum));
    TRY(generate_name_objects(s, sum.objects, w));
    /* before the summary, which would continue the line of the bar */
    progress_clear(&bar);
    err = batch_finish(w);
    /* batch_finish has freed it, also after an error */
    w = NULL;
    if (!err && !o->quiet)
        print_written(o->out, s, &sum);
out:
    batch_discard(w);
    scene_destroy(s);
    outputs_free(&out);
    return err;
}

/* Checked before the output is claimed: a mistyped scene is a usage error. */
static int is_scene(const char *name)
{
    scene_entry e;
    size_t i = 0;
    while (scene_at(i, &e) && strcmp(e.name, name) != 0)
        i++;
    return scene_at(i, &e);
}

/* A name that is nearly right is the most likely mistake, so the nearest scene is suggested. */
static int generate_no_scene(const char *name)
{
    scene_entry e;
    cli_near near = {.word = name, .length = strlen(name)};
    for (size_t i = 0; scene_at(i, &e); i++)
        cli_near_try(&near, e.name);
    return cli_usage_error(&verb_generate, "there is no scene '%s'%s%s, see --list", name,
                           near.best ? ", perhaps " : "", near.best ? near.best : "");
}

/* Parses the value of a setting, as in --set NAME=VALUE. */
static int generate_parse_value(const scene_setting *t, const char *text, const char *value,
                                double *out)
{
    char words[80];
    for (size_t i = 0; t->words && t->words[i]; i++)
        if (!strcmp(t->words[i], value)) {
            *out = (double)i;
            return 0;
        }
    if (t->words) {
        join_words(t->words, words, sizeof words);
        return cli_usage_error(&verb_generate, "--set: '%s': %s is %s", text, t->name, words);
    }
    return cli_length(value, out)
               ? 0
               : cli_usage_error(&verb_generate, "--set: '%s' is not %s=NUMBER, 0 or more", text,
                                 t->name);
}

/* Parses NAME=VALUE for the scene. Returns 0, or 2 after a usage error. A setting must be named
 * completely; near names are only suggested. */
static int generate_set_setting(const char *of, const char *text, scene_value *out)
{
    scene_setting t;
    const size_t length = strcspn(text, "=");
    cli_near near = {.word = text, .length = length};
    for (size_t i = 0; scene_setting_at(of, i, &t); i++) {
        cli_near_try(&near, t.name);
        if (strlen(t.name) != length || strncmp(t.name, text, length) != 0)
            continue;
        out->name = t.name;
        return generate_parse_value(&t, text, text + length + (text[length] != 0), &out->value);
    }
    return cli_usage_error(&verb_generate, "--set: %s has no setting '%.*s'%s%s, see --list", of,
                           (int)length, text, near.best ? ", perhaps " : "",
                           near.best ? near.best : "");
}

/* Settings are checked before the output is created. One more entry is allocated, since calloc(0)
 * may return NULL. */
static int generate_one(const char *name, const generate_options *o)
{
    int err, code = 0;
    scene_value *value = calloc(o->set.count + 1, sizeof *value);
    if (!value)
        return cli_fail(imp_fail(IMP_ERR_MEMORY, "out of memory"));
    for (size_t i = 0; i < o->set.count && !code; i++)
        code = generate_set_setting(name, o->set.text[i], &value[i]);
    const scene_def def = {.name = name,
                           .primitives = o->primitives,
                           .frames = o->frames,
                           .seed = o->seed,
                           .value = value,
                           .values = o->set.count};
    if (!code) {
        err = write_scene(&def, o);
        code = err ? cli_fail(err) : 0;
    }
    free(value);
    return code;
}

/* A function of its own: otherwise each return would have to free the list of settings. */
static int generate_parsed(const generate_options *o, const char *name)
{
    /* --list needs neither scene nor file */
    if (o->list)
        return generate_list_scenes();
    if (!name)
        return cli_usage_error(&verb_generate, "a scene is missing, see --list");
    if (!o->out)
        return cli_usage_error(&verb_generate, "-o BATCH is missing");
    if (!is_scene(name))
        return generate_no_scene(name);
    return generate_one(name, o);
}

static int generate_run(int argc, char **argv)
{
    generate_options o = {0};
    int count;
    /* enough: --set cannot be given more often than there are arguments */
    o.set.text = calloc((size_t)argc, sizeof *o.set.text);
    if (!o.set.text)
        return cli_fail(imp_fail(IMP_ERR_MEMORY, "out of memory"));
    int code = cli_parse(&verb_generate, argc, argv, &o, &count);
    if (code < 0)
        code = generate_parsed(&o, count ? argv[0] : NULL);
    free(o.set.text);
    return code;
}

/* For the completion of command lines, which offers the names of scenes. */
static const char *generate_scene_word(size_t i)
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
                "  impinge generate cloth-fold -o big.vtkhdf --primitives 2000000 --seed 7\n"
                "  impinge generate scalpel -o cut.vtkhdf --set depth=0.8 --set burn=0\n"
                "  impinge generate missile -o hit.vtkhdf --set target=aircraft --seed 2\n",
    .run = generate_run,
    .one = "scene",
    .words = generate_scene_word,
};
