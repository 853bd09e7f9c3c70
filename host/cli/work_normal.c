/* See work.h: the options that results depend on, as one line of text. */
#include "work_parts.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Trees of other volumes than k-DOPs hand out fewer candidates than there are overlapping bounds,
 * and which depends on all that is said of them. 0: the default. */
static void normal_trees(const imp_def *def, char *out, size_t size)
{
    char volume[16], build[16], descent[24];
    *out = 0;
    if (def->stage != IMP_STAGE_CANDIDATES || def->volume <= IMP_VOLUME_DOP)
        return;
    snprintf(out, size, " volume=%s build=%s descent=%s degree=%u leaf=%u hybrid-level=%u",
             cli_choice_word(VOLUME_CHOICES, def->volume - 1, volume, sizeof volume),
             cli_choice_word(BUILD_CHOICES, def->build > 1, build, sizeof build),
             cli_choice_word(DESCENT_CHOICES, def->descent > 1, descent, sizeof descent),
             def->degree, def->leaf, def->hybrid_level);
}

/* What does not change the result is not in it: device, method, threads, block, memory. `check` and
 * --resume compare it as a text, so its form must not change either. */
int work_normal(const work *w, char *out, size_t size)
{
    char pairs[16], adjacent[16], stage[16], on_bad[16], list[64] = "", trees[160];
    const object_pairs *l = &w->pairs_list;
    normal_trees(&w->def, trees, sizeof trees);
    if (l->pair)
        snprintf(list, sizeof list, " object-pairs=%s:%zu:%016llx", l->exclude ? "not" : "only",
                 l->count, (unsigned long long)XXH3_64bits(l->pair, l->count * sizeof *l->pair));
    int n = snprintf(out, size,
                     "pairs=%s adjacent=%s stage=%s on-bad=%s dop=%d frames=%llu+%llu*%lld%s%s "
                     "objects=%s",
                     cli_choice_word(PAIRS_CHOICES, w->pairs, pairs, sizeof pairs),
                     cli_choice_word(ADJACENT_CHOICES, w->adjacent, adjacent, sizeof adjacent),
                     cli_choice_word(STAGE_CHOICES, w->stage, stage, sizeof stage),
                     cli_choice_word(ON_BAD_CHOICES, w->on_bad, on_bad, sizeof on_bad),
                     w->def.dop_k, (unsigned long long)w->first, (unsigned long long)w->count,
                     (long long)w->step, list, trees, w->objects ? w->objects : "id");
    /* a form that is cut could not be told from another one */
    return n > 0 && (size_t)n < size
               ? IMP_OK
               : imp_fail(IMP_ERR_ARGUMENT, "--objects: the name of the array is too long");
}

/* The value of `key=` in a normal form, up to the next blank. */
static int normal_value(const char *normal, const char *key, char *out, size_t size)
{
    const char *at = strstr(normal, key);
    if (!at)
        return 0;
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    return 1;
}

static int normal_choice(const char *normal, const char *key, const char *choices, int *out)
{
    char word[32];
    return normal_value(normal, key, word, sizeof word) && cli_choice(word, choices, out);
}

int work_parse(const char *path, const char *normal, work *w, char *objects, size_t size)
{
    char text[64];
    unsigned long long first, count;
    long long step;
    /* the last, since names of arrays may have blanks */
    const char *name = strstr(normal, " objects=");
    int good = normal_choice(normal, "pairs=", PAIRS_CHOICES, &w->pairs) &&
               normal_choice(normal, "adjacent=", ADJACENT_CHOICES, &w->adjacent) &&
               normal_choice(normal, "stage=", STAGE_CHOICES, &w->stage) &&
               normal_choice(normal, "on-bad=", ON_BAD_CHOICES, &w->on_bad) &&
               normal_value(normal, "dop=", text, sizeof text) && name;
    if (good)
        w->dop = strtoull(text, NULL, 10);
    good = good && normal_value(normal, "frames=", text, sizeof text) &&
           sscanf(text, "%llu+%llu*%lld", &first, &count, &step) == 3;
    if (!good)
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge: options: not understood", path);
    normal_value(normal, "volume=", w->volume_was, sizeof w->volume_was);
    /* the pairs themselves stand in a dataset of their own */
    if (normal_value(normal, "object-pairs=", text, sizeof text))
        w->pairs_list.exclude = !strncmp(text, "not", 3);
    snprintf(objects, size, "%s", name + strlen(" objects="));
    w->objects = objects;
    return IMP_OK;
}
