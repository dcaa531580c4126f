/*
 * Which plans can be asked of buckets of the units, and added up (spread.md).
 *
 * Measures that count or add up what units bring are additive, and so are lists of counts, the
 * loss vector and bins of units.  A number of different values is not: the values themselves
 * are, as sets, if the policy says how many there can be, in how many groups.
 */
#include "central/emit/engine_query.h"

#include "central/expression/domain/public_domain.h"

enum { SETS_MAX = 16 };

bool sotto_plan_has_sets(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		if (plan->measures[i].kind == SOTTO_MEASURE_DISTINCT)
			return true;
	return false;
}

static bool adds_different_values(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		if (plan->measures[i].addend.distinct)
			return true;
	return false;
}

const char *sotto_plan_why_whole(const struct sotto_plan *plan)
{
	size_t sets = 0;

	if (adds_different_values(plan))
		return "an aggregate over DISTINCT values, other than COUNT, cannot be spread "
		       "over workers: ask without --spread";
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->kind != SOTTO_MEASURE_DISTINCT)
			continue;
		if (plan->columns[m->column].set.size == 0)
			return "COUNT(DISTINCT ...) can be spread over workers only where the "
			       "policy says which values there are: declare keys, or bounds of "
			       "a "
			       "whole number or a date, with at most 10,000,000 values; or ask "
			       "without --spread";
		if (!plan->public_keys)
			return "COUNT(DISTINCT ...) can be spread over workers only where the "
			       "policy says which groups there are: group by columns with "
			       "keys, "
			       "or with bounds of few whole numbers or days; or ask without "
			       "--spread";
		if (++sets > SETS_MAX)
			return "more than 16 numbers of different values cannot be spread over "
			       "workers at once: ask for fewer";
	}
	return NULL;
}

/* Of public keys; what was not counted is refused above SOTTO_DOMAIN_MAX before it is charged. */
static int64_t most_groups(const struct sotto_plan *plan)
{
	int64_t groups = 1;

	for (size_t i = 0; i < plan->set_count; i++) {
		int64_t n = plan->sets[i].size;

		if (n < 0 || n > SOTTO_DOMAIN_MAX)
			return SOTTO_DOMAIN_MAX;
		groups = groups * n > SOTTO_DOMAIN_MAX ? SOTTO_DOMAIN_MAX : groups * n;
	}
	return groups;
}

int64_t sotto_plan_set_bytes(const struct sotto_plan *plan)
{
	int64_t all = 0;

	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->kind == SOTTO_MEASURE_DISTINCT &&
		    __builtin_add_overflow(all, plan->columns[m->column].set.bytes, &all))
			return INT64_MAX;
	}
	return __builtin_mul_overflow(all, most_groups(plan), &all) ? INT64_MAX : all;
}
