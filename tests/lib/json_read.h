/* JSON by RFC 8259, enough to look into a document and to reject invalid ones. */
#ifndef IMP_JSON_READ_H
#define IMP_JSON_READ_H

/* Returns whether the text is one JSON document and nothing else. */
int json_valid(const char *text);

/* The value at a path of member names and indices such as "seconds.load" or "devices.0.name", as in
 * the text; NULL if absent. Valid until the next call. */
const char *json_at(const char *text, const char *path);

/* The same as a number; NaN if it is not one. */
double json_number(const char *text, const char *path);

#endif
