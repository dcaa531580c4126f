/*
 * Unions of nodes: a level of nodes without a name is put above the level of the union's
 * nodes, the union being one of them and every other node alone in its own.
 */
#include <stdlib.h>
#include <string.h>

#include "census/plan/shape/census_union.h"
#include "census/plan/shape/census_shape.h"
#include "core/base/failure.h"

static enum sotto_status bad_union(const char *node, const char *why, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EPARSE, "invariants: the union with %.150s %s", node, why);
}

/* Marks the nodes of the union; all must be children of one node. */
static enum sotto_status mark(const struct sotto_census_shape *s,
			      const struct sotto_census_invariant *inv, bool *in, size_t *level,
			      struct sotto_error *err)
{
	size_t parent = SIZE_MAX;

	for (size_t i = 0; i < inv->node_count; i++) {
		size_t node = sotto_census_node_find(s, inv->nodes[i]);

		if (node == SIZE_MAX || node == 0)
			return bad_union(inv->nodes[i], "names a node that does not exist",
					 err);
		if (in[node])
			return bad_union(inv->nodes[i], "names it twice", err);
		if (parent != SIZE_MAX && s->parent[node] != parent)
			return bad_union(
				inv->nodes[i],
				"is not made of children of one node, so it does not nest "
				"in the hierarchy",
				err);
		if (!s->labels[s->parent[node]] && s->parent[node] != 0 &&
		    s->count[s->parent[node]] > 1)
			return bad_union(inv->nodes[i], "overlaps another union", err);
		parent = s->parent[node];
		in[node] = true;
		*level = sotto_census_level_of(s, node);
	}
	return SOTTO_OK;
}

/* Nodes of the level in their new order: the union's together at the place of its first. */
static void
reorder(const struct sotto_census_shape *s, size_t level, const bool *in, uint32_t *order)
{
	size_t n = 0;
	bool done = false;

	for (size_t v = s->start[level]; v < s->start[level + 1]; v++) {
		if (!in[v]) {
			order[n++] = (uint32_t)v;
		} else if (!done) {
			for (size_t u = v; u < s->start[level + 1]; u++)
				if (in[u])
					order[n++] = (uint32_t)u;
			done = true;
		}
	}
}

/* Where the union's nodes already lie side by side nothing below has to move. */
static bool
is_contiguous(const struct sotto_census_shape *s, size_t level, const uint32_t *order)
{
	for (size_t i = 0; i < s->start[level + 1] - s->start[level]; i++)
		if (order[i] != s->start[level] + i)
			return false;
	return true;
}

/* A node of the new level for each node of `level`, but one for the whole union. */
static enum sotto_status
insert(struct sotto_census_shape *s, size_t level, const bool *in, size_t union_size)
{
	size_t old = sotto_census_node_count(s), at = s->start[level];
	size_t added = s->start[level + 1] - at - union_size + 1, n = old + added;
	struct sotto_census_shape t = *s;
	size_t next = at;

	t.first = calloc(n + 1, sizeof *t.first);
	t.count = calloc(n + 1, sizeof *t.count);
	t.parent = calloc(n + 1, sizeof *t.parent);
	t.labels = calloc(n + 1, sizeof *t.labels);
	t.total_low = calloc(n + 1, sizeof *t.total_low);
	t.total_high = malloc((n + 1) * sizeof *t.total_high);
	if (!t.first || !t.count || !t.parent || !t.labels || !t.total_low || !t.total_high) {
		sotto_census_shape_release(&t);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		t.total_high[i] = sotto_census_unlimited;
	for (size_t v = 0; v < old; v++) { /* all nodes from `at` on move by `added` */
		size_t to = v < at ? v : v + added;

		t.labels[to] = s->labels[v];
		t.count[to] = s->count[v];
		t.first[to] = (uint32_t)(s->first[v] < at ? s->first[v] : s->first[v] + added);
		t.parent[to] =
			(uint32_t)(s->parent[v] < at ? s->parent[v] : s->parent[v] + added);
	}
	for (size_t v = 0; v < at; v++)
		if (v >= s->start[level - 1])
			t.count[v] = 0;
	for (size_t v = at; v < s->start[level + 1]; v++) {
		size_t parent = s->parent[v];
		bool joins = v > at && in[v] && in[v - 1];

		if (!joins) {
			t.first[next] = (uint32_t)(v + added);
			t.parent[next] = (uint32_t)parent;
			if (t.count[parent]++ == 0)
				t.first[parent] = (uint32_t)next;
			next++;
		}
		t.count[next - 1]++;
		t.parent[v + added] = (uint32_t)(next - 1);
	}
	for (size_t l = level; l < s->level_count; l++) {
		t.start[l + 2] = s->start[l + 1] + added;
		t.plan_level[l + 1] = s->plan_level[l];
	}
	t.start[level + 1] = at + added;
	t.plan_level[level] = SIZE_MAX;
	t.level_count++;
	sotto_census_shape_release(s);
	*s = t;
	return SOTTO_OK;
}

enum sotto_status sotto_census_insert_union(struct sotto_census_shape *s,
					    const struct sotto_census_invariant *inv,
					    struct sotto_error *err)
{
	size_t n = sotto_census_node_count(s), level = 0;
	bool *in;
	uint32_t *order;
	enum sotto_status st;

	if (!inv->nodes)
		return SOTTO_OK;
	if (s->level_count == SOTTO_CENSUS_LEVELS_MAX)
		return bad_union(inv->nodes[0], "needs one level more than there may be", err);
	in = calloc(n + 1, sizeof *in);
	order = malloc((n + 1) * sizeof *order);
	st = in && order ? mark(s, inv, in, &level, err) : SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		reorder(s, level, in, order);
		st = is_contiguous(s, level, order)
			     ? insert(s, level, in, inv->node_count)
			     : bad_union(inv->nodes[0],
					 "must consist of nodes that follow each other in the "
					 "sorted list of nodes",
					 err);
	}
	free(in);
	free(order);
	return st;
}
