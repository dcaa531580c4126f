/*
 * Adds up the exact costs of the measurements that look at an attribute, or that lie below a
 * level; and says what an invariant publishes besides.
 */
#include "census/account/census_semantics.h"
#include "census/plan/census_query.h"

/* What is spent on queries that look at the attribute at all. */
void sotto_census_attribute_cost(const struct sotto_census_plan *p, size_t attribute,
				 struct sotto_rational *out)
{
	mpq_set_ui(out->q, 0, 1);
	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++) {
			const struct sotto_census_measure *m = &p->levels[l].measures[i];

			if (sotto_census_query_uses(&p->queries[m->query], attribute))
				sotto_rational_add(out, out, m->cost);
		}
}

/* What is spent strictly below a level. */
void sotto_census_geography_cost(const struct sotto_census_plan *p, size_t level,
				 struct sotto_rational *out)
{
	mpq_t part;

	mpq_init(part);
	mpq_set_ui(out->q, 0, 1);
	for (size_t l = level + 1; l < p->level_count; l++) {
		mpq_mul(part, p->levels[l].fraction->q, p->total->q);
		mpq_add(out->q, out->q, part);
	}
	mpq_clear(part);
}

/* A given table tells nothing that was not known before the release. */
static bool is_from_data(const struct sotto_census_invariant *invariant)
{
	return !invariant->values;
}

bool sotto_census_attribute_is_published(const struct sotto_census_plan *p, size_t attribute)
{
	for (size_t i = 0; i < p->invariant_count; i++)
		if (is_from_data(&p->invariants[i]) &&
		    sotto_census_query_uses(&p->queries[p->invariants[i].query], attribute))
			return true;
	return false;
}

bool sotto_census_place_is_published(const struct sotto_census_plan *p, size_t level)
{
	for (size_t i = 0; i < p->invariant_count; i++)
		if (is_from_data(&p->invariants[i]) &&
		    sotto_census_level_find(p, p->invariants[i].level) > level)
			return true;
	return false;
}
