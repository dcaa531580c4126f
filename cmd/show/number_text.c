/*
 * Doubles get the fewest of 15 to 17 digits that read back the same; a side to round to is kept
 * by reading the text back and moving until it holds.
 */
#include "show/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

/* Digits by hand: a long answer is mostly whole numbers. */
char *number_text_integer(int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[24], *c = digits + sizeof digits;

	*--c = '\0';
	do
		*--c = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*--c = '-';
	return memory_copy_text(c);
}

/* The C library writes 5e-07; everything here writes 5e-7. */
static char *shorten_exponent(char *text)
{
	char *e = strchr(text, 'e');

	if (e && (e[1] == '-' || e[1] == '+') && e[2] == '0' && e[3])
		memmove(e + 2, e + 3, strlen(e + 3) + 1);
	return text;
}

char *number_text_double(double x)
{
	char text[40];

	if (isnan(x))
		return memory_copy_text("nan");
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	return memory_copy_text(shorten_exponent(text));
}

char *number_text_rounded(double x, int digits)
{
	double size = fabs(x);
	int before;

	if (!isfinite(x) || size >= 1e15 || size < 1)
		return shorten_exponent(memory_text("%.*g", digits, x));
	before = (int)floor(log10(size)) + 1;
	return memory_text("%.*f", digits > before ? digits - before : 0, x);
}

/* side is 1 for at least x, -1 for at most */
static char *rounded_to_side(double x, int digits, double side)
{
	double unit = fabs(x) * pow(10, -digits), y = x;
	char *text = number_text_rounded(y, digits);

	while (isfinite(x) && side * strtod(text, NULL) < side * x) {
		free(text);
		y += side * unit;
		text = number_text_rounded(y, digits);
	}
	return text;
}

char *number_text_brief(double x)
{
	enum { DIGITS = 4, MOST = 15 };
	int before = fabs(x) >= 1 ? (int)floor(log10(fabs(x))) + 1 : 0;

	if (x == floor(x) && before <= MOST)
		return memory_text("%.0f", x);
	return number_text_rounded(x, before > DIGITS && before <= MOST ? before : DIGITS);
}

char *number_text_rounded_up(double x, int digits)
{
	return rounded_to_side(x, digits, 1);
}

char *number_text_rounded_down(double x, int digits)
{
	return rounded_to_side(x, digits, -1);
}

char *number_text_rational(const struct sotto_rational *r)
{
	char *text = NULL;

	if (sotto_rational_format(r, &text) != SOTTO_OK)
		memory_fail();
	return text;
}

/* Fifteen digits write a short decimal exactly, and a small one with an exponent. */
char *number_text_parameter(const struct sotto_rational *r)
{
	enum { DIGITS = 15 };
	char *text = number_text_rational(r);

	if (!strchr(text, '.') || !number_text_survives_double(text))
		return text;
	free(text);
	text = NULL;
	if (sotto_rational_format_down(r, DIGITS, &text) != SOTTO_OK)
		memory_fail();
	return text;
}

static char *amount(const struct sotto_rational *r, bool up)
{
	enum { SHORT = 12, DIGITS = 6 };
	char *text = number_text_parameter(r);
	enum sotto_status st;

	if (strlen(text) <= SHORT && !strchr(text, '/'))
		return text;
	free(text);
	text = NULL;
	st = up ? sotto_rational_format_up(r, DIGITS, &text)
		: sotto_rational_format_down(r, DIGITS, &text);
	if (st != SOTTO_OK)
		memory_fail();
	return text;
}

char *number_text_amount_down(const struct sotto_rational *r)
{
	return amount(r, false);
}

char *number_text_amount_up(const struct sotto_rational *r)
{
	return amount(r, true);
}

static const char *skip_digits(const char *c)
{
	return c + strspn(c, "0123456789");
}

/* number = [-] int [. digits] [e [+-] digits], as RFC 8259 has it */
static bool is_json_number(const char *number)
{
	const char *c = number + (*number == '-'), *start = c;

	c = skip_digits(c);
	if (c == start || (*start == '0' && c != start + 1))
		return false;
	if (*c == '.') {
		start = c + 1;
		c = skip_digits(start);
		if (c == start)
			return false;
	}
	if (*c == 'e' || *c == 'E') {
		c++;
		c += *c == '+' || *c == '-';
		start = c;
		c = skip_digits(c);
		if (c == start)
			return false;
	}
	return *c == '\0';
}

static size_t significant_digits(const char *number)
{
	size_t digits = 0, zeros = 0;

	for (const char *c = number; *c && *c != 'e' && *c != 'E'; c++) {
		if (*c == '0') {
			zeros += digits > 0;
		} else if (*c >= '1' && *c <= '9') {
			digits += zeros + 1;
			zeros = 0;
		}
	}
	return digits;
}

static bool is_small_integer(const char *number)
{
	const char *c = number + (*number == '-');

	return *skip_digits(c) == '\0' && strlen(c) <= 16 &&
	       strtoull(c, NULL, 10) <= UINT64_C(1) << 53;
}

bool number_text_survives_double(const char *number)
{
	if (!is_json_number(number))
		return false;
	if (is_small_integer(number))
		return true;
	return strpbrk(number, ".eE") && significant_digits(number) <= 15 &&
	       fabs(strtod(number, NULL)) < 1e300 &&
	       (significant_digits(number) == 0 || fabs(strtod(number, NULL)) > 1e-300);
}
