/*
 * The certificate on a long path, where a table of gains would be too large: a gain that
 * has a name is a whole number for each guess and answer, written down when it is needed.
 */
#include <math.h>
#include <stdlib.h>

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_integers.h"
#include "channel/matrix/channel_powers.h"
#include "channel/optimal/certificate/channel_certificate_path.h"
#include "channel/utility/channel_user.h"
#include "core/base/failure.h"

struct rule {
	enum sotto_gain_kind kind;
	size_t answers;
	long number; /* of a window, rounded down; of a threshold, rounded up */
	mpz_t *prior; /* numerators */
};

static long gain_at(const struct rule *r, long w, long y)
{
	long d = labs(w - y), span = (long)r->answers - 1;

	switch (r->kind) {
	case SOTTO_GAIN_IDENTITY:
		return d == 0;
	case SOTTO_GAIN_DISTANCE:
		return span - d;
	case SOTTO_GAIN_SQUARED:
		return span * span - d * d;
	case SOTTO_GAIN_WEIGHTED:
		return span * span - (1 + y) * d;
	case SOTTO_GAIN_WINDOW:
		return d <= r->number;
	case SOTTO_GAIN_THRESHOLD:
		return w == (y >= r->number);
	case SOTTO_GAIN_PARITY:
		return w == y % 2;
	}
	return 0;
}

static void fill_row(const void *context, size_t guess, mpz_t *row)
{
	const struct rule *r = context;

	for (size_t y = 0; y < r->answers; y++)
		mpz_mul_si(row[y], r->prior[y], gain_at(r, (long)guess, (long)y));
}

/* Beyond the answers on either side a number says the same as just beyond them. */
static long round_number(const struct sotto_gain_rule *given, size_t answers)
{
	long most = (long)answers, number;
	mpz_t whole;

	mpz_init(whole);
	if (given->kind == SOTTO_GAIN_THRESHOLD)
		mpz_cdiv_q(whole, mpq_numref(given->number), mpq_denref(given->number));
	else
		mpz_fdiv_q(whole, mpq_numref(given->number), mpq_denref(given->number));
	if (mpz_cmp_si(whole, most) > 0)
		number = most;
	else
		number = mpz_sgn(whole) < 0 ? -1 : mpz_get_si(whole);
	mpz_clear(whole);
	return number;
}

static size_t guesses_of(const struct rule *r)
{
	return r->kind == SOTTO_GAIN_THRESHOLD || r->kind == SOTTO_GAIN_PARITY ? 2 : r->answers;
}

/* Products of machine words; a second does some 4 10^8 of these. */
static bool is_too_large(const struct rule *r, const mpq_t alpha, const mpz_t denominator)
{
	const double most = 1.2e10;
	double bits = (double)mpz_sizeinbase(mpq_denref(alpha), 2);
	double step = (double)mpz_sizeinbase(mpq_numref(alpha), 2) + 2 * bits;
	double n = (double)r->answers;
	double words = (n * step + (double)mpz_sizeinbase(denominator, 2)) / 64 + 4;

	return words * ceil(2 * bits / 64) * n * (double)guesses_of(r) > most;
}

static enum sotto_status certify(const struct rule *r, const mpq_t alpha,
				 const mpz_t denominator, struct sotto_certificate *out,
				 struct sotto_error *err)
{
	const struct sotto_weighted_gains gains = {r->answers, guesses_of(r), denominator,
						   fill_row, r};
	struct sotto_certificate c = {.applies = false};
	enum sotto_status st = SOTTO_OK;

	if (mpq_cmp_ui(alpha, 1, 1) >= 0)
		return sotto_fail(err, SOTTO_ERANGE, "epsilon is too small; take a larger one");
	if (is_too_large(r, alpha, denominator))
		return sotto_fail(err, SOTTO_ERANGE,
				  "%zu answers would take an exact certificate minutes at this "
				  "epsilon and prior; take fewer, or an epsilon such as ln2",
				  r->answers);
	sotto_rational_init(&c.utility);
	c.remap = calloc(r->answers, sizeof *c.remap);
	st = c.remap ? sotto_certificate_on_path(alpha, &gains, &c) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		*out = c;
	else
		sotto_certificate_release(&c);
	return st;
}

static void find_alpha(const struct sotto_eps *eps, enum sotto_alpha_side side, mpq_t alpha)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	if (side == SOTTO_ALPHA_UP)
		(void)sotto_eps_alpha_up(eps, one, SOTTO_CHANNEL_BITS, alpha);
	else
		(void)sotto_eps_alpha_down(eps, one, SOTTO_CHANNEL_BITS, alpha);
	mpq_clear(one);
}

enum sotto_status
sotto_path_certificate_find(const struct sotto_matrix *prior, const char *gain,
			    const struct sotto_eps *eps, enum sotto_alpha_side side,
			    struct sotto_certificate *out, struct sotto_error *err)
{
	struct sotto_gain_rule given = {.kind = SOTTO_GAIN_IDENTITY};
	struct rule r = {.answers = prior ? prior->columns : 0};
	enum sotto_status st;
	mpz_t denominator;
	mpq_t alpha;

	if (!prior || !gain || !eps || !out || prior->rows != 1 || prior->columns < 2 ||
	    sotto_eps_is_zero(eps))
		return SOTTO_EINVAL;
	mpq_inits(given.number, alpha, (mpq_ptr)0);
	mpz_init(denominator);
	st = sotto_gain_rule_parse(gain, &given, err);
	r.kind = given.kind;
	r.number = round_number(&given, r.answers);
	r.prior = sotto_integers_new(r.answers);
	if (st == SOTTO_OK && !r.prior)
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		sotto_integers_of((const mpq_t *)prior->cells, 1, r.answers, r.prior,
				  denominator);
		find_alpha(eps, side, alpha);
		st = certify(&r, alpha, denominator, out, err);
	}
	sotto_integers_free(r.prior, r.answers);
	mpz_clear(denominator);
	mpq_clears(given.number, alpha, (mpq_ptr)0);
	return st;
}
