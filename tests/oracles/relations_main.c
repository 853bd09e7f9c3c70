/* relations FIRST COUNT: pairs of closed meshes on a lattice, each in a line that relations_nef.cpp
 * reads, with the oracle's relation. Coordinates are in hexadecimal. A last line, that of the names
 * of relations with the number of pairs of each, goes to stderr. */
#include "mem.h"
#include "solid_scenes.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const relations_names[] = {"apart", "touching", "crossing", "a_in_b", "b_in_a"};

int main(int argc, char **argv)
{
    const imp_def def = {.inside = 1};
    uint64_t count[sizeof relations_names / sizeof *relations_names] = {0};
    solid_scene *s = solid_scene_open();
    if (argc != 3)
        return 2;
    const uint64_t first = strtoull(argv[1], NULL, 10), n = strtoull(argv[2], NULL, 10);
    for (uint64_t i = first; i < first + n; i++) {
        mem m = {0};
        truth_relations t;
        solid_pair_make(s, i);
        if (truth_relations_find(&m, &s->frame, &def, 1, &t) || t.closed != 2)
            return 1;
        const int relation = t.count ? t.relation->relation : IMP_RELATION_APART;
        printf("%d %s", (int)i, relations_names[relation]);
        solid_print(s, 0);
        solid_print(s, 1);
        printf("\n");
        count[relation]++;
        truth_relations_free(&m, &t);
    }
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        fprintf(stderr, "%s%s %d", i ? ", " : "", relations_names[i], (int)count[i]);
    fprintf(stderr, "\n");
    free(s);
    return 0;
}
