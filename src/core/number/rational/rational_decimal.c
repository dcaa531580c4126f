/*
 * Rationals for people: a decimal with a given number of digits, on the named side of the
 * value.  Nobody reads 711998452023140895/576460752303423488.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "sotto/rational.h"

enum { DIGITS_MAX = 1000, PLAIN_SMALLEST = -4, PLAIN_LARGEST = 15 };

/* n = floor or ceiling of q 10^shift */
static void scale(mpz_t n, mpq_srcptr q, long shift, bool up)
{
	mpz_t power, den;

	mpz_init(power);
	mpz_init_set(den, mpq_denref(q));
	mpz_ui_pow_ui(power, 10, (unsigned long)labs(shift));
	mpz_set(n, mpq_numref(q));
	if (shift >= 0)
		mpz_mul(n, n, power);
	else
		mpz_mul(den, den, power);
	if (up)
		mpz_cdiv_q(n, n, den);
	else
		mpz_fdiv_q(n, n, den);
	mpz_clear(den);
	mpz_clear(power);
}

/* The exponent of the first digit of q > 0: 10^e <= q < 10^(e+1). */
static long first_digit(mpq_srcptr q)
{
	long e = (long)mpz_sizeinbase(mpq_numref(q), 10) -
		 (long)mpz_sizeinbase(mpq_denref(q), 10) + 1;
	mpz_t n;

	mpz_init(n);
	for (scale(n, q, -e, false); mpz_sgn(n) == 0; scale(n, q, -e, false))
		e--;
	mpz_clear(n);
	return e;
}

static enum sotto_status add_zeros(struct sotto_buffer *b, long count)
{
	for (long i = 0; i < count; i++)
		SOTTO_TRY(sotto_buffer_append_text(b, "0"));
	return SOTTO_OK;
}

/* The first digit stands for 10^exponent. */
static enum sotto_status
add_decimal(struct sotto_buffer *b, const char *digits, long length, long exponent)
{
	bool plain = exponent >= PLAIN_SMALLEST && exponent < PLAIN_LARGEST;
	long whole = !plain ? 1 : exponent >= 0 ? exponent + 1 : 0; /* before the point */

	if (whole == 0) {
		SOTTO_TRY(sotto_buffer_append_text(b, "0."));
		SOTTO_TRY(add_zeros(b, -exponent - 1));
		return sotto_buffer_append_text(b, digits);
	}
	SOTTO_TRY(sotto_buffer_append(b, digits, (size_t)(length < whole ? length : whole)));
	SOTTO_TRY(add_zeros(b, whole - length));
	if (length > whole)
		SOTTO_TRY(sotto_buffer_appendf(b, ".%s", digits + whole));
	return plain ? SOTTO_OK : sotto_buffer_appendf(b, "e%ld", exponent);
}

static enum sotto_status
write(const char *digits, size_t length, long exponent, bool negative, char **out)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, SIZE_MAX / 2);
	st = sotto_buffer_append_text(&b, negative ? "-" : "");
	if (st == SOTTO_OK)
		st = add_decimal(&b, digits, (long)length, exponent);
	if (st == SOTTO_OK)
		*out = b.bytes;
	else
		sotto_buffer_release(&b);
	return st;
}

static enum sotto_status
round_and_write(mpq_srcptr q, bool negative, unsigned digits, bool up, char **out)
{
	long exponent = first_digit(q);
	enum sotto_status st;
	size_t length;
	char *text;
	mpz_t n;

	mpz_init(n);
	scale(n, q, (long)digits - 1 - exponent, up);
	text = mpz_get_str(NULL, 10, n);
	mpz_clear(n);
	length = strlen(text);
	if (length > digits)
		exponent++; /* 9.99 rounded up has one digit more */
	while (length > 1 && text[length - 1] == '0')
		text[--length] = '\0';
	st = write(text, length, exponent, negative, out);
	free(text);
	return st;
}

static enum sotto_status
format(const struct sotto_rational *r, unsigned digits, bool up, char **out)
{
	mpq_t size;
	enum sotto_status st;
	bool negative;

	if (!r || !out || digits == 0 || digits > DIGITS_MAX)
		return SOTTO_EINVAL;
	negative = mpq_sgn(r->q) < 0;
	if (mpq_sgn(r->q) == 0) {
		*out = strdup("0");
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	mpq_init(size);
	mpq_abs(size, r->q);
	st = round_and_write(size, negative, digits, up != negative, out);
	mpq_clear(size);
	return st;
}

enum sotto_status
sotto_rational_format_down(const struct sotto_rational *r, unsigned digits, char **out)
{
	return format(r, digits, false, out);
}

enum sotto_status
sotto_rational_format_up(const struct sotto_rational *r, unsigned digits, char **out)
{
	return format(r, digits, true, out);
}
