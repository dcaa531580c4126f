/*
 * Writes the JSON by hand, piece by piece, so that the order of its keys is fixed; costs are
 * exact texts, with epsilon rounded up beside them.
 */
#include "census/account/census_account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_json_text.h"
#include "census/account/census_predict.h"
#include "census/account/census_semantics.h"
#include "core/base/failure.h"

static enum sotto_status put_key(struct sotto_buffer *b, const char *key)
{
	SOTTO_TRY(sotto_json_put_text(b, key));
	return sotto_buffer_append_text(b, ": ");
}

static enum sotto_status put_text_at(struct sotto_buffer *b, const char *key, const char *text)
{
	SOTTO_TRY(put_key(b, key));
	return sotto_json_put_text(b, text);
}

static enum sotto_status put_exact_at(struct sotto_buffer *b, const char *key, const mpq_t q)
{
	SOTTO_TRY(put_key(b, key));
	return sotto_json_put_number(b, q, true);
}

static enum sotto_status put_double_at(struct sotto_buffer *b, const char *key, double x)
{
	SOTTO_TRY(put_key(b, key));
	return sotto_json_put_double(b, x);
}

/* The cost of something: rho exact and both epsilons, or an exact epsilon. */
static enum sotto_status put_cost(struct sotto_buffer *b, const struct sotto_census_plan *p,
				  const struct sotto_rational *cost)
{
	struct sotto_census_conversion to = {0};

	if (p->model == SOTTO_CENSUS_PURE) {
		SOTTO_TRY(put_double_at(b, "epsilon", sotto_rational_double_up(cost)));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		return put_exact_at(b, "epsilon_exact", cost->q);
	}
	SOTTO_TRY(sotto_census_convert(cost, p->delta, &to));
	SOTTO_TRY(put_exact_at(b, "rho", cost->q));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_double_at(b, "epsilon", to.epsilon_up));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	return put_double_at(b, "epsilon_bun_steinke", to.epsilon_bun_steinke_up);
}

/* ---- levels -------------------------------------------------------------------------------------------------- */

static enum sotto_status put_measure(struct sotto_buffer *b, const struct sotto_census_plan *p,
				     const struct sotto_census_measure *m)
{
	bool pure = p->model == SOTTO_CENSUS_PURE;

	SOTTO_TRY(put_key(b, p->queries[m->query].name));
	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	SOTTO_TRY(put_exact_at(b, "fraction", m->fraction->q));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_exact_at(b, pure ? "epsilon" : "rho", m->cost->q));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_exact_at(b, pure ? "scale" : "sigma2", m->scale->q));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_double_at(b, pure ? "scale_decimal" : "sigma2_decimal",
				sotto_rational_nearest(m->scale->q)));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_double_at(b, "variance", m->variance));
	return sotto_buffer_appendf(b, ", \"cells\": %zu}", p->queries[m->query].cells);
}

static enum sotto_status
put_prediction(struct sotto_buffer *b, const struct sotto_census_prediction *modes)
{
	static const char *const names[] = {"naive", "topdown", "gls"};

	SOTTO_TRY(sotto_buffer_append_text(b, ",\n   \"predicted_total_error\": {"));
	for (size_t i = 0; i < 3; i++) {
		SOTTO_TRY(put_key(b, names[i]));
		SOTTO_TRY(sotto_buffer_append_text(b, "{"));
		SOTTO_TRY(put_double_at(b, "sd", modes[i].sd));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		SOTTO_TRY(put_double_at(b, "mae_linear", modes[i].mae_linear));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		SOTTO_TRY(put_double_at(b, "mae", modes[i].mae));
		SOTTO_TRY(sotto_buffer_append_text(b, i < 2 ? "}, " : "}}"));
	}
	return SOTTO_OK;
}

static size_t nodes_of(const struct sotto_census_world *w, size_t plan_level)
{
	for (size_t l = 0; w->has_shape && l < w->shape.level_count; l++)
		if (w->shape.plan_level[l] == plan_level)
			return w->shape.start[l + 1] - w->shape.start[l];
	return 0;
}

static enum sotto_status put_level(struct sotto_buffer *b, const struct sotto_census_world *w,
				   size_t l, const struct sotto_census_predictions *predictions)
{
	const struct sotto_census_plan *p = &w->plan;
	const struct sotto_census_level *level = &p->levels[l];
	enum sotto_status st;
	mpq_t cost;

	SOTTO_TRY(put_key(b, level->name));
	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	SOTTO_TRY(put_exact_at(b, "fraction", level->fraction->q));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	mpq_init(cost);
	mpq_mul(cost, level->fraction->q, p->total->q);
	st = put_exact_at(b, p->model == SOTTO_CENSUS_PURE ? "epsilon" : "rho", cost);
	mpq_clear(cost);
	if (st != SOTTO_OK)
		return st;
	if (nodes_of(w, l))
		SOTTO_TRY(sotto_buffer_appendf(b, ", \"nodes\": %zu", nodes_of(w, l)));
	SOTTO_TRY(sotto_buffer_append_text(b, ", \"queries\": {"));
	for (size_t i = 0; i < level->measure_count; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, i ? ",\n   " : "\n   "));
		SOTTO_TRY(put_measure(b, p, &level->measures[i]));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "}"));
	if (predictions->known)
		SOTTO_TRY(put_prediction(b, predictions->levels[l]));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status put_levels(struct sotto_buffer *b, const struct sotto_census_world *w)
{
	struct sotto_census_predictions predictions;

	SOTTO_TRY(sotto_census_predict(w, &predictions));
	SOTTO_TRY(sotto_buffer_append_text(b, ",\n \"levels\": {"));
	for (size_t l = 0; l < w->plan.level_count; l++) {
		SOTTO_TRY(sotto_buffer_append_text(b, l ? ",\n  " : "\n  "));
		SOTTO_TRY(put_level(b, w, l, &predictions));
	}
	return sotto_buffer_append_text(b, "}");
}

/* ---- semantics ------------------------------------------------------------------------------------------------- */

static enum sotto_status put_meaning(struct sotto_buffer *b, const struct sotto_census_plan *p,
				     const char *name, const struct sotto_rational *cost,
				     bool published)
{
	SOTTO_TRY(put_key(b, name));
	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	SOTTO_TRY(put_cost(b, p, cost));
	if (published)
		SOTTO_TRY(sotto_buffer_append_text(b, ", \"published_exactly\": true"));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status
put_semantics(struct sotto_buffer *b, const struct sotto_census_plan *p)
{
	enum sotto_status st =
		sotto_buffer_append_text(b, ",\n \"semantics\": {\"attribute\": {");
	struct sotto_rational cost;

	sotto_rational_init(&cost);
	for (size_t i = 0; st == SOTTO_OK && i < p->attribute_count; i++) {
		sotto_census_attribute_cost(p, i, &cost);
		st = sotto_buffer_append_text(b, i == 0 ? "\n   " : ",\n   ");
		if (st == SOTTO_OK)
			st = put_meaning(b, p, p->attributes[i].name, &cost,
					 sotto_census_attribute_is_published(p, i));
	}
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(b, "},\n  \"geography\": {");
	for (size_t l = 0; st == SOTTO_OK && l < p->level_count; l++) {
		sotto_census_geography_cost(p, l, &cost);
		st = sotto_buffer_append_text(b, l == 0 ? "\n   " : ",\n   ");
		if (st == SOTTO_OK)
			st = put_meaning(b, p, p->levels[l].name, &cost,
					 sotto_census_place_is_published(p, l));
	}
	sotto_rational_release(&cost);
	return st == SOTTO_OK ? sotto_buffer_append_text(b, "}}") : st;
}

static enum sotto_status
put_invariants(struct sotto_buffer *b, const struct sotto_census_plan *p)
{
	SOTTO_TRY(sotto_buffer_append_text(b, ",\n \"invariants\": ["));
	for (size_t i = 0; i < p->invariant_count; i++) {
		SOTTO_TRY(sotto_buffer_append_text(b, i ? ", {" : "{"));
		SOTTO_TRY(put_text_at(b, "level", p->invariants[i].level));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		SOTTO_TRY(put_text_at(b, "query", p->queries[p->invariants[i].query].name));
		SOTTO_TRY(sotto_buffer_append_text(b, "}"));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "], "));
	return put_text_at(
		b, "invariants_note",
		p->invariant_count == 0 ? "none"
		: p->replace_one
			? "invariants are published exactly and are not covered by the "
			  "guarantee; neighbouring datasets have the same invariants"
			: "invariants are published exactly and are not covered by the "
			  "guarantee; with these neighbours they reveal presence, which "
			  "the plan acknowledges");
}

enum sotto_status sotto_census_account(const struct sotto_census_world *w, bool not_private,
				       struct sotto_buffer *b)
{
	static const char *const modes[] = {"naive", "topdown", "gls"};
	const struct sotto_census_plan *p = &w->plan;

	SOTTO_TRY(sotto_buffer_append_text(b, "{"));
	if (not_private)
		SOTTO_TRY(sotto_buffer_append_text(
			b, "\"warning\": \"NOT PRIVATE: the noise came from a seed\",\n "));
	if (p->profile) {
		SOTTO_TRY(put_text_at(b, "profile", p->profile));
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	}
	SOTTO_TRY(put_text_at(b, "model", p->model == SOTTO_CENSUS_PURE ? "pure" : "zcdp"));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_text_at(b, "neighbours", p->replace_one ? "replace-one" : "add-remove"));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_text_at(b, "mode", modes[p->mode]));
	SOTTO_TRY(sotto_buffer_append_text(b, ", "));
	SOTTO_TRY(put_double_at(b, "delta", sotto_rational_nearest(p->delta->q)));
	SOTTO_TRY(sotto_buffer_append_text(b, ",\n "));
	SOTTO_TRY(put_cost(b, p, p->total));
	SOTTO_TRY(sotto_buffer_appendf(b, ", \"cells\": %zu", w->schema.cells));
	SOTTO_TRY(put_levels(b, w));
	SOTTO_TRY(put_semantics(b, p));
	SOTTO_TRY(put_invariants(b, p));
	return sotto_buffer_append_text(b, "}\n");
}
