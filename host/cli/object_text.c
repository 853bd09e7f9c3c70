/* See object_text.h. */
#include "object_text.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *object_text(const batch_names *names, int32_t object)
{
    const char *name = batch_object_name(names, object);
    const size_t size = 16 + (name ? strlen(name) : 0);
    char *text = malloc(size);
    if (text && name)
        snprintf(text, size, "%d (%s)", object, name);
    else if (text)
        snprintf(text, size, "%d", object);
    const char *shown = cli_shown(text ? text : "?");
    free(text);
    return shown;
}
