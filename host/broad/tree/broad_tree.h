/* Private to the method "tree": broad_tree.c (objects and their trees), broad_tree_pairs.c
 * (descents, and the trees of rigid bodies). */
#ifndef IMP_BROAD_TREE_H
#define IMP_BROAD_TREE_H

#include "bodies.h"
#include "broad.h"

enum copies { COPY_BOX, COPY_SLAB, COPY_CORNER, COPY_X, COPIES };

/* Trees of several objects: tree i belongs to object[i]. */
typedef struct tree_set {
    tree tree;
    uint32_t *start; /* [trees + 1] */
    uint32_t *prim;
    int32_t *object;
    int ready; /* built for the mesh of the last view */
    int made;  /* built or refitted for the current block */
} tree_set;

/* Rigid bodies of a one-frame block, by tree. Spheres and oriented boxes are in the body's own
 * coordinates, relative to the centre of its box there, in the unit of the frame for which they
 * were built; k-DOPs are refitted to each frame. */
typedef struct tree_bodies {
    body_set of;
    double *off;    /* [of.runs] greatest distance of a vertex of the run from its posed position */
    double *x;      /* [3 * verts] */
    double *middle; /* [3 * trees] in the body's coordinates */
    double *reach;  /* [trees] greatest absolute coordinate in x; may be that of a bad primitive,
                     * more than BV_EXTENT */
    uint32_t *body; /* [trees] index in mesh->body */
    uint32_t *tree; /* [bodies] the inverse; unspecified for a body without primitives */
    bv_pose *place; /* [trees] transform to the coordinates of the frame */
    uint8_t *current; /* [trees] the bounds of its primitives are those of the frame */
    double scale[2];
} tree_bodies;

/* Pairs of trees to traverse. */
typedef struct tree_duos {
    tree_duo *duo; /* [count] entry 0: soft objects */
    bv_pose *pose; /* [count] pose of each pair that has one */
    uint32_t count, capacity;
} tree_duos;

typedef struct trees {
    uint64_t mesh;        /* block_view.mesh of the mesh that everything here was built for, or 0 */
    tree_set soft, rigid; /* soft objects first, then rigid ones */
    tree_bodies bodies;
    double weight;         /* tree_weight of the soft trees when they were built */
    uint32_t *start_above; /* [frames + 1] first object of each frame */
    tree above;            /* one tree per frame, over the boxes of its objects */
    float *root;           /* [6 * objects] */
    /* on the host: the device's memory itself, or copies */
    tree_source from;
    void *copy[COPIES];
    double *x;
    /* pairs */
    broad_range range;
    tree_duos duos;
    tree_front front;
    size_t at;
    double each;        /* average number of pairs per pair of the front */
    tree_counts counts; /* counts not yet added to the profile */
} trees;

/* Returns whether the trees belong to the current mesh. An earlier block may have failed before it
 * built them. */
static inline int trees_follow(const trees *s, const broad_input *in)
{
    return s->mesh && s->mesh == in->view->mesh;
}

static inline uint32_t trees_objects(const trees *s)
{
    return s->soft.tree.trees + s->rigid.tree.trees;
}

/* The set that an object belongs to, and its number in it. */
static inline const tree_set *trees_set(const trees *s, uint32_t object, uint32_t *number)
{
    const uint32_t soft = s->soft.tree.trees;
    *number = object < soft ? object : object - soft;
    return object < soft ? &s->soft : &s->rigid;
}

/* ---- broad_tree.c */

/* Lists the trees of a set: those of the block's rigid objects, or of the others. */
int trees_find(const broad_input *in, const float *box, int rigid, tree_set *out,
               uint32_t *start_above);
void tree_set_free(mem *m, tree_set *s);

/* Builds the listed trees, from bounds and vertices that need not be the frame's. */
int tree_set_make(const broad_input *in, const tree_source *from, tree_set *set);

/* ---- broad_tree_pairs.c */

/* Returns whether the block has rigid bodies with known poses. Such a block has one frame. */
static inline int trees_posed(const block_view *v)
{
    return v->frames == 1 && v->frame->pose && v->frame->mesh->bodies;
}

/* Builds the trees of rigid bodies, or reuses existing ones. Poses were checked before. Errors:
 * MEMORY, CANCELLED. */
int trees_bodies(trees *s, const broad_input *in);
void trees_bodies_free(trees *s, mem *m);

/* Updates the bounds of a rigid tree's primitives unless they are current. */
void trees_update_bounds(trees *s, uint32_t number);

/* ---- broad_tree_pairs.c */

/* The pairs of a block whose trees are built: see broad_method. */
int trees_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
int trees_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out);

/* Adds the counts since the last call to the profile, if one exists. */
void trees_report(trees *s, imp_profile *to);
int trees_done(const void *state);

#endif
