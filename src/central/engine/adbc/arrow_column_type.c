/*
 * What the letters of a schema say of a column: Arrow's C data interface, "format
 * strings".  A type that is not here has no image.
 */
#include "central/engine/adbc/arrow_column.h"

#include <stdio.h>
#include <string.h>

enum { DECIMAL_DIGITS = 38, SCALE_MAX = 1000 };

static bool read_number(char letter, struct sotto_arrow_plain *out)
{
	static const struct {
		char letter;
		enum sotto_arrow_meaning meaning;
		unsigned width;
	} numbers[] = {
		{'c', SOTTO_ARROW_SIGNED, 1},   {'s', SOTTO_ARROW_SIGNED, 2},
		{'i', SOTTO_ARROW_SIGNED, 4},   {'l', SOTTO_ARROW_SIGNED, 8},
		{'C', SOTTO_ARROW_UNSIGNED, 1}, {'S', SOTTO_ARROW_UNSIGNED, 2},
		{'I', SOTTO_ARROW_UNSIGNED, 4}, {'L', SOTTO_ARROW_UNSIGNED, 8},
		{'e', SOTTO_ARROW_HALF, 2},     {'f', SOTTO_ARROW_FLOAT, 4},
		{'g', SOTTO_ARROW_DOUBLE, 8},
	};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i].letter == letter) {
			*out = (struct sotto_arrow_plain){.layout = SOTTO_ARROW_FIXED,
							  .meaning = numbers[i].meaning,
							  .width = numbers[i].width};
			return true;
		}
	return false;
}

static bool read_letter(char letter, struct sotto_arrow_plain *out)
{
	switch (letter) {
	case 'n':
		*out = (struct sotto_arrow_plain){.meaning = SOTTO_ARROW_TEXT};
		return true;
	case 'b':
		*out = (struct sotto_arrow_plain){
			SOTTO_ARROW_BITS, SOTTO_ARROW_BOOL, 0, 0, 0, 0};
		return true;
	case 'u':
	case 'U':
	case 'z':
	case 'Z':
		*out = (struct sotto_arrow_plain){
			.layout = letter == 'u' || letter == 'z' ? SOTTO_ARROW_OFFSETS32
								 : SOTTO_ARROW_OFFSETS64,
			.meaning = letter == 'u' || letter == 'U' ? SOTTO_ARROW_TEXT
								  : SOTTO_ARROW_BYTES};
		return true;
	default:
		return read_number(letter, out);
	}
}

/* "d:19,10" or "d:19,10,256": digits, scale, bits. */
static bool read_decimal(const char *format, struct sotto_arrow_plain *out)
{
	int digits, scale, bits = 128, end = 0, more = 0;

	if (sscanf(format, "d:%4d,%5d%n", &digits, &scale, &end) < 2)
		return false;
	if (format[end] != '\0' && sscanf(format + end, ",%4d%n", &bits, &more) < 1)
		return false;
	if (format[end + more] != '\0' || digits < 1 || scale < -SCALE_MAX ||
	    scale > SCALE_MAX || (bits != 32 && bits != 64 && bits != 128 && bits != 256))
		return false;
	*out = (struct sotto_arrow_plain){.layout = SOTTO_ARROW_FIXED,
					  .meaning = bits == 256 || digits > DECIMAL_DIGITS ||
								     scale < 0 || scale > digits
							     ? SOTTO_ARROW_WIDE_DECIMAL
							     : SOTTO_ARROW_DECIMAL,
					  .width = (unsigned)bits / 8,
					  .digits = digits,
					  .scale = scale};
	return true;
}

static bool read_bytes(const char *format, struct sotto_arrow_plain *out)
{
	int width, end = 0;

	if (sscanf(format, "w:%9d%n", &width, &end) < 1 || format[end] != '\0' || width < 1)
		return false;
	*out = (struct sotto_arrow_plain){.layout = SOTTO_ARROW_FIXED,
					  .meaning = SOTTO_ARROW_BYTES,
					  .width = (unsigned)width};
	return true;
}

/* "tdD", "tsu:Europe/Zurich", "ttn": what, of which unit. */
static bool read_time(const char *format, struct sotto_arrow_plain *out)
{
	static const struct {
		const char *prefix;
		enum sotto_arrow_meaning meaning;
		unsigned width;
		int64_t units;
	} times[] = {
		{"tdD", SOTTO_ARROW_DATE, 4, 1},
		{"tdm", SOTTO_ARROW_DATE, 8, INT64_C(86400000)},
		{"tts", SOTTO_ARROW_TIME, 4, 1},
		{"ttm", SOTTO_ARROW_TIME, 4, 1000},
		{"ttu", SOTTO_ARROW_TIME, 8, 1000000},
		{"ttn", SOTTO_ARROW_TIME, 8, 1000000000},
		{"tss:", SOTTO_ARROW_TIMESTAMP, 8, 1},
		{"tsm:", SOTTO_ARROW_TIMESTAMP, 8, 1000},
		{"tsu:", SOTTO_ARROW_TIMESTAMP, 8, 1000000},
		{"tsn:", SOTTO_ARROW_TIMESTAMP, 8, 1000000000},
	};

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		size_t n = strlen(times[i].prefix);

		if (strncmp(format, times[i].prefix, n) != 0 || (n == 3 && format[n] != '\0'))
			continue;
		*out = (struct sotto_arrow_plain){.layout = SOTTO_ARROW_FIXED,
						  .meaning = times[i].meaning,
						  .width = times[i].width,
						  .per_second = times[i].units};
		return true;
	}
	return false;
}

static bool read_format(const char *format, struct sotto_arrow_plain *out)
{
	if (!format || !*format)
		return false;
	if (format[1] == '\0')
		return read_letter(format[0], out);
	return format[0] == 'd'   ? read_decimal(format, out)
	       : format[0] == 'w' ? read_bytes(format, out)
				  : format[0] == 't' && read_time(format, out);
}

bool sotto_arrow_column_read(const struct ArrowSchema *schema, struct sotto_arrow_column *out)
{
	struct sotto_arrow_column c = {.has_dictionary = schema->dictionary != NULL};

	if (!c.has_dictionary) {
		if (!read_format(schema->format, &c.values))
			return false;
	} else if (!read_format(schema->format, &c.indices) ||
		   c.indices.layout != SOTTO_ARROW_FIXED ||
		   (c.indices.meaning != SOTTO_ARROW_SIGNED &&
		    c.indices.meaning != SOTTO_ARROW_UNSIGNED) ||
		   schema->dictionary->dictionary ||
		   !read_format(schema->dictionary->format, &c.values)) {
		return false;
	}
	*out = c;
	return true;
}
