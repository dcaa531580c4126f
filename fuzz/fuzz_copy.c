/*
 * The binary COPY stream: no crash, and the same rows in one piece as in pieces
 * of the size that the first byte says.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/postgres/postgres_copy.h"

enum { COLUMNS = 2 };

struct outcome {
	size_t rows;
	uint64_t sum; /* of lengths and bytes, in order */
	bool has_ended, is_refused;
};

static void take(struct outcome *o, const struct sotto_copy_field *f)
{
	o->sum = o->sum * 31 + f->length + (f->bytes != NULL);
	for (size_t i = 0; i < f->length; i++)
		o->sum = o->sum * 31 + f->bytes[i];
}

static void take_rows(struct sotto_copy *c, struct outcome *o)
{
	struct sotto_copy_field fields[COLUMNS];
	bool found = true;

	while (!o->is_refused && found) {
		o->is_refused = sotto_copy_row(c, fields, &found) != SOTTO_OK;
		if (o->is_refused || !found)
			return;
		o->rows++;
		for (size_t i = 0; i < COLUMNS; i++)
			take(o, &fields[i]);
	}
}

static struct outcome read_all(const uint8_t *data, size_t size, size_t step)
{
	struct outcome o = {0};
	struct sotto_copy c;

	sotto_copy_init(&c, COLUMNS);
	for (size_t at = 0; at < size && !o.is_refused; at += step) {
		if (sotto_copy_feed(&c, data + at, size - at < step ? size - at : step) !=
		    SOTTO_OK)
			abort();
		take_rows(&c, &o);
	}
	o.has_ended = c.has_ended;
	sotto_copy_release(&c);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, pieces;

	if (size < 1)
		return 0;
	whole = read_all(data + 1, size - 1, size);
	pieces = read_all(data + 1, size - 1, (size_t)data[0] + 1);
	if (whole.is_refused != pieces.is_refused || whole.has_ended != pieces.has_ended)
		abort();
	if (whole.rows != pieces.rows || whole.sum != pieces.sum)
		abort();
	return 0;
}
