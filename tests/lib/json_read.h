/* JSON as RFC 8259 has it, enough to look into a document and to refuse what is none. */
#ifndef IMP_JSON_READ_H
#define IMP_JSON_READ_H

/* Is the text one JSON document and nothing else? */
int json_valid(const char *text);

/* The value at a path of member names and indices such as "seconds.load" or "devices.0.name", as it
 * stands in the text; NULL if there is none. Valid until the next call. */
const char *json_at(const char *text, const char *path);

/* The same as a number; NaN if it is none. */
double json_number(const char *text, const char *path);

#endif
