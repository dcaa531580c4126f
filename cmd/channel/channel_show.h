/*
 * channel_show.h - what the commands about channels share: exact numbers, files, pictures
 */
#ifndef SOTTO_CMD_CHANNEL_SHOW_H
#define SOTTO_CMD_CHANNEL_SHOW_H

#include "frame/command.h"
#include "show/json.h"
#include "sotto/utility.h"

/* Returns "p/q" or "p"; the caller frees it. */
char *channel_fraction(const struct sotto_rational *r);

/* Returns "4/9", or a decimal if the fraction is long; the caller frees it. */
char *channel_text_exact(const struct sotto_rational *r);

/* Prints a label, this many columns wide, and r to 12 digits; also exactly if that is rounded. */
void channel_print_line(int width, const char *label, const struct sotto_rational *r,
			FILE *out);

/* Prints a label, this many columns wide, and at least this epsilon, to 12 digits; no end of line. */
void channel_print_epsilon(int width, const char *label, double epsilon_up, FILE *out);

/* Returns the nearest double. */
double channel_near(const struct sotto_rational *r);

/*
 * Writes key: a double, and key_exact: "p/q"; that is null if it is too long to read, or if the
 * true number is irrational and r only approximates it.
 */
void channel_write_exact(struct json_writer *json, const char *key,
			 const struct sotto_rational *r, bool is_exact);

/* Writes the library's sentence as a complaint: status 2 if input was not understood, else 1. */
enum outcome
channel_complain(enum sotto_status st, const struct sotto_error *why, struct sotto_error *err);

/* Opens a file for writing, or complains. */
FILE *channel_create(const char *path, struct sotto_error *err);

/* Closes it.  False, with a complaint, if writing failed. */
bool channel_finish(FILE *f, const char *path, struct sotto_error *err);

/* Draws the channel as a heat map. */
void channel_draw(const struct sotto_matrix *channel, const char *title, FILE *out);

#endif
