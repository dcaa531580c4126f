/* The keys of a plan that say what it may spend: privacy, budget. */
#include <string.h>

#include "census/plan/census_plan_read.h"
#include "census/plan/census_plan_item.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

static enum sotto_status read_model(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const char *const words[] = {"zcdp", "pure", NULL};
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "model", words, &which));
	((struct sotto_census_plan *)plan)->model = (enum sotto_census_model)which;
	return SOTTO_OK;
}

static enum sotto_status read_positive(struct sotto_yaml *y, yaml_node_t *value,
				       const char *what, struct sotto_rational **out)
{
	struct sotto_rational *r;

	SOTTO_TRY(sotto_yaml_number(y, value, what, &r));
	if (sotto_rational_sign(r) <= 0)
		return sotto_yaml_fail(y, value, "%s must be positive", what);
	*out = r;
	return SOTTO_OK;
}

/* Which of the two was given is checked at the end: the model may come later. */
struct privacy {
	struct sotto_census_plan *plan;
	struct sotto_rational *rho, *epsilon;
	bool neighbours;
};

static enum sotto_status read_rho(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return read_positive(y, value, "rho", &((struct privacy *)target)->rho);
}

static enum sotto_status read_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return read_positive(y, value, "epsilon", &((struct privacy *)target)->epsilon);
}

static enum sotto_status read_delta(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct sotto_census_plan *p = ((struct privacy *)target)->plan;

	SOTTO_TRY(read_positive(y, value, "delta", &p->delta));
	return mpq_cmp_ui(p->delta->q, 1, 1) < 0
		       ? SOTTO_OK
		       : sotto_yaml_fail(y, value, "delta must be below 1");
}

static enum sotto_status read_neighbours(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	static const char *const words[] = {"add-remove", "replace-one", NULL};
	struct privacy *privacy = target;
	size_t which;

	SOTTO_TRY(sotto_census_word(y, value, "neighbours", words, &which));
	privacy->plan->replace_one = which == 1;
	privacy->neighbours = true;
	return SOTTO_OK;
}

static enum sotto_status read_model_of(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return read_model(y, value, ((struct privacy *)target)->plan);
}

enum sotto_status
sotto_census_read_privacy(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const struct sotto_yaml_field fields[] = {
		{"model", read_model_of},        {"rho", read_rho},
		{"epsilon", read_epsilon},       {"delta", read_delta},
		{"neighbours", read_neighbours}, {NULL, NULL}};
	struct privacy privacy = {.plan = plan};
	struct sotto_census_plan *p = plan;
	bool pure;

	SOTTO_TRY(sotto_yaml_fields(y, value, "privacy", fields, &privacy));
	pure = p->model == SOTTO_CENSUS_PURE;
	p->total = pure ? privacy.epsilon : privacy.rho;
	if (!p->total || (pure ? privacy.rho : privacy.epsilon))
		return sotto_yaml_fail(y, value,
				       "privacy is {model: zcdp, rho: ...} or {model: pure, "
				       "epsilon: ...}");
	if (!privacy.neighbours)
		return sotto_yaml_fail(
			y, value, "privacy must say neighbours: add-remove or replace-one");
	if (!p->delta) {
		p->delta = sotto_arena_rational(&p->arena);
		if (!p->delta)
			return SOTTO_ENOMEM;
		return sotto_rational_parse(p->delta, "1e-10", NULL);
	}
	return SOTTO_OK;
}

/* ---- budget ------------------------------------------------------------------------------------ */

static enum sotto_status
read_fraction(struct sotto_yaml *y, yaml_node_t *value, struct sotto_rational **out)
{
	SOTTO_TRY(sotto_yaml_number(y, value, "a fraction", out));
	return sotto_rational_sign(*out) >= 0
		       ? SOTTO_OK
		       : sotto_yaml_fail(y, value, "a fraction must not be negative");
}

static enum sotto_status read_level_share(struct sotto_yaml *y, const char *name,
					  yaml_node_t *key, yaml_node_t *value, void *plan)
{
	struct sotto_census_plan *p = plan;
	struct sotto_census_share *s =
		SOTTO_PUSH(&p->arena, p->level_shares, p->level_share_count);

	if (!s)
		return SOTTO_ENOMEM;
	s->line = sotto_yaml_line(key);
	s->level = sotto_arena_text(&p->arena, name);
	return s->level ? read_fraction(y, value, &s->fraction) : SOTTO_ENOMEM;
}

struct level_reader {
	struct sotto_census_plan *plan;
	const char *level;
};

static enum sotto_status read_query_share(struct sotto_yaml *y, const char *name,
					  yaml_node_t *key, yaml_node_t *value, void *target)
{
	struct level_reader *r = target;
	struct sotto_census_share *s =
		SOTTO_PUSH(&r->plan->arena, r->plan->query_shares, r->plan->query_share_count);

	if (!s)
		return SOTTO_ENOMEM;
	s->line = sotto_yaml_line(key);
	s->level = r->level;
	s->query = sotto_arena_text(&r->plan->arena, name);
	return s->query ? read_fraction(y, value, &s->fraction) : SOTTO_ENOMEM;
}

static enum sotto_status read_level_queries(struct sotto_yaml *y, const char *name,
					    yaml_node_t *key, yaml_node_t *value, void *plan)
{
	struct level_reader r = {.plan = plan};

	(void)key;
	r.level = sotto_arena_text(&r.plan->arena, name);
	if (!r.level)
		return SOTTO_ENOMEM;
	return sotto_yaml_entries(y, value, "the queries of a level", read_query_share, &r);
}

static enum sotto_status read_levels(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_entries(y, value, "budget.levels", read_level_share, plan);
}

static enum sotto_status read_queries(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_entries(y, value, "budget.queries", read_level_queries, plan);
}

enum sotto_status sotto_census_read_budget(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	static const struct sotto_yaml_field fields[] = {
		{"levels", read_levels}, {"queries", read_queries}, {NULL, NULL}};

	return sotto_yaml_fields(y, value, "budget", fields, plan);
}
