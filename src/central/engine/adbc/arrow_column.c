/*
 * Reads a value at its offset by layout and meaning; wide decimals go through decimal text,
 * dates and times are cut to the engine's calendar.
 */
#include "central/engine/adbc/arrow_column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8_check.h"

enum { LIMBS = 8, WIDE_TEXT = 120 };
static const int64_t day_seconds = 86400, microseconds = 1000000;

/* The engine's calendar begins here; -INT64_MAX and INT64_MAX are its infinities. */
static const int64_t first_moment = INT64_C(-9223372022400000000);

/* ---- arrays ------------------------------------------------------------------- */

static int64_t buffers_of(enum sotto_arrow_layout layout)
{
	static const int64_t counts[] = {[SOTTO_ARROW_NOTHING] = 0,
					 [SOTTO_ARROW_BITS] = 2,
					 [SOTTO_ARROW_FIXED] = 2,
					 [SOTTO_ARROW_OFFSETS32] = 3,
					 [SOTTO_ARROW_OFFSETS64] = 3};

	return counts[layout];
}

static bool
plain_fits(const struct sotto_arrow_plain *p, const struct ArrowArray *a, int64_t rows)
{
	if (a->length < rows || a->offset < 0 || a->offset > INT32_MAX ||
	    a->length > INT64_MAX / 2 || a->n_buffers != buffers_of(p->layout))
		return false;
	if (a->n_buffers == 0)
		return true;
	if (!a->buffers || (a->null_count > 0 && !a->buffers[0]))
		return false;
	return rows == 0 || a->buffers[1]; /* texts may be empty all: then no bytes are there */
}

bool sotto_arrow_array_fits(const struct sotto_arrow_column *c, const struct ArrowArray *array,
			    int64_t rows)
{
	if (rows < 0)
		return false;
	if (!c->has_dictionary)
		return plain_fits(&c->values, array, rows);
	return plain_fits(&c->indices, array, rows) && array->dictionary &&
	       array->dictionary->length >= 0 &&
	       plain_fits(&c->values, array->dictionary, array->dictionary->length);
}

static bool get_bit(const void *bits, int64_t at)
{
	return ((const uint8_t *)bits)[at / 8] >> (at % 8) & 1;
}

/* Little endian, as the machine: sign and all above its width are filled. */
static sotto_i128 get_integer(const void *data, unsigned width, int64_t at, bool is_signed)
{
	const uint8_t *bytes = (const uint8_t *)data + at * (int64_t)width;
	sotto_u128 x = is_signed && bytes[width - 1] & 0x80 ? ~(sotto_u128)0 : 0;

	for (unsigned i = width; i-- > 0;)
		x = x << 8 | bytes[i];
	return (sotto_i128)x;
}

/* ---- values ------------------------------------------------------------------- */

static const struct sotto_arrow_value nothing = {.is_null = true};

static double half_to_double(unsigned bits)
{
	int exponent = bits >> 10 & 0x1f;
	double sign = bits & 0x8000 ? -1 : 1, fraction = bits & 0x3ff;

	if (exponent == 0x1f)
		return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
	if (exponent == 0)
		return sign * fraction * 0x1p-24;
	return sign * (1024 + fraction) * __builtin_ldexp(1, exponent - 25);
}

/* Takes the last nine digits off; the number is gone when all limbs are 0. */
static uint32_t divide(uint32_t limbs[LIMBS])
{
	uint64_t rest = 0;

	for (size_t i = LIMBS; i-- > 0;) {
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t)(rest / 1000000000);
		rest %= 1000000000;
	}
	return (uint32_t)rest;
}

static bool load_limbs(const uint8_t *bytes, unsigned width, uint32_t limbs[LIMBS])
{
	bool is_negative = bytes[width - 1] >> 7;
	uint64_t carry = is_negative;

	for (unsigned i = 0; i < LIMBS; i++) {
		uint32_t x = is_negative ? UINT32_MAX : 0;

		if (4 * i < width)
			memcpy(&x, bytes + 4 * i, sizeof x);
		carry += is_negative ? (uint32_t)~x : x;
		limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return is_negative;
}

/* As decimal text without a point, which is read the same in every locale. */
static double wide_decimal(const struct sotto_arrow_plain *p, const void *data, int64_t at)
{
	uint32_t limbs[LIMBS], groups[10] = {0};
	bool is_negative =
		load_limbs((const uint8_t *)data + at * (int64_t)p->width, p->width, limbs);
	char text[WIDE_TEXT];
	int n = snprintf(text, sizeof text, "%s", is_negative ? "-" : "");

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
		groups[i] = divide(limbs);
	for (size_t i = sizeof groups / sizeof groups[0]; i-- > 0;)
		n += snprintf(text + n, sizeof text - (size_t)n, "%09u", groups[i]);
	(void)snprintf(text + n, sizeof text - (size_t)n, "e%d", -p->scale);
	return strtod(text, NULL);
}

static struct sotto_arrow_value decimal(const struct sotto_arrow_plain *p, sotto_i128 digits)
{
	sotto_i128 most = 1;

	for (int i = 0; i < p->digits; i++)
		most *= 10;
	if (digits >= most || digits <= -most)
		return nothing;
	return (struct sotto_arrow_value){.digits = digits};
}

static int64_t floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y < 0);
}

/*
 * What the engine's calendar does not have is not a value: were all of it one infinity, two units
 * that such days name would be one.
 */
static struct sotto_arrow_value days(int64_t x, int64_t per_day)
{
	x = floor_div(x, per_day);
	if (x < -INT32_MAX || x > INT32_MAX)
		return nothing;
	return (struct sotto_arrow_value){.integer = x};
}

static struct sotto_arrow_value moment(int64_t x, int64_t per_second)
{
	int64_t times = per_second < microseconds ? microseconds / per_second : 1;

	if (per_second > microseconds)
		x = floor_div(x, per_second / microseconds);
	else if (x > INT64_MAX / times || x < -(INT64_MAX / times))
		return nothing;
	else
		x *= times;
	return x < first_moment ? nothing : (struct sotto_arrow_value){.integer = x};
}

static struct sotto_arrow_value
time_of_day(int64_t x, int64_t per_second, struct sotto_arrow_scratch *scratch)
{
	int64_t seconds = x / per_second, rest = x % per_second;
	int64_t parts = per_second > microseconds ? per_second / microseconds : 1;
	int n;

	if (x < 0 || x > day_seconds * per_second)
		return nothing;
	n = snprintf(scratch->text, sizeof scratch->text, "%02d:%02d:%02d",
		     (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
	if (rest % parts) /* a nanosecond, which another value may not have */
		n += snprintf(scratch->text + n, sizeof scratch->text - (size_t)n, ".%09d",
			      (int)rest);
	else if (rest)
		n += snprintf(scratch->text + n, sizeof scratch->text - (size_t)n, ".%06d",
			      (int)(rest * microseconds / per_second));
	return (struct sotto_arrow_value){.text = scratch->text, .length = (size_t)n};
}

static struct sotto_arrow_value
hexadecimal(const uint8_t *bytes, size_t n, struct sotto_arrow_scratch *scratch)
{
	static const char digits[] = "0123456789abcdef";
	char *out = scratch->text;

	if (n > SOTTO_ARROW_TEXT_MAX / 2 - 1)
		return nothing;
	*out++ = '\\';
	*out++ = 'x';
	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	return (struct sotto_arrow_value){.text = scratch->text, .length = 2 * n + 2};
}

static struct sotto_arrow_value text_of(const struct sotto_arrow_plain *p,
					const struct ArrowArray *a, int64_t at,
					struct sotto_arrow_scratch *scratch)
{
	unsigned width = p->layout == SOTTO_ARROW_OFFSETS64 ? 8 : 4;
	int64_t start, end;
	const uint8_t *bytes;

	start = (int64_t)get_integer(a->buffers[1], width, at, true);
	end = (int64_t)get_integer(a->buffers[1], width, at + 1, true);
	if (start < 0 || end < start || end - start > SOTTO_ARROW_TEXT_MAX)
		return nothing;
	if (end == start) /* where no bytes are, there need not be a buffer */
		return p->meaning == SOTTO_ARROW_TEXT ? (struct sotto_arrow_value){.text = ""}
						      : hexadecimal(NULL, 0, scratch);
	if (!a->buffers[2])
		return nothing;
	bytes = (const uint8_t *)a->buffers[2] + start;
	if (p->meaning == SOTTO_ARROW_BYTES)
		return hexadecimal(bytes, (size_t)(end - start), scratch);
	if (!sotto_utf8_is_valid(bytes, (size_t)(end - start)))
		return nothing;
	return (struct sotto_arrow_value){.text = (const char *)bytes,
					  .length = (size_t)(end - start)};
}

static struct sotto_arrow_value fixed_value(const struct sotto_arrow_plain *p, const void *data,
					    int64_t at, struct sotto_arrow_scratch *scratch)
{
	struct sotto_arrow_value v = {0};
	const uint8_t *bytes = (const uint8_t *)data + at * (int64_t)p->width;
	int64_t x = p->width <= 8 ? (int64_t)get_integer(data, p->width, at,
							 p->meaning != SOTTO_ARROW_UNSIGNED)
				  : 0;
	float f;

	switch (p->meaning) {
	case SOTTO_ARROW_HALF:
		v.number = half_to_double((unsigned)x & 0xffff);
		break;
	case SOTTO_ARROW_FLOAT:
		memcpy(&f, bytes, sizeof f);
		v.number = f;
		break;
	case SOTTO_ARROW_DOUBLE:
		memcpy(&v.number, bytes, sizeof v.number);
		break;
	case SOTTO_ARROW_DECIMAL:
		return decimal(p, get_integer(data, p->width, at, true));
	case SOTTO_ARROW_WIDE_DECIMAL:
		v.number = wide_decimal(p, data, at);
		break;
	case SOTTO_ARROW_DATE:
		return days(x, p->per_second);
	case SOTTO_ARROW_TIMESTAMP:
		return moment(x, p->per_second);
	case SOTTO_ARROW_TIME:
		return time_of_day(x, p->per_second, scratch);
	case SOTTO_ARROW_BYTES:
		return hexadecimal(bytes, p->width, scratch);
	default:
		v.integer = x;
	}
	return v;
}

static struct sotto_arrow_value plain_value(const struct sotto_arrow_plain *p,
					    const struct ArrowArray *a, int64_t row,
					    struct sotto_arrow_scratch *scratch)
{
	int64_t at = a->offset + row;

	if (p->layout == SOTTO_ARROW_NOTHING ||
	    (a->null_count != 0 && a->buffers[0] && !get_bit(a->buffers[0], at)))
		return nothing;
	if (p->layout == SOTTO_ARROW_BITS)
		return (struct sotto_arrow_value){.integer = get_bit(a->buffers[1], at)};
	if (p->layout == SOTTO_ARROW_FIXED)
		return fixed_value(p, a->buffers[1], at, scratch);
	return text_of(p, a, at, scratch);
}

struct sotto_arrow_value sotto_arrow_value(const struct sotto_arrow_column *c,
					   const struct ArrowArray *array, int64_t row,
					   struct sotto_arrow_scratch *scratch)
{
	struct sotto_arrow_value index;

	if (!c->has_dictionary)
		return plain_value(&c->values, array, row, scratch);
	index = plain_value(&c->indices, array, row, scratch);
	if (index.is_null || index.integer < 0 || index.integer >= array->dictionary->length)
		return nothing;
	return plain_value(&c->values, array->dictionary, index.integer, scratch);
}
