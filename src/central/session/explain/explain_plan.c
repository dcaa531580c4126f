/*
 * What follows from the plan alone: whose rows, which groups, which noise, which columns.
 */
#include <inttypes.h>
#include <math.h>

#include "central/session/answer/answer_inside.h"
#include "central/session/answer/answer_limits.h"
#include "central/aggregate/measure/measure_add.h"
#include "central/session/explain/explain.h"
#include "central/session/explain/predict_computed.h"

const char *sotto_explain_plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- whose rows ------------------------------------------------------------------------- */

static enum sotto_status
explain_counts(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	if (!plan->units)
		return sotto_explain_say(x, "protected", "counts", "as one row, in one group");
	SOTTO_SAY("protected", "counts",
		  "in at most %lld group%s, with at most %lld row%s in each",
		  (long long)plan->groups, sotto_explain_plural(plan->groups),
		  (long long)plan->max_rows, sotto_explain_plural(plan->max_rows));
	return SOTTO_OK;
}

/* "+- 2157 rows, +- 719 units": how well the loss will be known. */
static const char *
loss_errors(struct sotto_explanation_owned *x, const struct sotto_loss_forecast *f)
{
	double lost = isnan(f->rows_error) ? f->pairs_error : f->rows_error;
	const char *what = isnan(f->rows_error) ? "groups of units" : "rows";
	const double example = 10000;

	if (isnan(lost))
		return sotto_arena_textf(&x->arena, "+- %.6g units", f->units_error);
	if (lost > example)
		return sotto_arena_textf(
			&x->arena,
			"+- %.6g %s and +- %.6g units, which says little about a smaller table",
			lost, what, f->units_error);
	return sotto_arena_textf(&x->arena,
				 "+- %.6g %s (%.2g %% if there are %.0f) and +- %.6g units",
				 lost, what, 100 * lost / example, example, f->units_error);
}

static enum sotto_status explain_loss(struct sotto_explanation_owned *x,
				      const struct sotto_plan *plan,
				      const struct sotto_limits *l)
{
	const char *errors = loss_errors(x, &l->forecast);

	if (plan->loss.count == 0)
		return SOTTO_OK;
	if (!l->forecast.is_wanted)
		return sotto_explain_say(x, "protected", "loss",
					 "what these limits lose is not estimated "
					 "(diagnostics 0)");
	if (!errors)
		return SOTTO_ENOMEM;
	if (l->forecast.is_known)
		SOTTO_SAY("protected", "loss",
			  "what these limits lose is known from an earlier question, free, "
			  "to within %s",
			  errors);
	else
		SOTTO_SAY("protected", "loss",
			  "what these limits lose is estimated for epsilon %.6g of the price, "
			  "to within %s",
			  l->forecast.epsilon, errors);
	return SOTTO_OK;
}

/* Every limit that can change the answer, in the words that the answer has too. */
static enum sotto_status
explain_limits(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	struct sotto_limits *list;
	size_t count;

	SOTTO_TRY(explain_counts(x, plan));
	SOTTO_TRY(sotto_limits_list(&x->arena, plan, &list, &count));
	for (size_t i = 0; i < count; i++) {
		struct sotto_limits *slot =
			SOTTO_PUSH(&x->arena, x->public.limits, x->public.limits_count);

		if (!slot)
			return SOTTO_ENOMEM;
		*slot = list[i];
		for (size_t k = 0; k < list[i].sentence_count; k++)
			SOTTO_TRY(sotto_explain_say(x, "protected", "limit",
						    list[i].sentences[k]));
		SOTTO_TRY(explain_loss(x, plan, &list[i]));
	}
	return SOTTO_OK;
}

static enum sotto_status
explain_ownership(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	const struct sotto_policy_table *t = plan->owner;

	if (!t)
		return sotto_explain_say(x, "protected", "nobody",
					 "only public tables are asked: the answer is exact "
					 "and free");
	x->public.table = sotto_arena_text(&x->arena, t->name);
	x->public.unit = t->unit ? sotto_arena_text(&x->arena, t->unit) : NULL;
	x->public.groups = plan->groups;
	x->public.rows = plan->units ? plan->max_rows : 1;
	x->public.drops_groups = plan->window;
	if (!x->public.table || (t->unit && !x->public.unit))
		return SOTTO_ENOMEM;
	if (t->via)
		SOTTO_SAY("protected", "unit",
			  "each %s of %s, reached from %s.%s over %s.%s: the answer barely "
			  "depends on whether its rows are included",
			  t->root->unit, t->root->name, t->name, t->via_column, t->via->name,
			  t->via_key);
	else if (t->unit)
		SOTTO_SAY("protected", "unit",
			  "each %s of %s: the answer barely depends on whether its rows are "
			  "included",
			  t->unit, t->name);
	else if (t->via)
		SOTTO_SAY(
			"protected", "unit",
			"each %s of %s, which %s reaches over %s: the answer barely depends on "
			"whether its rows are included",
			t->root->unit, t->root->name, t->name, t->via->name);
	else
		SOTTO_SAY("protected", "unit",
			  "each row of %s: the answer barely depends on whether it is included",
			  t->name);
	return explain_limits(x, plan);
}

/* ---- groups ----------------------------------------------------------------------------- */

/* Directly, or by what a subquery computes it from. */
static bool is_of_public_table(const struct sotto_bound *b)
{
	for (size_t i = 0; i < b->column_count; i++) {
		const struct sotto_scope_column *c = b->columns[i];

		if (!c->rows && !(c->inner && is_of_public_table(c->inner)))
			return false;
	}
	return b->column_count > 0;
}

static const char *key_reason(const struct sotto_plan *plan, const struct sotto_plan_key *k)
{
	const struct sotto_bound *b = &k->bound;

	if (!k->domain)
		return "its possible values are not declared";
	if (!plan->public_keys)
		return "another key of the question is private";
	if (k->held)
		return sotto_key_moves_rows(k) ? "the policy declares bounds; values outside "
						 "count as the nearest bound"
					       : "the condition leaves no others";
	if (is_of_public_table(k->image ? k->image : b))
		return "the values are those of a public table";
	if (sotto_bound_is_column(b) && b->type != SOTTO_TYPE_BOOLEAN)
		return "the policy declares its values";
	return "it can take only this many values, whatever the data are";
}

static enum sotto_status explain_key(struct sotto_explanation_owned *x,
				     const struct sotto_plan *plan,
				     const struct sotto_plan_key *k)
{
	struct sotto_explained_key *key =
		SOTTO_PUSH(&x->arena, x->public.keys, x->public.key_count);

	if (!key)
		return SOTTO_ENOMEM;
	*key = (struct sotto_explained_key){.name = sotto_arena_text(&x->arena, k->name),
					    .is_public = k->domain && plan->public_keys,
					    .values = !k->domain       ? -1
						      : k->values >= 0 ? k->values
								       : k->domain->size,
					    .why = key_reason(plan, k)};
	if (!key->name)
		return SOTTO_ENOMEM;
	if (!key->is_public)
		SOTTO_SAY("groups", k->name,
			  "private (%s): a value is shown if enough units have it", key->why);
	else if (key->values < 0)
		SOTTO_SAY("groups", k->name, "public (%s): all are shown, even if empty",
			  key->why);
	else
		SOTTO_SAY("groups", k->name,
			  "public, %lld value%s (%s): all are shown, even if empty",
			  (long long)key->values, sotto_explain_plural(key->values), key->why);
	return SOTTO_OK;
}

static enum sotto_status
explain_keys(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->key_count; i++)
		SOTTO_TRY(explain_key(x, plan, &plan->keys[i]));
	if (!plan->owner || plan->threshold.measure == SIZE_MAX)
		return SOTTO_OK;
	x->public.threshold = plan->threshold.least;
	SOTTO_SAY("groups", "threshold",
		  "a private value is shown if its noisy number of units is %lld or more; one "
		  "that "
		  "a single unit has is shown with probability delta at most",
		  (long long)plan->threshold.least);
	return SOTTO_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static enum sotto_status
explain_aggregate(struct sotto_explanation_owned *x, const struct sotto_plan *plan,
		  const struct sotto_sql_expr *e, struct sotto_explained_column *out,
		  const char **text)
{
	const struct sotto_aggregate *a = &plan->aggregates[e->index];
	const struct sotto_measure *m;

	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		m = &plan->measures[a->measure];
		out->error = sotto_measure_error(m);
		*text = sotto_arena_textf(&x->arena, "+- %s",
					  sotto_explain_steps(x, m->noise->errors[0], m->step));
		break;
	case SOTTO_FORM_MOMENTS:
		out->error_times_count = a->record->error_times_count(plan, a);
		SOTTO_TRY(sotto_predict_computed(plan, e, &x->arena, &out->typical_error));
		*text = a->record->predict(&x->arena, plan, a, out->typical_error);
		break;
	case SOTTO_FORM_RANK:
		*text = sotto_arena_textf(
			&x->arena,
			"at most %.6g values from its rank; its interval comes with the answer",
			sotto_explain_choice_error(&plan->choices[a->rank.choice]));
		break;
	case SOTTO_FORM_MODE:
		*text = sotto_arena_textf(
			&x->arena, "at most %.6g occurrences short of the most frequent value",
			sotto_explain_choice_error(&plan->choices[a->mode]));
		break;
	}
	return *text ? SOTTO_OK : SOTTO_ENOMEM;
}

/* What is computed from several noisy values, or from one of them. */
static enum sotto_status explain_computed(struct sotto_explanation_owned *x,
					  const struct sotto_plan *plan,
					  const struct sotto_plan_output *o,
					  struct sotto_explained_column *out, const char **text)
{
	static const char free_of_charge[] = "computed from noisy values at no extra cost; its "
					     "interval comes with the answer";
	char number[SOTTO_ERROR_TEXT];

	SOTTO_TRY(sotto_predict_computed(plan, o->expr, &x->arena, &out->typical_error));
	*text = free_of_charge;
	if (isnan(out->typical_error))
		return SOTTO_OK;
	*text = sotto_arena_textf(
		&x->arena, "about +- %s for %" PRId64 " values%s; %s",
		sotto_error_text(out->typical_error, 3, number), plan->typical_group,
		sotto_predict_is_filtered(plan, o->expr) ? " of which half meet each FILTER"
							 : "",
		free_of_charge);
	return *text ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status explain_output(struct sotto_explanation_owned *x,
					const struct sotto_plan *plan,
					const struct sotto_plan_output *o)
{
	struct sotto_explained_column *out =
		SOTTO_PUSH(&x->arena, x->public.columns, x->public.column_count);
	const char *text = NULL;

	if (!out)
		return SOTTO_ENOMEM;
	*out = (struct sotto_explained_column){.name = sotto_arena_text(&x->arena, o->name),
					       .type = sotto_sql_type_word(o->type),
					       .noisy = o->noisy,
					       .error = NAN,
					       .error_times_count = NAN,
					       .typical_error = NAN};
	if (!out->name)
		return SOTTO_ENOMEM;
	if (plan->part_count && !plan->owner && o->noisy)
		text = o->has_ends ? "computed from noisy values at no extra cost; its "
				     "interval comes "
				     "with the answer"
				   : "computed from noisy values at no extra cost; without an "
				     "interval";
	else if (!plan->owner && !plan->part_count)
		text = "exact";
	else if (!o->noisy)
		text = "key";
	else if (o->expr->kind == SOTTO_SQL_VALUE)
		SOTTO_TRY(explain_aggregate(x, plan, o->expr, out, &text));
	else
		SOTTO_TRY(explain_computed(x, plan, o, out, &text));
	SOTTO_TRY(sotto_explain_say(x, "answer", o->name, text));
	SOTTO_TRY(sotto_note_output(&x->arena, plan, o, &text));
	return text ? sotto_explain_say(x, "answer", "note", text) : SOTTO_OK;
}

/* For a plan with parts, the parts in turn; then the columns of the whole. */
enum sotto_status
sotto_explain_plan(struct sotto_explanation_owned *x, const struct sotto_plan *plan)
{
	static enum sotto_status (*const sections[])(struct sotto_explanation_owned *,
						     const struct sotto_plan *) = {
		explain_ownership, explain_keys, sotto_explain_measures};

	x->public.typical_group = plan->typical_group;
	for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
		for (size_t i = 0; i < plan->part_count; i++)
			SOTTO_TRY(sections[s](x, plan->parts[i]));
		if (plan->part_count == 0 || plan->owner)
			SOTTO_TRY(sections[s](x, plan));
	}
	for (size_t i = 0; i < plan->output_count; i++)
		SOTTO_TRY(explain_output(x, plan, &plan->outputs[i]));
	return SOTTO_OK;
}
