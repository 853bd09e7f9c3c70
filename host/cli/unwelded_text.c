/* See unwelded_text.h. */
#include "unwelded_text.h"

#include <stdio.h>

const char *unwelded_text(uint64_t primitives, const char *noun, const char *where, double fraction)
{
    static char text[240];
    snprintf(text, sizeof text,
             "no two of %llu %ss%s share a vertex, though %.0f %% of their %s are those of a "
             "neighbour, too: all neighbours are contacts",
             (unsigned long long)primitives, noun, where, 100 * fraction,
             *noun == 't' ? "edges" : "edges or faces");
    return text;
}
