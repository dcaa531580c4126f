/*
 * Arrow arrays of made-up bytes: nothing outside a buffer is read, and every value is one that
 * the engine knows.
 *
 * A line with the format, a line with the format of a dictionary (or nothing), then rows,
 * nulls, offset, and the bytes of the buffers.  Buffers have just the size that the array
 * needs; offsets of texts never lead past their bytes, which no reader could know.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/adbc/arrow_column.h"
#include "core/base/utf8_check.h"

enum { FORMAT_MAX = 40, ROWS_MAX = 64, TEXTS = 200 };

struct input {
	const uint8_t *next, *end;
};

static uint8_t take(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static void take_line(struct input *in, char line[FORMAT_MAX])
{
	size_t n = 0;
	uint8_t c;

	while (in->next < in->end && (c = take(in)) != '\n' && n + 1 < FORMAT_MAX)
		if (c != '\0')
			line[n++] = (char)c;
	line[n] = '\0';
}

static void *take_bytes(struct input *in, size_t n)
{
	uint8_t *out = malloc(n ? n : 1);

	if (!out)
		abort();
	for (size_t i = 0; i < n; i++)
		out[i] = take(in);
	return out;
}

static void hold_offsets(void *offsets, size_t n, unsigned width)
{
	for (size_t i = 0; i < n; i++) {
		int64_t x = 0;
		int32_t narrow;

		if (width == 4) {
			memcpy(&narrow, (char *)offsets + 4 * i, sizeof narrow);
			x = narrow;
		} else {
			memcpy(&x, (char *)offsets + 8 * i, sizeof x);
		}
		if (x > TEXTS)
			x %= TEXTS + 1;
		narrow = (int32_t)x;
		memcpy((char *)offsets + width * i, width == 4 ? (void *)&narrow : (void *)&x,
		       width);
	}
}

/* Just as large as a plain column of so many rows after the offset needs. */
static void make_array(struct input *in, const struct sotto_arrow_plain *p, int64_t rows,
		       struct ArrowArray *a, const void *buffers[3])
{
	uint8_t odd = take(in);
	size_t all;

	a->offset = take(in) % 8;
	a->length = rows;
	all = (size_t)(a->offset + rows);
	a->buffers = buffers;
	a->null_count = odd & 1 ? -1 : 0;
	buffers[0] = odd & 1 ? take_bytes(in, (all + 7) / 8) : NULL;
	if (p->layout == SOTTO_ARROW_BITS)
		buffers[1] = take_bytes(in, (all + 7) / 8);
	else if (p->layout == SOTTO_ARROW_FIXED)
		buffers[1] = take_bytes(in, all * p->width);
	else if (p->layout != SOTTO_ARROW_NOTHING) {
		unsigned width = p->layout == SOTTO_ARROW_OFFSETS64 ? 8 : 4;
		void *offsets = take_bytes(in, (all + 1) * width);

		hold_offsets(offsets, all + 1, width);
		buffers[1] = offsets;
		buffers[2] = odd & 2 ? take_bytes(in, TEXTS) : NULL;
	}
	a->n_buffers = p->layout == SOTTO_ARROW_NOTHING     ? 0
		       : p->layout >= SOTTO_ARROW_OFFSETS32 ? 3
							    : 2;
	if (odd & 4) /* what does not fit is not read */
		a->n_buffers = odd >> 4;
}

static void check(const struct sotto_arrow_column *c, const struct sotto_arrow_value *v)
{
	sotto_i128 most = 1;

	if (v->is_null)
		return;
	if (v->length > SOTTO_ARROW_TEXT_MAX ||
	    (v->text && !sotto_utf8_is_valid((const uint8_t *)v->text, v->length)))
		abort();
	if (c->values.meaning == SOTTO_ARROW_DATE &&
	    (v->integer < -INT32_MAX || v->integer > INT32_MAX))
		abort();
	if (c->values.meaning == SOTTO_ARROW_TIMESTAMP && v->integer != -INT64_MAX &&
	    v->integer < INT64_C(-9223372022400000000))
		abort();
	for (int i = 0; c->values.meaning == SOTTO_ARROW_DECIMAL && i < c->values.digits; i++)
		most *= 10;
	if (c->values.meaning == SOTTO_ARROW_DECIMAL &&
	    (v->digits >= most || v->digits <= -most))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sotto_arrow_scratch scratch;
	struct input in = {data, data + size};
	char format[FORMAT_MAX], inner[FORMAT_MAX];
	struct ArrowSchema dictionary = {.format = inner}, schema = {.format = format};
	struct ArrowArray values = {0}, array = {0};
	const void *buffers[3] = {0}, *inner_buffers[3] = {0};
	struct sotto_arrow_column c;
	int64_t rows;

	take_line(&in, format);
	take_line(&in, inner);
	schema.dictionary = *inner ? &dictionary : NULL;
	if (!sotto_arrow_column_read(&schema, &c) ||
	    (c.values.layout == SOTTO_ARROW_FIXED && c.values.width > 1000))
		return 0;
	rows = take(&in) % ROWS_MAX;
	make_array(&in, c.has_dictionary ? &c.indices : &c.values, rows, &array, buffers);
	if (c.has_dictionary) {
		make_array(&in, &c.values, take(&in) % ROWS_MAX, &values, inner_buffers);
		array.dictionary = &values;
	}
	if (sotto_arrow_array_fits(&c, &array, rows))
		for (int64_t i = 0; i < rows; i++) {
			struct sotto_arrow_value v = sotto_arrow_value(&c, &array, i, &scratch);

			check(&c, &v);
		}
	for (int i = 0; i < 3; i++) {
		free((void *)(uintptr_t)buffers[i]);
		free((void *)(uintptr_t)inner_buffers[i]);
	}
	return 0;
}
