/*
 * The cells of a CSV record that is known to be well-formed.
 */
#include <string.h>

#include "central/seal/text/record_values.h"

/* A quoted cell from its first quote on; *end is behind the last. */
static bool take_quoted(struct sotto_values *c, const char *at, const char *stop,
			struct sotto_record_cell *cell, const char **end)
{
	char *out = c->scratch + c->scratch_used, *start = out;
	const char *quote;

	for (at++;; at = quote + 2) {
		quote = at < stop ? memchr(at, '"', (size_t)(stop - at)) : NULL;
		if (!quote)
			return false;
		memcpy(out, at, (size_t)(quote - at));
		out += quote - at;
		if (quote + 1 >= stop || quote[1] != '"')
			break;
		*out++ = '"';
	}
	cell->bytes = start;
	cell->length = (size_t)(out - start);
	c->scratch_used += cell->length;
	*end = quote + 1;
	return true;
}

/* Fewer or more cells than columns: not the text that was surveyed. */
enum sotto_status sotto_csv_values(struct sotto_values *c, char delimiter, const char *bytes,
				   size_t n, bool *found)
{
	const char *at = bytes, *stop = bytes + n, *end;
	size_t i = 0;

	if (n > 0 && stop[-1] == '\r')
		stop--;
	*found = c->count == 1 || at < stop;
	if (!*found)
		return SOTTO_OK;
	for (; i < c->count; i++, at = end + 1) {
		struct sotto_record_cell *cell = &c->cells[i];

		if (at > stop)
			return SOTTO_ESTATE;
		if (at < stop && *at == '"') {
			if (!take_quoted(c, at, stop, cell, &end))
				return SOTTO_ESTATE;
		} else {
			end = at < stop ? memchr(at, delimiter, (size_t)(stop - at)) : NULL;
			end = end ? end : stop;
			*cell = (struct sotto_record_cell){at, (size_t)(end - at)};
		}
		if (end < stop && *end != delimiter)
			return SOTTO_ESTATE;
		if (cell->length == 0)
			cell->bytes = NULL;
		if (end == stop)
			return i + 1 == c->count ? SOTTO_OK : SOTTO_ESTATE;
	}
	return SOTTO_ESTATE;
}
