/* sotto_census_estimate: a tree as JSON in, estimates as JSON out. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_exact_tree.h"
#include "census/exact/census_json_text.h"
#include "core/base/failure.h"
#include "sotto/census.h"

enum { NODES_MAX = 100000, OUTPUT_MAX = 1 << 28 };

struct reading {
	struct sotto_exact_tree tree;
	json_t **sources; /* of each node */
	char **paths;
	json_t *numbers; /* of the nodes, by path */
	size_t room;
};

static void reading_release(struct reading *r)
{
	for (size_t i = 0; i < r->tree.n; i++)
		free(r->paths[i]);
	sotto_exact_tree_release(&r->tree);
	free(r->sources);
	free(r->paths);
	json_decref(r->numbers);
}

static enum sotto_status grow(struct reading *r)
{
	size_t room = 2 * r->room + 16;
	void *nodes, *sources, *paths;

	if (r->tree.n < r->room)
		return SOTTO_OK;
	nodes = realloc(r->tree.nodes, room * sizeof *r->tree.nodes);
	if (nodes)
		r->tree.nodes = nodes;
	sources = realloc(r->sources, room * sizeof *r->sources);
	if (sources)
		r->sources = sources;
	paths = realloc(r->paths, room * sizeof *r->paths);
	if (paths)
		r->paths = paths;
	if (!nodes || !sources || !paths)
		return SOTTO_ENOMEM;
	r->room = room;
	return SOTTO_OK;
}

/* "/" for the root, "A/a1" below it. */
static char *path_of(const struct reading *r, size_t parent, const char *name)
{
	char *path = NULL;

	if (r->tree.n == 0)
		return strdup("/");
	if (parent == 0)
		return strdup(name);
	return asprintf(&path, "%s/%s", r->paths[parent], name) < 0 ? NULL : path;
}

static enum sotto_status index_node(struct reading *r, size_t i, struct sotto_error *err)
{
	if (json_object_get(r->numbers, r->paths[i]))
		return sotto_fail(err, SOTTO_EPARSE, "%.300s: two children have this name",
				  r->paths[i]);
	return json_object_set_new(r->numbers, r->paths[i], json_integer((json_int_t)i)) == 0
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

static enum sotto_status
add_node(struct reading *r, json_t *source, size_t parent, size_t at, struct sotto_error *err)
{
	static const char *const keys[] = {"name",  "value",    "variance", "lower",
					   "upper", "children", NULL};
	const json_t *name = json_object_get(source, "name");
	char place[400];

	(void)snprintf(place, sizeof place, "child %zu of %.300s", at + 1,
		       r->tree.n ? r->paths[parent] : "");
	SOTTO_TRY(sotto_json_keys(source, r->tree.n ? place : "/", keys, err));
	if (r->tree.n > 0 && (!json_is_string(name) || !*json_string_value(name) ||
			      strchr(json_string_value(name), '/')))
		return sotto_fail(err, SOTTO_EPARSE,
				  "%s: \"name\" must be a text without a slash", place);
	if (r->tree.n >= NODES_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "the tree has more than %d nodes",
				  NODES_MAX);
	SOTTO_TRY(grow(r));
	r->paths[r->tree.n] = path_of(r, parent, json_string_value(name));
	if (!r->paths[r->tree.n])
		return SOTTO_ENOMEM;
	r->sources[r->tree.n] = source;
	sotto_exact_node_init(&r->tree.nodes[r->tree.n]);
	r->tree.nodes[r->tree.n].path = r->paths[r->tree.n];
	r->tree.nodes[r->tree.n].parent = parent;
	r->tree.n++;
	return index_node(r, r->tree.n - 1, err);
}

/* A number or infinity where it is missing or null. */
static enum sotto_status read_optional(const struct reading *r, size_t i, const char *key,
				       mpq_t out, bool *missing, struct sotto_error *err)
{
	const json_t *value = json_object_get(r->sources[i], key);
	char place[400];

	*missing = !value || json_is_null(value);
	if (*missing)
		return SOTTO_OK;
	(void)snprintf(place, sizeof place, "%.300s: \"%s\"", r->paths[i], key);
	return sotto_json_number(value, place, out, err);
}

static enum sotto_status read_numbers(struct reading *r, size_t i, struct sotto_error *err)
{
	struct sotto_exact_node *v = &r->tree.nodes[i];
	bool no_value, no_lower;

	SOTTO_TRY(read_optional(r, i, "value", v->value, &no_value, err));
	SOTTO_TRY(read_optional(r, i, "variance", v->variance.q, &v->variance.infinite, err));
	SOTTO_TRY(read_optional(r, i, "lower", v->lower, &no_lower, err));
	SOTTO_TRY(read_optional(r, i, "upper", v->upper.q, &v->upper.infinite, err));
	if (no_value && !v->variance.infinite)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.300s: there is a \"variance\" but no \"value\"",
				  r->paths[i]);
	if (!v->variance.infinite && mpq_sgn(v->variance.q) < 0)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.300s: \"variance\" must not be negative", r->paths[i]);
	return SOTTO_OK;
}

static enum sotto_status read_children(struct reading *r, size_t i, struct sotto_error *err)
{
	json_t *children = json_object_get(r->sources[i], "children");

	if (!children)
		return SOTTO_OK;
	if (!json_is_array(children))
		return sotto_fail(err, SOTTO_EPARSE, "%.300s: \"children\" must be a list",
				  r->paths[i]);
	r->tree.nodes[i].first = r->tree.n;
	for (size_t c = 0; c < json_array_size(children); c++)
		SOTTO_TRY(add_node(r, json_array_get(children, c), i, c, err));
	r->tree.nodes[i].count = r->tree.n - r->tree.nodes[i].first;
	return SOTTO_OK;
}

static enum sotto_status read_tree(struct reading *r, json_t *root, struct sotto_error *err)
{
	static const char *const keys[] = {"mode",        "bypass", "tree",
					   "covariances", "unions", NULL};
	const char *mode;

	SOTTO_TRY(sotto_json_keys(root, "the input", keys, err));
	mode = json_object_get(root, "mode") ? json_string_value(json_object_get(root, "mode"))
					     : "gls";
	if (!mode || (strcmp(mode, "gls") != 0 && strcmp(mode, "topdown") != 0))
		return sotto_fail(err, SOTTO_EPARSE, "mode must be \"gls\" or \"topdown\"");
	r->tree.subtrees = strcmp(mode, "gls") == 0;
	SOTTO_TRY(sotto_json_truth(root, "bypass", false, &r->tree.bypass, err));
	if (!json_object_get(root, "tree"))
		return sotto_fail(err, SOTTO_EPARSE, "\"tree\" is missing");
	SOTTO_TRY(add_node(r, json_object_get(root, "tree"), 0, 0, err));
	for (size_t i = 0; i < r->tree.n; i++) {
		SOTTO_TRY(read_numbers(r, i, err));
		SOTTO_TRY(read_children(r, i, err));
	}
	return SOTTO_OK;
}

static enum sotto_status find_node(const struct reading *r, const json_t *value,
				   const char *list, size_t *out, struct sotto_error *err)
{
	const char *path = json_string_value(value);
	const json_t *number = path ? json_object_get(r->numbers, path) : NULL;

	if (!number)
		return sotto_fail(err, SOTTO_EPARSE, "%s: no node has the path \"%.200s\"",
				  list, path ? path : "");
	*out = (size_t)json_integer_value(number);
	return SOTTO_OK;
}

/* ---- output -------------------------------------------------------------------------------- */

static enum sotto_status
put_extended(struct sotto_buffer *b, const struct sotto_extended *e, bool exact)
{
	return e->infinite ? sotto_buffer_append_text(b, "null")
			   : sotto_json_put_number(b, e->q, exact);
}

static enum sotto_status
put_node(struct sotto_buffer *b, const struct sotto_exact_node *v, bool exact)
{
	char *whole = mpz_get_str(NULL, 10, v->whole);
	enum sotto_status st;

	SOTTO_TRY(sotto_buffer_append_text(b, "{\"path\": "));
	SOTTO_TRY(sotto_json_put_text(b, v->path));
	SOTTO_TRY(sotto_buffer_append_text(b, ", \"estimate\": "));
	SOTTO_TRY(sotto_json_put_number(b, v->estimate, exact));
	SOTTO_TRY(sotto_buffer_append_text(b, ", \"variance\": "));
	SOTTO_TRY(put_extended(b, &v->v, exact));
	SOTTO_TRY(sotto_buffer_append_text(b, ", \"nonnegative\": "));
	SOTTO_TRY(sotto_json_put_number(b, v->optimum, exact));
	st = sotto_buffer_appendf(b, ", \"integer\": %s}", whole);
	free(whole);
	return st;
}

static enum sotto_status put_covariances(struct sotto_buffer *b, const struct reading *r,
					 json_t *pairs, bool exact, struct sotto_error *err)
{
	struct sotto_extended covariance;
	enum sotto_status st = SOTTO_OK;
	size_t one, other;

	if (pairs && !json_is_array(pairs))
		return sotto_fail(err, SOTTO_EPARSE, "covariances must be a list of pairs");
	mpq_init(covariance.q);
	for (size_t i = 0; st == SOTTO_OK && i < json_array_size(pairs); i++) {
		json_t *pair = json_array_get(pairs, i);

		if (json_array_size(pair) != 2)
			st = sotto_fail(err, SOTTO_EPARSE,
					"covariances: each entry must be a list of two paths");
		if (st == SOTTO_OK)
			st = find_node(r, json_array_get(pair, 0), "covariances", &one, err);
		if (st == SOTTO_OK)
			st = find_node(r, json_array_get(pair, 1), "covariances", &other, err);
		if (st == SOTTO_OK && i > 0)
			st = sotto_buffer_append_text(b, ", ");
		if (st == SOTTO_OK) {
			sotto_exact_tree_covariance(&r->tree, one, other, &covariance);
			st = put_extended(b, &covariance, exact);
		}
	}
	mpq_clear(covariance.q);
	return st;
}

struct total {
	mpq_t estimate;
	struct sotto_extended variance;
	mpq_t *weights; /* of each node */
};

/* Is a node above this one listed too? */
static bool is_below(const struct total *t, const struct reading *r, size_t node)
{
	while (node > 0) {
		node = r->tree.nodes[node].parent;
		if (mpq_sgn(t->weights[node]) > 0)
			return true;
	}
	return false;
}

static enum sotto_status
refuse_twice(const struct reading *r, size_t node, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EPARSE,
			  "unions: %.200s is listed with itself or a node above it, and would "
			  "count twice",
			  r->paths[node]);
}

/* The sum of the listed nodes and its variance. */
static enum sotto_status
add_up(const struct reading *r, json_t *list, struct total *t, struct sotto_error *err)
{
	mpq_set_ui(t->estimate, 0, 1);
	for (size_t v = 0; v < r->tree.n; v++)
		mpq_set_ui(t->weights[v], 0, 1);
	if (!json_is_array(list) || json_array_size(list) == 0)
		return sotto_fail(err, SOTTO_EPARSE,
				  "unions: each entry must be a list of paths");
	for (size_t i = 0; i < json_array_size(list); i++) {
		size_t node;

		SOTTO_TRY(find_node(r, json_array_get(list, i), "unions", &node, err));
		if (mpq_sgn(t->weights[node]) > 0)
			return refuse_twice(r, node, err);
		mpq_add(t->estimate, t->estimate, r->tree.nodes[node].estimate);
		mpq_set_ui(t->weights[node], 1, 1);
	}
	for (size_t v = 0; v < r->tree.n; v++)
		if (mpq_sgn(t->weights[v]) > 0 && is_below(t, r, v))
			return refuse_twice(r, v, err);
	sotto_exact_tree_sum_variance(&r->tree, t->weights, &t->variance);
	return SOTTO_OK;
}

static enum sotto_status put_union(struct sotto_buffer *b, const struct total *t, bool exact)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"estimate\": "));
	SOTTO_TRY(sotto_json_put_number(b, t->estimate, exact));
	SOTTO_TRY(sotto_buffer_append_text(b, ", \"variance\": "));
	SOTTO_TRY(put_extended(b, &t->variance, exact));
	return sotto_buffer_append_text(b, "}");
}

static enum sotto_status put_unions(struct sotto_buffer *b, const struct reading *r,
				    json_t *unions, bool exact, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	struct total t;

	if (unions && !json_is_array(unions))
		return sotto_fail(err, SOTTO_EPARSE, "unions must be a list of lists of paths");
	t.weights = malloc(r->tree.n * sizeof *t.weights);
	if (!t.weights)
		return SOTTO_ENOMEM;
	for (size_t v = 0; v < r->tree.n; v++)
		mpq_init(t.weights[v]);
	mpq_inits(t.estimate, t.variance.q, NULL);
	for (size_t i = 0; st == SOTTO_OK && i < json_array_size(unions); i++) {
		st = add_up(r, json_array_get(unions, i), &t, err);
		if (st == SOTTO_OK && i > 0)
			st = sotto_buffer_append_text(b, ", ");
		if (st == SOTTO_OK)
			st = put_union(b, &t, exact);
	}
	for (size_t v = 0; v < r->tree.n; v++)
		mpq_clear(t.weights[v]);
	free(t.weights);
	mpq_clears(t.estimate, t.variance.q, NULL);
	return st;
}

static enum sotto_status put_all(struct sotto_buffer *b, const struct reading *r, json_t *root,
				 bool exact, struct sotto_error *err)
{
	SOTTO_TRY(sotto_buffer_append_text(b, "{\"nodes\": [\n"));
	for (size_t i = 0; i < r->tree.n; i++) {
		SOTTO_TRY(put_node(b, &r->tree.nodes[i], exact));
		SOTTO_TRY(sotto_buffer_append_text(b, i + 1 < r->tree.n ? ",\n" : "],\n"));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "\"objective\": "));
	SOTTO_TRY(sotto_json_put_number(b, r->tree.objective, exact));
	SOTTO_TRY(sotto_buffer_append_text(b, ",\n\"objective_parent_by_parent\": "));
	SOTTO_TRY(sotto_json_put_number(b, r->tree.objective_parent_by_parent, exact));
	SOTTO_TRY(sotto_buffer_append_text(b, ",\n\"covariances\": ["));
	SOTTO_TRY(put_covariances(b, r, json_object_get(root, "covariances"), exact, err));
	SOTTO_TRY(sotto_buffer_append_text(b, "],\n\"unions\": ["));
	SOTTO_TRY(put_unions(b, r, json_object_get(root, "unions"), exact, err));
	return sotto_buffer_append_text(b, "]}\n");
}

static enum sotto_status
solve(json_t *root, bool exact, struct sotto_buffer *b, struct sotto_error *err)
{
	struct reading r = {.numbers = json_object()};
	enum sotto_status st;

	sotto_exact_tree_init(&r.tree);
	st = r.numbers ? read_tree(&r, root, err) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = sotto_exact_tree_solve(&r.tree, err);
	if (st == SOTTO_OK)
		st = put_all(b, &r, root, exact, err);
	reading_release(&r);
	if (st == SOTTO_ERANGE)
		return sotto_fail(
			err, st,
			"the exact answers on this tree are too long; use fewer nodes, "
			"fewer levels, or variances with small denominators");
	return st;
}

enum sotto_status
sotto_census_estimate(const char *json, bool exact, char **out, struct sotto_error *err)
{
	struct sotto_buffer b;
	enum sotto_status st;
	json_t *root;

	SOTTO_TRY(sotto_json_load(json, &root, err));
	sotto_buffer_init(&b, OUTPUT_MAX);
	st = solve(root, exact, &b, err);
	json_decref(root);
	return sotto_json_finish(&b, st, out);
}
