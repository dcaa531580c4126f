/*
 * The odds of one report, by enumeration: the probability of every report of
 * every value as an exact fraction of the integers that the encoder compares with,
 * and the greatest ratio of two.  The product's statement is that number exactly,
 * and for every epsilon from 1/10 to 10 it is below e^epsilon by less than 2^-30.
 */
#include "local/protocol/design.h"
#include "sotto/local.h"

#include <mpfr.h>

#include "testlib/ratio.h"
#include "testlib/tap.h"

enum { VALUES = 8, REPORTS = 64 };

/* P(report | value); what a device shows besides (row, seed, buckets) is as likely for all. */
static mpq_t law[VALUES][REPORTS];
static unsigned values, reports;

static void chance(mpq_t out, struct sotto_client_chance c)
{
	mpz_t n;

	mpz_init(n);
	mpz_import(n, 1, 1, sizeof c.numerator, 0, 0, &c.numerator);
	mpq_set_z(out, n);
	mpq_div_2exp(out, out, 64);
	if (c.certain)
		mpq_set_ui(out, 1, 1);
	mpz_clear(n);
}

static void complement(mpq_t out, const mpq_t p)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	mpq_sub(out, one, p);
	mpq_clear(one);
}

/* p goes through a step that sends 1 with probability `one` for a 1, `zero` for a 0. */
static void through(mpq_t p, const mpq_t zero, const mpq_t one)
{
	mpq_t not_p;

	mpq_init(not_p);
	complement(not_p, p);
	mpq_mul(p, p, one);
	mpq_mul(not_p, not_p, zero);
	mpq_add(p, p, not_p);
	mpq_clear(not_p);
}

static void flip(mpq_t p, struct sotto_client_chance c)
{
	mpq_t zero, one;

	mpq_inits(zero, one, NULL);
	chance(zero, c);
	complement(one, zero);
	through(p, zero, one);
	mpq_clears(zero, one, NULL);
}

/* Vectors of `bits`: value x owns the bits own[x]; P(1) of an own bit and of another. */
static void vectors(unsigned bits, const unsigned *own, const mpq_t one, const mpq_t zero)
{
	mpq_t p;

	mpq_init(p);
	reports = 1u << bits;
	for (unsigned x = 0; x < values; x++)
		for (unsigned y = 0; y < reports; y++) {
			mpq_set_ui(law[x][y], 1, 1);
			for (unsigned b = 0; b < bits; b++) {
				mpq_set(p, own[x] >> b & 1 ? one : zero);
				if (!(y >> b & 1))
					complement(p, p);
				mpq_mul(law[x][y], law[x][y], p);
			}
		}
	mpq_clear(p);
}

/* keep spread over the reports of the value's set, the rest over the others. */
static void sets(const unsigned long long *set, struct sotto_client_chance keep)
{
	for (unsigned x = 0; x < values; x++) {
		unsigned size = (unsigned)__builtin_popcountll(set[x]);
		mpq_t in, out, n;

		mpq_inits(in, out, n, NULL);
		chance(in, keep);
		complement(out, in);
		mpq_set_ui(n, size, 1);
		mpq_div(in, in, n);
		mpq_set_ui(n, reports - size, 1);
		mpq_div(out, out, n);
		for (unsigned y = 0; y < reports; y++)
			mpq_set(law[x][y], set[x] >> y & 1 ? in : out);
		mpq_clears(in, out, n, NULL);
	}
}

static void symbols(struct sotto_client_chance keep)
{
	unsigned long long set[VALUES];

	for (unsigned x = 0; x < values; x++)
		set[x] = 1ull << x;
	reports = values;
	sets(set, keep);
}

static void hadamard(const struct sotto_client_params *p)
{
	unsigned long long set[VALUES] = {0};

	reports = p->groups * p->width;
	for (unsigned x = 0; x < values; x++)
		for (unsigned y = 0; y < reports; y++)
			if (y / p->width == x % p->groups &&
			    __builtin_parity(y % p->width & (x / p->groups + 1)) == 0)
				set[x] |= 1ull << y;
	sets(set, p->keep);
}

/* Reports are the subsets of `hashes` elements, numbered as they come. */
static void subsets(const struct sotto_client_params *p)
{
	unsigned long long set[VALUES] = {0};

	reports = 0;
	for (unsigned mask = 0; mask < 1u << p->size; mask++) {
		if (__builtin_popcount(mask) != (int)p->hashes)
			continue;
		for (unsigned x = 0; x < values; x++)
			set[x] |= (unsigned long long)(mask >> x & 1) << reports;
		reports++;
	}
	sets(set, p->keep);
}

/* One bit of its own per value, flipped; a second flip on top where there is one. */
static void
flipped(unsigned bits, struct sotto_client_chance first, struct sotto_client_chance second)
{
	unsigned own[VALUES];
	mpq_t one, zero;

	mpq_inits(one, zero, NULL);
	mpq_set_ui(one, 1, 1);
	flip(one, first);
	flip(zero, first);
	flip(one, second);
	flip(zero, second);
	for (unsigned x = 0; x < values; x++)
		own[x] = x < bits ? 1u << x : 0; /* a bucket that was not drawn has none */
	vectors(bits, own, one, zero);
	mpq_clears(one, zero, NULL);
}

static void mean_bit(const struct sotto_client_params *p)
{
	reports = 2;
	for (unsigned x = 0; x < values; x++) {
		mpq_set_ui(law[x][1], x, p->size);
		mpq_canonicalize(law[x][1]);
		flip(law[x][1], p->flip);
		flip(law[x][1], p->flip2);
		complement(law[x][0], law[x][1]);
	}
}

static void filters(const struct sotto_client_params *p, const unsigned *own)
{
	mpq_t one, zero, q0, q1;

	mpq_inits(one, zero, q0, q1, NULL);
	chance(q0, p->zero);
	chance(q1, p->one);
	mpq_set_ui(one, 1, 1);
	flip(one, p->flip);
	flip(zero, p->flip);
	through(one, q0, q1);
	through(zero, q0, q1);
	vectors(p->width, own, one, zero);
	mpq_clears(one, zero, q0, q1, NULL);
}

/* The greatest P(y|x) / P(y|x'). */
static void worst(mpq_t out)
{
	mpq_t r, total;

	mpq_inits(r, total, NULL);
	mpq_set_ui(out, 0, 1);
	for (unsigned x = 0; x < values; x++) {
		mpq_set_ui(total, 0, 1);
		for (unsigned y = 0; y < reports; y++) {
			mpq_add(total, total, law[x][y]);
			for (unsigned z = 0; z < values; z++) {
				mpq_div(r, law[x][y], law[z][y]);
				if (mpq_cmp(r, out) > 0)
					mpq_set(out, r);
			}
		}
		CHECK(mpq_cmp_ui(total, 1, 1) == 0); /* a law */
	}
	mpq_clears(r, total, NULL);
}

/* The statement is the enumerated number. */
static void stated_exactly(const struct sotto_client_params *p, mpq_t odds)
{
	struct sotto_local_privacy s;

	worst(odds);
	sotto_local_privacy_init(&s);
	CHECK_INT(sotto_local_privacy_state(p, 1, &s), SOTTO_OK);
	if (mpq_cmp(s.odds.q, odds) != 0)
		tap_note("protocol %u", p->protocol);
	CHECK(mpq_cmp(s.odds.q, odds) == 0);
	sotto_local_privacy_release(&s);
}

/* 0 <= epsilon - log(odds) <= 2^-30 */
static bool close_below(const mpq_t odds, const struct sotto_rational *epsilon)
{
	mpfr_t log, gap;
	bool ok;

	mpfr_inits2(300, log, gap, NULL);
	mpfr_set_q(log, odds, MPFR_RNDU);
	mpfr_log(log, log, MPFR_RNDU);
	mpfr_set_q(gap, epsilon->q, MPFR_RNDD);
	mpfr_sub(gap, gap, log, MPFR_RNDD);
	ok = mpfr_sgn(gap) >= 0 && mpfr_cmp_d(gap, 0x1p-30) <= 0;
	mpfr_clears(log, gap, NULL);
	return ok;
}

static void enumerate(const struct sotto_client_params *p)
{
	values = p->size;
	switch (p->protocol) {
	case SOTTO_CLIENT_GRR:
		symbols(p->keep);
		break;
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
		values = p->hashes; /* where the hash is injective, no pair is worse */
		symbols(p->keep);
		break;
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE: {
		unsigned own[VALUES] = {1, 2, 4, 8, 16};
		mpq_t one, zero;

		mpq_inits(one, zero, NULL);
		chance(one, p->one);
		chance(zero, p->zero);
		vectors(p->size, own, one, zero);
		mpq_clears(one, zero, NULL);
		break;
	}
	case SOTTO_CLIENT_HR:
		hadamard(p);
		break;
	case SOTTO_CLIENT_SUBSET:
		subsets(p);
		break;
	case SOTTO_CLIENT_CMS:
		values = p->width;
		flipped(p->width, p->flip, (struct sotto_client_chance){0, false});
		break;
	case SOTTO_CLIENT_HCMS: /* the sign of one coefficient */
		values = 2;
		flipped(1, p->flip, (struct sotto_client_chance){0, false});
		break;
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		values = p->size + 1;
		mean_bit(p);
		break;
	default: /* DBITFLIP */
		flipped(p->hashes, p->flip, p->flip2);
		break;
	}
}

static struct sotto_client_params sized(uint32_t protocol)
{
	struct sotto_client_params p = {.protocol = protocol, .size = 5};

	if (protocol == SOTTO_CLIENT_CMS || protocol == SOTTO_CLIENT_HCMS) {
		p.size = 0;
		p.width = 4;
		p.groups = 3;
	}
	if (protocol == SOTTO_CLIENT_OLH || protocol == SOTTO_CLIENT_FLH)
		p.hashes = 4;
	if (protocol == SOTTO_CLIENT_FLH)
		p.groups = 7;
	if (protocol == SOTTO_CLIENT_DBITFLIP)
		p.hashes = 3;
	return p;
}

static const uint32_t protocols[] = {
	SOTTO_CLIENT_GRR,  SOTTO_CLIENT_SUE,          SOTTO_CLIENT_OUE,     SOTTO_CLIENT_OLH,
	SOTTO_CLIENT_FLH,  SOTTO_CLIENT_HR,           SOTTO_CLIENT_SUBSET,  SOTTO_CLIENT_CMS,
	SOTTO_CLIENT_HCMS, SOTTO_CLIENT_ONE_BIT_MEAN, SOTTO_CLIENT_DBITFLIP};

static void designs_realise_their_epsilon_and_state_it_exactly(void)
{
	static const char *const eps[] = {".1", "1/3", "1", "1.672", "2", "4", "8", "10"};
	mpq_t odds;

	mpq_init(odds);
	for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
		for (size_t e = 0; e < sizeof eps / sizeof eps[0]; e++) {
			struct sotto_client_params p = sized(protocols[i]);

			CHECK_INT(sotto_local_design(&p, ratio(eps[e]), NULL, NULL, NULL),
				  SOTTO_OK);
			enumerate(&p);
			stated_exactly(&p, odds);
			CHECK(close_below(odds, ratio(eps[e])));
		}
	mpq_clear(odds);
}

static void perturbed_outputs_are_stated_exactly(void)
{
	static const uint32_t both[] = {SOTTO_CLIENT_ONE_BIT_MEAN, SOTTO_CLIENT_DBITFLIP};
	mpq_t odds;

	mpq_init(odds);
	for (size_t i = 0; i < 2; i++) {
		struct sotto_client_params p = sized(both[i]);

		CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, ratio(".1"), NULL),
			  SOTTO_OK);
		enumerate(&p);
		stated_exactly(&p, odds);
		if (p.protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
			CHECK_REL(log(mpq_get_d(odds)), .776136585, 1e-8);
	}
	mpq_clear(odds);
}

/* Filters of one, two and three bits, and one-hot; also p above q. */
static void rappor_is_stated_exactly(void)
{
	static const unsigned own[4][VALUES] = {
		{1, 2, 4}, {1, 2, 4, 8}, {3, 12, 48, 33}, {7, 56, 11}};
	static const char *const rates[][3] = {
		{".5", ".25", ".75"}, {".3", ".1", ".9"}, {".25", ".875", ".125"}};
	mpq_t odds;

	mpq_init(odds);
	for (unsigned shape = 0; shape < 4; shape++)
		for (unsigned i = 0; i < 3; i++) {
			struct sotto_client_params p = {.width = shape == 0 ? 3 : 6,
							.size = shape == 0 ? 3 : 0,
							.hashes = shape ? shape : 1,
							.groups = 1};

			CHECK_INT(sotto_local_design_rappor(&p, ratio(rates[i][0]),
							    ratio(rates[i][1]),
							    ratio(rates[i][2]), NULL),
				  SOTTO_OK);
			values = shape == 0 || shape == 3 ? 3 : 4;
			filters(&p, own[shape]);
			stated_exactly(&p, odds);
		}
	mpq_clear(odds);
}

static void coin_tosses_are_stated_exactly(void)
{
	mpq_t odds;

	mpq_init(odds);
	for (int i = 1; i < 10; i++) {
		struct sotto_client_params p = {0};
		char share[8];

		snprintf(share, sizeof share, "%d/10", i);
		CHECK_INT(sotto_local_design_coin(&p, ratio("1/3"), ratio(share), NULL),
			  SOTTO_OK);
		values = reports = 2;
		chance(law[1][1], p.one);
		chance(law[0][1], p.zero);
		complement(law[1][0], law[1][1]);
		complement(law[0][0], law[0][1]);
		stated_exactly(&p, odds);
	}
	mpq_clear(odds);
}

int main(void)
{
	for (unsigned x = 0; x < VALUES; x++)
		for (unsigned y = 0; y < REPORTS; y++)
			mpq_init(law[x][y]);
	RUN(designs_realise_their_epsilon_and_state_it_exactly);
	RUN(perturbed_outputs_are_stated_exactly);
	RUN(rappor_is_stated_exactly);
	RUN(coin_tosses_are_stated_exactly);
	for (unsigned x = 0; x < VALUES; x++)
		for (unsigned y = 0; y < REPORTS; y++)
			mpq_clear(law[x][y]);
	return tap_done();
}
