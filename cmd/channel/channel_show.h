/*
 * channel_show.h - what the commands about channels share: exact numbers, files, pictures
 */
#ifndef SOTTO_CMD_CHANNEL_SHOW_H
#define SOTTO_CMD_CHANNEL_SHOW_H

#include "frame/command.h"
#include "show/json.h"
#include "sotto/utility.h"

/* "p/q" or "p"; the caller frees it. */
char *channel_fraction(const struct sotto_rational *r);

/* "4/9", or so many digits where the fraction is long; the caller frees it. */
char *channel_text_exact(const struct sotto_rational *r);

/*
 * A label in the given number of columns, and r to 12 digits; where that is not all of it,
 * also exactly.
 */
void channel_print_line(int width, const char *label, const struct sotto_rational *r,
			FILE *out);

/* A number in doubles, rounded to the nearest. */
double channel_near(const struct sotto_rational *r);

/*
 * key: a double, and key_exact: "p/q", or null where that is longer than a reader wants, or
 * where the true number is irrational and r only stands in for it.
 */
void channel_write_exact(struct json_writer *json, const char *key,
			 const struct sotto_rational *r, bool is_exact);

/* The library's sentence as a complaint: 2 for what was not understood, 1 for the rest. */
enum outcome
channel_complain(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err);

/* Opens a file to be written, or complains. */
FILE *channel_create(const char *path, struct sotto_error *err);

/* Closes it; false, with a complaint, if anything could not be written. */
bool channel_finish(FILE *f, const char *path, struct sotto_error *err);

/* The channel as a heat map. */
void channel_draw(const struct sotto_matrix *channel, const char *title, FILE *out);

#endif
