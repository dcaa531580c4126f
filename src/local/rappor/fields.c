/*
 * Keeps where the next line ends and copies one field at a time into the caller's room; counts
 * may be written as R writes them, such as 1e+05.
 */
#include "local/rappor/fields.h"

#include <string.h>

void sotto_fields_init(struct sotto_fields *f, const char *text, size_t n)
{
	size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	*f = (struct sotto_fields){.at = text + mark, .end = text + n, .line_end = text + mark};
}

bool sotto_fields_line(struct sotto_fields *f)
{
	while (f->line_end < f->end || f->line == 0) {
		const char *start = f->line == 0 ? f->line_end : f->line_end + 1;
		const char *newline;

		if (start >= f->end)
			return false;
		newline = memchr(start, '\n', (size_t)(f->end - start));
		f->line_end = newline ? newline : f->end;
		f->at = start;
		f->line++;
		if (f->line_end > start && !(f->line_end == start + 1 && *start == '\r')) {
			f->more = true;
			return true;
		}
	}
	return false;
}

static const char *content_end(const struct sotto_fields *f)
{
	return f->line_end > f->at && f->line_end[-1] == '\r' ? f->line_end - 1 : f->line_end;
}

static const char *after_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

bool sotto_fields_next(struct sotto_fields *f, char *out, size_t capacity, size_t *length)
{
	const char *end = content_end(f), *first = after_blanks(f->at, end);
	bool quoted = first < end && *first == '"';
	size_t n = 0;

	if (!f->more)
		return false;
	f->at = quoted ? first + 1 : f->at;
	for (; f->at < end; f->at++) {
		if (quoted && *f->at == '"') {
			if (f->at + 1 < end && f->at[1] == '"')
				f->at++;
			else
				break;
		} else if (!quoted && *f->at == ',') {
			break;
		}
		if (n + 1 >= capacity)
			f->broken = true;
		else
			out[n++] = *f->at;
	}
	if (quoted) {
		f->broken |= f->at >= end;
		f->at = after_blanks(f->at + (f->at < end), end);
		f->broken |= f->at < end && *f->at != ',';
	}
	f->more = f->at < end && *f->at == ',';
	f->at += f->more;
	out[n] = '\0';
	*length = n;
	return true;
}

bool sotto_fields_word(struct sotto_fields *f, char *out, size_t capacity)
{
	size_t n, skip;

	if (!sotto_fields_next(f, out, capacity, &n) || f->broken)
		return false;
	while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\t'))
		n--;
	skip = (size_t)(after_blanks(out, out + n) - out);
	memmove(out, out + skip, n - skip);
	out[n - skip] = '\0';
	return true;
}

/* Digits onto x; false if they do not fit. */
static bool take_digits(const char **at, uint64_t *x)
{
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		if (*x > (UINT64_MAX - 10) / 10)
			return false;
		*x = 10 * *x + (uint64_t)(**at - '0');
	}
	return true;
}

/* The exponent of R's 1e+05, none being 0; false if it is none or beyond any count. */
static bool take_exponent(const char **at, int *out)
{
	const char *digits;
	bool negative;
	uint64_t x = 0;

	*out = 0;
	if (**at != 'e' && **at != 'E')
		return true;
	digits = *at + 1;
	negative = *digits == '-';
	*at = digits += *digits == '+' || *digits == '-';
	if (!take_digits(at, &x) || *at == digits || x > 40)
		return false;
	*out = negative ? -(int)x : (int)x;
	return true;
}

/* x times 10^shift; false if that is not a whole number, or too great. */
static bool shift_decimal(uint64_t *x, int shift)
{
	for (; *x > 0 && shift < 0; shift++) {
		if (*x % 10 != 0)
			return false;
		*x /= 10;
	}
	for (; *x > 0 && shift > 0; shift--) {
		if (*x > UINT64_MAX / 10)
			return false;
		*x *= 10;
	}
	return true;
}

static bool parse_whole(const char *at, uint64_t *out)
{
	const char *fraction;
	uint64_t x = 0;
	int digits, exponent;

	if (*at < '0' || *at > '9' || !take_digits(&at, &x))
		return false;
	fraction = at += *at == '.';
	if (!take_digits(&at, &x))
		return false;
	digits = (int)(at - fraction);
	if (!take_exponent(&at, &exponent) || *at != '\0')
		return false;
	*out = x;
	return shift_decimal(out, exponent - digits);
}

bool sotto_fields_count(struct sotto_fields *f, uint64_t *out)
{
	char text[64];

	if (!sotto_fields_word(f, text, sizeof text))
		return false;
	if (text[0] == '\0' || strcmp(text, "NA") == 0) {
		*out = UINT64_MAX;
		return true;
	}
	return parse_whole(text, out);
}
