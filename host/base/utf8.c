/* See utf8.h. */
#include "utf8.h"

#include <string.h>

size_t utf8_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    /* the least second byte excludes what has a shorter form, the greatest what is not Unicode */
    unsigned low = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    size_t n = c[0] < 0x80                    ? 1
               : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
               : c[0] >= 0xe0 && c[0] <= 0xef ? 3
               : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                              : 0;
    for (size_t i = 1; i < n; i++)
        if (i == 1 ? c[1] < low || c[1] > high : (c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

int utf8_controls(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    if (bytes == 1)
        return c[0] < ' ' || c[0] == 0x7f;
    if (bytes == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    /* U+2028 to U+202E; U+2066 to U+2069 */
    return bytes == 3 && c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* It only gets shorter. */
void utf8_plain(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        const size_t n = utf8_bytes(at);
        if (!n || utf8_controls(at, n))
            *to++ = '?';
        else {
            memmove(to, at, n);
            to += n;
        }
        at += n ? n : 1;
    }
    *to = 0;
}
