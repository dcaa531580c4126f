/*
 * Every answer goes through one last check: sides that have crossed become an infinite answer
 * with a reason, never a wrong number.
 */
#include "core/account/theorem/account_answer.h"

#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/composition/composition.h"

const enum sotto_method sotto_answer_others[SOTTO_ANSWER_OTHERS] = {SOTTO_BASIC, SOTTO_KOV,
								    SOTTO_ZCDP, SOTTO_RDP};

const char *sotto_method_name(enum sotto_method method)
{
	static const char *const names[] = {
#define NAME(constant, name, what) name,
		SOTTO_METHOD_LIST(NAME)
#undef NAME
	};

	return names[method];
}

const char *sotto_adaptivity_name(enum sotto_adaptivity adaptivity)
{
	static const char *const names[] = {"non-adaptive", "fixed-parameters",
					    "fully-adaptive"};

	return names[adaptivity];
}

static enum sotto_adaptivity adaptivity_of(enum sotto_method method)
{
	return method == SOTTO_BASIC || method == SOTTO_ZCDP ? SOTTO_FULLY_ADAPTIVE
							     : SOTTO_FIXED_PARAMETERS;
}

struct sotto_work sotto_answer_work(enum sotto_method method)
{
	static const double left[] = {
		[SOTTO_BASIC] = SOTTO_WORK_PART, [SOTTO_ADVANCED] = SOTTO_WORK_PART,
		[SOTTO_KOV] = SOTTO_WORK_PART,   [SOTTO_ZCDP] = SOTTO_WORK_PART,
		[SOTTO_RDP] = SOTTO_WORK_RENYI,  [SOTTO_PLD] = SOTTO_WORK_WHOLE};

	return (struct sotto_work){.left = left[method],
				   .apart = method == SOTTO_PLD ? SOTTO_WORK_APART : 0};
}

static bool has_kind(const struct sotto_event *e, enum sotto_event_kind kind)
{
	if (e->kind == kind)
		return true;
	for (size_t i = 0; i < e->n_children; i++)
		if (has_kind(e->children[i], kind))
			return true;
	return false;
}

bool sotto_terms_have_kind(const struct sotto_terms *t, enum sotto_event_kind kind)
{
	for (size_t i = 0; i < t->n; i++)
		if (has_kind(t->list[i].event, kind))
			return true;
	return false;
}

void sotto_answer_start(struct sotto_account_answer *a, const struct sotto_terms *t,
			enum sotto_method method)
{
	*a = (struct sotto_account_answer){.method = method,
					   .adaptivity = adaptivity_of(method),
					   .neighbours = t->neighbours,
					   .finite = true,
					   .way = "",
					   .exact_pair = method == SOTTO_PLD && t->exact_pair};
	if (t->neighbours == SOTTO_ANY_NEIGHBOURS && t->has_cells)
		a->neighbours = SOTTO_ADD_REMOVE; /* who is replaced may change two cells */
}

static const char no_steps_left[] = "would take more steps than one answer may";

void sotto_answer_set_infinite(struct sotto_account_answer *a, const char *reason)
{
	a->finite = false;
	a->reason = reason;
	a->lower = 0;
	a->upper = INFINITY;
}

/*
 * Without delta, or where the events' own use it up, epsilon is infinite; else it is a number,
 * though one that no double holds or that could not be bounded by one.
 */
static const char *why_infinite(const struct sotto_terms *t, mpq_srcptr delta)
{
	uint64_t curves;
	bool finite;
	mpq_t own;

	mpq_init(own);
	sotto_compose_survey(t, own, &curves);
	finite = curves ? mpq_cmp(own, delta) < 0 : mpq_cmp(own, delta) <= 0;
	mpq_clear(own);
	return finite ? "no bound below the largest double, 1.8e308" : "infinite at this delta";
}

void sotto_answer_set_epsilon(struct sotto_account_answer *a, const struct sotto_terms *t,
			      mpq_srcptr delta, double lower, double upper)
{
	a->lower = lower;
	a->upper = upper;
	if (isinf(upper))
		sotto_answer_set_infinite(a, sotto_work_is_spent(t->work)
						     ? no_steps_left
						     : why_infinite(t, delta));
}

/*
 * delta as a double on the safe side: above it is never 0 unless it is, below it may be, and its logarithm
 * then tells how small it is.
 */
void sotto_answer_set_delta(struct sotto_account_answer *a, double log_lower, double log_upper)
{
	a->log_lower = log_lower;
	a->log_upper = log_upper;
	a->lower = sotto_ulps_down(exp(log_lower), 2);
	a->upper = fmin(1, sotto_ulps_up(exp(log_upper), 2));
	if (a->lower < 0 || isinf(log_lower))
		a->lower = 0;
	if (isinf(log_upper))
		a->upper = 0;
	else if (a->upper < 0x1p-1074)
		a->upper = 0x1p-1074;
}

/* What the events' own work limit did not let them tell is not known, and no failure. */
enum sotto_status sotto_answer_forgive(enum sotto_status st, struct sotto_account_answer *a)
{
	if (st != SOTTO_EREFUSED && st != SOTTO_ERANGE)
		return st;
	sotto_answer_set_infinite(a, no_steps_left);
	return SOTTO_OK;
}

/*
 * The last word on every answer: whatever the way to it, the lower side is not above the upper
 * one.
 */
void sotto_answer_settle(struct sotto_account_answer *a)
{
	bool agree = sotto_sides_settle(&a->lower, &a->upper, 0, INFINITY);

	agree &= sotto_sides_settle(&a->log_lower, &a->log_upper, -INFINITY, 0);
	if (!agree)
		sotto_answer_set_infinite(
			a, "the two sides contradict each other, so neither is claimed");
}

/*
 * The loss distribution may be one that only dominates (a black-box group), and a theorem may know
 * better: then the low side stays below that bound, which was rounded up.
 */
double sotto_answer_lower_below(double lower, double bound)
{
	return lower > bound ? sotto_ulps_down(bound, 2) : lower;
}
