/*
 * The price of a plan with all its parts: epsilon and delta are divided among them, each is
 * priced by itself (question_price.c), and what they cost adds up.
 */
#include "central/price/plan_price.h"

#include <math.h>
#include <string.h>

#include "central/aggregate/measure/measure_add.h"
#include "central/price/question_price.h"
#include "core/base/failure.h"

/* Parts, and the plan itself if it has noise, have the same share each. */
static enum sotto_status
price_all(struct sotto_plan *plan, const struct sotto_rational *epsilon,
	  const struct sotto_rational *delta, bool delta_is_wish, struct sotto_error *err)
{
	enum sotto_noise_kind noise = SOTTO_NOISE_NONE;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < plan->part_count; i++) {
		st = sotto_plan_price(plan->parts[i], epsilon, delta, delta_is_wish, err);
		if (st == SOTTO_OK && plan->parts[i]->noise != SOTTO_NOISE_NONE)
			noise = plan->parts[i]->noise;
	}
	if (st == SOTTO_OK)
		st = sotto_question_price(plan, epsilon, delta, delta_is_wish, err);
	if (st == SOTTO_OK && plan->noise == SOTTO_NOISE_NONE)
		plan->noise = noise;
	return st;
}

/* What the plan costs itself, and with all its parts. */
static void add_up(struct sotto_plan *plan)
{
	sotto_cost_release(&plan->own_cost);
	sotto_cost_init(&plan->own_cost);
	if (sotto_question_has_price(plan))
		sotto_cost_add(&plan->own_cost, &plan->cost);
	sotto_cost_release(&plan->cost);
	sotto_cost_init(&plan->cost);
	for (size_t i = 0; i < plan->part_count; i++)
		sotto_cost_add(&plan->cost, &plan->parts[i]->cost);
	sotto_cost_add(&plan->cost, &plan->own_cost);
}

enum sotto_status sotto_plan_price(struct sotto_plan *plan,
				   const struct sotto_rational *epsilon,
				   const struct sotto_rational *delta, bool delta_is_wish,
				   struct sotto_error *err)
{
	size_t shares = plan->part_count + sotto_question_has_price(plan);
	struct sotto_rational one, other;
	enum sotto_status st;

	sotto_rational_init(&one);
	sotto_rational_init(&other);
	mpq_set_ui(one.q, shares ? shares : 1, 1);
	mpq_div(other.q, delta->q, one.q);
	mpq_div(one.q, epsilon->q, one.q);
	st = price_all(plan, &one, &other, delta_is_wish, err);
	sotto_rational_release(&one);
	sotto_rational_release(&other);
	SOTTO_TRY(st);
	add_up(plan);
	if (shares) {
		sotto_rational_set(plan->epsilon, epsilon);
		sotto_rational_set(plan->delta, &plan->cost.delta);
	}
	plan->priced = true;
	return SOTTO_OK;
}

double sotto_plan_error(const struct sotto_plan *plan)
{
	double largest = NAN;

	for (size_t i = 0; i < plan->output_count; i++) {
		const struct sotto_sql_expr *e = plan->outputs[i].expr;
		const struct sotto_aggregate *a;
		double error;

		if (!e || e->kind != SOTTO_SQL_VALUE)
			continue;
		a = &plan->aggregates[e->index];
		if (a->form != SOTTO_FORM_MEASURE)
			continue;
		error = sotto_measure_error(&plan->measures[a->measure]);
		largest = isnan(largest) || error > largest ? error : largest;
	}
	return largest;
}

static const char *mechanism_of_own(const struct sotto_plan *plan)
{
	static const char *const names[2][2] = {
		{"discrete Laplace", "discrete Laplace and exponential mechanism"},
		{"discrete Gaussian", "discrete Gaussian and exponential mechanism"}};
	bool noise = plan->measure_count > 0, choice = false;

	if (plan->noise == SOTTO_NOISE_NONE || !plan->owner)
		return "exact";
	if (plan->top.chosen)
		return "noisy max";
	for (size_t i = 0; i < plan->choice_count; i++) {
		const struct sotto_choice *p = &plan->choices[i];
		bool tree = p->kind == SOTTO_CHOICE_RANKS &&
			    p->quantiles.choice->method == SOTTO_RANKS_BY_TREE;

		noise = noise || tree;
		choice = choice || !tree;
	}
	return noise ? names[plan->noise == SOTTO_NOISE_GAUSSIAN][choice]
		     : "exponential mechanism";
}

const char *sotto_plan_mechanism(const struct sotto_plan *plan)
{
	const char *all = mechanism_of_own(plan);

	for (size_t i = 0; i < plan->part_count; i++) {
		const char *one = sotto_plan_mechanism(plan->parts[i]);

		if (strcmp(one, "exact") == 0 || strcmp(one, all) == 0)
			continue;
		all = strcmp(all, "exact") == 0 ? one : "several mechanisms";
	}
	return all;
}
