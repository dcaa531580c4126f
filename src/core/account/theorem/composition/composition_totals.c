/*
 * Two public calls: plain sums of epsilon, delta and rho for display, and the divergence at one
 * order.
 */
#include <math.h>
#include "core/account/integral/real.h"
#include "core/account/theorem/composition/composition.h"
#include "core/account/theorem/renyi/zcdp.h"
#include "core/base/failure.h"
#include "sotto/account.h"

static enum sotto_status sum_boxes(const struct sotto_terms *t, struct sotto_totals *totals)
{
	struct sotto_rational own;
	enum sotto_status st;
	uint64_t curves;

	sotto_rational_init(&own);
	sotto_compose_survey(t, own.q, &curves);
	st = sotto_compose_epsilon(t, own.q, SOTTO_BASIC, &totals->epsilon);
	totals->delta = sotto_rational_double_up(&own);
	sotto_rational_release(&own);
	return st;
}

static enum sotto_status sum_rhos(const struct sotto_terms *t, struct sotto_totals *totals)
{
	struct sotto_rational own;
	enum sotto_status st;
	mpfr_t rho;

	sotto_rational_init(&own);
	mpfr_init2(rho, REAL_BITS);
	st = sotto_zcdp_sum(t, rho, own.q);
	totals->rho = sotto_real_double_up(rho);
	totals->rho_delta = sotto_rational_double_up(&own);
	mpfr_clear(rho);
	sotto_rational_release(&own);
	return st;
}

enum sotto_status
sotto_account_totals(const struct sotto_workload *w, size_t among, struct sotto_totals *totals)
{
	if (!w || !totals || among == 0)
		return SOTTO_EINVAL;

	struct sotto_work work = {.left = SOTTO_WORK_RENYI / (double)among};
	struct sotto_terms t;
	enum sotto_status st;

	SOTTO_TRY(sotto_terms_of(&t, w));
	t.work = &work;
	st = sum_boxes(&t, totals);
	if (st == SOTTO_OK)
		st = sum_rhos(&t, totals);
	sotto_terms_release(&t);
	return st;
}
