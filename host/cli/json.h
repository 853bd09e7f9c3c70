/* Writing one JSON document. Numbers read back exactly and do not depend on the locale's decimal
 * point, which this program never changes. */
#ifndef IMP_JSON_H
#define IMP_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth, first;
} json;

/* key = NULL within an array, and for the document itself */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */
void json_text(json *j, const char *key, const char *value);
void json_count(json *j, const char *key, uint64_t value);
void json_whole(json *j, const char *key, int64_t value);
void json_real(json *j, const char *key, double value);
void json_bool(json *j, const char *key, int value);

#endif
