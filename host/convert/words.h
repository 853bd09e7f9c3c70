/* Text files as words, where an end of line is a blank: numbers and names of formats that were made
 * for fscanf. */
#ifndef IMP_WORDS_H
#define IMP_WORDS_H

#include "text.h"

#include <stdint.h>

typedef struct words {
    text *text;
    const char *at;     /* in the present statement; NULL before the first */
    const char *within; /* the part of the file, for messages */
} words;

/* Errors of all that return int: INPUT (the file ends here, or the word is not what it should be;
 * with the line), MEMORY. */

/* Is there another word? It is at w->at then; *found = 0 at the end of the file. */
int words_more(words *w, int *found);

/* That the file ends here, as an error. */
int words_ends(words *w);

/* Moves to the next word, which must be there. */
int words_find(words *w);

/* Takes the next word. words_count: 0 or more, at most TEXT_INTEGER_MOST, as which greater ones
 * count. */
int words_real(words *w, double *out);
int words_count(words *w, uint64_t *out);
int words_integer(words *w, int64_t *out);

/* Takes n words of any kind; only blanks and ends of lines separate them. */
int words_skip(words *w, uint64_t n);

/* The word at w->at: is it this one, in any case of letters? Takes it then. */
int words_take(words *w, const char *word);

/* The rest of the present line, without what was taken; then the line is skipped. The text stays
 * until the next call. */
const char *words_rest(words *w);

/* The next line, the rest of the present one before it is skipped; NULL at the end. */
int words_line(words *w, const char **out);

#endif
