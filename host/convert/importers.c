/* See importers.h. */
#include "importers.h"

#include "text.h"

#include <string.h>
#include <strings.h>

#define IMPORTER(name, ending, title, begins, has_groups, more)                                    \
    {ending, title, begins, has_groups, name##_read},
static const importer importers[] = {
#include "importers.def"
};
#undef IMPORTER

#define IMPORTER(name, ending, ...) " " ending
const char importer_endings[] =
#include "importers.def"
    ;
#undef IMPORTER

#define IMPORTERS (sizeof importers / sizeof *importers)

/* The last one needs no test: it has no beginning of its own and takes what no other one does. */
const importer *importer_of_text(const text *t)
{
    size_t i = 0;
    while (i + 1 < IMPORTERS && !text_begins(t, importers[i].begins))
        i++;
    return &importers[i];
}

/* Only for messages: contents decide what reads a file. */
const importer *importer_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < IMPORTERS; i++)
        if (!strcasecmp(dot, importers[i].ending))
            return &importers[i];
    return NULL;
}
