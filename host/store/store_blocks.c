/* The blocks of a VTKHDF file. In a PartitionedDataSetCollection they are the groups of /VTKHDF
 * that have an Index, in its order. In a MultiBlockDataSet the group Assembly is a tree of groups
 * whose leaves are links to them. */
#include "store_blocks.h"

#include "error.h"
#include "h5.h"
#include "h5_seen.h"

#include <stdlib.h>
#include <string.h>

int batch_is_composite(const char *type)
{
    return !strcmp(type, "MultiBlockDataSet") || !strcmp(type, "PartitionedDataSetCollection");
}

void file_blocks_free(file_blocks *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->block[i].name);
        free(b->block[i].group);
    }
    free(b->block);
    *b = (file_blocks){0};
}

/* Takes over the texts, which may be NULL: out of memory. */
static int file_blocks_add(file_blocks *b, char *name, char *group, int64_t index)
{
    file_block *more = realloc(b->block, (b->count + 1) * sizeof *more);
    if (more)
        b->block = more;
    if (!more || !name || !group) {
        free(name);
        free(group);
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    b->block[b->count++] = (file_block){name, group, index};
    return IMP_OK;
}

/* The search for the blocks of a file. */
typedef struct search {
    const char *path;
    file_blocks *to;
    h5_seen groups; /* of an assembly: one that contains itself would never end */
    int depth;      /* of the group that is walked through */
    int err;
} search;

/* A traversal of the links of a group. */
typedef struct block_tree_walk {
    search *of;
    const char *within; /* names of the groups above, each with a "/" behind it */
} block_tree_walk;

/* The data of a block has a Type; a block without data is a group without anything. */
static int block_tree_has_data(hid_t group)
{
    return H5Aexists(group, "Type") > 0;
}

/* ---- a collection */

static herr_t block_tree_add_indexed(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    search *s = to;
    int64_t index = 0;
    (void)link;
    hid_t group = strcmp(name, "Assembly") ? H5Gopen2(at, name, H5P_DEFAULT) : -1;
    if (group >= 0 && block_tree_has_data(group)) {
        s->err = h5_attr_integers(group, s->path, name, "Index", &index, 1);
        if (!s->err)
            s->err = file_blocks_add(s->to, strdup(name), strdup(name), index);
    }
    h5_drop(group);
    return s->err != 0;
}

static int block_tree_by_index(const void *a, const void *b)
{
    int64_t x = ((const file_block *)a)->index, y = ((const file_block *)b)->index;
    return (x > y) - (x < y);
}

static int block_tree_find_indexed(search *s, hid_t root)
{
    if (H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, block_tree_add_indexed, s) < 0 &&
        !s->err)
        s->err = h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF", "its blocks cannot be listed");
    if (s->to->count)
        qsort(s->to->block, s->to->count, sizeof *s->to->block, block_tree_by_index);
    return s->err;
}

/* ---- a tree */

static char *file_blocks_join_text(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%s%s%s", a, b, c);
    return out;
}

static int block_tree_walk_group(block_tree_walk *w, hid_t group);

/* The path that a leaf leads to, below /VTKHDF; NULL if it is no link to there. */
static char *block_tree_leaf_target(hid_t at, const char *name, const H5L_info_t *link)
{
    static const char root[] = "/VTKHDF/";
    char *to = NULL;
    if (link->type == H5L_TYPE_SOFT)
        to = calloc(1, link->u.val_size + 1);
    if (!to || H5Lget_val(at, name, to, link->u.val_size, H5P_DEFAULT) < 0 ||
        strncmp(to, root, sizeof root - 1)) {
        free(to);
        return NULL;
    }
    memmove(to, to + sizeof root - 1, strlen(to) - (sizeof root - 1) + 1);
    return to;
}

/* Data that is not behind such a link is in the tree itself. */
static int block_tree_add_leaf(block_tree_walk *w, hid_t at, const char *name,
                               const H5L_info_t *link)
{
    char *target = block_tree_leaf_target(at, name, link);
    if (!target)
        target = file_blocks_join_text("Assembly/", w->within, name);
    return file_blocks_add(w->of->to, file_blocks_join_text(w->within, name, ""), target, 0);
}

/* The groups between, in which the names of their blocks begin with theirs. */
static int block_tree_add(block_tree_walk *w, const char *name, hid_t group)
{
    char *within = file_blocks_join_text(w->within, name, "/");
    block_tree_walk below = {w->of, within};
    int err =
        within ? block_tree_walk_group(&below, group) : imp_fail(IMP_ERR_MEMORY, "out of memory");
    free(within);
    return err;
}

static herr_t file_blocks_add_node(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    block_tree_walk *w = to;
    search *s = w->of;
    hid_t group = H5Gopen2(at, name, H5P_DEFAULT);
    if (group < 0)
        s->err = h5_broken(at, s->path, "/VTKHDF/Assembly", name, "not a group");
    else if (block_tree_has_data(group))
        s->err = block_tree_add_leaf(w, at, name, link);
    else if (link->type == H5L_TYPE_HARD)
        s->err = block_tree_add(w, name, group);
    h5_drop(group);
    return s->err != 0;
}

#define TREE_DEPTH 256 /* each takes some of the stack */

/* No group of a tree comes twice. */
static int block_tree_visit(search *s, hid_t group)
{
    int err = IMP_OK;
    int is_new;
    H5O_info_t info;
    if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "cannot be read");
    TRY(h5_seen_add(&s->groups, info.fileno, info.addr, &is_new));
    if (!is_new)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "is not a tree");
    if (s->depth > TREE_DEPTH)
        return h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly",
                       "its groups are nested more than %d deep", TREE_DEPTH);
out:
    return err;
}

/* In the order in which they were made, where the file has it: that of the blocks. */
static int block_tree_walk_group(block_tree_walk *w, hid_t group)
{
    search *s = w->of;
    unsigned flags = 0;
    hid_t made = H5Gget_create_plist(group);
    H5Pget_link_creation_order(made, &flags);
    H5Pclose(made);
    H5_index_t by = flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    s->depth++;
    s->err = block_tree_visit(s, group);
    if (!s->err && H5Literate(group, by, H5_ITER_INC, NULL, file_blocks_add_node, w) < 0 && !s->err)
        s->err = h5_fail(IMP_ERR_INPUT, s->path, "/VTKHDF/Assembly", "cannot be listed");
    s->depth--;
    return s->err;
}

static int block_tree_find(search *s, hid_t root)
{
    block_tree_walk top = {s, ""};
    hid_t group = h5_exists(root, "Assembly") ? H5Gopen2(root, "Assembly", H5P_DEFAULT) : -1;
    if (group < 0)
        return h5_broken(root, s->path, "/VTKHDF", "Assembly", "missing");
    int err = block_tree_walk_group(&top, group);
    h5_drop(group);
    return err;
}

/* ---- all of them */

static int block_tree_find_in(search *s, hid_t root)
{
    int err = IMP_OK;
    char type[64];
    TRY(h5_attr_text(root, s->path, "/VTKHDF", "Type", type, sizeof type));
    s->to->composite = batch_is_composite(type);
    if (s->to->composite)
        return *type == 'M' ? block_tree_find(s, root) : block_tree_find_indexed(s, root);
    TRY(file_blocks_add(s->to, strdup(""), strdup("."), 0));
out:
    return err;
}

int file_blocks_find(const char *path, file_blocks *out)
{
    int err = IMP_OK;
    hid_t file = -1, root = -1;
    search s = {.path = path, .to = out};
    *out = (file_blocks){0};
    TRY(h5_open(path, 0, &file));
    TRY(batch_open_root(path, file, NULL, &root));
    TRY(block_tree_find_in(&s, root));
out:
    h5_seen_free(&s.groups);
    h5_drop(root);
    if (file >= 0)
        H5Fclose(file);
    if (err)
        file_blocks_free(out);
    return err;
}
