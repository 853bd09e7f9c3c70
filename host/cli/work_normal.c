/* See work.h: the options that results depend on, as one line of text. */
#include "work.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The word of an option whose words are counted from `first` on; of 0 the first word. */
static const char *job_normal_word(const char *option, int value, int first,
                                   char out[CLI_TEXT_MOST])
{
    return cli_choice_word(job_option(option)->argument, value > first ? value - first : 0, out,
                           CLI_TEXT_MOST);
}

/* Sphere and OBB trees report fewer candidates than there are overlapping bounds, and which depends
 * on all options of trees; those of steps are the same by all trees. 0: the default. */
static void job_normal_trees(const imp_def *def, char *out, size_t size)
{
    char volume[CLI_TEXT_MOST], build[CLI_TEXT_MOST], descent[CLI_TEXT_MOST];
    *out = 0;
    if (def->stage != IMP_STAGE_CANDIDATES || def->volume <= IMP_VOLUME_DOP || def->continuous)
        return;
    snprintf(out, size, " volume=%s build=%s descent=%s degree=%u leaf=%u hybrid-level=%u",
             job_normal_word("volume", def->volume, 1, volume),
             job_normal_word("build", def->build, 1, build),
             job_normal_word("descent", def->descent, 1, descent), def->degree, def->leaf,
             def->hybrid_level);
}

static void job_normal_steps(const job *j, char *out, size_t size)
{
    int n = snprintf(out, size, "%s", j->given.continuous ? " continuous=1" : "");
    if (j->given.min_separation > 0)
        n += snprintf(out + n, size - (size_t)n, " min-separation=%.17g", j->given.min_separation);
    if (j->given.tolerance > 0)
        n += snprintf(out + n, size - (size_t)n, " tolerance=%.17g", j->given.tolerance);
    if (j->baseline.given)
        snprintf(out + n, size - (size_t)n, " baseline=%llu",
                 (unsigned long long)j->baseline.frame);
}

/* Options that do not change the result are not in it: device, method, threads, block, memory.
 * `check` and --resume compare the text, so its form must not change. */
int job_normal_form(const job *j, char *out, size_t size)
{
    char pairs[CLI_TEXT_MOST], adjacent[CLI_TEXT_MOST], stage[CLI_TEXT_MOST], on_bad[CLI_TEXT_MOST];
    char list[64] = "", trees[160], steps[128], shard[120] = "", units[80] = "";
    const job_options *o = &j->given;
    const object_pairs *l = &j->listed_pairs;
    job_normal_trees(&j->def, trees, sizeof trees);
    job_normal_steps(j, steps, sizeof steps);
    if (l->pair)
        snprintf(list, sizeof list, " object-pairs=%s:%zu:%016llx", l->exclude ? "not" : "only",
                 l->count, (unsigned long long)XXH3_64bits(l->pair, l->count * sizeof *l->pair));
    if (j->shard.count)
        snprintf(shard, sizeof shard, " shard=%llu/%llu of=%llu+%llu*%lld",
                 (unsigned long long)j->shard.index, (unsigned long long)j->shard.count,
                 (unsigned long long)j->shard.whole.first, (unsigned long long)j->shard.whole.count,
                 (long long)j->shard.whole.step);
    if (j->partition.has_units)
        snprintf(units, sizeof units, " space=%llu units=%llu+%llu",
                 (unsigned long long)j->partition.slabs, (unsigned long long)j->partition.first,
                 (unsigned long long)j->partition.count);
    int n = snprintf(
        out, size,
        "pairs=%s adjacent=%s stage=%s on-bad=%s dop=%d frames=%llu+%llu*%lld%s%s%s%s%s "
        "objects=%s",
        job_normal_word("pairs", o->pairs, 0, pairs),
        job_normal_word("adjacent", o->adjacent, 0, adjacent),
        job_normal_word("stage", o->stage, 0, stage),
        job_normal_word("on-bad", o->on_bad, 0, on_bad), j->def.dop_k,
        (unsigned long long)j->slice.first, (unsigned long long)j->slice.count,
        (long long)j->slice.step, shard, units, steps, list, trees, o->objects ? o->objects : "id");
    /* a form that is cut could equal another one */
    return n > 0 && (size_t)n < size
               ? IMP_OK
               : imp_fail(IMP_ERR_ARGUMENT, "--objects: the name of the array is too long");
}

/* The value of `key=` in a normal form, up to the next blank. The name of an array, which comes
 * last, may have any text. */
static int job_normal_value(const char *normal, const char *key, char *out, size_t size)
{
    const char *at = strstr(normal, key), *end = strstr(normal, " objects=");
    if (!at || (end && at > end))
        return 0;
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    return 1;
}

/* Sets the option of that name, up to its '='. */
static int job_normal_option(const char *normal, const char *key, job *j)
{
    char word[CLI_TEXT_MOST], name[CLI_TEXT_MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "="), key);
    return job_normal_value(normal, key, word, sizeof word) &&
           !cli_set(job_option(name), word, &j->given);
}

static int job_normal_is_objects(const char *word)
{
    return !strcmp(word, "id") || !strcmp(word, "connected") ||
           (!strncmp(word, "array:", 6) && word[6]);
}

/* check recomputes with the options of the run, which the result has only in this form. */
int job_parse_normal_form(const char *path, const char *normal, job *j, char *objects, size_t size)
{
    char text[64];
    unsigned long long first, count;
    long long step;
    /* the last, since names of arrays may have blanks */
    const char *name = strstr(normal, " objects=");
    int good = name && job_normal_is_objects(name + strlen(" objects=")) &&
               job_normal_option(normal, "pairs=", j) &&
               job_normal_option(normal, "adjacent=", j) &&
               job_normal_option(normal, "stage=", j) && job_normal_option(normal, "on-bad=", j) &&
               job_normal_option(normal, "dop=", j) &&
               job_normal_value(normal, "frames=", text, sizeof text) &&
               sscanf(text, "%llu+%llu*%lld", &first, &count, &step) == 3;
    if (!good)
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge: options: not understood", path);
    j->normal_slice = (frame_slice){first, count, step};
    /* the rest is there only with its option */
    job_normal_option(normal, "continuous=", j);
    job_normal_option(normal, "min-separation=", j);
    job_normal_option(normal, "tolerance=", j);
    if (job_normal_value(normal, "baseline=", j->normal_baseline, sizeof j->normal_baseline))
        j->given.baseline = j->normal_baseline;
    job_normal_value(normal, "volume=", j->normal_volume, sizeof j->normal_volume);
    /* the pairs are in a dataset of their own */
    if (job_normal_value(normal, "object-pairs=", text, sizeof text))
        j->listed_pairs.exclude = !strncmp(text, "not", 3);
    snprintf(objects, size, "%s", name + strlen(" objects="));
    j->given.objects = objects;
    return IMP_OK;
}
