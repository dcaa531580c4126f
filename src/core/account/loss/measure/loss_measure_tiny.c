/*
 * Events that tell next to nothing: their losses are so small that squares of them are not
 * doubles, so that neither a transform nor its error could be told from 0.
 *
 * If P and Q of an event differ by at most t in total variation, then beside any others it
 * adds at most t to delta: with M the lesser of the two, (P' x P)(S) - e^epsilon (Q' x
 * Q)(S) <= t + (P' x M)(S) - e^epsilon (Q' x M)(S), and M has mass at most 1. Leaving it
 * out is post-processing, which gives the lower side.
 */
#include "core/account/loss/measure/loss_measure.h"

enum { BITS = 64 };

static void variation_up(mpfr_t t, const struct sotto_event *e);

/* The largest of the children, each with its count. */
static void worst_child_up(mpfr_t t, const struct sotto_event *e)
{
	mpfr_t child;

	mpfr_init2(child, BITS);
	mpfr_set_zero(t, 1);
	for (size_t i = 0; i < e->n_children; i++) {
		variation_up(child, e->children[i]);
		mpfr_mul_ui(child, child, e->children[i]->count, MPFR_RNDU);
		mpfr_max(t, t, child, MPFR_RNDU);
	}
	mpfr_clear(child);
}

/* The truth's probability less that of each other answer, or epsilon. */
static void response_up(mpfr_t t, const struct sotto_event *e)
{
	mpq_t other, k;

	if (!e->has_truth) {
		mpfr_set_q(t, e->epsilon.q, MPFR_RNDU);
		return;
	}
	mpq_inits(other, k, (mpq_ptr)0);
	mpq_set_ui(other, 1, 1);
	mpq_sub(other, other, e->truth.q);
	mpq_set_ui(k, e->answers - 1, 1);
	mpq_div(other, other, k);
	mpq_sub(other, other, e->truth.q);
	mpq_abs(other, other);
	mpfr_set_q(t, other, MPFR_RNDU);
	mpq_clears(other, k, (mpq_ptr)0);
}

/* By Pinsker's inequality a Gaussian's is at most mu/2; that of any other event at most its largest loss. */
static void variation_up(mpfr_t t, const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_GAUSSIAN:
		mpfr_set_q(t, e->mu_squared.q, MPFR_RNDU);
		mpfr_sqrt(t, t, MPFR_RNDU);
		return;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		mpfr_set_q(t, e->sigma_squared.q, MPFR_RNDD);
		mpfr_sqrt(t, t, MPFR_RNDD);
		mpfr_ui_div(t, e->sensitivity, t, MPFR_RNDU);
		return;
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
	case SOTTO_EVENT_SHUFFLE:
		mpfr_set_q(t, e->first.q, MPFR_RNDU);
		return;
	case SOTTO_EVENT_GEOMETRIC:
		mpfr_set_q(t, e->step_epsilon.q, MPFR_RNDU);
		mpfr_mul_ui(t, t, e->sensitivity, MPFR_RNDU);
		return;
	case SOTTO_EVENT_SAMPLED: /* of at most 1 */
		worst_child_up(t, e);
		if (mpfr_cmp_ui(t, 1) > 0)
			mpfr_set_ui(t, 1, MPFR_RNDU);
		mpfr_mul_q(t, t, e->rate.q, MPFR_RNDU);
		return;
	case SOTTO_EVENT_GROUP:
		worst_child_up(t, e);
		mpfr_mul_ui(t, t, e->size, MPFR_RNDU);
		return;
	case SOTTO_EVENT_PARALLEL: /* who is replaced is in two cells */
		worst_child_up(t, e);
		mpfr_mul_2ui(t, t, 1, MPFR_RNDU);
		return;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		response_up(t, e);
		return;
	case SOTTO_EVENT_APPROX: /* of which the finite part alone may be tiny */
	case SOTTO_EVENT_ZCDP:
		break;
	}
	mpfr_set_ui(t, 1, MPFR_RNDU);
}

/* Leaves out so much, if it is tiny. */
static bool leave_out(struct sotto_loss_measure *m, const mpfr_t t, uint64_t count)
{
	if (mpfr_cmp_d(t, SOTTO_TINY) >= 0)
		return false;
	sotto_measure_leave_out(m, t, count);
	return true;
}

bool sotto_measure_leave_out_epsilon(struct sotto_loss_measure *m, mpq_srcptr epsilon,
				     uint64_t count)
{
	bool tiny;
	mpfr_t t;

	mpfr_init2(t, BITS);
	mpfr_set_q(t, epsilon, MPFR_RNDU);
	tiny = leave_out(m, t, count);
	mpfr_clear(t);
	return tiny;
}

bool sotto_measure_leave_out_tiny(struct sotto_loss_measure *m, const struct sotto_event *e,
				  uint64_t count)
{
	bool tiny;
	mpfr_t t;

	mpfr_init2(t, BITS);
	variation_up(t, e);
	tiny = leave_out(m, t, count);
	mpfr_clear(t);
	return tiny;
}

bool sotto_event_is_tiny(const struct sotto_event *e)
{
	bool tiny;
	mpfr_t t;

	mpfr_init2(t, BITS);
	variation_up(t, e);
	tiny = mpfr_cmp_d(t, SOTTO_TINY) < 0;
	mpfr_clear(t);
	return tiny;
}
