/* See words.h. */
#include "words.h"

#include "error.h"

#include <string.h>
#include <strings.h>

/* A # ends the words of a line, so the next word is in another one. */
int words_more(words *w, int *found)
{
    for (;;) {
        if (w->at) {
            w->at = text_skip_blanks(w->at);
            *found = !text_ends_word(*w->at);
            if (*found)
                return IMP_OK;
        }
        int err = text_next(w->text, &w->at);
        *found = 0;
        if (err || !w->at)
            return err;
    }
}

int words_ends(words *w)
{
    return imp_fail(TEXT_BAD(w->text, "the file ends within %s", w->within));
}

/* The end of the file is an error here: a format has announced another word. */
int words_find(words *w)
{
    int found, err = words_more(w, &found);
    return err ? err : found ? IMP_OK : words_ends(w);
}

/* The statement is still in the buffer, so the message can show the word. */
int words_real(words *w, double *out)
{
    int err = IMP_OK;
    TRY(words_find(w));
    if (!text_number(w->text, w->at, &w->at, out))
        FAIL(TEXT_BAD(w->text, "'%s' is not a number, in %s", text_show(w->at).text, w->within));
out:
    return err;
}

/* Whole numbers; negative ones only if `may_be_negative`, although -0 is 0. */
static int take_integer(words *w, int may_be_negative, int *negative, uint64_t *out)
{
    int err = IMP_OK;
    TRY(words_find(w));
    const char *end = text_integer(w->at, negative, out);
    if (!end || !text_ends_word(*end) || (*negative && *out && !may_be_negative))
        FAIL(TEXT_BAD(w->text, "'%s' is not a whole number%s, in %s", text_show(w->at).text,
                      may_be_negative ? "" : " of 0 or more", w->within));
    /* only now, so that messages show the whole word */
    w->at = end;
out:
    return err;
}

int words_count(words *w, uint64_t *out)
{
    int negative;
    return take_integer(w, 0, &negative, out);
}

int words_integer(words *w, int64_t *out)
{
    int negative = 0;
    uint64_t n = 0;
    /* text_integer cuts at INT64_MAX, so the cast below is safe */
    int err = take_integer(w, 1, &negative, &n);
    *out = negative ? -(int64_t)n : (int64_t)n;
    return err;
}

/* Words of any kind, also with a # within: names of arrays may have one. */
int words_skip(words *w, uint64_t n)
{
    int err = IMP_OK;
    while (n) {
        if (w->at)
            w->at = text_skip_blanks(w->at);
        if (!w->at || !*w->at) {
            TRY(text_next(w->text, &w->at));
            if (!w->at)
                return words_ends(w);
            continue;
        }
        while (*w->at && text_skip_blanks(w->at) == w->at)
            w->at++;
        n--;
    }
out:
    return err;
}

/* VTK's readers accept keywords in any case. */
int words_take(words *w, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(w->at, word, n) != 0 || !text_ends_word(w->at[n]))
        return 0;
    w->at += n;
    return 1;
}

/* The text stays in the buffer of w->text. NULL makes the next word one of the next line. */
const char *words_rest(words *w)
{
    const char *rest = w->at ? text_skip_blanks(w->at) : "";
    w->at = NULL;
    return rest;
}

/* For lines of any words, such as titles: nothing of the present line is looked at. */
int words_line(words *w, const char **out)
{
    w->at = NULL;
    return text_next(w->text, out);
}
