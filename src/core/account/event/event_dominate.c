/* Whether one event costs at least as much as another, where their forms tell. */
#include "core/account/event/event.h"

static bool at_least(const struct sotto_rational *a, const struct sotto_rational *b)
{
	return mpq_cmp(a->q, b->q) >= 0;
}

/* The bound that the event's form puts on its loss; false if there is none. */
static bool loss_bound(const struct sotto_event *e, mpq_t bound)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
		mpq_set(bound, e->epsilon.q);
		return true;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		mpq_set(bound, e->epsilon.q);
		return !e->has_truth;
	case SOTTO_EVENT_GEOMETRIC:
		mpq_set_ui(bound, e->sensitivity, 1);
		mpq_mul(bound, bound, e->step_epsilon.q);
		return true;
	default:
		return false;
	}
}

static bool pure_dominates(const struct sotto_event *a, const struct sotto_event *b)
{
	mpq_t bound;
	bool yes;

	mpq_init(bound);
	yes = loss_bound(b, bound) && mpq_cmp(a->epsilon.q, bound) >= 0;
	mpq_clear(bound);
	return yes;
}

/*
 * More clones are post-processing: each of the others may be made one.  So is a smaller epsilon0, which makes clones likelier and
 * exchanges the two numbers of reports more often.  Of a binary randomizer clones are likelier.
 */
static bool shuffle_dominates(const struct sotto_event *a, const struct sotto_event *b)
{
	return at_least(&a->local_epsilon, &b->local_epsilon) && a->users <= b->users &&
	       (!a->is_binary || b->is_binary);
}

/*
 * Same family with a larger parameter.  For Laplace, geometric and randomized
 * response more noise is post-processing of less; for the others the curves are
 * monotone in the parameter.
 */
static bool family_dominates(const struct sotto_event *a, const struct sotto_event *b)
{
	switch (a->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_GAUSSIAN:
	case SOTTO_EVENT_ZCDP:
		return at_least(&a->first, &b->first);
	case SOTTO_EVENT_APPROX:
		return at_least(&a->epsilon, &b->epsilon) && at_least(&a->delta, &b->delta);
	case SOTTO_EVENT_GEOMETRIC:
		return at_least(&a->step_epsilon, &b->step_epsilon) &&
		       a->sensitivity >= b->sensitivity;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return a->answers == b->answers && a->has_truth == b->has_truth &&
		       at_least(&a->first, &b->first) &&
		       (!a->has_truth || mpq_cmp_ui(b->truth.q, 1, b->answers) >= 0);
	case SOTTO_EVENT_SAMPLED:
		return at_least(&a->rate, &b->rate) &&
		       sotto_event_dominates(a->children[0], b->children[0]);
	case SOTTO_EVENT_SHUFFLE:
		return shuffle_dominates(a, b);
	case SOTTO_EVENT_GROUP:
		return a->size == b->size &&
		       sotto_event_dominates(a->children[0], b->children[0]);
	default:
		return false;
	}
}

bool sotto_event_dominates(const struct sotto_event *a, const struct sotto_event *b)
{
	if (a->count < b->count || (a->kind != b->kind && a->kind != SOTTO_EVENT_PURE))
		return false;
	if (sotto_event_compare(a, b) == 0)
		return true;
	if (a->kind == SOTTO_EVENT_PURE && pure_dominates(a, b))
		return true;
	return a->kind == b->kind && family_dominates(a, b);
}
