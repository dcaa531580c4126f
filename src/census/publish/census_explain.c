/* sotto_census_explain: one node of a plan, from what is public. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/account/census_predict.h"
#include "census/plan/census_query.h"
#include "census/exact/census_json_text.h"
#include "census/measure/read/census_inputs.h"
#include "core/base/failure.h"
#include "sotto/census.h"

static json_t *finite_json(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *bound_json(int64_t bound)
{
	return bound >= sotto_census_unlimited ? json_null() : json_integer(bound);
}

static json_t *rational_json(const struct sotto_rational *r)
{
	char *text = mpq_get_str(NULL, 10, r->q);
	json_t *out = json_string(text);

	free(text);
	return out;
}

static json_t *queries_json(const struct sotto_census_plan *p, size_t plan_level)
{
	const struct sotto_census_level *l = &p->levels[plan_level];
	bool pure = p->model == SOTTO_CENSUS_PURE;
	json_t *all = json_object();

	for (size_t i = 0; i < l->measure_count; i++) {
		const struct sotto_census_measure *m = &l->measures[i];
		json_t *one = json_object();

		json_object_set_new(one, pure ? "epsilon" : "rho", rational_json(m->cost));
		json_object_set_new(one, pure ? "scale" : "sigma2", rational_json(m->scale));
		json_object_set_new(one, "variance", finite_json(m->variance));
		json_object_set_new(one, "cells",
				    json_integer((json_int_t)p->queries[m->query].cells));
		json_object_set_new(all, p->queries[m->query].name, one);
	}
	return all;
}

/* Is the total, or each group, of this node published exactly, from the data? */
static bool is_from_data(const struct sotto_census_plan *p, size_t plan_level, bool total)
{
	for (size_t i = 0; i < p->invariant_count; i++) {
		const struct sotto_census_invariant *inv = &p->invariants[i];
		size_t level = sotto_census_level_find(p, inv->level);
		bool is_total = p->queries[inv->query].cells == 1;

		if (inv->nodes || inv->values)
			continue;
		/* What is fixed at a level is fixed above it, too. */
		if (level >= plan_level && is_total == total)
			return true;
	}
	return false;
}

static json_t *group_label(const struct sotto_census_schema *s, size_t group)
{
	char text[256];

	sotto_census_group_label(s, group, text, sizeof text);
	return json_string(text);
}

static json_t *bounds_json(const struct sotto_census_world *w, size_t node, size_t plan_level)
{
	const struct sotto_census_shape *s = &w->shape;
	json_t *all = json_array(), *total = json_object();

	json_object_set_new(total, "query", json_string("total"));
	json_object_set_new(total, "lower", bound_json(s->total_low[node]));
	json_object_set_new(total, "upper", bound_json(s->total_high[node]));
	if (is_from_data(&w->plan, plan_level, true))
		json_object_set_new(total, "exact", json_true());
	json_array_append_new(all, total);
	for (size_t g = 0; s->has_groups && g < s->groups; g++) {
		json_t *one = json_object();

		json_object_set_new(one, "query",
				    json_string(w->plan.queries[w->schema.frame].name));
		json_object_set_new(one, "group", group_label(&w->schema, g));
		json_object_set_new(one, "lower",
				    bound_json(sotto_census_group_low(s, node)[g]));
		json_object_set_new(one, "upper",
				    bound_json(sotto_census_group_high(s, node)[g]));
		if (is_from_data(&w->plan, plan_level, false))
			json_object_set_new(one, "exact", json_true());
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *errors_json(const struct sotto_census_prediction *errors)
{
	static const char *const modes[] = {"naive", "topdown", "gls"};
	json_t *all = json_object();

	for (size_t i = 0; i < 3; i++) {
		json_t *one = json_object();

		json_object_set_new(one, "sd", finite_json(errors[i].sd));
		json_object_set_new(one, "mae", finite_json(errors[i].mae));
		json_object_set_new(all, modes[i], one);
	}
	return all;
}

static enum sotto_status
describe(const struct sotto_census_world *w, const char *path, size_t node, json_t *to)
{
	const struct sotto_census_shape *s = &w->shape;
	struct sotto_census_prediction errors[3];
	size_t plan_level = s->plan_level[sotto_census_level_of(s, node)], first, end;
	bool known;

	SOTTO_TRY(sotto_census_predict_node(w, node, errors, &known));
	sotto_census_leaf_range(s, node, &first, &end);
	json_object_set_new(to, "node", json_string(path));
	json_object_set_new(to, "level", json_string(w->plan.levels[plan_level].name));
	json_object_set_new(to, "children", json_integer(s->count[node]));
	json_object_set_new(to, "siblings",
			    json_integer(node ? s->count[s->parent[node]] - 1 : 0));
	json_object_set_new(to, "leaves", json_integer((json_int_t)(end - first)));
	json_object_set_new(to, "queries", queries_json(&w->plan, plan_level));
	json_object_set_new(to, "bounds", bounds_json(w, node, plan_level));
	if (known)
		json_object_set_new(to, "predicted_total_error", errors_json(errors));
	return SOTTO_OK;
}

static enum sotto_status explain(const struct sotto_census_world *w, const char *path,
				 char **out, struct sotto_error *err)
{
	size_t node = SIZE_MAX;
	enum sotto_status st;
	json_t *about;

	if (!w->has_shape)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: the plan has no list of nodes to find %.100s in",
				  w->plan.path, path);
	node = strcmp(path, "/") == 0 ? 0 : sotto_census_node_find(&w->shape, path);
	if (node == SIZE_MAX)
		return sotto_fail(err, SOTTO_EMISSING,
				  "there is no node %.200s; a path is written like s1/c2, and "
				  "/ is the whole",
				  path);
	about = json_object();
	st = about ? describe(w, path, node, about) : SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		*out = json_dumps(about, JSON_INDENT(1));
		st = *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	json_decref(about);
	return st;
}

enum sotto_status
sotto_census_explain(const char *plan, const char *node, char **out, struct sotto_error *err)
{
	const struct sotto_census_access access = {.data = false};
	struct sotto_census_world *w;
	enum sotto_status st;

	if (!plan || !node || !out)
		return SOTTO_EINVAL;
	w = calloc(1, sizeof *w);
	if (!w)
		return SOTTO_ENOMEM;
	st = sotto_census_world_open(w, plan, &access, err);
	if (st == SOTTO_OK)
		st = explain(w, node, out, err);
	sotto_census_world_close(w);
	free(w);
	return st;
}
