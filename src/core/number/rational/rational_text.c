/*
 * Rationals from and to text.  Reading is a hand-written scanner, because
 * neither strtod nor mpq_set_str reads "0.1" as 1/10.
 */
#include "sotto/rational.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

enum { TEXT_MAX = 4096, EXPONENT_MAX = 10000, DECIMALS_MAX = 40 };

/* The largest power of ten whose digits an unsigned long holds, of 4 bytes or 8. */
static const unsigned long largest_power = sizeof(unsigned long) > 4
						   ? (unsigned long)1000000000 * 1000000000
						   : 1000000000;

struct scanner {
	const char *text;
	size_t at;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Appends a run of digits to value, so many at a time as one word holds; returns how many there were. */
static size_t scan_digits(struct scanner *s, mpz_t value)
{
	size_t start = s->at;

	while (is_digit(s->text[s->at])) {
		unsigned long piece = 0, power = 1;

		for (; is_digit(s->text[s->at]) && power < largest_power; s->at++) {
			piece = piece * 10 + (unsigned long)(s->text[s->at] - '0');
			power *= 10;
		}
		mpz_mul_ui(value, value, power);
		mpz_add_ui(value, value, piece);
	}
	return s->at - start;
}

static enum sotto_status scan_exponent(struct scanner *s, long *exponent)
{
	bool negative = false;
	long e = 0;

	if (s->text[s->at] != 'e' && s->text[s->at] != 'E')
		return SOTTO_OK;
	s->at++;
	if (s->text[s->at] == '+' || s->text[s->at] == '-')
		negative = s->text[s->at++] == '-';
	if (!is_digit(s->text[s->at]))
		return SOTTO_EPARSE;
	for (; is_digit(s->text[s->at]); s->at++) {
		e = e * 10 + (s->text[s->at] - '0');
		if (e > EXPONENT_MAX)
			return SOTTO_ERANGE;
	}
	*exponent += negative ? -e : e;
	return SOTTO_OK;
}

static void scale_by_ten(mpq_t q, long exponent)
{
	mpz_t power;

	mpz_init(power);
	mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
	if (exponent < 0)
		mpz_mul(mpq_denref(q), mpq_denref(q), power);
	else
		mpz_mul(mpq_numref(q), mpq_numref(q), power);
	mpq_canonicalize(q);
	mpz_clear(power);
}

/* decimal := [+-] digits [. digits] [e [+-] digits], at least one digit */
static enum sotto_status scan_decimal(struct scanner *s, mpq_t q)
{
	bool negative = false;
	size_t digits, decimals = 0;
	long exponent = 0;

	mpq_set_ui(q, 0, 1);
	if (s->text[s->at] == '+' || s->text[s->at] == '-')
		negative = s->text[s->at++] == '-';
	digits = scan_digits(s, mpq_numref(q));
	if (s->text[s->at] == '.') {
		s->at++;
		decimals = scan_digits(s, mpq_numref(q));
	}
	if (digits + decimals == 0)
		return SOTTO_EPARSE;
	SOTTO_TRY(scan_exponent(s, &exponent));
	scale_by_ten(q, exponent - (long)decimals);
	if (negative)
		mpq_neg(q, q);
	return SOTTO_OK;
}

/* number := decimal [/ decimal], the whole text */
static enum sotto_status scan_number(struct scanner *s, mpq_t q)
{
	enum sotto_status st = scan_decimal(s, q);
	mpq_t den;

	if (st == SOTTO_OK && s->text[s->at] == '/') {
		s->at++;
		mpq_init(den);
		st = scan_decimal(s, den);
		if (st == SOTTO_OK && mpq_sgn(den) == 0)
			st = SOTTO_EPARSE;
		if (st == SOTTO_OK)
			mpq_div(q, q, den);
		mpq_clear(den);
	}
	if (st == SOTTO_OK && s->text[s->at] != '\0')
		st = SOTTO_EPARSE;
	return st;
}

enum sotto_status
sotto_rational_parse(struct sotto_rational *r, const char *text, struct sotto_error *err)
{
	struct scanner s = {.text = text};
	enum sotto_status st;
	mpq_t q;

	if (!r || !text)
		return sotto_fail(err, SOTTO_EINVAL, "there is no number to read");
	if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "a number may have at most %d characters",
				  TEXT_MAX);
	mpq_init(q);
	st = scan_number(&s, q);
	if (st == SOTTO_OK)
		mpq_swap(r->q, q);
	mpq_clear(q);
	if (st == SOTTO_ERANGE)
		return sotto_fail(err, st, "the exponent of \"%.40s\" is beyond %d", text,
				  EXPONENT_MAX);
	if (st != SOTTO_OK)
		return sotto_fail(
			err, st,
			"\"%.40s\" is not a number (character %zu); write it like 0.5, "
			"1e-6 or 1/3",
			text, s.at + 1);
	return SOTTO_OK;
}

/* How often the prime divides den; den keeps what is left. */
static unsigned long remove_factor(mpz_t den, unsigned long prime)
{
	unsigned long times = 0;

	while (mpz_divisible_ui_p(den, prime)) {
		mpz_divexact_ui(den, den, prime);
		times++;
	}
	return times;
}

/* Digits after the point that write q exactly, or -1 if more than DECIMALS_MAX. */
static long decimals_of(const mpq_t q)
{
	unsigned long twos, fives;
	bool ends;
	mpz_t den;

	mpz_init_set(den, mpq_denref(q));
	twos = remove_factor(den, 2);
	fives = remove_factor(den, 5);
	ends = mpz_cmp_ui(den, 1) == 0 && twos <= DECIMALS_MAX && fives <= DECIMALS_MAX;
	mpz_clear(den);
	return ends ? (long)(twos > fives ? twos : fives) : -1;
}

static enum sotto_status write_decimal(const mpq_t q, unsigned long decimals, char **out)
{
	struct sotto_buffer b;
	enum sotto_status st;
	size_t length;
	char *digits;
	mpz_t n;

	mpz_init(n);
	mpz_ui_pow_ui(n, 10, decimals);
	mpz_mul(n, n, mpq_numref(q));
	mpz_divexact(n, n, mpq_denref(q));
	mpz_abs(n, n);
	digits = malloc(mpz_sizeinbase(n, 10) + 2);
	if (!digits) {
		mpz_clear(n);
		return SOTTO_ENOMEM;
	}
	mpz_get_str(digits, 10, n);
	mpz_clear(n);
	length = strlen(digits);
	sotto_buffer_init(&b, SIZE_MAX / 2);
	st = sotto_buffer_appendf(&b, "%s%.*s", mpq_sgn(q) < 0 ? "-" : "",
				  length > decimals ? (int)(length - decimals) : 1,
				  length > decimals ? digits : "0");
	if (st == SOTTO_OK && decimals)
		st = sotto_buffer_appendf(
			&b, ".%.*s%s", length < decimals ? (int)(decimals - length) : 0,
			"0000000000000000000000000000000000000000",
			length > decimals ? digits + (length - decimals) : digits);
	free(digits);
	if (st != SOTTO_OK)
		sotto_buffer_release(&b);
	else
		*out = b.bytes;
	return st;
}

static enum sotto_status write_fraction(const mpq_t q, char **out)
{
	size_t size = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 3;
	char *text = malloc(size);

	if (!text)
		return SOTTO_ENOMEM;
	*out = mpq_get_str(text, 10, q);
	return SOTTO_OK;
}

enum sotto_status sotto_rational_format_fraction(const struct sotto_rational *r, char **out)
{
	if (!r || !out)
		return SOTTO_EINVAL;
	return write_fraction(sotto_rational_value(r), out);
}

enum sotto_status sotto_rational_format(const struct sotto_rational *r, char **out)
{
	mpq_srcptr q;
	long decimals;

	if (!r || !out)
		return SOTTO_EINVAL;
	q = sotto_rational_value(r);
	decimals = decimals_of(q);
	return decimals >= 0 ? write_decimal(q, (unsigned long)decimals, out)
			     : write_fraction(q, out);
}
