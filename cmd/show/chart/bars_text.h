/*
 * bars_text.h - level bars with their intervals, for a terminal
 *
 *	count by ward
 *	emergency   ███████████████████████├──┤           1234
 */
#ifndef SOTTO_BARS_TEXT_H
#define SOTTO_BARS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bars_text {
	const char *title;
	const char *const *names;
	const double *values, *low, *high; /* NaN: no value, no interval */
	size_t count;
};

/*
 * Prints the bars.  False if there is nothing to draw.  Uses letters outside ASCII only if the
 * locale has UTF-8.
 */
bool bars_text_print(const struct bars_text *b, FILE *out, unsigned width);

#endif
