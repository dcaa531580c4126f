/* The staircase mechanism and its best tread. */
#include "core/mechanism/additive/staircase_inside.h"
#include "core/random/generator/uniform.h"
#include "sotto/noise.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/number/rational/rational_value.h"
#include "core/random/coin/odds_coin.h"
#include "core/random/laplace/geometric.h"
#include "sotto/rng.h"

struct sotto_staircase {
	struct sotto_geometric *periods; /* how many whole sensitivities |Z| holds */
	struct sotto_odds_coin upper; /* on the upper step of its period; if tread < D */
	struct sotto_rational epsilon;
	int64_t sensitivity;
	int64_t tread;
};

/* Mass of |z| = 0 .. as if both signs of 0 counted once: f(0) = 1. */
struct profile {
	double b; /* exp(-epsilon) */
	double rest; /* 1 - b, without cancellation */
	double d; /* sensitivity */
	double r; /* tread */
};

static double one_side(struct profile f)
{
	return (f.r + f.b * (f.d - f.r)) / f.rest;
}

static double mean_error(struct profile f)
{
	double inside = f.r * (f.r - 1) / 2;
	double first = inside + f.b * (f.d * (f.d - 1) / 2 - inside);
	double moment = f.d * f.b / f.rest * one_side(f) + first / f.rest;

	return 2 * moment / (2 * one_side(f) - 1);
}

/* Sum of j^2 for j < n. */
static double squares(double n)
{
	return (n - 1) * n * (2 * n - 1) / 6;
}

/* The sum over k of b^k sum over j < d of (k d + j)^2 g(j), g the shape of a period. */
static double variance(struct profile f)
{
	double none = f.r + f.b * (f.d - f.r), inside = f.r * (f.r - 1) / 2;
	double first = inside + f.b * (f.d * (f.d - 1) / 2 - inside);
	double second = squares(f.r) + f.b * (squares(f.d) - squares(f.r));
	double moment = f.d * f.d * none * f.b * (1 + f.b) / (f.rest * f.rest * f.rest) +
			2 * f.d * first * f.b / (f.rest * f.rest) + second / f.rest;

	return 2 * moment / (2 * one_side(f) - 1);
}

/* For real values the best share is 1/(1 + exp(epsilon/2)); integers nearby are tried. */
static int64_t best_tread(double epsilon, int64_t sensitivity)
{
	int64_t near = (int64_t)((double)sensitivity / (1 + exp(epsilon / 2)));
	struct profile f = {exp(-epsilon), -expm1(-epsilon), (double)sensitivity, 0};
	double least = INFINITY;
	int64_t best = 1;

	for (int64_t r = near - 2; r <= near + 3; r++) {
		f.r = (double)r;
		if (r < 1 || r > sensitivity || mean_error(f) >= least)
			continue;
		least = mean_error(f);
		best = r;
	}
	return best;
}

static enum sotto_status check(const struct sotto_rational *epsilon, int64_t sensitivity,
			       int64_t tread, struct sotto_error *err)
{
	if (sotto_rational_sign(epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (sensitivity < 1)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the sensitivity must be at least one step");
	if (tread < 0 || tread > sensitivity)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the tread must lie between 1 and the sensitivity");
	if (sensitivity > INT64_C(1) << 62)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the sensitivity may be at most 2^62 steps");
	return SOTTO_OK;
}

static void init_upper(struct sotto_staircase *m)
{
	mpq_t ratio;

	mpq_init(ratio);
	mpz_set_si(mpq_numref(ratio), m->sensitivity - m->tread);
	mpz_set_si(mpq_denref(ratio), m->tread);
	mpq_canonicalize(ratio);
	if (m->tread < m->sensitivity)
		sotto_odds_coin_init(&m->upper, m->epsilon.q, ratio);
	mpq_clear(ratio);
}

enum sotto_status sotto_staircase_new(const struct sotto_rational *epsilon, int64_t sensitivity,
				      int64_t tread, struct sotto_staircase **out,
				      struct sotto_error *err)
{
	if (!epsilon || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);

	struct sotto_staircase *m;
	enum sotto_status st;

	SOTTO_TRY(check(epsilon, sensitivity, tread, err));
	m = calloc(1, sizeof *m);
	if (!m)
		return SOTTO_ENOMEM;
	st = sotto_geometric_new(epsilon, &m->periods);
	if (st != SOTTO_OK) {
		free(m);
		return st == SOTTO_ERANGE
			       ? sotto_fail(err, st, "epsilon must lie between 2^-50 and 2^10")
			       : st;
	}
	sotto_rational_init(&m->epsilon);
	sotto_rational_set(&m->epsilon, epsilon);
	m->sensitivity = sensitivity;
	m->tread = tread ? tread : best_tread(mpq_get_d(epsilon->q), sensitivity);
	init_upper(m);
	*out = m;
	return SOTTO_OK;
}

void sotto_staircase_free(struct sotto_staircase *m)
{
	if (!m)
		return;
	if (m->tread < m->sensitivity)
		sotto_odds_coin_release(&m->upper);
	sotto_geometric_free(m->periods);
	sotto_rational_release(&m->epsilon);
	free(m);
}

/* A place within the period; both steps are always drawn. */
static enum sotto_status
draw_place(const struct sotto_staircase *m, struct sotto_rng *rng, uint64_t *place)
{
	uint64_t high, low;
	bool upper;

	SOTTO_TRY(sotto_uniform_below(rng, (uint64_t)m->tread, &high));
	*place = high;
	if (m->tread == m->sensitivity)
		return SOTTO_OK;
	SOTTO_TRY(sotto_uniform_below(rng, (uint64_t)(m->sensitivity - m->tread), &low));
	SOTTO_TRY(sotto_odds_coin_flip(&m->upper, rng, &upper));
	*place = sotto_mask_u64(upper, high, (uint64_t)m->tread + low);
	return SOTTO_OK;
}

/* Zero with a minus is drawn anew, because zero has one place and not two. */
static enum sotto_status
draw(const struct sotto_staircase *m, struct sotto_rng *rng, sotto_i128 *noise)
{
	uint64_t place, sign;
	int64_t periods;
	bool again;

	do {
		SOTTO_TRY(sotto_geometric_draw(m->periods, rng, &periods));
		SOTTO_TRY(draw_place(m, rng, &place));
		SOTTO_TRY(sotto_uniform_word(rng, &sign));
		*noise = (sotto_i128)periods * m->sensitivity + (sotto_i128)place;
		again = (*noise == 0) & (sign >> 63 == 1);
		SOTTO_DECLASSIFY(again); /* trials are independent of what they end with */
	} while (again);
	*noise = sotto_mask_i128(sign >> 63, -*noise, *noise);
	return SOTTO_OK;
}

enum sotto_status sotto_staircase_publish(const struct sotto_staircase *m,
					  struct sotto_rng *rng, struct sotto_exact x,
					  struct sotto_noisy *out)
{
	if (!m || !rng || !out)
		return SOTTO_EINVAL;
	sotto_i128 noise;

	SOTTO_TRY(draw(m, rng, &noise));
	noise += x.secret;
	out->value = sotto_mask_hold(noise);
	sotto_wipe(&noise, sizeof noise);
	return SOTTO_OK;
}

enum sotto_status sotto_staircase_cost(const struct sotto_staircase *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_pure(cost, &m->epsilon);
}

int64_t sotto_staircase_tread(const struct sotto_staircase *m)
{
	return m->tread;
}

static struct profile profile_of(const struct sotto_staircase *m)
{
	double epsilon = mpq_get_d(m->epsilon.q);

	return (struct profile){exp(-epsilon), -expm1(-epsilon), (double)m->sensitivity,
				(double)m->tread};
}

double sotto_staircase_deviation(const struct sotto_staircase *m)
{
	return sqrt(variance(profile_of(m)));
}

double sotto_staircase_tail(const struct sotto_staircase *m, int64_t error)
{
	struct profile f = profile_of(m);
	double from, periods, left, rest;

	if (error < 0)
		return 1;
	from = (double)error + 1;
	periods = floor(from / f.d);
	left = from - periods * f.d;
	/* the rest of the period that `from` lies in, then whole ones */
	rest = left < f.r ? f.r - left + f.b * (f.d - f.r) : f.b * (f.d - left);
	return 2 * exp(-mpq_get_d(m->epsilon.q) * periods) * (rest + f.b * one_side(f)) /
	       (2 * one_side(f) - 1);
}

enum sotto_status
sotto_staircase_error(const struct sotto_staircase *m, double beta, int64_t *error)
{
	int64_t low = -1, high = 1;

	if (!(beta > 0 && beta < 1))
		return SOTTO_EINVAL;
	beta *= 1 - 0x1p-40; /* more than floating point can make of the tail */
	while (sotto_staircase_tail(m, high) > beta)
		if (!sotto_checked_mul_i64(high, 2, &high))
			return SOTTO_EOVERFLOW;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (sotto_staircase_tail(m, middle) > beta)
			low = middle;
		else
			high = middle;
	}
	*error = high;
	return SOTTO_OK;
}
