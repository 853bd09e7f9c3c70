/* Within the method "tree": broad_tree.c (objects and their trees), broad_tree_pairs.c (those of
 * rigid bodies), broad_tree_pairs.c (descents). */
#ifndef IMP_BROAD_TREE_H
#define IMP_BROAD_TREE_H

#include "bodies.h"
#include "broad.h"

enum copies { COPY_BOX, COPY_SLAB, COPY_CORNER, COPY_X, COPIES };

/* Trees of several objects: tree i is of object[i]. */
typedef struct tree_set {
    tree tree;
    uint32_t *start; /* [trees + 1] */
    uint32_t *prim;
    int32_t *object;
    int ready; /* made of the mesh of the last view */
    int made;  /* or fitted, for the current block */
} tree_set;

/* Rigid bodies of a block of one frame, by tree. Spheres and oriented boxes are in the body's own
 * coordinates, about the middle of its box there and in the units of the frame that they were made
 * in; k-DOPs are fitted to each frame. */
typedef struct tree_bodies {
    body_set of;
    double *off;      /* [of.runs] how far a vertex of the run is from where the pose puts it */
    double *x;        /* [3 * verts] */
    double *middle;   /* [3 * trees] in the body's coordinates */
    double *reach;    /* [trees] the greatest amount of any of x: it may be that of a bad primitive,
                         more than BV_EXTENT */
    uint32_t *body;   /* [trees] its position in mesh->body */
    uint32_t *tree;   /* [bodies] the inverse; any number for a body without primitives */
    bv_pose *place;   /* [trees] to the coordinates of the frame */
    uint8_t *current; /* [trees] bounds of its primitives are those of the frame */
    double scale[2];
} tree_bodies;

/* Pairs of trees that descents are made of. */
typedef struct tree_duos {
    tree_duo *duo; /* [count] number 0: soft objects */
    bv_pose *pose; /* [count] of each that has one */
    uint32_t count, capacity;
} tree_duos;

typedef struct trees {
    uint64_t mesh;        /* block_view.mesh that all of it was made of, or 0 */
    tree_set soft, rigid; /* objects: soft ones first, then rigid ones */
    tree_bodies bodies;
    double weight;         /* tree_weight of the soft ones when they were made */
    uint32_t *start_above; /* [frames + 1] objects of each frame */
    tree above;            /* of each frame, over boxes of its objects */
    float *root;           /* [6 * objects] */
    /* on the host: the device's memory, or copies */
    tree_source from;
    void *copy[COPIES];
    double *x;
    /* pairs */
    broad_range range;
    tree_duos duos;
    tree_front front;
    size_t at;
    double each;        /* pairs that one of the front had on average */
    tree_counts counts; /* not yet in the profile */
} trees;

/* Are the trees of the current mesh? An earlier block may have failed before it made them. */
static inline int trees_follow(const trees *s, const broad_input *in)
{
    return s->mesh && s->mesh == in->view->mesh;
}

static inline uint32_t trees_objects(const trees *s)
{
    return s->soft.tree.trees + s->rigid.tree.trees;
}

/* An object's set, and its number there. */
static inline const tree_set *trees_set(const trees *s, uint32_t object, uint32_t *number)
{
    const uint32_t soft = s->soft.tree.trees;
    *number = object < soft ? object : object - soft;
    return object < soft ? &s->soft : &s->rigid;
}

/* ---- broad_tree.c */

/* Lists the trees of a set: of the block's rigid objects, or of the others. */
int trees_find(const broad_input *in, const float *box, int rigid, tree_set *out,
               uint32_t *start_above);
void tree_set_free(mem *m, tree_set *s);

/* Makes the listed trees, of bounds and vertices that need not be the frame's. */
int tree_set_make(const broad_input *in, const tree_source *from, tree_set *set);

/* ---- broad_tree_pairs.c */

/* Does the block have rigid bodies whose poses are known? Then it is of one frame. */
static inline int trees_posed(const block_view *v)
{
    return v->frames == 1 && v->frame->pose && v->frame->mesh->bodies;
}

/* Makes the trees of rigid bodies, or takes those there are. Poses were checked before. Errors:
 * MEMORY, CANCELLED. */
int trees_bodies(trees *s, const broad_input *in);
void trees_bodies_free(trees *s, mem *m);

/* Bounds of a rigid tree's primitives are brought up to date, if they are not. */
void trees_update_bounds(trees *s, uint32_t number);

/* ---- broad_tree_pairs.c */

/* The pairs of a block whose trees are built: as of broad_method. */
int trees_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
int trees_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out);

/* Adds the counts since the last call to the profile, if there is one. */
void trees_report(trees *s, imp_profile *to);
int trees_done(const void *state);

#endif
