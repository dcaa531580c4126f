/*
 * json.h - writes JSON
 *
 *	json_begin(&w, out);
 *	json_open_object(&w);
 *	json_key(&w, "epsilon");
 *	json_write_rational(&w, &epsilon);
 *	json_close_object(&w);
 *	json_end(&w);
 *
 * What a command prints is one object; its first key, "version", is written by the writer.
 * Commas, indentation and escapes are the writer's business; keys come out in
 * the order in which they go in.  A number that a reader with doubles would not
 * get back as written (an integer beyond 2^53, more than 15 significant
 * digits, a fraction) is written as a string.
 *
 * The server has a writer of its own (src/server/http/json_reply.h): its replies stand on one line,
 * go to capped memory and escape what a web page must not see.  One writer for both would have to
 * be part of the public interface, which is all that the program sees of the library.
 */
#ifndef SOTTO_JSON_H
#define SOTTO_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sotto/rational.h"

enum { JSON_DEPTH_MAX = 16 };

/* Version of the shapes in docs/schema: raised when a key is removed or changes its meaning. */
enum { JSON_VERSION = 1 };

struct json_writer {
	FILE *out;
	unsigned depth;
	bool filled[JSON_DEPTH_MAX]; /* something was written at this depth */
	bool inline_at[JSON_DEPTH_MAX];
	bool after_key;
};

/*
 * Prints an object that the library wrote and that is not empty, with the version as its first
 * key.
 */
void json_print_versioned(const char *object, FILE *out);

void json_begin(struct json_writer *w, FILE *out);
void json_end(struct json_writer *w); /* writes the last newline */

void json_open_object(struct json_writer *w);
void json_close_object(struct json_writer *w);
void json_open_array(struct json_writer *w);
void json_close_array(struct json_writer *w);

/* Like _open_array and _open_object, but everything on one line; close as usual. */
void json_open_row(struct json_writer *w);
void json_open_record(struct json_writer *w);

void json_key(struct json_writer *w, const char *key);

/* Writes text in UTF-8; other bytes become U+FFFD. */
void json_write_text(struct json_writer *w, const char *text);
void json_write_integer(struct json_writer *w, int64_t value);
void json_write_bool(struct json_writer *w, bool value);
void json_write_null(struct json_writer *w);

/* Writes the shortest decimal that reads back as x; null for a NaN or an infinity. */
void json_write_double(struct json_writer *w, double x);

/* Write a key and its value; a NULL text becomes null. */
void json_member_text(struct json_writer *w, const char *key, const char *text);
void json_member_integer(struct json_writer *w, const char *key, int64_t value);
void json_member_bool(struct json_writer *w, const char *key, bool value);
void json_member_double(struct json_writer *w, const char *key, double x);

/* Writes the exact value: a number or a string, by the rule above. */
void json_write_rational(struct json_writer *w, const struct sotto_rational *r);

/*
 * Write a key and its number: r or, if that is not a short decimal, the nearest number below
 * (above) it, followed by the key NAME_exact with the exact fraction as text.
 */
void json_write_amount_down(struct json_writer *w, const char *key,
			    const struct sotto_rational *r);
void json_write_amount_up(struct json_writer *w, const char *key,
			  const struct sotto_rational *r);

/*
 * Writes a number that is given as text: as it is if JSON and the rule above allow that, else as
 * a string.
 */
void json_write_number_text(struct json_writer *w, const char *number);

#endif
