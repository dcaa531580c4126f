/* How much one unit can change the answers to common queries; sensitivity.md derives it. */
#include "sotto/accuracy.h"

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "sotto/noise.h"

static const uint64_t records_max = UINT64_C(1) << 62;

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
	if (o->minimum > records_max || o->contributions > records_max)
		return sotto_fail(err, SOTTO_EINVAL, "there are at most 2^62 records");
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
 * answer about the records of one unit: that adds max(|e - A|, |B - e|).  A variance of
 * one record is 0, of several at most R^2/4.
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
	if (o->query == SOTTO_QUERY_VARIANCE && o->contributions > 1) {
		set_range(high, o);
		mpq_mul(high, high, high);
		mpq_div_2exp(high, high, 2);
	}
	mpq_set(e, o->empty ? o->empty->q : low);
	mpq_sub(low, e, low);
	mpq_sub(high, high, e);
	mpq_abs(low, low);
	mpq_abs(high, high);
	take_larger(out, low);
	take_larger(out, high);
	mpq_clears(e, low, high, NULL);
}

/* out x n/d */
static void scale(mpq_t out, uint64_t n, uint64_t d)
{
	mpq_t x;

	mpq_init(x);
	set_count(x, n);
	mpq_mul(out, out, x);
	set_count(x, d);
	mpq_div(out, out, x);
	mpq_clear(x);
}

static uint64_t records_of(const struct sotto_sensitivity_options *o)
{
	return o->contributions ? o->contributions : 1;
}

static void set_sum(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool several = records_of(o) > 1;
	mpq_t low;

	if (o->replace) {
		set_range(s->l1.q, o);
		s->formula = several ? "c (B - A)" : "B - A";
		s->reason = several ? "c records change from A to B"
				    : "a record changes from A to B";
		return;
	}
	mpq_init(low);
	mpq_abs(low, o->low->q);
	mpq_abs(s->l1.q, o->high->q);
	take_larger(s->l1.q, low);
	mpq_clear(low);
	s->formula = several ? "c max(|A|, |B|)" : "max(|A|, |B|)";
	s->reason = several ? "c records at the bound that is further from 0 are added"
			    : "a record at the bound that is further from 0 is added";
}

static void say_average(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool several = records_of(o) > 1;

	if (o->replace) {
		s->formula = several ? "min(c, m) (B - A)/m" : "(B - A)/m";
		s->reason = several ? "among m records c, or all, change from A to B"
				    : "among m records one changes from A to B";
	} else if (o->minimum > 0) {
		s->formula = several ? "c (B - A)/(m + c)" : "(B - A)/(m + 1)";
		s->reason = several ? "c records at B are added to m records at A"
				    : "one record at B is added to m records at A";
	} else {
		s->formula = several ? "max(c (B - A)/(1 + c), |e - A|, |B - e|)"
				     : "max((B - A)/2, |e - A|, |B - e|)";
		s->reason = several ? "without a minimum the records of one unit may be the "
				      "only ones; without them the answer is e"
				    : "without a minimum the only record may be removed, which "
				      "changes its value to e, the answer for no record";
	}
}

/* Average and percentage: c of n records move it by a share of R, largest at the least n. */
static void set_average(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	uint64_t c = records_of(o), least = o->minimum ? o->minimum : 1;

	set_range(s->l1.q, o);
	if (o->replace)
		scale(s->l1.q, c < least ? c : least, least);
	else
		scale(s->l1.q, c, least + c);
	if (!o->replace && o->minimum == 0)
		add_empty(s->l1.q, o);
	say_average(s, o);
}

/* No more than the whole range, whatever a unit has. */
static void set_quantile(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool replace = o->replace;

	set_range(s->l1.q, o);
	s->formula = "B - A";
	s->reason =
		replace ? "half of the records are at A and half at B, and the deciding one "
			  "changes; a minimum number of records does not help"
			: "half of the records are at A and half at B, and one more decides; a "
			  "minimum number of records does not help";
	if (!replace && o->minimum == 0) {
		add_empty(s->l1.q, o);
		s->formula = "max(B - A, |e - A|, |B - e|)";
	}
}

/* R^2 p(1 - p), where p is the share of the records that move; no more than R^2/4. */
static void set_variance(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	uint64_t c = records_of(o), least = o->replace ? 2 : 1;
	uint64_t m = o->minimum > least ? o->minimum : least;
	uint64_t n = o->replace ? m : m + c;

	set_range(s->l1.q, o);
	mpq_mul(s->l1.q, s->l1.q, s->l1.q);
	if (o->replace ? c >= m - c || c >= m : c >= m) {
		mpq_div_2exp(s->l1.q, s->l1.q, 2);
		s->formula = "(B - A)^2/4";
		s->reason = o->replace ? "all records are at A and half of them change to B"
				       : "as many records at B are added to records at A";
	} else {
		scale(s->l1.q, c, n);
		scale(s->l1.q, o->replace ? m - c : m, n);
		s->formula =
			c == 1 ? o->replace ? "(B - A)^2 (m - 1)/m^2" : "(B - A)^2 m/(m + 1)^2"
			: o->replace ? "(B - A)^2 c (m - c)/m^2"
				     : "(B - A)^2 c m/(m + c)^2";
		s->reason = c == 1 ? o->replace ? "all m records are at A and one changes to B"
						: "one record at B is added to m records at A"
			    : o->replace ? "all m records are at A and c change to B"
					 : "c records at B are added to m records at A";
	}
	if (!o->replace && o->minimum == 0) {
		add_empty(s->l1.q, o);
		s->formula = c == 1 ? "max((B - A)^2/4, |e|)"
				    : "max((B - A)^2/4, |e|, |(B - A)^2/4 - e|)";
	}
}

/* The records that move spread all of them most, or bring together those that were spread. */
static void
set_sample_variance(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	uint64_t c = records_of(o), m = o->minimum, half = o->replace ? m / 2 : m;
	uint64_t j = c < half ? c : half, n = o->replace ? m : m + j;
	mpq_t together;

	mpq_init(together);
	set_range(s->l1.q, o);
	mpq_mul(s->l1.q, s->l1.q, s->l1.q);
	mpq_set(together, s->l1.q);
	scale(s->l1.q, j, n);
	scale(s->l1.q, o->replace ? m - j : m, n - 1);
	if (!o->replace) {
		scale(together, m / 2, m);
		scale(together, m - m / 2, m - 1);
		scale(together, c, m + c - 1);
		take_larger(s->l1.q, together);
	}
	mpq_clear(together);
	s->formula = c == 1 ? o->replace ? "(B - A)^2/m" : "(B - A)^2/(m + 1)"
		     : o->replace
			     ? "(B - A)^2 j (m - j)/(m (m - 1)), j = min(c, floor(m/2))"
			     : "(B - A)^2 max(j m/((m + j) (m + j - 1)), floor(m^2/4) c/(m (m "
			       "- 1) (m + c - 1))), j = min(c, m)";
	s->reason = c == 1       ? o->replace ? "all m records are at A and one changes to B"
					      : "one record at B is added to m records at A"
		    : o->replace ? "all m records are at A and j change to B"
				 : "j records at B are added to m records at A, or c in the "
				   "middle to m records at both ends";
}

/* Several numbers at once: the two norms differ. */
static void set_counts(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	bool cells = o->query == SOTTO_QUERY_HISTOGRAM, several = records_of(o) > 1;
	uint64_t moved = cells ? o->replace ? 2 : 1 : o->counts ? o->counts : 1;

	set_count(s->l1.q, moved);
	set_count(s->l2_squared.q, moved);
	if (cells) {
		s->formula = several ? moved == 2 ? "2 c" : "c" : moved == 2 ? "2" : "1";
		s->reason =
			moved == 2 ? "a record moves from one cell to another: two cells change"
				   : "a record is in one cell only, whatever their number";
	} else {
		s->formula = o->query == SOTTO_QUERY_COUNTS ? several ? "c k" : "k"
			     : several                      ? "c"
							    : "1";
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

/* Counts and sums add up: c records move them c times as far, all perhaps in one cell. */
static bool adds_up(enum sotto_query query)
{
	return query <= SOTTO_QUERY_SUM;
}

static void multiply(struct sotto_sensitivity *s, const struct sotto_sensitivity_options *o)
{
	mpq_t x;

	mpq_init(x);
	set_count(x, adds_up(o->query) ? records_of(o) : 1);
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
