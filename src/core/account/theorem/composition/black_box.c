/*
 * Epsilon stays a fraction as long as it is one, and becomes a real number rounded up where a
 * logarithm comes in.  Every operation is rounded up, so that few bits are enough.
 */
#include "core/account/theorem/composition/black_box.h"

#include "core/account/integral/real.h"

/* Enough that rounding hardly ever moves the double next above. */
enum { BOX_BITS = 192 };

void sotto_black_box_init(struct sotto_black_box *b)
{
	b->bounded = b->rational = b->only_delta = false;
	mpq_inits(b->exact, b->delta, (mpq_ptr)0);
	mpfr_init2(b->epsilon, BOX_BITS);
	mpfr_set_zero(b->epsilon, 1);
}

void sotto_black_box_release(struct sotto_black_box *b)
{
	mpq_clears(b->exact, b->delta, (mpq_ptr)0);
	mpfr_clear(b->epsilon);
}

static void set_rational(struct sotto_black_box *b, mpq_srcptr epsilon)
{
	b->bounded = b->rational = true;
	if (b->only_delta)
		return;
	mpq_set(b->exact, epsilon);
	mpfr_set_q(b->epsilon, epsilon, MPFR_RNDU);
}

/* A delta of 1 says all that there is to say; more would be no probability to those who compose it. */
static void cap_delta(struct sotto_black_box *b)
{
	if (mpq_cmp_ui(b->delta, 1, 1) > 0)
		mpq_set_ui(b->delta, 1, 1);
}

/* |log(p (k-1)/(1-p))| */
static void response_box(struct sotto_black_box *b, const struct sotto_event *e)
{
	mpq_t ratio, rest, one;

	mpq_inits(ratio, rest, one, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_sub(rest, one, e->truth.q);
	mpq_set_ui(ratio, e->answers - 1, 1);
	mpq_mul(ratio, ratio, e->truth.q);
	if (mpq_sgn(ratio) > 0 && mpq_sgn(rest) > 0) {
		b->bounded = true;
		mpq_div(ratio, ratio, rest);
		if (mpq_cmp_ui(ratio, 1, 1) < 0)
			mpq_inv(ratio, ratio);
		mpq_sub(rest, ratio, one);
		mpfr_set_q(b->epsilon, rest, MPFR_RNDU);
		mpfr_log1p(b->epsilon, b->epsilon, MPFR_RNDU);
	}
	mpq_clears(ratio, rest, one, (mpq_ptr)0);
}

/* epsilon and delta of count of them */
static void repeat(struct sotto_black_box *b, uint64_t count)
{
	mpq_t n;

	if (count == 1)
		return;
	mpq_init(n);
	mpq_set_ui(n, count, 1);
	mpq_mul(b->exact, b->exact, n);
	mpq_mul(b->delta, b->delta, n);
	mpfr_mul_ui(b->epsilon, b->epsilon, count, MPFR_RNDU);
	cap_delta(b);
	mpq_clear(n);
}

/* log(1 + q e^epsilon): for large epsilon, as the larger of its two terms and what the other adds */
static void large_sampled(mpfr_t epsilon, mpfr_t q)
{
	mpfr_log(q, q, MPFR_RNDU);
	mpfr_add(epsilon, epsilon, q, MPFR_RNDU);
	mpfr_neg(q, epsilon, MPFR_RNDU);
	if (mpfr_sgn(q) > 0)
		mpfr_neg(q, q, MPFR_RNDU);
	mpfr_exp(q, q, MPFR_RNDU);
	mpfr_log1p(q, q, MPFR_RNDU);
	if (mpfr_sgn(epsilon) > 0)
		mpfr_add(epsilon, epsilon, q, MPFR_RNDU);
	else
		mpfr_set(epsilon, q, MPFR_RNDU);
}

/* log1p(q expm1(epsilon)), q delta */
static void sampled_box(struct sotto_black_box *b, const struct sotto_event *e,
			enum sotto_neighbours neighbours)
{
	mpfr_t q;

	sotto_black_box_of(b, e->children[0], neighbours);
	if (!b->bounded)
		return;
	repeat(b, e->children[0]->count);
	mpq_mul(b->delta, b->delta, e->rate.q);
	b->rational = false;
	if (b->only_delta)
		return;
	mpfr_init2(q, BOX_BITS);
	mpfr_set_q(q, e->rate.q, MPFR_RNDU);
	if (mpfr_cmp_ui(b->epsilon, 100000) < 0) {
		mpfr_expm1(b->epsilon, b->epsilon, MPFR_RNDU);
		mpfr_mul(b->epsilon, b->epsilon, q, MPFR_RNDU);
		mpfr_log1p(b->epsilon, b->epsilon, MPFR_RNDU);
	} else {
		large_sampled(b->epsilon, q);
	}
	mpfr_clear(q);
}

/* k epsilon, delta expm1(k epsilon)/expm1(epsilon) */
static void group_box(struct sotto_black_box *b, const struct sotto_event *e,
		      enum sotto_neighbours neighbours)
{
	mpfr_t x, y;
	mpq_t k;

	sotto_black_box_of(b, e->children[0], neighbours);
	if (!b->bounded || (b->only_delta && mpq_sgn(b->delta) == 0))
		return;
	if (b->only_delta) { /* the group's depends on epsilon */
		sotto_black_box_release(b);
		sotto_black_box_init(b);
		sotto_black_box_of(b, e->children[0], neighbours);
	}
	mpfr_inits2(BOX_BITS, x, y, (mpfr_ptr)0);
	mpq_init(k);
	mpq_set_ui(k, e->size, 1);
	if (mpq_sgn(b->delta) > 0 && mpfr_sgn(b->epsilon) > 0) {
		mpfr_mul_ui(x, b->epsilon, e->size, MPFR_RNDU);
		mpfr_expm1(x, x, MPFR_RNDU);
		mpfr_expm1(y, b->epsilon, MPFR_RNDD);
		mpfr_div(x, x, y, MPFR_RNDU);
		mpfr_mul_q(x, x, b->delta, MPFR_RNDU);
		if (mpfr_cmp_ui(x, 1) < 0)
			mpfr_get_q(b->delta, x);
		else
			mpq_set_ui(b->delta, 1, 1);
	} else {
		mpq_mul(b->delta, b->delta, k);
	}
	cap_delta(b);
	mpq_mul(b->exact, b->exact, k);
	mpfr_mul_ui(b->epsilon, b->epsilon, e->size, MPFR_RNDU);
	mpq_clear(k);
	mpfr_clears(x, y, (mpfr_ptr)0);
}

/* Keeps the two largest values seen. */
static void keep_two(mpfr_t first, mpfr_t second, const mpfr_t x)
{
	if (mpfr_cmp(x, first) > 0) {
		mpfr_set(second, first, MPFR_RNDU);
		mpfr_set(first, x, MPFR_RNDU);
	} else if (mpfr_cmp(x, second) > 0) {
		mpfr_set(second, x, MPFR_RNDU);
	}
}

static void keep_two_rational(mpq_t first, mpq_t second, mpq_srcptr x)
{
	if (mpq_cmp(x, first) > 0) {
		mpq_set(second, first);
		mpq_set(first, x);
	} else if (mpq_cmp(x, second) > 0) {
		mpq_set(second, x);
	}
}

/* The largest epsilon and the largest delta, or under replace the two largest of each. */
static void parallel_box(struct sotto_black_box *b, const struct sotto_event *e,
			 enum sotto_neighbours neighbours)
{
	bool all = true, rational = true;
	struct sotto_black_box cell;
	mpq_t exact, delta;
	mpfr_t epsilon;

	mpq_inits(exact, delta, (mpq_ptr)0);
	mpfr_init2(epsilon, BOX_BITS);
	mpfr_set_zero(epsilon, 1);
	for (size_t i = 0; i < e->n_children; i++) {
		sotto_black_box_init(&cell);
		cell.only_delta = b->only_delta;
		sotto_black_box_of(&cell, e->children[i], neighbours);
		repeat(&cell, e->children[i]->count);
		all &= cell.bounded;
		rational &= cell.rational;
		keep_two(b->epsilon, epsilon, cell.epsilon);
		keep_two_rational(b->exact, exact, cell.exact);
		keep_two_rational(b->delta, delta, cell.delta);
		sotto_black_box_release(&cell);
	}
	if (neighbours == SOTTO_REPLACE) {
		mpfr_add(b->epsilon, b->epsilon, epsilon, MPFR_RNDU);
		mpq_add(b->exact, b->exact, exact);
		mpq_add(b->delta, b->delta, delta);
		cap_delta(b);
	}
	b->bounded = all;
	b->rational = rational;
	mpq_clears(exact, delta, (mpq_ptr)0);
	mpfr_clear(epsilon);
}

void sotto_black_box_of(struct sotto_black_box *b, const struct sotto_event *e,
			enum sotto_neighbours neighbours)
{
	mpq_t total;

	switch (e->kind) {
	case SOTTO_EVENT_APPROX:
		mpq_set(b->delta, e->delta.q);
		set_rational(b, e->epsilon.q);
		return;
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
		set_rational(b, e->epsilon.q);
		return;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		if (e->has_truth)
			response_box(b, e);
		else
			set_rational(b, e->epsilon.q);
		return;
	case SOTTO_EVENT_GEOMETRIC:
		mpq_init(total);
		mpq_set_ui(total, e->sensitivity, 1);
		mpq_mul(total, total, e->step_epsilon.q);
		set_rational(b, total);
		mpq_clear(total);
		return;
	case SOTTO_EVENT_SAMPLED:
		sampled_box(b, e, neighbours);
		return;
	case SOTTO_EVENT_GROUP:
		group_box(b, e, neighbours);
		return;
	case SOTTO_EVENT_PARALLEL:
		parallel_box(b, e, neighbours);
		return;
	case SOTTO_EVENT_ZCDP:
	case SOTTO_EVENT_GAUSSIAN:
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
	case SOTTO_EVENT_SHUFFLE:
		return;
	}
}

bool sotto_black_box_delta(mpq_t delta, const struct sotto_event *e,
			   enum sotto_neighbours neighbours)
{
	struct sotto_black_box b;
	bool bounded;

	sotto_black_box_init(&b);
	b.only_delta = true;
	sotto_black_box_of(&b, e, neighbours);
	bounded = b.bounded;
	if (bounded)
		mpq_set(delta, b.delta);
	sotto_black_box_release(&b);
	return bounded;
}
