/* See beside.h. */
#include "beside.h"

/* Counts the pair in *out; returns whether the boxes of its nodes overlap. */
static int beside_count_pair(const tree_duo *boxes, const tree_duo *spheres, tree_pair at,
                             beside *out)
{
    tree_counts unused = {0};
    const int box = tree_overlap(boxes, at, &unused), sphere = tree_overlap(spheres, at, &unused);
    out->pairs++;
    out->boxes += !box;
    out->spheres += !sphere;
    out->alone += box && !sphere;
    return box;
}

void beside_count(const tree_duo *boxes, const tree_duo *spheres, tree_stack_entry *stack,
                  beside *out)
{
    size_t depth = 0;
    if (beside_count_pair(boxes, spheres, (tree_pair){0, 0}, out))
        stack[depth++] = (tree_stack_entry){{0, 0}, 0};
    while (depth) {
        tree_stack_entry *top = stack + depth - 1;
        if (top->next >= tree_child_pairs(boxes, top->at)) {
            depth--;
            continue;
        }
        const tree_pair next = tree_child_pair(boxes, top->at, top->next++);
        if (beside_count_pair(boxes, spheres, next, out))
            stack[depth++] = (tree_stack_entry){next, 0};
    }
}
