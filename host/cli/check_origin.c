/* See check_origin.h. */
#include "check_origin.h"

#include "error.h"
#include "store_names.h"

#include <stdio.h>
#include <string.h>

/* ---- frames */

static int check_provenance_fail(const char *path, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge: options: %s", path, how);
}

static int check_provenance_are_frames(const frame_slice *s, uint64_t frames)
{
    if (!s->step)
        return 0;
    if (!s->count)
        return !s->first;
    const uint64_t step = (uint64_t)(s->step < 0 ? -s->step : s->step),
                   most = s->step < 0 ? s->first : frames - s->first - 1;
    return s->first < frames && s->count - 1 <= most / step;
}

/* What all shards have together, by which this one has its part. */
static int check_provenance_select_shard(const job *w, const char *path, const result_info *info,
                                         job_shard *out)
{
    int err = IMP_OK;
    job shard = *w;
    unsigned long long first, count;
    long long step;
    const char *of = strstr(info->options, " of=");
    if (!of || sscanf(of, " of=%llu+%llu*%lld", &first, &count, &step) != 3)
        return check_provenance_fail(path, "not those of a shard");
    shard.slice = (frame_slice){first, count, step};
    if (!check_provenance_are_frames(&shard.slice, w->info.frames))
        return check_provenance_fail(path, "shards of frames that the input lacks");
    shard.steps = count && w->given.continuous ? count - 1 : count;
    shard.shard = (job_shard){.index = info->shard.index, .count = info->shard.count};
    TRY(job_shard_select(&shard));
    if (shard.slice.first != w->normal_slice.first || shard.slice.count != w->normal_slice.count ||
        step != w->normal_slice.step)
        err = check_provenance_fail(path, "the shard has other frames than that number has");
    *out = shard.shard;
out:
    return err;
}

/* ---- the text */

/* The options of trees, which job_normal_form writes where results depend on them. */
static void check_provenance_read_trees(const char *options, job *w)
{
    static const char *const names[] = {"volume", "build", "descent"};
    char word[3][32];
    unsigned degree, leaf, level;
    job_options given = w->given;
    const char *at = strstr(options, " volume=");
    if (!at || sscanf(at, " volume=%31s build=%31s descent=%31s degree=%u leaf=%u hybrid-level=%u",
                      word[0], word[1], word[2], &degree, &leaf, &level) != 6)
        return;
    for (int i = 0; i < 3; i++)
        if (cli_set(job_option(names[i]), word[i], &given))
            return;
    w->def.volume = given.volume;
    w->def.build = given.build;
    w->def.descent = given.descent;
    w->def.degree = degree;
    w->def.leaf = leaf;
    w->def.hybrid_level = level;
}

int check_provenance_options(const job *w, const char *path, const result_info *info)
{
    int err = IMP_OK;
    job again = *w;
    char text[4096];
    again.slice = w->normal_slice;
    again.shard.count = 0;
    /* the result's, which job_normal_form only reads */
    memcpy(&again.listed_pairs.pair, &info->object_pair, sizeof again.listed_pairs.pair);
    again.listed_pairs.count = info->object_pairs;
    check_provenance_read_trees(info->options, &again);
    if (!check_provenance_are_frames(&w->normal_slice, w->info.frames))
        return check_provenance_fail(path, "frames that the input lacks");
    if (info->shard.count)
        TRY(check_provenance_select_shard(w, path, info, &again.shard));
    TRY(job_normal_form(&again, text, sizeof text));
    if (strcmp(text, info->options) != 0)
        err = check_provenance_fail(path, "not as a run writes them");
out:
    return err;
}

/* ---- names */

int check_provenance_names(const batch_names *want, const char *path, const result_info *info)
{
    static const batch_names none;
    const batch_names *stored = info->names ? info->names : &none;
    want = want ? want : &none;
    for (size_t i = 0; i < want->objects && i < stored->objects; i++)
        if (stored->object[i] != want->object[i] ||
            strcmp(stored->object_name[i], want->object_name[i]) != 0)
            return imp_fail(IMP_ERR_DIFFERS,
                            "%s: /impinge/object_names: object %d is '%s', not object %d, '%s'",
                            path, (int)stored->object[i], stored->object_name[i],
                            (int)want->object[i], want->object_name[i]);
    if (stored->objects != want->objects)
        return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge/object_names: has %zu names, not %zu", path,
                        stored->objects, want->objects);
    return IMP_OK;
}
