/* See result_input.h. */
#include "result_input.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the path of a file in the folder of the result; NULL without memory. */
static char *result_input_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(name) + 1;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s%s", (int)folder, path, name);
    return out;
}

/* Keeps the name if there is such a file; else frees it. Without memory *err is set. */
static int result_input_is_there(char *name, char **out, int *err)
{
    if (!name)
        *err = imp_fail(IMP_ERR_MEMORY, "out of memory");
    else if (access(name, F_OK))
        free(name);
    else
        *out = name;
    return !name || *out;
}

int result_input_find(const char *path, const result_info *info, const char *given, char **out)
{
    int err = IMP_OK;
    const char *name = given ? given : info->input, *slash = strrchr(name, '/');
    *out = NULL;
    if (result_input_is_there(strdup(name), out, &err))
        return err;
    if (!given && result_input_is_there(result_input_beside(path, name), out, &err))
        return err;
    if (!given && slash && result_input_is_there(result_input_beside(path, slash + 1), out, &err))
        return err;
    if (given)
        return imp_fail(IMP_ERR_INPUT, "%s: there is no such file", name);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: there is no such file, the input of %s; --input names it where it is now",
                    name, path);
}

int result_input_same(const result_info *info, const file_pieces *pieces)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)file_pieces_sum(pieces->piece, pieces->count));
    return pieces->bytes == info->input_bytes && !strcmp(text, info->input_hash);
}
