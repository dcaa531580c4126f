/*
 * json_reply.h - writes the JSON of replies
 *
 * The writer places commas and escapes.  A number that a double cannot represent is written as a
 * string.  The first failure (out of memory, or past the cap) is kept; sotto_json_status returns
 * it at the end.  The program's writer, which indents and prints to a file, is cmd/show/json.h: the
 * two could be one only as a part of the public interface.
 */
#ifndef SOTTO_JSON_REPLY_H
#define SOTTO_JSON_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "sotto/rational.h"

struct sotto_json {
	struct sotto_buffer text;
	bool comma; /* the next item needs a comma before it */
	enum sotto_status status;
};

void sotto_json_init(struct sotto_json *j, size_t cap);
void sotto_json_release(struct sotto_json *j);
enum sotto_status sotto_json_status(const struct sotto_json *j);

void sotto_json_open(struct sotto_json *j, char bracket); /* '{' or '[' */
void sotto_json_close(struct sotto_json *j, char bracket); /* '}' or ']' */
void sotto_json_key(struct sotto_json *j, const char *key);

/* NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void sotto_json_text(struct sotto_json *j, const char *text);
void sotto_json_integer(struct sotto_json *j, int64_t x);
void sotto_json_bool(struct sotto_json *j, bool x);
void sotto_json_null(struct sotto_json *j);

/* The shortest decimal that reads back as x; "nan", "inf" and "-inf" as strings. */
void sotto_json_double(struct sotto_json *j, double x);

/* A decimal number as it is, or as a string if a double cannot represent it. */
void sotto_json_decimal(struct sotto_json *j, const char *number);

/* A key and its value. */
void sotto_json_member_text(struct sotto_json *j, const char *key, const char *text);
void sotto_json_member_integer(struct sotto_json *j, const char *key, int64_t x);
void sotto_json_member_bool(struct sotto_json *j, const char *key, bool x);
void sotto_json_member_double(struct sotto_json *j, const char *key, double x);

/*
 * A key and its number.  A number that is not a short decimal is rounded down (what is left) or
 * up (what is spent), and the key NAME_exact has the fraction as a string.
 */
void sotto_json_left(struct sotto_json *j, const char *key, const struct sotto_rational *r);
void sotto_json_spent(struct sotto_json *j, const char *key, const struct sotto_rational *r);

#endif
