/*
 * What is counted and chosen, and its noise.
 */
#include <math.h>

#include "central/aggregate/measure/measure_add.h"
#include "central/session/explain/explain.h"
#include "core/number/nearest.h"

static const char *unit_name(const struct sotto_plan *plan)
{
	return plan->owner->unit  ? plan->owner->unit
	       : plan->owner->via ? plan->owner->root->unit
				  : "row";
}

/* ---- measures ---------------------------------------------------------------------------- */

static enum sotto_status list_readers(struct sotto_explanation_owned *x,
				      const struct sotto_plan *plan, size_t measure,
				      struct sotto_explained_measure *out)
{
	for (size_t i = 0; i < plan->output_count; i++) {
		const struct sotto_plan_output *o = &plan->outputs[i];
		const char **slot;

		if (!o->expr || !sotto_output_reads(plan, o->expr, measure))
			continue;
		slot = SOTTO_PUSH(&x->arena, out->used_by, out->used_by_count);
		if (!slot || !(*slot = sotto_arena_text(&x->arena, o->name)))
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static const char *readers_text(struct sotto_explanation_owned *x,
				const struct sotto_plan *plan, size_t measure,
				const struct sotto_explained_measure *m)
{
	const char *names = "";

	if (m->used_by_count == 0)
		return measure == plan->threshold.measure ? "the threshold"
							  : "choosing and sorting rows";
	for (size_t i = 0; names && i < m->used_by_count; i++)
		names = sotto_arena_textf(&x->arena, "%s%s%s", names, i ? ", " : "",
					  m->used_by[i]);
	if (names && measure == plan->threshold.measure)
		names = sotto_arena_textf(&x->arena, "%s and the threshold", names);
	return names;
}

static void set_bounds(struct sotto_explained_measure *out, const struct sotto_measure *m)
{
	double step = sotto_nearest_double(m->step->q);

	out->is_bounded = m->kind == SOTTO_MEASURE_SUM;
	out->step = step;
	if (!out->is_bounded)
		return;
	out->lo = (double)(m->addend.square ? m->addend.lo : m->addend.clip_lo) * step;
	out->hi = (double)(m->addend.square ? m->addend.hi : m->addend.clip_hi) * step;
	out->centre = m->addend.square ? 0 : (double)m->addend.centre * step;
}

static const char *bounds_text(struct sotto_explanation_owned *x, const struct sotto_measure *m)
{
	if (m->kind != SOTTO_MEASURE_SUM)
		return "";
	return sotto_arena_textf(
		&x->arena, "; each value is held within %s .. %s%s%s, on a grid of %s",
		sotto_explain_steps(x, m->addend.square ? m->addend.lo : m->addend.clip_lo,
				    m->step),
		sotto_explain_steps(x, m->addend.square ? m->addend.hi : m->addend.clip_hi,
				    m->step),
		m->addend.centre && !m->addend.square ? ", counted from " : "",
		m->addend.centre && !m->addend.square
			? sotto_explain_steps(x, m->addend.centre, m->step)
			: "",
		sotto_explain_number(x, m->step->q));
}

static enum sotto_status
explain_measure(struct sotto_explanation_owned *x, const struct sotto_plan *plan, size_t i)
{
	struct sotto_explained_measure *out =
		SOTTO_PUSH(&x->arena, x->public.measures, x->public.measure_count);
	const struct sotto_measure *m = &plan->measures[i];
	const char *bounds = bounds_text(x, m), *used_by;
	double step = sotto_nearest_double(m->step->q);

	if (!out || !bounds)
		return SOTTO_ENOMEM;
	*out = (struct sotto_explained_measure){.what = sotto_arena_text(&x->arena, m->label),
						.sensitivity = (double)m->per_group * step,
						.scale = sotto_added_noise_scale(m->noise) *
							 step,
						.error = sotto_measure_error(m)};
	set_bounds(out, m);
	SOTTO_TRY(list_readers(x, plan, i, out));
	used_by = readers_text(x, plan, i, out);
	if (!out->what || !used_by)
		return SOTTO_ENOMEM;
	SOTTO_SAY(
		"noise", m->label,
		"one %s moves it by at most %s in a group; noise of %s %.6g, 95 %% of the time "
		"within +- %.6g%s; for %s",
		unit_name(plan), sotto_explain_steps(x, m->per_group, m->step),
		plan->noise == SOTTO_NOISE_LAPLACE ? "scale" : "sigma", out->scale, out->error,
		bounds, used_by);
	return SOTTO_OK;
}

/* ---- choices ------------------------------------------------------------------------------ */

double sotto_explain_choice_error(const struct sotto_choice *p)
{
	return p->kind == SOTTO_CHOICE_RANKS ? (double)p->quantiles.choice->error95 / 2
					     : (double)p->mode.choice->error95;
}

static enum sotto_status
explain_mode(struct sotto_explanation_owned *x, const struct sotto_choice *p)
{
	struct sotto_explained_choice *out =
		SOTTO_PUSH(&x->arena, x->public.choices, x->public.choice_count);

	if (!out)
		return SOTTO_ENOMEM;
	*out = (struct sotto_explained_choice){.what = "mode",
					       .method = "exponential mechanism",
					       .step = 1,
					       .error = sotto_explain_choice_error(p)};
	SOTTO_SAY("noise", "mode",
		  "chosen by the %s: 95 %% of the time at most %.6g occurrences short of the "
		  "most frequent value",
		  out->method, out->error);
	return SOTTO_OK;
}

static enum sotto_status
explain_quantiles(struct sotto_explanation_owned *x, const struct sotto_choice *p)
{
	struct sotto_explained_choice *out =
		SOTTO_PUSH(&x->arena, x->public.choices, x->public.choice_count);
	const struct sotto_choice_of_ranks *q = &p->quantiles;
	double step = sotto_nearest_double(q->step->q);

	if (!out)
		return SOTTO_ENOMEM;
	*out = (struct sotto_explained_choice){
		.what = "quantiles",
		.method = q->choice->method == SOTTO_RANKS_BY_TREE ? "tree of noisy counts"
								   : "exponential mechanism",
		.lo = (double)q->lo * step,
		.hi = (double)q->hi * step,
		.step = step,
		.error = sotto_explain_choice_error(p)};
	SOTTO_SAY("noise", "quantiles",
		  "found by the %s among %s .. %s on a grid of %s: 95 %% of the time at most "
		  "%.6g values away from the rank that was asked for",
		  out->method, sotto_explain_steps(x, q->lo, q->step),
		  sotto_explain_steps(x, q->hi, q->step), sotto_explain_number(x, q->step->q),
		  out->error);
	return SOTTO_OK;
}

static enum sotto_status
explain_top(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	const struct sotto_measure *m = &plan->measures[plan->top.measure];

	SOTTO_SAY("noise", m->label,
		  "only names come out: the %lld group%s with the %s values are chosen by "
		  "noisy max, "
		  "95 %% of the time none more than %.6g behind a group that was not chosen",
		  (long long)plan->top.count, sotto_explain_plural(plan->top.count),
		  plan->top.least ? "smallest" : "largest",
		  plan->top.error95 * sotto_nearest_double(m->step->q));
	return SOTTO_OK;
}

enum sotto_status
sotto_explain_measures(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	for (size_t i = 0; plan->owner && i < plan->measure_count; i++)
		SOTTO_TRY(plan->top.chosen && i == plan->top.measure
				  ? explain_top(x, plan)
				  : explain_measure(x, plan, i));
	for (size_t i = 0; plan->owner && i < plan->choice_count; i++)
		SOTTO_TRY(plan->choices[i].kind == SOTTO_CHOICE_MODE
				  ? explain_mode(x, &plan->choices[i])
				  : explain_quantiles(x, &plan->choices[i]));
	return SOTTO_OK;
}
