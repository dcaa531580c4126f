/*
 * Compares the error that a measure has with 1/(20 k) at most, k being the number of all noisy numbers
 * (and of the measures behind one of them), with that of its own interval: the greatest quotient.
 */
#include "central/session/answer/answer_stretch.h"

#include <math.h>

#include "central/aggregate/aggregate.h"
#include "central/plan/plan.h"
#include "central/price/laplace_or_gaussian.h"
#include "central/session/answer/answer_work.h"

/* How many measures an output reads, and how many ends of quantiles. */
struct reads {
	size_t measures, ranks;
};

static struct reads reads_of(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	struct reads r = {0, 0};

	for (size_t i = 0; i < sotto_cell_movable(plan); i++) {
		if (!sotto_output_reads(plan, e, i))
			continue;
		if (i < plan->measure_count)
			r.measures++;
		else
			r.ranks++;
	}
	return r;
}

static double factor_of(const struct sotto_added_noise *noise, size_t joint, size_t numbers)
{
	struct sotto_rational beta;
	int64_t error, own = noise->errors[joint - 1];
	enum sotto_status st;

	sotto_rational_init(&beta);
	mpq_set_ui(beta.q, 1, (unsigned long)numbers * joint);
	mpz_mul_ui(mpq_denref(beta.q), mpq_denref(beta.q), 20);
	st = sotto_added_noise_error_up(noise, 1, &beta, &error);
	sotto_rational_release(&beta);
	if (st != SOTTO_OK)
		return 0;
	if (error <= own)
		return 1;
	return own > 0 ? (double)error / (double)own : 0;
}

/*
 * The interval of a quotient (answer_quotient.c) is missed with 1/20 by a sum of two noises.  Laws with a
 * log-concave density have log-concave tails G with G(0) = 1, so that G(s z) <= G(z)^s for s >= 1:
 * stretched by s, it is missed with 20^-s.
 */
static double factor_of_quotient(size_t numbers)
{
	return log(20 * (double)numbers) / log(20);
}

double sotto_output_stretch(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			    size_t numbers)
{
	struct reads r = reads_of(plan, e);
	size_t joint = r.measures <= SOTTO_JOINT_MAX ? r.measures : 1;
	double most = r.measures == 2 ? factor_of_quotient(numbers) : 1;

	if (r.measures == 0) /* a quantile's own ends miss it with 1/(20 SOTTO_JOINT_MAX) */
		return r.ranks > 0 && numbers <= SOTTO_JOINT_MAX / r.ranks ? 1 : 0;
	if (r.ranks > 0)
		return 0;
	for (size_t i = 0; i < plan->measure_count; i++) {
		double x;

		if (!sotto_output_reads(plan, e, i))
			continue;
		x = factor_of(plan->measures[i].noise, joint, numbers);
		if (x == 0)
			return 0;
		most = fmax(most, x);
	}
	return most;
}

double sotto_answer_stretch(const struct sotto_plan *plan, size_t numbers)
{
	double most = 1;

	for (size_t k = 0; k < plan->output_count; k++) {
		const struct sotto_sql_expr *e = plan->outputs[k].expr;
		double x;

		if (!sotto_output_has_interval(&plan->outputs[k]) || !e)
			continue;
		x = sotto_output_stretch(plan, e, numbers);
		if (x == 0)
			return 0;
		most = fmax(most, x);
	}
	return most;
}
