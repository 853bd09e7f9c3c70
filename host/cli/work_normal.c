/* See work.h: the options that results depend on, as one line of text. */
#include "work.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The word of an option whose words are counted from `first` on; of 0 the first word. */
static const char *word_of(const char *option, int value, int first, char out[CLI_TEXT_MOST])
{
    return cli_choice_word(work_option(option)->argument, value > first ? value - first : 0, out,
                           CLI_TEXT_MOST);
}

/* Sphere and OBB trees report fewer candidates than there are overlapping bounds, and which depends
 * on all options of trees; those of steps are the same by all trees. 0: the default. */
static void normal_trees(const imp_def *def, char *out, size_t size)
{
    char volume[CLI_TEXT_MOST], build[CLI_TEXT_MOST], descent[CLI_TEXT_MOST];
    *out = 0;
    if (def->stage != IMP_STAGE_CANDIDATES || def->volume <= IMP_VOLUME_DOP || def->continuous)
        return;
    snprintf(out, size, " volume=%s build=%s descent=%s degree=%u leaf=%u hybrid-level=%u",
             word_of("volume", def->volume, 1, volume), word_of("build", def->build, 1, build),
             word_of("descent", def->descent, 1, descent), def->degree, def->leaf,
             def->hybrid_level);
}

static void normal_ways(const work *w, char *out, size_t size)
{
    int n = snprintf(out, size, "%s", w->given.continuous ? " continuous=1" : "");
    if (w->given.min_separation > 0)
        n += snprintf(out + n, size - (size_t)n, " min-separation=%.17g", w->given.min_separation);
    if (w->given.tolerance > 0)
        n += snprintf(out + n, size - (size_t)n, " tolerance=%.17g", w->given.tolerance);
    if (w->baseline.given)
        snprintf(out + n, size - (size_t)n, " baseline=%llu",
                 (unsigned long long)w->baseline.frame);
}

/* Options that do not change the result are not in it: device, method, threads, block, memory.
 * `check` and --resume compare the text, so its form must not change. */
int work_normal(const work *w, char *out, size_t size)
{
    char pairs[CLI_TEXT_MOST], adjacent[CLI_TEXT_MOST], stage[CLI_TEXT_MOST], on_bad[CLI_TEXT_MOST];
    char list[64] = "", trees[160], ways[128], shard[120] = "", units[80] = "";
    const work_options *o = &w->given;
    const object_pairs *l = &w->pairs_list;
    normal_trees(&w->def, trees, sizeof trees);
    normal_ways(w, ways, sizeof ways);
    if (l->pair)
        snprintf(list, sizeof list, " object-pairs=%s:%zu:%016llx", l->exclude ? "not" : "only",
                 l->count, (unsigned long long)XXH3_64bits(l->pair, l->count * sizeof *l->pair));
    if (w->shard.count)
        snprintf(shard, sizeof shard, " shard=%llu/%llu of=%llu+%llu*%lld",
                 (unsigned long long)w->shard.index, (unsigned long long)w->shard.count,
                 (unsigned long long)w->shard.whole.first, (unsigned long long)w->shard.whole.count,
                 (long long)w->shard.whole.step);
    if (w->space.parts)
        snprintf(units, sizeof units, " space=%llu units=%llu+%llu",
                 (unsigned long long)w->space.slabs, (unsigned long long)w->space.first,
                 (unsigned long long)w->space.count);
    int n = snprintf(
        out, size,
        "pairs=%s adjacent=%s stage=%s on-bad=%s dop=%d frames=%llu+%llu*%lld%s%s%s%s%s "
        "objects=%s",
        word_of("pairs", o->pairs, 0, pairs), word_of("adjacent", o->adjacent, 0, adjacent),
        word_of("stage", o->stage, 0, stage), word_of("on-bad", o->on_bad, 0, on_bad), w->def.dop_k,
        (unsigned long long)w->slice.first, (unsigned long long)w->slice.count,
        (long long)w->slice.step, shard, units, ways, list, trees, o->objects ? o->objects : "id");
    /* a form that is cut could equal another one */
    return n > 0 && (size_t)n < size
               ? IMP_OK
               : imp_fail(IMP_ERR_ARGUMENT, "--objects: the name of the array is too long");
}

/* The value of `key=` in a normal form, up to the next blank. The name of an array, which comes
 * last, may have any text. */
static int normal_value(const char *normal, const char *key, char *out, size_t size)
{
    const char *at = strstr(normal, key), *end = strstr(normal, " objects=");
    if (!at || (end && at > end))
        return 0;
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    return 1;
}

/* Sets the option of that name, up to its '='. */
static int normal_option(const char *normal, const char *key, work *w)
{
    char word[CLI_TEXT_MOST], name[CLI_TEXT_MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "="), key);
    return normal_value(normal, key, word, sizeof word) &&
           !cli_set(work_option(name), word, &w->given);
}

static int is_objects(const char *word)
{
    return !strcmp(word, "id") || !strcmp(word, "connected") ||
           (!strncmp(word, "array:", 6) && word[6]);
}

/* check recomputes with the options of the run, which the result has only in this form. */
int work_parse(const char *path, const char *normal, work *w, char *objects, size_t size)
{
    char text[64];
    unsigned long long first, count;
    long long step;
    /* the last, since names of arrays may have blanks */
    const char *name = strstr(normal, " objects=");
    int good = name && is_objects(name + strlen(" objects=")) &&
               normal_option(normal, "pairs=", w) && normal_option(normal, "adjacent=", w) &&
               normal_option(normal, "stage=", w) && normal_option(normal, "on-bad=", w) &&
               normal_option(normal, "dop=", w) &&
               normal_value(normal, "frames=", text, sizeof text) &&
               sscanf(text, "%llu+%llu*%lld", &first, &count, &step) == 3;
    if (!good)
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge: options: not understood", path);
    w->was = (frame_slice){first, count, step};
    /* the rest is there only with its option */
    normal_option(normal, "continuous=", w);
    normal_option(normal, "min-separation=", w);
    normal_option(normal, "tolerance=", w);
    if (normal_value(normal, "baseline=", w->baseline_was, sizeof w->baseline_was))
        w->given.baseline = w->baseline_was;
    normal_value(normal, "volume=", w->volume_was, sizeof w->volume_was);
    /* the pairs are in a dataset of their own */
    if (normal_value(normal, "object-pairs=", text, sizeof text))
        w->pairs_list.exclude = !strncmp(text, "not", 3);
    snprintf(objects, size, "%s", name + strlen(" objects="));
    w->given.objects = objects;
    return IMP_OK;
}
