/* See notice.h. */
#include "notice.h"

#include "cli.h"
#include "text.h"

#include <stdio.h>

void notice_add(notice *n, const char *file, const char *place, const file_shape_note *in_file)
{
    if (!in_file->count)
        return;
    n->one_file = !n->files++ || (n->one_file && n->file == file);
    if (n->files == 1) {
        n->file = file;
        n->place = place;
        n->in_file = *in_file;
    }
}

void notice_print_files(const notice *n)
{
    if (n->files > 1)
        fprintf(stderr, "; the same in %zu %s in all", n->files, n->one_file ? "frames" : "files");
    fputc('\n', stderr);
}

void notice_print(const notice *n, const char *what)
{
    if (!n->files)
        return;
    fprintf(stderr, "impinge: %s: %s %llu: %s", cli_shown(text_name(n->file)), n->place,
            (unsigned long long)n->in_file.line, cli_shown(what));
    if (n->in_file.count > 1)
        fprintf(stderr, "; %llu such in this file", (unsigned long long)n->in_file.count);
    notice_print_files(n);
}
