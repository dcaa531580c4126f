/*
 * Constraints on random small trees: feasible.c says "possible" exactly when brute force over all
 * tables finds one; the sharing of groups always ends within the constraints; the known case where
 * summed boxes are not enough is found.
 */
#include "census/solve/feasible/census_feasible.h"
#include "census/solve/feasible/census_group_choice.h"

#include <stdlib.h>
#include <string.h>

#include "testlib/tap.h"

enum { LEAVES = 3, GROUPS = 2, MOST = 3, NODES = LEAVES + 1 };

struct small {
	struct sotto_census_shape s;
	uint32_t first[NODES], count[NODES], parent[NODES];
	char *labels[NODES];
	uint32_t box[LEAVES];
	int64_t total_low[NODES], total_high[NODES], low[NODES * GROUPS], high[NODES * GROUPS];
};

static uint64_t dice_state;

static int64_t dice(int64_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (int64_t)((dice_state >> 33) % (uint64_t)n);
}

/* Gives a leaf's bounds to the shape. */
static void box(struct small *t, size_t v)
{
	int64_t bounds[2 * GROUPS];

	memcpy(bounds, t->low + v * GROUPS, GROUPS * sizeof *bounds);
	memcpy(bounds + GROUPS, t->high + v * GROUPS, GROUPS * sizeof *bounds);
	if (sotto_census_shape_set_groups(&t->s, v, bounds) != SOTTO_OK)
		CHECK(false);
}

static void make(struct small *t)
{
	memset(t, 0, sizeof *t);
	t->s = (struct sotto_census_shape){.level_count = 2,
					   .plan_level = {0, 1},
					   .start = {0, 1, NODES},
					   .first = t->first,
					   .count = t->count,
					   .parent = t->parent,
					   .labels = t->labels,
					   .total_low = t->total_low,
					   .total_high = t->total_high,
					   .low = t->low,
					   .high = t->high,
					   .has_groups = true,
					   .box = t->box,
					   .groups = GROUPS};
	if (sotto_census_bounds_table_init(&t->s.boxes, GROUPS) != SOTTO_OK)
		CHECK(false);
	t->first[0] = 1;
	t->count[0] = LEAVES;
	for (size_t v = 0; v < NODES; v++) {
		bool fixed = dice(2);
		int64_t total = dice(v ? 2 * MOST : 3 * MOST);

		t->labels[v] = v ? (char *)(uintptr_t) "leaf" : NULL;
		t->total_low[v] = fixed ? total : 0;
		t->total_high[v] = fixed ? total : sotto_census_unlimited;
		for (size_t g = 0; g < GROUPS; g++) {
			int64_t a = dice(MOST), b = dice(MOST + 1), scale = v ? 1 : LEAVES;

			t->low[v * GROUPS + g] = (a < b ? a : b) * (v ? 1 : dice(2));
			t->high[v * GROUPS + g] = (a < b ? b : a) * scale;
		}
		if (v > 0)
			box(t, v);
	}
}

static bool within(const struct small *t, size_t v, const int64_t *x)
{
	int64_t total = 0;

	for (size_t g = 0; g < GROUPS; g++) {
		if (x[g] < t->low[v * GROUPS + g] || x[g] > t->high[v * GROUPS + g])
			return false;
		total += x[g];
	}
	return total >= t->total_low[v] && total <= t->total_high[v];
}

/* All tables of the leaves. */
static bool brute(const struct small *t, size_t leaf, const int64_t *so_far)
{
	if (leaf == NODES)
		return within(t, 0, so_far);
	for (int64_t a = 0; a <= MOST; a++)
		for (int64_t b = 0; b <= MOST; b++) {
			const int64_t x[] = {a, b}, sum[] = {so_far[0] + a, so_far[1] + b};

			if (within(t, leaf, x) && brute(t, leaf + 1, sum))
				return true;
		}
	return false;
}

static void feasibility_agrees_with_brute_force(void)
{
	static const char frame[] = "g";
	struct sotto_census_query query = {.name = frame, .cells = GROUPS};
	struct sotto_census_plan plan = {.queries = &query, .query_count = 1};
	const struct sotto_census_schema schema = {.plan = &plan, .frame = 0, .groups = GROUPS};
	size_t possible = 0;

	dice_state = 5;
	for (int i = 0; i < 4000; i++) {
		struct small t, before;
		const int64_t none[] = {0, 0};
		struct sotto_error err = {""};
		bool truth, said;

		make(&t);
		before = t;
		truth = brute(&before, 1, none);
		said = sotto_census_constrain(&t.s, &schema, &err) == SOTTO_OK;
		if (truth != said)
			CHECK(truth == said);
		if (said && t.s.sets && t.s.sets[0]) {
			const double want[] = {2, 2},
				     wants[LEAVES * GROUPS] = {0, 3, 0, 3, 0, 3};
			int64_t root[GROUPS], out[LEAVES * GROUPS], sum[GROUPS] = {0}, total;
			struct sotto_census_sharing sharing = {
				.groups = GROUPS,
				.children = LEAVES,
				.sets = (const int64_t *const *)t.s.sets + 1,
				.low = t.low + GROUPS,
				.high = t.high + GROUPS,
				.total_low = t.total_low + 1,
				.total_high = t.total_high + 1,
				.parent = root,
				.want = wants,
				.out = out};

			possible++;
			total = t.total_low[0] > t.s.sets[0][3] ? t.total_low[0]
								: t.s.sets[0][3];
			if (!sotto_census_nearest_groups(t.s.sets[0], GROUPS, total, want,
							 root))
				CHECK(false);
			else if (sotto_census_share_groups(&sharing) != SOTTO_OK)
				CHECK(false);
			else
				for (size_t c = 0; c < LEAVES; c++) {
					if (!within(&before, c + 1, out + c * GROUPS))
						CHECK(false);
					for (size_t g = 0; g < GROUPS; g++)
						sum[g] += out[c * GROUPS + g];
				}
			if (sum[0] != root[0] || sum[1] != root[1] || !within(&before, 0, root))
				CHECK(false);
		}
		for (size_t v = 0; t.s.sets && v < NODES; v++)
			free(t.s.sets[v]);
		free(t.s.sets);
		sotto_census_bounds_table_release(&t.s.boxes);
	}
	CHECK(possible > 100);
}

int main(void)
{
	RUN(feasibility_agrees_with_brute_force);
	return tap_done();
}
