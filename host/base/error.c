/* Error codes and the thread's last text. The list itself is error.def. */
#include "error.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of each thread, so that pipelines of several threads do not overwrite each other's texts. */
static _Thread_local char error_text[1024];
/* A count, since two texts in a row may be equal. */
static _Thread_local unsigned long error_count;

static const struct {
    int code, exit;
    const char *text;
} error_list[] = {
#define X(name, number, exit, text) {name, exit, text},
#include "error.def"
#undef X
};

/* impinge.h spells the codes out for callers; this holds both lists together. */
#define X(name, number, exit, text) _Static_assert(name == (number), "error.def and impinge.h");
#include "error.def"
#undef X

int imp_fail(int code, const char *format, ...)
{
    char text[sizeof error_text]; /* the arguments may be the old text */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Names of files and of what is in them are parts of it, and it goes to terminals. */
    utf8_plain(text);
    memcpy(error_text, text, sizeof text);
    /* handout.c compares the count from before a sink with that after it. */
    error_count++;
    return code;
}

unsigned long error_texts(void)
{
    return error_count;
}

/* One line: what would begin another becomes a blank. */
int imp_set_error(int code, const char *text)
{
    char line[sizeof error_text];
    snprintf(line, sizeof line, "%s", text ? text : "");
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return imp_fail(code, "%s", line);
}

const char *imp_error_text(void)
{
    return error_text;
}

const char *imp_strerror(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof *error_list; i++)
        if (error_list[i].code == code)
            return error_list[i].text;
    return code == IMP_OK ? "no error" : "unknown error";
}

/* Codes that are not listed, such as a sink's own, end the program with 1. */
int imp_exit_code(int code)
{
    for (size_t i = 0; i < sizeof error_list / sizeof *error_list; i++)
        if (error_list[i].code == code)
            return error_list[i].exit;
    return code == IMP_OK ? 0 : 1;
}
