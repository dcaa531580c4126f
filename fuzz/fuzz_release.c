/*
 * Release plans and small inputs: no crash; an accepted plan has a positive budget whose fractions
 * add up to 1, and positive noise in every measure.  The first byte says which reader.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "census/plan/census_plan.h"
#include "census/plan/census_schema.h"

static void check_plan(const struct sotto_census_plan *p)
{
	mpq_t levels, queries;

	mpq_inits(levels, queries, NULL);
	for (size_t l = 0; l < p->level_count; l++) {
		mpq_set_ui(queries, 0, 1);
		mpq_add(levels, levels, p->levels[l].fraction->q);
		for (size_t i = 0; i < p->levels[l].measure_count; i++) {
			mpq_add(queries, queries, p->levels[l].measures[i].fraction->q);
			if (mpq_sgn(p->levels[l].measures[i].scale->q) <= 0)
				abort();
		}
		if (p->levels[l].measure_count > 0 && mpq_cmp_ui(queries, 1, 1) != 0)
			abort();
	}
	if (mpq_sgn(p->total->q) <= 0 || mpq_cmp_ui(levels, 1, 1) != 0)
		abort();
	mpq_clears(levels, queries, NULL);
}

static void read_plan(const char *text, size_t size)
{
	struct sotto_error err = {""};
	struct sotto_census_schema schema;
	struct sotto_census_plan p;

	if (sotto_census_plan_parse(&p, "p.yaml", text, size, &err) != SOTTO_OK)
		return;
	check_plan(&p);
	if (sotto_census_schema_init(&schema, &p, &err) == SOTTO_OK && schema.cells == 0)
		abort();
	sotto_census_schema_release(&schema);
	sotto_census_plan_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_error err = {""};
	char *text, *out = NULL;

	if (size == 0 || size > 1 << 14)
		return 0;
	text = calloc(size + 1, 1);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
		read_plan(text, size - 1);
		break;
	case 1:
		(void)!sotto_census_estimate(text, true, &out, &err);
		break;
	case 2:
		(void)!sotto_census_variance(text, true, &out, &err);
		break;
	default:
		(void)!sotto_census_round(text, true, SOTTO_ROUNDING_L1, NULL, &out, &err);
		break;
	}
	free(out);
	free(text);
	return 0;
}
