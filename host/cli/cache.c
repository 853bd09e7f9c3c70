/* See cache.h. */
#include "cache.h"

#include "auto.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int cache_open(const char *what)
{
    char path[4096];
    if (!auto_path(what, path, sizeof path))
        return -1;
    auto_folder(path);
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

int cache_append(const char *what, const char *line)
{
    int f = cache_open(what);
    if (f < 0)
        return 0;
    int done = write(f, line, strlen(line)) == (ssize_t)strlen(line);
    return close(f) == 0 && done;
}
