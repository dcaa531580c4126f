#include "sotto/sensitivity.h"

#include "base/failure.h"
#include "number/rational_value.h"
#include "sotto/grid.h"

void sotto_sensitivity_init(struct sotto_sensitivity *s)
{
	sotto_rational_init(&s->l1);
	sotto_rational_init(&s->l2_squared);
	s->formula = s->reason = "";
}

void sotto_sensitivity_release(struct sotto_sensitivity *s)
{
	if (!s)
		return;
	sotto_rational_release(&s->l1);
	sotto_rational_release(&s->l2_squared);
}

static bool needs_bounds(enum sotto_query query)
{
	return query >= SOTTO_QUERY_SUM && query != SOTTO_QUERY_PERCENTAGE;
}

static enum sotto_status
check(const struct sotto_sensitivity_options *o, struct sotto_error *err)
{
	if ((unsigned)o->query > SOTTO_QUERY_SAMPLE_VARIANCE)
		return sotto_fail(err, SOTTO_EINVAL, "there is no such query");
	if (needs_bounds(o->query) && (!o->low || !o->high))
		return sotto_fail(err, SOTTO_EINVAL,
				  "the bounds of a value are needed: without them one unit can "
				  "move the answer without limit");
	if (needs_bounds(o->query) && sotto_rational_compare(o->low, o->high) > 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the lower bound is above the upper bound");
	if (o->counts > 1 && o->query != SOTTO_QUERY_COUNTS)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the number of counts belongs to several counts only");
	if (o->query == SOTTO_QUERY_SAMPLE_VARIANCE && o->minimum < 2)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"a variance divided by one less needs a minimum of two records");
	return SOTTO_OK;
}

static void set_count(mpq_t out, uint64_t n)
{
	mpz_set_ui(mpq_numref(out), n);
	mpz_set_ui(mpq_denref(out), 1);
}

static void take_larger(mpq_t out, const mpq_t x)
{
	if (mpq_cmp(x, out) > 0)
		mpq_set(out, x);
}

/* The range of values R = B - A; of a percentage 100. */
static void set_range(mpq_t out, const struct sotto_sensitivity_options *o)
{
	if (o->query == SOTTO_QUERY_PERCENTAGE)
		mpq_set_ui(out, 100, 1);
	else
		mpq_sub(out, o->high->q, o->low->q);
}

/*
 * Without a minimum the dataset may be empty, and its answer e is a step away from any
 * answer about one record: that adds max(|e - A|, |B - e|).  With one record a variance
 * is 0.
 */
static void add_empty(mpq_t out, const struct sotto_sensitivity_options *o)
{
	mpq_t e, low, high;

	mpq_inits(e, low, high, NULL);
	if (needs_bounds(o->query) && o->query != SOTTO_QUERY_VARIANCE) {
		mpq_set(low, o->low->q);
		mpq_set(high, o->high->q);
	}
	if (o->query == SOTTO_QUERY_PERCENTAGE)
		mpq_set_ui(high, 100, 1);
	mpq_set(e, o->empty ? o->empty->q : low);
	mpq_sub(low, e, low);
	mpq_sub(high, high, e);
	mpq_abs(low, low);
	mpq_abs(high, high);
	take_larger(out, low);
	take_larger(out, high);
	mpq_clears(e, low, high, NULL);
}

static void set_sum(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	mpq_t low;

	if (o->replace) {
		set_range(s->l1.q, o);
		s->formula = "B - A";
		s->reason = "a record changes from A to B";
		return;
	}
	mpq_init(low);
	mpq_abs(low, o->low->q);
	mpq_abs(s->l1.q, o->high->q);
	take_larger(s->l1.q, low);
	mpq_clear(low);
	s->formula = "max(|A|, |B|)";
	s->reason = "a record at the bound that is further from 0 is added";
}

/* R/m and R/(m+1): average and percentage. */
static void set_average(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool replace = o->replace;
	mpq_t size;

	mpq_init(size);
	set_range(s->l1.q, o);
	set_count(size, (o->minimum ? o->minimum : 1) + !replace);
	mpq_div(s->l1.q, s->l1.q, size);
	mpq_clear(size);
	s->formula = replace ? "(B - A)/m" : "(B - A)/(m + 1)";
	s->reason = replace ? "among m records one changes from A to B"
			    : "to m records at A one at B is added";
	if (!replace && o->minimum == 0) {
		add_empty(s->l1.q, o);
		s->formula = "max((B - A)/2, |e - A|, |B - e|)";
		s->reason =
			"without a minimum the only record may be removed, which changes its "
			"value to e, the answer for no record";
	}
}

static void set_quantile(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool replace = o->replace;

	set_range(s->l1.q, o);
	s->formula = "B - A";
	s->reason =
		replace ? "half of the records are at A and half at B, and the deciding one "
			  "changes; no minimum helps"
			: "half of the records are at A and half at B, and one more decides; "
			  "no minimum helps";
	if (!replace && o->minimum == 0) {
		add_empty(s->l1.q, o);
		s->formula = "max(B - A, |e - A|, |B - e|)";
	}
}

/* R^2 (n-1)/n^2 at n = max(m, 2), or R^2 n/(n+1)^2 at n = m */
static void set_variance(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool replace = o->replace;
	uint64_t least = replace ? 2 : 1, n = o->minimum > least ? o->minimum : least;
	mpq_t x;

	mpq_init(x);
	set_range(s->l1.q, o);
	mpq_mul(s->l1.q, s->l1.q, s->l1.q);
	set_count(x, replace ? n - 1 : n);
	mpq_mul(s->l1.q, s->l1.q, x);
	set_count(x, replace ? n : n + 1);
	mpq_div(s->l1.q, s->l1.q, x);
	mpq_div(s->l1.q, s->l1.q, x);
	mpq_clear(x);
	s->formula = replace ? "(B - A)^2 (n - 1)/n^2, n = max(m, 2)" : "(B - A)^2 m/(m + 1)^2";
	s->reason = replace ? "all n records are at A and one changes to B"
			    : "to m records at A one at B is added";
	if (!replace && o->minimum == 0)
		add_empty(s->l1.q, o);
}

static void
set_sample_variance(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool replace = o->replace;
	mpq_t x;

	mpq_init(x);
	set_range(s->l1.q, o);
	mpq_mul(s->l1.q, s->l1.q, s->l1.q);
	set_count(x, o->minimum + !replace);
	mpq_div(s->l1.q, s->l1.q, x);
	mpq_clear(x);
	s->formula = replace ? "(B - A)^2/m" : "(B - A)^2/(m + 1)";
	s->reason = replace ? "all m records are at A and one changes to B"
			    : "to m records at A one at B is added";
}

/* Several numbers at once: the two norms differ. */
static void set_counts(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool cells = o->query == SOTTO_QUERY_HISTOGRAM;
	uint64_t moved = cells ? o->replace ? 2 : 1 : o->counts ? o->counts : 1;

	set_count(s->l1.q, moved);
	set_count(s->l2_squared.q, moved);
	if (cells) {
		s->formula = moved == 2 ? "2" : "1";
		s->reason =
			moved == 2 ? "a record moves from one cell to another: two cells change"
				   : "a record is in one cell only, whatever their number";
	} else {
		s->formula = o->query == SOTTO_QUERY_COUNTS ? "k" : "1";
		s->reason = o->query == SOTTO_QUERY_COUNTS
				    ? "one record may be counted in all k"
				    : "one record is counted or not";
	}
}

/* One number, or the norms are set already. */
static void set_one(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	switch (o->query) {
	case SOTTO_QUERY_COUNT:
	case SOTTO_QUERY_COUNTS:
	case SOTTO_QUERY_HISTOGRAM:
		set_counts(s, o);
		return;
	case SOTTO_QUERY_SUM:
		set_sum(s, o);
		break;
	case SOTTO_QUERY_AVERAGE:
	case SOTTO_QUERY_PERCENTAGE:
		set_average(s, o);
		break;
	case SOTTO_QUERY_QUANTILE:
		set_quantile(s, o);
		break;
	case SOTTO_QUERY_VARIANCE:
		set_variance(s, o);
		break;
	case SOTTO_QUERY_SAMPLE_VARIANCE:
		set_sample_variance(s, o);
		break;
	}
	mpq_mul(s->l2_squared.q, s->l1.q, s->l1.q);
}

/* A unit with c records is c steps of one record; for cells all may be the same one. */
static void multiply(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	mpq_t x;

	mpq_init(x);
	set_count(x, o->contributions ? o->contributions : 1);
	if (o->factor)
		mpq_mul(x, x, o->factor->q);
	mpq_abs(x, x);
	mpq_mul(s->l1.q, s->l1.q, x);
	mpq_mul(x, x, x);
	mpq_mul(s->l2_squared.q, s->l2_squared.q, x);
	mpq_clear(x);
}

enum sotto_status sotto_sensitivity_set(struct sotto_sensitivity *s,
					const struct sotto_sensitivity_options *options,
					struct sotto_error *err)
{
	if (!s || !options)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	SOTTO_TRY(check(options, err));
	set_one(s, options);
	multiply(s, options);
	return SOTTO_OK;
}

static enum sotto_status magnitude(int64_t x, int64_t *out)
{
	if (x == INT64_MIN)
		return SOTTO_EOVERFLOW;
	*out = x < 0 ? -x : x;
	return SOTTO_OK;
}

static enum sotto_status larger_magnitude(int64_t a, int64_t b, int64_t *out)
{
	SOTTO_TRY(magnitude(a, &a));
	SOTTO_TRY(magnitude(b, &b));
	*out = a > b ? a : b;
	return SOTTO_OK;
}

enum sotto_status
sotto_sensitivity_sum_steps(const struct sotto_rational *low, const struct sotto_rational *high,
			    const struct sotto_rational *step, bool replace, int64_t *steps)
{
	if (!low || !high || !step || !steps)
		return SOTTO_EINVAL;
	low = sotto_rational_settled(low);
	high = sotto_rational_settled(high);
	step = sotto_rational_settled(step);

	int64_t a = 0, b = 0;
	struct sotto_grid grid;
	enum sotto_status st;

	if (sotto_rational_compare(low, high) > 0)
		return SOTTO_EINVAL;
	sotto_grid_init(&grid);
	st = sotto_grid_set_step(&grid, step);
	if (st == SOTTO_OK)
		st = sotto_grid_round(&grid, low, &a);
	if (st == SOTTO_OK)
		st = sotto_grid_round(&grid, high, &b);
	sotto_grid_release(&grid);
	if (st != SOTTO_OK)
		return st;
	if (!replace)
		return larger_magnitude(a, b, steps);
	return __builtin_sub_overflow(b, a, steps) ? SOTTO_EOVERFLOW : SOTTO_OK;
}

enum sotto_status sotto_sensitivity_default_step(const struct sotto_rational *sensitivity,
						 struct sotto_rational *step)
{
	if (!sensitivity || !step)
		return SOTTO_EINVAL;
	sensitivity = sotto_rational_settled(sensitivity);

	enum { FINER = 20 };
	mpq_t limit;

	if (sotto_rational_sign(sensitivity) <= 0)
		return SOTTO_EINVAL;
	mpq_init(limit);
	mpq_div_2exp(limit, sensitivity->q, FINER);
	mpq_set_ui(step->q, 1, 1);
	while (mpq_cmp(step->q, limit) > 0)
		mpq_div_2exp(step->q, step->q, 1);
	for (;;) {
		mpq_mul_2exp(step->q, step->q, 1);
		if (mpq_cmp(step->q, limit) > 0)
			break;
	}
	mpq_div_2exp(step->q, step->q, 1);
	mpq_clear(limit);
	return SOTTO_OK;
}
